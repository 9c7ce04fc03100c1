//! Changes of written files that no count, offset or reference shows.

pub mod gltf;
pub mod urhox;

use anyrig::ExportedFile;

/// One change.
pub struct Wreck {
    pub what: &'static str,
    pub change: fn(&mut Vec<ExportedFile>),
}

/// The content of a file by the end of its name.
fn content(files: &[ExportedFile], end: &str) -> Vec<u8> {
    files.iter().find(|f| f.name.ends_with(end)).expect("the file").content.to_vec()
}

fn replace(files: &mut [ExportedFile], end: &str, content: Vec<u8>) {
    let file = files.iter_mut().find(|f| f.name.ends_with(end)).expect("the file");
    file.content = content.into();
}

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn set_float(bytes: &mut [u8], at: usize, value: f32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn add(bytes: &mut [u8], at: usize, more: f32) {
    let value = float(bytes, at);
    set_float(bytes, at, value + more);
}

fn negate(bytes: &mut [u8], at: usize) {
    let value = float(bytes, at);
    set_float(bytes, at, -value);
}

/// A number whose sign is worth something: neither zero nor all there is of a unit quaternion.
fn counts(value: f32) -> bool {
    (0.2..0.95).contains(&value.abs())
}
