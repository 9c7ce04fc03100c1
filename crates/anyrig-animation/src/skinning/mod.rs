//! Skinning kernels on slices: the scalar reference.
//!
//! All arithmetic is `f32`, each product and each sum rounded on its own (no fused multiply-add), in the order that each
//! kernel's documentation states. Kernels that work on several points at once do the same steps per point and so give
//! the same bits for finite input.
//!
//! Common to all kernels:
//! - Only as many points are done as input and output positions both have; normals and tangents are moved where input
//!   and output both have them for these points.
//! - A missing joint counts as the identity. A point whose weights add up to exactly 0 (or that has none) is moved by
//!   the identity. Other weights are used as they are.
//! - *Unit vector* of `v` or else `fallback`: `m = max(|x|, |y|, |z|)`; without a normal, finite `m` the fallback as it
//!   is; else `u = v / m`, `u / sqrt((u.x * u.x + u.y * u.y) + u.z * u.z)`.
//! - Normals and tangent directions that a singular transform sends to zero stay what they were in the input.

mod dual_quaternion;
mod linear;
pub mod reference;

pub use dual_quaternion::{JointDualQuat, skin_dual_quaternion};
pub use linear::{JointMatrix, skin_linear, transform_points};

use anyrig_scene::{Influences, Layout};

/// What a skinning kernel reads. Empty slices mean that there is no such attribute.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SkinInput<'a> {
    /// Positions in mesh space, morphs applied.
    pub positions: &'a [[f32; 3]],
    /// Normals, one per position.
    pub normals: &'a [[f32; 3]],
    /// Tangents with their sign w, one per position.
    pub tangents: &'a [[f32; 4]],
    /// Joints and weights of each point.
    pub influences: &'a Influences,
}

impl<'a> SkinInput<'a> {
    /// Positions and what moves them.
    pub fn new(positions: &'a [[f32; 3]], influences: &'a Influences) -> Self {
        Self { positions, normals: &[], tangents: &[], influences }
    }

    /// The same input with normals, one per position.
    #[must_use]
    pub fn with_normals(mut self, normals: &'a [[f32; 3]]) -> Self {
        self.normals = normals;
        self
    }

    /// The same input with tangents, one per position.
    #[must_use]
    pub fn with_tangents(mut self, tangents: &'a [[f32; 4]]) -> Self {
        self.tangents = tangents;
        self
    }
}

/// What a skinning kernel writes. Empty slices mean that the attribute is not wanted.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SkinOutput<'a> {
    /// Positions in scene space.
    pub positions: &'a mut [[f32; 3]],
    /// Unit normals.
    pub normals: &'a mut [[f32; 3]],
    /// Unit tangents; w changes its sign where the transform mirrors.
    pub tangents: &'a mut [[f32; 4]],
}

impl<'a> SkinOutput<'a> {
    /// Positions only.
    pub fn new(positions: &'a mut [[f32; 3]]) -> Self {
        Self { positions, normals: &mut [], tangents: &mut [] }
    }

    /// The same output with normals.
    #[must_use]
    pub fn with_normals(mut self, normals: &'a mut [[f32; 3]]) -> Self {
        self.normals = normals;
        self
    }

    /// The same output with tangents.
    #[must_use]
    pub fn with_tangents(mut self, tangents: &'a mut [[f32; 4]]) -> Self {
        self.tangents = tangents;
        self
    }
}

/// The influences as slices, with lookups that bear any input.
#[derive(Clone, Copy)]
struct Rows<'a> {
    influences: &'a Influences,
    joints: &'a [u32],
    weights: &'a [f32],
}

impl<'a> Rows<'a> {
    fn new(influences: &'a Influences) -> Self {
        Self { influences, joints: &influences.joints, weights: &influences.weights }
    }

    /// Joints and weights of a point; empty when they are out of range.
    fn of(&self, point: usize) -> impl Iterator<Item = (usize, f32)> + Clone + 'a {
        let range = match &self.influences.layout {
            Layout::Fixed(n) => {
                let start = point.saturating_mul(*n as usize);
                start..start.saturating_add(*n as usize)
            }
            Layout::Offsets(offsets) => match offsets.get(point..) {
                Some([start, end, ..]) => *start as usize..*end as usize,
                _ => 0..0,
            },
        };
        let joints = self.joints.get(range.clone()).unwrap_or(&[]);
        let weights = self.weights.get(range).unwrap_or(&[]);
        joints.iter().zip(weights).map(|(joint, weight)| (*joint as usize, *weight))
    }
}

/// A 3×3 matrix by rows.
type Rows3 = [[f32; 3]; 3];

/// The matrix of cofactors: the inverse transpose times the determinant. Each is `a * b - c * d`.
fn cofactors(m: &Rows3) -> Rows3 {
    let minor = |a: usize, b: usize, c: usize, d: usize| m[a][c] * m[b][d] - m[a][d] * m[b][c];
    [
        [minor(1, 2, 1, 2), minor(1, 2, 2, 0), minor(1, 2, 0, 1)],
        [minor(2, 0, 1, 2), minor(2, 0, 2, 0), minor(2, 0, 0, 1)],
        [minor(0, 1, 1, 2), minor(0, 1, 2, 0), minor(0, 1, 0, 1)],
    ]
}

/// How a linear map moves normals and tangents.
struct Directions {
    matrix: Rows3,
    cofactors: Rows3,
    mirrors: bool,
}

impl Directions {
    fn new(matrix: Rows3) -> Self {
        let cofactors = cofactors(&matrix);
        Self { matrix, mirrors: dot(matrix[0], cofactors[0]) < 0.0, cofactors }
    }

    fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        let moved = unit_or(apply(&self.cofactors, normal), normal);
        if self.mirrors { moved.map(|c| -c) } else { moved }
    }

    fn tangent(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let [x, y, z] = unit_or(apply(&self.matrix, [x, y, z]), [x, y, z]);
        [x, y, z, if self.mirrors { -w } else { w }]
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn apply(matrix: &Rows3, v: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| dot(row, v))
}

fn unit_or(v: [f32; 3], fallback: [f32; 3]) -> [f32; 3] {
    let largest = v[0].abs().max(v[1].abs()).max(v[2].abs());
    if !largest.is_normal() {
        return fallback;
    }
    let v = v.map(|c| c / largest);
    let length = dot(v, v).sqrt();
    v.map(|c| c / length)
}
