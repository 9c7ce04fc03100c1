//! References of glTF to its data: data URIs and relative file names (specification 2.8; RFC 2397, RFC 3986).

use crate::document::json::At;
use anyrig_bytes::{Context, Error, Result, SharedBytes, Source};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};
use std::borrow::Cow;

/// Writers disagree on padding; both forms are read.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What stays itself in a written reference (RFC 3986: unreserved), and the slash between folders.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// What a reference leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Target {
    /// Bytes within the reference itself.
    Data { media_type: Option<String>, bytes: SharedBytes },
    /// A file beside the primary one, under its decoded name.
    File { name: String, bytes: SharedBytes },
    /// A file that does not exist.
    Missing { name: String },
}

/// Follows a reference.
pub(crate) fn follow(uri: &str, source: &dyn Source, at: &At<'_>, context: &Context) -> Result<Target> {
    if let Some(data) = strip_scheme(uri) {
        let (media_type, bytes) = data_uri(data, at, context)?;
        return Ok(Target::Data { media_type, bytes });
    }
    let name = file_name(uri, at)?;
    if let Some(bytes) = source.resolve(&name).map_err(|e| placed(&e, at))? {
        return Ok(Target::File { name, bytes });
    }
    // A file whose own name has a percent sign, by a writer that does not encode.
    let literal = if name == uri { None } else { source.resolve(uri).map_err(|e| placed(&e, at))? };
    Ok(match literal {
        Some(bytes) => Target::File { name: uri.to_owned(), bytes },
        None => Target::Missing { name },
    })
}

fn placed(error: &Error, at: &At<'_>) -> Error {
    Error::new(error.kind(), at.place().named(error.place().element.clone()), error.message())
}

fn strip_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(5)?;
    scheme.eq_ignore_ascii_case("data:").then_some(rest)
}

/// The decoded name of a file; `None` for data URIs.
pub(crate) fn external_name(uri: &str, at: &At<'_>) -> Option<Result<String>> {
    strip_scheme(uri).is_none().then(|| file_name(uri, at))
}

/// Whether a reference is the name of a file beside the primary one: neither has it a scheme nor is it a fragment.
pub(crate) fn is_relative(uri: &str) -> bool {
    let is_scheme = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    !uri.is_empty() && !uri.starts_with('#') && !uri.split_once(':').is_some_and(|(word, _)| is_scheme(word))
}

fn file_name(uri: &str, at: &At<'_>) -> Result<String> {
    let decoded = percent_decode(uri.as_bytes()).decode_utf8();
    decoded.map(Cow::into_owned).map_err(|_| at.malformed("the percent-encoded name is not UTF-8"))
}

fn data_uri(data: &str, at: &At<'_>, context: &Context) -> Result<(Option<String>, SharedBytes)> {
    let (head, payload) =
        data.split_once(',').ok_or_else(|| at.malformed("the data URI has no comma before its data"))?;
    let (head, base64) = head.strip_suffix(";base64").map_or((head, false), |head| (head, true));
    if head.split(';').skip(1).any(str::is_empty) {
        return Err(at.malformed("the data URI has an empty parameter"));
    }
    let media_type = head.split(';').next().filter(|m| !m.is_empty()).map(str::to_owned);
    context.take_memory(payload.len() as u64, || at.place())?;
    let bytes = if base64 {
        let fault = |e| at.malformed(format!("the data URI is not valid base64: {e}"));
        BASE64.decode(payload).map_err(fault)?
    } else {
        percent_decode(payload.as_bytes()).collect()
    };
    Ok((media_type, bytes.into()))
}

/// A file name as a reference.
pub(crate) fn encode(name: &str) -> String {
    utf8_percent_encode(name, KEPT).to_string()
}

/// Bytes as a data URI.
pub(crate) fn to_data_uri(media_type: &str, bytes: &[u8]) -> String {
    let mut uri = format!("data:{media_type};base64,");
    BASE64.encode_string(bytes, &mut uri);
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_bytes::{ErrorKind, MemorySource};

    fn ask(uri: &str) -> Result<Target> {
        let source = MemorySource::new("a.gltf", vec![])
            .with_file("b c.bin", vec![1])
            .with_file("d%20e.bin", vec![2])
            .with_file("t/表.png", vec![3]);
        follow(uri, &source, &At::Root, &Context::new())
    }

    #[test]
    fn files_by_encoded_plain_and_literal_names() {
        let file = |name: &str, byte: u8| Ok(Target::File { name: name.to_owned(), bytes: vec![byte].into() });
        assert_eq!(ask("b%20c.bin"), file("b c.bin", 1));
        assert_eq!(ask("b c.bin"), file("b c.bin", 1));
        assert_eq!(ask("d%20e.bin"), file("d%20e.bin", 2));
        assert_eq!(ask("t/%E8%A1%A8.png"), file("t/表.png", 3));
        assert_eq!(ask("x%2By"), Ok(Target::Missing { name: "x+y".to_owned() }));
        assert_eq!(encode("t/表 1.png"), "t/%E8%A1%A8%201.png");
    }

    #[test]
    fn data_uris_with_and_without_padding() {
        let data = |media: Option<&str>, bytes: &[u8]| {
            Ok(Target::Data { media_type: media.map(str::to_owned), bytes: bytes.into() })
        };
        assert_eq!(ask("data:application/octet-stream;base64,AQI="), data(Some("application/octet-stream"), &[1, 2]));
        assert_eq!(ask("DATA:;base64,AQI"), data(None, &[1, 2]));
        assert_eq!(ask("data:text/plain;charset=utf-8,a%20b"), data(Some("text/plain"), b"a b"));
        assert_eq!(ask(&to_data_uri("image/png", &[9, 8, 7])), data(Some("image/png"), &[9, 8, 7]));
    }

    #[test]
    fn what_leaves_the_folder_or_is_broken_is_refused() {
        for uri in ["../a.bin", "%2e%2e/a.bin", "/etc/passwd", "http://x/a.bin", "file:///a", ":", "C:\\a.bin", ""] {
            assert_eq!(ask(uri).expect_err(uri).kind(), ErrorKind::Unsupported, "{uri}");
        }
        for uri in ["data:", "data:application/octet-stream;;base64,AA==", "data:image/png;base64,`", "%FF.bin"] {
            assert_eq!(ask(uri).expect_err(uri).kind(), ErrorKind::Malformed, "{uri}");
        }
    }
}
