//! Of a `.gltf` with its `.bin`.
#![allow(clippy::ptr_arg, reason = "all wrecks have one type, and some take files away")]

use super::{Wreck, add, content, counts, float, negate, replace, set_float};
use anyrig::ExportedFile;
use serde_json::Value;

pub const WRECKS: &[Wreck] = &[
    Wreck { what: "two vertices in each other's place", change: swap_vertices },
    Wreck { what: "X mirrored", change: mirror },
    Wreck { what: "a texture coordinate", change: texture_coordinate },
    Wreck { what: "a component of a quaternion negated", change: negate_quaternion },
    Wreck { what: "a key at another time", change: shift_key },
    Wreck { what: "a weight of another joint", change: wrong_weight },
    Wreck { what: "an inverse bind matrix", change: inverse_bind },
    Wreck { what: "morph weights that do not move", change: still_morphs },
    Wreck { what: "a clip lost", change: |files| edit(files, |root| drop(animations(root).pop())) },
    Wreck { what: "clips in each other's place", change: |files| edit(files, |root| animations(root).reverse()) },
];

fn json(files: &[ExportedFile]) -> Value {
    serde_json::from_slice(&content(files, ".gltf")).expect("JSON")
}

fn edit(files: &mut [ExportedFile], change: impl FnOnce(&mut Value)) {
    let mut root = json(files);
    change(&mut root);
    replace(files, ".gltf", root.to_string().into_bytes());
}

fn animations(root: &mut Value) -> &mut Vec<Value> {
    root["animations"].as_array_mut().expect("animations")
}

fn number(value: &Value) -> usize {
    value.as_u64().map_or(0, |n| n as usize)
}

/// Where the elements of an accessor of floats lie.
struct Elements {
    first: usize,
    stride: usize,
    count: usize,
}

impl Elements {
    fn of(root: &Value, accessor: &Value) -> Self {
        let accessor = &root["accessors"][number(accessor)];
        assert_eq!(accessor["componentType"], 5126, "floats");
        let view = &root["bufferViews"][number(&accessor["bufferView"])];
        let width = match accessor["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            _ => 16,
        };
        let stride = view["byteStride"].as_u64().map_or(4 * width, |s| s as usize);
        let first = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        Self { first, stride, count: number(&accessor["count"]) }
    }

    fn at(&self, element: usize) -> usize {
        assert!(element < self.count);
        self.first + element * self.stride
    }
}

fn attribute(root: &Value, name: &str) -> Elements {
    Elements::of(root, &root["meshes"][0]["primitives"][0]["attributes"][name])
}

fn wreck(files: &mut [ExportedFile], change: impl FnOnce(&Value, &mut Vec<u8>)) {
    let mut bytes = content(files, ".bin");
    change(&json(files), &mut bytes);
    replace(files, ".bin", bytes);
}

fn swap_vertices(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let positions = attribute(root, "POSITION");
        let (a, b) = (positions.at(3), positions.at(positions.count / 2));
        (0..12).for_each(|i| bytes.swap(a + i, b + i));
    });
}

fn mirror(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let positions = attribute(root, "POSITION");
        (0..positions.count).for_each(|i| negate(bytes, positions.at(i)));
    });
}

fn texture_coordinate(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let at = attribute(root, "TEXCOORD_0").at(5);
        add(bytes, at, 0.25);
    });
}

fn wrong_weight(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let weights = attribute(root, "WEIGHTS_0");
        let shared = |i: &usize| (0.3..0.7).contains(&float(bytes, weights.at(*i)));
        let at = weights.at((0..weights.count).find(shared).expect("a vertex between joints"));
        for (i, weight) in [1.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            set_float(bytes, at + 4 * i, weight);
        }
    });
}

fn inverse_bind(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let binds = Elements::of(root, &root["skins"][0]["inverseBindMatrices"]);
        let at = binds.at(binds.count / 2) + 48;
        add(bytes, at, 0.1);
    });
}

/// The samplers of a clip's channels on a path.
fn samplers<'a>(root: &'a Value, clip: usize, path: &str) -> Vec<&'a Value> {
    let animation = &root["animations"][clip];
    let channels = animation["channels"].as_array().expect("channels");
    let of_path = channels.iter().filter(|c| c["target"]["path"] == path);
    of_path.map(|c| &animation["samplers"][number(&c["sampler"])]).collect()
}

/// At the start of the first clip, which is looked at.
fn negate_quaternion(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let keys = samplers(root, 0, "rotation").into_iter().map(|s| Elements::of(root, &s["output"]).at(0));
        let components = keys.flat_map(|at| (0..4).map(move |i| at + 4 * i));
        let at = components.into_iter().find(|at| counts(float(bytes, *at))).expect("a turned joint");
        negate(bytes, at);
    });
}

/// A key in the middle of the first clip.
fn shift_key(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let sampler = samplers(root, 0, "rotation")[0];
        let times = Elements::of(root, &sampler["input"]);
        let middle = times.count / 2;
        let at = times.at(middle);
        let gap = float(bytes, times.at(middle + 1)) - float(bytes, at);
        add(bytes, at, 0.5 * gap);
    });
}

fn still_morphs(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let clips = 0..root["animations"].as_array().map_or(0, Vec::len);
        let sampler = clips.flat_map(|clip| samplers(root, clip, "weights")).next().expect("animated morphs");
        let values = Elements::of(root, &sampler["output"]);
        (0..values.count).for_each(|i| set_float(bytes, values.at(i), 0.0));
    });
}
