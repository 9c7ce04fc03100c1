//! anyrig: takes characters and motions from one format to another, and says what a format cannot hold.
//!
//! This crate ties the parts together: the [`Registry`] of formats (a Cargo feature for each), [`convert`], [`plan`],
//! [`verify`], [`inspect()`] and [`validate_file`]. It never touches the file system and never prints: input comes from a
//! [`Source`], output is a list of [`ExportedFile`], and whatever was repaired, approximated or lost is a [`Report`].
//!
//! ```
//! use anyrig::{ConvertRequest, Context, MemorySource, convert};
//!
//! # fn glb() -> Vec<u8> { vec![] }
//! // Bytes from anywhere: a file, a socket, an archive. Files beside the main one are added with `with_file`.
//! let source = MemorySource::new("Fox.glb", glb());
//! let context = Context::new();
//! match convert(&source, &ConvertRequest::new("urhox"), &context) {
//!     Ok(conversion) => {
//!         for file in &conversion.files {
//!             let _ = (&file.name, file.content.len());
//!         }
//!     }
//!     Err(error) => assert!(!error.message().is_empty()),
//! }
//! ```

pub mod codes;
pub mod compare;
mod convert;
mod diagnostics;
pub mod dissect;
mod dump;
mod explain;
mod formats;
pub mod inspect;
pub mod optimize;
pub mod options;
mod plan;
mod registry;
mod request;
mod suggest;
mod verify;
mod winding;
mod written;

pub use anyrig_animation as animation;
pub use anyrig_bytes as bytes;
pub use anyrig_image as image;
pub use anyrig_passes as passes;
#[cfg(feature = "render")]
pub use anyrig_render as render;
pub use anyrig_scene as scene;

pub use anyrig_bytes::{
    Context, Diagnostic, Error, ErrorKind, Limits, MemorySource, Place, Report, Result, Severity, SharedBytes, Source,
    Value,
};
pub use anyrig_scene::{ExportedFile, Exporter, FormatInfo, Importer, Packaging, Scene, diff};

pub use compare::{CompareRequest, Comparison, compare};
pub use convert::{Conversion, Road, convert, load};
pub use diagnostics::diagnostic_codes;
pub use dissect::{DissectRequest, Dissection, dissect};
pub use dump::Rewritten;
pub use explain::{ExplainRequest, Explanation, InfluenceShare, MorphShare, clip_named, explain};
pub use formats::{CapabilityRow, FormatSummary};
pub use inspect::{Inspection, inspect};
pub use optimize::{Optimization, OptimizeOptions, Outcome, PassName, optimize_scene};
pub use plan::{Plan, plan};
pub use registry::Registry;
pub use request::{Axes, ConvertRequest, Losses, Verify, Via};
pub use suggest::nearest;
pub use verify::{verify, verify_file};
pub use written::WrittenFiles;

/// Reads a file as far as a scene, looks for breaches of its format's rules that do no harm to reading, and for triangles
/// that are wound against their normals, and returns what there is to say about it.
///
/// # Errors
/// Whatever makes the file unusable.
pub fn validate_file(source: &dyn Source, from: Option<&str>, context: &Context) -> Result<Report> {
    let registry = Registry::standard();
    let scene = registry.load(source, from, context)?;
    winding::check(&scene, context)?;
    let importer = registry.importer_for(from, source)?;
    importer.check_rules(source, context)?;
    Ok(context.report())
}
