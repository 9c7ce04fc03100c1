//! World transforms and joint palettes.

use crate::Pose;
use crate::skinning::{JointDualQuat, JointMatrix, JointSdef};
use anyrig_scene::{InheritMode, MeshId, Node, NodeId, Scene, Skin, SkinId, World, walk};
use glam::DAffine3;
use std::collections::BTreeMap;

/// The order in which a scene's nodes are evaluated, made once per scene. Evaluating needs no allocation and no
/// recursion, whatever the depth.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// Parents before children, each with its parent.
    order: Vec<(NodeId, Option<NodeId>)>,
    /// How each node of the order inherits scale; empty when all do so fully.
    inherit: Vec<InheritMode>,
    /// Every node below the shown roots with its parent, depth first, and what it shows.
    below: Vec<(NodeId, Option<NodeId>, Option<Shown>)>,
    /// How often nodes with instances show their mesh.
    instances: BTreeMap<NodeId, u32>,
    shown: Vec<Shown>,
    node_count: usize,
}

/// A mesh as it is shown once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// The node.
    pub node: NodeId,
    /// Its mesh.
    pub mesh: MeshId,
    /// The skin that moves the mesh.
    pub skin: Option<SkinId>,
    /// Which of the node's instances it is, on a node that has them; one of a rigid mesh.
    pub instance: Option<u32>,
}

impl Evaluator {
    /// Orders the nodes of a scene.
    pub fn new(scene: &Scene) -> Self {
        let parent = |id: NodeId| scene.nodes[id].parent;
        let order: Vec<_> = walk::parents_first(scene).into_iter().map(|id| (id, parent(id))).collect();
        let modes = order.iter().map(|(id, _)| scene.nodes[*id].inherit);
        let inherit = if modes.clone().all(|mode| mode == InheritMode::Full) { Vec::new() } else { modes.collect() };
        let mut evaluator = Self {
            order,
            inherit,
            below: below(scene),
            instances: instances(scene),
            shown: Vec::new(),
            node_count: scene.nodes.len(),
        };
        evaluator.shown = evaluator.visible(|id| scene.nodes[id].visible);
        evaluator
    }

    /// Number of nodes: the length of what [`Evaluator::worlds_into`] fills.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// Every node below [`Scene::shown_roots`] that is visible at rest and shows a mesh, depth first, once for each of
    /// its instances; its mesh and skin exist.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }

    /// As [`Evaluator::shown`], with what is visible in a pose.
    pub fn shown_in(&self, pose: &Pose) -> Vec<Shown> {
        self.visible(|id| pose.is_visible(id))
    }

    fn worlds_by_mode(&self, pose: &Pose, worlds: &mut [DAffine3]) {
        let mut places = vec![World::ROOT; self.node_count];
        for ((node, parent), mode) in self.order.iter().zip(&self.inherit) {
            let parent = parent.and_then(|p| places.get(p.index()).copied()).unwrap_or(World::ROOT);
            let place = parent.child(pose.local(*node), *mode);
            let place = if place.scene_from_node.is_finite() { place } else { parent };
            if let (Some(slot), Some(world)) = (places.get_mut(node.index()), worlds.get_mut(node.index())) {
                (*slot, *world) = (place, place.scene_from_node);
            }
        }
    }

    fn visible(&self, is_visible: impl Fn(NodeId) -> bool) -> Vec<Shown> {
        let mut hidden = vec![false; self.node_count];
        let mut shown = Vec::new();
        for (node, parent, shows) in &self.below {
            let below_hidden = parent.is_some_and(|p| hidden.get(p.index()) == Some(&true));
            hidden[node.index()] = below_hidden || !is_visible(*node);
            let Some(shows) = shows.filter(|_| !hidden[node.index()]) else { continue };
            match self.instances.get(node) {
                Some(count) => shown.extend((0..*count).map(|i| Shown { instance: Some(i), ..shows })),
                None => shown.push(shows),
            }
        }
        shown
    }

    /// `scene_from_node` of every node, indexed by node.
    pub fn worlds(&self, pose: &Pose) -> Vec<DAffine3> {
        let mut worlds = vec![DAffine3::IDENTITY; self.node_count];
        self.worlds_into(pose, &mut worlds);
        worlds
    }

    /// As [`Evaluator::worlds`], into a slice of [`Evaluator::node_count`] transforms; nodes beyond a shorter slice are
    /// left out.
    ///
    /// A node that hangs below itself (before validation) stands at the identity, and one whose transform overflows,
    /// or is not a number, stands where its parent does. Scenes with nodes that do not inherit scale fully need one
    /// allocation.
    pub fn worlds_into(&self, pose: &Pose, worlds: &mut [DAffine3]) {
        worlds.fill(DAffine3::IDENTITY);
        if !self.inherit.is_empty() {
            return self.worlds_by_mode(pose, worlds);
        }
        for (node, parent) in &self.order {
            let parent = parent.and_then(|p| worlds.get(p.index()).copied()).unwrap_or_default();
            let world = parent * pose.local(*node).to_affine();
            if let Some(slot) = worlds.get_mut(node.index()) {
                *slot = if world.is_finite() { world } else { parent };
            }
        }
    }
}

/// Every node below the shown roots, depth first, with what it shows if its mesh exists.
fn below(scene: &Scene) -> Vec<(NodeId, Option<NodeId>, Option<Shown>)> {
    let shows = |node: NodeId| {
        let instance = scene.nodes[node].mesh.as_ref().filter(|i| scene.meshes.contains(i.mesh))?;
        let skin = instance.skin.filter(|s| scene.skins.contains(*s));
        Some(Shown { node, mesh: instance.mesh, skin, instance: None })
    };
    let nodes = walk::depth_first(scene, scene.shown_roots());
    nodes.into_iter().map(|id| (id, scene.nodes[id].parent, shows(id))).collect()
}

/// The number of instances of nodes that have them. A skinned mesh stands where its joints are, so that it is shown once.
fn instances(scene: &Scene) -> BTreeMap<NodeId, u32> {
    let count = |(id, node): (NodeId, &Node)| {
        let rigid = node.mesh.as_ref().is_some_and(|m| m.skin.is_none());
        let count = node.instances.as_ref().filter(|_| rigid)?.transforms.len();
        Some((id, u32::try_from(count).unwrap_or(u32::MAX)))
    };
    scene.nodes.iter().filter_map(count).collect()
}

/// The palette of a skin: `scene_from_mesh = scene_from_joint * joint_from_mesh` for each joint, in joint order.
///
/// A joint that is no node stands at the identity; a missing inverse bind is the identity (glTF 2.0 specification,
/// 3.7.3.1); a product that is not finite is the identity.
pub fn scene_from_mesh<'a>(skin: &'a Skin, worlds: &'a [DAffine3]) -> impl Iterator<Item = DAffine3> + 'a {
    skin.joints.iter().enumerate().map(|(i, joint)| {
        let scene_from_joint = worlds.get(joint.index()).copied().unwrap_or_default();
        let joint_from_mesh = skin.inverse_binds.get(i).copied().unwrap_or_default();
        let product = scene_from_joint * joint_from_mesh;
        if product.is_finite() { product } else { DAffine3::IDENTITY }
    })
}

/// Fills the palette for [`crate::Skinner::linear`]; see [`scene_from_mesh`]. Reuses the vector's memory.
pub fn matrix_palette(skin: &Skin, worlds: &[DAffine3], palette: &mut Vec<JointMatrix>) {
    palette.clear();
    palette.extend(scene_from_mesh(skin, worlds).map(JointMatrix::new));
}

/// Fills the palette for [`crate::Skinner::dual_quaternion`]; see [`scene_from_mesh`]. Reuses the vector's memory.
pub fn dual_quaternion_palette(skin: &Skin, worlds: &[DAffine3], palette: &mut Vec<JointDualQuat>) {
    palette.clear();
    palette.extend(scene_from_mesh(skin, worlds).map(JointDualQuat::new));
}

/// Fills the palette for [`crate::Skinner::sdef`]; see [`scene_from_mesh`]. Reuses the vector's memory.
pub fn sdef_palette(skin: &Skin, worlds: &[DAffine3], palette: &mut Vec<JointSdef>) {
    palette.clear();
    palette.extend(scene_from_mesh(skin, worlds).map(JointSdef::new));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Mesh, MeshInstance, RootSet, Trs};
    use glam::{DMat3, DQuat, DVec3};

    fn node(trs: Trs) -> Node {
        let mut node = Node::new("node");
        node.local = trs.into();
        node
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_nodes() {
        let mut scene = Scene::default();
        let mut parent = None;
        let step = Trs { translation: DVec3::X, ..Trs::IDENTITY };
        for _ in 0..100_000 {
            parent = Some(scene.add_node(node(step), parent));
        }
        let evaluator = Evaluator::new(&scene);
        let worlds = evaluator.worlds(&Pose::rest(&scene));
        assert_eq!((worlds[99_999].translation.x, evaluator.node_count()), (100_000.0, 100_000));
    }

    #[test]
    fn children_may_come_before_their_parents() {
        let mut scene = Scene::default();
        let turn = DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
        let child = scene.add_node(node(Trs { translation: DVec3::X, ..Trs::IDENTITY }), None);
        let parent =
            scene.add_node(node(Trs { rotation: turn, scale: DVec3::splat(2.0), translation: DVec3::Z }), None);
        scene.nodes[child].parent = Some(parent);
        scene.nodes[parent].children.push(child);
        let worlds = Evaluator::new(&scene).worlds(&Pose::rest(&scene));
        assert!(worlds[child.index()].translation.distance(DVec3::new(0.0, 2.0, 1.0)) < 1e-15);
        assert_eq!(worlds, walk::rest_world_transforms(&scene));
    }

    #[test]
    fn bad_hierarchies_and_overflow_have_an_answer() {
        let mut scene = Scene::default();
        let mut parent = None;
        for _ in 0..3 {
            parent = Some(scene.add_node(node(Trs { scale: DVec3::splat(1e200), ..Trs::IDENTITY }), parent));
        }
        let (a, b) = (scene.add_node(Node::new("a"), None), scene.add_node(Node::new("b"), None));
        for (node, other) in [(a, b), (b, a)] {
            scene.nodes[node].parent = Some(other);
            scene.nodes[node].children.push(other);
        }
        scene.nodes[NodeId::new(0)].children.push(NodeId::new(99));
        let evaluator = Evaluator::new(&scene);
        let worlds = evaluator.worlds(&Pose::rest(&scene));
        assert_eq!(worlds[2], DAffine3::from_scale(DVec3::splat(1e200)));
        assert_eq!(worlds[a.index()], DAffine3::IDENTITY);
        let mut few = [DAffine3::IDENTITY; 1];
        evaluator.worlds_into(&Pose::default(), &mut few);
        assert_eq!(few[0], DAffine3::IDENTITY, "a pose of another scene");
    }

    #[test]
    fn only_what_is_visible_in_the_shown_set_is_shown() {
        let mut scene = Scene::default();
        let mesh = scene.meshes.push(Mesh::default());
        let mut add = |visible: bool, mesh: MeshId, parent: Option<NodeId>| {
            let mut node = Node::new("shows");
            (node.visible, node.mesh) = (visible, Some(MeshInstance::new(mesh)));
            scene.add_node(node, parent)
        };
        let root = add(true, mesh, None);
        let hidden = add(false, mesh, Some(root));
        add(true, mesh, Some(hidden));
        let shown = add(true, mesh, Some(root));
        add(true, MeshId::new(5), Some(root));
        add(true, mesh, None);
        scene.root_sets.push(RootSet::new("main", vec![root]));
        let nodes: Vec<NodeId> = Evaluator::new(&scene).shown().iter().map(|s| s.node).collect();
        assert_eq!(nodes, [root, shown]);
    }

    #[test]
    fn palettes_bear_missing_joints_and_binds() {
        let worlds = [DAffine3::from_translation(DVec3::X), DAffine3::from_scale(DVec3::splat(f64::INFINITY))];
        let joints = [0, 9, 0, 1].map(NodeId::new).to_vec();
        let skin = Skin::new("skin", joints, vec![DAffine3::from_translation(DVec3::Y); 2]);
        let palette: Vec<DAffine3> = scene_from_mesh(&skin, &worlds).collect();
        let moved = [DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::X, DVec3::ZERO];
        assert_eq!(palette.iter().map(|m| m.translation).collect::<Vec<_>>(), moved);
        assert!(palette.iter().all(|m| m.matrix3 == DMat3::IDENTITY));
        let mut reused = vec![JointMatrix::IDENTITY; 9];
        matrix_palette(&skin, &worlds, &mut reused);
        assert_eq!((reused.len(), reused[0].rows[0]), (4, [1.0, 0.0, 0.0, 1.0]));
    }
}
