//! What a format crate gives to the rest: descriptor, capability table, importer, exporter, document.

use crate::{Feature, Scene, Space};
use anyrig_bytes::codec::{Assignment, Span, Tree};
use anyrig_bytes::{Context, Error, Place, Result, Role, Rope, SharedBytes, Source, Value};

/// How well an importer knows a file by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// Not this format.
    No,
    /// Only the file's extension speaks for it.
    Extension,
    /// The content looks like it.
    Likely,
    /// A magic number says so.
    Certain,
}

/// What is known about a file besides its content.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Hint<'a> {
    /// The extension in lower case, without the dot.
    pub extension: Option<&'a str>,
}

impl<'a> Hint<'a> {
    /// What a file's extension (in lower case, without the dot) hints at.
    pub const fn new(extension: Option<&'a str>) -> Self {
        Self { extension }
    }
}

/// What a format does with a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Keeps it.
    Holds,
    /// Keeps something near it; the text says what.
    Approximates(&'static str),
    /// Cannot keep it; the text says why or what becomes of it.
    Drops(&'static str),
}

/// One row of a capability table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capability {
    /// The feature.
    pub feature: Feature,
    /// What the format does with it.
    pub support: Support,
}

impl Capability {
    /// A row.
    pub const fn new(feature: Feature, support: Support) -> Self {
        Self { feature, support }
    }
}

/// An options type of a format: its name, and how to make its JSON schema.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OptionSchema {
    /// The owner under which [`Context::options`] finds it.
    pub owner: &'static str,
    /// JSON schema (draft 2020-12) of the options object.
    pub schema: fn() -> String,
}

impl OptionSchema {
    /// The options of an owner.
    pub const fn new(owner: &'static str, schema: fn() -> String) -> Self {
        Self { owner, schema }
    }
}

/// A conversion target or a source format.
#[derive(Debug)]
#[non_exhaustive]
pub struct FormatInfo {
    /// What users type after `--to` and `--from`, for example `glb` or `urhox`.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Extensions in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// Media type, when there is one.
    pub media_type: Option<&'static str>,
    /// Versions that are read and written, and which of them were never seen in a real file.
    pub versions: &'static str,
    /// What it does with each feature that it does not simply hold; features without a row are held.
    pub capabilities: &'static [Capability],
    /// Options of reading or writing, when it has any.
    pub options: Option<OptionSchema>,
}

impl FormatInfo {
    /// A format that holds every feature and has no options.
    pub const fn new(id: &'static str, name: &'static str, extensions: &'static [&'static str]) -> Self {
        Self { id, name, extensions, media_type: None, versions: "", capabilities: &[], options: None }
    }

    /// The same format with a media type.
    #[must_use]
    pub const fn with_media_type(mut self, media_type: &'static str) -> Self {
        self.media_type = Some(media_type);
        self
    }

    /// The same format with its versions.
    #[must_use]
    pub const fn with_versions(mut self, versions: &'static str) -> Self {
        self.versions = versions;
        self
    }

    /// The same format with a row for each feature that it does not simply hold.
    #[must_use]
    pub const fn with_capabilities(mut self, capabilities: &'static [Capability]) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The same format with options.
    #[must_use]
    pub const fn with_options(mut self, options: OptionSchema) -> Self {
        self.options = Some(options);
        self
    }

    /// What the format does with a feature.
    pub fn support(&self, feature: Feature) -> Support {
        self.capabilities.iter().find(|c| c.feature == feature).map_or(Support::Holds, |c| c.support)
    }
}

/// Reads a format into a scene.
pub trait Importer: Send + Sync {
    /// The descriptor.
    fn info(&self) -> &'static FormatInfo;

    /// How well the first bytes (up to 4 KiB) fit. An extension is only a hint.
    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score;

    /// The roles of attachments that [`Importer::import`] uses. Whoever attaches another is told so instead of being
    /// left without it.
    fn attachment_roles(&self) -> &'static [Role] {
        &[]
    }

    /// Where motions of a model usually lie, as names relative to the model's folder: `{stem}` stands for the model's
    /// name without ending, `*` in the last part for anything. Whoever can list folders may attach such files as
    /// [`Role::FoundMotion`].
    fn usual_motions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the source's primary file. The scene is validated.
    ///
    /// # Errors
    /// Whatever makes the file unusable, with its place. What can be repaired goes into the context's report.
    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene>;

    /// Puts a line into the report for each kind of breach of the format's own rules that [`Importer::import`] reads
    /// over because it does no harm. It costs a second look at the whole file, so only validation asks for it.
    ///
    /// # Errors
    /// As [`Importer::import`].
    fn check_rules(&self, _source: &dyn Source, _context: &Context) -> Result<()> {
        Ok(())
    }

    /// Reads the byte-exact document.
    ///
    /// # Errors
    /// As [`Importer::import`].
    fn document(&self, source: &dyn Source, context: &Context) -> Result<Box<dyn Document>>;

    /// Makes a document from what [`Document::tree`] spelled as JSON; `dialect` is that of the dumped document.
    ///
    /// # Errors
    /// Malformed with the JSON pointer of what is wrong; unsupported when this format has no dumps.
    fn load(&self, _dump: &Value, dialect: &str, _context: &Context) -> Result<Box<dyn Document>> {
        Err(Error::unsupported(Place::whole(), format!("{dialect} is not made from dumps")))
    }
}

/// A file of one format, byte-exact.
pub trait Document: Send + Sync {
    /// The dialect or encoding, for example `UMD2` or `glTF 2.0 binary`. Documents of one dialect can be rewritten as
    /// each other.
    fn dialect(&self) -> String;

    /// The format version as the file states it.
    fn version(&self) -> String;

    /// Writes the file: equal to what was read, when nothing was changed.
    ///
    /// # Errors
    /// When a changed document cannot be expressed.
    fn write(&self) -> Result<Rope>;

    /// The usual extension of such a file in lower case, for formats that have files of several kinds.
    fn extension(&self) -> Option<&'static str> {
        None
    }

    /// Where each field lies in the file, in file order. Spans may lie in one of kind [`anyrig_bytes::codec::SpanKind::Text`],
    /// and arrays that share bytes may overlap.
    ///
    /// # Errors
    /// Unsupported for formats that are text.
    fn trace(&self, _context: &Context) -> Result<Vec<Span>> {
        Err(self.is_text("dissected"))
    }

    /// All that the file holds, by name, so that [`Importer::load`] makes the same file from it.
    ///
    /// # Errors
    /// Unsupported for formats that are text.
    fn tree(&self, _context: &Context) -> Result<Tree> {
        Err(self.is_text("dumped"))
    }

    /// What the file says, by name, for comparisons with files of the same format; spellings may be left out.
    ///
    /// # Errors
    /// Unsupported when the format cannot be compared in its own terms.
    fn comparison(&self, context: &Context) -> Result<Tree> {
        self.tree(context)
    }

    /// Sets fields, all or none; all other bytes stay, but for lengths, offsets and checksums that depend on them.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a path that leads nowhere or a value of the wrong type or range;
    /// malformed when the result would contradict itself; unsupported for formats that are text.
    fn edit(&mut self, _assignments: &[Assignment], _context: &Context) -> Result<()> {
        Err(self.is_text("edited field by field"))
    }

    /// The error of what a text does not need.
    #[doc(hidden)]
    fn is_text(&self, what: &str) -> Error {
        let message = format!("{} cannot be {what}; if it is a text, open it in an editor", self.dialect());
        Error::unsupported(Place::whole(), message)
    }

    /// Files beside the primary one that belong to it, by relative name.
    fn attachments(&self) -> Vec<(String, SharedBytes)> {
        Vec::new()
    }
}

/// One file that an exporter made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExportedFile {
    /// Relative name with `/` between folders. Every part is safe on every system.
    pub name: String,
    /// The content.
    pub content: Rope,
}

impl ExportedFile {
    /// A file.
    pub fn new(name: impl Into<String>, content: impl Into<Rope>) -> Self {
        Self { name: name.into(), content: content.into() }
    }
}

/// How the files of a target lie together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packaging {
    /// Always one file.
    #[default]
    OneFile,
    /// A main file with others beside it that it names.
    FilesBeside,
    /// A folder of its own, by default called the stem of the input and this suffix, for example `_UrhoX`.
    Folder {
        /// What follows the stem.
        suffix: &'static str,
    },
}

/// What the numbers in a target's files are, for whoever reads them back and compares.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WrittenNumbers {
    /// The space that they are in, where the files do not say it; `None` when the importer knows.
    pub space: Option<Space>,
    /// How far approximated positions may lie from the original at rest, as a share of the scene's size.
    pub rest_error: f64,
    /// How far approximated motion may lie from the original: rotations in radians, all else as a share of the scene's
    /// size or of the range of a curve.
    pub motion_error: f64,
    /// Which texture coordinates are those of the original.
    pub tex_coords: TexCoords,
    /// How far approximated texture coordinates may lie from the original.
    pub tex_coord_error: f64,
}

/// Which texture coordinates of written files are those of the original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TexCoords {
    /// The numbers themselves.
    #[default]
    AsStored,
    /// What the transform of the first texture that reads them makes of them.
    AsSeen,
}

impl Default for WrittenNumbers {
    /// The space that the importer states, exact at rest, motion within 1e-4.
    fn default() -> Self {
        Self { space: None, rest_error: 0.0, motion_error: 1e-4, tex_coords: TexCoords::AsStored, tex_coord_error: 0.0 }
    }
}

/// Writes scenes as one target.
pub trait Exporter: Send + Sync {
    /// The descriptor.
    fn info(&self) -> &'static FormatInfo;

    /// How the written files lie together.
    fn packaging(&self) -> Packaging {
        Packaging::default()
    }

    /// True when a document of this dialect, read by the importer of that format, is what this exporter writes: same
    /// format, encoding and dialect. It may then be written back without the way through a scene.
    fn keeps(&self, _source: &FormatInfo, _dialect: &str) -> bool {
        false
    }

    /// Writes a validated scene; `stem` is the name of the main file without extension, already a safe file name. The
    /// first file is the main one. Takes the scene, so that large buffers can be released on the way.
    ///
    /// # Errors
    /// When the target cannot express the scene at all.
    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>>;

    /// What the written numbers are, with the context's options.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for options that are wrong.
    fn written_numbers(&self, _context: &Context) -> Result<WrittenNumbers> {
        Ok(WrittenNumbers::default())
    }

    /// Reads one written file back far enough to know that it is whole: every count, offset and reference. Files of
    /// other kinds (textures …) are accepted unread.
    ///
    /// # Errors
    /// What is wrong with the file.
    fn verify(&self, file_name: &str, source: &dyn Source, context: &Context) -> Result<()>;
}
