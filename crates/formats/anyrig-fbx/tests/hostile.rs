//! Prefixes and mutations: an error or a document, never a panic.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::{Context, Limits, SharedBytes};
use anyrig_fbx::{Decoder, FbxDocument, Kind, NewNode, NewValue, NodeId, import};
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

/// Number of mutants: `ANYRIG_MUTANTS`, else what CI and what a quick run takes.
fn mutants(quick: usize, ci: usize) -> usize {
    let stated = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok());
    let is_ci = std::env::var("CI").as_deref() == Ok("true");
    stated.unwrap_or(if is_ci { ci } else { quick })
}

/// Makes a scene; whatever comes is sound, so that all of it can be looked at.
fn import_all(document: &FbxDocument, context: &Context) {
    let Ok(scene) = import::import(document, context) else { return };
    let mut again = scene.clone();
    let second = Context::new();
    anyrig_scene::validate(&mut again, &second);
    let is_same = again == scene || format!("{again:?}") == format!("{scene:?}");
    let changes = || anyrig_scene::diff(&again, &scene, anyrig_scene::Tolerance::EXACT);
    assert!(is_same, "validation is done once: {:?} {:?}", second.report().diagnostics(), changes());
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
fn mutants_of_numbers_in_texts() {
    let count = mutants(1000, 5000);
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
fn mutants_of_the_bytes() {
    let count = mutants(2000, 10_000);
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

/// Mutants that stay well-formed: values, names, arrays and nodes are changed as a program would write them, so that the
/// importer is reached, not only the reader.
#[test]
fn mutants_of_the_structure() {
    let count = mutants(1000, 10_000);
    let samples: Vec<SharedBytes> = small().into_iter().map(|s| s.bytes.into()).collect();
    if samples.is_empty() {
        return;
    }
    let mut random = Random(15);
    let (mut read, mut imported) = (0, 0);
    for number in 0..count {
        let context = Context::new();
        let mut document = FbxDocument::read(&samples[number % samples.len()], &context).expect("sound");
        let nodes: Vec<NodeId> = document.nodes().map(|n| n.id()).collect();
        for _ in 0..1 + random.below(8) {
            change(&mut document, nodes[random.below(nodes.len())], &nodes, &mut random);
        }
        let bytes = document.write().expect("an edited document can be written").to_shared();
        let mut limits = Limits::default();
        limits.memory_bytes = 64 << 20;
        let context = Context::new().with_limits(limits);
        let Ok(again) = FbxDocument::read(&bytes, &context) else { continue };
        read += 1;
        imported += usize::from(import::import(&again, &context).is_ok());
        import_all(&again, &context);
    }
    println!("{count} changed documents: {read} read, {imported} imported");
    assert!(read * 10 > count * 9 && imported * 2 > count, "{read} {imported}");
}

/// One change; what is not possible at a place is left out.
fn change(document: &mut FbxDocument, node: NodeId, all: &[NodeId], random: &mut Random) {
    let count = document.node(node).map_or(0, |n| n.property_count());
    let index = random.below(count);
    match random.below(6) {
        0 => drop(document.remove(node)),
        // A copy of a node somewhere else: two of one id, connections of other kinds, layers twice.
        1 => {
            let Some(copy) = document.node(node).map(|n| copied(n, 2)) else { return };
            let parent =
                document.node(all[random.below(all.len())]).and_then(|n| n.parent()).map_or(NodeId::ROOT, |p| p.id());
            drop(document.insert(parent, None, copy));
        }
        _ if count > 0 => {
            let value = document.node(node).and_then(|n| new_value(n, index, random));
            if let Some(value) = value {
                drop(document.set(node, index, value));
            }
        }
        _ => {}
    }
}

fn copied(node: anyrig_fbx::Node<'_>, depth: usize) -> NewNode {
    let mut copy = NewNode::new(node.name_text().into_owned());
    for property in node.properties().take(64) {
        copy = match property.kind() {
            Kind::String => copy.with(NewValue::String(property.bytes().unwrap_or_default().into_owned())),
            Kind::F32 | Kind::F64 => copy.with(property.as_f64().unwrap_or_default()),
            kind if kind.is_scalar() => copy.with(property.as_i64().unwrap_or_default()),
            _ => copy,
        };
    }
    if depth > 0 {
        for child in node.children().take(32) {
            copy = copy.with_child(copied(child, depth - 1));
        }
    }
    copy
}

const NAMES: [&str; 10] = [
    "OO",
    "OP",
    "Lcl Rotation",
    "DiffuseColor",
    "ByPolygon",
    "ByEdge",
    "AllSame",
    "IndexToDirect",
    "Model::Scene",
    "Shape",
];

/// A value of the same kind that means something else.
fn new_value(node: anyrig_fbx::Node<'_>, index: usize, random: &mut Random) -> Option<NewValue> {
    let property = node.property(index)?;
    let context = Context::new();
    let mut decoder = Decoder::new(&context);
    let whole = [0, 1, -1, 2, 3, 255, i64::from(i32::MAX), i64::MIN, i64::MAX, random.next() as i64 % 1000];
    let real = [0.0, -1.0, 1.0, 1e-30, 1e30, -1e300, 100.0, 360.0, f64::from(random.next() as i32)];
    Some(match property.kind() {
        Kind::String if random.below(2) == 0 => NAMES[random.below(NAMES.len())].into(),
        Kind::String => {
            // A text of another node: names are mixed up.
            let texts: Vec<_> = node.parent()?.children().take(50).filter_map(|n| n.text(index)).collect();
            NewValue::from(texts.get(random.below(texts.len()))?.clone().into_owned())
        }
        Kind::I32Array => {
            let mut values = property.array::<i32>(&mut decoder).ok()?.to_vec();
            edit(&mut values, &whole.map(|v| v as i32), random);
            NewValue::I32Array(values.into())
        }
        Kind::I64Array => {
            let mut values = property.array::<i64>(&mut decoder).ok()?.to_vec();
            edit(&mut values, &whole, random);
            NewValue::I64Array(values.into())
        }
        Kind::F64Array | Kind::NumberArray => {
            let mut values = property.array::<f64>(&mut decoder).ok()?.to_vec();
            edit(&mut values, &real, random);
            NewValue::F64Array(values.into())
        }
        Kind::F32Array => {
            let mut values = property.array::<f32>(&mut decoder).ok()?.to_vec();
            edit(&mut values, &real.map(|v| v as f32), random);
            NewValue::F32Array(values.into())
        }
        Kind::I16 => NewValue::I16(whole[random.below(whole.len())] as i16),
        Kind::I32 => NewValue::I32(whole[random.below(whole.len())] as i32),
        Kind::I64 => NewValue::I64(match random.below(3) {
            // The id of another object: connections cross.
            0 => node.parent()?.children().nth(random.below(20))?.i64(random.below(3))?,
            _ => whole[random.below(whole.len())],
        }),
        Kind::F32 => NewValue::F32(real[random.below(real.len())] as f32),
        Kind::F64 => NewValue::F64(real[random.below(real.len())]),
        Kind::Number if random.below(2) == 0 => NewValue::I64(whole[random.below(whole.len())]),
        Kind::Number => NewValue::F64(real[random.below(real.len())]),
        _ => return None,
    })
}

fn edit<T: Copy>(values: &mut Vec<T>, others: &[T], random: &mut Random) {
    let at = random.below(values.len());
    match random.below(4) {
        0 => values.truncate(at),
        1 => values.extend_from_within(at.min(values.len())..),
        _ if !values.is_empty() => values[at] = others[random.below(others.len())],
        _ => values.push(others[random.below(others.len())]),
    }
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
