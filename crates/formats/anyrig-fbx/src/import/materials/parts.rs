//! What a surface has beyond the core, for sorts of materials that have words for it.

use super::shaders::Shader;
use super::surface::Maker;
use crate::import::objects::Objects;
use anyrig_scene::{Clearcoat, Iridescence, Material, Sheen, Specular, Transmission};

/// Names of one sort's numbers; empty where it has none.
struct Names {
    coat: &'static str,
    coat_roughness: &'static str,
    sheen: &'static str,
    sheen_color: &'static str,
    sheen_roughness: &'static str,
    transmission: &'static str,
    ior: &'static str,
    specular: &'static str,
    specular_color: &'static str,
    film: &'static str,
    film_ior: &'static str,
    /// In micrometres.
    film_thickness: &'static str,
    abbe_number: &'static str,
    dispersion: &'static str,
}

const OPEN_PBR: Names = Names {
    coat: "coat_weight",
    coat_roughness: "coat_roughness",
    sheen: "fuzz_weight",
    sheen_color: "fuzz_color",
    sheen_roughness: "fuzz_roughness",
    transmission: "transmission_weight",
    ior: "specular_ior",
    specular: "specular_weight",
    specular_color: "specular_color",
    film: "thin_film_weight",
    film_ior: "thin_film_ior",
    film_thickness: "thin_film_thickness",
    abbe_number: "transmission_dispersion_abbe_number",
    dispersion: "transmission_dispersion_scale",
};

const PHYSICAL: Names = Names {
    coat: "coating",
    transmission: "transparency",
    ior: "trans_ior",
    specular: "reflectivity",
    specular_color: "refl_color",
    sheen: "",
    film: "",
    abbe_number: "",
    dispersion: "",
    ..OPEN_PBR
};

const ARNOLD: Names = Names {
    coat: "coat",
    coat_roughness: "coatRoughness",
    sheen: "sheen",
    sheen_color: "sheenColor",
    sheen_roughness: "sheenRoughness",
    transmission: "transmission",
    ior: "specularIOR",
    specular: "specular",
    specular_color: "specularColor",
    film: "",
    abbe_number: "",
    dispersion: "",
    ..OPEN_PBR
};

/// Fills the parts that have an effect. What they hold beyond the scene's terms stays among the raw properties.
pub(super) fn read(maker: &Maker<'_>, objects: &Objects<'_>, shader: Shader, material: &mut Material) {
    let names = match shader {
        Shader::MaxOpenPbr => &OPEN_PBR,
        Shader::MaxPhysical => &PHYSICAL,
        Shader::Arnold => &ARNOLD,
        _ => return,
    };
    let number = |name: &str| if name.is_empty() { None } else { maker.number(objects, &[name]) };
    let unit = |name: &str| number(name).map(|v| v.clamp(0.0, 1.0) as f32);
    let weight = |name: &str| unit(name).filter(|w| *w > 0.0);
    let color =
        |name: &str| maker.rgb(objects, &[name]).unwrap_or([1.0; 3]).map(|c| c.clamp(0.0, f32::MAX.into()) as f32);
    if let Some(factor) = weight(names.coat) {
        let mut coat = Clearcoat::default();
        let is_glossy = shader == Shader::MaxPhysical && maker.flag(objects, &["coat_roughness_inv"]);
        let roughness = unit(names.coat_roughness).unwrap_or(0.0);
        (coat.factor, coat.roughness) = (factor, if is_glossy { 1.0 - roughness } else { roughness });
        material.clearcoat = Some(Box::new(coat));
    }
    if let Some(weight) = weight(names.sheen) {
        let mut sheen = Sheen::default();
        sheen.color = color(names.sheen_color).map(|c| (c * weight).min(1.0));
        sheen.roughness = unit(names.sheen_roughness).unwrap_or(0.0);
        material.sheen = Some(Box::new(sheen));
    }
    if let Some(factor) = weight(names.transmission) {
        let mut transmission = Transmission::default();
        transmission.factor = factor;
        material.transmission = Some(Box::new(transmission));
        // The scale weighs 20 through the Abbe number (OpenPBR specification, "Dispersion").
        if let (Some(scale), Some(abbe)) = (weight(names.dispersion), number(names.abbe_number).filter(|a| *a > 0.0)) {
            material.dispersion = Some((f64::from(scale) * 20.0 / abbe).min(f32::MAX.into()) as f32);
        }
    }
    material.ior = number(names.ior).map(|v| v.clamp(1.0, f32::MAX.into()) as f32).filter(|v| *v != 1.5);
    let (factor, tint) = (unit(names.specular).unwrap_or(1.0), color(names.specular_color));
    if factor != 1.0 || tint != [1.0; 3] {
        let mut specular = Specular::default();
        (specular.factor, specular.color) = (factor, tint);
        material.specular = Some(Box::new(specular));
    }
    if let Some(factor) = weight(names.film) {
        let mut film = Iridescence::default();
        film.factor = factor;
        film.ior = number(names.film_ior).unwrap_or(1.4).clamp(1.0, f32::MAX.into()) as f32;
        let nanometres = number(names.film_thickness).unwrap_or(0.5) * 1000.0;
        film.thickness_max_nm = nanometres.clamp(0.0, f32::MAX.into()) as f32;
        film.thickness_min_nm = film.thickness_max_nm.min(film.thickness_min_nm);
        material.iridescence = Some(Box::new(film));
    }
}
