//! From a document to bytes.

use crate::document::{Container, records};
use anyrig_bytes::{Result, Rope};

/// The file of a container, from its fields.
pub(crate) fn write(container: &Container) -> Result<Rope> {
    match container {
        Container::Text(text) => Ok(text.clone().into()),
        Container::Binary(glb) => records::write(glb),
    }
}
