//! Normals for meshes that have none: smooth across smooth edges, flat across hard ones.

use super::polygons::Polygons;
use glam::DVec3;
use std::collections::BTreeMap;

/// Which edges are smooth.
#[derive(Debug, Default)]
pub(super) enum Smoothing {
    /// Nothing is said: all edges are hard.
    #[default]
    None,
    /// One flag for each edge of [`Polygons::edges`].
    Edges(Vec<i32>),
    /// Groups of each face as a bit mask: an edge is smooth when its faces share a group.
    Faces(Vec<i32>),
}

/// A unit normal for each corner.
pub(super) fn from_smoothing(polygons: &Polygons, positions: &[[f32; 3]], smoothing: &Smoothing) -> Vec<f32> {
    let mut groups = Groups::new(polygons.corners.len());
    if !matches!(smoothing, Smoothing::None) {
        join_smooth(polygons, smoothing, &mut groups);
    }
    let mut sums = vec![DVec3::ZERO; polygons.corners.len()];
    for face in 0..polygons.face_count() {
        let normal = area_normal(polygons, positions, face);
        for corner in polygons.face(face) {
            sums[groups.top(corner)] += normal;
        }
    }
    let mut normals = Vec::with_capacity(sums.len() * 3);
    for corner in 0..sums.len() {
        let sum = sums[groups.top(corner)];
        let largest = sum.abs().max_element();
        let unit = if largest > 0.0 && largest.is_finite() { (sum / largest).try_normalize() } else { None };
        normals.extend_from_slice(&unit.unwrap_or(DVec3::Y).as_vec3().to_array());
    }
    normals
}

/// Newell's sum: normal to the polygon, its length twice the area; right for polygons that are not flat too.
fn area_normal(polygons: &Polygons, positions: &[[f32; 3]], face: usize) -> DVec3 {
    let corners = polygons.face(face);
    let at = |corner: usize| {
        let point = polygons.corners.get(corner).and_then(|p| positions.get(*p as usize));
        point.map_or(DVec3::ZERO, |p| DVec3::from(p.map(f64::from)))
    };
    let Some(origin) = corners.clone().next().map(at) else { return DVec3::ZERO };
    let mut sum = DVec3::ZERO;
    for corner in corners.clone() {
        let next = if corner + 1 == corners.end { corners.start } else { corner + 1 };
        sum += (at(corner) - origin).cross(at(next) - origin);
    }
    if sum.is_finite() { sum } else { DVec3::ZERO }
}

/// An edge between two points, the smaller one first.
type Edge = (u32, u32);

/// The corner at which an edge starts, the next corner of the same face, and whether it goes from the smaller point.
#[derive(Clone, Copy)]
struct Side {
    corner: u32,
    next: u32,
    face: u32,
    ascends: bool,
}

fn join_smooth(polygons: &Polygons, smoothing: &Smoothing, groups: &mut Groups) {
    let mut sides: Vec<(Edge, Side)> = Vec::with_capacity(polygons.corners.len());
    for face in 0..polygons.face_count() {
        let corners = polygons.face(face);
        for corner in corners.clone() {
            let next = if corner + 1 == corners.end { corners.start } else { corner + 1 };
            let (a, b) = (polygons.corners[corner], polygons.corners[next]);
            let side = Side { corner: corner as u32, next: next as u32, face: face as u32, ascends: a < b };
            sides.push(((a.min(b), a.max(b)), side));
        }
    }
    sides.sort_by_key(|(edge, side)| (*edge, side.corner));
    let flags = edge_flags(polygons, smoothing);
    for same in sides.chunk_by(|a, b| a.0 == b.0) {
        // Only where exactly two faces meet, one on either side.
        let [(edge, a), (_, b)] = same else { continue };
        if a.ascends == b.ascends || !is_smooth(*edge, (a.face, b.face), smoothing, &flags) {
            continue;
        }
        groups.join(a.corner as usize, b.next as usize);
        groups.join(a.next as usize, b.corner as usize);
    }
}

fn is_smooth(edge: Edge, faces: (u32, u32), smoothing: &Smoothing, flags: &BTreeMap<Edge, bool>) -> bool {
    match smoothing {
        Smoothing::None => false,
        Smoothing::Edges(_) => flags.get(&edge).copied().unwrap_or(false),
        Smoothing::Faces(masks) => {
            let mask = |face: u32| masks.get(face as usize).copied().unwrap_or(0);
            mask(faces.0) & mask(faces.1) != 0
        }
    }
}

fn edge_flags(polygons: &Polygons, smoothing: &Smoothing) -> BTreeMap<Edge, bool> {
    let Smoothing::Edges(values) = smoothing else { return BTreeMap::new() };
    let ends = edge_ends(polygons);
    ends.into_iter().zip(values).filter_map(|(edge, value)| Some((edge?, *value != 0))).collect()
}

/// The two points of each edge, the smaller one first; `None` for edges that do not exist.
pub(super) fn edge_ends(polygons: &Polygons) -> Vec<Option<Edge>> {
    let faces = polygons.faces_of_corners();
    let ends = |corner: &u32| {
        let corner = *corner as usize;
        let face = polygons.face(*faces.get(corner)? as usize);
        let next = if corner + 1 == face.end { face.start } else { corner + 1 };
        let (a, b) = (*polygons.corners.get(corner)?, *polygons.corners.get(next)?);
        Some((a.min(b), a.max(b)))
    };
    polygons.edges.iter().map(ends).collect()
}

/// Sets of corners that share a normal.
struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    fn top(&mut self, corner: usize) -> usize {
        let mut at = corner;
        while self.parents[at] as usize != at {
            // Halves the way for the next time.
            self.parents[at] = self.parents[self.parents[at] as usize];
            at = self.parents[at] as usize;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.top(a), self.top(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parents[high] = low as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit squares that meet at a right angle along the edge from point 0 to point 1.
    fn roof() -> (Polygons, Vec<[f32; 3]>) {
        let polygons = Polygons::new(vec![0, 1, 2, -4, 1, 0, 4, -6], 6, &[0]);
        let positions =
            vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
        (polygons, positions)
    }

    fn normal(values: &[f32], corner: usize) -> [f32; 3] {
        [values[corner * 3], values[corner * 3 + 1], values[corner * 3 + 2]]
    }

    #[test]
    fn hard_edges_are_flat_and_smooth_ones_are_shared() {
        let (polygons, positions) = roof();
        let flat = from_smoothing(&polygons, &positions, &Smoothing::None);
        assert_eq!((normal(&flat, 0), normal(&flat, 4)), ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0]));
        let half = 0.5f64.sqrt() as f32;
        for smoothing in [Smoothing::Edges(vec![1]), Smoothing::Faces(vec![6, 2])] {
            let smooth = from_smoothing(&polygons, &positions, &smoothing);
            for corner in [0, 1, 4, 5] {
                assert_eq!(normal(&smooth, corner), [0.0, half, half], "{smoothing:?}");
            }
            assert_eq!((normal(&smooth, 2), normal(&smooth, 6)), ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0]));
        }
        for smoothing in [Smoothing::Edges(vec![0]), Smoothing::Faces(vec![4, 2])] {
            assert_eq!(from_smoothing(&polygons, &positions, &smoothing), flat, "{smoothing:?}");
        }
    }

    #[test]
    fn degenerate_faces_get_some_unit_normal() {
        let polygons = Polygons::new(vec![0, 0, -1, 0, -2], 1, &[]);
        let normals = from_smoothing(&polygons, &[[1.0, 2.0, 3.0]], &Smoothing::Faces(vec![1, 1]));
        assert!(normals.chunks(3).all(|n| n == [0.0, 1.0, 0.0]));
    }
}
