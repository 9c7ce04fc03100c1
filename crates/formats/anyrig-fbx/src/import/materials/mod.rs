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
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    uv_sets: BTreeMap<(MaterialId, usize), Arc<str>>,
    /// The bindings of each implementation.
    bindings: BTreeMap<ObjectId, Arc<shaders::Bindings>>,
}

/// Materials that are connected to each object, in the order of their connections. Many geometries may belong to one
/// model, whose connections are not looked through for each of them.
#[derive(Debug, Default)]
pub(super) struct Wardrobe {
    by_owner: BTreeMap<ObjectId, Vec<ObjectId>>,
}

impl Wardrobe {
    pub fn new(objects: &Objects<'_>) -> Self {
        let mut by_owner: BTreeMap<ObjectId, Vec<ObjectId>> = BTreeMap::new();
        for connection in objects.connections() {
            let is_whole = connection.property.is_none() && connection.source_property.is_none();
            if let (true, End::Object(source), End::Object(owner)) =
                (is_whole, connection.source, connection.destination)
                && objects.get(source).class == "Material"
            {
                by_owner.entry(owner).or_default().push(source);
            }
        }
        Self { by_owner }
    }

    fn of(&self, owner: ObjectId) -> &[ObjectId] {
        self.by_owner.get(&owner).map_or(&[], Vec::as_slice)
    }
}

/// The materials of a model, in the order of their connections, and those of its geometry where it has more.
fn worn<'a>(import: &Import<'a>, geometry: ObjectId, model: ObjectId) -> Result<Vec<Worn<'a>>> {
    let (own, lent) = (import.wardrobe.of(model), import.wardrobe.of(geometry));
    import.take_product(own.len().max(lent.len()) * size_of::<Worn<'_>>(), geometry)?;
    let lent = lent.iter().skip(own.len());
    let mut worn: Vec<Worn<'a>> = own.iter().chain(lent).map(|id| Worn::Object(*id)).collect();
    if import.objects.document().version_number() < 6000 {
        worn.extend(import.objects.get(model).node.children_named("Material").map(Worn::Inline));
    }
    Ok(worn)
}

/// How many materials a model wears.
pub(super) fn count(import: &Import<'_>, geometry: ObjectId, model: ObjectId) -> Result<usize> {
    Ok(worn(import, geometry, model)?.len())
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
        let mut all = BTreeSet::new();
        for (model, node) in &made.shown {
            let list = wear(import, geometry, *model)?;
            all.extend(list.iter().flatten().copied());
            if let Some(instance) = &mut import.scene.nodes[*node].mesh {
                instance.materials = list;
            }
        }
        // Once, however many nodes show the mesh.
        settle_uv_sets(import, geometry, (&all, &made.uv_sets))?;
    }
    Ok(())
}

/// The materials of one instance, by slot.
fn wear(import: &mut Import<'_>, geometry: ObjectId, model: ObjectId) -> Result<Vec<Option<MaterialId>>> {
    let worn = worn(import, geometry, model)?;
    let mut list = Vec::with_capacity(worn.len());
    for worn in worn {
        list.push(match worn {
            Worn::Object(object) => import.materials.made.get(&object).copied(),
            Worn::Inline(node) => {
                let material = surface::inline(import, model, node)?;
                Some(import.scene.materials.push(material))
            }
        });
    }
    Ok(list)
}

/// Texture coordinates are asked for by name; the first mesh that has the name says which set it is.
fn settle_uv_sets(
    import: &mut Import<'_>,
    geometry: ObjectId,
    (materials, sets): (&BTreeSet<MaterialId>, &[String]),
) -> Result<()> {
    if sets.is_empty() {
        return Ok(());
    }
    let mut places: BTreeMap<&str, u32> = BTreeMap::new();
    for (place, name) in sets.iter().enumerate() {
        places.entry(name).or_insert(place as u32);
    }
    for (material, slot) in materials.iter().flat_map(|material| (0..surface::SLOTS).map(|slot| (*material, slot))) {
        let Some(name) = import.materials.uv_sets.get(&(material, slot)) else { continue };
        // Names may be long, and each is looked for in each mesh.
        import.take_product(name.len(), geometry)?;
        let Some(set) = places.get(&**name) else { continue };
        import.materials.uv_sets.remove(&(material, slot));
        let material = &mut import.scene.materials[material];
        if let Some(used) = material.texture_slots_mut().into_iter().nth(slot).and_then(Option::as_mut) {
            used.uv_set = *set;
        }
    }
    Ok(())
}
