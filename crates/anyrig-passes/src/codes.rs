//! Diagnostics of this crate.

anyrig_bytes::codes! {
    VIEW_HELPER: "passes.view-helper-node", Note, "A camera or light moved to a helper node that turns it back to -Z after a change of axes.";
    OTHER_CURVES_KEPT: "passes.other-curves-kept", Approximated, "Curves on unknown targets keep their numbers although the space changed.";
    POLYGON_FANNED: "passes.polygon-fanned", Approximated, "A self-intersecting or flat polygon was cut as a fan.";
    NORMALS_GENERATED: "passes.normals-generated", Note, "Smooth normals were made from the triangles.";
    NORMALS_FALLBACK: "passes.normals-fallback", Approximated, "Points without a triangle of any area got the up axis as their normal.";
    TANGENTS_GENERATED: "passes.tangents-generated", Note, "MikkTSpace tangents were made.";
    TANGENTS_AVERAGED: "passes.tangents-averaged", Approximated, "Corners of one point had different tangents; the point got their mean instead of being split.";
    TANGENTS_WITHOUT_UV: "passes.tangents-without-uv", Note, "Without texture coordinates, tangents are any direction at right angles to the normal.";
    INSTANCE_DUPLICATED: "passes.instance-duplicated", Note, "A mesh that several nodes show was copied, because each copy got its node's transform.";
    SHEAR_DROPPED: "passes.shear-dropped", Approximated, "A sheared matrix became the nearest translation, rotation and scale.";
    SHEAR_HELPER: "passes.shear-helper-node", Note, "A sheared matrix was spread over a node and a helper node above it.";
    KEYS_LIMITED: "passes.keys-limited", Approximated, "A resampled curve reached the limit of keys before the error bound.";
    POINTS_WELDED: "passes.points-welded", Note, "Points that are equal in everything became one, and points that no face uses were left out.";
    KEYS_REDUCED: "passes.keys-reduced", Note, "Keys were left out where the curve stays within the error bound without them.";
    PRUNED: "passes.pruned", Note, "Elements that nothing needs were left out, as the options want it.";
    NUMBERS_KEPT: "passes.numbers-kept", Note, "Elements that nothing needs stay, because carried data may refer to elements by number.";
    MERGED: "passes.merged", Note, "Equal elements became one.";
    NAME_GONE: "passes.name-gone", Note, "An element went, because an equal one of another name stays.";
    SIMPLIFIED: "passes.simplified", Approximated, "A part was made of fewer triangles, within an error bound.";
    INFLUENCES_LIMITED: "passes.influences-limited", Approximated, "Points kept only their strongest influences, scaled to the sum that they had.";
    EXTRAS_NOT_RESCALED: "passes.extras-not-rescaled", Approximated, "Carried data keep their numbers although the scene has another size; lengths among them are wrong now.";
    EXTRAS_DROPPED: "passes.extras-dropped", Lost, "Carried data that may refer to elements by number were left out of the pieces of a scene.";
    INSTANCE_ATTRIBUTES: "passes.instance-attributes-dropped", Lost, "Instances became nodes, which have no place for further attributes of instances.";
    UV_CURVES: "passes.uv-curves", Approximated, "A texture that turns or is scaled in a clip was turned upside down; its offset was sampled for it.";
    RIG_WITHOUT_CLIPS: "passes.rig-without-clips", Lost, "Constraints, IK chains or springs were to become curves, but there is no clip that could hold them.";
}
