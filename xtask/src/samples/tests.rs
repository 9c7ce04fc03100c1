//! What must hold for the scenes that the generator builds.

use super::mesh::Tangents;
use super::scene::{self, Dense};
use super::{Task, parse};
use anyrig_bytes::Context;
use anyrig_scene::glam::{DAffine3, DVec3};
use anyrig_scene::walk::{parents_first, rest_world_transforms};
use anyrig_scene::{Feature, Interpolation, Part, Property, Scene, Semantic, Stream, Target, features, validate};
use std::collections::BTreeSet;

fn small() -> Scene {
    scene::small().expect("the sample builds")
}

fn point(part: &Part, index: usize) -> DVec3 {
    let [x, y, z] = part.positions()[index];
    DVec3::new(x.into(), y.into(), z.into())
}

fn triangles(part: &Part) -> impl Iterator<Item = [usize; 3]> + '_ {
    (0..part.triangle_count()).map(|t| [0, 1, 2].map(|i| part.point_of(3 * t + i)))
}

#[test]
fn validation_finds_nothing() {
    let mut scene = small();
    let before = scene.clone();
    let context = Context::new();
    validate(&mut scene, &context);
    let report = context.take_report();
    assert!(report.is_empty(), "{:?}", report.diagnostics());
    assert!(scene == before);
}

#[test]
fn holds_what_the_readme_says() {
    let scene = small();
    let found: BTreeSet<Feature> = features(&scene).into_keys().collect();
    let wanted = [
        Feature::Skins,
        Feature::Morphs,
        Feature::StepCurves,
        Feature::LinearCurves,
        Feature::CubicCurves,
        Feature::MorphAnimation,
        Feature::NormalMaps,
        Feature::MetallicRoughnessMaps,
        Feature::AlphaBlend,
        Feature::DoubleSided,
        Feature::Cameras,
        Feature::Lights,
        Feature::PlainNodes,
    ];
    for feature in wanted {
        assert!(found.contains(&feature), "{feature}");
    }
    let clips: Vec<(&str, f64)> = scene.clips.iter().map(|c| (c.name.as_str(), c.end_secs())).collect();
    assert_eq!(clips, [("Walk", 1.0), ("Wave", 2.0)]);
    let linear = |c: &anyrig_scene::Channel| c.curve.interpolation == Interpolation::Linear;
    assert!(scene.clips[0].channels.iter().all(linear));
    assert_eq!((scene.materials.len(), scene.images.len(), scene.skins.len()), (2, 4, 1));
    let names: Vec<&str> = scene.nodes.values().map(|n| n.name.as_str()).collect();
    assert_eq!(names.iter().filter(|n| **n == "Prop").count(), 2);
    assert_eq!(names.iter().filter(|n| n.is_empty()).count(), 1);
    let mirrored = |n: &&anyrig_scene::Node| n.local.to_affine().matrix3.determinant() < 0.0;
    assert_eq!(scene.nodes.values().filter(mirrored).count(), 1);
}

#[test]
fn weights_sum_to_one_and_some_points_have_four() {
    let scene = small();
    let joints = scene.skins.values().next().expect("a skin").joints.len() as u32;
    let mut most = 0;
    for mesh in scene.meshes.values() {
        for influences in mesh.parts.iter().filter_map(|p| p.influences.as_ref()) {
            for index in 0..influences.point_count() {
                let (of, weights) = influences.of(index);
                assert!(of.iter().all(|j| *j < joints));
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
                assert!(weights.iter().all(|w| *w >= 0.0));
                most = most.max(weights.iter().filter(|w| **w > 0.0).count());
            }
        }
    }
    assert_eq!(most, 4);
}

#[test]
fn fronts_are_outside_and_normals_are_unit_and_agree() {
    let scene = small();
    let body = &scene.meshes.values().next().expect("a body").parts[0];
    // All pieces are closed, so the volume is that of the pieces: a person has 0.05 to 0.09 cubic metres.
    let volume: f64 = triangles(body).map(|t| t.map(|i| point(body, i))).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
    assert!((0.04..0.1).contains(&volume), "{volume}");
    for part in scene.meshes.values().flat_map(|m| &m.parts) {
        let normals = part.stream(&Semantic::Normal).and_then(Stream::arrays::<3>).expect("normals");
        let normal = |i: usize| DVec3::from(normals[i].map(f64::from));
        assert!((0..normals.len()).all(|i| (normal(i).length() - 1.0).abs() < 1e-6));
        for t in triangles(part) {
            let [a, b, c] = t.map(|i| point(part, i));
            let face = (b - a).cross(c - a).try_normalize().expect("an area");
            let mean = t.iter().map(|i| normal(*i)).sum::<DVec3>();
            assert!(face.dot(mean) > 0.0, "{a} {b} {c}");
        }
    }
}

#[test]
fn the_mark_is_on_the_left_and_nothing_like_it_on_the_right() {
    let scene = small();
    let body = &scene.meshes.values().next().expect("a body").parts[0];
    let tex_coords = body.stream(&Semantic::TexCoord(0)).and_then(Stream::arrays::<2>).expect("UV");
    let chart = super::charts::MARK;
    let is_mark = |uv: &[f32; 2]| (0..2).all(|i| f64::from(uv[i]) >= chart.min[i] && f64::from(uv[i]) <= chart.max[i]);
    let marked: Vec<DVec3> =
        (0..tex_coords.len()).filter(|i| is_mark(&tex_coords[*i])).map(|i| point(body, i)).collect();
    assert_eq!(marked.len(), 7 + 7 + 7 * 4);
    assert!(marked.iter().all(|p| p.x > 0.2 && p.x < 0.4 && p.y > 1.38));
    // It points to the hand: one tip at the far end, two corners at the near end.
    let far = marked.iter().map(|p| p.x).fold(f64::MIN, f64::max);
    assert!((far - 0.365).abs() < 1e-6);
    // Where the skin moves it: the left upper arm alone.
    let influences = body.influences.as_ref().expect("weights");
    let skin = scene.skins.values().next().expect("a skin");
    let first = (0..tex_coords.len()).find(|i| is_mark(&tex_coords[*i])).expect("found above");
    let joint = skin.joints[influences.of(first).0[0] as usize];
    assert_eq!(scene.nodes[joint].name, "LeftUpperArm");
    assert!(rest_world_transforms(&scene)[joint.index()].translation.x > 0.0);
}

#[test]
fn binds_undo_the_rest_pose() {
    let scene = small();
    let worlds = rest_world_transforms(&scene);
    let skin = scene.skins.values().next().expect("a skin");
    for (joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_binds) {
        assert!((worlds[joint.index()] * *inverse_bind).abs_diff_eq(DAffine3::IDENTITY, 1e-9));
    }
    assert_eq!(parents_first(&scene).len(), scene.nodes.len());
}

#[test]
fn smiles_and_blinks_move_the_face_only() {
    let scene = small();
    let body = &scene.meshes.values().next().expect("a body").parts[0];
    for (morph, centre) in body.morphs.iter().zip([1.59, 1.655]) {
        let deltas = morph.delta(&Semantic::Position).expect("positions");
        assert!(deltas.len() > 50);
        for element in 0..deltas.len() {
            let at = point(body, deltas.point_of(element));
            // A neighbour of what moves may turn its normal only.
            let moves = deltas.values[element * 3..][..3].iter().any(|v| v.abs() > 1e-6);
            assert!(!moves || (at.y - centre).abs() < 0.05 && at.z > 0.02, "{at}");
        }
    }
}

#[test]
fn weights_of_morphs_are_animated_on_the_body() {
    let scene = small();
    let on_body = scene.clips[1].channels.iter().find_map(|c| match c.target {
        Target::Node { node, property: Property::MorphWeights } => Some((node, c.curve.width)),
        _ => None,
    });
    let (node, width) = on_body.expect("a morph channel");
    assert_eq!((scene.nodes[node].name.as_str(), width), ("Body", 2));
}

#[test]
fn dense_bodies_have_their_triangles() {
    for (triangles, meshes, tangents) in [(40_000, 1, Tangents::Stored), (60_000, 4, Tangents::Missing)] {
        let scene = scene::dense(Dense { triangles, meshes, tangents }).expect("builds");
        assert_eq!(scene.meshes.len(), meshes);
        let parts: Vec<&Part> = scene.meshes.values().flat_map(|m| &m.parts).collect();
        let found: usize = parts.iter().map(|p| p.triangle_count()).sum();
        assert!(found.abs_diff(triangles) < triangles / 50, "{found}");
        let stored = parts[0].stream(&Semantic::Tangent).is_some();
        assert_eq!(stored, tangents == Tangents::Stored);
        let mut clean = scene.clone();
        let context = Context::new();
        validate(&mut clean, &context);
        assert!(context.take_report().is_empty());
    }
}

#[test]
fn arguments() {
    assert!(matches!(parse(&[]), Ok(Task::Write)));
    assert!(matches!(parse(&["--check"]), Ok(Task::Check)));
    let large = parse(&["--triangles", "100", "--out", "a.glb", "--meshes", "4", "--no-tangents"]);
    let Ok(Task::Dense(dense, out)) = large else { panic!("{large:?}") };
    assert_eq!((dense.triangles, dense.meshes, dense.tangents), (100, 4, Tangents::Missing));
    assert_eq!(out.to_str(), Some("a.glb"));
    for wrong in
        [&["--triangles", "0"][..], &["--triangles", "9"], &["--meshes", "2"], &["--check", "--meshes"], &["x"]]
    {
        assert!(parse(wrong).is_err(), "{wrong:?}");
    }
}

/// The committed files are those of the generator; `cargo xtask samples --check` says which differ.
#[test]
fn committed_samples_are_current_and_small() {
    let folder = super::samples_folder().expect("the workspace");
    super::check(&folder).unwrap_or_else(|e| panic!("{e}"));
    let files = super::small_files().expect("exports");
    let size = |wanted: &dyn Fn(&str) -> bool| -> usize {
        files.iter().filter(|(name, _)| wanted(name)).map(|(_, content)| content.len()).sum()
    };
    let binary = size(&|name| name.ends_with(".glb"));
    let beside = size(&|name| !name.ends_with(".glb"));
    assert!(binary < 300_000 && beside < 300_000, "{binary} {beside}");
}
