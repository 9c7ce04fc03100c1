//! What a curve shows from a time on, without the keys before it.

use crate::{CurveKind, ResampleOptions, resample};
use anyrig_animation::{Sample, sample};
use anyrig_scene::{Curve, Interpolation};

/// How far from 1 the length of a quaternion on a cubic curve may be for a key to be put there.
const UNIT_TOLERANCE: f64 = 1e-4;

/// The curve without its keys before a time, and with a key at that time where they would be missed; from there on it
/// shows the same. `None` when no key lies before the time, or the curve has values that don't fit its keys.
///
/// A part of a line, an arc or a cubic is one itself, so nothing is rounded but the new key. Between two keys of a cubic
/// rotation there may be no quaternion of unit length to put a key at; then the curve is resampled, and so is one whose
/// keys say what follows them.
///
/// Extrapolation isn't looked at: what holds after the last key still does, what repeats is for [`crate::bake_motion`].
pub fn cut_before(curve: &Curve, kind: CurveKind, time_secs: f64) -> Option<Curve> {
    let dropped = curve.times_secs.partition_point(|t| *t < time_secs);
    if dropped == 0 {
        return None;
    }
    let start = sample(curve, time_secs)?;
    if curve.times_secs.get(dropped) == Some(&time_secs) {
        return Some(with_start(curve, dropped, None));
    }
    let is_cubic = curve.interpolation == Interpolation::CubicHermite;
    if curve.interpolation == Interpolation::PerKey
        || is_cubic && kind == CurveKind::Rotation && !is_unit(&numbers(&start))
    {
        return cut_before(&resample(curve, kind, &ResampleOptions::default()).curve, kind, time_secs);
    }
    let value: Vec<f64> = match kind {
        CurveKind::Rotation if !is_cubic => start.rotation().to_array().to_vec(),
        _ => numbers(&start),
    };
    let mut key: Vec<f32> = value.into_iter().map(single).collect();
    if is_cubic {
        let slopes = slopes(curve, dropped, time_secs);
        // The tangent before the first key has no effect.
        key = [vec![0.0; curve.width], key, slopes].concat();
    }
    Some(with_start(curve, dropped, Some((time_secs, key))))
}

/// The keys from one on, behind a new first one.
fn with_start(curve: &Curve, dropped: usize, start: Option<(f64, Vec<f32>)>) -> Curve {
    let (mut times, mut values) = start.map_or_else(Default::default, |(time, key)| (vec![time], key));
    times.extend_from_slice(&curve.times_secs[dropped..]);
    values.extend_from_slice(&curve.values[dropped * curve.stride()..]);
    let mut cut = Curve::new(curve.interpolation, curve.width, times, values);
    cut.segments = curve.segments.get(dropped..).unwrap_or_default().to_vec();
    (cut.before, cut.after) = (curve.before, curve.after);
    cut
}

fn numbers(sample: &Sample<'_>) -> Vec<f64> {
    (0..sample.width()).map(|i| sample.component(i).unwrap_or(0.0)).collect()
}

fn is_unit(numbers: &[f64]) -> bool {
    (numbers.iter().map(|n| n * n).sum::<f64>().sqrt() - 1.0).abs() <= UNIT_TOLERANCE
}

/// What a cubic curve gains per second at a time between a key and the one before it; nothing after the last key.
fn slopes(curve: &Curve, next: usize, time_secs: f64) -> Vec<f32> {
    let (width, stride) = (curve.width, curve.stride());
    let Some(end) = curve.times_secs.get(next) else { return vec![0.0; width] };
    let start = curve.times_secs[next - 1];
    let seconds = end - start;
    let t = (time_secs - start) / seconds;
    let at = |key: usize, part: usize, i: usize| f64::from(curve.values[key * stride + part * width + i]);
    let slope = |i: usize| {
        // The derivative of (2t³ - 3t² + 1) p0 + (t³ - 2t² + t) m0 + (3t² - 2t³) p1 + (t³ - t²) m1.
        let gained = (at(next, 1, i) - at(next - 1, 1, i)) / seconds;
        6.0 * t * (1.0 - t) * gained
            + (3.0 * t * t - 4.0 * t + 1.0) * at(next - 1, 2, i)
            + (3.0 * t * t - 2.0 * t) * at(next, 0, i)
    };
    (0..width).map(|i| single(slope(i))).collect()
}

/// The nearest finite number of single precision; tangents may lead anywhere.
fn single(value: f64) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resample::angle;
    use anyrig_scene::Segment;

    /// Asserts that a curve from 0 on is the other one.
    fn assert_same_from_zero(curve: &Curve, kind: CurveKind, bound: f64) -> Curve {
        let cut = cut_before(curve, kind, 0.0).expect("keys before 0");
        assert_eq!(cut.times_secs.first(), Some(&0.0));
        for step in 0..=100 {
            let time = f64::from(step) * 0.02;
            let (a, b) = (sample(curve, time).expect("usable"), sample(&cut, time).expect("usable"));
            let apart = match kind {
                CurveKind::Rotation => angle(a.rotation(), b.rotation()),
                CurveKind::Numbers => {
                    numbers(&a).iter().zip(numbers(&b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                }
            };
            assert!(apart <= bound, "{apart} apart at {time}");
        }
        cut
    }

    /// A turn about an axis between two others, in quaternions that a cubic curve blends.
    fn turning(interpolation: Interpolation, half_angle: f64) -> Curve {
        let (sin, cos) = (anyrig_bytes::maths::f64::sin(half_angle), anyrig_bytes::maths::f64::cos(half_angle));
        let (from, to) = ([0.0, 0.0, 0.0, 1.0], [0.6 * sin as f32, 0.0, 0.8 * sin as f32, cos as f32]);
        let key = |value: [f32; 4]| match interpolation {
            Interpolation::CubicHermite => [[0.0; 4], value, [0.0; 4]].concat(),
            _ => value.to_vec(),
        };
        Curve::new(interpolation, 4, vec![-0.5, 1.0], [key(from), key(to)].concat())
    }

    #[test]
    fn a_part_of_a_line_is_the_line() {
        let curve = Curve::new(Interpolation::Linear, 1, vec![-1.0, -0.5, 0.5], vec![9.0, 2.0, 3.0]);
        let cut = assert_same_from_zero(&curve, CurveKind::Numbers, 1e-15);
        assert_eq!((&*cut.times_secs, &*cut.values), (&[0.0, 0.5][..], &[2.5, 3.0][..]));
        assert_same_from_zero(&turning(Interpolation::Linear, 1.2), CurveKind::Rotation, 1e-6);
    }

    #[test]
    fn a_part_of_a_cubic_is_the_cubic() {
        let values = vec![7.0, 1.0, 4.0, -2.0, 3.0, 1.0, 0.5, -1.0, 7.0];
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![-0.3, 0.7, 1.5], values);
        assert_same_from_zero(&curve, CurveKind::Numbers, 1e-6);
        let near = assert_same_from_zero(&turning(Interpolation::CubicHermite, 0.02), CurveKind::Rotation, 1e-6);
        assert_eq!(near.interpolation, Interpolation::CubicHermite);
    }

    #[test]
    fn wild_tangents_give_finite_keys() {
        let max = f32::MAX;
        for end in [1.0, 1e-300] {
            let values = vec![0.0, max, max, -max, max, 0.0];
            let curve = Curve::new(Interpolation::CubicHermite, 1, vec![-1e9, end], values);
            let cut = cut_before(&curve, CurveKind::Numbers, 0.0).expect("a key before 0");
            assert!(cut.values.iter().all(|v| v.is_finite()), "{:?}", &*cut.values);
        }
    }

    #[test]
    fn a_cubic_rotation_without_a_unit_quaternion_there_is_resampled() {
        let curve = turning(Interpolation::CubicHermite, 1.2);
        let cut = assert_same_from_zero(&curve, CurveKind::Rotation, ResampleOptions::default().max_error_rad);
        assert_eq!(cut.interpolation, Interpolation::Linear);
    }

    #[test]
    fn steps_and_the_last_key_hold() {
        let steps = Curve::new(Interpolation::Step, 1, vec![-1.0, -0.5, 0.5], vec![9.0, 2.0, 3.0]);
        assert_eq!(&*assert_same_from_zero(&steps, CurveKind::Numbers, 0.0).values, &[2.0, 3.0]);
        for (kind, values) in [(Interpolation::Linear, vec![2.0]), (Interpolation::CubicHermite, vec![8.0, 2.0, 8.0])] {
            let last = Curve::new(kind, 1, vec![-1.0], values);
            assert_eq!(assert_same_from_zero(&last, CurveKind::Numbers, 0.0).len(), 1);
        }
    }

    #[test]
    fn a_key_at_the_time_stays_as_it_is() {
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![-1.0, 0.0], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(&*assert_same_from_zero(&curve, CurveKind::Numbers, 0.0).values, &[4.0, 5.0, 6.0]);
        assert_eq!(cut_before(&curve, CurveKind::Numbers, -1.0), None);
    }

    #[test]
    fn segments_of_several_kinds_are_resampled() {
        let segments = vec![Segment::Hermite { out_slope: 3.0, in_slope: -1.0 }, Segment::Linear];
        let curve = Curve::per_key(vec![-0.5, 1.0], vec![0.0, 1.0], segments);
        assert_same_from_zero(&curve, CurveKind::Numbers, 1e-3);
    }
}
