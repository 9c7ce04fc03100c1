//! What goes beyond the core of materials and nodes.

use super::Facts;
use anyrig::scene::{Feature, Material, MaterialProperty as P, Scene};

pub fn add(scene: &Scene, facts: &mut Facts) {
    for material in scene.materials.values() {
        for (feature, properties) in parts(material) {
            let numbers = properties.iter().filter_map(|p| material.numbers(*p)).flatten().map(|v| f64::from(*v));
            facts.add(feature, material.name.clone(), numbers.collect::<Vec<_>>());
        }
    }
    for (number, variant) in scene.variants.iter().enumerate() {
        facts.add(Feature::MaterialVariants, variant.name.clone(), []);
        let instances = scene.nodes.values().filter_map(|n| n.mesh.as_ref());
        for worn in instances.flat_map(|i| &i.variants).filter(|v| v.variant as usize == number) {
            let material = &scene.materials[worn.material].name;
            facts.add(Feature::MaterialVariants, format!("{}: {} wears {material}", variant.name, worn.slot), []);
        }
    }
    for texture in scene.textures.values() {
        for image in &texture.alternates {
            let image = &scene.images[*image];
            facts.add(Feature::AlternateImages, format!("{:?} {:?}", image.mime_type, image.bytes), []);
        }
    }
    for node in scene.nodes.values() {
        for transform in node.instances.iter().flat_map(|i| &i.transforms) {
            facts.add(Feature::Instances, node.name.clone(), transform.to_affine().to_cols_array());
        }
    }
}

fn parts(m: &Material) -> Vec<(Feature, &'static [P])> {
    let all: [(Feature, bool, &'static [P]); 10] = [
        (Feature::Clearcoat, m.clearcoat.is_some(), &[P::Clearcoat, P::ClearcoatRoughness]),
        (Feature::Sheen, m.sheen.is_some(), &[P::SheenColor, P::SheenRoughness]),
        (Feature::Transmission, m.transmission.is_some(), &[P::Transmission]),
        (
            Feature::DiffuseTransmission,
            m.diffuse_transmission.is_some(),
            &[P::DiffuseTransmission, P::DiffuseTransmissionColor],
        ),
        (Feature::Volume, m.volume.is_some(), &[P::Thickness, P::AttenuationDistance, P::AttenuationColor]),
        (Feature::IndexOfRefraction, m.ior.is_some(), &[P::Ior]),
        (Feature::Specular, m.specular.is_some(), &[P::Specular, P::SpecularColor]),
        (
            Feature::Iridescence,
            m.iridescence.is_some(),
            &[P::Iridescence, P::IridescenceIor, P::IridescenceThicknessMin, P::IridescenceThicknessMax],
        ),
        (Feature::Anisotropy, m.anisotropy.is_some(), &[P::AnisotropyStrength, P::AnisotropyRotation]),
        (Feature::Dispersion, m.dispersion.is_some(), &[P::Dispersion]),
    ];
    all.into_iter().filter(|(_, has, _)| *has).map(|(feature, _, properties)| (feature, properties)).collect()
}
