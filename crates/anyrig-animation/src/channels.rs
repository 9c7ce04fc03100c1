//! A clip's channels onto a pose, layer by layer.

use crate::rotation::{slerp, unit_or};
use crate::{ClipHints, Pose, Sample, sample, sample_hinted};
use anyrig_bytes::maths;
use anyrig_scene::{
    Channel, Clip, ClipLayer, LayerBlend, NodeId, Pivots, Property, RotationBlend, RotationOrder, ScaleBlend, Target,
    TransformPart,
};
use glam::{DQuat, DVec3};

/// Lays all playing layers of a clip over a pose.
pub(crate) fn play(pose: &mut Pose, clip: &Clip, time_secs: f64, hints: &mut ClipHints) {
    let mut mixer = Mixer { pose, rule: Rule::REPLACE, vector: None, stale: None };
    let mut layer = None;
    let mut plays = true;
    for (i, channel) in clip.channels.iter().enumerate() {
        if layer != Some(channel.layer) {
            mixer.flush();
            layer = Some(channel.layer);
            plays = clip.plays(channel.layer);
            mixer.rule = Rule::of(clip, channel.layer, time_secs);
        }
        if !plays {
            continue;
        }
        let found = match hints.of(i) {
            Some(hint) => sample_hinted(&channel.curve, time_secs, hint),
            None => sample(&channel.curve, time_secs),
        };
        if let Some(value) = found {
            mixer.channel(channel, value);
        }
    }
    mixer.finish();
}

/// The value of a target that is one number and that a pose has no place for ([`Target::Named`], [`Target::Other`]), at
/// a time: its channels in all layers over a value at rest, blended as plain numbers.
pub fn number_at(clip: &Clip, target: &Target, rest: f64, time_secs: f64) -> f64 {
    let channels = clip.channels.iter().filter(|c| c.target == *target && clip.plays(c.layer));
    channels.fold(rest, |below, channel| {
        let value = sample(&channel.curve, time_secs).and_then(|s| s.component(0));
        value.map_or(below, |value| Rule::of(clip, channel.layer, time_secs).number(below, value))
    })
}

/// The numbers of a target that a pose has no place for, at a time: as [`number_at`], for any width. Components beyond
/// the shorter of a channel's and the rest value's numbers keep what is below.
pub fn numbers_at(clip: &Clip, target: &Target, rest: &[f64], time_secs: f64) -> Vec<f64> {
    let mut numbers = rest.to_vec();
    for channel in clip.channels.iter().filter(|c| c.target == *target && clip.plays(c.layer)) {
        let Some(value) = sample(&channel.curve, time_secs) else { continue };
        let rule = Rule::of(clip, channel.layer, time_secs);
        for (i, number) in numbers.iter_mut().enumerate() {
            if let Some(value) = value.component(i) {
                *number = rule.number(*number, value);
            }
        }
    }
    numbers
}

/// How values act on what is below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    blend: LayerBlend,
    rotations: RotationBlend,
    scales: ScaleBlend,
    weight: f64,
}

impl Rule {
    const REPLACE: Self =
        Self { blend: LayerBlend::Override, rotations: RotationBlend::ByChannel, scales: ScaleBlend::Add, weight: 1.0 };

    /// The lowest layer replaces.
    pub(crate) fn of(clip: &Clip, index: usize, time_secs: f64) -> Self {
        let Some(layer) = clip.layers.get(index).filter(|_| index > 0) else { return Self::REPLACE };
        Self { blend: layer.blend, rotations: layer.rotations, scales: layer.scales, weight: weight(layer, time_secs) }
    }

    pub(crate) fn number(&self, below: f64, value: f64) -> f64 {
        match self.blend {
            LayerBlend::Override => value,
            LayerBlend::Additive => below + self.weight * value,
            LayerBlend::OverridePassthrough => (1.0 - self.weight) * below + self.weight * value,
        }
    }

    fn vector(&self, below: DVec3, value: DVec3) -> DVec3 {
        DVec3::new(self.number(below.x, value.x), self.number(below.y, value.y), self.number(below.z, value.z))
    }

    fn scale(&self, below: DVec3, value: DVec3) -> DVec3 {
        if self.scales == ScaleBlend::Add || self.blend == LayerBlend::Override {
            return self.vector(below, value);
        }
        let factor = |v: DVec3, exponent: f64| DVec3::from_array(v.to_array().map(|v| power(v, exponent)));
        match self.blend {
            LayerBlend::OverridePassthrough => factor(below, 1.0 - self.weight) * factor(value, self.weight),
            _ => below * factor(value, self.weight),
        }
    }

    fn rotation(&self, below: DQuat, value: DQuat) -> DQuat {
        match self.blend {
            LayerBlend::Override => value,
            LayerBlend::Additive => unit_or(below * slerp(DQuat::IDENTITY, value, self.weight), below),
            LayerBlend::OverridePassthrough => slerp(below, value, self.weight),
        }
    }

    fn angles(&self, below: DVec3, value: DVec3, order: RotationOrder) -> DVec3 {
        if self.rotations == RotationBlend::ByChannel || self.blend == LayerBlend::Override {
            return self.vector(below, value);
        }
        order.to_angles_deg(self.rotation(order.to_quat(below), order.to_quat(value)))
    }

    /// What a component has to be where its curve is missing, so that it changes nothing.
    fn neutral(&self, part: TransformPart, below: f64) -> f64 {
        match (self.blend, part, self.scales) {
            (LayerBlend::Additive, TransformPart::Scale, ScaleBlend::Multiply) => 1.0,
            (LayerBlend::Additive, ..) => 0.0,
            _ => below,
        }
    }
}

/// The weight at a time; almost 1 is 1, as the SDK has it.
fn weight(layer: &ClipLayer, time_secs: f64) -> f64 {
    let animated = layer.weight_curve.as_ref().and_then(|c| sample(c, time_secs)).and_then(|s| s.component(0));
    let weight = animated.unwrap_or(layer.weight);
    if weight > 0.99999 {
        1.0
    } else if weight > 0.0 {
        weight
    } else {
        0.0
    }
}

/// `|value|^exponent` with the sign of the value; exact for 0 and 1.
fn power(value: f64, exponent: f64) -> f64 {
    if exponent <= 0.0 {
        return 1.0;
    }
    if exponent >= 1.0 {
        return value;
    }
    maths::f64::pow(value.abs(), exponent).copysign(value)
}

/// The components of one vector that have come so far.
#[derive(Clone, Copy)]
struct Vector {
    node: NodeId,
    part: TransformPart,
    values: [Option<f64>; 3],
}

struct Mixer<'p> {
    pose: &'p mut Pose,
    rule: Rule,
    vector: Option<Vector>,
    /// The node whose pivots changed since its local transform was made.
    stale: Option<NodeId>,
}

impl Mixer<'_> {
    fn channel(&mut self, channel: &Channel, value: Sample<'_>) {
        match &channel.target {
            Target::Component { node, part, axis } => {
                if let (Some(number), true) = (value.component(0), value.width() == 1) {
                    self.component(*node, *part, (usize::from(*axis), number));
                }
            }
            Target::Node { node, property } => {
                self.flush();
                if property.width().is_none_or(|width| width == value.width()) {
                    self.property(*node, *property, value);
                }
            }
            Target::Morph { node, target } => {
                let slot = self.pose.weights_mut(*node).get_mut(*target as usize);
                if let (Some(slot), Some(number)) = (slot, value.component(0)) {
                    *slot = self.rule.number(f64::from(*slot), number) as f32;
                }
            }
            Target::Visibility { node } => {
                if let Some(number) = value.component(0) {
                    let below = f64::from(u8::from(self.pose.is_visible(*node)));
                    self.pose.set_visible(*node, self.rule.number(below, number).abs() >= 1.0);
                }
            }
            // What these move is no part of a pose; see [`crate::Look`] and [`number_at`].
            Target::Material { .. }
            | Target::Camera { .. }
            | Target::Light { .. }
            | Target::Named { .. }
            | Target::Other(_) => {}
        }
    }

    fn component(&mut self, node: NodeId, part: TransformPart, (axis, number): (usize, f64)) {
        if self.vector.is_none_or(|v| v.node != node || v.part != part || v.values.get(axis) != Some(&None)) {
            self.flush();
            self.vector = Some(Vector { node, part, values: [None; 3] });
        }
        if let Some(slot) = self.vector.as_mut().and_then(|v| v.values.get_mut(axis)) {
            *slot = Some(number);
        }
    }

    /// Blends the vector that has come together.
    fn flush(&mut self) {
        let Some(Vector { node, part, values }) = self.vector.take() else { return };
        let Some((below, order)) = self.part(node, part) else { return };
        let below_array = below.to_array();
        let number = |axis: usize| values[axis].unwrap_or_else(|| self.rule.neutral(part, below_array[axis]));
        let value = DVec3::new(number(0), number(1), number(2));
        let blended = match part {
            TransformPart::Scale => self.rule.scale(below, value),
            TransformPart::Rotation => self.rule.angles(below, value, order),
            _ => self.rule.vector(below, value),
        };
        self.set_part(node, part, blended);
    }

    fn part(&mut self, node: NodeId, part: TransformPart) -> Option<(DVec3, RotationOrder)> {
        if let Some(pivots) = self.pose.pivots(node) {
            return Some((pivots.part(part), pivots.rotation_order));
        }
        let trs = *self.pose.trs_mut(node)?;
        let value = match part {
            TransformPart::Translation => trs.translation,
            TransformPart::Scale => trs.scale,
            TransformPart::Rotation => Pivots::from_trs(trs).rotation_deg,
            _ => return None,
        };
        Some((value, RotationOrder::Xyz))
    }

    fn set_part(&mut self, node: NodeId, part: TransformPart, value: DVec3) {
        if !value.is_finite() {
            return;
        }
        if let Some(pivots) = self.pose.pivots_mut(node) {
            *pivots.part_mut(part) = value;
            return self.touch(node);
        }
        let Some(trs) = self.pose.trs_mut(node) else { return };
        match part {
            TransformPart::Translation => trs.translation = value,
            TransformPart::Scale => trs.scale = value,
            TransformPart::Rotation => trs.rotation = RotationOrder::Xyz.to_quat(value),
            _ => {}
        }
    }

    /// A node's local transform is made once for all of its channels that lie next to each other.
    fn touch(&mut self, node: NodeId) {
        if self.stale != Some(node) {
            self.refresh();
            self.stale = Some(node);
        }
    }

    fn refresh(&mut self) {
        if let Some(node) = self.stale.take() {
            self.pose.refresh(node);
        }
    }

    fn finish(mut self) {
        self.flush();
        self.refresh();
    }

    fn property(&mut self, node: NodeId, property: Property, value: Sample<'_>) {
        let rule = self.rule;
        if property == Property::MorphWeights {
            for (i, slot) in self.pose.weights_mut(node).iter_mut().enumerate() {
                let Some(value) = value.component(i) else { break };
                *slot = rule.number(f64::from(*slot), value) as f32;
            }
            return;
        }
        let part = match property {
            Property::Translation => TransformPart::Translation,
            Property::Scale => TransformPart::Scale,
            _ => return self.rotation(node, value.rotation()),
        };
        let Some((below, _)) = self.part(node, part) else { return };
        let blend = if property == Property::Scale { Rule::scale } else { Rule::vector };
        let blended = blend(&rule, below, value.vector());
        self.set_part(node, part, blended);
    }

    fn rotation(&mut self, node: NodeId, value: DQuat) {
        if let Some(pivots) = self.pose.pivots_mut(node) {
            pivots.set_rotation(self.rule.rotation(pivots.rotation(), value));
            return self.touch(node);
        }
        if let Some(trs) = self.pose.trs_mut(node) {
            trs.rotation = self.rule.rotation(trs.rotation, value);
        }
    }
}

/// True when a clip has something that [`crate::layers`] does not blend channel by channel.
pub(crate) fn is_compound(clip: &Clip) -> bool {
    let compound =
        |c: &Channel| matches!(c.target, Target::Component { .. } | Target::Morph { .. } | Target::Visibility { .. });
    clip.layers.len() > 1 || clip.channels.iter().any(compound)
}

/// The nodes that a clip moves, without repetition, in the order of the channels.
pub(crate) fn moved_nodes(clip: &Clip) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = clip.channels.iter().filter_map(|c| c.target.node()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluator;
    use anyrig_scene::{Curve, ElementId, Interpolation, Mesh, MeshInstance, MorphTarget, Node, Scene};

    fn hold(value: f32) -> Curve {
        Curve::new(Interpolation::Step, 1, vec![0.0], vec![value])
    }

    fn scene() -> (Scene, NodeId) {
        let mut scene = Scene::default();
        let mut node = Node::new("n");
        let pivots = Pivots {
            rotation_pivot: DVec3::X,
            pre_rotation_deg: DVec3::new(90.0, 0.0, 0.0),
            rotation_order: RotationOrder::Zyx,
            ..Pivots::IDENTITY
        };
        node.local = pivots.to_trs().into();
        node.pivots = Some(Box::new(pivots));
        let node = scene.add_node(node, None);
        (scene, node)
    }

    fn clip(channels: &[(TransformPart, u8, usize, f32)], node: NodeId, layers: Vec<ClipLayer>) -> Clip {
        let mut clip = Clip::new("c");
        clip.layers = layers;
        for (part, axis, layer, value) in channels {
            let mut channel = Channel::on(Target::Component { node, part: *part, axis: *axis }, hold(*value));
            channel.layer = *layer;
            clip.channels.push(channel);
        }
        clip
    }

    use TransformPart::{Rotation, RotationPivot, Scale, Translation};

    #[test]
    fn components_move_the_chain() {
        let (scene, node) = scene();
        let clip =
            clip(&[(Rotation, 2, 0, 90.0), (Translation, 1, 0, 5.0), (RotationPivot, 0, 0, 2.0)], node, Vec::new());
        let pose = Pose::of_clip(&scene, &clip, 0.0);
        let expected = Pivots {
            translation: DVec3::new(0.0, 5.0, 0.0),
            rotation_deg: DVec3::new(0.0, 0.0, 90.0),
            rotation_pivot: DVec3::new(2.0, 0.0, 0.0),
            ..*scene.nodes[node].pivots.as_deref().expect("set")
        };
        assert_eq!(pose.pivots(node), Some(&expected));
        assert_eq!(pose.local(node).to_trs(), expected.to_trs());
        // A turn about Z under a pre-rotation about X, by hand: the pivot (2, 0, 0) stays, the origin goes to (2, 5, -2).
        let origin = pose.local(node).to_trs().translation;
        assert!(origin.distance(DVec3::new(2.0, 5.0, -2.0)) < 1e-12, "{origin}");
    }

    #[test]
    fn components_without_pivots_move_the_plain_transform() {
        let mut scene = Scene::default();
        let node = scene.add_node(Node::new("n"), None);
        let clip = clip(&[(Translation, 0, 0, 5.0), (Rotation, 1, 0, 90.0), (RotationPivot, 0, 0, 9.0)], node, vec![]);
        let trs = Pose::of_clip(&scene, &clip, 0.0).local(node).to_trs();
        assert_eq!(trs.translation, DVec3::new(5.0, 0.0, 0.0));
        assert!((trs.rotation * DVec3::Z).distance(DVec3::X) < 1e-12);
    }

    fn layered(blend: LayerBlend, change: impl FnOnce(&mut ClipLayer)) -> Vec<ClipLayer> {
        let mut layer = ClipLayer::new("top", blend);
        change(&mut layer);
        vec![ClipLayer::default(), layer]
    }

    #[test]
    fn layers_blend_by_their_rules() {
        let (scene, node) = scene();
        let values = |layers: Vec<ClipLayer>| {
            let channels = [
                (Translation, 0, 0, 10.0),
                (Rotation, 0, 0, 40.0),
                (Scale, 0, 0, 4.0),
                (Translation, 0, 1, 2.0),
                (Rotation, 0, 1, 20.0),
                (Scale, 0, 1, 9.0),
            ];
            let pose = Pose::of_clip(&scene, &clip(&channels, node, layers), 0.0);
            let pivots = *pose.pivots(node).expect("has pivots");
            [pivots.translation.x, pivots.rotation_deg.x, pivots.scale.x]
        };
        let near =
            |a: [f64; 3], b: [f64; 3]| assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
        let half = |l: &mut ClipLayer| l.weight = 0.5;
        near(values(layered(LayerBlend::Additive, |_| {})), [12.0, 60.0, 36.0]);
        near(values(layered(LayerBlend::Additive, half)), [11.0, 50.0, 12.0]);
        near(values(layered(LayerBlend::Override, half)), [2.0, 20.0, 9.0]);
        near(values(layered(LayerBlend::OverridePassthrough, half)), [6.0, 30.0, 6.0]);
        let sums = |l: &mut ClipLayer| {
            (l.rotations, l.scales, l.weight) = (RotationBlend::ByChannel, ScaleBlend::Add, 0.5);
        };
        near(values(layered(LayerBlend::Additive, sums)), [11.0, 50.0, 8.5]);
        near(values(layered(LayerBlend::OverridePassthrough, sums)), [6.0, 30.0, 6.5]);
        near(values(layered(LayerBlend::Additive, |l| l.muted = true)), [10.0, 40.0, 4.0]);
        let ramp = |l: &mut ClipLayer| l.weight_curve = Some(hold(0.25));
        let quarter = values(layered(LayerBlend::OverridePassthrough, ramp));
        near([quarter[0], quarter[1], 0.0], [8.0, 35.0, 0.0]);
    }

    #[test]
    fn rotations_compose_in_the_nodes_order() {
        let (scene, node) = scene();
        let channels = [(Rotation, 2, 0, 90.0), (Rotation, 0, 1, 90.0)];
        let pose = Pose::of_clip(&scene, &clip(&channels, node, layered(LayerBlend::Additive, |_| {})), 0.0);
        let angles = pose.pivots(node).expect("has pivots").rotation_deg;
        let turn = |angles: [f64; 3]| RotationOrder::Zyx.to_quat(DVec3::from_array(angles));
        let expected = turn([0.0, 0.0, 90.0]) * turn([90.0, 0.0, 0.0]);
        assert!(RotationOrder::Zyx.to_quat(angles).dot(expected).abs() > 1.0 - 1e-12, "{angles}");
    }

    #[test]
    fn morphs_visibility_and_named_numbers() {
        let mut scene = Scene::default();
        let mut mesh = Mesh::default();
        mesh.morphs = vec![MorphTarget::new("a"), MorphTarget::new("b")];
        let mesh = scene.meshes.push(mesh);
        let mut node = Node::new("n");
        node.mesh = Some(MeshInstance::new(mesh));
        let node = scene.add_node(node, None);
        let mut clip = Clip::new("c");
        let named = Target::Named { element: ElementId::Node(node), property: "fbx.x".to_owned() };
        clip.layers = layered(LayerBlend::Additive, |l| l.weight = 0.5);
        for (target, value, layer) in [
            (Target::Morph { node, target: 1 }, 0.75, 0),
            (Target::Visibility { node }, 0.9, 0),
            (named.clone(), 4.0, 0),
            (named.clone(), 3.0, 1),
        ] {
            let mut channel = Channel::on(target, hold(value));
            channel.layer = layer;
            clip.channels.push(channel);
        }
        let pose = Pose::of_clip(&scene, &clip, 0.0);
        assert_eq!(pose.weights(node), [0.0, 0.75]);
        assert!(!pose.is_visible(node) && Pose::rest(&scene).is_visible(node));
        assert_eq!(number_at(&clip, &named, 1.0, 0.0), 5.5);
        let evaluator = Evaluator::new(&scene);
        assert_eq!((evaluator.shown().len(), evaluator.shown_in(&pose).len()), (1, 0));
    }

    #[test]
    fn hostile_targets_change_nothing() {
        let (scene, node) = scene();
        let mut strange = clip(&[(Translation, 7, 0, 1.0), (Scale, 0, 9, f32::MAX)], node, Vec::new());
        strange
            .channels
            .push(Channel::on(Target::Component { node: NodeId::new(77), part: Scale, axis: 0 }, hold(3.0)));
        strange.channels.push(Channel::on(Target::Morph { node, target: 3 }, hold(3.0)));
        let pose = Pose::of_clip(&scene, &strange, 0.0);
        assert_eq!(pose.local(node).to_trs().scale.x, f64::from(f32::MAX));
        assert_eq!(pose.local(node).to_trs().translation.x, pose.pivots(node).expect("set").to_trs().translation.x);
    }
}
