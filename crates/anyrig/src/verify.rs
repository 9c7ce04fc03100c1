//! Reading back what was written.

use crate::Registry;
use crate::shape::Shape;
use crate::written::WrittenFiles;
use anyrig_animation::Pose;
use anyrig_bytes::{Context, Error, Place, Report, Result, Severity, Source};
use anyrig_scene::{ExportedFile, Exporter, Scene};

/// Reads every written file back far enough to know that it is whole: [`Exporter::verify`].
///
/// # Errors
/// What is wrong with a file, with its name.
pub fn verify(exporter: &dyn Exporter, files: &[ExportedFile], context: &Context) -> Result<()> {
    for (index, file) in files.iter().enumerate() {
        context.check_cancelled()?;
        let Some(source) = WrittenFiles::new(files, index) else { continue };
        verify_file(exporter, &file.name, &source, context)?;
    }
    Ok(())
}

/// Reads one written file back; for callers that have put it somewhere and read it from there.
///
/// # Errors
/// What is wrong with the file, with its name.
pub fn verify_file(exporter: &dyn Exporter, name: &str, source: &dyn Source, context: &Context) -> Result<()> {
    // What a reader of good files says about ours does not belong into the report of the input.
    let apart = Context::new().with_limits(context.limits().clone());
    exporter.verify(name, source, &apart).map_err(|e| wrong(e, exporter, name))
}

impl Registry {
    /// Reads the main file back as a scene and compares its shape with the scene that was exported, at rest and, when
    /// the file holds the clips too, at five times in each clip: [`Shape::difference`].
    ///
    /// `told` is what exporting has put into the report. It decides how near the shapes must be: a ten-thousandth of
    /// the size, a hundredth when something was approximated or lost, and where exporting repaired something only the
    /// number of triangles counts.
    ///
    /// # Errors
    /// What differs.
    pub fn verify_read_back(
        &self,
        exporter: &dyn Exporter,
        (exported, told): (&Scene, &Report),
        files: &[ExportedFile],
        context: &Context,
    ) -> Result<()> {
        let (Some(source), Some(main)) = (WrittenFiles::new(files, 0), files.first()) else { return Ok(()) };
        let apart = Context::new().with_limits(context.limits().clone());
        let read = self.load(&source, Some(exporter.info().id), &apart).map_err(|e| wrong(e, exporter, &main.name))?;
        let tolerance = tolerance(told);
        for (pose_of_exported, pose_of_read, name) in poses(exported, &read) {
            context.check_cancelled()?;
            let (a, b) = (Shape::of(exported, &pose_of_exported), Shape::of(&read, &pose_of_read));
            if let Some(difference) = a.difference(&b, tolerance) {
                let error = Error::malformed(Place::whole(), format!("{name}: {difference}"));
                return Err(wrong(error, exporter, &main.name));
            }
        }
        Ok(())
    }
}

fn tolerance(told: &Report) -> f64 {
    let has = |severity| told.diagnostics().iter().any(|d| d.severity == severity);
    if has(Severity::Repaired) {
        f64::INFINITY
    } else if has(Severity::Approximated) || has(Severity::Lost) {
        1e-2
    } else {
        1e-4
    }
}

/// The rest pose, and five times in each clip that both scenes have at the same place.
fn poses<'a>(a: &'a Scene, b: &'a Scene) -> impl Iterator<Item = (Pose, Pose, String)> + 'a {
    let rest = std::iter::once_with(|| (Pose::rest(a), Pose::rest(b), "at rest".to_owned()));
    let same = a.clips.len() == b.clips.len();
    let clips = a.clips.iter().zip(&b.clips).filter(move |_| same);
    rest.chain(clips.flat_map(move |(clip_a, clip_b)| {
        (0..5).map(move |fifth| {
            let time_secs = clip_a.end_secs() * f64::from(fifth) / 4.0;
            let name = format!("clip `{}` at {time_secs} s", clip_a.name);
            (Pose::of_clip(a, clip_a, time_secs), Pose::of_clip(b, clip_b, time_secs), name)
        })
    }))
}

fn wrong(error: Error, exporter: &dyn Exporter, name: &str) -> Error {
    let message = format!(
        "the written file does not read back as {}: {}; nothing was kept. Please report this, it is a fault of anyrig",
        exporter.info().name,
        error.message()
    );
    let mut place: Place = error.place().clone();
    name.clone_into(&mut place.file);
    Error::new(error.kind(), place, message)
}
