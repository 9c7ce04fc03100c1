//! Static node transforms into vertices.

use crate::check::check_part;
use crate::{codes, transform_part, transformed_bytes};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::walk::{parents_first, rest_world_transforms};
use anyrig_scene::{LocalTransform, Mesh, MeshId, Node, NodeId, Part, Property, Scene, Target, Trs};
use glam::DAffine3;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Options of [`bake_node_transforms`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BakeNodesOptions {
    /// What becomes of nodes that a clip moves. Default: `keep`.
    pub animated: Animated,
}

/// What becomes of rigid meshes on nodes that a clip moves, shows or hides, or on nodes below such ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Animated {
    /// They stay as they are, so that they move.
    #[default]
    Keep,
    /// They are baked in the rest pose and stand still from then on.
    BakeRest,
}

/// Bakes the transforms of rigid mesh instances into their vertices, so that these meshes stand in scene space on root
/// nodes without a transform. Looks the same.
///
/// Skinned instances are left alone, since their node's transform has no effect; so are nodes whose world transform is
/// the identity. A node that carries nothing but the mesh becomes a root itself; otherwise the mesh moves to a new root
/// of the same name, morph curves follow, and the old node stays for what else hangs on it. New roots join the root sets
/// that showed the old node, hidden nodes stay hidden. A mesh that other nodes show too is copied first
/// (`passes.instance-duplicated`); parts are transformed in parallel, as [`transform_part`] says.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when copies of shared meshes pass the memory limit or new nodes that of
/// elements; [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated (nothing is changed then).
pub fn bake_node_transforms(scene: &mut Scene, options: BakeNodesOptions, context: &Context) -> Result<()> {
    scene.meshes.values().flat_map(|m| &m.parts).try_for_each(check_part)?;
    crate::expand_instances(scene, context)?;
    let worlds = rest_world_transforms(scene);
    let order = parents_first(scene);
    let moved = if options.animated == Animated::Keep { moved_nodes(scene, &order) } else { vec![false; worlds.len()] };
    let wanted: Vec<NodeId> = order.into_iter().filter(|id| is_wanted(scene, *id, &worlds, &moved)).collect();
    let jobs = own_meshes(scene, &wanted, &worlds, context)?;
    transform(scene, &jobs, &worlds, context)?;
    let busy = busy_nodes(scene);
    for (node, _) in jobs {
        stand_on_root(scene, node, busy.contains(&node), context)?;
    }
    Ok(())
}

fn is_wanted(scene: &Scene, id: NodeId, worlds: &[DAffine3], moved: &[bool]) -> bool {
    let rigid = scene.nodes[id].mesh.as_ref().is_some_and(|m| m.skin.is_none() && scene.meshes.contains(m.mesh));
    rigid && !moved[id.index()] && worlds[id.index()] != DAffine3::IDENTITY
}

/// Nodes that a clip moves, shows or hides, and all below them.
fn moved_nodes(scene: &Scene, parents_first: &[NodeId]) -> Vec<bool> {
    let mut moved = vec![false; scene.nodes.len()];
    let blinking = |target: &Target| if let Target::Visibility { node } = target { Some(*node) } else { None };
    let targets = scene.clips.iter().flat_map(|c| &c.channels).map(|c| &c.target);
    for node in targets.filter_map(|target| target.moved_node().or_else(|| blinking(target))) {
        if let Some(slot) = moved.get_mut(node.index()) {
            *slot = true;
        }
    }
    for id in parents_first {
        let parent_moves = scene.nodes[*id].parent.is_some_and(|p| moved[p.index()]);
        moved[id.index()] |= parent_moves;
    }
    moved
}

/// Gives each node a mesh that no other node shows.
fn own_meshes(
    scene: &mut Scene,
    wanted: &[NodeId],
    worlds: &[DAffine3],
    context: &Context,
) -> Result<Vec<(NodeId, MeshId)>> {
    let mut users = vec![0u32; scene.meshes.len()];
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        if let Some(count) = users.get_mut(instance.mesh.index()) {
            *count += 1;
        }
    }
    let mut jobs = Vec::new();
    for id in wanted {
        let Some(instance) = scene.nodes[*id].mesh.as_mut() else { continue };
        let users = &mut users[instance.mesh.index()];
        if *users > 1 {
            *users -= 1;
            let copy: Mesh = scene.meshes[instance.mesh].clone();
            context.tell(&codes::INSTANCE_DUPLICATED, copy.name.clone(), "");
            instance.mesh = scene.meshes.push(copy);
        }
        // Until it is transformed a mesh may share its buffers with its copies and with other meshes.
        let mesh = &scene.meshes[instance.mesh];
        let bytes = mesh.parts.iter().map(|part| transformed_bytes(part, worlds[id.index()])).sum();
        context.take_memory(bytes, || Place::element(mesh.name.clone()))?;
        jobs.push((*id, instance.mesh));
    }
    Ok(jobs)
}

fn transform(scene: &mut Scene, jobs: &[(NodeId, MeshId)], worlds: &[DAffine3], context: &Context) -> Result<()> {
    let mut world_of_mesh: Vec<Option<DAffine3>> = vec![None; scene.meshes.len()];
    for (node, mesh) in jobs {
        world_of_mesh[mesh.index()] = Some(worlds[node.index()]);
    }
    let meshes = scene.meshes.as_mut_slice().iter_mut().zip(world_of_mesh);
    let parts: Vec<(&mut Part, DAffine3)> = meshes
        .filter_map(|(mesh, world)| world.map(|w| (mesh, w)))
        .flat_map(|(mesh, world)| mesh.parts.iter_mut().map(move |part| (part, world)))
        .collect();
    let done: Vec<Result<()>> = parts
        .into_par_iter()
        .map(|(part, world)| context.check_cancelled().and_then(|()| transform_part(part, world)))
        .collect();
    done.into_iter().collect()
}

/// Nodes that something else than their mesh hangs on.
fn busy_nodes(scene: &Scene) -> BTreeSet<NodeId> {
    let mut busy: BTreeSet<NodeId> =
        scene.skins.values().flat_map(|s| s.joints.iter().copied().chain(s.skeleton)).collect();
    let carries = |n: &Node| !n.children.is_empty() || n.camera.is_some() || n.light.is_some();
    busy.extend(scene.nodes.iter().filter(|(_, n)| carries(n)).map(|(id, _)| id));
    // A baked node that a clip moves in place must not move its mesh.
    busy.extend(scene.moved_nodes());
    busy.extend(scene.rig.nodes());
    busy
}

fn stand_on_root(scene: &mut Scene, id: NodeId, busy: bool, context: &Context) -> Result<()> {
    let top = top_of(scene, id);
    let visible = ancestors(scene, id).all(|n| scene.nodes[n].visible);
    let root = if busy { new_root(scene, id, context)? } else { detach(scene, id) };
    let node = &mut scene.nodes[root];
    node.local = LocalTransform::Trs(Trs::IDENTITY);
    node.visible = visible;
    for set in scene.root_sets.iter_mut().filter(|s| s.roots.contains(&top) && !s.roots.contains(&root)) {
        set.roots.push(root);
    }
    Ok(())
}

fn ancestors(scene: &Scene, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(Some(id), |id| scene.nodes[*id].parent)
}

fn top_of(scene: &Scene, id: NodeId) -> NodeId {
    ancestors(scene, id).last().unwrap_or(id)
}

fn detach(scene: &mut Scene, id: NodeId) -> NodeId {
    if let Some(parent) = scene.nodes[id].parent.take() {
        scene.nodes[parent].children.retain(|child| *child != id);
    }
    id
}

fn new_root(scene: &mut Scene, id: NodeId, context: &Context) -> Result<NodeId> {
    context.take_elements(1, Place::whole)?;
    let mut root = Node::new(scene.nodes[id].name.clone());
    root.mesh = scene.nodes[id].mesh.take();
    let root = scene.add_node(root, None);
    for channel in scene.clips.iter_mut().flat_map(|c| &mut c.channels) {
        match &mut channel.target {
            Target::Node { node, property: Property::MorphWeights } | Target::Morph { node, .. } if *node == id => {
                *node = root;
            }
            _ => {}
        }
    }
    Ok(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use anyrig_animation::{Pose, largest_distance, posed_geometry, scene_size};
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{
        Channel, Clip, Curve, Interpolation, MeshInstance, MorphTarget, RootSet, Semantic, Stream, TransformPart,
        validate,
    };
    use glam::{DQuat, DVec3};

    fn node(name: &str, translation: DVec3, scale: DVec3) -> Node {
        let mut node = Node::new(name);
        let rotation = DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8);
        node.local = LocalTransform::Trs(Trs { translation, rotation, scale });
        node
    }

    /// A root with a mesh and two children that show the same mesh, one of them mirrored, one hidden.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let mut part = Part::default();
        part.point_count = 3;
        part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0]));
        part.morphs = vec![anyrig_scene::PartMorph::default()];
        let mut mesh = Mesh::default();
        mesh.name = "shared".to_owned();
        mesh.parts.push(part);
        mesh.morphs.push(MorphTarget::new("m"));
        let mesh = scene.meshes.push(mesh);
        let with_mesh = |mut node: Node| {
            node.mesh = Some(MeshInstance::new(mesh));
            node
        };
        let root = scene.add_node(with_mesh(node("root", DVec3::X, DVec3::splat(2.0))), None);
        scene.add_node(with_mesh(node("mirrored", DVec3::Y, DVec3::new(-1.0, 1.0, 3.0))), Some(root));
        let mut hidden = with_mesh(node("hidden", DVec3::Z, DVec3::ONE));
        hidden.visible = false;
        scene.add_node(hidden, Some(root));
        scene.root_sets.push(RootSet::new("all", vec![root]));
        scene
    }

    fn picture(scene: &Scene) -> Vec<anyrig_animation::PosedPart> {
        let mut parts = posed_geometry(scene, &Pose::rest(scene));
        parts.sort_by(|a, b| a.positions[0][0].total_cmp(&b.positions[0][0]));
        parts
    }

    #[test]
    fn looks_the_same_without_transforms() {
        let mut baked = scene();
        let before = picture(&baked);
        let context = Context::new();
        bake_node_transforms(&mut baked, BakeNodesOptions::default(), &context).expect("valid");
        let distance = largest_distance(&before, &picture(&baked)).expect("same parts");
        assert!(distance < 1e-6 * scene_size(&baked), "{distance}");
        assert_eq!(context.report().count_of("passes.instance-duplicated"), 2);
        let worlds = rest_world_transforms(&baked);
        for (id, node) in baked.nodes.iter().filter(|(_, n)| n.mesh.is_some()) {
            assert_eq!((worlds[id.index()], node.parent), (DAffine3::IDENTITY, None), "{}", node.name);
        }
        // Hidden stays hidden, and the set shows all three.
        let hidden: Vec<&str> = baked.nodes.values().filter(|n| !n.visible).map(|n| n.name.as_str()).collect();
        assert_eq!((hidden, baked.root_sets[0].roots.len()), (vec!["hidden"], 4));
        let mut again = baked.clone();
        validate(&mut again, &context);
        assert_eq!(again, baked);
    }

    #[test]
    fn a_mirrored_node_turns_faces() {
        let mut baked = scene();
        bake_node_transforms(&mut baked, BakeNodesOptions::default(), &Context::new()).expect("valid");
        let corners = |name: &str| {
            let node = baked.nodes.values().find(|n| n.name == name && n.mesh.is_some()).expect("kept");
            let mesh = node.mesh.as_ref().map(|m| &baked.meshes[m.mesh]).expect("shown");
            mesh.parts[0].corners.as_deref().map(<[u32]>::to_vec)
        };
        assert_eq!((corners("root"), corners("mirrored")), (None, Some(vec![0, 2, 1])));
    }

    #[test]
    fn animated_branches_stay_unless_told_otherwise() {
        let mut source = scene();
        let mut clip = Clip::new("c");
        let root = NodeId::new(0);
        let curve = |width| Curve::new(Interpolation::Linear, width, vec![0.0], vec![0.5; width]);
        clip.channels.push(Channel::new(root, Property::Translation, curve(3)));
        clip.channels.push(Channel::new(root, Property::MorphWeights, curve(1)));
        source.clips.push(clip);
        let mut kept = source.clone();
        bake_node_transforms(&mut kept, BakeNodesOptions::default(), &Context::new()).expect("valid");
        assert_eq!(kept, source);
        let rest = BakeNodesOptions { animated: Animated::BakeRest };
        bake_node_transforms(&mut source, rest, &Context::new()).expect("valid");
        assert_eq!(source.nodes[root].mesh, None);
        let (target, _) = source.clips[0].channels[1].node_target().expect("a node");
        assert!(source.nodes[target].mesh.is_some() && target != root);
    }

    /// Component curves move a node as others do, and what blinks above a mesh hides it.
    #[test]
    fn nodes_that_move_by_components_or_blink_are_animated() {
        let root = NodeId::new(0);
        for target in [
            Target::Component { node: root, part: TransformPart::Translation, axis: 1 },
            Target::Visibility { node: root },
        ] {
            let mut source = scene();
            let mut clip = Clip::new("c");
            clip.channels.push(Channel::on(target, Curve::new(Interpolation::Step, 1, vec![0.0], vec![0.0])));
            source.clips.push(clip);
            let mut kept = source.clone();
            bake_node_transforms(&mut kept, BakeNodesOptions::default(), &Context::new()).expect("valid");
            assert_eq!(kept, source);
        }
    }

    /// The mesh of a node with children moves to a root of its own, and the curve of its morph with it.
    #[test]
    fn the_curve_of_one_morph_follows_the_mesh() {
        let mut baked = scene();
        let root = NodeId::new(0);
        let mut clip = Clip::new("c");
        let curve = Curve::new(Interpolation::Linear, 1, vec![0.0], vec![0.5]);
        clip.channels.push(Channel::on(Target::Morph { node: root, target: 0 }, curve));
        baked.clips.push(clip);
        bake_node_transforms(&mut baked, BakeNodesOptions::default(), &Context::new()).expect("valid");
        let moved = baked.clips[0].channels[0].target.node().expect("a node");
        assert!(moved != root && baked.nodes[moved].mesh.is_some() && baked.nodes[root].mesh.is_none());
    }

    #[test]
    fn copies_are_booked_and_malformed_parts_refused() {
        let mut limits = Limits::default();
        limits.memory_bytes = 60;
        let context = Context::new().with_limits(limits);
        let error = bake_node_transforms(&mut scene(), BakeNodesOptions::default(), &context).expect_err("too little");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        for part in malformed_parts() {
            let mut scene = scene();
            scene.meshes.as_mut_slice()[0].parts.push(part);
            assert!(bake_node_transforms(&mut scene, BakeNodesOptions::default(), &Context::new()).is_err());
        }
    }
}
