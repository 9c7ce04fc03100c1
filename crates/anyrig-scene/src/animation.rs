//! Clips, their layers and channels.

use crate::{
    CameraId, CameraProperty, Curve, Extras, LightId, LightProperty, MaterialId, MaterialProperty, NodeId,
    TransformPart,
};

/// A named motion.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Clip {
    /// Name; may be empty and need not be unique.
    pub name: String,
    /// Where it starts; keys may lie before it.
    pub start_secs: f64,
    /// The channels, those of lower layers first (after validation), otherwise in file order.
    pub channels: Vec<Channel>,
    /// The layers, the lowest first. Empty means one that holds all channels and is played as it is.
    pub layers: Vec<ClipLayer>,
    /// Length in seconds when the file states one; see [`Clip::end_secs`].
    pub length_secs: Option<f64>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Clip {
    /// A clip without channels that starts at 0.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The start and the stated length, else the time of the last key (but not before the start).
    pub fn end_secs(&self) -> f64 {
        let last = self.channels.iter().filter_map(|c| c.curve.times_secs.last().copied());
        self.length_secs.map_or_else(|| last.fold(self.start_secs, f64::max), |length| self.start_secs + length)
    }

    /// Whether a layer is played: not muted, and soloed when any layer is.
    pub fn plays(&self, layer: usize) -> bool {
        let any_solo = self.layers.iter().any(|l| l.solo);
        self.layers.get(layer).is_none_or(|l| !l.muted && (l.solo || !any_solo))
    }
}

/// How a layer acts on the layers below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LayerBlend {
    /// Its values are added, times its weight.
    #[default]
    Additive,
    /// Its values replace what is below; the weight has no effect.
    Override,
    /// What is below goes towards its values by its weight.
    OverridePassthrough,
}

/// How a layer blends Euler rotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RotationBlend {
    /// As rotations: additive turns are appended (`below * layer`), passthrough goes along the great arc.
    #[default]
    ByLayer,
    /// As three numbers.
    ByChannel,
}

/// How a layer blends scales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScaleBlend {
    /// As factors: additive scales are multiplied, raised to the weight.
    #[default]
    Multiply,
    /// As numbers.
    Add,
}

/// A layer of a clip. The lowest one is played as it is; the fields of how it blends have no effect there.
///
/// The rules are those of the FBX SDK (`FbxAnimLayer`), as open readers apply them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClipLayer {
    /// Name; may be empty.
    pub name: String,
    /// How it acts on what is below.
    pub blend: LayerBlend,
    /// How it blends Euler rotations.
    pub rotations: RotationBlend,
    /// How it blends scales.
    pub scales: ScaleBlend,
    /// How much it acts, 0 to 1.
    pub weight: f64,
    /// The weight over time, of width 1; replaces [`ClipLayer::weight`] and is clamped to 0..=1.
    pub weight_curve: Option<Curve>,
    /// Not played.
    pub muted: bool,
    /// Only layers with this flag are played, when any has it.
    pub solo: bool,
}

impl ClipLayer {
    /// A layer of full weight.
    pub fn new(name: impl Into<String>, blend: LayerBlend) -> Self {
        Self { name: name.into(), blend, ..Self::default() }
    }
}

impl Default for ClipLayer {
    fn default() -> Self {
        Self {
            name: String::new(),
            blend: LayerBlend::default(),
            rotations: RotationBlend::default(),
            scales: ScaleBlend::default(),
            weight: 1.0,
            weight_curve: None,
            muted: false,
            solo: false,
        }
    }
}

/// What a curve moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// Local translation, width 3.
    Translation,
    /// Local rotation as a quaternion (x, y, z, w), width 4. On a node with pivots it is the rotation of the whole
    /// chain.
    Rotation,
    /// Local scale, width 3.
    Scale,
    /// The weights of all morph targets of the node's mesh, width = number of targets.
    MorphWeights,
}

impl Property {
    /// Floats per key; `None` when it depends on the mesh.
    pub fn width(self) -> Option<usize> {
        match self {
            Self::Translation | Self::Scale => Some(3),
            Self::Rotation => Some(4),
            Self::MorphWeights => None,
        }
    }
}

/// An element that has properties to move by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum ElementId {
    Node(NodeId),
    Camera(CameraId),
    Light(LightId),
    Material(MaterialId),
}

/// What a channel moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A property of a node as a whole.
    Node {
        /// The node.
        node: NodeId,
        /// The property.
        property: Property,
    },
    /// One number of a node's transform, width 1. The channels of one vector lie next to each other, so that layers
    /// blend them as one.
    Component {
        /// The node. Parts other than translation and scale need its [`crate::Pivots`].
        node: NodeId,
        /// The vector.
        part: TransformPart,
        /// 0 for X, 1 for Y, 2 for Z.
        axis: u8,
    },
    /// The weight of one morph target of the node's mesh, width 1.
    Morph {
        /// The node that shows the mesh.
        node: NodeId,
        /// Index of the target.
        target: u32,
    },
    /// Whether a node and what is below it is shown, width 1: not where the value lies below 0.5.
    Visibility {
        /// The node.
        node: NodeId,
    },
    /// A number or colour of a material.
    Material {
        /// The material.
        material: MaterialId,
        /// The property.
        property: MaterialProperty,
    },
    /// A number of a camera.
    Camera {
        /// The camera.
        camera: CameraId,
        /// The property.
        property: CameraProperty,
    },
    /// A number or the colour of a light.
    Light {
        /// The light.
        light: LightId,
        /// The property.
        property: LightProperty,
    },
    /// A property by the source's own name, for example `fbx.Intensity`, with a suffix such as `|X` for one component.
    Named {
        /// The element that has it.
        element: ElementId,
        /// The name.
        property: String,
    },
    /// Something the model has no word for, by the source's own path (for example a JSON pointer).
    Other(String),
}

impl Target {
    /// The node that moves, for targets on nodes.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node { node, .. }
            | Self::Component { node, .. }
            | Self::Morph { node, .. }
            | Self::Visibility { node }
            | Self::Named { element: ElementId::Node(node), .. } => Some(*node),
            Self::Material { .. } | Self::Camera { .. } | Self::Light { .. } | Self::Named { .. } | Self::Other(_) => {
                None
            }
        }
    }

    /// Whether it moves a node or its mesh's morphs, whole or a single number of them.
    pub fn is_of_pose(&self) -> bool {
        matches!(self, Self::Node { .. } | Self::Component { .. } | Self::Morph { .. })
    }

    /// The node whose translation, rotation, scale or pivots it moves.
    pub fn moved_node(&self) -> Option<NodeId> {
        match self {
            Self::Node { property: Property::MorphWeights, .. } => None,
            Self::Node { node, .. } | Self::Component { node, .. } => Some(*node),
            _ => None,
        }
    }

    /// Whether it is a length in the scene's unit.
    pub fn is_length(&self) -> bool {
        match self {
            Self::Node { property, .. } => *property == Property::Translation,
            Self::Component { part, .. } => part.is_length(),
            Self::Material { property, .. } => property.is_length(),
            Self::Camera { property, .. } => property.is_length(),
            Self::Light { property, .. } => property.is_length(),
            Self::Morph { .. } | Self::Visibility { .. } | Self::Named { .. } | Self::Other(_) => false,
        }
    }
}

/// A curve on a target.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Channel {
    /// What it moves.
    pub target: Target,
    /// Index into [`Clip::layers`]; 0 when the clip has none.
    pub layer: usize,
    /// How it moves.
    pub curve: Curve,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Channel {
    /// A channel on a node's property.
    pub fn new(node: NodeId, property: Property, curve: Curve) -> Self {
        Self::on(Target::Node { node, property }, curve)
    }

    /// A channel on any target, in the lowest layer.
    pub fn on(target: Target, curve: Curve) -> Self {
        Self { target, layer: 0, curve, extras: Extras::default() }
    }

    /// The node and its property as a whole; `None` for other targets.
    pub fn node_target(&self) -> Option<(NodeId, Property)> {
        match self.target {
            Target::Node { node, property } => Some((node, property)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interpolation;

    #[test]
    fn a_clip_ends_with_its_last_key_or_its_stated_length() {
        let mut clip = Clip::new("walk");
        assert_eq!(clip.end_secs(), 0.0);
        let curve = Curve::new(Interpolation::Step, 3, vec![0.0, 0.5], vec![0.0; 6]);
        clip.channels.push(Channel::new(NodeId::new(0), Property::Scale, curve));
        assert_eq!(clip.end_secs(), 0.5);
        clip.start_secs = 1.0;
        assert_eq!(clip.end_secs(), 1.0);
        clip.length_secs = Some(2.0);
        assert_eq!(clip.end_secs(), 3.0);
    }

    #[test]
    fn only_transforms_are_moved() {
        let node = NodeId::new(1);
        let moving = [
            Target::Node { node, property: Property::Translation },
            Target::Node { node, property: Property::Rotation },
            Target::Component { node, part: TransformPart::Translation, axis: 0 },
        ];
        assert!(moving.iter().all(|target| target.moved_node() == Some(node)));
        let others = [
            Target::Node { node, property: Property::MorphWeights },
            Target::Morph { node, target: 0 },
            Target::Visibility { node },
            Target::Named { element: ElementId::Node(node), property: "a".to_owned() },
        ];
        assert!(others.iter().all(|target| target.moved_node().is_none() && target.node() == Some(node)));
        let mut scene = crate::Scene::default();
        let mut clip = Clip::new("walk");
        let channel = |target: &Target| Channel::on(target.clone(), Curve::new(Interpolation::Step, 1, vec![], vec![]));
        clip.channels = others.iter().chain(&moving[2..]).map(channel).collect();
        scene.clips.push(clip);
        assert_eq!(scene.moved_nodes().into_iter().collect::<Vec<_>>(), [node]);
    }

    #[test]
    fn a_soloed_layer_silences_the_others() {
        let mut clip = Clip::new("walk");
        assert!(clip.plays(0));
        clip.layers = vec![ClipLayer::default(); 3];
        clip.layers[0].muted = true;
        assert_eq!([0, 1, 2].map(|l| clip.plays(l)), [false, true, true]);
        clip.layers[2].solo = true;
        assert_eq!([0, 1, 2].map(|l| clip.plays(l)), [false, false, true]);
    }
}
