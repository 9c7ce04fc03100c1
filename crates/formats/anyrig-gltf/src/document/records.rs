//! The GLB container (specification 4.4), described once: reading, writing, traces and dumps go over it.

use super::{CHUNK_BIN, CHUNK_JSON, Chunk, Glb};
use anyrig_bytes::codec::{Codec, Record, elements};
use anyrig_bytes::{Error, Place, Result, Rope, SharedBytes};

/// First bytes of a GLB file (specification 4.4.2).
pub(crate) const MAGIC: &[u8; 4] = b"glTF";

/// The file's header: version and length.
pub(crate) fn header<C: Codec>(codec: &mut C, version: &mut u32, length: &mut u32) -> Result<()> {
    let mut magic = *MAGIC;
    codec.magic("magic", &mut magic)?;
    if magic != *MAGIC {
        return Err(Error::malformed(Place::byte(0), "the file does not begin with glTF"));
    }
    codec.field("version", version)?;
    codec.field("length", length)
}

/// A chunk's header: length and type.
pub(crate) fn chunk_header<C: Codec>(codec: &mut C, length: &mut u32, kind: &mut u32) -> Result<()> {
    codec.field("length", length)?;
    codec.field("type", kind)
}

impl Record for Glb {
    /// Chunks follow each other to the stated end; their number is in no field, so that `read` counts them.
    fn walk<C: Codec>(&mut self, codec: &mut C) -> Result<()> {
        codec.enter("header", None);
        header(codec, &mut self.version, &mut self.length)?;
        codec.leave();
        let count = codec.trailing_count("chunks", self.chunks.len(), usize::MAX, 8)?;
        elements(codec, "chunks", count, &mut self.chunks, chunk)?;
        codec.rest("trailing", &mut self.trailing)
    }
}

fn chunk<C: Codec>(codec: &mut C, chunk: &mut Chunk) -> Result<()> {
    let too_long = |_| Error::unsupported(Place::whole(), "a GLB chunk cannot be longer than 4 GiB");
    let mut length = u32::try_from(chunk.data.len()).map_err(too_long)?;
    chunk_header(codec, &mut length, &mut chunk.kind)?;
    let name = match chunk.kind {
        CHUNK_JSON => "json",
        CHUNK_BIN => "bin",
        _ => "data",
    };
    let one = chunk.data.pieces().len() <= 1;
    if C::READS || one {
        let mut data = chunk.data.to_shared();
        piece(codec, name, length as usize, &mut data)?;
        chunk.data = data.into();
        return Ok(());
    }
    // An export's chunk is strung together from many pieces; only writing sees it.
    chunk.data.pieces().iter().try_for_each(|data| piece(codec, name, data.len(), &mut data.clone()))
}

fn piece<C: Codec>(codec: &mut C, name: &'static str, len: usize, data: &mut SharedBytes) -> Result<()> {
    if name == "json" { codec.text_blob(name, len, data) } else { codec.blob(name, len, data) }
}

/// The file of a container.
pub(crate) fn write(glb: &Glb) -> Result<Rope> {
    anyrig_bytes::codec::to_rope(glb, |codec, glb| glb.walk(codec))
}
