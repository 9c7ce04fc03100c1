//! Joint influences: fewer, and normalised.

use crate::check::check_part;
use crate::{codes, for_each_part};
use anyrig_bytes::{Context, Diagnostic, Result};
use anyrig_scene::{Influences, Layout, Part, Scene};
use std::sync::{Mutex, PoisonError};

/// What [`limit_influences`] dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LimitStats {
    /// Points that had too many influences.
    pub points: u64,
    /// Influences dropped.
    pub influences: u64,
    /// Largest sum of weights that one point lost, as a share of its sum.
    pub max_dropped_share: f64,
}

/// Keeps the `max` largest influences of each point; equal weights by their order in the file, the kept ones in their
/// order. What is kept is scaled to the sum that the point had. Afterwards the layout is fixed with at most `max` per
/// point, filled up with joint 0 at weight 0; a part that already is so keeps its buffers. `max` 0 counts as 1. A part
/// that was not validated, or has no influences, is left alone.
pub fn limit_influences(part: &mut Part, max: u32) -> LimitStats {
    let max = max.max(1);
    let mut stats = LimitStats::default();
    let Some(influences) = &part.influences else { return stats };
    if matches!(influences.layout, Layout::Fixed(n) if n <= max) || check_part(part).is_err() {
        return stats;
    }
    let width = influences.max_per_point().clamp(1, max as usize);
    let points = part.point_count as usize;
    let (mut joints, mut weights) = (Vec::with_capacity(points * width), Vec::with_capacity(points * width));
    let mut kept = Vec::new();
    for point in 0..points {
        limit_row(influences.of(point), width, &mut kept, &mut stats);
        joints.extend(kept.iter().map(|k| k.1));
        weights.extend(kept.iter().map(|k| k.2));
        joints.resize((point + 1) * width, 0);
        weights.resize((point + 1) * width, 0.0);
    }
    let layout = Layout::Fixed(width as u32);
    part.influences = Some(Influences::new(layout, joints, weights));
    stats
}

/// [`limit_influences`] on every part of a scene. Each part that loses influences is told, with the number of its points
/// and the largest share that one lost (`passes.influences-limited`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn limit_all_influences(scene: &mut Scene, max: u32, context: &Context) -> Result<LimitStats> {
    // Sums of whole numbers and the largest of numbers do not depend on the order of the parts.
    let total = Mutex::new(LimitStats::default());
    for_each_part(scene, context, |place, part, report| {
        let stats = limit_influences(part, max);
        if stats.points > 0 {
            let message = format!("at most {:.1} % of a point's weight", stats.max_dropped_share * 100.0);
            let diagnostic = Diagnostic::new(&codes::INFLUENCES_LIMITED, place.to_string(), message);
            report.push(diagnostic.times(stats.points));
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            total.points += stats.points;
            total.influences += stats.influences;
            total.max_dropped_share = total.max_dropped_share.max(stats.max_dropped_share);
        }
        Ok(())
    })?;
    Ok(total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Order in the file, joint, weight.
type Kept = (usize, u32, f32);

fn limit_row(row: (&[u32], &[f32]), width: usize, kept: &mut Vec<Kept>, stats: &mut LimitStats) {
    let pairs = row.0.iter().zip(row.1).enumerate().map(|(order, (joint, weight))| (order, *joint, *weight));
    kept.clear();
    kept.extend(pairs.filter(|(_, _, weight)| *weight != 0.0));
    if kept.len() <= width {
        return;
    }
    let sum = |kept: &[Kept]| kept.iter().map(|k| f64::from(k.2)).sum::<f64>();
    let whole = sum(kept);
    stats.points += 1;
    stats.influences += (kept.len() - width) as u64;
    kept.sort_by(|a, b| b.2.total_cmp(&a.2));
    kept.truncate(width);
    kept.sort_unstable_by_key(|k| k.0);
    let rest = sum(kept);
    if whole > 0.0 && rest > 0.0 {
        stats.max_dropped_share = stats.max_dropped_share.max((whole - rest) / whole);
        let factor = whole / rest;
        kept.iter_mut().for_each(|k| k.2 = (f64::from(k.2) * factor) as f32);
    }
}

/// Sums this near to 1 stay: four weights stored as unorm8 or rounded to five digits are not touched.
const SUM_TOLERANCE: f64 = 1e-5;

/// Scales each point's weights to sum 1; points without any weight stay. Negative and non-finite weights count as 0.
/// Sums within 1e-5 of 1 stay as they are. Gives the number of points that changed; 0 keeps the buffers. A part that
/// was not validated, or has no influences, is left alone.
pub fn normalise_weights(part: &mut Part) -> u64 {
    if check_part(part).is_err() {
        return 0;
    }
    let points = part.point_count as usize;
    let Some(influences) = &mut part.influences else { return 0 };
    let wrong: Vec<_> = (0..points)
        .map(|p| influences.row_range(p))
        .filter(|row| !is_normal(&influences.weights[row.clone()]))
        .collect();
    if wrong.is_empty() {
        return 0;
    }
    let weights = influences.weights.make_mut();
    for range in &wrong {
        let row = &mut weights[range.clone()];
        row.iter_mut().filter(|w| !is_weight(**w)).for_each(|w| *w = 0.0);
        anyrig_scene::weights::normalise(row);
    }
    wrong.len() as u64
}

fn is_weight(weight: f32) -> bool {
    weight >= 0.0 && weight.is_finite()
}

fn is_normal(row: &[f32]) -> bool {
    let sum: f64 = row.iter().map(|w| f64::from(*w)).sum();
    row.iter().all(|w| is_weight(*w)) && (sum == 0.0 || (sum - 1.0).abs() <= SUM_TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use proptest::prelude::*;

    fn part(rows: &[&[(u32, f32)]]) -> Part {
        let mut offsets = vec![0u32];
        for row in rows {
            offsets.push(offsets[offsets.len() - 1] + row.len() as u32);
        }
        let mut part = Part::default();
        part.point_count = rows.len() as u32;
        part.influences = Some(Influences::ragged(
            offsets,
            rows.iter().flat_map(|r| r.iter().map(|p| p.0)).collect::<Vec<_>>(),
            rows.iter().flat_map(|r| r.iter().map(|p| p.1)).collect::<Vec<_>>(),
        ));
        part
    }

    fn row(part: &Part, point: usize) -> Vec<(u32, f32)> {
        let (joints, weights) = part.influences.as_ref().expect("kept").of(point);
        joints.iter().copied().zip(weights.iter().copied()).collect()
    }

    #[test]
    fn the_largest_stay_in_file_order() {
        let mut source = part(&[&[(7, 0.125), (3, 0.5), (5, 0.125), (1, 0.25)], &[(2, 1.0)], &[]]);
        let stats = limit_influences(&mut source, 2);
        assert_eq!((stats.points, stats.influences, stats.max_dropped_share), (1, 2, 0.25));
        let third = |n: f64| (n / 3.0) as f32;
        assert_eq!(row(&source, 0), [(3, third(2.0)), (1, third(1.0))]);
        assert_eq!(row(&source, 1), [(2, 1.0), (0, 0.0)]);
        assert_eq!(row(&source, 2), [(0, 0.0), (0, 0.0)]);
    }

    #[test]
    fn equal_weights_go_by_file_order() {
        let mut source = part(&[&[(9, 0.25), (8, 0.25), (7, 0.25), (6, 0.25)]]);
        limit_influences(&mut source, 2);
        assert_eq!(row(&source, 0), [(9, 0.5), (8, 0.5)]);
    }

    #[test]
    fn fixed_rows_that_fit_keep_their_buffers() {
        let mut source = part(&[&[(1, 1.0)], &[(2, 1.0)]]);
        limit_influences(&mut source, 4);
        let before = source.influences.clone().expect("kept");
        assert_eq!(before.layout, Layout::Fixed(1));
        limit_influences(&mut source, 4);
        assert!(source.influences.expect("kept").weights.same_memory(&before.weights));
    }

    #[test]
    fn weights_become_a_sum_of_1() {
        let mut source =
            part(&[&[(0, 2.0), (1, 6.0)], &[(0, 0.0)], &[(0, -1.0), (1, 0.5)], &[(0, f32::NAN), (1, 1.0)]]);
        assert_eq!(normalise_weights(&mut source), 3);
        assert_eq!(row(&source, 0), [(0, 0.25), (1, 0.75)]);
        assert_eq!(row(&source, 1), [(0, 0.0)]);
        assert_eq!(row(&source, 2), [(0, 0.0), (1, 1.0)]);
        assert_eq!(row(&source, 3), [(0, 0.0), (1, 1.0)]);
        let before = source.influences.clone().expect("kept");
        assert_eq!(normalise_weights(&mut source), 0);
        assert!(source.influences.expect("kept").weights.same_memory(&before.weights));
    }

    #[test]
    fn a_scene_is_told_what_it_lost() {
        let (mut scene, mut mesh) = (Scene::default(), anyrig_scene::Mesh::default());
        mesh.name = "body".to_owned();
        mesh.parts = vec![part(&[&[(0, 0.5), (1, 0.25), (2, 0.25)], &[(0, 1.0)]]), part(&[&[(0, 1.0)]])];
        scene.meshes.push(mesh);
        let context = Context::new();
        let stats = limit_all_influences(&mut scene, 2, &context).expect("not cancelled");
        assert_eq!((stats.points, stats.influences, stats.max_dropped_share), (1, 1, 0.25));
        let report = context.report();
        let told: Vec<_> =
            report.diagnostics().iter().map(|d| (d.code.id, d.subject.as_str(), d.message.as_str())).collect();
        assert_eq!(told, [("passes.influences-limited", "mesh \"body\" part 0", "at most 25.0 % of a point's weight")]);
    }

    #[test]
    fn malformed_parts_are_left_alone() {
        for mut source in malformed_parts() {
            let before = source.clone();
            assert_eq!(limit_influences(&mut source, 2), LimitStats::default());
            assert_eq!(normalise_weights(&mut source), 0);
            assert_eq!(source.influences, before.influences);
        }
    }

    proptest! {
        #[test]
        fn sums_stay_and_rows_are_short(
            weights in prop::collection::vec(0.01f32..1.0, 1..12),
            max in 1u32..6,
        ) {
            let pairs: Vec<(u32, f32)> = weights.iter().enumerate().map(|(i, w)| (i as u32, *w)).collect();
            let mut source = part(&[&pairs]);
            limit_influences(&mut source, max);
            let kept = row(&source, 0);
            prop_assert!(kept.len() <= max as usize);
            let sum = |weights: &mut dyn Iterator<Item = f32>| weights.map(f64::from).sum::<f64>();
            let difference = sum(&mut weights.iter().copied()) - sum(&mut kept.iter().map(|k| k.1));
            prop_assert!(difference.abs() < 1e-5);
            let smallest_kept = kept.iter().map(|k| weights[k.0 as usize]).fold(f32::MAX, f32::min);
            let dropped = pairs.iter().filter(|p| !kept.iter().any(|k| k.0 == p.0));
            prop_assert!(dropped.into_iter().all(|d| d.1 <= smallest_kept));
        }
    }
}
