//! What the pointers of animated properties lead to.

use super::Loader;
use crate::codes;
use crate::document::json::At;
use crate::document::{AnimationPointer, ChannelTarget, typed};
use crate::pointers::{Pointed, parse};
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{
    Camera, CameraId, Channel, Curve, LightId, MaterialId, MaterialProperty, MeshId, NodeId, Projection, Property,
    Scene, Target,
};
use std::collections::BTreeMap;

impl Loader<'_> {
    /// The targets of a channel with a pointer: several where a mesh's weights move all nodes that show it.
    pub(super) fn pointer(&self, target: &ChannelTarget, curve: &Curve, at: &At<'_>) -> Result<Vec<Target>> {
        let at = at.key("extensions");
        let Some(value) = target.extensions.as_ref().and_then(|e| e.get("KHR_animation_pointer")) else {
            self.ignore(&codes::CHANNEL_UNKNOWN, &at, "the path is a pointer, but there is none");
            return Ok(Vec::new());
        };
        let at = at.key("KHR_animation_pointer");
        let object: AnimationPointer = typed(value, &at, self.context)?;
        let pointer = super::need(object.pointer, &at, "pointer")?;
        let at = at.key("pointer");
        let targets = parse(&pointer).map(|pointed| self.pointed(pointed, &pointer)).unwrap_or_default();
        if targets.is_empty() {
            // Lists of materials, cameras, lights and nodes keep their order through export.
            self.context.push(Diagnostic::new(&codes::POINTER_KEPT, at.pointer(), pointer.clone()).at(at.place()));
            return Ok(vec![Target::Other(pointer)]);
        }
        self.context.take_memory((targets.len() * size_of::<Channel>()) as u64, || at.place())?;
        let fits = |t: &Target| self.width_of(t).is_none_or(|width| width == curve.width);
        if !targets.iter().all(fits) {
            self.ignore(&codes::CHANNEL_UNKNOWN, &at, "its keys have another number of values than what it points to");
            return Ok(Vec::new());
        }
        Ok(targets)
    }

    /// Floats per key; `None` where validation settles it.
    fn width_of(&self, target: &Target) -> Option<usize> {
        match target {
            Target::Node { node, property } => property.width().or_else(|| Some(self.weights_of(*node))),
            Target::Material { property, .. } => Some(property.width()),
            Target::Light { property, .. } => Some(property.width()),
            Target::Camera { .. } | Target::Visibility { .. } | Target::Morph { .. } => Some(1),
            Target::Component { .. } | Target::Named { .. } | Target::Other(_) => None,
        }
    }

    fn weights_of(&self, node: NodeId) -> usize {
        let mesh = self.scene.nodes.get(node).and_then(|n| n.mesh.as_ref());
        mesh.and_then(|m| self.scene.meshes.get(m.mesh)).map_or(0, |m| m.morphs.len())
    }

    /// What is there of what a pointer names.
    fn pointed(&self, pointed: Pointed, pointer: &str) -> Vec<Target> {
        let scene = &self.scene;
        let node = |index: u32| scene.nodes.id(index as usize);
        let one = |target: Option<Target>| target.into_iter().collect::<Vec<_>>();
        match pointed {
            Pointed::Node(n, Property::MorphWeights) => {
                let found = node(n).filter(|n| self.weights_of(*n) > 0);
                one(found.map(|node| Target::Node { node, property: Property::MorphWeights }))
            }
            Pointed::Node(n, property) => one(node(n).map(|node| Target::Node { node, property })),
            Pointed::NodeWeight(n, target) => {
                let found = node(n).filter(|n| (target as usize) < self.weights_of(*n));
                one(found.map(|node| Target::Morph { node, target }))
            }
            Pointed::Visibility(n) => one(node(n).map(|node| Target::Visibility { node })),
            Pointed::MeshWeights(mesh) => {
                let moved = |node| Target::Node { node, property: Property::MorphWeights };
                self.showing(mesh, 0).iter().copied().map(moved).collect()
            }
            Pointed::MeshWeight(mesh, target) => {
                let nodes = self.showing(mesh, target as usize).iter();
                nodes.map(|node| Target::Morph { node: *node, target }).collect()
            }
            Pointed::Material(m, property) => one(self.material_target(m as usize, property)),
            Pointed::Camera(c, property) => {
                let camera = CameraId::new(c as usize);
                let has = scene.cameras.get(camera).is_some_and(|c| c.has(property) && agrees(c, pointer));
                one(has.then_some(Target::Camera { camera, property }))
            }
            Pointed::Light(l, property) => {
                let light = LightId::new(l as usize);
                let has = scene.lights.get(light).is_some_and(|l| l.has(property));
                one(has.then_some(Target::Light { light, property }))
            }
        }
    }

    fn material_target(&self, index: usize, property: MaterialProperty) -> Option<Target> {
        let material = MaterialId::new(index);
        let has = self.scene.materials.get(material)?.has(property);
        has.then_some(Target::Material { material, property })
    }

    /// The nodes that show a mesh of more than so many targets by its own weights.
    fn showing(&self, mesh: u32, target: usize) -> &[NodeId] {
        let mesh = MeshId::new(mesh as usize);
        if self.scene.meshes.get(mesh).is_none_or(|m| m.morphs.len() <= target) {
            return &[];
        }
        let shown = self.shown_by.get_or_init(|| shown_by(&self.scene));
        shown.get(&mesh).map_or(&[], Vec::as_slice)
    }
}

/// The nodes that show each mesh by its own weights.
fn shown_by(scene: &Scene) -> BTreeMap<MeshId, Vec<NodeId>> {
    let mut shown: BTreeMap<MeshId, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in scene.nodes.iter() {
        if let Some(instance) = node.mesh.as_ref().filter(|i| i.morph_weights.is_empty()) {
            shown.entry(instance.mesh).or_default().push(id);
        }
    }
    shown
}

/// Whether the pointer names the projection that the camera has.
fn agrees(camera: &Camera, pointer: &str) -> bool {
    let kind = match camera.projection {
        Projection::Perspective { .. } => "/perspective/",
        Projection::Orthographic { .. } => "/orthographic/",
    };
    pointer.contains(kind)
}
