//! Parts: the faces of a mesh by material slot and by kind.

use super::columns::Column;
use super::polygons::Polygons;
use anyrig_bytes::Buffer;
use anyrig_scene::{Domain, Part, Stream, Topology};
use std::collections::BTreeMap;

/// What a face becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Polygon,
    Line,
    Point,
}

/// Which faces are shown, and with which slot.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    /// The slot of each face; empty when all have slot 0.
    pub slots: Vec<u32>,
    /// Whether each face is left out; empty when none is.
    pub hidden: Vec<bool>,
}

/// Makes a part of all faces of one slot and kind, slots ascending.
pub(super) fn split(polygons: &Polygons, columns: &[Column], points: u32, faces: &Assignment) -> Vec<Part> {
    let mut groups: BTreeMap<(u32, Shape), Vec<u32>> = BTreeMap::new();
    for face in 0..polygons.face_count() {
        let shape = match polygons.face(face).len() {
            0 => continue,
            1 => Shape::Point,
            2 => Shape::Line,
            _ => Shape::Polygon,
        };
        if faces.hidden.get(face).copied().unwrap_or(false) {
            continue;
        }
        let slot = faces.slots.get(face).copied().unwrap_or(0);
        groups.entry((slot, shape)).or_default().push(face as u32);
    }
    let part = |((slot, shape), list): ((u32, Shape), Vec<u32>)| {
        let mut part = part(polygons, columns, &list, shape);
        (part.slot, part.point_count) = (slot, points);
        part
    };
    groups.into_iter().map(part).collect()
}

fn part(polygons: &Polygons, columns: &[Column], faces: &[u32], shape: Shape) -> Part {
    let all = faces.len() == polygons.face_count();
    let mut part = Part::default();
    part.topology = match shape {
        Shape::Point => Topology::Points,
        Shape::Line => Topology::Lines,
        Shape::Polygon if faces.iter().all(|f| polygons.face(*f as usize).len() == 3) => Topology::Triangles,
        Shape::Polygon if all => Topology::Polygons { offsets: polygons.offsets.clone().into() },
        Shape::Polygon => Topology::Polygons { offsets: offsets(polygons, faces) },
    };
    let corners = faces.iter().flat_map(|f| polygons.corners.get(polygons.face(*f as usize)).unwrap_or_default());
    part.corners = Some(if all { polygons.corners.clone().into() } else { corners.copied().collect() });
    for column in columns {
        let values = match column.domain {
            Domain::Corner if !all => gather(polygons, column, faces),
            _ => column.values.clone(),
        };
        let mut stream = Stream::new(column.semantic.clone(), column.width as u8, values);
        stream.domain = column.domain;
        part.set_stream(stream);
    }
    part
}

fn offsets(polygons: &Polygons, faces: &[u32]) -> Buffer<u32> {
    let mut end = 0;
    let ends = faces.iter().map(|f| {
        end += polygons.face(*f as usize).len() as u32;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

fn gather(polygons: &Polygons, column: &Column, faces: &[u32]) -> Buffer<f32> {
    let mut values = Vec::new();
    for face in faces {
        let corners = polygons.face(*face as usize);
        let range = corners.start * column.width..corners.end * column.width;
        values.extend_from_slice(column.values.get(range).unwrap_or_default());
    }
    values.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::Semantic;

    #[test]
    fn faces_go_into_parts_by_slot_and_kind() {
        let polygons = Polygons::new(&[0, 1, -3, 2, -4, 0, 1, 2, -4, -2, 3, 2, -1], 4, &[]);
        let values: Vec<f32> = (0..13u8).map(f32::from).collect();
        let column =
            Column { semantic: Semantic::Custom("c".into()), domain: Domain::Corner, width: 1, values: values.into() };
        let assignment = Assignment { slots: vec![1, 0, 0, 0, 1], hidden: vec![false, false, false, false, false] };
        let parts = split(&polygons, std::slice::from_ref(&column), 4, &assignment);
        let kinds: Vec<_> = parts.iter().map(|p| (p.slot, p.topology.clone(), p.corners.as_deref().unwrap())).collect();
        assert_eq!(kinds[0], (0, Topology::Polygons { offsets: vec![0, 4].into() }, &[0, 1, 2, 3][..]));
        assert_eq!(kinds[1], (0, Topology::Lines, &[2, 3][..]));
        assert_eq!(kinds[2], (0, Topology::Points, &[1][..]));
        assert_eq!(kinds[3], (1, Topology::Triangles, &[0, 1, 2, 3, 2, 0][..]));
        assert_eq!(&*parts[3].streams[0].values, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        let hidden = Assignment { slots: Vec::new(), hidden: vec![true, false, true, true, true] };
        assert_eq!(split(&polygons, &[column], 4, &hidden).len(), 1);
    }
}
