//! glTF 2.0 and GLB (Khronos specification 2.0.1): a byte-exact document, import into and export from the scene.
//!
//! A `.gltf` file is JSON that refers to binary buffers and images; a `.glb` file holds both in chunks. [`GltfDocument`]
//! keeps a file byte for byte and shows its JSON as typed objects that keep what they have no field for. Import decodes
//! it into a [`Scene`] whose arenas have the same indexes as the file's lists; export packs a scene into few large
//! buffer views. [`conformance`] says for each finding of the Khronos validator what import makes of it.
//!
//! Compressed data is read ([`meshopt`] for buffer views; Draco behind the feature `draco`), buffer views are written
//! compressed where [`GltfOptions`] ask for it.
//!
//! Read and written: `KHR_animation_pointer`, `KHR_lights_punctual`, `KHR_materials_anisotropy`, `_clearcoat`,
//! `_diffuse_transmission`, `_dispersion`, `_emissive_strength`, `_ior`, `_iridescence`, `_sheen`, `_specular`,
//! `_transmission`, `_unlit`, `_variants` and `_volume`, `KHR_mesh_quantization`, `KHR_node_visibility`, `KHR_texture_transform`,
//! `EXT_mesh_gpu_instancing`; of VRM 1.0 `VRMC_springBone`, `VRMC_springBone_extended_collider` and
//! `VRMC_node_constraint`; `KHR_texture_basisu` and `EXT_texture_webp` (images pass through). Read:
//! `KHR_materials_pbrSpecularGlossiness` (converted). Other extensions are carried as they are,
//! unless they refer to binary data, which is packed anew.

pub mod codes;
pub mod conformance;
pub mod document;
mod export;
mod import;
pub mod meshopt;
pub mod names;
pub mod options;
mod pointers;
mod read;
mod uri;
mod write;

pub use codes::CODES;
pub use document::GltfDocument;
pub use options::{GltfOptions, OPTIONS};
pub use read::read;

use anyrig_bytes::{Context, Result, Source, Value};
use anyrig_scene::{
    Capability, Document, ExportedFile, Exporter, Feature, FormatInfo, Hint, Importer, OptionSchema, Packaging, Scene,
    Score, Support, WrittenNumbers,
};

/// [`Document::dialect`] of a GLB file.
pub const DIALECT_BINARY: &str = "glTF 2.0 binary";
/// [`Document::dialect`] of a `.gltf` file.
pub const DIALECT_TEXT: &str = "glTF 2.0 text";

pub(crate) const GLTF_1_MESSAGE: &str =
    "this is a glTF 1.0 file, which is not read; convert it to glTF 2.0 first, for example with gltf-pipeline";

const fn row(feature: Feature, support: Support) -> Capability {
    Capability::new(feature, support)
}

/// What glTF does with each feature that it does not simply hold.
pub const CAPABILITIES: &[Capability] = &[
    row(Feature::Polygons, Support::Approximates("polygons become triangles")),
    row(
        Feature::CustomAttributes,
        Support::Approximates("names get a leading underscore; widths that no accessor has are dropped"),
    ),
    row(Feature::DualQuaternionSkinning, Support::Approximates("joints are blended linearly")),
    row(Feature::ComponentCurves, Support::Approximates("joined with their neighbours, within an error bound")),
    row(Feature::PerKeyCurves, Support::Approximates("straight lines within an error bound")),
    row(Feature::Extrapolation, Support::Approximates("baked within the clip; outside of it the nearest key holds")),
    row(Feature::LayeredClips, Support::Approximates("joined to one layer, within an error bound")),
    row(Feature::ClipStarts, Support::Approximates("all clips start at 0")),
    row(Feature::ClipLengths, Support::Approximates("clips end with their last key")),
    row(Feature::NamedAnimation, Support::Drops("there are no animated properties by name")),
    row(Feature::Pivots, Support::Approximates("the transform that they give is kept")),
    row(Feature::InheritModes, Support::Approximates("helper nodes keep what they do")),
    row(Feature::GeometricTransforms, Support::Approximates("they become part of the node, or nodes of their own")),
    row(Feature::ToolConstraints, Support::Drops("only constraints of VRM have a place; bake the others")),
    row(Feature::IkChains, Support::Drops("bake what they do")),
    row(Feature::OtherAnimation, Support::Approximates("JSON pointers are kept, other paths are dropped")),
    row(Feature::MatrixTransforms, Support::Approximates("sheared ones get a helper node")),
    row(
        Feature::Extras,
        Support::Approximates("those of glTF and of users are kept, those of other formats are dropped"),
    ),
];

const OPTION_SCHEMA: OptionSchema = OptionSchema::new(OPTIONS, options::schema);

/// Descriptor of `glb`.
pub static GLB_INFO: FormatInfo = FormatInfo::new("glb", "glTF 2.0 binary", &["glb"])
    .with_media_type("model/gltf-binary")
    .with_versions("2.0; 1.0 is refused")
    .with_capabilities(CAPABILITIES)
    .with_options(OPTION_SCHEMA);

/// Descriptor of `gltf`.
pub static GLTF_INFO: FormatInfo = FormatInfo::new("gltf", "glTF 2.0 text with separate files", &["gltf"])
    .with_media_type("model/gltf+json")
    .with_versions("2.0; 1.0 is refused")
    .with_capabilities(CAPABILITIES)
    .with_options(OPTION_SCHEMA);

/// Reads and writes `.glb`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Glb;

/// Reads and writes `.gltf` with the files beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gltf;

/// Which of the two forms is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Binary,
    Text,
}

impl Importer for Glb {
    fn info(&self) -> &'static FormatInfo {
        &GLB_INFO
    }

    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score {
        match head.starts_with(read::MAGIC) {
            true => Score::Certain,
            false if head.is_empty() && hint.extension == Some("glb") => Score::Extension,
            false => Score::No,
        }
    }

    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene> {
        import::import(source, context)
    }

    fn check_rules(&self, source: &dyn Source, context: &Context) -> Result<()> {
        import::rules::check(source, context)
    }

    fn load(&self, dump: &Value, _dialect: &str, context: &Context) -> Result<Box<dyn Document>> {
        GltfDocument::from_dump(dump, context).map(|d| Box::new(d) as Box<dyn Document>)
    }

    fn document(&self, source: &dyn Source, context: &Context) -> Result<Box<dyn Document>> {
        import::document(source, context).map(|d| Box::new(d) as Box<dyn Document>)
    }
}

impl Importer for Gltf {
    fn info(&self) -> &'static FormatInfo {
        &GLTF_INFO
    }

    /// A `.gltf` file is JSON; its root has an `asset`, which may lie beyond the first bytes.
    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score {
        let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
        let named = hint.extension == Some("gltf");
        let has = |word: &[u8]| text.windows(word.len()).any(|w| w == word);
        match text.first() {
            Some(b'{') if has(b"\"asset\"") && (named || has(b"\"version\"")) => Score::Certain,
            Some(b'{') if named || has(b"\"bufferViews\"") || has(b"\"accessors\"") => Score::Likely,
            _ if named => Score::Extension,
            _ => Score::No,
        }
    }

    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene> {
        import::import(source, context)
    }

    fn check_rules(&self, source: &dyn Source, context: &Context) -> Result<()> {
        import::rules::check(source, context)
    }

    fn load(&self, dump: &Value, _dialect: &str, context: &Context) -> Result<Box<dyn Document>> {
        GltfDocument::from_dump(dump, context).map(|d| Box::new(d) as Box<dyn Document>)
    }

    fn document(&self, source: &dyn Source, context: &Context) -> Result<Box<dyn Document>> {
        import::document(source, context).map(|d| Box::new(d) as Box<dyn Document>)
    }
}

impl Exporter for Glb {
    fn info(&self) -> &'static FormatInfo {
        &GLB_INFO
    }

    fn keeps(&self, _: &FormatInfo, dialect: &str) -> bool {
        dialect == DIALECT_BINARY
    }

    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
        export::export(scene, stem, Form::Binary, context)
    }

    fn written_numbers(&self, context: &Context) -> Result<WrittenNumbers> {
        export::written_numbers(context)
    }

    fn verify(&self, file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
        import::verify(file_name, source, context)
    }
}

impl Exporter for Gltf {
    fn info(&self) -> &'static FormatInfo {
        &GLTF_INFO
    }

    fn packaging(&self) -> Packaging {
        Packaging::FilesBeside
    }

    fn keeps(&self, _: &FormatInfo, dialect: &str) -> bool {
        dialect == DIALECT_TEXT
    }

    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
        export::export(scene, stem, Form::Text, context)
    }

    fn written_numbers(&self, context: &Context) -> Result<WrittenNumbers> {
        export::written_numbers(context)
    }

    fn verify(&self, file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
        import::verify(file_name, source, context)
    }
}
