//! Geometry: the arm as a tube with its weights, and the jaw as a box.

use super::super::bind::along;
use super::super::body::Binding;
use super::rig;
use anyrig_bytes::maths::f64::sin_cos;
use anyrig_scene::glam::{DVec2, DVec3};

/// A mesh as FBX has it.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub points: Vec<DVec3>,
    /// Point of each corner; the last one of a polygon is the bitwise complement, which is negative.
    pub polygons: Vec<i32>,
    /// One for each corner.
    pub normals: Vec<DVec3>,
    pub uvs: Vec<DVec2>,
    /// Number of the texture coordinates of each corner.
    pub uv_indices: Vec<i32>,
}

impl Shape {
    fn polygon(&mut self, corners: &[usize], uv_indices: &[usize]) {
        let last = corners.len().saturating_sub(1);
        let complement = |(i, point): (usize, &usize)| if i == last { !(*point as i32) } else { *point as i32 };
        self.polygons.extend(corners.iter().enumerate().map(complement));
        self.uv_indices.extend(uv_indices.iter().map(|uv| *uv as i32));
    }

    /// The points of each polygon.
    pub fn faces(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let point = |corner: &i32| if *corner < 0 { !*corner as usize } else { *corner as usize };
        self.polygons.split_inclusive(|corner| *corner < 0).map(move |face| face.iter().map(point).collect())
    }

    fn face_normal(&self, face: &[usize]) -> DVec3 {
        // Newell's sum bears polygons of any number of corners.
        let next = |i: usize| self.points[face[(i + 1) % face.len()]];
        let sum = (0..face.len()).fold(DVec3::ZERO, |sum, i| sum + self.points[face[i]].cross(next(i)));
        sum.normalize_or(DVec3::Z)
    }

    /// Gives each corner the normal of its face, or the mean of those faces about its point that meet it bluntly.
    fn shade(&mut self) {
        let faces: Vec<(Vec<usize>, DVec3)> = self.faces().map(|f| (f.clone(), self.face_normal(&f))).collect();
        let at_corner = |point: usize, own: DVec3| {
            let about = faces.iter().filter(|(face, normal)| face.contains(&point) && normal.dot(own) > SHARP);
            about.fold(DVec3::ZERO, |sum, (_, normal)| sum + *normal).normalize_or(own)
        };
        self.normals = faces.iter().flat_map(|(face, own)| face.iter().map(|p| at_corner(*p, *own))).collect();
    }
}

/// Cosine of the angle from which on an edge is sharp.
const SHARP: f64 = 0.6;

/// Sides of the tube.
const SIDES: usize = 12;

/// How high up the arm is.
const TOP: f64 = 108.0;

/// Height and half width of each ring. The one in the middle of the elbow lies on the joint.
const RINGS: [(f64, f64); 22] = [
    (0.0, 14.0),
    (3.0, 14.0),
    (6.0, 8.0),
    (9.0, 7.0),
    (12.0, 7.0),
    (22.0, 6.5),
    (34.0, 6.0),
    (42.0, 6.0),
    (46.0, 6.0),
    (ELBOW_HEIGHT, 6.0),
    (54.0, 6.0),
    (58.0, 5.8),
    (66.0, 5.2),
    (74.0, 4.8),
    (77.0, 4.6),
    (80.0, 4.6),
    (83.0, 4.8),
    (86.0, 6.0),
    (92.0, 6.0),
    (95.0, 3.5),
    (104.0, 3.0),
    (TOP, 2.0),
];

const ELBOW_HEIGHT: f64 = 50.0;

/// The tube is so much flatter from front to back than it is wide, so that a twist is seen.
const FLAT: f64 = 0.75;

/// Stands along +Z and faces -Y, as tools model that have Z upwards.
pub fn tube() -> Shape {
    let mut shape = Shape::default();
    for (height, half) in RINGS {
        for side in 0..SIDES {
            let (sin, cos) = sin_cos(std::f64::consts::TAU * side as f64 / SIDES as f64);
            shape.points.push(rounded(DVec3::new(half * cos, half * FLAT * sin, height)));
        }
        // One more than there are sides: the texture's ends meet there. Half a row off its ends, where it begins anew.
        let up = height.clamp(0.5, TOP - 0.5) / TOP;
        let uv = |side: usize| DVec2::new(side as f64 / SIDES as f64, up);
        shape.uvs.extend((0..=SIDES).map(uv));
    }
    let point = |ring: usize, side: usize| ring * SIDES + side % SIDES;
    let uv = |ring: usize, side: usize| ring * (SIDES + 1) + side;
    for ring in 0..RINGS.len() - 1 {
        for side in 0..SIDES {
            let around = [(ring, side), (ring, side + 1), (ring + 1, side + 1), (ring + 1, side)];
            shape.polygon(&around.map(|(r, s)| point(r, s)), &around.map(|(r, s)| uv(r, s)));
        }
    }
    // The lids are polygons of as many corners as there are sides; the lower one looks down.
    let (up, last): (Vec<usize>, usize) = ((0..SIDES).collect(), RINGS.len() - 1);
    let down: Vec<usize> = up.iter().rev().copied().collect();
    for (ring, sides) in [(0, down), (last, up)] {
        let corners: Vec<usize> = sides.iter().map(|s| point(ring, *s)).collect();
        let uvs: Vec<usize> = sides.iter().map(|s| uv(ring, *s)).collect();
        shape.polygon(&corners, &uvs);
    }
    shape.shade();
    shape
}

/// What is printed of a point should not end in a tail of digits.
fn rounded(point: DVec3) -> DVec3 {
    DVec3::from_array(point.to_array().map(|v| (v * 1000.0).round() / 1000.0 + 0.0))
}

/// The points of each joint with their weights.
pub fn weights(shape: &Shape) -> Vec<(Vec<i32>, Vec<f64>)> {
    let joints = rig::REACHES.iter().enumerate().map(|(joint, (start, blend))| (joint, *start, *blend)).collect();
    let binding = Binding { axis: DVec3::Z, joints, is_trunk: false };
    let mut clusters = vec![(Vec::new(), Vec::new()); rig::JOINTS.len()];
    for (index, point) in shape.points.iter().enumerate() {
        for (joint, share) in along(&binding, *point).into_iter().filter(|(_, share)| *share > 0.0) {
            clusters[joint].0.push(index as i32);
            clusters[joint].1.push(share);
        }
    }
    clusters
}

/// Where the jaw turns, in the wrist's space.
pub const HINGE: DVec3 = DVec3::new(10.0, 5.5, 0.0);

/// The jaw: a box in the wrist's space, which reaches beyond its hinge and lies before the hand.
pub fn jaw() -> Shape {
    let mut shape = Shape::default();
    let (low, high) = (HINGE - DVec3::new(3.0, 1.5, 3.0), HINGE + DVec3::new(20.0, 1.5, 3.0));
    for corner in 0..8usize {
        let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
        shape.points.push(DVec3::new(pick(0), pick(1), pick(2)));
    }
    shape.uvs = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(u, v)| DVec2::new(u, v)).to_vec();
    for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        shape.polygon(&face, &[0, 1, 2, 3]);
    }
    shape.shade();
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_look_outwards() {
        for (shape, inside) in [(tube(), None), (jaw(), Some(HINGE + DVec3::X * 8.5))] {
            for face in shape.faces() {
                let middle = face.iter().fold(DVec3::ZERO, |sum, p| sum + shape.points[*p]) / face.len() as f64;
                let inside = inside.unwrap_or(DVec3::new(0.0, 0.0, middle.z.clamp(1.0, TOP - 1.0)));
                assert!(shape.face_normal(&face).dot(middle - inside) > 0.0, "{face:?}");
            }
            assert_eq!(shape.normals.len(), shape.polygons.len());
            assert_eq!(shape.uv_indices.len(), shape.polygons.len());
            assert!(shape.uv_indices.iter().all(|uv| (*uv as usize) < shape.uvs.len()));
        }
    }

    #[test]
    fn the_ring_at_the_elbow_hangs_half_on_each_bone() {
        let (shape, ring) = (tube(), RINGS.iter().position(|(height, _)| *height == ELBOW_HEIGHT).expect("a ring"));
        let clusters = weights(&shape);
        let weight = |joint: usize, point: usize| {
            let at = clusters[joint].0.iter().position(|p| *p as usize == point);
            at.map_or(0.0, |at| clusters[joint].1[at])
        };
        for point in ring * SIDES..(ring + 1) * SIDES {
            assert_eq!([rig::SHOULDER, rig::ELBOW].map(|joint| weight(joint, point)), [0.5, 0.5]);
        }
        for point in 0..shape.points.len() {
            let sum: f64 = (0..clusters.len()).map(|joint| weight(joint, point)).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{point}: {sum}");
        }
    }
}
