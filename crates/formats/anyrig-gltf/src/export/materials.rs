//! Materials.

use super::{Saver, empty_object, extend, extras, named, raw_extension, some, surfaces, unless};
use crate::document::json::short;
use crate::document::{EmissiveStrength, MaterialObject, Pbr, TextureInfo, TextureTransform};
use crate::names::{EXTENSIONS, EXTRAS, MEMBERS, PBR};
use anyrig_scene::{AlphaMode, Material, MaterialId, MaterialProperty, Target, TextureUse, UvTransform};
use std::collections::BTreeSet;

impl Saver<'_> {
    pub(super) fn materials(&mut self) {
        let animated = self.animated();
        let objects = self.scene.materials.iter().map(|(id, m)| material(m, &Animated { id, all: &animated }));
        self.root.materials = some(objects.collect());
    }

    /// Properties of materials that clips move. A pointer must lead to something, so that what holds them is written also
    /// where it says nothing at rest.
    fn animated(&self) -> BTreeSet<(MaterialId, MaterialProperty)> {
        let channels = self.scene.clips.iter().flat_map(|c| &c.channels);
        let of_material = |target: &Target| match *target {
            Target::Material { material, property } => Some((material, property)),
            _ => None,
        };
        channels.filter_map(|c| of_material(&c.target)).collect()
    }
}

/// What clips move of one material.
struct Animated<'a> {
    id: MaterialId,
    all: &'a BTreeSet<(MaterialId, MaterialProperty)>,
}

impl Animated<'_> {
    fn moves(&self, property: MaterialProperty) -> bool {
        self.all.contains(&(self.id, property))
    }

    /// The material with a transform on each texture whose transform moves.
    fn with_transforms(&self, material: &Material) -> Option<Material> {
        let own = self.all.iter().filter(|(id, _)| *id == self.id);
        let slot = |property: MaterialProperty| match property {
            MaterialProperty::UvOffset(s) | MaterialProperty::UvRotation(s) | MaterialProperty::UvScale(s) => Some(s),
            _ => None,
        };
        let slots: BTreeSet<_> = own.filter_map(|(_, property)| slot(*property)).collect();
        if slots.is_empty() {
            return None;
        }
        let mut copy = material.clone();
        for slot in slots {
            if let Some(Some(used)) = copy.texture_mut(slot) {
                used.transform.get_or_insert_with(UvTransform::default);
            }
        }
        Some(copy)
    }
}

/// By how much the emissive colour is divided, so that it has no component above 1; the strength takes it over.
pub(super) fn emissive_division(material: &Material) -> f32 {
    material.emissive.iter().fold(1.0f32, |a, b| a.max(*b))
}

fn unit(value: f32) -> f64 {
    short(value.clamp(0.0, 1.0))
}

fn material(material: &Material, animated: &Animated<'_>) -> MaterialObject {
    let copy = animated.with_transforms(material);
    let material = copy.as_ref().unwrap_or(material);
    let mut object = MaterialObject { name: named(&material.name), ..MaterialObject::default() };
    extras::restore!(object, &material.extras);
    object.pbr = Some(pbr(material)).filter(|p| *p != Pbr::default());
    object.normal_texture = material
        .normal_texture
        .as_ref()
        .map(|t| TextureInfo { scale: unless(short(material.normal_scale), &1.0), ..texture_info(t) });
    object.occlusion_texture = material
        .occlusion_texture
        .as_ref()
        .map(|t| TextureInfo { strength: unless(unit(material.occlusion_strength), &1.0), ..texture_info(t) });
    object.emissive_texture = material.emissive_texture.as_ref().map(texture_info);
    emissive(material, animated, &mut object);
    surfaces::surface(material, &mut object);
    match material.alpha_mode {
        AlphaMode::Opaque => {}
        AlphaMode::Blend => object.alpha_mode = Some("BLEND".to_owned()),
        AlphaMode::Mask { cutoff } => {
            object.alpha_mode = Some("MASK".to_owned());
            object.alpha_cutoff = unless(short(cutoff.max(0.0)), &0.5);
        }
    }
    object.double_sided = material.double_sided.then_some(true);
    if material.unlit {
        extend(&mut object.extensions, "KHR_materials_unlit", empty_object());
    }
    object
}

fn pbr(material: &Material) -> Pbr {
    let mut object = Pbr {
        base_color_factor: unless(material.base_color.map(unit), &[1.0; 4]),
        base_color_texture: material.base_color_texture.as_ref().map(texture_info),
        metallic_factor: unless(unit(material.metallic), &1.0),
        roughness_factor: unless(unit(material.roughness), &1.0),
        metallic_roughness_texture: material.metallic_roughness_texture.as_ref().map(texture_info),
        ..Pbr::default()
    };
    if let Some(kept) = material.extras.get(PBR) {
        object.extensions = extras::named(kept.get(EXTENSIONS));
        object.extras = kept.get(EXTRAS).cloned();
        object.other = extras::object(kept.get(MEMBERS));
    }
    object
}

/// A colour above 1 needs the extension: the largest component becomes 1, the strength takes the rest.
fn emissive(material: &Material, animated: &Animated<'_>, object: &mut MaterialObject) {
    let division = emissive_division(material);
    let factor = material.emissive.map(|e| unit(e / division));
    object.emissive_factor = unless(factor, &[0.0; 3]);
    let strength = short((material.emissive_strength.max(0.0) * division).min(f32::MAX));
    if strength != 1.0 || animated.moves(MaterialProperty::EmissiveStrength) {
        let value = EmissiveStrength { emissive_strength: unless(strength, &1.0), ..EmissiveStrength::default() };
        extend(&mut object.extensions, "KHR_materials_emissive_strength", raw_extension(&value));
    }
}

pub(super) fn texture_info(texture: &TextureUse) -> TextureInfo {
    let mut object = TextureInfo {
        index: Some(texture.texture.index() as u32),
        tex_coord: unless(texture.uv_set, &0),
        ..TextureInfo::default()
    };
    extras::restore!(object, &texture.extras);
    if let Some(transform) = &texture.transform {
        let pair = |p: [f32; 2]| p.map(short);
        let default = UvTransform::default();
        let value = TextureTransform {
            offset: unless(pair(transform.offset), &pair(default.offset)),
            rotation: unless(short(transform.rotation_rad), &0.0),
            scale: unless(pair(transform.scale), &pair(default.scale)),
            ..TextureTransform::default()
        };
        extend(&mut object.extensions, "KHR_texture_transform", raw_extension(&value));
    }
    object
}
