//! Embedded files of ASCII documents.

use ::base64::Engine;
use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);

/// So many letters stand for three bytes.
const GROUP: usize = 4;

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Collects text and decodes it. Padding may stand inside: an encoder that splits an embedded file over several
/// strings pads each, or cuts the text anywhere.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
    out: Vec<u8>,
}

impl Decoder {
    /// Adds a piece of text; blanks and line ends are skipped. Gives `None` when it is not base64.
    pub fn push(&mut self, mut text: &[u8]) -> Option<()> {
        while let Some(padding) = memchr::memchr(b'=', text) {
            self.body(text.get(..padding)?)?;
            self.flush()?;
            text = text.get(padding + 1..)?;
        }
        self.body(text)
    }

    /// Adds text without padding. Files of a megabyte come this way, mostly without blanks: those are decoded from where
    /// they lie.
    fn body(&mut self, text: &[u8]) -> Option<()> {
        if text.iter().fold(false, |any, byte| any | is_blank(*byte)) {
            self.pending.extend(text.iter().filter(|byte| !is_blank(**byte)));
            return Some(());
        }
        let head = text.len().min(self.pending.len().wrapping_neg() % GROUP);
        let (head, text) = text.split_at(head);
        self.pending.extend_from_slice(head);
        if self.pending.len().is_multiple_of(GROUP) {
            self.flush()?;
            let (groups, rest) = text.split_at(text.len() - text.len() % GROUP);
            ENGINE.decode_vec(groups, &mut self.out).ok()?;
            self.pending.extend_from_slice(rest);
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
        let text = "iVBORw0KGgoA\nAAANSUhE\r\n UgAAAAE=\tiVBORw==";
        let whole = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\x89PNG";
        for cut in 0..text.len() {
            let (before, after) = text.split_at(cut);
            assert_eq!(decode(&[before, after]).as_deref(), Some(&whole[..]), "{before:?} {after:?}");
        }
        assert_eq!(decode(&["iVBOR"]), None, "one letter makes no byte");
        assert_eq!(encode(b"\x89"), "iQ==");
    }
}
