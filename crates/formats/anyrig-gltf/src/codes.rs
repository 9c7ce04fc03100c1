//! What glTF reading and writing may have to say.

anyrig_bytes::codes! {
    DUPLICATE_KEY: "gltf.duplicate-key", Repaired, "An object has a key twice; the last one counts.";
    GLB_LENGTH: "gltf.glb-length", Repaired, "The length in the GLB header is not that of the file.";
    BUFFER_TOO_SHORT: "gltf.buffer-too-short", Repaired, "A buffer has fewer bytes than it states; what lies beyond is refused only where it is used.";
    IMAGE_MISSING: "gltf.image-missing", Lost, "An image cannot be found or its reference cannot be followed.";
    IMAGE_EMPTY: "gltf.image-empty", Note, "An image names neither a file nor a buffer view; it has no content.";
    IMAGE_UNRECOGNIZED: "gltf.image-unrecognized", Note, "The bytes of an image are of no known kind; they pass as they are.";
    IMAGE_TYPE_SNIFFED: "gltf.image-type-sniffed", Repaired, "An image states no media type; it was told by its first bytes.";
    IMAGE_CONVERTED: "gltf.image-converted", Approximated, "An image of a kind that glTF does not show was written as PNG.";
    IMAGE_KIND: "gltf.image-kind", Lost, "An image is of a kind that glTF does not show and that cannot be converted; textures go without it.";
    ROOT_WITH_PARENT: "gltf.root-with-parent", Repaired, "A scene lists a node that is not a root; its root stands in for it.";
    MATRIX_AND_TRS: "gltf.matrix-and-trs", Repaired, "A node has a matrix beside translation, rotation or scale; the matrix counts.";
    MATRIX_LAST_ROW: "gltf.matrix-last-row", Repaired, "The last row of a matrix is not 0 0 0 1; it is taken as that.";
    NODE_WITHOUT_MESH: "gltf.node-without-mesh", Repaired, "A node has a skin or weights but no mesh; they are ignored.";
    WEIGHT_COUNT: "gltf.weight-count", Repaired, "There are not as many morph weights as morph targets; missing ones are 0.";
    TARGET_COUNT: "gltf.target-count", Repaired, "The parts of a mesh differ in their number of morph targets; missing ones do not move.";
    UNPAIRED_INFLUENCES: "gltf.unpaired-influences", Repaired, "A set of joints has no weights, or the reverse; it is ignored.";
    VALUE_CLAMPED: "gltf.value-clamped", Repaired, "A value lies outside its range and was brought into it.";
    CHANNEL_IGNORED: "gltf.channel-ignored", Note, "A channel has no target node; glTF tells readers to ignore it.";
    CHANNEL_UNKNOWN: "gltf.channel-unknown", Lost, "A channel moves something that is not known.";
    POINTER_KEPT: "gltf.pointer-kept", Note, "An animated property is one that the scene has no word for; its curve is kept, not played.";
    SPECULAR_GLOSSINESS: "gltf.specular-glossiness", Approximated, "An archived specular-glossiness surface was taken as the metallic-roughness one that is nearest; its own terms are carried.";
    MEMBERS_DROPPED: "gltf.members-dropped", Lost, "An extension holds more than the scene has a place for.";
    REQUIRED_CARRIED: "gltf.required-carried", Approximated, "The file requires a material extension that is carried, not interpreted; the metallic-roughness core stands for it.";
    EXTENSION_FALLBACK: "gltf.extension-fallback", Note, "An optional extension is not decoded; the file's plain data is used.";
    COMPRESSED_FAULT: "gltf.compressed-fault", Repaired, "Compressed data cannot be decoded; the plain data beside it is used.";
    EXTENSION_DATA_LOST: "gltf.extension-data-lost", Lost, "An unknown extension refers to binary data, which is not carried over.";
    EXTENSION_STALE: "gltf.extension-stale", Lost, "A carried extension may name elements by number, and numbers changed, since some elements could not be written; it was left out.";
    INTEGER_ROUNDED: "gltf.integer-rounded", Approximated, "An integer attribute has values that an f32 cannot hold.";
    TRIANGULATED: "gltf.triangulated", Approximated, "Polygons become triangles.";
    DUAL_QUATERNION: "gltf.dual-quaternion", Approximated, "Dual quaternion skinning becomes linear skinning.";
    EXTRAS_DROPPED: "gltf.extras-dropped", Lost, "Data of another format has no place in a glTF file.";
    ATTRIBUTE_RENAMED: "gltf.attribute-renamed", Approximated, "An attribute that glTF does not know gets the leading underscore that it demands.";
    ATTRIBUTE_DROPPED: "gltf.attribute-dropped", Lost, "An attribute has a form or a number that glTF has no place for.";
    ATTRIBUTE_GAP: "gltf.attribute-gap", Approximated, "Sets of an attribute must be numbered without gaps; missing ones are filled with zeros.";
    DELTAS_DROPPED: "gltf.deltas-dropped", Lost, "A morph target moves an attribute that the part does not have.";
    PART_DROPPED: "gltf.part-dropped", Lost, "A part shows nothing, and glTF allows none such.";
    MESH_DROPPED: "gltf.mesh-dropped", Lost, "A mesh has no part left, and a mesh without parts is not allowed.";
    VECTORS_NORMALISED: "gltf.vectors-normalised", Approximated, "Normals or tangents are not of unit length, which glTF demands; they were made so.";
    UNBOUND_POINTS: "gltf.unbound-points", Approximated, "Points of a skinned part have no joint; they are bound to the first one, as glTF demands weights that sum to 1.";
    QUATERNION_NORMALISED: "gltf.quaternion-normalised", Approximated, "A rotation key is not of unit length, which glTF demands; it was made so.";
    COMMON_ROOT: "gltf.common-root", Note, "The joints of a skin have no common root, which glTF demands; a root node was added above them.";
    KEYS_MERGED: "gltf.keys-merged", Approximated, "Keys lie too close for f32 times, or before 0; glTF holds neither. What moves from 0 on is kept.";
    SINGLE_KEY: "gltf.single-key", Note, "A cubic curve of one key, which glTF does not allow, is written as the constant that it is.";
    NOT_HELD: "gltf.not-held", Lost, "A feature of the scene has no place in a glTF file.";
    APPROXIMATED: "gltf.approximated", Approximated, "glTF holds something near a feature of the scene.";
    CLIP_LENGTH: "gltf.clip-length", Approximated, "A clip has a length of its own; in glTF it ends with its last key.";
    ANIMATION_PATH: "gltf.animation-path", Lost, "What a channel moves has no place in a glTF file.";
    CLIP_DROPPED: "gltf.clip-dropped", Lost, "A clip has no channel that glTF holds, and a clip without channels is not allowed.";
    CLIP_EMPTY: "gltf.clip-empty", Note, "A clip moves nothing, and a clip without channels is not allowed; it is left out.";
    ALTERNATE_DROPPED: "gltf.alternate-dropped", Lost, "A texture has another encoding of its picture that no texture extension names.";
    INSTANCE_COPIED: "gltf.instance-copied", Note, "A mesh is shown with different materials; it is written once for each, with shared data.";
    SKIN_DROPPED: "gltf.skin-dropped", Lost, "A skin has no joints, which glTF does not allow.";
    SKELETON_DROPPED: "gltf.skeleton-dropped", Note, "The named root of a skin is not above all its joints; it has no effect and is left out.";
    RULE_FILE: "gltf.rule-file", Note, "The file breaks a rule for lists, extensions or the container; only validation looks, and it does no harm here.";
    RULE_LAYOUT: "gltf.rule-layout", Note, "Data lies in the file in a way that glTF does not allow; only validation looks, and it does no harm here.";
    RULE_VALUES: "gltf.rule-values", Note, "Numbers break a rule of glTF or contradict what is stated of them; only validation looks, and it does no harm here.";
    RULE_MESH: "gltf.rule-mesh", Note, "A mesh breaks a rule of glTF; only validation looks, and it does no harm here.";
    RULE_NODE: "gltf.rule-node", Note, "A node or skin breaks a rule of glTF; only validation looks, and it does no harm here.";
    RULE_ANIMATION: "gltf.rule-animation", Note, "An animation breaks a rule of glTF; only validation looks, and it does no harm here.";
    RULE_IMAGE: "gltf.rule-image", Note, "An image breaks a rule of glTF; only validation looks, and images pass as they are.";
    QUANTIZED: "gltf.quantized", Approximated, "Numbers were rounded to whole ones of fewer bits, as was asked.";
    NOT_QUANTIZED: "gltf.not-quantized", Note, "The positions of a mesh stay floats, because a node that shows it cannot undo their scale.";
    RANGE_NOT_QUANTIZED: "gltf.range-not-quantized", Note, "Texture coordinates or colours of a mesh go beyond 0 to 1 and stay as they are; fractions of whole numbers have no others.";
    ROTATIONS_NOT_QUANTIZED: "gltf.rotations-not-quantized", Note, "The rotations of a channel stay floats, because a half turn between rounded keys would go the other way.";
    NAMES_STRIPPED: "gltf.names-stripped", Note, "Names were left out, as was asked.";
    SKIN_UNUSED: "gltf.skin-unused", Note, "A node has a skin but its mesh has no influences; glTF does not allow that, and it moves nothing.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_kebab_words() {
        let ids: BTreeSet<_> = CODES.iter().map(|c| c.id).collect();
        assert_eq!(ids.len(), CODES.len());
        assert!(
            ids.iter().all(|id| id.starts_with("gltf.") && id[5..].chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        );
    }
}
