//! Materials and textures of small files, by hand: what they become and what is told.

mod common;

use anyrig_bytes::{Context, MemorySource};
use anyrig_fbx::FbxImporter;
use anyrig_scene::{AlphaMode, Importer, Material, Scene, Wrap};
use common::hand::{PNG, assert_told, oo, op, read};

fn material(properties: &str) -> String {
    format!("Material: 5, \"Material::m\", \"\" {{ ShadingModel: \"Phong\"\n Properties70: {{\n{properties}}} }}\n")
}

fn number(name: &str, values: &str) -> String {
    format!("P: \"{name}\", \"Number\", \"\", \"A\",{values}\n")
}

fn texture(id: u32, path: &str, properties: &str) -> String {
    format!(
        "Texture: {id}, \"Texture::t{id}\", \"\" {{ RelativeFilename: \"{path}\"\n Properties70: {{\n{properties}}} }}\n"
    )
}

fn only(scene: &Scene) -> &Material {
    &scene.materials.as_slice()[0]
}

#[test]
fn classic_materials_become_metallic_roughness() {
    let properties = number("DiffuseColor", "0.5,0.25,1")
        + &number("DiffuseFactor", "0.5")
        + &number("Shininess", "25")
        + &number("Opacity", "0.5")
        + &number("EmissiveColor", "1,0,0")
        + &number("EmissiveFactor", "2");
    let (scene, _) = read(&material(&properties), "");
    let made = only(&scene);
    assert_eq!((made.base_color, made.emissive), ([0.25, 0.125, 0.5, 0.5], [2.0, 0.0, 0.0]));
    assert_eq!((made.metallic, made.roughness, made.alpha_mode), (0.0, 0.5, AlphaMode::Blend));
    assert!(made.extras.get("fbx.properties").is_some_and(|p| p.get("Shininess").is_some()));
}

#[test]
fn textures_of_all_sorts_are_found_or_told() {
    let laid = number("Scaling", "2,4,1") + &number("Translation", "0.5,0,0") + &number("WrapModeU", "1");
    let skewed = number("Scaling", "2,1,1") + &number("Rotation", "0,0,45");
    let objects = [
        material(""),
        texture(10, "..\\\\Tex\\\\Skin.PNG", &laid),
        texture(11, "maps/other.tga", &skewed),
        texture(12, "gone.png", ""),
        texture(13, "maps/wall_normal.png", &number("Scaling", "0,1,1")),
        "LayeredTexture: 14, \"LayeredTexture::l\", \"\" { }\n".to_owned(),
        "Video: 15, \"Video::v\", \"Clip\" { Filename: \"in.png\" Content: , \"iVBO!\" }\n".to_owned(),
    ];
    let connections = oo(12, 14)
        + &oo(10, 14)
        + &op(14, 5, "DiffuseColor")
        + &op(11, 5, "EmissiveColor")
        + &op(13, 5, "Bump")
        + &op(12, 5, "SpecularColor");
    let (scene, report) = read(&objects.concat(), &connections);
    let made = only(&scene);
    let file = |used: &Option<anyrig_scene::TextureUse>| {
        let texture = &scene.textures[used.as_ref().expect("used").texture];
        scene.images[texture.image.expect("an image")].uri.clone().unwrap_or_default()
    };
    assert_eq!(file(&made.base_color_texture), "Textures/skin.png");
    assert_eq!(file(&made.emissive_texture), "hand.fbm/other.jpg");
    assert_eq!(file(&made.normal_texture), "wall_normal.png");
    let base = made.base_color_texture.as_ref().expect("used");
    let transform = base.transform.expect("laid otherwise");
    // The inverse of twice and four times as large, half a texture to the right.
    assert_eq!((transform.offset, transform.scale), ([-0.25, 0.0], [0.5, 0.25]));
    let sampler = scene.textures[base.texture].sampler.as_ref().expect("stated");
    assert_eq!((sampler.wrap_u, sampler.wrap_v), (Wrap::ClampToEdge, Wrap::Repeat));
    assert!(made.extras.get("fbx.textures").is_some_and(|t| t.get("SpecularColor").is_some()));
    for id in ["fbx.texture-layers", "fbx.texture-file", "fbx.texture-missing", "fbx.texture-content"] {
        assert_told(&report, id, 1);
    }
    for (id, count) in [("fbx.texture-unused", 1), ("fbx.bump-as-normal", 1), ("fbx.uv-transform", 2)] {
        assert_told(&report, id, count);
    }
}

#[test]
fn files_that_are_no_images_are_told_and_left_out() {
    for bytes in [b"".as_slice(), b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0"] {
        let objects = material("") + &texture(10, "skin.png", "");
        let connections = op(10, 5, "DiffuseColor");
        let text = format!("; FBX 7.4.0 project file\nObjects: {{\n{objects}}}\nConnections: {{\n{connections}}}\n");
        let source = MemorySource::new("Hand.fbx", text.into_bytes()).with_file("skin.png", bytes);
        let context = Context::new();
        let scene = FbxImporter.import(&source, &context).expect("reads");
        assert!(scene.images.as_slice()[0].bytes.is_none());
        assert_told(&context.take_report(), "fbx.texture-content", 1);
    }
}

#[test]
fn embedded_files_are_shared_between_videos_of_one_name() {
    let content = "iVBORw0K";
    let objects = [
        material(""),
        texture(10, "a/in.png", ""),
        "Video: 15, \"Video::v\", \"Clip\" { Filename: \"D:\\a\\in.png\" Content: , \"\" }\n".to_owned(),
        format!(
            "Video: 16, \"Video::w\", \"Clip\" {{ Filename: \"E:\\b\\in.png\" Content: , \"{content}\", \"Ggo=\" }}\n"
        ),
    ];
    let (scene, _) = read(&objects.concat(), &(op(10, 5, "DiffuseColor") + &oo(15, 10)));
    let image = &scene.images.as_slice()[0];
    assert_eq!((image.bytes.as_deref(), image.uri.as_deref()), (Some(PNG), None));
    assert_eq!(image.mime_type.as_deref(), Some("image/png"));
}

#[test]
fn physical_materials_of_3ds_max_keep_their_maps() {
    let prefix = |name: &str| format!("3dsMax|Parameters|{name}");
    let properties = number("3dsMax|ClassIDa", "1030429932")
        + &number("3dsMax|ClassIDb", "-559038463")
        + &number(&prefix("base_color"), "0.5,0.5,0.5,1")
        + &number(&prefix("metalness"), "0.75")
        + &number(&prefix("roughness"), "0.25")
        + &number(&prefix("roughness_inv"), "1")
        + &number(&prefix("bump_map_on"), "0");
    let objects = material(&properties) + &texture(10, "skin.png", "") + &texture(11, "other.jpg", "");
    let connections = op(10, 5, &prefix("base_color_map")) + &op(11, 5, &prefix("bump_map"));
    let (scene, _) = read(&objects, &connections);
    let made = only(&scene);
    assert!(made.base_color_texture.is_some() && made.normal_texture.is_none(), "the bump map is turned off");
    assert_eq!((made.metallic, made.roughness, made.base_color), (0.75, 0.75, [1.0; 4]));
}

/// The corpus' files give every parameter a number of its own.
#[test]
fn parts_beyond_the_core_are_read_from_what_the_programs_wrote() {
    let Some(root) = common::root() else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is missing");
        return;
    };
    let open = |name: &str| {
        let bytes = std::fs::read(root.join("ufbx").join(name)).expect("a corpus file can be read");
        FbxImporter.import(&MemorySource::new(name, bytes), &Context::new()).expect("reads")
    };
    let scene = open("max_openpbr_material_7700_ascii.fbx");
    let m = scene.materials.values().find(|m| m.clearcoat.is_some()).expect("an OpenPBR material");
    assert_eq!(m.clearcoat.as_ref().map(|c| (c.factor, c.roughness)), Some((0.4, 0.46)));
    let sheen = m.sheen.as_deref().expect("fuzz");
    assert_eq!((sheen.roughness, sheen.color[0]), (0.54, 0.5 * 0.49));
    assert_eq!((m.transmission.as_ref().map(|t| t.factor), m.ior), (Some(0.16), Some(1.3)));
    assert_eq!(m.specular.as_ref().map(|s| (s.factor, s.color)), Some((0.08, [0.09, 0.1, 0.11])));
    let film = m.iridescence.as_deref().expect("a thin film");
    assert_eq!((film.factor, film.ior, film.thickness_max_nm), (0.61, 6.3, 620.0));
    assert!(m.dispersion.is_some_and(|d| (d - 0.27 * 20.0 / 0.28).abs() < 1e-4), "{:?}", m.dispersion);
    let scene = open("maya_arnold_properties_7500_ascii.fbx");
    let m = scene.materials.values().find(|m| m.clearcoat.is_some()).expect("an Arnold material");
    assert_eq!(m.clearcoat.as_ref().map(|c| (c.factor, c.roughness)), Some((0.35, 0.39)));
    assert_eq!(m.sheen.as_ref().map(|s| s.roughness), Some(0.5));
    assert_eq!(m.specular.as_ref().map(|s| (s.factor, s.color)), Some((0.07, [0.08, 0.09, 0.1])));
    // An index below 1 is brought to it.
    assert_eq!((m.transmission.as_ref().map(|t| t.factor), m.ior), (Some(0.15), Some(1.0)));
}
