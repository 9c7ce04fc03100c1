//! Walks over the hierarchy that several passes and exporters need.

use crate::{InheritMode, NodeId, Scene, World};
use glam::DAffine3;

/// All nodes reachable from the roots, parents before children, children in order.
///
/// Iterative, so that depth costs no stack; a node that is reached twice is listed once.
pub fn depth_first(scene: &Scene, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
    let mut seen = vec![false; scene.nodes.len()];
    let mut order = Vec::new();
    let mut stack: Vec<NodeId> = roots.into_iter().collect();
    stack.reverse();
    while let Some(id) = stack.pop() {
        let Some(node) = scene.nodes.get(id) else { continue };
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        order.push(id);
        stack.extend(node.children.iter().rev().copied());
    }
    order
}

/// All nodes of the scene, parents before children.
pub fn parents_first(scene: &Scene) -> Vec<NodeId> {
    depth_first(scene, scene.roots().collect::<Vec<_>>())
}

/// `scene_from_node` of every node at rest, indexed by node.
pub fn rest_world_transforms(scene: &Scene) -> Vec<DAffine3> {
    if scene.nodes.values().any(|n| n.inherit != InheritMode::Full) {
        return worlds_by_inherit_mode(scene);
    }
    let mut worlds = vec![DAffine3::IDENTITY; scene.nodes.len()];
    for id in parents_first(scene) {
        let node = &scene.nodes[id];
        let parent = node.parent.map_or(DAffine3::IDENTITY, |p| worlds[p.index()]);
        worlds[id.index()] = parent * node.local.to_affine();
    }
    worlds
}

fn worlds_by_inherit_mode(scene: &Scene) -> Vec<DAffine3> {
    let mut worlds = vec![World::ROOT; scene.nodes.len()];
    for id in parents_first(scene) {
        let node = &scene.nodes[id];
        let parent = node.parent.map_or(World::ROOT, |p| worlds[p.index()]);
        worlds[id.index()] = parent.child(node.local, node.inherit);
    }
    worlds.into_iter().map(|w| w.scene_from_node).collect()
}

/// Which nodes lie below which, answered at once for any two of them.
#[derive(Clone, Debug)]
pub struct Descent {
    /// A node and all below it stand at `first..end` of a walk from the roots.
    first: Vec<usize>,
    end: Vec<usize>,
}

impl Descent {
    /// Of a scene whose hierarchy is a forest; of nodes that no root reaches nothing is known.
    pub fn new(scene: &Scene) -> Self {
        let order = parents_first(scene);
        let mut descent = Self { first: vec![0; scene.nodes.len()], end: vec![0; scene.nodes.len()] };
        for (place, node) in order.iter().enumerate() {
            (descent.first[node.index()], descent.end[node.index()]) = (place, place + 1);
        }
        for node in order.iter().rev() {
            let end = descent.end[node.index()];
            if let Some(of_parent) = scene.nodes[*node].parent.and_then(|p| descent.end.get_mut(p.index())) {
                *of_parent = end.max(*of_parent);
            }
        }
        descent
    }

    /// Whether a node lies below another one, and is not it. False for nodes that do not exist.
    pub fn is_below(&self, node: NodeId, above: NodeId) -> bool {
        let place = |list: &[usize], node: NodeId| list.get(node.index()).copied();
        let (Some(at), Some(first)) = (place(&self.first, node), place(&self.first, above)) else { return false };
        first < at && place(&self.end, above).is_some_and(|end| at < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LocalTransform, Node, Trs};
    use glam::DVec3;

    fn moved(name: &str, x: f64) -> Node {
        let trs = Trs { translation: DVec3::new(x, 0.0, 0.0), ..Trs::IDENTITY };
        Node { local: LocalTransform::Trs(trs), ..Node::new(name) }
    }

    #[test]
    fn worlds_do_not_depend_on_arena_order() {
        let mut scene = Scene::default();
        let child = scene.add_node(moved("child", 1.0), None);
        let parent = scene.add_node(moved("parent", 10.0), None);
        scene.nodes[child].parent = Some(parent);
        scene.nodes[parent].children.push(child);
        assert_eq!(parents_first(&scene), [parent, child]);
        let worlds = rest_world_transforms(&scene);
        assert_eq!(worlds[child.index()].translation.x, 11.0);
    }

    #[test]
    fn scale_is_inherited_as_the_node_says() {
        let mut scene = Scene::default();
        let mut big = Node::new("big");
        big.local = Trs { scale: DVec3::splat(2.0), ..Trs::IDENTITY }.into();
        let parent = scene.add_node(big, None);
        let mut child = moved("child", 1.0);
        child.inherit = InheritMode::IgnoreParentScale;
        let child = scene.add_node(child, Some(parent));
        let world = rest_world_transforms(&scene)[child.index()];
        assert_eq!((world.translation.x, world.matrix3.x_axis.x), (2.0, 1.0));
    }

    #[test]
    fn descent_is_that_of_the_hierarchy() {
        let mut scene = Scene::default();
        let a = scene.add_node(Node::new("a"), None);
        let b = scene.add_node(Node::new("b"), Some(a));
        let c = scene.add_node(Node::new("c"), Some(b));
        let d = scene.add_node(Node::new("d"), Some(a));
        let e = scene.add_node(Node::new("e"), None);
        let descent = Descent::new(&scene);
        let below: Vec<(NodeId, NodeId)> = [a, b, c, d, e, NodeId::new(9)]
            .into_iter()
            .flat_map(|x| [a, b, c, d, e, NodeId::new(9)].map(|y| (x, y)))
            .filter(|(x, y)| descent.is_below(*x, *y))
            .collect();
        assert_eq!(below, [(b, a), (c, a), (c, b), (d, a)]);
    }

    #[test]
    fn a_deep_chain_needs_no_stack() {
        let mut scene = Scene::default();
        let mut parent = None;
        for _ in 0..200_000 {
            parent = Some(scene.add_node(Node::new("n"), parent));
        }
        assert_eq!(parents_first(&scene).len(), 200_000);
    }
}
