//! Bones and bindings, one instance after another.

use super::affine::{close, inverse, is_identity};
use super::fold::{Fold, Folds};
use super::{Binding, Bone, COMMON_ROOT, Instance, Joints, Skeleton, file, skin_of, unbound_points};
use crate::codes;
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Context, Diagnostic, Report};
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{NodeId, Scene, SkinId, Trs};
use std::collections::BTreeMap;

pub(super) struct Builder<'a> {
    scene: &'a Scene,
    skeleton: Skeleton,
    bindings: BTreeMap<SkinId, (DAffine3, Vec<u32>)>,
    /// Whether bone 0 is no node's but a root above all others.
    common_root: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(scene: &'a Scene, nodes: Vec<NodeId>, worlds: &[DAffine3], context: &Context) -> Self {
        let by_node: BTreeMap<NodeId, usize> = nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let mut folds = Folds::new(scene, &by_node);
        let bones = nodes.iter().map(|id| {
            let node = &scene.nodes[*id];
            let (parent, between) = folds.above(*id);
            // Only rotations with uniform scale lie between; rounding may spoil a product of very many.
            let fold = Fold::of(between).unwrap_or(Fold::NONE);
            let affine = node.local.to_affine();
            let is_matrix = matches!(node.local, anyrig_scene::LocalTransform::Matrix(_));
            if is_matrix && Trs::from_affine(affine, 1e-6).is_none() {
                context.tell(&codes::SHEAR_DROPPED, &node.name, "");
            }
            Bone {
                name: node.name.clone(),
                parent,
                fold,
                rest: fold.apply(node.local.to_trs()),
                offset: None,
                rest_world: worlds[id.index()],
                collision: node.extras.get(crate::import::EXTRAS).and_then(file::collision),
            }
        });
        let bones = bones.collect();
        Self { scene, skeleton: Skeleton { bones, by_node }, bindings: BTreeMap::new(), common_root: false }
    }

    /// The engine takes one root, the last bone that is its own parent, and plays only the tracks of bones at or below
    /// it. Several roots therefore get one above them, before all other bones.
    pub(super) fn join_roots(&mut self, context: &Context) {
        let bones = &mut self.skeleton.bones;
        let roots = bones.iter().filter(|b| b.parent.is_none()).count();
        if roots < 2 {
            return;
        }
        bones.iter_mut().for_each(|bone| bone.parent = Some(bone.parent.map_or(0, |p| p + 1)));
        let root = Bone {
            name: COMMON_ROOT.to_owned(),
            parent: None,
            fold: Fold::NONE,
            rest: Trs::IDENTITY,
            offset: None,
            rest_world: DAffine3::IDENTITY,
            collision: None,
        };
        bones.insert(0, root);
        self.skeleton.by_node.values_mut().for_each(|bone| *bone += 1);
        self.common_root = true;
        context.tell(&codes::COMMON_ROOT, "bones", format!("{roots} roots hang on a new bone"));
    }

    pub(super) fn bind(&mut self, node: NodeId, worlds: &[DAffine3], context: &Context) -> Instance {
        if let Some(skin) = skin_of(self.scene, node) {
            let (model_from_mesh, mut bones) = self.bind_skin(skin);
            let unbound = unbound_points(self.scene, node);
            let keeper = if unbound > 0 { self.keeper(&model_from_mesh) } else { None };
            let of_unbound = keeper.map(|bone| {
                let name = &self.scene.nodes[node].name;
                let message = format!("they follow the bone {:?}", self.skeleton.bones[bone].name);
                let mut report = Report::default();
                report.push(Diagnostic::new(&codes::UNBOUND_POINTS, name.as_str(), message).times(unbound));
                context.append(report);
                bones.push(bone as u32);
                bones.len() as u32 - 1
            });
            return Instance { node, model_from_mesh, binding: Binding::Skinned(Joints { bones, of_unbound }) };
        }
        let (model_from_mesh, bone) = self.bind_rigid(node, worlds[node.index()]);
        Instance { node, model_from_mesh, binding: Binding::Rigid(bone as u32) }
    }

    /// A rigid mesh needs `offset * model_from_mesh` to be the identity.
    fn bind_rigid(&mut self, node: NodeId, world: DAffine3) -> (DAffine3, usize) {
        let Some(bone) = self.skeleton.by_node.get(&node).copied() else { return (world, 0) };
        match self.skeleton.bones[bone].offset {
            None => {
                let inverse = inverse(&world);
                self.skeleton.bones[bone].offset = Some(inverse.unwrap_or(DAffine3::IDENTITY));
                (inverse.map_or(DAffine3::IDENTITY, |_| world), bone)
            }
            Some(offset) => match inverse(&offset) {
                Some(model_from_mesh) => (model_from_mesh, bone),
                None => (DAffine3::IDENTITY, self.follower(bone, DAffine3::IDENTITY)),
            },
        }
    }

    /// Where an earlier skin has bound the same joints otherwise, the difference goes into the vertices if it is the
    /// same for all joints, else into a second bone that follows the first.
    pub(super) fn bind_skin(&mut self, id: SkinId) -> (DAffine3, Vec<u32>) {
        if let Some(known) = self.bindings.get(&id) {
            return known.clone();
        }
        let skin = &self.scene.skins[id];
        let joints: Vec<(usize, DAffine3)> = skin
            .joints
            .iter()
            .zip(&skin.inverse_binds)
            .filter_map(|(joint, bind)| self.skeleton.by_node.get(joint).map(|bone| (*bone, *bind)))
            .collect();
        let bound = joints.iter().find_map(|(b, bind)| self.skeleton.bones[*b].offset.map(|o| (o, *bind)));
        let difference = bound.and_then(|(offset, bind)| {
            let difference = inverse(&offset)? * bind;
            let differs = !close(&offset, &bind);
            inverse(&difference).filter(|_| differs).map(|inverse| (difference, inverse))
        });
        let (model_from_mesh, mesh_from_model) = difference.unwrap_or((DAffine3::IDENTITY, DAffine3::IDENTITY));
        let mut bones = Vec::new();
        for (bone, bind) in joints {
            let wanted = if is_identity(&mesh_from_model) { bind } else { bind * mesh_from_model };
            let bone = match self.skeleton.bones[bone].offset {
                Some(offset) if close(&offset, &wanted) => bone,
                Some(_) => self.follower(bone, wanted),
                None => {
                    self.skeleton.bones[bone].offset = Some(wanted);
                    bone
                }
            };
            bones.push(bone as u32);
        }
        self.bindings.insert(id, (model_from_mesh, bones.clone()));
        (model_from_mesh, bones)
    }

    /// The bone that keeps points at rest where their mesh has them: the root, or one at the root with another offset.
    fn keeper(&mut self, model_from_mesh: &DAffine3) -> Option<usize> {
        let root = self.skeleton.bones.iter().position(|b| b.parent.is_none())?;
        let bone = &mut self.skeleton.bones[root];
        // `rest_world * offset * model_from_mesh` is to be the identity.
        let Some(wanted) = inverse(&(*model_from_mesh * bone.rest_world)) else { return Some(root) };
        match bone.offset {
            Some(offset) if close(&offset, &wanted) => Some(root),
            Some(_) => Some(self.follower(root, wanted)),
            None => {
                bone.offset = Some(wanted);
                Some(root)
            }
        }
    }

    /// A bone that stays at another one and has a bind pose of its own.
    fn follower(&mut self, of: usize, offset: DAffine3) -> usize {
        let bones = &mut self.skeleton.bones;
        bones.push(Bone {
            name: bones[of].name.clone(),
            parent: Some(of),
            fold: Fold::NONE,
            rest: Trs::IDENTITY,
            offset: Some(offset),
            rest_world: bones[of].rest_world,
            collision: None,
        });
        bones.len() - 1
    }

    pub(super) fn finish(mut self, context: &Context) -> Skeleton {
        let first = usize::from(self.common_root);
        let followers = self.skeleton.bones.iter().skip(first + self.skeleton.by_node.len());
        followers.for_each(|bone| context.tell(&codes::BONE_DUPLICATED, &bone.name, ""));
        let mut names = UniqueNames::default();
        for (i, bone) in self.skeleton.bones.iter_mut().skip(first).enumerate() {
            let wanted = match bone.name.as_str() {
                "" => format!("Node_{i}"),
                name => name.replace('\0', "_"),
            };
            let name = names.claim(&wanted);
            if name != bone.name && !bone.name.is_empty() {
                context.tell(&codes::BONE_RENAMED, &bone.name, format!("now {name:?}"));
            }
            bone.name = name;
        }
        // Last, so that a bone of the source that is called so keeps its name.
        if let Some(root) = self.skeleton.bones.first_mut().filter(|_| self.common_root) {
            root.name = names.claim(COMMON_ROOT);
        }
        self.skeleton
    }
}
