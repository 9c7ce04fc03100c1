//! What a node takes over from another one beside what it does itself (MMD: append).

use super::Act;
use crate::rotation::{slerp, unit_or};
use anyrig_scene::{AppendFrom, NodeId, Trs};
use glam::{DQuat, DVec3};

impl Act<'_, '_, '_> {
    /// Rotations are appended in the frame that a node has at rest, which is the same for all nodes in MMD. A source that
    /// appends itself passes on all that it did.
    pub(super) fn append(&mut self, source: NodeId, shares: (f64, f64), from: AppendFrom) {
        let (turn, shift) = match from {
            AppendFrom::Local => self.own_change(source),
            AppendFrom::Scene => self.change_in_scene(source),
        };
        let (of_turn, of_shift) = (shares.0 * self.weight, shares.1 * self.weight);
        let own = self.local(self.node);
        let rotation = unit_or(own.rotation * slerp(DQuat::IDENTITY, turn, of_turn), own.rotation);
        self.set(Trs { rotation, translation: own.translation + shift * of_shift, ..own });
    }

    /// What a node did against its rest, in its own frame and that of its parent.
    fn own_change(&self, node: NodeId) -> (DQuat, DVec3) {
        let (rest, now) = (self.rest(node), self.local(node));
        (rest.rotation.conjugate() * now.rotation, now.translation - rest.translation)
    }

    fn change_in_scene(&mut self, node: NodeId) -> (DQuat, DVec3) {
        let rest = Trs::nearest_to_affine(self.rest_world(node));
        let now = Trs::nearest_to_affine(self.world(node));
        (rest.rotation.conjugate() * now.rotation, now.translation - rest.translation)
    }
}
