//! Interpolation of rotations.

use anyrig_bytes::maths;
use glam::{DQuat, DVec3};

/// Below this angle between two unit quaternions (as four-dimensional vectors, so half the angle of the rotation
/// between them) [`slerp`] interpolates in a straight line and normalises: the sines would cancel, while the straight
/// line is off by less than 1e-13 rad.
pub const SLERP_MIN_ANGLE_RAD: f64 = 1e-4;

/// The great arc from `a` (factor 0) to `b` (factor 1) by the shorter way; factors outside 0..=1 go on along the arc.
///
/// glTF 2.0 specification, appendix C.4, with the angle from `atan2`, which is exact also where the arccosine is not.
/// Both are unit quaternions; `b` and `-b` are the same rotation, and of two equally long ways the one to `b` as it
/// stands is taken. The result is a unit quaternion.
pub fn slerp(a: DQuat, b: DQuat, factor: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let angle = 2.0 * maths::f64::atan2((a - b).length(), (a + b).length());
    if angle < SLERP_MIN_ANGLE_RAD {
        return unit_or(a * (1.0 - factor) + b * factor, a);
    }
    let sine = maths::f64::sin(angle);
    let of_a = maths::f64::sin(angle * (1.0 - factor)) / sine;
    let of_b = maths::f64::sin(angle * factor) / sine;
    unit_or(a * of_a + b * of_b, a)
}

/// The shortest turn that brings one unit vector to another one; of the half turns between opposite ones, one about some
/// axis at right angles. Within 3e-8 rad, and within rounding where the vectors are not nearly opposite.
pub(crate) fn arc(from: DVec3, to: DVec3) -> DQuat {
    // By the half vector: its angles to both are half of the turn. What is left of it where the vectors are nearly
    // opposite is rounding.
    let half = from + to;
    if half.length_squared() < 1e-16 {
        let axis = from.any_orthonormal_vector();
        return DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
    }
    let half = half.normalize_or(from);
    let axis = from.cross(half);
    unit_or(DQuat::from_xyzw(axis.x, axis.y, axis.z, from.dot(half)), DQuat::IDENTITY)
}

/// The quaternion at length 1, or `fallback` where it has none.
pub(crate) fn unit_or(q: DQuat, fallback: DQuat) -> DQuat {
    let length = q.length();
    if length > 0.0 && length.is_finite() { q / length } else { fallback }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn about_z(degrees: f64) -> DQuat {
        DQuat::from_rotation_z(degrees.to_radians())
    }

    #[test]
    fn constant_speed_along_the_shorter_way() {
        for (b, sign) in [(about_z(120.0), 1.0), (-about_z(120.0), 1.0), (about_z(240.0), -1.0)] {
            for factor in [0.0, 0.1, 0.25, 0.5, 0.9, 1.0] {
                let turned = slerp(DQuat::IDENTITY, b, factor) * DVec3::X;
                let angle = maths::f64::atan2(turned.y, turned.x);
                assert!((angle - sign * 120.0_f64.to_radians() * factor).abs() < 1e-14, "{factor}");
            }
        }
    }

    #[test]
    fn the_threshold_is_not_seen() {
        for angle in [0.999 * SLERP_MIN_ANGLE_RAD, 1.001 * SLERP_MIN_ANGLE_RAD, 1e-9] {
            let b = DQuat::from_rotation_x(2.0 * angle);
            let third = slerp(DQuat::IDENTITY, b, 0.3);
            assert!((2.0 * maths::f64::asin(third.x) - 0.6 * angle).abs() < 1e-13, "{angle}");
        }
    }

    #[test]
    fn arcs_lead_from_one_direction_to_another() {
        let directions = [
            DVec3::X,
            DVec3::NEG_X,
            DVec3::Y,
            DVec3::new(0.6, 0.0, 0.8),
            DVec3::new(-1.0, 1e-9, 0.0).normalize_or_zero(),
        ];
        for from in directions {
            for to in directions {
                let turn = arc(from, to);
                let bound = if from.dot(to) < -0.999 { 3e-8 } else { 1e-15 };
                assert!((turn * from).distance(to) <= bound && (turn.length() - 1.0).abs() < 1e-15, "{from} {to}");
                let angle = 2.0 * maths::f64::atan2(turn.xyz().length(), turn.w);
                let expected = maths::f64::atan2(from.cross(to).length(), from.dot(to));
                assert!((angle - expected).abs() < 1e-7, "{from} {to}");
            }
        }
    }

    #[test]
    fn opposite_and_equal_rotations_stay_unit() {
        let half_turn = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        assert!((slerp(DQuat::IDENTITY, half_turn, 0.5).x - 0.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!(slerp(half_turn, half_turn, 0.7), half_turn);
        assert_eq!(slerp(half_turn, -half_turn, 0.7), half_turn);
    }

    /// Any rotation.
    pub(crate) fn unit() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0..1.0f64)
            .prop_map(DQuat::from_array)
            .prop_filter("has a direction", |q| q.length() > 1e-3)
            .prop_map(|q| q / q.length())
    }

    proptest! {
        #[test]
        fn unit_length_and_ends(a in unit(), b in unit(), factor in 0.0..=1.0f64) {
            prop_assert!((slerp(a, b, factor).length() - 1.0).abs() < 1e-12);
            prop_assert!(slerp(a, b, 0.0).dot(a) > 1.0 - 1e-12);
            prop_assert!(slerp(a, b, 1.0).dot(b).abs() > 1.0 - 1e-12);
            let angle = |p: DQuat, q: DQuat| 2.0 * maths::f64::atan2((p - q).length(), (p + q).length());
            let nearer = if a.dot(b) < 0.0 { -b } else { b };
            prop_assert!((angle(a, slerp(a, b, factor)) - factor * angle(a, nearer)).abs() < 1e-9);
        }
    }
}
