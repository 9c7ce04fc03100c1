//! Every kernel and every number of threads gives the same bits, and all methods are what plain `f64` says.

use anyrig_animation::{
    JointDualQuat, JointMatrix, JointSdef, Kernel, SdefPoint, SkinInput, SkinOutput, Skinner, reference,
};
use anyrig_bytes::maths::f64 as maths;
use anyrig_scene::Influences;
use glam::{DAffine3, DQuat, DVec3};
use proptest::prelude::*;

/// A stream of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        self.below(2_000_001) as f32 / 1e6 - 1.0
    }

    /// Mostly plain, now and then zero, tiny or huge, never so that a sum of products overflows.
    fn any(&mut self) -> f32 {
        match self.below(16) {
            0 => 0.0,
            1 => -0.0,
            2 => f32::from_bits(self.below(0x0080_0000)),
            3 => self.number() * 1e-18,
            4 => self.number() * 1e5,
            _ => self.number(),
        }
    }

    fn list<const N: usize>(&mut self, count: usize) -> Vec<[f32; N]> {
        (0..count).map(|_| std::array::from_fn(|_| self.any())).collect()
    }
}

/// A mesh with its joints.
struct Case {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    influences: Influences,
    matrices: Vec<JointMatrix>,
    dual_quats: Vec<JointDualQuat>,
    sdef: Vec<JointSdef>,
    sdef_points: Vec<SdefPoint>,
}

const JOINTS: u32 = 9;

/// Four influences each, or any number from none to eleven; joints that are missing among them.
fn influences(dice: &mut Dice, points: usize, is_fixed: bool) -> Influences {
    let (mut offsets, mut joints, mut weights) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..points {
        let count = if is_fixed { 4 } else { dice.below(12) };
        for _ in 0..count {
            joints.push(dice.below(JOINTS + 2));
            weights.push(match dice.below(5) {
                0 => 0.0,
                1 => -dice.number().abs(),
                _ => dice.number().abs(),
            });
        }
        offsets.push(joints.len() as u32);
    }
    if is_fixed { Influences::fixed(4, joints, weights) } else { Influences::ragged(offsets, joints, weights) }
}

fn case(seed: u64, points: usize, is_fixed: bool) -> Case {
    let mut dice = Dice(seed);
    let matrices =
        (0..JOINTS).map(|_| JointMatrix { rows: std::array::from_fn(|_| std::array::from_fn(|_| dice.any())) });
    let matrices: Vec<_> = matrices.collect();
    let affines: Vec<DAffine3> = matrices.iter().map(JointMatrix::to_affine).collect();
    let sdef_points = (0..points / 2).map(|_| SdefPoint {
        point: dice.below(points as u32 + 2),
        center: std::array::from_fn(|_| dice.any()),
        first: std::array::from_fn(|_| dice.any()),
        second: std::array::from_fn(|_| dice.any()),
    });
    let sdef_points = sdef_points.collect();
    Case {
        positions: dice.list(points),
        normals: dice.list(points),
        // One fewer, so that a block is full in one attribute and not in another.
        tangents: dice.list(points.saturating_sub(1)),
        influences: influences(&mut dice, points, is_fixed),
        dual_quats: affines.iter().copied().map(JointDualQuat::new).collect(),
        sdef: affines.iter().copied().map(JointSdef::new).collect(),
        matrices,
        sdef_points,
    }
}

#[derive(Clone, Copy, Debug)]
enum Method {
    Linear,
    DualQuaternion,
    Sdef,
    Rigid,
}

const METHODS: [Method; 4] = [Method::Linear, Method::DualQuaternion, Method::Sdef, Method::Rigid];

/// All numbers that come out.
fn skinned(case: &Case, method: Method, kernel: Kernel) -> Vec<f32> {
    let mut out = (vec![[7.0; 3]; case.positions.len()], case.normals.clone(), case.tangents.clone());
    let input =
        SkinInput::new(&case.positions, &case.influences).with_normals(&case.normals).with_tangents(&case.tangents);
    let mut output = SkinOutput::new(&mut out.0).with_normals(&mut out.1).with_tangents(&mut out.2);
    let mut skinner = Skinner::with_kernel(kernel);
    match method {
        Method::Linear => skinner.linear(&input, &case.matrices, &mut output),
        Method::DualQuaternion => skinner.dual_quaternion(&input, &case.dual_quats, &mut output),
        Method::Sdef => skinner.sdef(&input, &case.sdef_points, &case.sdef, &mut output),
        Method::Rigid => skinner.rigid(&input, &case.matrices[0], &mut output),
    }
    let flat = [out.0.as_flattened(), out.1.as_flattened(), out.2.as_flattened()];
    flat.concat()
}

fn assert_same(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert_eq!(a.to_bits(), b.to_bits(), "{what}: number {i} is {a}, not {b}");
    }
}

#[test]
fn every_kernel_has_the_bits_of_plain_arithmetic() {
    for points in [0, 1, 7, 8, 9, 31, 400] {
        for (seed, is_fixed) in [(points as u64, true), (points as u64 + 1000, false)] {
            let case = case(seed, points, is_fixed);
            for method in METHODS {
                let plain = skinned(&case, method, Kernel::Scalar);
                assert!(plain.iter().all(|v| v.is_finite()), "{method:?} {points}");
                for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                    let what = format!("{method:?} of {points} points with {kernel:?}, four each: {is_fixed}");
                    assert_same(&skinned(&case, method, kernel), &plain, &what);
                }
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    let case = case(5, 40_003, true);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    for method in METHODS {
        let alone = pool(1).install(|| skinned(&case, method, Kernel::best()));
        for threads in [2, 3, 8] {
            let shared = pool(threads).install(|| skinned(&case, method, Kernel::best()));
            assert_same(&shared, &alone, &format!("{method:?} on {threads} threads"));
        }
    }
}

fn direction() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0f64)
        .prop_map(DVec3::from_array)
        .prop_filter_map("has a direction", |v| (v.length() > 0.1).then(|| v.try_normalize()).flatten())
}

/// Turns by up to a right angle, so that blends of them keep a direction.
fn joint() -> impl Strategy<Value = DAffine3> {
    let scale = prop::array::uniform3(0.6..1.6f64);
    (direction(), -1.5..1.5f64, prop::array::uniform3(-1.0..1.0f64), scale).prop_map(|(axis, angle, t, scale)| {
        let v = axis * maths::sin(angle / 2.0);
        let turn = DQuat::from_xyzw(v.x, v.y, v.z, maths::cos(angle / 2.0));
        DAffine3::from_scale_rotation_translation(DVec3::from_array(scale), turn, DVec3::from_array(t))
    })
}

fn weights(most: usize) -> impl Strategy<Value = Vec<(u32, f32)>> {
    prop::collection::vec((0..4u32, 0.05..1.0f32), 1..=most).prop_map(|row| {
        let sum: f32 = row.iter().map(|(_, w)| w).sum();
        row.into_iter().map(|(joint, weight)| (joint, weight / sum)).collect()
    })
}

fn ragged(rows: &[Vec<(u32, f32)>]) -> Influences {
    let mut offsets = vec![0];
    rows.iter().for_each(|row| offsets.push(offsets[offsets.len() - 1] + row.len() as u32));
    let (joints, weights): (Vec<u32>, Vec<f32>) = rows.iter().flatten().copied().unzip();
    Influences::ragged(offsets, joints, weights)
}

fn distance(a: [f32; 3], b: DVec3) -> f64 {
    DVec3::from_array(a.map(f64::from)).distance(b)
}

type Place = ([f32; 3], DVec3);

proptest! {
    #[test]
    fn dual_quaternions_equal_plain_f64(
        palette in prop::array::uniform4(joint()),
        points in prop::collection::vec(((prop::array::uniform3(-1.0..1.0f32), direction()), weights(9)), 1..20),
    ) {
        let rows = ragged(&points.iter().map(|(_, row)| row.clone()).collect::<Vec<_>>());
        let positions: Vec<_> = points.iter().map(|((p, _), _)| *p).collect();
        let normals: Vec<_> = points.iter().map(|((_, n), _)| n.to_array().map(|c| c as f32)).collect();
        let input = SkinInput::new(&positions, &rows).with_normals(&normals);
        let (mut to, mut directions) = (positions.clone(), normals.clone());
        let joints: Vec<_> = palette.iter().copied().map(JointDualQuat::new).collect();
        let mut out = SkinOutput::new(&mut to).with_normals(&mut directions);
        Skinner::new().dual_quaternion(&input, &joints, &mut out);
        for (i, (position, normal)) in reference::skin_dual_quaternion_f64(&input, &palette).into_iter().enumerate() {
            prop_assert!(distance(to[i], position) < 1e-5, "{:?} {}", to[i], position);
            prop_assert!(distance(directions[i], normal) < 1e-5, "{:?} {}", directions[i], normal);
        }
    }

    #[test]
    fn spheres_equal_plain_f64(
        palette in prop::array::uniform4(joint()),
        places in prop::collection::vec((prop::array::uniform3(-1.0..1.0f32), direction()), 20),
        rows in prop::collection::vec(weights(2), 20),
        spheres in prop::collection::vec(prop::array::uniform9(-1.0..1.0f32), 1..20),
    ) {
        let places: Vec<Place> = places;
        let rows = ragged(&rows);
        let positions: Vec<_> = places.iter().map(|(p, _)| *p).collect();
        let normals: Vec<_> = places.iter().map(|(_, n)| n.to_array().map(|c| c as f32)).collect();
        let points: Vec<_> = spheres.iter().enumerate().map(|(i, [a, b, c, d, e, f, g, h, j])| {
            SdefPoint { point: 19 - i as u32, center: [*a, *b, *c], first: [*d, *e, *f], second: [*g, *h, *j] }
        }).collect();
        let input = SkinInput::new(&positions, &rows).with_normals(&normals);
        let (mut to, mut directions) = (vec![[9.0; 3]; 20], normals.clone());
        let joints: Vec<_> = palette.iter().copied().map(JointSdef::new).collect();
        let mut out = SkinOutput::new(&mut to).with_normals(&mut directions);
        Skinner::new().sdef(&input, &points, &joints, &mut out);
        for (point, (position, normal)) in points.iter().zip(reference::skin_sdef_f64(&input, &points, &palette)) {
            let i = point.point as usize;
            prop_assert!(distance(to[i], position) < 1e-5, "{:?} {}", to[i], position);
            prop_assert!(distance(directions[i], normal) < 1e-5, "{:?} {}", directions[i], normal);
        }
        prop_assert_eq!(to.get(..20 - points.len()), Some(&vec![[9.0; 3]; 20 - points.len()][..]), "not listed");
    }
}

#[test]
fn an_elbow_keeps_its_thickness_on_a_sphere() {
    // The forearm bends by a right angle at the origin. Half way, a point beside the centre turns by half of it.
    let half = 0.5_f64.sqrt();
    let palette = [DAffine3::IDENTITY, DAffine3::from_quat(DQuat::from_xyzw(0.0, 0.0, half, half))];
    let joints: Vec<_> = palette.into_iter().map(JointSdef::new).collect();
    let positions = [[0.0, 0.2, 0.0], [5.0; 3]];
    let rows = ragged(&[vec![(0, 0.5), (1, 0.5)], vec![(0, 0.5), (1, -0.5)]]);
    let points = [0, 1, 7].map(|point| SdefPoint { point, ..SdefPoint::default() });
    let mut to = [[9.0; 3]; 2];
    let input = SkinInput::new(&positions, &rows);
    Skinner::new().sdef(&input, &points, &joints, &mut SkinOutput::new(&mut to));
    let expected = 0.2 * half;
    assert!(distance(to[0], DVec3::new(-expected, expected, 0.0)) < 1e-6, "{to:?}");
    assert_eq!(to[1], [5.0; 3], "weights that add up to nothing");
}
