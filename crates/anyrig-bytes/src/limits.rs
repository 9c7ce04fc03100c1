//! What a reader may use. On by default, generous, and part of every read.

use crate::{Error, Place, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Upper bounds for one read or conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Size of any one input file, in bytes.
    pub input_bytes: u64,
    /// Memory that may be allocated because a file says so, in bytes, over the whole job.
    pub memory_bytes: u64,
    /// Number of elements (nodes, vertices, keys, JSON values …), over the whole job.
    pub elements: u64,
    /// Nesting depth of nodes, JSON values and the like.
    pub depth: u32,
    /// Pixels of any one image.
    pub pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { input_bytes: 4 << 30, memory_bytes: 8 << 30, elements: 1 << 30, depth: 4096, pixels: 1 << 28 }
    }
}

/// What is left of the job's [`Limits`]. Shared by all threads of a job.
#[derive(Debug, Default)]
pub struct Budget {
    memory_bytes: AtomicU64,
    elements: AtomicU64,
}

impl Budget {
    /// Books memory before it is allocated.
    ///
    /// # Errors
    /// [`crate::ErrorKind::LimitExceeded`] when the job would use more than [`Limits::memory_bytes`].
    pub fn take_memory(&self, limits: &Limits, bytes: u64, place: impl FnOnce() -> Place) -> Result<()> {
        take(&self.memory_bytes, limits.memory_bytes, bytes)
            .ok_or_else(|| Error::limit(place(), message("bytes of memory", bytes, limits.memory_bytes)))
    }

    /// Books elements before they are read.
    ///
    /// # Errors
    /// [`crate::ErrorKind::LimitExceeded`] when the job would use more than [`Limits::elements`].
    pub fn take_elements(&self, limits: &Limits, count: u64, place: impl FnOnce() -> Place) -> Result<()> {
        take(&self.elements, limits.elements, count)
            .ok_or_else(|| Error::limit(place(), message("elements", count, limits.elements)))
    }
}

fn take(used: &AtomicU64, limit: u64, amount: u64) -> Option<()> {
    used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |u| u.checked_add(amount).filter(|sum| *sum <= limit))
        .ok()
        .map(|_| ())
}

fn message(unit: &str, amount: u64, limit: u64) -> String {
    format!("{amount} more {unit} would pass the limit of {limit} for this job; raise the limit if the file is trusted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_over_calls_and_never_overflows() {
        let limits = Limits { elements: 10, ..Limits::default() };
        let budget = Budget::default();
        assert!(budget.take_elements(&limits, 10, Place::whole).is_ok());
        assert!(budget.take_elements(&limits, 1, Place::whole).is_err());
        assert!(budget.take_elements(&limits, u64::MAX, Place::whole).is_err());
        assert!(budget.take_elements(&limits, 0, Place::whole).is_ok());
    }
}
