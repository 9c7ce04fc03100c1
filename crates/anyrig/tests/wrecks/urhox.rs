//! Of a `.mdl` with its `.ani` files. The layouts are written down here once more, from their description, so that this
//! does not depend on the crate's own reading.
#![allow(clippy::ptr_arg, reason = "all wrecks have one type, and some take files away")]

use super::{Column, Wreck, add, content, negate_component, replace};
use anyrig::ExportedFile;

pub const WRECKS: &[Wreck] = &[
    Wreck { what: "two vertices in each other's place", change: swap_vertices },
    Wreck { what: "X mirrored", change: mirror },
    Wreck { what: "a texture coordinate", change: texture_coordinate },
    Wreck { what: "a weight of another bone", change: wrong_weight },
    Wreck { what: "a component of a quaternion negated", change: negate_quaternion },
    Wreck { what: "a key at another time", change: shift_key },
    Wreck { what: "a clip of another length", change: length },
    Wreck { what: "a clip lost", change: |files| files.retain(|f| !f.name.ends_with("Walk.ani")) },
    Wreck { what: "clips in each other's place", change: swap_clips },
];

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The first vertex buffer of a UMD2 model: where vertices begin, their size, and where each element lies in them.
struct Vertices {
    first: usize,
    stride: usize,
    count: usize,
    /// Semantic and offset.
    elements: Vec<(u8, usize)>,
}

impl Vertices {
    /// `UMD2`, number of buffers; of each: number of vertices, number of elements, the elements (type, semantic, index,
    /// a zero byte), start and count of morphed vertices, the vertices.
    fn of(bytes: &[u8]) -> Self {
        assert_eq!(&bytes[..4], b"UMD2");
        let (count, element_count) = (word(bytes, 8) as usize, word(bytes, 12) as usize);
        let (mut elements, mut stride) = (Vec::new(), 0);
        for element in bytes[16..16 + 4 * element_count].chunks_exact(4) {
            elements.push((element[1], stride));
            // Int, float, vectors of two to four, four bytes, four normalised bytes.
            stride += [4, 4, 8, 12, 16, 4, 4][usize::from(element[0])];
        }
        Self { first: 16 + 4 * element_count + 8, stride, count, elements }
    }

    fn column(&self, semantic: u8) -> Column {
        let offset = self.elements.iter().find(|(s, _)| *s == semantic).expect("the element").1;
        Column { first: self.first + offset, stride: self.stride, count: self.count }
    }
}

const POSITION: u8 = 0;
const TEX_COORD: u8 = 4;
const BLEND_WEIGHTS: u8 = 6;

fn wreck_model(files: &mut [ExportedFile], change: impl FnOnce(&Vertices, &mut Vec<u8>)) {
    let mut bytes = content(files, ".mdl");
    change(&Vertices::of(&bytes), &mut bytes);
    replace(files, ".mdl", bytes);
}

fn swap_vertices(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| vertices.column(POSITION).swap(bytes));
}

fn mirror(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| vertices.column(POSITION).mirror(bytes));
}

fn texture_coordinate(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| vertices.column(TEX_COORD).shift(bytes));
}

fn wrong_weight(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| vertices.column(BLEND_WEIGHTS).wrong_weight(bytes));
}

/// Bytes of a key: time, position, rotation (w, x, y, z), scale.
const KEY: usize = 44;

/// The keys of each track; a key begins with its time.
///
/// `UANI`, version 2, length, number of tracks; of each: length of the name, the name, interpolation, number of keys, the keys.
fn tracks(bytes: &[u8]) -> Vec<Column> {
    assert_eq!((&bytes[..4], word(bytes, 4)), (&b"UANI"[..], 2));
    let mut at = 16;
    let mut tracks = Vec::new();
    for _ in 0..word(bytes, 12) {
        at += 4 + word(bytes, at) as usize + 1;
        let count = word(bytes, at) as usize;
        tracks.push(Column { first: at + 4, stride: KEY, count });
        at += 4 + count * KEY;
    }
    tracks
}

fn wreck_walk(files: &mut [ExportedFile], change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = content(files, "Walk.ani");
    change(&mut bytes);
    replace(files, "Walk.ani", bytes);
}

/// At the start, which is looked at.
fn negate_quaternion(files: &mut Vec<ExportedFile>) {
    wreck_walk(files, |bytes| {
        let rotations = tracks(bytes).into_iter().map(|keys| keys.first + 16);
        negate_component(bytes, rotations);
    });
}

/// A key in the middle.
fn shift_key(files: &mut Vec<ExportedFile>) {
    wreck_walk(files, |bytes| {
        let keys = tracks(bytes).into_iter().find(|keys| keys.count > 3).expect("a moving bone");
        keys.shift_key(bytes);
    });
}

fn length(files: &mut Vec<ExportedFile>) {
    wreck_walk(files, |bytes| add(bytes, 8, 0.5));
}

fn swap_clips(files: &mut Vec<ExportedFile>) {
    let (walk, wave) = (content(files, "Walk.ani"), content(files, "Wave.ani"));
    replace(files, "Walk.ani", wave);
    replace(files, "Wave.ani", walk);
}
