//! Optimising as a kind of conversion.

use super::counted::Counted;
use super::{OnLoss, Optimization, OptimizeOptions, Outcome, optimize_scene};
use crate::convert::{Route, read_document, write_document};
use crate::request::Axes;
use crate::{ConvertRequest, Registry, Road, Via};
use anyrig_bytes::{Context, Error, Place, Report, Result, Severity};
use anyrig_scene::{Document, ExportedFile};

impl Registry {
    /// Converts through the scene with the chain of passes in between. When the target is what the input is already, the
    /// input itself is written where that is not larger, or where the scene would lose something.
    ///
    /// # Errors
    /// As [`Registry::convert`], and those of the passes.
    pub(crate) fn convert_optimized(
        &self,
        route: &Route<'_>,
        (request, options): (&ConvertRequest, &OptimizeOptions),
        context: &Context,
    ) -> Result<(Vec<ExportedFile>, Road, Optimization)> {
        if request.via == Via::Document {
            return Err(Error::usage("optimising changes the scene; leave `--via document` out"));
        }
        let source = Counted::new(route.source);
        let told_before = context.take_report();
        let mut steps = Vec::new();
        let route_counted = Route { source: &source, ..*route };
        let files = self.through_scene(&route_counted, request, context, |scene| {
            steps = optimize_scene(scene, options, context)?;
            Ok(())
        })?;
        let told = context.take_report();
        let size = |files: &[ExportedFile]| files.iter().map(|f| f.content.len()).sum::<u64>();
        let (bytes_before, bytes_after) = (source.bytes_read(), size(&files));
        let losses = losses(&told);
        let loses = !losses.is_empty() && options.on_loss == OnLoss::KeepInput;
        context.append(told_before);
        let mut optimization =
            Optimization { outcome: Outcome::Optimized, bytes_before, bytes_after, steps, losses: Vec::new() };
        if !loses && bytes_after < bytes_before {
            context.append(told);
            return Ok((files, Road::Scene, optimization));
        }
        // Axes that are kept give the same bytes another meaning.
        let document = if request.axes == Axes::Keep { None } else { kept_document(route, context)? };
        let Some(document) = document else {
            context.append(told);
            optimization.outcome = if bytes_after > bytes_before { Outcome::Larger } else { Outcome::Optimized };
            return Ok((files, Road::Scene, optimization));
        };
        let files = write_document(&*document, route)?;
        // The promise of every document; what was read as it is needs no other check.
        if files.first().is_none_or(|f| f.content.to_shared() != *route.source.bytes()) {
            let place = Place::whole().in_file(route.source.name());
            return Err(Error::unsupported(place, "the file cannot be written back as it is; convert it instead"));
        }
        optimization.outcome = if loses { Outcome::WouldLose } else { Outcome::NotSmaller };
        optimization.bytes_after = size(&files);
        optimization.losses = if loses { losses } else { Vec::new() };
        Ok((files, Road::Document, optimization))
    }
}

fn losses(report: &Report) -> Vec<String> {
    let lost = report.diagnostics().iter().filter(|d| d.severity == Severity::Lost);
    lost.map(ToString::to_string).collect()
}

/// The input's document, when the target writes such documents and no option asks for others.
fn kept_document(route: &Route<'_>, context: &Context) -> Result<Option<Box<dyn Document>>> {
    let related = route.importer.info().extensions.iter().any(|e| route.exporter.info().extensions.contains(e));
    let asked = [route.importer.info().options, route.exporter.info().options];
    if !related || asked.into_iter().flatten().any(|o| context.has_options(o.owner)) {
        return Ok(None);
    }
    let document = read_document(route.importer, route.source, context)?;
    Ok(route.exporter.keeps(route.importer.info(), &document.dialect()).then_some(document))
}
