//! Cyclic coordinate descent as MMD does it.

use super::limits::{Beyond, Freedom, freedom, limited};
use super::{Reach, TOLERANCE};
use crate::rotation::unit_or;
use anyrig_bytes::maths;
use anyrig_scene::IkLink;
use glam::{DQuat, DVec3};

/// Turns below this angle are none.
const LEAST_TURN_RAD: f64 = 1e-9;

/// Where an iteration stands.
#[derive(Clone, Copy)]
struct Round {
    goal: DVec3,
    /// In the first half of all iterations links that have one axis turn about it alone, and angles beyond their range
    /// are mirrored.
    is_early: bool,
}

/// The links from the effector's on, again and again, until the effector is there or the iterations are used up. A link
/// turns by at most the chain's angle times its place from 1.
pub(super) fn solve(reach: &mut Reach<'_, '_, '_>, goal: DVec3, iterations: u32) {
    let near = reach.length() * TOLERANCE;
    for iteration in 0..iterations {
        let round = Round { goal, is_early: iteration < iterations.div_ceil(2) };
        for (index, link) in reach.chain.links.iter().enumerate() {
            let most_rad = reach.chain.max_turn_rad * (index + 1) as f64;
            turn(reach, link, most_rad, round);
        }
        if reach.place(reach.chain.effector).distance(goal) <= near {
            return;
        }
    }
}

/// One link. Its own rotation and its limits are against its rest, in the frame that it has there.
fn turn(reach: &mut Reach<'_, '_, '_>, link: &IkLink, most_rad: f64, round: Round) {
    let free = freedom(link.limits.as_ref());
    if free == Freedom::None {
        return;
    }
    let here = reach.place(link.node);
    let effector = (reach.place(reach.chain.effector) - here).try_normalize();
    let Some((effector, goal)) = effector.zip((round.goal - here).try_normalize()) else { return };
    let rest = reach.rest.local(link.node).to_trs().rotation;
    let frame = reach.parent_rotation(link.node) * rest;
    let cross = frame.conjugate() * effector.cross(goal);
    let angle_rad = maths::f64::atan2(cross.length(), effector.dot(goal)).min(most_rad);
    let Some(axis) = cross.try_normalize().filter(|_| angle_rad > LEAST_TURN_RAD) else { return };
    let axis = match free {
        Freedom::One(only) if round.is_early => only * axis.dot(only).signum(),
        _ => axis,
    };
    let (sine, cosine) = maths::f64::sin_cos(angle_rad / 2.0);
    let step = DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine);
    let before = reach.local(link.node).rotation;
    let mut turned = step * (rest.conjugate() * before);
    if let Some(limits) = &link.limits {
        let beyond = if round.is_early { Beyond::Mirrored } else { Beyond::Cut };
        turned = limited(turned, limits, beyond);
    }
    reach.set_rotation(link.node, unit_or(rest * turned, before));
}
