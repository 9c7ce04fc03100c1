//! Things by their names.

use anyrig_bytes::{Error, Result};

/// The one of a name.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`], naming all.
pub(crate) fn find<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, (kind, name): (&str, &str)) -> Result<T> {
    all.iter().copied().find(|one| name_of(*one) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name_of(*one)).collect();
        Error::usage(format!("there is no {kind} `{name}`; there are: {}", names.join(", ")))
    })
}
