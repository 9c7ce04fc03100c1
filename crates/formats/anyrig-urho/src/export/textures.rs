//! Images to `Textures/*.png`, repacked where the engine packs maps otherwise.

use super::file;
use crate::codes;
use crate::document::{Tag, XmlFile, XmlKind};
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Context, Diagnostic, Error, Place, Report, Result, Rope, SharedBytes};
use anyrig_image::{self as image, Kind, Rgba8Image, decode_rgba8, encode_png, map_pixels, resize, sniff};
use anyrig_scene::{ExportedFile, Feature, Filter, ImageId, MipFilter, Sampler, Scene, Wrap};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Pixels that a material needs. Factors are bits of `f32`, so that wishes can be sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wish {
    /// An image as it is.
    Plain(ImageId),
    /// Roughness into R and metallic into G, multiplied by their factors.
    RoughMetal { image: ImageId, roughness: u32, metallic: u32 },
    /// Occlusion into all colours, weakened by its strength.
    Occlusion { image: ImageId, strength: u32 },
    /// rbfx: roughness into R, metallic into G, occlusion into A, weakened by its strength. At least one is there.
    Properties { rough_metal: Option<ImageId>, occlusion: Option<ImageId>, strength: u32 },
    /// One white pixel, where a technique wants a map that the material does not have.
    White,
    /// One black pixel.
    Black,
}

impl Wish {
    fn image(self) -> Option<ImageId> {
        match self {
            Self::Plain(image) | Self::RoughMetal { image, .. } | Self::Occlusion { image, .. } => Some(image),
            Self::Properties { rough_metal, occlusion, .. } => rough_metal.or(occlusion),
            Self::White | Self::Black => None,
        }
    }

    /// What still is of use when one of several images cannot be read.
    fn parts(self) -> Vec<Self> {
        let Self::Properties { rough_metal: Some(image), occlusion: Some(occlusion), strength } = self else {
            return Vec::new();
        };
        let without = Self::Properties { rough_metal: Some(image), occlusion: None, strength: 0 };
        vec![without, Self::Properties { rough_metal: None, occlusion: Some(occlusion), strength }]
    }

    fn file_stem(self, stem: &str) -> String {
        match self {
            Self::Plain(image) => format!("{stem}_tex{}", image.index()),
            Self::RoughMetal { image, .. } => format!("{stem}_tex{}_roughmetal", image.index()),
            Self::Occlusion { image, .. } => format!("{stem}_tex{}_occlusion", image.index()),
            Self::Properties { .. } => match self.image() {
                Some(image) => format!("{stem}_tex{}_properties", image.index()),
                None => format!("{stem}_properties"),
            },
            Self::White => format!("{stem}_white"),
            Self::Black => format!("{stem}_black"),
        }
    }
}

/// The textures of a bundle.
pub(super) struct Textures {
    by_wish: BTreeMap<Wish, Ready>,
    samplers: BTreeMap<String, Sampler>,
}

struct Ready {
    name: String,
    content: Rope,
    used: bool,
}

impl Textures {
    /// Fulfils all wishes, in parallel; what cannot be read is reported and missing afterwards.
    pub(super) fn make(scene: &Scene, wishes: &[Wish], stem: &str, context: &Context) -> Result<Self> {
        let mut wishes = wishes.to_vec();
        wishes.sort_unstable();
        wishes.dedup();
        let fulfilled = |wish: Wish| -> Vec<(Wish, Result<Rope>)> {
            let made = fulfil(scene, wish, context);
            // A job that ends is not saved by doing less of it.
            let parts = if made.as_ref().is_err_and(|e| !e.ends_job()) { wish.parts() } else { Vec::new() };
            if parts.is_empty() {
                return vec![(wish, made)];
            }
            // The part that fails says which image it was.
            parts.into_iter().map(|part| (part, fulfil(scene, part, context))).collect()
        };
        let made: Vec<(Wish, Result<Rope>)> = wishes.into_par_iter().flat_map_iter(fulfilled).collect();
        context.check_cancelled()?;
        let mut report = Report::default();
        let mut names = UniqueNames::default();
        let mut by_wish = BTreeMap::new();
        for (wish, content) in made {
            let name = names.claim(&wish.file_stem(stem));
            match (content, wish.image()) {
                (Ok(content), _) => {
                    if is_reencoded(scene, wish) {
                        let message = "decoded and written as PNG, the only kind that is written";
                        report.push(Diagnostic::new(&codes::APPROXIMATED, Feature::Images.to_string(), message));
                    }
                    by_wish.insert(wish, Ready { name, content, used: false });
                }
                // Which of the images passes a limit would depend on the order of threads.
                (Err(error), _) if error.ends_job() => return Err(error),
                (Err(error), Some(image)) => report.push(unreadable(scene, image, error.message())),
                (Err(error), None) => return Err(error),
            }
        }
        context.append(report);
        Ok(Self { by_wish, samplers: BTreeMap::new() })
    }

    /// True when the wish is fulfilled.
    pub(super) fn has(&self, wish: Wish) -> bool {
        self.by_wish.contains_key(&wish)
    }

    /// The wish, or what is left of it when one of its images could not be read.
    pub(super) fn nearest(&self, wish: Wish) -> Option<Wish> {
        std::iter::once(wish).chain(wish.parts()).find(|w| self.has(*w))
    }

    /// The path that a material refers to the texture by. `None` when it could not be read.
    pub(super) fn take(&mut self, wish: Wish, sampler: Option<&Sampler>, report: &mut Report) -> Option<String> {
        let ready = self.by_wish.get_mut(&wish)?;
        let first_use = !std::mem::replace(&mut ready.used, true);
        let wanted = sampler.filter(|s| !settings(s).is_empty());
        match (self.samplers.get(&ready.name), wanted) {
            (None, Some(wanted)) if first_use => {
                self.samplers.insert(ready.name.clone(), wanted.clone());
            }
            (known, wanted) if known.map(settings) != wanted.map(settings) => {
                let message = "one image is sampled in two ways; the first one counts";
                report.push(Diagnostic::new(&codes::SAMPLER_DROPPED, ready.name.as_str(), message));
            }
            _ => {}
        }
        Some(format!("Textures/{}.png", ready.name))
    }

    /// The files that materials took.
    pub(super) fn into_files(self) -> Vec<ExportedFile> {
        let mut files = Vec::new();
        for ready in self.by_wish.into_values().filter(|r| r.used) {
            if let Some(sampler) = self.samplers.get(&ready.name) {
                let xml = XmlFile::new(XmlKind::Texture, settings(sampler));
                files.push(file("Textures", &ready.name, "xml", xml.write()));
            }
            files.push(file("Textures", &ready.name, "png", ready.content));
        }
        files
    }
}

/// Whether an image that goes through as it is was of another kind than PNG.
fn is_reencoded(scene: &Scene, wish: Wish) -> bool {
    let Wish::Plain(image) = wish else { return false };
    let bytes = scene.images.get(image).and_then(|i| i.bytes.as_ref());
    bytes.is_some_and(|bytes| sniff(bytes) != Some(Kind::Png))
}

fn unreadable(scene: &Scene, image: ImageId, message: &str) -> Diagnostic {
    let name = scene.images.get(image).map_or("", |i| i.name.as_str());
    let subject = if name.is_empty() { format!("image {}", image.index()) } else { name.to_owned() };
    Diagnostic::new(&codes::IMAGE_UNREADABLE, subject, message)
}

fn bytes_of(scene: &Scene, image: Option<ImageId>) -> Result<SharedBytes> {
    let bytes = image.and_then(|i| scene.images.get(i)).and_then(|i| i.bytes.clone());
    bytes.ok_or_else(|| Error::usage("the image's bytes are not there"))
}

fn fulfil(scene: &Scene, wish: Wish, context: &Context) -> Result<Rope> {
    let bytes = || bytes_of(scene, wish.image());
    let pixel = |v: u8| Rgba8Image::new(1, 1, vec![v, v, v, 255]).and_then(|i| encode_png(&i)).map(Rope::from);
    match wish {
        Wish::White => pixel(255),
        Wish::Black => pixel(0),
        Wish::Plain(_) => {
            let bytes = bytes()?;
            if sniff(&bytes) == Some(Kind::Png) {
                return Ok(bytes.into());
            }
            encode_png(&decode(&bytes, context)?).map(Rope::from)
        }
        Wish::RoughMetal { roughness, metallic, .. } => {
            let (roughness, metallic) = (f32::from_bits(roughness), f32::from_bits(metallic));
            let image = decode(&bytes()?, context)?;
            book_pixels((image.width(), image.height()), 1, context)?;
            let packed = map_pixels([&image], |[[_, g, b, _]]| [times(g, roughness), times(b, metallic), 0, 255])?;
            encode_png(&packed).map(Rope::from)
        }
        Wish::Properties { rough_metal, occlusion, strength } => {
            let image = |id: Option<ImageId>| match id {
                Some(_) => decode(&bytes_of(scene, id)?, context).map(Some),
                None => Ok(None),
            };
            let images = (image(rough_metal)?, image(occlusion)?);
            let packed = properties(images, f32::from_bits(strength), context)?;
            encode_png(&packed).map(Rope::from)
        }
        Wish::Occlusion { strength, .. } => {
            let strength = f32::from_bits(strength);
            let image = decode(&bytes()?, context)?;
            book_pixels((image.width(), image.height()), 1, context)?;
            let packed = map_pixels([&image], |[[r, ..]]| {
                let light = 255 - times(255 - r, strength);
                [light, light, light, 255]
            })?;
            encode_png(&packed).map(Rope::from)
        }
    }
}

/// Both images at the larger size of each side; what is not there counts fully.
fn properties(
    (rough_metal, occlusion): (Option<Rgba8Image>, Option<Rgba8Image>),
    strength: f32,
    context: &Context,
) -> Result<Rgba8Image> {
    let size = |side: fn(&Rgba8Image) -> u32| [&rough_metal, &occlusion].into_iter().flatten().map(side).max();
    let (width, height) = (size(Rgba8Image::width).unwrap_or(1), size(Rgba8Image::height).unwrap_or(1));
    // Both images at that size, and the one that is made from them.
    book_pixels((width, height), 3, context)?;
    let fitted = |image: Option<Rgba8Image>| match image {
        Some(image) => resize(&image, width, height, image::Filter::Bilinear),
        None => Rgba8Image::new(width, height, vec![255; width as usize * height as usize * 4]),
    };
    let (rough_metal, occlusion) = (fitted(rough_metal)?, fitted(occlusion)?);
    map_pixels([&rough_metal, &occlusion], |[[_, g, b, _], [r, ..]]| [g, b, 0, 255 - times(255 - r, strength)])
}

/// Books images of a size. Two thin ones, one wide and one high, may ask for far more pixels than they have.
fn book_pixels((width, height): (u32, u32), images: u64, context: &Context) -> Result<()> {
    let (count, most) = (u64::from(width) * u64::from(height), context.limits().pixels);
    if count > most {
        let message = format!("{width} × {height} pixels are more than the limit of {most}");
        return Err(Error::limit(Place::whole(), message));
    }
    context.take_memory(count.saturating_mul(4 * images), Place::whole)
}

fn decode(bytes: &[u8], context: &Context) -> Result<Rgba8Image> {
    context.check_cancelled()?;
    decode_rgba8(bytes, context)
}

fn times(value: u8, factor: f32) -> u8 {
    (f32::from(value) * factor).round().clamp(0.0, 255.0) as u8
}

/// What a texture's parameter file says where a sampler differs from the engine's default: repeated, trilinear.
fn settings(sampler: &Sampler) -> Vec<Tag> {
    let mut tags = Vec::new();
    for (coordinate, wrap) in [("u", sampler.wrap_u), ("v", sampler.wrap_v)] {
        let mode = match wrap {
            Wrap::Repeat => continue,
            Wrap::MirroredRepeat => "mirror",
            Wrap::ClampToEdge => "clamp",
        };
        tags.push(Tag::empty("address").with("coord", coordinate).with("mode", mode));
    }
    let within = sampler.min.map(|(within, _)| within);
    let between = sampler.min.map(|(_, between)| between);
    if sampler.mag == Some(Filter::Nearest) || within == Some(Filter::Nearest) {
        tags.push(Tag::empty("filter").with("mode", "nearest"));
    } else if between == Some(MipFilter::Nearest) {
        tags.push(Tag::empty("filter").with("mode", "bilinear"));
    }
    if between == Some(MipFilter::None) {
        tags.push(Tag::empty("mipmap").with("enable", "false"));
    }
    tags
}
