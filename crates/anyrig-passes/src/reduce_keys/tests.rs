use super::*;
use anyrig_animation::sample;
use anyrig_bytes::maths;
use anyrig_scene::{Extrapolation, ExtrapolationMode, NodeId};
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn clip(channels: Vec<Channel>) -> Scene {
    let mut clip = Clip::new("walk");
    clip.channels = channels;
    let mut scene = Scene::default();
    scene.clips.push(clip);
    scene
}

fn reduced(curve: &Curve, property: Property, options: &ReduceKeysOptions) -> Curve {
    let mut scene = clip(vec![Channel::new(NodeId::new(0), property, curve.clone())]);
    reduce_keys(&mut scene, options, &Context::new()).expect("valid");
    scene.clips.remove(0).channels.remove(0).curve
}

fn all(bound: f64) -> ReduceKeysOptions {
    ReduceKeysOptions { translation_m: bound, rotation_rad: bound, scale: bound, weight: bound, other_share: bound }
}

/// Largest distance at many times, before and behind the keys too.
fn worst(a: &Curve, b: &Curve, kind: CurveKind) -> f64 {
    let (start, end) = (a.times_secs[0] - 1.0, a.times_secs[a.len() - 1] + 1.0);
    let difference = |i: i32| {
        let time = start + (end - start) * f64::from(i) / 4000.0;
        let (a, b) = (sample(a, time).expect("keys"), sample(b, time).expect("keys"));
        match kind {
            CurveKind::Rotation => {
                let (a, b) = (a.rotation(), b.rotation());
                2.0 * maths::f64::atan2((a.conjugate() * b).xyz().length(), a.dot(b).abs())
            }
            CurveKind::Numbers => {
                let components = (0..a.width()).map(|i| (a.component(i).unwrap() - b.component(i).unwrap()).abs());
                components.fold(0.0, f64::max)
            }
        }
    };
    (0..=4000).map(difference).fold(0.0, f64::max)
}

fn times(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / 30.0).collect()
}

#[test]
fn keys_on_a_line_go_and_corners_stay() {
    let values: Vec<f32> = (0..21).flat_map(|i: i32| [(10 - (i - 10).abs()) as f32, 0.0, 1.0]).collect();
    let curve = Curve::new(Interpolation::Linear, 3, times(21), values);
    let new = reduced(&curve, Property::Translation, &ReduceKeysOptions::default());
    assert_eq!(new.times_secs.to_vec(), [0.0, 10.0 / 30.0, 20.0 / 30.0]);
    assert_eq!(new.values.to_vec(), [0.0, 0.0, 1.0, 10.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn an_even_turn_needs_few_keys_and_stays_within_the_angle() {
    let turns = (0..91).map(|i| DQuat::from_axis_angle(DVec3::Y, f64::from(i) * 0.1));
    let values: Vec<f32> = turns.flat_map(|q| q.to_array().map(|v| v as f32)).collect();
    let curve = Curve::new(Interpolation::Linear, 4, times(91), values);
    let new = reduced(&curve, Property::Rotation, &all(1e-4));
    // 9 radians cannot be one arc, which is at most half a turn.
    assert!((4..=7).contains(&new.len()), "{} keys", new.len());
    assert!(worst(&curve, &new, CurveKind::Rotation) <= 1e-4);
}

#[test]
fn steps_keep_their_times() {
    let values = vec![0.0, 0.0, 1.0, 1.0, 1.0, 0.00001, 0.0];
    let curve = Curve::new(Interpolation::Step, 1, times(7), values);
    let new = reduced(&curve, Property::MorphWeights, &ReduceKeysOptions::default());
    assert_eq!(new.times_secs.to_vec(), [0, 2, 5, 6].map(|i| f64::from(i) / 30.0));
    assert_eq!(new.values.to_vec(), [0.0, 1.0, 0.00001, 0.0]);
}

#[test]
fn a_parabola_in_pieces_becomes_one_cubic() {
    let at = |t: f64| [2.0 * t, t * t, 2.0 * t].map(|v| v as f32);
    let times = vec![0.0, 0.5, 1.0, 2.5, 3.0];
    let curve = Curve::new(
        Interpolation::CubicHermite,
        1,
        times.clone(),
        times.iter().flat_map(|t| at(*t)).collect::<Vec<_>>(),
    );
    let new = reduced(&curve, Property::MorphWeights, &ReduceKeysOptions::default());
    assert_eq!(new.times_secs.to_vec(), [0.0, 3.0]);
    assert!(worst(&curve, &new, CurveKind::Numbers) < 1e-6);
}

#[test]
fn what_never_moves_is_one_key_and_the_clip_keeps_its_length() {
    let still = |end: usize| Curve::new(Interpolation::Linear, 3, times(end), vec![1.0; 3 * end]);
    let channel = |node: usize, end: usize| Channel::new(NodeId::new(node), Property::Scale, still(end));
    let mut scene = clip(vec![channel(0, 5), channel(1, 31), channel(2, 31)]);
    let context = Context::new();
    let stats = reduce_keys(&mut scene, &ReduceKeysOptions::default(), &context).expect("valid");
    let clip = &scene.clips[0];
    assert_eq!(clip.channels.iter().map(|c| c.curve.len()).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!((clip.end_secs(), stats.constant), (1.0, 3));
    assert!(clip.channels[0].curve.times_secs.same_memory(&clip.channels[2].curve.times_secs));
    assert_eq!(context.report().count_of("passes.keys-reduced"), 67 - 4);
    let cubic = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 1.0], vec![0.0, 5.0, 0.0, 0.0, 5.0, 0.0]);
    let mut scene = self::clip(vec![Channel::new(NodeId::new(0), Property::MorphWeights, cubic), channel(1, 61)]);
    reduce_keys(&mut scene, &ReduceKeysOptions::default(), &context).expect("valid");
    let curve = &scene.clips[0].channels[0].curve;
    assert_eq!((curve.interpolation, curve.values.to_vec()), (Interpolation::Step, vec![5.0]));
}

/// What is stated stays, and the keys end where they did, whichever of the two a format goes by.
#[test]
fn a_stated_length_neither_changes_nor_takes_the_place_of_the_last_key() {
    let still = |end: usize| Curve::new(Interpolation::Linear, 3, times(end), vec![1.0; 3 * end]);
    let moving = Curve::new(Interpolation::Linear, 3, times(31), (0..93).map(|v| (v * v) as f32).collect::<Vec<_>>());
    for length in [None, Some(0.5), Some(1.0), Some(2.0)] {
        let channel = |node: usize, end: usize| Channel::new(NodeId::new(node), Property::Scale, still(end));
        let mut scene = clip(vec![channel(0, 5), channel(1, 31)]);
        scene.clips[0].length_secs = length;
        reduce_keys(&mut scene, &ReduceKeysOptions::default(), &Context::new()).expect("valid");
        let keys = |scene: &Scene| scene.clips[0].channels.iter().map(|c| c.curve.len()).collect::<Vec<_>>();
        assert_eq!((keys(&scene), scene.clips[0].length_secs), (vec![1, 2], length));
        // One that moves holds the end alone.
        scene.clips[0].channels.push(Channel::new(NodeId::new(2), Property::Scale, moving.clone()));
        reduce_keys(&mut scene, &ReduceKeysOptions::default(), &Context::new()).expect("valid");
        assert_eq!((keys(&scene), scene.clips[0].length_secs), (vec![1, 1, 31], length));
    }
}

#[test]
fn curves_that_go_on_and_eased_segments_stay() {
    let mut cycling = Curve::new(Interpolation::Linear, 3, times(5), vec![1.0; 15]);
    cycling.after = Extrapolation { mode: ExtrapolationMode::Slope, repeats: None };
    assert_eq!(reduced(&cycling, Property::Scale, &ReduceKeysOptions::default()), cycling);
    let eased = Segment::Eased { out: [0.2, 0.9], into: [0.8, 0.1] };
    let segments = vec![Segment::Linear, Segment::Linear, eased, Segment::Step, Segment::Step, Segment::Linear];
    let values = vec![0.0, 1.0, 2.0, 3.0, 3.0, 4.0];
    let curve = Curve::per_key(times(6), values, segments);
    let new = reduced(&curve, Property::MorphWeights, &ReduceKeysOptions::default());
    assert_eq!(new.values.to_vec(), [0.0, 2.0, 3.0, 4.0]);
    assert_eq!(new.segments, [Segment::Linear, eased, Segment::Step, Segment::Linear]);
    assert_eq!(worst(&curve, &new, CurveKind::Numbers), 0.0);
}

#[test]
fn shared_times_are_left_only_where_it_pays() {
    let shared: Buffer<f64> = times(30).into();
    // Squares by a prime: no three keys that follow each other lie on a line.
    let wiggle: Vec<f32> = (0..90).map(|i| (i / 3) * (i / 3) * 5 % 13).map(|v| v as f32).collect();
    // Two keys of thirty lie on a line: too little for a list of times of its own.
    let mut nearly = wiggle.clone();
    for (i, value) in nearly[30..39].iter_mut().enumerate() {
        *value = (i / 3) as f32;
    }
    let curve = |values: Vec<f32>| Curve::new(Interpolation::Linear, 3, shared.clone(), values);
    let channels = [wiggle, nearly].map(|v| Channel::new(NodeId::new(0), Property::Translation, curve(v)));
    let mut scene = clip(channels.to_vec());
    let stats = reduce_keys(&mut scene, &ReduceKeysOptions::default(), &Context::new()).expect("valid");
    assert_eq!(stats.keys_after, 60);
    let alone = reduced(&channels[1].curve, Property::Translation, &ReduceKeysOptions::default());
    assert_eq!(alone.len(), 29);
}

#[test]
fn lengths_are_in_metres_and_wrong_bounds_are_refused() {
    let curve = Curve::new(Interpolation::Linear, 3, times(3), vec![0.0, 0.0, 0.0, 0.005, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let options = ReduceKeysOptions { translation_m: 1e-4, ..ReduceKeysOptions::default() };
    let mut scene = clip(vec![Channel::new(NodeId::new(0), Property::Translation, curve)]);
    reduce_keys(&mut scene, &options, &Context::new()).expect("valid");
    assert_eq!(scene.clips[0].channels[0].curve.len(), 3, "5 mm are more than 0.1 mm");
    scene.space.metres_per_unit = 0.01;
    reduce_keys(&mut scene, &options, &Context::new()).expect("valid");
    assert_eq!(scene.clips[0].channels[0].curve.len(), 2, "0.05 mm are less");
    let wrong = ReduceKeysOptions { scale: f64::NAN, ..ReduceKeysOptions::default() };
    let error = reduce_keys(&mut scene, &wrong, &Context::new()).expect_err("not a bound");
    assert_eq!(error.kind(), anyrig_bytes::ErrorKind::Usage);
}

#[test]
fn broken_curves_stay_as_they_are() {
    let mut broken = Curve::new(Interpolation::Linear, 3, times(5), vec![1.0; 4]);
    for width in [0, 3, usize::MAX] {
        broken.width = width;
        let mut scene = clip(vec![Channel::new(NodeId::new(0), Property::Scale, broken.clone())]);
        let before = scene.clone();
        reduce_keys(&mut scene, &ReduceKeysOptions::default(), &Context::new()).expect("no fault");
        assert_eq!(scene, before);
    }
}

proptest! {
    /// Whatever the curve, the bound holds at every time, keys that stay are the source's own, and both ends stay.
    #[test]
    fn the_bound_holds(
        steps in prop::collection::vec((0.01f64..0.5, -0.02f32..0.02, prop::array::uniform2(-0.3f32..0.3)), 2..40),
        interpolation in prop_oneof![Just(Interpolation::Step), Just(Interpolation::Linear), Just(Interpolation::CubicHermite)],
        is_rotation in any::<bool>(),
        bound in prop_oneof![Just(1e-4), Just(1e-2), Just(0.05)],
    ) {
        let mut time = 0.0;
        let times: Vec<f64> = steps.iter().map(|s| { time += s.0; time }).collect();
        let cubic = interpolation == Interpolation::CubicHermite;
        let mut sum = 0.0f32;
        let values: Vec<f32> = steps.iter().flat_map(|(_, step, slopes)| {
            sum += step;
            let key = if is_rotation {
                DQuat::from_axis_angle(DVec3::X, f64::from(sum) * 3.0).to_array().map(|v| v as f32).to_vec()
            } else {
                vec![sum, 1.0 - sum, 0.0]
            };
            let tangent = |slope: f32| key.iter().map(move |_| slope).collect::<Vec<_>>();
            if cubic { [tangent(slopes[0]), key.clone(), tangent(slopes[1])].concat() } else { key }
        }).collect();
        let curve = Curve::new(interpolation, if is_rotation { 4 } else { 3 }, times, values);
        let (property, kind) = if is_rotation {
            (Property::Rotation, CurveKind::Rotation)
        } else {
            (Property::Scale, CurveKind::Numbers)
        };
        let new = reduced(&curve, property, &all(bound));
        prop_assert!(new.len() <= curve.len());
        prop_assert_eq!((new.times_secs[0], new.times_secs[new.len() - 1]), (curve.times_secs[0], curve.times_secs[curve.len() - 1]));
        prop_assert!(worst(&curve, &new, kind) <= bound * 1.000001 + 1e-7, "{} > {bound}", worst(&curve, &new, kind));
        let stride = curve.stride();
        for key in 0..new.len().min(if new.interpolation == curve.interpolation { usize::MAX } else { 0 }) {
            let old = curve.times_secs.iter().position(|t| *t == new.times_secs[key]).expect("an old key");
            prop_assert_eq!(&new.values[key * stride..(key + 1) * stride], &curve.values[old * stride..(old + 1) * stride]);
        }
    }
}
