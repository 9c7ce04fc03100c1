//! The file as it is: container, JSON text, binary chunk, and a typed view of the JSON.
//!
//! The JSON text is the truth. It is kept byte for byte; [`GltfDocument::set`] replaces the text of one value and leaves
//! all other bytes, so key order, unknown members and the spelling of untouched numbers survive. [`Root`] is a typed
//! view of that text.

pub(crate) mod component;
mod extensions;
mod inspect;
pub(crate) mod json;
pub(crate) mod records;
pub(crate) mod text;
mod types;
mod vrm;

pub use extensions::*;
pub use json::{Members, Named};
pub use types::*;
pub use vrm::*;

use self::json::{At, FromJson, ToJson};
use anyrig_bytes::codec::{Assignment, Span, Tree};
use anyrig_bytes::{Context, Error, Place, Result, Rope, SharedBytes, Value};

/// `JSON` as a chunk type (specification 4.4.3.2).
pub const CHUNK_JSON: u32 = 0x4E4F_534A;
/// `BIN\0` as a chunk type (specification 4.4.3.3).
pub const CHUNK_BIN: u32 = 0x004E_4942;
/// Bytes of the GLB header (specification 4.4.2).
pub(crate) const HEADER_BYTES: usize = 12;
/// Bytes of a chunk's header (specification 4.4.3).
pub(crate) const CHUNK_HEADER_BYTES: usize = 8;

/// How the JSON lies in the file.
#[derive(Clone, Debug)]
pub enum Container {
    /// A `.gltf` file: the whole file is JSON, a byte order mark included.
    Text(SharedBytes),
    /// A `.glb` file.
    Binary(Glb),
}

/// The layout of a GLB file (specification 4.4).
#[derive(Clone, Debug, Default)]
pub struct Glb {
    /// Container version as the header states it.
    pub version: u32,
    /// File length as the header states it.
    pub length: u32,
    /// All chunks in order, unknown ones included; the first one is the JSON text with its padding.
    pub chunks: Vec<Chunk>,
    /// Bytes after the last chunk.
    pub trailing: SharedBytes,
}

/// A chunk of a GLB file, with its padding.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Chunk type.
    pub kind: u32,
    /// Content.
    pub data: Rope,
}

/// A glTF 2.0 file, byte-exact.
#[derive(Clone, Debug)]
pub struct GltfDocument {
    container: Container,
    text: SharedBytes,
    root: Root,
    attachments: Vec<(String, SharedBytes)>,
}

impl GltfDocument {
    /// A document from its container; reads the JSON.
    pub(crate) fn new(container: Container, context: &Context) -> Result<Self> {
        let text = match &container {
            Container::Text(text) => text.clone(),
            Container::Binary(glb) => glb.chunks.first().map(|c| c.data.to_shared()).unwrap_or_default(),
        };
        let root = text::parse_root(&text, context)?;
        Ok(Self { container, text, root, attachments: Vec::new() })
    }

    /// A new GLB of a root and its binary chunk; empty for none.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Unsupported`] when the file would pass the 4 GiB that the header can state.
    pub fn binary(root: Root, bin: Rope) -> Result<Self> {
        let text = padded_text(text::write(&root.to_json())?);
        let mut chunks = vec![Chunk { kind: CHUNK_JSON, data: text.clone().into() }];
        if !bin.is_empty() {
            let mut data = bin;
            data.push(vec![0u8; (data.len().next_multiple_of(4) - data.len()) as usize]);
            chunks.push(Chunk { kind: CHUNK_BIN, data });
        }
        let mut glb = Glb { version: 2, length: 0, chunks, trailing: SharedBytes::default() };
        glb.length = glb.true_length()?;
        Ok(Self { container: Container::Binary(glb), text, root, attachments: Vec::new() })
    }

    /// A new `.gltf` text of a root, with the files that it names.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Malformed`] when the root holds a number that JSON cannot express.
    pub fn text(root: Root, attachments: Vec<(String, SharedBytes)>) -> Result<Self> {
        let text = SharedBytes::from(text::write(&root.to_json())?);
        Ok(Self { container: Container::Text(text.clone()), text, root, attachments })
    }

    /// The container.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// The JSON text, with its byte order mark and padding.
    pub fn json_text(&self) -> &SharedBytes {
        &self.text
    }

    /// The typed view of the JSON.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The binary chunk of a GLB, with its padding.
    pub fn bin(&self) -> Option<SharedBytes> {
        let Container::Binary(glb) = &self.container else { return None };
        glb.chunks.iter().find(|c| c.kind == CHUNK_BIN).map(|c| c.data.to_shared())
    }

    /// Replaces the value at a JSON pointer, or adds a member to the object that the pointer's parent names. All other
    /// bytes of the text stay.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] when the pointer leads nowhere; malformed when the result is no glTF any more
    /// (the document is then unchanged).
    pub fn set(&mut self, pointer: &str, value: &Value, context: &Context) -> Result<()> {
        let edited = SharedBytes::from(text::set(&self.text, pointer, value)?);
        let root = text::parse_root(&edited, context)?;
        self.text = match &mut self.container {
            Container::Text(text) => {
                *text = edited.clone();
                edited
            }
            Container::Binary(glb) => glb.replace_text(&edited)?,
        };
        self.root = root;
        Ok(())
    }

    pub(crate) fn set_attachments(&mut self, attachments: Vec<(String, SharedBytes)>) {
        self.attachments = attachments;
    }
}

impl Glb {
    /// The length that the header should state.
    fn true_length(&self) -> Result<u32> {
        let chunks: u64 = self.chunks.iter().map(|c| CHUNK_HEADER_BYTES as u64 + c.data.len()).sum();
        u32::try_from(HEADER_BYTES as u64 + chunks).map_err(|_| {
            let message = "a GLB file cannot be longer than 4 GiB; write .gltf with separate files instead (--to gltf)";
            Error::unsupported(Place::whole(), message)
        })
    }

    /// Puts another JSON text in, padded with blanks; the stated length changes by as much as the text does, so that
    /// a length that was wrong stays as wrong as it was.
    fn replace_text(&mut self, text: &SharedBytes) -> Result<SharedBytes> {
        let unpadded = text.iter().rposition(|b| !matches!(b, b' ' | 0)).map_or(0, |last| last + 1);
        let padded = padded_text(text.get(..unpadded).unwrap_or_default().to_vec());
        let before = self.true_length()?;
        if let Some(first) = self.chunks.first_mut() {
            first.data = padded.clone().into();
        }
        let after = self.true_length()?;
        self.length = self.length.wrapping_add(after.wrapping_sub(before));
        Ok(padded)
    }
}

fn padded_text(mut text: Vec<u8>) -> SharedBytes {
    text.resize(text.len().next_multiple_of(4), b' ');
    text.into()
}

impl anyrig_scene::Document for GltfDocument {
    fn dialect(&self) -> String {
        match self.container {
            Container::Text(_) => crate::DIALECT_TEXT.to_owned(),
            Container::Binary(_) => crate::DIALECT_BINARY.to_owned(),
        }
    }

    fn version(&self) -> String {
        self.root.asset.as_ref().and_then(|a| a.version.clone()).unwrap_or_default()
    }

    fn write(&self) -> Result<Rope> {
        crate::write::write(&self.container)
    }

    fn trace(&self, context: &Context) -> Result<Vec<Span>> {
        self.spans(context)
    }

    fn tree(&self, _context: &Context) -> Result<Tree> {
        self.as_tree()
    }

    fn comparison(&self, context: &Context) -> Result<Tree> {
        self.content(context)
    }

    fn edit(&mut self, assignments: &[Assignment], context: &Context) -> Result<()> {
        self.set_all(assignments, context)
    }

    fn attachments(&self) -> Vec<(String, SharedBytes)> {
        self.attachments.clone()
    }

    fn extension(&self) -> Option<&'static str> {
        match self.container {
            Container::Text(_) => Some("gltf"),
            Container::Binary(_) => Some("glb"),
        }
    }
}

/// Reads a typed object out of a raw extension value.
pub(crate) fn typed<T: FromJson>(value: &Value, at: &At<'_>, context: &Context) -> Result<T> {
    T::from_json(value.clone(), at, context)
}
