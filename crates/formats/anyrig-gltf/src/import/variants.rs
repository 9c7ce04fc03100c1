//! Choices of materials.

use super::extras::{keep, raw};
use super::{Loader, in_list, need};
use crate::document::json::At;
use crate::document::{Primitive, VariantMappings, VariantsExtension, typed};
use anyrig_bytes::Result;
use anyrig_scene::{MaterialId, Variant, VariantMaterial};

pub(super) const NAME: &str = "KHR_materials_variants";

impl Loader<'_> {
    /// The names of the root part.
    pub(super) fn variants(&mut self) -> Result<()> {
        let Some(value) = self.root.extensions.as_ref().and_then(|e| e.get(NAME)) else { return Ok(()) };
        let at = At::Root;
        let at = at.key("extensions");
        let at = at.key(NAME);
        let root: VariantsExtension = typed(value, &at, self.context)?;
        self.no_more(&raw!(root), &at);
        let at = at.key("variants");
        for (i, object) in root.variants.iter().flatten().enumerate() {
            let mut variant = Variant::new(object.name.clone().unwrap_or_default());
            variant.extras = keep(&raw!(object), &[], &at.index(i), self.context);
            self.scene.variants.push(variant);
        }
        Ok(())
    }

    /// What a part wears in which variants.
    pub(super) fn variants_of(&self, primitive: &Primitive, slot: u32, at: &At<'_>) -> Result<Vec<VariantMaterial>> {
        let Some(value) = primitive.extensions.as_ref().and_then(|e| e.get(NAME)) else { return Ok(Vec::new()) };
        let at = at.key("extensions");
        let at = at.key(NAME);
        let object: VariantMappings = typed(value, &at, self.context)?;
        self.no_more(&raw!(object), &at);
        let at = at.key("mappings");
        let mut all = Vec::new();
        for (i, mapping) in object.mappings.iter().flatten().enumerate() {
            let at = at.index(i);
            let material = need(mapping.material, &at, "material")?;
            let material = in_list(material, self.scene.materials.len(), &at.key("material"), "material")?;
            let at_variants = at.key("variants");
            for (k, variant) in need(mapping.variants.as_ref(), &at, "variants")?.iter().enumerate() {
                in_list(*variant, self.scene.variants.len(), &at_variants.index(k), "variant")?;
                self.context.take_memory(size_of::<VariantMaterial>() as u64, || at.place())?;
                all.push(VariantMaterial::new(slot, *variant, MaterialId::new(material)));
            }
            let mut raw = raw!(mapping);
            let name: crate::document::Members =
                mapping.name.iter().map(|n| ("name".to_owned(), n.as_str().into())).collect();
            let other = [raw.other.as_slice(), &name].concat();
            raw.other = &other;
            self.no_more(&raw, &at);
        }
        Ok(all)
    }
}
