//! Curves before their first and after their last key.

use crate::segment::{End, segment, slope};
use anyrig_scene::{Curve, ExtrapolationMode, Interpolation, Segment};

/// What is added to a value because the time lay outside the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shift {
    None,
    /// The difference between the last and the first key, so many times.
    Whole(f64),
    /// The slope of the first segment (before) over so many seconds.
    Before(f64),
    /// The slope of the last segment (after) over so many seconds.
    After(f64),
}

impl Shift {
    /// For one component. The curve has at least two keys when this is not [`Shift::None`].
    pub(crate) fn of(self, curve: &Curve, component: usize) -> f64 {
        let last = curve.len().saturating_sub(1);
        let value = |key: usize| f64::from(curve.value(key)[component]);
        match self {
            Self::None => 0.0,
            Self::Whole(times) => times * (value(last) - value(0)),
            Self::Before(seconds) => seconds * end_slope(curve, component, (0, 1), End::Leaving),
            Self::After(seconds) => {
                seconds * end_slope(curve, component, (last.saturating_sub(1), last), End::Arriving)
            }
        }
    }
}

fn end_slope(curve: &Curve, component: usize, (from, to): (usize, usize), end: End) -> f64 {
    let values = (f64::from(curve.value(from)[component]), f64::from(curve.value(to)[component]));
    let seconds = curve.times_secs[to] - curve.times_secs[from];
    if let (End::Arriving, Some(Segment::Hermite { in_slope, .. })) = (end, stated_after(curve)) {
        return f64::from(*in_slope);
    }
    match curve.interpolation {
        Interpolation::Step => 0.0,
        Interpolation::Linear => (values.1 - values.0) / seconds,
        Interpolation::PerKey => slope(segment(curve, from), values, seconds, end),
        Interpolation::CubicHermite => {
            let (key, tangent) = if end == End::Leaving { (from, 2) } else { (to, 0) };
            f64::from(curve.values[key * curve.stride() + tangent * curve.width + component])
        }
    }
}

/// The segment of the last key of a curve whose keys say what follows them.
fn stated_after(curve: &Curve) -> Option<&Segment> {
    curve.segments.get(curve.len().checked_sub(1)?).filter(|_| curve.interpolation == Interpolation::PerKey)
}

/// The time inside the keys that a time stands for, and what is added to the value there.
pub(crate) fn into_range(curve: &Curve, time_secs: f64) -> (f64, Shift) {
    let times = curve.times_secs.as_slice();
    let (Some(first), Some(last)) = (times.first().copied(), times.last().copied()) else {
        return (time_secs, Shift::None);
    };
    let (rule, beyond) = if time_secs < first {
        (curve.before, first - time_secs)
    } else if time_secs > last {
        (curve.after, time_secs - last)
    } else {
        return (time_secs, Shift::None);
    };
    let before = time_secs < first;
    let end = if before { first } else { last };
    let usable = last > first && (last - first).is_finite() && beyond.is_finite();
    match rule.mode {
        _ if !usable => (time_secs, Shift::None),
        ExtrapolationMode::Hold => (time_secs, Shift::None),
        ExtrapolationMode::Slope if before => (end, Shift::Before(-beyond)),
        ExtrapolationMode::Slope => (end, Shift::After(beyond)),
        _ if rule.repeats == Some(0) => (end, Shift::None),
        _ => repeated(curve, time_secs, before),
    }
}

/// Repetition, counted in the source's ticks where it has them, so that whole repetitions are exact.
fn repeated(curve: &Curve, time_secs: f64, before: bool) -> (f64, Shift) {
    let rule = if before { curve.before } else { curve.after };
    let scale = curve.ticks.as_ref().map_or(1.0, |t| t.per_second);
    let at = |index: usize| match &curve.ticks {
        Some(_) => (curve.times_secs[index] * scale).round(),
        None => curve.times_secs[index],
    };
    let (first, last) = (at(0), at(curve.len() - 1));
    let (time, duration) = (time_secs * scale, last - first);
    let beyond = if before { first - time } else { time - last };
    let mut times = (beyond / duration).floor();
    let mut rest = beyond - times * duration;
    if let Some(repeats) = rule.repeats.map(f64::from).filter(|repeats| times >= *repeats) {
        // Where the last repetition ends.
        (times, rest) = (repeats - 1.0, duration);
    }
    if !(duration > 0.0 && rest.is_finite() && times.is_finite()) {
        return (if before { curve.times_secs[0] } else { curve.times_secs[curve.len() - 1] }, Shift::None);
    }
    let backwards = rule.mode == ExtrapolationMode::Mirror && (times * 0.5).fract() == 0.0;
    if backwards != before {
        rest = duration - rest;
    }
    let shift = match rule.mode {
        ExtrapolationMode::RepeatRelative if before => Shift::Whole(-(times + 1.0)),
        ExtrapolationMode::RepeatRelative => Shift::Whole(times + 1.0),
        _ => Shift::None,
    };
    ((first + rest) / scale, shift)
}

#[cfg(test)]
mod tests {
    use crate::sample;
    use anyrig_scene::{Curve, Extrapolation, ExtrapolationMode as Mode, Interpolation, Segment, Ticks};

    /// From 1 at 1 s to 5 at 3 s.
    fn ramp(mode: Mode, repeats: Option<u32>) -> Curve {
        let mut curve = Curve::new(Interpolation::Linear, 1, vec![1.0, 3.0], vec![1.0, 5.0]);
        (curve.before, curve.after) = (Extrapolation { mode, repeats }, Extrapolation { mode, repeats });
        curve
    }

    fn at(curve: &Curve, time: f64) -> f64 {
        sample(curve, time).and_then(|s| s.component(0)).expect("usable")
    }

    #[test]
    fn each_mode_by_hand() {
        let times = [-2.5, 0.5, 1.0, 3.0, 3.5, 5.5, 7.5];
        let cases = [
            (Mode::Hold, [1.0, 1.0, 1.0, 5.0, 5.0, 5.0, 5.0]),
            (Mode::Slope, [-6.0, 0.0, 1.0, 5.0, 6.0, 10.0, 14.0]),
            (Mode::Repeat, [2.0, 4.0, 1.0, 5.0, 2.0, 2.0, 2.0]),
            (Mode::RepeatRelative, [-6.0, 0.0, 1.0, 5.0, 6.0, 10.0, 14.0]),
            (Mode::Mirror, [2.0, 2.0, 1.0, 5.0, 4.0, 2.0, 4.0]),
        ];
        for (mode, expected) in cases {
            let curve = ramp(mode, None);
            for (time, value) in times.into_iter().zip(expected) {
                assert!((at(&curve, time) - value).abs() < 1e-12, "{mode:?} {time}: {}", at(&curve, time));
            }
        }
    }

    #[test]
    fn repetitions_end_where_the_last_one_ends() {
        assert_eq!(at(&ramp(Mode::Repeat, Some(1)), 9.0), 5.0);
        assert_eq!(at(&ramp(Mode::Mirror, Some(1)), 9.0), 1.0);
        assert_eq!(at(&ramp(Mode::Mirror, Some(2)), 9.0), 5.0);
        assert_eq!(at(&ramp(Mode::RepeatRelative, Some(2)), 90.0), 13.0);
        assert_eq!(at(&ramp(Mode::RepeatRelative, Some(2)), -90.0), -7.0);
        assert_eq!(at(&ramp(Mode::Repeat, Some(0)), 3.5), 5.0);
    }

    #[test]
    fn whole_repetitions_are_exact_in_ticks() {
        let mut curve = ramp(Mode::Repeat, None);
        curve.times_secs = vec![0.1, 0.4].into();
        curve.ticks = Some(Ticks { per_second: 46_186_158_000.0, times: vec![4_618_615_800, 18_474_463_200].into() });
        // In seconds 0.1 + 7 * 0.3 falls just before or after the end of a repetition.
        for repetition in 1..50 {
            assert!((at(&curve, 0.1 + 0.3 * f64::from(repetition) + 1e-9) - 1.0).abs() < 1e-6, "{repetition}");
        }
    }

    #[test]
    fn slopes_are_those_of_the_last_segment() {
        let mut curve = ramp(Mode::Slope, None);
        curve.interpolation = Interpolation::PerKey;
        for (segment, before, after) in [
            (Segment::Step, 1.0, 5.0),
            (Segment::Hermite { out_slope: 1.0, in_slope: -3.0 }, 0.0, 2.0),
            (Segment::Linear, -1.0, 7.0),
        ] {
            curve.segments = vec![segment; 2];
            assert_eq!((at(&curve, 0.0), at(&curve, 4.0)), (before, after), "{segment:?}");
        }
        let mut cubic = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 1.0], vec![9.0, 0.0, 2.0, 3.0, 1.0, 9.0]);
        (cubic.before.mode, cubic.after.mode) = (Mode::Slope, Mode::Slope);
        assert_eq!((at(&cubic, -1.0), at(&cubic, 2.0)), (-2.0, 4.0));
    }

    #[test]
    fn the_last_key_may_state_the_slope_after_it() {
        let mut curve = ramp(Mode::Slope, None);
        curve.interpolation = Interpolation::PerKey;
        for inner in [Segment::Step, Segment::Linear] {
            curve.segments = vec![inner, Segment::Hermite { out_slope: -3.0, in_slope: -3.0 }];
            assert_eq!(at(&curve, 4.0), 2.0, "{inner:?}");
        }
    }

    #[test]
    fn strange_curves_and_times_stay_finite() {
        for mode in [Mode::Slope, Mode::Repeat, Mode::RepeatRelative, Mode::Mirror] {
            let mut one = ramp(mode, None);
            (one.times_secs, one.values) = (vec![1.0].into(), vec![4.0].into());
            let mut wide = ramp(mode, None);
            wide.times_secs = vec![-f64::MAX, f64::MAX].into();
            for time in [f64::NEG_INFINITY, -1e300, 0.0, 1e300, f64::INFINITY, f64::NAN] {
                assert_eq!(at(&one, time), 4.0);
                assert!(at(&wide, time).is_finite() && at(&ramp(mode, None), time).is_finite(), "{mode:?} {time}");
            }
        }
    }
}
