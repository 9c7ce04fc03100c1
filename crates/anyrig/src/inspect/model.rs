//! The stable shape of an inspection.

use anyrig_bytes::Report;
use serde::Serialize;

/// What is in a file. Numbers are in the file's own space and unit.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Name of the file, without its folder.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Id of the format that read it.
    pub format: String,
    /// The format's name for people.
    pub format_name: String,
    /// Dialect or encoding.
    pub dialect: String,
    /// Version as the file states it.
    pub version: String,
    /// How many of each thing.
    pub counts: Counts,
    /// Axes, unit and conventions of all numbers.
    pub space: SpaceInfo,
    /// Box around all meshes in their rest pose, without skinning, in scene space; `null` without points.
    pub bounds: Option<BoundsInfo>,
    /// Nodes, parents before children; `parent` is an index of this list.
    pub tree: Vec<NodeInfo>,
    /// Joints of all skins, parents before children; without skins and meshes the nodes that clips move. `parent` is an
    /// index of this list.
    pub bones: Vec<BoneInfo>,
    /// Meshes in file order.
    pub meshes: Vec<MeshInfo>,
    /// Skins in file order.
    pub skins: Vec<SkinInfo>,
    /// Clips in file order.
    pub clips: Vec<ClipInfo>,
    /// Materials in file order.
    pub materials: Vec<MaterialInfo>,
    /// Textures in file order.
    pub textures: Vec<TextureInfo>,
    /// Images in file order.
    pub images: Vec<ImageInfo>,
    /// Names of the choices of materials, in file order.
    pub variants: Vec<String>,
    /// What reading noticed.
    pub report: Report,
}

/// How many of each thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Nodes.
    pub nodes: usize,
    /// Meshes.
    pub meshes: usize,
    /// Parts of all meshes.
    pub parts: usize,
    /// Points of all parts.
    pub vertices: usize,
    /// Triangles of all parts, polygons cut.
    pub triangles: usize,
    /// Bones, as listed.
    pub joints: usize,
    /// Skins.
    pub skins: usize,
    /// Clips.
    pub clips: usize,
    /// Materials.
    pub materials: usize,
    /// Textures.
    pub textures: usize,
    /// Images.
    pub images: usize,
    /// Morph targets of all meshes.
    pub morph_targets: usize,
    /// Cameras.
    pub cameras: usize,
    /// Lights.
    pub lights: usize,
}

/// Axes, unit and conventions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SpaceInfo {
    /// The axis that points up, such as `+y`.
    pub up: String,
    /// The axis that a character faces along.
    pub front: String,
    /// `right` or `left`.
    pub handedness: String,
    /// Length of a unit in metres.
    pub metres_per_unit: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BoundsInfo {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeInfo {
    /// Name; may be empty.
    pub name: String,
    /// Index in `tree`; `null` for a root.
    pub parent: Option<usize>,
    /// Number of ancestors.
    pub depth: usize,
    /// Index in `meshes`.
    pub mesh: Option<usize>,
    /// Index in `skins`.
    pub skin: Option<usize>,
    /// Whether it is a joint of a skin.
    pub joint: bool,
    /// Whether a camera sits here.
    pub camera: bool,
    /// Whether a light sits here.
    pub light: bool,
    /// How often it shows its mesh, when as instances; `null` otherwise.
    pub instances: Option<usize>,
    /// `visible`, or `hidden` at rest with all that is below it.
    pub visibility: &'static str,
    /// Local translation at rest.
    pub translation: [f64; 3],
    /// Local rotation at rest as x, y, z, w.
    pub rotation: [f64; 4],
    /// Local scale at rest.
    pub scale: [f64; 3],
}

/// A bone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BoneInfo {
    /// Name; may be empty.
    pub name: String,
    /// Index in `bones` of the nearest ancestor that is a bone.
    pub parent: Option<usize>,
    /// Index in `tree`.
    pub node: usize,
    /// Position at rest in scene space.
    pub position: [f64; 3],
}

/// A mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MeshInfo {
    /// Name.
    pub name: String,
    /// Parts in file order.
    pub parts: Vec<PartInfo>,
    /// Names of the morph targets.
    pub morph_targets: Vec<String>,
}

/// A part of a mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartInfo {
    /// `points`, `lines`, `triangles` or `polygons`.
    pub topology: &'static str,
    /// Points.
    pub vertices: usize,
    /// Corners, which is the length of the index list.
    pub indices: usize,
    /// Whether the file has an index list.
    pub indexed: bool,
    /// Triangles.
    pub triangles: usize,
    /// Names of the attribute streams.
    pub attributes: Vec<String>,
    /// The largest number of joints at one point.
    pub max_influences: usize,
    /// Material slot.
    pub slot: u32,
}

/// A skin.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SkinInfo {
    /// Name.
    pub name: String,
    /// Indices in `bones`, in the skin's order.
    pub joints: Vec<usize>,
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClipInfo {
    /// Name.
    pub name: String,
    /// Length.
    pub seconds: f64,
    /// Curves.
    pub channels: usize,
    /// Keys of all curves.
    pub keys: usize,
    /// Nodes that it moves.
    pub nodes: usize,
}

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MaterialInfo {
    /// Name.
    pub name: String,
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// `opaque`, `mask` or `blend`.
    pub alpha: &'static str,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether light has no effect.
    pub unlit: bool,
    /// What it has beyond the core: `clearcoat`, `sheen`, `transmission` …
    pub parts: Vec<&'static str>,
    /// Textures by role (`base-color`, `metallic-roughness`, `normal`, `occlusion`, `emissive` …) as indices in
    /// `textures`.
    pub textures: std::collections::BTreeMap<&'static str, usize>,
}

/// A texture.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TextureInfo {
    /// Name.
    pub name: String,
    /// Index in `images`.
    pub image: Option<usize>,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImageInfo {
    /// Name.
    pub name: String,
    /// The file that the source refers to; `null` when embedded.
    pub uri: Option<String>,
    /// Media type.
    pub media_type: Option<String>,
    /// Size of the encoded image; `null` when the file was not found.
    pub bytes: Option<usize>,
}
