//! Solutions by the places of joints, from the root to the effector. Turning the links there is another matter.

use glam::DVec3;

/// Where the middle joint and the end of two bones come to lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TwoBone {
    pub(super) middle: DVec3,
    pub(super) end: DVec3,
}

/// Two bones in closed form, by the law of cosines: the angle at the root between its bone and the way to the goal. The
/// bones bend towards the pole, in the plane that it spans with the way to the goal; a pole on that way says nothing, and
/// some plane is taken. A goal too far away is pointed to, one too near is come as close to as the lengths allow.
///
/// All in one space. Bones without length stay so.
pub(super) fn two_bone(joints: [DVec3; 3], goal: DVec3, pole: DVec3) -> TwoBone {
    let [root, middle, end] = joints;
    let (upper, lower) = (root.distance(middle), middle.distance(end));
    let forward = (goal - root).try_normalize().or_else(|| (end - root).try_normalize());
    let forward = forward.or_else(|| (middle - root).try_normalize()).unwrap_or(DVec3::X);
    let reach = goal.distance(root).clamp((upper - lower).abs(), upper + lower);
    // Along and beside the way to the goal. With no reach at all the bones lie on each other, in the pole's direction.
    let along = if reach > 0.0 { (reach * reach + (upper - lower) * (upper + lower)) / (2.0 * reach) } else { 0.0 };
    let along = along.clamp(-upper, upper);
    let beside = ((upper - along) * (upper + along)).max(0.0).sqrt();
    let to_pole = pole - root;
    let bend = (to_pole - forward * to_pole.dot(forward)).try_normalize();
    let bend = bend.unwrap_or_else(|| forward.any_orthonormal_vector());
    TwoBone { middle: root + forward * along + bend * beside, end: root + forward * reach }
}

/// Forward and backward reaching (Aristidou and Lasenby, "FABRIK: A fast, iterative solver for the Inverse Kinematics
/// problem", Graphical Models 73, 2011): the joints come as near to the goal as `tolerance`, or as the iterations allow.
/// Distances between neighbours stay; a goal out of reach is pointed to.
pub(super) fn fabrik(joints: &mut [DVec3], goal: DVec3, iterations: u32, tolerance: f64) {
    let lengths: Vec<f64> = joints.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let (Some(root), Some(last)) = (joints.first().copied(), joints.len().checked_sub(1)) else { return };
    let reach: f64 = lengths.iter().sum();
    if goal.distance(root) >= reach {
        let direction = (goal - root).normalize_or_zero();
        for (i, length) in lengths.iter().enumerate() {
            joints[i + 1] = joints[i] + direction * *length;
        }
        return;
    }
    leave_the_line(joints, goal, reach);
    for _ in 0..iterations {
        if joints[last].distance(goal) <= tolerance {
            return;
        }
        joints[last] = goal;
        for i in (0..last).rev() {
            joints[i] = at_distance(joints[i + 1], joints[i], lengths[i]);
        }
        joints[0] = root;
        for i in 0..last {
            joints[i + 1] = at_distance(joints[i], joints[i + 1], lengths[i]);
        }
    }
}

/// Joints that lie with the goal on one line would stay on it for ever: the middle ones go aside by a little.
fn leave_the_line(joints: &mut [DVec3], goal: DVec3, reach: f64) {
    /// Share of the chain's length: seen by nobody, and enough to begin with.
    const ASIDE: f64 = 1e-3;
    let root = joints[0];
    let Some(forward) = (goal - root).try_normalize() else { return };
    let off = |p: &DVec3| (*p - root).reject_from_normalized(forward).length();
    if joints.iter().all(|joint| off(joint) < reach * 1e-9) {
        let aside = forward.any_orthonormal_vector() * reach * ASIDE;
        let last = joints.len() - 1;
        joints.iter_mut().take(last).skip(1).for_each(|joint| *joint += aside);
    }
}

/// The point that lies from `from` towards `to` at a distance.
fn at_distance(from: DVec3, to: DVec3, distance: f64) -> DVec3 {
    from + (to - from).try_normalize().unwrap_or(DVec3::X) * distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::maths;
    use proptest::prelude::*;

    const LEG: [DVec3; 3] = [DVec3::new(0.0, 3.0, 0.0), DVec3::new(0.0, 1.5, 0.1), DVec3::new(0.0, 0.5, 0.0)];

    fn angle(a: DVec3, b: DVec3) -> f64 {
        maths::f64::atan2(a.cross(b).length(), a.dot(b))
    }

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-3.0..3.0f64).prop_map(DVec3::from_array)
    }

    #[test]
    fn the_knee_bends_by_the_law_of_cosines_towards_the_pole() {
        let joints = [DVec3::ZERO, DVec3::X * 3.0, DVec3::X * 7.0];
        // Sides 3, 4 and 5: a right angle at the middle.
        let found = two_bone(joints, DVec3::Y * 5.0, DVec3::new(9.0, 1.0, 0.0));
        assert!(found.end.distance(DVec3::Y * 5.0) < 1e-12);
        assert!(found.middle.distance(DVec3::new(2.4, 1.8, 0.0)) < 1e-12, "{}", found.middle);
        let at_middle = angle(found.middle, found.middle - found.end);
        assert!((at_middle - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        let other_side = two_bone(joints, DVec3::Y * 5.0, DVec3::new(-9.0, 1.0, 0.0));
        assert!(other_side.middle.distance(DVec3::new(-2.4, 1.8, 0.0)) < 1e-12);
    }

    #[test]
    fn goals_out_of_reach_are_pointed_to() {
        let joints = [DVec3::ZERO, DVec3::X * 3.0, DVec3::X * 4.0];
        let far = two_bone(joints, DVec3::Y * 50.0, DVec3::X);
        assert_eq!((far.middle, far.end), (DVec3::Y * 3.0, DVec3::Y * 4.0));
        let near = two_bone(joints, DVec3::Y * 0.5, DVec3::X);
        assert_eq!((near.middle, near.end), (DVec3::Y * 3.0, DVec3::Y * 2.0));
    }

    #[test]
    fn what_has_no_length_or_direction_is_finite() {
        for joints in [[DVec3::ZERO; 3], [DVec3::ZERO, DVec3::X, DVec3::X], [DVec3::ZERO, DVec3::ZERO, DVec3::Y]] {
            for goal in [DVec3::ZERO, DVec3::X, DVec3::Y * 1e-300] {
                for pole in [DVec3::ZERO, DVec3::X, goal] {
                    let found = two_bone(joints, goal, pole);
                    assert!(found.middle.is_finite() && found.end.is_finite());
                    assert!((found.middle.distance(joints[0]) - joints[1].distance(joints[0])).abs() < 1e-12);
                }
                let mut points = joints.to_vec();
                fabrik(&mut points, goal, 10, 1e-9);
                assert!(points.iter().all(|p| p.is_finite()));
            }
        }
        // Folded up completely where both are equally long.
        let folded = two_bone([DVec3::ZERO, DVec3::X, DVec3::X * 2.0], DVec3::ZERO, DVec3::Y);
        assert!(folded.end.length() < 1e-12 && (folded.middle.length() - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn two_bones_keep_their_lengths_and_reach(goal in point(), pole in point()) {
            let found = two_bone(LEG, goal, pole);
            let (upper, lower) = (LEG[0].distance(LEG[1]), LEG[1].distance(LEG[2]));
            prop_assert!((found.middle.distance(LEG[0]) - upper).abs() < 1e-9);
            prop_assert!((found.end.distance(found.middle) - lower).abs() < 1e-9);
            let distance = goal.distance(LEG[0]);
            let missed = (distance - (upper + lower)).max((upper - lower).abs() - distance).max(0.0);
            prop_assert!((found.end.distance(goal) - missed).abs() < 1e-9);
        }

        #[test]
        fn fabrik_keeps_lengths_and_reaches(goal in point(), points in prop::collection::vec(point(), 3..6)) {
            let mut joints = points.clone();
            // Folded far in, it comes nearer by less than a hundredth of what is left with each round.
            fabrik(&mut joints, goal, 20_000, 1e-6);
            for (before, after) in points.windows(2).zip(joints.windows(2)) {
                prop_assert!((before[0].distance(before[1]) - after[0].distance(after[1])).abs() < 1e-9);
            }
            prop_assert_eq!(joints[0], points[0]);
            let lengths: Vec<f64> = points.windows(2).map(|p| p[0].distance(p[1])).collect();
            let (reach, longest) = (lengths.iter().sum::<f64>(), lengths.iter().fold(0.0f64, |a, b| a.max(*b)));
            let distance = goal.distance(points[0]);
            if distance >= reach {
                prop_assert!((joints[joints.len() - 1].distance(goal) - (distance - reach)).abs() < 1e-9);
            } else if distance > 2.0 * longest - reach + 0.05 && distance < reach - 0.05 {
                prop_assert!(joints[joints.len() - 1].distance(goal) <= 1e-3, "{}", joints[joints.len() - 1].distance(goal));
            }
        }
    }

    #[test]
    fn a_straight_chain_leaves_its_line() {
        let mut joints = [0.0, 1.0, 2.0, 3.0].map(|x| DVec3::X * x);
        fabrik(&mut joints, DVec3::X * 2.0, 200, 1e-6);
        assert!(joints[3].distance(DVec3::X * 2.0) <= 1e-6);
    }
}
