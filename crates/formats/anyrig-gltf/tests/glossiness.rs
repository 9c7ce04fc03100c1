//! The archived specular-glossiness extension: what its numbers and textures become, and what is told.

mod helpers;

use anyrig_bytes::{Context, MemorySource};
use anyrig_gltf::Glb;
use anyrig_scene::{Id, Importer, Scene, TextureSlot};
use helpers::made::{TEXTURES, glb, parsed, read, written};

/// A red metal and a blue plastic in the terms of the archived extension.
#[test]
fn specular_glossiness_becomes_metallic_roughness_and_is_carried() {
    let materials = r#"[{"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0,0,0,0.5],
        "specularFactor":[1,0.25,0.25],"glossinessFactor":0.75}}},
        {"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0,0,1,1],
        "specularFactor":[0.04,0.04,0.04],"glossinessFactor":0.25,"diffuseTexture":{"index":1}}}},
        {"extensions":{"KHR_materials_pbrSpecularGlossiness":{"specularGlossinessTexture":{"index":0}}}}]"#;
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsRequired":["KHR_materials_pbrSpecularGlossiness"],
        "extensionsUsed":["KHR_materials_pbrSpecularGlossiness"],{TEXTURES},"materials":{materials}}}"#
    );
    let (scene, context) = read(glb(&json, &[]));
    assert_eq!(context.report().count_of("gltf.specular-glossiness"), 3);
    let [metal, plastic, mapped] = scene.materials.as_slice() else { panic!("three") };
    assert!(metal.metallic > 0.99 && (metal.base_color[0] - 1.0).abs() < 0.01, "{metal:?}");
    assert_eq!((metal.base_color[3], metal.roughness), (0.5, 0.25));
    assert_eq!((plastic.metallic, plastic.roughness), (0.0, 0.75));
    assert!((plastic.base_color[2] - 1.0).abs() < 1e-6);
    assert_eq!(plastic.base_color_texture.as_ref().map(|t| t.texture.index()), Some(1));
    // The image is one red pixel of half alpha: red metal that is half rough.
    assert!((mapped.roughness - 128.0 / 255.0).abs() < 1e-6 && mapped.metallic > 0.9, "{mapped:?}");
    let json = parsed(&written("glossiness", &scene));
    let back = &json["materials"][0]["extensions"]["KHR_materials_pbrSpecularGlossiness"];
    assert_eq!(back["specularFactor"], serde_json::json!([1, 0.25, 0.25]));
}

fn png_uri(width: u32, pixels: &[[u8; 4]]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let height = pixels.len() as u32 / width;
    let image = anyrig_image::Rgba8Image::new(width, height, pixels.as_flattened().to_vec()).expect("whole rows");
    format!("data:image/png;base64,{}", STANDARD.encode(anyrig_image::encode_png(&image).expect("small")))
}

/// One material of the archived extension, and two textures: the left pixel is a red metal that is half rough, the right
/// one a grey plastic that is smooth.
fn glossy(extension: &str) -> (Scene, Context) {
    let diffuse = png_uri(2, &[[0, 0, 0, 255], [128, 128, 128, 64]]);
    // 4 % of light is 56 in sRGB, a little less in fact.
    let specular = png_uri(2, &[[255, 56, 56, 127], [56, 56, 56, 255]]);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_materials_pbrSpecularGlossiness","KHR_texture_transform"],
        "images":[{{"uri":"{diffuse}"}},{{"uri":"{specular}"}},{{"uri":"data:image/ktx2;base64,AAAA"}}],
        "samplers":[{{"wrapS":33071}}],
        "textures":[{{"source":0,"sampler":0}},{{"source":1}},{{"extensions":{{"KHR_texture_basisu":{{"source":2}}}}}}],
        "materials":[{{"extensions":{{"KHR_materials_pbrSpecularGlossiness":{extension}}}}}]}}"#
    );
    read(glb(&json, &[]))
}

fn glossy_line(context: &Context) -> String {
    let report = context.report();
    let mut lines = report.diagnostics().iter().filter(|d| d.code.id == "gltf.specular-glossiness");
    lines.next().expect("a line").message.clone()
}

/// Pixels of a texture of the only material.
fn texels(scene: &Scene, slot: TextureSlot) -> Vec<[u8; 4]> {
    let used = scene.materials[Id::new(0)].texture(slot).expect("a texture");
    let image = scene.textures[used.texture].image.expect("an image");
    let bytes = scene.images[image].bytes.as_ref().expect("bytes");
    anyrig_image::decode_rgba8(bytes, &Context::new()).expect("decodable").pixels().to_vec()
}

#[test]
fn specular_glossiness_textures_are_converted_pixel_by_pixel() {
    let (scene, context) =
        glossy(r#"{"diffuseFactor":[1,1,1,0.5],"diffuseTexture":{"index":0},"specularGlossinessTexture":{"index":1}}"#);
    assert_eq!(glossy_line(&context), "its textures were converted pixel by pixel");
    let material = &scene.materials[Id::new(0)];
    assert_eq!((material.base_color, material.metallic, material.roughness), ([1.0, 1.0, 1.0, 0.5], 1.0, 1.0));
    // A metal has the colour that it reflects; black plastic would be what the diffuse texture says of it.
    let [metal, plastic] = texels(&scene, TextureSlot::BaseColor)[..] else { panic!("two pixels") };
    assert!(metal[0] > 250 && metal[1] < 60 && metal[3] == 255, "{metal:?}");
    // 0.2159 of light, of which 0.9604 is scattered and 0.96 would be: the same grey.
    assert_eq!(plastic, [128, 128, 128, 64]);
    let [metal, plastic] = texels(&scene, TextureSlot::MetallicRoughness)[..] else { panic!("two pixels") };
    assert!(metal[1] == 128 && metal[2] > 240, "{metal:?}");
    assert_eq!((plastic[1], plastic[2]), (0, 0));
    let clamps =
        |t: &anyrig_scene::Texture| t.sampler.as_ref().is_some_and(|s| s.wrap_u == anyrig_scene::Wrap::ClampToEdge);
    assert!(scene.textures.iter().skip(3).all(|(_, t)| clamps(t)) && scene.textures.len() == 5);
    // The file has both surfaces then; reading it makes no third one.
    let (back, context) = read(written("glossy", &scene));
    assert_eq!((back.images.len(), back.textures.len()), (scene.images.len(), scene.textures.len()));
    assert!(glossy_line(&context).contains("beside it were taken"));
}

#[test]
fn what_a_diffuse_texture_says_depends_on_what_is_reflected() {
    // By default all light is reflected and nothing scattered: white metal, whatever the diffuse texture.
    let (scene, context) = glossy(r#"{"diffuseTexture":{"index":0}}"#);
    assert_eq!(glossy_line(&context), "its textures were converted pixel by pixel");
    assert!(texels(&scene, TextureSlot::BaseColor).iter().all(|p| p[..3] == [255; 3]));
    assert!(texels(&scene, TextureSlot::MetallicRoughness).iter().all(|p| p[2] == 255));
    // What reflects as little as plastic keeps its texture as it is.
    let (scene, context) =
        glossy(r#"{"diffuseTexture":{"index":0},"specularFactor":[0.04,0.04,0.04],"glossinessFactor":0.25}"#);
    assert!(glossy_line(&context).contains("is that of the base colour"));
    let material = &scene.materials[Id::new(0)];
    assert_eq!(material.base_color_texture.as_ref().map(|t| t.texture.index()), Some(0));
    assert_eq!((material.metallic, material.roughness, scene.images.len()), (0.0, 0.75, 3));
}

#[test]
fn specular_glossiness_that_is_not_converted_is_told() {
    let cases = [
        (r#"{"specularGlossinessTexture":{"index":2}}"#, "was left out: texture 2 has no image"),
        (
            r#"{"diffuseFactor":[0,0,0,1],"diffuseTexture":{"index":0,"texCoord":1},"specularGlossinessTexture":{"index":1}}"#,
            "became its mean, its diffuse texture was left out: its textures lie differently",
        ),
        (
            r#"{"diffuseTexture":{"index":0,"extensions":{"KHR_texture_transform":{"scale":[2,2]}}},
            "specularGlossinessTexture":{"index":1},"specularFactor":[0.1,0.1,0.1]}"#,
            "became its mean: its textures lie differently",
        ),
    ];
    for (extension, words) in cases {
        let (scene, context) = glossy(extension);
        assert!(glossy_line(&context).contains(words), "{}", glossy_line(&context));
        assert_eq!(scene.images.len(), 3);
        written("glossy-told", &scene);
    }
    // More pixels than the limit are not converted, but the file is no worse for it.
    let mut limits = anyrig_bytes::Limits::default();
    limits.pixels = 1;
    let file = written("glossy-limits", &glossy(r#"{"specularGlossinessTexture":{"index":1}}"#).0);
    let json = parsed(&file).to_string().replace("pbrMetallicRoughness", "pbr");
    let bin = file[20 + u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize + 8..].to_vec();
    let source = MemorySource::new("made.glb", glb(&json, &bin));
    let context = Context::new().with_limits(limits);
    Glb.import(&source, &context).expect("one value stands for the pixels");
    let line = glossy_line(&context);
    assert!(line.contains("was left out") && line.contains("more than the limit"), "{line}");
}

#[test]
fn pixels_beyond_the_memory_of_the_job_leave_the_file_readable() {
    let (width, height) = (256, 256);
    let pixels: Vec<[u8; 4]> = (0..width * height).map(|i| [(i % 2 * 255) as u8, 0, 0, 255]).collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_materials_pbrSpecularGlossiness"],
        "images":[{{"uri":"{}"}}],"textures":[{{"source":0}}],
        "materials":[{{"extensions":{{"KHR_materials_pbrSpecularGlossiness":{{"diffuseTexture":{{"index":0}}}}}}}}]}}"#,
        png_uri(width, &pixels)
    );
    let source = MemorySource::new("made.glb", glb(&json, &[]));
    let read_within = |memory_bytes: u64| {
        let mut limits = anyrig_bytes::Limits::default();
        limits.memory_bytes = memory_bytes;
        let context = Context::new().with_limits(limits);
        Glb.import(&source, &context).map(|_| glossy_line(&context))
    };
    let converted = |line: &str| line == "its textures were converted pixel by pixel";
    // Decoding takes eight bytes a pixel at most, the conversion 24 more.
    let bytes = u64::from(width * height);
    assert!(read_within(bytes * 64).is_ok_and(|line| converted(&line)));
    let line = read_within(bytes * 12).expect("one value stands for the pixels");
    assert!(!converted(&line) && line.contains("limit"), "{line}");
}

/// Reading a written file may not find anything to repair.
#[test]
fn carried_specular_glossiness_has_its_numbers_in_range() {
    let (scene, context) = glossy(r#"{"diffuseFactor":[2,0,0,1],"glossinessFactor":-1}"#);
    assert_eq!(context.report().count_of("gltf.value-clamped"), 2);
    let json = parsed(&written("glossy-range", &scene));
    let back = &json["materials"][0]["extensions"]["KHR_materials_pbrSpecularGlossiness"];
    assert_eq!(back["diffuseFactor"], serde_json::json!([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(back["glossinessFactor"], serde_json::json!(0.0));
}
