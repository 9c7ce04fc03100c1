//! One scene into several.

use crate::references::{NewIds, numbered, pinned};
use crate::{PruneOptions, codes, prune};
use anyrig_bytes::{Context, Diagnostic, Place, Result};
use anyrig_scene::{MaterialId, Mesh, MeshId, Node, NodeId, Scene};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What each piece holds one of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SplitBy {
    /// Meshes: the nodes that show it.
    #[default]
    Mesh,
    /// Materials: the parts that wear it; one piece more for parts without material.
    Material,
    /// Nodes without parent: all that hangs on it.
    Root,
    /// Clips: the whole scene with this clip.
    Clip,
}

/// A scene of its own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Name of what it holds, made of the kind and its number where that has none. Need not be unique.
    pub name: String,
    /// The scene.
    pub scene: Scene,
}

/// Takes a scene apart: a piece for each mesh that a node shows, material that a part wears, root, or clip, in their
/// order.
///
/// Each piece is a whole scene in the same space: it holds the nodes that it shows with all nodes above them, the joints
/// of its skins, the clips that still move something in it, and the resources that these use; nodes stand and move as they
/// did. Its elements are numbered anew, but not where it is taken apart by clips: carried data that may refer to elements by number are left out there, and told
/// (`passes.extras-dropped`). Buffers stay shared with the whole.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the elements of all pieces pass the limit;
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn split(scene: &Scene, by: SplitBy, context: &Context) -> Result<Vec<Piece>> {
    match by {
        SplitBy::Mesh => by_mesh(scene, context),
        SplitBy::Material => by_material(scene, context),
        SplitBy::Root => by_root(scene, context),
        SplitBy::Clip => by_clip(scene, context),
    }
}

/// What a copy of the scene takes.
fn book(scene: &Scene, context: &Context) -> Result<()> {
    context.check_cancelled()?;
    let channels: usize = scene.clips.iter().map(|c| c.channels.len()).sum();
    let parts: usize = scene.meshes.values().map(|m| m.parts.len()).sum();
    context.take_elements((scene.nodes.len() + channels + parts) as u64, Place::whole)
}

fn name_or(name: &str, kind: &str, number: usize) -> String {
    if name.is_empty() { format!("{kind} {number}") } else { name.to_owned() }
}

fn by_mesh(scene: &Scene, context: &Context) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (id, mesh) in scene.meshes.iter() {
        let shows = |node: &Node| node.mesh.as_ref().is_some_and(|m| m.mesh == id);
        if scene.nodes.values().any(shows) {
            book(scene, context)?;
            let name = name_or(&mesh.name, "mesh", id.index());
            pieces.push(piece(scene.clone(), name, |_, node| shows(node), context)?);
        }
    }
    Ok(pieces)
}

fn by_root(scene: &Scene, context: &Context) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for root in scene.roots() {
        book(scene, context)?;
        let below: BTreeSet<NodeId> = anyrig_scene::walk::depth_first(scene, [root]).into_iter().collect();
        let name = name_or(&scene.nodes[root].name, "node", root.index());
        pieces.push(piece(scene.clone(), name, |id, _| below.contains(&id), context)?);
    }
    Ok(pieces)
}

fn by_clip(scene: &Scene, context: &Context) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (number, clip) in scene.clips.iter().enumerate() {
        book(scene, context)?;
        let mut whole = scene.clone();
        whole.clips = vec![clip.clone()];
        pieces.push(Piece { name: name_or(&clip.name, "clip", number), scene: whole });
    }
    Ok(pieces)
}

fn by_material(scene: &Scene, context: &Context) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for material in scene.materials.ids().map(Some).chain([None]) {
        let Some(parts) = parts_that_wear(scene, material) else { continue };
        book(scene, context)?;
        let mut whole = scene.clone();
        let mut reduced: BTreeMap<(MeshId, &[usize]), MeshId> = BTreeMap::new();
        for (id, (mesh, parts)) in &parts {
            let make = || {
                let mut mesh: Mesh = scene.meshes[*mesh].clone();
                let mut index = 0..;
                mesh.parts.retain(|_| index.next().is_some_and(|i| parts.contains(&i)));
                whole.meshes.push(mesh)
            };
            let new = *reduced.entry((*mesh, parts)).or_insert_with(make);
            if let Some(instance) = &mut whole.nodes[*id].mesh {
                instance.mesh = new;
                let usual = instance.materials.clone();
                instance.variants.retain(|v| usual.get(v.slot as usize).copied().flatten() == material);
                instance.materials.iter_mut().filter(|m| **m != material).for_each(|m| *m = None);
            }
        }
        let name = match material {
            Some(id) => name_or(&scene.materials[id].name, "material", id.index()),
            None => "without material".to_owned(),
        };
        pieces.push(piece(whole, name, |id, _| parts.contains_key(&id), context)?);
    }
    Ok(pieces)
}

/// For each node that shows such parts: its mesh, and which parts; `None` when there are none.
fn parts_that_wear(scene: &Scene, material: Option<MaterialId>) -> Option<BTreeMap<NodeId, (MeshId, Vec<usize>)>> {
    let mut found = BTreeMap::new();
    for (id, node) in scene.nodes.iter() {
        let Some(instance) = &node.mesh else { continue };
        let Some(mesh) = scene.meshes.get(instance.mesh) else { continue };
        let wears = |slot: u32| instance.materials.get(slot as usize).copied().flatten() == material;
        let parts: Vec<usize> = (0..mesh.parts.len()).filter(|i| wears(mesh.parts[*i].slot)).collect();
        if !parts.is_empty() {
            found.insert(id, (instance.mesh, parts));
        }
    }
    (!found.is_empty()).then_some(found)
}

/// A scene with only some nodes, and what these need.
fn piece(
    mut scene: Scene,
    name: String,
    is_wanted: impl Fn(NodeId, &Node) -> bool,
    context: &Context,
) -> Result<Piece> {
    let wanted: Vec<bool> = scene.nodes.iter().map(|(id, node)| is_wanted(id, node)).collect();
    let mut needed = wanted.clone();
    let skins: BTreeSet<_> =
        scene.nodes.iter().filter(|(id, _)| wanted[id.index()]).filter_map(|(_, n)| n.mesh.as_ref()?.skin).collect();
    for skin in skins.iter().filter_map(|id| scene.skins.get(*id)) {
        skin.joints.iter().chain(&skin.skeleton).for_each(|n| needed[n.index()] = true);
    }
    for id in anyrig_scene::walk::parents_first(&scene).into_iter().rev() {
        if let Some(parent) = scene.nodes[id].parent.filter(|_| needed[id.index()]) {
            needed[parent.index()] = true;
        }
    }
    for (node, _) in scene.nodes.values_mut().zip(&wanted).filter(|(_, wanted)| !**wanted) {
        (node.mesh, node.camera, node.light) = (None, None, None);
    }
    for (index, skin) in scene.skins.values_mut().enumerate() {
        // Joints of a skin that goes are not needed.
        if !skins.contains(&anyrig_scene::SkinId::new(index)) {
            (skin.joints, skin.inverse_binds, skin.skeleton) = (Vec::new(), Vec::new(), None);
        }
    }
    drop_references(&mut scene, context);
    let mut ids = NewIds::same(&scene);
    ids.nodes = numbered(&needed, |i| i);
    ids.apply(&mut scene);
    let stays: Vec<bool> = scene.root_sets.iter().map(|set| !set.roots.is_empty()).collect();
    let default = scene.default_root_set.filter(|i| stays.get(*i) == Some(&true));
    scene.default_root_set = default.map(|i| stays[..i].iter().filter(|stays| **stays).count());
    scene.root_sets.retain(|set| !set.roots.is_empty());
    scene.clips.retain(|clip| !clip.channels.is_empty());
    // What each piece leaves out is the point of splitting, and no news.
    let apart = context.apart();
    prune(&mut scene, &PruneOptions::default(), &apart)?;
    Ok(Piece { name, scene })
}

/// Leaves out carried data that may refer to elements by number, since those change.
fn drop_references(scene: &mut Scene, context: &Context) {
    let all = vec![true; scene.meshes.len()];
    if pinned(scene, &all) == crate::references::Pinned::default() {
        return;
    }
    let dropped = crate::extras::drop_references(scene);
    if dropped > 0 {
        let message = "they may refer to elements by number, which have other numbers in a piece";
        context.push(Diagnostic::new(&codes::EXTRAS_DROPPED, "carried data", message).times(dropped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::{Pose, posed_geometry};
    use anyrig_bytes::Value;
    use anyrig_scene::{
        Channel, Clip, Curve, Interpolation, Material, MeshInstance, Part, Property, RootSet, Semantic, Skin, Stream,
        Trs,
    };

    fn part(x: f32, slot: u32) -> Part {
        let mut part = Part::default();
        part.point_count = 3;
        part.slot = slot;
        part.set_stream(Stream::new(Semantic::Position, 3, vec![x, 0.0, 0.0, x, 1.0, 0.0, x, 0.0, 1.0]));
        part
    }

    /// Two figures under roots of their own, one skinned to a joint of the other's tree.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let skin = scene.materials.push(Material::new("skin"));
        let cloth = scene.materials.push(Material::new("cloth"));
        for (i, name) in ["anna", "ben"].into_iter().enumerate() {
            let mut mesh = Mesh::default();
            mesh.name = format!("mesh of {name}");
            mesh.parts = vec![part(i as f32, 0), part(i as f32 + 0.5, 1)];
            let mesh = scene.meshes.push(mesh);
            let mut root = Node::new(name);
            root.local = Trs { translation: glam::DVec3::splat(i as f64), ..Trs::IDENTITY }.into();
            let root = scene.add_node(root, None);
            let mut body = Node::new(format!("body of {name}"));
            let mut instance = MeshInstance::new(mesh);
            instance.materials = vec![Some(skin), if i == 0 { Some(cloth) } else { None }];
            body.mesh = Some(instance);
            scene.add_node(body, Some(root));
            let mut clip = Clip::new(format!("{name} walks"));
            let values = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
            let curve = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], values);
            clip.channels = vec![Channel::new(root, Property::Translation, curve)];
            scene.clips.push(clip);
            scene.root_sets.push(RootSet::new(name, vec![root]));
        }
        scene
    }

    fn pieces(scene: &Scene, by: SplitBy) -> Vec<Piece> {
        split(scene, by, &Context::new()).expect("small")
    }

    fn names(pieces: &[Piece]) -> Vec<&str> {
        pieces.iter().map(|p| p.name.as_str()).collect()
    }

    #[test]
    fn the_set_of_a_piece_that_shows_is_the_one_that_showed() {
        let mut whole = scene();
        // Ben is the second; an empty set before it goes, and one of both, which did not show, stays.
        let both = whole.root_sets.iter().flat_map(|s| s.roots.clone()).collect();
        whole.root_sets.push(RootSet::new("both", both));
        whole.default_root_set = Some(1);
        let piece = pieces(&whole, SplitBy::Root).into_iter().find(|p| p.name == "ben").expect("a piece of each");
        let shown = piece.scene.default_root_set.map(|i| piece.scene.root_sets[i].name.as_str());
        assert_eq!(shown, Some("ben"));
    }

    /// Points in scene space, of all roots.
    fn shown(scene: &Scene, pose: &Pose) -> Vec<[u32; 3]> {
        let mut all = scene.clone();
        all.root_sets.clear();
        let parts = posed_geometry(&all, pose);
        let mut points: Vec<_> = parts.iter().flat_map(|p| &p.positions).map(|p| p.map(f32::to_bits)).collect();
        points.sort_unstable();
        points
    }

    #[test]
    fn the_pieces_together_show_what_the_whole_shows() {
        let whole = scene();
        for by in [SplitBy::Mesh, SplitBy::Material, SplitBy::Root] {
            let pieces = pieces(&whole, by);
            let mut together: Vec<_> = pieces.iter().flat_map(|p| shown(&p.scene, &Pose::rest(&p.scene))).collect();
            together.sort_unstable();
            assert_eq!(together, shown(&whole, &Pose::rest(&whole)), "{by:?}");
        }
    }

    #[test]
    fn a_piece_holds_what_it_needs_and_no_more() {
        let whole = scene();
        let roots = pieces(&whole, SplitBy::Root);
        assert_eq!(names(&roots), ["anna", "ben"]);
        let ben = &roots[1].scene;
        let counts = (ben.nodes.len(), ben.meshes.len(), ben.materials.len(), ben.clips.len(), ben.root_sets.len());
        assert_eq!(counts, (2, 1, 1, 1, 1));
        assert_eq!(ben.clips[0].name, "ben walks");
        let pose = |scene: &Scene, clip: usize| shown(scene, &Pose::of_clip(scene, &scene.clips[clip], 0.5));
        assert!(pose(ben, 0).iter().all(|p| pose(&whole, 1).contains(p)));
        let meshes = pieces(&whole, SplitBy::Mesh);
        assert_eq!(names(&meshes), ["mesh of anna", "mesh of ben"]);
        let materials = pieces(&whole, SplitBy::Material);
        assert_eq!(names(&materials), ["skin", "cloth", "without material"]);
        let parts = |p: &Piece| p.scene.meshes.values().map(|m| m.parts.len()).collect::<Vec<_>>();
        assert_eq!(materials.iter().map(parts).collect::<Vec<_>>(), [vec![1, 1], vec![1], vec![1]]);
        assert_eq!(materials[1].scene.materials.as_slice()[0].name, "cloth");
        let clips = pieces(&whole, SplitBy::Clip);
        assert_eq!(names(&clips), ["anna walks", "ben walks"]);
        assert_eq!((clips[1].scene.clips.len(), clips[1].scene.nodes.len()), (1, 4));
    }

    #[test]
    fn joints_come_along_from_elsewhere() {
        let mut whole = scene();
        let joint = NodeId::new(0);
        let skin = whole.skins.push(Skin::new("s", vec![joint], vec![glam::DAffine3::IDENTITY]));
        whole.nodes[NodeId::new(3)].mesh.as_mut().expect("a mesh").skin = Some(skin);
        let roots = pieces(&whole, SplitBy::Root);
        let ben = &roots[1].scene;
        assert_eq!(ben.nodes.values().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["anna", "ben", "body of ben"]);
        assert_eq!(ben.skins.as_slice()[0].joints.len(), 1);
        assert_eq!(ben.clips.len(), 2, "the joint is moved by the other's clip");
        assert_eq!(roots[0].scene.skins.len(), 0);
    }

    #[test]
    fn stale_numbers_are_left_out_and_told() {
        let mut whole = scene();
        whole.extras.set("x.nodes", Value::Array(vec![Value::Int(3)]));
        whole.extras.set("x.note", "hello");
        whole.extras.set_bookkeeping("x.window", 3);
        let context = Context::new();
        let roots = split(&whole, SplitBy::Root, &context).expect("small");
        assert!(roots.iter().all(|p| p.scene.extra("x.nodes").is_none() && p.scene.extra("x.note").is_some()));
        assert!(roots.iter().all(|p| p.scene.extra("x.window").is_none()), "gone, but nothing that anyone misses");
        assert_eq!(context.report().count_of("passes.extras-dropped"), 2);
        let mut limits = anyrig_bytes::Limits::default();
        limits.elements = 10;
        let error = split(&whole, SplitBy::Root, &Context::new().with_limits(limits)).expect_err("too many");
        assert_eq!(error.kind(), anyrig_bytes::ErrorKind::LimitExceeded);
    }
}
