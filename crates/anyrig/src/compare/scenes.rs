//! Scenes by the names in them.

use super::{Comparison, bones, keys, points};
use anyrig_animation::scene_size;
use anyrig_bytes::{Context, Result};
use anyrig_scene::Scene;

/// How far numbers may lie apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Lengths, in the first scene's unit.
    pub(super) length: f64,
    /// All else.
    pub(super) other: f64,
}

/// Fills in what differs.
pub(super) fn compare(a: &Scene, b: &Scene, comparison: &mut Comparison, context: &Context) -> Result<()> {
    let size = scene_size(a);
    let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
    let bounds = Bounds { length: comparison.tolerance * size, other: comparison.tolerance };
    let (found, notes) = (&mut comparison.differences, &mut comparison.notes);
    let bones = (bones::Bones::of(a), bones::Bones::of(b));
    bones::compare((a, &bones.0), (b, &bones.1), bounds, (found, notes));
    context.check_cancelled()?;
    points::compare(a, b, bounds, (found, notes), context)?;
    context.check_cancelled()?;
    keys::compare((a, &bones.0), (b, &bones.1), bounds, (found, notes), context)
}
