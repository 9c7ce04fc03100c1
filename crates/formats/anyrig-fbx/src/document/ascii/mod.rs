//! ASCII files.
//!
//! `Name: value, value {` children `}`. Nothing is rewritten: names and values are places in the text.

mod comma;
mod lexer;
mod read;
mod spell;
mod write;

pub(crate) use lexer::{after_colon, array_body, is_blank, shown, skip_separators, string_body, token_len, unescape};
pub(crate) use read::{ascii_score, read};
pub(crate) use spell::spell_value;
pub(crate) use write::{trace, write};

use super::arena::NodeId;
use std::collections::BTreeMap;

/// What a property is; takes the place of the type code of binary files.
pub(crate) mod tag {
    /// A number token.
    pub const NUMBER: u8 = b'#';
    /// A bare word.
    pub const WORD: u8 = b'w';
    /// A quoted string.
    pub const STRING: u8 = b'"';
    /// `*N { a: … }`.
    pub const ARRAY: u8 = b'*';
}

/// What edits have changed in the text.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// By property: its token in the source that another one replaces.
    pub replaced: BTreeMap<u32, (u64, u64)>,
    /// By node: all of its values in the source, which others replace.
    pub lists: BTreeMap<NodeId, (u64, u64)>,
    /// Nodes of the source that are gone.
    pub removed: Vec<(u64, u64)>,
    /// Nodes that the source does not have.
    pub inserted: Vec<NodeId>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.lists.is_empty() && self.removed.is_empty() && self.inserted.is_empty()
    }
}
