//! Meshes: parts with topology, streams, influences and morph deltas.

use crate::{Extras, Influences, Semantic, Stream};
use anyrig_bytes::Buffer;

/// Geometry that nodes show; each part has one material slot.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Mesh {
    /// Name; need not be unique.
    pub name: String,
    /// The parts in file order.
    pub parts: Vec<Part>,
    /// Morph targets; [`Part::morphs`] holds each one's deltas.
    pub morphs: Vec<MorphTarget>,
    /// What the model has no word for.
    pub extras: Extras,
}

/// A morph target of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MorphTarget {
    /// Name; may be empty.
    pub name: String,
    /// Weight at rest.
    pub default_weight: f32,
}

impl MorphTarget {
    /// A target with weight 0 at rest.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), default_weight: 0.0 }
    }
}

/// How corners make faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Topology {
    /// One corner a point.
    Points,
    /// Two corners a line.
    Lines,
    /// Three corners a triangle.
    #[default]
    Triangles,
    /// Polygons of any size: face `i` has the corners `offsets[i]..offsets[i + 1]`. One more offset than faces.
    Polygons {
        /// Start of each face in the corner list, and its end.
        offsets: Buffer<u32>,
    },
}

impl Topology {
    /// The number of corners of every face; `None` for polygons, whose faces differ.
    pub fn corners_per_face(&self) -> Option<usize> {
        match self {
            Self::Points => Some(1),
            Self::Lines => Some(2),
            Self::Triangles => Some(3),
            Self::Polygons { .. } => None,
        }
    }
}

/// A piece of a mesh with one topology and one material slot.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// How corners make faces.
    pub topology: Topology,
    /// The point of each corner; `None` when corner `i` is point `i` (an unindexed mesh).
    pub corners: Option<Buffer<u32>>,
    /// Number of points; point streams have that many elements.
    pub point_count: u32,
    /// Attributes; at most one of each semantic.
    pub streams: Vec<Stream>,
    /// Which of [`crate::MeshInstance::materials`] it wears.
    pub slot: u32,
    /// Joint influences per point, for a skin.
    pub influences: Option<Influences>,
    /// Deltas of each of the mesh's morph targets; empty, or as many as [`Mesh::morphs`].
    pub morphs: Vec<PartMorph>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Part {
    /// A stream by its meaning.
    pub fn stream(&self, semantic: &Semantic) -> Option<&Stream> {
        self.streams.iter().find(|s| s.semantic == *semantic)
    }

    /// Replaces the stream of the same meaning, or adds it.
    pub fn set_stream(&mut self, stream: Stream) {
        match self.streams.iter_mut().find(|s| s.semantic == stream.semantic) {
            Some(old) => *old = stream,
            None => self.streams.push(stream),
        }
    }

    /// Positions; empty when there are none.
    pub fn positions(&self) -> &[[f32; 3]] {
        self.stream(&Semantic::Position).and_then(Stream::arrays).unwrap_or(&[])
    }

    /// Number of corners.
    pub fn corner_count(&self) -> usize {
        self.corners.as_ref().map_or(self.point_count as usize, |c| c.len())
    }

    /// The point of a corner. After validation it is below [`Part::point_count`].
    pub fn point_of(&self, corner: usize) -> usize {
        self.corners.as_ref().map_or(corner, |c| c[corner] as usize)
    }

    /// Number of faces: points, lines, triangles or polygons.
    pub fn face_count(&self) -> usize {
        match &self.topology {
            Topology::Polygons { offsets } => offsets.len().saturating_sub(1),
            topology => self.corner_count() / topology.corners_per_face().unwrap_or(1),
        }
    }

    /// Number of triangles after triangulation; 0 for points and lines.
    pub fn triangle_count(&self) -> usize {
        match &self.topology {
            Topology::Points | Topology::Lines => 0,
            Topology::Triangles => self.corner_count() / 3,
            Topology::Polygons { offsets } => {
                offsets.windows(2).map(|w| (w[1].saturating_sub(w[0]) as usize).saturating_sub(2)).sum()
            }
        }
    }
}

/// The deltas of one morph target in one part.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PartMorph {
    /// One stream for each attribute that moves.
    pub deltas: Vec<DeltaStream>,
}

impl PartMorph {
    /// A morph of these attributes.
    pub fn new(deltas: Vec<DeltaStream>) -> Self {
        Self { deltas }
    }

    /// A delta stream by its meaning.
    pub fn delta(&self, semantic: &Semantic) -> Option<&DeltaStream> {
        self.deltas.iter().find(|d| d.semantic == *semantic)
    }
}

/// Deltas of one attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeltaStream {
    /// Which attribute moves.
    pub semantic: Semantic,
    /// Floats per element; 3 for position, normal and tangent.
    pub width: u8,
    /// The points that move, ascending; `None` when there is one element for each point.
    pub points: Option<Buffer<u32>>,
    /// `width` values per element.
    pub values: Buffer<f32>,
}

impl DeltaStream {
    /// Deltas of every point.
    pub fn new(semantic: Semantic, width: u8, values: impl Into<Buffer<f32>>) -> Self {
        Self { semantic, width, points: None, values: values.into() }
    }

    /// The same deltas, but only of these points, which ascend.
    #[must_use]
    pub fn at_points(mut self, points: impl Into<Buffer<u32>>) -> Self {
        self.points = Some(points.into());
        self
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.values.len() / usize::from(self.width.max(1))
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The point of an element.
    pub fn point_of(&self, element: usize) -> usize {
        self.points.as_ref().map_or(element, |p| p[element] as usize)
    }
}
