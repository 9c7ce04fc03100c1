//! From specular-glossiness terms to metallic-roughness ones.

/// What a surface that is no metal reflects straight on: the 0.04 of glTF's core (specification, appendix B.2.2).
pub(super) const DIELECTRIC: f64 = 0.04;

/// Keeps quotients finite where what is divided counts for nothing.
const EPSILON: f64 = 1e-6;

/// A metallic-roughness surface, linear and without its roughness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Metallic {
    pub(super) base_color: [f64; 3],
    pub(super) metallic: f64,
}

/// The metallic-roughness surface that scatters and reflects the same, by the formula that the Khronos group published
/// with the extension (its example `convert-between-workflows`).
///
/// A surface of base colour `c` and metalness `m` scatters `c (1 - 0.04)(1 - m)` and reflects `0.04 (1 - m) + c m` (glTF
/// 2.0 specification, appendix B.2); specular-glossiness scatters `diffuse (1 - max(specular))` and reflects `specular`
/// (the extension's own appendix). Both equations hold for one `m` in brightness, the root of
/// `0.04 m² + (scattered / 0.96 + reflected - 0.08) m + 0.04 - reflected`; the colour is then taken from whichever of the
/// two says more about it.
pub(super) fn metallic(diffuse: [f64; 3], specular: [f64; 3]) -> Metallic {
    let scattered = diffuse.map(|d| d * (1.0 - strength(specular)));
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
        let of_scattered = scattered[i] / (1.0 - DIELECTRIC) / (1.0 - metallic).max(EPSILON);
        let of_reflected = (specular[i] - DIELECTRIC * (1.0 - metallic)) / metallic.max(EPSILON);
        (of_scattered * (1.0 - share) + of_reflected * share).clamp(0.0, 1.0)
    });
    Metallic { base_color, metallic }
}

/// By what a diffuse colour is to be multiplied to be the base colour, if that is all: where nothing reflects more than
/// what is no metal, and no base colour would be above 1.
pub(super) fn plain_factor(diffuse: [f64; 3], specular: [f64; 3]) -> Option<[f64; 3]> {
    let factor = diffuse.map(|d| d * (1.0 - strength(specular)) / (1.0 - DIELECTRIC));
    let is_plain = brightness(specular) <= DIELECTRIC && factor.iter().all(|f| *f <= 1.0 + EPSILON);
    is_plain.then(|| factor.map(|f| f.min(1.0)))
}

fn strength(specular: [f64; 3]) -> f64 {
    specular.iter().fold(0.0f64, |a, b| a.max(*b))
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

    /// Worked out by the published formula on paper: where diffuse and specular colours disagree, the base colour of both
    /// is mixed before it is cut off at 0 and 1, not after.
    #[test]
    fn mixed_colours_are_cut_off_last() {
        let mixed = metallic([0.0, 0.9, 0.0], [0.5, 0.1, 0.1]);
        // max = 0.5, scattered green 0.45, dark = 0.45 √0.587 = 0.344772; reflected = √(0.299 · 0.25 + 0.701 · 0.01).
        // b = 0.344772 / 0.96 + 0.285937 - 0.08 = 0.565074, c = -0.245937; m = 0.422588.
        assert!((mixed.metallic - 0.422_588).abs() < 1e-5, "{mixed:?}");
        // Red: 0 scattered; (0.5 - 0.0230965) / 0.422588 = 1.128530 by the share m² = 0.178581.
        // Green: 0.46875 / 0.577412 = 0.811813 by 0.821419, and 0.181982 by 0.178581.
        let expected = [0.201_534, 0.699_337, 0.032_499];
        let is_near = mixed.base_color.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(is_near, "{mixed:?}");
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
