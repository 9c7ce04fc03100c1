//! What relates models beside their hierarchy: constraints, levels of detail, display layers, selection sets. The scene
//! has no word for them, so they stay as data, with models by name, and the report says what has no effect.

use super::Import;
use super::booking::Work;
use super::objects::{End, Object, ObjectId, Objects};
use super::skins::unique;
use crate::codes;
use anyrig_bytes::{Code, Diagnostic, Result, Value};

/// Keeps all of them.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    levels(import)?;
    let constraints = list(import, "Constraint", constraint)?;
    let layers = list(import, "CollectionExclusive", display_layer)?;
    let mut sets = list(import, "SelectionSet", selection_set)?;
    // The same in other files, such as those of ZBrush.
    sets.extend(list(import, "Collection", selection_set)?);
    for (namespace, all) in
        [("fbx.constraints", constraints), ("fbx.display_layers", layers), ("fbx.selection_sets", sets)]
    {
        if !all.is_empty() {
            import.scene.extras.set(namespace, Value::Array(all));
        }
    }
    Ok(())
}

/// Bytes that an entry may need for each connection, beside its names.
const ENTRY_BYTES: usize = 512;

fn list(
    import: &mut Import<'_>,
    class: &str,
    entry: fn(&mut Import<'_>, ObjectId) -> Result<Value>,
) -> Result<Vec<Value>> {
    let objects: Vec<ObjectId> = import.objects.of_class(class).map(|o| o.id).collect();
    let mut all = Vec::with_capacity(objects.len());
    for object in objects {
        all.push(entry(import, object)?);
    }
    Ok(all)
}

fn tell(import: &Import<'_>, code: &'static Code, object: ObjectId, message: impl Into<String>) {
    let object = import.objects.get(object);
    import.context.push(Diagnostic::new(code, object.name.clone(), message).at(object.node.place()));
}

fn described(import: &Import<'_>, id: ObjectId) -> Result<Value> {
    let object = import.objects.get(id);
    import.take_product(ENTRY_BYTES + object.name.len() + object.subtype.len(), id)?;
    let mut value = Value::Null;
    value.set("name", object.name.clone());
    if !object.subtype.is_empty() {
        value.set("type", object.subtype.clone().into_owned());
    }
    if let Some(properties) = import.data(id, |_| true)? {
        value.set("properties", properties);
    }
    Ok(value)
}

/// Names of objects that belong to an owner. Few bytes connect an object that has a long one.
fn names<'o, 'a: 'o>(
    import: &Import<'_>,
    owner: ObjectId,
    objects: impl Iterator<Item = &'o Object<'a>>,
) -> Result<Value> {
    let name = |object: &Object<'_>| {
        import.take_product(2 * size_of::<Value>() + object.name.len(), owner)?;
        Ok(Value::from(object.name.clone()))
    };
    Ok(Value::Array(objects.map(name).collect::<Result<_>>()?))
}

/// A constraint or a character, with the models that each of its roles names.
fn constraint(import: &mut Import<'_>, id: ObjectId) -> Result<Value> {
    let mut value = described(import, id)?;
    let sources: Vec<(&str, &Object<'_>)> = import.objects.property_sources(id).collect();
    let mut roles = Vec::new();
    for same in sources.chunk_by(|a, b| a.0 == b.0) {
        let Some((role, _)) = same.first() else { continue };
        import.take_product(ENTRY_BYTES + role.len(), id)?;
        roles.push(role_value(role, names(import, id, same.iter().map(|(_, source)| *source))?));
    }
    if !roles.is_empty() {
        value.set("objects", Value::Array(roles));
    }
    // A character only says which model is which limb.
    let subtype = &import.objects.get(id).subtype;
    if subtype != "Character" {
        tell(import, &codes::CONSTRAINT, id, format!("a constraint of the kind `{subtype}` moves nothing"));
    }
    Ok(value)
}

fn role_value(role: &str, names: Value) -> Value {
    let mut value = Value::Null;
    value.set("role", role);
    value.set("names", names);
    value
}

fn display_layer(import: &mut Import<'_>, id: ObjectId) -> Result<Value> {
    let mut value = described(import, id)?;
    value.set("models", names(import, id, import.objects.children(End::Object(id)))?);
    if !import.objects.bool(id, "Show", true) {
        tell(import, &codes::DISPLAY_LAYER, id, "it hides its models");
    }
    Ok(value)
}

/// A set lists nodes of the selection, each of which names a model and parts of its mesh.
fn selection_set(import: &mut Import<'_>, id: ObjectId) -> Result<Value> {
    let mut value = described(import, id)?;
    let listed: Vec<ObjectId> = import.objects.children(End::Object(id)).map(|o| o.id).collect();
    let mut members = Vec::with_capacity(listed.len());
    for member in listed {
        members.push(set_member(import, member)?);
    }
    value.set("members", Value::Array(members));
    Ok(value)
}

fn set_member(import: &mut Import<'_>, id: ObjectId) -> Result<Value> {
    let object = import.objects.get(id);
    if object.class != "SelectionNode" {
        import.take_product(size_of::<Value>() + object.name.len(), id)?;
        return Ok(Value::from(object.name.clone()));
    }
    import.take_product(ENTRY_BYTES, id)?;
    let node = object.node;
    let mut entry = Value::Null;
    let models = import.objects.children(End::Object(id)).filter(|o| o.class == "Model");
    entry.set("models", names(import, id, models)?);
    let mut bytes = 0;
    for (array, word) in [("VertexIndexArray", "points"), ("EdgeIndexArray", "edges"), ("PolygonIndexArray", "faces")] {
        let Some(node) = node.child(array) else { continue };
        let indexes = node.array::<i32>(&mut import.decoder)?;
        bytes += indexes.len() * size_of::<Value>();
        import.context.take_memory(bytes as u64, || node.place())?;
        entry.set(word, Value::Array(indexes.iter().map(|i| f64::from(*i).into()).collect()));
    }
    // Several sets may list the node.
    import.take_again(Work::Member, id, bytes)?;
    Ok(entry)
}

/// Levels of detail: the children of the group's model, nearest first, with the distances at which they change.
fn levels(import: &mut Import<'_>) -> Result<()> {
    let groups: Vec<ObjectId> = import.objects.iter().filter(|o| is_levels(o)).map(|o| o.id).collect();
    for group in groups {
        // Several models may share the group.
        for node in models_of(&import.objects, group).iter().filter_map(|model| import.nodes.get(model).copied()) {
            let Some(data) = import.data(group, |_| true)? else { break };
            let node = &mut import.scene.nodes[node];
            node.extras.set("fbx.lod_group", data);
            let shown = node.children.len();
            let line = Diagnostic::new(&codes::LEVELS, node.name.clone(), format!("all {shown} levels are shown"));
            import.context.push(line.at(import.objects.place(group)));
        }
    }
    Ok(())
}

fn is_levels(object: &Object<'_>) -> bool {
    matches!(&*object.class, "NodeAttribute" | "Model") && object.subtype.eq_ignore_ascii_case("LodGroup")
}

/// The models that an attribute belongs to; before version 7000 the model itself.
fn models_of(objects: &Objects<'_>, id: ObjectId) -> Vec<ObjectId> {
    if objects.get(id).class == "Model" {
        return if objects.is_named() { vec![id] } else { Vec::new() };
    }
    unique(objects.parents(id).filter(|o| o.class == "Model").map(|o| o.id))
}
