//! Namespaces of [`anyrig_scene::Extras`] under which import keeps what the scene has no word for, and names that import
//! and export share.

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
