//! What a surface has beyond the core, for sorts of materials that have words for it.

use super::shaders::Shader;
use super::surface::Maker;
use crate::codes;
use crate::import::Import;
use crate::import::objects::Objects;
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{Clearcoat, Iridescence, Material, Sheen, Specular, TextureSlot, Transmission, Volume};

/// Names of one sort's numbers; empty where it has none.
struct Names {
    coat: &'static str,
    coat_roughness: &'static str,
    coat_normal_scale: &'static str,
    /// Where a sort has no weight of its own, the flag says whether there is any.
    sheen: &'static str,
    sheen_color: &'static str,
    sheen_roughness: &'static str,
    transmission: &'static str,
    thickness: &'static str,
    attenuation_distance: &'static str,
    attenuation_color: &'static str,
    ior: &'static str,
    /// Programs' versions spell these two differently.
    specular: [&'static str; 2],
    specular_color: [&'static str; 2],
    /// Where a sort has no weight, a film that is thicker than nothing is there.
    film: &'static str,
    film_ior: &'static str,
    film_thickness: &'static str,
    /// Nanometres in the unit of the thickness.
    film_unit_nm: f64,
    abbe_number: &'static str,
    dispersion: &'static str,
    switches: Switches,
}

/// Flags that turn parts on; empty where they always are.
struct Switches {
    coat: &'static str,
    sheen: &'static str,
    transmission: &'static str,
    volume: &'static str,
    ior: &'static str,
    specular: &'static str,
}

const ALWAYS: Switches = Switches { coat: "", sheen: "", transmission: "", volume: "", ior: "", specular: "" };

const OPEN_PBR: Names = Names {
    coat: "coat_weight",
    coat_roughness: "coat_roughness",
    coat_normal_scale: "",
    sheen: "fuzz_weight",
    sheen_color: "fuzz_color",
    sheen_roughness: "fuzz_roughness",
    transmission: "transmission_weight",
    thickness: "",
    attenuation_distance: "",
    attenuation_color: "",
    ior: "specular_ior",
    specular: ["specular_weight", ""],
    specular_color: ["specular_color", ""],
    film: "thin_film_weight",
    film_ior: "thin_film_ior",
    film_thickness: "thin_film_thickness",
    film_unit_nm: 1000.0,
    abbe_number: "transmission_dispersion_abbe_number",
    dispersion: "transmission_dispersion_scale",
    switches: ALWAYS,
};

const PHYSICAL: Names = Names {
    coat: "coating",
    transmission: "transparency",
    ior: "trans_ior",
    specular: ["reflectivity", ""],
    specular_color: ["refl_color", ""],
    sheen: "",
    film: "",
    film_thickness: "",
    abbe_number: "",
    dispersion: "",
    ..OPEN_PBR
};

/// Arnold's standard surface: films are measured in nanometres (Arnold user guide, "Thin Film").
const ARNOLD: Names = Names {
    coat: "coat",
    coat_roughness: "coatRoughness",
    sheen: "sheen",
    sheen_color: "sheenColor",
    sheen_roughness: "sheenRoughness",
    transmission: "transmission",
    ior: "specularIOR",
    specular: ["specular", ""],
    specular_color: ["specularColor", ""],
    film: "",
    film_ior: "thinFilmIOR",
    film_thickness: "thinFilmThickness",
    film_unit_nm: 1.0,
    abbe_number: "",
    dispersion: "",
    ..OPEN_PBR
};

/// The same surface with the names of its specification.
const OSL: Names = Names {
    coat_roughness: "coat_roughness",
    sheen_color: "sheen_color",
    sheen_roughness: "sheen_roughness",
    ior: "specular_IOR",
    specular_color: ["specular_color", ""],
    film_ior: "thin_film_IOR",
    film_thickness: "thin_film_thickness",
    ..ARNOLD
};

const MAX_GLTF: Names = Names {
    coat: "3dsMax|extension|clearcoat",
    coat_roughness: "3dsMax|extension|clearcoatRoughness",
    coat_normal_scale: "3dsMax|extension|clearcoatNormal",
    sheen: "",
    sheen_color: "3dsMax|extension|sheenColor",
    sheen_roughness: "3dsMax|extension|sheenRoughness",
    transmission: "3dsMax|extension|transmission",
    thickness: "3dsMax|extension|volumeThickness",
    attenuation_distance: "3dsMax|extension|volumeDistance",
    attenuation_color: "3dsMax|extension|volumeColor",
    ior: "3dsMax|extension|indexOfRefraction",
    specular: ["3dsMax|extension|specular", "3dsMax|extension|Specular"],
    specular_color: ["3dsMax|extension|specularColor", "3dsMax|extension|specularcolor"],
    film: "",
    film_thickness: "",
    abbe_number: "",
    dispersion: "",
    switches: Switches {
        coat: "3dsMax|extension|enableClearCoat",
        sheen: "3dsMax|extension|enableSheen",
        transmission: "3dsMax|extension|enableTransmission",
        volume: "3dsMax|extension|enableVolume",
        ior: "3dsMax|extension|enableIndexOfRefraction",
        specular: "3dsMax|extension|enableSpecular",
    },
    ..OPEN_PBR
};

/// Textures of 3ds Max's glTF material, without the `Map` at the end.
const GLTF_TEXTURES: [(TextureSlot, &str); 9] = [
    (TextureSlot::Clearcoat, MAX_GLTF.coat),
    (TextureSlot::ClearcoatRoughness, MAX_GLTF.coat_roughness),
    (TextureSlot::ClearcoatNormal, MAX_GLTF.coat_normal_scale),
    (TextureSlot::SheenColor, MAX_GLTF.sheen_color),
    (TextureSlot::SheenRoughness, MAX_GLTF.sheen_roughness),
    (TextureSlot::Specular, "3dsMax|extension|specular"),
    (TextureSlot::SpecularColor, "3dsMax|extension|specularColor"),
    (TextureSlot::Transmission, MAX_GLTF.transmission),
    (TextureSlot::Thickness, MAX_GLTF.thickness),
];

/// What a surface of the index 1.5 reflects straight on: ((1.5 - 1) / (1.5 + 1))² (`KHR_materials_specular`).
const REFLECTANCE: f64 = 0.04;
const SPEC_GLOSS_COLOR: [&str; 2] = ["Specular", "specular"];

/// Fills the parts that have an effect. What they hold beyond the scene's terms stays among the raw properties.
pub(super) fn read(maker: &Maker<'_>, objects: &Objects<'_>, shader: Shader, material: &mut Material) {
    let names = match shader {
        Shader::MaxOpenPbr => &OPEN_PBR,
        Shader::MaxPhysical => &PHYSICAL,
        Shader::Arnold => &ARNOLD,
        Shader::Osl => &OSL,
        Shader::MaxGltf => &MAX_GLTF,
        Shader::MaxSpecGloss => return reflectance(maker, objects, material),
        Shader::Lambert | Shader::Phong | Shader::Stingray | Shader::MaxMetalRough => return,
    };
    let parts = Parts { maker, objects, names };
    let is_glossy = shader == Shader::MaxPhysical && maker.flag(objects, &["coat_roughness_inv"]);
    material.clearcoat = parts.coat(is_glossy).map(Box::new);
    material.sheen = parts.sheen().map(Box::new);
    parts.transmission(material);
    material.specular = parts.specular().map(Box::new);
    material.iridescence = parts.film().map(Box::new);
}

/// The specular colour of a surface that has one instead of metal, as the tint of what a dielectric reflects.
fn reflectance(maker: &Maker<'_>, objects: &Objects<'_>, material: &mut Material) {
    if let Some(color) = maker.rgb(objects, &SPEC_GLOSS_COLOR) {
        let mut specular = Specular::default();
        specular.color = color.map(|c| (c.clamp(0.0, 1.0) / REFLECTANCE) as f32);
        material.specular = Some(Box::new(specular));
    }
}

/// The numbers of one material.
struct Parts<'p, 's, 'o> {
    maker: &'p Maker<'s>,
    objects: &'p Objects<'o>,
    names: &'static Names,
}

impl Parts<'_, '_, '_> {
    fn number(&self, name: &str) -> Option<f64> {
        if name.is_empty() { None } else { self.maker.number(self.objects, &[name]) }
    }

    fn unit(&self, name: &str) -> Option<f32> {
        self.number(name).map(|v| v.clamp(0.0, 1.0) as f32)
    }

    fn weight(&self, name: &str) -> Option<f32> {
        self.unit(name).filter(|weight| *weight > 0.0)
    }

    fn color(&self, names: &[&str]) -> [f32; 3] {
        let color = self.maker.rgb(self.objects, names).unwrap_or([1.0; 3]);
        color.map(|c| c.clamp(0.0, f32::MAX.into()) as f32)
    }

    fn is_on(&self, switch: &str) -> bool {
        switch.is_empty() || self.maker.flag(self.objects, &[switch])
    }

    fn coat(&self, is_glossy: bool) -> Option<Clearcoat> {
        let names = self.names;
        let factor = self.weight(names.coat).filter(|_| self.is_on(names.switches.coat))?;
        let mut coat = Clearcoat::default();
        let roughness = self.unit(names.coat_roughness).unwrap_or(0.0);
        (coat.factor, coat.roughness) = (factor, if is_glossy { 1.0 - roughness } else { roughness });
        coat.normal_scale = self.number(names.coat_normal_scale).map_or(1.0, |scale| scale as f32);
        Some(coat)
    }

    fn sheen(&self) -> Option<Sheen> {
        let names = self.names;
        let switch = names.switches.sheen;
        let is_weighted = switch.is_empty();
        let weight = if is_weighted { self.weight(names.sheen)? } else { self.is_on(switch).then_some(1.0)? };
        let mut sheen = Sheen::default();
        sheen.color = self.color(&[names.sheen_color]).map(|c| (c * weight).min(1.0));
        sheen.roughness = self.unit(names.sheen_roughness).unwrap_or(0.0);
        Some(sheen)
    }

    /// What happens to light that goes through.
    fn transmission(&self, material: &mut Material) {
        let names = self.names;
        if let Some(factor) = self.weight(names.transmission).filter(|_| self.is_on(names.switches.transmission)) {
            let mut transmission = Transmission::default();
            transmission.factor = factor;
            material.transmission = Some(Box::new(transmission));
            // The scale weighs 20 through the Abbe number (OpenPBR specification, "Dispersion").
            let abbe = self.number(names.abbe_number).filter(|abbe| *abbe > 0.0);
            if let (Some(scale), Some(abbe)) = (self.weight(names.dispersion), abbe) {
                material.dispersion = Some((f64::from(scale) * 20.0 / abbe).min(f32::MAX.into()) as f32);
            }
        }
        material.volume = self.volume().map(Box::new);
        let ior = self.number(names.ior).filter(|_| self.is_on(names.switches.ior));
        material.ior = ior.map(|v| v.clamp(1.0, f32::MAX.into()) as f32).filter(|v| *v != 1.5);
    }

    fn volume(&self) -> Option<Volume> {
        let names = self.names;
        let thickness = self.number(names.thickness).filter(|_| self.is_on(names.switches.volume))?;
        let mut volume = Volume::default();
        volume.thickness = thickness.clamp(0.0, f32::MAX.into()) as f32;
        let distance = self.number(names.attenuation_distance).filter(|distance| *distance > 0.0);
        volume.attenuation_distance = distance.map(|distance| distance.min(f32::MAX.into()) as f32);
        volume.attenuation_color = self.color(&[names.attenuation_color]).map(|c| c.min(1.0));
        Some(volume)
    }

    fn specular(&self) -> Option<Specular> {
        let names = self.names;
        let of_names = names.specular.iter().find_map(|name| self.unit(name));
        let (factor, tint) = (of_names.unwrap_or(1.0), self.color(&names.specular_color));
        let has_effect = factor != 1.0 || tint != [1.0; 3];
        if !has_effect || !self.is_on(names.switches.specular) {
            return None;
        }
        let mut specular = Specular::default();
        (specular.factor, specular.color) = (factor, tint);
        Some(specular)
    }

    fn film(&self) -> Option<Iridescence> {
        let names = self.names;
        let thickness = self.number(names.film_thickness);
        let factor = match names.film {
            "" => thickness.filter(|thickness| *thickness > 0.0).map(|_| 1.0)?,
            weight => self.weight(weight)?,
        };
        let mut film = Iridescence::default();
        film.factor = factor;
        film.ior = self.number(names.film_ior).unwrap_or(1.4).clamp(1.0, f32::MAX.into()) as f32;
        let nanometres = thickness.map_or(USUAL_FILM_NM, |thickness| thickness * names.film_unit_nm);
        film.thickness_max_nm = nanometres.clamp(0.0, f32::MAX.into()) as f32;
        film.thickness_min_nm = film.thickness_max_nm.min(film.thickness_min_nm);
        Some(film)
    }
}

/// OpenPBR's default, half a micrometre.
const USUAL_FILM_NM: f64 = 500.0;

/// Puts textures onto the parts that the material has.
pub(super) fn textures(
    maker: &mut Maker<'_>,
    import: &mut Import<'_>,
    shader: Shader,
    material: &mut Material,
) -> Result<()> {
    if shader == Shader::MaxSpecGloss {
        return reflectance_texture(maker, import, material);
    }
    if shader != Shader::MaxGltf {
        return Ok(());
    }
    for (slot, name) in GLTF_TEXTURES {
        if material.texture_mut(slot).is_none() {
            continue;
        }
        let used = maker.texture(import, slot, &[name])?;
        if let Some(place) = material.texture_mut(slot) {
            *place = used;
        }
    }
    Ok(())
}

/// A texture takes the place of the specular colour.
fn reflectance_texture(maker: &mut Maker<'_>, import: &mut Import<'_>, material: &mut Material) -> Result<()> {
    let names = ["specular", "Specular"];
    if let Some(used) = maker.texture(import, TextureSlot::SpecularColor, &names)? {
        let specular = material.specular.get_or_insert_default();
        specular.color = [(1.0 / REFLECTANCE) as f32; 3];
        specular.color_texture = Some(used);
    }
    Ok(())
}

/// A number that the scene has no word for, and the weight without which it has no effect; empty when it always has.
type Wordless = (&'static str, &'static str);

const ARNOLD_WORDLESS: [Wordless; 11] = [
    ("diffuseRoughness", ""),
    ("specularAnisotropy", "specular"),
    ("subsurface", ""),
    ("coatAnisotropy", "coat"),
    ("coatAffectColor", "coat"),
    ("coatAffectRoughness", "coat"),
    ("transmissionDepth", "transmission"),
    ("transmissionScatter", "transmission"),
    ("transmissionDispersion", "transmission"),
    ("transmissionExtraRoughness", "transmission"),
    ("thinWalled", "transmission"),
];

const OSL_WORDLESS: [Wordless; 11] = [
    ("diffuse_roughness", ""),
    ("specular_anisotropy", "specular"),
    ("subsurface", ""),
    ("coat_anisotropy", "coat"),
    ("coat_affect_color", "coat"),
    ("coat_affect_roughness", "coat"),
    ("transmission_depth", "transmission"),
    ("transmission_scatter", "transmission"),
    ("transmission_dispersion", "transmission"),
    ("transmission_extra_roughness", "transmission"),
    ("thin_walled", "transmission"),
];

const OPEN_PBR_WORDLESS: [Wordless; 7] = [
    ("base_diffuse_roughness", ""),
    ("specular_roughness_anisotropy", "specular_weight"),
    ("subsurface_weight", ""),
    ("coat_roughness_anisotropy", "coat_weight"),
    ("transmission_depth", "transmission_weight"),
    ("transmission_scatter", "transmission_weight"),
    ("geometry_thin_walled", "transmission_weight"),
];

const PHYSICAL_WORDLESS: [Wordless; 4] =
    [("diff_roughness", ""), ("scattering", ""), ("trans_depth", "transparency"), ("thin_walled", "transparency")];

/// Tells of parts that have an effect and no place.
pub(super) fn tell(maker: &Maker<'_>, import: &Import<'_>, shader: Shader) {
    let all: &[Wordless] = match shader {
        Shader::Arnold => &ARNOLD_WORDLESS,
        Shader::Osl => &OSL_WORDLESS,
        Shader::MaxOpenPbr => &OPEN_PBR_WORDLESS,
        Shader::MaxPhysical => &PHYSICAL_WORDLESS,
        _ => return,
    };
    let objects = &import.objects;
    let has = |name: &str| maker.rgb(objects, &[name]).is_some_and(|values| values.iter().any(|v| *v != 0.0));
    let lost = all.iter().filter(|(name, weight)| has(name) && (weight.is_empty() || has(weight)));
    let lost: Vec<&str> = lost.map(|(name, _)| *name).collect();
    if !lost.is_empty() {
        let line = Diagnostic::new(&codes::MATERIAL_PARTS, objects.get(maker.object).name.clone(), lost.join(", "));
        import.context.push(line.times(lost.len() as u64).at(objects.place(maker.object)));
    }
}
