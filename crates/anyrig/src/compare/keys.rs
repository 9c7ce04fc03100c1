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
    nodes: (NodeId, NodeId),
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
            let numbers = || Numbers::new(bounds.other);
            Some(Moved { name, nodes, position: Numbers::new(bounds.length), rotation: numbers(), scale: numbers() })
        })
        .collect();
    for time_secs in times(a.clip, b.clip) {
        context.check_cancelled()?;
        let pose = |side: &Side<'_>| Pose::of_clip(side.scene, side.clip, side.clip.start_secs + time_secs);
        let poses = (pose(&a), pose(&b));
        moved.iter_mut().for_each(|bone| bone.add(&poses, time_secs));
    }
    for bone in moved {
        let path = |word: &str| format!("{path}.bones[{}].{word}", bone.name);
        found.extend(bone.position.finish(path("position")));
        found.extend(bone.rotation.finish(path("rotation")));
        found.extend(bone.scale.finish(path("scale")));
    }
    Ok(())
}

impl Moved<'_> {
    /// Compares the local transforms at a time.
    fn add(&mut self, poses: &(Pose, Pose), time_secs: f64) {
        let local = |pose: &Pose, node| pose.local(node).to_affine().to_scale_rotation_translation();
        let (scale_a, rotation_a, position_a) = local(&poses.0, self.nodes.0);
        let (scale_b, rotation_b, position_b) = local(&poses.1, self.nodes.1);
        // q and -q are the same rotation.
        let rotation_b = if rotation_a.dot(rotation_b) < 0.0 { -rotation_b } else { rotation_b };
        let at = || format!("at {time_secs} s");
        self.position.add_all(position_a.to_array(), position_b.to_array(), at);
        self.rotation.add_all(rotation_a.to_array(), rotation_b.to_array(), at);
        self.scale.add_all(scale_a.to_array(), scale_b.to_array(), at);
    }
}

fn length_secs(clip: &Clip) -> f64 {
    clip.end_secs() - clip.start_secs
}

/// The key times of both clips from their starts on, in order, each once. What lies before a start is never played.
fn times(a: &Clip, b: &Clip) -> Vec<f64> {
    let of = |clip: &Clip| {
        let keys = clip.channels.iter().flat_map(|c| c.curve.times_secs.iter().copied());
        keys.map(|secs| secs - clip.start_secs).filter(|secs| *secs >= 0.0).collect::<Vec<_>>()
    };
    let mut times = [of(a), of(b)].concat();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
