//! Triangles and points in the order that graphics hardware likes.

use crate::check::check_part;
use crate::shared_points::{Renumbering, groups};
use anyrig_bytes::{Context, Result};
use anyrig_scene::{AlphaMode, MeshId, Part, Scene, Topology};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;

/// What [`reorder`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReorderStats {
    /// Parts whose triangles have another order now.
    pub parts: u64,
    /// Points that a cache of 16 had to load for all triangles, before.
    pub loads_before: u64,
    /// The same afterwards.
    pub loads_after: u64,
}

/// Puts triangles into an order in which neighbours share points, and points into the order in which triangles use them.
/// The scene looks the same, since nothing is drawn in another order where the order shows: parts that wear a blending
/// material keep theirs.
///
/// The order is that of "Fast Triangle Reordering for Vertex Locality and Reduced Overdraw" (Sander, Nehab, Barczak 2007)
/// without its second half. A part keeps its order where that loads fewer points. Only parts of indexed triangles are
/// looked at; parts that share their points go on sharing them; points that no corner uses are left out.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated (nothing is changed then);
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn reorder(scene: &mut Scene, context: &Context) -> Result<ReorderStats> {
    scene.meshes.values().flat_map(|m| &m.parts).try_for_each(check_part)?;
    let ordered = drawn_in_order(scene);
    let work = |mut group: Vec<&mut Part>| -> Result<ReorderStats> {
        context.check_cancelled()?;
        Ok(reorder_group(&mut group, &ordered))
    };
    let done: Vec<Result<ReorderStats>> = groups(scene).into_par_iter().map(work).collect();
    let mut total = ReorderStats::default();
    for stats in done {
        let stats = stats?;
        total.parts += stats.parts;
        total.loads_before += stats.loads_before;
        total.loads_after += stats.loads_after;
    }
    Ok(total)
}

/// Addresses of parts whose order shows, valid while the scene is not changed.
fn drawn_in_order(scene: &Scene) -> BTreeSet<usize> {
    let blends = |m: anyrig_scene::MaterialId| {
        scene.materials.get(m).is_some_and(|m| m.alpha_mode == AlphaMode::Blend || !m.extras.is_empty())
    };
    let mut slots: BTreeSet<(MeshId, usize)> = BTreeSet::new();
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        let blending = instance.materials.iter().enumerate().filter(|(_, m)| m.is_some_and(blends));
        slots.extend(blending.map(|(slot, _)| (instance.mesh, slot)));
        let in_variants = instance.variants.iter().filter(|v| blends(v.material));
        slots.extend(in_variants.map(|v| (instance.mesh, v.slot as usize)));
    }
    let parts = scene.meshes.iter().flat_map(|(id, mesh)| mesh.parts.iter().map(move |part| (id, part)));
    let shows = parts.filter(|(id, part)| slots.contains(&(*id, part.slot as usize)) || !part.extras.is_empty());
    shows.map(|(_, part)| std::ptr::from_ref(part).addr()).collect()
}

fn reorder_group(group: &mut [&mut Part], ordered: &BTreeSet<usize>) -> ReorderStats {
    let mut stats = ReorderStats::default();
    let fits = |part: &Part| {
        let corners = part.corners.as_ref().map_or(usize::MAX, |c| c.len());
        // Times of the cache are counted in 32 bits.
        part.topology == Topology::Triangles && corners < i32::MAX as usize
    };
    if !group.iter().all(|part| fits(part) && part.streams.iter().all(|s| s.domain == anyrig_scene::Domain::Point)) {
        return stats;
    }
    for part in group.iter_mut() {
        let keeps = ordered.contains(&std::ptr::from_ref::<Part>(part).addr());
        let Some(corners) = part.corners.clone().filter(|_| !keeps) else { continue };
        let before = loads(&corners, part.point_count);
        let better = tipsify(&corners, part.point_count);
        let after = loads(&better, part.point_count);
        stats.loads_before += before;
        stats.loads_after += after.min(before);
        if after < before {
            part.corners = Some(better.into());
            stats.parts += 1;
        }
    }
    if stats.parts > 0 {
        Renumbering::in_order_of_use(group).apply(group);
    }
    stats
}

/// Places of the cache that is assumed: small enough for all hardware since 2007.
const CACHE: u32 = 16;

/// How many points a first-in-first-out cache has to load.
fn loads(corners: &[u32], points: u32) -> u64 {
    let mut loaded_at = vec![0u64; points as usize];
    let mut loads = 0u64;
    for corner in corners {
        let at = &mut loaded_at[*corner as usize];
        if *at == 0 || loads - *at >= u64::from(CACHE) {
            loads += 1;
            *at = loads;
        }
    }
    loads
}

/// Triangles by point: point `p` has `list[starts[p]..starts[p + 1]]`.
struct Adjacency {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Adjacency {
    fn of(corners: &[u32], points: u32) -> Self {
        let mut starts = vec![0u32; points as usize + 1];
        corners.iter().for_each(|c| starts[*c as usize + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let (mut next, mut list) = (starts.clone(), vec![0; corners.len()]);
        for (index, corner) in corners.iter().enumerate() {
            let slot = &mut next[*corner as usize];
            list[*slot as usize] = (index / 3) as u32;
            *slot += 1;
        }
        Self { starts, list }
    }

    fn of_point(&self, point: u32) -> &[u32] {
        &self.list[self.starts[point as usize] as usize..self.starts[point as usize + 1] as usize]
    }
}

/// All whole triangles in a better order, their corners as they were. Corners behind the last whole triangle are left
/// out, which shows nothing.
fn tipsify(corners: &[u32], points: u32) -> Vec<u32> {
    let corners = &corners[..corners.len() - corners.len() % 3];
    let adjacency = Adjacency::of(corners, points);
    let mut live: Vec<u32> = (0..points).map(|p| adjacency.of_point(p).len() as u32).collect();
    let mut cached_at = vec![0u32; points as usize];
    let mut emitted = vec![false; corners.len() / 3];
    let (mut time, mut cursor) = (CACHE + 1, 0u32);
    let mut dead_ends: Vec<u32> = Vec::new();
    let mut ordered = Vec::with_capacity(corners.len());
    let mut fan = next_live(&live, &mut cursor);
    let mut candidates = Vec::new();
    while let Some(point) = fan {
        candidates.clear();
        for triangle in adjacency.of_point(point) {
            if std::mem::replace(&mut emitted[*triangle as usize], true) {
                continue;
            }
            for corner in &corners[*triangle as usize * 3..*triangle as usize * 3 + 3] {
                ordered.push(*corner);
                dead_ends.push(*corner);
                candidates.push(*corner);
                let index = *corner as usize;
                live[index] -= 1;
                if time - cached_at[index] > CACHE {
                    cached_at[index] = time;
                    time += 1;
                }
            }
        }
        let age = |p: u32| time - cached_at[p as usize];
        fan = best(&candidates, &live, age).or_else(|| {
            let last = std::iter::from_fn(|| dead_ends.pop()).find(|p| live[*p as usize] > 0);
            last.or_else(|| next_live(&live, &mut cursor))
        });
    }
    ordered
}

/// Of the candidates with triangles left the one that is longest in the cache and stays there while its fan is drawn.
fn best(candidates: &[u32], live: &[u32], age: impl Fn(u32) -> u32) -> Option<u32> {
    let mut best: Option<(u32, u32)> = None;
    for point in candidates.iter().filter(|p| live[**p as usize] > 0) {
        let stays = age(*point).saturating_add(live[*point as usize].saturating_mul(2)) <= CACHE;
        let priority = if stays { age(*point) } else { 0 };
        if best.is_none_or(|(most, _)| priority > most) {
            best = Some((priority, *point));
        }
    }
    best.map(|(_, point)| point)
}

fn next_live(live: &[u32], cursor: &mut u32) -> Option<u32> {
    while let Some(count) = live.get(*cursor as usize) {
        if *count > 0 {
            return Some(*cursor);
        }
        *cursor += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_scene::{Mesh, Semantic, Stream};

    /// A grid of quads whose triangles come in an order that no cache likes.
    fn grid(side: u32) -> Part {
        let mut part = Part::default();
        part.point_count = (side + 1) * (side + 1);
        let positions = (0..part.point_count).flat_map(|p| [(p % (side + 1)) as f32, (p / (side + 1)) as f32, 0.0]);
        part.set_stream(Stream::new(Semantic::Position, 3, positions.collect::<Vec<f32>>()));
        let quads = (0..side * side).map(|i| (i * 97) % (side * side));
        let corners = quads.flat_map(|q| {
            let p = q / side * (side + 1) + q % side;
            [p, p + 1, p + side + 1, p + 1, p + side + 2, p + side + 1]
        });
        part.corners = Some(corners.collect());
        part
    }

    fn scene(parts: Vec<Part>) -> Scene {
        let (mut scene, mut mesh) = (Scene::default(), Mesh::default());
        mesh.parts = parts;
        scene.meshes.push(mesh);
        scene
    }

    /// Each triangle by its positions, beginning with the smallest corner, so that its direction counts.
    fn triangles(part: &Part) -> Vec<[[u32; 3]; 3]> {
        let at = |corner: usize| part.positions()[part.point_of(corner)].map(f32::to_bits);
        let mut all: Vec<_> = (0..part.face_count())
            .map(|t| {
                let mut face = [at(3 * t), at(3 * t + 1), at(3 * t + 2)];
                let least = (0..3).min_by_key(|i| face[*i]).unwrap_or(0);
                face.rotate_left(least);
                face
            })
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn the_same_triangles_with_fewer_loads() {
        let mut scene = scene(vec![grid(40)]);
        let before = triangles(&scene.meshes.as_slice()[0].parts[0]);
        let stats = reorder(&mut scene, &Context::new()).expect("valid");
        let part = &scene.meshes.as_slice()[0].parts[0];
        assert_eq!(triangles(part), before);
        // A perfect order loads each of the 41 * 41 points about once; the paper reaches 0.6 to 0.7 loads a triangle.
        assert!(stats.loads_after < 3200 * 7 / 10 && stats.loads_before > 3200, "{stats:?}");
        let firsts: Vec<u32> = part.corners.iter().flat_map(|c| c.iter().copied()).collect();
        let mut seen = 0;
        assert!(
            firsts.iter().all(|c| *c <= seen && {
                seen = seen.max(c + 1);
                true
            }),
            "points come as they are used"
        );
        let again = reorder(&mut scene, &Context::new()).expect("valid");
        assert!(again.loads_after <= stats.loads_after);
    }

    #[test]
    fn shared_points_stay_shared_and_blending_parts_keep_their_order() {
        let (a, mut b) = (grid(8), grid(8));
        b.streams.clone_from(&a.streams);
        let mut scene = scene(vec![a, b]);
        reorder(&mut scene, &Context::new()).expect("valid");
        let parts = &scene.meshes.as_slice()[0].parts;
        assert!(parts[0].streams[0].values.same_memory(&parts[1].streams[0].values));
        let mut blending = self::scene(vec![grid(8)]);
        let mut glass = anyrig_scene::Material::new("glass");
        glass.alpha_mode = AlphaMode::Blend;
        let glass = blending.materials.push(glass);
        let mut instance = anyrig_scene::MeshInstance::new(MeshId::new(0));
        instance.materials = vec![Some(glass)];
        let mut node = anyrig_scene::Node::new("n");
        node.mesh = Some(instance);
        blending.add_node(node, None);
        let before = blending.clone();
        assert_eq!(reorder(&mut blending, &Context::new()), Ok(ReorderStats::default()));
        assert_eq!(blending, before);
    }
}
