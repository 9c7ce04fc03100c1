//! Faces turned round.

use anyrig_scene::{Domain, Part, Topology};

/// Turns all faces of a part round: their corners, and the corner streams with them. An unindexed part becomes indexed;
/// one that comes back to its points' order becomes unindexed again.
pub(crate) fn turn_faces(part: &mut Part) {
    let corners = part.corners.clone();
    turn_faces_with(part, |topology| match corners {
        Some(corners) => turned_faces(topology, &corners, 1).into(),
        None => anyrig_bytes::Buffer::default(),
    });
}

/// As [`turn_faces`]; `turned` gives the turned corners of a part that is indexed.
pub(crate) fn turn_faces_with(part: &mut Part, turned: impl FnOnce(&Topology) -> anyrig_bytes::Buffer<u32>) {
    let topology = part.topology.clone();
    if matches!(topology, Topology::Points | Topology::Lines) {
        return;
    }
    for stream in part.streams.iter_mut().filter(|s| s.domain == Domain::Corner) {
        let values = turned_faces(&topology, &stream.values, usize::from(stream.width));
        stream.values = values.into();
    }
    if part.corners.is_none() {
        let order: Vec<u32> = (0..part.point_count).collect();
        part.corners = Some(turned_faces(&topology, &order, 1).into());
        return;
    }
    let corners = turned(&topology);
    let plain = corners.len() == part.point_count as usize && corners.iter().enumerate().all(|(i, c)| i == *c as usize);
    part.corners = (!plain).then_some(corners);
}

/// A list of `width` values per corner, each face's turned round behind its first corner.
pub(crate) fn turned_faces<T: Copy>(topology: &Topology, values: &[T], width: usize) -> Vec<T> {
    let mut values = values.to_vec();
    match topology {
        Topology::Points | Topology::Lines => {}
        Topology::Triangles => {
            for face in values.chunks_exact_mut(3 * width) {
                let (second, third) = face[width..].split_at_mut(width);
                second.swap_with_slice(third);
            }
        }
        Topology::Polygons { offsets } => {
            for range in offsets.windows(2).filter(|r| r[1] - r[0] > 2) {
                let corners = (range[0] as usize + 1) * width..range[1] as usize * width;
                let behind_first = &mut values[corners];
                behind_first.reverse();
                // Reversed as single values; each corner's own must stand as before.
                behind_first.chunks_exact_mut(width).for_each(<[T]>::reverse);
            }
        }
    }
    values
}
