//! Clips made ready to be played fast.

use super::blocks::{Block, Locals, Part, Shape, Track};
use super::compose::{Matrices, NONE, Step};
use super::timeline::Timeline;
use crate::skinning::lanes::WIDTH;
use crate::{Evaluator, JointMatrix, Pose};
use anyrig_bytes::{Context, Error, Place, Result};
use anyrig_scene::{
    Channel, Clip, Curve, ExtrapolationMode, InheritMode, Interpolation, LocalTransform, NodeId, Property, Scene,
    Target, Trs, walk,
};
use std::array;
use std::collections::{BTreeMap, BTreeSet};

/// A clip of a scene, made ready to be played fast by any number of [`crate::Player`]s.
///
/// Straight, stepped and cubic channels on whole translations, rotations and scales become `f32` tracks that lie side by
/// side by eights; tracks with the same times share them. What is not of this kind (single components, FBX pivots,
/// segments with their own shape, extrapolation, layers, morph weights, visibility) is played by [`Pose`] as it is, node
/// by node, so that every clip plays in full; [`Tracks::fast_nodes`] tells how many nodes need not wait for that. A clip
/// that is [baked](Tracks::baked) has fast nodes only.
#[derive(Clone, Debug)]
pub struct Tracks {
    pub(super) timelines: Vec<Timeline>,
    pub(super) blocks: Vec<Block>,
    /// Of the fast nodes, by eights.
    pub(super) locals: Vec<Locals>,
    /// Those of the fast nodes, then of all others.
    pub(super) matrices: Vec<Matrices>,
    /// Parents before children, the shallow ones first, so that neighbours do not wait for each other.
    pub(super) steps: Vec<Step>,
    pub(super) slow: Option<Slow>,
    pub(super) rest: Pose,
    pub(super) node_count: usize,
    fast_nodes: usize,
}

/// What is left to [`Pose`].
#[derive(Clone, Debug)]
pub(super) struct Slow {
    pub clip: Clip,
    /// The nodes that it moves, and where their local matrices lie.
    pub nodes: Vec<(NodeId, u32)>,
    /// Evaluates all nodes, where some do not inherit scale fully.
    pub all: Option<Evaluator>,
}

/// Values beyond this could overflow on the way to a world matrix.
const LARGEST: f32 = 1e12;

impl Tracks {
    /// The clip with its own keys.
    pub fn new(scene: &Scene, clip: &Clip) -> Self {
        let mut builder = Builder::new(scene);
        let fast = builder.fast_nodes(clip);
        let mut slow = clip.clone();
        slow.channels.retain(|channel| {
            let moved = channel.target.moved_node();
            if !clip.plays(channel.layer) {
                return false;
            }
            match channel.node_target().filter(|(node, _)| fast.contains(node)) {
                Some((node, property)) if moved.is_some() => {
                    builder.add_curve(node, property, &channel.curve);
                    false
                }
                _ => true,
            }
        });
        builder.finish(slow)
    }

    /// The clip sampled at `frames_per_sec` from its start to its end, straight lines (rotations: great arcs) between
    /// the frames. Finding a frame needs no search, and every kind of channel becomes fast, but between frames the
    /// motion is only as close as the rate makes it. Morph weights and visibility stay exact.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Malformed`] for a rate that is not above 0, [`anyrig_bytes::ErrorKind::LimitExceeded`] when frames times nodes
    /// pass the context's memory, [`anyrig_bytes::ErrorKind::Cancelled`].
    pub fn baked(scene: &Scene, clip: &Clip, frames_per_sec: f64, context: &Context) -> Result<Self> {
        let seconds = clip.end_secs() - clip.start_secs;
        let last = (seconds * frames_per_sec).ceil().max(1.0);
        if !(frames_per_sec > 0.0 && frames_per_sec.is_finite() && last < f64::from(u32::MAX)) {
            let message = format!("a clip of {seconds} s cannot be baked at {frames_per_sec} frames a second");
            return Err(Error::malformed(Place::whole(), message));
        }
        let mut builder = Builder::new(scene);
        let moved = builder.bakeable_nodes(clip);
        let floats = (last as u64 + 1).saturating_mul(moved.len() as u64).saturating_mul(10);
        // Once as lists by node, once as blocks with the arcs.
        context.take_memory(floats.saturating_mul(12), Place::whole)?;
        let timeline = Timeline::Even { start_secs: clip.start_secs, per_sec: frames_per_sec, last: last as u32 };
        let baked = bake(scene, clip, &moved, (&timeline, context))?;
        builder.timelines.push(timeline);
        let timeline = 0;
        for (node, parts) in moved.iter().zip(baked) {
            for (part, values) in [Part::Translation, Part::Rotation, Part::Scale].into_iter().zip(parts) {
                builder.add(*node, part, Track { timeline, shape: Shape::Linear, values });
            }
        }
        let mut slow = clip.clone();
        slow.channels.retain(|channel| channel.target.moved_node().is_none_or(|node| !moved.contains(&node)));
        Ok(builder.finish(slow))
    }

    /// Number of nodes of the scene.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// Number of nodes that the clip moves and that are played from tracks.
    pub fn fast_nodes(&self) -> usize {
        self.fast_nodes
    }

    /// Number of different lists of times.
    pub fn timelines(&self) -> usize {
        self.timelines.len()
    }
}

/// Translations, rotations and scales of each node, frame by frame.
fn bake(
    scene: &Scene,
    clip: &Clip,
    moved: &BTreeSet<NodeId>,
    (timeline, context): (&Timeline, &Context),
) -> Result<Vec<[Vec<f32>; 3]>> {
    let Timeline::Even { start_secs, per_sec, last } = timeline else { return Ok(Vec::new()) };
    let rest = Pose::rest_within(scene, context)?;
    let (mut pose, mut hints) = (rest.clone(), crate::ClipHints::new(clip));
    let mut found = vec![[Vec::new(), Vec::new(), Vec::new()]; moved.len()];
    for frame in 0..=*last {
        context.check_cancelled()?;
        pose.copy_from(&rest);
        pose.apply_clip_hinted(clip, start_secs + f64::from(frame) / per_sec, &mut hints);
        for (node, [translations, rotations, scales]) in moved.iter().zip(&mut found) {
            let trs = pose.local(*node).to_trs();
            let narrow = |v: f64| (v as f32).clamp(-LARGEST, LARGEST);
            translations.extend(trs.translation.to_array().map(narrow));
            rotations.extend(trs.rotation.to_array().map(narrow));
            scales.extend(trs.scale.to_array().map(narrow));
        }
    }
    Ok(found)
}

/// The tracks of a node by part.
type Parts = BTreeMap<Part, Track>;

struct Builder<'s> {
    scene: &'s Scene,
    rest: Pose,
    timelines: Vec<Timeline>,
    /// Timelines of keys by the bits of their times.
    known: BTreeMap<Vec<u64>, u32>,
    tracks: BTreeMap<NodeId, Parts>,
    locals: BTreeMap<NodeId, Trs>,
}

impl<'s> Builder<'s> {
    fn new(scene: &'s Scene) -> Self {
        let (timelines, known) = (Vec::new(), BTreeMap::new());
        Self { scene, rest: Pose::rest(scene), timelines, known, tracks: BTreeMap::new(), locals: BTreeMap::new() }
    }

    fn inherits_fully(&self) -> bool {
        self.scene.nodes.values().all(|node| node.inherit == InheritMode::Full)
    }

    /// The nodes that only have channels for which tracks stand.
    fn fast_nodes(&self, clip: &Clip) -> BTreeSet<NodeId> {
        let (mut fast, mut others, mut parts) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        if clip.layers.len() > 1 || !self.inherits_fully() {
            return fast;
        }
        for channel in clip.channels.iter().filter(|channel| clip.plays(channel.layer)) {
            let Some(node) = channel.target.moved_node() else { continue };
            let is_first = parts.insert((node, channel.node_target().map(|(_, property)| property)));
            let is_fast = is_first && self.has_plain_local(node) && fits(channel);
            (if is_fast { &mut fast } else { &mut others }).insert(node);
        }
        &fast - &others
    }

    /// Every node that the clip moves.
    fn bakeable_nodes(&self, clip: &Clip) -> BTreeSet<NodeId> {
        if !self.inherits_fully() {
            return BTreeSet::new();
        }
        let moved = clip.channels.iter().filter_map(|channel| channel.target.moved_node());
        moved.filter(|node| self.scene.nodes.contains(*node)).collect()
    }

    fn has_plain_local(&self, node: NodeId) -> bool {
        let node = self.scene.nodes.get(node);
        node.is_some_and(|n| n.pivots.is_none() && matches!(n.local, LocalTransform::Trs(_)))
    }

    fn add_curve(&mut self, node: NodeId, property: Property, curve: &Curve) {
        let part = match property {
            Property::Translation => Part::Translation,
            Property::Rotation => Part::Rotation,
            Property::Scale => Part::Scale,
            Property::MorphWeights => return,
        };
        let shape = match curve.interpolation {
            Interpolation::Step => Shape::Step,
            Interpolation::CubicHermite => Shape::Cubic,
            Interpolation::Linear | Interpolation::PerKey => Shape::Linear,
        };
        let mut times = curve.times_secs.to_vec();
        let mut values = curve.values[..curve.len() * curve.stride()].to_vec();
        if let [only] = times[..] {
            times.push(only);
            values.extend_from_within(..);
        }
        let timeline = self.timeline(times);
        self.add(node, part, Track { timeline, shape, values });
    }

    fn timeline(&mut self, times: Vec<f64>) -> u32 {
        let next = self.timelines.len() as u32;
        let bits = times.iter().map(|time| time.to_bits()).collect();
        let found = *self.known.entry(bits).or_insert(next);
        if found == next {
            self.timelines.push(Timeline::Keys(times));
        }
        found
    }

    /// A track that never changes is where its node rests.
    fn add(&mut self, node: NodeId, part: Part, track: Track) {
        let local = self.rest.local(node).to_trs();
        let trs = self.locals.entry(node).or_insert(local);
        let width = if part == Part::Rotation { 4 } else { 3 };
        let mut keys = track.values.chunks_exact(width);
        let first = keys.next().unwrap_or_default();
        if track.shape == Shape::Cubic || keys.any(|key| key != first) {
            self.tracks.entry(node).or_default().insert(part, track);
            return;
        }
        let value: Vec<f64> = first.iter().map(|v| f64::from(*v)).collect();
        match (part, value.as_slice()) {
            (Part::Rotation, [x, y, z, w]) => {
                let read = glam::DQuat::from_xyzw(*x, *y, *z, *w);
                trs.rotation = crate::rotation::unit_or(read, glam::DQuat::IDENTITY);
            }
            (Part::Translation, [x, y, z]) => trs.translation = glam::DVec3::new(*x, *y, *z),
            (Part::Scale, [x, y, z]) => trs.scale = glam::DVec3::new(*x, *y, *z),
            _ => {}
        }
    }

    fn finish(self, slow: Clip) -> Tracks {
        let mut layout = Layout { of_node: vec![NONE; self.scene.nodes.len()], next: 0 };
        let order = self.in_eights();
        order.iter().for_each(|node| layout.push(*node));
        let eights = order.len().div_ceil(WIDTH);
        layout.next = (eights * WIDTH) as u32;
        let mut blocks = Vec::new();
        let mut locals = Vec::new();
        for (nodes, eight) in order.chunks(WIDTH).enumerate() {
            locals.push(self.locals_of(eight));
            for part in [Part::Translation, Part::Rotation, Part::Scale] {
                let track = |i: usize| self.tracks.get(eight.get(i)?)?.get(&part);
                blocks.extend(Block::of(nodes, part, array::from_fn(track)));
            }
        }
        let parents_first = walk::parents_first(self.scene);
        parents_first.iter().for_each(|node| layout.push_once(*node));
        let matrices = self.matrices(&layout);
        let steps = steps(self.scene, &parents_first, &layout);
        let slow = self.slow(slow, &layout);
        let fast_nodes = self.locals.len();
        let node_count = self.scene.nodes.len();
        Tracks {
            timelines: self.timelines,
            blocks,
            locals,
            matrices,
            steps,
            slow,
            rest: self.rest,
            node_count,
            fast_nodes,
        }
    }

    /// The nodes with tracks, so that those whose tracks are alike lie next to each other.
    fn in_eights(&self) -> Vec<NodeId> {
        let alike = |node: &NodeId| {
            let parts = self.tracks.get(node);
            [Part::Rotation, Part::Translation, Part::Scale].map(|part| {
                parts.and_then(|parts| parts.get(&part)).map_or((Shape::Cubic, u32::MAX), |t| (t.shape, t.timeline))
            })
        };
        let mut order: Vec<NodeId> = self.tracks.keys().copied().collect();
        order.sort_by_cached_key(alike);
        order
    }

    fn locals_of(&self, nodes: &[NodeId]) -> Locals {
        let trs = |i: usize| nodes.get(i).and_then(|node| self.locals.get(node)).copied().unwrap_or(Trs::IDENTITY);
        let trs: [Trs; WIDTH] = array::from_fn(trs);
        Locals {
            translation: array::from_fn(|axis| trs.map(|t| t.translation[axis] as f32)),
            rotation: array::from_fn(|axis| trs.map(|t| t.rotation.to_array()[axis] as f32)),
            scale: array::from_fn(|axis| trs.map(|t| t.scale[axis] as f32)),
        }
    }

    /// All local matrices, those of nodes that do not move in their places.
    fn matrices(&self, layout: &Layout) -> Vec<Matrices> {
        let mut matrices = vec![[[[0.0; 4]; WIDTH]; 3]; (layout.next as usize).div_ceil(WIDTH)];
        for (id, _) in self.scene.nodes.iter() {
            let local = self.locals.get(&id).map_or(self.rest.local(id), |trs| (*trs).into());
            put_local(&mut matrices, layout.of_node[id.index()], &JointMatrix::new(local.to_affine()));
        }
        matrices
    }

    fn slow(&self, mut clip: Clip, layout: &Layout) -> Option<Slow> {
        let all = (!self.inherits_fully()).then(|| Evaluator::new(self.scene));
        clip.channels.retain(|channel| {
            let is_morph = matches!(channel.target, Target::Morph { .. } | Target::Visibility { .. })
                || matches!(channel.target, Target::Node { property: Property::MorphWeights, .. });
            is_morph || channel.target.moved_node().is_some()
        });
        if clip.channels.is_empty() && all.is_none() {
            return None;
        }
        let moved: BTreeSet<NodeId> = clip.channels.iter().filter_map(|c| c.target.moved_node()).collect();
        let place = |node: &NodeId| layout.of_node.get(node.index()).copied().unwrap_or(NONE);
        let nodes = moved.into_iter().map(|node| (node, place(&node))).filter(|(_, at)| *at != NONE);
        Some(Slow { nodes: nodes.collect(), clip, all })
    }
}

/// Where the local matrix of each node lies.
struct Layout {
    of_node: Vec<u32>,
    next: u32,
}

impl Layout {
    fn push(&mut self, node: NodeId) {
        if let Some(slot) = self.of_node.get_mut(node.index()) {
            *slot = self.next;
        }
        self.next += 1;
    }

    fn push_once(&mut self, node: NodeId) {
        if self.of_node.get(node.index()) == Some(&NONE) {
            self.push(node);
        }
    }
}

/// Writes a node's local matrix among those of its eight.
pub(super) fn put_local(matrices: &mut [Matrices], at: u32, local: &JointMatrix) {
    let (eight, lane) = (at as usize / WIDTH, at as usize % WIDTH);
    if let Some(eight) = matrices.get_mut(eight) {
        for (rows, row) in eight.iter_mut().zip(local.rows) {
            rows[lane] = row;
        }
    }
}

fn steps(scene: &Scene, parents_first: &[NodeId], layout: &Layout) -> Vec<Step> {
    let mut depths = vec![0u32; scene.nodes.len()];
    let mut steps = Vec::with_capacity(parents_first.len());
    for node in parents_first {
        let parent = scene.nodes[*node].parent;
        let depth = parent.and_then(|parent| depths.get(parent.index())).map_or(0, |depth| depth + 1);
        depths[node.index()] = depth;
        let parent = parent.map_or(NONE, |parent| parent.index() as u32);
        steps.push((depth, Step { node: node.index() as u32, parent, local: layout.of_node[node.index()] }));
    }
    steps.sort_by_key(|(depth, _)| *depth);
    steps.into_iter().map(|(_, step)| step).collect()
}

/// Whether a channel can become a track.
fn fits(channel: &Channel) -> bool {
    let Some((_, property)) = channel.node_target() else { return false };
    let curve = &channel.curve;
    let holds = |mode: ExtrapolationMode| mode == ExtrapolationMode::Hold;
    let needed = curve.width.checked_mul(3).and_then(|_| curve.len().checked_mul(curve.stride()));
    property.width() == Some(curve.width)
        && curve.interpolation != Interpolation::PerKey
        && (curve.len() == 1 || holds(curve.before.mode) && holds(curve.after.mode))
        && !curve.is_empty()
        && needed.is_some_and(|needed| curve.values.len() >= needed)
        && curve.values.iter().all(|value| value.abs() <= LARGEST)
        && curve.times_secs.is_sorted()
        && u32::try_from(curve.len()).is_ok()
}
