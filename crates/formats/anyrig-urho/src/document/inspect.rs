//! Traces, dumps and edits of a document: all of them go over the walks of the records.

use super::{Animation, AnimationLayout, Model, ModelLayout, UrhoDocument};
use anyrig_bytes::codec::{self, Assignment, Span, Tree};
use anyrig_bytes::{Error, Place, Result, Value};

impl UrhoDocument {
    pub(super) fn spans(&self) -> Option<Result<Vec<Span>>> {
        match self {
            Self::Model(model) => Some(model.trace()),
            Self::Animation(animation) => Some(animation.trace()),
            Self::Material(_) => None,
        }
    }

    pub(super) fn as_tree(&self) -> Option<Result<Tree>> {
        match self {
            Self::Model(model) => Some(codec::tree(model)),
            Self::Animation(animation) => Some(codec::tree(animation)),
            Self::Material(_) => None,
        }
    }

    /// Sets fields of a binary document and reads the result again; `None` for a material.
    pub(super) fn set(&mut self, assignments: &[Assignment]) -> Option<Result<()>> {
        let mut edited = self.clone();
        let done = match &mut edited {
            Self::Model(model) => codec::edit(model, assignments),
            Self::Animation(animation) => codec::edit(animation, assignments),
            Self::Material(_) => return None,
        };
        let checked = done.and_then(|()| edited.read_again());
        Some(checked.map(|()| *self = edited))
    }

    fn read_again(&self) -> Result<()> {
        let bytes = match self {
            Self::Model(model) => model.write()?,
            Self::Animation(animation) => animation.write()?,
            Self::Material(material) => material.write(),
        };
        let again = match self {
            Self::Animation(animation) => Animation::read_as(&bytes.to_shared(), animation.layout).map(Self::Animation),
            _ => Self::read(&bytes.to_shared()),
        };
        match again {
            Ok(_) => Ok(()),
            Err(e) => {
                Err(Error::malformed(e.place().clone(), format!("the result could not be read: {}", e.message())))
            }
        }
    }

    /// A document of a dialect from its dump.
    pub(crate) fn from_dump(dump: &Value, dialect: &str) -> Result<Self> {
        let model = [ModelLayout::Umdl, ModelLayout::Umd2].into_iter().find(|l| l.name() == dialect);
        let animation = [AnimationLayout::Classic, AnimationLayout::UrhoX].into_iter().find(|l| l.name() == dialect);
        let document = match (model, animation) {
            (Some(layout), _) => Self::Model(codec::load(dump, Model { layout, ..Model::default() })?),
            (_, Some(layout)) => Self::Animation(codec::load(dump, Animation { layout, ..Animation::default() })?),
            _ => {
                let message = format!(
                    "{dialect:?} is no dialect that is made from dumps: UMDL, UMD2, UANI (Urho3D), UANI (UrhoX)"
                );
                return Err(Error::unsupported(Place::json("/dialect"), message));
            }
        };
        document.read_again()?;
        Ok(document)
    }
}
