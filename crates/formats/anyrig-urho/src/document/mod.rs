//! What the files hold, field by field, in their own terms and order.
//!
//! Each record is described once, as a walk over a [`anyrig_bytes::Codec`]; `read`, `write` and `trace` are that walk.
//! Vertices, indices, morph deltas and keys stay ranges of the file's bytes. Text files keep their spelling as tokens or
//! lines, over which a walk goes for dumps, edits and differences.

mod animation;
mod element;
mod inspect;
mod layouts;
mod model;
mod texts;
mod variant;
mod xml;

pub use animation::{Animation, AnimationLayout, Key, Keys, RBFX_VERSION, Track, channel};
pub use element::{ElementSemantic, ElementType, VertexElement, legacy_elements};
pub use model::{
    Bone, Collision, Geometry, IndexBuffer, Lod, Model, ModelLayout, Morph, MorphBuffer, MorphVertex, PrimitiveType,
    UMD3_VERSION, VertexBuffer, morph_mask,
};
pub use texts::{ListLine, MaterialList, TriggersJson};
pub use variant::{TextKey, VariantText, VariantTrack, variant_interpolation, variant_type};
pub use xml::{Attribute, Tag, Token, XmlFile, XmlKind};

use anyrig_bytes::codec::{Assignment, Span, Tree};
use anyrig_bytes::{Context, Error, Place, Result, Rope, SharedBytes, Source};
use anyrig_scene::Document;

/// A document of any of the kinds.
#[derive(Clone, Debug, PartialEq)]
pub enum UrhoDocument {
    /// A `.mdl` file.
    Model(Model),
    /// A `.ani` file.
    Animation(Animation),
    /// An `.xml` file: a material, triggers of an animation, how a texture is sampled, metadata of a model.
    Xml(XmlFile),
    /// A `.txt` file with the materials of a model.
    MaterialList(MaterialList),
    /// A `.json` file with triggers of an animation.
    TriggersJson(TriggersJson),
}

impl UrhoDocument {
    /// Reads a file by its first bytes.
    ///
    /// # Errors
    /// Those of the kind's reader; unsupported when it is none of the kinds.
    pub fn read(bytes: &SharedBytes, context: &Context) -> Result<Self> {
        match bytes.first_chunk::<4>() {
            Some(b"UMDL" | b"UMD2" | b"UMD3") => Model::read(bytes, context).map(Self::Model),
            Some(b"UANI" | b"UAN2") => Animation::read(bytes, context).map(Self::Animation),
            _ if XmlFile::kind_of(bytes).is_some() => XmlFile::read(bytes, context).map(Self::Xml),
            _ if MaterialList::looks_like(bytes) => MaterialList::read(bytes, context).map(Self::MaterialList),
            _ if TriggersJson::looks_like(bytes) => TriggersJson::read(bytes, context).map(Self::TriggersJson),
            _ => Err(Error::unsupported(
                Place::byte(0),
                "neither an Urho model (UMDL, UMD2, UMD3), an animation (UANI, UAN2), an XML file with a material, \
                 animation, texture or model, nor a list of materials",
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
        Self::read(bytes, context).map_err(|e| e.in_file(source.name()))
    }
}

impl Document for UrhoDocument {
    fn dialect(&self) -> String {
        let name = match self {
            Self::Model(model) => model.layout.name(),
            Self::Animation(animation) => animation.layout.name(),
            Self::Xml(xml) => xml.kind().map_or("XML", XmlKind::name),
            Self::MaterialList(_) => inspect::LIST,
            Self::TriggersJson(_) => inspect::TRIGGERS,
        };
        name.to_owned()
    }

    fn version(&self) -> String {
        match self {
            Self::Model(model) if model.layout == ModelLayout::Umd3 => format!("UMD3 {}", model.version),
            Self::Model(model) => model.layout.name().to_owned(),
            Self::Animation(animation) => match animation.layout {
                AnimationLayout::Classic => "UANI".to_owned(),
                AnimationLayout::UrhoX => format!("UANI {}", animation.version),
                AnimationLayout::Rbfx => format!("UAN2 {}", animation.version),
            },
            Self::Xml(_) | Self::MaterialList(_) | Self::TriggersJson(_) => "1".to_owned(),
        }
    }

    fn trace(&self, _context: &Context) -> Result<Vec<Span>> {
        self.spans().unwrap_or_else(|| Err(self.is_text("dissected")))
    }

    fn tree(&self, _context: &Context) -> Result<Tree> {
        self.as_tree().unwrap_or_else(|| Err(self.is_text("dumped")))
    }

    fn comparison(&self, _context: &Context) -> Result<Tree> {
        match self {
            Self::TriggersJson(json) => Ok(json.tree()),
            _ => self.as_tree().unwrap_or_else(|| Err(self.is_text("compared"))),
        }
    }

    fn edit(&mut self, assignments: &[Assignment], context: &Context) -> Result<()> {
        self.set(assignments, context).unwrap_or_else(|| Err(self.is_text("edited field by field")))
    }

    fn extension(&self) -> Option<&'static str> {
        Some(match self {
            Self::Model(_) => "mdl",
            Self::Animation(_) => "ani",
            Self::Xml(_) => "xml",
            Self::MaterialList(_) => "txt",
            Self::TriggersJson(_) => "json",
        })
    }

    fn write(&self) -> Result<Rope> {
        match self {
            Self::Model(model) => model.write(),
            Self::Animation(animation) => animation.write(),
            Self::Xml(xml) => Ok(xml.write()),
            Self::MaterialList(list) => Ok(list.write()),
            Self::TriggersJson(json) => Ok(json.write()),
        }
    }
}
