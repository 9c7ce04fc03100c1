//! Constraints, IK chains and springs.

use super::Facts;
use anyrig::Scene;
use anyrig::scene::{ColliderShape, ConstraintKind, Feature, NodeId, Spring};

pub fn add(scene: &Scene, facts: &mut Facts) {
    let name = |node: NodeId| scene.nodes[node].name.as_str();
    for constraint in &scene.rig.constraints {
        let sources: Vec<&str> = constraint.kind.sources().into_iter().map(name).collect();
        let (feature, kind) = match constraint.kind {
            ConstraintKind::Roll { axis, .. } => (Feature::Constraints, format!("roll {axis:?}")),
            ConstraintKind::Aim { axis, .. } => (Feature::Constraints, format!("aim {axis:?}")),
            ConstraintKind::Rotation { .. } => (Feature::Constraints, "rotation".to_owned()),
            _ => (Feature::ToolConstraints, "of a tool".to_owned()),
        };
        facts.add(feature, format!("{} {kind} {sources:?}", name(constraint.node)), [constraint.weight]);
    }
    for chain in &scene.rig.ik_chains {
        let links: Vec<&str> = chain.links.iter().map(|l| name(l.node)).collect();
        facts.add(Feature::IkChains, format!("{} to {} by {links:?}", name(chain.effector), name(chain.goal)), []);
    }
    scene.rig.springs.iter().for_each(|spring| spring_facts(scene, spring, facts));
}

fn spring_facts(scene: &Scene, spring: &Spring, facts: &mut Facts) {
    let name = |node: NodeId| scene.nodes[node].name.as_str();
    for joint in &spring.joints {
        let numbers = [joint.hit_radius, joint.stiffness, joint.gravity_power, joint.drag];
        let center = spring.center.map(name);
        let text = format!("{}: {} in {center:?}", spring.name, name(joint.node));
        facts.add(Feature::Springs, text, numbers.into_iter().chain(joint.gravity_dir.to_array()));
    }
    for group in spring.collider_groups.iter().map(|g| &scene.rig.collider_groups[*g as usize]) {
        for collider in group.colliders.iter().map(|c| &scene.rig.colliders[*c as usize]) {
            let (kind, numbers) = shape(collider.shape);
            let text = format!("{}: {} {kind} on {}", spring.name, group.name, name(collider.node));
            facts.add(Feature::Springs, text, numbers);
        }
    }
}

fn shape(shape: ColliderShape) -> (String, Vec<f64>) {
    match shape {
        ColliderShape::Sphere { offset, radius, side } => {
            (format!("sphere {side:?}"), [&offset.to_array()[..], &[radius]].concat())
        }
        ColliderShape::Capsule { offset, tail, radius, side } => {
            (format!("capsule {side:?}"), [&offset.to_array()[..], &tail.to_array(), &[radius]].concat())
        }
        ColliderShape::Plane { offset, normal } => {
            ("plane".to_owned(), [offset.to_array(), normal.to_array()].concat())
        }
    }
}
