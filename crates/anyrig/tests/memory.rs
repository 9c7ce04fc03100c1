//! Memory by an allocator that counts. One test, since others would be counted too.
#![cfg(all(feature = "gltf", feature = "urho"))]
#![allow(clippy::print_stdout, reason = "says what it measured")]

use anyrig::{Context, ConvertRequest, ErrorKind, Limits, MemorySource, convert};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;
/// What hostile files may book, and what may be used beside it: lists that double, threads, what is not counted.
const LIMIT: usize = 128 * MIB;
const ALLOWED: usize = 2 * LIMIT + 64 * MIB;
/// Of a plain file: tangents are made, for which each corner stands for itself a while.
const TIMES_FILE: usize = 16;

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut out = b"glTF\x02\0\0\0".to_vec();
    let chunks = [(json.as_slice(), b"JSON"), (binary, b"BIN\0")];
    let total: usize = 12 + chunks.iter().map(|(bytes, _)| 8 + bytes.len()).sum::<usize>();
    out.extend((total as u32).to_le_bytes());
    for (bytes, kind) in chunks {
        out.extend((bytes.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(bytes);
    }
    out
}

/// The outcome of a conversion, and the most memory that it needs beyond what was there before.
fn measured(bytes: Vec<u8>, memory_bytes: u64) -> (Result<usize, ErrorKind>, usize) {
    let source = MemorySource::new("m.glb", bytes);
    let mut limits = Limits::default();
    limits.memory_bytes = memory_bytes;
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let context = Context::new().with_limits(limits);
    let done = convert(&source, &ConvertRequest::new("urhox"), &context);
    let outcome = done.map(|c| c.files.iter().map(|f| f.content.len() as usize).sum()).map_err(|e| e.kind());
    (outcome, MEMORY.peak_usage().saturating_sub(before))
}

fn many(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

/// A scene of some nodes, with accessors that no buffer stands behind: each is zeros.
fn zeros(nodes: &str, mesh: &str, rest: &str) -> Vec<u8> {
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],"meshes":[{mesh}],
            "accessors":[{{"componentType":5126,"type":"VEC3","count":300000,"min":[0,0,0],"max":[0,0,0]}}]{rest}}}"#
    );
    glb(&json, &[])
}

/// Few bytes that ask for much.
fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let mesh = |more: &str| format!(r#"{{"primitives":[{{"attributes":{{"POSITION":0}}{more}}}]}}"#);
    let shown = |count| many(count, |i| format!(r#"{{"mesh":0,"translation":[{i},0,1]}}"#));
    let targets = |count, target: &str| format!(r#","targets":[{}]"#, many(count, |_| target.to_owned()));
    let parts = many(20_000, |_| r#"{"attributes":{"POSITION":0}}"#.to_owned());
    vec![
        ("instances", zeros(&shown(5000), &mesh(""), "")),
        ("empty targets", zeros(&shown(20), &mesh(&targets(200_000, "{}")), "")),
        ("targets", zeros(&shown(50), &mesh(&targets(500, r#"{"POSITION":0}"#)), "")),
        ("parts", zeros(&shown(200), &format!(r#"{{"primitives":[{parts}]}}"#), "")),
        ("motion", wild_curves()),
    ]
}

/// Many nodes that one curve with wild tangents moves, from key to key farther than the keys that may be made follow.
fn wild_curves() -> Vec<u8> {
    let keys = 64;
    let mut binary: Vec<u8> = (0..keys).flat_map(|i| (i as f32).to_le_bytes()).collect();
    binary.extend((0..keys * 9).flat_map(|i| (((i * 7919) % 1000) as f32 * 1e4).to_le_bytes()));
    let nodes = 2000;
    let channels = many(nodes, |i| format!(r#"{{"sampler":0,"target":{{"node":{i},"path":"translation"}}}}"#));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{}],
            "animations":[{{"samplers":[{{"input":0,"output":1,"interpolation":"CUBICSPLINE"}}],"channels":[{channels}]}}],
            "accessors":[
                {{"bufferView":0,"componentType":5126,"type":"SCALAR","count":{keys},"min":[0],"max":[{}]}},
                {{"bufferView":1,"componentType":5126,"type":"VEC3","count":{}}}],
            "bufferViews":[{{"buffer":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],
            "buffers":[{{"byteLength":{}}}]}}"#,
        many(nodes, |i| format!(r#"{{"name":"n{i}"}}"#)),
        keys - 1,
        keys * 3,
        keys * 4,
        keys * 4,
        keys * 36,
        binary.len(),
    );
    glb(&json, &binary)
}

/// A sheet of `side * side` points with positions, normals and coordinates.
fn sheet(side: usize) -> Vec<u8> {
    let points = side * side;
    let place = |i: usize| [(i % side) as f32, (i / side) as f32, ((i * 31) % 17) as f32];
    let mut binary: Vec<u8> = (0..points).flat_map(place).flat_map(f32::to_le_bytes).collect();
    binary.extend((0..points).flat_map(|_| [0.0f32, 0.0, 1.0]).flat_map(f32::to_le_bytes));
    let share = |v: f32| v / side as f32;
    binary.extend((0..points).flat_map(|i| [share(place(i)[0]), share(place(i)[1])]).flat_map(f32::to_le_bytes));
    let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
    let corners: Vec<u32> =
        cells.flat_map(|a| [a, a + 1, a + side, a + 1, a + side + 1, a + side]).map(|c| c as u32).collect();
    binary.extend(corners.iter().flat_map(|c| c.to_le_bytes()));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2}},"indices":3}}]}}],
            "accessors":[
                {{"bufferView":0,"componentType":5126,"type":"VEC3","count":{points},"min":[0,0,0],"max":[{0},{0},16]}},
                {{"bufferView":1,"componentType":5126,"type":"VEC3","count":{points}}},
                {{"bufferView":2,"componentType":5126,"type":"VEC2","count":{points}}},
                {{"bufferView":3,"componentType":5125,"type":"SCALAR","count":{1}}}],
            "bufferViews":[
                {{"buffer":0,"byteLength":{2}}},{{"buffer":0,"byteOffset":{2},"byteLength":{2}}},
                {{"buffer":0,"byteOffset":{3},"byteLength":{4}}},{{"buffer":0,"byteOffset":{5},"byteLength":{6}}}],
            "buffers":[{{"byteLength":{7}}}]}}"#,
        side - 1,
        corners.len(),
        points * 12,
        points * 24,
        points * 8,
        points * 32,
        corners.len() * 4,
        binary.len(),
    );
    glb(&json, &binary)
}

#[test]
fn memory_is_bounded_by_the_limit_and_by_the_size_of_the_file() {
    for (name, bytes) in bombs() {
        let len = bytes.len();
        let (outcome, peak) = measured(bytes, LIMIT as u64);
        println!("{name}: {} MiB for {len} bytes, {outcome:?}", peak / MIB);
        assert!(peak <= ALLOWED, "{name}: {peak} bytes for a file of {len}");
        assert_eq!(outcome, Err(ErrorKind::LimitExceeded), "{name}");
    }
    let bytes = sheet(700);
    let len = bytes.len();
    let (outcome, peak) = measured(bytes, Limits::default().memory_bytes);
    let written = outcome.expect("converts");
    println!("a sheet: {} MiB for {} MiB, which become {} MiB", peak / MIB, len / MIB, written / MIB);
    assert!(peak <= 64 * MIB + TIMES_FILE * len, "{peak} bytes for a file of {len}");
}
