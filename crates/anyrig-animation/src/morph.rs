//! Morph targets: deltas times weights.

use anyrig_scene::{DeltaStream, Part, Semantic};

/// Adds all targets of a part to one attribute, in target order: `values += weights[i] * deltas[i]`.
///
/// `values` holds `width` floats per point and starts as the part's own stream. Targets without a weight, or whose
/// weight is 0 or not finite, add nothing. Nothing is normalised; skinning does that at its end.
pub fn add_morphs(part: &Part, semantic: &Semantic, weights: &[f32], values: &mut [f32], width: usize) {
    for (morph, weight) in part.morphs.iter().zip(weights) {
        if let Some(delta) = morph.delta(semantic) {
            add_delta(values, width, delta, *weight);
        }
    }
}

/// Adds one target's deltas to an attribute: `values[p][c] = values[p][c] + weight * delta[p][c]` in `f32`, the product
/// rounded before the sum.
///
/// Where the widths differ, the components that both have are moved (a tangent's w stays). Deltas of points that
/// `values` lacks are left out. Sparse deltas give what dense ones with zeros for the other points give.
pub fn add_delta(values: &mut [f32], width: usize, delta: &DeltaStream, weight: f32) {
    let delta_width = usize::from(delta.width);
    if weight == 0.0 || !weight.is_finite() || width == 0 || delta_width == 0 {
        return;
    }
    let rows = delta.values.chunks_exact(delta_width);
    match &delta.points {
        None => values.chunks_exact_mut(width).zip(rows).for_each(|(value, row)| add_row(value, row, weight)),
        Some(points) => {
            for (point, row) in points.iter().zip(rows) {
                let start = (*point as usize).saturating_mul(width);
                if let Some(value) = values.get_mut(start..start.saturating_add(width)) {
                    add_row(value, row, weight);
                }
            }
        }
    }
}

fn add_row(value: &mut [f32], row: &[f32], weight: f32) {
    for (value, delta) in value.iter_mut().zip(row) {
        *value += weight * delta;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::PartMorph;
    use proptest::prelude::*;

    fn delta(points: Option<Vec<u32>>, values: Vec<f32>) -> DeltaStream {
        let mut delta = DeltaStream::new(Semantic::Position, 3, values);
        delta.points = points.map(Into::into);
        delta
    }

    #[test]
    fn targets_add_up_by_weight() {
        let mut part = Part::default();
        part.morphs.push(PartMorph::new(vec![delta(None, vec![1.0, 0.0, 0.0, 0.0, 2.0, 0.0])]));
        part.morphs.push(PartMorph::new(vec![delta(Some(vec![1]), vec![0.0, 0.0, 4.0])]));
        let mut values = [10.0, 10.0, 10.0, 20.0, 20.0, 20.0];
        add_morphs(&part, &Semantic::Position, &[0.5, 0.25], &mut values, 3);
        assert_eq!(values, [10.5, 10.0, 10.0, 20.0, 21.0, 21.0]);
        add_morphs(&part, &Semantic::Normal, &[0.5, 0.25], &mut values, 3);
        add_morphs(&part, &Semantic::Position, &[f32::NAN, 0.0], &mut values, 3);
        assert_eq!(values, [10.5, 10.0, 10.0, 20.0, 21.0, 21.0]);
    }

    #[test]
    fn a_tangents_sign_stays_and_points_out_of_range_are_left_out() {
        let mut values = [1.0, 0.0, 0.0, -1.0];
        add_delta(
            &mut values,
            4,
            &delta(Some(vec![0, 1, u32::MAX]), vec![0.0, 1.0, 0.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0]),
            1.0,
        );
        assert_eq!(values, [1.0, 1.0, 0.0, -1.0]);
        add_delta(&mut values, 0, &delta(None, vec![1.0; 3]), 1.0);
        assert_eq!(values, [1.0, 1.0, 0.0, -1.0]);
    }

    proptest! {
        #[test]
        fn sparse_equals_dense(
            base in prop::collection::vec(-10.0..10.0f32, 60),
            moves in prop::collection::btree_map(0..20u32, prop::array::uniform3(-1.0..1.0f32), 0..20),
            weight in -2.0..2.0f32,
        ) {
            let mut dense = vec![0.0; 60];
            for (point, row) in &moves {
                dense[*point as usize * 3..][..3].copy_from_slice(row);
            }
            let sparse = delta(Some(moves.keys().copied().collect()), moves.values().flatten().copied().collect());
            let (mut a, mut b) = (base.clone(), base);
            add_delta(&mut a, 3, &delta(None, dense), weight);
            add_delta(&mut b, 3, &sparse, weight);
            prop_assert_eq!(a, b);
        }
    }
}
