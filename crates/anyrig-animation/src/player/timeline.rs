//! Where a time lies among the times of keys.

/// Times of keys that tracks share.
#[derive(Clone, Debug)]
pub(super) enum Timeline {
    /// At least two, ascending.
    Keys(Vec<f64>),
    /// Key `i` of `0..=last` lies at `start_secs + i / per_sec`.
    Even { start_secs: f64, per_sec: f64, last: u32 },
}

/// A time between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Located {
    /// The earlier key; there is always one after it.
    pub key: u32,
    /// The way to the next key, 0 to 1. Found in `f64`: keys at ten seconds are a million steps of `f32` apart.
    pub share: f32,
    /// Seconds from key to key.
    pub secs: f32,
}

/// The keys that a time lay between last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    start_secs: f64,
    end_secs: f64,
    key: u32,
    secs: f32,
}

impl Cursor {
    /// Where a time lies, as long as it is between the same keys.
    #[inline(always)]
    pub(super) fn again(&self, time_secs: f64) -> Option<Located> {
        let seconds = self.end_secs - self.start_secs;
        let is_between = self.start_secs < time_secs && time_secs < self.end_secs;
        let share = (time_secs - self.start_secs) / seconds;
        is_between.then_some(Located { key: self.key, share: share as f32, secs: self.secs })
    }
}

impl Timeline {
    /// Without a memory. A time that is not a number counts as before the first key.
    pub(super) fn search(&self, time_secs: f64) -> Located {
        match self {
            Self::Keys(times) => between(times, key_before(times, time_secs), time_secs),
            Self::Even { start_secs, per_sec, last } => evenly(time_secs - start_secs, *per_sec, *last),
        }
    }

    /// From where the cursor was left. The result is the same.
    pub(super) fn play(&self, time_secs: f64, cursor: &mut Cursor) -> Located {
        let Self::Keys(times) = self else { return self.search(time_secs) };
        let next = cursor.key as usize + 1;
        let is_next = matches!(times.get(next..), Some([a, b, ..]) if *a <= time_secs && time_secs < *b);
        let key = if is_next { next } else { key_before(times, time_secs) };
        let located = between(times, key, time_secs);
        *cursor = Cursor { key: located.key, secs: located.secs, ..Cursor::default() };
        if let Some([start, end, ..]) = times.get(key..).filter(|_| located.secs.is_finite()) {
            (cursor.start_secs, cursor.end_secs) = (*start, *end);
        }
        located
    }
}

/// The last key that is not after the time and has one after it.
fn key_before(times: &[f64], time_secs: f64) -> usize {
    let after = times.partition_point(|t| *t <= time_secs);
    after.saturating_sub(1).min(times.len().saturating_sub(2))
}

fn between(times: &[f64], key: usize, time_secs: f64) -> Located {
    let Some([start, end, ..]) = times.get(key..) else { return Located::default() };
    let secs = end - start;
    let share = if time_secs >= *end {
        1.0
    } else if time_secs > *start && secs.is_finite() {
        (time_secs - start) / secs
    } else {
        0.0
    };
    Located { key: key as u32, share: share as f32, secs: secs as f32 }
}

fn evenly(after_start_secs: f64, per_sec: f64, last: u32) -> Located {
    let most = f64::from(last);
    let at = after_start_secs * per_sec;
    let at = if at > 0.0 { at.min(most) } else { 0.0 };
    let key = (at as u32).min(last.saturating_sub(1));
    Located { key, share: (at - f64::from(key)) as f32, secs: (1.0 / per_sec) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(timeline: &Timeline, time_secs: f64) -> (u32, f32) {
        let found = timeline.search(time_secs);
        (found.key, found.share)
    }

    #[test]
    fn times_outside_the_keys_are_at_their_ends() {
        let keys = Timeline::Keys(vec![1.0, 2.0, 4.0, 4.0]);
        let even = Timeline::Even { start_secs: 1.0, per_sec: 2.0, last: 3 };
        for (time, in_keys, in_even) in [
            (f64::NAN, (0, 0.0), (0, 0.0)),
            (f64::NEG_INFINITY, (0, 0.0), (0, 0.0)),
            (1.0, (0, 0.0), (0, 0.0)),
            (1.75, (0, 0.75), (1, 0.5)),
            (2.0, (1, 0.0), (2, 0.0)),
            (2.5, (1, 0.25), (2, 1.0)),
            (4.0, (2, 1.0), (2, 1.0)),
            (f64::INFINITY, (2, 1.0), (2, 1.0)),
        ] {
            assert_eq!((at(&keys, time), at(&even, time)), (in_keys, in_even), "{time}");
        }
        let endless = Timeline::Keys(vec![-f64::MAX, f64::MAX]);
        assert_eq!(at(&endless, 0.0), (0, 0.0));
    }

    proptest! {
        #[test]
        fn cursors_never_change_a_result(
            mut times in prop::collection::vec(-5.0..5.0f64, 2..40),
            at in prop::collection::vec(-6.0..6.0f64, 1..60),
        ) {
            times.sort_by(f64::total_cmp);
            let timeline = Timeline::Keys(times);
            let mut cursor = Cursor::default();
            for time_secs in at {
                let found = cursor.again(time_secs).unwrap_or_else(|| timeline.play(time_secs, &mut cursor));
                prop_assert_eq!(found, timeline.search(time_secs));
            }
        }
    }
}
