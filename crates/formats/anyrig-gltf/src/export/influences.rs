//! Joint influences become `JOINTS_n` and `WEIGHTS_n`.

use super::indices::Shorts;
use super::packer::{Component, Elements, Kind, Packer};
use crate::codes;
use crate::document::Index;
use crate::options::Quantize;
use anyrig_bytes::{Buffer, Context, Diagnostic, Error, Place, Result, SharedBytes};
use anyrig_scene::{Influences, Layout, weights};

/// Marks influence accessors among the keys of buffers.
const AS_WEIGHTS: u64 = 2 << 32;

/// Accessors of joints and weights, a pair for each set of four.
pub(super) fn add(
    influences: &Influences,
    subject: &str,
    packer: &mut Packer,
    context: &Context,
) -> Result<Vec<(Index, Index)>> {
    // The first accessor of buffers that were written before is known; the others follow it.
    // Only rows of a fixed width follow from the buffers alone, and empty buffers all start at the same address.
    let points = influences.point_count();
    let is_shareable = matches!(influences.layout, Layout::Fixed(_)) && points > 0;
    let key = (influences.weights.as_ptr() as usize, influences.joints.as_ptr() as usize, AS_WEIGHTS | points as u64);
    let sets = influences.max_per_point().div_ceil(4).max(1);
    if let Some(first) = packer.known(key).filter(|_| is_shareable) {
        return Ok((0..sets as Index).map(|s| (first + 2 * s, first + 2 * s + 1)).collect());
    }
    let rows = if is_right(influences) { Rows::of(influences) } else { rebuilt(influences, sets, subject, context) };
    let (rows, form) = match packer.quantize() {
        Quantize::Off => (rows, WeightForm::Float),
        Quantize::Keep => exact(rows),
        Quantize::Core | Quantize::Small => (rounded(&rows, sets, 255), WeightForm::Unorm8),
        Quantize::Fine => (rounded(&rows, sets, 65535), WeightForm::Unorm16),
    };
    let most = rows.joints.iter().fold(0, |a, b| a.max(*b));
    if most > 0xFFFF {
        let message = format!("{subject} uses joint {most}; glTF can number 65536; split the mesh by joints first");
        return Err(Error::unsupported(Place::element(subject), message));
    }
    let mut pairs = Vec::new();
    for set in 0..sets {
        let joints = packer.add(Kind::Vertices { stride: None }, joint_elements(&rows, set, sets, most));
        let weights = packer.add(Kind::Vertices { stride: None }, weight_elements(&rows, set, sets, form));
        pairs.push((joints, weights));
    }
    if let Some((first, _)) = pairs.first().filter(|_| is_shareable) {
        packer.remember(key, *first);
    }
    Ok(pairs)
}

/// Rows of `4 * sets` influences per point.
struct Rows {
    joints: Buffer<u32>,
    weights: Buffer<f32>,
}

impl Rows {
    fn of(influences: &Influences) -> Self {
        Self { joints: influences.joints.clone(), weights: influences.weights.clone() }
    }
}

/// True when rows of four can be written as they are: sums of 1, nothing below 0, no joint twice, joint 0 beside zero
/// weights.
fn is_right(influences: &Influences) -> bool {
    if influences.layout != Layout::Fixed(4) {
        return false;
    }
    let (joints, _) = influences.joints.as_chunks::<4>();
    let (weights, _) = influences.weights.as_chunks::<4>();
    joints.iter().zip(weights).all(|(joints, weights)| {
        let twice = (0..4).any(|i| weights[i] > 0.0 && (0..i).any(|j| joints[i] == joints[j] && weights[j] > 0.0));
        let idle = (0..4).all(|i| weights[i] > 0.0 || (weights[i] == 0.0 && joints[i] == 0));
        !twice && idle && weights::sums_to_one(weights)
    })
}

/// Rows in which each joint stands once and weights sum to 1, in the order of the influences.
fn rebuilt(influences: &Influences, sets: usize, subject: &str, context: &Context) -> Rows {
    let (width, points) = (4 * sets, influences.point_count());
    let (mut joints, mut weights) = (vec![0u32; points * width], vec![0f32; points * width]);
    let mut unbound = 0;
    for (point, (joints, weights)) in joints.chunks_exact_mut(width).zip(weights.chunks_exact_mut(width)).enumerate() {
        let (of_joints, of_weights) = influences.of(point);
        let mut used = 0;
        for (joint, weight) in of_joints.iter().zip(of_weights).filter(|(_, w)| **w > 0.0) {
            match joints.iter().take(used).position(|j| j == joint) {
                Some(known) => weights[known] += weight,
                None => {
                    (joints[used], weights[used]) = (*joint, *weight);
                    used += 1;
                }
            }
        }
        if used == 0 {
            weights[0] = 1.0;
            unbound += 1;
        } else if !weights::sums_to_one(weights) {
            weights::normalise(weights);
        }
    }
    if unbound > 0 {
        context.push(Diagnostic::new(&codes::UNBOUND_POINTS, subject, "").times(unbound));
    }
    Rows { joints: joints.into(), weights: weights.into() }
}

fn joint_elements(rows: &Rows, set: usize, sets: usize, most: u32) -> Elements {
    let four = rows.joints.chunks_exact(4 * sets).flat_map(|row| &row[4 * set..4 * set + 4]);
    let (component, bytes) = if most <= 0xFF {
        (Component::U8, SharedBytes::from(four.map(|j| *j as u8).collect::<Vec<u8>>()))
    } else {
        (Component::U16, SharedBytes::from_owner(Shorts(four.map(|j| *j as u16).collect())))
    };
    elements(rows, sets, component, bytes)
}

/// How weights are stored.
#[derive(Clone, Copy)]
enum WeightForm {
    Float,
    Unorm8,
    Unorm16,
}

/// Weights as the whole numbers that they came as, where they did.
fn exact(rows: Rows) -> (Rows, WeightForm) {
    for (whole, form) in [(255.0, WeightForm::Unorm8), (65535.0, WeightForm::Unorm16)] {
        if rows.weights.iter().all(|w| (w * whole).round() / whole == *w) {
            let weights: Buffer<f32> = rows.weights.iter().map(|w| (w * whole).round()).collect();
            return (Rows { weights, ..rows }, form);
        }
    }
    (rows, WeightForm::Float)
}

/// Weights as multiples of 1 / `whole` that sum to 1 exactly: each is rounded down, and those that lost most get one more
/// (the earlier ones of equals). A weight that becomes 0 has joint 0 beside it, as glTF demands.
fn rounded(rows: &Rows, sets: usize, whole: u32) -> Rows {
    let (mut joints, mut weights) = (rows.joints.to_vec(), rows.weights.to_vec());
    let mut parts: Vec<(u32, f64)> = Vec::new();
    for (joints, weights) in joints.chunks_exact_mut(4 * sets).zip(weights.chunks_exact_mut(4 * sets)) {
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        let exact = |w: &f32| f64::from(*w) / sum.max(f64::MIN_POSITIVE) * f64::from(whole);
        parts.clear();
        parts.extend(weights.iter().map(|w| (exact(w).floor() as u32, exact(w).fract())));
        let mut rest = whole.saturating_sub(parts.iter().map(|p| p.0).sum());
        while rest > 0 {
            let Some(first) = parts.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a }) else { break };
            let Some(part) = parts.iter_mut().find(|p| p.1 == first.1) else { break };
            *part = (part.0 + 1, part.1 - 1.0);
            rest -= 1;
        }
        for ((weight, joint), part) in weights.iter_mut().zip(joints).zip(&parts) {
            *weight = part.0 as f32;
            *joint = if part.0 == 0 { 0 } else { *joint };
        }
    }
    Rows { joints: joints.into(), weights: weights.into() }
}

fn weight_elements(rows: &Rows, set: usize, sets: usize, form: WeightForm) -> Elements {
    let four = rows.weights.chunks_exact(4 * sets).flat_map(|row| row[4 * set..4 * set + 4].iter().copied());
    let (component, bytes) = match form {
        WeightForm::Float if sets == 1 => (Component::F32, rows.weights.to_bytes()),
        WeightForm::Float => (Component::F32, four.collect::<Buffer<f32>>().to_bytes()),
        WeightForm::Unorm8 => (Component::U8, SharedBytes::from(four.map(|w| w as u8).collect::<Vec<u8>>())),
        WeightForm::Unorm16 => (Component::U16, SharedBytes::from_owner(Shorts(four.map(|w| w as u16).collect()))),
    };
    Elements { normalized: component != Component::F32, ..elements(rows, sets, component, bytes) }
}

fn elements(rows: &Rows, sets: usize, component: Component, bytes: SharedBytes) -> Elements {
    let count = rows.weights.len() / (4 * sets);
    Elements { component, normalized: false, shape: "VEC4", count, bounds: None, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(joints: &[u32], weights: &[f32]) -> Influences {
        Influences::fixed(4, joints.to_vec(), weights.to_vec())
    }

    #[test]
    fn right_rows_stay_and_wrong_ones_do_not() {
        assert!(is_right(&fixed(&[1, 2, 0, 0], &[0.5, 0.5, 0.0, 0.0])));
        assert!(!is_right(&fixed(&[1, 1, 0, 0], &[0.5, 0.5, 0.0, 0.0])), "a joint twice");
        assert!(!is_right(&fixed(&[1, 2, 3, 0], &[0.5, 0.5, 0.0, 0.0])), "a joint beside weight 0");
        assert!(!is_right(&fixed(&[1, 2, 0, 0], &[0.5, 0.4, 0.0, 0.0])), "a sum of 0.9");
        assert!(!is_right(&fixed(&[1, 0, 0, 0], &[1.25, -0.25, 0.0, 0.0])), "a weight below 0");
    }

    #[test]
    fn rows_are_merged_normalised_and_bound() {
        let context = Context::new();
        let layout = Layout::Offsets(vec![0, 6, 6].into());
        let joints = vec![3, 4, 5, 6, 7, 3];
        let influences = Influences::new(layout, joints, vec![0.2, 0.2, 0.2, 0.2, 0.2, 0.2]);
        let rows = rebuilt(&influences, 2, "part", &context);
        assert_eq!(&*rows.joints, &[3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let (first, second) = rows.weights.split_at(8);
        assert!(weights::sums_to_one(first) && (first[0] - 0.4 / 1.2).abs() < 1e-6);
        assert_eq!(second[0], 1.0);
        assert_eq!(context.report().count_of("gltf.unbound-points"), 1);
    }

    #[test]
    fn rounded_weights_sum_to_one_and_leave_no_idle_joint() {
        let rows = |weights: &[f32]| Rows { joints: vec![1, 2, 3, 4].into(), weights: weights.to_vec().into() };
        let thirds = rounded(&rows(&[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]), 1, 255);
        assert_eq!((&*thirds.weights, &*thirds.joints), (&[85.0, 85.0, 85.0, 0.0][..], &[1, 2, 3, 0][..]));
        let halves = rounded(&rows(&[0.5, 0.499, 0.001, 0.0]), 1, 255);
        assert_eq!((&*halves.weights, &*halves.joints), (&[128.0, 127.0, 0.0, 0.0][..], &[1, 2, 0, 0][..]));
        let fine = rounded(&rows(&[0.25; 4]), 1, 65535);
        assert_eq!(fine.weights.iter().sum::<f32>(), 65535.0);
    }
}
