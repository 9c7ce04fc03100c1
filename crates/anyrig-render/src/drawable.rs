//! Posed geometry, ready to be drawn.

use crate::color::heat;
use anyrig_scene::{MeshId, NodeId, Part, Semantic, Stream};
use glam::{Vec2, Vec3, Vec4};

/// How the triangles of a drawable get their colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Paint {
    /// As the surface says.
    #[default]
    Material,
    /// Matt, in the colours of the points.
    Clay,
    /// Matt and pale, so that what is drawn over it stands out.
    Pale,
    /// Edges over matt.
    Wire,
    /// By whether the winding agrees with the normals, and which side is seen.
    Facing,
    /// Squares of the texture coordinates.
    Checker,
}

/// Colours of points, linear.
#[derive(Debug, Default)]
pub(crate) enum PointColors<'a> {
    #[default]
    None,
    Rgb(&'a [[f32; 3]]),
    Rgba(&'a [[f32; 4]]),
    Own(Vec<Vec4>),
    /// Values from 0 to 1 that a scale of colours shows. They are mixed before they are coloured: half way between
    /// two points lies the colour of their mean, which is no mean of their colours.
    Heat(Vec<f32>),
}

impl PointColors<'_> {
    /// The colour inside a triangle of three points.
    pub fn mixed(&self, points: [usize; 3], weights: Vec3) -> Vec4 {
        let [a, b, c] = points;
        if let Self::Heat(values) = self {
            let value = |point: usize| values.get(point).copied().unwrap_or(0.0);
            return heat(value(a) * weights.x + value(b) * weights.y + value(c) * weights.z).extend(1.0);
        }
        self.of(a) * weights.x + self.of(b) * weights.y + self.of(c) * weights.z
    }

    fn of(&self, point: usize) -> Vec4 {
        let found = match self {
            Self::None | Self::Heat(_) => None,
            Self::Rgb(colors) => colors.get(point).map(|c| Vec3::from_array(*c).extend(1.0)),
            Self::Rgba(colors) => colors.get(point).map(|c| Vec4::from_array(*c)),
            Self::Own(colors) => colors.get(point).copied(),
        };
        found.unwrap_or(Vec4::ONE)
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

/// Triangles of one part as one node shows it.
#[derive(Debug)]
pub(crate) struct Drawable<'a> {
    pub positions: Vec<[f32; 3]>,
    /// One for each point, or none.
    pub normals: Vec<[f32; 3]>,
    /// One for each point, or none.
    pub tangents: Vec<[f32; 4]>,
    pub colors: PointColors<'a>,
    /// By the number of the set; a set that the part has not is empty.
    pub uv_sets: Vec<&'a [[f32; 2]]>,
    corners: Option<&'a [u32]>,
    /// Number of triangles.
    pub triangles: usize,
    /// Index of the surface.
    pub surface: usize,
    /// Whether the pose turns the triangles inside out.
    pub mirrored: bool,
    pub paint: Paint,
    pub node: NodeId,
    pub mesh: MeshId,
    pub part: usize,
}

/// A triangle of a drawable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub drawable: u32,
    pub triangle: u32,
}

impl<'a> Drawable<'a> {
    /// The triangles of a part whose points stand where `posed` says.
    pub fn new(part: &'a Part, posed: anyrig_animation::PosedPart) -> Self {
        let corners = part.corners.as_ref().map(|c| c.as_slice());
        let count = corners.map_or(posed.positions.len(), <[u32]>::len);
        Self {
            colors: colors(part),
            uv_sets: uv_sets(part),
            corners,
            triangles: count / 3,
            surface: 0,
            mirrored: false,
            paint: Paint::Material,
            node: posed.node,
            mesh: posed.mesh,
            part: posed.part,
            positions: posed.positions,
            normals: posed.normals,
            tangents: posed.tangents,
        }
    }

    /// The points of a triangle, all of which have a position.
    pub fn points(&self, triangle: usize) -> Option<[usize; 3]> {
        let corner = |i: usize| match self.corners {
            Some(corners) => corners.get(3 * triangle + i).map(|point| *point as usize),
            None => Some(3 * triangle + i),
        };
        let points = [corner(0)?, corner(1)?, corner(2)?];
        points.iter().all(|p| *p < self.positions.len()).then_some(points)
    }

    pub fn position(&self, point: usize) -> Vec3 {
        Vec3::from_array(self.positions[point])
    }

    pub fn normal(&self, point: usize) -> Option<Vec3> {
        self.normals.get(point).map(|n| Vec3::from_array(*n))
    }

    pub fn uv(&self, set: usize, point: usize) -> Vec2 {
        let uvs = self.uv_sets.get(set).and_then(|uvs| uvs.get(point));
        uvs.map_or(Vec2::ZERO, |uv| Vec2::from_array(*uv))
    }
}

fn colors(part: &Part) -> PointColors<'_> {
    let Some(stream) = part.stream(&Semantic::Color(0)) else { return PointColors::None };
    match (stream.arrays::<3>(), stream.arrays::<4>()) {
        (Some(rgb), _) => PointColors::Rgb(rgb),
        (_, Some(rgba)) => PointColors::Rgba(rgba),
        _ => PointColors::None,
    }
}

/// Sets above this number are not read.
const UV_SETS: u32 = 8;

fn uv_sets(part: &Part) -> Vec<&[[f32; 2]]> {
    let of = |set: u32| part.stream(&Semantic::TexCoord(set)).and_then(Stream::arrays).unwrap_or(&[]);
    (0..UV_SETS).map(of).collect()
}
