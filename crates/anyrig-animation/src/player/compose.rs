//! From local transforms to world matrices.

use super::blocks::Locals;
use crate::JointMatrix;
use crate::skinning::lanes::{Lanes, WIDTH, dot4};

/// The local matrices of eight nodes, by rows.
pub(super) type Matrices = [[[f32; 4]; WIDTH]; 3];

/// One node, after its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub node: u32,
    /// [`NONE`] at a root.
    pub parent: u32,
    /// Where its local matrix lies: eights and lane.
    pub local: u32,
}

pub(super) const NONE: u32 = u32::MAX;

/// Translation, rotation and scale as matrices. Quaternions need not have length 1, but a length.
#[inline(always)]
pub(super) fn matrices<L: Lanes>(token: L::Token, locals: &Locals) -> Matrices {
    let Locals { translation: [px, py, pz], rotation: [x, y, z, w], scale: [sx, sy, sz] } = locals;
    let (x, y, z, w) = (L::load(token, x), L::load(token, y), L::load(token, z), L::load(token, w));
    let (sx, sy, sz) = (L::load(token, sx), L::load(token, sy), L::load(token, sz));
    let one = L::splat(token, 1.0);
    let twice = L::splat(token, 2.0) / dot4([x, y, z, w], [x, y, z, w]);
    let (tx, ty, tz) = (twice * x, twice * y, twice * z);
    let (xx, yy, zz) = (tx * x, ty * y, tz * z);
    let (xy, xz, yz) = (tx * y, tx * z, ty * z);
    let (wx, wy, wz) = (tx * w, ty * w, tz * w);
    [
        L::to_rows([(one - (yy + zz)) * sx, (xy - wz) * sy, (xz + wy) * sz, L::load(token, px)]),
        L::to_rows([(xy + wz) * sx, (one - (xx + zz)) * sy, (yz - wx) * sz, L::load(token, py)]),
        L::to_rows([(xz - wy) * sx, (yz + wx) * sy, (one - (xx + yy)) * sz, L::load(token, pz)]),
    ]
}

/// `scene_from_node` of every node that has a step. A transform that overflows stands where its parent does.
#[inline(always)]
pub(super) fn compose(steps: &[Step], locals: &[Matrices], worlds: &mut [JointMatrix]) {
    let mut overflows = [0; 12];
    for step in steps {
        let rows = place(step, locals, worlds);
        for (overflows, cell) in overflows.iter_mut().zip(rows.as_flattened()) {
            *overflows |= overflow(*cell);
        }
        if let Some(world) = worlds.get_mut(step.node as usize) {
            world.rows = rows;
        }
    }
    if has_overflowed(overflows) {
        compose_carefully(steps, locals, worlds);
    }
}

#[cold]
fn compose_carefully(steps: &[Step], locals: &[Matrices], worlds: &mut [JointMatrix]) {
    for step in steps {
        let rows = place(step, locals, worlds);
        let is_finite = rows.as_flattened().iter().all(|cell| cell.is_finite());
        let parent = worlds.get(step.parent as usize).copied().unwrap_or_default();
        if let Some(world) = worlds.get_mut(step.node as usize) {
            *world = if is_finite { JointMatrix { rows } } else { parent };
        }
    }
}

/// A number whose highest bit is set when the exponent has all bits set: infinite, or not a number.
#[inline(always)]
fn overflow(cell: f32) -> u32 {
    const EXPONENT: u32 = 0x7f80_0000;
    (cell.to_bits() & EXPONENT) + 0x0080_0000
}

#[inline(always)]
fn has_overflowed(overflows: [u32; 12]) -> bool {
    overflows.iter().any(|bits| bits >> 31 == 1)
}

/// The world matrix of a node whose parent has one.
#[inline(always)]
fn place(step: &Step, locals: &[Matrices], worlds: &[JointMatrix]) -> [[f32; 4]; 3] {
    let (eight, lane) = (step.local as usize / WIDTH, step.local as usize % WIDTH);
    let Some([first, second, third]) = locals.get(eight) else { return JointMatrix::IDENTITY.rows };
    let local = [&first[lane], &second[lane], &third[lane]];
    let Some(JointMatrix { rows: [a, b, c] }) = worlds.get(step.parent as usize) else { return local.map(|row| *row) };
    [row(a, local), row(b, local), row(c, local)]
}

/// A row of a product: each element `((a0 * b0 + a1 * b1) + a2 * b2) + a3`, with 0 for `a3` but in the last one.
#[inline(always)]
fn row(a: &[f32; 4], [x, y, z]: [&[f32; 4]; 3]) -> [f32; 4] {
    let mut sum = [0.0, 0.0, 0.0, a[3]];
    for c in 0..4 {
        sum[c] += (a[0] * x[c] + a[1] * y[c]) + a[2] * z[c];
    }
    sum
}
