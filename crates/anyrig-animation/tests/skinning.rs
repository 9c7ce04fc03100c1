//! Skinning kernels against closed forms and plain `f64`.

use anyrig_animation::{JointDualQuat, JointMatrix, SkinInput, SkinOutput, Skinner, reference};
use anyrig_bytes::maths::f64 as maths;
use anyrig_scene::Influences;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use proptest::prelude::*;

type Points = (Vec<[f32; 3]>, Vec<[f32; 3]>, Vec<[f32; 4]>);

/// Influences of any number per point.
fn influences(rows: &[Vec<(u32, f32)>]) -> Influences {
    let mut offsets = vec![0];
    for row in rows {
        offsets.push(offsets[offsets.len() - 1] + row.len() as u32);
    }
    Influences::ragged(
        offsets,
        rows.iter().flatten().map(|(joint, _)| *joint).collect::<Vec<_>>(),
        rows.iter().flatten().map(|(_, weight)| *weight).collect::<Vec<_>>(),
    )
}

fn run(points: &Points, influences: &Influences, kernel: impl Fn(&SkinInput<'_>, &mut SkinOutput<'_>)) -> Points {
    let (positions, normals, tangents) = points;
    let mut out = (vec![[9.0; 3]; positions.len()], vec![[9.0; 3]; normals.len()], vec![[9.0; 4]; tangents.len()]);
    let mut output = SkinOutput::new(&mut out.0).with_normals(&mut out.1).with_tangents(&mut out.2);
    kernel(&SkinInput::new(positions, influences).with_normals(normals).with_tangents(tangents), &mut output);
    out
}

fn linear(points: &Points, influences: &Influences, palette: &[DAffine3]) -> Points {
    let palette: Vec<JointMatrix> = palette.iter().copied().map(JointMatrix::new).collect();
    run(points, influences, |input, out| Skinner::new().linear(input, &palette, out))
}

fn dual_quaternion(points: &Points, influences: &Influences, palette: &[DAffine3]) -> Points {
    let palette: Vec<JointDualQuat> = palette.iter().copied().map(JointDualQuat::new).collect();
    run(points, influences, |input, out| Skinner::new().dual_quaternion(input, &palette, out))
}

fn one(position: [f32; 3], normal: [f32; 3], tangent: [f32; 4]) -> Points {
    (vec![position], vec![normal], vec![tangent])
}

fn distance(a: &[f32], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - b) * (f64::from(*a) - b)).sum::<f64>().sqrt()
}

fn about(axis: DVec3, radians: f64) -> DQuat {
    let v = axis * maths::sin(radians / 2.0);
    DQuat::from_xyzw(v.x, v.y, v.z, maths::cos(radians / 2.0))
}

/// Turns about the elbow at x = 1.
fn elbow(axis: DVec3, radians: f64) -> DAffine3 {
    DAffine3::from_translation(DVec3::X)
        * DAffine3::from_quat(about(axis, radians))
        * DAffine3::from_translation(DVec3::NEG_X)
}

#[test]
fn a_bent_arm_has_its_closed_form() {
    let angle = 1.1;
    let (sin, cos) = (maths::sin(angle), maths::cos(angle));
    let palette = [DAffine3::IDENTITY, elbow(DVec3::Z, angle)];
    let points: Points = (
        vec![[0.5, 0.1, 0.0], [1.5, 0.1, 0.0], [1.0, 0.1, 0.0]],
        vec![[0.0, 1.0, 0.0]; 3],
        vec![[1.0, 0.0, 0.0, 1.0]; 3],
    );
    let rows = influences(&[vec![(0, 1.0)], vec![(1, 1.0)], vec![(0, 0.5), (1, 0.5)]]);

    let lower = [1.0 + 0.5 * cos - 0.1 * sin, 0.5 * sin + 0.1 * cos, 0.0];
    let (half_sin, half_cos) = (maths::sin(angle / 2.0), maths::cos(angle / 2.0));
    // The mean of two rotations by 0 and `angle` is a rotation by half of it, shrunk by its cosine.
    let linear_seam = [1.0 - 0.1 * half_cos * half_sin, 0.1 * half_cos * half_cos, 0.0];
    // Dual quaternions do not shrink: the seam turns about the elbow.
    let dual_seam = [1.0 - 0.1 * half_sin, 0.1 * half_cos, 0.0];
    for (moved, seam) in
        [(linear(&points, &rows, &palette), linear_seam), (dual_quaternion(&points, &rows, &palette), dual_seam)]
    {
        assert!(distance(&moved.0[0], &[0.5, 0.1, 0.0]) < 1e-6);
        assert!(distance(&moved.0[1], &lower) < 1e-6, "{moved:?}");
        assert!(distance(&moved.0[2], &seam) < 1e-6, "{moved:?}");
        assert!(distance(&moved.1[2], &[-half_sin, half_cos, 0.0]) < 1e-6, "{moved:?}");
        assert!(distance(&moved.2[2], &[half_cos, half_sin, 0.0, 1.0]) < 1e-6, "{moved:?}");
    }
}

#[test]
fn a_half_turn_twist_collapses_linearly_but_not_by_dual_quaternions() {
    let palette = [DAffine3::IDENTITY, elbow(DVec3::X, 3.1)];
    let points = one([1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]);
    let rows = influences(&[vec![(0, 0.5), (1, 0.5)]]);
    let radius = |moved: &Points| distance(&moved.0[0], &[1.0, 0.0, 0.0]);
    assert!((radius(&linear(&points, &rows, &palette)) - 0.2 * maths::cos(1.55)).abs() < 1e-6);
    assert!((radius(&dual_quaternion(&points, &rows, &palette)) - 0.2).abs() < 1e-6);
}

#[test]
fn both_signs_of_a_dual_quaternion_are_the_same_motion() {
    // The middle of turns by 160° and 200° about X is a half turn, whichever sign either quaternion has.
    let turn = |degrees: f64| {
        DAffine3::from_rotation_translation(about(DVec3::X, degrees.to_radians()), DVec3::new(3.0, 0.0, 0.0))
    };
    let rows = influences(&[vec![(1, 0.0), (0, 0.5), (1, 0.5)]]);
    let points = one([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]);
    for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let mut palette = [160.0, 200.0].map(|degrees| JointDualQuat::new(turn(degrees)));
        for (joint, sign) in palette.iter_mut().zip(signs) {
            joint.real = joint.real.map(|c| c * sign);
            joint.dual = joint.dual.map(|c| c * sign);
        }
        let moved = run(&points, &rows, |input, out| Skinner::new().dual_quaternion(input, &palette, out));
        assert!(distance(&moved.0[0], &[3.0, -1.0, 0.0]) < 1e-6, "{signs:?} {moved:?}");
    }
}

#[test]
fn a_joint_without_weight_does_not_choose_the_way() {
    // Seen from the third joint, the other two would lie on opposite sides.
    let palette = [0.0, 100.0, -120.0_f64].map(|degrees| DAffine3::from_quat(about(DVec3::X, degrees.to_radians())));
    let points = one([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]);
    let moved = dual_quaternion(&points, &influences(&[vec![(2, 0.0), (0, 0.5), (1, 0.5)]]), &palette);
    let half = 50.0_f64.to_radians();
    assert!(distance(&moved.0[0], &[0.0, maths::cos(half), maths::sin(half)]) < 1e-6, "{moved:?}");
}

#[test]
fn dual_quaternions_that_cancel_leave_the_pivot() {
    let joint = |x, y| JointDualQuat { real: [x, y, 0.0, 0.0], ..JointDualQuat::IDENTITY };
    let palette = [joint(1.0, 0.0), joint(0.0, 1.0), joint(0.6, 0.8)];
    let rows = influences(&[vec![(0, 0.6), (1, 0.8), (2, -1.0)]]);
    let points = one([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]);
    let moved = run(&points, &rows, |input, out| Skinner::new().dual_quaternion(input, &palette, out));
    // A half turn about X of what the stretches' sum, 0.4 times the identity, makes of the point.
    assert!(distance(&moved.0[0], &[0.0, -0.4, 0.0]) < 1e-6, "{moved:?}");
}

#[test]
fn normals_move_by_the_inverse_transpose_and_mirrors_flip_w() {
    let rows = influences(&[vec![(0, 1.0)]]);
    let slanted = one([1.0, 1.0, 0.0], [0.6, 0.8, 0.0], [0.8, -0.6, 0.0, 1.0]);
    let cases: [(DVec3, [f64; 3], [f64; 4]); 3] = [
        (DVec3::new(2.0, 1.0, 1.0), [0.3, 0.8, 0.0], [1.6, -0.6, 0.0, 1.0]),
        (DVec3::new(-1.0, 1.0, 1.0), [-0.6, 0.8, 0.0], [-0.8, -0.6, 0.0, -1.0]),
        (DVec3::splat(-0.5), [-0.6, -0.8, 0.0], [-0.8, 0.6, 0.0, -1.0]),
    ];
    for (scale, normal, tangent) in cases {
        let palette = [DAffine3::from_scale(scale)];
        let n = DVec3::from_array(normal).try_normalize().expect("a direction").to_array();
        let t = DVec3::new(tangent[0], tangent[1], tangent[2]).try_normalize().expect("a direction");
        let direct = run(&slanted, &rows, |input, out| Skinner::new().rigid(input, &JointMatrix::new(palette[0]), out));
        for moved in [linear(&slanted, &rows, &palette), dual_quaternion(&slanted, &rows, &palette), direct] {
            assert!(distance(&moved.0[0], &[scale.x, scale.y, 0.0]) < 1e-6);
            assert!(distance(&moved.1[0], &n) < 1e-6, "{scale} {moved:?}");
            assert!(distance(&moved.2[0], &[t.x, t.y, t.z, tangent[3]]) < 1e-6, "{scale} {moved:?}");
        }
    }
}

#[test]
fn degenerate_input_has_defined_results() {
    let moved_away = DAffine3::from_translation(DVec3::splat(100.0));
    let flat = DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.0));
    let nothing = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::Y };
    let palette = [moved_away, flat, nothing];
    let point = one([1.0, 2.0, 3.0], [0.0, 0.6, 0.8], [1.0, 0.0, 0.0, -1.0]);
    let stays = (point.0[0], point.1[0], point.2[0]);
    let cases = [
        (vec![], stays),
        (vec![(0, 0.0)], stays),
        (vec![(0, 0.5), (0, -0.5)], stays),
        (vec![(7, 1.0)], stays),
        (vec![(u32::MAX, 0.5), (7, 0.5)], stays),
        (vec![(1, 1.0)], ([1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0])),
        (vec![(2, 1.0)], ([0.0, 1.0, 0.0], point.1[0], point.2[0])),
    ];
    for (row, expected) in cases {
        let rows = influences(std::slice::from_ref(&row));
        for moved in [linear(&point, &rows, &palette), dual_quaternion(&point, &rows, &palette)] {
            assert_eq!((moved.0[0], moved.1[0], moved.2[0]), expected, "{row:?}");
        }
    }
    let zero_normal = one([0.0; 3], [0.0; 3], [0.0; 4]);
    let rows = influences(&[vec![(0, 1.0)]]);
    assert_eq!(linear(&zero_normal, &rows, &palette).1[0], [0.0; 3]);
}

#[test]
fn lists_that_do_not_fit_each_other_are_borne() {
    let points: Points = (vec![[1.0, 0.0, 0.0]; 4], vec![[0.0, 0.0, 1.0]; 2], vec![]);
    let fixed = |n| Influences::fixed(n, vec![0; 3], vec![1.0; 2]);
    let offsets = Influences::ragged(vec![0, 1, 0, u32::MAX], vec![0; 3], vec![1.0; 3]);
    let palette = [DAffine3::from_translation(DVec3::X)];
    for (influences, moved) in
        [(fixed(1), [2.0, 2.0, 1.0, 1.0]), (fixed(u32::MAX), [1.0; 4]), (offsets, [2.0, 1.0, 1.0, 1.0])]
    {
        for out in [linear(&points, &influences, &palette), dual_quaternion(&points, &influences, &palette)] {
            assert_eq!(out.0.iter().map(|p| p[0]).collect::<Vec<_>>(), moved);
            assert_eq!(out.1, points.1);
        }
    }
    let mut few = [[9.0; 3]; 1];
    let mut out = SkinOutput::new(&mut few);
    let influences = fixed(1);
    let input = SkinInput::new(&points.0, &influences).with_normals(&points.1);
    Skinner::new().linear(&input, &[JointMatrix::new(palette[0])], &mut out);
    assert_eq!(few, [[2.0, 0.0, 0.0]]);
}

/// The order of operations that the documentation of `Skinner::linear` promises, written out for two influences.
#[test]
fn linear_positions_have_the_documented_bits() {
    let value = |i: u32| ((i.wrapping_mul(2_654_435_761) >> 8) as f32) / 1.7e7 - 0.4;
    let matrix = |seed: u32| {
        let at = |row: u32, column: u32| value(seed + 4 * row + column);
        JointMatrix { rows: [0, 1, 2].map(|r| [0, 1, 2, 3].map(|c| at(r, c))) }
    };
    for seed in 0..500u32 {
        let palette = [matrix(seed * 31), matrix(seed * 31 + 12)];
        let (v, w) = (value(seed + 9000), value(seed + 9500));
        let position = [value(seed), value(seed + 1), value(seed + 2)];
        let points: Points = (vec![position], vec![], vec![]);
        let rows = influences(&[vec![(1, v), (0, w)]]);
        let moved = run(&points, &rows, |input, out| Skinner::new().linear(input, &palette, out));
        for axis in 0..3 {
            let b: Vec<f32> = (0..4).map(|c| v * palette[1].rows[axis][c] + w * palette[0].rows[axis][c]).collect();
            let x_y = b[0] * position[0] + b[1] * position[1];
            let expected = (x_y + b[2] * position[2]) + b[3];
            assert_eq!(moved.0[0][axis].to_bits(), expected.to_bits(), "{seed} {axis}");
        }
    }
}

fn direction() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0f64)
        .prop_map(DVec3::from_array)
        .prop_filter_map("has a direction", |v| (v.length() > 0.1).then(|| v.try_normalize()).flatten())
}

fn rigid() -> impl Strategy<Value = DAffine3> {
    (direction(), -3.1..3.1f64, prop::array::uniform3(-2.0..2.0f64))
        .prop_map(|(axis, angle, t)| DAffine3::from_rotation_translation(about(axis, angle), DVec3::from_array(t)))
}

fn stretched() -> impl Strategy<Value = DAffine3> {
    (rigid(), prop::array::uniform3(0.4..2.0f64), direction(), 0.0..3.0f64).prop_map(|(rigid, scale, axis, angle)| {
        rigid * DAffine3::from_scale(DVec3::from_array(scale)) * DAffine3::from_quat(about(axis, angle))
    })
}

fn point() -> impl Strategy<Value = ([f32; 3], DVec3)> {
    (prop::array::uniform3(-2.0..2.0f32), direction())
}

fn weights() -> impl Strategy<Value = Vec<(u32, f32)>> {
    prop::collection::vec((0..4u32, 0.05..1.0f32), 1..9).prop_map(|row| {
        let sum: f32 = row.iter().map(|(_, w)| w).sum();
        row.into_iter().map(|(joint, weight)| (joint, weight / sum)).collect()
    })
}

proptest! {
    #[test]
    fn linear_equals_plain_f64(
        palette in prop::array::uniform4(stretched()),
        points in prop::collection::vec((point(), weights()), 1..20),
    ) {
        let rows = influences(&points.iter().map(|(_, row)| row.clone()).collect::<Vec<_>>());
        let positions = points.iter().map(|((p, _), _)| *p).collect();
        let normals = points.iter().map(|((_, n), _)| n.to_array().map(|c| c as f32)).collect();
        let points: Points = (positions, normals, vec![]);
        let moved = linear(&points, &rows, &palette);
        let input = SkinInput::new(&points.0, &rows).with_normals(&points.1);
        for (i, (position, normal)) in reference::skin_linear_f64(&input, &palette).into_iter().enumerate() {
            prop_assert!(distance(&moved.0[i], &position.to_array()) < 1e-5);
            // Near a flat sum the normal's direction is as uncertain as the sum's smallest stretch.
            let (joints, weights) = rows.of(i);
            let sum = joints.iter().zip(weights).fold(DMat3::ZERO, |sum, (joint, weight)| {
                sum + palette[*joint as usize].matrix3 * f64::from(*weight)
            });
            if sum.determinant().abs() > 0.05 {
                prop_assert!(distance(&moved.1[i], &normal.to_array()) < 1e-4);
            }
            let length = moved.1[i].iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>();
            prop_assert!((length - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn one_rigid_motion_moves_alike_by_every_method(motion in rigid(), (position, n) in point(), row in weights()) {
        let expected = motion.transform_point3(DVec3::from_array(position.map(f64::from)));
        let points = one(position, n.to_array().map(|c| c as f32), [n.x as f32, n.y as f32, n.z as f32, -1.0]);
        let turned = motion.transform_vector3(n).to_array();
        let rows = influences(&[row]);
        let palette = [motion; 4];
        for moved in [linear(&points, &rows, &palette), dual_quaternion(&points, &rows, &palette)] {
            prop_assert!(distance(&moved.0[0], &expected.to_array()) < 1e-5);
            prop_assert!(distance(&moved.1[0], &turned) < 1e-5);
            prop_assert!(distance(&moved.2[0], &[turned[0], turned[1], turned[2], -1.0]) < 1e-5);
        }
    }

    #[test]
    fn dual_quaternions_of_one_joint_are_its_matrix(motion in stretched(), mirror: bool, (position, n) in point()) {
        let motion = if mirror { motion * DAffine3::from_scale(DVec3::new(1.0, 1.0, -1.0)) } else { motion };
        let points = one(position, n.to_array().map(|c| c as f32), [0.0, 1.0, 0.0, 1.0]);
        let rows = influences(&[vec![(0, 1.0)]]);
        let (a, b) = (linear(&points, &rows, &[motion]), dual_quaternion(&points, &rows, &[motion]));
        prop_assert!(distance(&a.0[0], &b.0[0].map(f64::from)) < 2e-5);
        prop_assert!(distance(&a.1[0], &b.1[0].map(f64::from)) < 2e-5);
        prop_assert!(distance(&a.2[0], &b.2[0].map(f64::from)) < 2e-5);
    }

    #[test]
    fn dual_quaternions_of_rigid_joints_keep_distances(
        palette in prop::array::uniform4(rigid()), row in weights(), a in point(), b in point(),
    ) {
        let points: Points = (vec![a.0, b.0], vec![], vec![]);
        let moved = dual_quaternion(&points, &influences(&[row.clone(), row]), &palette).0;
        let before = distance(&a.0, &b.0.map(f64::from));
        prop_assert!((distance(&moved[0], &moved[1].map(f64::from)) - before).abs() < 1e-5);
    }
}
