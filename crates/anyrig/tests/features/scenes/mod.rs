//! A small scene for each feature: a plain one with the feature added.

mod extensions;
mod geometry;
mod materials;
mod motion;
mod nodes;
mod rig;

use crate::STEM;
use anyrig::scene::glam::{DAffine3, DVec3};
use anyrig::scene::{
    Channel, Clip, Curve, Feature, Influences, Interpolation, Material, Mesh, MeshInstance, Node, NodeId, Part,
    Property, RootSet, Scene, Semantic, Skin, Stream, Trs,
};

/// The scene of a feature. It is such that a format which does not hold the feature fully cannot hold all of it.
pub fn scene(feature: Feature) -> Scene {
    use Feature as F;
    match feature {
        F::Meshes | F::TexCoords => still(),
        F::Points
        | F::Lines
        | F::Polygons
        | F::SecondTexCoords
        | F::Colors
        | F::SecondColors
        | F::CustomAttributes
        | F::MoreThanFourInfluences
        | F::DualQuaternionSkinning
        | F::Morphs
        | F::MorphTexCoords
        | F::MorphColors
        | F::MorphRestWeights => geometry::scene(feature),
        F::Skins => skinned(),
        F::Clips | F::LinearCurves => moving(),
        F::StepCurves
        | F::CubicCurves
        | F::MorphAnimation
        | F::OtherAnimation
        | F::ComponentCurves
        | F::PerKeyCurves
        | F::Extrapolation
        | F::LayeredClips
        | F::ClipStarts
        | F::ClipLengths
        | F::VisibilityAnimation
        | F::NamedAnimation => motion::scene(feature),
        F::Materials
        | F::NormalMaps
        | F::OcclusionMaps
        | F::EmissiveMaps
        | F::MetallicRoughnessMaps
        | F::AlphaMask
        | F::AlphaBlend
        | F::DoubleSided
        | F::Unlit
        | F::UvTransforms
        | F::OtherUvSets
        | F::Samplers
        | F::Images => materials::scene(feature),
        F::AlternateImages
        | F::Anisotropy
        | F::CameraAnimation
        | F::Clearcoat
        | F::DiffuseTransmission
        | F::Dispersion
        | F::IndexOfRefraction
        | F::Instances
        | F::Iridescence
        | F::LightAnimation
        | F::MaterialAnimation
        | F::MaterialVariants
        | F::Sheen
        | F::Specular
        | F::Transmission
        | F::Volume => extensions::scene(feature),
        F::Cameras
        | F::Lights
        | F::SpotLights
        | F::HiddenNodes
        | F::PlainNodes
        | F::MatrixTransforms
        | F::Pivots
        | F::InheritModes
        | F::GeometricTransforms
        | F::SeveralRootSets
        | F::Extras => nodes::scene(feature),
        F::Springs | F::Constraints | F::ToolConstraints | F::IkChains => rig::scene(feature),
        other => panic!("no scene shows {other}: write one"),
    }
}

/// The scenes that the others are made from.
pub fn plain() -> [(&'static str, Scene); 4] {
    [("still", still()), ("skinned", skinned()), ("moving", moving()), ("kept for a window", with_bookkeeping())]
}

/// What only another program's windows need is nobody's loss.
fn with_bookkeeping() -> Scene {
    let mut scene = still();
    scene.nodes[NodeId::new(0)].extras.set_bookkeeping("tool.row", 3);
    first_part(&mut scene).extras.set_bookkeeping("tool.sort", "Mesh");
    scene
}

/// Two faces of different materials on one node.
pub fn still() -> Scene {
    let mut scene = Scene::default();
    let mut mesh = Mesh::default();
    STEM.clone_into(&mut mesh.name);
    mesh.parts = vec![part(0.0, 0), part(3.0, 1)];
    let mesh = scene.meshes.push(mesh);
    let mut instance = MeshInstance::new(mesh);
    for (name, color, roughness) in [("red", [0.8, 0.2, 0.0, 1.0], 0.5), ("blue", [0.0, 0.2, 1.0, 1.0], 0.25)] {
        let mut material = Material::new(name);
        (material.base_color, material.metallic, material.roughness) = (color, 0.25, roughness);
        instance.materials.push(Some(scene.materials.push(material)));
    }
    let mut node = Node::new(STEM);
    node.mesh = Some(instance);
    let node = scene.add_node(node, None);
    scene.root_sets.push(RootSet::new("", vec![node]));
    scene.default_root_set = Some(0);
    scene
}

/// A quad of two triangles that has no symmetry, its left side at `x`.
pub fn part(x: f32, slot: u32) -> Part {
    let mut part = Part::default();
    part.slot = slot;
    part.point_count = 4;
    part.corners = Some(vec![0, 1, 2, 0, 2, 3].into());
    let positions = vec![x, 0.0, 0.0, x + 2.0, 0.0, 0.0, x + 2.0, 1.0, 0.0, x, 1.5, 0.0];
    part.set_stream(Stream::new(Semantic::Position, 3, positions));
    part.set_stream(Stream::new(Semantic::Normal, 3, [0.0, 0.0, 1.0].repeat(4)));
    // V grows upwards here, so the texture's top is at the bottom.
    part.set_stream(Stream::new(Semantic::Tangent, 4, [1.0, 0.0, 0.0, -1.0].repeat(4)));
    part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 0.0, 1.0, 0.0, 1.0, 0.75, 0.0, 1.0]));
    part
}

/// The still scene on two joints, one above the other.
pub fn skinned() -> Scene {
    let mut scene = still();
    let mut root = Node::new("root");
    root.local = Trs { translation: DVec3::new(0.5, 0.0, 0.0), ..Trs::IDENTITY }.into();
    let mut tip = Node::new("tip");
    tip.local = Trs { translation: DVec3::new(0.0, 1.0, 0.0), ..Trs::IDENTITY }.into();
    let root = scene.add_node(root, None);
    let tip = scene.add_node(tip, Some(root));
    let binds = [DVec3::new(-0.5, 0.0, 0.0), DVec3::new(-0.5, -1.0, 0.0)].map(DAffine3::from_translation);
    let skin = scene.skins.push(Skin::new("skin", vec![root, tip], binds.to_vec()));
    for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
        let joints = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]].concat();
        let one = [1.0, 0.0, 0.0, 0.0];
        part.influences = Some(Influences::fixed(4, joints, [one, one, [0.25, 0.75, 0.0, 0.0], one].concat()));
    }
    scene.nodes[NodeId::new(0)].mesh.as_mut().expect("the mesh").skin = Some(skin);
    scene.root_sets[0].roots.push(root);
    scene
}

/// The upper joint of the skinned scene.
pub const TIP: usize = 2;

/// The skinned scene with a clip that turns the upper joint.
pub fn moving() -> Scene {
    let mut scene = skinned();
    scene.clips.push(turning(Interpolation::Linear));
    scene
}

/// A clip that turns the upper joint by a right angle and back.
pub fn turning(interpolation: Interpolation) -> Clip {
    let mut clip = Clip::new("turn");
    let half = 0.5f32.sqrt();
    let keys = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half], [0.0, 0.0, 0.0, 1.0]];
    let values = match interpolation {
        Interpolation::CubicHermite => keys.iter().flat_map(|key| [[0.0; 4], *key, [0.0; 4]].concat()).collect(),
        _ => keys.concat(),
    };
    let curve = Curve::new(interpolation, 4, vec![0.0, 0.5, 1.0], values);
    clip.channels.push(Channel::new(NodeId::new(TIP), Property::Rotation, curve));
    clip
}

/// The first part of the mesh.
pub fn first_part(scene: &mut Scene) -> &mut Part {
    let mesh = scene.meshes.values_mut().next().expect("a mesh");
    mesh.parts.first_mut().expect("a part")
}

/// The first material.
pub fn first_material(scene: &mut Scene) -> &mut Material {
    scene.materials.values_mut().next().expect("a material")
}
