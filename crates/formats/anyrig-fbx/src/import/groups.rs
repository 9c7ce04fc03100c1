//! What relates models beside their hierarchy: constraints, levels of detail, display layers, selection sets. The scene
//! has no word for them, so they stay as data, with models by name, and the report says what has no effect.

use super::Import;
use super::objects::{End, Object, ObjectId, Objects};
use crate::codes;
use crate::document::Decoder;
use anyrig_bytes::{Code, Diagnostic, Result, Value};

/// Keeps all of them.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    levels(import)?;
    let constraints = list(import, "Constraint", constraint)?;
    let layers = list(import, "CollectionExclusive", display_layer)?;
    let sets = list(import, "SelectionSet", selection_set)?;
    for (namespace, all) in
        [("fbx.constraints", constraints), ("fbx.display_layers", layers), ("fbx.selection_sets", sets)]
    {
        if !all.is_empty() {
            import.scene.extras.set(namespace, Value::Array(all));
        }
    }
    Ok(())
}

/// Bytes that an entry may need for each connection or property.
const ENTRY_BYTES: u64 = 256;

fn list(import: &Import<'_>, class: &str, entry: fn(&Import<'_>, &Object<'_>) -> Result<Value>) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let objects = &import.objects;
    for object in objects.of_class(class) {
        let entries = objects.into(End::Object(object.id)).count() + object.properties.iter().count() + 1;
        import.context.take_memory(entries as u64 * ENTRY_BYTES, || object.node.place())?;
        all.push(entry(import, object)?);
    }
    Ok(all)
}

fn tell(import: &Import<'_>, code: &'static Code, object: &Object<'_>, message: impl Into<String>) {
    import.context.push(Diagnostic::new(code, object.name.clone(), message).at(object.node.place()));
}

fn described(object: &Object<'_>) -> Value {
    let mut value = Value::Null;
    value.set("name", object.name.clone());
    if !object.subtype.is_empty() {
        value.set("type", object.subtype.clone().into_owned());
    }
    if let Some(properties) = object.properties.to_value(|_| true) {
        value.set("properties", properties);
    }
    value
}

fn names<'o, 'a: 'o>(objects: impl Iterator<Item = &'o Object<'a>>) -> Value {
    Value::Array(objects.map(|o| Value::from(o.name.clone())).collect())
}

/// A constraint or a character, with the models that each of its roles names.
fn constraint(import: &Import<'_>, object: &Object<'_>) -> Result<Value> {
    let mut value = described(object);
    let mut roles: Vec<(String, Value)> = Vec::new();
    for (role, source) in import.objects.property_sources(object.id) {
        let name = Value::from(source.name.clone());
        match roles.last_mut() {
            Some((last, Value::Array(names))) if last == role => names.push(name),
            _ => roles.push((role.to_owned(), Value::Array(vec![name]))),
        }
    }
    if !roles.is_empty() {
        value.set("objects", Value::Array(roles.into_iter().map(|(role, names)| role_value(role, names)).collect()));
    }
    // A character only says which model is which limb.
    if object.subtype != "Character" {
        let message = format!("a constraint of the kind `{}` moves nothing", object.subtype);
        tell(import, &codes::CONSTRAINT, object, message);
    }
    Ok(value)
}

fn role_value(role: String, names: Value) -> Value {
    let mut value = Value::Null;
    value.set("role", role);
    value.set("names", names);
    value
}

fn display_layer(import: &Import<'_>, object: &Object<'_>) -> Result<Value> {
    let mut value = described(object);
    let models = import.objects.children(End::Object(object.id));
    value.set("models", names(models));
    if !import.objects.bool(object.id, "Show", true) {
        tell(import, &codes::DISPLAY_LAYER, object, "it hides its models");
    }
    Ok(value)
}

/// A set lists nodes of the selection, each of which names a model and parts of its mesh.
fn selection_set(import: &Import<'_>, object: &Object<'_>) -> Result<Value> {
    let objects = &import.objects;
    let mut value = described(object);
    let mut members = Vec::new();
    for member in objects.children(End::Object(object.id)) {
        if member.class != "SelectionNode" {
            members.push(Value::from(member.name.clone()));
            continue;
        }
        let mut entry = Value::Null;
        let models = objects.children(End::Object(member.id)).filter(|o| o.class == "Model");
        entry.set("models", names(models));
        for (array, word) in
            [("VertexIndexArray", "points"), ("EdgeIndexArray", "edges"), ("PolygonIndexArray", "faces")]
        {
            let Some(node) = member.node.child(array) else { continue };
            let indexes = node.array::<i32>(&mut Decoder::new(import.context))?;
            import.context.take_memory((indexes.len() * size_of::<Value>()) as u64, || node.place())?;
            entry.set(word, Value::Array(indexes.iter().map(|i| f64::from(*i).into()).collect()));
        }
        members.push(entry);
    }
    value.set("members", Value::Array(members));
    Ok(value)
}

/// Levels of detail: the children of the group's model, nearest first, with the distances at which they change.
fn levels(import: &mut Import<'_>) -> Result<()> {
    let groups: Vec<ObjectId> = import.objects.iter().filter(|o| is_levels(o)).map(|o| o.id).collect();
    for group in groups {
        let models = models_of(&import.objects, group);
        let properties = &import.objects.get(group).properties;
        let bytes = (properties.iter().count() as u64).saturating_mul(ENTRY_BYTES);
        let Some(data) = properties.to_value(|_| true) else { continue };
        for node in models.iter().filter_map(|model| import.nodes.get(model).copied()) {
            // Several models may share the group.
            import.context.take_memory(bytes, || import.objects.place(group))?;
            let node = &mut import.scene.nodes[node];
            node.extras.set("fbx.lod_group", data.clone());
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
    objects.parents(id).filter(|o| o.class == "Model").map(|o| o.id).collect()
}
