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

#[cfg(test)]
mod tests {
    #[test]
    fn known_values() {
        assert_eq!(super::f32::sin(0.0), 0.0);
        assert_eq!(super::f64::acos(-1.0), std::f64::consts::PI);
        assert!((super::f64::sin(std::f64::consts::FRAC_PI_6) - 0.5).abs() < 1e-15);
    }
}
