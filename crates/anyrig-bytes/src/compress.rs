//! Inflate into a size that is known and checked, and deflate.

use crate::{Error, Place, Result};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Inflates zlib streams; keep one per worker, since setting one up costs more than a small array.
#[derive(Debug)]
pub struct Inflater {
    state: Decompress,
    /// Room for a piece, made when one is asked for.
    piece: Vec<u8>,
}

impl Default for Inflater {
    fn default() -> Self {
        Self { state: Decompress::new(true), piece: Vec::new() }
    }
}

impl Inflater {
    /// Bytes of each piece but the last: a multiple of the size of any number, and little enough to stay in a
    /// processor's cache.
    pub const PIECE: usize = 128 << 10;

    /// Inflates `compressed` into all of `out`. The stream must hold exactly as many bytes as `out` is long.
    ///
    /// # Errors
    /// Malformed when the stream is broken, truncated when it gives less, malformed when it gives more.
    pub fn inflate_into(&mut self, compressed: &[u8], out: &mut [u8], place: impl Fn() -> Place) -> Result<()> {
        self.state.reset(true);
        let status = self.step(compressed, out, &place)?;
        self.check_end(status, compressed, out.len(), place)
    }

    /// As [`Inflater::inflate_into`], for bytes that are wanted in another form: `take` gets them piece by piece, in order,
    /// each of [`Inflater::PIECE`] bytes but the last. What was taken before an error counts for nothing.
    ///
    /// # Errors
    /// As [`Inflater::inflate_into`], for `len` bytes.
    pub fn inflate_pieces(
        &mut self,
        compressed: &[u8],
        len: usize,
        place: impl Fn() -> Place,
        mut take: impl FnMut(&[u8]),
    ) -> Result<()> {
        let mut piece = std::mem::take(&mut self.piece);
        piece.resize(piece.len().max(len.min(Self::PIECE)), 0);
        self.state.reset(true);
        let mut left = len;
        let result = loop {
            let out = &mut piece[..left.min(Self::PIECE)];
            let (wanted, read) = (self.state.total_out() + out.len() as u64, self.state.total_in() as usize);
            let status = match self.step(compressed.get(read..).unwrap_or_default(), out, &place) {
                Ok(status) => status,
                Err(error) => break Err(error),
            };
            left -= out.len();
            if left == 0 || self.state.total_out() < wanted {
                take(out);
                break self.check_end(status, compressed, len, &place);
            }
            take(out);
        };
        self.piece = piece;
        result
    }

    fn step(&mut self, compressed: &[u8], out: &mut [u8], place: impl Fn() -> Place) -> Result<Status> {
        self.state
            .decompress(compressed, out, FlushDecompress::Finish)
            .map_err(|e| Error::malformed(place(), format!("the compressed block is broken: {e}")))
    }

    /// Whether a stream that gave all that was asked for, or no more, held what was announced.
    fn check_end(&mut self, status: Status, compressed: &[u8], wanted: usize, place: impl Fn() -> Place) -> Result<()> {
        let got = self.state.total_out();
        match status {
            Status::StreamEnd if got == wanted as u64 => Ok(()),
            // A full buffer without the end mark: either the check sum is still to come, or there is more data.
            _ if got == wanted as u64 && self.ends_here(compressed) => Ok(()),
            _ if got < wanted as u64 => {
                let message = format!("the compressed block holds {got} bytes, {wanted} are announced");
                Err(Error::truncated(place(), message))
            }
            _ => Err(Error::malformed(place(), format!("the compressed block holds more than the {wanted} announced"))),
        }
    }

    fn ends_here(&mut self, compressed: &[u8]) -> bool {
        let read = self.state.total_in() as usize;
        let mut one = [0u8; 1];
        let before = self.state.total_out();
        let rest = compressed.get(read..).unwrap_or_default();
        let status = self.state.decompress(rest, &mut one, FlushDecompress::Finish);
        matches!(status, Ok(Status::StreamEnd)) && self.state.total_out() == before
    }
}

/// Deflates into a zlib stream; the same input gives the same bytes.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut state = Compress::new(Compression::default(), true);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    loop {
        let read = state.total_in() as usize;
        match state.compress_vec(&bytes[read..], &mut out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => return out,
            // Only the output space can run out; the input is in memory and the parameters are fixed.
            _ => out.reserve(out.capacity().max(64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn declared_size_is_checked_both_ways_and_the_state_is_reusable() {
        let data: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let packed = deflate(&data);
        let mut inflater = Inflater::default();
        for _ in 0..2 {
            let mut out = vec![0; data.len()];
            inflater.inflate_into(&packed, &mut out, Place::whole).expect("exact size");
            assert_eq!(out, data);
            let less = inflater.inflate_into(&packed, &mut out[1..], Place::whole).expect_err("declares less");
            assert_eq!(less.kind(), ErrorKind::Malformed);
            let mut longer = vec![0; data.len() + 1];
            let more = inflater.inflate_into(&packed, &mut longer, Place::whole).expect_err("declares more");
            assert_eq!(more.kind(), ErrorKind::Truncated);
            assert!(inflater.inflate_into(&packed[..packed.len() / 2], &mut out, Place::whole).is_err());
            assert!(inflater.inflate_into(b"not zlib", &mut out, Place::whole).is_err());
        }
    }

    #[test]
    fn pieces_are_the_whole_in_order() {
        let data: Vec<u8> = (0..600_000u32).map(|i| (i.wrapping_mul(i) >> 11) as u8).collect();
        let mut inflater = Inflater::default();
        for len in [0, 1, 1000, Inflater::PIECE - 1, Inflater::PIECE, Inflater::PIECE + 1, data.len()] {
            let packed = deflate(&data[..len]);
            let mut pieces = |packed: &[u8], len: usize| {
                let mut all: Vec<u8> = Vec::new();
                inflater
                    .inflate_pieces(packed, len, Place::whole, |piece| {
                        assert!(all.len().is_multiple_of(Inflater::PIECE), "a short piece is the last");
                        all.extend_from_slice(piece);
                    })
                    .map(|()| all)
            };
            assert_eq!(pieces(&packed, len).as_deref(), Ok(&data[..len]), "{len}");
            let more = pieces(&packed, len + 1).expect_err("declares more");
            assert_eq!(more.kind(), ErrorKind::Truncated, "{len}");
            let broken = pieces(&packed[..packed.len() / 2], len);
            assert!(broken.is_err(), "{len}");
            if len > 0 {
                assert_eq!(pieces(&packed, len - 1).expect_err("declares less").kind(), ErrorKind::Malformed, "{len}");
            }
        }
    }

    #[test]
    fn empty_data() {
        let packed = deflate(&[]);
        assert!(Inflater::default().inflate_into(&packed, &mut [], Place::whole).is_ok());
    }
}
