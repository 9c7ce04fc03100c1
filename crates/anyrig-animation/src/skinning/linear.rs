//! Linear blend skinning.

use super::{Directions, Rows, SkinInput, SkinOutput};
use glam::DAffine3;

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

    fn point(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        self.rows.map(|r| ((r[0] * x + r[1] * y) + r[2] * z) + r[3])
    }

    fn directions(&self) -> Directions {
        Directions::new(self.rows.map(|[x, y, z, _]| [x, y, z]))
    }
}

impl Default for JointMatrix {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// Linear blend skinning. No allocation.
///
/// Per point, in this order:
/// 1. `B = 0`, `s = 0`; for each influence in its order, every element: `B = B + w * M[joint]`, `s = s + w`.
///    Influences of weight 0 take part. When `s == 0`, `B` is the identity.
/// 2. Position: `((b0 * x + b1 * y) + b2 * z) + b3` per row of `B`.
/// 3. Normal: with `C` the cofactors (`a * b - c * d` each) of the 3×3 of `B` and `d = (b0 * c0 + b1 * c1) + b2 * c2` of
///    the first rows: the unit vector of `C * n`, or else `n`; negated when `d < 0`. That is the inverse transpose,
///    and where `B` flattens to a plane still the plane's normal.
/// 4. Tangent: the unit vector of `B * t`, or else `t`; `w` negated when `d < 0`, so that the bitangent
///    `cross(normal, tangent) * w` is moved by `B` too.
///
/// What missing joints, weights that add up to 0 and slices of unequal length give, and what *unit vector* means in
/// each bit, is stated once for all kernels in this module's documentation: missing joints are the identity, points
/// without weight stay where the mesh has them, and the shortest slice counts.
pub fn skin_linear(input: &SkinInput<'_>, palette: &[JointMatrix], out: &mut SkinOutput<'_>) {
    let rows = Rows::new(input.influences);
    for (i, (position, moved)) in input.positions.iter().zip(out.positions.iter_mut()).enumerate() {
        let matrix = blend(palette, rows.of(i));
        *moved = matrix.point(*position);
        let normal = input.normals.get(i).zip(out.normals.get_mut(i));
        let tangent = input.tangents.get(i).zip(out.tangents.get_mut(i));
        if normal.is_none() && tangent.is_none() {
            continue;
        }
        let directions = matrix.directions();
        if let Some((normal, moved)) = normal {
            *moved = directions.normal(*normal);
        }
        if let Some((tangent, moved)) = tangent {
            *moved = directions.tangent(*tangent);
        }
    }
}

/// Moves all points by one transform, with the steps of [`skin_linear`] from its second on. The input's influences are
/// not used.
pub fn transform_points(input: &SkinInput<'_>, matrix: &JointMatrix, out: &mut SkinOutput<'_>) {
    let directions = matrix.directions();
    for (position, moved) in input.positions.iter().zip(out.positions.iter_mut()) {
        *moved = matrix.point(*position);
    }
    let points = input.positions.len().min(out.positions.len());
    for (normal, moved) in input.normals.iter().zip(out.normals.iter_mut()).take(points) {
        *moved = directions.normal(*normal);
    }
    for (tangent, moved) in input.tangents.iter().zip(out.tangents.iter_mut()).take(points) {
        *moved = directions.tangent(*tangent);
    }
}

fn blend(palette: &[JointMatrix], influences: impl Iterator<Item = (usize, f32)>) -> JointMatrix {
    let (mut blended, mut sum) = (JointMatrix { rows: [[0.0; 4]; 3] }, 0.0f32);
    for (joint, weight) in influences {
        let matrix = palette.get(joint).unwrap_or(&JointMatrix::IDENTITY);
        for (row, of_joint) in blended.rows.iter_mut().zip(&matrix.rows) {
            for (cell, of_joint) in row.iter_mut().zip(of_joint) {
                *cell += weight * of_joint;
            }
        }
        sum += weight;
    }
    if sum == 0.0 { JointMatrix::IDENTITY } else { blended }
}
