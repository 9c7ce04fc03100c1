//! Descriptors, importers and exporters.
use crate::document::UrhoDocument;
use crate::options::UrhoxOptions;
use anyrig_bytes::{Context, Report, Result, Source};
use anyrig_scene::{Document, ExportedFile, Exporter, FormatInfo, Hint, Importer, OptionSchema, Scene, Score};

/// Whose a model is; its bytes do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// UrhoX; numbers are taken as they are.
    #[default]
    UrhoX,
    /// Urho3D, U3D, dviglo: left-handed.
    Urho3d,
}

/// The target and source `urhox`.
pub static URHOX: FormatInfo = FormatInfo {
    id: "urhox",
    name: "UrhoX",
    extensions: &["mdl", "ani"],
    media_type: None,
    versions: "UMD2, UANI 2 (layout known from a description only), material XML",
    capabilities: &[],
    options: Some(OptionSchema {
        owner: "urhox",
        schema: || serde_json::to_string(&schemars::schema_for!(UrhoxOptions)).unwrap_or_default(),
    }),
};

/// The source `urho3d`.
pub static URHO3D: FormatInfo = FormatInfo {
    id: "urho3d",
    name: "Urho3D",
    extensions: &["mdl", "ani"],
    media_type: None,
    versions: "UMDL, UMD2, UANI, material XML",
    capabilities: &[],
    options: None,
};

/// Reads models, animations and materials as one dialect.
#[derive(Clone, Copy, Debug, Default)]
pub struct UrhoImporter {
    /// Whose files they are.
    pub dialect: Dialect,
}

impl Importer for UrhoImporter {
    fn info(&self) -> &'static FormatInfo {
        match self.dialect {
            Dialect::UrhoX => &URHOX,
            Dialect::Urho3d => &URHO3D,
        }
    }

    fn score(&self, _head: &[u8], _hint: Hint<'_>) -> Score {
        Score::No
    }

    fn import(&self, _source: &dyn Source, _context: &Context) -> Result<Scene> {
        Ok(Scene::default())
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

    fn export(&self, _scene: Scene, _stem: &str, _context: &Context) -> Result<Vec<ExportedFile>> {
        Ok(Vec::new())
    }

    fn verify(&self, _file_name: &str, _source: &dyn Source, _context: &Context) -> Result<()> {
        Ok(())
    }

    fn predict(&self, _scene: &Scene, _context: &Context) -> Report {
        Report::default()
    }
}
