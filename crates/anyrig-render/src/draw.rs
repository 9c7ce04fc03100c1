//! From posed geometry to pixels.
//!
//! The screen is cut into tiles, and each is drawn on its own: opaque faces leave their number and nearness at every
//! sample, and only what is seen in the end is shaded, once for each face in a pixel. Blended faces follow from back to
//! front, then the ghost, then marks. So the picture does not depend on the number of threads.

use crate::color::{Rgba, encode};
use crate::description::{Camera, Lighting};
use crate::drawable::{Drawable, Face, Paint};
use crate::marks::{Mark, Marks, on_screen};
use crate::raster::{Bins, Grid, Placed, Projection, ScreenTriangle};
use crate::shade::{Materials, Setup, Shader};
use crate::shadow::{GroundShadow, ShadowMap};
use crate::tile::{self, Passes, Set};
use anyrig_bytes::{Context, Error, Place, Result};
use anyrig_image::Rgba8Image;
use anyrig_scene::AlphaMode;
use glam::{DVec3, Vec3, Vec4};
use rayon::prelude::*;
use std::sync::Arc;

/// Pixels along a side of a tile.
pub(crate) const TILE: u32 = 32;

/// Share of the picture along its rim over which the ground's shadow fades.
const RIM: f32 = 0.1;

/// Triangles that are brought to the screen in one piece of work.
const CHUNK: usize = 4096;

/// What is drawn, and of what it is made.
pub(crate) struct Figure<'a> {
    pub drawables: &'a [Drawable<'a>],
    pub materials: Materials<'a>,
    /// Box of what the picture is about.
    pub low: Vec3,
    pub high: Vec3,
}

/// A picture's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl PictureSize {
    /// The longest side that a picture may have.
    pub const LONGEST: u32 = 16_384;

    /// As wide as high.
    pub const fn square(side: u32) -> Self {
        Self { width: side, height: side }
    }

    /// Width through height.
    pub(crate) fn aspect(self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }

    /// Books the pixels of a picture, and what they were before they were pixels.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a side of 0 or more than [`PictureSize::LONGEST`];
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`].
    pub(crate) fn book(self, context: &Context) -> Result<()> {
        let (width, height) = (self.width, self.height);
        if width == 0 || height == 0 || width.max(height) > Self::LONGEST {
            let message = format!("a picture of {width} × {height} pixels; each side has 1 to {}", Self::LONGEST);
            return Err(Error::usage(message));
        }
        let count = u64::from(width) * u64::from(height);
        if count > context.limits().pixels {
            let message = format!("{width} × {height} pixels are more than the limit of {}", context.limits().pixels);
            return Err(Error::limit(Place::whole(), message));
        }
        context.take_memory(count * 20, Place::whole)
    }
}

/// Everything in one picture.
pub(crate) struct Picture<'a> {
    pub figure: Figure<'a>,
    /// Drawn see-through over the figure.
    pub ghost: Vec<Drawable<'a>>,
    pub marks: Marks,
    pub camera: Camera,
    pub lighting: Lighting,
    /// Height of the floor that takes a shadow.
    pub floor: Option<f32>,
    pub background: Rgba,
    pub size: PictureSize,
    /// Samples along each side of a pixel.
    pub samples: u32,
}

impl Camera {
    /// The camera's view of so many samples.
    pub(crate) fn projection(&self, width: f64, height: f64) -> Projection {
        let row = |axis: DVec3, share: f64| (axis * share).extend(-(axis * share).dot(self.eye));
        let away = row(self.back, -1.0);
        Projection {
            rows: [
                row(self.right, width / 2.0 / self.half_width) + away * (width / 2.0),
                row(self.up, -height / 2.0 / self.half_height) + away * (height / 2.0),
                away,
            ],
            nearness: None,
            near: self.near,
            width,
            height,
        }
    }
}

impl<'a> Figure<'a> {
    /// A ball round all of it.
    pub fn ball(&self) -> (DVec3, f64) {
        let (low, high) = (self.low.as_dvec3(), self.high.as_dvec3());
        if !low.is_finite() || !high.is_finite() {
            return (DVec3::ZERO, 1.0);
        }
        ((low + high) / 2.0, ((high - low).length() / 2.0).max(1e-6))
    }

    /// Tells which samples of a face are not cut away, for faces of surfaces that cut.
    pub fn mask(&self, face: Face, projection: &Projection) -> Option<Mask<'_>> {
        let drawable = &self.drawables[face.drawable as usize];
        let surface = self.materials.surfaces.get(drawable.surface)?;
        if surface.alpha == AlphaMode::Opaque || drawable.paint != Paint::Material {
            return None;
        }
        let setup = Setup::new(drawable, face, self.materials.surfaces, projection)?;
        Some(Mask { materials: self.materials, setup })
    }

    fn is_blended(&self, drawable: &Drawable<'_>) -> bool {
        let surface = self.materials.surfaces.get(drawable.surface);
        drawable.paint == Paint::Material && surface.is_some_and(|s| s.alpha == AlphaMode::Blend)
    }

    fn is_double_sided(&self, drawable: &Drawable<'_>) -> bool {
        let surface = self.materials.surfaces.get(drawable.surface);
        drawable.paint == Paint::Facing || surface.is_none_or(|s| s.double_sided)
    }
}

/// A face whose texture cuts pieces out of it.
pub(crate) struct Mask<'a> {
    materials: Materials<'a>,
    setup: Setup<'a>,
}

impl Mask<'_> {
    pub fn covers(&self, x: i32, y: i32) -> bool {
        let spot = self.setup.spot(f64::from(x) + 0.5, f64::from(y) + 0.5);
        self.materials.covers(&self.setup, &spot)
    }
}

/// Triangles on the screen with the faces that they are pieces of.
type Screened = (Vec<ScreenTriangle>, Vec<Face>);

/// All triangles of a figure from both sides, as a light sees them.
pub(crate) fn each_triangle(figure: &Figure<'_>, projection: &Projection, context: &Context) -> Result<Screened> {
    let all = |_: &Drawable<'_>| true;
    screened(figure.drawables, projection, &Wanted { drawable: &all, culled: &|_| false }, context)
}

/// Which triangles are wanted.
struct Wanted<'a> {
    drawable: &'a (dyn Fn(&Drawable<'_>) -> bool + Sync),
    /// Whether back faces of a drawable are left out.
    culled: &'a (dyn Fn(&Drawable<'_>) -> bool + Sync),
}

fn screened(
    drawables: &[Drawable<'_>],
    projection: &Projection,
    wanted: &Wanted<'_>,
    context: &Context,
) -> Result<Screened> {
    let wanted_ones = || drawables.iter().enumerate().filter(|(_, d)| (wanted.drawable)(d));
    let bytes = wanted_ones().map(|(_, d)| {
        let of_triangles = 2 * d.triangles * (size_of::<ScreenTriangle>() + size_of::<Face>());
        (of_triangles + d.positions.len() * size_of::<Placed>()) as u64
    });
    context.take_memory(bytes.fold(0, u64::saturating_add), Place::whole)?;
    let mut work = Vec::new();
    for (index, drawable) in wanted_ones() {
        let points = drawable.positions.par_iter().with_min_len(CHUNK);
        let placed: Arc<Vec<Placed>> = Arc::new(points.map(|p| projection.place(Vec3::from_array(*p))).collect());
        let starts = (0..drawable.triangles).step_by(CHUNK);
        work.extend(starts.map(|start| (index, Arc::clone(&placed), start..(start + CHUNK).min(drawable.triangles))));
    }
    let pieces = |(index, places, range): (usize, Arc<Vec<Placed>>, std::ops::Range<usize>)| -> Result<Screened> {
        context.check_cancelled()?;
        let drawable = &drawables[index];
        let cull = (wanted.culled)(drawable);
        let (mut triangles, mut faces) = (Vec::with_capacity(range.len()), Vec::with_capacity(range.len()));
        for triangle in range {
            let Some([a, b, c]) = drawable.points(triangle) else { continue };
            let placed = [places[a], places[b], places[c]];
            // Rows grow downwards, so what is counter-clockwise to the viewer is negative.
            let turns = placed[0].at.dot(placed[1].at.cross(placed[2].at));
            if cull && (turns > 0.0) != drawable.mirrored {
                continue;
            }
            let (face, before) = (faces.len() as u32, triangles.len());
            projection.pieces(placed, face, |piece| triangles.push(piece));
            if triangles.len() > before {
                faces.push(Face { drawable: index as u32, triangle: triangle as u32 });
            }
        }
        Ok((triangles, faces))
    };
    let parts: Vec<Screened> = work.into_par_iter().map(pieces).collect::<Result<_>>()?;
    let (mut triangles, mut faces) = (Vec::new(), Vec::new());
    for (mut more, more_faces) in parts {
        let offset = faces.len() as u32;
        more.iter_mut().for_each(|triangle| triangle.face += offset);
        triangles.append(&mut more);
        faces.extend(more_faces);
    }
    Ok((triangles, faces))
}

/// The faces of blended surfaces, the furthest first.
fn sorted(figure: &Figure<'_>, projection: &Projection, (triangles, faces): Screened) -> Screened {
    let distance = |triangle: &ScreenTriangle| -> f64 {
        let face = faces[triangle.face as usize];
        let drawable = &figure.drawables[face.drawable as usize];
        let points = drawable.points(face.triangle as usize).unwrap_or_default();
        points.iter().map(|p| projection.place(drawable.position(*p)).at.z).sum()
    };
    let mut keyed: Vec<(f64, ScreenTriangle)> = triangles.into_iter().map(|t| (distance(&t), t)).collect();
    keyed.sort_by(|a, b| b.0.total_cmp(&a.0));
    (keyed.into_iter().map(|(_, triangle)| triangle).collect(), faces)
}

impl Picture<'_> {
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`], [`anyrig_bytes::ErrorKind::Cancelled`].
    pub fn draw(&self, context: &Context) -> Result<Rgba8Image> {
        let per_pixel = self.samples.max(1);
        let (width, height) = (self.size.width * per_pixel, self.size.height * per_pixel);
        let projection = self.camera.projection(f64::from(width), f64::from(height));
        let grid = Grid { width: width as i32, height: height as i32, tile: (TILE * per_pixel) as i32 };
        let set = |screened: Screened| -> Result<Set> {
            let bins = Bins::new(&screened.0, grid, context)?;
            Ok(Set { triangles: screened.0, faces: screened.1, bins })
        };
        let figure = &self.figure;
        let culled = |d: &Drawable<'_>| !figure.is_double_sided(d);
        let (is_blended, is_opaque) =
            (|d: &Drawable<'_>| figure.is_blended(d), |d: &Drawable<'_>| !figure.is_blended(d));
        let of = |drawables: &[Drawable<'_>], drawable: &(dyn Fn(&Drawable<'_>) -> bool + Sync)| {
            screened(drawables, &projection, &Wanted { drawable, culled: &culled }, context)
        };
        let blended = sorted(figure, &projection, of(figure.drawables, &is_blended)?);
        let marks = |marks: &[Mark]| set((on_screen(marks, &projection, f64::from(per_pixel)), Vec::new()));
        let is_lit = figure.drawables.iter().any(|d| d.paint == Paint::Material);
        let shadow = if is_lit { Some(ShadowMap::new(figure, &self.lighting, context)?) } else { None };
        let ground = match self.floor {
            Some(floor) => Some(GroundShadow::new(figure, &self.lighting, floor, context)?),
            None => None,
        };
        let passes = Passes {
            figure,
            ghost: &self.ghost,
            marks: &self.marks,
            opaque: set(of(figure.drawables, &is_opaque)?)?,
            blended: set(blended)?,
            ghosts: set(of(&self.ghost, &|_| true)?)?,
            among: marks(&self.marks.among)?,
            above: marks(&self.marks.above)?,
            shader: Shader {
                camera: &self.camera,
                lighting: &self.lighting,
                materials: figure.materials,
                shadow: shadow.as_ref(),
            },
            projection: &projection,
            samples: per_pixel as i32,
        };
        let tiles: Vec<Vec<Vec4>> = (0..grid.tiles())
            .into_par_iter()
            .map(|tile| context.check_cancelled().map(|()| tile::draw(&passes, grid, tile)))
            .collect::<Result<_>>()?;
        self.assemble(&tiles, grid, ground.as_ref())
    }

    /// Puts the tiles together and the ground and the backdrop behind them.
    fn assemble(&self, tiles: &[Vec<Vec4>], grid: Grid, ground: Option<&GroundShadow>) -> Result<Rgba8Image> {
        let (width, samples) = (self.size.width as usize, self.samples.max(1) as i32);
        let backdrop = self.background.premultiplied();
        let plain = encode(backdrop);
        let behind = |x: usize, y: usize| -> Vec4 {
            let dark =
                ground.map_or(0.0, |ground| ground.along(self.camera.eye, self.direction(x, y)) * self.inside(x, y));
            // A black layer of this alpha over the backdrop.
            (backdrop.truncate() * (1.0 - dark)).extend(dark + backdrop.w * (1.0 - dark))
        };
        let row = |(y, row): (usize, &mut [[u8; 4]])| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let (column, line) = (x / TILE as usize, y / TILE as usize);
                let tile = line * grid.columns() as usize + column;
                let area = grid.area(tile);
                let tile_width = (area.right - area.left) / samples;
                let inside = (y % TILE as usize) * tile_width as usize + x % TILE as usize;
                let front = tiles[tile][inside];
                if front.w >= 1.0 {
                    *pixel = encode(front);
                    continue;
                }
                let back = behind(x, y);
                *pixel =
                    if front.w == 0.0 && back == backdrop { plain } else { encode(front + back * (1.0 - front.w)) };
            }
        };
        let mut pixels = vec![[0u8; 4]; width * self.size.height as usize];
        pixels.par_chunks_mut(width).enumerate().for_each(row);
        Rgba8Image::new(self.size.width, self.size.height, pixels.into_flattened())
    }

    /// How far inside of the picture's rim a pixel is, from 0 to 1, so that no shadow ends there in a line.
    fn inside(&self, x: usize, y: usize) -> f32 {
        let share = |at: usize, count: u32| {
            let (at, count) = (at as f32 + 0.5, count as f32);
            (at.min(count - at) / (count * RIM)).min(1.0)
        };
        let least = share(x, self.size.width).min(share(y, self.size.height));
        least * least * (3.0 - 2.0 * least)
    }

    /// Where a pixel's middle is looked for.
    fn direction(&self, x: usize, y: usize) -> DVec3 {
        let camera = &self.camera;
        let across = (x as f64 + 0.5) / f64::from(self.size.width) * 2.0 - 1.0;
        let up = 1.0 - (y as f64 + 0.5) / f64::from(self.size.height) * 2.0;
        camera.right * (across * camera.half_width) + camera.up * (up * camera.half_height) - camera.back
    }
}

/// Looks from the origin along -Z.
#[cfg(test)]
pub(crate) fn camera_for_tests() -> Camera {
    let (half_width, half_height) = (0.8, 0.6);
    Camera { eye: DVec3::ZERO, right: DVec3::X, up: DVec3::Y, back: DVec3::Z, half_width, half_height, near: 0.1 }
}
