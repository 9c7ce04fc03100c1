//! Traces, dumps, comparisons and edits of a document.

mod leaves;
mod views;

use self::views::{Piece, pieces};
use super::{CHUNK_BIN, CHUNK_JSON, Container, Glb, GltfDocument, text};
use crate::document::json::At;
use crate::uri::{self, Target};
use anyrig_bytes::codec::{self, Assignment, Bulk, FieldPath, Span, SpanKind, Step, Tree, resolve};
use anyrig_bytes::{Context, Error, MemorySource, Result, SharedBytes, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Gaps below this size that are zero keep what follows aligned.
const LARGEST_PADDING: u64 = 16;

impl GltfDocument {
    pub(super) fn spans(&self, context: &Context) -> Result<Vec<Span>> {
        let glb = match &self.container {
            Container::Binary(glb) => glb,
            Container::Text(text) => {
                let mut spans = Vec::new();
                json(&mut spans, Span::new(0, text.len() as u64, "json"), text, context)?;
                return Ok(spans);
            }
        };
        let mut spans = Vec::new();
        for mut span in codec::trace(glb, |codec, glb| codec::Record::walk(glb, codec))? {
            let chunk = chunk_of(&span.path).and_then(|index| glb.chunks.get(index));
            match (chunk.map(|c| c.kind), &span.kind) {
                (Some(CHUNK_JSON), _) if span.path.ends_with(".json") => json(&mut spans, span, &self.text, context)?,
                (Some(CHUNK_BIN), SpanKind::Opaque) => self.bin_spans(&mut spans, span.offset),
                (Some(_), SpanKind::Opaque) => {
                    span.kind = SpanKind::Unknown;
                    spans.push(span);
                }
                _ => spans.push(span),
            }
        }
        Ok(spans)
    }

    /// The binary chunk by its views, with what lies between them.
    fn bin_spans(&self, spans: &mut Vec<Span>, start: u64) {
        let bin = self.bin().unwrap_or_default();
        let buffers = [Some(bin.clone())];
        let stated = self.root.buffers.iter().flatten().next().and_then(|b| b.byte_length).unwrap_or(0);
        let bin = Bin { stated: stated.min(bin.len() as u64), bytes: bin, start };
        let mut end = 0;
        for piece in pieces(&self.root, &buffers) {
            bin.gap(spans, end..piece.offset);
            end = end.max(piece.offset + piece.len);
            let (offset, len) = (start + piece.offset, piece.len);
            spans.push(Span::new(offset, len, piece.path).of_kind(piece.kind));
        }
        let stated = bin.stated;
        bin.gap(spans, end..stated);
        bin.gap(spans, end.max(stated)..bin.bytes.len() as u64);
    }

    /// What the JSON says, and the content of the buffers by their use.
    pub(super) fn content(&self, context: &Context) -> Result<Tree> {
        let mut members = match Tree::from(text::parse(&self.text, context)?) {
            Tree::Record(members) => members,
            other => vec![("json".into(), other)],
        };
        let buffers = self.buffers(context);
        let mut taken = BTreeSet::new();
        let mut data: Vec<(Cow<'static, str>, Tree)> = Vec::new();
        for Piece { buffer, offset, len, label, kind, .. } in pieces(&self.root, &buffers) {
            let layout = if let SpanKind::Array(layout) = kind { Some(layout) } else { None };
            let bytes = buffers.get(buffer).and_then(Option::as_ref);
            let bytes = bytes.and_then(|b| b.slice(offset as usize..(offset + len) as usize)).unwrap_or_default();
            if taken.insert(label.clone()) {
                data.push((label.into(), Tree::Bulk(Bulk::new(bytes, layout))));
            }
        }
        members.push(("data".into(), Tree::Record(data)));
        Ok(Tree::Record(members))
    }

    /// The bytes of each buffer that can be found.
    fn buffers(&self, context: &Context) -> Vec<Option<SharedBytes>> {
        let beside = self
            .attachments
            .iter()
            .fold(MemorySource::default(), |source, (name, bytes)| source.with_file(name.clone(), bytes.clone()));
        let list = self.root.buffers.iter().flatten().enumerate();
        list.map(|(index, buffer)| match &buffer.uri {
            None if index == 0 => self.bin(),
            None => None,
            Some(uri) => match uri::follow(uri, &beside, &At::Root, context) {
                Ok(Target::Data { bytes, .. } | Target::File { bytes, .. }) => Some(bytes),
                Ok(Target::Missing { .. }) | Err(_) => None,
            },
        })
        .collect()
    }

    pub(super) fn as_tree(&self) -> Result<Tree> {
        match &self.container {
            Container::Text(_) => Err(anyrig_scene::Document::is_text(self, "dumped")),
            Container::Binary(glb) => codec::tree(glb),
        }
    }

    /// A document from the dump of a GLB.
    pub(crate) fn from_dump(dump: &Value, context: &Context) -> Result<Self> {
        let glb = codec::load(dump, Glb::default())?;
        let container = crate::read::container(&super::records::write(&glb)?.to_shared(), context)?;
        Self::new(container, context)
    }

    /// Sets values of the JSON, all or none.
    pub(super) fn set_all(&mut self, assignments: &[Assignment], context: &Context) -> Result<()> {
        let mut edited = self.clone();
        for assignment in assignments {
            let tree = Tree::from(text::parse(&edited.text, context)?);
            let path = resolve(&tree, &assignment.path, assignment.missing)?;
            let pointer = pointer(&path);
            let value = value_for(assignment, edited.value_at(&pointer))?;
            edited.set(&pointer, &value, context).map_err(|e| {
                let why = format!("`{}={}`: {}", assignment.path, assignment.shown(), e.message());
                Error::new(e.kind(), e.place().clone(), why)
            })?;
        }
        *self = edited;
        Ok(())
    }

    fn value_at(&self, pointer: &str) -> Option<Value> {
        let range = text::find(&self.text, pointer)?;
        serde_json::from_slice(self.text.get(range)?).ok()
    }
}

/// The index in `chunks[3].…`.
fn chunk_of(path: &str) -> Option<usize> {
    path.strip_prefix("chunks[")?.split_once(']')?.0.parse().ok()
}

fn json(spans: &mut Vec<Span>, whole: Span, text: &[u8], context: &Context) -> Result<()> {
    let start = whole.offset;
    let mut found = leaves::leaves(text, context)?;
    found.iter_mut().for_each(|span| span.offset += start);
    spans.push(whole.with_value(Value::Null).of_kind(SpanKind::Text));
    spans.append(&mut found);
    Ok(())
}

/// The binary chunk.
struct Bin {
    bytes: SharedBytes,
    /// Offset in the file.
    start: u64,
    /// How much of it the JSON says is the buffer.
    stated: u64,
}

impl Bin {
    /// Bytes that no view describes.
    fn gap(&self, spans: &mut Vec<Span>, range: std::ops::Range<u64>) {
        if range.is_empty() {
            return;
        }
        let content = self.bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
        let len = range.end - range.start;
        let (inside, zeros) = (range.start < self.stated, content.iter().all(|b| *b == 0));
        let (kind, path) = match (inside, zeros) {
            (true, true) if len < LARGEST_PADDING => (SpanKind::Padding, "buffers[0] (padding)"),
            (true, _) => (SpanKind::Opaque, "buffers[0] (in no buffer view)"),
            (false, true) => (SpanKind::Padding, "bin (padding beyond the buffer)"),
            (false, false) => (SpanKind::Unknown, "bin (beyond the buffer)"),
        };
        spans.push(Span::new(self.start + range.start, len, path).of_kind(kind));
    }
}

/// A path as a JSON pointer (RFC 6901).
fn pointer(path: &FieldPath) -> String {
    let step = |step: &Step| match step {
        Step::Index(index) => format!("/{index}"),
        Step::Name(name) | Step::Key(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
    };
    path.0.iter().map(step).collect()
}

/// The value to set: of the type that is there.
fn value_for(assignment: &Assignment, old: Option<Value>) -> Result<Value> {
    let new = assignment.value();
    let wrong = |wanted: &str| {
        Err(Error::usage(format!("`{}` cannot be `{}`: {wanted} is wanted", assignment.path, assignment.shown())))
    };
    match (&old, &new) {
        (Some(Value::String(_)), Value::String(_)) | (None | Some(Value::Null), _) => Ok(new),
        (Some(Value::String(_)), _) => Ok(Value::String(assignment.text.clone())),
        (Some(Value::Bool(_)), Value::Bool(_)) => Ok(new),
        (Some(Value::Bool(_)), _) => wrong("true or false"),
        (Some(Value::Array(_)), Value::Array(_)) | (Some(Value::Object(_)), Value::Object(_)) => Ok(new),
        (Some(Value::Array(_)), _) => wrong("a list, such as [0, 1, 0],"),
        (Some(Value::Object(_)), _) => wrong("an object"),
        (Some(old), new) if old.as_f64().is_some() == new.as_f64().is_some() => Ok(new.clone()),
        _ => wrong("a number"),
    }
}
