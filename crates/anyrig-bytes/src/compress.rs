//! Inflate into a size that is known and checked, and deflate.

use crate::{Error, Place, Result};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Inflates zlib streams; keep one per worker, since setting one up costs more than a small array.
#[derive(Debug)]
pub struct Inflater(Decompress);

impl Default for Inflater {
    fn default() -> Self {
        Self(Decompress::new(true))
    }
}

impl Inflater {
    /// Inflates `compressed` into all of `out`. The stream must hold exactly as many bytes as `out` is long.
    ///
    /// # Errors
    /// Malformed when the stream is broken, truncated when it gives less, malformed when it gives more.
    pub fn inflate_into(&mut self, compressed: &[u8], out: &mut [u8], place: impl Fn() -> Place) -> Result<()> {
        self.0.reset(true);
        let wanted = out.len();
        let status = self
            .0
            .decompress(compressed, out, FlushDecompress::Finish)
            .map_err(|e| Error::malformed(place(), format!("the compressed block is broken: {e}")))?;
        let got = self.0.total_out();
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
        let read = self.0.total_in() as usize;
        let mut one = [0u8; 1];
        let before = self.0.total_out();
        let rest = compressed.get(read..).unwrap_or_default();
        let status = self.0.decompress(rest, &mut one, FlushDecompress::Finish);
        matches!(status, Ok(Status::StreamEnd)) && self.0.total_out() == before
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
    fn empty_data() {
        let packed = deflate(&[]);
        assert!(Inflater::default().inflate_into(&packed, &mut [], Place::whole).is_ok());
    }
}
