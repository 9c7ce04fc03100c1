//! Cameras and lights.
//!
//! FBX cameras look along +X and lights shine along -Y, the scene's along -Z: each gets a helper node that turns it.

use super::Import;
use super::nodes::helper;
use super::objects::{Object, ObjectId, Objects};
use super::skins::unique;
use anyrig_bytes::{Result, maths::f64 as maths};
use anyrig_scene::{Camera, CameraId, ElementId, Extras, Light, LightId, LightKind, NodeId, Projection, Trs};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;

/// -Z to +X, +Y stays: -90° about Y.
const CAMERA_TURN: DQuat = DQuat::from_xyzw(0.0, -FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2);
/// -Z to -Y: -90° about X.
const LIGHT_TURN: DQuat = DQuat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);

/// Reads node attributes that are cameras or lights. Before version 7000 they are part of their model.
pub(super) fn read(import: &mut Import<'_>) -> Result<()> {
    let models: Vec<(ObjectId, NodeId)> = import.nodes.iter().map(|(o, n)| (*o, *n)).collect();
    let mut made = Made::default();
    for (model, node) in models {
        for attribute in attributes(&import.objects, model) {
            let object = import.objects.get(attribute);
            match &*object.subtype {
                "Camera" => place_camera(import, attribute, node, &mut made)?,
                "Light" => place_light(import, attribute, node, &mut made)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Cameras and lights by the object that describes them, because several models may show one.
#[derive(Default)]
struct Made {
    cameras: BTreeMap<ObjectId, CameraId>,
    lights: BTreeMap<ObjectId, LightId>,
}

/// The attributes of a model, each once.
fn attributes(objects: &Objects<'_>, model: ObjectId) -> Vec<ObjectId> {
    if objects.is_named() {
        return vec![model];
    }
    let connected = objects.children(super::End::Object(model));
    unique(connected.filter(|o| o.class == "NodeAttribute").map(|o| o.id))
}

/// Before version 7000 the attribute is the model, which has what users attached.
fn attach(import: &Import<'_>, attribute: ObjectId, extras: &mut Extras) -> Result<()> {
    if import.objects.is_named() { Ok(()) } else { import.attach_user_data(attribute, extras) }
}

fn place_camera(import: &mut Import<'_>, attribute: ObjectId, node: NodeId, made: &mut Made) -> Result<()> {
    let camera = match made.cameras.get(&attribute) {
        Some(camera) => *camera,
        None => {
            let object = import.objects.get(attribute);
            let mut camera = Camera::new(object.name.clone(), projection(&import.objects, object));
            if let Some(all) = import.data(attribute, |_| true)? {
                camera.extras.set_bookkeeping("fbx.properties", all);
            }
            attach(import, attribute, &mut camera.extras)?;
            let id = import.scene.cameras.push(camera);
            made.cameras.insert(attribute, id);
            import.elements.entry(attribute).or_insert(ElementId::Camera(id));
            import.attributes.insert(attribute, ElementId::Camera(id));
            id
        }
    };
    let turned = helper(import, (node, attribute), "camera", Trs { rotation: CAMERA_TURN, ..Trs::IDENTITY })?;
    import.scene.nodes[turned].camera = Some(camera);
    Ok(())
}

fn place_light(import: &mut Import<'_>, attribute: ObjectId, node: NodeId, made: &mut Made) -> Result<()> {
    let light = match made.lights.get(&attribute) {
        Some(light) => *light,
        None => {
            let mut light = light(&import.objects, import.objects.get(attribute));
            if let Some(all) = import.data(attribute, |_| true)? {
                light.extras.set_bookkeeping("fbx.properties", all);
            }
            attach(import, attribute, &mut light.extras)?;
            let id = import.scene.lights.push(light);
            made.lights.insert(attribute, id);
            import.elements.entry(attribute).or_insert(ElementId::Light(id));
            import.attributes.insert(attribute, ElementId::Light(id));
            id
        }
    };
    let turned = helper(import, (node, attribute), "light", Trs { rotation: LIGHT_TURN, ..Trs::IDENTITY })?;
    import.scene.nodes[turned].light = Some(light);
    Ok(())
}

/// How the field of view is given (`FbxCamera::EApertureMode`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aperture {
    Both,
    Horizontal,
    Vertical,
    FocalLength,
}

fn projection(objects: &Objects<'_>, object: &Object<'_>) -> Projection {
    let id = object.id;
    let number = |name: &str, default: f64| {
        let own = object.node.child(name).and_then(|n| n.f64(0)).filter(|v| v.is_finite());
        objects.property(id, name).and_then(|p| p.f64(0)).or(own).unwrap_or(default)
    };
    let positive = |value: f64, default: f64| if value > 0.0 { value } else { default };
    let near = positive(number("NearPlane", 10.0), 10.0);
    let far = positive(number("FarPlane", 4000.0), 4000.0);
    let (width, height) = (number("AspectWidth", 0.0), number("AspectHeight", 0.0));
    let aspect =
        if width > 0.0 && height > 0.0 { width / height } else { positive(number("FilmAspectRatio", 1.0), 1.0) };
    if number("CameraProjectionType", 0.0) == 1.0 {
        // OrthoZoom 1 is the SDK's 30 units of width.
        let half = positive(number("OrthoZoom", 1.0), 1.0) * ORTHO_ZOOM_UNIT * 0.5;
        return Projection::Orthographic { x_mag: half, y_mag: half / aspect, near, far };
    }
    let mode = match number("ApertureMode", 2.0) as i64 {
        0 => Aperture::Both,
        1 => Aperture::Horizontal,
        3 => Aperture::FocalLength,
        _ => Aperture::Vertical,
    };
    let film_height = positive(number("FilmHeight", 0.612), 0.612);
    let film_width = positive(number("FilmWidth", 0.816), 0.816);
    let degrees = |name: &str, default: f64| number(name, default).clamp(0.01, 179.0).to_radians();
    let fov_y_rad = match mode {
        Aperture::Vertical => degrees("FieldOfView", 25.114_999),
        Aperture::Both => degrees("FieldOfViewY", 40.0),
        Aperture::Horizontal => 2.0 * maths::atan(maths::tan(degrees("FieldOfView", 25.114_999) * 0.5) / aspect),
        Aperture::FocalLength => {
            let focal = positive(number("FocalLength", 35.0), 35.0) / MILLIMETRES_PER_INCH;
            let fitted = film_height.min(film_width / aspect);
            2.0 * maths::atan(0.5 * fitted / focal)
        }
    };
    Projection::Perspective { fov_y_rad, aspect_ratio: Some(aspect), near, far: Some(far) }
}

const ORTHO_ZOOM_UNIT: f64 = 30.0;
const MILLIMETRES_PER_INCH: f64 = 25.4;

fn light(objects: &Objects<'_>, object: &Object<'_>) -> Light {
    let id = object.id;
    let own = |name: &str| object.node.child(name);
    let number = |name: &str, default: f64| {
        let inline = own(name).and_then(|n| n.f64(0)).filter(|v| v.is_finite());
        objects.property(id, name).and_then(|p| p.f64(0)).or(inline).unwrap_or(default)
    };
    let angle = |name: &str, old: &str, default: f64| number(name, number(old, default)).clamp(0.0, 180.0).to_radians();
    let outer_cone_rad = angle("OuterAngle", "Cone angle", 45.0) * 0.5;
    let kind = match number("LightType", 0.0) as i64 {
        1 => LightKind::Directional,
        2 => {
            let inner_cone_rad = (angle("InnerAngle", "HotSpot", 0.0) * 0.5).min(outer_cone_rad);
            LightKind::Spot { inner_cone_rad, outer_cone_rad }
        }
        _ => LightKind::Point,
    };
    let mut light = Light::new(object.name.clone(), kind);
    let inline = own("Color").and_then(|n| Some(DVec3::new(n.f64(0)?, n.f64(1)?, n.f64(2)?)));
    let color = objects.property(id, "Color").and_then(|p| p.vec3()).or(inline).unwrap_or(DVec3::ONE);
    light.color = color.to_array();
    light.intensity = number("Intensity", 100.0) / INTENSITY_UNIT;
    let decay = number("DecayType", 0.0);
    light.extras.set_bookkeeping("fbx.decay_type", decay);
    let sort = number("LightType", 0.0);
    if sort > 2.0 {
        light.extras.set("fbx.light_type", sort);
    }
    light
}

/// Files hold a hundred times what programs show.
const INTENSITY_UNIT: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_turn_minus_z() {
        let near = |a: DVec3, b: DVec3| assert!(a.distance(b) < 1e-15, "{a} {b}");
        near(CAMERA_TURN * DVec3::NEG_Z, DVec3::X);
        near(CAMERA_TURN * DVec3::Y, DVec3::Y);
        near(LIGHT_TURN * DVec3::NEG_Z, DVec3::NEG_Y);
    }
}
