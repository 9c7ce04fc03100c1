//! What lies between two keys of a curve whose keys say it.

use anyrig_scene::{Curve, Handle, Segment};

/// The segment after a key; a straight line when the curve has none.
pub(crate) fn segment(curve: &Curve, key: usize) -> Segment {
    curve.segments.get(key).copied().unwrap_or(Segment::Linear)
}

/// The value at a share `t` (0 to 1) of a segment that lasts so many seconds.
pub(crate) fn between(segment: Segment, (from, to): (f64, f64), t: f64, seconds: f64) -> f64 {
    match segment {
        Segment::Step => from,
        Segment::StepNext => to,
        Segment::Linear => (1.0 - t) * from + t * to,
        Segment::Eased { out, into } => {
            let progress = ease(out, into, t);
            (1.0 - progress) * from + progress * to
        }
        Segment::Hermite { out_slope, in_slope } => {
            let third = seconds / 3.0;
            bezier([from, from + f64::from(out_slope) * third, to - f64::from(in_slope) * third, to], t)
        }
        Segment::Bezier { out, into } => {
            let (out, out_rise) = handle(out, seconds);
            let (into, into_rise) = handle(into, seconds);
            let u = solve_time(out, 1.0 - into, t);
            bezier([from, from + out_rise, to - into_rise, to], u)
        }
    }
}

/// The slope per second at which a segment leaves its key, or arrives at the next one.
pub(crate) fn slope(segment: Segment, (from, to): (f64, f64), seconds: f64, end: End) -> f64 {
    let straight = (to - from) / seconds;
    match (segment, end) {
        (Segment::Step | Segment::StepNext, _) => 0.0,
        (Segment::Linear | Segment::Eased { .. }, _) => straight,
        (Segment::Hermite { out_slope, .. }, End::Leaving) => out_slope.into(),
        (Segment::Hermite { in_slope, .. }, End::Arriving) => in_slope.into(),
        (Segment::Bezier { out, .. }, End::Leaving) => out.slope.into(),
        (Segment::Bezier { into, .. }, End::Arriving) => into.slope.into(),
    }
}

/// One end of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Leaving,
    Arriving,
}

/// The progress of an eased segment.
pub(crate) fn ease(out: [f32; 2], into: [f32; 2], t: f64) -> f64 {
    let u = solve_time(out[0].into(), into[0].into(), t);
    bezier([0.0, out[1].into(), into[1].into(), 1.0], u)
}

/// Length in time as a share of the segment, and rise in value.
fn handle(handle: Handle, seconds: f64) -> (f64, f64) {
    let weight = f64::from(handle.weight);
    (weight, f64::from(handle.slope) * weight * seconds)
}

/// A cubic Bézier curve by its Bernstein form.
fn bezier(points: [f64; 4], t: f64) -> f64 {
    let u = 1.0 - t;
    u * u * u * points[0] + 3.0 * (u * u * t * points[1] + u * t * t * points[2]) + t * t * t * points[3]
}

/// The parameter at which the Bézier curve (0, x1, x2, 1) reaches `x`, for `x` in 0..=1.
///
/// With `x1` and `x2` in 0..=1 the curve ascends, so there is exactly one: Newton's method inside a bracket that each
/// step makes smaller, and bisection where a step would leave it. Control points outside are moved inside first.
fn solve_time(x1: f64, x2: f64, x: f64) -> f64 {
    let (x1, x2) = (x1.clamp(0.0, 1.0), x2.clamp(0.0, 1.0));
    let (c3, c2, c1) = (3.0 * (x1 - x2) + 1.0, 3.0 * (x2 - 2.0 * x1), 3.0 * x1);
    let at = |t: f64| ((c3 * t + c2) * t + c1) * t - x;
    let (mut low, mut high, mut t) = (0.0, 1.0, x);
    for _ in 0..MAX_STEPS {
        let error = at(t);
        if error.abs() <= PRECISION {
            break;
        }
        if error < 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t - error / ((3.0 * c3 * t + 2.0 * c2) * t + c1);
        t = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    t
}

/// Bisection alone halves the bracket below [`PRECISION`] in so many steps.
const MAX_STEPS: usize = 52;
/// Two units in the last place of 1.
const PRECISION: f64 = 4.44e-16;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_kinds_have_their_own_shape() {
        let at = |segment, t| between(segment, (1.0, 3.0), t, 2.0);
        assert_eq!([0.0, 0.9].map(|t| at(Segment::Step, t)), [1.0, 1.0]);
        assert_eq!([0.1, 0.9].map(|t| at(Segment::StepNext, t)), [3.0, 3.0]);
        assert_eq!(at(Segment::Linear, 0.25), 1.5);
        // Flat ends: 3t² - 2t³ of the way.
        assert!((at(Segment::Hermite { out_slope: 0.0, in_slope: 0.0 }, 0.25) - 1.3125).abs() < 1e-15);
        let straight = Segment::Hermite { out_slope: 1.0, in_slope: 1.0 };
        assert!((at(straight, 0.3) - 1.6).abs() < 1e-15);
    }

    #[test]
    fn weights_of_a_third_make_a_bezier_a_hermite() {
        let third = |slope| Handle { slope, weight: 1.0 / 3.0 };
        let weighted = Segment::Bezier { out: third(5.0), into: third(-2.0) };
        let plain = Segment::Hermite { out_slope: 5.0, in_slope: -2.0 };
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            let (a, b) = (between(weighted, (0.0, 1.0), t, 0.5), between(plain, (0.0, 1.0), t, 0.5));
            assert!((a - b).abs() < 1e-7, "{t} {a} {b}");
        }
    }

    #[test]
    fn an_ease_on_the_diagonal_is_a_straight_line() {
        for t in [0.0, 0.1, 0.5, 0.99, 1.0] {
            assert!((ease([0.2, 0.2], [0.7, 0.7], t) - t).abs() < 1e-7);
        }
        // x = y mirrored at the centre: half the time is half the way, whatever the handles.
        assert!((ease([0.9, 0.0], [0.1, 1.0], 0.5) - 0.5).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn time_is_solved_also_where_the_curve_stands_still(
            x1 in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64],
            x2 in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64],
            x in prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.0..=1.0f64],
        ) {
            let t = solve_time(x1, x2, x);
            prop_assert!((0.0..=1.0).contains(&t));
            prop_assert!((bezier([0.0, x1, x2, 1.0], t) - x).abs() < 4e-15, "{} {} {}", x1, x2, x);
        }
    }
}
