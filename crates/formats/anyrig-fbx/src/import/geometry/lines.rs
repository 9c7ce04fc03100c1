//! Geometry of the kind `Line`: points, and lists of indexes of which the last of each line is marked.

use super::Reader;
use crate::codes;
use crate::document::Node;
use anyrig_bytes::Result;
use anyrig_scene::{Part, Semantic, Stream, Topology};

impl Reader<'_, '_> {
    pub(super) fn lines(&mut self, node: Node<'_>) -> Result<Vec<Part>> {
        let positions = self.positions(node, "Points")?;
        let points = (positions.len() / 3) as u32;
        let indexes = self.array::<i32>(node, "PointsIndex")?;
        self.book(indexes.len() * 8, node)?;
        let corners = segments(&indexes);
        let total = corners.len();
        let corners: Vec<u32> = corners
            .as_chunks::<2>()
            .0
            .iter()
            .filter(|line| line.iter().all(|p| *p < points))
            .flatten()
            .copied()
            .collect();
        let lost = (total - corners.len()) / 2;
        self.push(&codes::FACES, node, "a line names a point that does not exist", lost as u64);
        if corners.is_empty() {
            return Ok(Vec::new());
        }
        let mut part = Part::default();
        part.topology = Topology::Lines;
        part.point_count = points;
        part.corners = Some(corners.into());
        part.set_stream(Stream::new(Semantic::Position, 3, positions));
        Ok(vec![part])
    }
}

/// Pairs of neighbours in each line; the bitwise complement ends one, as in polygons.
fn segments(indexes: &[i32]) -> Vec<u32> {
    let mut corners = Vec::with_capacity(indexes.len() * 2);
    let mut before: Option<u32> = None;
    for index in indexes {
        let is_last = *index < 0;
        let point = (if is_last { !*index } else { *index }) as u32;
        if let Some(before) = before {
            corners.extend([before, point]);
        }
        before = (!is_last).then_some(point);
    }
    corners
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_end_at_a_complement() {
        assert_eq!(super::segments(&[0, 1, -3, 4, -6, -7, 8]), [0, 1, 1, 2, 4, 5]);
    }
}
