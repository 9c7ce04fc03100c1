//! Traces, dumps and edits of a document: all of them go over the walks of the records.

use super::{Animation, AnimationLayout, MaterialList, Model, ModelLayout, UrhoDocument, XmlFile, XmlKind};
use anyrig_bytes::codec::{self, Assignment, Span, Tree};
use anyrig_bytes::{Context, Error, Place, Result, Value};

const MODELS: [ModelLayout; 3] = [ModelLayout::Umdl, ModelLayout::Umd2, ModelLayout::Umd3];
const ANIMATIONS: [AnimationLayout; 3] = [AnimationLayout::Classic, AnimationLayout::UrhoX, AnimationLayout::Rbfx];
const XMLS: [XmlKind; 4] = [XmlKind::Material, XmlKind::Animation, XmlKind::Texture, XmlKind::Model];

/// The dialect of a list of materials.
pub(super) const LIST: &str = "Urho material list";

/// The dialect of triggers as JSON.
pub(super) const TRIGGERS: &str = "Urho triggers JSON";

impl UrhoDocument {
    pub(super) fn spans(&self) -> Option<Result<Vec<Span>>> {
        match self {
            Self::Model(model) => Some(model.trace()),
            Self::Animation(animation) => Some(animation.trace()),
            Self::Xml(_) | Self::MaterialList(_) | Self::TriggersJson(_) => None,
        }
    }

    pub(super) fn as_tree(&self) -> Option<Result<Tree>> {
        match self {
            Self::Model(model) => Some(codec::tree(model)),
            Self::Animation(animation) => Some(codec::tree(animation)),
            Self::Xml(xml) => Some(codec::tree(xml)),
            Self::MaterialList(list) => Some(codec::tree(list)),
            Self::TriggersJson(_) => None,
        }
    }

    /// Sets fields and reads the result again; `None` where there are no records.
    pub(super) fn set(&mut self, assignments: &[Assignment], context: &Context) -> Option<Result<()>> {
        let mut edited = self.clone();
        let done = match &mut edited {
            Self::Model(model) => codec::edit(model, assignments),
            Self::Animation(animation) => codec::edit(animation, assignments),
            Self::Xml(xml) => codec::edit(xml, assignments),
            Self::MaterialList(list) => codec::edit(list, assignments),
            Self::TriggersJson(_) => return None,
        };
        let checked = done.and_then(|()| edited.read_again(context));
        Some(checked.map(|()| *self = edited))
    }

    fn read_again(&self, context: &Context) -> Result<()> {
        let bytes = anyrig_scene::Document::write(self)?.to_shared();
        let again = match self {
            Self::Animation(animation) => Animation::read_as(&bytes, animation.layout, context).map(Self::Animation),
            Self::Xml(_) => XmlFile::read(&bytes, context).map(Self::Xml),
            Self::MaterialList(_) => MaterialList::read(&bytes, context).map(Self::MaterialList),
            Self::Model(_) | Self::TriggersJson(_) => Self::read(&bytes, context),
        };
        let again = again.map_err(|e| {
            Error::malformed(e.place().clone(), format!("the result could not be read: {}", e.message()))
        })?;
        // In a text a value may end what it stands in: a quote, an end of line.
        let is_text = matches!(self, Self::Xml(_) | Self::MaterialList(_));
        if is_text && again != *self {
            let message = "the result would read as something else; spell special characters as XML wants them \
                           (&quot; &lt; &amp;), and keep ends of lines out of lines";
            return Err(Error::malformed(Place::whole(), message));
        }
        Ok(())
    }

    /// A document of a dialect from its dump.
    pub(crate) fn from_dump(dump: &Value, dialect: &str, context: &Context) -> Result<Self> {
        let model = MODELS.into_iter().find(|l| l.name() == dialect);
        let animation = ANIMATIONS.into_iter().find(|l| l.name() == dialect);
        let xml = XMLS.into_iter().find(|k| k.name() == dialect);
        let document = match (model, animation, xml) {
            (Some(layout), ..) => Self::Model(codec::load(dump, Model { layout, ..Model::default() })?),
            (_, Some(layout), _) => Self::Animation(codec::load(dump, Animation { layout, ..Animation::default() })?),
            (.., Some(_)) => Self::Xml(codec::load(dump, XmlFile::default())?),
            _ if dialect == LIST => Self::MaterialList(codec::load(dump, MaterialList::default())?),
            _ => {
                let known = MODELS.iter().map(|l| l.name()).chain(ANIMATIONS.iter().map(|l| l.name()));
                let known: Vec<&str> = known.chain(XMLS.iter().map(|k| k.name())).chain([LIST]).collect();
                let message = format!("{dialect:?} is no dialect that is made from dumps: {}", known.join(", "));
                return Err(Error::unsupported(Place::json("/dialect"), message));
            }
        };
        document.read_again(context)?;
        Ok(document)
    }
}
