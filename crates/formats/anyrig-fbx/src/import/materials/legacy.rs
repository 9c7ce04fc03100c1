//! Textures of versions before 7000: connected to the model and assigned by layers of its geometry.

use super::{Import, Worn, worn};
use crate::codes;
use crate::document::Node;
use crate::import::booking::Work;
use crate::import::objects::{End, ObjectId};
use anyrig_bytes::{Buffer, Diagnostic, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The property and the texture for each material.
pub(super) fn textures(import: &mut Import<'_>) -> Result<BTreeMap<ObjectId, Vec<(String, ObjectId)>>> {
    let mut all: BTreeMap<ObjectId, Vec<(String, ObjectId)>> = BTreeMap::new();
    if !import.objects.is_named() {
        return Ok(all);
    }
    let shown: Vec<(ObjectId, ObjectId)> =
        import.geometries.iter().flat_map(|(id, g)| g.shown.iter().map(|(model, _)| (*id, *model))).collect();
    let mut seen = BTreeSet::new();
    for (geometry, model) in shown {
        let connected =
            import.objects.children(End::Object(model)).filter(|o| super::super::textures::is_texture(&o.class));
        let textures: Vec<ObjectId> = connected.map(|o| o.id).collect();
        if textures.is_empty() {
            continue;
        }
        let materials: Vec<ObjectId> = worn(import, geometry, model)?
            .into_iter()
            .filter_map(|w| if let Worn::Object(id) = w { Some(id) } else { None })
            .collect();
        if materials.is_empty() {
            let name = import.objects.get(model).name.clone();
            let line = Diagnostic::new(&codes::TEXTURE_UNUSED, name, "the model has textures, but no material");
            import.context.push(line.at(import.objects.place(model)));
        }
        for (property, assigned) in assignments(import, geometry, materials.len())? {
            for (slot, texture) in assigned {
                let (Some(material), Some(texture)) = (materials.get(slot), textures.get(texture)) else { continue };
                import.take_product(ENTRY_BYTES + 2 * property.len(), geometry)?;
                if seen.insert((*material, property.clone())) {
                    all.entry(*material).or_default().push((property.clone(), *texture));
                }
            }
        }
    }
    Ok(all)
}

/// What an assigned texture needs in lists and maps beside the name of its property.
const ENTRY_BYTES: usize = 2 * size_of::<(String, ObjectId)>();

/// Slots of materials with the number of their texture.
type Assigned = Vec<(usize, usize)>;

/// What the layers of a geometry assign to each property.
fn assignments(import: &mut Import<'_>, geometry: ObjectId, slots: usize) -> Result<Vec<(String, Assigned)>> {
    let node = import.objects.get(geometry).node;
    let list = node.child("LayerElementMaterial").and_then(|n| n.child("Materials"));
    let faces: Buffer<i32> = list.map_or_else(|| Ok(Buffer::default()), |n| n.array(&mut import.decoder))?;
    let mut all = Vec::new();
    let mut bytes = size_of_val(&*faces);
    for element in node.children() {
        let Some(property) = property_of(&element.name_text()) else { continue };
        let (assigned, len) = assigned(import, element, (&faces, slots))?;
        bytes += len * size_of::<i32>();
        import.take_product(size_of_val(assigned.as_slice()), geometry)?;
        all.push((property, assigned));
    }
    // Several models may show the geometry.
    import.take_again(Work::Textures, geometry, bytes)?;
    Ok(all)
}

/// The material's property that a layer of textures is for.
fn property_of(element: &str) -> Option<String> {
    let kind = element.strip_prefix("LayerElement")?;
    if kind == "Texture" {
        return Some("DiffuseColor".to_owned());
    }
    let name = kind.strip_suffix("Textures")?;
    Some(match name.strip_suffix('_').unwrap_or(name) {
        "" => return None,
        color @ ("Diffuse" | "Emissive" | "Specular" | "Ambient" | "Transparent" | "Reflection") => {
            format!("{color}Color")
        }
        other => other.to_owned(),
    })
}

/// What one layer assigns, each slot's first face counts; and how many numbers the layer has.
fn assigned(import: &mut Import<'_>, element: Node<'_>, (faces, slots): (&[i32], usize)) -> Result<(Assigned, usize)> {
    let ids: Buffer<i32> =
        element.child("TextureId").map_or_else(|| Ok(Buffer::default()), |n| n.array(&mut import.decoder))?;
    let number = |id: i32| usize::try_from(id).ok();
    let mapping = element.child("MappingInformationType").and_then(|n| n.text(0)).unwrap_or_default();
    if mapping == "AllSame" {
        let texture = ids.first().map_or(Some(0), |id| number(*id));
        let all = texture.map(|t| (0..slots).map(|slot| (slot, t)).collect());
        return Ok((all.unwrap_or_default(), ids.len()));
    }
    if mapping != "ByPolygon" {
        // Programs write `NoMappingInformation` of layers that they do not use.
        if !ids.is_empty() && mapping != "NoMappingInformation" {
            let message = format!("the mapping `{mapping}` is not known here");
            import.context.push(Diagnostic::new(&codes::LAYER_LOST, element.path(), message).at(element.place()));
        }
        return Ok((Vec::new(), ids.len()));
    }
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    for (face, id) in ids.iter().enumerate() {
        let slot = faces.get(face).or(faces.last()).map_or(Some(0), |slot| number(*slot));
        if let (Some(slot), Some(texture)) = (slot.filter(|slot| *slot < slots), number(*id)) {
            found.entry(slot).or_insert(texture);
        }
    }
    Ok((found.into_iter().collect(), ids.len()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn layers_name_the_property() {
        let property = |name| super::property_of(name);
        assert_eq!(property("LayerElementTexture").as_deref(), Some("DiffuseColor"));
        assert_eq!(property("LayerElementEmissive_Textures").as_deref(), Some("EmissiveColor"));
        assert_eq!(property("LayerElementDiffuseFactorTextures").as_deref(), Some("DiffuseFactor"));
        assert_eq!(property("LayerElementTextures").as_deref(), None);
        assert_eq!(property("LayerElementUV"), None);
    }
}
