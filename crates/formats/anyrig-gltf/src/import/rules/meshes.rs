//! Rules for meshes.

use super::{Rules, list};
use crate::document::json::At;
use crate::document::{Index, Named, Primitive};
use anyrig_bytes::Value;
use std::collections::BTreeSet;

/// How far the length of a normal or tangent may be from 1 (that of the Khronos validator for three components).
const UNIT_VECTOR_TOLERANCE: f64 = 0.00674;

/// Attributes of which there are numbered sets.
const SETS: [&str; 4] = ["TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"];

/// The set of a numbered attribute; its number is written without needless zeros.
fn set_of(name: &str) -> Option<(&'static str, u32)> {
    let (semantic, digits) = name.split_once('_')?;
    let semantic = SETS.into_iter().find(|s| *s == semantic)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some((semantic, number))
}

fn is_known(name: &str) -> bool {
    name.starts_with('_') || matches!(name, "POSITION" | "NORMAL" | "TANGENT") || set_of(name).is_some()
}

impl Rules<'_> {
    pub(super) fn meshes(&mut self) {
        let wishes = self.wishes();
        let at = At::Root;
        let at = at.key("meshes");
        for (i, mesh) in list(self.root.meshes.as_ref()) {
            let at = at.index(i);
            let at = at.key("primitives");
            for (p, primitive) in list(mesh.primitives.as_ref()) {
                self.primitive(primitive, &wishes, &at.index(p));
            }
        }
    }

    fn primitive(&mut self, primitive: &Primitive, wishes: &[Wishes], at: &At<'_>) {
        let none = Named::default();
        let attributes = primitive.attributes.as_ref().unwrap_or(&none);
        let at_attributes = at.key("attributes");
        for (name, accessor) in &attributes.0 {
            let at = at_attributes.key(name);
            self.attribute(name, *accessor, &at);
            self.attribute_values(name, *accessor, &at);
        }
        self.sets(attributes, &at_attributes);
        self.joints(attributes, &at_attributes);
        let at_targets = at.key("targets");
        for (t, target) in list(primitive.targets.as_ref()) {
            let at = at_targets.index(t);
            for (name, accessor) in &target.0 {
                self.target_attribute(name, *accessor, attributes, &at.key(name));
            }
        }
        if let Some(indices) = primitive.indices {
            self.indices(indices, &at.key("indices"));
        }
        if let Some(wishes) = primitive.material.and_then(|m| wishes.get(m as usize)) {
            self.material(wishes, attributes, &at.key("material"));
        }
    }

    fn attribute(&mut self, name: &str, index: Index, at: &At<'_>) {
        if !is_known(name) {
            self.add("MESH_PRIMITIVE_INVALID_ATTRIBUTE", at);
        }
        let Some(accessor) = self.accessor(index).cloned() else { return };
        if accessor.component_type == Some(5125) {
            self.add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", at);
        }
        if name == "POSITION" && (accessor.min.is_none() || accessor.max.is_none()) {
            self.add("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", at);
        }
        let Some(view) = accessor.buffer_view.and_then(|v| self.view(v)) else { return };
        let element = self.accessors.layout(index, at).map_or(4, |l| l.element_size() as u64);
        let distance = view.byte_stride.unwrap_or(element);
        if accessor.byte_offset.unwrap_or(0) % 4 != 0 || distance % 4 != 0 {
            self.add("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", at);
        }
    }

    fn target_attribute(&mut self, name: &str, index: Index, base: &Named<Index>, at: &At<'_>) {
        if !is_known(name) || ["JOINTS", "WEIGHTS"].iter().any(|s| set_of(name).is_some_and(|(found, _)| found == *s)) {
            self.add("MESH_PRIMITIVE_INVALID_ATTRIBUTE", at);
        }
        if base.get(name).is_none() {
            self.add("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", at);
        }
        let has_bounds = self.accessor(index).is_some_and(|a| a.min.is_some() && a.max.is_some());
        if name == "POSITION" && !has_bounds {
            self.add("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", at);
        }
    }

    fn attribute_values(&mut self, name: &str, accessor: Index, at: &At<'_>) {
        let width = match name {
            "NORMAL" => 3,
            "TANGENT" => 4,
            _ => return,
        };
        let Some(values) = self.floats(accessor, at) else { return };
        let is_unit = |v: &[f32]| {
            let length = v.iter().take(3).map(|n| f64::from(*n) * f64::from(*n)).sum::<f64>().sqrt();
            (length - 1.0).abs() <= UNIT_VECTOR_TOLERANCE
        };
        if !values.chunks_exact(width).all(is_unit) {
            self.add("ACCESSOR_VECTOR3_NON_UNIT", at);
        }
        if width == 4 && values.chunks_exact(width).any(|v| v.last().is_some_and(|w| w.abs() != 1.0)) {
            self.add("ACCESSOR_INVALID_SIGN", at);
        }
    }

    /// Sets are numbered from 0 without gaps (specification 3.7.2.1).
    fn sets(&mut self, attributes: &Named<Index>, at: &At<'_>) {
        for semantic in SETS {
            let of_it = attributes.0.iter().filter_map(|(name, _)| set_of(name)).filter(|(s, _)| *s == semantic);
            let numbers: BTreeSet<u32> = of_it.map(|(_, number)| number).collect();
            let has_gap = numbers.last().is_some_and(|last| *last as usize + 1 != numbers.len());
            if has_gap {
                self.add("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", at);
            }
        }
    }

    /// A joint moves a point once (specification 3.7.3.3).
    fn joints(&mut self, attributes: &Named<Index>, at: &At<'_>) {
        let mut pairs = Vec::new();
        for set in 0u32.. {
            let accessors = attributes.get(&format!("JOINTS_{set}")).zip(attributes.get(&format!("WEIGHTS_{set}")));
            let Some((joints, weights)) = accessors else { break };
            let read = (self.accessors.wholes(*joints, at), self.accessors.floats(*weights, at));
            let (Ok(joints), Ok(weights)) = read else { return };
            pairs.push((joints, weights));
        }
        let points = pairs.iter().map(|(joints, weights)| joints.len().min(weights.len()) / 4).min().unwrap_or(0);
        let joints_of = |point: usize| {
            let range = point * 4..point * 4 + 4;
            pairs.iter().flat_map(move |(joints, weights)| {
                let four = (joints.get(range.clone()), weights.get(range.clone()));
                let pairs = four.0.into_iter().flatten().zip(four.1.into_iter().flatten());
                pairs.filter(|(_, weight)| **weight != 0.0).map(|(joint, _)| *joint)
            })
        };
        let mut own = Vec::new();
        let has_twice = (0..points).any(|point| {
            own.clear();
            own.extend(joints_of(point));
            own.sort_unstable();
            own.array_windows().any(|[a, b]| a == b)
        });
        if has_twice {
            self.add("ACCESSOR_JOINTS_INDEX_DUPLICATE", &at.key("JOINTS_0"));
        }
    }

    fn indices(&mut self, accessor: Index, at: &At<'_>) {
        let restart = match self.accessor(accessor).and_then(|a| a.component_type) {
            Some(5121) => u8::MAX.into(),
            Some(5123) => u16::MAX.into(),
            _ => u32::MAX,
        };
        if self.accessors.wholes(accessor, at).is_ok_and(|indices| indices.contains(&restart)) {
            self.add("ACCESSOR_INDEX_PRIMITIVE_RESTART", at);
        }
    }

    fn material(&mut self, wishes: &Wishes, attributes: &Named<Index>, at: &At<'_>) {
        if wishes.sets.iter().any(|set| attributes.get(&format!("TEXCOORD_{set}")).is_none()) {
            self.add("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", at);
        }
        if wishes.tangents && attributes.get("TANGENT").is_none() {
            self.add("MESH_PRIMITIVE_NO_TANGENT_SPACE", at);
        }
    }

    /// What each material asks of its primitives, told once however many wear it.
    fn wishes(&self) -> Vec<Wishes> {
        self.json.get("materials").and_then(Value::as_array).into_iter().flatten().map(Wishes::of).collect()
    }
}

/// What a material asks of the primitives that wear it.
struct Wishes {
    /// Numbers of texture coordinates.
    sets: BTreeSet<i64>,
    /// Whether there must be tangents.
    tangents: bool,
}

impl Wishes {
    fn of(material: &Value) -> Self {
        let mut sets = BTreeSet::new();
        texture_sets(material, &mut sets);
        let extension = |name: &str| material.get("extensions").and_then(|e| e.get(name));
        let clearcoat = extension("KHR_materials_clearcoat").and_then(|c| c.get("clearcoatNormalTexture"));
        let is_bumpy = clearcoat.is_some() || extension("KHR_materials_anisotropy").is_some();
        Self { sets, tangents: is_bumpy && material.get("normalTexture").is_none() }
    }
}

/// Numbers of the texture coordinates that the textures below a value ask for. Nesting is bounded: the text was parsed.
fn texture_sets(value: &Value, sets: &mut BTreeSet<i64>) {
    let Value::Object(members) = value else { return };
    if value.get("index").is_some() {
        let number = |object: &Value| object.get("texCoord").and_then(Value::as_i64);
        let transform = value.get("extensions").and_then(|e| e.get("KHR_texture_transform"));
        sets.insert(transform.and_then(number).or_else(|| number(value)).unwrap_or(0));
        return;
    }
    members.iter().filter(|(key, _)| key != "extras").for_each(|(_, value)| texture_sets(value, sets));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attributes() {
        for name in ["POSITION", "TEXCOORD_0", "JOINTS_12", "_ANY"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["TEXCOORD", "TEXCOORD_00", "TEXCOORD_-1", "TEXCOORD_+1", "UV_0", "POSITION_0", "position"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
