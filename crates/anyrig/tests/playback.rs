//! How clips are played, judged by three.js: positions and rotations of all nodes of every animated glTF of the corpus.
//! `.ci/judges` installs it.
#![cfg(feature = "gltf")]
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod disk;

use anyrig::animation::{Evaluator, Player, Pose, Tracks, scene_size};
use anyrig::scene::glam::{DAffine3, DMat4, DVec3};
use anyrig::scene::{Clip, Scene};
use anyrig::{Context, load};
use disk::{Disk, corpus, files};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Times in each clip, its start and end among them.
const TIMES: u32 = 20;
/// Of the model's size.
const MOST_DISTANCE: f64 = 1e-5;
const MOST_ANGLE_RAD: f64 = 1e-4;
/// What three.js does not play, or plays in another way, each with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "gltf/bevy/SimpleSkin/SimpleSkin.gltf",
        "keys of three digits: three.js takes the arc between them without making them unit",
    ),
    ("gltf/draco/simple_skin.gltf", "the same"),
    (
        "gltf/gltf-blender-io/roundtrip/24_animation_pointer/24_animation_pointer.gltf",
        "nodes that KHR_animation_pointer moves",
    ),
];

struct Case {
    name: String,
    path: PathBuf,
    scene: Scene,
}

/// Every file that has a clip.
fn animated(corpus: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for path in files(corpus, &["glb", "gltf", "vrm", "vrma"]) {
        let name = path.strip_prefix(corpus).expect("below it").to_string_lossy().into_owned();
        let Ok(scene) = load(&Disk::open(&path), Some("gltf"), &Context::new()) else { continue };
        if scene.clips.iter().any(|clip| clip.channels.iter().any(|c| c.target.moved_node().is_some())) {
            cases.push(Case { name, path, scene });
        }
    }
    cases
}

fn times(clip: &Clip) -> impl Iterator<Item = f64> {
    let (start, end) = (clip.start_secs, clip.end_secs());
    (0..TIMES).map(move |i| start + (end - start) * f64::from(i) / f64::from(TIMES - 1))
}

/// Three.js at work on the cases; `None` when it is not installed, which only CI must not accept.
fn three(cases: &[Case]) -> Option<Child> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join(".judges/node_modules/three").is_dir() {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs three.js: .ci/judges installs it");
        println!("skipped: no three.js; .ci/judges installs it");
        return None;
    }
    let ask = |case: &Case| {
        let times: Vec<Vec<f64>> = case.scene.clips.iter().map(|clip| times(clip).collect()).collect();
        serde_json::json!({ "file": case.path, "times": times })
    };
    let request = serde_json::Value::Array(cases.iter().map(ask).collect()).to_string();
    let mut command = Command::new("node");
    command.arg(root.join("tests/judges/playback.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("node");
    child.stdin.take().expect("piped").write_all(request.as_bytes()).expect("node reads");
    Some(child)
}

/// World matrices by animation, time and node, or why there are none.
fn answer(from: &mut impl Read) -> Result<Vec<f64>, String> {
    let mut length = [0; 4];
    from.read_exact(&mut length).expect("node answers");
    let mut content = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut content).expect("node answers in full");
    let (head, content) = content.split_at(8);
    if head[0] == 0 {
        return Err(String::from_utf8_lossy(content).into_owned());
    }
    Ok(content.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}

/// The largest distance and angle, and where.
#[derive(Debug, Default)]
struct Worst {
    distance: f64,
    angle_rad: f64,
    place: String,
}

impl Worst {
    /// A distance as a share of the size.
    fn take(&mut self, distance: f64, angle_rad: f64, place: impl Fn() -> String) {
        let was = (self.distance / MOST_DISTANCE).max(self.angle_rad / MOST_ANGLE_RAD);
        if (distance / MOST_DISTANCE).max(angle_rad / MOST_ANGLE_RAD) > was {
            self.place = place();
        }
        self.distance = self.distance.max(distance);
        self.angle_rad = self.angle_rad.max(angle_rad);
    }
}

/// The largest angle between the axes of two frames that have length.
fn angle(a: &DAffine3, b: &DMat4) -> f64 {
    let pairs = [
        (a.matrix3.x_axis, b.x_axis.truncate()),
        (a.matrix3.y_axis, b.y_axis.truncate()),
        (a.matrix3.z_axis, b.z_axis.truncate()),
    ];
    let angles = pairs.into_iter().filter(|(a, b)| a.length() > 1e-6 && b.length() > 1e-6);
    angles.map(|(a, b)| anyrig::bytes::maths::f64::atan2(a.cross(b).length(), a.dot(b))).fold(0.0, f64::max)
}

/// The diagonal of what is seen, or of the nodes where nothing is.
fn size(scene: &Scene, worlds: &[DAffine3]) -> f64 {
    let at = worlds.iter().map(|w| w.translation);
    let (low, high) = at.fold((DVec3::MAX, DVec3::MIN), |(low, high), p| (low.min(p), high.max(p)));
    scene_size(scene).max((high - low).length()).max(f64::MIN_POSITIVE)
}

fn compare(case: &Case, theirs: &[f64]) -> (Worst, usize) {
    let scene = &case.scene;
    let evaluator = Evaluator::new(scene);
    let size = size(scene, &evaluator.worlds(&Pose::rest(scene)));
    let (matrices, rest) = theirs.as_chunks::<16>();
    assert!(
        rest.is_empty() && matrices.len() == scene.clips.len() * TIMES as usize * scene.nodes.len(),
        "{}",
        case.name
    );
    let mut frames = matrices.chunks(scene.nodes.len());
    let (mut worst, mut compared) = (Worst::default(), 0);
    for clip in &scene.clips {
        for time_secs in times(clip) {
            let worlds = evaluator.worlds(&Pose::of_clip(scene, clip, time_secs));
            let frame = frames.next().expect("counted");
            for ((id, node), (ours, theirs)) in scene.nodes.iter().zip(worlds.iter().zip(frame)) {
                if theirs[0].is_nan() {
                    continue;
                }
                let theirs = DMat4::from_cols_array(theirs);
                let distance = ours.translation.distance(theirs.w_axis.truncate()) / size;
                let place =
                    || format!("{} {:?} at {time_secs} s, node {} {:?}", case.name, clip.name, id.index(), node.name);
                worst.take(distance, angle(ours, &theirs), place);
                compared += 1;
            }
        }
    }
    (worst, compared)
}

#[test]
fn every_animated_gltf_moves_as_in_three_js() {
    let Some(corpus) = corpus() else { return };
    let cases = animated(&corpus);
    assert!(!cases.is_empty());
    let Some(mut child) = three(&cases) else { return };
    let mut answers = BufReader::new(child.stdout.take().expect("piped"));
    let (mut files, mut compared, mut wrong, mut left_out) = (0, 0, Vec::new(), 0);
    let mut all = Worst::default();
    for case in &cases {
        let is_listed = LEFT_OUT.iter().any(|(name, _)| *name == case.name);
        let found = answer(&mut answers).map(|theirs| compare(case, &theirs));
        let is_right = matches!(&found, Ok((w, _)) if w.distance <= MOST_DISTANCE && w.angle_rad <= MOST_ANGLE_RAD);
        match found {
            _ if is_right == is_listed => wrong.push(format!("{}: listed: {is_listed}, found: {found:?}", case.name)),
            Ok((worst, nodes)) if is_right => {
                (files, compared) = (files + 1, compared + nodes);
                all.take(worst.distance, worst.angle_rad, || worst.place.clone());
            }
            _ => left_out += 1,
        }
    }
    assert!(child.wait().expect("node ends").success());
    println!("{files} files, {compared} nodes at times, {left_out} left out; the largest of all: {all:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 0);
}

/// The largest distance between nodes as [`Player`] and as [`Evaluator`] have them, as a share of the size.
fn player_distance(scene: &Scene, clip: &Clip, tracks: &Tracks, size: f64) -> f64 {
    let evaluator = Evaluator::new(scene);
    let mut player = Player::new(tracks);
    let distances = times(clip).map(|time_secs| {
        let worlds = evaluator.worlds(&Pose::of_clip(scene, clip, time_secs));
        player.play(time_secs);
        let distances = player.worlds().iter().zip(&worlds).map(|(fast, exact)| {
            let fast = fast.to_affine();
            let axes = |world: &DAffine3| [world.matrix3.x_axis, world.matrix3.y_axis, world.matrix3.z_axis];
            let most = axes(exact).map(DVec3::length).into_iter().fold(1.0, f64::max);
            let turned = axes(&fast).into_iter().zip(axes(exact)).map(|(a, b)| a.distance(b) / most);
            turned.fold(fast.translation.distance(exact.translation) / size, f64::max)
        });
        distances.fold(0.0, f64::max)
    });
    distances.fold(0.0, f64::max)
}

#[test]
fn every_clip_is_played_fast_as_it_is() {
    let Some(corpus) = corpus() else { return };
    let (mut clips, mut fast, mut worst) = (0, 0, (0.0, String::new()));
    for path in files(&corpus, &["glb", "gltf", "vrm", "vrma", "fbx"]) {
        let Ok(scene) = load(&Disk::open(&path), None, &Context::new()) else { continue };
        let size = size(&scene, &Evaluator::new(&scene).worlds(&Pose::rest(&scene)));
        for clip in &scene.clips {
            let tracks = Tracks::new(&scene, clip);
            let distance = player_distance(&scene, clip, &tracks, size);
            if distance > worst.0 {
                worst = (distance, format!("{} {:?}", path.display(), clip.name));
            }
            (clips, fast) = (clips + 1, fast + usize::from(tracks.fast_nodes() > 0));
        }
    }
    println!("{clips} clips, {fast} with fast nodes; the largest distance: {worst:?}");
    assert!(fast > 0 && fast < clips);
    assert!(worst.0 < MOST_DISTANCE, "{worst:?}");
}
