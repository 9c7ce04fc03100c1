//! One description per binary record.
//!
//! A record is described once, as a function that walks its fields over a [`Codec`] in file order. [`ReadCodec`] fills
//! the fields from bytes, [`WriteCodec`] writes them, [`TraceCodec`] writes them and notes offset, length, path and
//! value of each. Bulk arrays are taken and given as shared ranges, so a walk costs nothing per vertex.
//!
//! ```
//! use anyrig_bytes::codec::{Codec, from_bytes, list, to_rope};
//! use anyrig_bytes::{Result, SharedBytes};
//!
//! #[derive(Clone, Default, Debug, PartialEq)]
//! struct Bone { parent: u32, position: [f32; 3] }
//!
//! fn bone<C: Codec>(codec: &mut C, bone: &mut Bone) -> Result<()> {
//!     codec.field("parent", &mut bone.parent)?;
//!     codec.field("position", &mut bone.position)
//! }
//!
//! fn bones<C: Codec>(codec: &mut C, bones: &mut Vec<Bone>) -> Result<()> {
//!     list(codec, "bones", 16, bones, bone)
//! }
//!
//! let wanted = vec![Bone { parent: 0, position: [1.0, 2.0, 3.0] }];
//! let bytes = to_rope(&wanted, bones)?.to_shared();
//! assert_eq!(from_bytes(&bytes, bones)?, wanted);
//! # Ok::<(), anyrig_bytes::Error>(())
//! ```

use crate::text::RawText;
use crate::{Buffer, Cursor, Endian, Error, Place, Result, Rope, SharedBytes, Value, Writer};
use bytemuck::Pod;

/// A fixed-size value: a number or an array of them.
pub trait Field: Copy {
    /// Size in the file, in bytes.
    const SIZE: usize;
    /// Reads the value.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] at the end of the bytes.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self>;
    /// Writes the value.
    fn write(self, writer: &mut Writer);
    /// The value for people and dumps.
    fn to_value(self) -> Value;
}

macro_rules! fields {
    ($($type:ident => $value:expr),* $(,)?) => {$(
        impl Field for $type {
            const SIZE: usize = size_of::<$type>();
            fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
                cursor.$type()
            }
            fn write(self, writer: &mut Writer) {
                writer.$type(self);
            }
            fn to_value(self) -> Value {
                let convert: fn($type) -> Value = $value;
                convert(self)
            }
        }
    )*};
}
fields! {
    u8 => |v| Value::Int(v.into()),
    i8 => |v| Value::Int(v.into()),
    u16 => |v| Value::Int(v.into()),
    i16 => |v| Value::Int(v.into()),
    u32 => |v| Value::Int(v.into()),
    i32 => |v| Value::Int(v.into()),
    u64 => |v| i64::try_from(v).map_or(Value::UInt(v), Value::Int),
    i64 => Value::Int,
    f32 => |v| Value::Float(v.into()),
    f64 => Value::Float,
}

impl<T: Field + Default, const N: usize> Field for [T; N] {
    const SIZE: usize = T::SIZE * N;
    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(cursor)?;
        }
        Ok(values)
    }
    fn write(self, writer: &mut Writer) {
        self.into_iter().for_each(|value| value.write(writer));
    }
    fn to_value(self) -> Value {
        Value::Array(self.into_iter().map(T::to_value).collect())
    }
}

/// How a text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// Bytes and a NUL.
    NulTerminated,
    /// A u32 byte count, then the bytes.
    LengthU32,
}

/// Something that a record's description can be walked over.
///
/// Every method takes the field's current value; a reading codec replaces it, the others leave it.
pub trait Codec: Sized {
    /// True when the walk fills the values from bytes.
    const READS: bool;

    /// A fixed-size field.
    ///
    /// # Errors
    /// Those of the reader.
    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()>;

    /// A text.
    ///
    /// # Errors
    /// Those of the reader; malformed when a text with a NUL is written NUL-terminated.
    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()>;

    /// `len` bytes that stay a shared range.
    ///
    /// # Errors
    /// Those of the reader; malformed when the value to be written has another length.
    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()>;

    /// As [`Codec::blob`], for bytes that are a text: a trace shows them.
    ///
    /// # Errors
    /// As [`Codec::blob`].
    fn text_blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        self.blob(name, len, value)
    }

    /// A count as u32, for elements of at least `min_size` bytes each; gives the count that holds from here on.
    ///
    /// # Errors
    /// Truncated when fewer bytes are left than that many elements need.
    fn count(&mut self, name: &'static str, count: usize, min_size: usize) -> Result<usize>;

    /// Enters a named record or an element of a list.
    fn enter(&mut self, name: &'static str, index: Option<usize>);

    /// Leaves what was last entered.
    fn leave(&mut self);

    /// Bytes left to read; `None` when the codec does not read.
    fn remaining(&self) -> Option<usize>;

    /// The place of the next field, for checks that a description makes itself.
    fn place(&self) -> Place;
}

/// Walks a record that is part of another one.
///
/// # Errors
/// Those of the walk.
pub fn record<C: Codec, T>(
    codec: &mut C,
    name: &'static str,
    value: &mut T,
    walk: impl FnOnce(&mut C, &mut T) -> Result<()>,
) -> Result<()> {
    codec.enter(name, None);
    walk(codec, value)?;
    codec.leave();
    Ok(())
}

/// Walks a u32 count and that many records of at least `min_size` bytes.
///
/// # Errors
/// Those of the walk; truncated when the count is larger than what can follow.
pub fn list<C: Codec, T: Default>(
    codec: &mut C,
    name: &'static str,
    min_size: usize,
    values: &mut Vec<T>,
    walk: impl FnMut(&mut C, &mut T) -> Result<()>,
) -> Result<()> {
    codec.enter(name, None);
    let count = codec.count("count", values.len(), min_size)?;
    codec.leave();
    elements(codec, name, count, values, walk)
}

/// Walks `count` records; a reading codec makes that many.
///
/// # Errors
/// Those of the walk.
pub fn elements<C: Codec, T: Default>(
    codec: &mut C,
    name: &'static str,
    count: usize,
    values: &mut Vec<T>,
    mut walk: impl FnMut(&mut C, &mut T) -> Result<()>,
) -> Result<()> {
    if C::READS {
        values.clear();
    }
    for index in 0..count {
        if C::READS {
            // Grown one by one: `count` was checked against the bytes left, but a T may be larger than its bytes.
            values.push(T::default());
        }
        let Some(value) = values.get_mut(index) else {
            let message = format!("{name} holds {} elements, {count} are needed", values.len());
            return Err(Error::malformed(codec.place(), message));
        };
        codec.enter(name, Some(index));
        walk(codec, value)?;
        codec.leave();
    }
    Ok(())
}

/// Walks a bulk array of `count` plain values, without looking at them.
///
/// # Errors
/// Those of [`Codec::blob`].
pub fn array<C: Codec, T: Pod + Send + Sync>(
    codec: &mut C,
    name: &'static str,
    count: usize,
    values: &mut Buffer<T>,
) -> Result<()> {
    let Some(len) = count.checked_mul(size_of::<T>()) else {
        return Err(Error::truncated(codec.place(), format!("{count} elements of {name} cannot follow")));
    };
    let mut bytes = if C::READS { SharedBytes::default() } else { values.to_bytes() };
    codec.blob(name, len, &mut bytes)?;
    if C::READS {
        *values = Buffer::from_le_bytes(&bytes);
    }
    Ok(())
}

/// Reads a record that fills the bytes to the end.
///
/// # Errors
/// Those of the walk; malformed when bytes are left over.
pub fn from_bytes<'a, T: Default>(
    bytes: &'a SharedBytes,
    walk: impl FnOnce(&mut ReadCodec<'a>, &mut T) -> Result<()>,
) -> Result<T> {
    let mut codec = ReadCodec::new(bytes, Endian::Little);
    let mut value = T::default();
    walk(&mut codec, &mut value)?;
    let left = codec.cursor.remaining();
    if left > 0 {
        return Err(Error::malformed(codec.place(), format!("{left} bytes are left over after the last field")));
    }
    Ok(value)
}

/// Writes a record. The value is cloned, which shares its bulk arrays.
///
/// # Errors
/// Those of the walk.
pub fn to_rope<T: Clone>(value: &T, walk: impl FnOnce(&mut WriteCodec, &mut T) -> Result<()>) -> Result<Rope> {
    let mut codec = WriteCodec::new(Endian::Little);
    walk(&mut codec, &mut value.clone())?;
    Ok(codec.writer.finish())
}

/// Walks a record and notes every field.
///
/// # Errors
/// Those of the walk.
pub fn trace<T: Clone>(value: &T, walk: impl FnOnce(&mut TraceCodec, &mut T) -> Result<()>) -> Result<Vec<Span>> {
    let mut codec = TraceCodec::default();
    walk(&mut codec, &mut value.clone())?;
    Ok(codec.spans)
}

/// The path of records that a walk is in.
#[derive(Clone, Debug, Default)]
struct Path(Vec<(&'static str, Option<usize>)>);

impl Path {
    fn with(&self, name: &str) -> String {
        let mut text = String::new();
        for (part, index) in &self.0 {
            text.push_str(part);
            if let Some(index) = index {
                text.push_str(&format!("[{index}]"));
            }
            text.push('.');
        }
        text.push_str(name);
        text
    }
}

/// Fills values from bytes.
#[derive(Debug)]
pub struct ReadCodec<'a> {
    cursor: Cursor<'a>,
    path: Path,
}

impl<'a> ReadCodec<'a> {
    /// A codec at the start of the bytes.
    pub fn new(bytes: &'a SharedBytes, endian: Endian) -> Self {
        Self { cursor: Cursor::new(bytes, endian), path: Path::default() }
    }

    /// A codec at an offset of the bytes.
    ///
    /// # Errors
    /// Truncated when the offset is outside.
    pub fn at(bytes: &'a SharedBytes, endian: Endian, offset: usize) -> Result<Self> {
        let mut codec = Self::new(bytes, endian);
        codec.cursor.seek(offset)?;
        Ok(codec)
    }

    /// The offset of the next byte.
    pub fn position(&self) -> usize {
        self.cursor.position()
    }

    fn named<T>(&self, name: &str, result: Result<T>) -> Result<T> {
        result.map_err(|e| e.in_element(|| self.path.with(name)))
    }
}

impl Codec for ReadCodec<'_> {
    const READS: bool = true;

    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        let read = T::read(&mut self.cursor);
        *value = self.named(name, read)?;
        Ok(())
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        let bytes = match form {
            TextForm::NulTerminated => self.cursor.take_until_nul(),
            TextForm::LengthU32 => self.cursor.u32().and_then(|len| self.cursor.take(len as usize)),
        };
        value.0 = self.named(name, bytes)?.to_vec();
        Ok(())
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        let bytes = self.cursor.take_shared(len);
        *value = self.named(name, bytes)?;
        Ok(())
    }

    fn count(&mut self, name: &'static str, _count: usize, min_size: usize) -> Result<usize> {
        let mut probe = self.cursor.clone();
        let count = probe.u32().and_then(|count| probe.check_count(count.into(), min_size));
        let count = self.named(name, count)?;
        self.cursor = probe;
        Ok(count)
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.path.0.push((name, index));
    }

    fn leave(&mut self) {
        self.path.0.pop();
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.cursor.remaining())
    }

    fn place(&self) -> Place {
        let path = self.path.with("");
        self.cursor.place().named(path.trim_end_matches('.'))
    }
}

/// Writes values.
#[derive(Debug)]
pub struct WriteCodec {
    writer: Writer,
    path: Path,
}

impl WriteCodec {
    /// An empty output.
    pub fn new(endian: Endian) -> Self {
        Self { writer: Writer::new(endian), path: Path::default() }
    }

    /// What was written.
    pub fn finish(self) -> Rope {
        self.writer.finish()
    }
}

impl Codec for WriteCodec {
    const READS: bool = false;

    fn field<T: Field>(&mut self, _name: &'static str, value: &mut T) -> Result<()> {
        value.write(&mut self.writer);
        Ok(())
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        match form {
            TextForm::NulTerminated if value.0.contains(&0) => {
                let message = format!("{name} holds a NUL, which a NUL-terminated text cannot");
                return Err(Error::malformed(self.place(), message));
            }
            TextForm::NulTerminated => {
                self.writer.bytes(&value.0);
                self.writer.u8(0);
            }
            TextForm::LengthU32 => {
                let len = count_u32(value.0.len(), || self.place())?;
                self.writer.u32(len);
                self.writer.bytes(&value.0);
            }
        }
        Ok(())
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        if value.len() != len {
            let message = format!("{name} holds {} bytes, its description says {len}", value.len());
            return Err(Error::malformed(self.place(), message));
        }
        self.writer.shared(value);
        Ok(())
    }

    fn count(&mut self, _name: &'static str, count: usize, _min_size: usize) -> Result<usize> {
        let narrow = count_u32(count, || self.place())?;
        self.writer.u32(narrow);
        Ok(count)
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.path.0.push((name, index));
    }

    fn leave(&mut self) {
        self.path.0.pop();
    }

    fn remaining(&self) -> Option<usize> {
        None
    }

    fn place(&self) -> Place {
        let path = self.path.with("");
        Place::byte(self.writer.position()).named(path.trim_end_matches('.'))
    }
}

fn count_u32(count: usize, place: impl FnOnce() -> Place) -> Result<u32> {
    u32::try_from(count).map_err(|_| Error::limit(place(), format!("{count} elements do not fit a 32-bit count")))
}

/// One field of a traced record.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub len: u64,
    /// Field path, for example `bones[3].parent`.
    pub path: String,
    /// The value; `Null` for bulk arrays.
    pub value: Value,
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
        let offset = self.inner.writer.position();
        write(&mut self.inner)?;
        let len = self.inner.writer.position() - offset;
        self.spans.push(Span { offset, len, path: self.inner.path.with(name), value });
        Ok(())
    }
}

impl Codec for TraceCodec {
    const READS: bool = false;

    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        self.note(name, value.to_value(), |inner| inner.field(name, value))
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        let shown = value.as_utf8().map_or_else(|| Value::Bytes(value.0.clone()), Value::from);
        self.note(name, shown, |inner| inner.text(name, form, value))
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        self.note(name, Value::Null, |inner| inner.blob(name, len, value))
    }

    fn text_blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        let shown = std::str::from_utf8(value).map_or_else(|_| Value::Bytes(value.to_vec()), Value::from);
        self.note(name, shown, |inner| inner.blob(name, len, value))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Thing {
        name: RawText,
        parts: Vec<u16>,
        data: Buffer<u32>,
    }

    fn thing<C: Codec>(codec: &mut C, thing: &mut Thing) -> Result<()> {
        codec.text("name", TextForm::NulTerminated, &mut thing.name)?;
        list(codec, "parts", 2, &mut thing.parts, |c, part| c.field("value", part))?;
        let count = codec.count("data_count", thing.data.len(), 4)?;
        array(codec, "data", count, &mut thing.data)
    }

    fn sample() -> Thing {
        Thing { name: "ab".into(), parts: vec![7, 9], data: vec![1, 2, 3].into() }
    }

    #[test]
    fn reader_and_writer_are_one_description() {
        let bytes = to_rope(&sample(), thing).expect("writes").to_shared();
        assert_eq!(bytes.len(), 3 + 4 + 4 + 4 + 12);
        assert_eq!(from_bytes(&bytes, thing), Ok(sample()));
    }

    #[test]
    fn every_prefix_and_any_surplus_is_refused() {
        let bytes = to_rope(&sample(), thing).expect("writes").to_shared();
        for len in 0..bytes.len() {
            let prefix = bytes.slice(0..len).expect("inside");
            let error = from_bytes(&prefix, thing).expect_err("a prefix");
            assert_eq!(error.kind(), ErrorKind::Truncated, "{len}");
        }
        let mut longer = bytes.to_vec();
        longer.push(0);
        assert_eq!(from_bytes(&longer.into(), thing).expect_err("surplus").kind(), ErrorKind::Malformed);
    }

    #[test]
    fn a_count_beyond_the_file_names_the_field() {
        let mut bytes = to_rope(&sample(), thing).expect("writes").to_vec();
        bytes[3..7].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = from_bytes(&bytes.into(), thing).expect_err("hostile count");
        assert_eq!(error.place().element, "parts.count");
    }

    #[test]
    fn the_trace_covers_every_byte_once() {
        let spans = trace(&sample(), thing).expect("traces");
        let mut at = 0;
        for span in &spans {
            assert_eq!(span.offset, at, "{}", span.path);
            at += span.len;
        }
        assert_eq!(at, 27);
        assert_eq!(spans[3].path, "parts[1].value");
        assert_eq!(spans[3].value, Value::Int(9));
    }
}
