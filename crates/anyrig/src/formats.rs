//! The standard formats, and formats as data for programs and people.

use crate::Registry;
use crate::options::{OptionInfo, describe};
use anyrig_scene::{Feature, FormatInfo, OptionSchema, Support};
use serde::Serialize;

/// The order settles which format reads a file that two know equally well.
pub(crate) fn add_standard(registry: &mut Registry) {
    #[cfg(feature = "gltf")]
    add_gltf(registry);
    #[cfg(feature = "urho")]
    add_urho(registry);
    #[cfg(feature = "fbx")]
    registry.add_importer(anyrig_fbx::FbxImporter);
    // Without any format the registry stays as it is.
    let _ = registry;
}

#[cfg(feature = "gltf")]
fn add_gltf(registry: &mut Registry) {
    use anyrig_gltf::{Glb, Gltf};
    registry.add_importer(Glb);
    registry.add_importer(Gltf);
    registry.add_exporter(Glb);
    registry.add_exporter(Gltf);
}

#[cfg(feature = "urho")]
fn add_urho(registry: &mut Registry) {
    use anyrig_urho::{Dialect, UrhoExporter, UrhoImporter};
    for dialect in [Dialect::UrhoX, Dialect::Urho3d, Dialect::Rbfx] {
        registry.add_importer(UrhoImporter::new(dialect));
        registry.add_exporter(UrhoExporter::new(dialect));
    }
}

/// What a format does with one feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CapabilityRow {
    /// The feature, in kebab words.
    pub feature: String,
    /// `holds`, `approximates` or `drops`.
    pub support: &'static str,
    /// How it is approximated, or what becomes of it.
    pub note: &'static str,
}

/// A format as data.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FormatSummary {
    /// What to type after `--to` and `--from`.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Extensions, the usual one first.
    pub extensions: Vec<&'static str>,
    /// Media type.
    pub media_type: Option<&'static str>,
    /// Whether it can be read.
    pub read: bool,
    /// Whether it can be written.
    pub write: bool,
    /// Versions.
    pub versions: &'static str,
    /// What becomes of each feature when it is written; empty when it is only read.
    pub capabilities: Vec<CapabilityRow>,
    /// Options of writing, and of reading where those are others.
    pub options: Vec<OptionInfo>,
}

impl Registry {
    /// All formats, targets first, each id once.
    pub fn formats(&self) -> Vec<FormatSummary> {
        let mut rows: Vec<FormatSummary> = self.exporters().map(|e| row(e.info())).collect();
        for (row, exporter) in rows.iter_mut().zip(self.exporters()) {
            row.write = true;
            row.read = self.importer(row.id).is_ok();
            row.capabilities = capabilities(exporter.info());
        }
        for importer in self.importers() {
            let info = importer.info();
            match rows.iter_mut().find(|r| r.id == info.id) {
                Some(known) => {
                    known.read = true;
                    add_options(known, info.options);
                }
                None => rows.push(FormatSummary { read: true, ..row(info) }),
            }
        }
        rows
    }
}

fn row(info: &FormatInfo) -> FormatSummary {
    let mut row = FormatSummary {
        id: info.id,
        name: info.name,
        extensions: info.extensions.to_vec(),
        media_type: info.media_type,
        read: false,
        write: false,
        versions: info.versions,
        capabilities: Vec::new(),
        options: Vec::new(),
    };
    add_options(&mut row, info.options);
    row
}

fn add_options(row: &mut FormatSummary, schema: Option<OptionSchema>) {
    for option in schema.iter().flat_map(describe) {
        if !row.options.iter().any(|known| known.key == option.key) {
            row.options.push(option);
        }
    }
}

fn capabilities(info: &FormatInfo) -> Vec<CapabilityRow> {
    Feature::ALL
        .iter()
        .map(|feature| {
            let (support, note) = match info.support(*feature) {
                Support::Holds => ("holds", ""),
                Support::Approximates(how) => ("approximates", how),
                Support::Drops(why) => ("drops", why),
            };
            CapabilityRow { feature: feature.to_string(), support, note }
        })
        .collect()
}
