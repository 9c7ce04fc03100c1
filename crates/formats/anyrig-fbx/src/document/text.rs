//! The encoding of names and strings.

use super::arena::NodeId;
use super::{FbxDocument, Kind};
use crate::codes;
use anyrig_bytes::text::{Encoding, decode};
use anyrig_bytes::{Context, Diagnostic};
use std::borrow::Cow;

/// The encoding of a file's texts.
///
/// FBX states none. Files of today are UTF-8; old ones have the code page of the computer that wrote them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextEncoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// Shift-JIS (Windows code page 932).
    ShiftJis,
    /// GBK.
    Gbk,
    /// EUC-KR (Windows code page 949).
    EucKr,
    /// Windows code page 1252.
    Windows1252,
}

impl TextEncoding {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::ShiftJis => "Shift-JIS",
            Self::Gbk => "GBK",
            Self::EucKr => "EUC-KR",
            Self::Windows1252 => "Windows-1252",
        }
    }

    fn encoding(self) -> Encoding {
        match self {
            Self::Utf8 => Encoding::Utf8,
            Self::ShiftJis => Encoding::ShiftJis,
            Self::Gbk => Encoding::Gbk,
            Self::EucKr => Encoding::EucKr,
            Self::Windows1252 => Encoding::Windows1252,
        }
    }
}

/// At most this much text is shown to the guess.
const SAMPLE_BYTES: usize = 1 << 20;

/// Guesses the encoding from all texts that are not UTF-8 together, and reports it.
pub(crate) fn detect(document: &FbxDocument, context: &Context) -> TextEncoding {
    let mut sample = Vec::new();
    let mut first = None;
    let mut count = 0u64;
    // Neither the walk nor what is done on it fails.
    let _ = document.arena.walk(NodeId::ROOT, |step, id, _| {
        if step == super::arena::Step::Leave {
            return Ok(());
        }
        let Some(node) = document.node(id) else { return Ok(()) };
        for property in node.properties().filter(|p| p.kind() == Kind::String) {
            let Some(text) = property.bytes() else { continue };
            if std::str::from_utf8(&text).is_ok() {
                continue;
            }
            count += 1;
            first.get_or_insert_with(|| property.place());
            if sample.len() < SAMPLE_BYTES {
                sample.extend_from_slice(&text);
                sample.push(b'\n');
            }
        }
        Ok(())
    });
    let found = match anyrig_bytes::text::detect(&sample) {
        Encoding::ShiftJis => TextEncoding::ShiftJis,
        Encoding::Gbk => TextEncoding::Gbk,
        Encoding::EucKr => TextEncoding::EucKr,
        Encoding::Windows1252 => TextEncoding::Windows1252,
        _ => TextEncoding::Utf8,
    };
    if count > 0 {
        let message = format!("read as {}", found.name());
        let diagnostic = Diagnostic::new(&codes::LEGACY_TEXT, "texts", message).times(count);
        context.push(diagnostic.at(first.unwrap_or_default()));
    }
    found
}

impl FbxDocument {
    /// Decodes a name or a string: as UTF-8 when it is that, else with the file's legacy encoding. What neither can
    /// read becomes U+FFFD.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(decode(bytes, self.text.encoding()).text),
        }
    }
}
