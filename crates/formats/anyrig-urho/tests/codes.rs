//! Every diagnostic of the table is produced by something.

mod support;

use anyrig_bytes::text::{Encoding, encode};
use anyrig_bytes::{Attachment, Context, MemorySource, Report, Role, SharedBytes, Value};
use anyrig_scene::glam::{DAffine3, DMat3, DVec3};
use anyrig_scene::{
    Channel, Clip, Curve, DeltaStream, Image, Importer, Influences, Interpolation, Layout, LocalTransform, Material,
    Mesh, MeshInstance, MorphTarget, Node, Part, PartMorph, Property, Sampler, Scene, Semantic, Skin, SkinMethod,
    Stream, Texture, TextureUse, Wrap,
};
use anyrig_urho::document::{
    Animation, AnimationLayout, Bone, ElementSemantic, ElementType, Geometry, IndexBuffer, Lod, Model, Morph,
    MorphBuffer, Track, VertexBuffer, VertexElement, variant_interpolation,
};
use anyrig_urho::{CODES, Dialect, UrhoImporter};
use std::collections::BTreeSet;
use support::export;

fn collect(seen: &mut BTreeSet<&'static str>, report: &Report) {
    seen.extend(report.diagnostics().iter().map(|d| d.code.id));
}

#[test]
fn every_code_is_produced_and_named_once() {
    let mut seen = BTreeSet::new();
    collect(&mut seen, &read_a_bad_model());
    collect(&mut seen, &read_bad_materials());
    collect(&mut seen, &read_an_odd_motion());
    collect(&mut seen, &write_a_crowded_scene());
    collect(&mut seen, &write_a_still_scene());
    collect(&mut seen, &read_a_motion_of_rbfx());
    collect(&mut seen, &write_shared_morphs());
    collect(&mut seen, &write_a_level_without_a_geometry());
    let ids: BTreeSet<&str> = CODES.iter().map(|c| c.id).collect();
    assert_eq!(ids.len(), CODES.len(), "an id stands twice");
    let missing: Vec<_> = ids.iter().filter(|id| !seen.contains(*id)).collect();
    assert!(missing.is_empty(), "never produced: {missing:?}");
    assert!(CODES.iter().all(|c| c.id.starts_with("urho.") && c.meaning.ends_with('.')));
}

const JAPANESE: &str = "センター 上半身 下半身 左腕 右腕 頭";

fn floats(values: &[f32]) -> SharedBytes {
    values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>().into()
}

fn bad_model() -> Model {
    let element = |semantic, kind| VertexElement::new(semantic, kind);
    let position = element(ElementSemantic::Position, ElementType::Vector3);
    let elements = vec![
        position,
        position,
        element(ElementSemantic::BlendWeights, ElementType::Vector4),
        element(ElementSemantic::BlendIndices, ElementType::UByte4),
    ];
    let mut vertices = Vec::new();
    for i in 0..3 {
        vertices.extend(floats(&[i as f32, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).iter());
        vertices.extend([77, 0, 0, 0]);
    }
    let lod = |start, count| Lod { index_start: start, index_count: count, ..Lod::default() };
    let bone = |name: &[u8], parent| {
        let mut bone = Bone { parent, rotation: [1.0, 0.0, 0.0, 0.0], scale: [1.0; 3], ..Bone::default() };
        bone.name.0 = name.to_vec();
        bone
    };
    let mut model = Model {
        vertex_buffers: vec![VertexBuffer {
            vertex_count: 3,
            elements,
            data: vertices.into(),
            ..VertexBuffer::default()
        }],
        index_buffers: vec![IndexBuffer {
            index_count: 7,
            index_size: 2,
            data: [0u16, 1, 2, 0, 1, 9, 0].iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>().into(),
        }],
        geometries: vec![
            Geometry { lods: vec![lod(0, 100), lod(0, 3)], ..Geometry::default() },
            Geometry { lods: vec![Lod { vertex_buffer: 9, ..lod(0, 3) }], ..Geometry::default() },
        ],
        morphs: vec![Morph {
            name: "m".into(),
            buffers: vec![MorphBuffer { vertex_count: 1, data: vec![200, 0, 0, 0].into(), ..MorphBuffer::default() }],
            ..Morph::default()
        }],
        // A name that is not UTF-8, and a parent that does not exist.
        bones: vec![bone(b"a", 0), bone(&encode(JAPANESE, Encoding::ShiftJis).expect("encodable"), 55)],
        ..Model::default()
    };
    model.centres = vec![[0.0; 3]; 2];
    model.tail = vec![1, 2, 3].into();
    model
}

fn urhox_motion(trigger_count: u32) -> Vec<u8> {
    motion_of("nobody", trigger_count)
}

fn motion_of(bone: &str, trigger_count: u32) -> Vec<u8> {
    let animation = Animation {
        layout: AnimationLayout::UrhoX,
        version: 2,
        tracks: vec![Track {
            name: bone.into(),
            interpolation: 1,
            key_count: 1,
            data: floats(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
            ..Track::default()
        }],
        trigger_count,
        tail: if trigger_count > 0 { vec![1, 2, 3].into() } else { SharedBytes::default() },
        ..Animation::default()
    };
    animation.write().expect("writes").to_vec()
}

fn read_a_bad_model() -> Report {
    let bytes = bad_model().write().expect("writes").to_vec();
    let motion = Attachment::new(Role::Motion, "m.ani", urhox_motion(0));
    let found = |name: &str, bytes: Vec<u8>| Attachment::new(Role::FoundMotion, name, bytes);
    let context = Context::new()
        .with_attachment(motion)
        .with_attachment(found("Animations/no.ani", urhox_motion(0)))
        .with_attachment(found("Animations/yes.ani", motion_of("a", 0)));
    let scene = support::import("bad.mdl", bytes, Dialect::UrhoX, &context).expect("imports");
    let clips: Vec<_> = scene.clips.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(clips, ["m", "yes"]);
    assert_eq!(scene.nodes.values().filter(|n| n.name == JAPANESE).count(), 1);
    assert_eq!(scene.meshes.values().flat_map(|m| &m.parts).map(Part::triangle_count).collect::<Vec<_>>(), [1, 0, 1]);
    context.report()
}

fn read_an_odd_motion() -> Report {
    let context = Context::new();
    support::import("odd.ani", urhox_motion(3), Dialect::UrhoX, &context).expect("imports");
    context.report()
}

/// Weights, properties without a word, a spline, and triggers that cannot be read.
fn read_a_motion_of_rbfx() -> Report {
    let mut animation = Animation::read(&support::writer::uan2(4).into(), &Context::new()).expect("reads");
    animation.variant_tracks[0].interpolation = variant_interpolation::TENSION_SPLINE;
    let bytes = animation.write().expect("writes").to_vec();
    let motion = Attachment::new(Role::Motion, "m.ani", bytes.clone());
    let context = Context::new().with_attachment(motion);
    support::import("m.mdl", support::writer::umd3(2), Dialect::Rbfx, &context).expect("imports");
    let source = MemorySource::new("m.ani", bytes)
        .with_file("m.xml", b"<animation><trigger".to_vec())
        .with_file("m.json", b"{\"triggers\": [{}]}".to_vec());
    let context_of_source = Context::new();
    UrhoImporter::new(Dialect::Rbfx).import(&source, &context_of_source).expect("imports");
    let mut report = context.report();
    context_of_source.report().diagnostics().iter().cloned().for_each(|d| report.push(d));
    report
}

/// Two meshes share a morph, rest it and move it differently.
fn write_shared_morphs() -> Report {
    let mut scene = Scene::default();
    let mut clip = Clip::new("face");
    for weight in [0.25, 0.75] {
        let mut part = triangle();
        part.morphs = vec![PartMorph::default()];
        let mut instance = show(&mut scene, "face", vec![part]);
        scene.meshes.get_mut(instance.mesh).expect("a mesh").morphs = vec![MorphTarget::new("smile")];
        instance.morph_weights = vec![weight];
        let mut node = Node::new("face");
        node.mesh = Some(instance);
        let node = scene.add_node(node, None);
        let curve = Curve::new(Interpolation::Linear, 1, vec![0.0, 1.0], vec![0.0, weight]);
        clip.channels.push(Channel::new(node, Property::MorphWeights, curve));
    }
    scene.clips.push(clip);
    let context = Context::new();
    support::export_as(Dialect::Rbfx, scene, &context);
    let report = context.report();
    assert_eq!((report.count_of("urho.morph-motion-merged"), report.count_of("urho.morph-rest-weight")), (1, 1));
    report
}

fn write_a_level_without_a_geometry() -> Report {
    let mut scene = Scene::default();
    let mut node = Node::new("near");
    node.mesh = Some(show(&mut scene, "near", vec![triangle()]));
    let near = scene.add_node(node, None);
    let mut far = triangle();
    far.slot = 1;
    let mut node = Node::new("far");
    node.visible = false;
    node.mesh = Some(show(&mut scene, "far", vec![far]));
    let mut lod = Value::Null;
    lod.set("level", 1);
    lod.set("distances", Value::Array(vec![Value::from(10)]));
    let mut extras = Value::Null;
    extras.set("lod", lod);
    node.extras.set("urho", extras);
    scene.add_node(node, Some(near));
    let context = Context::new();
    export(scene, &context);
    context.report()
}

fn read_bad_materials() -> Report {
    let mut model = bad_model();
    model.geometries.truncate(1);
    model.geometries.extend(vec![model.geometries[0].clone(); 2]);
    model.centres = vec![[0.0; 3]; 3];
    let material = "<material><technique name=\"Techniques/Diff.xml\"/><texture unit=\"diffuse\" name=\"t.png\"/>\
        <texture unit=\"environment\" name=\"t.png\"/></material>";
    let source = MemorySource::new("bad.mdl", model.write().expect("writes").to_vec())
        .with_file("bad.txt", b"good.xml\nmissing.xml\nbroken.xml\n".to_vec())
        .with_file("good.xml", material.as_bytes().to_vec())
        .with_file("broken.xml", b"<material".to_vec());
    let context = Context::new();
    UrhoImporter::new(Dialect::UrhoX).import(&source, &context).expect("imports");
    assert_eq!(context.report().count_of("urho.material-unread"), 2);
    context.report()
}

fn triangle() -> Part {
    let mut part = Part::default();
    part.point_count = 3;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 1.0, 1.0, 1.0, 0.0, 0.0]));
    part
}

fn show(scene: &mut Scene, name: &str, parts: Vec<Part>) -> MeshInstance {
    let mut mesh = Mesh::default();
    mesh.name = name.to_owned();
    mesh.parts = parts;
    MeshInstance::new(scene.meshes.push(mesh))
}

/// Skins, motion, more bones than allowed, and much that does not fit.
fn write_a_crowded_scene() -> Report {
    let mut scene = Scene::default();
    let joints: Vec<_> = (0..14).map(|_| scene.add_node(Node::new("Bone"), None)).collect();
    let mut shear = DAffine3::IDENTITY;
    shear.matrix3 = DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z);
    scene.nodes[joints[0]].local = LocalTransform::Matrix(shear);
    let binds = vec![DAffine3::IDENTITY; 14];
    let mut skin = Skin::new("", joints.clone(), binds.clone());
    skin.method = SkinMethod::DualQuaternion;
    let first = scene.skins.push(skin);
    let mut other = binds;
    other[3] = DAffine3::from_translation(DVec3::X);
    let second = scene.skins.push(Skin::new("", joints.clone(), other));
    for skin in [first, second] {
        let mut part = triangle();
        let mut weights = [0.4f32, 0.3, 0.1, 0.1, 0.1].repeat(3);
        weights[10..].fill(0.0);
        let layout = Layout::Fixed(5);
        let used = [0u32, 1, 2, 3, 4].repeat(3);
        part.influences = Some(Influences::new(layout, used, weights));
        let delta = DeltaStream::new(Semantic::Position, 3, vec![1.0; 9]);
        part.morphs = vec![PartMorph::new(vec![delta]); 2];
        let mut without = triangle();
        without.morphs = vec![PartMorph::default(); 2];
        let mut empty = Part::default();
        empty.morphs = vec![PartMorph::default(); 2];
        let mut instance = show(&mut scene, "body", vec![part, without, empty]);
        instance.skin = Some(skin);
        instance.morph_weights = vec![0.5, 0.0];
        scene.meshes.get_mut(instance.mesh).expect("a mesh").morphs =
            vec![MorphTarget::new("smile"), MorphTarget::new("smile")];
        let mut node = Node::new("body");
        node.mesh = Some(instance);
        scene.add_node(node, None);
    }
    let mut hidden = Node::new("hidden");
    hidden.visible = false;
    hidden.mesh = Some(show(&mut scene, "hidden", vec![triangle()]));
    scene.add_node(hidden, None);
    let outside = scene.add_node(Node::new("outside"), None);
    let roots = scene.roots().filter(|r| *r != outside).collect();
    scene.root_sets.push(anyrig_scene::RootSet::new("", roots));
    let mut clip = Clip::new("mixed?");
    let cubic = (0..18).map(|i| i as f32).collect::<Vec<_>>();
    let curve = Curve::new(Interpolation::CubicHermite, 3, vec![0.0, 1.0], cubic);
    clip.channels.push(Channel::new(joints[0], Property::Translation, curve));
    scene.clips.push(clip);
    let mut elsewhere = Clip::new("elsewhere");
    let curve = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![0.0; 6]);
    elsewhere.channels.push(Channel::new(outside, Property::Translation, curve));
    scene.clips.push(elsewhere);
    scene.extras.set("gltf.generator", "a tool");
    scene.nodes[outside].extras.set("gltf.extras", 1);
    let mut options = Value::Null;
    options.set("max-bones", 12);
    let context = Context::new().with_options("urhox", options);
    export(scene, &context);
    context.report()
}

/// Materials, and collision shapes whose space changes.
fn write_a_still_scene() -> Report {
    let mut scene = Scene::default();
    let images = [b"no image".to_vec(), png()];
    for bytes in images {
        let mut image = Image::default();
        image.bytes = Some(bytes.into());
        let image = scene.images.push(image);
        for wrap in [Wrap::Repeat, Wrap::ClampToEdge] {
            let mut texture = Texture::default();
            texture.image = Some(image);
            let mut sampler = Sampler::default();
            sampler.wrap_u = wrap;
            texture.sampler = Some(sampler);
            scene.textures.push(texture);
        }
    }
    let texture = |scene: &Scene, i| scene.textures.id(i).map(TextureUse::new);
    let mut material = Material::new("m?");
    material.base_color = [1.0, 0.5, 1.0, 1.0];
    material.base_color_texture = texture(&scene, 2);
    material.metallic_roughness_texture = texture(&scene, 0);
    material.normal_texture = texture(&scene, 2);
    material.emissive_texture = texture(&scene, 3);
    material.normal_scale = 0.5;
    let worn = scene.materials.push(material);
    scene.materials.push(Material::new("unused"));
    let mut colored = triangle();
    colored.set_stream(Stream::new(Semantic::Color(0), 3, vec![0.5; 9]));
    let mut instance = show(&mut scene, "still", vec![colored]);
    instance.materials = vec![Some(worn)];
    let mut node = Node::new("still");
    node.mesh = Some(instance);
    let mut shape = Value::Null;
    shape.set("collision_mask", 1);
    shape.set("radius", 1.0);
    node.extras.set("urho", shape);
    scene.add_node(node, None);
    let mut options = Value::Null;
    options.set("scale", 2);
    let context = Context::new().with_options("urhox", options);
    export(scene, &context);
    context.report()
}

fn png() -> Vec<u8> {
    let image = anyrig_image::Rgba8Image::new(1, 1, vec![9; 4]).expect("one pixel");
    anyrig_image::encode_png(&image).expect("encodes")
}
