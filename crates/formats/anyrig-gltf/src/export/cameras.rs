//! Cameras and lights.

use super::{Saver, extend, extras, named, raw_extension, some, unless};
use crate::document::{CameraObject, LightObject, LightsExtension, Orthographic, Perspective, SpotObject};
use anyrig_scene::{Camera, Light, LightKind, Projection};

impl Saver<'_> {
    pub(super) fn cameras(&mut self) {
        let objects: Vec<_> = self.scene.cameras.values().map(camera).collect();
        self.root.cameras = some(objects);
    }

    pub(super) fn lights(&mut self) {
        let lights: Vec<_> = self.scene.lights.values().map(light).collect();
        if !lights.is_empty() {
            let value = LightsExtension { lights: Some(lights), ..LightsExtension::default() };
            extend(&mut self.root.extensions, "KHR_lights_punctual", raw_extension(&value));
        }
    }
}

fn camera(camera: &Camera) -> CameraObject {
    let mut object = CameraObject { name: named(&camera.name), ..CameraObject::default() };
    extras::restore!(object, &camera.extras);
    match camera.projection {
        Projection::Perspective { fov_y_rad, aspect_ratio, near, far } => {
            object.kind = Some("perspective".to_owned());
            object.perspective = Some(Perspective {
                aspect_ratio,
                yfov: Some(fov_y_rad),
                zfar: far,
                znear: Some(near),
                ..Perspective::default()
            });
        }
        Projection::Orthographic { x_mag, y_mag, near, far } => {
            object.kind = Some("orthographic".to_owned());
            object.orthographic = Some(Orthographic {
                xmag: Some(x_mag),
                ymag: Some(y_mag),
                zfar: Some(far),
                znear: Some(near),
                ..Orthographic::default()
            });
        }
    }
    object
}

fn light(light: &Light) -> LightObject {
    let mut object = LightObject {
        name: named(&light.name),
        color: unless(light.color, &[1.0; 3]),
        intensity: unless(light.intensity, &1.0),
        range: light.range,
        ..LightObject::default()
    };
    extras::restore!(object, &light.extras);
    let kind = match light.kind {
        LightKind::Directional => "directional",
        LightKind::Point => "point",
        LightKind::Spot { inner_cone_rad, outer_cone_rad } => {
            object.spot = Some(SpotObject {
                inner_cone_angle: unless(inner_cone_rad, &0.0),
                outer_cone_angle: Some(outer_cone_rad),
                ..SpotObject::default()
            });
            "spot"
        }
    };
    object.kind = Some(kind.to_owned());
    object
}
