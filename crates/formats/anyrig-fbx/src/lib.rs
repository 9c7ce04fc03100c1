//! FBX, the exchange format of Autodesk's programs, binary and ASCII.
//!
//! There is no public specification. What this crate knows comes from public descriptions of the binary container, from
//! the behaviour of open readers, and from the bytes of files that many programs wrote.
//!
//! - [`document`]: exactly what a file holds. A tree of named nodes with properties, one [`Node`] interface for both
//!   encodings. An untouched document is written byte for byte as it was read; an edit changes its own bytes and the
//!   lengths and offsets that depend on it.
//! - [`import`]: the scene that a file describes, with the transform chain, curves and layers as they are.
//! - [`FbxImporter`]: both for the rest of anyrig; [`probe`]: how well the first bytes of a file fit.
//!
//! Versions: 2000 to 8000 in both encodings and both byte orders. Seen in files that programs wrote: binary 3000 (by
//! writers of 4.05, 5.0 and 5.8), 6100, 7100, 7200, 7300, 7400, 7500 and 7700, of these 6100, 7100, 7400 and 7500 in
//! big-endian form too; ASCII 5.8, 6.1, 7.1 to 7.5 and 7.7. Only in files made by hand: binary 2000, ASCII 8.0. Never
//! seen: binary 8000, ASCII below 5.8.

pub mod codes;
pub mod document;
pub mod import;
pub mod options;

pub use codes::CODES;
pub use document::{
    Decoder, Element, Encoding, FbxDocument, Kind, NewNode, NewValue, Node, NodeId, Property, TextEncoding,
};

pub use options::{Defects, FbxOptions, OPTIONS};

use anyrig_bytes::{Context, Result, Source, Value};
use anyrig_scene::{Document, FormatInfo, Hint, Importer, OptionSchema, Scene, Score};

/// Descriptor of `fbx`. It is read only, so nothing can be lost on the way into it.
pub static FBX_INFO: FormatInfo = FormatInfo::new("fbx", "Autodesk FBX", &["fbx"])
    .with_versions("2000 to 8000, binary and ASCII; binary 8000 and ASCII below 5.8 were never seen")
    .with_options(OptionSchema::new(OPTIONS, options::schema));

/// Reads FBX files.
#[derive(Clone, Copy, Debug, Default)]
pub struct FbxImporter;

impl Importer for FbxImporter {
    fn info(&self) -> &'static FormatInfo {
        &FBX_INFO
    }

    fn score(&self, head: &[u8], hint: Hint<'_>) -> Score {
        probe(head, hint)
    }

    fn import(&self, source: &dyn Source, context: &Context) -> Result<Scene> {
        let (options, before) = (FbxOptions::of(context)?, context.report());
        let document = FbxDocument::open(source, context)?;
        let scene = import::import_beside(&document, Some(source), context);
        let checked = scene.and_then(|scene| options.check(&before, context).map(|()| scene));
        checked.map_err(|e| e.in_file(source.name()))
    }

    fn load(&self, dump: &Value, dialect: &str, context: &Context) -> Result<Box<dyn Document>> {
        Ok(Box::new(FbxDocument::from_dump(dump, dialect, context)?))
    }

    fn document(&self, source: &dyn Source, context: &Context) -> Result<Box<dyn Document>> {
        let (options, before) = (FbxOptions::of(context)?, context.report());
        let document = FbxDocument::open(source, context)?;
        options.check(&before, context).map_err(|e| e.in_file(source.name()))?;
        Ok(Box::new(document))
    }
}

/// How well the first bytes of a file fit.
pub fn probe(head: &[u8], hint: Hint<'_>) -> Score {
    if document::is_binary(head) {
        return Score::Certain;
    }
    let by_content = document::ascii_score(head);
    let by_extension = if hint.extension == Some("fbx") { Score::Extension } else { Score::No };
    by_content.max(by_extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_and_the_extension_is_only_a_hint() {
        let fbx = Hint::new(Some("fbx"));
        let none = Hint::default();
        assert_eq!(probe(b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", none), Score::Certain);
        assert_eq!(probe(b"\xef\xbb\xbf; FBX 7.7.0 project file\n", none), Score::Certain);
        assert_eq!(probe(b"; a remark\r\n\r\nFBXHeaderExtension:  {\n", none), Score::Likely);
        assert_eq!(probe(b"solid cube", none), Score::No);
        assert_eq!(probe(b"solid cube", fbx), Score::Extension);
        assert_eq!(probe(b"", fbx), Score::Extension);
    }
}
