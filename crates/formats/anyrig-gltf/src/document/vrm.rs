//! Objects of the extensions of VRM 1.0, each by its name in the VRM specification.

use super::Index;
use super::json::{At, FromJson, Members, Named, ToJson, members, objects};
use crate::codes;
use anyrig_bytes::{Context, Diagnostic, Result, Value};

objects! {
    /// Root part of `VRMC_springBone`.
    SpringBoneExtension {
        /// `1.0`.
        spec_version "specVersion": String,
        /// What springs collide with.
        colliders "colliders": Vec<SpringColliderObject>,
        /// Colliders that springs name together.
        collider_groups "colliderGroups": Vec<SpringColliderGroupObject>,
        /// The chains.
        springs "springs": Vec<SpringObject>,
    }

    /// A collider.
    SpringColliderObject {
        /// The node that carries it.
        node "node": Index,
        /// Its form.
        shape "shape": SpringShapeObject,
    }

    /// The form of a collider: one of these. A plane only in `VRMC_springBone_extended_collider`.
    SpringShapeObject {
        /// A sphere.
        sphere "sphere": SpringSphereObject,
        /// A capsule.
        capsule "capsule": SpringCapsuleObject,
        /// A plane.
        plane "plane": SpringPlaneObject,
    }

    /// A sphere.
    SpringSphereObject {
        /// Its centre.
        offset "offset": [f64; 3],
        /// Its radius.
        radius "radius": f64,
        /// Whether joints stay inside; only in `VRMC_springBone_extended_collider`.
        inside "inside": bool,
    }

    /// A capsule.
    SpringCapsuleObject {
        /// One end.
        offset "offset": [f64; 3],
        /// Its radius.
        radius "radius": f64,
        /// The other end.
        tail "tail": [f64; 3],
        /// Whether joints stay inside; only in `VRMC_springBone_extended_collider`.
        inside "inside": bool,
    }

    /// A plane.
    SpringPlaneObject {
        /// A point of it.
        offset "offset": [f64; 3],
        /// Its normal.
        normal "normal": [f64; 3],
    }

    /// `VRMC_springBone_extended_collider`, on a collider.
    ExtendedColliderObject {
        /// `1.0`.
        spec_version "specVersion": String,
        /// The form that takes the place of the plain one.
        shape "shape": SpringShapeObject,
    }

    /// Colliders that springs name together.
    SpringColliderGroupObject {
        /// Name.
        name "name": String,
        /// The colliders.
        colliders "colliders": Vec<Index>,
    }

    /// A chain.
    SpringObject {
        /// Name.
        name "name": String,
        /// The joints from the root on.
        joints "joints": Vec<SpringJointObject>,
        /// Groups of colliders.
        collider_groups "colliderGroups": Vec<Index>,
        /// The node whose movement does not count.
        center "center": Index,
    }

    /// A joint of a chain.
    SpringJointObject {
        /// The node.
        node "node": Index,
        /// Radius of the tail.
        hit_radius "hitRadius": f64,
        /// Speed towards rest.
        stiffness "stiffness": f64,
        /// Speed of falling.
        gravity_power "gravityPower": f64,
        /// Direction of falling.
        gravity_dir "gravityDir": [f64; 3],
        /// 0 to 1.
        drag "dragForce": f64,
    }

    /// `VRMC_node_constraint`, on a node.
    NodeConstraintExtension {
        /// `1.0`.
        spec_version "specVersion": String,
        /// What it does.
        constraint "constraint": NodeConstraintObject,
    }

    /// What a constraint does: one of these.
    NodeConstraintObject {
        /// Takes over a turn about one axis.
        roll "roll": RollConstraintObject,
        /// Points an axis to the source.
        aim "aim": AimConstraintObject,
        /// Takes over a turn.
        rotation "rotation": RotationConstraintObject,
    }

    /// Takes over a turn about one axis.
    RollConstraintObject {
        /// The node that turns.
        source "source": Index,
        /// `X`, `Y` or `Z`.
        axis "rollAxis": String,
        /// 0 to 1.
        weight "weight": f64,
    }

    /// Points an axis to the source.
    AimConstraintObject {
        /// The node that is pointed to.
        source "source": Index,
        /// `PositiveX`, `NegativeX` and so on.
        axis "aimAxis": String,
        /// 0 to 1.
        weight "weight": f64,
    }

    /// Takes over a turn.
    RotationConstraintObject {
        /// The node that turns.
        source "source": Index,
        /// 0 to 1.
        weight "weight": f64,
    }
}
