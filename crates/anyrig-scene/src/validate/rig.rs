//! Constraints, IK chains and springs.

use super::fits_f32;
use crate::codes::{DANGLING_REFERENCE, IK_LINKS, NOT_FINITE, SPRINGS};
use crate::{ColliderShape, ConstraintKind, ConstraintSource, Rig, Scene, Trs, WorldUp, walk};
use anyrig_bytes::{Context, Diagnostic};
use glam::{DQuat, DVec3};

pub(super) fn repair(scene: &mut Scene, context: &Context) {
    if scene.rig.is_empty() {
        return;
    }
    let nodes = &scene.nodes;
    let removed = scene.rig.map_nodes(|node| nodes.contains(node).then_some(node));
    if removed > 0 {
        context.push(Diagnostic::new(&DANGLING_REFERENCE, "rig", "a node does not exist").times(removed));
    }
    indexes(&mut scene.rig, context);
    numbers(&mut scene.rig, context);
    chains(scene, context);
}

/// Groups and colliders that exist.
fn indexes(rig: &mut Rig, context: &Context) {
    let (groups, colliders) = (rig.collider_groups.len(), rig.colliders.len());
    let keep = |list: &mut Vec<u32>, count: usize, subject: String| {
        let before = list.len();
        list.retain(|index| (*index as usize) < count);
        if list.len() != before {
            context.tell(&SPRINGS, subject, "it named what does not exist");
        }
    };
    for (i, spring) in rig.springs.iter_mut().enumerate() {
        keep(&mut spring.collider_groups, groups, format!("spring {i}"));
    }
    for (i, group) in rig.collider_groups.iter_mut().enumerate() {
        keep(&mut group.colliders, colliders, format!("collider group {i}"));
    }
}

fn chains(scene: &mut Scene, context: &Context) {
    if scene.rig.springs.is_empty() && scene.rig.ik_chains.is_empty() {
        return;
    }
    let below = walk::Descent::new(scene);
    for (i, spring) in scene.rig.springs.iter_mut().enumerate() {
        let apart = spring.joints.windows(2).position(|pair| !below.is_below(pair[1].node, pair[0].node));
        if let Some(last) = apart {
            spring.joints.truncate(last + 1);
            context.tell(&SPRINGS, format!("spring {i}"), "its joints did not lie below each other");
        }
    }
    let mut index = 0;
    scene.rig.ik_chains.retain(|chain| {
        let upwards = std::iter::once(chain.effector).chain(chain.links.iter().map(|l| l.node));
        let is_chain = upwards.zip(&chain.links).all(|(lower, upper)| below.is_below(lower, upper.node));
        let stays = is_chain && !chain.links.is_empty();
        if !stays {
            context.tell(&IK_LINKS, format!("IK chain {index}"), "");
        }
        index += 1;
        stays
    });
}

/// Replaces numbers that no format could hold, and counts them.
#[derive(Default)]
struct Numbers(u64);

impl Numbers {
    fn number(&mut self, value: &mut f64, default: f64) {
        if !fits_f32(&[*value]) {
            *value = default;
            self.0 += 1;
        }
    }

    /// As [`Numbers::number`], and not negative.
    fn amount(&mut self, value: &mut f64, default: f64) {
        self.number(value, default);
        if *value < 0.0 {
            *value = 0.0;
            self.0 += 1;
        }
    }

    fn vector(&mut self, value: &mut DVec3, default: DVec3) {
        if !fits_f32(&value.to_array()) {
            *value = default;
            self.0 += 1;
        }
    }

    /// A vector that has a direction.
    fn direction(&mut self, value: &mut DVec3, default: DVec3) {
        self.vector(value, default);
        if value.length_squared() == 0.0 {
            *value = default;
            self.0 += 1;
        }
    }

    fn rotation(&mut self, value: &mut DQuat) {
        let length = value.length();
        if !(length > 0.0 && length.is_finite()) {
            *value = DQuat::IDENTITY;
            self.0 += 1;
        } else if (length - 1.0).abs() > 1e-6 {
            *value /= length;
            self.0 += 1;
        }
    }

    fn trs(&mut self, value: &mut Trs) {
        self.vector(&mut value.translation, DVec3::ZERO);
        self.rotation(&mut value.rotation);
        self.vector(&mut value.scale, DVec3::ONE);
    }

    fn sources(&mut self, sources: &mut [ConstraintSource]) {
        for source in sources {
            self.amount(&mut source.weight, 1.0);
            self.trs(&mut source.offset);
        }
    }

    fn kind(&mut self, kind: &mut ConstraintKind) {
        match kind {
            ConstraintKind::Roll { .. } | ConstraintKind::Aim { .. } | ConstraintKind::Rotation { .. } => {}
            ConstraintKind::Append { rotation, translation, .. } => {
                self.number(rotation, 0.0);
                self.number(translation, 0.0);
            }
            ConstraintKind::Parent { sources } => self.sources(sources),
            ConstraintKind::Position { sources, offset, .. } => {
                self.sources(sources);
                self.vector(offset, DVec3::ZERO);
            }
            ConstraintKind::Orientation { sources, offset } => {
                self.sources(sources);
                self.rotation(offset);
            }
            ConstraintKind::Scale { sources, offset, .. } => {
                self.sources(sources);
                self.vector(offset, DVec3::ONE);
            }
            ConstraintKind::LookAt(look) => {
                self.sources(&mut look.sources);
                self.direction(&mut look.aim, DVec3::X);
                self.direction(&mut look.up, DVec3::Y);
                self.rotation(&mut look.offset);
                if let WorldUp::Scene(direction) | WorldUp::NodeDirection { direction, .. } = &mut look.world_up {
                    self.direction(direction, DVec3::Y);
                }
            }
        }
    }

    fn shape(&mut self, shape: &mut ColliderShape) {
        match shape {
            ColliderShape::Sphere { offset, radius, .. } => {
                self.vector(offset, DVec3::ZERO);
                self.amount(radius, 0.0);
            }
            ColliderShape::Capsule { offset, tail, radius, .. } => {
                self.vector(offset, DVec3::ZERO);
                self.vector(tail, DVec3::ZERO);
                self.amount(radius, 0.0);
            }
            ColliderShape::Plane { offset, normal } => {
                self.vector(offset, DVec3::ZERO);
                self.direction(normal, DVec3::Z);
            }
        }
    }

    fn tell(&mut self, subject: String, context: &Context) {
        let count = std::mem::take(&mut self.0);
        if count > 0 {
            context.push(Diagnostic::new(&NOT_FINITE, subject, "replaced by defaults").times(count));
        }
    }
}

fn numbers(rig: &mut Rig, context: &Context) {
    let mut numbers = Numbers::default();
    for (i, constraint) in rig.constraints.iter_mut().enumerate() {
        numbers.amount(&mut constraint.weight, 1.0);
        numbers.kind(&mut constraint.kind);
        numbers.tell(format!("constraint {i}"), context);
    }
    for (i, chain) in rig.ik_chains.iter_mut().enumerate() {
        numbers.amount(&mut chain.weight, 1.0);
        numbers.amount(&mut chain.max_turn_rad, std::f64::consts::PI);
        for limits in chain.links.iter_mut().filter_map(|l| l.limits.as_mut()) {
            numbers.vector(&mut limits.low_rad, DVec3::splat(-std::f64::consts::PI));
            numbers.vector(&mut limits.high_rad, DVec3::splat(std::f64::consts::PI));
        }
        numbers.tell(format!("IK chain {i}"), context);
    }
    for (i, spring) in rig.springs.iter_mut().enumerate() {
        for joint in &mut spring.joints {
            numbers.amount(&mut joint.hit_radius, 0.0);
            numbers.number(&mut joint.stiffness, 1.0);
            numbers.number(&mut joint.gravity_power, 0.0);
            numbers.vector(&mut joint.gravity_dir, DVec3::NEG_Y);
            numbers.number(&mut joint.drag, 0.5);
        }
        numbers.tell(format!("spring {i}"), context);
    }
    for (i, collider) in rig.colliders.iter_mut().enumerate() {
        numbers.shape(&mut collider.shape);
        numbers.tell(format!("collider {i}"), context);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::repaired;
    use super::*;
    use crate::{
        Collider, ColliderGroup, ColliderSide, Constraint, IkChain, IkLink, LookAt, Node, NodeId, Spring, SpringJoint,
    };

    fn id(index: usize) -> NodeId {
        NodeId::new(index)
    }

    /// Four nodes, each below the one before.
    fn chain() -> Scene {
        let mut scene = Scene::default();
        let mut parent = None;
        for name in ["a", "b", "c", "d"] {
            parent = Some(scene.add_node(Node::new(name), parent));
        }
        scene
    }

    fn spring(nodes: &[usize]) -> Spring {
        Spring::new("s", nodes.iter().map(|n| SpringJoint::new(id(*n))).collect())
    }

    #[test]
    fn what_names_a_missing_node_goes() {
        let mut scene = chain();
        scene.rig.constraints.push(Constraint::new(id(0), ConstraintKind::Rotation { source: id(9) }));
        repaired(&mut scene, "scene.dangling-reference");
        assert!(scene.rig.constraints.is_empty());
    }

    #[test]
    fn joints_lie_below_each_other_and_groups_exist() {
        let mut scene = chain();
        let mut first = spring(&[0, 2, 1, 3]);
        first.collider_groups = vec![0, 1];
        scene.rig.springs = vec![first, spring(&[1, 3]), spring(&[2, 2])];
        scene.rig.collider_groups.push(ColliderGroup::new("g", vec![0]));
        repaired(&mut scene, "scene.springs");
        let joints: Vec<usize> = scene.rig.springs.iter().map(|s| s.joints.len()).collect();
        assert_eq!(joints, [2, 2, 1]);
        assert_eq!(scene.rig.springs[0].collider_groups, [0]);
        assert!(scene.rig.collider_groups[0].colliders.is_empty());
    }

    #[test]
    fn links_lie_above_their_effector() {
        let mut scene = chain();
        let links = |nodes: &[usize]| nodes.iter().map(|n| IkLink::new(id(*n))).collect::<Vec<_>>();
        for nodes in [&[2, 1][..], &[1, 2], &[], &[3]] {
            scene.rig.ik_chains.push(IkChain::new(id(0), id(3), links(nodes)));
        }
        repaired(&mut scene, "scene.ik-links");
        assert_eq!(scene.rig.ik_chains.len(), 1);
        assert_eq!(scene.rig.ik_chains[0].links, links(&[2, 1]));
    }

    #[test]
    fn numbers_become_finite_and_amounts_not_negative() {
        let mut scene = chain();
        let mut joint = SpringJoint::new(id(0));
        (joint.hit_radius, joint.stiffness, joint.drag) = (-1.0, f64::NAN, 1e300);
        joint.gravity_dir = DVec3::INFINITY;
        scene.rig.springs.push(Spring::new("s", vec![joint]));
        let shape = ColliderShape::Sphere { offset: DVec3::NAN, radius: -2.0, side: ColliderSide::Inside };
        scene.rig.colliders.push(Collider::new(id(0), shape));
        let plane = ColliderShape::Plane { offset: DVec3::ZERO, normal: DVec3::ZERO };
        scene.rig.colliders.push(Collider::new(id(0), plane));
        let mut look = LookAt::new(vec![ConstraintSource::new(id(1))]);
        (look.aim, look.offset) = (DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        look.sources[0].offset.scale = DVec3::NAN;
        scene.rig.constraints.push(Constraint::new(id(0), ConstraintKind::LookAt(Box::new(look))));
        repaired(&mut scene, "scene.not-finite");
        assert_eq!(scene.rig.springs[0].joints[0], SpringJoint::new(id(0)));
        let expected = LookAt::new(vec![ConstraintSource::new(id(1))]);
        assert_eq!(scene.rig.constraints[0].kind, ConstraintKind::LookAt(Box::new(expected)));
    }
}
