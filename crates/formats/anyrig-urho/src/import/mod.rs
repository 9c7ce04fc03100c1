//! Documents to scenes.

mod geometry;
mod materials;
mod morphs;
mod motion;
mod skeleton;
mod vertices;

use crate::codes;
use crate::document::{Animation, Model, ModelLayout, UrhoDocument};
use crate::options::UrhoxOptions;
use crate::{Dialect, URHOX};
use anyrig_bytes::text::{self, Encoding, RawText};
use anyrig_bytes::{Context, Diagnostic, Error, Place, Result, Role, Source};
use anyrig_scene::{Mesh, MeshInstance, Node, NodeId, Scene, Skin, Space};

/// Reads the source's primary file, and motions attached to it.
pub(crate) fn import(dialect: Dialect, source: &dyn Source, context: &Context) -> Result<Scene> {
    let document = UrhoDocument::open(source, context)?;
    let mut scene = Scene::new(space(dialect, context)?);
    match document {
        UrhoDocument::Model(model) => {
            if model.layout == ModelLayout::Umd2 {
                tell_assumption(dialect, source, context);
            }
            let bones = import_model(&mut scene, &model, source, context)?;
            attach_motions(&mut scene, &bones, context)?;
            attach_found_motions(&mut scene, &bones, context)?;
        }
        UrhoDocument::Animation(animation) => {
            refuse_motions("an animation", context)?;
            let bones = skeleton_attachment(&mut scene, context)?;
            motion::import(&mut scene, &animation, source.stem(), &bones, context)?;
        }
        UrhoDocument::Material(xml) => {
            refuse_motions("a material", context)?;
            materials::import_one(&mut scene, &xml, source.stem(), source, context)?;
        }
    }
    anyrig_scene::validate(&mut scene, context);
    Ok(scene)
}

/// What the numbers of a file mean. UrhoX files are what the export option of the same name made them.
fn space(dialect: Dialect, context: &Context) -> Result<Space> {
    if dialect == Dialect::Urho3d {
        return Ok(Space::URHO);
    }
    let options: UrhoxOptions = context.options(URHOX.id)?;
    Ok(options.handedness.space())
}

fn tell_assumption(dialect: Dialect, source: &dyn Source, context: &Context) {
    let message = match dialect {
        Dialect::UrhoX => "read as UrhoX's, numbers as they are; --from urho3d reads it as Urho3D's, left-handed",
        Dialect::Urho3d => "read as Urho3D's, left-handed; --from urhox takes the numbers as they are",
    };
    context.tell(&codes::ASSUMED_DIALECT, source.name(), message);
}

fn import_model(scene: &mut Scene, model: &Model, source: &dyn Source, context: &Context) -> Result<Vec<NodeId>> {
    if !model.tail.is_empty() {
        let message = format!("{} bytes after the last field", model.tail.len());
        context.tell(&codes::TRAILING_BYTES, source.name(), message);
    }
    let names = Names::of(model.bones.iter().map(|b| &b.name).chain(model.morphs.iter().map(|m| &m.name)), context);
    let bones = skeleton::import(scene, model, &names, context)?;
    let parts = geometry::import(model, context)?;
    if parts.is_empty() {
        return Ok(bones);
    }
    let mut mesh = Mesh::default();
    source.stem().clone_into(&mut mesh.name);
    let sources: Vec<_> = parts.iter().map(|p| p.source).collect();
    mesh.parts = parts.into_iter().map(|p| p.part).collect();
    morphs::import(&mut mesh, &sources, model, &names, context)?;
    let skinned = mesh.parts.iter().any(|p| p.influences.is_some());
    let mut instance = MeshInstance::new(scene.meshes.push(mesh));
    if skinned {
        let binds = model.bones.iter().map(skeleton::offset).collect();
        instance.skin = Some(scene.skins.push(Skin::new(source.stem(), bones.clone(), binds)));
    }
    instance.materials = materials::import_list(scene, model.geometries.len(), source, context)?;
    let mut node = Node::new(source.stem());
    node.mesh = Some(instance);
    scene.add_node(node, None);
    Ok(bones)
}

/// Namespace of what this crate leaves in extras.
pub(crate) const EXTRAS: &str = "urho";

/// Each becomes a clip with the name of its file, whatever it calls itself: exporters of whole folders often give all
/// motions one name.
fn attach_motions(scene: &mut Scene, bones: &[NodeId], context: &Context) -> Result<()> {
    for attachment in context.attachments(Role::Motion) {
        let animation = Animation::read(&attachment.bytes).map_err(|e| e.in_file(&attachment.name))?;
        if bones.is_empty() {
            let message = format!("{} moves bones, and the model has none", attachment.name);
            return Err(Error::usage(message));
        }
        attach(scene, &animation, &attachment.name, bones, context)?;
    }
    Ok(())
}

fn attach(scene: &mut Scene, animation: &Animation, name: &str, bones: &[NodeId], context: &Context) -> Result<()> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    motion::import(scene, animation, stem, bones, context)?;
    if let Some(clip) = scene.clips.last_mut() {
        stem.clone_into(&mut clip.name);
    }
    Ok(())
}

/// Those that lie beside the model, as far as they move one of its bones; a folder may hold those of many models.
fn attach_found_motions(scene: &mut Scene, bones: &[NodeId], context: &Context) -> Result<()> {
    for attachment in context.attachments(Role::FoundMotion) {
        let name = &attachment.name;
        let animation = match Animation::read(&attachment.bytes) {
            Ok(animation) if motion::moves_one_of(&animation, scene, bones, context) => animation,
            Ok(_) => {
                context.tell(&codes::MOTION_LEFT_OUT, name.as_str(), "it moves no bone of this model");
                continue;
            }
            Err(error) => {
                context.tell(&codes::MOTION_LEFT_OUT, name.as_str(), error.to_string());
                continue;
            }
        };
        attach(scene, &animation, name, bones, context)?;
        context.tell(&codes::MOTION_FOUND, name.as_str(), "it lies beside the model and is a clip now");
    }
    Ok(())
}

/// A motion needs a model's bones.
fn refuse_motions(what: &str, context: &Context) -> Result<()> {
    let Some(motion) = context.attachments(Role::Motion).next() else { return Ok(()) };
    Err(Error::usage(format!("{} moves a model, and this is {what}; give the model as the input", motion.name)))
}

/// The bones of an attached model, for a motion without one.
fn skeleton_attachment(scene: &mut Scene, context: &Context) -> Result<Vec<NodeId>> {
    let Some(attachment) = context.attachments(Role::Skeleton).next() else {
        return Ok(Vec::new());
    };
    let model = Model::read(&attachment.bytes).map_err(|e| e.in_file(&attachment.name))?;
    let names = Names::of(model.bones.iter().map(|b| &b.name), context);
    skeleton::import(scene, &model, &names, context)
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
