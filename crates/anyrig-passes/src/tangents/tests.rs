use super::*;
use crate::check::malformed_parts;
use proptest::prelude::*;

fn part(points: &[[f32; 3]], uvs: &[[f32; 2]], corners: Option<Vec<u32>>) -> Part {
    let mut part = Part::default();
    part.point_count = points.len() as u32;
    part.corners = corners.map(Into::into);
    part.set_stream(Stream::new(Semantic::Position, 3, points.as_flattened().to_vec()));
    if !uvs.is_empty() {
        part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.as_flattened().to_vec()));
    }
    part
}

fn flat_normals(part: &mut Part, normal: [f32; 3]) {
    part.set_stream(Stream::new(Semantic::Normal, 3, [normal].repeat(part.point_count as usize).into_flattened()));
}

fn tangents(part: &Part) -> &[[f32; 4]] {
    part.stream(&Semantic::Tangent).and_then(Stream::arrays).expect("made")
}

fn make(part: &mut Part, space: &Space) -> TangentStats {
    generate_tangents(part, space, TangentOptions::default()).expect("valid")
}

/// dP/dU and dP/dV of a triangle, from solving the two edge equations.
fn gradients(p: [DVec3; 3], uv: [[f64; 2]; 3]) -> (DVec3, DVec3) {
    let (e1, e2) = (p[1] - p[0], p[2] - p[0]);
    let (du1, dv1) = (uv[1][0] - uv[0][0], uv[1][1] - uv[0][1]);
    let (du2, dv2) = (uv[2][0] - uv[0][0], uv[2][1] - uv[0][1]);
    let det = du1 * dv2 - du2 * dv1;
    ((e1 * dv2 - e2 * dv1) / det, (e2 * du1 - e1 * du2) / det)
}

#[test]
fn cross_points_where_the_texture_goes_up() {
    let triangle = [[0.3, 0.1, 0.0], [1.2, 0.2, 0.1], [0.4, 1.5, -0.2]];
    let p = triangle.map(|p: [f32; 3]| DVec3::from(p.map(f64::from)));
    let outward = (p[1] - p[0]).cross(p[2] - p[0]).try_normalize().expect("has an area");
    for uvs in [
        [[0.1, 0.2], [0.9, 0.3], [0.2, 0.8]],
        [[0.1, 0.8], [0.9, 0.7], [0.2, 0.1]],
        [[0.9, 0.2], [0.1, 0.3], [0.8, 0.9]],
    ] {
        for (uv_origin, winding) in [
            (UvOrigin::TopLeft, Winding::CrossOutward),
            (UvOrigin::BottomLeft, Winding::CrossOutward),
            (UvOrigin::TopLeft, Winding::CrossInward),
            (UvOrigin::BottomLeft, Winding::CrossInward),
        ] {
            let space = Space::GLTF.with_uv_origin(uv_origin).with_winding(winding);
            let normal = if winding == Winding::CrossOutward { outward } else { -outward };
            let mut part = part(&triangle, &uvs, None);
            flat_normals(&mut part, normal.as_vec3().to_array());
            make(&mut part, &space);
            let (du, dv) = gradients(p, uvs.map(|uv: [f32; 2]| uv.map(f64::from)));
            let texture_up = if uv_origin == UvOrigin::TopLeft { -dv } else { dv };
            for tangent in tangents(&part) {
                let t = vector(*tangent);
                assert!(t.dot(du.try_normalize().expect("not 0")) > 0.999, "{uvs:?} {space:?}");
                assert!(normal.cross(t).dot(texture_up) * f64::from(tangent[3]) > 0.0, "{uvs:?} {space:?}");
            }
        }
    }
}

#[test]
fn corners_that_disagree_get_the_mean_and_the_majority_sign() {
    // Points 0 to 2 and the mirrored half 3 share the edge 1-2; three corners to two are not mirrored at point 1.
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    let uvs = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]];
    let mut part = part(&points, &uvs, Some(vec![0, 1, 2, 1, 3, 2, 4, 1, 0]));
    flat_normals(&mut part, [0.0, 0.0, 1.0]);
    let stats = make(&mut part, &Space::GLTF);
    assert_eq!(stats, TangentStats { method: TangentMethod::MikkTSpace, averaged_points: 2 });
    // Left: U grows along +X, up is +Y: w = 1. Right: U grows along -X, w = -1.
    assert_eq!(tangents(&part)[0], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(tangents(&part)[3], [-1.0, 0.0, 0.0, -1.0]);
    assert_eq!(tangents(&part)[1], [1.0, 0.0, 0.0, 1.0]);
    // Even: the first corner's.
    assert_eq!(tangents(&part)[2], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!((part.point_count, part.corner_count()), (5, 9));
}

#[test]
fn without_texture_coordinates_tangents_are_orthonormal() {
    let mut part = part(&[[0.0; 3]; 3], &[], None);
    part.set_stream(Stream::new(Semantic::Normal, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]));
    let stats = make(&mut part, &Space::GLTF);
    assert_eq!(stats.method, TangentMethod::WithoutTexCoords);
    assert_eq!(tangents(&part), [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]]);
}

#[test]
fn degenerate_and_unused_points_get_the_fallback() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [7.0; 3]];
    let mut part = part(&points, &[[0.5; 2]; 4], Some(vec![0, 1, 2]));
    flat_normals(&mut part, [0.0, 1.0, 0.0]);
    make(&mut part, &Space::GLTF);
    for tangent in tangents(&part) {
        assert!((vector(*tangent).length() - 1.0).abs() < 1e-6 && tangent[1] == 0.0, "{tangent:?}");
    }
}

#[test]
fn missing_tangents_are_made_and_told() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut with = part(&points, &[[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], None);
    flat_normals(&mut with, [0.0, 0.0, 1.0]);
    let mut without = part(&points, &[], None);
    flat_normals(&mut without, [0.0, 0.0, 1.0]);
    let mut seam = part(
        &[points[0], points[1], points[2], [1.0, 1.0, 0.0]],
        &[[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 5.0]],
        Some(vec![0, 1, 2, 2, 1, 3]),
    );
    flat_normals(&mut seam, [0.0, 0.0, 1.0]);
    let mut scene = Scene::default();
    let mut mesh = anyrig_scene::Mesh::default();
    mesh.parts = vec![with, without, seam, part(&points, &[], None)];
    scene.meshes.push(mesh);
    let context = Context::new();
    generate_missing_tangents(&mut scene, TangentOptions::default(), &context).expect("valid");
    let made: Vec<bool> =
        scene.meshes.as_slice()[0].parts.iter().map(|p| p.stream(&Semantic::Tangent).is_some()).collect();
    assert_eq!(made, [true, true, true, false]);
    let report = context.report();
    assert_eq!(report.count_of("passes.tangents-generated"), 2);
    assert_eq!(report.count_of("passes.tangents-without-uv"), 1);
    assert!(report.count_of("passes.tangents-averaged") > 0);
}

#[test]
fn parts_that_cannot_have_tangents_are_errors() {
    for mut part in malformed_parts() {
        assert!(generate_tangents(&mut part, &Space::GLTF, TangentOptions::default()).is_err());
    }
    let mut corner_uv = part(&[[0.0; 3]; 3], &[], None);
    flat_normals(&mut corner_uv, [0.0, 0.0, 1.0]);
    let uv = Stream::new(Semantic::TexCoord(0), 2, vec![0.0; 6]).on(anyrig_scene::Domain::Corner);
    corner_uv.set_stream(uv);
    let error = generate_tangents(&mut corner_uv, &Space::GLTF, TangentOptions::default()).expect_err("no point UV");
    assert!(error.message().contains("render mesh"));
}

/// The crate's own way of use, with the system's arccosine: unindexed parts must equal it to rounding.
struct Plain {
    points: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    made: Vec<[f32; 4]>,
}

impl Geometry for Plain {
    fn num_faces(&self) -> usize {
        self.points.len() / 3
    }
    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }
    fn position(&self, face: usize, vertex: usize) -> [f32; 3] {
        self.points[face * 3 + vertex]
    }
    fn normal(&self, _: usize, _: usize) -> [f32; 3] {
        [0.0, 0.0, 1.0]
    }
    fn tex_coord(&self, face: usize, vertex: usize) -> [f32; 2] {
        self.uvs[face * 3 + vertex]
    }
    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, vertex: usize) {
        self.made[face * 3 + vertex] = space.unwrap_or_default().tangent_encoded();
    }
}

proptest! {
    #[test]
    fn same_as_the_crate_itself(
        points in prop::collection::vec(prop::array::uniform2(0u8..6), 3..30),
        uvs in prop::collection::vec(prop::array::uniform2(0u8..6), 30),
    ) {
        let count = points.len() / 3 * 3;
        let points: Vec<[f32; 3]> = points[..count].iter().map(|p| [p[0].into(), p[1].into(), 0.0]).collect();
        let uvs: Vec<[f32; 2]> = uvs[..count].iter().map(|p| [f32::from(p[0]) / 6.0, f32::from(p[1]) / 6.0]).collect();
        let mut ours = part(&points, &uvs, None);
        flat_normals(&mut ours, [0.0, 0.0, 1.0]);
        make(&mut ours, &Space::GLTF);
        let mut plain = Plain { points, uvs, made: vec![[0.0; 4]; count] };
        bevy_mikktspace::generate_tangents(&mut plain).expect("never fails");
        for (ours, theirs) in tangents(&ours).iter().zip(&plain.made) {
            let theirs_is_unit = (vector(*theirs).length() - 1.0).abs() < 1e-3;
            if theirs_is_unit && theirs[2] == 0.0 && *theirs != [1.0, 0.0, 0.0, -1.0] {
                prop_assert!((0..3).all(|i| (ours[i] - theirs[i]).abs() < 1e-5), "{:?} {:?}", ours, theirs);
                prop_assert_eq!(ours[3], -theirs[3]);
            }
            prop_assert!((vector(*ours).length() - 1.0).abs() < 1e-3);
        }
    }
}
