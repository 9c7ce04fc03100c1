//! Poses that pictures show.

use anyrig_animation::{Evaluator, Pose};
use anyrig_scene::{LocalTransform, NodeId, Scene, Skin, walk};
use glam::DAffine3;

/// Which pose a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PoseChoice {
    /// What the nodes hold by themselves.
    #[default]
    Rest,
    /// The one in which the skins were bound.
    Bind,
    /// A clip at a time; its start without one. The picture is framed over the whole clip.
    Clip {
        /// Index in [`Scene::clips`]; one that does not exist means the pose at rest.
        clip: usize,
        /// In seconds.
        time_secs: Option<f64>,
    },
}

/// The pose in which every joint stands as its skin's inverse bind says.
///
/// Inverse binds tell where joints stand from the mesh, so one joint of each skin, the first that comes in the hierarchy,
/// keeps its place at rest and the others follow it. Of a joint in several skins the first skin counts; joints whose
/// inverse bind cannot be inverted, and nodes that are no joints, keep their transform below their parent. Nodes are taken
/// to inherit scale fully.
pub(crate) fn bind_pose(scene: &Scene, rest: &Pose) -> Pose {
    let worlds = Evaluator::new(scene).worlds(rest);
    let mut bound: Vec<Option<DAffine3>> = vec![None; scene.nodes.len()];
    let order = walk::parents_first(scene);
    let mut rank = vec![usize::MAX; scene.nodes.len()];
    order.iter().enumerate().for_each(|(place, id)| rank[id.index()] = place);
    for skin in scene.skins.values() {
        bind_joints(skin, &worlds, &rank, &mut bound);
    }
    let (mut pose, mut placed) = (rest.clone(), worlds);
    for id in order {
        let parent = scene.nodes[id].parent.map_or(DAffine3::IDENTITY, |p| placed[p.index()]);
        let world = bound[id.index()].unwrap_or_else(|| parent * rest.local(id).to_affine());
        let local = parent.inverse() * world;
        let is_sound = bound[id.index()].is_some() && local.is_finite();
        if is_sound {
            pose.set_local(id, LocalTransform::Matrix(local));
        }
        placed[id.index()] = if is_sound { world } else { parent * rest.local(id).to_affine() };
    }
    pose
}

fn bind_joints(skin: &Skin, worlds: &[DAffine3], rank: &[usize], bound: &mut [Option<DAffine3>]) {
    let pairs = || skin.joints.iter().copied().zip(skin.inverse_binds.iter().copied());
    let known = |(joint, _): &(NodeId, DAffine3)| joint.index() < worlds.len();
    let Some((first, joint_from_mesh)) = pairs().filter(known).min_by_key(|(joint, _)| rank[joint.index()]) else {
        return;
    };
    let scene_from_mesh = worlds[first.index()] * joint_from_mesh;
    for (joint, joint_from_mesh) in pairs().filter(known) {
        let world = scene_from_mesh * joint_from_mesh.inverse();
        if bound[joint.index()].is_none() && world.is_finite() {
            bound[joint.index()] = Some(world);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::scene_from_mesh;
    use anyrig_scene::{Node, Trs};
    use glam::DVec3;

    fn node(x: f64) -> Node {
        let mut node = Node::new("joint");
        node.local = Trs { translation: DVec3::new(x, 0.0, 0.0), ..Trs::IDENTITY }.into();
        node
    }

    #[test]
    fn bound_joints_leave_the_mesh_in_one_piece() {
        let mut scene = Scene::default();
        let root = scene.add_node(node(5.0), None);
        let hips = scene.add_node(node(1.0), Some(root));
        let knee = scene.add_node(node(2.0), Some(hips));
        let foot = scene.add_node(node(0.5), Some(knee));
        let ib = |x: f64| DAffine3::from_translation(DVec3::new(-x, 0.0, 0.0));
        // Bound with the knee 3 from the hips, at rest it is 2 from them.
        scene.skins.push(Skin::new("skin", vec![knee, hips], vec![ib(3.0), ib(0.0)]));
        let pose = bind_pose(&scene, &Pose::rest(&scene));
        let worlds = Evaluator::new(&scene).worlds(&pose);
        let skin = &scene.skins.as_slice()[0];
        let palette: Vec<_> = scene_from_mesh(skin, &worlds).collect();
        assert!(palette.iter().all(|m| m.abs_diff_eq(DAffine3::from_translation(DVec3::new(6.0, 0.0, 0.0)), 1e-9)));
        assert!((worlds[foot.index()].translation.x - 9.5).abs() < 1e-9, "what hangs on a joint follows it");
    }

    #[test]
    fn singular_binds_keep_the_rest() {
        let mut scene = Scene::default();
        let joint = scene.add_node(node(2.0), None);
        let flat = DAffine3::from_scale(DVec3::ZERO);
        scene.skins.push(Skin::new("skin", vec![joint, NodeId::new(77)], vec![flat, flat]));
        let rest = Pose::rest(&scene);
        assert_eq!(bind_pose(&scene, &rest), rest);
    }
}
