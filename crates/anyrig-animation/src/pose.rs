//! Local transforms and morph weights of all nodes.

use crate::{ClipHints, Layer};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Clip, LocalTransform, MeshInstance, NodeId, Pivots, Scene, Trs};

/// Where everything stands at one moment: for each node of a scene its local transform, its morph weights, and whether
/// it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    locals: Vec<LocalTransform>,
    /// The pivots of all nodes that have them, and where each node's lie; empty when no node has any.
    pivots: Vec<Pivots>,
    pivot_slots: Vec<Option<u32>>,
    hidden: Vec<bool>,
    /// The weights of all nodes in node order; node `i` has `weight_starts[i]..weight_starts[i + 1]`.
    weights: Vec<f32>,
    weight_starts: Vec<usize>,
}

impl Pose {
    /// The pose that the scene's nodes hold by themselves. Morph weights are those of the mesh instance, or, where it
    /// has none, [`anyrig_scene::MorphTarget::default_weight`].
    ///
    /// Every node that shows a mesh gets one weight per morph target, so a scene of many nodes that share a mesh of
    /// many targets needs their product in memory; for scenes from strangers see [`Pose::rest_within`].
    pub fn rest(scene: &Scene) -> Self {
        let mut pose = Self { weight_starts: vec![0], ..Self::default() };
        if scene.nodes.values().any(|n| n.pivots.is_some()) {
            pose.push_pivots(scene);
        }
        for node in scene.nodes.values() {
            pose.locals.push(node.local);
            pose.hidden.push(!node.visible);
            if let Some(instance) = &node.mesh {
                pose.push_weights(scene, instance);
            }
            pose.weight_starts.push(pose.weights.len());
        }
        pose
    }

    /// The rest pose without morph weights, for those who look at transforms only.
    pub(crate) fn rest_transforms(scene: &Scene) -> Self {
        let locals = scene.nodes.values().map(|node| node.local).collect();
        Self {
            locals,
            hidden: vec![false; scene.nodes.len()],
            weight_starts: vec![0; scene.nodes.len() + 1],
            ..Self::default()
        }
    }

    /// As [`Pose::rest`], within the context's budgets.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] when nodes times morph targets pass the limit.
    pub fn rest_within(scene: &Scene, context: &Context) -> Result<Self> {
        let instances = scene.nodes.values().filter_map(|n| n.mesh.as_ref());
        let weights: u64 = instances.filter_map(|i| scene.meshes.get(i.mesh)).map(|m| m.morphs.len() as u64).sum();
        context.take_memory(weights.saturating_mul(4), Place::whole)?;
        Ok(Self::rest(scene))
    }

    /// The rest pose with a clip laid over it.
    pub fn of_clip(scene: &Scene, clip: &Clip, time_secs: f64) -> Self {
        let mut pose = Self::rest(scene);
        pose.apply_clip(clip, time_secs);
        pose
    }

    /// Becomes equal to another pose. Reuses this pose's memory, as the derived `clone_from` would not.
    pub fn copy_from(&mut self, other: &Self) {
        self.locals.clone_from(&other.locals);
        self.pivots.clone_from(&other.pivots);
        self.pivot_slots.clone_from(&other.pivot_slots);
        self.hidden.clone_from(&other.hidden);
        self.weights.clone_from(&other.weights);
        self.weight_starts.clone_from(&other.weight_starts);
    }

    /// Takes over all of one node from another pose of the same scene.
    pub fn copy_node_from(&mut self, other: &Self, node: NodeId) {
        self.set_local(node, other.local(node));
        self.set_visible(node, other.is_visible(node));
        if let (Some(own), Some(pivots)) = (self.pivots_mut(node), other.pivots(node)) {
            *own = *pivots;
        }
        let own = self.weights_mut(node);
        own.iter_mut().zip(other.weights(node)).for_each(|(own, weight)| *own = *weight);
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.locals.len()
    }

    /// `parent_from_node`; the identity for a node that the pose does not know.
    pub fn local(&self, node: NodeId) -> LocalTransform {
        self.locals.get(node.index()).copied().unwrap_or_default()
    }

    /// The transform chain of a node that has pivots.
    pub fn pivots(&self, node: NodeId) -> Option<&Pivots> {
        self.pivots.get(self.pivot_slot(node)?)
    }

    /// Whether a node is shown, if all above it are; false for a node that the pose does not know.
    pub fn is_visible(&self, node: NodeId) -> bool {
        self.hidden.get(node.index()) == Some(&false)
    }

    /// Shows or hides a node. A node that the pose does not know is left out.
    pub fn set_visible(&mut self, node: NodeId, visible: bool) {
        if let Some(hidden) = self.hidden.get_mut(node.index()) {
            *hidden = !visible;
        }
    }

    /// Sets `parent_from_node`. A node that the pose does not know is left out. Pivots stay as they are, so that the
    /// next curve on one of their numbers brings their transform back.
    pub fn set_local(&mut self, node: NodeId, local: impl Into<LocalTransform>) {
        if let Some(slot) = self.locals.get_mut(node.index()) {
            *slot = local.into();
        }
    }

    /// The weight of each morph target of the node's mesh; empty when it shows none.
    pub fn weights(&self, node: NodeId) -> &[f32] {
        &self.weights[self.weight_range(node)]
    }

    /// The weights for writing.
    pub fn weights_mut(&mut self, node: NodeId) -> &mut [f32] {
        let range = self.weight_range(node);
        &mut self.weights[range]
    }

    /// Lays a clip over this pose: every property that it moves takes the clip's value at the time.
    ///
    /// Channels act in their order, each by the rules of its layer ([`anyrig_scene::ClipLayer`]). A node whose local
    /// transform is a matrix is taken apart (the nearest translation, rotation and scale) when a channel moves one of
    /// them. Channels without keys, of the wrong width or on something other than a node change nothing.
    pub fn apply_clip(&mut self, clip: &Clip, time_secs: f64) {
        self.apply_clip_hinted(clip, time_secs, &mut ClipHints::default());
    }

    /// As [`Pose::apply_clip`], faster when times follow each other. The result is the same.
    pub fn apply_clip_hinted(&mut self, clip: &Clip, time_secs: f64, hints: &mut ClipHints) {
        crate::channels::play(self, clip, time_secs, hints);
    }

    /// Lays layers over this pose, the first one lowest.
    ///
    /// `rest` is the pose that additive layers take their differences from, most often [`Pose::rest`].
    pub fn apply_layers(&mut self, rest: &Self, layers: &[Layer<'_>]) {
        for layer in layers {
            self.apply_layer(rest, layer, &mut ClipHints::default());
        }
    }

    /// Lays one layer over this pose; see [`Pose::apply_layers`].
    pub fn apply_layer(&mut self, rest: &Self, layer: &Layer<'_>, hints: &mut ClipHints) {
        crate::layers::apply(self, rest, layer, hints);
    }

    /// The local transform taken apart, for writing; `None` for a node that the pose does not know.
    pub(crate) fn trs_mut(&mut self, node: NodeId) -> Option<&mut Trs> {
        let local = self.locals.get_mut(node.index())?;
        if let LocalTransform::Matrix(_) = local {
            *local = LocalTransform::Trs(local.to_trs());
        }
        match local {
            LocalTransform::Trs(trs) => Some(trs),
            LocalTransform::Matrix(_) => None,
        }
    }

    /// The chain of a node that has pivots, for writing; [`Pose::refresh`] brings it into the local transform.
    pub(crate) fn pivots_mut(&mut self, node: NodeId) -> Option<&mut Pivots> {
        let slot = self.pivot_slot(node)?;
        self.pivots.get_mut(slot)
    }

    /// Makes the local transform what the node's pivots give, if they give a finite one.
    pub(crate) fn refresh(&mut self, node: NodeId) {
        let Some(trs) = self.pivots(node).map(Pivots::to_trs) else { return };
        if trs.translation.is_finite() && trs.scale.is_finite() {
            self.set_local(node, trs);
        }
    }

    fn pivot_slot(&self, node: NodeId) -> Option<usize> {
        self.pivot_slots.get(node.index()).copied().flatten().map(|slot| slot as usize)
    }

    fn push_pivots(&mut self, scene: &Scene) {
        for node in scene.nodes.values() {
            let slot = node.pivots.as_ref().map(|_| self.pivots.len() as u32);
            self.pivots.extend(node.pivots.as_deref().copied());
            self.pivot_slots.push(slot);
        }
    }

    fn push_weights(&mut self, scene: &Scene, instance: &MeshInstance) {
        let Some(mesh) = scene.meshes.get(instance.mesh) else { return };
        let own = instance.morph_weights.as_slice();
        for (i, morph) in mesh.morphs.iter().enumerate() {
            let weight = if own.is_empty() { morph.default_weight } else { own.get(i).copied().unwrap_or(0.0) };
            self.weights.push(weight);
        }
    }

    fn weight_range(&self, node: NodeId) -> std::ops::Range<usize> {
        match self.weight_starts.get(node.index()..) {
            Some([start, end, ..]) => *start..*end,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blend;
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{Channel, Curve, Interpolation, Mesh, MorphTarget, Node, Property};

    fn scene_with_morphs() -> (Scene, [NodeId; 3]) {
        let mut scene = Scene::default();
        let mut mesh = Mesh::default();
        mesh.morphs = ["smile", "blink"].map(MorphTarget::new).to_vec();
        mesh.morphs[1].default_weight = 0.25;
        let mesh = scene.meshes.push(mesh);
        let mut shows = |weights: Vec<f32>| {
            let mut node = Node::new("face");
            let mut instance = MeshInstance::new(mesh);
            instance.morph_weights = weights;
            node.mesh = Some(instance);
            scene.add_node(node, None)
        };
        let nodes = [shows(vec![]), shows(vec![0.5, 0.75]), shows(vec![1.0])];
        (scene, nodes)
    }

    #[test]
    fn rest_weights_are_the_instances_or_else_the_meshs() {
        let (scene, [a, b, c]) = scene_with_morphs();
        let pose = Pose::rest(&scene);
        assert_eq!(
            (pose.weights(a), pose.weights(b), pose.weights(c)),
            (&[0.0, 0.25][..], &[0.5, 0.75][..], &[1.0, 0.0][..])
        );
        assert_eq!(pose.node_count(), 3);
    }

    #[test]
    fn clips_and_layers_move_weights() {
        let (scene, [_, b, c]) = scene_with_morphs();
        let mut clip = Clip::new("talk");
        let curve = Curve::new(Interpolation::Linear, 2, vec![0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0]);
        clip.channels.push(Channel::new(b, Property::MorphWeights, curve));
        let rest = Pose::rest(&scene);
        assert_eq!(Pose::of_clip(&scene, &clip, 0.25).weights(b), [0.25, 0.75]);
        assert_eq!(Pose::of_clip(&scene, &clip, 0.25).weights(c), rest.weights(c));
        let layered = |weight, blend| {
            let mut pose = rest.clone();
            pose.apply_layers(&rest, &[Layer { weight, blend, ..Layer::new(&clip, 1.0) }]);
            pose.weights(b).to_vec()
        };
        assert_eq!(layered(0.5, Blend::Override), [0.75, 0.375]);
        assert_eq!(layered(2.0, Blend::Additive), [1.5, -0.75]);
    }

    #[test]
    fn weights_of_strangers_are_booked_first() {
        let (scene, _) = scene_with_morphs();
        let mut limits = Limits::default();
        limits.memory_bytes = 24;
        assert!(Pose::rest_within(&scene, &Context::new().with_limits(limits.clone())).is_ok());
        limits.memory_bytes = 23;
        let error = Pose::rest_within(&scene, &Context::new().with_limits(limits)).expect_err("one byte too many");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn hinted_playing_gives_the_same_poses() {
        let (scene, [a, ..]) = scene_with_morphs();
        let mut clip = Clip::new("move");
        let times: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.1).collect();
        let values: Vec<f32> = (0..150u8).map(|i| f32::from(i % 7)).collect();
        clip.channels.push(Channel::new(a, Property::Translation, Curve::new(Interpolation::Linear, 3, times, values)));
        let (mut hints, mut reused) = (ClipHints::new(&clip), Pose::default());
        for frame in 0..400 {
            let time_secs = f64::from(frame * 37 % 400) / 70.0;
            let mut hinted = Pose::rest(&scene);
            hinted.apply_clip_hinted(&clip, time_secs, &mut hints);
            assert_eq!(hinted, Pose::of_clip(&scene, &clip, time_secs));
            reused.copy_from(&hinted);
            assert_eq!(reused, hinted);
            reused.copy_node_from(&Pose::rest(&scene), a);
            assert_eq!(reused, Pose::rest(&scene));
        }
    }
}
