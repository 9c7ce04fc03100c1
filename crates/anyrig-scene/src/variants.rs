//! Choices of materials by name.

use crate::{Extras, MaterialId};

/// A named choice of materials for the whole scene (`KHR_materials_variants`), for example a colour of a shoe.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Variant {
    /// Name; may be empty and need not be unique.
    pub name: String,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Variant {
    /// A variant.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), extras: Extras::default() }
    }
}

/// What a slot of a mesh instance wears in a variant, instead of its usual material.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VariantMaterial {
    /// The slot, as in [`crate::MeshInstance::materials`].
    pub slot: u32,
    /// Index in [`crate::Scene::variants`].
    pub variant: u32,
    /// The material.
    pub material: MaterialId,
}

impl VariantMaterial {
    /// A material for a slot in a variant.
    pub fn new(slot: u32, variant: u32, material: MaterialId) -> Self {
        Self { slot, variant, material }
    }
}
