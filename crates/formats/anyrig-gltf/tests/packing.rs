//! Options that make files smaller: what they keep, what they move and by how much, what they say.

mod helpers;

use anyrig_animation::{Pose, largest_distance, posed_geometry};
use anyrig_bytes::{Context, MemorySource, Report, Value};
use anyrig_gltf::{Glb, Gltf, OPTIONS};
use anyrig_scene::glam::DVec3;
use anyrig_scene::{
    Channel, Curve, DeltaStream, ExportedFile, Exporter, Id, Interpolation, Mesh, MeshInstance, MorphTarget, Node,
    Part, PartMorph, Property, Scene, Semantic, Storage, Stream, Trs,
};
use helpers::{Disk, corpus, import};

const MODELS: [&str; 5] = [
    "gltf/bevy/animated/Fox.glb",
    "gltf/draco/CesiumMan/glTF/CesiumMan.gltf",
    "gltf/bevy/animated/MorphStressTest.gltf",
    "fbx/kaykit-adventurers/Characters/gltf/Knight.glb",
    "vrm/godot-vrm/Godette_vrm_v4.vrm",
];

fn models() -> Vec<(&'static str, Scene)> {
    let Some(folder) = corpus() else { return Vec::new() };
    let found = MODELS.iter().map(|name| (*name, folder.join(name))).filter(|(_, path)| path.is_file());
    let scenes = found.map(|(name, path)| {
        let scene = import(&Disk::open(&path), &Context::new());
        (name, scene.unwrap_or_else(|e| panic!("{name}: {e}")))
    });
    scenes.collect()
}

fn options(list: &[(&str, &str)]) -> Context {
    if list.is_empty() {
        return Context::new();
    }
    let mut options = Value::Null;
    list.iter().for_each(|(key, value)| options.set(key, *value));
    Context::new().with_options(OPTIONS, options)
}

fn source_of(files: &[ExportedFile]) -> MemorySource {
    let main = files.first().expect("a main file");
    let source = MemorySource::new(main.name.clone(), main.content.to_shared());
    files[1..].iter().fold(source, |source, file| source.with_file(file.name.clone(), file.content.to_shared()))
}

/// What comes back from a `.glb` with these options, its size, and what was said.
fn through(scene: &Scene, list: &[(&str, &str)]) -> (Scene, u64, Report) {
    let context = options(list);
    let files = Glb.export(scene.clone(), "x", &context).expect("exportable");
    let source = source_of(&files);
    Glb.verify("x.glb", &source, &Context::new()).unwrap_or_else(|e| panic!("{list:?}: {e}"));
    let back = import(&source, &Context::new()).expect("readable");
    (back, files[0].content.len(), context.take_report())
}

/// The largest distance between points of two scenes at rest and at five times of each clip, and the size of the first.
fn moved(a: &Scene, b: &Scene) -> (f64, f64) {
    let mut poses = vec![(Pose::rest(a), Pose::rest(b))];
    for (of_a, of_b) in a.clips.iter().zip(&b.clips) {
        let last = of_a.channels.iter().filter_map(|c| c.curve.times_secs.last()).fold(0.0f64, |m, t| m.max(*t));
        poses.extend((0..5).map(|i| {
            let time = last * f64::from(i) / 4.0;
            (Pose::of_clip(a, of_a, time), Pose::of_clip(b, of_b, time))
        }));
    }
    let mut most = 0.0f64;
    for (pose_a, pose_b) in &poses {
        let distance = largest_distance(&posed_geometry(a, pose_a), &posed_geometry(b, pose_b));
        most = most.max(distance.expect("the same parts and points"));
    }
    let rest = posed_geometry(a, &Pose::rest(a));
    let points = rest.iter().flat_map(|p| &p.positions);
    let corners = points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| {
        let p = DVec3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]));
        (low.min(p), high.max(p))
    });
    (most, (corners.1 - corners.0).max_element())
}

/// Triangles beginning with their least corner.
fn triangles(scene: &Scene) -> Vec<[u32; 3]> {
    let corners = scene.meshes.values().flat_map(|m| &m.parts).filter_map(|p| p.corners.as_ref());
    let turn = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().expect("three");
    corners.flat_map(|c| c.as_chunks::<3>().0.iter().map(|t| turn(*t)).collect::<Vec<_>>()).collect()
}

fn streams(scene: &Scene) -> Vec<&Stream> {
    scene.meshes.values().flat_map(|m| &m.parts).flat_map(|p| &p.streams).collect()
}

#[test]
fn compression_is_lossless_smaller_and_the_same_each_time() {
    for (name, scene) in models() {
        let (plain, size, _) = through(&scene, &[]);
        let mut sizes = vec![size];
        for how in ["ext", "khr"] {
            let (back, size, report) = through(&scene, &[("meshopt", how)]);
            assert_eq!(triangles(&back), triangles(&plain), "{name}");
            assert!(streams(&back) == streams(&plain), "{name}: attributes differ");
            assert_eq!(back.clips, plain.clips, "{name}");
            assert_eq!(report.count_of("gltf.quantized"), 0);
            let again = Glb.export(scene.clone(), "x", &options(&[("meshopt", how)])).expect("exportable");
            assert_eq!(again[0].content.len(), size, "{name}");
            sizes.push(size);
        }
        assert!(sizes[2] <= sizes[1] && sizes[1] < sizes[0], "{name}: {sizes:?}");
    }
}

#[test]
fn rounding_keeps_to_its_bounds_and_makes_files_smaller() {
    for (name, scene) in models() {
        let (_, size, _) = through(&scene, &[]);
        // Weights of 8 bits move a point by up to 1/255 of the distance of its joints, which the size bounds.
        for (how, most, share) in [("small", 0.01, 0.95), ("fine", 1e-3, 1.0)] {
            let (back, small, report) = through(&scene, &[("quantize", how)]);
            let (moved, whole) = moved(&scene, &back);
            assert!(moved <= whole * most, "{name} {how}: {moved} of {whole}");
            assert!(
                report.count_of("gltf.quantized") > 0 && (small as f64) < size as f64 * share,
                "{name}: {small} of {size}"
            );
            let positions = streams(&back).into_iter().filter(|s| s.semantic == Semantic::Position);
            let rounded = positions.clone().filter(|s| s.storage == Storage::U16).count();
            let kept = report.count_of("gltf.not-quantized");
            assert!(rounded > 0 || kept > 0, "{name}");
            let (_, packed, _) = through(&scene, &[("quantize", how), ("meshopt", "khr")]);
            assert!(packed < small, "{name}: {packed} of {small}");
        }
    }
}

/// Two squares with a morph target; the first node is animated, the second is not.
fn squares() -> Scene {
    let mut part = Part::default();
    part.point_count = 4;
    let positions = vec![-3.0, 0.0, 1.0, 5.0, 0.0, 1.0, 5.0, 2.0, 1.0, -3.0, 2.0, 1.25];
    part.set_stream(Stream::new(Semantic::Position, 3, positions));
    part.set_stream(Stream::new(Semantic::Normal, 3, [0.0, 0.6, 0.8].repeat(4)));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 0.0, 0.3, 0.0, 1.0, 0.7, 0.0, 1.0]));
    part.set_stream(Stream::new(Semantic::TexCoord(1), 2, vec![0.0, 0.0, 3.0, 0.0, 1.0, 0.7, 0.0, 1.0]));
    part.corners = Some(vec![0, 1, 2, 0, 2, 3].into());
    let up = DeltaStream::new(Semantic::Position, 3, [0.0, 0.5, -0.25].repeat(4));
    let turned = DeltaStream::new(Semantic::Normal, 3, [0.0, 0.2, -0.2].repeat(4));
    part.morphs = vec![PartMorph::new(vec![up, turned])];
    let mut mesh = Mesh::default();
    mesh.parts = vec![part];
    mesh.morphs = vec![MorphTarget::new("up")];
    let mut scene = Scene::default();
    for (index, scale) in [1.0, 2.0].into_iter().enumerate() {
        let mut mesh = mesh.clone();
        mesh.parts[0].slot = 0;
        let mesh = scene.meshes.push(mesh);
        let mut node = Node::new(format!("node {index}"));
        let mut instance = MeshInstance::new(mesh);
        instance.morph_weights = vec![0.5];
        node.mesh = Some(instance);
        let turn = anyrig_scene::glam::DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8);
        node.local = Trs { translation: DVec3::new(1.0, 2.0, 3.0), rotation: turn, scale: DVec3::splat(scale) }.into();
        scene.add_node(node, None);
    }
    let curve = Curve::new(Interpolation::Linear, 4, vec![0.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8]);
    let mut clip = anyrig_scene::Clip::new("turn");
    clip.channels.push(Channel::new(Id::new(0), Property::Rotation, curve));
    scene.clips.push(clip);
    scene
}

#[test]
fn nodes_undo_the_grid_where_they_can() {
    let scene = squares();
    let (back, _, report) = through(&scene, &[("quantize", "small")]);
    let storage = |mesh: usize, semantic| back.meshes[Id::new(mesh)].parts[0].stream(&semantic).expect("there").storage;
    // The first node is animated: its mesh keeps floats, and the report says so.
    assert_eq!((storage(0, Semantic::Position), storage(1, Semantic::Position)), (Storage::F32, Storage::U16));
    assert_eq!(report.count_of("gltf.not-quantized"), 1);
    assert_eq!((storage(0, Semantic::Normal), storage(1, Semantic::Normal)), (Storage::Snorm8, Storage::Snorm8));
    assert_eq!(storage(0, Semantic::TexCoord(0)), Storage::Unorm16);
    assert_eq!(storage(0, Semantic::TexCoord(1)), Storage::F32, "beyond 1");
    // Eight units in 16383 steps, scaled by 2; half a step on each axis, of the base and of half a delta.
    let (moved, _) = moved(&scene, &back);
    let bound = 8.0 / 16383.0 * 2.0 * 0.866_025_4 * 1.5;
    assert!(moved > 0.0 && moved <= bound, "{moved} {bound}");
    let (_, size, _) = through(&scene, &[]);
    let (_, small, _) = through(&scene, &[("quantize", "small")]);
    assert!(small > 0 && size > 0);
}

#[test]
fn what_came_as_whole_numbers_can_stay_so() {
    let (rounded, ..) = through(&squares(), &[("quantize", "small")]);
    let (kept, _, report) = through(&rounded, &[("quantize", "keep")]);
    assert!(streams(&kept) == streams(&rounded));
    assert!(report.is_empty(), "{report:?}");
    let (floats, ..) = through(&rounded, &[]);
    assert!(streams(&floats).iter().all(|s| !matches!(s.storage, Storage::U16 | Storage::Snorm8)));
    assert_eq!(moved(&floats, &rounded).0, 0.0);
}

#[test]
fn names_can_be_left_out() {
    let (back, _, report) = through(&squares(), &[("names", "strip")]);
    assert!(back.nodes.values().all(|n| n.name.is_empty()) && back.clips[0].name.is_empty());
    assert!(back.meshes.values().all(|m| m.morphs.iter().all(|t| t.name.is_empty())));
    // Two nodes, two morph targets, a clip.
    assert_eq!(report.count_of("gltf.names-stripped"), 5);
}

#[test]
fn a_glb_can_have_its_data_beside_it() {
    let Some(folder) = corpus() else { return };
    let scene = import(&Disk::open(&folder.join(MODELS[0])), &Context::new()).expect("readable");
    let whole = Glb.export(scene.clone(), "Fox", &Context::new()).expect("exportable");
    assert_eq!(whole.len(), 1);
    let files = Glb.export(scene.clone(), "Fox", &options(&[("resources", "files")])).expect("exportable");
    let names: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!((names[0], names[1], names.len()), ("Fox.glb", "Fox.bin", 3));
    assert!(files[0].content.to_vec().starts_with(b"glTF"));
    let back = import(&source_of(&files), &Context::new()).expect("readable");
    assert_eq!(moved(&scene, &back).0, 0.0);
    for (exporter, how) in [(&Gltf as &dyn Exporter, "files"), (&Gltf, "embedded"), (&Glb, "files")] {
        let context = options(&[("resources", how), ("meshopt", "ext")]);
        let files = exporter.export(scene.clone(), "Fox", &context).expect("exportable");
        exporter.verify(&files[0].name, &source_of(&files), &Context::new()).expect("whole");
        let back = import(&source_of(&files), &Context::new()).expect("readable");
        assert_eq!(moved(&scene, &back).0, 0.0);
    }
}
