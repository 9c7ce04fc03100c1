use super::*;
use anyrig_scene::{
    AlphaMode, DeltaStream, Influences, Layout, MaterialId, MeshId, MeshInstance, MorphTarget, Node, NodeId, Part,
    PartMorph, Semantic, Stream, TextureUse,
};

fn image(name: &str, bytes: &[u8]) -> Image {
    let mut image = Image::default();
    image.name = name.to_owned();
    image.bytes = Some(bytes.to_vec().into());
    image
}

/// Materials whose textures show equal pictures of different names.
fn scene() -> Scene {
    let mut scene = Scene::default();
    for (name, bytes) in [("a", b"same"), ("b", b"same"), ("c", b"else")] {
        let image = scene.images.push(image(name, bytes));
        let mut texture = Texture::default();
        texture.image = Some(image);
        let texture = scene.textures.push(texture);
        let mut material = Material::new("skin");
        material.base_color_texture = Some(TextureUse::new(texture));
        let material = scene.materials.push(material);
        let mut mesh = Mesh::default();
        mesh.parts = vec![part(0.0)];
        let mut instance = MeshInstance::new(scene.meshes.push(mesh));
        instance.materials = vec![Some(material)];
        let mut node = Node::new(name);
        node.mesh = Some(instance);
        scene.add_node(node, None);
    }
    scene
}

fn part(x: f32) -> Part {
    let mut part = Part::default();
    part.point_count = 3;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![x, 0.0, 0.0, x, 1.0, 0.0, x, 0.0, 1.0]));
    part
}

fn run(scene: &mut Scene, change: impl FnOnce(&mut MergeOptions)) -> (MergeStats, u64) {
    let mut options = MergeOptions { parts: Parts::Keep, ..MergeOptions::default() };
    change(&mut options);
    let context = Context::new();
    let stats = merge(scene, &options, &context).expect("valid");
    (stats, context.report().count_of("passes.merged"))
}

#[test]
fn what_refers_to_equal_things_becomes_equal() {
    let mut scene = scene();
    let (stats, told) = run(&mut scene, |_| {});
    let expected = MergeStats { images: 1, textures: 1, materials: 1, meshes: 2, ..MergeStats::default() };
    assert_eq!((stats, told), (expected, 5));
    let materials: Vec<usize> =
        scene.nodes.values().filter_map(|n| n.mesh.as_ref()?.materials[0]).map(MaterialId::index).collect();
    assert_eq!(materials, [0, 0, 1]);
    let image = |m: usize| {
        let used = scene.materials.as_slice()[m].base_color_texture.as_ref().expect("one");
        scene.images[scene.textures[used.texture].image.expect("one")].bytes.clone().expect("bytes")
    };
    assert_eq!((image(0).as_slice(), image(1).as_slice()), (&b"same"[..], &b"else"[..]));
    assert_eq!(run(&mut scene, |_| {}), (MergeStats::default(), 0));
}

#[test]
fn names_matter_unless_told_otherwise() {
    let mut named = scene();
    for (i, material) in named.materials.values_mut().enumerate() {
        material.name = i.to_string();
    }
    let mut unnamed = named.clone();
    assert_eq!(run(&mut named, |_| {}).0.materials, 0);
    assert_eq!(run(&mut unnamed, |o| o.names = Names::Ignore).0.materials, 1);
    assert_eq!(unnamed.materials.as_slice()[0].name, "0");
    assert_eq!(unnamed.materials.len(), 2);
}

#[test]
fn names_that_go_are_told_and_none_is_there_twice() {
    let mut scene = Scene::default();
    let named = [("", "a.png"), ("skin", "b.png"), ("hair", "c.png"), ("", "d.png"), ("skin", "e.png"), ("", "f.png")];
    for (name, uri) in named {
        let mut image = image(name, if uri == "f.png" { b"else" } else { b"same" });
        image.uri = Some(uri.to_owned());
        scene.images.push(image);
    }
    let context = Context::new();
    merge(&mut scene, &MergeOptions::default(), &context).expect("valid");
    let names: Vec<_> = scene.images.values().map(|i| (i.name.as_str(), i.uri.as_deref())).collect();
    assert_eq!(names, [("skin", Some("a.png")), ("", Some("f.png"))], "the name of the next that has one");
    let report = context.report();
    let told = report.diagnostics().iter().filter(|d| d.code.id == "passes.name-gone");
    let told: Vec<_> = told.map(|d| format!("{}: {}", d.subject, d.message)).collect();
    assert_eq!(told, ["image \"hair\": it is the same as \"skin\"", "image \"d.png\": it is the same as \"skin\""]);
    assert_eq!(report.count_of("passes.merged"), 4);
}

#[test]
fn zeros_of_two_signs_and_carried_numbers_keep_things_apart() {
    let mut scene = scene();
    scene.materials[MaterialId::new(0)].roughness = 0.0;
    scene.materials[MaterialId::new(1)].roughness = -0.0;
    assert_eq!(run(&mut scene, |_| {}).0.materials, 0);
    let mut carried = self::scene();
    carried.extras.set("x.extension", anyrig_bytes::Value::Int(2));
    let before = carried.clone();
    assert_eq!(run(&mut carried, |_| {}), (MergeStats::default(), 0));
    assert_eq!(carried, before);
}

fn with_parts(parts: Vec<Part>, materials: Vec<Material>) -> Scene {
    let (mut scene, mut mesh) = (Scene::default(), Mesh::default());
    mesh.morphs = parts
        .first()
        .map_or(0, |p| p.morphs.len())
        .checked_sub(1)
        .map_or_else(Vec::new, |_| vec![MorphTarget::new("m")]);
    mesh.parts = parts;
    for (slot, part) in mesh.parts.iter_mut().enumerate() {
        part.slot = slot as u32;
    }
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.materials = materials.into_iter().map(|m| Some(scene.materials.push(m))).collect();
    let mut node = Node::new("n");
    node.mesh = Some(instance);
    scene.add_node(node, None);
    scene
}

fn wear(scene: &mut Scene, materials: &[usize]) {
    let instance = scene.nodes[NodeId::new(0)].mesh.as_mut().expect("a mesh");
    instance.materials = materials.iter().map(|m| Some(MaterialId::new(*m))).collect();
}

fn parts(scene: &Scene) -> &[Part] {
    &scene.meshes[MeshId::new(0)].parts
}

#[test]
fn parts_of_one_material_become_one() {
    let moved = |x: f32, points: Option<Vec<u32>>| {
        let mut part = part(x);
        let width = points.as_ref().map_or(3, Vec::len) * 3;
        let delta = DeltaStream::new(Semantic::Position, 3, vec![x; width]);
        part.morphs = vec![PartMorph::new(vec![match points {
            Some(points) => delta.at_points(points),
            None => delta,
        }])];
        let layout = Layout::Fixed(1);
        part.influences = Some(Influences::new(layout, vec![x as u32; 3], vec![1.0; 3]));
        part
    };
    let mut last = moved(7.0, Some(vec![2]));
    last.corners = Some(vec![2, 1, 0].into());
    let mut scene =
        with_parts(vec![moved(1.0, None), moved(4.0, None), last], vec![Material::new("a"), Material::new("b")]);
    wear(&mut scene, &[0, 1, 0]);
    let (stats, _) = run(&mut scene, |o| o.parts = Parts::Join);
    assert_eq!(stats.parts, 1);
    let [joined, other] = parts(&scene) else { panic!("two parts") };
    assert_eq!((joined.point_count, other.point_count), (6, 3));
    assert_eq!(joined.corners.as_deref(), Some(&[0, 1, 2, 5, 4, 3][..]));
    assert_eq!(joined.positions()[3], [7.0, 0.0, 0.0]);
    assert_eq!(joined.influences.as_ref().map(|i| i.joints.to_vec()), Some(vec![1, 1, 1, 7, 7, 7]));
    let delta = &joined.morphs[0].deltas[0];
    assert_eq!(delta.points.as_deref(), Some(&[0, 1, 2, 5][..]));
    assert_eq!(delta.values[9..], [7.0; 3]);
}

#[test]
fn parts_that_differ_or_must_be_drawn_in_order_stay_apart() {
    let joined = |parts: Vec<Part>, alpha: AlphaMode, worn: &[usize]| {
        let mut material = Material::new("a");
        material.alpha_mode = alpha;
        let mut scene = with_parts(parts, vec![material, Material::new("b")]);
        wear(&mut scene, worn);
        run(&mut scene, |o| o.parts = Parts::Join).0.parts
    };
    assert_eq!(joined(vec![part(0.0), part(1.0), part(2.0)], AlphaMode::Opaque, &[0, 1, 0]), 1);
    assert_eq!(joined(vec![part(0.0), part(1.0), part(2.0)], AlphaMode::Blend, &[0, 1, 0]), 0);
    assert_eq!(joined(vec![part(0.0), part(1.0), part(2.0)], AlphaMode::Blend, &[0, 0, 0]), 2);
    let mut with_uvs = part(1.0);
    with_uvs.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0; 6]));
    assert_eq!(joined(vec![part(0.0), with_uvs], AlphaMode::Opaque, &[0, 0]), 0);
    let mut noted = part(1.0);
    noted.extras.set("x.note", "mine");
    assert_eq!(joined(vec![part(0.0), noted], AlphaMode::Opaque, &[0, 0]), 0);
    let mut lines = part(1.0);
    lines.topology = anyrig_scene::Topology::Lines;
    assert_eq!(joined(vec![part(0.0), lines], AlphaMode::Opaque, &[0, 0]), 0);
}

#[test]
fn shared_points_are_written_once() {
    let (a, mut b) = (part(0.0), part(0.0));
    b.streams.clone_from(&a.streams);
    b.corners = Some(vec![2, 1, 0].into());
    let mut scene = with_parts(vec![a, b], vec![Material::new("a")]);
    wear(&mut scene, &[0, 0]);
    assert_eq!(run(&mut scene, |o| o.parts = Parts::Join).0.parts, 1);
    assert_eq!(parts(&scene)[0].point_count, 3);
    assert_eq!(parts(&scene)[0].corners.as_deref(), Some(&[0, 1, 2, 2, 1, 0][..]));
}

#[test]
fn root_sets_become_one_that_shows_all() {
    let mut scene = Scene::default();
    let nodes: Vec<NodeId> = (0..3).map(|i| scene.add_node(Node::new(i.to_string()), None)).collect();
    scene.root_sets = vec![RootSet::new("a", nodes[..2].to_vec()), RootSet::new("b", nodes[1..].to_vec())];
    scene.default_root_set = Some(1);
    assert_eq!(run(&mut scene, |o| o.root_sets = RootSets::Join).0.root_sets, 1);
    assert_eq!(scene.root_sets, [RootSet::new("b", nodes)]);
    assert_eq!(scene.default_root_set, Some(0));
}
