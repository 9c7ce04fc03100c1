//! World transforms and joint palettes.

use crate::Pose;
use crate::skinning::{JointDualQuat, JointMatrix};
use anyrig_scene::{MeshId, NodeId, Scene, Skin, SkinId, walk};
use glam::DAffine3;

/// The order in which a scene's nodes are evaluated, made once per scene. Evaluating needs no allocation and no
/// recursion, whatever the depth.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// Parents before children, each with its parent.
    order: Vec<(NodeId, Option<NodeId>)>,
    shown: Vec<Shown>,
    node_count: usize,
}

/// A node that shows a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The node.
    pub node: NodeId,
    /// Its mesh.
    pub mesh: MeshId,
    /// The skin that moves the mesh.
    pub skin: Option<SkinId>,
}

impl Evaluator {
    /// Orders the nodes of a scene.
    pub fn new(scene: &Scene) -> Self {
        let parent = |id: NodeId| scene.nodes[id].parent;
        let order = walk::parents_first(scene).into_iter().map(|id| (id, parent(id))).collect();
        Self { order, shown: shown(scene), node_count: scene.nodes.len() }
    }

    /// Number of nodes: the length of what [`Evaluator::worlds_into`] fills.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// Every visible node below [`Scene::shown_roots`] that shows a mesh, depth first; its mesh and skin exist.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
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
    /// or is not a number, stands where its parent does.
    pub fn worlds_into(&self, pose: &Pose, worlds: &mut [DAffine3]) {
        worlds.fill(DAffine3::IDENTITY);
        for (node, parent) in &self.order {
            let parent = parent.and_then(|p| worlds.get(p.index()).copied()).unwrap_or_default();
            let world = parent * pose.local(*node).to_affine();
            if let Some(slot) = worlds.get_mut(node.index()) {
                *slot = if world.is_finite() { world } else { parent };
            }
        }
    }
}

fn shown(scene: &Scene) -> Vec<Shown> {
    let mut hidden = vec![false; scene.nodes.len()];
    let mut shown = Vec::new();
    for node in walk::depth_first(scene, scene.shown_roots()) {
        let data = &scene.nodes[node];
        let below_hidden = data.parent.is_some_and(|p| hidden.get(p.index()) == Some(&true));
        hidden[node.index()] = below_hidden || !data.visible;
        let Some(instance) = data.mesh.as_ref().filter(|i| scene.meshes.contains(i.mesh)) else { continue };
        if !hidden[node.index()] {
            let skin = instance.skin.filter(|s| scene.skins.contains(*s));
            shown.push(Shown { node, mesh: instance.mesh, skin });
        }
    }
    shown
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

/// Fills the palette for [`crate::skin_linear`]; see [`scene_from_mesh`]. Reuses the vector's memory.
pub fn matrix_palette(skin: &Skin, worlds: &[DAffine3], palette: &mut Vec<JointMatrix>) {
    palette.clear();
    palette.extend(scene_from_mesh(skin, worlds).map(JointMatrix::new));
}

/// Fills the palette for [`crate::skin_dual_quaternion`]; see [`scene_from_mesh`]. Reuses the vector's memory.
pub fn dual_quaternion_palette(skin: &Skin, worlds: &[DAffine3], palette: &mut Vec<JointDualQuat>) {
    palette.clear();
    palette.extend(scene_from_mesh(skin, worlds).map(JointDualQuat::new));
}
