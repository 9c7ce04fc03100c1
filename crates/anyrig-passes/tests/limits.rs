//! Passes draw on the job's budget and stop when they are told to.

use anyrig_bytes::{Context, ErrorKind, Limits, Result};
use anyrig_passes::{
    NormalOptions, TangentOptions, flip_v, generate_missing_normals, generate_missing_tangents, to_space, triangulate,
};
use anyrig_scene::{Mesh, Part, Scene, Semantic, Space, Stream, Topology};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

type Pass = (&'static str, fn(&mut Scene, &Context) -> Result<()>);

const PASSES: [Pass; 5] = [
    ("triangulate", triangulate),
    ("normals", |scene, context| generate_missing_normals(scene, NormalOptions::default(), context)),
    ("tangents", |scene, context| generate_missing_tangents(scene, TangentOptions::default(), context)),
    ("space", |scene, context| to_space(scene, Space::URHO, context)),
    ("flip_v", flip_v),
];

/// A square that each of the passes has something to do with.
fn scene_for(pass: &str) -> Scene {
    let mut part = Part::default();
    part.point_count = 4;
    part.corners = Some(vec![0, 1, 2, 0, 2, 3].into());
    if pass == "triangulate" {
        part.corners = Some(vec![0, 1, 2, 3].into());
        part.topology = Topology::Polygons { offsets: vec![0, 4].into() };
    }
    let square = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    part.set_stream(Stream::new(Semantic::Position, 3, square));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]));
    if pass != "normals" {
        part.set_stream(Stream::new(Semantic::Normal, 3, [0.0, 0.0, 1.0].repeat(4)));
    }
    let mut mesh = Mesh::default();
    mesh.name = "square".to_owned();
    mesh.parts = vec![part];
    let mut scene = Scene::default();
    scene.meshes.push(mesh);
    scene
}

fn with_memory(bytes: u64) -> Context {
    let mut limits = Limits::default();
    limits.memory_bytes = bytes;
    Context::new().with_limits(limits)
}

#[test]
fn what_a_pass_makes_is_booked_before_it_is_made() {
    for (name, pass) in PASSES {
        let before = scene_for(name);
        let mut scene = before.clone();
        let error = pass(&mut scene, &with_memory(15)).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{name}: {error}");
        assert!(scene == before, "{name} changed the scene although there was no room");
        pass(&mut scene, &with_memory(1000)).expect(name);
        assert!(scene != before, "{name} did nothing");
    }
}

#[test]
fn buffers_that_stay_cost_nothing() {
    let mut scene = scene_for("space");
    to_space(&mut scene, Space::GLTF, &with_memory(0)).expect("nothing is new");
    triangulate(&mut scene, &with_memory(0)).expect("they are triangles");
    generate_missing_normals(&mut scene, NormalOptions::default(), &with_memory(0)).expect("there are normals");
}

#[test]
fn a_shared_buffer_is_booked_once() {
    let mut scene = scene_for("space");
    let twin = scene.meshes.as_slice()[0].clone();
    // One mesh: 12 numbers of positions, 12 of normals, 6 corners. Its twin shares the numbers, not the turned corners.
    to_space(&mut scene.clone(), Space::URHO, &with_memory(30 * 4)).expect("enough");
    to_space(&mut scene.clone(), Space::URHO, &with_memory(30 * 4 - 1)).expect_err("a byte too few");
    scene.meshes.push(twin);
    to_space(&mut scene, Space::URHO, &with_memory(36 * 4)).expect("enough for both");
}

#[test]
fn passes_stop_when_told() {
    for (name, pass) in PASSES {
        let context = Context::new().with_cancel(Arc::new(AtomicBool::new(true)));
        let error = pass(&mut scene_for(name), &context).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{name}");
    }
}
