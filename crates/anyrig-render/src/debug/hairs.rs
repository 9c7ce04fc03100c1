//! Normals and tangents: as colours of the surface, and as hairs on it.

use super::color_points;
use crate::color::light;
use crate::drawable::{Drawable, Paint};
use crate::marks::Mark;
use crate::renderer::Scenery;
use glam::{Vec3, Vec4};

/// About so many hairs stand on all of the figure.
const HAIRS: usize = 3000;

/// Length of a hair as a share of the figure.
const LENGTH: f32 = 0.02;

/// X, Y and Z from -1 to 1 as red, green and blue, as a normal map has them.
fn as_color(direction: Vec3) -> Vec4 {
    let code = |v: f32| ((v * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0) as u8;
    light(direction.to_array().map(code)).extend(1.0)
}

pub(super) fn normals(scenery: &mut Scenery<'_>) {
    let ink = light([20, 30, 60]).extend(0.8);
    // Where there are none, those of the faces are what is drawn with.
    for drawable in scenery.drawables.iter_mut().filter(|d| d.normals.is_empty()) {
        drawable.normals = face_normals(drawable);
    }
    grow(scenery, |drawable, point| Some((drawable.normal(point)?, ink)));
    color_points(scenery, |_, drawable| drawable.normals.iter().map(|n| as_color(Vec3::from_array(*n))).collect());
}

/// A normal for each point, that of the last of its faces.
fn face_normals(drawable: &Drawable<'_>) -> Vec<[f32; 3]> {
    let mut normals = vec![[0.0, 1.0, 0.0]; drawable.positions.len()];
    let sign = if drawable.mirrored { -1.0 } else { 1.0 };
    for points in (0..drawable.triangles).filter_map(|t| drawable.points(t)) {
        let [a, b, c] = points.map(|p| drawable.position(p));
        let normal = crate::shade::unit_or((b - a).cross(c - a) * sign, Vec3::Y);
        points.iter().for_each(|p| normals[*p] = normal.to_array());
    }
    normals
}

/// Hairs of tangents whose w is positive, and negative.
pub(super) const SIGNS: [[u8; 3]; 2] = [[0, 130, 150], [200, 0, 160]];

pub(super) fn tangents(scenery: &mut Scenery<'_>) {
    let inks = SIGNS.map(|ink| light(ink).extend(0.9));
    grow(scenery, |drawable, point| {
        let [x, y, z, w] = *drawable.tangents.get(point)?;
        Some((Vec3::new(x, y, z), inks[usize::from(w < 0.0)]))
    });
    let none = light(super::skin::NO_SKIN).extend(1.0);
    color_points(scenery, |_, drawable| {
        let of =
            |point: usize| drawable.tangents.get(point).map_or(none, |[x, y, z, _]| as_color(Vec3::new(*x, *y, *z)));
        (0..drawable.positions.len()).map(of).collect()
    });
}

fn grow(scenery: &mut Scenery<'_>, of: impl Fn(&Drawable<'_>, usize) -> Option<(Vec3, Vec4)>) {
    let points: usize = scenery.drawables.iter().map(|d| d.positions.len()).sum();
    let step = points.div_ceil(HAIRS).max(1);
    let length = scenery.size * LENGTH;
    for drawable in &scenery.drawables {
        debug_assert!(drawable.paint != Paint::Pale);
        for point in (0..drawable.positions.len()).step_by(step) {
            let Some((direction, color)) = of(drawable, point) else { continue };
            let from = drawable.position(point);
            scenery.marks.among.push(Mark::Line { from, to: from + direction * length, width: 1.0, color });
        }
    }
}
