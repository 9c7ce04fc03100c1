//! Spherical deformation of single points.

use super::linear::JointMatrix;
use super::motion::{turn, unit_or};
use super::{AnyNumber, SkinInput, SkinOutput};
use crate::skinning::lanes::{Arc, Lanes, Task, WIDTH, arc_weights, dot};
use anyrig_scene::Trs;
use glam::{DAffine3, DQuat};
use std::array;

/// A point that is moved on a sphere about a centre instead of on a straight line. All in mesh space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct SdefPoint {
    /// Which point it is.
    pub point: u32,
    /// The centre C.
    pub center: [f32; 3],
    /// The reference point R0 of the first joint.
    pub first: [f32; 3],
    /// The reference point R1 of the second joint.
    pub second: [f32; 3],
}

/// A joint's `scene_from_mesh` with its rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct JointSdef {
    /// The whole transform.
    pub matrix: JointMatrix,
    /// Its rotation (x, y, z, w), a unit quaternion.
    pub rotation: [f32; 4],
}

impl JointSdef {
    /// No change.
    pub const IDENTITY: Self = Self { matrix: JointMatrix::IDENTITY, rotation: [0.0, 0.0, 0.0, 1.0] };

    /// The transform, with the rotation of [`Trs::nearest_to_affine`].
    pub fn new(affine: DAffine3) -> Self {
        let rotation = Trs::nearest_to_affine(affine).rotation.to_array().map(|c| c as f32);
        Self { matrix: JointMatrix::new(affine), rotation }
    }
}

impl Default for JointSdef {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// All listed points.
pub(super) struct Sdef<'a, 'o> {
    pub(super) input: &'a SkinInput<'a>,
    pub(super) points: &'a [SdefPoint],
    pub(super) palette: &'a [JointSdef],
    pub(super) out: &'a mut SkinOutput<'o>,
}

impl Task for Sdef<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, token: L::Token) {
        let Self { input, points, palette, out } = self;
        for points in points.chunks(WIDTH) {
            let gathered = Gathered::new(input, points, palette);
            let moved = gathered.moved::<L>(token);
            for (lane, point) in points.iter().enumerate() {
                scatter(input, out, point.point as usize, gathered.has_weight[lane].then_some((&moved, lane)));
            }
        }
    }
}

/// Eight points, one in each lane.
struct Gathered {
    positions: [[f32; 3]; WIDTH],
    normals: [[f32; 3]; WIDTH],
    tangents: [[f32; 3]; WIDTH],
    center: [[f32; 3]; WIDTH],
    references: [[[f32; 3]; WIDTH]; 2],
    weights: [[f32; WIDTH]; 2],
    joints: [[JointSdef; WIDTH]; 2],
    arcs: [Arc; WIDTH],
    has_weight: [bool; WIDTH],
}

struct Moved {
    positions: [[f32; 3]; WIDTH],
    normals: [[f32; 3]; WIDTH],
    tangents: [[f32; 3]; WIDTH],
}

impl Gathered {
    fn new(input: &SkinInput<'_>, points: &[SdefPoint], palette: &[JointSdef]) -> Self {
        let rows = AnyNumber::new(input.influences);
        let mut all = Self {
            positions: [[0.0; 3]; WIDTH],
            normals: [[0.0; 3]; WIDTH],
            tangents: [[0.0; 3]; WIDTH],
            center: [[0.0; 3]; WIDTH],
            references: [[[0.0; 3]; WIDTH]; 2],
            weights: [[0.0; WIDTH]; 2],
            joints: [[JointSdef::IDENTITY; WIDTH]; 2],
            arcs: [Arc { square: 0.0, scale: 1.0 }; WIDTH],
            has_weight: [false; WIDTH],
        };
        for (lane, sdef) in points.iter().enumerate() {
            let point = sdef.point as usize;
            all.positions[lane] = input.positions.get(point).copied().unwrap_or_default();
            all.normals[lane] = input.normals.get(point).copied().unwrap_or_default();
            let [x, y, z, _] = input.tangents.get(point).copied().unwrap_or_default();
            all.tangents[lane] = [x, y, z];
            all.center[lane] = sdef.center;
            (all.references[0][lane], all.references[1][lane]) = (sdef.first, sdef.second);
            for (end, (joint, weight)) in rows.pairs(point).take(2).enumerate() {
                all.joints[end][lane] = palette.get(joint).copied().unwrap_or_default();
                all.weights[end][lane] = weight;
            }
            all.has_weight[lane] = all.weights[0][lane] + all.weights[1][lane] != 0.0;
            all.shorten(lane);
        }
        all
    }

    /// Makes both rotations of a lane lie on the same side.
    fn shorten(&mut self, lane: usize) {
        let rotation = |joint: &JointSdef| DQuat::from_array(joint.rotation.map(f64::from));
        let [first, second] = self.joints.each_ref().map(|joints| rotation(&joints[lane]));
        let (arc, end) = Arc::new(first, second);
        self.arcs[lane] = arc;
        self.joints[1][lane].rotation = end.to_array().map(|c| c as f32);
    }

    #[inline(always)]
    fn moved<L: Lanes>(&self, token: L::Token) -> Moved {
        let [first, second] = self.weights.each_ref().map(|weights| L::load(token, weights));
        let center = L::from_points(token, &self.center);
        let references = self.references.each_ref().map(|points| L::from_points(token, points));
        let half = L::splat(token, 0.5);
        let mean = [0, 1, 2].map(|i| first * references[0][i] + second * references[1][i]);
        let arm = |end: usize| [0, 1, 2].map(|i| center[i] + (references[end][i] - mean[i]) * half);
        let (a, b) = (self.carried::<L>(token, 0, arm(0)), self.carried::<L>(token, 1, arm(1)));
        let offset = [0, 1, 2].map(|i| first * a[i] + second * b[i]);

        let rotation = self.rotation::<L>(token, second);
        let position = L::from_points(token, &self.positions);
        let turned = turn(token, rotation, [0, 1, 2].map(|i| position[i] - center[i]));
        let direction = |from: &[[f32; 3]; WIDTH]| {
            let from = L::from_points(token, from);
            L::to_points(unit_or(token, turn(token, rotation, from), from))
        };
        Moved {
            positions: L::to_points([0, 1, 2].map(|i| turned[i] + offset[i])),
            normals: direction(&self.normals),
            tangents: direction(&self.tangents),
        }
    }

    /// A point of each lane by the matrix of one of its joints.
    #[inline(always)]
    fn carried<L: Lanes>(&self, token: L::Token, end: usize, point: [L; 3]) -> [L; 3] {
        [0, 1, 2].map(|r| {
            let [x, y, z, t] = L::from_rows(token, self.joints[end].each_ref().map(|joint| &joint.matrix.rows[r]));
            dot([x, y, z], point) + t
        })
    }

    #[inline(always)]
    fn rotation<L: Lanes>(&self, token: L::Token, second: L) -> [L; 4] {
        let [a, b] = self.joints.each_ref().map(|j| L::from_rows(token, j.each_ref().map(|joint| &joint.rotation)));
        let square = L::load(token, &array::from_fn(|i| self.arcs[i].square));
        let scale = L::load(token, &array::from_fn(|i| self.arcs[i].scale));
        let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
        let share = L::select(second.is_less(zero), zero, L::select(one.is_less(second), one, second));
        let (of_a, of_b) = arc_weights(token, share, square, scale);
        [0, 1, 2, 3].map(|i| a[i] * of_a + b[i] * of_b)
    }
}

/// Writes one point; without a movement, what the input has.
fn scatter(input: &SkinInput<'_>, out: &mut SkinOutput<'_>, point: usize, moved: Option<(&Moved, usize)>) {
    let (Some(position), Some(to)) = (input.positions.get(point), out.positions.get_mut(point)) else { return };
    *to = moved.map_or(*position, |(moved, lane)| moved.positions[lane]);
    if let (Some(normal), Some(to)) = (input.normals.get(point), out.normals.get_mut(point)) {
        *to = moved.map_or(*normal, |(moved, lane)| moved.normals[lane]);
    }
    if let (Some(tangent), Some(to)) = (input.tangents.get(point), out.tangents.get_mut(point)) {
        let [x, y, z, w] = *tangent;
        let [x, y, z] = moved.map_or([x, y, z], |(moved, lane)| moved.tangents[lane]);
        *to = [x, y, z, w];
    }
}
