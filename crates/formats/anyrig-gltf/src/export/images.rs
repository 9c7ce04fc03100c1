//! Images, textures and samplers.

use super::files::{Files, ImageData};
use super::{Saver, extend, extras, named, raw_extension, some, unless};
use crate::codes;
use crate::document::json::ToJson;
use crate::document::{ImageObject, Index, SamplerObject, TextureObject, TextureSource};
use crate::names::{TEXTURE_SOURCES, UNKNOWN_MEDIA_TYPE};
use anyrig_bytes::Result;
use anyrig_scene::{Filter, Image, MipFilter, Sampler, Texture, Wrap};
use std::collections::BTreeMap;

/// Media type and file extension of an image: as declared, else by its first bytes.
pub(super) fn kind(image: &Image) -> (String, String) {
    let sniffed = image.bytes.as_deref().and_then(anyrig_image::sniff);
    let declared = image.mime_type.clone().or_else(|| sniffed.map(|k| k.media_type().to_owned()));
    let declared = declared.unwrap_or_else(|| UNKNOWN_MEDIA_TYPE.to_owned());
    let known = match declared.as_str() {
        "image/png" => Some("png"),
        "image/jpeg" => Some("jpg"),
        "image/webp" => Some("webp"),
        "image/ktx2" => Some("ktx2"),
        _ => None,
    };
    let of_uri = image.uri.as_deref().and_then(|u| u.rsplit('/').next()?.rsplit_once('.'));
    let of_uri = of_uri.map(|(_, e)| e).filter(|e| e.chars().all(|c| c.is_ascii_alphanumeric()) && !e.is_empty());
    let extension = known.or_else(|| sniffed.map(anyrig_image::Kind::extension)).or(of_uri).unwrap_or("bin");
    (declared, extension.to_owned())
}

/// True for media types that textures may show: core glTF has PNG and JPEG (specification 3.8.2), extensions have more.
pub(super) fn is_shown(media_type: &str) -> bool {
    is_core(media_type) || TEXTURE_SOURCES.iter().any(|(_, of)| *of == media_type)
}

fn is_core(media_type: &str) -> bool {
    matches!(media_type, "image/png" | "image/jpeg")
}

impl Saver<'_> {
    pub(super) fn images(&mut self, files: &mut Files) -> Result<()> {
        let mut objects = Vec::new();
        for (id, image) in self.scene.images.iter() {
            let Some(bytes) = &image.bytes else {
                // An image must have a content (specification 5.19), so it is left out and textures go without it.
                self.context.tell(&codes::IMAGE_MISSING, format!("image {}", id.index()), "it has no content to write");
                self.image_indexes.push(None);
                continue;
            };
            let mut object = ImageObject { name: named(&image.name), ..ImageObject::default() };
            extras::restore!(object, &image.extras);
            let (media_type, extension) = kind(image);
            let of_uri = image.uri.as_deref().and_then(|u| u.rsplit('/').next());
            let of_uri = of_uri.map(|name| name.rsplit_once('.').map_or(name, |(stem, _)| stem));
            let wanted = of_uri.unwrap_or(&image.name);
            let numbered = format!("image{}", id.index());
            let wanted = if wanted.is_empty() { &numbered } else { wanted };
            let data = ImageData { bytes, media_type: &media_type, extension: &extension, wanted };
            files.add_image(&mut object, &data, &mut self.packer);
            self.image_indexes.push(Some(objects.len() as Index));
            objects.push(object);
        }
        self.root.images = some(objects);
        Ok(())
    }

    pub(super) fn textures(&mut self) {
        let mut samplers = Samplers::default();
        let mut objects = Vec::new();
        for texture in self.scene.textures.values() {
            let object = self.texture(texture, &mut samplers);
            objects.push(self.with_alternates(texture, object));
        }
        self.root.samplers = some(samplers.objects);
        self.root.textures = some(objects);
    }

    fn texture(&mut self, texture: &Texture, samplers: &mut Samplers) -> TextureObject {
        let mut object = TextureObject { name: named(&texture.name), ..TextureObject::default() };
        extras::restore!(object, &texture.extras);
        object.sampler = texture.sampler.as_ref().map(|s| samplers.index_of(sampler(s)));
        let image = texture.image.and_then(|i| Some((self.scene.images.get(i)?, self.image_indexes.get(i.index())?)));
        let Some((image, Some(index))) = image else { return object };
        let (media_type, _) = kind(image);
        match TEXTURE_SOURCES.iter().find(|(_, of)| *of == media_type) {
            // These have no fallback in core glTF, so they are required.
            Some((extension, _)) => {
                let source = TextureSource { source: Some(*index), ..TextureSource::default() };
                extend(&mut object.extensions, extension, raw_extension(&source));
                self.required.insert((*extension).to_owned());
            }
            None if is_core(&media_type) => object.source = Some(*index),
            None => self.context.tell(&codes::IMAGE_KIND, format!("image {index}"), media_type),
        }
        object
    }

    /// The same picture in other encodings, each under the extension of its kind.
    fn with_alternates(&mut self, texture: &Texture, mut object: TextureObject) -> TextureObject {
        for id in &texture.alternates {
            let image = self.scene.images.get(*id).zip(self.image_indexes.get(id.index()));
            let Some((image, Some(index))) = image else { continue };
            let (media_type, _) = kind(image);
            let taken = |name: &str| object.extensions.as_ref().is_some_and(|e| e.get(name).is_some());
            let source = TEXTURE_SOURCES.iter().find(|(name, of)| *of == media_type && !taken(name));
            let Some((extension, _)) = source else {
                self.context.tell(&codes::ALTERNATE_DROPPED, format!("image {}", id.index()), media_type);
                continue;
            };
            let value = TextureSource { source: Some(*index), ..TextureSource::default() };
            extend(&mut object.extensions, extension, raw_extension(&value));
        }
        object
    }
}

/// Samplers in the making; equal ones are written once.
#[derive(Default)]
struct Samplers {
    objects: Vec<SamplerObject>,
    /// By what is written of each.
    known: BTreeMap<String, Index>,
}

impl Samplers {
    fn index_of(&mut self, sampler: SamplerObject) -> Index {
        let text = serde_json::to_string(&sampler.to_json()).unwrap_or_default();
        *self.known.entry(text).or_insert_with(|| {
            self.objects.push(sampler);
            self.objects.len() as Index - 1
        })
    }
}

fn sampler(sampler: &Sampler) -> SamplerObject {
    let filter = |f: Filter| if f == Filter::Nearest { 9728 } else { 9729 };
    let mut object = SamplerObject {
        name: named(&sampler.name),
        mag_filter: sampler.mag.map(filter),
        min_filter: sampler.min.map(|(within, between)| match (within, between) {
            (f, MipFilter::None) => filter(f),
            (Filter::Nearest, MipFilter::Nearest) => 9984,
            (Filter::Linear, MipFilter::Nearest) => 9985,
            (Filter::Nearest, MipFilter::Linear) => 9986,
            (Filter::Linear, MipFilter::Linear) => 9987,
        }),
        wrap_s: unless(wrap(sampler.wrap_u), &wrap(Wrap::Repeat)),
        wrap_t: unless(wrap(sampler.wrap_v), &wrap(Wrap::Repeat)),
        ..SamplerObject::default()
    };
    extras::restore!(object, &sampler.extras);
    object
}

fn wrap(wrap: Wrap) -> u32 {
    match wrap {
        Wrap::Repeat => 10497,
        Wrap::MirroredRepeat => 33648,
        Wrap::ClampToEdge => 33071,
    }
}
