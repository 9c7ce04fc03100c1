//! Geometries to parts.

use super::vertices::{self, Bound, MAX_LOCAL_BONES, Vertices};
use crate::codes;
use crate::document::{Geometry, IndexBuffer, Lod, Model, PrimitiveType};
use anyrig_bytes::{Context, Diagnostic, Place, Result};
use anyrig_passes::expand;
use anyrig_scene::{Influences, Part, Topology};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// A part and where its points lie in the file.
pub(super) struct ImportedPart {
    pub(super) part: Part,
    pub(super) source: PartSource,
}

/// The vertices of the file that a part's points are.
#[derive(Clone, Copy, Default)]
pub(super) struct PartSource {
    pub(super) vertex_buffer: u32,
    pub(super) first: u32,
}

/// The parts of one level of detail.
#[derive(Default)]
pub(super) struct Level {
    pub(super) parts: Vec<ImportedPart>,
    /// From which distance on each part is drawn.
    pub(super) distances: Vec<f32>,
}

/// The levels of detail, the finest first. The first one has one part per geometry, in their order; geometries that
/// cannot be drawn give an empty part, so that materials keep their place. The others have only what there is.
pub(super) fn import(model: &Model, context: &Context) -> Result<Vec<Level>> {
    context.take_elements(model.geometries.len() as u64, || Place::element("geometries"))?;
    let mut importer =
        GeometryImporter { model, context, users: users(model), seen: BTreeMap::new(), bound: BTreeMap::new() };
    let mut levels = vec![Level::default()];
    for (i, geometry) in model.geometries.iter().enumerate() {
        context.check_cancelled()?;
        let subject = format!("geometries[{i}]");
        if geometry.lods.is_empty() {
            context.tell(&codes::BAD_GEOMETRY, subject.as_str(), "it has no level of detail");
            importer.add(&mut levels, 0, i, (None, 0.0));
        }
        for (level, lod) in geometry.lods.iter().enumerate() {
            context.take_elements(1, || Place::element(subject.as_str()))?;
            let place = if level == 0 { subject.clone() } else { format!("{subject}.lods[{level}]") };
            let part = importer.part(&place, geometry, lod)?;
            importer.add(&mut levels, level, i, (part, lod.distance));
        }
    }
    Ok(levels)
}

/// Key of a range of a vertex buffer that several geometries may share.
type RangeKey = (u32, usize, usize);

struct GeometryImporter<'a> {
    model: &'a Model,
    context: &'a Context,
    /// How many levels of detail draw from each vertex buffer.
    users: Vec<u32>,
    seen: BTreeMap<RangeKey, Vertices>,
    /// The influences of a range by what maps its blend indices, which often many geometries share.
    bound: BTreeMap<(RangeKey, &'a [u32]), Bound>,
}

impl<'a> GeometryImporter<'a> {
    /// Puts a part into its level; of the coarser ones, empty parts say nothing.
    fn add(&self, levels: &mut Vec<Level>, level: usize, slot: usize, found: (Option<(Part, PartSource)>, f32)) {
        let (part, distance) = found;
        if part.is_none() && level > 0 {
            return;
        }
        if levels.len() <= level {
            levels.resize_with(level + 1, Level::default);
        }
        let (mut part, source) = part.unwrap_or_default();
        part.slot = slot as u32;
        if let Some(level) = levels.get_mut(level) {
            level.parts.push(ImportedPart { part, source });
            level.distances.push(distance);
        }
    }

    fn part(&mut self, subject: &str, geometry: &'a Geometry, lod: &Lod) -> Result<Option<(Part, PartSource)>> {
        let (model, context) = (self.model, self.context);
        let vertex_buffer = model.vertex_buffers.get(lod.vertex_buffer as usize);
        let index_buffer = model.index_buffers.get(lod.index_buffer as usize);
        let primitive = PrimitiveType::from_number(lod.primitive_type);
        let (Some(vertex_buffer), Some(index_buffer), Some(primitive)) = (vertex_buffer, index_buffer, primitive)
        else {
            context.tell(&codes::BAD_GEOMETRY, subject, "its buffers or its primitive type do not exist");
            return Ok(None);
        };
        let (topology, mut corners) = self.corners(subject, lod, index_buffer, primitive)?;
        let size = corners_per_face(&topology);
        drop_bad_primitives(&mut corners, size, vertex_buffer.vertex_count, subject, context);
        if corners.is_empty() {
            return Ok(None);
        }
        let range = self.range(lod, &corners);
        let key = (lod.vertex_buffer, range.start, range.end);
        let Some(vertices) = self.vertices(key, subject)? else {
            return Ok(None);
        };
        let mut part = Part::default();
        part.topology = topology;
        part.point_count = range.len() as u32;
        part.streams = vertices.streams.clone();
        part.influences = self.influences(key, &geometry.bone_mapping, subject)?;
        let first = range.start as u32;
        if first > 0 {
            corners.iter_mut().for_each(|c| *c -= first);
        }
        part.corners = Some(corners.into());
        Ok(Some((part, PartSource { vertex_buffer: lod.vertex_buffer, first })))
    }

    fn corners(
        &self,
        subject: &str,
        lod: &Lod,
        buffer: &IndexBuffer,
        primitive: PrimitiveType,
    ) -> Result<(Topology, Vec<u32>)> {
        let (indices, mut cut) = read_indices(buffer, lod);
        self.context.take_elements(indices.len() as u64, || Place::element(subject))?;
        self.context.take_memory(indices.len() as u64 * 16, || Place::element(subject))?;
        let (topology, mut corners) = match primitive {
            PrimitiveType::TriangleList => (Topology::Triangles, indices),
            PrimitiveType::LineList => (Topology::Lines, indices),
            PrimitiveType::PointList => (Topology::Points, indices),
            PrimitiveType::TriangleStrip => (Topology::Triangles, expand::triangle_strip(Some(&indices), 0)),
            PrimitiveType::LineStrip => (Topology::Lines, expand::line_strip(Some(&indices), 0)),
            PrimitiveType::TriangleFan => (Topology::Triangles, expand::triangle_fan(Some(&indices), 0)),
        };
        let size = corners_per_face(&topology);
        cut |= corners.len() % size != 0;
        corners.truncate(corners.len() - corners.len() % size);
        if cut {
            let message = "indices that are not there, or half a primitive, were left out";
            self.context.tell(&codes::INDEX_RANGE_CUT, subject, message);
        }
        Ok((topology, corners))
    }

    /// The vertices that belong to a geometry: all of a buffer that no other one uses, else those its indices span.
    fn range(&self, lod: &Lod, corners: &[u32]) -> Range<usize> {
        let count = self.model.vertex_buffers.get(lod.vertex_buffer as usize).map_or(0, |b| b.vertex_count as usize);
        if self.users.get(lod.vertex_buffer as usize) == Some(&1) {
            return 0..count;
        }
        let first = corners.iter().min().map_or(0, |i| *i as usize);
        let last = corners.iter().max().map_or(0, |i| *i as usize);
        first..last + 1
    }

    fn vertices(&mut self, key: RangeKey, subject: &str) -> Result<Option<&Vertices>> {
        if !self.seen.contains_key(&key) {
            let (buffer, first, end) = key;
            let Some(source) = self.model.vertex_buffers.get(buffer as usize) else { return Ok(None) };
            let decoded = vertices::decode(source, self.model.layout, first..end, subject, self.context)?;
            let Some(decoded) = decoded else {
                self.context.tell(&codes::BAD_GEOMETRY, subject, "its vertices have no position of three floats");
                return Ok(None);
            };
            self.seen.insert(key, decoded);
        }
        Ok(self.seen.get(&key))
    }

    /// The influences of decoded vertices, by bone of the model.
    fn influences(&mut self, key: RangeKey, mapping: &'a [u32], subject: &str) -> Result<Option<Influences>> {
        let (bone_count, context) = (self.model.bones.len(), self.context);
        let mapping = mapping.get(..MAX_LOCAL_BONES).unwrap_or(mapping);
        let bound = match self.bound.entry((key, mapping)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(slot) => {
                let Some(vertices) = self.seen.get(&key) else { return Ok(None) };
                let bound = vertices.bind(mapping, bone_count, context);
                slot.insert(bound.map_err(|e| e.in_element(|| subject.to_owned()))?)
            }
        };
        bound.tell(bone_count, subject, context);
        Ok(bound.influences.clone())
    }
}

fn users(model: &Model) -> Vec<u32> {
    let mut users = vec![0u32; model.vertex_buffers.len()];
    for lod in model.geometries.iter().flat_map(|g| &g.lods) {
        if let Some(count) = users.get_mut(lod.vertex_buffer as usize) {
            *count = count.saturating_add(1);
        }
    }
    users
}

/// There are no polygons in the file.
fn corners_per_face(topology: &Topology) -> usize {
    topology.corners_per_face().unwrap_or(1)
}

/// The indices of a level of detail; true when some are not there.
fn read_indices(buffer: &IndexBuffer, lod: &Lod) -> (Vec<u32>, bool) {
    let size = if buffer.index_size == 2 { 2 } else { 4 };
    let available = buffer.data.len() / size;
    let start = (lod.index_start as usize).min(available);
    let end = start.saturating_add(lod.index_count as usize).min(available);
    let bytes = buffer.data.get(start * size..end * size).unwrap_or_default();
    let indices = if size == 2 {
        bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b).into()).collect()
    } else {
        bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    };
    (indices, end - start < lod.index_count as usize)
}

fn drop_bad_primitives(corners: &mut Vec<u32>, size: usize, vertex_count: u32, subject: &str, context: &Context) {
    if corners.iter().all(|c| *c < vertex_count) {
        return;
    }
    let before = corners.len();
    let kept = corners.chunks_exact(size).filter(|p| p.iter().all(|c| *c < vertex_count));
    *corners = kept.flatten().copied().collect();
    let dropped = ((before - corners.len()) / size) as u64;
    let message = format!("indices above the {vertex_count} vertices");
    context.push(Diagnostic::new(&codes::INDEX_OUT_OF_RANGE, subject, message).times(dropped));
}
