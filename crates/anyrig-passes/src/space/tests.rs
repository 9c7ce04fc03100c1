use super::*;
use crate::check::malformed_parts;
use anyrig_bytes::Buffer;
use anyrig_scene::walk::rest_world_transforms;
use anyrig_scene::{
    Camera, Channel, Clip, Curve, DeltaStream, Domain, Interpolation, Light, LightKind, Mesh, MeshInstance, Node, Part,
    PartMorph, Property, Semantic, Skin, Stream, Topology, UvOrigin, Winding,
};
use proptest::prelude::*;

/// Blender: right-handed, +Z up, characters face -Y.
const BLENDER: Space = Space::GLTF.with_axes(Axis::PosZ, Axis::NegY);

fn part(points: u32) -> Part {
    let mut part = Part::default();
    part.point_count = points;
    let values = |width: u32| (0..points * width).map(|v| v as f32 * 0.37 - 1.0).collect::<Vec<_>>();
    part.set_stream(Stream::new(Semantic::Position, 3, values(3)));
    part.set_stream(Stream::new(Semantic::Normal, 3, values(3)));
    part.set_stream(Stream::new(Semantic::Tangent, 4, values(4)));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, values(2)));
    part
}

/// Two nodes with all kinds of transforms, a skin, curves of all kinds.
fn scene(numbers: &[f32; 16]) -> Scene {
    let mut scene = Scene::default();
    let n: Vec<f64> = numbers.iter().map(|v| f64::from(*v)).collect();
    let rotation = DQuat::from_xyzw(n[0], n[1], n[2], n[3] + 2.0);
    let trs = Trs {
        translation: DVec3::new(n[4], n[5], n[6]),
        rotation: rotation / rotation.length(),
        scale: DVec3::new(1.0 + n[7].abs(), 0.5, 2.0),
    };
    let mut root = Node::new("root");
    root.local = LocalTransform::Trs(trs);
    let root = scene.add_node(root, None);
    let mut child = Node::new("child");
    let matrix3 =
        DMat3::from_cols(DVec3::new(n[8], 0.3, 0.1), DVec3::new(0.2, n[9] + 2.0, 0.0), DVec3::new(n[10], 0.0, 1.0));
    let matrix = DAffine3 { matrix3, translation: DVec3::new(n[11], n[12], n[13]) };
    child.local = LocalTransform::Matrix(matrix);
    let mut mesh = Mesh::default();
    let mut geometry = part(6);
    let delta = |semantic, width: u8, values: Vec<f32>| DeltaStream::new(semantic, width, values);
    geometry.morphs = vec![PartMorph::new(vec![
        delta(Semantic::Position, 3, vec![numbers[14]; 18]),
        delta(Semantic::Tangent, 3, vec![numbers[15]; 18]),
    ])];
    mesh.parts.push(geometry);
    let mesh = scene.meshes.push(mesh);
    child.mesh = Some(MeshInstance::new(mesh));
    let child = scene.add_node(child, Some(root));
    scene.skins.push(Skin::new("s", vec![root, child], vec![matrix.inverse(), DAffine3::IDENTITY]));
    let mut clip = Clip::new("c");
    let curve = |kind, width: usize, count: usize| {
        Curve::new(kind, width, vec![0.0, 1.0], numbers.iter().copied().cycle().take(count).collect::<Vec<_>>())
    };
    clip.channels.push(Channel::new(root, Property::Translation, curve(Interpolation::CubicHermite, 3, 18)));
    clip.channels.push(Channel::new(root, Property::Rotation, curve(Interpolation::Linear, 4, 8)));
    clip.channels.push(Channel::new(root, Property::Scale, curve(Interpolation::Step, 3, 6)));
    scene.clips.push(clip);
    scene
}

fn sample_scene() -> Scene {
    scene(&[0.1, -0.7, 0.3, 0.9, 1.5, -2.0, 0.25, 0.6, 0.8, -0.4, 0.35, 3.0, -1.0, 0.125, 0.0, -0.0])
}

/// `B` as a matrix, from the definition by up, front and left.
fn basis(source: &Space, target: &Space) -> DMat3 {
    let columns = |s: &Space| {
        let (up, front) = (s.up.to_vector(), s.front.to_vector());
        let left = if s.handedness == Handedness::Right { up.cross(front) } else { front.cross(up) };
        DMat3::from_cols(up, front, left)
    };
    columns(target) * columns(source).transpose()
}

#[test]
fn a_side_mirror_negates_x_as_the_public_tables_say() {
    // facts on glTF → Urho3D with X negated: position (-x, y, z), quaternion (x, -y, -z, w), cells of the matrix with one
    // index on X negated, triangles [0, 2, 1].
    let mut scene = sample_scene();
    let before = scene.clone();
    to_space(&mut scene, Space::URHO, &Context::new()).expect("valid");
    assert_eq!(scene.space, Space::URHO);
    let (old, new) = (&before.meshes.as_slice()[0].parts[0], &scene.meshes.as_slice()[0].parts[0]);
    for (a, b) in old.positions().iter().zip(new.positions()) {
        assert_eq!(*b, [-a[0], a[1], a[2]]);
    }
    assert_eq!(new.corners.as_deref(), Some(&[0, 2, 1, 3, 5, 4][..]));
    let tangents = |p: &Part| p.stream(&Semantic::Tangent).and_then(Stream::arrays::<4>).map(|t| t[1]).expect("kept");
    let t = tangents(old);
    assert_eq!(tangents(new), [-t[0], t[1], t[2], -t[3]]);
    let LocalTransform::Trs(a) = before.nodes.as_slice()[0].local else { panic!("a TRS") };
    let LocalTransform::Trs(b) = scene.nodes.as_slice()[0].local else { panic!("a TRS stays one") };
    let (q, r) = (a.rotation, b.rotation);
    assert_eq!([r.x, r.y, r.z, r.w], [q.x, -q.y, -q.z, q.w]);
    assert_eq!((a.scale, b.translation), (b.scale, a.translation * DVec3::new(-1.0, 1.0, 1.0)));
    let (a, b) = (before.skins.as_slice()[0].inverse_binds[0], scene.skins.as_slice()[0].inverse_binds[0]);
    let mut expected = a.to_cols_array();
    for cell in [1, 2, 3, 6, 9] {
        expected[cell] = -expected[cell];
    }
    assert_eq!(b.to_cols_array(), expected);
}

#[test]
fn a_front_mirror_negates_z_and_faces_the_other_way() {
    let mut scene = sample_scene();
    let before = scene.clone();
    to_space_with(&mut scene, Space::URHO, SpaceOptions::mirrored(Mirror::Front), &Context::new()).expect("valid");
    assert_eq!(scene.space, Space::URHO.with_axes(Space::URHO.up, Axis::NegZ));
    let (old, new) = (&before.meshes.as_slice()[0].parts[0], &scene.meshes.as_slice()[0].parts[0]);
    for (a, b) in old.positions().iter().zip(new.positions()) {
        assert_eq!(*b, [a[0], a[1], -a[2]]);
    }
}

#[test]
fn worlds_and_points_are_conjugated_in_every_space() {
    let targets = [
        BLENDER,
        Space::URHO,
        Space::GLTF.with_axes(Axis::PosX, Axis::PosY).with_metres_per_unit(0.01),
        BLENDER.with_axes(Axis::NegY, Axis::PosX).with_handedness(Handedness::Left).with_metres_per_unit(2.5),
    ];
    for target in targets {
        let mut scene = sample_scene();
        let before = rest_world_transforms(&scene);
        to_space(&mut scene, target, &Context::new()).expect("valid");
        let b = basis(&Space::GLTF, &target);
        let unit = 1.0 / target.metres_per_unit;
        for (old, new) in before.iter().zip(rest_world_transforms(&scene)) {
            let expected =
                DAffine3 { matrix3: b * old.matrix3 * b.transpose(), translation: b * old.translation * unit };
            assert!(new.abs_diff_eq(expected, 1e-9 * unit.max(1.0)), "{target:?}");
        }
        let (old, new) = (sample_scene(), &scene);
        let positions = |s: &Scene| s.meshes.as_slice()[0].parts[0].positions().to_vec();
        for (old, new) in positions(&old).iter().zip(positions(new)) {
            let expected = b * DVec3::from(old.map(f64::from)) * unit;
            assert!(DVec3::from(new.map(f64::from)).abs_diff_eq(expected, 1e-4));
        }
        // A rotation curve, as matrices.
        let rotation = |s: &Scene| {
            let value: [f32; 4] = s.clips[0].channels[1].curve.value(1).try_into().expect("4 wide");
            let q = DQuat::from_array(value.map(f64::from));
            DMat3::from_quat(q / q.length())
        };
        assert!(rotation(new).abs_diff_eq(b * rotation(&old) * b.transpose(), 1e-6));
    }
}

#[test]
fn faces_keep_their_front() {
    for winding in [Winding::CrossOutward, Winding::CrossInward] {
        for handedness in [Handedness::Right, Handedness::Left] {
            let target = BLENDER.with_winding(winding).with_handedness(handedness);
            let mut scene = Scene::default();
            let mut mesh = Mesh::default();
            let mut triangle = part(3);
            let points = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
            triangle.set_stream(Stream::new(Semantic::Position, 3, points));
            triangle.set_stream(Stream::new(Semantic::Normal, 3, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
            mesh.parts.push(triangle);
            scene.meshes.push(mesh);
            to_space(&mut scene, target, &Context::new()).expect("valid");
            let part = &scene.meshes.as_slice()[0].parts[0];
            let p = [0, 1, 2].map(|c| DVec3::from(part.positions()[part.point_of(c)].map(f64::from)));
            let normal = part.stream(&Semantic::Normal).and_then(Stream::arrays::<3>).expect("kept")[0];
            let side = (p[1] - p[0]).cross(p[2] - p[0]).dot(DVec3::from(normal.map(f64::from)));
            assert_eq!(side > 0.0, winding == Winding::CrossOutward, "{target:?}");
        }
    }
}

#[test]
fn polygons_and_corner_streams_turn_round() {
    let mut scene = Scene::default();
    let mut polygons = part(7);
    polygons.topology = Topology::Polygons { offsets: vec![0, 4, 7].into() };
    let uv = (0..14).map(|v| v as f32).collect::<Vec<_>>();
    polygons.set_stream(Stream::new(Semantic::TexCoord(0), 2, uv).on(Domain::Corner));
    let mut mesh = Mesh::default();
    mesh.parts.push(polygons);
    scene.meshes.push(mesh);
    to_space(&mut scene, Space::URHO, &Context::new()).expect("valid");
    let part = &scene.meshes.as_slice()[0].parts[0];
    assert_eq!(part.corners.as_deref(), Some(&[0, 3, 2, 1, 4, 6, 5][..]));
    let uv = part.stream(&Semantic::TexCoord(0)).expect("kept");
    assert_eq!(&*uv.values, &[0.0, 1.0, 6.0, 7.0, 4.0, 5.0, 2.0, 3.0, 8.0, 9.0, 12.0, 13.0, 10.0, 11.0]);
}

#[test]
fn the_uv_origin_turns_v_round_and_its_deltas() {
    let mut scene = sample_scene();
    let old = scene.meshes.as_slice()[0].parts[0].stream(&Semantic::TexCoord(0)).expect("given").clone();
    let delta = DeltaStream::new(Semantic::TexCoord(0), 2, vec![0.5; 12]);
    scene.meshes.as_mut_slice()[0].parts[0].morphs[0].deltas.push(delta);
    let target = Space::GLTF.with_uv_origin(UvOrigin::BottomLeft);
    to_space(&mut scene, target, &Context::new()).expect("valid");
    let part = &scene.meshes.as_slice()[0].parts[0];
    let new = part.stream(&Semantic::TexCoord(0)).expect("kept");
    for (old, new) in old.arrays::<2>().expect("2 wide").iter().zip(new.arrays::<2>().expect("2 wide")) {
        assert_eq!(*new, [old[0], 1.0 - old[1]]);
    }
    let delta = part.morphs[0].delta(&Semantic::TexCoord(0)).expect("kept");
    assert_eq!(delta.values[..2], [0.5, -0.5]);
    assert_eq!(part.corners, None);
}

#[test]
fn shared_buffers_stay_shared_and_untouched_ones_are_not_copied() {
    let mut scene = sample_scene();
    let mut twin = scene.meshes.as_slice()[0].clone();
    twin.name = "twin".to_owned();
    scene.meshes.push(twin);
    let uv = scene.meshes.as_slice()[0].parts[0].streams[3].values.clone();
    to_space(&mut scene, Space::URHO, &Context::new()).expect("valid");
    let values =
        |mesh: usize, stream: usize| -> &Buffer<f32> { &scene.meshes.as_slice()[mesh].parts[0].streams[stream].values };
    assert!(values(0, 0).same_memory(values(1, 0)));
    assert!(values(0, 3).same_memory(&uv));
    let mut scene = sample_scene();
    let positions = scene.meshes.as_slice()[0].parts[0].streams[0].values.clone();
    to_space(&mut scene, Space::GLTF, &Context::new()).expect("valid");
    assert!(scene.meshes.as_slice()[0].parts[0].streams[0].values.same_memory(&positions));
}

#[test]
fn cameras_and_lights_look_where_they_looked() {
    for leaf in [true, false] {
        let mut scene = Scene::default();
        let camera = scene.cameras.push(Camera::new(
            "c",
            Projection::Perspective { fov_y_rad: 1.0, aspect_ratio: None, near: 0.1, far: Some(10.0) },
        ));
        let mut light = Light::new("l", LightKind::Point);
        light.range = Some(4.0);
        let light = scene.lights.push(light);
        let mut node = Node::new("view");
        (node.camera, node.light) = (Some(camera), Some(light));
        let rotation = DQuat::from_xyzw(0.5, 0.1, -0.3, 0.8);
        let scale = DVec3::new(1.0, 2.0, 3.0);
        let trs = Trs { rotation: rotation / rotation.length(), scale, translation: DVec3::new(1.0, 2.0, 3.0) };
        node.local = LocalTransform::Trs(trs);
        let id = scene.add_node(node, None);
        if !leaf {
            scene.add_node(Node::new("child"), Some(id));
        }
        let target = BLENDER.with_metres_per_unit(0.5).with_handedness(Handedness::Left);
        let old = rest_world_transforms(&scene)[0];
        let context = Context::new();
        to_space(&mut scene, target, &context).expect("valid");
        let viewer = scene.nodes.iter().find(|(_, n)| n.camera.is_some()).map(|(id, _)| id).expect("kept");
        assert_eq!((viewer == id, scene.nodes[viewer].light), (leaf, Some(light)));
        assert_eq!(context.report().count_of("passes.view-helper-node"), u64::from(!leaf));
        let new = rest_world_transforms(&scene)[viewer.index()];
        let b = basis(&Space::GLTF, &target);
        for direction in [DVec3::NEG_Z, DVec3::Y] {
            let seen = new.transform_vector3(direction).try_normalize().expect("not 0");
            let expected = (b * old.transform_vector3(direction)).try_normalize().expect("not 0");
            assert!(seen.abs_diff_eq(expected, 1e-12), "{leaf} {direction}");
        }
        assert_eq!(scene.lights[light].range, Some(8.0));
        let Projection::Perspective { near, far, .. } = scene.cameras[camera].projection else { panic!("kept") };
        assert_eq!((near, far), (0.2, Some(20.0)));
    }
}

#[test]
fn impossible_spaces_are_errors() {
    let wrong = [
        Space::GLTF.with_axes(Space::GLTF.up, Axis::NegY),
        Space::GLTF.with_metres_per_unit(0.0),
        Space::GLTF.with_metres_per_unit(f64::NAN),
    ];
    for space in wrong {
        assert!(to_space(&mut sample_scene(), space, &Context::new()).is_err());
        assert!(to_space(&mut Scene::new(space), Space::GLTF, &Context::new()).is_err());
    }
}

#[test]
fn other_curves_are_told_and_malformed_parts_are_errors() {
    let mut scene = sample_scene();
    scene.clips[0].channels[2].target = Target::Other("/lights/0".to_owned());
    let context = Context::new();
    to_space(&mut scene, Space::URHO, &context).expect("valid");
    assert_eq!(context.report().count_of("passes.other-curves-kept"), 1);
    for part in malformed_parts() {
        let mut scene = Scene::default();
        let mut mesh = Mesh::default();
        mesh.parts.push(part);
        scene.meshes.push(mesh);
        assert!(to_space(&mut scene, Space::URHO, &Context::new()).is_err());
    }
}

fn bits(scene: &Scene) -> String {
    // `{:?}` of a float tells -0 from 0 and is shortest-round-trip, but a Buffer shows its first values only.
    let values = scene.meshes.values().flat_map(|m| &m.parts).flat_map(|p| {
        let deltas = p.morphs.iter().flat_map(|m| &m.deltas).map(|d| &d.values);
        p.streams.iter().map(|s| &s.values).chain(deltas)
    });
    let curves = scene.clips.iter().flat_map(|c| &c.channels).map(|c| &c.curve.values);
    let all: Vec<u32> = values.chain(curves).flat_map(|b| b.iter().map(|v| v.to_bits())).collect();
    let corners: Vec<_> =
        scene.meshes.values().flat_map(|m| &m.parts).map(|p| p.corners.as_deref().map(<[_]>::to_vec)).collect();
    format!("{:?} {:?} {all:?} {corners:?}", scene.nodes, scene.skins)
}

proptest! {
    #[test]
    fn there_and_back_restores_every_bit(numbers in prop::array::uniform16(-4f32..4.0), front in any::<bool>()) {
        let original = scene(&numbers);
        for target in [Space::URHO, BLENDER, BLENDER.with_handedness(Handedness::Left).with_winding(Winding::CrossInward)] {
            let mut there = original.clone();
            let options = SpaceOptions::mirrored(if front { Mirror::Front } else { Mirror::Side });
            to_space_with(&mut there, target, options, &Context::new()).expect("valid");
            prop_assert!(there.space == target || front);
            to_space_with(&mut there, Space::GLTF, options, &Context::new()).expect("valid");
            if there.space == Space::GLTF {
                prop_assert_eq!(bits(&there), bits(&original));
            } else {
                // The front was mirrored there and back again by another basis; come home by name.
                to_space(&mut there, Space::GLTF, &Context::new()).expect("valid");
                prop_assert_eq!(bits(&there), bits(&original));
            }
        }
    }
}
