//! One memory for equal lists.

use anyrig_bytes::{Buffer, Context, Result};
use anyrig_scene::{Layout, Part, Scene};
use bytemuck::Pod;
use serde::Serialize;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

/// What [`share_equal_buffers`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ShareStats {
    /// Lists that became those of others.
    pub lists: u64,
    /// Bytes of these lists as they lie in memory.
    pub bytes: u64,
}

/// Lets bit-equal lists be the same memory: attributes, corners, influences, morph deltas, key times and key values of
/// the whole scene. Nothing changes but that formats which write shared memory once write less.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn share_equal_buffers(scene: &mut Scene, context: &Context) -> Result<ShareStats> {
    let (mut floats, mut indexes, mut times) = (Known::default(), Known::default(), Known::default());
    for part in scene.meshes.values_mut().flat_map(|m| &mut m.parts) {
        context.check_cancelled()?;
        share_part(part, &mut floats, &mut indexes);
    }
    for clip in &mut scene.clips {
        context.check_cancelled()?;
        for channel in &mut clip.channels {
            times.share(&mut channel.curve.times_secs);
            floats.share(&mut channel.curve.values);
        }
    }
    let all = [floats.stats, indexes.stats, times.stats];
    let sum = |of: fn(&ShareStats) -> u64| all.iter().map(of).sum();
    Ok(ShareStats { lists: sum(|s| s.lists), bytes: sum(|s| s.bytes) })
}

fn share_part(part: &mut Part, floats: &mut Known<f32>, indexes: &mut Known<u32>) {
    part.streams.iter_mut().for_each(|s| floats.share(&mut s.values));
    part.corners.iter_mut().for_each(|c| indexes.share(c));
    if let Some(influences) = &mut part.influences {
        floats.share(&mut influences.weights);
        indexes.share(&mut influences.joints);
        if let Layout::Offsets(offsets) = &mut influences.layout {
            indexes.share(offsets);
        }
    }
    for delta in part.morphs.iter_mut().flat_map(|m| &mut m.deltas) {
        floats.share(&mut delta.values);
        delta.points.iter_mut().for_each(|p| indexes.share(p));
    }
}

/// How many lists of one hash are compared: chosen collisions must not cost more than time for a few.
const MOST_COMPARED: usize = 16;

struct Known<T> {
    by_hash: BTreeMap<(usize, u64), Vec<Buffer<T>>>,
    stats: ShareStats,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { by_hash: BTreeMap::new(), stats: ShareStats::default() }
    }
}

impl<T: Pod> Known<T> {
    fn share(&mut self, buffer: &mut Buffer<T>) {
        let bytes: &[u8] = bytemuck::cast_slice(buffer.as_slice());
        if bytes.is_empty() {
            return;
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        let equal_hash = self.by_hash.entry((bytes.len(), hasher.finish())).or_default();
        let is_equal = |other: &&Buffer<T>| {
            let other: &[u8] = bytemuck::cast_slice(other.as_slice());
            other == bytes
        };
        match equal_hash.iter().find(is_equal) {
            Some(known) if known.same_memory(buffer) => {}
            Some(known) => {
                self.stats.lists += 1;
                self.stats.bytes += bytes.len() as u64;
                *buffer = known.clone();
            }
            None if equal_hash.len() < MOST_COMPARED => equal_hash.push(buffer.clone()),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Mesh, Semantic, Stream};

    #[test]
    fn equal_bits_become_one_memory_and_zeros_of_two_signs_stay_apart() {
        let mut scene = Scene::default();
        for z in [1.0, 1.0, 2.0, 0.0, -0.0] {
            let (mut part, mut mesh) = (Part::default(), Mesh::default());
            part.point_count = 1;
            part.set_stream(Stream::new(Semantic::Position, 3, vec![0.5, 0.0, z]));
            part.corners = Some(vec![0, 0, 0].into());
            mesh.parts.push(part);
            scene.meshes.push(mesh);
        }
        let before = scene.clone();
        let stats = share_equal_buffers(&mut scene, &Context::new()).expect("not cancelled");
        assert_eq!((stats.lists, stats.bytes), (1 + 4, 12 + 4 * 12));
        assert_eq!(scene, before);
        let parts: Vec<&Part> = scene.meshes.values().flat_map(|m| &m.parts).collect();
        let shares = |a: usize, b: usize| parts[a].streams[0].values.same_memory(&parts[b].streams[0].values);
        assert!(shares(0, 1) && !shares(0, 2) && !shares(3, 4));
        let again = share_equal_buffers(&mut scene, &Context::new()).expect("not cancelled");
        assert_eq!(again, ShareStats::default());
    }
}
