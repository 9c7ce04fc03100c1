//! Filling values from bytes.

use super::{Codec, Field, Path, TextForm};
use crate::text::RawText;
use crate::{Context, Cursor, Endian, Place, Result, SharedBytes};

/// What an allocator needs for a text however short it is.
const TEXT_OVERHEAD: usize = 16;

/// Fills values from bytes.
#[derive(Debug)]
pub struct ReadCodec<'a> {
    cursor: Cursor<'a>,
    path: Path,
    /// Where texts and elements of lists are booked.
    context: Option<&'a Context>,
}

impl<'a> ReadCodec<'a> {
    /// A codec at the start of the bytes.
    pub fn new(bytes: &'a SharedBytes, endian: Endian) -> Self {
        Self { cursor: Cursor::new(bytes, endian), path: Path::default(), context: None }
    }

    /// The same codec, which books texts and elements of lists before it makes them: a few bytes of a file may become
    /// many of memory. Without a context only the bytes left bound them.
    #[must_use]
    pub fn within(mut self, context: &'a Context) -> Self {
        self.context = Some(context);
        self
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

    fn book(&self, name: &str, bytes: u64) -> Result<()> {
        self.context.map_or(Ok(()), |context| context.take_memory(bytes, || self.place_of(name)))
    }

    fn place_of(&self, name: &str) -> Place {
        self.cursor.place().named(self.path.with(name))
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
        let bytes = self.named(name, bytes)?;
        self.book(name, (bytes.len() + TEXT_OVERHEAD) as u64)?;
        value.0 = bytes.to_vec();
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

    fn room_for<T>(&mut self, name: &'static str, count: usize) -> Result<()> {
        if let Some(context) = self.context {
            context.check_cancelled()?;
            context.take_elements(count as u64, || self.place_of(name))?;
        }
        self.book(name, (count as u64).saturating_mul(size_of::<T>() as u64))
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
