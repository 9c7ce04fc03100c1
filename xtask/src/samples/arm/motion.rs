//! The clip `Wave`, two seconds long: curves over Euler angles in degrees, keys in ticks.

use super::fbx::{Connections, branch, leaf, object, property, ticks};
use super::rig;
use anyrig_fbx::{NewNode, NewValue};
use anyrig_scene::glam::DVec3;

/// Ticks in a second (`KTime` of Autodesk's library before its version of 2019).
pub const TICKS_PER_SECOND: i64 = 46_186_158_000;

/// Length of the clip.
pub const END: i64 = 2 * TICKS_PER_SECOND;

pub const NAME: &str = "Wave";

const STACK: i64 = 7001;
const LAYER: i64 = 7002;
/// Curve nodes have this number and those after it, their curves one a hundred higher.
const CURVES: i64 = 7100;

/// How a curve goes from key to key.
#[derive(Clone, Copy)]
enum Shape {
    /// Straight.
    Linear,
    /// Flat at each key.
    Eased,
}

impl Shape {
    /// `KeyAttrFlags`: linear; cubic with tangents of the user's.
    fn flags(self) -> i32 {
        match self {
            Self::Linear => 0x4,
            Self::Eased => 0x8 | 0x400,
        }
    }
}

/// One moving angle: whose, about which axis, and its value every half second.
struct Turn {
    model: i64,
    axis: usize,
    rest: DVec3,
    shape: Shape,
    values: [f32; 5],
}

/// At one second the elbow stands at a right angle and all others are straight, so that matrices there are easy to read.
fn turns(joints: [i64; 4], jaw: i64) -> [Turn; 4] {
    let turn = |model, rest, shape, values| Turn { model, axis: 2, rest, shape, values };
    let rest = |joint: usize| rig::JOINTS[joint].rotation;
    [
        turn(joints[rig::SHOULDER], rest(rig::SHOULDER), Shape::Linear, [0.0, 20.0, 0.0, -20.0, 0.0]),
        turn(joints[rig::ELBOW], rest(rig::ELBOW), Shape::Eased, [-20.0, -50.0, -90.0, -50.0, -20.0]),
        turn(joints[rig::WRIST], rest(rig::WRIST), Shape::Linear, [0.0, 35.0, 0.0, -35.0, 0.0]),
        turn(jaw, DVec3::ZERO, Shape::Eased, [0.0, 40.0, 0.0, 40.0, 0.0]),
    ]
}

/// The objects of the clip, connected with each other and with what they move.
pub fn objects(joints: [i64; 4], jaw: i64, connections: &mut Connections) -> Vec<NewNode> {
    let range = [("LocalStart", 0), ("LocalStop", END), ("ReferenceStart", 0), ("ReferenceStop", END)];
    let range = range.map(|(name, time)| ticks(name, time));
    let mut all = vec![
        object(("AnimationStack", STACK), (NAME, ""), [branch("Properties70", range)]),
        object(("AnimationLayer", LAYER), ("BaseLayer", ""), []),
    ];
    connections.put(LAYER, STACK);
    for (number, turn) in turns(joints, jaw).into_iter().enumerate() {
        let (node, curve) = (CURVES + number as i64, CURVES + 100 + number as i64);
        let part = |axis: usize| {
            let name = ["d|X", "d|Y", "d|Z"][axis];
            property(name, ["Number", "", "A"], [turn.rest[axis].into()])
        };
        let parts = branch("Properties70", [0, 1, 2].map(part));
        all.push(object(("AnimationCurveNode", node), ("R", ""), [parts]));
        all.push(object(("AnimationCurve", curve), ("", ""), keys(&turn)));
        connections.put(node, LAYER);
        connections.drive(node, turn.model, "Lcl Rotation");
        connections.drive(curve, node, ["d|X", "d|Y", "d|Z"][turn.axis]);
    }
    all
}

/// The keys of a curve. One record of attributes serves all of them.
fn keys(turn: &Turn) -> Vec<NewNode> {
    let times: Vec<i64> = (0..turn.values.len() as i64).map(|half| half * TICKS_PER_SECOND / 2).collect();
    // Slopes of 0 on both sides; weights of a third in two halves of a word, as files have them that state none.
    let attributes = vec![0.0, 0.0, f32::from_bits(0x0d05_0d05), 0.0];
    vec![
        leaf("Default", f64::from(turn.values[0])),
        leaf("KeyVer", 4008),
        leaf("KeyTime", NewValue::I64Array(times.into())),
        leaf("KeyValueFloat", NewValue::F32Array(turn.values.to_vec().into())),
        leaf("KeyAttrFlags", NewValue::I32Array(vec![turn.shape.flags()].into())),
        leaf("KeyAttrDataFloat", NewValue::F32Array(attributes.into())),
        leaf("KeyAttrRefCount", NewValue::I32Array(vec![turn.values.len() as i32].into())),
    ]
}

/// The list of clips that programs from before the stacks look at.
pub fn takes() -> NewNode {
    let range = |name: &str| NewNode::new(name).with(0i64).with(END);
    let take = [leaf("FileName", "Wave.tak"), range("LocalTime"), range("ReferenceTime")];
    let take = take.into_iter().fold(leaf("Take", NAME), NewNode::with_child);
    branch("Takes", [leaf("Current", NAME), take])
}
