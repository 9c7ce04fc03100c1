//! Limits of angles, as MMD keeps to them.

use anyrig_scene::{AngleLimits, RotationOrder};
use glam::{DQuat, DVec3};

/// The middle angle stays this far from the pole, where the other two mean the same.
const POLE_DEG: f64 = 88.0;

/// Whether an angle beyond its range is mirrored at the end of the range, as far as it lies within it then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    /// Mirrored: helps a joint that starts straight to bend. For the first half of the iterations.
    Mirrored,
    /// Brought to the end.
    Cut,
}

/// Which axes a link may turn about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Freedom {
    /// About all.
    All,
    /// About one, a unit vector.
    One(DVec3),
    /// About none.
    None,
}

/// An axis whose range is no more than 0 is none.
pub(super) fn freedom(limits: Option<&AngleLimits>) -> Freedom {
    let Some(limits) = limits else { return Freedom::All };
    let free = [0, 1, 2].map(|axis| limits.low_rad[axis] != 0.0 || limits.high_rad[axis] != 0.0);
    match free {
        [false, false, false] => Freedom::None,
        [true, false, false] => Freedom::One(DVec3::X),
        [false, true, false] => Freedom::One(DVec3::Y),
        [false, false, true] => Freedom::One(DVec3::Z),
        _ => Freedom::All,
    }
}

/// The rotation with its angles within their limits.
pub(super) fn limited(rotation: DQuat, limits: &AngleLimits, beyond: Beyond) -> DQuat {
    let mut angles = limits.order.to_angles_deg(rotation);
    let middle = middle_axis(limits.order);
    angles[middle] = angles[middle].clamp(-POLE_DEG, POLE_DEG);
    let (low, high) = (degrees(limits.low_rad), degrees(limits.high_rad));
    for axis in 0..3 {
        angles[axis] = within(angles[axis], low[axis], high[axis], beyond);
    }
    limits.order.to_quat(angles)
}

fn degrees(angles_rad: DVec3) -> DVec3 {
    angles_rad.map(f64::to_degrees)
}

fn within(angle: f64, low: f64, high: f64, beyond: Beyond) -> f64 {
    let end = match angle {
        a if a < low => low,
        a if a > high => high,
        a => return a,
    };
    let mirrored = 2.0 * end - angle;
    if beyond == Beyond::Mirrored && low <= mirrored && mirrored <= high { mirrored } else { end }
}

fn middle_axis(order: RotationOrder) -> usize {
    match order {
        RotationOrder::Xyz | RotationOrder::Zyx | RotationOrder::SphericXyz => 1,
        RotationOrder::Yxz | RotationOrder::Zxy => 0,
        RotationOrder::Xzy | RotationOrder::Yzx => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knee() -> AngleLimits {
        let low = DVec3::new(-180.0_f64.to_radians(), 0.0, 0.0);
        AngleLimits::new(low, DVec3::new(-0.5_f64.to_radians(), 0.0, 0.0), RotationOrder::Xyz)
    }

    #[test]
    fn angles_come_into_their_range() {
        assert_eq!(within(5.0, -10.0, 10.0, Beyond::Cut), 5.0);
        assert_eq!(within(15.0, -10.0, 10.0, Beyond::Cut), 10.0);
        assert_eq!(within(15.0, -10.0, 10.0, Beyond::Mirrored), 5.0);
        assert_eq!(within(-15.0, -10.0, 10.0, Beyond::Mirrored), -5.0);
        assert_eq!(within(40.0, -10.0, 10.0, Beyond::Mirrored), 10.0, "too far to be mirrored into it");
    }

    #[test]
    fn a_knee_bends_one_way() {
        let about_x = |degrees: f64| RotationOrder::Xyz.to_quat(DVec3::new(degrees, 0.0, 0.0));
        let near = |a: DQuat, b: DQuat| assert!(a.dot(b).abs() > 1.0 - 1e-12, "{a} {b}");
        near(limited(about_x(-30.0), &knee(), Beyond::Cut), about_x(-30.0));
        near(limited(about_x(30.0), &knee(), Beyond::Cut), about_x(-0.5));
        near(limited(about_x(30.0), &knee(), Beyond::Mirrored), about_x(-31.0));
        let twisted = RotationOrder::Xyz.to_quat(DVec3::new(-30.0, 20.0, 10.0));
        near(limited(twisted, &knee(), Beyond::Cut), about_x(-30.0));
    }

    #[test]
    fn freedom_is_what_limits_leave() {
        assert_eq!(freedom(None), Freedom::All);
        assert_eq!(freedom(Some(&knee())), Freedom::One(DVec3::X));
        let none = AngleLimits::new(DVec3::ZERO, DVec3::ZERO, RotationOrder::Xyz);
        assert_eq!(freedom(Some(&none)), Freedom::None);
        let two = AngleLimits::new(DVec3::NEG_ONE, DVec3::new(1.0, 1.0, -1.0), RotationOrder::Xyz);
        assert_eq!(freedom(Some(&two)), Freedom::All);
    }
}
