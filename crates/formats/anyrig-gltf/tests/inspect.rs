//! Traces, dumps, edits and comparisons of real files.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::codec::{Arrays, Assignment, Missing, SpanKind, diff, parse_json, to_json};
use anyrig_bytes::{Context, ErrorKind, MemorySource, SharedBytes, Source};
use anyrig_gltf::GltfDocument;
use anyrig_scene::{Document, Importer};
use helpers::{Disk, corpus, files};
use std::path::PathBuf;

/// All files of the corpus that are read as GLB.
fn binaries() -> Vec<(PathBuf, Disk, GltfDocument)> {
    let Some(folder) = corpus() else { return Vec::new() };
    let sources = files(&folder).into_iter().map(|path| (path.clone(), Disk::open(&path)));
    let binary = sources.filter(|(_, source)| source.bytes().starts_with(b"glTF"));
    binary.filter_map(|(path, s)| anyrig_gltf::read(&s, &Context::new()).ok().map(|d| (path, s, d))).collect()
}

#[test]
fn a_dump_loads_to_the_same_bytes() {
    let mut count = 0;
    for (path, source, document) in binaries() {
        let json = to_json(&document.tree(&Context::new()).expect("a tree"), Arrays::Elements).expect("JSON");
        let json = parse_json(&json, &Context::new()).expect("valid JSON");
        let loaded = anyrig_gltf::Glb.load(&json, &document.dialect(), &Context::new());
        let loaded = loaded.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(loaded.write().expect("writes").to_vec() == **source.bytes(), "{}", path.display());
        count += 1;
    }
    println!("{count} GLB files are equal after dump and load");
}

#[test]
fn nearly_every_byte_has_a_name() {
    let mut worst: Vec<(f64, PathBuf)> = Vec::new();
    for (path, source, document) in binaries() {
        let mut spans = document.trace(&Context::new()).expect("traces");
        spans.retain(|s| s.kind != SpanKind::Unknown);
        spans.sort_by_key(|s| s.offset);
        let (mut end, mut named) = (0, 0);
        for span in &spans {
            assert!(span.offset + span.len <= source.bytes().len() as u64, "{}: {}", path.display(), span.path);
            named += (span.offset + span.len).saturating_sub(end.max(span.offset));
            end = end.max(span.offset + span.len);
        }
        worst.push((named as f64 / source.bytes().len() as f64, path));
    }
    worst.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (share, path) in worst.iter().take(8) {
        println!("{:8.4} % of {}", share * 100.0, path.display());
    }
    println!("{} files", worst.len());
    assert!(worst.iter().all(|(share, _)| *share >= 0.99));
}

const JSON: &str = "{ \"asset\": {\"version\":\"2.0\"},\n  \"nodes\": [ {\"name\":\"Hips\", \"translation\":[0, 1.50, 0],\
                    \"extras\":{\"a b\":1}}, {\"name\":\"Leg\"} ], \"accessors\":[{\"bufferView\":0,\"componentType\":5126,\
                    \"count\":2,\"type\":\"SCALAR\"}], \"bufferViews\":[{\"buffer\":0,\"byteLength\":8}],\
                    \"buffers\":[{\"byteLength\":8}] }";

/// A GLB by hand: the JSON above and two floats.
fn glb(json: &str, values: [f32; 2]) -> SharedBytes {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    let length = 12 + 8 + text.len() + 8 + 8;
    for number in [2, length as u32, text.len() as u32, 0x4E4F_534A] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(&text);
    bytes.extend([8, 0x004E_4942].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(values.into_iter().flat_map(f32::to_le_bytes));
    bytes.into()
}

fn document(bytes: SharedBytes) -> GltfDocument {
    anyrig_gltf::read(&MemorySource::new("a.glb", bytes), &Context::new()).expect("reads")
}

fn edited(assignment: &str, missing: Missing) -> anyrig_bytes::Result<SharedBytes> {
    let mut document = document(glb(JSON, [1.0, 2.0]));
    let mut assignment = Assignment::parse(assignment).expect("PATH=VALUE");
    assignment.missing = missing;
    document.edit(&[assignment], &Context::new())?;
    Ok(document.write().expect("writes").to_shared())
}

#[test]
fn an_edit_changes_one_value_and_the_lengths() {
    let set = |a: &str| edited(a, Missing::Refuse).expect("edits");
    let by_hand = |old: &str, new: &str| glb(&JSON.replace(old, new), [1.0, 2.0]);
    assert!(set("nodes[Hips].translation[1]=2.25") == by_hand("1.50", "2.25"));
    assert!(
        set("nodes[1].name=Left leg, with a longer name") == by_hand("\"Leg\"", "\"Left leg, with a longer name\"")
    );
    assert!(set("nodes[Hips].extras[\"a b\"]=77") == by_hand("\"a b\":1", "\"a b\":77"));
    let added = edited("nodes[Leg].scale=[2,2,2]", Missing::AddMember).expect("adds");
    assert!(added == by_hand("\"Leg\"", "\"Leg\",\"scale\":[2,2,2]"));
}

#[test]
fn wrong_edits_name_the_nearest_path_or_the_type() {
    let cases = [
        ("nodes[Hip].translation=[0,0,0]", "nodes[Hips]"),
        ("nodes[0].translatoin=[0,0,0]", "nodes[0].translation"),
        ("nodes[7].name=x", "nodes[1]"),
        ("nodes[0].translation=1", "a list"),
        ("nodes[0].translation[1]=high", "a number"),
        ("node[0].name=x", "`nodes`"),
    ];
    for (assignment, hint) in cases {
        let error = edited(assignment, Missing::Refuse).expect_err(assignment);
        assert_eq!(error.kind(), ErrorKind::Usage, "{assignment}");
        assert!(error.message().contains(hint), "{assignment}: {error}");
    }
    let error = edited("nodes[0].translation=[1,2]", Missing::Refuse).expect_err("two numbers");
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn spans_of_a_file_by_hand() {
    let bytes = glb(JSON, [1.0, 2.0]);
    let spans = document(bytes.clone()).trace(&Context::new()).expect("traces");
    let of = |path: &str| spans.iter().find(|s| s.path == path).unwrap_or_else(|| panic!("{path}: {spans:#?}"));
    let text = |path: &str| {
        let span = of(path);
        String::from_utf8_lossy(&bytes[span.offset as usize..(span.offset + span.len) as usize]).into_owned()
    };
    assert_eq!(text("header.magic"), "glTF");
    assert_eq!(text("nodes[0].translation"), "\"translation\":[0, 1.50, 0]");
    let floats = of("bufferViews[0] (accessor 0: not used, accessor 0)");
    assert_eq!((floats.offset, floats.len), (bytes.len() as u64 - 8, 8));
    assert!(matches!(&floats.kind, SpanKind::Array(layout) if layout.stride == 4));
}

#[test]
fn comparison_is_by_value_and_by_accessor() {
    let tree = |json: &str, values| document(glb(json, values)).comparison(&Context::new()).expect("a tree");
    let first = tree(JSON, [1.0, 2.0]);
    let respelled = tree(&JSON.replace("1.50", "1.5").replace(", ", " ,  "), [1.0, 2.0]);
    assert_eq!(diff(&first, &respelled, 0.0), []);
    let other = tree(&JSON.replace("Leg", "Knee"), [1.0, 4.5]);
    let paths: Vec<String> = diff(&first, &other, 0.0).into_iter().map(|d| d.to_string()).collect();
    assert_eq!(paths.len(), 2, "{paths:?}");
    assert!(paths[0].starts_with("nodes[1].name: \"Leg\" against \"Knee\""), "{paths:?}");
    assert!(paths[1].contains("largest difference 2.5"), "{paths:?}");
}
