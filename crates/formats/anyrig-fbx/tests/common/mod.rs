//! The corpus, and random numbers.
#![allow(dead_code, clippy::print_stdout)]

pub mod forge;
pub mod hand;

use anyrig_bytes::{Context, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use anyrig_scene::Scene;
use std::path::{Path, PathBuf};

/// A file of the corpus.
pub struct Sample {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Sample {
    pub fn is_binary(&self) -> bool {
        self.bytes.starts_with(b"Kaydara FBX Binary")
    }

    pub fn is_fuzz(&self) -> bool {
        self.name.contains("/fuzz/")
    }
}

/// The folder of FBX files of the corpus, if it is there.
pub fn root() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let root = std::env::var_os("ANYRIG_CORPUS").map_or(beside, PathBuf::from).join("fbx");
    root.is_dir().then_some(root)
}

/// All FBX files of the corpus, by name. Empty, with a line, when the corpus is not there; that fails in CI.
pub fn corpus() -> Vec<Sample> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus");
    let root = std::env::var_os("ANYRIG_CORPUS").map_or(beside, PathBuf::from).join("fbx");
    if !root.is_dir() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is missing at {}", root.display());
        println!("skipped: no corpus at {}", root.display());
        return Vec::new();
    }
    let mut names = Vec::new();
    collect(&root, &mut names);
    names.sort();
    names
        .into_iter()
        .map(|path| Sample {
            name: path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned(),
            bytes: std::fs::read(&path).expect("a corpus file can be read"),
        })
        .collect()
}

/// The corpus without fuzzed files, and the sample of this repository: what other readers are compared by.
pub fn judged() -> Vec<Sample> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/arm.fbx");
    let bytes = std::fs::read(path).expect("a sample");
    let mut all: Vec<Sample> = corpus().into_iter().filter(|sample| !sample.is_fuzz()).collect();
    all.push(Sample { name: "samples/arm.fbx".to_owned(), bytes });
    all
}

fn collect(folder: &Path, names: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a corpus folder can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("fbx")) {
            names.push(path);
        }
    }
}

/// Our scene of a file, or why there is none: a file that another reader takes and we do not is a difference.
pub fn scene_of(bytes: &[u8]) -> Result<Scene, String> {
    let context = Context::new();
    let document = FbxDocument::read(&SharedBytes::from(bytes), &context).map_err(|e| format!("not read: {e}"))?;
    import::import(&document, &context).map_err(|e| format!("not imported: {e}"))
}

/// SplitMix64, so that a seed gives the same mutations everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}
