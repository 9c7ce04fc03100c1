//! A part moved by an affine map.

use anyrig_scene::glam::{DAffine3, DMat3, DVec3};
use anyrig_scene::{DeltaStream, Part, Semantic, Stream, Topology};

/// True when nothing changes.
pub(super) fn is_identity(affine: &DAffine3) -> bool {
    *affine == DAffine3::IDENTITY
}

/// Moves a part's points; normals by the inverse transpose. A mirroring map turns triangles and the sign of tangents,
/// so that fronts stay fronts.
pub(super) fn apply(part: &mut Part, affine: &DAffine3) {
    if is_identity(affine) {
        return;
    }
    let maps = Maps::of(affine);
    for stream in &mut part.streams {
        maps.stream(stream);
    }
    for delta in part.morphs.iter_mut().flat_map(|m| &mut m.deltas) {
        maps.delta(delta);
    }
    if maps.mirrors && part.topology == Topology::Triangles {
        turn_triangles(part);
    }
}

struct Maps {
    points: DAffine3,
    normals: DMat3,
    mirrors: bool,
}

impl Maps {
    fn of(affine: &DAffine3) -> Self {
        let m = affine.matrix3;
        // The cofactor matrix is the inverse transpose times the determinant, and exists for flat maps too.
        let cofactors = DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
        let mirrors = m.determinant() < 0.0;
        Self { points: *affine, normals: if mirrors { cofactors * -1.0 } else { cofactors }, mirrors }
    }

    fn stream(&self, stream: &mut Stream) {
        let width = usize::from(stream.width);
        if width < 3 {
            return;
        }
        let elements = |s: &mut Stream, f: &dyn Fn(DVec3) -> DVec3| {
            s.values.make_mut().chunks_exact_mut(width).for_each(|v| replace(v, f));
        };
        match stream.semantic {
            Semantic::Position => elements(stream, &|p| self.points.transform_point3(p)),
            Semantic::Normal => elements(stream, &|n| unit(self.normals * n)),
            Semantic::Tangent => {
                elements(stream, &|t| unit(self.points.transform_vector3(t)));
                if self.mirrors && width == 4 {
                    stream.values.make_mut().chunks_exact_mut(4).for_each(|t| t[3] = -t[3]);
                }
            }
            _ => {}
        }
    }

    /// Deltas of directions are scaled like the directions of a rotation with uniform scale would be.
    fn delta(&self, delta: &mut DeltaStream) {
        let width = usize::from(delta.width);
        if width < 3 {
            return;
        }
        let determinant = self.points.matrix3.determinant().abs();
        let scale = if determinant > 0.0 { anyrig_bytes::maths::f64::pow(determinant, 1.0 / 3.0) } else { 1.0 };
        let linear = |v: DVec3| self.points.transform_vector3(v);
        let map: &dyn Fn(DVec3) -> DVec3 = match delta.semantic {
            Semantic::Position => &linear,
            Semantic::Normal => &|v| self.normals * v / (scale * scale),
            Semantic::Tangent => &|v| linear(v) / scale,
            _ => return,
        };
        delta.values.make_mut().chunks_exact_mut(width).for_each(|v| replace(v, map));
    }
}

fn replace(value: &mut [f32], map: impl Fn(DVec3) -> DVec3) {
    let moved = map(DVec3::new(value[0].into(), value[1].into(), value[2].into()));
    value[..3].copy_from_slice(&moved.to_array().map(|v| v as f32));
}

/// The direction; a vector that has none stays.
fn unit(v: DVec3) -> DVec3 {
    v.try_normalize().unwrap_or(v)
}

fn turn_triangles(part: &mut Part) {
    let count = part.point_count;
    let corners = part.corners.get_or_insert_with(|| (0..count).collect());
    corners.make_mut().chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> Part {
        let mut part = Part::default();
        part.point_count = 3;
        let positions = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        part.set_stream(Stream::new(Semantic::Position, 3, positions));
        let slanted = [0.0f32, 0.6, 0.8].repeat(3);
        part.set_stream(Stream::new(Semantic::Normal, 3, slanted));
        part.set_stream(Stream::new(Semantic::Tangent, 4, [1.0f32, 0.0, 0.0, 1.0].repeat(3)));
        part
    }

    #[test]
    fn normals_follow_the_inverse_transpose() {
        let mut part = part();
        apply(&mut part, &DAffine3::from_scale(DVec3::new(1.0, 2.0, 1.0)));
        let normals = part.stream(&Semantic::Normal).and_then(Stream::arrays::<3>).expect("there are normals");
        // (0, 0.6 / 2, 0.8) as a unit vector.
        let length = (0.3f32 * 0.3 + 0.8 * 0.8).sqrt();
        assert!((normals[0][1] - 0.3 / length).abs() < 1e-6 && (normals[0][2] - 0.8 / length).abs() < 1e-6);
        assert_eq!(part.corners, None);
    }

    #[test]
    fn mirrors_turn_triangles_and_tangent_signs() {
        let mut part = part();
        apply(&mut part, &DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)));
        assert_eq!(part.corners.as_deref(), Some(&[0, 2, 1][..]));
        let tangent = part.stream(&Semantic::Tangent).and_then(Stream::arrays::<4>).expect("there are tangents")[0];
        assert_eq!(tangent, [-1.0, 0.0, 0.0, -1.0]);
        let normal = part.stream(&Semantic::Normal).and_then(Stream::arrays::<3>).expect("there are normals")[0];
        assert!((normal[2] - 0.8).abs() < 1e-6, "{normal:?}");
    }
}
