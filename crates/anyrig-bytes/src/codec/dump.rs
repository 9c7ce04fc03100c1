//! Trees as JSON text.

use super::field::{TAG_BASE64, TAG_HEX, hex};
use super::tree::{Bulk, Tree};
use crate::{Error, Place, Result, Value};
use base64::Engine;

/// How bulk arrays are spelled in a dump. A load takes every spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrays {
    /// Element by element, where the layout is known.
    #[default]
    Elements,
    /// As base64: short, but not for people.
    Base64,
}

/// Bytes without a known layout are spelled as hexadecimal digits up to this size, as base64 above.
const HEX_BYTES: usize = 64;

/// A tree as JSON text. Every byte of every array is in it.
///
/// # Errors
/// Malformed when a value cannot be spelled as JSON, which no tree of a record holds.
pub fn to_json(tree: &Tree, arrays: Arrays) -> Result<Vec<u8>> {
    let mut json = Json { text: Vec::new(), arrays };
    json.tree(tree, 0)?;
    json.text.push(b'\n');
    Ok(json.text)
}

struct Json {
    text: Vec<u8>,
    arrays: Arrays,
}

impl Json {
    fn put(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn line(&mut self, indent: usize) {
        self.text.push(b'\n');
        self.text.extend(std::iter::repeat_n(b' ', indent * 2));
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        let fault = |e: serde_json::Error| Error::malformed(Place::whole(), format!("not expressible as JSON: {e}"));
        serde_json::to_writer(&mut self.text, value).map_err(fault)
    }

    fn text_value(&mut self, text: &str) -> Result<()> {
        self.value(&Value::from(text))
    }

    fn tree(&mut self, tree: &Tree, indent: usize) -> Result<()> {
        match tree {
            Tree::Leaf(value) => self.value(value),
            Tree::Bulk(bulk) => self.bulk(bulk, indent),
            Tree::Record(members) => self.block(b"{}", members.iter(), indent, |json, (name, tree)| {
                json.text_value(name)?;
                json.put(": ");
                json.tree(tree, indent + 1)
            }),
            Tree::List(items) => self.block(b"[]", items.iter(), indent, |json, item| json.tree(item, indent + 1)),
        }
    }

    fn block<T>(
        &mut self,
        brackets: &[u8; 2],
        items: impl ExactSizeIterator<Item = T>,
        indent: usize,
        mut each: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        let empty = items.len() == 0;
        self.text.push(brackets[0]);
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            self.line(indent + 1);
            each(self, item)?;
        }
        if !empty {
            self.line(indent);
        }
        self.text.push(brackets[1]);
        Ok(())
    }

    fn bulk(&mut self, bulk: &Bulk, indent: usize) -> Result<()> {
        let by_element = |l: &&super::ItemLayout| l.is_complete() && bulk.bytes.len().is_multiple_of(l.stride);
        match bulk.layout.as_ref().filter(by_element) {
            Some(layout) if self.arrays == Arrays::Elements => {
                let simple = layout.stride <= 8;
                let count = layout.count(bulk.bytes.len());
                self.text.push(b'[');
                for index in 0..count {
                    if index > 0 {
                        self.text.push(b',');
                    }
                    // Single numbers stand sixteen to a line, all else alone.
                    match simple && index % 16 != 0 {
                        true => self.text.push(b' '),
                        false => self.line(indent + 1),
                    }
                    let item = layout.item(&bulk.bytes, index).unwrap_or_default();
                    self.value(&item)?;
                }
                if count > 0 {
                    self.line(indent);
                }
                self.text.push(b']');
                Ok(())
            }
            None if bulk.bytes.len() <= HEX_BYTES => self.tagged(TAG_HEX, &hex(&bulk.bytes)),
            _ => self.tagged(TAG_BASE64, &base64::engine::general_purpose::STANDARD.encode(&bulk.bytes)),
        }
    }

    fn tagged(&mut self, tag: &str, text: &str) -> Result<()> {
        self.put(&format!("{{\"{tag}\": \"{text}\"}}"));
        Ok(())
    }
}
