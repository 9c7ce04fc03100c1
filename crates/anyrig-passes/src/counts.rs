//! How many elements of each kind a pass left out.

use anyrig_bytes::{Code, Context, Diagnostic};

/// How many elements of a kind, and what they are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// How many.
    pub count: u64,
    /// The word for one.
    pub one: &'static str,
    /// The word for several.
    pub many: &'static str,
}

impl Count {
    pub(crate) const fn new(count: u64, one: &'static str, many: &'static str) -> Self {
        Self { count, one, many }
    }
}

/// A line for each kind of which there are any.
pub(crate) fn tell(counts: &[Count], code: &'static Code, message: &str, context: &Context) {
    for row in counts.iter().filter(|c| c.count > 0) {
        context.push(Diagnostic::new(code, row.many, message).times(row.count));
    }
}
