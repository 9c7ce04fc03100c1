//! From a document to bytes.

use crate::document::{Container, Glb};
use crate::read::MAGIC;
use anyrig_bytes::{Endian, Error, Place, Result, Rope, SharedBytes, Writer};

/// The file of a container, from its fields.
pub(crate) fn write(container: &Container) -> Result<Rope> {
    match container {
        Container::Text(text) => Ok(text.clone().into()),
        Container::Binary(glb) => write_glb(glb),
    }
}

fn write_glb(glb: &Glb) -> Result<Rope> {
    let mut writer = Writer::new(Endian::Little);
    writer.bytes(MAGIC);
    writer.u32(glb.version);
    writer.u32(glb.length);
    for chunk in &glb.chunks {
        let too_long = |_| Error::unsupported(Place::whole(), "a GLB chunk cannot be longer than 4 GiB");
        writer.u32(u32::try_from(chunk.data.len()).map_err(too_long)?);
        writer.u32(chunk.kind);
        chunk.data.pieces().iter().for_each(|piece: &SharedBytes| writer.shared(piece));
    }
    writer.shared(&glb.trailing);
    Ok(writer.finish())
}
