//! What the files hold, field by field, in their own terms and order.
//!
//! Each record is described once, as a walk over a [`anyrig_bytes::Codec`]; `read`, `write` and `trace` are that walk.
//! Vertices, indices, morph deltas and keys stay ranges of the file's bytes.

mod animation;
mod element;
mod inspect;
mod layouts;
mod material;
mod model;

pub use animation::{Animation, AnimationLayout, Key, Keys, Track, channel};
pub use element::{ElementSemantic, ElementType, VertexElement, legacy_elements};
pub use material::{Attribute, MaterialXml, Tag, Token};
pub use model::{
    Bone, Collision, Geometry, IndexBuffer, Lod, Model, ModelLayout, Morph, MorphBuffer, MorphVertex, PrimitiveType,
    VertexBuffer, morph_mask,
};

use anyrig_bytes::codec::{Assignment, Span, Tree};
use anyrig_bytes::{Context, Error, Place, Result, Rope, SharedBytes, Source};
use anyrig_scene::Document;

/// A document of any of the three kinds.
#[derive(Clone, Debug, PartialEq)]
pub enum UrhoDocument {
    /// A `.mdl` file.
    Model(Model),
    /// A `.ani` file.
    Animation(Animation),
    /// A material `.xml` file.
    Material(MaterialXml),
}

impl UrhoDocument {
    /// Reads a file by its first bytes.
    ///
    /// # Errors
    /// Those of the kind's reader; unsupported when it is none of the three.
    pub fn read(bytes: &SharedBytes) -> Result<Self> {
        match bytes.first_chunk::<4>() {
            Some(b"UMDL" | b"UMD2") => Model::read(bytes).map(Self::Model),
            Some(b"UANI") => Animation::read(bytes).map(Self::Animation),
            Some(b"UMD3" | b"UAN2") => Err(Error::unsupported(
                Place::byte(0),
                "this is a file of the engine rbfx, which is not read yet; save it as UMD2 or UANI",
            )),
            _ if MaterialXml::looks_like(bytes) => MaterialXml::read(bytes).map(Self::Material),
            _ => Err(Error::unsupported(
                Place::byte(0),
                "neither an Urho model (UMDL, UMD2), an animation (UANI) nor a material XML",
            )),
        }
    }

    pub(crate) fn open(source: &dyn Source, context: &Context) -> Result<Self> {
        let bytes = source.bytes();
        if bytes.len() as u64 > context.limits().input_bytes {
            return Err(Error::limit(
                Place::whole(),
                format!("the file has {} bytes, more than the limit allows", bytes.len()),
            ));
        }
        Self::read(bytes).map_err(|e| e.in_file(source.name()))
    }
}

impl Document for UrhoDocument {
    fn dialect(&self) -> String {
        match self {
            Self::Model(model) => model.layout.name().to_owned(),
            Self::Animation(animation) => animation.layout.name().to_owned(),
            Self::Material(_) => "Urho material XML".to_owned(),
        }
    }

    fn version(&self) -> String {
        match self {
            Self::Model(model) => model.layout.name().to_owned(),
            Self::Animation(animation) => match animation.layout {
                AnimationLayout::Classic => "UANI".to_owned(),
                AnimationLayout::UrhoX => format!("UANI {}", animation.version),
            },
            Self::Material(_) => "1".to_owned(),
        }
    }

    fn trace(&self, _context: &Context) -> Result<Vec<Span>> {
        self.spans().unwrap_or_else(|| Err(self.is_text("dissected")))
    }

    fn tree(&self, _context: &Context) -> Result<Tree> {
        self.as_tree().unwrap_or_else(|| Err(self.is_text("dumped")))
    }

    fn edit(&mut self, assignments: &[Assignment], _context: &Context) -> Result<()> {
        self.set(assignments).unwrap_or_else(|| Err(self.is_text("edited field by field")))
    }

    fn extension(&self) -> Option<&'static str> {
        Some(match self {
            Self::Model(_) => "mdl",
            Self::Animation(_) => "ani",
            Self::Material(_) => "xml",
        })
    }

    fn write(&self) -> Result<Rope> {
        match self {
            Self::Model(model) => model.write(),
            Self::Animation(animation) => animation.write(),
            Self::Material(material) => Ok(material.write()),
        }
    }
}
