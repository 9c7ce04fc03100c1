//! What goes beyond the core of materials, nodes and clips.

use super::materials::png;
use super::{first_material, moving, still};
use anyrig::scene::glam::{DQuat, DVec3};
use anyrig::scene::{
    Anisotropy, Camera, CameraId, CameraProperty, Channel, Clearcoat, Curve, DiffuseTransmission, Feature, Image,
    Instances, Interpolation, Iridescence, Light, LightId, LightKind, LightProperty, Material, MaterialId,
    MaterialProperty, Node, NodeId, Projection, Scene, Sheen, Specular, Target, Transmission, Trs, Variant,
    VariantMaterial, Volume,
};

pub fn scene(feature: Feature) -> Scene {
    use Feature as F;
    match feature {
        F::AlternateImages => alternate(),
        F::Instances => instances(),
        F::MaterialVariants => variants(),
        F::MaterialAnimation => {
            let (material, property) = (MaterialId::new(0), MaterialProperty::BaseColor);
            animated(moving(), Target::Material { material, property }, property.width())
        }
        F::CameraAnimation => {
            let projection = Projection::Perspective { fov_y_rad: 1.0, aspect_ratio: None, near: 0.1, far: None };
            let mut scene = moving();
            let camera = scene.cameras.push(Camera::new("eye", projection));
            view(&mut scene, "eye").camera = Some(camera);
            animated(scene, Target::Camera { camera: CameraId::new(0), property: CameraProperty::FovY }, 1)
        }
        F::LightAnimation => {
            let mut scene = moving();
            let light = scene.lights.push(Light::new("lamp", LightKind::Point));
            view(&mut scene, "lamp").light = Some(light);
            animated(scene, Target::Light { light: LightId::new(0), property: LightProperty::Color }, 3)
        }
        _ => {
            let mut scene = still();
            surface(feature, first_material(&mut scene));
            scene
        }
    }
}

fn surface(feature: Feature, material: &mut Material) {
    use Feature as F;
    match feature {
        F::Clearcoat => {
            let mut coat = Clearcoat::default();
            (coat.factor, coat.roughness) = (0.5, 0.25);
            material.clearcoat = Some(Box::new(coat));
        }
        F::Sheen => {
            let mut sheen = Sheen::default();
            (sheen.color, sheen.roughness) = ([0.25, 0.5, 0.75], 0.5);
            material.sheen = Some(Box::new(sheen));
        }
        F::Transmission => {
            let mut transmission = Transmission::default();
            transmission.factor = 0.75;
            material.transmission = Some(Box::new(transmission));
        }
        F::DiffuseTransmission => {
            let mut transmission = DiffuseTransmission::default();
            (transmission.factor, transmission.color) = (0.5, [1.0, 0.5, 0.25]);
            material.diffuse_transmission = Some(Box::new(transmission));
        }
        F::Volume => {
            let mut volume = Volume::default();
            (volume.thickness, volume.attenuation_distance) = (0.5, Some(2.0));
            volume.attenuation_color = [1.0, 0.5, 0.25];
            material.volume = Some(Box::new(volume));
        }
        F::IndexOfRefraction => material.ior = Some(1.25),
        F::Specular => {
            let mut specular = Specular::default();
            (specular.factor, specular.color) = (0.5, [1.0, 2.0, 0.5]);
            material.specular = Some(Box::new(specular));
        }
        F::Iridescence => {
            let mut film = Iridescence::default();
            (film.factor, film.ior, film.thickness_max_nm) = (1.0, 1.5, 550.0);
            material.iridescence = Some(Box::new(film));
        }
        F::Anisotropy => {
            let mut anisotropy = Anisotropy::default();
            (anisotropy.strength, anisotropy.rotation_rad) = (0.5, 1.0);
            material.anisotropy = Some(Box::new(anisotropy));
        }
        F::Dispersion => material.dispersion = Some(0.5),
        other => panic!("{other} is no surface"),
    }
}

/// A PNG, and the same as WebP for those who know it.
fn alternate() -> Scene {
    let mut scene = still();
    let map = png(&mut scene, [204, 102, 0, 255]);
    let mut image = Image::default();
    (image.mime_type, image.bytes) = (Some("image/webp".to_owned()), Some(vec![1u8, 2, 3, 4].into()));
    scene.textures[map.texture].alternates = vec![scene.images.push(image)];
    let material = first_material(&mut scene);
    (material.base_color, material.base_color_texture) = ([1.0; 4], Some(map));
    scene
}

fn instances() -> Scene {
    let mut scene = still();
    let turned = Trs {
        translation: DVec3::new(10.0, 0.0, 0.0),
        rotation: DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8),
        scale: DVec3::splat(2.0),
    };
    scene.nodes[NodeId::new(0)].instances = Some(Box::new(Instances::new(vec![Trs::IDENTITY, turned])));
    scene
}

fn variants() -> Scene {
    let mut scene = still();
    let gold = scene.materials.push(Material::new("gold"));
    scene.variants = vec![Variant::new("day"), Variant::new("night")];
    let instance = scene.nodes[NodeId::new(0)].mesh.as_mut().expect("the mesh");
    instance.variants = vec![VariantMaterial::new(1, 1, gold)];
    scene
}

fn view<'s>(scene: &'s mut Scene, name: &str) -> &'s mut Node {
    let node = scene.add_node(Node::new(name), None);
    scene.root_sets[0].roots.push(node);
    &mut scene.nodes[node]
}

fn animated(mut scene: Scene, target: Target, width: usize) -> Scene {
    let values = [vec![0.25; width], vec![0.5; width]].concat();
    let curve = Curve::new(Interpolation::Linear, width, vec![0.0, 1.0], values);
    scene.clips[0].channels.push(Channel::on(target, curve));
    scene
}
