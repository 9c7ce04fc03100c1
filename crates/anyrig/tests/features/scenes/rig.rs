//! Constraints, IK chains and springs.

use super::{TIP, skinned};
use anyrig::scene::glam::DVec3;
use anyrig::scene::{
    AngleLimits, Axis, Collider, ColliderGroup, ColliderShape, ColliderSide, Constraint, ConstraintKind,
    ConstraintSource, Feature, IkChain, IkLink, NodeId, Rig, RotationOrder, Scene, Spring, SpringJoint,
};

pub fn scene(feature: Feature) -> Scene {
    let mut scene = skinned();
    let tip = NodeId::new(TIP);
    let root = scene.nodes[tip].parent.expect("the tip of a chain");
    match feature {
        Feature::Springs => springs(&mut scene.rig, root, tip),
        Feature::Constraints => {
            let aim = ConstraintKind::Aim { source: NodeId::new(0), axis: Axis::NegZ };
            let mut roll = Constraint::new(tip, ConstraintKind::Roll { source: root, axis: Axis::PosY });
            roll.weight = 0.75;
            scene.rig.constraints = vec![Constraint::new(root, aim), roll];
        }
        Feature::ToolConstraints => {
            let sources = vec![ConstraintSource::new(root)];
            scene.rig.constraints.push(Constraint::new(tip, ConstraintKind::Parent { sources }));
        }
        Feature::IkChains => {
            let mut link = IkLink::new(root);
            link.limits = Some(AngleLimits::new(DVec3::splat(-0.5), DVec3::splat(0.25), RotationOrder::Yxz));
            scene.rig.ik_chains.push(IkChain::new(NodeId::new(0), tip, vec![link]));
        }
        other => panic!("{other} is nothing of a rig"),
    }
    scene
}

/// Every form of collider on a chain of two joints.
fn springs(rig: &mut Rig, root: NodeId, tip: NodeId) {
    let (offset, tail) = (DVec3::new(0.5, 0.25, 0.0), DVec3::new(0.0, 1.0, 0.5));
    let shapes = [
        ColliderShape::Sphere { offset, radius: 0.5, side: ColliderSide::Outside },
        ColliderShape::Sphere { offset, radius: 0.25, side: ColliderSide::Inside },
        ColliderShape::Capsule { offset, tail, radius: 0.125, side: ColliderSide::Outside },
        ColliderShape::Capsule { offset, tail, radius: 2.0, side: ColliderSide::Inside },
        ColliderShape::Plane { offset, normal: DVec3::Y },
    ];
    rig.colliders = shapes.map(|shape| Collider::new(root, shape)).to_vec();
    rig.collider_groups = vec![ColliderGroup::new("body", vec![0, 2]), ColliderGroup::new("more", vec![1, 3, 4])];
    let mut first = SpringJoint::new(root);
    (first.hit_radius, first.stiffness, first.gravity_power, first.drag) = (0.125, 0.75, 0.5, 0.25);
    first.gravity_dir = DVec3::NEG_X;
    let mut spring = Spring::new("hair", vec![first, SpringJoint::new(tip)]);
    (spring.collider_groups, spring.center) = (vec![0, 1], Some(NodeId::new(0)));
    rig.springs.push(spring);
}
