//! The stock techniques of Urho3D.

use super::{Writer, image_of, parameter, technique};
use crate::codes;
use crate::dialect::MaterialStyle;
use crate::document::Tag;
use crate::export::tell;
use crate::export::textures::{Textures, Wish};
use anyrig_scene::{AlphaMode, Feature, Material, Scene};

/// Alpha below this is cut by the define of the stock shaders.
const STOCK_CUTOFF: f32 = 0.5;

/// White, rough, not metallic.
pub(super) fn default_tags() -> Vec<Tag> {
    vec![
        technique("PBR/PBRNoTexture"),
        parameter("MatDiffColor", &[1.0; 4]),
        parameter("Roughness", &[1.0]),
        parameter("Metallic", &[0.0]),
    ]
}

/// What the material's file says, but for texture coordinates and culling.
pub(super) fn tags(writer: &mut Writer<'_>, style: MaterialStyle) -> Vec<Tag> {
    let material = writer.material;
    let mut maps = Maps::of(writer.scene, material).readable(writer.textures);
    let alpha = alpha(writer, style);
    let name = if material.unlit { unlit_technique(&maps, alpha) } else { lit_technique(writer, &mut maps, alpha) };
    let mut tags = vec![technique(&name)];
    if alpha == Alpha::Tested {
        tags.push(Tag::empty("shader").with("psdefines", "ALPHAMASK"));
    }
    add_textures(writer, &maps, &mut tags);
    tags.push(parameter("MatDiffColor", &material.base_color));
    if matches!(maps.diffuse, Some(Wish::Plain(_))) && material.base_color[..3] != [1.0; 3] {
        tell(writer.report, &codes::GAMMA_COLOR, writer.name, "its colour tints a texture");
    }
    if material.unlit {
        return tags;
    }
    if material.emission() != [0.0; 3] {
        tags.push(parameter("MatEmissiveColor", &material.emission()));
    }
    // The engine adds these to the map, into which the factors have gone.
    let mapped = matches!(maps.rough_metal, Some(Wish::RoughMetal { .. }));
    if mapped && (material.roughness, material.metallic) != (1.0, 1.0) {
        let subject = Feature::MetallicRoughnessMaps.to_string();
        tell(writer.report, &codes::APPROXIMATED, subject, "factors are multiplied in, 8 bits a channel");
    }
    let (roughness, metallic) = if mapped { (0.0, 0.0) } else { (material.roughness, material.metallic) };
    tags.push(parameter("Roughness", &[roughness]));
    tags.push(parameter("Metallic", &[metallic]));
    tags
}

/// The maps of a material as wishes; missing where it has none.
#[derive(Default)]
pub(super) struct Maps {
    diffuse: Option<Wish>,
    normal: Option<Wish>,
    rough_metal: Option<Wish>,
    occlusion: Option<Wish>,
    emissive: Option<Wish>,
}

impl Maps {
    pub(super) fn of(scene: &Scene, material: &Material) -> Self {
        let image = |texture| image_of(scene, texture);
        let diffuse = image(&material.base_color_texture).map(Wish::Plain);
        if material.unlit {
            return Self { diffuse, ..Self::default() };
        }
        Self {
            diffuse,
            normal: image(&material.normal_texture).map(Wish::Plain),
            rough_metal: image(&material.metallic_roughness_texture).map(|image| Wish::RoughMetal {
                image,
                roughness: material.roughness.to_bits(),
                metallic: material.metallic.to_bits(),
            }),
            occlusion: image(&material.occlusion_texture)
                .filter(|_| material.occlusion_strength != 0.0)
                .map(|image| Wish::Occlusion { image, strength: material.occlusion_strength.to_bits() }),
            emissive: image(&material.emissive_texture).map(Wish::Plain),
        }
    }

    pub(super) fn wishes(&self) -> impl Iterator<Item = Wish> + use<> {
        let maps = [self.diffuse, self.normal, self.rough_metal, self.occlusion, self.emissive];
        let fillers = [Wish::White, Wish::Black].into_iter();
        maps.into_iter().flatten().chain(fillers)
    }

    /// Without the maps that could not be read.
    fn readable(mut self, textures: &Textures) -> Self {
        let maps =
            [&mut self.diffuse, &mut self.normal, &mut self.rough_metal, &mut self.occlusion, &mut self.emissive];
        maps.into_iter().for_each(|map| *map = map.filter(|wish| textures.has(*wish)));
        self
    }
}

/// What alpha does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alpha {
    Ignored,
    Tested,
    Blended,
}

impl Alpha {
    fn suffix(self) -> &'static str {
        if self == Self::Blended { "Alpha" } else { "" }
    }
}

fn alpha(writer: &mut Writer<'_>, style: MaterialStyle) -> Alpha {
    match writer.material.alpha_mode {
        AlphaMode::Opaque => Alpha::Ignored,
        AlphaMode::Mask { cutoff } if style == MaterialStyle::StockWithMask => {
            if cutoff != STOCK_CUTOFF {
                let message = format!("{}: alpha is cut below {STOCK_CUTOFF}, not below {cutoff}", writer.name);
                tell(writer.report, &codes::APPROXIMATED, Feature::AlphaMask.to_string(), message);
            }
            Alpha::Tested
        }
        AlphaMode::Mask { .. } | AlphaMode::Blend => Alpha::Blended,
    }
}

fn unlit_technique(maps: &Maps, alpha: Alpha) -> String {
    let texture = if maps.diffuse.is_some() { "Diff" } else { "NoTexture" };
    format!("{texture}Unlit{}", alpha.suffix())
}

/// The stock technique for the maps; where there is none, a map of one pixel fills the gap.
fn lit_technique(writer: &mut Writer<'_>, maps: &mut Maps, alpha: Alpha) -> String {
    if maps.occlusion.is_some() && maps.emissive.is_some() {
        writer.tell("occlusion is left out: no stock technique has it together with an emissive map");
        maps.occlusion = None;
    }
    if maps.normal.is_some() && writer.material.normal_scale != 1.0 {
        writer.tell(&format!("the normal map counts fully, not times {}", writer.material.normal_scale));
    }
    if maps.occlusion.is_some() && maps.rough_metal.is_none() {
        maps.rough_metal = Some(Wish::Black);
    }
    let part = |map: Option<Wish>, name: &'static str| if map.is_some() { name } else { "" };
    let alpha = alpha.suffix();
    if maps.rough_metal.is_some() {
        let (diffuse, normal) = (part(maps.diffuse, "Diff"), part(maps.normal, "Normal"));
        let last = format!("{}{}", part(maps.occlusion, "AO"), part(maps.emissive, "Emissive"));
        return format!("PBR/PBRMetallicRough{diffuse}{normal}Spec{last}{alpha}");
    }
    if maps.diffuse.is_none() && (maps.normal.is_some() || maps.emissive.is_some()) {
        maps.diffuse = Some(Wish::White);
    }
    if maps.diffuse.is_none() {
        return format!("PBR/PBRNoTexture{alpha}");
    }
    format!("PBR/PBRDiff{}{}{alpha}", part(maps.normal, "Normal"), part(maps.emissive, "Emissive"))
}

fn add_textures(writer: &mut Writer<'_>, maps: &Maps, tags: &mut Vec<Tag>) {
    let m = writer.material;
    let units = [
        ("diffuse", maps.diffuse, &m.base_color_texture),
        ("normal", maps.normal, &m.normal_texture),
        ("specular", maps.rough_metal, &m.metallic_roughness_texture),
        ("emissive", maps.occlusion, &m.occlusion_texture),
        ("emissive", maps.emissive, &m.emissive_texture),
    ];
    tags.extend(units.into_iter().filter_map(|(unit, wish, sampled)| writer.texture(unit, wish, sampled)));
}
