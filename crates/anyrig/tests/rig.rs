//! Springs and constraints against npm `three` and `@pixiv/three-vrm` (`tests/judges/rig.mjs`).
#![cfg(feature = "gltf")]
#![allow(clippy::print_stdout, reason = "tests say what they compared")]

#[allow(dead_code, reason = "not all of it is needed here")]
mod disk;

use anyrig::animation::{Evaluator, Pose, RigSolver, SpringSimulation};
use anyrig::bytes::maths;
use anyrig::scene::glam::{DQuat, DVec3};
use anyrig::scene::{NodeId, Scene, Trs};
use anyrig::{Context, MemorySource, Registry, Source};
use disk::{Disk, corpus};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STEPS: usize = 60;

/// `three` goes in straight lines between rotations that are near each other, which is off by so much at most.
const THREES_SLERP_RAD: f64 = 1e-6;

/// What a node does before a step.
#[derive(Clone, Copy)]
struct Move {
    node: usize,
    translation: DVec3,
    rotation: DQuat,
}

/// All moves before each step.
type Moves = Vec<Vec<Move>>;

/// Whether three-vrm measures bones against where their tail is or where it was; see `rig.mjs`.
#[derive(Clone, Copy, PartialEq)]
enum Measured {
    AsItDoes,
    Now,
}

/// Where the judge's program lies; `None` when the judges are not installed, which only CI must not accept.
fn judge() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if root.join(".judges/node_modules/@pixiv/three-vrm").is_dir() {
        return Some(root.join("tests/judges/rig.mjs"));
    }
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs the judges; .ci/judges installs them");
    println!("skipped: no judges; .ci/judges installs them");
    None
}

fn asked(program: &Path, gltf: &Value, moves: &Moves, measured: Measured) -> Value {
    let step = |moves: &Vec<Move>| -> Vec<Value> {
        let of = |m: &Move| json!({ "node": m.node, "translation": m.translation.to_array(), "rotation": m.rotation.to_array() });
        moves.iter().map(of).collect()
    };
    let steps: Vec<_> = moves.iter().map(step).collect();
    let secs = SpringSimulation::STEP_SECS;
    let request = json!({ "gltf": gltf, "steps": steps, "secs": secs, "measured": measured == Measured::Now });
    let mut child = Command::new("node")
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is installed");
    child.stdin.take().expect("piped").write_all(request.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "the judge failed");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn moved(pose: &mut Pose, moves: &[Move]) {
    for m in moves {
        let node = NodeId::new(m.node);
        let trs = Trs { translation: m.translation, rotation: m.rotation, ..pose.local(node).to_trs() };
        pose.set_local(node, trs);
    }
}

/// Where all nodes are after each of the moves.
fn ours(scene: &Scene, moves: &Moves) -> Vec<Vec<DVec3>> {
    let context = Context::new();
    let mut rules = RigSolver::new(scene, &context).expect("within limits");
    let mut springs = SpringSimulation::new(scene, &context).expect("within limits");
    assert!(context.report().is_empty(), "{:?}", context.report());
    let rest = Pose::rest(scene);
    let (evaluator, mut pose) = (Evaluator::new(scene), rest.clone());
    let mut step = |moves: &Vec<Move>| {
        pose.copy_from(&rest);
        moved(&mut pose, moves);
        rules.solve(&mut pose);
        springs.step(&mut pose, SpringSimulation::STEP_SECS);
        evaluator.worlds(&pose).iter().map(|world| world.translation).collect()
    };
    moves.iter().map(&mut step).collect()
}

fn read(source: &dyn Source) -> Scene {
    let context = Context::new();
    let scene = Registry::standard().load(source, Some("gltf"), &context).expect("readable");
    assert!(context.report().is_empty(), "{:?}", context.report());
    scene
}

/// The largest distance between the judge's places and ours after a step, and how far our nodes went from their rest.
fn compare(state: &Value, ours: &[DVec3], scene: &Scene) -> (f64, f64) {
    let places: Vec<[f64; 3]> = serde_json::from_value(state["places"].clone()).expect("places");
    assert_eq!(places.len(), ours.len());
    let rest = Evaluator::new(scene).worlds(&Pose::rest(scene));
    let apart = places.iter().zip(ours).map(|(a, b)| DVec3::from_array(*a).distance(*b));
    let went = rest.iter().zip(ours).map(|(a, b)| a.translation.distance(*b));
    (apart.fold(0.0, f64::max), went.fold(0.0, f64::max))
}

/// The shortest bone at rest.
fn bone_length(scene: &Scene) -> f64 {
    let worlds = Evaluator::new(scene).worlds(&Pose::rest(scene));
    let place = |node: NodeId| worlds[node.index()].translation;
    let pairs = scene.rig.springs.iter().flat_map(|s| s.joints.windows(2));
    pairs.map(|pair| place(pair[0].node).distance(place(pair[1].node))).fold(f64::MAX, f64::min)
}

fn turn(axis: DVec3, angle_rad: f64) -> DQuat {
    let (sine, cosine) = maths::f64::sin_cos(angle_rad / 2.0);
    let axis = axis * sine;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}

#[test]
fn the_spring_samples_move_as_in_three_vrm() {
    let (Some(program), Some(corpus)) = (judge(), corpus()) else { return };
    let folder = corpus.join("vrm/three-vrm/three-vrm-springbone/examples/models");
    // The samples rest as they are. Their collider comes to the chain, as their pages have it do, and stays.
    let coming = |from: DVec3, by: DVec3| -> Moves {
        let at = |step: usize| from + by * (step as f64 / 30.0).min(1.0);
        (0..STEPS).map(|step| vec![Move { node: 5, translation: at(step), rotation: DQuat::IDENTITY }]).collect()
    };
    let samples = [
        ("sphere-collider.gltf", coming(DVec3::new(0.75, 1.0, 0.0), DVec3::new(-0.3, 0.1, 0.2))),
        ("inside-collider.gltf", coming(DVec3::Y, DVec3::new(0.5, 0.25, 0.25))),
        ("plane-collider.gltf", coming(DVec3::new(-0.25, 1.0, 0.0), DVec3::new(0.5, 0.0, 0.25))),
    ];
    for (name, moves) in samples {
        let path = folder.join(name);
        let scene = read(&Disk::open(&path));
        let gltf: Value = serde_json::from_slice(&std::fs::read(&path).expect("readable")).expect("JSON");
        let length = bone_length(&scene);
        let mut settled = moves.clone();
        settled.resize(8 * STEPS, moves[STEPS - 1].clone());
        let still = vec![Vec::new(); STEPS];
        let runs = [
            ("still", still, Measured::AsItDoes),
            ("moved", moves, Measured::Now),
            ("moved and settled", settled, Measured::AsItDoes),
        ];
        for (what, moves, measured) in runs {
            let answer = asked(&program, &gltf, &moves, measured);
            assert_eq!(answer["springs"], 4);
            let last = moves.len() - 1;
            let (apart, went) = compare(&answer["states"][last], &ours(&scene, &moves)[last], &scene);
            println!("{name} {what}: {:.1e} of a bone apart, moved by up to {:.3}", apart / length, went / length);
            assert!(apart <= 1e-3 * length, "{name} {what}: {apart}");
            assert_eq!(went > 0.1 * length, what != "still", "{name}");
        }
    }
}

/// Two chains that branch, below scaled and turned nodes, with all forms of colliders, gravity, and a center.
fn everything() -> Value {
    let node = |name: &str, translation: [f64; 3], children: &[usize]| {
        let mut node = json!({ "name": name, "translation": translation });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    let mut nodes = vec![
        node("body", [0.0, 1.0, 0.0], &[1, 2]),
        node("head", [0.0, 0.5, 0.0], &[3, 7]),
        node("arm", [0.5, 0.0, 0.0], &[10]),
        node("hair a", [0.0, 0.25, -0.125], &[4]),
        node("hair b", [0.0, -0.25, -0.0625], &[5, 12]),
        node("hair c", [0.0, -0.25, 0.0], &[6]),
        node("hair d", [0.0, -0.25, 0.0], &[]),
        node("ear a", [0.25, 0.25, 0.0], &[8]),
        node("ear b", [0.125, 0.125, 0.0], &[9]),
        node("ear c", [0.125, 0.0625, 0.0], &[]),
        node("sleeve a", [0.25, 0.0, 0.0], &[11]),
        node("sleeve b", [0.25, -0.125, 0.0], &[]),
        node("lock a", [0.0625, -0.1875, 0.0], &[13]),
        node("lock b", [0.0, -0.1875, 0.0], &[]),
    ];
    nodes[1]["rotation"] = json!(turn(DVec3::X, 0.3).to_array());
    nodes[1]["scale"] = json!([1.25, 1.25, 1.25]);
    nodes[3]["rotation"] = json!(turn(DVec3::Z, -0.4).to_array());
    nodes[8]["scale"] = json!([0.75, 0.75, 0.75]);
    let extended =
        |shape: Value| json!({ "VRMC_springBone_extended_collider": { "specVersion": "1.0", "shape": shape } });
    let far = json!({ "sphere": { "offset": [0, -10000, 0], "radius": 0 } });
    let colliders = json!([
        { "node": 1, "shape": { "sphere": { "offset": [0, 0.0625, 0], "radius": 0.25 } } },
        { "node": 0, "shape": { "capsule": { "offset": [0, -0.25, 0], "radius": 0.1875, "tail": [0, 0.25, 0] } } },
        { "node": 2, "shape": { "sphere": { "offset": [0.125, 0, 0], "radius": 0.0625 } } },
        { "node": 0, "shape": far, "extensions": extended(json!({ "plane": { "offset": [0, -0.25, 0], "normal": [0.25, 1, 0] } })) },
        { "node": 1, "shape": far, "extensions": extended(json!({ "sphere": { "radius": 1.0, "inside": true } })) },
        { "node": 0, "shape": far, "extensions": extended(json!({ "capsule":
            { "offset": [0, -0.5, 0], "radius": 1.0, "tail": [0, 0.75, 0], "inside": true } })) },
        // On a joint of another chain.
        { "node": 10, "shape": { "sphere": { "offset": [0.125, 0, 0], "radius": 0.0625 } } },
    ]);
    let joint = |node: usize, stiffness: f64, drag: f64| {
        json!({ "node": node, "hitRadius": 0.03125, "stiffness": stiffness, "dragForce": drag,
            "gravityPower": 0.25 * node as f64 / 4.0, "gravityDir": [0, -0.96, 0.28] })
    };
    let springs = json!([
        { "joints": [joint(3, 1.0, 0.4), joint(4, 0.75, 0.5), joint(5, 0.5, 0.25), joint(6, 0.0, 0.5)], "colliderGroups": [0, 1] },
        { "joints": [joint(12, 0.25, 0.125), joint(13, 0.0, 0.5)], "colliderGroups": [0, 2] },
        { "joints": [joint(7, 2.0, 0.4), joint(8, 0.5, 0.3), joint(9, 0.0, 0.5)], "center": 0 },
        { "joints": [joint(10, 0.125, 0.1), joint(11, 0.0, 0.5)], "center": 1, "colliderGroups": [1] },
    ]);
    let groups =
        json!([{ "colliders": [0, 1, 3] }, { "colliders": [2, 4, 5] }, { "name": "sleeve", "colliders": [6] }]);
    let spring_bone =
        json!({ "specVersion": "1.0", "colliders": colliders, "colliderGroups": groups, "springs": springs });
    json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
        "extensionsUsed": ["VRMC_springBone", "VRMC_springBone_extended_collider"],
        "extensions": { "VRMC_springBone": spring_bone } })
}

/// The body dances, the head nods, the arm swings.
fn dance() -> Moves {
    let at = |step: usize| {
        let t = step as f64 / 60.0;
        let wave = |speed: f64| maths::f64::sin(speed * t);
        vec![
            Move {
                node: 0,
                translation: DVec3::new(0.5 * wave(5.0), 1.0 + 0.125 * wave(9.0), 0.25 * wave(3.0)),
                rotation: turn(DVec3::Y, wave(4.0)),
            },
            Move { node: 1, translation: DVec3::Y * 0.5, rotation: turn(DVec3::X, 0.3 + 0.5 * wave(7.0)) },
            Move { node: 2, translation: DVec3::X * 0.5, rotation: turn(DVec3::Z, 1.5 * wave(6.0)) },
        ]
    };
    (0..STEPS).map(at).collect()
}

#[test]
fn every_rule_of_springs_is_that_of_three_vrm() {
    let Some(program) = judge() else { return };
    let gltf = everything();
    let scene = read(&MemorySource::new("everything.gltf", gltf.to_string().into_bytes()));
    let length = bone_length(&scene);
    let (moves, mut worst) = (dance(), Vec::new());
    let answer = asked(&program, &gltf, &moves, Measured::Now);
    assert_eq!(answer["springs"], 7);
    for (step, ours) in ours(&scene, &moves).iter().enumerate() {
        let (apart, went) = compare(&answer["states"][step], ours, &scene);
        println!("step {step}: {:.1e} of a bone apart, moved by up to {:.3}", apart / length, went / length);
        worst.push(apart / length);
    }
    assert!(worst.iter().all(|apart| *apart < 1e-9), "{worst:?}");
}

/// How far nodes have gone from each other, as an angle; the quaternion's sign is no difference.
fn apart_rad(a: DQuat, b: DQuat) -> f64 {
    2.0 * maths::f64::atan2((a - b).length().min((a + b).length()), 2.0)
}

/// The largest angle between the judge's rotations and ours, after constraints alone.
fn compare_rotations(state: &Value, scene: &Scene, moves: &[Move]) -> f64 {
    let rotations: Vec<[f64; 4]> = serde_json::from_value(state["rotations"].clone()).expect("rotations");
    let context = Context::new();
    let mut pose = Pose::rest(scene);
    moved(&mut pose, moves);
    RigSolver::new(scene, &context).expect("within limits").solve(&mut pose);
    assert!(context.report().is_empty(), "{:?}", context.report());
    let ours = scene.nodes.ids().map(|node| pose.local(node).to_trs().rotation);
    rotations.iter().zip(ours).map(|(a, b)| apart_rad(DQuat::from_array(*a), b)).fold(0.0, f64::max)
}

/// Every kind along every axis, of nodes in turned and scaled frames, listed against the order in which they follow each
/// other.
fn constrained() -> Value {
    let mut nodes = Vec::new();
    let mut add = |translation: [f64; 3], angle: f64, children: &[usize], constraint: Option<Value>| {
        let axis = DVec3::new(0.6, angle.fract(), -0.5).normalize_or_zero();
        let mut node = json!({ "translation": translation, "rotation": turn(axis, angle).to_array() });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        if let Some(constraint) = constraint {
            let value = json!({ "specVersion": "1.0", "constraint": constraint });
            node["extensions"] = json!({ "VRMC_node_constraint": value });
        }
        nodes.push(node);
    };
    // 0 carries the constrained ones, 1 and 2 are moved, 1 carries 2.
    add([0.5, 1.0, 0.0], 0.75, &[3, 4, 5, 6, 7, 8, 9, 10, 11, 12], None);
    add([1.0, 2.0, -1.0], -1.25, &[2], None);
    add([0.5, 0.25, 2.0], 0.5, &[], None);
    let roll = |source: usize, axis: &str, weight: f64| json!({ "roll": { "source": source, "rollAxis": axis, "weight": weight } });
    let aim = |source: usize, axis: &str, weight: f64| json!({ "aim": { "source": source, "aimAxis": axis, "weight": weight } });
    let copy = |source: usize, weight: f64| json!({ "rotation": { "source": source, "weight": weight } });
    add([0.0, 0.5, 0.0], 0.25, &[], Some(roll(4, "X", 1.0)));
    add([1.0, 0.5, 0.0], 1.5, &[], Some(roll(5, "Y", 0.75)));
    add([0.0, 1.5, 0.0], -0.5, &[], Some(roll(2, "Z", 0.5)));
    add([0.5, 0.5, 0.5], 0.125, &[], Some(aim(2, "PositiveX", 1.0)));
    add([0.0, 0.0, 0.5], 0.25, &[], Some(aim(2, "NegativeX", 0.25)));
    add([0.25, 0.0, 0.0], 2.0, &[], Some(aim(1, "PositiveY", 1.0)));
    add([0.0, 0.75, 0.0], -2.0, &[13], Some(aim(1, "NegativeY", 1.0)));
    add([0.0, 0.0, 0.0], 0.0, &[], Some(aim(2, "PositiveZ", 0.5)));
    add([0.0, 0.25, 1.0], 0.375, &[], Some(aim(13, "NegativeZ", 1.0)));
    add([0.0, 0.5, 1.0], 1.0, &[], Some(copy(3, 0.625)));
    add([0.5, 0.0, 0.0], 0.5, &[], Some(copy(2, 1.0)));
    nodes[0]["scale"] = json!([1.5, 1.5, 1.5]);
    json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }], "nodes": nodes,
        "extensionsUsed": ["VRMC_node_constraint"] })
}

#[test]
fn every_constraint_of_vrm_does_what_it_does_in_three_vrm() {
    let Some(program) = judge() else { return };
    let gltf = constrained();
    let scene = read(&MemorySource::new("constrained.gltf", gltf.to_string().into_bytes()));
    let at = |step: i32| {
        let t = f64::from(step);
        let translation = DVec3::new(1.0, 2.0 - 0.1 * t, 0.2 * t);
        let second = DVec3::new(0.5, 0.25, 2.0);
        vec![
            Move { node: 1, translation, rotation: turn(DVec3::Y, 0.4 * t - 1.0) },
            Move { node: 2, translation: second, rotation: turn(DVec3::new(0.6, 0.0, 0.8), 0.3 * t) },
        ]
    };
    let moves: Moves = (0..20).map(at).collect();
    let answer = asked(&program, &gltf, &moves, Measured::AsItDoes);
    assert_eq!(answer["constraints"], 11);
    turns_agree(&answer, &scene, &moves);
}

fn turns_agree(answer: &Value, scene: &Scene, moves: &Moves) {
    for (step, moves) in moves.iter().enumerate() {
        let apart = compare_rotations(&answer["states"][step], scene, moves);
        println!("step {step}: {apart:.1e} rad apart");
        assert!(apart < THREES_SLERP_RAD, "step {step}: {apart}");
    }
}

#[test]
fn the_constraint_sample_turns_as_in_three_vrm() {
    let (Some(program), Some(corpus)) = (judge(), corpus()) else { return };
    let path = corpus.join("vrm/three-vrm/three-vrm-node-constraint/examples/models/cubes.gltf");
    let scene = read(&Disk::open(&path));
    let gltf: Value = serde_json::from_slice(&std::fs::read(&path).expect("readable")).expect("JSON");
    let at = |step: i32| {
        let axis = DVec3::new(1.0, 2.0, f64::from(step) - 5.0).normalize_or_zero();
        vec![Move { node: 0, translation: DVec3::ZERO, rotation: turn(axis, 0.3 * f64::from(step)) }]
    };
    let moves: Moves = (0..10).map(at).collect();
    let answer = asked(&program, &gltf, &moves, Measured::AsItDoes);
    assert_eq!(answer["constraints"], 2);
    turns_agree(&answer, &scene, &moves);
}
