//! The byte-exact document.
//!
//! A document keeps the file's bytes and an index over them: flat lists of nodes and properties that say where each lies
//! and how nodes nest. Nothing is decoded until someone asks, and array payloads are not even touched. What an edit
//! brings is kept beside the file's bytes in the file's own encoding.

mod ahead;
mod arena;
mod arrays;
mod ascii;
mod base64;
mod binary;
mod edit;
mod element;
mod node;
mod number;
mod place;
mod property;
mod tally;
mod text;
mod tree;

pub use arena::NodeId;
pub use arrays::Decoder;
pub use edit::{NewNode, NewValue};
pub use element::Element;
pub use node::{Children, Node, Properties};
pub use property::{Kind, Property};
pub use text::TextEncoding;

pub(crate) use ahead::Ahead;
pub(crate) use ascii::ascii_score;
pub(crate) use binary::is_binary;

use anyrig_bytes::codec::{Assignment, Span, Tree};
use anyrig_bytes::{Context, Endian, Error, Place, Result, Rope, SharedBytes, Source, Value};
use anyrig_scene::Document;
use arena::Arena;

/// How deep nodes may nest; real files stay below 10.
pub(crate) const MAX_DEPTH: usize = 32;

/// What is said of nodes below that depth, or below a lower limit of the job, which the user can raise.
fn too_deep(limit: usize) -> String {
    if limit < MAX_DEPTH {
        return format!("nodes nest deeper than the limit of {limit}");
    }
    format!("nodes nest deeper than {MAX_DEPTH} levels, more than any FBX file has; the file is broken")
}

/// How a file spells its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Records with offsets.
    Binary,
    /// Text with braces.
    Ascii,
}

/// An FBX file.
pub struct FbxDocument {
    version: u32,
    arena: Arena,
    form: Form,
    text: TextEncoding,
    lines: place::LineIndex,
}

/// What only one of the encodings has.
#[derive(Debug)]
enum Form {
    Binary(binary::Frame),
    Ascii(ascii::Changes),
}

impl FbxDocument {
    /// Reads a file of either encoding. Array payloads are not touched.
    ///
    /// # Errors
    /// Truncated, malformed, unsupported (an unknown version, a file that is not FBX) or beyond the limits, with the
    /// byte offset, or line and column in ASCII.
    pub fn read(bytes: &SharedBytes, context: &Context) -> Result<Self> {
        let len = bytes.len() as u64;
        if len > context.limits().input_bytes {
            let message = format!("the file has {len} bytes, the limit is {}", context.limits().input_bytes);
            return Err(Error::limit(Place::whole(), message));
        }
        if is_binary(bytes) { binary::read(bytes, context) } else { ascii::read(bytes, context) }
    }

    /// Reads the primary file of a source; errors name it.
    ///
    /// # Errors
    /// As [`FbxDocument::read`].
    pub fn open(source: &dyn Source, context: &Context) -> Result<Self> {
        Self::read(source.bytes(), context).map_err(|e| e.in_file(source.name()))
    }

    /// Makes a document from the dump of a binary file.
    ///
    /// # Errors
    /// Malformed with the JSON pointer of what is wrong, or as [`FbxDocument::read`] where its parts contradict each
    /// other; unsupported for dumps of texts.
    pub(crate) fn from_dump(dump: &Value, dialect: &str, context: &Context) -> Result<Self> {
        if !dialect.starts_with("FBX binary") {
            return Err(Error::unsupported(Place::whole(), format!("{dialect} is not made from dumps")));
        }
        Self::read(&binary::bytes_of_dump(dump)?, context)
    }

    /// Number of bytes of the file that was read.
    pub(crate) fn source_len(&self) -> u64 {
        self.arena.source().len() as u64
    }

    /// The version as one number, for example 7400.
    pub fn version_number(&self) -> u32 {
        self.version
    }

    /// The encoding.
    pub fn encoding(&self) -> Encoding {
        match self.form {
            Form::Binary(_) => Encoding::Binary,
            Form::Ascii(_) => Encoding::Ascii,
        }
    }

    /// The byte order of a binary file; little for ASCII.
    pub fn byte_order(&self) -> Endian {
        match &self.form {
            Form::Binary(frame) => frame.endian(),
            Form::Ascii(_) => Endian::Little,
        }
    }

    /// The encoding of names and strings.
    pub fn text_encoding(&self) -> TextEncoding {
        self.text
    }

    /// The root: a node without a name, a record or properties, whose children are the top-level nodes.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, NodeId::ROOT)
    }

    /// The top-level nodes in file order.
    pub fn root_children(&self) -> Children<'_> {
        self.root().children()
    }

    /// The first top-level node of a name.
    pub fn child(&self, name: &str) -> Option<Node<'_>> {
        self.root().child(name)
    }

    /// A node by its id; `None` for an id that is not of this document.
    pub fn node(&self, id: NodeId) -> Option<Node<'_>> {
        (id.index() < self.arena.nodes.len()).then(|| Node::new(self, id))
    }

    /// All nodes below the root, parents before children, in file order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        std::iter::successors(self.root_children().next(), |node| node.after())
    }

    /// Number of nodes ever made, without the root: ids are below it. Removed nodes count.
    pub fn node_count(&self) -> usize {
        self.arena.nodes.len().saturating_sub(1)
    }

    /// Writes the file: equal to what was read, when nothing was changed.
    ///
    /// # Errors
    /// When a changed document cannot be expressed, for example more than 4 GiB with 32-bit offsets.
    pub fn write(&self) -> Result<Rope> {
        match &self.form {
            Form::Binary(frame) => binary::write(&self.arena, frame),
            Form::Ascii(changes) => ascii::write(self, changes),
        }
    }

    /// Where each field lies. A binary file is covered without a gap; of an ASCII file the names and values are listed.
    ///
    /// # Errors
    /// As [`FbxDocument::write`].
    pub fn trace(&self) -> Result<Vec<Span>> {
        match &self.form {
            Form::Binary(frame) => binary::trace(&self.arena, frame),
            Form::Ascii(_) => ascii::trace(self),
        }
    }
}

impl std::fmt::Debug for FbxDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (encoding, version) = (self.encoding(), self.version);
        write!(f, "FBX {version} {encoding:?}, {} nodes", self.node_count())
    }
}

impl Document for FbxDocument {
    fn dialect(&self) -> String {
        match (self.encoding(), self.byte_order()) {
            (Encoding::Ascii, _) => "FBX ASCII".to_owned(),
            (Encoding::Binary, Endian::Little) => "FBX binary".to_owned(),
            (Encoding::Binary, Endian::Big) => "FBX binary, big-endian".to_owned(),
        }
    }

    fn version(&self) -> String {
        let v = self.version;
        format!("{}.{}.{}", v / 1000, v / 100 % 10, v / 10 % 10)
    }

    fn write(&self) -> Result<Rope> {
        Self::write(self)
    }

    fn trace(&self, _context: &Context) -> Result<Vec<Span>> {
        match self.form {
            Form::Binary(_) => Self::trace(self),
            Form::Ascii(_) => Err(self.is_text("dissected")),
        }
    }

    fn tree(&self, _context: &Context) -> Result<Tree> {
        match &self.form {
            Form::Binary(frame) => binary::tree(&self.arena, frame),
            Form::Ascii(_) => Err(self.is_text("dumped")),
        }
    }

    fn comparison(&self, context: &Context) -> Result<Tree> {
        tree::comparison(self, context)
    }

    fn edit(&mut self, assignments: &[Assignment], context: &Context) -> Result<()> {
        tree::edit(self, assignments, context)
    }

    fn extension(&self) -> Option<&'static str> {
        Some("fbx")
    }
}
