//! Descriptors, importers and exporters.

use crate::dialect::Dialect;
use crate::document::{MaterialList, TriggersJson, UrhoDocument, XmlFile};
use crate::export::capabilities;
use crate::options::UrhoOptions;
use crate::{export, import};
use anyrig_bytes::{Context, Result, Role, Source, Value};
use anyrig_scene::{
    Document, ExportedFile, Exporter, FormatInfo, Hint, Importer, OptionSchema, Packaging, Scene, Score, WrittenNumbers,
};

/// The target and source `urhox`.
pub static URHOX: FormatInfo = FormatInfo::new("urhox", "UrhoX", &["mdl", "ani"])
    .with_versions("UMD2 (with morphs: never seen in a real file), UANI 2 (never seen in a real file), material XML")
    .with_capabilities(capabilities::URHOX)
    .with_options(OptionSchema::new("urhox", || UrhoOptions::json_schema(Dialect::UrhoX)));

/// The target and source `urho3d`.
pub static URHO3D: FormatInfo = FormatInfo::new("urho3d", "Urho3D", &["mdl", "ani"])
    .with_versions(
        "reads UMDL and UMD2, writes UMD2 (with morphs: never seen in a real file); UANI; material XML, lists, triggers",
    )
    .with_capabilities(capabilities::URHO3D)
    .with_options(OptionSchema::new("urho3d", || UrhoOptions::json_schema(Dialect::Urho3d)));

/// The target and source `rbfx`.
pub static RBFX: FormatInfo = FormatInfo::new("rbfx", "rbfx", &["mdl", "ani"])
    .with_versions(
        "reads UMD3 1 and 2, writes 2 (never seen in a real file); reads UAN2 1 to 4 (2 was seen in real files), writes 4; \
         material XML, lists, triggers",
    )
    .with_capabilities(capabilities::RBFX)
    .with_options(OptionSchema::new("rbfx", || UrhoOptions::json_schema(Dialect::Rbfx)));

/// Reads models, animations and materials as one dialect. Motions attached to a model become its clips; a model attached
/// to a motion as its skeleton gives it bones.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UrhoImporter {
    /// Whose files they are.
    pub dialect: Dialect,
}

impl UrhoImporter {
    /// An importer for a dialect's files.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }
}

impl Importer for UrhoImporter {
    fn info(&self) -> &'static FormatInfo {
        self.dialect.info()
    }

    /// All dialects read all files; what only one of them writes, that one knows better.
    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score {
        let urhox_animation = head.get(4..8) == Some(&[2, 0, 0, 0]);
        let owner = match head.first_chunk::<4>() {
            Some(b"UMD2") => return Score::Certain,
            Some(b"UMDL") => Dialect::Urho3d,
            Some(b"UMD3" | b"UAN2") => Dialect::Rbfx,
            Some(b"UANI") if urhox_animation => Dialect::UrhoX,
            Some(b"UANI") => Dialect::Urho3d,
            _ if XmlFile::kind_of(head).is_some() && is_rbfx_material(head) => Dialect::Rbfx,
            _ if XmlFile::kind_of(head).is_some() => return Score::Likely,
            // Texts that say little about themselves.
            _ if hint.extension == Some("txt") && MaterialList::looks_like(head) => return Score::Likely,
            _ if hint.extension == Some("json") && TriggersJson::looks_like(head) => return Score::Likely,
            _ => return Score::No,
        };
        if owner == self.dialect { Score::Certain } else { Score::Likely }
    }

    fn attachment_roles(&self) -> &'static [Role] {
        &[Role::Motion, Role::FoundMotion, Role::Skeleton]
    }

    /// Bundles have a folder of animations; the engine's own asset importer puts them beside the model.
    fn usual_motions(&self) -> &'static [&'static str] {
        &["{stem}.ani", "{stem}_*.ani", "Animations/*.ani"]
    }

    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene> {
        import::import(self.dialect, source, context)
    }

    fn load(&self, dump: &Value, dialect: &str, context: &Context) -> Result<Box<dyn Document>> {
        Ok(Box::new(UrhoDocument::from_dump(dump, dialect, context)?))
    }

    fn document(&self, source: &dyn Source, context: &Context) -> Result<Box<dyn Document>> {
        Ok(Box::new(UrhoDocument::open(source, context)?))
    }
}

fn is_rbfx_material(head: &[u8]) -> bool {
    let has = |word: &[u8]| head.windows(word.len()).any(|w| w == word);
    has(b"Techniques/Lit") || has(b"Techniques/Unlit") || has(b" slot=")
}

/// Writes scenes for one of the engines; options: [`UrhoOptions`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UrhoExporter {
    /// For which one.
    pub dialect: Dialect,
}

impl UrhoExporter {
    /// An exporter for an engine.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }
}

impl Exporter for UrhoExporter {
    fn info(&self) -> &'static FormatInfo {
        self.dialect.info()
    }

    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
        export::export(self.dialect, scene, stem, context)
    }

    fn packaging(&self) -> Packaging {
        Packaging::Folder { suffix: self.dialect.folder_suffix() }
    }

    fn keeps(&self, source: &FormatInfo, dialect: &str) -> bool {
        let written = [self.dialect.model_layout().0.name(), self.dialect.animation_layout().0.name()];
        source.id == self.info().id && written.contains(&dialect)
    }

    fn written_numbers(&self, context: &Context) -> Result<WrittenNumbers> {
        export::written_numbers(self.dialect, context)
    }

    fn verify(&self, file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
        export::verify(self.dialect, file_name, source, context)
    }
}
