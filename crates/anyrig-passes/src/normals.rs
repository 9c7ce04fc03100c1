//! Smooth normals.

use crate::check::{check_part, point_values};
use crate::{codes, for_each_part};
use anyrig_bytes::{Context, Diagnostic, Error, Result, maths};
use anyrig_scene::{Mesh, Part, Scene, Semantic, Space, Stream, Topology, Winding};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How much each triangle counts in a point's normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NormalWeight {
    /// By its area.
    #[default]
    Area,
    /// By its angle at the point, so that the way in which a flat face is cut does not matter.
    Angle,
}

/// Options of [`generate_normals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct NormalOptions {
    /// How much each triangle counts. Default: `area`.
    pub weight: NormalWeight,
}

/// What [`generate_normals`] met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NormalStats {
    /// Points without a triangle of any area; they got the space's up axis.
    pub fallback_points: u32,
}

/// Makes unit normals per point, smooth over all points at bit-identical positions (0 and -0 are the same), and sets the
/// part's normal stream. They point out of the front that the space's winding tells. Nothing is welded or reordered.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when the part has no triangles or no positions per point;
/// [`anyrig_bytes::ErrorKind::Malformed`] when it was not validated.
pub fn generate_normals(part: &mut Part, space: &Space, options: NormalOptions) -> Result<NormalStats> {
    if part.topology != Topology::Triangles {
        return Err(Error::usage("normals are made from triangles; triangulate polygons first"));
    }
    check_part(part)?;
    let Some(positions) = point_values::<3>(part, &Semantic::Position) else {
        return Err(Error::usage("normals need a position per point"));
    };
    let place_of = places(positions);
    let sums = sum_at_places(part, positions, &place_of, options.weight);
    let normals = place_of.iter().map(|place| sums[*place as usize]);
    let (stream, stats) = finished(normals, space);
    part.set_stream(stream);
    Ok(stats)
}

/// The normal stream of the points' sums.
fn finished(sums: impl ExactSizeIterator<Item = DVec3>, space: &Space) -> (Stream, NormalStats) {
    let outward = if space.winding == Winding::CrossOutward { 1.0 } else { -1.0 };
    let up = space.up.to_vector();
    let mut stats = NormalStats::default();
    let mut normals = Vec::with_capacity(sums.len() * 3);
    for sum in sums {
        let normal = unit(sum * outward);
        stats.fallback_points += u32::from(normal.is_none());
        normals.extend_from_slice(&normal.unwrap_or(up).as_vec3().to_array());
    }
    (Stream::new(Semantic::Normal, 3, normals), stats)
}

/// Makes normals for every triangle part that has positions but no normals, parts in parallel, and reports it. Parts of
/// one mesh are smooth over their common borders: that they have different materials makes no edge.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated; [`anyrig_bytes::ErrorKind::LimitExceeded`];
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn generate_missing_normals(scene: &mut Scene, options: NormalOptions, context: &Context) -> Result<()> {
    let space = scene.space;
    let border = |mesh| context.check_cancelled().map(|()| sums_of_mesh(mesh, options.weight));
    let borders: Vec<Option<SumOf>> = scene.meshes.values().map(border).collect::<Result<_>>()?;
    for_each_part(scene, context, |place, part, report| {
        if !lacks_normals(part) {
            return Ok(());
        }
        // The normals, and the sum and the place of each point.
        let bytes = size_of::<[f32; 3]>() + size_of::<DVec3>() + size_of::<u32>();
        place.take_memory(context, part.positions().len(), bytes)?;
        let stats = match &borders[place.mesh.index()] {
            Some(sum_of) => {
                let sums = part.positions().iter().map(|p| sum_of.get(&key(*p)).copied().unwrap_or_default());
                let (stream, stats) = finished(sums, &space);
                part.set_stream(stream);
                stats
            }
            None => generate_normals(part, &space, options)?,
        };
        report.push(Diagnostic::new(&codes::NORMALS_GENERATED, place.to_string(), ""));
        if stats.fallback_points > 0 {
            let count = u64::from(stats.fallback_points);
            report.push(Diagnostic::new(&codes::NORMALS_FALLBACK, place.to_string(), "").times(count));
        }
        Ok(())
    })
}

fn lacks_normals(part: &Part) -> bool {
    let has_positions = point_values::<3>(part, &Semantic::Position).is_some();
    part.topology == Topology::Triangles && has_positions && part.stream(&Semantic::Normal).is_none()
}

/// Sums of face normals by position. Only looked up in, so its order reaches no output.
type SumOf = HashMap<[u32; 3], DVec3>;

/// The sums over all parts of a mesh that lack normals; `None` when a part is alone with that, or was not validated.
fn sums_of_mesh(mesh: &Mesh, weight: NormalWeight) -> Option<SumOf> {
    let parts: Vec<&Part> = mesh.parts.iter().filter(|part| lacks_normals(part)).collect();
    if parts.len() < 2 || parts.iter().any(|part| check_part(part).is_err()) {
        return None;
    }
    let mut sum_of = SumOf::new();
    for part in parts {
        let positions = part.positions();
        let place_of = places(positions);
        let sums = sum_at_places(part, positions, &place_of, weight);
        for (point, place) in place_of.iter().enumerate().filter(|(point, place)| *point == **place as usize) {
            *sum_of.entry(key(positions[point])).or_default() += sums[*place as usize];
        }
    }
    Some(sum_of)
}

/// The bits of a position; adding 0 makes 0 of -0.
fn key(position: [f32; 3]) -> [u32; 3] {
    position.map(|v| (v + 0.0).to_bits())
}

/// A number for each point that points at the same position share: the first such point.
fn places(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut order: Vec<([u32; 3], u32)> = (0..).zip(positions).map(|(p, position)| (key(*position), p)).collect();
    order.sort_unstable();
    let mut place_of = vec![0; positions.len()];
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        group.iter().for_each(|(_, point)| place_of[*point as usize] = group[0].1);
    }
    place_of
}

/// The weighted sum of face normals at each place, in the order of the triangles.
fn sum_at_places(part: &Part, positions: &[[f32; 3]], place_of: &[u32], weight: NormalWeight) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for triangle in 0..part.face_count() {
        let points = [0, 1, 2].map(|i| part.point_of(triangle * 3 + i));
        let [a, b, c] = points.map(|p| DVec3::from(positions[p].map(f64::from)));
        // Twice the area long.
        let normal = (b - a).cross(c - a);
        let weighted = match weight {
            NormalWeight::Area => [normal; 3],
            NormalWeight::Angle => {
                let Some(normal) = unit(normal) else { continue };
                [angle(b - a, c - a), angle(c - b, a - b), angle(a - c, b - c)].map(|angle| normal * angle)
            }
        };
        for (point, normal) in points.into_iter().zip(weighted) {
            sums[place_of[point] as usize] += normal;
        }
    }
    sums
}

fn angle(a: DVec3, b: DVec3) -> f64 {
    maths::f64::atan2(a.cross(b).length(), a.dot(b))
}

/// Unit length also for vectors so short that their square is 0.
fn unit(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).try_normalize() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use anyrig_scene::Axis;
    use proptest::prelude::*;

    fn part(points: &[[f32; 3]], corners: Option<Vec<u32>>) -> Part {
        let mut part = Part::default();
        part.point_count = points.len() as u32;
        part.corners = corners.map(Into::into);
        part.set_stream(Stream::new(Semantic::Position, 3, points.as_flattened().to_vec()));
        part
    }

    fn normals(part: &Part) -> &[[f32; 3]] {
        part.stream(&Semantic::Normal).and_then(Stream::arrays).expect("made")
    }

    /// Two triangles of areas 1/2 and 1, one in the XY plane, one in the YZ plane, that share the edge on Y.
    const FOLD: [[f32; 3]; 6] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]];

    #[test]
    fn points_at_one_position_share_the_normal_weighted_by_area() {
        let mut fold = part(&FOLD, None);
        let stats = generate_normals(&mut fold, &Space::GLTF, NormalOptions::default()).expect("valid");
        assert_eq!(stats.fallback_points, 0);
        // Sum of (0, 0, 1) and (2, 0, 0), by hand.
        let shared = [2.0 / 5f32.sqrt(), 0.0, 1.0 / 5f32.sqrt()];
        for point in [0, 2, 3, 4] {
            let normal = normals(&fold)[point];
            assert!(normal.iter().zip(shared).all(|(a, b)| (a - b).abs() < 1e-7), "{point}: {normal:?}");
        }
        assert_eq!((normals(&fold)[1], normals(&fold)[5]), ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]));
        assert_eq!(fold.corners, None);
    }

    #[test]
    fn angles_make_a_cube_corner_even_however_its_sides_are_cut() {
        // Corner at the origin; the side in XY is cut into two triangles, the others are one each.
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut corner = part(&points, Some(vec![0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1]));
        let options = NormalOptions { weight: NormalWeight::Angle };
        generate_normals(&mut corner, &Space::GLTF, options).expect("valid");
        let even = 1.0 / 3f32.sqrt();
        assert!(normals(&corner)[0].iter().all(|v| (v - even).abs() < 1e-6), "{:?}", normals(&corner)[0]);
    }

    #[test]
    fn the_space_tells_the_front() {
        let inward = Space::GLTF.with_winding(Winding::CrossInward);
        let mut fold = part(&FOLD, None);
        generate_normals(&mut fold, &inward, NormalOptions::default()).expect("valid");
        assert_eq!(normals(&fold)[1][2], -1.0);
    }

    #[test]
    fn degenerate_triangles_count_nothing_and_lone_points_get_the_up_axis() {
        let z_up = Space::GLTF.with_axes(Axis::PosZ, Axis::NegY);
        for weight in [NormalWeight::Area, NormalWeight::Angle] {
            let mut flat = part(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [5.0; 3]], Some(vec![0, 1, 2]));
            let stats = generate_normals(&mut flat, &z_up, NormalOptions { weight }).expect("valid");
            assert_eq!((stats.fallback_points, normals(&flat)), (4, &[[0.0, 0.0, 1.0]; 4][..]));
        }
    }

    #[test]
    fn missing_normals_are_made_and_told_and_given_ones_stay() {
        let mut scene = Scene::default();
        let mut given = part(&FOLD, None);
        given.set_stream(Stream::new(Semantic::Normal, 3, vec![0.6; 18]));
        let mut mesh = Mesh::default();
        mesh.parts = vec![given.clone(), part(&FOLD, Some(vec![0, 1, 2])), Part::default()];
        scene.meshes.push(mesh);
        let context = Context::new();
        generate_missing_normals(&mut scene, NormalOptions::default(), &context).expect("valid");
        assert_eq!(scene.meshes.as_slice()[0].parts[0], given);
        let report = context.report();
        assert_eq!(report.count_of("passes.normals-generated"), 1);
        // Point 5 has no triangle; 3 and 4 share positions with 0 and 2.
        assert_eq!(report.count_of("passes.normals-fallback"), 1);
    }

    #[test]
    fn malformed_parts_are_errors() {
        for mut part in malformed_parts() {
            assert!(generate_normals(&mut part, &Space::GLTF, NormalOptions::default()).is_err());
        }
    }

    proptest! {
        #[test]
        fn normals_are_finite_and_unit(points in prop::collection::vec(prop::array::uniform3(-1e30f32..1e30), 3..20)) {
            let mut soup = part(&points[..points.len() / 3 * 3], None);
            for weight in [NormalWeight::Area, NormalWeight::Angle] {
                generate_normals(&mut soup, &Space::GLTF, NormalOptions { weight }).expect("valid");
                for normal in normals(&soup) {
                    let length = normal.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
                    prop_assert!((length - 1.0).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn parts_of_a_mesh_are_smooth_over_their_border() {
        // Two triangles of equal area that meet at a right angle along the X axis, one in each part.
        let border = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let floor = part(&[border[0], border[1], [0.0, 1.0, 0.0]], None);
        let wall = part(&[border[1], border[0], [0.0, 0.0, 1.0]], None);
        let mut mesh = Mesh::default();
        mesh.parts = vec![floor, wall];
        let mut scene = Scene::default();
        scene.meshes.push(mesh);
        generate_missing_normals(&mut scene, NormalOptions::default(), &Context::new()).expect("valid parts");
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let parts = &scene.meshes.as_slice()[0].parts;
        for normal in normals(&parts[0])[..2].iter().chain(&normals(&parts[1])[..2]) {
            let expected = [0.0, half, half];
            assert!(normal.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{normal:?}");
        }
        assert_eq!(normals(&parts[0])[2], [0.0, 0.0, 1.0]);
    }
}
