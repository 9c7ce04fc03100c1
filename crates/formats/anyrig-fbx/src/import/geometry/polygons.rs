//! Polygons as files list them: corners one after another, the last one of each polygon as its bitwise complement.

use std::ops::Range;

/// The polygons of a mesh. Layers of data count corners, polygons and edges as the file does, so nothing is left out
/// here; faces that cannot be shown are marked.
#[derive(Debug, Default)]
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
    pub fn new(indexes: &[i32], points: usize, edges: &[i32]) -> Self {
        let mut corners = Vec::with_capacity(indexes.len());
        let mut offsets = vec![0u32];
        let mut broken = Vec::new();
        let mut is_broken = false;
        for (position, index) in indexes.iter().enumerate() {
            let is_last = *index < 0 || position + 1 == indexes.len();
            let point = (if *index < 0 { !*index } else { *index }) as u32;
            is_broken |= point as usize >= points;
            corners.push(point);
            if is_last {
                if std::mem::take(&mut is_broken) {
                    broken.push(offsets.len() as u32 - 1);
                }
                offsets.push(corners.len() as u32);
            }
        }
        let edges = edges.iter().filter_map(|e| u32::try_from(*e).ok()).collect();
        Self { corners, offsets, broken, edges }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complement_ends_a_polygon_and_so_does_the_list() {
        let polygons = Polygons::new(&[0, 1, -3, 2, 1, 0, -4, 7, 0, 2], 4, &[0, 4, -1]);
        assert_eq!(polygons.corners, [0, 1, 2, 2, 1, 0, 3, 7, 0, 2]);
        assert_eq!(polygons.offsets, [0, 3, 7, 10]);
        assert_eq!((polygons.broken.as_slice(), polygons.edges.as_slice()), (&[2][..], &[0, 4][..]));
        assert_eq!(polygons.faces_of_corners(), [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
        assert_eq!(Polygons::new(&[], 0, &[]).face_count(), 0);
        assert_eq!(Polygons::new(&[i32::MIN], 1, &[]).broken, [0]);
    }
}
