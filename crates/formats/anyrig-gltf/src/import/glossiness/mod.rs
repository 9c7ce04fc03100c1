//! The archived specular-glossiness surface as metallic-roughness terms.

mod pixels;
mod surface;

use self::pixels::{Converted, Factors};
use self::surface::{DIELECTRIC, metallic, plain_factor};
use super::Loader;
use super::cameras::clamped;
use crate::codes;
use crate::document::json::At;
use crate::document::{MaterialObject, SpecularGlossinessObject, typed};
use crate::names::EXTENSIONS;
use anyrig_bytes::{Diagnostic, Error, ErrorKind, Place, Result, Value};
use anyrig_image::{Kind, Rgba8Image, decode_rgba8, encode_png, sniff};
use anyrig_scene::{Image, Material, Texture, TextureId, TextureUse};

pub(super) const NAME: &str = "KHR_materials_pbrSpecularGlossiness";

/// What textures of a surface become, told by them and its factors.
pub(super) type Key = ([Option<TextureId>; 2], [u64; 8]);

/// Textures of base colour, and of metallic and roughness.
pub(super) type Maps = [TextureId; 2];

/// A surface as the extension has it.
struct Surface {
    factors: Factors,
    diffuse: Option<TextureUse>,
    /// Specular colour and glossiness.
    specular: Option<TextureUse>,
}

impl Surface {
    fn key(&self) -> Key {
        let Factors { diffuse: [r, g, b, a], specular: [x, y, z], glossiness } = self.factors;
        let texture = |used: &Option<TextureUse>| used.as_ref().map(|t| t.texture);
        ([texture(&self.diffuse), texture(&self.specular)], [r, g, b, a, x, y, z, glossiness].map(f64::to_bits))
    }

    /// Whether both textures, if there are two, lie alike, so that pixels of one are beside those of the other.
    fn lies_alike(&self) -> bool {
        let pair = self.diffuse.as_ref().zip(self.specular.as_ref());
        pair.is_none_or(|(a, b)| a.uv_set == b.uv_set && a.transform == b.transform)
    }

    /// A texture in the place of those of the surface.
    fn shown(&self, texture: TextureId) -> Option<TextureUse> {
        let mut used = self.diffuse.as_ref().or(self.specular.as_ref())?.clone();
        used.texture = texture;
        Some(used)
    }
}

impl Loader<'_> {
    /// Takes the surface over, if there is one, instead of the core's. The extension itself stays an extra.
    pub(super) fn glossiness(&mut self, object: &MaterialObject, out: &mut Material, at: &At<'_>) -> Result<()> {
        let Some(value) = object.extensions.as_ref().and_then(|e| e.get(NAME)) else { return Ok(()) };
        let at = at.key("extensions");
        let at = at.key(NAME);
        let given: SpecularGlossinessObject = typed(value, &at, self.context)?;
        let surface = self.given(&given, out, &at)?;
        let has_maps = object.pbr.as_ref().is_some_and(|pbr| pbr.metallic_roughness_texture.is_some());
        let message = if has_maps && (surface.diffuse.is_some() || surface.specular.is_some()) {
            "the textures of the metallic-roughness surface beside it were taken".to_owned()
        } else {
            self.converted(&surface, out)?
        };
        self.context.push(Diagnostic::new(&codes::SPECULAR_GLOSSINESS, at.pointer(), message).at(at.place()));
        Ok(())
    }

    /// The surface within its ranges. What is carried gets the numbers that were brought into them.
    fn given(&self, given: &SpecularGlossinessObject, out: &mut Material, at: &At<'_>) -> Result<Surface> {
        let mut mended: Vec<(&str, Value)> = Vec::new();
        let mut units = |values: &[f64], key: &'static str| {
            let at = at.key(key);
            let inside: Vec<f64> = values.iter().map(|v| clamped(*v, (0.0, 1.0), &at, self.context)).collect();
            if inside != values {
                let numbers: Vec<Value> = inside.iter().map(|v| Value::Float(*v)).collect();
                let value = if let [one] = numbers.as_slice() { one.clone() } else { Value::Array(numbers) };
                mended.push((key, value));
            }
            inside
        };
        let diffuse = units(&given.diffuse.unwrap_or([1.0; 4]), "diffuseFactor");
        let specular = units(&given.specular.unwrap_or([1.0; 3]), "specularFactor");
        let glossiness = units(&[given.glossiness.unwrap_or(1.0)], "glossinessFactor");
        let numbers = |values: &[f64], i: usize| values.get(i).copied().unwrap_or(1.0);
        let factors = Factors {
            diffuse: std::array::from_fn(|i| numbers(&diffuse, i)),
            specular: std::array::from_fn(|i| numbers(&specular, i)),
            glossiness: numbers(&glossiness, 0),
        };
        if let Some(mut carried) = out.extras.get(EXTENSIONS).filter(|_| !mended.is_empty()).cloned() {
            let mut own = carried.get(NAME).cloned().unwrap_or(Value::Null);
            mended.into_iter().for_each(|(key, value)| own.set(key, value));
            carried.set(NAME, own);
            out.extras.set(EXTENSIONS, carried);
        }
        let diffuse = self.texture_use(given.diffuse_texture.as_ref(), &at.key("diffuseTexture"))?;
        let specular = self.texture_use(given.texture.as_ref(), &at.key("specularGlossinessTexture"))?;
        Ok(Surface { factors, diffuse, specular })
    }

    /// Gives the material what is nearest to the surface, and says how it was found.
    fn converted(&mut self, surface: &Surface, out: &mut Material) -> Result<String> {
        out.metallic_roughness_texture = None;
        let Factors { diffuse: [r, g, b, alpha], specular, glossiness } = surface.factors;
        let plain = plain_factor([r, g, b], specular).filter(|_| surface.specular.is_none());
        if let (Some(factor), Some(texture)) = (plain, &surface.diffuse) {
            set(out, factor, (alpha, 0.0, 1.0 - glossiness));
            out.base_color_texture = Some(texture.clone());
            return Ok("its factors were converted, and its diffuse texture is that of the base colour".to_owned());
        }
        if let Some([base_color, metallic_roughness]) = self.glossy_maps.get(&surface.key()).copied() {
            show(surface, out, [base_color, metallic_roughness]);
            return Ok(BY_PIXEL.to_owned());
        }
        let (diffuse, mapped) = (self.pixels_of(&surface.diffuse)?, self.pixels_of(&surface.specular)?);
        let why = match (&diffuse, &mapped) {
            (Err(why), _) | (_, Err(why)) => why.clone(),
            _ if !surface.lies_alike() => "its textures lie differently".to_owned(),
            (Ok(diffuse), Ok(mapped)) => {
                match pixels::convert(&surface.factors, diffuse.as_ref(), mapped.as_ref(), &self.scratch) {
                    Ok(converted) => return self.by_pixel(surface, converted, out),
                    Err(error) => beyond_limit(error)?,
                }
            }
        };
        Ok(nearest(surface, mapped.ok().flatten().as_ref(), &why, out))
    }

    fn by_pixel(&mut self, surface: &Surface, converted: Converted, out: &mut Material) -> Result<String> {
        match converted {
            Converted::Flat { base_color: [r, g, b, alpha], metallic, roughness } => {
                set(out, [r, g, b], (alpha, metallic, roughness));
                out.base_color_texture = None;
                let has_texture = surface.diffuse.is_some() || surface.specular.is_some();
                Ok(if has_texture {
                    "its textures are of one value, which was converted"
                } else {
                    "its factors were converted"
                }
                .to_owned())
            }
            Converted::Maps { base_color, metallic_roughness } => {
                let of = surface.diffuse.as_ref().or(surface.specular.as_ref()).map(|used| used.texture);
                let maps = [self.new_texture(&base_color, of)?, self.new_texture(&metallic_roughness, of)?];
                self.glossy_maps.insert(surface.key(), maps);
                show(surface, out, maps);
                Ok(BY_PIXEL.to_owned())
            }
        }
    }

    /// A texture of new pixels, sampled as another one. New ones come after those of the file, whose numbers stay.
    fn new_texture(&mut self, pixels: &Rgba8Image, like: Option<TextureId>) -> Result<TextureId> {
        let png = encode_png(pixels)?;
        self.context.take_memory(png.len() as u64, Place::whole)?;
        let mut image = Image::default();
        image.bytes = Some(png.into());
        image.mime_type = Some(Kind::Png.media_type().to_owned());
        let mut texture = Texture::default();
        texture.image = Some(self.scene.images.push(image));
        texture.sampler = like.and_then(|like| self.scene.textures.get(like)?.sampler.clone());
        Ok(self.scene.textures.push(texture))
    }

    /// The pixels of a texture, if one is used, or why there are none.
    fn pixels_of(&self, used: &Option<TextureUse>) -> Result<Result<Option<Rgba8Image>, String>> {
        let Some(used) = used else { return Ok(Ok(None)) };
        let texture = self.scene.textures.get(used.texture);
        let images = texture.into_iter().flat_map(|t| t.image.iter().chain(&t.alternates));
        let bytes = images.filter_map(|image| self.scene.images.get(*image)?.bytes.as_ref());
        let Some(bytes) = bytes.into_iter().find(|b| sniff(b).is_some_and(Kind::is_decodable)) else {
            return Ok(Err(format!("texture {} has no image that can be decoded", used.texture.index())));
        };
        match decode_rgba8(bytes, &self.scratch) {
            Ok(pixels) => Ok(Ok(Some(pixels))),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => Ok(Err(format!("texture {}: {}", used.texture.index(), error.message()))),
        }
    }
}

/// Why there are no pixels, where they would be too many: one value stands for them then.
fn beyond_limit(error: Error) -> Result<String> {
    if error.kind() == ErrorKind::LimitExceeded { Ok(error.message().to_owned()) } else { Err(error) }
}

const BY_PIXEL: &str = "its textures were converted pixel by pixel";

fn set(out: &mut Material, base_color: [f64; 3], (alpha, metallic, roughness): (f64, f64, f64)) {
    let [r, g, b] = base_color.map(|c| c as f32);
    out.base_color = [r, g, b, alpha as f32];
    out.metallic = metallic as f32;
    out.roughness = roughness as f32;
}

/// The material shows what was converted; alpha keeps its factor.
fn show(surface: &Surface, out: &mut Material, [base_color, metallic_roughness]: Maps) {
    set(out, [1.0; 3], (surface.factors.diffuse[3], 1.0, 1.0));
    out.base_color_texture = surface.shown(base_color);
    out.metallic_roughness_texture = surface.shown(metallic_roughness);
}

/// One value for all of a specular texture whose pixels cannot be converted: their mean, or a usual surface when they
/// cannot be read. A metal has its colour from what it reflects, so that its diffuse texture says nothing of it.
fn nearest(surface: &Surface, specular: Option<&Rgba8Image>, why: &str, out: &mut Material) -> String {
    let Factors { diffuse: [r, g, b, alpha], specular: factor, glossiness } = surface.factors;
    let white = ([1.0; 3], 1.0);
    let (color, gloss) = match (specular, &surface.specular) {
        (Some(image), _) => pixels::mean(image),
        (None, None) => white,
        (None, Some(_)) => ([DIELECTRIC; 3], 0.5),
    };
    let found = metallic([r, g, b], [0, 1, 2].map(|i| factor[i] * color[i]));
    set(out, found.base_color, (alpha, found.metallic, 1.0 - glossiness * gloss));
    let is_metal = found.metallic > 0.5;
    out.base_color_texture = surface.diffuse.clone().filter(|_| !is_metal);
    let mut dropped = Vec::new();
    match (specular, &surface.specular) {
        (Some(_), _) => dropped.push("its specular-glossiness texture became its mean"),
        (None, Some(_)) => dropped.push("its specular-glossiness texture was left out"),
        (None, None) => {}
    }
    if is_metal && surface.diffuse.is_some() {
        dropped.push("its diffuse texture was left out");
    }
    let dropped = if dropped.is_empty() { "its factors were converted".to_owned() } else { dropped.join(", ") };
    format!("{dropped}: {why}")
}
