//! Carried data of a whole scene.

use anyrig_bytes::Value;
use anyrig_scene::{Extras, Scene, USER};

/// All extras of a scene.
pub(crate) fn of_scene(scene: &Scene) -> impl Iterator<Item = &Extras> {
    let nodes =
        scene.nodes.values().flat_map(|n| std::iter::once(&n.extras).chain(n.instances.iter().map(|i| &i.extras)));
    let sets = scene.root_sets.iter().map(|s| &s.extras).chain(scene.variants.iter().map(|v| &v.extras));
    let meshes =
        scene.meshes.values().flat_map(|m| std::iter::once(&m.extras).chain(m.parts.iter().map(|p| &p.extras)));
    let skins = scene.skins.values().map(|s| &s.extras);
    let views = scene.cameras.values().map(|c| &c.extras).chain(scene.lights.values().map(|l| &l.extras));
    let clips = scene.clips.iter().flat_map(|c| std::iter::once(&c.extras).chain(c.channels.iter().map(|c| &c.extras)));
    let elements = nodes.chain(sets).chain(meshes).chain(skins).chain(views).chain(clips).chain(scene.rig.extras());
    std::iter::once(&scene.extras).chain(elements).chain(of_materials(scene))
}

/// Those of materials, textures, samplers and images.
pub(crate) fn of_materials(scene: &Scene) -> impl Iterator<Item = &Extras> {
    let materials = scene.materials.values().flat_map(|m| {
        std::iter::once(&m.extras).chain(m.part_extras()).chain(m.texture_uses().map(|(_, used)| &used.extras))
    });
    let textures =
        scene.textures.values().flat_map(|t| std::iter::once(&t.extras).chain(t.sampler.iter().map(|s| &s.extras)));
    materials.chain(textures).chain(scene.images.values().map(|i| &i.extras))
}

/// True when a value holds a whole number, or a text that looks like a path with one: it may refer to an element.
fn may_refer(value: &Value) -> bool {
    any(value, |value| match value {
        Value::Int(_) | Value::UInt(_) => true,
        Value::String(text) => text.starts_with('/') && text.contains(|c: char| c.is_ascii_digit()),
        _ => false,
    })
}

/// The namespaces that may refer to elements. What users attach is theirs, and numbers in it are no elements.
pub(crate) fn referring(extras: &Extras) -> impl Iterator<Item = &str> {
    extras.iter().filter(|(namespace, value)| *namespace != USER && may_refer(value)).map(|(namespace, _)| namespace)
}

/// True when a value holds a number that is no count.
pub(crate) fn holds_fractions(value: &Value) -> bool {
    any(value, |value| matches!(value, Value::Float(_)))
}

/// Looks into a value with a list instead of recursion.
fn any(value: &Value, wanted: impl Fn(&Value) -> bool) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if wanted(value) {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    false
}

/// Removes what may refer to elements by number, channels with such a path too. How many namespaces and channels went;
/// bookkeeping goes without being counted.
pub(crate) fn drop_references(scene: &mut Scene) -> u64 {
    let mut count = 0;
    let mut drop_from = |extras: &mut Extras| {
        let stale: Vec<String> = referring(extras).map(str::to_owned).collect();
        count += extras.carried().filter(|(namespace, _)| stale.iter().any(|s| s == namespace)).count() as u64;
        stale.iter().for_each(|namespace| drop(extras.remove(namespace)));
    };
    scene.for_each_extras_mut(&mut drop_from);
    for clip in &mut scene.clips {
        let before = clip.channels.len();
        clip.channels.retain(|c| !matches!(c.target, anyrig_scene::Target::Other(_)));
        count += (before - clip.channels.len()) as u64;
    }
    count
}
