//! The ratified extensions, by files of a writer of this test's own: JSON as the extensions' documents have it, and
//! bytes put behind it by hand. What comes back through the scene must say the same.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, MemorySource, Value};
use anyrig_gltf::{Glb, Gltf, OPTIONS};
use anyrig_scene::glam::{DQuat, DVec3};
use anyrig_scene::{
    Exporter, Feature, Id, Importer, LightProperty, MaterialProperty, NodeId, Property, Target, TextureSlot, Tolerance,
    diff, features,
};
use helpers::made::{TEXTURES, floats, glb, parsed, read, written};
use helpers::{Disk, corpus, files, import};
use std::collections::{BTreeMap, BTreeSet};

/// Members that the specification leaves out at their default are given other values, so that all must come back.
const SURFACES: &str = r#"[
  {"name":"coat","extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":0.5,"clearcoatTexture":{"index":1},
    "clearcoatRoughnessFactor":0.25,"clearcoatRoughnessTexture":{"index":0,"texCoord":1},
    "clearcoatNormalTexture":{"index":1,"scale":0.5}}}},
  {"name":"velvet","extensions":{"KHR_materials_sheen":{"sheenColorFactor":[0.25,0.5,0.75],"sheenColorTexture":{"index":0},
    "sheenRoughnessFactor":0.5,"sheenRoughnessTexture":{"index":1,"texCoord":2}}}},
  {"name":"glass","pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0.125},"extensions":{
    "KHR_materials_transmission":{"transmissionFactor":0.75,"transmissionTexture":{"index":0}},
    "KHR_materials_volume":{"thicknessFactor":2,"thicknessTexture":{"index":1},"attenuationDistance":3.5,
      "attenuationColor":[0.5,0.25,1]},
    "KHR_materials_ior":{"ior":1.25},"KHR_materials_dispersion":{"dispersion":0.5}}},
  {"name":"paper","extensions":{"KHR_materials_diffuse_transmission":{"diffuseTransmissionFactor":0.5,
    "diffuseTransmissionTexture":{"index":0},"diffuseTransmissionColorFactor":[1,0.5,0.25],
    "diffuseTransmissionColorTexture":{"index":1}}}},
  {"name":"skin","extensions":{"KHR_materials_specular":{"specularFactor":0.5,"specularTexture":{"index":0},
    "specularColorFactor":[2,1,0.5],"specularColorTexture":{"index":1,"extensions":{"KHR_texture_transform":{
      "offset":[0.5,0.25],"rotation":0.5,"scale":[2,4]}}}}}},
  {"name":"film","extensions":{"KHR_materials_iridescence":{"iridescenceFactor":1,"iridescenceTexture":{"index":0},
    "iridescenceIor":1.5,"iridescenceThicknessMinimum":150,"iridescenceThicknessMaximum":550,
    "iridescenceThicknessTexture":{"index":1}}}},
  {"name":"brushed","extensions":{"KHR_materials_anisotropy":{"anisotropyStrength":0.5,"anisotropyRotation":1.5,
    "anisotropyTexture":{"index":1}}}},
  {"name":"lamp","emissiveFactor":[1,0.5,0.25],"extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":4}}},
  {"name":"flat","extensions":{"KHR_materials_unlit":{}}},
  {"name":"defaults","extensions":{"KHR_materials_clearcoat":{},"KHR_materials_sheen":{},"KHR_materials_volume":{},
    "KHR_materials_iridescence":{},"KHR_materials_specular":{},"KHR_materials_ior":{},"KHR_materials_dispersion":{},
    "KHR_materials_transmission":{},"KHR_materials_anisotropy":{},"KHR_materials_diffuse_transmission":{}}},
  {"name":"carried","extensions":{"KHR_materials_sheen":{"extras":{"a":1},"extensions":{"EXT_own":{"b":2}}}}}]"#;

/// As the specification's default, which is no bound. The shortest text of the largest number of 32 bits is above it.
#[test]
fn the_largest_number_is_read_as_it_is_written() {
    for spelled in ["3.4028234663852886e38", "3.4028235e38"] {
        let volume = format!(r#"{{"KHR_materials_volume":{{"attenuationDistance":{spelled}}}}}"#);
        let json = format!(r#"{{"asset":{{"version":"2.0"}},"materials":[{{"extensions":{volume}}}]}}"#);
        let (scene, context) = read(glb(&json, &[]));
        assert!(context.report().is_empty(), "{spelled}: {:?}", context.report());
        let distance = |scene: &anyrig_scene::Scene| {
            scene.materials.values().next().and_then(|m| m.volume.as_ref()?.attenuation_distance)
        };
        assert_eq!(distance(&scene), Some(f32::MAX), "{spelled}");
        let (back, context) = read(written("volume", &scene));
        assert!(context.report().is_empty(), "{spelled}: {:?}", context.report());
        assert_eq!(distance(&back), Some(f32::MAX), "{spelled}");
    }
}

#[test]
fn surfaces_are_read_and_written_back() {
    let file = glb(&format!(r#"{{"asset":{{"version":"2.0"}},{TEXTURES},"materials":{SURFACES}}}"#), &[]);
    let (scene, context) = read(file);
    assert!(context.report().is_empty(), "{:?}", context.report());
    let m = |name: &str| scene.materials.values().find(|m| m.name == name).expect("there");
    let coat = m("coat").clearcoat.as_deref().expect("read");
    assert_eq!((coat.factor, coat.roughness, coat.normal_scale), (0.5, 0.25, 0.5));
    assert_eq!(m("coat").texture(TextureSlot::ClearcoatRoughness).map(|t| (t.texture.index(), t.uv_set)), Some((0, 1)));
    assert_eq!(m("velvet").sheen.as_ref().map(|s| (s.color, s.roughness)), Some(([0.25, 0.5, 0.75], 0.5)));
    let volume = m("glass").volume.as_deref().expect("read");
    assert_eq!((volume.thickness, volume.attenuation_distance), (2.0, Some(3.5)));
    assert_eq!((m("glass").ior, m("glass").dispersion), (Some(1.25), Some(0.5)));
    assert_eq!(m("glass").transmission.as_ref().map(|t| t.factor), Some(0.75));
    assert_eq!(m("paper").diffuse_transmission.as_ref().map(|d| d.color), Some([1.0, 0.5, 0.25]));
    assert_eq!(m("skin").specular.as_ref().map(|s| (s.factor, s.color)), Some((0.5, [2.0, 1.0, 0.5])));
    let transform = m("skin").texture(TextureSlot::SpecularColor).and_then(|t| t.transform).expect("read");
    assert_eq!((transform.offset, transform.rotation_rad, transform.scale), ([0.5, 0.25], 0.5, [2.0, 4.0]));
    let film = m("film").iridescence.as_deref().expect("read");
    assert_eq!((film.ior, film.thickness_min_nm, film.thickness_max_nm), (1.5, 150.0, 550.0));
    assert_eq!(m("brushed").anisotropy.as_ref().map(|a| (a.strength, a.rotation_rad)), Some((0.5, 1.5)));
    assert_eq!((m("lamp").emission(), m("lamp").emissive), ([4.0, 2.0, 1.0], [1.0, 0.5, 0.25]));
    assert!(m("flat").unlit);
    let defaults = m("defaults");
    assert_eq!((defaults.ior, defaults.volume.as_ref().and_then(|v| v.attenuation_distance)), (Some(1.5), None));
    let json = parsed(&written("surfaces", &scene));
    let expected: serde_json::Value = serde_json::from_str(SURFACES).expect("JSON");
    for (given, back) in expected.as_array().expect("a list").iter().zip(json["materials"].as_array().expect("a list"))
    {
        assert!(same(given, back), "{given:#}\nagainst\n{back:#}");
    }
    let used: BTreeSet<_> =
        json["extensionsUsed"].as_array().expect("a list").iter().filter_map(|v| v.as_str()).collect();
    assert!(used.contains("KHR_materials_dispersion") && used.contains("KHR_texture_transform"), "{used:?}");
    assert!(json.get("extensionsRequired").is_none());
}

/// Equal JSON, 1 and 1.0 being one number.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => a.as_f64() == b.as_f64(),
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Object(a), Object(b)) => a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|b| same(v, b))),
        (a, b) => a == b,
    }
}

#[test]
fn each_part_is_a_feature() {
    let file = glb(&format!(r#"{{"asset":{{"version":"2.0"}},{TEXTURES},"materials":{SURFACES}}}"#), &[]);
    let used = features(&read(file).0);
    for feature in [
        Feature::Clearcoat,
        Feature::Sheen,
        Feature::Transmission,
        Feature::DiffuseTransmission,
        Feature::Volume,
        Feature::IndexOfRefraction,
        Feature::Specular,
        Feature::Iridescence,
        Feature::Anisotropy,
        Feature::Dispersion,
    ] {
        assert!(used.get(&feature).is_some_and(|n| (1..=3).contains(n)), "{feature}");
    }
}

#[test]
fn values_out_of_range_are_brought_into_it() {
    let materials = r#"[{"extensions":{"KHR_materials_ior":{"ior":0.5},"KHR_materials_sheen":{"sheenRoughnessFactor":2},
        "KHR_materials_iridescence":{"iridescenceIor":0},"KHR_materials_volume":{"attenuationDistance":0}}},
        {"extensions":{"KHR_materials_ior":{"ior":0}}}]"#;
    let (scene, context) = read(glb(&format!(r#"{{"asset":{{"version":"2.0"}},"materials":{materials}}}"#), &[]));
    assert_eq!(context.report().count_of("gltf.value-clamped"), 4);
    assert_eq!(scene.materials.values().map(|m| m.ior).collect::<Vec<_>>(), [Some(1.0), Some(0.0)]);
    written("ranges", &scene);
}

/// Pointers with their number of components, and bytes for all: two keys of zeros and halves.
const POINTERS: [(&str, usize); 21] = [
    ("/nodes/0/translation", 3),
    ("/nodes/1/weights", 2),
    ("/materials/0/pbrMetallicRoughness/baseColorFactor", 4),
    ("/materials/0/alphaCutoff", 1),
    ("/materials/0/emissiveFactor", 3),
    ("/materials/0/extensions/KHR_materials_emissive_strength/emissiveStrength", 1),
    ("/materials/0/normalTexture/scale", 1),
    ("/materials/0/occlusionTexture/strength", 1),
    ("/materials/0/extensions/KHR_materials_volume/attenuationColor", 3),
    ("/materials/0/extensions/KHR_materials_volume/thicknessFactor", 1),
    ("/materials/0/extensions/KHR_materials_ior/ior", 1),
    ("/materials/0/extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", 1),
    ("/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset", 2),
    ("/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/rotation", 1),
    ("/materials/0/normalTexture/extensions/KHR_texture_transform/scale", 2),
    ("/cameras/0/perspective/yfov", 1),
    ("/cameras/1/orthographic/xmag", 1),
    ("/extensions/KHR_lights_punctual/lights/0/color", 3),
    ("/extensions/KHR_lights_punctual/lights/0/spot/outerConeAngle", 1),
    ("/extensions/KHR_lights_punctual/lights/0/range", 1),
    ("/extensions/EXT_not_known/0/thing", 1),
];

fn pointer_file() -> Vec<u8> {
    let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bin.extend(floats(&[0.0, 1.0]));
    bin.extend([1u8, 0, 0, 0]);
    // One region of values serves all: zeros for the first key, halves for the second is not possible at every width,
    // so that each has its own.
    let (mut views, mut accessors, mut samplers, mut channels) =
        (String::new(), String::new(), String::new(), String::new());
    for (i, (pointer, width)) in POINTERS.iter().enumerate() {
        let (start, length) = (bin.len(), width * 8);
        bin.extend(floats(&vec![0.125; *width]));
        bin.extend(floats(&vec![0.5; *width]));
        views += &format!(r#",{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#);
        let of_weights = pointer.ends_with("/weights");
        let shape = if of_weights { "SCALAR" } else { ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1] };
        let count = if of_weights { 2 * width } else { 2 };
        accessors += &format!(r#",{{"bufferView":{},"componentType":5126,"type":"{shape}","count":{count}}}"#, i + 3);
        samplers += &format!(r#"{{"input":1,"output":{}}},"#, i + 3);
        channels += &format!(
            r#"{{"sampler":{i},"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"{pointer}"}}}}}}}},"#
        );
    }
    let (last, coordinates) = (POINTERS.len(), POINTERS.len() + 3);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},{TEXTURES},"buffers":[{{"byteLength":{}}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":8}},
            {{"buffer":0,"byteOffset":44,"byteLength":2}}{views}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]}},
            {{"bufferView":1,"componentType":5126,"type":"SCALAR","count":2,"min":[0],"max":[1]}},
            {{"bufferView":2,"componentType":5121,"type":"SCALAR","count":2}}{accessors},
            {{"bufferView":0,"componentType":5126,"type":"VEC2","count":3}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":{coordinates}}},"material":0,
            "targets":[{{"POSITION":0}},{{"POSITION":0}}]}}]}}],
        "materials":[{{"alphaMode":"MASK","emissiveFactor":[0.5,0.5,0.5],
            "pbrMetallicRoughness":{{"baseColorTexture":{{"index":0,"extensions":{{"KHR_texture_transform":{{}}}}}}}},
            "normalTexture":{{"index":1,"extensions":{{"KHR_texture_transform":{{}}}}}},"occlusionTexture":{{"index":0}},
            "extensions":{{"KHR_materials_volume":{{}},"KHR_materials_ior":{{}},"KHR_materials_iridescence":{{}},
                "KHR_materials_transmission":{{}},"KHR_materials_emissive_strength":{{}}}}}}],
        "cameras":[{{"type":"perspective","perspective":{{"yfov":1,"znear":0.1}}}},
            {{"type":"orthographic","orthographic":{{"xmag":1,"ymag":1,"znear":0.1,"zfar":9}}}}],
        "extensions":{{"KHR_lights_punctual":{{"lights":[{{"type":"spot","range":5,"spot":{{"innerConeAngle":0.1}}}}]}}}},
        "nodes":[{{"camera":0,"extensions":{{"KHR_lights_punctual":{{"light":0}},"KHR_node_visibility":{{}}}}}},
            {{"mesh":0}},{{"camera":1}}],
        "scenes":[{{"nodes":[0,1,2]}}],"scene":0,
        "animations":[{{"samplers":[{samplers}{{"input":1,"output":2,"interpolation":"STEP"}}],
            "channels":[{channels}{{"sampler":{last},"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":
                {{"pointer":"/nodes/0/extensions/KHR_node_visibility/visible"}}}}}}}}]}}]}}"#,
        bin.len()
    );
    glb(&json, &bin)
}

#[test]
fn pointers_become_targets_and_are_written_back() {
    let (scene, context) = read(pointer_file());
    let told: Vec<_> = context.report().diagnostics().iter().map(|d| (d.code.id, d.count)).collect();
    assert_eq!(told, [("gltf.pointer-kept", 1)]);
    let targets: Vec<_> = scene.clips[0].channels.iter().map(|c| c.target.clone()).collect();
    assert_eq!(targets.len(), POINTERS.len() + 1);
    assert_eq!(targets[0], Target::Node { node: NodeId::new(0), property: Property::Translation });
    let offset = MaterialProperty::UvOffset(TextureSlot::BaseColor);
    assert_eq!(targets[12], Target::Material { material: Id::new(0), property: offset });
    assert_eq!(targets[18], Target::Light { light: Id::new(0), property: LightProperty::OuterCone });
    assert_eq!(targets[20], Target::Other("/extensions/EXT_not_known/0/thing".to_owned()));
    assert_eq!(targets[21], Target::Visibility { node: NodeId::new(0) });
    let file = written("pointers", &scene);
    let json = parsed(&file);
    let channels = json["animations"][0]["channels"].as_array().expect("a list");
    let spelt = channels.iter().map(|c| match c["target"]["path"].as_str() {
        Some("pointer") => {
            c["target"]["extensions"]["KHR_animation_pointer"]["pointer"].as_str().expect("text").to_owned()
        }
        Some(path) => format!("/nodes/{}/{path}", c["target"]["node"]),
        None => String::new(),
    });
    let expected = POINTERS.iter().map(|(p, _)| *p).chain(["/nodes/0/extensions/KHR_node_visibility/visible"]);
    assert_eq!(spelt.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    // Truth values are bytes that hold until the next key.
    let sampler = &json["animations"][0]["samplers"][channels[21]["sampler"].as_u64().expect("an index") as usize];
    let output = &json["accessors"][sampler["output"].as_u64().expect("an index") as usize];
    assert_eq!((sampler["interpolation"].as_str(), output["componentType"].as_u64()), (Some("STEP"), Some(5121)));
    assert!(json["nodes"][0]["extensions"]["KHR_node_visibility"].is_object());
}

#[test]
fn pointers_are_played() {
    use anyrig_animation::{Look, Pose};
    let (scene, _) = read(pointer_file());
    let look = Look::of_clip(&scene, &scene.clips[0], 0.5);
    let material = look.material(Id::new(0)).expect("there");
    assert_eq!((material.base_color, material.emissive_strength), ([0.3125; 4], 0.3125));
    assert_eq!(material.texture(TextureSlot::BaseColor).and_then(|t| t.transform).map(|t| t.offset), Some([0.3125; 2]));
    assert_eq!(look.light(Id::new(0)).and_then(|l| l.range), Some(0.3125));
    let shown = |time| Pose::of_clip(&scene, &scene.clips[0], time).is_visible(NodeId::new(0));
    assert_eq!((shown(0.5), shown(1.0)), (true, false));
    assert_eq!(Pose::of_clip(&scene, &scene.clips[0], 1.0).weights(NodeId::new(1)), [0.5, 0.5]);
}

/// The weights of a mesh move every node that shows it by them.
#[test]
fn weights_of_a_mesh_move_its_nodes() {
    let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bin.extend(floats(&[0.0, 1.0, 0.25, 0.75]));
    let json = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":52}],"bufferViews":[{"buffer":0,"byteLength":36},
        {"buffer":0,"byteOffset":36,"byteLength":8},{"buffer":0,"byteOffset":44,"byteLength":8}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]},
            {"bufferView":1,"componentType":5126,"type":"SCALAR","count":2,"min":[0],"max":[1]},
            {"bufferView":2,"componentType":5126,"type":"SCALAR","count":2}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}],
        "nodes":[{"mesh":0},{"mesh":0,"weights":[0.5]},{"mesh":0}],"scenes":[{"nodes":[0,1,2]}],"scene":0,
        "animations":[{"samplers":[{"input":1,"output":2}],"channels":[
            {"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/meshes/0/weights"}}}}]},
          {"samplers":[{"input":1,"output":2}],"channels":[
            {"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/nodes/1/weights/0"}}}}]}]}"#;
    let (scene, context) = read(glb(json, &bin));
    assert!(context.report().is_empty(), "{:?}", context.report());
    let moved: Vec<_> = scene.clips[0].channels.iter().filter_map(|c| c.target.node()).map(|n| n.index()).collect();
    assert_eq!(moved, [0, 2]);
    assert_eq!(scene.clips[1].channels[0].target, Target::Morph { node: NodeId::new(1), target: 0 });
    // Two channels of one node's weights; the single weight becomes a channel of all, within the error bound.
    let context = Context::new();
    let file = Glb.export(scene, "weights", &context).expect("exportable")[0].content.to_vec();
    let json = parsed(&file);
    assert_eq!(json["animations"][0]["channels"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["animations"][1]["channels"][0]["target"]["path"], "weights");
}

#[test]
fn instances_are_read_shown_and_written_back() {
    let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bin.extend(floats(&[1.0, 2.0, 3.0, -4.0, 5.0, 6.0]));
    // Half a turn about Y and none, as normalised 16-bit numbers.
    for v in [0i16, 32767, 0, 0, 0, 0, 0, 32767] {
        bin.extend(v.to_le_bytes());
    }
    bin.extend(floats(&[2.0, 2.0, 2.0, 1.0, 0.5, 1.0, 7.0, 8.0]));
    let json = r#"{"asset":{"version":"2.0"},"extensionsUsed":["EXT_mesh_gpu_instancing"],
        "extensionsRequired":["EXT_mesh_gpu_instancing"],"buffers":[{"byteLength":108}],
        "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":24},
            {"buffer":0,"byteOffset":60,"byteLength":16},{"buffer":0,"byteOffset":76,"byteLength":24},
            {"buffer":0,"byteOffset":100,"byteLength":8}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]},
            {"bufferView":1,"componentType":5126,"type":"VEC3","count":2},
            {"bufferView":2,"componentType":5122,"normalized":true,"type":"VEC4","count":2},
            {"bufferView":3,"componentType":5126,"type":"VEC3","count":2},
            {"bufferView":4,"componentType":5126,"type":"SCALAR","count":2}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":
            {"attributes":{"TRANSLATION":1,"ROTATION":2,"SCALE":3,"_ID":4}}}}],"scenes":[{"nodes":[0]}],"scene":0}"#;
    let (scene, context) = read(glb(json, &bin));
    assert!(context.report().is_empty(), "{:?}", context.report());
    let instances = scene.nodes[NodeId::new(0)].instances.as_deref().expect("read");
    let [first, second] = instances.transforms.as_slice() else { panic!("two") };
    assert_eq!((first.translation, first.scale), (DVec3::new(1.0, 2.0, 3.0), DVec3::splat(2.0)));
    assert_eq!(first.rotation, DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0));
    assert_eq!((second.translation, second.scale), (DVec3::new(-4.0, 5.0, 6.0), DVec3::new(1.0, 0.5, 1.0)));
    assert_eq!(&*instances.streams[0].values, &[7.0, 8.0]);
    let posed = anyrig_animation::posed_geometry(&scene, &anyrig_animation::Pose::rest(&scene));
    // (1, 0, 0) scaled by 2, turned to (-2, 0, 0), moved; and the plain one moved.
    assert_eq!(posed.len(), 2);
    assert!(posed[0].positions[1].iter().zip([-1.0, 2.0, 3.0]).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-6));
    assert_eq!(posed[1].positions[1], [-3.0, 5.0, 6.0]);
    let json = parsed(&written("instances", &scene));
    let back = &json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    let names: Vec<_> = back.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(names, ["TRANSLATION", "ROTATION", "SCALE", "_ID"]);
}

const VARIANTS: &str = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],
    "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]}],
    "materials":[{"name":"red"},{"name":"blue"},{"name":"gold"}],
    "extensions":{"KHR_materials_variants":{"variants":[{"name":"summer"},{"name":"winter"},{"name":"night"}]}},
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0},{"attributes":{"POSITION":0},"material":0,
        "extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[0,2]},{"material":2,"variants":[1]}]}}}]}],
    "nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}"#;

#[test]
fn variants_are_kept_or_one_is_picked() {
    let file = glb(VARIANTS, &floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    let (scene, context) = read(file.clone());
    assert!(context.report().is_empty(), "{:?}", context.report());
    assert_eq!(scene.variants.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["summer", "winter", "night"]);
    let given: serde_json::Value = serde_json::from_str(VARIANTS).expect("JSON");
    let back = parsed(&written("variants", &scene));
    assert!(same(&given["extensions"], &back["extensions"]), "{back:#}");
    let part = |json: &serde_json::Value| json["meshes"][0]["primitives"][1]["extensions"].clone();
    assert!(same(&part(&given), &part(&back)), "{back:#}");
    let pick = |name: &str| {
        let mut options = Value::Null;
        options.set("variant", name);
        let context = Context::new().with_options(OPTIONS, options);
        Glb.import(&MemorySource::new("made.glb", file.clone()), &context)
    };
    let picked = pick("winter").expect("known");
    let worn = picked.nodes[NodeId::new(0)].mesh.as_ref().expect("shows").materials.clone();
    assert_eq!(worn.iter().map(|m| m.map(|m| m.index())).collect::<Vec<_>>(), [Some(0), Some(2)]);
    assert!(picked.variants.is_empty());
    assert!(pick("spring").expect_err("unknown").message().contains("summer, winter, night"));
}

/// A texture of a plain image and the same in other encodings; one with WebP alone.
#[test]
fn encodings_of_textures_pass_through_with_their_fallback() {
    let image = |mime: &str, head: &str| format!(r#"{{"mimeType":"{mime}","uri":"data:{mime};base64,{head}"}}"#);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_texture_basisu","EXT_texture_webp"],
        "extensionsRequired":["EXT_texture_webp"],"images":[{},{},{}],
        "textures":[{{"source":0,"extensions":{{"EXT_texture_webp":{{"source":2}},"KHR_texture_basisu":{{"source":1}}}}}},
            {{"extensions":{{"EXT_texture_webp":{{"source":2}}}}}}]}}"#,
        image("image/png", "iVBORw0KGgo="),
        image("image/ktx2", "q0tUWCAyMLsNChoK"),
        image("image/webp", "UklGRgQAAABXRUJQ")
    );
    let (scene, context) = read(glb(&json, &[]));
    assert!(context.report().is_empty(), "{:?}", context.report());
    let [both, alone] = scene.textures.as_slice() else { panic!("two") };
    assert_eq!(
        (both.image.map(|i| i.index()), both.alternates.iter().map(|i| i.index()).collect()),
        (Some(0), vec![1, 2])
    );
    assert_eq!((alone.image.map(|i| i.index()), alone.alternates.len()), (Some(2), 0));
    let back = parsed(&written("encodings", &scene));
    let given: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(same(&given["textures"], &back["textures"]), "{back:#}");
    assert_eq!(back["extensionsRequired"], serde_json::json!(["EXT_texture_webp"]));
}

/// An extension that no one here knows: kept with whatever numbers it has, unless they lead to data that is packed anew.
/// What lies beside a file in files that only an unknown extension names is not carried over, and nothing may lead there
/// from elsewhere in the file.
#[test]
fn extensions_that_name_files_go_with_all_that_leads_to_them() {
    let channel = |pointer: &str| {
        format!(
            r#"{{"sampler":0,"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"{pointer}"}}}}}}}}"#
        )
    };
    let channels = [channel("/nodes/0/extensions/EXT_sound/volume"), channel("/extensions/EXT_linked/lights/0/gain")];
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["EXT_sound","EXT_linked"],
        "buffers":[{{"byteLength":8}}],"bufferViews":[{{"buffer":0,"byteLength":8}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"SCALAR","count":2,"min":[0],"max":[1]}}],
        "extensions":{{"EXT_sound":{{"sounds":[{{"uri":"bang.mp3"}}]}},
            "EXT_linked":{{"lights":[{{"uri":"https://example.com/a.ies"}},{{"uri":"data:,a"}}]}}}},
        "nodes":[{{"extensions":{{"EXT_sound":{{"sound":0,"volume":0.5}},"EXT_linked":{{"light":0}}}}}}],
        "scene":0,"scenes":[{{"nodes":[0]}}],
        "animations":[{{"samplers":[{{"input":0,"output":0}}],"channels":[{}]}}]}}"#,
        channels.join(",")
    );
    let (scene, context) = read(glb(&json, &floats(&[0.0, 1.0])));
    let told: Vec<_> = context.report().diagnostics().iter().map(|d| (d.code.id, d.subject.clone())).collect();
    let lost = ("gltf.extension-data-lost", "EXT_sound".to_owned());
    assert_eq!(told.iter().filter(|line| **line == lost).count(), 2, "{told:?}");
    assert!(told.contains(&("gltf.channel-unknown", "clip 0".to_owned())), "{told:?}");
    let json = parsed(&written("files", &scene));
    assert_eq!(json["extensionsUsed"], serde_json::json!(["EXT_linked", "KHR_animation_pointer"]));
    assert_eq!(json["nodes"][0]["extensions"], serde_json::json!({"EXT_linked": {"light": 0}}));
    assert_eq!(json["animations"][0]["channels"].as_array().map(Vec::len), Some(1));
    assert!(!json.to_string().contains("EXT_sound"));
}

/// An extension that is left out because numbers changed is not required any more.
#[test]
fn what_goes_stale_is_required_no_more() {
    let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_materials_volume_scatter"],
        "extensionsUsed":["KHR_materials_volume_scatter"],
        "images":[{"uri":"missing.png"},{"uri":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="}],
        "textures":[{"source":1}],
        "materials":[{"extensions":{"KHR_materials_volume_scatter":{"multiscatterColorTexture":{"index":0}}}}]}"#;
    let (scene, _) = read(glb(json, &[]));
    let context = Context::new();
    let file = Glb.export(scene, "stale", &context).expect("exportable")[0].content.to_vec();
    assert_eq!(context.report().count_of("gltf.extension-stale"), 1);
    let json = parsed(&file);
    assert!(json["extensionsRequired"].is_null() && json["extensionsUsed"].is_null(), "{json}");
}

#[test]
fn unknown_extensions_are_carried_but_for_data() {
    let json = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0,1]}],"scene":0,"nodes":[{"extensions":{"EXT_own":{"partner":1,"deep":[{"a":2}]}}},
        {"extensions":{"EXT_data":{"deep":[{"bufferView":0}]}}}]}"#;
    let (scene, context) = read(glb(json, &[]));
    let told: Vec<_> = context.report().diagnostics().iter().map(|d| (d.code.id, d.subject.clone())).collect();
    assert_eq!(told, [("gltf.extension-data-lost", "EXT_data".to_owned())]);
    let back = parsed(&written("carried", &scene));
    assert_eq!(back["nodes"][0]["extensions"]["EXT_own"], serde_json::json!({"partner":1,"deep":[{"a":2}]}));
    assert!(back["nodes"][1].get("extensions").is_none());
}

#[test]
fn version_1_is_refused_with_a_remedy() {
    let text = r#"{"asset":{"version":"1.0"},"scenes":{"a":{}}}"#;
    let error =
        Gltf.import(&MemorySource::new("x.gltf", text.as_bytes().to_vec()), &Context::new()).expect_err("refused");
    assert!(error.message().contains("gltf-pipeline"), "{error}");
    // KHR_binary_glTF: header of version 1, length of the content, format of the content.
    let mut file = b"glTF\x01\0\0\0".to_vec();
    file.extend((20 + text.len() as u32).to_le_bytes());
    file.extend((text.len() as u32).to_le_bytes());
    file.extend([0; 4]);
    file.extend(text.as_bytes());
    let error = Glb.import(&MemorySource::new("x.glb", file), &Context::new()).expect_err("refused");
    assert!(error.message().contains("gltf-pipeline"), "{error}");
}

/// How many files of the corpus use each extension that this crate reads. Files made above stand for those without any.
const IN_THE_CORPUS: [(&str, usize); 21] = [
    ("EXT_mesh_gpu_instancing", 1),
    ("EXT_texture_webp", 2),
    ("KHR_animation_pointer", 1),
    ("KHR_lights_punctual", 6),
    ("KHR_materials_anisotropy", 3),
    ("KHR_materials_clearcoat", 5),
    ("KHR_materials_diffuse_transmission", 0),
    ("KHR_materials_dispersion", 1),
    ("KHR_materials_emissive_strength", 7),
    ("KHR_materials_ior", 6),
    ("KHR_materials_iridescence", 3),
    ("KHR_materials_pbrSpecularGlossiness", 3),
    ("KHR_materials_sheen", 3),
    ("KHR_materials_specular", 4),
    ("KHR_materials_transmission", 8),
    ("KHR_materials_unlit", 23),
    ("KHR_materials_variants", 4),
    ("KHR_materials_volume", 7),
    ("KHR_node_visibility", 0),
    ("KHR_texture_basisu", 0),
    ("KHR_texture_transform", 13),
];

/// Every file that uses one comes through the scene: what was read is what is written and read again.
#[test]
fn files_of_the_corpus_come_back() {
    let Some(folder) = corpus() else { return };
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    let mut compared = 0;
    for path in files(&folder) {
        let source = Disk::open(&path);
        let quiet = Context::new();
        let document = if anyrig_bytes::Source::bytes(&source).starts_with(b"glTF") {
            Glb.document(&source, &quiet).is_ok()
        } else {
            Gltf.document(&source, &quiet).is_ok()
        };
        let Some(used) = document.then(|| used_extensions(&source)).flatten() else { continue };
        let ours: Vec<_> = IN_THE_CORPUS.iter().filter(|(name, _)| used.contains(*name)).map(|(n, _)| *n).collect();
        ours.iter().for_each(|name| *counts.entry(*name).or_insert(0) += 1);
        let Some(scene) = import(&source, &Context::new()).ok().filter(|_| !ours.is_empty()) else { continue };
        let context = Context::new();
        let file = Glb.export(scene.clone(), "x", &context).expect("exportable")[0].content.to_vec();
        let mut back = import(&MemorySource::new("x.glb", file), &Context::new()).expect("readable");
        back.root_sets.clone_from(&scene.root_sets);
        back.default_root_set = scene.default_root_set;
        let differences: Vec<_> = diff(&scene, &back, Tolerance::ROUNDING)
            .into_iter()
            .filter(|d| d.path.starts_with("materials") || d.path.contains("variants") || d.path.contains("target"))
            .collect();
        compared += 1;
        if !differences.is_empty() {
            wrong.push(format!("{}: {differences:?}", path.display()));
        }
    }
    println!("{compared} files compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let expected: BTreeMap<_, _> = IN_THE_CORPUS.into_iter().filter(|(_, n)| *n > 0).collect();
    assert_eq!(counts, expected);
}

fn used_extensions(source: &Disk) -> Option<BTreeSet<String>> {
    let bytes = anyrig_bytes::Source::bytes(source);
    let json = if bytes.starts_with(b"glTF") {
        parsed(bytes)
    } else {
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        serde_json::from_slice(text).ok()?
    };
    let list = json.get("extensionsUsed")?.as_array()?.iter();
    Some(list.filter_map(|v| v.as_str()).map(str::to_owned).collect())
}

/// What VRM 1.0 says of springs and constraints, each member with a value of its own.
const RIG: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
  "extensionsUsed":["VRMC_node_constraint","VRMC_springBone","VRMC_springBone_extended_collider"],
  "nodes":[{"children":[1]},{"children":[2]},{"extensions":{"VRMC_node_constraint":{"specVersion":"1.0",
      "constraint":{"roll":{"source":0,"rollAxis":"Y","weight":0.5}}}}}],
  "extensions":{"VRMC_springBone":{"specVersion":"1.0",
    "colliders":[
      {"node":0,"shape":{"sphere":{"offset":[1,2,3],"radius":0.5}},"extras":{"of":"a user"}},
      {"node":0,"shape":{"capsule":{"offset":[1,2,3],"radius":0.5,"tail":[4,5,6]}}},
      {"node":1,"shape":{"sphere":{"offset":[0,-10000,0],"radius":0}},"extensions":{
        "VRMC_springBone_extended_collider":{"specVersion":"1.0","shape":{"sphere":{"offset":[1,2,3],"radius":2,"inside":true}}}}},
      {"node":1,"shape":{"capsule":{"offset":[0,-10000,0],"radius":0,"tail":[0,-10000,0]}},"extensions":{
        "VRMC_springBone_extended_collider":{"specVersion":"1.0","shape":{"capsule":{"offset":[1,2,3],"radius":2,"tail":[0,1,0],"inside":true}}}}},
      {"node":1,"shape":{"sphere":{"offset":[0,-9999,0],"radius":10000}},"extensions":{
        "VRMC_springBone_extended_collider":{"specVersion":"1.0","shape":{"plane":{"offset":[0,1,0],"normal":[0,1,0]}}}}}],
    "colliderGroups":[{"name":"body","colliders":[0,1]},{"colliders":[4,3,2]}],
    "springs":[{"name":"hair","joints":[
      {"node":0,"hitRadius":0.25,"stiffness":2,"gravityPower":0.5,"gravityDir":[1,0,0],"dragForce":0.75},
      {"node":2,"dragForce":0.5}],"colliderGroups":[0,1],"center":0}]}}}"#;

#[test]
fn springs_and_constraints_of_vrm_are_read_and_written_back() {
    let (scene, context) = read(glb(RIG, &[]));
    assert!(context.report().is_empty(), "{:?}", context.report());
    let rig = &scene.rig;
    assert_eq!((rig.constraints.len(), rig.springs.len(), rig.colliders.len()), (1, 1, 5));
    assert_eq!((rig.constraints[0].node, rig.constraints[0].weight), (NodeId::new(2), 0.5));
    let joint = &rig.springs[0].joints[0];
    assert_eq!((joint.hit_radius, joint.stiffness, joint.gravity_power, joint.drag), (0.25, 2.0, 0.5, 0.75));
    let json = parsed(&written("rig", &scene));
    let expected: serde_json::Value = serde_json::from_str(RIG).expect("JSON");
    assert!(same(&expected["extensions"], &json["extensions"]), "{:#}", json["extensions"]);
    assert!(same(&expected["nodes"][2], &json["nodes"][2]), "{:#}", json["nodes"][2]);
    assert_eq!(expected["extensionsUsed"], json["extensionsUsed"]);
}

#[test]
fn other_versions_of_springs_and_constraints_are_carried() {
    let (scene, _) = read(glb(&RIG.replace(r#""specVersion":"1.0""#, r#""specVersion":"2.0""#), &[]));
    assert!(scene.rig.is_empty());
    let json = parsed(&written("rig", &scene));
    assert_eq!(json["extensions"]["VRMC_springBone"]["specVersion"], "2.0");
    assert_eq!(json["nodes"][2]["extensions"]["VRMC_node_constraint"]["specVersion"], "2.0");
}

#[test]
fn faults_of_springs_and_constraints_are_refused_with_their_place() {
    for (good, bad, place) in [
        (r#"{"node":2,"dragForce":0.5}"#, r#"{"node":9}"#, "/extensions/VRMC_springBone/springs/0/joints/1/node"),
        (r#""colliders":[4,3,2]"#, r#""colliders":[5]"#, "/extensions/VRMC_springBone/colliderGroups/1/colliders/0"),
        (r#""rollAxis":"Y""#, r#""rollAxis":"W""#, "/nodes/2/extensions/VRMC_node_constraint/constraint/roll/rollAxis"),
        (r#""roll":{"source":0,"#, r#""roll":{"#, "/nodes/2/extensions/VRMC_node_constraint/constraint/roll/source"),
    ] {
        let file = glb(&RIG.replace(good, bad), &[]);
        let error = Glb.import(&MemorySource::new("bad.glb", file), &Context::new()).expect_err(bad);
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[test]
fn a_node_has_a_place_for_one_constraint() {
    let (mut scene, _) = read(glb(RIG, &[]));
    let again = scene.rig.constraints[0].clone();
    scene.rig.constraints.push(again);
    let context = Context::new();
    Glb.export(scene, "rig", &context).expect("written");
    assert_eq!(context.report().count_of("gltf.not-held"), 1);
}
