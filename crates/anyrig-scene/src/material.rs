//! Materials: a metallic-roughness core, and what may be added to it.

use crate::listed::listed;
use crate::{
    Anisotropy, Clearcoat, DiffuseTransmission, Extras, Iridescence, MaterialProperty, Sheen, Specular, TextureUse,
    Transmission, UvTransform, Volume,
};
use std::fmt;

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
    /// Linear RGB; what is emitted is [`Material::emission`].
    pub emissive: [f32; 3],
    /// Factor on `emissive`, at least 0.
    pub emissive_strength: f32,
    /// sRGB.
    pub emissive_texture: Option<TextureUse>,
    /// What alpha does.
    pub alpha_mode: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Whether light has no effect.
    pub unlit: bool,
    /// A clear layer on top.
    pub clearcoat: Option<Box<Clearcoat>>,
    /// Light scattered back by fibres.
    pub sheen: Option<Box<Sheen>>,
    /// Light that goes through.
    pub transmission: Option<Box<Transmission>>,
    /// Light that goes through scattered.
    pub diffuse_transmission: Option<Box<DiffuseTransmission>>,
    /// What lies below the surface.
    pub volume: Option<Box<Volume>>,
    /// Index of refraction, at least 1, or 0 for mirrors of the specular colour; `None` is 1.5.
    pub ior: Option<f32>,
    /// Strength and colour of reflections.
    pub specular: Option<Box<Specular>>,
    /// A thin film.
    pub iridescence: Option<Box<Iridescence>>,
    /// Highlights along one direction.
    pub anisotropy: Option<Box<Anisotropy>>,
    /// 20 through the Abbe number of what the volume is made of; `None` is 0.
    pub dispersion: Option<f32>,
    /// What the model has no word for, among it the source's own properties.
    pub extras: Extras,
}

listed! {
    /// Where in a material a texture is.
    pub enum TextureSlot {
        /// All slots, those of the core first.
        ALL: BaseColor MetallicRoughness Normal Occlusion Emissive Clearcoat ClearcoatRoughness ClearcoatNormal
            SheenColor SheenRoughness Transmission DiffuseTransmission DiffuseTransmissionColor Thickness Specular
            SpecularColor Iridescence IridescenceThickness Anisotropy
    }
}

impl TextureSlot {
    /// The slots of the metallic-roughness core.
    pub const CORE: [Self; 5] =
        [Self::BaseColor, Self::MetallicRoughness, Self::Normal, Self::Occlusion, Self::Emissive];

    /// Kebab words, as in `metallic-roughness`.
    pub fn name(self) -> &'static str {
        match self {
            Self::BaseColor => "base-color",
            Self::MetallicRoughness => "metallic-roughness",
            Self::Normal => "normal",
            Self::Occlusion => "occlusion",
            Self::Emissive => "emissive",
            Self::Clearcoat => "clearcoat",
            Self::ClearcoatRoughness => "clearcoat-roughness",
            Self::ClearcoatNormal => "clearcoat-normal",
            Self::SheenColor => "sheen-color",
            Self::SheenRoughness => "sheen-roughness",
            Self::Transmission => "transmission",
            Self::DiffuseTransmission => "diffuse-transmission",
            Self::DiffuseTransmissionColor => "diffuse-transmission-color",
            Self::Thickness => "thickness",
            Self::Specular => "specular",
            Self::SpecularColor => "specular-color",
            Self::Iridescence => "iridescence",
            Self::IridescenceThickness => "iridescence-thickness",
            Self::Anisotropy => "anisotropy",
        }
    }
}

impl fmt::Display for TextureSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The place of a texture; of one that a material has not.
macro_rules! slot {
    ($material:expr, $slot:expr, $unboxed:ident, $($reference:tt)+) => {
        match $slot {
            TextureSlot::BaseColor => Some($($reference)+ $material.base_color_texture),
            TextureSlot::MetallicRoughness => Some($($reference)+ $material.metallic_roughness_texture),
            TextureSlot::Normal => Some($($reference)+ $material.normal_texture),
            TextureSlot::Occlusion => Some($($reference)+ $material.occlusion_texture),
            TextureSlot::Emissive => Some($($reference)+ $material.emissive_texture),
            TextureSlot::Clearcoat => $material.clearcoat.$unboxed().map(|l| $($reference)+ l.texture),
            TextureSlot::ClearcoatRoughness => $material.clearcoat.$unboxed().map(|l| $($reference)+ l.roughness_texture),
            TextureSlot::ClearcoatNormal => $material.clearcoat.$unboxed().map(|l| $($reference)+ l.normal_texture),
            TextureSlot::SheenColor => $material.sheen.$unboxed().map(|l| $($reference)+ l.color_texture),
            TextureSlot::SheenRoughness => $material.sheen.$unboxed().map(|l| $($reference)+ l.roughness_texture),
            TextureSlot::Transmission => $material.transmission.$unboxed().map(|l| $($reference)+ l.texture),
            TextureSlot::DiffuseTransmission => $material.diffuse_transmission.$unboxed().map(|l| $($reference)+ l.texture),
            TextureSlot::DiffuseTransmissionColor => {
                $material.diffuse_transmission.$unboxed().map(|l| $($reference)+ l.color_texture)
            }
            TextureSlot::Thickness => $material.volume.$unboxed().map(|l| $($reference)+ l.thickness_texture),
            TextureSlot::Specular => $material.specular.$unboxed().map(|l| $($reference)+ l.texture),
            TextureSlot::SpecularColor => $material.specular.$unboxed().map(|l| $($reference)+ l.color_texture),
            TextureSlot::Iridescence => $material.iridescence.$unboxed().map(|l| $($reference)+ l.texture),
            TextureSlot::IridescenceThickness => $material.iridescence.$unboxed().map(|l| $($reference)+ l.thickness_texture),
            TextureSlot::Anisotropy => $material.anisotropy.$unboxed().map(|l| $($reference)+ l.texture),
        }
    };
}

/// The numbers of a property that is always there or in a part that the material has.
macro_rules! numbers {
    ($material:expr, $property:expr, $unboxed:ident, $some:ident, $one:path, $($reference:tt)+) => {
        match $property {
            MaterialProperty::BaseColor => Some($($reference)+ $material.base_color[..]),
            MaterialProperty::Metallic => Some($one($($reference)+ $material.metallic)),
            MaterialProperty::Roughness => Some($one($($reference)+ $material.roughness)),
            MaterialProperty::NormalScale => Some($one($($reference)+ $material.normal_scale)),
            MaterialProperty::OcclusionStrength => Some($one($($reference)+ $material.occlusion_strength)),
            MaterialProperty::Emissive => Some($($reference)+ $material.emissive[..]),
            MaterialProperty::EmissiveStrength => Some($one($($reference)+ $material.emissive_strength)),
            MaterialProperty::AlphaCutoff => match $($reference)+ $material.alpha_mode {
                AlphaMode::Mask { cutoff } => Some($one(cutoff)),
                AlphaMode::Opaque | AlphaMode::Blend => None,
            },
            MaterialProperty::Clearcoat => $material.clearcoat.$unboxed().map(|l| $one($($reference)+ l.factor)),
            MaterialProperty::ClearcoatRoughness => $material.clearcoat.$unboxed().map(|l| $one($($reference)+ l.roughness)),
            MaterialProperty::ClearcoatNormalScale => {
                $material.clearcoat.$unboxed().map(|l| $one($($reference)+ l.normal_scale))
            }
            MaterialProperty::SheenColor => $material.sheen.$unboxed().map(|l| $($reference)+ l.color[..]),
            MaterialProperty::SheenRoughness => $material.sheen.$unboxed().map(|l| $one($($reference)+ l.roughness)),
            MaterialProperty::Transmission => $material.transmission.$unboxed().map(|l| $one($($reference)+ l.factor)),
            MaterialProperty::DiffuseTransmission => {
                $material.diffuse_transmission.$unboxed().map(|l| $one($($reference)+ l.factor))
            }
            MaterialProperty::DiffuseTransmissionColor => {
                $material.diffuse_transmission.$unboxed().map(|l| $($reference)+ l.color[..])
            }
            MaterialProperty::Thickness => $material.volume.$unboxed().map(|l| $one($($reference)+ l.thickness)),
            MaterialProperty::AttenuationDistance => {
                $material.volume.$unboxed().and_then(|l| l.attenuation_distance.$some()).map(|v| $one(v))
            }
            MaterialProperty::AttenuationColor => $material.volume.$unboxed().map(|l| $($reference)+ l.attenuation_color[..]),
            MaterialProperty::Ior => $material.ior.$some().map(|v| $one(v)),
            MaterialProperty::Specular => $material.specular.$unboxed().map(|l| $one($($reference)+ l.factor)),
            MaterialProperty::SpecularColor => $material.specular.$unboxed().map(|l| $($reference)+ l.color[..]),
            MaterialProperty::Iridescence => $material.iridescence.$unboxed().map(|l| $one($($reference)+ l.factor)),
            MaterialProperty::IridescenceIor => $material.iridescence.$unboxed().map(|l| $one($($reference)+ l.ior)),
            MaterialProperty::IridescenceThicknessMin => {
                $material.iridescence.$unboxed().map(|l| $one($($reference)+ l.thickness_min_nm))
            }
            MaterialProperty::IridescenceThicknessMax => {
                $material.iridescence.$unboxed().map(|l| $one($($reference)+ l.thickness_max_nm))
            }
            MaterialProperty::AnisotropyStrength => $material.anisotropy.$unboxed().map(|l| $one($($reference)+ l.strength)),
            MaterialProperty::AnisotropyRotation => $material.anisotropy.$unboxed().map(|l| $one($($reference)+ l.rotation_rad)),
            MaterialProperty::Dispersion => $material.dispersion.$some().map(|v| $one(v)),
            MaterialProperty::UvOffset(_) | MaterialProperty::UvRotation(_) | MaterialProperty::UvScale(_) => None,
        }
    };
}

/// The extras of the parts that a material has.
macro_rules! part_extras {
    ($material:expr, $unboxed:ident, $($reference:tt)+) => {
        [
            $material.clearcoat.$unboxed().map(|l| $($reference)+ l.extras),
            $material.sheen.$unboxed().map(|l| $($reference)+ l.extras),
            $material.transmission.$unboxed().map(|l| $($reference)+ l.extras),
            $material.diffuse_transmission.$unboxed().map(|l| $($reference)+ l.extras),
            $material.volume.$unboxed().map(|l| $($reference)+ l.extras),
            $material.specular.$unboxed().map(|l| $($reference)+ l.extras),
            $material.iridescence.$unboxed().map(|l| $($reference)+ l.extras),
            $material.anisotropy.$unboxed().map(|l| $($reference)+ l.extras),
        ]
        .into_iter()
        .flatten()
    };
}

impl Material {
    /// A material with glTF's defaults: white, metallic 1, roughness 1.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Linear RGB of what is emitted, without the texture: `emissive` times its strength.
    pub fn emission(&self) -> [f32; 3] {
        self.emissive.map(|channel| channel * self.emissive_strength)
    }

    /// The texture in a slot.
    pub fn texture(&self, slot: TextureSlot) -> Option<&TextureUse> {
        slot!(self, slot, as_deref, &).and_then(Option::as_ref)
    }

    /// A slot for writing; `None` when the material has not the part that it belongs to.
    pub fn texture_mut(&mut self, slot: TextureSlot) -> Option<&mut Option<TextureUse>> {
        slot!(self, slot, as_deref_mut, &mut)
    }

    /// All texture uses with the name of their role.
    pub fn texture_uses(&self) -> impl Iterator<Item = (&'static str, &TextureUse)> {
        TextureSlot::ALL.into_iter().filter_map(|slot| self.texture(slot).map(|used| (slot.name(), used)))
    }

    /// All slots that a texture use may lie in, in the order of [`TextureSlot::ALL`], without those of absent parts.
    pub fn texture_slots_mut(&mut self) -> Vec<&mut Option<TextureUse>> {
        let mut slots = vec![
            &mut self.base_color_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
        ];
        if let Some(l) = self.clearcoat.as_deref_mut() {
            slots.extend([&mut l.texture, &mut l.roughness_texture, &mut l.normal_texture]);
        }
        if let Some(l) = self.sheen.as_deref_mut() {
            slots.extend([&mut l.color_texture, &mut l.roughness_texture]);
        }
        slots.extend(self.transmission.as_deref_mut().map(|l| &mut l.texture));
        if let Some(l) = self.diffuse_transmission.as_deref_mut() {
            slots.extend([&mut l.texture, &mut l.color_texture]);
        }
        slots.extend(self.volume.as_deref_mut().map(|l| &mut l.thickness_texture));
        if let Some(l) = self.specular.as_deref_mut() {
            slots.extend([&mut l.texture, &mut l.color_texture]);
        }
        if let Some(l) = self.iridescence.as_deref_mut() {
            slots.extend([&mut l.texture, &mut l.thickness_texture]);
        }
        slots.extend(self.anisotropy.as_deref_mut().map(|l| &mut l.texture));
        slots
    }

    /// The numbers of a property, as many as its width. `None` when the material has no such property: it lacks the
    /// part or the texture, has another alpha mode, or attenuates at no distance.
    pub fn numbers(&self, property: MaterialProperty) -> Option<&[f32]> {
        let transform = |slot| Some(self.texture(slot)?.transform.as_ref().unwrap_or(&UvTransform::IDENTITY));
        match property {
            MaterialProperty::UvOffset(slot) => transform(slot).map(|t| &t.offset[..]),
            MaterialProperty::UvRotation(slot) => transform(slot).map(|t| std::slice::from_ref(&t.rotation_rad)),
            MaterialProperty::UvScale(slot) => transform(slot).map(|t| &t.scale[..]),
            _ => numbers!(self, property, as_deref, as_ref, std::slice::from_ref, &),
        }
    }

    /// The numbers of a property for writing; see [`Material::numbers`]. A texture without transform gets one.
    pub fn numbers_mut(&mut self, property: MaterialProperty) -> Option<&mut [f32]> {
        match property {
            MaterialProperty::UvOffset(slot) => self.transform_mut(slot).map(|t| &mut t.offset[..]),
            MaterialProperty::UvRotation(slot) => {
                self.transform_mut(slot).map(|t| std::slice::from_mut(&mut t.rotation_rad))
            }
            MaterialProperty::UvScale(slot) => self.transform_mut(slot).map(|t| &mut t.scale[..]),
            _ => numbers!(self, property, as_deref_mut, as_mut, std::slice::from_mut, &mut),
        }
    }

    /// Whether a curve on a property has something to move: as [`Material::numbers`], but the scale or strength of a
    /// texture needs the texture, and a volume may attenuate at no distance at rest and yet at one in a clip.
    pub fn has(&self, property: MaterialProperty) -> bool {
        let slot = match property {
            MaterialProperty::NormalScale => TextureSlot::Normal,
            MaterialProperty::OcclusionStrength => TextureSlot::Occlusion,
            MaterialProperty::ClearcoatNormalScale => TextureSlot::ClearcoatNormal,
            MaterialProperty::AttenuationDistance => return self.volume.is_some(),
            _ => return self.numbers(property).is_some(),
        };
        self.texture(slot).is_some()
    }

    fn transform_mut(&mut self, slot: TextureSlot) -> Option<&mut UvTransform> {
        let used = self.texture_mut(slot)?.as_mut()?;
        Some(used.transform.get_or_insert_with(UvTransform::default))
    }

    /// The extras of the parts beyond the core.
    pub fn part_extras(&self) -> impl Iterator<Item = &Extras> {
        part_extras!(self, as_deref, &)
    }

    /// As [`Material::part_extras`], for writing.
    pub fn part_extras_mut(&mut self) -> impl Iterator<Item = &mut Extras> {
        part_extras!(self, as_deref_mut, &mut)
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
            emissive_strength: 1.0,
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            clearcoat: None,
            sheen: None,
            transmission: None,
            diffuse_transmission: None,
            volume: None,
            ior: None,
            specular: None,
            iridescence: None,
            anisotropy: None,
            dispersion: None,
            extras: Extras::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextureId;

    /// A material that has every part, each slot with a texture of its own number.
    fn full() -> Material {
        let mut m = Material::new("m");
        m.alpha_mode = AlphaMode::Mask { cutoff: 0.5 };
        (m.clearcoat, m.sheen, m.transmission) = (Some(Box::default()), Some(Box::default()), Some(Box::default()));
        (m.diffuse_transmission, m.specular) = (Some(Box::default()), Some(Box::default()));
        m.volume = Some(Box::new(Volume { attenuation_distance: Some(1.0), ..Volume::default() }));
        (m.iridescence, m.anisotropy) = (Some(Box::default()), Some(Box::default()));
        (m.ior, m.dispersion) = (Some(1.5), Some(0.0));
        for (i, slot) in m.texture_slots_mut().into_iter().enumerate() {
            *slot = Some(TextureUse::new(TextureId::new(i)));
        }
        m
    }

    #[test]
    fn slots_come_in_one_order_by_both_ways() {
        let mut m = full();
        let by_name: Vec<usize> =
            TextureSlot::ALL.iter().filter_map(|s| m.texture(*s)).map(|t| t.texture.index()).collect();
        assert_eq!(by_name, (0..19).collect::<Vec<_>>());
        for (i, slot) in TextureSlot::ALL.into_iter().enumerate() {
            let used = m.texture_mut(slot).and_then(|s| s.as_ref()).map(|t| t.texture.index());
            assert_eq!(used, Some(i), "{slot}");
        }
        let names: std::collections::BTreeSet<_> = m.texture_uses().map(|(role, _)| role).collect();
        assert_eq!(names.len(), 19);
        assert_eq!(Material::new("core").texture_slots_mut().len(), 5);
    }

    #[test]
    fn extras_of_parts_come_in_one_order_by_both_ways() {
        let mut m = full();
        m.part_extras_mut().enumerate().for_each(|(i, extras)| extras.set("n", i as i64));
        let numbers: Vec<_> = m.part_extras().filter_map(|e| e.get("n")?.as_i64()).collect();
        assert_eq!(numbers, (0..8).collect::<Vec<_>>());
        assert_eq!(Material::new("core").part_extras_mut().count(), 0);
    }

    #[test]
    fn every_property_is_where_it_is_said_to_be() {
        let mut m = full();
        for (i, property) in MaterialProperty::all().into_iter().enumerate() {
            let width = property.width();
            let value = i as f32 + 10.0;
            let numbers = m.numbers_mut(property).unwrap_or_else(|| panic!("{property:?}"));
            assert_eq!(numbers.len(), width, "{property:?}");
            numbers.fill(value);
        }
        // None was written over by a later one.
        for (i, property) in MaterialProperty::all().into_iter().enumerate() {
            assert_eq!(m.numbers(property).map(|n| n.to_vec()), Some(vec![i as f32 + 10.0; property.width()]));
        }
        let core = Material::new("core");
        let had = MaterialProperty::all().into_iter().filter(|p| core.numbers(*p).is_some()).count();
        assert_eq!(had, 7, "a plain material has no cutoff, no parts and no textures");
        let moves = MaterialProperty::all().into_iter().filter(|p| core.has(*p)).count();
        assert_eq!(moves, 5, "nor has it a texture to scale");
        assert!(MaterialProperty::all().into_iter().all(|p| m.has(p)));
    }
}
