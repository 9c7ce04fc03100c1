//! Images as surfaces read them: decoded once, with smaller levels, sampled by footprint.

use crate::codes;
use crate::color::to_light;
use crate::description::Map;
use anyrig_bytes::{Context, Diagnostic, Place, Report, Result};
use anyrig_image::{Rgba8Image, decode_rgba8};
use anyrig_scene::{Image, Scene, TextureId, Wrap};
use glam::{Vec2, Vec4};
use rayon::prelude::*;

/// An image and its halves, quarters and so on.
#[derive(Debug, Default)]
pub(crate) struct Texture {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    width: i32,
    height: i32,
    pixels: Vec<[u8; 4]>,
}

/// What a texel's channels mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Srgb,
    Linear,
}

/// The textures of a scene that any material reads, by their index. What cannot be decoded is empty and told.
pub(crate) fn decode_all(scene: &Scene, wanted: &[bool], context: &Context) -> Result<Vec<Texture>> {
    let decode = |(index, wanted): (usize, &bool)| -> (Report, Result<Texture>) {
        let mut report = Report::default();
        let texture = if *wanted {
            decode_one(scene, TextureId::new(index), context, &mut report)
        } else {
            Ok(Texture::default())
        };
        (report, texture)
    };
    let all: Vec<_> = wanted.par_iter().enumerate().map(decode).collect();
    all.into_iter()
        .map(|(report, texture)| {
            context.append(report);
            texture
        })
        .collect()
}

fn decode_one(scene: &Scene, id: TextureId, context: &Context, report: &mut Report) -> Result<Texture> {
    context.check_cancelled()?;
    let Some(texture) = scene.textures.get(id) else { return Ok(Texture::default()) };
    // The one that everybody reads first, then its alternates.
    let images = texture.image.iter().chain(&texture.alternates).filter_map(|id| scene.images.get(*id));
    let mut complaint = "there is no image".to_owned();
    for image in images {
        match image.bytes.as_ref().map(|bytes| decode_rgba8(bytes, context)) {
            Some(Ok(pixels)) => return Texture::new(&pixels, context),
            Some(Err(error)) if error.ends_job() => {
                return Err(error.in_element(|| format!("image {}", name_of(image))));
            }
            Some(Err(error)) => complaint = format!("{}: {}", name_of(image), error.message()),
            None => complaint = format!("{}: the file was not found", name_of(image)),
        }
    }
    let subject = if texture.name.is_empty() { format!("texture {}", id.index()) } else { texture.name.clone() };
    report.push(Diagnostic::new(&codes::TEXTURE_LEFT_OUT, subject, complaint));
    Ok(Texture::default())
}

fn name_of(image: &Image) -> String {
    image.uri.clone().unwrap_or_else(|| format!("{:?}", image.name))
}

impl Texture {
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::LimitExceeded`].
    fn new(image: &Rgba8Image, context: &Context) -> Result<Self> {
        // All levels together are a third more than the first.
        context.take_memory(image.pixels().len() as u64 * 16 / 3, Place::whole)?;
        let first =
            Level { width: image.width() as i32, height: image.height() as i32, pixels: image.pixels().to_vec() };
        let mut levels = vec![first];
        while let Some(last) = levels.last().filter(|l| l.width > 1 || l.height > 1) {
            let next = last.half();
            levels.push(next);
        }
        Ok(Self { levels })
    }

    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The colour at coordinates, where one sample of the picture steps by `steps` along its columns and rows. White
    /// when the texture is empty.
    pub fn sample(&self, map: &Map, uv: Vec2, steps: [Vec2; 2], encoding: Encoding) -> Vec4 {
        let Some(first) = self.levels.first() else { return Vec4::ONE };
        let size = Vec2::new(first.width as f32, first.height as f32);
        let longest = steps.iter().map(|step| (map.turn(*step) * size).length_squared()).fold(0.0, f32::max);
        // Half of the exponent is the number of halvings after which a step is about one texel.
        let halvings = if longest > 1.0 { exponent(longest).div_ceil(2) } else { 0 };
        let level = &self.levels[halvings.min(self.levels.len() - 1)];
        let at = map.place(uv);
        if map.hard && longest < 1.0 { level.nearest(map, at, encoding) } else { level.bilinear(map, at, encoding) }
    }
}

/// The whole number below the logarithm to base 2 of a number that is at least 1.
fn exponent(value: f32) -> usize {
    ((value.to_bits() >> 23) & 0xff).saturating_sub(127) as usize
}

impl Level {
    /// Means of two by two pixels, each by its alpha, so that what cannot be seen does not shine through.
    fn half(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let at = |x: i32, y: i32| self.pixels[(y.min(self.height - 1) * self.width + x.min(self.width - 1)) as usize];
        let mut pixels = Vec::with_capacity((width * height) as usize);
        for y in 0..height {
            for x in 0..width {
                let four = [at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1), at(2 * x + 1, 2 * y + 1)];
                pixels.push(mean(&four));
            }
        }
        Self { width, height, pixels }
    }

    fn texel(&self, map: &Map, x: i32, y: i32, encoding: Encoding) -> Vec4 {
        let (x, y) = (wrap(x, self.width, map.wrap[0]), wrap(y, self.height, map.wrap[1]));
        let [r, g, b, a] = self.pixels[(y * self.width + x) as usize];
        match encoding {
            Encoding::Srgb => Vec4::new(to_light(r), to_light(g), to_light(b), f32::from(a) / 255.0),
            Encoding::Linear => Vec4::from_array([r, g, b, a].map(f32::from)) / 255.0,
        }
    }

    fn nearest(&self, map: &Map, uv: Vec2, encoding: Encoding) -> Vec4 {
        let (x, y) = (uv.x * self.width as f32, uv.y * self.height as f32);
        self.texel(map, floor(x), floor(y), encoding)
    }

    fn bilinear(&self, map: &Map, uv: Vec2, encoding: Encoding) -> Vec4 {
        let (x, y) = (uv.x * self.width as f32 - 0.5, uv.y * self.height as f32 - 0.5);
        let (left, top) = (floor(x), floor(y));
        let (share_x, share_y) = (x - left as f32, y - top as f32);
        let row = |y: i32| {
            let (a, b) = (self.texel(map, left, y, encoding), self.texel(map, left.saturating_add(1), y, encoding));
            a + (b - a) * share_x
        };
        let (upper, lower) = (row(top), row(top.saturating_add(1)));
        upper + (lower - upper) * share_y
    }
}

fn mean(four: &[[u8; 4]; 4]) -> [u8; 4] {
    let alpha: u32 = four.iter().map(|p| u32::from(p[3])).sum();
    let channel = |c: usize| -> u8 {
        if alpha == 0 {
            return ((four.iter().map(|p| u32::from(p[c])).sum::<u32>() + 2) / 4) as u8;
        }
        ((four.iter().map(|p| u32::from(p[c]) * u32::from(p[3])).sum::<u32>() + alpha / 2) / alpha) as u8
    };
    [channel(0), channel(1), channel(2), ((alpha + 2) / 4) as u8]
}

/// The whole number below, as one that fits. The library's is a call.
pub(crate) fn floor(value: f32) -> i32 {
    let near_zero = value as i32;
    if near_zero as f32 > value { near_zero.saturating_sub(1) } else { near_zero }
}

fn wrap(at: i32, size: i32, how: Wrap) -> i32 {
    match how {
        // Most sizes are powers of two.
        Wrap::Repeat if size & (size - 1) == 0 => at & (size - 1),
        Wrap::Repeat => at.rem_euclid(size),
        Wrap::ClampToEdge => at.clamp(0, size - 1),
        Wrap::MirroredRepeat => {
            let at = at.rem_euclid(size.saturating_mul(2));
            if at < size { at } else { 2 * size - 1 - at }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn map(wrap: [Wrap; 2]) -> Map {
        Map { texture: 0, uv_set: 0, u: Vec3::X, v: Vec3::Y, wrap, hard: false }
    }

    fn texture(width: u32, height: u32, pixels: &[[u8; 4]]) -> Texture {
        let image = Rgba8Image::new(width, height, pixels.as_flattened().to_vec()).expect("right size");
        Texture::new(&image, &Context::new()).expect("small")
    }

    #[test]
    fn what_lies_outside_follows_the_sampler() {
        let at = |how| [-3, -2, -1, 0, 1, 2, 3, 4].map(|x| wrap(x, 2, how));
        assert_eq!(at(Wrap::Repeat), [1, 0, 1, 0, 1, 0, 1, 0]);
        assert_eq!([-4, -1, 0, 5].map(|x| wrap(x, 3, Wrap::Repeat)), [2, 2, 0, 2]);
        assert_eq!([-1.5, -1.0, -0.1, 0.9, f32::NAN, -1e30].map(floor), [-2, -1, -1, 0, 0, i32::MIN]);
        assert_eq!(at(Wrap::MirroredRepeat), [1, 1, 0, 0, 1, 1, 0, 0]);
        assert_eq!(at(Wrap::ClampToEdge), [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(wrap(i32::MIN, 3, Wrap::MirroredRepeat), wrap(i32::MIN + 6, 3, Wrap::MirroredRepeat));
    }

    #[test]
    fn coordinates_meet_their_texels() {
        let texture = texture(2, 2, &[[0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 0]]);
        let sample =
            |x, y| texture.sample(&map([Wrap::ClampToEdge; 2]), Vec2::new(x, y), [Vec2::ZERO; 2], Encoding::Linear);
        assert_eq!(sample(0.75, 0.25), Vec4::new(1.0, 0.0, 0.0, 1.0));
        assert_eq!(sample(0.25, 0.75), Vec4::new(0.0, 1.0, 0.0, 1.0));
        assert_eq!(sample(0.5, 0.5), Vec4::new(0.25, 0.25, 0.25, 0.75));
        let wild = texture.sample(&map([Wrap::Repeat; 2]), Vec2::new(f32::NAN, 1e30), [Vec2::NAN; 2], Encoding::Srgb);
        assert!(wild.w.is_nan() || wild.w <= 1.0);
    }

    #[test]
    fn far_away_a_texture_is_its_mean() {
        let black_and_white: Vec<[u8; 4]> =
            (0..64).map(|i| [if (i + i / 8) % 2 == 0 { 255 } else { 0 }; 3]).map(|[c, ..]| [c, c, c, 255]).collect();
        let texture = texture(8, 8, &black_and_white);
        let steps = [Vec2::X, Vec2::Y];
        let far = texture.sample(&map([Wrap::Repeat; 2]), Vec2::splat(0.3), steps, Encoding::Linear);
        assert!((far.x - 0.5).abs() < 0.01, "{far}");
    }

    #[test]
    fn what_cannot_be_seen_does_not_darken_smaller_levels() {
        assert_eq!(mean(&[[200, 100, 0, 255], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]), [200, 100, 0, 64]);
        assert_eq!(mean(&[[0; 4]; 4]), [0; 4]);
    }
}
