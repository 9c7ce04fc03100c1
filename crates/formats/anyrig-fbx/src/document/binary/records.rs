//! The records of a binary file, each described once.

use super::MAGIC;
use anyrig_bytes::codec::Codec;
use anyrig_bytes::{At, Endian, Error, Place, Result, SharedBytes};

/// From this version on, node headers count in 64 bits.
pub(crate) const WIDE_FROM: u32 = 7500;

/// Versions that are read.
pub(crate) const VERSIONS: std::ops::RangeInclusive<u32> = 2000..=8000;

/// The error of a file of another version.
pub(crate) fn unknown_version(version: u32, place: Place) -> Error {
    let (first, last) = (VERSIONS.start(), VERSIONS.end());
    Error::unsupported(place, format!("version {version} is not known; {first} to {last} are"))
}

/// The file's header.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub magic: [u8; 21],
    /// 0x1A in all known files.
    pub reserved: u8,
    /// 0 for little endian; anything else for big.
    pub byte_order: u8,
    pub version: u32,
}

impl Default for Header {
    fn default() -> Self {
        Self { magic: *MAGIC, reserved: 0x1a, byte_order: 0, version: 0 }
    }
}

impl Header {
    pub fn endian(&self) -> Endian {
        byte_order(self.byte_order)
    }

    pub fn is_wide(&self) -> bool {
        self.version >= WIDE_FROM
    }
}

/// The byte order that the header's byte 22 stands for.
pub(crate) fn byte_order(byte: u8) -> Endian {
    if byte == 0 { Endian::Little } else { Endian::Big }
}

pub(crate) fn header<C: Codec>(codec: &mut C, header: &mut Header) -> Result<()> {
    codec.field("magic", &mut header.magic)?;
    codec.field("reserved", &mut header.reserved)?;
    codec.field("byte_order", &mut header.byte_order)?;
    codec.field("version", &mut header.version)
}

/// What stands before a node's properties. All zero: the null record that ends a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeRecord {
    /// Offset of the first byte after the node.
    pub end: u64,
    pub property_count: u64,
    pub property_bytes: u64,
    pub name: SharedBytes,
}

impl NodeRecord {
    /// Size of the record with an empty name.
    pub fn fixed_size(is_wide: bool) -> u64 {
        if is_wide { 25 } else { 13 }
    }

    /// True for the null record, if its name is empty too.
    pub fn is_empty(&self) -> bool {
        self.end == 0 && self.property_count == 0 && self.property_bytes == 0
    }
}

pub(crate) fn node<C: Codec>(codec: &mut C, is_wide: bool, record: &mut NodeRecord) -> Result<()> {
    offset(codec, "end_offset", is_wide, &mut record.end)?;
    offset(codec, "property_count", is_wide, &mut record.property_count)?;
    offset(codec, "property_bytes", is_wide, &mut record.property_bytes)?;
    let Ok(mut len) = u8::try_from(record.name.len()) else {
        let message = format!("a name of {} bytes is longer than 255", record.name.len());
        return Err(Error::malformed(codec.place(), message));
    };
    codec.field("name_length", &mut len)?;
    codec.text_blob("name", len.into(), &mut record.name)
}

fn offset<C: Codec>(codec: &mut C, name: &'static str, is_wide: bool, value: &mut u64) -> Result<()> {
    if is_wide {
        return codec.field(name, value);
    }
    let Ok(mut narrow) = u32::try_from(if C::READS { 0 } else { *value }) else {
        let message = format!("{name} is {value}, beyond the 4 GiB of versions below {WIDE_FROM}");
        return Err(Error::limit(codec.place(), message));
    };
    codec.field(name, &mut narrow)?;
    *value = narrow.into();
    Ok(())
}

/// A property. Which of the values holds is said by `kind`.
#[derive(Clone, Debug, Default)]
pub(crate) struct PropertyRecord {
    /// The type code.
    pub kind: u8,
    pub byte: u8,
    pub short: i16,
    pub int: i32,
    pub long: i64,
    pub float: f32,
    pub double: f64,
    /// Array: number of elements.
    pub count: u32,
    /// Array: 0 raw, 1 a zlib stream.
    pub encoding: u32,
    /// The bytes of a string, a raw block or an array.
    pub data: SharedBytes,
}

pub(crate) fn property<C: Codec>(codec: &mut C, p: &mut PropertyRecord) -> Result<()> {
    codec.field("type", &mut p.kind)?;
    match p.kind {
        b'B' | b'C' | b'Z' => codec.field("value", &mut p.byte),
        b'Y' => codec.field("value", &mut p.short),
        b'I' => codec.field("value", &mut p.int),
        b'L' => codec.field("value", &mut p.long),
        b'F' => codec.field("value", &mut p.float),
        b'D' => codec.field("value", &mut p.double),
        b'S' => {
            let len = codec.count("length", p.data.len(), 1)?;
            codec.text_blob("value", len, &mut p.data)
        }
        b'R' => {
            let len = codec.count("length", p.data.len(), 1)?;
            codec.blob("value", len, &mut p.data)
        }
        b'b' | b'c' | b'd' | b'f' | b'i' | b'l' => {
            codec.field("count", &mut p.count)?;
            codec.field("encoding", &mut p.encoding)?;
            let len = codec.count("length", p.data.len(), 1)?;
            codec.blob("data", len, &mut p.data)
        }
        unknown => {
            let message = format!("{:?} is not a property type", char::from(unknown));
            Err(Error::malformed(before_last_byte(codec.place()), message))
        }
    }
}

fn before_last_byte(mut place: Place) -> Place {
    if let At::Byte(offset) = &mut place.at {
        *offset = offset.saturating_sub(1);
    }
    place
}

/// What follows the nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footer {
    pub order: FooterOrder,
    pub id: [u8; 16],
    /// The zeros between the id and the version.
    pub zeros: SharedBytes,
    pub version: u32,
    /// What follows the version, or everything when the form is not known.
    pub rest: SharedBytes,
}

/// How the zeros of a footer are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FooterOrder {
    /// 1 to 16 zeros so that a multiple of 16 is reached, then 4 zeros (Autodesk).
    PaddingFirst,
    /// 4 zeros, then 1 to 16 zeros so that a multiple of 16 is reached (Blender).
    PaddingLast,
    /// Neither: nothing of it depends on what stands before.
    #[default]
    Unknown,
}

impl FooterOrder {
    /// Number of zeros after an id that begins at an offset.
    pub fn zeros(self, offset: u64) -> Option<u64> {
        let padding = |from: u64| 16 - from % 16;
        match self {
            Self::PaddingFirst => Some(padding(offset) + 4),
            Self::PaddingLast => Some(4 + padding(offset + 4)),
            Self::Unknown => None,
        }
    }

    /// The form of a footer at an offset: the right number of zeros, then a version. That is the version of the writing
    /// program's own format, which in old files is above that of the header.
    pub fn find(tail: &[u8], offset: u64, endian: Endian) -> Self {
        let fits = |order: &Self| {
            let zeros = order.zeros(offset).unwrap_or(0) as usize;
            let (Some(gap), Some(rest)) = (tail.get(16..16 + zeros), tail.get(16 + zeros..)) else { return false };
            let version = rest.first_chunk().map(|word| match endian {
                Endian::Little => u32::from_le_bytes(*word),
                Endian::Big => u32::from_be_bytes(*word),
            });
            gap.iter().all(|b| *b == 0) && version.is_some_and(|version| VERSIONS.contains(&version))
        };
        [Self::PaddingFirst, Self::PaddingLast].into_iter().find(fits).unwrap_or_default()
    }
}

/// Walks a footer whose order, zeros and rest have the lengths that they are to have.
pub(crate) fn footer<C: Codec>(codec: &mut C, footer: &mut Footer) -> Result<()> {
    if footer.order != FooterOrder::Unknown {
        codec.field("id", &mut footer.id)?;
        codec.blob("padding", footer.zeros.len(), &mut footer.zeros)?;
        codec.field("version", &mut footer.version)?;
    }
    codec.blob("rest", footer.rest.len(), &mut footer.rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_footers_have_sixteen_zeros_and_four() {
        // An id at 0x20 ends at 0x30, already aligned.
        assert_eq!(FooterOrder::PaddingFirst.zeros(0x20), Some(20));
        assert_eq!(FooterOrder::PaddingFirst.zeros(0x2f), Some(5));
        assert_eq!(FooterOrder::PaddingLast.zeros(0x2c), Some(20));
        assert_eq!(FooterOrder::PaddingLast.zeros(0x20), Some(16));
    }

    #[test]
    fn versions_from_7500_on_are_wide() {
        let wide = |version| Header { version, ..Header::default() }.is_wide();
        assert_eq!([7400, 7499, 7500, 8000].map(wide), [false, false, true, true]);
    }
}
