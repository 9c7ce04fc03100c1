//! Materials and textures.

use super::{first_material, first_part, still};
use anyrig::image::{Rgba8Image, encode_png};
use anyrig::scene::{
    AlphaMode, Feature, Filter, Image, Material, MipFilter, Sampler, Scene, Semantic, Stream, Texture, TextureUse,
    UvTransform, Wrap,
};

pub fn scene(feature: Feature) -> Scene {
    use Feature as F;
    let mut scene = still();
    match feature {
        // A colour tints a map.
        F::Materials => {
            let map = png(&mut scene, [204, 102, 0, 255]);
            first_material(&mut scene).base_color_texture = Some(map);
        }
        F::NormalMaps => {
            let map = png(&mut scene, [128, 128, 255, 255]);
            let material = first_material(&mut scene);
            (material.normal_texture, material.normal_scale) = (Some(map), 0.5);
        }
        F::OcclusionMaps => {
            let (occlusion, emissive) = (png(&mut scene, [102; 4]), png(&mut scene, [255, 102, 0, 255]));
            let material = first_material(&mut scene);
            (material.occlusion_texture, material.occlusion_strength) = (Some(occlusion), 0.5);
            (material.emissive_texture, material.emissive) = (Some(emissive), [1.0; 3]);
        }
        F::EmissiveMaps => {
            let map = png(&mut scene, [255, 102, 0, 255]);
            let material = first_material(&mut scene);
            (material.emissive_texture, material.emissive) = (Some(map), [1.0; 3]);
        }
        F::MetallicRoughnessMaps => {
            let map = png(&mut scene, [0, 203, 102, 255]);
            first_material(&mut scene).metallic_roughness_texture = Some(map);
        }
        F::AlphaMask => first_material(&mut scene).alpha_mode = AlphaMode::Mask { cutoff: 0.25 },
        F::AlphaBlend => first_material(&mut scene).alpha_mode = AlphaMode::Blend,
        F::DoubleSided => first_material(&mut scene).double_sided = true,
        F::Unlit => unlit(first_material(&mut scene)),
        F::UvTransforms => two_maps(&mut scene, |base, normal| {
            base.transform = Some(UvTransform { offset: [0.25, 0.5], rotation_rad: 0.5, scale: [2.0, 3.0] });
            normal.transform = Some(UvTransform { offset: [0.5, 0.0], ..UvTransform::default() });
        }),
        F::OtherUvSets => {
            let second = Stream::new(Semantic::TexCoord(1), 2, vec![0.25; 8]);
            first_part(&mut scene).set_stream(second);
            two_maps(&mut scene, |_, normal| normal.uv_set = 1);
        }
        F::Samplers => samplers(&mut scene),
        F::Images => {
            let map = image(&mut scene, "image/jpeg", grey_jpeg());
            first_material(&mut scene).base_color_texture = Some(map);
        }
        other => panic!("{other} is no material"),
    }
    scene
}

/// Metal does not show on it.
fn unlit(material: &mut Material) {
    material.unlit = true;
}

fn two_maps(scene: &mut Scene, change: impl FnOnce(&mut TextureUse, &mut TextureUse)) {
    let (mut base, mut normal) = (png(scene, [204, 102, 0, 255]), png(scene, [128, 128, 255, 255]));
    change(&mut base, &mut normal);
    let material = first_material(scene);
    material.base_color = [1.0; 4];
    (material.base_color_texture, material.normal_texture) = (Some(base), Some(normal));
}

/// One image that both materials show, each sampled in its own way.
fn samplers(scene: &mut Scene) {
    let first = png(scene, [204, 102, 0, 255]);
    let mut sampler = Sampler::default();
    (sampler.wrap_u, sampler.wrap_v) = (Wrap::ClampToEdge, Wrap::MirroredRepeat);
    (sampler.mag, sampler.min) = (Some(Filter::Nearest), Some((Filter::Nearest, MipFilter::None)));
    let mut second = scene.textures[first.texture].clone();
    scene.textures[first.texture].sampler = Some(sampler);
    second.sampler = Some(Sampler::default());
    let second = TextureUse::new(scene.textures.push(second));
    for (material, texture) in scene.materials.values_mut().zip([first, second]) {
        material.base_color = [1.0; 4];
        material.base_color_texture = Some(texture);
    }
}

/// An image of two pixels.
pub fn png(scene: &mut Scene, [r, g, b, a]: [u8; 4]) -> TextureUse {
    let pixels = Rgba8Image::new(2, 1, vec![r, g, b, a, b, g, r, 255]).expect("two pixels");
    image(scene, "image/png", encode_png(&pixels).expect("small"))
}

fn image(scene: &mut Scene, media_type: &str, bytes: Vec<u8>) -> TextureUse {
    let mut image = Image::default();
    (image.mime_type, image.bytes) = (Some(media_type.to_owned()), Some(bytes.into()));
    let mut texture = Texture::default();
    texture.image = Some(scene.images.push(image));
    TextureUse::new(scene.textures.push(texture))
}

/// The shortest baseline JPEG (ITU-T T.81): eight by eight grey pixels from tables of one code each.
fn grey_jpeg() -> Vec<u8> {
    let table = |class: u8| [&[0xFF, 0xC4, 0, 20, class, 1][..], &[0; 16]].concat();
    let parts: [&[u8]; 8] = [
        &[0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0],
        &[1; 64],
        &[0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0],
        &table(0),
        &table(0x10),
        &[0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0],
        &[0x3F],
        &[0xFF, 0xD9],
    ];
    parts.concat()
}
