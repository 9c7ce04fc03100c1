//! What a conversion would do.

use crate::convert::{Back, Road, Route, import, stem_of, written_back};
use crate::{ConvertRequest, Registry};
use anyrig_bytes::{Context, Report, Result, Source};
use serde::Serialize;

/// What a conversion would do, found without keeping what it makes.
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
    /// What exporting will say: exactly the lines of the conversion itself.
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
    /// Reads the source and exports it into memory, to say what the target does to it. Much of that is only found on the
    /// way (whether a curve must be sampled, whether an image can be decoded), so a plan costs as much as a conversion
    /// without its verification. Nothing is kept.
    ///
    /// # Errors
    /// As [`Registry::convert`], losses aside.
    pub fn plan(&self, source: &dyn Source, request: &ConvertRequest, context: &Context) -> Result<Plan> {
        let importer = self.importer_for(request.from.as_deref(), source)?;
        let exporter = self.exporter(&request.to)?;
        let stem = stem_of(source, request);
        let route = Route { importer, exporter, source, stem: &stem };
        let (road, predicted) = match written_back(&route, request, context)? {
            Back::Files(_) => (Road::Document, Report::default()),
            Back::No | Back::Damaged(_) => {
                let scene = import(importer, source, context)?;
                let apart = context.apart();
                exporter.export(scene, &stem, &apart)?;
                (Road::Scene, apart.take_report())
            }
        };
        Ok(Plan {
            source_format: importer.info().id,
            target: exporter.info().id,
            road,
            stem,
            reading: context.report(),
            predicted,
        })
    }
}
