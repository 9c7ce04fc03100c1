//! Rows of joint weights: the weights of one point.

/// How far the sum of a row may be off 1 for each of its nonzero weights: what single precision leaves of weights that
/// were normalised, and the bound of the Khronos glTF validator.
pub const SUM_TOLERANCE_PER_WEIGHT: f32 = 2e-7;

/// True when the row, summed in single precision, gives 1 within [`SUM_TOLERANCE_PER_WEIGHT`].
pub fn sums_to_one(row: &[f32]) -> bool {
    let (mut sum, mut used) = (0.0f32, 0.0f32);
    for weight in row {
        sum += weight;
        used += f32::from(u8::from(*weight > 0.0));
    }
    (sum - 1.0).abs() <= SUM_TOLERANCE_PER_WEIGHT * used.max(1.0)
}

/// Scales the row to sum 1; the largest weight (the last of equal ones) takes what rounding leaves, so that
/// [`sums_to_one`] holds afterwards. A row without any weight stays. Weights are finite and not negative.
pub fn normalise(row: &mut [f32]) {
    let sum: f64 = row.iter().map(|w| f64::from(*w)).sum();
    if sum <= 0.0 {
        return;
    }
    row.iter_mut().for_each(|w| *w = (f64::from(*w) / sum) as f32);
    let rest = 1.0 - row.iter().map(|w| f64::from(*w)).sum::<f64>();
    if let Some(largest) = row.iter_mut().max_by(|a, b| a.total_cmp(b)) {
        *largest = (f64::from(*largest) + rest) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bound_grows_with_the_weights_in_use() {
        assert!(sums_to_one(&[0.5, 0.5]) && !sums_to_one(&[0.5, 0.499_999]) && !sums_to_one(&[]));
        let off = 1.0 + 4.0 * f32::EPSILON;
        assert!(!sums_to_one(&[off, 0.0, 0.0]), "{off} is one weight");
        assert!(sums_to_one(&[off - 0.5, 0.25, 0.25]), "{off} in three weights");
    }

    #[test]
    fn nothing_stays_nothing_and_the_largest_takes_the_rest() {
        let mut none = [0.0f32; 3];
        normalise(&mut none);
        assert_eq!(none, [0.0; 3]);
        let mut thirds = [2.0f32, 2.0, 2.0];
        normalise(&mut thirds);
        // The nearest single to 1/3 is above it, so the last one gives back what the first two took.
        assert!(thirds[0] == thirds[1] && thirds[2] <= thirds[0] && sums_to_one(&thirds));
    }

    proptest! {
        #[test]
        fn normalised_rows_sum_to_one(mut row in prop::collection::vec(0f32..1e6, 1..200), first in 1e-6f32..1e6) {
            row[0] = first;
            let before = row.clone();
            normalise(&mut row);
            prop_assert!(sums_to_one(&row));
            let sum: f64 = before.iter().map(|w| f64::from(*w)).sum();
            for (weight, old) in row.iter().zip(&before) {
                prop_assert!((f64::from(*weight) - f64::from(*old) / sum).abs() < 1e-5);
            }
        }
    }
}
