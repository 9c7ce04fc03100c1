//! From local transforms to world matrices.

use super::blocks::Locals;
use crate::JointMatrix;
use crate::lanes::{Lanes, WIDTH, dot4};

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
    let [x, y, z, w] = locals.rotation.each_ref().map(|values| L::load(token, values));
    let scale = locals.scale.each_ref().map(|values| L::load(token, values));
    let translation = locals.translation.each_ref().map(|values| L::load(token, values));
    let one = L::splat(token, 1.0);
    let twice = L::splat(token, 2.0) / dot4([x, y, z, w], [x, y, z, w]);
    let (tx, ty, tz) = (twice * x, twice * y, twice * z);
    let (xx, yy, zz) = (tx * x, ty * y, tz * z);
    let (xy, xz, yz) = (tx * y, tx * z, ty * z);
    let (wx, wy, wz) = (tx * w, ty * w, tz * w);
    let turn =
        [[one - (yy + zz), xy - wz, xz + wy], [xy + wz, one - (xx + zz), yz - wx], [xz - wy, yz + wx, one - (xx + yy)]];
    [0, 1, 2].map(|r| {
        let [a, b, c] = turn[r];
        L::to_rows([a * scale[0], b * scale[1], c * scale[2], translation[r]])
    })
}

/// `scene_from_node` of every node that has a step. A transform that overflows stands where its parent does.
#[inline(always)]
pub(super) fn compose(steps: &[Step], locals: &[Matrices], worlds: &mut [JointMatrix]) {
    for step in steps {
        place(step, locals, worlds);
    }
    if !all_finite(worlds) {
        compose_carefully(steps, locals, worlds);
    }
}

#[cold]
fn compose_carefully(steps: &[Step], locals: &[Matrices], worlds: &mut [JointMatrix]) {
    for step in steps {
        place(step, locals, worlds);
        let parent = worlds.get(step.parent as usize).copied().unwrap_or_default();
        if let Some(world) = worlds.get_mut(step.node as usize).filter(|w| !all_finite(std::slice::from_ref(w))) {
            *world = parent;
        }
    }
}

#[inline(always)]
fn place(step: &Step, locals: &[Matrices], worlds: &mut [JointMatrix]) {
    let (eight, lane) = (step.local as usize / WIDTH, step.local as usize % WIDTH);
    let Some(eight) = locals.get(eight) else { return };
    let local = [eight[0][lane], eight[1][lane], eight[2][lane]];
    let rows = worlds.get(step.parent as usize).map_or(local, |parent| product(&parent.rows, &local));
    if let Some(world) = worlds.get_mut(step.node as usize) {
        world.rows = rows;
    }
}

/// Each element `((a0 * b0 + a1 * b1) + a2 * b2) + a3`, the last one in the fourth column alone and 0 elsewhere.
#[inline(always)]
fn product(a: &[[f32; 4]; 3], b: &[[f32; 4]; 3]) -> [[f32; 4]; 3] {
    a.map(|[x, y, z, t]| {
        let last = [0.0, 0.0, 0.0, t];
        [0, 1, 2, 3].map(|c| ((x * b[0][c] + y * b[1][c]) + z * b[2][c]) + last[c])
    })
}

#[inline(always)]
fn all_finite(worlds: &[JointMatrix]) -> bool {
    const INFINITE: u32 = 0x7f80_0000;
    let largest = worlds.iter().fold(0, |most, world| {
        let bits = world.rows.as_flattened().iter().map(|cell| cell.to_bits() & 0x7fff_ffff);
        bits.fold(most, u32::max)
    });
    largest < INFINITE
}
