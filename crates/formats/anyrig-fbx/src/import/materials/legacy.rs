//! Textures of versions before 7000: connected to the model and assigned by layers of its geometry.

use super::{Import, Worn, worn};
use crate::codes;
use crate::document::Node;
use crate::import::objects::{End, ObjectId};
use anyrig_bytes::{Buffer, Diagnostic, Result};
use std::collections::BTreeMap;

/// The property and the texture for each material.
pub(super) fn textures(import: &mut Import<'_>) -> Result<BTreeMap<ObjectId, Vec<(String, ObjectId)>>> {
    let mut all: BTreeMap<ObjectId, Vec<(String, ObjectId)>> = BTreeMap::new();
    if !import.objects.is_named() {
        return Ok(all);
    }
    let shown: Vec<(ObjectId, ObjectId)> =
        import.geometries.iter().flat_map(|(id, g)| g.shown.iter().map(|(model, _)| (*id, *model))).collect();
    for (geometry, model) in shown {
        let connected =
            import.objects.children(End::Object(model)).filter(|o| super::super::textures::is_texture(&o.class));
        let textures: Vec<ObjectId> = connected.map(|o| o.id).collect();
        if textures.is_empty() {
            continue;
        }
        let materials: Vec<ObjectId> = worn(&import.objects, geometry, model)
            .into_iter()
            .filter_map(|w| if let Worn::Object(id) = w { Some(id) } else { None })
            .collect();
        if materials.is_empty() {
            let name = import.objects.get(model).name.clone();
            let line = Diagnostic::new(&codes::TEXTURE_UNUSED, name, "the model has textures, but no material");
            import.context.push(line.at(import.objects.place(model)));
        }
        let node = import.objects.get(geometry).node;
        for element in node.children() {
            let Some(property) = property_of(&element.name_text()) else { continue };
            for (slot, texture) in assigned(import, node, element, materials.len())? {
                let (Some(material), Some(texture)) = (materials.get(slot), textures.get(texture)) else { continue };
                let list = all.entry(*material).or_default();
                if !list.iter().any(|(name, _)| *name == property) {
                    list.push((property.clone(), *texture));
                }
            }
        }
    }
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

/// Slots of materials with the number of their texture, each slot's first face counts.
fn assigned(
    import: &mut Import<'_>,
    geometry: Node<'_>,
    element: Node<'_>,
    slots: usize,
) -> Result<Vec<(usize, usize)>> {
    let ids =
        element.child("TextureId").map_or_else(|| Ok(Buffer::default()), |n| n.array::<i32>(&mut import.decoder))?;
    let number = |id: i32| usize::try_from(id).ok();
    let mapping = element.child("MappingInformationType").and_then(|n| n.text(0)).unwrap_or_default();
    if mapping == "AllSame" {
        let texture = ids.first().map_or(Some(0), |id| number(*id));
        return Ok(texture.map(|t| (0..slots).map(|slot| (slot, t)).collect()).unwrap_or_default());
    }
    if mapping != "ByPolygon" {
        return Ok(Vec::new());
    }
    let list = geometry.child("LayerElementMaterial").and_then(|n| n.child("Materials"));
    let materials = list.map_or_else(|| Ok(Buffer::default()), |n| n.array::<i32>(&mut import.decoder))?;
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    for (face, id) in ids.iter().enumerate() {
        let slot = materials.get(face).or(materials.last()).map_or(Some(0), |slot| number(*slot));
        if let (Some(slot), Some(texture)) = (slot, number(*id)) {
            found.entry(slot).or_insert(texture);
        }
    }
    Ok(found.into_iter().collect())
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
