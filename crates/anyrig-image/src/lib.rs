//! Images: tell what they are, decode them when pixels are needed, repack channels, write PNG, WebP and GIF.
//!
//! A conversion keeps encoded images as they are whenever it can; this crate is for the cases in which it cannot.
//!
//! - [`sniff`]: the [`Kind`] of encoded bytes, by content.
//! - [`decode_rgba8`]: PNG, JPEG, WebP, TGA and BMP into an [`Rgba8Image`], within the limits of the job.
//! - [`encode_png`], [`encode_webp`], [`encode_moving_webp`], [`encode_gif`]: the same pixels always give the same bytes.
//! - [`map_pixels`], [`resize`]: what repacking of channels needs.

mod decode;
mod encode;
mod moving;
mod pixels;
mod sniff;

pub use decode::decode_rgba8;
pub use encode::encode_png;
pub use moving::{encode_gif, encode_moving_webp, encode_webp};
pub use pixels::{Filter, Rgba8Image, map_pixels, resize};
pub use sniff::{Kind, sniff};
