//! Fatal errors: a small stable kind, a place, and a message for a person.

use crate::Place;
use std::fmt;

/// What sort of failure it is. Small and stable, so that programs can match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends before what it announces.
    Truncated,
    /// The input contradicts its format.
    Malformed,
    /// The input is legal, but uses something that anyrig does not read or write.
    Unsupported,
    /// A limit of [`crate::Limits`] would be passed.
    LimitExceeded,
    /// The operating system or a source refused.
    Io,
    /// The caller asked to stop.
    Cancelled,
    /// An option or an argument of the caller is wrong.
    Usage,
    /// Something would be lost, and the caller does not accept losses.
    Losses,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Unsupported => "unsupported",
            Self::LimitExceeded => "limit exceeded",
            Self::Io => "input/output",
            Self::Cancelled => "cancelled",
            Self::Usage => "usage",
            Self::Losses => "losses",
        })
    }
}

/// Why an operation could not be done at all.
///
/// The message says what is wrong and, where there is one, the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    place: Place,
    message: String,
}

/// Shorthand for results of this crate family.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind at a place.
    pub fn new(kind: ErrorKind, place: Place, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, place, message: message.into() }))
    }

    /// The input contradicts its format.
    pub fn malformed(place: Place, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, place, message)
    }

    /// The input ends too early.
    pub fn truncated(place: Place, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Truncated, place, message)
    }

    /// The input uses something that is not supported.
    pub fn unsupported(place: Place, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, place, message)
    }

    /// A limit would be passed.
    pub fn limit(place: Place, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::LimitExceeded, place, message)
    }

    /// The operating system or a source refused.
    pub fn io(place: Place, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, place, message)
    }

    /// An option or an argument is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, Place::whole(), message)
    }

    /// Something would be lost, and the caller does not accept losses.
    pub fn losses(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Losses, Place::whole(), message)
    }

    /// The caller asked to stop.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, Place::whole(), "stopped on request")
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// True when the job as a whole has to end, whatever a reader could do without: a limit is reached, or the caller
    /// asked to stop.
    pub fn ends_job(&self) -> bool {
        matches!(self.0.kind, ErrorKind::LimitExceeded | ErrorKind::Cancelled)
    }

    /// The place.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The message, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The same error, told to be in a file; an already named file stays.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        if self.0.place.file.is_empty() {
            file.clone_into(&mut self.0.place.file);
        }
        self
    }

    /// The same error with an element's name; an already named element stays.
    #[must_use]
    pub fn in_element(mut self, element: impl FnOnce() -> String) -> Self {
        if self.0.place.element.is_empty() {
            self.0.place.element = element();
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.place.is_empty() {
            return f.write_str(&self.0.message);
        }
        write!(f, "{}: {}", self.0.place, self.0.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_first_file_name() {
        let error = Error::malformed(Place::byte(4), "bad magic").in_file("a.glb").in_file("b.glb");
        assert_eq!(error.to_string(), "a.glb: byte 4 (0x4): bad magic");
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert!(!error.ends_job() && Error::cancelled().ends_job() && Error::limit(Place::whole(), "").ends_job());
    }
}
