//! Binary files.

mod dump;
mod read;
mod records;
mod write;

pub(crate) use dump::{bytes as bytes_of_dump, tree};
pub(crate) use read::read;
pub(crate) use records::{PropertyRecord, VERSIONS, property, unknown_version};
pub(crate) use write::{property_record, read_property, skim_property, trace, write};

use anyrig_bytes::Endian;
use records::{Footer, Header};

/// The first bytes of every binary file; a NUL follows.
pub(crate) const MAGIC: &[u8; 21] = b"Kaydara FBX Binary  \0";

/// Size of the header.
pub(crate) const HEADER_SIZE: usize = 27;

/// True when the bytes begin like a binary file.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// What surrounds the nodes of a binary file.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    header: Header,
    footer: Footer,
}

impl Frame {
    pub fn endian(&self) -> Endian {
        self.header.endian()
    }
}
