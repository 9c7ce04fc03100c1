//! Nodes.

use super::meshes::has_influences;
use super::{Saver, extend, extras, named, raw_extension, some, unless};
use crate::codes;
use crate::document::json::short;
use crate::document::{LightReference, NodeObject, NodeVisibility};
use anyrig_scene::glam::DAffine3;
use anyrig_scene::{LocalTransform, MeshInstance, Node, NodeId, Target, Trs};
use std::collections::BTreeSet;

impl Saver<'_> {
    pub(super) fn nodes(&mut self) {
        // Those must not have a matrix (specification 5.25).
        let animated = self.scene.moved_nodes();
        let mut objects = Vec::new();
        let blinking = self.blinking_nodes();
        let scene = self.scene;
        for (id, node) in scene.nodes.iter() {
            let mut object = self.node(id, node, animated.contains(&id));
            // A pointer must lead to something.
            if !node.visible || blinking.contains(&id) {
                let value = NodeVisibility { visible: unless(node.visible, &true), ..NodeVisibility::default() };
                extend(&mut object.extensions, "KHR_node_visibility", raw_extension(&value));
            }
            if let (Some(instances), Some(_)) = (&node.instances, object.mesh) {
                let value = self.instances(id, instances);
                extend(&mut object.extensions, super::instances::NAME, value);
            }
            objects.push(object);
        }
        self.constraints(&mut objects);
        self.root.nodes = some(objects);
    }

    fn blinking_nodes(&self) -> BTreeSet<NodeId> {
        let channels = self.scene.clips.iter().flat_map(|c| &c.channels);
        let blinks = |target: &Target| if let Target::Visibility { node } = target { Some(*node) } else { None };
        channels.filter_map(|c| blinks(&c.target)).collect()
    }

    fn node(&self, id: NodeId, node: &Node, animated: bool) -> NodeObject {
        let mut object = NodeObject { name: named(&node.name), ..NodeObject::default() };
        extras::restore!(object, &node.extras);
        object.children = some(node.children.iter().map(|c| c.index() as u32).collect());
        object.camera = node.camera.map(|c| c.index() as u32);
        match node.local {
            LocalTransform::Matrix(affine) if !animated && affine != DAffine3::IDENTITY => {
                object.matrix = Some(columns(affine));
            }
            local => transform(local.to_trs(), &mut object),
        }
        if let Some(instance) = &node.mesh {
            self.instance(id, instance, &mut object);
        }
        if let Some(light) = node.light {
            let value = LightReference { light: Some(light.index() as u32), ..LightReference::default() };
            extend(&mut object.extensions, "KHR_lights_punctual", raw_extension(&value));
        }
        object
    }

    fn instance(&self, id: NodeId, instance: &MeshInstance, object: &mut NodeObject) {
        object.mesh = self.mesh_index(instance);
        if object.mesh.is_none() {
            return;
        }
        if !instance.morph_weights.is_empty() {
            object.weights = Some(instance.morph_weights.iter().map(|w| short(*w)).collect());
        }
        let skin = instance.skin.and_then(|s| self.skin_indexes.get(s.index()).copied().flatten());
        if skin.is_some() && !self.scene.meshes.get(instance.mesh).is_some_and(has_influences) {
            return self.context.tell(&codes::SKIN_UNUSED, format!("node {}", id.index()), "");
        }
        object.skin = skin;
    }
}

fn transform(trs: Trs, object: &mut NodeObject) {
    object.translation = unless(trs.translation.to_array(), &[0.0; 3]);
    // Rounding may leave a component just outside of -1 to 1, which glTF does not allow.
    object.rotation = unless(trs.rotation.to_array().map(|c| c.clamp(-1.0, 1.0)), &[0.0, 0.0, 0.0, 1.0]);
    object.scale = unless(trs.scale.to_array(), &[1.0; 3]);
}

fn columns(affine: DAffine3) -> [f64; 16] {
    let m = affine.to_cols_array();
    [m[0], m[1], m[2], 0.0, m[3], m[4], m[5], 0.0, m[6], m[7], m[8], 0.0, m[9], m[10], m[11], 1.0]
}
