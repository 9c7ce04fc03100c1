//! Brings texture coordinates that go beyond 0 to 1 into that range, as fractions of whole numbers need it. The textures
//! that read them undo it (`KHR_texture_transform`), so that all parts that share a material share what is done.

use super::meshes::kept_materials;
use super::quantize::Groups;
use crate::names::{EXTENSIONS, PBR};
use anyrig_bytes::{Buffer, maths};
use anyrig_scene::{
    Domain, Extras, Material, MaterialId, MaterialProperty, MeshId, Part, Scene, Semantic, Stream, Target, UvTransform,
};
use std::collections::{BTreeMap, BTreeSet};

/// Coordinates of a wider range stay as they are: a step of 16 bits would show.
const MOST_EXTENT: f64 = 64.0;

/// How far seen coordinates of the widest range are off at most: half a step of 16 bits, and what single precision adds.
pub(super) const MOST_ERROR: f64 = MOST_EXTENT * (0.5 / 65535.0 + 1e-6);

/// What was seen is `least + extent × stored`, on each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Squeeze {
    least: [f64; 2],
    extent: [f64; 2],
}

impl Squeeze {
    /// How far seen coordinates are off when stored ones are off by `stored`, and transforms are of single precision.
    pub(super) fn error(&self, stored: f64) -> f64 {
        let of_axis = |axis: usize| self.extent[axis] * stored + (self.least[axis].abs() + self.extent[axis]) * 2.5e-7;
        of_axis(0).max(of_axis(1))
    }

    /// The transform that does what `old` did to the coordinates as they were.
    fn before(&self, old: UvTransform) -> UvTransform {
        let (sin, cos) = maths::f64::sin_cos(f64::from(old.rotation_rad));
        let scale = old.scale.map(f64::from);
        let (u, v) = (scale[0] * self.least[0], scale[1] * self.least[1]);
        // Rotation is counter-clockwise as seen where V grows downwards.
        let offset = [f64::from(old.offset[0]) + cos * u + sin * v, f64::from(old.offset[1]) - sin * u + cos * v];
        UvTransform {
            offset: offset.map(|v| v as f32),
            scale: [(scale[0] * self.extent[0]) as f32, (scale[1] * self.extent[1]) as f32],
            ..old
        }
    }

    fn stored(&self, values: &[f32]) -> Vec<f32> {
        let of_axis = |(index, value): (usize, &f32)| {
            let axis = index % 2;
            (((f64::from(*value) - self.least[axis]) / self.extent[axis]).clamp(0.0, 1.0)) as f32
        };
        values.iter().enumerate().map(of_axis).collect()
    }
}

/// Which part's set of coordinates: mesh, part, set.
pub(super) type Place = (usize, usize, u32);

/// Squeezes what can be, and says where.
pub(super) fn squeeze(scene: &mut Scene) -> BTreeMap<Place, Squeeze> {
    let mut squeezed = BTreeMap::new();
    for family in families(scene) {
        let Some(squeeze) = squeeze_of(scene, &family) else { continue };
        let mut known: BTreeMap<(usize, usize), (Buffer<f32>, Buffer<f32>)> = BTreeMap::new();
        for place in &family.places {
            let Some(stream) = stream_mut(scene, *place) else { continue };
            let old = stream.values.clone();
            // Shared buffers stay shared; the old ones are kept, so that no new one takes their place in memory.
            let made = || (old.clone(), Buffer::from(squeeze.stored(&old)));
            let entry = known.entry((old.as_ptr() as usize, old.len())).or_insert_with(made);
            stream.values = entry.1.clone();
            squeezed.insert(*place, squeeze);
        }
        for (material, set) in &family.readers {
            let slots = scene.materials[*material].texture_slots_mut();
            for used in slots.into_iter().flatten().filter(|used| used.uv_set == *set) {
                used.transform = Some(squeeze.before(used.transform.unwrap_or(UvTransform::IDENTITY)));
            }
        }
    }
    squeezed
}

/// Sets of coordinates that must be treated alike, and the materials that read them.
#[derive(Default)]
struct Family {
    places: Vec<Place>,
    readers: Vec<(MaterialId, u32)>,
}

/// All families of which every member can change.
fn families(scene: &Scene) -> Vec<Family> {
    let mut numbers: BTreeMap<Place, usize> = BTreeMap::new();
    for (id, mesh) in scene.meshes.iter() {
        for (number, part) in mesh.parts.iter().enumerate() {
            for set in sets(part) {
                let next = numbers.len();
                numbers.insert((id.index(), number, set), next);
            }
        }
    }
    let worn = worn(scene);
    let mut readers: BTreeMap<(MaterialId, u32), usize> = BTreeMap::new();
    for (.., material) in &worn {
        for set in scene.materials.get(*material).map(read_sets).unwrap_or_default() {
            let next = numbers.len() + readers.len();
            readers.entry((*material, set)).or_insert(next);
        }
    }
    let mut groups = Groups::new(numbers.len() + readers.len());
    let mut fixed: BTreeSet<usize> = BTreeSet::new();
    let busy = busy_materials(scene);
    for (mesh, part, material) in &worn {
        for ((_, set), reader) in readers.range((*material, 0)..=(*material, u32::MAX)) {
            match numbers.get(&(*mesh, *part, *set)) {
                Some(number) => groups.join(*number, *reader),
                // What reads coordinates that are not there reads zeros.
                None => drop(fixed.insert(*reader)),
            }
        }
    }
    fixed.extend(readers.iter().filter(|((material, _), _)| busy.contains(material)).map(|(_, number)| *number));
    let may_change = |place: &Place| part_at(scene, *place).is_some_and(|part| can_change(part, place.2));
    fixed.extend(numbers.iter().filter(|(place, _)| !may_change(place)).map(|(_, number)| *number));
    let fixed: BTreeSet<usize> = fixed.into_iter().map(|member| groups.find(member)).collect();
    let mut families: BTreeMap<usize, Family> = BTreeMap::new();
    for (place, number) in numbers {
        families.entry(groups.find(number)).or_default().places.push(place);
    }
    for (reader, number) in readers {
        families.entry(groups.find(number)).or_default().readers.push(reader);
    }
    let can_be = |(first, family): &(usize, Family)| !fixed.contains(first) && !family.readers.is_empty();
    families.into_iter().filter(can_be).map(|(_, family)| family).collect()
}

/// What brings all coordinates of a family into 0 to 1; `None` where they are there, or too far apart.
fn squeeze_of(scene: &Scene, family: &Family) -> Option<Squeeze> {
    let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for place in &family.places {
        let stream = part_at(scene, *place)?.stream(&Semantic::TexCoord(place.2))?;
        for uv in stream.values.as_chunks::<2>().0 {
            for axis in 0..2 {
                least[axis] = least[axis].min(f64::from(uv[axis]));
                most[axis] = most[axis].max(f64::from(uv[axis]));
            }
        }
    }
    let is_inside = |axis: usize| least[axis] >= 0.0 && most[axis] <= 1.0;
    let extent = [0, 1].map(|axis| most[axis] - least[axis]);
    if (0..2).all(is_inside) || !extent.iter().all(|e| *e <= MOST_EXTENT) {
        return None;
    }
    let of_axis = |axis: usize| match extent[axis] {
        _ if is_inside(axis) => (0.0, 1.0),
        extent => (least[axis], if extent > 0.0 { extent } else { 1.0 }),
    };
    let [u, v] = [0, 1].map(of_axis);
    Some(Squeeze { least: [u.0, v.0], extent: [u.1, v.1] })
}

fn part_at(scene: &Scene, (mesh, part, _): Place) -> Option<&Part> {
    scene.meshes.get(MeshId::new(mesh))?.parts.get(part)
}

fn stream_mut(scene: &mut Scene, (mesh, part, set): Place) -> Option<&mut Stream> {
    let part = scene.meshes.get_mut(MeshId::new(mesh))?.parts.get_mut(part)?;
    part.streams.iter_mut().find(|s| s.semantic == Semantic::TexCoord(set))
}

fn sets(part: &Part) -> impl Iterator<Item = u32> {
    part.streams.iter().filter_map(|s| match s.semantic {
        Semantic::TexCoord(set) => Some(set),
        _ => None,
    })
}

/// The sets that a material's textures read.
fn read_sets(material: &Material) -> BTreeSet<u32> {
    material.texture_uses().map(|(_, used)| used.uv_set).collect()
}

/// Whether nothing but the textures of known materials depends on the numbers of a set.
fn can_change(part: &Part, set: u32) -> bool {
    let semantic = Semantic::TexCoord(set);
    let moves = part.morphs.iter().flat_map(|m| &m.deltas).any(|delta| delta.semantic == semantic);
    let stream = part.stream(&semantic).filter(|s| s.width == 2 && s.domain == Domain::Point);
    let is_finite = stream.is_some_and(|s| s.values.iter().all(|v| v.is_finite()));
    is_finite && !moves && part.extras.get(EXTENSIONS).is_none()
}

/// Mesh, part and material, for each material that a part wears anywhere.
fn worn(scene: &Scene) -> BTreeSet<(usize, usize, MaterialId)> {
    let mut worn = BTreeSet::new();
    let mut shown = BTreeSet::new();
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        let Some(mesh) = scene.meshes.get(instance.mesh) else { continue };
        shown.insert(instance.mesh);
        for (number, part) in mesh.parts.iter().enumerate() {
            let usual = instance.materials.get(part.slot as usize).copied().flatten();
            let variants = instance.variants.iter().filter(|v| v.slot == part.slot).map(|v| v.material);
            worn.extend(usual.into_iter().chain(variants).map(|material| (instance.mesh.index(), number, material)));
        }
    }
    for (id, mesh) in scene.meshes.iter().filter(|(id, _)| !shown.contains(id)) {
        let kept = kept_materials(mesh).into_iter().enumerate();
        worn.extend(kept.filter_map(|(number, material)| Some((id.index(), number, material?))));
    }
    worn
}

/// Materials whose textures may not change: their transforms move, or something unknown reads them.
fn busy_materials(scene: &Scene) -> BTreeSet<MaterialId> {
    let carries = |extras: &Extras| extras.get(EXTENSIONS).is_some() || extras.get(PBR).is_some();
    let says_more = |material: &Material| {
        carries(&material.extras) || material.texture_uses().any(|(_, used)| used.extras.get(EXTENSIONS).is_some())
    };
    let mut busy: BTreeSet<MaterialId> =
        scene.materials.iter().filter(|(_, material)| says_more(material)).map(|(id, _)| id).collect();
    for channel in scene.clips.iter().flat_map(|c| &c.channels) {
        match &channel.target {
            Target::Material { material, property } if moves_coordinates(*property) => drop(busy.insert(*material)),
            Target::Other(pointer) => {
                let index = pointer.strip_prefix("/materials/").and_then(|p| p.split('/').next()?.parse().ok());
                busy.extend(index.map(MaterialId::new));
            }
            _ => {}
        }
    }
    busy
}

fn moves_coordinates(property: MaterialProperty) -> bool {
    use MaterialProperty::{UvOffset, UvRotation, UvScale};
    matches!(property, UvOffset(_) | UvRotation(_) | UvScale(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::Value;
    use anyrig_scene::{
        Channel, Clip, Curve, Interpolation, Mesh, MeshInstance, Node, Texture, TextureSlot, TextureUse,
    };

    /// Parts with these texture coordinates, all of which wear one textured material.
    fn scene(parts: &[[f32; 4]]) -> Scene {
        let mut scene = Scene::default();
        let texture = scene.textures.push(Texture::default());
        let mut material = Material::new("m");
        let mut used = TextureUse::new(texture);
        used.transform = Some(UvTransform { offset: [0.25, 0.5], rotation_rad: 0.75, scale: [2.0, -1.0] });
        material.base_color_texture = Some(used);
        let material = scene.materials.push(material);
        for uvs in parts {
            let mut part = Part::default();
            part.point_count = 2;
            part.set_stream(Stream::new(Semantic::TexCoord(0), 2, uvs.to_vec()));
            let mut mesh = Mesh::default();
            mesh.parts = vec![part];
            let mut instance = MeshInstance::new(scene.meshes.push(mesh));
            instance.materials = vec![Some(material)];
            let mut node = Node::new("n");
            node.mesh = Some(instance);
            scene.add_node(node, None);
        }
        scene
    }

    fn transform(scene: &Scene) -> UvTransform {
        let used = scene.materials.as_slice()[0].base_color_texture.as_ref();
        used.and_then(|t| t.transform).expect("a transform")
    }

    /// Texture coordinates as a texture is read at.
    fn seen(scene: &Scene) -> Vec<f64> {
        let t = transform(scene);
        let (sin, cos) = maths::f64::sin_cos(f64::from(t.rotation_rad));
        let values = scene.meshes.values().flat_map(|m| m.parts[0].streams[0].values.to_vec()).collect::<Vec<_>>();
        let turn = |uv: &[f32; 2]| {
            let (u, v) = (f64::from(uv[0] * t.scale[0]), f64::from(uv[1] * t.scale[1]));
            [f64::from(t.offset[0]) + cos * u + sin * v, f64::from(t.offset[1]) - sin * u + cos * v]
        };
        values.as_chunks::<2>().0.iter().flat_map(turn).collect()
    }

    #[test]
    fn what_is_seen_stays_for_all_that_share_a_material() {
        let mut scene = scene(&[[-1.0, 0.0, 3.0, 1.0], [0.0, 0.25, 0.5, 0.75]]);
        let before = seen(&scene);
        let squeezed = squeeze(&mut scene);
        assert_eq!(squeezed.keys().copied().collect::<Vec<_>>(), [(0, 0, 0), (1, 0, 0)]);
        let stored: Vec<f32> = scene.meshes.values().flat_map(|m| m.parts[0].streams[0].values.to_vec()).collect();
        assert_eq!(stored, [0.0, 0.0, 1.0, 1.0, 0.25, 0.25, 0.375, 0.75]);
        assert_eq!(transform(&scene).scale, [8.0, -1.0]);
        assert!(before.iter().zip(seen(&scene)).all(|(a, b)| (a - b).abs() < 1e-6), "{before:?} {:?}", seen(&scene));
        assert_eq!(squeeze(&mut scene).len(), 0, "nothing is outside any more");
    }

    #[test]
    fn what_something_else_depends_on_stays() {
        let outside = [[-1.0, 0.0, 3.0, 1.0]];
        let stays = |change: fn(&mut Scene)| {
            let mut scene = scene(&outside);
            change(&mut scene);
            let before = scene.clone();
            let squeezed = squeeze(&mut scene);
            assert!(squeezed.is_empty() && scene == before);
        };
        stays(|scene| scene.materials.values_mut().for_each(|m| m.extras.set(EXTENSIONS, Value::from(1))));
        stays(|scene| scene.nodes.values_mut().filter_map(|n| n.mesh.as_mut()).for_each(|i| i.materials.clear()));
        stays(|scene| {
            let property = MaterialProperty::UvOffset(TextureSlot::BaseColor);
            let curve = Curve::new(Interpolation::Linear, 2, vec![0.0], vec![0.0, 1.0]);
            let mut clip = Clip::new("c");
            clip.channels.push(Channel::on(Target::Material { material: MaterialId::new(0), property }, curve));
            scene.clips.push(clip);
        });
        // Another part that has no such coordinates is read at zero.
        stays(|scene| {
            let mut bare = scene.meshes.as_slice()[0].clone();
            bare.parts[0].streams.clear();
            let mut instance = MeshInstance::new(scene.meshes.push(bare));
            instance.materials = vec![Some(MaterialId::new(0))];
            let mut node = Node::new("bare");
            node.mesh = Some(instance);
            scene.add_node(node, None);
        });
        // A step of 16 bits would show.
        stays(|scene| {
            let streams = &mut scene.meshes.as_mut_slice()[0].parts[0].streams;
            streams[0].values = vec![0.0, 0.0, 100.0, 0.0].into();
        });
    }
}
