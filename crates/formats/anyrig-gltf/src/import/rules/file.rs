//! Rules for the container, and for lists wherever they are.

use super::Rules;
use crate::document::Container;
use crate::document::json::At;
use anyrig_bytes::Value;
use std::collections::BTreeSet;

/// Lists and objects that may be left out but must not be empty.
const NEVER_EMPTY: &[&str] = &[
    "accessors",
    "animations",
    "attributes",
    "buffers",
    "bufferViews",
    "cameras",
    "channels",
    "children",
    "extensionsRequired",
    "extensionsUsed",
    "images",
    "joints",
    "lights",
    "mappings",
    "materials",
    "meshes",
    "nodes",
    "primitives",
    "samplers",
    "scenes",
    "skins",
    "targets",
    "textures",
    "variants",
    "weights",
];

/// Lists that must not say anything twice.
const UNIQUE: &[&str] = &["children", "extensionsRequired", "extensionsUsed", "joints", "nodes"];

impl Rules<'_> {
    pub(super) fn file(&mut self) {
        if let Container::Binary(glb) = self.document.container() {
            for _ in glb.chunks.iter().filter(|c| c.data.len() % 4 != 0) {
                self.found.add("GLB_CHUNK_LENGTH_UNALIGNED", &At::Root);
            }
        }
        let json = std::mem::replace(&mut self.json, Value::Null);
        self.lists(&json, &At::Root);
        self.json = json;
    }

    /// Nesting is bounded: the text was parsed.
    fn lists(&mut self, value: &Value, at: &At<'_>) {
        match value {
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| key != "extras") {
                    let at = at.key(key);
                    self.list(key, value, &at);
                    self.lists(value, &at);
                }
            }
            Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| self.lists(item, &at.index(i))),
            _ => {}
        }
    }

    fn list(&mut self, key: &str, value: &Value, at: &At<'_>) {
        let is_empty = match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        if is_empty && NEVER_EMPTY.contains(&key) {
            self.add("EMPTY_ENTITY", at);
        }
        let Some(items) = value.as_array().filter(|_| UNIQUE.contains(&key)) else { return };
        let mut seen = BTreeSet::new();
        for (i, item) in items.iter().enumerate() {
            let word = item.as_str().map(str::to_owned).or_else(|| item.as_i64().map(|n| n.to_string()));
            if word.is_some_and(|word| !seen.insert(word)) {
                self.add("DUPLICATE_ELEMENTS", &at.index(i));
            }
        }
    }
}
