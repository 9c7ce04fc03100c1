//! Reading back what was written.

mod expected;
mod motion;
mod pairing;
mod shown;

use crate::Registry;
use crate::registry::extension_of;
use crate::written::WrittenFiles;
use anyrig_bytes::{Attachment, Context, Error, Place, Report, Result, Role, Source};
use anyrig_scene::{ExportedFile, Exporter, Importer, Scene};

/// Reads every written file back far enough to know that it is whole: [`Exporter::verify`].
///
/// # Errors
/// What is wrong with a file, with its name.
pub fn verify(exporter: &dyn Exporter, files: &[ExportedFile], context: &Context) -> Result<()> {
    each_file(files, context, |name, source| verify_file(exporter, name, source, context))
}

/// As [`verify`], of files that somebody else has made: what is wrong is theirs.
///
/// # Errors
/// As [`verify`], in the exporter's own words.
pub(crate) fn check_whole(exporter: &dyn Exporter, files: &[ExportedFile], context: &Context) -> Result<()> {
    each_file(files, context, |name, source| exporter.verify(name, source, &context.apart()))
}

fn each_file(files: &[ExportedFile], context: &Context, check: impl Fn(&str, &dyn Source) -> Result<()>) -> Result<()> {
    for (index, file) in files.iter().enumerate() {
        context.check_cancelled()?;
        let Some(source) = WrittenFiles::new(files, index) else { continue };
        check(&file.name, &source)?;
    }
    Ok(())
}

/// Reads one written file back; for callers that have put it somewhere and read it from there.
///
/// # Errors
/// What is wrong with the file, with its name.
pub fn verify_file(exporter: &dyn Exporter, name: &str, source: &dyn Source, context: &Context) -> Result<()> {
    // What a reader of good files says about ours does not belong into the report of the input.
    exporter.verify(name, source, &context.apart()).map_err(|e| wrong(e, exporter, name))
}

impl Registry {
    /// Reads the written files back as a scene, with the motions that lie in files of their own, and compares what it
    /// shows with what was exported: every corner of every triangle, line and point, skinned and morphed, at rest and at
    /// five times in each clip, and texture coordinates at rest.
    ///
    /// The exported scene is first brought to what the target states to hold: its space, triangles, and no more of what
    /// its capability table drops. Primitives are matched in their order, or, where an exporter has sorted them anew, by
    /// where they lie at rest. `told` is what exporting has put into the report. It decides how near corners must be:
    /// what floats lose (1e-5 of the size), and where something was approximated the target's own bound
    /// ([`anyrig_scene::WrittenNumbers`]) for every joint above. Clips may only be missing where the report says so.
    /// Left out are points that no joint holds, and meshes on sheared nodes where the target holds no shear.
    ///
    /// A scene that shows nothing is compared by where its named nodes stand.
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
        let Some(main) = files.first() else { return Ok(()) };
        let fault = |e: Error| wrong(e, exporter, &main.name);
        let numbers = exporter.written_numbers(context)?;
        let readings = self.read_back(exporter, files, context)?;
        let space = readings.first().map_or(exported.space, |r| r.space);
        let expected = expected::expected(exported, exporter.info(), space, context)?;
        let comparison = motion::Comparison { exported, expected: &expected, told, numbers, info: exporter.info() };
        comparison.run(&readings, context).map_err(|e| if e.ends_job() { e } else { fault(e) })
    }

    /// Reads written files as scenes: the main file with the motions that lie beside it, in the space that the exporter
    /// wrote. Where all files are motions without a model, each gives a scene of its own. What reading says is not
    /// reported.
    ///
    /// # Errors
    /// What is wrong with a file, with its name.
    pub fn read_back(&self, exporter: &dyn Exporter, files: &[ExportedFile], context: &Context) -> Result<Vec<Scene>> {
        let space = exporter.written_numbers(context)?.space;
        let importer = self.importer(exporter.info().id)?;
        let kind = |file: &ExportedFile| extension_of(&file.name).unwrap_or_default();
        let main_kind = files.first().map(kind).unwrap_or_default();
        let mut apart = context.apart();
        for file in motions(importer, files, &main_kind) {
            apart = apart.with_attachment(Attachment::new(Role::Motion, &file.name, file.content.to_shared()));
        }
        let alike = files.iter().enumerate().filter(|(_, file)| kind(file) == main_kind);
        alike
            .map(|(index, file)| {
                let read = WrittenFiles::new(files, index).map(|source| importer.import(&source, &apart));
                let scene = read.unwrap_or_else(|| Ok(Scene::default()));
                let mut scene = scene.map_err(|e| wrong(e, exporter, &file.name))?;
                scene.space = space.unwrap_or(scene.space);
                Ok(scene)
            })
            .collect()
    }
}

/// Files of another kind than the main one that the importer takes as motions.
fn motions<'a>(importer: &dyn Importer, files: &'a [ExportedFile], main_kind: &str) -> Vec<&'a ExportedFile> {
    if !importer.attachment_roles().contains(&Role::Motion) {
        return Vec::new();
    }
    let is_motion = |file: &&ExportedFile| {
        let kind = extension_of(&file.name).unwrap_or_default();
        kind != main_kind && importer.info().extensions.contains(&kind.as_str())
    };
    files.iter().filter(is_motion).collect()
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
