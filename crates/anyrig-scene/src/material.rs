//! Materials: a metallic-roughness core.

use crate::{Extras, TextureUse};

/// What the alpha of the base colour does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing.
    #[default]
    Opaque,
    /// Fragments below the cutoff are not drawn.
    Mask {
        /// Alpha below this is cut.
        cutoff: f32,
    },
    /// Fragments are blended.
    Blend,
}

/// A surface, in the terms of glTF 2.0 (specification 3.9): factors are linear and multiply the textures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material {
    /// Name; may be empty and need not be unique.
    pub name: String,
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// sRGB colour and linear alpha.
    pub base_color_texture: Option<TextureUse>,
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// Linear: roughness in G, metallic in B.
    pub metallic_roughness_texture: Option<TextureUse>,
    /// Tangent space, +X right, +Y up, +Z out.
    pub normal_texture: Option<TextureUse>,
    /// Factor on X and Y of the normal texture.
    pub normal_scale: f32,
    /// Linear, in R.
    pub occlusion_texture: Option<TextureUse>,
    /// How much of the occlusion counts, 0 to 1.
    pub occlusion_strength: f32,
    /// Linear RGB; above 1 when the source has a strength.
    pub emissive: [f32; 3],
    /// sRGB.
    pub emissive_texture: Option<TextureUse>,
    /// What alpha does.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether light has no effect.
    pub unlit: bool,
    /// What the model has no word for, among it the source's own properties.
    pub extras: Extras,
}

impl Material {
    /// A material with glTF's defaults: white, metallic 1, roughness 1.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// All texture uses with the name of their role.
    pub fn texture_uses(&self) -> impl Iterator<Item = (&'static str, &TextureUse)> {
        [
            ("base-color", &self.base_color_texture),
            ("metallic-roughness", &self.metallic_roughness_texture),
            ("normal", &self.normal_texture),
            ("occlusion", &self.occlusion_texture),
            ("emissive", &self.emissive_texture),
        ]
        .into_iter()
        .filter_map(|(role, texture)| texture.as_ref().map(|t| (role, t)))
    }

    /// All slots that a texture use may lie in.
    pub fn texture_slots_mut(&mut self) -> [&mut Option<TextureUse>; 5] {
        [
            &mut self.base_color_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
        ]
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            extras: Extras::default(),
        }
    }
}
