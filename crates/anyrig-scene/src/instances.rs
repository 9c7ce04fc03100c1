//! A mesh shown many times by one node.

use crate::{Extras, Stream, Trs};

/// Where a node shows its mesh, instead of once at itself (`EXT_mesh_gpu_instancing`). What else hangs on the node is
/// there once.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Instances {
    /// `node_from_instance` of each; at least one after validation.
    pub transforms: Vec<Trs>,
    /// Further attributes, with one element for each instance; their domain says nothing.
    pub streams: Vec<Stream>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Instances {
    /// Instances without further attributes.
    pub fn new(transforms: Vec<Trs>) -> Self {
        Self { transforms, ..Self::default() }
    }
}
