//! What the target cannot hold.

use super::{Target, skeleton, tell};
use crate::codes;
use crate::dialect::MaterialStyle;
use crate::document::ModelLayout;
use crate::options::HandednessOption;
use anyrig_bytes::{Diagnostic, Report, Value};
use anyrig_scene::{Feature, NodeId, Scene, Semantic, Stream, Support, features};
use std::collections::BTreeSet;

/// Features whose loss is told whenever they are used. What depends on their values is told where it happens.
const ALWAYS: [Feature; 37] = [
    Feature::Polygons,
    Feature::SecondColors,
    Feature::CustomAttributes,
    Feature::DualQuaternionSkinning,
    Feature::MorphTexCoords,
    Feature::MorphColors,
    Feature::MorphAnimation,
    Feature::OtherAnimation,
    Feature::VisibilityAnimation,
    Feature::MaterialAnimation,
    Feature::CameraAnimation,
    Feature::LightAnimation,
    Feature::NamedAnimation,
    Feature::Clearcoat,
    Feature::Sheen,
    Feature::Transmission,
    Feature::DiffuseTransmission,
    Feature::Volume,
    Feature::IndexOfRefraction,
    Feature::Specular,
    Feature::Iridescence,
    Feature::Anisotropy,
    Feature::Dispersion,
    Feature::MaterialVariants,
    Feature::AlternateImages,
    Feature::Instances,
    Feature::ComponentCurves,
    Feature::PerKeyCurves,
    Feature::Extrapolation,
    Feature::LayeredClips,
    Feature::ClipStarts,
    Feature::Pivots,
    Feature::InheritModes,
    Feature::GeometricTransforms,
    Feature::AlphaMask,
    Feature::Cameras,
    Feature::Lights,
];

/// The lines that hold whatever happens on the way.
pub(super) fn report(scene: &Scene, target: &Target) -> Report {
    let mut report = Report::default();
    let used = features(scene);
    for feature in ALWAYS {
        let Some(count) = used.get(&feature) else { continue };
        // Most masks are cut where the stock shaders cut; those that are not are told with the material.
        if feature == Feature::AlphaMask && target.dialect.materials() == MaterialStyle::StockWithMask {
            continue;
        }
        let (code, message) = match target.dialect.info().support(feature) {
            Support::Holds => continue,
            Support::Approximates(how) => (&codes::APPROXIMATED, how),
            Support::Drops(why) => (&codes::NOT_HELD, why),
        };
        report.push(Diagnostic::new(code, feature.to_string(), message).times(*count));
    }
    if target.handedness() == HandednessOption::None && used.contains_key(&Feature::Meshes) {
        let message = "in a left-handed engine the model shows as its mirror image; handedness=reflect-x avoids it";
        tell(&mut report, &codes::REFLECTED, "model", message);
    }
    let count = |report: &mut Report, code, subject: &str, message: &str, count: usize| {
        if count > 0 {
            report.push(Diagnostic::new(code, subject, message).times(count as u64));
        }
    };
    let colored = colored_parts(scene);
    count(&mut report, &codes::COLORS_NOT_SHOWN, "vertex colours", "parts that are not all white", colored);
    let further = "two sets of texture coordinates are kept";
    count(&mut report, &codes::NOT_HELD, "further-tex-coords", further, further_tex_coords(scene));
    let hidden = skeleton::not_shown(scene);
    count(&mut report, &codes::NOT_SHOWN, "meshes", &listed(hidden.iter().map(|id| name_of(scene, *id))), hidden.len());
    let (carriers, kinds) = custom_extras(scene);
    let custom = format!("custom data have no place: {}", listed(kinds.iter().map(String::as_str)));
    count(&mut report, &codes::NOT_HELD, "extras", &custom, carriers);
    if target.dialect.model_layout().0 != ModelLayout::Umd3 {
        let resting = used.get(&Feature::MorphRestWeights).map_or(0, |n| *n as usize);
        count(&mut report, &codes::MORPH_REST_WEIGHT, "morphs", "they rest at 0", resting);
    }
    let metadata: Vec<&str> = scene.extras.carried().map(|(namespace, _)| namespace).collect();
    if !metadata.is_empty() {
        tell(&mut report, &codes::METADATA_LEFT_OUT, "file", listed(metadata.iter().copied()));
    }
    if let Some(nodes) = used.get(&Feature::PlainNodes) {
        report.push(Diagnostic::new(&codes::NODES_FOLDED, "plain nodes", "").times(*nodes));
    }
    if target.space() != scene.space {
        count(&mut report, &codes::COLLISION_DROPPED, "bones", "", collisions(scene));
    }
    report
}

fn further_tex_coords(scene: &Scene) -> usize {
    let parts = scene.meshes.values().flat_map(|m| &m.parts);
    parts.flat_map(|p| &p.streams).filter(|s| matches!(s.semantic, Semantic::TexCoord(2..))).count()
}

/// Parts whose first colours will not all be written as white.
fn colored_parts(scene: &Scene) -> usize {
    let parts = scene.meshes.values().flat_map(|m| &m.parts).filter_map(|p| p.stream(&Semantic::Color(0)));
    let white = |stream: &Stream| {
        let whites = |values: &[f32]| values.iter().all(|v| *v >= 1.0);
        stream.arrays::<4>().is_none_or(|v| whites(v.as_flattened()))
            && stream.arrays::<3>().is_none_or(|v| whites(v.as_flattened()))
    };
    parts.filter(|stream| !white(stream)).count()
}

fn collisions(scene: &Scene) -> usize {
    let extras = scene.nodes.values().filter_map(|n| n.extras.get(crate::import::EXTRAS));
    extras.filter(|e| e.get("collision_mask").is_some()).count()
}

/// What a node that shows a mesh is known by.
fn name_of(scene: &Scene, id: NodeId) -> &str {
    let node = &scene.nodes[id];
    let mesh = node.mesh.as_ref().and_then(|m| scene.meshes.get(m.mesh)).map_or("", |m| m.name.as_str());
    if node.name.is_empty() { mesh } else { &node.name }
}

/// The first few names, and how many more there are.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 5;
    let names: Vec<&str> = names.collect();
    let first: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// How many elements have data of a user's own, in any namespace but this crate's, and what these data are
/// called. Bookkeeping is nobody's loss.
fn custom_extras(scene: &Scene) -> (usize, BTreeSet<String>) {
    let nodes = scene.nodes.values().map(|n| &n.extras);
    let meshes = scene.meshes.values().flat_map(|m| m.parts.iter().map(|p| &p.extras).chain([&m.extras]));
    let skins = scene.skins.values().map(|s| &s.extras);
    let materials = scene.materials.values().map(|m| &m.extras);
    let textures = scene.textures.values().map(|t| &t.extras);
    let images = scene.images.values().map(|i| &i.extras);
    let clips = scene.clips.iter().map(|c| &c.extras);
    let (mut carriers, mut kinds) = (0, BTreeSet::new());
    for extras in nodes.chain(meshes).chain(skins).chain(materials).chain(textures).chain(images).chain(clips) {
        let own = crate::import::EXTRAS;
        let mut custom =
            extras.carried().filter(|(namespace, value)| *namespace != own && **value != Value::Null).peekable();
        carriers += usize::from(custom.peek().is_some());
        custom.for_each(|(namespace, value)| kinds.extend(words(namespace, value)));
    }
    (carriers, kinds)
}

/// A namespace, with the names of what is in it: extensions, and properties of a user's own.
fn words(namespace: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().map(|(name, _)| format!("{namespace}.{name}")).collect()
        }
        _ => vec![namespace.to_owned()],
    }
}
