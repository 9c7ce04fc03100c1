//! Changing a document.

use super::arena::{NodeData, NodeId, PropertyData};
use super::binary::{PropertyRecord, property};
use super::{Encoding, FbxDocument, Form, MAX_DEPTH, ascii};
use anyrig_bytes::codec::WriteCodec;
use anyrig_bytes::compress::deflate;
use anyrig_bytes::{Buffer, Endian, Error, Place, Result, SharedBytes};

/// A value to be written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NewValue {
    /// `C`: a truth value or a letter.
    Char(u8),
    /// `Y`.
    I16(i16),
    /// `I`.
    I32(i32),
    /// `L`.
    I64(i64),
    /// `F`.
    F32(f32),
    /// `D`.
    F64(f64),
    /// `S`: text, usually UTF-8.
    String(Vec<u8>),
    /// `R`: raw bytes; base64 in ASCII.
    Raw(SharedBytes),
    /// `b`.
    BoolArray(Buffer<u8>),
    /// `i`.
    I32Array(Buffer<i32>),
    /// `l`.
    I64Array(Buffer<i64>),
    /// `f`.
    F32Array(Buffer<f32>),
    /// `d`.
    F64Array(Buffer<f64>),
}

macro_rules! from {
    ($($type:ty => $variant:ident),*) => {$(
        impl From<$type> for NewValue {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
from!(i16 => I16, i32 => I32, i64 => I64, f32 => F32, f64 => F64, &str => String, String => String,
      Buffer<i32> => I32Array, Buffer<i64> => I64Array, Buffer<f32> => F32Array, Buffer<f64> => F64Array);

impl NewValue {
    /// Name and class of an object as the encoding spells them.
    pub fn object_name(encoding: Encoding, name: &str, class: &str) -> Self {
        match encoding {
            Encoding::Binary => format!("{name}\0\x01{class}").into(),
            Encoding::Ascii => format!("{class}::{name}").into(),
        }
    }

    fn is_array(&self) -> bool {
        use NewValue as V;
        matches!(self, V::BoolArray(_) | V::I32Array(_) | V::I64Array(_) | V::F32Array(_) | V::F64Array(_))
    }

    /// The single numbers that stand for an array before version 7000.
    fn scalars(self) -> Vec<Self> {
        match self {
            Self::BoolArray(values) => values.iter().map(|v| Self::I32((*v).into())).collect(),
            Self::I32Array(values) => values.iter().map(|v| Self::I32(*v)).collect(),
            Self::I64Array(values) => values.iter().map(|v| Self::I64(*v)).collect(),
            Self::F32Array(values) => values.iter().map(|v| Self::F32(*v)).collect(),
            Self::F64Array(values) => values.iter().map(|v| Self::F64(*v)).collect(),
            other => vec![other],
        }
    }
}

/// A node to be inserted, with what lies in it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NewNode {
    /// The name.
    pub name: String,
    /// The properties.
    pub values: Vec<NewValue>,
    /// The children.
    pub children: Vec<NewNode>,
}

impl NewNode {
    /// A node without properties.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same node with one more property.
    #[must_use]
    pub fn with(mut self, value: impl Into<NewValue>) -> Self {
        self.values.push(value.into());
        self
    }

    /// The same node with one more child.
    #[must_use]
    pub fn with_child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }
}

/// From this version on, arrays are values of their own.
const ARRAYS_FROM: u32 = 7000;
/// Arrays of more bytes than this are deflated.
const DEFLATE_ABOVE: usize = 128;
/// Nodes whose list of children is written even when it is empty.
const ALWAYS_LISTS: [&str; 2] = ["AnimationStack", "AnimationLayer"];

impl FbxDocument {
    /// Replaces a property. In a binary file its type becomes that of the value.
    ///
    /// # Errors
    /// Usage when there is no such property; malformed when the encoding or the version cannot hold the value.
    pub fn set(&mut self, node: NodeId, index: usize, value: impl Into<NewValue>) -> Result<()> {
        let value = value.into();
        let found = self.arena.node(node).filter(|n| index < n.property_count as usize);
        let Some(slot) = found.map(|n| n.first_property as usize + index) else {
            return Err(Error::usage(format!("there is no property {index} to set")));
        };
        let Some(old) = self.arena.properties.get(slot).copied() else { return Ok(()) };
        if value.is_array() && self.version < ARRAYS_FROM {
            let message = "before version 7000 an array is many properties; replace the node to change their number";
            return Err(Error::malformed(self.place_of(old.address(), node), message));
        }
        // Whether it was deflated stays; a new array is when that pays.
        let was_raw = self.encoding() == Encoding::Binary && self.is_raw_array(node, index);
        let depth = self.depth(node).saturating_sub(1);
        let new = self.keep_value(&value, depth, was_raw)?;
        let range = (old.address(), old.address() + self.token_len(old));
        let is_source = !self.arena.is_own(old.address());
        if let (Form::Ascii(changes), true) = (&mut self.form, is_source) {
            changes.replaced.insert(slot as u32, range);
        }
        if let Some(property) = self.arena.properties.get_mut(slot) {
            *property = new;
        }
        Ok(())
    }

    /// Replaces all properties of a node, also by more or fewer.
    ///
    /// # Errors
    /// Usage when there is no such node; malformed when the encoding or the version cannot hold a value.
    pub fn set_values(&mut self, node: NodeId, values: Vec<NewValue>) -> Result<()> {
        let Some(old) = self.arena.node(node).filter(|_| node != NodeId::ROOT).cloned() else {
            return Err(Error::usage("there is no such node to give values"));
        };
        let depth = self.depth(node).saturating_sub(1);
        let place = || Place::element("properties");
        let mut new = Vec::new();
        for value in values {
            let spelled = if self.version < ARRAYS_FROM { value.scalars() } else { vec![value] };
            for value in spelled {
                new.push(self.keep_value(&value, depth, false)?);
            }
        }
        self.note_list(node, &old);
        let is_binary = self.encoding() == Encoding::Binary;
        let first = self.arena.next_property(place)?;
        let count = u32::try_from(new.len()).map_err(|_| Error::limit(place(), "too many values"))?;
        self.arena.properties.append(&mut new);
        if let Some(data) = self.arena.node_mut(node) {
            (data.first_property, data.property_count) = (first, count);
            // A binary node without anything has an empty list.
            data.has_list |= is_binary && count == 0;
        }
        Ok(())
    }

    /// Remembers which part of a text the values of a node take, before they are replaced.
    fn note_list(&mut self, id: NodeId, node: &NodeData) {
        let slots = node.first_property..node.first_property.saturating_add(node.property_count);
        let ends = (self.source_range(slots.start), self.source_range(slots.end.saturating_sub(1)));
        let empty = ascii::after_colon(self.arena.source(), (node.name + u64::from(node.name_len)) as usize) as u64;
        let Form::Ascii(changes) = &mut self.form else { return };
        changes.replaced.retain(|slot, _| !slots.contains(slot));
        // A node that an edit brought is spelled as a whole, one whose list was replaced keeps the first range.
        if node.range.is_none() || changes.lists.contains_key(&id) {
            return;
        }
        let range = match ends {
            _ if slots.is_empty() => (empty, empty),
            (Some((from, _)), Some((_, to))) => (from, to),
            _ => return,
        };
        changes.lists.insert(id, range);
    }

    /// Where the token of a property stands in the source, or stood before it was replaced.
    fn source_range(&self, slot: u32) -> Option<(u64, u64)> {
        if let Form::Ascii(changes) = &self.form
            && let Some(range) = changes.replaced.get(&slot)
        {
            return Some(*range);
        }
        let property = self.arena.properties.get(slot as usize).copied()?;
        (!self.arena.is_own(property.address()))
            .then(|| (property.address(), property.address() + self.token_len(property)))
    }

    /// Inserts a node below a parent ([`NodeId::ROOT`] for the top level), before one of its children or at the end.
    ///
    /// # Errors
    /// Usage when the parent does not exist or `before` is not its child; malformed when the encoding cannot hold a name
    /// or a value; beyond the limit when it would nest too deep.
    pub fn insert(&mut self, parent: NodeId, before: Option<NodeId>, node: NewNode) -> Result<NodeId> {
        if self.arena.node(parent).is_none() {
            return Err(Error::usage("the parent is not a node of this document"));
        }
        if before.is_some_and(|id| self.arena.node(id).is_none_or(|n| n.parent != parent)) {
            return Err(Error::usage("the node to insert before is not a child of the parent"));
        }
        let depth = self.depth(parent);
        // All is added before it is linked, so that a failure leaves the document as it was.
        let top = self.add(parent, &node, depth)?;
        let mut open = vec![(top, node.children, depth + 1)];
        while let Some((parent, children, depth)) = open.pop() {
            for child in children {
                let id = self.add(parent, &child, depth)?;
                self.arena.link(id, None);
                open.push((id, child.children, depth + 1));
            }
        }
        self.arena.link(top, before);
        match &mut self.form {
            Form::Ascii(changes) => changes.inserted.push(top),
            Form::Binary(_) => {
                if let Some(parent) = self.arena.node_mut(parent) {
                    parent.has_list = true;
                }
            }
        }
        Ok(top)
    }

    /// Removes a node with all that lies in it. Its id and those of the nodes in it are no longer of use.
    ///
    /// # Errors
    /// Usage for the root or a node that is not there.
    pub fn remove(&mut self, node: NodeId) -> Result<()> {
        let Some(range) = self.arena.node(node).filter(|_| self.is_linked(node)).map(|n| n.range) else {
            return Err(Error::usage("there is no such node to remove"));
        };
        self.arena.unlink(node);
        if let Form::Ascii(changes) = &mut self.form {
            match range {
                Some(range) => changes.removed.push(range),
                None => changes.inserted.retain(|id| *id != node),
            }
        }
        Ok(())
    }

    fn is_linked(&self, node: NodeId) -> bool {
        let parent = self.arena.node(node).and_then(|n| self.node(n.parent));
        node != NodeId::ROOT && parent.is_some_and(|p| p.children().any(|child| child.id() == node))
    }

    /// Number of nodes from the top level to one, itself included.
    fn depth(&self, node: NodeId) -> usize {
        std::iter::successors(self.node(node), |n| n.parent()).count().saturating_sub(1)
    }

    /// Adds a node, without its children, that no list has yet.
    fn add(&mut self, parent: NodeId, new: &NewNode, depth: usize) -> Result<NodeId> {
        let place = || Place::element(new.name.clone());
        if depth >= MAX_DEPTH {
            return Err(Error::limit(place(), format!("nodes nest deeper than the limit of {MAX_DEPTH}")));
        }
        let is_binary = self.encoding() == Encoding::Binary;
        if is_binary && new.name.len() > usize::from(u8::MAX) {
            return Err(Error::malformed(place(), "the name is longer than 255 bytes"));
        }
        if !is_binary && new.name.contains(['"', '\n', '\r']) {
            return Err(Error::malformed(place(), "an ASCII file cannot hold a name with quotes or line ends"));
        }
        let mut properties = Vec::new();
        for value in &new.values {
            let values = if self.version < ARRAYS_FROM { value.clone().scalars() } else { vec![value.clone()] };
            for value in values {
                properties.push(self.keep_value(&value, depth, false)?);
            }
        }
        let mut node = NodeData::new(parent);
        node.name = self.arena.keep(new.name.clone().into_bytes());
        node.name_len = u32::try_from(new.name.len()).map_err(|_| Error::limit(place(), "the name is too long"))?;
        node.first_property = self.arena.next_property(place)?;
        node.property_count = u32::try_from(properties.len()).map_err(|_| Error::limit(place(), "too many values"))?;
        node.has_list = !new.children.is_empty() || properties.is_empty() || ALWAYS_LISTS.contains(&new.name.as_str());
        self.arena.properties.append(&mut properties);
        self.arena.add(node, place)
    }

    fn is_raw_array(&self, node: NodeId, index: usize) -> bool {
        let property = self.node(node).and_then(|n| n.property(index)).filter(|p| p.kind().is_array());
        property.and_then(|p| p.record().ok()).is_some_and(|record| record.encoding == 0)
    }

    fn token_len(&self, property: PropertyData) -> u64 {
        match self.form {
            Form::Binary(_) => 0,
            Form::Ascii(_) => ascii::token_len(property.tag(), self.arena.bytes_at(property.address())) as u64,
        }
    }

    /// Spells a value in the file's encoding and keeps it.
    fn keep_value(&mut self, value: &NewValue, depth: usize, keep_raw: bool) -> Result<PropertyData> {
        match &self.form {
            Form::Ascii(_) => {
                let (tag, mut text) = ascii::spell_value(value, depth)?;
                // Ends the token.
                text.push(b'\n');
                Ok(PropertyData::new(tag, self.arena.keep(text)))
            }
            Form::Binary(frame) => {
                let endian = frame.endian();
                let mut record = record(value, endian, keep_raw)?;
                let mut codec = WriteCodec::new(endian);
                property(&mut codec, &mut record)?;
                let bytes = codec.finish().to_shared();
                Ok(PropertyData::new(record.kind, self.arena.keep(bytes)))
            }
        }
    }
}

/// The binary record of a value.
fn record(value: &NewValue, endian: Endian, keep_raw: bool) -> Result<PropertyRecord> {
    use NewValue as V;
    let mut p = PropertyRecord::default();
    match value {
        V::Char(v) => (p.kind, p.byte) = (b'C', *v),
        V::I16(v) => (p.kind, p.short) = (b'Y', *v),
        V::I32(v) => (p.kind, p.int) = (b'I', *v),
        V::I64(v) => (p.kind, p.long) = (b'L', *v),
        V::F32(v) => (p.kind, p.float) = (b'F', *v),
        V::F64(v) => (p.kind, p.double) = (b'D', *v),
        V::String(text) => (p.kind, p.data) = (b'S', text.as_slice().into()),
        V::Raw(bytes) => (p.kind, p.data) = (b'R', bytes.clone()),
        V::BoolArray(values) => array(&mut p, b'b', values, endian, keep_raw)?,
        V::I32Array(values) => array(&mut p, b'i', values, endian, keep_raw)?,
        V::I64Array(values) => array(&mut p, b'l', values, endian, keep_raw)?,
        V::F32Array(values) => array(&mut p, b'f', values, endian, keep_raw)?,
        V::F64Array(values) => array(&mut p, b'd', values, endian, keep_raw)?,
    }
    Ok(p)
}

fn array<T: bytemuck::Pod + Send + Sync>(
    record: &mut PropertyRecord,
    kind: u8,
    values: &Buffer<T>,
    endian: Endian,
    keep_raw: bool,
) -> Result<()> {
    record.kind = kind;
    record.count = u32::try_from(values.len())
        .map_err(|_| Error::limit(Place::whole(), format!("{} elements do not fit one array", values.len())))?;
    let mut bytes = values.to_bytes();
    if endian == Endian::Big {
        let mut swapped = bytes.to_vec();
        swapped.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
        bytes = swapped.into();
    }
    let deflates = !keep_raw && bytes.len() > DEFLATE_ABOVE;
    record.encoding = u32::from(deflates);
    record.data = if deflates { deflate(&bytes).into() } else { bytes };
    Ok(())
}
