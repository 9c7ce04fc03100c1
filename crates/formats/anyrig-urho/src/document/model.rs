//! `.mdl`: models.

use super::layouts;
use super::{VertexElement, legacy_elements};
use anyrig_bytes::codec::{self, Codec, ReadCodec, Record, Span, TextForm, elements, list, record};
use anyrig_bytes::text::RawText;
use anyrig_bytes::{Context, Error, Place, Result, Rope, SharedBytes};

/// Which of the sibling layouts a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ModelLayout {
    /// A mask of elements per vertex buffer; the oldest.
    Umdl,
    /// A list of elements per vertex buffer; what Urho3D and its next of kin save.
    #[default]
    Umd2,
    /// As `UMD2`, with a version and, from version 2 on, the weight of each morph at rest; what rbfx saves.
    Umd3,
}

/// The version of `UMD3` that rbfx writes.
pub const UMD3_VERSION: u32 = 2;

/// From this version of `UMD3` on morphs have a weight at rest.
const MORPH_WEIGHTS: u32 = 2;

impl ModelLayout {
    /// The magic as text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Umdl => "UMDL",
            Self::Umd2 => "UMD2",
            Self::Umd3 => "UMD3",
        }
    }

    fn magic(self) -> [u8; 4] {
        match self {
            Self::Umdl => *b"UMDL",
            Self::Umd2 => *b"UMD2",
            Self::Umd3 => *b"UMD3",
        }
    }
}

/// A model file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Which layout it has.
    pub layout: ModelLayout,
    /// `UMD3`: 1 or 2.
    pub version: u32,
    /// Vertices.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// Indices.
    pub index_buffers: Vec<IndexBuffer>,
    /// What is drawn; each has one material.
    pub geometries: Vec<Geometry>,
    /// Morph targets.
    pub morphs: Vec<Morph>,
    /// The skeleton.
    pub bones: Vec<Bone>,
    /// Smallest and largest corner of all positions.
    pub bounding_box: [[f32; 3]; 2],
    /// One per geometry; old files have fewer or none.
    pub centres: Vec<[f32; 3]>,
    /// What follows: part of a centre in a cut file, or anything the engine would not read.
    pub tail: SharedBytes,
}

/// Interleaved vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexBuffer {
    /// Number of vertices.
    pub vertex_count: u32,
    /// `UMDL`: the mask of elements.
    pub element_mask: u32,
    /// `UMD2` and `UMD3`: the elements.
    pub elements: Vec<VertexElement>,
    /// First vertex that a morph moves.
    pub morph_range_start: u32,
    /// Number of vertices from there that morphs move.
    pub morph_range_count: u32,
    /// `vertex_count` vertices without padding.
    pub data: SharedBytes,
}

impl VertexBuffer {
    /// The elements of a vertex in order, by mask or list.
    pub fn layout(&self, layout: ModelLayout) -> Vec<VertexElement> {
        match layout {
            ModelLayout::Umdl => legacy_elements(self.element_mask).collect(),
            ModelLayout::Umd2 | ModelLayout::Umd3 => self.elements.clone(),
        }
    }

    /// Bytes of a vertex; `None` when an element has an unknown type.
    pub fn stride(&self, layout: ModelLayout) -> Option<usize> {
        let size = |e: VertexElement| e.kind().map(super::ElementType::size);
        match layout {
            ModelLayout::Umdl => legacy_elements(self.element_mask).map(size).sum(),
            ModelLayout::Umd2 | ModelLayout::Umd3 => self.elements.iter().copied().map(size).sum(),
        }
    }
}

/// Indices of 2 or 4 bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexBuffer {
    /// Number of indices.
    pub index_count: u32,
    /// 2 or 4.
    pub index_size: u32,
    /// The indices.
    pub data: SharedBytes,
}

impl IndexBuffer {
    /// An index; `None` when there is none at that position.
    pub fn index(&self, position: usize) -> Option<u32> {
        if self.index_size == 2 {
            return self.data.as_chunks::<2>().0.get(position).map(|b| u16::from_le_bytes(*b).into());
        }
        self.data.as_chunks::<4>().0.get(position).map(|b| u32::from_le_bytes(*b))
    }
}

/// Something that is drawn with one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Bone of each blend index; empty when blend indices are bones.
    pub bone_mapping: Vec<u32>,
    /// Levels of detail, the finest first.
    pub lods: Vec<Lod>,
}

/// How indices make primitives; the number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PrimitiveType {
    TriangleList = 0,
    LineList = 1,
    PointList = 2,
    TriangleStrip = 3,
    LineStrip = 4,
    TriangleFan = 5,
}

impl PrimitiveType {
    /// The type of a number; `None` when it is unknown.
    pub fn from_number(number: u32) -> Option<Self> {
        use PrimitiveType as P;
        let all = [P::TriangleList, P::LineList, P::PointList, P::TriangleStrip, P::LineStrip, P::TriangleFan];
        all.get(number as usize).copied()
    }
}

/// One level of detail of a geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lod {
    /// Distance from which it is drawn.
    pub distance: f32,
    /// See [`PrimitiveType`].
    pub primitive_type: u32,
    /// Which vertex buffer.
    pub vertex_buffer: u32,
    /// Which index buffer.
    pub index_buffer: u32,
    /// First index.
    pub index_start: u32,
    /// Number of indices.
    pub index_count: u32,
}

/// Bits of [`MorphBuffer::element_mask`].
pub mod morph_mask {
    /// Position deltas.
    pub const POSITION: u32 = 0x1;
    /// Normal deltas.
    pub const NORMAL: u32 = 0x2;
    /// Tangent deltas.
    pub const TANGENT: u32 = 0x80;
}

/// A morph target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Name.
    pub name: RawText,
    /// `UMD3` from version 2: weight at rest.
    pub initial_weight: f32,
    /// Deltas for each vertex buffer that it moves.
    pub buffers: Vec<MorphBuffer>,
}

/// The deltas of a morph target for one vertex buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphBuffer {
    /// Which vertex buffer.
    pub vertex_buffer: u32,
    /// Which deltas there are; see [`morph_mask`].
    pub element_mask: u32,
    /// Number of vertices.
    pub vertex_count: u32,
    /// Per vertex: index as u32, then three floats for each delta.
    pub data: SharedBytes,
}

/// The deltas of one vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MorphVertex {
    /// Index of the vertex in its buffer.
    pub vertex: u32,
    /// Position delta.
    pub position: Option<[f32; 3]>,
    /// Normal delta.
    pub normal: Option<[f32; 3]>,
    /// Tangent delta.
    pub tangent: Option<[f32; 3]>,
}

impl MorphBuffer {
    /// Bytes of a vertex.
    pub fn stride(&self) -> usize {
        let bits = [morph_mask::POSITION, morph_mask::NORMAL, morph_mask::TANGENT];
        4 + 12 * bits.iter().filter(|bit| self.element_mask & **bit != 0).count()
    }

    /// The deltas, vertex by vertex.
    pub fn vertices(&self) -> impl Iterator<Item = MorphVertex> + '_ {
        let mask = self.element_mask;
        self.data.chunks_exact(self.stride()).map(move |bytes| {
            let mut words = bytes.as_chunks::<4>().0.iter().copied();
            let vertex = words.next().map_or(0, u32::from_le_bytes);
            let mut delta = |bit| {
                let mut value = || words.next().map_or(0.0, f32::from_le_bytes);
                (mask & bit != 0).then(|| [value(), value(), value()])
            };
            MorphVertex {
                vertex,
                position: delta(morph_mask::POSITION),
                normal: delta(morph_mask::NORMAL),
                tangent: delta(morph_mask::TANGENT),
            }
        })
    }
}

/// A bone of the skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// Name.
    pub name: RawText,
    /// The parent's index; a root has its own.
    pub parent: u32,
    /// Rest position relative to the parent.
    pub position: [f32; 3],
    /// Rest rotation relative to the parent: w, x, y, z.
    pub rotation: [f32; 4],
    /// Rest scale.
    pub scale: [f32; 3],
    /// `bone_from_model` at bind time: three rows of four, row after row.
    pub offset_matrix: [f32; 12],
    /// What of the collision shape there is; bit 0 the radius, bit 1 the box.
    pub collision_mask: u8,
    /// The collision shape.
    pub collision: Collision,
}

/// Collision shape of a bone, in its space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collision {
    /// Radius of a sphere; present with bit 0 of the mask.
    pub radius: f32,
    /// Corners of a box; present with bit 1 of the mask.
    pub bounds: [[f32; 3]; 2],
}

impl Model {
    /// Reads a file.
    ///
    /// # Errors
    /// Truncated or malformed with the field's path; unsupported for vertex elements of an unknown type; limits.
    pub fn read(bytes: &SharedBytes, context: &Context) -> Result<Self> {
        codec::from_bytes(bytes, context, |codec: &mut ReadCodec<'_>, model| walk(codec, model))
    }

    /// Writes the file; byte-equal to what was read when nothing was changed.
    ///
    /// # Errors
    /// Malformed when counts and data contradict each other.
    pub fn write(&self) -> Result<Rope> {
        codec::to_rope(self, walk)
    }

    /// Where each field lies.
    ///
    /// # Errors
    /// As [`Model::write`].
    pub fn trace(&self) -> Result<Vec<Span>> {
        codec::trace(self, walk)
    }
}

fn walk<C: Codec>(codec: &mut C, model: &mut Model) -> Result<()> {
    let mut magic = model.layout.magic();
    codec.magic("magic", &mut magic)?;
    model.layout = match &magic {
        b"UMDL" => ModelLayout::Umdl,
        b"UMD2" => ModelLayout::Umd2,
        b"UMD3" => ModelLayout::Umd3,
        _ => return Err(Error::malformed(Place::byte(0), "the file does not begin with UMDL, UMD2 or UMD3")),
    };
    let layout = model.layout;
    if layout == ModelLayout::Umd3 {
        version(codec, &mut model.version)?;
    }
    let weighted = layout == ModelLayout::Umd3 && model.version >= MORPH_WEIGHTS;
    list(codec, "vertex_buffers", 16, &mut model.vertex_buffers, |c, b| vertex_buffer(c, layout, b))?;
    list(codec, "index_buffers", 8, &mut model.index_buffers, index_buffer)?;
    list(codec, "geometries", 8, &mut model.geometries, geometry)?;
    list(codec, "morphs", 5, &mut model.morphs, |c, m| morph(c, m, weighted))?;
    list(codec, "bones", 94, &mut model.bones, bone)?;
    codec.field("bounding_box", &mut model.bounding_box)?;
    // The count is not in the file: one per geometry, as far as the file goes.
    let centres = codec.trailing_count("centres", model.centres.len(), model.geometries.len(), 12)?;
    elements(codec, "centres", centres, &mut model.centres, |c, centre| c.field("position", centre))?;
    codec.rest("tail", &mut model.tail)
}

impl Record for Model {
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()> {
        walk(codec, self)
    }
}

fn version<C: Codec>(codec: &mut C, version: &mut u32) -> Result<()> {
    codec.field("version", version)?;
    if (1..=UMD3_VERSION).contains(version) {
        return Ok(());
    }
    let message = format!("version {version} of UMD3 is not known, only 1 and 2 are");
    Err(Error::unsupported(codec.place(), message))
}

fn vertex_buffer<C: Codec>(codec: &mut C, layout: ModelLayout, buffer: &mut VertexBuffer) -> Result<()> {
    codec.field("vertex_count", &mut buffer.vertex_count)?;
    match layout {
        ModelLayout::Umdl => codec.field("element_mask", &mut buffer.element_mask)?,
        ModelLayout::Umd2 | ModelLayout::Umd3 => {
            list(codec, "elements", 4, &mut buffer.elements, |c, element| c.field("descriptor", &mut element.0))?;
        }
    }
    codec.field("morph_range_start", &mut buffer.morph_range_start)?;
    codec.field("morph_range_count", &mut buffer.morph_range_count)?;
    let Some(stride) = buffer.stride(layout) else {
        let message = "a vertex element has a type above 6, whose size is not known";
        return Err(Error::unsupported(codec.place(), message));
    };
    let VertexBuffer { vertex_count, element_mask, elements, data, .. } = buffer;
    codec.items("data", (*vertex_count as usize, stride), data, || match layout {
        ModelLayout::Umdl => layouts::vertex(legacy_elements(*element_mask)),
        ModelLayout::Umd2 | ModelLayout::Umd3 => layouts::vertex(elements.iter().copied()),
    })
}

fn index_buffer<C: Codec>(codec: &mut C, buffer: &mut IndexBuffer) -> Result<()> {
    codec.field("index_count", &mut buffer.index_count)?;
    codec.field("index_size", &mut buffer.index_size)?;
    if !matches!(buffer.index_size, 2 | 4) {
        let message = format!("indices of {} bytes; only 2 and 4 exist", buffer.index_size);
        return Err(Error::malformed(codec.place(), message));
    }
    let size = buffer.index_size as usize;
    codec.items("data", (buffer.index_count as usize, size), &mut buffer.data, || layouts::index(size))
}

fn geometry<C: Codec>(codec: &mut C, geometry: &mut Geometry) -> Result<()> {
    list(codec, "bone_mapping", 4, &mut geometry.bone_mapping, |c, bone| c.field("bone", bone))?;
    list(codec, "lods", 24, &mut geometry.lods, |c, lod| {
        c.field("distance", &mut lod.distance)?;
        c.field("primitive_type", &mut lod.primitive_type)?;
        c.field("vertex_buffer", &mut lod.vertex_buffer)?;
        c.field("index_buffer", &mut lod.index_buffer)?;
        c.field("index_start", &mut lod.index_start)?;
        c.field("index_count", &mut lod.index_count)
    })
}

fn morph<C: Codec>(codec: &mut C, morph: &mut Morph, weighted: bool) -> Result<()> {
    codec.text("name", TextForm::NulTerminated, &mut morph.name)?;
    if weighted {
        codec.field("initial_weight", &mut morph.initial_weight)?;
    }
    list(codec, "buffers", 12, &mut morph.buffers, |c, buffer| {
        c.field("vertex_buffer", &mut buffer.vertex_buffer)?;
        c.field("element_mask", &mut buffer.element_mask)?;
        c.field("vertex_count", &mut buffer.vertex_count)?;
        let stride = buffer.stride();
        let mask = buffer.element_mask;
        c.items("data", (buffer.vertex_count as usize, stride), &mut buffer.data, || layouts::morph(mask))
    })
}

fn bone<C: Codec>(codec: &mut C, bone: &mut Bone) -> Result<()> {
    codec.text("name", TextForm::NulTerminated, &mut bone.name)?;
    codec.field("parent", &mut bone.parent)?;
    codec.field("position", &mut bone.position)?;
    codec.field("rotation", &mut bone.rotation)?;
    codec.field("scale", &mut bone.scale)?;
    codec.field("offset_matrix", &mut bone.offset_matrix)?;
    codec.field("collision_mask", &mut bone.collision_mask)?;
    let mask = bone.collision_mask;
    record(codec, "collision", &mut bone.collision, |c, collision| {
        if mask & 1 != 0 {
            c.field("radius", &mut collision.radius)?;
        }
        if mask & 2 != 0 {
            c.field("bounds", &mut collision.bounds)?;
        }
        Ok(())
    })
}
