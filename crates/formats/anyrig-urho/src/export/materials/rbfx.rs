//! The lit and unlit techniques of rbfx.

use super::{Writer, image_of, parameter, technique};
use crate::codes;
use crate::document::Tag;
use crate::export::tell;
use crate::export::textures::{Textures, Wish};
use anyrig_bytes::maths::linear_to_srgb;
use anyrig_scene::{AlphaMode, Feature, Material, Scene};

/// White, rough, not metallic.
pub(super) fn default_tags() -> Vec<Tag> {
    vec![
        technique("LitOpaque"),
        shader("PBR"),
        parameter("MatDiffColor", &[1.0; 4]),
        parameter("Roughness", &[1.0]),
        parameter("Metallic", &[0.0]),
    ]
}

/// What the material's file says, but for texture coordinates and culling. Colours are in gamma space, factors multiply
/// the maps.
pub(super) fn tags(writer: &mut Writer<'_>) -> Vec<Tag> {
    let material = writer.material;
    let maps = Maps::of(writer.scene, material).readable(writer.textures);
    if matches!(maps.properties, Some(Wish::Properties { occlusion: Some(_), .. }))
        && material.occlusion_strength != 1.0
    {
        let subject = Feature::OcclusionMaps.to_string();
        tell(writer.report, &codes::APPROXIMATED, subject, "the strength is multiplied in, 8 bits a channel");
    }
    let mut tags = vec![technique(&technique_name(material, &maps))];
    let defines = defines(material);
    if !defines.is_empty() {
        tags.push(shader(&defines));
    }
    let units = [
        ("diffuse", maps.albedo, &material.base_color_texture),
        ("normal", maps.normal, &material.normal_texture),
        ("specular", maps.properties, properties_use(material)),
        ("emissive", maps.emission, &material.emissive_texture),
    ];
    tags.extend(units.into_iter().filter_map(|(unit, wish, sampled)| writer.texture(unit, wish, sampled)));
    let [r, g, b, alpha] = material.base_color;
    let [r, g, b] = encoded([r, g, b]);
    tags.push(parameter("MatDiffColor", &[r, g, b, alpha]));
    if let AlphaMode::Mask { cutoff } = material.alpha_mode {
        tags.push(parameter("AlphaCutoff", &[cutoff]));
    }
    if material.unlit {
        return tags;
    }
    if material.emission() != [0.0; 3] {
        tags.push(parameter("MatEmissiveColor", &encoded(material.emission())));
    }
    tags.push(parameter("Roughness", &[material.roughness]));
    tags.push(parameter("Metallic", &[material.metallic]));
    if maps.normal.is_some() {
        tags.push(parameter("NormalScale", &[material.normal_scale]));
    }
    tags
}

/// The engine decodes its colour parameters.
fn encoded(color: [f32; 3]) -> [f32; 3] {
    color.map(|linear| linear_to_srgb(f64::from(linear)) as f32)
}

fn shader(defines: &str) -> Tag {
    Tag::empty("shader").with("vsdefines", defines).with("psdefines", defines)
}

fn technique_name(material: &Material, maps: &Maps) -> String {
    let blended = material.alpha_mode == AlphaMode::Blend;
    if material.unlit {
        return if blended { "UnlitTransparent" } else { "UnlitOpaque" }.to_owned();
    }
    // A blended glTF surface fades its highlights with its alpha, too.
    let surface = if blended { "LitTransparentFade" } else { "LitOpaque" };
    format!("{surface}{}", if maps.normal.is_some() { "NormalMap" } else { "" })
}

fn defines(material: &Material) -> String {
    let lit = (!material.unlit).then_some("PBR");
    let tested = matches!(material.alpha_mode, AlphaMode::Mask { .. }).then_some("ALPHAMASK");
    lit.into_iter().chain(tested).collect::<Vec<_>>().join(" ")
}

/// Whose sampler the properties have.
fn properties_use(material: &Material) -> &Option<anyrig_scene::TextureUse> {
    let own = &material.metallic_roughness_texture;
    if own.is_some() { own } else { &material.occlusion_texture }
}

/// The maps of a material as wishes; missing where it has none.
#[derive(Default)]
pub(super) struct Maps {
    albedo: Option<Wish>,
    normal: Option<Wish>,
    properties: Option<Wish>,
    emission: Option<Wish>,
}

impl Maps {
    pub(super) fn of(scene: &Scene, material: &Material) -> Self {
        let image = |texture| image_of(scene, texture);
        let albedo = image(&material.base_color_texture).map(Wish::Plain);
        if material.unlit {
            return Self { albedo, ..Self::default() };
        }
        let occlusion = image(&material.occlusion_texture).filter(|_| material.occlusion_strength != 0.0);
        let rough_metal = image(&material.metallic_roughness_texture);
        let strength = occlusion.map_or(0, |_| material.occlusion_strength.to_bits());
        let some = rough_metal.is_some() || occlusion.is_some();
        Self {
            albedo,
            normal: image(&material.normal_texture).map(Wish::Plain),
            properties: some.then_some(Wish::Properties { rough_metal, occlusion, strength }),
            emission: image(&material.emissive_texture).map(Wish::Plain),
        }
    }

    pub(super) fn wishes(&self) -> impl Iterator<Item = Wish> + use<> {
        [self.albedo, self.normal, self.properties, self.emission].into_iter().flatten()
    }

    /// Without the maps that could not be read.
    fn readable(mut self, textures: &Textures) -> Self {
        for map in [&mut self.albedo, &mut self.normal, &mut self.properties, &mut self.emission] {
            *map = map.and_then(|wish| textures.nearest(wish));
        }
        self
    }
}
