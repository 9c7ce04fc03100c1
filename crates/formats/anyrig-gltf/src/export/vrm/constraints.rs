//! `VRMC_node_constraint`.

use super::super::{Saver, extend, raw_extension, unless};
use super::VERSION;
use crate::codes;
use crate::document::{
    AimConstraintObject, Index, NodeConstraintExtension, NodeConstraintObject, NodeObject, RollConstraintObject,
    RotationConstraintObject,
};
use crate::names::{AXES, NODE_CONSTRAINT};
use anyrig_scene::{Axis, Constraint, ConstraintKind, Feature};

impl Saver<'_> {
    /// A node has a place for one constraint.
    pub(in super::super) fn constraints(&self, objects: &mut [NodeObject]) {
        for constraint in &self.scene.rig.constraints {
            let Some((object, kind)) = objects.get_mut(constraint.node.index()).zip(object_of(constraint)) else {
                continue;
            };
            if object.extensions.as_ref().is_some_and(|e| e.get(NODE_CONSTRAINT).is_some()) {
                let message = format!("node {} has a place for one", constraint.node.index());
                self.context.tell(&codes::NOT_HELD, Feature::Constraints.to_string(), message);
                continue;
            }
            let (spec_version, constraint) = (Some(VERSION.to_owned()), Some(kind));
            let value = NodeConstraintExtension { spec_version, constraint, ..Default::default() };
            extend(&mut object.extensions, NODE_CONSTRAINT, raw_extension(&value));
        }
    }
}

/// `None` for what VRM has no word for.
fn object_of(constraint: &Constraint) -> Option<NodeConstraintObject> {
    let mut object = NodeConstraintObject::default();
    let weight = unless(constraint.weight.min(1.0), &1.0);
    match constraint.kind {
        ConstraintKind::Roll { source, axis } => {
            let letter = axis_name(axis).chars().last().map(String::from);
            let source = Some(source.index() as Index);
            object.roll = Some(RollConstraintObject { source, axis: letter, weight, ..Default::default() });
        }
        ConstraintKind::Aim { source, axis } => {
            let (source, axis) = (Some(source.index() as Index), Some(axis_name(axis).to_owned()));
            object.aim = Some(AimConstraintObject { source, axis, weight, ..Default::default() });
        }
        ConstraintKind::Rotation { source } => {
            let source = Some(source.index() as Index);
            object.rotation = Some(RotationConstraintObject { source, weight, ..Default::default() });
        }
        _ => return None,
    }
    Some(object)
}

fn axis_name(axis: Axis) -> &'static str {
    AXES.iter().find(|(_, known)| *known == axis).map_or("PositiveX", |(name, _)| name)
}
