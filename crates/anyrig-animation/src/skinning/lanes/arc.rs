//! Rotations along the great arc, without a branch or a division by a small number.
//!
//! The weights of the ends, `sin((1 - t) * a) / sin(a)` and `sin(t * a) / sin(a)` at an angle `a`, are written with
//! `sinc(x) = sin(x) / x`, which is smooth at 0: `t * sinc(t * a) / sinc(a)`. Two rotations that are taken the shorter way
//! are at most a right angle apart as vectors, where a short series in `x²` is exact to `f32`.

use super::Lanes;
use anyrig_bytes::maths::f64 as maths;
use glam::DQuat;

/// What the arc between two unit quaternions needs beside them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arc {
    /// `a²`, from 0 to `(π / 2)²`.
    pub square: f32,
    /// `1 / sinc(a)`, from 1 to `π / 2`.
    pub scale: f32,
}

impl Arc {
    /// The arc from `a` to `b`, and `b` with the sign that makes it the shorter one.
    pub(crate) fn new(a: DQuat, b: DQuat) -> (Self, DQuat) {
        let b = if a.dot(b) < 0.0 { -b } else { b };
        let angle = 2.0 * maths::atan2((a - b).length(), (a + b).length());
        let sine = maths::sin(angle);
        let scale = if sine > 0.0 { angle / sine } else { 1.0 };
        (Self { square: (angle * angle) as f32, scale: scale as f32 }, b)
    }
}

/// The weights of both ends at a share from 0 to 1 of the arc.
#[inline(always)]
pub(crate) fn arc_weights<L: Lanes>(token: L::Token, share: L, square: L, scale: L) -> (L, L) {
    let rest = L::splat(token, 1.0) - share;
    let (of_rest, of_share) = (sinc(token, rest * rest * square), sinc(token, share * share * square));
    (rest * of_rest * scale, share * of_share * scale)
}

/// `sin(x) / x` of `x²` up to `(π / 2)²`: the Taylor series to the tenth power, which is off by less than 4e-8.
#[inline(always)]
fn sinc<L: Lanes>(token: L::Token, square: L) -> L {
    const TERMS: [f32; 5] = [1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0];
    let mut sum = L::splat(token, -1.0 / 39_916_800.0);
    for term in TERMS {
        sum = sum * square + L::splat(token, term);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation::tests::unit;
    use crate::skinning::lanes::{Kernel, Task, run};
    use crate::slerp;
    use glam::DVec4;
    use proptest::prelude::*;

    struct Weights(Arc, f32);

    impl Task for Weights {
        type Output = (f32, f32);

        fn run<L: Lanes>(self, token: L::Token) -> (f32, f32) {
            let of = |value| L::splat(token, value);
            let (a, b) = arc_weights(token, of(self.1), of(self.0.square), of(self.0.scale));
            (a.to_array()[0], b.to_array()[3])
        }
    }

    proptest! {
        #[test]
        fn it_is_slerp(a in unit(), b in unit(), near in 0.0..1.0f64, share in 0.0..=1.0f32) {
            // Neighbours of every distance.
            let b = (a + (b - a) * near * near * near) * 1.0;
            prop_assume!(b.length() > 1e-3);
            let b = b / b.length();
            let (arc, end) = Arc::new(a, b);
            for kernel in Kernel::ALL {
                let (of_a, of_b) = run(kernel, Weights(arc, share));
                let found = a * f64::from(of_a) + end * f64::from(of_b);
                let expected = slerp(a, b, f64::from(share));
                prop_assert!(DVec4::from(found - expected).length() < 2.5e-7, "{found} {expected}");
            }
        }
    }

    #[test]
    fn both_ends_are_met() {
        let (a, b) = (DQuat::IDENTITY, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        let (arc, _) = Arc::new(a, b);
        assert_eq!(run(Kernel::Scalar, Weights(arc, 0.0)).1, 0.0);
        assert_eq!(run(Kernel::Scalar, Weights(arc, 1.0)).0, 0.0);
        assert_eq!(Arc::new(a, a).0, Arc { square: 0.0, scale: 1.0 });
    }
}
