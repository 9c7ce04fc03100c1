//! The joints of the arm, in centimetres.

use anyrig_scene::glam::{DAffine3, DMat3, DVec3};

/// A joint. All of them look along their bone with +X, as Maya orients joints.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    pub name: &'static str,
    /// Where it stands in its parent, or in the scene.
    pub translation: DVec3,
    /// Degrees that no curve moves: how the joint is oriented. Quarter turns about one axis.
    pub pre_rotation: DVec3,
    /// Degrees in the pose in which the file is saved, which is not the one in which the skin was bound.
    pub rotation: DVec3,
}

pub const SHOULDER: usize = 1;
pub const ELBOW: usize = 2;
pub const WRIST: usize = 3;

/// Each joint hangs on the one before it.
pub const JOINTS: [Joint; 4] = [
    Joint { name: "Base", translation: DVec3::ZERO, pre_rotation: DVec3::new(0.0, 0.0, 90.0), rotation: DVec3::ZERO },
    Joint {
        name: "Shoulder",
        translation: DVec3::new(10.0, 0.0, 0.0),
        pre_rotation: DVec3::ZERO,
        rotation: DVec3::ZERO,
    },
    Joint {
        name: "Elbow",
        translation: DVec3::new(40.0, 0.0, 0.0),
        pre_rotation: DVec3::ZERO,
        rotation: DVec3::new(0.0, 0.0, -20.0),
    },
    Joint {
        name: "Wrist",
        translation: DVec3::new(30.0, 0.0, 0.0),
        pre_rotation: DVec3::new(90.0, 0.0, 0.0),
        rotation: DVec3::ZERO,
    },
];

/// Degrees by which the mesh's node stands up what was modelled with Z upwards.
pub const MESH_ROTATION: DVec3 = DVec3::new(-90.0, 0.0, 0.0);

/// Where along the upright arm each joint takes over, and half of the length over which it does.
pub const REACHES: [(f64, f64); 4] = [(0.0, 1.0), (10.0, 3.0), (50.0, 8.0), (80.0, 4.0)];

/// `scene_from_joint` when the skin was bound: the arm stands upright. Exact, as quarter turns are.
pub fn bind_worlds() -> [DAffine3; 4] {
    let mut world = DAffine3::IDENTITY;
    JOINTS.map(|joint| {
        let turn = DAffine3::from_mat3(quarter_turn(joint.pre_rotation));
        world = world * DAffine3::from_translation(joint.translation) * turn;
        world
    })
}

/// `scene_from_mesh` of the mesh's node.
pub fn mesh_world() -> DAffine3 {
    DAffine3::from_mat3(quarter_turn(MESH_ROTATION))
}

/// A turn by a multiple of 90 degrees about one axis: the sines of the turns' maths are not exactly 0 or 1.
fn quarter_turn(degrees: DVec3) -> DMat3 {
    let along = (0..3).find(|axis| degrees[*axis] != 0.0).unwrap_or(0);
    let sign = degrees[along].signum();
    let (mut columns, [from, to]) = (DMat3::IDENTITY.to_cols_array_2d(), [(along + 1) % 3, (along + 2) % 3]);
    if degrees[along] != 0.0 {
        (columns[from], columns[to]) = ([0.0; 3], [0.0; 3]);
        (columns[from][to], columns[to][from]) = (sign, -sign);
    }
    DMat3::from_cols_array_2d(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::RotationOrder;

    #[test]
    fn the_bound_arm_stands_upright() {
        let worlds = bind_worlds();
        let heights = worlds.map(|w| w.translation);
        assert_eq!(heights, [0.0, 10.0, 50.0, 80.0].map(|y| DVec3::new(0.0, y, 0.0)));
        assert!(worlds.iter().all(|w| w.matrix3.x_axis == DVec3::Y), "each looks along its bone");
        assert_eq!(mesh_world().transform_vector3(DVec3::Z), DVec3::Y);
    }

    #[test]
    fn quarter_turns_are_turns() {
        for degrees in [DVec3::ZERO, DVec3::X * 90.0, DVec3::Y * -90.0, DVec3::Z * 90.0, MESH_ROTATION] {
            let turn = DMat3::from_quat(RotationOrder::Xyz.to_quat(degrees));
            assert!(quarter_turn(degrees).abs_diff_eq(turn, 1e-12), "{degrees}");
        }
    }
}
