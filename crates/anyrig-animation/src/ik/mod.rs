//! Links that turn so that an effector comes to its goal.

mod ccd;
mod limits;
mod positions;
#[cfg(test)]
mod tests;

use crate::Pose;
use crate::places::Places;
use crate::rotation::{arc, slerp, unit_or};
use anyrig_scene::{IkChain, IkMethod, NodeId, Trs};
use glam::{DQuat, DVec3};

/// How near an effector comes to its goal, as a share of the chain's length. It is what MMD's bound, 1e-4 of its units,
/// is for a leg.
const TOLERANCE: f64 = 1e-5;
/// No chain goes on for longer, whatever it states; the limit of MMD.
pub(crate) const MOST_ITERATIONS: u32 = 256;

/// A chain in a pose that it turns.
pub(crate) struct Reach<'c, 'p, 's> {
    pub(crate) chain: &'c IkChain,
    pub(crate) pose: &'p mut Pose,
    pub(crate) places: &'p mut Places<'s>,
    /// The pose at rest, which limits are measured from.
    pub(crate) rest: &'c Pose,
}

impl Reach<'_, '_, '_> {
    /// Turns the links of the chain in its way, and takes back what its weight leaves out. Where something is not finite
    /// the links stay as they were.
    pub(crate) fn solve(&mut self) {
        let goal = self.place(self.chain.goal);
        let before: Vec<DQuat> = self.chain.links.iter().map(|l| self.local(l.node).rotation).collect();
        let iterations = self.chain.iterations.min(MOST_ITERATIONS);
        match self.chain.method {
            IkMethod::TwoBone { pole } if self.chain.links.len() == 2 => self.two_bone(goal, pole),
            IkMethod::Ccd | IkMethod::TwoBone { .. } => ccd::solve(self, goal, iterations),
            IkMethod::Fabrik => self.fabrik(goal, iterations),
        }
        let weight = self.chain.weight.clamp(0.0, 1.0);
        for (link, before) in self.chain.links.iter().zip(before) {
            let after = self.local(link.node).rotation;
            let rotation = if weight < 1.0 { slerp(before, after, weight) } else { after };
            self.set_rotation(link.node, if rotation.is_finite() { rotation } else { before });
        }
    }

    /// The joints from the root to the effector.
    fn joints(&mut self) -> Vec<DVec3> {
        let links: Vec<NodeId> = self.chain.links.iter().rev().map(|l| l.node).collect();
        links.into_iter().chain([self.chain.effector]).map(|node| self.place(node)).collect()
    }

    fn length(&mut self) -> f64 {
        self.joints().windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    fn two_bone(&mut self, goal: DVec3, pole: Option<NodeId>) {
        let [root, middle, end] = self.joints()[..] else { return };
        // Without a pole the chain bends where it is bent.
        let pole = pole.map_or(middle, |node| self.place(node));
        let found = positions::two_bone([root, middle, end], goal, pole);
        self.turn_to(&[root, found.middle, found.end]);
    }

    fn fabrik(&mut self, goal: DVec3, iterations: u32) {
        let mut joints = self.joints();
        let tolerance = self.length() * TOLERANCE;
        positions::fabrik(&mut joints, goal, iterations, tolerance);
        self.turn_to(&joints);
    }

    /// Turns every link from the root on so that the next joint lies in the direction of its place, by the shortest way:
    /// none turns about itself.
    fn turn_to(&mut self, joints: &[DVec3]) {
        let links: Vec<NodeId> = self.chain.links.iter().rev().map(|l| l.node).collect();
        let next: Vec<NodeId> = links.iter().skip(1).copied().chain([self.chain.effector]).collect();
        for (i, (link, next)) in links.iter().zip(next).enumerate() {
            let Some(wanted) = joints.get(i + 1) else { break };
            let (here, there) = (self.place(*link), self.place(next));
            let Some((from, to)) = (there - here).try_normalize().zip((*wanted - here).try_normalize()) else {
                continue;
            };
            self.turn_in_scene(*link, arc(from, to));
        }
    }

    /// Turns a node by a rotation in scene space.
    fn turn_in_scene(&mut self, node: NodeId, turn: DQuat) {
        let parent = self.parent_rotation(node);
        let local = self.local(node).rotation;
        let turned = parent.conjugate() * turn * parent * local;
        self.set_rotation(node, unit_or(turned, local));
    }

    fn place(&mut self, node: NodeId) -> DVec3 {
        self.places.world(self.pose, node).translation
    }

    /// `scene_from_parent` without scale.
    fn parent_rotation(&mut self, node: NodeId) -> DQuat {
        let frame = self.places.frame(self.pose, node).world(Trs::IDENTITY);
        Trs::nearest_to_affine(frame).rotation
    }

    fn local(&self, node: NodeId) -> Trs {
        self.pose.local(node).to_trs()
    }

    fn set_rotation(&mut self, node: NodeId, rotation: DQuat) {
        if let Some(trs) = self.pose.trs_mut(node) {
            trs.rotation = rotation;
        }
        self.places.changed(node);
    }
}
