//! Descriptors, importers and exporters.

use crate::document::UrhoDocument;
use crate::options::UrhoxOptions;
use crate::{export, import};
use anyrig_bytes::{Context, Result, Role, Source, Value};
use anyrig_scene::{
    Document, ExportedFile, Exporter, FormatInfo, Hint, Importer, OptionSchema, Packaging, Scene, Score, WrittenNumbers,
};

/// Whose a model is; its bytes do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// UrhoX; numbers are taken as they are, unless the option `handedness` says how the file was made.
    #[default]
    UrhoX,
    /// Urho3D, U3D, dviglo: left-handed.
    Urho3d,
}

/// The target and source `urhox`.
pub static URHOX: FormatInfo = FormatInfo::new("urhox", "UrhoX", &["mdl", "ani"])
    .with_versions("UMD2 (with morphs: never seen in a real file), UANI 2 (never seen in a real file), material XML")
    .with_capabilities(export::CAPABILITIES)
    .with_options(OptionSchema::new("urhox", UrhoxOptions::json_schema));

/// The source `urho3d`.
pub static URHO3D: FormatInfo = FormatInfo::new("urho3d", "Urho3D", &["mdl", "ani"])
    .with_versions("UMDL, UMD2 (with morphs: never seen in a real file), UANI, material XML");

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
        match self.dialect {
            Dialect::UrhoX => &URHOX,
            Dialect::Urho3d => &URHO3D,
        }
    }

    /// Both dialects read all files; what only one of them writes, that one knows better.
    fn score(&self, head: &[u8], _hint: Hint<'_>) -> Score {
        let urhox_animation = head.get(4..8) == Some(&[2, 0, 0, 0]);
        let owner = match head.first_chunk::<4>() {
            Some(b"UMD2") => return Score::Certain,
            Some(b"UMDL" | b"UMD3" | b"UAN2") => Dialect::Urho3d,
            Some(b"UANI") if urhox_animation => Dialect::UrhoX,
            Some(b"UANI") => Dialect::Urho3d,
            _ if crate::document::MaterialXml::looks_like(head) => return Score::Likely,
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

    fn load(&self, dump: &Value, dialect: &str, _context: &Context) -> Result<Box<dyn Document>> {
        Ok(Box::new(UrhoDocument::from_dump(dump, dialect)?))
    }

    fn document(&self, source: &dyn Source, context: &Context) -> Result<Box<dyn Document>> {
        Ok(Box::new(UrhoDocument::open(source, context)?))
    }
}

/// Writes scenes for UrhoX; options: [`UrhoxOptions`].
#[derive(Clone, Copy, Debug, Default)]
pub struct UrhoxExporter;

impl Exporter for UrhoxExporter {
    fn info(&self) -> &'static FormatInfo {
        &URHOX
    }

    fn export(&self, scene: Scene, stem: &str, context: &Context) -> Result<Vec<ExportedFile>> {
        export::export(scene, stem, context)
    }

    fn packaging(&self) -> Packaging {
        Packaging::Folder { suffix: "_UrhoX" }
    }

    fn keeps(&self, source: &FormatInfo, dialect: &str) -> bool {
        source.id == URHOX.id && ["UMD2", "UANI (UrhoX)"].contains(&dialect)
    }

    fn written_numbers(&self, context: &Context) -> Result<WrittenNumbers> {
        export::written_numbers(context)
    }

    fn verify(&self, file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
        export::verify(file_name, source, context)
    }
}
