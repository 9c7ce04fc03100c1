//! Buffer views that `EXT_meshopt_compression` or `KHR_meshopt_compression` compresses: decoded when they are used.

use super::buffers::BufferBytes;
use super::{in_list, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{BufferView, MeshoptView, typed};
use crate::meshopt::{Filter, Layout, Mode};
use anyrig_bytes::{Context, Diagnostic, Error, Place, Result, SharedBytes};
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// The names of the extension; the second one knows a second version of a codec and one more filter.
pub(super) const EXTENSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// What lies in a view or in a part of it.
#[derive(Clone)]
pub(super) enum Content {
    /// The buffer has no bytes: it is to be filled by an application.
    Nothing,
    /// As it is.
    Plain(SharedBytes),
    /// A part of what a stream decodes to.
    Packed(Rc<Packed>, Range<usize>),
}

impl Content {
    /// The bytes; compressed ones are decoded once and kept.
    ///
    /// # Errors
    /// What is wrong with the stream, where the file has no plain data to stand in; the limits of the job.
    pub(super) fn bytes(&self, context: &Context) -> Result<Option<SharedBytes>> {
        match self {
            Self::Nothing => Ok(None),
            Self::Plain(bytes) => Ok(Some(bytes.clone())),
            Self::Packed(packed, range) => Ok(packed.bytes(context)?.slice(range.clone())),
        }
    }

    /// A part; `None` when there is nothing or not that much.
    pub(super) fn slice(&self, range: Range<usize>) -> Option<Self> {
        match self {
            Self::Nothing => None,
            Self::Plain(bytes) => bytes.slice(range).map(Self::Plain),
            Self::Packed(packed, whole) => {
                let (start, end) = (whole.start.checked_add(range.start)?, whole.start.checked_add(range.end)?);
                (start <= end && end <= whole.end).then(|| Self::Packed(Rc::clone(packed), start..end))
            }
        }
    }
}

/// A compressed view.
pub(super) struct Packed {
    stream: SharedBytes,
    layout: Layout,
    /// Of the extension.
    pointer: String,
    /// The view as readers see it that do not decompress.
    plain: Option<SharedBytes>,
    decoded: OnceCell<SharedBytes>,
}

impl Packed {
    fn bytes(&self, context: &Context) -> Result<SharedBytes> {
        if let Some(known) = self.decoded.get() {
            return Ok(known.clone());
        }
        let size = self.layout.bytes().unwrap_or(usize::MAX);
        context.take_memory(size as u64, || self.place())?;
        let bytes = match (self.layout.decode(&self.stream), &self.plain) {
            (Ok(decoded), _) => SharedBytes::from(decoded),
            (Err(fault), Some(plain)) => {
                let told = Diagnostic::new(&codes::COMPRESSED_FAULT, &self.pointer, fault.to_string());
                context.push(told.at(self.place()));
                plain.clone()
            }
            (Err(fault), None) => {
                let message = format!("{fault}; the file is damaged, export it again");
                return Err(Error::malformed(self.place(), message));
            }
        };
        Ok(self.decoded.get_or_init(|| bytes).clone())
    }

    fn place(&self) -> Place {
        Place::json(self.pointer.clone())
    }
}

/// What lies in a view, whose own bytes are `plain`.
pub(super) fn content(
    view: &BufferView,
    plain: Option<SharedBytes>,
    buffers: &[BufferBytes],
    at: &At<'_>,
    context: &Context,
) -> Result<Content> {
    let extensions = view.extensions.as_ref();
    let found = EXTENSIONS.iter().find_map(|name| Some((*name, extensions?.get(name)?)));
    let Some((name, value)) = found else { return Ok(plain.map_or(Content::Nothing, Content::Plain)) };
    let at = at.key("extensions");
    let at = at.key(name);
    let object: MeshoptView = typed(value, &at, context)?;
    let layout = layout(&object, &at)?;
    let size = need(layout.bytes(), &at, "count")?;
    if view.byte_length != Some(size as u64) {
        let (count, stride) = (layout.count, layout.stride);
        let stated = view.byte_length.unwrap_or(0);
        let message = format!("{count} elements of {stride} bytes do not make the {stated} bytes of the view");
        return Err(at.key("count").malformed(message));
    }
    let stream = stream(&object, buffers, &at)?;
    let packed = Packed { stream, layout, pointer: at.pointer(), plain, decoded: OnceCell::new() };
    Ok(Content::Packed(Rc::new(packed), 0..size))
}

fn layout(object: &MeshoptView, at: &At<'_>) -> Result<Layout> {
    let mode = match need(object.mode.as_deref(), at, "mode")? {
        "ATTRIBUTES" => Mode::Attributes,
        "TRIANGLES" => Mode::Triangles,
        "INDICES" => Mode::Indices,
        other => return Err(at.key("mode").malformed(format!("{other:?} is not a mode of compression"))),
    };
    let filter = match object.filter.as_deref() {
        None | Some("NONE") => Filter::None,
        Some("OCTAHEDRAL") => Filter::Octahedral,
        Some("QUATERNION") => Filter::Quaternion,
        Some("EXPONENTIAL") => Filter::Exponential,
        Some("COLOR") => Filter::Color,
        Some(other) => return Err(at.key("filter").malformed(format!("{other:?} is not a filter"))),
    };
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let count = whole(need(object.count, at, "count")?);
    let stride = whole(need(object.byte_stride, at, "byteStride")?);
    let layout = Layout { mode, filter, count, stride };
    layout.check().map_err(|rule| at.malformed(rule))?;
    Ok(layout)
}

fn stream(object: &MeshoptView, buffers: &[BufferBytes], at: &At<'_>) -> Result<SharedBytes> {
    let index = in_list(need(object.buffer, at, "buffer")?, buffers.len(), &at.key("buffer"), "buffer")?;
    let bytes = buffers.get(index).and_then(|b| b.bytes.as_ref());
    let bytes = bytes.ok_or_else(|| at.key("buffer").malformed("this buffer has no bytes to decompress"))?;
    let start = object.byte_offset.unwrap_or(0);
    let length = need(object.byte_length, at, "byteLength")?;
    let whole = |number: u64| usize::try_from(number).ok();
    let range = whole(start).and_then(|s| Some(s..s.checked_add(whole(length)?)?));
    range.and_then(|r| bytes.slice(r)).ok_or_else(|| {
        let have = bytes.len();
        at.malformed(format!("{length} compressed bytes from {start} on are stated, but the buffer has {have} bytes"))
    })
}
