//! Shadows: those of the key light on the figure, and the soft one on the ground.

use crate::description::Lighting;
use crate::draw::{Figure, each_triangle};
use crate::raster::{Bins, Grid, Projection, ScreenTriangle};
use crate::texture::floor;
use anyrig_bytes::{Context, Result};
use glam::{DVec3, DVec4, Vec3};
use rayon::prelude::*;

/// Texels along a side of the map.
const SIZE: i32 = 1024;
/// Texels along a side of a tile of it.
const TILE: i32 = 128;
/// Texels by which the edge of a shadow is soft, to each side.
const SOFT: i32 = 2;

/// How near the nearest surface is to the key light.
pub(crate) struct ShadowMap {
    projection: Projection,
    nearness: Vec<f32>,
    /// Length of a texel.
    texel: f32,
}

/// Two directions at right angles to one and to each other.
fn across(direction: DVec3) -> [DVec3; 2] {
    let other = if direction.y.abs() < 0.9 { DVec3::Y } else { DVec3::X };
    let right = other.cross(direction).try_normalize().unwrap_or(DVec3::X);
    [right, direction.cross(right)]
}

/// Looks along a direction without perspective at a ball, with `size` texels along each side.
fn looking_at(towards: DVec3, middle: DVec3, radius: f64, size: i32) -> Projection {
    let [right, up] = across(towards);
    let half = f64::from(size) / 2.0;
    let row = |axis: DVec3, sign: f64| {
        let axis = axis * (sign * half / radius);
        axis.extend(half - axis.dot(middle))
    };
    Projection {
        rows: [row(right, 1.0), row(up, -1.0), DVec4::W],
        nearness: Some(towards.extend(-towards.dot(middle))),
        near: 0.0,
        width: f64::from(size),
        height: f64::from(size),
    }
}

/// The nearest nearness of each texel; `NEG_INFINITY` where there is nothing.
fn depth_map(figure: &Figure<'_>, projection: &Projection, grid: Grid, context: &Context) -> Result<Vec<f32>> {
    let (triangles, faces) = each_triangle(figure, projection, context)?;
    let bins = Bins::new(&triangles, grid, context)?;
    let fill = |tile: usize| -> Vec<f32> {
        let area = grid.area(tile);
        let width = area.right - area.left;
        let mut nearness = vec![f32::NEG_INFINITY; (width * (area.bottom - area.top)) as usize];
        for index in bins.of(tile) {
            let triangle: &ScreenTriangle = &triangles[*index as usize];
            let mask = figure.mask(faces[triangle.face as usize], projection);
            triangle.cover(area, |x, y, near| {
                let slot = &mut nearness[((y - area.top) * width + x - area.left) as usize];
                if near > *slot && mask.as_ref().is_none_or(|mask| mask.covers(x, y)) {
                    *slot = near;
                }
            });
        }
        nearness
    };
    let tiles: Vec<Vec<f32>> = (0..grid.tiles()).into_par_iter().map(fill).collect();
    let mut whole = vec![f32::NEG_INFINITY; (grid.width * grid.height) as usize];
    for (tile, values) in tiles.iter().enumerate() {
        let area = grid.area(tile);
        let width = (area.right - area.left) as usize;
        for (row, values) in values.chunks(width).enumerate() {
            let start = (area.top as usize + row) * grid.width as usize + area.left as usize;
            whole[start..start + width].copy_from_slice(values);
        }
    }
    Ok(whole)
}

impl ShadowMap {
    pub fn new(figure: &Figure<'_>, lighting: &Lighting, context: &Context) -> Result<Self> {
        let (middle, radius) = figure.ball();
        let projection = looking_at(lighting.key.towards.as_dvec3(), middle, radius * 1.02, SIZE);
        let grid = Grid { width: SIZE, height: SIZE, tile: TILE };
        let nearness = depth_map(figure, &projection, grid, context)?;
        Ok(Self { projection, nearness, texel: (2.04 * radius / f64::from(SIZE)) as f32 })
    }

    /// The share of the key light that arrives at a place, 0 to 1.
    pub fn light_at(&self, position: Vec3, normal: Vec3) -> f32 {
        // Off the surface, so that it casts no shadow on itself.
        let off = position + normal * (self.texel * 2.5);
        let placed = self.projection.place(off).at;
        if !placed.is_finite() {
            return 1.0;
        }
        let Some(row) = self.projection.nearness else { return 1.0 };
        let near = row.dot(off.as_dvec3().extend(1.0)) as f32 + self.texel * 1.5;
        let (x, y) = (placed.x as f32 - 0.5, placed.y as f32 - 0.5);
        let (left, top) = (floor(x), floor(y));
        let (share_x, share_y) = (x - left as f32, y - top as f32);
        let weight = |step: i32, share: f32| match step {
            s if s == -SOFT => 1.0 - share,
            s if s == SOFT + 1 => share,
            _ => 1.0,
        };
        let (mut lit, side) = (0.0, (2 * SOFT + 1) as f32);
        for dy in -SOFT..=SOFT + 1 {
            let (y, weight_y) = ((top.saturating_add(dy)).clamp(0, SIZE - 1), weight(dy, share_y));
            for dx in -SOFT..=SOFT + 1 {
                let x = left.saturating_add(dx).clamp(0, SIZE - 1);
                if self.nearness[(y * SIZE + x) as usize] <= near {
                    lit += weight(dx, share_x) * weight_y;
                }
            }
        }
        lit / (side * side)
    }
}

/// Texels along a side of the ground's shadow.
const GROUND: i32 = 256;

/// How dark the ground is about the figure's feet.
pub(crate) struct GroundShadow {
    floor: f32,
    left: f32,
    front: f32,
    texel: f32,
    darkness: Vec<f32>,
}

/// How much darker the ground is where no light at all arrives.
const DARKEST: f32 = 0.62;

/// One of the shadows that the ground's is made of. All of them begin where the figure stands, so that it stands there.
#[derive(Clone, Copy)]
struct Layer {
    /// How high above the floor what casts it may be, as a share of the figure's size.
    range: f32,
    /// Texels over which it is soft, to each side.
    soft: usize,
    strength: f32,
}

/// Where the figure touches the floor.
const CONTACT: Layer = Layer { range: 0.08, soft: 2, strength: 0.75 };
/// Below all of the figure: what it takes of the light from all sides.
const UNDER: Layer = Layer { range: 1.1, soft: 9, strength: 0.6 };
/// What the key light throws; only of what is low, as that of the rest would lie apart, far behind.
const THROWN: Layer = Layer { range: 0.55, soft: 3, strength: 0.4 };

impl Layer {
    /// The darkness of each texel of a map of the lowest surfaces.
    fn of(self, lowest: &[f32], height: f32) -> Vec<f32> {
        let near_floor = |near: &f32| (1.0 + near / (height * self.range)).clamp(0.0, 1.0);
        let dark: Vec<f32> = lowest.iter().map(near_floor).collect();
        blurred(&dark, self.soft).iter().map(|dark| dark * self.strength).collect()
    }
}

impl GroundShadow {
    /// The shadow on a level floor below the figure: dark where it stands, soft below it and where the key light throws it.
    pub fn new(figure: &Figure<'_>, lighting: &Lighting, floor: f32, context: &Context) -> Result<Self> {
        let (middle, radius) = figure.ball();
        // Room for the figure, for what it throws to the side, and for the softness round both.
        let reach = radius * 2.2;
        let middle = DVec3::new(middle.x, f64::from(floor), middle.z);
        let grid = Grid { width: GROUND, height: GROUND, tile: TILE };
        let texel = (2.0 * reach / f64::from(GROUND)) as f32;
        let ground = |slide: DVec3| Projection {
            // From above, with X to the right and Z downwards, slid along the light to the floor.
            rows: [
                (DVec3::X + DVec3::Y * slide.x).extend(reach - middle.x - f64::from(floor) * slide.x)
                    / f64::from(texel),
                (DVec3::Z + DVec3::Y * slide.z).extend(reach - middle.z - f64::from(floor) * slide.z)
                    / f64::from(texel),
                DVec4::W,
            ],
            // The lowest counts.
            nearness: Some(DVec3::NEG_Y.extend(f64::from(floor))),
            near: 0.0,
            width: f64::from(GROUND),
            height: f64::from(GROUND),
        };
        let key = lighting.key.towards.as_dvec3();
        let slide = DVec3::new(-key.x, 0.0, -key.z) / key.y.max(0.2);
        let height = (radius * 2.0) as f32;
        let above = depth_map(figure, &ground(DVec3::ZERO), grid, context)?;
        let thrown = depth_map(figure, &ground(slide), grid, context)?;
        let layers = [(CONTACT, &above), (UNDER, &above), (THROWN, &thrown)].map(|(layer, map)| layer.of(map, height));
        let light = |texel: usize| layers.iter().fold(1.0, |light, layer| light * (1.0 - layer[texel]));
        let darkness = (0..above.len()).map(|texel| 1.0 - light(texel)).collect();
        let (left, front) = ((middle.x - reach) as f32, (middle.z - reach) as f32);
        Ok(Self { floor, left, front, texel, darkness })
    }

    /// Darkness, 0 to 1, of the ground that a ray meets.
    pub fn along(&self, eye: DVec3, direction: DVec3) -> f32 {
        let steps = (f64::from(self.floor) - eye.y) / direction.y;
        if !(steps > 0.0 && steps.is_finite()) {
            return 0.0;
        }
        let at = eye + direction * steps;
        let x = (at.x as f32 - self.left) / self.texel - 0.5;
        let y = (at.z as f32 - self.front) / self.texel - 0.5;
        let most = (GROUND - 1) as f32;
        if !(x > 0.0 && y > 0.0 && x < most && y < most) {
            return 0.0;
        }
        let (left, top) = (x as usize, y as usize);
        let (share_x, share_y) = (x - left as f32, y - top as f32);
        let row = |y: usize| {
            let start = y * GROUND as usize + left;
            self.darkness[start] + (self.darkness[start + 1] - self.darkness[start]) * share_x
        };
        (row(top) + (row(top + 1) - row(top)) * share_y) * DARKEST
    }
}

/// Steps of darkness that are blurred: whole numbers, whose running sums are exact.
const STEPS: f32 = 65_535.0;

/// Three means over a box of `2 * reach + 1` texels each way: nearly a bell curve.
fn blurred(values: &[f32], reach: usize) -> Vec<f32> {
    let size = GROUND as usize;
    let mut steps: Vec<u32> = values.iter().map(|v| (v * STEPS + 0.5) as u32).collect();
    let mut line = vec![0u32; size];
    for _ in 0..3 {
        for row in 0..size {
            blur_line(&mut steps, (row * size, 1), reach, &mut line);
        }
        for column in 0..size {
            blur_line(&mut steps, (column, size), reach, &mut line);
        }
    }
    steps.iter().map(|v| *v as f32 / STEPS).collect()
}

/// Beyond the rim there is nothing.
fn blur_line(values: &mut [u32], (start, step): (usize, usize), reach: usize, line: &mut [u32]) {
    let size = line.len();
    for (i, slot) in line.iter_mut().enumerate() {
        *slot = values[start + i * step];
    }
    let width = (2 * reach + 1) as u32;
    let mut sum: u32 = line[..reach].iter().sum();
    for i in 0..size {
        sum += line.get(i + reach).copied().unwrap_or(0);
        values[start + i * step] = (sum + width / 2) / width;
        sum -= if i >= reach { line[i - reach] } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blur_keeps_the_amount() {
        let mut values = vec![0.0; (GROUND * GROUND) as usize];
        values[(128 * GROUND + 128) as usize] = 1.0;
        let soft = blurred(&values, 3);
        assert!((soft.iter().sum::<f32>() - 1.0).abs() < 1e-2);
        let at = |x: i32, y: i32| soft[(y * GROUND + x) as usize];
        assert!(at(128, 128) > at(132, 128) && at(132, 128) > 0.0 && at(140, 128) == 0.0);
        assert_eq!(at(130, 128), at(128, 130));
    }

    #[test]
    fn a_projection_without_perspective_fits_its_ball() {
        let towards = DVec3::new(0.6, 0.8, 0.0);
        let projection = looking_at(towards, DVec3::new(1.0, 2.0, 3.0), 2.0, 100);
        let middle = projection.place(Vec3::new(1.0, 2.0, 3.0)).at;
        assert!((middle - DVec3::new(50.0, 50.0, 1.0)).length() < 1e-9);
        let [right, _] = across(towards);
        let rim = projection.place((DVec3::new(1.0, 2.0, 3.0) + right * 2.0).as_vec3()).at;
        assert!((rim.x - 100.0).abs() < 1e-4, "{rim}");
    }
}
