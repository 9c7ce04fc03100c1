//! Choices of materials.

use super::{Saver, extend, extras, raw_extension};
use crate::document::{Index, VariantMapping, VariantMappings, VariantObject, VariantsExtension};
use anyrig_bytes::Value;
use anyrig_scene::MaterialId;

const NAME: &str = "KHR_materials_variants";

/// What a part wears in a variant: part, variant, material.
pub(super) type Choice = (u32, u32, MaterialId);

impl Saver<'_> {
    /// The names, as the file's root has them.
    pub(super) fn variants(&mut self) {
        if self.scene.variants.is_empty() {
            return;
        }
        let objects = self.scene.variants.iter().map(|variant| {
            // A name is required, also where there is none to tell.
            let name = Some(variant.name.clone());
            let mut object = VariantObject { name, ..VariantObject::default() };
            extras::restore!(object, &variant.extras);
            object
        });
        let value = VariantsExtension { variants: Some(objects.collect()), ..VariantsExtension::default() };
        extend(&mut self.root.extensions, NAME, raw_extension(&value));
    }
}

/// The mappings of one part, a material each; `None` without any.
pub(super) fn mappings(choices: &[Choice], part: usize) -> Option<(&'static str, Value)> {
    let mut mappings: Vec<VariantMapping> = Vec::new();
    for (_, variant, material) in choices.iter().filter(|(p, _, _)| *p as usize == part) {
        let material = material.index() as Index;
        match mappings.iter_mut().find(|m| m.material == Some(material)) {
            Some(mapping) => mapping.variants.get_or_insert_default().push(*variant),
            None => mappings.push(VariantMapping {
                material: Some(material),
                variants: Some(vec![*variant]),
                ..VariantMapping::default()
            }),
        }
    }
    let object = VariantMappings { mappings: super::some(mappings), ..VariantMappings::default() };
    object.mappings.is_some().then(|| (NAME, raw_extension(&object)))
}
