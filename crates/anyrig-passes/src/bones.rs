//! Corner lists that use few enough joints.

use crate::check::check_part;
use anyrig_bytes::{Error, Result};
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

/// Only so many of the latest groups are tried for a triangle, so that the work is bounded.
const OPEN_GROUPS: usize = 32;

/// Distributes the part's triangles (or lines, or points) over groups that each use at most `max_joints` joints.
///
/// Greedy and deterministic: each triangle goes to the first of the latest 32 groups that already has all its joints,
/// else to the one that needs the fewest more and has room, else to a new group. A part that fits as a whole gives one
/// group with its corners in order; one without corners gives none. Incomplete primitives at the end are left out.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for polygons, and when one triangle alone uses more than `max_joints`: call
/// [`crate::limit_influences`] first. [`anyrig_bytes::ErrorKind::Malformed`] for a part that was not validated.
pub fn split_by_bones(part: &Part, max_joints: usize) -> Result<Vec<BoneSplit>> {
    let Some(size) = part.topology.corners_per_face() else {
        return Err(Error::usage("polygons have to be triangulated before they are split"));
    };
    check_part(part)?;
    let whole = part.corner_count() - part.corner_count() % size;
    let corners = (0..whole).map(|corner| part.point_of(corner) as u32);
    if whole == 0 {
        return Ok(Vec::new());
    }
    let used = used_joints(part);
    if used.len() <= max_joints {
        return Ok(vec![BoneSplit { corners: corners.collect(), joints: used }]);
    }
    let mut splitter = Splitter { part, used: &used, max_joints, groups: Vec::new(), wanted: Vec::new() };
    let corners: Vec<u32> = corners.collect();
    corners.chunks_exact(size).try_for_each(|primitive| splitter.add(primitive))?;
    Ok(splitter.groups.into_iter().map(|g| g.finish(&used)).collect())
}

/// The joints that the part's corners use with a weight above 0, ascending. None when the part was not validated.
pub fn used_joints(part: &Part) -> Vec<u32> {
    let Some(influences) = &part.influences else { return Vec::new() };
    if check_part(part).is_err() {
        return Vec::new();
    }
    let mut has_corner = vec![part.corners.is_none(); part.point_count as usize];
    part.corners.iter().flat_map(|c| c.iter()).for_each(|point| has_corner[*point as usize] = true);
    let mut used = std::collections::BTreeSet::new();
    let mut last = None;
    for point in (0..part.point_count as usize).filter(|p| has_corner[*p]) {
        let (joints, weights) = influences.of(point);
        for joint in joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| *j) {
            // Neighbouring points mostly use the same joint first.
            if last != Some(joint) {
                used.insert(joint);
                last = Some(joint);
            }
        }
    }
    used.into_iter().collect()
}

struct Group {
    corners: Vec<u32>,
    /// A bit per used joint of the part.
    has: Vec<u64>,
    count: usize,
}

impl Group {
    fn has(&self, index: usize) -> bool {
        self.has[index / 64] >> (index % 64) & 1 == 1
    }

    fn finish(self, used: &[u32]) -> BoneSplit {
        let joints = used.iter().enumerate().filter(|(i, _)| self.has(*i)).map(|(_, joint)| *joint).collect();
        BoneSplit { corners: self.corners, joints }
    }
}

struct Splitter<'a> {
    part: &'a Part,
    used: &'a [u32],
    max_joints: usize,
    groups: Vec<Group>,
    /// Indexes into `used` that the primitive at hand needs.
    wanted: Vec<usize>,
}

impl Splitter<'_> {
    fn add(&mut self, primitive: &[u32]) -> Result<()> {
        self.collect_wanted(primitive);
        if self.wanted.len() > self.max_joints {
            let message = format!(
                "one triangle uses {} joints, but only {} are allowed; limit the influences per point first",
                self.wanted.len(),
                self.max_joints
            );
            return Err(Error::usage(message));
        }
        let group = self.fitting_group();
        group.0.corners.extend_from_slice(primitive);
        let (group, wanted) = group;
        for index in wanted {
            if !group.has(*index) {
                group.has[index / 64] |= 1 << (index % 64);
                group.count += 1;
            }
        }
        Ok(())
    }

    fn collect_wanted(&mut self, primitive: &[u32]) {
        self.wanted.clear();
        let Some(influences) = &self.part.influences else { return };
        for point in primitive {
            let (joints, weights) = influences.of(*point as usize);
            let joints = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| j);
            self.wanted.extend(joints.filter_map(|joint| self.used.binary_search(joint).ok()));
        }
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }

    fn fitting_group(&mut self) -> (&mut Group, &[usize]) {
        let first_open = self.groups.len().saturating_sub(OPEN_GROUPS);
        let mut best: Option<(usize, usize)> = None;
        for (index, group) in self.groups.iter().enumerate().skip(first_open) {
            let more = self.wanted.iter().filter(|i| !group.has(**i)).count();
            if group.count + more <= self.max_joints && best.is_none_or(|(least, _)| more < least) {
                best = Some((more, index));
            }
            if more == 0 {
                break;
            }
        }
        let index = best.map_or(self.groups.len(), |(_, index)| index);
        if index == self.groups.len() {
            self.groups.push(Group { corners: Vec::new(), has: vec![0; self.used.len().div_ceil(64)], count: 0 });
        }
        (&mut self.groups[index], &self.wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::malformed_parts;
    use anyrig_scene::Influences;
    use proptest::prelude::*;

    /// Unindexed or indexed triangles; each point has one joint at 1 and one at 0.
    fn part(joints: &[u32], corners: Option<Vec<u32>>) -> Part {
        let mut part = Part::default();
        part.point_count = joints.len() as u32;
        part.corners = corners.map(Into::into);
        part.influences = Some(Influences::fixed(
            2,
            joints.iter().flat_map(|j| [*j, 99]).collect::<Vec<_>>(),
            joints.iter().flat_map(|_| [1.0, 0.0]).collect::<Vec<_>>(),
        ));
        part
    }

    fn split(corners: &[u32], joints: &[u32]) -> BoneSplit {
        BoneSplit { corners: corners.to_vec(), joints: joints.to_vec() }
    }

    #[test]
    fn what_fits_stays_whole_and_weight_0_does_not_count() {
        let whole = part(&[5, 2, 2], None);
        assert_eq!(split_by_bones(&whole, 2), Ok(vec![split(&[0, 1, 2], &[2, 5])]));
        assert_eq!(used_joints(&part(&[5, 2, 2, 7], Some(vec![0, 1, 2]))), [2, 5]);
        assert_eq!(split_by_bones(&Part::default(), 2), Ok(vec![]));
    }

    #[test]
    fn triangles_go_where_their_joints_are() {
        // Triangles with joints {0,1}, {2,3}, {1}, {3}, {0,2}.
        let source = part(&[0, 1, 2, 3], Some(vec![0, 0, 1, 2, 2, 3, 1, 1, 1, 3, 3, 3, 0, 2, 2]));
        let groups = split_by_bones(&source, 2).expect("valid");
        let expected =
            [split(&[0, 0, 1, 1, 1, 1], &[0, 1]), split(&[2, 2, 3, 3, 3, 3], &[2, 3]), split(&[0, 2, 2], &[0, 2])];
        assert_eq!(groups, expected);
    }

    #[test]
    fn a_triangle_with_too_many_joints_is_an_error() {
        let error = split_by_bones(&part(&[0, 1, 2], None), 2).expect_err("three joints");
        assert!(error.message().contains("limit the influences"));
        assert!(split_by_bones(&part(&[0, 1, 2], None), 3).is_ok());
    }

    #[test]
    fn malformed_parts_are_errors() {
        for part in malformed_parts() {
            assert!(split_by_bones(&part, 64).is_err());
            assert!(used_joints(&part).is_empty());
        }
    }

    proptest! {
        #[test]
        fn every_triangle_is_in_one_group_that_has_its_joints(
            joints in prop::collection::vec(0u32..20, 3..30),
            raw in prop::collection::vec(0usize..30, 0..120),
            max in 3usize..8,
        ) {
            let corners: Vec<u32> = raw[..raw.len() / 3 * 3].iter().map(|c| (c % joints.len()) as u32).collect();
            let source = part(&joints, Some(corners.clone()));
            let groups = split_by_bones(&source, max).expect("three joints always fit");
            let mut found: Vec<[u32; 3]> = Vec::new();
            for group in &groups {
                prop_assert!(group.joints.len() <= max && group.joints.is_sorted());
                prop_assert!(group.corners.iter().all(|c| group.joints.contains(&joints[*c as usize])));
                found.extend(group.corners.as_chunks::<3>().0);
            }
            let mut wanted = corners.as_chunks::<3>().0.to_vec();
            wanted.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, wanted);
        }
    }
}
