//! What a conversion would do.

use crate::convert::{Chosen, Road, choose_road, import, stem_of};
use crate::{ConvertRequest, Registry};
use anyrig_bytes::{Context, Report, Result, Source};
use serde::Serialize;

/// What a conversion would do, found without exporting.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// Id of the format that was found.
    pub source_format: &'static str,
    /// Id of the target.
    pub target: &'static str,
    /// Which way.
    pub road: Road,
    /// Name of the outputs, without extension.
    pub stem: String,
    /// What reading noticed.
    pub reading: Report,
    /// What exporting will approximate and lose, by the target's capability table.
    pub predicted: Report,
}

/// Plans a conversion with the standard registry; see [`Registry::plan`].
///
/// # Errors
/// As [`Registry::plan`].
pub fn plan(source: &dyn Source, request: &ConvertRequest, context: &Context) -> Result<Plan> {
    Registry::standard().plan(source, request, context)
}

impl Registry {
    /// Reads the source and predicts what the target will do to it. Nothing is exported.
    ///
    /// # Errors
    /// As [`Registry::convert`], exporting and losses aside.
    pub fn plan(&self, source: &dyn Source, request: &ConvertRequest, context: &Context) -> Result<Plan> {
        let importer = self.importer_for(request.from.as_deref(), source)?;
        let exporter = self.exporter(&request.to)?;
        let (road, predicted) = match choose_road(importer, exporter, request.via, source, context)? {
            Chosen::Document(_) => (Road::Document, Report::default()),
            Chosen::Scene => {
                let scene = import(importer, source, context)?;
                (Road::Scene, exporter.predict(&scene, context))
            }
        };
        Ok(Plan {
            source_format: importer.info().id,
            target: exporter.info().id,
            road,
            stem: stem_of(source, request),
            reading: context.report(),
            predicted,
        })
    }
}
