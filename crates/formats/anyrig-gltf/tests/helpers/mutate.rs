//! Seeded random changes of files.

/// A small generator of random numbers (xorshift64*, Vigna 2016), the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

const NUMBERS: [&str; 12] =
    ["-1", "0", "1", "2", "255", "65536", "4294967295", "4294967296", "1e308", "null", "\"x\"", "0.5"];

/// A number somewhere in a JSON text becomes another; lengths of chunks stay right because blanks pad it.
fn change_number(bytes: &mut [u8], random: &mut Random) {
    let is_number = |b: u8| b.is_ascii_digit() || b == b'-' || b == b'.';
    let start = random.below(bytes.len());
    let Some(first) = (start..bytes.len()).find(|i| is_number(bytes[*i])) else { return };
    let end = (first..bytes.len()).find(|i| !is_number(bytes[*i])).unwrap_or(bytes.len());
    let new = NUMBERS[random.below(NUMBERS.len())].as_bytes();
    if new.len() <= end - first {
        bytes[first..first + new.len()].copy_from_slice(new);
        bytes[first + new.len()..end].fill(b' ');
    }
}

/// A few random changes: bits, bytes, numbers of the JSON, cuts.
pub fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => {
                let value = [0u32, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x7FC0_0000][random.below(5)];
                bytes.iter_mut().skip(at & !3).zip(value.to_le_bytes()).for_each(|(b, v)| *b = v);
            }
            _ => change_number(&mut bytes, random),
        }
    }
    bytes
}
