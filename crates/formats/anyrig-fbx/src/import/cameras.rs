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
            let mut camera = Camera::new(object.name.clone(), projection(import, object));
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

fn projection(import: &Import<'_>, object: &Object<'_>) -> Projection {
    let number = |name: &str, default: f64| import.objects.f64_or_inline(object.id, name, default);
    let near = or_default(number("NearPlane", 10.0), 10.0);
    let far = or_default(number("FarPlane", 4000.0), 4000.0);
    // Before version 6000 the film has one name for both sides.
    let old = object.node.child("CameraAperture").and_then(|n| Some([n.f64(0)?, n.f64(1)?]));
    let frame = Frame::new(&number, old.unwrap_or(USUAL_FILM));
    if number("CameraProjectionType", 0.0) == 1.0 {
        let is_width = import.is_blender() && !import.objects.is_named();
        let unit = if is_width { 1.0 } else { ORTHO_ZOOM_UNIT };
        let extent = or_default(number("OrthoZoom", 1.0), 1.0) * unit;
        let [width, height] = frame.fitted([extent, extent]);
        return Projection::Orthographic { x_mag: width * 0.5, y_mag: height * 0.5, near, far };
    }
    let fov_y_rad = fov_y_rad(&number, &frame);
    Projection::Perspective { fov_y_rad, aspect_ratio: Some(frame.aspect), near, far: Some(far) }
}

/// The vertical angle of view. Properties have other names before version 6000.
fn fov_y_rad(number: &impl Fn(&str, f64) -> f64, frame: &Frame) -> f64 {
    let mode = match number("ApertureMode", 2.0) as i64 {
        0 => Aperture::Both,
        1 => Aperture::Horizontal,
        3 => Aperture::FocalLength,
        _ => Aperture::Vertical,
    };
    let angle = |name: &str, old: &str, default: f64| {
        let degrees = number(name, number(old, default));
        degrees.clamp(0.01, 179.0).to_radians()
    };
    let one = || angle("FieldOfView", "Aperture", 25.114_999);
    match mode {
        Aperture::Vertical => one(),
        Aperture::Both => angle("FieldOfViewY", "FieldOfViewYProperty", 40.0),
        Aperture::Horizontal => 2.0 * maths::atan(maths::tan(one() * 0.5) / frame.aspect),
        Aperture::FocalLength => {
            let focal = or_default(number("FocalLength", 35.0), 35.0) / MILLIMETRES_PER_INCH;
            let [_, height] = frame.fitted(frame.film);
            2.0 * maths::atan(0.5 * height / focal)
        }
    }
}

/// Width and height of the film in inches where the file does not say (`FbxCamera`).
const USUAL_FILM: [f64; 2] = [0.816, 0.612];

/// A length or ratio of a file; what is not positive is none.
fn or_default(value: f64, default: f64) -> f64 {
    if value > 0.0 { value } else { default }
}

/// The picture and the film that it is seen through.
struct Frame {
    /// Width of the picture divided by its height.
    aspect: f64,
    /// Width and height of the film in inches, with the squeeze of an anamorphic lens in its height.
    film: [f64; 2],
    fit: Fit,
}

/// Which side of the picture keeps its size where its shape is not that of the film (`FbxCamera::EGateFit`).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Neither,
    Vertical,
    Horizontal,
}

impl Frame {
    fn new(number: &impl Fn(&str, f64) -> f64, old: [f64; 2]) -> Self {
        let side = |name: &str, axis: usize| or_default(number(name, old[axis]), USUAL_FILM[axis]);
        let (width, height) = (side("FilmWidth", 0), side("FilmHeight", 1));
        let aspect = aspect(number, width / height);
        // Anamorphic 35 mm film (`FbxCamera::EApertureFormat`) has a squeeze of 2 unless the file says otherwise.
        let usual = if number("ApertureFormat", 0.0) == 7.0 { 2.0 } else { 1.0 };
        let squeeze = number("FilmSqueezeRatio", number("SqueezeRatio", usual));
        let film = [width, height * or_default(squeeze, usual)];
        let is_wide = aspect > film[0] / film[1];
        let fit = match (number("GateFit", 0.0) as i64, is_wide) {
            // Fill (3): the picture lies within the film; overscan (4): the film lies within the picture.
            (1, _) | (3, false) | (4, true) => Fit::Vertical,
            (2, _) | (3, true) | (4, false) => Fit::Horizontal,
            // None, and stretch, whose film is the picture.
            _ => Fit::Neither,
        };
        Self { aspect, film, fit }
    }

    /// A size of the film as the picture takes it.
    fn fitted(&self, [width, height]: [f64; 2]) -> [f64; 2] {
        match self.fit {
            Fit::Neither => [width, height],
            Fit::Vertical => [height * self.aspect, height],
            Fit::Horizontal => [width, width / self.aspect],
        }
    }
}

/// Width divided by height of the picture, as the mode says (`FbxCamera::EAspectRatioMode`); that of the film where the
/// file does not say.
fn aspect(number: &impl Fn(&str, f64) -> f64, film: f64) -> f64 {
    let side = |name: &str, old: &str| Some(number(name, number(old, 0.0))).filter(|side| *side > 0.0);
    let (width, height) = (side("AspectWidth", "AspectW"), side("AspectHeight", "AspectH"));
    let stated = match number("AspectRatioMode", 0.0) as i64 {
        // A fixed width: the height is its share of the width; and the other way round.
        3 => height.map(|height| 1.0 / height),
        4 => width,
        _ => width.zip(height).map(|(width, height)| width / height),
    };
    stated.filter(|aspect| aspect.is_finite()).unwrap_or(film)
}

/// How wide the picture of an orthographic camera is at a zoom of 1, in units of the file. Since version 7000 Blender writes the width itself.
const ORTHO_ZOOM_UNIT: f64 = 30.0;
const MILLIMETRES_PER_INCH: f64 = 25.4;

fn light(objects: &Objects<'_>, object: &Object<'_>) -> Light {
    let id = object.id;
    let number = |name: &str, default: f64| objects.f64_or_inline(id, name, default);
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
    let inline = object.node.child("Color").and_then(|n| Some(DVec3::new(n.f64(0)?, n.f64(1)?, n.f64(2)?)));
    let inline = inline.filter(|color| color.is_finite()).unwrap_or(DVec3::ONE);
    light.color = objects.vec3(id, "Color", inline).to_array();
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
