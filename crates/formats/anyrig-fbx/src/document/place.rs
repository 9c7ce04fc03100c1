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

/// Number of line ends before each block of the text, so that a place far into a large file is found at once.
#[derive(Debug, Default)]
pub(crate) struct LineIndex(OnceLock<Vec<u32>>);

const BLOCK: usize = 1 << 16;

impl LineIndex {
    /// Line and column of an offset, both from 1; the column counts characters.
    pub fn line_column(&self, text: &[u8], offset: usize) -> (u32, u32) {
        let offset = offset.min(text.len());
        let blocks = self.0.get_or_init(|| count_lines(text));
        let block = offset / BLOCK;
        let before = blocks.get(block).copied().unwrap_or(0);
        let part = text.get(block * BLOCK..offset).unwrap_or_default();
        let line = before + memchr::memchr_iter(b'\n', part).count() as u32 + 1;
        let head = text.get(..offset).unwrap_or_default();
        let line_start = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
        let characters = head.get(line_start..).unwrap_or_default().iter().filter(|b| *b & 0xc0 != 0x80).count();
        (line, characters as u32 + 1)
    }
}

fn count_lines(text: &[u8]) -> Vec<u32> {
    let mut lines = 0u32;
    let mut blocks = vec![0];
    for block in text.chunks(BLOCK) {
        lines = lines.saturating_add(memchr::memchr_iter(b'\n', block).count() as u32);
        blocks.push(lines);
    }
    blocks
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
}
