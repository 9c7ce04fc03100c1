//! What the scene carries for glTF, written back.

use crate::document::{Members, Named};
use anyrig_bytes::Value;
use std::collections::BTreeSet;

/// Puts extensions, extras and unknown members of a scene element into a typed object.
macro_rules! restore {
    ($object:expr, $extras:expr) => {{
        let extras: &anyrig_scene::Extras = $extras;
        $object.extensions = $crate::export::extras::named(extras.get($crate::names::EXTENSIONS));
        $object.extras = extras.get($crate::names::EXTRAS).cloned();
        $object.other = $crate::export::extras::object(extras.get($crate::names::MEMBERS));
    }};
}
pub(super) use restore;

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
