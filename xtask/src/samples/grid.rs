//! Surfaces as grids of points, and the mesh that they become.

use anyrig_scene::glam::{DVec2, DVec3};

/// Columns of a grid go around, rows go along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The last column is the first one again, and the first and last row are one point each.
    Closed,
    /// A sheet with borders.
    Sheet,
}

/// A rectangle of the texture, in texture coordinates (V grows downwards).
#[derive(Clone, Copy, Debug)]
pub struct Chart {
    /// Left and top.
    pub min: [f64; 2],
    /// Right and bottom.
    pub max: [f64; 2],
}

impl Chart {
    /// A rectangle, a little smaller on each side, so that filtering does not reach the neighbours.
    pub const fn new(min: [f64; 2], max: [f64; 2]) -> Self {
        const MARGIN: f64 = 1.0 / 128.0;
        Self { min: [min[0] + MARGIN, min[1] + MARGIN], max: [max[0] - MARGIN, max[1] - MARGIN] }
    }

    /// The texture coordinate of a place in the rectangle: `right` and `up` run from 0 to 1.
    pub fn at(&self, right: f64, up: f64) -> DVec2 {
        DVec2::new(self.min[0] + (self.max[0] - self.min[0]) * right, self.max[1] - (self.max[1] - self.min[1]) * up)
    }
}

/// Points in rows. Seen from outside, columns run to the right and rows run up.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Whether it closes.
    pub shape: Shape,
    /// Number of columns of quads; there is one more column of points.
    pub columns: usize,
    /// Points, row after row.
    pub points: Vec<DVec3>,
    /// Where it lies in the texture.
    pub chart: Chart,
}

/// A vertex with its normal and tangent.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Unit normal.
    pub normal: DVec3,
    /// Unit tangent: where U grows.
    pub tangent: DVec3,
    /// Sign of the bitangent, as glTF has it.
    pub sign: f64,
}

impl Grid {
    fn width(&self) -> usize {
        self.columns + 1
    }

    fn rows(&self) -> usize {
        self.points.len() / self.width() - 1
    }

    fn point(&self, row: usize, column: usize) -> DVec3 {
        self.points[row * self.width() + column]
    }

    /// Texture coordinates of all points.
    pub fn tex_coords(&self) -> Vec<DVec2> {
        let (rows, columns) = (self.rows(), self.columns);
        let along = (0..=rows).flat_map(|row| (0..=columns).map(move |column| (row, column)));
        along.map(|(row, column)| self.chart.at(column as f64 / columns as f64, row as f64 / rows as f64)).collect()
    }

    /// Corners of the triangles, front faces outwards. Closed grids get no degenerate triangles at their ends.
    pub fn corners(&self) -> Vec<u32> {
        let (rows, width) = (self.rows(), self.width());
        let closed = self.shape == Shape::Closed;
        let mut corners = Vec::with_capacity(rows * self.columns * 6);
        for (row, column) in (0..rows).flat_map(|row| (0..self.columns).map(move |column| (row, column))) {
            let low = (row * width + column) as u32;
            let high = low + width as u32;
            let (at_start, at_end) = (closed && row == 0, closed && row == rows - 1);
            if !at_start {
                corners.extend([low, low + 1, high + 1]);
            }
            if !at_end {
                // At a pole the two lower corners are one point; the nearer one has the better texture coordinate.
                corners.extend([if at_start { low + 1 } else { low }, high + 1, high]);
            }
        }
        corners
    }

    /// Normal and tangent of all points, from the neighbours of each.
    pub fn frames(&self) -> Vec<Frame> {
        let (rows, columns) = (self.rows(), self.columns);
        let places = (0..=rows).flat_map(|row| (0..=columns).map(move |column| (row, column)));
        places.map(|(row, column)| self.frame(row, column)).collect()
    }

    fn frame(&self, row: usize, column: usize) -> Frame {
        let rows = self.rows();
        let pole = self.shape == Shape::Closed && (row == 0 || row == rows);
        // At a pole "right" is that of the next row, where the columns have not met yet.
        let around = match (pole, row) {
            (true, 0) => 1,
            (true, _) => rows - 1,
            (false, _) => row,
        };
        let (left, right) = self.beside(column);
        let right = self.point(around, right) - self.point(around, left);
        let up = if pole {
            let centre = self.ring_centre(around);
            // Out of the pole, so that `right × up` is the normal there too.
            let towards = self.point(around, column) - centre;
            if row == 0 { towards } else { -towards }
        } else {
            self.point((row + 1).min(rows), column) - self.point(row.saturating_sub(1), column)
        };
        let normal = right.cross(up).try_normalize().unwrap_or(DVec3::Y);
        let tangent = (right - normal * normal.dot(right)).try_normalize().unwrap_or(DVec3::X);
        // The texture goes up with the rows.
        let sign = if normal.cross(tangent).dot(up) < 0.0 { -1.0 } else { 1.0 };
        Frame { normal, tangent, sign }
    }

    fn beside(&self, column: usize) -> (usize, usize) {
        match self.shape {
            Shape::Closed => {
                let last = self.columns - 1;
                let left = if column == 0 { last } else { column - 1 };
                let right = if column >= self.columns { 1 } else { column + 1 };
                (left, right)
            }
            Shape::Sheet => (column.saturating_sub(1), (column + 1).min(self.columns)),
        }
    }

    fn ring_centre(&self, row: usize) -> DVec3 {
        let sum: DVec3 = (0..self.columns).map(|column| self.point(row, column)).sum();
        sum / self.columns as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::maths::f64::{cos, sin};
    use std::f64::consts::{PI, TAU};

    const CHART: Chart = Chart { min: [0.0, 0.0], max: [1.0, 1.0] };

    fn ball(rows: usize, columns: usize) -> Grid {
        let mut points = Vec::new();
        for row in 0..=rows {
            let height = PI * row as f64 / rows as f64 - PI / 2.0;
            for column in 0..=columns {
                let angle = TAU * (column % columns) as f64 / columns as f64;
                points.push(DVec3::new(cos(height) * sin(angle), sin(height), cos(height) * cos(angle)));
            }
        }
        Grid { shape: Shape::Closed, columns, points, chart: CHART }
    }

    #[test]
    fn a_ball_has_its_volume_and_its_normals() {
        let grid = ball(48, 64);
        let corners = grid.corners();
        assert_eq!(corners.len() / 3, 2 * 64 * 47);
        let volume: f64 = corners
            .chunks(3)
            .map(|t| {
                let [a, b, c] = [t[0], t[1], t[2]].map(|i| grid.points[i as usize]);
                assert!((b - a).cross(c - a).length() > 0.0, "degenerate triangle");
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((volume / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01, "{volume}");
        for (frame, point) in grid.frames().iter().zip(&grid.points) {
            assert!(frame.normal.dot(*point) > 0.999, "{frame:?} at {point}");
            assert!(frame.normal.dot(frame.tangent).abs() < 1e-9);
        }
    }

    #[test]
    fn the_bitangent_goes_where_v_falls() {
        let grid = ball(16, 16);
        let (frames, tex_coords) = (grid.frames(), grid.tex_coords());
        let (here, above) = (8 * 17 + 3, 9 * 17 + 3);
        assert!(tex_coords[above].y < tex_coords[here].y);
        let bitangent = frames[here].normal.cross(frames[here].tangent) * frames[here].sign;
        assert!(bitangent.dot(grid.points[above] - grid.points[here]) > 0.0);
        assert!(frames[here].tangent.dot(grid.points[here + 1] - grid.points[here]) > 0.0);
    }

    #[test]
    fn a_sheet_has_all_its_triangles() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        let grid = Grid { shape: Shape::Sheet, columns: 1, points, chart: CHART };
        assert_eq!(grid.corners(), [0, 1, 3, 0, 3, 2]);
        assert!(grid.frames().iter().all(|f| f.normal == DVec3::Z));
    }
}
