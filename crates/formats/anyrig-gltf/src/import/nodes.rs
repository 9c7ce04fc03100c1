//! Nodes and scenes.

use super::extras::{keep, raw};
use super::{Loader, in_list, list};
use crate::codes;
use crate::document::json::At;
use crate::document::{LightReference, NodeObject, NodeVisibility, typed};
use crate::names::{MATERIALS, NODE_CONSTRAINT};
use anyrig_bytes::{Diagnostic, Result, Value};
use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{
    CameraId, LightId, LocalTransform, MaterialId, MeshId, MeshInstance, Node, NodeId, RootSet, SkinId, Trs,
};

/// Node extensions that are read.
pub(super) const READ: &[&str] =
    &["KHR_lights_punctual", "KHR_node_visibility", super::instances::NAME, NODE_CONSTRAINT];

impl Loader<'_> {
    pub(super) fn nodes(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("nodes");
        let count = self.root.nodes.as_ref().map_or(0, Vec::len);
        self.context.take_elements(count as u64, || at.place())?;
        self.context.take_memory(count as u64 * size_of::<Node>() as u64, || at.place())?;
        for (i, node) in list(self.root.nodes.as_ref()) {
            let node = self.node(node, count, &at.index(i))?;
            self.scene.nodes.push(node);
        }
        self.link_parents();
        self.keep_unshown_materials();
        Ok(())
    }

    fn node(&mut self, object: &NodeObject, nodes: usize, at: &At<'_>) -> Result<Node> {
        let mut out = Node::new(object.name.clone().unwrap_or_default());
        out.local = self.local(object, at);
        let children = object.children.iter().flatten().enumerate();
        let at_children = at.key("children");
        let child = |(i, c): (usize, &u32)| in_list(*c, nodes, &at_children.index(i), "node").map(NodeId::new);
        out.children = children.map(child).collect::<Result<_>>()?;
        out.mesh = self.mesh_instance(object, at)?;
        let camera = object.camera.map(|c| in_list(c, self.scene.cameras.len(), &at.key("camera"), "camera"));
        out.camera = camera.transpose()?.map(CameraId::new);
        self.node_extensions(object, &mut out, at)?;
        out.instances = self.instances(object, at)?;
        out.extras = keep(&raw!(object), READ, at, self.context);
        Ok(out)
    }

    fn node_extensions(&self, object: &NodeObject, out: &mut Node, at: &At<'_>) -> Result<()> {
        let Some(extensions) = &object.extensions else { return Ok(()) };
        let at = at.key("extensions");
        if let Some(value) = extensions.get("KHR_lights_punctual") {
            let at = at.key("KHR_lights_punctual");
            let reference: LightReference = typed(value, &at, self.context)?;
            let lights = self.scene.lights.len();
            let light = reference.light.map(|l| in_list(l, lights, &at.key("light"), "light")).transpose()?;
            out.light = light.map(LightId::new);
            self.no_more(&raw!(reference), &at);
        }
        if let Some(value) = extensions.get("KHR_node_visibility") {
            let at = at.key("KHR_node_visibility");
            let visibility: NodeVisibility = typed(value, &at, self.context)?;
            out.visible = visibility.visible.unwrap_or(true);
            self.no_more(&raw!(visibility), &at);
        }
        Ok(())
    }

    fn local(&self, object: &NodeObject, at: &At<'_>) -> LocalTransform {
        let Some(m) = object.matrix else {
            let [x, y, z, w] = object.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
            let trs = Trs {
                translation: DVec3::from_array(object.translation.unwrap_or([0.0; 3])),
                rotation: DQuat::from_xyzw(x, y, z, w),
                scale: DVec3::from_array(object.scale.unwrap_or([1.0; 3])),
            };
            return trs.into();
        };
        let at = at.key("matrix");
        if object.translation.is_some() || object.rotation.is_some() || object.scale.is_some() {
            self.repaired(&codes::MATRIX_AND_TRS, &at, "translation, rotation and scale were ignored");
        }
        if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
            self.repaired(&codes::MATRIX_LAST_ROW, &at, "");
        }
        let columns = [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10], m[12], m[13], m[14]];
        LocalTransform::Matrix(DAffine3::from_cols_array(&columns))
    }

    pub(super) fn repaired(&self, code: &'static anyrig_bytes::Code, at: &At<'_>, message: &str) {
        self.context.push(Diagnostic::new(code, at.pointer(), message).at(at.place()));
    }

    fn mesh_instance(&self, object: &NodeObject, at: &At<'_>) -> Result<Option<MeshInstance>> {
        let skins = self.root.skins.as_ref().map_or(0, Vec::len);
        let skin = object.skin.map(|s| in_list(s, skins, &at.key("skin"), "skin")).transpose()?;
        let Some(mesh) = object.mesh else {
            if skin.is_some() || object.weights.is_some() {
                self.repaired(&codes::NODE_WITHOUT_MESH, at, "skin and weights were ignored");
            }
            return Ok(None);
        };
        let mesh = MeshId::new(in_list(mesh, self.scene.meshes.len(), &at.key("mesh"), "mesh")?);
        let mut out = MeshInstance::new(mesh);
        out.skin = skin.map(SkinId::new);
        let materials = self.mesh_materials.get(mesh.index()).map_or(&[][..], Vec::as_slice);
        let targets = self.scene.meshes[mesh].morphs.len();
        let variants = self.mesh_variants.get(mesh.index()).map_or(&[][..], Vec::as_slice);
        let bytes = (materials.len() + targets) * 4 + size_of_val(variants);
        self.context.take_memory(bytes as u64, || at.place())?;
        out.materials = materials.to_vec();
        out.variants = variants.to_vec();
        if let Some(weights) = &object.weights {
            out.morph_weights = self.weights(weights, targets, &at.key("weights"));
        }
        Ok(Some(out))
    }

    /// As many weights as there are targets.
    pub(super) fn weights(&self, given: &[f64], targets: usize, at: &At<'_>) -> Vec<f32> {
        if given.len() != targets {
            let message = format!("{} weights for {targets} targets", given.len());
            self.repaired(&codes::WEIGHT_COUNT, at, &message);
        }
        let mut weights: Vec<f32> = given.iter().map(|w| *w as f32).collect();
        weights.resize(targets, 0.0);
        weights
    }

    /// Parents by the children lists; validation settles what has several.
    fn link_parents(&mut self) {
        for index in 0..self.scene.nodes.len() {
            let parent = NodeId::new(index);
            let children = self.scene.nodes[parent].children.clone();
            for child in children {
                self.scene.nodes[child].parent.get_or_insert(parent);
            }
        }
    }

    /// Materials belong to mesh instances; a mesh that no node shows keeps its own as an extra.
    fn keep_unshown_materials(&mut self) {
        let mut shown = vec![false; self.scene.meshes.len()];
        self.scene.nodes.values().filter_map(|n| n.mesh.as_ref()).for_each(|m| shown[m.mesh.index()] = true);
        let number = |m: &Option<MaterialId>| m.map_or(Value::Null, |m| Value::Int(m.index() as i64));
        for (index, materials) in self.mesh_materials.iter().enumerate().filter(|(i, _)| !shown[*i]) {
            if materials.iter().any(Option::is_some) {
                let list: Vec<Value> = materials.iter().map(number).collect();
                self.scene.meshes[MeshId::new(index)].extras.set(MATERIALS, list);
            }
            if self.mesh_variants.get(index).is_some_and(|v| !v.is_empty()) {
                let at = At::Root;
                let at = at.key("meshes");
                let at = at.index(index);
                let message = "its material variants, since no node shows it";
                self.context.push(Diagnostic::new(&codes::MEMBERS_DROPPED, at.pointer(), message).at(at.place()));
            }
        }
    }

    pub(super) fn scenes(&mut self) -> Result<()> {
        let at = At::Root;
        let nodes = self.scene.nodes.len();
        let at_scenes = at.key("scenes");
        let tops = self.tops();
        for (i, object) in list(self.root.scenes.as_ref()) {
            let at = at_scenes.index(i);
            let at_nodes = at.key("nodes");
            let mut roots = Vec::new();
            for (i, node) in object.nodes.iter().flatten().enumerate() {
                let at = at_nodes.index(i);
                let node = NodeId::new(in_list(*node, nodes, &at, "node")?);
                let top = tops.get(node.index()).copied().unwrap_or(node);
                if top != node {
                    self.repaired(&codes::ROOT_WITH_PARENT, &at, &format!("node {} is not a root", node.index()));
                }
                roots.push(top);
            }
            let mut set = RootSet::new(object.name.clone().unwrap_or_default(), roots);
            set.extras = keep(&raw!(object), &[], &at, self.context);
            self.scene.root_sets.push(set);
        }
        let default = self.root.scene.map(|s| in_list(s, self.scene.root_sets.len(), &at.key("scene"), "scene"));
        self.scene.default_root_set = default.transpose()?;
        Ok(())
    }

    /// The root above each node; a node that is in a loop, or below one, stands for itself.
    fn tops(&self) -> Vec<NodeId> {
        let nodes = &self.scene.nodes;
        let mut tops: Vec<NodeId> = nodes.ids().collect();
        let mut walk_of = vec![0usize; nodes.len()];
        let mut path = Vec::new();
        for start in nodes.ids() {
            let (walk, mut here) = (start.index() + 1, start);
            let top = loop {
                match walk_of[here.index()] {
                    0 => walk_of[here.index()] = walk,
                    of if of == walk => break None,
                    _ => break Some(tops[here.index()]),
                }
                path.push(here);
                match nodes[here].parent {
                    Some(parent) => here = parent,
                    None => break Some(here),
                }
            };
            path.drain(..).for_each(|node| tops[node.index()] = top.unwrap_or(node));
        }
        tops
    }
}
