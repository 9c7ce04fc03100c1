//! Material lists, materials and textures beside a model.

use super::EXTRAS;
use crate::codes;
use crate::document::{MaterialXml, Tag};
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
    let mut materials = Materials { scene, source, context, by_path: BTreeMap::new(), textures: BTreeMap::new() };
    let Some(bytes) = materials.beside(&format!("{}.txt", source.stem())) else {
        return Ok(vec![None; geometry_count]);
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut slots: Vec<Option<MaterialId>> = Vec::new();
    for line in text.lines().map(str::trim).take(geometry_count) {
        slots.push(if line.is_empty() { None } else { materials.material(line)? });
    }
    slots.resize(geometry_count, None);
    Ok(slots)
}

/// Adds the material of a file of its own.
pub(super) fn import_one(
    scene: &mut Scene,
    xml: &MaterialXml,
    name: &str,
    source: &dyn Source,
    context: &Context,
) -> Result<()> {
    let mut materials = Materials { scene, source, context, by_path: BTreeMap::new(), textures: BTreeMap::new() };
    materials.add(xml, name).map(|_| ())
}

struct Materials<'a> {
    scene: &'a mut Scene,
    source: &'a dyn Source,
    context: &'a Context,
    by_path: BTreeMap<String, Option<MaterialId>>,
    textures: BTreeMap<(String, MapForm), Option<TextureId>>,
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
        let read = self.beside(path).map(|bytes| MaterialXml::read(&bytes));
        let id = match read {
            Some(Ok(xml)) => Some(self.add(&xml, stem(path))?),
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

    fn add(&mut self, xml: &MaterialXml, name: &str) -> Result<MaterialId> {
        let spec = Spec::of(xml);
        let mut material = Material::new(name);
        material.base_color = spec.color("MatDiffColor").unwrap_or([1.0; 4]);
        let technique = spec.technique.as_str();
        if spec.is_physical() {
            material.metallic = spec.number("Metallic").unwrap_or(0.0);
            material.roughness = spec.number("Roughness").unwrap_or(0.5);
        } else {
            (material.metallic, material.roughness) = (0.0, 1.0);
            self.context.tell(&codes::OLD_TECHNIQUE, name, technique);
        }
        let [r, g, b, _] = spec.color("MatEmissiveColor").unwrap_or([0.0; 4]);
        material.emissive = [r, g, b];
        material.unlit = technique.contains("Unlit");
        material.double_sided = spec.cull.as_deref() == Some("none");
        material.alpha_mode = match technique {
            t if t.contains("AlphaMask") => AlphaMode::Mask { cutoff: 0.5 },
            t if t.contains("Alpha") => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        };
        self.textures(&spec, &mut material)?;
        material.extras.set(EXTRAS, spec.to_value());
        Ok(self.scene.materials.push(material))
    }

    fn textures(&mut self, spec: &Spec, material: &mut Material) -> Result<()> {
        let transform = spec.uv_transform();
        for (unit, path) in &spec.units {
            let mut form = MapForm::AsIs;
            let slot = match unit.as_str() {
                "diffuse" | "diff" | "albedo" | "0" => &mut material.base_color_texture,
                "normal" | "norm" | "1" => &mut material.normal_texture,
                "specular" | "spec" | "2" if spec.is_physical() => {
                    // The engine adds the parameters to the map; steps of 1/255 are all that an 8-bit map can hold.
                    let steps = |v: f32| (v * 255.0).round().clamp(-255.0, 255.0) as i16;
                    form = MapForm::RoughnessMetallic {
                        add_roughness: steps(spec.number("Roughness").unwrap_or(0.0)),
                        add_metallic: steps(spec.number("Metallic").unwrap_or(0.0)),
                    };
                    (material.roughness, material.metallic) = (1.0, 1.0);
                    &mut material.metallic_roughness_texture
                }
                "emissive" | "3" if spec.technique.contains("AO") => &mut material.occlusion_texture,
                "emissive" | "3" => &mut material.emissive_texture,
                _ => {
                    self.context.tell(&codes::TEXTURE_UNIT_LOST, &material.name, format!("{unit}: {path}"));
                    continue;
                }
            };
            let Some(texture) = self.texture(path, form)? else { continue };
            let mut texture_use = TextureUse::new(texture);
            texture_use.transform = transform;
            *slot = Some(texture_use);
        }
        Ok(())
    }

    fn texture(&mut self, path: &str, form: MapForm) -> Result<Option<TextureId>> {
        let key = (path.to_owned(), form);
        if let Some(known) = self.textures.get(&key) {
            return Ok(*known);
        }
        let Some(bytes) = self.beside(path) else {
            self.context.tell(&codes::TEXTURE_MISSING, path, "not beside the model");
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
            MapForm::RoughnessMetallic { add_roughness, add_metallic } => {
                match repack(&bytes, add_roughness, add_metallic, self.context) {
                    Ok(png) => image.bytes = Some(png.into()),
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

/// The engine packs roughness in R and metallic in G, the scene has them in G and B.
fn repack(bytes: &[u8], add_roughness: i16, add_metallic: i16, context: &Context) -> Result<Vec<u8>> {
    let image = decode_rgba8(bytes, context)?;
    let add = |value: u8, steps: i16| (i16::from(value) + steps).clamp(0, 255) as u8;
    let repacked = map_pixels([&image], |[[r, g, _, _]]| [255, add(r, add_roughness), add(g, add_metallic), 255])?;
    encode_png(&repacked)
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
}

impl Spec {
    fn of(xml: &MaterialXml) -> Self {
        let mut spec = Self::default();
        let get = |tag: &Tag, name: &str| tag.get(name).unwrap_or_default();
        for tag in xml.elements() {
            match tag.name.as_str() {
                // The first one is for the best quality and the nearest distance.
                "technique" if spec.technique.is_empty() => spec.technique = get(tag, "name"),
                "texture" => spec.units.push((get(tag, "unit").to_lowercase(), get(tag, "name"))),
                "parameter" => spec.parameters.push((get(tag, "name"), get(tag, "value"))),
                "cull" => spec.cull = tag.get("value"),
                _ => {}
            }
        }
        spec
    }

    fn is_physical(&self) -> bool {
        self.technique.contains("PBR/")
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
