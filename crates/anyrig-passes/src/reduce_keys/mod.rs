//! Keys that the curve does not need.

mod fit;
#[cfg(test)]
mod tests;

use crate::{CurveKind, codes};
use anyrig_bytes::{Buffer, Context, Diagnostic, Error, Result};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, Property, Scene, Segment, Target, Ticks};
use fit::Fit;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of [`reduce_keys`]: how far a curve may move, by what it moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ReduceKeysOptions {
    /// Translations, and other lengths, in metres. Default: 1e-5.
    pub translation_m: f64,
    /// Rotations, in radians. Default: 5e-5 (0.003 degrees, a twentieth of a millimetre at a metre).
    pub rotation_rad: f64,
    /// Scale factors. Default: 1e-5.
    pub scale: f64,
    /// Weights of morph targets. Default: 1e-4.
    pub weight: f64,
    /// Curves whose numbers have no known unit, as a share of the range that their keys cover. Default: 1e-5.
    pub other_share: f64,
}

impl Default for ReduceKeysOptions {
    fn default() -> Self {
        Self { translation_m: 1e-5, rotation_rad: 5e-5, scale: 1e-5, weight: 1e-4, other_share: 1e-5 }
    }
}

impl ReduceKeysOptions {
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a bound below zero or without end.
    fn check(&self) -> Result<()> {
        let all = [self.translation_m, self.rotation_rad, self.scale, self.weight, self.other_share];
        match all.iter().find(|b| !(**b >= 0.0 && b.is_finite())) {
            Some(wrong) => Err(Error::usage(format!("{wrong} is no error bound for keys; it is 0 or more"))),
            None => Ok(()),
        }
    }
}

/// What [`reduce_keys`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReduceKeysStats {
    /// Keys of all channels before.
    pub keys_before: u64,
    /// Keys of all channels afterwards.
    pub keys_after: u64,
    /// Channels that became one key, because they never move.
    pub constant: u64,
}

/// Leaves out keys that the curves hardly need: afterwards no curve is farther from what it was than the options allow,
/// at any time.
///
/// - Keys that stay keep their time and value to the bit, and no key is added. The first and the last key stay.
/// - Between two keys that stay the interpolation is the source's own: a straight line, a great arc, a step, a cubic with
///   the tangents that these keys have. Steps keep their times; a step smaller than the bound goes.
/// - For numbers the bound is proven (lines differ most at a key; cubics by their Bézier coefficients). Great arcs and
///   cubic rotations are compared at the keys and at three places between any two.
/// - A channel that never leaves its first value becomes one key, as long as the keys of the clip end where they did:
///   where no other channel reaches as far, the first and the last key stay. That goes for clips of a stated length too,
///   since there are formats whose clips are as long as their keys.
/// - Curves that go on by a slope or in cycles outside their keys stay as they are, and so do segments of kinds other
///   than lines and steps on curves whose keys say what follows.
/// - Channels that share their times are reduced only where that drops more numbers than a list of times of their own
///   takes, since a format writes shared times once.
///
/// Rotations of a chain of joints add up: a point `d` metres from a joint moves by up to `d * rotation_rad` for each
/// joint above it. Each clip that changes is told (`passes.keys-reduced`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for a bound that is none; [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn reduce_keys(scene: &mut Scene, options: &ReduceKeysOptions, context: &Context) -> Result<ReduceKeysStats> {
    options.check()?;
    let metres_per_unit = scene.space.metres_per_unit;
    let mut stats = ReduceKeysStats::default();
    for (number, clip) in scene.clips.iter_mut().enumerate() {
        context.check_cancelled()?;
        let before: u64 = clip.channels.iter().map(|c| c.curve.len() as u64).sum();
        let constant = reduce_clip(clip, options, metres_per_unit, context)?;
        let after: u64 = clip.channels.iter().map(|c| c.curve.len() as u64).sum();
        if after < before {
            let name = if clip.name.is_empty() { format!("clip {number}") } else { format!("clip \"{}\"", clip.name) };
            let message = format!("{before} keys became {after}");
            context.push(Diagnostic::new(&codes::KEYS_REDUCED, name, message).times(before - after));
        }
        stats.keys_before += before;
        stats.keys_after += after;
        stats.constant += constant;
    }
    Ok(stats)
}

/// The number of channels that became constant.
fn reduce_clip(clip: &mut Clip, options: &ReduceKeysOptions, metres_per_unit: f64, context: &Context) -> Result<u64> {
    let shared = SharedTimes::of(clip);
    let work = |channel: &Channel| -> Result<Vec<u32>> {
        context.check_cancelled()?;
        Ok(kept_keys(&channel.curve, bound(channel, options, metres_per_unit)))
    };
    let kept: Vec<Result<Vec<u32>>> = clip.channels.par_iter().map(work).collect();
    let kept: Vec<Vec<u32>> = kept.into_iter().collect::<Result<_>>()?;
    let anchor = anchor(clip, &kept);
    let mut constant = 0;
    let mut times = TimesOnce::default();
    for (index, (channel, mut keys)) in clip.channels.iter_mut().zip(kept).enumerate() {
        if keys.len() == 1 && channel.curve.len() > 1 {
            if anchor == Some(index) {
                let (kind, bound) = bound(channel, options, metres_per_unit);
                keys = kept_spans(&Fit { curve: &channel.curve, kind, bound });
            }
            constant += 1;
        }
        if keys.len() < channel.curve.len() && shared.is_worth(&channel.curve, keys.len()) {
            channel.curve = subset(&channel.curve, &keys, &mut times);
        }
    }
    Ok(constant)
}

/// A channel that has to keep its last key although it never moves, so that the clip's keys end where they did.
fn anchor(clip: &Clip, kept: &[Vec<u32>]) -> Option<usize> {
    let last = |c: &Channel| c.curve.times_secs.last().copied();
    let end = clip.channels.iter().filter_map(last).fold(f64::MIN, f64::max);
    let ends = |c: &&(usize, &Channel)| last(c.1) == Some(end);
    let at_end: Vec<(usize, &Channel)> = clip.channels.iter().enumerate().filter(|c| ends(&c)).collect();
    let holds = |(index, channel): &(usize, &Channel)| channel.curve.len() < 2 || kept[*index].len() > 1;
    if at_end.iter().any(holds) { None } else { at_end.first().map(|(index, _)| *index) }
}

/// What the numbers of a channel are and how far they may move.
fn bound(channel: &Channel, options: &ReduceKeysOptions, metres_per_unit: f64) -> (CurveKind, f64) {
    let length = options.translation_m / metres_per_unit;
    match &channel.target {
        Target::Node { property, .. } => match property {
            Property::Rotation => (CurveKind::Rotation, options.rotation_rad),
            Property::Translation => (CurveKind::Numbers, length),
            Property::Scale => (CurveKind::Numbers, options.scale),
            Property::MorphWeights => (CurveKind::Numbers, options.weight),
        },
        Target::Component { part, .. } if part.is_length() => (CurveKind::Numbers, length),
        // Each of three angles may turn by as much.
        Target::Component { part, .. } if part.is_angle() => {
            (CurveKind::Numbers, options.rotation_rad.to_degrees() / 3.0)
        }
        Target::Component { .. } => (CurveKind::Numbers, options.scale),
        Target::Morph { .. } => (CurveKind::Numbers, options.weight),
        // Shown or not shown: only what changes nothing may go.
        Target::Visibility { .. } => (CurveKind::Numbers, 0.0),
        Target::Material { .. }
        | Target::Camera { .. }
        | Target::Light { .. }
        | Target::Named { .. }
        | Target::Other(_) => (CurveKind::Numbers, options.other_share * range(&channel.curve)),
    }
}

/// The largest difference between two keys in any component.
fn range(curve: &Curve) -> f64 {
    if !fits_its_keys(curve) {
        return 0.0;
    }
    let spread = |component: usize| {
        let values = (0..curve.len()).map(|key| f64::from(curve.value(key)[component]));
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        high - low
    };
    (0..curve.width).map(spread).fold(0.0, f64::max)
}

fn fits_its_keys(curve: &Curve) -> bool {
    let values = curve.len().checked_mul(curve.stride()) == Some(curve.values.len());
    let segments = curve.interpolation != Interpolation::PerKey || curve.segments.len() == curve.len();
    curve.width > 0 && !curve.is_empty() && values && segments
}

/// The keys that stay, ascending; all of them where the curve is not understood.
fn kept_keys(curve: &Curve, (kind, bound): (CurveKind, f64)) -> Vec<u32> {
    let all = || (0..curve.len() as u32).collect();
    let is_sound = fits_its_keys(curve) && (kind == CurveKind::Numbers || curve.width == 4);
    if !is_sound || !curve.holds_outside() || curve.len() < 2 {
        return all();
    }
    let fit = Fit { curve, kind, bound };
    if fit.is_constant() {
        return vec![0];
    }
    kept_spans(&fit)
}

fn kept_spans(fit: &Fit<'_>) -> Vec<u32> {
    let last = fit.curve.len() - 1;
    let mut kept = vec![0u32];
    let mut key = 0;
    while key < last {
        key = longest_span(fit, key, last);
        kept.push(key as u32);
    }
    kept
}

/// The end of a span from a key on that may stand for all keys between: found by doubling the length, then by halving
/// the last step, so that a span of n keys costs n log n comparisons.
fn longest_span(fit: &Fit<'_>, start: usize, last: usize) -> usize {
    let (mut good, mut step) = (start + 1, 1);
    let mut bad = last + 1;
    while good < last {
        let next = (good + step).min(last);
        if !fit.holds(start, next) {
            bad = next;
            break;
        }
        good = next;
        step *= 2;
    }
    while bad - good > 1 && good < last {
        let middle = good + (bad - good) / 2;
        if fit.holds(start, middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// The curve with some of its keys; one key of a cubic curve holds its value.
fn subset(curve: &Curve, keys: &[u32], times: &mut TimesOnce) -> Curve {
    let chosen = || keys.iter().map(|k| *k as usize);
    let single_cubic = keys.len() == 1 && curve.interpolation == Interpolation::CubicHermite;
    let mut reduced = curve.clone();
    let stride = curve.stride();
    if single_cubic {
        reduced.values = curve.value(keys[0] as usize).to_vec().into();
        reduced.interpolation = Interpolation::Step;
    } else {
        reduced.values = chosen().flat_map(|k| curve.values[k * stride..(k + 1) * stride].iter().copied()).collect();
    }
    reduced.times_secs = times.share(chosen().map(|k| curve.times_secs[k]).collect());
    if curve.interpolation == Interpolation::PerKey {
        reduced.segments = chosen().filter_map(|k| curve.segments.get(k).copied()).collect();
    }
    let ticks = curve.ticks.as_ref().filter(|t| t.times.len() == curve.len());
    reduced.ticks = ticks.map(|t| Ticks { per_second: t.per_second, times: chosen().map(|k| t.times[k]).collect() });
    reduced
}

/// One buffer for equal times.
#[derive(Default)]
struct TimesOnce(std::collections::BTreeMap<Vec<u64>, Buffer<f64>>);

impl TimesOnce {
    fn share(&mut self, times: Vec<f64>) -> Buffer<f64> {
        let bits = times.iter().map(|t| t.to_bits()).collect();
        self.0.entry(bits).or_insert_with(|| times.into()).clone()
    }
}

/// How many channels of a clip use the same times.
struct SharedTimes(std::collections::BTreeMap<(usize, usize), usize>);

/// What a list of times takes beside its numbers: its description in a file, in numbers of four bytes.
const LIST_NUMBERS: usize = 40;

impl SharedTimes {
    fn key(curve: &Curve) -> (usize, usize) {
        (curve.times_secs.as_ptr().addr(), curve.len())
    }

    fn of(clip: &Clip) -> Self {
        let mut users = std::collections::BTreeMap::new();
        clip.channels.iter().for_each(|c| *users.entry(Self::key(&c.curve)).or_insert(0) += 1);
        Self(users)
    }

    /// Whether a curve with fewer keys takes less, when its times were shared and then are its own. One key always
    /// does: all channels that never move share its time.
    fn is_worth(&self, curve: &Curve, keys: usize) -> bool {
        let is_shared = self.0.get(&Self::key(curve)).is_some_and(|users| *users > 1);
        !is_shared || keys == 1 || (curve.len() - keys) * curve.stride() > keys + LIST_NUMBERS
    }
}

/// The kind of a span's interpolation, when one curve has several.
fn segment_of(curve: &Curve, key: usize) -> Segment {
    match curve.interpolation {
        Interpolation::Step => Segment::Step,
        Interpolation::Linear | Interpolation::CubicHermite => Segment::Linear,
        Interpolation::PerKey => curve.segments.get(key).copied().unwrap_or(Segment::Linear),
    }
}
