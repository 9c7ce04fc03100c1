//! Known contents of known files, and cases that are made by hand.

mod helpers;

use anyrig_bytes::{Context, MemorySource};
use anyrig_gltf::Gltf;
use anyrig_scene::{Feature, Id, Importer, Interpolation, Scene, Semantic, Storage, Target, features};
use helpers::{Disk, corpus, import};

fn open(name: &str) -> Option<Scene> {
    let path = corpus()?.join(name);
    Some(import(&Disk::open(&path), &Context::new()).unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// The Fox: 1728 unindexed vertices without normals, 24 joints, clips Survey, Walk, Run of 83, 18, 25 keys.
#[test]
fn fox() {
    let Some(scene) = open("gltf/bevy/animated/Fox.glb") else { return };
    let part = &scene.meshes[Id::new(0)].parts[0];
    assert_eq!((part.point_count, part.triangle_count()), (1728, 576));
    assert!(part.corners.is_none() && part.stream(&Semantic::Normal).is_none());
    assert_eq!(scene.skins[Id::new(0)].joints.len(), 24);
    let clips: Vec<_> = scene.clips.iter().map(|c| (c.name.as_str(), c.channels.len())).collect();
    assert_eq!(clips, [("Survey", 21), ("Walk", 21), ("Run", 21)]);
    let keys: Vec<_> = scene.clips.iter().map(|c| c.channels.iter().map(|c| c.curve.len()).max()).collect();
    assert_eq!(keys, [Some(83), Some(18), Some(25)]);
    let influences = part.influences.as_ref().expect("skinned");
    assert_eq!(influences.weights.len(), 1728 * 4);
    assert!(features(&scene).contains_key(&Feature::PlainNodes));
}

/// Channels that share an accessor of times share its buffer, and tight streams are not copied from the file.
#[test]
fn buffers_are_shared_with_the_file() {
    let Some(folder) = corpus() else { return };
    let source = Disk::open(&folder.join("gltf/bevy/animated/Fox.glb"));
    let scene = import(&source, &Context::new()).expect("readable");
    let clip = &scene.clips[0];
    let same = clip.channels.windows(2).filter(|c| c[0].curve.times_secs.same_memory(&c[1].curve.times_secs)).count();
    assert!(same > 10, "{same}");
    let file = anyrig_bytes::Source::bytes(&source).as_ptr_range();
    let inside = |bytes: &[u8]| file.contains(&bytes.as_ptr());
    let part = &scene.meshes[Id::new(0)].parts[0];
    for stream in &part.streams {
        assert!(inside(&stream.values.to_bytes()), "{}", stream.semantic);
    }
    assert!(inside(&part.influences.as_ref().expect("skinned").weights.to_bytes()));
}

#[test]
fn interpolations_of_the_khronos_test() {
    let Some(scene) = open("gltf/draco/InterpolationTest/glTF/InterpolationTest.gltf") else { return };
    let kinds: std::collections::BTreeSet<_> =
        scene.clips.iter().flat_map(|c| &c.channels).map(|c| format!("{:?}", c.curve.interpolation)).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["CubicHermite", "Linear", "Step"]);
    for curve in scene.clips.iter().flat_map(|c| &c.channels).map(|c| &c.curve) {
        let per_key = if curve.interpolation == Interpolation::CubicHermite { 3 } else { 1 };
        assert_eq!(curve.values.len(), curve.len() * curve.width * per_key);
    }
}

/// A .gltf with one data URI buffer.
fn made(bytes: &[u8], members: &str) -> Scene {
    use std::fmt::Write;
    let mut uri = String::from("data:application/octet-stream,");
    bytes.iter().for_each(|b| write!(uri, "%{b:02X}").expect("writable"));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"{uri}","byteLength":{}}}],{members}}}"#,
        bytes.len()
    );
    let source = MemorySource::new("made.gltf", json.into_bytes());
    Gltf.import(&source, &Context::new()).unwrap_or_else(|e| panic!("{e}"))
}

/// Positions of stride 16 with unorm8 colours between them.
#[test]
fn interleaved_and_normalised_attributes() {
    let mut bytes = Vec::new();
    for point in 0..3u8 {
        for axis in 0..3u8 {
            bytes.extend(f32::from(point * 10 + axis).to_le_bytes());
        }
        bytes.extend([point, 255, 51, 0]);
    }
    let scene = made(
        &bytes,
        r#""bufferViews":[{"buffer":0,"byteLength":48,"byteStride":16}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3.0},
                     {"bufferView":0,"byteOffset":12,"componentType":5121,"normalized":true,"type":"VEC4","count":3}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":1}}]}]"#,
    );
    let part = &scene.meshes[Id::new(0)].parts[0];
    assert_eq!(part.positions(), [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0], [20.0, 21.0, 22.0]]);
    let color = part.stream(&Semantic::Color(0)).expect("colours");
    assert_eq!(color.storage, Storage::Unorm8);
    assert_eq!(&color.values[4..8], &[1.0 / 255.0, 1.0, 0.2, 0.0]);
}

/// Zeros with two replaced elements: an attribute becomes full, a morph target stays sparse.
#[test]
fn sparse_accessors() {
    let mut bytes = vec![1u8, 3, 0, 0];
    [1.0f32, 2.0, 3.0, -1.0, -2.0, -3.0].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    let scene = made(
        &bytes,
        r#""bufferViews":[{"buffer":0,"byteLength":2},{"buffer":0,"byteOffset":4,"byteLength":24}],
        "accessors":[{"componentType":5126,"type":"VEC3","count":4,"sparse":{"count":2,
            "indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":1}}}],
        "meshes":[{"primitives":[{"mode":0,"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}],
            "weights":[0.5],"extras":{"targetNames":["smile"],"kept":1}}]"#,
    );
    let mesh = &scene.meshes[Id::new(0)];
    assert_eq!(mesh.parts[0].positions(), [[0.0; 3], [1.0, 2.0, 3.0], [0.0; 3], [-1.0, -2.0, -3.0]]);
    let delta = &mesh.parts[0].morphs[0].deltas[0];
    assert_eq!(delta.points.as_deref(), Some(&[1, 3][..]));
    assert_eq!(&*delta.values, &[1.0, 2.0, 3.0, -1.0, -2.0, -3.0]);
    assert_eq!((mesh.morphs[0].name.as_str(), mesh.morphs[0].default_weight), ("smile", 0.5));
    assert!(mesh.extras.get("gltf.extras").is_some_and(|e| e.get("kept").is_some() && e.get("targetNames").is_none()));
}

/// Two sets of influences lie side by side.
#[test]
fn several_sets_of_influences() {
    let mut bytes = vec![0u8, 1, 2, 3, 4, 5, 6, 7];
    [0.125f32; 4].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    let scene = made(
        &bytes,
        r#""bufferViews":[{"buffer":0,"byteLength":24}],
        "accessors":[{"bufferView":0,"componentType":5121,"type":"VEC4","count":1},
                     {"bufferView":0,"byteOffset":4,"componentType":5121,"type":"VEC4","count":1},
                     {"bufferView":0,"byteOffset":8,"componentType":5126,"type":"VEC4","count":1}],
        "meshes":[{"primitives":[{"mode":0,"attributes":{"WEIGHTS_1":2,"JOINTS_1":1,"JOINTS_0":0,"WEIGHTS_0":2}}]}]"#,
    );
    let influences = scene.meshes[Id::new(0)].parts[0].influences.as_ref().expect("skinned");
    assert_eq!(influences.of(0), (&[0, 1, 2, 3, 4, 5, 6, 7][..], &[0.125; 8][..]));
}

#[test]
fn pointers_are_kept_and_channels_without_node_ignored() {
    let mut bytes = Vec::new();
    [0.0f32, 1.0, 0.25, 0.75].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    let scene = made(
        &bytes,
        r#""bufferViews":[{"buffer":0,"byteLength":16}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"SCALAR","count":2},
                     {"bufferView":0,"byteOffset":8,"componentType":5126,"type":"SCALAR","count":2}],
        "animations":[{"samplers":[{"input":0,"output":1,"interpolation":"STEP"}],"channels":[
            {"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":
                {"pointer":"/materials/0/alphaCutoff"}}}},
            {"sampler":0,"target":{"path":"scale"}}]}]"#,
    );
    let channels = &scene.clips[0].channels;
    assert_eq!(channels.len(), 1);
    assert_eq!(channels[0].target, Target::Other("/materials/0/alphaCutoff".to_owned()));
    assert_eq!((channels[0].curve.width, channels[0].curve.interpolation), (1, Interpolation::Step));
}
