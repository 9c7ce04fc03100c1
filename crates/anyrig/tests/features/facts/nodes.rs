//! Nodes, and what they carry besides meshes.

use super::Facts;
use anyrig::Value;
use anyrig::scene::glam::DAffine3;
use anyrig::scene::{
    Extras, Feature, InheritMode, LightKind, LocalTransform, NodeId, Projection, Scene, Trs, USER, walk,
};
use std::collections::BTreeSet;

pub fn add(scene: &Scene, namespaces: &BTreeSet<String>, facts: &mut Facts) {
    let worlds = walk::rest_world_transforms(scene);
    let joints: BTreeSet<NodeId> = scene.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
    for (id, node) in scene.nodes.iter() {
        let numbers = |world: &DAffine3| world.to_cols_array();
        let world = &worlds[id.index()];
        if !node.visible {
            facts.add(Feature::HiddenNodes, node.name.clone(), []);
        }
        let shows = node.mesh.is_some() || node.camera.is_some() || node.light.is_some();
        if !shows && !joints.contains(&id) {
            facts.add(Feature::PlainNodes, node.name.clone(), numbers(world));
        }
        if let LocalTransform::Matrix(matrix) = node.local {
            let sheared = Trs::from_affine(matrix, 1e-6).is_none();
            facts.add(Feature::MatrixTransforms, format!("{}, sheared: {sheared}", node.name), numbers(&matrix));
        }
        if node.pivots.is_some() {
            facts.add(Feature::Pivots, node.name.clone(), []);
        }
        if node.inherit != InheritMode::Full {
            facts.add(Feature::InheritModes, node.name.clone(), []);
        }
        if node.geometric.is_some() {
            facts.add(Feature::GeometricTransforms, node.name.clone(), []);
        }
        views(scene, id, world, facts);
    }
    if scene.root_sets.len() > 1 {
        for set in &scene.root_sets {
            let roots: Vec<&str> = set.roots.iter().map(|n| scene.nodes[*n].name.as_str()).collect();
            facts.add(Feature::SeveralRootSets, format!("{}: {}", set.name, roots.join(", ")), []);
        }
    }
    for_each_extras(scene, |owner, extras| {
        for (namespace, value) in extras.iter().filter(|(name, _)| namespaces.contains(*name)) {
            // What users attached stands among the members of glTF's own extras once it is in a file.
            match value {
                Value::Object(members) if [USER, "gltf.extras"].contains(&namespace) => {
                    for (name, value) in members {
                        facts.add(Feature::Extras, format!("{owner} user {name}: {value:?}"), []);
                    }
                }
                value => facts.add(Feature::Extras, format!("{owner} {namespace}: {value:?}"), []),
            }
        }
    });
}

/// Cameras and lights, and where they stand.
fn views(scene: &Scene, id: NodeId, world: &DAffine3, facts: &mut Facts) {
    let place = world.to_cols_array();
    if let Some(camera) = scene.nodes[id].camera.and_then(|c| scene.cameras.get(c)) {
        let numbers = match camera.projection {
            Projection::Perspective { fov_y_rad, aspect_ratio, near, far } => {
                [fov_y_rad, aspect_ratio.unwrap_or(0.0), near, far.unwrap_or(0.0)]
            }
            Projection::Orthographic { x_mag, y_mag, near, far } => [x_mag, y_mag, near, far],
        };
        facts.add(Feature::Cameras, camera.name.clone(), numbers.into_iter().chain(place));
    }
    if let Some(light) = scene.nodes[id].light.and_then(|l| scene.lights.get(l)) {
        let numbers = light.color.into_iter().chain([light.intensity, light.range.unwrap_or(0.0)]);
        facts.add(Feature::Lights, light.name.clone(), numbers.chain(place));
        if let LightKind::Spot { inner_cone_rad, outer_cone_rad } = light.kind {
            facts.add(Feature::SpotLights, light.name.clone(), [inner_cone_rad, outer_cone_rad]);
        }
    }
}

/// Calls back with the extras of each element and what it is.
pub fn for_each_extras(scene: &Scene, mut act: impl FnMut(String, &Extras)) {
    act("scene".to_owned(), &scene.extras);
    scene.nodes.values().for_each(|n| act(format!("node {}", n.name), &n.extras));
    for mesh in scene.meshes.values() {
        act(format!("mesh {}", mesh.name), &mesh.extras);
        mesh.parts.iter().for_each(|part| act(format!("part {} of {}", part.slot, mesh.name), &part.extras));
    }
    scene.materials.values().for_each(|m| act(format!("material {}", m.name), &m.extras));
    scene.clips.iter().for_each(|c| act(format!("clip {}", c.name), &c.extras));
}
