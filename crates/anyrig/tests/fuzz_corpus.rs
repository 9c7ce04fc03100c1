//! Replays `tests/bugfixes`: inputs that are wrong on purpose or once broke a reader. Each gives the error or the
//! repairs that `expected.tsv` says, and neither it nor a part of it makes anything panic.

#![allow(clippy::print_stdout, reason = "a sweep says how much it saw")]

use anyrig::bytes::codec::Arrays;
use anyrig::scene::validate;
use anyrig::{Context, Error, ErrorKind, ExportedFile, Limits, MemorySource, Registry, Report, Scene};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Files beside the inputs.
const NOT_INPUTS: [&str; 2] = ["README.md", "expected.tsv"];

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/bugfixes"))
}

/// All inputs by name.
fn inputs() -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder()).expect("the folder of inputs");
    files
        .map(|entry| entry.expect("readable").path())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .filter(|(name, _)| !NOT_INPUTS.contains(&name.as_str()))
        .map(|(name, path)| (name, fs::read(path).expect("readable")))
        .collect()
}

/// Outcome and code (or a word of the message) by file name.
fn expected() -> BTreeMap<String, (String, String)> {
    let text = fs::read_to_string(folder().join("expected.tsv")).expect("the table");
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| match row[..] {
        [name, outcome, detail] => (name.to_owned(), (outcome.to_owned(), detail.to_owned())),
        _ => panic!("not three columns: {row:?}"),
    })
    .collect()
}

/// Limits as a service would set them for small files.
fn context() -> Context {
    let mut limits = Limits::default();
    limits.elements = 1 << 22;
    limits.memory_bytes = 256 << 20;
    Context::new().with_limits(limits)
}

fn read(registry: &Registry, name: &str, bytes: &[u8]) -> (Result<Scene, Error>, Report) {
    let context = context();
    let source = MemorySource::new(name, bytes);
    let scene = registry.load(&source, None, &context);
    (scene, context.take_report())
}

fn word_of(kind: ErrorKind) -> String {
    kind.to_string().replace(' ', "-")
}

#[test]
fn each_input_gives_what_the_table_says() {
    let registry = Registry::standard();
    let (inputs, expected) = (inputs(), expected());
    assert_eq!(inputs.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "inputs and table differ");
    let mut wrong = Vec::new();
    for (name, bytes) in &inputs {
        let (outcome, detail) = &expected[name];
        let (scene, report) = read(&registry, name, bytes);
        let codes: Vec<&str> = report.diagnostics().iter().map(|d| d.code.id).collect();
        let (found, holds) = match &scene {
            Ok(_) => ("scene".to_owned(), detail == "-" || detail.split(',').all(|code| codes.contains(&code))),
            Err(error) => (word_of(error.kind()), detail == "-" || error.to_string().contains(detail.as_str())),
        };
        if found != *outcome || !holds {
            let error = scene.err().map(|e| e.to_string()).unwrap_or_default();
            wrong.push(format!("{name}: {found} {codes:?} {error}; expected {outcome} {detail}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} inputs", inputs.len());
}

/// A dump spells numbers that are not finite by their bits.
fn assert_finite(registry: &Registry, name: &str, file: &ExportedFile) {
    let source = MemorySource::new(file.name.as_str(), file.content.to_vec());
    let Ok(dump) = registry.dump(&source, None, Arrays::Elements, &context()) else { return };
    let text = String::from_utf8_lossy(&dump).into_owned();
    assert!(!text.contains("$f32"), "{name}: {} has numbers that are not finite", file.name);
}

#[test]
fn what_is_read_is_sound_and_can_be_written() {
    let registry = Registry::standard();
    let mut count = 0;
    for (name, bytes) in inputs() {
        let (Ok(mut scene), _) = read(&registry, &name, &bytes) else { continue };
        let before = scene.clone();
        let again = context();
        validate(&mut scene, &again);
        assert!(scene == before && again.take_report().is_empty(), "{name}: validation is not idempotent");
        for exporter in registry.exporters() {
            // An error is fine, as long as it is one.
            let exported = exporter.export(scene.clone(), "out", &context());
            let id = exporter.info().id;
            for file in exported.iter().flatten() {
                assert!(!file.name.contains("..") && !file.name.starts_with('/'), "{name} to {id}: {}", file.name);
                if ["urhox", "urho3d", "rbfx"].contains(&id) {
                    assert_finite(&registry, &name, file);
                }
            }
        }
        count += 1;
    }
    println!("{count} scenes written with every exporter");
}

#[test]
fn documents_of_wrong_files_come_out_as_they_went_in() {
    let registry = Registry::standard();
    let mut count = 0;
    for (name, bytes) in inputs() {
        let source = MemorySource::new(name.as_str(), bytes.as_slice());
        let Ok(importer) = registry.detect(&source) else { continue };
        let Ok(document) = importer.document(&source, &context()) else { continue };
        let written = document.write().expect("an untouched document can be written");
        assert_eq!(written.to_vec(), bytes, "{name}");
        count += 1;
    }
    println!("{count} documents byte-equal");
}

#[test]
fn no_prefix_panics() {
    let registry = Registry::standard();
    let mut count = 0u64;
    for (name, bytes) in inputs() {
        // Of long ones a sample: their middle is one thing repeated.
        let step = (bytes.len() / 1000).max(1);
        for end in (0..bytes.len()).step_by(step) {
            let _ = read(&registry, &name, &bytes[..end]);
            count += 1;
        }
    }
    println!("{count} prefixes");
}
