//! What the scene carries for glTF, written back.

use crate::document::{Members, Named};
use crate::names::EXTRAS;
use anyrig_bytes::Value;
use anyrig_scene::{Extras, USER};
use std::collections::BTreeSet;

/// Puts extensions, extras and unknown members of a scene element into a typed object.
macro_rules! restore {
    ($object:expr, $extras:expr) => {{
        let extras: &anyrig_scene::Extras = $extras;
        $object.extensions = $crate::export::extras::named(extras.get($crate::names::EXTENSIONS));
        $object.extras = $crate::export::extras::whole(extras);
        $object.other = $crate::export::extras::object(extras.get($crate::names::MEMBERS));
    }};
}
pub(super) use restore;

/// The value of `extras`: that of the file, and what users attached to the element under their own names. Where both have
/// a name, the file's counts.
pub(super) fn whole(extras: &Extras) -> Option<Value> {
    let kept = extras.get(EXTRAS).cloned();
    let Some(Value::Object(attached)) = extras.get(USER).filter(|_| has_room(extras)) else { return kept };
    let mut members = object(kept.as_ref());
    let known: BTreeSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    members.extend(attached.iter().filter(|(name, _)| !known.contains(name)).cloned());
    Some(Value::Object(members))
}

/// Whether the extras of the file leave room for what users attached; a list or a text does not.
pub(super) fn has_room(extras: &Extras) -> bool {
    let is_object = |value: &Value| matches!(value, Value::Object(_));
    extras.get(EXTRAS).is_none_or(is_object) && extras.get(USER).is_none_or(is_object)
}

/// The members of a kept object.
pub(super) fn object(value: Option<&Value>) -> Members {
    match value {
        Some(Value::Object(members)) => members.clone(),
        _ => Members::new(),
    }
}

/// A kept object as extensions; absent when empty.
pub(super) fn named(value: Option<&Value>) -> Option<Named<Value>> {
    let members = object(value);
    (!members.is_empty()).then_some(Named(members))
}

/// Adds an extension, or replaces the one of that name.
pub(super) fn add(extensions: &mut Option<Named<Value>>, name: &str, value: Value) {
    let list = &mut extensions.get_or_insert_default().0;
    match list.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => list.push((name.to_owned(), value)),
    }
}

/// Names of all extensions within a file's JSON, in alphabetical order. Extras are not looked into. A walk with a list
/// instead of recursion, so nesting costs no stack.
pub(super) fn used(root: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| key != "extras") {
                    if let ("extensions", Value::Object(extensions)) = (key.as_str(), value) {
                        names.extend(extensions.iter().map(|(name, _)| name.clone()));
                    }
                    open.push(value);
                }
            }
            _ => {}
        }
    }
    names
}
