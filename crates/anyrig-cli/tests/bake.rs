//! What `anyrig bake` writes.

mod common;

use common::{folder, glb, run, write};
use std::path::Path;

/// Node 0 turns by 90 degrees about Z in half a second; node 1 takes half of it over by a constraint, and node 2 swings
/// below it.
fn ruled() -> Vec<u8> {
    let half = 0.5_f32.sqrt();
    let numbers = [0.0, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half];
    let binary: Vec<u8> = numbers.iter().flat_map(|v: &f32| v.to_le_bytes()).collect();
    let json = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "extensionsUsed": ["VRMC_node_constraint", "VRMC_springBone"],
        "nodes": [{"name": "turns"},
            {"name": "follows", "children": [2], "extensions": {"VRMC_node_constraint": {"specVersion": "1.0",
                "constraint": {"rotation": {"source": 0, "weight": 0.5}}}}},
            {"name": "swings", "translation": [1, 0, 0], "children": [3]}, {"name": "tail", "translation": [1, 0, 0]}],
        "extensions": {"VRMC_springBone": {"specVersion": "1.0",
            "springs": [{"joints": [{"node": 2, "dragForce": 0.5}, {"node": 3}]}]}},
        "animations": [{"name": "turn", "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            "samplers": [{"input": 0, "output": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [0.5]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}],
        "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 32}],
        "buffers": [{"byteLength": 40}]}"#;
    glb(json, &binary)
}

fn json(path: &Path) -> serde_json::Value {
    let bytes = std::fs::read(path).expect("written");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

fn moved(json: &serde_json::Value) -> Vec<u64> {
    let channels = json["animations"][0]["channels"].as_array().expect("a list");
    channels.iter().filter_map(|c| c["target"]["node"].as_u64()).collect()
}

#[test]
fn constraints_and_springs_become_keys() {
    let folder = folder();
    write(&folder.path().join("in.glb"), &ruled());
    run(folder.path(), &["bake", "in.glb", "--to", "glb"]).exits(0);
    let baked = json(&folder.path().join("in_baked.glb"));
    assert_eq!(baked["extensionsUsed"], serde_json::Value::Null);
    assert_eq!(moved(&baked), [0, 1, 2]);
    let rotation = &baked["animations"][0]["channels"][1];
    let sampler = &baked["animations"][0]["samplers"][rotation["sampler"].as_u64().expect("a number") as usize];
    let keys = &baked["accessors"][sampler["input"].as_u64().expect("a number") as usize]["count"];
    assert_eq!(keys, 2, "half of a turn at a constant speed is one too: {keys}");
}

#[test]
fn springs_may_stay() {
    let folder = folder();
    write(&folder.path().join("in.glb"), &ruled());
    run(folder.path(), &["bake", "in.glb", "-o", "out.glb", "--springs", "keep", "--rate", "30"]).exits(0);
    let baked = json(&folder.path().join("out.glb"));
    assert_eq!(baked["extensionsUsed"], serde_json::json!(["VRMC_springBone"]));
    assert_eq!(moved(&baked), [0, 1]);
}

#[test]
fn what_cannot_be_baked_is_told() {
    let folder = folder();
    write(&folder.path().join("in.glb"), &ruled());
    run(folder.path(), &["bake", "in.glb", "-o", "out.glb", "--rate", "0"]).exits(2).says("keys per second");
    run(folder.path(), &["bake", "in.glb", "-o", "out.glb", "--via", "document"]).exits(2).says("baked");
    run(folder.path(), &["bake", "--help"]).exits(0);
    let help = run(folder.path(), &["bake", "--help"]).out();
    assert!(help.contains("--springs keep") && help.contains("anyrig bake avatar.glb"), "{help}");
    assert!(!folder.path().join("out.glb").exists());
    // Without baking a target that knows no rules says that they are lost.
    let lost = run(folder.path(), &["convert", "in.glb", "--to", "urhox", "--strict"]).exits(3);
    lost.says("constraints");
}
