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

    fn count(&self, name: &str, bytes: &SharedBytes) {
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        beside.insert(name.to_owned(), bytes.len() as u64);
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
        found.iter().for_each(|bytes| self.count(relative_name, bytes));
        Ok(found)
    }

    fn find(&self, relative_name: &str) -> Result<Option<(String, SharedBytes)>> {
        let found = self.source.find(relative_name)?;
        found.iter().for_each(|(name, bytes)| self.count(name, bytes));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::MemorySource;

    #[test]
    fn files_are_found_as_the_source_finds_them_and_counted_once() {
        let source = MemorySource::new("a.fbx", vec![0; 10]).with_file("tex.png", vec![1; 5]);
        let counted = Counted::new(&source);
        let found = counted.find("Tex.PNG").expect("a good name").map(|(name, bytes)| (name, bytes.len()));
        assert_eq!(found, Some(("tex.png".to_owned(), 5)));
        assert!(counted.resolve("tex.png").expect("a good name").is_some());
        assert!(counted.find("other.png").expect("a good name").is_none());
        assert_eq!(counted.bytes_read(), 15);
    }
}
