//! Optimising every glTF file of the corpus: never larger, and what is skinned stays where it was.
#![cfg(feature = "gltf")]
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod disk;

use anyrig::animation::{Pose, largest_distance, posed_geometry, scene_size};
use anyrig::optimize::optimize_scene;
use anyrig::scene::{Mesh, NodeId, Part, Scene, Semantic, Stream, Topology};
use anyrig::{
    Context, ConvertRequest, OptimizeOptions, Outcome, PassName, Registry, Report, Road, Severity, WrittenFiles,
    convert, load,
};
use disk::{Disk, corpus, files};
use std::fs;

fn request(to: &str, options: OptimizeOptions) -> ConvertRequest {
    let mut request = ConvertRequest::new(to);
    request.optimize = Some(options);
    request
}

fn skipping(passes: &[PassName]) -> OptimizeOptions {
    let mut options = OptimizeOptions::default();
    options.skip = passes.to_vec();
    options
}

/// How far a point may be moved by the bounds of `reduce-keys`: each node above it adds its error of translation, and
/// its errors of rotation and scale times the farthest distance in the scene.
fn bound(scene: &Scene, options: &OptimizeOptions) -> f64 {
    let depth = |id: NodeId| {
        let mut depth = 1;
        let mut at = id;
        while let Some(parent) = scene.nodes[at].parent {
            (depth, at) = (depth + 1, parent);
        }
        depth
    };
    let deepest = f64::from(scene.nodes.ids().map(depth).max().unwrap_or(0));
    let size = scene_size(scene);
    let weights = scene.meshes.values().map(|m| m.morphs.len()).max().unwrap_or(0) as f64;
    let each = options.keys_translation_m / scene.space.metres_per_unit
        + (options.keys_rotation_rad + options.keys_scale) * size;
    deepest * each + weights * options.keys_weight * size + 1e-5 * size
}

/// A direction that was computed for each face anew differs in its last bits.
#[test]
fn normals_that_differ_by_rounding_do_not_keep_points_apart() {
    let points_with = |tilt: f32| {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0f32]];
        let mut part = Part::default();
        part.point_count = 6;
        part.corners = Some((0..6u32).collect::<Vec<_>>().into());
        part.set_stream(Stream::new(Semantic::Position, 3, corners.map(|[x, y]| [x, y, 0.0]).concat()));
        let normals = [0.0, 0.0, 0.0, tilt, tilt, tilt].map(|x| [x, 0.0, 1.0]).concat();
        part.set_stream(Stream::new(Semantic::Normal, 3, normals));
        let mut mesh = Mesh::default();
        mesh.parts = vec![part];
        let mut scene = Scene::default();
        scene.meshes.push(mesh);
        let mut options = OptimizeOptions::default();
        options.only = vec![PassName::Weld];
        optimize_scene(&mut scene, &options, &Context::new()).expect("valid");
        scene.meshes.as_slice()[0].parts[0].point_count
    };
    assert_eq!((points_with(3e-6), points_with(1e-3)), (4, 6));
}

struct Sweep {
    optimized: usize,
    kept: usize,
    refused: usize,
    compared: usize,
    before: u64,
    after: u64,
}

#[test]
fn no_corpus_file_becomes_larger_or_moves_farther_than_the_bound() {
    let Some(corpus) = corpus() else { return };
    let mut sweep = Sweep { optimized: 0, kept: 0, refused: 0, compared: 0, before: 0, after: 0 };
    let mut failures = Vec::new();
    for path in files(&corpus, &["glb", "gltf", "vrm", "vrma"]) {
        let (source, context) = (Disk::open(&path), Context::new());
        let to = if path.extension().is_some_and(|e| e == "gltf") { "gltf" } else { "glb" };
        let options = OptimizeOptions::default();
        let Ok(conversion) = convert(&source, &request(to, options.clone()), &context) else {
            sweep.refused += 1;
            continue;
        };
        let done = conversion.optimization.as_ref().expect("it was wanted");
        let written: u64 = conversion.files.iter().map(|f| f.content.len()).sum();
        if written != done.bytes_after || written > done.bytes_before {
            failures.push(format!("{}: {} bytes became {written}", path.display(), done.bytes_before));
        }
        sweep.before += done.bytes_before;
        sweep.after += done.bytes_after;
        match done.outcome {
            Outcome::Optimized => sweep.optimized += 1,
            Outcome::NotSmaller | Outcome::WouldLose => {
                sweep.kept += 1;
                assert_eq!(conversion.road, Road::Document);
                assert!(
                    conversion.files[0].content.to_vec() == fs::read(&path).expect("readable"),
                    "{}",
                    path.display()
                );
                continue;
            }
            Outcome::Larger => failures.push(format!("{}: larger", path.display())),
        }
        let told = Context::new();
        let before = load(&source, None, &told).expect("read before");
        if is_repaired(&told.report()) || is_repaired(&conversion.report) {
            continue;
        }
        let after = WrittenFiles::new(&conversion.files, 0).expect("one file");
        let after = load(&after, Some(to), &Context::new()).expect("verified");
        let limit = bound(&before, &options);
        match farthest_corner(&before, &after) {
            Ok(distance) if distance <= limit => sweep.compared += 1,
            Ok(distance) => failures.push(format!("{}: {distance} apart, {limit} allowed", path.display())),
            Err(difference) => failures.push(format!("{}: {difference}", path.display())),
        }
    }
    println!(
        "{} files optimised ({} compared), {} kept, {} refused; {} bytes became {}",
        sweep.optimized, sweep.compared, sweep.kept, sweep.refused, sweep.before, sweep.after
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(sweep.optimized > sweep.refused && sweep.compared > 100);
}

type Triangle = [[f32; 3]; 3];

/// All triangles that a scene shows, posed, ordered by where they stand at rest: points are welded, renumbered and joined,
/// but no pass of the default chain changes a bit of the rest pose.
fn triangles(scene: &Scene, pose: &Pose) -> Vec<(Vec<u32>, Triangle)> {
    let (rest, posed) = (posed_geometry(scene, &Pose::rest(scene)), posed_geometry(scene, pose));
    let mut all = Vec::new();
    for (rest, posed) in rest.iter().zip(&posed) {
        let part = &scene.meshes[posed.mesh].parts[posed.part];
        if part.topology != Topology::Triangles || posed.positions.is_empty() {
            continue;
        }
        for face in 0..part.face_count() {
            let points = [0, 1, 2].map(|i| part.point_of(3 * face + i));
            let key: Vec<u32> = points.iter().flat_map(|p| rest.positions[*p].map(|v| (v + 0.0).to_bits())).collect();
            all.push((key, points.map(|p| posed.positions[p])));
        }
    }
    let bits = |t: &Triangle| t.map(|p| p.map(f32::to_bits));
    all.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| bits(&a.1).cmp(&bits(&b.1))));
    all
}

/// The largest distance of a corner at five times in each clip.
fn farthest_corner(before: &Scene, after: &Scene) -> Result<f64, String> {
    if before.clips.len() != after.clips.len() {
        return Err(format!("{} clips became {}", before.clips.len(), after.clips.len()));
    }
    let mut farthest = 0.0f64;
    let rest = (triangles(before, &Pose::rest(before)), triangles(after, &Pose::rest(after)));
    let same = rest.0.len() == rest.1.len() && rest.0.iter().zip(&rest.1).all(|(a, b)| a.0 == b.0);
    if !same {
        return Err(format!("{} triangles at rest became {} others", rest.0.len(), rest.1.len()));
    }
    for (a, b) in before.clips.iter().zip(&after.clips) {
        if (a.end_secs() - b.end_secs()).abs() > 1e-6 {
            return Err(format!("clip {}: {} s became {} s", a.name, a.end_secs(), b.end_secs()));
        }
        for quarter in 0..=4 {
            let time_secs = a.end_secs() * f64::from(quarter) / 4.0;
            let (a, b) = (Pose::of_clip(before, a, time_secs), Pose::of_clip(after, b, time_secs));
            for (a, b) in triangles(before, &a).iter().zip(&triangles(after, &b)) {
                let corners = a.1.as_flattened().iter().zip(b.1.as_flattened());
                let most = corners.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).fold(0.0, f64::max);
                farthest = farthest.max(most);
            }
        }
    }
    Ok(farthest)
}

fn is_repaired(report: &Report) -> bool {
    report.worst() >= Some(Severity::Repaired)
}

/// Without the passes that renumber points, every skinned vertex can be compared with itself.
#[test]
fn every_vertex_of_the_corpus_stays_within_the_bound() {
    let Some(corpus) = corpus() else { return };
    let (mut compared, mut failures) = (0, Vec::new());
    for path in files(&corpus.join("gltf"), &["glb", "gltf"]) {
        let (source, context) = (Disk::open(&path), Context::new());
        let Ok(before) = load(&source, None, &context) else { continue };
        let options = skipping(&[PassName::Weld, PassName::Merge, PassName::Prune, PassName::Reorder]);
        let mut after = before.clone();
        optimize_scene(&mut after, &options, &Context::new()).expect("valid");
        let limit = bound(&before, &options);
        for (a, b) in before.clips.iter().zip(&after.clips) {
            for step in 0..=12 {
                let time_secs = a.end_secs() * f64::from(step) / 12.0;
                let shapes = (
                    posed_geometry(&before, &Pose::of_clip(&before, a, time_secs)),
                    posed_geometry(&after, &Pose::of_clip(&after, b, time_secs)),
                );
                let distance = largest_distance(&shapes.0, &shapes.1);
                if distance.is_none_or(|d| d > limit) {
                    failures.push(format!("{}: {distance:?} apart, {limit} allowed", path.display()));
                }
                compared += 1;
            }
        }
    }
    println!("{compared} poses compared");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 100);
}

#[test]
fn threads_do_not_change_a_byte() {
    let Some(corpus) = corpus() else { return };
    let mut options = OptimizeOptions::default();
    options.simplify_ratio = 0.5;
    let paths = files(&corpus.join("gltf"), &["glb", "gltf"]);
    let once = |threads: usize| -> Vec<Vec<u8>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let one = |path: &std::path::PathBuf| {
                let conversion = convert(&Disk::open(path), &request("glb", options.clone()), &Context::new()).ok()?;
                Some(conversion.files[0].content.to_vec())
            };
            paths.iter().filter(|p| p.metadata().is_ok_and(|m| m.len() < 300_000)).filter_map(one).collect()
        })
    };
    let (one, four) = (once(1), once(4));
    assert!(one.len() > 20, "{} files", one.len());
    assert!(one == four);
}

/// An option of both would be the pass's, and that of the format out of reach.
#[test]
fn no_option_of_a_pass_is_one_of_a_format() {
    let keys = |schema: &anyrig::scene::OptionSchema| -> Vec<String> {
        anyrig::options::describe(schema).into_iter().map(|option| option.key).collect()
    };
    let of_passes = keys(&anyrig::optimize::option_schema());
    let registry = Registry::standard();
    let formats = registry.exporters().map(|e| e.info()).chain(registry.importers().map(|i| i.info()));
    let mut checked = 0;
    for info in formats {
        for key in info.options.iter().flat_map(keys) {
            assert!(!of_passes.contains(&key), "`{key}` is an option of a pass and of {}", info.id);
            checked += 1;
        }
    }
    assert!(checked > 5 && of_passes.len() > 20, "{checked} options of formats, {} of passes", of_passes.len());
}
