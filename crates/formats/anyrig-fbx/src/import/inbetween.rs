//! Weights of in-between shapes from the percentage of their channel.

use anyrig_animation::sample;
use anyrig_bytes::{Buffer, Result};
use anyrig_scene::{Curve, ExtrapolationMode, Interpolation, Segment};

/// The full percentages of a channel's targets, ascending, and the unmoved shape, which stands at 0 among them.
pub(super) struct Stops {
    list: Vec<(f64, Option<usize>)>,
    /// The smallest way from one to another.
    gap: f64,
}

impl Stops {
    pub fn new(fulls: impl Iterator<Item = f64>) -> Self {
        let mut list: Vec<(f64, Option<usize>)> = fulls.enumerate().map(|(i, full)| (full, Some(i))).collect();
        list.push((0.0, None));
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        let gaps = list.windows(2).map(|w| w[1].0 - w[0].0).filter(|gap| *gap > 0.0);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        Self { list, gap }
    }

    /// The targets below and above a percentage with their weights; all others have none. The weights are piecewise
    /// linear and go on beyond the last target.
    fn around(&self, percent: f64) -> [(Option<usize>, f64); 2] {
        let above = self.list.partition_point(|(full, _)| *full < percent).clamp(1, self.list.len() - 1);
        let ((low, low_target), (high, high_target)) = (self.list[above - 1], self.list[above]);
        let share = if high > low { (percent - low) / (high - low) } else { 0.0 };
        [(low_target, 1.0 - share), (high_target, share)]
    }

    /// The weight of one target at a percentage.
    pub fn weight(&self, percent: f64, target: usize) -> f64 {
        self.around(percent).into_iter().find(|(at, _)| *at == Some(target)).map_or(0.0, |(_, weight)| weight)
    }

    /// Those strictly between two percentages.
    fn between(&self, a: f64, b: f64) -> &[(f64, Option<usize>)] {
        let start = self.list.partition_point(|(full, _)| *full <= a.min(b));
        let end = self.list.partition_point(|(full, _)| *full < a.max(b));
        self.list.get(start..end).unwrap_or_default()
    }
}

/// What may be used for the curves of a channel.
pub(super) struct Room<'r> {
    /// Is told how many bytes are about to be used, and may refuse them.
    pub book: &'r dyn Fn(usize) -> Result<()>,
    /// Bytes for lines beyond one between two keys, as many as make the curves good.
    pub lines: usize,
}

/// The curves of all targets' weights.
pub(super) struct Weights {
    /// They share their times.
    pub curves: Vec<Curve>,
    /// Keys after which there was no room for as many lines as keep to the percentage.
    pub coarse: u64,
}

/// Makes the curves of all targets' weights. Between keys the percentage is sampled so densely that straight lines do, as
/// long as there is room.
pub(super) fn curves(percent: &Curve, stops: &Stops, room: &Room<'_>) -> Result<Weights> {
    let mut track =
        Track { percent, stops, book: room.book, times: Vec::new(), values: Vec::new(), lines: 0, coarse: 0 };
    track.lines = room.lines / track.row_bytes();
    for key in 0..percent.times_secs.len() {
        track.key(key)?;
    }
    Ok(track.finish())
}

/// Bytes that stand for the work of finding a bend.
const BEND_BYTES: usize = 128;

/// Times and percentages of all curves.
struct Track<'t> {
    percent: &'t Curve,
    stops: &'t Stops,
    book: &'t dyn Fn(usize) -> Result<()>,
    times: Vec<f64>,
    values: Vec<f64>,
    /// Lines that there is still room for.
    lines: usize,
    coarse: u64,
}

impl Track<'_> {
    fn at(&self, time: f64) -> f64 {
        sample(self.percent, time).and_then(|s| s.component(0)).unwrap_or(0.0)
    }

    /// What a time needs with a weight of each target.
    fn row_bytes(&self) -> usize {
        2 * (size_of::<f64>() + size_of::<f64>()) + self.stops.list.len() * size_of::<f32>()
    }

    /// Books so many times.
    fn book(&self, count: usize) -> Result<()> {
        (self.book)(count.saturating_mul(self.row_bytes()))
    }

    /// The most lines after a key: its share of those that are left.
    fn most_lines(&self, key: usize) -> u32 {
        let share = self.lines / (self.percent.times_secs.len() - key).max(1);
        1 << (share.clamp(1, MAX_STEPS as usize)).ilog2()
    }

    fn push(&mut self, time: f64, percent: f64) {
        self.times.push(time);
        self.values.push(percent);
    }

    /// A key, and what lies between it and the next one.
    fn key(&mut self, key: usize) -> Result<()> {
        self.book(2)?;
        let time = self.percent.times_secs[key];
        self.push(time, self.at(time));
        let Some(next) = self.percent.times_secs.get(key + 1).copied() else { return Ok(()) };
        let steps = match self.percent.segments.get(key) {
            Some(Segment::Step) => {
                let last = next.next_down();
                if last > time {
                    self.push(last, self.at(time));
                }
                return Ok(());
            }
            Some(Segment::StepNext) => {
                let first = time.next_up();
                if first < next {
                    self.push(first, self.at(next));
                }
                return Ok(());
            }
            Some(Segment::Linear) => 1,
            _ => {
                let most = self.most_lines(key);
                let lines = Lines::new((time, next), &|time| self.at(time), (self.stops, most));
                self.coarse += u64::from(lines.is_coarse);
                lines.count
            }
        };
        self.lines = self.lines.saturating_sub(steps as usize);
        self.book(steps as usize)?;
        let mut last = time;
        for step in 1..=steps {
            let between = if step == steps { next } else { time + (next - time) * f64::from(step) / f64::from(steps) };
            if between <= last {
                continue;
            }
            // Where the percentage passes a shape, the line bends.
            for bend in self.bends(last, between)? {
                self.push(bend, self.at(bend));
            }
            if between < next {
                self.push(between, self.at(between));
            }
            last = between;
        }
        Ok(())
    }

    /// The times strictly inside a range at which a percentage that ascends or descends there passes a full percentage
    /// or 0, ascending.
    fn bends(&self, start: f64, end: f64) -> Result<Vec<f64>> {
        let (first, last) = (self.at(start), self.at(end));
        let passed = self.stops.between(first, last);
        self.book(passed.len())?;
        (self.book)(passed.len().saturating_mul(BEND_BYTES))?;
        let mut bends = Vec::with_capacity(passed.len());
        for (stop, _) in passed {
            let (mut low, mut high) = (start, end);
            for _ in 0..HALVINGS {
                let middle = low + (high - low) * 0.5;
                if (self.at(middle) - stop) * (first - stop) > 0.0 { low = middle } else { high = middle }
            }
            bends.push(high);
        }
        bends.sort_by(f64::total_cmp);
        bends.dedup();
        bends.retain(|bend| *bend > start && *bend < end);
        Ok(bends)
    }

    fn finish(self) -> Weights {
        let targets = self.stops.list.len() - 1;
        let mut weights = vec![vec![0.0f32; self.values.len()]; targets];
        for (row, percent) in self.values.iter().enumerate() {
            for (target, weight) in self.stops.around(*percent) {
                if let Some(weights) = target.and_then(|target| weights.get_mut(target)) {
                    weights[row] = weight as f32;
                }
            }
        }
        let times = Buffer::from(self.times);
        let (before, after) = (self.percent.before, self.percent.after);
        let curve = |values: Vec<f32>| {
            let mut curve = Curve::new(Interpolation::Linear, 1, times.clone(), values);
            if before.mode != ExtrapolationMode::Slope {
                curve.before = before;
            }
            if after.mode != ExtrapolationMode::Slope {
                curve.after = after;
            }
            curve
        };
        Weights { curves: weights.into_iter().map(curve).collect(), coarse: self.coarse }
    }
}

/// Straight lines between two keys.
struct Lines {
    /// A power of two.
    count: u32,
    /// True when more of them would keep closer to the percentage and had no room.
    is_coarse: bool,
}

impl Lines {
    /// As few as keep the weights within [`MOST`], but no more than a power of two.
    fn new((start, end): (f64, f64), at: &dyn Fn(f64) -> f64, (stops, most): (&Stops, u32)) -> Self {
        let is_close = |count: u32| {
            let place = |half: u32| at(start + (end - start) * f64::from(half) / f64::from(2 * count));
            let off = |line: u32| (place(2 * line + 1) - (place(2 * line) + place(2 * line + 2)) * 0.5).abs();
            count >= MIN_STEPS && (0..count).all(|line| off(line) <= MOST * stops.gap)
        };
        let mut count = 1;
        while count < MAX_STEPS && !is_close(count) {
            if count == most {
                return Self { count, is_coarse: true };
            }
            count *= 2;
        }
        Self { count, is_coarse: false }
    }
}

/// Largest deviation of a weight in the middle of a line.
const MOST: f64 = 1e-5;
/// So many at least, since a curve may pass its middle by chance.
const MIN_STEPS: u32 = 4;
const MAX_STEPS: u32 = 512;

/// Halvings that find a time to the last bit.
const HALVINGS: u32 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn all(percent: &Curve, fulls: [f64; 2]) -> Vec<Curve> {
        let made = curves(percent, &Stops::new(fulls.into_iter()), &Room { book: &|_| Ok(()), lines: usize::MAX });
        made.ok().filter(|made| made.coarse == 0).expect("there is room for all").curves
    }

    #[test]
    fn with_little_room_lines_are_coarse_and_no_more_is_booked() {
        const KEYS: usize = 3000;
        let times: Vec<f64> = (0..KEYS).map(|key| key as f64).collect();
        let values: Vec<f32> = (0..KEYS).map(|key| (key % 2 * 9999) as f32).collect();
        let steep = Segment::Hermite { out_slope: 1e5, in_slope: -1e5 };
        let percent = Curve::per_key(times, values, vec![steep; KEYS]);
        let stops = Stops::new([50.0, 100.0].into_iter());
        let booked = std::cell::Cell::new(0);
        let book = |bytes: usize| {
            booked.set(booked.get() + bytes);
            Ok(())
        };
        let made = |lines: usize| {
            booked.set(0);
            let made = curves(&percent, &stops, &Room { book: &book, lines }).expect("booked");
            (made.curves[0].times_secs.len(), made.coarse, booked.get())
        };
        let (fine, coarse, most) = made(usize::MAX);
        assert!(coarse == 0 && fine > KEYS * 500 && most > 40 << 20, "{fine} times, {coarse} coarse, {most} bytes");
        let (few, coarse, some) = made(12 << 20);
        // All but the last key have a segment, and none keeps within the bound.
        assert_eq!(coarse, KEYS as u64 - 1);
        assert!(few > KEYS * 50 && some < 16 << 20, "{few} times, {some} bytes");
        let (fewest, coarse, least) = made(0);
        assert_eq!(coarse, KEYS as u64 - 1);
        assert!((KEYS..KEYS * 10).contains(&fewest) && least < 4 << 20, "{fewest} times, {least} bytes");
    }

    #[test]
    fn weights_are_piecewise_linear() {
        let stops = Stops::new([50.0, 100.0].into_iter());
        let both = |percent| [stops.weight(percent, 0), stops.weight(percent, 1)];
        assert_eq!(both(0.0), [0.0, 0.0]);
        assert_eq!(both(25.0), [0.5, 0.0]);
        assert_eq!(both(50.0), [1.0, 0.0]);
        assert_eq!(both(75.0), [0.5, 0.5]);
        assert_eq!(both(100.0), [0.0, 1.0]);
        assert_eq!(both(150.0), [-1.0, 2.0], "goes on beyond the last one");
        assert_eq!(both(-25.0), [-0.5, 0.0]);
    }

    #[test]
    fn bends_are_keys() {
        let percent = Curve::per_key(vec![0.0, 1.0], vec![-30.0, 110.0], vec![Segment::Linear, Segment::Linear]);
        let weights = &all(&percent, [40.0, 100.0])[0];
        for (stop, expected) in [(0.0, 0.0), (40.0, 1.0), (100.0, 0.0)] {
            let time = (stop + 30.0) / 140.0;
            let value = sample(weights, time).and_then(|s| s.component(0)).expect("usable");
            assert!((value - expected).abs() < 1e-6, "{stop}: {value}");
        }
    }

    #[test]
    fn a_curve_of_percent_becomes_one_of_weights() {
        let percent = Curve::per_key(
            vec![0.0, 1.0, 2.0],
            vec![0.0, 100.0, 0.0],
            vec![Segment::Linear, Segment::Step, Segment::Step],
        );
        let curves = all(&percent, [50.0, 100.0]);
        let at = |index: usize, time| sample(&curves[index], time).and_then(|s| s.component(0)).expect("usable");
        assert!((at(0, 0.5) - 1.0).abs() < 1e-6 && (at(0, 0.25) - 0.5).abs() < 1e-6);
        assert!((at(1, 0.75) - 0.5).abs() < 1e-6);
        assert_eq!((at(1, 1.9), at(1, 2.0)), (1.0, 0.0), "steps stay sharp");
    }
}
