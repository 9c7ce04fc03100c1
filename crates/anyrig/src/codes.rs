//! What jobs of several formats may have to say.

use anyrig_bytes::{Code, Severity};

/// Files in an output folder that is written over.
pub static LEFT_OVER: Code = Code::new(
    "convert.left-over",
    Severity::Note,
    "A file lies in an output folder that is written over, and this conversion did not make it; it is left alone.",
);

/// All codes of this crate.
pub static CODES: &[&Code] = &[&LEFT_OVER];
