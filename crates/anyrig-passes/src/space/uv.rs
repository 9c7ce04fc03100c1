//! The other origin of texture coordinates.

use super::geometry::change_uvs;
use super::uv_curves;
use anyrig_bytes::{Context, Result, maths};
use anyrig_scene::{Scene, UvOrigin, UvTransform};

/// Turns V round in all texture coordinates, UV morphs and texture transforms, whatever the scene's UV origin, and
/// changes the origin. The images stay, so the scene looks the same to one who knows its space.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when a mesh part was not validated; [`anyrig_bytes::ErrorKind::LimitExceeded`],
/// which leaves the scene as it was; [`anyrig_bytes::ErrorKind::Cancelled`], after which it is of no use.
pub fn flip_v(scene: &mut Scene, context: &Context) -> Result<()> {
    // Before anything changes, so that an error leaves the scene as it was.
    let clips = uv_curves::flipped(scene, context)?;
    change_uvs(scene, context)?;
    uv_curves::put(scene, clips);
    flip_transforms(scene);
    scene.space.uv_origin = match scene.space.uv_origin {
        UvOrigin::TopLeft => UvOrigin::BottomLeft,
        UvOrigin::BottomLeft => UvOrigin::TopLeft,
    };
    Ok(())
}

pub(super) fn flip_transforms(scene: &mut Scene) {
    for material in scene.materials.values_mut() {
        for texture in material.texture_slots_mut().into_iter().flatten() {
            texture.transform = texture.transform.map(flipped);
        }
    }
}

/// With `F(u, v) = (u, 1 - v)`, the transform `F T F`.
///
/// Rotation is taken as renderers do (the Khronos sample viewer, three): `u' = cos u + sin v`, `v' = -sin u + cos v`,
/// counter-clockwise as seen where V grows downwards.
fn flipped(old: UvTransform) -> UvTransform {
    let angle = f64::from(old.rotation_rad);
    let scale_v = f64::from(old.scale[1]);
    let (offset_u, offset_v) = (f64::from(old.offset[0]), f64::from(old.offset[1]));
    // T(u, 1 - v) = offset + R S (0, 1) + R S (u, -v).
    let moved_u = offset_u + scale_v * maths::f64::sin(angle);
    let moved_v = offset_v + scale_v * maths::f64::cos(angle);
    UvTransform { offset: [moved_u as f32, (1.0 - moved_v) as f32], rotation_rad: -old.rotation_rad, ..old }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Material, Texture, TextureUse};
    use proptest::prelude::*;

    fn apply(t: UvTransform, uv: [f64; 2]) -> [f64; 2] {
        let (s, c) = maths::f64::sin_cos(f64::from(t.rotation_rad));
        let (u, v) = (uv[0] * f64::from(t.scale[0]), uv[1] * f64::from(t.scale[1]));
        [f64::from(t.offset[0]) + c * u + s * v, f64::from(t.offset[1]) - s * u + c * v]
    }

    #[test]
    fn the_origin_changes_too() {
        let mut scene = Scene::default();
        let texture = scene.textures.push(Texture::default());
        let mut material = Material::new("m");
        let mut used = TextureUse::new(texture);
        used.transform = Some(UvTransform { offset: [0.25, 0.5], ..UvTransform::default() });
        material.base_color_texture = Some(used);
        scene.materials.push(material);
        flip_v(&mut scene, &Context::new()).expect("valid");
        assert_eq!(scene.space.uv_origin, UvOrigin::BottomLeft);
        let transform = scene.materials.as_slice()[0].base_color_texture.as_ref().and_then(|t| t.transform);
        // v' = 1 - (0.5 + (1 - v)) = v - 0.5.
        assert_eq!(transform.map(|t| t.offset), Some([0.25, -0.5]));
    }

    proptest! {
        #[test]
        fn flipping_around_a_transform_changes_nothing(
            offset in prop::array::uniform2(-2f32..2.0), scale in prop::array::uniform2(-2f32..2.0),
            rotation_rad in -3f32..3.0, uv in prop::array::uniform2(-1f64..2.0),
        ) {
            let old = UvTransform { offset, rotation_rad, scale };
            let seen = apply(old, uv);
            let other = apply(flipped(old), [uv[0], 1.0 - uv[1]]);
            prop_assert!((other[0] - seen[0]).abs() < 1e-5 && (1.0 - other[1] - seen[1]).abs() < 1e-5);
        }
    }
}
