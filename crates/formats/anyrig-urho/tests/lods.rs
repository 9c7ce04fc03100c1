//! Levels of detail, several vertex buffers, bone mappings and odd vertex elements, in files made word by word.

mod support;

use anyrig_bytes::{Context, Value};
use anyrig_scene::glam::DVec3;
use anyrig_scene::{Part, Scene};
use anyrig_urho::Dialect;
use support::writer::Out;
use support::{content, export_as, import, parser};

/// A strip of triangles at a height; its vertices as the elements want them.
fn vertices(out: &mut Out, count: u32, height: f32, elements: &[u32]) {
    out.words(&[count, elements.len() as u32]).words(elements).words(&[0, 0]);
    for i in 0..count {
        let bone = (i % 2) as u8;
        for element in elements {
            match element {
                0x003 => out.floats(&[i as f32, height, (i % 2) as f32]),
                0x004 => out.floats(&[i as f32, height, (i % 2) as f32, 1.0]),
                0x604 => out.floats(&[0.75, 0.25, 0.0, 0.0]),
                0x602 => out.floats(&[0.75, 0.25]),
                0x606 => out.bytes(&[191, 64, 0, 0]),
                0x705 => out.bytes(&[bone, 1 - bone, 0, 0]),
                0x704 => out.floats(&[f32::from(bone), f32::from(1 - bone), 0.0, 0.0]),
                other => panic!("no element {other:#x}"),
            };
        }
    }
}

/// Two geometries, the first with three levels; three vertex buffers of different elements, two index buffers.
fn model() -> Vec<u8> {
    let mut out = Out::default();
    out.bytes(b"UMD2").words(&[3]);
    vertices(&mut out, 12, 0.0, &[0x003, 0x604, 0x705]);
    vertices(&mut out, 6, 1.0, &[0x004, 0x602, 0x704]);
    vertices(&mut out, 6, 2.0, &[0x003, 0x606, 0x705]);
    out.words(&[2, 12, 2]);
    for index in 0..12u16 {
        out.bytes(&index.to_le_bytes());
    }
    out.words(&[6, 4, 0, 1, 2, 3, 4, 5]);
    out.words(&[2]);
    // Distance, primitive, vertex buffer, index buffer, first index, number of indices.
    out.words(&[2, 1, 0, 3]);
    out.floats(&[0.0]).words(&[0, 0, 0, 0, 12]);
    out.floats(&[10.0]).words(&[0, 1, 1, 0, 6]);
    out.floats(&[25.0]).words(&[0, 2, 1, 0, 3]);
    out.words(&[2, 0, 1, 1]);
    out.floats(&[0.0]).words(&[0, 2, 1, 3, 3]);
    out.words(&[0, 2]);
    for (name, x) in [("a", 0.0f32), ("b", 2.0)] {
        out.text(name).words(&[0]).floats(&[x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        out.floats(&[1.0, 0.0, 0.0, -x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]).bytes(&[0]);
    }
    out.floats(&[0.0, 0.0, 0.0, 11.0, 2.0, 1.0]).floats(&[0.0; 6]);
    out.0
}

fn imported(dialect: Dialect) -> Scene {
    let context = Context::new();
    let scene = import("m.mdl", model(), dialect, &context).expect("imports");
    let report = context.report();
    assert!(report.diagnostics().iter().all(|d| d.code.id == "urho.assumed-dialect"), "{report:?}");
    scene
}

fn part(scene: &Scene, node: &str, part: usize) -> Part {
    let node = scene.nodes.values().find(|n| n.name == node).expect("a node");
    let instance = node.mesh.as_ref().expect("a mesh");
    scene.meshes[instance.mesh].parts[part].clone()
}

#[test]
fn levels_are_hidden_nodes_below_the_finest() {
    let scene = imported(Dialect::Urho3d);
    let shown: Vec<_> =
        scene.nodes.values().filter(|n| n.mesh.is_some()).map(|n| (n.name.as_str(), n.visible)).collect();
    assert_eq!(shown, [("m", true), ("m_LOD1", false), ("m_LOD2", false)]);
    let counts: Vec<Vec<usize>> = ["m", "m_LOD1", "m_LOD2"]
        .map(|name| {
            let node = scene.nodes.values().find(|n| n.name == name).expect("a node");
            let mesh = &scene.meshes[node.mesh.as_ref().expect("a mesh").mesh];
            mesh.parts.iter().map(Part::triangle_count).collect()
        })
        .to_vec();
    assert_eq!(counts, [vec![4, 1], vec![2], vec![1]]);
    let lod = |name: &str| {
        let node = scene.nodes.values().find(|n| n.name == name).expect("a node");
        let lod = node.extras.get("urho").and_then(|e| e.get("lod")).cloned().expect("a level");
        (lod.get("level").and_then(Value::as_i64), lod.get("distances").and_then(Value::as_array).map(<[_]>::len))
    };
    assert_eq!((lod("m"), lod("m_LOD2")), ((Some(0), Some(2)), (Some(2), Some(1))));
}

#[test]
fn weights_are_floats_or_bytes_of_any_number_and_mappings_lead_to_bones() {
    let scene = imported(Dialect::Urho3d);
    // Each geometry maps its own way: vertex 0 hangs on its blend index 0 by 0.75.
    let influences = |node: &str, index: usize, vertex: usize| {
        let part = part(&scene, node, index);
        let (joints, weights) = part.influences.as_ref().expect("weights").of(vertex);
        (joints[..2].to_vec(), weights[..2].to_vec())
    };
    assert_eq!(influences("m", 0, 0), (vec![1, 0], vec![0.75, 0.25]));
    assert_eq!(influences("m_LOD1", 0, 1), (vec![0, 1], vec![0.75, 0.25]));
    let (joints, weights) = influences("m", 1, 0);
    // The second geometry begins at vertex 3, an odd one.
    assert_eq!(joints, [1, 0]);
    assert!((weights[0] - 191.0 / 255.0).abs() < 1e-6, "{weights:?}");
    assert_eq!(part(&scene, "m_LOD1", 0).positions()[5], [5.0, 1.0, 1.0]);
}

fn corners(mdl: &parser::Mdl, geometry: usize, lod: usize) -> Vec<DVec3> {
    let (_, [_, vb, ib, start, count]) = mdl.geometries[geometry].lods[lod];
    let indices = &mdl.index_buffers[ib as usize][start as usize..(start + count) as usize];
    let buffer = &mdl.vertex_buffers[vb as usize];
    let descriptor = if buffer.descriptors.contains(&3) { 3 } else { 4 };
    let position = |index: &u32| {
        let bytes = buffer.element(*index as usize, descriptor);
        let p: [f32; 3] = parser::Reader::new(bytes).floats();
        DVec3::from_array(p.map(f64::from))
    };
    indices.iter().map(position).collect()
}

#[test]
fn levels_are_written_again() {
    let before = parser::mdl(&model());
    for dialect in [Dialect::UrhoX, Dialect::Urho3d, Dialect::Rbfx] {
        let context = Context::new();
        let files = export_as(dialect, imported(dialect), &context);
        let after = parser::mdl(&content(&files, "Model.mdl"));
        let distances: Vec<Vec<f32>> = after.geometries.iter().map(|g| g.lods.iter().map(|l| l.0).collect()).collect();
        assert_eq!(distances, [vec![0.0, 10.0, 25.0], vec![0.0]]);
        for (geometry, lod) in [(0, 0), (0, 1), (0, 2), (1, 0)] {
            assert_eq!(corners(&before, geometry, lod), corners(&after, geometry, lod), "{dialect:?} {geometry} {lod}");
        }
        assert_eq!(after.centres.len(), 2);
        assert_eq!(context.report().count_of("urho.not-shown"), 0);
        let list = String::from_utf8(content(&files, "Model.txt")).expect("UTF-8");
        assert_eq!(list.lines().count(), 2);
    }
}

#[test]
fn distances_follow_the_unit() {
    let mut options = Value::Null;
    options.set("scale", 2);
    let context = Context::new().with_options("urho3d", options);
    let files = export_as(Dialect::Urho3d, imported(Dialect::Urho3d), &context);
    let mdl = parser::mdl(&content(&files, "Model.mdl"));
    assert_eq!(mdl.geometries[0].lods.iter().map(|l| l.0).collect::<Vec<_>>(), [0.0, 20.0, 50.0]);
    assert_eq!(corners(&mdl, 0, 1)[5], DVec3::new(10.0, 2.0, 2.0));
}

#[test]
fn a_level_without_a_geometry_is_named() {
    let mut scene = imported(Dialect::UrhoX);
    let node = scene.nodes.values().find(|n| n.name == "m_LOD2").and_then(|n| n.mesh.as_ref()).expect("a mesh").mesh;
    scene.meshes.get_mut(node).expect("a mesh").parts[0].slot = 9;
    let context = Context::new();
    let files = export_as(Dialect::UrhoX, scene, &context);
    let mdl = parser::mdl(&content(&files, "Model.mdl"));
    assert_eq!(mdl.geometries[0].lods.len(), 2);
    assert_eq!(context.report().count_of("urho.lod-left-out"), 1);
}
