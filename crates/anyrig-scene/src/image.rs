//! Textures, samplers and images.

use crate::{Extras, ImageId, TextureId};
use anyrig_bytes::SharedBytes;

/// An image with a sampler.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Texture {
    /// Name; may be empty.
    pub name: String,
    /// The image; `None` when the file names none that anyrig knows.
    pub image: Option<ImageId>,
    /// The same picture in other encodings, which readers that know them prefer (`KHR_texture_basisu`,
    /// `EXT_texture_webp`), the one to prefer first.
    pub alternates: Vec<ImageId>,
    /// How it is sampled; `None` leaves it to the engine.
    pub sampler: Option<Sampler>,
    /// What the model has no word for.
    pub extras: Extras,
}

/// A texture in a material.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TextureUse {
    /// The texture.
    pub texture: TextureId,
    /// Which set of texture coordinates.
    pub uv_set: u32,
    /// Change of the texture coordinates.
    pub transform: Option<UvTransform>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl TextureUse {
    /// A texture on UV set 0.
    pub fn new(texture: TextureId) -> Self {
        Self { texture, uv_set: 0, transform: None, extras: Extras::default() }
    }
}

/// `uv' = offset + rotation * (scale * uv)`, as `KHR_texture_transform` defines it, in the scene's UV space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvTransform {
    /// Added last.
    pub offset: [f32; 2],
    /// Counter-clockwise about the UV origin.
    pub rotation_rad: f32,
    /// Multiplied first.
    pub scale: [f32; 2],
}

impl UvTransform {
    /// No change.
    pub const IDENTITY: Self = Self { offset: [0.0; 2], rotation_rad: 0.0, scale: [1.0; 2] };
}

impl Default for UvTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// What lies outside 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Wrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
}

/// How neighbouring pixels are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Filter {
    Nearest,
    Linear,
}

/// How mip levels are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum MipFilter {
    None,
    Nearest,
    Linear,
}

/// How a texture is sampled.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// Name; may be empty.
    pub name: String,
    /// Along U.
    pub wrap_u: Wrap,
    /// Along V.
    pub wrap_v: Wrap,
    /// When enlarged.
    pub mag: Option<Filter>,
    /// When reduced: within a level, and between levels.
    pub min: Option<(Filter, MipFilter)>,
    /// What the model has no word for.
    pub extras: Extras,
}

/// An image as the source holds it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Image {
    /// Name; may be empty.
    pub name: String,
    /// The name by which the source refers to a file; `None` for embedded images.
    pub uri: Option<String>,
    /// The declared or sniffed media type, for example `image/png`.
    pub mime_type: Option<String>,
    /// The encoded bytes; `None` when the file was not found.
    pub bytes: Option<SharedBytes>,
    /// What the model has no word for.
    pub extras: Extras,
}
