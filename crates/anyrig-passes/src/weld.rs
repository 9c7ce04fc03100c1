//! Equal points become one.

use crate::check::check_part;
use crate::shared_points::{Renumbering, groups};
use crate::{codes, point_columns::PointColumns};
use anyrig_bytes::{Context, Diagnostic, Error, Report, Result};
use anyrig_scene::{Part, Scene, Semantic, Topology};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Options of [`weld`]: how different the attributes of two points may be. Zero, the default of all, means bit-equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct WeldOptions {
    /// Largest distance of positions and of their morph deltas, in the scene's unit. Default: 0.
    pub position: f64,
    /// Largest angle between normals and between tangents, in radians; their morph deltas may differ by as much.
    /// Default: 0.
    pub direction_rad: f64,
    /// Largest difference of a texture coordinate. Default: 0.
    pub tex_coord: f64,
    /// Largest difference of a colour's component. Default: 0.
    pub color: f64,
    /// Largest sum of the differences of all joint weights. Default: 0.
    pub weight: f64,
}

impl WeldOptions {
    fn tolerances(&self) -> [f64; 5] {
        [self.position, self.direction_rad, self.tex_coord, self.color, self.weight]
    }

    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a tolerance below zero or without end.
    fn check(&self) -> Result<()> {
        match self.tolerances().iter().find(|t| !(**t >= 0.0 && t.is_finite())) {
            Some(wrong) => Err(Error::usage(format!("{wrong} is no tolerance for welding; it is 0 or more"))),
            None => Ok(()),
        }
    }

    fn is_exact(&self) -> bool {
        self.tolerances() == [0.0; 5]
    }
}

/// What [`weld`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WeldStats {
    /// Points before; those that several parts share count once.
    pub points_before: u64,
    /// Points afterwards.
    pub points_after: u64,
}

/// Makes one point of points whose attributes, influences and morph deltas are all equal, and leaves out points that no
/// corner uses. Faces, their order and their corners stay, attributes on corners and faces too.
///
/// Of equal points the first one stays, and the points that stay keep their order. With tolerances a point goes to the
/// first of the points that stay which is near in every attribute, so that nothing moves farther than the tolerance;
/// among very many near points only the nearest 64 places are looked through. Parts that share their points' memory go
/// on sharing it. A part without anything to do keeps its buffers; one without corner list gets one only where that
/// makes it smaller. Clouds of points are left alone. Each changed part is told (`passes.points-welded`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for a tolerance that is none; [`anyrig_bytes::ErrorKind::Malformed`] when a part
/// was not validated (nothing is changed then); [`anyrig_bytes::ErrorKind::Cancelled`];
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the lists that this takes pass the memory limit.
pub fn weld(scene: &mut Scene, options: &WeldOptions, context: &Context) -> Result<WeldStats> {
    options.check()?;
    scene.meshes.values().flat_map(|m| &m.parts).try_for_each(check_part)?;
    let names = part_names(scene);
    let groups = groups(scene);
    let places = first_places(&groups, &names);
    let work = |(mut group, place): (Vec<&mut Part>, String)| -> Result<(WeldStats, Report)> {
        context.check_cancelled()?;
        let bytes = group.first().map_or(0, |first| bytes_for(first, options));
        context.take_memory(bytes, || anyrig_bytes::Place::element(place.clone()))?;
        let stats = weld_group(&mut group, options);
        let mut report = Report::default();
        let gone = stats.points_before - stats.points_after;
        if gone > 0 {
            let message = format!("{} points became {}", stats.points_before, stats.points_after);
            report.push(Diagnostic::new(&codes::POINTS_WELDED, place, message).times(gone));
        }
        Ok((stats, report))
    };
    let done: Vec<_> = groups.into_iter().zip(places).collect::<Vec<_>>().into_par_iter().map(work).collect();
    let mut total = WeldStats::default();
    for result in done {
        let (stats, report) = result?;
        context.append(report);
        total.points_before += stats.points_before;
        total.points_after += stats.points_after;
    }
    Ok(total)
}

/// What hashes, orders and the two lists of a renumbering take for a point, and what its cell takes.
const BYTES_PER_POINT: u64 = 24;
const BYTES_PER_CELL: u64 = 96;

/// What welding takes beside the part's own numbers, about.
fn bytes_for(part: &Part, options: &WeldOptions) -> u64 {
    let per_point = BYTES_PER_POINT + if options.is_exact() { 0 } else { BYTES_PER_CELL };
    let of_points = u64::from(part.point_count).saturating_mul(per_point);
    of_points.saturating_add(PointColumns::bytes_of_moves(part))
}

/// `mesh "NAME" part 2` of each part by its address, which is unique while the scene is borrowed.
fn part_names(scene: &Scene) -> BTreeMap<usize, String> {
    let parts = scene.meshes.iter().flat_map(|(id, mesh)| {
        let name = move |part| crate::PartPlace { mesh: id, mesh_name: &mesh.name, part }.to_string();
        mesh.parts.iter().enumerate().map(move |(i, part)| (std::ptr::from_ref(part).addr(), name(i)))
    });
    parts.collect()
}

fn first_places(groups: &[Vec<&mut Part>], names: &BTreeMap<usize, String>) -> Vec<String> {
    let of_first = |group: &Vec<&mut Part>| {
        let address = group.first().map_or(0, |part| std::ptr::from_ref::<Part>(part).addr());
        names.get(&address).cloned().unwrap_or_default()
    };
    groups.iter().map(of_first).collect()
}

/// As [`weld`] for one part by itself.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] and [`anyrig_bytes::ErrorKind::Malformed`] as there.
pub fn weld_part(part: &mut Part, options: &WeldOptions) -> Result<WeldStats> {
    options.check()?;
    check_part(part)?;
    Ok(weld_group(&mut [part], options))
}

fn weld_group(group: &mut [&mut Part], options: &WeldOptions) -> WeldStats {
    let Some(first) = group.first() else { return WeldStats::default() };
    let before = u64::from(first.point_count);
    let untouched = WeldStats { points_before: before, points_after: before };
    if first.point_count == 0 || group.iter().any(|p| p.topology == Topology::Points) {
        return untouched;
    }
    let columns = PointColumns::of(first);
    let kept = if options.is_exact() { first_equal(&columns) } else { first_near(&columns, options) };
    let new = renumbering(group, &kept);
    if new.old_of_new.len() as u64 == before || !is_smaller(group, &new) {
        return untouched;
    }
    new.apply(group);
    WeldStats { points_before: before, points_after: new.old_of_new.len() as u64 }
}

/// For each point the first one that is bit-equal.
fn first_equal(columns: &PointColumns<'_>) -> Vec<u32> {
    let count = columns.point_count();
    let hashes: Vec<u64> = (0..count).map(|p| columns.hash(p)).collect();
    let mut order: Vec<u32> = (0..count as u32).collect();
    // Points of equal hashes are compared themselves, so that chosen collisions cost no more than a sort.
    order.sort_unstable_by(|a, b| {
        let by_hash = hashes[*a as usize].cmp(&hashes[*b as usize]);
        by_hash.then_with(|| columns.compare(*a as usize, *b as usize)).then(a.cmp(b))
    });
    let mut first: Vec<u32> = (0..count as u32).collect();
    let equal = |a: &u32, b: &u32| {
        let (a, b) = (*a as usize, *b as usize);
        hashes[a] == hashes[b] && columns.compare(a, b).is_eq()
    };
    for run in order.chunk_by(equal) {
        run.iter().for_each(|point| first[*point as usize] = run[0]);
    }
    first
}

/// How many points that stay are compared with one point.
const MOST_COMPARED: usize = 64;

type Cell = [i64; 3];

/// For each point the first of the points that stay which is near in every attribute.
fn first_near(columns: &PointColumns<'_>, options: &WeldOptions) -> Vec<u32> {
    let mut cells: BTreeMap<Cell, Vec<u32>> = BTreeMap::new();
    let first_of = |point: usize| {
        let home = cell(columns, point, options.position);
        let near = neighbours(home, options.position).filter_map(|c| cells.get(&c)).flatten().take(MOST_COMPARED);
        let found = near.copied().filter(|p| columns.is_near(*p as usize, point, options)).min();
        found.unwrap_or_else(|| {
            cells.entry(home).or_default().push(point as u32);
            point as u32
        })
    };
    (0..columns.point_count()).map(first_of).collect()
}

/// The cube of a position: points within the tolerance lie in it or beside it. Without tolerance, the bits.
fn cell(columns: &PointColumns<'_>, point: usize, tolerance: f64) -> Cell {
    let position = columns.position(point);
    if tolerance > 0.0 {
        return position.map(|v| (f64::from(v) / tolerance).floor() as i64);
    }
    position.map(|v| i64::from(v.to_bits()))
}

/// The cell itself first: where there are too many points to look at, those in it are the likeliest to be near.
fn neighbours(home: Cell, tolerance: f64) -> impl Iterator<Item = Cell> {
    let reach = if tolerance > 0.0 { -1..=1 } else { 0..=0 };
    let steps = reach.clone().flat_map(move |x| {
        let reach = reach.clone();
        reach.clone().flat_map(move |y| reach.clone().map(move |z| [x, y, z]))
    });
    let others = steps.filter(|s: &Cell| *s != [0; 3]);
    let others = others.map(move |s| std::array::from_fn(|i| home[i].saturating_add(s[i])));
    std::iter::once(home).chain(others)
}

/// Numbers the points that stay and that a corner uses, in their order.
fn renumbering(group: &[&mut Part], kept: &[u32]) -> Renumbering {
    let mut used = vec![false; kept.len()];
    for part in group {
        (0..part.corner_count()).for_each(|c| used[kept[part.point_of(c)] as usize] = true);
    }
    let mut new = vec![0u32; kept.len()];
    let mut old_of_new = Vec::new();
    for point in (0..kept.len()).filter(|p| used[*p]) {
        new[point] = old_of_new.len() as u32;
        old_of_new.push(point as u32);
    }
    let new_of_old = kept.iter().map(|p| new[*p as usize]).collect();
    Renumbering { old_of_new, new_of_old }
}

/// What a list of corners costs beside its numbers, about: its description in a file, in bytes.
const LIST_BYTES: u64 = 128;

/// A part without corner list gains one: it must cost less than the points do that go.
fn is_smaller(group: &[&mut Part], new: &Renumbering) -> bool {
    let Some(first) = group.first() else { return false };
    let gone = u64::from(first.point_count) - new.old_of_new.len() as u64;
    let per_corner = if new.old_of_new.len() < 0xFFFF { 2 } else { 4 };
    let cost = |part: &Part| match part.corners {
        Some(_) => 0,
        None => part.corner_count() as u64 * per_corner + LIST_BYTES,
    };
    group.iter().map(|part| cost(part)).sum::<u64>() < gone * point_bytes(first)
}

/// What a point takes in the storage that its attributes came from.
fn point_bytes(part: &Part) -> u64 {
    use anyrig_scene::Storage;
    let component = |storage: Storage| match storage {
        Storage::F32 | Storage::U32 => 4,
        Storage::Half | Storage::U16 | Storage::I16 | Storage::Unorm16 | Storage::Snorm16 => 2,
        Storage::U8 | Storage::I8 | Storage::Unorm8 | Storage::Snorm8 => 1,
    };
    let is_float = |s: &Semantic| matches!(s, Semantic::Position | Semantic::Normal | Semantic::Tangent);
    let streams = part.streams.iter().map(|s| {
        let bytes = if is_float(&s.semantic) { 4 } else { component(s.storage) };
        u64::from(s.width) * bytes
    });
    let influences = part.influences.as_ref().map_or(0, |i| i.max_per_point() as u64 * 5);
    streams.sum::<u64>() + influences
}

#[cfg(test)]
#[path = "weld_tests.rs"]
mod tests;
