//! Images to `Textures/*.png`, repacked where the engine packs maps otherwise.

use super::file;
use crate::codes;
use crate::document::{MaterialXml, Tag};
use anyrig_bytes::names::UniqueNames;
use anyrig_bytes::{Context, Diagnostic, Report, Result, Rope, SharedBytes};
use anyrig_image::{Kind, Rgba8Image, decode_rgba8, encode_png, map_pixels, sniff};
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
    /// One white pixel, where a technique wants a map that the material does not have.
    White,
    /// One black pixel.
    Black,
}

impl Wish {
    fn image(self) -> Option<ImageId> {
        match self {
            Self::Plain(image) | Self::RoughMetal { image, .. } | Self::Occlusion { image, .. } => Some(image),
            Self::White | Self::Black => None,
        }
    }

    fn file_stem(self, stem: &str) -> String {
        match self {
            Self::Plain(image) => format!("{stem}_tex{}", image.index()),
            Self::RoughMetal { image, .. } => format!("{stem}_tex{}_roughmetal", image.index()),
            Self::Occlusion { image, .. } => format!("{stem}_tex{}_occlusion", image.index()),
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
        let made: Vec<(Wish, Result<Rope>)> =
            wishes.into_par_iter().map(|wish| (wish, fulfil(scene, wish, context))).collect();
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
                let xml = MaterialXml::with_root("texture", settings(sampler));
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

fn fulfil(scene: &Scene, wish: Wish, context: &Context) -> Result<Rope> {
    let bytes = || -> Result<SharedBytes> {
        let image = wish.image().and_then(|i| scene.images.get(i));
        let bytes = image.and_then(|i| i.bytes.clone());
        bytes.ok_or_else(|| anyrig_bytes::Error::usage("the image's bytes are not there"))
    };
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
            let packed = map_pixels([&image], |[[_, g, b, _]]| [times(g, roughness), times(b, metallic), 0, 255])?;
            encode_png(&packed).map(Rope::from)
        }
        Wish::Occlusion { strength, .. } => {
            let strength = f32::from_bits(strength);
            let image = decode(&bytes()?, context)?;
            let packed = map_pixels([&image], |[[r, ..]]| {
                let light = 255 - times(255 - r, strength);
                [light, light, light, 255]
            })?;
            encode_png(&packed).map(Rope::from)
        }
    }
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
