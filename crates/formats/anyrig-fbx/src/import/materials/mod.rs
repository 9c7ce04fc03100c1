//! Materials: every sort becomes a metallic-roughness core, with its own properties kept beside it.

mod legacy;
mod parts;
mod shaders;
mod surface;

use super::Import;
use super::objects::{End, ObjectId, Objects};
use crate::document::Node;
use anyrig_bytes::Result;
use anyrig_scene::{ElementId, MaterialId};
use std::collections::BTreeMap;

/// A material of a model.
#[derive(Clone, Copy, Debug)]
pub(super) enum Worn<'a> {
    Object(ObjectId),
    /// Before version 6000 materials stand in their model.
    Inline(Node<'a>),
}

/// Materials that were made, and which sets of texture coordinates they ask for by name.
#[derive(Debug, Default)]
pub(super) struct Materials {
    made: BTreeMap<ObjectId, MaterialId>,
    /// Names of sets of texture coordinates by material and slot.
    uv_sets: BTreeMap<(MaterialId, usize), String>,
}

/// The materials of a model, in the order of their connections, and those of its geometry where it has more.
pub(super) fn worn<'a>(objects: &Objects<'a>, geometry: ObjectId, model: ObjectId) -> Vec<Worn<'a>> {
    let connected = |owner: ObjectId| {
        let materials = objects.children(End::Object(owner)).filter(|o| o.class == "Material");
        materials.map(|o| Worn::Object(o.id)).collect::<Vec<_>>()
    };
    let mut worn = connected(model);
    if geometry != model {
        worn.extend(connected(geometry).into_iter().skip(worn.len()));
    }
    if objects.document().version_number() < 6000 {
        worn.extend(objects.get(model).node.children_named("Material").map(Worn::Inline));
    }
    worn
}

/// How many materials a model wears.
pub(super) fn count(objects: &Objects<'_>, geometry: ObjectId, model: ObjectId) -> usize {
    worn(objects, geometry, model).len()
}

/// Makes all materials and gives them to the meshes.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let materials: Vec<ObjectId> = import.objects.of_class("Material").map(|o| o.id).collect();
    import.context.take_elements(materials.len() as u64, anyrig_bytes::Place::whole)?;
    let textures = legacy::textures(import)?;
    for object in materials {
        let mut sources: Vec<(String, ObjectId)> = import
            .objects
            .property_sources(object)
            .filter(|(_, o)| super::textures::is_texture(&o.class))
            .map(|(name, o)| (name.to_owned(), o.id))
            .collect();
        sources.extend(textures.get(&object).into_iter().flatten().cloned());
        let made = surface::make(import, object, &sources)?;
        let id = import.scene.materials.push(made.material);
        for (slot, name) in made.uv_sets {
            import.materials.uv_sets.insert((id, slot), name);
        }
        import.materials.made.insert(object, id);
        import.elements.insert(object, ElementId::Material(id));
    }
    dress(import)
}

/// Puts materials onto mesh instances and settles which sets of texture coordinates they use.
fn dress(import: &mut Import<'_>) -> Result<()> {
    let geometries: Vec<_> = import.geometries.iter().map(|(id, g)| (*id, g.clone())).collect();
    for (geometry, made) in geometries {
        for (model, node) in &made.shown {
            let mut list = Vec::new();
            for worn in worn(&import.objects, geometry, *model) {
                list.push(match worn {
                    Worn::Object(object) => import.materials.made.get(&object).copied(),
                    Worn::Inline(node) => Some(import.scene.materials.push(surface::inline(node))),
                });
            }
            import.take_product(size_of_val(list.as_slice()), geometry)?;
            for material in list.iter().flatten() {
                settle_uv_sets(import, *material, &made.uv_sets);
            }
            if let Some(instance) = &mut import.scene.nodes[*node].mesh {
                instance.materials = list;
            }
        }
    }
    Ok(())
}

/// Texture coordinates are asked for by name; the first mesh that has the name says which set it is.
fn settle_uv_sets(import: &mut Import<'_>, material: MaterialId, sets: &[String]) {
    for slot in 0..surface::SLOTS {
        let Some(name) = import.materials.uv_sets.get(&(material, slot)).cloned() else { continue };
        let Some(set) = sets.iter().position(|s| *s == name) else { continue };
        import.materials.uv_sets.remove(&(material, slot));
        let material = &mut import.scene.materials[material];
        if let Some(used) = material.texture_slots_mut().into_iter().nth(slot).and_then(Option::as_mut) {
            used.uv_set = set as u32;
        }
    }
}
