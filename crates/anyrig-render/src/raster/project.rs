//! From the scene to the screen, and what of a triangle lies before it.

use super::{Corner, STEPS, ScreenTriangle};
use glam::{DVec3, DVec4, Vec3};

/// Screens beside the screen that are not cut off: corners there stay exact, and few triangles need cutting.
const GUARD: f64 = 2.0;

/// Maps the scene's points to samples: column times `w`, row times `w`, and `w`, which is the distance along the view of
/// a camera with perspective and 1 of one without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection {
    pub rows: [DVec4; 3],
    /// Nearness of a projection without perspective; with one it is `1 / w`.
    pub nearness: Option<DVec4>,
    /// What has a smaller `w` is not seen.
    pub near: f64,
    pub width: f64,
    pub height: f64,
}

/// A point on its way to the screen. Everything that its triangles ask for is found once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Before its division.
    pub at: DVec3,
    nearness: f64,
    /// Where it lies on the screen, if it is inside of the guard.
    corner: Corner,
    /// A bit for each plane of the screen that it is outside of.
    beside: u8,
    /// A bit for each plane of the guard that it is outside of; all of them for what is no number.
    cut: u8,
}

/// Bits of all planes, and one that is set for what is no number.
const NO_NUMBER: u8 = 0x80;

impl Projection {
    pub fn place(&self, point: Vec3) -> Placed {
        let point = point.as_dvec3().extend(1.0);
        let at = DVec3::new(self.rows[0].dot(point), self.rows[1].dot(point), self.rows[2].dot(point));
        let nearness = self.nearness.map_or(0.0, |row| row.dot(point));
        self.placed(at, nearness)
    }

    fn placed(&self, at: DVec3, nearness: f64) -> Placed {
        let corner = Corner { x: 0, y: 0, nearness: 0.0 };
        if !at.is_finite() || !nearness.is_finite() {
            return Placed { at, nearness, corner, beside: 0, cut: NO_NUMBER };
        }
        let bits = |distances: [f64; 5]| {
            distances.iter().enumerate().fold(0, |bits, (i, distance)| bits | u8::from(*distance < 0.0) << i)
        };
        let (beside, cut) = (bits(self.planes(at, 0.0)), bits(self.planes(at, GUARD)));
        let corner = if cut == 0 { self.corner(at, nearness) } else { corner };
        Placed { at, nearness, corner, beside, cut }
    }

    /// Column, row and `w` of a point before the near plane.
    pub fn sample_of(&self, point: Vec3) -> Option<DVec3> {
        let at = self.place(point).at;
        (at.is_finite() && at.z >= self.near).then(|| DVec3::new(at.x / at.z, at.y / at.z, at.z))
    }

    /// Cuts a triangle to what is before the near plane and about the screen, and hands over the pieces that may cover a
    /// sample. Triangles with corners that are not finite are left out.
    pub fn pieces(&self, corners: [Placed; 3], face: u32, mut take: impl FnMut(ScreenTriangle)) {
        let [a, b, c] = &corners;
        let cut = a.cut | b.cut | c.cut;
        if a.beside & b.beside & c.beside != 0 || cut & NO_NUMBER != 0 {
            return;
        }
        if cut == 0 {
            take_triangle([a.corner, b.corner, c.corner], face, &mut take);
            return;
        }
        let polygon: Vec<Corner> = self.cut(corners).iter().map(|p| self.corner(p.0, p.1)).collect();
        for i in 2..polygon.len() {
            take_triangle([polygon[0], polygon[i - 1], polygon[i]], face, &mut take);
        }
    }

    /// Distances from the near plane and from the sides of the screen, `guard` screens further out; negative outside.
    fn planes(&self, p: DVec3, guard: f64) -> [f64; 5] {
        let (w, h) = (self.width * p.z, self.height * p.z);
        [p.z - self.near, p.x + guard * w, (1.0 + guard) * w - p.x, p.y + guard * h, (1.0 + guard) * h - p.y]
    }

    /// Sutherland and Hodgman's way, one plane after the other. Points with their nearness.
    fn cut(&self, corners: [Placed; 3]) -> Vec<(DVec3, f64)> {
        let mut polygon = corners.map(|c| (c.at, c.nearness)).to_vec();
        for plane in 0..5 {
            let mut kept = Vec::with_capacity(polygon.len() + 1);
            for (i, corner) in polygon.iter().enumerate() {
                let before = polygon[(i + polygon.len() - 1) % polygon.len()];
                let (from, to) = (self.planes(before.0, GUARD)[plane], self.planes(corner.0, GUARD)[plane]);
                if (from < 0.0) != (to < 0.0) {
                    let share = from / (from - to);
                    kept.push((before.0 + (corner.0 - before.0) * share, before.1 + (corner.1 - before.1) * share));
                }
                if to >= 0.0 {
                    kept.push(*corner);
                }
            }
            polygon = kept;
        }
        polygon
    }

    fn corner(&self, at: DVec3, nearness: f64) -> Corner {
        let inverse = 1.0 / at.z;
        let step = |v: f64| to_step(v * inverse * STEPS as f64);
        let nearness = if self.nearness.is_some() { nearness } else { inverse };
        Corner { x: step(at.x), y: step(at.y), nearness: nearness as f32 }
    }
}

/// The nearest whole number, halves upwards. Truncating after an offset is one instruction, rounding is a call.
///
/// What numbers of very different size leave far outside of the guard after cutting comes to lie at a border that products
/// of edges can bear.
pub(super) fn to_step(v: f64) -> i32 {
    const OFFSET: i64 = 1 << 30;
    const BORDER: f64 = (1 << 29) as f64;
    ((v.clamp(-BORDER, BORDER) + (OFFSET as f64 + 0.5)) as i64 - OFFSET) as i32
}

fn take_triangle(corners: [Corner; 3], face: u32, take: &mut impl FnMut(ScreenTriangle)) {
    // Of many small triangles few cover a sample.
    if let Some(triangle) = ScreenTriangle::new(corners, face).filter(|t| !t.bounds().is_empty()) {
        take(triangle);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Area;
    use super::*;

    /// Looks from the origin along -Z at 100 × 100 samples; what is 1 away and 1 beside the middle is at the rim.
    fn projection() -> Projection {
        let rows =
            [DVec4::new(50.0, 0.0, -50.0, 0.0), DVec4::new(0.0, -50.0, -50.0, 0.0), DVec4::new(0.0, 0.0, -1.0, 0.0)];
        Projection { rows, nearness: None, near: 0.1, width: 100.0, height: 100.0 }
    }

    fn covered(points: [Vec3; 3]) -> usize {
        let projection = projection();
        let mut count = 0;
        projection.pieces(points.map(|p| projection.place(p)), 0, |piece| {
            piece.cover(Area { left: 0, top: 0, right: 100, bottom: 100 }, |_, _, _| count += 1);
        });
        count
    }

    #[test]
    fn steps_are_rounded() {
        let steps = [0.0, 0.49, 0.5, -0.5, -0.51, 1e6 + 0.7, -1e6 - 0.7].map(to_step);
        assert_eq!(steps, [0, 0, 1, 0, -1, 1_000_001, -1_000_001]);
        let wild = [f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY].map(to_step);
        assert_eq!(wild, [1 << 29, -(1 << 29), 1 << 29, -(1 << 29)]);
        assert_eq!(to_step(f64::NAN), -(1 << 30));
    }

    #[test]
    fn points_land_where_perspective_puts_them() {
        let at = projection().sample_of(Vec3::new(1.0, 0.5, -2.0)).expect("before the eye");
        assert_eq!(at, DVec3::new(75.0, 37.5, 2.0));
        assert_eq!(projection().sample_of(Vec3::new(0.0, 0.0, 1.0)), None);
    }

    #[test]
    fn a_floor_that_goes_below_the_eye_fills_the_lower_half() {
        // From far behind the eye to the horizon, cut at the near plane and at the guard.
        let far = 1e6;
        let floor = covered([Vec3::new(-far, -1.0, far), Vec3::new(far, -1.0, far), Vec3::new(0.0, -1.0, -far)]);
        assert!((4900..=5000).contains(&floor), "{floor}");
    }

    #[test]
    fn corners_that_only_just_fit_their_numbers_do_no_harm() {
        let (huge, tiny) = (3e38, 1e-38);
        for points in [
            [Vec3::new(huge, huge, -huge), Vec3::new(-huge, tiny, huge), Vec3::new(tiny, -huge, -1.0)],
            [Vec3::new(-huge, 0.0, -tiny), Vec3::new(huge, 0.0, -0.11), Vec3::new(0.0, huge, -0.1)],
            [Vec3::new(1.0, 1.0, -huge), Vec3::new(-huge, -huge, 0.2), Vec3::new(huge, -1.0, -0.2)],
        ] {
            assert!(covered(points) <= 2 * 100 * 100);
        }
    }

    #[test]
    fn what_is_beside_behind_or_no_number_is_left_out() {
        let beside = |x: f32, z: f32| covered([Vec3::new(x, 0.0, z), Vec3::new(x + 1.0, 0.0, z), Vec3::new(x, 1.0, z)]);
        assert_eq!((beside(5.0, -2.0), beside(0.0, 2.0), beside(f32::NAN, -2.0), beside(f32::MAX, -2.0)), (0, 0, 0, 0));
        assert_eq!(beside(0.0, -2.0), 300);
    }
}
