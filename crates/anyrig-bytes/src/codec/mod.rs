//! One description per binary record.
//!
//! A record is described once, as a function that walks its fields over a [`Codec`] in file order. [`ReadCodec`] fills
//! the fields from bytes, [`SkimCodec`] only the small ones, [`WriteCodec`] writes them, [`TraceCodec`] writes them and notes offset, length, path and
//! value of each, [`TreeCodec`] collects them by name, [`LoadCodec`] fills them from a dump, [`edit`] sets one of them.
//! Bulk arrays are taken and given as shared ranges, so a walk costs nothing per vertex.
//!
//! ```
//! use anyrig_bytes::codec::{Codec, from_bytes, list, to_rope};
//! use anyrig_bytes::{Context, Result, SharedBytes};
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
//! assert_eq!(from_bytes(&bytes, &Context::new(), bones)?, wanted);
//! # Ok::<(), anyrig_bytes::Error>(())
//! ```

mod diff;
mod dump;
mod edit;
mod field;
mod layout;
mod load;
mod path;
mod read;
mod skim;
#[cfg(test)]
mod tests;
mod trace;
mod tree;
mod write;

pub use diff::{ElementDifferences, FieldDifference, NumberDifference, diff};
pub use dump::{Arrays, to_json};
pub use edit::{Assignment, edit};
pub use field::{Field, hex, text_from_value, text_to_value};
pub use layout::{Item, ItemField, ItemLayout, Scalar};
pub use load::{LoadCodec, load, parse_json};
pub use path::{FieldPath, Missing, Step, resolve};
pub use read::ReadCodec;
pub use skim::SkimCodec;
pub use trace::{Span, SpanKind, TraceCodec};
pub use tree::{Bulk, Tree, TreeCodec, tree};
pub use write::WriteCodec;

use crate::text::RawText;
use crate::{Buffer, Context, Endian, Error, Place, Result, Rope, SharedBytes};
use bytemuck::Pod;

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

    /// Bytes that say what a file is; they are shown as a text.
    ///
    /// # Errors
    /// Those of the reader.
    fn magic<const N: usize>(&mut self, name: &'static str, value: &mut [u8; N]) -> Result<()> {
        self.field(name, value)
    }

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

    /// A bulk array of `count` elements of `stride` bytes that stays a shared range. What an element is made of is asked
    /// for only by those who look into it.
    ///
    /// # Errors
    /// As [`Codec::blob`].
    fn items(
        &mut self,
        name: &'static str,
        (count, stride): (usize, usize),
        value: &mut SharedBytes,
        _layout: impl FnOnce() -> ItemLayout,
    ) -> Result<()> {
        match count.checked_mul(stride) {
            Some(len) => self.blob(name, len, value),
            None => Err(Error::truncated(self.place(), format!("{count} elements of {stride} bytes cannot follow"))),
        }
    }

    /// All bytes to the end of the file, which have no known meaning; often there are none.
    ///
    /// # Errors
    /// Those of the reader.
    fn rest(&mut self, name: &'static str, value: &mut SharedBytes) -> Result<()> {
        let len = self.remaining().unwrap_or(value.len());
        if len > 0 { self.blob(name, len, value) } else { Ok(()) }
    }

    /// A count as u32, for elements of at least `min_size` bytes each; gives the count that holds from here on.
    ///
    /// # Errors
    /// Truncated when fewer bytes are left than that many elements need.
    fn count(&mut self, name: &'static str, count: usize, min_size: usize) -> Result<usize>;

    /// A count as u32 that stands before the elements of a list; see [`list`].
    ///
    /// # Errors
    /// As [`Codec::count`].
    fn list_count(&mut self, name: &'static str, count: usize, min_size: usize) -> Result<usize> {
        self.enter(name, None);
        let count = self.count("count", count, min_size)?;
        self.leave();
        Ok(count)
    }

    /// How many elements of `size` bytes follow at the end of a file that does not say it: as many as fit, at most
    /// `most`.
    ///
    /// # Errors
    /// Those of the reader.
    fn trailing_count(&mut self, _name: &'static str, count: usize, most: usize, size: usize) -> Result<usize> {
        Ok(self.remaining().map_or(count, |left| most.min(left / size.max(1))))
    }

    /// Makes sure that `count` more elements of a list may be made; only a codec that reads within a context has a say.
    ///
    /// # Errors
    /// [`crate::ErrorKind::LimitExceeded`]; [`crate::ErrorKind::Cancelled`].
    fn room_for<T>(&mut self, _name: &'static str, _count: usize) -> Result<()> {
        Ok(())
    }

    /// Enters a named record or an element of a list.
    fn enter(&mut self, name: &'static str, index: Option<usize>);

    /// Leaves what was last entered.
    fn leave(&mut self);

    /// Bytes left to read; `None` when the codec does not read.
    fn remaining(&self) -> Option<usize>;

    /// The place of the next field, for checks that a description makes itself.
    fn place(&self) -> Place;
}

/// A record that is described once. [`from_bytes`], [`to_rope`], [`trace`], [`tree`] (from which dumps and differences
/// are made), [`load`] and [`edit`] all go over its walk.
pub trait Record: Clone {
    /// Walks the fields in file order.
    ///
    /// # Errors
    /// Those of the codec; what the description itself finds wrong.
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()>;
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
    let count = codec.list_count(name, values.len(), min_size)?;
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
        codec.room_for::<T>(name, count)?;
    }
    for index in 0..count {
        if C::READS {
            // Grown one by one: a cut file has fewer elements than were booked.
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
pub fn array<C: Codec, T: Pod + Item + Send + Sync>(
    codec: &mut C,
    name: &'static str,
    count: usize,
    values: &mut Buffer<T>,
) -> Result<()> {
    let mut bytes = if C::READS { SharedBytes::default() } else { values.to_bytes() };
    let before = bytes.clone();
    codec.items(name, (count, size_of::<T>()), &mut bytes, || ItemLayout::of(T::SCALAR, T::WIDTH))?;
    // A codec that edits replaces the range, too.
    if C::READS || !bytes.same_range(&before) {
        *values = Buffer::from_le_bytes(&bytes);
    }
    Ok(())
}

/// Reads a record that fills the bytes to the end, within the limits of a context.
///
/// # Errors
/// Those of the walk; malformed when bytes are left over.
pub fn from_bytes<'a, T: Default>(
    bytes: &'a SharedBytes,
    context: &'a Context,
    walk: impl FnOnce(&mut ReadCodec<'a>, &mut T) -> Result<()>,
) -> Result<T> {
    let mut codec = ReadCodec::new(bytes, Endian::Little).within(context);
    let mut value = T::default();
    walk(&mut codec, &mut value)?;
    let left = codec.remaining().unwrap_or(0);
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
    Ok(codec.finish())
}

/// Walks a record and notes every field.
///
/// # Errors
/// Those of the walk.
pub fn trace<T: Clone>(value: &T, walk: impl FnOnce(&mut TraceCodec, &mut T) -> Result<()>) -> Result<Vec<Span>> {
    let mut codec = TraceCodec::default();
    walk(&mut codec, &mut value.clone())?;
    Ok(codec.finish())
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

#[cfg(test)]
mod first_steps {
    use super::*;
    use crate::{ErrorKind, Limits, Value};

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
        assert_eq!(from_bytes(&bytes, &Context::new(), thing), Ok(sample()));
    }

    #[test]
    fn every_prefix_and_any_surplus_is_refused() {
        let bytes = to_rope(&sample(), thing).expect("writes").to_shared();
        for len in 0..bytes.len() {
            let prefix = bytes.slice(0..len).expect("inside");
            let error = from_bytes(&prefix, &Context::new(), thing).expect_err("a prefix");
            assert_eq!(error.kind(), ErrorKind::Truncated, "{len}");
        }
        let mut longer = bytes.to_vec();
        longer.push(0);
        assert_eq!(
            from_bytes(&longer.into(), &Context::new(), thing).expect_err("surplus").kind(),
            ErrorKind::Malformed
        );
    }

    #[test]
    fn a_count_beyond_the_file_names_the_field() {
        let mut bytes = to_rope(&sample(), thing).expect("writes").to_vec();
        bytes[3..7].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = from_bytes(&bytes.into(), &Context::new(), thing).expect_err("hostile count");
        assert_eq!(error.place().element, "parts.count");
    }

    #[test]
    fn texts_and_elements_are_booked_before_they_are_made() {
        let bytes = to_rope(&sample(), thing).expect("writes").to_shared();
        let within = |memory_bytes, elements| {
            let limits = Limits { memory_bytes, elements, ..Limits::default() };
            from_bytes(&bytes, &Context::new().with_limits(limits), thing)
        };
        // The name, and two parts of two bytes.
        assert_eq!(within(22, 2), Ok(sample()));
        for (memory, elements, place) in [(17, 2, "name"), (21, 2, "parts"), (22, 1, "parts")] {
            let error = within(memory, elements).expect_err("no room");
            assert_eq!((error.kind(), error.place().element.as_str()), (ErrorKind::LimitExceeded, place));
        }
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
