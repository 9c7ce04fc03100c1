//! The corpus on disk as sources, for tests.
#![allow(clippy::print_stdout, reason = "tests say what they skip")]

use anyrig::bytes::normal_relative_name;
use anyrig::{Result, SharedBytes, Source};
use std::fs;
use std::path::{Path, PathBuf};

/// A file and its folder.
pub struct Disk {
    name: String,
    bytes: SharedBytes,
    folder: PathBuf,
}

impl Disk {
    pub fn open(path: &Path) -> Self {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(path).expect("readable").into();
        Self { name, bytes, folder: path.parent().expect("a folder").to_path_buf() }
    }
}

impl Source for Disk {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }

    fn resolve(&self, relative_name: &str) -> Result<Option<SharedBytes>> {
        let path = self.folder.join(normal_relative_name(relative_name)?);
        Ok(fs::read(path).ok().map(SharedBytes::from))
    }
}

/// The corpus of real files; `None` when it is not there, which only CI must not accept.
pub fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("ANYRIG_CORPUS").map_or_else(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "CI needs the corpus; ANYRIG_CORPUS says where it is");
    println!("skipped: no corpus at {}", path.display());
    None
}

/// All files of some extensions below a folder, in alphabetical order.
pub fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("readable") {
            let path = entry.expect("readable").path();
            let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if extensions.contains(&extension.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
