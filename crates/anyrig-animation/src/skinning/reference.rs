//! Skinning once more, in plain `f64` and straight from the definition: what the kernels are tested
//! against. Slow on purpose.

use super::{AnyNumber, SdefPoint, SkinInput};
use crate::slerp;
use anyrig_scene::Trs;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Positions and normals by the weighted sum of the palette's matrices, normals by its inverse transpose.
///
/// Missing joints, points without weight and singular sums give what [`crate::Skinner::linear`] gives, except that the
/// normal of a sum that flattens to a plane stays what it was. One position and one normal per point of the input; a
/// point without a normal gets zero.
pub fn skin_linear_f64(input: &SkinInput<'_>, palette: &[DAffine3]) -> Vec<(DVec3, DVec3)> {
    let rows = AnyNumber::new(input.influences);
    let moved = input.positions.iter().enumerate().map(|(i, position)| {
        let matrix = blend(palette, rows.pairs(i));
        let normal = input.normals.get(i).map_or(DVec3::ZERO, |n| vector(*n));
        (matrix.transform_point3(vector(*position)), move_normal(matrix.matrix3, normal))
    });
    moved.collect()
}

/// Positions and normals by the weighted sum of the joints' rigid parts as dual quaternions, after the weighted sum of
/// what is not rigid in them: the nearest rotation of [`Trs::nearest_to_affine`] is taken off first.
///
/// Degenerate input gives what [`crate::Skinner::dual_quaternion`] gives, as far as [`skin_linear_f64`] does.
pub fn skin_dual_quaternion_f64(input: &SkinInput<'_>, palette: &[DAffine3]) -> Vec<(DVec3, DVec3)> {
    let rows = AnyNumber::new(input.influences);
    let moved = input.positions.iter().enumerate().map(|(i, position)| {
        let (stretch, rigid) = dual_blend(palette, rows.pairs(i));
        let normal = input.normals.get(i).map_or(DVec3::ZERO, |n| vector(*n));
        let turned = rigid.transform_vector3(move_normal(stretch, normal));
        (rigid.transform_point3(stretch * vector(*position)), turned)
    });
    moved.collect()
}

/// The blended stretch, and the rigid motion after it.
fn dual_blend(palette: &[DAffine3], influences: impl Iterator<Item = (usize, f32)> + Clone) -> (DMat3, DAffine3) {
    let pivot = influences.clone().find(|(_, weight)| *weight != 0.0);
    let sum = influences.clone().map(|(_, weight)| f64::from(weight)).sum::<f64>();
    let Some((pivot, _)) = pivot.filter(|_| sum != 0.0) else { return (DMat3::IDENTITY, DAffine3::IDENTITY) };
    let matrix = |joint: usize| palette.get(joint).copied().unwrap_or_default();
    let pivot = Trs::nearest_to_affine(matrix(pivot)).rotation;
    let nothing = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let (mut real, mut dual, mut stretch) = (nothing, nothing, DMat3::ZERO);
    for (joint, weight) in influences {
        let (matrix, weight) = (matrix(joint), f64::from(weight));
        let rigid = Trs::nearest_to_affine(matrix);
        let signed = if pivot.dot(rigid.rotation) < 0.0 { -weight } else { weight };
        let t = rigid.translation;
        real += rigid.rotation * signed;
        dual += DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * rigid.rotation * (0.5 * signed);
        stretch += DMat3::from_quat(rigid.rotation).transpose() * matrix.matrix3 * weight;
    }
    let rotation = real * (1.0 / real.length());
    let t = dual * (1.0 / real.length()) * rotation.conjugate() * 2.0;
    (stretch, DAffine3::from_rotation_translation(rotation, DVec3::new(t.x, t.y, t.z)))
}

/// Positions and normals of points that are deformed spherically, from the formulas at [`crate::Skinner::sdef`].
pub fn skin_sdef_f64(input: &SkinInput<'_>, points: &[SdefPoint], palette: &[DAffine3]) -> Vec<(DVec3, DVec3)> {
    let rows = AnyNumber::new(input.influences);
    let moved = points.iter().map(|sdef| {
        let point = sdef.point as usize;
        let mut ends = rows
            .pairs(point)
            .map(|(joint, weight)| (palette.get(joint).copied().unwrap_or_default(), f64::from(weight)));
        let [(first, w0), (second, w1)] = [(); 2].map(|()| ends.next().unwrap_or_default());
        let position = input.positions.get(point).map_or(DVec3::ZERO, |p| vector(*p));
        let normal = input.normals.get(point).map_or(DVec3::ZERO, |n| vector(*n));
        if w0 + w1 == 0.0 {
            return (position, normal);
        }
        let (center, r0, r1) = (vector(sdef.center), vector(sdef.first), vector(sdef.second));
        let mean = r0 * w0 + r1 * w1;
        let carried = |matrix: DAffine3, end: DVec3| matrix.transform_point3(center + (end - mean) / 2.0);
        let rotation = |matrix: DAffine3| Trs::nearest_to_affine(matrix).rotation;
        let turn = slerp(rotation(first), rotation(second), w1.clamp(0.0, 1.0));
        let offset = carried(first, r0) * w0 + carried(second, r1) * w1;
        (turn * (position - center) + offset, (turn * normal).try_normalize().unwrap_or(normal))
    });
    moved.collect()
}

fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
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
