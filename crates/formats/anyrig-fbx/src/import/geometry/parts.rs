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

impl Shape {
    /// What a face of so many corners becomes; `None` for one of none.
    fn of(corners: u32) -> Option<Self> {
        match corners {
            0 => None,
            1 => Some(Self::Point),
            2 => Some(Self::Line),
            _ => Some(Self::Polygon),
        }
    }
}

/// Which faces are shown, and with which slot.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    /// The slot of each face; empty when all have slot 0.
    pub slots: Vec<u32>,
    /// Whether each face is left out; empty when none is.
    pub hidden: Vec<bool>,
}

/// What the faces of a part have in common.
type Key = (u32, Shape);

/// Makes a part of all faces of one slot and kind, slots ascending.
pub(super) fn split(polygons: Polygons, columns: &[Column], points: u32, faces: &Assignment) -> Vec<Part> {
    let mut parts = match key_of_all(&polygons, faces) {
        Some(key) => vec![whole(polygons, columns, key)],
        None => groups(&polygons, faces).iter().map(|(key, list)| part(&polygons, columns, (*key, list))).collect(),
    };
    parts.iter_mut().for_each(|part| part.point_count = points);
    parts
}

/// What all faces have in common, when they make one part.
fn key_of_all(polygons: &Polygons, assignment: &Assignment) -> Option<Key> {
    let slot = assignment.slots.first().copied().unwrap_or(0);
    // Faces beyond the list have slot 0.
    let is_listed = slot == 0 || assignment.slots.len() >= polygons.face_count();
    if !assignment.hidden.is_empty() || !is_listed || assignment.slots.iter().any(|other| *other != slot) {
        return None;
    }
    let mut shapes = polygons.offsets.windows(2).map(|ends| Shape::of(ends[1] - ends[0]));
    let shape = shapes.next()??;
    shapes.all(|other| other == Some(shape)).then_some((slot, shape))
}

/// The faces of each part, parts ascending.
fn groups(polygons: &Polygons, assignment: &Assignment) -> Vec<(Key, Vec<u32>)> {
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    let mut lists: Vec<Vec<u32>> = Vec::new();
    let mut last: Option<(Key, usize)> = None;
    for (face, ends) in polygons.offsets.windows(2).enumerate() {
        let Some(shape) = Shape::of(ends[1] - ends[0]) else { continue };
        if assignment.hidden.get(face).copied().unwrap_or(false) {
            continue;
        }
        let key = (assignment.slots.get(face).copied().unwrap_or(0), shape);
        // Most faces go where the one before went.
        let list = match last {
            Some((before, list)) if before == key => list,
            _ => *known.entry(key).or_insert(lists.len()),
        };
        if list == lists.len() {
            lists.push(Vec::new());
        }
        lists[list].push(face as u32);
        last = Some((key, list));
    }
    known.into_iter().map(|(key, list)| (key, std::mem::take(&mut lists[list]))).collect()
}

/// The part of all faces.
fn whole(polygons: Polygons, columns: &[Column], (slot, shape): Key) -> Part {
    let mut part = Part::default();
    part.slot = slot;
    let triangles = polygons.offsets.windows(2).all(|ends| ends[1] - ends[0] == 3);
    part.topology = topology(shape, triangles.then_some(3), || polygons.offsets.into());
    part.corners = Some(polygons.corners.into());
    for column in columns {
        add_stream(&mut part, column, column.values.clone());
    }
    part
}

fn part(polygons: &Polygons, columns: &[Column], ((slot, shape), faces): (Key, &[u32])) -> Part {
    let mut part = Part::default();
    part.slot = slot;
    let triangles = faces.iter().all(|f| polygons.face(*f as usize).len() == 3);
    part.topology = topology(shape, triangles.then_some(3), || offsets(polygons, faces));
    let corners = faces.iter().flat_map(|f| polygons.corners.get(polygons.face(*f as usize)).unwrap_or_default());
    part.corners = Some(corners.copied().collect());
    for column in columns {
        let values = match column.domain {
            Domain::Corner => gather(polygons, column, faces),
            _ => column.values.clone(),
        };
        add_stream(&mut part, column, values);
    }
    part
}

/// The topology of faces, of which all may have one size.
fn topology(shape: Shape, size: Option<usize>, offsets: impl FnOnce() -> Buffer<u32>) -> Topology {
    match (shape, size) {
        (Shape::Point, _) => Topology::Points,
        (Shape::Line, _) => Topology::Lines,
        (Shape::Polygon, Some(3)) => Topology::Triangles,
        (Shape::Polygon, _) => Topology::Polygons { offsets: offsets() },
    }
}

fn add_stream(part: &mut Part, column: &Column, values: Buffer<f32>) {
    let mut stream = Stream::new(column.semantic.clone(), column.width as u8, values);
    stream.domain = column.domain;
    part.set_stream(stream);
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
        let polygons = Polygons::new(vec![0, 1, -3, 2, -4, 0, 1, 2, -4, -2, 3, 2, -1], 4, &[]);
        let values: Vec<f32> = (0..13u8).map(f32::from).collect();
        let column =
            Column { semantic: Semantic::Custom("c".into()), domain: Domain::Corner, width: 1, values: values.into() };
        let assignment = Assignment { slots: vec![1, 0, 0, 0, 1], hidden: vec![false, false, false, false, false] };
        let polygons = || polygons.clone();
        let parts = split(polygons(), std::slice::from_ref(&column), 4, &assignment);
        let kinds: Vec<_> = parts.iter().map(|p| (p.slot, p.topology.clone(), p.corners.as_deref().unwrap())).collect();
        assert_eq!(kinds[0], (0, Topology::Polygons { offsets: vec![0, 4].into() }, &[0, 1, 2, 3][..]));
        assert_eq!(kinds[1], (0, Topology::Lines, &[2, 3][..]));
        assert_eq!(kinds[2], (0, Topology::Points, &[1][..]));
        assert_eq!(kinds[3], (1, Topology::Triangles, &[0, 1, 2, 3, 2, 0][..]));
        assert_eq!(&*parts[3].streams[0].values, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        let hidden = Assignment { slots: Vec::new(), hidden: vec![true, false, true, true, true] };
        assert_eq!(split(polygons(), std::slice::from_ref(&column), 4, &hidden).len(), 1);
        // One part needs no list of its faces, whichever slot they have.
        let quads = || Polygons::new(vec![0, 1, 2, -4, 3, 2, 1, -1], 4, &[]);
        for (slots, expected) in [(vec![], vec![0]), (vec![2, 2], vec![2]), (vec![2], vec![0, 2]), (vec![0], vec![0])] {
            let assignment = Assignment { slots, hidden: Vec::new() };
            let parts = split(quads(), std::slice::from_ref(&column), 4, &assignment);
            assert_eq!(parts.iter().map(|part| part.slot).collect::<Vec<_>>(), expected);
            assert!(parts.iter().all(|part| part.point_count == 4));
            if let [part] = parts.as_slice() {
                assert_eq!(part.corners.as_deref(), Some(&[0, 1, 2, 3, 3, 2, 1, 0][..]));
                assert_eq!(part.topology, Topology::Polygons { offsets: vec![0, 4, 8].into() });
            }
        }
    }
}
