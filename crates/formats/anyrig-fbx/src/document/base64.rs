//! Embedded files of ASCII documents.

use ::base64::Engine;
use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);

/// Collects text and decodes it. Padding may stand inside: an encoder that splits an embedded file over several
/// strings pads each, or cuts the text anywhere.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
    out: Vec<u8>,
}

impl Decoder {
    /// Adds a piece of text; blanks and line ends are skipped. Gives `None` when it is not base64.
    pub fn push(&mut self, text: &[u8]) -> Option<()> {
        for part in text.split_inclusive(|byte| *byte == b'=') {
            let body = part.strip_suffix(b"=");
            // In runs: files of a megabyte come this way.
            for run in body.unwrap_or(part).split(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
                self.pending.extend_from_slice(run);
            }
            if body.is_some() {
                self.flush()?;
            }
        }
        Some(())
    }

    /// The decoded bytes.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        self.flush()?;
        Some(self.out)
    }

    fn flush(&mut self) -> Option<()> {
        ENGINE.decode_vec(&self.pending, &mut self.out).ok()?;
        self.pending.clear();
        Some(())
    }
}

/// Encodes with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&str]) -> Option<Vec<u8>> {
        let mut decoder = Decoder::default();
        for piece in pieces {
            decoder.push(piece.as_bytes())?;
        }
        decoder.finish()
    }

    #[test]
    fn pieces_may_be_padded_or_cut_anywhere() {
        assert_eq!(decode(&["iQ==", "UE4=", "Rw0K"]).as_deref(), Some(&b"\x89PNG\r\n"[..]));
        assert_eq!(decode(&["i", "VB", "ORw0K"]).as_deref(), Some(&b"\x89PNG\r\n"[..]));
        assert_eq!(decode(&["", " \n"]).as_deref(), Some(&b""[..]));
        assert_eq!(decode(&["iVBO!"]), None);
        assert_eq!(encode(b"\x89"), "iQ==");
    }
}
