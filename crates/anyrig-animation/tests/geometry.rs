//! Whole scenes in a pose.

use anyrig_animation::{
    Evaluator, Pose, largest_distance, motion_distance, posed_geometry, posed_geometry_within, posed_part,
    posed_part_by, scene_from_mesh, scene_size,
};
use anyrig_bytes::{Context, ErrorKind, Limits};
use anyrig_scene::{
    Channel, Clip, Curve, DeltaStream, Domain, Influences, Instances, Interpolation, Mesh, MeshInstance, MorphTarget,
    Node, NodeId, Part, PartMorph, Property, Scene, Semantic, Skin, SkinMethod, Stream, Trs,
};
use glam::{DAffine3, DVec3};

fn at(x: f64, y: f64, z: f64) -> Node {
    let mut node = Node::new("node");
    node.local = Trs { translation: DVec3::new(x, y, z), ..Trs::IDENTITY }.into();
    node
}

fn part(positions: &[[f32; 3]]) -> Part {
    let mut part = Part::default();
    part.point_count = positions.len() as u32;
    part.set_stream(Stream::new(Semantic::Position, 3, positions.as_flattened().to_vec()));
    part.set_stream(Stream::new(Semantic::Normal, 3, [0.0, 1.0, 0.0].repeat(positions.len())));
    part
}

/// An arm along X: shoulder at the origin, elbow at x = 1; the skinned mesh hangs at a node far away.
fn arm() -> (Scene, NodeId) {
    let mut scene = Scene::default();
    let shoulder = scene.add_node(at(0.0, 0.0, 0.0), None);
    let elbow = scene.add_node(at(1.0, 0.0, 0.0), Some(shoulder));
    let binds = vec![DAffine3::IDENTITY, DAffine3::from_translation(DVec3::NEG_X)];
    let skin = scene.skins.push(Skin::new("arm", vec![shoulder, elbow], binds));
    let mut part = part(&[[0.5, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    part.influences = Some(Influences::fixed(1, vec![0, 1], vec![1.0; 2]));
    part.morphs
        .push(PartMorph::new(vec![DeltaStream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.5]).at_points(vec![1])]));
    let mut mesh = Mesh::default();
    mesh.morphs.push(MorphTarget::new("thicker"));
    mesh.parts.push(part);
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.skin = Some(skin);
    let mut node = at(100.0, 100.0, 100.0);
    node.mesh = Some(instance);
    let node = scene.add_node(node, None);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut clip = Clip::new("bend");
    let bend = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half];
    clip.channels.push(Channel::new(
        elbow,
        Property::Rotation,
        Curve::new(Interpolation::Linear, 4, vec![0.0, 1.0], bend),
    ));
    let weights = Curve::new(Interpolation::Linear, 1, vec![0.0, 1.0], vec![0.0, 2.0]);
    clip.channels.push(Channel::new(node, Property::MorphWeights, weights));
    scene.clips.push(clip);
    (scene, node)
}

#[test]
fn a_palette_of_the_caller_s_moves_what_has_influences() {
    let (mut scene, node) = arm();
    for method in [SkinMethod::Linear, SkinMethod::DualQuaternion] {
        let skin = scene.skins.values_mut().next().expect("one skin");
        skin.method = method;
        let skin = skin.clone();
        let (pose, evaluator) = (Pose::of_clip(&scene, &scene.clips[0], 1.0), Evaluator::new(&scene));
        let (worlds, shown) = (evaluator.worlds(&pose), evaluator.shown()[0]);
        let own: Vec<DAffine3> = scene_from_mesh(&skin, &worlds).collect();
        let by = |scene: &Scene, palette: &[DAffine3]| posed_part_by(scene, &pose, &worlds, shown, (0, palette));
        assert_eq!(by(&scene, &own), posed_part(&scene, &pose, &worlds, shown, 0));
        let up = [DAffine3::from_translation(DVec3::Y * 7.0); 2];
        assert_near(by(&scene, &up).expect("a part").positions[0], [0.5, 7.0, 0.0]);
        // Without influences the node moves it, and without a skin too.
        let mut rigid = scene.clone();
        rigid.meshes.values_mut().flat_map(|m| &mut m.parts).for_each(|p| p.influences = None);
        assert_near(by(&rigid, &up).expect("a part").positions[0], [100.5, 100.0, 100.0]);
        assert_eq!(shown.node, node);
    }
}

fn assert_near(a: [f32; 3], b: [f32; 3]) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
}

#[test]
fn skinned_points_ignore_their_node_and_follow_the_joints() {
    for method in [SkinMethod::Linear, SkinMethod::DualQuaternion] {
        let (mut scene, node) = arm();
        scene.skins.values_mut().for_each(|s| s.method = method);
        let rest = posed_geometry(&scene, &Pose::rest(&scene));
        assert_eq!((rest.len(), rest[0].node, rest[0].part), (1, node, 0));
        assert_eq!(rest[0].positions, [[0.5, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        let bent = posed_geometry(&scene, &Pose::of_clip(&scene, &scene.clips[0], 1.0));
        assert_near(bent[0].positions[0], [0.5, 0.0, 0.0]);
        // The morph moves the hand to (2, 0, 1) first, then the elbow turns it by a quarter about Z.
        assert_near(bent[0].positions[1], [1.0, 1.0, 1.0]);
        assert_near(bent[0].normals[1], [-1.0, 0.0, 0.0]);
        let half = largest_distance(&rest, &bent).expect("same points");
        assert!((half - 3.0_f64.sqrt()).abs() < 1e-6);
        assert!((scene_size(&scene) - 1.5).abs() < 1e-6);
    }
}

#[test]
fn other_parts_move_with_their_node() {
    let (mut scene, node) = arm();
    let mesh = &mut scene.meshes.values_mut().next().expect("a mesh").parts;
    mesh[0].influences = None;
    mesh.push(part(&[[0.0; 3]]));
    let mut corners = part(&[[1.0, 0.0, 0.0]]);
    corners.streams[1].domain = Domain::Corner;
    mesh.push(corners);
    let parts = posed_geometry(&scene, &Pose::rest(&scene));
    assert_eq!(parts.iter().map(|p| p.part).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(parts[0].positions[0], [100.5, 100.0, 100.0]);
    assert_eq!(parts[1].positions, [[100.0; 3]]);
    assert!(parts[2].normals.is_empty() && parts[2].tangents.is_empty());
    let evaluator = Evaluator::new(&scene);
    let pose = Pose::rest(&scene);
    let worlds = evaluator.worlds(&pose);
    let shown = evaluator.shown()[0];
    assert_eq!(shown.node, node);
    assert_eq!(posed_part(&scene, &pose, &worlds, shown, 1).as_ref(), Some(&parts[1]));
    assert_eq!(posed_part(&scene, &pose, &worlds, shown, 3), None);
}

#[test]
fn geometries_of_other_shape_have_no_distance() {
    let (scene, _) = arm();
    let rest = posed_geometry(&scene, &Pose::rest(&scene));
    assert_eq!(largest_distance(&rest, &[]), None);
    assert_eq!(largest_distance(&[], &[]), Some(0.0));
    let mut broken = rest.clone();
    broken[0].positions[0][0] = f32::NAN;
    assert_eq!(largest_distance(&rest, &broken), Some(f64::INFINITY));
    broken[0].positions.pop();
    assert_eq!(largest_distance(&rest, &broken), None);
    assert_eq!(scene_size(&Scene::default()), 0.0);
}

#[test]
fn motions_are_compared_in_the_middle_of_clips_too() {
    let (scene, _) = arm();
    assert_eq!(motion_distance(&scene, &scene), Some(0.0));
    let mut stepped = scene.clone();
    stepped.clips[0].channels[0].curve.interpolation = Interpolation::Step;
    // Worst at three quarters: the hand at (1, 0), with the morph 0.75 along Z, turned by 67.5° or not at all.
    let expected = 2.0 * 0.555_570_233_019_602_2;
    let apart = motion_distance(&scene, &stepped).expect("same points");
    assert!((apart - expected).abs() < 1e-6, "{apart}");
    stepped.clips.clear();
    assert_eq!(motion_distance(&scene, &stepped), None);
    let moved_at_rest = {
        let mut scene = scene.clone();
        scene.skins.values_mut().for_each(|s| s.inverse_binds[0].translation.y += 0.25);
        scene
    };
    assert_eq!(motion_distance(&scene, &moved_at_rest), Some(0.25));
}

#[test]
fn points_of_strangers_are_booked_first() {
    let (scene, _) = arm();
    let pose = Pose::rest(&scene);
    let mut limits = Limits::default();
    // Two points and the part that holds them.
    limits.elements = 3;
    let context = Context::new().with_limits(limits);
    assert!(posed_geometry_within(&scene, &pose, &context).is_ok());
    let error = posed_geometry_within(&scene, &pose, &context).expect_err("nothing is left");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn parts_without_points_are_booked_for_every_instance() {
    let mut scene = Scene::default();
    let mut mesh = Mesh::default();
    mesh.parts = vec![Part::default(); 1000];
    let mut node = at(0.0, 0.0, 0.0);
    node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
    node.instances = Some(Box::new(Instances::new(vec![Trs::IDENTITY; 1000])));
    scene.add_node(node, None);
    let mut limits = Limits::default();
    limits.memory_bytes = 10_000_000;
    let error = posed_geometry_within(&scene, &Pose::rest(&scene), &Context::new().with_limits(limits));
    assert_eq!(error.map_err(|e| e.kind()), Err(ErrorKind::LimitExceeded));
}

/// A million instances of a hundred thousand points: the points are looked at once.
#[test]
fn the_size_of_many_instances_is_that_of_their_boxes() {
    let mut scene = Scene::default();
    let mut mesh = Mesh::default();
    mesh.parts.push(part(&[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [f32::NAN, 0.0, 0.0]]));
    let spread = (0..100_000).map(|i| [(i % 2) as f32, 0.0, 0.5]).collect::<Vec<_>>();
    mesh.parts.push(part(&spread));
    let mut node = at(0.0, 10.0, 0.0);
    node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
    let along = |i: u32| Trs { translation: DVec3::X * f64::from(i), ..Trs::IDENTITY };
    node.instances = Some(Box::new(Instances::new((0..1_000_000).map(along).collect())));
    let node = scene.add_node(node, None);
    assert!((scene_size(&scene) - DVec3::new(1e6, 2.0, 3.0).length()).abs() < 1e-6);
    scene.nodes[node].instances = None;
    assert!((scene_size(&scene) - DVec3::new(1.0, 2.0, 3.0).length()).abs() < 1e-6);
    let other = scene.add_node(at(5.0, 10.0, 0.0), None);
    scene.nodes[other].mesh = scene.nodes[node].mesh.clone();
    assert!((scene_size(&scene) - DVec3::new(6.0, 2.0, 3.0).length()).abs() < 1e-6);
}

#[test]
fn a_scene_that_nobody_has_checked_is_borne() {
    let (mut scene, node) = arm();
    let skin = scene.skins.values_mut().next().expect("a skin");
    skin.joints = vec![NodeId::new(999)];
    skin.inverse_binds.clear();
    let part = &mut scene.meshes.values_mut().next().expect("a mesh").parts[0];
    part.point_count = 77;
    part.streams[1] = Stream::new(Semantic::Normal, 3, vec![0.0; 300]);
    part.morphs[0].deltas[0].points = Some(vec![500, 1].into());
    let mut pose = Pose::rest(&scene);
    pose.weights_mut(node)[0] = 1.0;
    let parts = posed_geometry(&scene, &pose);
    assert_eq!(parts[0].positions, [[0.5, 0.0, 0.0], [2.0, 0.0, 0.0]], "missing joints leave points where they are");
    assert_eq!(parts[0].normals.len(), 2);
}
