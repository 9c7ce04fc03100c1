//! Options of reading and writing.

use anyrig_bytes::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Under this name [`Context::options`] finds the options of both `glb` and `gltf`.
pub const OPTIONS: &str = "gltf";

/// Where a file has its binary data and images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resources {
    /// A `.glb` holds them, a `.gltf` has them in files beside it.
    #[default]
    Auto,
    /// In files beside it, also of a `.glb`.
    Files,
    /// In the file itself; of a `.gltf` as base64 data URIs.
    Embedded,
}

/// Whether buffer views are compressed, which is lossless and makes the file require the extension. Triangles may begin
/// with another of their corners. A view that would not become smaller stays as it is. Of a file whose numbers are rounded
/// ([`Quantize::Small`], [`Quantize::Fine`]) the filters of the extension are used too: octahedral for normals and
/// tangents, quaternion for rotations, exponential for translations and scales; the report says within what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Meshopt {
    /// They are not.
    #[default]
    Off,
    /// By `EXT_meshopt_compression`, which most readers know.
    Ext,
    /// By `KHR_meshopt_compression`, whose second version of the codec is smaller.
    Khr,
}

/// Whether numbers are rounded to whole ones of 8 and 16 bits, by `KHR_mesh_quantization`. The report says how far each
/// mesh may move. Positions of a mesh are rounded where every node that shows it can undo the scale: by the inverse bind
/// matrices of its skin, or by its own transform when it has no children and is not animated, a joint or a light. Texture coordinates beyond 0 to 1
/// are brought into that range where the textures that read them can undo it, by `KHR_texture_transform`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantize {
    /// Nowhere; what came as whole numbers and is no fraction becomes floats.
    #[default]
    Off,
    /// What came as whole numbers stays so, exactly.
    Keep,
    /// What glTF itself has as whole numbers, so that no extension is needed: weights and colours of 8 bits, texture
    /// coordinates and rotations of 16.
    Core,
    /// Positions of 14 bits, normals, tangents, colours and weights of 8, texture coordinates and rotations of 16.
    Small,
    /// All of 16 bits.
    Fine,
}

/// What becomes of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// They are written.
    #[default]
    Keep,
    /// They are left out, those of morph targets too.
    Strip,
}

impl Quantize {
    /// Whether numbers are rounded, to more or fewer bits.
    pub(crate) fn rounds(self) -> bool {
        matches!(self, Self::Core | Self::Small | Self::Fine)
    }

    /// Whether attributes may be whole numbers where glTF itself wants floats.
    pub(crate) fn extends(self) -> bool {
        matches!(self, Self::Keep | Self::Small | Self::Fine)
    }
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
    /// Where the file has its binary data and images.
    pub resources: Resources,
    /// Whether buffer views are compressed.
    pub meshopt: Meshopt,
    /// Whether numbers are rounded to whole ones of fewer bits.
    pub quantize: Quantize,
    /// What becomes of names.
    pub names: Names,
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
            meshopt: Meshopt::default(),
            quantize: Quantize::default(),
            names: Names::default(),
            sparse_morphs: SparseMorphs::default(),
            generator: concat!("anyrig ", env!("CARGO_PKG_VERSION")).to_owned(),
            variant: None,
        }
    }
}

impl GltfOptions {
    /// Whether compressed numbers are made ready for filters, which rounds them.
    pub(crate) fn filters(&self) -> bool {
        self.meshopt != Meshopt::Off && matches!(self.quantize, Quantize::Small | Quantize::Fine)
    }

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
