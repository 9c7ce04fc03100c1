//! Weights of in-between shapes from the percentage of their channel.

use anyrig_animation::sample;
use anyrig_scene::{Curve, ExtrapolationMode, Interpolation, Segment};

/// The weight of target `index` at a percentage: piecewise linear between full percentages and 0, going on beyond the
/// last one.
pub(super) fn weight(percent: f64, targets: &[(u32, f64)], index: usize) -> f64 {
    // The unmoved shape stands at 0 among the others.
    let mut stops: Vec<(f64, Option<usize>)> =
        targets.iter().enumerate().map(|(i, (_, full))| (*full, Some(i))).collect();
    stops.push((0.0, None));
    stops.sort_by(|a, b| a.0.total_cmp(&b.0));
    let above = stops.partition_point(|(full, _)| *full < percent).clamp(1, stops.len() - 1);
    let ((low, low_target), (high, high_target)) = (stops[above - 1], stops[above]);
    let share = if high > low { (percent - low) / (high - low) } else { 0.0 };
    match Some(index) {
        at if at == high_target => share,
        at if at == low_target => 1.0 - share,
        _ => 0.0,
    }
}

/// The curve of one target's weight. Between keys the percentage is sampled so densely that straight lines do.
pub(super) fn curve(percent: &Curve, targets: &[(u32, f64)], index: usize) -> Curve {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    let mut push = |time: f64, percent: f64| {
        times.push(time);
        values.push(weight(percent, targets, index) as f32);
    };
    let at = |time: f64| sample(percent, time).and_then(|s| s.component(0)).unwrap_or(0.0);
    for (key, time) in percent.times_secs.iter().enumerate() {
        push(*time, at(*time));
        let Some(next) = percent.times_secs.get(key + 1) else { continue };
        let steps = match percent.segments.get(key) {
            Some(Segment::Step) => {
                let last = next.next_down();
                if last > *time {
                    push(last, at(*time));
                }
                continue;
            }
            Some(Segment::StepNext) => {
                let first = time.next_up();
                if first < *next {
                    push(first, at(*next));
                }
                continue;
            }
            _ => steps((*time, *next), &at, targets),
        };
        let mut last = *time;
        for step in 1..=steps {
            let between = if step == steps { *next } else { time + (next - time) * f64::from(step) / f64::from(steps) };
            if between <= last {
                continue;
            }
            // Where the percentage passes a shape, the line bends.
            for bend in bends((last, between), &at, targets) {
                push(bend, at(bend));
            }
            if between < *next {
                push(between, at(between));
            }
            last = between;
        }
    }
    let mut curve = Curve::new(Interpolation::Linear, 1, times, values);
    if percent.before.mode != ExtrapolationMode::Slope {
        curve.before = percent.before;
    }
    if percent.after.mode != ExtrapolationMode::Slope {
        curve.after = percent.after;
    }
    curve
}

/// Straight lines between two keys: as few as keep the weights within [`MOST`].
fn steps((start, end): (f64, f64), at: &dyn Fn(f64) -> f64, targets: &[(u32, f64)]) -> u32 {
    let mut stops: Vec<f64> = targets.iter().map(|(_, full)| *full).chain([0.0]).collect();
    stops.sort_by(f64::total_cmp);
    let gaps = stops.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 0.0);
    let most = MOST * gaps.fold(f64::INFINITY, f64::min);
    let mut steps = 1;
    while steps < MAX_STEPS {
        let place = |half: u32| at(start + (end - start) * f64::from(half) / f64::from(2 * steps));
        let off = |step: u32| (place(2 * step + 1) - (place(2 * step) + place(2 * step + 2)) * 0.5).abs();
        if (0..steps).all(|step| off(step) <= most) && steps >= MIN_STEPS {
            break;
        }
        steps *= 2;
    }
    steps
}

/// Largest deviation of a weight in the middle of a line.
const MOST: f64 = 1e-5;
/// So many at least, since a curve may pass its middle by chance.
const MIN_STEPS: u32 = 4;
const MAX_STEPS: u32 = 512;

/// Halvings that find a time to the last bit.
const HALVINGS: u32 = 60;

/// The times strictly inside a range at which a percentage that ascends or descends there passes a full percentage
/// or 0, ascending.
fn bends((start, end): (f64, f64), at: &dyn Fn(f64) -> f64, targets: &[(u32, f64)]) -> Vec<f64> {
    let (first, last) = (at(start), at(end));
    let mut bends = Vec::new();
    for stop in targets.iter().map(|(_, full)| *full).chain([0.0]) {
        if (first - stop) * (last - stop) >= 0.0 {
            continue;
        }
        let (mut low, mut high) = (start, end);
        for _ in 0..HALVINGS {
            let middle = low + (high - low) * 0.5;
            if (at(middle) - stop) * (first - stop) > 0.0 { low = middle } else { high = middle }
        }
        bends.push(high);
    }
    bends.sort_by(f64::total_cmp);
    bends.dedup();
    bends.retain(|bend| *bend > start && *bend < end);
    bends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_piecewise_linear() {
        let targets = [(0, 50.0), (1, 100.0)];
        let both = |percent| [weight(percent, &targets, 0), weight(percent, &targets, 1)];
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
        let targets = [(0, 40.0), (1, 100.0)];
        let weights = curve(&percent, &targets, 0);
        for (stop, expected) in [(0.0, 0.0), (40.0, 1.0), (100.0, 0.0)] {
            let time = (stop + 30.0) / 140.0;
            let value = sample(&weights, time).and_then(|s| s.component(0)).expect("usable");
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
        let targets = [(0, 50.0), (1, 100.0)];
        let at =
            |index, time| sample(&curve(&percent, &targets, index), time).and_then(|s| s.component(0)).expect("usable");
        assert!((at(0, 0.5) - 1.0).abs() < 1e-6 && (at(0, 0.25) - 0.5).abs() < 1e-6);
        assert!((at(1, 0.75) - 0.5).abs() < 1e-6);
        assert_eq!((at(1, 1.9), at(1, 2.0)), (1.0, 0.0), "steps stay sharp");
    }
}
