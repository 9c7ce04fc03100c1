//! `VRMC_springBone` and `VRMC_springBone_extended_collider`.

use super::super::extras::{keep, raw};
use super::super::{Loader, in_list, need};
use super::is_known;
use crate::document::json::At;
use crate::document::{
    ExtendedColliderObject, Index, SpringBoneExtension, SpringColliderGroupObject, SpringColliderObject,
    SpringJointObject, SpringObject, SpringShapeObject, typed,
};
use crate::names::{EXTENDED_COLLIDER, SPRING_BONE};
use anyrig_bytes::Result;
use anyrig_scene::glam::DVec3;
use anyrig_scene::{Collider, ColliderGroup, ColliderShape, ColliderSide, Spring, SpringJoint};

impl Loader<'_> {
    /// The names of the extensions that were read.
    pub(super) fn springs(&mut self) -> Result<Vec<&'static str>> {
        let Some(value) = self.root.extensions.as_ref().and_then(|e| e.get(SPRING_BONE)) else { return Ok(Vec::new()) };
        let at = At::Root;
        let at = at.key("extensions");
        let at = at.key(SPRING_BONE);
        let root: SpringBoneExtension = typed(value, &at, self.context)?;
        if !is_known(root.spec_version.as_ref()) {
            return Ok(Vec::new());
        }
        self.no_more(&raw!(root), &at);
        let at_colliders = at.key("colliders");
        for (i, object) in root.colliders.iter().flatten().enumerate() {
            let collider = self.collider(object, &at_colliders.index(i))?;
            self.scene.rig.colliders.push(collider);
        }
        let at_groups = at.key("colliderGroups");
        for (i, object) in root.collider_groups.iter().flatten().enumerate() {
            let group = self.collider_group(object, &at_groups.index(i))?;
            self.scene.rig.collider_groups.push(group);
        }
        let at_springs = at.key("springs");
        for (i, object) in root.springs.iter().flatten().enumerate() {
            let spring = self.spring(object, &at_springs.index(i))?;
            self.scene.rig.springs.push(spring);
        }
        Ok(vec![SPRING_BONE])
    }

    fn collider(&self, object: &SpringColliderObject, at: &At<'_>) -> Result<Collider> {
        self.context.take_memory(size_of::<Collider>() as u64, || at.place())?;
        let node = self.rig_node(need(object.node, at, "node")?, &at.key("node"))?;
        let extended = self.extended(object, at)?;
        let shape = match &extended {
            Some(object) => object.shape.as_ref(),
            None => object.shape.as_ref(),
        };
        let shape = self.shape(need(shape, at, "shape")?, &at.key("shape"))?;
        let mut out = Collider::new(node, shape);
        let read: &[&str] = if extended.is_some() { &[EXTENDED_COLLIDER] } else { &[] };
        out.extras = keep(&raw!(object), read, at, self.context);
        Ok(out)
    }

    /// The form that counts instead of the plain one, which is for readers that do not know it.
    fn extended(&self, object: &SpringColliderObject, at: &At<'_>) -> Result<Option<ExtendedColliderObject>> {
        let Some(value) = object.extensions.as_ref().and_then(|e| e.get(EXTENDED_COLLIDER)) else { return Ok(None) };
        let at = at.key("extensions");
        let at = at.key(EXTENDED_COLLIDER);
        let extended: ExtendedColliderObject = typed(value, &at, self.context)?;
        if !is_known(extended.spec_version.as_ref()) {
            return Ok(None);
        }
        self.no_more(&raw!(extended), &at);
        Ok(Some(extended))
    }

    /// Members without a value are 0; a plane without a normal faces along +Z.
    fn shape(&self, object: &SpringShapeObject, at: &At<'_>) -> Result<ColliderShape> {
        self.no_more(&raw!(object), at);
        let place = |v: Option<[f64; 3]>| DVec3::from_array(v.unwrap_or_default());
        let side = |inside: Option<bool>| match inside {
            Some(true) => ColliderSide::Inside,
            _ => ColliderSide::Outside,
        };
        if let Some(sphere) = &object.sphere {
            self.no_more(&raw!(sphere), &at.key("sphere"));
            let (offset, radius) = (place(sphere.offset), sphere.radius.unwrap_or(0.0));
            return Ok(ColliderShape::Sphere { offset, radius, side: side(sphere.inside) });
        }
        if let Some(capsule) = &object.capsule {
            self.no_more(&raw!(capsule), &at.key("capsule"));
            let (offset, tail, radius) = (place(capsule.offset), place(capsule.tail), capsule.radius.unwrap_or(0.0));
            return Ok(ColliderShape::Capsule { offset, tail, radius, side: side(capsule.inside) });
        }
        let plane = need(object.plane.as_ref(), at, "sphere")?;
        self.no_more(&raw!(plane), &at.key("plane"));
        let normal = plane.normal.map_or(DVec3::Z, DVec3::from_array);
        Ok(ColliderShape::Plane { offset: place(plane.offset), normal })
    }

    fn collider_group(&self, object: &SpringColliderGroupObject, at: &At<'_>) -> Result<ColliderGroup> {
        let colliders =
            self.indexes(object.colliders.as_ref(), self.scene.rig.colliders.len(), &at.key("colliders"))?;
        let mut out = ColliderGroup::new(object.name.clone().unwrap_or_default(), colliders);
        out.extras = keep(&raw!(object), &[], at, self.context);
        Ok(out)
    }

    fn spring(&self, object: &SpringObject, at: &At<'_>) -> Result<Spring> {
        let at_joints = at.key("joints");
        let objects = need(object.joints.as_ref(), at, "joints")?;
        self.context.take_memory(objects.len() as u64 * size_of::<SpringJoint>() as u64, || at.place())?;
        let joints = objects.iter().enumerate().map(|(i, joint)| self.spring_joint(joint, &at_joints.index(i)));
        let mut out = Spring::new(object.name.clone().unwrap_or_default(), joints.collect::<Result<_>>()?);
        let groups = self.scene.rig.collider_groups.len();
        out.collider_groups = self.indexes(object.collider_groups.as_ref(), groups, &at.key("colliderGroups"))?;
        out.center = object.center.map(|center| self.rig_node(center, &at.key("center"))).transpose()?;
        out.extras = keep(&raw!(object), &[], at, self.context);
        Ok(out)
    }

    fn spring_joint(&self, object: &SpringJointObject, at: &At<'_>) -> Result<SpringJoint> {
        let mut out = SpringJoint::new(self.rig_node(need(object.node, at, "node")?, &at.key("node"))?);
        out.hit_radius = object.hit_radius.unwrap_or(out.hit_radius);
        out.stiffness = object.stiffness.unwrap_or(out.stiffness);
        out.gravity_power = object.gravity_power.unwrap_or(out.gravity_power);
        out.gravity_dir = object.gravity_dir.map_or(out.gravity_dir, DVec3::from_array);
        out.drag = object.drag.unwrap_or(out.drag);
        out.extras = keep(&raw!(object), &[], at, self.context);
        Ok(out)
    }

    fn indexes(&self, list: Option<&Vec<Index>>, count: usize, at: &At<'_>) -> Result<Vec<u32>> {
        let list = list.map_or(&[][..], Vec::as_slice);
        self.context.take_memory(size_of_val(list) as u64, || at.place())?;
        for (i, index) in list.iter().enumerate() {
            in_list(*index, count, &at.index(i), "element")?;
        }
        Ok(list.to_vec())
    }
}
