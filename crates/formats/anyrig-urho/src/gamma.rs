//! Between linear light and sRGB (IEC 61966-2-1), for colours that a format keeps in gamma space.

use anyrig_bytes::maths::f32::pow;

/// The encoded value of a linear one; above 1 the curve goes on.
pub(crate) fn from_linear(v: f32) -> f32 {
    if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * pow(v, 1.0 / 2.4) - 0.055 }
}

/// The linear value of an encoded one.
pub(crate) fn to_linear(v: f32) -> f32 {
    if v <= 0.040_45 { v / 12.92 } else { pow((v + 0.055) / 1.055, 2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_the_way_back() {
        assert_eq!((from_linear(0.0), to_linear(0.0)), (0.0, 0.0));
        assert!((from_linear(1.0) - 1.0).abs() < 1e-6 && (from_linear(0.214_041) - 0.5).abs() < 1e-5);
        for v in [0.001, 0.01, 0.2, 0.5, 0.9, 1.0, 4.0] {
            assert!((to_linear(from_linear(v)) - v).abs() < 1e-5 * v.max(1.0), "{v}");
        }
    }
}
