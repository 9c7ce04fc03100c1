//! Materials.

use super::{Saver, empty_object, extend, extras, named, raw_extension, some, unless};
use crate::document::json::short;
use crate::document::{EmissiveStrength, MaterialObject, Pbr, TextureInfo, TextureTransform};
use crate::names::{EXTENSIONS, EXTRAS, MEMBERS, PBR};
use anyrig_scene::{AlphaMode, Material, TextureUse, UvTransform};

impl Saver<'_> {
    pub(super) fn materials(&mut self) {
        let objects: Vec<_> = self.scene.materials.values().map(material).collect();
        self.root.materials = some(objects);
    }
}

fn unit(value: f32) -> f64 {
    short(value.clamp(0.0, 1.0))
}

fn material(material: &Material) -> MaterialObject {
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
    emissive(material, &mut object);
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

/// A factor above 1 needs the extension: the largest component becomes 1, the strength takes the rest.
fn emissive(material: &Material, object: &mut MaterialObject) {
    let most = material.emissive.iter().fold(0.0f32, |a, b| a.max(*b));
    let strength = most.max(1.0);
    let factor = material.emissive.map(|e| unit(e / strength));
    object.emissive_factor = unless(factor, &[0.0; 3]);
    if strength > 1.0 {
        let value = EmissiveStrength { emissive_strength: Some(short(strength)), ..EmissiveStrength::default() };
        extend(&mut object.extensions, "KHR_materials_emissive_strength", raw_extension(&value));
    }
}

fn texture_info(texture: &TextureUse) -> TextureInfo {
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
