//! Clips played fast against the same clips sampled in `f64`.

use anyrig_animation::{Evaluator, Kernel, Player, Pose, Tracks};
use anyrig_bytes::{Context, ErrorKind, Limits};
use anyrig_scene::{
    Channel, Clip, ClipLayer, Curve, ExtrapolationMode, InheritMode, Interpolation, LayerBlend, Mesh, MeshInstance,
    MorphTarget, Node, NodeId, Pivots, Property, Scene, Skin, Target, TransformPart, Trs,
};
use glam::{DAffine3, DQuat, DVec3};

/// A stream of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % limit
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        self.below(2_000_001) as f32 / 1e6 - 1.0
    }

    fn quaternion(&mut self) -> [f32; 4] {
        let read = DQuat::from_array([0; 4].map(|_| f64::from(self.number())));
        let length = read.length();
        if length > 0.01 { (read * (1.0 / length)).to_array().map(|c| c as f32) } else { [0.0, 0.0, 0.0, 1.0] }
    }
}

/// What the tracks of a clip are like.
#[derive(Clone, Copy)]
enum Kind {
    /// All with the same times, straight.
    Shared,
    /// Each with times of its own, straight.
    Own,
    /// All shapes, some with the same times, some of one key, some nodes without some of them.
    Mixed,
}

fn skeleton(dice: &mut Dice, count: usize) -> Scene {
    let mut scene = Scene::default();
    for i in 0..count {
        let mut node = Node::new(format!("n{i}"));
        node.local = Trs {
            translation: DVec3::new(dice.number().into(), 0.3, dice.number().into()) * 0.3,
            rotation: DQuat::from_array(dice.quaternion().map(f64::from)),
            scale: DVec3::ONE,
        }
        .into();
        let parent = (i > 0).then(|| NodeId::new(i.saturating_sub(1 + dice.below(4) as usize)));
        scene.add_node(node, parent);
    }
    scene
}

fn times(dice: &mut Dice, kind: Kind) -> Vec<f64> {
    let count = match kind {
        Kind::Shared => return (0..30).map(|i| 0.1 + f64::from(i) * 0.07).collect(),
        Kind::Own => 30,
        Kind::Mixed if dice.below(3) == 0 => return vec![0.25, 0.5, 1.5],
        Kind::Mixed => 1 + dice.below(6),
    };
    let mut time = 0.0;
    let next = |_| {
        time += f64::from(dice.number().abs()) * 0.1 + 0.01;
        time
    };
    (0..count).map(next).collect()
}

fn curve(dice: &mut Dice, property: Property, kind: Kind) -> Curve {
    let times = times(dice, kind);
    let interpolation = match (kind, dice.below(4)) {
        (Kind::Mixed, 0) => Interpolation::Step,
        (Kind::Mixed, 1) => Interpolation::CubicHermite,
        _ => Interpolation::Linear,
    };
    let width = property.width().expect("a transform");
    let mut values = Vec::new();
    for _ in 0..times.len() {
        let mut tangent = |dice: &mut Dice| {
            if interpolation == Interpolation::CubicHermite {
                values.extend((0..width).map(|_| dice.number()));
            }
        };
        tangent(dice);
        let value = dice.quaternion();
        let [a, b, c] = [dice.number(), dice.number(), dice.number()];
        match property {
            Property::Rotation => values.extend(value),
            Property::Scale => values.extend([1.0 + 0.2 * a, 1.0 + 0.2 * b, 1.0 + 0.2 * c]),
            _ => values.extend([0.3 * a, 0.3 * b, 0.3 * c]),
        }
        if interpolation == Interpolation::CubicHermite {
            values.extend((0..width).map(|_| dice.number()));
        }
    }
    Curve::new(interpolation, width, times, values)
}

fn clip(dice: &mut Dice, scene: &Scene, kind: Kind) -> Clip {
    let mut clip = Clip::new("clip");
    for (node, _) in scene.nodes.iter() {
        for property in [Property::Translation, Property::Rotation, Property::Scale] {
            if matches!(kind, Kind::Mixed) && dice.below(3) == 0 {
                continue;
            }
            clip.channels.push(Channel::new(node, property, curve(dice, property, kind)));
        }
    }
    clip
}

/// The largest difference of a number of a world matrix, as a share of the largest number there is.
fn difference(scene: &Scene, clip: &Clip, player: &Player<'_>, time_secs: f64) -> f64 {
    let worlds = Evaluator::new(scene).worlds(&Pose::of_clip(scene, clip, time_secs));
    let numbers = |world: &DAffine3| world.to_cols_array();
    let largest = worlds.iter().flat_map(numbers).fold(1.0, |most: f64, v| most.max(v.abs()));
    let pairs = worlds
        .iter()
        .zip(player.worlds())
        .flat_map(|(exact, fast)| numbers(exact).into_iter().zip(numbers(&fast.to_affine())));
    pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / largest
}

const AT: [f64; 12] = [-1.0, 0.0, 0.1, 0.3, 0.31, 0.49, 0.5, 0.77, 1.3, 1.9, 5.0, 0.2];

#[test]
fn tracks_of_every_kind_are_what_f64_says() {
    let mut dice = Dice(7);
    for kind in [Kind::Shared, Kind::Own, Kind::Mixed] {
        for nodes in [1, 3, 8, 9, 40, 100] {
            let scene = skeleton(&mut dice, nodes);
            let clip = clip(&mut dice, &scene, kind);
            let tracks = Tracks::new(&scene, &clip);
            assert_eq!(tracks.node_count(), nodes);
            let mut player = Player::new(&tracks);
            for time_secs in AT {
                player.seek(time_secs);
                let found = difference(&scene, &clip, &player, time_secs);
                // Roundings add up along chains of some twenty nodes that turn and stretch.
                assert!(found < 5e-6, "{found} at {time_secs} s of {nodes} nodes");
            }
        }
    }
}

#[test]
fn equal_times_are_shared() {
    let mut dice = Dice(3);
    let scene = skeleton(&mut dice, 20);
    let timelines = |kind| {
        let clip = clip(&mut Dice(4), &scene, kind);
        let tracks = Tracks::new(&scene, &clip);
        assert_eq!(tracks.fast_nodes(), 20);
        tracks.timelines()
    };
    assert_eq!((timelines(Kind::Shared), timelines(Kind::Own)), (1, 60));
}

fn bits(player: &Player<'_>) -> Vec<u32> {
    player.worlds().iter().flat_map(|w| w.rows.as_flattened().to_vec()).map(f32::to_bits).collect()
}

#[test]
fn playing_on_seeking_and_every_kernel_give_the_same_bits() {
    let mut dice = Dice(11);
    for kind in [Kind::Shared, Kind::Own, Kind::Mixed] {
        let scene = skeleton(&mut dice, 45);
        let clip = clip(&mut dice, &scene, kind);
        let tracks = Tracks::new(&scene, &clip);
        let baked = Tracks::baked(&scene, &clip, 30.0, &Context::new()).expect("baked");
        for tracks in [&tracks, &baked] {
            let mut plain = Player::with_kernel(tracks, Kernel::Scalar);
            let mut others = Kernel::ALL.map(|kernel| Player::with_kernel(tracks, kernel));
            for time_secs in AT.into_iter().chain((0..100).map(|i| f64::from(i) / 47.0)) {
                plain.seek(time_secs);
                for player in &mut others {
                    player.play(time_secs);
                    assert_eq!(bits(player), bits(&plain), "{time_secs} {player:?}");
                }
            }
        }
    }
}

#[test]
fn what_has_no_track_is_played_as_well() {
    let mut dice = Dice(19);
    let mut scene = skeleton(&mut dice, 12);
    let pivots = Pivots { rotation_pivot: DVec3::X, pre_rotation_deg: DVec3::new(30.0, 0.0, 0.0), ..Pivots::IDENTITY };
    scene.nodes[NodeId::new(3)].local = pivots.to_trs().into();
    scene.nodes[NodeId::new(3)].pivots = Some(Box::new(pivots));
    let mut mesh = Mesh::default();
    mesh.morphs.push(MorphTarget::new("smile"));
    let mesh = scene.meshes.push(mesh);
    scene.nodes[NodeId::new(5)].mesh = Some(MeshInstance::new(mesh));
    let mut clip = clip(&mut dice, &scene, Kind::Shared);
    let ramp = || Curve::new(Interpolation::Linear, 1, vec![0.0, 2.0], vec![0.0, 1.0]);
    clip.channels.push(Channel::on(Target::Morph { node: NodeId::new(5), target: 0 }, ramp()));
    clip.channels.push(Channel::on(Target::Visibility { node: NodeId::new(6) }, ramp()));
    let component = Target::Component { node: NodeId::new(3), part: TransformPart::Rotation, axis: 2 };
    clip.channels.push(Channel::on(component, ramp()));
    clip.channels[20].curve.after.mode = ExtrapolationMode::Repeat;
    let repeats = clip.channels[20].target.node().expect("a node");
    let layered = {
        let mut clip = clip.clone();
        clip.layers = vec![ClipLayer::new("base", LayerBlend::Override), ClipLayer::new("more", LayerBlend::Additive)];
        clip.channels[30].layer = 1;
        clip.channels.sort_by_key(|channel| channel.layer);
        clip
    };
    let inheriting = {
        let mut scene = scene.clone();
        scene.nodes[NodeId::new(2)].inherit = InheritMode::IgnoreParentScale;
        scene
    };
    assert_ne!(repeats, NodeId::new(3));
    for (scene, clip, fast) in [(&scene, &clip, 10), (&scene, &layered, 0), (&inheriting, &clip, 0)] {
        let tracks = Tracks::new(scene, clip);
        assert_eq!(tracks.fast_nodes(), fast);
        let mut player = Player::new(&tracks);
        for time_secs in AT {
            player.play(time_secs);
            assert!(difference(scene, clip, &player, time_secs) < 5e-6, "{time_secs}");
            let pose = Pose::of_clip(scene, clip, time_secs);
            assert_eq!(player.weights(NodeId::new(5)), pose.weights(NodeId::new(5)));
            assert_eq!(player.is_visible(NodeId::new(6)), pose.is_visible(NodeId::new(6)));
        }
    }
    let baked = Tracks::baked(&scene, &layered, 10.0, &Context::new()).expect("baked");
    assert_eq!(baked.fast_nodes(), 12);
    let mut player = Player::new(&baked);
    player.seek(0.5);
    assert!(difference(&scene, &layered, &player, 0.5) < 5e-6);
    assert_eq!(player.weights(NodeId::new(5)), [0.25]);
}

#[test]
fn a_baked_clip_meets_its_frames_and_comes_close_between_them() {
    let mut dice = Dice(23);
    let scene = skeleton(&mut dice, 30);
    let mut clip = clip(&mut dice, &scene, Kind::Shared);
    clip.start_secs = 0.1;
    let baked = Tracks::baked(&scene, &clip, 100.0, &Context::new()).expect("baked");
    assert_eq!((baked.fast_nodes(), baked.timelines()), (30, 1));
    let mut player = Player::new(&baked);
    for frame in [0, 1, 50, 99, 203] {
        let time_secs = 0.1 + f64::from(frame) / 100.0;
        player.play(time_secs);
        assert!(difference(&scene, &clip, &player, time_secs) < 5e-6, "{frame}");
    }
    // Keys every seven frames: where one lies on a frame, straight lines are exact on both sides.
    player.seek(0.1 + 0.014);
    assert!(difference(&scene, &clip, &player, 0.1 + 0.014) < 5e-6);
}

#[test]
fn bad_rates_and_clips_that_need_too_much_memory_are_errors() {
    let mut dice = Dice(29);
    let scene = skeleton(&mut dice, 30);
    let mut clip = clip(&mut dice, &scene, Kind::Shared);
    let kind = |clip: &Clip, rate, context: &Context| Tracks::baked(&scene, clip, rate, context).map_err(|e| e.kind());
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e30] {
        assert_eq!(kind(&clip, rate, &Context::new()).err(), Some(ErrorKind::Malformed), "{rate}");
    }
    let mut limits = Limits::default();
    limits.memory_bytes = 1 << 20;
    clip.length_secs = Some(1e6);
    assert_eq!(kind(&clip, 60.0, &Context::new().with_limits(limits)).err(), Some(ErrorKind::LimitExceeded));
}

#[test]
fn hostile_clips_give_numbers() {
    let mut scene = skeleton(&mut Dice(31), 3);
    let ids = [0, 1, 2].map(NodeId::new);
    let mut clip = Clip::new("hostile");
    let mut add = |node, property: Property, times: Vec<f64>, values: Vec<f32>| {
        let width = property.width().expect("a transform");
        clip.channels.push(Channel::new(node, property, Curve::new(Interpolation::Linear, width, times, values)));
    };
    add(ids[0], Property::Scale, vec![0.0, 1.0], vec![1e12; 6]);
    add(ids[1], Property::Scale, vec![0.0, 1.0], vec![1e12, 1e12, 1e12, 9e11, 1.0, 2.0]);
    add(ids[2], Property::Scale, vec![0.0, 1.0], vec![f32::NAN, 1.0, 1.0, f32::MAX, 1.0, 2.0]);
    add(ids[1], Property::Rotation, vec![0.0, 0.0, 1.0], vec![0.0; 12]);
    add(ids[2], Property::Translation, vec![], vec![]);
    add(ids[0], Property::Translation, vec![0.0, 1.0], vec![1.0]);
    add(NodeId::new(77), Property::Translation, vec![0.0], vec![1.0; 3]);
    scene.nodes[ids[2]].local = Trs { translation: DVec3::splat(1e30), ..Trs::IDENTITY }.into();
    let tracks = Tracks::new(&scene, &clip);
    let mut player = Player::new(&tracks);
    for time_secs in [f64::NAN, -1.0, 0.0, 0.5, 2.0, f64::INFINITY] {
        player.play(time_secs);
        assert!(player.worlds().iter().all(|w| w.rows.as_flattened().iter().all(|v| v.is_finite())), "{time_secs}");
    }
}

#[test]
fn palettes_are_those_of_the_evaluator() {
    let mut dice = Dice(37);
    let scene = skeleton(&mut dice, 10);
    let clip = clip(&mut dice, &scene, Kind::Own);
    let tracks = Tracks::new(&scene, &clip);
    let mut player = Player::new(&tracks);
    player.seek(0.4);
    let binds = vec![DAffine3::from_translation(DVec3::new(1.0, 2.0, 3.0)); 2];
    let skin = Skin::new("skin", vec![NodeId::new(4), NodeId::new(99)], binds);
    let (mut fast, mut exact) = (Vec::new(), Vec::new());
    player.palette(&skin, &mut fast);
    let worlds = Evaluator::new(&scene).worlds(&Pose::of_clip(&scene, &clip, 0.4));
    anyrig_animation::matrix_palette(&skin, &worlds, &mut exact);
    for (a, b) in fast.iter().zip(&exact) {
        let pairs = a.rows.as_flattened().iter().zip(b.rows.as_flattened());
        assert!(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-5, "{a:?} {b:?}");
    }
}
