use crate::{Evaluator, Pose, RigSolver};
use anyrig_bytes::{Context, ErrorKind, Limits, maths};
use anyrig_scene::{AngleLimits, IkChain, IkLink, IkMethod, Node, NodeId, RotationOrder, Scene, Trs};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn id(index: usize) -> NodeId {
    NodeId::new(index)
}

/// A chain of nodes from the origin, its last one the effector, then the goal and the pole.
fn scene(steps: &[DVec3], goal: DVec3, pole: DVec3) -> Scene {
    let mut scene = Scene::default();
    let node = |translation: DVec3| {
        let mut node = Node::new("n");
        node.local = Trs { translation, ..Trs::IDENTITY }.into();
        node
    };
    let mut parent = None;
    for step in [DVec3::ZERO].iter().chain(steps) {
        parent = Some(scene.add_node(node(*step), parent));
    }
    let effector = steps.len();
    let goal = scene.add_node(node(goal), None);
    scene.add_node(node(pole), None);
    let links = (0..effector).rev().map(|n| IkLink::new(id(n))).collect();
    scene.rig.ik_chains.push(IkChain::new(goal, id(effector), links));
    scene
}

fn leg(goal: DVec3) -> Scene {
    scene(&[DVec3::new(0.0, -5.0, 0.5), DVec3::new(0.0, -5.0, -0.5)], goal, DVec3::Z * 20.0)
}

fn solved(scene: &Scene) -> (Pose, Vec<DVec3>) {
    let context = Context::new();
    let mut pose = Pose::rest(scene);
    RigSolver::new(scene, &context).expect("within limits").solve(&mut pose);
    assert!(context.report().is_empty(), "{:?}", context.report());
    let places = Evaluator::new(scene).worlds(&pose).iter().map(|w| w.translation).collect();
    (pose, places)
}

fn methods() -> [IkMethod; 4] {
    let pole = Some(id(4));
    [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::TwoBone { pole: None }, IkMethod::TwoBone { pole }]
}

#[test]
fn every_method_brings_the_effector_to_the_goal() {
    let goal = DVec3::new(1.0, -7.0, 2.0);
    for method in methods() {
        let mut scene = leg(goal);
        scene.rig.ik_chains[0].method = method;
        scene.rig.ik_chains[0].iterations = 200;
        let (_, places) = solved(&scene);
        let bound = if matches!(method, IkMethod::TwoBone { .. }) { 1e-12 } else { 2e-4 };
        assert!(places[2].distance(goal) < bound, "{method:?} {}", places[2].distance(goal));
        assert!((places[1].distance(places[0]) - 25.25_f64.sqrt()).abs() < 1e-12);
    }
}

#[test]
fn goals_out_of_reach_are_pointed_to() {
    let goal = DVec3::new(3.0, -40.0, 0.0);
    for method in methods() {
        let mut scene = leg(goal);
        scene.rig.ik_chains[0].method = method;
        scene.rig.ik_chains[0].iterations = 256;
        let (_, places) = solved(&scene);
        let direction = places[2].normalize_or_zero();
        // Cyclic descent comes to a stretched chain by ever smaller steps.
        assert!(direction.dot(goal.normalize_or_zero()) > 1.0 - 1e-3, "{method:?} {direction}");
        assert!(places[2].length() > 2.0 * 25.25_f64.sqrt() * 0.97, "{method:?}");
    }
}

#[test]
fn the_middle_lies_on_the_side_of_the_pole() {
    let mut scene = leg(DVec3::Y * -7.0);
    for (pole, side) in [(DVec3::Z * 20.0, 1.0), (DVec3::Z * -20.0, -1.0), (DVec3::X * 20.0, 0.0)] {
        scene.nodes[id(4)].local = Trs { translation: pole, ..Trs::IDENTITY }.into();
        scene.rig.ik_chains[0].method = IkMethod::TwoBone { pole: Some(id(4)) };
        let (_, places) = solved(&scene);
        assert!(places[2].distance(DVec3::Y * -7.0) < 1e-12);
        assert_eq!(places[1].z.abs() > 1e-9, side != 0.0);
        assert!(places[1].z * side >= 0.0 && places[1].dot(pole) > 0.0, "{pole}");
    }
}

/// A knee that only bends backwards, as MMD limits it: about X, from -180 to -0.5 degrees.
fn knee() -> AngleLimits {
    let low = DVec3::new(-std::f64::consts::PI, 0.0, 0.0);
    AngleLimits::new(low, DVec3::new(-0.5_f64.to_radians(), 0.0, 0.0), RotationOrder::Xyz)
}

#[test]
fn a_limited_knee_bends_the_right_way() {
    // Straight, and bent the wrong way by the step to the goal alone.
    for bend in [0.0, 0.01] {
        let steps = [DVec3::new(0.0, -5.0, bend), DVec3::new(0.0, -5.0, -bend)];
        let goal = DVec3::new(0.5, -7.0, -1.0);
        let mut scene = scene(&steps, goal, DVec3::ZERO);
        scene.rig.ik_chains[0].links[0].limits = Some(knee());
        scene.rig.ik_chains[0].max_turn_rad = 1.0;
        let (pose, places) = solved(&scene);
        assert!(places[2].distance(goal) < 0.01, "{}", places[2].distance(goal));
        let angles = RotationOrder::Xyz.to_angles_deg(pose.local(id(1)).to_trs().rotation);
        assert!((-180.0..=-0.5 + 1e-9).contains(&angles.x), "{angles}");
        assert!(angles.y.abs() < 1e-9 && angles.z.abs() < 1e-9, "{angles}");
    }
}

#[test]
fn limits_are_measured_from_rest() {
    let goal = DVec3::new(0.5, -7.0, -1.0);
    let mut turned = scene(&[DVec3::new(0.0, -5.0, 0.0), DVec3::new(0.0, 0.0, 5.0)], goal, DVec3::ZERO);
    // The lower bone lies along Z in its own frame, which rests turned so that it hangs down.
    let half = 0.5_f64.sqrt();
    let rest = DQuat::from_xyzw(half, 0.0, 0.0, half);
    turned.nodes[id(1)].local = Trs { translation: DVec3::Y * -5.0, rotation: rest, ..Trs::IDENTITY }.into();
    turned.rig.ik_chains[0].links[0].limits = Some(knee());
    let (pose, places) = solved(&turned);
    assert!(places[2].distance(goal) < 0.01, "{}", places[2].distance(goal));
    let own = rest.conjugate() * pose.local(id(1)).to_trs().rotation;
    assert!(RotationOrder::Xyz.to_angles_deg(own).x < -0.5 + 1e-9);
}

#[test]
fn a_link_that_may_not_turn_does_not() {
    let mut scene = leg(DVec3::new(1.0, -7.0, 2.0));
    scene.rig.ik_chains[0].links[0].limits = Some(AngleLimits::new(DVec3::ZERO, DVec3::ZERO, RotationOrder::Xyz));
    let (pose, _) = solved(&scene);
    assert_eq!(pose.local(id(1)), Pose::rest(&scene).local(id(1)));
    assert_ne!(pose.local(id(0)), Pose::rest(&scene).local(id(0)));
}

#[test]
fn the_first_link_turns_by_no_more_than_the_chain_allows() {
    let mut scene = leg(DVec3::new(5.0, -2.0, 2.0));
    (scene.rig.ik_chains[0].iterations, scene.rig.ik_chains[0].max_turn_rad) = (1, 0.1);
    let (pose, _) = solved(&scene);
    let angle = |node: usize| {
        let q = pose.local(id(node)).to_trs().rotation;
        2.0 * maths::f64::atan2(q.xyz().length(), q.w.abs())
    };
    assert!((angle(1) - 0.1).abs() < 1e-9 && (angle(0) - 0.2).abs() < 1e-9, "{} {}", angle(1), angle(0));
}

#[test]
fn a_weight_goes_part_of_the_way_and_no_iterations_none() {
    let mut scene = leg(DVec3::new(1.0, -7.0, 2.0));
    scene.rig.ik_chains[0].method = IkMethod::TwoBone { pole: None };
    let full = solved(&scene).0.local(id(1)).to_trs().rotation;
    scene.rig.ik_chains[0].weight = 0.5;
    let half = solved(&scene).0.local(id(1)).to_trs().rotation;
    assert!((half * half).dot(full).abs() > 1.0 - 1e-12);
    scene.rig.ik_chains[0].method = IkMethod::Ccd;
    scene.rig.ik_chains[0].iterations = 0;
    assert_eq!(solved(&scene).0, Pose::rest(&scene));
}

#[test]
fn two_bones_need_two_links() {
    let mut scene = scene(&[DVec3::X, DVec3::X, DVec3::Y], DVec3::new(1.0, 1.0, 0.5), DVec3::ZERO);
    scene.rig.ik_chains[0].method = IkMethod::TwoBone { pole: None };
    let context = Context::new();
    RigSolver::new(&scene, &context).expect("within limits");
    assert_eq!(context.report().count_of("animation.unfit-chain"), 1);
}

#[test]
fn what_a_chain_costs_is_booked() {
    let mut scene = scene(&[DVec3::X; 1000], DVec3::Y, DVec3::ZERO);
    scene.rig.ik_chains[0].iterations = u32::MAX;
    let mut limits = Limits::default();
    limits.elements = 255_999_999;
    let error = RigSolver::new(&scene, &Context::new().with_limits(limits)).expect_err("256 million steps");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

proptest! {
    #[test]
    fn whatever_the_chain_is_what_comes_out_is_finite(
        steps in prop::collection::vec(prop::array::uniform3(prop_oneof![Just(0.0), -2.0..2.0f64]), 1..5),
        goal in prop::array::uniform3(prop_oneof![Just(0.0), -3.0..3.0f64, Just(1e300)]),
        scale in prop_oneof![Just(1.0), Just(0.0), Just(-1.0), Just(1e-170)],
        method in 0..4usize,
    ) {
        let steps: Vec<DVec3> = steps.into_iter().map(DVec3::from_array).collect();
        let mut scene = scene(&steps, DVec3::from_array(goal), DVec3::ZERO);
        scene.rig.ik_chains[0].method = methods()[method];
        scene.rig.ik_chains[0].links[0].limits = Some(knee());
        scene.nodes[id(0)].local = Trs { scale: DVec3::new(scale, 1.0, scale), ..Trs::IDENTITY }.into();
        let mut pose = Pose::rest(&scene);
        RigSolver::new(&scene, &Context::new()).expect("within limits").solve(&mut pose);
        for node in 0..=steps.len() {
            let rotation = pose.local(id(node)).to_trs().rotation;
            prop_assert!((rotation.length() - 1.0).abs() < 1e-6, "{rotation}");
        }
    }
}
