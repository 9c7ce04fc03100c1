//! Materials and their maps, by the part that wears them.

use super::surfaces::{Shown, shown};
use super::{Facts, wide};
use anyrig::Context;
use anyrig::image::decode_rgba8;
use anyrig::scene::{AlphaMode, Feature, ImageId, Material, Scene, TextureUse, UvTransform};

pub fn add(scene: &Scene, facts: &mut Facts) {
    for shown in shown(scene) {
        let material = shown.instance.materials.get(shown.part.slot as usize).copied().flatten();
        let Some(material) = material.and_then(|id| scene.materials.get(id)) else { continue };
        surface(&shown, material, facts);
        maps(scene, &shown, material, facts);
    }
}

fn at(shown: &Shown<'_>) -> String {
    shown.place_of(shown.part.point_of(0))
}

fn surface(shown: &Shown<'_>, material: &Material, facts: &mut Facts) {
    let mut numbers: Vec<f64> = wide(material.base_color).into_iter().chain(wide(material.emissive)).collect();
    // With a map they are one with it; without light they have no effect.
    if material.metallic_roughness_texture.is_none() && !material.unlit {
        numbers.extend([material.metallic, material.roughness].map(f64::from));
    }
    let name = format!("{} at {}", material.name, at(shown));
    facts.add(Feature::Materials, name.as_str(), numbers);
    match material.alpha_mode {
        AlphaMode::Opaque => {}
        AlphaMode::Mask { cutoff } => facts.add(Feature::AlphaMask, name.as_str(), [f64::from(cutoff)]),
        AlphaMode::Blend => facts.add(Feature::AlphaBlend, name.as_str(), []),
    }
    if material.double_sided {
        facts.add(Feature::DoubleSided, name.as_str(), []);
    }
    if material.unlit {
        facts.add(Feature::Unlit, name.as_str(), []);
    }
}

fn maps(scene: &Scene, shown: &Shown<'_>, material: &Material, facts: &mut Facts) {
    for (role, texture) in material.texture_uses() {
        let name = format!("{role} of {} at {}", material.name, at(shown));
        let image = scene.textures[texture.texture].image;
        match role {
            // One white pixel stands in for a map that a technique wants.
            "base-color" if pixels(scene, image) == [1.0; 4] => {}
            "base-color" => facts.add(Feature::Images, format!("{name}: {}", file(scene, image)), []),
            "normal" => {
                let pixels = pixels(scene, image).into_iter().chain([f64::from(material.normal_scale)]);
                facts.add(Feature::NormalMaps, name.as_str(), pixels);
            }
            "occlusion" => {
                // What is seen is the map weakened by the strength.
                let strength = f64::from(material.occlusion_strength);
                let light = pixels(scene, image).into_iter().step_by(4).map(|r| 1.0 + strength * (r - 1.0));
                facts.add(Feature::OcclusionMaps, name.as_str(), light);
            }
            "emissive" => facts.add(Feature::EmissiveMaps, name.as_str(), pixels(scene, image)),
            _ => {
                // What is seen is the map times the factors.
                let (roughness, metallic) = (f64::from(material.roughness), f64::from(material.metallic));
                let pixels = pixels(scene, image);
                let seen = pixels.chunks_exact(4).flat_map(|p| [p[1] * roughness, p[2] * metallic]);
                facts.add(Feature::MetallicRoughnessMaps, name.as_str(), seen);
            }
        }
        sampling(scene, texture, &name, facts);
    }
}

fn sampling(scene: &Scene, texture: &TextureUse, name: &str, facts: &mut Facts) {
    if let Some(UvTransform { offset, rotation_rad, scale }) = texture.transform {
        let numbers = wide([offset[0], offset[1], rotation_rad, scale[0], scale[1]]);
        facts.add(Feature::UvTransforms, name, numbers);
    }
    if texture.uv_set != 0 {
        facts.add(Feature::OtherUvSets, name, [f64::from(texture.uv_set)]);
    }
    if let Some(s) = &scene.textures[texture.texture].sampler {
        facts.add(Feature::Samplers, format!("{name}: {:?} {:?} {:?} {:?}", s.wrap_u, s.wrap_v, s.mag, s.min), []);
    }
}

/// The encoded bytes.
fn file(scene: &Scene, image: Option<ImageId>) -> String {
    let bytes = image.and_then(|id| scene.images[id].bytes.clone());
    bytes.map_or_else(|| "nothing".to_owned(), |bytes| format!("{:?}", bytes.as_slice()))
}

/// Channels of all pixels, 0 to 1.
fn pixels(scene: &Scene, image: Option<ImageId>) -> Vec<f64> {
    let bytes = image.and_then(|id| scene.images[id].bytes.clone());
    let image = bytes.and_then(|bytes| decode_rgba8(&bytes, &Context::new()).ok());
    image.map(|i| i.as_bytes().iter().map(|b| f64::from(*b) / 255.0).collect()).unwrap_or_default()
}
