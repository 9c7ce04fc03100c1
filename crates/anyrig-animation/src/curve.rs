//! Values of a curve at a time (glTF 2.0 specification, appendix C).

use crate::rotation::{slerp, unit_or};
use anyrig_scene::{Clip, Curve, Interpolation};
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
}

/// Finds a time on a curve.
///
/// `None` when the curve has no keys, no width, or fewer values than its keys need. Before the first and after the
/// last key the nearest one holds; a time that is not a number counts as before the first.
pub fn sample(curve: &Curve, time_secs: f64) -> Option<Sample<'_>> {
    locate(curve, time_secs, key_before(&curve.times_secs, time_secs))
}

/// As [`sample`], starting from where the hint was left.
pub fn sample_hinted<'a>(curve: &'a Curve, time_secs: f64, hint: &mut KeyHint) -> Option<Sample<'a>> {
    let times = curve.times_secs.as_slice();
    let holds = |key: usize| {
        times.get(key).is_some_and(|t| *t <= time_secs) && times.get(key + 1).is_some_and(|t| time_secs < *t)
    };
    let key = [hint.0, hint.0.saturating_add(1)].into_iter().find(|key| holds(*key));
    let key = key.or_else(|| key_before(times, time_secs));
    hint.0 = key.unwrap_or(0).min(times.len());
    locate(curve, time_secs, key)
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
    let Some(key) = key else { return Some(Sample { curve, key: 0, span: None }) };
    let span = times.get(key).zip(times.get(key + 1)).and_then(|(start, end)| {
        let seconds = end - start;
        let factor = (time_secs - start) / seconds;
        (factor > 0.0 && seconds.is_finite()).then_some((factor, seconds))
    });
    Some(Sample { curve, key, span })
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
        (index < self.curve.width).then(|| self.interpolate(index))
    }

    /// The first three components. Missing ones are 0.
    pub fn vector(&self) -> DVec3 {
        let at = |i| self.component(i).unwrap_or(0.0);
        DVec3::new(at(0), at(1), at(2))
    }

    /// The first four components as a unit quaternion (x, y, z, w): slerp on linear curves, normalised cubic
    /// interpolation on cubic ones. A quaternion without direction is the identity.
    pub fn rotation(&self) -> DQuat {
        if self.curve.width < 4 {
            return DQuat::IDENTITY;
        }
        match (self.curve.interpolation, self.span) {
            (Interpolation::Linear, Some((factor, _))) => {
                slerp(self.key_rotation(self.key), self.key_rotation(self.key + 1), factor)
            }
            (Interpolation::CubicHermite, Some(_)) => {
                let blended = DQuat::from_array([0, 1, 2, 3].map(|i| self.interpolate(i)));
                unit_or(blended, self.key_rotation(self.key))
            }
            _ => self.key_rotation(self.key),
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
