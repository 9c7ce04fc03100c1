//! Nodes, and what they show.

use crate::{
    CameraId, Extras, InheritMode, Instances, LightId, LocalTransform, MaterialId, MeshId, NodeId, Pivots, SkinId, Trs,
    VariantMaterial,
};

/// A named place in the hierarchy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Name; may be empty and need not be unique.
    pub name: String,
    /// The parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// The children in order; each has this node as its parent.
    pub children: Vec<NodeId>,
    /// `parent_from_node` at rest.
    pub local: LocalTransform,
    /// The same transform as its tool keeps it, with pivots and Euler angles; `local` is what it gives at rest.
    pub pivots: Option<Box<Pivots>>,
    /// How the node takes over its parent's scale.
    pub inherit: InheritMode,
    /// `node_from_mesh`, which moves the node's mesh only, not its children; `None` is the identity. A skinned mesh
    /// ignores it like the node's transform: inverse binds are `joint_from_mesh`.
    pub geometric: Option<Box<Trs>>,
    /// The mesh that it shows.
    pub mesh: Option<MeshInstance>,
    /// Where it shows the mesh, when not once at the node itself. A skinned mesh is in one place whatever they say.
    pub instances: Option<Box<Instances>>,
    /// The camera that sits here, looking along -Z.
    pub camera: Option<CameraId>,
    /// The light that sits here, shining along -Z.
    pub light: Option<LightId>,
    /// Whether the node and what is below it is shown.
    pub visible: bool,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Node {
    /// A visible node without anything.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl Default for Node {
    fn default() -> Self {
        Self {
            name: String::new(),
            parent: None,
            children: Vec::new(),
            local: LocalTransform::default(),
            pivots: None,
            inherit: InheritMode::default(),
            geometric: None,
            mesh: None,
            instances: None,
            camera: None,
            light: None,
            visible: true,
            extras: Extras::default(),
        }
    }
}

/// A mesh as a node shows it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInstance {
    /// The mesh.
    pub mesh: MeshId,
    /// The skin that moves it. A skinned mesh ignores its node's transform.
    pub skin: Option<SkinId>,
    /// The material of each slot; a missing one means the default material.
    pub materials: Vec<Option<MaterialId>>,
    /// What slots wear in the scene's variants; a slot wears its usual material in those that are missing. At most one
    /// for a slot and a variant, in the order of slots and then variants after validation.
    pub variants: Vec<VariantMaterial>,
    /// Weights of the morph targets at rest; empty when they are the mesh's own.
    pub morph_weights: Vec<f32>,
}

impl MeshInstance {
    /// A mesh without skin and materials.
    pub fn new(mesh: MeshId) -> Self {
        Self { mesh, skin: None, materials: Vec::new(), variants: Vec::new(), morph_weights: Vec::new() }
    }
}

/// A named set of root nodes (glTF: a scene).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RootSet {
    /// Name; may be empty.
    pub name: String,
    /// Nodes without a parent.
    pub roots: Vec<NodeId>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl RootSet {
    /// A named set.
    pub fn new(name: impl Into<String>, roots: Vec<NodeId>) -> Self {
        Self { name: name.into(), roots, extras: Extras::default() }
    }
}

/// A camera's projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Perspective.
    Perspective {
        /// Vertical field of view.
        fov_y_rad: f64,
        /// Width through height; `None` follows the window.
        aspect_ratio: Option<f64>,
        /// Near plane distance.
        near: f64,
        /// Far plane distance; `None` is infinite.
        far: Option<f64>,
    },
    /// Orthographic.
    Orthographic {
        /// Half width.
        x_mag: f64,
        /// Half height.
        y_mag: f64,
        /// Near plane distance.
        near: f64,
        /// Far plane distance.
        far: f64,
    },
}

/// A camera.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Camera {
    /// Name; may be empty.
    pub name: String,
    /// Projection.
    pub projection: Projection,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Camera {
    /// A camera.
    pub fn new(name: impl Into<String>, projection: Projection) -> Self {
        Self { name: name.into(), projection, extras: Extras::default() }
    }
}

/// Kind of light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel; intensity in lux.
    Directional,
    /// All around; intensity in candela.
    Point,
    /// A cone; intensity in candela.
    Spot {
        /// Half angle of full light.
        inner_cone_rad: f64,
        /// Half angle of no light.
        outer_cone_rad: f64,
    },
}

/// A light, in the terms of `KHR_lights_punctual`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Light {
    /// Name; may be empty.
    pub name: String,
    /// Kind.
    pub kind: LightKind,
    /// Linear RGB.
    pub color: [f64; 3],
    /// Lux or candela, by kind.
    pub intensity: f64,
    /// Distance at which it ends; `None` is infinite.
    pub range: Option<f64>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Light {
    /// A white light of intensity 1 without an end.
    pub fn new(name: impl Into<String>, kind: LightKind) -> Self {
        Self { name: name.into(), kind, color: [1.0; 3], intensity: 1.0, range: None, extras: Extras::default() }
    }
}
