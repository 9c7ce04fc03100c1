//! The neutral scene of anyrig: what every importer fills and every exporter reads.
//!
//! Plain public data in arenas with typed ids. A [`Scene`] states its own [`Space`]; importers keep the file's, and only
//! `anyrig_passes::to_space` converts. [`validate()`] repairs what is inconsistent: after it indexes are in range, the
//! hierarchy is a forest, numbers are finite, and later code indexes freely.

mod animation;
mod arena;
pub mod codes;
mod curve;
pub mod diff;
mod extras;
mod features;
pub mod format;
mod image;
mod instances;
mod listed;
mod material;
mod mesh;
mod node;
mod pivots;
mod property;
mod skin;
mod space;
mod stream;
mod surface;
mod transform;
pub mod validate;
mod variants;
pub mod walk;
pub mod weights;

pub use animation::{Channel, Clip, ClipLayer, ElementId, LayerBlend, Property, RotationBlend, ScaleBlend, Target};
pub use arena::{Arena, Id};
pub use curve::{Curve, Extrapolation, ExtrapolationMode, Handle, Interpolation, Segment, Ticks};
pub use diff::{Difference, Tolerance, diff};
pub use extras::{Extras, USER};
pub use features::{Feature, features};
pub use format::{
    Capability, Document, ExportedFile, Exporter, FormatInfo, Hint, Importer, OptionSchema, Packaging, Score, Support,
    TexCoords, WrittenNumbers,
};
pub use glam;
pub use image::{Filter, Image, MipFilter, Sampler, Texture, TextureUse, UvTransform, Wrap};
pub use instances::Instances;
pub use material::{AlphaMode, Material, TextureSlot};
pub use mesh::{DeltaStream, Mesh, MorphTarget, Part, PartMorph, Topology};
pub use node::{Camera, Light, LightKind, MeshInstance, Node, Projection, RootSet};
pub use pivots::{InheritMode, Pivots, RotationOrder, TransformPart, World};
pub use property::{CameraProperty, LightProperty, MaterialProperty};
pub use skin::{Influences, Layout, Skin, SkinMethod};
pub use space::{Axis, Handedness, Space, UvOrigin, Winding};
pub use stream::{Domain, Semantic, Storage, Stream};
pub use surface::{Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, Transmission, Volume};
pub use transform::{LocalTransform, Trs};
pub use validate::validate;
pub use variants::{Variant, VariantMaterial};

use anyrig_bytes::Value;
use std::collections::BTreeSet;

/// Id of a [`Node`].
pub type NodeId = Id<Node>;
/// Id of a [`Mesh`].
pub type MeshId = Id<Mesh>;
/// Id of a [`Skin`].
pub type SkinId = Id<Skin>;
/// Id of a [`Material`].
pub type MaterialId = Id<Material>;
/// Id of a [`Texture`].
pub type TextureId = Id<Texture>;
/// Id of an [`Image`].
pub type ImageId = Id<Image>;
/// Id of a [`Camera`].
pub type CameraId = Id<Camera>;
/// Id of a [`Light`].
pub type LightId = Id<Light>;

/// Everything a file means, in the file's own space.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// Axes, handedness, unit and conventions of all numbers in this scene.
    pub space: Space,
    /// All nodes; hierarchy by [`Node::parent`] and [`Node::children`].
    pub nodes: Arena<Node>,
    /// Named sets of root nodes (glTF: scenes). A node that no set reaches is not shown.
    pub root_sets: Vec<RootSet>,
    /// The set that is shown first; `None` when the file names none.
    pub default_root_set: Option<usize>,
    /// Geometry.
    pub meshes: Arena<Mesh>,
    /// Skins.
    pub skins: Arena<Skin>,
    /// Materials.
    pub materials: Arena<Material>,
    /// Choices of materials that mesh instances have; none is chosen.
    pub variants: Vec<Variant>,
    /// Textures: an image with a sampler.
    pub textures: Arena<Texture>,
    /// Images, encoded as in the source.
    pub images: Arena<Image>,
    /// Cameras.
    pub cameras: Arena<Camera>,
    /// Lights.
    pub lights: Arena<Light>,
    /// Animation clips, in file order.
    pub clips: Vec<Clip>,
    /// What the model has no word for: `generator`, `copyright` of the source, unknown extensions …
    pub extras: Extras,
}

impl Scene {
    /// An empty scene in a space.
    pub fn new(space: Space) -> Self {
        Self { space, ..Self::default() }
    }

    /// Adds a node under a parent, or as a root without one, and links both ways.
    pub fn add_node(&mut self, mut node: Node, parent: Option<NodeId>) -> NodeId {
        node.parent = parent;
        let id = self.nodes.push(node);
        if let Some(parent) = parent {
            self.nodes[parent].children.push(id);
        }
        id
    }

    /// Nodes without a parent, in arena order.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().filter(|(_, node)| node.parent.is_none()).map(|(id, _)| id)
    }

    /// Roots of what is shown: those of the default root set, else of the first, else all nodes without a parent.
    pub fn shown_roots(&self) -> Vec<NodeId> {
        let set = self.default_root_set.and_then(|i| self.root_sets.get(i)).or_else(|| self.root_sets.first());
        set.map_or_else(|| self.roots().collect(), |set| set.roots.clone())
    }

    /// Nodes whose transform a clip moves.
    pub fn moved_nodes(&self) -> BTreeSet<NodeId> {
        self.clips.iter().flat_map(|clip| &clip.channels).filter_map(|channel| channel.target.moved_node()).collect()
    }

    /// A value of the scene's extras.
    pub fn extra(&self, namespace: &str) -> Option<&Value> {
        self.extras.get(namespace)
    }
}
