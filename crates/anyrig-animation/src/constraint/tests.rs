use super::*;
use crate::Evaluator;
use crate::rotation::slerp;
use anyrig_bytes::maths;
use anyrig_scene::{AppendFrom, Axis, ConstraintSource, IkLink, LookAt, Node, WorldUp};
use proptest::prelude::*;

fn id(index: usize) -> NodeId {
    NodeId::new(index)
}

fn about(axis: DVec3, degrees: f64) -> DQuat {
    let (sine, cosine) = maths::f64::sin_cos(degrees.to_radians() / 2.0);
    let v = axis.normalize_or_zero() * sine;
    DQuat::from_xyzw(v.x, v.y, v.z, cosine)
}

/// Nodes by their parents, each at its place and turned as it says.
fn scene(nodes: &[(Option<usize>, DVec3, DQuat)]) -> Scene {
    let mut scene = Scene::default();
    for (parent, translation, rotation) in nodes {
        let mut node = Node::new("n");
        node.local = Trs { translation: *translation, rotation: *rotation, scale: DVec3::ONE }.into();
        scene.add_node(node, parent.map(id));
    }
    scene
}

fn still(parents: &[Option<usize>]) -> Scene {
    scene(&parents.iter().map(|p| (*p, DVec3::ZERO, DQuat::IDENTITY)).collect::<Vec<_>>())
}

fn add(scene: &mut Scene, node: usize, kind: ConstraintKind) {
    scene.rig.constraints.push(Constraint::new(id(node), kind));
}

/// The pose after the clips' `turns` and the rules, which must have nothing to tell.
fn solved(scene: &Scene, turns: &[(usize, DQuat)]) -> Pose {
    let context = Context::new();
    let mut solver = RigSolver::new(scene, &context).expect("within limits");
    assert!(context.report().is_empty(), "{:?}", context.report());
    let mut pose = Pose::rest(scene);
    for (node, rotation) in turns {
        pose.set_local(id(*node), Trs { rotation: *rotation, ..pose.local(id(*node)).to_trs() });
    }
    solver.solve(&mut pose);
    pose
}

fn rotation(pose: &Pose, node: usize) -> DQuat {
    pose.local(id(node)).to_trs().rotation
}

fn place(scene: &Scene, pose: &Pose, node: usize) -> DVec3 {
    Evaluator::new(scene).worlds(pose)[node].translation
}

#[track_caller]
fn same(a: DQuat, b: DQuat) {
    let apart = (a - b).length().min((a + b).length());
    assert!(apart < 1e-12, "{a} against {b}");
}

fn sources(nodes: &[(usize, f64)]) -> Vec<ConstraintSource> {
    let source = |(node, weight): &(usize, f64)| {
        let mut source = ConstraintSource::new(id(*node));
        source.weight = *weight;
        source
    };
    nodes.iter().map(source).collect()
}

/// The turn about an axis that is left when what leads the axis elsewhere is taken away.
fn twist(turn: DQuat, axis: DVec3) -> DQuat {
    let along = turn.xyz().dot(axis);
    let twist = DQuat::from_xyzw(axis.x * along, axis.y * along, axis.z * along, turn.w);
    twist / twist.length()
}

#[test]
fn a_roll_is_the_twist_of_the_source() {
    let mut scene = still(&[None, None]);
    add(&mut scene, 1, ConstraintKind::Roll { source: id(0), axis: Axis::PosY });
    let turn = about(DVec3::X, 50.0) * about(DVec3::Y, 40.0);
    same(rotation(&solved(&scene, &[(0, turn)]), 1), about(DVec3::Y, 40.0));
    scene.rig.constraints[0].weight = 0.25;
    same(rotation(&solved(&scene, &[(0, turn)]), 1), about(DVec3::Y, 10.0));
}

#[test]
fn weights_of_vrm_go_from_rest_and_not_from_the_clip() {
    let mut scene = still(&[None, None]);
    add(&mut scene, 1, ConstraintKind::Rotation { source: id(0) });
    scene.rig.constraints[0].weight = 0.5;
    let pose = solved(&scene, &[(0, about(DVec3::Z, 60.0)), (1, about(DVec3::X, 90.0))]);
    same(rotation(&pose, 1), about(DVec3::Z, 30.0));
}

#[test]
fn an_aim_points_its_axis_at_the_source_by_the_shortest_way() {
    let rest = about(DVec3::new(1.0, 2.0, 3.0), 70.0);
    let parent = about(DVec3::Y, 35.0);
    let nodes =
        [(None, DVec3::ZERO, parent), (Some(0), DVec3::X, rest), (None, DVec3::new(3.0, -1.0, 2.0), DQuat::IDENTITY)];
    let mut scene = scene(&nodes);
    add(&mut scene, 1, ConstraintKind::Aim { source: id(2), axis: Axis::NegZ });
    let pose = solved(&scene, &[]);
    let world = Evaluator::new(&scene).worlds(&pose)[1];
    let wanted = (DVec3::new(3.0, -1.0, 2.0) - world.translation).normalize_or_zero();
    assert!(world.transform_vector3(DVec3::NEG_Z).distance(wanted) < 1e-12);
    // The least turn has its axis at right angles to both directions.
    let turn = parent * rotation(&pose, 1) * (parent * rest).conjugate();
    assert!(turn.xyz().dot(wanted).abs() < 1e-12);
}

#[test]
fn appends_pass_on_what_was_appended_and_own_rotation() {
    let mut scene = still(&[None, None, None, None, None]);
    let append = |source: usize, share: f64| ConstraintKind::Append {
        source: id(source),
        rotation: share,
        translation: 0.0,
        from: AppendFrom::Local,
    };
    // Listed before what it follows.
    add(&mut scene, 2, append(1, 0.5));
    add(&mut scene, 1, append(0, 1.0));
    add(&mut scene, 3, append(0, -1.0));
    add(&mut scene, 4, append(0, 2.5));
    let pose = solved(&scene, &[(0, about(DVec3::Z, 20.0)), (1, about(DVec3::Z, 10.0)), (2, about(DVec3::Z, 1.0))]);
    for (node, degrees) in [(1, 30.0), (2, 16.0), (3, -20.0), (4, 50.0)] {
        same(rotation(&pose, node), about(DVec3::Z, degrees));
    }
}

#[test]
fn appended_translations_are_shares_of_the_way_from_rest() {
    let nodes = [(None, DVec3::X, DQuat::IDENTITY), (None, DVec3::Y, DQuat::IDENTITY)];
    let mut scene = scene(&nodes);
    let kind = ConstraintKind::Append { source: id(0), rotation: 0.0, translation: 0.5, from: AppendFrom::Local };
    add(&mut scene, 1, kind);
    let mut pose = Pose::rest(&scene);
    pose.set_local(id(0), Trs { translation: DVec3::new(1.0, 0.0, 4.0), ..Trs::IDENTITY });
    RigSolver::new(&scene, &Context::new()).expect("within limits").solve(&mut pose);
    assert_eq!(pose.local(id(1)).to_trs().translation, DVec3::new(0.0, 1.0, 2.0));
}

#[test]
fn a_source_in_the_scene_passes_on_what_moves_it_from_above() {
    let mut scene = still(&[None, Some(0), None]);
    let append = |from| ConstraintKind::Append { source: id(1), rotation: 1.0, translation: 0.0, from };
    add(&mut scene, 2, append(AppendFrom::Scene));
    let turn = about(DVec3::Z, 40.0);
    same(rotation(&solved(&scene, &[(0, turn)]), 2), turn);
    scene.rig.constraints[0].kind = append(AppendFrom::Local);
    same(rotation(&solved(&scene, &[(0, turn)]), 2), DQuat::IDENTITY);
}

#[test]
fn a_parent_constraint_is_as_good_as_a_parent() {
    let (above, turned) = (about(DVec3::X, 25.0), about(DVec3::new(1.0, 1.0, 0.0), 80.0));
    let offset = Trs { translation: DVec3::new(0.5, 1.0, -2.0), rotation: about(DVec3::Z, 15.0), scale: DVec3::ONE };
    let nodes = [
        (None, DVec3::new(1.0, 2.0, 3.0), turned),
        (None, DVec3::new(-4.0, 0.0, 1.0), above),
        (Some(1), DVec3::ZERO, DQuat::IDENTITY),
        (Some(0), offset.translation, offset.rotation),
    ];
    let mut scene = scene(&nodes);
    let mut source = ConstraintSource::new(id(0));
    source.offset = offset;
    add(&mut scene, 2, ConstraintKind::Parent { sources: vec![source] });
    let pose = solved(&scene, &[(0, about(DVec3::Y, 10.0))]);
    let worlds = Evaluator::new(&scene).worlds(&pose);
    assert!(worlds[2].abs_diff_eq(worlds[3], 1e-12), "{} against {}", worlds[2], worlds[3]);
}

#[test]
fn several_sources_share_by_weight() {
    let nodes = [
        (None, DVec3::X * 4.0, about(DVec3::Z, 90.0)),
        (None, DVec3::Y * 8.0, DQuat::IDENTITY),
        (None, DVec3::new(5.0, 5.0, 5.0), DQuat::IDENTITY),
    ];
    let mut scene = scene(&nodes);
    let both = sources(&[(0, 1.0), (1, 3.0)]);
    let (offset, axes) = (DVec3::Z, [true, false, true]);
    add(&mut scene, 2, ConstraintKind::Position { sources: both.clone(), offset, axes });
    add(&mut scene, 2, ConstraintKind::Orientation { sources: both.clone(), offset: DQuat::IDENTITY });
    scene.nodes[id(0)].local = Trs { scale: DVec3::splat(5.0), ..scene.nodes[id(0)].local.to_trs() }.into();
    add(&mut scene, 2, ConstraintKind::Scale { sources: both, offset: DVec3::new(1.0, 2.0, 3.0), axes });
    let trs = solved(&scene, &[]).local(id(2)).to_trs();
    assert!(trs.translation.distance(DVec3::new(1.0, 5.0, 1.0)) < 1e-12, "{}", trs.translation);
    same(trs.rotation, slerp(about(DVec3::Z, 90.0), DQuat::IDENTITY, 0.75));
    assert!(trs.scale.distance(DVec3::new(2.0, 1.0, 6.0)) < 1e-12, "{}", trs.scale);
    scene.rig.constraints[0].weight = 0.5;
    assert!(solved(&scene, &[]).local(id(2)).to_trs().translation.distance(DVec3::new(3.0, 5.0, 3.0)) < 1e-12);
}

#[test]
fn a_look_has_its_up_vector_up() {
    let nodes = [
        (None, DVec3::new(1.0, 1.0, 0.0), about(DVec3::X, 30.0)),
        (Some(0), DVec3::Y, DQuat::IDENTITY),
        (None, DVec3::new(4.0, 5.0, 6.0), DQuat::IDENTITY),
        (None, DVec3::new(0.0, 9.0, 3.0), about(DVec3::X, 90.0)),
    ];
    let mut scene = scene(&nodes);
    let mut look = LookAt::new(sources(&[(2, 1.0)]));
    (look.aim, look.up) = (DVec3::Z * 2.0, DVec3::Y);
    let ups = [
        (WorldUp::Scene(DVec3::Y), DVec3::Y),
        (WorldUp::Node(id(3)), DVec3::ZERO),
        (WorldUp::NodeDirection { node: id(3), direction: DVec3::Z }, DVec3::NEG_Y),
    ];
    add(&mut scene, 1, ConstraintKind::LookAt(Box::new(look.clone())));
    for (up, direction) in ups {
        look.world_up = up;
        scene.rig.constraints[0].kind = ConstraintKind::LookAt(Box::new(look.clone()));
        let world = Evaluator::new(&scene).worlds(&solved(&scene, &[]))[1];
        let forward = (DVec3::new(4.0, 5.0, 6.0) - world.translation).normalize_or_zero();
        assert!(world.transform_vector3(DVec3::Z).distance(forward) < 1e-12, "{up:?}");
        let direction =
            if direction == DVec3::ZERO { DVec3::new(0.0, 9.0, 3.0) - world.translation } else { direction };
        let best = direction.reject_from_normalized(forward).normalize_or_zero();
        assert!(world.transform_vector3(DVec3::Y).distance(best) < 1e-12, "{up:?}");
    }
}

#[test]
fn rules_follow_what_they_depend_on_whatever_their_order() {
    // 0 turns; 2 copies it and carries 3; 4 aims at 3; 5 stands where 4's child 6 is.
    let nodes = [
        (None, DVec3::ZERO, DQuat::IDENTITY),
        (None, DVec3::ZERO, DQuat::IDENTITY),
        (Some(1), DVec3::ZERO, DQuat::IDENTITY),
        (Some(2), DVec3::X * 2.0, DQuat::IDENTITY),
        (None, DVec3::ZERO, DQuat::IDENTITY),
        (None, DVec3::ZERO, DQuat::IDENTITY),
        (Some(4), DVec3::X, DQuat::IDENTITY),
    ];
    let mut rules = [
        (5, ConstraintKind::Position { sources: sources(&[(6, 1.0)]), offset: DVec3::ZERO, axes: [true; 3] }),
        (4, ConstraintKind::Aim { source: id(3), axis: Axis::PosX }),
        (2, ConstraintKind::Rotation { source: id(0) }),
    ];
    for _ in 0..2 {
        let mut scene = scene(&nodes);
        rules.iter().for_each(|(node, kind)| add(&mut scene, *node, kind.clone()));
        let pose = solved(&scene, &[(0, about(DVec3::Z, 90.0))]);
        assert!(place(&scene, &pose, 3).distance(DVec3::Y * 2.0) < 1e-12);
        assert!(place(&scene, &pose, 5).distance(DVec3::Y) < 1e-12);
        rules.reverse();
    }
}

#[test]
fn a_leg_as_in_mmd_moves_its_copies_after_its_ik() {
    // Hip 0, knee 1, ankle 2, toe 3; goals 4 (leg) and 5 (toe, below it); the copy of the knee 6.
    let nodes = [
        (None, DVec3::Y * 10.0, DQuat::IDENTITY),
        (Some(0), DVec3::new(0.0, -5.0, 0.1), DQuat::IDENTITY),
        (Some(1), DVec3::new(0.0, -5.0, -0.1), DQuat::IDENTITY),
        (Some(2), DVec3::Z, DQuat::IDENTITY),
        (None, DVec3::new(0.0, 2.0, 1.0), DQuat::IDENTITY),
        (Some(4), DVec3::new(0.0, 1.0, 0.0), DQuat::IDENTITY),
        (None, DVec3::ZERO, DQuat::IDENTITY),
    ];
    let mut scene = scene(&nodes);
    let kind = ConstraintKind::Append { source: id(1), rotation: 1.0, translation: 0.0, from: AppendFrom::Local };
    add(&mut scene, 6, kind);
    let links = |nodes: &[usize]| nodes.iter().map(|n| IkLink::new(id(*n))).collect::<Vec<_>>();
    // The toe first, which must follow the leg.
    scene.rig.ik_chains.push(IkChain::new(id(5), id(3), links(&[2])));
    scene.rig.ik_chains.push(IkChain::new(id(4), id(2), links(&[1, 0])));
    let pose = solved(&scene, &[]);
    assert!(place(&scene, &pose, 2).distance(DVec3::new(0.0, 2.0, 1.0)) < 1e-3);
    assert!(place(&scene, &pose, 3).distance(DVec3::new(0.0, 3.0, 1.0)) < 1e-3);
    same(rotation(&pose, 6), rotation(&pose, 1));
    assert!(rotation(&pose, 1).w < 0.9, "the knee is bent");
}

#[test]
fn rings_are_cut_and_told() {
    let mut scene = still(&[None, None, None]);
    for (node, source) in [(0, 1), (1, 2), (2, 0)] {
        add(&mut scene, node, ConstraintKind::Rotation { source: id(source) });
    }
    let context = Context::new();
    let mut solver = RigSolver::new(&scene, &context).expect("within limits");
    assert_eq!(context.report().count_of("animation.cycle"), 1);
    let mut pose = Pose::rest(&scene);
    pose.set_local(id(0), Trs { rotation: about(DVec3::X, 30.0), ..Trs::IDENTITY });
    solver.solve(&mut pose);
    // 2 follows the clip's 0, 1 follows 2, 0 follows 1.
    (0..3).for_each(|node| same(rotation(&pose, node), about(DVec3::X, 30.0)));
}

#[test]
fn what_follows_itself_is_left_out_and_told() {
    let mut scene = still(&[None, Some(0), Some(1)]);
    add(&mut scene, 0, ConstraintKind::Aim { source: id(2), axis: Axis::PosX });
    add(&mut scene, 1, ConstraintKind::Rotation { source: id(1) });
    scene.rig.ik_chains.push(IkChain::new(id(2), id(2), vec![IkLink::new(id(1))]));
    // A child's own rotation is no ring.
    add(&mut scene, 0, ConstraintKind::Rotation { source: id(2) });
    let context = Context::new();
    let solver = RigSolver::new(&scene, &context).expect("within limits");
    assert_eq!((solver.rules.len(), context.report().count_of("animation.own-source")), (1, 3));
}

#[test]
fn an_empty_scene_and_a_deep_one_have_answers() {
    let empty = Scene::default();
    RigSolver::new(&empty, &Context::new()).expect("nothing").solve(&mut Pose::rest(&empty));
    // A hundred thousand nodes, each of which copies the one above, from the bottom up.
    let parents: Vec<Option<usize>> = (0..100_000usize).map(|i| i.checked_sub(1)).collect();
    let mut scene = still(&parents);
    for node in (1..100_000).rev() {
        add(&mut scene, node, ConstraintKind::Rotation { source: id(node - 1) });
    }
    let pose = solved(&scene, &[(0, about(DVec3::Z, 3.0))]);
    same(rotation(&pose, 99_999), about(DVec3::Z, 3.0));
}

fn kind() -> impl Strategy<Value = ConstraintKind> {
    let node = || (0..6usize).prop_map(id);
    let up = prop_oneof![
        Just(WorldUp::None),
        Just(WorldUp::Scene(DVec3::ZERO)),
        node().prop_map(WorldUp::Node),
        node().prop_map(|node| WorldUp::NodeDirection { node, direction: DVec3::Z })
    ];
    let both = || (0..6usize, 0..6usize, 0.0..2.0f64).prop_map(|(a, b, weight)| sources(&[(a, weight), (b, 1.0)]));
    prop_oneof![
        node().prop_map(|source| ConstraintKind::Roll { source, axis: Axis::NegZ }),
        node().prop_map(|source| ConstraintKind::Aim { source, axis: Axis::PosY }),
        node().prop_map(|source| ConstraintKind::Rotation { source }),
        (node(), -2.0..2.0f64).prop_map(|(source, rotation)| ConstraintKind::Append {
            source,
            rotation,
            translation: 1.0,
            from: AppendFrom::Scene
        }),
        both().prop_map(|sources| ConstraintKind::Parent { sources }),
        both().prop_map(|sources| ConstraintKind::Position { sources, offset: DVec3::ONE, axes: [true; 3] }),
        both().prop_map(|sources| ConstraintKind::Orientation { sources, offset: DQuat::IDENTITY }),
        both().prop_map(|sources| ConstraintKind::Scale { sources, offset: DVec3::ONE, axes: [true; 3] }),
        (both(), up).prop_map(|(sources, world_up)| {
            let mut look = LookAt::new(sources);
            look.world_up = world_up;
            ConstraintKind::LookAt(Box::new(look))
        }),
    ]
}

proptest! {
    #[test]
    fn rolls_are_twists_whatever_the_source_does(
        axis in prop::array::uniform3(-1.0..1.0f64), degrees in -170.0..170.0f64,
    ) {
        let axis = DVec3::from_array(axis);
        prop_assume!(axis.length() > 0.1);
        let turn = about(axis, degrees);
        // Where the axis is turned round there are many ways back.
        prop_assume!((turn * DVec3::Z).z > -0.99);
        let mut scene = still(&[None, None]);
        add(&mut scene, 1, ConstraintKind::Roll { source: id(0), axis: Axis::PosZ });
        let (found, expected) = (rotation(&solved(&scene, &[(0, turn)]), 1), twist(turn, DVec3::Z));
        prop_assert!(found.dot(expected).abs() > 1.0 - 1e-9, "{} {}", found, expected);
    }

    #[test]
    fn whatever_the_rules_and_the_pose_are_what_comes_out_is_finite(
        kinds in prop::collection::vec((0..6usize, kind(), 0.0..1.5f64), 0..8),
        scales in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), Just(-1.0), Just(1e-200), Just(1e150)], 6),
        parents in prop::array::uniform6(0..6usize),
    ) {
        let parents: Vec<Option<usize>> = parents.iter().enumerate().map(|(i, p)| (*p < i).then_some(*p)).collect();
        let mut scene = still(&parents);
        for (node, kind, weight) in kinds {
            add(&mut scene, node, kind);
            scene.rig.constraints.last_mut().expect("just added").weight = weight;
        }
        for goal in [0, 5] {
            scene.rig.ik_chains.push(IkChain::new(id(goal), id(4), vec![IkLink::new(id(3)), IkLink::new(id(2))]));
        }
        let mut pose = Pose::rest(&scene);
        for (node, scale) in scales.iter().enumerate() {
            let translation = DVec3::new(node as f64, 1.0, 0.0);
            pose.set_local(id(node), Trs { scale: DVec3::splat(*scale), translation, ..Trs::IDENTITY });
        }
        let mut solver = RigSolver::new(&scene, &Context::new()).expect("within limits");
        for _ in 0..3 {
            solver.solve(&mut pose);
        }
        for node in 0..6 {
            let trs = pose.local(id(node)).to_trs();
            prop_assert!(trs.translation.is_finite() && trs.scale.is_finite(), "{trs:?}");
            prop_assert!((trs.rotation.length() - 1.0).abs() < 1e-6, "{trs:?}");
        }
    }
}
