//! Bones to nodes.

use super::{EXTRAS, Names};
use crate::codes;
use crate::document::{Bone, Model};
use anyrig_bytes::{Context, Place, Result, Value};
use anyrig_scene::{Node, NodeId, Scene, Trs};
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Adds a node for each bone, in the order of the bones.
pub(super) fn import(scene: &mut Scene, model: &Model, names: &Names, context: &Context) -> Result<Vec<NodeId>> {
    context.take_elements(model.bones.len() as u64, || Place::element("bones"))?;
    let parents = sound_parents(model, names, context);
    let ids: Vec<NodeId> = model.bones.iter().map(|b| scene.nodes.push(node(b, names))).collect();
    for (id, parent) in ids.iter().zip(parents) {
        let parent = parent.and_then(|p| ids.get(p).copied());
        scene.nodes[*id].parent = parent;
        if let Some(parent) = parent {
            scene.nodes[parent].children.push(*id);
        }
    }
    Ok(ids)
}

/// The parent of each bone: a forest, whatever the file says.
fn sound_parents(model: &Model, names: &Names, context: &Context) -> Vec<Option<usize>> {
    let count = model.bones.len();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(count);
    for (i, bone) in model.bones.iter().enumerate() {
        let parent = bone.parent as usize;
        if parent >= count {
            context.tell(&codes::BONE_HIERARCHY, names.text(&bone.name), format!("parent {parent} does not exist"));
        }
        parents.push((parent != i && parent < count).then_some(parent));
    }
    // Each bone is walked once: `done` ones are known to reach a root.
    let mut walked_for = vec![usize::MAX; count];
    let mut done = vec![false; count];
    for start in 0..count {
        let mut at = start;
        loop {
            if done[at] {
                break;
            }
            if walked_for[at] == start {
                context.tell(&codes::BONE_HIERARCHY, names.text(&model.bones[at].name), "its parents form a ring");
                parents[at] = None;
                break;
            }
            walked_for[at] = start;
            match parents[at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        let mut at = Some(start);
        while let Some(bone) = at.filter(|b| !done[*b]) {
            done[bone] = true;
            at = parents[bone];
        }
    }
    parents
}

fn node(bone: &Bone, names: &Names) -> Node {
    let [w, x, y, z] = bone.rotation.map(f64::from);
    let trs =
        Trs { translation: vector(bone.position), rotation: DQuat::from_xyzw(x, y, z, w), scale: vector(bone.scale) };
    let mut node = Node::new(names.text(&bone.name));
    node.local = trs.into();
    if bone.collision_mask != 0 {
        node.extras.set(EXTRAS, collision(bone));
    }
    node
}

fn collision(bone: &Bone) -> Value {
    let mut shape = Value::Null;
    shape.set("collision_mask", u32::from(bone.collision_mask));
    if bone.collision_mask & 1 != 0 {
        shape.set("radius", bone.collision.radius);
    }
    if bone.collision_mask & 2 != 0 {
        let corner = |v: [f32; 3]| Value::Array(v.into_iter().map(Value::from).collect());
        shape.set("bounds", Value::Array(bone.collision.bounds.into_iter().map(corner).collect()));
    }
    shape
}

fn vector(v: [f32; 3]) -> DVec3 {
    let [x, y, z] = v.map(f64::from);
    DVec3::new(x, y, z)
}

/// The inverse bind matrix: the file has three rows of four.
pub(super) fn offset(bone: &Bone) -> DAffine3 {
    let m = bone.offset_matrix.map(f64::from);
    let column = |i: usize| DVec3::new(m[i], m[4 + i], m[8 + i]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}
