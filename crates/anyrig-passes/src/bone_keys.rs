//! Keys of a node's whole transform on common times, for formats that store them together.

use crate::{CurveKind, ResampleOptions, Steps, codes, resample};
use anyrig_animation::{KeyHint, sample_hinted};
use anyrig_bytes::{Buffer, Context, Place, Result};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, Node, NodeId, Property, Scene};
use std::collections::BTreeMap;

/// A node's local transform at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoneKey {
    /// Seconds from the clip's start.
    pub time_secs: f64,
    /// In the scene's unit.
    pub translation: [f32; 3],
    /// A quaternion (x, y, z, w); of unit length where it was computed, as the source has it where it was not.
    pub rotation: [f32; 4],
    /// Factor per axis.
    pub scale: [f32; 3],
}

/// How the keys of a node came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// Linear between keys, exactly as the source: its keys, or the union of its channels' key times.
    Linear,
    /// Each key holds until the next, exactly as the source.
    Step,
    /// Linear keys within the error bound of the source's curves.
    Resampled,
}

/// The keys of one node in one clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoneKeys {
    /// How the keys came about.
    pub sampling: Sampling,
    /// Which of translation, rotation and scale the clip moves; the others have the rest pose in every key.
    pub animated: [bool; 3],
    /// Keys by ascending time; at least one.
    pub keys: Vec<BoneKey>,
}

/// The keys of every node whose translation, rotation or scale a clip moves, by node.
///
/// - Channels of a node that are all linear give the union of their times, those that are all step likewise (unless
///   [`ResampleOptions::steps`] wants ramps); both are exact, and channels with equal times keep their numbers bit for
///   bit.
/// - Anything else is resampled to linear first ([`resample`]), and then merged in the same way.
/// - A channel of one key is a constant: it adds no time, unless the node has no other channels.
///
/// What a clip does not move has the rest pose; a sheared rest matrix counts as its nearest translation, rotation and
/// scale (see [`crate::decompose`]). A curve that reached the limit of keys is told as `passes.keys-limited`.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the keys pass the limit of elements or of memory;
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn clip_keys(
    scene: &Scene,
    clip: &Clip,
    options: &ResampleOptions,
    context: &Context,
) -> Result<BTreeMap<NodeId, BoneKeys>> {
    let mut nodes: BTreeMap<NodeId, Tracks<'_>> = BTreeMap::new();
    for channel in &clip.channels {
        let Some((node, slot)) = track_of(channel) else { continue };
        if scene.nodes.contains(node) {
            nodes.entry(node).or_default()[slot] = Some(&channel.curve);
        }
    }
    let mut keys = BTreeMap::new();
    for (id, tracks) in nodes {
        context.check_cancelled()?;
        keys.insert(id, node_keys(&scene.nodes[id], tracks, options, context)?);
    }
    Ok(keys)
}

/// The keys of one node; `None` when the clip does not move it. For all nodes of a clip [`clip_keys`] is quicker.
///
/// # Errors
/// Those of [`clip_keys`].
pub fn bone_keys(
    scene: &Scene,
    clip: &Clip,
    node: NodeId,
    options: &ResampleOptions,
    context: &Context,
) -> Result<Option<BoneKeys>> {
    let mut tracks = Tracks::default();
    for channel in &clip.channels {
        if let Some((_, slot)) = track_of(channel).filter(|(id, _)| *id == node) {
            tracks[slot] = Some(&channel.curve);
        }
    }
    match scene.nodes.get(node) {
        Some(node) if tracks.iter().any(Option::is_some) => node_keys(node, tracks, options, context).map(Some),
        _ => Ok(None),
    }
}

/// Curves of translation, rotation and scale.
type Tracks<'a> = [Option<&'a Curve>; 3];

const WIDTHS: [usize; 3] = [3, 4, 3];

fn slot(property: Property) -> Option<usize> {
    match property {
        Property::Translation => Some(0),
        Property::Rotation => Some(1),
        Property::Scale => Some(2),
        Property::MorphWeights => None,
    }
}

/// The node that a channel moves, and which of its tracks the curve is; `None` for other targets and broken curves.
fn track_of(channel: &Channel) -> Option<(NodeId, usize)> {
    let (node, property) = channel.node_target()?;
    let slot = slot(property).filter(|slot| is_sound(&channel.curve, WIDTHS[*slot]))?;
    Some((node, slot))
}

fn is_sound(curve: &Curve, width: usize) -> bool {
    let whole = curve.len().checked_mul(curve.stride()) == Some(curve.values.len());
    curve.width == width && whole && !curve.is_empty() && curve.times_secs.is_sorted_by(|a, b| a < b)
}

fn node_keys(node: &Node, tracks: Tracks<'_>, options: &ResampleOptions, context: &Context) -> Result<BoneKeys> {
    let moving = || tracks.iter().flatten().filter(|curve| curve.len() > 1);
    let all = |kind| moving().all(|curve| curve.interpolation == kind);
    let sampling = match () {
        () if all(Interpolation::Linear) => Sampling::Linear,
        () if all(Interpolation::Step) && options.steps == Steps::Keep => Sampling::Step,
        () => Sampling::Resampled,
    };
    let mut limited = false;
    let curves: [Option<Curve>; 3] = std::array::from_fn(|slot| {
        let curve = tracks[slot]?;
        if sampling != Sampling::Resampled || curve.len() == 1 {
            return Some(curve.clone());
        }
        let kind = if slot == 1 { CurveKind::Rotation } else { CurveKind::Numbers };
        let resampled = resample(curve, kind, options);
        limited |= resampled.limited;
        Some(resampled.curve)
    });
    if limited {
        let message = format!("{} keys were not enough for the error bound", options.max_keys);
        context.tell(&codes::KEYS_LIMITED, node.name.clone(), message);
    }
    let times = common_times(&curves);
    let count = times.len() as u64;
    context.take_elements(count, || Place::element(node.name.clone()))?;
    context.take_memory(count.saturating_mul(size_of::<BoneKey>() as u64), || Place::element(node.name.clone()))?;
    let animated = [0, 1, 2].map(|slot| curves[slot].is_some());
    Ok(BoneKeys { sampling, animated, keys: keys_at(node, &curves, &times) })
}

/// The union of the times of all curves that move; of the constant ones when there are no others.
fn common_times(curves: &[Option<Curve>; 3]) -> Buffer<f64> {
    let some = || curves.iter().flatten();
    let moving = some().any(|curve| curve.len() > 1);
    let mut lists = some().filter(|curve| !moving || curve.len() > 1).map(|curve| &curve.times_secs);
    let Some(first) = lists.next() else { return Buffer::default() };
    let others: Vec<&Buffer<f64>> = lists.filter(|times| *times != first).collect();
    if others.is_empty() {
        return first.clone();
    }
    let mut union: Vec<f64> = first.iter().chain(others.iter().flat_map(|times| times.iter())).copied().collect();
    union.sort_unstable_by(f64::total_cmp);
    union.dedup_by(|a, b| a == b);
    union.into()
}

fn keys_at(node: &Node, curves: &[Option<Curve>; 3], times: &[f64]) -> Vec<BoneKey> {
    let rest = node.local.to_trs();
    let rest = BoneKey {
        time_secs: 0.0,
        translation: rest.translation.to_array().map(|v| v as f32),
        rotation: rest.rotation.to_array().map(|v| v as f32),
        scale: rest.scale.to_array().map(|v| v as f32),
    };
    let mut keys = vec![rest; times.len()];
    for (key, time) in keys.iter_mut().zip(times) {
        key.time_secs = *time;
    }
    if let Some(curve) = &curves[0] {
        fill(curve, &mut keys, |key, value| key.translation = value, CurveKind::Numbers);
    }
    if let Some(curve) = &curves[1] {
        fill(curve, &mut keys, |key, value| key.rotation = value, CurveKind::Rotation);
    }
    if let Some(curve) = &curves[2] {
        fill(curve, &mut keys, |key, value| key.scale = value, CurveKind::Numbers);
    }
    keys
}

fn fill<const N: usize>(curve: &Curve, keys: &mut [BoneKey], set: impl Fn(&mut BoneKey, [f32; N]), kind: CurveKind) {
    let mut hint = KeyHint::default();
    let mut next = 0;
    for key in keys {
        // At a key's own time its numbers are taken as they are.
        while curve.times_secs.get(next).is_some_and(|t| *t < key.time_secs) {
            next += 1;
        }
        let exact = curve.times_secs.get(next).is_some_and(|t| *t == key.time_secs);
        if let Some(value) = Some(next).filter(|_| exact).and_then(|k| curve.value(k).first_chunk::<N>()) {
            set(key, *value);
            continue;
        }
        let Some(sample) = sample_hinted(curve, key.time_secs, &mut hint) else { continue };
        let rotation = sample.rotation().to_array();
        set(
            key,
            std::array::from_fn(|i| match kind {
                CurveKind::Rotation => rotation[i.min(3)] as f32,
                CurveKind::Numbers => sample.component(i).unwrap_or(0.0) as f32,
            }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::Pose;
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{LocalTransform, Trs};
    use glam::{DQuat, DVec3};

    const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

    fn scene() -> (Scene, NodeId) {
        let mut scene = Scene::default();
        let mut node = Node::new("bone");
        let rest = Trs { translation: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::IDENTITY, scale: DVec3::splat(2.0) };
        node.local = LocalTransform::Trs(rest);
        let node = scene.add_node(node, None);
        (scene, node)
    }

    fn clip(node: NodeId, curves: Vec<(Property, Curve)>) -> Clip {
        let mut clip = Clip::new("c");
        clip.channels = curves.into_iter().map(|(property, curve)| Channel::new(node, property, curve)).collect();
        clip
    }

    fn keys(curves: Vec<(Property, Curve)>) -> BoneKeys {
        let (scene, node) = scene();
        let clip = clip(node, curves);
        let options = ResampleOptions::default();
        let one = bone_keys(&scene, &clip, node, &options, &Context::new()).expect("valid").expect("moved");
        let all = clip_keys(&scene, &clip, &options, &Context::new()).expect("valid");
        assert_eq!(all.get(&node), Some(&one));
        one
    }

    fn rotations(kind: Interpolation, times: Vec<f64>) -> Curve {
        let turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, HALF, HALF];
        let values: Vec<f32> = turn.iter().copied().cycle().take(4 * times.len()).collect();
        Curve::new(kind, 4, times, values)
    }

    #[test]
    fn equal_linear_times_keep_every_number() {
        let rotation = rotations(Interpolation::Linear, vec![0.0, 0.1]);
        // A length that is not 1 shows that nothing was normalised.
        let values = vec![0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 3.0];
        let rotation = Curve::new(Interpolation::Linear, 4, rotation.times_secs, values);
        let translation = Curve::new(Interpolation::Linear, 3, vec![0.0, 0.1], vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let made = keys(vec![(Property::Rotation, rotation), (Property::Translation, translation)]);
        assert_eq!((made.sampling, made.animated), (Sampling::Linear, [true, true, false]));
        let first =
            BoneKey { time_secs: 0.0, translation: [0.1, 0.2, 0.3], rotation: [0.0, 0.0, 0.5, 0.5], scale: [2.0; 3] };
        let second = BoneKey { time_secs: 0.1, translation: [0.4, 0.5, 0.6], rotation: [0.0, 0.0, 0.0, 3.0], ..first };
        assert_eq!(made.keys, [first, second]);
    }

    #[test]
    fn other_linear_times_are_merged_exactly() {
        let rotation = rotations(Interpolation::Linear, vec![0.0, 1.0]);
        let translation = Curve::new(Interpolation::Linear, 3, vec![0.5, 2.0], vec![0.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
        let made = keys(vec![(Property::Rotation, rotation), (Property::Translation, translation)]);
        assert_eq!(made.sampling, Sampling::Linear);
        let times: Vec<f64> = made.keys.iter().map(|k| k.time_secs).collect();
        assert_eq!(times, [0.0, 0.5, 1.0, 2.0]);
        let xs: Vec<f32> = made.keys.iter().map(|k| k.translation[0]).collect();
        assert_eq!(xs, [0.0, 0.0, 1.0, 3.0]);
        // Half of a quarter turn.
        let z = made.keys[1].rotation[2];
        assert!((z - 0.382_683_43).abs() < 1e-6 && made.keys[3].rotation[2] == HALF);
    }

    #[test]
    fn steps_stay_steps() {
        let rotation = rotations(Interpolation::Step, vec![0.0, 1.0]);
        let scale = Curve::new(Interpolation::Step, 3, vec![0.5, 2.0], vec![1.0, 1.0, 1.0, 5.0, 5.0, 5.0]);
        let made = keys(vec![(Property::Rotation, rotation), (Property::Scale, scale)]);
        assert_eq!(made.sampling, Sampling::Step);
        let seen: Vec<(f32, f32)> = made.keys.iter().map(|k| (k.rotation[2], k.scale[0])).collect();
        assert_eq!(seen, [(0.0, 1.0), (0.0, 1.0), (HALF, 1.0), (HALF, 5.0)]);
    }

    #[test]
    fn steps_become_ramps_for_those_who_only_know_lines() {
        let (scene, node) = scene();
        let clip = clip(node, vec![(Property::Rotation, rotations(Interpolation::Step, vec![0.0, 1.0]))]);
        let options = ResampleOptions { steps: Steps::Ramps, ..ResampleOptions::default() };
        let made = bone_keys(&scene, &clip, node, &options, &Context::new()).expect("valid").expect("moved");
        let seen: Vec<(f64, f32)> = made.keys.iter().map(|k| (k.time_secs, k.rotation[2])).collect();
        assert_eq!(made.sampling, Sampling::Resampled);
        assert_eq!(seen, [(0.0, 0.0), (1.0 - options.step_secs, 0.0), (1.0, HALF)]);
    }

    #[test]
    fn constants_add_no_times() {
        let constant = |time| Curve::new(Interpolation::Step, 3, vec![time], vec![7.0, 8.0, 9.0]);
        let rotation = rotations(Interpolation::Linear, vec![0.0, 1.0]);
        let made = keys(vec![(Property::Rotation, rotation), (Property::Translation, constant(0.3))]);
        assert_eq!((made.sampling, made.keys.len()), (Sampling::Linear, 2));
        assert!(made.keys.iter().all(|k| k.translation == [7.0, 8.0, 9.0]));
        let made = keys(vec![(Property::Translation, constant(0.3))]);
        assert_eq!((made.keys.len(), made.keys[0].time_secs), (1, 0.3));
    }

    #[test]
    fn mixed_curves_follow_the_source_within_the_bound() {
        let rotation = rotations(Interpolation::Step, vec![0.0, 1.0, 2.0]);
        let cubic = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, -3.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        let translation = Curve::new(Interpolation::CubicHermite, 3, vec![0.0, 2.0], cubic);
        let (scene, node) = scene();
        let clip = clip(node, vec![(Property::Rotation, rotation), (Property::Translation, translation)]);
        let made = clip_keys(&scene, &clip, &ResampleOptions::default(), &Context::new()).expect("valid");
        let made = &made[&node];
        assert_eq!(made.sampling, Sampling::Resampled);
        for key in &made.keys {
            let source = Pose::of_clip(&scene, &clip, key.time_secs).local(node).to_trs();
            let there = DVec3::from(key.translation.map(f64::from));
            assert!(there.distance(source.translation) < 2e-3, "{}", key.time_secs);
            let turned = DQuat::from_array(key.rotation.map(f64::from));
            assert!(turned.dot(source.rotation).abs() > 1.0 - 1e-6, "{}", key.time_secs);
        }
        let ramp = made.keys.iter().filter(|k| (k.time_secs - 0.9999).abs() < 1e-9).count();
        assert_eq!(ramp, 1);
    }

    #[test]
    fn limits_are_told_or_kept() {
        let (scene, node) = scene();
        let cubic = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 99.0, 0.0, 0.0, -9.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
        let curve = Curve::new(Interpolation::CubicHermite, 3, vec![0.0, 2.0], cubic);
        let clip = clip(node, vec![(Property::Translation, curve)]);
        let few = ResampleOptions { max_keys: 4, ..ResampleOptions::default() };
        let context = Context::new();
        clip_keys(&scene, &clip, &few, &context).expect("valid");
        assert_eq!(context.report().count_of("passes.keys-limited"), 1);
        let mut limits = Limits::default();
        limits.elements = 3;
        let error = clip_keys(&scene, &clip, &few, &Context::new().with_limits(limits)).expect_err("4 keys");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        let within = |memory_bytes| {
            let mut limits = Limits::default();
            limits.memory_bytes = memory_bytes;
            clip_keys(&scene, &clip, &few, &Context::new().with_limits(limits)).map(|keys| keys.len())
        };
        let four = 4 * size_of::<BoneKey>() as u64;
        assert_eq!(within(four), Ok(1));
        assert_eq!(within(four - 1).expect_err("4 keys").kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn unsound_channels_are_passed_over() {
        let (scene, node) = scene();
        let linear =
            |width, times: Vec<f64>, values| Curve::new(Interpolation::Linear, width, times, vec![0.0; values]);
        let unsound =
            vec![linear(4, vec![0.0], 4), linear(3, vec![0.0], 2), linear(3, vec![], 0), linear(3, vec![1.0, 0.0], 6)];
        for curve in unsound {
            let clip = clip(node, vec![(Property::Translation, curve)]);
            assert_eq!(bone_keys(&scene, &clip, node, &ResampleOptions::default(), &Context::new()), Ok(None));
        }
        let other = clip(NodeId::new(9), vec![(Property::Translation, linear(3, vec![0.0], 3))]);
        assert!(clip_keys(&scene, &other, &ResampleOptions::default(), &Context::new()).expect("valid").is_empty());
    }
}
