//! `VRMC_springBone` and `VRMC_springBone_extended_collider`.

use super::super::{Saver, extend, extras, named, raw_extension, some, unless};
use super::VERSION;
use crate::document::{
    ExtendedColliderObject, Index, SpringBoneExtension, SpringCapsuleObject, SpringColliderGroupObject,
    SpringColliderObject, SpringJointObject, SpringObject, SpringPlaneObject, SpringShapeObject, SpringSphereObject,
};
use crate::names::{EXTENDED_COLLIDER, SPRING_BONE};
use anyrig_scene::glam::DVec3;
use anyrig_scene::{Collider, ColliderShape, ColliderSide, Spring, SpringJoint};

/// How far off the plain form lies that stands in for one which the plain extension does not have, and the radius of the
/// sphere that stands in for a plane: the values that the specification of the extended colliders recommends.
const FAR: f64 = 10_000.0;

impl Saver<'_> {
    pub(in super::super) fn springs(&mut self) {
        let rig = &self.scene.rig;
        if rig.springs.is_empty() && rig.colliders.is_empty() && rig.collider_groups.is_empty() {
            return;
        }
        let groups = rig.collider_groups.iter().map(|group| {
            let mut object = SpringColliderGroupObject { name: named(&group.name), ..Default::default() };
            object.colliders = Some(group.colliders.clone());
            extras::restore!(object, &group.extras);
            object
        });
        let value = SpringBoneExtension {
            spec_version: Some(VERSION.to_owned()),
            colliders: some(rig.colliders.iter().map(collider).collect()),
            collider_groups: some(groups.collect()),
            springs: some(rig.springs.iter().map(spring).collect()),
            ..SpringBoneExtension::default()
        };
        extend(&mut self.root.extensions, SPRING_BONE, raw_extension(&value));
    }
}

fn collider(collider: &Collider) -> SpringColliderObject {
    let mut object = SpringColliderObject { node: Some(collider.node.index() as Index), ..Default::default() };
    extras::restore!(object, &collider.extras);
    let (plain, extended) = match collider.shape {
        ColliderShape::Sphere { offset, radius, side: ColliderSide::Outside } => (sphere(offset, radius), None),
        ColliderShape::Capsule { offset, tail, radius, side: ColliderSide::Outside } => {
            (capsule(offset, tail, radius), None)
        }
        ColliderShape::Sphere { offset, radius, side: ColliderSide::Inside } => {
            let mut shape = sphere(offset, radius);
            shape.sphere.iter_mut().for_each(|sphere| sphere.inside = Some(true));
            (sphere(DVec3::NEG_Y * FAR, 0.0), Some(shape))
        }
        ColliderShape::Capsule { offset, tail, radius, side: ColliderSide::Inside } => {
            let mut shape = capsule(offset, tail, radius);
            shape.capsule.iter_mut().for_each(|capsule| capsule.inside = Some(true));
            let far = DVec3::NEG_Y * FAR;
            (capsule(far, far, 0.0), Some(shape))
        }
        ColliderShape::Plane { offset, normal } => {
            let below = offset - normal.normalize_or_zero() * FAR;
            (sphere(below, FAR), Some(plane(offset, normal)))
        }
    };
    object.shape = Some(plain);
    if let Some(shape) = extended {
        let spec_version = Some(VERSION.to_owned());
        let value = ExtendedColliderObject { spec_version, shape: Some(shape), ..Default::default() };
        extend(&mut object.extensions, EXTENDED_COLLIDER, raw_extension(&value));
    }
    object
}

fn sphere(offset: DVec3, radius: f64) -> SpringShapeObject {
    let sphere = SpringSphereObject { offset: Some(offset.to_array()), radius: Some(radius), ..Default::default() };
    SpringShapeObject { sphere: Some(sphere), ..Default::default() }
}

fn capsule(offset: DVec3, tail: DVec3, radius: f64) -> SpringShapeObject {
    let (offset, tail) = (Some(offset.to_array()), Some(tail.to_array()));
    let capsule = SpringCapsuleObject { offset, tail, radius: Some(radius), ..Default::default() };
    SpringShapeObject { capsule: Some(capsule), ..Default::default() }
}

fn plane(offset: DVec3, normal: DVec3) -> SpringShapeObject {
    let (offset, normal) = (Some(offset.to_array()), Some(normal.to_array()));
    SpringShapeObject { plane: Some(SpringPlaneObject { offset, normal, ..Default::default() }), ..Default::default() }
}

fn spring(spring: &Spring) -> SpringObject {
    let mut object = SpringObject { name: named(&spring.name), ..SpringObject::default() };
    object.joints = Some(spring.joints.iter().map(joint).collect());
    object.collider_groups = some(spring.collider_groups.clone());
    object.center = spring.center.map(|center| center.index() as Index);
    extras::restore!(object, &spring.extras);
    object
}

fn joint(joint: &SpringJoint) -> SpringJointObject {
    let usual = SpringJoint::new(joint.node);
    let mut object = SpringJointObject {
        node: Some(joint.node.index() as Index),
        hit_radius: unless(joint.hit_radius, &usual.hit_radius),
        stiffness: unless(joint.stiffness, &usual.stiffness),
        gravity_power: unless(joint.gravity_power, &usual.gravity_power),
        gravity_dir: unless(joint.gravity_dir, &usual.gravity_dir).map(|v| v.to_array()),
        // Always stated: readers differ in what they take for the default.
        drag: Some(joint.drag),
        ..SpringJointObject::default()
    };
    extras::restore!(object, &joint.extras);
    object
}
