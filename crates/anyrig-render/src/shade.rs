//! What is seen of a face at a sample.

use crate::color::{filmic, light, of_hue};
use crate::description::{Camera, DirectionalLight, Lighting, Map, Shading, Surface};
use crate::drawable::{Drawable, Face, Paint};
use crate::raster::Projection;
use crate::shadow::ShadowMap;
use crate::texture::{Encoding, Texture};
use anyrig_scene::AlphaMode;
use glam::{DVec3, Mat3, Vec2, Vec3, Vec4};

/// Light that is thrown back at right angles by what is no metal: that of an index of refraction of 1.5.
const PLAIN_REFLECTANCE: f32 = 0.04;

/// Smoother surfaces would only sparkle.
const LEAST_ROUGHNESS: f32 = 0.12;

/// Surfaces and what they read.
#[derive(Clone, Copy)]
pub(crate) struct Materials<'a> {
    pub surfaces: &'a [Surface],
    pub textures: &'a [Texture],
}

/// All that shading looks at.
#[derive(Clone, Copy)]
pub(crate) struct Shader<'a> {
    pub camera: &'a Camera,
    pub lighting: &'a Lighting,
    pub materials: Materials<'a>,
    pub shadow: Option<&'a ShadowMap>,
}

/// A face with what is the same all over it.
pub(crate) struct Setup<'a> {
    drawable: &'a Drawable<'a>,
    surface: &'a Surface,
    points: [usize; 3],
    positions: [Vec3; 3],
    /// Each gives a point's weight at a sample, up to a factor common to all three: products of the corners before their
    /// division, so that weights are right in perspective also for faces that reach behind the eye (Olano and Greer,
    /// "Triangle Scan Conversion using 2D Homogeneous Coordinates", 1997).
    weights: [DVec3; 3],
    /// Out of the side that the winding calls the front.
    flat_normal: Vec3,
}

/// Weights of the points at a sample, and how they change to the next column and row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub weights: Vec3,
    pub per_x: Vec3,
    pub per_y: Vec3,
    /// Coordinates of the first set, which most maps lie on, and how they change.
    uv: Vec2,
    uv_steps: [Vec2; 2],
}

impl<'a> Setup<'a> {
    /// A face as a projection shows it; `None` where a corner has no point, or there is no such surface.
    pub fn new(
        drawable: &'a Drawable<'a>,
        face: Face,
        surfaces: &'a [Surface],
        projection: &Projection,
    ) -> Option<Self> {
        let points = drawable.points(face.triangle as usize)?;
        let positions = points.map(|p| drawable.position(p));
        let at = positions.map(|p| projection.place(p).at);
        let [a, b, c] = positions;
        let outward = (b - a).cross(c - a) * if drawable.mirrored { -1.0 } else { 1.0 };
        Some(Self {
            drawable,
            surface: surfaces.get(drawable.surface)?,
            points,
            positions,
            weights: [at[1].cross(at[2]), at[2].cross(at[0]), at[0].cross(at[1])],
            flat_normal: unit_or(outward, Vec3::Y),
        })
    }

    /// The weights at a place on the screen, in samples.
    pub fn spot(&self, x: f64, y: f64) -> Spot {
        let at = |x: f64, y: f64| {
            let parts = self.weights.map(|w| w.x * x + w.y * y + w.z);
            let sum = parts[0] + parts[1] + parts[2];
            Vec3::from_array(parts.map(|p| (p / sum) as f32))
        };
        let weights = at(x, y);
        let (per_x, per_y) = (at(x + 1.0, y) - weights, at(x, y + 1.0) - weights);
        let uvs = self.points.map(|p| self.drawable.uv(0, p));
        let mixed = |w: Vec3| uvs[0] * w.x + uvs[1] * w.y + uvs[2] * w.z;
        Spot { weights, per_x, per_y, uv: mixed(weights), uv_steps: [mixed(per_x), mixed(per_y)] }
    }

    fn mixed(&self, weights: Vec3, of: impl Fn(usize) -> Vec3) -> Vec3 {
        let [a, b, c] = self.points;
        of(a) * weights.x + of(b) * weights.y + of(c) * weights.z
    }

    fn color(&self, weights: Vec3) -> Vec4 {
        self.drawable.colors.mixed(self.points, weights)
    }

    fn uv(&self, set: usize, weights: Vec3) -> Vec2 {
        let [a, b, c] = self.points.map(|p| self.drawable.uv(set, p));
        a * weights.x + b * weights.y + c * weights.z
    }

    /// The mean of the points' normals, or the face's own where they have none.
    fn smooth_normal(&self, weights: Vec3) -> Vec3 {
        if self.drawable.normals.is_empty() {
            return self.flat_normal;
        }
        unit_or(self.mixed(weights, |p| self.drawable.normal(p).unwrap_or(self.flat_normal)), self.flat_normal)
    }

    /// Along growing U and against growing V on the face, and the normal.
    fn tangent_frame(&self, map: &Map, normal: Vec3, weights: Vec3) -> Mat3 {
        if !self.drawable.tangents.is_empty() && map.uv_set == 0 {
            let [a, b, c] = self.points.map(|p| Vec4::from_array(self.drawable.tangents[p]));
            let mixed = a * weights.x + b * weights.y + c * weights.z;
            let tangent = unit_or(mixed.truncate(), Vec3::X);
            return Mat3::from_cols(tangent, normal.cross(tangent) * a.w, normal);
        }
        let [a, b, c] = self.positions;
        let [at, bt, ct] = self.points.map(|p| self.drawable.uv(map.uv_set, p));
        let (ab, ac, du, dv) = (b - a, c - a, bt - at, ct - at);
        let area = du.x * dv.y - du.y * dv.x;
        let sign = if area < 0.0 { -1.0 } else { 1.0 };
        let (along_u, along_v) = ((ab * dv.y - ac * du.y) * sign, (ac * du.x - ab * dv.x) * sign);
        let tangent = unit_or(along_u - normal * normal.dot(along_u), Vec3::X);
        let up = unit_or(-along_v + normal * normal.dot(along_v), Vec3::Y);
        Mat3::from_cols(tangent, up, normal)
    }
}

impl Materials<'_> {
    fn read(&self, setup: &Setup<'_>, map: &Map, spot: &Spot, encoding: Encoding) -> Vec4 {
        let Some(texture) = self.textures.get(map.texture).filter(|t| !t.is_empty()) else { return Vec4::ONE };
        if map.uv_set == 0 {
            return texture.sample(map, spot.uv, spot.uv_steps, encoding);
        }
        let steps = [spot.per_x, spot.per_y].map(|w| setup.uv(map.uv_set, w));
        texture.sample(map, setup.uv(map.uv_set, spot.weights), steps, encoding)
    }

    fn base_color(&self, setup: &Setup<'_>, spot: &Spot) -> Vec4 {
        let surface = setup.surface;
        let texture =
            surface.base_color_map.as_ref().map_or(Vec4::ONE, |map| self.read(setup, map, spot, Encoding::Srgb));
        let points = if setup.drawable.colors.is_none() { Vec4::ONE } else { setup.color(spot.weights) };
        surface.base_color * texture * points
    }

    /// Whether a masked or blended surface covers a sample.
    pub fn covers(&self, setup: &Setup<'_>, spot: &Spot) -> bool {
        match setup.surface.alpha {
            AlphaMode::Opaque => true,
            AlphaMode::Mask { cutoff } => self.base_color(setup, spot).w >= cutoff,
            AlphaMode::Blend => self.base_color(setup, spot).w >= 0.5,
        }
    }
}

impl Shader<'_> {
    fn read(&self, setup: &Setup<'_>, map: &Map, spot: &Spot, encoding: Encoding) -> Vec4 {
        self.materials.read(setup, map, spot, encoding)
    }

    /// Light that is shown, times alpha, and alpha.
    pub fn shade(&self, setup: &Setup<'_>, spot: &Spot) -> Vec4 {
        let position = setup.mixed(spot.weights, |p| setup.drawable.position(p));
        let view = unit_or((self.camera.eye - position.as_dvec3()).as_vec3(), Vec3::Z);
        let is_front = setup.flat_normal.dot(view) >= 0.0;
        let smooth = setup.smooth_normal(spot.weights);
        let normal = if is_front { smooth } else { -smooth };
        let seen = Seen { position, view, normal };
        let shown = match setup.drawable.paint {
            Paint::Material => return self.material(setup, spot, &seen),
            Paint::Clay => matt(setup.color(spot.weights).truncate(), &seen),
            Paint::Pale => matt(light([214, 217, 222]), &seen),
            Paint::Wire => wire(spot, &seen),
            Paint::Facing => facing(is_front, setup.flat_normal.dot(smooth) >= 0.0, &seen),
            Paint::Checker => checker(setup, spot, &seen),
        };
        shown.extend(1.0)
    }

    fn material(&self, setup: &Setup<'_>, spot: &Spot, seen: &Seen) -> Vec4 {
        let surface = setup.surface;
        let base = self.materials.base_color(setup, spot);
        let color = base.truncate();
        let shown = match surface.shading {
            Shading::Unlit => color,
            Shading::Lit => filmic(self.lit(setup, spot, seen, color) + self.emission(setup, spot)),
            Shading::Toon { shade, edge, softness } => {
                let facing = seen.normal.dot(self.lighting.key.towards);
                let lit = ((facing - edge) / softness.max(1e-3) + 0.5).clamp(0.0, 1.0);
                let lit = lit * self.shadow_at(seen);
                color * (shade + (Vec3::ONE - shade) * lit) + self.emission(setup, spot)
            }
        };
        let shown = shown.clamp(Vec3::ZERO, Vec3::ONE);
        match surface.alpha {
            AlphaMode::Opaque | AlphaMode::Mask { .. } => shown.extend(1.0),
            AlphaMode::Blend => {
                let alpha = base.w.clamp(0.0, 1.0);
                (shown * alpha).extend(alpha)
            }
        }
    }

    fn emission(&self, setup: &Setup<'_>, spot: &Spot) -> Vec3 {
        let surface = setup.surface;
        if surface.emission == Vec3::ZERO {
            return Vec3::ZERO;
        }
        let texture =
            surface.emission_map.as_ref().map_or(Vec4::ONE, |map| self.read(setup, map, spot, Encoding::Srgb));
        surface.emission * texture.truncate()
    }

    fn lit(&self, setup: &Setup<'_>, spot: &Spot, seen: &Seen, color: Vec3) -> Vec3 {
        let surface = setup.surface;
        let factors = surface
            .metallic_roughness_map
            .as_ref()
            .map_or(Vec4::ONE, |map| self.read(setup, map, spot, Encoding::Linear));
        let metallic = (surface.metallic * factors.z).clamp(0.0, 1.0);
        let roughness = (surface.roughness * factors.y).clamp(LEAST_ROUGHNESS, 1.0);
        let open = surface.occlusion_map.as_ref().map_or(1.0, |map| {
            1.0 + surface.occlusion_strength * (self.read(setup, map, spot, Encoding::Linear).x - 1.0)
        });
        let seen = Seen { normal: self.bumpy_normal(setup, spot, seen), ..*seen };
        let stuff = Stuff {
            diffuse: color * (1.0 - metallic),
            reflectance: Vec3::splat(PLAIN_REFLECTANCE).lerp(color, metallic),
            roughness,
        };
        let key = stuff.under(&self.lighting.key, &seen) * self.shadow_at(&seen);
        let rim = stuff.under(&self.lighting.rim, &seen);
        key + rim + self.surroundings(&stuff, &seen) * open
    }

    /// Light from all sides: on matt surfaces that of the normal, on shiny ones that of the mirrored view.
    fn surroundings(&self, stuff: &Stuff, seen: &Seen) -> Vec3 {
        let mirrored = seen.normal * (2.0 * seen.normal.dot(seen.view)) - seen.view;
        let facing = seen.normal.dot(seen.view).clamp(0.0, 1.0);
        // A bright panel overhead, as large as the surface is rough.
        let panel = ((mirrored.dot(self.lighting.key.towards) - 0.7) / 0.3).clamp(0.0, 1.0);
        let mirror = self.lighting.ambient_at(mirrored) + Vec3::splat(panel * (1.0 - stuff.roughness) * 1.5);
        stuff.diffuse * self.lighting.ambient_at(seen.normal) + mirror * stuff.mirror(facing)
    }

    fn bumpy_normal(&self, setup: &Setup<'_>, spot: &Spot, seen: &Seen) -> Vec3 {
        let Some(map) = &setup.surface.normal_map else { return seen.normal };
        if self.materials.textures.get(map.texture).is_none_or(Texture::is_empty) {
            return seen.normal;
        }
        let texel = self.read(setup, map, spot, Encoding::Linear).truncate() * 2.0 - 1.0;
        let scale = setup.surface.normal_scale;
        let bump = Vec3::new(texel.x * scale, texel.y * scale, texel.z.max(0.05));
        unit_or(setup.tangent_frame(map, seen.normal, spot.weights) * bump, seen.normal)
    }

    fn shadow_at(&self, seen: &Seen) -> f32 {
        self.shadow.map_or(1.0, |map| map.light_at(seen.position, seen.normal))
    }
}

/// A place that is looked at.
#[derive(Clone, Copy)]
struct Seen {
    position: Vec3,
    /// Towards the eye.
    view: Vec3,
    /// Out of the side that is seen.
    normal: Vec3,
}

/// What a surface is of at a place.
struct Stuff {
    diffuse: Vec3,
    reflectance: Vec3,
    roughness: f32,
}

impl Stuff {
    /// Light from one direction: Lambert, and Trowbridge-Reitz with Smith's height-correlated masking and Schlick's
    /// Fresnel term, as glTF 2.0, appendix B, has it.
    fn under(&self, light: &DirectionalLight, seen: &Seen) -> Vec3 {
        let to_light = seen.normal.dot(light.towards);
        if to_light <= 0.0 {
            return Vec3::ZERO;
        }
        let to_eye = seen.normal.dot(seen.view).max(1e-3);
        let half = unit_or(light.towards + seen.view, seen.normal);
        let (to_half, across) = (seen.normal.dot(half).max(0.0), seen.view.dot(half).max(0.0));
        let alpha = self.roughness * self.roughness;
        let squared = alpha * alpha;
        let spread = to_half * to_half * (squared - 1.0) + 1.0;
        let masking = |a: f32, b: f32| a * (b * b * (1.0 - squared) + squared).sqrt();
        let visible = 0.5 / (masking(to_light, to_eye) + masking(to_eye, to_light)).max(1e-6);
        // Times pi, as the light's colour is what a white matt surface gives back.
        let shine = squared / (spread * spread).max(1e-8) * visible;
        let fresnel = self.reflectance + (Vec3::ONE - self.reflectance) * fifth(1.0 - across);
        (self.diffuse * (Vec3::ONE - fresnel) + fresnel * shine) * light.color * to_light
    }

    /// The share of light from all sides that is mirrored, by the fit of Karis for mobile hardware (2014).
    fn mirror(&self, facing: f32) -> Vec3 {
        let r = Vec4::new(-1.0, -0.0275, -0.572, 0.022) * self.roughness + Vec4::new(1.0, 0.0425, 1.04, -0.04);
        let falloff = anyrig_bytes::maths::f32::exp2(-9.28 * facing);
        let a = (r.x * r.x).min(falloff) * r.x + r.y;
        self.reflectance * (-1.04 * a + r.z) + Vec3::splat(1.04 * a + r.w)
    }
}

fn fifth(x: f32) -> f32 {
    let squared = x * x;
    squared * squared * x
}

/// A little light from above and before, without any curve, so that colours keep their meaning.
fn matt(color: Vec3, seen: &Seen) -> Vec3 {
    let facing = seen.normal.dot(seen.view).max(0.0);
    color * (0.55 + 0.35 * facing + 0.10 * seen.normal.y)
}

fn wire(spot: &Spot, seen: &Seen) -> Vec3 {
    // Distance from each edge in samples, and so how much of the line lies under the sample.
    let away = [0, 1, 2].map(|i| {
        let (dx, dy) = (spot.per_x[i], spot.per_y[i]);
        spot.weights[i] / (dx * dx + dy * dy).sqrt().max(1e-12)
    });
    let nearest = away[0].min(away[1]).min(away[2]);
    let line = (1.2 - nearest).clamp(0.0, 1.0);
    matt(light([222, 225, 230]), seen).lerp(light([38, 50, 72]), line)
}

/// Fronts, backs, and faces whose normals look the other way.
pub(crate) const FACING: [[u8; 3]; 3] = [[70, 120, 215], [150, 90, 190], [225, 40, 40]];

fn facing(is_front: bool, agrees: bool, seen: &Seen) -> Vec3 {
    let [front, back, against] = FACING;
    let color = match (is_front, agrees) {
        (true, true) => front,
        (false, true) => back,
        (_, false) => against,
    };
    matt(light(color), seen)
}

/// Squares across one unit of texture coordinates.
const SQUARES: f32 = 8.0;

fn checker(setup: &Setup<'_>, spot: &Spot, seen: &Seen) -> Vec3 {
    let uv = spot.uv;
    if setup.drawable.uv_sets.first().is_none_or(|uvs| uvs.is_empty()) || !uv.is_finite() {
        return matt(light([128, 128, 128]), seen);
    }
    let (column, row) = ((uv.x * SQUARES).floor(), (uv.y * SQUARES).floor());
    let is_light = (column + row).rem_euclid(2.0) < 1.0;
    let hue = of_hue((column.rem_euclid(SQUARES) / SQUARES + row.rem_euclid(SQUARES) / (SQUARES * SQUARES)).fract());
    matt(if is_light { Vec3::splat(0.85).lerp(hue, 0.25) } else { hue * 0.7 }, seen)
}

/// The vector at length 1; the fallback where it has none.
pub(crate) fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    // Lengths of small triangles' products are below what a square can hold.
    let largest = v.abs().max_element();
    if !largest.is_normal() {
        return fallback;
    }
    let v = v / largest;
    v / v.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::camera_for_tests;
    use anyrig_animation::{Pose, posed_geometry};
    use anyrig_scene::{Mesh, MeshInstance, Node, Part, Scene, Semantic, Stream};

    /// One triangle that leans away from the viewer, one corner of it behind the eye.
    fn leaning() -> Scene {
        let mut part = Part::default();
        part.point_count = 3;
        part.set_stream(Stream::new(Semantic::Position, 3, vec![-3.0, -1.0, -1.0, 3.0, -1.0, 2.0, 0.5, 2.0, -9.0]));
        part.set_stream(Stream::new(Semantic::TexCoord(0), 2, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
        let mut scene = Scene::default();
        let mut mesh = Mesh::default();
        mesh.parts = vec![part];
        let mut node = Node::new("node");
        node.mesh = Some(MeshInstance::new(scene.meshes.push(mesh)));
        scene.add_node(node, None);
        scene
    }

    /// What the first part of a scene is drawn from.
    fn seen(scene: &Scene) -> (Drawable<'_>, [Surface; 1], Projection) {
        let posed = posed_geometry(scene, &Pose::rest(scene)).remove(0);
        let drawable = Drawable::new(&scene.meshes.as_slice()[0].parts[0], posed);
        (drawable, [Surface::new(None, scene)], camera_for_tests().projection(640.0, 480.0))
    }

    #[test]
    fn weights_are_right_in_perspective() {
        let scene = leaning();
        let (drawable, surfaces, projection) = seen(&scene);
        let setup = Setup::new(&drawable, Face { drawable: 0, triangle: 0 }, &surfaces, &projection).expect("a face");
        for (a, b) in [(0.2, 0.1), (0.5, 0.25), (0.05, 0.05), (0.33, 0.33)] {
            let weights = Vec3::new(a, b, 1.0 - a - b);
            let point = setup.mixed(weights, |p| drawable.position(p));
            // The formula: a point of the plane is seen where the camera puts it.
            let at = projection.sample_of(point).expect("before the eye");
            let found = setup.spot(at.x, at.y);
            assert!(found.weights.abs_diff_eq(weights, 1e-5), "{weights} {}", found.weights);
            assert!((found.uv - Vec2::new(b, 1.0 - a - b)).length() < 1e-5);
            // Halfway on the screen is not halfway on the face.
            let next = setup.spot(at.x + 1.0, at.y);
            assert!((next.weights - found.weights).abs_diff_eq(found.per_x, 1e-6));
        }
    }

    #[test]
    fn a_frame_of_tangents_follows_the_texture() {
        let scene = leaning();
        let (drawable, surfaces, projection) = seen(&scene);
        let setup = Setup::new(&drawable, Face { drawable: 0, triangle: 0 }, &surfaces, &projection).expect("a face");
        let used = anyrig_scene::TextureUse::new(anyrig_scene::TextureId::new(0));
        let map = Map::new(&used, &scene);
        let frame = setup.tangent_frame(&map, setup.flat_normal, Vec3::splat(1.0 / 3.0));
        let [a, b, c] = setup.positions;
        // U grows from the first to the second corner, V from the first to the third.
        assert!(frame.x_axis.dot((b - a).normalize_or_zero()) > 0.999);
        assert!(frame.y_axis.dot(c - a) < 0.0, "up is where V is smaller");
        assert!(frame.z_axis.distance(setup.flat_normal) < 1e-6);
    }

    #[test]
    fn a_white_matt_surface_gives_back_the_light() {
        let stuff = Stuff { diffuse: Vec3::ONE, reflectance: Vec3::ZERO, roughness: 1.0 };
        let light = DirectionalLight { towards: Vec3::Z, color: Vec3::new(0.9, 0.8, 0.7) };
        let seen = Seen { position: Vec3::ZERO, view: Vec3::Z, normal: Vec3::Z };
        assert!(stuff.under(&light, &seen).abs_diff_eq(light.color, 1e-6));
        let away = Seen { normal: Vec3::NEG_Z, ..seen };
        assert_eq!(stuff.under(&light, &away), Vec3::ZERO);
        let mirror = Stuff { diffuse: Vec3::ZERO, reflectance: Vec3::ONE, roughness: 0.5 };
        assert!(mirror.mirror(1.0).cmple(Vec3::splat(1.01)).all() && mirror.mirror(0.0).is_finite());
    }
}
