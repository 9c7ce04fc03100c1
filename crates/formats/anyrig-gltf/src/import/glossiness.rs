//! The archived specular-glossiness surface as metallic-roughness terms.

use super::Loader;
use super::cameras::clamped;
use crate::codes;
use crate::document::json::At;
use crate::document::{MaterialObject, SpecularGlossinessObject, typed};
use anyrig_bytes::maths::srgb_to_linear;
use anyrig_bytes::{Diagnostic, Result};
use anyrig_scene::{Material, TextureUse};

pub(super) const NAME: &str = "KHR_materials_pbrSpecularGlossiness";

/// What a surface that is no metal reflects straight on: the 0.04 of glTF's core (specification, appendix B.2.2).
const DIELECTRIC: f64 = 0.04;

impl Loader<'_> {
    /// Takes the surface over, if there is one, instead of the core's. The extension itself stays an extra.
    pub(super) fn glossiness(&self, object: &MaterialObject, out: &mut Material, at: &At<'_>) -> Result<()> {
        let Some(value) = object.extensions.as_ref().and_then(|e| e.get(NAME)) else { return Ok(()) };
        let at = at.key("extensions");
        let at = at.key(NAME);
        let given: SpecularGlossinessObject = typed(value, &at, self.context)?;
        let unit = |value: f64, key: &str| clamped(value, (0.0, 1.0), &at.key(key), self.context);
        let [r, g, b, alpha] = given.diffuse.unwrap_or([1.0; 4]).map(|v| unit(v, "diffuseFactor"));
        let mut specular = given.specular.unwrap_or([1.0; 3]).map(|v| unit(v, "specularFactor"));
        let mut glossiness = unit(given.glossiness.unwrap_or(1.0), "glossinessFactor");
        let texture = self.texture_use(given.texture.as_ref(), &at.key("specularGlossinessTexture"))?;
        let mut message = "its factors were converted";
        if let Some(texture) = &texture {
            let (mean_specular, mean_glossiness) = self.mean_of(texture);
            specular.iter_mut().zip(mean_specular).for_each(|(factor, mean)| *factor *= mean);
            glossiness *= mean_glossiness;
            message = "the mean of its specular-glossiness texture was converted";
        }
        let surface = metallic([r, g, b], specular);
        let [r, g, b] = surface.base_color.map(|c| c.clamp(0.0, 1.0) as f32);
        out.base_color = [r, g, b, alpha as f32];
        out.metallic = surface.metallic as f32;
        out.roughness = (1.0 - glossiness) as f32;
        out.base_color_texture = self.texture_use(given.diffuse_texture.as_ref(), &at.key("diffuseTexture"))?;
        out.metallic_roughness_texture = None;
        self.context.push(Diagnostic::new(&codes::SPECULAR_GLOSSINESS, at.pointer(), message).at(at.place()));
        Ok(())
    }

    /// Linear specular colour and glossiness of a texture on the whole; those of a usual surface when its image cannot
    /// be read.
    fn mean_of(&self, used: &TextureUse) -> ([f64; 3], f64) {
        let usual = ([DIELECTRIC; 3], 0.5);
        let image = self.scene.textures.get(used.texture).and_then(|t| self.scene.images.get(t.image?));
        let Some(bytes) = image.and_then(|i| i.bytes.as_ref()) else { return usual };
        let Ok(decoded) = anyrig_image::decode_rgba8(bytes, self.context) else { return usual };
        let mut counts = [[0u64; 256]; 4];
        for pixel in decoded.pixels() {
            for (count, value) in counts.iter_mut().zip(pixel) {
                count[usize::from(*value)] += 1;
            }
        }
        let pixels = decoded.pixels().len().max(1) as f64;
        let mean = |channel: &[u64; 256], value: fn(f64) -> f64| {
            let sum: f64 = channel.iter().enumerate().map(|(v, n)| value(v as f64 / 255.0) * *n as f64).sum();
            sum / pixels
        };
        let [r, g, b, a] = &counts;
        ([r, g, b].map(|channel| mean(channel, srgb_to_linear)), mean(a, |v| v))
    }
}

struct Metallic {
    base_color: [f64; 3],
    metallic: f64,
}

/// The metallic-roughness surface that scatters and reflects the same.
///
/// A surface of base colour `c` and metalness `m` scatters `c (1 - 0.04)(1 - m)` and reflects `0.04 (1 - m) + c m` (glTF
/// 2.0 specification, appendix B.2); specular-glossiness scatters `diffuse (1 - max(specular))` and reflects `specular`
/// (the extension's own appendix). Both equations hold for one `m` in brightness, the root of
/// `0.04 m² + (scattered / 0.96 + reflected - 0.08) m + 0.04 - reflected`; the colour is then taken from whichever of the
/// two says more about it.
fn metallic(diffuse: [f64; 3], specular: [f64; 3]) -> Metallic {
    let most = specular.iter().fold(0.0f64, |a, b| a.max(*b));
    let scattered = diffuse.map(|d| d * (1.0 - most));
    let (dark, reflected) = (brightness(scattered), brightness(specular));
    let metallic = if reflected <= DIELECTRIC {
        0.0
    } else {
        let b = dark / (1.0 - DIELECTRIC) + reflected - 2.0 * DIELECTRIC;
        let c = DIELECTRIC - reflected;
        let root = (b * b - 4.0 * DIELECTRIC * c).max(0.0).sqrt();
        ((root - b) / (2.0 * DIELECTRIC)).clamp(0.0, 1.0)
    };
    let share = metallic * metallic;
    let base_color = [0, 1, 2].map(|i| {
        let of_scattered = scattered[i] / ((1.0 - DIELECTRIC) * (1.0 - metallic)).max(1e-6);
        let of_reflected = (specular[i] - DIELECTRIC * (1.0 - metallic)) / metallic.max(1e-6);
        of_scattered.clamp(0.0, 1.0) * (1.0 - share) + of_reflected.clamp(0.0, 1.0) * share
    });
    Metallic { base_color, metallic }
}

/// How bright a linear colour looks (weights of the HSP colour model).
fn brightness([r, g, b]: [f64; 3]) -> f64 {
    (0.299 * r * r + 0.587 * g * g + 0.114 * b * b).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both models do is compared where they agree: a surface goes one way by the formulas of the metallic core and
    /// comes back.
    #[test]
    fn metallic_surfaces_come_back() {
        for m in [0.0, 0.25, 0.5, 1.0] {
            for c in [0.1, 0.5, 0.9] {
                let reflected = DIELECTRIC * (1.0 - m) + c * m;
                let scattered = c * (1.0 - DIELECTRIC) * (1.0 - m);
                let diffuse = scattered / (1.0 - reflected);
                let back = metallic([diffuse; 3], [reflected; 3]);
                assert!((back.metallic - m).abs() < 1e-6, "{m} {c}: {}", back.metallic);
                assert!(back.base_color.iter().all(|v| (v - c).abs() < 1e-6), "{m} {c}: {:?}", back.base_color);
            }
        }
    }

    #[test]
    fn gold_is_a_metal_and_paint_is_none() {
        let gold = metallic([0.0; 3], [1.0, 0.766, 0.336]);
        assert!(gold.metallic > 0.99 && (gold.base_color[2] - 0.336).abs() < 0.02);
        let paint = metallic([0.8, 0.1, 0.1], [0.04; 3]);
        assert_eq!(paint.metallic, 0.0);
        assert!((paint.base_color[0] - 0.8).abs() < 1e-9);
    }
}
