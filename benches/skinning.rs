//! What skinning costs beside a plain loop over glam's matrices: `bench-skinning POINTS [RUNS] [THREADS]`.
//!
//! Both sides move the same positions and normals by four influences each, in the same process, run after run in turn:
//! every kernel of this processor, and two loops. `glam` blends the matrices and moves normals by their cofactors, as
//! the kernels do; `glam_short` moves normals by the matrix itself, which is wrong where joints stretch. With more than
//! one thread the best kernel's time on the wall is set beside its own on one thread. Prints a line for each.
#![allow(clippy::print_stdout, reason = "a program for people and scripts")]

use anyrig_animation::{JointMatrix, Kernel, SkinInput, SkinOutput, Skinner};
use anyrig_benches::{Took, measure, median};
use anyrig_scene::Influences;
use glam::{DAffine3, DQuat, DVec3, Mat3A, Mat4, Vec3A};
use std::error::Error;
use std::hint::black_box;

/// Of a character with fingers.
const JOINTS: u32 = 64;
/// Small meshes are moved so often that a run lasts some milliseconds.
const POINTS_PER_RUN: usize = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let points: usize = arguments.next().ok_or("usage: bench-skinning POINTS [RUNS] [THREADS]")?.parse()?;
    let runs: usize = arguments.next().map_or(Ok(9), |text| text.parse())?;
    let threads: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let body = Body::new(points.max(1));
    let mut frame = Frame::new(&body);
    if threads > 1 {
        return on_threads(&body, &mut frame, runs, threads);
    }
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    beside_glam(&body, &mut frame, runs)
}

/// A line for each side: millions of points in a second of processor time, and how that compares with `glam`.
fn beside_glam(body: &Body, frame: &mut Frame, runs: usize) -> Result<(), Box<dyn Error>> {
    let kernels = Kernel::ALL.into_iter().filter(|kernel| kernel.is_available());
    let mut sides: Vec<(&str, Side)> = vec![("glam", Side::Glam), ("glam_short", Side::GlamShort)];
    sides.extend(kernels.map(|kernel| (kernel.name(), Side::Own(Skinner::with_kernel(kernel)))));
    let mut seconds = vec![Vec::new(); sides.len()];
    for run in 0..=runs {
        for ((_, side), seconds) in sides.iter_mut().zip(&mut seconds) {
            let took = once(body, frame, side)?;
            if run > 0 {
                seconds.push(took.cpu_secs);
            }
        }
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    for ((name, _), secs) in sides.iter().zip(&medians) {
        let rate = body.points_per_run() as f64 / secs / 1e6;
        println!(
            "points={} side={name} mpoints_per_sec={rate:.1} ratio={:.3}",
            body.positions.len(),
            medians[0] / secs
        );
    }
    Ok(())
}

fn on_threads(body: &Body, frame: &mut Frame, runs: usize, threads: usize) -> Result<(), Box<dyn Error>> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools = [pool(1)?, pool(threads)?];
    let mut seconds = [Vec::new(), Vec::new()];
    let mut side = Side::Own(Skinner::new());
    for _ in 0..=runs {
        for (pool, seconds) in pools.iter().zip(&mut seconds) {
            let took = pool.install(|| once(body, frame, &mut side).map_err(|e| e.to_string()))?;
            seconds.push(took.wall_secs);
        }
    }
    let [alone, shared] = seconds.map(median);
    println!("points={} threads={threads} ratio={:.3}", body.positions.len(), alone / shared);
    Ok(())
}

enum Side {
    Glam,
    GlamShort,
    Own(Skinner),
}

fn once(body: &Body, frame: &mut Frame, side: &mut Side) -> Result<Took, Box<dyn Error>> {
    measure(|| {
        for _ in 0..body.repeats() {
            match side {
                Side::Glam => glam_loop(body, frame, cofactors),
                Side::GlamShort => glam_loop(body, frame, |matrix| *matrix),
                Side::Own(skinner) => own(body, frame, skinner),
            }
            black_box(&mut *frame);
        }
        Ok(())
    })
}

/// A tube along joints that turn, with weights that fade from joint to joint.
struct Body {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    joints: Vec<[u32; 4]>,
    weights: Vec<[f32; 4]>,
    influences: Influences,
    matrices: Vec<JointMatrix>,
    glam: Vec<Mat4>,
}

/// What comes out.
struct Frame {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Frame {
    fn new(body: &Body) -> Self {
        Self { positions: body.positions.clone(), normals: body.normals.clone() }
    }
}

impl Body {
    fn new(points: usize) -> Self {
        let share = |i: usize| i as f32 / points as f32;
        let circle = |i: usize| DQuat::from_rotation_x(i as f64 * 2.4) * DVec3::Y;
        let normals: Vec<[f32; 3]> = (0..points).map(|i| circle(i).as_vec3().to_array()).collect();
        let positions = normals.iter().enumerate().map(|(i, [_, y, z])| [share(i), y * 0.1, z * 0.1]).collect();
        let first = |i: usize| ((share(i) * JOINTS as f32) as u32).min(JOINTS - 4);
        let joints: Vec<[u32; 4]> = (0..points).map(|i| [0, 1, 2, 3].map(|k| first(i) + k)).collect();
        let weights: Vec<[f32; 4]> =
            (0..points).map(|i| [0.4, 0.3, 0.2 - 0.1 * share(i), 0.1 + 0.1 * share(i)]).collect();
        let turn = |j: u32| {
            let (angle, along) = (0.05 * f64::from(j), f64::from(j) / f64::from(JOINTS));
            DAffine3::from_rotation_translation(DQuat::from_rotation_z(angle), DVec3::new(0.01 * angle, along, 0.0))
        };
        let affines: Vec<DAffine3> = (0..JOINTS).map(turn).collect();
        Self {
            influences: Influences::fixed(4, joints.as_flattened().to_vec(), weights.as_flattened().to_vec()),
            matrices: affines.iter().copied().map(JointMatrix::new).collect(),
            glam: affines.iter().map(|a| Mat4::from(a.as_affine3a())).collect(),
            positions,
            normals,
            joints,
            weights,
        }
    }

    fn repeats(&self) -> usize {
        (POINTS_PER_RUN / self.positions.len()).max(1)
    }

    fn points_per_run(&self) -> usize {
        self.repeats() * self.positions.len()
    }
}

fn own(body: &Body, frame: &mut Frame, skinner: &mut Skinner) {
    let input = SkinInput::new(&body.positions, &body.influences).with_normals(&body.normals);
    let mut out = SkinOutput::new(&mut frame.positions).with_normals(&mut frame.normals);
    skinner.linear(&input, &body.matrices, &mut out);
}

/// The loop that one writes by hand: blend, transform, normalise.
fn glam_loop(body: &Body, frame: &mut Frame, directions: impl Fn(&Mat3A) -> Mat3A) {
    let points = body.positions.iter().zip(&body.normals).zip(body.joints.iter().zip(&body.weights));
    let out = frame.positions.iter_mut().zip(&mut frame.normals);
    for (((position, normal), (joints, weights)), (to, turned)) in points.zip(out) {
        let [a, b, c, d] = joints.map(|joint| &body.glam[joint as usize]);
        let matrix = *a * weights[0] + *b * weights[1] + *c * weights[2] + *d * weights[3];
        *to = matrix.transform_point3a(Vec3A::from_array(*position)).to_array();
        let moved = directions(&Mat3A::from_mat4(matrix)) * Vec3A::from_array(*normal);
        *turned = moved.normalize_or_zero().to_array();
    }
}

/// The inverse transpose times the determinant.
fn cofactors(m: &Mat3A) -> Mat3A {
    Mat3A::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}
