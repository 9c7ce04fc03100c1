//! The compressed buffer views of `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! Streams are those of the extensions' appendix A: attributes (versions 0 and 1), triangles and indices; filters are
//! those of appendix B. Both ways: what [`encode_attributes`], [`encode_triangles`] and [`encode_indices`] write is the
//! same on every machine. Nothing in a stream is trusted: a number of elements that its bytes cannot hold is refused
//! before anything is allocated, and so are a read beyond the end, an entry of a queue that was never written, and bytes
//! that are left over. What the decoded numbers refer to is checked by who uses them.

mod filters;
mod indices;
mod triangles;
mod vertex;
mod vertex_encode;

pub use filters::{encode_exponential, encode_octahedral, encode_quaternion};
pub use indices::encode as encode_indices;
pub use triangles::encode as encode_triangles;
pub use vertex_encode::encode as encode_attributes;

use std::fmt;

/// What a stream holds (`mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Elements of any kind.
    Attributes,
    /// Corners of a list of triangles.
    Triangles,
    /// Other indices.
    Indices,
}

/// What is done to decoded attributes (`filter`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Nothing.
    #[default]
    None,
    /// Unit vectors from octahedral coordinates; four i8 or four i16.
    Octahedral,
    /// Unit quaternions from their three smaller components; four i16.
    Quaternion,
    /// Floats from whole numbers with an exponent; any number of them.
    Exponential,
    /// RGBA from YCoCg; four u8 or four u16. Only `KHR_meshopt_compression` has it.
    Color,
}

/// Version of the attribute codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The one that `EXT_meshopt_compression` knows.
    V0,
    /// The smaller one, of `KHR_meshopt_compression` only.
    V1,
}

/// Layout of what a stream decodes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Codec.
    pub mode: Mode,
    /// Filter; only of attributes.
    pub filter: Filter,
    /// Number of elements.
    pub count: usize,
    /// Bytes of an element.
    pub stride: usize,
}

/// Why a stream is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Offset in the stream, in bytes.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the compressed data: {}", self.at, self.what)
    }
}

impl std::error::Error for Fault {}

fn fault<T>(at: usize, what: &'static str) -> Result<T, Fault> {
    Err(Fault { at, what })
}

const CUT_OFF: &str = "it ends here, but more elements are stated";
const LEFT_OVER: &str = "all elements are read, but bytes are left over";

impl Layout {
    /// Size of the decoded bytes; `None` when no machine can hold them.
    pub fn bytes(&self) -> Option<usize> {
        self.count.checked_mul(self.stride)
    }

    /// What the extensions demand of mode, filter, count and stride.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn check(&self) -> Result<(), &'static str> {
        let (stride, small) = (self.stride, matches!(self.stride, 2 | 4));
        match (self.mode, self.filter) {
            (Mode::Attributes, _) if stride == 0 || stride > 256 || !stride.is_multiple_of(4) => {
                Err("elements of attributes have 4 to 256 bytes, a multiple of 4")
            }
            (Mode::Attributes, Filter::Octahedral | Filter::Color) if !matches!(stride, 4 | 8) => {
                Err("elements of this filter have 4 or 8 bytes")
            }
            (Mode::Attributes, Filter::Quaternion) if stride != 8 => Err("elements of this filter have 8 bytes"),
            (Mode::Attributes, _) => Ok(()),
            (_, filter) if filter != Filter::None => Err("only attributes may have a filter"),
            (Mode::Triangles | Mode::Indices, _) if !small => Err("indices have 2 or 4 bytes"),
            (Mode::Triangles, _) if !self.count.is_multiple_of(3) => Err("triangles have three indices each"),
            _ => Ok(()),
        }
    }

    /// Decodes a stream and applies the filter.
    ///
    /// # Errors
    /// [`Fault`] with the offset. The layout should have passed [`Layout::check`]; one that has not gives a fault too.
    pub fn decode(&self, stream: &[u8]) -> Result<Vec<u8>, Fault> {
        if let Err(what) = self.check() {
            return fault(0, what);
        }
        match self.mode {
            Mode::Attributes => {
                let mut bytes = vertex::decode(stream, self.count, self.stride)?;
                filters::apply(self.filter, self.stride, &mut bytes);
                Ok(bytes)
            }
            Mode::Triangles => triangles::decode(stream, self.count, self.stride),
            Mode::Indices => indices::decode(stream, self.count, self.stride),
        }
    }
}

/// What a reader makes of elements that were made ready for a filter, of a stride that it allows.
pub fn filtered(filter: Filter, stride: usize, coded: &[u8]) -> Vec<u8> {
    let mut elements = coded.to_vec();
    filters::apply(filter, stride, &mut elements);
    elements
}

/// Appends an index of two bytes (wrapping) or four.
fn push_index(out: &mut Vec<u8>, index: u32, stride: usize) {
    match stride {
        2 => out.extend_from_slice(&(index as u16).to_le_bytes()),
        _ => out.extend_from_slice(&index.to_le_bytes()),
    }
}

/// An unsigned number in pieces of seven bits, the lowest first (appendix A, mode 1).
fn read_varint(bytes: &[u8], at: &mut usize, end: usize) -> Result<u32, Fault> {
    let mut value = 0u32;
    for piece in 0..5 {
        let Some(byte) = bytes.get(*at).filter(|_| *at < end) else { return fault(*at, CUT_OFF) };
        *at += 1;
        // Bits beyond the 32nd are ignored.
        value |= u32::from(byte & 0x7F) << (7 * piece);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    fault(*at, "a number is longer than five bytes")
}

fn write_varint(out: &mut Vec<u8>, mut value: u32) {
    while value > 0x7F {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The signed difference that an unsigned number stands for, as an unsigned one to add with wrap-around.
fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ ((difference as i32) >> 31) as u32
}

#[cfg(test)]
mod tests;
