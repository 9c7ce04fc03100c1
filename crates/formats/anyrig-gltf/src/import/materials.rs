//! Materials.

use super::cameras::clamped;
use super::extras::{keep, raw};
use super::{Loader, in_list, list, need, surfaces};
use crate::document::json::At;
use crate::document::{MaterialObject, TextureInfo, TextureTransform, typed};
use crate::names::PBR;
use anyrig_bytes::{Result, Value};
use anyrig_scene::{AlphaMode, Extras, Material, TextureId, TextureUse, UvTransform};

impl Loader<'_> {
    pub(super) fn materials(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("materials");
        for (i, material) in list(self.root.materials.as_ref()) {
            let material = self.material(material, &at.index(i))?;
            self.scene.materials.push(material);
        }
        Ok(())
    }

    fn material(&mut self, object: &MaterialObject, at: &At<'_>) -> Result<Material> {
        let mut out = Material::new(object.name.clone().unwrap_or_default());
        out.extras = keep(&raw!(object), surfaces::READ, at, self.context);
        self.pbr(object, &mut out, at)?;
        self.glossiness(object, &mut out, at)?;
        out.normal_texture = self.texture_use(object.normal_texture.as_ref(), &at.key("normalTexture"))?;
        let scale = object.normal_texture.as_ref().and_then(|t| t.scale);
        out.normal_scale = scale.unwrap_or(1.0) as f32;
        out.occlusion_texture = self.texture_use(object.occlusion_texture.as_ref(), &at.key("occlusionTexture"))?;
        let strength = object.occlusion_texture.as_ref().and_then(|t| t.strength).unwrap_or(1.0);
        let at_strength = at.key("occlusionTexture");
        out.occlusion_strength = self.unit(strength, &at_strength.key("strength"));
        out.emissive_texture = self.texture_use(object.emissive_texture.as_ref(), &at.key("emissiveTexture"))?;
        let factor = object.emissive_factor.unwrap_or([0.0; 3]);
        out.emissive = factor.map(|f| self.unit(f, &at.key("emissiveFactor")));
        self.surface(object, &mut out, at)?;
        out.alpha_mode = match object.alpha_mode.as_deref() {
            None | Some("OPAQUE") => AlphaMode::Opaque,
            Some("BLEND") => AlphaMode::Blend,
            Some("MASK") => {
                let cutoff = object.alpha_cutoff.unwrap_or(0.5);
                let cutoff = clamped(cutoff, (0.0, f64::from(f32::MAX)), &at.key("alphaCutoff"), self.context);
                AlphaMode::Mask { cutoff: cutoff as f32 }
            }
            Some(other) => return Err(at.key("alphaMode").malformed(format!("{other:?} is not an alpha mode"))),
        };
        out.double_sided = object.double_sided.unwrap_or(false);
        Ok(out)
    }

    fn unit(&self, value: f64, at: &At<'_>) -> f32 {
        clamped(value, (0.0, 1.0), at, self.context) as f32
    }

    fn pbr(&self, object: &MaterialObject, out: &mut Material, at: &At<'_>) -> Result<()> {
        let Some(pbr) = &object.pbr else { return Ok(()) };
        let at = at.key("pbrMetallicRoughness");
        let color = pbr.base_color_factor.unwrap_or([1.0; 4]);
        out.base_color = color.map(|c| self.unit(c, &at.key("baseColorFactor")));
        out.metallic = self.unit(pbr.metallic_factor.unwrap_or(1.0), &at.key("metallicFactor"));
        out.roughness = self.unit(pbr.roughness_factor.unwrap_or(1.0), &at.key("roughnessFactor"));
        out.base_color_texture = self.texture_use(pbr.base_color_texture.as_ref(), &at.key("baseColorTexture"))?;
        let texture = pbr.metallic_roughness_texture.as_ref();
        out.metallic_roughness_texture = self.texture_use(texture, &at.key("metallicRoughnessTexture"))?;
        if let Some(value) = to_value(&keep(&raw!(pbr), &[], &at, self.context)) {
            out.extras.set(PBR, value);
        }
        Ok(())
    }

    pub(super) fn texture_use(&self, info: Option<&TextureInfo>, at: &At<'_>) -> Result<Option<TextureUse>> {
        let Some(info) = info else { return Ok(None) };
        let index = need(info.index, at, "index")?;
        let index = in_list(index, self.scene.textures.len(), &at.key("index"), "texture")?;
        let mut out = TextureUse::new(TextureId::new(index));
        out.uv_set = info.tex_coord.unwrap_or(0);
        if let Some(value) = info.extensions.as_ref().and_then(|e| e.get("KHR_texture_transform")) {
            let at = at.key("extensions");
            let at = at.key("KHR_texture_transform");
            let given: TextureTransform = typed(value, &at, self.context)?;
            out.uv_set = given.tex_coord.unwrap_or(out.uv_set);
            let pair = |p: [f64; 2]| p.map(|v| v as f32);
            out.transform = Some(UvTransform {
                offset: pair(given.offset.unwrap_or([0.0; 2])),
                rotation_rad: given.rotation.unwrap_or(0.0) as f32,
                scale: pair(given.scale.unwrap_or([1.0; 2])),
            });
            self.no_more(&raw!(given), &at);
        }
        out.extras = keep(&raw!(info), &["KHR_texture_transform"], at, self.context);
        Ok(Some(out))
    }
}

/// Extras as one value, by namespace.
fn to_value(extras: &Extras) -> Option<Value> {
    let members: Vec<_> = extras.iter().map(|(k, v)| (k.to_owned(), v.clone())).collect();
    (!members.is_empty()).then_some(Value::Object(members))
}
