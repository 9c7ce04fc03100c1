//! Any curve into linear keys within an error bound.

use anyrig_animation::{KeyHint, sample_hinted};
use anyrig_bytes::maths;
use anyrig_scene::{Curve, Interpolation};
use glam::DQuat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the numbers of a curve are, and therefore how they are interpolated and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveKind {
    /// Plain numbers: straight lines; the error is the largest difference of a component.
    Numbers,
    /// Quaternions, width 4: great arcs; the error is the angle between the rotations in radians.
    Rotation,
}

/// What [`crate::clip_keys`] does with curves that are all stepped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// They stay stepped.
    #[default]
    Keep,
    /// They become ramps, for formats that only know lines.
    Ramps,
}

/// Options of [`resample`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ResampleOptions {
    /// Largest error of numbers, as a share of the range that the curve's keys cover in their widest component.
    /// Default: 1e-4.
    pub max_error: f64,
    /// Largest error of rotations in radians. Default: 1e-3 (0.06 degrees).
    pub max_error_rad: f64,
    /// Length of the ramp that stands for a jump, in seconds. Default: 1e-4.
    pub step_secs: f64,
    /// What [`crate::clip_keys`] does with curves that are all stepped; [`resample`] itself always makes ramps.
    pub steps: Steps,
    /// Largest number of keys of a resampled curve; never fewer than the source's. Default: 65536.
    pub max_keys: u32,
}

impl Default for ResampleOptions {
    fn default() -> Self {
        Self { max_error: 1e-4, max_error_rad: 1e-3, step_secs: 1e-4, steps: Steps::Keep, max_keys: 65536 }
    }
}

/// A curve with linear interpolation, and whether the error bound was kept.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resampled {
    /// The curve.
    pub curve: Curve,
    /// True when [`ResampleOptions::max_keys`] was reached before the error bound.
    pub limited: bool,
}

/// The curve with linear interpolation (slerp for rotations), within the error bound of the options.
///
/// - A linear curve, and one of a single key, comes back with the same buffers.
/// - The keys of a source stay, with their times.
/// - A jump of a step curve becomes a ramp: one more key with the old value, `step_secs` before the jump (but not before
///   the middle of its span). During the ramp the error is as large as the jump. Spans that do not change get no key.
/// - A span of a cubic curve is halved until the straight line fits. For numbers the bound is proven: a cubic deviates
///   from its chord by at most `h² / 8 * max |f''|`, and f'' is linear. Rotations are compared at seven places of each
///   span.
///
/// Ticks of the source are dropped where keys are added. A curve without values that fit its keys comes back as it is.
pub fn resample(curve: &Curve, kind: CurveKind, options: &ResampleOptions) -> Resampled {
    let fits = curve.width > 0 && curve.len().checked_mul(curve.stride()) == Some(curve.values.len());
    let fits = fits && (kind == CurveKind::Numbers || curve.width == 4);
    if !fits || (curve.interpolation == Interpolation::Linear) {
        return Resampled { curve: curve.clone(), limited: false };
    }
    let mut sampler = Sampler::new(curve, kind, options);
    match curve.interpolation {
        Interpolation::Step => sampler.ramps(options.step_secs),
        _ => sampler.spans(),
    }
    sampler.finish()
}

/// Halvings of one span; below that, times in doubles come to an end.
const MAX_HALVINGS: u32 = 20;

struct Sampler<'a> {
    curve: &'a Curve,
    kind: CurveKind,
    bound: f64,
    /// Keys that may still be added.
    spare: usize,
    hint: KeyHint,
    times: Vec<f64>,
    values: Vec<f32>,
    limited: bool,
}

impl<'a> Sampler<'a> {
    fn new(curve: &'a Curve, kind: CurveKind, options: &ResampleOptions) -> Self {
        let bound = match kind {
            CurveKind::Numbers => options.max_error * range(curve),
            CurveKind::Rotation => options.max_error_rad,
        };
        Self {
            curve,
            kind,
            // A bound that is no number must not lead to endless keys.
            bound: if bound > 0.0 { bound } else { 0.0 },
            spare: (options.max_keys as usize).saturating_sub(curve.len()),
            hint: KeyHint::default(),
            times: Vec::new(),
            values: Vec::new(),
            limited: false,
        }
    }

    fn finish(self) -> Resampled {
        let same_times = self.times.len() == self.curve.len();
        let mut curve = Curve::new(Interpolation::Linear, self.curve.width, self.times, self.values);
        if same_times {
            curve.times_secs = self.curve.times_secs.clone();
            curve.ticks = self.curve.ticks.clone();
        }
        Resampled { curve, limited: self.limited }
    }

    fn push_key(&mut self, key: usize) {
        self.times.push(self.curve.times_secs[key]);
        self.values.extend_from_slice(self.curve.value(key));
    }

    fn ramps(&mut self, step_secs: f64) {
        let step_secs = if step_secs > 0.0 { step_secs } else { 0.0 };
        for key in 0..self.curve.len() {
            if key > 0 && self.curve.value(key) != self.curve.value(key - 1) {
                self.hold_before(key, step_secs);
            }
            self.push_key(key);
        }
    }

    fn hold_before(&mut self, key: usize, step_secs: f64) {
        let (before, at) = (self.curve.times_secs[key - 1], self.curve.times_secs[key]);
        let hold = (at - step_secs).max(before + (at - before) / 2.0);
        if self.spare == 0 {
            self.limited = true;
        } else if before < hold && hold < at {
            self.spare -= 1;
            self.times.push(hold);
            self.values.extend_from_slice(self.curve.value(key - 1));
        }
    }

    fn spans(&mut self) {
        for key in 0..self.curve.len() {
            if key > 0 {
                self.span(key - 1);
            }
            self.push_key(key);
        }
    }

    /// Adds the keys inside the span behind a key, in order.
    fn span(&mut self, key: usize) {
        let (start, end) = (self.curve.times_secs[key], self.curve.times_secs[key + 1]);
        let is_cubic = self.curve.interpolation == Interpolation::CubicHermite;
        let bends = (is_cubic && self.kind == CurveKind::Numbers).then(|| Bends::of(self.curve, key));
        // Parts of the span as halvings and place: part `i` of `2^n`. The last of the stack is the earliest.
        let mut parts = vec![(0u32, 0u64)];
        while let Some((halvings, place)) = parts.pop() {
            let share = 1.0 / (1u64 << halvings) as f64;
            let (from, to) = (place as f64 * share, (place + 1) as f64 * share);
            let fits = match &bends {
                Some(bends) => bends.deviation(from, to) <= self.bound,
                None if self.kind == CurveKind::Rotation => self.arc_fits(start, end - start, from, to),
                None => self.line_fits(start, end - start, from, to),
            };
            if !fits && halvings < MAX_HALVINGS && self.spare > 0 {
                self.spare -= 1;
                parts.push((halvings + 1, place * 2 + 1));
                parts.push((halvings + 1, place * 2));
                continue;
            }
            self.limited |= !fits;
            // The key at the end of the span is the source's own.
            if to < 1.0 {
                self.push_sample(start + (end - start) * to);
            }
        }
    }

    fn push_sample(&mut self, time: f64) {
        if self.times.last().is_some_and(|last| *last >= time) {
            return;
        }
        let Some(sample) = sample_hinted(self.curve, time, &mut self.hint) else { return };
        self.times.push(time);
        match self.kind {
            CurveKind::Rotation => self.values.extend(sample.rotation().to_array().map(|v| v as f32)),
            CurveKind::Numbers => {
                self.values.extend((0..self.curve.width).map(|i| sample.component(i).unwrap_or(0.0) as f32));
            }
        }
    }

    fn arc_fits(&mut self, start: f64, length: f64, from: f64, to: f64) -> bool {
        let (Some(a), Some(b)) = (self.rotation(start + length * from), self.rotation(start + length * to)) else {
            return true;
        };
        (1..8).all(|i| {
            let share = f64::from(i) / 8.0;
            let time = start + length * (from + (to - from) * share);
            self.rotation(time).is_none_or(|r| angle(r, anyrig_animation::slerp(a, b, share)) <= self.bound * MARGIN)
        })
    }

    /// Of segments of any kind only samples are known; they are compared at seven places, like rotations.
    fn line_fits(&mut self, start: f64, length: f64, from: f64, to: f64) -> bool {
        let (a, b) = (self.numbers(start + length * from), self.numbers(start + length * to));
        (1..8).all(|i| {
            let share = f64::from(i) / 8.0;
            let here = self.numbers(start + length * (from + (to - from) * share));
            let chord = a.iter().zip(&b).map(|(a, b)| a + (b - a) * share);
            here.iter().zip(chord).all(|(here, chord)| (here - chord).abs() <= self.bound * MARGIN)
        })
    }

    fn numbers(&mut self, time: f64) -> Vec<f64> {
        let width = self.curve.width;
        let sample = sample_hinted(self.curve, time, &mut self.hint);
        sample.map_or_else(Vec::new, |s| (0..width).map(|i| s.component(i).unwrap_or(0.0)).collect())
    }

    fn rotation(&mut self, time: f64) -> Option<DQuat> {
        sample_hinted(self.curve, time, &mut self.hint).map(|s| s.rotation())
    }
}

/// The largest deviation may lie between two places that are compared; near its top a curve is flat, so little is missed.
const MARGIN: f64 = 0.9;

/// Angle of the rotation from one to the other.
pub(crate) fn angle(a: DQuat, b: DQuat) -> f64 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * maths::f64::atan2((a - b).length(), (a + b).length())
}

/// The largest difference between two keys in any component.
fn range(curve: &Curve) -> f64 {
    let spread = |component: usize| {
        let values = (0..curve.len()).map(|key| f64::from(curve.value(key)[component]));
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        high - low
    };
    let widest = (0..curve.width).map(spread).fold(0.0, f64::max);
    if widest > 0.0 {
        return widest;
    }
    // All keys equal: only the tangents move it. Then their size tells what is small.
    let values = curve.values.iter().map(|v| f64::from(v.abs()));
    values.fold(0.0, f64::max)
}

/// Second derivatives of a cubic span over 0..1, per component, at its start and end.
struct Bends(Vec<(f64, f64)>);

impl Bends {
    fn of(curve: &Curve, key: usize) -> Self {
        let (width, stride) = (curve.width, curve.stride());
        let seconds = curve.times_secs[key + 1] - curve.times_secs[key];
        let at = |index: usize| f64::from(curve.values[index]);
        let component = |i: usize| {
            let (start, next) = (key * stride + i, (key + 1) * stride + i);
            let (p0, m0) = (at(start + width), at(start + 2 * width) * seconds);
            let (p1, m1) = (at(next + width), at(next) * seconds);
            // From p(t) = (2t³ - 3t² + 1) p0 + (t³ - 2t² + t) m0 + (3t² - 2t³) p1 + (t³ - t²) m1.
            (6.0 * (p1 - p0) - 4.0 * m0 - 2.0 * m1, 6.0 * (p0 - p1) + 2.0 * m0 + 4.0 * m1)
        };
        Self((0..width).map(component).collect())
    }

    /// Largest distance from the chord over a part of the span: `h² / 8 * max |f''|`.
    fn deviation(&self, from: f64, to: f64) -> f64 {
        let bend = |(start, end): &(f64, f64)| {
            let at = |t: f64| (start + (end - start) * t).abs();
            at(from).max(at(to))
        };
        let largest = self.0.iter().map(bend).fold(0.0, f64::max);
        (to - from) * (to - from) / 8.0 * largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::sample;
    use anyrig_scene::Segment;
    use proptest::prelude::*;

    fn options(max_error: f64) -> ResampleOptions {
        ResampleOptions { max_error, max_error_rad: max_error, ..ResampleOptions::default() }
    }

    /// Largest difference of any component, at many times.
    fn worst(a: &Curve, b: &Curve, kind: CurveKind) -> f64 {
        let (start, end) = (a.times_secs[0], a.times_secs[a.len() - 1]);
        let differences = (0..=5000).map(|i| {
            let time = start + (end - start) * f64::from(i) / 5000.0;
            let (a, b) = (sample(a, time).expect("keys"), sample(b, time).expect("keys"));
            match kind {
                CurveKind::Rotation => angle(a.rotation(), b.rotation()),
                CurveKind::Numbers => {
                    let by_component =
                        (0..a.width()).map(|i| (a.component(i).unwrap() - b.component(i).unwrap()).abs());
                    by_component.fold(0.0, f64::max)
                }
            }
        });
        differences.fold(0.0, f64::max)
    }

    #[test]
    fn segments_of_several_kinds_stay_within_the_bound() {
        let times = vec![0.0, 1.0, 2.0];
        let mut curve = Curve::new(Interpolation::PerKey, 2, times, vec![0.0, 1.0, 2.0, 1.0, 4.0, 0.0]);
        curve.segments = vec![Segment::Linear; 3];
        let linear = resample(&curve, CurveKind::Numbers, &options(1e-3));
        assert!(!linear.limited && worst(&curve, &linear.curve, CurveKind::Numbers) < 4e-3);
        curve.segments[0] = Segment::Step;
        let stepped = resample(&curve, CurveKind::Numbers, &options(1e-3)).curve;
        let (before, after) = (sample(&stepped, 0.99).expect("keys"), sample(&stepped, 1.0).expect("keys"));
        assert_eq!((before.component(0), after.component(0)), (Some(0.0), Some(2.0)));
    }

    #[test]
    fn linear_curves_keep_their_buffers() {
        let curve = Curve::new(Interpolation::Linear, 1, vec![0.0, 1.0], vec![1.0, 2.0]);
        let linear = resample(&curve, CurveKind::Numbers, &options(1e-3));
        assert!(linear.curve.values.same_memory(&curve.values) && !linear.limited);
    }

    #[test]
    fn a_jump_becomes_a_short_ramp() {
        let curve = Curve::new(Interpolation::Step, 1, vec![0.0, 1.0, 2.0, 2.00001], vec![5.0, 5.0, 7.0, 8.0]);
        let linear = resample(&curve, CurveKind::Numbers, &ResampleOptions::default()).curve;
        assert_eq!(linear.interpolation, Interpolation::Linear);
        assert_eq!(&*linear.values, &[5.0, 5.0, 5.0, 7.0, 7.0, 8.0]);
        let times = linear.times_secs.as_slice();
        assert_eq!((times[..2].to_vec(), times[3], times[5]), (vec![0.0, 1.0], 2.0, 2.00001));
        assert!((times[2] - 1.9999).abs() < 1e-12 && (times[4] - 2.000005).abs() < 1e-12);
    }

    #[test]
    fn a_straight_cubic_needs_no_more_keys() {
        // Tangents equal to the slope make a straight line.
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 2.0], vec![3.0, 1.0, 3.0, 3.0, 7.0, 3.0]);
        let linear = resample(&curve, CurveKind::Numbers, &options(1e-6)).curve;
        assert_eq!((&*linear.times_secs, &*linear.values), (&[0.0, 2.0][..], &[1.0, 7.0][..]));
        assert!(linear.times_secs.same_memory(&curve.times_secs));
    }

    #[test]
    fn the_number_of_keys_is_bounded_and_said() {
        let values = vec![0.0, 0.0, 50.0, -50.0, 1.0, 0.0];
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 1.0], values);
        for max_keys in [0, 2, 10, 100] {
            let few = ResampleOptions { max_keys, ..options(1e-12) };
            let linear = resample(&curve, CurveKind::Numbers, &few);
            assert!(linear.limited && linear.curve.len() <= (max_keys as usize).max(2), "{max_keys}");
            assert!(linear.curve.times_secs.is_sorted_by(|a, b| a < b));
        }
        assert!(!resample(&curve, CurveKind::Numbers, &options(1e-3)).limited);
    }

    #[test]
    fn options_that_make_no_sense_end() {
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 1.0], vec![0.0, 0.0, 9.0, 9.0, 1.0, 0.0]);
        for bad in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
            let options = ResampleOptions { max_error: bad, step_secs: bad, max_keys: 1000, ..Default::default() };
            assert!(resample(&curve, CurveKind::Numbers, &options).curve.len() <= 1000);
            let mut step = curve.clone();
            step.interpolation = Interpolation::Step;
            step.values = vec![0.0, 1.0].into();
            assert!(resample(&step, CurveKind::Numbers, &options).curve.times_secs.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn curves_that_do_not_fit_stay() {
        let curve = Curve::new(Interpolation::CubicHermite, 3, vec![0.0, 1.0], vec![0.0; 6]);
        assert_eq!(resample(&curve, CurveKind::Numbers, &options(1e-3)).curve, curve);
        let curve = Curve::new(Interpolation::Step, 3, vec![0.0, 1.0], vec![0.0; 6]);
        assert_eq!(resample(&curve, CurveKind::Rotation, &options(1e-3)).curve, curve);
    }

    proptest! {
        #[test]
        fn numbers_keep_the_bound(values in prop::collection::vec(-5f32..5.0, 18), gap in 0.1f64..3.0, error in 1e-4f64..1e-1) {
            let curve = Curve::new(Interpolation::CubicHermite, 2, vec![0.5, 0.5 + gap, 4.0], values);
            let linear = resample(&curve, CurveKind::Numbers, &options(error));
            prop_assert!(!linear.limited);
            let bound = error * range(&curve);
            // Half a unit in the last place of a single near 5 comes on top.
            prop_assert!(worst(&curve, &linear.curve, CurveKind::Numbers) <= bound + 2e-6);
        }

        #[test]
        fn rotations_keep_the_bound(
            keys in prop::array::uniform8(-1f32..1.0),
            tangents in prop::array::uniform16(-2f32..2.0),
            error in 1e-3f64..1e-1,
        ) {
            let unit = |q: [f32; 4]| {
                let length = q.iter().map(|v| v * v).sum::<f32>().sqrt();
                if length < 0.3 { None } else { Some(q.map(|v| v / length)) }
            };
            let (first, second) = (unit([keys[0], keys[1], keys[2], keys[3]]), unit([keys[4], keys[5], keys[6], keys[7]]));
            prop_assume!(first.is_some() && second.is_some());
            let (first, second) = (first.unwrap(), second.unwrap());
            // Ways through 0 have no direction there; they are left to the limit of keys.
            prop_assume!(first.iter().zip(second).map(|(a, b)| a * b).sum::<f32>() > 0.2);
            let values = [&tangents[..4], &first, &tangents[4..8], &tangents[8..12], &second, &tangents[12..]].concat();
            let curve = Curve::new(Interpolation::CubicHermite, 4, vec![0.0, 1.0], values);
            let linear = resample(&curve, CurveKind::Rotation, &options(error));
            prop_assert!(worst(&curve, &linear.curve, CurveKind::Rotation) <= error + 2e-6);
        }
    }
}
