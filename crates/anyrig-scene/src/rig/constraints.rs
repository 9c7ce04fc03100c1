//! Rules that tie one node's transform to others.

use crate::{Axis, Extras, NodeId, Trs};
use glam::{DQuat, DVec3};

/// A node that a constraint follows, among others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConstraintSource {
    /// The node.
    pub node: NodeId,
    /// Its share, against the sum of all shares; not negative.
    pub weight: f64,
    /// `source_from_node`, which a parent constraint keeps; the others do not use it, and nothing uses its scale.
    pub offset: Trs,
}

impl ConstraintSource {
    /// A source of weight 1 without an offset.
    pub fn new(node: NodeId) -> Self {
        Self { node, weight: 1.0, offset: Trs::IDENTITY }
    }
}

/// Which way an aimed node turns about its aim.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WorldUp {
    /// The up vector points up in the scene, along this direction.
    Scene(DVec3),
    /// It points to a node.
    Node(NodeId),
    /// It points along a direction of a node.
    NodeDirection {
        /// The node.
        node: NodeId,
        /// The direction in its space.
        direction: DVec3,
    },
    /// The node turns as little as it can from its rest.
    #[default]
    None,
}

/// What a [`ConstraintKind::LookAt`] holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LookAt {
    /// What is looked at: the weighted mean of their places.
    pub sources: Vec<ConstraintSource>,
    /// The direction of the node that points to it; not 0.
    pub aim: DVec3,
    /// The direction of the node that points up.
    pub up: DVec3,
    /// Where up is.
    pub world_up: WorldUp,
    /// A turn in the node's own frame, after the aim.
    pub offset: DQuat,
}

impl LookAt {
    /// Looks along +X at sources, without an up direction.
    pub fn new(sources: Vec<ConstraintSource>) -> Self {
        Self { sources, aim: DVec3::X, up: DVec3::Y, world_up: WorldUp::None, offset: DQuat::IDENTITY }
    }
}

/// Which of a source's turns and shifts an [`ConstraintKind::Append`] takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AppendFrom {
    /// Those against its own rest, in its parent's frame: what clips, constraints and IK chains did to it.
    #[default]
    Local,
    /// Those against its rest in the scene, with what everything above it did.
    Scene,
}

/// What a constraint does. *Rest* is the pose that the scene's nodes hold by themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// Takes over how far a source turned about one axis (`VRMC_node_constraint` 1.0, roll).
    Roll {
        /// The source.
        source: NodeId,
        /// The axis in the node's own frame; its sign has no effect.
        axis: Axis,
    },
    /// Turns an axis to a source by the shortest way from rest (`VRMC_node_constraint` 1.0, aim).
    Aim {
        /// The source.
        source: NodeId,
        /// The axis in the node's own frame.
        axis: Axis,
    },
    /// Takes over how a source turned from rest, in its own frame (`VRMC_node_constraint` 1.0, rotation).
    Rotation {
        /// The source.
        source: NodeId,
    },
    /// Adds shares of what a source turned and moved to what the node does itself (MMD: append, or inherit). Shares may
    /// be negative or more than 1.
    Append {
        /// The source.
        source: NodeId,
        /// Share of the rotation; 0 appends none.
        rotation: f64,
        /// Share of the translation; 0 appends none.
        translation: f64,
        /// What is taken over.
        from: AppendFrom,
    },
    /// Stands and turns as if it hung from its sources, as their offsets say (FBX: parent constraint). Places are weighted
    /// means, rotations are blended one after the other along the shorter arc.
    Parent {
        /// The sources.
        sources: Vec<ConstraintSource>,
    },
    /// Stands at the mean of its sources (FBX: position constraint).
    Position {
        /// The sources.
        sources: Vec<ConstraintSource>,
        /// Added to the mean, in scene space and unit.
        offset: DVec3,
        /// Which of X, Y, Z of the node's translation is moved.
        axes: [bool; 3],
    },
    /// Turns as its sources stand in the scene (FBX: rotation constraint).
    Orientation {
        /// The sources.
        sources: Vec<ConstraintSource>,
        /// Applied before the mean, in the node's own frame.
        offset: DQuat,
    },
    /// Scales as its sources do in their own frames (FBX: scale constraint).
    Scale {
        /// The sources.
        sources: Vec<ConstraintSource>,
        /// Multiplied with the mean.
        offset: DVec3,
        /// Which of X, Y, Z is scaled.
        axes: [bool; 3],
    },
    /// Looks at its sources, with a direction that points up (FBX: aim constraint).
    LookAt(Box<LookAt>),
}

impl ConstraintKind {
    /// The nodes that it reads.
    pub fn sources(&self) -> Vec<NodeId> {
        let of = |sources: &[ConstraintSource]| sources.iter().map(|s| s.node).collect();
        match self {
            Self::Roll { source, .. }
            | Self::Aim { source, .. }
            | Self::Rotation { source }
            | Self::Append { source, .. } => {
                vec![*source]
            }
            Self::Parent { sources }
            | Self::Position { sources, .. }
            | Self::Orientation { sources, .. }
            | Self::Scale { sources, .. } => of(sources),
            Self::LookAt(look) => {
                let mut nodes: Vec<NodeId> = of(&look.sources);
                nodes.extend(look.world_up.node());
                nodes
            }
        }
    }

    /// Whether `VRMC_node_constraint` 1.0 has a word for it.
    pub fn is_of_vrm(&self) -> bool {
        matches!(self, Self::Roll { .. } | Self::Aim { .. } | Self::Rotation { .. })
    }

    /// Changes the nodes that it reads; false when none is left.
    pub(super) fn map_nodes(&mut self, new: &mut impl FnMut(NodeId) -> Option<NodeId>) -> bool {
        match self {
            Self::Roll { source, .. }
            | Self::Aim { source, .. }
            | Self::Rotation { source }
            | Self::Append { source, .. } => super::replace(source, new),
            Self::Parent { sources }
            | Self::Position { sources, .. }
            | Self::Orientation { sources, .. }
            | Self::Scale { sources, .. } => map_sources(sources, new),
            Self::LookAt(look) => {
                let up = look.world_up.map(new);
                look.world_up = up;
                map_sources(&mut look.sources, new)
            }
        }
    }
}

fn map_sources(sources: &mut Vec<ConstraintSource>, new: &mut impl FnMut(NodeId) -> Option<NodeId>) -> bool {
    sources.retain_mut(|source| super::replace(&mut source.node, new));
    !sources.is_empty()
}

impl WorldUp {
    fn node(self) -> Option<NodeId> {
        match self {
            Self::Node(node) | Self::NodeDirection { node, .. } => Some(node),
            Self::Scene(_) | Self::None => None,
        }
    }

    /// The same with other nodes; none where the node goes.
    fn map(self, new: &mut impl FnMut(NodeId) -> Option<NodeId>) -> Self {
        match self {
            Self::Node(node) => new(node).map_or(Self::None, Self::Node),
            Self::NodeDirection { node, direction } => {
                new(node).map_or(Self::None, |node| Self::NodeDirection { node, direction })
            }
            Self::Scene(_) | Self::None => self,
        }
    }
}

/// A rule that moves a node after the clips have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Constraint {
    /// The node that it moves.
    pub node: NodeId,
    /// What it does.
    pub kind: ConstraintKind,
    /// How far the node goes to where the constraint wants it, 0 to 1: those of VRM from its rest, the others from where
    /// it would be without.
    pub weight: f64,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Constraint {
    /// A constraint of full weight.
    pub fn new(node: NodeId, kind: ConstraintKind) -> Self {
        Self { node, kind, weight: 1.0, extras: Extras::default() }
    }
}
