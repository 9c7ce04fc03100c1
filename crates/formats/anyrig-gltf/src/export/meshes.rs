//! Meshes: parts become primitives.

use super::extras::has_room;
use super::packer::List;
use super::variants::{self, Choice};
use super::{Saver, extend, extras, indices, influences, named, some, streams, unless};
use crate::codes;
use crate::document::json::short;
use crate::document::{Index, MeshObject, Named, Primitive};
use crate::names::MATERIALS;
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Result, Value};
use anyrig_scene::{Extras, MaterialId, Mesh, MeshId, MeshInstance, Part, Semantic, Topology, USER};
use std::collections::{BTreeMap, BTreeSet};

/// Sets of an attribute above this number are dropped rather than filling the gap below them.
const MAX_SETS: u32 = 64;

type Materials = Vec<Option<MaterialId>>;

/// How a mesh is dressed: the material of each part, and what parts wear in variants.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Dress {
    materials: Materials,
    variants: Vec<Choice>,
}

impl Saver<'_> {
    /// Each mesh once, in order, then once more for each other choice of materials that a node makes.
    pub(super) fn meshes(&mut self) -> Result<()> {
        let mut wanted: Vec<(MeshId, Dress)> = Vec::new();
        let instances: Vec<(MeshId, Dress)> = self.dresses();
        let mut first: BTreeMap<MeshId, &Dress> = BTreeMap::new();
        for (id, dress) in &instances {
            first.entry(*id).or_insert(dress);
        }
        for (id, mesh) in self.scene.meshes.iter() {
            let shown = first.get(&id).map(|dress| (*dress).clone());
            let kept = || Dress { materials: kept_materials(mesh), variants: Vec::new() };
            wanted.push((id, shown.unwrap_or_else(kept)));
        }
        let mut seen: BTreeSet<_> = wanted.iter().cloned().collect();
        for instance in instances {
            if seen.insert(instance.clone()) {
                self.context.tell(&codes::INSTANCE_COPIED, format!("mesh {}", instance.0.index()), "");
                wanted.push(instance);
            }
        }
        let mut objects = Vec::new();
        for (id, dress) in wanted {
            self.context.check_cancelled()?;
            if let Some(object) = self.mesh(id, &dress)? {
                objects.push(object);
                self.mesh_indexes.push((id, dress, objects.len() as Index - 1));
            } else {
                self.context.tell(&codes::MESH_DROPPED, format!("mesh {}", id.index()), "");
            }
        }
        self.mesh_indexes.sort();
        self.root.meshes = some(objects);
        Ok(())
    }

    /// Meshes as nodes show them, each way once.
    fn dresses(&self) -> Vec<(MeshId, Dress)> {
        let instances = self.scene.nodes.values().filter_map(|n| n.mesh.as_ref());
        let mut all: Vec<_> = instances.map(|i| (i.mesh, self.dress(i))).collect();
        let mut seen = BTreeSet::new();
        all.retain(|i| seen.insert(i.clone()));
        all
    }

    /// What each part wears, by its slot.
    fn dress(&self, instance: &MeshInstance) -> Dress {
        let parts = self.scene.meshes.get(instance.mesh).map_or(&[][..], |m| m.parts.as_slice());
        let material = |p: &Part| instance.materials.get(p.slot as usize).copied().flatten();
        let mut variants = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            // Validated choices are sorted by slot.
            let start = instance.variants.partition_point(|v| v.slot < part.slot);
            let own = instance.variants[start..].iter().take_while(|v| v.slot == part.slot);
            variants.extend(own.map(|v| (number as u32, v.variant, v.material)));
        }
        Dress { materials: parts.iter().map(material).collect(), variants }
    }

    fn mesh(&mut self, id: MeshId, dress: &Dress) -> Result<Option<MeshObject>> {
        let mesh = &self.scene.meshes[id];
        let mut object = MeshObject { name: named(&mesh.name), ..MeshObject::default() };
        extras::restore!(object, &mesh.extras);
        let mut primitives = Vec::new();
        for (number, part) in mesh.parts.iter().enumerate() {
            let subject = format!("mesh {} part {number}", id.index());
            let material = dress.materials.get(number).copied().flatten();
            match self.primitive(part, mesh.morphs.len(), material, &subject)? {
                Some(mut primitive) => {
                    if let Some((name, value)) = variants::mappings(&dress.variants, number) {
                        extend(&mut primitive.extensions, name, value);
                    }
                    primitives.push(primitive);
                }
                None => self.context.tell(&codes::PART_DROPPED, subject, ""),
            }
        }
        if primitives.is_empty() {
            return Ok(None);
        }
        object.primitives = Some(primitives);
        morph_terms(mesh, &mut object);
        Ok(Some(object))
    }

    fn primitive(
        &mut self,
        part: &Part,
        morphs: usize,
        material: Option<MaterialId>,
        subject: &str,
    ) -> Result<Option<Primitive>> {
        let mode = match part.topology {
            Topology::Points => Some(0),
            Topology::Lines => Some(1),
            Topology::Triangles | Topology::Polygons { .. } => None,
        };
        if part.point_count == 0 || part.corner_count() == 0 {
            return Ok(None);
        }
        let mut object = Primitive { mode, ..Primitive::default() };
        extras::restore!(object, &part.extras);
        let (mut attributes, names) = self.attributes(part, self.uv_sets_of(material), subject);
        if let Some(influences) = &part.influences {
            let pairs = influences::add(influences, subject, &mut self.packer, self.context)?;
            for (set, (joints, weights)) in pairs.into_iter().enumerate() {
                attributes.0.push((format!("JOINTS_{set}"), joints));
                attributes.0.push((format!("WEIGHTS_{set}"), weights));
            }
        }
        if attributes.0.is_empty() {
            return Ok(None);
        }
        object.attributes = Some(attributes);
        let list = if mode.is_none() { List::Triangles } else { List::Other };
        object.indices = part.corners.as_ref().map(|c| indices::add(c, list, &mut self.packer));
        object.material = material.map(|m| m.index() as Index);
        object.targets = some(self.targets(part, morphs, &names, subject));
        Ok(Some(object))
    }

    /// How many sets of texture coordinates the textures of a material ask for; a part must have them.
    fn uv_sets_of(&self, material: Option<MaterialId>) -> u32 {
        let material = material.and_then(|m| self.scene.materials.get(m));
        let sets = material.into_iter().flat_map(|m| m.texture_uses()).map(|(_, texture)| texture.uv_set);
        sets.filter(|set| *set < MAX_SETS).max().map_or(0, |set| set + 1)
    }

    /// Attributes of a part, and how it calls each of its streams.
    fn attributes(&mut self, part: &Part, uv_sets: u32, subject: &str) -> (Named<Index>, Vec<(Semantic, String)>) {
        let (mut attributes, mut names) = (Named::default(), Vec::new());
        let mut unique = UniqueNames::default();
        let mut sets = [Vec::new(), Vec::new()];
        for stream in &part.streams {
            let name = match &stream.semantic {
                Semantic::Custom(name) if name.starts_with('_') => unique.claim(name),
                Semantic::Custom(name) => unique.claim(&format!("_{name}")),
                Semantic::TexCoord(set) | Semantic::Color(set) if *set >= MAX_SETS => {
                    self.context.tell(&codes::ATTRIBUTE_DROPPED, subject, stream.semantic.to_string());
                    continue;
                }
                other => other.to_string(),
            };
            // Widths that glTF does not have were reported by the capability table.
            let Some(accessor) = streams::add(stream, subject, &mut self.packer, self.context) else { continue };
            match &stream.semantic {
                Semantic::TexCoord(set) => sets[0].push(*set),
                Semantic::Color(set) => sets[1].push(*set),
                _ => {}
            }
            attributes.0.push((name.clone(), accessor));
            names.push((stream.semantic.clone(), name));
        }
        for (word, shape, sets, least) in [("TEXCOORD", "VEC2", &sets[0], uv_sets), ("COLOR", "VEC4", &sets[1], 0)] {
            let end = sets.iter().max().copied().unwrap_or(0).max(least);
            for set in (0..end).filter(|s| !sets.contains(s)) {
                // Sets must be numbered from 0 without gaps (specification 3.7.2.1), and those of textures must be there.
                let zeros = self.packer.add_zeros(shape, part.point_count as usize, None, None);
                attributes.0.push((format!("{word}_{set}"), zeros));
                self.context.tell(&codes::ATTRIBUTE_GAP, subject, format!("{word}_{set}"));
            }
        }
        (attributes, names)
    }

    /// The glTF mesh that shows a mesh as an instance does.
    pub(super) fn mesh_index(&self, instance: &MeshInstance) -> Option<Index> {
        let key = (instance.mesh, self.dress(instance));
        let found = self.mesh_indexes.binary_search_by(|(m, dress, _)| (m, dress).cmp(&(&key.0, &key.1)));
        found.ok().and_then(|at| self.mesh_indexes.get(at)).map(|(_, _, index)| *index)
    }
}

/// The materials that import kept for a mesh that no node shows.
pub(super) fn kept_materials(mesh: &Mesh) -> Vec<Option<MaterialId>> {
    let number = |v: &Value| v.as_i64().and_then(|n| usize::try_from(n).ok()).map(MaterialId::new);
    let kept = mesh.extras.get(MATERIALS).and_then(Value::as_array).unwrap_or_default();
    let mut materials: Materials = kept.iter().map(number).collect();
    materials.resize(mesh.parts.len(), None);
    materials
}

/// Rest weights, and names where writers by convention put them.
fn morph_terms(mesh: &Mesh, object: &mut MeshObject) {
    let weights: Vec<f64> = mesh.morphs.iter().map(|m| short(m.default_weight)).collect();
    let still = vec![0.0; weights.len()];
    object.weights = unless(weights, &still);
    if mesh.morphs.iter().any(|m| !m.name.is_empty()) {
        let names: Vec<Value> = mesh.morphs.iter().map(|m| Value::from(m.name.as_str())).collect();
        // Extras that are no object have no room for names; readers look at the first part's as well.
        let part = object.primitives.as_mut().and_then(|p| p.first_mut());
        let extras = match (&object.extras, part) {
            (None | Some(Value::Object(_)), _) | (_, None) => &mut object.extras,
            (Some(_), Some(part)) => &mut part.extras,
        };
        extras.get_or_insert(Value::Null).set("targetNames", names);
    }
}

/// True when a mesh has a part that a skin can move.
pub(super) fn has_influences(mesh: &Mesh) -> bool {
    mesh.parts.iter().any(|p| p.influences.is_some() && p.point_count > 0 && p.corner_count() > 0)
}

/// Namespaces of this crate.
pub(super) fn is_own_namespace(namespace: &str) -> bool {
    namespace.starts_with("gltf.")
}

/// Carried namespaces of an element that a glTF file has no place for.
pub(super) fn foreign(extras: &Extras) -> impl Iterator<Item = &str> {
    let is_held = |namespace: &str| is_own_namespace(namespace) || (namespace == USER && has_room(extras));
    extras.carried().map(|(namespace, _)| namespace).filter(move |n| !is_held(n))
}
