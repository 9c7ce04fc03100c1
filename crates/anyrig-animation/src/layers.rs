//! Clips laid over each other.

use crate::rotation::slerp;
use crate::{ClipHints, Pose, Sample, sample, sample_hinted};
use anyrig_scene::{Clip, NodeId, Property};
use glam::{DQuat, DVec3};

/// How a layer acts on what lies below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blend {
    /// Goes towards the layer's value: translation, scale and morph weights in a straight line, rotations by [`slerp`].
    /// Weights are clamped to 0..=1; with 1 the layer's value stands alone.
    #[default]
    Override,
    /// Adds the layer's difference from the rest pose, times the weight, which may be any number.
    ///
    /// Translation, scale, morph weights: `below + weight * (value - rest)`. Rotation:
    /// `below * slerp(identity, rest⁻¹ * value, weight)`, a turn in the node's own frame. Over an unmoved rest pose a
    /// weight of 1 gives the layer's value itself.
    Additive,
}

/// A clip at a time with a weight.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Layer<'a> {
    /// The clip.
    pub clip: &'a Clip,
    /// Where it is played.
    pub time_secs: f64,
    /// How much it acts. A layer whose weight is 0 or not finite does nothing.
    pub weight: f64,
    /// How it acts on what lies below.
    pub blend: Blend,
}

impl<'a> Layer<'a> {
    /// A layer of weight 1 that overrides.
    pub fn new(clip: &'a Clip, time_secs: f64) -> Self {
        Self { clip, time_secs, weight: 1.0, blend: Blend::Override }
    }
}

pub(crate) fn override_with(pose: &mut Pose, clip: &Clip, time_secs: f64, hints: &mut ClipHints) {
    for_each_sample(clip, time_secs, hints, |node, property, value| set_towards(pose, node, property, value, 1.0));
}

pub(crate) fn apply(pose: &mut Pose, rest: &Pose, layer: &Layer<'_>, hints: &mut ClipHints) {
    if layer.weight == 0.0 || !layer.weight.is_finite() {
        return;
    }
    match layer.blend {
        Blend::Override => {
            let weight = layer.weight.clamp(0.0, 1.0);
            for_each_sample(layer.clip, layer.time_secs, hints, |node, property, value| {
                set_towards(pose, node, property, value, weight);
            });
        }
        Blend::Additive => for_each_sample(layer.clip, layer.time_secs, hints, |node, property, value| {
            add_difference(pose, rest, node, (property, value), layer.weight);
        }),
    }
}

/// Calls back for every channel on a node that has a usable curve, in channel order.
fn for_each_sample(
    clip: &Clip,
    time_secs: f64,
    hints: &mut ClipHints,
    mut act: impl FnMut(NodeId, Property, Sample<'_>),
) {
    for (i, channel) in clip.channels.iter().enumerate() {
        let Some((node, property)) = channel.node_target() else { continue };
        if property.width().is_some_and(|width| width != channel.curve.width) {
            continue;
        }
        let found = match hints.of(i) {
            Some(hint) => sample_hinted(&channel.curve, time_secs, hint),
            None => sample(&channel.curve, time_secs),
        };
        if let Some(value) = found {
            act(node, property, value);
        }
    }
}

fn set_towards(pose: &mut Pose, node: NodeId, property: Property, value: Sample<'_>, weight: f64) {
    if property == Property::MorphWeights {
        for (i, slot) in pose.weights_mut(node).iter_mut().enumerate() {
            let Some(value) = value.component(i) else { break };
            *slot = towards(f64::from(*slot), value, weight) as f32;
        }
        return;
    }
    let Some(trs) = pose.trs_mut(node) else { return };
    match property {
        Property::Translation => trs.translation = vector_towards(trs.translation, value.vector(), weight),
        Property::Scale => trs.scale = vector_towards(trs.scale, value.vector(), weight),
        Property::Rotation if weight == 1.0 => trs.rotation = value.rotation(),
        Property::Rotation => trs.rotation = slerp(trs.rotation, value.rotation(), weight),
        Property::MorphWeights => {}
    }
}

fn add_difference(pose: &mut Pose, rest: &Pose, node: NodeId, moved: (Property, Sample<'_>), weight: f64) {
    let (property, value) = moved;
    if property == Property::MorphWeights {
        let rests = rest.weights(node);
        for (i, slot) in pose.weights_mut(node).iter_mut().enumerate() {
            let (Some(value), Some(rest)) = (value.component(i), rests.get(i)) else { break };
            *slot = (f64::from(*slot) + weight * (value - f64::from(*rest))) as f32;
        }
        return;
    }
    let rest = rest.local(node).to_trs();
    let Some(trs) = pose.trs_mut(node) else { return };
    match property {
        Property::Translation => trs.translation += weight * (value.vector() - rest.translation),
        Property::Scale => trs.scale += weight * (value.vector() - rest.scale),
        Property::Rotation => {
            let turn = rest.rotation.conjugate() * value.rotation();
            let turned = trs.rotation * slerp(DQuat::IDENTITY, turn, weight);
            trs.rotation = crate::rotation::unit_or(turned, trs.rotation);
        }
        Property::MorphWeights => {}
    }
}

/// A straight line that ends exactly on the value.
fn towards(below: f64, value: f64, weight: f64) -> f64 {
    if weight == 1.0 { value } else { (1.0 - weight) * below + weight * value }
}

fn vector_towards(below: DVec3, value: DVec3, weight: f64) -> DVec3 {
    DVec3::new(towards(below.x, value.x, weight), towards(below.y, value.y, weight), towards(below.z, value.z, weight))
}
