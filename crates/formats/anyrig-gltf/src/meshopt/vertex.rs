//! Decoding of attributes (appendix A, mode 0).
//!
//! A block holds up to 256 elements. Its differences lie byte position by byte position (a lane), each in groups of 16;
//! four lanes are a channel. Lanes of a channel are decoded side by side and put together to 32-bit words, so that
//! elements are written four bytes at a time.

use super::{CUT_OFF, Fault, LEFT_OVER, Version, fault};

/// Elements of a group.
pub(super) const GROUP: usize = 16;
/// Most elements of a block.
pub(super) const BLOCK: usize = 256;
/// First byte of a stream, version 0; the version is added.
pub(super) const MAGIC: u8 = 0xA0;

/// Differences of a channel's four byte positions.
pub(super) type Lanes = [[u8; BLOCK]; 4];

/// Elements of all blocks but the last.
pub(super) fn block_elements(stride: usize) -> usize {
    ((8192 / stride.max(1)) & !(GROUP - 1)).clamp(GROUP, BLOCK)
}

/// Size of the last block: the first element, and the modes of the channels in version 1.
pub(super) fn tail_bytes(version: Version, stride: usize) -> usize {
    match version {
        Version::V0 => stride.max(32),
        Version::V1 => (stride + stride / 4).max(24),
    }
}

/// How the differences of a channel are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChannelMode {
    /// Each byte for itself.
    Bytes,
    /// Two 16-bit numbers.
    Shorts,
    /// A 32-bit number, by exclusive or, turned left by some bits.
    Xor(u32),
}

impl ChannelMode {
    fn of(byte: u8) -> Option<Self> {
        Some(match (byte & 15, byte >> 4) {
            (0, 0) => Self::Bytes,
            (1, 0) => Self::Shorts,
            (2, turn) => Self::Xor(u32::from(turn)),
            _ => return None,
        })
    }

    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Bytes => 0,
            Self::Shorts => 1,
            Self::Xor(turn) => 2 | (turn as u8) << 4,
        }
    }
}

/// Bits of a group's differences, by its two header bits.
pub(super) type Widths = [usize; 4];
pub(super) const WIDTHS_V0: Widths = [0, 2, 4, 8];
pub(super) const WIDTHS_SMALL: Widths = [0, 1, 2, 4];
pub(super) const WIDTHS_LARGE: Widths = [1, 2, 4, 8];

/// All elements, one after the other.
pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Fault> {
    let version = match stream.first() {
        Some(0xA0) => Version::V0,
        Some(0xA1) => Version::V1,
        _ => return fault(0, "attributes begin with the byte 0xa0 or 0xa1"),
    };
    let tail = tail_bytes(version, stride);
    let Some(end) = stream.len().checked_sub(tail).filter(|end| *end > 0) else { return fault(stream.len(), CUT_OFF) };
    check_count(end - 1, count, stride, version)?;
    let channels = stride / 4;
    let (modes_at, stored) = match version {
        Version::V0 => (stream.len(), stream.len() - stride),
        Version::V1 => (stream.len() - channels, stream.len() - channels - stride),
    };
    let mut last = Vec::with_capacity(channels);
    for (channel, word) in stream[stored..stored + stride].as_chunks::<4>().0.iter().enumerate() {
        let mode = ChannelMode::of(stream.get(modes_at + channel).copied().unwrap_or(0));
        let Some(mode) = mode else { return fault(modes_at + channel, "this is not a mode of a channel") };
        last.push((mode, u32::from_le_bytes(*word)));
    }
    let mut out = vec![0; count * stride];
    let mut input = Input { stream, at: 1, end, version };
    for block in out.chunks_mut(block_elements(stride) * stride) {
        input.block(block, stride, &mut last)?;
    }
    if input.at == end { Ok(out) } else { fault(input.at, LEFT_OVER) }
}

/// The fewest bytes that blocks of so many elements can have.
fn check_count(available: usize, count: usize, stride: usize, version: Version) -> Result<(), Fault> {
    let per_block = block_elements(stride);
    let least = |elements: usize| match version {
        Version::V0 => stride * elements.div_ceil(GROUP * 4),
        Version::V1 => stride / 4,
    };
    let whole = (count / per_block).checked_mul(least(per_block));
    let needed =
        whole.and_then(|w| w.checked_add(if count.is_multiple_of(per_block) { 0 } else { least(count % per_block) }));
    match needed {
        Some(needed) if needed <= available && count.checked_mul(stride).is_some() => Ok(()),
        _ => fault(available + 1, CUT_OFF),
    }
}

struct Input<'a> {
    stream: &'a [u8],
    at: usize,
    /// Where the last block begins.
    end: usize,
    version: Version,
}

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], Fault> {
        let to = self.at.saturating_add(len);
        match self.stream.get(self.at..to).filter(|_| to <= self.end) {
            Some(bytes) => {
                self.at = to;
                Ok(bytes)
            }
            None => fault(self.at, CUT_OFF),
        }
    }

    fn block(&mut self, out: &mut [u8], stride: usize, last: &mut [(ChannelMode, u32)]) -> Result<(), Fault> {
        let elements = out.len() / stride;
        let controls = match self.version {
            Version::V0 => &[][..],
            Version::V1 => self.take(stride / 4)?,
        };
        let mut lanes: Lanes = [[0; BLOCK]; 4];
        for (channel, (mode, word)) in last.iter_mut().enumerate() {
            let control = controls.get(channel).copied();
            for (number, lane) in lanes.iter_mut().enumerate() {
                self.lane(control.map(|c| c >> (2 * number) & 3), elements, lane)?;
            }
            *word = restore(*mode, *word, &lanes, out, (stride, channel * 4));
        }
        Ok(())
    }

    /// One byte position of all elements of a block.
    fn lane(&mut self, control: Option<u8>, elements: usize, lane: &mut [u8; BLOCK]) -> Result<(), Fault> {
        let widths = match control {
            None => WIDTHS_V0,
            Some(0) => WIDTHS_SMALL,
            Some(1) => WIDTHS_LARGE,
            Some(2) => {
                lane.fill(0);
                return Ok(());
            }
            Some(_) => {
                let bytes = self.take(elements)?;
                lane.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                return Ok(());
            }
        };
        let groups = elements.div_ceil(GROUP);
        let header = self.take(groups.div_ceil(4))?;
        for (group, out) in lane.as_chunks_mut::<GROUP>().0.iter_mut().take(groups).enumerate() {
            let selected = header.get(group / 4).map_or(0, |h| h >> (2 * (group % 4)) & 3);
            match widths[usize::from(selected)] {
                0 => *out = [0; GROUP],
                1 => self.group::<1>(out)?,
                2 => self.group::<2>(out)?,
                4 => self.group::<4>(out)?,
                _ => out.copy_from_slice(self.take(GROUP)?),
            }
        }
        Ok(())
    }

    /// Sixteen numbers of 1, 2 or 4 bits; those of all ones stand for a byte behind them.
    fn group<const BITS: usize>(&mut self, out: &mut [u8; GROUP]) -> Result<(), Fault> {
        // The last block is long enough for this to be there wherever a group can begin.
        let Some(window) = self.stream.get(self.at..).and_then(|s| s.first_chunk::<24>()) else {
            return fault(self.at, CUT_OFF);
        };
        let per_byte = 8 / BITS;
        let all_ones = (1u8 << BITS) - 1;
        let mut next = 2 * BITS;
        for (number, value) in out.iter_mut().enumerate() {
            let place = number % per_byte;
            let shift = if BITS == 1 { place } else { 8 - BITS - place * BITS };
            let code = window[number / per_byte] >> shift & all_ones;
            let escaped = code == all_ones;
            // At most 8 bytes and 16 more: within the window.
            let byte = window[next.min(23)];
            *value = if escaped { byte } else { code };
            next += usize::from(escaped);
        }
        self.take(next).map(|_| ())
    }
}

/// Adds up the differences of a channel, writes it into the elements, and gives its last value.
fn restore(mode: ChannelMode, last: u32, lanes: &Lanes, out: &mut [u8], place: (usize, usize)) -> u32 {
    match mode {
        ChannelMode::Bytes => add_up(last, lanes, out, place, add_bytes),
        ChannelMode::Shorts => add_up(last, lanes, out, place, add_shorts),
        ChannelMode::Xor(turn) => add_up(last, lanes, out, place, |last, d| last ^ d.rotate_right(turn)),
    }
}

fn add_up(
    mut last: u32,
    lanes: &Lanes,
    out: &mut [u8],
    (stride, offset): (usize, usize),
    add: impl Fn(u32, u32) -> u32,
) -> u32 {
    let [a, b, c, d] = lanes;
    let differences = a.iter().zip(b).zip(c.iter().zip(d));
    for (element, ((a, b), (c, d))) in out.chunks_exact_mut(stride).zip(differences) {
        last = add(last, u32::from_le_bytes([*a, *b, *c, *d]));
        if let Some(word) = element.get_mut(offset..offset + 4) {
            word.copy_from_slice(&last.to_le_bytes());
        }
    }
    last
}

/// Four sums of bytes, none of which carries into the next.
fn add_bytes(last: u32, difference: u32) -> u32 {
    const LOW: u32 = 0x7F7F_7F7F;
    let sign = (difference & 0x0101_0101).wrapping_mul(0xFF);
    let difference = (difference >> 1 & LOW) ^ sign;
    ((last & LOW) + (difference & LOW)) ^ ((last ^ difference) & !LOW)
}

/// Two sums of 16 bits.
fn add_shorts(last: u32, difference: u32) -> u32 {
    const LOW: u32 = 0x7FFF_7FFF;
    let sign = (difference & 0x0001_0001).wrapping_mul(0xFFFF);
    let difference = (difference >> 1 & LOW) ^ sign;
    ((last & LOW) + (difference & LOW)) ^ ((last ^ difference) & !LOW)
}
