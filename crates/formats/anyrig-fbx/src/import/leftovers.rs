//! What no other room took or could show, told once all of them are done.

use super::Import;
use super::objects::{End, Object, ObjectId, Objects};
use crate::codes;
use anyrig_bytes::Diagnostic;
use anyrig_scene::{Scene, Target, walk};
use std::collections::BTreeMap;

pub(super) fn tell(import: &Import<'_>) {
    tell_objects(import);
    tell_driven(import);
    tell_visibility(import);
}

/// Objects that were left out, one line for each class.
fn tell_objects(import: &Import<'_>) {
    let mut lost: BTreeMap<&str, (u64, &Object<'_>)> = BTreeMap::new();
    for object in import.objects.iter().filter(|object| !is_taken(import, object)) {
        lost.entry(&object.class).or_insert((0, object)).0 += 1;
    }
    for (class, (count, first)) in lost {
        let message = format!("the first one is `{}` of the kind `{}`", first.name, first.subtype);
        let line = Diagnostic::new(&codes::OBJECTS_LOST, class, message);
        import.context.push(line.times(count).at(first.node.place()));
    }
}

/// Classes that a room reads whatever they are connected to, and those whose objects say nothing of the scene: settings,
/// who wrote the file, the state of a program's windows.
const READ: [&str; 17] = [
    "AnimationCurve",
    "AnimationCurveNode",
    "AnimationLayer",
    "AnimationStack",
    "BindingTable",
    "Collection",
    "CollectionExclusive",
    "Constraint",
    "GlobalSettings",
    "Implementation",
    "Material",
    "Model",
    "SceneInfo",
    "SelectionNode",
    "SelectionSet",
    "Shape",
    "Video",
];
const STATE_OF_PROGRAM: &str = "MotionBuilder_";

fn is_taken(import: &Import<'_>, object: &Object<'_>) -> bool {
    let objects = &import.objects;
    match &*object.class {
        "Geometry" => {
            let user = if object.subtype == "Shape" { "Deformer" } else { "Model" };
            has_parent(objects, object.id, user) || import.geometries.contains_key(&object.id)
        }
        "Deformer" => objects.parents(object.id).next().is_some(),
        // Others say how a program draws the model.
        "NodeAttribute" if object.subtype == "Camera" || object.subtype == "Light" => {
            import.attributes.contains_key(&object.id)
        }
        "NodeAttribute" => true,
        "Texture" | "LayeredTexture" => objects.out_of(object.id).next().is_some(),
        "Pose" => super::skins::is_bind_pose(object),
        // The deformer is told of.
        "Cache" => has_parent(objects, object.id, "Deformer"),
        class => READ.contains(&class) || class.starts_with(STATE_OF_PROGRAM),
    }
}

fn has_parent(objects: &Objects<'_>, object: ObjectId, class: &str) -> bool {
    objects.parents(object).any(|parent| parent.class == class)
}

/// Properties that follow those of other objects.
fn tell_driven(import: &Import<'_>) {
    let mut driven = import.objects.connections().iter().filter_map(|connection| {
        let (source, property) = (connection.source_property.as_deref()?, connection.property.as_deref()?);
        let (End::Object(from), End::Object(to)) = (connection.source, connection.destination) else { return None };
        Some(((from, source), (to, property)))
    });
    let Some(((from, source), (to, property))) = driven.next() else { return };
    let name = |id: ObjectId| &import.objects.get(id).name;
    let subject = format!("{}: {property}", name(to));
    let message = format!("it does not follow {source} of `{}`", name(from));
    let line = Diagnostic::new(&codes::DRIVEN_PROPERTY, subject, message);
    import.context.push(line.times(1 + driven.count() as u64).at(import.objects.place(to)));
}

/// In the scene what is below a hidden node is hidden.
fn tell_visibility(import: &Import<'_>) {
    let below = below_hidden(&import.scene);
    let is_off = |model: ObjectId| !import.objects.bool(model, "Visibility Inheritance", true);
    let hidden = import.nodes.iter().filter(|(model, node)| is_off(**model) && below.get(node.index()) == Some(&true));
    for (model, _) in hidden {
        let object = import.objects.get(*model);
        let line = Diagnostic::new(&codes::VISIBILITY, object.name.clone(), "a model above it is hidden, or may be");
        import.context.push(line.at(object.node.place()));
    }
}

/// Whether a node lies below one that is hidden at rest or by motion.
fn below_hidden(scene: &Scene) -> Vec<bool> {
    let mut hides: Vec<bool> = scene.nodes.values().map(|node| !node.visible).collect();
    for target in scene.clips.iter().flat_map(|clip| &clip.channels).map(|channel| &channel.target) {
        if let Target::Visibility { node } = target {
            hides[node.index()] = true;
        }
    }
    let mut below = vec![false; hides.len()];
    for node in walk::parents_first(scene) {
        if let Some(parent) = scene.nodes[node].parent {
            below[node.index()] = hides[parent.index()] || below[parent.index()];
        }
    }
    below
}
