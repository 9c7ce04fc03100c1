use super::*;
use anyrig_animation::{Evaluator, Pose};
use anyrig_scene::{
    Channel, ClipLayer, Extrapolation, ExtrapolationMode, Feature, LayerBlend, Mesh, MeshInstance, MorphTarget, Node,
    NodeId, Pivots, Property, RotationOrder, Segment, Skin, TransformPart, Trs, features, validate,
};
use glam::{DAffine3, DQuat, DVec3};

fn curve(keys: &[(f64, f32)], segment: Segment) -> Curve {
    let times: Vec<f64> = keys.iter().map(|k| k.0).collect();
    let values: Vec<f32> = keys.iter().map(|k| k.1).collect();
    Curve::per_key(times, values, vec![segment; keys.len()])
}

fn on(clip: &mut Clip, node: NodeId, part: TransformPart, axis: u8, curve: Curve) {
    clip.channels.push(Channel::on(Target::Component { node, part, axis }, curve));
}

fn node(scene: &mut Scene, name: &str, parent: Option<NodeId>, pivots: Pivots) -> NodeId {
    let mut node = Node::new(name);
    node.local = pivots.to_trs().into();
    node.pivots = Some(Box::new(pivots));
    scene.add_node(node, parent)
}

/// A chain of three with pivots, uneven scale and every inherit mode, of about size 10.
fn rig(modes: [InheritMode; 2]) -> (Scene, [NodeId; 3]) {
    let mut scene = Scene::default();
    let base = Pivots {
        translation: DVec3::new(0.0, 5.0, 0.0),
        rotation_pivot: DVec3::new(0.0, 1.0, 0.0),
        pre_rotation_deg: DVec3::new(0.0, 0.0, 30.0),
        rotation_order: RotationOrder::Zyx,
        ..Pivots::IDENTITY
    };
    let a = node(&mut scene, "a", None, Pivots { scale: DVec3::new(1.0, 2.0, 1.0), ..base });
    let b = node(&mut scene, "b", Some(a), base);
    let c = node(&mut scene, "c", Some(b), base);
    scene.nodes[b].inherit = modes[0];
    scene.nodes[c].inherit = modes[1];
    (scene, [a, b, c])
}

fn set_scale(scene: &mut Scene, id: NodeId, scale: DVec3) {
    let node = &mut scene.nodes[id];
    let pivots = node.pivots.as_mut().expect("set");
    pivots.scale = scale;
    node.local = pivots.to_trs().into();
}

fn worlds(scene: &Scene, time: f64) -> Vec<DAffine3> {
    Evaluator::new(scene).worlds(&Pose::of_clip(scene, &scene.clips[0], time))
}

fn valid(mut scene: Scene) -> Scene {
    let context = Context::new();
    validate(&mut scene, &context);
    assert!(context.report().is_empty(), "{:?}", context.report());
    scene
}

fn baked(scene: &Scene) -> Scene {
    let mut out = scene.clone();
    let context = Context::new();
    bake_motion(&mut out, &BakeOptions::default(), &context).expect("bakes");
    assert!(context.report().is_empty(), "{:?}", context.report());
    assert!(!needs_baking(&out));
    valid(out)
}

/// Largest deviation of places (as a share of 10) and axes of the nodes that stand for the first three.
fn deviation(before: &Scene, after: &Scene, homes: [NodeId; 3], times: std::ops::RangeInclusive<i32>) -> f64 {
    let mut most: f64 = 0.0;
    for i in times {
        let time = f64::from(i) / 37.0;
        let (a, b) = (worlds(before, before.clips[0].start_secs + time), worlds(after, time));
        for (index, home) in homes.iter().enumerate() {
            let (a, b) = (a[index], b[home.index()]);
            most = most.max(a.translation.distance(b.translation) / 10.0);
            most = (0..3).map(|i| a.matrix3.col(i).distance(b.matrix3.col(i))).fold(most, f64::max);
        }
    }
    most
}

#[test]
fn plain_scenes_stay_bit_for_bit() {
    let mut scene = Scene::default();
    let id = scene.add_node(Node::new("n"), None);
    let mut clip = Clip::new("c");
    clip.channels.push(Channel::new(
        id,
        Property::Translation,
        Curve::new(Interpolation::Linear, 3, vec![0.5, 1.0], vec![0.0; 6]),
    ));
    scene.clips.push(clip);
    let mut out = scene.clone();
    bake_motion(&mut out, &BakeOptions::default(), &Context::new()).expect("bakes");
    assert_eq!(out, scene);
}

#[test]
fn pivots_and_euler_curves_keep_every_place_in_time() {
    let (mut scene, [a, b, c]) = rig([InheritMode::Full; 2]);
    set_scale(&mut scene, a, DVec3::ONE);
    let mut clip = Clip::new("c");
    clip.start_secs = 0.25;
    let smooth = Segment::Hermite { out_slope: 100.0, in_slope: -20.0 };
    on(&mut clip, a, TransformPart::Rotation, 2, curve(&[(0.0, 0.0), (1.0, 725.0), (2.0, 0.0)], smooth));
    on(&mut clip, b, TransformPart::Rotation, 0, curve(&[(0.0, 0.0), (2.0, 90.0)], Segment::Linear));
    on(&mut clip, b, TransformPart::Translation, 1, curve(&[(0.5, 5.0), (1.5, 7.0)], smooth));
    on(&mut clip, c, TransformPart::RotationPivot, 0, curve(&[(0.0, 0.0), (2.0, 3.0)], Segment::Linear));
    on(&mut clip, c, TransformPart::Rotation, 1, curve(&[(0.0, 0.0), (2.0, 200.0)], Segment::Linear));
    scene.clips.push(clip);
    let scene = valid(scene);
    let out = baked(&scene);
    assert_eq!((out.clips[0].start_secs, out.clips[0].end_secs()), (0.0, 1.75));
    // Three nodes below each other, each within 1e-4.
    let apart = deviation(&scene, &out, [a, b, c], 0..=64);
    assert!(apart < 4e-4, "{apart}");
    let keys: usize = out.clips[0].channels.iter().map(|c| c.curve.len()).sum();
    assert!(keys < 1500, "{keys} keys");
}

#[test]
fn uneven_scale_that_is_not_inherited_goes_to_helpers() {
    use InheritMode::{ComponentWise, Full, IgnoreParentScale};
    for modes in [
        [ComponentWise, ComponentWise],
        [IgnoreParentScale, IgnoreParentScale],
        [ComponentWise, Full],
        [IgnoreParentScale, ComponentWise],
    ] {
        let (mut scene, [a, b, c]) = rig(modes);
        scene.skins.push(Skin::new("s", vec![a, b, c], vec![DAffine3::IDENTITY; 3]));
        let mut clip = Clip::new("c");
        on(&mut clip, a, TransformPart::Scale, 1, curve(&[(0.0, 2.0), (1.0, 0.5)], Segment::Linear));
        on(&mut clip, b, TransformPart::Rotation, 2, curve(&[(0.0, 0.0), (1.0, 90.0)], Segment::Linear));
        on(&mut clip, b, TransformPart::Scale, 0, curve(&[(0.0, 1.0), (1.0, 3.0)], Segment::Linear));
        scene.clips.push(clip);
        let scene = valid(scene);
        let out = baked(&scene);
        let joints = &out.skins.as_slice()[0].joints;
        let apart = deviation(&scene, &out, [joints[0], joints[1], joints[2]], 0..=37);
        assert!(apart < 8e-4, "{modes:?} {apart}");
        assert_ne!(joints[0], a, "{modes:?}: the scale of the first is on a helper");
    }
}

#[test]
fn even_scale_is_divided_out_without_helpers() {
    let (mut scene, [a, b, c]) = rig([InheritMode::IgnoreParentScale; 2]);
    set_scale(&mut scene, a, DVec3::splat(2.0));
    let mut clip = Clip::new("c");
    for axis in 0..3 {
        on(&mut clip, a, TransformPart::Scale, axis, curve(&[(0.0, 2.0), (1.0, 0.5)], Segment::Linear));
    }
    scene.clips.push(clip);
    let scene = valid(scene);
    let out = baked(&scene);
    assert_eq!(out.nodes.len(), 3);
    let apart = deviation(&scene, &out, [a, b, c], 0..=37);
    assert!(apart < 4e-4, "{apart}");
}

#[test]
fn geometric_transforms_move_the_mesh_only() {
    let mut scene = Scene::default();
    let mesh = scene.meshes.push(Mesh::default());
    let geometric = Trs { translation: DVec3::X, rotation: DQuat::from_rotation_z(0.5), scale: DVec3::splat(2.0) };
    let mut add = |name: &str, parent| {
        let mut node = Node::new(name);
        node.local = Trs { translation: DVec3::Y, ..Trs::IDENTITY }.into();
        node.mesh = Some(MeshInstance::new(mesh));
        node.geometric = Some(Box::new(geometric));
        scene.add_node(node, parent)
    };
    let parent = add("parent", None);
    let leaf = add("leaf", Some(parent));
    let out = baked(&valid(scene));
    let worlds = anyrig_scene::walk::rest_world_transforms(&out);
    assert!(out.nodes[parent].mesh.is_none() && out.nodes[leaf].mesh.is_some());
    let helper = out.nodes.iter().find(|(_, n)| n.name == "parent.geometry").expect("made").0;
    let up = |y: f64| DAffine3::from_translation(DVec3::new(0.0, y, 0.0)) * geometric.to_affine();
    assert!(worlds[helper.index()].abs_diff_eq(up(1.0), 1e-12));
    assert!(worlds[leaf.index()].abs_diff_eq(up(2.0), 1e-12));
    assert_eq!(out.nodes.len(), 3);
}

#[test]
fn layers_morphs_visibility_and_extrapolation_become_single_curves() {
    let mut scene = Scene::default();
    let mut mesh = Mesh::default();
    mesh.morphs = vec![MorphTarget::new("a"), MorphTarget::new("b")];
    let mesh = scene.meshes.push(mesh);
    let mut shown = Node::new("n");
    shown.mesh = Some(MeshInstance::new(mesh));
    let id = scene.add_node(shown, None);
    let mut clip = Clip::new("c");
    clip.length_secs = Some(4.0);
    clip.layers = vec![ClipLayer::new("base", LayerBlend::Override), ClipLayer::new("top", LayerBlend::Additive)];
    clip.layers[1].weight = 0.5;
    let mut bounce = curve(&[(0.0, 0.0), (1.0, 2.0)], Segment::Linear);
    bounce.after = Extrapolation { mode: ExtrapolationMode::Mirror, repeats: None };
    on(&mut clip, id, TransformPart::Translation, 0, bounce);
    clip.channels
        .push(Channel::on(Target::Morph { node: id, target: 1 }, curve(&[(0.0, 0.0), (2.0, 1.0)], Segment::Linear)));
    clip.channels.push(Channel::on(Target::Visibility { node: id }, curve(&[(0.0, 1.0), (3.0, 0.0)], Segment::Step)));
    let mut top = Channel::on(
        Target::Component { node: id, part: TransformPart::Translation, axis: 0 },
        curve(&[(0.0, 1.0)], Segment::Step),
    );
    top.layer = 1;
    clip.channels.push(top);
    scene.clips.push(clip);
    let scene = valid(scene);
    let out = baked(&scene);
    let clip = &out.clips[0];
    let moved = clip.channels.iter().find(|c| c.node_target() == Some((id, Property::Translation))).expect("baked");
    // Up and down between 0.5 and 2.5, a key at each turn.
    assert_eq!(&*moved.curve.times_secs, &[0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(moved.curve.values.iter().step_by(3).copied().collect::<Vec<_>>(), [0.5, 2.5, 0.5, 2.5, 0.5]);
    let morphs = clip.channels.iter().find(|c| c.node_target() == Some((id, Property::MorphWeights))).expect("baked");
    assert_eq!((morphs.curve.width, morphs.curve.value(1)), (2, &[0.0, 1.0][..]));
    let visible = clip.channels.iter().find(|c| c.target == Target::Visibility { node: id }).expect("kept");
    assert_eq!((visible.curve.interpolation, &*visible.curve.times_secs), (Interpolation::Step, &[0.0, 3.0][..]));
    let used = features(&out);
    for feature in [Feature::LayeredClips, Feature::PerKeyCurves, Feature::Extrapolation, Feature::ComponentCurves] {
        assert!(!used.contains_key(&feature), "{feature}");
    }
}

#[test]
fn too_many_keys_are_told_and_bounded() {
    let (mut scene, [a, ..]) = rig([InheritMode::Full; 2]);
    let mut clip = Clip::new("c");
    on(&mut clip, a, TransformPart::Rotation, 0, curve(&[(0.0, 0.0), (1.0, 1e7)], Segment::Linear));
    scene.clips.push(clip);
    let context = Context::new();
    let options = BakeOptions { max_keys: 100, ..BakeOptions::default() };
    bake_motion(&mut scene, &options, &context).expect("bakes");
    assert!(context.report().count_of("passes.keys-limited") > 0);
    let keys = scene.clips[0].channels.iter().map(|c| c.curve.len()).max();
    assert!(keys.is_some_and(|k| k < 5000), "{keys:?}");
}

/// A second look at all channels or all nodes for each node would take minutes here.
#[test]
fn clips_of_very_many_nodes_are_not_searched_for_each() {
    const COUNT: usize = 40_000;
    let mut scene = Scene::default();
    let mut clip = Clip::new("crowd");
    for _ in 0..COUNT {
        let id = node(&mut scene, "n", None, Pivots::IDENTITY);
        on(&mut clip, id, TransformPart::Translation, 1, curve(&[(0.0, 0.0), (1.0, 2.0)], Segment::Linear));
    }
    scene.clips.push(clip);
    let out = baked(&valid(scene));
    assert_eq!(out.clips[0].channels.len(), COUNT);
    assert!(out.clips[0].channels.iter().all(|c| c.curve.values.to_vec() == [0.0, 0.0, 0.0, 0.0, 2.0, 0.0]));
}

#[test]
fn the_channels_of_a_node_keep_the_order_of_the_clip() {
    let mut scene = Scene::default();
    let [a, b] = ["a", "b"].map(|name| node(&mut scene, name, None, Pivots::IDENTITY));
    let mut clip = Clip::new("c");
    let still = || curve(&[(0.0, 1.0)], Segment::Linear);
    for (id, part, axis) in [
        (b, TransformPart::Scale, 2),
        (a, TransformPart::Rotation, 1),
        (b, TransformPart::Translation, 0),
        (a, TransformPart::Scale, 0),
        (b, TransformPart::Scale, 0),
    ] {
        on(&mut clip, id, part, axis, still());
    }
    clip.channels.push(Channel::on(Target::Visibility { node: a }, still()));
    let channels = plan::ByNode::new(&clip);
    let targets = |part: &Clip| part.channels.iter().map(|c| c.target.clone()).collect::<Vec<_>>();
    let all = targets(&clip);
    // Its own transform and the scale of the one above, not what is shown.
    assert_eq!(targets(&channels.sub_clip(a, &[a, b])), [&all[0], &all[1], &all[3], &all[4]].map(Clone::clone));
    assert_eq!(
        channels.of(a).map(|c| c.target.clone()).collect::<Vec<_>>(),
        [&all[1], &all[3], &all[5]].map(Clone::clone)
    );
    assert!(channels.of(NodeId::new(9)).next().is_none());
}
