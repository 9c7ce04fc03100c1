//! The clips of the baked scene.

use super::plan::{ByNode, Plan, chain, moved_nodes, moves_transform, times};
use super::sample::{Kind, Room, Sampler, Value};
use super::structure::Homes;
use super::{BakeOptions, clip_needs_baking, fades, is_plain};
use crate::codes;
use anyrig_animation::{ClipHints, PointBox, Pose, numbers_at, sample, scene_size};
use anyrig_bytes::{Context, Result};
use anyrig_scene::{Channel, Clip, Curve, InheritMode, NodeId, Property, Scene, Target, TransformPart, Trs, World};
use std::collections::{BTreeMap, BTreeSet};

/// What all clips share.
struct Baker<'a> {
    scene: &'a Scene,
    plan: &'a Plan,
    homes: &'a Homes,
    options: &'a BakeOptions,
    context: &'a Context,
    room: Room<'a>,
    rest: Pose,
    /// Largest error of each node's translation, in the units of its parent.
    distances: Vec<f64>,
}

pub(super) fn bake(
    scene: &Scene,
    plan: &Plan,
    homes: &Homes,
    options: &BakeOptions,
    context: &Context,
) -> Result<Vec<Clip>> {
    let error = if options.max_error > 0.0 { options.max_error } else { 0.0 };
    let distances = distances(scene, plan, error * model_size(scene));
    let (room, rest) = (Room::new(context), Pose::rest(scene));
    let mut pose = rest.clone();
    let baker = Baker { scene, plan, homes, options, context, room, rest, distances };
    scene.clips.iter().map(|clip| ClipBaker::new(&baker, clip, &mut pose).bake()).collect()
}

/// A distance in the scene as it is in the units of what each node will hang from, which may be scaled at rest.
fn distances(scene: &Scene, plan: &Plan, distance: f64) -> Vec<f64> {
    let mut places = vec![World::ROOT; scene.nodes.len()];
    let mut distances = vec![distance; scene.nodes.len()];
    for id in &plan.order {
        let node = &scene.nodes[*id];
        let parent = node.parent.map_or(World::ROOT, |p| places[p.index()]);
        places[id.index()] = parent.child(node.local, node.inherit);
        let split = node.parent.is_some_and(|p| plan.split[p.index()]);
        let from = if split && node.inherit != InheritMode::Full { parent.unscaled() } else { parent.scene_from_node };
        let m = from.matrix3;
        let scale = m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length());
        if scale.is_finite() && scale > 0.0 {
            distances[id.index()] = distance / scale;
        }
    }
    distances
}

/// The size of what is shown, else of the skeleton at rest.
fn model_size(scene: &Scene) -> f64 {
    let shown = scene_size(scene);
    if shown > 0.0 {
        return shown;
    }
    let places = anyrig_scene::walk::rest_world_transforms(scene).into_iter().map(|w| w.translation);
    let size = PointBox::of(places).diagonal();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// One clip at work.
struct ClipBaker<'a> {
    baker: &'a Baker<'a>,
    clip: &'a Clip,
    channels: ByNode<'a>,
    /// Whether anything in the clip asks for baking, so that all of it is.
    whole: bool,
    /// At rest, but while a node is sampled; one for all nodes, since it is as large as the scene.
    pose: &'a mut Pose,
    baked: Clip,
}

impl<'a> ClipBaker<'a> {
    fn new(baker: &'a Baker<'a>, clip: &'a Clip, pose: &'a mut Pose) -> Self {
        let mut baked = Clip::new(clip.name.clone());
        baked.length_secs = clip.length_secs;
        baked.extras.clone_from(&clip.extras);
        Self { baker, clip, channels: ByNode::new(clip), whole: clip_needs_baking(clip), pose, baked }
    }

    fn bake(mut self) -> Result<Clip> {
        self.baker.context.check_cancelled()?;
        let mut done: BTreeSet<NodeId> = BTreeSet::new();
        let mut weighed: BTreeSet<NodeId> = BTreeSet::new();
        let mut numbers = Numbers::of(self.clip);
        for channel in &self.clip.channels {
            match channel.target.node() {
                Some(node) if moves_transform(&channel.target) => {
                    if done.contains(&node) {
                        continue;
                    }
                    if !self.bakes(node) {
                        self.baked.channels.push(channel.clone());
                        continue;
                    }
                    done.insert(node);
                    self.transform(node)?;
                }
                Some(node) if moves_weights(&channel.target) => {
                    if !self.whole {
                        self.baked.channels.push(self.baker.moved_home(channel));
                    } else if weighed.insert(node) {
                        self.weights(node)?;
                    }
                }
                _ => self.number(channel, &mut numbers)?,
            }
        }
        // Nodes that move only because the scale above them does.
        for node in self.baker.moved(self.clip).into_iter().filter(|node| !done.contains(node)) {
            if self.baker.scene.nodes[node].inherit != InheritMode::Full {
                self.transform(node)?;
            }
        }
        keep_length(self.clip, &mut self.baked);
        Ok(self.baked)
    }

    fn bakes(&self, node: NodeId) -> bool {
        let data = &self.baker.scene.nodes[node];
        let split = self.baker.plan.split[node.index()];
        let own = || self.channels.of(node).filter(|c| moves_transform(&c.target));
        let plain = || own().all(|c| matches!(c.target, Target::Node { .. }) && is_plain(&c.curve));
        self.whole || split || data.pivots.is_some() || data.inherit != InheritMode::Full || !plain()
    }

    /// Curves for translation, rotation and scale of a node, and for the scale of its helper.
    fn transform(&mut self, node: NodeId) -> Result<()> {
        let baker = self.baker;
        baker.context.check_cancelled()?;
        let part = self.channels.sub_clip(node, &chain(baker.scene, node));
        let times = times(&part, self.channels.span_secs);
        let mut placing = Placing {
            baker,
            part: &part,
            moved: moved_nodes(&part),
            node,
            pose: self.pose,
            known: BTreeMap::new(),
            hints: ClipHints::new(&part),
        };
        let turns = |from: f64, to: f64| turns(&part, node, from, to);
        let straight = |_: f64, _: f64| 1;
        let rest = baker.plan.place(baker.scene, &baker.rest, node);
        let angle = baker.options.max_error.max(0.0);
        let wanted = wanted(self.channels.of(node), baker.scene.nodes[node].pivots.is_some());
        let start_secs = self.clip.start_secs;
        for (property, (kind, bound)) in [
            (Property::Translation, (Kind::Numbers, baker.distances[node.index()])),
            (Property::Rotation, (Kind::Rotation, angle)),
            (Property::Scale, (Kind::Numbers, angle * rest.trs.scale.abs().max_element().max(1e-3))),
        ] {
            let mut value = |time: f64| property_of(&placing.at(time).0, property);
            let parts: &dyn Fn(f64, f64) -> u32 = if property == Property::Scale { &straight } else { &turns };
            let curve = baker.sampled(&mut value, (kind, bound), (&times, parts))?;
            if curve.len() > 1
                || wanted.contains(&property)
                || differs(&curve, &property_of(&rest.trs, property), bound)
            {
                self.baked.channels.push(from_start(Target::Node { node, property }, &curve, start_secs));
            }
        }
        if let Some(helper) = baker.homes.scale[node.index()] {
            let mut value = |time: f64| placing.at(time).1.to_vec();
            let bound = angle * rest.helper_scale.abs().max_element().max(1e-3);
            let curve = baker.sampled(&mut value, (Kind::Numbers, bound), (&times, &straight))?;
            if curve.len() > 1 || differs(&curve, &rest.helper_scale.to_array(), bound) {
                let target = Target::Node { node: helper, property: Property::Scale };
                self.baked.channels.push(from_start(target, &curve, start_secs));
            }
        }
        placing.put_back();
        Ok(())
    }

    /// One curve for all morph weights of a node.
    fn weights(&mut self, node: NodeId) -> Result<()> {
        let Self { baker, pose, .. } = self;
        let part = self.channels.part(self.channels.of(node).filter(|c| moves_weights(&c.target)));
        let times = times(&part, self.channels.span_secs);
        let mut value = |time: f64| {
            pose.copy_node_from(&baker.rest, node);
            pose.apply_clip(&part, time);
            pose.weights(node).iter().map(|w| f64::from(*w)).collect::<Value>()
        };
        let curve = baker.sampled(&mut value, (Kind::Numbers, baker.options.max_error), (&times, &|_, _| 1))?;
        pose.copy_node_from(&baker.rest, node);
        if curve.width > 0 {
            let target = Target::Node { node: baker.homes.of_mesh(node), property: Property::MorphWeights };
            self.baked.channels.push(from_start(target, &curve, self.clip.start_secs));
        }
        Ok(())
    }

    /// Visibility, and what is no part of a pose: layers and segments are sampled as plain numbers. Targets that the
    /// model has no word for only when they are single numbers.
    fn number(&mut self, channel: &'a Channel, numbers: &mut Numbers<'a>) -> Result<()> {
        let (baker, clip) = (self.baker, self.clip);
        let has_layers = clip.layers.len() > 1;
        let is_first = numbers.done.insert(&channel.target);
        if has_layers && !is_first {
            return Ok(());
        }
        let compound = has_layers || !is_plain(&channel.curve) || clip.start_secs != 0.0 || fades(channel);
        let raw = matches!(channel.target, Target::Named { .. } | Target::Other(_));
        if !self.whole || raw && channel.curve.width != 1 || !compound {
            let mut copy = channel.clone();
            copy.layer = 0;
            copy.curve = shifted(&channel.curve, -clip.start_secs);
            self.baked.channels.push(copy);
            return Ok(());
        }
        let part = self.channels.part(numbers.by_target.get(&channel.target).into_iter().flatten().copied());
        let times = times(&part, self.channels.span_secs);
        let rest = baker.rest_numbers(channel);
        let numbers = |time: f64| numbers_at(&part, &channel.target, &rest, time);
        if matches!(channel.target, Target::Visibility { .. }) {
            let shown = |time: f64| numbers(time).first().is_some_and(|n| n.abs() >= 1.0);
            let mut value = |time: f64| vec![f64::from(u8::from(shown(time)))];
            let curve = switched(&baker.sampled(&mut value, (Kind::Numbers, 0.25), (&times, &|_, _| 1))?);
            self.baked.channels.push(from_start(channel.target.clone(), &curve, clip.start_secs));
            return Ok(());
        }
        let bound = baker.options.max_error * range(times.iter().flat_map(|t| numbers(*t)));
        let curve = baker.sampled(&mut |time| numbers(time), (Kind::Numbers, bound), (&times, &|_, _| 1))?;
        self.baked.channels.push(from_start(channel.target.clone(), &curve, clip.start_secs));
        Ok(())
    }
}

/// Channels that are neither on a transform nor on weights.
struct Numbers<'a> {
    /// Those on each target, in the clip's order.
    by_target: BTreeMap<&'a Target, Vec<&'a Channel>>,
    /// Targets that have been baked.
    done: BTreeSet<&'a Target>,
}

impl<'a> Numbers<'a> {
    fn of(clip: &'a Clip) -> Self {
        let mut by_target: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let is_number = |c: &&Channel| !moves_transform(&c.target) && !moves_weights(&c.target);
        for channel in clip.channels.iter().filter(is_number) {
            by_target.entry(&channel.target).or_default().push(channel);
        }
        Self { by_target, done: BTreeSet::new() }
    }
}

impl Baker<'_> {
    /// Nodes that a clip moves, and below them those that take their scale per axis.
    fn moved(&self, clip: &Clip) -> Vec<NodeId> {
        let mut moves = vec![false; self.scene.nodes.len()];
        for channel in clip.channels.iter().filter(|c| moves_transform(&c.target)) {
            if let Some(slot) = channel.target.node().and_then(|n| moves.get_mut(n.index())) {
                *slot = true;
            }
        }
        let mut all = Vec::new();
        for id in &self.plan.order {
            let node = &self.scene.nodes[*id];
            let by_parent = node.inherit != InheritMode::Full && node.parent.is_some_and(|p| moves[p.index()]);
            moves[id.index()] |= by_parent;
            if moves[id.index()] {
                all.push(*id);
            }
        }
        all
    }

    /// What a channel's target is at rest; zeros where only the source knows.
    fn rest_numbers(&self, channel: &Channel) -> Vec<f64> {
        let scene = self.scene;
        let rest = match channel.target {
            Target::Material { material, property } => {
                let numbers = scene.materials.get(material).and_then(|m| m.numbers(property));
                numbers.map(|n| n.iter().map(|v| f64::from(*v)).collect())
            }
            Target::Camera { camera, property } => {
                scene.cameras.get(camera).and_then(|c| c.number(property)).map(|n| vec![n])
            }
            Target::Light { light, property } => scene.lights.get(light).and_then(|l| l.numbers(property)),
            Target::Visibility { node } => Some(vec![f64::from(u8::from(self.rest.is_visible(node)))]),
            _ => None,
        };
        rest.unwrap_or_else(|| vec![0.0; channel.curve.width])
    }

    fn sampled(
        &self,
        value: &mut dyn FnMut(f64) -> Value,
        (kind, bound): (Kind, f64),
        (times, parts): (&[f64], &dyn Fn(f64, f64) -> u32),
    ) -> Result<Curve> {
        let step_secs = self.options.step_secs.max(0.0);
        let max_keys = (self.options.max_keys as usize).max(times.len());
        let sampler = Sampler { value, kind, bound, step_secs, max_keys, room: &self.room };
        let sampled = sampler.run(times, parts)?;
        if sampled.limited {
            self.context.tell(&codes::KEYS_LIMITED, "clip", "a bend was finer than the keys");
        }
        Ok(sampled.curve)
    }

    /// A plain channel of weights, at the node that shows the mesh.
    fn moved_home(&self, channel: &Channel) -> Channel {
        let mut moved = channel.clone();
        if let Target::Node { node, .. } = &mut moved.target {
            *node = self.homes.of_mesh(*node);
        }
        moved
    }
}

/// A clip in which nothing moves keeps its length by a second key.
fn keep_length(clip: &Clip, baked: &mut Clip) {
    let length = clip.end_secs() - clip.start_secs;
    if length <= 0.0 || baked.channels.iter().any(|c| c.curve.times_secs.last().is_some_and(|t| *t >= length)) {
        return;
    }
    let Some(first) = baked.channels.iter_mut().find(|c| c.curve.len() == 1 && c.curve.times_secs[0] < length) else {
        return;
    };
    let stride = first.curve.width;
    let curve = &mut first.curve;
    if curve.interpolation != anyrig_scene::Interpolation::CubicHermite {
        curve.times_secs.make_mut().push(length);
        let again: Vec<f32> = curve.values[..stride].to_vec();
        curve.values.make_mut().extend(again);
    }
}

fn moves_weights(target: &Target) -> bool {
    matches!(target, Target::Morph { .. } | Target::Node { property: Property::MorphWeights, .. })
}

/// The properties that get a curve even where it holds their rest: those that the clip names, so that it still rules
/// them when it is played over another.
fn wanted<'a>(own: impl Iterator<Item = &'a Channel>, pivots: bool) -> BTreeSet<Property> {
    own.filter_map(|c| match c.target {
        Target::Node { property, .. } => Some(property),
        Target::Component { part: TransformPart::Translation, .. } => Some(Property::Translation),
        Target::Component { part: TransformPart::Scale, .. } => Some(Property::Scale),
        Target::Component { part, .. } if part.is_angle() => Some(Property::Rotation),
        Target::Component { .. } if pivots => Some(Property::Translation),
        _ => None,
    })
    .collect()
}

/// A node's transform over time. Translation, rotation and scale ask for the same times, so each is evaluated once.
struct Placing<'a> {
    baker: &'a Baker<'a>,
    part: &'a Clip,
    moved: Vec<NodeId>,
    node: NodeId,
    pose: &'a mut Pose,
    known: BTreeMap<u64, (Trs, [f64; 3])>,
    hints: ClipHints,
}

impl Placing<'_> {
    fn at(&mut self, time: f64) -> (Trs, [f64; 3]) {
        if let Some(known) = self.known.get(&time.to_bits()) {
            return *known;
        }
        self.put_back();
        self.pose.apply_clip_hinted(self.part, time, &mut self.hints);
        let placed = self.baker.plan.place(self.baker.scene, self.pose, self.node);
        let value = (placed.trs, placed.helper_scale.to_array());
        if self.known.len() < MAX_KNOWN {
            self.known.insert(time.to_bits(), value);
        }
        value
    }

    /// Brings the pose to rest again.
    fn put_back(&mut self) {
        for node in self.moved.iter().chain([&self.node]) {
            self.pose.copy_node_from(&self.baker.rest, *node);
        }
    }
}

/// Bounds the memory of what is remembered.
const MAX_KNOWN: usize = 1 << 16;

fn property_of(trs: &Trs, property: Property) -> Value {
    match property {
        Property::Translation => trs.translation.to_array().to_vec(),
        Property::Scale => trs.scale.to_array().to_vec(),
        _ => trs.rotation.to_array().to_vec(),
    }
}

fn differs(curve: &Curve, rest: &[f64], bound: f64) -> bool {
    let far = |sign: f64| curve.values.iter().zip(rest).any(|(v, r)| (f64::from(*v) - sign * r).abs() > bound * 0.1);
    far(1.0) && (curve.width != 4 || far(-1.0))
}

/// In how many parts a span is cut so that no part turns by more than a quarter, by the Euler angles.
fn turns(part: &Clip, node: NodeId, from: f64, to: f64) -> u32 {
    const PLACES: u32 = 8;
    let angles = part.channels.iter().filter(|c| c.target.node() == Some(node));
    let angles = angles.filter(|c| matches!(c.target, Target::Component { part, .. } if part.is_angle()));
    let travelled: f64 = angles
        .map(|c| {
            let at = |place: u32| {
                let time = from + (to - from) * f64::from(place) / f64::from(PLACES);
                sample(&c.curve, time).and_then(|s| s.component(0)).unwrap_or(0.0)
            };
            (0..PLACES).map(|place| (at(place + 1) - at(place)).abs()).sum::<f64>()
        })
        .sum();
    ((travelled / 90.0).ceil() as u32).clamp(1, 4096)
}

/// The range of numbers; of equal ones a share of their size.
fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    (high - low).max(low.abs().max(high.abs()) * 1e-3).max(1e-6)
}

/// A curve that is on or off: it holds until it changes.
fn switched(curve: &Curve) -> Curve {
    let (mut times, mut values) = (Vec::new(), Vec::<f32>::new());
    for (time, value) in curve.times_secs.iter().zip(curve.values.iter().map(|v| v.round())) {
        if values.last() != Some(&value) {
            times.push(*time);
            values.push(value);
        }
    }
    Curve::new(anyrig_scene::Interpolation::Step, 1, times, values)
}

/// A curve on a target, in the time of a clip that starts at 0.
fn from_start(target: Target, curve: &Curve, start_secs: f64) -> Channel {
    Channel::on(target, shifted(curve, -start_secs))
}

/// The curve moved in time; its own ticks are then no longer true.
fn shifted(curve: &Curve, seconds: f64) -> Curve {
    let mut moved = curve.clone();
    if seconds != 0.0 {
        moved.times_secs = curve.times_secs.iter().map(|t| t + seconds).collect();
        moved.ticks = None;
    }
    moved
}
