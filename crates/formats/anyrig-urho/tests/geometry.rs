//! Index widths, topologies, colours, morphs, sampled curves, threads.

mod support;

use anyrig_bytes::{Context, ErrorKind, Limits, Severity, Value};
use anyrig_scene::{
    Channel, Clip, Curve, DeltaStream, Exporter, Interpolation, LocalTransform, Mesh, MeshInstance, MorphTarget, Node,
    Part, PartMorph, Property, Scene, Semantic, Stream, Topology, Trs,
};
use anyrig_urho::{Dialect, UrhoExporter};
use glam::DVec3;
use support::{content, export, parser};

/// Points in a plane, with everything that would otherwise be made.
fn sheet(points: u32) -> Part {
    let mut part = Part::default();
    part.point_count = points;
    let position = |i: u32| [(i % 317) as f32, (i / 317) as f32, 0.0];
    part.set_stream(Stream::new(Semantic::Position, 3, (0..points).flat_map(position).collect::<Vec<_>>()));
    let repeat = |values: &[f32]| values.repeat(points as usize);
    part.set_stream(Stream::new(Semantic::Normal, 3, repeat(&[0.0, 0.0, 1.0])));
    part.set_stream(Stream::new(Semantic::Tangent, 4, repeat(&[1.0, 0.0, 0.0, 1.0])));
    part
}

fn scene_of(parts: Vec<Part>) -> Scene {
    let mut scene = Scene::default();
    add(&mut scene, "n", parts, &[]);
    scene
}

fn add(scene: &mut Scene, name: &str, parts: Vec<Part>, morphs: &[&str]) {
    let mut mesh = Mesh::default();
    mesh.parts = parts;
    mesh.morphs = morphs.iter().map(|m| MorphTarget::new(*m)).collect();
    let mut node = Node::new(name);
    node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
    scene.add_node(node, None);
}

fn model(scene: Scene) -> parser::Mdl {
    parser::mdl(&content(&export(scene, &Context::new()), "Model.mdl"))
}

#[test]
fn indices_are_short_up_to_65535_vertices() {
    for (points, size) in [(65_535, 2), (65_536, 4)] {
        let mut part = sheet(points);
        part.corners = Some(vec![0, points / 2, points - 1].into());
        let mdl = model(scene_of(vec![part]));
        assert_eq!(mdl.index_sizes, [size]);
        assert_eq!(mdl.index_buffers[0], [0, points / 2, points - 1]);
        assert_eq!(mdl.vertex_buffers[0].count, points as usize);
    }
}

#[test]
fn meshes_that_many_nodes_show_are_booked_for_each_of_them() {
    let mut scene = scene_of(vec![sheet(3000)]);
    let shown = scene.nodes.values().next().and_then(|n| n.mesh.clone());
    for x in 1..100 {
        let mut node = Node::new(format!("n{x}"));
        node.local = LocalTransform::Trs(Trs { translation: DVec3::new(f64::from(x), 0.0, 0.0), ..Trs::IDENTITY });
        node.mesh.clone_from(&shown);
        scene.add_node(node, None);
    }
    // Of each copy the positions, normals and tangents: 40 bytes a point, 12 MB in all. Vertices come to more only later.
    let mut limits = Limits::default();
    limits.memory_bytes = 10_000_000;
    let context = Context::new().with_limits(limits);
    let exporter = UrhoExporter::new(Dialect::UrhoX);
    let error = exporter.export(scene, "Model", &context).expect_err("99 copies");
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.place().element.starts_with('n'), "{error}");
}

#[test]
fn morphs_of_all_instances_are_booked_and_can_be_stopped() {
    let mut scene = Scene::default();
    add(&mut scene, "face", vec![sheet(3)], &[""; 1000]);
    let shown = scene.nodes.values().next().and_then(|n| n.mesh.clone());
    for x in 1..100 {
        let mut node = Node::new(format!("n{x}"));
        node.mesh.clone_from(&shown);
        scene.add_node(node, None);
    }
    let mut limits = Limits::default();
    limits.memory_bytes = 10_000_000;
    let context = Context::new().with_limits(limits);
    let error = UrhoExporter::new(Dialect::UrhoX).export(scene, "Model", &context).expect_err("100 000 morphs");
    assert_eq!((error.kind(), error.place().element.as_str()), (ErrorKind::LimitExceeded, "morphs"));
}

#[test]
fn parts_without_faces_are_lost_and_alone_are_refused() {
    let bare = || {
        let mut part = sheet(3);
        part.corners = Some(Vec::new().into());
        part
    };
    let error = UrhoExporter::new(Dialect::UrhoX).export(scene_of(vec![bare()]), "m", &Context::new());
    assert_eq!(error.expect_err("nothing to draw").kind(), ErrorKind::Unsupported);
    let context = Context::new();
    let mdl = parser::mdl(&content(&export(scene_of(vec![bare(), sheet(3)]), &context), "Model.mdl"));
    assert_eq!((mdl.geometries.len(), context.report().count_of("urho.empty-part")), (1, 1));
    assert_eq!(context.report().worst(), Some(Severity::Lost));
}

#[test]
fn what_is_left_out_is_named() {
    let mut scene = scene_of(vec![sheet(3)]);
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        add(&mut scene, name, vec![sheet(3)], &[]);
    }
    for node in scene.nodes.values_mut().skip(1) {
        node.visible = false;
    }
    let mut extensions = Value::Null;
    extensions.set("VENDOR_glow", 1);
    let first = scene.nodes.values_mut().next().expect("a node");
    first.extras.set("gltf.extensions", extensions);
    first.extras.set("lamp", 7);
    let context = Context::new();
    export(scene, &context);
    let report = context.report();
    let message = |code: &str| {
        let line = report.diagnostics().iter().find(|d| d.code.id == code).expect("told");
        (line.count, line.message.clone())
    };
    assert_eq!(message("urho.not-shown"), (7, "\"a\", \"b\", \"c\", \"d\", \"e\" and 2 more".to_owned()));
    let custom = "custom data have no place: \"gltf.extensions.VENDOR_glow\", \"lamp\"";
    assert_eq!(message("urho.not-held"), (1, custom.to_owned()));
}

#[test]
fn unindexed_and_indexed_parts_of_all_topologies_share_the_buffers() {
    let mut lines = sheet(4);
    lines.topology = Topology::Lines;
    lines.corners = Some(vec![0, 1, 2, 3].into());
    let mut points = sheet(5);
    points.topology = Topology::Points;
    let mdl = model(scene_of(vec![sheet(6), lines, points]));
    assert_eq!(mdl.index_buffers[0], (0..15).collect::<Vec<_>>());
    let lods: Vec<_> = mdl.geometries.iter().map(|g| g.lods[0].1).collect();
    // Type, vertex buffer, index buffer, start, count.
    assert_eq!(lods, [[0, 0, 0, 0, 6], [1, 0, 0, 6, 4], [2, 0, 0, 10, 5]]);
    assert_eq!(mdl.bounding_box, [0.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
    assert_eq!(mdl.centres, [[2.5, 0.0, 0.0], [1.5, 0.0, 0.0], [2.0, 0.0, 0.0]]);
}

#[test]
fn colours_are_bytes_with_red_first() {
    let mut with_alpha = sheet(3);
    with_alpha.set_stream(Stream::new(Semantic::Color(0), 4, [1.0f32, 0.5, 0.0, 0.25].repeat(3)));
    let mut without = sheet(3);
    without.set_stream(Stream::new(Semantic::Color(0), 3, [2.0f32, -1.0, 1.0].repeat(3)));
    let mdl = model(scene_of(vec![with_alpha, without]));
    assert_eq!(mdl.vertex_buffers[0].element(0, 0x506), [255, 128, 0, 64]);
    assert_eq!(mdl.vertex_buffers[0].element(3, 0x506), [255, 0, 255, 255]);
}

#[test]
fn a_second_set_of_coordinates_is_an_element_of_its_own() {
    let mut part = sheet(3);
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, [0.25f32, 0.5].repeat(3)));
    part.set_stream(Stream::new(Semantic::TexCoord(1), 2, [0.75f32, 1.0].repeat(3)));
    let mdl = model(scene_of(vec![part]));
    let vertices = &mdl.vertex_buffers[0];
    assert_eq!(vertices.descriptors, [0x003, 0x103, 0x506, 0x402, 0x0001_0402, 0x304]);
    assert_eq!(vertices.floats::<2>(1, 0x0001_0402), [0.75, 1.0]);
}

#[test]
fn morphs_of_several_meshes_stay_apart() {
    let delta = |semantic, points: Option<Vec<u32>>, values: Vec<f32>| {
        let mut delta = DeltaStream::new(semantic, 3, values);
        delta.points = points.map(Into::into);
        delta
    };
    let mut dense = sheet(3);
    let moves = vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
    dense.morphs = vec![PartMorph::new(vec![delta(Semantic::Position, None, moves)])];
    let mut sparse = sheet(4);
    let moved = [
        delta(Semantic::Position, Some(vec![1, 3]), vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        delta(Semantic::Normal, Some(vec![2]), vec![0.0, 0.0, 0.5]),
    ];
    sparse.topology = Topology::Points;
    sparse.morphs = vec![PartMorph::new(moved.to_vec()), PartMorph::default()];
    let mut scene = Scene::default();
    add(&mut scene, "face", vec![dense], &["smile"]);
    add(&mut scene, "body", vec![sparse], &["Smile", ""]);
    let mdl = model(scene);
    let names: Vec<_> = mdl.morphs.iter().map(|m| (m.name.as_str(), m.mask)).collect();
    assert_eq!(names, [("smile", 1), ("Smile_2", 3), ("Morph_1", 0)]);
    assert_eq!(mdl.morphs[0].vertices, [(1, vec![[1.0, 2.0, 3.0]])]);
    let zero = [0.0; 3];
    let expected =
        [(4, vec![[1.0, 0.0, 0.0], zero]), (5, vec![zero, [0.0, 0.0, 0.5]]), (6, vec![[0.0, 1.0, 0.0], zero])];
    assert_eq!(mdl.morphs[1].vertices, expected);
    assert_eq!(mdl.vertex_buffers[0].morph_range, [1, 6]);
}

#[test]
fn morphs_of_one_name_on_several_meshes_are_one() {
    let part = |x: f32, morphs: usize| {
        let mut part = sheet(2);
        part.topology = Topology::Points;
        let values = vec![x, 0.0, 0.0, x, 0.0, 0.0];
        let delta = DeltaStream::new(Semantic::Position, 3, values);
        part.morphs = vec![PartMorph::new(vec![delta]); morphs];
        part
    };
    let mut scene = Scene::default();
    add(&mut scene, "face", vec![part(1.0, 3)], &["smile", "blink", "smile"]);
    add(&mut scene, "teeth", vec![part(2.0, 1)], &["other"]);
    add(&mut scene, "brows", vec![part(3.0, 1)], &["smile"]);
    let context = Context::new();
    let mdl = parser::mdl(&content(&export(scene, &context), "Model.mdl"));
    let names: Vec<_> = mdl.morphs.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["smile", "blink", "smile_2", "other"]);
    let moves: Vec<_> = mdl.morphs[0].vertices.iter().map(|(vertex, d)| (*vertex, d[0][0])).collect();
    assert_eq!(moves, [(0, 1.0), (1, 1.0), (4, 3.0), (5, 3.0)]);
    assert_eq!(mdl.morphs[2].vertices.len(), 2);
    assert_eq!(mdl.vertex_buffers[0].morph_range, [0, 6]);
    assert_eq!(context.report().count_of("urho.morph-renamed"), 1);
}

#[test]
fn colours_that_stock_techniques_do_not_show_are_told() {
    for (colour, told) in [([1.0f32, 1.0, 1.0, 1.0], 0), ([1.0, 1.0, 0.5, 1.0], 1), ([1.0, 1.0, 1.0, 0.5], 1)] {
        let mut part = sheet(3);
        part.set_stream(Stream::new(Semantic::Color(0), 4, colour.repeat(3)));
        let context = Context::new();
        export(scene_of(vec![part]), &context);
        assert_eq!(context.report().count_of("urho.colors-not-shown"), told, "{colour:?}");
    }
}

#[test]
fn cubic_curves_are_sampled_within_the_bound() {
    let mut scene = scene_of(vec![sheet(3)]);
    let node = scene.roots().next().expect("a node");
    // Key values 0 and 1 with flat tangents: 3t² - 2t³.
    let values = vec![0.0; 9].into_iter().chain([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]).collect::<Vec<f32>>();
    let mut clip = Clip::new("ease");
    let curve = Curve::new(Interpolation::CubicHermite, 3, vec![0.0, 1.0], values);
    clip.channels.push(Channel::new(node, Property::Translation, curve));
    scene.clips.push(clip);
    let context = Context::new();
    let files = export(scene, &context);
    let track = &parser::ani(&content(&files, "Animations/ease.ani")).tracks[0];
    assert!(track.keys.len() > 10 && track.interpolation == 1);
    for step in 0..=1000 {
        let t = step as f32 / 1000.0;
        let after = track.keys.iter().position(|k| k[0] >= t).expect("a key");
        let (a, b) = (track.keys[after.saturating_sub(1)], track.keys[after]);
        let share = if b[0] > a[0] { (t - a[0]) / (b[0] - a[0]) } else { 1.0 };
        let value = a[1] + (b[1] - a[1]) * share;
        assert!((value - (3.0 * t * t - 2.0 * t * t * t)).abs() < 2e-4, "{t}: {value}");
    }
    assert_eq!(context.report().count_of("urho.curves-sampled"), 1);
    assert_eq!(context.report().worst(), Some(Severity::Approximated));
}

#[test]
fn clips_whose_file_is_called_otherwise_are_told() {
    let mut scene = scene_of(vec![sheet(3)]);
    let node = scene.roots().next().expect("a node");
    for name in ["walk", "Walk", "up/down", ""] {
        let mut clip = Clip::new(name);
        let curve = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        clip.channels.push(Channel::new(node, Property::Translation, curve));
        scene.clips.push(clip);
    }
    let context = Context::new();
    let files = export(scene, &context);
    let names: Vec<_> = files.iter().filter_map(|f| f.name.strip_prefix("Animations/")).collect();
    assert_eq!(names, ["walk.ani", "Walk_2.ani", "up_down.ani", "Animation_3.ani"]);
    assert_eq!(context.report().count_of("urho.clip-renamed"), 2);
}

#[test]
fn threads_do_not_change_a_byte() {
    let scene = || {
        let mut parts = vec![sheet(5000), sheet(333), sheet(1026)];
        for part in &mut parts {
            // Normals and tangents are made, part by part.
            part.streams.truncate(1);
            part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.5; part.point_count as usize * 2]));
        }
        scene_of(parts)
    };
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let context = Context::new();
            let files = export(scene(), &context);
            let files: Vec<_> = files.into_iter().map(|f| (f.name, f.content.to_vec())).collect();
            (files, context.report())
        })
    };
    assert_eq!(with_threads(1), with_threads(4));
}

#[test]
fn wrong_options_are_named() {
    for (key, value) in [
        ("scale", Value::from(0)),
        ("scale", Value::from(-1)),
        ("error", Value::from(0)),
        ("max-bones", Value::from(11)),
        ("max-bones", Value::from(257)),
        ("handednes", Value::from("none")),
        ("handedness", Value::from("reflect-y")),
    ] {
        let mut options = Value::Null;
        options.set(key, value);
        let context = Context::new().with_options("urhox", options);
        let exporter = UrhoExporter::default();
        let error = Exporter::export(&exporter, scene_of(vec![sheet(3)]), "m", &context).expect_err(key);
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.message().contains(key) || error.message().contains("reflect"), "{error}");
    }
}

#[test]
fn nothing_to_write_is_an_error() {
    let exporter = UrhoExporter::default();
    let error = Exporter::export(&exporter, Scene::default(), "m", &Context::new()).expect_err("empty");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}
