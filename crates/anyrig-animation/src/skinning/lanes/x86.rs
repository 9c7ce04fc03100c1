//! Lanes of x86-64 processors: two registers of four numbers, or one of eight.
#![allow(
    unsafe_code,
    reason = "the processor's instructions, which only tokens open; a test holds each to plain lanes"
)]

use super::kernel::Task;
use super::{Lanes, Values, WIDTH};
use std::arch::x86_64::{
    __m128, __m256, _CMP_EQ_OQ, _CMP_LT_OQ, _mm_add_ps, _mm_and_ps, _mm_andnot_ps, _mm_cmpeq_ps, _mm_cmplt_ps,
    _mm_div_ps, _mm_loadu_ps, _mm_max_ps, _mm_movemask_ps, _mm_mul_ps, _mm_or_ps, _mm_set1_ps, _mm_shuffle_ps,
    _mm_sqrt_ps, _mm_storeu_ps, _mm_sub_ps, _mm_unpackhi_ps, _mm_unpacklo_ps, _mm_xor_ps, _mm256_add_ps, _mm256_and_ps,
    _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_cmp_ps, _mm256_div_ps,
    _mm256_extractf128_ps, _mm256_insertf128_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_movemask_ps, _mm256_mul_ps,
    _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_shuffle_ps, _mm256_sqrt_ps, _mm256_storeu_ps, _mm256_sub_ps,
    _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm256_xor_ps,
};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Every x86-64 processor has SSE2.
#[derive(Clone, Copy)]
pub(crate) struct Sse2;

/// This processor has AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

/// Runs a task with eight lanes in one register.
pub(crate) fn run_avx2<T: Task>(task: T, token: Avx2) -> T::Output {
    #[target_feature(enable = "avx2")]
    fn compiled_for_avx2<T: Task>(task: T, token: Avx2) -> T::Output {
        task.run::<Avx>(token)
    }
    // SAFETY: the token is made only where AVX2 was detected.
    unsafe { compiled_for_avx2(task, token) }
}

#[derive(Clone, Copy)]
pub(crate) struct Sse(__m128, __m128);

#[derive(Clone, Copy)]
pub(crate) struct Avx(__m256);

macro_rules! operators {
    ($($operator:ident $method:ident $four:ident $eight:ident)*) => {
        $(
            impl $operator for Sse {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: every x86-64 processor has SSE2.
                    unsafe { Self($four(self.0, other.0), $four(self.1, other.1)) }
                }
            }

            impl $operator for Avx {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: a value is made only with the token, so the processor has AVX2.
                    unsafe { Self($eight(self.0, other.0)) }
                }
            }
        )*
    };
}

operators! {
    Add add _mm_add_ps _mm256_add_ps
    Sub sub _mm_sub_ps _mm256_sub_ps
    Mul mul _mm_mul_ps _mm256_mul_ps
    Div div _mm_div_ps _mm256_div_ps
}

impl Neg for Sse {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe {
            let sign = _mm_set1_ps(-0.0);
            Self(_mm_xor_ps(self.0, sign), _mm_xor_ps(self.1, sign))
        }
    }
}

impl Neg for Avx {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: a value is made only with the token, so the processor has AVX2.
        unsafe { Self(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))) }
    }
}

// SAFETY of all blocks in here: every x86-64 processor has SSE2. Pointers come from arrays of four numbers.
impl Lanes for Sse {
    type Token = Sse2;
    type Mask = Self;

    #[inline(always)]
    fn splat(_: Sse2, value: f32) -> Self {
        let four = unsafe { _mm_set1_ps(value) };
        Self(four, four)
    }

    #[inline(always)]
    fn load(_: Sse2, values: &Values) -> Self {
        let (quads, _) = values.as_chunks();
        unsafe { Self(load_four(&quads[0]), load_four(&quads[1])) }
    }

    #[inline(always)]
    fn to_array(self) -> Values {
        let mut values = [0.0; WIDTH];
        let (quads, _) = values.as_chunks_mut();
        unsafe {
            store_four(self.0, &mut quads[0]);
            store_four(self.1, &mut quads[1]);
        }
        values
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Self(_mm_sqrt_ps(self.0), _mm_sqrt_ps(self.1)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        unsafe {
            let sign = _mm_set1_ps(-0.0);
            Self(_mm_andnot_ps(sign, self.0), _mm_andnot_ps(sign, self.1))
        }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { Self(_mm_max_ps(self.0, other.0), _mm_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> Self {
        unsafe { Self(_mm_cmplt_ps(self.0, other.0), _mm_cmplt_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn is_equal(self, other: Self) -> Self {
        unsafe { Self(_mm_cmpeq_ps(self.0, other.0), _mm_cmpeq_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn both(a: Self, b: Self) -> Self {
        unsafe { Self(_mm_and_ps(a.0, b.0), _mm_and_ps(a.1, b.1)) }
    }

    #[inline(always)]
    fn is_all(mask: Self) -> bool {
        unsafe { _mm_movemask_ps(_mm_and_ps(mask.0, mask.1)) == 0xf }
    }

    #[inline(always)]
    fn is_any(mask: Self) -> bool {
        unsafe { _mm_movemask_ps(_mm_or_ps(mask.0, mask.1)) != 0 }
    }

    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        unsafe { Self(select_four(mask.0, yes.0, no.0), select_four(mask.1, yes.1, no.1)) }
    }

    #[inline(always)]
    fn from_rows(_: Sse2, [a, b, c, d, e, f, g, h]: [&[f32; 4]; WIDTH]) -> [Self; 4] {
        unsafe {
            let low = transposed_four([load_four(a), load_four(b), load_four(c), load_four(d)]);
            let high = transposed_four([load_four(e), load_four(f), load_four(g), load_four(h)]);
            [Self(low[0], high[0]), Self(low[1], high[1]), Self(low[2], high[2]), Self(low[3], high[3])]
        }
    }

    #[inline(always)]
    fn to_rows([x, y, z, w]: [Self; 4]) -> [[f32; 4]; WIDTH] {
        let mut rows = [[0.0; 4]; WIDTH];
        let (low, high) = unsafe { (transposed_four([x.0, y.0, z.0, w.0]), transposed_four([x.1, y.1, z.1, w.1])) };
        for (i, (low, high)) in low.into_iter().zip(high).enumerate() {
            unsafe {
                store_four(low, &mut rows[i]);
                store_four(high, &mut rows[i + 4]);
            }
        }
        rows
    }

    #[inline(always)]
    fn from_points(_: Sse2, points: &[[f32; 3]; WIDTH]) -> [Self; 3] {
        let (quads, _) = points.as_flattened().as_chunks();
        unsafe {
            let low = axes_of_four([load_four(&quads[0]), load_four(&quads[1]), load_four(&quads[2])]);
            let high = axes_of_four([load_four(&quads[3]), load_four(&quads[4]), load_four(&quads[5])]);
            [Self(low[0], high[0]), Self(low[1], high[1]), Self(low[2], high[2])]
        }
    }

    #[inline(always)]
    fn to_points([x, y, z]: [Self; 3]) -> [[f32; 3]; WIDTH] {
        let mut points = [[0.0; 3]; WIDTH];
        let (quads, _) = points.as_flattened_mut().as_chunks_mut();
        let (low, high) = unsafe { (points_of_four([x.0, y.0, z.0]), points_of_four([x.1, y.1, z.1])) };
        for (i, (low, high)) in low.into_iter().zip(high).enumerate() {
            unsafe {
                store_four(low, &mut quads[i]);
                store_four(high, &mut quads[i + 3]);
            }
        }
        points
    }
}

// SAFETY of all blocks in here: tokens and values are made only where AVX2 was detected. Pointers come from arrays of
// as many numbers as are read or written.
impl Lanes for Avx {
    type Token = Avx2;
    type Mask = Self;

    #[inline(always)]
    fn splat(_: Avx2, value: f32) -> Self {
        unsafe { Self(_mm256_set1_ps(value)) }
    }

    #[inline(always)]
    fn load(_: Avx2, values: &Values) -> Self {
        unsafe { Self(_mm256_loadu_ps(values.as_ptr())) }
    }

    #[inline(always)]
    fn to_array(self) -> Values {
        let mut values = [0.0; WIDTH];
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Self(_mm256_sqrt_ps(self.0)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        unsafe { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_ps(self.0, other.0)) }
    }

    #[inline(always)]
    fn is_less(self, other: Self) -> Self {
        unsafe { Self(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0)) }
    }

    #[inline(always)]
    fn is_equal(self, other: Self) -> Self {
        unsafe { Self(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0)) }
    }

    #[inline(always)]
    fn both(a: Self, b: Self) -> Self {
        unsafe { Self(_mm256_and_ps(a.0, b.0)) }
    }

    #[inline(always)]
    fn is_all(mask: Self) -> bool {
        unsafe { _mm256_movemask_ps(mask.0) == 0xff }
    }

    #[inline(always)]
    fn is_any(mask: Self) -> bool {
        unsafe { _mm256_movemask_ps(mask.0) != 0 }
    }

    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        unsafe { Self(_mm256_blendv_ps(no.0, yes.0, mask.0)) }
    }

    #[inline(always)]
    fn from_rows(_: Avx2, [a, b, c, d, e, f, g, h]: [&[f32; 4]; WIDTH]) -> [Self; 4] {
        unsafe { transposed_eight([load_pair(a, e), load_pair(b, f), load_pair(c, g), load_pair(d, h)]).map(Self) }
    }

    #[inline(always)]
    fn from_wide_rows(token: Avx2, [a, b, c, d, e, f, g, h]: &[&Values; WIDTH]) -> [[Self; 4]; 2] {
        let wide = |row: &Values| Self::load(token, row).0;
        let (low, high) = ([wide(a), wide(b), wide(c), wide(d)], [wide(e), wide(f), wide(g), wide(h)]);
        unsafe { joined(transposed_eight(low), transposed_eight(high)).map(|half| half.map(Self)) }
    }

    #[inline(always)]
    fn to_rows([x, y, z, w]: [Self; 4]) -> [[f32; 4]; WIDTH] {
        let mut rows = [[0.0; 4]; WIDTH];
        let (low, high) = rows.split_at_mut(4);
        let pairs = unsafe { transposed_eight([x.0, y.0, z.0, w.0]) };
        for (pair, (low, high)) in pairs.into_iter().zip(low.iter_mut().zip(high)) {
            unsafe { store_pair(pair, low, high) };
        }
        rows
    }

    #[inline(always)]
    fn from_points(_: Avx2, points: &[[f32; 3]; WIDTH]) -> [Self; 3] {
        let (q, _) = points.as_flattened().as_chunks();
        unsafe { axes_of_eight([load_pair(&q[0], &q[3]), load_pair(&q[1], &q[4]), load_pair(&q[2], &q[5])]).map(Self) }
    }

    #[inline(always)]
    fn to_points([x, y, z]: [Self; 3]) -> [[f32; 3]; WIDTH] {
        let mut points = [[0.0; 3]; WIDTH];
        let (quads, _) = points.as_flattened_mut().as_chunks_mut();
        let (low, high) = quads.split_at_mut(3);
        let pairs = unsafe { points_of_eight([x.0, y.0, z.0]) };
        for (pair, (low, high)) in pairs.into_iter().zip(low.iter_mut().zip(high)) {
            unsafe { store_pair(pair, low, high) };
        }
        points
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load_four(values: &[f32; 4]) -> __m128 {
    // SAFETY: four numbers are there.
    unsafe { _mm_loadu_ps(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store_four(four: __m128, values: &mut [f32; 4]) {
    // SAFETY: four numbers have room.
    unsafe { _mm_storeu_ps(values.as_mut_ptr(), four) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn select_four(mask: __m128, yes: __m128, no: __m128) -> __m128 {
    _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_pair(low: &[f32; 4], high: &[f32; 4]) -> __m256 {
    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(load_four(low)), load_four(high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_pair(pair: __m256, low: &mut [f32; 4], high: &mut [f32; 4]) {
    store_four(_mm256_castps256_ps128(pair), low);
    store_four(_mm256_extractf128_ps::<1>(pair), high);
}

/// The lower halves of both, then the upper halves.
#[inline]
#[target_feature(enable = "avx2")]
fn joined(low: [__m256; 4], high: [__m256; 4]) -> [[__m256; 4]; 2] {
    let ([a, b, c, d], [e, f, g, h]) = (low, high);
    [
        [
            _mm256_permute2f128_ps::<0x20>(a, e),
            _mm256_permute2f128_ps::<0x20>(b, f),
            _mm256_permute2f128_ps::<0x20>(c, g),
            _mm256_permute2f128_ps::<0x20>(d, h),
        ],
        [
            _mm256_permute2f128_ps::<0x31>(a, e),
            _mm256_permute2f128_ps::<0x31>(b, f),
            _mm256_permute2f128_ps::<0x31>(c, g),
            _mm256_permute2f128_ps::<0x31>(d, h),
        ],
    ]
}

/// Which of four numbers of `a` (the lower two) and of `b` a shuffle takes.
const fn pick(a: [i32; 2], b: [i32; 2]) -> i32 {
    a[0] | a[1] << 2 | b[0] << 4 | b[1] << 6
}

const FIRST_TWO: i32 = pick([0, 1], [0, 1]);
const LAST_TWO: i32 = pick([2, 3], [2, 3]);
const EVEN: i32 = pick([0, 2], [0, 2]);
const ODD: i32 = pick([1, 3], [1, 3]);

// The same shuffles within each group of four numbers, for one group and for two.
macro_rules! shuffles {
    ($register:ident $feature:literal $shuffle:ident $low:ident $high:ident $transposed:ident $axes:ident $points:ident) => {
        /// Rows to columns.
        #[inline]
        #[target_feature(enable = $feature)]
        fn $transposed([a, b, c, d]: [$register; 4]) -> [$register; 4] {
            let (ab_low, ab_high) = ($low(a, b), $high(a, b));
            let (cd_low, cd_high) = ($low(c, d), $high(c, d));
            [
                $shuffle::<FIRST_TWO>(ab_low, cd_low),
                $shuffle::<LAST_TWO>(ab_low, cd_low),
                $shuffle::<FIRST_TWO>(ab_high, cd_high),
                $shuffle::<LAST_TWO>(ab_high, cd_high),
            ]
        }

        /// `x0 y0 z0 x1`, `y1 z1 x2 y2`, `z2 x3 y3 z3` to `x0..x3`, `y0..y3`, `z0..z3`.
        #[inline]
        #[target_feature(enable = $feature)]
        fn $axes([a, b, c]: [$register; 3]) -> [$register; 3] {
            // x2 y2 x3 y3, y0 z0 y1 z1
            let xy = $shuffle::<{ pick([2, 3], [1, 2]) }>(b, c);
            let yz = $shuffle::<{ pick([1, 2], [0, 1]) }>(a, b);
            [
                $shuffle::<{ pick([0, 3], [0, 2]) }>(a, xy),
                $shuffle::<{ pick([0, 2], [1, 3]) }>(yz, xy),
                $shuffle::<{ pick([1, 3], [0, 3]) }>(yz, c),
            ]
        }

        /// The inverse of the above.
        #[inline]
        #[target_feature(enable = $feature)]
        fn $points([x, y, z]: [$register; 3]) -> [$register; 3] {
            // x0 x2 y0 y2, y1 y3 z1 z3, z0 z2 x1 x3
            let xy = $shuffle::<EVEN>(x, y);
            let yz = $shuffle::<ODD>(y, z);
            let zx = $shuffle::<{ pick([0, 2], [1, 3]) }>(z, x);
            [$shuffle::<EVEN>(xy, zx), $shuffle::<{ pick([0, 2], [1, 3]) }>(yz, xy), $shuffle::<ODD>(zx, yz)]
        }
    };
}

shuffles!(__m128 "sse2" _mm_shuffle_ps _mm_unpacklo_ps _mm_unpackhi_ps transposed_four axes_of_four points_of_four);
shuffles!(
    __m256 "avx2" _mm256_shuffle_ps _mm256_unpacklo_ps _mm256_unpackhi_ps transposed_eight axes_of_eight points_of_eight
);
