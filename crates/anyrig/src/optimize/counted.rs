//! A source that remembers how much of it was read.

use anyrig_bytes::{Result, SharedBytes, Source};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Counts the files beside the main one that somebody asked for.
pub(super) struct Counted<'a> {
    source: &'a dyn Source,
    beside: Mutex<BTreeMap<String, u64>>,
}

impl<'a> Counted<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self { source, beside: Mutex::default() }
    }

    /// The main file and every file that was resolved.
    pub(super) fn bytes_read(&self) -> u64 {
        let beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        self.source.bytes().len() as u64 + beside.values().sum::<u64>()
    }
}

impl Source for Counted<'_> {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn bytes(&self) -> &SharedBytes {
        self.source.bytes()
    }

    fn resolve(&self, relative_name: &str) -> Result<Option<SharedBytes>> {
        let found = self.source.resolve(relative_name)?;
        if let Some(bytes) = &found {
            let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
            beside.insert(relative_name.to_owned(), bytes.len() as u64);
        }
        Ok(found)
    }
}
