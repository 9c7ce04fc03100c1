//! What the model has no word for, by namespace.

use crate::Scene;
use anyrig_bytes::Value;
use std::collections::BTreeMap;

/// Values by namespace, for example `gltf.extras` or `urho.material`.
///
/// A pass that makes a namespace wrong (by moving indexes, say) removes it and says so in the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    values: BTreeMap<String, Value>,
}

impl Extras {
    /// Sets a namespace's value.
    pub fn set(&mut self, namespace: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(namespace.into(), value.into());
    }

    /// A namespace's value.
    pub fn get(&self, namespace: &str) -> Option<&Value> {
        self.values.get(namespace)
    }

    /// Removes a namespace.
    pub fn remove(&mut self, namespace: &str) -> Option<Value> {
        self.values.remove(namespace)
    }

    /// All namespaces in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Scene {
    /// Acts on the extras of the scene and of everything in it: the one walk, so that nobody forgets an element.
    pub fn for_each_extras_mut(&mut self, mut act: impl FnMut(&mut Extras)) {
        act(&mut self.extras);
        for node in self.nodes.values_mut() {
            act(&mut node.extras);
            node.instances.iter_mut().for_each(|i| act(&mut i.extras));
        }
        self.variants.iter_mut().for_each(|v| act(&mut v.extras));
        self.root_sets.iter_mut().for_each(|s| act(&mut s.extras));
        for mesh in self.meshes.values_mut() {
            act(&mut mesh.extras);
            mesh.parts.iter_mut().for_each(|p| act(&mut p.extras));
        }
        self.skins.values_mut().for_each(|s| act(&mut s.extras));
        for material in self.materials.values_mut() {
            act(&mut material.extras);
            material.part_extras_mut().for_each(&mut act);
            material.texture_slots_mut().into_iter().flatten().for_each(|used| act(&mut used.extras));
        }
        for texture in self.textures.values_mut() {
            act(&mut texture.extras);
            texture.sampler.iter_mut().for_each(|s| act(&mut s.extras));
        }
        self.images.values_mut().for_each(|i| act(&mut i.extras));
        self.cameras.values_mut().for_each(|c| act(&mut c.extras));
        self.lights.values_mut().for_each(|l| act(&mut l.extras));
        for clip in &mut self.clips {
            act(&mut clip.extras);
            clip.channels.iter_mut().for_each(|c| act(&mut c.extras));
        }
    }
}
