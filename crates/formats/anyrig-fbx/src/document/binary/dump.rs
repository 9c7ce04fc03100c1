//! Dumps: every field of every record by name, and files made from them.

use super::Frame;
use super::records::{self, Footer, FooterOrder, Header, NodeRecord, PropertyRecord};
use crate::document::MAX_DEPTH;
use crate::document::arena::Arena;
use anyrig_bytes::codec::{Codec, LoadCodec, Tree, TreeCodec, WriteCodec};
use anyrig_bytes::{Error, Place, Result, SharedBytes, Value};

/// All fields by name.
pub(crate) fn tree(arena: &Arena, frame: &Frame) -> Result<Tree> {
    let mut codec = TreeCodec::default();
    super::write::walk(&mut codec, arena, frame)?;
    Ok(codec.finish())
}

/// The bytes that a dump describes. Whether they fit together is for the reader to say.
pub(crate) fn bytes(dump: &Value) -> Result<SharedBytes> {
    let mut from = LoadCodec::new(dump);
    let mut header = Header::default();
    from.enter("header", None);
    records::header(&mut from, &mut header)?;
    from.leave();
    let mut load = Load { from, into: WriteCodec::new(header.endian()), is_wide: header.is_wide() };
    records::header(&mut load.into, &mut header)?;
    load.children(dump, 0)?;
    load.footer(dump.get("footer").unwrap_or(&Value::Null))?;
    load.from.finish()?;
    Ok(load.into.finish().to_shared())
}

struct Load<'v> {
    from: LoadCodec<'v>,
    into: WriteCodec,
    is_wide: bool,
}

impl Load<'_> {
    /// The children of a node and what ends their list.
    fn children(&mut self, node: &Value, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Error::limit(Place::json("/nodes"), format!("nodes nest deeper than {MAX_DEPTH}")));
        }
        for (index, child) in list(node, "nodes").iter().enumerate() {
            self.from.enter("nodes", Some(index));
            let mut record = NodeRecord::default();
            records::node(&mut self.from, self.is_wide, &mut record)?;
            records::node(&mut self.into, self.is_wide, &mut record)?;
            for index in 0..list(child, "properties").len() {
                let mut property = PropertyRecord::default();
                self.from.enter("properties", Some(index));
                records::property(&mut self.from, &mut property)?;
                self.from.leave();
                records::property(&mut self.into, &mut property)?;
            }
            self.children(child, depth + 1)?;
            self.from.leave();
        }
        if node.get("end_of_list").is_some() {
            let mut record = NodeRecord::default();
            self.from.enter("end_of_list", None);
            records::node(&mut self.from, self.is_wide, &mut record)?;
            self.from.leave();
            records::node(&mut self.into, self.is_wide, &mut record)?;
        }
        Ok(())
    }

    fn footer(&mut self, dump: &Value) -> Result<()> {
        let zeros = |name: &str| SharedBytes::from(vec![0; dump.get(name).map_or(0, byte_count)]);
        let mut footer = Footer { zeros: zeros("padding"), rest: zeros("rest"), ..Footer::default() };
        if dump.get("id").is_some() {
            // Which order it is only the reader needs to know.
            footer.order = FooterOrder::PaddingFirst;
        }
        self.from.enter("footer", None);
        records::footer(&mut self.from, &mut footer)?;
        self.from.leave();
        records::footer(&mut self.into, &mut footer)
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).unwrap_or_default()
}

/// How many bytes a tagged text stands for.
fn byte_count(value: &Value) -> usize {
    let text = |tag: &str| value.get(tag).and_then(Value::as_str);
    match (text("$hex"), text("$base64")) {
        (Some(hex), _) => hex.len() / 2,
        (None, Some(base64)) => {
            let padding = base64.bytes().rev().take_while(|b| *b == b'=').count();
            (base64.len() / 4 * 3).saturating_sub(padding)
        }
        (None, None) => 0,
    }
}
