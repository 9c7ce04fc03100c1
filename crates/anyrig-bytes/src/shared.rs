//! Bytes that are shared instead of copied.

use std::fmt;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A range of immutable bytes with a shared owner: a file in memory, a memory map, a vector.
#[derive(Clone, Default)]
pub struct SharedBytes {
    /// `None` for the empty range that nobody owns, so that it costs neither an allocation nor a count.
    owner: Option<Arc<dyn AsRef<[u8]> + Send + Sync>>,
    start: usize,
    end: usize,
}

impl SharedBytes {
    /// Takes ownership of anything that can be seen as bytes and never changes its length.
    pub fn from_owner(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let end = owner.as_ref().len();
        Self { owner: Some(Arc::new(owner)), start: 0, end }
    }

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        let all = self.owner.as_deref().map(AsRef::as_ref);
        all.and_then(|all| all.get(self.start..self.end)).unwrap_or(&[])
    }

    /// A part of these bytes that shares the owner; `None` when the range is not inside.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.len() {
            return None;
        }
        Some(Self { owner: self.owner.clone(), start: self.start + range.start, end: self.start + range.end })
    }

    /// Number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// True when there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// True when both are the same range of the same owner, so that their bytes need no comparison.
    pub fn same_range(&self, other: &Self) -> bool {
        let same_owner = match (&self.owner, &other.owner) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (None, None) => true,
            _ => false,
        };
        same_owner && self.start == other.start && self.end == other.end
    }
}

impl Deref for SharedBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from_owner(bytes)
    }
}

impl From<&[u8]> for SharedBytes {
    fn from(bytes: &[u8]) -> Self {
        Self::from_owner(bytes.to_vec())
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        self.same_range(other) || self.as_slice() == other.as_slice()
    }
}

impl Eq for SharedBytes {}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// The bytes of an output file as pieces in order, so that bulk arrays are written from where they lie.
#[derive(Clone, Debug, Default)]
pub struct Rope {
    pieces: Vec<SharedBytes>,
    len: u64,
}

impl Rope {
    /// Appends a piece.
    pub fn push(&mut self, piece: impl Into<SharedBytes>) {
        let piece = piece.into();
        if !piece.is_empty() {
            self.len += piece.len() as u64;
            self.pieces.push(piece);
        }
    }

    /// Appends all pieces of another rope.
    pub fn append(&mut self, other: Self) {
        self.len += other.len;
        self.pieces.extend(other.pieces);
    }

    /// The pieces in order; none is empty.
    pub fn pieces(&self) -> &[SharedBytes] {
        &self.pieces
    }

    /// Number of bytes of all pieces.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes all pieces.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.pieces.iter().try_for_each(|piece| out.write_all(piece))
    }

    /// All bytes in one vector.
    pub fn to_vec(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|piece| piece.iter().copied()).collect()
    }

    /// All bytes in one piece; copies only when there is more than one.
    pub fn to_shared(&self) -> SharedBytes {
        match self.pieces.as_slice() {
            [] => SharedBytes::default(),
            [one] => one.clone(),
            pieces => pieces.iter().map(SharedBytes::as_slice).collect::<Vec<_>>().concat().into(),
        }
    }
}

impl From<Vec<u8>> for Rope {
    fn from(bytes: Vec<u8>) -> Self {
        SharedBytes::from(bytes).into()
    }
}

impl From<SharedBytes> for Rope {
    fn from(bytes: SharedBytes) -> Self {
        let mut rope = Self::default();
        rope.push(bytes);
        rope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_share_and_refuse_what_is_outside() {
        let bytes = SharedBytes::from(vec![1, 2, 3, 4]);
        let middle = bytes.slice(1..3).expect("inside");
        assert_eq!(&*middle, &[2, 3]);
        assert!(bytes.slice(3..5).is_none());
        assert!(middle.slice(0..3).is_none());
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = bytes.slice(3..2);
        assert!(reversed.is_none());
        assert!(bytes.slice(1..3).expect("inside").same_range(&middle));
    }

    #[test]
    fn a_rope_is_its_pieces_in_order() {
        let mut rope = Rope::default();
        rope.push(vec![1, 2]);
        rope.push(vec![]);
        rope.push(vec![3]);
        assert_eq!((rope.len(), rope.pieces().len()), (3, 2));
        assert_eq!(rope.to_vec(), [1, 2, 3]);
        assert_eq!(&*rope.to_shared(), &[1, 2, 3]);
    }
}
