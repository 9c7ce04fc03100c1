//! Buffers and buffer views.

use super::{in_list, list, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{BufferObject, BufferView, Container, GltfDocument, Index, Named};
use crate::import::packed::{self, Content};
use crate::uri::{self, Target};
use anyrig_bytes::{Context, Diagnostic, Error, Result, SharedBytes, Source, Value};

/// The bytes of every buffer view.
pub(super) struct Buffers {
    views: Vec<ViewBytes>,
}

/// A buffer view, within its buffer.
#[derive(Clone)]
pub(super) struct ViewBytes {
    pub(super) content: Content,
    /// Stated length.
    pub(super) length: usize,
    pub(super) stride: Option<usize>,
    /// The buffer, when it names no bytes and is no stand-in either.
    without_uri: Option<usize>,
}

impl Buffers {
    /// A view by index.
    pub(super) fn view(&self, index: Index, at: &At<'_>) -> Result<&ViewBytes> {
        let index = in_list(index, self.views.len(), at, "buffer view")?;
        let view = self.views.get(index).ok_or_else(|| at.malformed("no such buffer view"))?;
        match view.without_uri {
            Some(buffer) => Err(Error::unsupported(at.place(), no_uri(buffer))),
            None => Ok(view),
        }
    }

    /// The bytes of a view by index, decoded where they are compressed.
    pub(super) fn bytes(&self, index: Index, at: &At<'_>, context: &Context) -> Result<SharedBytes> {
        self.view(index, at)?.content.bytes(context)?.ok_or_else(|| no_bytes(at))
    }
}

fn no_uri(buffer: usize) -> String {
    let why = if buffer == 0 { "and this is no GLB" } else { "and is not the first of a GLB" };
    format!("buffer {buffer} has no uri {why}; give it the uri of the file with its bytes")
}

pub(super) fn no_bytes(at: &At<'_>) -> Error {
    let message = "the buffer behind this has no bytes in the file: it is filled by an extension that is not supported, \
                   or by an application; export the file again with its data";
    Error::unsupported(at.place(), message)
}

/// Finds the bytes of all buffers and checks all views against them.
pub(super) fn load(document: &GltfDocument, source: &dyn Source, context: &Context) -> Result<Buffers> {
    let root = document.root();
    let buffers = buffers(document, source, context)?;
    let at = At::Root;
    let at = at.key("bufferViews");
    let count = root.buffer_views.as_ref().map_or(0, Vec::len);
    context.take_memory(count as u64 * size_of::<ViewBytes>() as u64, || at.place())?;
    let views = list(root.buffer_views.as_ref()).map(|(i, view)| view_bytes(view, &buffers, &at.index(i), context));
    Ok(Buffers { views: views.collect::<Result<_>>()? })
}

/// A buffer's bytes, where it has any, and its length.
pub(super) struct BufferBytes {
    pub(super) bytes: Option<SharedBytes>,
    length: u64,
    /// Whether an extension says that its views have their bytes elsewhere.
    is_stand_in: bool,
}

fn buffers(document: &GltfDocument, source: &dyn Source, context: &Context) -> Result<Vec<BufferBytes>> {
    let root = document.root();
    let at = At::Root;
    let at = at.key("buffers");
    let count = root.buffers.as_ref().map_or(0, Vec::len);
    context.take_memory(count as u64 * size_of::<BufferBytes>() as u64, || at.place())?;
    let mut loaded = Vec::new();
    for (i, buffer) in list(root.buffers.as_ref()) {
        let at = at.index(i);
        let stated = need(buffer.byte_length, &at, "byteLength")?;
        let bytes = match &buffer.uri {
            Some(uri) => external(buffer, uri, source, &at.key("uri"), context)?,
            None => internal(document, buffer, i, &at)?,
        };
        let bytes = bytes.map(|bytes| within(bytes, stated, &at, context));
        let length = bytes.as_ref().map_or(stated, |b| b.len() as u64);
        loaded.push(BufferBytes { bytes, length, is_stand_in: declares_meshopt(buffer.extensions.as_ref()) });
    }
    Ok(loaded)
}

/// A buffer in a file of its own. One that only stands in for readers that cannot decompress may be missing.
fn external(
    buffer: &BufferObject,
    uri: &str,
    source: &dyn Source,
    at: &At<'_>,
    context: &Context,
) -> Result<Option<SharedBytes>> {
    match uri::follow(uri, source, at, context)? {
        Target::Data { bytes, .. } | Target::File { bytes, .. } => Ok(Some(bytes)),
        Target::Missing { .. } if declares_meshopt(buffer.extensions.as_ref()) => Ok(None),
        Target::Missing { name } => {
            let message = format!("the file {name:?} is missing; put it beside the .gltf file");
            Err(Error::io(at.place(), message))
        }
    }
}

/// A buffer without a reference: the GLB's own, or a stand-in that nothing fills.
fn internal(document: &GltfDocument, buffer: &BufferObject, index: usize, at: &At<'_>) -> Result<Option<SharedBytes>> {
    if !matches!(document.container(), Container::Binary(_)) || index != 0 {
        return Ok(None);
    }
    match document.bin() {
        Some(bin) => Ok(Some(bin)),
        None if declares_meshopt(buffer.extensions.as_ref()) => Ok(None),
        None => Err(at.malformed("the buffer is to lie in the GLB's BIN chunk, but there is none")),
    }
}

/// Whether the bytes of a buffer or view are to be made from compressed ones.
fn declares_meshopt(extensions: Option<&Named<Value>>) -> bool {
    extensions.is_some_and(|e| packed::EXTENSIONS.iter().any(|n| e.get(n).is_some()))
}

/// The stated part of a buffer; a GLB's chunk may be longer by its padding.
fn within(bytes: SharedBytes, stated: u64, at: &At<'_>, context: &Context) -> SharedBytes {
    let found = bytes.len();
    match usize::try_from(stated).ok().and_then(|stated| bytes.slice(0..stated)) {
        Some(part) => part,
        None => {
            let message = format!("{stated} bytes stated, {found} found");
            context.push(Diagnostic::new(&codes::BUFFER_TOO_SHORT, at.pointer(), message).at(at.place()));
            bytes
        }
    }
}

fn view_bytes(view: &BufferView, buffers: &[BufferBytes], at: &At<'_>, context: &Context) -> Result<ViewBytes> {
    let index = in_list(need(view.buffer, at, "buffer")?, buffers.len(), &at.key("buffer"), "buffer")?;
    let buffer = need(buffers.get(index), at, "buffer")?;
    let length = need(view.byte_length, at, "byteLength")?;
    let stride = view.byte_stride.map(|s| usize::try_from(s).map_err(|_| at.malformed("the stride is too large")));
    let stride = stride.transpose()?;
    let start = view.byte_offset.unwrap_or(0);
    let end = start.checked_add(length).filter(|end| *end <= buffer.length);
    let range = end.and_then(|end| Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
    let range = range.ok_or_else(|| {
        let have = buffer.length;
        at.malformed(format!(
            "the view has {length} bytes from {start} on, its buffer has only {have}; the buffer was cut off"
        ))
    })?;
    let length = range.len();
    let plain = buffer.bytes.as_ref().map(|b| b.slice(range).ok_or_else(|| no_bytes(at))).transpose()?;
    let content = packed::content(view, plain, buffers, at, context)?;
    let without_uri = (matches!(content, Content::Nothing) && !buffer.is_stand_in).then_some(index);
    Ok(ViewBytes { content, length, stride, without_uri })
}
