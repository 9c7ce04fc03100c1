//! What each of the engines' files can hold.

use anyrig_scene::{Capability, Feature, Support};

const fn approximates(feature: Feature, how: &'static str) -> Capability {
    Capability::new(feature, Support::Approximates(how))
}

const fn drops(feature: Feature, why: &'static str) -> Capability {
    Capability::new(feature, Support::Drops(why))
}

/// A table of its own rows and of those that all engines share.
macro_rules! table {
    ($($own:expr,)*) => {
        &[
            $($own,)*
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
            drops(Feature::Extras, "custom data have no place"),
        ]
    };
}

const BONES_ONLY: &str = "animations move bones only";
const STEPS_KEPT: &str = "one linear or step curve per property, within the error bound";
const STEPS_AS_RAMPS: &str = "one linear curve per property, within the error bound";
const GAMMA_WORKFLOW: &str =
    "the nearest stock technique; colours as they are, in the engine's gamma workflow without sRGB decoding";
const REPACKED: &str = "repacked with the factors multiplied in, 8 bits a channel";

/// UrhoX.
pub(crate) static URHOX: &[Capability] = table![
    drops(Feature::MorphRestWeights, "morphs rest at 0"),
    approximates(Feature::StepCurves, "kept where all curves of a bone are stepped, else linear keys"),
    approximates(Feature::ComponentCurves, STEPS_KEPT),
    approximates(Feature::PerKeyCurves, STEPS_KEPT),
    drops(Feature::MorphAnimation, BONES_ONLY),
    drops(Feature::OtherAnimation, BONES_ONLY),
    drops(Feature::VisibilityAnimation, BONES_ONLY),
    drops(Feature::MaterialAnimation, BONES_ONLY),
    drops(Feature::CameraAnimation, BONES_ONLY),
    drops(Feature::LightAnimation, BONES_ONLY),
    drops(Feature::NamedAnimation, BONES_ONLY),
    approximates(Feature::Materials, GAMMA_WORKFLOW),
    approximates(Feature::NormalMaps, "at full strength: the stock techniques have no scale"),
    approximates(Feature::MetallicRoughnessMaps, REPACKED),
    approximates(Feature::OcclusionMaps, "kept where there is no emissive map"),
    approximates(Feature::AlphaMask, "blended: the stock physically based techniques have no alpha mask"),
];

/// Urho3D.
pub(crate) static URHO3D: &[Capability] = table![
    drops(Feature::MorphRestWeights, "morphs rest at 0"),
    approximates(Feature::StepCurves, "linear keys with short ramps"),
    approximates(Feature::ComponentCurves, STEPS_AS_RAMPS),
    approximates(Feature::PerKeyCurves, STEPS_AS_RAMPS),
    drops(Feature::MorphAnimation, BONES_ONLY),
    drops(Feature::OtherAnimation, BONES_ONLY),
    drops(Feature::VisibilityAnimation, BONES_ONLY),
    drops(Feature::MaterialAnimation, BONES_ONLY),
    drops(Feature::CameraAnimation, BONES_ONLY),
    drops(Feature::LightAnimation, BONES_ONLY),
    drops(Feature::NamedAnimation, BONES_ONLY),
    approximates(Feature::Materials, GAMMA_WORKFLOW),
    approximates(Feature::NormalMaps, "at full strength: the stock techniques have no scale"),
    approximates(Feature::MetallicRoughnessMaps, REPACKED),
    approximates(Feature::OcclusionMaps, "kept where there is no emissive map"),
    approximates(Feature::AlphaMask, "cut below 0.5 by a define of the stock shaders"),
];

const NO_PATHS: &str = "animations move bones and morphs only";

/// rbfx.
pub(crate) static RBFX: &[Capability] = table![
    approximates(Feature::StepCurves, "kept on morphs, linear keys with short ramps on bones"),
    approximates(Feature::ComponentCurves, STEPS_AS_RAMPS),
    approximates(Feature::PerKeyCurves, STEPS_AS_RAMPS),
    drops(Feature::OtherAnimation, NO_PATHS),
    drops(Feature::VisibilityAnimation, NO_PATHS),
    drops(Feature::MaterialAnimation, NO_PATHS),
    drops(Feature::CameraAnimation, NO_PATHS),
    drops(Feature::LightAnimation, NO_PATHS),
    drops(Feature::NamedAnimation, NO_PATHS),
    approximates(Feature::OcclusionMaps, "repacked with the strength multiplied in, 8 bits a channel"),
];
