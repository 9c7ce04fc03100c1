//! What a target states to hold of a scene.

use anyrig_bytes::{Context, Result};
use anyrig_scene::{
    Feature, FormatInfo, Part, Property, Scene, SkinMethod, Space, Support, Target, Topology, features,
};

/// Most influences of a point in formats that do not hold more than four.
const FEW_INFLUENCES: u32 = 4;

/// The scene in the space of the written numbers, in triangles, without what the capability table drops, and with what
/// it approximates in a way that is the same for everyone.
pub(super) fn expected(exported: &Scene, info: &FormatInfo, space: Space, context: &Context) -> Result<Scene> {
    let mut scene = exported.clone();
    let used = features(exported);
    let given_up = |feature| used.contains_key(&feature) && info.support(feature) != Support::Holds;
    let dropped = |feature| used.contains_key(&feature) && matches!(info.support(feature), Support::Drops(_));
    let quiet = context.apart();
    anyrig_passes::to_space(&mut scene, space, &quiet)?;
    if given_up(Feature::Polygons) {
        anyrig_passes::triangulate(&mut scene, &quiet)?;
    }
    if given_up(Feature::MoreThanFourInfluences) {
        for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
            anyrig_passes::limit_influences(part, FEW_INFLUENCES);
        }
    }
    if given_up(Feature::DualQuaternionSkinning) {
        scene.skins.values_mut().for_each(|skin| skin.method = SkinMethod::Linear);
    }
    if given_up(Feature::MorphRestWeights) || dropped(Feature::Morphs) {
        rest_at_zero(&mut scene);
    }
    let lost = |part: &Part| match part.topology {
        Topology::Points => dropped(Feature::Points),
        Topology::Lines => dropped(Feature::Lines),
        Topology::Triangles | Topology::Polygons { .. } => false,
    };
    scene.meshes.values_mut().for_each(|mesh| mesh.parts.retain(|part| !lost(part)));
    let still_moves = |target: &Target| match target {
        Target::Node { property: Property::MorphWeights, .. } | Target::Morph { .. } => {
            !dropped(Feature::MorphAnimation)
        }
        Target::Visibility { .. } => !dropped(Feature::VisibilityAnimation),
        _ => true,
    };
    scene.clips.iter_mut().for_each(|clip| clip.channels.retain(|channel| still_moves(&channel.target)));
    Ok(scene)
}

fn rest_at_zero(scene: &mut Scene) {
    scene.nodes.values_mut().filter_map(|n| n.mesh.as_mut()).for_each(|instance| instance.morph_weights.clear());
    scene.meshes.values_mut().flat_map(|m| &mut m.morphs).for_each(|morph| morph.default_weight = 0.0);
}
