//! Levels of detail in a scene.
//!
//! The scene has no word for them yet. The finest level is a mesh like any other; each coarser one is a mesh on a hidden
//! child of its node. Both nodes say in their extras which level they are and from which distance on each of their parts
//! is drawn: `{"lod": {"level": 1, "distances": [20.0, 20.0]}}` under [`EXTRAS`].

use crate::import::EXTRAS;
use anyrig_bytes::Value;
use anyrig_scene::{Node, NodeId, Scene};

const LOD: &str = "lod";

/// Says which level a node shows.
pub(crate) fn set(node: &mut Node, level: usize, distances: &[f32]) {
    let mut lod = Value::Null;
    lod.set("level", level as i64);
    // What is no number would make scenes differ from themselves.
    let finite = |d: &f32| Value::from(if d.is_finite() { *d } else { 0.0 });
    lod.set("distances", Value::Array(distances.iter().map(finite).collect()));
    let mut extras = node.extras.remove(EXTRAS).unwrap_or_default();
    extras.set(LOD, lod);
    node.extras.set(EXTRAS, extras);
}

/// The level that a node shows, and the distance of each of its parts.
pub(crate) fn get(node: &Node) -> Option<(usize, Vec<f32>)> {
    let lod = node.extras.get(EXTRAS)?.get(LOD)?;
    let level = usize::try_from(lod.get("level")?.as_i64()?).ok()?;
    let number = |v: &Value| v.as_f64().map_or(0.0, |d| d as f32);
    Some((level, lod.get("distances")?.as_array()?.iter().map(number).collect()))
}

/// The nodes of the coarser levels below a node, the finest first.
pub(crate) fn coarser(scene: &Scene, node: NodeId) -> Vec<NodeId> {
    let children = scene.nodes.get(node).map(|n| n.children.as_slice()).unwrap_or_default();
    let mut levels: Vec<(usize, NodeId)> = children
        .iter()
        .filter_map(|id| scene.nodes.get(*id).map(|n| (*id, n)))
        .filter(|(_, child)| !child.visible && child.mesh.is_some())
        .filter_map(|(id, child)| get(child).filter(|(level, _)| *level > 0).map(|(level, _)| (level, id)))
        .collect();
    levels.sort_by_key(|(level, _)| *level);
    levels.into_iter().map(|(_, id)| id).collect()
}

/// Brings what a node's extras hold into another unit; the rest of them would be wrong in another space and goes.
pub(crate) fn rescale(node: &mut Node, factor: f64) {
    let level = get(node);
    node.extras.remove(EXTRAS);
    if let Some((level, distances)) = level {
        let scaled: Vec<f32> = distances.iter().map(|d| (f64::from(*d) * factor) as f32).collect();
        set(node, level, &scaled);
    }
}
