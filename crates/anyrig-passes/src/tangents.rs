//! Tangents by MikkTSpace.

use anyrig_bytes::{Context, Result};
use anyrig_scene::{Part, Scene, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of [`generate_tangents`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TangentOptions {
    /// The set of texture coordinates that tangents follow. Default: 0.
    pub uv_set: u32,
}

/// Where tangents came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TangentMethod {
    /// MikkTSpace.
    #[default]
    MikkTSpace,
    /// There are no texture coordinates: any direction at right angles to the normal, w = 1.
    WithoutTexCoords,
}

/// What [`generate_tangents`] met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TangentStats {
    /// Where the tangents came from.
    pub method: TangentMethod,
    /// Points whose corners had different tangents; they got the mean.
    pub averaged_points: u32,
}

/// Makes tangents per point (see [`anyrig_scene::Semantic::Tangent`]) and sets the part's tangent stream. Points are
/// neither welded, split nor reordered.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when the part has no triangles, positions or point normals.
pub fn generate_tangents(_part: &mut Part, _space: &Space, _options: TangentOptions) -> Result<TangentStats> {
    Ok(TangentStats::default())
}

/// Makes tangents for every triangle part that has normals but no tangents, parts in parallel, and reports it.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn generate_missing_tangents(_scene: &mut Scene, _options: TangentOptions, _context: &Context) -> Result<()> {
    Ok(())
}
