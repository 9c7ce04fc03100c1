//! Options that make files smaller: what they keep, what they move and by how much, what they say.

mod helpers;

use anyrig_animation::{Pose, largest_distance, posed_geometry};
use anyrig_bytes::{Context, MemorySource, Report, Value, maths};
use anyrig_gltf::{Glb, Gltf, OPTIONS};
use anyrig_scene::glam::{DQuat, DVec3};
use anyrig_scene::{
    Channel, Curve, DeltaStream, ExportedFile, Exporter, Id, Interpolation, Material, Mesh, MeshId, MeshInstance,
    MorphTarget, Node, Part, PartMorph, Property, Scene, Semantic, Storage, Stream, Target, Texture, TextureUse, Trs,
    UvTransform,
};
use helpers::{Disk, corpus, import, layout};
use std::collections::{BTreeMap, BTreeSet};

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
    assert_eq!(layout::faults(&files[0].content.to_vec()), Vec::<String>::new(), "{list:?}");
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
            let written = || {
                let files = Glb.export(scene.clone(), "x", &options(&[("meshopt", how)])).expect("exportable");
                files[0].content.to_vec()
            };
            let bytes = written();
            assert!(bytes == written() && bytes.len() as u64 == size, "{name}");
            assert!(bytes.windows(19).any(|w| w == b"meshopt_compression"), "{name}: nothing is compressed");
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
            // Each mesh that is shown has its positions rounded, or the report says why not.
            let is_rounded = |m: &Mesh| {
                m.parts.iter().all(|p| p.stream(&Semantic::Position).is_some_and(|s| s.storage == Storage::U16))
            };
            let shown: BTreeSet<_> = scene.nodes.values().filter_map(|n| n.mesh.as_ref()).map(|i| i.mesh).collect();
            let rounded = shown.iter().filter(|id| is_rounded(&back.meshes[**id])).count();
            assert_eq!(rounded + report.count_of("gltf.not-quantized") as usize, shown.len(), "{name}");
            assert!(rounded > 0, "{name}");
            numbers_keep_to_what_is_told(name, &scene, &back, &report);
            let (back, packed, report) = through(&scene, &[("quantize", how), ("meshopt", "khr")]);
            assert!(packed < small, "{name}: {packed} of {small}");
            let (moved, whole) = self::moved(&scene, &back);
            assert!(moved <= whole * most, "{name} {how}, with filters: {moved} of {whole}");
            numbers_keep_to_what_is_told(name, &scene, &back, &report);
            keys_keep_to_what_is_told(name, (&scene, &back), &report);
        }
    }
}

/// What a report says of how far numbers of a mesh moved, by the name of the kind.
fn told(report: &Report, mesh: usize) -> BTreeMap<String, f64> {
    told_of(report, &format!("mesh {mesh}"))
}

fn told_of(report: &Report, subject: &str) -> BTreeMap<String, f64> {
    let lines = report.diagnostics().iter().filter(|d| d.code.id == "gltf.quantized" && d.subject == subject);
    let pairs = lines.flat_map(|line| line.message.split(", ").filter_map(|part| part.split_once(" within ")));
    let number = |text: &str| text.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    pairs.map(|(what, bound)| (what.to_owned(), number(bound))).collect()
}

/// Angle between two vectors of three numbers, in degrees.
fn angle(a: &[f32], b: &[f32]) -> f64 {
    let vector =
        |v: &[f32]| DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2])).try_normalize().expect("a direction");
    let (a, b) = (vector(a), vector(b));
    (2.0 * maths::f64::asin((a - b).length() / 2.0)).to_degrees()
}

fn farthest(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).fold(0.0, f64::max)
}

/// Texture coordinates as the first texture that reads them has them, or as they are.
fn as_seen(scene: &Scene, (mesh, part, set): (MeshId, usize, u32), stream: &Stream) -> Vec<f32> {
    let slot = scene.meshes[mesh].parts[part].slot as usize;
    let instances = scene.nodes.values().filter_map(|n| n.mesh.as_ref()).filter(|i| i.mesh == mesh);
    let mut materials = instances.filter_map(|i| scene.materials.get(i.materials.get(slot).copied().flatten()?));
    let reads =
        |m: &Material| m.texture_uses().find(|(_, used)| used.uv_set == set).and_then(|(_, used)| used.transform);
    let transform = materials.find_map(reads).unwrap_or(UvTransform::IDENTITY);
    let (sin, cos) = maths::f64::sin_cos(f64::from(transform.rotation_rad));
    let turned = |uv: &[f32; 2]| {
        let scaled: [f64; 2] = std::array::from_fn(|i| f64::from(uv[i]) * f64::from(transform.scale[i]));
        let offset = transform.offset.map(f64::from);
        let (u, v) = (cos * scaled[0] + sin * scaled[1], cos * scaled[1] - sin * scaled[0]);
        [(offset[0] + u) as f32, (offset[1] + v) as f32]
    };
    stream.values.as_chunks::<2>().0.iter().flat_map(turned).collect()
}

/// Numbers that come back as they are shown are within what the report says of their mesh, and not far within.
fn numbers_keep_to_what_is_told(name: &str, before: &Scene, after: &Scene, report: &Report) {
    let mut nearest: BTreeMap<&str, f64> = BTreeMap::new();
    for (id, mesh) in before.meshes.iter() {
        let told = told(report, id.index());
        let pairs = mesh.parts.iter().zip(&after.meshes[id].parts).enumerate();
        let streams = pairs.flat_map(|(number, (a, b))| {
            a.streams.iter().filter_map(move |s| Some((number, s, b.stream(&s.semantic)?)))
        });
        for (number, a, b) in streams {
            let width = usize::from(a.width);
            let turns = || a.values.chunks_exact(width).zip(b.values.chunks_exact(width)).map(|(a, b)| angle(a, b));
            let (what, real) = match a.semantic {
                Semantic::Normal => ("normals", turns().fold(0.0, f64::max)),
                Semantic::Tangent => ("tangents", turns().fold(0.0, f64::max)),
                Semantic::TexCoord(set) => {
                    let seen = |scene, stream| as_seen(scene, (id, number, set), stream);
                    ("texture coordinates", farthest(&seen(before, a), &seen(after, b)))
                }
                Semantic::Color(_) => ("colours", farthest(&a.values, &b.values)),
                _ => continue,
            };
            let stated = told.get(what).copied().unwrap_or(0.0);
            assert!(real <= stated, "{name}: {what} of mesh {} by {real}, told {stated}", id.index());
            if stated > 0.0 {
                let share = nearest.entry(what).or_insert(0.0);
                *share = share.max(real / stated);
            }
        }
    }
    assert!(!nearest.is_empty() && nearest.values().all(|share| *share <= 1.0), "{name}");
    assert!(nearest.values().any(|share| *share > 0.5), "{name}: all is told as far coarser than it is: {nearest:?}");
}

/// Keys are within what the report says of them, and not far within.
fn keys_keep_to_what_is_told(name: &str, (before, after): (&Scene, &Scene), report: &Report) {
    let told = told_of(report, "animations");
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    let channels = |scene: &Scene| scene.clips.iter().flat_map(|c| c.channels.clone()).collect::<Vec<_>>();
    for (a, b) in channels(before).iter().zip(&channels(after)) {
        assert_eq!(a.target, b.target, "{name}");
        let Target::Node { property, .. } = a.target else { continue };
        let (what, real) = match property {
            Property::Rotation => ("rotations", farthest_turn(&a.curve, &b.curve)),
            Property::Translation => ("translations", farthest(&a.curve.values, &b.curve.values)),
            Property::Scale => ("scales", farthest(&a.curve.values, &b.curve.values)),
            Property::MorphWeights => continue,
        };
        let slot = most.entry(what).or_insert(0.0);
        *slot = slot.max(real);
    }
    for (what, real) in most {
        let stated = told.get(what).copied().unwrap_or(0.0);
        assert!(real <= stated, "{name}: {what} by {real}, told {stated}");
    }
}

/// The largest angle between keys, in degrees.
fn farthest_turn(a: &Curve, b: &Curve) -> f64 {
    let key = |curve: &Curve, key| {
        let q = DQuat::from_array(std::array::from_fn(|i| f64::from(curve.value(key)[i])));
        q / q.length()
    };
    let angle = |k| {
        let (a, b) = (key(a, k), key(b, k));
        (2.0 * maths::f64::atan2((a.conjugate() * b).xyz().length(), a.dot(b).abs())).to_degrees()
    };
    (0..a.len()).map(angle).fold(0.0, f64::max)
}

/// The parsed JSON of a file, and the component types of the accessors of some attribute, or of what moves a path.
fn components(glb: &[u8], of: &str) -> BTreeSet<u64> {
    let json = helpers::made::parsed(glb);
    let list = |value: &serde_json::Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let primitives = list(&json, "meshes").into_iter().flat_map(|mesh| list(&mesh, "primitives"));
    let attributes = primitives.map(|primitive| primitive["attributes"][of].clone());
    let outputs = list(&json, "animations").into_iter().flat_map(|animation| {
        let samplers = list(&animation, "samplers");
        let moves = list(&animation, "channels").into_iter().filter(|c| c["target"]["path"] == of);
        moves
            .map(move |c| samplers[c["sampler"].as_u64().expect("a number") as usize]["output"].clone())
            .collect::<Vec<_>>()
    });
    let all = attributes.chain(outputs).filter_map(|accessor| accessor.as_u64());
    all.filter_map(|a| json["accessors"][a as usize]["componentType"].as_u64()).collect()
}

fn exported(scene: &Scene, list: &[(&str, &str)]) -> Vec<u8> {
    let files = Glb.export(scene.clone(), "x", &options(list)).expect("exportable");
    files[0].content.to_vec()
}

/// The names of filters in a file.
fn filters(glb: &[u8]) -> BTreeSet<String> {
    let json = helpers::made::parsed(glb);
    let views = json["bufferViews"].as_array().cloned().unwrap_or_default();
    let names = views.iter().flat_map(|view| view["extensions"].as_object().cloned().into_iter().flatten());
    names.filter_map(|(_, object)| object["filter"].as_str().map(str::to_owned)).collect()
}

#[test]
fn filters_serve_rounded_numbers_only() {
    for (name, scene) in models() {
        assert_eq!(filters(&exported(&scene, &[("meshopt", "khr")])), BTreeSet::new(), "{name}");
        let found = filters(&exported(&scene, &[("meshopt", "ext"), ("quantize", "small")]));
        let wanted: &[&str] = match name.rsplit('/').next() {
            Some("Knight.glb") => &["EXPONENTIAL", "OCTAHEDRAL", "QUATERNION"],
            // Without normals, and with too few translations.
            Some("Fox.glb") => &["QUATERNION"],
            _ => continue,
        };
        assert!(wanted.iter().all(|filter| found.contains(*filter)), "{name}: {found:?}");
    }
}

/// Whole numbers of glTF itself: smaller, and every reader reads them.
#[test]
fn what_gltf_itself_has_as_whole_numbers_needs_no_extension() {
    const FLOAT: u64 = 5126;
    for (name, scene) in models() {
        let (back, size, report) = through(&scene, &[("quantize", "core")]);
        let (_, plain, _) = through(&scene, &[]);
        assert!(size < plain, "{name}: {size} of {plain}");
        let bytes = exported(&scene, &[("quantize", "core")]);
        let required = &helpers::made::parsed(&bytes)["extensionsRequired"];
        assert!(!required.to_string().contains("quantization"), "{name}: {required}");
        for (what, wanted) in [("POSITION", FLOAT), ("NORMAL", FLOAT), ("WEIGHTS_0", 5121), ("rotation", 5122)] {
            let found = components(&bytes, what);
            assert!(found.iter().all(|component| *component == wanted), "{name}: {what} is of {found:?}");
        }
        let (moved, whole) = moved(&scene, &back);
        assert!(moved <= whole * 0.01, "{name}: {moved} of {whole}");
        keys_keep_to_what_is_told(name, (&scene, &back), &report);
        assert_eq!(report.count_of("gltf.not-quantized"), 0, "{name}: positions were not to be rounded");
    }
}

#[test]
fn weights_and_rotations_that_came_as_whole_numbers_can_stay_so() {
    for (name, scene) in models().into_iter().filter(|(name, _)| name.ends_with("Fox.glb")) {
        for (how, weights) in [("small", 5121), ("fine", 5123)] {
            let rounded = exported(&scene, &[("quantize", how)]);
            let back = import(&MemorySource::new("x.glb", rounded.clone()), &Context::new()).expect("readable");
            let kept = exported(&back, &[("quantize", "keep")]);
            for (what, component) in [("WEIGHTS_0", weights), ("rotation", 5122)] {
                assert_eq!(components(&kept, what), BTreeSet::from([component]), "{name} {how}: {what}");
            }
            assert!(kept.len() <= rounded.len(), "{name} {how}: {} of {}", kept.len(), rounded.len());
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
        let turn = DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8);
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
    // What the report says: of the base, and of the delta at half its weight.
    let told = told(&report, 1);
    let stated = (told["positions"] + told["morph targets"] / 2.0) * 2.0;
    assert!(moved <= stated && stated <= bound * 1.1, "{moved} {told:?} {bound}");
    assert_eq!(report.count_of("gltf.range-not-quantized"), 2, "the second coordinates of both go beyond 1");
    let data = |list: &[(&str, &str)]| {
        let files = Glb.export(scene.clone(), "x", &options(list)).expect("exportable");
        layout::Parts::of(&files[0].content.to_vec()).list("buffers")[0]["byteLength"].as_u64().expect("a length")
    };
    let (floats, small) = (data(&[]), data(&[("quantize", "small")]));
    assert!(small < floats, "{small} of {floats}");
}

/// The judge of layouts finds what is put wrong, one rule at a time.
#[test]
fn the_judge_of_layouts_finds_faults() {
    let files = Glb.export(squares(), "x", &options(&[("quantize", "small")])).expect("exportable");
    let bytes = files[0].content.to_vec();
    assert_eq!(layout::faults(&bytes), Vec::<String>::new());
    let json = layout::Parts::of(&bytes).json;
    let attribute = |name: &str| json["meshes"][1]["primitives"][0]["attributes"][name].as_u64().expect("an index");
    let view_of = |accessor: u64| json["accessors"][accessor as usize]["bufferView"].as_u64().expect("a view");
    let (position, normal) = (attribute("POSITION"), attribute("NORMAL"));
    let indices = json["meshes"][1]["primitives"][0]["indices"].as_u64().expect("an index");
    let times = json["animations"][0]["samplers"][0]["input"].as_u64().expect("an index");
    let of_view = |accessor: u64, member: &str| format!("/bufferViews/{}/{member}", view_of(accessor));
    let of_accessor = |accessor: u64, member: &str| format!("/accessors/{accessor}/{member}");
    let cases = [
        (of_accessor(position, "min/0"), 1.into(), "min 0 is"),
        (of_accessor(position, "max/1"), 9.into(), "max 1 is"),
        (of_accessor(times, "max/0"), 2.into(), "max 0 is"),
        (of_accessor(position, "count"), 5.into(), "beyond its view"),
        (of_accessor(position, "byteOffset"), 1.into(), "multiple of 2"),
        (of_accessor(normal, "byteOffset"), 1.into(), "multiples of four"),
        (of_accessor(normal, "normalized"), false.into(), "NORMAL may not be"),
        (of_accessor(indices, "componentType"), 5120.into(), "indices of 5120"),
        (of_view(position, "byteStride"), 6.into(), "from 4 to 252"),
        (of_view(position, "byteStride"), 4.into(), "do not fit the stride"),
        (of_view(position, "target"), 34963.into(), "is not for Vertices"),
        (of_view(indices, "target"), serde_json::Value::Null, "is not for Indices"),
        (of_view(indices, "byteStride"), 4.into(), "a stride although"),
        (of_view(times, "target"), 34962.into(), "is not for Other"),
        (of_view(position, "byteLength"), 100_000.into(), "not within its buffer"),
        ("/extensionsRequired".to_owned(), serde_json::Value::Null, "POSITION may not be"),
    ];
    for (pointer, value, words) in cases {
        let mut wrong = json.clone();
        let (parent, member) = pointer.rsplit_once('/').expect("a pointer");
        match (wrong.pointer_mut(parent).expect(parent), member.parse::<usize>()) {
            (serde_json::Value::Array(items), Ok(index)) => items[index] = value,
            (object, _) => object[member] = value,
        }
        let faults = layout::faults(&with_json(&bytes, &wrong));
        assert!(faults.iter().any(|fault| fault.contains(words)), "{pointer}: {faults:?}");
    }
}

/// The file with another JSON chunk.
fn with_json(glb: &[u8], json: &serde_json::Value) -> Vec<u8> {
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four")) as usize;
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = glb.len() - length + text.len();
    let head = [b"glTF\x02\0\0\0", &(total as u32).to_le_bytes()[..], &(text.len() as u32).to_le_bytes(), b"JSON"];
    [&head.concat(), &text, &glb[20 + length..]].concat()
}

/// Normals are of unit length within a tolerance, and must not fall back to floats because of it.
#[test]
fn normals_that_are_a_little_long_are_rounded() {
    let mut scene = squares();
    for mesh in scene.meshes.values_mut() {
        mesh.parts[0].set_stream(Stream::new(Semantic::Normal, 3, [0.0, 0.0, 1.0003].repeat(4)));
    }
    let (back, ..) = through(&scene, &[("quantize", "fine")]);
    let normals = streams(&back).into_iter().filter(|s| s.semantic == Semantic::Normal);
    assert!(normals.clone().count() == 2 && normals.clone().all(|s| s.storage == Storage::Snorm16));
    assert!(normals.flat_map(|s| s.values.iter()).all(|v| *v == 0.0 || *v == 1.0));
}

/// What tiles goes beyond 0 to 1, which fractions do not; the texture that reads it undoes what brings it there.
#[test]
fn texture_coordinates_that_tile_are_rounded_where_textures_can_undo_it() {
    let mut scene = squares();
    let texture = scene.textures.push(Texture::default());
    let mut material = Material::new("tiles");
    let mut used = TextureUse::new(texture);
    used.uv_set = 1;
    material.base_color_texture = Some(used);
    let material = scene.materials.push(material);
    let instances = scene.nodes.values_mut().filter_map(|n| n.mesh.as_mut());
    instances.for_each(|instance| instance.materials = vec![Some(material)]);
    for how in ["small", "fine"] {
        let (back, _, report) = through(&scene, &[("quantize", how)]);
        assert_eq!(report.count_of("gltf.range-not-quantized"), 0, "{how}");
        let found = streams(&back).into_iter().filter(|s| s.semantic == Semantic::TexCoord(1));
        assert!(found.clone().count() == 2 && found.clone().all(|s| s.storage == Storage::Unorm16), "{how}");
        let place = (MeshId::new(0), 0, 1);
        let seen = |scene: &Scene| {
            let stream = scene.meshes[place.0].parts[0].stream(&Semantic::TexCoord(1)).expect("there");
            as_seen(scene, place, stream)
        };
        let (real, stated) = (farthest(&seen(&scene), &seen(&back)), told(&report, 0)["texture coordinates"]);
        assert!(real <= stated && stated < 1e-4, "{how}: {real}, told {stated}");
        let json = helpers::made::parsed(&exported(&scene, &[("quantize", how)]));
        assert!(json["extensionsRequired"].to_string().contains("KHR_texture_transform"), "{json}");
    }
    // Without the option all stays as it was.
    let json = helpers::made::parsed(&exported(&scene, &[]));
    assert!(!json.to_string().contains("KHR_texture_transform"), "{json}");
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

/// Keys half a turn apart whose dot product is a little below 0: rounded it would be 0, which turns the other way.
#[test]
fn a_half_turn_goes_the_same_way_when_keys_are_rounded() {
    let mut scene = squares();
    let node = scene.nodes.ids().next().expect("a node");
    let keys = vec![0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -4.4e-8];
    let curve = Curve::new(Interpolation::Linear, 4, vec![0.0, 1.0], keys.clone());
    let mut clip = anyrig_scene::Clip::new("turn");
    clip.channels.push(Channel::new(node, Property::Rotation, curve));
    scene.clips.push(clip);
    for list in [&[("quantize", "small")][..], &[("quantize", "fine")], &[("quantize", "small"), ("meshopt", "khr")]] {
        let (back, _, report) = through(&scene, list);
        assert_eq!(report.count_of("gltf.rotations-not-quantized"), 1, "{list:?}");
        let turn = back.clips.last().expect("written");
        assert_eq!(turn.channels[0].curve.values.to_vec(), keys, "{list:?}");
    }
}
