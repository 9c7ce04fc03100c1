//! Images, samplers and textures. Encoded images pass through untouched.

use super::extras::{keep, raw};
use super::{Loader, in_list, list, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{ImageObject, SamplerObject, TextureObject, TextureSource, typed};
use crate::names::{TEXTURE_SOURCES, UNKNOWN_MEDIA_TYPE};
use crate::uri::{self, Target};
use anyrig_bytes::{Diagnostic, ErrorKind, Result};
use anyrig_scene::{Filter, Image, ImageId, MipFilter, Sampler, Texture, Wrap};

impl Loader<'_> {
    pub(super) fn images(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("images");
        for (i, image) in list(self.root.images.as_ref()) {
            let image = self.image(image, &at.index(i))?;
            self.scene.images.push(image);
        }
        Ok(())
    }

    fn image(&self, image: &ImageObject, at: &At<'_>) -> Result<Image> {
        let mut out = Image::default();
        out.name = image.name.clone().unwrap_or_default();
        out.mime_type = image.mime_type.clone().filter(|m| m != UNKNOWN_MEDIA_TYPE);
        match (&image.uri, image.buffer_view) {
            (Some(uri), _) => self.image_at(uri, &mut out, &at.key("uri"))?,
            (None, Some(view)) => {
                out.bytes = self.buffers.view(view, &at.key("bufferView"))?.content.bytes(self.context)?;
                if out.bytes.is_none() {
                    self.lose_image(at, "its buffer has no bytes in the file");
                }
            }
            (None, None) => {
                self.context.push(Diagnostic::new(&codes::IMAGE_EMPTY, at.pointer(), "").at(at.place()));
            }
        }
        let sniffed = out.bytes.as_deref().and_then(anyrig_image::sniff).map(anyrig_image::Kind::media_type);
        if out.bytes.is_some() && sniffed.is_none() {
            let stated = out.mime_type.as_deref().unwrap_or("of no stated type");
            self.context.push(Diagnostic::new(&codes::IMAGE_UNRECOGNIZED, at.pointer(), stated).at(at.place()));
        }
        if out.mime_type.is_none() {
            out.mime_type = sniffed.map(str::to_owned);
            if image.buffer_view.is_some() && image.mime_type.is_none() {
                self.repaired(&codes::IMAGE_TYPE_SNIFFED, at, sniffed.unwrap_or("it is not known"));
            }
        }
        out.extras = keep(&raw!(image), &[], at, self.context);
        Ok(out)
    }

    /// A broken reference costs the image, not the file; only limits and reading faults end the import.
    fn image_at(&self, uri: &str, image: &mut Image, at: &At<'_>) -> Result<()> {
        match uri::follow(uri, self.source, at, self.context) {
            Ok(Target::Data { media_type, bytes }) => {
                image.mime_type = image.mime_type.take().or(media_type.filter(|m| m != UNKNOWN_MEDIA_TYPE));
                image.bytes = Some(bytes);
            }
            Ok(Target::File { name, bytes }) => {
                image.uri = Some(name);
                image.bytes = Some(bytes);
            }
            Ok(Target::Missing { name }) => {
                self.lose_image(at, &format!("the file {name:?} was not found"));
                image.uri = Some(name);
            }
            Err(e) if matches!(e.kind(), ErrorKind::Unsupported | ErrorKind::Malformed) => {
                self.lose_image(at, e.message());
            }
            Err(e) => return Err(e),
        }
        Ok(())
    }

    fn lose_image(&self, at: &At<'_>, why: &str) {
        self.context.push(Diagnostic::new(&codes::IMAGE_MISSING, at.pointer(), why).at(at.place()));
    }

    pub(super) fn textures(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("textures");
        for (i, texture) in list(self.root.textures.as_ref()) {
            let texture = self.texture(texture, &at.index(i))?;
            self.scene.textures.push(texture);
        }
        Ok(())
    }

    fn texture(&self, texture: &TextureObject, at: &At<'_>) -> Result<Texture> {
        let mut out = Texture::default();
        out.name = texture.name.clone().unwrap_or_default();
        let images = self.scene.images.len();
        let mut image = texture.source.map(|s| in_list(s, images, &at.key("source"), "image")).transpose()?;
        let mut read = Vec::new();
        for (name, _) in TEXTURE_SOURCES {
            let Some(value) = texture.extensions.as_ref().and_then(|e| e.get(name)) else { continue };
            let at = at.key("extensions");
            let at = at.key(name);
            let source: TextureSource = typed(value, &at, self.context)?;
            self.no_more(&raw!(source), &at);
            let Some(source) = source.source else { continue };
            let other = in_list(source, images, &at.key("source"), "image")?;
            match image {
                None => image = Some(other),
                Some(_) => out.alternates.push(ImageId::new(other)),
            }
            read.push(name);
        }
        out.image = image.map(ImageId::new);
        if let Some(sampler) = texture.sampler {
            let samplers = self.root.samplers.as_deref().unwrap_or_default();
            let index = in_list(sampler, samplers.len(), &at.key("sampler"), "sampler")?;
            let root = At::Root;
            let root = root.key("samplers");
            let object = need(samplers.get(index), at, "sampler")?;
            out.sampler = Some(self.sampler(object, &root.index(index))?);
        }
        out.extras = keep(&raw!(texture), &read, at, self.context);
        Ok(out)
    }

    fn sampler(&self, sampler: &SamplerObject, at: &At<'_>) -> Result<Sampler> {
        let mut out = Sampler::default();
        out.name = sampler.name.clone().unwrap_or_default();
        out.wrap_u = wrap(sampler.wrap_s, &at.key("wrapS"))?;
        out.wrap_v = wrap(sampler.wrap_t, &at.key("wrapT"))?;
        out.mag = match sampler.mag_filter {
            None => None,
            Some(9728) => Some(Filter::Nearest),
            Some(9729) => Some(Filter::Linear),
            Some(other) => return Err(at.key("magFilter").malformed(format!("{other} is not a filter"))),
        };
        out.min = match sampler.min_filter {
            None => None,
            Some(9728) => Some((Filter::Nearest, MipFilter::None)),
            Some(9729) => Some((Filter::Linear, MipFilter::None)),
            Some(9984) => Some((Filter::Nearest, MipFilter::Nearest)),
            Some(9985) => Some((Filter::Linear, MipFilter::Nearest)),
            Some(9986) => Some((Filter::Nearest, MipFilter::Linear)),
            Some(9987) => Some((Filter::Linear, MipFilter::Linear)),
            Some(other) => return Err(at.key("minFilter").malformed(format!("{other} is not a filter"))),
        };
        out.extras = keep(&raw!(sampler), &[], at, self.context);
        Ok(out)
    }
}

fn wrap(mode: Option<u32>, at: &At<'_>) -> Result<Wrap> {
    match mode {
        None | Some(10497) => Ok(Wrap::Repeat),
        Some(33071) => Ok(Wrap::ClampToEdge),
        Some(33648) => Ok(Wrap::MirroredRepeat),
        Some(other) => Err(at.malformed(format!("{other} is not a wrapping mode"))),
    }
}
