//! What VRM files say of looks that the scene has no word for, read from the extensions that travel with it.

use crate::color::to_light;
use crate::description::Shading;
use anyrig_bytes::Value;
use anyrig_scene::{Axis, Extras, Material, MaterialId, Scene};
use glam::Vec3;

/// Where readers of glTF keep extensions that they do not know.
const EXTENSIONS: &str = "gltf.extensions";

fn extension<'a>(extras: &'a Extras, name: &str) -> Option<&'a Value> {
    extras.get(EXTENSIONS)?.get(name)
}

/// The way the figure faces, where the file's kind says so: VRM 0.x looks along -Z, unlike glTF (VRM 0.x specification,
/// "Coordinates").
pub(crate) fn front(scene: &Scene) -> Option<Axis> {
    extension(&scene.extras, "VRM").map(|_| Axis::NegZ)
}

/// The drawn look of a material: that of `VRMC_materials_mtoon` 1.0, or of the properties of `VRM/MToon` in VRM 0.x. Lit
/// and shaded colour, the place of the border between them and its softness are taken; outlines, rims and textures of
/// the shade are not.
pub(crate) fn toon(scene: &Scene, id: MaterialId) -> Option<Shading> {
    let material = scene.materials.get(id)?;
    let toon = match extension(&material.extras, "VRMC_materials_mtoon") {
        Some(values) => of_version_1(values, material),
        None => of_version_0(extension(&scene.extras, "VRM")?.get("materialProperties")?.as_array()?.get(id.index())?)?,
    };
    let Shading::Toon { shade, edge, softness } = toon else { return None };
    (shade.is_finite() && edge.is_finite() && softness.is_finite()).then_some(toon)
}

fn number(values: &Value, key: &str, default: f32) -> f32 {
    values.get(key).and_then(Value::as_f64).map_or(default, |v| v as f32)
}

fn color(value: Option<&Value>) -> Option<Vec3> {
    let channel = |i: usize| Some(value?.as_array()?.get(i)?.as_f64()?.clamp(0.0, 1.0) as f32);
    Some(Vec3::new(channel(0)?, channel(1)?, channel(2)?))
}

fn of_version_1(values: &Value, material: &Material) -> Shading {
    let lit = Vec3::from_slice(&material.base_color[..3]);
    let toony = number(values, "shadingToonyFactor", 0.9);
    Shading::Toon {
        shade: as_factor(color(values.get("shadeColorFactor")).unwrap_or(Vec3::ZERO), lit),
        edge: -number(values, "shadingShiftFactor", 0.0),
        softness: 2.0 * (1.0 - toony),
    }
}

fn of_version_0(properties: &Value) -> Option<Shading> {
    if properties.get("shader")?.as_str()? != "VRM/MToon" {
        return None;
    }
    let none = Value::Null;
    let (numbers, colors) = (properties.get("floatProperties").unwrap_or(&none), properties.get("vectorProperties"));
    // Colours are codes there, not light.
    let of = |key: &str| color(colors.and_then(|c| c.get(key))).map(|c| Vec3::from_array(c.to_array().map(of_code)));
    let (shift, toony) = (number(numbers, "_ShadeShift", 0.0), number(numbers, "_ShadeToony", 0.9));
    let softness = (1.0 - shift) * (1.0 - toony);
    let shade = as_factor(of("_ShadeColor").unwrap_or(Vec3::ONE), of("_Color").unwrap_or(Vec3::ONE));
    Some(Shading::Toon { shade, edge: shift + softness / 2.0, softness })
}

fn of_code(code: f32) -> f32 {
    to_light((code * 255.0 + 0.5) as u8)
}

/// What to multiply the lit colour with to get the shaded one.
fn as_factor(shaded: Vec3, lit: Vec3) -> Vec3 {
    (shaded / lit.max(Vec3::splat(1e-3))).min(Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(members: &[(&str, Value)]) -> Value {
        Value::Object(members.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect())
    }

    fn numbers(values: &[f64]) -> Value {
        Value::Array(values.iter().map(|v| Value::Float(*v)).collect())
    }

    #[test]
    fn toons_of_both_versions() {
        let mut scene = Scene::default();
        let mut material = Material::new("skin");
        let values = object(&[
            ("shadeColorFactor", numbers(&[0.5, 0.25, 1.0])),
            ("shadingShiftFactor", Value::Float(-0.2)),
            ("shadingToonyFactor", Value::Float(0.75)),
        ]);
        material.base_color = [0.5, 1.0, 1.0, 1.0];
        material.extras.set(EXTENSIONS, object(&[("VRMC_materials_mtoon", values)]));
        let first = scene.materials.push(material);
        let expected = Shading::Toon { shade: Vec3::new(1.0, 0.25, 1.0), edge: 0.2, softness: 0.5 };
        assert_eq!((toon(&scene, first), front(&scene)), (Some(expected), None));

        let second = scene.materials.push(Material::new("hair"));
        let third = scene.materials.push(Material::new("lit"));
        let old = |shader: &str| {
            object(&[
                ("shader", Value::String(shader.to_owned())),
                ("floatProperties", object(&[("_ShadeShift", Value::Float(0.5)), ("_ShadeToony", Value::Float(0.0))])),
                ("vectorProperties", object(&[("_ShadeColor", numbers(&[0.0, 1.0, 1.0, 1.0]))])),
            ])
        };
        let all = Value::Array(vec![Value::Null, old("VRM/MToon"), old("VRM_USE_GLTFSHADER")]);
        scene.extras.set(EXTENSIONS, object(&[("VRM", object(&[("materialProperties", all)]))]));
        let expected = Shading::Toon { shade: Vec3::new(0.0, 1.0, 1.0), edge: 0.75, softness: 0.5 };
        assert_eq!(
            (toon(&scene, second), toon(&scene, third), front(&scene)),
            (Some(expected), None, Some(Axis::NegZ))
        );
    }
}
