//! Encoding of attributes (appendix A, mode 0).
//!
//! Lossless. For each group the narrowest width is taken, for each lane of version 1 the shortest form, for each
//! channel of version 1 the way of taking differences that makes a sample of the blocks smallest.

use super::Version;
use super::vertex::{
    BLOCK, ChannelMode, GROUP, Lanes, MAGIC, WIDTHS_LARGE, WIDTHS_SMALL, WIDTHS_V0, Widths, block_elements, tail_bytes,
};

/// Blocks that are looked at to choose the mode of a channel.
const SAMPLED_BLOCKS: usize = 8;

/// Encodes elements of `stride` bytes, a multiple of 4 from 4 to 256; bytes beyond the last whole element are left out.
/// `None` for another stride.
pub fn encode(version: Version, elements: &[u8], stride: usize) -> Option<Vec<u8>> {
    if !(4..=256).contains(&stride) || !stride.is_multiple_of(4) {
        return None;
    }
    let elements = &elements[..elements.len() / stride * stride];
    let first = elements.get(..stride).map_or_else(|| vec![0; stride], <[u8]>::to_vec);
    let modes = match version {
        Version::V0 => vec![ChannelMode::Bytes; stride / 4],
        Version::V1 => (0..stride / 4).map(|channel| best_mode(elements, stride, channel)).collect(),
    };
    let mut out = vec![MAGIC + u8::from(version == Version::V1)];
    let block_bytes = block_elements(stride) * stride;
    let mut before = first.as_slice();
    for block in elements.chunks(block_bytes) {
        encode_block(version, Block { before, elements: block, stride }, &modes, &mut out);
        before = block.rchunks(stride).next().unwrap_or(before);
    }
    let stored = stride + if version == Version::V1 { stride / 4 } else { 0 };
    out.resize(out.len() + tail_bytes(version, stride) - stored, 0);
    out.extend_from_slice(&first);
    if version == Version::V1 {
        out.extend(modes.iter().map(|m| m.byte()));
    }
    Some(out)
}

/// Elements of a block and the one before them.
#[derive(Clone, Copy)]
struct Block<'a> {
    before: &'a [u8],
    elements: &'a [u8],
    stride: usize,
}

impl Block<'_> {
    fn len(&self) -> usize {
        self.elements.len() / self.stride
    }

    /// The differences of a channel; what lies beyond the elements is zero.
    fn lanes(&self, channel: usize, mode: ChannelMode) -> Lanes {
        let mut lanes: Lanes = [[0; BLOCK]; 4];
        let mut last = word(self.before, channel);
        for (index, element) in self.elements.chunks_exact(self.stride).enumerate() {
            let here = word(element, channel);
            let bytes = difference(mode, last, here).to_le_bytes();
            lanes.iter_mut().zip(bytes).for_each(|(lane, byte)| lane[index] = byte);
            last = here;
        }
        lanes
    }
}

fn word(element: &[u8], channel: usize) -> u32 {
    element.as_chunks::<4>().0.get(channel).map_or(0, |w| u32::from_le_bytes(*w))
}

fn difference(mode: ChannelMode, last: u32, here: u32) -> u32 {
    let (last_bytes, bytes) = (last.to_le_bytes(), here.to_le_bytes());
    match mode {
        ChannelMode::Bytes => {
            let one = |i: usize| {
                let d = bytes[i].wrapping_sub(last_bytes[i]);
                d << 1 ^ ((d as i8) >> 7) as u8
            };
            u32::from_le_bytes([one(0), one(1), one(2), one(3)])
        }
        ChannelMode::Shorts => {
            let one = |shift: u32| {
                let d = ((here >> shift) as u16).wrapping_sub((last >> shift) as u16);
                u32::from(d << 1 ^ ((d as i16) >> 15) as u16) << shift
            };
            one(0) | one(16)
        }
        ChannelMode::Xor(turn) => (last ^ here).rotate_left(turn),
    }
}

fn best_mode(elements: &[u8], stride: usize, channel: usize) -> ChannelMode {
    let block_bytes = block_elements(stride) * stride;
    let blocks = elements.len().div_ceil(block_bytes);
    let step = blocks.div_ceil(SAMPLED_BLOCKS).max(1);
    let cost = |mode: ChannelMode| -> usize {
        let of_block = |number: usize| {
            let start = number * block_bytes;
            let before = start.checked_sub(stride).and_then(|b| elements.get(b..start)).unwrap_or(elements);
            let end = elements.len().min(start + block_bytes);
            let block = Block { before, elements: &elements[start..end], stride };
            let lanes = block.lanes(channel, mode);
            lanes.iter().map(|lane| Form::best(lane, block.len()).1).sum::<usize>()
        };
        (0..blocks).step_by(step).map(of_block).sum()
    };
    let turned = (0..16).map(ChannelMode::Xor);
    let all = [ChannelMode::Bytes, ChannelMode::Shorts].into_iter().chain(turned);
    // The first of equals.
    all.min_by_key(|mode| cost(*mode)).unwrap_or(ChannelMode::Bytes)
}

/// How a lane of version 1 is written; the numbers are those of the control header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Small = 0,
    Large = 1,
    Zero = 2,
    Literal = 3,
}

impl Form {
    /// The shortest form and its size.
    fn best(lane: &[u8; BLOCK], elements: usize) -> (Self, usize) {
        if lane[..elements.min(BLOCK)].iter().all(|d| *d == 0) {
            return (Self::Zero, 0);
        }
        let small = (Self::Small, lane_bytes(lane, elements, WIDTHS_SMALL));
        let large = (Self::Large, lane_bytes(lane, elements, WIDTHS_LARGE));
        [small, large, (Self::Literal, elements)].into_iter().min_by_key(|(_, size)| *size).unwrap_or(small)
    }
}

fn encode_block(version: Version, block: Block<'_>, modes: &[ChannelMode], out: &mut Vec<u8>) {
    let control_at = out.len();
    if version == Version::V1 {
        out.resize(control_at + modes.len(), 0);
    }
    for (channel, mode) in modes.iter().enumerate() {
        for (number, lane) in block.lanes(channel, *mode).iter().enumerate() {
            if version == Version::V0 {
                encode_lane(lane, block.len(), WIDTHS_V0, out);
                continue;
            }
            let (form, _) = Form::best(lane, block.len());
            out[control_at + channel] |= (form as u8) << (2 * number);
            match form {
                Form::Small => encode_lane(lane, block.len(), WIDTHS_SMALL, out),
                Form::Large => encode_lane(lane, block.len(), WIDTHS_LARGE, out),
                Form::Zero => {}
                Form::Literal => out.extend_from_slice(&lane[..block.len().min(BLOCK)]),
            }
        }
    }
}

/// Size of a group at a width; `None` where it cannot be written so.
fn group_bytes(group: &[u8; GROUP], bits: usize) -> Option<usize> {
    match bits {
        0 => group.iter().all(|d| *d == 0).then_some(0),
        8 => Some(GROUP),
        _ => {
            let all_ones = (1u8 << bits) - 1;
            Some(2 * bits + group.iter().filter(|d| **d >= all_ones).count())
        }
    }
}

/// The header bits of the width that makes a group smallest, and its size.
fn best_width(group: &[u8; GROUP], widths: Widths) -> (usize, usize) {
    let sizes = widths.iter().enumerate().filter_map(|(i, bits)| Some((i, group_bytes(group, *bits)?)));
    sizes.min_by_key(|(_, size)| *size).unwrap_or((3, GROUP))
}

fn groups(lane: &[u8; BLOCK], elements: usize) -> &[[u8; GROUP]] {
    &lane.as_chunks::<GROUP>().0[..elements.div_ceil(GROUP).min(BLOCK / GROUP)]
}

fn lane_bytes(lane: &[u8; BLOCK], elements: usize, widths: Widths) -> usize {
    let groups = groups(lane, elements);
    groups.len().div_ceil(4) + groups.iter().map(|g| best_width(g, widths).1).sum::<usize>()
}

fn encode_lane(lane: &[u8; BLOCK], elements: usize, widths: Widths, out: &mut Vec<u8>) {
    let header_at = out.len();
    let groups = groups(lane, elements);
    out.resize(header_at + groups.len().div_ceil(4), 0);
    for (number, group) in groups.iter().enumerate() {
        let (selected, _) = best_width(group, widths);
        out[header_at + number / 4] |= (selected as u8) << (2 * (number % 4));
        match widths[selected] {
            0 => {}
            8 => out.extend_from_slice(group),
            bits => encode_group(group, bits, out),
        }
    }
}

fn encode_group(group: &[u8; GROUP], bits: usize, out: &mut Vec<u8>) {
    let all_ones = (1u8 << bits) - 1;
    let per_byte = 8 / bits;
    for codes in group.chunks(per_byte) {
        let mut packed = 0;
        for (place, difference) in codes.iter().enumerate() {
            let shift = if bits == 1 { place } else { 8 - bits - place * bits };
            packed |= all_ones.min(*difference) << shift;
        }
        out.push(packed);
    }
    out.extend(group.iter().filter(|d| **d >= all_ones));
}
