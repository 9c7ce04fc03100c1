//! Of a `.gltf` with its `.bin`.
#![allow(clippy::ptr_arg, reason = "all wrecks have one type, and some take files away")]

use super::{Column, Wreck, add, content, negate_component, replace, set_float};
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

/// The elements of an accessor of floats.
fn column(root: &Value, accessor: &Value) -> Column {
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
    Column { first, stride, count: number(&accessor["count"]) }
}

fn attribute(root: &Value, name: &str) -> Column {
    column(root, &root["meshes"][0]["primitives"][0]["attributes"][name])
}

fn wreck(files: &mut [ExportedFile], change: impl FnOnce(&Value, &mut Vec<u8>)) {
    let mut bytes = content(files, ".bin");
    change(&json(files), &mut bytes);
    replace(files, ".bin", bytes);
}

fn swap_vertices(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| attribute(root, "POSITION").swap(bytes));
}

fn mirror(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| attribute(root, "POSITION").mirror(bytes));
}

fn texture_coordinate(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| attribute(root, "TEXCOORD_0").shift(bytes));
}

fn wrong_weight(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| attribute(root, "WEIGHTS_0").wrong_weight(bytes));
}

fn inverse_bind(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let binds = column(root, &root["skins"][0]["inverseBindMatrices"]);
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
        let keys = samplers(root, 0, "rotation").into_iter().map(|s| column(root, &s["output"]).at(0));
        negate_component(bytes, keys);
    });
}

/// A key in the middle of the first clip.
fn shift_key(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| column(root, &samplers(root, 0, "rotation")[0]["input"]).shift_key(bytes));
}

fn still_morphs(files: &mut Vec<ExportedFile>) {
    wreck(files, |root, bytes| {
        let clips = 0..root["animations"].as_array().map_or(0, Vec::len);
        let sampler = clips.flat_map(|clip| samplers(root, clip, "weights")).next().expect("animated morphs");
        let values = column(root, &sampler["output"]);
        (0..values.count).for_each(|i| set_float(bytes, values.at(i), 0.0));
    });
}
