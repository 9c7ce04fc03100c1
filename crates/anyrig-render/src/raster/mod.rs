//! From triangles on the screen to the samples that they cover.
//!
//! Corners lie on a grid of 1/256 of a sample and edges are exact integers, so whether a sample is covered never depends
//! on the order of work, and of two triangles with a common edge exactly one covers each sample on it (top-left rule).

mod bins;
mod project;

pub(crate) use bins::{Bins, Grid};
pub(crate) use project::{Placed, Projection};

/// Steps in which corners lie between samples.
pub(crate) const STEPS: i64 = 256;

/// A corner on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    /// In steps of a sample, from the left.
    pub x: i32,
    /// In steps of a sample, from the top.
    pub y: i32,
    /// Something that is linear on the screen and larger for what is nearer.
    pub nearness: f32,
}

/// A triangle on the screen, clockwise as seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScreenTriangle {
    corners: [Corner; 3],
    /// What it is a piece of.
    pub face: u32,
}

/// Samples from the first up to, but without, the last column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Area {
    pub fn within(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    pub fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }
}

impl ScreenTriangle {
    /// Turns the corners clockwise; `None` when they lie on one line.
    pub fn new(mut corners: [Corner; 3], face: u32) -> Option<Self> {
        let area = twice_area(&corners);
        if area < 0 {
            corners.swap(1, 2);
        }
        (area != 0).then_some(Self { corners, face })
    }

    /// The samples that it may cover.
    pub fn bounds(&self) -> Area {
        let [a, b, c] = self.corners;
        // The first sample whose centre is not before the edge, and the one behind the last.
        let first = |v: i32| (v + (STEPS as i32 / 2 - 1)) >> 8;
        let behind = |v: i32| ((v - STEPS as i32 / 2) >> 8) + 1;
        Area {
            left: first(a.x.min(b.x).min(c.x)),
            top: first(a.y.min(b.y).min(c.y)),
            right: behind(a.x.max(b.x).max(c.x)),
            bottom: behind(a.y.max(b.y).max(c.y)),
        }
    }

    /// Calls back with column, row and nearness of every sample of the area whose centre the triangle covers.
    pub fn cover(&self, area: Area, mut visit: impl FnMut(i32, i32, f32)) {
        let area = self.bounds().within(area);
        if area.is_empty() {
            return;
        }
        let [a, b, c] = self.corners;
        let edges = [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)];
        let plane = Plane::new(&self.corners);
        let mut rows = [0, 1, 2].map(|i: usize| edges[i].at(area.left, area.top));
        for y in area.top..area.bottom {
            let mut at = rows;
            for x in area.left..area.right {
                if (at[0] | at[1] | at[2]) >= 0 {
                    visit(x, y, plane.at(x, y));
                }
                for (value, edge) in at.iter_mut().zip(&edges) {
                    *value += edge.step_x;
                }
            }
            for (value, edge) in rows.iter_mut().zip(&edges) {
                *value += edge.step_y;
            }
        }
    }
}

fn twice_area(corners: &[Corner; 3]) -> i64 {
    let [a, b, c] = corners.map(|c| (i64::from(c.x), i64::from(c.y)));
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// Where a sample lies beside an edge: not negative inside, and on the edge only where the triangle owns it.
struct Edge {
    from: (i64, i64),
    dx: i64,
    dy: i64,
    step_x: i64,
    step_y: i64,
    bias: i64,
}

impl Edge {
    fn new(from: Corner, to: Corner) -> Self {
        let (dx, dy) = (i64::from(to.x) - i64::from(from.x), i64::from(to.y) - i64::from(from.y));
        // Seen clockwise, an edge that goes up is a left one, and a level one that goes right is a top one.
        let is_top_left = dy < 0 || (dy == 0 && dx > 0);
        let bias = if is_top_left { 0 } else { -1 };
        let from = (i64::from(from.x), i64::from(from.y));
        Self { from, dx, dy, step_x: -dy * STEPS, step_y: dx * STEPS, bias }
    }

    fn at(&self, x: i32, y: i32) -> i64 {
        let (px, py) = (i64::from(x) * STEPS + STEPS / 2, i64::from(y) * STEPS + STEPS / 2);
        self.dx * (py - self.from.1) - self.dy * (px - self.from.0) + self.bias
    }
}

/// Nearness over the screen, kept between those of the corners: that of thin triangles is steep.
struct Plane {
    first: f64,
    per_x: f64,
    per_y: f64,
    least: f32,
    most: f32,
}

impl Plane {
    fn new(corners: &[Corner; 3]) -> Self {
        let [a, b, c] = *corners;
        let to = |p: Corner| {
            (f64::from(p.x) - f64::from(a.x), f64::from(p.y) - f64::from(a.y), f64::from(p.nearness - a.nearness))
        };
        let ((bx, by, bn), (cx, cy, cn)) = (to(b), to(c));
        let area = twice_area(corners) as f64;
        // In units of samples.
        let per_x = (bn * cy - cn * by) / area * STEPS as f64;
        let per_y = (cn * bx - bn * cx) / area * STEPS as f64;
        let centre = |v: i32| 0.5 - f64::from(v) / STEPS as f64;
        Self {
            first: f64::from(a.nearness) + centre(a.x) * per_x + centre(a.y) * per_y,
            per_x,
            per_y,
            least: a.nearness.min(b.nearness).min(c.nearness),
            most: a.nearness.max(b.nearness).max(c.nearness),
        }
    }

    fn at(&self, x: i32, y: i32) -> f32 {
        let nearness = self.first + f64::from(x) * self.per_x + f64::from(y) * self.per_y;
        (nearness as f32).max(self.least).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 0, top: 0, right: 16, bottom: 16 };

    fn corner(x: f64, y: f64) -> Corner {
        Corner { x: (x * 256.0) as i32, y: (y * 256.0) as i32, nearness: (x + 2.0 * y) as f32 }
    }

    fn covered(corners: [(f64, f64); 3]) -> Vec<(i32, i32)> {
        let mut found = Vec::new();
        if let Some(triangle) = ScreenTriangle::new(corners.map(|(x, y)| corner(x, y)), 0) {
            triangle.cover(AREA, |x, y, _| found.push((x, y)));
        }
        found
    }

    #[test]
    fn a_known_triangle_covers_known_samples() {
        // Centres (0.5, 0.5), (1.5, 0.5), (2.5, 0.5) … with x + y < 4: four, three, two, one.
        let rows = covered([(0.0, 0.0), (4.25, 0.0), (0.0, 4.25)]);
        assert_eq!(rows, [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (0, 3)]);
    }

    #[test]
    fn edges_through_centres_belong_to_the_left_and_the_top() {
        let square = |x: f64, y: f64| {
            let (l, t, r, b) = (x, y, x + 2.0, y + 2.0);
            [[(l, t), (r, t), (r, b)], [(l, t), (r, b), (l, b)]].into_iter().flat_map(covered).collect::<Vec<_>>()
        };
        let mut samples = square(1.5, 1.5);
        samples.sort_unstable();
        assert_eq!(samples, [(1, 1), (1, 2), (2, 1), (2, 2)]);
    }

    #[test]
    fn a_fan_of_triangles_covers_every_sample_once() {
        // Round a middle on a sample's centre, with edges through other centres, whichever way the corners go.
        let middle = (8.5, 8.5);
        let rim =
            [(0.0, 0.0), (8.5, 0.0), (16.0, 0.0), (16.0, 8.5), (16.0, 16.0), (3.0, 16.0), (0.0, 16.0), (0.0, 8.5)];
        let mut times = [[0; 16]; 16];
        for i in 0..rim.len() {
            let (a, b) = (rim[i], rim[(i + 1) % rim.len()]);
            let corners = if i % 2 == 0 { [middle, a, b] } else { [b, a, middle] };
            covered(corners).iter().for_each(|(x, y)| times[*y as usize][*x as usize] += 1);
        }
        assert!(times.iter().flatten().all(|count| *count == 1), "{times:?}");
    }

    #[test]
    fn nearness_is_linear_and_flat_triangles_cover_nothing() {
        let corners = [corner(0.0, 0.0), corner(16.0, 0.0), corner(0.0, 16.0)];
        ScreenTriangle::new(corners, 0).expect("it has an area").cover(AREA, |x, y, nearness| {
            let expected = x as f32 + 0.5 + 2.0 * (y as f32 + 0.5);
            assert!((nearness - expected).abs() < 1e-4, "{x} {y} {nearness}");
        });
        assert!(covered([(0.0, 0.0), (8.0, 8.0), (16.0, 16.0)]).is_empty());
        assert!(covered([(20.0, 20.0), (30.0, 20.0), (20.0, 30.0)]).is_empty());
    }
}
