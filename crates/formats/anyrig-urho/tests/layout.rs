//! The written layout, against the sizes and numbers of the facts and an independent parser.

mod support;

use anyrig_bytes::{Context, Value};
use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{
    Channel, Clip, Curve, Influences, Interpolation, LocalTransform, Mesh, MeshInstance, Node, NodeId, Part, Property,
    Scene, Semantic, Skin, Stream, Trs,
};
use support::{content, export, parser};

/// 24 joints whose names have 330 characters; the 20 that move have 278.
fn fox_joint_names() -> Vec<String> {
    (0..24)
        .map(|i| match i {
            0..4 => format!("{}{i:02}", "r".repeat(11)),
            4..22 => format!("{}{i:02}", "b".repeat(12)),
            _ => format!("{}{i:02}", "b".repeat(11)),
        })
        .collect()
}

/// A scene with the numbers of the well-known fox: 1728 vertices without indices, normals, tangents and colours.
fn fox() -> Scene {
    let mut scene = Scene::default();
    let root = scene.add_node(Node::new("root"), None);
    let shown = scene.add_node(Node::new("fox"), Some(root));
    let mut joints = Vec::new();
    for (i, name) in fox_joint_names().iter().enumerate() {
        let mut node = Node::new(name.as_str());
        node.local = Trs { translation: DVec3::new(0.0, i as f64, 0.5), ..Trs::IDENTITY }.into();
        joints.push(scene.add_node(node, joints.last().copied().or(Some(root))));
    }
    let binds = vec![DAffine3::from_translation(DVec3::new(1.0, 2.0, 3.0)); 24];
    let skin = scene.skins.push(Skin::new("", joints.clone(), binds));
    let mut part = Part::default();
    part.point_count = 1728;
    let positions = (0..1728 * 3).map(|i| ((i * 7919) % 1000) as f32 / 100.0).collect::<Vec<f32>>();
    part.set_stream(Stream::new(Semantic::Position, 3, positions));
    part.set_stream(Stream::new(
        Semantic::TexCoord(0),
        2,
        (0..1728 * 2).map(|i| i as f32 / 3456.0).collect::<Vec<_>>(),
    ));
    let weights = [0.75f32, 0.25, 0.0, 0.0].repeat(1728);
    let joint_indices = (0..1728u32).flat_map(|i| [i % 24, (i + 1) % 24, 0, 0]).collect::<Vec<_>>();
    let influences = Influences::fixed(4, joint_indices, weights);
    part.influences = Some(influences);
    let mut mesh = Mesh::default();
    mesh.parts.push(part);
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    instance.skin = Some(skin);
    scene.nodes[shown].mesh = Some(instance);
    for (name, keys) in [("Survey", 83), ("Walk", 18), ("Run", 25)] {
        scene.clips.push(fox_clip(name, keys, &joints[4..]));
    }
    scene
}

fn fox_clip(name: &str, keys: usize, joints: &[NodeId]) -> Clip {
    let mut clip = Clip::new(name);
    let times: Vec<f64> = (0..keys).map(|k| k as f64 / 24.0).collect();
    for joint in joints {
        let rotations = [0.0f32, 0.6, 0.0, 0.8].repeat(keys);
        let curve = Curve::new(Interpolation::Linear, 4, times.clone(), rotations);
        clip.channels.push(Channel::new(*joint, Property::Rotation, curve));
    }
    let hip = (0..keys * 3).map(|i| i as f32).collect::<Vec<_>>();
    clip.channels.push(Channel::new(
        joints[0],
        Property::Translation,
        Curve::new(Interpolation::Linear, 3, times, hip),
    ));
    clip
}

#[test]
fn the_fox_has_the_sizes_of_the_engines_own_files() {
    let files = export(fox(), &Context::new());
    let mdl = content(&files, "Model.mdl");
    assert_eq!(mdl.len(), 130_698);
    for (name, size) in [("Survey", 73_522), ("Walk", 16_322), ("Run", 22_482)] {
        assert_eq!(content(&files, &format!("Animations/{name}.ani")).len(), size, "{name}");
    }
    let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["Model.mdl", "Animations/Survey.ani", "Animations/Walk.ani", "Animations/Run.ani"]);

    let mdl = parser::mdl(&mdl);
    let vertices = &mdl.vertex_buffers[0];
    assert_eq!(vertices.descriptors, [0x003, 0x103, 0x506, 0x402, 0x304, 0x604, 0x705]);
    assert_eq!((vertices.stride, vertices.count, vertices.morph_range), (72, 1728, [0, 0]));
    assert_eq!(mdl.index_sizes, [2]);
    assert_eq!(mdl.index_buffers[0], (0..1728).collect::<Vec<_>>());
    let geometry = parser::Geometry { mapping: (0..24).collect(), lods: vec![(0.0, [0, 0, 0, 0, 1728])] };
    assert_eq!(mdl.geometries, [geometry]);
    assert_eq!(mdl.bones.iter().map(|b| b.name.clone()).collect::<Vec<_>>(), fox_joint_names());
    assert_eq!(mdl.bones.iter().map(|b| b.parent).take(4).collect::<Vec<_>>(), [0, 0, 1, 2]);
    assert_eq!(vertices.element(5, 0x506), [255; 4]);
    assert_eq!(vertices.floats::<4>(5, 0x604), [0.75, 0.25, 0.0, 0.0]);
    assert_eq!(vertices.element(5, 0x705), [5, 6, 0, 0]);
}

#[test]
fn bones_have_the_engines_orders() {
    let mut scene = fox();
    let joint = scene.skins.values().next().expect("a skin").joints[3];
    let rotation = DQuat::from_xyzw(0.1, 0.7, 0.1, 0.7);
    scene.nodes[joint].local =
        LocalTransform::Trs(Trs { translation: DVec3::new(1.0, 2.0, 3.0), rotation, scale: DVec3::new(4.0, 5.0, 6.0) });
    let bind = DAffine3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 11.0, 12.0, 13.0]);
    scene.skins.values_mut().next().expect("a skin").inverse_binds[3] = bind;
    let bone = &parser::mdl(&content(&export(scene, &Context::new()), "Model.mdl")).bones[3];
    assert_eq!(bone.position, [1.0, 2.0, 3.0]);
    assert_eq!(bone.rotation, [0.7, 0.1, 0.7, 0.1]);
    assert_eq!(bone.scale, [4.0, 5.0, 6.0]);
    // Columns (1 2 3) (4 5 6) (7 8 10) (11 12 13) become three rows of four.
    assert_eq!(bone.offset, [1.0, 4.0, 7.0, 11.0, 2.0, 5.0, 8.0, 12.0, 3.0, 6.0, 10.0, 13.0]);
    assert_eq!(bone.collision_mask, 0);
}

#[test]
fn keys_fill_in_the_rest_pose_and_keep_their_times() {
    let files = export(fox(), &Context::new());
    let ani = parser::ani(&content(&files, "Animations/Walk.ani"));
    assert_eq!(ani.length, (17.0f64 / 24.0) as f32);
    assert_eq!(ani.tracks.len(), 20);
    assert_eq!(ani.tracks.iter().map(|t| t.name.clone()).collect::<Vec<_>>(), fox_joint_names()[4..]);
    for (i, track) in ani.tracks.iter().enumerate() {
        assert_eq!((track.interpolation, track.keys.len()), (1, 18));
        for (k, key) in track.keys.iter().enumerate() {
            let at = (k * 3) as f32;
            let position = if i == 0 { [at, at + 1.0, at + 2.0] } else { [0.0, i as f32 + 4.0, 0.5] };
            assert_eq!(key[0], (k as f64 / 24.0) as f32);
            assert_eq!(key[1..4], position);
            assert_eq!(key[4..8], [0.8, 0.0, 0.6, 0.0]);
            assert_eq!(key[8..], [1.0; 3]);
        }
    }
}

#[test]
fn stepped_tracks_stay_stepped() {
    let mut scene = fox();
    scene.clips.truncate(1);
    for channel in &mut scene.clips[0].channels {
        channel.curve.interpolation = Interpolation::Step;
    }
    let ani = parser::ani(&content(&export(scene, &Context::new()), "Animations/Survey.ani"));
    assert!(ani.tracks.iter().all(|t| t.interpolation == 0 && t.keys.len() == 83));
}

/// A triangle, by hand, byte for byte.
#[test]
fn a_static_triangle_is_these_bytes() {
    let mut scene = Scene::default();
    let mut part = Part::default();
    part.point_count = 3;
    part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    part.set_stream(Stream::new(Semantic::Normal, 3, [0.0f32, 0.0, 1.0].repeat(3)));
    part.set_stream(Stream::new(Semantic::Tangent, 4, [1.0f32, 0.0, 0.0, 1.0].repeat(3)));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 1.0, 1.0, 1.0, 0.0, 0.0]));
    part.corners = Some(vec![0, 1, 2].into());
    let mut mesh = Mesh::default();
    mesh.parts.push(part);
    let mut node = Node::new("n");
    node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
    node.local = Trs { translation: DVec3::new(10.0, 0.0, 0.0), ..Trs::IDENTITY }.into();
    scene.add_node(node, None);

    let mut expected: Vec<u8> = b"UMD2".to_vec();
    let mut words = |list: &[u32]| list.iter().for_each(|w| expected.extend(w.to_le_bytes()));
    let f = f32::to_bits;
    words(&[1, 3, 5, 0x003, 0x103, 0x506, 0x402, 0x304, 0, 0]);
    for [x, y, u, v] in [[10.0f32, 0.0, 0.0, 1.0], [11.0, 0.0, 1.0, 1.0], [10.0, 1.0, 0.0, 0.0]] {
        words(&[f(x), f(y), f(0.0), f(0.0), f(0.0), f(1.0), 0xffff_ffff, f(u), f(v)]);
        words(&[f(1.0), f(0.0), f(0.0), f(-1.0)]);
    }
    words(&[1, 3, 2, 0x0001_0000]);
    expected.extend(2u16.to_le_bytes());
    let mut words = |list: &[u32]| list.iter().for_each(|w| expected.extend(w.to_le_bytes()));
    words(&[1, 0, 1, f(0.0), 0, 0, 0, 0, 3]);
    words(&[0, 0]);
    words(&[f(10.0), f(0.0), f(0.0), f(11.0), f(1.0), f(0.0), f(10.5), f(0.5), f(0.0)]);
    assert_eq!(content(&export(scene, &Context::new()), "Model.mdl"), expected);
}

#[test]
fn reflection_and_scale_change_the_numbers_as_promised() {
    let with = |key: &str, value: Value| {
        let mut options = Value::Null;
        options.set(key, value);
        let context = Context::new().with_options("urhox", options);
        parser::mdl(&content(&export(fox(), &context), "Model.mdl"))
    };
    let plain = parser::mdl(&content(&export(fox(), &Context::new()), "Model.mdl"));
    let position = |mdl: &parser::Mdl, v| mdl.vertex_buffers[0].floats::<3>(v, 0x003);
    let tangent_w = |mdl: &parser::Mdl, v| mdl.vertex_buffers[0].floats::<4>(v, 0x304)[3];
    let [x, y, z] = position(&plain, 7);
    assert_eq!(position(&with("scale", 2.0.into()), 7), [2.0 * x, 2.0 * y, 2.0 * z]);

    let across = with("handedness", "reflect-x".into());
    assert_eq!(position(&across, 7), [-x, y, z]);
    // The facts: after one reflection w is as in glTF, without one it is negated.
    assert_eq!(tangent_w(&across, 7), -tangent_w(&plain, 7));
    let triangle = |mdl: &parser::Mdl| mdl.index_buffers[0][..3].to_vec();
    assert_eq!(triangle(&plain), [0, 1, 2]);
    assert!([[0, 2, 1], [1, 0, 2], [2, 1, 0]].contains(&<[u32; 3]>::try_from(triangle(&across)).expect("three")));

    let along = with("handedness", "reflect-z".into());
    assert_eq!(position(&along, 7), [x, y, -z]);
    let uv = |mdl: &parser::Mdl| mdl.vertex_buffers[0].floats::<2>(7, 0x402);
    let [u, v] = uv(&plain);
    assert_eq!(uv(&with("flip-v", true.into())), [u, 1.0 - v]);
}
