//! Transforms as authoring tools keep them: pivots, Euler angles, single numbers of them.

use super::geometry::Change;
use anyrig_scene::{Pivots, RotationOrder, TransformPart};
use glam::{DQuat, DVec3};

impl Change {
    /// The chain whose transform is `B M B⁻¹`. A turn about an axis becomes one about the axis that it is brought to, so
    /// that the angles stay what they are and their order follows the axes. The outer rotations have no order of their
    /// own; where axes change places they are the same rotations by other angles.
    pub(super) fn pivots(&self, pivots: &Pivots) -> Pivots {
        let mut changed = *pivots;
        for part in TransformPart::ALL {
            let old = pivots.part(part);
            *changed.part_mut(part) = match part {
                TransformPart::Scale => self.basis.scale(old),
                TransformPart::Rotation => self.basis.axial(old),
                TransformPart::PreRotation | TransformPart::PostRotation => self.outer_angles(old),
                _ => self.scaled(self.basis.vector(old)),
            };
        }
        if self.basis.permutes() {
            changed.rotation_order = self.order(pivots.rotation_order);
        }
        changed
    }

    /// To which axis a number of a chain goes, and what it is multiplied with. `None` where it has no single counterpart:
    /// an angle of the outer rotations where axes change places.
    pub(super) fn component(&self, part: TransformPart, axis: u8) -> Option<(u8, f64)> {
        let is_outer = matches!(part, TransformPart::PreRotation | TransformPart::PostRotation);
        if is_outer && self.basis.permutes() {
            return None;
        }
        let mut unit = DVec3::ZERO;
        *unit.as_mut().get_mut(usize::from(axis))? = 1.0;
        let moved = match part {
            TransformPart::Scale => self.basis.scale(unit),
            _ if part.is_angle() => self.basis.axial(unit),
            _ => self.scaled(self.basis.vector(unit)),
        };
        let place = moved.to_array().iter().position(|v| *v != 0.0)?;
        Some((place as u8, moved[place]))
    }

    fn outer_angles(&self, angles_deg: DVec3) -> DVec3 {
        if !self.basis.permutes() || angles_deg == DVec3::ZERO {
            return self.basis.axial(angles_deg);
        }
        let [x, y, z, w] = RotationOrder::Xyz.to_quat(angles_deg).to_array();
        let axis = self.basis.axial(DVec3::new(x, y, z));
        RotationOrder::Xyz.to_angles_deg(DQuat::from_xyzw(axis.x, axis.y, axis.z, w))
    }

    pub(super) fn order(&self, order: RotationOrder) -> RotationOrder {
        let mut places = [0; 3];
        for (place, axis) in self.basis.from().into_iter().enumerate() {
            places[axis] = place;
        }
        match order.axes().map(|axis| places[axis]) {
            [0, 2, 1] => RotationOrder::Xzy,
            [1, 2, 0] => RotationOrder::Yzx,
            [1, 0, 2] => RotationOrder::Yxz,
            [2, 0, 1] => RotationOrder::Zxy,
            [2, 1, 0] => RotationOrder::Zyx,
            _ => RotationOrder::Xyz,
        }
    }
}
