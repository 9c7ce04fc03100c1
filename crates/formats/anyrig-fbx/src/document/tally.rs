//! Counting what a file has of nodes and properties.

use anyrig_bytes::{Context, Place, Result};

/// Books elements in lots: a budget is shared by all threads of a job, which makes each question to it costly.
pub(super) struct Tally<'c> {
    context: &'c Context,
    /// Counted and not yet booked.
    open: u64,
}

/// So few elements need hardly any memory.
const LOT: u64 = 256;

impl<'c> Tally<'c> {
    pub fn new(context: &'c Context) -> Self {
        Self { context, open: 0 }
    }

    /// Counts elements before they are read.
    pub fn take(&mut self, count: u64, place: impl FnOnce() -> Place) -> Result<()> {
        self.open = self.open.saturating_add(count);
        if self.open < LOT { Ok(()) } else { self.finish(place) }
    }

    /// Books what is not booked yet.
    pub fn finish(&mut self, place: impl FnOnce() -> Place) -> Result<()> {
        self.context.take_elements(std::mem::take(&mut self.open), place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::Limits;

    #[test]
    fn nothing_is_left_out_and_no_lot_passes_the_limit() {
        let context = || {
            let mut limits = Limits::default();
            limits.elements = 1000;
            Context::new().with_limits(limits)
        };
        let read = |count: u64, each: u64| {
            let context = context();
            let mut tally = Tally::new(&context);
            let taken = (0..count).try_for_each(|_| tally.take(each, Place::whole));
            taken.and_then(|()| tally.finish(Place::whole)).is_ok()
        };
        assert!(read(1000, 1) && read(3, 300) && read(1, 1000));
        assert!(!read(1001, 1) && !read(4, 300) && !read(1, 1001) && !read(2, u64::MAX));
    }
}
