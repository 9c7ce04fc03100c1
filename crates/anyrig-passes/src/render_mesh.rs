//! Corner and face attributes into point attributes.

use crate::check::check_part;
use crate::gather;
use anyrig_bytes::{Error, Result};
use anyrig_scene::{Domain, Part, Stream, Topology};
use std::cmp::Ordering;

/// The part with every stream on points, as graphics hardware wants it.
///
/// A part whose streams are all on points comes back with the same buffers. Otherwise points are split where their
/// corners differ: corners of one point with bit-equal attributes stay together, new points are numbered by their first
/// corner, points that no corner uses are left out. Influences and morph deltas follow. An unindexed part stays
/// unindexed and in order. The topology stays; polygons need [`crate::triangulate`] first.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for polygons; [`anyrig_bytes::ErrorKind::Malformed`] when indexes or stream
/// lengths are out of range, as `validate` would have repaired.
pub fn to_render_mesh(part: &Part) -> Result<Part> {
    if matches!(part.topology, Topology::Polygons { .. }) {
        return Err(Error::usage("polygons have to be triangulated before they become a render mesh"));
    }
    check_part(part)?;
    if part.streams.iter().all(|s| s.domain == Domain::Point) {
        return Ok(part.clone());
    }
    if part.corners.is_none() {
        return Ok(corners_are_points(part));
    }
    let first_corners = first_equal_corners(part);
    Ok(split(part, &first_corners))
}

/// Polygons were refused before.
fn face_size(part: &Part) -> usize {
    part.topology.corners_per_face().unwrap_or(3)
}

/// An unindexed part: corner streams are point streams already, face streams repeat over their corners.
fn corners_are_points(part: &Part) -> Part {
    let mut whole = part.clone();
    let size = face_size(part);
    // Leftover points behind the last whole face take the last face's value.
    let last = part.face_count().saturating_sub(1);
    for stream in &mut whole.streams {
        if stream.domain == Domain::Face {
            *stream = if part.face_count() == 0 {
                stream.clone().with_values(vec![0.0; part.point_count as usize * usize::from(stream.width)])
            } else {
                gather::stream(stream, (0..part.point_count as usize).map(|corner| (corner / size).min(last)))
            };
        }
        stream.domain = Domain::Point;
    }
    whole
}

/// Compares the attributes of two corners of one point by their bits.
struct Attributes<'a> {
    streams: Vec<&'a Stream>,
    face_size: usize,
}

impl Attributes<'_> {
    fn of<'s>(&self, stream: &'s Stream, corner: usize) -> &'s [f32] {
        let element = if stream.domain == Domain::Face { corner / self.face_size } else { corner };
        let width = usize::from(stream.width);
        // A leftover corner behind the last whole face has no face value.
        stream.values.get(element * width..(element + 1) * width).unwrap_or(&[])
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        let bits = |v: &f32| v.to_bits();
        let mut orders = self.streams.iter().map(|stream| {
            let (a, b) = (self.of(stream, a as usize), self.of(stream, b as usize));
            a.iter().map(bits).cmp(b.iter().map(bits))
        });
        orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// For each corner the first corner of the same point with the same attributes.
fn first_equal_corners(part: &Part) -> Vec<u32> {
    let streams = part.streams.iter().filter(|s| s.domain != Domain::Point).collect();
    let attributes = Attributes { streams, face_size: face_size(part) };
    let mut first_equal: Vec<u32> = (0..part.corner_count() as u32).collect();
    let (starts, by_point) = corners_by_point(part);
    let mut sorted = Vec::new();
    for range in starts.windows(2) {
        // Sorting bounds the work also where one point has very many corners.
        sorted.clear();
        sorted.extend_from_slice(&by_point[range[0] as usize..range[1] as usize]);
        sorted.sort_unstable_by(|a, b| attributes.compare(*a, *b).then(a.cmp(b)));
        for group in sorted.chunk_by(|a, b| attributes.compare(*a, *b).is_eq()) {
            group.iter().for_each(|corner| first_equal[*corner as usize] = group[0]);
        }
    }
    first_equal
}

/// The corners of each point, ascending: point `p` has `list[starts[p]..starts[p + 1]]`.
fn corners_by_point(part: &Part) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; part.point_count as usize + 1];
    for corner in 0..part.corner_count() {
        starts[part.point_of(corner) + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut list = vec![0u32; part.corner_count()];
    for corner in 0..part.corner_count() {
        let slot = &mut next[part.point_of(corner)];
        list[*slot as usize] = corner as u32;
        *slot += 1;
    }
    (starts, list)
}

fn split(part: &Part, first_equal: &[u32]) -> Part {
    let mut new_corners = Vec::with_capacity(first_equal.len());
    let mut corner_of_new: Vec<u32> = Vec::new();
    for (corner, first) in first_equal.iter().enumerate() {
        if *first as usize == corner {
            new_corners.push(corner_of_new.len() as u32);
            corner_of_new.push(corner as u32);
        } else {
            // The first equal corner lies before this one and has its new point already.
            new_corners.push(new_corners[*first as usize]);
        }
    }
    let old_of_new: Vec<u32> = corner_of_new.iter().map(|c| part.point_of(*c as usize) as u32).collect();
    let (size, last_face) = (face_size(part), part.face_count().saturating_sub(1));
    let mut whole = part.clone();
    for stream in &mut whole.streams {
        *stream = match stream.domain {
            Domain::Point => gather::stream(stream, old_of_new.iter().map(|p| *p as usize)),
            Domain::Corner => gather::stream(stream, corner_of_new.iter().map(|c| *c as usize)),
            Domain::Face if part.face_count() == 0 => {
                stream.clone().with_values(vec![0.0; old_of_new.len() * usize::from(stream.width)])
            }
            Domain::Face => gather::stream(stream, corner_of_new.iter().map(|c| (*c as usize / size).min(last_face))),
        };
        stream.domain = Domain::Point;
    }
    whole.influences = part.influences.as_ref().map(|i| gather::influences(i, &old_of_new));
    whole.morphs = part.morphs.iter().map(|m| gather::morph(m, &old_of_new, part.point_count as usize)).collect();
    whole.point_count = old_of_new.len() as u32;
    whole.corners = Some(new_corners.into());
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use anyrig_scene::{DeltaStream, Influences, PartMorph, Semantic};
    use proptest::prelude::*;

    fn part(points: u32, corners: Option<Vec<u32>>) -> Part {
        let mut part = Part::default();
        part.point_count = points;
        part.corners = corners.map(Into::into);
        let positions: Vec<f32> = (0..points * 3).map(|v| v as f32).collect();
        part.set_stream(Stream::new(Semantic::Position, 3, positions));
        part
    }

    fn on(domain: Domain, semantic: Semantic, width: u8, values: Vec<f32>) -> Stream {
        Stream::new(semantic, width, values).on(domain)
    }

    #[test]
    fn point_parts_keep_their_buffers() {
        let source = part(3, Some(vec![0, 2, 1]));
        let whole = to_render_mesh(&source).expect("valid");
        assert!(whole.streams[0].values.same_memory(&source.streams[0].values));
        assert_eq!(whole, source);
    }

    #[test]
    fn a_seam_splits_only_the_points_that_differ() {
        let mut source = part(5, Some(vec![1, 2, 3, 3, 2, 4]));
        // Point 2 has the same U on both sides, point 3 has not.
        source.set_stream(on(
            Domain::Corner,
            Semantic::TexCoord(0),
            2,
            vec![0.1, 0.0, 0.2, 0.0, 0.3, 0.0, 0.35, 0.0, 0.2, 0.0, 0.4, 0.0],
        ));
        source.influences = Some(Influences::ragged(
            vec![0, 1, 2, 4, 5, 6],
            vec![0, 1, 2, 3, 4, 5],
            vec![1.0, 1.0, 0.5, 0.5, 1.0, 1.0],
        ));
        let sparse = DeltaStream::new(Semantic::Position, 3, vec![9.0, 9.0, 9.0, 1.0, 2.0, 3.0]).at_points(vec![0, 3]);
        source.morphs = vec![PartMorph::new(vec![sparse])];
        let whole = to_render_mesh(&source).expect("valid");
        // New points by first corner: 1, 2, 3 (first side), 3 (second side), 4. Point 0 has no corner.
        assert_eq!(whole.corners.as_deref(), Some(&[0, 1, 2, 3, 1, 4][..]));
        assert_eq!(whole.point_count, 5);
        assert_eq!(whole.positions().iter().map(|p| p[0]).collect::<Vec<_>>(), [3.0, 6.0, 9.0, 9.0, 12.0]);
        let uvs = whole.stream(&Semantic::TexCoord(0)).expect("kept");
        assert_eq!(uvs.domain, Domain::Point);
        assert_eq!(&*uvs.values, &[0.1, 0.0, 0.2, 0.0, 0.3, 0.0, 0.35, 0.0, 0.4, 0.0]);
        let influences = whole.influences.expect("kept");
        assert_eq!(influences.of(1).0, [2, 3]);
        assert_eq!((influences.of(2).0, influences.of(3).0), (&[4][..], &[4][..]));
        let delta = &whole.morphs[0].deltas[0];
        assert_eq!(delta.points.as_deref(), Some(&[2, 3][..]));
        assert_eq!(&*delta.values, &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn face_values_go_to_all_corners() {
        let mut source = part(4, Some(vec![0, 1, 2, 0, 2, 3]));
        source.set_stream(on(Domain::Face, Semantic::Custom("id".into()), 1, vec![7.0, 8.0]));
        let whole = to_render_mesh(&source).expect("valid");
        assert_eq!(whole.point_count, 6);
        assert_eq!(&*whole.streams[1].values, &[7.0, 7.0, 7.0, 8.0, 8.0, 8.0]);
        source.set_stream(on(Domain::Face, Semantic::Custom("id".into()), 1, vec![7.0, 7.0]));
        assert_eq!(to_render_mesh(&source).expect("valid").point_count, 4);
    }

    #[test]
    fn unindexed_parts_stay_unindexed() {
        let mut source = part(6, None);
        source.set_stream(on(Domain::Corner, Semantic::TexCoord(0), 2, vec![0.5; 12]));
        source.set_stream(on(Domain::Face, Semantic::Custom("id".into()), 1, vec![1.0, 2.0]));
        let whole = to_render_mesh(&source).expect("valid");
        assert_eq!((whole.corners, whole.point_count), (None, 6));
        assert!(whole.streams[1].values.same_memory(&source.streams[1].values));
        assert_eq!(&*whole.streams[2].values, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    }

    #[test]
    fn malformed_parts_and_polygons_are_errors() {
        for part in malformed_parts() {
            assert!(to_render_mesh(&part).is_err());
        }
        let mut polygons = part(4, None);
        polygons.topology = Topology::Polygons { offsets: vec![0, 4].into() };
        assert!(to_render_mesh(&polygons).is_err());
    }

    proptest! {
        #[test]
        fn every_corner_keeps_what_it_had(
            corners in prop::collection::vec(0u32..6, 0..40),
            seed in prop::collection::vec(0u8..3, 40),
        ) {
            let corners = corners[..corners.len() / 3 * 3].to_vec();
            let mut source = part(6, Some(corners.clone()));
            let uvs: Vec<f32> = (0..corners.len()).flat_map(|i| [f32::from(seed[i]), 0.0]).collect();
            source.set_stream(on(Domain::Corner, Semantic::TexCoord(0), 2, uvs.clone()));
            let whole = to_render_mesh(&source).expect("valid");
            let new_uvs = whole.stream(&Semantic::TexCoord(0)).and_then(Stream::arrays::<2>).expect("kept");
            for corner in 0..corners.len() {
                let point = whole.point_of(corner);
                prop_assert_eq!(whole.positions()[point], source.positions()[source.point_of(corner)]);
                prop_assert_eq!(new_uvs[point][0], uvs[corner * 2]);
            }
            let mut distinct: Vec<(u32, u8)> = corners.iter().zip(&seed).map(|(c, s)| (*c, *s)).collect();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(whole.point_count as usize, distinct.len());
        }
    }
}
