//! Any function of time as linear or step keys within a bound.

use anyrig_animation::slerp;
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Curve, Interpolation};
use glam::DQuat;
use smallvec::SmallVec;
use std::cell::Cell;

/// The numbers of a value. Functions are asked millions of times, so those of a transform lie in place.
pub(super) type Value = SmallVec<[f64; 4]>;

/// How values are interpolated and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Straight lines; the largest difference of a component.
    Numbers,
    /// Great arcs; the angle in radians.
    Rotation,
}

/// Books the memory of curves and of their making, and bounds how many keys there are in all.
pub(super) struct Room<'a> {
    context: &'a Context,
    /// Keys that the source does not have and that may still be made: what a bake takes of time and makes of a file stays
    /// in a measure of its source.
    spare: Cell<usize>,
    /// Whether fewer were left than were asked for.
    short: Cell<bool>,
    /// Keys while a curve is made go again, so only what one curve needs beyond all before it is booked.
    held: Cell<u64>,
}

impl<'a> Room<'a> {
    /// Room for a source with so many keys.
    pub fn new(source_keys: usize, context: &'a Context) -> Self {
        let spare = source_keys.saturating_mul(SPARE_PER_KEY).saturating_add(FREE_KEYS);
        Self { context, spare: Cell::new(spare), short: Cell::new(false), held: Cell::new(0) }
    }

    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// Takes spare keys: as many as wanted, or as many as are allowed or left.
    pub fn take_spare(&self, wanted: usize, allowed: usize) -> usize {
        let taken = wanted.min(allowed).min(self.spare.get());
        self.spare.set(self.spare.get() - taken);
        self.short.set(self.short.get() || taken < wanted);
        taken
    }

    /// Whether keys ran short since this was asked.
    pub fn ran_short(&self) -> bool {
        self.short.take()
    }

    /// Room for so many keys while one curve is made. Lists double as they grow.
    fn hold(&self, keys: usize, width: usize) -> Result<()> {
        self.context.check_cancelled()?;
        let each = size_of::<Key>() + width.saturating_mul(size_of::<f64>());
        let bytes = (keys.saturating_mul(each) as u64).checked_next_power_of_two().unwrap_or(u64::MAX);
        let held = self.held.get();
        if bytes > held {
            self.context.take_memory(bytes - held, Place::whole)?;
            self.held.set(bytes);
        }
        Ok(())
    }

    /// Room for the keys of a curve.
    fn keep(&self, keys: usize, width: usize) -> Result<()> {
        let each = size_of::<f64>() + width.saturating_mul(size_of::<f32>());
        self.context.take_elements(keys as u64, Place::whole)?;
        self.context.take_memory(keys.saturating_mul(each) as u64, Place::whole)
    }
}

/// Keys that any scene may get: a hundred curves of thousands of keys each. Far fewer than a second's work.
const FREE_KEYS: usize = 1 << 18;
/// Keys for each of the source, beyond which no curve of a tool goes: a cubic segment takes about ten.
const SPARE_PER_KEY: usize = 16;

/// What a curve is made from.
pub(super) struct Sampler<'f> {
    /// The function.
    pub value: &'f mut dyn FnMut(f64) -> Value,
    pub kind: Kind,
    /// Largest error.
    pub bound: f64,
    /// Length of the ramp that stands for a jump between moving spans.
    pub step_secs: f64,
    /// Keys that may be made.
    pub max_keys: usize,
    pub room: &'f Room<'f>,
}

/// A curve and whether the bound was kept.
pub(super) struct Sampled {
    pub curve: Curve,
    pub limited: bool,
}

/// Halvings of one span between two times of the source.
const MAX_HALVINGS: u32 = 16;
/// Where a span is compared with its chord, as shares of it: the likeliest places of a misfit first, since the first one
/// ends the comparison.
const PLACES: [f64; 7] = [0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875];
/// How many of them a halved span needs: no fewer than the whole had.
const PLACES_OF_HALF: usize = 3;
/// How far from its ends the inside of a span is looked at, as a share of it.
const INSIDE: f64 = 1e-9;

/// A shorter span is a jump: some sources have two keys a tick apart, which no target tells apart.
const SHORTEST_SECS: f64 = 1e-8;

struct Key {
    time: f64,
    value: Value,
}

impl Sampler<'_> {
    /// Samples between ascending times, at each of which the function may jump or bend. `parts` tells in how many parts
    /// a span is cut before its parts are compared with their chords.
    pub fn run(mut self, times: &[f64], parts: &dyn Fn(f64, f64) -> u32) -> Result<Sampled> {
        let mut keys: Vec<Key> = Vec::new();
        let mut limited = false;
        let (mut still, mut jumps) = (true, Vec::new());
        for span in times.windows(2) {
            let (start, end) = (span[0], span[1]);
            if end - start < SHORTEST_SECS {
                // The value at the end of the span is a jump from the key before.
                continue;
            }
            let inset = (end - start) * INSIDE;
            let first = self.limit(start, start + inset);
            let last = self.limit(end, end - inset);
            if keys.is_empty() {
                keys.push(Key { time: start, value: first.clone() });
            } else if self.jump(start, &first, &mut keys) {
                jumps.push(keys.len() - 1);
            }
            let before = keys.len();
            limited |= !self.span((start, &first), (end, &last), parts(start, end).max(1), &mut keys)?;
            still &= self.is_still(&first, &keys[before..]);
        }
        // What holds from the last time on, where the function jumps there.
        if let Some(end) = times.last().filter(|_| !keys.is_empty()) {
            let value = (self.value)(*end);
            if self.jump(*end, &value, &mut keys) {
                jumps.push(keys.len() - 1);
            }
        }
        if keys.is_empty() {
            let time = times.first().copied().unwrap_or(0.0);
            let value = (self.value)(time);
            keys.push(Key { time, value });
        }
        let curve = if still && !jumps.is_empty() { self.steps(&keys, &jumps)? } else { self.reduced(&keys)? };
        Ok(Sampled { curve, limited })
    }

    /// Pushes a key if its value is another than that of the key before, which moves back so that the ramp to it ends at
    /// the time of the jump. It never moves beyond the middle to the key before it: where the curve is steep, that is
    /// nearer than a ramp is long.
    fn jump(&self, time: f64, value: &Value, keys: &mut Vec<Key>) -> bool {
        let floor = keys.iter().rev().nth(1).map_or(f64::MAX, |key| key.time);
        let Some(before) = keys.last_mut().filter(|before| self.apart(&before.value, value) > self.bound) else {
            return false;
        };
        let floor = floor.min(before.time);
        before.time = (before.time - self.step_secs).max(0.5 * (before.time + floor));
        keys.push(Key { time, value: value.clone() });
        true
    }

    /// The value that the function has towards the inside of a span; at its end itself where that is the same.
    fn limit(&mut self, at: f64, inside: f64) -> Value {
        let (here, near) = ((self.value)(at), (self.value)(inside));
        if self.apart(&here, &near) <= self.bound { here } else { near }
    }

    fn is_still(&self, first: &Value, keys: &[Key]) -> bool {
        keys.iter().all(|k| self.apart(first, &k.value) <= self.bound * STILL)
    }

    /// Pushes the keys behind the start, up to the end. False when there were too many.
    fn span(&mut self, start: (f64, &Value), end: (f64, &Value), parts: u32, keys: &mut Vec<Key>) -> Result<bool> {
        let mut fits_all = true;
        let length = end.0 - start.0;
        let parts = 1 + self.room.take_spare(parts as usize - 1, parts as usize) as u32;
        // Parts as (halvings, place of the start and of the end); the last of the stack is the earliest.
        let mut stack: Vec<(u32, f64, f64)> = (0..parts)
            .rev()
            .map(|i| (0, f64::from(i) / f64::from(parts), f64::from(i + 1) / f64::from(parts)))
            .collect();
        let mut from_value = start.1.clone();
        while let Some((halvings, from, to)) = stack.pop() {
            // One key for this part, one that a jump may add.
            self.room.hold(keys.len() + 2, from_value.len())?;
            let to_value = if to >= 1.0 { end.1.clone() } else { (self.value)(start.0 + length * to) };
            let places = if halvings == 0 { &PLACES[..] } else { &PLACES[..PLACES_OF_HALF] };
            let fits = places.iter().all(|share| {
                let chord = self.between(&from_value, &to_value, *share);
                let value = (self.value)(start.0 + length * (from + (to - from) * share));
                self.apart(&chord, &value) <= self.bound * ADAPTED
            });
            let middle = 0.5 * (from + to);
            if !fits && halvings < MAX_HALVINGS && keys.len() < self.max_keys && self.room.take_spare(1, 1) == 1 {
                stack.push((halvings + 1, middle, to));
                stack.push((halvings + 1, from, middle));
                continue;
            }
            fits_all &= fits;
            keys.push(Key { time: start.0 + length * to, value: to_value.clone() });
            from_value = to_value;
        }
        Ok(fits_all)
    }

    fn between(&self, a: &Value, b: &Value, share: f64) -> Value {
        match self.kind {
            Kind::Numbers => a.iter().zip(b).map(|(a, b)| (1.0 - share) * a + share * b).collect(),
            Kind::Rotation => slerp(quat(a), quat(b), share).to_array().into(),
        }
    }

    fn apart(&self, a: &Value, b: &Value) -> f64 {
        match self.kind {
            Kind::Numbers => a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
            Kind::Rotation => {
                let (a, b) = (quat(a), quat(b));
                // Twice the chord is the angle to second order, and never less than 0.9 of it.
                2.0 * (a - b).length().min((a + b).length())
            }
        }
    }

    /// Leaves out keys that their neighbours give within what the adaption left of the bound.
    fn reduced(&self, keys: &[Key]) -> Result<Curve> {
        let mut kept = vec![0];
        let mut from = 0;
        while from + 1 < keys.len() {
            let mut to = from + 1;
            while to + 1 < keys.len() && to - from < WINDOW && self.spans_over(&keys[from..=to + 1]) {
                to += 1;
            }
            kept.push(to);
            from = to;
        }
        let width = keys.first().map_or(0, |k| k.value.len());
        self.room.keep(kept.len(), width)?;
        let mut times = Vec::with_capacity(kept.len());
        let mut values: Vec<f32> = Vec::with_capacity(kept.len() * width);
        let mut before: Option<DQuat> = None;
        for key in kept.into_iter().map(|i| &keys[i]) {
            times.push(key.time);
            if self.kind == Kind::Rotation {
                let q = quat(&key.value);
                let q = if before.is_some_and(|b| b.dot(q) < 0.0) { -q } else { q };
                before = Some(q);
                values.extend(q.to_array().map(|v| v as f32));
            } else {
                values.extend(key.value.iter().map(|v| *v as f32));
            }
        }
        let still = values.chunks_exact(width.max(1)).all(|v| v == &values[..width]);
        if still {
            times.truncate(1);
            values.truncate(width);
        }
        Ok(Curve::new(Interpolation::Linear, width, times, values))
    }

    /// The first key and those that jumps end at.
    fn steps(&self, keys: &[Key], jumps: &[usize]) -> Result<Curve> {
        let width = keys.first().map_or(0, |k| k.value.len());
        self.room.keep(jumps.len() + 1, width)?;
        let chosen = [0].into_iter().chain(jumps.iter().copied()).map(|i| &keys[i]);
        let (mut times, mut values) = (Vec::new(), Vec::new());
        for key in chosen {
            times.push(key.time);
            values.extend(key.value.iter().map(|v| *v as f32));
        }
        Ok(Curve::new(Interpolation::Step, width, times, values))
    }

    fn spans_over(&self, keys: &[Key]) -> bool {
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return false };
        // An arc of half a turn or more would go the other way round.
        if self.kind == Kind::Rotation && self.apart(&first.value, &last.value) > MAX_ARC {
            return false;
        }
        keys[1..keys.len() - 1].iter().all(|key| {
            let share = (key.time - first.time) / (last.time - first.time);
            self.apart(&self.between(&first.value, &last.value, share), &key.value) <= self.bound * (1.0 - ADAPTED)
        })
    }
}

/// Shares of the bound: for chords, the rest for leaving keys out; and what counts as no motion.
const ADAPTED: f64 = 0.6;
const STILL: f64 = 1e-3;
/// Keys that one chord may stand for; bounds the time that reduction takes.
const WINDOW: usize = 128;
/// Largest arc between two keys, in radians by [`Sampler::apart`].
const MAX_ARC: f64 = 2.0;

fn quat(value: &Value) -> DQuat {
    match value.as_slice() {
        [x, y, z, w] => DQuat::from_xyzw(*x, *y, *z, *w),
        _ => DQuat::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::maths::f64 as maths;
    use anyrig_bytes::{ErrorKind, Limits};
    use smallvec::smallvec;

    fn run(f: &mut dyn FnMut(f64) -> Value, kind: Kind, times: &[f64], parts: u32) -> Curve {
        let context = Context::new();
        let room = Room::new(times.len(), &context);
        let sampler = Sampler { value: f, kind, bound: 1e-3, step_secs: 1e-4, max_keys: 10_000, room: &room };
        let sampled = sampler.run(times, &|_, _| parts).expect("there is room");
        assert!(!sampled.limited);
        sampled.curve
    }

    #[test]
    fn a_bend_gets_as_many_keys_as_it_needs() {
        let mut sine = |t: f64| smallvec![maths::sin(t)];
        let curve = run(&mut sine, Kind::Numbers, &[0.0, 3.0], 1);
        assert!((8..80).contains(&curve.len()), "{}", curve.len());
        for i in 0..=300 {
            let time = f64::from(i) / 100.0;
            let value = anyrig_animation::sample(&curve, time).and_then(|s| s.component(0)).expect("usable");
            assert!((value - maths::sin(time)).abs() < 1e-3, "{time}");
        }
    }

    #[test]
    fn keys_in_the_making_are_booked_once_and_those_that_stay_each_time() {
        let mut limits = Limits::default();
        limits.memory_bytes = 1 << 20;
        let context = Context::new().with_limits(limits);
        let room = Room::new(1 << 20, &context);
        let run = |f: &mut dyn FnMut(f64) -> Value| {
            let sampler =
                Sampler { value: f, kind: Kind::Numbers, bound: 1e-6, step_secs: 1e-4, max_keys: 2000, room: &room };
            sampler.run(&[0.0, 3.0], &|_, _| 1).map(|sampled| sampled.curve.len())
        };
        let mut narrow = |t: f64| smallvec![maths::sin(t)];
        let mut curves = 0;
        let error = loop {
            match run(&mut narrow) {
                Ok(_) => curves += 1,
                Err(error) => break error,
            }
        };
        // Two thousand keys are 64 kB in the making, and at most 24 kB of each curve stay.
        assert!(error.kind() == ErrorKind::LimitExceeded && (40..2000).contains(&curves), "{curves}: {error}");
        let mut wide = |t: f64| smallvec![maths::sin(t); 10_000];
        assert_eq!(run(&mut wide).expect_err("80 kB a key").kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn straight_lines_and_rest_need_no_inner_keys() {
        let mut line = |t: f64| smallvec![2.0 * t, 1.0];
        let times: Vec<f64> = (0..=50).map(f64::from).collect();
        assert_eq!(run(&mut line, Kind::Numbers, &times, 1).len(), 2);
        let mut rest = |_: f64| smallvec![7.0];
        assert_eq!(run(&mut rest, Kind::Numbers, &times, 1).len(), 1);
    }

    #[test]
    fn jumps_stay_sharp() {
        let mut stairs = |t: f64| smallvec![t.floor()];
        let curve = run(&mut stairs, Kind::Numbers, &[0.0, 1.0, 2.0, 3.0], 1);
        assert_eq!(curve.interpolation, Interpolation::Step);
        // The last step stands at the end and holds from then on.
        let stairs = [0.0, 1.0, 2.0, 3.0];
        assert_eq!((&*curve.times_secs, &*curve.values), (&stairs.map(f64::from)[..], &stairs[..]));
        let mut saw = |t: f64| smallvec![if t < 2.0 { t - t.floor() } else { 1.0 }];
        let curve = run(&mut saw, Kind::Numbers, &[0.0, 1.0, 2.0], 1);
        assert_eq!(curve.interpolation, Interpolation::Linear);
        assert_eq!(&*curve.times_secs, &[0.0, 1.0 - 1e-4, 1.0, 2.0]);
        // A jump at the end holds from then on.
        let mut falls = |t: f64| smallvec![if t < 2.0 { t } else { 0.0 }];
        let curve = run(&mut falls, Kind::Numbers, &[0.0, 1.0, 2.0], 1);
        assert_eq!((&*curve.times_secs, curve.value(curve.len() - 1)), (&[0.0, 2.0 - 1e-4, 2.0][..], &[0.0][..]));
    }

    #[test]
    fn a_jump_behind_a_steep_end_keeps_the_keys_in_order() {
        // Its last bend lies within the length of a ramp before the jump.
        let steep = |t: f64| 1e-5 / (1.0 + 1e-4 - t);
        let mut jumping = |t: f64| smallvec![if t < 1.0 { steep(t) } else { 0.0 }];
        let curve = run(&mut jumping, Kind::Numbers, &[0.0, 1.0, 2.0], 1);
        assert!(curve.times_secs.is_sorted_by(|a, b| a < b), "{:?}", curve.times_secs);
        assert!(curve.times_secs.contains(&1.0), "the jump is where it was");
        let near = anyrig_animation::sample(&curve, 1.0 - 2e-5).and_then(|s| s.component(0)).expect("usable");
        assert!((near - steep(1.0 - 2e-5)).abs() < 2e-3, "{near}");
    }

    #[test]
    fn keys_beyond_those_of_the_source_are_counted_over_all_curves() {
        let context = Context::new();
        let room = Room::new(0, &context);
        let mut made = 0;
        for _ in 0..20 {
            // As many parts as turns of a fast wheel would have.
            let mut line = |t: f64| smallvec![t];
            let (kind, bound, step_secs) = (Kind::Numbers, 1e-3, 1e-4);
            let mut sampler = Sampler { value: &mut line, kind, bound, step_secs, max_keys: 65_536, room: &room };
            let mut keys = Vec::new();
            let ends: (Value, Value) = (smallvec![0.0], smallvec![1.0]);
            sampler.span((0.0, &ends.0), (1.0, &ends.1), 65_536, &mut keys).expect("there is room");
            made += keys.len();
        }
        assert!(room.ran_short() && !room.ran_short());
        assert_eq!(made, FREE_KEYS + 20);
    }

    #[test]
    fn full_turns_are_not_lost() {
        let mut wheel = |t: f64| {
            let (sin, cos) = maths::sin_cos(t * std::f64::consts::PI);
            smallvec![0.0, 0.0, sin, cos]
        };
        // Eight turns: every place of comparison would see the same rotation.
        let curve = run(&mut wheel, Kind::Rotation, &[0.0, 8.0], 32);
        assert!(curve.len() >= 8 * 4, "{}", curve.len());
        let quarter = anyrig_animation::sample(&curve, 1.25).expect("usable").rotation();
        assert!((quarter * glam::DVec3::X).distance(glam::DVec3::Y) < 2e-3);
    }
}
