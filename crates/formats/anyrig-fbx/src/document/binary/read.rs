//! Reading: how records nest. Their layouts are in `records`.

use super::Frame;
use super::records::{self, Footer, FooterOrder, Header, NodeRecord, PropertyRecord};
use crate::codes;
use crate::document::arena::{Arena, NodeData, NodeId, PropertyData};
use crate::document::place::LineIndex;
use crate::document::tally::Tally;
use crate::document::text::{self, TextEncoding};
use crate::document::{FbxDocument, Form, MAX_DEPTH};
use anyrig_bytes::codec::{Codec, ReadCodec, SkimCodec};
use anyrig_bytes::{Context, Diagnostic, Error, Place, Result, SharedBytes};

pub(crate) fn read(bytes: &SharedBytes, context: &Context) -> Result<FbxDocument> {
    let mut reader = Reader::new(bytes, context)?;
    reader.nodes()?;
    reader.tally.finish(Place::whole)?;
    let footer = reader.footer()?;
    let Reader { arena, header, has_legacy_text, .. } = reader;
    let version = header.version;
    let form = Form::Binary(Frame { header, footer });
    let mut document = FbxDocument { version, arena, form, text: TextEncoding::Utf8, lines: LineIndex::default() };
    if has_legacy_text {
        document.text = text::detect(&document, context);
    }
    Ok(document)
}

struct Reader<'a> {
    bytes: &'a SharedBytes,
    context: &'a Context,
    tally: Tally<'a>,
    /// Takes no names and texts: they stay where they lie.
    codec: SkimCodec<'a>,
    header: Header,
    arena: Arena,
    /// The open nodes and where each ends.
    open: Vec<(NodeId, u64)>,
    node: NodeRecord,
    property: PropertyRecord,
    has_legacy_text: bool,
}

/// What a reading step found.
enum Next {
    /// A list or a node without a list ended.
    Ended,
    /// A node, with where it ends.
    Node(NodeId, u64),
    /// The end of the nodes.
    Done,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a SharedBytes, context: &'a Context) -> Result<Self> {
        let order = bytes.get(22).copied().unwrap_or_default();
        let endian = records::byte_order(order);
        let mut reader = ReadCodec::new(bytes, endian);
        let mut header = Header::default();
        records::header(&mut reader, &mut header)?;
        let codec = SkimCodec::at(bytes, endian, reader.position())?;
        if !records::VERSIONS.contains(&header.version) {
            return Err(records::unknown_version(header.version, Place::byte(23)));
        }
        let (node, property) = (NodeRecord::default(), PropertyRecord::default());
        let (arena, open) = (Arena::new(bytes), Vec::new());
        let tally = Tally::new(context);
        Ok(Self { bytes, context, tally, codec, header, arena, open, node, property, has_legacy_text: false })
    }

    fn position(&self) -> u64 {
        self.codec.position() as u64
    }

    fn nodes(&mut self) -> Result<()> {
        loop {
            match self.step()? {
                Next::Ended => {}
                Next::Done => return Ok(()),
                Next::Node(id, end) if self.position() < end => {
                    let limit = MAX_DEPTH.min(self.context.limits().depth as usize);
                    if self.open.len() >= limit {
                        let message = crate::document::too_deep(limit);
                        return Err(Error::limit(self.place(), message));
                    }
                    self.open.push((id, end));
                }
                Next::Node(..) => {}
            }
        }
    }

    fn step(&mut self) -> Result<Next> {
        let start = self.position();
        match self.open.last() {
            Some((_, end)) if start >= *end => {
                self.open.pop();
                return Ok(Next::Ended);
            }
            None if self.codec.remaining() == Some(0) => {
                self.context.push(Diagnostic::new(&codes::NO_END, "root", "").at(Place::byte(start)));
                return Ok(Next::Done);
            }
            _ => {}
        }
        let is_wide = self.header.is_wide();
        if records::node(&mut self.codec, is_wide, &mut self.node).is_err() {
            let parent = self.open.last().map_or(NodeId::ROOT, |(id, _)| *id);
            return Err(self.named(parent, start, |codec| records::node(codec, is_wide, &mut NodeRecord::default())));
        }
        if self.node.is_empty() && self.codec.block().is_empty() {
            return self.end_of_list(start);
        }
        self.begin(start)
    }

    /// A null record: the end of the innermost list.
    fn end_of_list(&mut self, start: u64) -> Result<Next> {
        let (id, end) = self.open.last().copied().unwrap_or((NodeId::ROOT, self.position()));
        if end != self.position() {
            let message = format!("the list of children ends at {}, its node at {end}", self.position());
            return Err(Error::malformed(self.place_at(start), message));
        }
        if let Some(node) = self.arena.node_mut(id) {
            node.has_list = true;
        }
        Ok(if self.open.pop().is_some() { Next::Ended } else { Next::Done })
    }

    fn begin(&mut self, start: u64) -> Result<Next> {
        let limit = self.open.last().map_or(self.bytes.len() as u64, |(_, end)| *end);
        let end = self.node.end;
        let properties_end = self.position().checked_add(self.node.property_bytes).filter(|at| *at <= end);
        let Some(properties_end) = properties_end.filter(|_| end <= limit) else {
            let message = format!(
                "the node is to end at {end} with {} bytes of properties, but what it lies in ends at {limit}",
                self.node.property_bytes
            );
            let kind = if self.open.is_empty() && end > limit { Error::truncated } else { Error::malformed };
            return Err(kind(self.place_at(start), message));
        };
        let count = self.node.property_count;
        // The shortest property has two bytes.
        if count > self.node.property_bytes / 2 {
            let message = format!("{count} properties cannot lie in {} bytes", self.node.property_bytes);
            return Err(Error::malformed(self.place_at(start), message));
        }
        self.tally.take(1 + count, || Place::byte(start))?;
        let parent = self.open.last().map_or(NodeId::ROOT, |(id, _)| *id);
        let name_len = self.codec.block().len() as u32;
        let mut node = NodeData::new(parent);
        node.name = start + NodeRecord::fixed_size(self.header.is_wide());
        node.name_len = name_len;
        node.range = Some((start, end));
        node.first_property = self.arena.next_property(|| Place::byte(start))?;
        node.property_count = count as u32;
        let id = self.arena.push(node, || Place::byte(start))?;
        self.properties(id, count, properties_end)?;
        Ok(Next::Node(id, end))
    }

    fn properties(&mut self, id: NodeId, count: u64, end: u64) -> Result<()> {
        for index in 0..count {
            let at = self.position();
            if records::property(&mut self.codec, &mut self.property).is_err() {
                return Err(self.named(id, at, |codec| {
                    codec.enter("properties", Some(index as usize));
                    records::property(codec, &mut PropertyRecord::default())
                }));
            }
            let kind = self.property.kind;
            if kind == b'S' && !self.has_legacy_text {
                let text = self.codec.block();
                self.has_legacy_text = !text.is_ascii() && std::str::from_utf8(text).is_err();
            }
            self.arena.properties.push(PropertyData::new(kind, at));
        }
        if self.position() != end {
            let message = format!("the properties end at {}, their list is to end at {end}", self.position());
            return Err(Error::malformed(Place::byte(self.position()).named(self.path(id)), message));
        }
        Ok(())
    }

    fn footer(&mut self) -> Result<Footer> {
        let offset = self.position();
        let tail = self.bytes.slice(offset as usize..self.bytes.len()).unwrap_or_default();
        let order = FooterOrder::find(&tail, offset, self.header.endian());
        let zeros = order.zeros(offset).unwrap_or(0) as usize;
        let known = if order == FooterOrder::Unknown { 0 } else { 20 + zeros };
        if known == 0 {
            let message = format!("{} bytes", tail.len());
            self.context.push(Diagnostic::new(&codes::FOOTER, "footer", message).at(Place::byte(offset)));
        }
        let range = |from: usize, to: usize| tail.slice(from..to).unwrap_or_default();
        let (zeros, rest) = (range(16.min(known), (16 + zeros).min(known)), range(known, tail.len()));
        let mut footer = Footer { order, zeros, rest, ..Footer::default() };
        let mut codec = ReadCodec::at(self.bytes, self.header.endian(), offset as usize)?;
        records::footer(&mut codec, &mut footer)?;
        Ok(footer)
    }

    fn path(&self, id: NodeId) -> String {
        crate::document::place::path(&self.arena, id)
    }

    fn place(&self) -> Place {
        self.place_at(self.position())
    }

    fn place_at(&self, offset: u64) -> Place {
        let parent = self.open.last().map_or(NodeId::ROOT, |(id, _)| *id);
        Place::byte(offset).named(self.path(parent))
    }

    /// Why a record cannot be read: walked again by a codec that knows the names of fields, below the path of a node.
    fn named(&self, id: NodeId, start: u64, walk: impl FnOnce(&mut ReadCodec<'a>) -> Result<()>) -> Error {
        let codec = ReadCodec::at(self.bytes, self.header.endian(), start as usize);
        let error = match codec.and_then(|mut codec| walk(&mut codec)) {
            Err(error) => error,
            Ok(()) => Error::malformed(Place::byte(start), "the record cannot be read"),
        };
        let mut place = error.place().clone();
        place.element =
            [self.path(id), place.element].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(".");
        Error::new(error.kind(), place, error.message())
    }
}
