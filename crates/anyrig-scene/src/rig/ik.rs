//! Chains that reach for a goal.

use crate::{Extras, NodeId, RotationOrder};
use glam::DVec3;

/// How far a link may turn from its rest rotation, by Euler angles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AngleLimits {
    /// Smallest angle about X, Y and Z, in radians.
    pub low_rad: DVec3,
    /// Largest angle about X, Y and Z, in radians.
    pub high_rad: DVec3,
    /// The order in which the angles turn.
    pub order: RotationOrder,
}

impl AngleLimits {
    /// Limits in an order.
    pub fn new(low_rad: DVec3, high_rad: DVec3, order: RotationOrder) -> Self {
        Self { low_rad, high_rad, order }
    }
}

/// A node that an IK chain turns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IkLink {
    /// The node.
    pub node: NodeId,
    /// How far it may turn; `None` is freely. Only [`IkMethod::Ccd`] keeps to them.
    pub limits: Option<AngleLimits>,
}

impl IkLink {
    /// A link without limits.
    pub fn new(node: NodeId) -> Self {
        Self { node, limits: None }
    }
}

/// How a chain finds its angles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum IkMethod {
    /// One link after the other turns the effector towards the goal, as MMD does it.
    #[default]
    Ccd,
    /// In closed form, for two links.
    TwoBone {
        /// The node that the middle joint points to; `None` keeps the plane that the chain bends in.
        pole: Option<NodeId>,
    },
    /// Forward and backward reaching (Aristidou and Lasenby, 2011).
    Fabrik,
}

/// Links that turn so that an effector comes to a goal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IkChain {
    /// The node whose place is reached for.
    pub goal: NodeId,
    /// The node that shall come there. It lies below all links.
    pub effector: NodeId,
    /// The links from the effector's parent upwards. After validation each lies above the one before.
    pub links: Vec<IkLink>,
    /// How the angles are found.
    pub method: IkMethod,
    /// Largest number of iterations.
    pub iterations: u32,
    /// The first link's largest turn in an iteration in radians, for [`IkMethod::Ccd`]; the second link turns twice as
    /// far at most, and so on.
    pub max_turn_rad: f64,
    /// How far the links go from the pose without the chain to the one that reaches the goal, 0 to 1.
    pub weight: f64,
    /// What the model has no word for.
    pub extras: Extras,
}

impl IkChain {
    /// A chain of at most 40 iterations, half a circle each.
    pub fn new(goal: NodeId, effector: NodeId, links: Vec<IkLink>) -> Self {
        Self {
            goal,
            effector,
            links,
            method: IkMethod::default(),
            iterations: 40,
            max_turn_rad: std::f64::consts::PI,
            weight: 1.0,
            extras: Extras::default(),
        }
    }

    /// Changes the nodes; false when one that it needs goes.
    pub(super) fn map_nodes(&mut self, new: &mut impl FnMut(NodeId) -> Option<NodeId>) -> bool {
        if let IkMethod::TwoBone { pole } = &mut self.method {
            *pole = pole.and_then(&mut *new);
        }
        let ends = super::replace(&mut self.goal, new) && super::replace(&mut self.effector, new);
        ends && self.links.iter_mut().all(|link| super::replace(&mut link.node, new))
    }

    /// Goal, effector, links and pole.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let pole = if let IkMethod::TwoBone { pole } = self.method { pole } else { None };
        [self.goal, self.effector].into_iter().chain(self.links.iter().map(|l| l.node)).chain(pole)
    }
}
