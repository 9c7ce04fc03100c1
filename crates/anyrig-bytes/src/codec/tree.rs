//! A record as a tree of named values: what dumps and differences are made of.

use super::{Codec, Field, ItemLayout, Record, TextForm, text_to_value};
use crate::text::RawText;
use crate::{Place, Result, SharedBytes, Value};
use std::borrow::Cow;

/// What a file holds, by name, in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// A number, a text, a list of numbers; spelled as [`Field::to_value`] and [`text_to_value`] do.
    Leaf(Value),
    /// A bulk array or bytes that stay where they are.
    Bulk(Bulk),
    /// Named members.
    Record(Vec<(Cow<'static, str>, Tree)>),
    /// Elements.
    List(Vec<Tree>),
}

/// A bulk array.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Bulk {
    /// The bytes.
    pub bytes: SharedBytes,
    /// What they are made of; `None` when that is not known.
    pub layout: Option<ItemLayout>,
}

impl Bulk {
    /// An array, described if its layout is known.
    pub fn new(bytes: impl Into<SharedBytes>, layout: Option<ItemLayout>) -> Self {
        Self { bytes: bytes.into(), layout }
    }
}

impl Tree {
    /// A member of a record.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Record(members) => members.iter().find(|(key, _)| key == name).map(|(_, tree)| tree),
            _ => None,
        }
    }

    /// The elements of a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }
}

impl From<Value> for Tree {
    /// Objects become records, lists of anything but numbers become lists.
    fn from(value: Value) -> Self {
        match value {
            Value::Object(members) => {
                Self::Record(members.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
            }
            Value::Array(items) if items.iter().any(|i| i.as_f64().is_none()) => {
                Self::List(items.into_iter().map(Self::from).collect())
            }
            leaf => Self::Leaf(leaf),
        }
    }
}

/// Collects a record as a tree.
#[derive(Debug)]
pub struct TreeCodec {
    /// The open records, the outermost first; each with how it is called in the one before.
    open: Vec<Open>,
}

#[derive(Debug, Default)]
struct Open {
    name: &'static str,
    index: Option<usize>,
    members: Vec<(Cow<'static, str>, Tree)>,
}

impl Default for TreeCodec {
    fn default() -> Self {
        Self { open: vec![Open::default()] }
    }
}

impl TreeCodec {
    /// The tree of all that was walked.
    pub fn finish(mut self) -> Tree {
        while self.open.len() > 1 {
            self.leave();
        }
        Tree::Record(self.open.pop().map(|open| open.members).unwrap_or_default())
    }

    fn put(&mut self, name: &'static str, tree: Tree) {
        if let Some(open) = self.open.last_mut() {
            open.members.push((Cow::Borrowed(name), tree));
        }
    }
}

impl Codec for TreeCodec {
    const READS: bool = false;

    fn field<T: Field>(&mut self, name: &'static str, value: &mut T) -> Result<()> {
        self.put(name, Tree::Leaf(value.to_value()));
        Ok(())
    }

    fn magic<const N: usize>(&mut self, name: &'static str, value: &mut [u8; N]) -> Result<()> {
        self.put(name, Tree::Leaf(text_to_value(value)));
        Ok(())
    }

    fn text(&mut self, name: &'static str, _form: TextForm, value: &mut RawText) -> Result<()> {
        self.put(name, Tree::Leaf(text_to_value(&value.0)));
        Ok(())
    }

    fn blob(&mut self, name: &'static str, _len: usize, value: &mut SharedBytes) -> Result<()> {
        self.put(name, Tree::Bulk(Bulk { bytes: value.clone(), layout: None }));
        Ok(())
    }

    fn text_blob(&mut self, name: &'static str, _len: usize, value: &mut SharedBytes) -> Result<()> {
        self.put(name, Tree::Leaf(text_to_value(value)));
        Ok(())
    }

    fn items(
        &mut self,
        name: &'static str,
        _size: (usize, usize),
        value: &mut SharedBytes,
        layout: impl FnOnce() -> ItemLayout,
    ) -> Result<()> {
        self.put(name, Tree::Bulk(Bulk { bytes: value.clone(), layout: Some(layout()) }));
        Ok(())
    }

    fn count(&mut self, name: &'static str, count: usize, _min_size: usize) -> Result<usize> {
        self.put(name, Tree::Leaf(Value::Int(count as i64)));
        Ok(count)
    }

    fn list_count(&mut self, name: &'static str, count: usize, _min_size: usize) -> Result<usize> {
        self.put(name, Tree::List(Vec::new()));
        Ok(count)
    }

    fn enter(&mut self, name: &'static str, index: Option<usize>) {
        self.open.push(Open { name, index, members: Vec::new() });
    }

    fn leave(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let Some(done) = self.open.pop() else { return };
        let (tree, Some(into)) = (Tree::Record(done.members), self.open.last_mut()) else { return };
        if done.index.is_none() {
            into.members.push((Cow::Borrowed(done.name), tree));
            return;
        }
        // The elements of a list follow each other, so it is the last member in nearly all cases.
        match into.members.iter_mut().rev().find(|(name, _)| name == done.name) {
            Some((_, Tree::List(items))) => items.push(tree),
            _ => into.members.push((Cow::Borrowed(done.name), Tree::List(vec![tree]))),
        }
    }

    fn remaining(&self) -> Option<usize> {
        None
    }

    fn place(&self) -> Place {
        let names: Vec<&str> = self.open.iter().skip(1).map(|open| open.name).collect();
        Place::element(names.join("."))
    }
}

/// A record as a tree; its bulk arrays are shared.
///
/// # Errors
/// Those of the walk.
pub fn tree<T: Record>(record: &T) -> Result<Tree> {
    let mut codec = TreeCodec::default();
    record.clone().walk(&mut codec)?;
    Ok(codec.finish())
}
