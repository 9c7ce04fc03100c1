//! Reading back what was written.

use crate::Registry;
use crate::shape::Shape;
use crate::written::WrittenFiles;
use anyrig_animation::Pose;
use anyrig_bytes::{Context, Error, Place, Result, Severity, Source};
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

/// Reads the main file back as a scene and compares its shape with the scene that was exported, at rest and, when the
/// file holds the clips too, at five times in each clip: [`Shape::difference`].
///
/// # Errors
/// What differs.
pub fn verify_read_back(
    registry: &Registry,
    exporter: &dyn Exporter,
    exported: &Scene,
    files: &[ExportedFile],
    context: &Context,
) -> Result<()> {
    let (Some(source), Some(main)) = (WrittenFiles::new(files, 0), files.first()) else { return Ok(()) };
    let apart = Context::new().with_limits(context.limits().clone());
    let read = registry.load(&source, Some(exporter.info().id), &apart).map_err(|e| wrong(e, exporter, &main.name))?;
    let exact = context.report().worst() < Some(Severity::Approximated);
    let tolerance = if exact { 1e-4 } else { 1e-2 };
    let differs = |what: String| {
        let place = Place::whole().in_file(&main.name);
        wrong(Error::malformed(place, what), exporter, &main.name)
    };
    for (pose_of_exported, pose_of_read, name) in poses(exported, &read) {
        context.check_cancelled()?;
        let (a, b) = (Shape::of(exported, &pose_of_exported), Shape::of(&read, &pose_of_read));
        if let Some(difference) = a.difference(&b, tolerance) {
            return Err(differs(format!("{name}: {difference}")));
        }
    }
    Ok(())
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
