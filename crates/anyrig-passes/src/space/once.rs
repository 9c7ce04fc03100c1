//! Buffers that are converted once, however many users share them.

use anyrig_bytes::Buffer;
use std::collections::BTreeMap;

/// Converted buffers by the memory that they came from and the kind of work.
pub(super) struct Once<T, K> {
    done: BTreeMap<(usize, usize, K), Done<T>>,
}

struct Done<T> {
    /// Kept alive, so that no other buffer can come to lie at its address.
    _source: Buffer<T>,
    result: Buffer<T>,
}

impl<T, K> Default for Once<T, K> {
    fn default() -> Self {
        Self { done: BTreeMap::new() }
    }
}

impl<T: bytemuck::Pod, K: Ord> Once<T, K> {
    pub(super) fn convert(&mut self, kind: K, source: &Buffer<T>, work: impl FnOnce(&[T]) -> Vec<T>) -> Buffer<T> {
        let key = (source.as_ptr().addr(), source.len(), kind);
        let make = || Done { _source: source.clone(), result: work(source).into() };
        self.done.entry(key).or_insert_with(make).result.clone()
    }
}
