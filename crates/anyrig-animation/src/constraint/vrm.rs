//! `VRMC_node_constraint` 1.0: rotations of the node in its own frame, from its rest.

use super::Act;
use crate::rotation::{arc, slerp, unit_or};
use anyrig_scene::{Axis, NodeId, Trs};
use glam::DQuat;

impl Act<'_, '_, '_> {
    /// The source's turn, without what leads the axis elsewhere: what remains is the turn about the axis.
    pub(super) fn roll(&mut self, source: NodeId, axis: Axis) {
        let rest = self.rest(self.node).rotation;
        let of_source = self.rest(source).rotation;
        // How the source turned, in the frame of both parents, and then in the node's own.
        let turn = self.local(source).rotation * of_source.conjugate();
        let turn = rest.conjugate() * turn * rest;
        let axis = axis.to_vector();
        let swing = arc(axis, (turn * axis).normalize_or(axis));
        self.turn_from_rest(rest * swing.conjugate() * turn);
    }

    /// The least turn in the scene that brings the axis from its rest to the source.
    pub(super) fn aim(&mut self, source: NodeId, axis: Axis) {
        let rest = self.rest(self.node).rotation;
        let parent = self.parent_rotation();
        let here = self.place_of_node();
        let Some(to) = (self.place(source) - here).try_normalize() else { return };
        let from = parent * rest * axis.to_vector();
        self.turn_from_rest(parent.conjugate() * arc(from.normalize_or(to), to) * parent * rest);
    }

    /// The source's turn in its own frame.
    pub(super) fn rotation(&mut self, source: NodeId) {
        let turn = self.rest(source).rotation.conjugate() * self.local(source).rotation;
        self.turn_from_rest(self.rest(self.node).rotation * turn);
    }

    /// Sets the rotation between the one at rest and this one.
    fn turn_from_rest(&mut self, wanted: DQuat) {
        let rest = self.rest(self.node).rotation;
        let wanted = unit_or(wanted, rest);
        let rotation = if self.weight < 1.0 { slerp(rest, wanted, self.weight) } else { wanted };
        self.set(Trs { rotation, ..self.local(self.node) });
    }
}
