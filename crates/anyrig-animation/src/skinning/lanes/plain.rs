//! Lanes in plain arithmetic: what the others have to equal.

use super::{Lanes, Values, WIDTH};
use std::array;
use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy)]
pub(crate) struct Plain(Values);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, act: impl Fn(f32, f32) -> f32) -> Self {
        Self(array::from_fn(|i| act(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn compare(self, other: Self, act: impl Fn(f32, f32) -> bool) -> [bool; WIDTH] {
        array::from_fn(|i| act(self.0[i], other.0[i]))
    }
}

impl Add for Plain {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Plain {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Plain {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Div for Plain {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}

impl Neg for Plain {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|v| -v))
    }
}

impl Lanes for Plain {
    type Token = ();
    type Mask = [bool; WIDTH];

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self([value; WIDTH])
    }

    #[inline(always)]
    fn load((): (), values: &Values) -> Self {
        Self(*values)
    }

    #[inline(always)]
    fn to_array(self) -> Values {
        self.0
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> Self::Mask {
        self.compare(other, |a, b| a < b)
    }

    #[inline(always)]
    fn is_equal(self, other: Self) -> Self::Mask {
        self.compare(other, |a, b| a == b)
    }

    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        array::from_fn(|i| a[i] & b[i])
    }

    #[inline(always)]
    fn is_all(mask: Self::Mask) -> bool {
        mask == [true; WIDTH]
    }

    #[inline(always)]
    fn is_any(mask: Self::Mask) -> bool {
        mask != [false; WIDTH]
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(array::from_fn(|i| if mask[i] { yes.0[i] } else { no.0[i] }))
    }

    #[inline(always)]
    fn from_rows((): (), rows: [&[f32; 4]; WIDTH]) -> [Self; 4] {
        array::from_fn(|column| Self(rows.map(|row| row[column])))
    }

    #[inline(always)]
    fn to_rows(columns: [Self; 4]) -> [[f32; 4]; WIDTH] {
        array::from_fn(|row| columns.map(|column| column.0[row]))
    }

    #[inline(always)]
    fn from_points((): (), points: &[[f32; 3]; WIDTH]) -> [Self; 3] {
        array::from_fn(|axis| Self(points.map(|point| point[axis])))
    }

    #[inline(always)]
    fn to_points(coordinates: [Self; 3]) -> [[f32; 3]; WIDTH] {
        array::from_fn(|point| coordinates.map(|axis| axis.0[point]))
    }
}
