//! Who refers to whom: what is used, what may be renumbered, and giving new numbers.

use crate::extras;
use anyrig_scene::{
    Arena, CameraId, Channel, ElementId, Extras, Id, ImageId, LightId, MaterialId, MeshId, NodeId, Scene, SkinId,
    Target, TextureId,
};

/// The new id of each element; `None` for one that goes. Two may get the same one.
pub(crate) struct NewIds {
    pub(crate) nodes: Vec<Option<NodeId>>,
    pub(crate) meshes: Vec<Option<MeshId>>,
    pub(crate) skins: Vec<Option<SkinId>>,
    pub(crate) materials: Vec<Option<MaterialId>>,
    pub(crate) textures: Vec<Option<TextureId>>,
    pub(crate) images: Vec<Option<ImageId>>,
    pub(crate) cameras: Vec<Option<CameraId>>,
    pub(crate) lights: Vec<Option<LightId>>,
}

impl NewIds {
    /// All stay as they are.
    pub(crate) fn same(scene: &Scene) -> Self {
        fn ids<T>(arena: &Arena<T>) -> Vec<Option<Id<T>>> {
            arena.ids().map(Some).collect()
        }
        Self {
            nodes: ids(&scene.nodes),
            meshes: ids(&scene.meshes),
            skins: ids(&scene.skins),
            materials: ids(&scene.materials),
            textures: ids(&scene.textures),
            images: ids(&scene.images),
            cameras: ids(&scene.cameras),
            lights: ids(&scene.lights),
        }
    }

    /// Removes the elements that go and changes all references. A reference to one that goes is removed, a joint or
    /// channel with it, and of the rig what cannot do without it.
    pub(crate) fn apply(&self, scene: &mut Scene) {
        self.change_nodes(scene);
        for set in &mut scene.root_sets {
            set.roots = set.roots.iter().filter_map(|n| new(&self.nodes, *n)).collect();
        }
        for skin in scene.skins.values_mut() {
            let kept: Vec<_> = skin.joints.iter().map(|j| new(&self.nodes, *j)).collect();
            if kept.iter().all(Option::is_some) {
                skin.joints = kept.into_iter().flatten().collect();
            }
            skin.skeleton = skin.skeleton.and_then(|n| new(&self.nodes, n));
        }
        for material in scene.materials.values_mut() {
            for slot in material.texture_slots_mut() {
                *slot = slot.take().and_then(|mut used| {
                    used.texture = new(&self.textures, used.texture)?;
                    Some(used)
                });
            }
        }
        for texture in scene.textures.values_mut() {
            texture.image = texture.image.and_then(|i| new(&self.images, i));
            texture.alternates = texture.alternates.iter().filter_map(|i| new(&self.images, *i)).collect();
        }
        for clip in &mut scene.clips {
            clip.channels.retain_mut(|channel| self.change_target(channel));
        }
        scene.rig.map_nodes(|node| new(&self.nodes, node));
        compact(&mut scene.nodes, &self.nodes);
        compact(&mut scene.meshes, &self.meshes);
        compact(&mut scene.skins, &self.skins);
        compact(&mut scene.materials, &self.materials);
        compact(&mut scene.textures, &self.textures);
        compact(&mut scene.images, &self.images);
        compact(&mut scene.cameras, &self.cameras);
        compact(&mut scene.lights, &self.lights);
    }

    fn change_nodes(&self, scene: &mut Scene) {
        for node in scene.nodes.values_mut() {
            node.parent = node.parent.and_then(|p| new(&self.nodes, p));
            node.children = node.children.iter().filter_map(|c| new(&self.nodes, *c)).collect();
            node.camera = node.camera.and_then(|c| new(&self.cameras, c));
            node.light = node.light.and_then(|l| new(&self.lights, l));
            node.mesh = node.mesh.take().and_then(|mut instance| {
                instance.mesh = new(&self.meshes, instance.mesh)?;
                instance.skin = instance.skin.and_then(|s| new(&self.skins, s));
                for material in &mut instance.materials {
                    *material = material.and_then(|m| new(&self.materials, m));
                }
                instance.variants.retain_mut(|v| replace(&mut v.material, &self.materials).is_some());
                Some(instance)
            });
            node.instances = node.instances.take().filter(|_| node.mesh.is_some());
        }
    }

    /// False when the target is gone.
    fn change_target(&self, channel: &mut Channel) -> bool {
        let moved = match &mut channel.target {
            Target::Node { node, .. }
            | Target::Component { node, .. }
            | Target::Morph { node, .. }
            | Target::Visibility { node }
            | Target::Named { element: ElementId::Node(node), .. } => replace(node, &self.nodes),
            Target::Camera { camera: id, .. } | Target::Named { element: ElementId::Camera(id), .. } => {
                replace(id, &self.cameras)
            }
            Target::Light { light: id, .. } | Target::Named { element: ElementId::Light(id), .. } => {
                replace(id, &self.lights)
            }
            Target::Material { material: id, .. } | Target::Named { element: ElementId::Material(id), .. } => {
                replace(id, &self.materials)
            }
            Target::Other(_) => Some(()),
        };
        moved.is_some()
    }
}

fn new<T>(ids: &[Option<Id<T>>], old: Id<T>) -> Option<Id<T>> {
    ids.get(old.index()).copied().flatten()
}

fn replace<T>(id: &mut Id<T>, ids: &[Option<Id<T>>]) -> Option<()> {
    *id = new(ids, *id)?;
    Some(())
}

/// Keeps the first element of each new id, in order.
fn compact<T>(arena: &mut Arena<T>, ids: &[Option<Id<T>>]) {
    if ids.iter().enumerate().all(|(old, new)| new.is_some_and(|n| n.index() == old)) {
        return;
    }
    let mut next = 0;
    let old = std::mem::take(arena);
    *arena = old
        .into_values()
        .zip(ids)
        .filter_map(|(item, new)| {
            let is_next = new.is_some_and(|n| n.index() == next);
            next += usize::from(is_next);
            is_next.then_some(item)
        })
        .collect();
}

/// New ids for what stays, in order, where a duplicate goes to the one that it equals.
pub(crate) fn numbered<T>(stays: &[bool], equal_to: impl Fn(usize) -> usize) -> Vec<Option<Id<T>>> {
    let mut next = 0;
    let mut ids: Vec<Option<Id<T>>> = Vec::with_capacity(stays.len());
    for (index, stays) in stays.iter().enumerate() {
        let first = equal_to(index);
        let id = match (*stays, first < index) {
            (false, _) => None,
            (true, true) => ids[first],
            (true, false) => {
                next += 1;
                Some(Id::new(next - 1))
            }
        };
        ids.push(id);
    }
    ids
}

/// Which lists keep their order and number because carried data may refer to them by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pinned {
    /// Images and textures.
    pub(crate) textures: bool,
    /// Everything else.
    pub(crate) all: bool,
}

/// What extras and channels that the model has no word for may refer to. An extra without a whole number and without a
/// path refers to nothing; one on a material or texture refers to textures and images at most, by the rule that formats
/// extend an element with what it is made of. Meshes that are not `used` are not asked.
pub(crate) fn pinned(scene: &Scene, used: &[bool]) -> Pinned {
    let anywhere = |extras: &Extras| extras::referring(extras).next().is_some();
    let nodes =
        scene.nodes.values().flat_map(|n| std::iter::once(&n.extras).chain(n.instances.iter().map(|i| &i.extras)));
    let sets = scene.root_sets.iter().map(|s| &s.extras).chain(scene.variants.iter().map(|v| &v.extras));
    let meshes = scene.meshes.values().zip(used).filter(|(_, used)| **used).map(|(mesh, _)| mesh);
    let meshes = meshes.flat_map(|m| std::iter::once(&m.extras).chain(m.parts.iter().map(|p| &p.extras)));
    let skins = scene.skins.values().map(|s| &s.extras);
    let views = scene.cameras.values().map(|c| &c.extras).chain(scene.lights.values().map(|l| &l.extras));
    let clips = scene.clips.iter().flat_map(|c| std::iter::once(&c.extras).chain(c.channels.iter().map(|c| &c.extras)));
    let whole = std::iter::once(&scene.extras);
    let rig = scene.rig.extras();
    let mut all = whole.chain(nodes).chain(sets).chain(meshes).chain(skins).chain(views).chain(clips).chain(rig);
    let paths = scene.clips.iter().flat_map(|c| &c.channels).any(|c| matches!(c.target, Target::Other(_)));
    let all = paths || all.any(anywhere);
    let of_materials = extras::of_materials(scene).any(anywhere);
    Pinned { textures: all || of_materials, all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::Value;
    use anyrig_scene::{Curve, Image, Interpolation, Material, Node, Texture, TextureUse};

    #[test]
    fn what_stays_is_numbered_and_duplicates_follow() {
        let ids = numbered::<u8>(&[true, false, true, true, true], |i| if i == 3 { 0 } else { i });
        assert_eq!(
            ids.iter().map(|i| i.map(Id::index)).collect::<Vec<_>>(),
            [Some(0), None, Some(1), Some(0), Some(2)]
        );
    }

    #[test]
    fn references_follow_their_elements() {
        let mut scene = Scene::default();
        for i in 0..3 {
            let (mut image, mut texture) = (Image::default(), Texture::default());
            image.name = i.to_string();
            scene.images.push(image);
            texture.image = Some(ImageId::new(2 - i));
            texture.alternates = vec![ImageId::new(1), ImageId::new(2)];
            scene.textures.push(texture);
        }
        let mut material = Material::new("m");
        material.base_color_texture = Some(TextureUse::new(TextureId::new(0)));
        material.normal_texture = Some(TextureUse::new(TextureId::new(1)));
        scene.materials.push(material);
        let mut new = NewIds::same(&scene);
        new.images = numbered(&[true, false, true], |i| i);
        new.textures = numbered(&[true, false, true], |i| i);
        new.apply(&mut scene);
        assert_eq!((scene.images.len(), scene.textures.len()), (2, 2));
        let material = &scene.materials.as_slice()[0];
        let texture = material.base_color_texture.as_ref().map(|t| &scene.textures[t.texture]);
        let image = texture.and_then(|t| t.image).map(|i| scene.images[i].name.as_str());
        assert_eq!(image, Some("2"));
        assert_eq!(material.normal_texture, None);
        assert!(scene.textures.values().all(|t| t.alternates == [ImageId::new(1)]));
    }

    #[test]
    fn variants_and_moved_materials_follow() {
        use anyrig_scene::{MaterialProperty, MeshInstance, VariantMaterial};
        let mut scene = Scene::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| scene.materials.push(Material::new(name)));
        let mut node = Node::new("n");
        let mut instance = MeshInstance::new(scene.meshes.push(anyrig_scene::Mesh::default()));
        instance.variants = vec![VariantMaterial::new(0, 0, b), VariantMaterial::new(0, 1, c)];
        node.mesh = Some(instance);
        let node = scene.add_node(node, None);
        let mut clip = anyrig_scene::Clip::new("clip");
        for material in [a, b, c] {
            let curve = Curve::new(Interpolation::Linear, 1, vec![0.0], vec![0.0]);
            let target = Target::Material { material, property: MaterialProperty::Roughness };
            clip.channels.push(Channel::on(target, curve));
        }
        scene.clips.push(clip);
        let mut new = NewIds::same(&scene);
        new.materials = numbered(&[true, false, true], |i| i);
        new.apply(&mut scene);
        let variants = scene.nodes[node].mesh.as_ref().map(|m| m.variants.clone());
        assert_eq!(variants, Some(vec![VariantMaterial::new(0, 1, MaterialId::new(1))]));
        let moved = scene.clips[0].channels.iter().map(|c| &c.target);
        let moved: Vec<_> =
            moved.map(|t| if let Target::Material { material, .. } = t { material.index() } else { 9 }).collect();
        assert_eq!(moved, [0, 1]);
    }

    #[test]
    fn whole_numbers_and_paths_pin() {
        let mut scene = Scene::default();
        let node = scene.add_node(Node::new("n"), None);
        scene.nodes[node].extras.set("f.note", "text");
        assert_eq!(pinned(&scene, &[]), Pinned::default());
        let material = scene.materials.push(Material::new("m"));
        let mut value = Value::Null;
        value.set("index", Value::Int(0));
        scene.materials[material].extras.set("f.ext", value.clone());
        assert_eq!(pinned(&scene, &[]), Pinned { textures: true, all: false });
        scene.nodes[node].extras.set("f.ext", Value::Array(vec![value]));
        assert!(pinned(&scene, &[]).all);
        scene.nodes[node].extras.set("f.ext", "/nodes/3");
        assert!(pinned(&scene, &[]).all);
        scene.nodes[node].extras.remove("f.ext");
        let mut clip = anyrig_scene::Clip::new("c");
        let curve = Curve::new(Interpolation::Linear, 1, vec![0.0], vec![0.0]);
        clip.channels.push(Channel::on(Target::Other("/materials/0/x".to_owned()), curve));
        scene.clips.push(clip);
        assert!(pinned(&scene, &[]).all);
    }
}
