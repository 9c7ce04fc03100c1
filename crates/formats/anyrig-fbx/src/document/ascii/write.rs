//! Writing: the source with what edits changed put in.

use super::{Changes, is_blank, token_len};
use crate::document::arena::{Arena, NodeData, NodeId, Step};
use crate::document::node::Node;
use crate::document::number::Number;
use crate::document::{FbxDocument, Form, Kind, Property};
use anyrig_bytes::codec::Span;
use anyrig_bytes::{Context, Result, Rope, Value};
use std::collections::BTreeMap;

/// A range of the source and what stands there instead.
struct Patch {
    from: u64,
    to: u64,
    text: Vec<u8>,
}

pub(crate) fn write(document: &FbxDocument, changes: &Changes) -> Result<Rope> {
    let source = document.arena.source();
    if changes.is_empty() {
        return Ok(source.clone().into());
    }
    let mut patches = Writer::new(&document.arena).patches(changes)?;
    // Stable: what is inserted at one place stays in order.
    patches.sort_by_key(|patch| (patch.from, patch.to));
    let mut out = Rope::default();
    let mut at = 0;
    for patch in patches {
        if patch.from < at {
            // Inside of something that is gone.
            continue;
        }
        out.push(source.slice(at as usize..patch.from as usize).unwrap_or_default());
        out.push(patch.text);
        at = patch.to;
    }
    out.push(source.slice(at as usize..source.len()).unwrap_or_default());
    Ok(out)
}

/// Where the text of a new node goes.
enum Anchor {
    /// At an offset at which a line begins.
    At(usize),
    /// At an offset, after a line end.
    NextLine(usize),
    /// At an offset, in new braces.
    NewList(usize),
}

struct Writer<'a> {
    arena: &'a Arena,
    text: &'a [u8],
    newline: &'static [u8],
}

impl<'a> Writer<'a> {
    fn new(arena: &'a Arena) -> Self {
        let text = arena.source().as_slice();
        let first = memchr::memchr(b'\n', text);
        let is_crlf = first.and_then(|at| text.get(at.checked_sub(1)?)) == Some(&b'\r');
        Self { arena, text, newline: if is_crlf { b"\r\n" } else { b"\n" } }
    }

    fn patches(&self, changes: &Changes) -> Result<Vec<Patch>> {
        let mut patches = Vec::new();
        for (index, (from, to)) in &changes.replaced {
            let token = self.arena.properties.get(*index as usize).map(|p| {
                let bytes = self.arena.bytes_at(p.address());
                self.with_newlines(bytes.get(..token_len(p.tag(), bytes)).unwrap_or_default())
            });
            patches.push(Patch { from: *from, to: *to, text: token.unwrap_or_default() });
        }
        for (id, (from, to)) in &changes.lists {
            let Some(node) = self.arena.node(*id) else { continue };
            let mut text = if from == to && node.property_count > 0 { b" ".to_vec() } else { Vec::new() };
            self.spell_values(node, &mut text);
            patches.push(Patch { from: *from, to: *to, text });
        }
        for (from, to) in &changes.removed {
            let (from, to) = self.whole_lines(*from as usize, *to as usize);
            patches.push(Patch { from: from as u64, to: to as u64, text: Vec::new() });
        }
        let mut new_lists = BTreeMap::new();
        for id in self.inserted_tops()? {
            let Some(node) = self.arena.node(id) else { continue };
            let depth = self.depth(node.parent);
            let mut text = Vec::new();
            self.spell(id, depth, &mut text);
            match self.anchor(id, node.parent) {
                Anchor::At(at) => patches.push(Patch { from: at as u64, to: at as u64, text }),
                Anchor::NextLine(at) => {
                    let text = [self.newline, &text].concat();
                    patches.push(Patch { from: at as u64, to: at as u64, text });
                }
                Anchor::NewList(at) => {
                    let list = new_lists.entry(at).or_insert((depth, Vec::new()));
                    list.1.extend_from_slice(&text);
                }
            }
        }
        patches.extend(new_lists.into_iter().map(|(at, (depth, text))| self.new_list(at, depth, &text)));
        Ok(patches)
    }

    /// Nodes that the source does not have and whose parent it has, in file order.
    fn inserted_tops(&self) -> Result<Vec<NodeId>> {
        let mut tops = Vec::new();
        self.arena.walk(NodeId::ROOT, |step, id, node| {
            let parent_is_source =
                node.parent == NodeId::ROOT || self.arena.node(node.parent).is_some_and(|p| p.range.is_some());
            if step == Step::Enter && node.range.is_none() && parent_is_source {
                tops.push(id);
            }
            Ok(())
        })?;
        Ok(tops)
    }

    fn anchor(&self, id: NodeId, parent: NodeId) -> Anchor {
        if let Some(end) = self.end_of_previous(id) {
            return match self.rest_of_line(end) {
                Some(next_line) if self.ends_with_newline(next_line) => Anchor::At(next_line),
                Some(end_of_text) => Anchor::NextLine(end_of_text),
                None => Anchor::NextLine(end),
            };
        }
        if let Some(start) = self.start_of_next(id) {
            return Anchor::At(self.line_start(start));
        }
        let parent = self.arena.node(parent);
        let Some((_, end)) = parent.and_then(|p| p.range) else {
            let end = self.text.len();
            return if end == 0 || self.ends_with_newline(end) { Anchor::At(end) } else { Anchor::NextLine(end) };
        };
        if !parent.is_some_and(|p| p.has_list) {
            return Anchor::NewList(end as usize);
        }
        // The closing brace is the last byte.
        let brace = (end as usize).saturating_sub(1);
        let line = self.line_start(brace);
        if line == brace && !self.ends_with_newline(line) { Anchor::NextLine(brace) } else { Anchor::At(line) }
    }

    /// The braces of a node that had none, around its new children.
    fn new_list(&self, at: usize, depth: usize, children: &[u8]) -> Patch {
        let indent = vec![b'\t'; depth.saturating_sub(1)];
        let text = [b" {", self.newline, children, &indent, b"}"].concat();
        Patch { from: at as u64, to: at as u64, text }
    }

    fn depth(&self, mut id: NodeId) -> usize {
        let mut depth = 0;
        while let Some(node) = self.arena.node(id).filter(|_| id != NodeId::ROOT) {
            depth += 1;
            id = node.parent;
        }
        depth
    }

    fn end_of_previous(&self, id: NodeId) -> Option<usize> {
        let mut at = self.arena.previous_sibling(id);
        while let Some(sibling) = at {
            let node = self.arena.node(sibling)?;
            if let Some((_, end)) = node.range {
                return Some(end as usize);
            }
            at = self.arena.previous_sibling(sibling);
        }
        None
    }

    fn start_of_next(&self, id: NodeId) -> Option<usize> {
        let mut at = self.arena.node(id)?.next.some();
        while let Some(sibling) = at {
            let node = self.arena.node(sibling)?;
            if let Some((start, _)) = node.range {
                return Some(start as usize);
            }
            at = node.next.some();
        }
        None
    }

    /// Start of the line when only blanks stand before, else the offset itself.
    fn line_start(&self, at: usize) -> usize {
        let head = self.text.get(..at).unwrap_or_default();
        let blanks = head.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let start = at - blanks;
        if start == 0 || self.ends_with_newline(start) { start } else { at }
    }

    /// Start of the next line (or the end of the text) when only blanks stand before it.
    fn rest_of_line(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |len| len + 1);
        rest.get(..line)?.iter().all(|b| is_blank(*b)).then_some(at + line)
    }

    fn ends_with_newline(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|last| self.text.get(last)) == Some(&b'\n')
    }

    /// The range, with the rest of its lines when nothing else stands on them.
    fn whole_lines(&self, from: usize, to: usize) -> (usize, usize) {
        let start = self.line_start(from);
        let owns_line = start == 0 || self.ends_with_newline(start);
        match self.rest_of_line(to).filter(|_| owns_line) {
            Some(end) => (start, end),
            None => (from, to),
        }
    }

    /// A node that the source does not have, in lines of their own.
    fn spell(&self, id: NodeId, depth: usize, out: &mut Vec<u8>) {
        let mut open = vec![(id, depth)];
        // Iterative: a node, or the closing brace of one.
        let mut closing = Vec::new();
        while let Some((id, depth)) = open.pop() {
            let Some(node) = self.arena.node(id) else { continue };
            while closing.last().is_some_and(|d| *d >= depth) {
                self.close(&mut closing, out);
            }
            self.spell_head(node, depth, out);
            if node.first_child == NodeId::NONE && node.property_count > 0 {
                out.extend_from_slice(self.newline);
                continue;
            }
            out.extend_from_slice(b" {");
            out.extend_from_slice(self.newline);
            closing.push(depth);
            let mut children = Vec::new();
            let mut at = node.first_child.some();
            while let Some(child) = at {
                children.push((child, depth + 1));
                at = self.arena.node(child).and_then(|n| n.next.some());
            }
            open.extend(children.into_iter().rev());
        }
        while !closing.is_empty() {
            self.close(&mut closing, out);
        }
    }

    fn close(&self, closing: &mut Vec<usize>, out: &mut Vec<u8>) {
        let depth = closing.pop().unwrap_or(0);
        out.extend(std::iter::repeat_n(b'\t', depth));
        out.push(b'}');
        out.extend_from_slice(self.newline);
    }

    fn spell_head(&self, node: &NodeData, depth: usize, out: &mut Vec<u8>) {
        out.extend(std::iter::repeat_n(b'\t', depth));
        let name = self.arena.name(node);
        let is_plain = !name.is_empty() && name.iter().all(|b| super::lexer::is_word_byte(*b));
        if is_plain {
            out.extend_from_slice(name);
        } else {
            out.extend_from_slice(&[b"\"", name, b"\""].concat());
        }
        out.push(b':');
        out.push(b' ');
        self.spell_values(node, out);
    }

    fn spell_values(&self, node: &NodeData, out: &mut Vec<u8>) {
        for (index, property) in self.arena.properties_of(node).iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            let bytes = self.arena.bytes_at(property.address());
            let token = bytes.get(..token_len(property.tag(), bytes)).unwrap_or_default();
            out.extend_from_slice(&self.with_newlines(token));
        }
    }

    fn with_newlines(&self, token: &[u8]) -> Vec<u8> {
        if self.newline == b"\n" || !token.contains(&b'\n') {
            return token.to_vec();
        }
        token.split(|b| *b == b'\n').collect::<Vec<_>>().join(self.newline)
    }
}

/// Names and values of the text.
pub(crate) fn trace(document: &FbxDocument) -> Result<Vec<Span>> {
    if let Form::Ascii(changes) = &document.form
        && !changes.is_empty()
    {
        let text = write(document, changes)?.to_shared();
        return trace(&super::read(&text, &Context::new())?);
    }
    let mut spans = Vec::new();
    document.arena.walk(NodeId::ROOT, |step, id, node| {
        let Some(shown) = document.node(id).filter(|_| step == Step::Enter) else { return Ok(()) };
        let path = shown.path();
        let name = Value::from(&*shown.name_text());
        spans.push(Span::new(node.name, node.name_len.into(), path.clone()).with_value(name));
        spans.extend(values(document, &shown, &path));
        Ok(())
    })?;
    Ok(spans)
}

fn values(document: &FbxDocument, node: &Node<'_>, path: &str) -> Vec<Span> {
    let span = |(index, property): (usize, Property<'_>)| {
        let address = property.data.address();
        let len = token_len(property.data.tag(), document.arena.bytes_at(address)) as u64;
        let value = match property.kind() {
            Kind::NumberArray => Value::Null,
            Kind::Number => match property.number() {
                Some(Number::Int(v)) => Value::Int(v),
                Some(Number::Float(v)) => Value::Float(v),
                None => Value::Null,
            },
            _ => property.text().map_or(Value::Null, |text| Value::from(&*text)),
        };
        Span::new(address, len, format!("{path}.properties[{index}]")).with_value(value)
    };
    node.properties().enumerate().map(span).collect()
}
