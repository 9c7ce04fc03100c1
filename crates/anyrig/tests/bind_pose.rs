//! The self-test of every skin of the corpus: in its bind pose, a skin leaves each point where the mesh has it.
#![cfg(all(feature = "gltf", feature = "fbx", feature = "urho"))]
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod disk;

use anyrig::animation::{
    Evaluator, Pose, SkinInput, SkinOutput, Skinner, dual_quaternion_palette, matrix_palette, scene_from_mesh,
};
use anyrig::scene::glam::{DAffine3, DVec3};
use anyrig::scene::{Influences, LocalTransform, NodeId, Part, Scene, Skin, SkinMethod};
use anyrig::{Context, load};
use disk::{Disk, corpus, files};

/// Of the model's size.
const MOST: f64 = 1e-5;

/// How many skins of each kind were looked at.
#[derive(Debug, Default)]
struct Counts {
    /// All skins with points.
    skins: usize,
    /// Whose joints were put into the bind pose.
    bound: usize,
    /// Whose bind pose is the rest pose.
    at_rest: usize,
    points: usize,
}

/// The part of a mesh that a skin moves.
struct Worn<'s> {
    skin: &'s Skin,
    positions: &'s [[f32; 3]],
    influences: &'s Influences,
}

fn worn(scene: &Scene) -> Vec<Worn<'_>> {
    let instances = scene.nodes.values().filter_map(|node| node.mesh.as_ref());
    let mut found = Vec::new();
    for (skin, mesh) in instances.filter_map(|i| Some((scene.skins.get(i.skin?)?, scene.meshes.get(i.mesh)?))) {
        let parts = mesh.parts.iter().filter_map(|part: &Part| Some((part.positions(), part.influences.as_ref()?)));
        found.extend(parts.map(|(positions, influences)| Worn { skin, positions, influences }));
    }
    found.retain(|worn| !worn.positions.is_empty());
    found
}

/// The diagonal of the box around points.
fn size(positions: &[[f32; 3]]) -> f64 {
    let points = positions.iter().map(|p| DVec3::from_array(p.map(f64::from)));
    let (low, high) = points.fold((DVec3::MAX, DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).length()
}

/// The joints that move a point.
fn used(worn: &Worn<'_>) -> Vec<usize> {
    let pairs = worn.influences.joints.iter().zip(worn.influences.weights.iter());
    let mut joints: Vec<usize> = pairs.filter(|(_, w)| **w != 0.0).map(|(joint, _)| *joint as usize).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

/// Puts the joints where the inverse binds say they were; `None` where one has no inverse, stands twice in the skin, or
/// cannot get there because it does not inherit its parent's scale.
fn bind_pose(scene: &Scene, evaluator: &Evaluator, skin: &Skin) -> Option<Pose> {
    let mut pose = Pose::rest(scene);
    let bound = |node: NodeId| {
        let index = skin.joints.iter().position(|joint| *joint == node)?;
        let bind = skin.inverse_binds.get(index).copied().unwrap_or_default();
        (bind.matrix3.determinant().abs() > 1e-12).then(|| bind.inverse())
    };
    let mut seen = skin.joints.clone();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() != skin.joints.len() {
        return None;
    }
    for node in anyrig::scene::walk::parents_first(scene) {
        if !skin.joints.contains(&node) {
            continue;
        }
        let parent = scene.nodes[node].parent;
        // Joints above are in their places already.
        let scene_from_parent = parent.map_or(DAffine3::IDENTITY, |p| evaluator.worlds(&pose)[p.index()]);
        let local = scene_from_parent.inverse() * bound(node)?;
        pose.set_local(node, LocalTransform::Matrix(local.is_finite().then_some(local)?));
    }
    let worlds = evaluator.worlds(&pose);
    let is_there = |joint: &NodeId| bound(*joint).is_some_and(|bound| worlds[joint.index()].abs_diff_eq(bound, 1e-6));
    skin.joints.iter().all(is_there).then_some(pose)
}

/// The largest distance of a skinned point from where one transform puts the mesh's.
fn largest_move(worn: &Worn<'_>, worlds: &[DAffine3], expected: DAffine3) -> f64 {
    let mut moved = vec![[0.0; 3]; worn.positions.len()];
    let (input, mut out) = (SkinInput::new(worn.positions, worn.influences), SkinOutput::new(&mut moved));
    match worn.skin.method {
        SkinMethod::Linear => {
            let mut palette = Vec::new();
            matrix_palette(worn.skin, worlds, &mut palette);
            Skinner::new().linear(&input, &palette, &mut out);
        }
        SkinMethod::DualQuaternion => {
            let mut palette = Vec::new();
            dual_quaternion_palette(worn.skin, worlds, &mut palette);
            Skinner::new().dual_quaternion(&input, &palette, &mut out);
        }
    }
    let vector = |p: [f32; 3]| DVec3::from_array(p.map(f64::from));
    // Points without weight stay where the mesh has them.
    let weight = |point: usize| worn.influences.of(point).1.iter().sum::<f32>();
    let pairs = worn.positions.iter().zip(&moved).enumerate();
    let distances = pairs.filter(|(point, _)| weight(*point) != 0.0);
    distances.map(|(_, (from, to))| vector(*to).distance(expected.transform_point3(vector(*from)))).fold(0.0, f64::max)
}

/// The transform that all used joints have in common.
fn common(worn: &Worn<'_>, worlds: &[DAffine3]) -> Option<DAffine3> {
    let palette: Vec<DAffine3> = scene_from_mesh(worn.skin, worlds).collect();
    let mut used = used(worn).into_iter().filter_map(|joint| palette.get(joint));
    let first = *used.next()?;
    let reach = first.matrix3.to_cols_array().into_iter().fold(1e-9, |most: f64, v| most.max(v.abs()));
    let far = worn.positions.as_flattened().iter().fold(0.0, |most: f64, v| most.max(f64::from(v.abs())));
    let is_same = |other: &DAffine3| {
        (other.matrix3 - first.matrix3).to_cols_array().iter().all(|v| v.abs() <= 1e-6 * reach)
            && (other.translation - first.translation).length() <= 1e-6 * (reach * far).max(1e-9)
    };
    used.all(is_same).then_some(first)
}

#[test]
fn bind_poses_leave_every_point_in_its_place() {
    let Some(corpus) = corpus() else { return };
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for path in files(&corpus, &["glb", "gltf", "vrm", "fbx", "mdl"]) {
        let Ok(scene) = load(&Disk::open(&path), None, &Context::new()) else { continue };
        let evaluator = Evaluator::new(&scene);
        let rest = evaluator.worlds(&Pose::rest(&scene));
        for worn in worn(&scene) {
            counts.skins += 1;
            counts.points += worn.positions.len();
            let size = size(worn.positions);
            let mut check = |what: &str, worlds: &[DAffine3], expected: DAffine3| {
                let scale = expected.matrix3.to_cols_array().into_iter().fold(0.0, |most: f64, v| most.max(v.abs()));
                let found = largest_move(&worn, worlds, expected) / scale.max(f64::MIN_POSITIVE);
                if found > MOST * size {
                    wrong.push(format!("{} {:?} {what}: {found} of {size}", path.display(), worn.skin.name));
                }
            };
            if let Some(pose) = bind_pose(&scene, &evaluator, worn.skin) {
                counts.bound += 1;
                check("in its bind pose", &evaluator.worlds(&pose), DAffine3::IDENTITY);
            }
            if let Some(expected) = common(&worn, &rest) {
                counts.at_rest += 1;
                check("at rest", &rest, expected);
            }
        }
    }
    println!("{counts:?}");
    // What was left out for good reason must not grow in silence.
    assert!(counts.at_rest >= 99 && counts.bound >= 120, "{counts:?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
