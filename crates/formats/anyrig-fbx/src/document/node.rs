//! One node, the same for both encodings.

use super::FbxDocument;
use super::arena::{NodeData, NodeId, PropertyData};
use super::arrays::Decoder;
use super::element::Element;
use super::property::{Kind, Property};
use anyrig_bytes::{Buffer, Place, Result, SharedBytes};
use std::borrow::Cow;

/// A node of a document.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a FbxDocument,
    id: NodeId,
}

impl<'a> Node<'a> {
    pub(crate) fn new(document: &'a FbxDocument, id: NodeId) -> Self {
        Self { document, id }
    }

    fn data(&self) -> &'a NodeData {
        let nodes = &self.document.arena.nodes;
        // Ids are only made for nodes that exist; the root always does.
        nodes.get(self.id.index()).unwrap_or(&nodes[0])
    }

    /// The id, which stays valid while the document is edited.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The document that it is of.
    pub fn document(&self) -> &'a FbxDocument {
        self.document
    }

    /// The name as the file spells it.
    pub fn name(&self) -> &'a [u8] {
        self.document.arena.name(self.data())
    }

    /// The name as text.
    pub fn name_text(&self) -> Cow<'a, str> {
        self.document.decode(self.name())
    }

    /// True when it has this name.
    pub fn is(&self, name: &str) -> bool {
        // Most names differ in length, which is known without a look into the file.
        self.data().name_len as usize == name.len() && self.name() == name.as_bytes()
    }

    /// The node that it lies in; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.data().parent.some().map(|id| Self::new(self.document, id))
    }

    /// The children in file order.
    pub fn children(&self) -> Children<'a> {
        Children { document: self.document, next: self.data().first_child }
    }

    /// The children of a name in file order.
    pub fn children_named<'n>(&self, name: &'n str) -> impl Iterator<Item = Node<'a>> + use<'a, 'n> {
        self.children().filter(move |child| child.is(name))
    }

    /// The first child of a name.
    pub fn child(&self, name: &str) -> Option<Self> {
        self.children().find(|child| child.is(name))
    }

    /// The next node in file order: the first child, else the next sibling of the node or of an ancestor.
    pub(crate) fn after(&self) -> Option<Self> {
        let mut data = self.data();
        if let Some(child) = data.first_child.some() {
            return Some(Self::new(self.document, child));
        }
        loop {
            if let Some(next) = data.next.some() {
                return Some(Self::new(self.document, next));
            }
            data = self.document.arena.node(data.parent.some()?)?;
        }
    }

    /// Number of properties.
    pub fn property_count(&self) -> usize {
        self.data().property_count as usize
    }

    /// The properties in file order.
    pub fn properties(&self) -> Properties<'a> {
        let data = self.document.arena.properties_of(self.data());
        Properties { document: self.document, node: self.id, data: data.iter() }
    }

    /// A property.
    pub fn property(&self, index: usize) -> Option<Property<'a>> {
        self.properties().nth(index)
    }

    /// A property as a whole number; see [`Property::as_i64`].
    pub fn i64(&self, index: usize) -> Option<i64> {
        self.property(index)?.as_i64()
    }

    /// A property as a number; see [`Property::as_f64`].
    pub fn f64(&self, index: usize) -> Option<f64> {
        self.property(index)?.as_f64()
    }

    /// A property as a text; see [`Property::text`].
    pub fn text(&self, index: usize) -> Option<Cow<'a, str>> {
        self.property(index)?.text()
    }

    /// The numbers of the node: those of its array, or its single numbers in order, as versions below 7000 write arrays.
    ///
    /// # Errors
    /// Malformed or truncated when an array is broken or a property is a string; beyond the limits.
    pub fn array<T: Element>(&self, decoder: &mut Decoder<'_>) -> Result<Buffer<T>> {
        decoder.node(self)
    }

    /// As [`Node::array`] of `f32`, but the bits of each value. ASCII files write some `f32` that hold packed bits as
    /// whole numbers (`KeyAttrDataFloat`); whole numbers are therefore taken as the bits themselves.
    ///
    /// # Errors
    /// As [`Node::array`].
    pub fn float_bits(&self, decoder: &mut Decoder<'_>) -> Result<Buffer<u32>> {
        decoder.float_bits(self)
    }

    /// The bytes of an embedded file: a raw block, a byte array, or the base64 strings of an ASCII file.
    ///
    /// # Errors
    /// Malformed when the base64 or the array is broken; beyond the limits.
    pub fn content(&self, decoder: &mut Decoder<'_>) -> Result<SharedBytes> {
        decoder.content(self)
    }

    /// The names from the top, for example `Objects/Geometry/Vertices`.
    pub fn path(&self) -> String {
        super::place::path(&self.document.arena, self.id)
    }

    /// Where it begins: a byte offset, or line and column in ASCII, with its path.
    pub fn place(&self) -> Place {
        match self.data().range {
            Some((start, _)) => self.document.place_of(start, self.id),
            None => Place::element(self.path()),
        }
    }

    /// True when all properties are single numbers.
    pub(crate) fn is_list_of_scalars(&self) -> bool {
        self.raw_properties().iter().all(|p| Kind::of(p.tag()).is_scalar())
    }

    pub(crate) fn raw_properties(&self) -> &'a [PropertyData] {
        self.document.arena.properties_of(self.data())
    }
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (properties, children) = (self.property_count(), self.children().count());
        write!(f, "{} ({properties} properties, {children} children)", self.path())
    }
}

/// The children of a node in file order.
#[derive(Clone)]
pub struct Children<'a> {
    document: &'a FbxDocument,
    next: NodeId,
}

impl<'a> Iterator for Children<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let node = Node::new(self.document, self.next.some()?);
        self.next = node.data().next;
        Some(node)
    }
}

/// The properties of a node in file order.
#[derive(Clone)]
pub struct Properties<'a> {
    document: &'a FbxDocument,
    node: NodeId,
    data: std::slice::Iter<'a, PropertyData>,
}

impl<'a> Properties<'a> {
    fn property(&self, data: PropertyData) -> Property<'a> {
        Property { document: self.document, node: self.node, data }
    }
}

impl<'a> Iterator for Properties<'a> {
    type Item = Property<'a>;

    fn next(&mut self) -> Option<Property<'a>> {
        let data = *self.data.next()?;
        Some(self.property(data))
    }

    fn nth(&mut self, n: usize) -> Option<Property<'a>> {
        let data = *self.data.nth(n)?;
        Some(self.property(data))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.data.size_hint()
    }
}

impl ExactSizeIterator for Properties<'_> {}
