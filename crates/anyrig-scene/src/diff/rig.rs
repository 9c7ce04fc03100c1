//! Constraints, IK chains and springs.

use super::Differ;
use crate::{
    Collider, ColliderShape, Constraint, ConstraintKind, ConstraintSource, IkChain, IkLink, LookAt, Rig, Spring,
    SpringJoint,
};
use glam::DVec3;
use std::mem::discriminant;

impl Differ {
    pub(super) fn rig(&mut self, a: &Rig, b: &Rig) {
        self.within("rig", |d| {
            d.lists("constraints", &a.constraints, &b.constraints, Self::constraint);
            d.lists("ik_chains", &a.ik_chains, &b.ik_chains, Self::ik_chain);
            d.lists("springs", &a.springs, &b.springs, Self::spring);
            d.lists("collider_groups", &a.collider_groups, &b.collider_groups, |d, a, b| {
                d.equal("name", &a.name, &b.name);
                d.equal("colliders", &a.colliders, &b.colliders);
                d.extras(&a.extras, &b.extras);
            });
            d.lists("colliders", &a.colliders, &b.colliders, Self::collider);
        });
    }

    fn constraint(&mut self, a: &Constraint, b: &Constraint) {
        self.equal("node", &a.node, &b.node);
        self.number("weight", a.weight, b.weight);
        self.constraint_kind(&a.kind, &b.kind);
        self.extras(&a.extras, &b.extras);
    }

    fn constraint_kind(&mut self, a: &ConstraintKind, b: &ConstraintKind) {
        use ConstraintKind as K;
        match (a, b) {
            (K::Parent { sources: a }, K::Parent { sources: b }) => self.sources(a, b),
            (K::Position { sources: a, offset: c, axes: e }, K::Position { sources: b, offset: d, axes: f }) => {
                self.sources(a, b);
                self.place("offset", *c, *d);
                self.equal("axes", e, f);
            }
            (K::Orientation { sources: a, offset: c }, K::Orientation { sources: b, offset: d }) => {
                self.sources(a, b);
                self.rotation("offset", *c, *d);
            }
            (K::Scale { sources: a, offset: c, axes: e }, K::Scale { sources: b, offset: d, axes: f }) => {
                self.sources(a, b);
                self.direction("offset", *c, *d);
                self.equal("axes", e, f);
            }
            (K::LookAt(a), K::LookAt(b)) => self.look_at(a, b),
            (a, b) => self.equal("kind", a, b),
        }
    }

    fn look_at(&mut self, a: &LookAt, b: &LookAt) {
        self.sources(&a.sources, &b.sources);
        self.direction("aim", a.aim, b.aim);
        self.direction("up", a.up, b.up);
        self.equal("world_up", &a.world_up, &b.world_up);
        self.rotation("offset", a.offset, b.offset);
    }

    fn sources(&mut self, a: &[ConstraintSource], b: &[ConstraintSource]) {
        self.lists("sources", a, b, |d, a, b| {
            d.equal("node", &a.node, &b.node);
            d.number("weight", a.weight, b.weight);
            d.within("offset", |d| d.trs(&a.offset, &b.offset));
        });
    }

    fn ik_chain(&mut self, a: &IkChain, b: &IkChain) {
        self.equal("goal", &a.goal, &b.goal);
        self.equal("effector", &a.effector, &b.effector);
        self.lists("links", &a.links, &b.links, Self::ik_link);
        self.equal("method", &a.method, &b.method);
        self.equal("iterations", &a.iterations, &b.iterations);
        self.number("max_turn_rad", a.max_turn_rad, b.max_turn_rad);
        self.number("weight", a.weight, b.weight);
        self.extras(&a.extras, &b.extras);
    }

    fn ik_link(&mut self, a: &IkLink, b: &IkLink) {
        self.equal("node", &a.node, &b.node);
        match (&a.limits, &b.limits) {
            (Some(a), Some(b)) => {
                self.direction("low_rad", a.low_rad, b.low_rad);
                self.direction("high_rad", a.high_rad, b.high_rad);
                self.equal("order", &a.order, &b.order);
            }
            (a, b) => self.equal("limits", a, b),
        }
    }

    fn spring(&mut self, a: &Spring, b: &Spring) {
        self.equal("name", &a.name, &b.name);
        self.lists("joints", &a.joints, &b.joints, Self::spring_joint);
        self.equal("collider_groups", &a.collider_groups, &b.collider_groups);
        self.equal("center", &a.center, &b.center);
        self.extras(&a.extras, &b.extras);
    }

    fn spring_joint(&mut self, a: &SpringJoint, b: &SpringJoint) {
        self.equal("node", &a.node, &b.node);
        self.length("hit_radius", a.hit_radius, b.hit_radius);
        self.number("stiffness", a.stiffness, b.stiffness);
        self.number("gravity_power", a.gravity_power, b.gravity_power);
        self.direction("gravity_dir", a.gravity_dir, b.gravity_dir);
        self.number("drag", a.drag, b.drag);
        self.extras(&a.extras, &b.extras);
    }

    fn collider(&mut self, a: &Collider, b: &Collider) {
        self.equal("node", &a.node, &b.node);
        if discriminant(&a.shape) == discriminant(&b.shape) {
            self.collider_shape(a.shape, b.shape);
        } else {
            self.equal("shape", &a.shape, &b.shape);
        }
        self.extras(&a.extras, &b.extras);
    }

    fn collider_shape(&mut self, a: ColliderShape, b: ColliderShape) {
        let parts = |shape| match shape {
            ColliderShape::Sphere { offset, radius, side } => (offset, DVec3::ZERO, radius, Some(side)),
            ColliderShape::Capsule { offset, tail, radius, side } => (offset, tail, radius, Some(side)),
            ColliderShape::Plane { offset, normal } => (offset, normal, 0.0, None),
        };
        let (a, b) = (parts(a), parts(b));
        self.place("offset", a.0, b.0);
        self.place("end", a.1, b.1);
        self.length("radius", a.2, b.2);
        self.equal("side", &a.3, &b.3);
    }

    fn number(&mut self, name: &str, a: f64, b: f64) {
        self.wide_numbers(name, [a].into_iter(), [b].into_iter(), self.tolerance.absolute);
    }

    fn length(&mut self, name: &str, a: f64, b: f64) {
        self.wide_numbers(name, [a].into_iter(), [b].into_iter(), self.distance);
    }

    fn place(&mut self, name: &str, a: DVec3, b: DVec3) {
        self.wide_numbers(name, a.to_array().into_iter(), b.to_array().into_iter(), self.distance);
    }

    fn direction(&mut self, name: &str, a: DVec3, b: DVec3) {
        self.wide_numbers(name, a.to_array().into_iter(), b.to_array().into_iter(), self.tolerance.absolute);
    }
}
