//! Documents to scenes.

mod geometry;
mod materials;
mod morphs;
mod motion;
mod skeleton;
mod triggers;
mod variant_tracks;
mod vertices;

pub(crate) use triggers::of as triggers_of;

use crate::Dialect;
use crate::codes;
use crate::document::{Animation, Model, ModelLayout, UrhoDocument, XmlKind};
use crate::lods;
use crate::options::UrhoOptions;
use anyrig_bytes::text::{self, Encoding, RawText};
use anyrig_bytes::{Attachment, Context, Diagnostic, Error, Place, Result, Role, Source};
use anyrig_scene::{MaterialId, Mesh, MeshInstance, Node, NodeId, Scene, Skin, Space};
use geometry::Level;

/// Reads the source's primary file, and motions attached to it.
pub(crate) fn import(dialect: Dialect, source: &dyn Source, context: &Context) -> Result<Scene> {
    let document = UrhoDocument::open(source, context)?;
    let mut scene = Scene::new(space(dialect, context)?);
    match document {
        UrhoDocument::Model(model) => {
            if model.layout == ModelLayout::Umd2 {
                tell_assumption(dialect, source, context);
            }
            let rig = import_model(&mut scene, &model, source, context)?;
            let mut motions = Motions { scene: &mut scene, rig: &rig, source, context };
            motions.attach_named()?;
            motions.attach_found()?;
        }
        UrhoDocument::Animation(animation) => {
            refuse_motions("an animation", context)?;
            let rig = skeleton_attachment(&mut scene, context)?;
            let triggers = triggers::beside(&animation, source, context)?;
            let motion = motion::Motion { animation: &animation, triggers, stem: source.stem() };
            motion::import(&mut scene, motion, &rig, context)?;
        }
        UrhoDocument::Xml(xml) if xml.kind() == Some(XmlKind::Material) => {
            refuse_motions("a material", context)?;
            materials::import_one(&mut scene, &xml, source.stem(), source, context)?;
        }
        UrhoDocument::MaterialList(list) => {
            refuse_motions("a list of materials", context)?;
            materials::import_paths(&mut scene, list.paths(), source, context)?;
        }
        UrhoDocument::Xml(_) | UrhoDocument::TriggersJson(_) => {
            let message = "this file only adds to the one beside it; give that one, the model or the animation";
            return Err(Error::unsupported(Place::whole(), message));
        }
    }
    anyrig_scene::validate(&mut scene, context);
    Ok(scene)
}

/// What the numbers of a file mean: that of the engine, unless the option says that they were made otherwise.
fn space(dialect: Dialect, context: &Context) -> Result<Space> {
    Ok(UrhoOptions::of(dialect, context)?.handedness(dialect).space())
}

fn tell_assumption(dialect: Dialect, source: &dyn Source, context: &Context) {
    let message = match dialect {
        Dialect::UrhoX => "read as UrhoX's, numbers as they are; --from urho3d reads it as Urho3D's, left-handed",
        Dialect::Urho3d => "read as Urho3D's, left-handed; --from urhox takes the numbers as they are",
        Dialect::Rbfx => "read as rbfx's, left-handed; --from urhox takes the numbers as they are",
    };
    context.tell(&codes::ASSUMED_DIALECT, source.name(), message);
}

/// What motions move.
#[derive(Default)]
struct Rig {
    bones: Vec<NodeId>,
    /// The node that shows the model, and how many morphs it has.
    mesh: Option<(NodeId, usize)>,
}

fn import_model(scene: &mut Scene, model: &Model, source: &dyn Source, context: &Context) -> Result<Rig> {
    if !model.tail.is_empty() {
        let message = format!("{} bytes after the last field", model.tail.len());
        context.tell(&codes::TRAILING_BYTES, source.name(), message);
    }
    let names = Names::of(model.bones.iter().map(|b| &b.name).chain(model.morphs.iter().map(|m| &m.name)), context);
    let bones = skeleton::import(scene, model, &names, context)?;
    let mut levels = geometry::import(model, context)?;
    if levels.first().is_none_or(|level| level.parts.is_empty()) {
        return Ok(Rig { bones, mesh: None });
    }
    let skin = levels.iter().flat_map(|level| &level.parts).any(|p| p.part.influences.is_some()).then(|| {
        let binds = model.bones.iter().map(skeleton::offset).collect();
        scene.skins.push(Skin::new(source.stem(), bones.clone(), binds))
    });
    let materials = materials::import_list(scene, model.geometries.len(), source, context)?;
    let has_levels = levels.len() > 1;
    // Each level has a list of its own.
    let slots = (levels.len() as u64).saturating_mul(materials.len() as u64);
    context.take_memory(slots.saturating_mul(size_of::<Option<MaterialId>>() as u64), Place::whole)?;
    let mut shown = None;
    for (level, Level { parts, distances }) in levels.drain(..).enumerate().filter(|(_, l)| !l.parts.is_empty()) {
        let name = if level == 0 { source.stem().to_owned() } else { format!("{}_LOD{level}", source.stem()) };
        let mut mesh = Mesh::default();
        mesh.name.clone_from(&name);
        let sources: Vec<_> = parts.iter().map(|p| p.source).collect();
        mesh.parts = parts.into_iter().map(|p| p.part).collect();
        morphs::import(&mut mesh, &sources, model, (&names, level), context)?;
        let skinned = mesh.parts.iter().any(|p| p.influences.is_some());
        let mut instance = MeshInstance::new(scene.meshes.push(mesh));
        instance.skin = skin.filter(|_| skinned);
        instance.materials.clone_from(&materials);
        let mut node = Node::new(name);
        node.mesh = Some(instance);
        // A coarser level hangs hidden on the finest one.
        node.visible = level == 0;
        if has_levels {
            lods::set(&mut node, level, &distances);
        }
        let id = scene.add_node(node, shown);
        shown.get_or_insert(id);
    }
    Ok(Rig { bones, mesh: shown.map(|node| (node, model.morphs.len())) })
}

/// Namespace of what this crate leaves in extras.
pub(crate) const EXTRAS: &str = "urho";

/// Adds the attached motions to a model. Each becomes a clip with the name of its file, whatever it calls itself:
/// exporters of whole folders often give all motions one name.
struct Motions<'a> {
    scene: &'a mut Scene,
    rig: &'a Rig,
    /// The model's.
    source: &'a dyn Source,
    context: &'a Context,
}

impl Motions<'_> {
    fn attach_named(&mut self) -> Result<()> {
        for attachment in self.context.attachments(Role::Motion) {
            let animation =
                Animation::read(&attachment.bytes, self.context).map_err(|e| e.in_file(&attachment.name))?;
            if self.rig.bones.is_empty() && !animation.tracks.is_empty() {
                let message = format!("{} moves bones, and the model has none", attachment.name);
                return Err(Error::usage(message));
            }
            self.attach(attachment, &animation)?;
        }
        Ok(())
    }

    /// Those that lie beside the model, as far as they move one of its bones; a folder may hold those of many models.
    fn attach_found(&mut self) -> Result<()> {
        let context = self.context;
        for attachment in context.attachments(Role::FoundMotion) {
            let name = attachment.name.as_str();
            let animation = match Animation::read(&attachment.bytes, context) {
                Ok(animation) if motion::moves_one_of(&animation, self.scene, self.rig, context) => animation,
                Ok(_) => {
                    context.tell(&codes::MOTION_LEFT_OUT, name, "it moves no bone of this model");
                    continue;
                }
                Err(error) if error.ends_job() => return Err(error.in_file(name)),
                Err(error) => {
                    context.tell(&codes::MOTION_LEFT_OUT, name, error.to_string());
                    continue;
                }
            };
            self.attach(attachment, &animation)?;
            context.tell(&codes::MOTION_FOUND, name, "it lies beside the model and is a clip now");
        }
        Ok(())
    }

    fn attach(&mut self, attachment: &Attachment, animation: &Animation) -> Result<()> {
        self.context.check_cancelled()?;
        let own = attachment.beside(self.source);
        let triggers = triggers::beside(animation, &own, self.context)?;
        let motion = motion::Motion { animation, triggers, stem: own.stem() };
        motion::import(self.scene, motion, self.rig, self.context)?;
        if let Some(clip) = self.scene.clips.last_mut() {
            own.stem().clone_into(&mut clip.name);
        }
        Ok(())
    }
}

/// A motion needs a model's bones.
fn refuse_motions(what: &str, context: &Context) -> Result<()> {
    let Some(motion) = context.attachments(Role::Motion).next() else { return Ok(()) };
    Err(Error::usage(format!("{} moves a model, and this is {what}; give the model as the input", motion.name)))
}

/// The bones of an attached model, for a motion without one.
fn skeleton_attachment(scene: &mut Scene, context: &Context) -> Result<Rig> {
    let Some(attachment) = context.attachments(Role::Skeleton).next() else {
        return Ok(Rig::default());
    };
    let model = Model::read(&attachment.bytes, context).map_err(|e| e.in_file(&attachment.name))?;
    let names = Names::of(model.bones.iter().map(|b| &b.name), context);
    Ok(Rig { bones: skeleton::import(scene, &model, &names, context)?, mesh: None })
}

/// Decodes the names of a file with one encoding.
pub(crate) struct Names(Encoding);

impl Names {
    pub(crate) fn of<'a>(names: impl Iterator<Item = &'a RawText>, context: &Context) -> Self {
        let joined: Vec<u8> = names.flat_map(|n| n.0.iter().copied().chain([b' '])).collect();
        let encoding = text::detect(&joined);
        if encoding != Encoding::Utf8 {
            context.push(
                Diagnostic::new(&codes::NAME_ENCODING, "names", format!("read as {encoding:?}")).at(Place::whole()),
            );
        }
        Self(encoding)
    }

    pub(crate) fn text(&self, name: &RawText) -> String {
        name.decode(self.0).text
    }
}
