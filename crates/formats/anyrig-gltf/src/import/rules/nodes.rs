//! Rules for nodes and skins.

use super::{Rules, list};
use crate::document::json::At;
use crate::document::{NodeObject, SkinObject};
use std::collections::BTreeSet;

/// How far the axes of a matrix may be from right angles, as a cosine; beyond it the matrix is sheared.
const RIGHT_ANGLE_TOLERANCE: f64 = 5e-5;

impl Rules<'_> {
    pub(super) fn nodes(&mut self) {
        let root = self.root;
        let parents = self.parents();
        let at = At::Root;
        let (at_nodes, at_skins) = (at.key("nodes"), at.key("skins"));
        for (i, node) in list(root.nodes.as_ref()) {
            let at = at_nodes.index(i);
            if node.matrix.is_some_and(|matrix| is_sheared(&matrix)) {
                self.add("NODE_MATRIX_NON_TRS", &at.key("matrix"));
            }
            if self.has_skin_without_use(node) == Some(true) {
                self.add("NODE_SKIN_WITH_NON_SKINNED_MESH", &at);
            }
        }
        for (i, skin) in list(root.skins.as_ref()) {
            self.skin(skin, &parents, &at_skins.index(i));
        }
        for (_, scene) in list(root.scenes.as_ref()) {
            let shown = self.below(scene.nodes.as_deref().unwrap_or_default());
            for index in &shown {
                if self.joints_are_elsewhere(*index, &shown) == Some(true) {
                    self.add("NODE_SKIN_NO_SCENE", &at_nodes.index(*index));
                }
            }
        }
    }

    /// The first parent of each node.
    fn parents(&self) -> Vec<Option<usize>> {
        let nodes = self.root.nodes.as_deref().unwrap_or_default();
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

    /// Nodes and all that is below them; each once, so that rings end.
    fn below(&self, roots: &[u32]) -> BTreeSet<usize> {
        let nodes = self.root.nodes.as_deref().unwrap_or_default();
        let mut seen = BTreeSet::new();
        let mut next: Vec<usize> = roots.iter().map(|r| *r as usize).collect();
        while let Some(index) = next.pop() {
            let Some(node) = nodes.get(index) else { continue };
            if seen.insert(index) {
                next.extend(node.children.iter().flatten().map(|c| *c as usize));
            }
        }
        seen
    }

    fn has_skin_without_use(&self, node: &NodeObject) -> Option<bool> {
        node.skin?;
        let mesh = self.root.meshes.as_ref()?.get(node.mesh? as usize)?;
        let has_joints = |name: &str| name.starts_with("JOINTS_");
        let mut names = mesh.primitives.iter().flatten().filter_map(|p| p.attributes.as_ref()).flat_map(|a| &a.0);
        Some(!names.any(|(name, _)| has_joints(name)))
    }

    fn joints_are_elsewhere(&self, node: usize, shown: &BTreeSet<usize>) -> Option<bool> {
        let node = self.root.nodes.as_ref()?.get(node)?;
        node.mesh?;
        let skin = self.root.skins.as_ref()?.get(node.skin? as usize)?;
        Some(skin.joints.iter().flatten().any(|joint| !shown.contains(&(*joint as usize))))
    }

    /// Specification 3.7.3.2.
    fn skin(&mut self, skin: &SkinObject, parents: &[Option<usize>], at: &At<'_>) {
        let mut common: Option<BTreeSet<usize>> = None;
        for joint in skin.joints.iter().flatten() {
            let above = ancestors(*joint as usize, parents);
            common = Some(match common {
                None => above,
                Some(before) => before.intersection(&above).copied().collect(),
            });
        }
        let Some(common) = common else { return };
        if common.is_empty() {
            self.add("SKIN_NO_COMMON_ROOT", &at.key("joints"));
        }
        if skin.skeleton.is_some_and(|root| !common.contains(&(root as usize))) {
            self.add("SKIN_SKELETON_INVALID", &at.key("skeleton"));
        }
    }
}

/// A node and all that is above it; each once, so that rings end.
fn ancestors(node: usize, parents: &[Option<usize>]) -> BTreeSet<usize> {
    let mut above = BTreeSet::new();
    let mut next = Some(node);
    while let Some(node) = next.filter(|n| above.insert(*n)) {
        next = parents.get(node).copied().flatten();
    }
    above
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
