//! Meshes, skins and morphs.

use super::{first_part, part, skinned, still};
use anyrig::scene::glam::DAffine3;
use anyrig::scene::{
    DeltaStream, Feature, Influences, MorphTarget, Node, NodeId, Part, PartMorph, Scene, Semantic, SkinMethod, Stream,
    Topology,
};

pub fn scene(feature: Feature) -> Scene {
    use Feature as F;
    match feature {
        F::Points => of_topology(Topology::Points, 4),
        F::Lines => of_topology(Topology::Lines, 4),
        F::Polygons => polygons(),
        F::SecondTexCoords => with_stream(vec![uv_set(1), uv_set(2)]),
        F::Colors => with_stream(vec![colors(0)]),
        F::SecondColors => with_stream(vec![colors(0), colors(1)]),
        F::CustomAttributes => {
            with_stream(vec![Stream::new(Semantic::Custom("WETNESS".to_owned()), 1, vec![0.0, 0.25, 0.5, 1.0])])
        }
        F::MoreThanFourInfluences => crowded(),
        F::DualQuaternionSkinning => dual_quaternion(),
        F::Morphs => morphed(Semantic::Position, 3),
        F::MorphTexCoords => morphed(Semantic::TexCoord(0), 2),
        F::MorphColors => morphed(Semantic::Color(0), 4),
        F::MorphRestWeights => {
            let mut scene = morphed(Semantic::Position, 3);
            scene.meshes.values_mut().flat_map(|m| &mut m.morphs).for_each(|m| m.default_weight = 0.5);
            scene
        }
        other => panic!("{other} is no geometry"),
    }
}

/// The second part as points or lines.
fn of_topology(topology: Topology, corners: u32) -> Scene {
    let mut scene = still();
    let part = &mut scene.meshes.values_mut().next().expect("a mesh").parts[1];
    part.topology = topology;
    part.corners = Some((0..corners).collect());
    scene
}

fn polygons() -> Scene {
    let mut scene = still();
    let part = first_part(&mut scene);
    part.topology = Topology::Polygons { offsets: vec![0, 4].into() };
    part.corners = Some(vec![0, 1, 2, 3].into());
    scene
}

fn with_stream(streams: Vec<Stream>) -> Scene {
    let mut scene = still();
    for stream in streams {
        first_part(&mut scene).set_stream(stream);
    }
    scene
}

fn uv_set(set: u32) -> Stream {
    let shift = 0.25 * set as f32;
    let values = [[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]].map(|uv| uv.map(|v| v + shift));
    Stream::new(Semantic::TexCoord(set), 2, values.concat())
}

/// Steps of a fifth, which bytes hold exactly.
fn colors(set: u32) -> Stream {
    let colors = [[0.2, 0.4, 0.6, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.2, 0.6], [0.4, 0.4, 0.4, 1.0]];
    Stream::new(Semantic::Color(set), 4, colors.concat())
}

/// The last point hangs on six joints.
fn crowded() -> Scene {
    let mut scene = skinned();
    let root = NodeId::new(1);
    for number in 0..4 {
        let node = scene.add_node(Node::new(format!("twig {number}")), Some(root));
        let skin = scene.skins.values_mut().next().expect("a skin");
        skin.joints.push(node);
        skin.inverse_binds.push(DAffine3::from_translation((-0.5, 0.0, 0.0).into()));
    }
    let part = first_part(&mut scene);
    let joints = vec![0, 0, 0, 1, 0, 1, 2, 3, 4, 5];
    let weights = vec![1.0, 1.0, 0.25, 0.75, 0.25, 0.25, 0.1875, 0.125, 0.125, 0.0625];
    part.influences = Some(Influences::ragged(vec![0, 1, 2, 4, 10], joints, weights));
    scene
}

/// With a clip, since only then the method shows.
fn dual_quaternion() -> Scene {
    let mut scene = super::moving();
    scene.skins.values_mut().for_each(|skin| skin.method = SkinMethod::DualQuaternion);
    scene
}

/// A target that moves two points of each part.
pub fn morphed(semantic: Semantic, width: u8) -> Scene {
    let mut scene = still();
    let mesh = scene.meshes.values_mut().next().expect("a mesh");
    mesh.morphs.push(MorphTarget::new("smile"));
    let size = usize::from(width);
    let values: Vec<f32> = [0.25, 0.5, -0.25, 0.125].into_iter().cycle().take(2 * size).collect();
    let deltas = DeltaStream::new(semantic.clone(), width, values).at_points(vec![1, 3]);
    let with_deltas = |mut part: Part| {
        if semantic == Semantic::Color(0) {
            part.set_stream(colors(0));
        }
        part.morphs = vec![PartMorph::new(vec![deltas.clone()])];
        part
    };
    mesh.parts = vec![with_deltas(part(0.0, 0)), with_deltas(part(3.0, 1))];
    scene
}
