//! The mannequin as a scene, small with everything or dense for benchmarks.

use super::bind::{Influence, Pullers, influence};
use super::body::{self, Place};
use super::grid::Grid;
use super::mesh::{PartBuilder, Tangents};
use super::motion::{self, Extras};
use super::rig::{self, Rig, RigNodes};
use super::{mark, paint};
use anyrig_bytes::Result;
use anyrig_scene::glam::{DAffine3, DQuat, DVec3};
use anyrig_scene::{
    AlphaMode, Camera, Filter, Image, Light, LightKind, LocalTransform, Material, MaterialId, Mesh, MeshId,
    MeshInstance, MipFilter, MorphTarget, Node, NodeId, Part, Projection, RootSet, Sampler, Scene, Space, Texture,
    TextureUse, Trs, Wrap,
};

/// A body for benchmarks.
#[derive(Clone, Copy, Debug)]
pub struct Dense {
    /// About how many triangles all meshes have together.
    pub triangles: usize,
    /// Number of equal meshes.
    pub meshes: usize,
    /// Whether vertices have tangents.
    pub tangents: Tangents,
}

/// The small mannequin with everything: two parts, morphs, prop, camera, light, both clips.
pub fn small() -> Result<Scene> {
    let mut builder = Builder::new()?;
    let mesh = builder.scene.meshes.push(small_body(&builder.rig));
    let body = builder.body_node("Body", mesh, 2);
    let prop = builder.add_props();
    builder.add_camera_and_light();
    Ok(builder.finish(Extras { body, prop }))
}

/// Only the body and its motions, as dense as wanted: no morphs, no props.
pub fn dense(options: Dense) -> Result<Scene> {
    let mut builder = Builder::new()?;
    let count = options.meshes.max(1);
    let density = density_for(&builder.rig, options.triangles / count);
    for index in 0..count {
        // A millimetre apart, so that equal meshes are not the same mesh.
        let offset = DVec3::new(0.0, 0.0, 0.001 * index as f64);
        let mesh = dense_body(&builder.rig, density, offset, options.tangents, index);
        let mesh = builder.scene.meshes.push(mesh);
        builder.body_node(&format!("Body_{index}"), mesh, 1);
    }
    let prop = builder.add_hand_node();
    let mut scene = builder.finish(Extras { body: prop, prop });
    // Without morph targets nothing can move them.
    for clip in &mut scene.clips {
        clip.channels.retain(|c| c.node_target().is_some_and(|(_, p)| p.width().is_some()));
    }
    Ok(scene)
}

/// Largest relative deviation that the search for a density accepts.
const TRIANGLES_TOLERANCE: f64 = 0.002;

fn density_for(rig: &Rig, triangles: usize) -> f64 {
    let pieces = body::pieces(rig);
    let count = |density: f64| pieces.iter().map(|p| p.tube.triangle_count(density)).sum::<usize>();
    let (mut low, mut high) = (0.01, 1.0);
    while count(high) < triangles && high < 1e4 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let found = count(middle);
        if (found as f64 / triangles.max(1) as f64 - 1.0).abs() < TRIANGLES_TOLERANCE {
            return middle;
        }
        if found < triangles { low = middle } else { high = middle }
    }
    high
}

/// Where a point is with a morph at full weight, by the piece that it belongs to.
type Morph = fn(Place, DVec3) -> DVec3;

fn smile(place: Place, point: DVec3) -> DVec3 {
    let share = match place {
        Place::Mouth => 0.014 * (point.x / 0.028) * (point.x / 0.028),
        // The cheeks follow a little.
        Place::Head => {
            let cheek = DVec3::new(0.042 * if point.x < 0.0 { -1.0 } else { 1.0 }, 1.600, 0.075);
            0.006 * (1.0 - super::bind::smooth(0.0, 0.035, point.distance(cheek)))
        }
        _ => 0.0,
    };
    point + DVec3::new(0.0, share, share * 0.3)
}

fn blink(place: Place, point: DVec3) -> DVec3 {
    if place != Place::Eye {
        return point;
    }
    DVec3::new(point.x, 1.655 + 0.12 * (point.y - 1.655), point.z)
}

fn small_body(rig: &Rig) -> Mesh {
    const MORPHS: [Morph; 2] = [smile, blink];
    let pullers = Pullers::new(rig);
    let mut part = PartBuilder::new(MORPHS.len());
    for piece in body::pieces(rig) {
        let morphs = MORPHS.map(|morph| move |point| morph(piece.place, point));
        let weights = |point| Some(influence(&piece.binding, pullers, point));
        part.add_morphed(&piece.tube.grid(1.0), &morphs, weights);
    }
    mark::add_to(&mut part, rig);
    let mut mesh = Mesh::default();
    mesh.name = "Mannequin".to_owned();
    mesh.morphs = vec![MorphTarget::new("Smile"), MorphTarget::new("Blink")];
    mesh.parts = vec![part.finish(0, Tangents::Missing), visor_part(rig)];
    mesh
}

/// The visor: the second part, with the second material. A smile lifts it, a blink does nothing to it.
fn visor_part(rig: &Rig) -> Part {
    let on_head: Option<Influence> = Some(([rig.index("Head") as u32, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
    let mut part = PartBuilder::new(2);
    let lift: fn(DVec3) -> DVec3 = |point| point + DVec3::new(0.0, 0.003, 0.0);
    let rest: fn(DVec3) -> DVec3 = |point| point;
    part.add_morphed(&body::visor(1.0), &[lift, rest], |_| on_head);
    part.finish(1, Tangents::Missing)
}

fn dense_body(rig: &Rig, density: f64, offset: DVec3, tangents: Tangents, index: usize) -> Mesh {
    let pullers = Pullers::new(rig);
    let mut part = PartBuilder::new(0);
    for piece in body::pieces(rig) {
        let mut grid: Grid = piece.tube.grid(density);
        grid.points.iter_mut().for_each(|p| *p += offset);
        part.add_grid(&grid, |point| Some(influence(&piece.binding, pullers, point - offset)));
    }
    let mut mesh = Mesh::default();
    mesh.name = format!("Mannequin_{index}");
    mesh.parts = vec![part.finish(0, tangents)];
    mesh
}

struct Builder {
    scene: Scene,
    rig: Rig,
    nodes: RigNodes,
    materials: [MaterialId; 2],
}

impl Builder {
    fn new() -> Result<Self> {
        let mut scene = Scene::new(Space::GLTF);
        let rig = Rig::new();
        let nodes = rig::add_to(&mut scene, &rig);
        let materials = add_materials(&mut scene)?;
        Ok(Self { scene, rig, nodes, materials })
    }

    fn body_node(&mut self, name: &str, mesh: MeshId, slots: usize) -> NodeId {
        let mut instance = self.instance(mesh, slots);
        instance.skin = Some(self.nodes.skin);
        let mut node = Node::new(name);
        node.mesh = Some(instance);
        self.scene.add_node(node, None)
    }

    fn instance(&self, mesh: MeshId, slots: usize) -> MeshInstance {
        let mut instance = MeshInstance::new(mesh);
        instance.materials = self.materials[..slots].iter().map(|m| Some(*m)).collect();
        instance
    }

    /// A node without a name and with uneven scale below the right hand, and the prop's node below that.
    fn add_hand_node(&mut self) -> NodeId {
        let hand = self.rig.index("RightHand");
        let hand_from_model = self.rig.joints()[hand].model_from_joint.inverse();
        // Held across the palm: the rod's +Y points forward.
        let forward = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let model_from_grip = DAffine3::from_rotation_translation(forward, DVec3::new(-0.745, 1.385, -0.01));
        let grip = hand_from_model * model_from_grip;
        let rotation = DQuat::from_affine3(&grip);
        let rotation = rotation * (1.0 / rotation.length());
        let uneven = Trs { translation: grip.translation, rotation, scale: DVec3::new(1.0, 1.25, 1.0) };
        let unnamed = self.scene.add_node(placed("", uneven), Some(self.nodes.joints[hand]));
        self.scene.add_node(Node::new("Prop"), Some(unnamed))
    }

    /// The baton in the right hand, and a mirrored copy of it on the ground under the same name.
    fn add_props(&mut self) -> NodeId {
        let mut rod = PartBuilder::default();
        rod.add_grid(&body::baton().grid(1.0), |_| None);
        let mut pennant = PartBuilder::default();
        pennant.add_grid(&body::pennant(), |_| None);
        let mut mesh = Mesh::default();
        mesh.name = "Baton".to_owned();
        mesh.parts = vec![rod.finish(0, Tangents::Missing), pennant.finish(1, Tangents::Missing)];
        let mesh = self.scene.meshes.push(mesh);

        let prop = self.add_hand_node();
        self.scene.nodes[prop].mesh = Some(self.instance(mesh, 2));

        let place = Trs { translation: DVec3::new(0.0, 0.0, -0.35), ..Trs::IDENTITY };
        let stand = self.scene.add_node(placed("Stand", place), None);
        let translation = DVec3::new(-0.55, 0.13, 0.0);
        let mirrored = Trs { translation, scale: DVec3::new(-1.0, 1.0, 1.0), ..Trs::IDENTITY };
        let copy = self.scene.add_node(placed("Prop", mirrored), Some(stand));
        self.scene.nodes[copy].mesh = Some(self.instance(mesh, 2));
        prop
    }

    fn add_camera_and_light(&mut self) {
        let view = Projection::Perspective { fov_y_rad: 0.65, aspect_ratio: None, near: 0.1, far: Some(100.0) };
        let camera = self.scene.cameras.push(Camera::new("Front", view));
        let place = Trs { translation: DVec3::new(0.0, 1.0, 3.4), ..Trs::IDENTITY };
        let node = self.scene.add_node(placed("Front", place), None);
        self.scene.nodes[node].camera = Some(camera);

        let mut sun = Light::new("Sun", LightKind::Directional);
        sun.color = [1.0, 0.95, 0.85];
        sun.intensity = 3.0;
        let sun = self.scene.lights.push(sun);
        // From the front, above and a little to the left.
        let rotation = DQuat::from_rotation_y(0.5) * DQuat::from_rotation_x(-0.7);
        let place = Trs { translation: DVec3::new(1.5, 3.0, 2.5), rotation, ..Trs::IDENTITY };
        let node = self.scene.add_node(placed("Sun", place), None);
        self.scene.nodes[node].light = Some(sun);
    }

    fn finish(mut self, extras: Extras) -> Scene {
        self.scene.clips.push(motion::walk(&self.rig, &self.nodes, extras));
        self.scene.clips.push(motion::wave(&self.rig, &self.nodes, extras));
        let roots = self.scene.roots().collect();
        self.scene.root_sets.push(RootSet::new("Mannequin", roots));
        self.scene.default_root_set = Some(0);
        self.scene
    }
}

fn placed(name: &str, trs: Trs) -> Node {
    let mut node = Node::new(name);
    node.local = LocalTransform::Trs(trs);
    node
}

/// `Suit` is opaque with three maps; `Visor` is blended and seen from both sides.
fn add_materials(scene: &mut Scene) -> Result<[MaterialId; 2]> {
    let textures = paint::textures()?;
    let mut add = |name: &str, bytes, sampler: Option<Sampler>| {
        let mut image = Image::default();
        image.name = name.to_owned();
        image.mime_type = Some("image/png".to_owned());
        image.bytes = Some(bytes);
        let mut texture = Texture::default();
        texture.image = Some(scene.images.push(image));
        texture.sampler = sampler;
        Some(TextureUse::new(scene.textures.push(texture)))
    };
    let mut suit = Material::new("Suit");
    suit.base_color_texture = add("suit_color", textures.base_color, None);
    suit.normal_texture = add("suit_normal", textures.normal, None);
    suit.metallic_roughness_texture = add("suit_metallic_roughness", textures.metallic_roughness, None);

    let mut clamped = Sampler::default();
    clamped.wrap_u = Wrap::ClampToEdge;
    clamped.wrap_v = Wrap::ClampToEdge;
    clamped.mag = Some(Filter::Linear);
    clamped.min = Some((Filter::Linear, MipFilter::Linear));
    let mut visor = Material::new("Visor");
    visor.base_color_texture = add("visor", textures.visor, Some(clamped));
    visor.metallic = 0.0;
    visor.roughness = 0.15;
    visor.alpha_mode = AlphaMode::Blend;
    visor.double_sided = true;
    Ok([scene.materials.push(suit), scene.materials.push(visor)])
}
