//! The methods of skinning.

use super::dual_quaternion::{DualQuaternion, Entry as DualEntry};
use super::linear::{Entry, Linear, Rigid, fill};
use super::points::{Points, move_points};
use super::sdef::Sdef;
use super::{AnyNumber, FourEach, JointDualQuat, JointMatrix, JointSdef, SdefPoint, SkinInput, SkinOutput};
use crate::skinning::lanes::{Kernel, run};

/// Moves points by joints.
///
/// It keeps the memory that a palette needs, so that a frame allocates nothing once the first one has been done, and
/// uses the processor's best instructions ([`Kernel::best`]). Many points are shared out to the threads of the rayon
/// pool that the caller runs in. Neither changes a bit of the result.
#[derive(Clone)]
pub struct Skinner {
    kernel: Kernel,
    linear: Vec<Entry>,
    dual: Vec<DualEntry>,
}

impl Default for Skinner {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Skinner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Skinner").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

impl Skinner {
    /// With the best kernel of this processor.
    pub fn new() -> Self {
        Self::with_kernel(Kernel::best())
    }

    /// With a kernel of one's own choice; plain arithmetic where the processor does not have it.
    pub fn with_kernel(kernel: Kernel) -> Self {
        Self { kernel, linear: Vec::new(), dual: Vec::new() }
    }

    /// Linear blend skinning.
    ///
    /// Per point, in this order:
    /// 1. `B = w * M[joint]` and `s = w` of the first influence; for each further one in its order, every element:
    ///    `B = B + w * M[joint]`, `s = s + w`. Influences of weight 0 take part. When `s == 0`, `B` is the identity.
    /// 2. Position: `((b0 * x + b1 * y) + b2 * z) + b3` per row of `B`.
    /// 3. Normal: with `C` the cofactors (`a * b - c * d` each) of the 3×3 of `B` and `d = (b0 * c0 + b1 * c1) + b2 * c2`
    ///    of the first rows: the unit vector of `C * n`, or else `n`; negated when `d < 0`. That is the inverse
    ///    transpose, and where `B` flattens to a plane still the plane's normal.
    /// 4. Tangent: the unit vector of `B * t`, or else `t`; `w` negated when `d < 0`, so that the bitangent
    ///    `cross(normal, tangent) * w` is moved by `B` too.
    ///
    /// Missing joints are the identity, points without weight stay where the mesh has them, and the shortest slice
    /// counts.
    pub fn linear(&mut self, input: &SkinInput<'_>, palette: &[JointMatrix], out: &mut SkinOutput<'_>) {
        fill(&mut self.linear, palette, &JointMatrix::IDENTITY, Entry::new);
        let (points, palette) = (Points::new(input, out), self.linear.as_slice());
        match FourEach::new(input.influences) {
            Some(rows) => move_points(self.kernel, &Linear { rows, palette }, points),
            None => move_points(self.kernel, &Linear { rows: AnyNumber::new(input.influences), palette }, points),
        }
    }

    /// Dual quaternion skinning (Kavan, Collins, Žára, O'Sullivan: "Geometric Skinning with Approximate Dual Quaternion
    /// Blending", 2008), with the stretch of the joints blended in a straight line before it.
    ///
    /// Per point, in this order:
    /// 1. The pivot is the first influence whose weight is not 0. `R`, `D`, `S` and `s` are `v * real`, `v * dual`,
    ///    `w * stretch` and `w` of the first influence; to each component those of the further ones are added in their
    ///    order. `v` is `-w` when `((x * x' + y * y') + z * z') + w * w'` of the pivot's and the joint's `real` is
    ///    negative, else `w`. When `s == 0`, all is the identity.
    /// 2. `q = ((R.x * R.x + R.y * R.y) + R.z * R.z) + R.w * R.w`, `f = 1 / sqrt(q)`; `R = R * f`, `D = D * f`. Where `q`
    ///    is not a normal number (only negative weights do that) the pivot's own `real` and `dual` stand instead.
    /// 3. Translation per axis: `2 * ((R.w * D - D.w * R) + cross(R, D))`.
    /// 4. Position: `q = (s0 * x + s1 * y) + s2 * z` per row of `S`, turned, plus the translation. Turning `v` is
    ///    `v + 2 * cross(R, cross(R, v) + R.w * v)`.
    /// 5. Normals and tangents: as in [`Skinner::linear`] with `S` in place of `B`, then turned.
    ///
    /// Missing joints, points without weight and slices of unequal length are treated as in [`Skinner::linear`].
    pub fn dual_quaternion(&mut self, input: &SkinInput<'_>, palette: &[JointDualQuat], out: &mut SkinOutput<'_>) {
        fill(&mut self.dual, palette, &JointDualQuat::IDENTITY, DualEntry::new);
        let (points, palette) = (Points::new(input, out), self.dual.as_slice());
        match FourEach::new(input.influences) {
            Some(rows) => move_points(self.kernel, &DualQuaternion { rows, palette }, points),
            None => {
                move_points(self.kernel, &DualQuaternion { rows: AnyNumber::new(input.influences), palette }, points);
            }
        }
    }

    /// Spherical deformation of the listed points, in their order; others are left as they are. What MikuMikuDance does
    /// with points of its SDEF type: call it after [`Skinner::linear`].
    ///
    /// Per point, with `w0`, `w1` the weights and `M0`, `M1` the matrices of its first two influences, `q0`, `q1` their
    /// rotations:
    /// 1. `m = w0 * R0 + w1 * R1`; `a0 = C + (R0 - m) * 0.5`, `a1 = C + (R1 - m) * 0.5`.
    /// 2. `q = q0 * of_0 + q1 * of_1`, the great arc from `q0` to `q1` by the shorter way at the share `w1` (clamped to
    ///    0..=1).
    /// 3. Position: `turn(q, p - C) + (w0 * (M0 * a0) + w1 * (M1 * a1))`, turning as in [`Skinner::dual_quaternion`].
    /// 4. Normals and tangents: the unit vectors of their turns, or else as they are.
    ///
    /// Missing joints are the identity, a missing influence has no weight. Points whose two weights add up to 0 get what
    /// the input has; those that are no points are left out.
    pub fn sdef(&self, input: &SkinInput<'_>, points: &[SdefPoint], palette: &[JointSdef], out: &mut SkinOutput<'_>) {
        run(self.kernel, Sdef { input, points, palette, out });
    }

    /// Moves all points by one transform, with the steps of [`Skinner::linear`] from its second on. The input's
    /// influences are not used.
    pub fn rigid(&self, input: &SkinInput<'_>, matrix: &JointMatrix, out: &mut SkinOutput<'_>) {
        move_points(self.kernel, &Rigid(matrix), Points::new(input, out));
    }
}
