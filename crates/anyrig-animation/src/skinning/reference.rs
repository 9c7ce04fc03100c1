//! Linear blend skinning once more, in plain `f64` and straight from the definition: what the kernels are tested
//! against. Slow on purpose.

use super::{Rows, SkinInput};
use glam::{DAffine3, DMat3, DVec3};

/// Positions and normals by the weighted sum of the palette's matrices, normals by its inverse transpose.
///
/// Missing joints, points without weight and singular sums give what [`crate::skin_linear`] gives, except that the
/// normal of a sum that flattens to a plane stays what it was. One position and one normal per point of the input; a
/// point without a normal gets zero.
pub fn skin_linear_f64(input: &SkinInput<'_>, palette: &[DAffine3]) -> Vec<(DVec3, DVec3)> {
    let rows = Rows::new(input.influences);
    let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
    let moved = input.positions.iter().enumerate().map(|(i, position)| {
        let matrix = blend(palette, rows.of(i));
        let normal = input.normals.get(i).map_or(DVec3::ZERO, |n| vector(*n));
        (matrix.transform_point3(vector(*position)), move_normal(matrix.matrix3, normal))
    });
    moved.collect()
}

fn blend(palette: &[DAffine3], influences: impl Iterator<Item = (usize, f32)> + Clone) -> DAffine3 {
    if influences.clone().map(|(_, weight)| f64::from(weight)).sum::<f64>() == 0.0 {
        return DAffine3::IDENTITY;
    }
    let zero = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
    influences.fold(zero, |sum, (joint, weight)| {
        let matrix = palette.get(joint).copied().unwrap_or_default();
        DAffine3 {
            matrix3: sum.matrix3 + matrix.matrix3 * f64::from(weight),
            translation: sum.translation + matrix.translation * f64::from(weight),
        }
    })
}

fn move_normal(matrix: DMat3, normal: DVec3) -> DVec3 {
    if matrix.determinant() == 0.0 {
        return normal;
    }
    (matrix.inverse().transpose() * normal).try_normalize().unwrap_or(normal)
}
