//! What a surface may have beyond the metallic-roughness core, in the terms of glTF's ratified material extensions.
//!
//! Each is absent or present as a whole. All colours are linear factors and multiply their textures.

use crate::{Extras, TextureUse};

/// A thin clear layer on top (`KHR_materials_clearcoat`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Clearcoat {
    /// How much there is of it, 0 to 1.
    pub factor: f32,
    /// Linear, in R.
    pub texture: Option<TextureUse>,
    /// 0 to 1.
    pub roughness: f32,
    /// Linear, in G.
    pub roughness_texture: Option<TextureUse>,
    /// Its own normals; without one it is smooth.
    pub normal_texture: Option<TextureUse>,
    /// Factor on X and Y of the normal texture.
    pub normal_scale: f32,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Default for Clearcoat {
    fn default() -> Self {
        Self {
            factor: 0.0,
            texture: None,
            roughness: 0.0,
            roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            extras: Extras::default(),
        }
    }
}

/// Light scattered back by fibres, as on velvet (`KHR_materials_sheen`).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sheen {
    /// Linear RGB; black is none.
    pub color: [f32; 3],
    /// sRGB.
    pub color_texture: Option<TextureUse>,
    /// 0 to 1.
    pub roughness: f32,
    /// Linear, in A.
    pub roughness_texture: Option<TextureUse>,
    /// What the model has no word for.
    pub extras: Extras,
}

/// Light that goes straight through (`KHR_materials_transmission`).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Transmission {
    /// The share of light that is let through, 0 to 1.
    pub factor: f32,
    /// Linear, in R.
    pub texture: Option<TextureUse>,
    /// What the model has no word for.
    pub extras: Extras,
}

/// Light that comes out on the other side scattered, as through paper (`KHR_materials_diffuse_transmission`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffuseTransmission {
    /// The share of scattered light that goes through, 0 to 1.
    pub factor: f32,
    /// Linear, in A.
    pub texture: Option<TextureUse>,
    /// Linear RGB.
    pub color: [f32; 3],
    /// sRGB.
    pub color_texture: Option<TextureUse>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Default for DiffuseTransmission {
    fn default() -> Self {
        Self { factor: 0.0, texture: None, color: [1.0; 3], color_texture: None, extras: Extras::default() }
    }
}

/// What lies below the surface (`KHR_materials_volume`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Volume {
    /// Thickness below the surface in the mesh's unit; 0 for a thin wall.
    pub thickness: f32,
    /// Linear, in G.
    pub thickness_texture: Option<TextureUse>,
    /// The way, in the scene's unit, after which light has the attenuation colour; `None` is infinite.
    pub attenuation_distance: Option<f32>,
    /// Linear RGB of white light after the attenuation distance.
    pub attenuation_color: [f32; 3],
    /// What the model has no word for.
    pub extras: Extras,
}

impl Default for Volume {
    fn default() -> Self {
        Self {
            thickness: 0.0,
            thickness_texture: None,
            attenuation_distance: None,
            attenuation_color: [1.0; 3],
            extras: Extras::default(),
        }
    }
}

/// Strength and colour of reflections of what is no metal (`KHR_materials_specular`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Specular {
    /// 0 to 1.
    pub factor: f32,
    /// Linear, in A.
    pub texture: Option<TextureUse>,
    /// Linear RGB of reflections at right angles; may be above 1.
    pub color: [f32; 3],
    /// sRGB.
    pub color_texture: Option<TextureUse>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, texture: None, color: [1.0; 3], color_texture: None, extras: Extras::default() }
    }
}

/// Colours of a thin film, as on soap bubbles (`KHR_materials_iridescence`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Iridescence {
    /// 0 to 1.
    pub factor: f32,
    /// Linear, in R.
    pub texture: Option<TextureUse>,
    /// Index of refraction of the film, at least 1.
    pub ior: f32,
    /// Thickness of the film in nanometres where the texture is 0.
    pub thickness_min_nm: f32,
    /// Thickness of the film in nanometres where the texture is 1, or everywhere without one.
    pub thickness_max_nm: f32,
    /// Linear, in G.
    pub thickness_texture: Option<TextureUse>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Default for Iridescence {
    fn default() -> Self {
        Self {
            factor: 0.0,
            texture: None,
            ior: 1.3,
            thickness_min_nm: 100.0,
            thickness_max_nm: 400.0,
            thickness_texture: None,
            extras: Extras::default(),
        }
    }
}

/// Highlights that are longer along one direction, as on brushed metal (`KHR_materials_anisotropy`).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Anisotropy {
    /// 0 to 1.
    pub strength: f32,
    /// Direction in tangent space, counter-clockwise from the tangent.
    pub rotation_rad: f32,
    /// Linear: direction in R and G (-1 to 1), strength in B.
    pub texture: Option<TextureUse>,
    /// What the model has no word for.
    pub extras: Extras,
}
