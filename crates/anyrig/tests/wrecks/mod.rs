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

/// Floats of one meaning, an element every `stride` bytes.
struct Column {
    first: usize,
    stride: usize,
    count: usize,
}

impl Column {
    fn at(&self, element: usize) -> usize {
        assert!(element < self.count);
        self.first + element * self.stride
    }

    /// Two positions in each other's place.
    fn swap(&self, bytes: &mut [u8]) {
        let (a, b) = (self.at(3), self.at(self.count / 2));
        (0..12).for_each(|i| bytes.swap(a + i, b + i));
    }

    /// X of all positions.
    fn mirror(&self, bytes: &mut [u8]) {
        (0..self.count).for_each(|i| negate(bytes, self.at(i)));
    }

    /// A texture coordinate.
    fn shift(&self, bytes: &mut [u8]) {
        add(bytes, self.at(5), 0.25);
    }

    /// All weight of a vertex between two joints goes to one of them.
    fn wrong_weight(&self, bytes: &mut [u8]) {
        let shared = |i: &usize| (0.3..0.7).contains(&float(bytes, self.at(*i)));
        let at = self.at((0..self.count).find(shared).expect("a vertex between joints"));
        for (i, weight) in [1.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            set_float(bytes, at + 4 * i, weight);
        }
    }

    /// The time of a key in the middle.
    fn shift_key(&self, bytes: &mut [u8]) {
        let (at, next) = (self.at(self.count / 2), self.at(self.count / 2 + 1));
        let gap = float(bytes, next) - float(bytes, at);
        add(bytes, at, 0.5 * gap);
    }
}

/// A component of one of the quaternions, whose sign is worth something: neither zero nor all there is.
fn negate_component(bytes: &mut [u8], quaternions: impl IntoIterator<Item = usize>) {
    let mut components = quaternions.into_iter().flat_map(|at| (0..4).map(move |i| at + 4 * i));
    let at = components.find(|at| (0.2..0.95).contains(&float(bytes, *at).abs())).expect("a turned joint");
    negate(bytes, at);
}
