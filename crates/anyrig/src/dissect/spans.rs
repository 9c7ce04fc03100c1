//! Spans with what lies between them.

use super::DissectRequest;
use anyrig_bytes::codec::{Span, SpanKind};
use anyrig_bytes::{Error, Result, SharedBytes, Value};
use serde::Serialize;

/// What some bytes of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ByteKind {
    /// A field whose value is known.
    Value,
    /// A bulk array of elements of a known layout.
    Array,
    /// Bytes with a known purpose that are not described further, such as an image or compressed data.
    Opaque,
    /// A text that other spans lie in.
    Text,
    /// Bytes that only keep the next ones aligned.
    Padding,
    /// Bytes that are kept, but whose meaning is not known.
    Unknown,
    /// Bytes that no reader looks at.
    Unread,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DissectedSpan {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
    /// Field path, for example `bones[3].parent`; empty for unread bytes.
    pub path: String,
    /// What it is.
    pub kind: ByteKind,
    /// The value of a field.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub value: Value,
    /// Of an array: number of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Of an array: bytes from one element to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<u64>,
    /// Of an array: its first elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<Value>,
}

/// How many bytes of a file are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Shares {
    /// Fields, arrays, texts and padding: everything with a name.
    pub named: u64,
    /// Kept, but of unknown meaning.
    pub unknown: u64,
    /// Looked at by no reader.
    pub unread: u64,
}

/// What every byte of a file is. Keys are only ever added.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Dissection {
    /// File name.
    pub file: String,
    /// Id of the format.
    pub format: String,
    /// Dialect or encoding.
    pub dialect: String,
    /// Size of the file.
    pub bytes: u64,
    /// How many bytes are what; of the whole file.
    pub shares: Shares,
    /// The spans by offset.
    pub spans: Vec<DissectedSpan>,
}

impl Dissection {
    pub(super) fn new(traced: Vec<Span>, bytes: &SharedBytes, elements: usize) -> Self {
        let mut spans: Vec<DissectedSpan> = traced.into_iter().map(|span| dissected(span, bytes, elements)).collect();
        // What others lie in comes before them.
        spans.sort_by(|a, b| a.offset.cmp(&b.offset).then(b.len.cmp(&a.len)));
        let size = bytes.len() as u64;
        let gaps = gaps(&spans, size, |_| true);
        let unread = gaps.iter().map(|(_, len)| len).sum();
        let uncovered: u64 = gaps_len(&spans, size, |kind| kind != ByteKind::Unknown);
        let unknown = uncovered - unread;
        let shares = Shares { named: size - uncovered, unknown, unread };
        spans.extend(gaps.into_iter().map(|(offset, len)| DissectedSpan {
            offset,
            len,
            path: String::new(),
            kind: ByteKind::Unread,
            value: Value::Null,
            count: None,
            stride: None,
            elements: Vec::new(),
        }));
        spans.sort_by(|a, b| a.offset.cmp(&b.offset).then(b.len.cmp(&a.len)));
        Self { bytes: size, shares, spans, ..Self::default() }
    }

    /// Keeps what was asked for.
    pub(super) fn keep(&mut self, request: &DissectRequest) -> Result<()> {
        if let Some(range) = &request.range {
            self.spans.retain(|s| s.offset < range.end && s.offset + s.len > range.start);
            if self.spans.is_empty() {
                let message =
                    format!("nothing lies at {}..{}; the file has {} bytes", range.start, range.end, self.bytes);
                return Err(Error::usage(message));
            }
        }
        if let Some(path) = &request.path {
            let paths: Vec<String> = self.spans.iter().map(|s| s.path.clone()).collect();
            self.spans.retain(|s| is_below(&s.path, path));
            if self.spans.is_empty() {
                let hint = crate::suggest::hint(path, paths.iter().map(String::as_str).filter(|p| !p.is_empty()));
                return Err(Error::usage(format!("there is no field `{path}`{hint}")));
            }
        }
        Ok(())
    }

    /// The share of bytes with a name, from 0 to 1; 1 for an empty file.
    pub fn named_share(&self) -> f64 {
        if self.bytes == 0 { 1.0 } else { self.shares.named as f64 / self.bytes as f64 }
    }
}

fn is_below(path: &str, wanted: &str) -> bool {
    path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ' ']))
}

fn dissected(span: Span, bytes: &SharedBytes, elements: usize) -> DissectedSpan {
    let content = usize::try_from(span.offset).ok().and_then(|start| {
        let end = start.checked_add(usize::try_from(span.len).ok()?)?;
        bytes.get(start..end)
    });
    let content = content.unwrap_or_default();
    let mut dissected = DissectedSpan {
        offset: span.offset,
        len: span.len,
        path: span.path,
        kind: ByteKind::Value,
        value: span.value,
        count: None,
        stride: None,
        elements: Vec::new(),
    };
    dissected.kind = match span.kind {
        SpanKind::Value => ByteKind::Value,
        SpanKind::Opaque => ByteKind::Opaque,
        SpanKind::Text => ByteKind::Text,
        SpanKind::Padding => ByteKind::Padding,
        SpanKind::Unknown => ByteKind::Unknown,
        SpanKind::Array(layout) => {
            let count = layout.count(content.len());
            dissected.count = Some(count as u64);
            dissected.stride = Some(layout.stride as u64);
            dissected.elements = (0..count.min(elements)).filter_map(|i| layout.item(content, i)).collect();
            ByteKind::Array
        }
    };
    dissected
}

/// What no span of these kinds covers, as offset and length. Spans are sorted by offset.
fn gaps(spans: &[DissectedSpan], size: u64, counts: impl Fn(ByteKind) -> bool) -> Vec<(u64, u64)> {
    let mut gaps = Vec::new();
    let mut end = 0;
    for span in spans.iter().filter(|s| counts(s.kind)) {
        if span.offset > end {
            gaps.push((end, span.offset - end));
        }
        end = end.max(span.offset.saturating_add(span.len));
    }
    if size > end {
        gaps.push((end, size - end));
    }
    gaps
}

fn gaps_len(spans: &[DissectedSpan], size: u64, counts: impl Fn(ByteKind) -> bool) -> u64 {
    gaps(spans, size, counts).into_iter().map(|(_, len)| len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(offset: u64, len: u64, path: &str, kind: SpanKind) -> Span {
        Span::new(offset, len, path).of_kind(kind)
    }

    fn sample() -> Dissection {
        let traced = vec![
            span(0, 10, "text", SpanKind::Text),
            span(2, 3, "text.a", SpanKind::Value),
            span(14, 4, "tail", SpanKind::Unknown),
        ];
        Dissection::new(traced, &vec![0; 20].into(), 3)
    }

    #[test]
    fn shares_count_every_byte_once() {
        let dissection = sample();
        assert_eq!(dissection.shares, Shares { named: 10, unknown: 4, unread: 6 });
        let kinds: Vec<(u64, ByteKind)> = dissection.spans.iter().map(|s| (s.offset, s.kind)).collect();
        let wanted = [
            (0, ByteKind::Text),
            (2, ByteKind::Value),
            (10, ByteKind::Unread),
            (14, ByteKind::Unknown),
            (18, ByteKind::Unread),
        ];
        assert_eq!(kinds, wanted);
    }

    #[test]
    fn ranges_and_paths_choose_and_wrong_ones_are_told() {
        let keep = |range, path: Option<&str>| {
            let mut dissection = sample();
            let request = DissectRequest { range, path: path.map(str::to_owned), ..DissectRequest::default() };
            dissection.keep(&request).map(|()| dissection.spans.len())
        };
        assert_eq!(keep(Some(4..11), None), Ok(3));
        assert_eq!(keep(None, Some("text")), Ok(2));
        assert!(keep(None, Some("tex")).is_err_and(|e| e.message().contains("`text`")));
        assert!(keep(Some(20..30), None).is_err_and(|e| e.message().contains("20 bytes")));
    }
}
