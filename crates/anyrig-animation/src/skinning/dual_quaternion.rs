//! Dual quaternion skinning.

use super::Rows;
use super::linear::{entry, rows};
use super::motion::{Motion, Rows3, apply, turn};
use super::points::Deformer;
use crate::skinning::lanes::{Lanes, Values, WIDTH, cross, dot4, eight};
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

/// A joint's real and dual parts, then its stretch in rows of four, then a 1 that gathers the sum of the weights.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Entry([Values; 3]);

impl Entry {
    pub(super) fn new(joint: &JointDualQuat) -> Self {
        let JointDualQuat {
            real: [rx, ry, rz, rw],
            dual: [dx, dy, dz, dw],
            stretch: [[a, b, c], [d, e, f], [g, h, i]],
        } = *joint;
        Self([[rx, ry, rz, rw, dx, dy, dz, dw], [a, b, c, 0.0, d, e, f, 0.0], [g, h, i, 0.0, 0.0, 0.0, 0.0, 1.0]])
    }

    fn real(&self) -> &[f32; 4] {
        &self.0[0].as_chunks().0[0]
    }

    fn dual(&self) -> &[f32; 4] {
        &self.0[0].as_chunks().0[1]
    }
}

/// The weighted sums of the joints of each point.
pub(super) struct DualQuaternion<'a, R> {
    pub(super) rows: R,
    /// The last one is the identity.
    pub(super) palette: &'a [Entry],
}

impl<R: Rows> DualQuaternion<'_, R> {
    #[inline(always)]
    fn entry(&self, joint: u32) -> &Entry {
        entry(self.palette, joint)
    }

    /// The first joint that has weight; the identity when none has.
    #[inline(always)]
    fn pivot(&self, point: usize) -> &Entry {
        let (joints, weights) = self.rows.of(point);
        let found = joints.iter().zip(weights).find(|(_, weight)| **weight != 0.0);
        self.entry(found.map_or(u32::MAX, |(joint, _)| *joint))
    }

    #[inline(always)]
    fn sum<L: Lanes>(&self, token: L::Token, point: usize) -> [Values; 3] {
        let (joints, weights) = self.rows.of(point);
        let pivot = *self.pivot(point).real();
        let (Some((joint, joints)), Some((weight, weights))) = (joints.split_first(), weights.split_first()) else {
            return [[0.0; WIDTH]; 3];
        };
        let [mut motion, mut first, mut second] = self.weighted::<L>(token, pivot, *joint, *weight);
        for (joint, weight) in joints.iter().zip(weights) {
            let [a, b, c] = self.weighted::<L>(token, pivot, *joint, *weight);
            motion = motion + a;
            first = first + b;
            second = second + c;
        }
        [motion.to_array(), first.to_array(), second.to_array()]
    }

    #[inline(always)]
    fn weighted<L: Lanes>(&self, token: L::Token, pivot: [f32; 4], joint: u32, weight: f32) -> [L; 3] {
        let entry = self.entry(joint);
        let signed = L::splat(token, if dot_four(pivot, *entry.real()) < 0.0 { -weight } else { weight });
        let weight = L::splat(token, weight);
        let Entry([motion, first, second]) = entry;
        [signed * L::load(token, motion), weight * L::load(token, first), weight * L::load(token, second)]
    }

    /// The pivots' own rotations and translations where the sums have no direction.
    #[inline(always)]
    fn or_pivot<L: Lanes>(
        &self,
        token: L::Token,
        first: usize,
        usual: L::Mask,
        (real, dual): ([L; 4], [L; 4]),
    ) -> ([L; 4], [L; 4]) {
        let pivots: [&Entry; WIDTH] = eight!(i => self.pivot(first + i));
        let reals = L::from_rows(token, pivots.map(Entry::real));
        let duals = L::from_rows(token, pivots.map(Entry::dual));
        let choose = |found: [L; 4], pivot: [L; 4]| [0, 1, 2, 3].map(|i| L::select(usual, found[i], pivot[i]));
        (choose(real, reals), choose(dual, duals))
    }
}

impl<R: Rows> Deformer for DualQuaternion<'_, R> {
    type Motion<L: Lanes> = Stretched<L>;
    type Sums = [[Values; 3]; WIDTH];

    #[inline(always)]
    fn motion<L: Lanes>(&self, token: L::Token, first: usize, sums: &mut Self::Sums) -> Stretched<L> {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = self.sum::<L>(token, first + i);
        }
        let [real, dual] = rows::<L, 3>(token, sums, 0);
        let [upper, middle] = rows::<L, 3>(token, sums, 1);
        let [lower, [.., weights]] = rows::<L, 3>(token, sums, 2);
        let stretch = [upper, middle, lower].map(|[a, b, c, _]| [a, b, c]);
        let square = dot4(real, real);
        let factor = L::splat(token, 1.0) / square.sqrt();
        let mut unit = (real.map(|c| c * factor), dual.map(|c| c * factor));
        let usual = L::is_normal(token, square);
        if !L::is_all(usual) {
            unit = self.or_pivot(token, first, usual, unit);
        }
        let without = weights.is_equal(L::splat(token, 0.0));
        let stretched = Stretched::new(token, stretch, unit);
        if L::is_any(without) { stretched.or_identity(without) } else { stretched }
    }
}

/// A stretch, then a turn, then a translation.
pub(super) struct Stretched<L: Lanes> {
    token: L::Token,
    stretch: Rows3<L>,
    rotation: [L; 4],
    translation: [L; 3],
}

impl<L: Lanes> Stretched<L> {
    #[inline(always)]
    fn new(token: L::Token, stretch: Rows3<L>, (rotation, dual): ([L; 4], [L; 4])) -> Self {
        let ([rx, ry, rz, rw], [dx, dy, dz, dw]) = (rotation, dual);
        let (r, d) = ([rx, ry, rz], [dx, dy, dz]);
        let (c, two) = (cross(r, d), L::splat(token, 2.0));
        let translation = [
            two * ((rw * dx - dw * rx) + c[0]),
            two * ((rw * dy - dw * ry) + c[1]),
            two * ((rw * dz - dw * rz) + c[2]),
        ];
        Self { token, stretch, rotation, translation }
    }

    #[inline(always)]
    fn or_identity(&self, instead: L::Mask) -> Self {
        let (zero, one) = (L::splat(self.token, 0.0), L::splat(self.token, 1.0));
        let or = |is_one: bool, own: L| L::select(instead, if is_one { one } else { zero }, own);
        Self {
            token: self.token,
            stretch: [0, 1, 2].map(|r| [0, 1, 2].map(|c| or(r == c, self.stretch[r][c]))),
            rotation: [0, 1, 2, 3].map(|i| or(i == 3, self.rotation[i])),
            translation: self.translation.map(|t| or(false, t)),
        }
    }
}

impl<L: Lanes> Motion<L> for Stretched<L> {
    #[inline(always)]
    fn point(&self, position: [L; 3]) -> [L; 3] {
        let [x, y, z] = self.turn(apply(&self.stretch, position));
        [x + self.translation[0], y + self.translation[1], z + self.translation[2]]
    }

    #[inline(always)]
    fn matrix(&self) -> &Rows3<L> {
        &self.stretch
    }

    #[inline(always)]
    fn turn(&self, direction: [L; 3]) -> [L; 3] {
        turn(self.token, self.rotation, direction)
    }
}

fn dot_four(a: [f32; 4], b: [f32; 4]) -> f32 {
    ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]
}
