//! Edges collapse into one of their ends, the one that errs least first.

use super::attributes::Attributes;
use super::quadric::Quadric;
use super::{Borders, PlaceBits, SimplifyOptions, bits};
use anyrig_animation::PointBox;
use anyrig_bytes::{Context, Result};
use anyrig_scene::Part;
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A possible collapse: error as the bits of a number that is not negative, place that goes, place that stays, and the
/// version of the first for which the error was found.
type Candidate = Reverse<(u64, u32, u32, u32)>;

/// How much heavier planes that stand on borders and seams are than faces.
const EDGE_WEIGHT: f64 = 10.0;

/// A face may turn by up to this cosine when one of its corners moves.
const LEAST_COSINE: f64 = 0.2;

/// Places with more triangles around them stay, so that the work for one step has an end.
const MOST_AROUND: usize = 128;

/// Steps between two looks at whether to stop.
const STEPS: usize = 4096;

/// A mesh by places: points at one position are one place.
pub(super) struct Simplifier<'a> {
    positions: Vec<DVec3>,
    place_of: Vec<u32>,
    /// Position of each place.
    places: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    alive: Vec<bool>,
    alive_count: usize,
    /// Triangles around each place; dead ones may be among them.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    /// Places that stay.
    locked: Vec<bool>,
    /// Counts the changes around each place.
    version: Vec<u32>,
    /// The largest squared error of attributes that each place carries from places that went.
    carried: Vec<f64>,
    attributes: Attributes<'a>,
    queue: BinaryHeap<Candidate>,
    borders: Borders,
    bound_squared: f64,
    size: f64,
    worst_squared: f64,
}

impl<'a> Simplifier<'a> {
    pub(super) fn new(part: &'a Part, options: &SimplifyOptions, meeting: &[PlaceBits]) -> Self {
        let positions: Vec<DVec3> = part.positions().iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
        let (place_of, first_point) = places(part);
        let size = size(&positions);
        let mut attributes = Attributes::of(part, size);
        let count = first_point.len();
        let mut locked = vec![false; count];
        for (point, place) in place_of.iter().enumerate() {
            let first = first_point[*place as usize];
            let splits = first != point as u32 && !attributes.move_alike(first, point as u32);
            let meets = meeting.binary_search(&bits(part.positions()[point])).is_ok();
            locked[*place as usize] |= splits || meets;
        }
        let triangles =
            (0..part.triangle_count()).map(|t| [0, 1, 2].map(|i| part.point_of(3 * t + i) as u32)).collect();
        let bound = options.max_error * size;
        let mut simplifier = Self {
            places: first_point.iter().map(|p| positions[*p as usize]).collect(),
            positions,
            place_of,
            triangles,
            alive: Vec::new(),
            alive_count: 0,
            around: vec![Vec::new(); count],
            quadrics: vec![Quadric::default(); count],
            locked,
            version: vec![0; count],
            carried: vec![0.0; count],
            attributes,
            queue: BinaryHeap::new(),
            borders: options.borders,
            bound_squared: bound * bound,
            size,
            worst_squared: 0.0,
        };
        simplifier.connect();
        simplifier.weigh();
        simplifier
    }

    fn places_of(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize].map(|p| self.place_of[p as usize])
    }

    /// Triangles that have an extent become alive and known to their places.
    fn connect(&mut self) {
        self.alive = vec![false; self.triangles.len()];
        for triangle in 0..self.triangles.len() as u32 {
            let [a, b, c] = self.places_of(triangle);
            if a == b || b == c || c == a {
                continue;
            }
            self.alive[triangle as usize] = true;
            self.alive_count += 1;
            [a, b, c].iter().for_each(|p| self.around[*p as usize].push(triangle));
        }
    }

    /// Planes of faces, and planes that stand on borders and seams.
    fn weigh(&mut self) {
        for triangle in 0..self.triangles.len() as u32 {
            if !self.alive[triangle as usize] {
                continue;
            }
            let corners = self.places_of(triangle);
            let [a, b, c] = corners.map(|p| self.places[p as usize]);
            let cross = (b - a).cross(c - a);
            let Some(normal) = cross.try_normalize() else { continue };
            let face = Quadric::plane(normal, a, cross.length() / 2.0);
            corners.iter().for_each(|p| self.quadrics[*p as usize].add(&face));
            for i in 0..3 {
                self.weigh_edge((triangle, i), normal);
            }
        }
    }

    fn weigh_edge(&mut self, (triangle, i): (u32, usize), normal: DVec3) {
        let points = self.triangles[triangle as usize];
        let (p, q) = (points[i], points[(i + 1) % 3]);
        let (u, v) = (self.place_of[p as usize], self.place_of[q as usize]);
        // Inside, another triangle has the same edge between the same points.
        let (around_u, around_v) = (&self.around[u as usize], &self.around[v as usize]);
        let fewer = if around_u.len() <= around_v.len() { around_u } else { around_v };
        let is_shared = fewer.len() > MOST_AROUND
            || fewer.iter().any(|other| {
                let points = self.triangles[*other as usize];
                *other != triangle && points.contains(&p) && points.contains(&q)
            });
        if is_shared {
            return;
        }
        let (from, to) = (self.places[u as usize], self.places[v as usize]);
        let along = to - from;
        let Some(side) = along.cross(normal).try_normalize() else { return };
        let wall = Quadric::plane(side, from, along.length_squared() * EDGE_WEIGHT);
        self.quadrics[u as usize].add(&wall);
        self.quadrics[v as usize].add(&wall);
    }

    /// Collapses edges until so many triangles are left or the bound is reached.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Cancelled`].
    pub(super) fn run(&mut self, target: usize, context: &Context) -> Result<()> {
        for place in 0..self.places.len() as u32 {
            if (place as usize).is_multiple_of(STEPS) {
                context.check_cancelled()?;
            }
            self.push_all_from(place);
        }
        let mut steps = 0usize;
        while self.alive_count > target {
            let Some(Reverse((error, gone, kept, version))) = self.queue.pop() else { break };
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                context.check_cancelled()?;
            }
            if self.version[gone as usize] != version {
                self.push(gone, kept);
                continue;
            }
            let error = f64::from_bits(error);
            if error > self.bound_squared {
                break;
            }
            if self.collapse(gone, kept) {
                self.worst_squared = self.worst_squared.max(error);
            }
        }
        Ok(())
    }

    /// Points of the corners that are left, and the largest error as a share of the size.
    pub(super) fn finish(self) -> (Vec<u32>, f64) {
        let left = self.triangles.iter().zip(&self.alive).filter(|(_, alive)| **alive);
        let corners = left.flat_map(|(points, _)| *points).collect();
        let error = if self.size > 0.0 { self.worst_squared.sqrt() / self.size } else { 0.0 };
        (corners, error)
    }

    fn push_all_from(&mut self, place: u32) {
        if self.locked[place as usize] {
            return;
        }
        for (neighbour, _) in self.neighbours(place) {
            self.push(place, neighbour);
        }
    }

    fn push(&mut self, gone: u32, kept: u32) {
        if let Some(error) = self.error(gone, kept) {
            self.queue.push(Reverse((error.to_bits(), gone, kept, self.version[gone as usize])));
        }
    }

    fn living(&self, place: u32) -> impl Iterator<Item = u32> {
        self.around[place as usize].iter().copied().filter(|t| self.alive[*t as usize])
    }

    /// Places that share an edge with one, ascending, with the number of triangles at that edge.
    fn neighbours(&self, place: u32) -> Vec<(u32, u32)> {
        let mut all: Vec<u32> =
            self.living(place).flat_map(|t| self.places_of(t)).filter(|other| *other != place).collect();
        all.sort_unstable();
        all.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// Which point takes the place of each point of a place that goes; `None` when the collapse would tear a seam, close
    /// or open a hole, or make more than two faces meet in an edge.
    fn successors(&self, gone: u32, kept: u32) -> Option<Vec<(u32, u32)>> {
        let is_crowded = |place: u32| self.around[place as usize].len() > MOST_AROUND;
        if self.locked[gone as usize] || gone == kept || is_crowded(gone) || is_crowded(kept) {
            return None;
        }
        let around = self.neighbours(gone);
        let at_edge = around.iter().find(|(p, _)| *p == kept)?.1;
        let is_border = around.iter().any(|(_, count)| *count == 1);
        if around.iter().any(|(_, count)| *count > 2) || (is_border && (at_edge != 1 || self.borders == Borders::Keep))
        {
            return None;
        }
        let around_kept = self.neighbours(kept);
        let common = around.iter().filter(|(p, _)| around_kept.binary_search_by_key(p, |(q, _)| *q).is_ok()).count();
        if common != at_edge as usize {
            return None;
        }
        let mut successors: Vec<(u32, Option<u32>)> = Vec::new();
        for triangle in self.living(gone) {
            let points = self.triangles[triangle as usize];
            let of = |place: u32| points.iter().copied().find(|p| self.place_of[*p as usize] == place);
            let (Some(own), next) = (of(gone), of(kept)) else { continue };
            match successors.iter_mut().find(|(p, _)| *p == own) {
                Some((_, known)) if known.is_some() && next.is_some() && *known != next => return None,
                Some((_, known)) => *known = known.or(next),
                None => successors.push((own, next)),
            }
        }
        successors.into_iter().map(|(own, next)| Some((own, next?))).collect()
    }

    /// The squared error of a collapse; `None` when it is not possible.
    fn error(&mut self, gone: u32, kept: u32) -> Option<f64> {
        let successors = self.successors(gone, kept)?;
        let (from, to) = (self.places[gone as usize], self.places[kept as usize]);
        let planes = self.quadrics[gone as usize].mean_of_both(&self.quadrics[kept as usize], to);
        let fan = self.fan(gone, kept)?;
        let (mut distance, mut attributes) = (0.0f64, 0.0f64);
        for successor in successors {
            let (square, mixture) = self.nearest(&fan, from, successor);
            distance = distance.max(square);
            attributes = attributes.max(self.attributes.error(successor.0, mixture));
        }
        let error = planes.max(distance) + attributes + self.carried[gone as usize];
        // Numbers that are too large to compare never collapse.
        error.is_finite().then_some(error)
    }

    /// Triangles around a place that stay when it goes; `None` when one of them would turn over.
    fn fan(&self, gone: u32, kept: u32) -> Option<Vec<u32>> {
        let stays = |t: &u32| !self.places_of(*t).contains(&kept);
        let fan: Vec<u32> = self.living(gone).filter(stays).collect();
        let to = self.places[kept as usize];
        let upright = |t: &u32| self.stays_upright(self.triangles[*t as usize], gone, to);
        fan.iter().all(upright).then_some(fan)
    }

    /// The squared distance of a place from the new triangles at one of its points, and what gives the nearest point there.
    fn nearest(&self, fan: &[u32], from: DVec3, (own, next): (u32, u32)) -> (f64, [(u32, f64); 3]) {
        let succeeded = |p: u32| if p == own { next } else { p };
        let at_triangle = |points: [u32; 3]| {
            let new = points.map(succeeded);
            let shares = nearest_in_triangle(from, new.map(|p| self.positions[p as usize]));
            let there: DVec3 = (0..3).map(|i| self.positions[new[i] as usize] * shares[i]).sum();
            (there.distance_squared(from), [0, 1, 2].map(|i| (new[i], shares[i])))
        };
        let own_triangles = fan.iter().map(|t| self.triangles[*t as usize]).filter(|points| points.contains(&own));
        let nearest = own_triangles.map(at_triangle).min_by(|a, b| a.0.total_cmp(&b.0));
        let direct = || (from.distance_squared(self.positions[next as usize]), [(next, 1.0), (next, 0.0), (next, 0.0)]);
        nearest.unwrap_or_else(direct)
    }

    /// Whether a triangle does not turn over or vanish when its corner moves.
    fn stays_upright(&self, points: [u32; 3], gone: u32, to: DVec3) -> bool {
        let before = points.map(|p| self.positions[p as usize]);
        let moved = |p: u32| if self.place_of[p as usize] == gone { to } else { self.positions[p as usize] };
        let after = points.map(moved);
        let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
        let (before, after) = (normal(before), normal(after));
        // A face without area has no side to keep.
        before == DVec3::ZERO || before.dot(after) > LEAST_COSINE * before.length() * after.length()
    }

    /// False when it is not possible any more.
    fn collapse(&mut self, gone: u32, kept: u32) -> bool {
        let Some(successors) = self.successors(gone, kept) else { return false };
        let carried = self.error(gone, kept).map_or(0.0, |error| {
            let planes =
                self.quadrics[gone as usize].mean_of_both(&self.quadrics[kept as usize], self.places[kept as usize]);
            (error - planes).max(0.0)
        });
        let triangles = std::mem::take(&mut self.around[gone as usize]);
        for triangle in triangles {
            let index = triangle as usize;
            if !self.alive[index] {
                continue;
            }
            if self.places_of(triangle).contains(&kept) {
                self.alive[index] = false;
                self.alive_count -= 1;
                continue;
            }
            for point in &mut self.triangles[index] {
                if let Some((_, next)) = successors.iter().find(|(own, _)| own == point) {
                    *point = *next;
                }
            }
            self.around[kept as usize].push(triangle);
        }
        let alive = &self.alive;
        self.around[kept as usize].retain(|t| alive[*t as usize]);
        let quadric = self.quadrics[gone as usize];
        self.quadrics[kept as usize].add(&quadric);
        self.carried[kept as usize] = self.carried[kept as usize].max(carried);
        self.version[kept as usize] += 1;
        for (neighbour, _) in self.neighbours(kept) {
            self.version[neighbour as usize] += 1;
            if !self.locked[neighbour as usize] {
                self.push(neighbour, kept);
            }
        }
        self.push_all_from(kept);
        true
    }
}

/// The place of each point, and the first point of each place.
fn places(part: &Part) -> (Vec<u32>, Vec<u32>) {
    let positions = part.positions();
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|p| (bits(positions[*p as usize]), *p));
    let mut first_of = vec![0u32; positions.len()];
    for run in order.chunk_by(|a, b| bits(positions[*a as usize]) == bits(positions[*b as usize])) {
        run.iter().for_each(|p| first_of[*p as usize] = run[0]);
    }
    let (mut place_of, mut first_point) = (vec![0u32; positions.len()], Vec::new());
    for point in 0..positions.len() {
        let first = first_of[point] as usize;
        if first == point {
            place_of[point] = first_point.len() as u32;
            first_point.push(point as u32);
        } else {
            place_of[point] = place_of[first];
        }
    }
    (place_of, first_point)
}

/// The diagonal of the box around all points.
fn size(positions: &[DVec3]) -> f64 {
    PointBox::of(positions.iter().copied()).diagonal()
}

/// Shares of the corners in the nearest point of a triangle (Ericson, "Real-Time Collision Detection", 5.1.5).
fn nearest_in_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let share = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = share(d1, d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = share(d2, d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = share(d4 - d3, (d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let whole = va + vb + vc;
    let (v, w) = (share(vb, whole), share(vc, whole));
    [1.0 - v - w, v, w]
}
