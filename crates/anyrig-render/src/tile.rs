//! One tile of a picture.

use crate::draw::Figure;
use crate::drawable::{Drawable, Face};
use crate::marks::{Mark, Marks};
use crate::raster::{Area, Bins, Grid, Projection, ScreenTriangle};
use crate::shade::{Setup, Shader};
use glam::Vec4;

/// Triangles, what they are pieces of, and where they lie.
pub(crate) struct Set {
    pub triangles: Vec<ScreenTriangle>,
    pub faces: Vec<Face>,
    pub bins: Bins,
}

impl Set {
    fn of(&self, tile: usize) -> impl Iterator<Item = &ScreenTriangle> {
        self.bins.of(tile).iter().map(|index| &self.triangles[*index as usize])
    }
}

/// All that is drawn, in its order.
pub(crate) struct Passes<'a> {
    pub figure: &'a Figure<'a>,
    pub ghost: &'a [Drawable<'a>],
    pub marks: &'a Marks,
    pub opaque: Set,
    pub blended: Set,
    pub ghosts: Set,
    pub among: Set,
    pub above: Set,
    pub shader: Shader<'a>,
    pub projection: &'a Projection,
    pub samples: i32,
}

/// How much of a ghost is seen where it is before the figure, and where it is behind.
const GHOST_ALPHA: [f32; 2] = [0.45, 0.12];

/// A ghost is before the figure where it is nearer by more than this share. Where both lie in one place rounding would
/// decide, another way in each pixel.
const GHOST_LEAD: f32 = 1.0 + 2e-3;

/// No face.
const NONE: u32 = u32::MAX;

/// What a tile's samples hold so far.
struct Samples {
    area: Area,
    nearness: Vec<f32>,
    face: Vec<u32>,
    /// Times alpha.
    color: Vec<Vec4>,
}

impl Samples {
    fn new(area: Area) -> Self {
        let count = ((area.right - area.left) * (area.bottom - area.top)) as usize;
        Self { area, nearness: vec![0.0; count], face: vec![NONE; count], color: Vec::new() }
    }

    fn slot(&self, x: i32, y: i32) -> usize {
        ((y - self.area.top) * (self.area.right - self.area.left) + x - self.area.left) as usize
    }

    /// Lays a colour over a sample.
    fn lay(&mut self, slot: usize, color: Vec4) {
        self.color[slot] = color + self.color[slot] * (1.0 - color.w);
    }

    /// Leaves the number and the nearness of the nearest face at each sample.
    fn find(
        &mut self,
        triangles: &mut dyn Iterator<Item = &ScreenTriangle>,
        mut hides: impl FnMut(u32, i32, i32) -> bool,
    ) {
        for triangle in triangles {
            let area = self.area;
            triangle.cover(area, |x, y, nearness| {
                let slot = self.slot(x, y);
                if nearness > self.nearness[slot] && hides(triangle.face, x, y) {
                    (self.nearness[slot], self.face[slot]) = (nearness, triangle.face);
                }
            });
        }
    }
}

/// The pixels of a tile: light times alpha, and alpha.
pub(crate) fn draw(passes: &Passes<'_>, grid: Grid, tile: usize) -> Vec<Vec4> {
    let area = grid.area(tile);
    let pixels = (area.right - area.left) / passes.samples * ((area.bottom - area.top) / passes.samples);
    let sets = [&passes.opaque, &passes.blended, &passes.ghosts, &passes.among, &passes.above];
    if sets.iter().all(|set| set.bins.of(tile).is_empty()) {
        return vec![Vec4::ZERO; pixels as usize];
    }
    let mut samples = Samples::new(area);
    draw_opaque(passes, tile, &mut samples);
    draw_blended(passes, tile, &mut samples);
    draw_ghost(passes, tile, &mut samples);
    draw_marks(&passes.among, &passes.marks.among, (passes, tile), &mut samples);
    if !passes.above.bins.of(tile).is_empty() {
        samples.nearness.fill(0.0);
        draw_marks(&passes.above, &passes.marks.above, (passes, tile), &mut samples);
    }
    means(&samples, passes.samples)
}

fn draw_opaque(passes: &Passes<'_>, tile: usize, samples: &mut Samples) {
    let (figure, faces) = (passes.figure, &passes.opaque.faces);
    let mut mask = (NONE, None);
    samples.find(&mut passes.opaque.of(tile), |face, x, y| {
        if mask.0 != face {
            mask = (face, figure.mask(faces[face as usize], passes.projection));
        }
        mask.1.as_ref().is_none_or(|mask| mask.covers(x, y))
    });
    samples.color = vec![Vec4::ZERO; samples.face.len()];
    shade_found(passes, (figure.drawables, faces), samples, |samples, slot, color| samples.color[slot] = color);
    samples.face.fill(NONE);
}

/// Shades each face once in each pixel that it is seen in, at the middle of its samples there.
fn shade_found(
    passes: &Passes<'_>,
    (drawables, faces): (&[Drawable<'_>], &[Face]),
    samples: &mut Samples,
    mut put: impl FnMut(&mut Samples, usize, Vec4),
) {
    let (area, side) = (samples.area, passes.samples);
    let mut setup: (u32, Option<Setup<'_>>) = (NONE, None);
    let mut shares = Vec::new();
    for top in (area.top..area.bottom).step_by(side as usize) {
        for left in (area.left..area.right).step_by(side as usize) {
            shares_of_pixel(samples, (left, top), side, &mut shares);
            for share in &shares {
                if setup.0 != share.face {
                    let face = faces[share.face as usize];
                    let drawable = &drawables[face.drawable as usize];
                    let surfaces = passes.shader.materials.surfaces;
                    setup = (share.face, Setup::new(drawable, face, surfaces, passes.projection));
                }
                let Some(setup) = &setup.1 else { continue };
                let (x, y) = share.middle();
                let color = passes.shader.shade(setup, &setup.spot(x, y));
                share.slots().for_each(|slot| put(samples, slot, color));
            }
        }
    }
}

/// The samples of a pixel that one face has.
struct Share {
    face: u32,
    /// Sample slots; a pixel has at most 16.
    slots: [u32; 16],
    count: usize,
    sum: (f64, f64),
}

impl Share {
    fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.slots[..self.count].iter().map(|slot| *slot as usize)
    }

    /// The mean place of the samples, which is inside the face, as that has no dents.
    fn middle(&self) -> (f64, f64) {
        (self.sum.0 / self.count as f64, self.sum.1 / self.count as f64)
    }
}

/// The faces that a pixel's samples found, in the order of their first samples.
fn shares_of_pixel(samples: &Samples, (left, top): (i32, i32), side: i32, shares: &mut Vec<Share>) {
    shares.clear();
    for (x, y) in (0..side * side).map(|i| (left + i % side, top + i / side)) {
        let slot = samples.slot(x, y);
        let face = samples.face[slot];
        if face == NONE {
            continue;
        }
        let known = shares.iter().position(|share| share.face == face).unwrap_or_else(|| {
            shares.push(Share { face, slots: [0; 16], count: 0, sum: (0.0, 0.0) });
            shares.len() - 1
        });
        let share = &mut shares[known];
        share.slots[share.count] = slot as u32;
        share.count += 1;
        share.sum = (share.sum.0 + f64::from(x) + 0.5, share.sum.1 + f64::from(y) + 0.5);
    }
}

fn draw_blended(passes: &Passes<'_>, tile: usize, samples: &mut Samples) {
    let (figure, faces) = (passes.figure, &passes.blended.faces);
    for triangle in passes.blended.of(tile) {
        let face = faces[triangle.face as usize];
        let drawable = &figure.drawables[face.drawable as usize];
        let surfaces = passes.shader.materials.surfaces;
        let Some(setup) = Setup::new(drawable, face, surfaces, passes.projection) else { continue };
        triangle.cover(samples.area, |x, y, nearness| {
            let slot = samples.slot(x, y);
            if nearness <= samples.nearness[slot] {
                return;
            }
            let color = passes.shader.shade(&setup, &setup.spot(f64::from(x) + 0.5, f64::from(y) + 0.5));
            samples.lay(slot, color);
            // What hides all behind it hides also what is drawn later, should the order be wrong.
            if color.w >= 0.999 {
                samples.nearness[slot] = nearness;
            }
        });
    }
}

fn draw_ghost(passes: &Passes<'_>, tile: usize, samples: &mut Samples) {
    if passes.ghosts.bins.of(tile).is_empty() {
        return;
    }
    let behind = std::mem::replace(&mut samples.nearness, vec![0.0; samples.face.len()]);
    samples.find(&mut passes.ghosts.of(tile), |_, _, _| true);
    let is_before = |(ghost, figure): (&f32, &f32)| *ghost > figure * GHOST_LEAD;
    let before: Vec<bool> = samples.nearness.iter().zip(&behind).map(is_before).collect();
    shade_found(passes, (passes.ghost, &passes.ghosts.faces), samples, |samples, slot, color| {
        let alpha = if before[slot] { GHOST_ALPHA[0] } else { GHOST_ALPHA[1] };
        samples.lay(slot, color * alpha);
    });
    samples.face.fill(NONE);
    samples.nearness = behind;
}

fn draw_marks(set: &Set, marks: &[Mark], (passes, tile): (&Passes<'_>, usize), samples: &mut Samples) {
    if set.bins.of(tile).is_empty() {
        return;
    }
    samples.find(&mut set.of(tile), |_, _, _| true);
    for slot in 0..samples.face.len() {
        if let Some(mark) = marks.get(samples.face[slot] as usize) {
            let color = mark.shown(passes.shader.camera.eye);
            samples.lay(slot, (color.truncate() * color.w).extend(color.w));
        }
    }
    samples.face.fill(NONE);
}

fn means(samples: &Samples, side: i32) -> Vec<Vec4> {
    let area = samples.area;
    let share = 1.0 / (side * side) as f32;
    let mut pixels = Vec::with_capacity(samples.color.len() / (side * side) as usize);
    for top in (area.top..area.bottom).step_by(side as usize) {
        for left in (area.left..area.right).step_by(side as usize) {
            let sum = (0..side * side)
                .fold(Vec4::ZERO, |sum, i| sum + samples.color[samples.slot(left + i % side, top + i / side)]);
            pixels.push(sum * share);
        }
    }
    pixels
}
