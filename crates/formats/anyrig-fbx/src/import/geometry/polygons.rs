//! Polygons as files list them: corners one after another, the last one of each polygon as its bitwise complement.

use std::ops::Range;

/// The polygons of a mesh. Layers of data count corners, polygons and edges as the file does, so nothing is left out
/// here; faces that cannot be shown are marked.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygons {
    /// The point of each corner.
    pub corners: Vec<u32>,
    /// Start of each face in the corners, and its end.
    pub offsets: Vec<u32>,
    /// Faces with a corner whose point does not exist, ascending.
    pub broken: Vec<u32>,
    /// The first corner of each edge, in file order.
    pub edges: Vec<u32>,
}

impl Polygons {
    /// Resolves `PolygonVertexIndex`. A last polygon without an end mark ends with the list.
    pub fn new(mut indexes: Vec<i32>, points: usize, edges: &[i32]) -> Self {
        let offsets = offsets(&indexes);
        for index in &mut indexes {
            // The sign bit, everywhere, turns a mark into its complement.
            *index ^= *index >> 31;
        }
        let corners = bytemuck::allocation::cast_vec(indexes);
        let edges = edges.iter().filter_map(|e| u32::try_from(*e).ok()).collect();
        let mut polygons = Self { corners, offsets, broken: Vec::new(), edges };
        let is_inside = |corner: &u32| (*corner as usize) < points;
        // Looked at as a whole first, since hardly any file has such faces.
        if !polygons.corners.iter().fold(true, |all, corner| all & is_inside(corner)) {
            let is_broken = |face: &u32| !polygons.corners[polygons.face(*face as usize)].iter().all(is_inside);
            polygons.broken = (0..polygons.face_count() as u32).filter(is_broken).collect();
        }
        polygons
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The corners of a face.
    pub fn face(&self, face: usize) -> Range<usize> {
        let at = |index: usize| self.offsets.get(index).copied().unwrap_or(0) as usize;
        at(face)..at(face + 1)
    }

    /// The face of each corner.
    pub fn faces_of_corners(&self) -> Vec<u32> {
        let mut faces = Vec::with_capacity(self.corners.len());
        for face in 0..self.face_count() {
            faces.resize(self.face(face).end, face as u32);
        }
        faces
    }
}

/// Where faces begin and end in the corners.
fn offsets(indexes: &[i32]) -> Vec<u32> {
    let marks = indexes.iter().filter(|index| **index < 0).count();
    let mut offsets = Vec::with_capacity(marks + 2);
    offsets.push(0);
    let ends = indexes.iter().enumerate().filter(|(_, index)| **index < 0).map(|(last, _)| (last + 1) as u32);
    offsets.extend(ends);
    if indexes.last().is_some_and(|index| *index >= 0) {
        offsets.push(indexes.len() as u32);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complement_ends_a_polygon_and_so_does_the_list() {
        let polygons = Polygons::new(vec![0, 1, -3, 2, 1, 0, -4, 7, 0, 2], 4, &[0, 4, -1]);
        assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 0, 3, 7, 0, 2]);
        assert_eq!(polygons.offsets, [0, 3, 7, 10]);
        assert_eq!((polygons.broken.as_slice(), polygons.edges.as_slice()), (&[2][..], &[0, 4][..]));
        assert_eq!(polygons.faces_of_corners(), [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
        assert_eq!(Polygons::new(vec![], 0, &[]).face_count(), 0);
        assert_eq!(Polygons::new(vec![i32::MIN], 1, &[]).broken, [0]);
    }
}
