//! Materials and textures of small files, by hand: what they become and what is told.

mod common;

use anyrig_bytes::{Context, ErrorKind, Limits, MemorySource, SharedBytes};
use anyrig_fbx::{FbxDocument, FbxImporter, import};
use anyrig_scene::{AlphaMode, Importer, Material, Scene, Wrap};
use common::hand::{PNG, array, assert_told, model, oo, op, read};

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
fn an_embedded_file_beyond_the_limits_ends_the_job() {
    let content = "A".repeat(2 << 20);
    let video = format!("Video: 15, \"Video::v\", \"Clip\" {{ Filename: \"in.png\" Content: , \"{content}\" }}\n");
    let objects = material("") + &texture(10, "in.png", "") + &video;
    let connections = op(10, 5, "DiffuseColor");
    let text = format!("; FBX 7.4.0 project file\nObjects: {{\n{objects}}}\nConnections: {{\n{connections}}}\n");
    let document = FbxDocument::read(&SharedBytes::from(text.into_bytes()), &Context::new()).expect("reads");
    let mut limits = Limits::default();
    limits.memory_bytes = 1 << 20;
    let context = Context::new().with_limits(limits);
    let error = import::import(&document, &context).expect_err("there is no room for the file");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert_eq!(context.report().count_of("fbx.texture-content"), 0);
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

fn named(id: u32, properties: &str) -> String {
    format!(
        "Material: {id}, \"Material::m{id}\", \"\" {{ ShadingModel: \"Phong\"\n Properties70: {{\n{properties}}} }}\n"
    )
}

fn video(id: u32, path: &str, content: &str) -> String {
    format!("Video: {id}, \"Video::v{id}\", \"Clip\" {{ Filename: \"{path}\" Content: , \"{content}\" }}\n")
}

/// The content of the image that a material shows as its colour.
fn content<'s>(scene: &'s Scene, material: &str) -> &'s [u8] {
    let found = scene.materials.values().find(|m| m.name == material).expect("made");
    let used = found.base_color_texture.as_ref().expect("used");
    let image = scene.textures[used.texture].image.expect("an image");
    scene.images[image].bytes.as_deref().expect("embedded")
}

/// Names of textures are not unique; what counts is the video that is connected (FBX2glTF#152).
#[test]
fn a_texture_shows_the_content_of_its_own_video() {
    // Two files of one path, of which the second is there twice, and a video without content of that path.
    let (one, two) = ("iVBORw0KGgo=", "iVBORw0KGgoB");
    let path = "D:\\a\\tex.png";
    let objects = [
        named(1, ""),
        named(2, ""),
        named(3, ""),
        named(4, ""),
        (11..=14).map(|id| texture(id, "tex.png", "")).collect::<String>(),
        video(21, path, one) + &video(22, path, two) + &video(23, path, one) + &video(24, path, ""),
    ];
    let links = (1..=4).map(|i| op(10 + i, i, "DiffuseColor") + &oo(20 + i, 10 + i)).collect::<String>();
    let (scene, _) = read(&objects.concat(), &links);
    let shown = ["m1", "m2", "m3", "m4"].map(|name| content(&scene, name).len());
    assert_eq!(shown, [8, 9, 8, 8]);
    assert_eq!(scene.images.len(), 2, "equal files of one path are one image");
}

fn uv_mesh(id: u32, names: [&str; 2]) -> String {
    let vertices = array("Vertices", "0,0,0,1,0,0,1,1,0");
    let set = |index: usize, name: &str| {
        let values = array("UV", "0,0");
        format!("LayerElementUV: {index} {{ Name: \"{name}\" MappingInformationType: \"AllSame\"\n{values}}}\n")
    };
    let (first, second) = (set(0, names[0]), set(1, names[1]));
    let polygons = array("PolygonVertexIndex", "0,1,-3");
    format!("Geometry: {id}, \"Geometry::g{id}\", \"Mesh\" {{\n{vertices}{polygons}{first}{second}}}\n")
}

/// A texture names its set; the number of a set is only the order of one mesh (facts of `UVSet`).
#[test]
fn sets_of_texture_coordinates_are_those_of_their_name_on_every_mesh() {
    let set = "P: \"UVSet\", \"KString\", \"\", \"\", \"b\"\n";
    let objects = [
        named(5, ""),
        texture(10, "skin.png", set),
        (1..=4).map(model).collect::<String>(),
        uv_mesh(11, ["a", "b"]) + &uv_mesh(12, ["b", "a"]) + &uv_mesh(13, ["c", "b"]) + &uv_mesh(14, ["c", "d"]),
    ];
    let links = (1..=4).map(|i| oo(i, 0) + &oo(10 + i, i) + &oo(5, i)).collect::<String>();
    let (scene, report) = read(&objects.concat(), &(links + &op(10, 5, "DiffuseColor")));
    let worn = |node: usize| scene.nodes.as_slice()[node].mesh.as_ref().expect("shown").materials[0].expect("worn");
    let set = |node: usize| scene.materials[worn(node)].base_color_texture.as_ref().expect("used").uv_set;
    assert_eq!([0, 1, 2, 3].map(set), [1, 0, 1, 0]);
    assert_eq!((worn(0), worn(1)), (worn(2), worn(3)), "one material for each order");
    assert_told(&report, "fbx.uv-set-copy", 1);
    assert_told(&report, "fbx.uv-set-missing", 1);
}

#[test]
fn classic_materials_tell_what_they_leave_out() {
    let unseen =
        number("TransparencyFactor", "1") + &number("TransparentColor", "1,1,1") + &number("EmissiveColor", "nan,0,0");
    let normal = number("BumpFactor", "0.25");
    let objects = material(&unseen) + &named(6, &normal) + &texture(10, "wall_normal.png", "");
    let (scene, report) = read(&objects, &op(10, 6, "NormalMap"));
    assert_eq!((only(&scene).base_color[3], &only(&scene).alpha_mode), (1.0, &AlphaMode::Opaque));
    assert_told(&report, "fbx.transparency", 1);
    assert_told(&report, "fbx.property-number", 1);
    assert_eq!(scene.materials.as_slice()[1].normal_scale, 0.25);
}

/// How layers lie on each other is said, and what a texture states beside its place stays with it.
#[test]
fn layers_are_told_with_their_modes() {
    let layered =
        "LayeredTexture: 14, \"LayeredTexture::l\", \"\" { BlendModes: *2 { a: 5,29 }\n Alphas: *2 { a: 1,0.5 } }\n";
    let mode = number("CurrentTextureBlendMode", "3");
    let objects = [material(""), texture(10, "skin.png", &mode), texture(11, "skin.png", &mode), layered.to_owned()];
    let (scene, report) = read(&objects.concat(), &(oo(11, 14) + &oo(10, 14) + &op(14, 5, "DiffuseColor")));
    let line = report.diagnostics().iter().find(|d| d.code.id == "fbx.texture-layers").expect("told");
    assert!(line.message.contains("BlendModes 5, 29") && line.message.contains("Alphas 1, 0.5"), "{line:?}");
    let kept = scene.textures.as_slice()[0].extras.get("fbx.properties").expect("kept");
    assert_eq!(kept.get("CurrentTextureBlendMode").and_then(anyrig_bytes::Value::as_f64), Some(3.0));
}

const GLTF: &str = "P: \"3dsMax|ClassIDa\", \"int\", \"Integer\", \"\",943849874\nP: \"3dsMax|ClassIDb\", \"int\", \"Integer\", \"\",1174294043\n";

/// The names are those of 3ds Max's own file in the corpus, whose flags are all on but `unlit`.
#[test]
fn parts_of_the_gltf_material_follow_their_switches() {
    let extension = |name: &str, values: &str| number(&format!("3dsMax|extension|{name}"), values);
    let all = |on: &str| {
        GLTF.to_owned()
            + &extension("unlit", on)
            + &extension("enableClearCoat", on)
            + &extension("clearcoat", "0.5")
            + &extension("enableSheen", on)
            + &extension("sheenColor", "0.25,0.5,0.75,1")
            + &extension("enableVolume", on)
            + &extension("volumeThickness", "2")
            + &extension("enableIndexOfRefraction", on)
            + &extension("indexOfRefraction", "1.33")
    };
    let map = texture(10, "skin.png", "");
    let link = op(10, 5, "3dsMax|extension|clearcoatMap");
    let (scene, report) = read(&(material(&all("1")) + &map), &link);
    let made = only(&scene);
    assert!(made.unlit && made.clearcoat.as_ref().is_some_and(|c| c.factor == 0.5 && c.texture.is_some()));
    assert_eq!(made.sheen.as_ref().map(|s| s.color), Some([0.25, 0.5, 0.75]));
    assert_eq!((made.volume.as_ref().map(|v| v.thickness), made.ior), (Some(2.0), Some(1.33)));
    assert_told(&report, "fbx.texture-unused", 0);
    let (scene, _) = read(&material(&all("0")), "");
    let made = only(&scene);
    assert!(!made.unlit && made.clearcoat.is_none() && made.sheen.is_none());
    assert!(made.volume.is_none() && made.ior.is_none());
}

/// The corpus' files of these programs give every parameter a number of its own.
#[test]
fn parts_of_further_sorts_are_read_from_what_the_programs_wrote() {
    let Some(root) = common::root() else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is missing");
        return;
    };
    let open = |name: &str| {
        let bytes = std::fs::read(root.join("ufbx").join(name)).expect("a corpus file can be read");
        let context = Context::new();
        let scene = FbxImporter.import(&MemorySource::new(name, bytes), &context).expect("reads");
        (scene, context.take_report())
    };
    let (scene, report) = open("maya_osl_properties_7500_ascii.fbx");
    let m = scene.materials.values().find(|m| m.clearcoat.is_some()).expect("an OSL material");
    assert_eq!(m.clearcoat.as_ref().map(|c| (c.factor, c.roughness)), Some((0.35, 0.39)));
    assert_eq!(m.sheen.as_ref().map(|s| s.roughness), Some(0.5));
    assert_eq!(m.specular.as_ref().map(|s| (s.factor, s.color)), Some((0.07, [0.08, 0.09, 0.1])));
    assert_eq!(m.transmission.as_ref().map(|t| t.factor), Some(0.15));
    // Films are measured in nanometres; this one is thinner than one.
    assert_eq!(m.iridescence.as_ref().map(|f| (f.factor, f.thickness_max_nm)), Some((1.0, 0.55)));
    // Roughness of the diffuse part, anisotropy, subsurface, depth, scatter, dispersion, extra roughness, thin walls and
    // the coat's anisotropy; the coat affects neither colour nor roughness there.
    assert_told(&report, "fbx.material-parts", 9);
    let (scene, _) = open("max_gltf_material_7700_ascii.fbx");
    let m = scene.materials.values().find(|m| m.clearcoat.is_some()).expect("a glTF material");
    let coat = m.clearcoat.as_deref().expect("a coat");
    assert_eq!((coat.factor, coat.roughness, coat.normal_scale), (0.13, 0.14, 0.15));
    assert_eq!(m.sheen.as_ref().map(|s| (s.color, s.roughness)), Some(([0.16, 0.17, 0.18], 0.2)));
    assert_eq!(m.specular.as_ref().map(|s| (s.factor, s.color)), Some((0.21, [0.22, 0.23, 0.24])));
    let volume = m.volume.as_deref().expect("a volume");
    assert_eq!((volume.thickness, volume.attenuation_distance), (0.27, Some(0.28)));
    assert_eq!((m.transmission.as_ref().map(|t| t.factor), m.ior), (Some(0.26), Some(1.33)));
    let (scene, _) = open("max_pbr_spec_rough_material_7700_ascii.fbx");
    let m = scene.materials.values().find(|m| m.specular.is_some()).expect("a specular material");
    // The reflection straight on is that of the index 1.5 times the colour: the texture is that reflection.
    let specular = m.specular.as_deref().expect("a reflection");
    assert!(specular.color_texture.is_some() && specular.color.map(|c| c * 0.04) == [1.0; 3], "{specular:?}");
}
