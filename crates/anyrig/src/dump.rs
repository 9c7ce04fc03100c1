//! Files as JSON and back, without loss.

use crate::Registry;
use crate::convert::read_document;
use anyrig_bytes::codec::{Arrays, Assignment, Tree, parse_json, to_json};
use anyrig_bytes::{Context, Error, Place, Result, Rope, Source, Value};
use anyrig_scene::Document;
use std::borrow::Cow;

/// Version of the envelope around a dumped document.
const DUMP_VERSION: i64 = 1;

/// What was made from a dump or an edit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rewritten {
    /// The file.
    pub content: Rope,
    /// Id of the format.
    pub format: &'static str,
    /// The usual extension of such a file, without the dot.
    pub extension: Option<&'static str>,
}

impl Registry {
    /// Everything that a binary file holds, as JSON: `{"anyrig_dump": 1, "format": …, "dialect": …, "document": …}`. The
    /// document has the fields of the format in their order; [`Registry::load_dump`] makes the same bytes from it.
    ///
    /// Floats that JSON cannot spell and texts that are not UTF-8 are tagged (`{"$f32": "7fc00000"}`,
    /// `{"$hex": "835a"}`); arrays are spelled as told.
    ///
    /// # Errors
    /// Whatever makes the file unusable; unsupported for formats that are text.
    pub fn dump(&self, source: &dyn Source, from: Option<&str>, arrays: Arrays, context: &Context) -> Result<Vec<u8>> {
        let importer = self.importer_for(from, source)?;
        let document = read_document(importer, source, context)?;
        let tree = document.tree(context).map_err(|e| e.in_file(source.name()))?;
        // The text is a few times as large as the file.
        context.take_memory((source.bytes().len() as u64).saturating_mul(8), Place::whole)?;
        let leaf = |text: &str| Tree::Leaf(Value::from(text));
        let envelope: Vec<(Cow<'static, str>, Tree)> = vec![
            ("anyrig_dump".into(), Tree::Leaf(Value::Int(DUMP_VERSION))),
            ("format".into(), leaf(importer.info().id)),
            ("dialect".into(), leaf(&document.dialect())),
            ("document".into(), tree),
        ];
        to_json(&Tree::Record(envelope), arrays)
    }

    /// Makes a file from a dump.
    ///
    /// # Errors
    /// Malformed or truncated with line and column, or with a JSON pointer below `/document`; unsupported for a dump of
    /// a format or a version that is not known.
    pub fn load_dump(&self, source: &dyn Source, context: &Context) -> Result<Rewritten> {
        let inner = || {
            let json = parse_json(source.bytes(), context)?;
            let (format, dialect, document) = opened(&json)?;
            let importer =
                self.importer(format).map_err(|e| Error::unsupported(Place::json("/format"), e.message()))?;
            let document = importer.load(document, dialect, context).map_err(below_document)?;
            rewritten(&*document, importer.info().id)
        };
        inner().map_err(|e: Error| e.in_file(source.name()))
    }

    /// Sets fields of a file, all or none; all other bytes stay, but for lengths, offsets and checksums that depend on
    /// them.
    ///
    /// # Errors
    /// Whatever makes the file unusable; [`anyrig_bytes::ErrorKind::Usage`] for a path that leads nowhere, naming the
    /// nearest, and for a value of the wrong type or range; unsupported for formats that are text.
    pub fn edit(
        &self,
        source: &dyn Source,
        from: Option<&str>,
        assignments: &[Assignment],
        context: &Context,
    ) -> Result<Rewritten> {
        let importer = self.importer_for(from, source)?;
        let mut document = read_document(importer, source, context)?;
        document.edit(assignments, context).map_err(|e| e.in_file(source.name()))?;
        rewritten(&*document, importer.info().id)
    }
}

fn rewritten(document: &dyn Document, format: &'static str) -> Result<Rewritten> {
    Ok(Rewritten { content: document.write()?, format, extension: document.extension() })
}

/// Format, dialect and document of a dump.
fn opened(json: &Value) -> Result<(&str, &str, &Value)> {
    let text = |key: &str| {
        let pointer = format!("/{key}");
        json.get(key)
            .and_then(Value::as_str)
            .ok_or_else(|| Error::malformed(Place::json(pointer), "a text is wanted here"))
    };
    match json.get("anyrig_dump") {
        Some(Value::Int(DUMP_VERSION)) => {}
        Some(_) => {
            let message =
                format!("only dumps of version {DUMP_VERSION} are read; dump the file again with this program");
            return Err(Error::unsupported(Place::json("/anyrig_dump"), message));
        }
        None => return Err(Error::malformed(Place::json("/anyrig_dump"), "this is no dump; `anyrig dump` makes them")),
    }
    if let Value::Object(members) = json {
        let known = ["anyrig_dump", "format", "dialect", "document"];
        if let Some((key, _)) = members.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            return Err(Error::malformed(Place::json(format!("/{key}")), "this member is not known here"));
        }
    }
    let document = json.get("document").ok_or_else(|| Error::malformed(Place::json("/document"), "it is missing"))?;
    Ok((text("format")?, text("dialect")?, document))
}

/// The error of a document's dump, with its place in the whole dump.
fn below_document(error: Error) -> Error {
    use anyrig_bytes::At;
    let mut place = error.place().clone();
    if let At::JsonPointer(pointer) = &place.at {
        place.at = At::JsonPointer(format!("/document{pointer}"));
    }
    Error::new(error.kind(), place, error.message())
}
