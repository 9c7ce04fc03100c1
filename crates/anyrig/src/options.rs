//! Options of formats: what there is, and sorting `key=value` pairs to their owners.

use crate::suggest::hint;
use anyrig_bytes::{Error, Result, Value};
use anyrig_scene::{Exporter, Importer, OptionSchema};
use serde::Serialize;

/// One option of a format.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OptionInfo {
    /// What to type before the `=`.
    pub key: String,
    /// Type in JSON Schema's words, or `choice`.
    pub kind: String,
    /// The values of a choice.
    pub choices: Vec<String>,
    /// The value when nothing is said.
    pub default: Value,
    /// What it does.
    pub description: String,
}

/// The options of a schema in its order.
pub fn describe(schema: &OptionSchema) -> Vec<OptionInfo> {
    let root: serde_json::Value = serde_json::from_str(&(schema.schema)()).unwrap_or_default();
    let properties = root.get("properties").and_then(|p| p.as_object());
    properties.into_iter().flatten().map(|(key, property)| option(key, property, &root)).collect()
}

fn option(key: &str, property: &serde_json::Value, root: &serde_json::Value) -> OptionInfo {
    let target = resolve(property, root);
    let choices = choices(target);
    let own_text = property.get("description").or_else(|| target.get("description"));
    let default = property.get("default").cloned().unwrap_or_default();
    OptionInfo {
        key: key.to_owned(),
        kind: if choices.is_empty() { kind(target) } else { "choice".to_owned() },
        choices,
        default: serde_json::from_value(default).unwrap_or_default(),
        description: own_text.and_then(|d| d.as_str()).unwrap_or_default().to_owned(),
    }
}

/// Follows `$ref`, and the one meaning of an optional value.
fn resolve<'a>(property: &'a serde_json::Value, root: &'a serde_json::Value) -> &'a serde_json::Value {
    let reference = |p: &'a serde_json::Value| {
        let name = p.get("$ref").and_then(|r| r.as_str())?.strip_prefix("#/$defs/")?;
        root.get("$defs")?.get(name)
    };
    if let Some(target) = reference(property) {
        return target;
    }
    let any_of = property.get("anyOf").or_else(|| property.get("allOf")).and_then(|a| a.as_array());
    any_of.and_then(|all| all.iter().find_map(reference)).unwrap_or(property)
}

fn choices(target: &serde_json::Value) -> Vec<String> {
    let text = |v: &serde_json::Value| v.as_str().map(str::to_owned);
    let list = |key: &str| target.get(key).and_then(|v| v.as_array()).map(Vec::as_slice).unwrap_or_default();
    let variants = list("oneOf").iter().flat_map(|v| {
        let many = v.get("enum").and_then(|e| e.as_array()).map(Vec::as_slice).unwrap_or_default();
        v.get("const").into_iter().chain(many)
    });
    list("enum").iter().chain(variants).filter_map(text).collect()
}

fn kind(target: &serde_json::Value) -> String {
    match target.get("type") {
        Some(serde_json::Value::String(kind)) => kind.clone(),
        Some(serde_json::Value::Array(kinds)) => {
            kinds.iter().filter_map(|k| k.as_str()).collect::<Vec<_>>().join(" or ")
        }
        _ => "value".to_owned(),
    }
}

/// Sorts `key=value` pairs to the options of the target, else to those of the source format. The result is for
/// [`anyrig_bytes::Context::with_options`], one object for each owner. Keys are spelled as [`describe`] gives
/// them: small letters and `-`.
///
/// A value that is JSON of the option's type is taken as that, anything else as text.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for an unknown key, with the nearest one, and for a value that does not fit.
pub fn route(
    pairs: &[(String, String)],
    importer: Option<&dyn Importer>,
    exporter: Option<&dyn Exporter>,
) -> Result<Vec<(String, Value)>> {
    // Schemas cost more than a small conversion.
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let schemas = [exporter.and_then(|e| e.info().options), importer.and_then(|i| i.info().options)];
    let known: Vec<(&str, OptionInfo)> =
        schemas.iter().flatten().flat_map(|s| describe(s).into_iter().map(|option| (s.owner, option))).collect();
    let mut routed: Vec<(String, Value)> = Vec::new();
    for (key, text) in pairs {
        let Some((owner, option)) = known.iter().find(|(_, option)| option.key == *key) else {
            return Err(unknown_key(key, &known));
        };
        let value = typed(option, text)?;
        match routed.iter_mut().find(|(o, _)| o == owner) {
            Some((_, values)) => values.set(&option.key, value),
            None => {
                let mut values = Value::Null;
                values.set(&option.key, value);
                routed.push(((*owner).to_owned(), values));
            }
        }
    }
    Ok(routed)
}

/// Takes the pairs that a schema has out of a list, as one object of that schema's values; null when there are none.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for a value that does not fit, and for a key that stands twice.
pub fn take(pairs: &mut Vec<(String, String)>, schema: &OptionSchema) -> Result<Value> {
    let mut values = Value::Null;
    if pairs.is_empty() {
        return Ok(values);
    }
    let known = describe(schema);
    let found = |key: &str| known.iter().find(|option| option.key == key);
    for (key, text) in pairs.iter() {
        let Some(option) = found(key) else { continue };
        if values.get(key).is_some() {
            return Err(Error::usage(format!("option `{key}` is given twice; leave one out")));
        }
        values.set(&option.key, typed(option, text)?);
    }
    pairs.retain(|(key, _)| found(key).is_none());
    Ok(values)
}

fn unknown_key(key: &str, known: &[(&str, OptionInfo)]) -> Error {
    let mut keys: Vec<&str> = Vec::new();
    for (_, option) in known {
        // Source and target may be one format, or share their options.
        if !keys.contains(&option.key.as_str()) {
            keys.push(&option.key);
        }
    }
    let all = if keys.is_empty() {
        "there are no options here".to_owned()
    } else {
        format!("there are: {}", keys.join(", "))
    };
    Error::usage(format!("no option is called `{key}`{}; {all}", hint(key, keys.iter().copied())))
}

fn typed(option: &OptionInfo, text: &str) -> Result<Value> {
    let json: Option<Value> = serde_json::from_str(text).ok();
    let as_text = || Value::String(text.to_owned());
    if !option.choices.is_empty() {
        let fits = option.choices.iter().any(|c| c == text);
        let message = || {
            let near = hint(text, option.choices.iter().map(String::as_str));
            format!("option `{}` takes one of {}, not `{text}`{near}", option.key, option.choices.join(", "))
        };
        return if fits { Ok(as_text()) } else { Err(Error::usage(message())) };
    }
    let value = if option.kind.split(" or ").any(|k| k == "string") { as_text() } else { json.unwrap_or_else(as_text) };
    let fits = option.kind.split(" or ").any(|kind| match kind {
        "boolean" => matches!(value, Value::Bool(_)),
        "integer" => matches!(value, Value::Int(_) | Value::UInt(_)),
        "number" => value.as_f64().is_some(),
        "string" => matches!(value, Value::String(_)),
        "array" => matches!(value, Value::Array(_)),
        "object" => matches!(value, Value::Object(_)),
        "null" => value.is_null(),
        _ => true,
    });
    if fits {
        return Ok(value);
    }
    Err(Error::usage(format!("option `{}` takes a value of type {}, not `{text}`", option.key, option.kind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::ErrorKind;

    const SCHEMA: OptionSchema = OptionSchema::new("test", schema);

    fn schema() -> String {
        r##"{"$defs": {"Side": {"oneOf": [{"const": "left", "description": "l"}, {"enum": ["right", "none"]}]}},
            "properties": {
                "side": {"$ref": "#/$defs/Side", "default": "none", "description": "Which side."},
                "maybe": {"anyOf": [{"$ref": "#/$defs/Side"}, {"type": "null"}]},
                "flip-v": {"type": "boolean", "default": false},
                "scale": {"type": "number", "default": 1.0},
                "max-bones": {"type": "integer", "default": 64},
                "name": {"type": ["string", "null"]}}}"##
            .to_owned()
    }

    fn typed_of(key: &str, text: &str) -> Result<Value> {
        let option = describe(&SCHEMA).into_iter().find(|o| o.key == key).expect("an option of the schema");
        typed(&option, text)
    }

    #[test]
    fn a_schema_becomes_options_in_its_order() {
        let options = describe(&SCHEMA);
        let kinds: Vec<_> = options.iter().map(|o| (o.key.as_str(), o.kind.as_str())).collect();
        let expected = [
            ("side", "choice"),
            ("maybe", "choice"),
            ("flip-v", "boolean"),
            ("scale", "number"),
            ("max-bones", "integer"),
            ("name", "string or null"),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(options[0].choices, ["left", "right", "none"]);
        assert_eq!(options[0].default, Value::String("none".to_owned()));
        assert_eq!(options[0].description, "Which side.");
    }

    #[test]
    fn values_are_read_as_the_option_wants_them() {
        assert_eq!(typed_of("flip-v", "true"), Ok(Value::Bool(true)));
        assert_eq!(typed_of("scale", "2"), Ok(Value::Int(2)));
        assert_eq!(typed_of("name", "12"), Ok(Value::String("12".to_owned())));
        assert_eq!(typed_of("side", "left"), Ok(Value::String("left".to_owned())));
        for (key, wrong) in [("flip-v", "yes"), ("scale", "big"), ("max-bones", "1.5"), ("side", "up")] {
            assert_eq!(typed_of(key, wrong).map_err(|e| e.kind()), Err(ErrorKind::Usage), "{key}");
        }
        let error = typed_of("side", "lefd").expect_err("no such choice");
        assert!(error.message().ends_with("did you mean `left`?"), "{error}");
    }
}
