//! Every diagnostic of the crate is produced by some input or scene.

mod helpers;

use anyrig_bytes::{Context, MemorySource, Source};
use anyrig_gltf::{CODES, Glb, Gltf};
use anyrig_scene::glam::{DAffine3, DVec3};
use anyrig_scene::{
    Channel, Clip, ClipLayer, Curve, DeltaStream, ElementId, Exporter, Id, Image, Importer, Influences, Interpolation,
    Material, Mesh, MeshInstance, MorphTarget, Node, Part, PartMorph, Property, Scene, Segment, Semantic, Skin,
    SkinMethod, Stream, Target, Texture, TextureUse, Topology, Trs,
};
use std::collections::BTreeSet;

/// Ids that reading gives.
fn read(source: &dyn Source) -> Vec<&'static str> {
    let context = Context::new();
    let importer = if source.bytes().starts_with(b"glTF") { &Glb as &dyn Importer } else { &Gltf };
    importer.import(source, &context).unwrap_or_else(|e| panic!("{e}"));
    context.report().diagnostics().iter().map(|d| d.code.id).collect()
}

/// A text file with these members, and one data URI buffer of 64 zeros.
fn json(members: &str) -> MemorySource {
    let zeros = "A".repeat(86);
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"data:;base64,{zeros}","byteLength":64}}],
        "bufferViews":[{{"buffer":0,"byteLength":64}}],{members}}}"#
    );
    MemorySource::new("x.gltf", text.into_bytes())
}

#[test]
fn reading_tells() {
    let accessors = r#""accessors":[
        {"bufferView":0,"componentType":5126,"type":"VEC3","count":3},
        {"bufferView":0,"componentType":5126,"type":"MAT4","count":1},
        {"bufferView":0,"componentType":5126,"type":"SCALAR","count":1},
        {"bufferView":0,"componentType":5121,"type":"VEC4","count":3},
        {"componentType":5125,"type":"SCALAR","count":3,"sparse":{"count":1,
            "indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":1}}}]"#;
    let cases: Vec<(&str, String)> = vec![
        ("gltf.duplicate-key", r#""scene":0,"scenes":[{}],"scene":0"#.to_owned()),
        ("gltf.image-missing", r#""images":[{"uri":"none.png"}]"#.to_owned()),
        ("gltf.image-empty", r#""images":[{}]"#.to_owned()),
        ("gltf.image-unrecognized", r#""images":[{"uri":"data:image/png;base64,AAAA"}]"#.to_owned()),
        ("gltf.image-type-sniffed", r#""images":[{"bufferView":0}]"#.to_owned()),
        ("gltf.root-with-parent", r#""nodes":[{"children":[1]},{}],"scenes":[{"nodes":[1]}]"#.to_owned()),
        ("gltf.matrix-and-trs", r#""nodes":[{"scale":[1,1,1],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]"#.to_owned()),
        ("gltf.matrix-last-row", r#""nodes":[{"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}]"#.to_owned()),
        ("gltf.node-without-mesh", r#""nodes":[{"weights":[1]}]"#.to_owned()),
        (
            "gltf.weight-count",
            format!(r#"{accessors},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}],"weights":[1]}}]"#),
        ),
        (
            "gltf.target-count",
            format!(
                r#"{accessors},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}},
                {{"attributes":{{"POSITION":0}},"targets":[{{"POSITION":0}}]}}]}}]"#
            ),
        ),
        (
            "gltf.unpaired-influences",
            format!(r#"{accessors},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":3}}}}]}}]"#),
        ),
        ("gltf.value-clamped", r#""materials":[{"pbrMetallicRoughness":{"metallicFactor":2}}]"#.to_owned()),
        (
            "gltf.channel-ignored",
            format!(
                r#"{accessors},"animations":[{{"samplers":[{{"input":2,"output":0}}],
                "channels":[{{"sampler":0,"target":{{"path":"scale"}}}}]}}]"#
            )
            .replace(
                "\"count\":3},\n        {\"bufferView\":0,\"componentType\":5126,\"type\":\"MAT4\"",
                "\"count\":1},\n        {\"bufferView\":0,\"componentType\":5126,\"type\":\"MAT4\"",
            ),
        ),
        (
            "gltf.channel-unknown",
            format!(
                r#"{accessors},"nodes":[{{}}],"animations":[{{"samplers":[{{"input":2,"output":2}}],
                "channels":[{{"sampler":0,"target":{{"node":0,"path":"colour"}}}}]}}]"#
            ),
        ),
        (
            "gltf.pointer-kept",
            format!(
                r#"{accessors},"animations":[{{"samplers":[{{"input":2,"output":2}}],"channels":[{{"sampler":0,
                "target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"/extensions/x/y"}}}}}}}}]}}]"#
            ),
        ),
        (
            "gltf.specular-glossiness",
            r#""materials":[{"extensions":{"KHR_materials_pbrSpecularGlossiness":{}}}]"#.to_owned(),
        ),
        (
            "gltf.members-dropped",
            r#""materials":[{"extensions":{"KHR_materials_ior":{"ior":1.4,"extras":1}}}]"#.to_owned(),
        ),
        ("gltf.required-carried", r#""extensionsRequired":["KHR_materials_volume_scatter"]"#.to_owned()),
        (
            "gltf.extension-fallback",
            format!(
                r#"{accessors},"meshes":[{{"primitives":[{{"mode":0,"attributes":{{"POSITION":0}},
                "extensions":{{"KHR_draco_mesh_compression":{{}}}}}}]}}]"#
            ),
        ),
        (
            "gltf.compressed-fault",
            r#""bufferViews":[{"buffer":0,"byteLength":64,"extensions":{"EXT_meshopt_compression":
                {"buffer":0,"byteLength":64,"byteStride":4,"count":16,"mode":"ATTRIBUTES"}}}],
            "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]"#
                .to_owned(),
        ),
        ("gltf.extension-data-lost", r#""nodes":[{"extensions":{"EXT_structural_metadata":{}}}]"#.to_owned()),
        (
            "gltf.integer-rounded",
            format!(r#"{accessors},"meshes":[{{"primitives":[{{"mode":0,"attributes":{{"_ID":4}}}}]}}]"#),
        ),
    ];
    let mut seen = BTreeSet::new();
    for (wanted, members) in cases {
        // A second view of 2^24 + 1, which an f32 cannot hold.
        let text = String::from_utf8(json(&members).bytes().to_vec()).expect("UTF-8");
        let text = text.replace(
            r#""bufferViews":[{"buffer":0,"byteLength":64}]"#,
            r#""bufferViews":[{"buffer":0,"byteLength":64},{"buffer":1,"byteLength":4}]"#,
        );
        let text =
            text.replace(r#""byteLength":64}],"#, r#""byteLength":64},{"uri":"data:,%01%00%00%01","byteLength":4}],"#);
        let got = read(&MemorySource::new("x.gltf", text.into_bytes()));
        assert!(got.contains(&wanted), "{wanted}: {got:?}");
        seen.insert(wanted);
    }
    let short = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"data:,a","byteLength":2}]}"#;
    assert_eq!(read(&MemorySource::new("x.gltf", short.as_bytes().to_vec())), ["gltf.buffer-too-short"]);
    let mut glb = Glb.export(Scene::default(), "x", &Context::new()).expect("exportable")[0].content.to_vec();
    glb.push(0);
    assert_eq!(read(&MemorySource::new("x.glb", glb)), ["gltf.glb-length"]);
    seen.extend(["gltf.buffer-too-short", "gltf.glb-length"]);
    let all: BTreeSet<_> = CODES.iter().map(|c| c.id).collect();
    let writing: BTreeSet<_> = WRITING.iter().chain(ASKED_FOR).copied().collect();
    let checking = |id: &&&str| id.starts_with("gltf.rule-");
    let missing: Vec<_> = all.difference(&seen).filter(|id| !writing.contains(*id) && !checking(id)).collect();
    assert!(missing.is_empty(), "no test gives {missing:?}");
}

/// Lines that validation adds to those of import: the id and the validator's code.
fn rules(members: &str) -> Vec<(&'static str, String)> {
    let context = Context::new();
    Gltf.check_rules(&json(members), &context).unwrap_or_else(|e| panic!("{e}"));
    let code = |message: &str| message.split(':').next().unwrap_or_default().to_owned();
    context.report().diagnostics().iter().map(|d| (d.code.id, code(&d.message))).collect()
}

/// Bytes of a tiny image that ends before its end.
const CUT_PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4";

#[test]
fn validation_tells_of_broken_rules() {
    let point =
        |attributes: &str| format!(r#""meshes":[{{"primitives":[{{"mode":0,"attributes":{{{attributes}}}}}]}}]"#);
    let position = r#"{"bufferView":0,"componentType":5126,"type":"VEC3","count":1,"min":[0,0,0],"max":[0,0,0]}"#;
    let other = r#"{"bufferView":0,"componentType":5126,"type":"VEC3","count":1}"#;
    let accessors = format!(r#""accessors":[{position},{other}]"#);
    let scalar = r#"{"bufferView":0,"componentType":5126,"type":"SCALAR","count":1}"#;
    let cases: Vec<(&str, &str, String)> = vec![
        ("gltf.rule-file", "EMPTY_ENTITY", r#""scenes":[{"nodes":[]}]"#.to_owned()),
        ("gltf.rule-file", "EMPTY_ENTITY", r#""nodes":[{}],"skins":[{"joints":[]}]"#.to_owned()),
        ("gltf.rule-file", "EMPTY_ENTITY", r#""meshes":[{"primitives":[]}]"#.to_owned()),
        ("gltf.rule-file", "DUPLICATE_ELEMENTS", r#""extensionsUsed":["A_b","A_b"]"#.to_owned()),
        ("gltf.rule-file", "UNDECLARED_EXTENSION", r#""extensions":{"EXT_x":{}}"#.to_owned()),
        (
            "gltf.rule-file",
            "VALUE_NOT_IN_RANGE",
            r#""accessors":[{"componentType":5126,"type":"SCALAR","count":0}]"#.to_owned(),
        ),
        (
            "gltf.rule-layout",
            "ACCESSOR_OFFSET_ALIGNMENT",
            r#""accessors":[{"bufferView":0,"byteOffset":1,"componentType":5126,"type":"SCALAR","count":1}]"#
                .to_owned(),
        ),
        (
            "gltf.rule-values",
            "ACCESSOR_MAX_MISMATCH",
            r#""accessors":[{"bufferView":0,"componentType":5126,"type":"SCALAR","count":1,"max":[1]}]"#.to_owned(),
        ),
        (
            "gltf.rule-values",
            "ACCESSOR_VECTOR3_NON_UNIT",
            format!("{accessors},{}", point(r#""POSITION":0,"NORMAL":1"#)),
        ),
        (
            "gltf.rule-mesh",
            "MESH_PRIMITIVE_INVALID_ATTRIBUTE",
            format!("{accessors},{}", point(r#""POSITION":0,"UV":1"#)),
        ),
        (
            "gltf.rule-mesh",
            "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
            format!("{accessors},{}", point(r#""POSITION":1"#)),
        ),
        ("gltf.rule-node", "SKIN_NO_COMMON_ROOT", r#""nodes":[{},{}],"skins":[{"joints":[0,1]}]"#.to_owned()),
        (
            "gltf.rule-node",
            "NODE_MATRIX_NON_TRS",
            r#""nodes":[{"matrix":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]}]"#.to_owned(),
        ),
        (
            "gltf.rule-animation",
            "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
            format!(
                r#""accessors":[{scalar},{}],"nodes":[{{}}],"animations":[{{"samplers":[{{"input":0,"output":1,
                "interpolation":"CUBICSPLINE"}}],"channels":[{{"sampler":0,"target":{{"node":0,"path":"scale"}}}}]}}]"#,
                other.replace(r#""count":1"#, r#""count":3"#)
            ),
        ),
        ("gltf.rule-image", "IMAGE_UNEXPECTED_EOS", format!(r#""images":[{{"uri":"{CUT_PNG}"}}]"#)),
    ];
    for (id, code, members) in cases {
        let got = rules(&members);
        assert!(got.contains(&(id, code.to_owned())), "{id} {code}: {got:?}");
    }
    assert_eq!(rules(&format!("{accessors},{}", point(r#""POSITION":0"#))), []);
}

/// What writing tells; the test below gives each.
const WRITING: &[&str] = &[
    "gltf.alternate-dropped",
    "gltf.animation-path",
    "gltf.approximated",
    "gltf.attribute-dropped",
    "gltf.attribute-gap",
    "gltf.attribute-renamed",
    "gltf.clip-dropped",
    "gltf.clip-empty",
    "gltf.clip-length",
    "gltf.common-root",
    "gltf.deltas-dropped",
    "gltf.dual-quaternion",
    "gltf.extension-stale",
    "gltf.extras-dropped",
    "gltf.image-converted",
    "gltf.image-kind",
    "gltf.image-missing",
    "gltf.instance-copied",
    "gltf.keys-merged",
    "gltf.mesh-dropped",
    "gltf.not-held",
    "gltf.part-dropped",
    "gltf.quaternion-normalised",
    "gltf.single-key",
    "gltf.skeleton-dropped",
    "gltf.skin-dropped",
    "gltf.skin-unused",
    "gltf.triangulated",
    "gltf.unbound-points",
    "gltf.vectors-normalised",
];

/// What writing tells where options ask for it.
const ASKED_FOR: &[&str] = &[
    "gltf.names-stripped",
    "gltf.not-quantized",
    "gltf.quantized",
    "gltf.range-not-quantized",
    "gltf.rotations-not-quantized",
];

#[test]
fn writing_with_options_tells() {
    let mut options = anyrig_bytes::Value::Null;
    options.set("quantize", "small");
    options.set("names", "strip");
    let context = Context::new().with_options(anyrig_gltf::OPTIONS, options);
    Glb.export(awkward(), "x", &context).expect("exportable");
    let told: BTreeSet<_> = context.report().diagnostics().iter().map(|d| d.code.id).collect();
    let missing: Vec<_> = ASKED_FOR.iter().filter(|id| !told.contains(*id)).collect();
    assert!(missing.is_empty(), "no {missing:?} in {told:?}");
}

fn triangle() -> Part {
    let mut part = Part::default();
    part.point_count = 3;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    part
}

fn mesh(parts: Vec<Part>) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.parts = parts;
    mesh
}

/// One blue pixel.
const OLD_TGA: &[u8] = &[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 255, 0, 0];

#[test]
fn images_that_gltf_does_not_show_become_png_and_textures_have_their_coordinates() {
    let mut scene = Scene::default();
    let mut image = Image::default();
    (image.bytes, image.uri) = (Some(OLD_TGA.to_vec().into()), Some("sky.tga".to_owned()));
    let mut texture = Texture::default();
    texture.image = Some(scene.images.push(image));
    let mut material = Material::new("m");
    let mut used = TextureUse::new(scene.textures.push(texture));
    used.uv_set = 1;
    material.base_color_texture = Some(used);
    let material = scene.materials.push(material);
    let mut part = triangle();
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.5; 6]));
    let mut instance = MeshInstance::new(scene.meshes.push(mesh(vec![part])));
    instance.materials = vec![Some(material)];
    let mut node = Node::new("n");
    node.mesh = Some(instance);
    scene.add_node(node, None);
    let context = Context::new();
    let files = Gltf.export(scene, "x", &context).expect("exportable");
    assert_eq!(context.report().count_of("gltf.image-converted"), 1);
    assert_eq!(context.report().count_of("gltf.attribute-gap"), 1);
    let png = files.iter().find(|f| f.name == "sky.png").expect("written");
    let pixels = anyrig_image::decode_rgba8(&png.content.to_vec(), &Context::new()).expect("a PNG");
    assert_eq!(pixels.pixels(), [[0, 0, 255, 255]]);
    let text = String::from_utf8(files[0].content.to_vec()).expect("UTF-8");
    assert!(text.contains("\"TEXCOORD_1\"") && text.contains("\"texCoord\""), "{text}");
}

/// A scene that uses whatever glTF has no place for.
fn awkward() -> Scene {
    let mut scene = Scene::default();
    let mut odd = triangle();
    odd.topology = Topology::Polygons { offsets: vec![0, 3].into() };
    odd.set_stream(Stream::new(Semantic::TexCoord(2), 2, vec![2.0; 6]));
    odd.set_stream(Stream::new(Semantic::Normal, 3, vec![0.0; 9]));
    odd.set_stream(Stream::new(Semantic::Custom("speed".to_owned()), 1, vec![0.0; 3]));
    odd.set_stream(Stream::new(Semantic::Custom("wide".to_owned()), 7, vec![0.0; 21]));
    odd.influences = Some(Influences::fixed(1, vec![0; 3], vec![0.0; 3]));
    let delta = DeltaStream::new(Semantic::Color(0), 4, vec![0.1; 12]);
    odd.morphs = vec![PartMorph::new(vec![delta])];
    let mut first = mesh(vec![odd, Part::default()]);
    first.morphs = vec![MorphTarget::new("m")];
    first.extras.set("urho.thing", 1);
    let first = scene.meshes.push(first);
    scene.meshes.push(Mesh::default());
    let plain = scene.meshes.push(mesh(vec![triangle()]));
    scene.images.push(Image::default());
    for bytes in [OLD_TGA.to_vec(), b"no picture".to_vec()] {
        let mut image = Image::default();
        image.bytes = Some(bytes.into());
        let mut texture = Texture::default();
        texture.image = Some(scene.images.push(image));
        scene.textures.push(texture);
    }
    let mut picture = Image::default();
    (picture.mime_type, picture.bytes) = (Some("image/png".to_owned()), Some(vec![0u8; 8].into()));
    let mut numbered = anyrig_bytes::Value::Null;
    numbered.set("EXT_own", vec![anyrig_bytes::Value::from(1)]);
    picture.extras.set("gltf.extensions", numbered);
    let mut texture = Texture::default();
    texture.alternates = vec![scene.images.push(picture)];
    scene.textures.push(texture);
    let material = scene.materials.push(Material::new("red"));
    let node = |scene: &mut Scene, mesh, skin, materials| {
        let mut node = Node::new("n");
        let mut instance = MeshInstance::new(mesh);
        (instance.skin, instance.materials) = (skin, materials);
        node.mesh = Some(instance);
        scene.add_node(node, None)
    };
    let shown = node(&mut scene, first, Some(Id::new(0)), vec![]);
    node(&mut scene, plain, Some(Id::new(1)), vec![None]);
    let other = node(&mut scene, plain, None, vec![Some(material)]);
    let moved = Trs { translation: DVec3::X, ..Trs::IDENTITY };
    scene.nodes[other].geometric = Some(Box::new(moved));
    let mut skin = Skin::new("s", vec![shown, other], vec![DAffine3::IDENTITY; 2]);
    skin.method = SkinMethod::DualQuaternion;
    skin.skeleton = Some(other);
    scene.skins.push(skin);
    scene.skins.push(Skin::new("t", vec![shown], vec![DAffine3::IDENTITY]));
    scene.skins.push(Skin::default());
    scene.clips = awkward_clips(shown, other);
    scene
}

fn awkward_clips(shown: Id<Node>, other: Id<Node>) -> Vec<Clip> {
    let mut clip = Clip::new("c");
    clip.length_secs = Some(9.0);
    let cubic = Curve::new(Interpolation::CubicHermite, 3, vec![0.0], vec![0.0; 9]);
    clip.channels.push(Channel::new(shown, Property::Translation, cubic));
    let rotation = Curve::new(Interpolation::Linear, 4, vec![-1.0, 0.0], vec![0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]);
    clip.channels.push(Channel::new(shown, Property::Rotation, rotation));
    let seen = Curve::new(Interpolation::Step, 1, vec![0.0], vec![1.0]);
    clip.channels.push(Channel::on(Target::Visibility { node: other }, seen));
    let named = Target::Named { element: ElementId::Node(other), property: "fbx.x".to_owned() };
    let unknown = Curve::new(Interpolation::Step, 1, vec![0.0], vec![1.0]);
    clip.channels.push(Channel::on(named, unknown));
    let mut layered = Clip::new("layered");
    let mut kinds = Curve::new(Interpolation::PerKey, 3, vec![0.0, 1.0], vec![1.0; 6]);
    kinds.segments = vec![Segment::Step, Segment::Linear];
    layered.channels.push(Channel::new(other, Property::Scale, kinds));
    layered.layers = vec![ClipLayer::default(), ClipLayer::default()];
    layered.start_secs = 1.0;
    let mut empty = Clip::new("d");
    let curve = Curve::new(Interpolation::Linear, 1, vec![0.0], vec![0.0]);
    empty.channels.push(Channel::on(Target::Other("somewhere".to_owned()), curve));
    // Rounding would make it turn the other way.
    let mut half_turn = Clip::new("f");
    let values = vec![0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -4.4e-8];
    let curve = Curve::new(Interpolation::Linear, 4, vec![0.0, 1.0], values);
    half_turn.channels.push(Channel::new(other, Property::Rotation, curve));
    vec![clip, layered, empty, Clip::new("e"), half_turn]
}

#[test]
fn writing_tells() {
    let context = Context::new();
    let scene = awkward();
    let files = Glb.export(scene, "x", &context).expect("exportable");
    let told: BTreeSet<_> = context.report().diagnostics().iter().map(|d| d.code.id).collect();
    let missing: Vec<_> = WRITING.iter().filter(|id| !told.contains(*id)).collect();
    assert!(missing.is_empty(), "no {missing:?} in {told:?}");
    let source = MemorySource::new("x.glb", files[0].content.to_shared());
    Glb.verify("x.glb", &source, &Context::new()).expect("whole");
}

#[test]
fn weights_of_a_mesh_that_is_not_written_do_not_move() {
    let mut scene = Scene::default();
    let mut hollow = mesh(vec![Part::default()]);
    hollow.morphs = vec![MorphTarget::new("m")];
    let hollow = scene.meshes.push(hollow);
    let mut node = Node::new("n");
    node.mesh = Some(MeshInstance::new(hollow));
    let node = scene.add_node(node, None);
    let mut clip = Clip::new("c");
    let weights = Curve::new(Interpolation::Linear, 1, vec![0.0], vec![1.0]);
    clip.channels.push(Channel::new(node, Property::MorphWeights, weights));
    let scale = Curve::new(Interpolation::Linear, 3, vec![0.0], vec![1.0; 3]);
    clip.channels.push(Channel::new(node, Property::Scale, scale));
    scene.clips.push(clip);
    let context = Context::new();
    let files = Glb.export(scene, "x", &context).expect("exportable");
    assert_eq!(context.report().count_of("gltf.animation-path"), 1);
    let source = MemorySource::new("x.glb", files[0].content.to_shared());
    Glb.verify("x.glb", &source, &Context::new()).expect("whole");
    let back = Glb.import(&source, &Context::new()).expect("readable");
    assert_eq!(back.clips[0].channels.len(), 1);
}
