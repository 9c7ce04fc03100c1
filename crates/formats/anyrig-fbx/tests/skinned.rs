//! Points as shown, skinned and blended, against ufbx: every mesh of the corpus that deforms, at rest and in its clips.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_animation::{Pose, posed_geometry};
use anyrig_scene::{NodeId, Scene};
use glam::DVec3;
use std::collections::BTreeMap;

/// Times per clip, at odd places.
const TIMES: usize = 10;
/// Largest distance as a share of the model's size.
const BOUND: f64 = 1e-4;

/// Files that deviate, each with the reason why.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// The points of each node's mesh, in scene space; parts share them, so one part says all.
fn ours(scene: &Scene, pose: &Pose) -> BTreeMap<NodeId, Vec<DVec3>> {
    let mut all = BTreeMap::new();
    for posed in posed_geometry(scene, pose) {
        let points = posed.positions.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
        all.entry(posed.node).or_insert(points);
    }
    all
}

fn theirs(mesh: &ufbx::Mesh, node: &ufbx::Node) -> Vec<DVec3> {
    let m = &node.geometry_to_world;
    let world = |p: &ufbx::Vec3| {
        if !mesh.skinned_is_local {
            return DVec3::new(p.x, p.y, p.z);
        }
        DVec3::new(
            m.m00 * p.x + m.m01 * p.y + m.m02 * p.z + m.m03,
            m.m10 * p.x + m.m11 * p.y + m.m12 * p.z + m.m13,
            m.m20 * p.x + m.m21 * p.y + m.m22 * p.z + m.m23,
        )
    };
    mesh.skinned_position.values.iter().map(world).collect()
}

fn size(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (high - low).length().max(1e-9)
}

#[derive(Default, Debug)]
struct Counts {
    files: usize,
    meshes: usize,
    moments: usize,
    points: u64,
}

fn compare(ours_scene: &Scene, pose: &Pose, scene: &ufbx::Scene, counts: &mut Counts) -> (f64, String) {
    let shown = ours(ours_scene, pose);
    let mut nodes: Vec<&ufbx::Node> = (&scene.nodes).into_iter().filter(|n| !n.is_root).collect();
    nodes.sort_by_key(|n| n.element.element_id);
    let mut worst = (0.0, String::new());
    for (index, node) in nodes.iter().enumerate() {
        let Some(mesh) = node.mesh.as_ref().filter(|m| m.skin_deformers.len() + m.blend_deformers.len() > 0) else {
            continue;
        };
        let Some(ours) = shown.get(&NodeId::new(index)) else {
            // What has no faces is not shown.
            if mesh.num_faces == 0 {
                continue;
            }
            return (f64::INFINITY, format!("{} shows nothing", node.element.name));
        };
        let theirs = theirs(mesh, node);
        if theirs.len() != ours.len() {
            return (f64::INFINITY, format!("{}: {} points, {} there", node.element.name, ours.len(), theirs.len()));
        }
        counts.meshes += 1;
        counts.points += theirs.len() as u64;
        let apart = ours.iter().zip(&theirs).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / size(&theirs);
        if apart > worst.0 || apart.is_nan() {
            worst = (apart, node.element.name.to_string());
        }
    }
    worst
}

fn judge(bytes: &[u8], counts: &mut Counts) -> Option<(f64, String)> {
    let options = ufbx::LoadOpts { evaluate_skinning: true, ..ufbx::LoadOpts::default() };
    let theirs = ufbx::load_memory(bytes, options).ok()?;
    let deforms = theirs.meshes.iter().any(|m| m.skin_deformers.len() + m.blend_deformers.len() > 0);
    if !deforms {
        return None;
    }
    let scene = match common::scene_of(bytes) {
        Ok(scene) => scene,
        Err(error) => return Some((f64::INFINITY, error)),
    };
    counts.files += 1;
    let rest = Pose::rest(&scene);
    let mut worst = compare(&scene, &rest, &theirs, counts);
    worst.1 += " at rest";
    for (index, stack) in theirs.anim_stacks.iter().enumerate() {
        let Some(clip) = scene.clips.get(index) else {
            return Some((f64::INFINITY, format!("there is no clip {index}")));
        };
        for moment in 0..TIMES {
            let time = stack.time_begin + (stack.time_end - stack.time_begin) * (moment as f64 + 0.37) / TIMES as f64;
            let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..ufbx::EvaluateOpts::default() };
            let Ok(evaluated) = ufbx::evaluate_scene(&theirs, &stack.anim, time, options) else {
                return Some((f64::INFINITY, format!("ufbx does not evaluate clip {index} at {time}")));
            };
            let mut pose = rest.clone();
            pose.apply_clip(clip, time);
            counts.moments += 1;
            let (apart, what) = compare(&scene, &pose, &evaluated, counts);
            if apart > worst.0 || apart.is_nan() {
                worst = (apart, format!("{what} clip {index} at {time}"));
            }
        }
    }
    Some(worst)
}

#[test]
fn deformed_points_are_those_of_ufbx() {
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for sample in common::judged() {
        let Some((apart, what)) = judge(&sample.bytes, &mut counts) else { continue };
        if apart > BOUND || apart.is_nan() {
            println!("{}: {apart:e} {what}", sample.name);
            wrong.push(sample.name.clone());
        }
    }
    println!("{counts:?}, {} deviate, {} of them known", wrong.len(), EXCEPTIONS.len());
    // Without the corpus there is only the sample.
    if counts.files == 1 {
        return;
    }
    // A file, mesh or clip that is no longer compared is a difference too.
    let compared = (counts.files, counts.meshes, counts.moments, counts.points);
    assert_eq!(compared, (70, 894, 780, 77_155));
    let known: Vec<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(wrong, known);
}
