//! Binary writing into a rope of pieces.

use crate::{Endian, Rope, SharedBytes};

/// Writes numbers and texts, and strings bulk arrays together without copying them.
#[derive(Debug, Default)]
pub struct Writer {
    done: Rope,
    tail: Vec<u8>,
    endian: Endian,
}

/// Arrays below this size are cheaper to copy than to keep as a piece of their own.
const SHARE_FROM_BYTES: usize = 4096;

macro_rules! numbers {
    ($($name:ident: $type:ty),*) => {$(
        /// Writes one number in the writer's byte order.
        pub fn $name(&mut self, value: $type) {
            match self.endian {
                Endian::Little => self.bytes(&value.to_le_bytes()),
                Endian::Big => self.bytes(&value.to_be_bytes()),
            }
        }
    )*};
}

impl Writer {
    /// An empty writer.
    pub fn new(endian: Endian) -> Self {
        Self { endian, ..Self::default() }
    }

    numbers!(u8: u8, i8: i8, u16: u16, i16: i16, u32: u32, i32: i32, u64: u64, i64: i64, f32: f32, f64: f64);

    /// The byte order.
    pub fn endian(&self) -> Endian {
        self.endian
    }

    /// Copies bytes in.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(bytes);
    }

    /// Strings a bulk array in; large ones are shared, not copied.
    pub fn shared(&mut self, bytes: &SharedBytes) {
        if bytes.len() < SHARE_FROM_BYTES {
            return self.bytes(bytes);
        }
        self.flush();
        self.done.push(bytes.clone());
    }

    /// Fills up with a byte until the length is a multiple of `alignment`.
    pub fn pad(&mut self, alignment: u64, fill: u8) {
        let missing = self.position().next_multiple_of(alignment.max(1)) - self.position();
        self.tail.extend(std::iter::repeat_n(fill, missing as usize));
    }

    /// Number of bytes written so far.
    pub fn position(&self) -> u64 {
        self.done.len() + self.tail.len() as u64
    }

    /// The pieces in order.
    pub fn finish(mut self) -> Rope {
        self.flush();
        self.done
    }

    fn flush(&mut self) {
        self.done.push(std::mem::take(&mut self.tail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_large_arrays_and_keeps_the_order() {
        let large = SharedBytes::from(vec![7u8; SHARE_FROM_BYTES]);
        let mut writer = Writer::new(Endian::Big);
        writer.u16(0x0102);
        writer.shared(&large);
        writer.u8(3);
        writer.pad(4, 0);
        assert_eq!(writer.position(), 4100);
        let rope = writer.finish();
        assert!(rope.pieces()[1].same_range(&large));
        let bytes = rope.to_vec();
        assert_eq!(bytes[..3], [1, 2, 7]);
        assert_eq!(bytes[4097..], [7, 3, 0]);
    }
}
