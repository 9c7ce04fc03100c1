//! Failures, and the exit codes that they become.

use anyrig::{Error, ErrorKind};
use std::fmt;
use std::io;
use std::path::Path;

/// Exit codes, the mildest first: a batch ends with its worst one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Done,
    /// Losses under `--strict`.
    Losses,
    Failed,
    Usage,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Losses => 3,
        }
    }
}

/// Why something could not be done, ready to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
}

impl Failure {
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into() }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// The operating system refused something with a path.
    pub fn io(path: &Path, doing: &str, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "; check the name",
            io::ErrorKind::PermissionDenied => "; check the permissions",
            io::ErrorKind::StorageFull => "; free some space",
            _ => "",
        };
        Self::failed(format!("{}: cannot {doing}: {error}{remedy}", path.display()))
    }
}

/// The flag that raises the limit of a job that was passed.
fn limit_flag(error: &Error) -> Option<&'static str> {
    if error.kind() != ErrorKind::LimitExceeded {
        return None;
    }
    let message = error.message();
    let of_job = message.contains("for this job");
    let flags = [
        (of_job && message.contains("bytes of memory"), "--limit-memory"),
        (of_job && message.contains("elements"), "--limit-elements"),
        (message.contains("pixels are more than the limit"), "--limit-pixels"),
        (message.contains("deeper than the limit"), "--limit-depth"),
    ];
    flags.iter().find(|(is_it, _)| *is_it).map(|(_, flag)| *flag)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::Losses => Exit::Losses,
            _ => Exit::Failed,
        };
        let flag = limit_flag(&error).map_or_else(String::new, |flag| format!("; {flag} raises it"));
        Self { exit, message: format!("{error}{flag}") }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig::{Context, Limits, Place};

    #[test]
    fn a_failure_is_worse_than_losses_and_usage_is_worst() {
        let worst = [Exit::Losses, Exit::Failed, Exit::Done].into_iter().max().expect("three");
        assert_eq!(worst.code(), 1);
        assert_eq!(Failure::from(Error::losses("x")).exit.code(), 3);
        assert_eq!(Failure::from(Error::usage("x")).exit.code(), 2);
    }

    #[test]
    fn a_passed_limit_names_its_flag() {
        let mut limits = Limits::default();
        (limits.memory_bytes, limits.elements) = (1, 1);
        let context = Context::new().with_limits(limits);
        let memory = Failure::from(context.take_memory(2, Place::whole).expect_err("more than 1"));
        assert!(memory.message.ends_with("; --limit-memory raises it"), "{memory}");
        let elements = Failure::from(context.take_elements(2, Place::whole).expect_err("more than 1"));
        assert!(elements.message.ends_with("; --limit-elements raises it"), "{elements}");
        let other = Failure::from(Error::limit(Place::whole(), "3 elements do not fit"));
        assert!(!other.message.contains("--limit"), "{other}");
    }
}
