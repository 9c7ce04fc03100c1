//! Material extensions: what a surface has beyond the core.

use super::materials::texture_info;
use super::{extend, extras, unless};
use crate::document::json::{ToJson, short};
use crate::document::{
    AnisotropyObject, ClearcoatObject, DiffuseTransmissionObject, DispersionObject, IorObject, IridescenceObject,
    MaterialObject, SheenObject, SpecularObject, TextureInfo, TransmissionObject, VolumeObject,
};
use anyrig_scene::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, Specular, TextureUse, Transmission,
    Volume,
};

/// Writes every part beyond the core, with what has its default left out.
pub(super) fn surface(material: &Material, object: &mut MaterialObject) {
    let mut add = |name: &str, value: Option<&dyn ToJson>| {
        if let Some(value) = value {
            extend(&mut object.extensions, name, value.to_json());
        }
    };
    let some = |v: &Option<f32>| v.map(|v| v.max(0.0));
    let ior = some(&material.ior).map(|v| IorObject { ior: unless(short(v), &1.5), ..IorObject::default() });
    let dispersion = some(&material.dispersion)
        .map(|v| DispersionObject { dispersion: unless(short(v), &0.0), ..DispersionObject::default() });
    add("KHR_materials_clearcoat", material.clearcoat.as_deref().map(clearcoat).as_ref().map(|o| o as _));
    add("KHR_materials_sheen", material.sheen.as_deref().map(sheen).as_ref().map(|o| o as _));
    add("KHR_materials_transmission", material.transmission.as_deref().map(transmission).as_ref().map(|o| o as _));
    let diffuse = material.diffuse_transmission.as_deref().map(diffuse_transmission);
    add("KHR_materials_diffuse_transmission", diffuse.as_ref().map(|o| o as _));
    add("KHR_materials_volume", material.volume.as_deref().map(volume).as_ref().map(|o| o as _));
    add("KHR_materials_ior", ior.as_ref().map(|o| o as _));
    add("KHR_materials_specular", material.specular.as_deref().map(specular).as_ref().map(|o| o as _));
    add("KHR_materials_iridescence", material.iridescence.as_deref().map(iridescence).as_ref().map(|o| o as _));
    add("KHR_materials_anisotropy", material.anisotropy.as_deref().map(anisotropy).as_ref().map(|o| o as _));
    add("KHR_materials_dispersion", dispersion.as_ref().map(|o| o as _));
}

fn unit(value: f32, default: f32) -> Option<f64> {
    unless(short(value.clamp(0.0, 1.0)), &short(default))
}

fn from(low: f32, value: f32, default: f32) -> Option<f64> {
    unless(short(value.max(low)), &short(default))
}

fn unit_color(value: [f32; 3], default: f32) -> Option<[f64; 3]> {
    unless(value.map(|v| short(v.clamp(0.0, 1.0))), &[short(default); 3])
}

fn texture(used: &Option<TextureUse>) -> Option<TextureInfo> {
    used.as_ref().map(texture_info)
}

fn clearcoat(part: &Clearcoat) -> ClearcoatObject {
    let scale = unless(short(part.normal_scale), &1.0);
    let mut object = ClearcoatObject {
        factor: unit(part.factor, 0.0),
        texture: texture(&part.texture),
        roughness: unit(part.roughness, 0.0),
        roughness_texture: texture(&part.roughness_texture),
        normal_texture: texture(&part.normal_texture).map(|info| TextureInfo { scale, ..info }),
        ..ClearcoatObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn sheen(part: &Sheen) -> SheenObject {
    let mut object = SheenObject {
        color: unit_color(part.color, 0.0),
        color_texture: texture(&part.color_texture),
        roughness: unit(part.roughness, 0.0),
        roughness_texture: texture(&part.roughness_texture),
        ..SheenObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn transmission(part: &Transmission) -> TransmissionObject {
    let mut object = TransmissionObject {
        factor: unit(part.factor, 0.0),
        texture: texture(&part.texture),
        ..TransmissionObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn diffuse_transmission(part: &DiffuseTransmission) -> DiffuseTransmissionObject {
    let mut object = DiffuseTransmissionObject {
        factor: unit(part.factor, 0.0),
        texture: texture(&part.texture),
        color: unit_color(part.color, 1.0),
        color_texture: texture(&part.color_texture),
        ..DiffuseTransmissionObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn volume(part: &Volume) -> VolumeObject {
    let mut object = VolumeObject {
        thickness: from(0.0, part.thickness, 0.0),
        thickness_texture: texture(&part.thickness_texture),
        attenuation_distance: part.attenuation_distance.map(|d| short(d.max(f32::MIN_POSITIVE))),
        attenuation_color: unit_color(part.attenuation_color, 1.0),
        ..VolumeObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn specular(part: &Specular) -> SpecularObject {
    let mut object = SpecularObject {
        factor: unit(part.factor, 1.0),
        texture: texture(&part.texture),
        color: unless(part.color.map(|v| short(v.max(0.0))), &[1.0; 3]),
        color_texture: texture(&part.color_texture),
        ..SpecularObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn iridescence(part: &Iridescence) -> IridescenceObject {
    let mut object = IridescenceObject {
        factor: unit(part.factor, 0.0),
        texture: texture(&part.texture),
        ior: from(1.0, part.ior, 1.3),
        thickness_min: from(0.0, part.thickness_min_nm, 100.0),
        thickness_max: from(0.0, part.thickness_max_nm, 400.0),
        thickness_texture: texture(&part.thickness_texture),
        ..IridescenceObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}

fn anisotropy(part: &Anisotropy) -> AnisotropyObject {
    let mut object = AnisotropyObject {
        strength: unit(part.strength, 0.0),
        rotation: unless(short(part.rotation_rad), &0.0),
        texture: texture(&part.texture),
        ..AnisotropyObject::default()
    };
    extras::restore!(object, &part.extras);
    object
}
