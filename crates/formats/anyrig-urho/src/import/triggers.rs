//! Triggers beside an animation: `NAME.xml`, or the same as `NAME.json`.
//!
//! A clip keeps them in its extras under [`EXTRAS`]: `triggers`, a list of objects with `time_secs`, `type` and `value`,
//! spelled as in the file.

use super::EXTRAS;
use crate::codes;
use crate::document::{Animation, TriggersJson, XmlFile, XmlKind};
use anyrig_bytes::{Context, Result, Source, Value};
use anyrig_scene::Clip;

/// Something that happens while a clip plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trigger {
    pub(crate) time_secs: f64,
    /// Name of the value's type in the engine, for example `String`.
    pub(crate) kind: String,
    /// The value as text.
    pub(crate) value: String,
}

/// The triggers beside an animation; none when there is no such file. One that cannot be read is named in the report.
pub(super) fn beside(animation: &Animation, source: &dyn Source, context: &Context) -> Result<Vec<Trigger>> {
    let length_secs = f64::from(animation.length_secs);
    let find = |extension: &str| {
        let name = format!("{}.{extension}", source.stem());
        source.resolve(&name).ok().flatten().map(|bytes| (name, bytes))
    };
    let read = if let Some((name, bytes)) = find("xml") {
        // A material may have the name of an animation.
        if XmlFile::kind_of(&bytes) != Some(XmlKind::Animation) {
            return Ok(Vec::new());
        }
        (XmlFile::read(&bytes, context).map(|xml| of_xml(&xml, length_secs)), name)
    } else if let Some((name, bytes)) = find("json").filter(|(_, bytes)| TriggersJson::looks_like(bytes)) {
        (TriggersJson::read(&bytes, context).map(|json| of_json(&json, length_secs)), name)
    } else {
        return Ok(Vec::new());
    };
    match read {
        (Ok(triggers), _) => Ok(triggers),
        (Err(error), name) => {
            context.tell(&codes::TRIGGERS_UNREAD, name.clone(), error.in_file(&name).to_string());
            Ok(Vec::new())
        }
    }
}

fn of_xml(xml: &XmlFile, length_secs: f64) -> Vec<Trigger> {
    let triggers = xml.elements().filter(|tag| tag.name == "trigger").filter_map(|tag| {
        let number = |name: &str| tag.get(name).and_then(|t| t.trim().parse::<f64>().ok());
        let time_secs = number("normalizedtime").map(|t| t * length_secs).or_else(|| number("time"))?;
        let text = |name: &str| tag.get(name).unwrap_or_default();
        Some(Trigger { time_secs, kind: text("type"), value: text("value") })
    });
    triggers.collect()
}

fn of_json(json: &TriggersJson, length_secs: f64) -> Vec<Trigger> {
    let list = json.value().get("triggers").and_then(Value::as_array).unwrap_or_default();
    let triggers = list.iter().filter_map(|trigger| {
        let number = |name: &str| trigger.get(name).and_then(Value::as_f64);
        let time_secs = number("normalizedTime").map(|t| t * length_secs).or_else(|| number("time"))?;
        let kind = trigger.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = trigger.get("value").map(spelled).unwrap_or_default();
        Some(Trigger { time_secs, kind, value })
    });
    triggers.collect()
}

/// A value as the XML form spells it.
fn spelled(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(items) => items.iter().map(spelled).collect::<Vec<_>>().join(" "),
        Value::String(text) => text.clone(),
        Value::Bool(yes) => yes.to_string(),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// Puts triggers into a clip.
pub(super) fn set(clip: &mut Clip, triggers: &[Trigger]) {
    if triggers.is_empty() {
        return;
    }
    let list = triggers.iter().map(|trigger| {
        let mut value = Value::Null;
        value.set("time_secs", trigger.time_secs);
        value.set("type", trigger.kind.as_str());
        value.set("value", trigger.value.as_str());
        value
    });
    let mut extras = Value::Null;
    extras.set("triggers", Value::Array(list.collect()));
    clip.extras.set(EXTRAS, extras);
}

/// The triggers that an importer of this crate left in a clip.
pub(crate) fn of(clip: &Clip) -> Vec<Trigger> {
    let list = clip.extras.get(EXTRAS).and_then(|e| e.get("triggers")).and_then(Value::as_array).unwrap_or_default();
    let trigger = |value: &Value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let time_secs = value.get("time_secs").and_then(Value::as_f64).filter(|t| t.is_finite())?;
        Some(Trigger { time_secs, kind: text("type"), value: text("value") })
    };
    list.iter().filter_map(trigger).collect()
}
