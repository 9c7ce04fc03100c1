//! Parents, children, root sets, node transforms, skins.

use super::{all_finite, fits_f32};
use crate::codes::{
    DANGLING_REFERENCE, HIERARCHY, INSTANCES, INVERSE_BINDS, NOT_FINITE, PIVOTS, ROTATION_LENGTH, SKIN_REMOVED,
};
use crate::{LocalTransform, NodeId, Pivots, Scene, Stream, TransformPart, Trs};
use anyrig_bytes::Context;
use glam::{DAffine3, DQuat, DVec3};

pub(super) fn repair(scene: &mut Scene, context: &Context) {
    claim_children(scene, context);
    adopt_by_parent(scene, context);
    cut_cycles(scene, context);
    root_sets(scene, context);
    for index in 0..scene.nodes.len() {
        local(scene, NodeId::new(index), context);
        pivots(scene, NodeId::new(index), context);
        if let Some(geometric) = &mut scene.nodes[NodeId::new(index)].geometric {
            repair_trs(geometric, NodeId::new(index), context);
        }
        instances(scene, NodeId::new(index), context);
    }
    skins(scene, context);
}

/// Keeps each child with the first parent that lists it.
fn claim_children(scene: &mut Scene, context: &Context) {
    let mut parent_of: Vec<Option<NodeId>> = vec![None; scene.nodes.len()];
    let mut claims = vec![false; scene.nodes.len()];
    for index in 0..scene.nodes.len() {
        let parent = NodeId::new(index);
        let mut children = std::mem::take(&mut scene.nodes[parent].children);
        children.retain(|child| {
            let Some(taken) = claims.get_mut(child.index()) else {
                context.tell(&DANGLING_REFERENCE, subject(parent), "a child does not exist");
                return false;
            };
            if *taken || *child == parent {
                context.tell(&HIERARCHY, subject(*child), format!("node {index} may not be its parent as well"));
                return false;
            }
            *taken = true;
            parent_of[child.index()] = Some(parent);
            true
        });
        scene.nodes[parent].children = children;
    }
    for (index, parent) in parent_of.into_iter().enumerate().filter(|(_, p)| p.is_some()) {
        scene.nodes[NodeId::new(index)].parent = parent;
    }
}

/// A node that names a parent which does not list it is appended there.
fn adopt_by_parent(scene: &mut Scene, context: &Context) {
    let mut listed = vec![false; scene.nodes.len()];
    scene.nodes.values().flat_map(|n| &n.children).for_each(|c| listed[c.index()] = true);
    for (index, listed) in listed.into_iter().enumerate() {
        let child = NodeId::new(index);
        let Some(parent) = scene.nodes[child].parent.filter(|_| !listed) else { continue };
        if scene.nodes.contains(parent) && parent != child {
            scene.nodes[parent].children.push(child);
        } else {
            scene.nodes[child].parent = None;
        }
        context.tell(&HIERARCHY, subject(child), "its parent did not list it");
    }
}

/// Cuts the link above the first node of every cycle; what hangs below stays.
fn cut_cycles(scene: &mut Scene, context: &Context) {
    // 0: not visited, otherwise the number of the walk that came by.
    let mut visit = vec![0u32; scene.nodes.len()];
    for index in 0..scene.nodes.len() {
        let walk = index as u32 + 1;
        let mut at = NodeId::new(index);
        while visit[at.index()] == 0 {
            visit[at.index()] = walk;
            let Some(parent) = scene.nodes[at].parent else { break };
            if visit[parent.index()] == walk {
                scene.nodes[at].parent = None;
                scene.nodes[parent].children.retain(|c| *c != at);
                context.tell(&HIERARCHY, subject(at), "it was its own ancestor and became a root");
                break;
            }
            at = parent;
        }
    }
}

/// Root sets list roots, each once. The root above a listed node stands in for it, since what a set shows must not vanish
/// where a ring was cut elsewhere.
fn root_sets(scene: &mut Scene, context: &Context) {
    let tops = tops(scene);
    for (index, set) in scene.root_sets.iter_mut().enumerate() {
        let mut seen = std::collections::BTreeSet::new();
        let listed = set.roots.iter().filter_map(|root| tops.get(root.index()).copied());
        let roots: Vec<NodeId> = listed.filter(|root| seen.insert(*root)).collect();
        if roots != set.roots {
            set.roots = roots;
            context.tell(&HIERARCHY, format!("root set {index}"), "it listed nodes that are not roots");
        }
    }
    if scene.default_root_set.is_some_and(|i| i >= scene.root_sets.len()) {
        scene.default_root_set = None;
        context.tell(&DANGLING_REFERENCE, "default root set", "the set does not exist");
    }
}

/// The root above each node.
fn tops(scene: &Scene) -> Vec<NodeId> {
    let mut tops: Vec<NodeId> = scene.nodes.ids().collect();
    for id in crate::walk::parents_first(scene) {
        if let Some(parent) = scene.nodes[id].parent {
            tops[id.index()] = tops[parent.index()];
        }
    }
    tops
}

fn local(scene: &mut Scene, id: NodeId, context: &Context) {
    match &mut scene.nodes[id].local {
        LocalTransform::Matrix(affine) if !fits_f32(&affine.to_cols_array()) => {
            *affine = DAffine3::IDENTITY;
            context.tell(&NOT_FINITE, subject(id), "its matrix became the identity");
        }
        LocalTransform::Matrix(_) => {}
        LocalTransform::Trs(trs) => repair_trs(trs, id, context),
    }
}

/// Instances of a mesh that exists: at least one, with one element of each attribute.
fn instances(scene: &mut Scene, id: NodeId, context: &Context) {
    let meshes = &scene.meshes;
    let node = &mut scene.nodes[id];
    let Some(instances) = &mut node.instances else { return };
    let shows = node.mesh.as_ref().is_some_and(|m| meshes.contains(m.mesh));
    if !shows || instances.transforms.is_empty() {
        let why = if shows { "there was none of them" } else { "there was no mesh to show" };
        context.tell(&INSTANCES, subject(id), why);
        node.instances = None;
        return;
    }
    instances.transforms.iter_mut().for_each(|trs| repair_trs(trs, id, context));
    let count = instances.transforms.len();
    let before = instances.streams.len();
    let whole =
        |s: &Stream| (1..=16).contains(&s.width) && count.checked_mul(usize::from(s.width)) == Some(s.values.len());
    instances.streams.retain(|s| whole(s) && all_finite(&s.values));
    if instances.streams.len() != before {
        context.tell(&INSTANCES, subject(id), "an attribute had the wrong shape or was not finite");
    }
}

fn repair_trs(trs: &mut Trs, id: NodeId, context: &Context) {
    for (value, default) in [(&mut trs.translation, DVec3::ZERO), (&mut trs.scale, DVec3::ONE)] {
        if !fits_f32(&value.to_array()) {
            *value = default;
            context.tell(&NOT_FINITE, subject(id), "its transform became the default");
        }
    }
    let rotation = glam::DVec4::from(trs.rotation);
    let largest = rotation.abs().max_element();
    if !(rotation.is_finite() && largest > 0.0) {
        trs.rotation = DQuat::IDENTITY;
        context.tell(&ROTATION_LENGTH, subject(id), "a rotation without length became the identity");
        return;
    }
    // Brought near 1 first: squares of very large or small components overflow or vanish.
    let near_one = rotation / largest;
    let length = near_one.length() * largest;
    let unit = DQuat::from_vec4(near_one / near_one.length());
    // Single-precision sources are off by up to a few 1e-7 of rounding; only more than that is worth a line.
    if (length - 1.0).abs() > ROTATION_NOTE {
        context.tell(&ROTATION_LENGTH, subject(id), "its rotation was normalised");
    }
    if (length - 1.0).abs() > ROTATION_EXACT {
        trs.rotation = unit;
    }
}

/// Pivots are finite and give the local transform.
fn pivots(scene: &mut Scene, id: NodeId, context: &Context) {
    let node = &mut scene.nodes[id];
    let Some(pivots) = &mut node.pivots else { return };
    if !pivots.is_finite() {
        for part in TransformPart::ALL.into_iter().filter(|part| !pivots.part(*part).is_finite()).collect::<Vec<_>>() {
            *pivots.part_mut(part) = Pivots::IDENTITY.part(part);
        }
        context.tell(&PIVOTS, subject(id), "what was not finite became the default");
    }
    let trs = pivots.to_trs();
    if !(fits_f32(&trs.translation.to_array()) && fits_f32(&trs.scale.to_array())) {
        **pivots = Pivots::from_trs(node.local.to_trs());
        // To the last bit, so that validating again changes nothing.
        node.local = pivots.to_trs().into();
        context.tell(&PIVOTS, subject(id), "they were too large and became the node's transform");
        return;
    }
    let (is, should) = (node.local.to_affine(), trs.to_affine());
    let size =
        should.translation.abs().max_element().max(should.matrix3.to_cols_array().into_iter().fold(1.0, f64::max));
    if !is.abs_diff_eq(should, size * PIVOTS_NOTE) {
        context.tell(&PIVOTS, subject(id), "its transform was another one");
    }
    node.local = trs.into();
}

/// A local transform that differs more than this, relative to its size, from what its pivots give is worth a line.
const PIVOTS_NOTE: f64 = 1e-9;

/// A rotation whose length is off by more than this is worth a line; 0.00674 is what the Khronos validator allows for
/// quantised values, single precision gives 1e-6.
const ROTATION_NOTE: f64 = 1e-4;
/// A rotation whose length is off by more than this is normalised; below it the source's numbers stay as they are.
const ROTATION_EXACT: f64 = 1e-6;

fn skins(scene: &mut Scene, context: &Context) {
    let nodes = &scene.nodes;
    let mut removed = vec![false; scene.skins.len()];
    for (index, skin) in scene.skins.as_mut_slice().iter_mut().enumerate() {
        if !skin.joints.is_empty() && skin.joints.iter().any(|j| !nodes.contains(*j)) {
            skin.joints.clear();
            removed[index] = true;
            context.tell(&SKIN_REMOVED, format!("skin {index}"), "a joint does not exist");
        }
        if skin.skeleton.is_some_and(|s| !nodes.contains(s)) {
            skin.skeleton = None;
            context.tell(&DANGLING_REFERENCE, format!("skin {index}"), "its root node does not exist");
        }
        if skin.inverse_binds.len() != skin.joints.len() {
            skin.inverse_binds.resize(skin.joints.len(), DAffine3::IDENTITY);
            context.tell(&INVERSE_BINDS, format!("skin {index}"), "one per joint is needed");
        }
        for bind in skin.inverse_binds.iter_mut().filter(|b| !fits_f32(&b.to_cols_array())) {
            *bind = DAffine3::IDENTITY;
            context.tell(&NOT_FINITE, format!("skin {index}"), "an inverse bind matrix became the identity");
        }
    }
    for instance in scene.nodes.values_mut().filter_map(|n| n.mesh.as_mut()) {
        if instance.skin.is_some_and(|s| removed.get(s.index()).is_some_and(|r| *r)) {
            instance.skin = None;
        }
    }
}

fn subject(id: NodeId) -> String {
    format!("node {}", id.index())
}

#[cfg(test)]
mod tests {
    use super::super::tests::repaired;
    use super::*;
    use crate::{Node, RootSet, Skin};

    fn three() -> Scene {
        let mut scene = Scene::default();
        for name in ["a", "b", "c"] {
            scene.add_node(Node::new(name), None);
        }
        scene
    }

    fn id(index: usize) -> NodeId {
        NodeId::new(index)
    }

    #[test]
    fn a_second_parent_and_a_missing_child_are_cut() {
        let mut scene = three();
        scene.nodes[id(0)].children = vec![id(2), id(9)];
        scene.nodes[id(1)].children = vec![id(2), id(1)];
        repaired(&mut scene, "scene.hierarchy");
        assert_eq!(scene.nodes[id(2)].parent, Some(id(0)));
        assert!(scene.nodes[id(1)].children.is_empty());
    }

    #[test]
    fn cycles_are_cut_and_every_node_is_reachable_again() {
        let mut scene = three();
        scene.nodes[id(0)].children = vec![id(1)];
        scene.nodes[id(1)].children = vec![id(2)];
        scene.nodes[id(2)].children = vec![id(0)];
        repaired(&mut scene, "scene.hierarchy");
        assert_eq!(crate::walk::parents_first(&scene).len(), 3);
    }

    #[test]
    fn a_parent_that_does_not_list_its_child_adopts_it() {
        let mut scene = three();
        scene.nodes[id(2)].parent = Some(id(0));
        repaired(&mut scene, "scene.hierarchy");
        assert_eq!(scene.nodes[id(0)].children, [id(2)]);
    }

    #[test]
    fn root_sets_hold_roots_once() {
        let mut scene = three();
        scene.nodes[id(0)].children = vec![id(1)];
        scene.root_sets.push(RootSet::new("s", vec![id(0), id(1), id(2), id(2), id(7)]));
        scene.default_root_set = Some(4);
        repaired(&mut scene, "scene.hierarchy");
        assert_eq!(scene.root_sets[0].roots, [id(0), id(2)]);
        assert_eq!(scene.default_root_set, None);
    }

    #[test]
    fn a_root_set_keeps_what_it_shows_when_a_ring_is_cut() {
        let mut scene = three();
        scene.nodes[id(0)].children = vec![id(1)];
        scene.nodes[id(1)].children = vec![id(0)];
        scene.root_sets.push(RootSet::new("s", vec![id(0)]));
        repaired(&mut scene, "scene.hierarchy");
        assert!(scene.nodes[id(1)].parent.is_none() && scene.nodes[id(0)].parent == Some(id(1)));
        assert_eq!(scene.root_sets[0].roots, [id(1)]);
    }

    #[test]
    fn rotations_of_any_size_become_unit() {
        for size in [5e-324, 3e-163, 1e-160, 1e160, f64::MAX] {
            let mut scene = three();
            let rotation = DQuat::from_xyzw(size, -size, 0.0, size);
            scene.nodes[id(0)].local = LocalTransform::Trs(Trs { rotation, ..Trs::IDENTITY });
            repaired(&mut scene, "scene.rotation-length");
            let third = (1.0f64 / 3.0).sqrt();
            let unit = DQuat::from_xyzw(third, -third, 0.0, third);
            assert!(scene.nodes[id(0)].local.to_trs().rotation.abs_diff_eq(unit, 1e-15), "{size}");
        }
    }

    #[test]
    fn transforms_become_finite_and_rotations_unit() {
        let mut scene = three();
        let trs = |r: DQuat| LocalTransform::Trs(Trs { rotation: r, ..Trs::IDENTITY });
        scene.nodes[id(0)].local = trs(DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0));
        scene.nodes[id(1)].local = trs(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        scene.nodes[id(2)].local = LocalTransform::Matrix(DAffine3::from_translation(DVec3::NAN));
        repaired(&mut scene, "scene.rotation-length");
        assert!(scene.nodes.values().all(|n| n.local.to_affine() == DAffine3::IDENTITY));
    }

    #[test]
    fn pivots_that_are_too_large_become_the_transform_to_the_last_bit() {
        for x in [0.1, 0.2, 0.3, 0.7] {
            let mut scene = three();
            let rotation = DQuat::from_xyzw(x, 0.3 - x, x * x, 0.9);
            let rotation = rotation / rotation.length();
            scene.nodes[id(0)].local = LocalTransform::Trs(Trs { rotation, ..Trs::IDENTITY });
            scene.nodes[id(0)].pivots = Some(Box::new(Pivots { translation: DVec3::MAX, ..Pivots::IDENTITY }));
            repaired(&mut scene, "scene.pivots");
            assert!(scene.nodes[id(0)].local.to_trs().rotation.abs_diff_eq(rotation, 1e-14), "{x}");
        }
    }

    #[test]
    fn pivots_become_finite_and_rule_the_local_transform() {
        let mut scene = three();
        let moved = Pivots { translation: DVec3::X, ..Pivots::IDENTITY };
        scene.nodes[id(0)].pivots = Some(Box::new(moved));
        scene.nodes[id(1)].pivots = Some(Box::new(Pivots { rotation_pivot: DVec3::NAN, ..moved }));
        scene.nodes[id(2)].pivots =
            Some(Box::new(Pivots { scaling_pivot: DVec3::MAX, scale: DVec3::splat(1e10), ..moved }));
        scene.nodes[id(2)].geometric = Some(Box::new(Trs { scale: DVec3::NAN, ..Trs::IDENTITY }));
        repaired(&mut scene, "scene.pivots");
        assert!([0, 1].iter().all(|n| scene.nodes[id(*n)].local.to_affine().translation == DVec3::X));
        assert_eq!(scene.nodes[id(2)].pivots.as_deref(), Some(&Pivots::IDENTITY));
        assert_eq!(scene.nodes[id(2)].geometric.as_deref(), Some(&Trs::IDENTITY));
    }

    #[test]
    fn numbers_beyond_single_precision_are_not_finite_for_any_format() {
        let mut scene = three();
        scene.nodes[id(0)].local = LocalTransform::Trs(Trs { translation: DVec3::X * 1e300, ..Trs::IDENTITY });
        scene.nodes[id(1)].local = LocalTransform::Matrix(DAffine3::from_scale(DVec3::splat(-1e39)));
        repaired(&mut scene, "scene.not-finite");
        assert!(scene.nodes.values().all(|n| n.local.to_affine() == DAffine3::IDENTITY));
    }

    #[test]
    fn skins_are_complete_or_gone() {
        let mut scene = three();
        scene.skins.push(Skin::new("short", vec![id(0), id(1)], vec![]));
        scene.skins.push(Skin::new("dangling", vec![id(8)], vec![DAffine3::IDENTITY]));
        repaired(&mut scene.clone(), "scene.inverse-binds");
        repaired(&mut scene, "scene.skin-removed");
        assert_eq!(scene.skins.as_slice()[0].inverse_binds.len(), 2);
        assert!(scene.skins.as_slice()[1].joints.is_empty());
    }
}
