//! Real files: byte-exact documents, and the way through a scene.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod support;

use anyrig_bytes::codec::{self, Assignment, ItemLayout, Scalar, Span, SpanKind};
use anyrig_bytes::{Context, SharedBytes, Value};
use anyrig_scene::{Scene, Semantic, Topology};
use anyrig_urho::document::{Animation, Model, ModelLayout, XmlFile};
use anyrig_urho::{Dialect, UrhoImporter};
use std::collections::BTreeSet;
use support::{content, corpus, export, files, import, name_of, parser};

#[test]
fn documents_are_byte_equal() {
    let Some(root) = corpus() else { return };
    let mut counts = [0; 4];
    for path in files(&root, &["mdl", "ani", "xml"]) {
        let bytes = SharedBytes::from(std::fs::read(&path).expect("readable"));
        let (kind, written) = match path.extension().and_then(|e| e.to_str()) {
            Some("mdl") => {
                let model = Model::read(&bytes, &Context::new()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                (usize::from(model.layout == ModelLayout::Umd2), model.write())
            }
            Some("ani") => (2, Animation::read(&bytes, &Context::new()).and_then(|a| a.write())),
            _ => (3, XmlFile::read(&bytes, &Context::new()).map(|x| x.write())),
        };
        assert!(written.expect("writes").to_vec() == *bytes, "{}", path.display());
        counts[kind] += 1;
    }
    println!("byte-equal: {} UMDL, {} UMD2, {} UANI, {} XML", counts[0], counts[1], counts[2], counts[3]);
    assert!(counts.iter().all(|n| *n > 0), "{counts:?}");
}

/// A number of a file: how it is called and where it lies.
struct Number {
    path: String,
    offset: usize,
    size: usize,
    is_float: bool,
}

/// Names of the fields that are 32-bit floats; the others are whole numbers.
const FLOATS: [&str; 8] =
    ["distance", "position", "rotation", "scale", "offset_matrix", "radius", "bounds", "bounding_box"];

/// Numbers that say how many or which others follow.
const DEPENDED_ON: [&str; 7] =
    ["count", "vertex_count", "element_mask", "descriptor", "index_count", "index_size", "collision_mask"];

fn numbers(spans: &[Span]) -> Vec<Number> {
    let mut numbers = Vec::new();
    for span in spans {
        let name = span.path.rsplit('.').next().unwrap_or_default();
        match &span.kind {
            SpanKind::Array(layout) => array_numbers(span, layout, &mut numbers),
            SpanKind::Value if DEPENDED_ON.contains(&name) || span.value.as_str().is_some() => {}
            SpanKind::Value => {
                let mut paths = Vec::new();
                number_paths(&span.value, &span.path, &mut paths);
                let size = span.len as usize / paths.len().max(1);
                let start = span.offset as usize;
                let is_float = FLOATS.contains(&name);
                numbers.extend(paths.into_iter().enumerate().map(|(i, path)| Number {
                    path,
                    offset: start + i * size,
                    size,
                    is_float,
                }));
            }
            _ => {}
        }
    }
    numbers
}

fn number_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value.as_array() {
        Some(items) => {
            items.iter().enumerate().for_each(|(i, item)| number_paths(item, &format!("{path}[{i}]"), paths));
        }
        None => paths.push(path.to_owned()),
    }
}

/// Of a bulk array the first, the middle and the last element.
fn array_numbers(span: &Span, layout: &ItemLayout, numbers: &mut Vec<Number>) {
    let count = (span.len as usize).checked_div(layout.stride).unwrap_or(0);
    for item in [0, count / 2, count.saturating_sub(1)].into_iter().take(count) {
        for (field, i) in layout.fields.iter().flat_map(|f| (0..f.width).map(move |i| (f, i))) {
            let name = if field.name.is_empty() { String::new() } else { format!(".{}", field.name) };
            let within = if field.width > 1 { format!("[{i}]") } else { String::new() };
            let size = field.scalar.size();
            numbers.push(Number {
                path: format!("{}[{item}]{name}{within}", span.path),
                offset: span.offset as usize + item * layout.stride + field.offset + i * size,
                size,
                is_float: field.scalar == Scalar::F32,
            });
        }
    }
}

/// Every seventh number of every model gets another value through the edit interface: its own bytes hold the new value,
/// no other byte changes. Left alone is only what other fields depend on.
#[test]
fn one_changed_field_changes_its_own_bytes_only() {
    let Some(root) = corpus() else { return };
    let (mut models, mut edits, mut fields) = (0, 0, BTreeSet::new());
    for path in files(&root, &["mdl"]) {
        let bytes = SharedBytes::from(std::fs::read(&path).expect("readable"));
        let model = Model::read(&bytes, &Context::new()).expect("reads");
        let all = numbers(&model.trace().expect("traces"));
        for number in all.iter().skip(models % 7).step_by(7) {
            let range = number.offset..number.offset + number.size;
            let mut new = bytes[range.clone()].to_vec();
            let text = if number.is_float {
                let value = if new == 123.25f32.to_le_bytes() { 8.5f32 } else { 123.25 };
                new = value.to_le_bytes().to_vec();
                value.to_string()
            } else {
                new[0] ^= 1;
                new.iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b)).to_string()
            };
            let assignment = Assignment::parse(&format!("{}={text}", number.path)).expect("PATH=VALUE");
            let mut edited = model.clone();
            codec::edit(&mut edited, &[assignment]).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let written = edited.write().expect("writes").to_vec();
            let place = || format!("{}: {}", path.display(), number.path);
            assert!(written.len() == bytes.len() && written[range.clone()] == new, "{}", place());
            assert!(written[..range.start] == bytes[..range.start], "{}", place());
            assert!(written[range.end..] == bytes[range.end..], "{}", place());
            fields.insert(number.path.rsplit('.').next().and_then(|n| n.split('[').next()).map(str::to_owned));
            edits += 1;
        }
        models += 1;
    }
    println!("{edits} single numbers changed in {models} models, in {} kinds of fields: {fields:?}", fields.len());
    assert!(edits > models && fields.len() >= 15);
}

/// A longer name moves what follows, and nothing else.
#[test]
fn a_longer_name_only_moves_what_follows() {
    let Some(root) = corpus() else { return };
    let mut renamed = 0;
    for path in files(&root, &["mdl"]) {
        let bytes = SharedBytes::from(std::fs::read(path).expect("readable"));
        let mut model = Model::read(&bytes, &Context::new()).expect("reads");
        let spans = model.trace().expect("traces");
        let Some(name) = spans.iter().find(|s| s.path == "bones[0].name") else { continue };
        model.bones[0].name.0.extend(b"++");
        let at = (name.offset + name.len) as usize - 1;
        let written = model.write().expect("writes").to_vec();
        assert_eq!([&bytes[..at], b"++", &bytes[at..]].concat(), written);
        renamed += 1;
    }
    println!("renamed: a bone in {renamed} models");
    assert!(renamed > 0);
}

#[test]
fn the_trace_covers_every_byte() {
    let Some(root) = corpus() else { return };
    let mut traced = 0;
    for path in files(&root, &["mdl", "ani"]) {
        let bytes = SharedBytes::from(std::fs::read(&path).expect("readable"));
        let spans = match Model::read(&bytes, &Context::new()) {
            Ok(model) => model.trace(),
            Err(_) => Animation::read(&bytes, &Context::new()).and_then(|a| a.trace()),
        };
        let mut at = 0;
        for span in spans.expect("traces") {
            assert_eq!(span.offset, at, "{}: {}", path.display(), span.path);
            at += span.len;
        }
        assert_eq!(at, bytes.len() as u64);
        traced += 1;
    }
    println!("traced: {traced} files");
}

#[test]
fn every_file_becomes_a_scene() {
    let Some(root) = corpus() else { return };
    let (mut models, mut motions, mut triangles) = (0, 0, 0);
    for path in files(&root, &["mdl", "ani"]) {
        let bytes = std::fs::read(&path).expect("readable");
        let context = Context::new();
        let scene = import(&name_of(&path), bytes, Dialect::Urho3d, &context).expect("imports");
        models += scene.meshes.len();
        motions += scene.clips.len();
        triangles += all_triangles(&scene).len();
    }
    println!("imported: {models} meshes, {motions} clips, {triangles} triangles");
    assert!(models > 0 && motions > 0 && triangles > 0);
}

fn all_triangles(scene: &Scene) -> Vec<[[f32; 3]; 3]> {
    let parts = scene.meshes.values().flat_map(|m| &m.parts).filter(|p| p.topology == Topology::Triangles);
    let triangles = parts.flat_map(|part| {
        let positions = part.positions();
        let corners: Vec<usize> = (0..part.corner_count()).map(|c| part.point_of(c)).collect();
        let triangles: Vec<_> =
            corners.chunks_exact(3).map(|t| [positions[t[0]], positions[t[1]], positions[t[2]]]).collect();
        triangles
    });
    triangles.collect()
}

/// The reference is read from the document, not through the importer.
#[test]
fn the_way_through_a_scene_keeps_geometry_skeleton_and_weights() {
    let Some(root) = corpus() else { return };
    let (mut checked, mut weighted) = (0, 0);
    for path in files(&root, &["mdl"]) {
        let bytes = std::fs::read(&path).expect("readable");
        if &bytes[..4] != b"UMD2" {
            continue;
        }
        let name = path.display().to_string();
        let before = parser::mdl(&bytes);
        let scene = import("Model.mdl", bytes.clone(), Dialect::UrhoX, &Context::new()).expect("imports");
        let skinned = scene.meshes.values().flat_map(|m| &m.parts).any(|p| p.influences.is_some());
        let written = export(scene, &Context::new());
        let after = parser::mdl(&content(&written, "Model.mdl"));
        compare_geometry(&before, &after, &name);
        if skinned {
            compare_bones(&before, &after, &name);
            compare_weights(&before, &after, &name);
            weighted += 1;
        }
        checked += 1;
    }
    println!("through a scene: {checked} UMD2 models, {weighted} with weights");
    assert!(checked > 0 && weighted > 0);
}

fn vertex_of(mdl: &parser::Mdl, geometry: usize, corner: usize) -> (usize, usize) {
    let (_, [_, vb, ib, start, _]) = mdl.geometries[geometry].lods[0];
    (vb as usize, mdl.index_buffers[ib as usize][start as usize + corner] as usize)
}

fn compare_geometry(before: &parser::Mdl, after: &parser::Mdl, name: &str) {
    assert_eq!(before.geometries.len(), after.geometries.len(), "{name}");
    for geometry in 0..before.geometries.len() {
        let count = before.geometries[geometry].lods[0].1[4];
        assert_eq!(count, after.geometries[geometry].lods[0].1[4], "{name}");
        for corner in 0..count as usize {
            let (vb, v) = vertex_of(before, geometry, corner);
            let (wb, w) = vertex_of(after, geometry, corner);
            let (old, new) = (&before.vertex_buffers[vb], &after.vertex_buffers[wb]);
            for descriptor in [0x003, 0x103, 0x402, 0x304] {
                if !old.descriptors.contains(&descriptor) {
                    continue;
                }
                let size = [0, 4, 8, 12, 16][(descriptor & 0xff) as usize];
                assert_eq!(old.element(v, descriptor).len(), size);
                assert_eq!(old.element(v, descriptor), new.element(w, descriptor), "{name}: vertex {v}");
            }
        }
    }
}

fn compare_bones(before: &parser::Mdl, after: &parser::Mdl, name: &str) {
    // Points without weights may need a bone that keeps their place; it comes last.
    let further = usize::from(has_unbound(before));
    assert!((before.bones.len()..=before.bones.len() + further).contains(&after.bones.len()), "{name}");
    let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-6 * a.abs().max(1.0));
    for (a, b) in before.bones.iter().zip(&after.bones) {
        assert_eq!((&a.name, a.parent, a.collision_mask), (&b.name, b.parent, b.collision_mask), "{name}");
        assert!(close(&a.position, &b.position) && close(&a.scale, &b.scale), "{name}: {}", a.name);
        assert!(close(&a.rotation, &b.rotation), "{name}: {} {:?} {:?}", a.name, a.rotation, b.rotation);
        assert!(close(&a.offset, &b.offset), "{name}: {}", a.name);
    }
}

fn has_unbound(mdl: &parser::Mdl) -> bool {
    let corners = |geometry: usize| 0..mdl.geometries[geometry].lods[0].1[4] as usize;
    let unbound = |geometry, corner| weights(mdl, geometry, corner).iter().all(|w| *w == 0.0);
    (0..mdl.geometries.len()).any(|geometry| corners(geometry).any(|corner| unbound(geometry, corner)))
}

fn compare_weights(before: &parser::Mdl, after: &parser::Mdl, name: &str) {
    for geometry in 0..before.geometries.len() {
        for corner in 0..before.geometries[geometry].lods[0].1[4] as usize {
            let (old, new) = (weights(before, geometry, corner), weights(after, geometry, corner));
            // Some vertices of real files have no weights at all; they must hang on something.
            if old.iter().all(|w| *w == 0.0) {
                assert_eq!(new.iter().filter(|w| **w != 0.0).collect::<Vec<_>>(), [&1.0], "{name}: corner {corner}");
                continue;
            }
            let sum = old.iter().sum::<f32>();
            let close = old.iter().zip(&new).all(|(a, b)| (a / sum - b).abs() < 1e-5);
            assert!(close, "{name}: corner {corner}: {old:?} {new:?}");
        }
    }
}

/// The weight of each bone at a corner.
fn weights(mdl: &parser::Mdl, geometry: usize, corner: usize) -> Vec<f32> {
    let (vb, v) = vertex_of(mdl, geometry, corner);
    let buffer = &mdl.vertex_buffers[vb];
    let mapping = &mdl.geometries[geometry].mapping;
    let mut by_bone = vec![0.0; mdl.bones.len()];
    for (weight, local) in buffer.floats::<4>(v, 0x604).into_iter().zip(buffer.element(v, 0x705)) {
        let bone = mapping.get(usize::from(*local)).copied().unwrap_or_else(|| u32::from(*local));
        by_bone[bone as usize] += weight;
    }
    by_bone
}

#[test]
fn stock_models_have_outward_fronts_and_texture_up_bitangents() {
    let Some(root) = corpus() else { return };
    let path = root.join("urho3d/TeaPot.mdl");
    let scene = import("TeaPot.mdl", std::fs::read(path).expect("readable"), Dialect::Urho3d, &Context::new());
    let scene = scene.expect("imports");
    let part = &scene.meshes.values().next().expect("a mesh").parts[0];
    let (positions, uvs) = (part.positions(), part.stream(&Semantic::TexCoord(0)).expect("UVs"));
    let (uvs, normals) = (uvs.arrays::<2>().expect("pairs"), part.stream(&Semantic::Normal).expect("normals"));
    let normals = normals.arrays::<3>().expect("triples");
    let tangents = part.stream(&Semantic::Tangent).and_then(|s| s.arrays::<4>()).expect("tangents");
    let (mut outward, mut up, mut triangles) = (0, 0, 0);
    for triangle in 0..part.face_count() {
        let [a, b, c] = std::array::from_fn(|i| part.point_of(triangle * 3 + i));
        let edge = |to: usize| sub(positions[to], positions[a]);
        let (e1, e2) = (edge(b), edge(c));
        outward += i32::from(dot(cross(e1, e2), normals[a]) > 0.0);
        let (d1, d2) = ([uvs[b][0] - uvs[a][0], uvs[b][1] - uvs[a][1]], [uvs[c][0] - uvs[a][0], uvs[c][1] - uvs[a][1]]);
        let area = d1[0] * d2[1] - d2[0] * d1[1];
        if area.abs() < 1e-9 {
            continue;
        }
        // dP/dV points down the texture, so its negative points up.
        let down: [f32; 3] = std::array::from_fn(|i| (e2[i] * d1[0] - e1[i] * d2[0]) / area);
        let [x, y, z, w] = tangents[a];
        let bitangent = cross(normals[a], [x, y, z]).map(|v| v * w);
        up += i32::from(dot(bitangent, down) < 0.0);
        triangles += 1;
    }
    println!("TeaPot: {outward} outward, {up} of {triangles} bitangents up");
    assert!(outward as usize * 100 >= part.face_count() * 99);
    assert!(up * 100 >= triangles * 99);
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[test]
fn the_material_list_beside_a_model_is_read() {
    let Some(root) = corpus() else { return };
    let folder = root.join("urho3d-asset-importer/shield_round_barbarian");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("readable");
    let mut source = anyrig_bytes::MemorySource::new("shield_round_barbarian.mdl", read("shield_round_barbarian.mdl"));
    for name in ["shield_round_barbarian.txt", "Materials/barbarian_texture.xml", "Textures/barbarian_texture.png"] {
        source = source.with_file(name, read(name));
    }
    let context = Context::new();
    let importer = UrhoImporter::new(Dialect::Urho3d);
    let scene = anyrig_scene::Importer::import(&importer, &source, &context).expect("imports");
    let material = scene.materials.values().next().expect("a material");
    assert_eq!(material.name, "barbarian_texture");
    let texture = material.base_color_texture.as_ref().expect("a texture").texture;
    let image = scene.textures[texture].image.expect("an image");
    assert_eq!(scene.images[image].bytes.as_ref().map(|b| b.len()), Some(15089));
    let instance = scene.nodes.values().find_map(|n| n.mesh.as_ref()).expect("an instance");
    assert!(instance.materials.iter().all(Option::is_some));
}
