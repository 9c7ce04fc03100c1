//! `VRMC_node_constraint`.

use super::super::extras::raw;
use super::super::{Loader, list, need};
use super::is_known;
use crate::document::json::At;
use crate::document::{NodeConstraintExtension, NodeConstraintObject, typed};
use crate::names::{AXES, EXTENSIONS, NODE_CONSTRAINT};
use anyrig_bytes::{Result, Value};
use anyrig_scene::{Axis, Constraint, ConstraintKind, NodeId};

impl Loader<'_> {
    pub(super) fn constraints(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("nodes");
        for (i, object) in list(self.root.nodes.as_ref()) {
            let Some(value) = object.extensions.as_ref().and_then(|e| e.get(NODE_CONSTRAINT)) else { continue };
            let at = at.index(i);
            let at = at.key("extensions");
            match self.constraint(value, NodeId::new(i), &at.key(NODE_CONSTRAINT))? {
                Some(constraint) => self.scene.rig.constraints.push(constraint),
                None => self.carry(NodeId::new(i), value),
            }
        }
        Ok(())
    }

    /// `None` for a version that is not known.
    fn constraint(&self, value: &Value, node: NodeId, at: &At<'_>) -> Result<Option<Constraint>> {
        let object: NodeConstraintExtension = typed(value, at, self.context)?;
        if !is_known(object.spec_version.as_ref()) {
            return Ok(None);
        }
        self.context.take_memory(size_of::<Constraint>() as u64, || at.place())?;
        self.no_more(&raw!(object), at);
        let at = at.key("constraint");
        let object = need(object.constraint.as_ref(), &at, "constraint")?;
        self.no_more(&raw!(object), &at);
        let (kind, weight) = self.constraint_kind(object, &at)?;
        let mut out = Constraint::new(node, kind);
        out.weight = weight.unwrap_or(out.weight);
        Ok(Some(out))
    }

    fn constraint_kind(&self, object: &NodeConstraintObject, at: &At<'_>) -> Result<(ConstraintKind, Option<f64>)> {
        if let Some(roll) = &object.roll {
            let at = at.key("roll");
            self.no_more(&raw!(roll), &at);
            let source = self.rig_node(need(roll.source, &at, "source")?, &at.key("source"))?;
            let name = need(roll.axis.as_ref(), &at, "rollAxis")?;
            let axis = axis(&format!("Positive{name}"), &at.key("rollAxis"))?;
            return Ok((ConstraintKind::Roll { source, axis }, roll.weight));
        }
        if let Some(aim) = &object.aim {
            let at = at.key("aim");
            self.no_more(&raw!(aim), &at);
            let source = self.rig_node(need(aim.source, &at, "source")?, &at.key("source"))?;
            let axis = axis(need(aim.axis.as_ref(), &at, "aimAxis")?, &at.key("aimAxis"))?;
            return Ok((ConstraintKind::Aim { source, axis }, aim.weight));
        }
        let rotation = need(object.rotation.as_ref(), at, "rotation")?;
        let at = at.key("rotation");
        self.no_more(&raw!(rotation), &at);
        let source = self.rig_node(need(rotation.source, &at, "source")?, &at.key("source"))?;
        Ok((ConstraintKind::Rotation { source }, rotation.weight))
    }

    /// Keeps an extension that was not read.
    fn carry(&mut self, node: NodeId, value: &Value) {
        let extras = &mut self.scene.nodes[node].extras;
        let mut extensions = extras.remove(EXTENSIONS).unwrap_or(Value::Null);
        extensions.set(NODE_CONSTRAINT, value.clone());
        extras.set(EXTENSIONS, extensions);
    }
}

fn axis(name: &str, at: &At<'_>) -> Result<Axis> {
    let found = AXES.iter().find(|(known, _)| *known == name);
    found.map(|(_, axis)| *axis).ok_or_else(|| at.malformed("this is no axis that VRM 1.0 knows"))
}
