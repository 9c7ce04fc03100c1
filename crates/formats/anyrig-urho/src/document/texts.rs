//! Small text files beside models and animations: lists of materials, triggers as JSON.

use anyrig_bytes::codec::{Codec, Record, TextForm, Tree, list, parse_json};
use anyrig_bytes::text::RawText;
use anyrig_bytes::{Context, Error, Place, Result, Rope, SharedBytes, Value};

/// A list of materials, `NAME.txt`: one path per geometry, a line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaterialList {
    /// The lines in order.
    pub lines: Vec<ListLine>,
}

/// A line as it is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLine {
    /// The path, with blanks around it where the file has them.
    pub material: String,
    /// How the line ends; the last one may end without anything.
    pub end: String,
}

impl MaterialList {
    /// True when the bytes begin as a list: the first line is the path of an XML or JSON file.
    pub fn looks_like(bytes: &[u8]) -> bool {
        let line = bytes.trim_ascii_start().split(|b| *b == b'\n').next().unwrap_or_default().trim_ascii();
        let is_path = |ending: &[u8]| line.len() > ending.len() && line.to_ascii_lowercase().ends_with(ending);
        let plain = line.iter().all(|b| !b.is_ascii_control() && !b"<>{}\"*?|".contains(b));
        line.len() < 1024 && plain && (is_path(b".xml") || is_path(b".json"))
    }

    /// Takes the lines apart.
    ///
    /// # Errors
    /// Malformed when the text is not UTF-8; limits.
    pub fn read(bytes: &[u8], context: &Context) -> Result<Self> {
        // A line, and its end as a text of its own.
        let lines = 1 + bytes.iter().filter(|b| **b == b'\n').count() as u64;
        context.take_elements(lines, Place::whole)?;
        let each = size_of::<ListLine>() as u64 + 16;
        context.take_memory(lines.saturating_mul(each).saturating_add(bytes.len() as u64), Place::whole)?;
        let text = std::str::from_utf8(bytes).map_err(|e| {
            let place = Place::byte(e.valid_up_to() as u64);
            Error::malformed(place, "the list is not UTF-8; save it in that encoding")
        })?;
        let line = |line: &str| {
            let material = line.trim_end_matches('\n');
            let material = if material.len() < line.len() { material.trim_end_matches('\r') } else { material };
            ListLine { material: material.to_owned(), end: line[material.len()..].to_owned() }
        };
        Ok(Self { lines: text.split_inclusive('\n').map(line).collect() })
    }

    /// A list of paths.
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let line = |path: &str| ListLine { material: path.to_owned(), end: "\n".to_owned() };
        Self { lines: paths.into_iter().map(line).collect() }
    }

    /// The text; equal to what was read when nothing was changed.
    pub fn write(&self) -> Rope {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.material);
            text.push_str(&line.end);
        }
        text.into_bytes().into()
    }

    /// The paths without the blanks around them; one for each geometry.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.material.trim())
    }
}

impl Record for MaterialList {
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()> {
        list(codec, "lines", 1, &mut self.lines, |c, line| {
            text(c, "material", &mut line.material)?;
            text(c, "end", &mut line.end)
        })
    }
}

/// A text of a text file. Only walks that know no bytes come here: a text file is not made of such records.
pub(super) fn text<C: Codec>(codec: &mut C, name: &'static str, value: &mut String) -> Result<()> {
    let mut raw = RawText::from(value.as_str());
    codec.text(name, TextForm::NulTerminated, &mut raw)?;
    if raw.0 == value.as_bytes() {
        return Ok(());
    }
    let wrong = |_| Error::malformed(codec.place(), format!("{name} is not UTF-8"));
    *value = String::from_utf8(raw.0).map_err(wrong)?;
    Ok(())
}

/// Triggers beside an animation as JSON, `NAME.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggersJson {
    bytes: SharedBytes,
    value: Value,
}

impl TriggersJson {
    /// True when the bytes begin as an object that has triggers.
    pub fn looks_like(bytes: &[u8]) -> bool {
        let head = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let has = |word: &[u8]| head.windows(word.len()).any(|w| w == word);
        head.starts_with(b"{") && has(b"\"triggers\"") && !has(b"\"asset\"")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Malformed with line and column; the limit of depth.
    pub fn read(bytes: &SharedBytes, context: &Context) -> Result<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Ok(Self { bytes: bytes.clone(), value: parse_json(text, context)? })
    }

    /// What the file says.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The file as it was read.
    pub fn write(&self) -> Rope {
        self.bytes.clone().into()
    }

    /// What the file says, for comparisons.
    pub fn tree(&self) -> Tree {
        self.value.clone().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_line_ends_and_blanks() {
        for text in ["Materials/a.xml\n\n b.xml \r\nc.xml", "a.xml\n", "a.xml", "a.xml\r\n\r\n"] {
            let list = MaterialList::read(text.as_bytes(), &Context::new()).expect("UTF-8");
            assert_eq!(list.write().to_vec(), text.as_bytes());
        }
        let list = MaterialList::read(b"Materials/a.xml\n\n b.xml \r\nc.xml", &Context::new()).expect("UTF-8");
        assert_eq!(list.paths().collect::<Vec<_>>(), ["Materials/a.xml", "", "b.xml", "c.xml"]);
        assert!(MaterialList::read(b"a\xff.xml", &Context::new()).is_err());
    }

    #[test]
    fn only_paths_of_materials_make_a_list() {
        assert!(MaterialList::looks_like(b"Materials/a b.xml\r\nx"));
        for other in [&b"hello\nworld.xml"[..], b"", b".xml", b"<a>.xml", b"\x01.xml", b"{\"a\": \"b.json"] {
            assert!(!MaterialList::looks_like(other), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn triggers_are_told_from_other_json() {
        assert!(TriggersJson::looks_like(b" {\"triggers\": []}"));
        assert!(!TriggersJson::looks_like(b"{\"asset\": {}, \"triggers\": []}"));
        assert!(!TriggersJson::looks_like(b"[\"triggers\"]"));
    }
}
