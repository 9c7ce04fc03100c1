//! What the model has no word for, by namespace.

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
