//! Helpers of the corpus tests.
#![allow(dead_code, clippy::print_stdout, reason = "each test uses a part, and says what it skips")]

pub mod judges;
pub mod layout;
pub mod made;
pub mod mutate;
pub mod told;

use anyrig_bytes::{Context, Error, Place, Result, SharedBytes, Source};
use anyrig_scene::Scene;
use std::path::{Path, PathBuf};

/// A file on disk and what lies beside it.
pub struct Disk {
    name: String,
    folder: PathBuf,
    bytes: SharedBytes,
}

impl Disk {
    pub fn open(path: &Path) -> Self {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let folder = path.parent().expect("a folder").to_owned();
        Self { name, folder, bytes: std::fs::read(path).expect("readable").into() }
    }

    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self { name: self.name.clone(), folder: self.folder.clone(), bytes: bytes.into() }
    }
}

impl Source for Disk {
    fn name(&self) -> &str {
        &self.name
    }
    fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }
    fn resolve(&self, name: &str) -> Result<Option<SharedBytes>> {
        // The rules for names are those of the memory source.
        anyrig_bytes::MemorySource::new("x", vec![]).resolve(name)?;
        match std::fs::read(self.folder.join(name.replace('\\', "/"))) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io(Place::element(name), e.to_string())),
        }
    }
}

/// The corpus folder; `None` (with a line) when it is missing, a failure in CI.
pub fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let folder = std::env::var_os("ANYRIG_CORPUS").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is missing at {}", folder.display());
    println!("skipped: no corpus at {}", folder.display());
    None
}

/// All glTF files of the corpus in a fixed order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
            match extension.as_deref() {
                _ if path.is_dir() => folders.push(path),
                Some("glb" | "gltf" | "vrm" | "vrma") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Imports a file with the importer that its content asks for.
pub fn import(source: &dyn Source, context: &Context) -> Result<Scene> {
    use anyrig_scene::Importer;
    if source.bytes().starts_with(b"glTF") {
        anyrig_gltf::Glb.import(source, context)
    } else {
        anyrig_gltf::Gltf.import(source, context)
    }
}
