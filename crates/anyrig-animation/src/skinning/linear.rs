//! Linear blend skinning.

use super::Rows;
use super::motion::{Motion, Rows3, apply};
use super::points::Deformer;
use crate::skinning::lanes::{Lanes, Values, WIDTH, eight};
use glam::{DAffine3, DMat3, DVec3};

/// An affine `scene_from_mesh` of a joint, by rows: `scene[r] = ((m[r][0] * x + m[r][1] * y) + m[r][2] * z) + m[r][3]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct JointMatrix {
    /// Three rows; the fourth column is the translation.
    pub rows: [[f32; 4]; 3],
}

impl JointMatrix {
    /// No change.
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// The transform, rounded to `f32`.
    pub fn new(affine: DAffine3) -> Self {
        let (m, t) = (affine.matrix3, affine.translation);
        let row = |i: usize| [m.x_axis[i], m.y_axis[i], m.z_axis[i], t[i]].map(|c| c as f32);
        Self { rows: [row(0), row(1), row(2)] }
    }

    /// The transform in `f64`.
    pub fn to_affine(&self) -> DAffine3 {
        let column = |i: usize| DVec3::from_array(self.rows.map(|row| f64::from(row[i])));
        DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
    }
}

impl Default for JointMatrix {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A joint's matrix with the fourth row `0 0 0 1`, whose last number gathers the sum of the weights.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Entry([Values; 2]);

impl Entry {
    pub(super) fn new(matrix: &JointMatrix) -> Self {
        let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] = matrix.rows;
        Self([[a, b, c, d, e, f, g, h], [i, j, k, l, 0.0, 0.0, 0.0, 1.0]])
    }
}

/// Makes a palette with the identity behind it, which stands in for joints that are missing.
pub(super) fn fill<J, E>(entries: &mut Vec<E>, joints: &[J], identity: &J, entry: impl Fn(&J) -> E) {
    entries.clear();
    entries.extend(joints.iter().map(&entry));
    entries.push(entry(identity));
}

/// A joint's entry; the last one, which is the identity, for one that is missing.
#[inline(always)]
pub(super) fn entry<E>(palette: &[E], joint: u32) -> &E {
    palette.get(joint as usize).unwrap_or(&palette[palette.len() - 1])
}

/// The weighted sum of the joints of each point.
pub(super) struct Linear<'a, R> {
    pub(super) rows: R,
    /// The last one is the identity.
    pub(super) palette: &'a [Entry],
}

impl<R: Rows> Linear<'_, R> {
    #[inline(always)]
    fn sum<L: Lanes>(&self, token: L::Token, point: usize) -> [Values; 2] {
        let (joints, weights) = self.rows.of(point);
        self.sum_of::<L>(token, joints, weights)
    }

    #[inline(always)]
    fn sum_of<L: Lanes>(&self, token: L::Token, joints: &[u32], weights: &[f32]) -> [Values; 2] {
        let (Some((joint, joints)), Some((weight, weights))) = (joints.split_first(), weights.split_first()) else {
            return [[0.0; WIDTH]; 2];
        };
        let [mut first, mut second] = self.weighted::<L>(token, *joint, *weight);
        for (joint, weight) in joints.iter().zip(weights) {
            let [a, b] = self.weighted::<L>(token, *joint, *weight);
            first = first + a;
            second = second + b;
        }
        [first.to_array(), second.to_array()]
    }

    #[inline(always)]
    fn weighted<L: Lanes>(&self, token: L::Token, joint: u32, weight: f32) -> [L; 2] {
        let Entry([first, second]) = entry(self.palette, joint);
        let weight = L::splat(token, weight);
        [weight * L::load(token, first), weight * L::load(token, second)]
    }
}

impl<R: Rows> Deformer for Linear<'_, R> {
    type Motion<L: Lanes> = Affine<L>;
    type Sums = [[Values; 2]; WIDTH];

    #[inline(always)]
    fn motion<L: Lanes>(&self, token: L::Token, first: usize, sums: &mut Self::Sums) -> Affine<L> {
        if let Some((joints, weights)) = self.rows.eight(first) {
            for (sum, (joints, weights)) in sums.iter_mut().zip(joints.iter().zip(weights)) {
                *sum = self.sum_of::<L>(token, joints, weights);
            }
        } else {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = self.sum::<L>(token, first + i);
            }
        }
        let [x, y] = rows::<L, 2>(token, sums, 0);
        let [z, [.., weights]] = rows::<L, 2>(token, sums, 1);
        let motion = Affine { matrix: [x, y, z].map(|[a, b, c, _]| [a, b, c]), translation: [x[3], y[3], z[3]] };
        let without = weights.is_equal(L::splat(token, 0.0));
        if L::is_any(without) { motion.or_identity(token, without) } else { motion }
    }
}

/// Two rows of four numbers of each point.
#[inline(always)]
pub(super) fn rows<L: Lanes, const N: usize>(
    token: L::Token,
    sums: &[[Values; N]; WIDTH],
    index: usize,
) -> [[L; 4]; 2] {
    L::from_wide_rows(token, &eight!(i => &sums[i][index]))
}

/// One transform for all points.
pub(super) struct Rigid<'a>(pub(super) &'a JointMatrix);

impl Deformer for Rigid<'_> {
    type Motion<L: Lanes> = Affine<L>;
    type Sums = ();

    #[inline(always)]
    fn motion<L: Lanes>(&self, token: L::Token, _: usize, (): &mut ()) -> Affine<L> {
        let rows = self.0.rows.map(|row| row.map(|cell| L::splat(token, cell)));
        Affine { matrix: rows.map(|[a, b, c, _]| [a, b, c]), translation: rows.map(|[.., t]| t) }
    }
}

pub(super) struct Affine<L> {
    matrix: Rows3<L>,
    translation: [L; 3],
}

impl<L: Lanes> Affine<L> {
    #[inline(always)]
    fn or_identity(&self, token: L::Token, instead: L::Mask) -> Self {
        let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
        let cell = |r: usize, c: usize| L::select(instead, if r == c { one } else { zero }, self.matrix[r][c]);
        Self {
            matrix: [0, 1, 2].map(|r| [0, 1, 2].map(|c| cell(r, c))),
            translation: self.translation.map(|t| L::select(instead, zero, t)),
        }
    }
}

impl<L: Lanes> Motion<L> for Affine<L> {
    #[inline(always)]
    fn point(&self, position: [L; 3]) -> [L; 3] {
        let [x, y, z] = apply(&self.matrix, position);
        [x + self.translation[0], y + self.translation[1], z + self.translation[2]]
    }

    #[inline(always)]
    fn matrix(&self) -> &Rows3<L> {
        &self.matrix
    }

    #[inline(always)]
    fn turn(&self, direction: [L; 3]) -> [L; 3] {
        direction
    }
}
