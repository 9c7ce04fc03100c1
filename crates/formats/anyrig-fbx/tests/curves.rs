//! Curves of small files by hand against ufbx: keys at one time, several curves of one component, what goes on outside;
//! and motion that nothing plays.

mod common;

use anyrig_animation::Pose;
use anyrig_scene::{NodeId, Scene};
use common::hand::{array, assert_told, model, oo, op, read};

const SECOND: i64 = 46_186_158_000;
/// `KeyAttrFlags` of FBX.
const STEP: i64 = 0x2;
const STEP_NEXT: i64 = 0x102;
const LINEAR: i64 = 0x4;
const AUTO: i64 = 0x108;
const TCB: i64 = 0x208;
const PROGRESSIVE: i64 = 0x4108;
const INDEPENDENT: i64 = 0x2108;

/// A curve of keys: time in seconds, value, flags.
fn curve(id: u32, keys: &[(f64, f64, i64)], rest: &str) -> String {
    let list = |value: &dyn Fn(&(f64, f64, i64)) -> String| keys.iter().map(value).collect::<Vec<_>>().join(",");
    let arrays = array("KeyTime", &list(&|key| ((key.0 * SECOND as f64) as i64).to_string()))
        + &array("KeyValueFloat", &list(&|key| key.1.to_string()))
        + &array("KeyAttrFlags", &list(&|key| key.2.to_string()))
        + &array("KeyAttrDataFloat", &vec!["0,0,0,0"; keys.len()].join(","))
        + &array("KeyAttrRefCount", &vec!["1"; keys.len()].join(","));
    format!("AnimationCurve: {id}, \"AnimCurve::\", \"\" {{\n{arrays}{rest}}}\n")
}

const STACK: &str = "AnimationStack: 7, \"AnimStack::a\", \"\" { Properties70: {\n\
    P: \"LocalStart\", \"KTime\", \"Time\", \"\",0\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",138558474000\n} }\n";
const LAYER: &str = "AnimationLayer: 8, \"AnimLayer::l\", \"\" { }\n";
const NODE: &str = "AnimationCurveNode: 9, \"AnimCurveNode::T\", \"\" { Properties70: {\n\
    P: \"d|X\", \"Number\", \"\", \"A\",0\nP: \"d|Y\", \"Number\", \"\", \"A\",0\nP: \"d|Z\", \"Number\", \"\", \"A\",0\n} }\n";

fn objects(curves: &str) -> String {
    [&model(1), STACK, LAYER, NODE, curves].concat()
}

/// A model whose translation is moved by curves along X.
fn connections(curves: &[u32]) -> String {
    let all: String = curves.iter().map(|id| op(*id, 9, "d|X")).collect();
    oo(1, 0) + &oo(8, 7) + &oo(9, 8) + &op(9, 1, "Lcl Translation") + &all
}

fn our_x(scene: &Scene, time: f64) -> f64 {
    Pose::of_clip(scene, &scene.clips[0], time).local(NodeId::new(0)).to_trs().translation.x
}

fn their_x(scene: &ufbx::Scene, time: f64) -> f64 {
    let evaluated =
        ufbx::evaluate_scene(scene, &scene.anim_stacks[0].anim, time, Default::default()).expect("evaluates");
    let node = (&evaluated.nodes).into_iter().find(|node| !node.is_root).expect("a node");
    node.local_transform.translation.x
}

/// Values reach 100, and ufbx takes 0.333333 for the third that is the length of a tangent without one of its own.
const BOUND: f64 = 5e-5;

#[track_caller]
fn assert_like_ufbx(objects: &str, connections: &str, times: &[f64]) {
    let text = format!(
        "; FBX 7.4.0 project file\nCreator: \"by hand\"\nObjects: {{\n{objects}}}\nConnections: {{\n{connections}}}\n"
    );
    let theirs = ufbx::load_memory(text.as_bytes(), Default::default()).expect("ufbx reads it");
    let (ours, report) = read(objects, connections);
    assert_eq!(report.count_of("scene.key-order"), 0, "{:?}", report.diagnostics());
    for time in times {
        let (our, their) = (our_x(&ours, *time), their_x(&theirs, *time));
        assert!((our - their).abs() < BOUND, "{time}: ours {our}, ufbx {their}");
    }
}

#[test]
fn of_keys_at_one_time_the_last_holds_and_the_first_ends_what_comes_before() {
    let times = [-0.5, 0.0, 0.25, 0.5, 0.999, 1.0, 1.5, 2.0, 2.5];
    let keys = |kind: i64| {
        [(0.0, 0.0), (0.0, 50.0), (0.0, 7.0), (1.0, 100.0), (1.0, 20.0), (2.0, 30.0), (2.0, 30.0), (2.0, 5.0)]
            .map(|(time, value)| (time, value, kind))
    };
    for kind in [LINEAR, STEP, STEP_NEXT, AUTO, PROGRESSIVE] {
        assert_like_ufbx(&objects(&curve(10, &keys(kind), "")), &connections(&[10]), &times);
    }
}

#[test]
fn the_tick_before_a_jump_does_not_begin_a_clip() {
    let keys = [(1.0, 0.0, LINEAR), (1.0, 7.0, LINEAR), (2.0, 9.0, LINEAR)];
    let bare = objects(&curve(10, &keys, "")).replace(STACK, "AnimationStack: 7, \"AnimStack::a\", \"\" { }\n");
    let (scene, _) = read(&bare, &connections(&[10]));
    assert_eq!((scene.clips[0].start_secs, our_x(&scene, 1.0)), (1.0, 7.0));
}

#[test]
fn keys_out_of_order_are_sorted_and_told() {
    let keys = [(2.0, 30.0, STEP), (0.0, 0.0, LINEAR), (1.0, 10.0, STEP)];
    let (scene, report) = read(&objects(&curve(10, &keys, "")), &connections(&[10]));
    assert_eq!([0.5, 1.5, 2.0].map(|time| our_x(&scene, time)), [5.0, 10.0, 30.0]);
    assert_told(&report, "fbx.curve-shape", 1);
}

#[test]
fn of_two_curves_of_one_component_the_last_counts_and_the_other_is_told() {
    let first = curve(10, &[(0.0, 0.0, LINEAR), (1.0, 9.0, LINEAR)], "");
    let last = curve(11, &[(0.0, 0.0, LINEAR), (1.0, 90.0, LINEAR)], "");
    for (order, at_end) in [([10, 11], 90.0), ([11, 10], 9.0)] {
        let (objects, connections) = (objects(&(first.clone() + &last)), connections(&order));
        assert_like_ufbx(&objects, &connections, &[0.0, 0.5, 1.0]);
        let (scene, report) = read(&objects, &connections);
        assert_eq!(our_x(&scene, 1.0), at_end);
        assert_told(&report, "fbx.motion-lost", 1);
    }
}

#[test]
fn a_slope_goes_on_as_the_tangent_that_arrives_at_the_last_key() {
    let kinds = [STEP, STEP_NEXT, LINEAR, AUTO, INDEPENDENT, PROGRESSIVE, TCB];
    let slope = "Pre-Extrapolation: {\nType: K\n}\nPost-Extrapolation: {\nType: K\n}\n";
    for (first, last) in kinds.iter().flat_map(|first| kinds.map(|last| (*first, last))) {
        let keys = [(0.0, 0.0, LINEAR), (0.5, 3.0, first), (1.0, 4.0, last)];
        assert_like_ufbx(&objects(&curve(10, &keys, slope)), &connections(&[10]), &[0.75, 1.0, 1.5, 2.0]);
    }
}

#[test]
fn motion_that_nothing_plays_is_told() {
    let one = curve(10, &[(0.0, 0.0, LINEAR), (1.0, 9.0, LINEAR)], "");
    let all = connections(&[10]);
    for missing in [oo(8, 7), oo(9, 8), op(9, 1, "Lcl Translation"), op(10, 9, "d|X")] {
        let (_, report) = read(&objects(&one), &all.replace(&missing, ""));
        assert_told(&report, "fbx.motion-lost", 1);
    }
    let direct = all.replace(&op(10, 9, "d|X"), &op(10, 1, "Lcl Translation"));
    assert_told(&read(&objects(&one), &direct).1, "fbx.motion-lost", 1);
    assert_told(&read(&objects(&one), &all).1, "fbx.motion-lost", 0);
    // What moves the weight of a layer is below no layer.
    let weight = oo(8, 7) + &op(9, 8, "Weight") + &op(10, 9, "d|Weight");
    assert_told(&read(&objects(&one), &weight).1, "fbx.motion-lost", 0);
}
