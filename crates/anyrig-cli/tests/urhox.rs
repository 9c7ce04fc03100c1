//! Fox.glb to UrhoX, judged by a reader that shares no code with the writer; numbers from the fact sheet (urho.md 10
//! and 13) and from the glTF file itself.

mod common;
mod urho;

use common::{corpus, files, folder, run};
use std::fs;
use std::path::Path;

/// Semantics and types of the seven elements, in the layout's order.
const ELEMENTS: [u32; 7] = [0x003, 0x103, 0x506, 0x402, 0x304, 0x604, 0x705];

struct Fox {
    json: serde_json::Value,
    binary: Vec<u8>,
}

impl Fox {
    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).expect("readable");
        let json_length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
        let json = serde_json::from_slice(&bytes[20..20 + json_length]).expect("JSON");
        Self { json, binary: bytes[20 + json_length + 8..].to_vec() }
    }

    /// Values of a tightly packed float accessor.
    fn floats(&self, accessor: &serde_json::Value) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor.as_u64().expect("an index") as usize];
        assert_eq!(accessor["componentType"], 5126);
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().expect("an index") as usize];
        let offset = |v: &serde_json::Value| v["byteOffset"].as_u64().unwrap_or(0) as usize;
        let width = ["SCALAR", "", "VEC3", "VEC4"].iter().position(|t| accessor["type"] == *t).map(|i| i + 1);
        let width = width.unwrap_or(16).min(if accessor["type"] == "VEC2" { 2 } else { 16 });
        let start = offset(view) + offset(accessor);
        let count = accessor["count"].as_u64().expect("a count") as usize * width;
        let bytes = self.binary[start..start + 4 * count].chunks_exact(4);
        bytes.map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
    }
}

fn converted() -> Option<(tempfile::TempDir, Fox)> {
    let fox = corpus()?.join("gltf/bevy/animated/Fox.glb");
    let folder = folder();
    let arguments = ["convert", fox.to_str().expect("text"), "--to", "urhox", "-o", "OUT", "--verify", "full"];
    run(folder.path(), &arguments).exits(0);
    Some((folder, Fox::read(&fox)))
}

#[test]
fn the_bundle_has_the_known_files_and_sizes() {
    let Some((folder, _)) = converted() else { return };
    let out = folder.path().join("OUT");
    let names = files(&out);
    let materials: Vec<_> = names.iter().filter(|n| n.starts_with("Materials/") && n.ends_with(".xml")).collect();
    assert_eq!(materials.len(), 1, "{names:?}");
    let sizes = [
        ("Fox.mdl", 130_698),
        ("Animations/Survey.ani", 73_522),
        ("Animations/Walk.ani", 16_322),
        ("Animations/Run.ani", 22_482),
    ];
    for (name, size) in sizes {
        assert_eq!(fs::metadata(out.join(name)).expect(name).len(), size, "{name}");
    }
    assert!(names.contains(&"Textures/Fox_tex0.png".to_owned()), "{names:?}");
    assert_eq!(names.len(), 6, "{names:?}");
}

#[test]
fn the_model_holds_the_numbers_of_the_source() {
    let Some((folder, fox)) = converted() else { return };
    let model = urho::model(&fs::read(folder.path().join("OUT/Fox.mdl")).expect("there"));
    let [buffer] = model.vertex_buffers.as_slice() else { panic!("one vertex buffer") };
    assert_eq!(buffer.elements, ELEMENTS);
    let attributes = &fox.json["meshes"][0]["primitives"][0]["attributes"];
    let positions = fox.floats(&attributes["POSITION"]);
    let weights = fox.floats(&attributes["WEIGHTS_0"]);
    assert_eq!(buffer.vertices.len(), 1728);
    for vertex in 0..1728 {
        assert_eq!(buffer.floats(vertex, 0x003), positions[3 * vertex..3 * vertex + 3]);
        let normal = buffer.floats(vertex, 0x103);
        let length: f32 = normal.iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-4, "normal {vertex}");
        assert_eq!(buffer.element(vertex, 0x506), [255; 4]);
        let written: f32 = buffer.floats(vertex, 0x604).iter().sum();
        assert!((written - 1.0).abs() < 1e-5, "weights of {vertex}");
        let source: f32 = weights[4 * vertex..4 * vertex + 4].iter().copied().fold(0.0, f32::max);
        let largest = buffer.floats(vertex, 0x604).into_iter().fold(0.0, f32::max);
        assert!((source - largest).abs() < 1e-3, "weights of {vertex}");
        assert!(buffer.element(vertex, 0x705).iter().all(|b| *b < 24));
    }
    assert_eq!(model.index_buffers, [(2, (0..1728).collect())]);
    let [geometry] = model.geometries.as_slice() else { panic!("one geometry") };
    assert_eq!(geometry.bone_map, (0..24).collect::<Vec<_>>());
    let range = (geometry.primitive, geometry.vertex_buffer, geometry.index_buffer, geometry.start, geometry.count);
    assert_eq!(range, (0, 0, 0, 0, 1728));
    assert_eq!((model.morphs.len(), model.centres.len()), (0, 1));
    for axis in 0..3 {
        let values = || positions.iter().skip(axis).step_by(3).copied();
        assert_eq!(model.low[axis], values().fold(f32::INFINITY, f32::min));
        assert_eq!(model.high[axis], values().fold(f32::NEG_INFINITY, f32::max));
    }
}

#[test]
fn the_skeleton_is_that_of_the_source() {
    let Some((folder, fox)) = converted() else { return };
    let model = urho::model(&fs::read(folder.path().join("OUT/Fox.mdl")).expect("there"));
    let skin = &fox.json["skins"][0];
    let joints: Vec<_> =
        skin["joints"].as_array().expect("a list").iter().map(|j| j.as_u64().expect("an index") as usize).collect();
    let inverse_binds = fox.floats(&skin["inverseBindMatrices"]);
    let nodes = fox.json["nodes"].as_array().expect("a list");
    assert_eq!(model.bones.len(), joints.len());
    for (index, bone) in model.bones.iter().enumerate() {
        let node = nodes.iter().position(|n| n["name"] == bone.name).expect("a joint of this name");
        let joint = joints.iter().position(|j| *j == node).expect("a joint");
        let parent = nodes.iter().position(|n| n["children"].as_array().is_some_and(|c| c.contains(&node.into())));
        let parent = parent.and_then(|p| model.bones.iter().position(|b| nodes[p]["name"] == b.name));
        assert_eq!(bone.parent as usize, parent.unwrap_or(index), "{}", bone.name);
        // Column-major 4x4 in the source, rows of 3x4 in the model.
        let matrix = &inverse_binds[16 * joint..16 * joint + 16];
        let rows: Vec<f32> = (0..3).flat_map(|r| (0..4).map(move |c| matrix[4 * c + r])).collect();
        assert_eq!(bone.offset.to_vec(), rows, "{}", bone.name);
        let floats = |key: &str, default: &[f64]| match node_floats(&nodes[node][key]) {
            Some(values) => values,
            None => default.to_vec(),
        };
        near(&bone.position, &floats("translation", &[0.0; 3]), &bone.name);
        near(&bone.scale, &floats("scale", &[1.0; 3]), &bone.name);
        let [x, y, z, w] = floats("rotation", &[0.0, 0.0, 0.0, 1.0])[..] else { panic!("four numbers") };
        near(&bone.rotation_wxyz, &[w, x, y, z], &bone.name);
        assert_eq!(bone.mask, 0);
    }
}

fn node_floats(value: &serde_json::Value) -> Option<Vec<f64>> {
    value.as_array().map(|v| v.iter().map(|n| n.as_f64().expect("a number")).collect())
}

#[track_caller]
fn near(written: &[f32], source: &[f64], name: &str) {
    assert_eq!(written.len(), source.len());
    for (a, b) in written.iter().zip(source) {
        assert!((f64::from(*a) - b).abs() < 1e-5 * b.abs().max(1.0), "{name}: {written:?} {source:?}");
    }
}

#[test]
fn the_animations_hold_the_keys_of_the_source() {
    let Some((folder, fox)) = converted() else { return };
    for (clip, keys) in [("Survey", 83), ("Walk", 18), ("Run", 25)] {
        let path = folder.path().join(format!("OUT/Animations/{clip}.ani"));
        let written = urho::animation(&fs::read(path).expect("there"));
        assert_eq!(written.tracks.len(), 20, "{clip}");
        let animations = fox.json["animations"].as_array().expect("a list");
        let source = animations.iter().find(|a| a["name"] == clip).expect("there");
        for channel in source["channels"].as_array().expect("a list") {
            let node = &fox.json["nodes"][channel["target"]["node"].as_u64().expect("an index") as usize];
            let track = written.tracks.iter().find(|t| node["name"] == t.name).expect("a track");
            assert_eq!((track.interpolation, track.keys.len()), (1, keys), "{clip} {}", track.name);
            let sampler = &source["samplers"][channel["sampler"].as_u64().expect("an index") as usize];
            let times = fox.floats(&sampler["input"]);
            assert_eq!(track.keys.iter().map(|k| k.time_secs).collect::<Vec<_>>(), times);
            assert_eq!(written.length_secs, *times.last().expect("keys"));
            same_values(track, &channel["target"]["path"], &fox.floats(&sampler["output"]));
        }
    }
}

fn same_values(track: &urho::Track, path: &serde_json::Value, values: &[f32]) {
    let of_source =
        |width: usize| values.chunks_exact(width).map(|v| v.iter().map(|f| f64::from(*f)).collect::<Vec<_>>());
    if path == "translation" {
        let pairs = track.keys.iter().zip(of_source(3));
        pairs.for_each(|(key, source)| near(&key.translation, &source, &track.name));
        return;
    }
    assert_eq!(path, "rotation");
    for (key, source) in track.keys.iter().zip(of_source(4)) {
        near(&key.rotation_wxyz, &[source[3], source[0], source[1], source[2]], &track.name);
        assert_eq!(key.scale, [1.0; 3]);
    }
}

#[test]
fn options_change_what_they_say() {
    let Some(corpus) = corpus() else { return };
    let fox = corpus.join("gltf/bevy/animated/Fox.glb");
    let folder = folder();
    let convert = |out: &str, more: &[&str]| {
        let arguments = ["convert", fox.to_str().expect("text"), "--to", "urhox", "--verify", "full", "-o", out];
        run(folder.path(), &[&arguments[..], more].concat()).exits(0);
        urho::model(&fs::read(folder.path().join(out).join("Fox.mdl")).expect("there"))
    };
    let plain = convert("plain", &[]);
    let scaled = convert("scaled", &["--scale", "0.01"]);
    let flipped = convert("flipped", &["--flip-v"]);
    let mirrored = convert("mirrored", &["--handedness", "reflect-x"]);
    let split = convert("split", &["-O", "max-bones=12"]);
    let floats = |model: &urho::Model, element| model.vertex_buffers[0].floats(100, element);
    let (position, uv) = (floats(&plain, 0x003), floats(&plain, 0x402));
    let scaled_position = floats(&scaled, 0x003);
    assert!(position.iter().zip(scaled_position).all(|(p, s)| (p * 0.01 - s).abs() < 1e-5));
    assert_eq!(floats(&mirrored, 0x003), [-position[0], position[1], position[2]]);
    assert!((floats(&flipped, 0x402)[1] - (1.0 - uv[1])).abs() < 1e-6);
    assert!(split.geometries.len() > 1 && split.geometries.iter().all(|g| g.bone_map.len() <= 12));
    assert_eq!(split.geometries.iter().map(|g| g.count).sum::<u32>(), 1728);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let Some(corpus) = corpus() else { return };
    let fox = corpus.join("gltf/bevy/animated/Fox.glb");
    let folder = folder();
    for jobs in ["1", "2"] {
        let arguments = ["convert", fox.to_str().expect("text"), "--to", "urhox", "-o", jobs, "--jobs", jobs];
        run(folder.path(), &arguments).exits(0);
    }
    let names = files(&folder.path().join("1"));
    assert_eq!(names, files(&folder.path().join("2")));
    for name in names {
        let read = |jobs: &str| fs::read(folder.path().join(jobs).join(&name)).expect("there");
        assert!(read("1") == read("2"), "{name}");
    }
}
