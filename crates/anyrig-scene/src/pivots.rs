//! Transforms as authoring tools keep them: Euler angles in an order, pivots and offsets, ways to inherit scale.

use crate::{LocalTransform, Trs};
use anyrig_bytes::maths::f64 as maths;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// The order in which the angles about the three axes are applied: in `Xyz` the turn about X comes first, so that the
/// matrix for column vectors is `Rz * Ry * Rx`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RotationOrder {
    #[default]
    Xyz,
    Xzy,
    Yzx,
    Yxz,
    Zxy,
    Zyx,
    /// FBX's "spheric XYZ". No public description exists; like all known readers this takes it as [`Self::Xyz`].
    SphericXyz,
}

impl RotationOrder {
    /// The axes (0 to 2) in the order in which they are applied.
    pub fn axes(self) -> [usize; 3] {
        match self {
            Self::Xyz | Self::SphericXyz => [0, 1, 2],
            Self::Xzy => [0, 2, 1],
            Self::Yzx => [1, 2, 0],
            Self::Yxz => [1, 0, 2],
            Self::Zxy => [2, 0, 1],
            Self::Zyx => [2, 1, 0],
        }
    }

    /// The rotation of three angles in degrees about X, Y and Z.
    pub fn to_quat(self, angles_deg: DVec3) -> DQuat {
        let angles = angles_deg.to_array();
        self.axes().into_iter().fold(DQuat::IDENTITY, |rotation, axis| {
            let (sin, cos) = maths::sin_cos(angles[axis].to_radians() * 0.5);
            let mut turn = [0.0, 0.0, 0.0, cos];
            turn[axis] = sin;
            DQuat::from_array(turn) * rotation
        })
    }

    /// Angles in degrees about X, Y and Z that give a rotation; the middle one lies between -90 and 90. Where two axes
    /// coincide the last angle is 0.
    pub fn to_angles_deg(self, rotation: DQuat) -> DVec3 {
        let [i, j, k] = self.axes();
        let m = DMat3::from_quat(rotation).to_cols_array_2d();
        let at = |row: usize, column: usize| m[column][row];
        // 1 for the orders that are a cyclic shift of XYZ, -1 for the others.
        let parity = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let sine = (-parity * at(k, i)).clamp(-1.0, 1.0);
        let cosine = (at(i, i) * at(i, i) + at(j, i) * at(j, i)).sqrt();
        let mut angles = [0.0; 3];
        angles[j] = maths::atan2(sine, cosine);
        if cosine > GIMBAL_COSINE {
            angles[i] = maths::atan2(parity * at(k, j), at(k, k));
            angles[k] = maths::atan2(parity * at(j, i), at(i, i));
        } else {
            angles[i] = maths::atan2(-parity * at(j, k), at(j, j));
        }
        DVec3::from_array(angles.map(f64::to_degrees))
    }
}

/// Below this cosine of the middle angle the outer axes count as the same one.
const GIMBAL_COSINE: f64 = 1e-9;

/// One of the vectors of [`Pivots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum TransformPart {
    Translation,
    RotationOffset,
    RotationPivot,
    /// In degrees.
    PreRotation,
    /// In degrees.
    Rotation,
    /// In degrees.
    PostRotation,
    ScalingOffset,
    ScalingPivot,
    Scale,
}

impl TransformPart {
    /// All parts, in the order in which they are multiplied.
    pub const ALL: [Self; 9] = [
        Self::Translation,
        Self::RotationOffset,
        Self::RotationPivot,
        Self::PreRotation,
        Self::Rotation,
        Self::PostRotation,
        Self::ScalingOffset,
        Self::ScalingPivot,
        Self::Scale,
    ];

    /// True for lengths in space, false for angles and factors.
    pub fn is_length(self) -> bool {
        !self.is_angle() && self != Self::Scale
    }

    /// True for Euler angles in degrees.
    pub fn is_angle(self) -> bool {
        matches!(self, Self::PreRotation | Self::Rotation | Self::PostRotation)
    }
}

/// A local transform with pivots and Euler angles, as FBX, Maya and (without pivots) BVH have it.
///
/// For column vectors, with `Ro` and `Rp` the rotation offset and pivot, `So` and `Sp` those of scaling:
///
/// ```text
/// parent_from_node = T · Ro · Rp · pre · R · post⁻¹ · Rp⁻¹ · So · Sp · S · Sp⁻¹
/// ```
///
/// The outer rotations are always in XYZ order (Autodesk FBX SDK, "Computing transformation matrices").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pivots {
    /// In the scene's unit.
    pub translation: DVec3,
    /// Moves the centre of rotation and the node with it.
    pub rotation_offset: DVec3,
    /// Centre of rotation.
    pub rotation_pivot: DVec3,
    /// Angles in degrees, XYZ order.
    pub pre_rotation_deg: DVec3,
    /// Angles in degrees, in [`Pivots::rotation_order`]. More than a full turn is kept.
    pub rotation_deg: DVec3,
    /// Order of [`Pivots::rotation_deg`].
    pub rotation_order: RotationOrder,
    /// Angles in degrees, XYZ order; the inverse rotation is applied.
    pub post_rotation_deg: DVec3,
    /// Moves the centre of scaling and the node with it.
    pub scaling_offset: DVec3,
    /// Centre of scaling.
    pub scaling_pivot: DVec3,
    /// Factor per axis; may be negative.
    pub scale: DVec3,
}

impl Pivots {
    /// No change.
    pub const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation_offset: DVec3::ZERO,
        rotation_pivot: DVec3::ZERO,
        pre_rotation_deg: DVec3::ZERO,
        rotation_deg: DVec3::ZERO,
        rotation_order: RotationOrder::Xyz,
        post_rotation_deg: DVec3::ZERO,
        scaling_offset: DVec3::ZERO,
        scaling_pivot: DVec3::ZERO,
        scale: DVec3::ONE,
    };

    /// The same transform with XYZ Euler angles and no pivots.
    pub fn from_trs(trs: Trs) -> Self {
        Self {
            translation: trs.translation,
            rotation_deg: RotationOrder::Xyz.to_angles_deg(trs.rotation),
            scale: trs.scale,
            ..Self::IDENTITY
        }
    }

    /// The rotation of the whole: `pre · R · post⁻¹`.
    pub fn rotation(&self) -> DQuat {
        let turn = |order: RotationOrder, deg: DVec3| {
            if deg == DVec3::ZERO { DQuat::IDENTITY } else { order.to_quat(deg) }
        };
        let (pre, post) =
            (turn(RotationOrder::Xyz, self.pre_rotation_deg), turn(RotationOrder::Xyz, self.post_rotation_deg));
        let rotation = pre * turn(self.rotation_order, self.rotation_deg) * post.conjugate();
        let length = rotation.length();
        if length > 0.0 && length.is_finite() { rotation / length } else { DQuat::IDENTITY }
    }

    /// Sets the Euler angles so that [`Pivots::rotation`] is the given one.
    pub fn set_rotation(&mut self, rotation: DQuat) {
        let pre = RotationOrder::Xyz.to_quat(self.pre_rotation_deg);
        let post = RotationOrder::Xyz.to_quat(self.post_rotation_deg);
        self.rotation_deg = self.rotation_order.to_angles_deg(pre.conjugate() * rotation * post);
    }

    /// `parent_from_node` without pivots. Nothing is lost: the chain has no shear.
    pub fn to_trs(&self) -> Trs {
        let rotation = self.rotation();
        let inner = self.scaling_offset + self.scaling_pivot - self.scale * self.scaling_pivot - self.rotation_pivot;
        let translation = self.translation + self.rotation_offset + self.rotation_pivot + rotation * inner;
        Trs { translation, rotation, scale: self.scale }
    }

    /// One of the vectors.
    pub fn part(&self, part: TransformPart) -> DVec3 {
        match part {
            TransformPart::Translation => self.translation,
            TransformPart::RotationOffset => self.rotation_offset,
            TransformPart::RotationPivot => self.rotation_pivot,
            TransformPart::PreRotation => self.pre_rotation_deg,
            TransformPart::Rotation => self.rotation_deg,
            TransformPart::PostRotation => self.post_rotation_deg,
            TransformPart::ScalingOffset => self.scaling_offset,
            TransformPart::ScalingPivot => self.scaling_pivot,
            TransformPart::Scale => self.scale,
        }
    }

    /// One of the vectors for writing.
    pub fn part_mut(&mut self, part: TransformPart) -> &mut DVec3 {
        match part {
            TransformPart::Translation => &mut self.translation,
            TransformPart::RotationOffset => &mut self.rotation_offset,
            TransformPart::RotationPivot => &mut self.rotation_pivot,
            TransformPart::PreRotation => &mut self.pre_rotation_deg,
            TransformPart::Rotation => &mut self.rotation_deg,
            TransformPart::PostRotation => &mut self.post_rotation_deg,
            TransformPart::ScalingOffset => &mut self.scaling_offset,
            TransformPart::ScalingPivot => &mut self.scaling_pivot,
            TransformPart::Scale => &mut self.scale,
        }
    }

    /// True when all numbers are finite.
    pub fn is_finite(&self) -> bool {
        TransformPart::ALL.iter().all(|part| self.part(*part).is_finite())
    }
}

impl Default for Pivots {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// How a node takes over the scale of its parent. Rotation and translation are always inherited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InheritMode {
    /// `scene_from_parent * parent_from_node`: a parent's uneven scale shears a turned child. FBX inherit type 1 (RSrs);
    /// the only one that most formats have.
    #[default]
    Full,
    /// The scale of the parent is multiplied to the node's own per axis, so that nothing shears: FBX type 0 (RrSs).
    ComponentWise,
    /// The scale of the parent is left out; that of nodes above the parent acts per axis. FBX type 2 (Rrs), Maya's
    /// "segment scale compensate".
    IgnoreParentScale,
}

/// Where a node stands, with what its children need in order to inherit scale in every [`InheritMode`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// `scene_from_node`.
    pub scene_from_node: DAffine3,
    /// `scene_from_node` without the node's own scale.
    unscaled: DAffine3,
    /// The scale that children take per axis.
    scale: DVec3,
    /// The scale that the node itself took from above per axis.
    taken: DVec3,
}

impl World {
    /// What roots hang from.
    pub const ROOT: Self = Self {
        scene_from_node: DAffine3::IDENTITY,
        unscaled: DAffine3::IDENTITY,
        scale: DVec3::ONE,
        taken: DVec3::ONE,
    };

    /// `scene_from_node` without the node's own scale: what children that do not inherit it as a whole hang from.
    pub fn unscaled(&self) -> DAffine3 {
        self.unscaled
    }

    /// The place of a child of this node.
    pub fn child(&self, local: LocalTransform, mode: InheritMode) -> Self {
        if mode == InheritMode::Full {
            let unscaled = Trs { scale: DVec3::ONE, ..local.to_trs() };
            return Self {
                scene_from_node: self.scene_from_node * local.to_affine(),
                unscaled: self.scene_from_node * unscaled.to_affine(),
                scale: local.to_trs().scale,
                taken: DVec3::ONE,
            };
        }
        let taken = if mode == InheritMode::ComponentWise { self.scale } else { self.taken };
        let mut trs = local.to_trs();
        trs.scale *= taken;
        trs.translation *= self.scale;
        Self {
            scene_from_node: self.unscaled * trs.to_affine(),
            unscaled: self.unscaled * Trs { scale: DVec3::ONE, ..trs }.to_affine(),
            scale: trs.scale,
            taken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [RotationOrder; 7] = [
        RotationOrder::Xyz,
        RotationOrder::Xzy,
        RotationOrder::Yzx,
        RotationOrder::Yxz,
        RotationOrder::Zxy,
        RotationOrder::Zyx,
        RotationOrder::SphericXyz,
    ];

    fn matrix(axis: usize, deg: f64) -> DMat3 {
        let angle = deg.to_radians();
        match axis {
            0 => DMat3::from_rotation_x(angle),
            1 => DMat3::from_rotation_y(angle),
            _ => DMat3::from_rotation_z(angle),
        }
    }

    #[test]
    fn orders_apply_their_first_axis_first() {
        let angles = DVec3::new(20.0, -50.0, 170.0);
        for order in ORDERS {
            let expected = order.axes().into_iter().fold(DMat3::IDENTITY, |m, axis| matrix(axis, angles[axis]) * m);
            assert!(DMat3::from_quat(order.to_quat(angles)).abs_diff_eq(expected, 1e-14), "{order:?}");
        }
        // Rz·Ry·Rx on X: the turn about X does nothing, the one about Y sends X to -Z, which Z keeps.
        let turned = RotationOrder::Xyz.to_quat(DVec3::new(90.0, 90.0, 90.0)) * DVec3::X;
        assert!(turned.distance(DVec3::NEG_Z) < 1e-14);
    }

    #[test]
    fn angles_come_back_also_at_the_pole() {
        for order in ORDERS {
            for angles in [[10.0, 20.0, 30.0], [-170.0, 80.0, 5.0], [33.0, 90.0, 12.0], [33.0, -90.0, 12.0], [0.0; 3]] {
                let [i, j, k] = order.axes();
                let mut by_axis = [0.0; 3];
                (by_axis[i], by_axis[j], by_axis[k]) = (angles[0], angles[1], angles[2]);
                let rotation = order.to_quat(DVec3::from_array(by_axis));
                let again = order.to_angles_deg(rotation);
                if angles[1].abs() < 90.0 {
                    assert!(again.distance(DVec3::from_array(by_axis)) < 1e-9, "{order:?} {angles:?} {again}");
                }
                let difference = order.to_quat(again).dot(rotation).abs();
                assert!(difference > 1.0 - 1e-14, "{order:?} {angles:?} {again}");
            }
        }
    }

    fn sample() -> Pivots {
        Pivots {
            translation: DVec3::new(1.0, 2.0, 3.0),
            rotation_offset: DVec3::new(0.1, -0.2, 0.3),
            rotation_pivot: DVec3::new(4.0, 0.0, -1.0),
            pre_rotation_deg: DVec3::new(10.0, 20.0, 30.0),
            rotation_deg: DVec3::new(-40.0, 70.0, 400.0),
            rotation_order: RotationOrder::Zxy,
            post_rotation_deg: DVec3::new(5.0, -6.0, 7.0),
            scaling_offset: DVec3::new(0.0, 0.5, 0.0),
            scaling_pivot: DVec3::new(2.0, 2.0, -3.0),
            scale: DVec3::new(1.0, -2.0, 0.5),
        }
    }

    #[test]
    fn the_chain_is_multiplied_in_its_order() {
        let p = sample();
        let moved = DAffine3::from_translation;
        let turned = |m: DMat3| DAffine3::from_mat3(m);
        let xyz = |v: DVec3| matrix(2, v.z) * matrix(1, v.y) * matrix(0, v.x);
        let rotation = matrix(1, p.rotation_deg.y) * matrix(0, p.rotation_deg.x) * matrix(2, p.rotation_deg.z);
        let chain = moved(p.translation)
            * moved(p.rotation_offset)
            * moved(p.rotation_pivot)
            * turned(xyz(p.pre_rotation_deg))
            * turned(rotation)
            * turned(xyz(p.post_rotation_deg)).inverse()
            * moved(-p.rotation_pivot)
            * moved(p.scaling_offset)
            * moved(p.scaling_pivot)
            * DAffine3::from_scale(p.scale)
            * moved(-p.scaling_pivot);
        assert!(p.to_trs().to_affine().abs_diff_eq(chain, 1e-12));
    }

    #[test]
    fn a_rotation_can_be_set_through_pre_and_post_rotation() {
        let mut p = sample();
        // Its length is 1.
        let wanted = DQuat::from_xyzw(0.5, -0.5, 0.1, 0.7);
        p.set_rotation(wanted);
        assert!(p.rotation().dot(wanted).abs() > 1.0 - 1e-14);
        let trs = Trs { translation: DVec3::X, rotation: wanted, scale: DVec3::new(2.0, 3.0, 4.0) };
        assert!(Pivots::from_trs(trs).to_trs().to_affine().abs_diff_eq(trs.to_affine(), 1e-14));
    }

    fn scaled(scale: DVec3, rotation: DVec3, translation: DVec3) -> LocalTransform {
        Trs { translation, rotation: RotationOrder::Xyz.to_quat(rotation), scale }.into()
    }

    #[test]
    fn only_full_inheritance_shears() {
        let (uneven, turn) = (DVec3::new(1.0, 3.0, 1.0), DVec3::new(0.0, 0.0, 45.0));
        let parent = World::ROOT.child(scaled(uneven, DVec3::ZERO, DVec3::ZERO), InheritMode::Full);
        let child = |mode| parent.child(scaled(DVec3::new(2.0, 1.0, 1.0), turn, DVec3::new(0.0, 1.0, 0.0)), mode);
        assert_eq!(Trs::from_affine(child(InheritMode::Full).scene_from_node, 1e-9), None);
        for (mode, scale) in [
            (InheritMode::ComponentWise, DVec3::new(2.0, 3.0, 1.0)),
            (InheritMode::IgnoreParentScale, DVec3::new(2.0, 1.0, 1.0)),
        ] {
            let trs = Trs::from_affine(child(mode).scene_from_node, 1e-12).expect("no shear");
            assert!(trs.scale.distance(scale) < 1e-14, "{mode:?} {}", trs.scale);
            assert_eq!(trs.translation, DVec3::new(0.0, 3.0, 0.0), "the place is moved by the parent's scale");
        }
    }

    #[test]
    fn compensation_leaves_out_the_parent_but_not_the_grandparent() {
        let two = scaled(DVec3::splat(2.0), DVec3::ZERO, DVec3::ZERO);
        let three = scaled(DVec3::splat(3.0), DVec3::ZERO, DVec3::ZERO);
        let grandparent = World::ROOT.child(two, InheritMode::Full);
        let parent = grandparent.child(three, InheritMode::ComponentWise);
        let child = parent.child(LocalTransform::default(), InheritMode::IgnoreParentScale);
        assert_eq!(parent.scene_from_node.matrix3.x_axis.x, 6.0);
        assert_eq!(child.scene_from_node.matrix3.x_axis.x, 2.0);
    }
}
