//! Rules for extensions that are carried rather than read.

use super::{Rules, list};
use crate::document::json::At;
use anyrig_bytes::Value;

const VARIANTS: &str = "KHR_materials_variants";

/// Numbers of material extensions and their ranges, each end included; colours have one range for all components.
const RANGES: &[(&str, &str, f64, f64)] = &[
    ("KHR_materials_anisotropy", "anisotropyStrength", 0.0, 1.0),
    ("KHR_materials_clearcoat", "clearcoatFactor", 0.0, 1.0),
    ("KHR_materials_clearcoat", "clearcoatRoughnessFactor", 0.0, 1.0),
    ("KHR_materials_dispersion", "dispersion", 0.0, f64::INFINITY),
    ("KHR_materials_iridescence", "iridescenceFactor", 0.0, 1.0),
    ("KHR_materials_iridescence", "iridescenceIor", 1.0, f64::INFINITY),
    ("KHR_materials_iridescence", "iridescenceThicknessMaximum", 0.0, f64::INFINITY),
    ("KHR_materials_iridescence", "iridescenceThicknessMinimum", 0.0, f64::INFINITY),
    ("KHR_materials_sheen", "sheenColorFactor", 0.0, 1.0),
    ("KHR_materials_sheen", "sheenRoughnessFactor", 0.0, 1.0),
    ("KHR_materials_specular", "specularFactor", 0.0, 1.0),
    ("KHR_materials_specular", "specularColorFactor", 0.0, f64::INFINITY),
    ("KHR_materials_transmission", "transmissionFactor", 0.0, 1.0),
    ("KHR_materials_volume", "attenuationColor", 0.0, 1.0),
    ("KHR_materials_volume", "attenuationDistance", f64::MIN_POSITIVE, f64::INFINITY),
    ("KHR_materials_volume", "thicknessFactor", 0.0, f64::INFINITY),
];

impl Rules<'_> {
    pub(super) fn extensions(&mut self) {
        let root = self.root;
        let used = root.extensions_used.as_deref().unwrap_or_default();
        let at = At::Root;
        let at_required = at.key("extensionsRequired");
        if root.extensions_required.is_some() && root.extensions_used.is_none() {
            self.add("UNSATISFIED_DEPENDENCY", &at_required);
        }
        for (i, _) in list(root.extensions_required.as_ref()).filter(|(_, name)| !used.contains(name)) {
            self.add("UNUSED_EXTENSION_REQUIRED", &at_required.index(i));
        }
        let json = std::mem::replace(&mut self.json, Value::Null);
        self.declarations(&json, &at, used);
        self.materials(&json);
        self.variants(&json);
        self.json = json;
    }

    /// Nesting is bounded: the text was parsed.
    fn declarations(&mut self, value: &Value, at: &At<'_>, used: &[String]) {
        match value {
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| key != "extras") {
                    let at = at.key(key);
                    if let ("extensions", Value::Object(extensions)) = (key.as_str(), value) {
                        self.declared(extensions, &at, used);
                    }
                    self.declarations(value, &at, used);
                }
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, item)| self.declarations(item, &at.index(i), used));
            }
            _ => {}
        }
    }

    fn declared(&mut self, extensions: &[(String, Value)], at: &At<'_>, used: &[String]) {
        for (name, value) in extensions {
            if !matches!(value, Value::Object(_)) {
                self.add("TYPE_MISMATCH", &at.key(name));
            } else if !used.contains(name) {
                self.add("UNDECLARED_EXTENSION", &at.key(name));
            }
        }
    }

    fn materials(&mut self, json: &Value) {
        let textures = self.root.textures.as_ref().map_or(0, Vec::len);
        let at = At::Root;
        let at = at.key("materials");
        for (i, material) in json.get("materials").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let at = at.index(i);
            let at = at.key("extensions");
            for (name, key, least, greatest) in RANGES {
                let Some(value) = material.get("extensions").and_then(|e| e.get(name)?.get(key)) else { continue };
                let is_outside = |v: &Value| v.as_f64().is_some_and(|n| !(*least..=*greatest).contains(&n));
                let numbers = value.as_array().unwrap_or(std::slice::from_ref(value));
                if numbers.iter().any(is_outside) {
                    self.add("VALUE_NOT_IN_RANGE", &at.key(name).key(key));
                }
            }
            // 0 stands for a material that is not lit by its index.
            let ior = material.get("extensions").and_then(|e| e.get("KHR_materials_ior")?.get("ior")?.as_f64());
            if ior.is_some_and(|ior| ior != 0.0 && ior < 1.0) {
                self.add("VALUE_NOT_IN_RANGE", &at.key("KHR_materials_ior").key("ior"));
            }
            let Some(Value::Object(extensions)) = material.get("extensions") else { continue };
            for (name, value) in extensions.iter().filter(|(name, _)| name.starts_with("KHR_materials_")) {
                self.textures(value, textures, &at.key(name));
            }
        }
    }

    fn textures(&mut self, extension: &Value, textures: usize, at: &At<'_>) {
        let Value::Object(members) = extension else { return };
        for (key, value) in members {
            let index = value.get("index").and_then(Value::as_i64);
            if index.is_some_and(|index| usize::try_from(index).is_ok_and(|index| index >= textures)) {
                self.add("UNRESOLVED_REFERENCE", &at.key(key).key("index"));
            }
        }
    }

    fn variants(&mut self, json: &Value) {
        let (at, none) = (At::Root, Vec::new());
        let at_root = at.key("extensions");
        let at_root = at_root.key(VARIANTS);
        let extension = json.get("extensions").and_then(|e| e.get(VARIANTS));
        let variants = extension.and_then(|v| v.get("variants")?.as_array()).unwrap_or(&none);
        for (i, _) in variants.iter().enumerate().filter(|(_, v)| v.get("name").is_some_and(|n| n.as_str().is_none())) {
            self.add("TYPE_MISMATCH", &at_root.key("variants").index(i).key("name"));
        }
        let at_meshes = at.key("meshes");
        for (m, mesh) in list(self.root.meshes.as_ref()) {
            let at = at_meshes.index(m);
            let at = at.key("primitives");
            for (p, primitive) in list(mesh.primitives.as_ref()) {
                let extension = primitive.extensions.as_ref().and_then(|e| e.get(VARIANTS));
                let at = at.index(p);
                let at = at.key("extensions");
                if let Some(extension) = extension {
                    self.mappings(extension, variants.len(), &at.key(VARIANTS));
                }
            }
        }
    }

    fn mappings(&mut self, extension: &Value, variants: usize, at: &At<'_>) {
        let materials = self.root.materials.as_ref().map_or(0, Vec::len);
        let Some(mappings) = extension.get("mappings").and_then(Value::as_array) else {
            return self.add("UNDEFINED_PROPERTY", at);
        };
        let at = at.key("mappings");
        for (i, mapping) in mappings.iter().enumerate() {
            let at = at.index(i);
            self.references(mapping, ("material", materials), &at);
            self.references(mapping, ("variants", variants), &at);
        }
    }

    /// The index, or the list of indices, that must stand at a key and be below its count.
    fn references(&mut self, mapping: &Value, (key, count): (&str, usize), at: &At<'_>) {
        let Some(value) = mapping.get(key) else { return self.add("UNDEFINED_PROPERTY", at) };
        let indices = value.as_array().unwrap_or(std::slice::from_ref(value));
        let is_beyond = |i: i64| usize::try_from(i).map_or(true, |i| i >= count);
        if indices.iter().filter_map(Value::as_i64).any(is_beyond) {
            self.add("UNRESOLVED_REFERENCE", &at.key(key));
        }
    }
}
