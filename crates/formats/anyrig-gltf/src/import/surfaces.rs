//! Material extensions: what a surface has beyond the core.

use super::Loader;
use super::cameras::clamped;
use super::extras::{Raw, keep, raw};
use crate::codes;
use crate::document::json::{At, FromJson};
use crate::document::{
    AnisotropyObject, ClearcoatObject, DiffuseTransmissionObject, DispersionObject, EmissiveStrength, IorObject,
    IridescenceObject, MaterialObject, SheenObject, SpecularObject, TextureInfo, TransmissionObject, VolumeObject,
    typed,
};
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Material, Sheen, Specular, TextureUse, Transmission,
    Volume,
};

/// Material extensions that are read into the scene's own terms.
pub(super) const READ: &[&str] = &[
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_volume",
];

const ANY: (f64, f64) = (-f32::MAX as f64, f32::MAX as f64);
const UNIT: (f64, f64) = (0.0, 1.0);
const FROM_ZERO: (f64, f64) = (0.0, f32::MAX as f64);
const FROM_ONE: (f64, f64) = (1.0, f32::MAX as f64);

/// An extension's object with its place.
struct Part<'l, 'a, T> {
    loader: &'l Loader<'a>,
    at: &'l At<'l>,
    object: T,
}

impl<T> Part<'_, '_, T> {
    fn number(&self, value: Option<f64>, default: f32, range: (f64, f64), key: &str) -> f32 {
        value.map_or(default, |v| clamped(v, range, &self.at.key(key), self.loader.context) as f32)
    }

    fn color(&self, value: Option<[f64; 3]>, default: [f32; 3], range: (f64, f64), key: &str) -> [f32; 3] {
        value.map_or(default, |v| v.map(|c| clamped(c, range, &self.at.key(key), self.loader.context) as f32))
    }

    fn texture(&self, info: Option<&TextureInfo>, key: &str) -> Result<Option<TextureUse>> {
        self.loader.texture_use(info, &self.at.key(key))
    }

    fn extras(&self, raw: &Raw<'_>) -> anyrig_scene::Extras {
        keep(raw, &[], self.at, self.loader.context)
    }
}

impl Loader<'_> {
    /// Reads every extension of a material that the scene has a word for.
    pub(super) fn surface(&self, object: &MaterialObject, out: &mut Material, at: &At<'_>) -> Result<()> {
        let Some(extensions) = &object.extensions else { return Ok(()) };
        let at = at.key("extensions");
        for (name, value) in &extensions.0 {
            let at = at.key(name);
            match name.as_str() {
                "KHR_materials_unlit" => out.unlit = true,
                "KHR_materials_emissive_strength" => {
                    let part: Part<'_, '_, EmissiveStrength> = self.typed_part(value, &at)?;
                    let strength = part.object.emissive_strength;
                    out.emissive_strength = part.number(strength, 1.0, FROM_ZERO, "emissiveStrength");
                    self.no_more(&raw!(part.object), &at);
                }
                "KHR_materials_ior" => {
                    let part: Part<'_, '_, IorObject> = self.typed_part(value, &at)?;
                    // 0 stands for mirrors of the specular colour.
                    let range = if part.object.ior == Some(0.0) { UNIT } else { FROM_ONE };
                    out.ior = Some(part.number(part.object.ior, 1.5, range, "ior"));
                    self.no_more(&raw!(part.object), &at);
                }
                "KHR_materials_dispersion" => {
                    let part: Part<'_, '_, DispersionObject> = self.typed_part(value, &at)?;
                    out.dispersion = Some(part.number(part.object.dispersion, 0.0, FROM_ZERO, "dispersion"));
                    self.no_more(&raw!(part.object), &at);
                }
                "KHR_materials_clearcoat" => out.clearcoat = Some(Box::new(clearcoat(&self.typed_part(value, &at)?)?)),
                "KHR_materials_sheen" => out.sheen = Some(Box::new(sheen(&self.typed_part(value, &at)?)?)),
                "KHR_materials_transmission" => {
                    out.transmission = Some(Box::new(transmission(&self.typed_part(value, &at)?)?));
                }
                "KHR_materials_diffuse_transmission" => {
                    out.diffuse_transmission = Some(Box::new(diffuse_transmission(&self.typed_part(value, &at)?)?));
                }
                "KHR_materials_volume" => out.volume = Some(Box::new(volume(&self.typed_part(value, &at)?)?)),
                "KHR_materials_specular" => out.specular = Some(Box::new(specular(&self.typed_part(value, &at)?)?)),
                "KHR_materials_iridescence" => {
                    out.iridescence = Some(Box::new(iridescence(&self.typed_part(value, &at)?)?));
                }
                "KHR_materials_anisotropy" => {
                    out.anisotropy = Some(Box::new(anisotropy(&self.typed_part(value, &at)?)?));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn typed_part<'s, T: FromJson>(&'s self, value: &anyrig_bytes::Value, at: &'s At<'s>) -> Result<Part<'s, 's, T>> {
        Ok(Part { loader: self, at, object: typed(value, at, self.context)? })
    }

    /// Tells of members that the scene has no place for.
    pub(super) fn no_more(&self, raw: &Raw<'_>, at: &At<'_>) {
        let count = raw.other.len() + usize::from(raw.extras.is_some()) + raw.extensions.map_or(0, |e| e.0.len());
        if count > 0 {
            let line = Diagnostic::new(&codes::MEMBERS_DROPPED, at.pointer(), "").at(at.place());
            self.context.push(line.times(count as u64));
        }
    }
}

fn clearcoat(part: &Part<'_, '_, ClearcoatObject>) -> Result<Clearcoat> {
    let object = &part.object;
    let mut out = Clearcoat::default();
    out.factor = part.number(object.factor, out.factor, UNIT, "clearcoatFactor");
    out.texture = part.texture(object.texture.as_ref(), "clearcoatTexture")?;
    out.roughness = part.number(object.roughness, out.roughness, UNIT, "clearcoatRoughnessFactor");
    out.roughness_texture = part.texture(object.roughness_texture.as_ref(), "clearcoatRoughnessTexture")?;
    out.normal_texture = part.texture(object.normal_texture.as_ref(), "clearcoatNormalTexture")?;
    let scale = object.normal_texture.as_ref().and_then(|t| t.scale);
    out.normal_scale = part.number(scale, out.normal_scale, ANY, "clearcoatNormalTexture");
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn sheen(part: &Part<'_, '_, SheenObject>) -> Result<Sheen> {
    let object = &part.object;
    let mut out = Sheen::default();
    out.color = part.color(object.color, out.color, UNIT, "sheenColorFactor");
    out.color_texture = part.texture(object.color_texture.as_ref(), "sheenColorTexture")?;
    out.roughness = part.number(object.roughness, out.roughness, UNIT, "sheenRoughnessFactor");
    out.roughness_texture = part.texture(object.roughness_texture.as_ref(), "sheenRoughnessTexture")?;
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn transmission(part: &Part<'_, '_, TransmissionObject>) -> Result<Transmission> {
    let object = &part.object;
    let mut out = Transmission::default();
    out.factor = part.number(object.factor, out.factor, UNIT, "transmissionFactor");
    out.texture = part.texture(object.texture.as_ref(), "transmissionTexture")?;
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn diffuse_transmission(part: &Part<'_, '_, DiffuseTransmissionObject>) -> Result<DiffuseTransmission> {
    let object = &part.object;
    let mut out = DiffuseTransmission::default();
    out.factor = part.number(object.factor, out.factor, UNIT, "diffuseTransmissionFactor");
    out.texture = part.texture(object.texture.as_ref(), "diffuseTransmissionTexture")?;
    out.color = part.color(object.color, out.color, UNIT, "diffuseTransmissionColorFactor");
    out.color_texture = part.texture(object.color_texture.as_ref(), "diffuseTransmissionColorTexture")?;
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn volume(part: &Part<'_, '_, VolumeObject>) -> Result<Volume> {
    let object = &part.object;
    let mut out = Volume::default();
    out.thickness = part.number(object.thickness, out.thickness, FROM_ZERO, "thicknessFactor");
    out.thickness_texture = part.texture(object.thickness_texture.as_ref(), "thicknessTexture")?;
    let from_above_zero = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    out.attenuation_distance = object
        .attenuation_distance
        .map(|distance| part.number(Some(distance), 0.0, from_above_zero, "attenuationDistance"));
    out.attenuation_color = part.color(object.attenuation_color, out.attenuation_color, UNIT, "attenuationColor");
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn specular(part: &Part<'_, '_, SpecularObject>) -> Result<Specular> {
    let object = &part.object;
    let mut out = Specular::default();
    out.factor = part.number(object.factor, out.factor, UNIT, "specularFactor");
    out.texture = part.texture(object.texture.as_ref(), "specularTexture")?;
    out.color = part.color(object.color, out.color, FROM_ZERO, "specularColorFactor");
    out.color_texture = part.texture(object.color_texture.as_ref(), "specularColorTexture")?;
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn iridescence(part: &Part<'_, '_, IridescenceObject>) -> Result<Iridescence> {
    let object = &part.object;
    let mut out = Iridescence::default();
    out.factor = part.number(object.factor, out.factor, UNIT, "iridescenceFactor");
    out.texture = part.texture(object.texture.as_ref(), "iridescenceTexture")?;
    out.ior = part.number(object.ior, out.ior, FROM_ONE, "iridescenceIor");
    let thickness = |value, default, key| part.number(value, default, FROM_ZERO, key);
    out.thickness_min_nm = thickness(object.thickness_min, out.thickness_min_nm, "iridescenceThicknessMinimum");
    out.thickness_max_nm = thickness(object.thickness_max, out.thickness_max_nm, "iridescenceThicknessMaximum");
    out.thickness_texture = part.texture(object.thickness_texture.as_ref(), "iridescenceThicknessTexture")?;
    out.extras = part.extras(&raw!(object));
    Ok(out)
}

fn anisotropy(part: &Part<'_, '_, AnisotropyObject>) -> Result<Anisotropy> {
    let object = &part.object;
    let mut out = Anisotropy::default();
    out.strength = part.number(object.strength, out.strength, UNIT, "anisotropyStrength");
    out.rotation_rad = part.number(object.rotation, out.rotation_rad, ANY, "anisotropyRotation");
    out.texture = part.texture(object.texture.as_ref(), "anisotropyTexture")?;
    out.extras = part.extras(&raw!(object));
    Ok(out)
}
