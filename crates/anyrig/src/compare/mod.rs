//! What differs between two files.
//!
//! Two files of one format are compared in the format's own terms, field by field. Two files of different formats are
//! compared as scenes, by the names of bones and clips, so that file B may be another tool's conversion of file A.

mod bones;
mod keys;
mod numbers;
mod pairs;
mod points;
mod scenes;

pub use anyrig_bytes::codec::{ElementDifferences, FieldDifference, NumberDifference};

use crate::Registry;
use crate::convert::{import, read_document};
use anyrig_bytes::codec::diff;
use anyrig_bytes::{Attachment, Context, Error, ErrorKind, Report, Result, Source, Value};
use anyrig_scene::diff::Scope;
use anyrig_scene::{Importer, Scene, Tolerance};
use serde::Serialize;

/// How two files are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareAs {
    /// As documents when both are of one format that can be compared in its own terms, else as scenes.
    #[default]
    Auto,
    /// Field by field, in the format's own terms.
    Document,
    /// As scenes, bones and clips matched by their names, points by their order or their places.
    Scene,
    /// As scenes, everything matched by its index: what the scene model holds, whole.
    SceneByIndex,
}

/// In which space the second scene is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareSpace {
    /// Brought into the space of the first one: axes, handedness, unit.
    #[default]
    Convert,
    /// As its numbers are.
    Keep,
}

/// What is to be compared, and how closely.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CompareRequest {
    /// Format of the first file; found by content when `None`.
    pub from_a: Option<String>,
    /// Format of the second file; found by content when `None`.
    pub from_b: Option<String>,
    /// As documents or as scenes.
    pub compare_as: CompareAs,
    /// The space of the second scene.
    pub space: CompareSpace,
    /// How far numbers may lie apart. Of documents: absolutely; 0 when `None`, which means equal bits. Of scenes: lengths
    /// as a share of the first scene's size, all else absolutely; 1e-5 when `None`.
    pub tolerance: Option<f64>,
    /// Motions of the first file that lie in files of their own; comparing documents leaves them aside.
    pub motions_a: Vec<Attachment>,
    /// Those of the second file.
    pub motions_b: Vec<Attachment>,
}

/// The tolerance of scenes when none is given: single precision over a few steps.
const SCENE_TOLERANCE: f64 = 1e-5;

/// One of the compared files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedFile {
    /// File name.
    pub file: String,
    /// Id of the format.
    pub format: String,
    /// What was noticed while reading it.
    pub report: Report,
}

/// What differs. Keys are only ever added.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The first file.
    pub a: ComparedFile,
    /// The second file.
    pub b: ComparedFile,
    /// `document` or `scene`.
    pub road: &'static str,
    /// The tolerance that was used.
    pub tolerance: f64,
    /// What was done so that the two could be compared.
    pub notes: Vec<String>,
    /// What differs, in the order of the first file.
    pub differences: Vec<FieldDifference>,
}

/// Compares two sources with the standard registry; see [`Registry::compare`].
///
/// # Errors
/// As [`Registry::compare`].
pub fn compare(a: &dyn Source, b: &dyn Source, request: &CompareRequest, context: &Context) -> Result<Comparison> {
    Registry::standard().compare(a, b, request, context)
}

impl Registry {
    /// Says what differs between two files.
    ///
    /// # Errors
    /// Whatever makes one of the files unusable; unsupported when they are to be compared as documents and cannot be;
    /// [`ErrorKind::Usage`] for a tolerance that is negative or no number.
    pub fn compare(
        &self,
        a: &dyn Source,
        b: &dyn Source,
        request: &CompareRequest,
        context: &Context,
    ) -> Result<Comparison> {
        if let Some(wrong) = request.tolerance.filter(|t| t.is_nan() || *t < 0.0) {
            return Err(Error::usage(format!("a tolerance of {wrong} is not possible; it is a number from 0")));
        }
        let first = self.importer_for(request.from_a.as_deref(), a)?;
        let second = self.importer_for(request.from_b.as_deref(), b)?;
        let mut comparison = Comparison { a: file(a, first), b: file(b, second), ..Comparison::default() };
        let same = first.info().id == second.info().id;
        let by_document = match request.compare_as {
            CompareAs::Document => true,
            CompareAs::Auto => same,
            CompareAs::Scene | CompareAs::SceneByIndex => false,
        };
        if by_document {
            match documents((first, a), (second, b), request, context) {
                Err(e) if e.kind() == ErrorKind::Unsupported && request.compare_as == CompareAs::Auto => {
                    comparison.notes.push(format!("compared as scenes: {}", e.message()));
                }
                Err(e) => return Err(e),
                Ok(differences) => {
                    comparison.road = "document";
                    comparison.tolerance = request.tolerance.unwrap_or(0.0);
                    comparison.differences = differences;
                    return Ok(comparison);
                }
            }
        }
        comparison.road = "scene";
        comparison.tolerance = request.tolerance.unwrap_or(SCENE_TOLERANCE);
        let scene_a = scene((first, a), &request.motions_a, &mut comparison.a, context)?;
        let mut scene_b = scene((second, b), &request.motions_b, &mut comparison.b, context)?;
        if scene_a.space != scene_b.space && request.space == CompareSpace::Convert {
            anyrig_passes::to_space(&mut scene_b, scene_a.space, &context.apart())?;
            comparison.notes.push(format!("{} was brought into the space of {}", b.name(), a.name()));
        }
        if request.compare_as == CompareAs::SceneByIndex {
            comparison.differences = by_index(&scene_a, &scene_b, comparison.tolerance);
        } else {
            scenes::compare(&scene_a, &scene_b, &mut comparison, context)?;
        }
        Ok(comparison)
    }
}

fn file(source: &dyn Source, importer: &dyn Importer) -> ComparedFile {
    let (file, format) = (source.name().to_owned(), importer.info().id.to_owned());
    ComparedFile { file, format, report: Report::default() }
}

type Input<'a> = (&'a dyn Importer, &'a dyn Source);

fn documents(a: Input<'_>, b: Input<'_>, request: &CompareRequest, context: &Context) -> Result<Vec<FieldDifference>> {
    let tree = |(importer, source): Input<'_>| {
        let document = read_document(importer, source, context)?;
        let tree = document.comparison(context).map_err(|e| e.in_file(source.name()))?;
        Ok::<_, Error>((tree, document.dialect()))
    };
    let ((tree_a, dialect_a), (tree_b, dialect_b)) = (tree(a)?, tree(b)?);
    let mut differences = diff(&tree_a, &tree_b, request.tolerance.unwrap_or(0.0));
    if dialect_a != dialect_b {
        let message = format!("{dialect_a} against {dialect_b}");
        let (a, b) = (Some(Value::from(dialect_a)), Some(Value::from(dialect_b)));
        differences.insert(0, FieldDifference::new("dialect", message).with_values(a, b));
    }
    Ok(differences)
}

/// Each scene has a report of its own, so that one can tell whose fault is what.
fn scene(
    (importer, source): Input<'_>,
    motions: &[Attachment],
    told: &mut ComparedFile,
    context: &Context,
) -> Result<Scene> {
    context.check_cancelled()?;
    let apart = motions.iter().cloned().fold(context.apart(), Context::with_attachment);
    let scene = import(importer, source, &apart)?;
    told.report = apart.take_report();
    Ok(scene)
}

fn by_index(a: &Scene, b: &Scene, tolerance: f64) -> Vec<FieldDifference> {
    let tolerance = Tolerance::within(tolerance, tolerance).with_scope(Scope::WithoutExtras);
    let found = anyrig_scene::diff(a, b, tolerance).into_iter();
    found.map(|d| FieldDifference::new(d.path, d.message)).collect()
}
