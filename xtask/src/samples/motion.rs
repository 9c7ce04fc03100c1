//! The clips: `Walk`, all linear, and `Wave`, of step, linear and cubic curves.

use super::rig::{Rig, RigNodes};
use anyrig_bytes::Buffer;
use anyrig_bytes::maths::f64::{cos, sin};
use anyrig_scene::glam::{DQuat, DVec3};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property};
use std::f64::consts::{PI, TAU};

/// What the clips move besides joints.
#[derive(Clone, Copy, Debug)]
pub struct Extras {
    /// The node of the body's mesh; its morph targets are `Smile` and `Blink`.
    pub body: NodeId,
    /// The thing in the right hand.
    pub prop: NodeId,
}

/// Keys of the walk: a step of each leg in one second.
const WALK_KEYS: usize = 12;

/// A stride of each leg, in place, with the arms hanging.
pub fn walk(rig: &Rig, nodes: &RigNodes, extras: Extras) -> Clip {
    let mut clip = Clip::new("Walk");
    // One buffer of times for all curves.
    let times: Buffer<f64> = (0..=WALK_KEYS).map(|key| key as f64 / WALK_KEYS as f64).collect();
    let hips = rig.index("Hips");
    let rest = rig.local(hips).translation;
    let moved = times.iter().map(|t| rest + walk_offset(TAU * t));
    let values: Vec<f32> = moved.flat_map(|p| p.as_vec3().to_array()).collect();
    let curve = Curve::new(Interpolation::Linear, 3, times.clone(), values);
    clip.channels.push(Channel::new(nodes.joints[hips], Property::Translation, curve));
    for (index, joint) in rig.joints().iter().enumerate() {
        if walk_turn(&joint.name, 0.0).is_none() {
            continue;
        }
        let turns = times.iter().filter_map(|t| walk_turn(&joint.name, TAU * t));
        let values = rotations(turns.map(|turn| rig.turned(index, turn)));
        let curve = Curve::new(Interpolation::Linear, 4, times.clone(), values);
        clip.channels.push(Channel::new(nodes.joints[index], Property::Rotation, curve));
    }
    // A third of a turn at a time: two keys half a turn apart would leave the way open.
    let spin = (0..=3).map(|key| DQuat::from_rotation_y(TAU * f64::from(key) / 3.0));
    let times: Vec<f64> = (0..=3).map(|key| f64::from(key) / 3.0).collect();
    let curve = Curve::new(Interpolation::Linear, 4, times, rotations(spin));
    clip.channels.push(Channel::new(extras.prop, Property::Rotation, curve));
    clip
}

/// Bob and sway of the hips. `phase` 0 is where the left leg passes the right one on its way forward.
fn walk_offset(phase: f64) -> DVec3 {
    DVec3::new(-0.018 * cos(phase), -0.022 + 0.018 * cos(2.0 * phase), 0.0)
}

/// How a joint is turned away from rest; `None` for those that rest.
fn walk_turn(joint: &str, phase: f64) -> Option<DQuat> {
    let trunk = |amount: f64| Some(DQuat::from_rotation_y(amount * sin(phase)));
    match joint {
        "Hips" => return trunk(-0.10),
        "Spine" | "Chest" => return trunk(0.07),
        "UpperChest" => return trunk(0.05),
        "Head" => return trunk(-0.08),
        _ => {}
    }
    let (limb, sign, phase) = match (joint.strip_prefix("Left"), joint.strip_prefix("Right")) {
        (Some(limb), _) => (limb, 1.0, phase),
        (_, Some(limb)) => (limb, -1.0, phase + PI),
        _ => return None,
    };
    let thigh = 0.06 + 0.42 * sin(phase);
    let lift = (1.0 + cos(phase + 0.35)) / 2.0;
    let knee = 0.10 + 0.80 * lift * lift;
    Some(match limb {
        "UpperLeg" => DQuat::from_rotation_x(-thigh),
        "LowerLeg" => DQuat::from_rotation_x(knee),
        "Foot" => DQuat::from_rotation_x(0.75 * thigh - 0.45 * knee),
        "Toes" => DQuat::from_rotation_x(-0.30 * (1.0 - sin(phase)) / 2.0),
        // Down from the T-pose, then against the leg of the same side.
        "UpperArm" => DQuat::from_rotation_x(0.40 * sin(phase)) * DQuat::from_rotation_z(-1.25 * sign),
        "LowerArm" => DQuat::from_rotation_y(-sign * (0.40 - 0.22 * sin(phase))),
        "Hand" => DQuat::from_rotation_z(-0.12 * sign),
        "ThumbProximal" => DQuat::from_rotation_y(-0.25 * sign),
        _ => return None,
    })
}

/// The left arm, that with the arrow, waves for two seconds; the face smiles and blinks.
pub fn wave(rig: &Rig, nodes: &RigNodes, extras: Extras) -> Clip {
    let mut clip = Clip::new("Wave");
    let mut push = |node, property, curve| clip.channels.push(Channel::new(node, property, curve));
    let node = |joint: &str| nodes.joints[rig.index(joint)];
    let turned = |joint: &str, turns: &[DQuat]| -> Vec<DQuat> {
        turns.iter().map(|turn| rig.turned(rig.index(joint), *turn)).collect()
    };
    let about_z = |angles: &[f64]| -> Vec<DQuat> { angles.iter().map(|a| DQuat::from_rotation_z(*a)).collect() };
    let linear = |times: &[f64], turns: Vec<DQuat>| {
        Curve::new(Interpolation::Linear, 4, times.to_vec(), rotations(turns.into_iter()))
    };

    // The arm: cubic, with slopes of the neighbours' difference.
    let times = [0.0, 0.4, 0.8, 1.2, 1.6, 2.0];
    let raised = turned("LeftUpperArm", &about_z(&[-1.25, 0.35, 0.45, 0.40, 0.45, -1.25]));
    push(node("LeftUpperArm"), Property::Rotation, cubic(&times, 4, &rotations(raised.into_iter())));
    let waving = turned("LeftLowerArm", &about_z(&[0.1, 0.75, 1.45, 0.75, 1.45, 0.1]));
    push(node("LeftLowerArm"), Property::Rotation, cubic(&times, 4, &rotations(waving.into_iter())));

    // The hips: a cubic translation on times of its own.
    let hips = rig.local(rig.index("Hips")).translation;
    let offsets = [DVec3::ZERO, DVec3::new(-0.025, -0.012, 0.0), DVec3::ZERO];
    let values: Vec<f32> = offsets.iter().flat_map(|o| (hips + *o).as_vec3().to_array()).collect();
    push(node("Hips"), Property::Translation, cubic(&[0.0, 1.0, 2.0], 3, &values));

    // Right arm, chest, head: linear.
    push(node("RightUpperArm"), Property::Rotation, linear(&[0.0], turned("RightUpperArm", &about_z(&[1.25]))));
    let tilts = turned("Chest", &about_z(&[0.0, 0.06, 0.0]));
    push(node("Chest"), Property::Rotation, linear(&[0.0, 0.7, 2.0], tilts));
    let nods = turned("Head", &about_z(&[0.0, -0.14, -0.10, 0.0]));
    push(node("Head"), Property::Rotation, linear(&[0.0, 0.5, 1.5, 2.0], nods));

    // Fingers and prop: step.
    let step = |times: &[f64], turns: Vec<DQuat>| {
        Curve::new(Interpolation::Step, 4, times.to_vec(), rotations(turns.into_iter()))
    };
    let fingers = turned("LeftMiddleProximal", &about_z(&[-1.1, 0.15, -1.1]));
    push(node("LeftMiddleProximal"), Property::Rotation, step(&[0.0, 0.4, 1.6], fingers));
    let thumb = turned("LeftThumbProximal", &[DQuat::from_rotation_y(0.4), DQuat::from_rotation_y(-0.3)]);
    push(node("LeftThumbProximal"), Property::Rotation, step(&[0.0, 0.4], thumb));
    let sizes = vec![1.0, 1.0, 1.0, 1.3, 1.3, 1.3, 1.0, 1.0, 1.0];
    push(extras.prop, Property::Scale, Curve::new(Interpolation::Step, 3, vec![0.0, 0.5, 1.5], sizes));

    // Smile and Blink, two weights for each key.
    let times = vec![0.0, 0.4, 0.9, 1.0, 1.1, 1.6, 2.0];
    let weights = vec![0.0, 0.0, 0.8, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    push(extras.body, Property::MorphWeights, Curve::new(Interpolation::Linear, 2, times, weights));
    clip
}

/// Quaternions as floats, each on the side of the one before it.
fn rotations(turns: impl Iterator<Item = DQuat>) -> Vec<f32> {
    let mut before = DQuat::IDENTITY;
    let mut values = Vec::new();
    for turn in turns {
        let turn = turn * (1.0 / turn.length());
        let turn = if before.dot(turn) < 0.0 { -turn } else { turn };
        values.extend([turn.x as f32, turn.y as f32, turn.z as f32, turn.w as f32]);
        before = turn;
    }
    values
}

/// A cubic curve through values, with slopes of the neighbours' difference and level ends.
fn cubic(times: &[f64], width: usize, values: &[f32]) -> Curve {
    let last = times.len() - 1;
    let mut keys = Vec::with_capacity(values.len() * 3);
    for key in 0..=last {
        let slopes: Vec<f32> = (0..width).map(|i| slope(times, width, values, key * width + i)).collect();
        keys.extend_from_slice(&slopes);
        keys.extend_from_slice(&values[key * width..(key + 1) * width]);
        keys.extend_from_slice(&slopes);
    }
    Curve::new(Interpolation::CubicHermite, width, times.to_vec(), keys)
}

fn slope(times: &[f64], width: usize, values: &[f32], index: usize) -> f32 {
    let key = index / width;
    if key == 0 || key + 1 == times.len() {
        return 0.0;
    }
    let difference = f64::from(values[index + width]) - f64::from(values[index - width]);
    (difference / (times[key + 1] - times[key - 1])) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_is_a_loop() {
        let names = Rig::new();
        for joint in names.joints() {
            let (Some(first), Some(last)) = (walk_turn(&joint.name, 0.0), walk_turn(&joint.name, TAU)) else {
                continue;
            };
            assert!(first.angle_between(last) < 1e-7, "{}", joint.name);
        }
        assert!(walk_offset(0.0).distance(walk_offset(TAU)) < 1e-12);
    }

    #[test]
    fn legs_take_turns_and_arms_oppose_them() {
        let forward = |joint: &str| {
            let turn = walk_turn(joint, PI / 2.0).expect("moves");
            let hanging = if joint.ends_with("Leg") { DVec3::NEG_Y } else { DVec3::X };
            let sign = if joint.starts_with("Right") && joint.ends_with("Arm") { -1.0 } else { 1.0 };
            (turn * (hanging * sign)).z
        };
        assert!(forward("LeftUpperLeg") > 0.2 && forward("RightUpperLeg") < -0.2);
        assert!(forward("LeftUpperArm") < -0.2 && forward("RightUpperArm") > 0.2);
    }

    #[test]
    fn cubic_keys_pass_their_values_with_level_ends() {
        let curve = cubic(&[0.0, 1.0, 3.0], 1, &[0.0, 2.0, 6.0]);
        assert_eq!(&*curve.values, &[0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 6.0, 0.0]);
    }

    #[test]
    fn rotations_take_the_short_way() {
        let values = rotations([DQuat::IDENTITY, -DQuat::from_rotation_x(0.1)].into_iter());
        assert!(values[7] > 0.9);
    }
}
