//! Limbs: tubes with elliptical cross-sections and round ends.

use super::grid::{Chart, Grid, Shape};
use anyrig_bytes::maths::f64::{cos, sin};
use anyrig_scene::glam::DVec3;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A cross-section.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    /// Its centre.
    pub centre: DVec3,
    /// Half widths: towards the seam, and across.
    pub half: [f64; 2],
}

/// A tube through stations.
#[derive(Clone, Debug)]
pub struct Tube {
    /// At least two.
    pub stations: Vec<Station>,
    /// About where the seam of the texture lies, seen from the axis.
    pub seam: DVec3,
    /// How far the round ends bulge.
    pub bulge: [f64; 2],
    /// Where it lies in the texture.
    pub chart: Chart,
    /// Quads along and around at density 1.
    pub quads: [f64; 2],
}

/// Share of the rows that each round end gets.
const END_SHARE: f64 = 0.2;

impl Tube {
    /// Stations from rows of centre, half width towards the seam, half width across.
    pub fn stations(rows: &[([f64; 3], f64, f64)]) -> Vec<Station> {
        rows.iter().map(|(centre, a, b)| Station { centre: DVec3::from(*centre), half: [*a, *b] }).collect()
    }

    /// The same tube on the other side of the body.
    #[must_use]
    pub fn mirrored(mut self, chart: Chart) -> Self {
        self.stations.iter_mut().for_each(|s| s.centre.x = -s.centre.x);
        self.seam.x = -self.seam.x;
        self.chart = chart;
        self
    }

    /// Triangles at a density.
    pub fn triangle_count(&self, density: f64) -> usize {
        let (rows, columns) = self.size(density);
        2 * columns * (rows - 1)
    }

    fn size(&self, density: f64) -> (usize, usize) {
        let scaled = |base: f64, least: f64| (base * density).round().max(least) as usize;
        (scaled(self.quads[0], 4.0), scaled(self.quads[1], 5.0))
    }

    /// The tube's points; `density` scales both directions.
    pub fn grid(&self, density: f64) -> Grid {
        let (rows, columns) = self.size(density);
        let (seam, across, along) = self.axes();
        let mut points = Vec::with_capacity((rows + 1) * (columns + 1));
        for row in 0..=rows {
            let (station, shift) = self.row(row, rows);
            for column in 0..=columns {
                let angle = TAU * (column % columns) as f64 / columns as f64;
                let offset = seam * (station.half[0] * cos(angle)) + across * (station.half[1] * sin(angle));
                points.push(station.centre + along * shift + offset);
            }
        }
        Grid { shape: Shape::Closed, columns, points, chart: self.chart }
    }

    /// Unit vectors towards the seam, across and along: a right-handed triple.
    fn axes(&self) -> (DVec3, DVec3, DVec3) {
        let [first, .., last] = self.stations.as_slice() else { return (DVec3::X, DVec3::Y, DVec3::Z) };
        let along = (last.centre - first.centre).try_normalize().unwrap_or(DVec3::Z);
        let seam = self.seam - along * along.dot(self.seam);
        let seam = seam.try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
        (seam, along.cross(seam), along)
    }

    /// The cross-section of a row and how far it is moved along the axis.
    fn row(&self, row: usize, rows: usize) -> (Station, f64) {
        let end_rows = ((rows as f64 * END_SHARE).round() as usize).clamp(1, (rows - 1) / 2);
        let body_rows = rows - 2 * end_rows;
        let last = (self.stations.len() - 1) as f64;
        if row < end_rows {
            let angle = FRAC_PI_2 * (end_rows - row) as f64 / end_rows as f64;
            return (shrunk(self.at(0.0), row == 0, angle), -self.bulge[0] * sin(angle));
        }
        if row > rows - end_rows {
            let angle = FRAC_PI_2 * (row - (rows - end_rows)) as f64 / end_rows as f64;
            return (shrunk(self.at(last), row == rows, angle), self.bulge[1] * sin(angle));
        }
        (self.at(last * (row - end_rows) as f64 / body_rows as f64), 0.0)
    }

    /// The cross-section at a place between stations, by cubic Hermite with the neighbours' differences as slopes.
    fn at(&self, place: f64) -> Station {
        let last = self.stations.len() - 1;
        let index = (place.floor() as usize).min(last.saturating_sub(1));
        let t = place - index as f64;
        let get = |i: usize| {
            let s = self.stations[i.min(last)];
            [s.centre.x, s.centre.y, s.centre.z, s.half[0], s.half[1]]
        };
        let [before, from, to, after] = [get(index.saturating_sub(1)), get(index), get(index + 1), get(index + 2)];
        let mut mixed = [0.0; 5];
        for (i, value) in mixed.iter_mut().enumerate() {
            let slope_from = (to[i] - before[i]) / 2.0;
            let slope_to = (after[i] - from[i]) / 2.0;
            let (t2, t3) = (t * t, t * t * t);
            *value = from[i] * (2.0 * t3 - 3.0 * t2 + 1.0)
                + slope_from * (t3 - 2.0 * t2 + t)
                + to[i] * (3.0 * t2 - 2.0 * t3)
                + slope_to * (t3 - t2);
        }
        Station { centre: DVec3::new(mixed[0], mixed[1], mixed[2]), half: [mixed[3], mixed[4]] }
    }
}

fn shrunk(station: Station, is_pole: bool, angle: f64) -> Station {
    // Exactly one point at the pole: the cosine of a rounded quarter turn is not quite 0.
    let factor = if is_pole { 0.0 } else { cos(angle) };
    Station { half: station.half.map(|h| h * factor), ..station }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tube() -> Tube {
        let rows = [([0.0, 0.0, 0.0], 0.1, 0.2), ([0.0, 1.0, 0.0], 0.1, 0.2)];
        Tube {
            stations: Tube::stations(&rows),
            seam: DVec3::NEG_Z,
            bulge: [0.1, 0.1],
            chart: Chart::new([0.0, 0.0], [1.0, 1.0]),
            quads: [20.0, 24.0],
        }
    }

    #[test]
    fn a_tube_has_its_widths_and_its_triangles() {
        let grid = tube().grid(1.0);
        assert_eq!(grid.corners().len() / 3, tube().triangle_count(1.0));
        let most = |f: fn(&DVec3) -> f64| grid.points.iter().map(f).fold(f64::MIN, f64::max);
        assert!((most(|p| p.x) - 0.2).abs() < 1e-9);
        assert!((most(|p| p.z) - 0.1).abs() < 1e-9);
        assert!((most(|p| p.y) - 1.1).abs() < 1e-9);
        assert!((most(|p| -p.y) - 0.1).abs() < 1e-9);
        // The seam is behind, and columns run to the right as seen from the front, which is +X here.
        assert!(grid.points[24 / 4 + 10 * 25].x < -0.19);
        assert!(grid.points[24 / 2 + 10 * 25].z > 0.09);
    }

    #[test]
    fn the_seam_closes_exactly() {
        let grid = tube().grid(0.7);
        for row in grid.points.chunks(grid.columns + 1) {
            assert_eq!(row.first(), row.last());
        }
    }
}
