//! What a scene uses, for capability tables.

use crate::{
    AlphaMode, InheritMode, Interpolation, Layout, LightKind, LocalTransform, Part, Property, Scene, Semantic,
    SkinMethod, Target, Topology,
};
use std::collections::BTreeMap;
use std::fmt;

/// One list for the names and for all of them, so that none is forgotten.
macro_rules! features {
    ($($name:ident,)*) => {
        /// Something that a scene may use and a format may be unable to hold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        #[non_exhaustive]
        pub enum Feature {
            $($name,)*
        }

        impl Feature {
            /// All features.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];
        }
    };
}

features! {
    Meshes,
    Points,
    Lines,
    Polygons,
    TexCoords,
    SecondTexCoords,
    Colors,
    SecondColors,
    CustomAttributes,
    Skins,
    MoreThanFourInfluences,
    DualQuaternionSkinning,
    Morphs,
    MorphTexCoords,
    MorphColors,
    MorphRestWeights,
    Clips,
    StepCurves,
    LinearCurves,
    CubicCurves,
    MorphAnimation,
    OtherAnimation,
    ComponentCurves,
    PerKeyCurves,
    Extrapolation,
    LayeredClips,
    ClipStarts,
    ClipLengths,
    VisibilityAnimation,
    NamedAnimation,
    MaterialAnimation,
    CameraAnimation,
    LightAnimation,
    Springs,
    Constraints,
    ToolConstraints,
    IkChains,
    Materials,
    NormalMaps,
    OcclusionMaps,
    EmissiveMaps,
    MetallicRoughnessMaps,
    AlphaMask,
    AlphaBlend,
    DoubleSided,
    Unlit,
    Clearcoat,
    Sheen,
    Transmission,
    DiffuseTransmission,
    Volume,
    IndexOfRefraction,
    Specular,
    Iridescence,
    Anisotropy,
    Dispersion,
    MaterialVariants,
    UvTransforms,
    OtherUvSets,
    Samplers,
    Images,
    AlternateImages,
    Cameras,
    Lights,
    SpotLights,
    HiddenNodes,
    Instances,
    PlainNodes,
    MatrixTransforms,
    Pivots,
    InheritModes,
    GeometricTransforms,
    SeveralRootSets,
    Extras,
}

/// Kebab words, as in `second-tex-coords`.
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{self:?}");
        for (i, c) in name.chars().enumerate() {
            if i > 0 && c.is_uppercase() {
                f.write_str("-")?;
            }
            write!(f, "{}", c.to_lowercase())?;
        }
        Ok(())
    }
}

/// How often a scene uses each feature; unused ones are missing.
pub fn features(scene: &Scene) -> BTreeMap<Feature, u64> {
    let mut uses = Uses::default();
    uses.add(Feature::Meshes, scene.meshes.len());
    for mesh in scene.meshes.values() {
        uses.add(Feature::Morphs, mesh.morphs.len());
        mesh.parts.iter().for_each(|part| count_part(&mut uses, part));
    }
    count_skins(&mut uses, scene);
    scene.clips.iter().for_each(|clip| count_clip(&mut uses, clip));
    count_rig(&mut uses, &scene.rig);
    count_materials(&mut uses, scene);
    count_nodes(&mut uses, scene);
    count_extras(&mut uses, scene);
    uses.0
}

#[derive(Default)]
struct Uses(BTreeMap<Feature, u64>);

impl Uses {
    fn add(&mut self, feature: Feature, count: usize) {
        if count > 0 {
            *self.0.entry(feature).or_default() += count as u64;
        }
    }

    fn add_if(&mut self, feature: Feature, used: bool) {
        self.add(feature, usize::from(used));
    }
}

fn count_part(uses: &mut Uses, part: &Part) {
    match part.topology {
        Topology::Points => uses.add(Feature::Points, 1),
        Topology::Lines => uses.add(Feature::Lines, 1),
        Topology::Triangles => {}
        Topology::Polygons { .. } => uses.add(Feature::Polygons, 1),
    }
    for stream in &part.streams {
        match &stream.semantic {
            Semantic::Position | Semantic::Normal | Semantic::Tangent => {}
            Semantic::TexCoord(0) => uses.add(Feature::TexCoords, 1),
            Semantic::TexCoord(_) => uses.add(Feature::SecondTexCoords, 1),
            Semantic::Color(0) => uses.add(Feature::Colors, 1),
            Semantic::Color(_) => uses.add(Feature::SecondColors, 1),
            Semantic::Custom(_) => uses.add(Feature::CustomAttributes, 1),
        }
    }
    for delta in part.morphs.iter().flat_map(|m| &m.deltas) {
        match delta.semantic {
            Semantic::TexCoord(_) => uses.add(Feature::MorphTexCoords, 1),
            Semantic::Color(_) => uses.add(Feature::MorphColors, 1),
            _ => {}
        }
    }
    let many =
        part.influences.as_ref().is_some_and(|i| !matches!(i.layout, Layout::Fixed(0..=4)) && i.max_per_point() > 4);
    uses.add_if(Feature::MoreThanFourInfluences, many);
}

fn count_skins(uses: &mut Uses, scene: &Scene) {
    uses.add(Feature::Skins, scene.skins.len());
    let dual = scene.skins.values().filter(|s| s.method == SkinMethod::DualQuaternion).count();
    uses.add(Feature::DualQuaternionSkinning, dual);
}

fn count_clip(uses: &mut Uses, clip: &crate::Clip) {
    uses.add(Feature::Clips, 1);
    uses.add_if(Feature::LayeredClips, clip.layers.len() > 1);
    uses.add_if(Feature::ClipStarts, clip.start_secs != 0.0);
    uses.add_if(Feature::ClipLengths, has_own_length(clip));
    for channel in &clip.channels {
        uses.add(
            match channel.curve.interpolation {
                Interpolation::Step => Feature::StepCurves,
                Interpolation::Linear => Feature::LinearCurves,
                Interpolation::CubicHermite => Feature::CubicCurves,
                Interpolation::PerKey => Feature::PerKeyCurves,
            },
            1,
        );
        uses.add_if(Feature::Extrapolation, !channel.curve.holds_outside());
        match channel.target {
            Target::Node { property: Property::MorphWeights, .. } => uses.add(Feature::MorphAnimation, 1),
            Target::Node { .. } => {}
            Target::Component { .. } => uses.add(Feature::ComponentCurves, 1),
            Target::Morph { .. } => {
                uses.add(Feature::MorphAnimation, 1);
                uses.add(Feature::ComponentCurves, 1);
            }
            Target::Visibility { .. } => uses.add(Feature::VisibilityAnimation, 1),
            Target::Material { .. } => uses.add(Feature::MaterialAnimation, 1),
            Target::Camera { .. } => uses.add(Feature::CameraAnimation, 1),
            Target::Light { .. } => uses.add(Feature::LightAnimation, 1),
            Target::Named { .. } => uses.add(Feature::NamedAnimation, 1),
            Target::Other(_) => uses.add(Feature::OtherAnimation, 1),
        }
    }
}

fn count_rig(uses: &mut Uses, rig: &crate::Rig) {
    let colliders = usize::from(!rig.colliders.is_empty() || !rig.collider_groups.is_empty());
    uses.add(Feature::Springs, rig.springs.len().max(colliders));
    let of_vrm = rig.constraints.iter().filter(|c| c.kind.is_of_vrm()).count();
    uses.add(Feature::Constraints, of_vrm);
    uses.add(Feature::ToolConstraints, rig.constraints.len() - of_vrm);
    uses.add(Feature::IkChains, rig.ik_chains.len());
}

/// Whether a clip ends at another time than its last key.
fn has_own_length(clip: &crate::Clip) -> bool {
    let last = clip.channels.iter().filter_map(|c| c.curve.times_secs.last()).fold(clip.start_secs, |a, b| a.max(*b));
    // Files keep times as f32.
    (clip.end_secs() - last).abs() > 1e-6 * last.abs().max(1.0)
}

fn count_materials(uses: &mut Uses, scene: &Scene) {
    uses.add(Feature::Materials, scene.materials.len());
    uses.add(Feature::MaterialVariants, scene.variants.len());
    uses.add(Feature::Images, scene.images.len());
    uses.add(Feature::AlternateImages, scene.textures.values().filter(|t| !t.alternates.is_empty()).count());
    uses.add(Feature::Samplers, scene.textures.values().filter(|t| t.sampler.is_some()).count());
    for m in scene.materials.values() {
        uses.add_if(Feature::NormalMaps, m.normal_texture.is_some());
        uses.add_if(Feature::OcclusionMaps, m.occlusion_texture.is_some());
        uses.add_if(Feature::EmissiveMaps, m.emissive_texture.is_some());
        uses.add_if(Feature::MetallicRoughnessMaps, m.metallic_roughness_texture.is_some());
        uses.add_if(Feature::AlphaMask, matches!(m.alpha_mode, AlphaMode::Mask { .. }));
        uses.add_if(Feature::AlphaBlend, m.alpha_mode == AlphaMode::Blend);
        uses.add_if(Feature::DoubleSided, m.double_sided);
        uses.add_if(Feature::Unlit, m.unlit);
        uses.add_if(Feature::Clearcoat, m.clearcoat.is_some());
        uses.add_if(Feature::Sheen, m.sheen.is_some());
        uses.add_if(Feature::Transmission, m.transmission.is_some());
        uses.add_if(Feature::DiffuseTransmission, m.diffuse_transmission.is_some());
        uses.add_if(Feature::Volume, m.volume.is_some());
        uses.add_if(Feature::IndexOfRefraction, m.ior.is_some());
        uses.add_if(Feature::Specular, m.specular.is_some());
        uses.add_if(Feature::Iridescence, m.iridescence.is_some());
        uses.add_if(Feature::Anisotropy, m.anisotropy.is_some());
        uses.add_if(Feature::Dispersion, m.dispersion.is_some());
        uses.add(Feature::UvTransforms, m.texture_uses().filter(|(_, t)| t.transform.is_some()).count());
        uses.add(Feature::OtherUvSets, m.texture_uses().filter(|(_, t)| t.uv_set != 0).count());
    }
}

fn count_nodes(uses: &mut Uses, scene: &Scene) {
    let joints: std::collections::BTreeSet<_> = scene.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
    for (id, node) in scene.nodes.iter() {
        uses.add_if(Feature::HiddenNodes, !node.visible);
        uses.add(Feature::MorphRestWeights, resting_weights(scene, node));
        uses.add_if(Feature::Instances, node.instances.is_some());
        uses.add_if(Feature::MatrixTransforms, matches!(node.local, LocalTransform::Matrix(_)));
        uses.add_if(Feature::Pivots, node.pivots.is_some());
        uses.add_if(Feature::InheritModes, node.inherit != InheritMode::Full);
        uses.add_if(Feature::GeometricTransforms, node.geometric.is_some());
        let shows = node.mesh.is_some() || node.camera.is_some() || node.light.is_some();
        uses.add_if(Feature::PlainNodes, !shows && !joints.contains(&id));
    }
    uses.add(Feature::Cameras, scene.cameras.len());
    uses.add(Feature::Lights, scene.lights.len());
    let spots = scene.lights.values().filter(|l| matches!(l.kind, LightKind::Spot { .. })).count();
    uses.add(Feature::SpotLights, spots);
    uses.add_if(Feature::SeveralRootSets, scene.root_sets.len() > 1);
}

/// Number of morph targets that a node shows although nothing moves them.
fn resting_weights(scene: &Scene, node: &crate::Node) -> usize {
    let Some(instance) = &node.mesh else { return 0 };
    let defaults = scene.meshes.get(instance.mesh).into_iter().flat_map(|m| &m.morphs).map(|m| m.default_weight);
    if instance.morph_weights.is_empty() {
        return defaults.filter(|w| *w != 0.0).count();
    }
    instance.morph_weights.iter().filter(|w| **w != 0.0).count()
}

fn count_extras(uses: &mut Uses, scene: &Scene) {
    let count = |extras: &crate::Extras| usize::from(extras.carried().next().is_some());
    let mut all = count(&scene.extras);
    all += scene.nodes.values().map(|n| count(&n.extras)).sum::<usize>();
    all += scene.nodes.values().filter_map(|n| n.instances.as_ref()).map(|i| count(&i.extras)).sum::<usize>();
    all += scene.meshes.values().map(|m| count(&m.extras)).sum::<usize>();
    all += scene.meshes.values().flat_map(|m| &m.parts).map(|p| count(&p.extras)).sum::<usize>();
    all += scene.skins.values().map(|s| count(&s.extras)).sum::<usize>();
    all += scene.materials.values().map(|m| count(&m.extras)).sum::<usize>();
    all += scene.materials.values().flat_map(|m| m.part_extras()).map(count).sum::<usize>();
    all += scene.variants.iter().map(|v| count(&v.extras)).sum::<usize>();
    all += scene.textures.values().map(|t| count(&t.extras)).sum::<usize>();
    all += scene.images.values().map(|i| count(&i.extras)).sum::<usize>();
    all += scene.cameras.values().map(|c| count(&c.extras)).sum::<usize>();
    all += scene.lights.values().map(|l| count(&l.extras)).sum::<usize>();
    all += scene.clips.iter().map(|c| count(&c.extras)).sum::<usize>();
    all += scene.rig.extras().map(count).sum::<usize>();
    uses.add(Feature::Extras, all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Material, Mesh, Stream};

    #[test]
    fn names_are_kebab_words_and_unique() {
        assert_eq!(Feature::SecondTexCoords.to_string(), "second-tex-coords");
        let names: std::collections::BTreeSet<_> = Feature::ALL.iter().map(Feature::to_string).collect();
        assert_eq!(names.len(), Feature::ALL.len());
    }

    #[test]
    fn finds_what_is_used() {
        let mut scene = Scene::default();
        let mut part = Part { topology: Topology::Lines, ..Part::default() };
        part.set_stream(Stream::new(Semantic::TexCoord(1), 2, vec![]));
        scene.meshes.push(Mesh { parts: vec![part], ..Mesh::default() });
        scene.materials.push(Material { unlit: true, ..Material::default() });
        let found: Vec<_> = features(&scene).into_keys().collect();
        assert_eq!(
            found,
            [Feature::Meshes, Feature::Lines, Feature::SecondTexCoords, Feature::Materials, Feature::Unlit]
        );
    }
}
