//! Spring bones: chains that swing behind what moves them, and what keeps them out of a body. The terms are those of
//! `VRMC_springBone` 1.0 and `VRMC_springBone_extended_collider` 1.0.

use crate::{Extras, NodeId};
use glam::DVec3;

/// On which side of its surface a collider keeps joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColliderSide {
    /// Joints stay outside.
    #[default]
    Outside,
    /// Joints stay inside.
    Inside,
}

/// The form of a collider, in the space of its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColliderShape {
    /// A sphere.
    Sphere {
        /// Its centre.
        offset: DVec3,
        /// Its radius in the scene's unit; the node's scale does not change it.
        radius: f64,
        /// Where joints stay.
        side: ColliderSide,
    },
    /// All points that are near a line.
    Capsule {
        /// One end of the line.
        offset: DVec3,
        /// The other end.
        tail: DVec3,
        /// Distance from the line, in the scene's unit; the node's scale does not change it.
        radius: f64,
        /// Where joints stay.
        side: ColliderSide,
    },
    /// Joints stay on the side that the normal points to.
    Plane {
        /// A point of the plane.
        offset: DVec3,
        /// Its normal, of any length but 0.
        normal: DVec3,
    },
}

/// Something that joints of springs do not pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Collider {
    /// The node that carries it.
    pub node: NodeId,
    /// Its form.
    pub shape: ColliderShape,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Collider {
    /// A collider on a node.
    pub fn new(node: NodeId, shape: ColliderShape) -> Self {
        Self { node, shape, extras: Extras::default() }
    }
}

/// Colliders that springs name together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ColliderGroup {
    /// Name; may be empty.
    pub name: String,
    /// Indexes in [`crate::Rig::colliders`].
    pub colliders: Vec<u32>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl ColliderGroup {
    /// A group.
    pub fn new(name: impl Into<String>, colliders: Vec<u32>) -> Self {
        Self { name: name.into(), colliders, extras: Extras::default() }
    }
}

/// A joint of a spring. It turns so that the next joint of the spring, its tail, swings; the last one is a tail only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SpringJoint {
    /// The node that turns.
    pub node: NodeId,
    /// Radius of the tail where it meets colliders, in the scene's unit.
    pub hit_radius: f64,
    /// How fast the tail goes back to its rest direction, in the scene's unit per second.
    pub stiffness: f64,
    /// How fast the tail falls, in the scene's unit per second.
    pub gravity_power: f64,
    /// Where it falls to, in scene space; a unit vector.
    pub gravity_dir: DVec3,
    /// Share of the tail's speed that is lost in a step, 0 to 1.
    pub drag: f64,
    /// What the model has no word for.
    pub extras: Extras,
}

impl SpringJoint {
    /// A joint with the defaults of the specification: stiffness 1, drag 0.5, no gravity, no radius.
    pub fn new(node: NodeId) -> Self {
        Self {
            node,
            hit_radius: 0.0,
            stiffness: 1.0,
            gravity_power: 0.0,
            gravity_dir: DVec3::NEG_Y,
            drag: 0.5,
            extras: Extras::default(),
        }
    }
}

/// A chain that swings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spring {
    /// Name; may be empty.
    pub name: String,
    /// The joints from the root on. After validation each lies below the one before.
    pub joints: Vec<SpringJoint>,
    /// Indexes in [`crate::Rig::collider_groups`].
    pub collider_groups: Vec<u32>,
    /// The node whose movement does not make the chain swing; `None` is the scene.
    pub center: Option<NodeId>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Spring {
    /// A chain without colliders.
    pub fn new(name: impl Into<String>, joints: Vec<SpringJoint>) -> Self {
        Self { name: name.into(), joints, ..Self::default() }
    }
}
