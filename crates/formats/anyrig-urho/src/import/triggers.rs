//! Triggers beside an animation: `NAME.xml`, or the same as `NAME.json`.
//!
//! A clip keeps them in its extras under [`EXTRAS`]: `triggers`, a list of objects with `time_secs`, `type` and `value`,
//! spelled as in the file.

use super::EXTRAS;
use crate::codes;
use crate::document::{Animation, TriggersJson, XmlFile, XmlKind};
use anyrig_bytes::{Context, Diagnostic, Place, Result, Source, Value};
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

/// A form that triggers are kept in. As in the engine XML comes first, and JSON where that is missing or unreadable.
#[derive(Clone, Copy)]
enum Form {
    Xml,
    Json,
}

impl Form {
    const ALL: [Self; 2] = [Self::Xml, Self::Json];

    fn extension(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Json => "json",
        }
    }

    /// What a file beside the animation says; `None` when there is none, or one about something else: a material may
    /// have the name of an animation.
    fn read(self, name: &str, source: &dyn Source, context: &Context) -> Result<Option<Vec<Entry>>> {
        let Some(bytes) = source.resolve(name)? else { return Ok(None) };
        match self {
            Self::Xml if XmlFile::kind_of(&bytes) != Some(XmlKind::Animation) => Ok(None),
            Self::Json if !TriggersJson::looks_like(&bytes) => Ok(None),
            Self::Xml => XmlFile::read(&bytes, context).map(|xml| Some(of_xml(&xml))),
            Self::Json => TriggersJson::read(&bytes, context).map(|json| Some(of_json(&json))),
        }
    }
}

/// A trigger as a file has it, its time in seconds or as a share of the animation's length.
struct Entry {
    time_secs: Option<f64>,
    normalized_time: Option<f64>,
    kind: String,
    value: String,
}

/// The triggers beside an animation; none when there is no such file. One that cannot be read is named in the report.
///
/// # Errors
/// Limits and the wish to stop.
pub(super) fn beside(animation: &Animation, source: &dyn Source, context: &Context) -> Result<Vec<Trigger>> {
    for form in Form::ALL {
        let name = format!("{}.{}", source.stem(), form.extension());
        match form.read(&name, source, context) {
            Ok(None) => {}
            Ok(Some(entries)) => return timed(entries, f64::from(animation.length_secs), &name, context),
            Err(error) if error.ends_job() => return Err(error.in_file(&name)),
            Err(error) => context.tell(&codes::TRIGGERS_UNREAD, name.as_str(), error.in_file(&name).to_string()),
        }
    }
    Ok(Vec::new())
}

/// The triggers that have a time. One that is no number would make a clip differ from itself.
fn timed(entries: Vec<Entry>, length_secs: f64, name: &str, context: &Context) -> Result<Vec<Trigger>> {
    // Each becomes an object of three members in the clip's extras.
    let each = size_of::<Trigger>() + 3 * size_of::<(String, Value)>() + 32;
    context.take_elements(entries.len() as u64, || Place::element(name))?;
    context.take_memory((entries.len() as u64).saturating_mul(each as u64), || Place::element(name))?;
    let count = entries.len();
    let timed = entries.into_iter().filter_map(|entry| {
        let Entry { time_secs, normalized_time, kind, value } = entry;
        let time_secs = normalized_time.map(|t| t * length_secs).or(time_secs).filter(|t| t.is_finite())?;
        Some(Trigger { time_secs, kind, value })
    });
    let triggers: Vec<Trigger> = timed.collect();
    let without = (count - triggers.len()) as u64;
    if without > 0 {
        let message = "they were left out";
        context.push(Diagnostic::new(&codes::TRIGGER_WITHOUT_TIME, name, message).times(without));
    }
    Ok(triggers)
}

fn of_xml(xml: &XmlFile) -> Vec<Entry> {
    let triggers = xml.elements().filter(|tag| tag.name == "trigger").map(|tag| {
        let number = |name: &str| tag.get(name).and_then(|t| t.trim().parse::<f64>().ok());
        let text = |name: &str| tag.get(name).unwrap_or_default();
        let (time_secs, normalized_time) = (number("time"), number("normalizedtime"));
        Entry { time_secs, normalized_time, kind: text("type"), value: text("value") }
    });
    triggers.collect()
}

fn of_json(json: &TriggersJson) -> Vec<Entry> {
    let list = json.value().get("triggers").and_then(Value::as_array).unwrap_or_default();
    let triggers = list.iter().map(|trigger| {
        let number = |name: &str| trigger.get(name).and_then(Value::as_f64);
        let kind = trigger.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = trigger.get("value").map(spelled).unwrap_or_default();
        Entry { time_secs: number("time"), normalized_time: number("normalizedTime"), kind, value }
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
