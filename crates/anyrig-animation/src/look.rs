//! Materials, cameras and lights as clips move them.

use crate::channels::Rule;
use crate::sample;
use anyrig_scene::{
    Camera, CameraId, CameraProperty, Clip, Light, LightId, LightProperty, Material, MaterialId, MaterialProperty,
    Scene, Target,
};

/// How all materials, cameras and lights of a scene are at one moment; what [`crate::Pose`] is for nodes.
///
/// Values are not brought into the ranges that the rest values keep: what a curve says counts, as long as it is finite
/// and of the property's width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    materials: Vec<Material>,
    cameras: Vec<Camera>,
    lights: Vec<Light>,
}

impl Look {
    /// The look that the scene has by itself.
    pub fn rest(scene: &Scene) -> Self {
        Self {
            materials: scene.materials.as_slice().to_vec(),
            cameras: scene.cameras.as_slice().to_vec(),
            lights: scene.lights.as_slice().to_vec(),
        }
    }

    /// The look at rest with a clip laid over it.
    pub fn of_clip(scene: &Scene, clip: &Clip, time_secs: f64) -> Self {
        let mut look = Self::rest(scene);
        look.apply_clip(clip, time_secs);
        look
    }

    /// A material; `None` for one that the look does not know.
    pub fn material(&self, id: MaterialId) -> Option<&Material> {
        self.materials.get(id.index())
    }

    /// A camera; `None` for one that the look does not know.
    pub fn camera(&self, id: CameraId) -> Option<&Camera> {
        self.cameras.get(id.index())
    }

    /// A light; `None` for one that the look does not know.
    pub fn light(&self, id: LightId) -> Option<&Light> {
        self.lights.get(id.index())
    }

    /// Lays a clip over this look: every property that it moves takes the clip's value at the time, layer by layer.
    pub fn apply_clip(&mut self, clip: &Clip, time_secs: f64) {
        for channel in clip.channels.iter().filter(|c| clip.plays(c.layer)) {
            let rule = Rule::of(clip, channel.layer, time_secs);
            let value = || {
                let sampled = sample(&channel.curve, time_secs)?;
                (0..sampled.width()).map(|i| sampled.component(i)).collect::<Option<Vec<f64>>>()
            };
            let Some(value) = is_of_look(&channel.target).then(value).flatten() else { continue };
            match channel.target {
                Target::Material { material, property } => self.move_material(material, property, (rule, &value)),
                Target::Camera { camera, property } => self.move_camera(camera, property, (rule, &value)),
                Target::Light { light, property } => self.move_light(light, property, (rule, &value)),
                _ => {}
            }
        }
    }

    fn move_material(&mut self, id: MaterialId, property: MaterialProperty, (rule, value): (Rule, &[f64])) {
        let Some(material) = self.materials.get_mut(id.index()) else { return };
        if value.len() != property.width() {
            return;
        }
        // A volume that attenuates at no distance at rest does from now on.
        if let (MaterialProperty::AttenuationDistance, Some(volume)) = (property, &mut material.volume) {
            volume.attenuation_distance.get_or_insert(0.0);
        }
        for (number, value) in material.numbers_mut(property).into_iter().flatten().zip(value) {
            let blended = rule.number(f64::from(*number), *value) as f32;
            if blended.is_finite() {
                *number = blended;
            }
        }
    }

    fn move_camera(&mut self, id: CameraId, property: CameraProperty, (rule, value): (Rule, &[f64])) {
        let (Some(camera), [value]) = (self.cameras.get_mut(id.index()), value) else { return };
        let blended = rule.number(camera.number(property).unwrap_or(0.0), *value);
        if blended.is_finite() {
            camera.set_number(property, blended);
        }
    }

    fn move_light(&mut self, id: LightId, property: LightProperty, (rule, value): (Rule, &[f64])) {
        let Some(light) = self.lights.get_mut(id.index()) else { return };
        let below = light.numbers(property).unwrap_or_else(|| vec![0.0; property.width()]);
        let blended: Vec<f64> = below.iter().zip(value).map(|(below, value)| rule.number(*below, *value)).collect();
        if value.len() == property.width() && blended.iter().all(|v| v.is_finite()) {
            light.set_numbers(property, &blended);
        }
    }
}

fn is_of_look(target: &Target) -> bool {
    matches!(target, Target::Material { .. } | Target::Camera { .. } | Target::Light { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{
        Channel, ClipLayer, Curve, Interpolation, LayerBlend, LightKind, Projection, TextureId, TextureSlot, TextureUse,
    };

    fn scene() -> Scene {
        let mut scene = Scene::default();
        let mut material = Material::new("m");
        material.base_color_texture = Some(TextureUse::new(TextureId::new(0)));
        material.volume = Some(Box::default());
        scene.materials.push(material);
        let projection = Projection::Perspective { fov_y_rad: 1.0, aspect_ratio: None, near: 0.1, far: None };
        scene.cameras.push(Camera::new("c", projection));
        scene.lights.push(Light::new("l", LightKind::Point));
        scene
    }

    fn ramp(target: Target, width: usize) -> Channel {
        let values = [vec![0.0; width], vec![1.0; width]].concat();
        Channel::on(target, Curve::new(Interpolation::Linear, width, vec![0.0, 1.0], values))
    }

    #[test]
    fn a_clip_moves_materials_cameras_and_lights() {
        let scene = scene();
        let (material, camera, light) = (MaterialId::new(0), CameraId::new(0), LightId::new(0));
        let mut clip = Clip::new("c");
        let slot = TextureSlot::BaseColor;
        for property in [
            MaterialProperty::BaseColor,
            MaterialProperty::AttenuationDistance,
            MaterialProperty::UvOffset(slot),
            // The material has no such part, so that nothing moves.
            MaterialProperty::Clearcoat,
        ] {
            clip.channels.push(ramp(Target::Material { material, property }, property.width()));
        }
        clip.channels.push(ramp(Target::Camera { camera, property: CameraProperty::Far }, 1));
        clip.channels.push(ramp(Target::Light { light, property: LightProperty::Color }, 3));
        clip.channels.push(ramp(Target::Light { light, property: LightProperty::Range }, 1));
        let look = Look::of_clip(&scene, &clip, 0.25);
        let moved = look.material(material).expect("known");
        assert_eq!(moved.base_color, [0.25; 4]);
        assert_eq!(moved.volume.as_ref().expect("kept").attenuation_distance, Some(0.25));
        let transform = moved.texture(slot).and_then(|t| t.transform).expect("made");
        assert_eq!((transform.offset, transform.scale), ([0.25; 2], [1.0; 2]));
        assert_eq!(moved.clearcoat, None);
        assert_eq!(look.camera(camera).and_then(|c| c.number(CameraProperty::Far)), Some(0.25));
        let light = look.light(light).expect("known");
        assert_eq!((light.color, light.range), ([0.25; 3], Some(0.25)));
        let rest = Look::rest(&scene);
        assert_eq!(rest.material(material), Some(&scene.materials[material]));
    }

    #[test]
    fn layers_blend_numbers() {
        let scene = scene();
        let target = Target::Material { material: MaterialId::new(0), property: MaterialProperty::Roughness };
        let mut clip = Clip::new("c");
        let mut top = ClipLayer::new("top", LayerBlend::Additive);
        top.weight = 0.5;
        clip.layers = vec![ClipLayer::default(), top];
        clip.channels = vec![ramp(target.clone(), 1), ramp(target, 1)];
        clip.channels[1].layer = 1;
        let look = Look::of_clip(&scene, &clip, 0.5);
        assert_eq!(look.material(MaterialId::new(0)).map(|m| m.roughness), Some(0.75));
    }

    #[test]
    fn hostile_channels_change_nothing() {
        let scene = scene();
        let mut clip = Clip::new("c");
        let property = MaterialProperty::Roughness;
        clip.channels.push(ramp(Target::Material { material: MaterialId::new(7), property }, 1));
        clip.channels.push(ramp(Target::Material { material: MaterialId::new(0), property }, 2));
        clip.channels.push(ramp(Target::Camera { camera: CameraId::new(0), property: CameraProperty::XMag }, 1));
        clip.channels.push(ramp(Target::Light { light: LightId::new(0), property: LightProperty::InnerCone }, 1));
        assert_eq!(Look::of_clip(&scene, &clip, 1.0), Look::rest(&scene));
    }
}
