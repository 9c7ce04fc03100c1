//! Specular-glossiness textures, pixel by pixel.

use super::surface::metallic;
use anyrig_bytes::maths::srgb_to_linear;
use anyrig_bytes::{Context, Error, Place, Result};
use anyrig_image::{Filter, Rgba8Image, resize};

/// Factors of a surface; each multiplies its texture.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    /// Linear RGB and alpha.
    pub(super) diffuse: [f64; 4],
    /// Linear RGB.
    pub(super) specular: [f64; 3],
    pub(super) glossiness: f64,
}

/// A metallic-roughness surface of one or of many values.
pub(super) enum Converted {
    /// The same everywhere.
    Flat { base_color: [f64; 4], metallic: f64, roughness: f64 },
    /// Base colour (sRGB, alpha without its factor), and roughness in G with metallic in B.
    Maps { base_color: Rgba8Image, metallic_roughness: Rgba8Image },
}

/// One pixel of both textures: diffuse RGBA, then specular RGB and glossiness.
type Pair = [[u8; 4]; 2];

const WHITE: [u8; 4] = [255; 4];

/// Converts the textures of a surface; one that is missing is white.
pub(super) fn convert(
    factors: &Factors,
    diffuse: Option<&Rgba8Image>,
    specular: Option<&Rgba8Image>,
    context: &Context,
) -> Result<Converted> {
    let gamma = Gamma::new();
    let both = [diffuse, specular];
    let firsts = both.map(|i| i.and_then(|i| i.pixels().first().copied()).unwrap_or(WHITE));
    let is_flat = |(image, first): (&Option<&Rgba8Image>, &[u8; 4])| {
        image.is_none_or(|image| image.pixels().iter().all(|pixel| pixel == first))
    };
    if both.iter().zip(&firsts).all(is_flat) {
        return Ok(factors.flat(firsts, &gamma));
    }
    let side = |of: fn(&Rgba8Image) -> u32| both.iter().flatten().map(|i| of(i)).max().unwrap_or(1);
    let (width, height) = (side(Rgba8Image::width), side(Rgba8Image::height));
    let count = u64::from(width) * u64::from(height);
    if count > context.limits().pixels {
        return Err(Error::limit(Place::whole(), format!("{width} × {height} pixels are more than the limit")));
    }
    // Both textures in one size, and both results.
    context.take_memory(count.saturating_mul(24), Place::whole)?;
    let scaled = |image: Option<&Rgba8Image>| image.map(|i| resize(i, width, height, Filter::Bilinear)).transpose();
    let (diffuse, specular) = (scaled(diffuse)?, scaled(specular)?);
    let pixel = |image: &Option<Rgba8Image>, at: usize| image.as_ref().map_or(WHITE, |i| i.pixels()[at]);
    let (mut base_colors, mut others) = (Vec::new(), Vec::new());
    // Neighbours are often equal.
    let mut last: Option<(Pair, Pair)> = None;
    for row in 0..height as usize {
        context.check_cancelled()?;
        for at in row * width as usize..(row + 1) * width as usize {
            let pair = [pixel(&diffuse, at), pixel(&specular, at)];
            let made = match last {
                Some((known, made)) if known == pair => made,
                _ => factors.pixel(pair, &gamma),
            };
            last = Some((pair, made));
            base_colors.extend(made[0]);
            others.extend(made[1]);
        }
    }
    let base_color = Rgba8Image::new(width, height, base_colors)?;
    Ok(Converted::Maps { base_color, metallic_roughness: Rgba8Image::new(width, height, others)? })
}

/// Linear specular colour and glossiness of a texture on the whole.
pub(super) fn mean(image: &Rgba8Image) -> ([f64; 3], f64) {
    let gamma = Gamma::new();
    let mut counts = [[0u64; 256]; 4];
    for pixel in image.pixels() {
        for (count, value) in counts.iter_mut().zip(pixel) {
            count[usize::from(*value)] += 1;
        }
    }
    let pixels = image.pixels().len().max(1) as f64;
    let mean = |channel: &[u64; 256], value: &dyn Fn(usize) -> f64| {
        channel.iter().enumerate().map(|(v, n)| value(v) * *n as f64).sum::<f64>() / pixels
    };
    let [r, g, b, a] = &counts;
    ([r, g, b].map(|channel| mean(channel, &|v| gamma.linear[v])), mean(a, &|v| v as f64 / 255.0))
}

impl Factors {
    fn flat(&self, pair: Pair, gamma: &Gamma) -> Converted {
        let (base_color, metallic, roughness) = self.surface(pair, gamma);
        let [r, g, b] = base_color;
        let alpha = self.diffuse[3] * f64::from(pair[0][3]) / 255.0;
        Converted::Flat { base_color: [r, g, b, alpha], metallic, roughness }
    }

    fn pixel(&self, pair: Pair, gamma: &Gamma) -> Pair {
        let (base_color, metallic, roughness) = self.surface(pair, gamma);
        let [r, g, b] = base_color.map(|c| gamma.encode(c));
        let whole = |v: f64| (v * 255.0).round() as u8;
        [[r, g, b, pair[0][3]], [255, whole(roughness), whole(metallic), 255]]
    }

    /// Base colour, metallic and roughness.
    fn surface(&self, [diffuse, specular]: Pair, gamma: &Gamma) -> ([f64; 3], f64, f64) {
        let color = |factor: &[f64], pixel: [u8; 4]| [0, 1, 2].map(|i| factor[i] * gamma.linear[usize::from(pixel[i])]);
        let surface = metallic(color(&self.diffuse, diffuse), color(&self.specular, specular));
        let roughness = 1.0 - self.glossiness * f64::from(specular[3]) / 255.0;
        (surface.base_color, surface.metallic, roughness)
    }
}

/// Between sRGB (IEC 61966-2-1) of eight bits and linear light.
struct Gamma {
    linear: [f64; 256],
}

impl Gamma {
    fn new() -> Self {
        Self { linear: std::array::from_fn(|v| srgb_to_linear(v as f64 / 255.0)) }
    }

    /// The value whose linear light lies within half a step of sRGB.
    fn encode(&self, light: f64) -> u8 {
        let above = self.linear.partition_point(|l| *l <= light).clamp(1, 255);
        let middle = srgb_to_linear((above as f64 - 0.5) / 255.0);
        (if light < middle { above - 1 } else { above }) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_goes_both_ways() {
        let gamma = Gamma::new();
        for value in 0..=255u8 {
            assert_eq!(gamma.encode(gamma.linear[usize::from(value)]), value);
        }
        // Half of the light is 188 (IEC 61966-2-1).
        assert_eq!((gamma.encode(0.5), gamma.encode(0.0), gamma.encode(1.0)), (188, 0, 255));
    }
}
