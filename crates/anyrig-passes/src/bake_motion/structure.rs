//! The nodes of the baked scene.

use super::plan::{Placed, Plan};
use anyrig_animation::Pose;
use anyrig_scene::{InheritMode, LocalTransform, MeshInstance, Node, NodeId, Scene, Trs};
use glam::DAffine3;
use std::collections::BTreeSet;

/// Where what was on a node goes; ids of helper nodes are those that they will get.
pub(super) struct Homes {
    /// The helper with the scale of each split node.
    pub scale: Vec<Option<NodeId>>,
    /// The helper with the geometric transform.
    pub geometry: Vec<Option<NodeId>>,
    /// Nodes into whose own transform the geometric one goes.
    pub merged: Vec<bool>,
}

impl Homes {
    /// The node that shows the mesh of a node.
    pub fn of_mesh(&self, id: NodeId) -> NodeId {
        self.geometry[id.index()].or(self.scale[id.index()]).unwrap_or(id)
    }

    /// The node that stands where a node stood, scale included: what joints, cameras, lights and children follow.
    pub fn of_joint(&self, id: NodeId) -> NodeId {
        self.scale[id.index()].unwrap_or(id)
    }
}

/// Number of helper nodes at most.
pub(super) fn count(scene: &Scene, plan: &Plan) -> usize {
    let geometric = scene.nodes.values().filter(|n| n.geometric.is_some()).count();
    plan.split.iter().filter(|split| **split).count() + geometric
}

pub(super) fn homes(scene: &Scene, plan: &Plan) -> Homes {
    let mut next = scene.nodes.len();
    let mut new = || {
        next += 1;
        NodeId::new(next - 1)
    };
    let busy = busy_nodes(scene);
    let count = scene.nodes.len();
    let mut homes = Homes { scale: vec![None; count], geometry: vec![None; count], merged: vec![false; count] };
    for id in scene.nodes.ids() {
        if plan.split[id.index()] {
            homes.scale[id.index()] = Some(new());
        }
        let Some(geometric) = moves_mesh(&scene.nodes[id]) else { continue };
        let merged = scene.nodes[id].local.to_affine() * geometric.to_affine();
        let free = !busy.contains(&id) && homes.scale[id.index()].is_none() && is_bare(&scene.nodes[id]);
        if free && Trs::from_affine(merged, 1e-9).is_some() {
            homes.merged[id.index()] = true;
        } else {
            homes.geometry[id.index()] = Some(new());
        }
    }
    homes
}

/// The geometric transform, where there is a mesh that it moves. Skinned ones ignore it.
fn moves_mesh(node: &Node) -> Option<Trs> {
    let geometric = node.geometric.as_deref()?;
    node.mesh.as_ref().filter(|mesh| mesh.skin.is_none()).map(|_| *geometric)
}

/// True when nothing but the mesh depends on the node's place.
fn is_bare(node: &Node) -> bool {
    node.children.is_empty() && node.camera.is_none() && node.light.is_none() && node.inherit == InheritMode::Full
}

/// Joints, and nodes that a clip moves.
fn busy_nodes(scene: &Scene) -> BTreeSet<NodeId> {
    let joints = scene.skins.values().flat_map(|s| s.joints.iter().copied().chain(s.skeleton));
    let moved = scene.clips.iter().flat_map(|c| &c.channels);
    let moved = moved.filter(|c| super::plan::moves_transform(&c.target)).filter_map(|c| c.target.node());
    joints.chain(moved).collect()
}

/// Gives every node its plain transform and makes the helpers.
pub(super) fn apply(scene: &mut Scene, plan: &Plan, homes: &Homes) {
    let rest = Pose::rest(scene);
    let placed: Vec<Placed> = scene.nodes.ids().map(|id| plan.place(scene, &rest, id)).collect();
    let ids: Vec<NodeId> = scene.nodes.ids().collect();
    let changes = |id: &NodeId| {
        let node = &scene.nodes[*id];
        plan.split[id.index()] || node.pivots.is_some() || node.inherit != InheritMode::Full
    };
    // Others keep theirs, matrices too.
    let changed: Vec<bool> = ids.iter().map(changes).collect();
    for id in &ids {
        let index = id.index();
        if let Some(helper) = homes.scale[index] {
            let trs = Trs { scale: placed[index].helper_scale, ..Trs::IDENTITY };
            add(scene, *id, (helper, "scale"), trs);
        }
        if let Some(helper) = homes.geometry[index] {
            let geometric = scene.nodes[*id].geometric.as_deref().copied().unwrap_or_default();
            add(scene, homes.of_joint(*id), (helper, "geometry"), geometric);
        }
    }
    for id in &ids {
        let index = id.index();
        if changed[index] {
            scene.nodes[*id].local = LocalTransform::Trs(placed[index].trs);
        }
        if homes.merged[index] {
            let merged: DAffine3 = scene.nodes[*id].local.to_affine()
                * scene.nodes[*id].geometric.as_deref().copied().unwrap_or_default().to_affine();
            scene.nodes[*id].local = LocalTransform::Trs(Trs::nearest_to_affine(merged));
        }
        hand_over(scene, homes, *id);
        let node = &mut scene.nodes[*id];
        (node.pivots, node.geometric) = (None, None);
    }
    for id in &ids {
        scene.nodes[*id].inherit = InheritMode::Full;
    }
    for joint in scene.skins.values_mut().flat_map(|s| &mut s.joints) {
        *joint = homes.of_joint(*joint);
    }
}

fn add(scene: &mut Scene, parent: NodeId, (expected, suffix): (NodeId, &str), local: Trs) {
    let owner = scene.nodes[parent].name.clone();
    let name = owner.strip_suffix(".scale").unwrap_or(&owner);
    let mut node = Node::new(format!("{name}.{suffix}"));
    node.local = LocalTransform::Trs(local);
    let id = scene.add_node(node, Some(parent));
    debug_assert_eq!(id, expected, "helpers come in the order in which they were counted");
}

/// Moves what follows a node's scale to its helper, and the mesh to the one that shows it.
fn hand_over(scene: &mut Scene, homes: &Homes, id: NodeId) {
    let mesh_home = homes.of_mesh(id);
    if mesh_home != id {
        let mesh: Option<MeshInstance> = scene.nodes[id].mesh.take();
        let instances = scene.nodes[id].instances.take();
        (scene.nodes[mesh_home].mesh, scene.nodes[mesh_home].instances) = (mesh, instances);
    }
    let Some(helper) = homes.scale[id.index()] else { return };
    let (camera, light) = (scene.nodes[id].camera.take(), scene.nodes[id].light.take());
    (scene.nodes[helper].camera, scene.nodes[helper].light) = (camera, light);
    let children = std::mem::take(&mut scene.nodes[id].children);
    let geometry = homes.geometry[id.index()];
    for child in children {
        let follows = scene.nodes[child].inherit == InheritMode::Full && child != helper && Some(child) != geometry;
        let parent = if follows { helper } else { id };
        scene.nodes[child].parent = Some(parent);
        scene.nodes[parent].children.push(child);
    }
}
