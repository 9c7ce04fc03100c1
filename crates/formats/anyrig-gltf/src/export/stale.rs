//! Carried extensions whose numbers would lead elsewhere.

use super::animations::is_holdable;
use crate::codes;
use crate::names::{EXTENSIONS, PBR, extensions_of};
use anyrig_bytes::{Context, Diagnostic, Value};
use anyrig_scene::{Clip, Extras, Mesh, Part, Property, Scene, Target};
use std::collections::BTreeMap;

/// Lists keep their order, but elements that glTF does not allow are left out, and those after them move up. Extensions
/// that the scene has no word for may name elements by number, so that those with whole numbers go then, and so do
/// channels whose pointer leads into such an extension or list.
pub(super) fn drop_stale(scene: &mut Scene, context: &Context) {
    let changed: Vec<&str> =
        changed_lists(scene).filter(|(_, change)| *change != Change::None).map(|(l, _)| l).collect();
    let moved = changed_lists(scene).find(|(_, change)| *change == Change::Moved).map(|(list, _)| list);
    let mut dropped = BTreeMap::new();
    if let Some(list) = moved {
        scene.for_each_extras_mut(|extras| drop_numbered(extras, &mut dropped));
        for (name, count) in &dropped {
            let message = format!("the numbers of {list} changed");
            context.push(Diagnostic::new(&codes::EXTENSION_STALE, name, message).times(*count));
        }
    }
    let leads_nowhere = |pointer: &str| {
        let into_list = pointer.split('/').nth(1).is_some_and(|first| changed.contains(&first));
        into_list || extensions_of(pointer).any(|name| dropped.contains_key(name))
    };
    for (number, clip) in scene.clips.iter_mut().enumerate() {
        clip.channels.retain(|channel| match &channel.target {
            Target::Other(pointer) if leads_nowhere(pointer) => {
                let message = format!("{pointer} leads to something else now");
                context.tell(&codes::ANIMATION_PATH, format!("clip {number}"), message);
                false
            }
            _ => true,
        });
    }
}

/// Takes extensions with whole numbers away, those that lie in the core of a material too.
fn drop_numbered(extras: &mut Extras, dropped: &mut BTreeMap<String, u64>) {
    if let Some(kept) = extras.remove(EXTENSIONS).and_then(|all| without_numbered(all, dropped)) {
        extras.set(EXTENSIONS, kept);
    }
    let Some(Value::Object(mut core)) = extras.remove(PBR) else { return };
    if let Some(at) = core.iter().position(|(key, _)| key == EXTENSIONS) {
        let (key, all) = core.remove(at);
        core.extend(without_numbered(all, dropped).map(|kept| (key, kept)));
    }
    if !core.is_empty() {
        extras.set(PBR, Value::Object(core));
    }
}

fn without_numbered(extensions: Value, dropped: &mut BTreeMap<String, u64>) -> Option<Value> {
    let Value::Object(members) = extensions else { return None };
    let (stale, kept): (Vec<_>, Vec<_>) = members.into_iter().partition(|(_, value)| has_whole_number(value));
    for (name, _) in stale {
        *dropped.entry(name).or_insert(0u64) += 1;
    }
    (!kept.is_empty()).then_some(Value::Object(kept))
}

/// What becomes of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// The last ones go.
    Shortened,
    /// Some move up.
    Moved,
}

/// What becomes of the lists of which elements may go.
fn changed_lists(scene: &Scene) -> impl Iterator<Item = (&'static str, Change)> {
    let lists: [(&str, Change); 4] = [
        ("images", change(scene.images.values().map(|i| i.bytes.is_none()))),
        ("meshes", change(scene.meshes.values().map(is_hollow))),
        ("skins", change(scene.skins.values().map(|s| s.joints.is_empty()))),
        ("animations", change(scene.clips.iter().map(|clip| is_still(scene, clip)))),
    ];
    lists.into_iter()
}

/// A clip of which no channel is written.
fn is_still(scene: &Scene, clip: &Clip) -> bool {
    let moves_nothing = |target: &Target| match target {
        Target::Node { node, property: Property::MorphWeights } => {
            let instance = scene.nodes.get(*node).and_then(|n| n.mesh.as_ref());
            instance.and_then(|i| scene.meshes.get(i.mesh)).is_none_or(is_hollow)
        }
        target => !is_holdable(target),
    };
    clip.channels.iter().all(|channel| moves_nothing(&channel.target))
}

fn change(gone: impl Iterator<Item = bool>) -> Change {
    let gone: Vec<bool> = gone.collect();
    match gone.iter().any(|gone| *gone) {
        false => Change::None,
        true if moves(gone.into_iter()) => Change::Moved,
        true => Change::Shortened,
    }
}

/// Whether one that stays comes after one that goes.
fn moves(gone: impl Iterator<Item = bool>) -> bool {
    let mut seen = false;
    for gone in gone {
        if seen && !gone {
            return true;
        }
        seen |= gone;
    }
    false
}

fn is_hollow(mesh: &Mesh) -> bool {
    let shows =
        |p: &Part| p.point_count > 0 && p.corner_count() > 0 && !(p.streams.is_empty() && p.influences.is_none());
    !mesh.parts.iter().any(shows)
}

/// A walk with a list instead of recursion, so nesting costs no stack.
fn has_whole_number(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Int(_) | Value::UInt(_) => return true,
            Value::Float(number) if number.fract() == 0.0 => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Channel, Clearcoat, Curve, Image, Interpolation, Material, Variant};

    fn extension(name: &str, value: impl Into<Value>) -> Value {
        let (mut inner, mut all) = (Value::Null, Value::Null);
        inner.set("thing", value);
        all.set(name, inner);
        all
    }

    fn pointed(pointer: &str) -> Channel {
        Channel::on(Target::Other(pointer.to_owned()), Curve::new(Interpolation::Linear, 1, vec![0.0], vec![0.0]))
    }

    #[test]
    fn what_lies_deeper_goes_as_well_and_pointers_with_it() {
        let mut scene = Scene::default();
        let mut material = Material::new("m");
        let mut clearcoat = Clearcoat::default();
        clearcoat.extras.set(EXTENSIONS, extension("EXT_layer", 1));
        material.clearcoat = Some(Box::new(clearcoat));
        let mut core = Value::Null;
        core.set(EXTENSIONS, extension("EXT_core", 2));
        core.set("gltf.extras", "a word");
        material.extras.set(PBR, core);
        scene.materials.push(material);
        let mut variant = Variant::new("v");
        variant.extras.set(EXTENSIONS, extension("EXT_variant", 3));
        scene.variants.push(variant);
        let pointers = [
            "/materials/0/extensions/KHR_materials_clearcoat/extensions/EXT_layer/thing",
            "/extensions/EXT_other/thing",
            "/meshes/1/extensions/EXT_other/thing",
            "/nodes/0/extensions/EXT_other/thing",
        ];
        let mut clip = Clip::new("c");
        clip.channels = pointers.map(pointed).to_vec();
        scene.clips.push(clip);
        for bytes in [None, Some(vec![1u8].into())] {
            let mut image = Image::default();
            image.bytes = bytes;
            scene.images.push(image);
        }
        scene.meshes.push(Mesh::default());
        let context = Context::new();
        drop_stale(&mut scene, &context);
        let report = context.report();
        assert_eq!((report.count_of("gltf.extension-stale"), report.count_of("gltf.animation-path")), (3, 2));
        let material = scene.materials.values().next().expect("one");
        assert!(material.part_extras().all(Extras::is_empty) && scene.variants.iter().all(|v| v.extras.is_empty()));
        let core = material.extras.get(PBR).expect("its extras stay");
        assert!(core.get(EXTENSIONS).is_none() && core.get("gltf.extras").is_some());
        let left: Vec<_> = scene.clips.iter().flat_map(|c| &c.channels).map(|c| c.target.clone()).collect();
        assert_eq!(left, [pointers[1], pointers[3]].map(|p| Target::Other(p.to_owned())));
    }

    #[test]
    fn clips_that_are_left_out_move_those_after_them() {
        let mut scene = Scene::default();
        let mut first = Clip::new("empty");
        first.channels.push(pointed("no pointer"));
        let mut second = Clip::new("full");
        second.channels.push(pointed("/extensions/EXT_other/thing"));
        scene.clips = vec![first, second];
        scene.extras.set(EXTENSIONS, extension("EXT_player", 1));
        let context = Context::new();
        drop_stale(&mut scene, &context);
        assert_eq!(context.report().count_of("gltf.extension-stale"), 1);
        assert!(scene.extras.is_empty());
    }

    #[test]
    fn numbers_that_stay_right_are_kept() {
        let mut scene = Scene::default();
        let mut material = Material::new("m");
        material.extras.set(EXTENSIONS, extension("EXT_a", 1));
        scene.materials.push(material);
        let mut empty = Image::default();
        empty.extras.set(EXTENSIONS, extension("EXT_b", 0.5));
        // Nothing comes after the image that is left out.
        scene.images.push(empty.clone());
        let before = scene.clone();
        let context = Context::new();
        drop_stale(&mut scene, &context);
        assert!(scene == before && context.report().is_empty());
        empty.bytes = Some(vec![1u8].into());
        scene.images.push(empty);
        drop_stale(&mut scene, &context);
        assert_eq!(context.report().count_of("gltf.extension-stale"), 1);
        assert!(scene.materials.values().all(|m| m.extras.is_empty()));
        assert!(scene.images.values().all(|i| !i.extras.is_empty()), "a half is no index");
    }
}
