//! Values of a curve at a time (glTF 2.0 specification, appendix C).

use crate::extrapolation::{Shift, into_range};
use crate::rotation::{slerp, unit_or};
use crate::segment::{between, ease, segment};
use anyrig_scene::{Clip, Curve, Interpolation, Segment};
use glam::{DQuat, DVec3};

/// Remembers where a curve was sampled last, so that playing on finds its keys without a search. It never changes a
/// result, only how fast it comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyHint(usize);

/// A [`KeyHint`] for each channel of a clip.
#[derive(Clone, Debug, Default)]
pub struct ClipHints(Vec<KeyHint>);

impl ClipHints {
    /// Hints for a clip. With another clip they still give right results.
    pub fn new(clip: &Clip) -> Self {
        Self(vec![KeyHint::default(); clip.channels.len()])
    }

    pub(crate) fn of(&mut self, channel: usize) -> Option<&mut KeyHint> {
        self.0.get_mut(channel)
    }
}

/// A curve at a time: between which keys, and how far. Read it by component, vector or rotation.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    curve: &'a Curve,
    key: usize,
    /// Where the time lies after `key`, 0..1, and the seconds to the next key; `None` at a key that holds.
    span: Option<(f64, f64)>,
    shift: Shift,
}

/// Finds a time on a curve.
///
/// `None` when the curve has no keys, no width, or fewer values than its keys need. Before the first and after the
/// last key the curve's extrapolation acts; a time that is not a number counts as before the first key, where the
/// first value holds.
pub fn sample(curve: &Curve, time_secs: f64) -> Option<Sample<'_>> {
    let (time_secs, shift) = into_range(curve, time_secs);
    locate(curve, time_secs, key_before(&curve.times_secs, time_secs)).map(|s| Sample { shift, ..s })
}

/// As [`sample`], starting from where the hint was left.
pub fn sample_hinted<'a>(curve: &'a Curve, time_secs: f64, hint: &mut KeyHint) -> Option<Sample<'a>> {
    let (time_secs, shift) = into_range(curve, time_secs);
    let times = curve.times_secs.as_slice();
    let holds = |key: usize| {
        times.get(key).is_some_and(|t| *t <= time_secs) && times.get(key + 1).is_some_and(|t| time_secs < *t)
    };
    let key = [hint.0, hint.0.saturating_add(1)].into_iter().find(|key| holds(*key));
    let key = key.or_else(|| key_before(times, time_secs));
    hint.0 = key.unwrap_or(0).min(times.len());
    locate(curve, time_secs, key).map(|s| Sample { shift, ..s })
}

/// The last key that is not after the time, by binary search.
fn key_before(times: &[f64], time_secs: f64) -> Option<usize> {
    times.partition_point(|t| *t <= time_secs).checked_sub(1)
}

fn locate(curve: &Curve, time_secs: f64, key: Option<usize>) -> Option<Sample<'_>> {
    let stride = curve.width.checked_mul(3).map(|_| curve.stride())?;
    let needed = curve.len().checked_mul(stride)?;
    if curve.width == 0 || curve.is_empty() || curve.values.len() < needed {
        return None;
    }
    let times = curve.times_secs.as_slice();
    let Some(key) = key else { return Some(Sample { curve, key: 0, span: None, shift: Shift::None }) };
    let span = times.get(key).zip(times.get(key + 1)).and_then(|(start, end)| {
        let seconds = end - start;
        let factor = (time_secs - start) / seconds;
        (factor > 0.0 && seconds.is_finite()).then_some((factor, seconds))
    });
    Some(Sample { curve, key, span, shift: Shift::None })
}

impl Sample<'_> {
    /// Number of components.
    pub fn width(&self) -> usize {
        self.curve.width
    }

    /// A component, interpolated on its own; `None` from [`Sample::width`] on.
    ///
    /// A cubic value that overflows is replaced by the earlier key's.
    pub fn component(&self, index: usize) -> Option<f64> {
        (index < self.curve.width).then(|| {
            let value = self.interpolate(index);
            let shifted = value + self.shift.of(self.curve, index);
            if shifted.is_finite() { shifted } else { value }
        })
    }

    /// The first three components. Missing ones are 0.
    pub fn vector(&self) -> DVec3 {
        let at = |i| self.component(i).unwrap_or(0.0);
        DVec3::new(at(0), at(1), at(2))
    }

    /// The first four components as a unit quaternion (x, y, z, w): slerp on linear curves, normalised cubic
    /// interpolation on cubic ones. A quaternion without direction is the identity. Outside its keys a rotation holds
    /// where numbers would go on by a slope or a difference.
    pub fn rotation(&self) -> DQuat {
        if self.curve.width < 4 {
            return DQuat::IDENTITY;
        }
        let Some((factor, _)) = self.span else { return self.key_rotation(self.key) };
        let along = |factor| slerp(self.key_rotation(self.key), self.key_rotation(self.key + 1), factor);
        match self.curve.interpolation {
            Interpolation::Linear => along(factor),
            Interpolation::CubicHermite => {
                let blended = DQuat::from_array([0, 1, 2, 3].map(|i| self.interpolate(i)));
                unit_or(blended, self.key_rotation(self.key))
            }
            Interpolation::Step => self.key_rotation(self.key),
            Interpolation::PerKey => match segment(self.curve, self.key) {
                Segment::Step => self.key_rotation(self.key),
                Segment::StepNext => self.key_rotation(self.key + 1),
                Segment::Eased { out, into } => along(ease(out, into, factor)),
                Segment::Linear | Segment::Hermite { .. } | Segment::Bezier { .. } => along(factor),
            },
        }
    }

    fn key_rotation(&self, key: usize) -> DQuat {
        let value = self.curve.value(key);
        let read = DQuat::from_array([0, 1, 2, 3].map(|i| f64::from(value[i])));
        unit_or(read, DQuat::IDENTITY)
    }

    fn interpolate(&self, i: usize) -> f64 {
        let from = f64::from(self.curve.value(self.key)[i]);
        let Some((t, seconds)) = self.span else { return from };
        match self.curve.interpolation {
            Interpolation::Step => from,
            Interpolation::Linear => (1.0 - t) * from + t * f64::from(self.curve.value(self.key + 1)[i]),
            Interpolation::CubicHermite => {
                let blended = self.hermite(i, t, seconds);
                if blended.is_finite() { blended } else { from }
            }
            Interpolation::PerKey => {
                let to = f64::from(self.curve.value(self.key + 1)[i]);
                let blended = between(segment(self.curve, self.key), (from, to), t, seconds);
                if blended.is_finite() { blended } else { from }
            }
        }
    }

    /// Appendix C.5: `v_t = (2t³ - 3t² + 1) v_k + t_d (t³ - 2t² + t) b_k + (-2t³ + 3t²) v_k+1 + t_d (t³ - t²) a_k+1`.
    fn hermite(&self, i: usize, t: f64, seconds: f64) -> f64 {
        let (width, stride) = (self.curve.width, self.curve.stride());
        let (start, next) = (self.key * stride, (self.key + 1) * stride);
        let value = |at: usize| f64::from(self.curve.values[at + i]);
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * value(start + width)
            + seconds * (t3 - 2.0 * t2 + t) * value(start + 2 * width)
            + (3.0 * t2 - 2.0 * t3) * value(next + width)
            + seconds * (t3 - t2) * value(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::maths;
    use proptest::prelude::*;

    fn number(curve: &Curve, time_secs: f64) -> f64 {
        sample(curve, time_secs).and_then(|s| s.component(0)).expect("a usable curve")
    }

    #[test]
    fn step_holds_the_earlier_key() {
        let curve = Curve::new(Interpolation::Step, 1, vec![1.0, 2.0, 4.0], vec![10.0, 20.0, 40.0]);
        for (time, value) in
            [(0.0, 10.0), (1.0, 10.0), (1.999, 10.0), (2.0, 20.0), (3.9, 20.0), (4.0, 40.0), (9.0, 40.0)]
        {
            assert_eq!(number(&curve, time), value, "{time}");
        }
    }

    #[test]
    fn linear_is_a_straight_line_that_meets_its_keys_exactly() {
        let curve = Curve::new(Interpolation::Linear, 2, vec![0.5, 1.0, 3.0], vec![0.1, 1.0, 0.3, 3.0, -5.0, 7.0]);
        assert_eq!(number(&curve, 1.0), f64::from(0.3f32));
        let middle = sample(&curve, 2.0).expect("usable");
        assert_eq!(middle.component(1), Some(5.0));
        assert_eq!((middle.component(2), middle.width()), (None, 2));
        assert_eq!(number(&curve, f64::NEG_INFINITY), f64::from(0.1f32));
        assert_eq!(number(&curve, f64::NAN), f64::from(0.1f32));
        assert_eq!(number(&curve, f64::INFINITY), -5.0);
    }

    /// The same cubic as a Bézier curve, by de Casteljau's construction.
    fn bezier(values: [f64; 2], tangents: [f64; 2], seconds: f64, t: f64) -> f64 {
        let third = seconds / 3.0;
        let mut points = [values[0], values[0] + tangents[0] * third, values[1] - tangents[1] * third, values[1]];
        for count in (1..4).rev() {
            for i in 0..count {
                points[i] += (points[i + 1] - points[i]) * t;
            }
        }
        points[0]
    }

    #[test]
    fn cubic_equals_its_bezier_form() {
        // Keys of in-tangent, value, out-tangent, 0.5 s apart; outer tangents must have no effect.
        let values = vec![99.0, 1.0, 4.0, -2.0, 3.0, 77.0];
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![1.0, 1.5], values);
        for i in 0..=16 {
            let t = f64::from(i) / 16.0;
            let expected = bezier([1.0, 3.0], [4.0, -2.0], 0.5, t);
            assert!((number(&curve, 1.0 + 0.5 * t) - expected).abs() < 1e-14, "{t}");
        }
        assert_eq!((number(&curve, 0.0), number(&curve, 2.0)), (1.0, 3.0));
    }

    #[test]
    fn linear_rotations_turn_evenly_and_the_shorter_way() {
        let (sin, cos) = (maths::f32::sin(0.6), maths::f32::cos(0.6));
        let values = vec![0.0, 0.0, 0.0, 1.0, 0.0, -sin, 0.0, -cos];
        let curve = Curve::new(Interpolation::Linear, 4, vec![0.0, 2.0], values);
        let turned = sample(&curve, 0.5).expect("usable").rotation();
        assert!((turned.y - maths::f64::sin(0.15)).abs() < 1e-7 && (turned.w - maths::f64::cos(0.15)).abs() < 1e-7);
    }

    #[test]
    fn cubic_rotations_are_normalised() {
        // No tangents: half way the plain mean of both quaternions, then length 1: 45° of 90°.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let mut values = vec![0.0; 24];
        (values[7], values[16], values[19]) = (1.0, half, half);
        let curve = Curve::new(Interpolation::CubicHermite, 4, vec![0.0, 1.0], values);
        let turned = sample(&curve, 0.5).expect("usable").rotation();
        let eighth = std::f64::consts::FRAC_PI_8;
        assert!((turned.x - maths::f64::sin(eighth)).abs() < 1e-7 && (turned.w - maths::f64::cos(eighth)).abs() < 1e-7);
        assert!((turned.length() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn one_key_holds_for_ever_in_every_kind() {
        for kind in [Interpolation::Step, Interpolation::Linear, Interpolation::CubicHermite] {
            let values = if kind == Interpolation::CubicHermite { vec![9.0, 2.0, 9.0] } else { vec![2.0] };
            let curve = Curve::new(kind, 1, vec![1.0], values);
            assert_eq!([-1.0, 1.0, 5.0].map(|t| number(&curve, t)), [2.0; 3], "{kind:?}");
        }
    }

    #[test]
    fn unusable_curves_give_none() {
        for kind in [Interpolation::Step, Interpolation::Linear, Interpolation::CubicHermite] {
            let empty = Curve::new(kind, 3, vec![], vec![]);
            let short = Curve::new(kind, 3, vec![0.0, 1.0], vec![0.0; 5]);
            let no_width = Curve::new(kind, 0, vec![0.0], vec![1.0]);
            let wide = Curve::new(kind, usize::MAX, vec![0.0, 1.0], vec![1.0]);
            for curve in [empty, short, no_width, wide] {
                assert!(sample(&curve, 0.5).is_none());
                assert!(sample_hinted(&curve, 0.5, &mut KeyHint(usize::MAX)).is_none());
            }
        }
    }

    #[test]
    fn overflow_and_equal_times_stay_finite() {
        let max = f32::MAX;
        let huge = Curve::new(
            Interpolation::CubicHermite,
            1,
            vec![-f64::MAX, f64::MAX, f64::MAX],
            vec![max, 1.0, max, max, 2.0, max, 0.0, 3.0, 0.0],
        );
        for time in [-f64::MAX, 0.0, f64::MAX] {
            assert!(number(&huge, time).is_finite());
        }
        let long = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 1e308], vec![max, 1.0, max, -max, 2.0, max]);
        assert_eq!(number(&long, 0.4e308), 1.0);
        let no_direction = Curve::new(Interpolation::Linear, 4, vec![0.0, 1.0], vec![0.0; 8]);
        assert_eq!(sample(&no_direction, 0.5).expect("usable").rotation(), DQuat::IDENTITY);
    }

    proptest! {
        #[test]
        fn hints_never_change_a_result(
            mut times in prop::collection::vec(-5.0..5.0f64, 1..40),
            at in prop::collection::vec(prop_oneof![(-6.0..6.0f64).prop_map(Err), (0..40usize).prop_map(Ok)], 1..60),
            kind in prop_oneof![
                Just(Interpolation::Step), Just(Interpolation::Linear), Just(Interpolation::CubicHermite)
            ],
        ) {
            times.sort_by(f64::total_cmp);
            times.dedup();
            let values: Vec<f32> = (0..times.len() * 9).map(|i| ((i * 37) % 11) as f32).collect();
            let curve = Curve::new(kind, 3, times.clone(), values);
            let mut hint = KeyHint::default();
            for at in at {
                let time = at.map_or_else(|time| time, |key| times[key % times.len()]);
                let plain = sample(&curve, time).map(|s| s.vector());
                prop_assert_eq!(sample_hinted(&curve, time, &mut hint).map(|s| s.vector()), plain);
            }
        }

        #[test]
        fn linear_stays_between_its_keys(a in -1e6..1e6f32, b in -1e6..1e6f32, time in 0.0..1.0f64) {
            let curve = Curve::new(Interpolation::Linear, 1, vec![0.0, 1.0], vec![a, b]);
            let value = number(&curve, time);
            prop_assert!(value >= f64::from(a.min(b)) - 1e-9 && value <= f64::from(a.max(b)) + 1e-9);
        }
    }
}
