use super::*;
use anyrig_bytes::Value;
use anyrig_scene::{
    Camera, Curve, Image, Light, LightKind, Material, MaterialId, Mesh, MeshId, MeshInstance, MorphTarget, NodeId,
    Part, Projection, Semantic, Skin, Stream, Texture, TextureId, TextureUse, Trs,
};

fn image(name: &str) -> Image {
    let mut image = Image::default();
    image.name = name.to_owned();
    image
}

fn triangle() -> Part {
    let mut part = Part::default();
    part.point_count = 3;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0; 9]));
    part
}

fn mesh(name: &str) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.name = name.to_owned();
    mesh.parts = vec![triangle()];
    mesh
}

/// One of each used, and one of each not, the unused ones first so that all numbers change.
fn scene() -> Scene {
    let mut scene = Scene::default();
    for used in [false, true] {
        let name = if used { "used" } else { "unused" };
        let image = scene.images.push(image(name));
        let mut texture = Texture::default();
        texture.image = Some(image);
        let texture = scene.textures.push(texture);
        let mut material = Material::new(name);
        material.base_color_texture = Some(TextureUse::new(texture));
        let material = scene.materials.push(material);
        let mesh = scene.meshes.push(mesh(name));
        let projection = Projection::Orthographic { x_mag: 1.0, y_mag: 1.0, near: 0.0, far: 1.0 };
        let camera = scene.cameras.push(Camera::new(name, projection));
        let light = scene.lights.push(Light::new(name, LightKind::Point));
        let mut node = Node::new(name);
        if used {
            let mut instance = MeshInstance::new(mesh);
            instance.materials = vec![Some(material)];
            instance.skin = Some(anyrig_scene::SkinId::new(1));
            (node.mesh, node.camera, node.light) = (Some(instance), Some(camera), Some(light));
        }
        let node = scene.add_node(node, None);
        scene.skins.push(Skin::new(name, vec![node], vec![glam::DAffine3::IDENTITY]));
    }
    scene
}

#[test]
fn unused_resources_go_and_references_follow() {
    let mut scene = scene();
    let context = Context::new();
    let stats = prune(&mut scene, &PruneOptions::default(), &context).expect("not cancelled");
    let expected = PruneStats {
        meshes: 1,
        skins: 1,
        materials: 1,
        textures: 1,
        images: 1,
        cameras: 1,
        lights: 1,
        ..PruneStats::default()
    };
    assert_eq!(stats, expected);
    let node = &scene.nodes.as_slice()[1];
    let instance = node.mesh.as_ref().expect("kept");
    let material = &scene.materials[instance.materials[0].expect("kept")];
    let texture = &scene.textures[material.base_color_texture.as_ref().expect("kept").texture];
    let names = [
        &scene.meshes[instance.mesh].name,
        &scene.skins[instance.skin.expect("kept")].name,
        &material.name,
        &scene.images[texture.image.expect("kept")].name,
        &scene.cameras[node.camera.expect("kept")].name,
        &scene.lights[node.light.expect("kept")].name,
    ];
    assert_eq!(names, ["used"; 6]);
    assert_eq!(scene.nodes.len(), 2, "nodes stay by default");
    assert_eq!(context.report().count_of("passes.pruned"), 7);
    let again = prune(&mut scene, &PruneOptions::default(), &context).expect("not cancelled");
    assert_eq!(again, PruneStats::default());
}

#[test]
fn carried_numbers_keep_lists_as_they_are() {
    let mut value = Value::Null;
    value.set("texture", Value::Int(1));
    let mut scene = scene();
    scene.materials[MaterialId::new(1)].extras.set("x.extension", value.clone());
    let context = Context::new();
    let stats = prune(&mut scene, &PruneOptions::default(), &context).expect("not cancelled");
    assert_eq!((stats.textures, stats.images, stats.materials), (0, 0, 1));
    assert_eq!((scene.textures.len(), scene.materials.len()), (2, 1));
    assert_eq!(context.report().count_of("passes.numbers-kept"), 1, "{:?}", context.report());
    let mut scene = self::scene();
    scene.extras.set("x.extension", value.clone());
    let before = scene.clone();
    prune(&mut scene, &PruneOptions::default(), &context).expect("not cancelled");
    assert_eq!(scene, before);
    // What only an unused mesh carries does not count.
    let mut scene = self::scene();
    scene.meshes[MeshId::new(0)].extras.set("x.materials", value);
    prune(&mut scene, &PruneOptions::default(), &context).expect("not cancelled");
    assert_eq!((scene.meshes.len(), scene.materials.len()), (1, 1));
}

fn options(change: impl FnOnce(&mut PruneOptions)) -> PruneOptions {
    let mut options = PruneOptions { resources: Unneeded::Keep, ..PruneOptions::default() };
    change(&mut options);
    options
}

fn channel(node: NodeId, property: Property, width: usize, times: Vec<f64>, values: Vec<f32>) -> Channel {
    Channel::new(node, property, Curve::new(Interpolation::Linear, width, times, values))
}

#[test]
fn empty_nodes_go_from_the_leaves_up() {
    let mut scene = Scene::default();
    let root = scene.add_node(Node::new("root"), None);
    let arm = scene.add_node(Node::new("arm"), Some(root));
    let empty = scene.add_node(Node::new("empty"), Some(arm));
    scene.add_node(Node::new("below empty"), Some(empty));
    let joint = scene.add_node(Node::new("joint"), Some(arm));
    let moved = scene.add_node(Node::new("moved"), Some(root));
    let noted = scene.add_node(Node::new("noted"), None);
    scene.nodes[noted].extras.set("x.note", "a place for a hat");
    let lonely = scene.add_node(Node::new("lonely"), None);
    scene.root_sets.push(anyrig_scene::RootSet::new("", vec![root, lonely, noted]));
    scene.skins.push(Skin::new("s", vec![joint], vec![glam::DAffine3::IDENTITY]));
    let mut clip = Clip::new("c");
    clip.channels.push(channel(moved, Property::Scale, 3, vec![0.0, 1.0], vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0]));
    scene.clips.push(clip);
    let stats = prune(&mut scene, &options(|o| o.empty_nodes = Unneeded::Remove), &Context::new()).expect("runs");
    assert_eq!(stats.nodes, 3);
    let names: Vec<&str> = scene.nodes.values().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["root", "arm", "joint", "moved", "noted"]);
    assert_eq!(scene.root_sets[0].roots.len(), 2);
    assert_eq!(scene.nodes[scene.skins.as_slice()[0].joints[0]].name, "joint");
    let target = scene.clips[0].channels[0].target.node().expect("a node");
    assert_eq!(scene.nodes[target].name, "moved");
}

/// Two nodes: one off its origin, one with a morphed mesh.
fn animated() -> (Scene, NodeId, NodeId) {
    let mut scene = Scene::default();
    let mut a = Node::new("a");
    a.local = Trs { translation: glam::DVec3::new(0.1, 2.0, 3.0), ..Trs::IDENTITY }.into();
    let a = scene.add_node(a, None);
    let mut shape = mesh("m");
    shape.morphs = vec![MorphTarget::new("smile")];
    let mut b = Node::new("b");
    b.mesh = Some(MeshInstance::new(scene.meshes.push(shape)));
    let b = scene.add_node(b, None);
    (scene, a, b)
}

#[test]
fn channels_at_rest_go_but_the_clip_keeps_its_length() {
    let (mut scene, a, b) = animated();
    let rest = [0.1f32, 2.0, 3.0].repeat(2);
    let mut clip = Clip::new("still");
    clip.channels = vec![
        channel(a, Property::Translation, 3, vec![0.0, 1.0], rest.clone()),
        channel(a, Property::Rotation, 4, vec![0.0, 2.0], [0.0, 0.0, 0.0, 1.0].repeat(2)),
        channel(b, Property::MorphWeights, 1, vec![0.0, 1.0], vec![0.0, 0.0]),
    ];
    let mut moving = clip.clone();
    moving.channels.push(channel(b, Property::Translation, 3, vec![0.0, 3.0], vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
    let mut sloped = clip.clone();
    let mut cubic = vec![0.0f32; 18];
    cubic[3..6].copy_from_slice(&[0.1, 2.0, 3.0]);
    cubic[12..15].copy_from_slice(&[0.1, 2.0, 3.0]);
    cubic[6] = 1.0;
    let curve = Curve::new(Interpolation::CubicHermite, 3, vec![0.0, 1.0], cubic);
    sloped.channels = vec![Channel::new(a, Property::Translation, curve)];
    scene.clips = vec![clip, moving, sloped];
    let lengths: Vec<f64> = scene.clips.iter().map(Clip::end_secs).collect();
    let stats = prune(&mut scene, &options(|o| o.rest_channels = Unneeded::Remove), &Context::new()).expect("runs");
    assert_eq!(stats.channels, 2 + 3);
    assert_eq!(scene.clips.iter().map(|c| c.channels.len()).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(scene.clips.iter().map(Clip::end_secs).collect::<Vec<_>>(), lengths);
    let stats = prune(&mut scene, &options(|o| o.still_clips = Unneeded::Remove), &Context::new()).expect("runs");
    assert_eq!((stats.clips, scene.clips.len()), (1, 2));
}

#[test]
fn a_stated_length_does_not_take_the_place_of_the_last_key() {
    let (mut scene, a, _) = animated();
    let mut clip = Clip::new("still");
    clip.length_secs = Some(2.0);
    clip.channels = vec![
        channel(a, Property::Translation, 3, vec![0.0, 1.0], [0.1f32, 2.0, 3.0].repeat(2)),
        channel(a, Property::Rotation, 4, vec![0.0, 2.0], [0.0, 0.0, 0.0, 1.0].repeat(2)),
    ];
    scene.clips = vec![clip];
    prune(&mut scene, &options(|o| o.rest_channels = Unneeded::Remove), &Context::new()).expect("runs");
    let clip = &scene.clips[0];
    let ends: Vec<_> = clip.channels.iter().map(|c| c.curve.times_secs.last().copied()).collect();
    assert_eq!((ends, clip.length_secs), (vec![Some(2.0)], Some(2.0)));
}

#[test]
fn attributes_that_no_material_reads_go_but_sets_keep_their_numbers() {
    let (mut scene, _, b) = animated();
    let uses = |set: u32| {
        let mut used = TextureUse::new(TextureId::new(0));
        used.uv_set = set;
        Some(used)
    };
    scene.textures.push(Texture::default());
    let mut material = Material::new("m");
    material.base_color_texture = uses(1);
    let plain = scene.materials.push(material.clone());
    material.normal_texture = uses(0);
    let bumpy = scene.materials.push(material);
    let wide = [
        Semantic::TexCoord(0),
        Semantic::TexCoord(1),
        Semantic::TexCoord(2),
        Semantic::Tangent,
        Semantic::Color(0),
        Semantic::Color(1),
    ];
    let part = &mut scene.meshes.values_mut().next().expect("one").parts[0];
    for semantic in wide {
        let width = match semantic {
            Semantic::TexCoord(_) => 2,
            _ => 4,
        };
        part.set_stream(Stream::new(semantic, width, vec![1.0; 3 * usize::from(width)]));
    }
    let options = options(|o| o.unread_streams = Unneeded::Remove);
    let names = |scene: &Scene| -> Vec<String> {
        scene.meshes.as_slice()[0].parts[0].streams.iter().map(|s| s.semantic.to_string()).collect()
    };
    let mut with_bumps = scene.clone();
    with_bumps.nodes[b].mesh.as_mut().expect("a mesh").materials = vec![Some(bumpy)];
    assert_eq!(prune(&mut with_bumps, &options, &Context::new()).expect("runs").streams, 2);
    assert_eq!(names(&with_bumps), ["POSITION", "TEXCOORD_0", "TEXCOORD_1", "TANGENT", "COLOR_0"]);
    scene.nodes[b].mesh.as_mut().expect("a mesh").materials = vec![Some(plain)];
    let mut choosy = scene.clone();
    let instance = choosy.nodes[b].mesh.as_mut().expect("a mesh");
    instance.variants = vec![anyrig_scene::VariantMaterial::new(0, 0, bumpy)];
    assert_eq!(prune(&mut choosy, &options, &Context::new()).expect("runs").streams, 2, "a variant reads tangents");
    let mut extended = scene.clone();
    extended.materials[plain].extras.set("x.extension", "reads who knows what");
    assert_eq!(prune(&mut extended, &options, &Context::new()).expect("runs").streams, 1);
    assert_eq!(prune(&mut scene, &options, &Context::new()).expect("runs").streams, 3);
    assert_eq!(names(&scene), ["POSITION", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0"]);
}
