//! The textures, painted by rule: base colour, normals, metallic and roughness of the body, and the visor.

use super::charts;
use super::grid::Chart;
use anyrig_bytes::maths::f64::sin;
use anyrig_bytes::{Result, SharedBytes};
use anyrig_image::{Rgba8Image, encode_png};

/// Width and height of the body's textures.
const SIZE: usize = 128;
const VISOR_SIZE: usize = 32;

type Rgb = [u8; 3];
const SUIT: Rgb = [52, 96, 140];
const SUIT_DARK: Rgb = [34, 62, 96];
const BELT: Rgb = [206, 190, 160];
const SKIN: Rgb = [226, 180, 148];
const HAIR: Rgb = [74, 50, 38];
const GLOVE: Rgb = [236, 236, 230];
const BOOT: Rgb = [120, 70, 40];
const MARK: Rgb = [255, 132, 16];
const MARK_RIM: Rgb = [120, 24, 24];
const EYE: Rgb = [28, 30, 36];
const MOUTH: Rgb = [150, 50, 52];
const STEEL: Rgb = [190, 194, 200];

/// What a place of the atlas is made of.
#[derive(Clone, Copy)]
struct Surface {
    color: Rgb,
    /// In pixels, for the normal map.
    height: f64,
    roughness: u8,
    metallic: u8,
}

const fn cloth(color: Rgb) -> Surface {
    Surface { color, height: 1.0, roughness: 200, metallic: 0 }
}

const fn smooth(color: Rgb, roughness: u8, metallic: u8) -> Surface {
    Surface { color, height: 1.0, roughness, metallic }
}

/// A seam: darker and deeper than the cloth around it.
const SEAM: Surface = Surface { color: SUIT_DARK, height: 0.0, roughness: 230, metallic: 0 };

/// The textures as PNG.
pub struct Textures {
    /// sRGB.
    pub base_color: SharedBytes,
    /// Tangent space, +Y up.
    pub normal: SharedBytes,
    /// Roughness in G, metallic in B.
    pub metallic_roughness: SharedBytes,
    /// sRGB with alpha.
    pub visor: SharedBytes,
}

/// Paints all textures.
pub fn textures() -> Result<Textures> {
    let atlas: Vec<Surface> = (0..SIZE * SIZE).map(|i| surface(i % SIZE, i / SIZE)).collect();
    let height = |x: usize, y: usize| atlas[y.min(SIZE - 1) * SIZE + x.min(SIZE - 1)].height;
    let map = |pixel: &dyn Fn(usize, &Surface) -> Rgb| -> Result<SharedBytes> {
        let pixels = atlas.iter().enumerate().flat_map(|(i, s)| opaque(pixel(i, s))).collect();
        png(SIZE, pixels)
    };
    Ok(Textures {
        base_color: map(&|_, s| s.color)?,
        normal: map(&|i, _| {
            let (x, y) = (i % SIZE, i / SIZE);
            let right = height(x + 1, y) - height(x.saturating_sub(1), y);
            // Rows grow downwards, the normal's Y upwards.
            let up = height(x, y.saturating_sub(1)) - height(x, y + 1);
            normal(-0.5 * right, -0.5 * up)
        })?,
        metallic_roughness: map(&|_, s| [255, s.roughness, s.metallic])?,
        visor: visor()?,
    })
}

fn surface(x: usize, y: usize) -> Surface {
    type Painter = fn(f64, f64) -> Surface;
    let cells: [(Chart, Painter); 14] = [
        (charts::TORSO, torso),
        (charts::HEAD, head),
        (charts::ARMS[0], arm),
        (charts::ARMS[1], arm),
        (charts::LEGS[0], leg),
        (charts::LEGS[1], leg),
        (charts::HANDS[0], |_, _| cloth(GLOVE)),
        (charts::HANDS[1], |_, _| cloth(GLOVE)),
        (charts::FEET[0], foot),
        (charts::FEET[1], foot),
        (charts::MARK, mark),
        (charts::EYE, |_, _| smooth(EYE, 40, 0)),
        (charts::MOUTH, |_, _| smooth(MOUTH, 120, 0)),
        (charts::BATON, |_, v| if v > 0.55 { smooth(MARK, 90, 0) } else { smooth(STEEL, 70, 255) }),
    ];
    let (u, v) = ((x as f64 + 0.5) / SIZE as f64, (y as f64 + 0.5) / SIZE as f64);
    // Cells include their margins, so that filtering finds their own colour there.
    const MARGIN: f64 = 1.0 / 128.0;
    for (chart, paint) in cells {
        let inside = |i: usize, value: f64| value >= chart.min[i] - MARGIN && value < chart.max[i] + MARGIN;
        if inside(0, u) && inside(1, v) {
            let right = (u - chart.min[0]) / (chart.max[0] - chart.min[0]);
            let up = (chart.max[1] - v) / (chart.max[1] - chart.min[1]);
            return paint(right.clamp(0.0, 1.0), up.clamp(0.0, 1.0));
        }
    }
    smooth(SKIN, 150, 0)
}

/// Around: 0 is the back, 0.5 the front, 0.75 the left side.
fn torso(around: f64, up: f64) -> Surface {
    let near = |value: f64, place: f64, half: f64| (value - place).abs() < half;
    if near(up, 0.36, 0.035) {
        let buckle = near(around, 0.5, 0.045);
        return if buckle { smooth(STEEL, 60, 255) } else { cloth(BELT) };
    }
    // The zip in front, yoke seams, and a pocket on the left of the chest only.
    let zip = near(around, 0.5, 0.008) && up > 0.36;
    let yoke = near(up, 0.72, 0.012);
    let pocket = near(around, 0.62, 0.055) && near(up, 0.64, 0.05);
    let rim = pocket && !(near(around, 0.62, 0.043) && near(up, 0.64, 0.036));
    match () {
        () if rim || zip || yoke => SEAM,
        () if pocket => cloth(MARK),
        () => cloth(if up < 0.36 { SUIT_DARK } else { SUIT }),
    }
}

fn head(around: f64, up: f64) -> Surface {
    // Hair: the top, and further down towards the back.
    let front = 1.0 - (around - 0.5).abs() * 2.0;
    let line = 0.30 + 0.42 * super::bind::smooth(0.45, 0.75, front);
    if up > line {
        let strand = sin(around * 150.0);
        return Surface { color: HAIR, height: 1.0 + 0.3 * strand, roughness: 140, metallic: 0 };
    }
    smooth(SKIN, 150, 0)
}

fn arm(_around: f64, along: f64) -> Surface {
    let cuff = along > 0.86;
    let elbow = (along - 0.52).abs() < 0.02;
    if elbow { SEAM } else { cloth(if cuff { BELT } else { SUIT }) }
}

fn leg(_around: f64, along: f64) -> Surface {
    // Tubes of legs run downwards.
    if (along - 0.49).abs() < 0.02 {
        return SEAM;
    }
    if along > 0.74 { smooth(BOOT, 110, 0) } else { cloth(SUIT_DARK) }
}

fn foot(around: f64, _along: f64) -> Surface {
    // The seam of the chart is the sole.
    let sole = !(0.14..=0.86).contains(&around);
    smooth(if sole { EYE } else { BOOT }, 110, 0)
}

fn mark(right: f64, up: f64) -> Surface {
    // The lower strip is what the arrow's walls wear.
    if up < 0.12 {
        return smooth(MARK_RIM, 120, 0);
    }
    let stripe = (right * 8.0).floor() as i64 % 4 == 3;
    smooth(if stripe { [255, 214, 64] } else { MARK }, 90, 0)
}

fn normal(x: f64, y: f64) -> Rgb {
    let length = (x * x + y * y + 1.0).sqrt();
    [x, y, 1.0].map(|c| ((c / length) * 127.0 + 128.0).round() as u8)
}

fn visor() -> Result<SharedBytes> {
    let mut pixels = Vec::new();
    for y in 0..VISOR_SIZE {
        for x in 0..VISOR_SIZE {
            let border = [x, y].into_iter().any(|c| !(3..VISOR_SIZE - 3).contains(&c));
            let shine = (x + y) % 24 < 3;
            pixels.extend(match (border, shine) {
                (true, _) => [24, 28, 36, 255],
                (_, true) => [235, 250, 255, 150],
                _ => [70, 200, 230, 70],
            });
        }
    }
    png(VISOR_SIZE, pixels)
}

fn opaque([r, g, b]: Rgb) -> [u8; 4] {
    [r, g, b, 255]
}

fn png(size: usize, pixels: Vec<u8>) -> Result<SharedBytes> {
    let image = Rgba8Image::new(size as u32, size as u32, pixels)?;
    Ok(encode_png(&image)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_have_the_colours_of_their_pieces() {
        let at = |chart: Chart, right: f64, up: f64| {
            let uv = chart.at(right, up);
            surface((uv.x * SIZE as f64) as usize, (uv.y * SIZE as f64) as usize).color
        };
        assert_eq!(at(charts::HEAD, 0.5, 0.4), SKIN);
        assert_eq!(at(charts::HEAD, 0.02, 0.5), HAIR);
        assert_eq!(at(charts::TORSO, 0.62, 0.64), MARK);
        assert_eq!(at(charts::TORSO, 0.38, 0.64), SUIT);
        assert_eq!(at(charts::NECK, 0.5, 0.5), SKIN);
        assert_eq!(at(charts::MARK, 0.5, 0.02), MARK_RIM);
    }

    #[test]
    fn flat_is_128_128_255_and_a_ridge_leans() {
        assert_eq!(normal(0.0, 0.0), [128, 128, 255]);
        let leaning = normal(-1.0, 0.0);
        assert!(leaning[0] < 64 && leaning[1] == 128);
    }
}
