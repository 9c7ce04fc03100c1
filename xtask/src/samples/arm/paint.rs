//! The arm's texture: a colour for each bone, rings every ten centimetres, and an arrow up the front.

use anyrig_bytes::Result;
use anyrig_image::{Rgba8Image, encode_png};

const WIDTH: u32 = 48;
const HEIGHT: u32 = 108;

type Rgb = [u8; 3];
const BASE: Rgb = [70, 76, 88];
const UPPER: Rgb = [232, 120, 36];
const LOWER: Rgb = [44, 142, 152];
const HAND: Rgb = [238, 198, 62];
const ARROW: Rgb = [250, 250, 246];

/// Column in the middle of the front, which is three quarters round from +X.
const FRONT: u32 = 36;

/// A row for each centimetre, the highest first.
pub fn texture() -> Result<Vec<u8>> {
    let pixel = |i: u32| {
        let [r, g, b] = color(i % WIDTH, HEIGHT - 1 - i / WIDTH);
        [r, g, b, 255]
    };
    let pixels = (0..WIDTH * HEIGHT).flat_map(pixel).collect();
    encode_png(&Rgba8Image::new(WIDTH, HEIGHT, pixels)?)
}

fn color(column: u32, height: u32) -> Rgb {
    let bone = match height {
        0..10 => BASE,
        10..50 => UPPER,
        50..80 => LOWER,
        _ => HAND,
    };
    let aside = column.abs_diff(FRONT);
    // A shaft, and a head on each bone.
    let head = match height {
        34..44 => 44 - height,
        66..76 => 76 - height,
        _ => 0,
    };
    let is_arrow = (12..76).contains(&height) && aside <= (head / 2).max(1);
    match () {
        () if is_arrow => ARROW,
        () if height > 10 && height.is_multiple_of(10) => bone.map(|v| v / 2),
        () => bone,
    }
}
