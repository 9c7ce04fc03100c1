//! How large a scene is.

use crate::geometry::{Mover, scene_from_mesh_at};
use crate::{Evaluator, Pose, Shown};
use anyrig_scene::{MeshId, NodeId, Scene};
use glam::{DAffine3, DVec3};
use std::collections::BTreeMap;

/// The box around points. Those that are not finite do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PointBox {
    /// Its lowest corner; above the highest one where there are no points.
    pub low: DVec3,
    /// Its highest corner.
    pub high: DVec3,
}

impl PointBox {
    /// Around no points.
    pub const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// Around these points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        let mut all = Self::EMPTY;
        points.into_iter().for_each(|p| all.add(p));
        all
    }

    /// Around these positions.
    pub fn of_positions(positions: &[[f32; 3]]) -> Self {
        Self::of(positions.iter().map(|p| DVec3::from_array(p.map(f64::from))))
    }

    /// Makes it hold one more point.
    pub fn add(&mut self, point: DVec3) {
        if point.is_finite() {
            (self.low, self.high) = (self.low.min(point), self.high.max(point));
        }
    }

    /// Makes it hold another box.
    pub fn add_box(&mut self, other: Self) {
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
    }

    /// Whether there is no point in it.
    pub fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    /// Length of the diagonal; 0 without points.
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() { 0.0 } else { (self.high - self.low).length() }
    }

    /// The box around this one after a transform.
    #[must_use]
    pub fn moved(&self, by: &DAffine3) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let corner = |i: u8| {
            let end = |bit: u8, low: f64, high: f64| if i & bit == 0 { low } else { high };
            let (low, high) = (self.low, self.high);
            DVec3::new(end(1, low.x, high.x), end(2, low.y, high.y), end(4, low.z, high.z))
        };
        Self::of((0..8).map(|i| by.transform_point3(corner(i))))
    }
}

/// Length of the diagonal of the box around all that the scene shows at rest, in the scene's unit; 0 when it shows
/// nothing. Positions that are not finite do not count.
///
/// Of a mesh without skin that is shown more than once, the box is moved in place of each point, so that the work does
/// not grow with instances times points; where it is turned, the size is an upper bound then.
pub fn scene_size(scene: &Scene) -> f64 {
    let (evaluator, pose) = (Evaluator::new(scene), Pose::rest(scene));
    let worlds = evaluator.worlds(&pose);
    let mut times: BTreeMap<MeshId, u32> = BTreeMap::new();
    evaluator.shown().iter().for_each(|s| *times.entry(s.mesh).or_default() += 1);
    let (mover, known, last) = (Mover::default(), BTreeMap::new(), None);
    let mut sizes = Sizes { scene, pose: &pose, worlds: &worlds, mover, known, last };
    let mut whole = PointBox::EMPTY;
    for shown in evaluator.shown() {
        let is_repeated = shown.skin.is_none() && times.get(&shown.mesh).is_some_and(|n| *n > 1);
        whole.add_box(if is_repeated { sizes.of_box(*shown) } else { sizes.of_points(*shown) });
    }
    whole.diagonal()
}

struct Sizes<'a> {
    scene: &'a Scene,
    pose: &'a Pose,
    worlds: &'a [DAffine3],
    mover: Mover,
    /// Boxes of meshes with the bits of their morph weights, unmoved.
    known: BTreeMap<(MeshId, Vec<u32>), PointBox>,
    /// That of the node before, whose instances follow each other.
    last: Option<(NodeId, PointBox)>,
}

impl Sizes<'_> {
    fn of_points(&mut self, shown: Shown) -> PointBox {
        self.mover.prepare(self.scene, self.worlds, shown);
        self.around_parts(shown)
    }

    fn of_box(&mut self, shown: Shown) -> PointBox {
        let at_mesh = match self.last.filter(|(node, _)| *node == shown.node) {
            Some((_, known)) => known,
            None => self.of_mesh(shown),
        };
        self.last = Some((shown.node, at_mesh));
        at_mesh.moved(&scene_from_mesh_at(self.scene, self.worlds, shown))
    }

    fn of_mesh(&mut self, shown: Shown) -> PointBox {
        let weights = self.pose.weights(shown.node).iter().map(|w| w.to_bits()).collect();
        let key = (shown.mesh, weights);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.mover = Mover::default();
        let made = self.around_parts(shown);
        self.known.insert(key, made);
        made
    }

    fn around_parts(&mut self, shown: Shown) -> PointBox {
        let mut whole = PointBox::EMPTY;
        for part in 0..self.scene.meshes[shown.mesh].parts.len() {
            if let Some(posed) = self.mover.part(self.scene, self.pose, shown, part) {
                whole.add_box(PointBox::of_positions(&posed.positions));
            }
        }
        whole
    }
}
