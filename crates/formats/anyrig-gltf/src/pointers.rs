//! JSON pointers of `KHR_animation_pointer` and what they lead to (glTF 2.0 asset object model).

use crate::document::Index;
use anyrig_scene::{CameraProperty, LightProperty, MaterialProperty, Property, TextureSlot};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Where a pointer leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pointed {
    Node(Index, Property),
    /// One weight of a node.
    NodeWeight(Index, u32),
    Visibility(Index),
    /// The default weights of a mesh.
    MeshWeights(Index),
    MeshWeight(Index, u32),
    Material(Index, MaterialProperty),
    Camera(Index, CameraProperty),
    Light(Index, LightProperty),
}

const VISIBLE: &str = "extensions/KHR_node_visibility/visible";
const LIGHTS: &str = "/extensions/KHR_lights_punctual/lights/";
const TRANSFORM: &str = "extensions/KHR_texture_transform";

/// Properties of materials by their paths: a file may have many channels.
static MATERIAL_PATHS: LazyLock<BTreeMap<String, MaterialProperty>> =
    LazyLock::new(|| MaterialProperty::all().into_iter().map(|p| (material_path(p), p)).collect());

/// Paths of textures in a material.
fn slot_path(slot: TextureSlot) -> &'static str {
    match slot {
        TextureSlot::BaseColor => "pbrMetallicRoughness/baseColorTexture",
        TextureSlot::MetallicRoughness => "pbrMetallicRoughness/metallicRoughnessTexture",
        TextureSlot::Normal => "normalTexture",
        TextureSlot::Occlusion => "occlusionTexture",
        TextureSlot::Emissive => "emissiveTexture",
        TextureSlot::Clearcoat => "extensions/KHR_materials_clearcoat/clearcoatTexture",
        TextureSlot::ClearcoatRoughness => "extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture",
        TextureSlot::ClearcoatNormal => "extensions/KHR_materials_clearcoat/clearcoatNormalTexture",
        TextureSlot::SheenColor => "extensions/KHR_materials_sheen/sheenColorTexture",
        TextureSlot::SheenRoughness => "extensions/KHR_materials_sheen/sheenRoughnessTexture",
        TextureSlot::Transmission => "extensions/KHR_materials_transmission/transmissionTexture",
        TextureSlot::DiffuseTransmission => "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionTexture",
        TextureSlot::DiffuseTransmissionColor => {
            "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorTexture"
        }
        TextureSlot::Thickness => "extensions/KHR_materials_volume/thicknessTexture",
        TextureSlot::Specular => "extensions/KHR_materials_specular/specularTexture",
        TextureSlot::SpecularColor => "extensions/KHR_materials_specular/specularColorTexture",
        TextureSlot::Iridescence => "extensions/KHR_materials_iridescence/iridescenceTexture",
        TextureSlot::IridescenceThickness => "extensions/KHR_materials_iridescence/iridescenceThicknessTexture",
        TextureSlot::Anisotropy => "extensions/KHR_materials_anisotropy/anisotropyTexture",
    }
}

/// Path of a property in a material.
fn material_path(property: MaterialProperty) -> String {
    let factor = match property {
        MaterialProperty::BaseColor => "pbrMetallicRoughness/baseColorFactor",
        MaterialProperty::Metallic => "pbrMetallicRoughness/metallicFactor",
        MaterialProperty::Roughness => "pbrMetallicRoughness/roughnessFactor",
        MaterialProperty::NormalScale => "normalTexture/scale",
        MaterialProperty::OcclusionStrength => "occlusionTexture/strength",
        MaterialProperty::Emissive => "emissiveFactor",
        MaterialProperty::EmissiveStrength => "extensions/KHR_materials_emissive_strength/emissiveStrength",
        MaterialProperty::AlphaCutoff => "alphaCutoff",
        MaterialProperty::Clearcoat => "extensions/KHR_materials_clearcoat/clearcoatFactor",
        MaterialProperty::ClearcoatRoughness => "extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor",
        MaterialProperty::ClearcoatNormalScale => "extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale",
        MaterialProperty::SheenColor => "extensions/KHR_materials_sheen/sheenColorFactor",
        MaterialProperty::SheenRoughness => "extensions/KHR_materials_sheen/sheenRoughnessFactor",
        MaterialProperty::Transmission => "extensions/KHR_materials_transmission/transmissionFactor",
        MaterialProperty::DiffuseTransmission => {
            "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionFactor"
        }
        MaterialProperty::DiffuseTransmissionColor => {
            "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorFactor"
        }
        MaterialProperty::Thickness => "extensions/KHR_materials_volume/thicknessFactor",
        MaterialProperty::AttenuationDistance => "extensions/KHR_materials_volume/attenuationDistance",
        MaterialProperty::AttenuationColor => "extensions/KHR_materials_volume/attenuationColor",
        MaterialProperty::Ior => "extensions/KHR_materials_ior/ior",
        MaterialProperty::Specular => "extensions/KHR_materials_specular/specularFactor",
        MaterialProperty::SpecularColor => "extensions/KHR_materials_specular/specularColorFactor",
        MaterialProperty::Iridescence => "extensions/KHR_materials_iridescence/iridescenceFactor",
        MaterialProperty::IridescenceIor => "extensions/KHR_materials_iridescence/iridescenceIor",
        MaterialProperty::IridescenceThicknessMin => "extensions/KHR_materials_iridescence/iridescenceThicknessMinimum",
        MaterialProperty::IridescenceThicknessMax => "extensions/KHR_materials_iridescence/iridescenceThicknessMaximum",
        MaterialProperty::AnisotropyStrength => "extensions/KHR_materials_anisotropy/anisotropyStrength",
        MaterialProperty::AnisotropyRotation => "extensions/KHR_materials_anisotropy/anisotropyRotation",
        MaterialProperty::Dispersion => "extensions/KHR_materials_dispersion/dispersion",
        MaterialProperty::UvOffset(slot) => return format!("{}/{TRANSFORM}/offset", slot_path(slot)),
        MaterialProperty::UvRotation(slot) => return format!("{}/{TRANSFORM}/rotation", slot_path(slot)),
        MaterialProperty::UvScale(slot) => return format!("{}/{TRANSFORM}/scale", slot_path(slot)),
    };
    factor.to_owned()
}

fn property_name(property: Property) -> &'static str {
    match property {
        Property::Translation => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::MorphWeights => "weights",
    }
}

fn camera_path(property: CameraProperty, perspective: bool) -> &'static str {
    match (property, perspective) {
        (CameraProperty::FovY, _) => "perspective/yfov",
        (CameraProperty::AspectRatio, _) => "perspective/aspectRatio",
        (CameraProperty::XMag, _) => "orthographic/xmag",
        (CameraProperty::YMag, _) => "orthographic/ymag",
        (CameraProperty::Near, true) => "perspective/znear",
        (CameraProperty::Near, false) => "orthographic/znear",
        (CameraProperty::Far, true) => "perspective/zfar",
        (CameraProperty::Far, false) => "orthographic/zfar",
    }
}

fn light_path(property: LightProperty) -> &'static str {
    match property {
        LightProperty::Color => "color",
        LightProperty::Intensity => "intensity",
        LightProperty::Range => "range",
        LightProperty::InnerCone => "spot/innerConeAngle",
        LightProperty::OuterCone => "spot/outerConeAngle",
    }
}

/// The pointer to a property of a material.
pub(crate) fn of_material(material: usize, property: MaterialProperty) -> String {
    format!("/materials/{material}/{}", material_path(property))
}

/// The pointer to a property of a camera.
pub(crate) fn of_camera(camera: usize, property: CameraProperty, perspective: bool) -> String {
    format!("/cameras/{camera}/{}", camera_path(property, perspective))
}

/// The pointer to a property of a light.
pub(crate) fn of_light(light: usize, property: LightProperty) -> String {
    format!("{LIGHTS}{light}/{}", light_path(property))
}

/// The pointer to a node's visibility.
pub(crate) fn of_visibility(node: usize) -> String {
    format!("/nodes/{node}/{VISIBLE}")
}

/// What a pointer leads to, if it is something that the scene has a word for.
pub(crate) fn parse(pointer: &str) -> Option<Pointed> {
    if let Some(rest) = pointer.strip_prefix(LIGHTS) {
        let (light, path) = numbered(rest)?;
        return LightProperty::ALL.into_iter().find(|p| light_path(*p) == path).map(|p| Pointed::Light(light, p));
    }
    let (list, rest) = pointer.strip_prefix('/')?.split_once('/')?;
    let (index, path) = numbered(rest)?;
    match list {
        "nodes" => node(index, path),
        "meshes" if path == "weights" => Some(Pointed::MeshWeights(index)),
        "meshes" => weight(path).map(|w| Pointed::MeshWeight(index, w)),
        "materials" => MATERIAL_PATHS.get(path).map(|p| Pointed::Material(index, *p)),
        "cameras" => {
            let fits = |p: &CameraProperty| [true, false].into_iter().any(|kind| camera_path(*p, kind) == path);
            CameraProperty::ALL.into_iter().find(fits).map(|p| Pointed::Camera(index, p))
        }
        _ => None,
    }
}

fn node(index: Index, path: &str) -> Option<Pointed> {
    const ALL: [Property; 4] = [Property::Translation, Property::Rotation, Property::Scale, Property::MorphWeights];
    if path == VISIBLE {
        return Some(Pointed::Visibility(index));
    }
    let whole = ALL.into_iter().find(|p| property_name(*p) == path).map(|p| Pointed::Node(index, p));
    whole.or_else(|| weight(path).map(|w| Pointed::NodeWeight(index, w)))
}

fn weight(path: &str) -> Option<u32> {
    path.strip_prefix("weights/").and_then(number)
}

/// A number as JSON pointers spell it: without a leading zero.
fn number(text: &str) -> Option<u32> {
    text.parse::<u32>().ok().filter(|n| n.to_string() == text)
}

/// `3/name` as 3 and `name`.
fn numbered(text: &str) -> Option<(Index, &str)> {
    let (index, path) = text.split_once('/')?;
    number(index).map(|index| (index, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pointer_is_read_as_it_was_made() {
        for property in MaterialProperty::all() {
            assert_eq!(parse(&of_material(3, property)), Some(Pointed::Material(3, property)));
        }
        for property in CameraProperty::ALL {
            let perspective = matches!(property, CameraProperty::FovY | CameraProperty::AspectRatio);
            let pointer = of_camera(0, property, perspective);
            assert_eq!(parse(&pointer), Some(Pointed::Camera(0, property)), "{pointer}");
        }
        for property in LightProperty::ALL {
            assert_eq!(parse(&of_light(12, property)), Some(Pointed::Light(12, property)));
        }
        assert_eq!(parse(&of_visibility(7)), Some(Pointed::Visibility(7)));
    }

    /// Spelt out by the extension's document and the object model, not by the functions above.
    #[test]
    fn pointers_are_those_of_the_object_model() {
        let cases = [
            ("/nodes/4/rotation", Pointed::Node(4, Property::Rotation)),
            ("/nodes/4/weights", Pointed::Node(4, Property::MorphWeights)),
            ("/nodes/4/weights/2", Pointed::NodeWeight(4, 2)),
            ("/nodes/0/extensions/KHR_node_visibility/visible", Pointed::Visibility(0)),
            ("/meshes/1/weights", Pointed::MeshWeights(1)),
            ("/meshes/1/weights/0", Pointed::MeshWeight(1, 0)),
            ("/materials/2/alphaCutoff", Pointed::Material(2, MaterialProperty::AlphaCutoff)),
            ("/materials/2/extensions/KHR_materials_ior/ior", Pointed::Material(2, MaterialProperty::Ior)),
            (
                "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset",
                Pointed::Material(0, MaterialProperty::UvOffset(TextureSlot::BaseColor)),
            ),
            ("/cameras/0/perspective/yfov", Pointed::Camera(0, CameraProperty::FovY)),
            ("/cameras/0/orthographic/znear", Pointed::Camera(0, CameraProperty::Near)),
            (
                "/extensions/KHR_lights_punctual/lights/1/spot/outerConeAngle",
                Pointed::Light(1, LightProperty::OuterCone),
            ),
        ];
        for (pointer, expected) in cases {
            assert_eq!(parse(pointer), Some(expected), "{pointer}");
        }
        for other in ["", "/", "nodes/0/scale", "/nodes/00/scale", "/nodes/x/scale", "/nodes/0", "/materials/0/name"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
