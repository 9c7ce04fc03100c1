//! What the scene has no word for, kept so that export can write it back.

use super::Loader;
use crate::codes;
use crate::document::json::At;
use crate::document::{Members, Named, Root};
use crate::names::{ASSET, EXTENSIONS, EXTRAS, MEMBERS, extensions_of};
use crate::uri;
use anyrig_bytes::{Context, Diagnostic, Result, Value};
use anyrig_scene::{Extras, Scene, Target};
use std::collections::{BTreeMap, BTreeSet};

/// Extensions whose values refer to accessors or buffer views. Those are packed anew by export, so that the reference
/// would lead to other data.
const REFER_TO_BINARY: &[&str] = &[
    "CESIUM_primitive_outline",
    "EXT_instance_features",
    "EXT_primitive_voxels",
    "EXT_structural_metadata",
    "KHR_audio",
    "KHR_gaussian_splatting_compression_spz",
    "MSFT_audio_emitter",
];

/// Extensions that only pack data which the file holds unpacked as well.
const PACKINGS: &[&str] = &["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The raw parts of an object.
pub(super) struct Raw<'a> {
    pub(super) extensions: Option<&'a Named<Value>>,
    pub(super) extras: Option<&'a Value>,
    pub(super) other: &'a Members,
}

/// The raw parts of any typed object.
macro_rules! raw {
    ($object:expr) => {
        $crate::import::extras::Raw {
            extensions: $object.extensions.as_ref(),
            extras: $object.extras.as_ref(),
            other: &$object.other,
        }
    };
}
pub(super) use raw;

/// Keeps what was not read: all extensions but the `read` ones, extras, unknown members.
pub(super) fn keep(raw: &Raw<'_>, read: &[&str], at: &At<'_>, context: &Context) -> Extras {
    let mut kept = Extras::default();
    let mut extensions = Value::Null;
    for (name, value) in raw.extensions.iter().flat_map(|e| &e.0).filter(|(name, _)| !read.contains(&name.as_str())) {
        let (code, message) = match name.as_str() {
            name if PACKINGS.contains(&name) => (&codes::EXTENSION_FALLBACK, "the unpacked data beside it is used"),
            name if is_lost(name, value) => (&codes::EXTENSION_DATA_LOST, "it was left out"),
            _ => {
                extensions.set(name, value.clone());
                continue;
            }
        };
        context.push(Diagnostic::new(code, name, message).at(at.place()));
    }
    if !extensions.is_null() {
        kept.set(EXTENSIONS, extensions);
    }
    if let Some(extras) = raw.extras {
        kept.set(EXTRAS, extras.clone());
    }
    if !raw.other.is_empty() {
        kept.set(MEMBERS, Value::Object(raw.other.clone()));
    }
    kept
}

fn is_lost(name: &str, value: &Value) -> bool {
    REFER_TO_BINARY.contains(&name) || refers_to_binary(value)
}

/// Whether an unknown extension holds the index of an accessor, buffer view or buffer, by the names that extensions give
/// those, or the name of a file, which stays where it is. A walk with a list instead of recursion, so nesting costs no
/// stack.
fn refers_to_binary(value: &Value) -> bool {
    const NAMES: [&str; 6] = ["accessor", "accessors", "buffer", "bufferView", "bufferViews", "indices"];
    let is_index = |value: &Value| matches!(value, Value::Int(_) | Value::UInt(_));
    let holds = |value: &Value| is_index(value) || value.as_array().is_some_and(|list| list.iter().any(is_index));
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let is_file = |value: &Value| value.as_str().is_some_and(uri::is_relative);
                let names = |(key, value): &(String, Value)| {
                    (NAMES.contains(&key.as_str()) && holds(value)) || (key == "uri" && is_file(value))
                };
                if members.iter().any(names) {
                    return true;
                }
                open.extend(members.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    false
}

/// Extensions of the file as a whole that are left out, because they refer to binary data or files.
pub(super) fn lost_names(root: &Root) -> BTreeSet<String> {
    let extensions = root.extensions.iter().flat_map(|e| &e.0);
    extensions.filter(|(name, value)| is_lost(name, value)).map(|(name, _)| name.clone()).collect()
}

/// What elements say in the terms of extensions that are left out would lead nowhere, and so would pointers to it.
pub(super) fn drop_lost(scene: &mut Scene, names: &BTreeSet<String>, context: &Context) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let (mut counts, mut go_on) = (BTreeMap::new(), Ok(()));
    scene.for_each_extras_mut(|extras| {
        if go_on.is_ok() {
            go_on = context.check_cancelled();
            drop_named(extras, names, &mut counts);
        }
    });
    go_on?;
    for (name, count) in counts {
        let told = Diagnostic::new(&codes::EXTENSION_DATA_LOST, name, "so was what elements say in its terms");
        context.push(told.times(count));
    }
    for (number, clip) in scene.clips.iter_mut().enumerate() {
        context.check_cancelled()?;
        clip.channels.retain(|channel| match &channel.target {
            Target::Other(pointer) if extensions_of(pointer).any(|name| names.contains(name)) => {
                context.tell(&codes::CHANNEL_UNKNOWN, format!("clip {number}"), format!("{pointer} was left out"));
                false
            }
            _ => true,
        });
    }
    Ok(())
}

/// Takes extensions with some names away, and counts them.
fn drop_named(extras: &mut Extras, names: &BTreeSet<String>, counts: &mut BTreeMap<String, u64>) {
    let Some(Value::Object(members)) = extras.get(EXTENSIONS) else { return };
    if !members.iter().any(|(key, _)| names.contains(key)) {
        return;
    }
    let Some(Value::Object(members)) = extras.remove(EXTENSIONS) else { return };
    let (lost, kept): (Vec<_>, Vec<_>) = members.into_iter().partition(|(key, _)| names.contains(key));
    for (name, _) in lost {
        *counts.entry(name).or_insert(0u64) += 1;
    }
    if !kept.is_empty() {
        extras.set(EXTENSIONS, Value::Object(kept));
    }
}

impl Loader<'_> {
    /// Extras of the file as a whole; `read` are extensions that others have read.
    pub(super) fn file_extras(&mut self, read: &[&str]) {
        let at = At::Root;
        let read = [read, &["KHR_lights_punctual", super::variants::NAME]].concat();
        self.scene.extras = keep(&raw!(self.root), &read, &at, self.context);
        let Some(asset) = &self.root.asset else { return };
        let mut kept = Value::Null;
        for (key, value) in [("generator", &asset.generator), ("copyright", &asset.copyright)] {
            if let Some(value) = value {
                kept.set(key, value.as_str());
            }
        }
        let of_asset = keep(&raw!(asset), &[], &at.key("asset"), self.context);
        for (key, namespace) in [("extensions", EXTENSIONS), ("extras", EXTRAS), ("members", MEMBERS)] {
            if let Some(value) = of_asset.get(namespace) {
                kept.set(key, value.clone());
            }
        }
        if !kept.is_null() {
            self.scene.extras.set(ASSET, kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Channel, Clip, Curve, Interpolation, Node};

    #[test]
    fn many_lost_extensions_are_looked_up_in_one_walk() {
        const MANY: usize = 20_000;
        let names: BTreeSet<String> = (0..MANY).map(|i| format!("EXT_{i}")).collect();
        let mut scene = Scene::default();
        let mut clip = Clip::new("c");
        for i in 0..MANY {
            let mut node = Node::new("n");
            let own = vec![(format!("EXT_{i}"), Value::Int(1)), ("EXT_stays".to_owned(), Value::Int(2))];
            node.extras.set(EXTENSIONS, Value::Object(own));
            scene.add_node(node, None);
            let curve = Curve::new(Interpolation::Linear, 1, vec![0.0], vec![0.0]);
            let pointer = format!("/nodes/{i}/extensions/{}/thing", if i == 0 { "EXT_stays" } else { "EXT_1" });
            clip.channels.push(Channel::on(Target::Other(pointer), curve));
        }
        scene.clips.push(clip);
        let context = Context::new();
        drop_lost(&mut scene, &names, &context).expect("nobody cancels");
        let stays = |node: &Node| match node.extras.get(EXTENSIONS) {
            Some(Value::Object(members)) => members.len() == 1 && members[0].0 == "EXT_stays",
            _ => false,
        };
        assert!(scene.nodes.values().all(stays));
        assert_eq!(scene.clips[0].channels.len(), 1);
        assert_eq!(context.report().count_of("gltf.extension-data-lost"), MANY as u64);
    }
}
