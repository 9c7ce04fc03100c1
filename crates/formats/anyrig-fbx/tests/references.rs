//! The `.obj` files beside corpus files: what the authoring tool itself showed, at rest or at a frame.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_animation::{Pose, posed_geometry};
use anyrig_bytes::{Context, SharedBytes, Value};
use anyrig_fbx::{FbxDocument, import};
use anyrig_scene::{Clip, Scene, Space, Topology};
use std::collections::BTreeMap;
use std::path::Path;

/// Largest distance between a point here and the nearest one there, as a share of the size of the model.
const BOUND: f64 = 1e-3;

/// References that are not matched, with the reason.
const EXCEPTIONS: [(&str, &str); 18] = [
    ("blender_293_ngon_subsurf", SUBDIVIDED),
    ("blender_293_suzanne_subsurf", SUBDIVIDED),
    ("blender_293x_subsurf_boundary", SUBDIVIDED),
    ("blender_340_z_up", "the reference holds one of the two objects"),
    ("maya_axes_anim_5", "a deformer that the file keeps as a vertex cache, which is not read"),
    ("maya_axes_anim_8", "a deformer that the file keeps as a vertex cache, which is not read"),
    ("maya_instanced_skin_0", MOVED),
    ("maya_instanced_skin_4", MOVED),
    ("maya_instanced_skin_8", MOVED),
    ("maya_nurbs_low_sphere", "the surface is NURBS, which is not evaluated"),
    ("maya_subsurf_cube", SUBDIVIDED),
    ("maya_subsurf_cube_crease", SUBDIVIDED),
    ("maya_subsurf_plane", SUBDIVIDED),
    ("maya_transformed_skin_0", MOVED),
    ("maya_transformed_skin_4", MOVED),
    ("maya_transformed_skin_8", MOVED),
    ("maya_vertex_crease", SUBDIVIDED),
    ("maya_vertex_crease_single", SUBDIVIDED),
];

/// How many comparisons match, how many of them at a frame, and how many references have no file beside them.
const COMPARISONS: (usize, usize, usize) = (170, 100, 17);

const MOVED: &str = "Maya moves skinned points by what their node moved since bind time, which FBX skins ignore";
const SUBDIVIDED: &str = "the reference is the subdivided surface; the scene has its control cage";

struct Reference {
    /// Name of the FBX file without version and encoding.
    base: String,
    frame: Option<f64>,
    points: Vec<[f64; 3]>,
    tolerance: f64,
}

/// `name_frame.obj` or `name.obj`; those that end in `_obj` are inputs of their own.
fn reference(path: &Path) -> Option<Reference> {
    let stem = path.file_stem()?.to_str()?.to_owned();
    if stem.ends_with("_obj") {
        return None;
    }
    let frame = stem.rsplit_once('_').and_then(|(base, frame)| Some((base.to_owned(), frame.parse::<f64>().ok()?)));
    let (base, frame) = frame.map_or((stem, None), |(base, frame)| (base, Some(frame)));
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let flag = |name: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix("# ufbx:")?.strip_prefix(name)?.strip_prefix('='));
        line.and_then(|v| v.trim().parse::<f64>().ok())
    };
    let numbers = |line: &str| {
        let mut numbers = line.split_whitespace().map(|n| n.parse::<f64>().unwrap_or(f64::NAN));
        Some([numbers.next()?, numbers.next()?, numbers.next()?])
    };
    let all: Vec<[f64; 3]> = text.lines().filter_map(|l| numbers(l.strip_prefix("v ")?)).collect();
    let mut used = vec![false; all.len()];
    for corner in text.lines().filter_map(|l| l.strip_prefix("f ")).flat_map(str::split_whitespace) {
        let index = corner.split('/').next().and_then(|n| n.parse::<usize>().ok());
        if let Some(slot) = index.and_then(|i| used.get_mut(i.wrapping_sub(1))) {
            *slot = true;
        }
    }
    if !used.contains(&true) {
        used.fill(true);
    }
    let points = all.into_iter().zip(used).filter(|(_, used)| *used).map(|(p, _)| p).collect();
    Some(Reference { base, frame, points, tolerance: flag("tolerance").unwrap_or(0.0) })
}

/// The points of all faces, at rest or at a frame of a clip.
fn points(scene: &Scene, reference: &Reference, clip: Option<&Clip>, start_secs: f64) -> Vec<[f64; 3]> {
    let mut pose = Pose::rest(scene);
    let rate = scene.extras.get("fbx.frames_per_second").and_then(Value::as_f64).unwrap_or(30.0);
    if let (Some(frame), Some(clip)) = (reference.frame, clip) {
        pose.apply_clip(clip, start_secs + frame / rate);
    }
    let mut points = Vec::new();
    for posed in posed_geometry(scene, &pose) {
        let part = &scene.meshes[posed.mesh].parts[posed.part];
        if part.topology == Topology::Lines {
            continue;
        }
        let mut used = vec![false; posed.positions.len()];
        (0..part.corner_count()).for_each(|c| used[part.point_of(c)] = true);
        let shown = posed.positions.iter().zip(used).filter(|(_, u)| *u);
        points.extend(shown.map(|(p, _)| p.map(f64::from)));
    }
    points
}

/// The largest distance from a point of `a` to the nearest of `b`.
fn one_sided(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let mut sorted = b.to_vec();
    sorted.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let mut largest: f64 = 0.0;
    for point in a {
        let start = sorted.partition_point(|q| q[0] < point[0]);
        let mut best = f64::INFINITY;
        let mut look = |q: &[f64; 3]| {
            let along = (q[0] - point[0]).abs();
            let distance = (0..3).map(|i| (q[i] - point[i]) * (q[i] - point[i])).sum::<f64>().sqrt();
            best = best.min(distance);
            along <= best
        };
        let _ = sorted[start..].iter().take_while(|q| look(q)).count();
        let _ = sorted[..start].iter().rev().take_while(|q| look(q)).count();
        largest = largest.max(best);
    }
    largest
}

fn size(points: &[[f64; 3]]) -> f64 {
    let range = |i: usize| {
        let (low, high) =
            points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[i]), h.max(p[i])));
        high - low
    };
    (0..3).map(|i| range(i) * range(i)).sum::<f64>().sqrt()
}

/// The deviation as a share of the size, in the unit and axes that fit best: exporters of `.obj` choose theirs.
fn deviation(scene: &Scene, reference: &Reference) -> (f64, String) {
    let mut best = (f64::INFINITY, String::new());
    let mut spaces = vec![("as it is", scene.clone())];
    let mut upright = scene.clone();
    let space = Space::GLTF.with_metres_per_unit(scene.space.metres_per_unit).with_uv_origin(scene.space.uv_origin);
    if anyrig_passes::to_space(&mut upright, space, &Context::new()).is_ok() && space != scene.space {
        spaces.push(("upright", upright));
    }
    for (name, scene) in spaces {
        let clips = if reference.frame.is_some() { scene.clips.len().max(1) } else { 1 };
        // Frames count from 0 or, where clips were cut out of one motion, from the first frame of the clip.
        let start = |clip: usize| scene.clips.get(clip).map_or(0.0, |c| c.start_secs);
        for (clip, start) in (0..clips).flat_map(|clip| [(clip, 0.0), (clip, start(clip))]) {
            let ours = points(&scene, reference, scene.clips.get(clip), start);
            for unit in [1.0, 0.1, 0.01, 10.0, 100.0] {
                let theirs: Vec<_> = reference.points.iter().map(|p| p.map(|v| v * unit)).collect();
                let size = size(&theirs).max(1e-9);
                let apart = one_sided(&theirs, &ours).max(one_sided(&ours, &theirs)) / size;
                if apart < best.0 {
                    let counts = format!("{} points, {} there", ours.len(), theirs.len());
                    best = (apart, format!("{name}, unit {unit}, clip {clip} from {start}, {counts}"));
                }
            }
        }
    }
    best
}

#[test]
fn scenes_look_as_in_the_tools_that_made_them() {
    let samples = common::corpus();
    let Some(root) = common::root() else { return };
    let mut by_base: BTreeMap<String, Vec<&common::Sample>> = BTreeMap::new();
    for sample in samples.iter().filter(|s| !s.is_fuzz()) {
        let stem = sample.name.trim_end_matches(".fbx").trim_start_matches("ufbx/");
        let parts: Vec<&str> = stem.split('_').collect();
        let version = parts
            .windows(2)
            .position(|w| w[0].len() == 4 && w[0].parse::<u32>().is_ok() && matches!(w[1], "ascii" | "binary"));
        if let Some(at) = version {
            let base = parts.iter().enumerate().filter(|(i, _)| *i != at && *i != at + 1).map(|(_, p)| *p);
            by_base.entry(base.collect::<Vec<_>>().join("_")).or_default().push(sample);
        }
    }
    let mut objs: Vec<_> =
        std::fs::read_dir(root.join("ufbx")).expect("a folder").flatten().map(|e| e.path()).collect();
    objs.retain(|p| p.extension().is_some_and(|e| e == "obj"));
    objs.sort();
    let (mut matched, mut frames, mut wrong, mut without) = (0, 0, Vec::new(), Vec::new());
    let mut deviating = std::collections::BTreeSet::new();
    for path in objs {
        let Some(reference) = reference(&path) else { continue };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(files) = by_base.get(&reference.base) else {
            without.push(name);
            continue;
        };
        for sample in files {
            let context = Context::new();
            let document = FbxDocument::read(&SharedBytes::from(sample.bytes.as_slice()), &context).expect("read");
            let scene = import::import(&document, &context).expect("imported");
            let (apart, how) = deviation(&scene, &reference);
            let known = EXCEPTIONS.iter().find(|(known, _)| name == *known);
            if apart <= BOUND.max(reference.tolerance) {
                matched += 1;
                frames += usize::from(reference.frame.is_some());
            } else if let Some((known, reason)) = known {
                deviating.insert(*known);
                println!("{name} {}: {apart:e}: {reason}", sample.name);
            } else {
                println!("{name} {}: {apart:e} ({how})", sample.name);
                wrong.push(name.clone());
            }
        }
    }
    println!("{matched} comparisons match, {frames} of them at a frame; without a file: {without:?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    let known: std::collections::BTreeSet<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(deviating, known, "an exception that matches is none");
    assert_eq!(
        (matched, frames, without.len()),
        COMPARISONS,
        "files of the corpus are no longer compared: {without:?}"
    );
}
