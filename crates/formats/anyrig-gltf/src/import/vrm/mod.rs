//! The extensions of VRM 1.0 that the scene has words for.

mod constraints;
mod springs;

use super::{Loader, in_list};
use crate::document::Index;
use crate::document::json::At;
use anyrig_bytes::Result;
use anyrig_scene::NodeId;

/// Versions of the extensions that are read; files of another one carry them as they are. The draft of 1.0 has the same
/// objects.
const VERSIONS: [&str; 2] = ["1.0", "1.0-beta"];

/// Whether an extension states a version that is read.
fn is_known(version: Option<&String>) -> bool {
    version.is_some_and(|version| VERSIONS.contains(&version.as_str()))
}

impl Loader<'_> {
    /// Springs and constraints, once the nodes are there. The names of the file's extensions that were read.
    pub(super) fn rig(&mut self) -> Result<Vec<&'static str>> {
        self.constraints()?;
        self.springs()
    }

    fn rig_node(&self, node: Index, at: &At<'_>) -> Result<NodeId> {
        in_list(node, self.scene.nodes.len(), at, "node").map(NodeId::new)
    }
}
