//! Clips by name, their curves by bone: at the key times of both.

use super::bones::Bones;
use super::numbers::{Numbers, told};
use super::scenes::Bounds;
use anyrig_animation::Pose;
use anyrig_bytes::codec::FieldDifference;
use anyrig_bytes::{Context, Result};
use anyrig_scene::{Clip, NodeId, Scene, Target};
use std::collections::BTreeSet;

/// Compares all clips.
pub(super) fn compare(
    (a, bones_a): (&Scene, &Bones),
    (b, bones_b): (&Scene, &Bones),
    bounds: Bounds,
    (found, notes): (&mut Vec<FieldDifference>, &mut Vec<String>),
    context: &Context,
) -> Result<()> {
    if a.clips.len() != b.clips.len() {
        found.push(told("clips", format!("{} against {}", a.clips.len(), b.clips.len())));
    }
    let mut matched = vec![false; b.clips.len()];
    for (index, clip) in a.clips.iter().enumerate() {
        let path = format!("clips[{}]", clip.name);
        let named = b.clips.iter().position(|c| c.name == clip.name);
        // A format without names of clips has only their order.
        let unnamed = (a.clips.len() == b.clips.len()).then_some(index);
        let Some(other) = named.or(unnamed).and_then(|i| b.clips.get(i).map(|c| (i, c))) else {
            found.push(told(path, "only in the first"));
            continue;
        };
        if let Some(seen) = matched.get_mut(other.0) {
            *seen = true;
        }
        let sides = (Side { scene: a, bones: bones_a, clip }, Side { scene: b, bones: bones_b, clip: other.1 });
        if clip.start_secs != other.1.start_secs {
            let starts = (clip.start_secs, other.1.start_secs);
            notes.push(format!("{path} starts at {} s and at {} s: compared from there on", starts.0, starts.1));
        }
        clips(&path, sides, bounds, found, context)?;
    }
    for (clip, _) in b.clips.iter().zip(&matched).filter(|(_, matched)| !**matched) {
        found.push(told(format!("clips[{}]", clip.name), "only in the second"));
    }
    Ok(())
}

/// A clip in its scene.
struct Side<'s> {
    scene: &'s Scene,
    bones: &'s Bones,
    clip: &'s Clip,
}

impl Side<'_> {
    /// The names of the bones that the clip moves.
    fn moved(&self) -> BTreeSet<&str> {
        let nodes = self.clip.channels.iter().filter_map(|c| match c.target {
            Target::Node { node, .. } | Target::Component { node, .. } => Some(node),
            _ => None,
        });
        nodes.filter(|n| self.scene.nodes.contains(*n)).map(|n| self.scene.nodes[n].name.as_str()).collect()
    }
}

/// What is compared of one bone.
struct Moved<'n> {
    name: &'n str,
    /// From below the nearest bone above that both have, down to this one.
    ways: (Vec<NodeId>, Vec<NodeId>),
    position: Numbers,
    rotation: Numbers,
    scale: Numbers,
}

fn clips(
    path: &str,
    (a, b): (Side<'_>, Side<'_>),
    bounds: Bounds,
    found: &mut Vec<FieldDifference>,
    context: &Context,
) -> Result<()> {
    let mut length = Numbers::new(bounds.other);
    length.add(length_secs(a.clip), length_secs(b.clip), || format!("{path}.length_secs"));
    found.extend(length.finish(format!("{path}.length_secs")));
    let (moved_a, moved_b) = (a.moved(), b.moved());
    let moved = a.bones.order.iter().filter(|name| moved_a.contains(name.as_str()) || moved_b.contains(name.as_str()));
    let mut moved: Vec<Moved<'_>> = moved
        .filter_map(|name| {
            let nodes = (*a.bones.by_name.get(name)?, *b.bones.by_name.get(name)?);
            let ways = ways((&a, nodes.0), (&b, nodes.1));
            let numbers = || Numbers::new(bounds.other);
            Some(Moved { name, ways, position: Numbers::new(bounds.length), rotation: numbers(), scale: numbers() })
        })
        .collect();
    for moment in moments(a.clip, b.clip) {
        context.check_cancelled()?;
        let pose = |side: &Side<'_>, time_secs| Pose::of_clip(side.scene, side.clip, time_secs);
        let poses = (pose(&a, moment.times_secs.0), pose(&b, moment.times_secs.1));
        moved.iter_mut().for_each(|bone| bone.add(&poses, moment.after_secs));
    }
    for bone in moved {
        let path = |word: &str| format!("{path}.bones[{}].{word}", bone.name);
        found.extend(bone.position.finish(path("position")));
        found.extend(bone.rotation.finish(path("rotation")));
        found.extend(bone.scale.finish(path("scale")));
    }
    Ok(())
}

/// The ways down to a bone on both sides, from where both have the same bone above it: a node that one format has no place
/// for is folded into what is below it. Where the bones above differ, from the roots.
fn ways((a, node_a): (&Side<'_>, NodeId), (b, node_b): (&Side<'_>, NodeId)) -> (Vec<NodeId>, Vec<NodeId>) {
    let is_common = |name: &str| a.bones.by_name.contains_key(name) && b.bones.by_name.contains_key(name);
    let (way_a, above_a) = a.bones.way(a.scene, node_a, is_common);
    let (way_b, above_b) = b.bones.way(b.scene, node_b, is_common);
    if above_a == above_b {
        return (way_a, way_b);
    }
    let whole = |side: &Side<'_>, node| side.bones.way(side.scene, node, |_| false).0;
    (whole(a, node_a), whole(b, node_b))
}

impl Moved<'_> {
    /// Compares the transforms against the bone above at a time after the starts.
    fn add(&mut self, poses: &(Pose, Pose), time_secs: f64) {
        let placed = |pose: &Pose, way: &[NodeId]| {
            let locals = way.iter().map(|node| pose.local(*node).to_affine());
            locals.reduce(|above, local| above * local).unwrap_or_default().to_scale_rotation_translation()
        };
        let (scale_a, rotation_a, position_a) = placed(&poses.0, &self.ways.0);
        let (scale_b, rotation_b, position_b) = placed(&poses.1, &self.ways.1);
        // q and -q are the same rotation.
        let rotation_b = if rotation_a.dot(rotation_b) < 0.0 { -rotation_b } else { rotation_b };
        let at = || format!("{time_secs} s");
        self.position.add_all(position_a.to_array(), position_b.to_array(), at);
        self.rotation.add_all(rotation_a.to_array(), rotation_b.to_array(), at);
        self.scale.add_all(scale_a.to_array(), scale_b.to_array(), at);
    }
}

fn length_secs(clip: &Clip) -> f64 {
    clip.end_secs() - clip.start_secs
}

/// When both clips are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    /// From the starts on.
    after_secs: f64,
    /// In the first clip and in the second. Where one has a key this is the time of the key itself: a stepped curve would
    /// otherwise be read before its key, where the difference from the start does not round back.
    times_secs: (f64, f64),
}

/// The moments of the keys of both clips from their starts on, in order, each once. What lies before a start is never
/// played.
fn moments(a: &Clip, b: &Clip) -> Vec<Moment> {
    let (keys_a, keys_b) = (key_times(a), key_times(b));
    let moment = |secs: f64, (own, other): (&Clip, &Clip), others: &[f64]| {
        let after_secs = secs - own.start_secs;
        let there = other.start_secs + after_secs;
        let largest = [secs, own.start_secs, there, other.start_secs].map(f64::abs).into_iter().fold(0.0, f64::max);
        (after_secs, key_near(others, there, 4.0 * f64::EPSILON * largest))
    };
    let of_a = keys_a.iter().map(|secs| {
        let (after_secs, there) = moment(*secs, (a, b), &keys_b);
        Moment { after_secs, times_secs: (*secs, there) }
    });
    let of_b = keys_b.iter().map(|secs| {
        let (after_secs, there) = moment(*secs, (b, a), &keys_a);
        Moment { after_secs, times_secs: (there, *secs) }
    });
    let mut all: Vec<Moment> = of_a.chain(of_b).collect();
    let order = |m: &Moment, n: &Moment| {
        m.times_secs.0.total_cmp(&n.times_secs.0).then(m.times_secs.1.total_cmp(&n.times_secs.1))
    };
    all.sort_by(order);
    all.dedup_by(|m, n| m.times_secs == n.times_secs);
    all
}

/// The times of a clip's keys from its start on, in order.
fn key_times(clip: &Clip) -> Vec<f64> {
    let keys = clip.channels.iter().flat_map(|c| c.curve.times_secs.iter().copied());
    let mut times: Vec<f64> = keys.filter(|secs| *secs >= clip.start_secs).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// The key at a time but for rounding, else the time itself.
fn key_near(keys: &[f64], secs: f64, slack: f64) -> f64 {
    let next = keys.partition_point(|key| *key < secs - slack);
    keys.get(next).copied().filter(|key| *key <= secs + slack).unwrap_or(secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Channel, Curve, Interpolation, Node, Property};

    fn clip(start_secs: f64, times_secs: Vec<f64>) -> Clip {
        let values = vec![0.0f32; 3 * times_secs.len()];
        let mut scene = Scene::default();
        let node = scene.nodes.push(Node::new("bone"));
        let mut clip = Clip::new("clip");
        clip.start_secs = start_secs;
        let curve = Curve::new(Interpolation::Step, 3, times_secs, values);
        clip.channels.push(Channel::new(node, Property::Translation, curve));
        clip
    }

    #[test]
    fn each_clip_is_read_at_its_own_keys() {
        let times: Vec<f64> = (3..60).map(|frame| f64::from(frame) / 30.0).collect();
        let later: Vec<f64> = times.iter().map(|secs| secs + 0.7).collect();
        let (a, b) = (clip(0.1, times.clone()), clip(0.1 + 0.7, later.clone()));
        let rounds_back = |secs: &f64| 0.1 + (secs - 0.1) == *secs;
        assert!(!times.iter().all(rounds_back), "the differences from the start are exact");
        let found: Vec<(f64, f64)> = moments(&a, &b).iter().map(|moment| moment.times_secs).collect();
        assert_eq!(found, times.into_iter().zip(later).collect::<Vec<_>>());
    }

    #[test]
    fn keys_of_one_clip_alone_are_looked_at_in_both() {
        let found: Vec<(f64, f64)> = moments(&clip(0.0, vec![0.0, 0.5]), &clip(1.0, vec![0.5, 1.0, 1.25]))
            .iter()
            .map(|m| m.times_secs)
            .collect();
        assert_eq!(found, [(0.0, 1.0), (0.25, 1.25), (0.5, 1.5)]);
    }
}
