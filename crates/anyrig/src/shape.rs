//! What a posed scene looks like, in a few numbers that no reordering changes.

use anyrig_animation::{Pose, PosedPart, for_each_posed_part};
use anyrig_scene::glam::DVec3;
use anyrig_scene::{Part, Scene, Topology};

/// Measures of all triangles that a scene shows in a pose, in scene space.
///
/// They do not depend on the order of parts, triangles and corners, so that the same character in another format has
/// the same ones, also where its mesh had to be split.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shape {
    /// Number of triangles, polygons cut.
    pub triangles: usize,
    /// Area of all triangles.
    pub area: f64,
    /// Mean of the triangles' centres, by area.
    pub centre: DVec3,
    /// Square root of the mean squared distance from the centre along each axis, by area.
    pub spread: DVec3,
    /// Lowest corner of the box around all corners; zero without triangles.
    pub low: DVec3,
    /// Highest corner of that box.
    pub high: DVec3,
}

impl Shape {
    /// Measures a validated scene.
    pub fn of(scene: &Scene, pose: &Pose) -> Self {
        let mut sums = Sums::default();
        for_each_posed_part(scene, pose, |posed| {
            if let Some(part) = scene.meshes.get(posed.mesh).and_then(|m| m.parts.get(posed.part)) {
                sums.add_part(part, &posed);
            }
        });
        sums.shape()
    }

    /// The first measure that differs by more than a share of the size, if any. Mirrored along an axis or scaled as a
    /// whole a shape counts as the same, because options of a target may ask for that. With an infinite tolerance only the number of triangles counts.
    pub fn difference(&self, other: &Self, tolerance: f64) -> Option<String> {
        if self.triangles != other.triangles {
            return Some(format!("{} triangles became {}", self.triangles, other.triangles));
        }
        if tolerance == f64::INFINITY {
            return None;
        }
        let (size_a, size_b) = (self.size(), other.size());
        if size_a <= 0.0 || size_b <= 0.0 {
            return (size_a > 0.0 || size_b > 0.0).then(|| format!("a size of {size_a} became {size_b}"));
        }
        let area = (self.area / (size_a * size_a), other.area / (size_b * size_b));
        let scaled = |v: DVec3, size: f64| v.abs() / size;
        let vectors = [
            ("extent", self.high - self.low, other.high - other.low),
            ("middle of the box", self.low + self.high, other.low + other.high),
            ("centre", self.centre, other.centre),
            ("spread", self.spread, other.spread),
        ];
        if !near(area.0, area.1, tolerance) {
            return Some(format!("a relative area of {} became {}", area.0, area.1));
        }
        let differs = |a: DVec3, b: DVec3| {
            let (a, b) = (scaled(a, size_a), scaled(b, size_b));
            !(near(a.x, b.x, tolerance) && near(a.y, b.y, tolerance) && near(a.z, b.z, tolerance))
        };
        let (name, a, b) = vectors.into_iter().find(|(_, a, b)| differs(*a, *b))?;
        Some(format!("the {name} {a} became {b}"))
    }

    fn size(&self) -> f64 {
        (self.high - self.low).length()
    }
}

/// Written so that what is not a number is far.
fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[derive(Default)]
struct Sums {
    triangles: usize,
    area: f64,
    first: DVec3,
    second: DVec3,
    bounds: Option<(DVec3, DVec3)>,
}

impl Sums {
    fn add_part(&mut self, part: &Part, posed: &PosedPart) {
        let point =
            |corner: usize| posed.positions.get(part.point_of(corner)).map(|p| DVec3::from_array(p.map(f64::from)));
        let mut add = |a, b, c| {
            if let (Some(a), Some(b), Some(c)) = (point(a), point(b), point(c)) {
                self.add(a, b, c);
            }
        };
        match &part.topology {
            Topology::Points | Topology::Lines => {}
            Topology::Triangles => (0..part.corner_count() / 3).for_each(|t| add(3 * t, 3 * t + 1, 3 * t + 2)),
            Topology::Polygons { offsets } => {
                for face in offsets.windows(2) {
                    let (start, end) = (face[0] as usize, face[1] as usize);
                    (start + 2..end).for_each(|corner| add(start, corner - 1, corner));
                }
            }
        }
    }

    fn add(&mut self, a: DVec3, b: DVec3, c: DVec3) {
        let area = (b - a).cross(c - a).length() / 2.0;
        let centre = (a + b + c) / 3.0;
        self.triangles += 1;
        self.area += area;
        self.first += centre * area;
        self.second += centre * centre * area;
        let (low, high) = self.bounds.unwrap_or((a, a));
        self.bounds = Some((low.min(a).min(b).min(c), high.max(a).max(b).max(c)));
    }

    fn shape(self) -> Shape {
        let (low, high) = self.bounds.unwrap_or_default();
        let share = if self.area > 0.0 { 1.0 / self.area } else { 0.0 };
        let centre = self.first * share;
        let variance = (self.second * share - centre * centre).max(DVec3::ZERO);
        let spread = DVec3::new(variance.x.sqrt(), variance.y.sqrt(), variance.z.sqrt());
        Shape { triangles: self.triangles, area: self.area, centre, spread, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Mesh, MeshInstance, Node, Semantic, Stream};

    fn shape(positions: &[[f32; 3]]) -> Shape {
        let mut part = Part::default();
        part.point_count = positions.len() as u32;
        part.set_stream(Stream::new(Semantic::Position, 3, positions.concat()));
        let mut mesh = Mesh::default();
        mesh.parts.push(part);
        let mut scene = Scene::default();
        let mut node = Node::new("n");
        node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
        scene.add_node(node, None);
        Shape::of(&scene, &Pose::rest(&scene))
    }

    const ONE: [[f32; 3]; 6] =
        [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 2.0, 1.0]];

    #[test]
    fn measures_by_hand() {
        let shape = shape(&ONE[..3]);
        assert_eq!((shape.triangles, shape.area), (1, 6.0));
        assert!(shape.centre.abs_diff_eq(DVec3::new(1.0, 4.0 / 3.0, 0.0), 1e-12));
        assert_eq!((shape.low, shape.high), (DVec3::ZERO, DVec3::new(3.0, 4.0, 0.0)));
    }

    #[test]
    fn order_mirror_and_scale_do_not_count_but_shape_does() {
        let a = shape(&ONE);
        let turned: Vec<_> =
            [3, 5, 4, 2, 0, 1].map(|i: usize| ONE[i].map(|v| v * 2.0)).map(|p| [-p[0], p[1], p[2]]).to_vec();
        assert_eq!(a.difference(&shape(&turned), 1e-6), None);
        let mut moved = ONE;
        moved[5][1] = 2.1;
        assert!(a.difference(&shape(&moved), 1e-4).is_some());
        assert!(a.difference(&shape(&ONE[..3]), 1e-4).is_some_and(|d| d.contains("triangles")));
        assert_eq!(shape(&[]).difference(&shape(&[]), 0.0), None);
    }
}
