//! Bounds-checked reading of binary files, with the place in every error.

use crate::{Error, Place, Result, SharedBytes};

/// Byte order of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

/// A reading position in shared bytes.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a SharedBytes,
    // The same bytes, so that reading a number does not go through the owner each time.
    view: &'a [u8],
    position: usize,
    endian: Endian,
}

macro_rules! numbers {
    ($($name:ident: $type:ty),*) => {$(
        /// Reads one number in the cursor's byte order.
        ///
        /// # Errors
        /// [`crate::ErrorKind::Truncated`] at the end of the bytes.
        #[inline]
        pub fn $name(&mut self) -> Result<$type> {
            let bytes = self.array()?;
            Ok(match self.endian {
                Endian::Little => <$type>::from_le_bytes(bytes),
                Endian::Big => <$type>::from_be_bytes(bytes),
            })
        }
    )*};
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of the bytes.
    #[inline]
    pub fn new(bytes: &'a SharedBytes, endian: Endian) -> Self {
        Self { bytes, view: bytes.as_slice(), position: 0, endian }
    }

    /// The offset of the next byte.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Moves to an offset, at most the end.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] when the offset is outside.
    #[inline]
    pub fn seek(&mut self, position: usize) -> Result<()> {
        if position > self.view.len() {
            return Err(self.outside(position));
        }
        self.position = position;
        Ok(())
    }

    /// Number of bytes left.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.view.len() - self.position
    }

    /// The byte order.
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// Changes the byte order for what follows.
    pub fn set_endian(&mut self, endian: Endian) {
        self.endian = endian;
    }

    /// The place of the next byte.
    pub fn place(&self) -> Place {
        Place::byte(self.position as u64)
    }

    /// The next bytes, without moving.
    #[inline]
    pub fn peek(&self, len: usize) -> Option<&'a [u8]> {
        self.view.get(self.position..self.position.checked_add(len)?)
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] when fewer are left.
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let Some(bytes) = self.peek(len) else {
            return Err(self.too_short(len as u64));
        };
        self.position += len;
        Ok(bytes)
    }

    /// Takes the next bytes as a range that shares the source.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] when fewer are left.
    pub fn take_shared(&mut self, len: usize) -> Result<SharedBytes> {
        let start = self.position;
        self.take(len)?;
        Ok(self.bytes.slice(start..start + len).unwrap_or_default())
    }

    /// Takes the bytes before the next NUL, and the NUL.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] when there is no NUL.
    pub fn take_until_nul(&mut self) -> Result<&'a [u8]> {
        let rest = &self.view[self.position..];
        let Some(len) = rest.iter().position(|b| *b == 0) else {
            return Err(Error::truncated(self.place(), "the text has no terminating NUL before the end of the file"));
        };
        self.position += len + 1;
        Ok(&rest[..len])
    }

    /// Checks a count from the file against the bytes left, before anything is allocated for it.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] when `count` elements of at least `min_size` bytes cannot follow.
    #[inline]
    pub fn check_count(&self, count: u64, min_size: usize) -> Result<usize> {
        let needed = count.saturating_mul(min_size.max(1) as u64);
        if needed > self.remaining() as u64 {
            return Err(self.too_many(count, min_size));
        }
        Ok(count as usize)
    }

    /// Takes a fixed number of bytes.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] when fewer are left.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(bytes) = self.view[self.position..].first_chunk::<N>() else {
            return Err(self.too_short(N as u64));
        };
        self.position += N;
        Ok(*bytes)
    }

    numbers!(u8: u8, i8: i8, u16: u16, i16: i16, u32: u32, i32: i32, u64: u64, i64: i64, f32: f32, f64: f64);

    #[cold]
    fn outside(&self, position: usize) -> Error {
        let message = format!("offset {position} is outside the {} bytes of the file", self.view.len());
        Error::truncated(self.place(), message)
    }

    #[cold]
    fn too_many(&self, count: u64, min_size: usize) -> Error {
        let left = self.remaining();
        let message =
            format!("{count} elements of at least {min_size} bytes are announced, but only {left} bytes are left");
        Error::truncated(self.place(), message)
    }

    #[cold]
    fn too_short(&self, wanted: u64) -> Error {
        let message = format!("the file ends here: {wanted} bytes are needed, {} are left", self.remaining());
        Error::truncated(self.place(), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn reads_both_byte_orders() {
        let bytes = SharedBytes::from(vec![1, 2, 3, 4, 0, 0, 0x80, 0x3f]);
        let mut little = Cursor::new(&bytes, Endian::Little);
        assert_eq!(little.u32(), Ok(0x0403_0201));
        assert_eq!(little.f32(), Ok(1.0));
        let mut big = Cursor::new(&bytes, Endian::Big);
        assert_eq!(big.u16(), Ok(0x0102));
    }

    #[test]
    fn names_the_place_and_does_not_move_on_error() {
        let bytes = SharedBytes::from(vec![1, 2, 3]);
        let mut cursor = Cursor::new(&bytes, Endian::Little);
        cursor.u8().expect("one byte");
        let error = cursor.u32().expect_err("three bytes missing");
        assert_eq!((error.kind(), error.place()), (ErrorKind::Truncated, &Place::byte(1)));
        assert_eq!(cursor.position(), 1);
        assert!(cursor.check_count(u64::MAX, usize::MAX).is_err());
        assert_eq!(cursor.check_count(2, 1), Ok(2));
        assert!(cursor.take_until_nul().is_err());
    }
}
