//! Transcendental functions that give the same bits on every machine.
//!
//! The system's libm differs between versions and processors (it chooses FMA variants at run time); the `libm` crate
//! is plain arithmetic. `sqrt` is exact everywhere by IEEE 754 and needs no wrapper.

/// Functions on `f32`, with angles in radians.
pub mod f32 {
    pub use libm::{
        acosf as acos, asinf as asin, atan2f as atan2, atanf as atan, cosf as cos, exp2f as exp2, expf as exp,
        log2f as log2, logf as ln, powf as pow, sincosf as sin_cos, sinf as sin, tanf as tan,
    };
}

/// Functions on `f64`, with angles in radians.
pub mod f64 {
    pub use libm::{acos, asin, atan, atan2, cos, exp, exp2, log as ln, log2, pow, sin, sincos as sin_cos, tan};
}

pub use transfer::{linear_to_srgb, srgb_to_linear};

/// A module of its own, where `f64` means the number.
mod transfer {
    use super::f64::pow;

    /// The linear light of an sRGB value, by the transfer function of IEC 61966-2-1. The curve goes on above 1; below 0
    /// it is the straight piece.
    #[must_use]
    pub fn srgb_to_linear(encoded: f64) -> f64 {
        if encoded <= 0.040_45 { encoded / 12.92 } else { pow((encoded + 0.055) / 1.055, 2.4) }
    }

    /// The sRGB value of linear light, by the transfer function of IEC 61966-2-1; the inverse of [`srgb_to_linear`].
    #[must_use]
    pub fn linear_to_srgb(linear: f64) -> f64 {
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * pow(linear, 1.0 / 2.4) - 0.055 }
    }
}

#[cfg(test)]
mod tests {
    use super::{linear_to_srgb, srgb_to_linear};

    #[test]
    fn srgb_values_are_the_known_ones_and_go_back() {
        assert_eq!((srgb_to_linear(0.0), linear_to_srgb(0.0)), (0.0, 0.0));
        assert!((srgb_to_linear(0.5) - 0.214_041_140_482_232_55).abs() < 1e-15);
        assert!((linear_to_srgb(0.214_041_140_482_232_55) - 0.5).abs() < 1e-15);
        // 128 of 255, as tables have it.
        assert!((srgb_to_linear(128.0 / 255.0) - 0.215_860_5).abs() < 1e-7);
        for value in [-0.1, 0.001, 0.01, 0.04, 0.041, 0.2, 0.9, 1.0, 4.0] {
            assert!((srgb_to_linear(linear_to_srgb(value)) - value).abs() < 1e-7, "{value}");
            assert!((linear_to_srgb(srgb_to_linear(value)) - value).abs() < 1e-7, "{value}");
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(super::f32::sin(0.0), 0.0);
        assert_eq!(super::f64::acos(-1.0), std::f64::consts::PI);
        assert!((super::f64::sin(std::f64::consts::FRAC_PI_6) - 0.5).abs() < 1e-15);
    }
}
