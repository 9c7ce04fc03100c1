//! The table of this crate's diagnostics.

anyrig_bytes::codes! {
    // Reading.
    ASSUMED_DIALECT: "urho.assumed-dialect", Note,
        "A UMD2 model does not say whether it is Urho3D's or UrhoX's; it is read as the named one.";
    TRAILING_BYTES: "urho.trailing-bytes", Note, "Bytes after the last field have no known meaning; only the document keeps them.";
    NAME_ENCODING: "urho.name-encoding", Repaired, "Names are not UTF-8; their encoding was guessed.";
    BAD_GEOMETRY: "urho.bad-geometry", Repaired, "A geometry refers to buffers or elements that do not exist; it became empty.";
    INDEX_RANGE_CUT: "urho.index-range-cut", Repaired, "A geometry wants more indices than there are, or not whole primitives.";
    INDEX_OUT_OF_RANGE: "urho.index-out-of-range", Repaired, "Primitives with indices above the number of vertices were left out.";
    DUPLICATE_ELEMENT: "urho.duplicate-element", Lost, "A vertex has two elements of one meaning; the first counts.";
    BONE_INDEX_OUT_OF_RANGE: "urho.bone-index-out-of-range", Repaired, "Weights on bones that do not exist became 0.";
    BONE_HIERARCHY: "urho.bone-hierarchy", Repaired, "A bone whose parent does not exist, or is below it, became a root.";
    MORPH_OUT_OF_RANGE: "urho.morph-out-of-range", Repaired, "Morph deltas of vertices or buffers that do not exist were left out.";
    MOTION_FOUND: "urho.motion-found", Note, "An animation that lies where those of the model usually are became a clip.";
    MOTION_LEFT_OUT: "urho.motion-left-out", Note, "An animation lies where those of the model usually are, but it moves none of its bones or cannot be read.";
    TRACK_WITHOUT_BONE: "urho.track-without-bone", Lost, "A track names a bone that the model does not have.";
    TRACK_WEIGHT: "urho.track-weight", Approximated, "A track counts only in part; it is played fully.";
    PROPERTY_TRACK_LOST: "urho.property-track-lost", Lost, "A track moves a property that the scene has no word for.";
    SPLINE_AS_LINE: "urho.spline-as-line", Approximated, "A spline through keys is read as straight lines.";
    TRIGGERS_UNREAD: "urho.triggers-unread", Lost, "The triggers beside an animation cannot be read.";
    TRIGGER_WITHOUT_TIME: "urho.trigger-without-time", Repaired, "Triggers without a time, or at one that is no finite number, were left out.";
    UNKNOWN_TRIGGERS: "urho.unknown-triggers", Lost, "Triggers or metadata of a UrhoX animation have no known layout.";
    MATERIAL_UNREAD: "urho.material-unread", Lost, "A material that the list names is missing or unreadable.";
    TEXTURE_MISSING: "urho.texture-missing", Lost, "A texture that a material names is not beside the model.";
    TEXTURE_UNIT_LOST: "urho.texture-unit-lost", Lost, "A texture unit has no word in the scene.";
    OLD_TECHNIQUE: "urho.old-technique", Approximated, "A material that is not physically based was read as a rough, non-metallic one.";

    // Writing.
    REFLECTED: "urho.reflected", Note,
        "Numbers are written as they are: in a left-handed engine the model shows as its mirror image.";
    NOT_HELD: "urho.not-held", Lost, "The target cannot hold a feature.";
    APPROXIMATED: "urho.approximated", Approximated, "The target holds something near a feature.";
    METADATA_LEFT_OUT: "urho.metadata-left-out", Note, "File-wide metadata such as the generator's name have no place in the target.";
    NOT_SHOWN: "urho.not-shown", Lost, "Meshes of hidden nodes, or of nodes outside the shown scene, are left out.";
    EMPTY_PART: "urho.empty-part", Lost, "A part without primitives makes no geometry.";
    BONE_RENAMED: "urho.bone-renamed", Note, "Bones are found by name, so each one got a name of its own.";
    BONE_DUPLICATED: "urho.bone-duplicated", Note,
        "A joint has two bind poses; a bone holds one, so a second bone follows the first.";
    COMMON_ROOT: "urho.common-root", Note,
        "The engine moves only what is below its one root bone, so a bone above all roots was added.";
    WITHOUT_WEIGHTS: "urho.without-weights", Repaired, "A part of a skinned mesh without weights follows the first joint.";
    UNBOUND_POINTS: "urho.unbound-points", Approximated,
        "Points of a skinned mesh without weights would collapse in the engine; they follow a bone that keeps their place at rest.";
    INFLUENCES_LIMITED: "urho.influences-limited", Approximated, "Points keep their four largest influences.";
    LOD_LEFT_OUT: "urho.lod-left-out", Lost, "A coarser level of detail fits no geometry of the finest one.";
    SPLIT_BY_BONES: "urho.split-by-bones", Approximated,
        "There are more bones than the limit; geometries map a part of them, and larger ones are split.";
    MORPH_RENAMED: "urho.morph-renamed", Note, "Morphs are found by name, so each one got a name of its own.";
    COLORS_NOT_SHOWN: "urho.colors-not-shown", Approximated,
        "Vertex colours are stored, but the engine's stock techniques do not show them.";
    MORPH_MOTION_MERGED: "urho.morph-motion-merged", Approximated,
        "Meshes share a morph of one name, and a clip moves it differently on them; the first one counts.";
    MORPH_REST_WEIGHT: "urho.morph-rest-weight", Lost, "The target cannot hold the weight that a morph has at rest, or two meshes that share a morph rest differently.";
    SHEAR_DROPPED: "urho.shear-dropped", Approximated, "A bone has translation, rotation and scale only; shear is left out.";
    CLIP_WITHOUT_TRACKS: "urho.clip-without-tracks", Lost, "A clip moves no node of the model; no file was written for it.";
    CLIP_RENAMED: "urho.clip-renamed", Note, "A clip is known by its file's name, which differs from the clip's.";
    CURVES_SAMPLED: "urho.curves-sampled", Approximated, "Curves that are not plainly linear or stepped were sampled.";
    TRACK_NOT_SHOWN: "urho.track-not-shown", Lost, "A clip moves nodes that are not part of the written model.";
    MATERIAL_RENAMED: "urho.material-renamed", Note,
        "A material is known by its file's name, which differs from the material's.";
    GAMMA_COLOR: "urho.gamma-color", Note,
        "The engine multiplies textures and colours without decoding sRGB; a tint looks a little different there.";
    TECHNIQUE: "urho.technique", Approximated, "The engine's stock techniques have nothing for a combination of maps.";
    IMAGE_UNREADABLE: "urho.image-unreadable", Lost, "An image cannot be decoded; materials go without it.";
    SAMPLER_DROPPED: "urho.sampler-dropped", Approximated, "One image is sampled in two ways; the engine samples it in one.";
    UNUSED_LEFT_OUT: "urho.unused-left-out", Note, "Materials that no written mesh wears are left out.";
    NODES_FOLDED: "urho.nodes-folded", Note, "Nodes that neither show, move nor carry anything are folded into the bones or vertices below.";
    COLLISION_DROPPED: "urho.collision-dropped", Lost, "Collision shapes of bones are kept only while the space of the numbers stays.";
}
