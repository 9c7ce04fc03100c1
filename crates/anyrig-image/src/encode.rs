//! PNG out.

use crate::Rgba8Image;
use anyrig_bytes::{Error, Place, Result};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use std::borrow::Cow;

/// Encodes as an 8-bit PNG: RGB when every pixel is opaque, else RGBA. No metadata, fixed compression settings, so the
/// same pixels give the same bytes.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the encoder refuses the size.
pub fn encode_png(image: &Rgba8Image) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    let (pixels, color) = stored(image);
    encoder
        .write_image(&pixels, image.width(), image.height(), color)
        .map_err(|e| Error::limit(Place::whole(), format!("the PNG encoder refuses this image: {e}")))?;
    Ok(bytes)
}

/// The bytes that a file holds: RGB when every pixel is opaque, else RGBA.
pub(crate) fn stored(image: &Rgba8Image) -> (Cow<'_, [u8]>, ExtendedColorType) {
    if image.has_transparency() {
        return (image.as_bytes().into(), ExtendedColorType::Rgba8);
    }
    let opaque: Vec<u8> = image.pixels().iter().flat_map(|p| [p[0], p[1], p[2]]).collect();
    (opaque.into(), ExtendedColorType::Rgb8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_rgba8;
    use anyrig_bytes::Context;
    use proptest::prelude::*;

    #[test]
    fn opaque_pixels_are_stored_as_rgb() {
        let color_type = |alpha| {
            let image = Rgba8Image::new(1, 1, vec![1, 2, 3, alpha]).expect("one pixel");
            // Byte 25 is the colour type in IHDR (PNG specification 11.2.1): 2 truecolour, 6 with alpha.
            encode_png(&image).expect("encodable")[25]
        };
        assert_eq!((color_type(255), color_type(254)), (2, 6));
    }

    proptest! {
        #[test]
        fn pixels_survive_and_bytes_repeat(w in 1u32..12, h in 1u32..12, seed in any::<u64>(), opaque in any::<bool>()) {
            let mut state = seed | 1;
            let mut next = || { state = state.wrapping_mul(6364136223846793005).wrapping_add(1); (state >> 56) as u8 };
            let mut pixels: Vec<u8> = (0..w * h * 4).map(|_| next()).collect();
            if opaque {
                pixels.iter_mut().skip(3).step_by(4).for_each(|a| *a = 255);
            }
            let image = Rgba8Image::new(w, h, pixels).expect("right size");
            let bytes = encode_png(&image).expect("encodable");
            prop_assert_eq!(&encode_png(&image).expect("encodable"), &bytes);
            prop_assert_eq!(decode_rgba8(&bytes, &Context::new()).expect("decodable"), image);
        }
    }
}
