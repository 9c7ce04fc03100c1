//! Dual quaternion skinning.

use super::{Directions, Rows, Rows3, SkinInput, SkinOutput, apply, cross};
use anyrig_scene::Trs;
use glam::{DAffine3, DMat3, DQuat};

/// A joint's `scene_from_mesh` as a stretch followed by a rigid motion.
///
/// Rotation `real` and translation (`dual`) form a unit dual quaternion; `stretch` is what of the matrix is not rigid:
/// `rotation⁻¹ * matrix`, the identity for a rigid joint. The rotation is the one of
/// [`Trs::nearest_to_affine`] (the columns made orthogonal one after another).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct JointDualQuat {
    /// The rotation (x, y, z, w).
    pub real: [f32; 4],
    /// Half the translation times the rotation (x, y, z, w).
    pub dual: [f32; 4],
    /// The stretch by rows.
    pub stretch: [[f32; 3]; 3],
}

impl JointDualQuat {
    /// No change.
    pub const IDENTITY: Self = Self {
        real: [0.0, 0.0, 0.0, 1.0],
        dual: [0.0; 4],
        stretch: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };

    /// The transform, taken apart in `f64` and rounded to `f32`. Also a singular one gives a unit rotation.
    pub fn new(affine: DAffine3) -> Self {
        let rigid = Trs::nearest_to_affine(affine);
        let t = rigid.translation;
        let dual = DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * rigid.rotation * 0.5;
        let stretch = DMat3::from_quat(rigid.rotation).transpose() * affine.matrix3;
        let row = |i: usize| [stretch.x_axis[i], stretch.y_axis[i], stretch.z_axis[i]].map(|c| c as f32);
        Self {
            real: rigid.rotation.to_array().map(|c| c as f32),
            dual: dual.to_array().map(|c| c as f32),
            stretch: [row(0), row(1), row(2)],
        }
    }
}

impl Default for JointDualQuat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// Dual quaternion skinning (Kavan, Collins, Žára, O'Sullivan: "Geometric Skinning with Approximate Dual Quaternion
/// Blending", 2008), with the stretch of the joints blended in a straight line before it. No allocation.
///
/// Per point, in this order:
/// 1. The pivot is the first influence whose weight is not 0. `R = D = 0`, `S = 0`, `s = 0`; for each influence in its
///    order, every component: `R = R + v * real`, `D = D + v * dual`, `S = S + w * stretch`, `s = s + w`, where `v` is
///    `-w` when `((x * x' + y * y') + z * z') + w * w'` of the pivot's and the joint's `real` is negative, else `w`.
///    When `s == 0`, all is the identity.
/// 2. `n = sqrt(((R.x * R.x + R.y * R.y) + R.z * R.z) + R.w * R.w)`; `R = R / n`, `D = D / n`. Where `n * n` is not a
///    normal number (only negative weights do that) the pivot's own `real` and `dual` stand instead.
/// 3. Translation per axis: `2 * ((R.w * D - D.w * R) + cross(R, D))`.
/// 4. Position: `q = (s0 * x + s1 * y) + s2 * z` per row of `S`, turned, plus the translation. Turning `v` is
///    `v + 2 * cross(R, cross(R, v) + R.w * v)`.
/// 5. Normals and tangents: as in [`crate::skin_linear`] with `S` in place of `B`, then turned.
///
/// Missing joints, points without weight and slices of unequal length are treated as in [`crate::skin_linear`].
pub fn skin_dual_quaternion(input: &SkinInput<'_>, palette: &[JointDualQuat], out: &mut SkinOutput<'_>) {
    let rows = Rows::new(input.influences);
    for (i, (position, moved)) in input.positions.iter().zip(out.positions.iter_mut()).enumerate() {
        let motion = Motion::new(&blend(palette, rows.of(i)));
        *moved = motion.point(*position);
        let normal = input.normals.get(i).zip(out.normals.get_mut(i));
        let tangent = input.tangents.get(i).zip(out.tangents.get_mut(i));
        if normal.is_none() && tangent.is_none() {
            continue;
        }
        let directions = Directions::new(motion.stretch);
        if let Some((normal, moved)) = normal {
            *moved = motion.turn(directions.normal(*normal));
        }
        if let Some((tangent, moved)) = tangent {
            let [x, y, z, w] = directions.tangent(*tangent);
            let [x, y, z] = motion.turn([x, y, z]);
            *moved = [x, y, z, w];
        }
    }
}

/// A stretch, then a turn, then a translation.
struct Motion {
    stretch: Rows3,
    axis: [f32; 3],
    w: f32,
    translation: [f32; 3],
}

impl Motion {
    fn new(joint: &JointDualQuat) -> Self {
        let ([rx, ry, rz, rw], [dx, dy, dz, dw]) = (joint.real, joint.dual);
        let (r, d) = ([rx, ry, rz], [dx, dy, dz]);
        let c = cross(r, d);
        let translation = [0, 1, 2].map(|i| 2.0 * ((rw * d[i] - dw * r[i]) + c[i]));
        Self { stretch: joint.stretch, axis: r, w: rw, translation }
    }

    fn point(&self, position: [f32; 3]) -> [f32; 3] {
        let turned = self.turn(apply(&self.stretch, position));
        [0, 1, 2].map(|i| turned[i] + self.translation[i])
    }

    fn turn(&self, v: [f32; 3]) -> [f32; 3] {
        let c = cross(self.axis, v);
        let c = cross(self.axis, [0, 1, 2].map(|i| c[i] + self.w * v[i]));
        [0, 1, 2].map(|i| v[i] + 2.0 * c[i])
    }
}

fn blend(palette: &[JointDualQuat], influences: impl Iterator<Item = (usize, f32)> + Clone) -> JointDualQuat {
    let joint = |index: usize| palette.get(index).unwrap_or(&JointDualQuat::IDENTITY);
    let Some((pivot, _)) = influences.clone().find(|(_, weight)| *weight != 0.0) else {
        return JointDualQuat::IDENTITY;
    };
    let pivot = joint(pivot);
    let mut sum = JointDualQuat { real: [0.0; 4], dual: [0.0; 4], stretch: [[0.0; 3]; 3] };
    let mut weights = 0.0f32;
    for (index, weight) in influences {
        let joint = joint(index);
        let signed = if dot4(pivot.real, joint.real) < 0.0 { -weight } else { weight };
        add_scaled(&mut sum.real, &joint.real, signed);
        add_scaled(&mut sum.dual, &joint.dual, signed);
        sum.stretch.iter_mut().zip(&joint.stretch).for_each(|(row, of_joint)| add_scaled(row, of_joint, weight));
        weights += weight;
    }
    if weights == 0.0 {
        return JointDualQuat::IDENTITY;
    }
    let square = dot4(sum.real, sum.real);
    if square.is_normal() {
        let length = square.sqrt();
        sum.real = sum.real.map(|c| c / length);
        sum.dual = sum.dual.map(|c| c / length);
    } else {
        (sum.real, sum.dual) = (pivot.real, pivot.dual);
    }
    sum
}

fn add_scaled<const N: usize>(sum: &mut [f32; N], values: &[f32; N], factor: f32) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += factor * value;
    }
}

fn dot4(a: [f32; 4], b: [f32; 4]) -> f32 {
    ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]
}
