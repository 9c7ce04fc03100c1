//! Geometry, skins, blend shapes and materials against ufbx, over every file of the corpus that both read.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::{Context, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use anyrig_scene::{Domain, MeshInstance, NodeId, Part, Scene, Semantic, Topology};
use std::collections::BTreeMap;
use ufbx::{VertexVec2, VertexVec3, VertexVec4};

/// Files that deviate, each with the reason why.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Values are stored as f32 here and f64 there.
const RELATIVE: f64 = 1e-6;

#[derive(Default)]
struct Judge {
    differences: Vec<String>,
    counts: BTreeMap<&'static str, u64>,
}

impl Judge {
    fn count(&mut self, what: &'static str, n: usize) {
        *self.counts.entry(what).or_default() += n as u64;
    }

    fn check(&mut self, ok: bool, what: impl FnOnce() -> String) {
        if !ok {
            self.differences.push(what());
        }
    }

    fn floats(&mut self, ours: &[f32], theirs: &[f64], what: &dyn Fn() -> String) {
        if ours.len() != theirs.len() {
            return self.differences.push(format!("{}: {} values, {} there", what(), ours.len(), theirs.len()));
        }
        let near = |a: &f32, b: &f64| {
            let narrow = *b as f32;
            *a == narrow
                || (f64::from(*a) - b).abs() <= RELATIVE * b.abs().max(1.0)
                || (*a == 0.0 && !narrow.is_finite())
        };
        if let Some(at) = ours.iter().zip(theirs).position(|(a, b)| !near(a, b)) {
            self.differences.push(format!("{}: value {at} is {}, {} there", what(), ours[at], theirs[at]));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shape {
    Polygon,
    Line,
    Point,
}

fn shape(size: u32) -> Option<Shape> {
    match size {
        0 => None,
        1 => Some(Shape::Point),
        2 => Some(Shape::Line),
        _ => Some(Shape::Polygon),
    }
}

/// Their faces by slot and kind, as our parts are split.
fn groups(mesh: &ufbx::Mesh, materials: usize) -> BTreeMap<(u32, Shape), Vec<usize>> {
    let mut groups: BTreeMap<(u32, Shape), Vec<usize>> = BTreeMap::new();
    for (index, face) in mesh.faces.iter().enumerate() {
        let slot = if materials > 1 { mesh.face_material.get(index).copied().unwrap_or(0) } else { 0 };
        if let Some(shape) = shape(face.num_indices) {
            groups.entry((slot, shape)).or_default().push(index);
        }
    }
    groups
}

fn our_shape(part: &Part) -> Shape {
    match part.topology {
        Topology::Points => Shape::Point,
        Topology::Lines => Shape::Line,
        _ => Shape::Polygon,
    }
}

/// Values of a stream at all corners of a part.
fn at_corners(part: &Part, semantic: &Semantic) -> Option<Vec<f32>> {
    let stream = part.stream(semantic)?;
    let width = usize::from(stream.width);
    if stream.domain == Domain::Corner {
        return Some(stream.values.to_vec());
    }
    Some((0..part.corner_count()).flat_map(|c| stream.values[part.point_of(c) * width..][..width].to_vec()).collect())
}

fn corners(mesh: &ufbx::Mesh, faces: &[usize]) -> Vec<usize> {
    let face = |f: &usize| {
        let face = mesh.faces[*f];
        face.index_begin as usize..(face.index_begin + face.num_indices) as usize
    };
    faces.iter().flat_map(face).collect()
}

fn vec3(attribute: &VertexVec3, corners: &[usize]) -> Vec<f64> {
    corners.iter().flat_map(|c| <[f64; 3]>::from((attribute[*c].x, attribute[*c].y, attribute[*c].z))).collect()
}

fn vec2(attribute: &VertexVec2, corners: &[usize]) -> Vec<f64> {
    corners.iter().flat_map(|c| [attribute[*c].x, attribute[*c].y]).collect()
}

fn vec4(attribute: &VertexVec4, corners: &[usize]) -> Vec<f64> {
    let four = |c: &usize| [attribute[*c].x, attribute[*c].y, attribute[*c].z, attribute[*c].w];
    corners.iter().flat_map(four).collect()
}

fn unit(values: &[f64]) -> Vec<f64> {
    let unit = |n: &[f64; 3]| {
        let length = n.iter().map(|v| v * v).sum::<f64>().sqrt();
        if (length * length - 1.0).abs() <= 1e-3 { *n } else { n.map(|v| v / length) }
    };
    values.as_chunks::<3>().0.iter().flat_map(unit).collect()
}

fn parts(judge: &mut Judge, ours: &[Part], mesh: &ufbx::Mesh, node: &ufbx::Node) {
    let groups = groups(mesh, node.materials.len());
    let kinds: Vec<_> = ours.iter().map(|p| (p.slot, our_shape(p))).collect();
    let theirs: Vec<_> = groups.keys().copied().collect();
    if kinds != theirs {
        return judge.differences.push(format!("parts {kinds:?}, {theirs:?} there"));
    }
    for (part, ((slot, _), faces)) in ours.iter().zip(&groups) {
        let corners = corners(mesh, faces);
        let points: Vec<u32> = corners.iter().map(|c| mesh.vertex_indices[*c]).collect();
        judge.count("parts", 1);
        judge.count("faces", faces.len());
        judge.check(part.corners.as_deref() == Some(&points), || format!("corners of slot {slot}"));
        let sizes: Vec<u32> = faces.iter().map(|f| mesh.faces[*f].num_indices).collect();
        let our_sizes: Vec<u32> = match &part.topology {
            Topology::Polygons { offsets } => offsets.windows(2).map(|w| w[1] - w[0]).collect(),
            Topology::Triangles => vec![3; part.face_count()],
            Topology::Lines => vec![2; part.face_count()],
            Topology::Points => vec![1; part.face_count()],
        };
        judge.check(our_sizes == sizes, || format!("sizes of faces of slot {slot}"));
        let positions: Vec<f64> = mesh.vertices.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
        judge.count("points", mesh.vertices.len());
        judge.floats(part.positions().as_flattened(), &positions, &|| "positions".to_owned());
        attributes(judge, part, mesh, &corners);
    }
}

fn attributes(judge: &mut Judge, part: &Part, mesh: &ufbx::Mesh, corners: &[usize]) {
    if mesh.vertex_normal.exists {
        let normals = at_corners(part, &Semantic::Normal).unwrap_or_default();
        let theirs = vec3(&mesh.vertex_normal, corners);
        let usable: Vec<usize> = (0..corners.len())
            .filter(|c| {
                let square = theirs[c * 3..c * 3 + 3].iter().map(|v| v * v).sum::<f64>();
                square > 1e-12 && square.is_finite()
            })
            .collect();
        judge.count(if mesh.generated_normals { "made normals" } else { "normals" }, usable.len());
        let pick = |c: &usize| c * 3..c * 3 + 3;
        let ours: Vec<f32> = usable.iter().flat_map(|c| normals.get(pick(c)).unwrap_or_default().to_vec()).collect();
        let theirs: Vec<f64> = usable.iter().flat_map(|c| theirs[pick(c)].to_vec()).collect();
        judge.floats(&ours, &unit(&theirs), &|| {
            (if mesh.generated_normals { "made normals" } else { "normals" }).to_owned()
        });
    }
    let sets = (0..).take_while(|set| part.stream(&Semantic::TexCoord(*set)).is_some()).count();
    judge.check(sets == mesh.uv_sets.len(), || format!("{sets} UV sets, {} there", mesh.uv_sets.len()));
    for (index, set) in mesh.uv_sets.iter().enumerate().take(sets) {
        let ours = at_corners(part, &Semantic::TexCoord(index as u32)).unwrap_or_default();
        judge.count("uvs", corners.len());
        judge.floats(&ours, &vec2(&set.vertex_uv, corners), &|| format!("uvs {index}"));
    }
    let sets = (0..).take_while(|set| part.stream(&Semantic::Color(*set)).is_some()).count();
    judge.check(sets == mesh.color_sets.len(), || format!("{sets} colour sets, {} there", mesh.color_sets.len()));
    for (index, set) in mesh.color_sets.iter().enumerate().take(sets) {
        let ours = at_corners(part, &Semantic::Color(index as u32)).unwrap_or_default();
        judge.count("colours", corners.len());
        judge.floats(&ours, &vec4(&set.vertex_color, corners), &|| format!("colours {index}"));
    }
}

/// What follows which joint, by the number of the joint's node; their root has the number `u32::MAX`.
fn skin(judge: &mut Judge, scene: &Scene, instance: &MeshInstance, numbers: &BTreeMap<u32, u32>, mesh: &ufbx::Mesh) {
    let theirs = mesh.skin_deformers.first().filter(|s| !s.clusters.is_empty());
    let ours = instance.skin.map(|s| &scene.skins[s]);
    judge.check(ours.is_some() == theirs.is_some(), || {
        format!("a skin: {}, {} there", ours.is_some(), theirs.is_some())
    });
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return };
    judge.count("skins", 1);
    let number = |node: &ufbx::Node| numbers.get(&node.element.element_id).copied().unwrap_or(u32::MAX);
    let clusters: Vec<u32> =
        theirs.clusters.iter().map(|c| c.bone_node.as_ref().map_or(u32::MAX, |n| number(n))).collect();
    let joints: Vec<u32> = ours
        .joints
        .iter()
        .map(|j| if scene.nodes[*j].name == "RootNode" { u32::MAX } else { j.index() as u32 })
        .collect();
    if joints[..clusters.len().min(joints.len())] != clusters[..] {
        return judge.differences.push(format!("joints {joints:?}, {clusters:?} there"));
    }
    for (cluster, bind) in theirs.clusters.iter().zip(&ours.inverse_binds) {
        let m = &cluster.geometry_to_bone;
        let given = [m.m00, m.m10, m.m20, m.m01, m.m11, m.m21, m.m02, m.m12, m.m22, m.m03, m.m13, m.m23];
        let ours = bind.to_cols_array();
        let near = ours.iter().zip(given).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1.0));
        judge.count("binds", 1);
        judge.check(near, || format!("bind of {}: {ours:?}, {given:?} there", &*cluster.element.name));
    }
    let mesh_node = clusters.len() as u32;
    let part = &scene.meshes[instance.mesh].parts[0];
    let Some(influences) = &part.influences else { return judge.differences.push("no influences".to_owned()) };
    let mut wrong = 0;
    for point in 0..mesh.num_vertices {
        let vertex = theirs.vertices[point];
        let begin = vertex.weight_begin as usize;
        let list = &theirs.weights.as_ref()[begin..begin + vertex.num_weights as usize];
        let sum: f64 = list.iter().map(|w| w.weight).sum();
        let mut given: BTreeMap<u32, f64> = BTreeMap::new();
        for weight in list.iter().filter(|w| w.weight != 0.0) {
            *given.entry(weight.cluster_index).or_default() += weight.weight / sum;
        }
        if given.is_empty() {
            given.insert(mesh_node, 1.0);
        }
        let (joints, weights) = influences.of(point);
        let mut ours: BTreeMap<u32, f64> = BTreeMap::new();
        joints.iter().zip(weights).for_each(|(j, w)| *ours.entry(*j).or_default() += f64::from(*w));
        let same =
            ours.len() == given.len() && ours.iter().zip(&given).all(|((a, v), (b, w))| a == b && (v - w).abs() < 1e-5);
        wrong += usize::from(!same);
    }
    judge.count("weighted points", mesh.num_vertices);
    judge.check(wrong == 0, || format!("{wrong} of {} points have other weights", mesh.num_vertices));
}

fn shapes(judge: &mut Judge, scene: &Scene, instance: &MeshInstance, mesh: &ufbx::Mesh) {
    let ours = &scene.meshes[instance.mesh];
    let mut target = 0;
    for channel in mesh.blend_deformers.iter().flat_map(|d| d.channels.iter()) {
        for key in &channel.keyframes {
            let Some(morph) = ours.parts[0].morphs.get(target) else {
                return judge.differences.push(format!("no target {target}"));
            };
            let rest = f64::from(ours.morphs[target].default_weight);
            judge.check((rest - key.effective_weight).abs() < 1e-6, || {
                format!("target {target} rests at {rest}, {} there", key.effective_weight)
            });
            let mut given: BTreeMap<u32, [f64; 6]> = BTreeMap::new();
            for (index, point) in key.shape.offset_vertices.iter().enumerate() {
                let (p, n) = (key.shape.position_offsets[index], key.shape.normal_offsets.get(index).copied());
                let n = n.unwrap_or_default();
                let share = key.shape.offset_weights.get(index).copied().unwrap_or(1.0);
                let sum = given.entry(*point).or_default();
                sum.iter_mut().zip([p.x, p.y, p.z, n.x, n.y, n.z]).for_each(|(s, v)| *s += v * share);
            }
            given.retain(|point, _| (*point as usize) < mesh.num_vertices);
            judge.count("shapes", 1);
            judge.count("deltas", given.len());
            for (semantic, from) in [(Semantic::Position, 0), (Semantic::Normal, 3)] {
                let theirs: Vec<f64> = given.values().flat_map(|d| d[from..from + 3].to_vec()).collect();
                match morph.delta(&semantic) {
                    Some(delta) => {
                        let points: Vec<u32> = given.keys().copied().collect();
                        judge.check(delta.points.as_deref() == Some(&points), || format!("points of target {target}"));
                        judge.floats(&delta.values, &theirs, &|| format!("{semantic} of target {target}"));
                    }
                    None => {
                        judge.check(theirs.iter().all(|v| *v == 0.0), || format!("no {semantic} of target {target}"));
                    }
                }
            }
            target += 1;
        }
    }
    judge.check(target == ours.morphs.len(), || format!("{} targets, {target} there", ours.morphs.len()));
}

/// The last part of a path of any system.
fn base(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase()
}

fn materials(judge: &mut Judge, scene: &Scene, instance: &MeshInstance, node: &ufbx::Node) {
    let name = |m: &Option<anyrig_scene::MaterialId>| m.map(|m| scene.materials[m].name.clone()).unwrap_or_default();
    let ours: Vec<String> = instance.materials.iter().map(name).collect();
    let theirs: Vec<String> = node.materials.iter().map(|m| m.element.name.to_string()).collect();
    judge.check(ours == theirs, || format!("materials {ours:?}, {theirs:?} there"));
    for (ours, theirs) in instance.materials.iter().zip(node.materials.iter()) {
        let Some(ours) = ours.map(|m| &scene.materials[m]) else { continue };
        judge.count("materials", 1);
        let file = |used: &Option<anyrig_scene::TextureUse>| {
            let image = scene.textures[used.as_ref()?.texture].image.map(|i| &scene.images[i])?;
            let kept = image.extras.get("fbx.file").and_then(anyrig_bytes::Value::as_str);
            Some(base(image.uri.as_deref().or(kept).unwrap_or_default()))
        };
        let their_file = |map: &ufbx::MaterialMap| {
            let texture = map.texture.as_ref().filter(|_| map.texture_enabled)?;
            let file = texture.file_textures.last().map_or(&**texture, |t| &**t);
            let path =
                if file.relative_filename.is_empty() { &file.absolute_filename } else { &file.relative_filename };
            Some(base(path)).filter(|p| !p.is_empty())
        };
        let pbr = &theirs.pbr;
        let pairs = [
            ("base colour", &ours.base_color_texture, &pbr.base_color),
            ("normal", &ours.normal_texture, &pbr.normal_map),
            ("emission", &ours.emissive_texture, &pbr.emission_color),
            ("occlusion", &ours.occlusion_texture, &pbr.ambient_occlusion),
        ];
        for (what, used, map) in pairs {
            let (ours_file, theirs_file) = (file(used), their_file(map));
            judge.count("textures", usize::from(theirs_file.is_some()));
            judge.check(ours_file == theirs_file, || {
                format!("{what} of {}: {ours_file:?}, {theirs_file:?} there", theirs.element.name)
            });
        }
        let color = ours.base_color;
        let (given, factor) = (pbr.base_color.value_vec4, &pbr.base_factor);
        if ours.base_color_texture.is_none() && pbr.base_color.has_value {
            let factor = if factor.has_value { factor.value_vec4.x } else { 1.0 };
            let theirs: Vec<f64> = [given.x, given.y, given.z].map(|v| v * factor).to_vec();
            judge.floats(&color[..3], &theirs, &|| format!("base colour of {}", ours.name));
            judge.count("colours of materials", 1);
        }
        if pbr.metalness.has_value && ours.metallic_roughness_texture.is_none() {
            judge.floats(&[ours.metallic], &[pbr.metalness.value_vec4.x], &|| format!("metallic of {}", ours.name));
        }
    }
}

fn judge(bytes: &[u8]) -> Option<Judge> {
    let options = ufbx::LoadOpts {
        ignore_missing_external_files: true,
        generate_missing_normals: true,
        ..ufbx::LoadOpts::default()
    };
    let theirs = ufbx::load_memory(bytes, options).ok()?;
    let mut judge = Judge::default();
    let ours = match common::scene_of(bytes) {
        Ok(scene) => scene,
        Err(error) => {
            judge.differences.push(error);
            return Some(judge);
        }
    };
    judge.count("files", 1);
    let mut nodes: Vec<&ufbx::Node> = (&theirs.nodes).into_iter().filter(|n| !n.is_root).collect();
    nodes.sort_by_key(|n| n.element.element_id);
    let numbers = nodes.iter().enumerate().map(|(i, n)| (n.element.element_id, i as u32)).collect();
    for (index, node) in nodes.iter().enumerate() {
        let Some(mesh) = node.mesh.as_ref() else { continue };
        let id = NodeId::new(index);
        let Some(own) =
            ours.nodes.get(id).filter(|n| n.name == *node.element.name || node.element.name.contains('\u{fffd}'))
        else {
            judge.differences.push(format!("node {} is not number {index}", node.element.name));
            continue;
        };
        let shown = own.mesh.as_ref();
        if mesh.num_faces == 0 {
            judge.check(shown.is_none(), || "a mesh without faces".to_owned());
            continue;
        }
        let Some(instance) = shown else {
            judge.differences.push(format!("{} shows nothing", own.name));
            continue;
        };
        judge.count("meshes", 1);
        parts(&mut judge, &ours.meshes[instance.mesh].parts, mesh, node);
        skin(&mut judge, &ours, instance, &numbers, mesh);
        shapes(&mut judge, &ours, instance, mesh);
        materials(&mut judge, &ours, instance, node);
    }
    Some(judge)
}

#[test]
fn geometry_is_that_of_ufbx() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for sample in common::corpus().into_iter().filter(|s| !s.is_fuzz()) {
        let Some(judged) = judge(&sample.bytes) else { continue };
        judged.counts.iter().for_each(|(what, n)| *counts.entry(what).or_default() += n);
        if !judged.differences.is_empty() {
            println!("{}: {} differences", sample.name, judged.differences.len());
            judged.differences.iter().take(4).for_each(|d| println!("    {}", d.chars().take(300).collect::<String>()));
            wrong.push(sample.name.clone());
        }
    }
    println!("{counts:?}, {} deviate, {} of them known", wrong.len(), EXCEPTIONS.len());
    let known: Vec<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(wrong, known);
}

/// Files that are broken as their names say, and whether that makes them unusable.
#[test]
fn files_that_must_fail_do() {
    let mut count = 0;
    for sample in common::corpus().into_iter().filter(|s| !s.is_fuzz() && s.name.contains("_fail")) {
        let context = Context::new();
        let document = FbxDocument::read(&SharedBytes::from(sample.bytes), &context);
        let scene = document.and_then(|document| import::import(&document, &context));
        // A cache that is missing costs the deformer, not the scene.
        let is_usable = sample.name.contains("missing_cache");
        assert_eq!(scene.is_ok(), is_usable, "{}", sample.name);
        assert!(!is_usable || context.report().count_of("fbx.deformer-lost") > 0);
        count += 1;
    }
    println!("{count} files behave as their names say");
}
