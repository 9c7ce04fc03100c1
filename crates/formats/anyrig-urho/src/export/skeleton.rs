//! Which nodes become bones, what they are bound to, and what is drawn.
//!
//! A bone of the engine has one offset matrix (inverse bind). Joints of all skins, nodes that a clip moves and nodes of
//! rigid meshes become bones; other nodes are folded into the bones below them. A scene without skins and motion has no
//! bones: its meshes are written where they stand.

use crate::codes;
use crate::document::{Bone as FileBone, Collision};
use crate::lods;
use anyrig_animation::Evaluator;
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Context, Diagnostic, Report, Value};
use anyrig_scene::glam::{DAffine3, DMat3, DQuat, DVec3};
use anyrig_scene::walk::{depth_first, rest_world_transforms};
use anyrig_scene::{Influences, NodeId, Scene, SkinId, Trs};
use std::collections::{BTreeMap, BTreeSet};

/// Name of a root that the source does not have.
const COMMON_ROOT: &str = "Root";

/// What will be written.
pub(super) struct Plan {
    /// The bones; `None` for a scene without skins and motion.
    pub(super) skeleton: Option<Skeleton>,
    /// Meshes as nodes show them, in the order of the hierarchy.
    pub(super) instances: Vec<Instance>,
}

/// A mesh as a node shows it.
pub(super) struct Instance {
    pub(super) node: NodeId,
    /// `model_from_mesh` that goes into the vertices.
    pub(super) model_from_mesh: DAffine3,
    pub(super) binding: Binding,
}

/// How the points of an instance hang on bones.
pub(super) enum Binding {
    /// Not at all.
    Static,
    /// All on one bone.
    Rigid(u32),
    /// By influences.
    Skinned(Joints),
}

/// The joints of a skinned instance.
pub(super) struct Joints {
    /// The bone of each joint of the skin; there may be one more for points without weights.
    pub(super) bones: Vec<u32>,
    /// The joint of points without weights; there when an instance has such.
    pub(super) of_unbound: Option<u32>,
}

/// All bones: the common root where one was added, joints, others.
pub(super) struct Skeleton {
    pub(super) bones: Vec<Bone>,
    /// The bone of each node that is one.
    pub(super) by_node: BTreeMap<NodeId, usize>,
}

pub(super) struct Bone {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    /// What lies between the parent bone and the node's own parent.
    pub(super) fold: Fold,
    rest: Trs,
    offset: Option<DAffine3>,
    rest_world: DAffine3,
    collision: Option<(u8, Collision)>,
}

/// A rotation with uniform scale and a translation that is multiplied in from the left.
#[derive(Clone, Copy)]
pub(super) struct Fold {
    affine: DAffine3,
    rotation: DQuat,
    scale: f64,
}

impl Fold {
    const NONE: Self = Self { affine: DAffine3::IDENTITY, rotation: DQuat::IDENTITY, scale: 1.0 };

    /// `None` when the map is no rotation with uniform scale (which may be negative).
    fn of(affine: DAffine3) -> Option<Self> {
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
    pub(super) fn is_none(&self) -> bool {
        is_identity(&self.affine)
    }

    /// The local transform seen from the parent bone.
    pub(super) fn apply(&self, local: Trs) -> Trs {
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

/// Decides on bones, bindings and instances.
pub(super) fn plan(scene: &Scene, context: &Context) -> Plan {
    let reached = depth_first(scene, scene.shown_roots());
    let drawn = drawn_nodes(scene);
    let moved = scene.moved_nodes();
    let moved: Vec<NodeId> = reached.iter().copied().filter(|node| moved.contains(node)).collect();
    let worlds = rest_world_transforms(scene);
    let skinned = drawn.iter().any(|n| skin_of(scene, *n).is_some());
    if !skinned && moved.is_empty() {
        let instance =
            |node: &NodeId| Instance { node: *node, model_from_mesh: worlds[node.index()], binding: Binding::Static };
        return Plan { skeleton: None, instances: drawn.iter().map(instance).collect() };
    }
    let nodes = bone_nodes(scene, &reached, &drawn, &moved);
    let mut builder = Builder::new(scene, nodes, &worlds, context);
    if !drawn.is_empty() {
        builder.join_roots(context);
    }
    // Skins first: they say what a joint's offset is, rigid meshes can follow any.
    for skin in drawn.iter().filter_map(|n| skin_of(scene, *n)) {
        builder.bind_skin(skin);
    }
    let instances = drawn.iter().map(|node| builder.bind(*node, &worlds, context)).collect();
    Plan { skeleton: Some(builder.finish(context)), instances }
}

/// Shown nodes with a mesh that are not below a hidden one, each once however many instances it has.
fn drawn_nodes(scene: &Scene) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = Evaluator::new(scene).shown().iter().map(|shown| shown.node).collect();
    nodes.dedup();
    nodes
}

/// Number of meshes that will not be written because nothing shows them.
pub(super) fn count_not_shown(scene: &Scene) -> usize {
    let drawn = drawn_nodes(scene);
    let levels: usize = drawn.iter().map(|node| lods::coarser(scene, *node).len()).sum();
    let all = scene.nodes.values().filter(|n| n.mesh.is_some()).count();
    all.saturating_sub(drawn.len() + levels)
}

fn skin_of(scene: &Scene, node: NodeId) -> Option<SkinId> {
    let instance = scene.nodes[node].mesh.as_ref()?;
    let mesh = scene.meshes.get(instance.mesh)?;
    // Without influences the skin moves nothing, and the mesh stands where its node is.
    let influenced = mesh.parts.iter().any(|p| p.influences.is_some());
    instance.skin.filter(|s| influenced && scene.skins.get(*s).is_some_and(|s| !s.joints.is_empty()))
}

/// Number of points of a skinned mesh that have influences without any weight. The engine would put them at the origin.
fn unbound_points(scene: &Scene, node: NodeId) -> u64 {
    let mesh = scene.nodes[node].mesh.as_ref().and_then(|m| scene.meshes.get(m.mesh));
    let parts = mesh.into_iter().flat_map(|m| &m.parts);
    let influenced = parts.filter_map(|part| part.influences.as_ref().map(|i| (part, i)));
    influenced.map(|(part, i)| (0..part.point_count as usize).filter(|p| is_unbound(i, *p)).count() as u64).sum()
}

/// Whether a point has no weight.
pub(super) fn is_unbound(influences: &Influences, point: usize) -> bool {
    point >= influences.point_count() || influences.of(point).1.iter().all(|w| *w == 0.0)
}

/// The nodes that become bones: joints in their order, then the others in the order of the hierarchy.
fn bone_nodes(scene: &Scene, reached: &[NodeId], drawn: &[NodeId], moved: &[NodeId]) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut taken = BTreeSet::new();
    for skin in drawn.iter().filter_map(|n| skin_of(scene, *n)) {
        order.extend(scene.skins[skin].joints.iter().copied().filter(|j| taken.insert(*j)));
    }
    let rigid = drawn.iter().copied().filter(|n| skin_of(scene, *n).is_none());
    let mut wanted: BTreeSet<NodeId> = rigid.chain(moved.iter().copied()).collect();
    // A node that cannot be folded into the bones below it becomes one too.
    let mut looked_at = BTreeSet::new();
    for start in order.iter().copied().chain(wanted.iter().copied()).collect::<Vec<_>>() {
        let mut above = scene.nodes[start].parent;
        while let Some(node) = above.filter(|n| looked_at.insert(*n)) {
            if Fold::of(scene.nodes[node].local.to_affine()).is_none() {
                wanted.insert(node);
            }
            above = scene.nodes[node].parent;
        }
    }
    order.extend(reached.iter().copied().filter(|n| wanted.remove(n) && taken.insert(*n)));
    // Joints outside of the shown scene may have unfoldable nodes above them.
    order.extend(wanted.into_iter().filter(|n| taken.insert(*n)));
    order
}

struct Builder<'a> {
    scene: &'a Scene,
    skeleton: Skeleton,
    bindings: BTreeMap<SkinId, (DAffine3, Vec<u32>)>,
    /// Whether bone 0 is no node's but a root above all others.
    common_root: bool,
}

impl<'a> Builder<'a> {
    fn new(scene: &'a Scene, nodes: Vec<NodeId>, worlds: &[DAffine3], context: &Context) -> Self {
        let by_node: BTreeMap<NodeId, usize> = nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let mut folds = Folds { scene, by_node: &by_node, known: BTreeMap::new() };
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
                collision: node.extras.get(crate::import::EXTRAS).and_then(collision),
            }
        });
        let bones = bones.collect();
        Self { scene, skeleton: Skeleton { bones, by_node }, bindings: BTreeMap::new(), common_root: false }
    }

    /// The engine takes one root, the last bone that is its own parent, and plays only the tracks of bones at or below
    /// it. Several roots therefore get one above them, before all other bones.
    fn join_roots(&mut self, context: &Context) {
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
        context.tell(&codes::COMMON_ROOT, "bones", format!("{roots} roots hang on it"));
    }

    fn bind(&mut self, node: NodeId, worlds: &[DAffine3], context: &Context) -> Instance {
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
    fn bind_skin(&mut self, id: SkinId) -> (DAffine3, Vec<u32>) {
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

    fn finish(mut self, context: &Context) -> Skeleton {
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

/// The way from each node up to the next bone. Each node is walked once.
struct Folds<'a> {
    scene: &'a Scene,
    by_node: &'a BTreeMap<NodeId, usize>,
    known: BTreeMap<NodeId, (Option<usize>, DAffine3)>,
}

impl Folds<'_> {
    /// The next bone above a node, and `bone_from_parent`: everything between that bone and the node.
    fn above(&mut self, node: NodeId) -> (Option<usize>, DAffine3) {
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

impl Skeleton {
    /// The bones in the file's terms.
    pub(super) fn to_bones(&self) -> Vec<FileBone> {
        self.bones.iter().enumerate().map(|(i, bone)| bone.to_file(i)).collect()
    }
}

impl Bone {
    fn to_file(&self, own_index: usize) -> FileBone {
        let [x, y, z, w] = self.rest.rotation.to_array().map(|v| v as f32);
        let inverse_rest = || inverse(&self.rest_world).unwrap_or(DAffine3::IDENTITY);
        let offset = self.offset.unwrap_or_else(inverse_rest);
        let m = offset.matrix3.to_cols_array_2d();
        let t = offset.translation.to_array();
        let (collision_mask, collision) = self.collision.unwrap_or_default();
        FileBone {
            name: self.name.as_str().into(),
            parent: self.parent.unwrap_or(own_index) as u32,
            position: floats(self.rest.translation),
            rotation: [w, x, y, z],
            scale: floats(self.rest.scale),
            offset_matrix: std::array::from_fn(|i| {
                let (row, column) = (i / 4, i % 4);
                (if column == 3 { t[row] } else { m[column][row] }) as f32
            }),
            collision_mask,
            collision,
        }
    }
}

fn is_identity(affine: &DAffine3) -> bool {
    *affine == DAffine3::IDENTITY
}

fn floats(v: DVec3) -> [f32; 3] {
    v.to_array().map(|v| v as f32)
}

fn inverse(affine: &DAffine3) -> Option<DAffine3> {
    let m = affine.matrix3;
    let size = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    // Columns that span nearly nothing: the inverse would be noise.
    let sound = affine.is_finite() && size > 0.0 && m.determinant().abs() > size * 1e-9;
    let inverse = affine.inverse();
    (sound && inverse.is_finite()).then_some(inverse)
}

/// Equal up to what 32-bit floats lose.
fn close(a: &DAffine3, b: &DAffine3) -> bool {
    let size = a.to_cols_array().iter().fold(1.0f64, |size, v| size.max(v.abs()));
    a.abs_diff_eq(*b, size * 1e-5)
}

/// The collision shape that an importer of this crate left.
fn collision(value: &Value) -> Option<(u8, Collision)> {
    let mask = u8::try_from(value.get("collision_mask")?.as_i64()?).ok()? & 3;
    let number = |v: &Value| v.as_f64().map(|f| f as f32);
    let mut shape = Collision::default();
    if mask & 1 != 0 {
        shape.radius = number(value.get("radius")?)?;
    }
    if mask & 2 != 0 {
        let corners = value.get("bounds")?.as_array()?;
        for (corner, target) in corners.iter().zip(&mut shape.bounds) {
            let numbers = corner.as_array()?;
            target.iter_mut().zip(numbers).for_each(|(t, n)| *t = number(n).unwrap_or(0.0));
        }
    }
    Some((mask, shape))
}
