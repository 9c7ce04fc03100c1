//! Reading: finds names and values, and says where the text is wrong.

use super::lexer::{self, ArrayError, colon_follows, skip_blank, string_len, word_len};
use super::{Changes, comma, tag};
use crate::codes;
use crate::document::arena::{Arena, NodeData, NodeId, PropertyData};
use crate::document::binary::{VERSIONS, unknown_version};
use crate::document::number::Extent;
use crate::document::place::{self, LineIndex};
use crate::document::tally::Tally;
use crate::document::text::{self, TextEncoding};
use crate::document::{FbxDocument, Form, MAX_DEPTH, number};
use anyrig_bytes::{Context, Error, Place, Result, SharedBytes};
use anyrig_scene::Score;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What a node needs while the list of nodes grows; a text of any program has at least 16 bytes for each.
const NODE_BYTES: u64 = 3 * size_of::<NodeData>() as u64;
/// Memory that nodes may need whatever the size of the text.
const FREE_BYTES: u64 = 48 << 20;

/// Version of a file that states none, as other readers take it.
const ASSUMED_VERSION: u32 = 7400;

/// Top-level nodes, any of which makes a text an FBX file.
const ROOT_NAMES: [&str; 10] = [
    "FBXHeaderExtension",
    "FBXHeaderVersion",
    "FBXVersion",
    "Objects",
    "Model",
    "Definitions",
    "Connections",
    "GlobalSettings",
    "Takes",
    "Version5",
];

/// How much a text looks like an FBX file.
pub(crate) fn ascii_score(head: &[u8]) -> Score {
    let text = head.strip_prefix(BOM).unwrap_or(head);
    if stated_version(text).is_some() {
        return Score::Certain;
    }
    let start = skip_blank(text, 0);
    let len = word_len(text, start);
    let name = text.get(start..start + len).unwrap_or_default();
    let is_root = ROOT_NAMES.iter().any(|known| known.as_bytes() == name);
    if is_root && colon_follows(text, start + len) { Score::Likely } else { Score::No }
}

/// The version of the first line, `; FBX 7.7.0 project file`.
fn stated_version(text: &[u8]) -> Option<u32> {
    let line = text.get(..memchr::memchr(b'\n', text).unwrap_or(text.len()))?.strip_prefix(b";")?;
    let from = memchr::memmem::find(line, b"FBX ")? + 4;
    let mut parts = line.get(from..)?.split(|b| !b.is_ascii_digit());
    let mut part = |factor: u32| {
        let digits = parts.next().filter(|digits| digits.len() == 1)?;
        Some(u32::from(digits.first()? - b'0') * factor)
    };
    Some(part(1000)? + part(100)? + part(10)?)
}

pub(crate) fn read(bytes: &SharedBytes, context: &Context) -> Result<FbxDocument> {
    let mut reader = Reader::new(bytes, context);
    reader.nodes()?;
    reader.tally.finish(Place::whole)?;
    let Reader { arena, saw_point, has_legacy_text, lines, .. } = reader;
    let form = Form::Ascii(Changes::default());
    let mut document = FbxDocument { version: 0, arena, form, text: TextEncoding::Utf8, lines };
    check_is_fbx(&document)?;
    document.version = version(&document, context)?;
    if has_legacy_text {
        document.text = text::detect(&document, context);
    }
    if !saw_point {
        comma::check(&document)?;
    }
    Ok(document)
}

fn check_is_fbx(document: &FbxDocument) -> Result<()> {
    let is_fbx = |name: &&str| document.child(name).is_some();
    let score = ascii_score(document.arena.source());
    if score != Score::No && document.root_children().next().is_some() || ROOT_NAMES.iter().any(is_fbx) {
        return Ok(());
    }
    Err(Error::malformed(Place::whole(), "this is not an FBX file: it has none of the nodes that every FBX file has"))
}

fn version(document: &FbxDocument, context: &Context) -> Result<u32> {
    let text = document.arena.source().as_slice();
    let stated = stated_version(text.strip_prefix(BOM).unwrap_or(text));
    if let Some(version) = stated.filter(|version| !VERSIONS.contains(version)) {
        return Err(unknown_version(version, Place::line_column(1, 1)));
    }
    let in_header = || {
        let stated = document.child("FBXHeaderExtension")?.child("FBXVersion")?.i64(0)?;
        u32::try_from(stated).ok().filter(|v| VERSIONS.contains(v))
    };
    Ok(stated.or_else(in_header).unwrap_or_else(|| {
        context.tell(&codes::MISSING_VERSION, "version", "");
        ASSUMED_VERSION
    }))
}

struct Reader<'a> {
    bytes: &'a SharedBytes,
    text: &'a [u8],
    context: &'a Context,
    tally: Tally<'a>,
    at: usize,
    arena: Arena,
    open: Vec<NodeId>,
    /// A number with a decimal point was seen.
    saw_point: bool,
    has_legacy_text: bool,
    lines: LineIndex,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a SharedBytes, context: &'a Context) -> Self {
        let text = bytes.as_slice();
        let at = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let arena = Arena::new(bytes);
        let (open, lines) = (Vec::new(), LineIndex::default());
        let tally = Tally::new(context);
        Self { bytes, text, context, tally, at, arena, open, saw_point: false, has_legacy_text: false, lines }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        self.at = skip_blank(self.text, self.at);
    }

    fn nodes(&mut self) -> Result<()> {
        loop {
            self.skip_blank();
            match self.peek() {
                None if self.open.is_empty() => return Ok(()),
                None => {
                    let message = "the file ends inside a node: a closing brace is missing";
                    return Err(Error::truncated(self.place(self.at), message));
                }
                Some(b'}') => self.close()?,
                Some(_) => self.node()?,
            }
        }
    }

    fn close(&mut self) -> Result<()> {
        let Some(id) = self.open.pop() else {
            return Err(self.wrong(self.at, "a closing brace without an opening one"));
        };
        self.at += 1;
        self.end_node(id);
        Ok(())
    }

    fn end_node(&mut self, id: NodeId) {
        let end = self.at as u64;
        if let Some(range) = self.arena.node_mut(id).and_then(|node| node.range.as_mut()) {
            range.1 = end;
        }
    }

    fn node(&mut self) -> Result<()> {
        let start = self.at;
        let len = self.text.len() as u64;
        if (self.arena.nodes.len() as u64).saturating_mul(NODE_BYTES) > FREE_BYTES + len.saturating_mul(12) {
            return Err(Error::limit(self.place(start), format!("more nodes than a text of {len} bytes has room for")));
        }
        self.tally.take(1, Place::whole)?;
        let mut node = NodeData::new(self.open.last().copied().unwrap_or(NodeId::ROOT));
        let (name_at, name_len) = self.name()?;
        node.name = name_at as u64;
        node.name_len = u32::try_from(name_len).map_err(|_| self.wrong(start, "a name of more than 4 GiB"))?;
        node.range = Some((start as u64, self.at as u64));
        node.first_property = self.arena.next_property(Place::whole)?;
        let first = self.arena.properties.len();
        let id = self.arena.push(node, Place::whole)?;
        let end = self.values()?;
        let count = self.arena.properties.len() - first;
        self.tally.take(count as u64, Place::whole)?;
        // The index after the last property fits as well, or the next node is refused.
        let count =
            u32::try_from(count).map_err(|_| self.wrong(start, "more properties than a 32-bit number counts"))?;
        if let Some(node) = self.arena.node_mut(id) {
            node.property_count = count;
        }
        if self.peek() != Some(b'{') {
            let next = std::mem::replace(&mut self.at, end);
            self.end_node(id);
            self.at = next;
            return Ok(());
        }
        self.open(id)
    }

    fn open(&mut self, id: NodeId) -> Result<()> {
        let limit = MAX_DEPTH.min(self.context.limits().depth as usize);
        if self.open.len() >= limit {
            let message = crate::document::too_deep(limit);
            return Err(Error::limit(self.place(self.at), message));
        }
        self.at += 1;
        if let Some(node) = self.arena.node_mut(id) {
            node.has_list = true;
        }
        self.open.push(id);
        Ok(())
    }

    /// Reads a name and its colon; gives the name's offset and length.
    fn name(&mut self) -> Result<(usize, usize)> {
        let start = self.at;
        let (name_at, len, end) = if self.peek() == Some(b'"') {
            let len = self.string_len()?;
            (start + 1, len - 2, start + len)
        } else {
            let len = word_len(self.text, start);
            (start, len, start + len)
        };
        if end == start {
            return Err(self.unexpected("the name of a node"));
        }
        if !colon_follows(self.text, end) {
            let text = String::from_utf8_lossy(lexer::shown(self.text.get(start..).unwrap_or_default())).into_owned();
            return Err(self.wrong(start, format!("{text:?} is not followed by a colon, as the name of a node is")));
        }
        let colon = memchr::memchr(b':', self.text.get(end..).unwrap_or_default()).unwrap_or(0);
        self.at = end + colon + 1;
        Ok((name_at, len))
    }

    fn string_len(&self) -> Result<usize> {
        let text = self.text.get(self.at..).unwrap_or_default();
        string_len(text).ok_or_else(|| Error::truncated(self.place(self.at), "the string has no closing quote"))
    }

    /// Reads values up to the next node or brace, and gives the offset after the last one.
    fn values(&mut self) -> Result<usize> {
        let mut end = self.at;
        let mut needs_comma = false;
        loop {
            self.skip_blank();
            let Some(byte) = self.peek() else { return Ok(end) };
            if !needs_comma && self.listed_numbers() {
                end = self.at;
                continue;
            }
            let tag = match byte {
                b'{' | b'}' => return Ok(end),
                b',' => {
                    self.at += 1;
                    (end, needs_comma) = (self.at, false);
                    continue;
                }
                b'"' => tag::STRING,
                b'*' => tag::ARRAY,
                b if lexer::is_word_byte(b) => tag::WORD,
                _ => return Err(self.unexpected("a value")),
            };
            let len = match tag {
                tag::STRING => self.string_len()?,
                tag::ARRAY => self.array()?,
                _ => word_len(self.text, self.at),
            };
            if tag != tag::ARRAY && colon_follows(self.text, self.at + len) {
                return Ok(end);
            }
            if needs_comma {
                return Err(self.unexpected("a comma"));
            }
            self.value(tag, len)?;
            (end, needs_comma) = (self.at, true);
        }
    }

    /// Reads plain numbers with a comma after each, as most values of long lists are; false where there is none.
    fn listed_numbers(&mut self) -> bool {
        let start = self.at;
        loop {
            let text = self.text.get(self.at..).unwrap_or_default();
            let number = number::extent(text).filter(|number| text.get(number.len) == Some(&b','));
            let Some(Extent { len, points }) = number else { return self.at > start };
            self.saw_point |= points > 0;
            self.arena.properties.push(PropertyData::new(tag::NUMBER, self.at as u64));
            self.at += len + 1;
        }
    }

    fn value(&mut self, tag: u8, len: usize) -> Result<()> {
        let start = self.at;
        let token = self.text.get(start..start + len).unwrap_or_default();
        let tag = match tag {
            tag::WORD => self.word_or_number(token)?,
            tag::STRING => {
                self.has_legacy_text |= !token.is_ascii() && std::str::from_utf8(token).is_err();
                tag
            }
            tag => tag,
        };
        self.arena.properties.push(PropertyData::new(tag, start as u64));
        self.at += len;
        Ok(())
    }

    fn word_or_number(&mut self, token: &[u8]) -> Result<u8> {
        match token.first() {
            Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'#') => {}
            _ if number::is_special_word(token) => {}
            _ => return Ok(tag::WORD),
        }
        let mut points = 0;
        let digits = token.strip_prefix(b"-").unwrap_or(token);
        let is_plain = !digits.is_empty()
            && digits.iter().all(|b| {
                points += u32::from(*b == b'.');
                b.is_ascii_digit() || *b == b'.'
            });
        self.saw_point |= points > 0;
        if !(is_plain && points <= 1 && digits != b".") && number::parse(token).is_none() {
            let message = format!("{:?} is not a number", String::from_utf8_lossy(lexer::shown(token)));
            return Err(self.wrong(self.at, message));
        }
        self.saw_point |= !is_plain && token.contains(&b'.');
        Ok(tag::NUMBER)
    }

    /// Number of bytes of the array here.
    fn array(&mut self) -> Result<usize> {
        let text = self.text.get(self.at..).unwrap_or_default();
        let array = lexer::array(text).map_err(|e| match e {
            ArrayError::Brace(at) => self.wrong(self.at + at, "an array's numbers stand in braces"),
            ArrayError::Name(at) => self.wrong(self.at + at, "an array's numbers begin with `a:`"),
            ArrayError::End => Error::truncated(self.place(self.at), "the array has no closing brace"),
        })?;
        if !self.saw_point {
            self.saw_point = memchr::memchr(b'.', array.text).is_some();
        }
        // A brace, a quote or a colon among the numbers: the closing brace that was found is that of another node.
        if let Some(odd) = memchr::memchr3(b'{', b'"', b':', array.text).filter(|_| !array.text.contains(&b';')) {
            return Err(self.wrong(self.at + array.offset + odd, "only numbers may stand in an array"));
        }
        Ok(array.len)
    }

    fn unexpected(&self, wanted: &str) -> Error {
        let found = lexer::shown(self.text.get(self.at..).unwrap_or_default());
        self.wrong(self.at, format!("{:?} stands where {wanted} is needed", String::from_utf8_lossy(found)))
    }

    fn wrong(&self, offset: usize, message: impl Into<String>) -> Error {
        Error::malformed(self.place(offset), message)
    }

    fn place(&self, offset: usize) -> Place {
        let (line, column) = self.lines.line_column(self.bytes, offset);
        let open = self.open.last().copied().unwrap_or(NodeId::ROOT);
        Place::line_column(line, column).named(place::path(&self.arena, open))
    }
}
