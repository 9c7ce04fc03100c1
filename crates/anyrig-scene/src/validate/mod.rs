//! Puts a scene into a state that later code may index freely.
//!
//! Facts that hold after [`validate`], and that passes and exporters rely on:
//! - every id and index is in range; parents and children agree; the hierarchy is a forest;
//! - every number is finite, transforms in single precision too; node rotations are unit quaternions; pivots give the node's local transform;
//! - a stream has exactly one element of its semantic's width per element of its domain; semantics are unique in a part;
//! - corners are in range and complete faces; polygon offsets ascend from 0 to the number of corners;
//! - influences have one row per point; weights are not negative and sum to 1 at each point, or are all 0;
//! - a skin has one inverse bind per joint;
//! - [`crate::Part::morphs`] is empty or has one entry per target of the mesh; delta points ascend and are in range;
//! - key times strictly ascend; a curve has one key's worth of values per time, of its target's width, and, if it is
//!   one of [`crate::Interpolation::PerKey`], one segment per key;
//! - a channel names a layer of its clip, or layer 0 when it has none; a layer has one channel per target;
//! - a node whose rotation or pivots are moved by component has pivots;
//! - joints of a spring lie below each other, the links of an IK chain above its effector and each other.

mod clips;
mod geometry;
mod hierarchy;
mod rig;

use crate::codes::{DANGLING_REFERENCE, NOT_FINITE, VARIANTS, WEIGHT_COUNT};
use crate::{Arena, Id, Material, MaterialProperty, MeshInstance, Scene};
use anyrig_bytes::{Context, Diagnostic};

/// Repairs what is inconsistent and says so in the report. Idempotent: a second call changes and says nothing.
pub fn validate(scene: &mut Scene, context: &Context) {
    hierarchy::repair(scene, context);
    references(scene, context);
    geometry::repair(scene, context);
    clips::repair(scene, context);
    rig::repair(scene, context);
    factors(scene, context);
}

/// Clears an optional id that is out of range.
fn clear_dangling<T, U>(slot: &mut Option<Id<T>>, arena: &Arena<T>, context: &Context, owner: (&str, Id<U>)) {
    if slot.is_some_and(|id| !arena.contains(id)) {
        *slot = None;
        context.tell(&DANGLING_REFERENCE, format!("{} {}", owner.0, owner.1.index()), "the element does not exist");
    }
}

fn references(scene: &mut Scene, context: &Context) {
    let (meshes, skins, materials) = (&scene.meshes, &scene.skins, &scene.materials);
    for (index, node) in scene.nodes.as_mut_slice().iter_mut().enumerate() {
        let owner = ("node", Id::<crate::Node>::new(index));
        clear_dangling(&mut node.camera, &scene.cameras, context, owner);
        clear_dangling(&mut node.light, &scene.lights, context, owner);
        let mut mesh = node.mesh.as_ref().map(|m| m.mesh);
        clear_dangling(&mut mesh, meshes, context, owner);
        if mesh.is_none() {
            node.mesh = None;
        }
        let Some(instance) = &mut node.mesh else { continue };
        clear_dangling(&mut instance.skin, skins, context, owner);
        for material in &mut instance.materials {
            clear_dangling(material, materials, context, owner);
        }
        variants(instance, scene.variants.len(), materials, context, index);
        morph_weights(instance, meshes[instance.mesh].morphs.len(), context, index);
    }
    for (index, texture) in scene.textures.as_mut_slice().iter_mut().enumerate() {
        clear_dangling(&mut texture.image, &scene.images, context, ("texture", Id::<crate::Texture>::new(index)));
        let before = texture.alternates.len();
        texture.alternates.retain(|image| scene.images.contains(*image));
        if texture.alternates.len() != before {
            context.tell(&DANGLING_REFERENCE, format!("texture {index}"), "an alternate image does not exist");
        }
    }
    let textures = &scene.textures;
    for (index, material) in scene.materials.as_mut_slice().iter_mut().enumerate() {
        for slot in material.texture_slots_mut() {
            if slot.as_ref().is_some_and(|t| !textures.contains(t.texture)) {
                *slot = None;
                context.tell(&DANGLING_REFERENCE, format!("material {index}"), "the texture does not exist");
            }
        }
    }
}

/// No weights, or a finite one for each morph target.
fn morph_weights(instance: &mut MeshInstance, morphs: usize, context: &Context, node: usize) {
    let weights = &mut instance.morph_weights;
    if !weights.is_empty() && weights.len() != morphs {
        context.tell(&WEIGHT_COUNT, format!("node {node}"), format!("{} weights for {morphs} targets", weights.len()));
        weights.resize(morphs, 0.0);
    }
    let count = make_finite(weights, 0.0);
    if count > 0 {
        tell_not_finite(format!("node {node}"), "morph weights became 0", count, context);
    }
}

/// Variants that exist, once for each slot, in order.
fn variants(instance: &mut MeshInstance, count: usize, materials: &Arena<Material>, context: &Context, node: usize) {
    let before = instance.variants.len();
    instance.variants.retain(|v| (v.variant as usize) < count && materials.contains(v.material));
    // Of several for one slot the first counts; the sort keeps their order.
    instance.variants.sort_by_key(|v| (v.slot, v.variant));
    instance.variants.dedup_by_key(|v| (v.slot, v.variant));
    let removed = (before - instance.variants.len()) as u64;
    if removed > 0 {
        context.push(Diagnostic::new(&VARIANTS, format!("node {node}"), "").times(removed));
    }
}

/// Whether all numbers are finite in single precision too, which is what every format writes.
fn fits_f32(values: &[f64]) -> bool {
    values.iter().all(|v| v.abs() <= f64::from(f32::MAX))
}

/// Replaces numbers that are not finite; gives how many.
fn make_finite(values: &mut [f32], replacement: f32) -> u64 {
    let mut count = 0;
    for value in values.iter_mut().filter(|v| !v.is_finite()) {
        *value = replacement;
        count += 1;
    }
    count
}

/// Whether all values are finite; written so that the compiler can use wide registers.
fn all_finite(values: &[f32]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    values.chunks(1024).all(|chunk| !chunk.iter().fold(false, |bad, v| bad | (v.to_bits() & EXPONENT == EXPONENT)))
}

fn factors(scene: &mut Scene, context: &Context) {
    for (index, m) in scene.materials.as_mut_slice().iter_mut().enumerate() {
        let mut count = 0;
        for property in MaterialProperty::FACTORS {
            let default = default_of(property);
            count += m.numbers_mut(property).map_or(0, |numbers| make_finite(numbers, default));
        }
        for transform in m.texture_slots_mut().into_iter().flatten().filter_map(|t| t.transform.as_mut()) {
            count += make_finite(&mut transform.offset, 0.0) + make_finite(&mut transform.scale, 1.0);
            count += make_finite(std::slice::from_mut(&mut transform.rotation_rad), 0.0);
        }
        if count > 0 {
            tell_not_finite(format!("material {index}"), "replaced by defaults", count, context);
        }
    }
    for (index, mesh) in scene.meshes.as_mut_slice().iter_mut().enumerate() {
        let defaults = mesh.morphs.iter_mut().map(|m| make_finite(std::slice::from_mut(&mut m.default_weight), 0.0));
        let count = defaults.sum();
        if count > 0 {
            tell_not_finite(format!("mesh {index}"), "morph weights became 0", count, context);
        }
    }
}

fn tell_not_finite(subject: String, message: &str, count: u64, context: &Context) {
    context.push(Diagnostic::new(&NOT_FINITE, subject, message).times(count));
}

/// What stands in for a number that is not finite: the value that has no effect, as far as there is one.
fn default_of(property: MaterialProperty) -> f32 {
    match property {
        MaterialProperty::BaseColor
        | MaterialProperty::Metallic
        | MaterialProperty::Roughness
        | MaterialProperty::NormalScale
        | MaterialProperty::OcclusionStrength
        | MaterialProperty::EmissiveStrength
        | MaterialProperty::ClearcoatNormalScale
        | MaterialProperty::DiffuseTransmissionColor
        | MaterialProperty::AttenuationColor
        | MaterialProperty::Specular
        | MaterialProperty::SpecularColor => 1.0,
        MaterialProperty::AlphaCutoff => 0.5,
        // The largest distance is as good as none.
        MaterialProperty::AttenuationDistance => f32::MAX,
        MaterialProperty::Ior => 1.5,
        MaterialProperty::IridescenceIor => 1.3,
        MaterialProperty::IridescenceThicknessMin => 100.0,
        MaterialProperty::IridescenceThicknessMax => 400.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MeshInstance, Node, NodeId};

    /// Validates, checks that the code was reported, and that a second call has nothing to say.
    pub(super) fn repaired(scene: &mut Scene, code: &str) {
        let context = Context::new();
        validate(scene, &context);
        assert!(context.report().count_of(code) > 0, "{code} is missing in {:?}", context.report());
        let again = Context::new();
        let before = scene.clone();
        validate(scene, &again);
        assert!(again.report().is_empty(), "second call says {:?}", again.report());
        assert_eq!(*scene, before);
    }

    #[test]
    fn dangling_references_go() {
        let mut scene = Scene::default();
        let mut node = Node::new("n");
        node.mesh = Some(MeshInstance::new(Id::new(3)));
        node.camera = Some(Id::new(0));
        scene.add_node(node, None);
        repaired(&mut scene, "scene.dangling-reference");
        assert!(scene.nodes[NodeId::new(0)].mesh.is_none());
    }

    #[test]
    fn finite_scan_sees_every_bad_value() {
        let mut values = vec![1.0f32; 3000];
        assert!(all_finite(&values));
        for (at, bad) in [(0, f32::NAN), (1024, f32::INFINITY), (2999, f32::NEG_INFINITY)] {
            values[at] = bad;
            assert!(!all_finite(&values), "{at}");
            assert_eq!(make_finite(&mut values, 0.5), 1);
        }
    }

    #[test]
    fn material_factors_become_finite() {
        let mut scene = Scene::default();
        let mut material = Material::new("m");
        material.roughness = f32::NAN;
        scene.materials.push(material);
        repaired(&mut scene, "scene.not-finite");
        for property in MaterialProperty::FACTORS {
            let mut material = Material::new("m");
            (material.ior, material.dispersion) = (Some(1.0), Some(0.0));
            material.alpha_mode = crate::AlphaMode::Mask { cutoff: 0.5 };
            material.volume = Some(Box::new(crate::Volume { attenuation_distance: Some(1.0), ..Default::default() }));
            let Some(numbers) = material.numbers_mut(property) else { continue };
            numbers.fill(f32::INFINITY);
            let mut scene = Scene::default();
            scene.materials.push(material);
            repaired(&mut scene, "scene.not-finite");
        }
    }

    #[test]
    fn morph_weights_are_finite_and_one_for_each_target() {
        use crate::{Mesh, MorphTarget};
        let weights = |weights: &[f32], default: f32| {
            let mut scene = Scene::default();
            let morphs = vec![MorphTarget::new("a"), MorphTarget::new("b")];
            let mut mesh = Mesh { morphs, ..Mesh::default() };
            mesh.morphs[1].default_weight = default;
            let mut instance = MeshInstance::new(scene.meshes.push(mesh));
            instance.morph_weights = weights.to_vec();
            let mut node = Node::new("n");
            node.mesh = Some(instance);
            scene.add_node(node, None);
            scene
        };
        let shown = |scene: &Scene| scene.nodes[NodeId::new(0)].mesh.as_ref().expect("kept").morph_weights.clone();
        let mut scene = weights(&[f32::INFINITY, 0.5], 1.0);
        repaired(&mut scene, "scene.not-finite");
        assert_eq!(shown(&scene), [0.0, 0.5]);
        let mut scene = weights(&[0.25], 1.0);
        repaired(&mut scene, "scene.weight-count");
        assert_eq!(shown(&scene), [0.25, 0.0]);
        let mut scene = weights(&[], f32::NAN);
        repaired(&mut scene, "scene.not-finite");
        assert_eq!((shown(&scene), scene.meshes[Id::new(0)].morphs[1].default_weight), (vec![], 0.0));
    }

    #[test]
    fn variants_exist_and_stand_once() {
        use crate::{Mesh, Variant, VariantMaterial};
        let mut scene = Scene::default();
        let (mesh, material) = (scene.meshes.push(Mesh::default()), scene.materials.push(Material::new("m")));
        scene.variants = vec![Variant::new("day"), Variant::new("night")];
        let mut instance = MeshInstance::new(mesh);
        let all = [(1, 1, material), (0, 1, material), (1, 1, Id::new(0)), (0, 2, material), (0, 0, Id::new(9))];
        instance.variants = all.map(|(slot, variant, m)| VariantMaterial::new(slot, variant, m)).to_vec();
        let mut node = Node::new("n");
        node.mesh = Some(instance);
        scene.add_node(node, None);
        repaired(&mut scene, "scene.variants");
        let left = &scene.nodes[NodeId::new(0)].mesh.as_ref().expect("kept").variants;
        assert_eq!(left.iter().map(|v| (v.slot, v.variant)).collect::<Vec<_>>(), [(0, 1), (1, 1)]);
    }

    #[test]
    fn instances_are_whole() {
        use crate::{Instances, Mesh, Semantic, Stream, Trs};
        use glam::{DQuat, DVec3};
        let mut scene = Scene::default();
        let mesh = scene.meshes.push(Mesh::default());
        let bad = Trs {
            translation: DVec3::splat(f64::NAN),
            rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0),
            scale: DVec3::ONE,
        };
        for (shows, transforms) in [(true, vec![bad, bad]), (true, vec![]), (false, vec![Trs::IDENTITY])] {
            let mut node = Node::new("n");
            node.mesh = shows.then(|| MeshInstance::new(mesh));
            let mut instances = Instances::new(transforms);
            instances.streams.push(Stream::new(Semantic::Custom("_ID".to_owned()), 1, vec![1.0, 2.0, 3.0]));
            node.instances = Some(Box::new(instances));
            scene.add_node(node, None);
        }
        repaired(&mut scene, "scene.instances");
        let kept: Vec<_> = scene.nodes.values().map(|n| n.instances.as_deref()).collect();
        assert_eq!(kept[0].map(|i| (i.transforms.clone(), i.streams.len())), Some((vec![Trs::IDENTITY; 2], 0)));
        assert_eq!(kept[1..], [None, None]);
    }

    #[test]
    fn an_empty_scene_is_valid() {
        let context = Context::new();
        validate(&mut Scene::default(), &context);
        assert!(context.report().is_empty());
    }
}
