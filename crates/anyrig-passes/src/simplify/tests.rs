use super::*;
use crate::check::malformed_parts;
use anyrig_bytes::ErrorKind;
use anyrig_scene::{DeltaStream, Influences, Layout, Mesh, PartMorph, Semantic, Stream};
use glam::DVec3;

/// A square of `side` × `side` quads over 0..1, its heights and texture coordinates by functions of the place.
fn sheet(side: u32, height: impl Fn(f32, f32) -> f32) -> Part {
    let mut part = Part::default();
    part.point_count = (side + 1) * (side + 1);
    let at = |p: u32| ((p % (side + 1)) as f32 / side as f32, (p / (side + 1)) as f32 / side as f32);
    let points = || (0..part.point_count).map(at);
    let positions: Vec<f32> = points().flat_map(|(x, y)| [x, y, height(x, y)]).collect();
    let uvs: Vec<f32> = points().flat_map(|(x, y)| [x, y]).collect();
    let corners = (0..side * side).flat_map(|q| {
        let p = q / side * (side + 1) + q % side;
        [p, p + 1, p + side + 1, p + 1, p + side + 2, p + side + 1]
    });
    part.corners = Some(corners.collect());
    part.set_stream(Stream::new(Semantic::Position, 3, positions));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs));
    part
}

fn simplified(part: &Part, ratio: f64, max_error: f64) -> (Part, SimplifyStats) {
    let mut part = part.clone();
    let options = SimplifyOptions { ratio, max_error, borders: Borders::Simplify };
    let stats = simplify_part(&mut part, &options, &Context::new()).expect("valid");
    (part, stats)
}

fn double(p: [f32; 3]) -> DVec3 {
    DVec3::from_array(p.map(f64::from))
}

fn area(part: &Part) -> f64 {
    let at = |c: usize| double(part.positions()[part.point_of(c)]);
    (0..part.face_count()).map(|t| (at(3 * t + 1) - at(3 * t)).cross(at(3 * t + 2) - at(3 * t)).length() / 2.0).sum()
}

/// The largest distance of a point of one part from the triangles of another one, found by looking at all.
fn farthest(from: &Part, to: &Part) -> f64 {
    let at = |c: usize| double(to.positions()[to.point_of(c)]);
    let distance = |p: DVec3| {
        let of_triangle = |t: usize| {
            // Sampled, not computed as the pass does it.
            let steps = 24;
            let weights = (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j)));
            let nearest = weights.map(|(i, j)| {
                let (u, v) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                p.distance(at(3 * t) * (1.0 - u - v) + at(3 * t + 1) * u + at(3 * t + 2) * v)
            });
            nearest.fold(f64::MAX, f64::min)
        };
        (0..to.face_count()).map(of_triangle).fold(f64::MAX, f64::min)
    };
    from.positions().iter().map(|p| distance(double(*p))).fold(0.0, f64::max)
}

#[test]
fn a_flat_sheet_needs_few_triangles_and_keeps_its_outline() {
    let flat = sheet(12, |_, _| 0.0);
    let (new, stats) = simplified(&flat, 0.01, 1e-6);
    assert!(stats.triangles_after <= 8, "{stats:?}");
    assert!((area(&new) - 1.0).abs() < 1e-6, "no hole and no lost corner");
    assert!(stats.max_error < 1e-6);
}

#[test]
fn every_point_is_an_old_one_with_all_that_it_had() {
    let mut wave = sheet(16, |x, y| (x * 7.0).fract() * 0.1 + y * y * 0.3);
    let points = wave.point_count as usize;
    let layout = Layout::Fixed(1);
    let joints: Vec<u32> = (0..points).map(|p| (p % 17 / 9) as u32).collect();
    wave.influences = Some(Influences::new(layout, joints, vec![1.0; points]));
    let ids: Vec<f32> = (0..points).map(|p| p as f32).collect();
    wave.set_stream(Stream::new(Semantic::Custom("_ID".to_owned()), 1, ids));
    let (new, stats) = simplified(&wave, 0.5, 1.0);
    assert!(stats.triangles_after <= stats.triangles_before / 2 && stats.triangles_after > 0);
    let ids = new.stream(&Semantic::Custom("_ID".to_owned())).expect("kept").values.clone();
    for (point, old) in ids.iter().map(|id| *id as usize).enumerate() {
        assert_eq!(new.positions()[point], wave.positions()[old]);
        let joint = |part: &Part, p: usize| part.influences.as_ref().map(|i| i.of(p).0[0]);
        assert_eq!(joint(&new, point), joint(&wave, old));
    }
}

#[test]
fn the_error_bound_holds() {
    let hill = sheet(20, |x, y| {
        let (x, y) = (x - 0.5, y - 0.5);
        0.4 / (1.0 + 12.0 * (x * x + y * y))
    });
    let size = 2f64.sqrt();
    let mut last = usize::MAX;
    for bound in [0.001, 0.005, 0.02] {
        let (new, stats) = simplified(&hill, 0.001, bound);
        assert!(stats.max_error <= bound);
        // The samples lie up to half a step of the grid away from the nearest point.
        let away = farthest(&hill, &new);
        assert!(away <= 1.5 * bound * size + 0.02, "{away} with {bound}");
        assert!(new.face_count() < last, "a wider bound gives fewer triangles");
        last = new.face_count();
    }
    assert!(last < 80, "{last} of 800 triangles at 2 %");
}

#[test]
fn the_front_stays_the_front() {
    let hill = sheet(16, |x, y| (x - 0.5) * (x - 0.5) + y * 0.2);
    let (new, _) = simplified(&hill, 0.1, 1.0);
    let at = |c: usize| double(new.positions()[new.point_of(c)]);
    assert!((0..new.face_count()).all(|t| (at(3 * t + 1) - at(3 * t)).cross(at(3 * t + 2) - at(3 * t)).z > 0.0));
}

/// A sheet whose right half has other texture coordinates, with points of its own along the seam.
fn with_seam(side: u32) -> Part {
    let mut part = sheet(side, |_, _| 0.0);
    let columns = side + 1;
    let seam = side / 2;
    let mut positions = part.positions().to_vec();
    let mut uvs: Vec<[f32; 2]> = part.streams[1].arrays::<2>().expect("two").to_vec();
    let mut twin = std::collections::BTreeMap::new();
    for row in 0..columns {
        let point = row * columns + seam;
        twin.insert(point, positions.len() as u32);
        positions.push(positions[point as usize]);
        uvs.push([uvs[point as usize][0] + 5.0, uvs[point as usize][1]]);
    }
    let old = part.corners.take().expect("indexed");
    let corners = old.chunks_exact(3).flat_map(|face| {
        let is_right = face.iter().any(|p| p % columns > seam);
        let twin = &twin;
        face.iter().map(move |p| if is_right { twin.get(p).copied().unwrap_or(*p) } else { *p })
    });
    part.corners = Some(corners.collect());
    for (point, uv) in uvs.iter_mut().enumerate().take((columns * columns) as usize) {
        if point as u32 % columns > seam {
            uv[0] += 5.0;
        }
    }
    part.point_count = positions.len() as u32;
    part.set_stream(Stream::new(Semantic::Position, 3, positions.concat()));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.concat()));
    part
}

#[test]
fn seams_stay_closed_and_no_face_crosses_them() {
    let (new, stats) = simplified(&with_seam(12), 0.01, 1e-3);
    assert!(stats.triangles_after <= 24, "{stats:?}");
    assert!((area(&new) - 1.0).abs() < 1e-6);
    let uvs = new.stream(&Semantic::TexCoord(0)).and_then(|s| s.arrays::<2>()).expect("two");
    for t in 0..new.face_count() {
        let right: Vec<bool> = (0..3).map(|i| uvs[new.point_of(3 * t + i)][0] >= 5.0).collect();
        assert!(right.iter().all(|r| *r == right[0]), "a face lies on one side");
        for i in 0..3 {
            let point = new.point_of(3 * t + i);
            let (uv, at) = (uvs[point], new.positions()[point]);
            let shift = if right[0] { 5.0 } else { 0.0 };
            assert!((uv[0] - shift - at[0]).abs() < 1e-6 && (uv[1] - at[1]).abs() < 1e-6);
        }
    }
}

#[test]
fn what_bends_or_morphs_keeps_its_triangles() {
    let side = 12;
    let flat = sheet(side, |_, _| 0.0);
    let points = flat.point_count as usize;
    let x_of = |p: usize| flat.positions()[p][0];
    // A joint takes over within two columns, and a morph lifts a corner: both are invisible at rest.
    let mut bending = flat.clone();
    let share = |p: usize| (x_of(p) * 6.0 - 2.5).clamp(0.0, 1.0);
    bending.influences = Some(Influences::fixed(
        2,
        [0u32, 1].repeat(points),
        (0..points).flat_map(|p| [1.0 - share(p), share(p)]).collect::<Vec<_>>(),
    ));
    let mut morphing = flat.clone();
    let lifted = |p: usize| (x_of(p) - 0.5).max(0.0) * (flat.positions()[p][1] - 0.5).max(0.0);
    let deltas: Vec<f32> = (0..points).flat_map(|p| [0.0, 0.0, lifted(p)]).collect();
    morphing.morphs = vec![PartMorph::new(vec![DeltaStream::new(Semantic::Position, 3, deltas)])];
    let plain = simplified(&flat, 0.01, 0.005).1.triangles_after;
    let (bent, bent_stats) = simplified(&bending, 0.01, 0.005);
    let (morphed, morphed_stats) = simplified(&morphing, 0.01, 0.005);
    assert!(plain < 10 && bent_stats.triangles_after >= 2 * plain, "{plain} {bent_stats:?}");
    assert!(morphed_stats.triangles_after >= 2 * plain, "{plain} {morphed_stats:?}");
    assert!(bent_stats.triangles_after < 288 && morphed_stats.triangles_after < 288);
    // In the pose of the morph the simplified sheet lies where the whole one does.
    let posed = |part: &Part| {
        let mut posed = part.clone();
        let mut positions = part.positions().to_vec();
        let delta = &part.morphs[0].deltas[0];
        for element in 0..delta.len() {
            positions[delta.point_of(element)][2] += delta.values[3 * element + 2];
        }
        posed.set_stream(Stream::new(Semantic::Position, 3, positions.concat()));
        posed
    };
    assert!(farthest(&posed(&morphing), &posed(&morphed)) < 0.05);
    assert!((area(&bent) - 1.0).abs() < 1e-6);
}

#[test]
fn parts_that_meet_stay_together() {
    let left = sheet(8, |_, _| 0.0);
    let mut right = left.clone();
    let shifted: Vec<f32> = left.positions().iter().flat_map(|p| [p[0] + 1.0, p[1], p[2]]).collect();
    right.set_stream(Stream::new(Semantic::Position, 3, shifted));
    let (mut scene, mut mesh) = (Scene::default(), Mesh::default());
    mesh.parts = vec![left, right];
    scene.meshes.push(mesh);
    let context = Context::new();
    let options = SimplifyOptions { ratio: 0.01, max_error: 1e-3, borders: Borders::Simplify };
    let stats = simplify(&mut scene, &options, &context).expect("valid");
    assert!(stats.triangles_after < stats.triangles_before / 4, "{stats:?}");
    let at_seam = |part: &Part| part.positions().iter().filter(|p| p[0] == 1.0).count();
    let parts = &scene.meshes.as_slice()[0].parts;
    assert_eq!([at_seam(&parts[0]), at_seam(&parts[1])], [9, 9]);
    assert_eq!(context.report().diagnostics().len(), 2);
    assert_eq!(context.report().count_of("passes.simplified"), stats.triangles_before - stats.triangles_after);
    let options = SimplifyOptions { borders: Borders::Keep, ..options };
    let (mut alone, outline) = (sheet(8, |_, _| 0.0), |p: &[f32; 3]| p[..2].iter().any(|v| *v == 0.0 || *v == 1.0));
    simplify_part(&mut alone, &options, &Context::new()).expect("valid");
    assert_eq!(alone.positions().iter().filter(|p| outline(p)).count(), 32);
}

#[test]
fn a_fan_of_very_many_triangles_ends_soon() {
    let mut part = Part::default();
    let count = 60_000u32;
    part.point_count = count + 2;
    let rim = (0..=count).flat_map(|i| {
        let turn = f64::from(i) / f64::from(count) * std::f64::consts::TAU;
        let (sin, cos) = anyrig_bytes::maths::f64::sin_cos(turn);
        [cos as f32, sin as f32, 0.0]
    });
    part.set_stream(Stream::new(Semantic::Position, 3, [0.0f32; 3].into_iter().chain(rim).collect::<Vec<_>>()));
    part.corners = Some((0..count).flat_map(|i| [0, i + 1, i + 2]).collect());
    let (new, _) = simplified(&part, 0.5, 0.01);
    assert!(new.face_count() > 0);
}

#[test]
fn wrong_options_parts_and_stops_are_errors() {
    let mut part = sheet(2, |_, _| 0.0);
    for (ratio, max_error) in [(0.0, 0.1), (1.5, 0.1), (f64::NAN, 0.1), (0.5, -1.0), (0.5, f64::INFINITY)] {
        let options = SimplifyOptions { ratio, max_error, borders: Borders::Simplify };
        let result = simplify_part(&mut part, &options, &Context::new());
        assert_eq!(result.map_err(|e| e.kind()), Err(ErrorKind::Usage));
    }
    for mut part in malformed_parts() {
        assert!(simplify_part(&mut part, &SimplifyOptions::default(), &Context::new()).is_err());
    }
    let stopped = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let context = Context::new().with_cancel(stopped);
    let result = simplify_part(&mut part, &SimplifyOptions::default(), &context);
    assert_eq!(result.map_err(|e| e.kind()), Err(ErrorKind::Cancelled));
    let mut limits = anyrig_bytes::Limits::default();
    limits.memory_bytes = 100;
    let result = simplify_part(&mut part, &SimplifyOptions::default(), &Context::new().with_limits(limits.clone()));
    assert_eq!(result.map_err(|e| e.kind()), Err(ErrorKind::LimitExceeded));
    // Enough for the part, but not for a list of what moves its points.
    limits.memory_bytes = u64::from(part.point_count) * 320 + part.corner_count() as u64 * 320 + 1000;
    let still =
        simplify_part(&mut part.clone(), &SimplifyOptions::default(), &Context::new().with_limits(limits.clone()));
    assert!(still.is_ok(), "{still:?}");
    let delta = DeltaStream::new(Semantic::Position, 3, vec![1.0; part.point_count as usize * 3]);
    part.morphs = vec![PartMorph::new(vec![delta]); 20];
    let result = simplify_part(&mut part, &SimplifyOptions::default(), &Context::new().with_limits(limits));
    assert_eq!(result.map_err(|e| e.kind()), Err(ErrorKind::LimitExceeded));
}
