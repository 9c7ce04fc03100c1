//! Every operation of every kernel against plain arithmetic, bit for bit.

use super::*;
use std::array;

/// Numbers of every size and both signs, zeros among them.
fn number(seed: u32) -> f32 {
    let mixed = seed.wrapping_mul(0x9e37_79b9) ^ (seed >> 7).wrapping_mul(0x85eb_ca6b);
    match mixed % 11 {
        0 => 0.0,
        1 => -0.0,
        2 => f32::MAX,
        3 => -f32::MIN_POSITIVE,
        4 => f32::from_bits(mixed & 0x807f_ffff),
        5 => f32::INFINITY,
        6 => (mixed >> 8) as f32,
        _ => f32::from_bits(0x3f80_0000 ^ (mixed & 0x83ff_ffff)),
    }
}

fn values(seed: u32) -> Values {
    array::from_fn(|i| number(seed * 8 + i as u32))
}

/// All that the operations give, as bits.
struct All(u32);

impl Task for All {
    type Output = Vec<u32>;

    fn run<L: Lanes>(self, token: L::Token) -> Vec<u32> {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| L::load(token, &values(self.0 * 4 + i)));
        let mask = a.is_less(b);
        let selected = [
            L::select(mask, c, d),
            L::select(a.is_equal(c), a, d),
            L::select(L::both(mask, b.is_less(c)), c, d),
            L::select(L::is_normal(token, a), a, d),
        ];
        let mut found =
            vec![u32::from(L::is_all(mask)), u32::from(L::is_any(mask)), u32::from(L::is_any(a.is_equal(a)))];
        let one = L::splat(token, 1.0);
        let lanes = [a + b, a - b, a * b, a / b, -a, a.abs().sqrt(), a.abs(), a.max(b), one / a];
        for lanes in lanes.into_iter().chain(selected) {
            found.extend(lanes.to_array().map(bits));
        }
        let rows: [[f32; 4]; WIDTH] = array::from_fn(|i| array::from_fn(|j| number(self.0 + 10 * i as u32 + j as u32)));
        let columns = L::from_rows(token, rows.each_ref());
        columns.iter().for_each(|column| found.extend(column.to_array().map(bits)));
        found.extend(L::to_rows([d, a, c, b]).as_flattened().iter().map(|v| bits(*v)));
        let wide: [Values; WIDTH] = array::from_fn(|i| values(self.0 + 100 * i as u32));
        let halves = L::from_wide_rows(token, &wide.each_ref());
        halves.iter().flatten().for_each(|column| found.extend(column.to_array().map(bits)));
        let points: [[f32; 3]; WIDTH] = rows.map(|[x, y, z, _]| [x, y, z]);
        let axes = L::from_points(token, &points);
        axes.iter().for_each(|axis| found.extend(axis.to_array().map(bits)));
        found.extend(L::to_points([c, a, d]).as_flattened().iter().map(|v| bits(*v)));
        found
    }
}

/// The payload of a NaN is free.
fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

#[test]
fn every_operation_has_the_bits_of_plain_arithmetic() {
    for seed in 0..500 {
        let plain = run(Kernel::Scalar, All(seed));
        for kernel in Kernel::ALL {
            assert_eq!(run(kernel, All(seed)), plain, "{kernel:?} {seed}");
        }
    }
}

struct RoundTrip;

impl Task for RoundTrip {
    type Output = ();

    fn run<L: Lanes>(self, token: L::Token) {
        let rows: [[f32; 4]; WIDTH] = array::from_fn(|i| array::from_fn(|j| (4 * i + j) as f32));
        let columns = L::from_rows(token, rows.each_ref());
        assert_eq!(columns[1].to_array(), [1.0, 5.0, 9.0, 13.0, 17.0, 21.0, 25.0, 29.0]);
        assert_eq!(L::to_rows(columns), rows);
        let points: [[f32; 3]; WIDTH] = array::from_fn(|i| array::from_fn(|j| (3 * i + j) as f32));
        let axes = L::from_points(token, &points);
        assert_eq!(axes[2].to_array(), [2.0, 5.0, 8.0, 11.0, 14.0, 17.0, 20.0, 23.0]);
        assert_eq!(L::to_points(axes), points);
    }
}

#[test]
fn rows_and_points_come_apart_and_together() {
    Kernel::ALL.into_iter().for_each(|kernel| run(kernel, RoundTrip));
}
