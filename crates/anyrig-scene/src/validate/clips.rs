//! Channels and curves.

use super::all_finite;
use crate::codes::{CHANNEL_REMOVED, KEY_ORDER, LAYERS, NOT_FINITE, PIVOTS, ROTATION_LENGTH, SEGMENTS};
use crate::{
    Channel, Clip, Curve, ElementId, Interpolation, Pivots, Property, Scene, Segment, Target, Ticks, TransformPart,
};
use anyrig_bytes::{Buffer, Context, Diagnostic};
use std::collections::BTreeSet;

pub(super) fn repair(scene: &mut Scene, context: &Context) {
    let mut clips = std::mem::take(&mut scene.clips);
    for (index, clip) in clips.iter_mut().enumerate() {
        let subject = format!("clip {index}");
        times(clip, &subject, context);
        layers(clip, &subject, context);
        let mut seen = BTreeSet::new();
        let mut number = 0;
        clip.channels.retain_mut(|channel| {
            let subject = format!("{subject} channel {number}");
            number += 1;
            let known = !matches!(channel.target, Target::Other(_));
            let twin = known && !seen.insert((channel.layer, channel.target.clone()));
            let wrong = if twin { Some("its target has a channel already") } else { complaint(scene, channel) };
            if let Some(why) = wrong {
                context.tell(&CHANNEL_REMOVED, subject, why);
                return false;
            }
            keys(&mut channel.curve, &subject, context);
            rotations(channel, &subject, context);
            segments(&mut channel.curve, &subject, context);
            pivots_for(scene, &channel.target, context);
            !channel.curve.is_empty()
        });
    }
    scene.clips = clips;
}

fn times(clip: &mut Clip, subject: &str, context: &Context) {
    if clip.length_secs.is_some_and(|l| !(l.is_finite() && l >= 0.0)) {
        clip.length_secs = None;
        context.tell(&NOT_FINITE, subject, "its length was not a time");
    }
    if !clip.start_secs.is_finite() {
        clip.start_secs = 0.0;
        context.tell(&NOT_FINITE, subject, "its start was not a time");
    }
}

/// Channels name a layer that exists; weights are numbers.
fn layers(clip: &mut Clip, subject: &str, context: &Context) {
    let count = clip.layers.len().max(1);
    let strays = clip.channels.iter_mut().filter(|c| c.layer >= count).map(|c| c.layer = 0).count();
    if strays > 0 {
        let line = Diagnostic::new(&LAYERS, subject, "channels of missing layers went to the lowest one");
        context.push(line.times(strays as u64));
    }
    // Evaluation goes through the channels once, from the lowest layer up.
    clip.channels.sort_by_key(|c| c.layer);
    for layer in &mut clip.layers {
        if !layer.weight.is_finite() {
            layer.weight = 1.0;
            context.tell(&LAYERS, subject, "a weight that is not a number became 1");
        }
        let Some(curve) = &mut layer.weight_curve else { continue };
        let whole = curve.width == 1 && curve.len().checked_mul(curve.stride()) == Some(curve.values.len());
        if whole {
            keys(curve, subject, context);
            segments(curve, subject, context);
        }
        if !whole || curve.is_empty() {
            layer.weight_curve = None;
            context.tell(&LAYERS, subject, "a weight curve without usable keys was removed");
        }
    }
}

/// Why a channel cannot be kept.
fn complaint(scene: &Scene, channel: &Channel) -> Option<&'static str> {
    let curve = &channel.curve;
    if curve.is_empty() {
        return Some("it has no keys");
    }
    if !exists(scene, &channel.target) {
        return Some("what it moves does not exist");
    }
    let morphs = |node| scene.nodes[node].mesh.as_ref().map_or(0, |m| scene.meshes[m.mesh].morphs.len());
    let width = match channel.target {
        Target::Other(_) | Target::Named { .. } => curve.width,
        Target::Node { node, property } => property.width().unwrap_or_else(|| morphs(node)),
        Target::Component { axis, .. } => usize::from(axis < 3),
        Target::Morph { node, target } => usize::from((target as usize) < morphs(node)),
        Target::Visibility { .. } | Target::Camera { .. } => 1,
        Target::Material { property, .. } => property.width(),
        Target::Light { property, .. } => property.width(),
    };
    let values = curve.width.checked_mul(3).and_then(|_| curve.len().checked_mul(curve.stride()));
    match () {
        () if width == 0 => Some("what it moves has no such number"),
        () if curve.width != width => Some("its keys have the wrong width"),
        () if values != Some(curve.values.len()) => Some("it has not one value per key"),
        () => None,
    }
}

fn exists(scene: &Scene, target: &Target) -> bool {
    match target {
        Target::Named { element: ElementId::Camera(id), .. } => scene.cameras.contains(*id),
        Target::Named { element: ElementId::Light(id), .. } => scene.lights.contains(*id),
        Target::Named { element: ElementId::Material(id), .. } => scene.materials.contains(*id),
        Target::Material { material, property } => scene.materials.get(*material).is_some_and(|m| m.has(*property)),
        Target::Camera { camera, property } => scene.cameras.get(*camera).is_some_and(|c| c.has(*property)),
        Target::Light { light, property } => scene.lights.get(*light).is_some_and(|l| l.has(*property)),
        _ => target.node().is_none_or(|node| scene.nodes.contains(node)),
    }
}

/// A node whose rotation or pivots move by component has pivots.
fn pivots_for(scene: &mut Scene, target: &Target, context: &Context) {
    let Target::Component { node, part, .. } = target else { return };
    let node_data = &mut scene.nodes[*node];
    if node_data.pivots.is_none() && !matches!(part, TransformPart::Translation | TransformPart::Scale) {
        let pivots = Pivots::from_trs(node_data.local.to_trs());
        node_data.local = pivots.to_trs().into();
        node_data.pivots = Some(Box::new(pivots));
        context.tell(&PIVOTS, format!("node {}", node.index()), "it got pivots, because a curve moves them");
    }
}

/// One finite segment per key, of a kind that the width allows; none on curves of one kind.
fn segments(curve: &mut Curve, subject: &str, context: &Context) {
    let wanted = if curve.interpolation == Interpolation::PerKey { curve.len() } else { 0 };
    let mut wrong = curve.segments.len().abs_diff(wanted) as u64;
    curve.segments.resize(wanted, Segment::Linear);
    for segment in &mut curve.segments {
        let usable = match segment {
            Segment::Step | Segment::StepNext | Segment::Linear => true,
            Segment::Hermite { out_slope, in_slope } => curve.width == 1 && all_finite(&[*out_slope, *in_slope]),
            Segment::Bezier { out, into } => {
                let weights = [out.weight, into.weight].iter().all(|w| (0.0..=1.0).contains(w));
                curve.width == 1 && weights && all_finite(&[out.slope, into.slope])
            }
            Segment::Eased { out, into } => {
                let times = [out[0], into[0]].iter().all(|x| (0.0..=1.0).contains(x));
                times && all_finite(&[out[1], into[1]])
            }
        };
        if !usable {
            *segment = Segment::Linear;
            wrong += 1;
        }
    }
    if wrong > 0 {
        context.push(Diagnostic::new(&SEGMENTS, subject, "straight lines were put in").times(wrong));
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
    if !curve.segments.is_empty() {
        let old = std::mem::take(&mut curve.segments);
        curve.segments = keys.iter().map(|k| old.get(*k).copied().unwrap_or(Segment::Linear)).collect();
    }
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
    use crate::{Clip, ClipLayer, Handle, Interpolation, LayerBlend, MaterialId, Node, NodeId};

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

    fn on(scene: &mut Scene, target: Target, curve: Curve) {
        scene.clips[0].channels.push(Channel::on(target, curve));
    }

    #[test]
    fn components_need_their_node_an_axis_and_pivots() {
        let single = || Curve::new(Interpolation::Linear, 1, vec![0.0], vec![1.0]);
        let mut scene = scene_with(Property::Scale, Curve::new(Interpolation::Linear, 3, vec![0.0], vec![1.0; 3]));
        let node = NodeId::new(0);
        let part = TransformPart::Rotation;
        on(&mut scene, Target::Component { node, part, axis: 1 }, single());
        on(&mut scene, Target::Visibility { node }, single());
        on(&mut scene, Target::Component { node, part, axis: 3 }, single());
        on(&mut scene, Target::Morph { node, target: 0 }, single());
        let element = ElementId::Material(MaterialId::new(0));
        on(&mut scene, Target::Named { element, property: "fbx.x".to_owned() }, single());
        repaired(&mut scene, "scene.channel-removed");
        assert_eq!(scene.clips[0].channels.len(), 3);
        assert_eq!(scene.nodes[node].pivots.as_deref(), Some(&Pivots::IDENTITY));
    }

    #[test]
    fn layers_are_there_and_have_one_channel_per_target() {
        let curve = || Curve::new(Interpolation::Linear, 3, vec![0.0], vec![0.0; 3]);
        let mut scene = scene_with(Property::Scale, curve());
        let clip = &mut scene.clips[0];
        (clip.start_secs, clip.length_secs) = (f64::NAN, Some(-1.0));
        clip.layers = vec![ClipLayer::default(), ClipLayer::new("top", LayerBlend::Override)];
        clip.layers[0].weight = f64::INFINITY;
        clip.layers[1].weight_curve = Some(Curve::new(Interpolation::Linear, 2, vec![0.0], vec![1.0; 2]));
        for layer in [1, 1, 7] {
            let mut channel = clip.channels[0].clone();
            channel.layer = layer;
            clip.channels.push(channel);
        }
        repaired(&mut scene, "scene.layers");
        let layers: Vec<usize> = scene.clips[0].channels.iter().map(|c| c.layer).collect();
        assert_eq!(layers, [0, 1]);
        assert_eq!((scene.clips[0].layers[0].weight, scene.clips[0].start_secs), (1.0, 0.0));
        assert_eq!(scene.clips[0].layers[1].weight_curve, None);
    }

    #[test]
    fn segments_fit_their_curve() {
        let bezier = |weight: f32| {
            let handle = Handle { slope: 1.0, weight };
            Segment::Bezier { out: handle, into: handle }
        };
        let steep = Segment::Hermite { out_slope: f32::NAN, in_slope: 0.0 };
        let given = vec![bezier(0.5), bezier(1.5), steep, Segment::StepNext];
        let mut scene = scene_with(Property::Scale, Curve::default());
        scene.clips[0].channels.clear();
        let node = NodeId::new(0);
        let curve = Curve::per_key(vec![0.0, 1.0, 2.0, 3.0, 4.0], vec![0.0; 5], given);
        on(&mut scene, Target::Component { node, part: TransformPart::Scale, axis: 0 }, curve);
        let wide = Curve { segments: vec![bezier(0.5)], width: 3, ..Curve::per_key(vec![0.0], vec![0.0; 3], vec![]) };
        on(&mut scene, Target::Node { node, property: Property::Translation }, wide);
        repaired(&mut scene, "scene.segments");
        let channels = &scene.clips[0].channels;
        let linear = Segment::Linear;
        assert_eq!(channels[0].curve.segments, [bezier(0.5), linear, linear, Segment::StepNext, linear]);
        assert_eq!(channels[1].curve.segments, [linear]);
    }
}
