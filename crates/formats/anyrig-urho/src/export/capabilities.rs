//! What each of the engines' files can hold.

use anyrig_scene::{Capability, Feature, Support};

const fn approximates(feature: Feature, how: &'static str) -> Capability {
    Capability::new(feature, Support::Approximates(how))
}

const fn drops(feature: Feature, why: &'static str) -> Capability {
    Capability::new(feature, Support::Drops(why))
}

/// What all engines share.
const COMMON: &[Capability] = &[
    approximates(Feature::Polygons, "cut into triangles"),
    approximates(Feature::SecondTexCoords, "two sets are kept, further ones are left out"),
    approximates(Feature::Colors, "stored, but the stock techniques do not show them"),
    drops(Feature::SecondColors, "one set of colours per vertex"),
    drops(Feature::CustomAttributes, "the vertex has no element for them"),
    approximates(Feature::MoreThanFourInfluences, "the four largest of each vertex, scaled to the same sum"),
    approximates(Feature::DualQuaternionSkinning, "skinned linearly"),
    drops(Feature::MorphTexCoords, "morphs move positions, normals and tangents only"),
    drops(Feature::MorphColors, "morphs move positions, normals and tangents only"),
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
    drops(Feature::AlternateImages, "the plain image of a texture is kept"),
    approximates(Feature::Instances, "nodes of their own"),
    approximates(Feature::CubicCurves, "linear keys within the error bound"),
    approximates(Feature::Extrapolation, "keys over the length of the clip, within the error bound"),
    approximates(Feature::LayeredClips, "one layer with what all of them do, within the error bound"),
    approximates(Feature::ClipStarts, "clips start at 0"),
    approximates(Feature::Pivots, "translation, rotation and scale that do the same"),
    approximates(Feature::InheritModes, "helper bones that do the same"),
    approximates(Feature::GeometricTransforms, "in the vertices or in a helper bone"),
    approximates(Feature::Images, "PNG files are kept, other kinds are decoded and written as PNG"),
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
    drops(Feature::Springs, "files hold no simulation; bake the motion that it makes"),
    drops(Feature::Constraints, "files hold no rules; bake the motion that they make"),
    drops(Feature::ToolConstraints, "files hold no rules; bake the motion that they make"),
    drops(Feature::IkChains, "files hold no rules; bake the motion that they make"),
    drops(Feature::Extras, "custom data have no place"),
];

/// Urho3D and UrhoX: morphs without weights at rest and motion of their own, and the stock techniques.
const STOCK: &[Capability] = &[
    drops(Feature::MorphRestWeights, "morphs rest at 0"),
    drops(Feature::MorphAnimation, BONES_ONLY),
    approximates(Feature::Materials, GAMMA_WORKFLOW),
    approximates(Feature::NormalMaps, "at full strength: the stock techniques have no scale"),
    approximates(Feature::MetallicRoughnessMaps, "repacked with the factors multiplied in, 8 bits a channel"),
    approximates(Feature::OcclusionMaps, "kept where there is no emissive map"),
];

const BONES_ONLY: &str = "animations move bones only";
const GAMMA_WORKFLOW: &str =
    "the nearest stock technique; colours as they are, in the engine's gamma workflow without sRGB decoding";

/// What animations move besides bones and morphs: nothing.
const fn unmoved(why: &'static str) -> [Capability; 6] {
    [
        drops(Feature::OtherAnimation, why),
        drops(Feature::VisibilityAnimation, why),
        drops(Feature::MaterialAnimation, why),
        drops(Feature::CameraAnimation, why),
        drops(Feature::LightAnimation, why),
        drops(Feature::NamedAnimation, why),
    ]
}

/// How steps and the curves that are merged come out.
const fn steps(steps: &'static str, merged: &'static str) -> [Capability; 3] {
    [
        approximates(Feature::StepCurves, steps),
        approximates(Feature::ComponentCurves, merged),
        approximates(Feature::PerKeyCurves, merged),
    ]
}

const STEPS_KEPT: &str = "one linear or step curve per property, within the error bound";
const STEPS_AS_RAMPS: &str = "one linear curve per property, within the error bound";

/// UrhoX.
pub(crate) static URHOX: &[Capability] = &joined::<{ count(URHOX_ROWS) }>(URHOX_ROWS);
const URHOX_ROWS: &[&[Capability]] = &[
    COMMON,
    STOCK,
    &unmoved(BONES_ONLY),
    &steps("kept where all curves of a bone are stepped, else linear keys", STEPS_KEPT),
    &[approximates(Feature::AlphaMask, "blended: the stock physically based techniques have no alpha mask")],
];

/// Urho3D.
pub(crate) static URHO3D: &[Capability] = &joined::<{ count(URHO3D_ROWS) }>(URHO3D_ROWS);
const URHO3D_ROWS: &[&[Capability]] = &[
    COMMON,
    STOCK,
    &unmoved(BONES_ONLY),
    &steps("linear keys with short ramps", STEPS_AS_RAMPS),
    &[approximates(Feature::AlphaMask, "cut below 0.5 by a define of the stock shaders")],
];

/// rbfx.
pub(crate) static RBFX: &[Capability] = &joined::<{ count(RBFX_ROWS) }>(RBFX_ROWS);
const RBFX_ROWS: &[&[Capability]] = &[
    COMMON,
    &unmoved("animations move bones and morphs only"),
    &steps("kept on morphs, linear keys with short ramps on bones", STEPS_AS_RAMPS),
    &[approximates(Feature::OcclusionMaps, "repacked with the strength multiplied in, 8 bits a channel")],
];

const fn count(lists: &[&[Capability]]) -> usize {
    let (mut count, mut list) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

/// Lists one after another; `N` is [`count`] of them.
const fn joined<const N: usize>(lists: &[&[Capability]]) -> [Capability; N] {
    let mut rows = [drops(Feature::Meshes, ""); N];
    let (mut next, mut list) = (0, 0);
    while list < lists.len() {
        let mut row = 0;
        while row < lists[list].len() {
            rows[next] = lists[list][row];
            (next, row) = (next + 1, row + 1);
        }
        list += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_table_has_one_row_for_a_feature() {
        for table in [URHOX, URHO3D, RBFX] {
            let features: BTreeSet<Feature> = table.iter().map(|row| row.feature).collect();
            assert!(features.len() == table.len() && !features.contains(&Feature::Meshes));
        }
    }
}
