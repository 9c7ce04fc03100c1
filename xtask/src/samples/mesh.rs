//! Parts of meshes out of grids.

use super::bind::Influence;
use super::grid::{Frame, Grid};
use anyrig_scene::glam::{DVec2, DVec3};
use anyrig_scene::{DeltaStream, Influences, Part, PartMorph, Semantic, Stream};

/// Whether vertices get tangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// They do.
    Stored,
    /// They do not; whoever needs them makes them.
    Missing,
}

/// A part that grows piece by piece.
#[derive(Default)]
pub struct PartBuilder {
    positions: Vec<f32>,
    normals: Vec<f32>,
    tangents: Vec<f32>,
    tex_coords: Vec<f32>,
    joints: Vec<u32>,
    weights: Vec<f32>,
    corners: Vec<u32>,
    morphs: Vec<Deltas>,
}

/// Deltas of one morph target, of the points that move.
#[derive(Default)]
struct Deltas {
    points: Vec<u32>,
    positions: Vec<f32>,
    normals: Vec<f32>,
}

impl PartBuilder {
    /// An empty part of a mesh with that many morph targets.
    pub fn new(morph_count: usize) -> Self {
        Self { morphs: (0..morph_count).map(|_| Deltas::default()).collect(), ..Self::default() }
    }

    /// Number of points so far.
    pub fn point_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// Adds a surface; `influence` says what moves each point.
    pub fn add_grid(&mut self, grid: &Grid, influence: impl Fn(DVec3) -> Option<Influence>) {
        let first = self.point_count() as u32;
        let (frames, tex_coords) = (grid.frames(), grid.tex_coords());
        for ((point, frame), tex_coord) in grid.points.iter().zip(&frames).zip(tex_coords) {
            self.add_point(*point, *frame, tex_coord, influence(*point));
        }
        self.corners.extend(grid.corners().into_iter().map(|c| first + c));
    }

    /// Adds a surface, and for each morph target the same surface as it looks with full weight.
    pub fn add_morphed(
        &mut self,
        grid: &Grid,
        morphs: &[impl Fn(DVec3) -> DVec3],
        influence: impl Fn(DVec3) -> Option<Influence>,
    ) {
        let first = self.point_count() as u32;
        self.add_grid(grid, influence);
        let rest = grid.frames();
        for (deltas, morph) in self.morphs.iter_mut().zip(morphs) {
            let moved = Grid { points: grid.points.iter().map(|p| morph(*p)).collect(), ..grid.clone() };
            if moved.points == grid.points {
                continue;
            }
            for (index, (frame, old)) in moved.frames().iter().zip(&rest).enumerate() {
                let position = moved.points[index] - grid.points[index];
                let normal = frame.normal - old.normal;
                if position.length() > 1e-6 || normal.length() > 1e-4 {
                    deltas.points.push(first + index as u32);
                    deltas.positions.extend(position.as_vec3().to_array());
                    deltas.normals.extend(normal.as_vec3().to_array());
                }
            }
        }
    }

    /// Adds one point; gives its index.
    pub fn add_point(&mut self, point: DVec3, frame: Frame, tex_coord: DVec2, influence: Option<Influence>) -> u32 {
        let index = self.point_count() as u32;
        self.positions.extend(point.as_vec3().to_array());
        self.normals.extend(frame.normal.as_vec3().to_array());
        self.tangents.extend(frame.tangent.as_vec3().to_array());
        self.tangents.push(frame.sign as f32);
        self.tex_coords.extend(tex_coord.as_vec2().to_array());
        if let Some((joints, weights)) = influence {
            self.joints.extend(joints);
            self.weights.extend(weights);
        }
        index
    }

    /// Adds a triangle.
    pub fn add_triangle(&mut self, corners: [u32; 3]) {
        self.corners.extend(corners);
    }

    /// The part, with a material slot.
    pub fn finish(self, slot: u32, tangents: Tangents) -> Part {
        let mut part = Part::default();
        part.point_count = self.point_count() as u32;
        part.slot = slot;
        part.set_stream(Stream::new(Semantic::Position, 3, self.positions));
        part.set_stream(Stream::new(Semantic::Normal, 3, self.normals));
        if tangents == Tangents::Stored {
            part.set_stream(Stream::new(Semantic::Tangent, 4, self.tangents));
        }
        part.set_stream(Stream::new(Semantic::TexCoord(0), 2, self.tex_coords));
        part.corners = Some(self.corners.into());
        if !self.joints.is_empty() {
            part.influences = Some(Influences::fixed(4, self.joints, self.weights));
        }
        part.morphs = self.morphs.into_iter().map(Deltas::finish).collect();
        part
    }
}

impl Deltas {
    fn finish(self) -> PartMorph {
        let stream = |semantic, points: &[u32], values: Vec<f32>| {
            DeltaStream::new(semantic, 3, values).at_points(points.to_vec())
        };
        PartMorph::new(vec![
            stream(Semantic::Position, &self.points, self.positions),
            stream(Semantic::Normal, &self.points, self.normals),
        ])
    }
}
