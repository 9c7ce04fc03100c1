//! Where the camera stands, so that all of a motion is in the picture.

use crate::description::Camera;
use anyrig_bytes::maths;
use glam::{DVec3, Vec3};

/// Free space along each side, as a share of the picture.
pub const MARGIN: f64 = 0.06;

/// Vertical field of view: a portrait lens, which flattens little.
const FOV_Y_DEGREES: f64 = 30.0;

/// Shares of the points along an axis that count as lying apart, until it turns out how far.
const APART: f64 = 0.01;

/// Points that lie further out than this share of the size of the middle ones do not count: floors, skies.
const REACH: f32 = 0.6;

/// Points that are looked at to find the middle ones.
const SAMPLES: usize = 4096;

/// From where something is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum View {
    /// From before it.
    Front,
    /// From before it and its left.
    #[default]
    ThreeQuarter,
    /// From its left.
    Side,
    /// The head, from before it and its left.
    Face,
    /// From any side.
    From {
        /// Round the vertical, from the front towards its left.
        azimuth_degrees: f64,
        /// Upwards.
        elevation_degrees: f64,
    },
}

impl View {
    /// Azimuth and elevation in degrees.
    pub fn angles(self) -> (f64, f64) {
        match self {
            Self::Front => (0.0, 6.0),
            Self::ThreeQuarter => (33.0, 12.0),
            Self::Side => (90.0, 6.0),
            Self::Face => (24.0, 6.0),
            Self::From { azimuth_degrees, elevation_degrees } => (azimuth_degrees, elevation_degrees),
        }
    }

    /// The same, further round the vertical.
    #[must_use]
    pub fn turned(self, degrees: f64) -> Self {
        let (azimuth_degrees, elevation_degrees) = self.angles();
        Self::From { azimuth_degrees: azimuth_degrees + degrees, elevation_degrees }
    }

    /// To the right, to the top and towards the eye.
    fn axes(self) -> [DVec3; 3] {
        let (azimuth, elevation) = self.angles();
        let (sin_a, cos_a) = maths::f64::sin_cos(azimuth.to_radians());
        let (sin_e, cos_e) = maths::f64::sin_cos(elevation.to_radians());
        [
            DVec3::new(cos_a, 0.0, -sin_a),
            DVec3::new(-sin_a * sin_e, cos_e, -cos_a * sin_e),
            DVec3::new(sin_a * cos_e, sin_e, cos_a * cos_e),
        ]
    }
}

/// How far points reach in the directions that a picture asks for, gathered over all poses that it has to hold.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    axes: [DVec3; 3],
    slopes: [f64; 2],
    /// What the figure turns about, if it is to stay in the picture while it does.
    pivot: Option<DVec3>,
    /// Along the inner normals of the right, left, upper and lower side, and towards the eye.
    reach: [f64; 5],
    pub low: Vec3,
    pub high: Vec3,
}

impl Extent {
    /// Of no point yet. With a pivot all is to stay in the picture while it turns about the vertical through it.
    pub fn new(view: View, aspect: f64, pivot: Option<DVec3>) -> Self {
        let half = maths::f64::tan(FOV_Y_DEGREES.to_radians() / 2.0);
        // A tall picture has the field of view along its height, a wide one too.
        let slope = half * (1.0 - 2.0 * MARGIN);
        Self {
            axes: view.axes(),
            slopes: [slope * aspect, slope],
            pivot,
            reach: [f64::NEG_INFINITY; 5],
            low: Vec3::INFINITY,
            high: Vec3::NEG_INFINITY,
        }
    }

    /// Adds points; those that are not finite do not count.
    pub fn add(&mut self, points: impl Iterator<Item = Vec3>) {
        let [right, up, back] = self.axes;
        let [across, along] = self.slopes;
        let normals = [right + back * across, back * across - right, up + back * along, back * along - up, back];
        for point in points.filter(|p| p.is_finite()) {
            let from_pivot = point.as_dvec3() - self.pivot.unwrap_or_default();
            for (reach, normal) in self.reach.iter_mut().zip(normals) {
                let here =
                    if self.pivot.is_some() { reach_turning(from_pivot, normal) } else { from_pivot.dot(normal) };
                *reach = reach.max(here);
            }
            (self.low, self.high) = (self.low.min(point), self.high.max(point));
        }
    }

    /// With what another one reaches; both are of one view.
    pub fn with(mut self, other: &Self) -> Self {
        for (reach, other) in self.reach.iter_mut().zip(other.reach) {
            *reach = reach.max(other);
        }
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
        self
    }

    /// The same reach from another side, which is right for what turns.
    pub fn seen_from(&self, view: View) -> Self {
        Self { axes: view.axes(), ..self.clone() }
    }

    pub fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    /// The middle of the box around all points; the origin where there are none.
    pub fn middle(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { (self.low.as_dvec3() + self.high.as_dvec3()) / 2.0 }
    }

    /// Length of the diagonal of the box around all points.
    pub fn size(&self) -> f64 {
        if self.is_empty() { 0.0 } else { (self.high - self.low).as_dvec3().length() }
    }

    /// The camera that holds all points as large as the margin allows. One metre before the origin where there are none.
    pub fn camera(&self) -> Camera {
        let [right, up, back] = self.axes;
        let [across, along] = self.slopes;
        let (half_width, half_height) = (across / (1.0 - 2.0 * MARGIN), along / (1.0 - 2.0 * MARGIN));
        let camera = |eye: DVec3, near: f64| Camera { eye, right, up, back, half_width, half_height, near };
        if self.is_empty() {
            return camera(back, 0.01);
        }
        let [to_right, to_left, to_top, to_bottom, to_eye] = self.reach;
        // With the eye at (x, y, z) along the axes, right of all points means to_right - slope * z <= x, and so on.
        let away = ((to_right + to_left) / (2.0 * across)).max((to_top + to_bottom) / (2.0 * along));
        let size = self.size().max(1e-9);
        let z = away.max(to_eye + size * 0.02);
        let pivot = self.pivot.unwrap_or_default();
        let (x, y) = ((to_right - to_left) / 2.0, (to_top - to_bottom) / 2.0);
        camera(pivot + right * x + up * y + back * z, (z - to_eye).max(size * 0.02) * 0.2)
    }
}

/// The furthest that a point reaches along a direction while it turns about the vertical axis.
fn reach_turning(point: DVec3, normal: DVec3) -> f64 {
    let radius = (point.x * point.x + point.z * point.z).sqrt();
    radius * (normal.x * normal.x + normal.z * normal.z).sqrt() + point.y * normal.y
}

/// The box of points that belong to the figure: the middle 98 of 100 along each axis, and whatever is not far from them.
pub(crate) fn robust_box(points: &[Vec3]) -> (Vec3, Vec3) {
    let step = points.len().div_ceil(SAMPLES).max(1);
    let finite: Vec<Vec3> = points.iter().copied().step_by(step).filter(|p| p.is_finite()).collect();
    let Some(last) = finite.len().checked_sub(1) else { return (Vec3::NEG_INFINITY, Vec3::INFINITY) };
    let cut = (finite.len() as f64 * APART) as usize;
    let mut values = vec![0.0f32; finite.len()];
    let mut range = |axis: usize| {
        values.iter_mut().zip(&finite).for_each(|(value, point)| *value = point[axis]);
        let low = *values.select_nth_unstable_by(cut, f32::total_cmp).1;
        let high = *values.select_nth_unstable_by(last - cut, f32::total_cmp).1;
        (low, high)
    };
    let [x, y, z] = [range(0), range(1), range(2)];
    let (low, high) = (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1));
    let reach = Vec3::splat((high - low).length() * REACH);
    (low - reach, high + reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where points lie in the picture, from -1 to 1 both ways.
    fn seen(camera: &Camera, point: Vec3) -> (f64, f64) {
        let from_eye = point.as_dvec3() - camera.eye;
        let away = -from_eye.dot(camera.back);
        assert!(away > camera.near, "before the near plane");
        (from_eye.dot(camera.right) / away / camera.half_width, from_eye.dot(camera.up) / away / camera.half_height)
    }

    fn cloud() -> Vec<Vec3> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        (0..500).map(|_| Vec3::new(next() * 0.6, next() * 1.8, next() * 3.0 - 7.0)).collect()
    }

    #[test]
    fn all_points_are_in_the_picture_and_touch_the_margin() {
        for view in [View::Front, View::ThreeQuarter, View::Side, View::ThreeQuarter.turned(170.0)] {
            for aspect in [0.5, 1.0, 2.0] {
                let mut extent = Extent::new(view, aspect, None);
                extent.add(cloud().into_iter());
                let camera = extent.camera();
                let rim = 1.0 - 2.0 * MARGIN + 1e-6;
                let mut most: [f64; 2] = [0.0; 2];
                for (x, y) in cloud().into_iter().map(|p| seen(&camera, p)) {
                    assert!(x.abs() <= rim && y.abs() <= rim, "{view:?} {aspect}: {x} {y}");
                    most = [most[0].max(x.abs()), most[1].max(y.abs())];
                }
                assert!(most[0].max(most[1]) > rim - 1e-4, "{view:?} {aspect}: {most:?}");
            }
        }
    }

    #[test]
    fn a_turning_figure_stays_in_the_picture() {
        let pivot = DVec3::new(0.3, 0.9, -5.5);
        let mut extent = Extent::new(View::ThreeQuarter, 1.0, Some(pivot));
        extent.add(cloud().into_iter());
        let mut distances = Vec::new();
        for step in 0..36 {
            let camera = extent.seen_from(View::ThreeQuarter.turned(f64::from(step) * 10.0)).camera();
            distances.push(camera.eye.distance(pivot));
            for (x, y) in cloud().into_iter().map(|p| seen(&camera, p)) {
                assert!(x.abs() <= 0.881 && y.abs() <= 0.881, "{step}: {x} {y}");
            }
        }
        assert!(distances.iter().all(|d| (d - distances[0]).abs() < 1e-9));
    }

    #[test]
    fn a_floor_does_not_make_the_figure_small() {
        let mut points = cloud();
        points.extend([(-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0)].map(|(x, z)| Vec3::new(x, 0.0, z)));
        let (low, high) = robust_box(&points);
        assert!(points[..500].iter().all(|p| p.cmpge(low).all() && p.cmple(high).all()));
        assert!(points[500..].iter().all(|p| p.cmplt(low).any() || p.cmpgt(high).any()));
    }

    #[test]
    fn few_points_and_no_points_give_a_camera() {
        let (low, high) = robust_box(&[Vec3::ONE, Vec3::NAN]);
        assert!(Vec3::ONE.cmpge(low).all() && Vec3::ONE.cmple(high).all());
        let mut extent = Extent::new(View::Front, 1.0, None);
        assert!(extent.is_empty() && extent.camera().eye.is_finite() && extent.size() == 0.0);
        extent.add([Vec3::NAN, Vec3::splat(3.0)].into_iter());
        let camera = extent.camera();
        assert!(camera.eye.is_finite() && camera.near > 0.0);
        seen(&camera, Vec3::splat(3.0));
    }
}
