//! World transforms that follow changes of a pose.

use crate::Pose;
use anyrig_scene::{NodeId, Scene, World};
use glam::DAffine3;

/// Where the nodes of a scene stand in a pose, found when it is asked for and kept until a node above moves.
///
/// What is known of a node is known of all above it, so that a change below an unknown node costs nothing.
#[derive(Clone, Debug)]
pub(crate) struct Places<'a> {
    scene: &'a Scene,
    places: Vec<World>,
    known: Vec<bool>,
    path: Vec<NodeId>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let count = scene.nodes.len();
        Self { scene, places: vec![World::ROOT; count], known: vec![false; count], path: Vec::new() }
    }

    /// For another pose.
    pub(crate) fn forget_all(&mut self) {
        self.known.fill(false);
    }

    /// `scene_from_node`, by the rules of [`crate::Evaluator::worlds_into`].
    pub(crate) fn world(&mut self, pose: &Pose, node: NodeId) -> DAffine3 {
        self.place(pose, node).scene_from_node
    }

    /// What the node's local transform is relative to.
    pub(crate) fn frame(&mut self, pose: &Pose, node: NodeId) -> Frame {
        let above = self.parent(node).map_or(World::ROOT, |parent| self.place(pose, parent));
        Frame { above, mode: self.scene.nodes.get(node).map_or_else(Default::default, |n| n.inherit) }
    }

    /// Says that the local transform of a node is another one.
    pub(crate) fn changed(&mut self, node: NodeId) {
        self.path.clear();
        self.path.push(node);
        while let Some(node) = self.path.pop() {
            let Some(known) = self.known.get_mut(node.index()) else { continue };
            if std::mem::replace(known, false) {
                self.path.extend(&self.scene.nodes[node].children);
            }
        }
    }

    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.scene.nodes.get(node)?.parent
    }

    fn place(&mut self, pose: &Pose, node: NodeId) -> World {
        self.path.clear();
        let mut next = Some(node);
        // No path is longer than there are nodes, unless the hierarchy is a ring.
        while let Some(here) = next.filter(|_| self.path.len() < self.known.len()) {
            match self.known.get(here.index()) {
                Some(false) => self.path.push(here),
                Some(true) | None => break,
            }
            next = self.parent(here);
        }
        let mut above = next.and_then(|n| self.places.get(n.index()).copied()).unwrap_or(World::ROOT);
        while let Some(here) = self.path.pop() {
            let place = above.child(pose.local(here), self.scene.nodes[here].inherit);
            above = if place.scene_from_node.is_finite() { place } else { above };
            (self.places[here.index()], self.known[here.index()]) = (above, true);
        }
        above
    }
}

/// What the local transform of a node is relative to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    above: World,
    mode: anyrig_scene::InheritMode,
}

impl Frame {
    /// `scene_from_node` of a node with this local transform.
    pub(crate) fn world(&self, local: impl Into<anyrig_scene::LocalTransform>) -> DAffine3 {
        self.above.child(local.into(), self.mode).scene_from_node
    }
}

/// The inverse of a transform that has one.
pub(crate) fn inverse(affine: DAffine3) -> Option<DAffine3> {
    let determinant = affine.matrix3.determinant();
    let inverse = (determinant != 0.0 && determinant.is_finite()).then(|| affine.inverse())?;
    inverse.is_finite().then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluator;
    use anyrig_scene::{InheritMode, Node, Trs};
    use glam::DVec3;

    fn moved(x: f64, scale: f64) -> Node {
        let mut node = Node::new("n");
        node.local = Trs { translation: DVec3::X * x, scale: DVec3::splat(scale), ..Trs::IDENTITY }.into();
        node
    }

    #[test]
    fn places_are_those_of_the_evaluator_whatever_changes() {
        let mut scene = Scene::default();
        let mut parent = None;
        let nodes: Vec<NodeId> = (0..6)
            .map(|i| {
                let mut node = moved(1.0, 1.5);
                node.inherit = if i % 3 == 2 { InheritMode::IgnoreParentScale } else { InheritMode::Full };
                let id = scene.add_node(node, parent);
                parent = Some(id);
                id
            })
            .collect();
        let (evaluator, mut pose) = (Evaluator::new(&scene), Pose::rest(&scene));
        let mut places = Places::new(&scene);
        for (step, node) in [3, 1, 5, 0, 2, 4].into_iter().enumerate() {
            let local = Trs { translation: DVec3::Y * step as f64, ..pose.local(nodes[node]).to_trs() };
            pose.set_local(nodes[node], local);
            places.changed(nodes[node]);
            let worlds = evaluator.worlds(&pose);
            for asked in [(step * 5 + 1) % 6, 5, 0] {
                assert_eq!(places.world(&pose, nodes[asked]), worlds[nodes[asked].index()]);
            }
            let frame = places.frame(&pose, nodes[node]);
            assert_eq!(frame.world(pose.local(nodes[node])), worlds[nodes[node].index()]);
        }
    }

    #[test]
    fn rings_overflow_and_strangers_have_a_place() {
        let mut scene = Scene::default();
        let a = scene.add_node(moved(1.0, 1.0), None);
        let b = scene.add_node(moved(1.0, 1.0), Some(a));
        (scene.nodes[a].parent, scene.nodes[b].children) = (Some(b), vec![a]);
        let huge = scene.add_node(moved(1.0, 1e200), None);
        let beyond = scene.add_node(moved(1.0, 1e200), Some(huge));
        let pose = Pose::rest(&scene);
        let mut places = Places::new(&scene);
        assert!(places.world(&pose, b).is_finite());
        places.changed(a);
        assert_eq!(places.world(&pose, beyond), places.world(&pose, huge));
        assert_eq!(places.world(&pose, NodeId::new(99)), DAffine3::IDENTITY);
        assert!(inverse(DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0))).is_none());
    }
}
