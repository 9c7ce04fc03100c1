//! What has to change: which nodes are split, where their meshes go, and what a node's plain transform is in a pose.

use anyrig_animation::Pose;
use anyrig_scene::{Channel, Clip, InheritMode, NodeId, Scene, Target, TransformPart, Trs, walk};
use glam::DVec3;

/// The plan for a scene.
pub(super) struct Plan {
    /// Whether the node's scale moves to a helper below it, because children do not inherit it fully.
    pub split: Vec<bool>,
    /// Nodes in the order parents first.
    pub order: Vec<NodeId>,
}

/// A node's transform as it comes out: its own, and the scale that a split one hands to its helper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub trs: Trs,
    pub helper_scale: DVec3,
}

impl Plan {
    pub fn new(scene: &Scene) -> Self {
        let order = walk::parents_first(scene);
        let mut split = vec![false; scene.nodes.len()];
        let compensating = order.iter().filter(|id| scene.nodes[**id].inherit != InheritMode::Full);
        for parent in compensating.filter_map(|id| scene.nodes[*id].parent) {
            split[parent.index()] = true;
        }
        if split.contains(&true) {
            let mut scales = Scales::new(scene);
            for id in &order {
                split[id.index()] = split[id.index()] && !scales.are_always_uniform(*id);
            }
        }
        Self { split, order }
    }

    /// The plain transform of a node in a pose.
    pub fn place(&self, scene: &Scene, pose: &Pose, id: NodeId) -> Placed {
        let node = &scene.nodes[id];
        let mut trs = pose.local(id).to_trs();
        let (total, _) = taken_scales(scene, pose, id);
        if node.inherit != InheritMode::Full {
            trs.scale = total;
            if let Some(parent) = node.parent {
                let parent_scale = taken_scales(scene, pose, parent).0;
                if self.split[parent.index()] {
                    trs.translation *= parent_scale;
                } else {
                    trs.scale = total / parent_scale;
                }
            }
        }
        if self.split[id.index()] {
            return Placed { trs: Trs { scale: DVec3::ONE, ..trs }, helper_scale: total };
        }
        Placed { trs, helper_scale: DVec3::ONE }
    }
}

/// The scales of a scene in motion.
struct Scales<'a> {
    scene: &'a Scene,
    /// The channels of each clip.
    channels: Vec<ByNode<'a>>,
    rest: Pose,
    /// At rest, but while a node is looked at.
    pose: Pose,
}

impl<'a> Scales<'a> {
    fn new(scene: &'a Scene) -> Self {
        let rest = Pose::rest(scene);
        Self { scene, channels: scene.clips.iter().map(ByNode::new).collect(), pose: rest.clone(), rest }
    }

    /// True when the scale that children of a node take is the same along all axes, and not 0, at rest and in every clip.
    fn are_always_uniform(&mut self, id: NodeId) -> bool {
        let Self { scene, channels, rest, pose } = self;
        if !is_uniform(taken_scales(scene, rest, id).0) {
            return false;
        }
        let chain = chain(scene, id);
        channels.iter().all(|channels| {
            let mut part = channels.sub_clip(id, &chain);
            part.channels.retain(|c| moves_scale(&c.target));
            if part.channels.is_empty() {
                return true;
            }
            let moved = moved_nodes(&part);
            let uniform = times(&part, channels.span_secs).windows(2).all(|span| {
                (0..=4).all(|quarter| {
                    let time = span[0] + (span[1] - span[0]) * f64::from(quarter) / 4.0;
                    moved.iter().for_each(|node| pose.copy_node_from(rest, *node));
                    pose.apply_clip(&part, time);
                    is_uniform(taken_scales(scene, pose, id).0)
                })
            });
            moved.iter().for_each(|node| pose.copy_node_from(rest, *node));
            uniform
        })
    }
}

fn is_uniform(scale: DVec3) -> bool {
    let most = scale.abs().max_element();
    (scale - DVec3::splat(scale.x)).abs().max_element() <= most * 1e-6 && scale.x.abs() > 1e-9
}

fn moves_scale(target: &Target) -> bool {
    match target {
        Target::Component { part, .. } => *part == TransformPart::Scale,
        Target::Node { property, .. } => *property == anyrig_scene::Property::Scale,
        _ => false,
    }
}

/// The scale that children of a node take per axis, and the one that it took itself.
fn taken_scales(scene: &Scene, pose: &Pose, id: NodeId) -> (DVec3, DVec3) {
    let (mut total, mut taken) = (DVec3::ONE, DVec3::ONE);
    for id in chain(scene, id).into_iter().rev() {
        let own = pose.local(id).to_trs().scale;
        taken = match scene.nodes[id].inherit {
            InheritMode::Full => DVec3::ONE,
            InheritMode::ComponentWise => total,
            InheritMode::IgnoreParentScale => taken,
        };
        total = own * taken;
    }
    (total, taken)
}

/// A node and those above it whose scale acts on it per axis: up to the first that inherits fully.
pub(super) fn chain(scene: &Scene, id: NodeId) -> Vec<NodeId> {
    let mut chain = vec![id];
    let mut at = id;
    // Bounded, so that a deep hierarchy made to be slow is not.
    while scene.nodes[at].inherit != InheritMode::Full && chain.len() < MAX_CHAIN {
        let Some(parent) = scene.nodes[at].parent else { break };
        chain.push(parent);
        at = parent;
    }
    chain
}

/// Longer than any skeleton.
const MAX_CHAIN: usize = 1024;

/// The channels of a clip by the node that each is on, so that a clip of many nodes is not searched for each of them.
pub(super) struct ByNode<'a> {
    clip: &'a Clip,
    /// Start and end of the clip, in seconds: its end is that of its last key.
    pub(super) span_secs: (f64, f64),
    /// Places of channels, in the order of nodes, those of one node in the clip's order.
    places: Vec<(NodeId, usize)>,
}

impl<'a> ByNode<'a> {
    pub(super) fn new(clip: &'a Clip) -> Self {
        let place = |(place, channel): (usize, &Channel)| channel.target.node().map(|node| (node, place));
        let mut places: Vec<_> = clip.channels.iter().enumerate().filter_map(place).collect();
        places.sort_unstable();
        Self { clip, span_secs: (clip.start_secs, clip.end_secs()), places }
    }

    fn places(&self, node: NodeId) -> impl Iterator<Item = usize> {
        let start = self.places.partition_point(|(n, _)| *n < node);
        self.places[start..].iter().take_while(move |(n, _)| *n == node).map(|(_, place)| *place)
    }

    /// The channels on a node, in the clip's order.
    pub(super) fn of(&self, node: NodeId) -> impl Iterator<Item = &'a Channel> {
        let clip = self.clip;
        self.places(node).filter_map(move |place| clip.channels.get(place))
    }

    /// The channels that the plain transform of a node depends on, with all layers of the clip: its own, and those on the
    /// scale of the nodes in its [`chain`].
    pub(super) fn sub_clip(&self, id: NodeId, chain: &[NodeId]) -> Clip {
        let is_wanted = |place: &usize| {
            let target = &self.clip.channels[*place].target;
            if target.node() == Some(id) { moves_transform(target) } else { moves_scale(target) }
        };
        let mut places: Vec<usize> = chain.iter().flat_map(|node| self.places(*node)).filter(is_wanted).collect();
        // Layers and the numbers of one vector go by the order of channels.
        places.sort_unstable();
        self.part(places.into_iter().map(|place| &self.clip.channels[place]))
    }

    /// A clip of the same layers with some of the channels.
    pub(super) fn part<'c>(&self, channels: impl Iterator<Item = &'c Channel>) -> Clip {
        let mut part = Clip::new("");
        part.layers.clone_from(&self.clip.layers);
        part.channels = channels.cloned().collect();
        part
    }
}

/// The nodes that a clip moves, each once.
pub(super) fn moved_nodes(clip: &Clip) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = clip.channels.iter().filter_map(|c| c.target.node()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// True for targets on a node's translation, rotation, scale or pivots.
pub(super) fn moves_transform(target: &Target) -> bool {
    target.moved_node().is_some()
}

/// Start and end of a clip and all times between at which one of a part's curves may bend or jump, ascending.
pub(super) fn times(part: &Clip, (start, end): (f64, f64)) -> Vec<f64> {
    let weights = part.layers.iter().filter_map(|l| l.weight_curve.as_ref());
    let mut times = vec![start, end];
    for curve in part.channels.iter().map(|c| &c.curve).chain(weights) {
        let keys = curve.times_secs.as_slice();
        times.extend(keys.iter().copied().filter(|t| *t > start && *t < end));
        if !curve.holds_outside() {
            repeated(curve, (start, end), &mut times);
        }
    }
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| *a - *b <= NEAR);
    times
}

/// Times nearer than this are one; a millionth of a frame.
const NEAR: f64 = 1e-8;
/// Repeated keys of one curve.
const MAX_REPEATED: usize = 65_536;

/// The keys as a repeating curve has them again and again; mirrored ones too, since both ends are among them.
fn repeated(curve: &anyrig_scene::Curve, (start, end): (f64, f64), times: &mut Vec<f64>) {
    let keys = curve.times_secs.as_slice();
    let (Some(first), Some(last)) = (keys.first().copied(), keys.last().copied()) else { return };
    let duration = last - first;
    if duration.is_nan() || duration <= NEAR {
        return;
    }
    let from = ((start - last) / duration).floor().max(-1e9);
    let rounds = ((end - start) / duration).ceil() + 3.0;
    let most = (MAX_REPEATED / (2 * keys.len()).max(1)) as f64;
    for round in 0..rounds.min(most) as usize {
        let base = first + (from + round as f64) * duration;
        for key in keys {
            for time in [base + (key - first), base + (last - key)] {
                if time > start && time < end {
                    times.push(time);
                }
            }
        }
    }
}
