//! What the tests of the program share: running it, and small inputs made here.
#![allow(dead_code, unused_imports, clippy::print_stdout, reason = "each test uses some of it, and says what it skips")]

// The library's tests read the same corpus in the same way.
#[path = "../../../anyrig/tests/disk/mod.rs"]
mod disk;

pub use disk::corpus;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run of the program gave.
pub struct Run {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Fails the test with what was printed unless the exit code is this.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.out(), self.stderr);
        self
    }

    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "no {words:?} in: {}", self.stderr);
        self
    }
}

/// Runs the program in a folder.
pub fn run<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Run {
    run_with_input(folder, arguments, b"")
}

pub fn run_with_input<S: AsRef<OsStr>>(folder: &Path, arguments: &[S], input: &[u8]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anyrig"));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // The program may end without reading.
    drop(stdin.write_all(input));
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    let code = status.code().expect("it ends by itself");
    Run { code, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() }
}

pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

pub fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, bytes).expect("writable");
}

/// All files below a folder by relative name, with `/`.
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// All files and folders directly in a folder, hidden ones too.
pub fn entries(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder).expect("readable");
    let mut names: Vec<_> = all.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A GLB file of a JSON text and binary data, by the glTF 2.0 specification, section 4.4.
pub fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let mut file = b"glTF".to_vec();
    file.extend(2u32.to_le_bytes());
    file.extend((length as u32).to_le_bytes());
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(b"JSON");
    file.extend(json);
    file.extend((binary.len() as u32).to_le_bytes());
    file.extend(b"BIN\0");
    file.extend(binary);
    file
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0];

/// One triangle without anything else; `more` is added to the JSON's root, `node` to the node's.
pub fn triangle(node: &str, more: &str) -> Vec<u8> {
    let binary: Vec<u8> = TRIANGLE.iter().flat_map(|v| v.to_le_bytes()).collect();
    glb(&triangle_json("", node, more), &binary)
}

fn triangle_json(uri: &str, node: &str, more: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"name":"three","mesh":0{node}}}],
        "meshes":[{{"name":"tri","primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,2,0]}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36{uri}}}]{more}}}"#
    )
}

/// The triangle with a material, which UrhoX has in a file of its own.
pub fn triangle_with_material() -> Vec<u8> {
    let binary: Vec<u8> = TRIANGLE.iter().flat_map(|v| v.to_le_bytes()).collect();
    let json = triangle_json("", "", r#","materials":[{"name":"m"}]"#);
    glb(&json.replace(r#""attributes""#, r#""material":0,"attributes""#), &binary)
}

/// The same triangle as `.gltf` and the `.bin` that it names.
pub fn triangle_gltf(bin_name: &str) -> (Vec<u8>, Vec<u8>) {
    let binary = TRIANGLE.iter().flat_map(|v| v.to_le_bytes()).collect();
    (triangle_json(&format!(r#","uri":"{bin_name}""#), "", "").into_bytes(), binary)
}

/// A triangle with a camera, which UrhoX models cannot hold.
pub fn triangle_with_camera() -> Vec<u8> {
    triangle(r#","camera":0"#, r#","cameras":[{"type":"perspective","perspective":{"yfov":1.0,"znear":0.1}}]"#)
}
