//! Tokens.

use super::tag;
use crate::document::number;
use std::borrow::Cow;

/// Bytes between tokens, comments aside. NUL and Ctrl-Z pad some files.
pub(crate) fn is_blank(byte: u8) -> bool {
    // One comparison sends most bytes away.
    byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0 | 0x1a)
}

/// Offset of the next token: blanks and comments, which go from `;` to the end of the line, are skipped.
pub(crate) fn skip_blank(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        if is_blank(*byte) {
            at += 1;
        } else if *byte == b';' {
            at = end_of_line(text, at);
        } else {
            break;
        }
    }
    at
}

fn end_of_line(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |len| at + len + 1)
}

/// What is left of an array's text from its next number on.
pub(crate) fn skip_separators(mut text: &[u8]) -> &[u8] {
    while let Some((byte, rest)) = text.split_first() {
        match *byte {
            b',' => text = rest,
            b if is_blank(b) => text = rest,
            b';' => text = text.get(end_of_line(text, 0)..).unwrap_or_default(),
            _ => break,
        }
    }
    text
}

/// A piece of text to show in a message.
pub(crate) fn shown(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| is_blank(*b) || *b == b',').unwrap_or(text.len());
    text.get(..end.clamp(1, 24).min(text.len())).unwrap_or_default()
}

/// Bytes of names, bare words and numbers.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    number::is_number_byte(byte) || byte == b'|'
}

/// Number of bytes of the word or number at an offset.
pub(crate) fn word_len(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().position(|b| !is_word_byte(*b)).unwrap_or(rest.len())
}

/// True when a colon follows on the same line: what stands before it is a name.
pub(crate) fn colon_follows(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().find(|b| !matches!(b, b' ' | b'\t')) == Some(&b':')
}

/// The offset after the colon that follows a name which ends at an offset.
pub(crate) fn after_colon(text: &[u8], name_end: usize) -> usize {
    let rest = text.get(name_end..).unwrap_or_default();
    name_end + memchr::memchr(b':', rest).map_or(0, |at| at + 1)
}

/// Number of bytes of the quoted string at the start of a text, quotes included; `None` when it does not end.
pub(crate) fn string_len(text: &[u8]) -> Option<usize> {
    memchr::memchr(b'"', text.get(1..)?).map(|len| len + 2)
}

/// The inside of the quoted string at the start of a text.
pub(crate) fn string_body(text: &[u8]) -> &[u8] {
    string_len(text).and_then(|len| text.get(1..len - 1)).unwrap_or_default()
}

/// Resolves `&quot;`, `&cr;` and `&lf;`; any other `&` stands for itself.
pub(crate) fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'&', text) else { return Cow::Borrowed(text) };
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut at = Some(first);
    while let Some(len) = at {
        let (before, from) = rest.split_at(len);
        out.extend_from_slice(before);
        let known = [(&b"&quot;"[..], b'"'), (b"&cr;", b'\r'), (b"&lf;", b'\n')];
        let found = known.into_iter().find(|(spelling, _)| from.starts_with(spelling));
        let (spelling, byte) = found.unwrap_or((b"&", b'&'));
        out.push(byte);
        rest = from.get(spelling.len()..).unwrap_or_default();
        at = memchr::memchr(b'&', rest);
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// An array `*N { a: … }`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<'a> {
    /// The count after the asterisk: a hint.
    pub announced: usize,
    /// Offset of `text` from the asterisk.
    pub offset: usize,
    /// The numbers, with what separates them.
    pub text: &'a [u8],
    /// Number of bytes of the whole array.
    pub len: usize,
}

/// What an array lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayError {
    /// The brace is missing at this offset.
    Brace(usize),
    /// `a:` is missing at this offset.
    Name(usize),
    /// The closing brace is missing.
    End,
}

/// Reads the array at the start of a text, without looking at its numbers.
pub(crate) fn array(text: &[u8]) -> Result<Array<'_>, ArrayError> {
    let digits = text.get(1..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit());
    let mut at = 1;
    let mut announced = 0usize;
    for digit in digits {
        announced = announced.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        at += 1;
    }
    at = skip_blank(text, at);
    match text.get(at) {
        Some(b'{') => at = skip_blank(text, at + 1),
        None => return Err(ArrayError::End),
        Some(_) => return Err(ArrayError::Brace(at)),
    }
    match text.get(at) {
        Some(b'}') => return Ok(Array { announced, offset: at, text: &[], len: at + 1 }),
        Some(b'a') if colon_follows(text, at + 1) => {}
        None => return Err(ArrayError::End),
        Some(_) => return Err(ArrayError::Name(at)),
    }
    let colon = memchr::memchr(b':', text.get(at..).unwrap_or_default()).unwrap_or(0);
    at += colon + 1;
    let end = array_end(text, at).ok_or(ArrayError::End)?;
    Ok(Array { announced, offset: at, text: text.get(at..end).unwrap_or_default(), len: end + 1 })
}

/// As [`array`], for one that was read before.
pub(crate) fn array_body(text: &[u8]) -> Array<'_> {
    array(text).unwrap_or(Array { announced: 0, offset: 0, text: &[], len: 0 })
}

/// Offset of the closing brace that is not in a comment.
fn array_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let found = memchr::memchr2(b'}', b';', rest)?;
        if rest.get(found) == Some(&b'}') {
            return Some(at + found);
        }
        at = end_of_line(text, at + found);
    }
}

/// Number of bytes of the value at the start of a text, which was read before.
pub(crate) fn token_len(kind: u8, text: &[u8]) -> usize {
    match kind {
        tag::STRING => string_len(text).unwrap_or(text.len()),
        tag::ARRAY => array_body(text).len,
        _ => word_len(text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_escapes_exist() {
        let cases = [
            ("a&quot;b&lf;c&cr;", "a\"b\nc\r"),
            ("Tom & Jerry &amp; &quot", "Tom & Jerry &amp; &quot"),
            ("&&quot;&", "&\"&"),
            ("\\n", "\\n"),
        ];
        for (spelled, meant) in cases {
            assert_eq!(unescape(spelled.as_bytes()), meant.as_bytes());
        }
    }

    #[test]
    fn comments_do_not_end_arrays() {
        let text = b"*3 { ; }\n a : 1, ; }\n 2\n,3 } x";
        let array = array(text).expect("an array");
        assert_eq!((array.announced, array.len), (3, text.len() - 2));
        assert_eq!(array.text, b" 1, ; }\n 2\n,3 ");
        assert_eq!(&text[array.offset..array.offset + 3], b" 1,");
    }

    #[test]
    fn broken_arrays_say_what_is_missing() {
        assert_eq!(array(b"*3 x").expect_err("no brace"), ArrayError::Brace(3));
        assert_eq!(array(b"*3 { b: 1 }").expect_err("no name"), ArrayError::Name(5));
        assert_eq!(array(b"*3 { a: 1").expect_err("no end"), ArrayError::End);
        assert_eq!(array(b"*0 { }").expect("empty").len, 6);
        assert_eq!(array(b"*99999999999999999999 { a: }").expect("a large hint").announced, usize::MAX);
    }
}
