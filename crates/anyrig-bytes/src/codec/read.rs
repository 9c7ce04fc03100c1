//! Filling values from bytes.

use super::{Codec, Field, Path, TextForm};
use crate::text::RawText;
use crate::{Cursor, Endian, Place, Result, SharedBytes};

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
