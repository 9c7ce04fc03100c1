//! Carried extensions whose numbers would lead elsewhere.

use crate::codes;
use crate::names::EXTENSIONS;
use anyrig_bytes::{Context, Diagnostic, Value};
use anyrig_scene::{Extras, Mesh, Part, Scene};

/// Lists keep their order, but elements that glTF does not allow are left out, and those after them move up. Extensions
/// that the scene has no word for may name elements by number, so that those with whole numbers go then.
pub(super) fn drop_stale(scene: &mut Scene, context: &Context) {
    let Some(list) = moved_list(scene) else { return };
    let mut dropped = std::collections::BTreeMap::new();
    for_each_extras(scene, |extras| {
        let Some(Value::Object(members)) = extras.remove(EXTENSIONS) else { return };
        let (stale, kept): (Vec<_>, Vec<_>) = members.into_iter().partition(|(_, value)| has_whole_number(value));
        for (name, _) in stale {
            *dropped.entry(name).or_insert(0u64) += 1;
        }
        if !kept.is_empty() {
            extras.set(EXTENSIONS, Value::Object(kept));
        }
    });
    for (name, count) in dropped {
        let message = format!("the numbers of {list} changed");
        context.push(Diagnostic::new(&codes::EXTENSION_STALE, name, message).times(count));
    }
}

/// The first list in which an element moves up.
fn moved_list(scene: &Scene) -> Option<&'static str> {
    let lists: [(&str, bool); 3] = [
        ("images", moves(scene.images.values().map(|i| i.bytes.is_none()))),
        ("meshes", moves(scene.meshes.values().map(is_hollow))),
        ("skins", moves(scene.skins.values().map(|s| s.joints.is_empty()))),
    ];
    lists.into_iter().find(|(_, moves)| *moves).map(|(name, _)| name)
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

fn for_each_extras(scene: &mut Scene, mut act: impl FnMut(&mut Extras)) {
    act(&mut scene.extras);
    for node in scene.nodes.values_mut() {
        act(&mut node.extras);
        node.instances.iter_mut().for_each(|i| act(&mut i.extras));
    }
    scene.root_sets.iter_mut().for_each(|s| act(&mut s.extras));
    for mesh in scene.meshes.values_mut() {
        act(&mut mesh.extras);
        mesh.parts.iter_mut().for_each(|p| act(&mut p.extras));
    }
    scene.skins.values_mut().for_each(|s| act(&mut s.extras));
    for material in scene.materials.values_mut() {
        act(&mut material.extras);
        material.texture_slots_mut().into_iter().flatten().for_each(|t| act(&mut t.extras));
    }
    for texture in scene.textures.values_mut() {
        act(&mut texture.extras);
        texture.sampler.iter_mut().for_each(|s| act(&mut s.extras));
    }
    scene.images.values_mut().for_each(|i| act(&mut i.extras));
    scene.cameras.values_mut().for_each(|c| act(&mut c.extras));
    scene.lights.values_mut().for_each(|l| act(&mut l.extras));
    for clip in &mut scene.clips {
        act(&mut clip.extras);
        clip.channels.iter_mut().for_each(|c| act(&mut c.extras));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Image, Material};

    fn extension(name: &str, value: impl Into<Value>) -> Value {
        let (mut inner, mut all) = (Value::Null, Value::Null);
        inner.set("thing", value);
        all.set(name, inner);
        all
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
