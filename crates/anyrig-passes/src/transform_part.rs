//! A part's geometry under an affine transform.

use crate::check::{check_part, point_values};
use crate::turn::turn_faces;
use anyrig_bytes::{Buffer, Result};
use anyrig_scene::{Domain, Part, PartMorph, Semantic, Stream};
use glam::{DAffine3, DMat3, DVec3};

/// Transforms a part's geometry: positions by `target_from_part`, normals by the inverse transpose of its linear part
/// `M`, tangents by `M`; both stay unit vectors. Morph deltas of positions go by `M`; those of normals and tangents
/// likewise, scaled as the unit vector that they change.
///
/// When `M` mirrors, faces are turned round (corners 1 and 2 of each triangle change places), so that their front stays
/// where the winding says, and the tangents' w changes its sign. The identity keeps all buffers. Normals that `M`
/// leaves without direction stay as they are.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when the part was not validated.
pub fn transform_part(part: &mut Part, target_from_part: DAffine3) -> Result<()> {
    check_part(part)?;
    if target_from_part == DAffine3::IDENTITY {
        return Ok(());
    }
    let linear = target_from_part.matrix3;
    let mirrors = linear.determinant() < 0.0;
    // The lengths before they are made unit again are what deltas are divided by.
    let normals = Directions::of(point_values::<3>(part, &Semantic::Normal), inverse_transpose(linear));
    let tangents = Directions::of(point_values::<4>(part, &Semantic::Tangent), linear);
    for morph in &mut part.morphs {
        transform_deltas(morph, linear, &normals, &tangents);
    }
    for stream in &mut part.streams {
        match stream.semantic {
            Semantic::Position => {
                let moved = |p: &[f32; 3]| single(target_from_part.transform_point3(double(*p)));
                stream.values = stream.arrays::<3>().unwrap_or(&[]).iter().flat_map(moved).collect();
            }
            Semantic::Normal => stream.values = turned::<3>(&stream.values, normals.matrix, 1.0),
            Semantic::Tangent => {
                stream.values = turned::<4>(&stream.values, linear, if mirrors { -1.0 } else { 1.0 });
            }
            _ => {}
        }
    }
    if mirrors {
        turn_faces(part);
    }
    Ok(())
}

/// The bytes that [`transform_part`] will allocate for what it changes, so that they can be booked before.
pub fn transformed_bytes(part: &Part, target_from_part: DAffine3) -> u64 {
    if target_from_part == DAffine3::IDENTITY {
        return 0;
    }
    let moves = |semantic: &Semantic| matches!(semantic, Semantic::Position | Semantic::Normal | Semantic::Tangent);
    let mirrors = target_from_part.matrix3.determinant() < 0.0;
    let changes = |s: &&Stream| moves(&s.semantic) || mirrors && s.domain == Domain::Corner;
    let streams = part.streams.iter().filter(changes).map(|s| s.values.len());
    let deltas = part.morphs.iter().flat_map(|m| &m.deltas).filter(|d| moves(&d.semantic)).map(|d| d.values.len());
    let corners = if mirrors { part.corner_count() } else { 0 };
    4 * (streams.chain(deltas).chain([corners]).map(|len| len as u64).sum::<u64>())
}

/// The matrix for normals, up to a positive factor: `det(M) M⁻ᵀ` has the cross products of M's columns as its columns
/// and exists also where M has no inverse; a mirroring M needs its sign back.
fn inverse_transpose(m: DMat3) -> DMat3 {
    let cofactors = DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
    let determinant = m.determinant();
    let size = cofactors.to_cols_array().iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    if size == 0.0 || !size.is_finite() {
        return DMat3::IDENTITY;
    }
    cofactors * (if determinant < 0.0 { -1.0 } else { 1.0 } / size)
}

fn double(v: [f32; 3]) -> DVec3 {
    DVec3::new(v[0].into(), v[1].into(), v[2].into())
}

fn single(v: DVec3) -> [f32; 3] {
    v.as_vec3().to_array()
}

/// Unit vectors times a matrix, made unit; a fourth number is multiplied with `sign`.
fn turned<const N: usize>(values: &[f32], matrix: DMat3, sign: f32) -> Buffer<f32> {
    let mut values = values.to_vec();
    for vector in values.as_chunks_mut::<N>().0 {
        let Some(old) = vector.first_chunk::<3>().map(|v| double(*v)) else { continue };
        if let Some(unit) = (matrix * old).try_normalize() {
            vector[..3].copy_from_slice(&single(unit));
        }
        vector[3..].iter_mut().for_each(|w| *w *= sign);
    }
    values.into()
}

/// A matrix for directions, and the length that it gives to each point's.
struct Directions {
    matrix: DMat3,
    lengths: Vec<f64>,
}

impl Directions {
    fn of<const N: usize>(values: Option<&[[f32; N]]>, matrix: DMat3) -> Self {
        let length = |v: &[f32; N]| v.first_chunk::<3>().map_or(0.0, |v| (matrix * double(*v)).length());
        Self { matrix, lengths: values.unwrap_or(&[]).iter().map(length).collect() }
    }

    fn delta(&self, point: usize, delta: DVec3) -> DVec3 {
        let length = self.lengths.get(point).copied().filter(|length| *length > 0.0);
        self.matrix * delta / length.unwrap_or(1.0)
    }
}

fn transform_deltas(morph: &mut PartMorph, linear: DMat3, normals: &Directions, tangents: &Directions) {
    for delta in morph.deltas.iter_mut().filter(|d| d.width == 3) {
        let work: &dyn Fn(usize, DVec3) -> DVec3 = match delta.semantic {
            Semantic::Position => &|_, v| linear * v,
            Semantic::Normal => &|point, v| normals.delta(point, v),
            Semantic::Tangent => &|point, v| tangents.delta(point, v),
            _ => continue,
        };
        let mut values = delta.values.to_vec();
        for (element, value) in values.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            *value = single(work(delta.point_of(element), double(*value)));
        }
        delta.values = values.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use anyrig_scene::DeltaStream;
    use glam::DQuat;
    use proptest::prelude::*;

    fn part() -> Part {
        let mut part = Part::default();
        part.point_count = 3;
        let positions = vec![0.0, 0.0, 1.0, 2.0, 0.0, 0.5, 0.0, 1.0, 1.0];
        part.set_stream(Stream::new(Semantic::Position, 3, positions.clone()));
        let p: Vec<DVec3> = positions.as_chunks::<3>().0.iter().map(|p| double(*p)).collect();
        let normal = (p[1] - p[0]).cross(p[2] - p[0]).try_normalize().expect("has an area");
        part.set_stream(Stream::new(Semantic::Normal, 3, [single(normal)].repeat(3).into_flattened()));
        let tangent = (p[1] - p[0]).try_normalize().expect("not 0").as_vec3();
        part.set_stream(Stream::new(
            Semantic::Tangent,
            4,
            [[tangent.x, tangent.y, tangent.z, 1.0]].repeat(3).into_flattened(),
        ));
        let delta =
            |semantic, points: Vec<u32>, values: Vec<f32>| DeltaStream::new(semantic, 3, values).at_points(points);
        part.morphs = vec![PartMorph::new(vec![
            delta(Semantic::Position, vec![2], vec![0.0, 0.5, 0.25]),
            delta(Semantic::Normal, vec![1], vec![0.01, 0.0, 0.0]),
        ])];
        part
    }

    #[test]
    fn the_identity_keeps_buffers() {
        let (before, mut after) = (part(), part());
        after.streams.clone_from(&before.streams);
        transform_part(&mut after, DAffine3::IDENTITY).expect("valid");
        assert!(after.streams[0].values.same_memory(&before.streams[0].values));
    }

    #[test]
    fn a_mirror_turns_faces_and_the_sign_of_tangents() {
        let mut mirrored = part();
        transform_part(&mut mirrored, DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0))).expect("valid");
        assert_eq!(mirrored.corners.as_deref(), Some(&[0, 2, 1][..]));
        assert_eq!(mirrored.streams[2].values[3], -1.0);
        assert_eq!(mirrored.positions()[1], [-2.0, 0.0, 0.5]);
    }

    #[test]
    fn what_a_transform_makes_is_known_before() {
        let bytes = |affine| transformed_bytes(&part(), affine);
        assert_eq!(bytes(DAffine3::IDENTITY), 0);
        // Three points with a position, a normal and a tangent of four numbers, and two deltas of one point.
        let moved = (3 * 3 + 3 * 3 + 3 * 4 + 2 * 3) * 4;
        assert_eq!(bytes(DAffine3::from_scale(DVec3::splat(2.0))), moved);
        // Three corners are turned round.
        assert_eq!(bytes(DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0))), moved + 3 * 4);
    }

    #[test]
    fn flat_and_zero_matrices_stay_finite() {
        for scale in [DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::new(0.0, 0.0, 1.0)] {
            let mut flat = part();
            transform_part(&mut flat, DAffine3::from_scale(scale)).expect("valid");
            assert!(flat.streams.iter().all(|s| s.values.iter().all(|v| v.is_finite())), "{scale}");
        }
        for mut part in malformed_parts() {
            assert!(transform_part(&mut part, DAffine3::from_scale(DVec3::splat(2.0))).is_err());
        }
    }

    proptest! {
        /// Normals stay at right angles to their triangle and on its front, whatever the matrix; a morphed part moves as
        /// the transform of the morphed part.
        #[test]
        fn fronts_and_morphs_follow(
            scale in prop::array::uniform3(prop_oneof![0.2f64..3.0, -3.0f64..-0.2]),
            shear in -1f64..1.0,
            turn in prop::array::uniform4(0.1f64..1.0),
            weight in 0f64..1.0,
        ) {
            let turn = DQuat::from_array(turn);
            let mut affine = DAffine3::from_scale_rotation_translation(scale.into(), turn / turn.length(), DVec3::ONE);
            affine.matrix3.y_axis += affine.matrix3.x_axis * shear;
            let (before, mut after) = (part(), part());
            transform_part(&mut after, affine).expect("valid");
            let p: Vec<DVec3> = (0..3).map(|c| double(after.positions()[after.point_of(c)])).collect();
            let front = (p[1] - p[0]).cross(p[2] - p[0]).try_normalize().expect("has an area");
            let normal = double(point_values::<3>(&after, &Semantic::Normal).expect("kept")[0]);
            prop_assert!(front.dot(normal) > 1.0 - 1e-5);
            let tangent = point_values::<4>(&after, &Semantic::Tangent).expect("kept")[0];
            let along = double([tangent[0], tangent[1], tangent[2]]);
            prop_assert!(along.dot(normal).abs() < 1e-5 && (along.length() - 1.0).abs() < 1e-5);
            let moved = |part: &Part| {
                double(part.positions()[2]) + double(part.morphs[0].deltas[0].values.as_chunks::<3>().0[0]) * weight
            };
            prop_assert!(moved(&after).abs_diff_eq(affine.transform_point3(moved(&before)), 1e-5));
        }
    }
}
