//! Writing values.

use super::{Codec, Field, Path, TextForm};
use crate::text::RawText;
use crate::{Endian, Error, Place, Result, Rope, SharedBytes, Writer};

/// Writes values.
#[derive(Debug)]
pub struct WriteCodec {
    writer: Writer,
    path: Path,
}

impl WriteCodec {
    /// An empty output.
    pub fn new(endian: Endian) -> Self {
        Self { writer: Writer::new(endian), path: Path::default() }
    }

    /// Number of bytes written so far.
    pub(super) fn position(&self) -> u64 {
        self.writer.position()
    }

    /// The path of a field of the open record.
    pub(super) fn path_of(&self, name: &str) -> String {
        self.path.with(name)
    }

    /// What was written.
    pub fn finish(self) -> Rope {
        self.writer.finish()
    }
}

impl Codec for WriteCodec {
    const READS: bool = false;

    fn field<T: Field>(&mut self, _name: &'static str, value: &mut T) -> Result<()> {
        value.write(&mut self.writer);
        Ok(())
    }

    fn text(&mut self, name: &'static str, form: TextForm, value: &mut RawText) -> Result<()> {
        match form {
            TextForm::NulTerminated if value.0.contains(&0) => {
                let message = format!("{name} holds a NUL, which a NUL-terminated text cannot");
                return Err(Error::malformed(self.place(), message));
            }
            TextForm::NulTerminated => {
                self.writer.bytes(&value.0);
                self.writer.u8(0);
            }
            TextForm::LengthU32 => {
                let len = count_u32(value.0.len(), || self.place())?;
                self.writer.u32(len);
                self.writer.bytes(&value.0);
            }
        }
        Ok(())
    }

    fn blob(&mut self, name: &'static str, len: usize, value: &mut SharedBytes) -> Result<()> {
        if value.len() != len {
            let message = format!("{name} holds {} bytes, its description says {len}", value.len());
            return Err(Error::malformed(self.place(), message));
        }
        self.writer.shared(value);
        Ok(())
    }

    fn count(&mut self, _name: &'static str, count: usize, _min_size: usize) -> Result<usize> {
        let narrow = count_u32(count, || self.place())?;
        self.writer.u32(narrow);
        Ok(count)
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.path.0.push((name, index));
    }

    fn leave(&mut self) {
        self.path.0.pop();
    }

    fn remaining(&self) -> Option<usize> {
        None
    }

    fn place(&self) -> Place {
        let path = self.path.with("");
        Place::byte(self.writer.position()).named(path.trim_end_matches('.'))
    }
}

fn count_u32(count: usize, place: impl FnOnce() -> Place) -> Result<u32> {
    u32::try_from(count).map_err(|_| Error::limit(place(), format!("{count} elements do not fit a 32-bit count")))
}
