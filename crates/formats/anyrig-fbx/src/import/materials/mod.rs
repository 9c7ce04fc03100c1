//! Materials: every sort becomes a metallic-roughness core, with its own properties kept beside it.

mod legacy;
mod parts;
mod shaders;
mod surface;

use super::Import;
use super::objects::{End, ObjectId, Objects};
use crate::codes;
use crate::document::Node;
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{ElementId, Material, MaterialId, TextureSlot};
use std::collections::BTreeMap;
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
    /// The slots of each material whose textures ask for a set of texture coordinates by name.
    uv_sets: BTreeMap<ObjectId, Vec<(TextureSlot, Arc<str>)>>,
    /// What the sets were settled to, with the material that has them so.
    settled: BTreeMap<ObjectId, BTreeMap<Vec<u32>, MaterialId>>,
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

/// The most materials that a model wears which shows a geometry: many may show it, each with its own.
pub(super) fn most(import: &Import<'_>, geometry: ObjectId) -> usize {
    let shown = import.objects.parents(geometry).map(|model| model.id).chain([geometry]);
    let is_old = import.objects.document().version_number() < 6000;
    let count = |model: ObjectId| {
        let inline = if is_old { import.objects.get(model).node.children_named("Material").count() } else { 0 };
        import.wardrobe.of(model).len() + inline
    };
    shown.filter(|model| import.nodes.contains_key(model) || *model == geometry).map(count).max().unwrap_or(0)
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
        if !made.uv_sets.is_empty() {
            import.materials.uv_sets.insert(object, made.uv_sets);
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
        let mut sets = Sets::new(&made.uv_sets);
        let slots = import.scene.meshes[made.mesh].parts.iter().map(|part| part.slot as usize + 1).max().unwrap_or(0);
        for (model, node) in &made.shown {
            let mut list = wear(import, *model, (geometry, &mut sets))?;
            fill(import, *model, slots, &mut list)?;
            if let Some(instance) = &mut import.scene.nodes[*node].mesh {
                instance.materials = list;
            }
        }
    }
    Ok(())
}

/// The materials of one instance, by slot.
fn wear(
    import: &mut Import<'_>,
    model: ObjectId,
    (geometry, sets): (ObjectId, &mut Sets<'_>),
) -> Result<Vec<Option<MaterialId>>> {
    let worn = worn(import, geometry, model)?;
    let mut list = Vec::with_capacity(worn.len());
    for worn in worn {
        list.push(match worn {
            Worn::Object(object) => settle(import, object, (geometry, sets))?,
            Worn::Inline(node) => {
                let material = surface::inline(import, model, node)?;
                Some(import.scene.materials.push(material))
            }
        });
    }
    Ok(list)
}

/// A model may wear fewer materials than another one that shows the same geometry.
fn fill(import: &Import<'_>, model: ObjectId, slots: usize, list: &mut Vec<Option<MaterialId>>) -> Result<()> {
    let Some(first) = list.first().copied() else { return Ok(()) };
    let missing = slots.saturating_sub(list.len());
    if missing > 0 {
        import.take_product(slots * size_of::<Option<MaterialId>>(), model)?;
        let message = "another model of its geometry has more: the first one was taken";
        let line = Diagnostic::new(&codes::MATERIAL_INDEX, import.objects.get(model).name.clone(), message);
        import.context.push(line.times(missing as u64).at(import.objects.place(model)));
        list.resize(slots, first);
    }
    Ok(())
}

/// The sets of texture coordinates of one geometry, and its materials as they ask for them.
struct Sets<'s> {
    /// The first set of each name.
    by_name: BTreeMap<&'s str, u32>,
    count: usize,
    materials: BTreeMap<ObjectId, Option<MaterialId>>,
}

impl<'s> Sets<'s> {
    fn new(names: &'s [String]) -> Self {
        let mut by_name = BTreeMap::new();
        for (set, name) in names.iter().enumerate() {
            by_name.entry(name.as_str()).or_insert(set as u32);
        }
        Self { by_name, count: names.len(), materials: BTreeMap::new() }
    }
}

/// The material as a geometry wears it. Textures ask for coordinates by name, but a material says which set it is, so
/// each order of the sets has a material of its own.
fn settle(
    import: &mut Import<'_>,
    object: ObjectId,
    (geometry, sets): (ObjectId, &mut Sets<'_>),
) -> Result<Option<MaterialId>> {
    if let Some(known) = sets.materials.get(&object) {
        return Ok(*known);
    }
    let mut material = import.materials.made.get(&object).copied();
    if let (Some(original), Some(asked)) = (material, import.materials.uv_sets.get(&object))
        && sets.count > 0
    {
        let wanted = wanted(import, (object, geometry), asked, sets)?;
        material = Some(in_order(import, object, (original, wanted))?);
    }
    sets.materials.insert(object, material);
    Ok(material)
}

/// The set of each name. With one set alone no other can be meant.
fn wanted(
    import: &Import<'_>,
    (object, geometry): (ObjectId, ObjectId),
    asked: &[(TextureSlot, Arc<str>)],
    sets: &Sets<'_>,
) -> Result<Vec<u32>> {
    let set = |name: &str| {
        // Names may be long, and each is looked for in each mesh.
        import.take_product(name.len(), geometry)?;
        let found = sets.by_name.get(name).copied();
        if found.is_none() && sets.count > 1 {
            let line = Diagnostic::new(&codes::UV_SET_MISSING, name, "a mesh with several sets has none of the name");
            import.context.push(line.at(import.objects.place(object)));
        }
        Ok(found.unwrap_or(0))
    };
    asked.iter().map(|(_, name)| set(name)).collect()
}

/// The material whose textures use these sets: the first order that is asked for is that of the material itself.
fn in_order(
    import: &mut Import<'_>,
    object: ObjectId,
    (original, wanted): (MaterialId, Vec<u32>),
) -> Result<MaterialId> {
    let known = import.materials.settled.entry(object).or_default();
    if let Some(material) = known.get(&wanted) {
        return Ok(*material);
    }
    let is_first = known.is_empty();
    let material = if is_first { original } else { copy(import, object, original)? };
    let asked = import.materials.uv_sets.get(&object).map_or(&[][..], Vec::as_slice);
    for ((slot, _), set) in asked.iter().zip(&wanted) {
        if let Some(used) = import.scene.materials[material].texture_mut(*slot).and_then(Option::as_mut) {
            used.uv_set = *set;
        }
    }
    import.materials.settled.entry(object).or_default().insert(wanted, material);
    Ok(material)
}

fn copy(import: &mut Import<'_>, object: ObjectId, original: MaterialId) -> Result<MaterialId> {
    let source = import.objects.get(object);
    let bytes = 2 * source.properties.value_bytes(|_| true) + 2 * source.name.len() + COPY_BYTES;
    import.take_product(bytes, object)?;
    let message = "meshes have the sets of texture coordinates of its textures in different orders";
    let line = Diagnostic::new(&codes::UV_SET_COPY, source.name.clone(), message);
    import.context.push(line.at(source.node.place()));
    let copy = import.scene.materials[original].clone();
    Ok(import.scene.materials.push(copy))
}

/// What a material needs beside its data: itself, its parts and the names of its textures' sets.
const COPY_BYTES: usize = 4 * size_of::<Material>();
