//! JSON text: parsing into values with booked memory, writing, and changing one value in place.

use super::json::{At, FromJson};
use super::types::Root;
use anyrig_bytes::{Context, Error, ErrorKind, Place, Result, Value};
use std::ops::Range;

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a JSON value may take in memory; member names and texts come on top and are bounded by the file.
const VALUE_BYTES: u64 = size_of::<(String, Value)>() as u64;

/// The text without byte order mark and without the zeros that some writers pad a GLB chunk with.
fn trimmed(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let end = text.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or(text)
}

/// Parses JSON. Nesting is limited to 128 levels, by serde_json.
pub(crate) fn parse(text: &[u8], context: &Context) -> Result<Value> {
    let text = trimmed(text);
    // Every value but the first follows one of these; those within texts make the bound loose, never wrong.
    let values = 1 + text.iter().filter(|b| matches!(b, b',' | b'[' | b'{' | b':')).count() as u64;
    context.take_elements(values, Place::whole)?;
    context.take_memory(values.saturating_mul(VALUE_BYTES).saturating_add(text.len() as u64), Place::whole)?;
    check_depth(text, context.limits().depth)?;
    serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (saturate(error.line()), saturate(error.column()));
        let message = error.to_string();
        let deep = message.starts_with("recursion limit");
        let kind = if deep { ErrorKind::LimitExceeded } else { kind_of(&error) };
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        let message = if deep { "more than 128 levels of nesting, which no limit raises".to_owned() } else { message };
        Error::new(kind, Place::line_column(line, column), format!("this is not valid JSON: {message}"))
    })
}

/// Counts brackets outside of texts; the parser's own limit of 128 levels holds besides.
fn check_depth(text: &[u8], limit: u32) -> Result<()> {
    if limit >= 128 {
        return Ok(());
    }
    let (mut depth, mut in_text, mut escaped) = (0u32, false, false);
    for (offset, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            let message = format!("this value lies deeper than the limit of {limit} levels of values");
            return Err(Error::limit(Place::byte(offset as u64), message));
        }
    }
    Ok(())
}

fn kind_of(error: &serde_json::Error) -> ErrorKind {
    if error.is_eof() { ErrorKind::Truncated } else { ErrorKind::Malformed }
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Parses the JSON of a glTF file.
pub(crate) fn parse_root(text: &[u8], context: &Context) -> Result<Root> {
    let value = parse(text, context)?;
    let is_version_1 = is_version_1(&value);
    Root::from_json(value, &At::Root, context).map_err(|error| match is_version_1 {
        true => Error::unsupported(Place::json("/asset/version"), crate::GLTF_1_MESSAGE),
        false => error,
    })
}

/// glTF 1.0 has objects where 2.0 has lists, so that it does not get as far as to its version.
fn is_version_1(root: &Value) -> bool {
    let version = root.get("asset").and_then(|asset| asset.get("version"));
    let stated = version.is_some_and(|v| v.as_str().is_some_and(|v| v.starts_with("1.")) || v.as_f64() == Some(1.0));
    let by_name = |list: &str| matches!(root.get(list), Some(Value::Object(_)));
    stated || version.is_none() && ["scenes", "nodes", "meshes", "accessors"].into_iter().any(by_name)
}

/// The shortest text of a value.
pub(crate) fn write(value: &Value) -> Result<Vec<u8>> {
    let fault = |e: serde_json::Error| Error::malformed(Place::whole(), format!("not expressible as JSON: {e}"));
    serde_json::to_vec(value).map_err(fault)
}

/// The text with the value at a pointer replaced, or with a member added to the pointer's parent.
pub(crate) fn set(text: &[u8], pointer: &str, value: &Value) -> Result<Vec<u8>> {
    let new = write(value)?;
    if let Some(range) = find(text, pointer) {
        return Ok(splice(text, range, &[&new]));
    }
    let nowhere = || Error::usage(format!("there is nothing at {pointer:?}, and no object around it to add it to"));
    let (parent, key) = pointer.rsplit_once('/').ok_or_else(nowhere)?;
    let range = find(text, parent).filter(|r| text.get(r.start) == Some(&b'{')).ok_or_else(nowhere)?;
    let last = range.end.saturating_sub(1);
    let inside = text.get(range.start + 1..last).unwrap_or_default();
    let comma: &[u8] = if inside.iter().all(u8::is_ascii_whitespace) { b"" } else { b"," };
    let key = write(&Value::String(unescaped(key)))?;
    // The new member follows the last one directly, before the blanks that end the object.
    let end = range.start + 1 + inside.iter().rposition(|b| !b.is_ascii_whitespace()).map_or(0, |i| i + 1);
    Ok(splice(text, end..end, &[comma, &key, b":", &new]))
}

fn splice(text: &[u8], range: Range<usize>, new: &[&[u8]]) -> Vec<u8> {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    [before, &new.concat(), after].concat()
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Where the value at a pointer lies in a text that is valid JSON.
pub(super) fn find(text: &[u8], pointer: &str) -> Option<Range<usize>> {
    let mut scan = Scan::new(text);
    for step in pointer.split('/').skip(1) {
        match scan.byte()? {
            b'{' => scan.enter_member(&unescaped(step))?,
            b'[' => scan.enter_item(step.parse().ok()?)?,
            _ => return None,
        }
    }
    let start = scan.position;
    scan.value()?;
    Some(start..scan.position)
}

/// A walk over the tokens of valid JSON; without recursion, so nesting costs no stack.
pub(super) struct Scan<'a> {
    text: &'a [u8],
    position: usize,
}

impl<'a> Scan<'a> {
    /// At the first token.
    pub(super) fn new(text: &'a [u8]) -> Self {
        let position = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let mut scan = Self { text, position };
        scan.blanks();
        scan
    }

    /// Offset of the next byte.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Passes a bracket or a brace.
    pub(super) fn step(&mut self) {
        self.position += 1;
        self.blanks();
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    pub(super) fn blanks(&mut self) {
        while self.byte().is_some_and(|b| b.is_ascii_whitespace()) {
            self.position += 1;
        }
    }

    /// Passes a token that may stand between values.
    pub(super) fn pass(&mut self, wanted: u8) -> Option<()> {
        self.blanks();
        (self.byte()? == wanted).then(|| self.position += 1)?;
        self.blanks();
        Some(())
    }

    /// Passes a text and gives its meaning.
    pub(super) fn text(&mut self) -> Option<String> {
        let start = self.position;
        self.position += 1;
        while self.byte()? != b'"' {
            self.position += if self.byte()? == b'\\' { 2 } else { 1 };
        }
        self.position += 1;
        serde_json::from_slice(self.text.get(start..self.position)?).ok()
    }

    /// Passes a whole value.
    pub(super) fn value(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            match self.byte()? {
                b'{' | b'[' => {
                    depth += 1;
                    self.position += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.position += 1;
                }
                b'"' => {
                    self.text()?;
                }
                b',' | b':' => self.position += 1,
                _ => {
                    while self.byte().is_some_and(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) {
                        self.position += 1;
                    }
                }
            }
            if depth == 0 {
                return Some(());
            }
            self.blanks();
        }
    }

    /// Moves from an object's brace to the value of its last member of that name, which is the one that counts.
    fn enter_member(&mut self, name: &str) -> Option<()> {
        self.position += 1;
        self.blanks();
        let mut found = None;
        while self.byte()? != b'}' {
            let key = self.text()?;
            self.pass(b':')?;
            if key == name {
                found = Some(self.position);
            }
            self.value()?;
            self.blanks();
            if self.byte()? == b',' {
                self.pass(b',')?;
            }
        }
        self.position = found?;
        Some(())
    }

    /// Moves from an array's bracket to an item.
    fn enter_item(&mut self, index: usize) -> Option<()> {
        self.position += 1;
        self.blanks();
        for _ in 0..index {
            if self.byte()? == b']' {
                return None;
            }
            self.value()?;
            self.pass(b',')?;
        }
        (self.byte()? != b']').then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = " {\"a\" : [1.0, {\"b/c\": 1e2 ,\"d\":\"]}\\\"\"}, []], \"é\":{} , \"a~\":1}\n";

    fn found(pointer: &str) -> Option<&'static str> {
        find(TEXT.as_bytes(), pointer).map(|r| &TEXT[r])
    }

    #[test]
    fn finds_the_text_of_any_value() {
        assert_eq!(found("/a/0"), Some("1.0"));
        assert_eq!(found("/a/1/b~1c"), Some("1e2"));
        assert_eq!(found("/a/1/d"), Some("\"]}\\\"\""));
        assert_eq!(found("/a/2"), Some("[]"));
        assert_eq!(found("/é"), Some("{}"));
        assert_eq!(found("/a~0"), Some("1"));
        assert_eq!(found("").map(str::len), Some(TEXT.len() - 2));
        for nothing in ["/a/3", "/b", "/a/2/0", "/a/0/x", "/a/x"] {
            assert_eq!(found(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn replaces_and_adds_and_leaves_the_rest() {
        let set = |pointer: &str, value: Value| {
            set(TEXT.as_bytes(), pointer, &value).map(|t| String::from_utf8(t).expect("UTF-8"))
        };
        assert_eq!(set("/a/1/b~1c", Value::Int(7)), Ok(TEXT.replace("1e2", "7")));
        assert_eq!(set("/é/x", Value::Bool(true)), Ok(TEXT.replace("{}", "{\"x\":true}")));
        assert_eq!(set("/a/1/e~1", Value::Null), Ok(TEXT.replace("}\\\"\"", "}\\\"\",\"e/\":null")));
        assert_eq!(set("/a/9", Value::Null).map_err(|e| e.kind()), Err(ErrorKind::Usage));
    }

    #[test]
    fn depth_and_numbers_beyond_f64_are_refused() {
        let context = Context::new();
        let deep = parse("[".repeat(100_000).as_bytes(), &context).expect_err("deep");
        assert_eq!(deep.kind(), ErrorKind::LimitExceeded);
        assert_eq!(parse(b"[1e999]", &context).expect_err("infinite").kind(), ErrorKind::Malformed);
        assert_eq!(parse(b"[1", &context).expect_err("cut").kind(), ErrorKind::Truncated);
        assert!(parse(b"\xEF\xBB\xBF{} \0\0", &context).is_ok());
    }
}
