//! Materials and textures: technique by maps and alpha, packing, names.

mod support;

use anyrig_bytes::{Context, ErrorKind, Limits, MemorySource, Severity};
use anyrig_image::{Rgba8Image, decode_rgba8, encode_png};
use anyrig_scene::{
    AlphaMode, ExportedFile, Exporter, Filter, Image, ImageId, Importer, Material, Mesh, MeshInstance, MipFilter, Node,
    Part, Sampler, Scene, Semantic, Stream, Texture, TextureUse, UvTransform, Wrap,
};
use anyrig_urho::{Dialect, UrhoExporter, UrhoImporter};
use support::{content, export};

fn png(pixel: [u8; 4]) -> Vec<u8> {
    encode_png(&Rgba8Image::new(1, 1, pixel.to_vec()).expect("one pixel")).expect("encodes")
}

fn pixel(bytes: &[u8]) -> [u8; 4] {
    decode_rgba8(bytes, &Context::new()).expect("decodes").pixels()[0]
}

fn triangle(slot: u32) -> Part {
    let mut part = Part::default();
    part.point_count = 3;
    part.slot = slot;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 1.0, 1.0, 1.0, 0.0, 0.0]));
    part
}

/// A scene of images; each material gets a triangle.
struct Stage {
    scene: Scene,
    materials: Vec<Material>,
}

impl Stage {
    fn new(images: &[Vec<u8>]) -> Self {
        let mut scene = Scene::default();
        for bytes in images {
            let mut image = Image::default();
            image.bytes = Some(bytes.clone().into());
            let mut texture = Texture::default();
            texture.image = Some(scene.images.push(image));
            scene.textures.push(texture);
        }
        Self { scene, materials: Vec::new() }
    }

    fn texture(&self, index: usize) -> Option<TextureUse> {
        self.scene.textures.id(index).map(TextureUse::new)
    }

    fn with(mut self, material: Material) -> Self {
        self.materials.push(material);
        self
    }

    fn export(self, context: &Context) -> Vec<ExportedFile> {
        export(self.scene(), context)
    }

    fn scene(self) -> Scene {
        let Self { mut scene, materials } = self;
        let mut mesh = Mesh::default();
        mesh.parts = (0..materials.len() as u32).map(triangle).collect();
        let mut instance = MeshInstance::new(scene.meshes.push(mesh));
        instance.materials = materials.into_iter().map(|m| Some(scene.materials.push(m))).collect();
        let mut node = Node::new("n");
        node.mesh = Some(instance);
        scene.add_node(node, None);
        scene
    }
}

fn xml(files: &[ExportedFile], name: &str) -> String {
    String::from_utf8(content(files, &format!("Materials/{name}.xml"))).expect("UTF-8")
}

#[test]
fn the_plain_case_is_the_seeds_file() {
    let stage = Stage::new(&[png([1, 2, 3, 4])]);
    let mut material = Material::new("");
    material.base_color_texture = stage.texture(0);
    (material.metallic, material.roughness) = (0.0, 0.5);
    let files = stage.with(material).export(&Context::new());
    let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["Model.mdl", "Textures/Model_tex0.png", "Materials/Material_0.xml"]);
    let expected = "<?xml version=\"1.0\"?>\n<material>\n\
        \t<technique name=\"Techniques/PBR/PBRDiff.xml\"/>\n\
        \t<texture unit=\"diffuse\" name=\"Textures/Model_tex0.png\"/>\n\
        \t<parameter name=\"MatDiffColor\" value=\"1 1 1 1\"/>\n\
        \t<parameter name=\"Roughness\" value=\"0.5\"/>\n\
        \t<parameter name=\"Metallic\" value=\"0\"/>\n</material>\n";
    assert_eq!(xml(&files, "Material_0"), expected);
    // PNG bytes are untouched.
    assert_eq!(content(&files, "Textures/Model_tex0.png"), png([1, 2, 3, 4]));
}

/// Maps: diffuse, normal, metallic-roughness, occlusion, emissive.
#[test]
fn techniques_follow_the_maps() {
    let cases = [
        ("", AlphaMode::Opaque, "PBR/PBRNoTexture"),
        ("", AlphaMode::Blend, "PBR/PBRNoTextureAlpha"),
        ("d", AlphaMode::Blend, "PBR/PBRDiffAlpha"),
        ("d", AlphaMode::Mask { cutoff: 0.5 }, "PBR/PBRDiffAlpha"),
        ("dn", AlphaMode::Opaque, "PBR/PBRDiffNormal"),
        ("de", AlphaMode::Opaque, "PBR/PBRDiffEmissive"),
        ("dne", AlphaMode::Blend, "PBR/PBRDiffNormalEmissiveAlpha"),
        ("n", AlphaMode::Opaque, "PBR/PBRDiffNormal"),
        ("m", AlphaMode::Opaque, "PBR/PBRMetallicRoughSpec"),
        ("dm", AlphaMode::Opaque, "PBR/PBRMetallicRoughDiffSpec"),
        ("dnmo", AlphaMode::Opaque, "PBR/PBRMetallicRoughDiffNormalSpecAO"),
        ("dnme", AlphaMode::Blend, "PBR/PBRMetallicRoughDiffNormalSpecEmissiveAlpha"),
        ("do", AlphaMode::Opaque, "PBR/PBRMetallicRoughDiffSpecAO"),
        ("dmoe", AlphaMode::Opaque, "PBR/PBRMetallicRoughDiffSpecEmissive"),
    ];
    for (maps, alpha, technique) in cases {
        let stage = Stage::new(&[png([9; 4])]);
        let texture = |map: char| maps.contains(map).then(|| stage.texture(0)).flatten();
        let mut material = Material::new("m");
        material.alpha_mode = alpha;
        material.base_color_texture = texture('d');
        material.normal_texture = texture('n');
        material.metallic_roughness_texture = texture('m');
        material.occlusion_texture = texture('o');
        material.emissive_texture = texture('e');
        let context = Context::new();
        let files = stage.with(material).export(&context);
        let wanted = format!("<technique name=\"Techniques/{technique}.xml\"/>");
        assert!(xml(&files, "m").contains(&wanted), "{maps}: {}", xml(&files, "m"));
        let left_out = maps.contains('o') && maps.contains('e');
        assert_eq!(context.report().count_of("urho.technique"), u64::from(left_out), "{maps}");
    }
}

#[test]
fn maps_are_packed_as_the_engine_packs_them() {
    let stage = Stage::new(&[png([10, 100, 200, 255])]);
    let mut material = Material::new("m");
    material.metallic_roughness_texture = stage.texture(0);
    material.occlusion_texture = stage.texture(0);
    material.occlusion_strength = 0.5;
    (material.roughness, material.metallic) = (0.5, 0.25);
    let files = stage.with(material).export(&Context::new());
    // Roughness 100 * 0.5 into R, metallic 200 * 0.25 into G.
    assert_eq!(pixel(&content(&files, "Textures/Model_tex0_roughmetal.png")), [50, 50, 0, 255]);
    // 1 + 0.5 * (10/255 - 1) is 132.5/255; halves may go either way.
    let [r, g, b, _] = pixel(&content(&files, "Textures/Model_tex0_occlusion.png"));
    assert!((132..=133).contains(&r) && r == g && g == b);
    let xml = xml(&files, "m");
    assert!(xml.contains("<parameter name=\"Roughness\" value=\"0\"/>"));
    assert!(xml.contains("<parameter name=\"Metallic\" value=\"0\"/>"));
    assert!(xml.contains("<texture unit=\"specular\" name=\"Textures/Model_tex0_roughmetal.png\"/>"));
    assert!(xml.contains("<texture unit=\"emissive\" name=\"Textures/Model_tex0_occlusion.png\"/>"));
    // The plain image is used by nothing.
    assert!(!files.iter().any(|f| f.name == "Textures/Model_tex0.png"));
}

#[test]
fn a_missing_map_that_a_technique_wants_is_one_pixel() {
    let stage = Stage::new(&[png([10, 100, 200, 255])]);
    let mut material = Material::new("m");
    material.normal_texture = stage.texture(0);
    material.occlusion_texture = None;
    let mut shaded = Material::new("o");
    shaded.occlusion_texture = stage.texture(0);
    (shaded.roughness, shaded.metallic) = (0.75, 0.5);
    let files = stage.with(material).with(shaded).export(&Context::new());
    assert_eq!(pixel(&content(&files, "Textures/Model_white.png")), [255; 4]);
    assert_eq!(pixel(&content(&files, "Textures/Model_black.png")), [0, 0, 0, 255]);
    // Black adds nothing, so the parameters stay.
    assert!(xml(&files, "o").contains("<parameter name=\"Roughness\" value=\"0.75\"/>"));
}

#[test]
fn sides_emission_unlit_and_coordinates_are_told() {
    let stage = Stage::new(&[png([9; 4])]);
    let mut material = Material::new("both sides");
    material.double_sided = true;
    material.emissive = [1.0, 0.5, 0.25];
    let mut moved = stage.texture(0).expect("a texture");
    let rotation_rad = std::f32::consts::FRAC_PI_2;
    moved.transform = Some(UvTransform { offset: [0.5, 0.25], rotation_rad, scale: [2.0, 4.0] });
    material.base_color_texture = Some(moved);
    let mut unlit = Material::new("unlit");
    unlit.unlit = true;
    unlit.alpha_mode = AlphaMode::Blend;
    let files = stage.with(material).with(unlit).export(&Context::new());
    let first = xml(&files, "both sides");
    assert!(first.contains("\t<cull value=\"none\"/>\n\t<shadowcull value=\"none\"/>\n"));
    assert!(first.contains("<parameter name=\"MatEmissiveColor\" value=\"1 0.5 0.25\"/>"));
    let numbers = |name: &str| {
        let (_, rest) = first.split_once(&format!("name=\"{name}\" value=\"")).expect("the parameter");
        rest.split('"').next().expect("a value").split(' ').map(|n| n.parse().expect("a number")).collect::<Vec<f32>>()
    };
    // A quarter turn: u' = 4 v + 0.5, v' = -2 u + 0.25.
    let close = |a: Vec<f32>, b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close(numbers("UOffset"), [0.0, 4.0, 0.0, 0.5]), "{first}");
    assert!(close(numbers("VOffset"), [-2.0, 0.0, 0.0, 0.25]), "{first}");
    assert!(xml(&files, "unlit").contains("Techniques/NoTextureUnlitAlpha.xml"));
}

/// The engine multiplies what the file holds, not what it means as light.
#[test]
fn a_tinted_texture_is_told() {
    for (tint, textured, told) in [(0.5, true, 1), (1.0, true, 0), (0.5, false, 0)] {
        let stage = Stage::new(&[png([9; 4])]);
        let mut material = Material::new("m");
        material.base_color = [1.0, tint, 1.0, 0.5];
        material.base_color_texture = stage.texture(0).filter(|_| textured);
        let context = Context::new();
        let files = stage.with(material).export(&context);
        assert_eq!(context.report().count_of("urho.gamma-color"), told);
        assert!(xml(&files, "m").contains(&format!("<parameter name=\"MatDiffColor\" value=\"1 {tint} 1 0.5\"/>")));
    }
}

#[test]
fn several_geometries_come_with_a_list() {
    let stage = Stage::new(&[]).with(Material::new("CON")).with(Material::new("a/b")).with(Material::new("con"));
    let context = Context::new();
    let files = stage.export(&context);
    // All three: a device's name, a sign that files cannot have, one name twice.
    assert_eq!(context.report().count_of("urho.material-renamed"), 3);
    let list = String::from_utf8(content(&files, "Model.txt")).expect("UTF-8");
    assert_eq!(list, "Materials/_CON.xml\nMaterials/a_b.xml\nMaterials/_con_2.xml\n");
    for line in list.lines() {
        content(&files, line);
    }
}

/// Of several images that are decoded side by side, which one is too much depends on who comes first.
#[test]
fn an_image_that_passes_a_limit_ends_the_job() {
    let stage = Stage::new(&[png([1; 4]), png([2; 4])]);
    let mut materials = [Material::new("a"), Material::new("b")];
    for (index, material) in materials.iter_mut().enumerate() {
        material.metallic_roughness_texture = stage.texture(index);
    }
    let scene = materials.into_iter().fold(stage, Stage::with).scene();
    for (pixels, refused) in [(0, true), (1, false)] {
        let mut limits = Limits::default();
        limits.pixels = pixels;
        let context = Context::new().with_limits(limits);
        let done = UrhoExporter::new(Dialect::UrhoX).export(scene.clone(), "m", &context);
        assert_eq!(done.err().map(|e| e.kind()), refused.then_some(ErrorKind::LimitExceeded));
    }
}

#[test]
fn what_cannot_be_decoded_is_lost_and_the_material_goes_without() {
    let ktx2 = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    let stage = Stage::new(&[ktx2, png([9; 4])]);
    let mut material = Material::new("m");
    material.base_color_texture = stage.texture(0);
    material.normal_texture = stage.texture(1);
    let context = Context::new();
    let files = stage.with(material).export(&context);
    assert_eq!(context.report().count_of("urho.image-unreadable"), 1);
    assert_eq!(context.report().worst(), Some(Severity::Lost));
    assert!(xml(&files, "m").contains("PBRDiffNormal.xml"));
    assert!(!files.iter().any(|f| f.name.contains("_tex0")));
}

#[test]
fn samplers_that_differ_from_the_default_lie_beside_the_image() {
    let mut stage = Stage::new(&[png([9; 4]), png([8; 4])]);
    let mut sampler = Sampler::default();
    sampler.wrap_u = Wrap::ClampToEdge;
    sampler.mag = Some(Filter::Nearest);
    sampler.min = Some((Filter::Linear, MipFilter::Linear));
    stage.scene.textures.values_mut().next().expect("a texture").sampler = Some(sampler);
    let mut usual = Sampler::default();
    usual.mag = Some(Filter::Linear);
    usual.min = Some((Filter::Linear, MipFilter::Linear));
    stage.scene.textures.values_mut().last().expect("a texture").sampler = Some(usual);
    let mut material = Material::new("m");
    material.base_color_texture = stage.texture(0);
    material.normal_texture = stage.texture(1);
    let files = stage.with(material).export(&Context::new());
    let parameters = String::from_utf8(content(&files, "Textures/Model_tex0.xml")).expect("UTF-8");
    let expected = "<?xml version=\"1.0\"?>\n<texture>\n\t<address coord=\"u\" mode=\"clamp\"/>\n\
        \t<filter mode=\"nearest\"/>\n</texture>\n";
    assert_eq!(parameters, expected);
    assert!(!files.iter().any(|f| f.name == "Textures/Model_tex1.xml"));
}

/// What is written comes back when the bundle is read.
#[test]
fn a_bundle_comes_back() {
    let stage = Stage::new(&[png([10, 100, 200, 255])]);
    let mut material = Material::new("metal");
    material.metallic_roughness_texture = stage.texture(0);
    material.base_color_texture = stage.texture(0);
    material.base_color = [0.5, 0.25, 1.0, 0.75];
    material.alpha_mode = AlphaMode::Blend;
    material.double_sided = true;
    let mut plain = Material::new("plain");
    (plain.roughness, plain.metallic) = (0.25, 0.5);
    let files = stage.with(material.clone()).with(plain.clone()).export(&Context::new());
    let mut source = MemorySource::new("Model.mdl", content(&files, "Model.mdl"));
    for file in &files {
        source = source.with_file(file.name.as_str(), file.content.to_vec());
    }
    let scene = UrhoImporter::new(Dialect::UrhoX).import(&source, &Context::new()).expect("imports");
    let back: Vec<&Material> = scene.materials.values().collect();
    assert_eq!((back[0].name.as_str(), back[1].name.as_str()), ("metal", "plain"));
    assert_eq!((back[0].base_color, back[0].alpha_mode), (material.base_color, AlphaMode::Blend));
    assert!(back[0].double_sided && !back[1].double_sided);
    assert_eq!((back[1].roughness, back[1].metallic), (0.25, 0.5));
    let map = back[0].metallic_roughness_texture.as_ref().expect("a map").texture;
    let image: ImageId = scene.textures[map].image.expect("an image");
    assert_eq!(pixel(scene.images[image].bytes.as_ref().expect("bytes")), [255, 100, 200, 255]);
}

/// Its textures lie beside the model, not beside it.
#[test]
fn a_material_of_its_own_says_where_its_textures_are_looked_for() {
    let xml = b"<material><texture unit=\"diffuse\" name=\"Textures/a.png\"/></material>".to_vec();
    let context = Context::new();
    support::import("m.xml", xml, Dialect::UrhoX, &context).expect("imports");
    let report = context.report();
    let line = report.diagnostics().iter().find(|d| d.code.id == "urho.texture-missing").expect("told");
    assert!(line.message.contains("read the bundle's model"), "{}", line.message);
}
