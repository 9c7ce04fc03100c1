//! How eight points are moved once their transforms are blended.

use crate::skinning::lanes::{Lanes, cross, dot};

/// A 3×3 matrix by rows.
pub(super) type Rows3<L> = [[L; 3]; 3];

/// What moves eight points: a linear map, then perhaps a turn, then a translation.
pub(super) trait Motion<L: Lanes> {
    fn point(&self, position: [L; 3]) -> [L; 3];
    /// The linear map.
    fn matrix(&self) -> &Rows3<L>;
    /// What turns directions after it.
    fn turn(&self, direction: [L; 3]) -> [L; 3];
}

/// The matrix of cofactors: the inverse transpose times the determinant. Each is `a * b - c * d`.
#[inline(always)]
fn cofactors<L: Lanes>(m: &Rows3<L>) -> Rows3<L> {
    [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])]
}

/// How a linear map moves normals and tangents.
pub(super) struct Directions<'m, L: Lanes> {
    token: L::Token,
    matrix: &'m Rows3<L>,
    cofactors: Rows3<L>,
    mirrors: L::Mask,
}

impl<'m, L: Lanes> Directions<'m, L> {
    #[inline(always)]
    pub(super) fn new(token: L::Token, matrix: &'m Rows3<L>) -> Self {
        let cofactors = cofactors(matrix);
        let mirrors = dot(matrix[0], cofactors[0]).is_less(L::splat(token, 0.0));
        Self { token, matrix, cofactors, mirrors }
    }

    #[inline(always)]
    pub(super) fn normal(&self, normal: [L; 3]) -> [L; 3] {
        let [x, y, z] = unit_or(self.token, apply(&self.cofactors, normal), normal);
        [L::select(self.mirrors, -x, x), L::select(self.mirrors, -y, y), L::select(self.mirrors, -z, z)]
    }

    #[inline(always)]
    pub(super) fn tangent(&self, [x, y, z, w]: [L; 4]) -> [L; 4] {
        let [x, y, z] = unit_or(self.token, apply(self.matrix, [x, y, z]), [x, y, z]);
        [x, y, z, L::select(self.mirrors, -w, w)]
    }
}

#[inline(always)]
pub(super) fn apply<L: Lanes>(matrix: &Rows3<L>, v: [L; 3]) -> [L; 3] {
    [dot(matrix[0], v), dot(matrix[1], v), dot(matrix[2], v)]
}

/// `v + 2 * cross(q, cross(q, v) + q.w * v)`.
#[inline(always)]
pub(super) fn turn<L: Lanes>(token: L::Token, [x, y, z, w]: [L; 4], v: [L; 3]) -> [L; 3] {
    let c = cross([x, y, z], v);
    let c = cross([x, y, z], [c[0] + w * v[0], c[1] + w * v[1], c[2] + w * v[2]]);
    let two = L::splat(token, 2.0);
    [v[0] + two * c[0], v[1] + two * c[1], v[2] + two * c[2]]
}

/// The unit vector, as the module above defines it. Almost always the first square is a normal number in all lanes.
#[inline(always)]
pub(super) fn unit_or<L: Lanes>(token: L::Token, v: [L; 3], fallback: [L; 3]) -> [L; 3] {
    let one = L::splat(token, 1.0);
    let square = dot(v, v);
    let factor = one / square.sqrt();
    let unit = scaled(v, factor);
    let usual = L::is_normal(token, square);
    if L::is_all(usual) {
        return unit;
    }
    let careful = careful_unit(token, v, fallback);
    [
        L::select(usual, unit[0], careful[0]),
        L::select(usual, unit[1], careful[1]),
        L::select(usual, unit[2], careful[2]),
    ]
}

/// Of a vector whose square is too small or too large a number.
#[inline(always)]
fn careful_unit<L: Lanes>(token: L::Token, v: [L; 3], fallback: [L; 3]) -> [L; 3] {
    let largest = v[0].abs().max(v[1].abs()).max(v[2].abs());
    let shrunk = [v[0] / largest, v[1] / largest, v[2] / largest];
    let unit = scaled(shrunk, L::splat(token, 1.0) / dot(shrunk, shrunk).sqrt());
    let has_direction = L::is_normal(token, largest);
    [
        L::select(has_direction, unit[0], fallback[0]),
        L::select(has_direction, unit[1], fallback[1]),
        L::select(has_direction, unit[2], fallback[2]),
    ]
}

#[inline(always)]
fn scaled<L: Lanes>([x, y, z]: [L; 3], factor: L) -> [L; 3] {
    [x * factor, y * factor, z * factor]
}
