//! Broken files: an error or a repaired scene, never a panic.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod support;

use anyrig_bytes::{Attachment, Context, ErrorKind, Limits, MemorySource, Role};
use anyrig_scene::Importer;
use anyrig_urho::document::{Animation, AnimationLayout, Track, UrhoDocument};
use anyrig_urho::{Dialect, UrhoImporter};
use support::{corpus, export, import};

/// Small files of each kind, from the corpus and from the crate itself.
fn samples() -> Vec<(String, Vec<u8>)> {
    let mut samples = vec![
        ("morphs.mdl".to_owned(), model_with_morphs()),
        ("motion.ani".to_owned(), urhox_motion()),
        ("m.xml".to_owned(), b"<?xml version=\"1.0\"?>\n<material><cull value=\"none\"/></material>".to_vec()),
        ("rbfx.mdl".to_owned(), support::writer::umd3(2)),
        ("rbfx.ani".to_owned(), support::writer::uan2(4)),
        ("older.ani".to_owned(), support::writer::uan2(3)),
        ("classic.ani".to_owned(), classic_motion()),
        ("m.txt".to_owned(), b"Materials/a.xml\r\nb.xml\n".to_vec()),
    ];
    if let Some(root) = corpus() {
        for path in [
            "urho3d/LinePrimitives/UnitX.mdl",
            "urho3d-asset-importer/blender_293_half_skinned_7400_binary/blender_293_half_skinned_7400_binary.mdl",
            "urho3d-asset-importer/maya_game_sausage_7500_binary_combined/\
             maya_game_sausage_7500_binary_combined_spin.ani",
        ] {
            let path = root.join(path);
            samples.push((support::name_of(&path), std::fs::read(path).expect("readable")));
        }
    }
    samples
}

/// One triangle on two bones with a morph of all three kinds, word by word.
fn model_with_morphs() -> Vec<u8> {
    let mut bytes = b"UMD2".to_vec();
    let words = |bytes: &mut Vec<u8>, list: &[u32]| list.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    words(&mut bytes, &[1, 3, 3, 0x003, 0x604, 0x705, 0, 3]);
    for i in 0..3u8 {
        bytes.extend([f32::from(i), 1.0, 0.0, 0.5, 0.5, 0.0, 0.0].map(f32::to_le_bytes).concat());
        bytes.extend([0, 1, 0, 0]);
    }
    words(&mut bytes, &[1, 3, 2]);
    bytes.extend([0, 0, 1, 0, 2, 0]);
    words(&mut bytes, &[1, 2, 0, 1, 1, 0, 0, 0, 0, 0, 3]);
    words(&mut bytes, &[1]);
    bytes.extend(b"smile\0");
    words(&mut bytes, &[1, 0, 0x83, 2]);
    for vertex in [0u32, 2] {
        words(&mut bytes, &[vertex]);
        bytes.extend([0.5f32; 9].map(f32::to_le_bytes).concat());
    }
    words(&mut bytes, &[2]);
    for (name, parent) in [("a", 0u32), ("b", 0)] {
        bytes.extend(name.bytes());
        bytes.push(0);
        words(&mut bytes, &[parent]);
        let rest = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        bytes.extend(rest.map(f32::to_le_bytes).concat());
        let offset = [1.0f32, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        bytes.extend(offset.map(f32::to_le_bytes).concat());
        bytes.push(3);
        bytes.extend([1.0f32; 7].map(f32::to_le_bytes).concat());
    }
    bytes.extend([0.0f32; 9].map(f32::to_le_bytes).concat());
    bytes
}

fn urhox_motion() -> Vec<u8> {
    let key = |time: f32| [time, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0].map(f32::to_le_bytes).concat();
    let track = |name: &str, interpolation| Track {
        name: name.into(),
        interpolation,
        key_count: 2,
        data: [key(0.0), key(1.0)].concat().into(),
        ..Track::default()
    };
    let animation = Animation {
        layout: AnimationLayout::UrhoX,
        version: 2,
        length_secs: 1.0,
        tracks: vec![track("a", 1), track("b", 0)],
        ..Animation::default()
    };
    animation.write().expect("writes").to_vec()
}

fn classic_motion() -> Vec<u8> {
    let mut out = support::writer::Out::default();
    out.bytes(b"UANI").text("Walk").floats(&[1.0]).words(&[2]);
    out.text("a").bytes(&[2]).words(&[1]).floats(&[0.0, 1.0, 0.0, 0.0, 0.0]);
    out.text("b").bytes(&[5]).words(&[1]).floats(&[0.5, 1.0, 2.0, 3.0, 1.0, 1.0, 1.0]);
    out.0
}

/// Reads, and writes what could be read. Both may fail, neither may panic.
fn try_all(name: &str, bytes: &[u8]) -> bool {
    let mut read = false;
    for dialect in [Dialect::UrhoX, Dialect::Urho3d, Dialect::Rbfx] {
        let context = Context::new();
        let Ok(scene) = import(name, bytes.to_vec(), dialect, &context) else { continue };
        read = true;
        let exporter = anyrig_urho::UrhoExporter::new(dialect);
        drop(anyrig_scene::Exporter::export(&exporter, scene, "x", &context));
    }
    read
}

#[test]
fn the_samples_themselves_are_sound() {
    for (name, bytes) in samples() {
        assert!(try_all(&name, &bytes), "{name}");
    }
    let scene = import("m.mdl", model_with_morphs(), Dialect::UrhoX, &Context::new()).expect("imports");
    let mdl = support::parser::mdl(&support::content(&export(scene, &Context::new()), "Model.mdl"));
    assert_eq!((mdl.morphs[0].name.as_str(), mdl.morphs[0].mask, mdl.morphs[0].vertices.len()), ("smile", 0x83, 2));
    assert_eq!(mdl.morphs[0].vertices[1], (2, vec![[0.5; 3]; 3]));
    assert_eq!(mdl.vertex_buffers[0].morph_range, [0, 3]);
    assert_eq!(mdl.bones[1].collision_mask, 3);
}

#[test]
fn every_prefix_is_handled() {
    let mut count = 0;
    for (name, bytes) in samples() {
        for len in 0..bytes.len() {
            try_all(&name, &bytes[..len]);
            count += 1;
        }
    }
    println!("prefixes: {count}");
}

/// A small generator of its own, so that a failure can be repeated from its number.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

#[test]
fn mutants_are_handled() {
    let wanted = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000usize);
    let samples = samples();
    let mut read = 0;
    for number in 0..wanted {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
        let (name, bytes) = &samples[number % samples.len()];
        let mut bytes = bytes.clone();
        for _ in 0..=random.below(3) {
            mutate(&mut bytes, &mut random);
        }
        read += usize::from(try_all(name, &bytes));
    }
    println!("mutants: {wanted}, of which {read} could be read");
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let words: [u32; 8] = [0, 1, 2, 0xff, 0xffff, 0x7fc0_0000, 0x8000_0000, u32::MAX];
    match random.below(4) {
        0 => bytes[at] = random.next() as u8,
        1 => {
            let word = words[random.below(words.len())].to_le_bytes();
            let aligned = at & !3;
            bytes.iter_mut().skip(aligned).zip(word).for_each(|(b, w)| *b = w);
        }
        2 => {
            let end = (at + 1 + random.below(64)).min(bytes.len());
            let cut: Vec<u8> = bytes.drain(at..end).collect();
            if random.below(2) == 0 {
                let back = random.below(bytes.len() + 1);
                bytes.splice(back..back, cut);
            }
        }
        _ => bytes.insert(at, random.next() as u8),
    }
    if bytes.is_empty() {
        bytes.push(0);
    }
}

#[test]
fn the_element_budget_stops_geometries_that_share_everything() {
    // 2000 geometries that each draw the same 3 indices are within any budget, but not within one of 5000 elements.
    let mut bytes = b"UMD2".to_vec();
    let words = |bytes: &mut Vec<u8>, list: &[u32]| list.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    words(&mut bytes, &[1, 3, 1, 0x003, 0, 0]);
    bytes.extend([0u8; 36]);
    words(&mut bytes, &[1, 3, 4, 0, 1, 2, 2000]);
    for _ in 0..2000 {
        words(&mut bytes, &[0, 1, 0, 0, 0, 0, 0, 3]);
    }
    words(&mut bytes, &[0, 0]);
    bytes.extend([0u8; 24]);
    assert!(import("a.mdl", bytes.clone(), Dialect::UrhoX, &Context::new()).is_ok());
    let mut limits = Limits::default();
    limits.elements = 5000;
    let error = import("a.mdl", bytes, Dialect::UrhoX, &Context::new().with_limits(limits)).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

/// Geometries that draw the first and the last of many skinned vertices, each with a mapping of its own or all with one.
fn geometries_over_one_buffer(geometries: u32, vertices: u32, own_mappings: bool) -> Vec<u8> {
    let mut out = support::writer::Out::default();
    out.bytes(b"UMD2").words(&[1, vertices, 3, 0x003, 0x606, 0x705, 0, 0]);
    for _ in 0..vertices {
        out.floats(&[0.0; 3]).bytes(&[255, 0, 0, 0]).bytes(&[0; 4]);
    }
    out.words(&[1, 3, 4, 0, 1, vertices - 1, geometries]);
    for geometry in 0..geometries {
        let bone = if own_mappings { geometry } else { 0 };
        out.words(&[1, bone, 1, 0, 0, 0, 0, 0, 3]);
    }
    out.words(&[0, geometries]);
    for _ in 0..geometries {
        out.text("b").words(&[0]).floats(&[0.0; 22]).bytes(&[0]);
    }
    out.bytes(&[0; 24]);
    out.0
}

#[test]
fn what_geometries_make_of_shared_vertices_is_booked_and_made_once() {
    let mut limits = Limits::default();
    limits.memory_bytes = 20_000_000;
    let read = |own_mappings| {
        let bytes = geometries_over_one_buffer(200, 10_000, own_mappings);
        import("a.mdl", bytes, Dialect::UrhoX, &Context::new().with_limits(limits.clone()))
    };
    let scene = read(false).expect("one mapping, one list of joints");
    let parts = &scene.meshes.as_slice()[0].parts;
    let joints = |part: usize| &parts[part].influences.as_ref().expect("skinned").joints;
    assert!(parts.len() == 200 && joints(0).same_memory(joints(199)));
    let error = read(true).expect_err("200 lists of joints of 160 kB");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.place().element.starts_with("geometries["), "{error}");
}

/// A model whose one morph has a long name, and whose geometry has many levels of detail, each a mesh with that morph.
fn long_morph_name_at_many_levels(name_len: usize, levels: u32) -> Vec<u8> {
    let mut bytes = b"UMD2".to_vec();
    let words = |bytes: &mut Vec<u8>, list: &[u32]| list.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    words(&mut bytes, &[1, 3, 1, 0x003, 0, 0]);
    bytes.extend([0u8; 36]);
    words(&mut bytes, &[1, 3, 4, 0, 1, 2, 1, 0, levels]);
    for _ in 0..levels {
        words(&mut bytes, &[0, 3, 0, 0, 0, 3]);
    }
    words(&mut bytes, &[1]);
    bytes.resize(bytes.len() + name_len, b'm');
    bytes.push(0);
    words(&mut bytes, &[0, 0]);
    bytes.extend([0u8; 24 + 12]);
    bytes
}

#[test]
fn names_of_morphs_are_booked_for_each_level_of_detail() {
    let bytes = long_morph_name_at_many_levels(100_000, 100);
    let scene = import("a.mdl", bytes.clone(), Dialect::UrhoX, &Context::new()).expect("imports");
    assert_eq!((scene.meshes.len(), scene.nodes.len()), (100, 100));
    assert!(scene.meshes.values().all(|m| m.morphs[0].name.len() == 100_000));
    let mut limits = Limits::default();
    limits.memory_bytes = 5_000_000;
    let error = import("a.mdl", bytes, Dialect::UrhoX, &Context::new().with_limits(limits)).expect_err("too much");
    assert_eq!((error.kind(), error.place().element.as_str()), (ErrorKind::LimitExceeded, "morphs"));
}

/// A triangle per geometry, all over the same vertices, and a morph that moves vertex 0 again and again.
fn morph_of_one_vertex(geometries: u32, deltas: u32) -> Vec<u8> {
    let mut out = support::writer::Out::default();
    out.bytes(b"UMD2").words(&[1, 3, 1, 0x003, 0, 0]).floats(&[0.0; 9]);
    out.words(&[1, 3, 4, 0, 1, 2, geometries]);
    for _ in 0..geometries {
        out.words(&[0, 1, 0, 0, 0, 0, 0, 3]);
    }
    out.words(&[1]).text("m").words(&[1, 0, 0x1, deltas]);
    for delta in 0..deltas {
        out.words(&[0]).floats(&[1.0, delta as f32, 0.0]);
    }
    out.words(&[0]).bytes(&[0; 24]);
    out.0
}

#[test]
fn deltas_of_one_vertex_are_added_as_the_engine_adds_them() {
    let scene = import("a.mdl", morph_of_one_vertex(1, 3), Dialect::UrhoX, &Context::new()).expect("imports");
    let delta = &scene.meshes.as_slice()[0].parts[0].morphs[0].deltas[0];
    assert_eq!((delta.points.as_deref(), &*delta.values), (Some(&[0][..]), &[3.0, 3.0, 0.0][..]));
}

#[test]
fn deltas_are_booked_for_each_part_before_they_are_gathered() {
    let mut limits = Limits::default();
    limits.memory_bytes = 1_000_000;
    let read = |geometries| {
        let bytes = morph_of_one_vertex(geometries, 5000);
        import("a.mdl", bytes, Dialect::UrhoX, &Context::new().with_limits(limits.clone()))
    };
    assert!(read(1).is_ok());
    let error = read(100).expect_err("the same deltas for a hundred parts");
    assert_eq!((error.kind(), error.place().element.as_str()), (ErrorKind::LimitExceeded, "morphs"));
}

/// A track of six bytes is a hundred in memory, a morph of five bytes sixty; alone, attached and found.
#[test]
fn short_records_are_booked_before_they_are_made() {
    let tracks = |count: u32| {
        let mut out = support::writer::Out::default();
        out.bytes(b"UANI").text("m").floats(&[1.0]).words(&[count]);
        for _ in 0..count {
            out.text("").bytes(&[0]).words(&[0]);
        }
        out.0
    };
    let morphs = |count: u32| {
        let mut out = support::writer::Out::default();
        out.bytes(b"UMD2").words(&[0, 0, 0, count]);
        for _ in 0..count {
            out.text("").words(&[0]);
        }
        out.words(&[0]).bytes(&[0; 24]);
        out.0
    };
    let within = |memory_bytes| {
        let mut limits = Limits::default();
        limits.memory_bytes = memory_bytes;
        Context::new().with_limits(limits)
    };
    for (name, bytes) in [("a.ani", tracks(10_000)), ("a.mdl", morphs(10_000))] {
        let document = |memory| UrhoDocument::read(&bytes.clone().into(), &within(memory));
        assert!(document(10_000_000).is_ok(), "{name}");
        let error = document(600_000).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{name}: {error}");
    }
    let model = || support::writer::umd3(2);
    for role in [Role::Motion, Role::FoundMotion] {
        let context = within(600_000).with_attachment(Attachment::new(role, "m.ani", tracks(10_000)));
        let error = import("a.mdl", model(), Dialect::Rbfx, &context).expect_err("too many tracks");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{role:?}: {error}");
    }
}

/// By themselves, beside a model and beside a motion.
#[test]
fn text_files_are_booked_before_they_are_taken_apart() {
    let mut list = b"m.xml\n".to_vec();
    list.resize(100_000, b'\n');
    let tags = |root: &str| format!("<{root}>{}</{root}>", "<a/>".repeat(10_000)).into_bytes();
    let attributes = |root: &str| format!("<{root}{}/>", " a='1'".repeat(10_000)).into_bytes();
    let alone = |name: &str, bytes: Vec<u8>| MemorySource::new(name, bytes);
    let model = |name: &str, bytes: Vec<u8>| {
        let model = alone("a.mdl", support::writer::umd3(2)).with_file("a.txt", b"m.xml".to_vec());
        model.with_file(name, bytes)
    };
    let motion = |bytes: Vec<u8>| alone("a.ani", support::writer::uan2(4)).with_file("a.xml", bytes);
    let sources = [
        alone("a.txt", list.clone()),
        alone("m.xml", tags("material")),
        alone("m.xml", attributes("material")),
        model("a.txt", list),
        model("m.xml", tags("material")),
        motion(tags("animation")),
        motion(attributes("animation")),
    ];
    let mut limits = Limits::default();
    limits.memory_bytes = 1_000_000;
    for (i, source) in sources.iter().enumerate() {
        let importer = UrhoImporter::new(Dialect::Rbfx);
        assert!(importer.import(source, &Context::new()).is_ok(), "{i}");
        let error = importer.import(source, &Context::new().with_limits(limits.clone())).expect_err("too much");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{i}");
    }
}

#[test]
fn a_ring_of_200_000_bones_becomes_a_forest() {
    let count = 200_000u32;
    let mut bytes = b"UMD2".to_vec();
    let words = |bytes: &mut Vec<u8>, list: &[u32]| list.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    words(&mut bytes, &[0, 0, 0, 0, count]);
    for bone in 0..count {
        bytes.push(0);
        words(&mut bytes, &[(bone + 1) % count]);
        bytes.extend([0.0f32; 22].map(f32::to_le_bytes).concat());
        bytes.push(0);
    }
    bytes.extend([0u8; 24]);
    let context = Context::new();
    let motion = Attachment::new(Role::Motion, "m.ani", urhox_motion());
    let context = context.with_attachment(motion);
    let scene = import("ring.mdl", bytes, Dialect::UrhoX, &context).expect("imports");
    assert_eq!(context.report().count_of("urho.bone-hierarchy"), 1);
    assert_eq!(scene.roots().count(), 1);
    assert_eq!(scene.nodes.len(), count as usize);
}
