//! Helpers of several tests: where the corpus is, and a parser of the written layouts that knows nothing of the crate.
#![allow(dead_code, clippy::print_stdout, reason = "each test uses a part of it; sweeps say what they counted")]

pub mod parser;
pub mod pose;
pub mod writer;

use anyrig_bytes::{Context, MemorySource};
use anyrig_scene::{ExportedFile, Exporter, Importer, Scene};
use anyrig_urho::{Dialect, UrhoExporter, UrhoImporter};
use std::path::{Path, PathBuf};

/// The corpus of Urho files; `None` (with a printed line) when it is not there, which fails in CI.
pub fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let root = std::env::var_os("ANYRIG_CORPUS").map_or(default, PathBuf::from).join("urho");
    if root.is_dir() {
        return Some(root);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "no corpus at {}", root.display());
    println!("skipped: no corpus at {}", root.display());
    None
}

/// All files below a folder with one of the extensions, sorted.
pub fn files(root: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub fn name_of(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

pub fn import(name: &str, bytes: Vec<u8>, dialect: Dialect, context: &Context) -> anyrig_bytes::Result<Scene> {
    UrhoImporter::new(dialect).import(&MemorySource::new(name, bytes), context)
}

pub fn export(scene: Scene, context: &Context) -> Vec<ExportedFile> {
    export_as(Dialect::UrhoX, scene, context)
}

pub fn export_as(dialect: Dialect, scene: Scene, context: &Context) -> Vec<ExportedFile> {
    let exporter = UrhoExporter::new(dialect);
    let files = exporter.export(scene, "Model", context).expect("exports");
    for file in &files {
        let source = MemorySource::new(file.name.as_str(), file.content.to_vec());
        exporter.verify(&file.name, &source, &Context::new()).expect("verifies");
    }
    files
}

pub fn content(files: &[ExportedFile], name: &str) -> Vec<u8> {
    let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
    files.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("{name} among {names:?}")).content.to_vec()
}
