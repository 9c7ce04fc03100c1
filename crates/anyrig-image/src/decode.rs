//! Encoded bytes into pixels, within limits.

use crate::{Kind, Rgba8Image, sniff};
use anyrig_bytes::{Context, Error, Place, Result};
use image::{ImageDecoder, ImageError, ImageFormat, ImageReader};
use std::io::Cursor;

/// Decodes a PNG, JPEG, WebP, TGA or BMP; the first frame of an animated one. 16-bit channels are rounded to 8 bits, grey and
/// palette become RGB, missing alpha is 255. Colour profiles and gamma are not applied; EXIF orientation neither, since
/// texture coordinates refer to the pixels as stored.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Unsupported`] for other kinds (the message names the kind),
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the image has more pixels or needs more memory than the context's
/// limits allow, [`anyrig_bytes::ErrorKind::Malformed`] when the bytes contradict their format.
pub fn decode_rgba8(bytes: &[u8], context: &Context) -> Result<Rgba8Image> {
    let format = match sniff(bytes) {
        Some(Kind::Png) => ImageFormat::Png,
        Some(Kind::Jpeg) => ImageFormat::Jpeg,
        Some(Kind::WebP) => ImageFormat::WebP,
        Some(Kind::Tga) => ImageFormat::Tga,
        Some(Kind::Bmp) => ImageFormat::Bmp,
        Some(other) => {
            let message = format!("{} images cannot be decoded; convert it to PNG first", other.extension());
            return Err(Error::unsupported(Place::whole(), message));
        }
        None => return Err(Error::unsupported(Place::whole(), "this is no image of a known kind")),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(context.limits().memory_bytes);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(error)?;
    let (width, height) = decoder.dimensions();
    let count = u64::from(width) * u64::from(height);
    if count > context.limits().pixels {
        let message = format!("{width} × {height} pixels are more than the limit of {}", context.limits().pixels);
        return Err(Error::limit(Place::whole(), message));
    }
    // What the decoder makes, and the RGBA pixels made from it.
    let memory = decoder.total_bytes().saturating_add(count.saturating_mul(4));
    context.take_memory(memory, Place::whole)?;
    let decoded = image::DynamicImage::from_decoder(decoder).map_err(error)?;
    Rgba8Image::new(width, height, decoded.into_rgba8().into_raw())
}

fn error(error: ImageError) -> Error {
    let message = format!("the image cannot be decoded: {error}");
    match error {
        ImageError::Limits(_) => Error::limit(Place::whole(), message),
        ImageError::Unsupported(_) => Error::unsupported(Place::whole(), message),
        _ => Error::malformed(Place::whole(), message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_png;
    use anyrig_bytes::{ErrorKind, Limits};
    use image::{DynamicImage, ExtendedColorType, ImageEncoder};
    use proptest::prelude::*;

    fn png(width: u32, height: u32, samples: &[u8], color: ExtendedColorType) -> Vec<u8> {
        let mut bytes = Vec::new();
        image::codecs::png::PngEncoder::new(&mut bytes).write_image(samples, width, height, color).expect("encodable");
        bytes
    }

    #[test]
    fn sixteen_bits_and_grey_become_eight_bit_rgba() {
        let samples: Vec<u8> = [0u16, 0x80ff, 0xffff].iter().flat_map(|v| v.to_ne_bytes()).collect();
        let image = decode_rgba8(&png(3, 1, &samples, ExtendedColorType::L16), &Context::new()).expect("decodable");
        // v / 257, rounded: 0x80ff / 257 = 128.49.
        assert_eq!(image.pixels(), [[0, 0, 0, 255], [128, 128, 128, 255], [255; 4]]);
    }

    #[test]
    fn jpeg_and_webp_decode() {
        let source = DynamicImage::ImageRgb8(image::RgbImage::from_pixel(8, 4, image::Rgb([200, 100, 50])));
        for format in [ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut bytes = Cursor::new(Vec::new());
            source.write_to(&mut bytes, format).expect("encodable");
            let image = decode_rgba8(bytes.get_ref(), &Context::new()).expect("decodable");
            assert_eq!((image.width(), image.height()), (8, 4));
            let near = |p: &[u8; 4]| p[0].abs_diff(200) < 6 && p[1].abs_diff(100) < 6 && p[2].abs_diff(50) < 6;
            assert!(image.pixels().iter().all(near), "{format:?}");
        }
    }

    #[test]
    fn tga_and_bmp_decode_to_the_last_bit() {
        let source = DynamicImage::ImageRgba8(image::RgbaImage::from_fn(5, 3, |x, y| {
            image::Rgba([x as u8 * 50, y as u8 * 90, 7, if x == 2 { 100 } else { 255 }])
        }));
        for format in [ImageFormat::Tga, ImageFormat::Bmp] {
            let mut bytes = Cursor::new(Vec::new());
            source.write_to(&mut bytes, format).expect("encodable");
            let image = decode_rgba8(bytes.get_ref(), &Context::new()).expect("decodable");
            assert_eq!(image.as_bytes(), source.as_bytes(), "{format:?}");
        }
        // Blue, green, red; the lowest row comes first (Truevision TGA specification 2.0).
        let rows = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0, 1, 2, 3, 4, 5, 6];
        let image = decode_rgba8(&rows, &Context::new()).expect("decodable");
        assert_eq!(image.pixels(), [[6, 5, 4, 255], [3, 2, 1, 255]]);
    }

    #[test]
    fn limits_hold_before_anything_is_decoded() {
        let image = Rgba8Image::new(16, 16, vec![7; 1024]).expect("right size");
        let bytes = encode_png(&image).expect("encodable");
        let kind = |limits: Limits| {
            decode_rgba8(&bytes, &Context::new().with_limits(limits)).map_err(|e| e.kind()).map(|_| ())
        };
        let mut limits = Limits::default();
        assert_eq!(kind(limits.clone()), Ok(()));
        limits.pixels = 255;
        assert_eq!(kind(limits), Err(ErrorKind::LimitExceeded));
        let mut limits = Limits::default();
        limits.memory_bytes = 1023;
        assert_eq!(kind(limits), Err(ErrorKind::LimitExceeded));
    }

    #[test]
    fn other_kinds_are_named() {
        let error = decode_rgba8(b"\xabKTX 20\xbb\r\n\x1a\n", &Context::new()).expect_err("no decoder");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("ktx2"));
        assert_eq!(decode_rgba8(b"", &Context::new()).map_err(|e| e.kind()), Err(ErrorKind::Unsupported));
    }

    #[test]
    fn every_prefix_is_an_error_or_an_image() {
        let source = DynamicImage::ImageRgba8(image::RgbaImage::from_fn(9, 5, |x, y| {
            image::Rgba([x as u8 * 20, y as u8 * 40, 7, 200])
        }));
        for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Tga, ImageFormat::Bmp] {
            let mut bytes = Cursor::new(Vec::new());
            source.write_to(&mut bytes, format).expect("encodable");
            let bytes = bytes.into_inner();
            for end in 0..bytes.len() {
                let _ = decode_rgba8(&bytes[..end], &Context::new());
            }
            assert!(decode_rgba8(&bytes[..bytes.len() / 2], &Context::new()).is_err(), "{format:?}");
        }
    }

    proptest! {
        #[test]
        fn mutated_files_never_panic(at in 0usize..200, value in any::<u8>(), which in 0usize..5) {
            let source = DynamicImage::ImageRgb8(image::RgbImage::from_fn(6, 6, |x, y| image::Rgb([x as u8, y as u8, 3])));
            let mut bytes = Cursor::new(Vec::new());
            let formats = [
                ImageFormat::Png,
                ImageFormat::Jpeg,
                ImageFormat::WebP,
                ImageFormat::Tga,
                ImageFormat::Bmp,
            ];
            source.write_to(&mut bytes, formats[which]).expect("encodable");
            let mut bytes = bytes.into_inner();
            let at = at % bytes.len();
            bytes[at] = value;
            let mut limits = Limits::default();
            limits.memory_bytes = 64 << 20;
            let _ = decode_rgba8(&bytes, &Context::new().with_limits(limits));
        }
    }
}
