//! What the target cannot hold.

use super::{skeleton, target_space, tell};
use crate::codes;
use crate::options::{HandednessOption, UrhoxOptions};
use anyrig_bytes::{Diagnostic, Report, Value};
use anyrig_scene::{Capability, Feature, Scene, Semantic, Stream, Support, features};

/// What UrhoX files do with each feature; the others they hold.
pub(crate) static CAPABILITIES: &[Capability] = &[
    approximates(Feature::Polygons, "cut into triangles"),
    approximates(Feature::SecondTexCoords, "two sets are kept, further ones are left out"),
    approximates(Feature::Colors, "stored, but the stock techniques do not show them"),
    drops(Feature::SecondColors, "one set of colours per vertex"),
    drops(Feature::CustomAttributes, "the vertex has no element for them"),
    approximates(Feature::MoreThanFourInfluences, "the four largest of each vertex, scaled to the same sum"),
    approximates(Feature::DualQuaternionSkinning, "skinned linearly"),
    drops(Feature::MorphTexCoords, "morphs move positions, normals and tangents only"),
    drops(Feature::MorphColors, "morphs move positions, normals and tangents only"),
    drops(Feature::MorphRestWeights, "morphs rest at 0"),
    approximates(Feature::StepCurves, "kept where all curves of a bone are stepped, else linear keys"),
    approximates(Feature::CubicCurves, "linear keys within the error bound"),
    drops(Feature::MorphAnimation, "animations move bones only"),
    drops(Feature::OtherAnimation, "animations move bones only"),
    drops(Feature::VisibilityAnimation, "animations move bones only"),
    drops(Feature::MaterialAnimation, "animations move bones only"),
    drops(Feature::CameraAnimation, "animations move bones only"),
    drops(Feature::LightAnimation, "animations move bones only"),
    drops(Feature::NamedAnimation, "animations move bones only"),
    drops(Feature::Clearcoat, "the stock techniques have no second layer"),
    drops(Feature::Sheen, "the stock techniques have none"),
    drops(Feature::Transmission, "the stock techniques let no light through; alpha is kept"),
    drops(Feature::DiffuseTransmission, "the stock techniques let no light through"),
    drops(Feature::Volume, "surfaces are thin"),
    drops(Feature::IndexOfRefraction, "it is 1.5"),
    drops(Feature::Specular, "reflections are those of the metallic-roughness core"),
    drops(Feature::Iridescence, "the stock techniques have none"),
    drops(Feature::Anisotropy, "highlights are round"),
    drops(Feature::Dispersion, "surfaces are thin"),
    drops(Feature::MaterialVariants, "the usual materials are kept; pick another variant when reading"),
    approximates(Feature::ComponentCurves, "one linear or step curve per property, within the error bound"),
    approximates(Feature::PerKeyCurves, "one linear or step curve per property, within the error bound"),
    approximates(Feature::Extrapolation, "keys over the length of the clip, within the error bound"),
    approximates(Feature::LayeredClips, "one layer with what all of them do, within the error bound"),
    approximates(Feature::ClipStarts, "clips start at 0"),
    approximates(Feature::Pivots, "translation, rotation and scale that do the same"),
    approximates(Feature::InheritModes, "helper bones that do the same"),
    approximates(Feature::GeometricTransforms, "in the vertices or in a helper bone"),
    approximates(
        Feature::Materials,
        "the nearest stock technique; colours as they are, in the engine's gamma workflow without sRGB decoding",
    ),
    approximates(Feature::NormalMaps, "at full strength: the stock techniques have no scale"),
    approximates(Feature::MetallicRoughnessMaps, "repacked with the factors multiplied in, 8 bits a channel"),
    approximates(Feature::Images, "PNG files are kept, other kinds are decoded and written as PNG"),
    drops(Feature::AlternateImages, "the plain image of a texture is kept"),
    approximates(Feature::Instances, "nodes of their own"),
    approximates(Feature::OcclusionMaps, "kept where there is no emissive map"),
    approximates(Feature::AlphaMask, "blended: the stock physically based techniques have no alpha mask"),
    approximates(Feature::UvTransforms, "one per material"),
    approximates(Feature::OtherUvSets, "all maps use the first set"),
    approximates(Feature::Samplers, "one per image, beside it"),
    drops(Feature::Cameras, "a model has none"),
    drops(Feature::Lights, "a model has none"),
    drops(Feature::SpotLights, "a model has none"),
    drops(Feature::HiddenNodes, "meshes that are not shown are left out"),
    approximates(Feature::PlainNodes, "folded into what is below, unless they are joints or move"),
    approximates(Feature::MatrixTransforms, "bones have translation, rotation and scale; shear is left out"),
    drops(Feature::SeveralRootSets, "only the shown scene is written"),
    drops(Feature::Extras, "custom data have no place"),
];

const fn approximates(feature: Feature, how: &'static str) -> Capability {
    Capability::new(feature, Support::Approximates(how))
}

const fn drops(feature: Feature, why: &'static str) -> Capability {
    Capability::new(feature, Support::Drops(why))
}

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
pub(super) fn report(scene: &Scene, options: &UrhoxOptions) -> Report {
    let mut report = Report::default();
    let used = features(scene);
    for capability in CAPABILITIES.iter().filter(|c| ALWAYS.contains(&c.feature)) {
        let Some(count) = used.get(&capability.feature) else { continue };
        let (code, message) = match capability.support {
            Support::Holds => continue,
            Support::Approximates(how) => (&codes::APPROXIMATED, how),
            Support::Drops(why) => (&codes::NOT_HELD, why),
        };
        report.push(Diagnostic::new(code, capability.feature.to_string(), message).times(*count));
    }
    if options.handedness == HandednessOption::None && used.contains_key(&Feature::Meshes) {
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
    let resting = used.get(&Feature::MorphRestWeights).map_or(0, |n| *n as usize);
    count(&mut report, &codes::NOT_SHOWN, "meshes", "", skeleton::count_not_shown(scene));
    count(&mut report, &codes::NOT_HELD, "extras", "custom data have no place", custom_extras(scene));
    count(&mut report, &codes::MORPH_REST_WEIGHT, "morphs", "they rest at 0", resting);
    if !scene.extras.is_empty() {
        tell(&mut report, &codes::METADATA_LEFT_OUT, "file", "");
    }
    if let Some(nodes) = used.get(&Feature::PlainNodes) {
        report.push(Diagnostic::new(&codes::NODES_FOLDED, "plain nodes", "").times(*nodes));
    }
    let space = target_space(options);
    if space != scene.space {
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
