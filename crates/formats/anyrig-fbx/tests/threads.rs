//! The number of threads changes nothing: neither the scene, nor the report, nor the error.
#![allow(clippy::print_stdout, reason = "a sweep says how much it saw")]

mod common;

use anyrig_bytes::compress::deflate;
use anyrig_bytes::{Context, Limits, Report, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use anyrig_scene::Scene;
use common::forge::{Forge, Made, made};

fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

/// The scene or the error, and the report.
type Outcome = (Result<Scene, String>, Report);

fn outcome(bytes: &SharedBytes, limits: &Limits) -> Outcome {
    let context = Context::new().with_limits(limits.clone());
    let scene = FbxDocument::read(bytes, &context).and_then(|document| import::import(&document, &context));
    (scene.map_err(|e| e.to_string()), context.take_report())
}

#[track_caller]
fn check(name: &str, bytes: Vec<u8>, limits: &Limits) -> Outcome {
    let bytes = SharedBytes::from(bytes);
    let alone = with_threads(1, || outcome(&bytes, limits));
    for threads in [2, 4] {
        let together = with_threads(threads, || outcome(&bytes, limits));
        assert!(alone == together, "{name} with {threads} threads");
    }
    alone
}

const FORGE: Forge = Forge { version: 7400, big: false };

fn node(name: &'static str, property: Vec<u8>) -> Made {
    made(name, vec![property], vec![])
}

/// Grids, each a geometry with a model that shows it. What is not listed in the order of use, or by none, is passed over.
fn grids(count: i64, change: impl Fn(i64, Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    const SIDE: i32 = 64;
    let doubles = |values: Vec<f64>| {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        (values.len() as u32, deflate(&bytes))
    };
    let (mut objects, mut links) = (Vec::new(), Vec::new());
    for number in 0..count {
        let points =
            (0..SIDE * SIDE).flat_map(|p| [f64::from(p % SIDE), f64::from(p / SIDE), (p % 7) as f64 + number as f64]);
        let (points, packed) = doubles(points.collect());
        let faces = (0..(SIDE - 1) * (SIDE - 1)).map(|f| f / (SIDE - 1) * SIDE + f % (SIDE - 1));
        let faces: Vec<i32> = faces.flat_map(|p| [p, p + 1, p + SIDE + 1, !(p + SIDE)]).collect();
        let face_bytes: Vec<u8> = faces.iter().flat_map(|v| v.to_le_bytes()).collect();
        let vertices = node("Vertices", FORGE.array(b'd', points, 1, &change(number, packed)));
        let polygons = node("PolygonVertexIndex", FORGE.array(b'i', faces.len() as u32, 1, &deflate(&face_bytes)));
        let id = |id: i64| FORGE.scalar(b'L', FORGE.i64(id));
        let text = |text: &[u8]| FORGE.text(b'S', text);
        // The last models come first, so that what is asked for last lies ready first.
        let (geometry, model) = (1000 + number, 900 - number);
        objects.push(made("Geometry", vec![id(geometry), text(b""), text(b"Mesh")], vec![vertices, polygons]));
        objects.insert(0, made("Model", vec![id(model), text(b"m"), text(b"Mesh")], vec![]));
        if number % 5 != 3 {
            links.push(made("C", vec![text(b"OO"), id(geometry), id(model)], vec![]));
        }
    }
    FORGE.file(&[made("Objects", vec![], objects), made("Connections", vec![], links)])
}

#[test]
fn scenes_are_the_same_with_any_number_of_threads() {
    let (whole, _) = check("grids", grids(12, |_, packed| packed), &Limits::default());
    assert_eq!(whole.map(|scene| scene.meshes.len()), Ok(10));
    let broken = |number: i64, mut packed: Vec<u8>| {
        if number == 7 {
            packed.truncate(packed.len() / 2);
        }
        packed
    };
    assert!(check("a broken array", grids(12, broken), &Limits::default()).0.is_err());
    for memory_bytes in [1 << 18, 1 << 20] {
        let mut limits = Limits::default();
        limits.memory_bytes = memory_bytes;
        assert!(check("little memory", grids(12, |_, packed| packed), &limits).0.is_err());
    }
    let mut files = 0;
    for sample in common::corpus().into_iter().filter(|s| s.is_binary() && s.bytes.len() > 100_000) {
        drop(check(&sample.name, sample.bytes, &Limits::default()));
        files += 1;
    }
    println!("{files} files");
}
