//! Cameras and lights.

use super::extras::{keep, raw};
use super::{Loader, list, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{CameraObject, LightObject, LightsExtension, Orthographic, Perspective, typed};
use anyrig_bytes::{Context, Diagnostic, Result};
use anyrig_scene::{Camera, Light, LightKind, Projection};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Brings a value into its range and says so. The shortest spelling of the largest number of single precision is a
/// little above that number, and is inside where it is.
pub(super) fn clamped(value: f64, (low, high): (f64, f64), at: &At<'_>, context: &Context) -> f64 {
    let is_inside = |v: f64| v >= low && v <= high;
    let single = f64::from(value as f32);
    if is_inside(value) {
        return value;
    }
    if single.abs() == f64::from(f32::MAX) && is_inside(single) {
        return single;
    }
    let inside = if value > high { high } else { low };
    let message = format!("{value} became {inside}");
    context.push(Diagnostic::new(&codes::VALUE_CLAMPED, at.pointer(), message).at(at.place()));
    inside
}

impl Loader<'_> {
    pub(super) fn cameras(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("cameras");
        for (i, camera) in list(self.root.cameras.as_ref()) {
            let camera = self.camera(camera, &at.index(i))?;
            self.scene.cameras.push(camera);
        }
        Ok(())
    }

    fn camera(&self, camera: &CameraObject, at: &At<'_>) -> Result<Camera> {
        let projection = match need(camera.kind.as_deref(), at, "type")? {
            "perspective" => {
                let lens = need(camera.perspective.as_ref(), at, "perspective")?;
                perspective(lens, &at.key("perspective"), self.context)?
            }
            "orthographic" => {
                let lens = need(camera.orthographic.as_ref(), at, "orthographic")?;
                orthographic(lens, &at.key("orthographic"), self.context)?
            }
            other => return Err(at.key("type").malformed(format!("{other:?} is not a camera type"))),
        };
        let mut out = Camera::new(camera.name.clone().unwrap_or_default(), projection);
        out.extras = keep(&raw!(camera), &[], at, self.context);
        Ok(out)
    }

    pub(super) fn lights(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("extensions");
        let at = at.key("KHR_lights_punctual");
        let Some(value) = self.root.extensions.as_ref().and_then(|e| e.get("KHR_lights_punctual")) else {
            return Ok(());
        };
        let lights: LightsExtension = typed(value, &at, self.context)?;
        let lights = need(lights.lights.as_ref(), &at, "lights")?;
        let at = at.key("lights");
        for (i, light) in lights.iter().enumerate() {
            let light = self.light(light, &at.index(i))?;
            self.scene.lights.push(light);
        }
        Ok(())
    }

    fn light(&self, light: &LightObject, at: &At<'_>) -> Result<Light> {
        let kind = match need(light.kind.as_deref(), at, "type")? {
            "directional" => LightKind::Directional,
            "point" => LightKind::Point,
            "spot" => {
                let spot = need(light.spot.as_ref(), at, "spot")?;
                let at = at.key("spot");
                let outer = spot.outer_cone_angle.unwrap_or(FRAC_PI_4);
                let outer = clamped(outer, (f64::MIN_POSITIVE, FRAC_PI_2), &at.key("outerConeAngle"), self.context);
                // The inner angle must be smaller (KHR_lights_punctual, "Spot"); the next smaller f32 is enough.
                let most = f64::from((outer as f32).next_down());
                let inner = spot.inner_cone_angle.unwrap_or(0.0);
                let inner = clamped(inner, (0.0, most.max(0.0)), &at.key("innerConeAngle"), self.context);
                LightKind::Spot { inner_cone_rad: inner, outer_cone_rad: outer }
            }
            other => return Err(at.key("type").malformed(format!("{other:?} is not a light type"))),
        };
        let mut out = Light::new(light.name.clone().unwrap_or_default(), kind);
        let color = light.color.unwrap_or([1.0; 3]);
        out.color = color.map(|c| clamped(c, (0.0, 1.0), &at.key("color"), self.context));
        out.intensity = clamped(light.intensity.unwrap_or(1.0), (0.0, f64::MAX), &at.key("intensity"), self.context);
        out.range = light.range.map(|r| clamped(r, (f64::MIN_POSITIVE, f64::MAX), &at.key("range"), self.context));
        out.extras = keep(&raw!(light), &[], at, self.context);
        Ok(out)
    }
}

fn perspective(lens: &Perspective, at: &At<'_>, context: &Context) -> Result<Projection> {
    let positive = (f64::MIN_POSITIVE, f64::MAX);
    let near = clamped(need(lens.znear, at, "znear")?, positive, &at.key("znear"), context);
    let fov = clamped(need(lens.yfov, at, "yfov")?, (f64::MIN_POSITIVE, PI), &at.key("yfov"), context);
    let far = lens.zfar.filter(|far| {
        let right = *far > near;
        if !right {
            let message = "it is not behind the near plane; the view became infinite";
            let at = at.key("zfar");
            context.push(Diagnostic::new(&codes::VALUE_CLAMPED, at.pointer(), message).at(at.place()));
        }
        right
    });
    let aspect_ratio = lens.aspect_ratio.map(|a| clamped(a, positive, &at.key("aspectRatio"), context));
    Ok(Projection::Perspective { fov_y_rad: fov, aspect_ratio, near, far })
}

fn orthographic(lens: &Orthographic, at: &At<'_>, context: &Context) -> Result<Projection> {
    let magnitude = |value: f64, key: &str| {
        let at = at.key(key);
        if value == 0.0 { clamped(value, (1.0, f64::MAX), &at, context) } else { value }
    };
    let near = clamped(need(lens.znear, at, "znear")?, (0.0, f64::MAX), &at.key("znear"), context);
    let far = need(lens.zfar, at, "zfar")?;
    let far = if far > near { far } else { clamped(far, (near + 1.0, f64::MAX), &at.key("zfar"), context) };
    let x_mag = magnitude(need(lens.xmag, at, "xmag")?, "xmag");
    let y_mag = magnitude(need(lens.ymag, at, "ymag")?, "ymag");
    Ok(Projection::Orthographic { x_mag, y_mag, near, far })
}
