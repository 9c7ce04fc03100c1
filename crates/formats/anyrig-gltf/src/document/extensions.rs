//! Objects of ratified extensions beyond lights and texture transforms, each by its name in the Khronos registry.

use super::Index;
use super::TextureInfo;
use super::json::{At, FromJson, Members, Named, ToJson, members, objects};
use crate::codes;
use anyrig_bytes::{Context, Diagnostic, Result, Value};

objects! {
    /// `KHR_materials_clearcoat`.
    ClearcoatObject {
        /// 0 to 1.
        factor "clearcoatFactor": f64,
        /// Factor in R.
        texture "clearcoatTexture": TextureInfo,
        /// 0 to 1.
        roughness "clearcoatRoughnessFactor": f64,
        /// Roughness in G.
        roughness_texture "clearcoatRoughnessTexture": TextureInfo,
        /// Normals of the layer.
        normal_texture "clearcoatNormalTexture": TextureInfo,
    }

    /// `KHR_materials_sheen`.
    SheenObject {
        /// Linear RGB.
        color "sheenColorFactor": [f64; 3],
        /// sRGB.
        color_texture "sheenColorTexture": TextureInfo,
        /// 0 to 1.
        roughness "sheenRoughnessFactor": f64,
        /// Roughness in A.
        roughness_texture "sheenRoughnessTexture": TextureInfo,
    }

    /// `KHR_materials_transmission`.
    TransmissionObject {
        /// 0 to 1.
        factor "transmissionFactor": f64,
        /// Factor in R.
        texture "transmissionTexture": TextureInfo,
    }

    /// `KHR_materials_diffuse_transmission`.
    DiffuseTransmissionObject {
        /// 0 to 1.
        factor "diffuseTransmissionFactor": f64,
        /// Factor in A.
        texture "diffuseTransmissionTexture": TextureInfo,
        /// Linear RGB.
        color "diffuseTransmissionColorFactor": [f64; 3],
        /// sRGB.
        color_texture "diffuseTransmissionColorTexture": TextureInfo,
    }

    /// `KHR_materials_volume`.
    VolumeObject {
        /// In the mesh's unit.
        thickness "thicknessFactor": f64,
        /// Thickness in G.
        thickness_texture "thicknessTexture": TextureInfo,
        /// In metres; infinite without one.
        attenuation_distance "attenuationDistance": f64,
        /// Linear RGB.
        attenuation_color "attenuationColor": [f64; 3],
    }

    /// `KHR_materials_ior`.
    IorObject {
        /// 0, or from 1.
        ior "ior": f64,
    }

    /// `KHR_materials_specular`.
    SpecularObject {
        /// 0 to 1.
        factor "specularFactor": f64,
        /// Factor in A.
        texture "specularTexture": TextureInfo,
        /// Linear RGB from 0.
        color "specularColorFactor": [f64; 3],
        /// sRGB.
        color_texture "specularColorTexture": TextureInfo,
    }

    /// `KHR_materials_iridescence`.
    IridescenceObject {
        /// 0 to 1.
        factor "iridescenceFactor": f64,
        /// Factor in R.
        texture "iridescenceTexture": TextureInfo,
        /// From 1.
        ior "iridescenceIor": f64,
        /// In nanometres.
        thickness_min "iridescenceThicknessMinimum": f64,
        /// In nanometres.
        thickness_max "iridescenceThicknessMaximum": f64,
        /// Thickness in G.
        thickness_texture "iridescenceThicknessTexture": TextureInfo,
    }

    /// `KHR_materials_anisotropy`.
    AnisotropyObject {
        /// 0 to 1.
        strength "anisotropyStrength": f64,
        /// Radians, counter-clockwise from the tangent.
        rotation "anisotropyRotation": f64,
        /// Direction in R and G, strength in B.
        texture "anisotropyTexture": TextureInfo,
    }

    /// `KHR_materials_dispersion`.
    DispersionObject {
        /// 20 through the Abbe number.
        dispersion "dispersion": f64,
    }

    /// `KHR_materials_pbrSpecularGlossiness` (archived).
    SpecularGlossinessObject {
        /// Linear RGBA.
        diffuse "diffuseFactor": [f64; 4],
        /// sRGB.
        diffuse_texture "diffuseTexture": TextureInfo,
        /// Linear RGB.
        specular "specularFactor": [f64; 3],
        /// 0 to 1.
        glossiness "glossinessFactor": f64,
        /// Specular in RGB (sRGB), glossiness in A.
        texture "specularGlossinessTexture": TextureInfo,
    }

    /// Root part of `KHR_materials_variants`.
    VariantsExtension {
        /// All variants.
        variants "variants": Vec<VariantObject>,
    }

    /// A variant.
    VariantObject {
        /// Name.
        name "name": String,
    }

    /// Primitive part of `KHR_materials_variants`.
    VariantMappings {
        /// Which material in which variants.
        mappings "mappings": Vec<VariantMapping>,
    }

    /// A material in some variants.
    VariantMapping {
        /// Name.
        name "name": String,
        /// Material.
        material "material": Index,
        /// Variants.
        variants "variants": Vec<Index>,
    }

    /// `EXT_mesh_gpu_instancing`.
    InstancingObject {
        /// Accessor of each attribute: `TRANSLATION`, `ROTATION`, `SCALE`, and others with a leading underscore.
        attributes "attributes": Named<Index>,
    }
}
