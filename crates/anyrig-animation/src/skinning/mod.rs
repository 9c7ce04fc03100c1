//! Skinning kernels.
//!
//! All arithmetic is `f32`, each product and each sum rounded on its own (no fused multiply-add), in the order that each
//! method of [`Skinner`] states. The kernels do the same steps for eight points at once, so that every [`Kernel`] gives
//! the same bits for finite input, and so does every number of threads.
//!
//! Common to all methods:
//! - Only as many points are done as input and output positions both have; normals and tangents are moved where input
//!   and output both have them for these points.
//! - A missing joint counts as the identity. A point whose weights add up to exactly 0 (or that has none) is moved by
//!   the identity. Other weights are used as they are.
//! - *Unit vector* of `v` or else `fallback`: with `d = (v.x * v.x + v.y * v.y) + v.z * v.z`, `v * (1 / sqrt(d))` where
//!   `d` is a normal, finite number. Else the same of `v / max(|x|, |y|, |z|)`; without a normal, finite maximum the
//!   fallback as it is.
//! - Normals and tangent directions that a singular transform sends to zero stay what they were in the input.

mod dual_quaternion;
pub(crate) mod lanes;
mod linear;
mod motion;
mod points;
pub mod reference;
mod sdef;
mod skinner;

pub use dual_quaternion::JointDualQuat;
pub use linear::JointMatrix;
pub use sdef::{JointSdef, SdefPoint};
pub use skinner::Skinner;

use crate::Kernel;
use crate::skinning::lanes::WIDTH;
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

/// Joints and weights by point, with lookups that bear any input.
trait Rows: Copy + Sync {
    /// Of a point; none, or none with weight, when they are out of range.
    fn of(&self, point: usize) -> (&[u32], &[f32]);

    /// Of eight points, where each has four and all are in range.
    #[inline(always)]
    fn eight(&self, _first: usize) -> Option<EightRows<'_>> {
        None
    }
}

type EightRows<'a> = (&'a [[u32; 4]; WIDTH], &'a [[f32; 4]; WIDTH]);

/// Four influences at every point, the most common layout by far.
#[derive(Clone, Copy)]
struct FourEach<'a> {
    joints: &'a [[u32; 4]],
    weights: &'a [[f32; 4]],
}

impl<'a> FourEach<'a> {
    /// `None` where the influences are laid out in another way.
    fn new(influences: &'a Influences) -> Option<Self> {
        let is_four = matches!(influences.layout, Layout::Fixed(4));
        is_four.then(|| Self { joints: influences.joints.as_chunks().0, weights: influences.weights.as_chunks().0 })
    }
}

impl Rows for FourEach<'_> {
    #[inline(always)]
    fn of(&self, point: usize) -> (&[u32], &[f32]) {
        match (self.joints.get(point), self.weights.get(point)) {
            (Some(joints), Some(weights)) => (joints, weights),
            // Still four, so that loops over them need no end of their own.
            _ => (&[0; 4], &[0.0; 4]),
        }
    }

    #[inline(always)]
    fn eight(&self, first: usize) -> Option<EightRows<'_>> {
        Some((self.joints.get(first..)?.first_chunk()?, self.weights.get(first..)?.first_chunk()?))
    }
}

/// Any layout.
#[derive(Clone, Copy)]
struct AnyNumber<'a> {
    layout: &'a Layout,
    joints: &'a [u32],
    weights: &'a [f32],
}

impl<'a> AnyNumber<'a> {
    fn new(influences: &'a Influences) -> Self {
        Self { layout: &influences.layout, joints: &influences.joints, weights: &influences.weights }
    }

    fn pairs(&self, point: usize) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        let (joints, weights) = self.of(point);
        joints.iter().zip(weights).map(|(joint, weight)| (*joint as usize, *weight))
    }
}

impl Rows for AnyNumber<'_> {
    #[inline(always)]
    fn of(&self, point: usize) -> (&[u32], &[f32]) {
        let range = match self.layout {
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
        let both = joints.len().min(weights.len());
        (&joints[..both], &weights[..both])
    }
}
