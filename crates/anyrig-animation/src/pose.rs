//! Local transforms and morph weights of all nodes.

use crate::{ClipHints, Layer};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Clip, LocalTransform, MeshInstance, NodeId, Scene, Trs};

/// Where everything stands at one moment: for each node of a scene its local transform and its morph weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    locals: Vec<LocalTransform>,
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
        for node in scene.nodes.values() {
            pose.locals.push(node.local);
            if let Some(instance) = &node.mesh {
                pose.push_weights(scene, instance);
            }
            pose.weight_starts.push(pose.weights.len());
        }
        pose
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

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.locals.len()
    }

    /// `parent_from_node`; the identity for a node that the pose does not know.
    pub fn local(&self, node: NodeId) -> LocalTransform {
        self.locals.get(node.index()).copied().unwrap_or_default()
    }

    /// Sets `parent_from_node`. A node that the pose does not know is left out.
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
    /// Channels act in their order. A node whose local transform is a matrix is taken apart (the nearest translation,
    /// rotation and scale) when a channel moves one of them. Channels without keys, of the wrong width or on something
    /// other than a node change nothing.
    pub fn apply_clip(&mut self, clip: &Clip, time_secs: f64) {
        self.apply_clip_hinted(clip, time_secs, &mut ClipHints::default());
    }

    /// As [`Pose::apply_clip`], faster when times follow each other. The result is the same.
    pub fn apply_clip_hinted(&mut self, clip: &Clip, time_secs: f64, hints: &mut ClipHints) {
        crate::layers::override_with(self, clip, time_secs, hints);
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
