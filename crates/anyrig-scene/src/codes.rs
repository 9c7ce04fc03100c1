//! Diagnostics of this crate.

anyrig_bytes::codes! {
    DANGLING_REFERENCE: "scene.dangling-reference", Repaired, "A reference to an element that does not exist was removed.";
    HIERARCHY: "scene.hierarchy", Repaired, "A node had two parents or was its own ancestor; one link was cut.";
    NOT_FINITE: "scene.not-finite", Repaired, "Numbers that are not finite were replaced.";
    ROTATION_LENGTH: "scene.rotation-length", Repaired, "A rotation was not a unit quaternion and was normalised.";
    STREAM_SHAPE: "scene.stream-shape", Repaired, "An attribute stream had the wrong number or kind of elements and was removed.";
    FACES_REMOVED: "scene.faces-removed", Repaired, "Faces that used points which do not exist, or were incomplete, were removed.";
    WEIGHTS: "scene.weights", Repaired, "Joint weights were negative, did not sum to one, or named joints that do not exist; they were put right.";
    INFLUENCE_SHAPE: "scene.influence-shape", Repaired, "Joint influences of the wrong shape were removed.";
    SKIN_REMOVED: "scene.skin-removed", Repaired, "A skin had joints that do not exist and was removed.";
    INVERSE_BINDS: "scene.inverse-binds", Repaired, "Inverse bind matrices were missing or too many; identity was put in, or the surplus removed.";
    MORPH_SHAPE: "scene.morph-shape", Repaired, "Morph deltas of the wrong shape were removed.";
    CHANNEL_REMOVED: "scene.channel-removed", Repaired, "A channel whose target or keys make no sense was removed.";
    PIVOTS: "scene.pivots", Repaired, "Pivots had numbers that are not finite, or gave another transform than the node has; they were put right.";
    LAYERS: "scene.layers", Repaired, "A clip's layers, or the layer that a channel names, made no sense; they were put right.";
    SEGMENTS: "scene.segments", Repaired, "What lies between a curve's keys made no sense; straight lines were put in.";
    KEY_ORDER: "scene.key-order", Repaired, "Keys whose time was not after the key before were removed.";
    VARIANTS: "scene.variants", Repaired, "A choice of materials named what does not exist, or one slot twice; it was removed.";
    WEIGHT_COUNT: "scene.weight-count", Repaired, "A node had not as many morph weights as its mesh has morph targets; missing ones are 0.";
    INSTANCES: "scene.instances", Repaired, "Instances had no mesh, no transforms or attributes of the wrong shape; those were removed.";
    SPRINGS: "scene.springs", Repaired, "Joints of a spring did not lie below each other, or a spring or group named what does not exist; those were removed.";
    IK_LINKS: "scene.ik-links", Repaired, "The links of an IK chain did not lie above its effector and each other; the chain was removed.";
}
