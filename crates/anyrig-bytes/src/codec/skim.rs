//! Reading a record without taking what is large in it.

use super::{Codec, Field, TextForm};
use crate::text::RawText;
use crate::{Cursor, Endian, Place, Result, SharedBytes};

/// Fills the numbers of a record and steps over its texts and blocks, which keep the value that they had.
///
/// For lazy readers, which come back to a record for one value: nothing is shared, copied or counted, and fields have no
/// names here, so an error says the offset alone. Whoever wants the name walks the same record over a
/// [`super::ReadCodec`] again.
#[derive(Debug)]
pub struct SkimCodec<'a> {
    cursor: Cursor<'a>,
    block: &'a [u8],
}

impl<'a> SkimCodec<'a> {
    /// A codec at an offset of the bytes.
    ///
    /// # Errors
    /// Truncated when the offset is outside.
    #[inline]
    pub fn at(bytes: &'a SharedBytes, endian: Endian, offset: usize) -> Result<Self> {
        let mut cursor = Cursor::new(bytes, endian);
        cursor.seek(offset)?;
        Ok(Self { cursor, block: &[] })
    }

    /// The offset of the next byte.
    #[inline]
    pub fn position(&self) -> usize {
        self.cursor.position()
    }

    /// The text or block that was stepped over last; empty before the first one.
    #[inline]
    pub fn block(&self) -> &'a [u8] {
        self.block
    }
}

impl Codec for SkimCodec<'_> {
    const READS: bool = true;

    #[inline]
    fn field<T: Field>(&mut self, _name: &'static str, value: &mut T) -> Result<()> {
        *value = T::read(&mut self.cursor)?;
        Ok(())
    }

    fn text(&mut self, _name: &'static str, form: TextForm, _value: &mut RawText) -> Result<()> {
        self.block = match form {
            TextForm::NulTerminated => self.cursor.take_until_nul()?,
            TextForm::LengthU32 => {
                let len = self.cursor.u32()?;
                self.cursor.take(len as usize)?
            }
        };
        Ok(())
    }

    #[inline]
    fn blob(&mut self, _name: &'static str, len: usize, _value: &mut SharedBytes) -> Result<()> {
        self.block = self.cursor.take(len)?;
        Ok(())
    }

    #[inline]
    fn count(&mut self, _name: &'static str, _count: usize, min_size: usize) -> Result<usize> {
        let count = self.cursor.u32()?;
        self.cursor.check_count(count.into(), min_size)
    }

    #[inline]
    fn enter(&mut self, _name: &'static str, _index: Option<usize>) {}

    #[inline]
    fn leave(&mut self) {}

    fn remaining(&self) -> Option<usize> {
        Some(self.cursor.remaining())
    }

    fn place(&self) -> Place {
        self.cursor.place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::codec::ReadCodec;

    #[derive(Debug, Default)]
    struct Named {
        number: u16,
        data: SharedBytes,
        last: u8,
    }

    fn named<C: Codec>(codec: &mut C, value: &mut Named) -> Result<()> {
        codec.field("number", &mut value.number)?;
        let len = codec.count("length", value.data.len(), 1)?;
        codec.blob("data", len, &mut value.data)?;
        codec.field("last", &mut value.last)
    }

    const BYTES: [u8; 10] = [9, 7, 1, 3, 0, 0, 0, b'a', b'b', b'c'];

    #[test]
    fn it_ends_where_a_reader_ends_and_shows_the_block() {
        let bytes = SharedBytes::from([&BYTES[..], &[5]].concat());
        let (mut skimmed, mut read) = (Named::default(), Named::default());
        let mut skim = SkimCodec::at(&bytes, Endian::Little, 1).expect("inside");
        named(&mut skim, &mut skimmed).expect("whole");
        let mut reader = ReadCodec::at(&bytes, Endian::Little, 1).expect("inside");
        named(&mut reader, &mut read).expect("whole");
        assert_eq!(skim.position(), reader.position());
        assert_eq!((skimmed.number, skimmed.last), (read.number, read.last));
        assert_eq!(skim.block(), b"abc");
        assert!(skimmed.data.is_empty(), "blocks are not taken");
    }

    #[test]
    fn what_is_missing_is_an_error_with_its_offset() {
        let bytes = SharedBytes::from(BYTES.to_vec());
        let mut skim = SkimCodec::at(&bytes, Endian::Little, 1).expect("inside");
        let error = named(&mut skim, &mut Named::default()).expect_err("the last byte is missing");
        assert_eq!((error.kind(), error.place()), (ErrorKind::Truncated, &Place::byte(10)));
        let short = bytes.slice(0..9).expect("inside");
        let mut skim = SkimCodec::at(&short, Endian::Little, 1).expect("inside");
        assert!(named(&mut skim, &mut Named::default()).is_err(), "a count beyond the end");
        assert!(SkimCodec::at(&bytes, Endian::Little, 11).is_err());
    }
}
