//! Clips laid over each other.

use crate::channels::{is_compound, moved_nodes, play};
use crate::rotation::slerp;
use crate::{ClipHints, Pose, Sample, sample, sample_hinted};
use anyrig_scene::{Clip, NodeId, Property, Trs};
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

pub(crate) fn apply(pose: &mut Pose, rest: &Pose, layer: &Layer<'_>, hints: &mut ClipHints) {
    if layer.weight == 0.0 || !layer.weight.is_finite() {
        return;
    }
    if is_compound(layer.clip) {
        return apply_compound(pose, rest, layer, hints);
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

/// A clip with layers of its own, or with curves on single numbers, acts as a whole: it is played over the rest pose, and
/// what comes out for each node that it moves is blended.
fn apply_compound(pose: &mut Pose, rest: &Pose, layer: &Layer<'_>, hints: &mut ClipHints) {
    let mut played = rest.clone();
    play(&mut played, layer.clip, layer.time_secs, hints);
    for node in moved_nodes(layer.clip) {
        let value = played.local(node).to_trs();
        let weights = played.weights(node).to_vec();
        let rest_trs = rest.local(node).to_trs();
        let rests = rest.weights(node);
        let moved = value != rest_trs || layer.blend == Blend::Override;
        for (i, slot) in pose.weights_mut(node).iter_mut().enumerate() {
            let (Some(value), Some(rest)) = (weights.get(i), rests.get(i)) else { break };
            let (below, value, rest) = (f64::from(*slot), f64::from(*value), f64::from(*rest));
            *slot = match layer.blend {
                Blend::Override => towards(below, value, layer.weight.clamp(0.0, 1.0)),
                Blend::Additive => below + layer.weight * (value - rest),
            } as f32;
        }
        if layer.weight >= 0.5 {
            pose.set_visible(node, played.is_visible(node));
        }
        let Some(trs) = pose.trs_mut(node).filter(|_| moved) else { continue };
        blend_trs(trs, value, rest_trs, layer);
    }
}

fn blend_trs(trs: &mut Trs, value: Trs, rest: Trs, layer: &Layer<'_>) {
    match layer.blend {
        Blend::Override => {
            let weight = layer.weight.clamp(0.0, 1.0);
            trs.translation = vector_towards(trs.translation, value.translation, weight);
            trs.scale = vector_towards(trs.scale, value.scale, weight);
            trs.rotation = if weight == 1.0 { value.rotation } else { slerp(trs.rotation, value.rotation, weight) };
        }
        Blend::Additive => {
            trs.translation += layer.weight * (value.translation - rest.translation);
            trs.scale += layer.weight * (value.scale - rest.scale);
            let turn = rest.rotation.conjugate() * value.rotation;
            let turned = trs.rotation * slerp(DQuat::IDENTITY, turn, layer.weight);
            trs.rotation = crate::rotation::unit_or(turned, trs.rotation);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::maths;
    use anyrig_scene::{Channel, Curve, Interpolation, LocalTransform, Node, Scene};
    use glam::{DAffine3, DMat3};

    fn scene_with(local: LocalTransform) -> (Scene, NodeId) {
        let mut scene = Scene::default();
        let mut node = Node::new("node");
        node.local = local;
        let id = scene.add_node(node, None);
        (scene, id)
    }

    /// A clip that holds one value.
    fn hold(node: NodeId, property: Property, value: &[f32]) -> Clip {
        let mut clip = Clip::new("hold");
        let curve = Curve::new(Interpolation::Linear, value.len(), vec![0.0], value.to_vec());
        clip.channels.push(Channel::new(node, property, curve));
        clip
    }

    fn about_x(radians: f64) -> DQuat {
        DQuat::from_xyzw(maths::f64::sin(radians / 2.0), 0.0, 0.0, maths::f64::cos(radians / 2.0))
    }

    fn turn(node: NodeId, radians: f64) -> Clip {
        hold(node, Property::Rotation, &about_x(radians).to_array().map(|c| c as f32))
    }

    fn layered(scene: &Scene, layers: &[Layer<'_>]) -> Pose {
        let rest = Pose::rest(scene);
        let mut pose = rest.clone();
        pose.apply_layers(&rest, layers);
        pose
    }

    fn with(clip: &Clip, weight: f64, blend: Blend) -> Layer<'_> {
        Layer { weight, blend, ..Layer::new(clip, 0.0) }
    }

    #[test]
    fn layers_act_in_their_order() {
        let (scene, node) = scene_with(Trs { translation: DVec3::new(1.0, 0.0, 0.0), ..Trs::IDENTITY }.into());
        let (a, b) =
            (hold(node, Property::Translation, &[5.0, 0.0, 0.0]), hold(node, Property::Translation, &[9.0, 4.0, 0.0]));
        let x = |layers: &[Layer<'_>]| layered(&scene, layers).local(node).to_trs().translation;
        let half = |clip| with(clip, 0.5, Blend::Override);
        assert_eq!(x(&[half(&a)]), DVec3::new(3.0, 0.0, 0.0));
        assert_eq!(x(&[half(&a), half(&b)]), DVec3::new(6.0, 2.0, 0.0));
        assert_eq!(x(&[half(&b), half(&a)]), DVec3::new(5.0, 1.0, 0.0));
        // Differences from rest: (4, 0) and (8, 4).
        assert_eq!(x(&[with(&a, 0.5, Blend::Additive), with(&b, -1.0, Blend::Additive)]), DVec3::new(-5.0, -4.0, 0.0));
        assert_eq!(x(&[Layer::new(&a, 0.0), with(&b, 1.0, Blend::Additive)]), DVec3::new(13.0, 4.0, 0.0));
        assert_eq!(x(&[with(&b, 1.0, Blend::Additive), Layer::new(&a, 0.0)]), DVec3::new(5.0, 0.0, 0.0));
        assert_eq!(x(&[with(&a, 7.0, Blend::Override)]), DVec3::new(5.0, 0.0, 0.0));
        let nothing = [with(&a, f64::NAN, Blend::Additive), with(&b, 0.0, Blend::Override)];
        assert_eq!(x(&nothing), DVec3::new(1.0, 0.0, 0.0));
    }

    #[test]
    fn rotations_turn_by_weight() {
        let (scene, node) = scene_with(Trs { rotation: about_x(0.2), ..Trs::IDENTITY }.into());
        let (clip, other) = (turn(node, 1.2), turn(node, -0.4));
        let angle = |layers: &[Layer<'_>]| {
            let r = layered(&scene, layers).local(node).to_trs().rotation;
            assert!((r.length() - 1.0).abs() < 1e-12);
            2.0 * maths::f64::atan2(r.x, r.w)
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        near(angle(&[with(&clip, 0.25, Blend::Override)]), 0.45);
        near(angle(&[with(&clip, 0.5, Blend::Additive)]), 0.7);
        near(angle(&[with(&clip, 1.0, Blend::Additive)]), 1.2);
        near(angle(&[with(&clip, 2.0, Blend::Additive)]), 2.2);
        near(angle(&[with(&clip, 1.0, Blend::Override), with(&other, 1.0, Blend::Additive)]), 0.6);
    }

    #[test]
    fn an_additive_turn_is_in_the_nodes_own_frame() {
        let quarter_z = DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
        let (scene, node) = scene_with(LocalTransform::default());
        let z = hold(node, Property::Rotation, &quarter_z.to_array().map(|c| c as f32));
        let x = turn(node, std::f64::consts::FRAC_PI_2);
        let pose = layered(&scene, &[Layer::new(&z, 0.0), with(&x, 1.0, Blend::Additive)]);
        // About its own X first (Y goes to Z), then about Z (Z stays).
        let moved = pose.local(node).to_trs().rotation * DVec3::Y;
        assert!(moved.distance(DVec3::Z) < 1e-6, "{moved}");
    }

    #[test]
    fn a_matrix_is_taken_apart_only_when_a_channel_moves_it() {
        let matrix = DAffine3 {
            matrix3: DMat3::from_cols(DVec3::Y * 2.0, DVec3::NEG_X * 3.0, DVec3::Z),
            translation: DVec3::ONE,
        };
        let (scene, node) = scene_with(LocalTransform::Matrix(matrix));
        let mut pose = Pose::rest(&scene);
        pose.apply_clip(&hold(node, Property::Rotation, &[0.0; 3]), 0.0);
        assert_eq!(pose.local(node), LocalTransform::Matrix(matrix), "a channel of the wrong width");
        pose.apply_clip(&hold(node, Property::Translation, &[0.0, 5.0, 0.0]), 0.0);
        let expected = DAffine3 { translation: DVec3::new(0.0, 5.0, 0.0), ..matrix };
        assert!(matches!(pose.local(node), LocalTransform::Trs(_)));
        assert!(pose.local(node).to_affine().abs_diff_eq(expected, 1e-12));
    }

    #[test]
    fn nodes_out_of_range_change_nothing() {
        let (scene, node) = scene_with(LocalTransform::default());
        let stranger = NodeId::new(7);
        let clips = [hold(stranger, Property::Scale, &[2.0; 3]), hold(stranger, Property::MorphWeights, &[2.0; 3])];
        let mut pose = Pose::rest(&scene);
        pose.apply_clip(&clips[0], 0.0);
        pose.apply_clip(&clips[1], 0.0);
        pose.apply_clip(&hold(node, Property::MorphWeights, &[1.0]), 0.0);
        assert_eq!(pose, Pose::rest(&scene));
        assert!(pose.weights(stranger).is_empty());
    }
}
