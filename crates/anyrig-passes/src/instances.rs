//! Instances into nodes.

use crate::codes;
use anyrig_bytes::{Context, Diagnostic, Place, Result};
use anyrig_scene::{Channel, Node, NodeId, Property, Scene, Target};
use std::collections::BTreeMap;

/// Gives every instance of a mesh a node of its own, `NAME.0`, `NAME.1` …, below the node that had them, for targets that
/// show a mesh once for each node. Curves on the weights of morph targets are copied for each. Looks the same.
///
/// Further attributes of instances have no place on nodes (`passes.instance-attributes-dropped`). A skinned mesh is in
/// one place, so that its node only loses the instances.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the nodes pass a limit; nothing is changed then.
pub fn expand_instances(scene: &mut Scene, context: &Context) -> Result<()> {
    expand_where(scene, context, |_| true)
}

/// As [`expand_instances`], of some nodes.
pub(crate) fn expand_where(scene: &mut Scene, context: &Context, wanted: impl Fn(&Node) -> bool) -> Result<()> {
    let owners: Vec<NodeId> =
        scene.nodes.iter().filter(|(_, n)| n.instances.is_some() && wanted(n)).map(|(id, _)| id).collect();
    book(scene, &owners, context)?;
    let mut made: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for id in owners {
        let Some(instances) = scene.nodes[id].instances.take() else { continue };
        if !instances.streams.is_empty() {
            let dropped = instances.streams.len() as u64;
            let line = Diagnostic::new(&codes::INSTANCE_ATTRIBUTES, scene.nodes[id].name.clone(), "");
            context.push(line.times(dropped));
        }
        if scene.nodes[id].mesh.as_ref().is_none_or(|m| m.skin.is_some()) {
            continue;
        }
        let Some(mesh) = scene.nodes[id].mesh.take() else { continue };
        let geometric = scene.nodes[id].geometric.take();
        let name = scene.nodes[id].name.clone();
        let copies = made.entry(id).or_default();
        for (number, transform) in instances.transforms.iter().enumerate() {
            let mut node = Node::new(format!("{name}.{number}"));
            node.local = (*transform).into();
            node.mesh = Some(mesh.clone());
            node.geometric.clone_from(&geometric);
            copies.push(scene.add_node(node, Some(id)));
        }
    }
    copy_weights(scene, &made);
    Ok(())
}

/// Nodes, names, and what each instance of the mesh and its curves take.
fn book(scene: &Scene, owners: &[NodeId], context: &Context) -> Result<()> {
    let (mut nodes, mut bytes) = (0u64, 0u64);
    for id in owners {
        let node = &scene.nodes[*id];
        let count = node.instances.as_ref().map_or(0, |i| i.transforms.len() as u64);
        let worn =
            node.mesh.as_ref().map_or(0, |m| m.materials.len() * 4 + m.morph_weights.len() * 4 + m.variants.len() * 12);
        let each = (size_of::<Node>() + node.name.len() + 32 + worn) as u64;
        nodes = nodes.saturating_add(count);
        bytes = bytes.saturating_add(count.saturating_mul(each));
        let curves = scene.clips.iter().flat_map(|c| &c.channels).filter(|c| moves_weights_of(c) == Some(*id)).count();
        bytes = bytes.saturating_add(count.saturating_mul((curves * size_of::<Channel>()) as u64));
    }
    context.take_elements(nodes, Place::whole)?;
    context.take_memory(bytes, Place::whole)
}

fn moves_weights_of(channel: &Channel) -> Option<NodeId> {
    match channel.target {
        Target::Node { node, property: Property::MorphWeights } | Target::Morph { node, .. } => Some(node),
        _ => None,
    }
}

/// The curves that moved the weights of a node move those of all its copies.
fn copy_weights(scene: &mut Scene, made: &BTreeMap<NodeId, Vec<NodeId>>) {
    let moves = |c: &Channel| moves_weights_of(c).is_some_and(|node| made.contains_key(&node));
    for clip in scene.clips.iter_mut().filter(|clip| clip.channels.iter().any(moves)) {
        let mut channels = Vec::new();
        for channel in std::mem::take(&mut clip.channels) {
            let Some(copies) = moves_weights_of(&channel).and_then(|node| made.get(&node)) else {
                channels.push(channel);
                continue;
            };
            for copy in copies {
                // Keys are shared.
                let mut channel = channel.clone();
                match &mut channel.target {
                    Target::Node { node, .. } | Target::Morph { node, .. } => *node = *copy,
                    _ => {}
                }
                channels.push(channel);
            }
        }
        clip.channels = channels;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::{Pose, largest_distance, posed_geometry};
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{
        Clip, Curve, DeltaStream, Instances, Interpolation, Mesh, MeshInstance, MorphTarget, Part, PartMorph, Semantic,
        Skin, Stream, Topology, Trs, validate,
    };
    use glam::{DQuat, DVec3};

    /// A triangle with a morph target, shown three times below a moved parent.
    fn scene() -> (Scene, NodeId) {
        let mut scene = Scene::default();
        let mut part = Part::default();
        (part.topology, part.point_count) = (Topology::Triangles, 3);
        part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
        part.morphs = vec![PartMorph::new(vec![DeltaStream::new(Semantic::Position, 3, vec![0.5; 9])])];
        let mut mesh = Mesh::default();
        (mesh.parts, mesh.morphs) = (vec![part], vec![MorphTarget::new("m")]);
        let mesh = scene.meshes.push(mesh);
        let mut parent = Node::new("parent");
        parent.local = Trs { translation: DVec3::Y, scale: DVec3::splat(2.0), ..Trs::IDENTITY }.into();
        let parent = scene.add_node(parent, None);
        let mut node = Node::new("stone");
        node.mesh = Some(MeshInstance::new(mesh));
        let place = |x: f64, turn: f64| Trs {
            translation: DVec3::new(x, 0.0, 0.0),
            rotation: DQuat::from_rotation_z(turn),
            scale: DVec3::new(1.0, -1.0, 1.0),
        };
        let mut instances = Instances::new(vec![place(0.0, 0.0), place(5.0, 1.0), place(-5.0, 2.0)]);
        instances.streams.push(Stream::new(Semantic::Custom("_ID".to_owned()), 1, vec![1.0, 2.0, 3.0]));
        node.instances = Some(Box::new(instances));
        let node = scene.add_node(node, Some(parent));
        let mut clip = Clip::new("c");
        let curve = Curve::new(Interpolation::Linear, 1, vec![0.0, 1.0], vec![0.0, 1.0]);
        clip.channels.push(Channel::new(node, Property::MorphWeights, curve));
        scene.clips.push(clip);
        (scene, node)
    }

    #[test]
    fn instances_become_nodes_that_look_the_same() {
        let (scene, node) = scene();
        let mut expanded = scene.clone();
        let context = Context::new();
        expand_instances(&mut expanded, &context).expect("within limits");
        validate(&mut expanded, &context);
        assert_eq!(context.report().count_of("passes.instance-attributes-dropped"), 1);
        assert_eq!(context.report().diagnostics().len(), 1);
        let names: Vec<_> = expanded.nodes[node].children.iter().map(|c| expanded.nodes[*c].name.as_str()).collect();
        assert_eq!(names, ["stone.0", "stone.1", "stone.2"]);
        let at = |scene: &Scene| posed_geometry(scene, &Pose::of_clip(scene, &scene.clips[0], 0.5));
        let shown = at(&scene);
        // Parent scales by 2; the second instance is turned by one radian, mirrored, and half of the morph counts.
        assert_eq!((shown.len(), shown[1].instance), (3, Some(1)));
        assert!((shown[0].positions[1][0] - 2.5).abs() < 1e-6, "{:?}", shown[0].positions);
        assert_eq!(largest_distance(&shown, &at(&expanded)), Some(0.0));
    }

    #[test]
    fn a_skinned_mesh_is_in_one_place() {
        let (mut scene, node) = scene();
        let skin = scene.skins.push(Skin::new("s", vec![node], vec![glam::DAffine3::IDENTITY]));
        scene.nodes[node].mesh.as_mut().expect("shows").skin = Some(skin);
        assert_eq!(posed_geometry(&scene, &Pose::rest(&scene)).len(), 1);
        let nodes = scene.nodes.len();
        expand_instances(&mut scene, &Context::new()).expect("within limits");
        assert_eq!((scene.nodes.len(), scene.nodes[node].instances.is_none()), (nodes, true));
        assert!(scene.nodes[node].mesh.is_some());
    }

    #[test]
    fn instances_of_strangers_are_booked_first() {
        let (mut scene, node) = scene();
        let mut limits = Limits::default();
        limits.elements = 2;
        let error = expand_instances(&mut scene, &Context::new().with_limits(limits)).expect_err("three");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(scene.nodes[node].instances.is_some());
    }
}
