//! Polygons into triangles.

use crate::check::check_part;
use crate::{codes, for_each_part, gather};
use anyrig_bytes::{Buffer, Context, Diagnostic, Result};
use anyrig_scene::{Domain, Part, Scene, Topology};
use glam::{DVec2, DVec3};

/// Cuts all polygons of a scene into triangles, parts in parallel. Points, their streams, influences and morphs stay as
/// they are (the same buffers); corner and face streams follow the corners.
///
/// Triangles stay; quads are cut along the shorter diagonal that lies inside; larger polygons by ear clipping in the
/// plane of their Newell normal. Faces of fewer than three corners make no triangle. Holes are not part of the model.
/// Work is bounded: at most 1024 point tests per corner, then the rest of a polygon becomes a fan.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] for a part that was not validated;
/// [`anyrig_bytes::ErrorKind::LimitExceeded`]; [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn triangulate(scene: &mut Scene, context: &Context) -> Result<()> {
    for_each_part(scene, context, |place, part, report| {
        if matches!(part.topology, Topology::Polygons { .. }) {
            // A polygon of n corners becomes n - 2 triangles, so that there are fewer than corners in all.
            let triangles = part.triangle_count().min(part.corner_count());
            place.take_memory(context, triangles, bytes_per_triangle(part))?;
        }
        let fanned = triangulate_part(part)?;
        if fanned > 0 {
            let message = "it intersects itself or has no area";
            report.push(Diagnostic::new(&codes::POLYGON_FANNED, place.to_string(), message).times(fanned));
        }
        Ok(())
    })
}

/// Corners, where each came from, and the streams that follow them.
fn bytes_per_triangle(part: &Part) -> usize {
    let widths =
        |domain| part.streams.iter().filter(|s| s.domain == domain).map(|s| usize::from(s.width)).sum::<usize>();
    size_of::<u32>() * (3 * (2 + widths(Domain::Corner)) + 1 + widths(Domain::Face))
}

/// Like [`triangulate`] for one part. Gives the number of polygons that could only be cut as a fan, because they
/// intersect themselves or have no area.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] for a part that was not validated.
pub fn triangulate_part(part: &mut Part) -> Result<u64> {
    let Topology::Polygons { offsets } = &part.topology else { return Ok(0) };
    check_part(part)?;
    let offsets = offsets.clone();
    let mut cut = Cutter { part, corners: Vec::new(), faces: Vec::new(), fanned: 0 };
    for (face, range) in offsets.windows(2).enumerate() {
        cut.polygon(face as u32, range[0], range[1]);
    }
    let (corners, faces, fanned) = (cut.corners, cut.faces, cut.fanned);
    for stream in &mut part.streams {
        match stream.domain {
            Domain::Point => {}
            Domain::Corner => *stream = gather::stream(stream, corners.iter().map(|c| *c as usize)),
            Domain::Face => *stream = gather::stream(stream, faces.iter().map(|f| *f as usize)),
        }
    }
    part.corners = new_corners(part, corners);
    part.topology = Topology::Triangles;
    Ok(fanned)
}

fn new_corners(part: &Part, chosen: Vec<u32>) -> Option<Buffer<u32>> {
    match &part.corners {
        Some(points) => Some(chosen.iter().map(|c| points[*c as usize]).collect()),
        // All corners in order: the part stays unindexed.
        None if chosen.len() == part.point_count as usize
            && chosen.iter().enumerate().all(|(i, c)| i == *c as usize) =>
        {
            None
        }
        None => Some(chosen.into()),
    }
}

struct Cutter<'a> {
    part: &'a Part,
    /// The old corner of each new one.
    corners: Vec<u32>,
    /// The old face of each triangle.
    faces: Vec<u32>,
    fanned: u64,
}

impl Cutter<'_> {
    fn polygon(&mut self, face: u32, start: u32, end: u32) {
        let before = self.corners.len();
        match end - start {
            0..=2 => return,
            3 => self.corners.extend(start..end),
            4 => self.quad(start),
            _ => self.ears(start, end),
        }
        let triangles = (self.corners.len() - before) / 3;
        self.faces.extend(std::iter::repeat_n(face, triangles));
    }

    fn position(&self, corner: u32) -> DVec3 {
        let position = self.part.positions().get(self.part.point_of(corner as usize));
        position.map_or(DVec3::ZERO, |p| DVec3::from(p.map(f64::from)))
    }

    fn quad(&mut self, start: u32) {
        let p = [0, 1, 2, 3].map(|i| self.position(start + i));
        let normal = (p[2] - p[0]).cross(p[3] - p[1]);
        let faces_up = |a: usize, b: usize, c: usize| (p[b] - p[a]).cross(p[c] - p[a]).dot(normal) > 0.0;
        let first = faces_up(0, 1, 2) && faces_up(0, 2, 3);
        let second = faces_up(1, 2, 3) && faces_up(1, 3, 0);
        let second_is_shorter = p[1].distance_squared(p[3]) < p[0].distance_squared(p[2]);
        self.fanned += u64::from(!first && !second);
        let corners = if second && (second_is_shorter || !first) { [1, 2, 3, 1, 3, 0] } else { [0, 1, 2, 0, 2, 3] };
        self.corners.extend(corners.map(|i| start + i));
    }

    fn ears(&mut self, start: u32, end: u32) {
        let positions: Vec<DVec3> = (start..end).map(|c| self.position(c)).collect();
        let Some(flat) = flatten(&positions) else {
            self.fanned += 1;
            return self.fan(start, &(0..end - start).collect::<Vec<_>>());
        };
        let mut clip = EarClip::new(&flat);
        let done = clip.run();
        self.corners.extend(clip.triangles.iter().map(|i| start + i));
        if !done {
            self.fanned += 1;
            let rest = clip.ring();
            self.fan(start, &rest);
        }
    }

    fn fan(&mut self, start: u32, ring: &[u32]) {
        for pair in ring.get(1..).unwrap_or(&[]).windows(2) {
            self.corners.extend([ring[0], pair[0], pair[1]].map(|i| start + i));
        }
    }
}

/// The polygon in the plane of its Newell normal, counter-clockwise; `None` when it has no area.
fn flatten(positions: &[DVec3]) -> Option<Vec<DVec2>> {
    // Relative to the first corner, so that a polygon far from the origin keeps its digits.
    let origin = *positions.first()?;
    let local: Vec<DVec3> = positions.iter().map(|p| *p - origin).collect();
    let pairs = local.iter().zip(local.iter().cycle().skip(1));
    let normal: DVec3 = pairs.map(|(a, b)| a.cross(*b)).sum();
    let normal = normal.try_normalize()?;
    let size = normal.abs();
    let project: fn(&DVec3) -> DVec2 = if size.z >= size.x && size.z >= size.y {
        if normal.z > 0.0 { |p| DVec2::new(p.x, p.y) } else { |p| DVec2::new(p.y, p.x) }
    } else if size.x >= size.y {
        if normal.x > 0.0 { |p| DVec2::new(p.y, p.z) } else { |p| DVec2::new(p.z, p.y) }
    } else if normal.y > 0.0 {
        |p| DVec2::new(p.z, p.x)
    } else {
        |p| DVec2::new(p.x, p.z)
    };
    Some(local.iter().map(project).collect())
}

/// Cuts ears off a simple counter-clockwise polygon.
struct EarClip<'a> {
    points: &'a [DVec2],
    previous: Vec<u32>,
    next: Vec<u32>,
    /// Corners that may lie inside an ear; some may be gone or convex by now.
    reflex: Vec<u32>,
    left: usize,
    current: u32,
    tests_left: u64,
    triangles: Vec<u32>,
}

/// Bound on the work of a polygon, in point tests per corner.
const TESTS_PER_CORNER: u64 = 1024;

impl<'a> EarClip<'a> {
    fn new(points: &'a [DVec2]) -> Self {
        let count = points.len() as u32;
        let mut clip = Self {
            points,
            previous: (0..count).map(|i| (i + count - 1) % count).collect(),
            next: (0..count).map(|i| (i + 1) % count).collect(),
            reflex: Vec::new(),
            left: points.len(),
            current: 1,
            tests_left: u64::from(count) * TESTS_PER_CORNER,
            triangles: Vec::with_capacity(points.len().saturating_sub(2) * 3),
        };
        clip.reflex = (0..count).filter(|i| !clip.is_convex(*i)).collect();
        clip
    }

    fn neighbours(&self, corner: u32) -> (u32, u32) {
        (self.previous[corner as usize], self.next[corner as usize])
    }

    fn at(&self, corner: u32) -> DVec2 {
        self.points[corner as usize]
    }

    fn is_convex(&self, corner: u32) -> bool {
        let (before, after) = self.neighbours(corner);
        turn(self.at(before), self.at(corner), self.at(after)) > 0.0
    }

    /// True when the whole polygon was cut.
    fn run(&mut self) -> bool {
        let mut misses = 0;
        while self.left > 3 {
            if misses >= self.left || self.tests_left == 0 {
                return false;
            }
            if self.is_ear(self.current) {
                self.clip(self.current);
                misses = 0;
            } else {
                self.current = self.next[self.current as usize];
                misses += 1;
            }
        }
        // What is left may be a sliver; it is a triangle all the same.
        let (before, after) = self.neighbours(self.current);
        self.triangles.extend([before, self.current, after]);
        true
    }

    fn is_ear(&mut self, corner: u32) -> bool {
        if !self.is_convex(corner) {
            return false;
        }
        let (before, after) = self.neighbours(corner);
        let triangle = [self.at(before), self.at(corner), self.at(after)];
        self.tests_left = self.tests_left.saturating_sub(1 + self.reflex.len() as u64);
        self.reflex.iter().all(|other| {
            let point = self.at(*other);
            triangle.contains(&point) || !holds(&triangle, point)
        })
    }

    fn clip(&mut self, corner: u32) {
        let (before, after) = self.neighbours(corner);
        self.triangles.extend([before, corner, after]);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.left -= 1;
        self.current = after;
        let mut reflex = std::mem::take(&mut self.reflex);
        // Cutting an ear can only make its neighbours convex.
        reflex.retain(|i| *i != corner && !((*i == before || *i == after) && self.is_convex(*i)));
        self.reflex = reflex;
    }

    /// What is left, from the lowest corner on.
    fn ring(&self) -> Vec<u32> {
        let mut ring = vec![self.current];
        let mut at = self.next[self.current as usize];
        while at != self.current {
            ring.push(at);
            at = self.next[at as usize];
        }
        let lowest = ring.iter().enumerate().min_by_key(|(_, corner)| **corner).map_or(0, |(i, _)| i);
        ring.rotate_left(lowest);
        ring
    }
}

fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Inside or on the edge of a counter-clockwise triangle.
fn holds(triangle: &[DVec2; 3], point: DVec2) -> bool {
    let [a, b, c] = *triangle;
    turn(a, b, point) >= 0.0 && turn(b, c, point) >= 0.0 && turn(c, a, point) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use anyrig_bytes::maths;
    use anyrig_scene::{Mesh, Semantic, Stream};
    use proptest::prelude::*;

    fn polygons(points: &[[f32; 3]], offsets: &[u32]) -> Part {
        let mut part = Part::default();
        part.point_count = points.len() as u32;
        part.topology = Topology::Polygons { offsets: offsets.to_vec().into() };
        part.set_stream(Stream::new(Semantic::Position, 3, points.as_flattened().to_vec()));
        part
    }

    fn cut(part: &mut Part) -> (Vec<[u32; 3]>, u64) {
        let fanned = triangulate_part(part).expect("valid");
        let corners: Vec<u32> = (0..part.corner_count()).map(|c| part.point_of(c) as u32).collect();
        (corners.as_chunks::<3>().0.to_vec(), fanned)
    }

    /// Twice the signed area of triangles in the XY plane, each.
    fn areas(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<f64> {
        let at = |i: u32| {
            let p = points[i as usize];
            DVec2::new(p[0].into(), p[1].into())
        };
        triangles.iter().map(|t| turn(at(t[0]), at(t[1]), at(t[2]))).collect()
    }

    #[test]
    fn a_quad_is_cut_along_its_shorter_diagonal() {
        let kite = [[0.0, 0.0, 0.0], [2.0, -1.0, 0.0], [6.0, 0.0, 0.0], [2.0, 1.0, 0.0]];
        assert_eq!(cut(&mut polygons(&kite, &[0, 4])), (vec![[1, 2, 3], [1, 3, 0]], 0));
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(cut(&mut polygons(&square, &[0, 4])), (vec![[0, 1, 2], [0, 2, 3]], 0));
    }

    #[test]
    fn a_dart_is_cut_through_its_notch() {
        // Corner 2 is the notch: only the diagonal 0-2 lies inside, though 1-3 is shorter.
        let dart = [[0.0, 0.0, 0.0], [4.0, -1.0, 0.0], [3.0, 0.0, 0.0], [4.0, 1.0, 0.0]];
        let (triangles, fanned) = cut(&mut polygons(&dart, &[0, 4]));
        assert_eq!((triangles.as_slice(), fanned), (&[[0, 1, 2], [0, 2, 3]][..], 0));
        let bow = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert_eq!(cut(&mut polygons(&bow, &[0, 4])).1, 1);
    }

    #[test]
    fn a_comb_is_covered_exactly() {
        let mut points = vec![[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]];
        for i in (0..5).rev() {
            let x = i as f32 * 2.0;
            points.extend([[x + 1.0, 3.0, 0.0], [x, 3.0, 0.0], [x - 0.5, 1.0, 0.0]]);
        }
        points.pop();
        let count = points.len() as u32;
        let (triangles, fanned) = cut(&mut polygons(&points, &[0, count]));
        assert_eq!((triangles.len() as u32, fanned), (count - 2, 0));
        let areas = areas(&points, &triangles);
        assert!(areas.iter().all(|a| *a >= 0.0), "{areas:?}");
        let pairs = points.iter().zip(points.iter().cycle().skip(1));
        let whole: f32 = pairs.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
        assert!((areas.iter().sum::<f64>() - f64::from(whole)).abs() < 1e-9);
    }

    #[test]
    fn corner_and_face_streams_follow() {
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]];
        let mut part = polygons(&square, &[0, 2, 6, 9]);
        part.corners = Some(vec![0, 1, 0, 1, 2, 3, 1, 4, 2].into());
        let by_corner = (0..9).map(|i| i as f32).collect::<Vec<_>>();
        let custom =
            |name: &str, domain, values: Vec<f32>| Stream::new(Semantic::Custom(name.into()), 1, values).on(domain);
        part.set_stream(custom("corner", Domain::Corner, by_corner));
        part.set_stream(custom("face", Domain::Face, vec![10.0, 20.0, 30.0]));
        let positions = part.streams[0].values.clone();
        let (triangles, _) = cut(&mut part);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [1, 4, 2]]);
        assert_eq!(&*part.streams[1].values, &[2.0, 3.0, 4.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(&*part.streams[2].values, &[20.0, 20.0, 30.0]);
        assert!(part.streams[0].values.same_memory(&positions));
    }

    #[test]
    fn triangles_only_stay_unindexed() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut part = polygons(&points, &[0, 3]);
        assert_eq!(triangulate_part(&mut part), Ok(0));
        assert_eq!((part.corners, part.topology), (None, Topology::Triangles));
    }

    #[test]
    fn flat_polygons_are_fanned_and_told() {
        let mut scene = Scene::default();
        let mut mesh = Mesh::default();
        mesh.parts.push(polygons(&[[0.0; 3]; 6], &[0, 6]));
        scene.meshes.push(mesh);
        let context = Context::new();
        triangulate(&mut scene, &context).expect("no error");
        assert_eq!(context.report().count_of("passes.polygon-fanned"), 1);
        assert_eq!(scene.meshes.as_slice()[0].parts[0].triangle_count(), 4);
    }

    #[test]
    fn malformed_parts_are_errors_or_left_alone() {
        for mut part in malformed_parts() {
            let polygons = matches!(part.topology, Topology::Polygons { .. });
            assert_eq!(triangulate_part(&mut part).is_err(), polygons);
        }
    }

    #[test]
    fn a_hostile_polygon_ends_soon() {
        // A spiral zigzag without ears that intersects itself everywhere.
        let points: Vec<[f32; 3]> =
            (0..20_000u32).map(|i| [(i * 7919 % 1000) as f32, (i * 104_729 % 997) as f32, 0.0]).collect();
        let (triangles, _) = cut(&mut polygons(&points, &[0, 20_000]));
        assert_eq!(triangles.len(), 19_998);
    }

    proptest! {
        #[test]
        fn star_polygons_are_covered_without_overlap(radii in prop::collection::vec(1u8..20, 5..30), axis in 0usize..3) {
            // Star-shaped about the origin, hence simple.
            let count = radii.len();
            let flat: Vec<[f32; 2]> = radii.iter().enumerate().map(|(i, r)| {
                let angle = std::f64::consts::TAU * i as f64 / count as f64;
                [(f64::from(*r) * maths::f64::cos(angle)) as f32, (f64::from(*r) * maths::f64::sin(angle)) as f32]
            }).collect();
            let points: Vec<[f32; 3]> = flat.iter().map(|p| {
                let mut point = [0.5; 3];
                point[axis] = p[0];
                point[(axis + 1) % 3] = p[1];
                point
            }).collect();
            let (triangles, fanned) = cut(&mut polygons(&points, &[0, count as u32]));
            prop_assert_eq!(fanned, 0);
            prop_assert_eq!(triangles.len(), count - 2);
            let xy: Vec<[f32; 3]> = flat.iter().map(|p| [p[0], p[1], 0.0]).collect();
            let areas = areas(&xy, &triangles);
            prop_assert!(areas.iter().all(|a| *a > -1e-5));
            let pairs = xy.iter().zip(xy.iter().cycle().skip(1));
            let whole: f64 = pairs.map(|(a, b)| f64::from(a[0]) * f64::from(b[1]) - f64::from(a[1]) * f64::from(b[0])).sum();
            prop_assert!((areas.iter().sum::<f64>() - whole).abs() < 1e-4);
        }

        #[test]
        fn no_input_panics(points in prop::collection::vec(prop::array::uniform3(prop::num::f32::ANY), 0..12)) {
            let count = points.len() as u32;
            let (triangles, _) = cut(&mut polygons(&points, &[0, count]));
            prop_assert_eq!(triangles.len(), points.len().saturating_sub(2));
        }
    }
}
