//! Which nodes become bones, what they are bound to, and what is drawn.
//!
//! A bone of the engine has one offset matrix (inverse bind). Joints of all skins, nodes that a clip moves and nodes of
//! rigid meshes become bones; other nodes are folded into the bones below them. A scene without skins and motion has no
//! bones: its meshes are written where they stand.

mod affine;
mod builder;
mod file;
mod fold;

pub(super) use fold::Fold;

use crate::document::Collision;
use crate::lods;
use anyrig_animation::Evaluator;
use anyrig_bytes::Context;
use anyrig_scene::glam::DAffine3;
use anyrig_scene::walk::{depth_first, rest_world_transforms};
use anyrig_scene::{Influences, NodeId, Scene, SkinId, Trs};
use builder::Builder;
use std::collections::{BTreeMap, BTreeSet};

/// Name of a root that the source does not have.
const COMMON_ROOT: &str = "Root";

/// What will be written.
pub(super) struct Plan {
    /// The bones; `None` for a scene without skins and motion.
    pub(super) skeleton: Option<Skeleton>,
    /// Meshes as nodes show them, in the order of the hierarchy.
    pub(super) instances: Vec<Instance>,
}

/// A mesh as a node shows it.
pub(super) struct Instance {
    pub(super) node: NodeId,
    /// `model_from_mesh` that goes into the vertices.
    pub(super) model_from_mesh: DAffine3,
    pub(super) binding: Binding,
}

/// How the points of an instance hang on bones.
pub(super) enum Binding {
    /// Not at all.
    Static,
    /// All on one bone.
    Rigid(u32),
    /// By influences.
    Skinned(Joints),
}

/// The joints of a skinned instance.
pub(super) struct Joints {
    /// The bone of each joint of the skin; there may be one more for points without weights.
    pub(super) bones: Vec<u32>,
    /// The joint of points without weights; there when an instance has such.
    pub(super) of_unbound: Option<u32>,
}

/// All bones: the common root where one was added, joints, others.
pub(super) struct Skeleton {
    pub(super) bones: Vec<Bone>,
    /// The bone of each node that is one.
    pub(super) by_node: BTreeMap<NodeId, usize>,
}

pub(super) struct Bone {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// What lies between the parent bone and the node's own parent.
    pub(super) fold: Fold,
    rest: Trs,
    offset: Option<DAffine3>,
    rest_world: DAffine3,
    collision: Option<(u8, Collision)>,
}

/// Decides on bones, bindings and instances.
pub(super) fn plan(scene: &Scene, context: &Context) -> Plan {
    let reached = depth_first(scene, scene.shown_roots());
    let drawn = drawn_nodes(scene);
    let moved = scene.moved_nodes();
    let moved: Vec<NodeId> = reached.iter().copied().filter(|node| moved.contains(node)).collect();
    let worlds = rest_world_transforms(scene);
    let skinned = drawn.iter().any(|n| skin_of(scene, *n).is_some());
    if !skinned && moved.is_empty() {
        let instance =
            |node: &NodeId| Instance { node: *node, model_from_mesh: worlds[node.index()], binding: Binding::Static };
        return Plan { skeleton: None, instances: drawn.iter().map(instance).collect() };
    }
    let nodes = bone_nodes(scene, &reached, &drawn, &moved);
    let mut builder = Builder::new(scene, nodes, &worlds, context);
    if !drawn.is_empty() {
        builder.join_roots(context);
    }
    // Skins first: they say what a joint's offset is, rigid meshes can follow any.
    for skin in drawn.iter().filter_map(|n| skin_of(scene, *n)) {
        builder.bind_skin(skin);
    }
    let instances = drawn.iter().map(|node| builder.bind(*node, &worlds, context)).collect();
    Plan { skeleton: Some(builder.finish(context)), instances }
}

/// Shown nodes with a mesh that are not below a hidden one, each once however many instances it has.
fn drawn_nodes(scene: &Scene) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = Evaluator::new(scene).shown().iter().map(|shown| shown.node).collect();
    nodes.dedup();
    nodes
}

/// The nodes whose meshes will not be written because nothing shows them.
pub(super) fn not_shown(scene: &Scene) -> Vec<NodeId> {
    let drawn = drawn_nodes(scene);
    let levels = drawn.iter().flat_map(|node| lods::coarser(scene, *node));
    let written: BTreeSet<NodeId> = drawn.iter().copied().chain(levels).collect();
    let all = scene.nodes.iter().filter(|(_, node)| node.mesh.is_some()).map(|(id, _)| id);
    all.filter(|id| !written.contains(id)).collect()
}

fn skin_of(scene: &Scene, node: NodeId) -> Option<SkinId> {
    let instance = scene.nodes[node].mesh.as_ref()?;
    let mesh = scene.meshes.get(instance.mesh)?;
    // Without influences the skin moves nothing, and the mesh stands where its node is.
    let influenced = mesh.parts.iter().any(|p| p.influences.is_some());
    instance.skin.filter(|s| influenced && scene.skins.get(*s).is_some_and(|s| !s.joints.is_empty()))
}

/// Number of points of a skinned mesh that have influences without any weight. The engine would put them at the origin.
fn unbound_points(scene: &Scene, node: NodeId) -> u64 {
    let mesh = scene.nodes[node].mesh.as_ref().and_then(|m| scene.meshes.get(m.mesh));
    let parts = mesh.into_iter().flat_map(|m| &m.parts);
    let influenced = parts.filter_map(|part| part.influences.as_ref().map(|i| (part, i)));
    influenced.map(|(part, i)| (0..part.point_count as usize).filter(|p| is_unbound(i, *p)).count() as u64).sum()
}

/// Whether a point has no weight.
pub(super) fn is_unbound(influences: &Influences, point: usize) -> bool {
    point >= influences.point_count() || influences.of(point).1.iter().all(|w| *w == 0.0)
}

/// The nodes that become bones: joints in their order, then the others in the order of the hierarchy.
fn bone_nodes(scene: &Scene, reached: &[NodeId], drawn: &[NodeId], moved: &[NodeId]) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut taken = BTreeSet::new();
    for skin in drawn.iter().filter_map(|n| skin_of(scene, *n)) {
        order.extend(scene.skins[skin].joints.iter().copied().filter(|j| taken.insert(*j)));
    }
    let rigid = drawn.iter().copied().filter(|n| skin_of(scene, *n).is_none());
    let mut wanted: BTreeSet<NodeId> = rigid.chain(moved.iter().copied()).collect();
    // A node that cannot be folded into the bones below it becomes one too.
    let mut looked_at = BTreeSet::new();
    for start in order.iter().copied().chain(wanted.iter().copied()).collect::<Vec<_>>() {
        let mut above = scene.nodes[start].parent;
        while let Some(node) = above.filter(|n| looked_at.insert(*n)) {
            if Fold::of(scene.nodes[node].local.to_affine()).is_none() {
                wanted.insert(node);
            }
            above = scene.nodes[node].parent;
        }
    }
    order.extend(reached.iter().copied().filter(|n| wanted.remove(n) && taken.insert(*n)));
    // Joints outside of the shown scene may have unfoldable nodes above them.
    order.extend(wanted.into_iter().filter(|n| taken.insert(*n)));
    order
}
