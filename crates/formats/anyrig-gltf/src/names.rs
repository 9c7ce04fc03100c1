//! Namespaces of [`anyrig_scene::Extras`] under which import keeps what the scene has no word for, and names that import
//! and export share.

use anyrig_scene::Axis;

/// Extensions that are not read, as an object by name; on every element.
pub const EXTENSIONS: &str = "gltf.extensions";
/// The value of `extras`; on every element.
pub const EXTRAS: &str = "gltf.extras";
/// Members that glTF 2.0 does not define, as an object; on every element.
pub const MEMBERS: &str = "gltf.members";
/// The file's `asset`, on the scene: an object with `generator`, `copyright`, `extensions`, `extras`, `members`.
pub const ASSET: &str = "gltf.asset";
/// The materials of a mesh that no node shows: an index or null for each part.
pub const MATERIALS: &str = "gltf.materials";
/// On the scene: names of required extensions that are only carried.
pub const REQUIRED: &str = "gltf.required";
/// What `pbrMetallicRoughness` of a material holds beside its factors: an object by the first three namespaces.
pub const PBR: &str = "gltf.pbr";
/// The extras of a channel's target.
pub const CHANNEL_TARGET: &str = "gltf.target.extras";

/// The media type of bytes that may be anything; it says as little as none.
pub(crate) const UNKNOWN_MEDIA_TYPE: &str = "application/octet-stream";

/// Texture extensions that name another image, with its media type: in the order in which one is chosen for a texture
/// without plain `source`.
pub(crate) const TEXTURE_SOURCES: [(&str, &str); 4] = [
    ("KHR_texture_basisu", "image/ktx2"),
    ("EXT_texture_webp", "image/webp"),
    ("EXT_texture_avif", "image/avif"),
    ("MSFT_texture_dds", "image/vnd-ms.dds"),
];

/// The extensions that a JSON pointer leads into.
pub(crate) fn extensions_of(pointer: &str) -> impl Iterator<Item = &str> {
    let words = pointer.split('/').skip(1);
    let (names, within) = (words.clone().skip(1), words.clone().skip(2));
    words.zip(names).zip(within).filter(|((word, _), _)| *word == "extensions").map(|((_, name), _)| name)
}

/// Springs and their colliders, on the file as a whole.
pub(crate) const SPRING_BONE: &str = "VRMC_springBone";
/// Further forms of colliders, on a collider.
pub(crate) const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";
/// A constraint, on a node.
pub(crate) const NODE_CONSTRAINT: &str = "VRMC_node_constraint";

/// Names of axes in `VRMC_node_constraint`.
pub(crate) const AXES: [(&str, Axis); 6] = [
    ("PositiveX", Axis::PosX),
    ("NegativeX", Axis::NegX),
    ("PositiveY", Axis::PosY),
    ("NegativeY", Axis::NegY),
    ("PositiveZ", Axis::PosZ),
    ("NegativeZ", Axis::NegZ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_into_extensions_by_whole_words() {
        let found = |pointer| extensions_of(pointer).collect::<Vec<_>>();
        assert_eq!(found("/extensions/A/thing"), ["A"]);
        assert_eq!(found("/materials/0/extensions/A/extensions/B/thing"), ["A", "B"]);
        assert_eq!(found("/extensions/extensions/A/thing"), ["extensions", "A"]);
        for none in ["", "extensions/A/thing", "/extensions/A", "/my extensions/A/thing", "/nodes/0/weights"] {
            assert!(found(none).is_empty(), "{none:?}");
        }
    }
}
