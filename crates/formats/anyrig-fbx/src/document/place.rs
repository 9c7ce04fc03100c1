//! Where something lies, in the terms of the user: a byte offset, or line and column, and the path of names.

use super::arena::{Arena, NodeId};
use super::{FbxDocument, Form};
use anyrig_bytes::Place;
use std::sync::OnceLock;

/// The names from the top to a node, for example `Objects/Geometry/Vertices`.
pub(crate) fn path(arena: &Arena, id: NodeId) -> String {
    let mut names = Vec::new();
    let mut at = id;
    while let Some(node) = arena.node(at).filter(|_| at != NodeId::ROOT) {
        names.push(String::from_utf8_lossy(arena.name(node)));
        at = node.parent;
    }
    names.reverse();
    names.join("/")
}

/// Where each block of the text begins, in lines and columns, so that any place is found within one block: a text may
/// have millions of places to tell of, on one line or far into a large file.
#[derive(Debug, Default)]
pub(crate) struct LineIndex(OnceLock<Vec<Mark>>);

/// How many bytes are looked through for a place. An index of one [`Mark`] each is below a hundredth of the text.
const BLOCK: usize = 1 << 10;

/// A place between two bytes of the text.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// Line ends before it.
    lines: u32,
    /// Characters between the last of them and it.
    characters: u32,
}

impl Mark {
    /// The place behind a piece of text that begins here.
    fn after(self, text: &[u8]) -> Self {
        let count = |text: &[u8]| text.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32;
        match memchr::memrchr(b'\n', text) {
            Some(last) => {
                let lines = memchr::memchr_iter(b'\n', text).count() as u32;
                let rest = text.get(last + 1..).unwrap_or_default();
                Self { lines: self.lines.saturating_add(lines), characters: count(rest) }
            }
            None => Self { characters: self.characters.saturating_add(count(text)), ..self },
        }
    }
}

impl LineIndex {
    /// Line and column of an offset, both from 1; the column counts characters.
    pub fn line_column(&self, text: &[u8], offset: usize) -> (u32, u32) {
        let (mark, rest) = self.nearest(text, offset.min(text.len()));
        let at = mark.after(rest);
        (at.lines.saturating_add(1), at.characters.saturating_add(1))
    }

    /// The last mark before an offset, and the text between both.
    fn nearest<'t>(&self, text: &'t [u8], offset: usize) -> (Mark, &'t [u8]) {
        let marks = self.0.get_or_init(|| marks(text));
        let block = offset / BLOCK;
        (marks.get(block).copied().unwrap_or_default(), text.get(block * BLOCK..offset).unwrap_or_default())
    }
}

/// The mark at the start of each block, and one at the end.
fn marks(text: &[u8]) -> Vec<Mark> {
    let mut marks = Vec::with_capacity(text.len() / BLOCK + 2);
    let mut at = Mark::default();
    marks.push(at);
    for block in text.chunks(BLOCK) {
        at = at.after(block);
        marks.push(at);
    }
    marks
}

impl FbxDocument {
    /// The place of an address, with the path of a node.
    pub(crate) fn place_of(&self, address: u64, id: NodeId) -> Place {
        let path = path(&self.arena, id);
        if self.arena.is_own(address) {
            return Place::element(path);
        }
        match self.form {
            Form::Binary(_) => Place::byte(address).named(path),
            Form::Ascii(_) => {
                let (line, column) = self.lines.line_column(self.arena.source(), address as usize);
                Place::line_column(line, column).named(path)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_over_blocks_and_columns_in_characters() {
        let mut text = "é;\n".repeat(BLOCK / 2).into_bytes();
        text.extend_from_slice("äb".as_bytes());
        let index = LineIndex::default();
        assert_eq!(index.line_column(&text, 0), (1, 1));
        assert_eq!(index.line_column(&text, 2), (1, 2));
        assert_eq!(index.line_column(&text, text.len() - 1), (BLOCK as u32 / 2 + 1, 2));
        assert_eq!(index.line_column(&text, usize::MAX), (BLOCK as u32 / 2 + 1, 3));
    }

    #[test]
    fn a_place_is_found_within_one_block_however_long_its_line_is() {
        let text = "é,".repeat(BLOCK * 20).into_bytes();
        let index = LineIndex::default();
        for offset in [0, 1, BLOCK - 1, BLOCK, BLOCK * 7 + 5, text.len() - 1, text.len()] {
            let (_, rest) = index.nearest(&text, offset);
            assert!(rest.len() < BLOCK, "{} bytes are looked through for {offset}", rest.len());
            let before = text[..offset].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
            assert_eq!(index.line_column(&text, offset), (1, before as u32 + 1));
        }
    }
}
