//! What a picture is made of, in plain numbers that any back end can draw: a view, lights, surfaces.
//!
//! All of it is in the space of glTF: right-handed, Y up, Z to the front, metres. Colours are linear.

use anyrig_scene::{AlphaMode, Filter, Material, Sampler, Scene, TextureUse, UvTransform, Wrap};
use glam::{DVec3, Vec2, Vec3, Vec4};

/// A camera with perspective.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Camera {
    /// Where it is.
    pub eye: DVec3,
    /// To the right of the picture; of length 1 like `up` and `back`, and at right angles to both.
    pub right: DVec3,
    /// To the top of the picture.
    pub up: DVec3,
    /// From what it looks at towards the eye.
    pub back: DVec3,
    /// Half of the picture's width at distance 1.
    pub half_width: f64,
    /// Half of the picture's height at distance 1.
    pub half_height: f64,
    /// Nothing nearer is drawn.
    pub near: f64,
}

/// Light from one direction, without distance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DirectionalLight {
    /// Unit vector from what is lit towards the light.
    pub towards: Vec3,
    /// What a white matt surface at right angles gives back.
    pub color: Vec3,
}

/// All light of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lighting {
    /// The one that casts shadows.
    pub key: DirectionalLight,
    /// From behind, to part the figure from the backdrop.
    pub rim: DirectionalLight,
    /// Light from all sides as spherical harmonics: what a white matt surface of normal `n` gives back is the sum of
    /// these times 1, y, z, x, xy, yz, 3z² - 1, xz, x² - y².
    pub ambient: [Vec3; 9],
}

impl Lighting {
    /// The studio: key light from the upper left before the figure, rim light from the other side behind it, and soft
    /// light that is brighter from above. The lights stand still beside the camera.
    pub fn studio(camera: &Camera) -> Self {
        let (right, back) = (flat(camera.right, DVec3::X), flat(camera.back, DVec3::Z));
        let towards = |side: f64, height: f64, front: f64| {
            (right * side + DVec3::Y * height + back * front).try_normalize().unwrap_or(DVec3::Y).as_vec3()
        };
        let mut ambient = [Vec3::ZERO; 9];
        ambient[0] = Vec3::new(0.34, 0.35, 0.37);
        ambient[1] = Vec3::new(0.14, 0.15, 0.17);
        // A little more from the viewer's side, so that fronts in shadow are not flat.
        let front = back.as_vec3() * 0.10;
        (ambient[2], ambient[3]) = (Vec3::splat(front.z), Vec3::splat(front.x));
        Self {
            key: DirectionalLight { towards: towards(-0.55, 0.85, 0.75), color: Vec3::new(0.90, 0.87, 0.83) },
            rim: DirectionalLight { towards: towards(0.75, 0.55, -0.85), color: Vec3::new(0.50, 0.53, 0.58) },
            ambient,
        }
    }

    /// What a white matt surface gives back of the light from all sides.
    pub(crate) fn ambient_at(&self, normal: Vec3) -> Vec3 {
        let Vec3 { x, y, z } = normal;
        let basis = [1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y];
        let sum = self.ambient.iter().zip(basis).fold(Vec3::ZERO, |sum, (light, share)| sum + *light * share);
        sum.max(Vec3::ZERO)
    }
}

fn flat(direction: DVec3, fallback: DVec3) -> DVec3 {
    DVec3::new(direction.x, 0.0, direction.z).try_normalize().unwrap_or(fallback)
}

/// A texture on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Map {
    /// Index of the scene's texture.
    pub texture: usize,
    /// Which set of texture coordinates.
    pub uv_set: usize,
    /// What `u` is in the image: factors of `u`, `v` and 1.
    pub u: Vec3,
    /// What `v` is in the image.
    pub v: Vec3,
    /// What lies outside of 0 to 1, along `u` and `v`.
    pub wrap: [Wrap; 2],
    /// Whether an enlarged image has hard pixels.
    pub hard: bool,
}

impl Map {
    pub(crate) fn new(used: &TextureUse, scene: &Scene) -> Self {
        let sampler = scene.textures.get(used.texture).and_then(|t| t.sampler.as_ref());
        let default = Sampler::default();
        let sampler = sampler.unwrap_or(&default);
        let transform = used.transform.unwrap_or(UvTransform::IDENTITY);
        let (sin, cos) = anyrig_bytes::maths::f32::sin_cos(transform.rotation_rad);
        let ([scale_u, scale_v], [offset_u, offset_v]) = (transform.scale, transform.offset);
        Self {
            texture: used.texture.index(),
            uv_set: used.uv_set as usize,
            u: Vec3::new(cos * scale_u, sin * scale_v, offset_u),
            v: Vec3::new(-sin * scale_u, cos * scale_v, offset_v),
            wrap: [sampler.wrap_u, sampler.wrap_v],
            hard: sampler.mag == Some(Filter::Nearest),
        }
    }

    /// Texture coordinates in the image.
    pub(crate) fn place(&self, uv: Vec2) -> Vec2 {
        let uv = uv.extend(1.0);
        Vec2::new(self.u.dot(uv), self.v.dot(uv))
    }

    /// The same for differences of coordinates.
    pub(crate) fn turn(&self, uv: Vec2) -> Vec2 {
        let uv = uv.extend(0.0);
        Vec2::new(self.u.dot(uv), self.v.dot(uv))
    }
}

/// How light acts on a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shading {
    /// Metallic-roughness, with all lights.
    #[default]
    Lit,
    /// Not at all: the base colour is what is seen.
    Unlit,
    /// In two steps, as drawn figures have it.
    Toon {
        /// Factor on the base colour where no light falls.
        shade: Vec3,
        /// Cosine of the angle to the light at which the light ends.
        edge: f32,
        /// Width of the change, in the same measure.
        softness: f32,
    },
}

/// A surface.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Surface {
    /// Linear RGBA, times the map and the points' colours.
    pub base_color: Vec4,
    /// sRGB colour and alpha.
    pub base_color_map: Option<Map>,
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// Roughness in G, metallic in B.
    pub metallic_roughness_map: Option<Map>,
    /// Tangent space.
    pub normal_map: Option<Map>,
    /// Factor on X and Y of the normal map.
    pub normal_scale: f32,
    /// In R.
    pub occlusion_map: Option<Map>,
    /// 0 to 1.
    pub occlusion_strength: f32,
    /// Linear RGB, times the map.
    pub emission: Vec3,
    /// sRGB.
    pub emission_map: Option<Map>,
    /// What alpha does.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// How light acts.
    pub shading: Shading,
}

impl Surface {
    /// What a material of the scene looks like; `None` is glTF's default material, of which all is matt here, since
    /// files without materials mean no metal.
    pub fn new(material: Option<&Material>, scene: &Scene) -> Self {
        let plain = Material::new("");
        let Some(material) = material else {
            return Self {
                metallic: 0.0,
                roughness: 0.8,
                base_color: Vec4::splat(0.8).with_w(1.0),
                ..Self::new(Some(&plain), scene)
            };
        };
        let map = |used: &Option<TextureUse>| used.as_ref().map(|used| Map::new(used, scene));
        Self {
            base_color: Vec4::from_array(material.base_color),
            base_color_map: map(&material.base_color_texture),
            metallic: material.metallic,
            roughness: material.roughness,
            metallic_roughness_map: map(&material.metallic_roughness_texture),
            normal_map: map(&material.normal_texture),
            normal_scale: material.normal_scale,
            occlusion_map: map(&material.occlusion_texture),
            occlusion_strength: material.occlusion_strength,
            emission: Vec3::from_array(material.emission()),
            emission_map: map(&material.emissive_texture),
            alpha: material.alpha_mode,
            double_sided: material.double_sided,
            shading: if material.unlit { Shading::Unlit } else { Shading::Lit },
        }
    }

    /// All textures that it reads.
    pub(crate) fn maps(&self) -> impl Iterator<Item = Map> {
        let all =
            [self.base_color_map, self.metallic_roughness_map, self.normal_map, self.occlusion_map, self.emission_map];
        all.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Texture, TextureId};

    #[test]
    fn texture_transforms_are_those_of_the_scene() {
        let mut scene = Scene::default();
        scene.textures.push(Texture::default());
        let mut used = TextureUse::new(TextureId::new(0));
        used.transform =
            Some(UvTransform { offset: [0.5, 0.25], rotation_rad: std::f32::consts::FRAC_PI_2, scale: [2.0, 3.0] });
        let map = Map::new(&used, &scene);
        // A quarter turn counter-clockwise with V downwards takes (u, v) to (v, -u).
        let at = map.place(Vec2::new(0.1, 0.2));
        assert!((at - Vec2::new(0.5 + 0.6, 0.25 - 0.2)).length() < 1e-6, "{at}");
        assert!((map.turn(Vec2::X) - Vec2::new(0.0, -2.0)).length() < 1e-6);
    }

    #[test]
    fn the_studio_is_brighter_above_and_nothing_is_negative() {
        let camera = Camera {
            eye: DVec3::Z,
            right: DVec3::X,
            up: DVec3::Y,
            back: DVec3::Z,
            half_width: 1.0,
            half_height: 1.0,
            near: 0.1,
        };
        let lighting = Lighting::studio(&camera);
        let (above, below) = (lighting.ambient_at(Vec3::Y), lighting.ambient_at(Vec3::NEG_Y));
        assert!(above.cmpgt(below).all() && below.cmpge(Vec3::ZERO).all());
        assert!((lighting.key.towards.length() - 1.0).abs() < 1e-6 && lighting.key.towards.z > 0.0);
        assert!(lighting.rim.towards.z < 0.0);
    }
}
