//! Parts as they will be written: moved into the model's space, split where they use too many bones.

use super::materials::Slot;
use super::skeleton::{Binding, Instance, Joints, Plan, is_unbound};
use crate::codes;
use crate::lods;
use crate::options::UrhoOptions;
use anyrig_bytes::{Context, Diagnostic, Error, Place, Report, Result};
use anyrig_passes::{split_by_bones, transform_part, transformed_bytes, used_joints};
use anyrig_scene::{DeltaStream, Influences, Layout, Mesh, NodeId, Part, PartMorph, Scene, Stream};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes one geometry.
pub(super) struct Piece {
    /// The part, in the model's space.
    pub(super) part: Part,
    /// The part's point of each vertex; `None` when they are the same.
    pub(super) points: Option<Vec<u32>>,
    /// The vertex of each corner, from 0; `None` when they are the part's own.
    corners: Option<Vec<u32>>,
    /// Blend index of each joint of the part's influences.
    pub(super) blend_indices: Vec<u8>,
    /// Bone of each blend index.
    pub(super) bone_mapping: Vec<u32>,
    /// The material.
    pub(super) material: Slot,
    /// Which instance of the plan it is of.
    pub(super) instance: usize,
    /// Its first vertex in the vertex buffer.
    pub(super) first_vertex: u32,
    /// Distance from which it is drawn.
    pub(super) distance: f32,
    /// The geometry whose coarser level of detail it is; `None` for a geometry of its own.
    pub(super) level: Option<usize>,
}

impl Piece {
    pub(super) fn vertex_count(&self) -> usize {
        self.points.as_ref().map_or(self.part.point_count as usize, Vec::len)
    }

    /// The given corners; `None` when corner `i` is vertex `i`.
    pub(super) fn corners(&self) -> Option<&[u32]> {
        self.corners.as_deref().or(self.part.corners.as_deref())
    }

    /// Whole primitives only.
    pub(super) fn corner_count(&self) -> usize {
        let count = self.corners.as_ref().map_or_else(|| self.part.corner_count(), Vec::len);
        // Polygons were triangulated.
        count - count % self.part.topology.corners_per_face().unwrap_or(3)
    }
}

#[cfg(test)]
impl Piece {
    /// A piece of a part with so many points, all of them or some.
    pub(super) fn of_points(point_count: u32, points: Option<Vec<u32>>) -> Self {
        let mut part = Part::default();
        part.point_count = point_count;
        Self {
            part,
            points,
            corners: None,
            blend_indices: Vec::new(),
            bone_mapping: Vec::new(),
            material: None,
            instance: 0,
            first_vertex: 0,
            distance: 0.0,
            level: None,
        }
    }
}

/// All pieces in the order of instances and parts, with their places in the vertex buffer; after them the coarser levels
/// of detail.
pub(super) fn collect(scene: &Scene, plan: &Plan, options: &UrhoOptions, context: &Context) -> Result<Vec<Piece>> {
    let bone_count = plan.skeleton.as_ref().map_or(0, |s| s.bones.len());
    let ground = Ground { scene, options, bone_count, context };
    let mut finest = Vec::new();
    let mut coarser = Vec::new();
    for (index, instance) in plan.instances.iter().enumerate() {
        finest.extend(ground.items((index, instance), instance.node)?);
        for node in lods::coarser(scene, instance.node) {
            coarser.extend(ground.items((index, instance), node)?);
        }
    }
    let mut pieces: Vec<Piece> = make(finest, context)?.into_iter().map(|(_, piece)| piece).collect();
    let mut geometries: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
    if !coarser.is_empty() {
        for (geometry, piece) in pieces.iter().enumerate() {
            geometries.entry((piece.instance, piece.part.slot)).or_default().push(geometry);
        }
    }
    for (name, mut piece) in make(coarser, context)? {
        let geometry = geometries.get(&(piece.instance, piece.part.slot)).map(Vec::as_slice);
        // A level shares material and bones with the finest one; there is none to share with where that was split.
        match geometry {
            Some([geometry]) if pieces[*geometry].bone_mapping == piece.bone_mapping => piece.level = Some(*geometry),
            _ => {
                context.tell(&codes::LOD_LEFT_OUT, name, "no single geometry of the finest level fits it");
                continue;
            }
        }
        pieces.push(piece);
    }
    place(&mut pieces)?;
    Ok(pieces)
}

/// Makes the pieces of all items in parallel, each with the name of what it is a piece of.
fn make(items: Vec<Item<'_>>, context: &Context) -> Result<Vec<(String, Piece)>> {
    let done: Vec<(Report, Result<Vec<Piece>>, String)> = items
        .into_par_iter()
        .map(|item| {
            let mut report = Report::default();
            let pieces = context.check_cancelled().and_then(|()| item.pieces(context, &mut report));
            (report, pieces, item.name())
        })
        .collect();
    let mut pieces = Vec::new();
    for (report, result, name) in done {
        context.append(report);
        pieces.extend(result?.into_iter().map(|piece| (name.clone(), piece)));
    }
    Ok(pieces)
}

fn place(pieces: &mut [Piece]) -> Result<()> {
    let mut next = 0u32;
    for piece in pieces {
        piece.first_vertex = next;
        let count = u32::try_from(piece.vertex_count()).ok();
        let message = "more than 4294967295 vertices do not fit a model";
        next = count
            .and_then(|c| next.checked_add(c))
            .ok_or_else(|| Error::limit(Place::element("vertex buffer"), message))?;
    }
    Ok(())
}

/// What all items share.
#[derive(Clone, Copy)]
struct Ground<'a> {
    scene: &'a Scene,
    options: &'a UrhoOptions,
    bone_count: usize,
    context: &'a Context,
}

impl<'a> Ground<'a> {
    /// The parts of the mesh that a node shows, bound as an instance. Books what will be made of them: many nodes may
    /// show one mesh, and each gets its own.
    fn items(self, (index, instance): (usize, &'a Instance), node: NodeId) -> Result<Vec<Item<'a>>> {
        let Self { scene, options, bone_count, context } = self;
        context.check_cancelled()?;
        let Some(mesh) = scene.nodes[node].mesh.as_ref().and_then(|m| scene.meshes.get(m.mesh)) else {
            return Ok(Vec::new());
        };
        let place = || Place::element(scene.nodes[node].name.as_str());
        let each = (size_of::<Item<'_>>() + size_of::<Piece>()) as u64;
        context.take_memory(each.saturating_mul(mesh.parts.len() as u64), place)?;
        let item = |part| Item { scene, index, instance, node, mesh, part, options, bone_count };
        let items: Vec<Item<'_>> = (0..mesh.parts.len()).map(item).collect();
        context.take_memory(items.iter().map(Item::bytes).fold(0, u64::saturating_add), place)?;
        Ok(items)
    }
}

/// One part of one instance.
struct Item<'a> {
    scene: &'a Scene,
    index: usize,
    instance: &'a Instance,
    /// Shows the mesh: the instance's own, or that of a coarser level of detail.
    node: NodeId,
    mesh: &'a Mesh,
    part: usize,
    options: &'a UrhoOptions,
    bone_count: usize,
}

impl Item<'_> {
    fn name(&self) -> String {
        let node = &self.scene.nodes[self.node].name;
        format!("{} part {}", if node.is_empty() { &self.mesh.name } else { node }, self.part)
    }

    fn is_empty(&self) -> bool {
        let part = &self.mesh.parts[self.part];
        part.positions().is_empty() || part.face_count() == 0
    }

    /// What the part's pieces take besides themselves, however they are split.
    fn bytes(&self) -> u64 {
        let part = &self.mesh.parts[self.part];
        if self.is_empty() {
            return 0;
        }
        let mapping = 4 * self.bone_count.min(self.options.max_bones as usize);
        let binding = match &self.instance.binding {
            Binding::Static => 0,
            Binding::Rigid(_) => mapping,
            Binding::Skinned(Joints { bones, of_unbound }) => {
                // Points without weights get a row of one, rows of others may be copied; splits own corners and points.
                let rows = part.influences.as_ref().filter(|_| of_unbound.is_some()).map_or(0, |i| 8 * i.joints.len());
                mapping + bones.len() + rows + 12 * part.point_count as usize + 8 * part.corner_count()
            }
        };
        copied_bytes(part) + transformed_bytes(part, self.instance.model_from_mesh) + binding as u64
    }

    fn pieces(&self, context: &Context, report: &mut Report) -> Result<Vec<Piece>> {
        let source = &self.mesh.parts[self.part];
        if self.is_empty() {
            report.push(Diagnostic::new(&codes::EMPTY_PART, self.name(), ""));
            return Ok(Vec::new());
        }
        let mut part = source.clone();
        transform_part(&mut part, self.instance.model_from_mesh)?;
        let max_bones = self.options.max_bones as usize;
        match &self.instance.binding {
            Binding::Static => Ok(vec![self.whole(part, Vec::new(), Vec::new())]),
            Binding::Rigid(bone) => {
                part.influences = None;
                let (index, mapping) =
                    if self.bone_count <= max_bones { (*bone as u8, self.full_mapping()) } else { (0, vec![*bone]) };
                Ok(vec![self.whole(part, vec![index], mapping)])
            }
            Binding::Skinned(Joints { bones, of_unbound }) => {
                let without = give_weights(&mut part, *of_unbound);
                if without > 0 {
                    report.push(Diagnostic::new(&codes::WITHOUT_WEIGHTS, self.name(), "").times(without));
                }
                if self.bone_count <= max_bones {
                    let indices = bones.iter().map(|b| *b as u8).collect();
                    return Ok(vec![self.whole(part, indices, self.full_mapping())]);
                }
                self.split(part, bones, (context, report))
            }
        }
    }

    fn full_mapping(&self) -> Vec<u32> {
        (0..self.bone_count as u32).collect()
    }

    fn whole(&self, part: Part, blend_indices: Vec<u8>, bone_mapping: Vec<u32>) -> Piece {
        let node = &self.scene.nodes[self.node];
        let distances = lods::get(node).map(|(_, distances)| distances).unwrap_or_default();
        let instance = node.mesh.as_ref();
        let material = instance.and_then(|m| m.materials.get(part.slot as usize).copied().flatten());
        Piece {
            part,
            points: None,
            corners: None,
            blend_indices,
            bone_mapping,
            material,
            instance: self.index,
            first_vertex: 0,
            distance: distances.get(self.part).copied().unwrap_or(0.0),
            level: None,
        }
    }

    fn split(&self, part: Part, bones: &[u32], (context, report): (&Context, &mut Report)) -> Result<Vec<Piece>> {
        let max_bones = self.options.max_bones as usize;
        let used = used_joints(&part);
        if used.len() <= max_bones {
            let message = "it maps only the bones that it uses";
            report.push(Diagnostic::new(&codes::SPLIT_BY_BONES, self.name(), message));
            let (indices, mapping) = partial_mapping(&used, bones);
            return Ok(vec![self.whole(part, indices, mapping)]);
        }
        let groups = split_by_bones(&part, max_bones)?;
        let message = format!("{} bones: split into {} geometries", used.len(), groups.len());
        report.push(Diagnostic::new(&codes::SPLIT_BY_BONES, self.name(), message));
        let each = copied_bytes(&part) + (size_of::<Piece>() + bones.len()) as u64;
        context.take_memory(each.saturating_mul(groups.len() as u64), || Place::element(self.name()))?;
        let mut new_of_old = vec![0; part.point_count as usize];
        let pieces = groups.into_iter().map(|group| {
            let (indices, mapping) = partial_mapping(&group.joints, bones);
            let (points, corners) = own_points(&group.corners, &mut new_of_old);
            Piece { points: Some(points), corners: Some(corners), ..self.whole(part.clone(), indices, mapping) }
        });
        Ok(pieces.collect())
    }
}

/// The blend index of each joint of a skin, and the bone of each blend index. Several joints may be one bone.
fn partial_mapping(used_joints: &[u32], bones: &[u32]) -> (Vec<u8>, Vec<u32>) {
    let bone = |joint: &u32| bones.get(*joint as usize).copied();
    let mapping: Vec<u32> = used_joints.iter().filter_map(bone).collect::<BTreeSet<_>>().into_iter().collect();
    let mut indices = vec![0u8; bones.len()];
    for joint in used_joints {
        let index = bone(joint).and_then(|b| mapping.binary_search(&b).ok());
        if let (Some(index), Some(slot)) = (index, indices.get_mut(*joint as usize)) {
            *slot = index as u8;
        }
    }
    (indices, mapping)
}

/// The bytes of a copy of a part that shares its values.
fn copied_bytes(part: &Part) -> u64 {
    let deltas: usize = part.morphs.iter().map(|m| m.deltas.len()).sum();
    let lists = part.streams.len() * size_of::<Stream>() + part.morphs.len() * size_of::<PartMorph>();
    (lists + deltas * size_of::<DeltaStream>()) as u64
}

/// The points that corners use, in their order, and the corners over these. `new_of_old` has room for each point of the
/// part; all pieces of a part share it, since clearing it for each would cost as many steps as the part has points.
fn own_points(corners: &[u32], new_of_old: &mut [u32]) -> (Vec<u32>, Vec<u32>) {
    let mut points: Vec<u32> = corners.iter().copied().filter(|c| (*c as usize) < new_of_old.len()).collect();
    points.sort_unstable();
    points.dedup();
    for (new, old) in points.iter().enumerate() {
        new_of_old[*old as usize] = new as u32;
    }
    let corners = corners.iter().map(|c| new_of_old.get(*c as usize).copied().unwrap_or(0)).collect();
    (points, corners)
}

/// Puts a part of a skinned mesh that has no influences on the first joint; gives the number of its points. Points whose
/// weights are all 0 go to the given joint.
fn give_weights(part: &mut Part, of_unbound: Option<u32>) -> u64 {
    let count = part.point_count as usize;
    if let Some(influences) = &mut part.influences {
        if let Some(joint) = of_unbound {
            bind_unbound(influences, count, joint);
        }
        return 0;
    }
    part.influences = Some(Influences::fixed(1, vec![0; count], vec![1.0; count]));
    count as u64
}

fn bind_unbound(influences: &mut Influences, point_count: usize, joint: u32) {
    let unbound: Vec<usize> = (0..point_count).filter(|p| is_unbound(influences, *p)).collect();
    if unbound.is_empty() {
        return;
    }
    if let Layout::Fixed(width @ 1..) = influences.layout {
        let (joints, weights) = (influences.joints.make_mut(), influences.weights.make_mut());
        for first in unbound.into_iter().map(|p| p * width as usize) {
            if let (Some(j), Some(w)) = (joints.get_mut(first), weights.get_mut(first)) {
                (*j, *w) = (joint, 1.0);
            }
        }
        return;
    }
    let (mut offsets, mut joints, mut weights) = (vec![0u32], Vec::new(), Vec::new());
    for point in 0..point_count {
        if is_unbound(influences, point) {
            joints.push(joint);
            weights.push(1.0);
        } else {
            let (own_joints, own_weights) = influences.of(point);
            joints.extend_from_slice(own_joints);
            weights.extend_from_slice(own_weights);
        }
        offsets.push(joints.len() as u32);
    }
    let layout = Layout::Offsets(offsets.into());
    *influences = Influences::new(layout, joints, weights);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_pieces_own_the_points_they_use() {
        let mut new_of_old = [0; 7];
        let (points, corners) = own_points(&[5, 2, 5, 0, 2, 5], &mut new_of_old);
        assert_eq!(points, [0, 2, 5]);
        assert_eq!(corners, [2, 1, 2, 0, 1, 2]);
        assert_eq!(own_points(&[6, 5, 1], &mut new_of_old), (vec![1, 5, 6], vec![2, 1, 0]));
    }

    #[test]
    fn points_without_weights_go_to_their_joint_in_all_layouts() {
        let after = |layout, joints: Vec<u32>, weights: Vec<f32>| {
            let mut influences = Influences::new(layout, joints, weights);
            bind_unbound(&mut influences, 3, 9);
            let row = |p| {
                let (joints, weights) = influences.of(p);
                joints.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0).collect::<Vec<_>>()
            };
            [row(0), row(1), row(2)]
        };
        let kept = [vec![(1, 1.0)], vec![(9, 1.0)], vec![(2, 0.5), (3, 0.5)]];
        let fixed = after(Layout::Fixed(2), vec![1, 0, 4, 5, 2, 3], vec![1.0, 0.0, 0.0, 0.0, 0.5, 0.5]);
        assert_eq!(fixed, kept);
        let offsets = Layout::Offsets(vec![0, 1, 1, 3].into());
        assert_eq!(after(offsets, vec![1, 2, 3], vec![1.0, 0.5, 0.5]), kept);
        assert_eq!(after(Layout::Fixed(0), vec![], vec![]), [vec![(9, 1.0)], vec![(9, 1.0)], vec![(9, 1.0)]]);
    }

    #[test]
    fn joints_of_one_bone_share_a_blend_index() {
        let (indices, mapping) = partial_mapping(&[0, 2, 3], &[9, 1, 4, 9]);
        assert_eq!(mapping, [4, 9]);
        assert_eq!(indices, [1, 0, 0, 1]);
    }
}
