//! Typed arrays that are either owned or a range of the source's bytes.

use crate::SharedBytes;
use bytemuck::{Pod, cast_slice, try_cast_slice};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An immutable array of plain values. Cloning shares; [`Buffer::make_mut`] copies only when it must.
///
/// A buffer made from a file's bytes stays a range of those bytes as long as their alignment allows it, so a mesh
/// that is only passed through is never copied.
#[derive(Clone)]
pub struct Buffer<T> {
    store: Store<T>,
}

#[derive(Clone)]
enum Store<T> {
    Owned(Arc<Vec<T>>),
    // Invariant: the bytes cast to `[T]`; checked on construction.
    Shared(SharedBytes),
}

impl<T: Pod> Buffer<T> {
    /// Sees little-endian bytes as values; copies only when they are not aligned. Excess bytes at the end are ignored.
    pub fn from_le_bytes(bytes: &SharedBytes) -> Self {
        let whole = bytes.len() - bytes.len() % size_of::<T>();
        let bytes = bytes.slice(0..whole).unwrap_or_default();
        if try_cast_slice::<u8, T>(&bytes).is_ok() {
            return Self { store: Store::Shared(bytes) };
        }
        bytemuck::allocation::pod_collect_to_vec::<u8, T>(&bytes).into()
    }

    /// The values.
    pub fn as_slice(&self) -> &[T] {
        match &self.store {
            Store::Owned(values) => values,
            Store::Shared(bytes) => cast_slice(bytes),
        }
    }

    /// The values for writing; copies them first when anybody else can see them.
    pub fn make_mut(&mut self) -> &mut Vec<T> {
        if let Store::Shared(bytes) = &self.store {
            self.store = Store::Owned(Arc::new(cast_slice(bytes).to_vec()));
        }
        match &mut self.store {
            Store::Owned(values) => Arc::make_mut(values),
            // The line above has just replaced it.
            Store::Shared(_) => unreachable!(),
        }
    }

    /// The values as bytes that share this buffer.
    pub fn to_bytes(&self) -> SharedBytes
    where
        T: Send + Sync,
    {
        match &self.store {
            Store::Owned(values) => SharedBytes::from_owner(OwnedBytes(Arc::clone(values))),
            Store::Shared(bytes) => bytes.clone(),
        }
    }

    /// True when both are the same memory, so that their values need no comparison.
    pub fn same_memory(&self, other: &Self) -> bool {
        match (&self.store, &other.store) {
            (Store::Owned(a), Store::Owned(b)) => Arc::ptr_eq(a, b),
            (Store::Shared(a), Store::Shared(b)) => a.same_range(b),
            _ => false,
        }
    }
}

struct OwnedBytes<T>(Arc<Vec<T>>);

impl<T: Pod> AsRef<[u8]> for OwnedBytes<T> {
    fn as_ref(&self) -> &[u8] {
        cast_slice(&self.0)
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self { store: Store::Owned(Arc::new(Vec::new())) }
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Self { store: Store::Owned(Arc::new(values)) }
    }
}

impl<T> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T: Pod + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.same_memory(other) || self.as_slice() == other.as_slice()
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.as_slice();
        if values.len() <= 8 {
            return f.debug_list().entries(values).finish();
        }
        write!(f, "[{:?}, {:?}, … {} values]", values[0], values[1], values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_bytes_are_shared_and_unaligned_ones_copied() {
        let mut raw = vec![0u8; 4];
        raw.extend([1.5f32, -2.0].iter().flat_map(|v| v.to_le_bytes()));
        raw.push(9);
        let all = SharedBytes::from(raw);
        for start in 0..5 {
            let bytes = all.slice(start..all.len()).expect("inside");
            let buffer = Buffer::<f32>::from_le_bytes(&bytes);
            assert_eq!(buffer.len(), bytes.len() / 4);
            if start == 4 {
                assert_eq!(&*buffer, &[1.5, -2.0]);
            }
        }
    }

    #[test]
    fn writing_copies_only_what_is_shared() {
        let mut a = Buffer::from(vec![1u32, 2]);
        let b = a.clone();
        a.make_mut()[0] = 7;
        assert_eq!((&*a, &*b), (&[7, 2][..], &[1, 2][..]));
        assert!(!a.same_memory(&b));
        assert_eq!(&*a.to_bytes(), &[7, 0, 0, 0, 2, 0, 0, 0]);
    }
}
