//! Indices, geometries and bounds.

use super::pieces::Piece;
use crate::document::{Geometry, IndexBuffer, Lod, PrimitiveType};
use anyrig_bytes::{Context, Error, Place, Result};
use anyrig_scene::Topology;
use rayon::prelude::*;

/// Up to this many vertices, indices are 16 bits wide.
const MAX_SHORT_VERTICES: u32 = 65535;

/// The indices of all pieces, one after another.
pub(super) fn write_indices(pieces: &[Piece], vertex_count: u32, context: &Context) -> Result<IndexBuffer> {
    let count: usize = pieces.iter().map(Piece::corner_count).sum();
    let index_count = u32::try_from(count)
        .map_err(|_| Error::limit(Place::element("index buffer"), "more than 4294967295 indices do not fit a model"))?;
    let index_size = if vertex_count <= MAX_SHORT_VERTICES { 2 } else { 4 };
    context.take_memory(count as u64 * u64::from(index_size), || Place::element("index buffer"))?;
    let mut data = Vec::with_capacity(count * index_size as usize);
    for piece in pieces {
        let used = piece.corner_count();
        match piece.corners() {
            Some(corners) => {
                let corners =
                    corners.get(..used).unwrap_or(corners).iter().map(|c| c.saturating_add(piece.first_vertex));
                extend(&mut data, index_size, corners);
            }
            None => extend(&mut data, index_size, piece.first_vertex..piece.first_vertex + used as u32),
        }
    }
    Ok(IndexBuffer { index_count, index_size, data: data.into() })
}

fn extend(data: &mut Vec<u8>, index_size: u32, indices: impl Iterator<Item = u32>) {
    if index_size == 2 {
        indices.for_each(|i| data.extend_from_slice(&(i as u16).to_le_bytes()));
    } else {
        indices.for_each(|i| data.extend_from_slice(&i.to_le_bytes()));
    }
}

/// One geometry per piece that is no coarser level of another.
pub(super) fn geometries(pieces: &[Piece]) -> Vec<Geometry> {
    let mut index_start = 0;
    let mut geometries: Vec<Geometry> = Vec::new();
    for piece in pieces {
        let index_count = piece.corner_count() as u32;
        let primitive = match piece.part.topology {
            Topology::Points => PrimitiveType::PointList,
            Topology::Lines => PrimitiveType::LineList,
            Topology::Triangles | Topology::Polygons { .. } => PrimitiveType::TriangleList,
        };
        let (distance, primitive_type) = (piece.distance, primitive as u32);
        let lod = Lod { distance, primitive_type, index_start, index_count, ..Lod::default() };
        index_start += index_count;
        match piece.level.and_then(|finest| geometries.get_mut(finest)) {
            Some(finest) => finest.lods.push(lod),
            None => geometries.push(Geometry { bone_mapping: piece.bone_mapping.clone(), lods: vec![lod] }),
        }
    }
    geometries
}

type Bounds = [[f32; 3]; 2];

/// The box of all vertices, and the middle of each geometry's box.
pub(super) fn bounds(pieces: &[Piece]) -> (Bounds, Vec<[f32; 3]>) {
    let boxes: Vec<Option<Bounds>> = pieces.par_iter().map(bounds_of).collect();
    let middle = |[min, max]: Bounds| std::array::from_fn(|i| min[i] + (max[i] - min[i]) * 0.5);
    let finest = boxes.iter().zip(pieces).filter(|(_, piece)| piece.level.is_none());
    let centres = finest.map(|(b, _)| b.map_or([0.0; 3], middle)).collect();
    let all = boxes.into_iter().flatten().reduce(|a, b| [lower(a[0], b[0]), upper(a[1], b[1])]);
    (all.unwrap_or_default(), centres)
}

fn bounds_of(piece: &Piece) -> Option<Bounds> {
    let positions = piece.part.positions();
    let grow = |b: Option<Bounds>, p: [f32; 3]| Some(b.map_or([p, p], |[min, max]| [lower(min, p), upper(max, p)]));
    match &piece.points {
        None => positions.iter().copied().fold(None, grow),
        Some(points) => points.iter().filter_map(|p| positions.get(*p as usize)).copied().fold(None, grow),
    }
}

// Both keep what is not a number, which `min` and `max` would hide from the check that follows.
fn lower(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| if a[i] < b[i] || a[i].is_nan() { a[i] } else { b[i] })
}

fn upper(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| if a[i] > b[i] || a[i].is_nan() { a[i] } else { b[i] })
}
