//! Bones and bindings: what is written stands where the scene shows it, at rest and in motion.

mod support;

use anyrig_bytes::{Context, Value};
use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{
    Channel, Clip, Curve, Influences, Interpolation, Mesh, MeshInstance, Node, NodeId, Part, Property, Scene, Semantic,
    Skin, SkinId, Stream, Trs,
};
use support::pose::{assert_close, scene_corners, written_corners};
use support::{content, export, parser};

fn turned(angle: f64) -> DQuat {
    DQuat::from_xyzw(0.0, 0.0, angle.sin_half(), angle.cos_half())
}

/// Rotations from Pythagorean triples, so that tests need no trigonometry.
trait Halves {
    fn sin_half(self) -> f64;
    fn cos_half(self) -> f64;
}

impl Halves for f64 {
    fn sin_half(self) -> f64 {
        0.6 * self
    }
    fn cos_half(self) -> f64 {
        (1.0 - 0.36 * self * self).sqrt()
    }
}

fn trs(translation: [f64; 3], turn: f64, scale: [f64; 3]) -> Trs {
    Trs { translation: translation.into(), rotation: turned(turn), scale: scale.into() }
}

fn node(scene: &mut Scene, name: &str, parent: Option<NodeId>, local: Trs) -> NodeId {
    let mut node = Node::new(name);
    node.local = local.into();
    scene.add_node(node, parent)
}

/// Triangles whose points hang on two joints each.
fn skinned_part(triangles: u32, joints: u32) -> Part {
    let mut part = Part::default();
    part.point_count = triangles * 3;
    let floats = |n: u32, step: f32| (0..n).map(|i| ((i * 37) % 101) as f32 * step).collect::<Vec<f32>>();
    part.set_stream(Stream::new(Semantic::Position, 3, floats(part.point_count * 3, 0.01)));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, floats(part.point_count * 2, 0.005)));
    let pairs = (0..part.point_count).flat_map(|p| [(p / 3) % joints, (p / 3 + p % 3) % joints]);
    let weights = (0..part.point_count).flat_map(|p| if p % 3 == 0 { [1.0, 0.0] } else { [0.75, 0.25] });
    part.influences = Some(Influences::fixed(2, pairs.collect::<Vec<_>>(), weights.collect::<Vec<_>>()));
    part
}

fn add_mesh(scene: &mut Scene, node: NodeId, part: Part, skin: Option<SkinId>) {
    let mut mesh = Mesh::default();
    mesh.parts.push(part);
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.skin = skin;
    scene.nodes[node].mesh = Some(instance);
}

fn animate(scene: &mut Scene, nodes: &[NodeId]) {
    let mut clip = Clip::new("move");
    let times = vec![0.0, 0.5, 1.0];
    for (i, node) in nodes.iter().enumerate() {
        let i = i as f32;
        let steps = vec![0.0, i, 0.0, 1.0, i, 2.0, 0.5, i, 1.0];
        let turns = vec![0.0, 0.0, 0.6, 0.8, 0.6, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0];
        let linear = Interpolation::Linear;
        clip.channels.push(Channel::new(*node, Property::Translation, Curve::new(linear, 3, times.clone(), steps)));
        clip.channels.push(Channel::new(*node, Property::Rotation, Curve::new(linear, 4, times.clone(), turns)));
    }
    scene.clips.push(clip);
}

/// Exports and compares at rest and at each key; gives the model.
fn check(scene: Scene, context: &Context) -> parser::Mdl {
    let files = export(scene.clone(), context);
    let mdl = parser::mdl(&content(&files, "Model.mdl"));
    assert_close(&scene_corners(&scene, None), &written_corners(&mdl, None), "rest");
    if !scene.clips.is_empty() {
        let ani = parser::ani(&content(&files, "Animations/move.ani"));
        for key in 0..3 {
            let expected = scene_corners(&scene, Some((0, key)));
            assert_close(&expected, &written_corners(&mdl, Some((&ani, key))), &format!("key {key}"));
        }
    }
    mdl
}

fn names(mdl: &parser::Mdl) -> Vec<&str> {
    mdl.bones.iter().map(|b| b.name.as_str()).collect()
}

/// Two joints under some nodes, one mesh, bound where they stand or elsewhere.
fn rig(above: &[Trs]) -> (Scene, Vec<NodeId>) {
    let mut scene = Scene::default();
    let mut parent = None;
    for (i, local) in above.iter().enumerate() {
        parent = Some(node(&mut scene, &format!("above{i}"), parent, *local));
    }
    let hip = node(&mut scene, "hip", parent, trs([0.0, 1.0, 0.0], 0.5, [1.0; 3]));
    let chest = node(&mut scene, "chest", Some(hip), trs([0.0, 2.0, 1.0], -0.25, [1.0, 1.5, 1.0]));
    let shown = node(&mut scene, "body", None, trs([9.0, 9.0, 9.0], 0.0, [3.0; 3]));
    let binds = vec![
        DAffine3::from_translation(DVec3::new(0.0, -1.0, 0.0)),
        DAffine3::from_scale_rotation_translation(DVec3::splat(2.0), turned(0.3), DVec3::new(1.0, 0.0, 0.0)),
    ];
    let skin = scene.skins.push(Skin::new("", vec![hip, chest], binds));
    add_mesh(&mut scene, shown, skinned_part(8, 2), Some(skin));
    animate(&mut scene, &[hip, chest]);
    (scene, vec![hip, chest])
}

#[test]
fn nodes_above_the_joints_are_folded_into_them() {
    let (scene, _) = rig(&[trs([1.0, 2.0, 3.0], 0.7, [0.01; 3]), trs([0.0, 5.0, 0.0], -0.4, [-2.0; 3])]);
    let mdl = check(scene, &Context::new());
    assert_eq!(names(&mdl), ["hip", "chest"]);
    assert_eq!(mdl.bones[0].parent, 0);
}

#[test]
fn a_node_with_uneven_scale_becomes_a_bone() {
    let (scene, _) = rig(&[trs([1.0, 2.0, 3.0], 0.7, [1.0; 3]), trs([0.0; 3], 0.3, [1.0, 2.0, 1.0])]);
    let mdl = check(scene, &Context::new());
    assert_eq!(names(&mdl), ["hip", "chest", "above1"]);
    assert_eq!([mdl.bones[0].parent, mdl.bones[2].parent], [2, 2]);
}

#[test]
fn rigid_meshes_follow_their_nodes() {
    let (mut scene, joints) = rig(&[]);
    let hat = node(&mut scene, "hat", Some(joints[1]), trs([0.0, 0.5, 0.0], 0.2, [1.0; 3]));
    let mut part = skinned_part(2, 1);
    part.influences = None;
    add_mesh(&mut scene, hat, part.clone(), None);
    // A mesh on a joint itself, whose bone has the skin's bind pose already.
    add_mesh(&mut scene, joints[0], part, None);
    let mdl = check(scene, &Context::new());
    assert_eq!(names(&mdl), ["hip", "chest", "hat"]);
}

#[test]
fn moving_nodes_without_any_skin_become_bones() {
    let mut scene = Scene::default();
    let still = node(&mut scene, "still", None, trs([5.0, 0.0, 0.0], 0.0, [1.0; 3]));
    let door = node(&mut scene, "door", Some(still), trs([1.0, 0.0, 0.0], 0.5, [1.0; 3]));
    let handle = node(&mut scene, "handle", Some(door), trs([0.5, 0.0, 0.0], 0.0, [1.0, 2.0, 1.0]));
    let mut part = skinned_part(2, 1);
    part.influences = None;
    add_mesh(&mut scene, handle, part.clone(), None);
    add_mesh(&mut scene, still, part, None);
    animate(&mut scene, &[door]);
    let mdl = check(scene, &Context::new());
    assert_eq!(names(&mdl), ["still", "door", "handle"]);
}

#[test]
fn a_still_scene_has_no_bones_and_stands_where_it_stood() {
    let mut scene = Scene::default();
    let above = node(&mut scene, "above", None, trs([5.0, 0.0, 0.0], 0.7, [1.0, 2.0, 1.0]));
    let mirrored = node(&mut scene, "mirrored", Some(above), trs([1.0, 0.0, 0.0], 0.5, [-1.0, 1.0, 1.0]));
    let mut part = skinned_part(2, 1);
    part.influences = None;
    add_mesh(&mut scene, mirrored, part, None);
    let expected = scene_corners(&scene, None);
    let mdl = parser::mdl(&content(&export(scene, &Context::new()), "Model.mdl"));
    assert!(mdl.bones.is_empty() && mdl.geometries[0].mapping.is_empty());
    assert_eq!(mdl.vertex_buffers[0].descriptors, [0x003, 0x103, 0x506, 0x402, 0x304]);
    // The mirror turns the triangles, so that fronts stay fronts.
    let turned: Vec<DVec3> = expected.chunks_exact(3).flat_map(|t| [t[0], t[2], t[1]]).collect();
    assert_close(&turned, &written_corners(&mdl, None), "baked");
}

/// The engine would keep one of the roots and play only what is below it.
#[test]
fn several_roots_hang_on_a_common_one() {
    let (mut scene, joints) = rig(&[]);
    let mut part = skinned_part(2, 1);
    part.influences = None;
    let prop = node(&mut scene, "Root", None, trs([4.0, 0.0, 1.0], 0.3, [2.0; 3]));
    add_mesh(&mut scene, prop, part, None);
    let plain = node(&mut scene, "plain", None, trs([0.0, 0.0, 7.0], 0.0, [1.0; 3]));
    scene.clips.clear();
    animate(&mut scene, &[joints[0], joints[1], prop, plain]);
    let context = Context::new();
    let mdl = check(scene, &context);
    assert_eq!(names(&mdl), ["Root_2", "hip", "chest", "Root", "plain"]);
    assert_eq!(mdl.bones.iter().map(|b| b.parent).collect::<Vec<_>>(), [0, 0, 1, 0, 0]);
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let root = &mdl.bones[0];
    let expected = ([0.0; 3], [1.0, 0.0, 0.0, 0.0], [1.0; 3], identity);
    assert_eq!((root.position, root.rotation, root.scale, root.offset), expected);
    assert_eq!(context.report().count_of("urho.common-root"), 1);
    // Without a mesh there is no skeleton to hang anything on.
    let (mut scene, joints) = rig(&[]);
    scene.nodes.values_mut().for_each(|n| n.mesh = None);
    let other = node(&mut scene, "other", None, Trs::IDENTITY);
    scene.clips.clear();
    animate(&mut scene, &[joints[0], other]);
    let context = Context::new();
    export(scene, &context);
    assert_eq!(context.report().count_of("urho.common-root"), 0);
}

/// The middle point of each triangle has no weights.
fn without_middle_weights(scene: &mut Scene) {
    for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
        let influences = part.influences.as_mut().expect("influences");
        let mut weights = influences.weights.to_vec();
        weights.chunks_exact_mut(6).for_each(|t| t[2..4].fill(0.0));
        influences.weights = weights.into();
    }
}

#[test]
fn points_without_weights_stay_where_they_are_at_rest() {
    let other = trs([1.0, 0.0, 2.0], 0.4, [0.5; 3]).to_affine();
    for (baked, second_root) in [(false, false), (true, false), (false, true), (true, true)] {
        let (mut scene, joints) = rig(&[]);
        if baked {
            second_skin(&mut scene, &joints, |_, bind| bind * other);
        }
        if second_root {
            let moved = node(&mut scene, "moved", None, Trs::IDENTITY);
            scene.clips.clear();
            animate(&mut scene, &[joints[0], moved]);
        }
        without_middle_weights(&mut scene);
        let points: u64 = if baked { 8 + 5 } else { 8 };
        let context = Context::new();
        let files = export(scene.clone(), &context);
        let mdl = parser::mdl(&content(&files, "Model.mdl"));
        assert_close(&scene_corners(&scene, None), &written_corners(&mdl, None), "rest");
        if second_root {
            // The common root never moves.
            let ani = parser::ani(&content(&files, "Animations/move.ani"));
            let expected = scene_corners(&scene, Some((0, 1)));
            assert_close(&expected, &written_corners(&mdl, Some((&ani, 1))), "moved");
        }
        assert_eq!(context.report().count_of("urho.unbound-points"), points);
        assert_eq!(context.report().worst(), Some(anyrig_bytes::Severity::Approximated));
    }
}

fn second_skin(scene: &mut Scene, joints: &[NodeId], change: impl Fn(usize, DAffine3) -> DAffine3) {
    let first = scene.skins.values().next().expect("a skin").inverse_binds.clone();
    let binds = first.into_iter().enumerate().map(|(i, bind)| change(i, bind)).collect();
    let skin = scene.skins.push(Skin::new("", joints.to_vec(), binds));
    let shown = node(scene, "clothes", None, Trs::IDENTITY);
    add_mesh(scene, shown, skinned_part(5, 2), Some(skin));
}

#[test]
fn a_second_skin_bound_in_another_space_goes_into_the_vertices() {
    let (mut scene, joints) = rig(&[]);
    let other = trs([1.0, 0.0, 2.0], 0.4, [0.5, 0.25, 0.5]).to_affine();
    second_skin(&mut scene, &joints, |_, bind| bind * other);
    let mdl = check(scene, &Context::new());
    assert_eq!(names(&mdl), ["hip", "chest"]);
}

#[test]
fn a_second_bind_pose_of_a_joint_gets_a_bone_that_follows() {
    let (mut scene, joints) = rig(&[]);
    second_skin(&mut scene, &joints, |i, bind| bind * DAffine3::from_translation(DVec3::new(i as f64, 0.0, 0.0)));
    let context = Context::new();
    let mdl = check(scene, &context);
    assert_eq!(names(&mdl), ["hip", "chest", "chest_2"]);
    assert_eq!(mdl.bones[2].parent, 1);
    assert_eq!(context.report().count_of("urho.bone-duplicated"), 1);
    assert_eq!(context.report().worst(), Some(anyrig_bytes::Severity::Note));
}

/// All on the first one.
fn many_joints(count: u32, triangles: u32) -> Scene {
    let mut scene = Scene::default();
    let mut joints: Vec<NodeId> = Vec::new();
    for i in 0..count {
        let local = trs([i as f64 * 0.1, 0.0, 0.0], 0.1, [1.0; 3]);
        joints.push(node(&mut scene, &format!("j{i}"), joints.first().copied(), local));
    }
    let binds = (0..count).map(|i| DAffine3::from_translation(DVec3::new(0.0, f64::from(i) * 0.01, 0.0))).collect();
    let skin = scene.skins.push(Skin::new("", joints, binds));
    let shown = node(&mut scene, "body", None, Trs::IDENTITY);
    add_mesh(&mut scene, shown, skinned_part(triangles, count), Some(skin));
    scene
}

fn limited(max_bones: u32) -> Context {
    let mut options = Value::Null;
    options.set("max-bones", max_bones);
    Context::new().with_options("urhox", options)
}

#[test]
fn more_bones_than_the_limit_split_a_mesh() {
    let scene = many_joints(100, 300);
    let context = limited(20);
    let mdl = parser::mdl(&content(&export(scene.clone(), &context), "Model.mdl"));
    assert_eq!(mdl.bones.len(), 100);
    assert!(mdl.geometries.len() > 5);
    assert!(mdl.geometries.iter().all(|g| (1..=20).contains(&g.mapping.len())));
    assert_eq!(context.report().count_of("urho.split-by-bones"), 1);
    // Triangles may come in another order.
    let key = |t: &[DVec3]| t.iter().map(|p| [p.x, p.y, p.z].map(|v| (v * 1e4).round() as i64)).collect::<Vec<_>>();
    let sorted = |corners: &[DVec3]| {
        let mut triangles: Vec<_> = corners.chunks_exact(3).map(key).collect();
        triangles.sort();
        triangles
    };
    let (expected, written) = (sorted(&scene_corners(&scene, None)), sorted(&written_corners(&mdl, None)));
    let off = |(a, b): (&[i64; 3], &[i64; 3])| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1);
    assert_eq!(expected.len(), written.len());
    assert!(!expected.iter().flatten().zip(written.iter().flatten()).any(off));
}

#[test]
fn up_to_the_limit_every_bone_is_mapped() {
    let mdl = parser::mdl(&content(&export(many_joints(64, 70), &Context::new()), "Model.mdl"));
    assert_eq!(mdl.geometries[0].mapping, (0..64).collect::<Vec<_>>());
    let mdl = parser::mdl(&content(&export(many_joints(65, 10), &Context::new()), "Model.mdl"));
    assert!(mdl.geometries[0].mapping.len() < 64 && mdl.geometries.len() == 1);
}

#[test]
fn wide_limits_reach_every_blend_index() {
    let scene = many_joints(256, 300);
    let mdl = parser::mdl(&content(&export(scene.clone(), &limited(256)), "Model.mdl"));
    assert_eq!(mdl.geometries[0].mapping.len(), 256);
    assert_close(&scene_corners(&scene, None), &written_corners(&mdl, None), "256 bones");
}

#[test]
fn names_become_unique_without_case() {
    let (mut scene, joints) = rig(&[]);
    scene.nodes[joints[0]].name = "Bone".to_owned();
    scene.nodes[joints[1]].name = "bone".to_owned();
    let context = Context::new();
    let files = export(scene, &context);
    assert_eq!(names(&parser::mdl(&content(&files, "Model.mdl"))), ["Bone", "bone_2"]);
    let ani = parser::ani(&content(&files, "Animations/move.ani"));
    assert_eq!(ani.tracks.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["Bone", "bone_2"]);
    assert_eq!(context.report().count_of("urho.bone-renamed"), 1);
}

#[test]
fn a_motion_without_a_mesh_makes_animations_only() {
    let (mut scene, joints) = rig(&[]);
    scene.nodes.values_mut().for_each(|n| n.mesh = None);
    let files = export(scene, &Context::new());
    assert_eq!(files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["Animations/move.ani"]);
    assert_eq!(parser::ani(&content(&files, "Animations/move.ani")).tracks.len(), joints.len());
}

#[test]
fn depth_costs_no_stack() {
    let mut scene = Scene::default();
    let mut at = None;
    for _ in 0..200_000 {
        at = Some(node(&mut scene, "n", at, Trs::IDENTITY));
    }
    let mut part = skinned_part(1, 1);
    part.influences = None;
    let end = at.expect("a node");
    add_mesh(&mut scene, end, part, None);
    animate(&mut scene, &[end]);
    let files = export(scene, &Context::new());
    assert_eq!(parser::mdl(&content(&files, "Model.mdl")).bones.len(), 1);
}
