//! Interleaved vertices to streams.

use crate::codes;
use crate::document::{ElementSemantic, ElementType, ModelLayout, VertexBuffer, VertexElement};
use anyrig_bytes::{Buffer, Context, Diagnostic, Place, Result, SharedBytes};
use anyrig_scene::{Influences, Semantic, Storage, Stream};
use std::ops::Range;

/// More bones than a blend index of a byte can say do not count.
pub(super) const MAX_LOCAL_BONES: usize = 256;

/// A range of a vertex buffer, taken apart.
pub(super) struct Vertices {
    pub(super) streams: Vec<Stream>,
    weights: Option<Buffer<f32>>,
    /// Blend indices; those that no byte holds are of no bone.
    bones: Vec<[u16; 4]>,
}

/// `None` when there is no position.
pub(super) fn decode(
    buffer: &VertexBuffer,
    layout: ModelLayout,
    range: Range<usize>,
    subject: &str,
    context: &Context,
) -> Result<Option<Vertices>> {
    let stride = buffer.stride(layout).unwrap_or_default();
    let bytes = buffer.data.slice(range.start * stride..range.end * stride).unwrap_or_default();
    context.take_elements(range.len() as u64, || Place::element(subject))?;
    let unpacked: usize = buffer.layout(layout).into_iter().map(unpacked_size).sum();
    context.take_memory((range.len() as u64).saturating_mul(unpacked as u64), || Place::element(subject))?;
    let mut vertices = Vertices { streams: Vec::new(), weights: None, bones: Vec::new() };
    let mut offset = 0;
    for element in buffer.layout(layout) {
        let Some(kind) = element.kind() else { return Ok(None) };
        let column = Column { bytes: &bytes, stride, offset };
        offset += kind.size();
        match (element.semantic(), kind) {
            (Some(ElementSemantic::BlendWeights), kind) => vertices.weights = Some(column.weights(kind)),
            (Some(ElementSemantic::BlendIndices), kind) => vertices.bones = column.indices(kind),
            (semantic, kind) => vertices.add(stream(semantic, element.index(), kind, column), subject, context),
        }
    }
    let has_position = vertices.streams.iter().any(|s| s.semantic == Semantic::Position);
    Ok(has_position.then_some(vertices))
}

/// Bytes of an element of one vertex once it is taken apart; bytes become floats.
fn unpacked_size(element: VertexElement) -> usize {
    match (element.semantic(), element.kind()) {
        (Some(ElementSemantic::BlendWeights), _) => size_of::<[f32; 4]>(),
        (Some(ElementSemantic::BlendIndices), _) => size_of::<[u16; 4]>(),
        (_, kind) => kind.map_or(0, ElementType::width) * size_of::<f32>(),
    }
}

fn stream(semantic: Option<ElementSemantic>, index: u32, kind: ElementType, column: Column<'_>) -> Stream {
    use ElementSemantic as S;
    use ElementType as T;
    let meaning = match (semantic, kind) {
        (Some(S::Position), T::Vector3) => Semantic::Position,
        (Some(S::Normal), T::Vector3) => Semantic::Normal,
        // A fourth value only fills up.
        (Some(S::Position), T::Vector4) => return Stream::new(Semantic::Position, 3, column.gather::<3>()),
        (Some(S::Normal), T::Vector4) => return Stream::new(Semantic::Normal, 3, column.gather::<3>()),
        (Some(S::Tangent), T::Vector4) => return Stream::new(Semantic::Tangent, 4, column.tangents()),
        (Some(S::TexCoord), T::Vector2) => Semantic::TexCoord(index),
        (Some(S::Color), T::UByte4Norm | T::Vector3 | T::Vector4) => Semantic::Color(index),
        (Some(semantic), _) => Semantic::Custom(format!("urho.{semantic:?}.{index}")),
        (None, _) => Semantic::Custom(format!("urho.unknown.{index}")),
    };
    let mut stream = Stream::new(meaning, kind.width() as u8, column.values(kind));
    stream.storage = match kind {
        T::UByte4 => Storage::U8,
        T::UByte4Norm => Storage::Unorm8,
        T::Int => Storage::U32,
        _ => Storage::F32,
    };
    stream
}

impl Vertices {
    fn add(&mut self, stream: Stream, subject: &str, context: &Context) {
        if self.streams.iter().any(|s| s.semantic == stream.semantic) {
            context.tell(&codes::DUPLICATE_ELEMENT, subject, stream.semantic.to_string());
            return;
        }
        self.streams.push(stream);
    }

    /// Influences by bone of the model.
    pub(super) fn bind(&self, mapping: &[u32], bone_count: usize, context: &Context) -> Result<Bound> {
        let Some(weights) = self.weights.as_ref().filter(|_| !self.bones.is_empty() && bone_count > 0) else {
            return Ok(Bound::default());
        };
        let table: Vec<Option<u32>> = (0..MAX_LOCAL_BONES as u32)
            .map(|local| if mapping.is_empty() { Some(local) } else { mapping.get(local as usize).copied() })
            .map(|bone| bone.filter(|b| (*b as usize) < bone_count))
            .collect();
        let bone = |local: u16| table.get(usize::from(local)).copied().flatten();
        let locals = self.bones.as_flattened();
        let bytes = size_of_val(locals) as u64 * 2;
        context.take_memory(bytes, Place::whole)?;
        let joints: Vec<u32> = locals.iter().map(|local| bone(*local).unwrap_or(0)).collect();
        let is_stray = |local: u16, weight: f32| weight != 0.0 && bone(local).is_none();
        let strays = locals.iter().zip(weights.iter()).filter(|(local, weight)| is_stray(**local, **weight)).count();
        let mut weights = weights.clone();
        if strays > 0 {
            context.take_memory(bytes, Place::whole)?;
            let pairs = locals.iter().zip(weights.make_mut());
            pairs.filter(|(local, weight)| is_stray(**local, **weight)).for_each(|(_, weight)| *weight = 0.0);
        }
        Ok(Bound { influences: Some(Influences::fixed(4, joints, weights)), strays: strays as u64 })
    }
}

/// Vertices bound to the bones of a mapping; those without weights are bound to nothing.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) influences: Option<Influences>,
    /// Influences of bones that do not exist; they have no weight now.
    strays: u64,
}

impl Bound {
    pub(super) fn tell(&self, bone_count: usize, subject: &str, context: &Context) {
        if self.strays > 0 {
            let message = format!("there are {bone_count} bones");
            context.push(Diagnostic::new(&codes::BONE_INDEX_OUT_OF_RANGE, subject, message).times(self.strays));
        }
    }
}

/// One element of every vertex.
#[derive(Clone, Copy)]
struct Column<'a> {
    bytes: &'a SharedBytes,
    stride: usize,
    offset: usize,
}

impl Column<'_> {
    fn values(self, kind: ElementType) -> Buffer<f32> {
        match kind {
            ElementType::Int => self.words().map(|w| u32::from_le_bytes(w) as f32).collect(),
            ElementType::UByte4 => self.words().flatten().map(f32::from).collect(),
            ElementType::UByte4Norm => self.unorm8(),
            _ => self.floats(kind.width()),
        }
    }

    /// Stays a range of the file when a vertex is nothing but this element.
    fn floats(self, width: usize) -> Buffer<f32> {
        if self.stride == width * 4 {
            return Buffer::from_le_bytes(self.bytes);
        }
        match width {
            1 => self.gather::<1>(),
            2 => self.gather::<2>(),
            3 => self.gather::<3>(),
            _ => self.gather::<4>(),
        }
    }

    fn gather<const N: usize>(self) -> Buffer<f32> {
        let mut values = Vec::with_capacity(self.bytes.len() / self.stride.max(1) * N);
        for vertex in self.bytes.chunks_exact(self.stride.max(1)) {
            let words = vertex.get(self.offset..).unwrap_or_default().as_chunks::<4>().0;
            let Some(words) = words.first_chunk::<N>() else { break };
            values.extend(words.map(f32::from_le_bytes));
        }
        values.into()
    }

    /// The engine's bitangent is `cross(tangent, normal) * w`, the scene's `cross(normal, tangent) * w`.
    fn tangents(self) -> Buffer<f32> {
        let mut values = self.floats(4);
        values.make_mut().chunks_exact_mut(4).for_each(|t| t[3] = -t[3]);
        values
    }

    fn words(self) -> impl Iterator<Item = [u8; 4]> {
        let vertices = self.bytes.as_slice().chunks_exact(self.stride.max(1));
        vertices.filter_map(move |v| v.get(self.offset..)?.first_chunk::<4>().copied())
    }

    fn unorm8(self) -> Buffer<f32> {
        self.words().flatten().map(|b| f32::from(b) / 255.0).collect()
    }

    /// Four weights of a vertex, whatever they are stored as; those that are not there are 0.
    fn weights(self, kind: ElementType) -> Buffer<f32> {
        match kind {
            ElementType::Vector4 | ElementType::UByte4Norm => self.values(kind),
            // Bytes that are not said to be normalised still share 255 between them.
            ElementType::UByte4 => self.unorm8(),
            _ => self.fours(kind).flatten().collect(),
        }
    }

    fn indices(self, kind: ElementType) -> Vec<[u16; 4]> {
        match kind {
            ElementType::UByte4 | ElementType::UByte4Norm => self.words().map(|w| w.map(u16::from)).collect(),
            // Casts stop at the ends of the range, which no bone has.
            _ => self.fours(kind).map(|v| v.map(|v| if v >= 0.0 { v as u16 } else { u16::MAX })).collect(),
        }
    }

    fn fours(self, kind: ElementType) -> impl Iterator<Item = [f32; 4]> {
        let (values, width) = (self.values(kind), kind.width().max(1));
        let four = move |i: usize| std::array::from_fn(|n| if n < width { values[i * width + n] } else { 0.0 });
        (0..self.bytes.len() / self.stride.max(1)).map(four)
    }
}
