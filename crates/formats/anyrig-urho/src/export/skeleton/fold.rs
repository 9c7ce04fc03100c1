//! What lies between bones.

use super::affine::is_identity;
use anyrig_scene::glam::{DAffine3, DMat3, DQuat};
use anyrig_scene::{NodeId, Scene, Trs};
use std::collections::BTreeMap;

/// A rotation with uniform scale and a translation that is multiplied in from the left.
#[derive(Clone, Copy)]
pub(in crate::export) struct Fold {
    affine: DAffine3,
    rotation: DQuat,
    scale: f64,
}

impl Fold {
    pub(super) const NONE: Self = Self { affine: DAffine3::IDENTITY, rotation: DQuat::IDENTITY, scale: 1.0 };

    /// `None` when the map is no rotation with uniform scale (which may be negative).
    pub(super) fn of(affine: DAffine3) -> Option<Self> {
        if is_identity(&affine) {
            return Some(Self::NONE);
        }
        let m = affine.matrix3;
        let length = m.x_axis.length();
        let scale = if m.determinant() < 0.0 { -length } else { length };
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let rotation = m * (1.0 / scale);
        let gram = rotation.transpose() * rotation;
        gram.abs_diff_eq(DMat3::IDENTITY, 1e-6).then(|| {
            let q = DQuat::from_mat3(&rotation);
            Self { affine, rotation: q / q.length(), scale }
        })
    }

    /// True when [`Fold::apply`] changes nothing.
    pub(in crate::export) fn is_none(&self) -> bool {
        is_identity(&self.affine)
    }

    /// The local transform seen from the parent bone.
    pub(in crate::export) fn apply(&self, local: Trs) -> Trs {
        if self.is_none() {
            return local;
        }
        Trs {
            translation: self.affine.transform_point3(local.translation),
            rotation: self.rotation * local.rotation,
            scale: local.scale * self.scale,
        }
    }
}

/// The way from each node up to the next bone. Each node is walked once.
pub(super) struct Folds<'a> {
    scene: &'a Scene,
    by_node: &'a BTreeMap<NodeId, usize>,
    known: BTreeMap<NodeId, (Option<usize>, DAffine3)>,
}

impl<'a> Folds<'a> {
    pub(super) fn new(scene: &'a Scene, by_node: &'a BTreeMap<NodeId, usize>) -> Self {
        Self { scene, by_node, known: BTreeMap::new() }
    }

    /// The next bone above a node, and `bone_from_parent`: everything between that bone and the node.
    pub(super) fn above(&mut self, node: NodeId) -> (Option<usize>, DAffine3) {
        let mut way = Vec::new();
        let mut at = self.scene.nodes[node].parent;
        let mut found = (None, DAffine3::IDENTITY);
        while let Some(id) = at {
            if let Some(bone) = self.by_node.get(&id) {
                found = (Some(*bone), DAffine3::IDENTITY);
                break;
            }
            if let Some(known) = self.known.get(&id) {
                found = *known;
                break;
            }
            way.push(id);
            at = self.scene.nodes[id].parent;
        }
        for id in way.into_iter().rev() {
            let local = self.scene.nodes[id].local.to_affine();
            if !is_identity(&local) {
                found.1 *= local;
            }
            self.known.insert(id, found);
        }
        found
    }
}
