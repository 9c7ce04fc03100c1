//! Prefixes and mutations: an error or a document, never a panic.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::{Context, Limits, SharedBytes};
use anyrig_fbx::{Decoder, FbxDocument, import};
use common::{Random, Sample};

const SMALL: [&str; 10] = [
    "ufbx/blender_279_sausage_7400_binary.fbx",
    "ufbx/maya_blend_inbetween_7500_ascii.fbx",
    "ufbx/maya_transformed_skin_6100_ascii.fbx",
    "ufbx/max_physical_material_textures_6100_binary.fbx",
    "ufbx/synthetic_cube_nan_6100_ascii.fbx",
    "ufbx/maya_cube_7100_ascii.fbx",
    "ufbx/synthetic_empty_elements_7500_ascii.fbx",
    "ufbx/maya_cube_big_endian_6100_binary.fbx",
    "ufbx/maya_cube_7500_binary.fbx",
    "ufbx/max7_cube_5000_binary.fbx",
];

fn small() -> Vec<Sample> {
    let samples: Vec<_> = common::corpus().into_iter().filter(|s| SMALL.contains(&s.name.as_str())).collect();
    assert!(samples.is_empty() || samples.len() == SMALL.len());
    samples
}

/// Makes a scene; whatever comes is sound, so that all of it can be looked at.
fn import_all(document: &FbxDocument, context: &Context) {
    let Ok(scene) = import::import(document, context) else { return };
    let mut again = scene.clone();
    anyrig_scene::validate(&mut again, &Context::new());
    assert!(again == scene || format!("{again:?}") == format!("{scene:?}"), "validation is done once");
    assert!(anyrig_animation::scene_size(&scene) >= 0.0);
}

/// Reads, and if that works uses everything. True when it was read.
fn use_all(bytes: &SharedBytes) -> bool {
    let mut limits = Limits::default();
    limits.memory_bytes = 64 << 20;
    let context = Context::new().with_limits(limits);
    let Ok(document) = FbxDocument::read(bytes, &context) else { return false };
    assert_eq!(document.write().expect("an untouched document can be written").to_shared(), *bytes);
    import_all(&document, &context);
    let mut decoder = Decoder::new(&context);
    for node in document.nodes() {
        // Broken arrays give errors, which are not looked at here.
        let _ = (node.array::<f32>(&mut decoder), node.array::<i64>(&mut decoder), node.content(&mut decoder));
        for property in node.properties() {
            let _ = (property.as_f64(), property.as_bool(), property.text(), property.name_and_class());
        }
    }
    true
}

#[test]
fn files_that_broke_other_readers() {
    let (mut read, mut refused) = (0, 0);
    for sample in common::corpus().into_iter().filter(Sample::is_fuzz) {
        *(if use_all(&sample.bytes.into()) { &mut read } else { &mut refused }) += 1;
    }
    println!("{read} files read, {refused} refused");
}

/// About so many prefixes of each file.
const PREFIXES: usize = 12_000;

#[test]
fn other_numbers_in_text_files() {
    let count = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let texts: Vec<Sample> = small().into_iter().filter(|s| !s.is_binary()).collect();
    if texts.is_empty() {
        return;
    }
    let mut random = Random(8);
    let mut read = 0;
    for number in 0..count {
        let mut bytes = texts[number % texts.len()].bytes.clone();
        for _ in 0..1 + random.below(40) {
            let at = random.below(bytes.len());
            let digit = bytes[at..].iter().position(u8::is_ascii_digit).map(|p| p + at);
            if let Some(digit) = digit {
                bytes[digit] = b"0123456789-9"[random.below(12)];
            }
        }
        read += usize::from(use_all(&bytes.into()));
    }
    println!("{read} of {count} read");
    assert!(read * 4 > count);
}

#[test]
fn every_prefix_of_small_files() {
    let (mut read, mut refused) = (0, 0);
    for sample in small() {
        let whole = SharedBytes::from(sample.bytes);
        // Every length of the small ones, some of the larger ones.
        for len in (0..whole.len()).step_by(1 + whole.len() / PREFIXES) {
            let prefix = whole.slice(0..len).expect("inside");
            let context = Context::new();
            let document = FbxDocument::read(&prefix, &context);
            let is_read = document.is_ok();
            document.iter().for_each(|d| import_all(d, &context));
            *(if is_read { &mut read } else { &mut refused }) += 1;
        }
    }
    println!("{read} prefixes read, {refused} refused");
}

#[test]
fn mutations() {
    let count = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let samples = small();
    if samples.is_empty() {
        return;
    }
    let mut random = Random(4);
    let (mut read, mut refused) = (0, 0);
    for number in 0..count {
        let mut bytes = samples[number % samples.len()].bytes.clone();
        for _ in 0..1 + random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        *(if use_all(&bytes.into()) { &mut read } else { &mut refused }) += 1;
    }
    println!("{count} mutations: {read} read, {refused} refused");
    assert!(read > 0 && refused > 0);
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let few = random.below(9);
    match random.below(7) {
        0 => bytes[at] = random.next() as u8,
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes.truncate(at.max(1)),
        3 => drop(bytes.drain(at..(at + few).min(bytes.len()))),
        4 => {
            let piece = bytes[at..(at + few * 8).min(bytes.len())].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        // A number as lengths, counts and offsets are stored.
        5 if at + 4 <= bytes.len() => {
            let value = [0, 1, 0x7fff_ffff, u32::MAX, random.next() as u32, bytes.len() as u32][random.below(6)];
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        // Signs that mean something in text.
        _ => bytes[at] = b"{}\":;,*\n&#-.T"[random.below(13)],
    }
    if bytes.is_empty() {
        bytes.push(0);
    }
}
