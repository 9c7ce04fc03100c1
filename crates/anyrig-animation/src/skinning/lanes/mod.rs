//! Eight numbers side by side: what the kernels of skinning and of playing are written in, once for every processor.
//!
//! Each operation rounds each lane on its own, exactly as `f32` does, and no operation mixes lanes. So a kernel gives the
//! same bits whatever [`Lanes`] it runs with, as long as no lane is a NaN, whose payload is free.

mod arc;
mod kernel;
mod plain;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use arc::{Arc, arc_weights};
pub use kernel::Kernel;
pub(crate) use kernel::{Task, run};

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Eight times the same, with the number of each in place of the name.
///
/// A closure would do in plain code. But the compiler makes it a function of its own, which has none of the processor's
/// instructions at hand: each of them becomes a call, and that makes the closure too large to be taken in.
macro_rules! eight {
    ($index:ident => $value:expr) => {
        [
            {
                let $index = 0;
                $value
            },
            {
                let $index = 1;
                $value
            },
            {
                let $index = 2;
                $value
            },
            {
                let $index = 3;
                $value
            },
            {
                let $index = 4;
                $value
            },
            {
                let $index = 5;
                $value
            },
            {
                let $index = 6;
                $value
            },
            {
                let $index = 7;
                $value
            },
        ]
    };
}
pub(crate) use eight;

/// Number of lanes of every implementation.
pub(crate) const WIDTH: usize = 8;

/// One value of each lane.
pub(crate) type Values = [f32; WIDTH];

/// Eight `f32`.
///
/// A value can only be made with the implementation's token, which in turn can only be had on a processor that has the
/// instructions. That is what makes the operations safe to call.
pub(crate) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Proof that the instructions are there.
    type Token: Copy + Send + Sync;
    /// A yes or no for each lane.
    type Mask: Copy;

    fn splat(token: Self::Token, value: f32) -> Self;
    fn load(token: Self::Token, values: &Values) -> Self;
    fn to_array(self) -> Values;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// The larger one; `other` where either is a NaN.
    fn max(self, other: Self) -> Self;

    fn is_less(self, other: Self) -> Self::Mask;
    fn is_equal(self, other: Self) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn is_all(mask: Self::Mask) -> bool;
    fn is_any(mask: Self::Mask) -> bool;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Four lists of one number of each row.
    fn from_rows(token: Self::Token, rows: [&[f32; 4]; WIDTH]) -> [Self; 4];
    /// As [`Lanes::from_rows`], for the first four and the last four numbers of each row. Reads whole rows, which is fast
    /// where they have only just been written.
    #[inline(always)]
    fn from_wide_rows(token: Self::Token, rows: &[&Values; WIDTH]) -> [[Self; 4]; 2] {
        [
            Self::from_rows(token, eight!(i => &rows[i].as_chunks().0[0])),
            Self::from_rows(token, eight!(i => &rows[i].as_chunks().0[1])),
        ]
    }
    /// The inverse of [`Lanes::from_rows`].
    fn to_rows(columns: [Self; 4]) -> [[f32; 4]; WIDTH];
    /// The x, y and z of eight points.
    fn from_points(token: Self::Token, points: &[[f32; 3]; WIDTH]) -> [Self; 3];
    /// The inverse of [`Lanes::from_points`].
    fn to_points(coordinates: [Self; 3]) -> [[f32; 3]; WIDTH];

    /// Normal, finite and above zero.
    #[inline(always)]
    fn is_normal(token: Self::Token, value: Self) -> Self::Mask {
        let below = Self::splat(token, BELOW_NORMAL);
        Self::both(below.is_less(value), value.is_less(Self::splat(token, f32::INFINITY)))
    }
}

/// The largest number that is not normal.
const BELOW_NORMAL: f32 = f32::from_bits(0x007f_ffff);

/// `(a.x * b.x + a.y * b.y) + a.z * b.z`.
#[inline(always)]
pub(crate) fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// `((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w`.
#[inline(always)]
pub(crate) fn dot4<L: Lanes>(a: [L; 4], b: [L; 4]) -> L {
    ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]
}

/// Each component `a * b - c * d`.
#[inline(always)]
pub(crate) fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests;
