//! One root above the joints of each skin.

use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::walk::parents_first;
use anyrig_scene::{Node, NodeId, Scene, SkinId};
use std::collections::BTreeSet;

/// Gives the joints of every skin a common root, for formats that want one: where they stand under several roots, those
/// get a new node `root` above them, one for all skins, without a transform. It takes their place in the root sets.
///
/// Gives each skin that had several roots, with their number.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the new node passes the limit of elements.
pub fn join_skin_roots(scene: &mut Scene, context: &Context) -> Result<Vec<(SkinId, usize)>> {
    let mut joining = Joining { tops: tops(scene), new_root: None, moved: BTreeSet::new() };
    let mut joined = Vec::new();
    for skin in scene.skins.ids() {
        context.check_cancelled()?;
        let roots = joining.roots_of(scene, skin);
        if roots.len() > 1 {
            joined.push((skin, roots.len()));
            joining.join(scene, roots, context)?;
        }
    }
    joining.take_places(scene);
    Ok(joined)
}

struct Joining {
    /// The root above each node as it was.
    tops: Vec<NodeId>,
    new_root: Option<NodeId>,
    /// Roots that hang on the new one.
    moved: BTreeSet<NodeId>,
}

impl Joining {
    /// The roots above a skin's joints, each once, in the order of the joints.
    fn roots_of(&self, scene: &Scene, skin: SkinId) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = Vec::new();
        for joint in &scene.skins[skin].joints {
            let top = self.tops.get(joint.index()).copied().unwrap_or(*joint);
            let top = self.new_root.filter(|_| self.moved.contains(&top)).unwrap_or(top);
            if roots.last() != Some(&top) {
                roots.push(top);
            }
        }
        let mut seen = BTreeSet::new();
        roots.retain(|root| seen.insert(*root));
        roots
    }

    fn join(&mut self, scene: &mut Scene, roots: Vec<NodeId>, context: &Context) -> Result<()> {
        let top = match self.new_root {
            Some(top) => top,
            None => {
                context.take_elements(1, Place::whole)?;
                *self.new_root.insert(scene.add_node(Node::new("root"), None))
            }
        };
        for root in roots.into_iter().filter(|root| *root != top) {
            scene.nodes[root].parent = Some(top);
            scene.nodes[top].children.push(root);
            self.moved.insert(root);
        }
        Ok(())
    }

    /// Where the moved ones were in root sets.
    fn take_places(self, scene: &mut Scene) {
        let Some(top) = self.new_root else { return };
        for set in &mut scene.root_sets {
            let Some(first) = set.roots.iter().position(|root| self.moved.contains(root)) else { continue };
            set.roots.retain(|root| !self.moved.contains(root));
            set.roots.insert(first.min(set.roots.len()), top);
        }
    }
}

/// The root above each node.
fn tops(scene: &Scene) -> Vec<NodeId> {
    let mut tops: Vec<NodeId> = scene.nodes.ids().collect();
    for id in parents_first(scene) {
        if let Some(parent) = scene.nodes[id].parent {
            tops[id.index()] = tops[parent.index()];
        }
    }
    tops
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{RootSet, Skin};
    use glam::DAffine3;

    /// Four roots, and one child of the last; a skin for each list of joints.
    fn scene(skins: &[&[usize]]) -> Scene {
        let mut scene = Scene::default();
        let roots: Vec<NodeId> = (0..4).map(|i| scene.add_node(Node::new(format!("n{i}")), None)).collect();
        scene.add_node(Node::new("child"), roots.last().copied());
        for joints in skins {
            let joints: Vec<NodeId> = joints.iter().map(|j| NodeId::new(*j)).collect();
            let binds = vec![DAffine3::IDENTITY; joints.len()];
            scene.skins.push(Skin::new("s", joints, binds));
        }
        scene.root_sets.push(RootSet::new("", roots));
        scene
    }

    #[test]
    fn joints_under_several_roots_get_one() {
        let mut scene = scene(&[&[2, 1]]);
        let joined = join_skin_roots(&mut scene, &Context::new()).expect("room");
        let [zero, one, two, three, _, top] = [0, 1, 2, 3, 4, 5].map(NodeId::new);
        assert_eq!(joined, [(SkinId::new(0), 2)]);
        assert_eq!((scene.nodes[top].name.as_str(), scene.nodes[top].children.as_slice()), ("root", &[two, one][..]));
        assert_eq!((scene.nodes[one].parent, scene.nodes[two].parent), (Some(top), Some(top)));
        assert_eq!(scene.root_sets[0].roots, [zero, top, three]);
        assert_eq!(join_skin_roots(&mut scene, &Context::new()), Ok(vec![]));
        assert_eq!(scene.nodes.len(), 6);
    }

    #[test]
    fn all_skins_share_the_new_root() {
        let mut scene = scene(&[&[3, 4], &[0, 1], &[1, 0], &[1, 4]]);
        let joined = join_skin_roots(&mut scene, &Context::new()).expect("room");
        // The first one's joints are below one root; those of the third have been joined for the second.
        assert_eq!(joined, [(SkinId::new(1), 2), (SkinId::new(3), 2)]);
        let top = NodeId::new(5);
        assert_eq!(scene.nodes.len(), 6);
        assert_eq!(scene.nodes[top].children, [0, 1, 3].map(NodeId::new));
        assert_eq!(scene.root_sets[0].roots, [top, NodeId::new(2)]);
    }

    #[test]
    fn the_new_node_is_booked() {
        let mut limits = Limits::default();
        limits.elements = 0;
        let context = Context::new().with_limits(limits);
        let error = join_skin_roots(&mut scene(&[&[0, 1]]), &context).expect_err("no room");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert_eq!(join_skin_roots(&mut scene(&[&[0]]), &context), Ok(vec![]));
    }
}
