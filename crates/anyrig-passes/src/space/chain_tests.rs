//! What authoring tools keep is the same motion in every space.

use super::*;
use anyrig_animation::{Evaluator, Pose};
use anyrig_scene::{
    Channel, Clip, Curve, Extrapolation, ExtrapolationMode, Handle, InheritMode, Node, NodeId, Pivots, RotationOrder,
    Segment, TransformPart,
};
use proptest::prelude::*;

const ORDERS: [RotationOrder; 6] = [
    RotationOrder::Xyz,
    RotationOrder::Xzy,
    RotationOrder::Yzx,
    RotationOrder::Yxz,
    RotationOrder::Zxy,
    RotationOrder::Zyx,
];

/// Centimetres, +Z up, facing -Y, and what is left-handed.
fn spaces() -> [Space; 4] {
    let centimetres = Space::GLTF.with_metres_per_unit(0.01);
    let turned = Space::GLTF.with_axes(Axis::PosZ, Axis::NegY);
    [centimetres, turned, Space::GLTF.with_axes(Axis::PosX, Axis::PosY).with_metres_per_unit(2.54), Space::URHO]
}

/// A chain of nodes with pivots, each of whose numbers moves.
fn scene(numbers: &[f64; 12], order: RotationOrder, outer: bool) -> Scene {
    let mut scene = Scene::new(Space::GLTF);
    let mut clip = Clip::new("c");
    let mut parent = None;
    for i in 0..3 {
        let at = |k: usize| DVec3::from_array([0, 1, 2].map(|c| numbers[(i * 5 + k + c) % 12]));
        let mut pivots = Pivots::IDENTITY;
        for (k, part) in TransformPart::ALL.into_iter().enumerate() {
            *pivots.part_mut(part) = match part {
                TransformPart::Scale => at(k).abs() + 0.5,
                _ if part.is_angle() => at(k) * 40.0,
                _ => at(k),
            };
        }
        pivots.rotation_order = order;
        let mut node = Node::new(format!("n{i}"));
        node.local = pivots.to_trs().into();
        node.pivots = Some(Box::new(pivots));
        node.inherit = [InheritMode::Full, InheritMode::ComponentWise, InheritMode::IgnoreParentScale][i];
        node.geometric = Some(Box::new(pivots.to_trs()));
        let id = scene.add_node(node, parent);
        parent = Some(id);
        let moving = TransformPart::ALL
            .into_iter()
            .filter(|p| outer || !matches!(p, TransformPart::PreRotation | TransformPart::PostRotation));
        clip.channels.extend(moving.flat_map(|part| (0..3).map(move |axis| (part, axis))).map(|(part, axis)| {
            let start = pivots.part(part)[usize::from(axis)] as f32;
            Channel::on(Target::Component { node: id, part, axis }, curve(start))
        }));
    }
    scene.clips.push(clip);
    scene
}

fn curve(start: f32) -> Curve {
    let handle = |slope, weight| Handle { slope, weight };
    let segments = vec![
        Segment::Hermite { out_slope: 1.5, in_slope: -0.5 },
        Segment::Bezier { out: handle(2.0, 0.6), into: handle(-1.0, 0.2) },
        Segment::Linear,
        Segment::Step,
    ];
    let values = vec![start, start + 0.4, start - 0.3, start + 0.2];
    let mut curve = Curve::per_key(vec![0.0, 1.0, 2.0, 3.0], values, segments);
    curve.after = Extrapolation { mode: ExtrapolationMode::RepeatRelative, repeats: None };
    curve
}

fn same_motion(original: &Scene, target: Space) {
    let (mut changed, context) = (original.clone(), Context::new());
    to_space(&mut changed, target, &context).expect("valid");
    assert_eq!(context.report().count_of("passes.other-curves-kept"), 0);
    let basis = SignedPermutation::between(&original.space, &target);
    let unit = original.space.metres_per_unit / target.metres_per_unit;
    let change = Change { basis, unit, turn_faces: false, flip_v: false };
    let (old, new) = (Evaluator::new(original), Evaluator::new(&changed));
    for time_secs in [0.0, 0.3, 0.9, 1.2, 1.7, 2.6, 3.4, 4.5] {
        let before = Pose::of_clip(original, &original.clips[0], time_secs);
        let after = Pose::of_clip(&changed, &changed.clips[0], time_secs);
        for (i, (before, after)) in old.worlds(&before).into_iter().zip(new.worlds(&after)).enumerate() {
            let (want, size) = (change.affine(before), 1.0 + before.translation.length() * unit);
            let geometric = |scene: &Scene| scene.nodes[NodeId::new(i)].geometric.as_deref().map(|trs| trs.to_affine());
            let (from, to) = (geometric(original).unwrap_or_default(), geometric(&changed).unwrap_or_default());
            assert!(want.abs_diff_eq(after, 2e-5 * size), "{target:?} node {i} at {time_secs} s: {want} {after}");
            let (want, got) = (change.affine(before * from), after * to);
            assert!(want.abs_diff_eq(got, 5e-5 * (size + want.translation.length())), "{target:?} geometry {i}");
        }
    }
}

proptest! {
    #[test]
    fn pivots_and_curves_on_single_numbers_follow(
        numbers in prop::array::uniform12(-2f64..2.0), order in 0..ORDERS.len(), outer in any::<bool>()
    ) {
        for space in spaces() {
            let permutes = SignedPermutation::between(&Space::GLTF, &space).permutes();
            same_motion(&scene(&numbers, ORDERS[order], outer && !permutes), space);
        }
    }
}

#[test]
fn curves_on_outer_rotations_are_told_where_axes_change_places() {
    let mut scene = scene(&[0.5; 12], RotationOrder::Xyz, true);
    let context = Context::new();
    to_space(&mut scene, Space::GLTF.with_axes(Axis::PosZ, Axis::NegY), &context).expect("valid");
    assert_eq!(context.report().count_of("passes.other-curves-kept"), 18);
}

/// The slopes of a length are lengths per second.
#[test]
fn slopes_of_other_lengths_follow_the_unit() {
    let mut scene = Scene::new(Space::GLTF);
    let target =
        Target::Camera { camera: anyrig_scene::CameraId::new(0), property: anyrig_scene::CameraProperty::Near };
    let mut clip = Clip::new("c");
    clip.channels.push(Channel::on(target, curve(1.0)));
    scene.clips.push(clip);
    to_space(&mut scene, Space::GLTF.with_metres_per_unit(0.01), &Context::new()).expect("valid");
    let curve = &scene.clips[0].channels[0].curve;
    assert_eq!(curve.values[0], 100.0);
    assert_eq!(curve.segments[0], Segment::Hermite { out_slope: 150.0, in_slope: -50.0 });
}
