//! WebP and GIF out, still and moving.

use crate::Rgba8Image;
use crate::encode::stored;
use anyrig_bytes::{Error, Place, Result};
use image::codecs::gif::{GifEncoder, Repeat};
use image::codecs::webp::WebPEncoder;
use image::{Delay, Frame, ImageEncoder, RgbaImage};

/// How thoroughly GIF palettes are sought: 1 is best, 30 fastest.
const GIF_SPEED: i32 = 10;

/// The longest side of a WebP, 14 bits (WebP lossless specification, section 3).
const WEBP_LONGEST: u32 = 16_384;

/// Encodes as a WebP without loss.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when a side is longer than 16 384 pixels.
pub fn encode_webp(image: &Rgba8Image) -> Result<Vec<u8>> {
    if image.width().max(image.height()) > WEBP_LONGEST {
        let message =
            format!("{} × {} pixels; a WebP has sides of at most {WEBP_LONGEST}", image.width(), image.height());
        return Err(Error::limit(Place::whole(), message));
    }
    let mut bytes = Vec::new();
    let (pixels, color) = stored(image);
    WebPEncoder::new_lossless(&mut bytes)
        .write_image(&pixels, image.width(), image.height(), color)
        .map_err(|e| refused("WebP", &e))?;
    Ok(bytes)
}

/// Encodes pictures of one size as a WebP without loss that moves for ever, each picture shown as long.
///
/// The container is written as the WebP specification has it ("Extended File Format", "Animation").
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for no pictures or different sizes; those of [`encode_webp`].
pub fn encode_moving_webp(frames: &[Rgba8Image], frame_ms: u32) -> Result<Vec<u8>> {
    let (width, height) = common_size(frames)?;
    let has_alpha = frames.iter().any(Rgba8Image::has_transparency);
    let mut body = b"WEBP".to_vec();
    let mut extended = vec![0x02 | if has_alpha { 0x10 } else { 0 }, 0, 0, 0];
    extended.extend(three_bytes(width - 1));
    extended.extend(three_bytes(height - 1));
    chunk(&mut body, b"VP8X", &extended);
    // The backdrop, which viewers do not use, and how often: for ever.
    chunk(&mut body, b"ANIM", &[0; 6]);
    for frame in frames {
        let still = encode_webp(frame)?;
        let mut data = vec![0; 6];
        data.extend(three_bytes(width - 1));
        data.extend(three_bytes(height - 1));
        data.extend(three_bytes(frame_ms.min(0xff_ffff)));
        // Replace what was there, keep it until then.
        data.push(0x02);
        // The still file is "RIFF", its size, "WEBP" and the one chunk of the picture.
        data.extend(&still[12..]);
        chunk(&mut body, b"ANMF", &data);
    }
    let size = u32::try_from(body.len()).map_err(|_| Error::limit(Place::whole(), "the WebP would pass 4 GB"))?;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend(size.to_le_bytes());
    bytes.extend(body);
    Ok(bytes)
}

fn chunk(bytes: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    bytes.extend(name);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    if !data.len().is_multiple_of(2) {
        bytes.push(0);
    }
}

fn three_bytes(value: u32) -> [u8; 3] {
    let [a, b, c, _] = value.to_le_bytes();
    [a, b, c]
}

/// Encodes pictures of one size as a GIF that moves for ever, each shown as long (GIF counts in hundredths of a second).
/// Each has a palette of its own; a pixel is seen through or not.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for no pictures or different sizes; [`anyrig_bytes::ErrorKind::LimitExceeded`] when
/// a side is longer than 65 535 pixels.
pub fn encode_gif(frames: &[Rgba8Image], frame_ms: u32) -> Result<Vec<u8>> {
    common_size(frames)?;
    let mut bytes = Vec::new();
    {
        let mut encoder = GifEncoder::new_with_speed(&mut bytes, GIF_SPEED);
        encoder.set_repeat(Repeat::Infinite).map_err(|e| refused("GIF", &e))?;
        for frame in frames {
            let pixels = RgbaImage::from_raw(frame.width(), frame.height(), frame.as_bytes().to_vec());
            let pixels = pixels.ok_or_else(|| Error::usage("a picture lacks pixels"))?;
            let delay = Delay::from_numer_denom_ms(frame_ms, 1);
            let encoded = encoder.encode_frame(Frame::from_parts(pixels, 0, 0, delay));
            encoded.map_err(|e| refused("GIF", &e))?;
        }
    }
    Ok(bytes)
}

fn common_size(frames: &[Rgba8Image]) -> Result<(u32, u32)> {
    let size = |image: &Rgba8Image| (image.width(), image.height());
    let first = frames.first().map(size).ok_or_else(|| Error::usage("there is no picture to encode"))?;
    if frames.iter().any(|frame| size(frame) != first) {
        return Err(Error::usage("pictures of different sizes do not make one that moves"));
    }
    Ok(first)
}

fn refused(what: &str, error: &image::ImageError) -> Error {
    Error::limit(Place::whole(), format!("the {what} encoder refuses this image: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_rgba8;
    use anyrig_bytes::{Context, ErrorKind};
    use image::AnimationDecoder;
    use std::io::Cursor;

    fn picture(width: u32, height: u32, color: [u8; 4]) -> Rgba8Image {
        Rgba8Image::new(width, height, color.repeat((width * height) as usize)).expect("right size")
    }

    #[test]
    fn a_still_webp_keeps_every_pixel() {
        for alpha in [255, 100] {
            let mut image = picture(5, 3, [200, 30, 7, 255]);
            image.pixels_mut()[4] = [1, 2, 3, alpha];
            let bytes = encode_webp(&image).expect("encodable");
            assert_eq!(decode_rgba8(&bytes, &Context::new()), Ok(image));
        }
    }

    #[test]
    fn a_moving_webp_is_read_by_the_decoder() {
        let frames = [picture(7, 4, [255, 0, 0, 255]), picture(7, 4, [0, 0, 255, 128])];
        let bytes = encode_moving_webp(&frames, 80).expect("encodable");
        let decoder = image::codecs::webp::WebPDecoder::new(Cursor::new(&bytes)).expect("a WebP");
        let read = decoder.into_frames().collect_frames().expect("two frames");
        assert_eq!(read.len(), 2);
        for (frame, expected) in read.iter().zip(&frames) {
            assert_eq!(frame.delay().numer_denom_ms(), (80, 1));
            assert_eq!(frame.buffer().as_raw(), expected.as_bytes());
        }
    }

    #[test]
    fn a_gif_is_read_by_the_decoder() {
        let frames = [picture(6, 6, [255, 0, 0, 255]), picture(6, 6, [0, 255, 0, 255])];
        let bytes = encode_gif(&frames, 80).expect("encodable");
        assert_eq!(encode_gif(&frames, 80), Ok(bytes.clone()));
        let decoder = image::codecs::gif::GifDecoder::new(Cursor::new(&bytes)).expect("a GIF");
        let read = decoder.into_frames().collect_frames().expect("two frames");
        let firsts: Vec<[u8; 4]> = read.iter().map(|f| f.buffer().get_pixel(0, 0).0).collect();
        assert_eq!(firsts, [[255, 0, 0, 255], [0, 255, 0, 255]]);
        assert_eq!(read[0].delay().numer_denom_ms(), (80, 1));
    }

    #[test]
    fn pictures_that_do_not_fit_together_are_refused() {
        let frames = [picture(2, 2, [0; 4]), picture(2, 3, [0; 4])];
        for result in [encode_gif(&frames, 80), encode_moving_webp(&frames, 80), encode_gif(&[], 80)] {
            assert_eq!(result.map_err(|e| e.kind()), Err(ErrorKind::Usage));
        }
        let long = encode_webp(&picture(16_385, 1, [0; 4]));
        assert_eq!(long.map_err(|e| e.kind()), Err(ErrorKind::LimitExceeded));
    }
}
