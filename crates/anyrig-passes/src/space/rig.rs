//! Constraints, IK chains and springs.

use super::geometry::Change;
use anyrig_scene::{
    AngleLimits, Axis, ColliderShape, ConstraintKind, ConstraintSource, IkChain, LookAt, Rig, SpringJoint, WorldUp,
};
use glam::{DQuat, DVec3};

const AXES: [Axis; 6] = [Axis::PosX, Axis::NegX, Axis::PosY, Axis::NegY, Axis::PosZ, Axis::NegZ];

pub(super) fn change(rig: &mut Rig, change: &Change) {
    rig.constraints.iter_mut().for_each(|constraint| change.kind(&mut constraint.kind));
    for link in rig.ik_chains.iter_mut().flat_map(|chain: &mut IkChain| &mut chain.links) {
        link.limits = link.limits.map(|limits| change.limits(limits));
    }
    rig.springs.iter_mut().flat_map(|s| &mut s.joints).for_each(|joint| change.spring_joint(joint));
    rig.colliders.iter_mut().for_each(|collider| change.shape(&mut collider.shape));
}

impl Change {
    fn axis(&self, axis: Axis) -> Axis {
        let turned = self.basis.vector(axis.to_vector());
        AXES.into_iter().find(|axis| axis.to_vector() == turned).unwrap_or(axis)
    }

    /// The same axis, whichever way it points.
    fn unsigned_axis(&self, axis: Axis) -> Axis {
        match self.axis(axis) {
            Axis::PosX | Axis::NegX => Axis::PosX,
            Axis::PosY | Axis::NegY => Axis::PosY,
            Axis::PosZ | Axis::NegZ => Axis::PosZ,
        }
    }

    fn rotation(&self, rotation: DQuat) -> DQuat {
        let [x, y, z, w] = rotation.to_array();
        let axis = self.basis.axial(DVec3::new(x, y, z));
        DQuat::from_xyzw(axis.x, axis.y, axis.z, w)
    }

    fn place(&self, place: DVec3) -> DVec3 {
        self.scaled(self.basis.vector(place))
    }

    fn length(&self, length: f64) -> f64 {
        if self.unit == 1.0 { length } else { length * self.unit }
    }

    fn sources(&self, sources: &mut [ConstraintSource]) {
        sources.iter_mut().for_each(|source| source.offset = self.trs(source.offset));
    }

    fn kind(&self, kind: &mut ConstraintKind) {
        let moved = |axes: [bool; 3]| self.basis.from().map(|axis| axes[axis]);
        match kind {
            ConstraintKind::Roll { axis, .. } => *axis = self.unsigned_axis(*axis),
            ConstraintKind::Aim { axis, .. } => *axis = self.axis(*axis),
            ConstraintKind::Rotation { .. } | ConstraintKind::Append { .. } => {}
            ConstraintKind::Parent { sources } => self.sources(sources),
            ConstraintKind::Position { sources, offset, axes } => {
                self.sources(sources);
                (*offset, *axes) = (self.place(*offset), moved(*axes));
            }
            ConstraintKind::Orientation { sources, offset } => {
                self.sources(sources);
                *offset = self.rotation(*offset);
            }
            ConstraintKind::Scale { sources, offset, axes } => {
                self.sources(sources);
                (*offset, *axes) = (self.basis.scale(*offset), moved(*axes));
            }
            ConstraintKind::LookAt(look) => self.look_at(look),
        }
    }

    fn look_at(&self, look: &mut LookAt) {
        self.sources(&mut look.sources);
        look.aim = self.basis.vector(look.aim);
        look.up = self.basis.vector(look.up);
        look.offset = self.rotation(look.offset);
        if let WorldUp::Scene(direction) | WorldUp::NodeDirection { direction, .. } = &mut look.world_up {
            *direction = self.basis.vector(*direction);
        }
    }

    /// The angles follow their axes. Where one turns round, its smallest and largest change places.
    fn limits(&self, limits: AngleLimits) -> AngleLimits {
        let (low, high) = (self.basis.axial(limits.low_rad), self.basis.axial(limits.high_rad));
        let order = if self.basis.permutes() { self.order(limits.order) } else { limits.order };
        let turned = self.basis.axial(DVec3::ONE).cmplt(DVec3::ZERO);
        AngleLimits::new(DVec3::select(turned, high, low), DVec3::select(turned, low, high), order)
    }

    fn spring_joint(&self, joint: &mut SpringJoint) {
        joint.hit_radius = self.length(joint.hit_radius);
        joint.stiffness = self.length(joint.stiffness);
        joint.gravity_power = self.length(joint.gravity_power);
        joint.gravity_dir = self.basis.vector(joint.gravity_dir);
    }

    fn shape(&self, shape: &mut ColliderShape) {
        match shape {
            ColliderShape::Sphere { offset, radius, .. } => {
                (*offset, *radius) = (self.place(*offset), self.length(*radius));
            }
            ColliderShape::Capsule { offset, tail, radius, .. } => {
                (*offset, *tail, *radius) = (self.place(*offset), self.place(*tail), self.length(*radius));
            }
            ColliderShape::Plane { offset, normal } => {
                (*offset, *normal) = (self.place(*offset), self.basis.vector(*normal));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SpaceOptions, to_space_with};
    use super::*;
    use anyrig_animation::{Evaluator, Pose, RigSolver, SpringSimulation};
    use anyrig_bytes::Context;
    use anyrig_scene::{
        AppendFrom, Collider, ColliderGroup, ColliderSide, Constraint, Handedness, IkLink, Node, NodeId, RotationOrder,
        Scene, Space, Spring, Trs,
    };

    fn id(index: usize) -> NodeId {
        NodeId::new(index)
    }

    fn turn(x: f64, y: f64, z: f64) -> DQuat {
        RotationOrder::Xyz.to_quat(DVec3::new(x, y, z))
    }

    /// Nodes 0 to 4 in a chain, 5 to 9 beside them.
    fn scene() -> Scene {
        let mut scene = Scene::new(Space::GLTF);
        let mut parent = None;
        for i in 0..5 {
            let mut node = Node::new("n");
            let translation = DVec3::new(0.25 * f64::from(i), 1.0, -0.5);
            node.local = Trs { translation, rotation: turn(10.0, f64::from(i) * 7.0, -5.0), scale: DVec3::ONE }.into();
            parent = Some(scene.add_node(node, parent));
        }
        for i in 5..10 {
            let mut node = Node::new("n");
            let translation = DVec3::new(f64::from(i), 2.0, 3.0 - f64::from(i));
            node.local = Trs { translation, rotation: turn(-20.0, 30.0, 5.0 * f64::from(i)), scale: DVec3::ONE }.into();
            scene.add_node(node, None);
        }
        scene
    }

    fn with_rules(rig: &mut Rig) {
        let sources = |offset: Trs| {
            let mut sources = [2, 6].map(|n| ConstraintSource::new(id(n))).to_vec();
            sources[0].offset = offset;
            sources
        };
        let mut look = LookAt::new(sources(Trs::IDENTITY));
        (look.aim, look.up) = (DVec3::new(1.0, 2.0, 0.0), DVec3::Z);
        (look.world_up, look.offset) = (WorldUp::Scene(DVec3::new(0.0, 1.0, 0.5)), turn(1.0, 2.0, 30.0));
        let offset = Trs { translation: DVec3::new(1.0, 2.0, 3.0), rotation: turn(0.0, 50.0, 10.0), scale: DVec3::ONE };
        let axes = [true, false, true];
        let kinds = [
            ConstraintKind::Roll { source: id(2), axis: Axis::PosZ },
            ConstraintKind::Aim { source: id(3), axis: Axis::NegX },
            ConstraintKind::LookAt(Box::new(look)),
            ConstraintKind::Parent { sources: sources(offset) },
            ConstraintKind::Position { sources: sources(Trs::IDENTITY), offset: DVec3::new(0.0, 1.0, 2.0), axes },
        ];
        for (i, kind) in kinds.into_iter().enumerate() {
            rig.constraints.push(Constraint::new(id(5 + i), kind));
        }
        let (source, from) = (id(1), AppendFrom::Local);
        let append = ConstraintKind::Append { source, rotation: 0.5, translation: 2.0, from };
        rig.constraints.push(Constraint::new(id(9), append));
        let mut links = [3, 2].map(|n| IkLink::new(id(n))).to_vec();
        let (low, high) = (DVec3::new(-1.0, -0.25, 0.0), DVec3::new(0.5, 0.75, 0.0));
        links[0].limits = Some(AngleLimits::new(low, high, RotationOrder::Zxy));
        rig.ik_chains.push(IkChain::new(id(6), id(4), links));
    }

    fn with_springs(rig: &mut Rig) {
        let mut joints = [0, 1, 2].map(|n| SpringJoint::new(id(n))).to_vec();
        for joint in &mut joints {
            (joint.gravity_power, joint.hit_radius) = (2.0, 0.25);
            joint.gravity_dir = DVec3::new(0.6, -0.8, 0.0);
        }
        let mut spring = Spring::new("s", joints);
        spring.collider_groups = vec![0];
        rig.springs.push(spring);
        let (offset, side) = (DVec3::new(-5.0, -0.5, 2.0), ColliderSide::Outside);
        rig.colliders = [
            ColliderShape::Sphere { offset, radius: 1.0, side },
            ColliderShape::Capsule { offset, tail: DVec3::new(-4.0, 1.0, 1.0), radius: 0.75, side },
            ColliderShape::Plane { offset: DVec3::new(-5.0, -1.5, 0.0), normal: DVec3::new(0.1, 1.0, 0.2) },
        ]
        .map(|shape| Collider::new(id(5), shape))
        .to_vec();
        rig.collider_groups.push(ColliderGroup::new("g", vec![0, 1, 2]));
    }

    /// Where all nodes are after the rules, and after ten steps of the springs.
    fn moved(scene: &Scene) -> Vec<DVec3> {
        let context = Context::new();
        let mut pose = Pose::rest(scene);
        RigSolver::new(scene, &context).expect("within limits").solve(&mut pose);
        let mut springs = SpringSimulation::new(scene, &context).expect("within limits");
        for _ in 0..10 {
            springs.step(&mut pose, SpringSimulation::STEP_SECS);
        }
        assert!(context.report().is_empty(), "{:?}", context.report());
        Evaluator::new(scene).worlds(&pose).iter().map(|world| world.translation).collect()
    }

    #[test]
    fn what_rules_and_springs_do_is_the_same_in_every_space() {
        let mut upright = Space::GLTF;
        (upright.up, upright.front, upright.metres_per_unit) = (Axis::PosZ, Axis::NegY, 0.01);
        let mut left = Space::GLTF;
        (left.handedness, left.metres_per_unit) = (Handedness::Left, 0.08);
        for fill in [with_rules, with_springs] {
            let mut scene = scene();
            fill(&mut scene.rig);
            let here = moved(&scene);
            let rest = Evaluator::new(&scene).worlds(&Pose::rest(&scene));
            let went = rest.iter().zip(&here).map(|(a, b)| a.translation.distance(*b)).fold(0.0, f64::max);
            assert!(went > 0.1, "something moves: {went}");
            for space in [upright, left] {
                let mut other = scene.clone();
                let context = Context::new();
                to_space_with(&mut other, space, SpaceOptions::default(), &context).expect("spaces are sound");
                // The places that the moved ones come to are brought over as nodes.
                let mut places = Scene::new(Space::GLTF);
                for place in &here {
                    let mut node = Node::new("p");
                    node.local = Trs { translation: *place, ..Trs::IDENTITY }.into();
                    places.add_node(node, None);
                }
                to_space_with(&mut places, space, SpaceOptions::default(), &context).expect("spaces are sound");
                for ((node, expected), found) in places.nodes.iter().zip(moved(&other)) {
                    let apart = expected.local.to_trs().translation.distance(found) * space.metres_per_unit;
                    assert!(apart < 1e-9, "{space:?} node {}: {apart}", node.index());
                }
            }
            let mut back = scene.clone();
            let context = Context::new();
            for space in [upright, left, Space::GLTF] {
                to_space_with(&mut back, space, SpaceOptions::default(), &context).expect("spaces are sound");
            }
            let found = anyrig_scene::diff(&scene, &back, anyrig_scene::Tolerance::ROUNDING);
            assert!(found.is_empty(), "{found:?}");
        }
    }
}
