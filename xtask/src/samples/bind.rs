//! Which joints move a point, and how much.

use super::body::Binding;
use super::rig::Rig;
use anyrig_scene::glam::DVec3;

/// Influences of a point: at most four, weights that sum to 1, the largest first. Unused ones are joint 0, weight 0.
pub type Influence = ([u32; 4], [f32; 4]);

/// Joints that pull at the trunk besides the spine.
#[derive(Clone, Copy, Debug)]
pub struct Pullers {
    shoulders: [usize; 2],
    upper_arms: [usize; 2],
    thighs: [usize; 2],
}

impl Pullers {
    /// Those of the rig, left and right.
    pub fn new(rig: &Rig) -> Self {
        Self {
            shoulders: [rig.index("LeftShoulder"), rig.index("RightShoulder")],
            upper_arms: [rig.index("LeftUpperArm"), rig.index("RightUpperArm")],
            thighs: [rig.index("LeftUpperLeg"), rig.index("RightUpperLeg")],
        }
    }
}

/// The influences of a point at rest.
pub fn influence(binding: &Binding, pullers: Pullers, point: DVec3) -> Influence {
    let mut shares = along(binding, point);
    if binding.is_trunk {
        let side = usize::from(point.x < 0.0);
        let out = smooth(0.03, 0.17, point.x.abs());
        let high = smooth(1.26, 1.41, point.y);
        pull(&mut shares, pullers.shoulders[side], 0.6 * out * high);
        pull(&mut shares, pullers.upper_arms[side], 0.3 * smooth(0.10, 0.17, point.x.abs()) * high);
        pull(&mut shares, pullers.thighs[side], 0.55 * out * (1.0 - smooth(0.84, 0.99, point.y)));
    }
    four_largest(shares)
}

/// Joints and weights along a chain: each joint takes over from the one before it around its start.
pub fn along(binding: &Binding, point: DVec3) -> Vec<(usize, f64)> {
    let place = point.dot(binding.axis);
    let mut reached = 1.0;
    let mut shares: Vec<(usize, f64)> = Vec::with_capacity(binding.joints.len() + 2);
    for (index, (joint, start, blend)) in binding.joints.iter().enumerate() {
        if index > 0 {
            let taken = reached * smooth(start - blend, start + blend, place);
            if let Some(last) = shares.last_mut() {
                last.1 = reached - taken;
            }
            reached = taken;
        }
        shares.push((*joint, reached));
    }
    shares
}

fn pull(shares: &mut Vec<(usize, f64)>, joint: usize, share: f64) {
    shares.iter_mut().for_each(|(_, s)| *s *= 1.0 - share);
    shares.push((joint, share));
}

fn four_largest(mut shares: Vec<(usize, f64)>) -> Influence {
    shares.retain(|(_, share)| *share > 1e-3);
    // A stable order for equal shares.
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares.truncate(4);
    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
    let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
    for (index, (joint, share)) in shares.iter().enumerate() {
        joints[index] = *joint as u32;
        weights[index] = (share / sum) as f32;
    }
    // What rounding to f32 left over goes to the largest.
    weights[0] = 1.0 - weights[1..].iter().sum::<f32>();
    (joints, weights)
}

/// 0 before `from`, 1 after `to`, smooth between.
pub fn smooth(from: f64, to: f64, value: f64) -> f64 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_hands_over_smoothly() {
        let binding =
            Binding { axis: DVec3::X, joints: vec![(5, 0.0, 1.0), (7, 1.0, 0.5), (9, 2.0, 0.5)], is_trunk: false };
        let pullers = Pullers { shoulders: [0, 1], upper_arms: [0, 1], thighs: [2, 3] };
        let at = |x| influence(&binding, pullers, DVec3::new(x, 0.0, 0.0));
        assert_eq!(at(0.0), ([5, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(at(1.0), ([5, 7, 0, 0], [0.5, 0.5, 0.0, 0.0]));
        assert_eq!(at(3.0).0[0], 9);
    }

    #[test]
    fn four_are_kept_and_sum_to_one() {
        let (joints, weights) = four_largest(vec![(1, 0.3), (2, 0.1), (3, 0.3), (4, 0.2), (5, 0.1)]);
        assert_eq!(joints, [1, 3, 4, 2]);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((weights[2] - 0.2 / 0.9).abs() < 1e-6);
    }
}
