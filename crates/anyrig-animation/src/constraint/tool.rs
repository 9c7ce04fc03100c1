//! Constraints of authoring tools, by the terms of FBX: places and rotations in the scene, brought back to the node's
//! parent.

use super::Act;
use crate::rotation::{arc, slerp, unit_or};
use anyrig_scene::{ConstraintSource, LookAt, Trs, WorldUp};
use glam::{DMat3, DQuat, DVec3};

impl Act<'_, '_, '_> {
    pub(super) fn parent(&mut self, sources: &[ConstraintSource]) {
        let Some(shares) = shares(sources) else { return };
        let (mut place, mut blend) = (DVec3::ZERO, Blend::default());
        for (source, share) in sources.iter().zip(shares) {
            let world = self.world(source.node);
            place += world.transform_point3(source.offset.translation) * share;
            blend.add(Trs::nearest_to_affine(world).rotation * source.offset.rotation, share);
        }
        let own = self.local(self.node);
        let translation = self.in_parent(place).unwrap_or(own.translation);
        let rotation = self.turned_in_parent(blend.rotation);
        self.towards(Trs { translation, rotation, ..own });
    }

    pub(super) fn position(&mut self, sources: &[ConstraintSource], offset: DVec3, axes: [bool; 3]) {
        let Some(place) = self.mean_place(sources) else { return };
        let own = self.local(self.node);
        let Some(wanted) = self.in_parent(place + offset) else { return };
        self.towards(Trs { translation: chosen(axes, wanted, own.translation), ..own });
    }

    pub(super) fn orientation(&mut self, sources: &[ConstraintSource], offset: DQuat) {
        let Some(shares) = shares(sources) else { return };
        let mut blend = Blend::default();
        for (source, share) in sources.iter().zip(shares) {
            let rotation = Trs::nearest_to_affine(self.world(source.node)).rotation;
            blend.add(rotation * offset, share);
        }
        let rotation = self.turned_in_parent(blend.rotation);
        self.towards(Trs { rotation, ..self.local(self.node) });
    }

    pub(super) fn scale(&mut self, sources: &[ConstraintSource], offset: DVec3, axes: [bool; 3]) {
        let Some(shares) = shares(sources) else { return };
        let mean: DVec3 = sources.iter().zip(shares).map(|(s, share)| self.local(s.node).scale * share).sum();
        let own = self.local(self.node);
        self.towards(Trs { scale: chosen(axes, mean * offset, own.scale), ..own });
    }

    pub(super) fn look_at(&mut self, look: &LookAt) {
        let here = self.place_of_node();
        let Some(to) = self.mean_place(&look.sources).and_then(|place| (place - here).try_normalize()) else { return };
        let Some(aim) = look.aim.try_normalize() else { return };
        let up = self.up(look.world_up, here);
        let turned = up.and_then(|up| Some(basis(to, up)? * basis(aim, look.up)?.transpose()));
        let rotation = turned.map_or_else(
            || {
                let rest = self.parent_rotation() * self.rest(self.node).rotation;
                arc((rest * aim).normalize_or(to), to) * rest
            },
            |turned| DQuat::from_mat3(&turned),
        );
        let wanted = self.turned_in_parent(rotation * look.offset);
        self.towards(Trs { rotation: wanted, ..self.local(self.node) });
    }

    fn up(&mut self, up: WorldUp, here: DVec3) -> Option<DVec3> {
        match up {
            WorldUp::None => None,
            WorldUp::Scene(direction) => Some(direction),
            WorldUp::Node(node) => Some(self.place(node) - here),
            WorldUp::NodeDirection { node, direction } => Some(self.world(node).transform_vector3(direction)),
        }
    }

    fn mean_place(&mut self, sources: &[ConstraintSource]) -> Option<DVec3> {
        let shares = shares(sources)?;
        Some(sources.iter().zip(shares).map(|(source, share)| self.place(source.node) * share).sum())
    }

    fn turned_in_parent(&mut self, rotation: DQuat) -> DQuat {
        unit_or(self.parent_rotation().conjugate() * rotation, self.local(self.node).rotation)
    }

    /// Sets the node between where it is and there, by the constraint's weight.
    fn towards(&mut self, wanted: Trs) {
        if self.weight >= 1.0 {
            return self.set(wanted);
        }
        let own = self.local(self.node);
        let between = |a: DVec3, b: DVec3| a + (b - a) * self.weight;
        let (translation, scale) = (between(own.translation, wanted.translation), between(own.scale, wanted.scale));
        self.set(Trs { translation, scale, rotation: slerp(own.rotation, wanted.rotation, self.weight) });
    }
}

/// The weights as shares of their sum; `None` where there is nothing to share.
fn shares(sources: &[ConstraintSource]) -> Option<impl Iterator<Item = f64> + '_> {
    let weight = |source: &ConstraintSource| source.weight.max(0.0);
    let sum: f64 = sources.iter().map(weight).sum();
    (sum > 0.0 && sum.is_finite()).then(|| sources.iter().map(move |source| weight(source) / sum))
}

/// A mean of rotations, one after the other: each pulls what is there by its share of the shares so far.
#[derive(Default)]
struct Blend {
    rotation: DQuat,
    shares: f64,
}

impl Blend {
    fn add(&mut self, rotation: DQuat, share: f64) {
        self.shares += share;
        if share > 0.0 {
            self.rotation = slerp(self.rotation, rotation, share / self.shares);
        }
    }
}

fn chosen(axes: [bool; 3], new: DVec3, old: DVec3) -> DVec3 {
    let pick = |i: usize| if axes[i] { new[i] } else { old[i] };
    DVec3::new(pick(0), pick(1), pick(2))
}

/// Axes of which the first is `first` and the second lies as near to `second` as it can; `None` where that says nothing.
fn basis(first: DVec3, second: DVec3) -> Option<DMat3> {
    /// Sine of the angle below which a direction is too near to the other one to say where up is.
    const LEAST_SINE: f64 = 1e-9;
    let third = first.cross(second.try_normalize()?);
    let third = third.try_normalize().filter(|_| third.length() > LEAST_SINE)?;
    Some(DMat3::from_cols(first, third.cross(first), third))
}
