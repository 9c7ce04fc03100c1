//! Indices that are no triangles (appendix A, mode 2): differences from one of two running values.

use super::{CUT_OFF, Fault, LEFT_OVER, fault, push_index, read_varint, unzigzag, write_varint, zigzag};

const MAGIC: u8 = 0xD1;
/// Zeros at the end of a stream.
const TAIL: usize = 4;

pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Fault> {
    if stream.first() != Some(&MAGIC) {
        return fault(0, "indices begin with the byte 0xd1");
    }
    let end = stream.len().saturating_sub(TAIL);
    if end == 0 || count > end - 1 {
        return fault(stream.len(), CUT_OFF);
    }
    let mut out = Vec::with_capacity(count * stride);
    let (mut at, mut last) = (1, [0u32; 2]);
    for _ in 0..count {
        let code = read_varint(stream, &mut at, end)?;
        let running = &mut last[(code & 1) as usize];
        *running = running.wrapping_add(unzigzag(code >> 1));
        push_index(&mut out, *running, stride);
    }
    if at == end { Ok(out) } else { fault(at, LEFT_OVER) }
}

/// Encodes any sequence of indices; `None` when two neighbours are too far apart for the format (2³⁰).
pub fn encode(indices: &[u32]) -> Option<Vec<u8>> {
    let mut out = vec![MAGIC];
    let (mut last, mut chosen) = ([0u32; 2], 0);
    for index in indices {
        let difference = |running: u32| i64::from(*index) - i64::from(running);
        // What is near stays with its running value; what is far from both takes the one that was used longer ago.
        let (here, other) = (zigzag_bytes(difference(last[chosen])), zigzag_bytes(difference(last[1 - chosen])));
        chosen = if here > 1 && other <= here { 1 - chosen } else { chosen };
        let difference = difference(last[chosen]);
        if !(-(1 << 30)..1 << 30).contains(&difference) {
            return None;
        }
        write_varint(&mut out, zigzag(difference as u32) << 1 | chosen as u32);
        last[chosen] = *index;
    }
    out.extend_from_slice(&[0; TAIL]);
    Some(out)
}

/// Bytes of a difference: seven bits each, two of which in the first are for the sign and the running value.
fn zigzag_bytes(difference: i64) -> u32 {
    let magnitude = if difference < 0 { !difference } else { difference } as u64;
    (magnitude.checked_ilog2().map_or(0, |bits| bits + 1) + 2).div_ceil(7).max(1)
}
