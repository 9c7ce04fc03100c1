//! Pixels in memory: repacking of channels, resizing.

use anyrig_bytes::{Error, Place, Result};

/// Eight bits per channel, straight (not premultiplied) alpha, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Rgba8Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Rgba8Image {
    /// An image of `width * height` pixels, each R, G, B, A.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] when a side is 0 or the number of bytes is not `width * height * 4`.
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Result<Self> {
        let wanted = u64::from(width) * u64::from(height);
        if wanted == 0 || wanted.checked_mul(4) != Some(pixels.len() as u64) {
            let message = format!("{} bytes do not make {width} × {height} RGBA pixels", pixels.len());
            return Err(Error::usage(message));
        }
        Ok(Self { width, height, pixels })
    }

    /// Pixels in a row; at least 1.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows; at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The bytes, R, G, B, A per pixel, `width * height * 4` in all.
    pub fn as_bytes(&self) -> &[u8] {
        &self.pixels
    }

    /// The pixels, `width * height` in all.
    pub fn pixels(&self) -> &[[u8; 4]] {
        self.pixels.as_chunks::<4>().0
    }

    /// The pixels for writing.
    pub fn pixels_mut(&mut self) -> &mut [[u8; 4]] {
        self.pixels.as_chunks_mut::<4>().0
    }

    /// The bytes by value.
    pub fn into_bytes(self) -> Vec<u8> {
        self.pixels
    }

    /// True when any pixel's alpha is below 255.
    pub fn has_transparency(&self) -> bool {
        self.pixels().iter().any(|p| p[3] != 255)
    }
}

impl std::fmt::Debug for Rgba8Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rgba8Image({} × {})", self.width, self.height)
    }
}

/// How [`resize`] makes new pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The pixel whose area holds the new pixel's centre.
    Nearest,
    /// The four pixels around the new pixel's centre, weighted by distance. Each channel on its own, as maps of numbers
    /// (roughness, metallic, occlusion) need it.
    #[default]
    Bilinear,
}

/// Makes an image from one or more of the same size, pixel by pixel: `map` gets the pixels at one place, in the order
/// of `sources`.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when there is no source or the sizes differ; see [`resize`].
pub fn map_pixels<const N: usize>(
    sources: [&Rgba8Image; N],
    mut map: impl FnMut([[u8; 4]; N]) -> [u8; 4],
) -> Result<Rgba8Image> {
    let Some(first) = sources.first() else { return Err(Error::usage("no image to map pixels of")) };
    if sources.iter().any(|s| (s.width, s.height) != (first.width, first.height)) {
        return Err(Error::usage("images of different sizes cannot be mapped pixel by pixel; resize them first"));
    }
    let pixels = (0..first.pixels().len()).flat_map(|i| map(sources.map(|s| s.pixels()[i]))).collect();
    Ok(Rgba8Image { width: first.width, height: first.height, pixels })
}

/// The image at another size; a plain copy when the size is the same. Pixel centres lie at `(i + 0.5) / size`, pixels
/// beyond the edge repeat it. Integer arithmetic only, so the result is the same everywhere.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when a side is 0; [`anyrig_bytes::ErrorKind::LimitExceeded`] when the result
/// would have more than 2^28 pixels.
pub fn resize(image: &Rgba8Image, width: u32, height: u32, filter: Filter) -> Result<Rgba8Image> {
    const MAX_PIXELS: u64 = 1 << 28;
    let count = u64::from(width) * u64::from(height);
    if count == 0 {
        return Err(Error::usage("an image needs at least one pixel"));
    }
    if count > MAX_PIXELS {
        return Err(Error::limit(Place::whole(), format!("{width} × {height} pixels are more than 2^28")));
    }
    if (width, height) == (image.width, image.height) {
        return Ok(image.clone());
    }
    let columns: Vec<Tap> = (0..width).map(|i| tap(i, width, image.width, filter)).collect();
    let rows: Vec<Tap> = (0..height).map(|i| tap(i, height, image.height, filter)).collect();
    let mut pixels = Vec::with_capacity(count as usize * 4);
    for row in &rows {
        let (upper, lower) = (row_of(image, row.first), row_of(image, row.second));
        for column in &columns {
            pixels.extend_from_slice(&mix(upper, lower, column, row.share));
        }
    }
    Ok(Rgba8Image { width, height, pixels })
}

/// Two neighbours and how much of the second counts, in 1/65536.
struct Tap {
    first: usize,
    second: usize,
    share: u64,
}

const ONE: u64 = 1 << 16;

fn tap(index: u32, to: u32, from: u32, filter: Filter) -> Tap {
    let (index, to, from) = (u64::from(index), u64::from(to), u64::from(from));
    // Centre of the new pixel in units of old pixels: (2 i + 1) * from / (2 * to).
    let (numerator, denominator) = ((2 * index + 1) * from, 2 * to);
    if filter == Filter::Nearest {
        let first = (numerator / denominator).min(from - 1) as usize;
        return Tap { first, second: first, share: 0 };
    }
    // Half a pixel less: the distance from the first pixel's centre.
    let Some(numerator) = numerator.checked_sub(to) else { return Tap { first: 0, second: 0, share: 0 } };
    let first = (numerator / denominator).min(from - 1);
    let share = (numerator % denominator) * ONE / denominator;
    Tap { first: first as usize, second: (first + 1).min(from - 1) as usize, share }
}

fn row_of(image: &Rgba8Image, row: usize) -> &[[u8; 4]] {
    let width = image.width as usize;
    &image.pixels()[row * width..(row + 1) * width]
}

fn mix(upper: &[[u8; 4]], lower: &[[u8; 4]], column: &Tap, down: u64) -> [u8; 4] {
    let corners = [upper[column.first], upper[column.second], lower[column.first], lower[column.second]];
    std::array::from_fn(|channel| {
        let [a, b, c, d] = corners.map(|p| u64::from(p[channel]));
        let top = a * (ONE - column.share) + b * column.share;
        let bottom = c * (ONE - column.share) + d * column.share;
        let sum = top * (ONE - down) + bottom * down;
        ((sum + (1 << 31)) >> 32) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grey(width: u32, height: u32, values: &[u8]) -> Rgba8Image {
        Rgba8Image::new(width, height, values.iter().flat_map(|v| [*v; 4]).collect()).expect("right size")
    }

    fn reds(image: &Rgba8Image) -> Vec<u8> {
        image.pixels().iter().map(|p| p[0]).collect()
    }

    #[test]
    fn sizes_are_checked() {
        assert!(Rgba8Image::new(2, 1, vec![0; 8]).is_ok());
        assert!(Rgba8Image::new(2, 1, vec![0; 7]).is_err());
        assert!(Rgba8Image::new(0, 0, vec![]).is_err());
        assert!(Rgba8Image::new(u32::MAX, u32::MAX, vec![0; 4]).is_err());
    }

    #[test]
    fn channels_are_repacked() {
        // glTF: roughness in G, metallic in B; Urho3D: roughness in R, metallic in G.
        let source = Rgba8Image::new(1, 1, vec![1, 2, 3, 4]).expect("one pixel");
        let other = Rgba8Image::new(1, 1, vec![9, 8, 7, 6]).expect("one pixel");
        let packed = map_pixels([&source, &other], |[a, b]| [a[1], a[2], b[0], 255]).expect("same size");
        assert_eq!(packed.as_bytes(), [2, 3, 9, 255]);
        assert!(map_pixels([&source, &grey(2, 1, &[0, 0])], |[a, _]| a).is_err());
    }

    #[test]
    fn nearest_takes_the_pixel_under_the_centre() {
        let image = grey(2, 1, &[10, 20]);
        assert_eq!(reds(&resize(&image, 4, 1, Filter::Nearest).expect("valid")), [10, 10, 20, 20]);
        let image = grey(4, 1, &[1, 2, 3, 4]);
        // Centres at 1.0 and 3.0 old pixels: on the border, the later pixel.
        assert_eq!(reds(&resize(&image, 2, 1, Filter::Nearest).expect("valid")), [2, 4]);
    }

    #[test]
    fn bilinear_follows_the_distance_between_centres() {
        // New centres at 0.25, 0.75, 1.25, 1.75 of old pixels with centres 0.5 and 1.5.
        let image = grey(2, 1, &[0, 100]);
        assert_eq!(reds(&resize(&image, 4, 1, Filter::Bilinear).expect("valid")), [0, 25, 75, 100]);
        let image = grey(1, 2, &[0, 100]);
        assert_eq!(reds(&resize(&image, 1, 4, Filter::Bilinear).expect("valid")), [0, 25, 75, 100]);
    }

    #[test]
    fn impossible_sizes_are_errors() {
        let image = grey(1, 1, &[5]);
        assert!(resize(&image, 0, 4, Filter::Nearest).is_err());
        assert!(resize(&image, u32::MAX, u32::MAX, Filter::Nearest).is_err());
    }

    proptest! {
        #[test]
        fn a_flat_image_stays_flat(v in any::<u8>(), w in 1u32..9, h in 1u32..9, tw in 1u32..20, th in 1u32..20) {
            let image = grey(w, h, &vec![v; (w * h) as usize]);
            for filter in [Filter::Nearest, Filter::Bilinear] {
                let resized = resize(&image, tw, th, filter).expect("valid");
                prop_assert!(reds(&resized).iter().all(|r| *r == v));
            }
        }
    }
}
