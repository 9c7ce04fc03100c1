//! Scenes by the names in them.

use super::{Comparison, bones, keys, points};
use anyrig_animation::scene_size;
use anyrig_bytes::{Context, Result};
use anyrig_scene::Scene;

/// How far numbers may lie apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Lengths, in the first scene's unit.
    pub(super) length: f64,
    /// All else.
    pub(super) other: f64,
}

/// Fills in what differs.
pub(super) fn compare(a: &Scene, b: &Scene, comparison: &mut Comparison, context: &Context) -> Result<()> {
    let size = scene_size(a);
    let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
    let bounds = Bounds { length: comparison.tolerance * size, other: comparison.tolerance };
    let (found, notes) = (&mut comparison.differences, &mut comparison.notes);
    let bones = bones::Bones::of_both(a, b, notes);
    bones::compare((a, &bones.0), (b, &bones.1), bounds, (found, notes));
    context.check_cancelled()?;
    points::compare(a, b, bounds, (found, notes), context)?;
    context.check_cancelled()?;
    keys::compare((a, &bones.0), (b, &bones.1), bounds, (found, notes), context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::glam::{DAffine3, DVec3};
    use anyrig_scene::{
        Channel, Clip, Curve, Influences, Interpolation, Mesh, MeshInstance, Node, NodeId, Part, Property, RootSet,
        Semantic, Skin, Stream, Topology, Trs,
    };

    fn at(x: f64, y: f64, z: f64) -> Trs {
        Trs { translation: DVec3::new(x, y, z), ..Trs::IDENTITY }
    }

    fn add(scene: &mut Scene, name: &str, place: Trs, parent: Option<NodeId>) -> NodeId {
        let mut node = Node::new(name);
        node.local = place.into();
        scene.add_node(node, parent)
    }

    /// A point, which hangs on one joint or on none.
    fn show(scene: &mut Scene, node: NodeId, place: [f32; 3], joint: Option<u32>) {
        let mut part = Part::default();
        part.topology = Topology::Points;
        part.point_count = 1;
        part.set_stream(Stream::new(Semantic::Position, 3, place.to_vec()));
        part.influences = joint.map(|j| Influences::fixed(4, vec![j, 0, 0, 0], vec![1.0, 0.0, 0.0, 0.0]));
        let mut mesh = Mesh::default();
        mesh.parts = vec![part];
        let mut instance = MeshInstance::new(scene.meshes.push(mesh));
        instance.skin = joint.and_then(|_| scene.skins.ids().next());
        scene.nodes[node].mesh = Some(instance);
    }

    fn slide(scene: &mut Scene, node: NodeId, height: f32) {
        let mut clip = Clip::new("slide");
        let curve = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![1.0, height, 0.0, 2.0, height, 0.0]);
        clip.channels.push(Channel::new(node, Property::Translation, curve));
        scene.clips.push(clip);
    }

    fn skin(scene: &mut Scene, joints: &[(NodeId, Trs)]) {
        let binds = joints.iter().map(|(_, place)| DAffine3::inverse(&place.to_affine())).collect();
        scene.skins.push(Skin::new("skin", joints.iter().map(|(id, _)| *id).collect(), binds));
    }

    /// A rigid sword in an arm that hangs on the root by a helper.
    fn with_nodes() -> Scene {
        let mut scene = Scene::default();
        let root = add(&mut scene, "root", Trs::IDENTITY, None);
        let helper = add(&mut scene, "", at(0.0, 1.0, 0.0), Some(root));
        let arm = add(&mut scene, "arm", at(1.0, 0.0, 0.0), Some(helper));
        let sword = add(&mut scene, "sword", at(0.0, 0.0, 1.0), Some(arm));
        skin(&mut scene, &[(root, Trs::IDENTITY), (arm, at(1.0, 1.0, 0.0))]);
        let body = add(&mut scene, "body", Trs::IDENTITY, Some(root));
        show(&mut scene, body, [1.0, 1.0, 0.5], Some(1));
        show(&mut scene, sword, [0.0, 0.0, 0.25], None);
        slide(&mut scene, arm, 0.0);
        scene.root_sets = vec![RootSet::new("scene", vec![root])];
        scene
    }

    /// The same where there are only bones.
    fn with_bones(sword_joint: u32) -> Scene {
        let mut scene = Scene::default();
        let root = add(&mut scene, "root", Trs::IDENTITY, None);
        let arm = add(&mut scene, "arm", at(1.0, 1.0, 0.0), Some(root));
        let sword = add(&mut scene, "sword", at(0.0, 0.0, 1.0), Some(arm));
        skin(&mut scene, &[(root, Trs::IDENTITY), (arm, at(1.0, 1.0, 0.0)), (sword, at(1.0, 1.0, 1.0))]);
        for (name, place, joint) in [("body", [1.0, 1.0, 0.5], 1), ("blade", [1.0, 1.0, 1.25], sword_joint)] {
            let node = add(&mut scene, name, Trs::IDENTITY, Some(root));
            show(&mut scene, node, place, Some(joint));
        }
        slide(&mut scene, arm, 1.0);
        scene.root_sets = vec![RootSet::new("scene", vec![root])];
        scene
    }

    fn compared(a: &Scene, b: &Scene) -> (Vec<String>, Vec<String>) {
        let mut comparison = Comparison { tolerance: 1e-5, ..Comparison::default() };
        compare(a, b, &mut comparison, &Context::new()).expect("nobody stops it");
        let paths = comparison.differences.into_iter().map(|d| format!("{}: {}", d.path, d.message)).collect();
        (paths, comparison.notes)
    }

    #[test]
    fn rigid_parts_on_bones_and_folded_helpers_are_no_differences() {
        let (differences, notes) = compared(&with_nodes(), &with_bones(2));
        assert_eq!(differences, Vec::<String>::new());
        assert_eq!(notes[0], "a plain node of the first counts as a bone, which it is in the second");
    }

    #[test]
    fn a_rigid_part_on_the_wrong_bone_is_found() {
        let (differences, _) = compared(&with_nodes(), &with_bones(1));
        assert!(differences.iter().any(|d| d.starts_with("vertices.weights")), "{differences:?}");
    }
}
