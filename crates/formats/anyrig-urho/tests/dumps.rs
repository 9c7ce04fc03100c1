//! Dumps, loads, edits and differences of real files.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod support;

use anyrig_bytes::codec::{Arrays, Assignment, diff, parse_json, to_json};
use anyrig_bytes::{Context, ErrorKind, SharedBytes, Value};
use anyrig_scene::{Document, Importer};
use anyrig_urho::document::UrhoDocument;
use anyrig_urho::{Dialect, UrhoImporter};
use std::path::PathBuf;
use support::{corpus, files, name_of};

fn binary_files() -> Vec<(PathBuf, SharedBytes)> {
    files_of(&["mdl", "ani"])
}

fn files_of(extensions: &[&str]) -> Vec<(PathBuf, SharedBytes)> {
    let Some(root) = corpus() else { return Vec::new() };
    let paths = files(&root, extensions).into_iter();
    paths.map(|p| (p.clone(), SharedBytes::from(std::fs::read(p).expect("readable")))).collect()
}

fn file(name: &str) -> Option<SharedBytes> {
    let found = binary_files().into_iter().find(|(path, _)| name_of(path) == name);
    found.map(|(_, bytes)| bytes)
}

fn dump(document: &UrhoDocument, arrays: Arrays) -> Vec<u8> {
    to_json(&document.tree(&Context::new()).expect("a tree"), arrays).expect("JSON")
}

fn load(dump: &Value, dialect: &str) -> anyrig_bytes::Result<Vec<u8>> {
    let document = UrhoImporter::new(Dialect::Urho3d).load(dump, dialect, &Context::new())?;
    Ok(document.write().expect("writes").to_vec())
}

#[test]
fn a_dump_loads_to_the_same_bytes() {
    let mut count = 0;
    for (path, bytes) in files_of(&["mdl", "ani", "xml", "txt"]) {
        let document = UrhoDocument::read(&bytes, &Context::new()).expect("reads");
        for arrays in [Arrays::Elements, Arrays::Base64] {
            let json = parse_json(&dump(&document, arrays), &Context::new()).expect("valid JSON");
            let loaded = load(&json, &document.dialect()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert!(loaded == *bytes, "{}", path.display());
        }
        count += 1;
    }
    println!("{count} files are equal after dump and load");
}

#[test]
fn the_trace_names_every_byte() {
    for (path, bytes) in binary_files() {
        let document = UrhoDocument::read(&bytes, &Context::new()).expect("reads");
        let mut end = 0;
        for span in document.trace(&Context::new()).expect("traces") {
            assert_eq!(span.offset, end, "{}: {}", path.display(), span.path);
            end += span.len;
        }
        assert_eq!(end, bytes.len() as u64);
    }
}

/// Offsets at which two files of one length differ.
fn changed(a: &[u8], b: &[u8]) -> Vec<usize> {
    assert_eq!(a.len(), b.len());
    (0..a.len()).filter(|i| a[*i] != b[*i]).collect()
}

const SKINNED: &str = "maya_kenney_character_7700_binary.mdl";

fn edited(assignment: &str) -> anyrig_bytes::Result<(SharedBytes, Vec<u8>, UrhoDocument)> {
    let bytes = file(SKINNED).expect("the corpus has it");
    let mut document = UrhoDocument::read(&bytes, &Context::new()).expect("reads");
    document.edit(&[Assignment::parse(assignment).expect("PATH=VALUE")], &Context::new())?;
    Ok((bytes, document.write().expect("writes").to_vec(), document))
}

#[test]
fn an_edit_changes_the_bytes_of_its_field_only() {
    if corpus().is_none() {
        return;
    }
    let bytes = file(SKINNED).expect("the corpus has it");
    let document = UrhoDocument::read(&bytes, &Context::new()).expect("reads");
    let spans = document.trace(&Context::new()).expect("traces");
    let offset = |path: &str| spans.iter().find(|s| s.path == path).map(|s| s.offset as usize).expect("a span");
    let name = spans.iter().find(|s| s.path == "bones[2].name").and_then(|s| s.value.as_str().map(str::to_owned));
    let name = name.expect("a name");

    let (_, after, _) = edited(&format!("bones[{name}].position[1]=1234.5")).expect("edits");
    let at = offset("bones[2].position") + 4;
    assert!(changed(&bytes, &after).iter().all(|i| (at..at + 4).contains(i)));
    assert_eq!(after[at..at + 4], 1234.5f32.to_le_bytes());

    let (_, after, _) = edited("vertex_buffers[0].data[3].position=[1e5, -2e5, 0.1]").expect("edits");
    let stride = 4 * 3;
    let differing = changed(&bytes, &after);
    let data = offset("vertex_buffers[0].data");
    assert!(!differing.is_empty() && differing.iter().all(|i| *i >= data && *i < data + 4 * 128));
    let first = after.windows(4).position(|w| w == 1e5f32.to_le_bytes()).expect("the new value");
    assert_eq!(after[first + 8..first + stride], 0.1f32.to_le_bytes());

    let (_, after, _) = edited("index_buffers[0].data[5]=7").expect("edits");
    let at = offset("index_buffers[0].data") + 10;
    assert!(changed(&bytes, &after).iter().all(|i| (at..at + 2).contains(i)));

    // A longer name moves what follows and changes nothing else.
    let (_, after, _) = edited("bones[0].name=A much longer name than before").expect("edits");
    let at = offset("bones[0].name");
    let old = bytes[at..].iter().position(|b| *b == 0).expect("a NUL");
    assert_eq!([&bytes[..at], b"A much longer name than before", &bytes[at + old..]].concat(), after);

    // A new mask brings the fields that depend on it.
    let (_, after, document) = edited("bones[0].collision_mask=0").expect("edits");
    assert!(after.len() <= bytes.len());
    let tree = document.tree(&Context::new()).expect("a tree");
    let before = UrhoDocument::read(&bytes, &Context::new()).expect("reads").tree(&Context::new()).expect("a tree");
    assert!(diff(&before, &tree, 0.0).iter().all(|d| d.path.starts_with("bones[0].collision")));
}

#[test]
fn wrong_edits_name_the_nearest_path_or_the_range() {
    if corpus().is_none() {
        return;
    }
    let cases = [
        ("bones[0].positon=[0,0,0]", "bones[0].position"),
        ("bonse[0].position=[0,0,0]", "`bones`"),
        ("bones[9999].parent=0", "the nearest is `bones["),
        ("bones[0].parent=-1", "0 to 4294967295"),
        ("bones[0].parent=Hips", "a whole number"),
        ("bones[0].position=[0,0]", "list of 3"),
        ("bones[0].collision_mask=256", "0 to 255"),
        ("index_buffers[0].data[5]=65536", "0 to 65535"),
        ("vertex_buffers[0].data[0].uv=[0,0]", "tex_coord"),
        ("bones[0]=1", "no single value"),
        ("magic=UMDL", "layout"),
    ];
    for (assignment, hint) in cases {
        let error = edited(assignment).map(|_| ()).expect_err(assignment);
        assert_eq!(error.kind(), ErrorKind::Usage, "{assignment}");
        assert!(error.to_string().contains(hint), "{assignment}: {error}");
    }
    let error = edited("vertex_buffers[0].vertex_count=1").map(|_| ()).expect_err("a count");
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.to_string().contains("contradict"), "{error}");
}

#[test]
fn damaged_dumps_are_refused_with_a_json_pointer() {
    let Some(bytes) = file(SKINNED) else { return };
    let document = UrhoDocument::read(&bytes, &Context::new()).expect("reads");
    let text = String::from_utf8(dump(&document, Arrays::Elements)).expect("UTF-8");
    let cases = [
        ("\"parent\": 0", "\"parent\": -4", "/bones/0/parent"),
        ("\"parent\": 0", "\"parents\": 0", "/bones/0/parent"),
        ("\"parent\": 0,", "\"parent\": 0, \"more\": 1,", "/bones/0/more"),
        ("\"parent\": 0,", "\"parent\": 0, \"parent\": 0,", "/bones/0/parent"),
        ("\"index_count\": ", "\"index_count\": 1", "/index_buffers/0/data"),
        ("\"index_size\": 2", "\"index_size\": 3", "/index_buffers/0"),
        ("\"bounding_box\": [", "\"bounding_box\": [1, ", "/bounding_box"),
        ("\"magic\": \"UMD2\"", "\"magic\": \"UMD\"", "/magic"),
    ];
    for (old, new, pointer) in cases {
        let damaged = text.replacen(old, new, 1);
        assert_ne!(damaged, text, "{old}");
        let json = parse_json(damaged.as_bytes(), &Context::new()).expect("still JSON");
        let error = load(&json, &document.dialect()).expect_err(new);
        assert!(error.to_string().contains(pointer), "{new}: {error}");
    }
    for cut in (0..text.len().min(4000)).step_by(37) {
        if text.is_char_boundary(cut) {
            assert!(parse_json(&text.as_bytes()[..cut], &Context::new()).is_err());
        }
    }
    assert!(load(&Value::Null, "UMD2").is_err());
    assert!(load(&Value::Null, "UMD9").is_err_and(|e| e.kind() == ErrorKind::Unsupported));
}
