//! Scene to inspection.

use super::model::{
    BoneInfo, BoundsInfo, ClipInfo, Counts, ImageInfo, Inspection, MaterialInfo, MeshInfo, NodeInfo, PartInfo,
    SkinInfo, SpaceInfo, TextureInfo,
};
use anyrig_animation::PointBox;
use anyrig_scene::glam::{DAffine3, Vec3};
use anyrig_scene::{
    AlphaMode, Axis, Channel, Clip, Handedness, Influences, Material, Mesh, NodeId, Part, Scene, Space, Target,
    Topology, walk,
};
use std::collections::BTreeSet;

/// What is in a scene; the fields about the file are left empty. The scene must be validated.
pub fn inspect_scene(scene: &Scene) -> Inspection {
    let order = walk::parents_first(scene);
    let worlds = walk::rest_world_transforms(scene);
    let mut place_of_node = vec![0; scene.nodes.len()];
    for (place, id) in order.iter().enumerate() {
        place_of_node[id.index()] = place;
    }
    let bone_ids = bone_nodes(scene, &order);
    let bones = bones(scene, &bone_ids, &place_of_node, &worlds);
    let mut bone_of_node = vec![None; scene.nodes.len()];
    for (bone, id) in bone_ids.iter().enumerate() {
        bone_of_node[id.index()] = Some(bone);
    }
    let skins = scene.skins.values().map(|skin| SkinInfo {
        name: skin.name.clone(),
        joints: skin.joints.iter().filter_map(|j| bone_of_node[j.index()]).collect(),
    });
    Inspection {
        counts: counts(scene, bones.len()),
        space: space(&scene.space),
        bounds: bounds(scene, &worlds),
        tree: tree(scene, &order, &place_of_node),
        bones,
        meshes: scene.meshes.values().map(mesh).collect(),
        skins: skins.collect(),
        clips: scene.clips.iter().map(clip).collect(),
        materials: scene.materials.values().map(material).collect(),
        textures: scene
            .textures
            .values()
            .map(|t| TextureInfo { name: t.name.clone(), image: t.image.map(|i| i.index()) })
            .collect(),
        images: scene.images.values().map(image).collect(),
        variants: scene.variants.iter().map(|v| v.name.clone()).collect(),
        ..Inspection::default()
    }
}

fn counts(scene: &Scene, joints: usize) -> Counts {
    let parts = || scene.meshes.values().flat_map(|m| &m.parts);
    Counts {
        nodes: scene.nodes.len(),
        meshes: scene.meshes.len(),
        parts: parts().count(),
        vertices: parts().map(|p| p.point_count as usize).sum(),
        triangles: parts().map(Part::triangle_count).sum(),
        joints,
        skins: scene.skins.len(),
        clips: scene.clips.len(),
        materials: scene.materials.len(),
        textures: scene.textures.len(),
        images: scene.images.len(),
        morph_targets: scene.meshes.values().map(|m| m.morphs.len()).sum(),
        cameras: scene.cameras.len(),
        lights: scene.lights.len(),
    }
}

fn axis(axis: Axis) -> String {
    let name = format!("{axis:?}").to_lowercase();
    name.replace("pos", "+").replace("neg", "-")
}

fn space(space: &Space) -> SpaceInfo {
    SpaceInfo {
        up: axis(space.up),
        front: axis(space.front),
        handedness: match space.handedness {
            Handedness::Right => "right".to_owned(),
            Handedness::Left => "left".to_owned(),
        },
        metres_per_unit: space.metres_per_unit,
    }
}

/// Exact for what the file states; skinned meshes count where their points are stored.
fn bounds(scene: &Scene, worlds: &[DAffine3]) -> Option<BoundsInfo> {
    let mut all = PointBox::EMPTY;
    for (id, node) in scene.nodes.iter() {
        let Some(instance) = &node.mesh else { continue };
        let world = if instance.skin.is_some() { DAffine3::IDENTITY } else { worlds[id.index()] };
        for p in scene.meshes[instance.mesh].parts.iter().flat_map(Part::positions) {
            all.add(world.transform_point3(Vec3::from_array(*p).as_dvec3()));
        }
    }
    (!all.is_empty()).then(|| BoundsInfo { min: all.low.to_array(), max: all.high.to_array() })
}

fn tree(scene: &Scene, order: &[NodeId], place_of_node: &[usize]) -> Vec<NodeInfo> {
    let joints: BTreeSet<NodeId> = scene.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
    let mut tree: Vec<NodeInfo> = Vec::with_capacity(order.len());
    for id in order {
        let node = &scene.nodes[*id];
        let parent = node.parent.map(|p| place_of_node[p.index()]);
        let local = node.local.to_trs();
        tree.push(NodeInfo {
            name: node.name.clone(),
            parent,
            depth: parent.and_then(|p| tree.get(p)).map_or(0, |p| p.depth + 1),
            mesh: node.mesh.as_ref().map(|m| m.mesh.index()),
            skin: node.mesh.as_ref().and_then(|m| m.skin).map(|s| s.index()),
            joint: joints.contains(id),
            camera: node.camera.is_some(),
            light: node.light.is_some(),
            instances: node.instances.as_ref().map(|i| i.transforms.len()),
            visibility: if node.visible { "visible" } else { "hidden" },
            translation: local.translation.to_array(),
            rotation: local.rotation.to_array(),
            scale: local.scale.to_array(),
        });
    }
    tree
}

fn bone_nodes(scene: &Scene, order: &[NodeId]) -> Vec<NodeId> {
    let mut bones: BTreeSet<NodeId> = scene.skins.values().flat_map(|s| s.joints.iter().copied()).collect();
    if scene.skins.is_empty() && scene.meshes.is_empty() {
        let channels = scene.clips.iter().flat_map(|c| &c.channels);
        bones.extend(channels.filter_map(moved_node));
    }
    order.iter().copied().filter(|id| bones.contains(id)).collect()
}

/// The nearest bone above each node is carried down, so that a long chain of plain nodes is walked once.
fn bones(scene: &Scene, ids: &[NodeId], place_of_node: &[usize], worlds: &[DAffine3]) -> Vec<BoneInfo> {
    let mut own = vec![None; scene.nodes.len()];
    for (bone, id) in ids.iter().enumerate() {
        own[id.index()] = Some(bone);
    }
    let mut above: Vec<Option<usize>> = vec![None; scene.nodes.len()];
    for id in walk::parents_first(scene) {
        let parent = scene.nodes[id].parent;
        above[id.index()] = parent.and_then(|p| own[p.index()].or(above[p.index()]));
    }
    ids.iter()
        .map(|id| BoneInfo {
            name: scene.nodes[*id].name.clone(),
            parent: above[id.index()],
            node: place_of_node[id.index()],
            position: worlds[id.index()].translation.to_array(),
        })
        .collect()
}

fn mesh(mesh: &Mesh) -> MeshInfo {
    MeshInfo {
        name: mesh.name.clone(),
        parts: mesh.parts.iter().map(part).collect(),
        morph_targets: mesh.morphs.iter().map(|m| m.name.clone()).collect(),
    }
}

fn part(part: &Part) -> PartInfo {
    PartInfo {
        topology: match part.topology {
            Topology::Points => "points",
            Topology::Lines => "lines",
            Topology::Triangles => "triangles",
            Topology::Polygons { .. } => "polygons",
        },
        vertices: part.point_count as usize,
        indices: part.corner_count(),
        indexed: part.corners.is_some(),
        triangles: part.triangle_count(),
        attributes: part.streams.iter().map(|s| s.semantic.to_string()).collect(),
        max_influences: part.influences.as_ref().map_or(0, Influences::max_per_point),
        slot: part.slot,
    }
}

/// The node whose transform or morph weights a channel moves, as a whole or one number of it.
fn moved_node(channel: &Channel) -> Option<NodeId> {
    match channel.target {
        Target::Node { node, .. } | Target::Component { node, .. } | Target::Morph { node, .. } => Some(node),
        _ => None,
    }
}

fn clip(clip: &Clip) -> ClipInfo {
    let nodes: BTreeSet<NodeId> = clip.channels.iter().filter_map(moved_node).collect();
    ClipInfo {
        name: clip.name.clone(),
        seconds: clip.end_secs(),
        channels: clip.channels.len(),
        keys: clip.channels.iter().map(|c| c.curve.len()).sum(),
        nodes: nodes.len(),
    }
}

fn material(material: &Material) -> MaterialInfo {
    MaterialInfo {
        name: material.name.clone(),
        base_color: material.base_color,
        metallic: material.metallic,
        roughness: material.roughness,
        alpha: match material.alpha_mode {
            AlphaMode::Opaque => "opaque",
            AlphaMode::Mask { .. } => "mask",
            AlphaMode::Blend => "blend",
        },
        double_sided: material.double_sided,
        unlit: material.unlit,
        parts: parts_of(material),
        textures: material.texture_uses().map(|(role, t)| (role, t.texture.index())).collect(),
    }
}

fn parts_of(material: &Material) -> Vec<&'static str> {
    let parts = [
        ("clearcoat", material.clearcoat.is_some()),
        ("sheen", material.sheen.is_some()),
        ("transmission", material.transmission.is_some()),
        ("diffuse-transmission", material.diffuse_transmission.is_some()),
        ("volume", material.volume.is_some()),
        ("ior", material.ior.is_some()),
        ("specular", material.specular.is_some()),
        ("iridescence", material.iridescence.is_some()),
        ("anisotropy", material.anisotropy.is_some()),
        ("dispersion", material.dispersion.is_some()),
    ];
    parts.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

fn image(image: &anyrig_scene::Image) -> ImageInfo {
    ImageInfo {
        name: image.name.clone(),
        uri: image.uri.clone(),
        media_type: image.mime_type.clone(),
        bytes: image.bytes.as_ref().map(|b| b.len()),
    }
}
