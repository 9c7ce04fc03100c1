use super::*;
use crate::check::malformed_parts;
use anyrig_scene::{DeltaStream, Domain, Influences, Layout, Mesh, PartMorph, Storage, Stream};
use proptest::prelude::*;

/// Corners of a quad as two triangles, each with points of its own.
fn quad() -> Part {
    let mut part = Part::default();
    part.point_count = 6;
    let corners =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
    part.set_stream(Stream::new(Semantic::Position, 3, corners.concat()));
    part.corners = Some((0..6).collect());
    part
}

fn welded(part: &Part, options: &WeldOptions) -> Part {
    let mut part = part.clone();
    weld_part(&mut part, options).expect("valid");
    part
}

fn exact(part: &Part) -> Part {
    welded(part, &WeldOptions::default())
}

/// All numbers that each corner sees, in the order of the corners.
fn seen(part: &Part) -> Vec<Vec<f32>> {
    let morphs = |point: usize| {
        part.morphs.iter().flat_map(|m| &m.deltas).flat_map(move |d| {
            let element = (0..d.len()).find(|e| d.point_of(*e) == point);
            let width = usize::from(d.width);
            (0..width).map(move |i| element.map_or(0.0, |e| d.values[e * width + i]))
        })
    };
    let at_corner = |corner: usize| {
        let point = part.point_of(corner);
        let streams = part.streams.iter().flat_map(|s| {
            let (element, width) = (if s.domain == Domain::Corner { corner } else { point }, usize::from(s.width));
            s.values[element * width..(element + 1) * width].to_vec()
        });
        let influences = part.influences.iter().flat_map(|i| {
            let (joints, weights) = i.of(point);
            joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).flat_map(|(j, w)| [*j as f32, *w])
        });
        streams.chain(influences).chain(morphs(point)).collect()
    };
    (0..part.corner_count()).map(at_corner).collect()
}

#[test]
fn equal_points_become_one_and_all_corners_see_what_they_saw() {
    let part = quad();
    let new = exact(&part);
    assert_eq!((new.point_count, new.corners.as_deref()), (4, Some(&[0, 1, 2, 2, 1, 3][..])));
    assert_eq!(seen(&new), seen(&part));
    let again = exact(&new);
    assert!(again.streams[0].values.same_memory(&new.streams[0].values), "nothing to do keeps the buffers");
}

#[test]
fn whatever_differs_keeps_points_apart() {
    let differing: [&dyn Fn(&mut Part); 6] = [
        &|p| p.set_stream(Stream::new(Semantic::TexCoord(0), 2, (0..12).map(|v| v as f32).collect::<Vec<_>>())),
        &|p| {
            p.set_stream(Stream::new(
                Semantic::Custom("_ID".to_owned()),
                1,
                (0..6).map(|v| v as f32).collect::<Vec<_>>(),
            ));
        },
        &|p| {
            let layout = Layout::Fixed(1);
            p.influences = Some(Influences::new(layout, (0..6).collect::<Vec<_>>(), vec![1.0; 6]));
        },
        &|p| {
            let layout = Layout::Offsets((0..7).collect());
            let weights: Vec<f32> = (0..6).map(|v| 1.0 - v as f32 / 100.0).collect();
            p.influences = Some(Influences::new(layout, vec![0; 6], weights));
        },
        &|p| p.morphs = vec![morph(None, (0..18).map(|v| v as f32).collect())],
        &|p| p.morphs = vec![morph(Some(vec![2, 4]), vec![1.0; 6])],
    ];
    for (case, change) in differing.iter().enumerate() {
        let mut part = quad();
        change(&mut part);
        assert_eq!(exact(&part).point_count, 6, "{case}");
    }
}

fn morph(points: Option<Vec<u32>>, values: Vec<f32>) -> PartMorph {
    let delta = DeltaStream::new(Semantic::Position, 3, values);
    PartMorph::new(vec![match points {
        Some(points) => delta.at_points(points),
        None => delta,
    }])
}

#[test]
fn what_is_equal_in_effect_is_welded() {
    let mut part = quad();
    // A delta of zeros moves nothing, and an influence of weight 0 neither.
    part.morphs = vec![morph(Some(vec![2, 5]), vec![0.0, -0.0, 0.0, 1.0, 2.0, 3.0])];
    let layout = Layout::Fixed(2);
    let joints = vec![3, 0, 3, 0, 3, 7, 3, 0, 3, 9, 3, 0];
    part.influences = Some(Influences::new(layout, joints, [1.0f32, 0.0].repeat(6)));
    let new = exact(&part);
    assert_eq!(new.point_count, 4);
    assert_eq!(seen(&new), seen(&part));
    assert_eq!(new.morphs[0].deltas[0].points.as_deref(), Some(&[2, 3][..]));
}

#[test]
fn attributes_on_corners_stay_and_unused_points_go() {
    let mut part = quad();
    let uvs: Vec<f32> = (0..12).map(|v| v as f32).collect();
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.clone()).on(Domain::Corner));
    part.corners = Some(vec![1, 5, 3].into());
    part.streams[1].values = uvs[..6].to_vec().into();
    let new = exact(&part);
    assert_eq!((new.point_count, new.corners.as_deref()), (3, Some(&[0, 2, 1][..])));
    assert_eq!(new.streams[1].values, part.streams[1].values);
    assert_eq!(seen(&new), seen(&part));
}

#[test]
fn a_corner_list_is_added_only_where_it_pays() {
    let mut part = quad();
    part.corners = None;
    assert_eq!(exact(&part).corners, None, "two points of 12 bytes do not pay for a list");
    let side = 20;
    let positions = (0..side * side).flat_map(|q| {
        let (x, y) = ((q % side) as f32, (q / side) as f32);
        [[x, y], [x + 1.0, y], [x, y + 1.0], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]]
    });
    let positions: Vec<f32> = positions.flat_map(|[x, y]| [x, y, 0.0]).collect();
    part.point_count = side * side * 6;
    part.streams = vec![Stream::new(Semantic::Position, 3, positions)];
    let new = exact(&part);
    assert_eq!(new.point_count, (side + 1) * (side + 1));
    assert_eq!(seen(&new), seen(&part));
    assert_eq!(new.streams[0].storage, Storage::F32);
    part.topology = Topology::Points;
    assert_eq!(exact(&part), part, "points of a cloud are drawn one by one");
}

#[test]
fn tolerances_bound_each_kind() {
    let mut part = quad();
    let moved: Vec<f32> = part.streams[0].values.iter().enumerate().map(|(i, v)| v + i as f32 * 1e-4).collect();
    part.set_stream(Stream::new(Semantic::Position, 3, moved.clone()));
    part.set_stream(Stream::new(Semantic::Normal, 3, [[0.0f32, 0.0, 1.0], [0.0, 0.02, 0.9998]].repeat(3).concat()));
    let with = |position: f64, direction_rad: f64| {
        let options = WeldOptions { position, direction_rad, ..WeldOptions::default() };
        welded(&part, &options)
    };
    assert_eq!([with(0.0, 0.0), with(1e-3, 0.0), with(0.0, 0.1)].map(|p| p.point_count), [6, 6, 6]);
    // Points 2 and 3 lie 3 * 3e-4 * sqrt(3) apart at most, and their normals 0.02.
    let new = with(2e-3, 0.03);
    assert_eq!(new.point_count, 4);
    let distance = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(seen(&new).iter().zip(seen(&part)).all(|(a, b)| distance(a, &b) <= 0.03));
    assert_eq!(new.corners.as_deref(), Some(&[0, 1, 2, 2, 1, 3][..]), "the first of near points stays");
    let wrong = WeldOptions { weight: -1.0, ..WeldOptions::default() };
    assert_eq!(weld_part(&mut part.clone(), &wrong).map_err(|e| e.kind()), Err(anyrig_bytes::ErrorKind::Usage));
}

#[test]
fn a_crowd_beside_a_point_does_not_hide_what_lies_next_to_it() {
    let mut part = Part::default();
    let crowd = MOST_COMPARED as u32;
    part.point_count = crowd + 3;
    // The crowd lies in the cell below; its texture coordinates keep all of it apart.
    let x = |point: u32| if point < crowd { 0.9 } else { 1.1 };
    part.set_stream(Stream::new(
        Semantic::Position,
        3,
        (0..part.point_count).flat_map(|p| [x(p), 0.5, 0.5]).collect::<Vec<_>>(),
    ));
    let uvs = (0..part.point_count).flat_map(|p| [p.min(crowd) as f32, 0.0]);
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.collect::<Vec<_>>()));
    part.corners = Some((0..part.point_count).collect());
    let options = WeldOptions { position: 1.0, ..WeldOptions::default() };
    assert_eq!(welded(&part, &options).point_count, crowd + 1);
}

#[test]
fn what_moves_points_is_booked() {
    let mut part = quad();
    part.morphs = (0..100).map(|_| morph(None, vec![1.0; 18])).collect();
    let (mut scene, mut mesh) = (Scene::default(), Mesh::default());
    mesh.parts.push(part);
    scene.meshes.push(mesh);
    // Eight bytes for each of 600 moves.
    let within = |bytes: u64, options: &WeldOptions| {
        let mut limits = anyrig_bytes::Limits::default();
        limits.memory_bytes = bytes;
        weld(&mut scene.clone(), options, &Context::new().with_limits(limits))
    };
    let near = WeldOptions { position: 1e-6, ..WeldOptions::default() };
    let (exact, of_points, of_cells) = (WeldOptions::default(), 6 * 24 + 7 * 8, 6 * 96);
    assert!(within(4800 + of_points - 1, &exact).is_err());
    assert!(within(4800 + of_points, &exact).is_ok());
    assert!(within(4800 + of_points + of_cells - 1, &near).is_err());
    assert!(within(4800 + of_points + of_cells, &near).is_ok());
}

#[test]
fn shared_points_stay_shared_and_each_part_is_told() {
    let (a, mut b) = (quad(), quad());
    b.streams.clone_from(&a.streams);
    b.corners = Some(vec![3, 4, 5].into());
    let mut other = quad();
    other.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.5; 12]));
    let (mut scene, mut mesh) = (Scene::default(), Mesh::default());
    mesh.name = "m".to_owned();
    mesh.parts = vec![a, b, other];
    scene.meshes.push(mesh);
    let context = Context::new();
    let stats = weld(&mut scene, &WeldOptions::default(), &context).expect("valid");
    assert_eq!((stats.points_before, stats.points_after), (12, 8));
    let parts = &scene.meshes.as_slice()[0].parts;
    assert!(parts[0].streams[0].values.same_memory(&parts[1].streams[0].values));
    assert_eq!(parts[1].corners.as_deref(), Some(&[2, 1, 3][..]));
    let report = context.report();
    let told: Vec<_> = report.diagnostics().iter().map(|d| (d.code.id, d.subject.as_str(), d.count)).collect();
    let code = "passes.points-welded";
    assert_eq!(told, [(code, "mesh \"m\" part 0", 2), (code, "mesh \"m\" part 2", 2)]);
}

#[test]
fn malformed_parts_and_a_stop_are_errors() {
    for mut part in malformed_parts() {
        assert!(weld_part(&mut part, &WeldOptions::default()).is_err());
    }
    let (mut scene, mut mesh) = (Scene::default(), Mesh::default());
    mesh.parts.push(quad());
    scene.meshes.push(mesh);
    let stopped = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let context = Context::new().with_cancel(stopped);
    let error = weld(&mut scene, &WeldOptions::default(), &context).expect_err("stopped");
    assert_eq!(error.kind(), anyrig_bytes::ErrorKind::Cancelled);
    let mut limits = anyrig_bytes::Limits::default();
    limits.memory_bytes = 10;
    let error = weld(&mut scene, &WeldOptions::default(), &Context::new().with_limits(limits)).expect_err("too much");
    assert_eq!(error.kind(), anyrig_bytes::ErrorKind::LimitExceeded);
}

proptest! {
    /// Whatever the points, every corner sees the same bits, no two points are equal any more, and all are used.
    #[test]
    fn nothing_changes_for_corners(
        choices in prop::collection::vec((0u8..3, 0u8..2, 0u8..2), 1..40),
        picks in prop::collection::vec(0usize..40, 3..60),
    ) {
        let mut part = Part::default();
        part.point_count = choices.len() as u32;
        part.set_stream(Stream::new(Semantic::Position, 3, choices.iter().flat_map(|c| [f32::from(c.0), 0.0, 1.0]).collect::<Vec<_>>()));
        let weights: Vec<f32> = choices.iter().flat_map(|c| [0.25 + f32::from(c.1) / 2.0, 0.75 - f32::from(c.1) / 2.0]).collect();
        part.influences = Some(Influences::fixed(2, [4u32, 2].repeat(choices.len()), weights));
        let moved: Vec<u32> = (0..choices.len() as u32).filter(|p| choices[*p as usize].2 == 1).collect();
        part.morphs = vec![morph(Some(moved.clone()), vec![1.5; moved.len() * 3])];
        part.corners = Some(picks.iter().map(|p| (p % choices.len()) as u32).collect());
        let new = exact(&part);
        prop_assert_eq!(seen(&new), seen(&part));
        let mut of_points: Vec<Vec<u32>> = (0..new.corner_count())
            .map(|c| std::iter::once(new.point_of(c) as u32).chain(seen(&new)[c].iter().map(|v| v.to_bits())).collect())
            .collect();
        of_points.sort();
        of_points.dedup();
        let mut values: Vec<_> = of_points.iter().map(|p| p[1..].to_vec()).collect();
        values.sort();
        values.dedup();
        prop_assert_eq!(values.len(), new.point_count as usize);
    }
}
