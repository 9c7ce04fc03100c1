//! What is done to a scene once, before any picture of it.

use crate::description::Surface;
use crate::texture::{self, Texture};
use crate::vrm;
use anyrig_animation::{Evaluator, Pose, PosedPart, scene_from_mesh};
use anyrig_bytes::{Context, Place, Result};
use anyrig_passes::{for_each_part, to_render_mesh, to_space, triangulate};
use anyrig_scene::{Domain, Mesh, Part, Scene, Semantic, Space, Topology};
use glam::DAffine3;

/// A scene as pictures want it.
pub(crate) struct Prepared {
    pub scene: Scene,
    pub outline: Scene,
    pub textures: Vec<Texture>,
    pub point_count: usize,
}

/// Names of geometry that is no part of the figure begin so: colliders as Unreal reads them from FBX files ("FBX Static
/// Mesh Pipeline": UBX, UCP, USP, UCX), and the widgets of Blender's rigs (Rigify's WGT).
const HELPER_PREFIXES: [&str; 6] = ["UBX_", "UCP_", "USP_", "UCX_", "WGT-", "WGTS_"];

pub(crate) fn run(mut scene: Scene, context: &Context) -> Result<Prepared> {
    hide_helpers(&mut scene);
    scene.space.front = vrm::front(&scene).unwrap_or(scene.space.front);
    to_space(&mut scene, Space::GLTF, context)?;
    triangulate(&mut scene, context)?;
    only_triangles(&mut scene);
    for_each_part(&mut scene, context, |place, part, _| {
        if part.streams.iter().all(|s| s.domain == Domain::Point) {
            return Ok(());
        }
        let widths: u64 = part.streams.iter().map(|s| u64::from(s.width) * 4).sum();
        let bytes = (part.corner_count() as u64).saturating_mul(widths + 16);
        context.take_memory(bytes, || Place::element(place.to_string()))?;
        *part = to_render_mesh(part).map_err(|e| e.in_element(|| place.to_string()))?;
        Ok(())
    })?;
    let point_count = book_geometry(&scene, context)?;
    let textures = texture::decode_all(&scene, &wanted_textures(&scene), context)?;
    let outline = outline(&scene);
    Ok(Prepared { scene, outline, textures, point_count })
}

fn hide_helpers(scene: &mut Scene) {
    let is_helper = |name: &str| HELPER_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let meshes: Vec<bool> = scene.meshes.values().map(|m| is_helper(&m.name)).collect();
    for node in scene.nodes.values_mut() {
        let of_helper = |i: &anyrig_scene::MeshInstance| meshes.get(i.mesh.index()) == Some(&true);
        if is_helper(&node.name) || node.mesh.as_ref().is_some_and(of_helper) {
            node.mesh = None;
        }
    }
}

/// Lines and points are what tools draw controls with; they are left out wherever there is a surface.
fn only_triangles(scene: &mut Scene) {
    for mesh in scene.meshes.values_mut() {
        for part in mesh.parts.iter_mut().filter(|p| p.topology != Topology::Triangles) {
            *part = Part::default();
        }
    }
}

/// Books the points of everything that any pose may show, and tells how many there are.
fn book_geometry(scene: &Scene, context: &Context) -> Result<usize> {
    let mut everything = Pose::rest_within(scene, context)?;
    scene.nodes.ids().for_each(|id| everything.set_visible(id, true));
    let shown = Evaluator::new(scene).shown_in(&everything);
    let points_of = |mesh: &Mesh| mesh.parts.iter().map(|p| p.positions().len() as u64).sum::<u64>();
    let points = shown.iter().map(|s| points_of(&scene.meshes[s.mesh])).fold(0u64, u64::saturating_add);
    context.take_elements(points, Place::whole)?;
    // The pose, a copy without its morphs, and the points by which it is framed.
    context.take_memory(points.saturating_mul(2 * size_of::<[f32; 10]>() as u64 + 16), Place::whole)?;
    Ok(usize::try_from(points).unwrap_or(usize::MAX))
}

fn wanted_textures(scene: &Scene) -> Vec<bool> {
    let mut wanted = vec![false; scene.textures.len()];
    let worn = scene.nodes.values().filter_map(|n| n.mesh.as_ref()).flat_map(|i| i.materials.iter().flatten());
    let mut seen = vec![false; scene.materials.len()];
    for id in worn {
        let Some(material) = scene.materials.get(*id) else { continue };
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        for map in Surface::new(Some(material), scene).maps() {
            if let Some(slot) = wanted.get_mut(map.texture) {
                *slot = true;
            }
        }
    }
    wanted
}

fn outline(scene: &Scene) -> Scene {
    let mut outline = Scene::new(scene.space);
    outline.nodes = scene.nodes.clone();
    outline.root_sets.clone_from(&scene.root_sets);
    outline.default_root_set = scene.default_root_set;
    outline.skins = scene.skins.clone();
    outline.meshes = scene.meshes.values().map(mesh_outline).collect();
    outline
}

fn mesh_outline(mesh: &Mesh) -> Mesh {
    let mut outline = mesh.clone();
    for part in &mut outline.parts {
        part.streams.retain(|s| s.semantic == Semantic::Position);
    }
    outline
}

/// Whether a pose turns a part inside out: a rigid one by its node, a skinned one by most of its joints.
pub(crate) fn is_mirrored(scene: &Scene, posed: &PosedPart, worlds: &[DAffine3]) -> bool {
    let node = &scene.nodes[posed.node];
    let skin = node.mesh.as_ref().and_then(|i| scene.skins.get(i.skin?));
    let is_skinned = scene.meshes[posed.mesh].parts[posed.part].influences.is_some();
    if let Some(skin) = skin.filter(|_| is_skinned) {
        let (mut mirroring, mut count) = (0, 0);
        for matrix in scene_from_mesh(skin, worlds) {
            mirroring += usize::from(matrix.matrix3.determinant() < 0.0);
            count += 1;
        }
        return mirroring * 2 > count;
    }
    let instances = node.instances.as_deref().zip(posed.instance);
    let instance = instances.and_then(|(all, i)| all.transforms.get(i as usize));
    let scales = [node.geometric.as_deref(), instance].into_iter().flatten().map(|t| t.scale.element_product());
    scales.fold(worlds[posed.node.index()].matrix3.determinant(), |product, scale| product * scale) < 0.0
}
