//! Rules for nodes and skins.

use super::{Rules, list};
use crate::document::json::At;
use crate::document::{NodeObject, SkinObject};
use anyrig_bytes::Result;
use std::collections::BTreeMap;

/// How far the axes of a matrix may be from right angles, as a cosine; beyond it the matrix is sheared.
const RIGHT_ANGLE_TOLERANCE: f64 = 5e-5;

impl Rules<'_> {
    pub(super) fn nodes(&mut self) -> Result<()> {
        let root = self.root;
        let jointed = self.jointed_meshes();
        let at = At::Root;
        let (at_nodes, at_skins) = (at.key("nodes"), at.key("skins"));
        for (i, node) in list(root.nodes.as_ref()) {
            let at = at_nodes.index(i);
            if node.matrix.is_some_and(|matrix| is_sheared(&matrix)) {
                self.add("NODE_MATRIX_NON_TRS", &at.key("matrix"));
            }
            let mesh = node.mesh.filter(|_| node.skin.is_some());
            if mesh.and_then(|mesh| jointed.get(mesh as usize)) == Some(&false) {
                self.add("NODE_SKIN_WITH_NON_SKINNED_MESH", &at);
            }
        }
        let forest = Forest::of(root.nodes.as_deref().unwrap_or_default());
        for (i, skin) in list(root.skins.as_ref()) {
            self.skin(skin, &forest, &at_skins.index(i));
        }
        self.scenes(&at_nodes)
    }

    /// Of each mesh, whether it names joints.
    fn jointed_meshes(&self) -> Vec<bool> {
        let names = |mesh: &crate::document::MeshObject| {
            let mut attributes = mesh.primitives.iter().flatten().filter_map(|p| p.attributes.as_ref());
            attributes.any(|a| a.0.iter().any(|(name, _)| name.starts_with("JOINTS_")))
        };
        self.root.meshes.iter().flatten().map(names).collect()
    }

    /// Scenes may show the same nodes, and many skins the same joints, so that what is looked at is booked.
    fn scenes(&mut self, at_nodes: &At<'_>) -> Result<()> {
        let root = self.root;
        let nodes = root.nodes.as_deref().unwrap_or_default();
        let mut view = View { nodes, shown_by: vec![0; nodes.len()] };
        for (i, scene) in list(root.scenes.as_ref()) {
            self.context.check_cancelled()?;
            let number = i + 1;
            let shown = view.below(scene.nodes.as_deref().unwrap_or_default(), number);
            self.context.take_elements(shown.len() as u64, || at_nodes.place())?;
            let mut is_torn = BTreeMap::new();
            for index in shown {
                let Some(skin) = nodes.get(index).filter(|n| n.mesh.is_some()).and_then(|n| n.skin) else { continue };
                let is_torn = match is_torn.get(&skin) {
                    Some(known) => *known,
                    None => {
                        let object = root.skins.as_ref().and_then(|s| s.get(skin as usize));
                        let joints = object.and_then(|s| s.joints.as_deref()).unwrap_or_default();
                        self.context.take_elements(joints.len() as u64, || at_nodes.place())?;
                        let found = joints.iter().any(|joint| !view.shows(*joint, number));
                        is_torn.insert(skin, found);
                        found
                    }
                };
                if is_torn {
                    self.add("NODE_SKIN_NO_SCENE", &at_nodes.index(index));
                }
            }
        }
        Ok(())
    }

    /// Specification 3.7.3.2. A joint in a ring has no root; of rings import tells.
    fn skin(&mut self, skin: &SkinObject, forest: &Forest, at: &At<'_>) {
        let joints: Option<Vec<Span>> = skin.joints.iter().flatten().map(|joint| forest.span(*joint)).collect();
        let Some((joints, first)) = joints.and_then(|joints| joints.first().copied().map(|first| (joints, first)))
        else {
            return;
        };
        if joints.iter().any(|joint| joint.top != first.top) {
            self.add("SKIN_NO_COMMON_ROOT", &at.key("joints"));
        }
        let is_above = |root: Span| joints.iter().all(|joint| root.holds(joint));
        if skin.skeleton.is_some_and(|root| !forest.span(root).is_some_and(is_above)) {
            self.add("SKIN_SKELETON_INVALID", &at.key("skeleton"));
        }
    }
}

/// What scenes show.
struct View<'n> {
    nodes: &'n [NodeObject],
    /// The number of the last scene that shows each node.
    shown_by: Vec<usize>,
}

impl View<'_> {
    /// Nodes and all that is below them, ascending; each once, so that rings end.
    fn below(&mut self, roots: &[u32], scene: usize) -> Vec<usize> {
        let (mut shown, mut open) = (Vec::new(), roots.to_vec());
        while let Some(index) = open.pop() {
            let Some(number) = self.shown_by.get_mut(index as usize) else { continue };
            if std::mem::replace(number, scene) != scene {
                shown.push(index as usize);
                open.extend(self.nodes.get(index as usize).and_then(|n| n.children.as_ref()).into_iter().flatten());
            }
        }
        shown.sort_unstable();
        shown
    }

    fn shows(&self, node: u32, scene: usize) -> bool {
        self.shown_by.get(node as usize) == Some(&scene)
    }
}

/// The numbers that a node and all below it have when nodes are numbered parents first.
#[derive(Clone, Copy)]
struct Span {
    /// The root above.
    top: usize,
    first: usize,
    last: usize,
}

impl Span {
    /// Whether it is that of the other node, or of one above it.
    fn holds(&self, other: &Self) -> bool {
        (self.first..=self.last).contains(&other.first)
    }
}

/// Where each node stands below its first parent; nothing for nodes in rings and below them. Who is above whom is told
/// without a walk, because chains may be as long as the file.
struct Forest(Vec<Option<Span>>);

impl Forest {
    fn of(nodes: &[NodeObject]) -> Self {
        let parents = first_parents(nodes);
        let mut spans: Vec<Option<Span>> = vec![None; nodes.len()];
        let (mut count, mut open) = (0, Vec::new());
        for top in (0..nodes.len()).filter(|node| parents.get(*node) == Some(&None)) {
            open.push((top, false));
            while let Some((node, is_left)) = open.pop() {
                let Some(span) = spans.get_mut(node) else { continue };
                match span {
                    Some(span) if is_left => span.last = count,
                    // Listed twice.
                    Some(_) => {}
                    None => {
                        count += 1;
                        *span = Some(Span { top, first: count, last: count });
                        open.push((node, true));
                        let children = nodes.get(node).and_then(|n| n.children.as_ref()).into_iter().flatten();
                        let children = children.map(|child| *child as usize);
                        open.extend(children.filter(|c| parents.get(*c) == Some(&Some(node))).map(|c| (c, false)));
                    }
                }
            }
        }
        Self(spans)
    }

    fn span(&self, node: u32) -> Option<Span> {
        self.0.get(node as usize).copied().flatten()
    }
}

/// The first parent of each node.
fn first_parents(nodes: &[NodeObject]) -> Vec<Option<usize>> {
    let mut parents = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for child in node.children.iter().flatten() {
            if let Some(parent) = parents.get_mut(*child as usize) {
                parent.get_or_insert(i);
            }
        }
    }
    parents
}

/// Whether the axes are not at right angles, or one has no length.
fn is_sheared(matrix: &[f64; 16]) -> bool {
    let axis = |column: usize| [0, 1, 2].map(|row| matrix.get(column * 4 + row).copied().unwrap_or(0.0));
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let axes = [axis(0), axis(1), axis(2)];
    let is_off = |a: [f64; 3], b: [f64; 3]| dot(a, b).abs() > RIGHT_ANGLE_TOLERANCE * (dot(a, a) * dot(b, b)).sqrt();
    let [x, y, z] = axes;
    axes.iter().any(|a| dot(*a, *a) == 0.0) || is_off(x, y) || is_off(y, z) || is_off(z, x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_above_whom() {
        let node = |children: &[u32]| NodeObject { children: Some(children.to_vec()), ..NodeObject::default() };
        // 0 above 1 and 3, 1 above 2; a second tree; a ring with a tail.
        let nodes =
            [node(&[1, 3, 3]), node(&[2]), node(&[]), node(&[2]), node(&[]), node(&[6]), node(&[5, 7]), node(&[])];
        let forest = Forest::of(&nodes);
        let holds = |a, b| forest.span(a).zip(forest.span(b)).map(|(a, b)| a.holds(&b));
        for (above, below) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 2)] {
            assert_eq!(holds(above, below), Some(true), "{above} {below}");
        }
        // A second parent counts for nothing.
        for (above, below) in [(1, 0), (1, 3), (3, 2), (2, 3), (0, 4), (4, 0)] {
            assert_eq!(holds(above, below), Some(false), "{above} {below}");
        }
        assert!([5, 6, 7, 8].into_iter().all(|ringed| forest.span(ringed).is_none()));
    }

    #[test]
    fn sheared_matrices() {
        let mut matrix = [0.0; 16];
        assert!(is_sheared(&matrix));
        for i in [0, 5, 10, 15] {
            matrix[i] = 2.0;
        }
        assert!(!is_sheared(&matrix));
        matrix[4] = 0.1;
        assert!(is_sheared(&matrix));
    }
}
