//! How colliders push the tails of spring joints away.

use anyrig_scene::{ColliderShape, ColliderSide};
use glam::{DAffine3, DMat3, DVec3};

/// A ball at the tail of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// Where it goes when it sits in the middle of a collider, which has no side then: along its bone.
    pub(super) outward: DVec3,
}

impl Ball {
    /// By how much a collider on a node at `scene_from_node` pushes the ball; zero when they do not touch.
    ///
    /// `VRMC_springBone` 1.0 and `VRMC_springBone_extended_collider` 1.0. Radii are lengths in the scene: a node's scale
    /// moves the shape but does not grow it.
    pub(super) fn push(&self, shape: ColliderShape, scene_from_node: DAffine3) -> DVec3 {
        let place = |point: DVec3| scene_from_node.transform_point3(point);
        match shape {
            ColliderShape::Sphere { offset, radius, side } => self.push_from(place(offset), radius, side),
            ColliderShape::Capsule { offset, tail, radius, side } => {
                let near = nearest_on_line(place(offset), place(tail), self.center);
                self.push_from(near, radius, side)
            }
            ColliderShape::Plane { offset, normal } => {
                let Some(normal) = normal_in_scene(scene_from_node.matrix3, normal) else { return DVec3::ZERO };
                let above = (self.center - place(offset)).dot(normal) - self.radius;
                if above < 0.0 { normal * -above } else { DVec3::ZERO }
            }
        }
    }

    /// Out of, or into, a sphere.
    fn push_from(&self, middle: DVec3, radius: f64, side: ColliderSide) -> DVec3 {
        let from_middle = self.center - middle;
        let distance = from_middle.length();
        let outward = if distance > 0.0 { from_middle / distance } else { self.outward };
        match side {
            ColliderSide::Outside => outward * (self.radius + radius - distance).max(0.0),
            ColliderSide::Inside => -outward * (distance + self.radius - radius).clamp(0.0, distance),
        }
    }
}

/// The point between `a` and `b` that is nearest to `point`.
fn nearest_on_line(a: DVec3, b: DVec3, point: DVec3) -> DVec3 {
    let along = b - a;
    let length_squared = along.length_squared();
    if length_squared <= 0.0 {
        return a;
    }
    a + along * ((point - a).dot(along) / length_squared).clamp(0.0, 1.0)
}

/// A plane's normal moves with the inverse transpose, here with the cofactors, which a flat transform has too.
fn normal_in_scene(scene_from_node: DMat3, normal: DVec3) -> Option<DVec3> {
    let m = scene_from_node;
    let cofactors = DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
    let sign = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    (cofactors * normal * sign).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn ball(center: DVec3) -> Ball {
        Ball { center, radius: 0.5, outward: DVec3::NEG_Y }
    }

    fn sphere(side: ColliderSide) -> ColliderShape {
        ColliderShape::Sphere { offset: DVec3::X, radius: 1.0, side }
    }

    #[test]
    fn spheres_push_out_and_in() {
        let out = |center| ball(center).push(sphere(ColliderSide::Outside), DAffine3::IDENTITY);
        assert_eq!(out(DVec3::new(1.0, 1.5, 0.0)), DVec3::ZERO);
        assert_eq!(out(DVec3::new(1.0, 1.25, 0.0)), DVec3::new(0.0, 0.25, 0.0));
        assert_eq!(out(DVec3::X), DVec3::new(0.0, -1.5, 0.0), "from the middle along the bone");
        let inside = |center| ball(center).push(sphere(ColliderSide::Inside), DAffine3::IDENTITY);
        assert_eq!(inside(DVec3::new(1.0, 0.5, 0.0)), DVec3::ZERO);
        assert_eq!(inside(DVec3::new(1.0, 2.0, 0.0)), DVec3::new(0.0, -1.5, 0.0));
    }

    #[test]
    fn a_ball_larger_than_its_cage_comes_to_the_middle() {
        let mut large = ball(DVec3::new(1.0, 0.25, 0.0));
        large.radius = 9.0;
        let push = large.push(sphere(ColliderSide::Inside), DAffine3::IDENTITY);
        assert_eq!(large.center + push, DVec3::X);
        large.center = DVec3::X;
        assert_eq!(large.push(sphere(ColliderSide::Inside), DAffine3::IDENTITY), DVec3::ZERO);
    }

    #[test]
    fn capsules_have_round_ends_and_a_straight_middle() {
        let capsule =
            |tail| ColliderShape::Capsule { offset: DVec3::ZERO, tail, radius: 1.0, side: ColliderSide::Outside };
        let push = |x: f64, tail| ball(DVec3::new(x, 1.25, 0.0)).push(capsule(tail), DAffine3::IDENTITY);
        assert_eq!(push(2.0, DVec3::X * 4.0), DVec3::new(0.0, 0.25, 0.0));
        assert_eq!(push(0.0, DVec3::X * 4.0), push(4.0, DVec3::X * 4.0));
        assert_eq!(push(0.0, DVec3::ZERO), DVec3::new(0.0, 0.25, 0.0), "a point");
        assert_eq!(push(9.0, DVec3::X * 4.0), DVec3::ZERO);
    }

    #[test]
    fn planes_push_along_their_normal_however_the_node_is_scaled() {
        let plane = ColliderShape::Plane { offset: DVec3::ZERO, normal: DVec3::new(1.0, 1.0, 0.0) };
        // Twice as long along X, the plane x + y = 0 becomes x + 2 y = 0.
        let stretched = DAffine3::from_scale(DVec3::new(2.0, 1.0, 1.0));
        let push = ball(DVec3::ZERO).push(plane, stretched);
        let normal = DVec3::new(1.0, 2.0, 0.0).normalize_or_zero();
        assert!(push.distance(normal * 0.5) < 1e-15);
        let mirrored = DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0));
        assert!(
            ball(DVec3::ZERO)
                .push(plane, mirrored)
                .normalize_or_zero()
                .distance(DVec3::new(-1.0, 1.0, 0.0).normalize_or_zero())
                < 1e-15
        );
        let turned = DAffine3::from_quat(DQuat::from_xyzw(0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()));
        assert!(
            ball(DVec3::ZERO)
                .push(plane, turned)
                .normalize_or_zero()
                .distance(DVec3::new(-1.0, 1.0, 0.0).normalize_or_zero())
                < 1e-15
        );
        assert_eq!(ball(DVec3::ZERO).push(plane, DAffine3::from_scale(DVec3::ZERO)), DVec3::ZERO);
    }
}
