//! What the target cannot hold.

use super::{Target, skeleton, tell};
use crate::codes;
use crate::dialect::MaterialStyle;
use crate::document::ModelLayout;
use crate::options::HandednessOption;
use anyrig_bytes::{Diagnostic, Report, Value};
use anyrig_scene::{Feature, Scene, Semantic, Stream, Support, features};

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
    count(&mut report, &codes::NOT_SHOWN, "meshes", "", skeleton::count_not_shown(scene));
    count(&mut report, &codes::NOT_HELD, "extras", "custom data have no place", custom_extras(scene));
    if target.dialect.model_layout().0 != ModelLayout::Umd3 {
        let resting = used.get(&Feature::MorphRestWeights).map_or(0, |n| *n as usize);
        count(&mut report, &codes::MORPH_REST_WEIGHT, "morphs", "they rest at 0", resting);
    }
    if !scene.extras.is_empty() {
        tell(&mut report, &codes::METADATA_LEFT_OUT, "file", "");
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

/// Elements with data of a user's own, in any namespace but this crate's.
fn custom_extras(scene: &Scene) -> usize {
    let own = crate::import::EXTRAS;
    let custom = |extras: &anyrig_scene::Extras| {
        usize::from(extras.iter().any(|(namespace, value)| namespace != own && *value != Value::Null))
    };
    let mut count: usize = scene.nodes.values().map(|n| custom(&n.extras)).sum();
    count += scene.meshes.values().map(|m| custom(&m.extras)).sum::<usize>();
    count += scene.meshes.values().flat_map(|m| &m.parts).map(|p| custom(&p.extras)).sum::<usize>();
    count += scene.skins.values().map(|s| custom(&s.extras)).sum::<usize>();
    count += scene.materials.values().map(|m| custom(&m.extras)).sum::<usize>();
    count += scene.textures.values().map(|t| custom(&t.extras)).sum::<usize>();
    count += scene.images.values().map(|i| custom(&i.extras)).sum::<usize>();
    count + scene.clips.iter().map(|c| custom(&c.extras)).sum::<usize>()
}
