//! Material lists, materials and textures beside a model.

use super::EXTRAS;
use crate::codes;
use crate::document::{MaterialList, Tag, XmlFile};
use anyrig_bytes::maths::srgb_to_linear;
use anyrig_bytes::{Context, Place, Result, SharedBytes, Source, Value};
use anyrig_image::{decode_rgba8, encode_png, map_pixels, sniff};
use anyrig_scene::{AlphaMode, Image, Material, MaterialId, Scene, Texture, TextureId, TextureUse, UvTransform};
use std::collections::BTreeMap;

/// Reads the list `NAME.txt` beside the model, one material path per geometry, and the materials that it names.
pub(super) fn import_list(
    scene: &mut Scene,
    geometry_count: usize,
    source: &dyn Source,
    context: &Context,
) -> Result<Vec<Option<MaterialId>>> {
    let mut materials = Materials::new(scene, source, context);
    let Some(bytes) = materials.beside(&format!("{}.txt", source.stem())) else {
        return Ok(vec![None; geometry_count]);
    };
    let list = match MaterialList::read(&bytes, context) {
        Ok(list) => list,
        Err(error) if error.ends_job() => return Err(error.in_file(&format!("{}.txt", source.stem()))),
        Err(error) => {
            let name = format!("{}.txt", source.stem());
            context.tell(&codes::MATERIAL_UNREAD, name.clone(), error.in_file(&name).to_string());
            return Ok(vec![None; geometry_count]);
        }
    };
    let mut slots: Vec<Option<MaterialId>> = Vec::new();
    for path in list.paths().take(geometry_count) {
        slots.push(if path.is_empty() { None } else { materials.material(path)? });
    }
    slots.resize(geometry_count, None);
    Ok(slots)
}

/// Adds the materials of a list of its own.
pub(super) fn import_paths<'a>(
    scene: &mut Scene,
    paths: impl Iterator<Item = &'a str>,
    source: &dyn Source,
    context: &Context,
) -> Result<()> {
    let mut materials = Materials::new(scene, source, context);
    paths.filter(|p| !p.is_empty()).try_for_each(|path| materials.material(path).map(|_| ()))
}

/// Adds the material of a file of its own.
pub(super) fn import_one(
    scene: &mut Scene,
    xml: &XmlFile,
    name: &str,
    source: &dyn Source,
    context: &Context,
) -> Result<()> {
    let mut materials = Materials::new(scene, source, context);
    materials.missing = "paths begin at the folder of the bundle, and only what lies in the material's own is read; \
                         read the bundle's model to have its textures";
    materials.add(xml, name).map(|_| ())
}

struct Materials<'a> {
    scene: &'a mut Scene,
    source: &'a dyn Source,
    context: &'a Context,
    by_path: BTreeMap<String, Option<MaterialId>>,
    textures: BTreeMap<(String, MapForm), Option<TextureId>>,
    properties: BTreeMap<String, Properties>,
    /// Why a texture was not found.
    missing: &'static str,
}

/// What a map of rbfx says.
#[derive(Clone, Copy, Default)]
struct Properties {
    has_rough_metal: bool,
    has_occlusion: bool,
}

impl<'a> Materials<'a> {
    fn new(scene: &'a mut Scene, source: &'a dyn Source, context: &'a Context) -> Self {
        let (by_path, textures, properties) = Default::default();
        Self { scene, source, context, by_path, textures, properties, missing: "not beside the model" }
    }
}

/// How the pixels of a file become a texture of the scene.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MapForm {
    AsIs,
    /// Roughness in R and metallic in G, with whole steps added to both, become G and B.
    RoughnessMetallic {
        add_roughness: i16,
        add_metallic: i16,
    },
    /// rbfx: roughness in R, metallic in G and occlusion in A become G, B and R.
    Properties,
}

impl Materials<'_> {
    /// A file beside the model. Names that cannot be followed count as missing.
    fn beside(&self, path: &str) -> Option<SharedBytes> {
        self.source.resolve(path).ok().flatten()
    }

    fn material(&mut self, path: &str) -> Result<Option<MaterialId>> {
        if let Some(known) = self.by_path.get(path) {
            return Ok(*known);
        }
        self.context.take_elements(1, || Place::element(path))?;
        let read = self.beside(path).map(|bytes| XmlFile::read(&bytes, self.context));
        let id = match read {
            Some(Ok(xml)) => Some(self.add(&xml, stem(path))?),
            Some(Err(error)) if error.ends_job() => return Err(error.in_file(path)),
            Some(Err(error)) => {
                self.context.tell(&codes::MATERIAL_UNREAD, path, error.in_file(path).to_string());
                None
            }
            None => {
                self.context.tell(&codes::MATERIAL_UNREAD, path, "not beside the model");
                None
            }
        };
        self.by_path.insert(path.to_owned(), id);
        Ok(id)
    }

    fn add(&mut self, xml: &XmlFile, name: &str) -> Result<MaterialId> {
        let spec = Spec::of(xml);
        let mut material = Material::new(name);
        let family = spec.family();
        let color = |name: &str| spec.color(name).map(|c| family.linear(c));
        material.base_color = color("MatDiffColor").unwrap_or([1.0; 4]);
        let technique = spec.technique.as_str();
        material.unlit = technique.contains("Unlit");
        if family == Family::Old {
            (material.metallic, material.roughness) = (0.0, 1.0);
            // Without light both mean nothing.
            if !material.unlit {
                self.context.tell(&codes::OLD_TECHNIQUE, name, technique);
            }
        } else {
            material.metallic = spec.number("Metallic").unwrap_or(0.0);
            material.roughness = spec.number("Roughness").unwrap_or(0.5);
        }
        material.normal_scale = spec.number("NormalScale").unwrap_or(1.0);
        let [r, g, b, _] = color("MatEmissiveColor").unwrap_or([0.0; 4]);
        material.emissive = [r, g, b];
        material.double_sided = spec.cull.as_deref() == Some("none");
        material.alpha_mode = spec.alpha_mode();
        self.textures(&spec, &mut material)?;
        material.extras.set(EXTRAS, spec.to_value());
        Ok(self.scene.materials.push(material))
    }

    fn textures(&mut self, spec: &Spec, material: &mut Material) -> Result<()> {
        let transform = spec.uv_transform();
        let family = spec.family();
        for (unit, path) in &spec.units {
            let mut form = MapForm::AsIs;
            let slot = match unit.as_str() {
                "diffuse" | "diff" | "albedo" | "0" => &mut material.base_color_texture,
                "normal" | "norm" | "1" => &mut material.normal_texture,
                "specular" | "spec" | "2" if family == Family::Stock => {
                    // The engine adds the parameters to the map; steps of 1/255 are all that an 8-bit map can hold.
                    let steps = |v: f32| (v * 255.0).round().clamp(-255.0, 255.0) as i16;
                    form = MapForm::RoughnessMetallic {
                        add_roughness: steps(spec.number("Roughness").unwrap_or(0.0)),
                        add_metallic: steps(spec.number("Metallic").unwrap_or(0.0)),
                    };
                    &mut material.metallic_roughness_texture
                }
                "properties" | "specular" | "spec" | "2" if family == Family::Rbfx => {
                    form = MapForm::Properties;
                    &mut material.metallic_roughness_texture
                }
                "emissive" | "3" if spec.technique.contains("AO") => &mut material.occlusion_texture,
                "emissive" | "emission" | "3" => &mut material.emissive_texture,
                _ => {
                    self.context.tell(&codes::TEXTURE_UNIT_LOST, &material.name, format!("{unit}: {path}"));
                    continue;
                }
            };
            let Some(texture) = self.texture(path, form)? else { continue };
            let mut texture_use = TextureUse::new(texture);
            texture_use.transform = transform;
            *slot = Some(texture_use);
            match form {
                MapForm::Properties => self.spread_properties(material, path),
                // The map has the parameters in it; without the map they stand for themselves.
                MapForm::RoughnessMetallic { .. } => (material.roughness, material.metallic) = (1.0, 1.0),
                MapForm::AsIs => {}
            }
        }
        Ok(())
    }

    /// A map that says nothing about roughness and metallic, or about occlusion, is none of these.
    fn spread_properties(&self, material: &mut Material, path: &str) {
        let Properties { has_rough_metal, has_occlusion } = self.properties.get(path).copied().unwrap_or_default();
        if has_occlusion {
            material.occlusion_texture.clone_from(&material.metallic_roughness_texture);
        }
        if has_occlusion && !has_rough_metal {
            material.metallic_roughness_texture = None;
        }
    }

    fn texture(&mut self, path: &str, form: MapForm) -> Result<Option<TextureId>> {
        let key = (path.to_owned(), form);
        if let Some(known) = self.textures.get(&key) {
            return Ok(*known);
        }
        let Some(bytes) = self.beside(path) else {
            self.context.tell(&codes::TEXTURE_MISSING, path, self.missing);
            self.textures.insert(key, None);
            return Ok(None);
        };
        let mut image = Image::default();
        stem(path).clone_into(&mut image.name);
        match form {
            MapForm::AsIs => {
                image.uri = Some(path.to_owned());
                image.mime_type = sniff(&bytes).map(|k| k.media_type().to_owned());
                image.bytes = Some(bytes);
            }
            MapForm::RoughnessMetallic { .. } | MapForm::Properties => {
                match repack(&bytes, form, self.context) {
                    Ok((png, properties)) => {
                        image.bytes = Some(png.into());
                        self.properties.insert(path.to_owned(), properties);
                    }
                    Err(error) if error.ends_job() => return Err(error.in_file(path)),
                    Err(error) => {
                        self.context.tell(&codes::TEXTURE_MISSING, path, error.to_string());
                        self.textures.insert(key, None);
                        return Ok(None);
                    }
                }
                image.mime_type = Some("image/png".to_owned());
            }
        }
        let mut texture = Texture::default();
        texture.name.clone_from(&image.name);
        texture.image = Some(self.scene.images.push(image));
        let id = self.scene.textures.push(texture);
        self.textures.insert(key, Some(id));
        Ok(Some(id))
    }
}

/// The engines pack roughness in R and metallic in G (and rbfx occlusion in A), the scene has them in G and B (and R).
fn repack(bytes: &[u8], form: MapForm, context: &Context) -> Result<(Vec<u8>, Properties)> {
    let image = decode_rgba8(bytes, context)?;
    let has_rough_metal = image.pixels().iter().any(|[r, g, ..]| (*r, *g) != (255, 255));
    let properties = Properties { has_rough_metal, has_occlusion: image.has_transparency() };
    let add = |value: u8, steps: i16| (i16::from(value) + steps).clamp(0, 255) as u8;
    let repacked = map_pixels([&image], |[[r, g, _, a]]| match form {
        MapForm::AsIs => [r, g, 255, a],
        MapForm::Properties => [a, r, g, 255],
        MapForm::RoughnessMetallic { add_roughness, add_metallic } => {
            [255, add(r, add_roughness), add(g, add_metallic), 255]
        }
    })?;
    Ok((encode_png(&repacked)?, properties))
}

fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// What a material file says.
#[derive(Default)]
struct Spec {
    technique: String,
    units: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
    cull: Option<String>,
    /// Of the pixel shader.
    defines: String,
}

/// Whose techniques a material uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Physically based ones of Urho3D.
    Stock,
    /// Those of rbfx; their colours are in gamma space.
    Rbfx,
    /// Any other.
    Old,
}

impl Family {
    fn linear(self, [r, g, b, a]: [f32; 4]) -> [f32; 4] {
        if self != Self::Rbfx {
            return [r, g, b, a];
        }
        let [r, g, b] = [r, g, b].map(|encoded| srgb_to_linear(f64::from(encoded)) as f32);
        [r, g, b, a]
    }
}

impl Spec {
    fn of(xml: &XmlFile) -> Self {
        let mut spec = Self::default();
        let get = |tag: &Tag, name: &str| tag.get(name).unwrap_or_default();
        for tag in xml.elements() {
            match tag.name.as_str() {
                // The first one is for the best quality and the nearest distance.
                "technique" if spec.technique.is_empty() => spec.technique = get(tag, "name"),
                "texture" => {
                    let unit = tag.get("slot").or_else(|| tag.get("unit")).unwrap_or_default();
                    spec.units.push((unit.to_lowercase(), get(tag, "name")));
                }
                "shader" => spec.defines = get(tag, "psdefines"),
                "parameter" => spec.parameters.push((get(tag, "name"), get(tag, "value"))),
                "cull" => spec.cull = tag.get("value"),
                _ => {}
            }
        }
        spec
    }

    fn family(&self) -> Family {
        let file = self.technique.rsplit('/').next().unwrap_or_default();
        match () {
            () if self.technique.contains("PBR/") => Family::Stock,
            () if file.starts_with("Lit") || file.starts_with("Unlit") => Family::Rbfx,
            () => Family::Old,
        }
    }

    fn alpha_mode(&self) -> AlphaMode {
        let technique = self.technique.as_str();
        let masked = technique.contains("AlphaMask") || self.defines.split_whitespace().any(|d| d == "ALPHAMASK");
        match () {
            () if masked => AlphaMode::Mask { cutoff: self.number("AlphaCutoff").unwrap_or(0.5) },
            () if technique.contains("Alpha") || technique.contains("Transparent") => AlphaMode::Blend,
            () => AlphaMode::Opaque,
        }
    }

    fn numbers(&self, name: &str) -> Vec<f32> {
        let value = self.parameters.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str()).unwrap_or_default();
        let numbers = value.split_ascii_whitespace().map_while(|n| n.parse::<f32>().ok());
        numbers.filter(|n| n.is_finite()).take(4).collect()
    }

    fn number(&self, name: &str) -> Option<f32> {
        self.numbers(name).first().copied()
    }

    fn color(&self, name: &str) -> Option<[f32; 4]> {
        match *self.numbers(name) {
            [r, g, b, a] => Some([r, g, b, a]),
            [r, g, b] => Some([r, g, b, 1.0]),
            _ => None,
        }
    }

    /// `u' = dot(uv, UOffset.xy) + UOffset.w`, the same for v: a matrix of any form. One with shear keeps its columns'
    /// lengths and the first one's direction.
    fn uv_transform(&self) -> Option<UvTransform> {
        let (u, v) = (self.numbers("UOffset"), self.numbers("VOffset"));
        let [a, b, _, x] = *<&[f32; 4]>::try_from(u.as_slice()).unwrap_or(&[1.0, 0.0, 0.0, 0.0]);
        let [c, d, _, y] = *<&[f32; 4]>::try_from(v.as_slice()).unwrap_or(&[0.0, 1.0, 0.0, 0.0]);
        let mirror = if a * d - b * c < 0.0 { -1.0 } else { 1.0 };
        let scale = [(a * a + c * c).sqrt(), (b * b + d * d).sqrt() * mirror];
        let rotation_rad = if c == 0.0 && a > 0.0 { 0.0 } else { anyrig_bytes::maths::f32::atan2(-c, a) };
        let transform = UvTransform { offset: [x, y], rotation_rad, scale };
        (transform != UvTransform::default()).then_some(transform)
    }

    fn to_value(&self) -> Value {
        let pairs = |list: &[(String, String)]| {
            let mut value = Value::Object(Vec::new());
            list.iter().for_each(|(k, v)| value.set(k, v.as_str()));
            value
        };
        let mut value = Value::Null;
        value.set("technique", self.technique.as_str());
        value.set("parameters", pairs(&self.parameters));
        value
    }
}
