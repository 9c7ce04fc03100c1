//! Rules for images and textures.

use super::super::buffers::Buffers;
use super::{Rules, list};
use crate::document::ImageObject;
use crate::document::json::At;
use crate::names::TEXTURE_SOURCES;
use crate::uri::{self, Target};
use anyrig_bytes::{ErrorKind, SharedBytes};
use anyrig_image::Kind;

/// Last bytes of a whole PNG: the type and the checksum of its IEND chunk.
const PNG_END: &[u8] = b"IEND\xaeB`\x82";

impl Rules<'_> {
    pub(super) fn images(&mut self, buffers: &Buffers) {
        let at = At::Root;
        let (at_images, at_textures) = (at.key("images"), at.key("textures"));
        let mut types = Vec::new();
        for (i, image) in list(self.root.images.as_ref()) {
            types.push(self.image(image, buffers, &at_images.index(i)));
        }
        for (i, texture) in list(self.root.textures.as_ref()) {
            let at = at_textures.index(i);
            let type_of = |source: u64| types.get(usize::try_from(source).ok()?)?.as_deref();
            let plain = texture.source.and_then(|s| type_of(s.into()));
            if plain.is_some_and(|t| !matches!(t, "image/jpeg" | "image/png")) {
                self.add("TEXTURE_INVALID_IMAGE_MIME_TYPE", &at.key("source"));
            }
            for (name, wanted) in TEXTURE_SOURCES {
                let source = texture.extensions.as_ref().and_then(|e| e.get(name)?.get("source")?.as_i64());
                let found = source.and_then(|s| type_of(u64::try_from(s).ok()?));
                if found.is_some_and(|t| t != wanted) {
                    self.add("TEXTURE_INVALID_IMAGE_MIME_TYPE", &at.key("extensions").key(name).key("source"));
                }
            }
        }
    }

    /// The image's media type, the stated one first.
    fn image(&mut self, image: &ImageObject, buffers: &Buffers, at: &At<'_>) -> Option<String> {
        let (stated, bytes) = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match uri::follow(uri, self.source, at, self.context) {
                Ok(Target::Data { media_type, bytes }) => (image.mime_type.clone().or(media_type), Some(bytes)),
                Ok(Target::File { bytes, .. }) => (image.mime_type.clone(), Some(bytes)),
                _ => (image.mime_type.clone(), None),
            },
            (None, Some(view)) => (image.mime_type.clone(), buffers.bytes(view, at, self.context).ok()),
            (None, None) => (image.mime_type.clone(), None),
        };
        let kind = bytes.as_deref().and_then(anyrig_image::sniff);
        let found = kind.map(Kind::media_type);
        let key = if image.uri.is_some() { "uri" } else { "bufferView" };
        if stated.as_deref().zip(found).is_some_and(|(stated, found)| stated != found) {
            self.add("IMAGE_MIME_TYPE_INVALID", &at.key(key));
        }
        if let (Some(kind), Some(bytes)) = (kind, bytes) {
            self.image_data(kind, &bytes, at);
        }
        stated.or_else(|| found.map(str::to_owned))
    }

    fn image_data(&mut self, kind: Kind, bytes: &SharedBytes, at: &At<'_>) {
        let is_cut = kind == Kind::Png && !bytes.windows(PNG_END.len()).any(|window| window == PNG_END);
        let fault = kind.is_decodable().then(|| anyrig_image::decode_rgba8(bytes, self.context).err()).flatten();
        match fault.map(|e| e.kind()) {
            Some(ErrorKind::Malformed | ErrorKind::Truncated) if is_cut => self.add("IMAGE_UNEXPECTED_EOS", at),
            Some(ErrorKind::Malformed | ErrorKind::Truncated) => self.add("IMAGE_DATA_INVALID", at),
            _ => {}
        }
    }
}
