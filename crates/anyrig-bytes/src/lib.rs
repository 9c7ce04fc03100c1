//! The bottom layer of anyrig: everything that a format reader or writer needs and that knows nothing of scenes.
//!
//! - [`SharedBytes`], [`Buffer`], [`Rope`]: bytes that are shared instead of copied.
//! - [`Cursor`] and [`Writer`]: bounds-checked binary reading and writing, little and big endian.
//! - [`Codec`]: one description per binary record, from which reader, writer and annotated trace are made.
//! - [`Error`], [`Place`], [`Report`]: what went wrong, where, and what was repaired, approximated or lost.
//! - [`Limits`], [`Context`], [`Source`]: what a reader may use, and where its bytes come from.
//! - [`text`]: legacy encodings, with the raw bytes kept; [`compress`]: inflate into a checked size.
//! - [`maths`]: transcendental functions that give the same bits on every machine.

#[cfg(not(target_endian = "little"))]
compile_error!("anyrig reads bulk arrays in place and therefore needs a little-endian target");

mod attachment;
mod buffer;
pub mod codec;
mod codes;
pub mod compress;
mod context;
mod cursor;
mod error;
mod limits;
pub mod maths;
pub mod names;
mod place;
mod report;
mod shared;
mod source;
pub mod text;
mod value;
mod writer;

pub use attachment::{AttachedSource, Attachment, Role};
pub use buffer::Buffer;
pub use codec::Codec;
pub use context::{Context, Progress};
pub use cursor::{Cursor, Endian};
pub use error::{Error, ErrorKind, Result};
pub use limits::{Budget, Limits};
pub use place::{At, Place};
pub use report::{Code, Diagnostic, Report, Severity};
pub use shared::{Rope, SharedBytes};
pub use source::{MemorySource, Source, normal_relative_name};
pub use value::Value;
pub use writer::Writer;
