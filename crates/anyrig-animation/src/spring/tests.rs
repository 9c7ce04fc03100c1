use super::*;
use anyrig_bytes::{ErrorKind, Limits};
use anyrig_scene::{Collider, ColliderGroup, ColliderShape, ColliderSide, Node};
use glam::DQuat;

/// Nodes 0 to `count`, each two units below the one before, and a spring through all of them.
fn chain(count: usize) -> Scene {
    let mut scene = Scene::default();
    let mut parent = None;
    for _ in 0..count {
        let mut node = Node::new("n");
        node.local = Trs { translation: DVec3::NEG_Y * 2.0, ..Trs::IDENTITY }.into();
        parent = Some(scene.add_node(node, parent));
    }
    let joints = scene.nodes.ids().map(SpringJoint::new).collect();
    scene.rig.springs.push(Spring::new("s", joints));
    scene
}

fn id(index: usize) -> NodeId {
    NodeId::new(index)
}

fn simulate(scene: &Scene, steps: usize, mut change: impl FnMut(usize, &mut Pose)) -> Pose {
    let context = Context::new();
    let mut springs = SpringSimulation::new(scene, &context).expect("within limits");
    let rest = Pose::rest(scene);
    let mut pose = rest.clone();
    for step in 0..steps {
        pose.copy_from(&rest);
        change(step, &mut pose);
        springs.step(&mut pose, SpringSimulation::STEP_SECS);
    }
    pose
}

fn place(scene: &Scene, pose: &Pose, node: usize) -> DVec3 {
    crate::Evaluator::new(scene).worlds(pose)[node].translation
}

fn move_to(pose: &mut Pose, node: usize, translation: DVec3) {
    let trs = Trs { translation, ..pose.local(id(node)).to_trs() };
    pose.set_local(id(node), trs);
}

#[test]
fn what_hangs_at_rest_stays() {
    let scene = chain(4);
    let pose = simulate(&scene, 20, |_, _| {});
    for node in 0..4 {
        assert!(place(&scene, &pose, node).distance(DVec3::NEG_Y * 2.0 * (node + 1) as f64) < 1e-12);
    }
}

#[test]
fn one_step_is_the_formula_of_the_specification() {
    let mut scene = chain(2);
    let joint = &mut scene.rig.springs[0].joints[0];
    (joint.stiffness, joint.gravity_power, joint.drag) = (3.0, 6.0, 0.25);
    joint.gravity_dir = DVec3::X;
    let secs = SpringSimulation::STEP_SECS;
    // The tail hangs at (0, -4, 0) below a head at (0, -2, 0).
    let wanted = DVec3::new(0.0, -4.0, 0.0) + DVec3::NEG_Y * 3.0 * secs + DVec3::X * 6.0 * secs;
    let head = DVec3::NEG_Y * 2.0;
    let first = head + (wanted - head).normalize_or_zero() * 2.0;
    assert!(place(&scene, &simulate(&scene, 1, |_, _| {}), 1).distance(first) < 1e-12);
    let inertia = (first - DVec3::new(0.0, -4.0, 0.0)) * 0.75;
    let wanted = first + inertia + DVec3::NEG_Y * 3.0 * secs + DVec3::X * 6.0 * secs;
    let second = head + (wanted - head).normalize_or_zero() * 2.0;
    assert!(place(&scene, &simulate(&scene, 2, |_, _| {}), 1).distance(second) < 1e-12);
}

#[test]
fn a_chain_settles_where_stiffness_and_gravity_balance() {
    let mut scene = chain(2);
    let joint = &mut scene.rig.springs[0].joints[0];
    (joint.stiffness, joint.gravity_power, joint.gravity_dir) = (1.0, 1.0, DVec3::X);
    let pose = simulate(&scene, 2000, |_, _| {});
    let diagonal = DVec3::new(1.0, -1.0, 0.0).normalize_or_zero() * 2.0;
    assert!(place(&scene, &pose, 1).distance(DVec3::NEG_Y * 2.0 + diagonal) < 1e-9);
}

#[test]
fn bones_keep_their_length_and_follow() {
    let scene = chain(5);
    let pose = simulate(&scene, 40, |step, pose| move_to(pose, 0, DVec3::X * 0.2 * step as f64));
    let places: Vec<DVec3> = (0..5).map(|n| place(&scene, &pose, n)).collect();
    assert!(places.windows(2).all(|p| (p[0].distance(p[1]) - 2.0).abs() < 1e-12));
    assert!(places.windows(2).all(|p| p[1].x < p[0].x), "the lower, the later: {places:?}");
}

#[test]
fn what_moves_with_its_center_does_not_swing() {
    let mut scene = chain(4);
    scene.rig.springs[0].joints.remove(0);
    scene.rig.springs[0].center = Some(id(0));
    let shift = |step: usize, pose: &mut Pose| {
        let trs = Trs {
            translation: DVec3::new(step as f64, 1.0, 0.0),
            rotation: DQuat::from_rotation_z(0.1),
            ..Trs::IDENTITY
        };
        pose.set_local(id(0), trs);
    };
    let pose = simulate(&scene, 30, shift);
    for node in 1..4 {
        assert!(pose.local(id(node)).to_trs().rotation.dot(DQuat::IDENTITY) > 1.0 - 1e-12, "{node}");
    }
    scene.rig.springs[0].center = None;
    assert!(simulate(&scene, 30, shift).local(id(1)).to_trs().rotation.w < 0.99);
}

fn with_collider(scene: &mut Scene, node: usize, offset: DVec3) {
    let shape = ColliderShape::Sphere { offset, radius: 1.0, side: ColliderSide::Outside };
    scene.rig.colliders.push(Collider::new(id(node), shape));
    scene.rig.collider_groups = vec![ColliderGroup::new("g", vec![0])];
    scene.rig.springs[0].collider_groups = vec![0];
}

#[test]
fn tails_stay_out_of_colliders() {
    let mut scene = chain(3);
    let still = scene.add_node(Node::new("still"), None);
    with_collider(&mut scene, still.index(), DVec3::new(0.25, -4.0, 0.0));
    scene.rig.springs[0].joints[0].hit_radius = 0.25;
    // Pushed back to its length after each push, the tail comes to the surface step by step.
    let pose = simulate(&scene, 60, |_, _| {});
    let distance = place(&scene, &pose, 1).distance(DVec3::new(0.25, -4.0, 0.0));
    assert!((distance - 1.25).abs() < 0.02, "{distance}");
}

#[test]
fn joints_come_after_what_carries_their_colliders() {
    let mut scene = chain(2);
    let mut node = Node::new("late");
    node.local = Trs { translation: DVec3::X * 3.0, ..Trs::IDENTITY }.into();
    let late = scene.add_node(node.clone(), None);
    let tail = scene.add_node(node, Some(late));
    let later = Spring::new("later", vec![SpringJoint::new(late), SpringJoint::new(tail)]);
    scene.rig.springs.push(later);
    with_collider(&mut scene, tail.index(), DVec3::ZERO);
    let context = Context::new();
    let springs = SpringSimulation::new(&scene, &context).expect("within limits");
    let order: Vec<usize> = springs.joints.iter().map(|j| j.settings.node.index()).collect();
    assert_eq!((order, context.report().is_empty()), (vec![2, 0], true));
}

#[test]
fn rings_through_colliders_are_cut_and_told() {
    let mut scene = chain(3);
    with_collider(&mut scene, 2, DVec3::X);
    let context = Context::new();
    let springs = SpringSimulation::new(&scene, &context).expect("within limits");
    assert_eq!((springs.joints.len(), context.report().count_of("animation.cycle")), (2, 1));
    let pose = simulate(&scene, 30, |_, _| {});
    assert!((0..3).all(|n| place(&scene, &pose, n).is_finite()));
}

#[test]
fn joints_without_length_are_told_and_stay_still() {
    let mut scene = chain(4);
    scene.nodes[id(2)].local = Trs::IDENTITY.into();
    scene.nodes[id(3)].local = Trs { scale: DVec3::ZERO, translation: DVec3::Y, ..Trs::IDENTITY }.into();
    let context = Context::new();
    let springs = SpringSimulation::new(&scene, &context).expect("within limits");
    assert_eq!((springs.joints.len(), context.report().count_of("animation.still-joint")), (2, 1));
    let pose = simulate(&scene, 30, |step, pose| move_to(pose, 0, DVec3::X * step as f64));
    assert_eq!(pose.local(id(1)).to_trs().rotation, DQuat::IDENTITY);
}

#[test]
fn whatever_is_in_a_pose_what_comes_out_is_finite() {
    let mut scene = chain(4);
    with_collider(&mut scene, 0, DVec3::Y);
    scene.rig.springs[0].center = Some(id(0));
    scene.rig.springs[0].joints[1].gravity_power = f64::MAX;
    let scales =
        [DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::splat(1e200), DVec3::splat(1e-200), DVec3::NAN, DVec3::NEG_ONE];
    let pose = simulate(&scene, 60, |step, pose| {
        let trs = Trs { scale: scales[step % 6], translation: DVec3::splat(step as f64), ..Trs::IDENTITY };
        pose.set_local(id(step % 4), trs);
    });
    for node in 0..4 {
        let rotation = pose.local(id(node)).to_trs().rotation;
        assert!((rotation.length() - 1.0).abs() < 1e-9, "{node} {rotation}");
    }
}

#[test]
fn times_that_are_none_change_nothing() {
    let scene = chain(3);
    let context = Context::new();
    let mut springs = SpringSimulation::new(&scene, &context).expect("within limits");
    let mut pose = Pose::rest(&scene);
    move_to(&mut pose, 0, DVec3::X);
    let before = pose.clone();
    for secs in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        springs.step(&mut pose, secs);
        assert_eq!(pose, before);
    }
    let empty = Scene::default();
    SpringSimulation::new(&empty, &context).expect("nothing to do").step(&mut Pose::rest(&empty), 1.0);
}

#[test]
fn a_reset_brings_everything_to_rest_where_it_is() {
    let scene = chain(3);
    let context = Context::new();
    let mut springs = SpringSimulation::new(&scene, &context).expect("within limits");
    let mut pose = Pose::rest(&scene);
    move_to(&mut pose, 0, DVec3::X * 100.0);
    let jumped = pose.clone();
    springs.reset(&mut pose);
    springs.step(&mut pose, SpringSimulation::STEP_SECS);
    assert!((0..3).all(|n| place(&scene, &pose, n).distance(place(&scene, &jumped, n)) < 1e-12));
}

#[test]
fn holding_gives_the_last_step_again() {
    let scene = chain(4);
    let context = Context::new();
    let mut springs = SpringSimulation::new(&scene, &context).expect("within limits");
    let mut moved = Pose::rest(&scene);
    move_to(&mut moved, 0, DVec3::X);
    let mut pose = moved.clone();
    springs.step(&mut pose, SpringSimulation::STEP_SECS);
    let mut held = moved.clone();
    springs.hold(&mut held);
    assert_eq!(held, pose);
    assert_ne!(held, moved);
}

#[test]
fn joints_times_colliders_are_booked() {
    let mut scene = chain(101);
    with_collider(&mut scene, 0, DVec3::ZERO);
    scene.rig.collider_groups[0].colliders = vec![0; 100];
    let mut limits = Limits::default();
    limits.elements = 10_000;
    let error = SpringSimulation::new(&scene, &Context::new().with_limits(limits)).expect_err("10 100 pairs");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn a_hundred_thousand_joints_need_no_stack() {
    let scene = chain(100_000);
    let pose = simulate(&scene, 2, |step, pose| move_to(pose, 0, DVec3::X * step as f64));
    assert!(pose.local(id(99_000)).to_trs().rotation.is_finite());
}
