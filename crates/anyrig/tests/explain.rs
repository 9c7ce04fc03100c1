//! The numbers behind a vertex, against ones that were worked out by hand and against the skinning itself.
#![cfg(feature = "gltf")]

use anyrig::inspect::MeshChoice;
use anyrig::scene::glam::{DAffine3, DQuat, DVec3};
use anyrig::scene::{
    Clip, Curve, DeltaStream, Influences, Interpolation, Mesh, MeshInstance, MorphTarget, Node, Part, PartMorph,
    Property, RootSet, Scene, Semantic, Skin, Stream, Topology, Trs,
};
use anyrig::{Context, ErrorKind, ExplainRequest, MemorySource, explain, load};
use std::path::Path;

/// An arm along x: the shoulder at 0, the elbow at 1, one vertex at (1.5, 0, 0) that follows each by half, with a morph
/// that lifts it. The clip bends the elbow by a quarter turn about z in its second second.
fn arm() -> Scene {
    let mut scene = Scene::default();
    let shoulder = Node::new("shoulder");
    let mut elbow = Node::new("elbow");
    elbow.local = Trs { translation: DVec3::X, ..Trs::IDENTITY }.into();
    let mut shown = Node::new("arm");
    let mut part = Part::default();
    part.topology = Topology::Points;
    part.point_count = 1;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![1.5f32, 0.0, 0.0]));
    part.influences = Some(Influences::fixed(2, vec![0, 1], vec![0.5, 0.5]));
    part.morphs = vec![PartMorph::new(vec![DeltaStream::new(Semantic::Position, 3, vec![0.0, 0.25, 0.0])])];
    let mut mesh = Mesh::default();
    mesh.name = "sleeve".to_owned();
    mesh.parts = vec![part];
    mesh.morphs = vec![MorphTarget::new("lift")];
    let shoulder_id = scene.nodes.push(shoulder);
    elbow.parent = Some(shoulder_id);
    let elbow_id = scene.nodes.push(elbow);
    scene.nodes[shoulder_id].children = vec![elbow_id];
    let binds = vec![DAffine3::IDENTITY, DAffine3::from_translation(-DVec3::X)];
    let skin = scene.skins.push(Skin::new("skin", vec![shoulder_id, elbow_id], binds));
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.skin = Some(skin);
    shown.mesh = Some(instance);
    let shown_id = scene.nodes.push(shown);
    scene.root_sets = vec![RootSet::new("scene", vec![shoulder_id, shown_id])];
    let quarter = DQuat::from_xyzw(0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2);
    let turns = [DQuat::IDENTITY, quarter].map(|q| q.as_quat().to_array()).concat();
    let curve = Curve::new(Interpolation::Step, 4, vec![0.0, 1.0], turns);
    let mut clip = Clip::new("bend");
    clip.channels.push(anyrig::scene::Channel::new(elbow_id, Property::Rotation, curve));
    scene.clips.push(clip);
    scene
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    DVec3::from_array(a).distance(DVec3::from_array(b)) < 1e-6
}

#[test]
fn a_bent_elbow_is_what_the_hand_works_out() {
    let mut request = ExplainRequest::new(0);
    request.clip = Some("bend".to_owned());
    request.time_secs = Some(1.5);
    let found = explain(&arm(), &request).expect("explains");
    assert_eq!((found.method, found.node.as_str(), found.shown), ("linear", "arm", 1));
    assert_eq!(found.weight_sum, 1.0);
    let [shoulder, elbow] = found.influences.as_slice() else { panic!("two joints: {found:?}") };
    assert_eq!(elbow.chain, ["shoulder", "elbow"]);
    assert_eq!((shoulder.weight, elbow.weight), (0.5, 0.5));
    // The shoulder stands still; the elbow turns the half unit beyond it upwards.
    assert!(near(shoulder.moved, [1.5, 0.0, 0.0]), "{shoulder:?}");
    assert!(near(elbow.in_joint, [0.5, 0.0, 0.0]), "{elbow:?}");
    assert!(near(elbow.moved, [1.0, 0.5, 0.0]), "{elbow:?}");
    assert!(near(found.linear, [1.25, 0.25, 0.0]) && near(found.shown_at, found.linear), "{found:?}");
    // Rows, so that the translation is the last column.
    assert_eq!(elbow.joint_from_mesh[0], [1.0, 0.0, 0.0, -1.0]);
}

#[test]
fn morphs_come_before_joints() {
    let mut scene = arm();
    let shown = scene.nodes.iter().find(|(_, node)| node.mesh.is_some()).map(|(id, _)| id).expect("the arm");
    scene.nodes[shown].mesh.as_mut().expect("a mesh").morph_weights = vec![0.5];
    let found = explain(&scene, &ExplainRequest::new(0)).expect("explains");
    assert_eq!(found.morphs.len(), 1, "{found:?}");
    assert_eq!((found.morphs[0].name.as_str(), found.morphs[0].weight), ("lift", 0.5));
    assert!(near(found.morphed, [1.5, 0.125, 0.0]) && near(found.shown_at, found.morphed), "{found:?}");
}

#[test]
fn a_rigid_mesh_follows_its_node() {
    let mut scene = arm();
    let shown = scene.nodes.iter().find(|(_, node)| node.mesh.is_some()).map(|(id, _)| id).expect("the arm");
    scene.nodes[shown].mesh.as_mut().expect("a mesh").skin = None;
    scene.nodes[shown].local = Trs { translation: DVec3::Z, ..Trs::IDENTITY }.into();
    let found = explain(&scene, &ExplainRequest::new(0)).expect("explains");
    assert_eq!((found.method, found.influences.len()), ("rigid", 1));
    assert!(near(found.shown_at, [1.5, 0.0, 1.0]) && near(found.linear, found.shown_at), "{found:?}");
}

#[test]
fn every_vertex_of_the_sample_adds_up_to_where_it_is_shown() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb");
    let source = MemorySource::new("mannequin.glb", std::fs::read(path).expect("the sample"));
    let scene = load(&source, None, &Context::new()).expect("reads");
    let parts = scene.meshes.values().next().expect("a mesh").parts.len();
    let mut request = ExplainRequest::new(0);
    request.clip = Some("0".to_owned());
    request.time_secs = Some(0.4);
    for part in 0..parts {
        request.mesh = MeshChoice::new(None, part);
        for vertex in (0..).step_by(97) {
            request.vertex = vertex;
            let Ok(found) = explain(&scene, &request) else {
                assert!(vertex > 0, "the part has vertices");
                break;
            };
            assert!((found.weight_sum - 1.0).abs() < 1e-5, "{found:?}");
            assert!(near(found.linear, found.shown_at), "{found:?}");
        }
    }
}

#[test]
fn what_does_not_exist_is_named() {
    let scene = arm();
    let refused = |change: fn(&mut ExplainRequest)| {
        let mut request = ExplainRequest::new(0);
        change(&mut request);
        let error = explain(&scene, &request).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Usage);
        error.message().to_owned()
    };
    assert!(refused(|r| r.vertex = 1).contains("has 1 vertices"));
    assert!(refused(|r| r.clip = Some("bent".to_owned())).contains("did you mean `bend`"));
    assert!(refused(|r| r.mesh = MeshChoice::new(None, 3)).contains("no part 3"));
    assert!(refused(|r| (r.clip, r.time_secs) = (Some("bend".to_owned()), Some(f64::NAN))).contains("finite"));
    let mut hidden = arm();
    hidden.nodes.values_mut().for_each(|node| node.visible = false);
    assert!(explain(&hidden, &ExplainRequest::new(0)).expect_err("hidden").message().contains("nothing shows"));
}

#[test]
fn a_long_chain_is_told_by_its_end() {
    let mut scene = Scene::default();
    let mut part = Part::default();
    part.topology = Topology::Points;
    part.point_count = 1;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0f32; 3]));
    let mut mesh = Mesh::default();
    mesh.parts = vec![part];
    let mesh = scene.meshes.push(mesh);
    let top = scene.nodes.push(Node::new("0"));
    scene.root_sets = vec![RootSet::new("scene", vec![top])];
    let mut last = top;
    for depth in 1..100 {
        let mut node = Node::new(depth.to_string());
        node.parent = Some(last);
        let id = scene.nodes.push(node);
        scene.nodes[last].children = vec![id];
        last = id;
    }
    scene.nodes[last].mesh = Some(MeshInstance::new(mesh));
    let found = explain(&scene, &ExplainRequest::new(0)).expect("explains");
    let share = &found.influences[0];
    assert_eq!((share.chain.len(), share.chain_left_out), (64, 36));
    assert_eq!((share.chain[0].as_str(), share.chain[63].as_str()), ("36", "99"));
}
