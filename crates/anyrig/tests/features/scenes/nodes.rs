//! Nodes, and what they carry besides meshes.

use super::{first_part, still};
use anyrig::Value;
use anyrig::scene::glam::{DAffine3, DMat3, DVec3};
use anyrig::scene::{
    Camera, Feature, InheritMode, Light, LightKind, LocalTransform, Mesh, MeshInstance, Node, NodeId, Pivots,
    Projection, RootSet, Scene, Trs, USER,
};

pub fn scene(feature: Feature) -> Scene {
    use Feature as F;
    match feature {
        F::Cameras => with_node(|scene, node| {
            let projection = Projection::Perspective { fov_y_rad: 0.5, aspect_ratio: Some(1.5), near: 0.25, far: None };
            node.camera = Some(scene.cameras.push(Camera::new("eye", projection)));
        }),
        F::Lights => with_node(|scene, node| {
            let mut light = Light::new("lamp", LightKind::Point);
            (light.color, light.intensity, light.range) = ([1.0, 0.5, 0.25], 3.0, Some(8.0));
            node.light = Some(scene.lights.push(light));
        }),
        F::SpotLights => with_node(|scene, node| {
            let kind = LightKind::Spot { inner_cone_rad: 0.25, outer_cone_rad: 0.5 };
            node.light = Some(scene.lights.push(Light::new("spot", kind)));
        }),
        F::HiddenNodes => with_node(|scene, node| {
            node.mesh = scene.nodes[NodeId::new(0)].mesh.clone();
            node.visible = false;
        }),
        F::PlainNodes => with_node(|_, _| {}),
        F::MatrixTransforms => sheared(),
        F::Pivots => with_mesh_node(|node| {
            let mut pivots = Pivots::IDENTITY;
            (pivots.translation, pivots.rotation_pivot) = (DVec3::new(0.0, 1.0, 0.0), DVec3::new(1.0, 0.0, 0.0));
            pivots.rotation_deg = DVec3::new(0.0, 0.0, 90.0);
            node.local = LocalTransform::Trs(pivots.to_trs());
            node.pivots = Some(Box::new(pivots));
        }),
        F::InheritModes => inherit(),
        F::GeometricTransforms => with_mesh_node(|node| {
            let moved = Trs { translation: DVec3::new(0.0, 0.0, 2.0), ..Trs::IDENTITY };
            node.geometric = Some(Box::new(moved));
        }),
        F::SeveralRootSets => {
            let mut scene = with_node(|_, _| {});
            let more = NodeId::new(1);
            scene.root_sets[0].roots.retain(|node| *node != more);
            scene.root_sets.push(RootSet::new("more", vec![more]));
            scene.nodes[more].mesh = scene.nodes[NodeId::new(0)].mesh.clone();
            scene
        }
        F::Extras => {
            let mut scene = still();
            let extras = &mut scene.nodes[NodeId::new(0)].extras;
            extras.set("tool.tags", Value::from("hero"));
            extras.set_bookkeeping("tool.row", Value::from(3));
            extras.set(USER, Value::Object(vec![("health".to_owned(), Value::from(7))]));
            first_part(&mut scene).extras.set("gltf.extras", Value::from("ours"));
            scene
        }
        other => panic!("{other} is nothing of nodes"),
    }
}

/// The still scene with a second root.
fn with_node(change: impl FnOnce(&mut Scene, &mut Node)) -> Scene {
    let mut scene = still();
    let mut node = Node::new("more");
    node.local = Trs { translation: DVec3::new(0.0, 0.0, 4.0), ..Trs::IDENTITY }.into();
    change(&mut scene, &mut node);
    let node = scene.add_node(node, None);
    scene.root_sets[0].roots.push(node);
    scene
}

fn with_mesh_node(change: impl FnOnce(&mut Node)) -> Scene {
    let mut scene = still();
    change(&mut scene.nodes[NodeId::new(0)]);
    scene
}

/// A sheared node with a clip on it, so that no format can put it into the vertices.
fn sheared() -> Scene {
    let mut scene = super::moving();
    let root = &mut scene.nodes[NodeId::new(1)];
    let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z);
    root.local = LocalTransform::Matrix(DAffine3::from_mat3_translation(shear, DVec3::new(0.5, 0.0, 0.0)));
    scene
}

/// A mesh below a scaled node that takes over all but the scale.
fn inherit() -> Scene {
    let mut scene = still();
    let mut mesh: Mesh = scene.meshes.values().next().expect("a mesh").clone();
    "more".clone_into(&mut mesh.name);
    let mesh = scene.meshes.push(mesh);
    scene.nodes[NodeId::new(0)].local = Trs { scale: DVec3::new(1.0, 2.0, 1.0), ..Trs::IDENTITY }.into();
    let mut below = Node::new("below");
    below.inherit = InheritMode::IgnoreParentScale;
    below.local = Trs { translation: DVec3::new(0.0, 3.0, 0.0), ..Trs::IDENTITY }.into();
    let mut instance = MeshInstance::new(mesh);
    instance.materials = scene.nodes[NodeId::new(0)].mesh.as_ref().expect("the mesh").materials.clone();
    below.mesh = Some(instance);
    scene.add_node(below, Some(NodeId::new(0)));
    scene
}
