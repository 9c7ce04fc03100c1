//! What sampling a clip and its world matrices costs beside a plain sampler in `f64`: `bench-sampling [RUNS]`.
//!
//! A clip of a hundred joints with three hundred keys for each translation, rotation and scale is played at sixty
//! frames a second, and asked for the same times in any order. The plain sampler below keeps each track's keys in a list
//! of structs, remembers where it was (in order) or searches (in any order), and uses glam. Both sides run in the same
//! process on one thread, run after run in turn. Prints a line for each side: with times of its own for each track, with
//! times that all tracks share, and baked.
#![allow(clippy::print_stdout, reason = "a program for people and scripts")]

use anyrig_animation::{ClipHints, Evaluator, Kernel, Player, Pose, Tracks};
use anyrig_benches::{measure, median};
use anyrig_bytes::Context;
use anyrig_scene::{Channel, Clip, Curve, Interpolation, Node, NodeId, Property, Scene, Trs};
use glam::{DAffine3, DQuat, DVec3};
use std::error::Error;
use std::hint::black_box;

const JOINTS: usize = 100;
const KEYS: usize = 301;
const KEYS_PER_SEC: f64 = 30.0;
/// Times a run samples: ten seconds at sixty frames, several times over.
const FRAMES: usize = 600;
const REPEATS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(9), |text| text.parse())?;
    let scene = skeleton();
    for (name, is_shared) in [("own", false), ("shared", true)] {
        let clip = clip(is_shared);
        let tracks = Tracks::new(&scene, &clip);
        let baked = Tracks::baked(&scene, &clip, KEYS_PER_SEC, &Context::new())?;
        for (access, times) in [("sequential", in_order()), ("random", in_any_order())] {
            let case = format!("times={name} access={access}");
            let mut sides = vec![
                ("plain".to_owned(), Side::Plain(Plain::new(&scene, &clip))),
                ("anyrig_f64".to_owned(), Side::Exact(Exact::new(&scene, &clip))),
            ];
            for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                sides.push((kernel.name().to_owned(), Side::Own(Player::with_kernel(&tracks, kernel))));
                if is_shared {
                    sides.push((format!("{}_baked", kernel.name()), Side::Own(Player::with_kernel(&baked, kernel))));
                }
            }
            compare(&case, &mut sides, (&times, access == "sequential"), runs)?;
        }
    }
    Ok(())
}

fn compare(
    case: &str,
    sides: &mut [(String, Side<'_>)],
    (times, is_in_order): (&[f64], bool),
    runs: usize,
) -> Result<(), Box<dyn Error>> {
    let mut seconds = vec![Vec::new(); sides.len()];
    for run in 0..=runs {
        for ((_, side), seconds) in sides.iter_mut().zip(&mut seconds) {
            let took = measure(|| {
                for time_secs in times.iter().cycle().take(REPEATS * times.len()) {
                    side.frame(*time_secs, is_in_order);
                }
                Ok(())
            })?;
            if run > 0 {
                seconds.push(took.cpu_secs);
            }
        }
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    for ((name, _), secs) in sides.iter().zip(&medians) {
        let rate = (REPEATS * times.len()) as f64 / secs / 1e3;
        println!("{case} side={name} kposes_per_sec={rate:.0} ratio={:.3}", medians[0] / secs);
    }
    Ok(())
}

fn in_order() -> Vec<f64> {
    (0..FRAMES).map(|i| i as f64 / 60.0).collect()
}

fn in_any_order() -> Vec<f64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) * 10.0
    };
    (0..FRAMES).map(|_| next()).collect()
}

/// A spine of twenty joints, on which chains of ten hang.
fn skeleton() -> Scene {
    let mut scene = Scene::default();
    for i in 0..JOINTS {
        let mut node = Node::new(format!("joint {i}"));
        node.local = Trs { translation: DVec3::Y * 0.1, ..Trs::IDENTITY }.into();
        let parent = match i {
            0 => None,
            20.. if i % 10 == 0 => Some(NodeId::new(i / 10)),
            _ => Some(NodeId::new(i - 1)),
        };
        scene.add_node(node, parent);
    }
    scene
}

/// Everything moves, so that nothing is left out as constant.
fn clip(is_shared: bool) -> Clip {
    let mut clip = Clip::new("clip");
    for joint in 0..JOINTS {
        for (p, property) in [Property::Translation, Property::Rotation, Property::Scale].into_iter().enumerate() {
            let phase = (joint * 3 + p) as f64;
            let shift = if is_shared { 0.0 } else { phase * 1e-5 };
            let times: Vec<f64> = (0..KEYS).map(|key| key as f64 / KEYS_PER_SEC + shift).collect();
            // A cosine from glam, whose functions are the same everywhere.
            let wave = |key: usize, speed: f64| (DQuat::from_rotation_x(key as f64 * speed + phase) * DVec3::Y).y;
            let values: Vec<f32> =
                (0..KEYS).flat_map(|key| value(property, [0.11, 0.07, 0.05].map(|s| wave(key, s)))).collect();
            let width = property.width().unwrap_or(1);
            clip.channels.push(Channel::new(
                NodeId::new(joint),
                property,
                Curve::new(Interpolation::Linear, width, times, values),
            ));
        }
    }
    clip
}

fn value(property: Property, [a, b, c]: [f64; 3]) -> Vec<f32> {
    let numbers = match property {
        Property::Translation => vec![0.02 * a, 0.1 + 0.02 * b, 0.02 * c],
        Property::Rotation => DQuat::from_euler(glam::EulerRot::XYZ, 0.5 * a, 0.3 * b, 0.4 * c).to_array().to_vec(),
        _ => vec![1.0 + 0.1 * a, 1.0 + 0.1 * b, 1.0 + 0.1 * c],
    };
    numbers.into_iter().map(|v| v as f32).collect()
}

enum Side<'a> {
    Plain(Plain),
    Exact(Exact<'a>),
    Own(Player<'a>),
}

impl Side<'_> {
    fn frame(&mut self, time_secs: f64, is_in_order: bool) {
        match (self, is_in_order) {
            (Self::Plain(plain), true) => plain.in_order(time_secs),
            (Self::Plain(plain), false) => plain.in_any_order(time_secs),
            (Self::Exact(exact), _) => exact.frame(time_secs, is_in_order),
            (Self::Own(player), true) => player.play(time_secs),
            (Self::Own(player), false) => player.seek(time_secs),
        }
    }
}

/// This library's own sampler in `f64`, which plays everything.
struct Exact<'a> {
    clip: &'a Clip,
    evaluator: Evaluator,
    rest: Pose,
    pose: Pose,
    hints: ClipHints,
    worlds: Vec<DAffine3>,
}

impl<'a> Exact<'a> {
    fn new(scene: &Scene, clip: &'a Clip) -> Self {
        let (evaluator, rest) = (Evaluator::new(scene), Pose::rest(scene));
        let worlds = evaluator.worlds(&rest);
        Self { clip, evaluator, pose: rest.clone(), rest, hints: ClipHints::new(clip), worlds }
    }

    fn frame(&mut self, time_secs: f64, is_in_order: bool) {
        self.pose.copy_from(&self.rest);
        if is_in_order {
            self.pose.apply_clip_hinted(self.clip, time_secs, &mut self.hints);
        } else {
            self.pose.apply_clip(self.clip, time_secs);
        }
        self.evaluator.worlds_into(&self.pose, &mut self.worlds);
        black_box(&mut self.worlds);
    }
}

/// The keys of one property, and where they were read last.
struct Track<T> {
    keys: Vec<(f64, T)>,
    last: usize,
}

impl<T: Copy> Track<T> {
    fn new(curve: &Curve, read: impl Fn(&[f32]) -> T) -> Self {
        let keys = curve.times_secs.iter().zip(curve.values.chunks(curve.width)).map(|(time, v)| (*time, read(v)));
        Self { keys: keys.collect(), last: 0 }
    }

    fn between(&self, key: usize, time_secs: f64) -> (T, T, f64) {
        let ((start, from), (end, to)) = (self.keys[key], self.keys[key + 1]);
        (from, to, ((time_secs - start) / (end - start)).clamp(0.0, 1.0))
    }

    fn play(&mut self, time_secs: f64) -> (T, T, f64) {
        if time_secs < self.keys[self.last].0 {
            self.last = 0;
        }
        while self.last + 2 < self.keys.len() && self.keys[self.last + 1].0 <= time_secs {
            self.last += 1;
        }
        self.between(self.last, time_secs)
    }

    fn search(&mut self, time_secs: f64) -> (T, T, f64) {
        let after = self.keys.partition_point(|(time, _)| *time <= time_secs);
        self.between(after.saturating_sub(1).min(self.keys.len() - 2), time_secs)
    }
}

struct Joint {
    parent: Option<usize>,
    translation: Track<DVec3>,
    rotation: Track<DQuat>,
    scale: Track<DVec3>,
}

/// The sampler that one writes by hand.
struct Plain {
    joints: Vec<Joint>,
    worlds: Vec<DAffine3>,
}

impl Plain {
    fn new(scene: &Scene, clip: &Clip) -> Self {
        let vector = |v: &[f32]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
        let quaternion = |v: &[f32]| DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into());
        let curves = clip.channels.chunks(3).zip(scene.nodes.values());
        let joints = curves.map(|(channels, node)| Joint {
            parent: node.parent.map(|parent| parent.index()),
            translation: Track::new(&channels[0].curve, vector),
            rotation: Track::new(&channels[1].curve, quaternion),
            scale: Track::new(&channels[2].curve, vector),
        });
        Self { joints: joints.collect(), worlds: vec![DAffine3::IDENTITY; scene.nodes.len()] }
    }

    fn in_order(&mut self, time_secs: f64) {
        for (i, joint) in self.joints.iter_mut().enumerate() {
            let sampled =
                (joint.translation.play(time_secs), joint.rotation.play(time_secs), joint.scale.play(time_secs));
            place(&mut self.worlds, (i, joint.parent), sampled);
        }
        black_box(&mut self.worlds);
    }

    fn in_any_order(&mut self, time_secs: f64) {
        for (i, joint) in self.joints.iter_mut().enumerate() {
            let sampled =
                (joint.translation.search(time_secs), joint.rotation.search(time_secs), joint.scale.search(time_secs));
            place(&mut self.worlds, (i, joint.parent), sampled);
        }
        black_box(&mut self.worlds);
    }
}

type Sampled = ((DVec3, DVec3, f64), (DQuat, DQuat, f64), (DVec3, DVec3, f64));

/// One joint, after its parent.
fn place(worlds: &mut [DAffine3], (joint, parent): (usize, Option<usize>), (t, r, s): Sampled) {
    let (translation, rotation, scale) = (t.0.lerp(t.1, t.2), r.0.slerp(r.1, r.2), s.0.lerp(s.1, s.2));
    let local = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
    worlds[joint] = parent.map_or(local, |parent| worlds[parent] * local);
}
