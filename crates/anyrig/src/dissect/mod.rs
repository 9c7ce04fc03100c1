//! A file byte by byte: offset, length, field path and value of everything in it.

mod html;
mod spans;

pub use html::html;
pub use spans::{ByteKind, DissectedSpan, Dissection, Shares};

use crate::Registry;
use crate::convert::read_document;
use anyrig_bytes::{Context, Error, Place, Result, Source};
use std::ops::Range;

/// What of a file is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DissectRequest {
    /// The source format's id; found by content when `None`.
    pub from: Option<String>,
    /// Only what overlaps these bytes.
    pub range: Option<Range<u64>>,
    /// Only this field and what is in it, for example `bones[3]`.
    pub path: Option<String>,
    /// How many elements of an array are shown. Default: 3.
    pub elements: usize,
}

impl Default for DissectRequest {
    fn default() -> Self {
        Self { from: None, range: None, path: None, elements: 3 }
    }
}

/// Dissects a source with the standard registry; see [`Registry::dissect`].
///
/// # Errors
/// As [`Registry::dissect`].
pub fn dissect(source: &dyn Source, request: &DissectRequest, context: &Context) -> Result<Dissection> {
    Registry::standard().dissect(source, request, context)
}

impl Registry {
    /// Says what every byte of a file is. The shares are those of the whole file, whatever is asked for.
    ///
    /// # Errors
    /// Whatever makes the file unusable; unsupported for texts; [`anyrig_bytes::ErrorKind::Usage`] when nothing lies in
    /// the wanted range or under the wanted path.
    pub fn dissect(&self, source: &dyn Source, request: &DissectRequest, context: &Context) -> Result<Dissection> {
        let importer = self.importer_for(request.from.as_deref(), source)?;
        let document = read_document(importer, source, context)?;
        let traced = document.trace(context).map_err(|e| e.in_file(source.name()))?;
        let bytes = source.bytes();
        if document.write()?.to_shared() != *bytes {
            // Every document is byte-exact, so this is a fault of ours; offsets of another file would mislead.
            let message = "the document is not byte-exact, so that its offsets would be wrong; please report this file";
            return Err(Error::unsupported(Place::whole().in_file(source.name()), message));
        }
        let place = || Place::whole().in_file(source.name());
        context.take_memory(traced.len() as u64 * size_of::<DissectedSpan>() as u64, place)?;
        let mut dissection = Dissection::new(traced, bytes, request.elements);
        source.name().clone_into(&mut dissection.file);
        importer.info().id.clone_into(&mut dissection.format);
        dissection.dialect = document.dialect();
        dissection.keep(request)?;
        Ok(dissection)
    }
}
