//! Decoding of names and texts; the raw bytes stay the key, since decoding may lose.

use encoding_rs as enc;
use std::fmt;

/// Encodings that asset files are met in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
    /// Shift-JIS in the form of Windows code page 932.
    ShiftJis,
    /// GBK (decoded as its superset GB 18030).
    Gbk,
    /// EUC-KR in the form of Windows code page 949.
    EucKr,
    /// Windows code page 1252.
    Windows1252,
}

impl Encoding {
    fn backend(self) -> &'static enc::Encoding {
        match self {
            Self::Utf8 => enc::UTF_8,
            Self::Utf16Le => enc::UTF_16LE,
            Self::Utf16Be => enc::UTF_16BE,
            Self::ShiftJis => enc::SHIFT_JIS,
            Self::Gbk => enc::GBK,
            Self::EucKr => enc::EUC_KR,
            Self::Windows1252 => enc::WINDOWS_1252,
        }
    }
}

/// A decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// The text; undecodable bytes became U+FFFD.
    pub text: String,
    /// The encoding that was used.
    pub encoding: Encoding,
    /// True when something became U+FFFD.
    pub lossy: bool,
}

/// Decodes bytes of a known encoding. A byte order mark is not treated specially.
pub fn decode(bytes: &[u8], encoding: Encoding) -> Decoded {
    let (text, lossy) = encoding.backend().decode_without_bom_handling(bytes);
    Decoded { text: text.into_owned(), encoding, lossy }
}

/// Encodes a text; `None` when the encoding cannot hold it.
pub fn encode(text: &str, encoding: Encoding) -> Option<Vec<u8>> {
    // The WHATWG standard, which the backend follows, has no UTF-16 encoder.
    match encoding {
        Encoding::Utf16Le => return Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        Encoding::Utf16Be => return Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        _ => {}
    }
    let (bytes, _, failed) = encoding.backend().encode(text);
    (!failed).then(|| bytes.into_owned())
}

/// Guesses the encoding of names that are not valid UTF-8. Give it all names of a file together: one short name is too
/// little to tell. Falls back to Windows-1252.
pub fn detect(joined: &[u8]) -> Encoding {
    if std::str::from_utf8(joined).is_ok() {
        return Encoding::Utf8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(joined, true);
    let guess = detector.guess(None, chardetng::Utf8Detection::Allow);
    let known = [Encoding::ShiftJis, Encoding::Gbk, Encoding::EucKr];
    known.into_iter().find(|e| e.backend() == guess).unwrap_or(Encoding::Windows1252)
}

/// A text as the file spells it: bytes whose encoding is known only from elsewhere.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RawText(pub Vec<u8>);

impl RawText {
    /// Decodes with a known encoding.
    pub fn decode(&self, encoding: Encoding) -> Decoded {
        decode(&self.0, encoding)
    }

    /// The text if the bytes are UTF-8.
    pub fn as_utf8(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl From<&str> for RawText {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_asset_files_use() {
        let cases: [(&str, Encoding, &[u8]); 5] = [
            ("センター", Encoding::ShiftJis, &[0x83, 0x5a, 0x83, 0x93, 0x83, 0x5e, 0x81, 0x5b]),
            ("骨骼", Encoding::Gbk, &[0xb9, 0xc7, 0xf7, 0xc0]),
            ("머리", Encoding::EucKr, &[0xb8, 0xd3, 0xb8, 0xae]),
            ("A表", Encoding::Utf16Le, &[0x41, 0x00, 0x68, 0x88]),
            ("é", Encoding::Windows1252, &[0xe9]),
        ];
        for (text, encoding, bytes) in cases {
            assert_eq!(decode(bytes, encoding), Decoded { text: text.to_owned(), encoding, lossy: false });
            assert_eq!(encode(text, encoding).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn a_cut_character_is_lossy_and_the_raw_bytes_stay() {
        let raw = RawText(vec![0x83, 0x5a, 0x83]);
        let decoded = raw.decode(Encoding::ShiftJis);
        assert!(decoded.lossy);
        assert_eq!(decoded.text, "セ\u{fffd}");
        assert_eq!(raw.0, [0x83, 0x5a, 0x83]);
        assert_eq!(encode("é", Encoding::ShiftJis), None);
    }

    #[test]
    fn detects_over_joined_names() {
        assert_eq!(detect("センター".as_bytes()), Encoding::Utf8);
        let names = encode("センター 上半身 下半身 左腕 右腕 頭 首 両目", Encoding::ShiftJis).expect("encodable");
        assert_eq!(detect(&names), Encoding::ShiftJis);
    }
}
