//! The vertex buffer.

use super::pieces::Piece;
use crate::document::{ElementSemantic as S, ElementType as T, ModelLayout, VertexBuffer, VertexElement};
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Influences, Layout, Semantic, Stream};
use rayon::prelude::*;

/// Vertices that are written at once: their bytes stay in the cache while one element after another is filled in.
const CHUNK: usize = 1024;

/// The elements of every vertex, in the order of the engine's own files.
pub(super) fn layout(pieces: &[Piece], skinned: bool) -> Vec<VertexElement> {
    let mut elements = vec![
        VertexElement::new(S::Position, T::Vector3),
        VertexElement::new(S::Normal, T::Vector3),
        VertexElement::new(S::Color, T::UByte4Norm),
        VertexElement::new(S::TexCoord, T::Vector2),
    ];
    if pieces.iter().any(|p| p.part.stream(&Semantic::TexCoord(1)).is_some()) {
        elements.push(VertexElement::new(S::TexCoord, T::Vector2).with_index(1));
    }
    elements.push(VertexElement::new(S::Tangent, T::Vector4));
    if skinned {
        elements.push(VertexElement::new(S::BlendWeights, T::Vector4));
        elements.push(VertexElement::new(S::BlendIndices, T::UByte4));
    }
    elements
}

/// Writes the vertices of all pieces into one buffer.
pub(super) fn write(pieces: &[Piece], elements: &[VertexElement], context: &Context) -> Result<VertexBuffer> {
    let mut buffer = VertexBuffer { elements: elements.to_vec(), ..VertexBuffer::default() };
    let stride = buffer.stride(ModelLayout::Umd2).unwrap_or_default();
    let count: usize = pieces.iter().map(Piece::vertex_count).sum();
    context.take_memory((count as u64).saturating_mul(stride as u64), || Place::element("vertex buffer"))?;
    let mut data = vec![0u8; count * stride];
    let mut rest = data.as_mut_slice();
    let mut chunks = Vec::new();
    for piece in pieces {
        let (own, others) = std::mem::take(&mut rest).split_at_mut(piece.vertex_count() * stride);
        rest = others;
        chunks.extend(own.chunks_mut(CHUNK * stride).enumerate().map(|(i, bytes)| (piece, i * CHUNK, bytes)));
    }
    chunks.into_par_iter().for_each(|(piece, first, bytes)| {
        let mut offset = 0;
        for element in elements {
            fill(&mut Column { bytes, stride, offset, piece, first }, *element);
            offset += element.kind().map_or(0, T::size);
        }
    });
    buffer.vertex_count = count as u32;
    buffer.data = data.into();
    Ok(buffer)
}

/// One element of a run of vertices.
struct Column<'a> {
    bytes: &'a mut [u8],
    stride: usize,
    offset: usize,
    piece: &'a Piece,
    first: usize,
}

impl Column<'_> {
    /// Writes the value of each vertex's point.
    fn put<const N: usize>(&mut self, value: impl Fn(usize) -> [u8; N]) {
        let range = self.offset..self.offset + N;
        let vertices = self.bytes.chunks_exact_mut(self.stride);
        match &self.piece.points {
            None => {
                let points = self.first..;
                vertices.zip(points).for_each(|(v, point)| v[range.clone()].copy_from_slice(&value(point)));
            }
            Some(points) => {
                let points = points.get(self.first..).unwrap_or_default();
                vertices.zip(points).for_each(|(v, point)| v[range.clone()].copy_from_slice(&value(*point as usize)));
            }
        }
    }

    fn vectors<const N: usize, const BYTES: usize>(&mut self, semantic: &Semantic, missing: [f32; N])
    where
        [f32; N]: bytemuck::NoUninit,
        [u8; BYTES]: bytemuck::AnyBitPattern,
    {
        let values = self.piece.part.stream(semantic).and_then(Stream::arrays::<N>).unwrap_or(&[]);
        self.put(|point| bytemuck::cast::<[f32; N], [u8; BYTES]>(*values.get(point).unwrap_or(&missing)));
    }
}

fn fill(column: &mut Column<'_>, element: VertexElement) {
    match element.semantic() {
        Some(S::Position) => column.vectors::<3, 12>(&Semantic::Position, [0.0; 3]),
        Some(S::Normal) => column.vectors::<3, 12>(&Semantic::Normal, [0.0, 1.0, 0.0]),
        Some(S::TexCoord) => column.vectors::<2, 8>(&Semantic::TexCoord(element.index()), [0.0; 2]),
        Some(S::Color) => colors(column),
        Some(S::Tangent) => tangents(column),
        Some(S::BlendWeights) => weights(column),
        Some(S::BlendIndices) => indices(column),
        _ => {}
    }
}

/// White where the source has none.
fn colors(column: &mut Column<'_>) {
    let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    let stream = column.piece.part.stream(&Semantic::Color(0));
    if let Some(values) = stream.and_then(Stream::arrays::<4>) {
        column.put(|point| values.get(point).map_or([255; 4], |c| c.map(byte)));
    } else if let Some(values) = stream.and_then(Stream::arrays::<3>) {
        column.put(|point| values.get(point).map_or([255; 4], |c| [byte(c[0]), byte(c[1]), byte(c[2]), 255]));
    } else {
        column.put(|_| [255; 4]);
    }
}

/// The engine's bitangent is `cross(tangent, normal) * w`, the scene's `cross(normal, tangent) * w`.
fn tangents(column: &mut Column<'_>) {
    let values = column.piece.part.stream(&Semantic::Tangent).and_then(Stream::arrays::<4>).unwrap_or(&[]);
    column.put(|point| {
        let [x, y, z, w] = *values.get(point).unwrap_or(&[1.0, 0.0, 0.0, 1.0]);
        bytemuck::cast::<[f32; 4], [u8; 16]>([x, y, z, -w])
    });
}

fn weights(column: &mut Column<'_>) {
    let Some(influences) = &column.piece.part.influences else {
        return column.put(|_| bytemuck::cast::<[f32; 4], [u8; 16]>([1.0, 0.0, 0.0, 0.0]));
    };
    if influences.layout == Layout::Fixed(4) {
        let values = influences.weights.as_slice().as_chunks::<4>().0;
        return column.put(|point| bytemuck::cast::<[f32; 4], [u8; 16]>(*values.get(point).unwrap_or(&[0.0; 4])));
    }
    column.put(|point| bytemuck::cast::<[f32; 4], [u8; 16]>(first_four(influences.of(point).1, |w| *w)));
}

fn indices(column: &mut Column<'_>) {
    let piece = column.piece;
    let Some(influences) = &piece.part.influences else {
        let rigid = piece.blend_indices.first().copied().unwrap_or(0);
        return column.put(|_| [rigid, 0, 0, 0]);
    };
    let index = |joint: &u32| piece.blend_indices.get(*joint as usize).copied().unwrap_or(0);
    let joints = influences.joints.as_slice().as_chunks::<4>().0;
    let weights = influences.weights.as_slice().as_chunks::<4>().0;
    if influences.layout == Layout::Fixed(4) && joints.len() == weights.len() {
        return column.put::<4>(|point| {
            let (j, w) = (joints.get(point).unwrap_or(&[0; 4]), weights.get(point).unwrap_or(&[0.0; 4]));
            std::array::from_fn(|i| if w[i] == 0.0 { 0 } else { index(&j[i]) })
        });
    }
    column.put(|point| used_indices(influences, point, index));
}

/// Influences without weight say nothing; they point to blend index 0.
fn used_indices(influences: &Influences, point: usize, index: impl Fn(&u32) -> u8) -> [u8; 4] {
    let (joints, weights) = influences.of(point);
    let pairs: Vec<u8> = joints.iter().zip(weights).map(|(j, w)| if *w == 0.0 { 0 } else { index(j) }).collect();
    first_four(&pairs, |i| *i)
}

fn first_four<T, U: Copy + Default>(values: &[T], map: impl Fn(&T) -> U) -> [U; 4] {
    std::array::from_fn(|i| values.get(i).map(&map).unwrap_or_default())
}
