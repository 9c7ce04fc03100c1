//! What the model has no word for, by namespace.

use crate::Scene;
use anyrig_bytes::Value;
use std::collections::BTreeMap;

/// What users attached to an element in an authoring program, under their own names: an object of JSON-like values.
/// Formats that know custom properties of elements hold them there.
pub const USER: &str = "user";

/// Values by namespace, for example `gltf.extras` or `urho.material`; [`USER`] belongs to no format.
///
/// A pass that makes a namespace wrong (by moving indexes, say) removes it and says so in the report.
///
/// Some namespaces are bookkeeping: how a format spells what the scene says in its own terms, or what its programs keep
/// for their windows. Nobody outside of the format misses them, so an exporter of another one leaves them out without a
/// word. All others are carried: an exporter without a place for one says that it is lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    values: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    value: Value,
    is_bookkeeping: bool,
}

impl Extras {
    /// Sets a namespace's value.
    pub fn set(&mut self, namespace: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(namespace.into(), Entry { value: value.into(), is_bookkeeping: false });
    }

    /// Sets the value of a namespace that is bookkeeping.
    pub fn set_bookkeeping(&mut self, namespace: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(namespace.into(), Entry { value: value.into(), is_bookkeeping: true });
    }

    /// A namespace's value.
    pub fn get(&self, namespace: &str) -> Option<&Value> {
        self.values.get(namespace).map(|entry| &entry.value)
    }

    /// Removes a namespace.
    pub fn remove(&mut self, namespace: &str) -> Option<Value> {
        self.values.remove(namespace).map(|entry| entry.value)
    }

    /// All namespaces in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(namespace, entry)| (namespace.as_str(), &entry.value))
    }

    /// All namespaces but bookkeeping, in alphabetical order.
    pub fn carried(&self) -> impl Iterator<Item = (&str, &Value)> {
        let carried = self.values.iter().filter(|(_, entry)| !entry.is_bookkeeping);
        carried.map(|(namespace, entry)| (namespace.as_str(), &entry.value))
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
        self.rig.extras_mut().for_each(act);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bookkeeping_is_kept_and_not_carried() {
        let mut extras = Extras::default();
        extras.set("tool.tags", "hero");
        extras.set_bookkeeping("tool.row", 3);
        assert_eq!(extras.iter().map(|(namespace, _)| namespace).collect::<Vec<_>>(), ["tool.row", "tool.tags"]);
        assert_eq!(extras.carried().map(|(namespace, _)| namespace).collect::<Vec<_>>(), ["tool.tags"]);
        assert_eq!(extras.get("tool.row"), Some(&Value::Int(3)));
        extras.set("tool.row", 4);
        assert_eq!(extras.carried().count(), 2, "who sets it anew says what it is");
        assert_eq!(extras.remove("tool.row"), Some(Value::Int(4)));
    }
}
