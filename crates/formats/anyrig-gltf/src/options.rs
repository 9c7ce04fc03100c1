//! Options of reading and writing.

use anyrig_bytes::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Under this name [`Context::options`] finds the options of both `glb` and `gltf`.
pub const OPTIONS: &str = "gltf";

/// Where a `.gltf` file has its binary data and images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resources {
    /// In files beside it.
    #[default]
    Files,
    /// In the file itself, as base64 data URIs.
    Embedded,
}

/// Whether morph deltas are written sparse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SparseMorphs {
    /// Where it makes the file smaller.
    #[default]
    Auto,
    /// Nowhere, for readers that do not know sparse accessors.
    Never,
}

/// Options of reading and writing glTF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct GltfOptions {
    /// Where a `.gltf` file has its binary data and images; a `.glb` always holds them.
    pub resources: Resources,
    /// Whether morph deltas are written as sparse accessors.
    pub sparse_morphs: SparseMorphs,
    /// What stands in `asset.generator`.
    pub generator: String,
    /// When reading: the material variant that is taken, by name or number. Without one the usual materials count, and
    /// all variants are kept.
    pub variant: Option<String>,
}

impl Default for GltfOptions {
    fn default() -> Self {
        Self {
            resources: Resources::default(),
            sparse_morphs: SparseMorphs::default(),
            generator: concat!("anyrig ", env!("CARGO_PKG_VERSION")).to_owned(),
            variant: None,
        }
    }
}

impl GltfOptions {
    /// The options of a job.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] naming the unknown key or the wrong value.
    pub fn of(context: &Context) -> Result<Self> {
        context.options(OPTIONS)
    }
}

/// The JSON schema of [`GltfOptions`].
pub(crate) fn schema() -> String {
    schemars::schema_for!(GltfOptions).to_value().to_string()
}
