//! Channels and curves.

use super::all_finite;
use crate::codes::{CHANNEL_REMOVED, KEY_ORDER, NOT_FINITE, ROTATION_LENGTH};
use crate::{Channel, Curve, Property, Scene, Target, Ticks};
use anyrig_bytes::{Buffer, Context, Diagnostic};
use std::collections::BTreeSet;

pub(super) fn repair(scene: &mut Scene, context: &Context) {
    let mut clips = std::mem::take(&mut scene.clips);
    for (index, clip) in clips.iter_mut().enumerate() {
        if clip.length_secs.is_some_and(|l| !(l.is_finite() && l >= 0.0)) {
            clip.length_secs = None;
            context.tell(&NOT_FINITE, format!("clip {index}"), "its length was not a time");
        }
        let mut seen = BTreeSet::new();
        let mut number = 0;
        clip.channels.retain_mut(|channel| {
            let subject = format!("clip {index} channel {number}");
            number += 1;
            let twin = channel.node_target().is_some_and(|(node, property)| !seen.insert((node, property as u8)));
            let wrong = if twin { Some("its target has a channel already") } else { complaint(scene, channel) };
            if let Some(why) = wrong {
                context.tell(&CHANNEL_REMOVED, subject, why);
                return false;
            }
            keys(&mut channel.curve, &subject, context);
            rotations(channel, &subject, context);
            !channel.curve.is_empty()
        });
    }
    scene.clips = clips;
}

/// Why a channel cannot be kept.
fn complaint(scene: &Scene, channel: &Channel) -> Option<&'static str> {
    let curve = &channel.curve;
    if curve.is_empty() {
        return Some("it has no keys");
    }
    let width = match channel.target {
        Target::Other(_) => curve.width,
        Target::Node { node, property } => {
            let Some(node) = scene.nodes.get(node) else { return Some("its node does not exist") };
            let morphs = node.mesh.as_ref().map_or(0, |m| scene.meshes[m.mesh].morphs.len());
            property.width().unwrap_or(morphs)
        }
    };
    let values = curve.len().checked_mul(curve.stride());
    match () {
        () if width == 0 => Some("its node has no morph targets"),
        () if curve.width != width => Some("its keys have the wrong width"),
        () if values != Some(curve.values.len()) => Some("it has not one value per key"),
        () => None,
    }
}

/// Removes keys out of order or with numbers that are not finite.
fn keys(curve: &mut Curve, subject: &str, context: &Context) {
    let times = &curve.times_secs;
    let ascending = times.iter().all(|t| t.is_finite()) && times.is_sorted_by(|a, b| a < b);
    let finite = all_finite(&curve.values);
    if ascending && finite {
        return;
    }
    let stride = curve.stride();
    let (mut kept, mut last, mut not_finite) = (Vec::new(), f64::NEG_INFINITY, 0);
    for (key, time) in times.iter().enumerate() {
        let values = &curve.values[key * stride..(key + 1) * stride];
        if !time.is_finite() || !all_finite(values) {
            not_finite += 1;
        } else if *time > last {
            last = *time;
            kept.push(key);
        }
    }
    let out_of_order = (times.len() - kept.len()) as u64 - not_finite;
    for (code, count) in [(&NOT_FINITE, not_finite), (&KEY_ORDER, out_of_order)] {
        if count > 0 {
            context.push(Diagnostic::new(code, subject, "keys were removed").times(count));
        }
    }
    keep(curve, &kept);
}

fn keep(curve: &mut Curve, keys: &[usize]) {
    let stride = curve.stride();
    let values: Buffer<f32> =
        keys.iter().flat_map(|k| curve.values[k * stride..(k + 1) * stride].iter().copied()).collect();
    curve.times_secs = keys.iter().map(|k| curve.times_secs[*k]).collect();
    curve.values = values;
    curve.ticks = curve
        .ticks
        .take()
        .filter(|t| keys.iter().all(|k| *k < t.times.len()))
        .map(|ticks| Ticks { times: keys.iter().map(|k| ticks.times[*k]).collect(), ..ticks });
}

/// A rotation key without length becomes the identity; other lengths are left to the sampler, which normalises.
fn rotations(channel: &mut Channel, subject: &str, context: &Context) {
    let Target::Node { property: Property::Rotation, .. } = channel.target else { return };
    let curve = &mut channel.curve;
    let empty: Vec<usize> = (0..curve.len()).filter(|k| curve.value(*k).iter().all(|v| *v == 0.0)).collect();
    if empty.is_empty() {
        return;
    }
    let (stride, skip) = (curve.stride(), curve.stride() / 3 * usize::from(curve.stride() > curve.width));
    let values = curve.values.make_mut();
    for key in &empty {
        values[key * stride + skip + 3] = 1.0;
    }
    context.push(Diagnostic::new(&ROTATION_LENGTH, subject, "became the identity").times(empty.len() as u64));
}

#[cfg(test)]
mod tests {
    use super::super::tests::repaired;
    use super::*;
    use crate::{Clip, Interpolation, Node, NodeId};

    fn scene_with(property: Property, curve: Curve) -> Scene {
        let mut scene = Scene::default();
        let node = scene.add_node(Node::new("n"), None);
        let mut clip = Clip::new("c");
        clip.channels.push(Channel::new(node, property, curve));
        scene.clips.push(clip);
        scene
    }

    #[test]
    fn keys_must_ascend_and_be_finite() {
        let times = vec![0.0, 1.0, 1.0, 0.5, 2.0, f64::NAN];
        let mut values: Vec<f32> = (0..18).map(|v| v as f32).collect();
        values[13] = f32::INFINITY;
        let mut scene = scene_with(Property::Translation, Curve::new(Interpolation::Linear, 3, times, values));
        repaired(&mut scene, "scene.key-order");
        let curve = &scene.clips[0].channels[0].curve;
        assert_eq!((&*curve.times_secs, &*curve.values), (&[0.0, 1.0][..], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0][..]));
    }

    #[test]
    fn channels_that_make_no_sense_go() {
        let linear = |width, values: usize| Curve::new(Interpolation::Linear, width, vec![0.0], vec![0.0; values]);
        let cases = [
            (Property::MorphWeights, linear(1, 1)),
            (Property::Scale, linear(4, 4)),
            (Property::Scale, linear(3, 4)),
            (Property::Scale, Curve::default()),
        ];
        for (property, curve) in cases {
            let mut scene = scene_with(property, curve);
            repaired(&mut scene, "scene.channel-removed");
            assert!(scene.clips[0].channels.is_empty());
        }
        let mut scene = scene_with(Property::Scale, linear(3, 3));
        scene.clips[0].channels[0].target = Target::Node { node: NodeId::new(5), property: Property::Scale };
        repaired(&mut scene, "scene.channel-removed");
    }

    #[test]
    fn one_channel_per_target() {
        let curve = Curve::new(Interpolation::Linear, 3, vec![0.0], vec![0.0; 3]);
        let mut scene = scene_with(Property::Scale, curve);
        let twin = scene.clips[0].channels[0].clone();
        scene.clips[0].channels.push(twin);
        repaired(&mut scene, "scene.channel-removed");
        assert_eq!(scene.clips[0].channels.len(), 1);
    }

    #[test]
    fn empty_rotations_become_the_identity() {
        let curve = Curve::new(Interpolation::CubicHermite, 4, vec![0.0], vec![0.0; 12]);
        let mut scene = scene_with(Property::Rotation, curve);
        repaired(&mut scene, "scene.rotation-length");
        assert_eq!(scene.clips[0].channels[0].curve.value(0), [0.0, 0.0, 0.0, 1.0]);
    }
}
