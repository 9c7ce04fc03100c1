//! Lines, dots and small solids that are drawn into or over a picture.

use crate::raster::{Corner, Projection, STEPS, ScreenTriangle};
use glam::{DVec2, DVec3, Vec3, Vec4};

/// Something of one colour; widths and sizes in pixels of the picture, colours linear with alpha.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    Line { from: Vec3, to: Vec3, width: f32, color: Vec4 },
    Dot { at: Vec3, size: f32, color: Vec4 },
    Triangle { points: [Vec3; 3], color: Vec4 },
}

/// Marks in the order in which they are drawn.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Hidden by what is before them.
    pub among: Vec<Mark>,
    /// Over everything.
    pub above: Vec<Mark>,
}

/// Lines and dots lie on their surface; so much nearer they are seen.
const NEARER: f64 = 1.002;

/// Triangles of marks on the screen, each with the index of its mark.
pub(crate) fn on_screen(marks: &[Mark], projection: &Projection, samples_per_pixel: f64) -> Vec<ScreenTriangle> {
    let mut triangles = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        let face = index as u32;
        match *mark {
            Mark::Triangle { points, .. } => {
                projection.pieces(points.map(|p| projection.place(p)), face, |piece| triangles.push(piece));
            }
            Mark::Dot { at, size, .. } => {
                let half = f64::from(size) * samples_per_pixel / 2.0;
                if let Some(at) = projection.sample_of(at) {
                    let ends = [at - DVec3::X * half, at + DVec3::X * half];
                    strip(ends, half, (projection, face), &mut triangles);
                }
            }
            Mark::Line { from, to, width, .. } => {
                let half = f64::from(width) * samples_per_pixel / 2.0;
                if let Some(ends) = visible(from, to, projection) {
                    strip(ends, half, (projection, face), &mut triangles);
                }
            }
        }
    }
    triangles
}

/// The ends of what of a line is before the near plane, in samples.
fn visible(from: Vec3, to: Vec3, projection: &Projection) -> Option<[DVec3; 2]> {
    let (a, b) = (projection.place(from).at, projection.place(to).at);
    if !a.is_finite() || !b.is_finite() || (a.z < projection.near && b.z < projection.near) {
        return None;
    }
    let share = (projection.near - a.z) / (b.z - a.z);
    let cut = a + (b - a) * share;
    let (a, b) = (if a.z < projection.near { cut } else { a }, if b.z < projection.near { cut } else { b });
    Some([a, b].map(|p| DVec3::new(p.x / p.z, p.y / p.z, p.z)))
}

/// A band of `2 * half` samples about a line on the screen.
fn strip([a, b]: [DVec3; 2], half: f64, (projection, face): (&Projection, u32), take: &mut Vec<ScreenTriangle>) {
    let along = (b - a).truncate();
    let aside = DVec2::new(-along.y, along.x).try_normalize().unwrap_or(DVec2::Y) * half;
    let limit = 2.0 * projection.width.max(projection.height);
    let corner = |at: DVec3, side: f64| {
        let step = |v: f64| (v.clamp(-limit, limit) * STEPS as f64).round() as i32;
        let nearness = (NEARER / at.z) as f32;
        Corner { x: step(at.x + aside.x * side), y: step(at.y + aside.y * side), nearness }
    };
    let [p, q, r, s] = [corner(a, -1.0), corner(b, -1.0), corner(b, 1.0), corner(a, 1.0)];
    take.extend([[p, q, r], [p, r, s]].into_iter().filter_map(|corners| ScreenTriangle::new(corners, face)));
}

impl Mark {
    /// Its colour; of solids by how they face the viewer.
    pub fn shown(&self, eye: DVec3) -> Vec4 {
        match *self {
            Self::Line { color, .. } | Self::Dot { color, .. } => color,
            Self::Triangle { points: [a, b, c], color } => {
                let normal = crate::shade::unit_or((b - a).cross(c - a), Vec3::Y);
                let view = crate::shade::unit_or(eye.as_vec3() - a, Vec3::Z);
                let bright = 0.5 + 0.5 * normal.dot(view).abs();
                (color.truncate() * bright).extend(color.w)
            }
        }
    }
}
