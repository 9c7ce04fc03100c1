//! No input makes the reader panic, hang or take memory without end.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, ErrorKind, Limits, MemorySource};
use anyrig_gltf::{Glb, Gltf};
use anyrig_scene::{Exporter, Importer};
use helpers::mutate::{Random, mutated};
use helpers::{Disk, corpus, import};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const SMALL: [&str; 3] = [
    "gltf/gltf-validator/base/data/buffer/extra_padding.glb",
    "gltf/gltf-validator/base/data/glb/valid_buffer.glb",
    "gltf/bevy/animated/Fox.glb",
];

fn limited() -> Context {
    let mut limits = Limits::default();
    limits.memory_bytes = 256 << 20;
    limits.elements = 1 << 24;
    Context::new().with_limits(limits)
}

/// Whatever reads must also be writable, and what is written must be whole.
fn read_and_write(source: &Disk) -> bool {
    let Ok(scene) = import(source, &limited()) else { return false };
    let Ok(files) = Glb.export(scene, "x", &limited()) else { return false };
    let written = MemorySource::new("x.glb", files[0].content.to_shared());
    Glb.verify("x.glb", &written, &Context::new()).unwrap_or_else(|e| panic!("{e}"));
    true
}

#[test]
fn every_prefix_is_refused_or_read() {
    let Some(folder) = corpus() else { return };
    for name in SMALL {
        let source = Disk::open(&folder.join(name));
        let bytes = anyrig_bytes::Source::bytes(&source).to_vec();
        // Within the binary chunk every prefix fails alike; a few are enough.
        let json = bytes.len().min(20_000);
        let lengths = (0..json).chain((json..bytes.len()).step_by(997));
        let read = lengths.filter(|n| import(&source.with_bytes(bytes[..*n].to_vec()), &limited()).is_ok()).count();
        println!("{name}: {read} prefixes of {} bytes are read", bytes.len());
        assert_eq!(read, 0, "{name}: a GLB that was cut off must be refused");
    }
}

#[test]
fn reading_back_can_be_stopped() {
    let Some(folder) = corpus() else { return };
    let source = Disk::open(&folder.join("gltf/bevy/animated/Fox.glb"));
    let files =
        Glb.export(import(&source, &Context::new()).expect("readable"), "x", &Context::new()).expect("writable");
    let written = MemorySource::new("x.glb", files[0].content.to_shared());
    let stopped = Context::new().with_cancel(Arc::new(AtomicBool::new(true)));
    let error = Glb.verify("x.glb", &written, &stopped).expect_err("stopped");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn mutants_never_panic() {
    let Some(folder) = corpus() else { return };
    let count = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000usize);
    let small = [
        "gltf/bevy/animated/Fox.glb",
        "gltf/bevy/SimpleSkin/SimpleSkin.gltf",
        "gltf/assimp/SimpleMorph/glTF/SimpleMorph.gltf",
        "gltf/assimp/AnimatedMorphCube/glTF/AnimatedMorphCube.gltf",
        "gltf/draco/InterpolationTest/glTF/InterpolationTest.gltf",
        "gltf/draco/Box/glTF_Binary/Box_Draco.glb",
        "gltf/gltf-validator/base/data/mesh/invalid_indexed_attribute.gltf",
        "gltf/gltf-validator/ext/KHR_lights_punctual/data/light/spot_invalid_angles.gltf",
    ];
    let sources: Vec<Disk> =
        small.iter().map(|n| folder.join(n)).filter(|p| p.is_file()).map(|p| Disk::open(&p)).collect();
    assert!(sources.len() >= 4, "{}", sources.len());
    let mut read = 0;
    for seed in 0..count {
        let mut random = Random::new(seed as u64);
        let source = &sources[seed % sources.len()];
        let bytes = mutated(anyrig_bytes::Source::bytes(source), &mut random);
        read += usize::from(read_and_write(&source.with_bytes(bytes)));
    }
    println!("{read} of {count} mutants are read");
    assert!(read > count / 20 && read < count);
}

fn text(json: &str) -> MemorySource {
    MemorySource::new("x.gltf", json.as_bytes().to_vec())
}

fn error(json: &str) -> anyrig_bytes::Error {
    Gltf.import(&text(json), &limited()).expect_err(json)
}

#[test]
fn what_asks_for_too_much_is_refused_before_it_is_allocated() {
    let asset = r#"{"asset":{"version":"2.0"},"#;
    let zeros = |count: &str| {
        format!(
            r#"{asset}"accessors":[{{"componentType":5126,"type":"VEC3","count":{count}}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}]}}"#
        )
    };
    assert_eq!(error(&zeros("4294967295")).kind(), ErrorKind::LimitExceeded);
    assert_eq!(error(&zeros("4294967296")).kind(), ErrorKind::LimitExceeded);
    assert_eq!(error(&zeros("1e30")).kind(), ErrorKind::Malformed);
    let accessor = r#""accessors":[{"componentType":5126,"type":"VEC3","count":1000000}],"#;
    let parts = vec![r#"{"attributes":{"POSITION":0}}"#; 1000].join(",");
    let shared = format!(r#"{asset}{accessor}"meshes":[{{"primitives":[{parts}]}}]}}"#);
    assert_eq!(error(&shared).kind(), ErrorKind::LimitExceeded, "work is bounded, not only memory");
    let nested = format!(r#"{asset}"extras":{}"#, "[".repeat(100_000));
    assert_eq!(error(&nested).kind(), ErrorKind::LimitExceeded);
}

/// A morph target without content takes two bytes of the file, and many times as much in the scene.
#[test]
fn empty_morph_targets_are_booked() {
    let targets = vec!["{}"; 10_000].join(",");
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}},
        "targets": [{targets}]}}]}}], "accessors": [{{"componentType": 5126, "count": 1, "type": "VEC3"}}]}}"#
    );
    let read = |elements: u64| {
        let mut limits = Limits::default();
        limits.elements = elements;
        import(&text(&json), &Context::new().with_limits(limits)).map(|scene| scene.meshes.values().count())
    };
    assert_eq!(read(40_000).expect("the values of the text and the targets"), 1);
    let of_elements = read(25_000).expect_err("the values of the text alone fit");
    assert_eq!(of_elements.kind(), ErrorKind::LimitExceeded);
    assert!(of_elements.to_string().contains("/meshes/0/primitives/0/targets"), "{of_elements}");
}

#[test]
fn deep_hierarchies_need_no_stack() {
    let count = 200_000;
    let nodes: Vec<String> = (0..count).map(|i| format!(r#"{{"children":[{}]}}"#, i + 1)).collect();
    let json =
        format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{},{{}}]}}"#, nodes.join(","));
    let scene = Gltf.import(&text(&json), &Context::new()).expect("deep, but legal");
    assert_eq!(scene.nodes.len(), count + 1);
    let files = Gltf.export(scene, "deep", &Context::new()).expect("exportable");
    let source = MemorySource::new("deep.gltf", files[0].content.to_shared());
    Gltf.verify("deep.gltf", &source, &Context::new()).expect("whole");
}

/// `{"children":[1]},{"children":[2]}, … {}`
fn chain(count: usize) -> String {
    let nodes: Vec<String> = (1..count).map(|next| format!(r#"{{"children":[{next}]}}"#)).collect();
    format!("{},{{}}", nodes.join(","))
}

#[test]
fn skins_of_long_chains_are_judged_without_a_walk_for_each_joint() {
    let count = 100_000;
    let joints: Vec<String> = (0..count).map(|joint| joint.to_string()).collect();
    let nodes = chain(count);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes},{{}}],"skins":[{{"joints":[{0}],"skeleton":0}},
        {{"joints":[{0}],"skeleton":1}},{{"joints":[{0},{count}]}}]}}"#,
        joints.join(",")
    );
    let context = Context::new();
    Gltf.check_rules(&text(&json), &context).expect("readable");
    let report = context.report();
    let told: Vec<_> = report.diagnostics().iter().map(|d| (d.subject.as_str(), d.count)).collect();
    assert_eq!(told, [("/skins/1/skeleton", 1), ("/skins/2/joints", 1)]);
}

#[test]
fn scenes_that_show_the_same_nodes_are_counted_for_each() {
    let (nodes, scenes) = (chain(5000), vec![r#"{"nodes":[0]}"#; 5000].join(","));
    let json = format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{scenes}],"nodes":[{nodes}]}}"#);
    let error = Gltf.check_rules(&text(&json), &limited()).expect_err("25 million nodes in all");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn loops_second_parents_and_scenes_of_children_are_repaired() {
    let json = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[1,4]}],
        "nodes":[{"children":[1,2]},{},{"children":[1]},{"children":[4]},{"children":[3]}]}"#;
    let context = Context::new();
    let scene = Gltf.import(&text(json), &context).expect("repaired");
    assert_eq!(scene.nodes[anyrig_scene::Id::new(1)].parent, Some(anyrig_scene::Id::new(0)));
    assert_eq!(scene.root_sets[0].roots.first(), Some(&anyrig_scene::Id::new(0)));
    assert!(context.report().count_of("scene.hierarchy") >= 2);
    assert_eq!(context.report().count_of("gltf.root-with-parent"), 1);
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let cases = [
        (r#"{"asset":{"version":"1.0"}}"#, "/asset/version", "glTF 1.0"),
        (
            r#"{"asset":{"version":"2.0"},"extensionsRequired":["X_packed"]}"#,
            "/extensionsRequired/0",
            "export the file",
        ),
        (r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":3}]}"#, "/nodes/0/mesh", "does not exist"),
        (r#"{"asset":{"version":"2.0"},"nodes":{}}"#, "/nodes", "list expected"),
        (r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":1}]}"#, "/buffers/0/uri", "a.bin"),
        (r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"../a.bin","byteLength":1}]}"#, "/buffers/0/uri", "folder"),
    ];
    for (json, pointer, words) in cases {
        let error = error(json);
        assert_eq!(error.place().at, anyrig_bytes::At::JsonPointer(pointer.to_owned()), "{json}");
        assert!(error.message().contains(words), "{error}");
        assert_eq!(error.place().file, "x.gltf");
    }
}
