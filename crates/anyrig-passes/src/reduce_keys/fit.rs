//! Whether one span may stand for several.

use super::segment_of;
use crate::CurveKind;
use crate::resample::angle;
use anyrig_animation::{sample, slerp};
use anyrig_scene::{Curve, Interpolation, Segment};
use glam::DQuat;

/// A sound curve of two keys or more, and how far it may move.
pub(super) struct Fit<'a> {
    pub(super) curve: &'a Curve,
    pub(super) kind: CurveKind,
    pub(super) bound: f64,
}

/// Places between two keys at which rotations are compared.
const INNER: [f64; 3] = [0.25, 0.5, 0.75];

/// The largest deviation of a rotation may lie between two places that are compared.
const MARGIN: f64 = 0.9;

impl Fit<'_> {
    /// Whether the curve never leaves its first value by more than the bound.
    pub(super) fn is_constant(&self) -> bool {
        let last = self.curve.len() - 1;
        let near = (1..=last).all(|key| self.is_near_key(0, key));
        let flat = |key: usize| match segment_of(self.curve, key) {
            Segment::Step | Segment::StepNext => true,
            Segment::Linear => self.curve.interpolation != Interpolation::CubicHermite || self.cubic_is_flat(key),
            Segment::Eased { out, into } => [out[1], into[1]].iter().all(|progress| (0.0..=1.0).contains(progress)),
            Segment::Hermite { out_slope, in_slope } => self.is_small_slope(key, out_slope, in_slope),
            Segment::Bezier { out, into } => self.is_small_slope(key, out.slope, into.slope),
        };
        near && (0..last).all(flat)
    }

    fn is_near_key(&self, a: usize, b: usize) -> bool {
        match self.kind {
            CurveKind::Rotation => angle(self.key_rotation(a), self.key_rotation(b)) <= self.bound,
            CurveKind::Numbers => {
                let pairs = self.curve.value(a).iter().zip(self.curve.value(b));
                pairs.fold(0.0, |largest: f64, (a, b)| largest.max((f64::from(*a) - f64::from(*b)).abs())) <= self.bound
            }
        }
    }

    /// Handles this flat leave the two values by less than the bound, whose place between the keys they cannot pass.
    fn is_small_slope(&self, key: usize, out: f32, into: f32) -> bool {
        let seconds = self.seconds(key);
        let values = [self.curve.value(key)[0], self.curve.value(key + 1)[0]].map(f64::from);
        let first = f64::from(self.curve.value(0)[0]);
        // The control points lie at most a whole span away from their key.
        let reach = [values[0] + f64::from(out) * seconds, values[1] - f64::from(into) * seconds];
        values.iter().chain(&reach).all(|v| (v - first).abs() <= self.bound)
    }

    fn cubic_is_flat(&self, key: usize) -> bool {
        if self.kind == CurveKind::Rotation {
            let first = self.key_rotation(0);
            return INNER.iter().all(|share| {
                let time = self.time(key) + self.seconds(key) * share;
                self.rotation(time).is_some_and(|r| angle(first, r) <= self.bound * MARGIN)
            });
        }
        (0..self.curve.width).all(|i| {
            let first = f64::from(self.curve.value(0)[i]);
            self.span(key, key + 1, i).points().iter().all(|p| (p - first).abs() <= self.bound)
        })
    }

    /// Whether a span from one key to a later one is near enough to all spans between.
    pub(super) fn holds(&self, start: usize, end: usize) -> bool {
        match (self.curve.interpolation, self.kind) {
            (Interpolation::Step, _) => self.steps_hold(start, end),
            (Interpolation::Linear, CurveKind::Numbers) => self.lines_hold(start, end),
            (Interpolation::Linear, CurveKind::Rotation) => self.arcs_hold(start, end),
            (Interpolation::CubicHermite, CurveKind::Numbers) => self.cubics_hold(start, end),
            (Interpolation::CubicHermite, CurveKind::Rotation) => self.cubic_rotations_hold(start, end),
            (Interpolation::PerKey, kind) => {
                let all = |wanted: Segment| (start..end).all(|key| segment_of(self.curve, key) == wanted);
                let linear = all(Segment::Linear);
                let lines = || {
                    if kind == CurveKind::Rotation { self.arcs_hold(start, end) } else { self.lines_hold(start, end) }
                };
                (all(Segment::Step) && self.steps_hold(start, end)) || (linear && lines())
            }
        }
    }

    fn steps_hold(&self, start: usize, end: usize) -> bool {
        (start + 1..end).all(|key| self.is_near_key(start, key))
    }

    /// Two lines of straight pieces differ most at a key.
    fn lines_hold(&self, start: usize, end: usize) -> bool {
        let (from, to) = (self.curve.value(start), self.curve.value(end));
        (start + 1..end).all(|key| {
            let share = self.share(start, end, self.time(key));
            let here = self.curve.value(key);
            from.iter().zip(to).zip(here).all(|((from, to), here)| {
                let (from, to) = (f64::from(*from), f64::from(*to));
                (from + (to - from) * share - f64::from(*here)).abs() <= self.bound
            })
        })
    }

    fn arcs_hold(&self, start: usize, end: usize) -> bool {
        let (from, to) = (self.key_rotation(start), self.key_rotation(end));
        let whole = |time: f64| slerp(from, to, self.share(start, end, time));
        (start..end).all(|key| {
            let (a, b) = (self.key_rotation(key), self.key_rotation(key + 1));
            let at_key = key == start || angle(a, whole(self.time(key))) <= self.bound * MARGIN;
            at_key
                && INNER.iter().all(|share| {
                    let time = self.time(key) + self.seconds(key) * share;
                    angle(slerp(a, b, *share), whole(time)) <= self.bound * MARGIN
                })
        })
    }

    /// The difference of two cubics is one, and lies within its Bézier control points.
    fn cubics_hold(&self, start: usize, end: usize) -> bool {
        (0..self.curve.width).all(|i| {
            let whole = self.span(start, end, i);
            (start..end).all(|key| {
                let part =
                    whole.between(self.share(start, end, self.time(key)), self.share(start, end, self.time(key + 1)));
                let own = self.span(key, key + 1, i);
                part.points().iter().zip(own.points()).all(|(a, b)| (a - b).abs() <= self.bound)
            })
        })
    }

    fn cubic_rotations_hold(&self, start: usize, end: usize) -> bool {
        let whole: Vec<Cubic> = (0..4).map(|i| self.span(start, end, i)).collect();
        let places = (start..end).flat_map(|key| {
            let inner = INNER.iter().map(move |share| self.time(key) + self.seconds(key) * share);
            std::iter::once(self.time(key)).chain(inner)
        });
        let mut places = places.skip(1);
        places.all(|time| {
            let share = self.share(start, end, time);
            let blended = DQuat::from_array(std::array::from_fn(|i| whole[i].at(share)));
            let length = blended.length();
            let own = self.rotation(time);
            length > 0.0
                && length.is_finite()
                && own.is_some_and(|own| angle(own, blended / length) <= self.bound * MARGIN)
        })
    }

    fn time(&self, key: usize) -> f64 {
        self.curve.times_secs[key]
    }

    fn seconds(&self, key: usize) -> f64 {
        self.time(key + 1) - self.time(key)
    }

    fn share(&self, start: usize, end: usize, time: f64) -> f64 {
        (time - self.time(start)) / (self.time(end) - self.time(start))
    }

    fn rotation(&self, time: f64) -> Option<DQuat> {
        sample(self.curve, time).map(|s| s.rotation())
    }

    /// A key's rotation as a unit quaternion.
    fn key_rotation(&self, key: usize) -> DQuat {
        let value = self.curve.value(key);
        let rotation = DQuat::from_array(std::array::from_fn(|i| value.get(i).map_or(0.0, |v| f64::from(*v))));
        let length = rotation.length();
        if length > 0.0 && length.is_finite() { rotation / length } else { DQuat::IDENTITY }
    }

    /// A component of the cubic from the out-tangent of one key to the in-tangent of another one.
    fn span(&self, start: usize, end: usize, component: usize) -> Cubic {
        let (width, stride) = (self.curve.width, self.curve.stride());
        let seconds = self.time(end) - self.time(start);
        let at = |index: usize| f64::from(self.curve.values[index]);
        let (first, second) = (start * stride + component, end * stride + component);
        let (p0, m0) = (at(first + width), at(first + 2 * width) * seconds);
        let (p1, m1) = (at(second + width), at(second) * seconds);
        Cubic([p0, p0 + m0 / 3.0, p1 - m1 / 3.0, p1])
    }
}

/// A cubic over 0..1 by its Bézier control points.
#[derive(Clone, Copy)]
struct Cubic([f64; 4]);

impl Cubic {
    fn points(&self) -> [f64; 4] {
        self.0
    }

    fn at(&self, t: f64) -> f64 {
        self.before(t).0[3]
    }

    /// The part from 0 to a place (de Casteljau).
    fn before(&self, t: f64) -> Self {
        let [a, b, c, d] = self.0;
        let mix = |a: f64, b: f64| a + (b - a) * t;
        let (ab, bc, cd) = (mix(a, b), mix(b, c), mix(c, d));
        let (abc, bcd) = (mix(ab, bc), mix(bc, cd));
        Self([a, ab, abc, mix(abc, bcd)])
    }

    fn reversed(&self) -> Self {
        let [a, b, c, d] = self.0;
        Self([d, c, b, a])
    }

    /// The part from one place to a later one.
    fn between(&self, from: f64, to: f64) -> Self {
        let first = self.before(to);
        // Of the part before `to`, what lies behind `from`.
        let rest = if to > 0.0 { 1.0 - from / to } else { 0.0 };
        first.reversed().before(rest).reversed()
    }
}
