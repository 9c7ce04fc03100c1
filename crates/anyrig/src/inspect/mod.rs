//! What is in a file, as data with stable keys.
//!
//! [`Inspection`] serialises to the JSON that `anyrig inspect --json` prints. Keys are only ever added.

mod build;
mod dom;
mod model;
mod query;

pub use build::inspect_scene;
pub use dom::{DomLine, dom};
pub use model::{
    BoneInfo, BoundsInfo, ClipInfo, Counts, ImageInfo, Inspection, MaterialInfo, MeshInfo, NodeInfo, PartInfo,
    SkinInfo, SpaceInfo, TextureInfo,
};
pub use query::{
    CurveInfo, IndexTable, KeyInfo, MeshChoice, Range, StreamValues, Vertex, VertexTable, curves, indices, vertices,
};

use crate::Registry;
use crate::convert::{import, read_document};
use anyrig_bytes::{Context, Result, Source};

/// Inspects a source with the standard registry; see [`Registry::inspect`].
///
/// # Errors
/// As [`Registry::inspect`].
pub fn inspect(source: &dyn Source, from: Option<&str>, context: &Context) -> Result<Inspection> {
    Registry::standard().inspect(source, from, context)
}

impl Registry {
    /// Reads a source and says what is in it.
    ///
    /// # Errors
    /// Whatever makes the file unusable; [`anyrig_bytes::ErrorKind::Usage`] for an unknown format name.
    pub fn inspect(&self, source: &dyn Source, from: Option<&str>, context: &Context) -> Result<Inspection> {
        let importer = self.importer_for(from, source)?;
        // What reading the document notices, importing notices again.
        let apart = context.apart();
        let document = read_document(importer, source, &apart)?;
        let (dialect, version) = (document.dialect(), document.version());
        drop(document);
        let scene = import(importer, source, context)?;
        let mut inspection = inspect_scene(&scene);
        source.name().clone_into(&mut inspection.file);
        importer.info().id.clone_into(&mut inspection.format);
        importer.info().name.clone_into(&mut inspection.format_name);
        inspection.dialect = dialect;
        inspection.version = version;
        inspection.bytes = source.bytes().len() as u64;
        inspection.report = context.report();
        Ok(inspection)
    }
}
