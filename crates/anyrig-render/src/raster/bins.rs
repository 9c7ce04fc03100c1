//! Which triangles each tile of the screen has to look at.

use super::{Area, ScreenTriangle};
use anyrig_bytes::{Context, Place, Result};

/// Tiles of a screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub width: i32,
    pub height: i32,
    /// Samples along a side of a tile.
    pub tile: i32,
}

impl Grid {
    pub fn columns(self) -> i32 {
        (self.width + self.tile - 1) / self.tile
    }

    pub fn rows(self) -> i32 {
        (self.height + self.tile - 1) / self.tile
    }

    pub fn tiles(self) -> usize {
        (self.columns() * self.rows()) as usize
    }

    pub fn area(self, tile: usize) -> Area {
        let (column, row) = (tile as i32 % self.columns(), tile as i32 / self.columns());
        let (left, top) = (column * self.tile, row * self.tile);
        Area { left, top, right: (left + self.tile).min(self.width), bottom: (top + self.tile).min(self.height) }
    }

    /// Columns and rows of the tiles that a triangle may touch.
    fn touched(self, triangle: &ScreenTriangle) -> Area {
        let screen = Area { left: 0, top: 0, right: self.width, bottom: self.height };
        let samples = triangle.bounds().within(screen);
        if samples.is_empty() {
            return Area { left: 0, top: 0, right: 0, bottom: 0 };
        }
        Area {
            left: samples.left / self.tile,
            top: samples.top / self.tile,
            right: (samples.right - 1) / self.tile + 1,
            bottom: (samples.bottom - 1) / self.tile + 1,
        }
    }
}

/// The triangles of each tile, in their order.
pub(crate) struct Bins {
    /// Tile `i` has `items[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Bins {
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`] when many triangles touch many tiles each.
    pub fn new(triangles: &[ScreenTriangle], grid: Grid, context: &Context) -> Result<Self> {
        let mut starts = vec![0usize; grid.tiles() + 1];
        for triangle in triangles {
            each_tile(grid, triangle, |tile| starts[tile + 1] += 1);
        }
        for tile in 0..grid.tiles() {
            starts[tile + 1] += starts[tile];
        }
        let total = starts[grid.tiles()];
        context.take_memory((total as u64).saturating_mul(4), Place::whole)?;
        let (mut items, mut next) = (vec![0u32; total], starts.clone());
        for (index, triangle) in triangles.iter().enumerate() {
            each_tile(grid, triangle, |tile| {
                items[next[tile]] = index as u32;
                next[tile] += 1;
            });
        }
        Ok(Self { starts, items })
    }

    /// Indexes of the triangles of a tile.
    pub fn of(&self, tile: usize) -> &[u32] {
        &self.items[self.starts[tile]..self.starts[tile + 1]]
    }
}

fn each_tile(grid: Grid, triangle: &ScreenTriangle, mut act: impl FnMut(usize)) {
    let touched = grid.touched(triangle);
    for row in touched.top..touched.bottom {
        for column in touched.left..touched.right {
            act((row * grid.columns() + column) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Corner;
    use super::*;
    use anyrig_bytes::{ErrorKind, Limits};

    fn triangle(corners: [(i32, i32); 3]) -> ScreenTriangle {
        let corners = corners.map(|(x, y)| Corner { x: x * 256, y: y * 256, nearness: 1.0 });
        ScreenTriangle::new(corners, 0).expect("it has an area")
    }

    #[test]
    fn each_triangle_is_in_the_tiles_that_it_touches() {
        let grid = Grid { width: 20, height: 10, tile: 8 };
        assert_eq!(
            (grid.columns(), grid.rows(), grid.area(5)),
            (3, 2, Area { left: 16, top: 8, right: 20, bottom: 10 })
        );
        let all = [triangle([(0, 0), (4, 0), (0, 4)]), triangle([(-50, -50), (90, -50), (0, 90)])];
        let bins = Bins::new(&all, grid, &Context::new()).expect("small");
        assert_eq!(bins.of(0), [0, 1]);
        assert!((1..6).all(|tile| bins.of(tile) == [1]));
    }

    #[test]
    fn the_lists_are_booked() {
        let mut limits = Limits::default();
        limits.memory_bytes = 23;
        let context = Context::new().with_limits(limits);
        let grid = Grid { width: 20, height: 10, tile: 8 };
        let error = Bins::new(&[triangle([(-50, -50), (90, -50), (0, 90)])], grid, &context).err();
        assert_eq!(error.map(|e| e.kind()), Some(ErrorKind::LimitExceeded));
    }
}
