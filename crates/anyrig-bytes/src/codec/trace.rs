//! Noting where each field lies.

use super::{Codec, Field, ItemLayout, TextForm, WriteCodec, text_to_value};
use crate::text::RawText;
use crate::{Endian, Place, Result, SharedBytes, Value};

/// What a span of a file is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SpanKind {
    /// A field whose value is shown.
    #[default]
    Value,
    /// A bulk array of described elements.
    Array(ItemLayout),
    /// Bytes with a known purpose that are not described further, such as compressed data or an image.
    Opaque,
    /// A text that other spans lie in.
    Text,
    /// Bytes without meaning that only keep the next ones aligned.
    Padding,
    /// Bytes whose meaning is not known.
    Unknown,
}

/// One field of a traced record.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
    /// Field path, for example `bones[3].parent`.
    pub path: String,
    /// The value; `Null` for bulk arrays.
    pub value: Value,
    /// What it is.
    pub kind: SpanKind,
}

impl Span {
    /// A field without a value.
    pub fn new(offset: u64, len: u64, path: impl Into<String>) -> Self {
        Self { offset, len, path: path.into(), ..Self::default() }
    }

    /// The same span with the field's value.
    #[must_use]
    pub fn with_value(mut self, value: Value) -> Self {
        self.value = value;
        self
    }

    /// The same span as something else than a value.
    #[must_use]
    pub fn of_kind(mut self, kind: SpanKind) -> Self {
        self.kind = kind;
        self
    }
}

/// Writes values and notes where each one lies.
#[derive(Debug)]
pub struct TraceCodec {
    inner: WriteCodec,
    spans: Vec<Span>,
}

impl Default for TraceCodec {
    fn default() -> Self {
        Self::new(Endian::Little)
    }
}

impl TraceCodec {
    /// An empty trace of a file of a byte order.
    pub fn new(endian: Endian) -> Self {
        Self { inner: WriteCodec::new(endian), spans: Vec::new() }
    }

    /// The fields in the order of the walk.
    pub fn finish(self) -> Vec<Span> {
        self.spans
    }

    fn note(&mut self, name: &str, value: Value, write: impl FnOnce(&mut WriteCodec) -> Result<()>) -> Result<()> {
        self.note_as(SpanKind::Value, name, value, write)
    }

    fn note_as(
        &mut self,
        kind: SpanKind,
        name: &str,
        value: Value,
        write: impl FnOnce(&mut WriteCodec) -> Result<()>,
    ) -> Result<()> {
        let offset = self.inner.position();
        write(&mut self.inner)?;
        let len = self.inner.position() - offset;
        self.spans.push(Span { offset, len, path: self.inner.path_of(name), value, kind });
        Ok(())
    }
}

impl Codec for TraceCodec {
    const READS: bool = false;

    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        self.note(name, value.to_value(), |inner| inner.field(name, value))
    }

    fn magic<const N: usize>(&mut self, name: &'static str, value: &mut [u8; N]) -> Result<()> {
        self.note(name, text_to_value(value), |inner| inner.field(name, value))
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        self.note(name, text_to_value(&value.0), |inner| inner.text(name, form, value))
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        self.note_as(SpanKind::Opaque, name, Value::Null, |inner| inner.blob(name, len, value))
    }

    fn text_blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        self.note(name, text_to_value(value), |inner| inner.blob(name, len, value))
    }

    fn items(
        &mut self,
        name: &'static str,
        (count, stride): (usize, usize),
        value: &mut SharedBytes,
        layout: impl FnOnce() -> ItemLayout,
    ) -> Result<()> {
        self.note_as(SpanKind::Array(layout()), name, Value::Null, |inner| {
            inner.items(name, (count, stride), value, ItemLayout::default)
        })
    }

    fn rest(&mut self, name: &'static str, value: &mut SharedBytes) -> Result<()> {
        if value.is_empty() {
            return Ok(());
        }
        self.note_as(SpanKind::Unknown, name, Value::Null, |inner| inner.rest(name, value))
    }

    fn count(&mut self, name: &'static str, count: usize, min_size: usize) -> Result<usize> {
        self.note(name, Value::Int(count as i64), |inner| inner.count(name, count, min_size).map(|_| ()))?;
        Ok(count)
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.inner.enter(name, index);
    }

    fn leave(&mut self) {
        self.inner.leave();
    }

    fn remaining(&self) -> Option<usize> {
        None
    }

    fn place(&self) -> Place {
        self.inner.place()
    }
}
