//! Parts that share their points' memory, for passes that renumber points: all parts of a group get the same new points,
//! so that what was shared stays shared.

use crate::gather;
use anyrig_bytes::Buffer;
use anyrig_scene::{Domain, Layout, Part, Scene};
use std::collections::BTreeMap;

/// Where a list lies; equal for lists that are the same memory.
type Memory = (usize, usize);

/// Lists parts that use the same streams, influences and deltas; a part with attributes on corners or faces stays alone.
pub(crate) fn groups(scene: &mut Scene) -> Vec<Vec<&mut Part>> {
    let mut groups: Vec<Vec<&mut Part>> = Vec::new();
    let mut known: BTreeMap<Vec<Memory>, usize> = BTreeMap::new();
    for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
        match memory_of(part).map(|key| *known.entry(key).or_insert(groups.len())) {
            Some(place) if place < groups.len() => groups[place].push(part),
            _ => groups.push(vec![part]),
        }
    }
    groups
}

/// `None` for a part that shares with nobody.
fn memory_of(part: &Part) -> Option<Vec<Memory>> {
    if part.streams.is_empty() || part.streams.iter().any(|s| s.domain != Domain::Point) {
        return None;
    }
    let mut memory = vec![(part.point_count as usize, part.streams.len())];
    for stream in &part.streams {
        memory.push(at(&stream.values));
        // One memory may be seen as several attributes.
        memory.push((usize::from(stream.width), part.morphs.len()));
    }
    if let Some(influences) = &part.influences {
        memory.push(at(&influences.joints));
        memory.push(at(&influences.weights));
        memory.push(match &influences.layout {
            Layout::Fixed(n) => (0, *n as usize),
            Layout::Offsets(offsets) => at(offsets),
        });
    }
    for delta in part.morphs.iter().flat_map(|m| &m.deltas) {
        memory.push(at(&delta.values));
        memory.push(delta.points.as_ref().map_or((0, 0), at));
    }
    Some(memory)
}

fn at<T: bytemuck::Pod>(buffer: &Buffer<T>) -> Memory {
    (buffer.as_ptr().addr(), buffer.len())
}

/// New points for a part: the old point of each new one, and the new point of each old one that a corner uses.
pub(crate) struct Renumbering {
    pub(crate) old_of_new: Vec<u32>,
    pub(crate) new_of_old: Vec<u32>,
}

impl Renumbering {
    /// Points in the order in which corners first use them.
    pub(crate) fn in_order_of_use(group: &[&mut Part]) -> Self {
        const UNUSED: u32 = u32::MAX;
        let points = group.first().map_or(0, |p| p.point_count as usize);
        let mut new_of_old = vec![UNUSED; points];
        let mut old_of_new = Vec::new();
        for part in group {
            for corner in 0..part.corner_count() {
                let old = part.point_of(corner);
                if new_of_old[old] == UNUSED {
                    new_of_old[old] = old_of_new.len() as u32;
                    old_of_new.push(old as u32);
                }
            }
        }
        Self { old_of_new, new_of_old }
    }

    /// Gives all parts of a group the new points. They must be of one group.
    pub(crate) fn apply(&self, group: &mut [&mut Part]) {
        let Some((first, others)) = group.split_first_mut() else { return };
        self.renumber_corners(first);
        let old_count = first.point_count as usize;
        let old_points = || self.old_of_new.iter().map(|p| *p as usize);
        for stream in first.streams.iter_mut().filter(|s| s.domain == Domain::Point) {
            *stream = gather::stream(stream, old_points());
        }
        first.influences = first.influences.take().map(|i| gather::influences(&i, &self.old_of_new));
        first.morphs = first.morphs.iter().map(|m| gather::morph(m, &self.old_of_new, old_count)).collect();
        first.point_count = self.old_of_new.len() as u32;
        for part in others {
            self.renumber_corners(part);
            for (stream, new) in part.streams.iter_mut().zip(&first.streams) {
                stream.values = new.values.clone();
            }
            part.influences.clone_from(&first.influences);
            for (old, new) in part.morphs.iter_mut().zip(&first.morphs) {
                for (delta, new) in old.deltas.iter_mut().zip(&new.deltas) {
                    (delta.points, delta.values) = (new.points.clone(), new.values.clone());
                }
            }
            part.point_count = first.point_count;
        }
    }

    fn renumber_corners(&self, part: &mut Part) {
        let corners = (0..part.corner_count()).map(|c| self.new_of_old[part.point_of(c)]);
        part.corners = Some(corners.collect());
    }
}
