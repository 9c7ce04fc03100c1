//! Spelling of values that an edit brings.

use super::tag;
use crate::document::base64;
use crate::document::edit::NewValue;
use crate::document::number::{spell_f32, spell_f64};
use anyrig_bytes::{Error, Place, Result};

/// A string in quotes.
///
/// # Errors
/// Malformed when the text holds an escape's own spelling: nothing escapes the `&`.
pub(crate) fn escape(text: &[u8]) -> Result<Vec<u8>> {
    let spelled_escapes = [&b"&quot;"[..], b"&cr;", b"&lf;"];
    if let Some(found) = spelled_escapes.into_iter().find(|e| memchr::memmem::find(text, e).is_some()) {
        let message = format!("an ASCII file cannot hold a text with {}", String::from_utf8_lossy(found));
        return Err(Error::malformed(Place::whole(), message));
    }
    let mut out = vec![b'"'];
    for byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\r' => out.extend_from_slice(b"&cr;"),
            b'\n' => out.extend_from_slice(b"&lf;"),
            other => out.push(*other),
        }
    }
    out.push(b'"');
    Ok(out)
}

/// A value's tag and its text; an array is spelled at a depth of nesting.
pub(crate) fn spell_value(value: &NewValue, depth: usize) -> Result<(u8, Vec<u8>)> {
    use NewValue as V;
    let number = |text: String| Ok((tag::NUMBER, text.into_bytes()));
    match value {
        V::Char(letter) if letter.is_ascii_alphabetic() => Ok((tag::WORD, vec![*letter])),
        V::Char(byte) => number(byte.to_string()),
        V::I16(v) => number(v.to_string()),
        V::I32(v) => number(v.to_string()),
        V::I64(v) => number(v.to_string()),
        V::F32(v) => number(spell_f32(*v)),
        V::F64(v) => number(spell_f64(*v)),
        V::String(text) => Ok((tag::STRING, escape(text)?)),
        V::Raw(bytes) => Ok((tag::STRING, escape(base64::encode(bytes).as_bytes())?)),
        V::BoolArray(values) => Ok(array(values, u8::to_string, depth)),
        V::I32Array(values) => Ok(array(values, i32::to_string, depth)),
        V::I64Array(values) => Ok(array(values, i64::to_string, depth)),
        V::F32Array(values) => Ok(array(values, |v| spell_f32(*v), depth)),
        V::F64Array(values) => Ok(array(values, |v| spell_f64(*v), depth)),
    }
}

fn array<T>(values: &[T], spell: impl Fn(&T) -> String, depth: usize) -> (u8, Vec<u8>) {
    let indent = "\t".repeat(depth);
    let numbers: Vec<String> = values.iter().map(spell).collect();
    let text = format!("*{} {{\n{indent}\ta: {}\n{indent}}}", values.len(), numbers.join(","));
    (tag::ARRAY, text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::{string_body, unescape};
    use super::*;

    #[test]
    fn strings_read_back_or_are_refused() {
        for text in ["", "a \"b\"\r\nc", "Tom & Jerry", "&amp;"] {
            let spelled = escape(text.as_bytes()).expect("can be spelled");
            assert_eq!(&*unescape(string_body(&spelled)), text.as_bytes());
        }
        assert!(escape(b"a&quot;b").is_err());
    }
}
