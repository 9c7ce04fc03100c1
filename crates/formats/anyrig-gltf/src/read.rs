//! From bytes to a document: what the typed reading cannot say, the GLB container.

use crate::codes;
use crate::document::records;
use crate::document::{CHUNK_BIN, CHUNK_HEADER_BYTES, CHUNK_JSON, Chunk, Container, Glb, GltfDocument, HEADER_BYTES};
use anyrig_bytes::codec::ReadCodec;
use anyrig_bytes::{Context, Diagnostic, Endian, Error, Place, Result, SharedBytes, Source};

pub(crate) use crate::document::records::MAGIC;

/// Reads a document from a source's primary file. Files beside it are not opened.
///
/// # Errors
/// When the container or the JSON is broken, or a member has the wrong type.
pub fn read(source: &dyn Source, context: &Context) -> Result<GltfDocument> {
    let inner = || {
        let bytes = source.bytes();
        check_size(bytes, context)?;
        let container = container(bytes, context)?;
        GltfDocument::new(container, context)
    };
    inner().map_err(|e: Error| e.in_file(source.name()))
}

fn check_size(bytes: &SharedBytes, context: &Context) -> Result<()> {
    let limit = context.limits().input_bytes;
    if bytes.len() as u64 > limit {
        let message = format!("the file has {} bytes, more than the limit of {limit}", bytes.len());
        return Err(Error::limit(Place::whole(), message));
    }
    Ok(())
}

pub(crate) fn container(bytes: &SharedBytes, context: &Context) -> Result<Container> {
    if bytes.starts_with(MAGIC) {
        return Ok(Container::Binary(glb(bytes, context)?));
    }
    if bytes.is_empty() {
        return Err(Error::truncated(Place::byte(0), "the file is empty"));
    }
    Ok(Container::Text(bytes.clone()))
}

fn glb(bytes: &SharedBytes, context: &Context) -> Result<Glb> {
    let (mut version, mut length) = (0, 0);
    records::header(&mut ReadCodec::new(bytes, Endian::Little), &mut version, &mut length)?;
    check_version(version)?;
    if (length as usize) < HEADER_BYTES + CHUNK_HEADER_BYTES {
        let message = format!("the header states a length of {length} bytes, too little for a GLB");
        return Err(Error::malformed(Place::byte(8), message));
    }
    if length as usize != bytes.len() {
        let message = format!("{length} bytes stated, {} found", bytes.len());
        context.push(Diagnostic::new(&codes::GLB_LENGTH, "GLB header", message).at(Place::byte(8)));
    }
    let end = bytes.len().min(length as usize);
    let chunks = chunks(bytes, end, context)?;
    let trailing = bytes.slice(end..bytes.len()).unwrap_or_default();
    Ok(Glb { version, length, chunks, trailing })
}

fn check_version(version: u32) -> Result<()> {
    match version {
        2 => Ok(()),
        1 => Err(Error::unsupported(Place::byte(4), crate::GLTF_1_MESSAGE)),
        v => Err(Error::unsupported(Place::byte(4), format!("GLB version {v} is not known; only version 2 is"))),
    }
}

fn chunks(bytes: &SharedBytes, end: usize, context: &Context) -> Result<Vec<Chunk>> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut start = HEADER_BYTES;
    while start < end {
        let place = || Place::byte(start as u64).named(format!("chunk {}", chunks.len()));
        let data_start = start + CHUNK_HEADER_BYTES;
        if data_start > end {
            return Err(Error::truncated(place(), "the file ends within a chunk header; it was cut off"));
        }
        let (mut stated, mut kind) = (0, 0);
        records::chunk_header(&mut ReadCodec::at(bytes, Endian::Little, start)?, &mut stated, &mut kind)?;
        let data_end = data_start.checked_add(stated as usize).filter(|e| *e <= end);
        let Some(data) = data_end.and_then(|e| bytes.slice(data_start..e)) else {
            let message =
                format!("the chunk states {stated} bytes, {} are left; the file was cut off", end - data_start);
            return Err(Error::truncated(place(), message));
        };
        check_kind(&chunks, kind, data.len()).map_err(|message| Error::malformed(place(), message))?;
        context.take_elements(1, place)?;
        context.take_memory(size_of::<Chunk>() as u64 + 32, place)?;
        start = data_start + data.len();
        chunks.push(Chunk { kind, data: data.into() });
    }
    if chunks.is_empty() {
        return Err(Error::truncated(Place::byte(HEADER_BYTES as u64), "there is no JSON chunk"));
    }
    Ok(chunks)
}

/// The rules of specification 4.4.3: JSON first and once, BIN at most once.
fn check_kind(before: &[Chunk], kind: u32, len: usize) -> Result<(), String> {
    match kind {
        CHUNK_JSON if !before.is_empty() => {
            Err("there is a second JSON chunk; which one counts is not defined".to_owned())
        }
        CHUNK_JSON if len == 0 => Err("the JSON chunk is empty".to_owned()),
        CHUNK_BIN if before.iter().any(|c| c.kind == CHUNK_BIN) => {
            Err("there is a second BIN chunk; which one counts is not defined".to_owned())
        }
        CHUNK_JSON => Ok(()),
        kind if before.is_empty() => Err(format!("the first chunk must be JSON, its type is 0x{kind:08x}")),
        _ => Ok(()),
    }
}
