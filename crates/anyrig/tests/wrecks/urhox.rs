//! Of a `.mdl` with its `.ani` files. The layouts are written down here once more, from their description, so that this
//! does not depend on the crate's own reading.
#![allow(clippy::ptr_arg, reason = "all wrecks have one type, and some take files away")]

use super::{Wreck, add, content, counts, float, negate, replace, set_float};
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

    fn at(&self, vertex: usize, semantic: u8) -> usize {
        let offset = self.elements.iter().find(|(s, _)| *s == semantic).expect("the element").1;
        self.first + vertex * self.stride + offset
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
    wreck_model(files, |vertices, bytes| {
        let (a, b) = (vertices.at(3, POSITION), vertices.at(vertices.count / 2, POSITION));
        (0..12).for_each(|i| bytes.swap(a + i, b + i));
    });
}

fn mirror(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| {
        (0..vertices.count).for_each(|i| negate(bytes, vertices.at(i, POSITION)));
    });
}

fn texture_coordinate(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| {
        let at = vertices.at(5, TEX_COORD);
        add(bytes, at, 0.25);
    });
}

fn wrong_weight(files: &mut Vec<ExportedFile>) {
    wreck_model(files, |vertices, bytes| {
        let shared = |i: &usize| (0.3..0.7).contains(&float(bytes, vertices.at(*i, BLEND_WEIGHTS)));
        let at = vertices.at((0..vertices.count).find(shared).expect("a vertex between bones"), BLEND_WEIGHTS);
        for (i, weight) in [1.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            set_float(bytes, at + 4 * i, weight);
        }
    });
}

/// Bytes of a key: time, position, rotation (w, x, y, z), scale.
const KEY: usize = 44;

/// Where the keys of each track begin, and how many there are.
///
/// `UANI`, version 2, length, number of tracks; of each: length of the name, the name, interpolation, number of keys, the keys.
fn tracks(bytes: &[u8]) -> Vec<(usize, usize)> {
    assert_eq!((&bytes[..4], word(bytes, 4)), (&b"UANI"[..], 2));
    let mut at = 16;
    let mut tracks = Vec::new();
    for _ in 0..word(bytes, 12) {
        at += 4 + word(bytes, at) as usize + 1;
        let count = word(bytes, at) as usize;
        tracks.push((at + 4, count));
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
        let components = tracks(bytes).into_iter().flat_map(|(first, _)| (0..4).map(move |i| first + 16 + 4 * i));
        let at = components.into_iter().find(|at| counts(float(bytes, *at))).expect("a turned bone");
        negate(bytes, at);
    });
}

/// A key in the middle.
fn shift_key(files: &mut Vec<ExportedFile>) {
    wreck_walk(files, |bytes| {
        let (first, count) = tracks(bytes).into_iter().find(|(_, count)| *count > 3).expect("a moving bone");
        let at = first + count / 2 * KEY;
        let gap = float(bytes, at + KEY) - float(bytes, at);
        add(bytes, at, 0.5 * gap);
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
