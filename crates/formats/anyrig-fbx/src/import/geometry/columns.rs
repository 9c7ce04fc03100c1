//! Attributes of a whole mesh, before its faces go into parts.

use super::layers::{Layer, Mapping};
use super::normals::{Smoothing, from_smoothing};
use super::polygons::Polygons;
use anyrig_bytes::Buffer;
use anyrig_scene::{Domain, Semantic};
use glam::DVec3;

/// One attribute with a value for each point or for each corner of the file.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub semantic: Semantic,
    /// Point or corner.
    pub domain: Domain,
    pub width: usize,
    pub values: Buffer<f32>,
}

impl Column {
    /// Spreads a layer; also gives how many elements had an entry out of range.
    pub fn spread(layer: &Layer, semantic: Semantic, polygons: &Polygons, points: usize) -> (Self, u64) {
        let (corners, width) = (polygons.corners.len(), layer.width);
        let column = |domain, values| Self { semantic: semantic.clone(), domain, width, values };
        let whole = |count: usize| layer.indexes.is_none() && layer.values.len() == count * width;
        match layer.mapping {
            Mapping::Point if whole(points) => (column(Domain::Point, layer.values.clone()), 0),
            Mapping::Corner if whole(corners) => (column(Domain::Corner, layer.values.clone()), 0),
            Mapping::Point => {
                let (values, wrong) = layer.gather(0..points);
                (column(Domain::Point, values.into()), wrong)
            }
            Mapping::Same => {
                let (values, wrong) = layer.gather(std::iter::repeat_n(0, points));
                (column(Domain::Point, values.into()), wrong.min(1))
            }
            Mapping::Face => {
                let (values, wrong) = layer.gather(polygons.faces_of_corners().iter().map(|f| *f as usize));
                (column(Domain::Corner, values.into()), wrong)
            }
            // Layers by edge are not read.
            Mapping::Corner | Mapping::Edge => {
                let (values, wrong) = layer.gather(0..corners);
                (column(Domain::Corner, values.into()), wrong)
            }
        }
    }

    /// Values of all corners.
    pub fn at_corners(&self, polygons: &Polygons) -> Buffer<f32> {
        if self.domain == Domain::Corner {
            return self.values.clone();
        }
        let mut values = Vec::with_capacity(polygons.corners.len() * self.width);
        for point in &polygons.corners {
            let start = *point as usize * self.width;
            match self.values.get(start..start + self.width) {
                Some(value) => values.extend_from_slice(value),
                // A face with such a corner is not shown.
                None => values.resize(values.len() + self.width, 0.0),
            }
        }
        values.into()
    }
}

/// How far the square of a normal's length may be from 1 before it is put right.
const LENGTH_TOLERANCE: f32 = 1e-3;

/// Gives all normals unit length; those of no length become that of their face. Gives how many were wrong.
pub(super) fn make_unit(column: &mut Column, polygons: &Polygons, positions: &[[f32; 3]]) -> u64 {
    let square = |n: &[f32; 3]| n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    let is_unit = |n: &[f32; 3]| (square(n) - 1.0).abs() <= LENGTH_TOLERANCE;
    let normals = column.values.as_chunks::<3>().0;
    let wrong = normals.iter().filter(|n| !is_unit(n)).count() as u64;
    if wrong == 0 {
        return 0;
    }
    let unit = |n: &[f32; 3]| {
        let normal = DVec3::from(n.map(f64::from));
        let largest = normal.abs().max_element();
        let scaled = if largest > 0.0 && largest.is_finite() { normal / largest } else { DVec3::ZERO };
        scaled.try_normalize().map(|n| n.as_vec3().to_array())
    };
    if normals.iter().any(|n| unit(n).is_none()) {
        column.values = column.at_corners(polygons);
        column.domain = Domain::Corner;
        let flat = from_smoothing(polygons, positions, &Smoothing::None);
        let pairs = column.values.make_mut().as_chunks_mut::<3>().0.iter_mut().zip(flat.as_chunks::<3>().0);
        pairs.for_each(|(normal, flat)| *normal = unit(normal).unwrap_or(*flat));
    } else {
        let values = column.values.make_mut().as_chunks_mut::<3>().0.iter_mut();
        values.filter(|n| !is_unit(n)).for_each(|n| *n = unit(n).unwrap_or(*n));
    }
    wrong
}

/// Joins tangents and binormals into tangents with a sign.
pub(super) fn tangents(normal: &Column, tangent: &Column, binormal: Option<&Column>, polygons: &Polygons) -> Column {
    let on_points = [Some(normal), Some(tangent), binormal].iter().flatten().all(|c| c.domain == Domain::Point);
    let at = |column: &Column| if on_points { column.values.clone() } else { column.at_corners(polygons) };
    let (normals, tangents, binormals) = (at(normal), at(tangent), binormal.map(at));
    let vector = |values: &Buffer<f32>, i: usize| {
        let chunk = values.as_chunks::<3>().0.get(i).copied().unwrap_or_default();
        let vector = DVec3::from(chunk.map(f64::from));
        if vector.is_finite() { vector } else { DVec3::ZERO }
    };
    let mut values = Vec::with_capacity(tangents.len() / 3 * 4);
    for i in 0..tangents.len() / 3 {
        let normal = vector(&normals, i);
        let tangent = vector(&tangents, i).try_normalize();
        let tangent = tangent.unwrap_or_else(|| normal.try_normalize().unwrap_or(DVec3::Y).any_orthonormal_vector());
        let side = binormals.as_ref().map_or(1.0, |b| normal.cross(tangent).dot(vector(b, i)));
        values.extend_from_slice(&tangent.as_vec3().to_array());
        values.push(if side < 0.0 { -1.0 } else { 1.0 });
    }
    let domain = if on_points { Domain::Point } else { Domain::Corner };
    Column { semantic: Semantic::Tangent, domain, width: 4, values: values.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(mapping: Mapping, values: Vec<f32>, indexes: Option<Vec<i32>>) -> Layer {
        let indexes = indexes.map(Buffer::from);
        Layer { index: 0, name: String::new(), mapping, width: 1, values: values.into(), indexes }
    }

    #[test]
    fn layers_of_every_mapping_spread_over_points_and_corners() {
        // A triangle and a quad over five points.
        let polygons = Polygons::new(vec![0, 1, -3, 1, 4, 3, -3], 5, &[]);
        let spread = |mapping, values, indexes| {
            let (column, wrong) = Column::spread(&layer(mapping, values, indexes), Semantic::Color(0), &polygons, 5);
            (column.domain, column.values.to_vec(), wrong)
        };
        let corners = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(spread(Mapping::Corner, corners.clone(), None), (Domain::Corner, corners, 0));
        let indexed = spread(Mapping::Corner, vec![5.0, 6.0], Some(vec![0, 1, 0, -1, 7, 1]));
        assert_eq!(indexed, (Domain::Corner, vec![5.0, 6.0, 5.0, 6.0, 6.0, 6.0, 6.0], 3));
        let faces = spread(Mapping::Face, vec![1.0, 2.0], None);
        assert_eq!(faces, (Domain::Corner, vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0], 0));
        let short = spread(Mapping::Point, vec![1.0, 2.0], None);
        assert_eq!(short, (Domain::Point, vec![1.0, 2.0, 2.0, 2.0, 2.0], 3));
        assert_eq!(spread(Mapping::Same, vec![9.0], None), (Domain::Point, vec![9.0; 5], 0));
        assert_eq!(spread(Mapping::Same, vec![9.0, 8.0], Some(vec![1])), (Domain::Point, vec![8.0; 5], 0));
    }

    #[test]
    fn normals_become_unit_and_binormals_become_a_sign() {
        let polygons = Polygons::new(vec![0, 1, -3], 3, &[]);
        let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let column =
            |semantic, values: Vec<f32>| Column { semantic, domain: Domain::Point, width: 3, values: values.into() };
        let mut normal = column(Semantic::Normal, vec![0.0, 2.0, 0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0, 1.0]);
        assert_eq!(make_unit(&mut normal, &polygons, &positions), 3);
        assert_eq!(&*normal.values, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(make_unit(&mut normal, &polygons, &positions), 0);
        let up = column(Semantic::Normal, [0.0, 0.0, 1.0].repeat(3));
        let tangent = column(Semantic::Tangent, [3.0, 0.0, 0.0].repeat(3));
        let down = column(Semantic::Custom(String::new()), [0.0, -1.0, 0.0].repeat(3));
        let joined = tangents(&up, &tangent, Some(&down), &polygons);
        assert_eq!((joined.domain, joined.values.to_vec()), (Domain::Point, [1.0, 0.0, 0.0, -1.0].repeat(3)));
        assert_eq!(tangents(&up, &tangent, None, &polygons).values[3], 1.0);
    }
}
