//! Colours: between sRGB codes and light, and from light to what a screen shows.

use anyrig_bytes::{Error, Result, maths};
use glam::{Vec3, Vec4};
use std::sync::LazyLock;

/// Light of each sRGB code (IEC 61966-2-1).
static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|code| light_at(code as f32 / 255.0)));

/// Light at which each code gives way to the next one.
static LAST: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| if code == 255 { f32::INFINITY } else { light_at((code as f32 + 0.5) / 255.0) })
});

/// Steps in which light is looked up; the step to the right code is short from there.
const GUESSES: usize = 4096;

static GUESS: LazyLock<[u8; GUESSES + 1]> = LazyLock::new(|| {
    std::array::from_fn(|step| {
        let light = step as f32 / GUESSES as f32;
        LAST.iter().position(|last| light <= *last).unwrap_or(255) as u8
    })
});

fn light_at(code: f32) -> f32 {
    maths::srgb_to_linear(f64::from(code)) as f32
}

/// Light of an sRGB code, 0 to 1.
pub(crate) fn to_light(code: u8) -> f32 {
    LIGHT[usize::from(code)]
}

/// The sRGB code that is nearest to an amount of light; what is no number is 0.
pub(crate) fn to_code(light: f32) -> u8 {
    let light = if light > 0.0 { light.min(1.0) } else { 0.0 };
    let mut code = GUESS[(light * GUESSES as f32) as usize];
    while code > 0 && light <= LAST[usize::from(code) - 1] {
        code -= 1;
    }
    while light > LAST[usize::from(code)] {
        code += 1;
    }
    code
}

/// A colour of sRGB codes as light with full alpha.
pub(crate) fn light(rgb: [u8; 3]) -> Vec3 {
    Vec3::from_array(rgb.map(to_light))
}

/// A colour of sRGB codes with an alpha, each as straight numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgba(pub [u8; 4]);

impl Rgba {
    /// The light grey backdrop that pictures have by default.
    pub const BACKDROP: Self = Self([0xf2, 0xf3, 0xf5, 0xff]);
    /// Nothing.
    pub const TRANSPARENT: Self = Self([0; 4]);

    /// Reads `#rgb`, `#rrggbb`, `#rrggbbaa` (the `#` may be left out), `transparent`, `white` or `black`.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        match text.to_lowercase().as_str() {
            "transparent" => return Ok(Self::TRANSPARENT),
            "white" => return Ok(Self([255; 4])),
            "black" => return Ok(Self([0, 0, 0, 255])),
            _ => {}
        }
        let digits = text.strip_prefix('#').unwrap_or(text);
        let values: Option<Vec<u8>> = digits.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        match values.as_deref() {
            Some([r, g, b]) => Ok(Self([r * 17, g * 17, b * 17, 255])),
            Some([a, b, c, d, e, f]) => Ok(Self([a * 16 + b, c * 16 + d, e * 16 + f, 255])),
            Some([a, b, c, d, e, f, g, h]) => Ok(Self([a * 16 + b, c * 16 + d, e * 16 + f, g * 16 + h])),
            _ => Err(Error::usage(format!(
                "`{text}` is no colour; write it like #f2f3f5, #f2f3f580, white, black or transparent"
            ))),
        }
    }

    /// Light times alpha, and alpha.
    pub(crate) fn premultiplied(self) -> Vec4 {
        let [r, g, b, a] = self.0;
        let alpha = f32::from(a) / 255.0;
        (light([r, g, b]) * alpha).extend(alpha)
    }
}

impl Default for Rgba {
    fn default() -> Self {
        Self::BACKDROP
    }
}

/// Straight codes of light that is multiplied with its alpha.
pub(crate) fn encode(premultiplied: Vec4) -> [u8; 4] {
    let alpha = premultiplied.w.clamp(0.0, 1.0);
    if alpha.is_nan() || alpha == 0.0 {
        return [0; 4];
    }
    let [r, g, b] = (premultiplied.truncate() / alpha).to_array().map(to_code);
    [r, g, b, (alpha * 255.0 + 0.5) as u8]
}

/// Filmic curve from any amount of light to what a screen shows: the fit that Krzysztof Narkowicz published for the
/// curve of the Academy Color Encoding System (2016), with his exposure of 0.6 left to the lighting.
pub(crate) fn filmic(light: Vec3) -> Vec3 {
    let x = light.max(Vec3::ZERO);
    let shown = (x * (x * 2.51 + 0.03)) / (x * (x * 2.43 + 0.59) + 0.14);
    shown.clamp(Vec3::ZERO, Vec3::ONE)
}

/// A colour for each number, far from those of its neighbours: hues go round by the golden angle.
pub(crate) fn of_number(number: usize) -> Vec3 {
    const GOLDEN: f32 = 0.618_034;
    let hue = (number as f32 * GOLDEN).fract();
    let value = [1.0, 0.8, 0.62][number % 3];
    of_hue(hue) * value
}

/// A full colour of a hue from 0 (red) over 1/3 (green) to 1.
pub(crate) fn of_hue(hue: f32) -> Vec3 {
    let wave = |offset: f32| {
        let away = ((hue + offset).fract() * 6.0 - 3.0).abs() - 1.0;
        to_light((away.clamp(0.0, 1.0) * 225.0) as u8 + 30)
    };
    Vec3::new(wave(0.0), wave(2.0 / 3.0), wave(1.0 / 3.0))
}

/// A share from 0 to 1 on a scale from blue over green to red.
pub(crate) fn heat(share: f32) -> Vec3 {
    let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
    of_hue((1.0 - share) * 2.0 / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_light_and_back() {
        for code in 0..=255u8 {
            assert_eq!(to_code(to_light(code)), code);
        }
        assert_eq!([f32::NAN, -1.0, 2.0, f32::INFINITY].map(to_code), [0, 0, 255, 255]);
        // Half of the light is not half of the code.
        assert_eq!(to_code(0.5), 188);
    }

    #[test]
    fn colours_in_all_spellings() {
        assert_eq!(Rgba::parse("#F2F3F5"), Ok(Rgba::BACKDROP));
        assert_eq!(Rgba::parse("f80"), Ok(Rgba([255, 136, 0, 255])));
        assert_eq!(Rgba::parse("#01020304"), Ok(Rgba([1, 2, 3, 4])));
        assert_eq!(Rgba::parse("Transparent"), Ok(Rgba::TRANSPARENT));
        for bad in ["", "#", "#12", "grey1", "#12345g", "é12345"] {
            assert!(Rgba::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn alpha_is_straight_in_pictures() {
        assert_eq!(encode(Rgba([200, 10, 0, 128]).premultiplied()), [200, 10, 0, 128]);
        assert_eq!(encode(Vec4::new(1.0, 1.0, 1.0, f32::NAN)), [0; 4]);
    }

    #[test]
    fn the_curve_rises_from_black_to_white() {
        let at = |x: f32| filmic(Vec3::splat(x)).x;
        assert_eq!(at(0.0), 0.0);
        assert!((0..200).all(|i| at(i as f32 * 0.05) <= at((i + 1) as f32 * 0.05)));
        assert!(at(20.0) > 0.99 && filmic(Vec3::splat(f32::NAN)).is_finite());
    }

    #[test]
    fn heat_goes_from_blue_to_red() {
        let (cold, warm, hot) = (heat(0.0), heat(0.5), heat(1.0));
        assert!(cold.z > 0.7 && warm.y > 0.7 && hot.x > 0.7, "{cold} {warm} {hot}");
        assert_eq!((heat(f32::NAN), heat(7.0)), (cold, hot));
    }

    #[test]
    fn neighbours_have_different_colours() {
        assert!((0..100).all(|i| of_number(i).distance(of_number(i + 1)) > 0.2));
        assert!(of_hue(0.0).x > 0.9 && of_hue(0.0).y < 0.1);
    }
}
