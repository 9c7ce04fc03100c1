use super::*;

fn made(times: &[f64], values: &[f32], kinds: &[KeyShape]) -> Keys {
    let ticks: Vec<i64> = times.iter().map(|t| (t * 1000.0) as i64).collect();
    let shapes: Vec<(usize, KeyShape)> = kinds.iter().enumerate().map(|(key, kind)| (key + 1, *kind)).collect();
    let outside = Default::default();
    Keys { times: ticks.into(), values: values.to_vec().into(), shapes, ticks_per_second: 1000.0, outside }
}

fn keys(times: &[f64], values: &[f32], kinds: &[KeyShape]) -> Curve {
    made(times, values, kinds).curve()
}

fn auto(timing: Timing, clamp: Clamp) -> KeyShape {
    KeyShape::plain(Kind::Auto(Auto { timing, clamp }))
}

fn in_slope(curve: &Curve, key: usize) -> f32 {
    match curve.segments[key - 1] {
        Segment::Hermite { in_slope, .. } => in_slope,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_automatic_tangent_is_the_mean_slope_weighted_by_time() {
    let even = |timing| keys(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], &[auto(timing, Clamp::None); 3]);
    // Even times: both ways give the difference of the neighbours over their distance.
    assert_eq!(in_slope(&even(Timing::Weighted), 1), 2.0);
    assert_eq!(in_slope(&even(Timing::Independent), 1), 2.0);
    let uneven = |timing| keys(&[0.0, 1.0, 4.0], &[0.0, 1.0, 1.0], &[auto(timing, Clamp::None); 3]);
    assert_eq!(in_slope(&uneven(Timing::Independent), 1), 0.25);
    // Half of 0.25 and half of 1 · 3/4 + 0 · 1/4.
    assert_eq!(in_slope(&uneven(Timing::Weighted), 1), 0.5);
}

#[test]
fn clamped_tangents_do_not_overshoot() {
    let flat = keys(&[0.0, 1.0, 2.0], &[1.0, 1.0, 4.0], &[auto(Timing::Weighted, Clamp::Flat); 3]);
    assert_eq!(in_slope(&flat, 1), 0.0);
    let progressive = keys(&[0.0, 1.0, 2.0], &[0.0, 0.1, 4.0], &[auto(Timing::Weighted, Clamp::Progressive); 3]);
    // A third of a second at this slope reaches back to the value of the key before.
    assert!((in_slope(&progressive, 1) - 0.3).abs() < 1e-6);
    assert_eq!(in_slope(&progressive, 2), 0.0, "ends are flat");
}

#[test]
fn tcb_of_zeros_is_catmull_rom() {
    let curve = keys(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], &[KeyShape::plain(Kind::Tcb([0.0; 3])); 3]);
    assert_eq!((in_slope(&curve, 1), in_slope(&curve, 2)), (2.0, 3.0));
    let tense = keys(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], &[KeyShape::plain(Kind::Tcb([1.0, 0.0, 0.0])); 3]);
    assert_eq!(in_slope(&tense, 1), 0.0);
    let broken = keys(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], &[KeyShape::plain(Kind::Tcb([0.0, 1.0, 0.0])); 3]);
    assert_eq!(in_slope(&broken, 1), 3.0, "continuity 1 turns the sides around");
}

#[test]
fn the_slope_after_the_last_key_is_that_of_the_tangent_that_arrives_there() {
    let after = |kinds: [KeyShape; 2]| {
        let mut keys = made(&[0.0, 1.0], &[0.0, 0.5], &kinds);
        keys.outside.1.mode = ExtrapolationMode::Slope;
        keys.curve().segments[1]
    };
    let slope = |slope: f32| Segment::Hermite { out_slope: slope, in_slope: slope };
    let (step, linear) = (KeyShape::plain(Kind::Step), KeyShape::plain(Kind::Linear));
    assert_eq!(after([step, auto(Timing::Weighted, Clamp::None)]), slope(0.5), "solved though the way is a step");
    assert_eq!(after([linear, auto(Timing::Weighted, Clamp::Progressive)]), slope(0.0), "flat behind a line");
    assert_eq!(after([linear, linear]), slope(0.5));
    assert_eq!(after([step, step]), slope(0.0));
}

#[test]
fn keys_are_sorted_with_their_shapes() {
    let (step, linear) = (KeyShape::plain(Kind::Step), KeyShape::plain(Kind::Linear));
    let mut keys = made(&[2.0, 0.0, 1.0, 0.0], &[4.0, 1.0, 3.0, 2.0], &[step, linear, step, step]);
    keys.sort();
    assert_eq!((&*keys.times, &*keys.values), (&[0, 0, 1000, 2000][..], &[1.0, 2.0, 3.0, 4.0][..]));
    assert_eq!(keys.shapes, [(1, linear), (4, step)]);
}

#[test]
fn flags_and_packed_weights() {
    let bits = |weights: u32| [1.5f32.to_bits(), (-2.0f32).to_bits(), weights, 0];
    let user = shape(0x8 | 0x400 | 0x300_0000, bits(5000 << 16 | 2500));
    assert_eq!(user.kind, Kind::User);
    assert_eq!((user.right, user.next_left), (Side { slope: 1.5, weight: 0.25 }, Side { slope: -2.0, weight: 0.5 }));
    assert_eq!(shape(0x102, bits(0)).kind, Kind::StepNext);
    assert_eq!(shape(0x2, bits(0)).kind, Kind::Step);
    assert_eq!(shape(0x4, bits(0)).kind, Kind::Linear);
    let runs = shapes(&[4, 2], &[0; 8], &[2, 9], 4);
    assert_eq!(runs.iter().map(|(end, s)| (*end, s.kind)).collect::<Vec<_>>(), [(2, Kind::Linear), (4, Kind::Step)]);
    assert_eq!(shapes(&[4], &[0; 3], &[-1], 4).len(), 0);
}
