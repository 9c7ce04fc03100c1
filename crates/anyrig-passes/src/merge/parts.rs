//! Parts of one mesh that wear the same material become one.

use crate::check::check_part;
use anyrig_bytes::{Buffer, Context, Place, Result};
use anyrig_scene::{
    AlphaMode, DeltaStream, Domain, Influences, Layout, MaterialId, Mesh, MeshId, Part, PartMorph, Scene, Stream,
    Topology,
};
use std::collections::{BTreeMap, BTreeSet};

/// The number of parts that went.
pub(super) fn join(scene: &mut Scene, context: &Context) -> Result<u64> {
    let worn = worn_materials(scene);
    // Parts of one material may wear different ones in a variant.
    let instances = scene.nodes.values().filter_map(|n| n.mesh.as_ref());
    let choosy: BTreeSet<MeshId> = instances.filter(|i| !i.variants.is_empty()).map(|i| i.mesh).collect();
    let blends = |m: &Option<MaterialId>| {
        m.and_then(|m| scene.materials.get(m)).is_some_and(|m| m.alpha_mode == AlphaMode::Blend)
    };
    let mut jobs: Vec<(MeshId, Vec<usize>)> = Vec::new();
    for (id, mesh) in scene.meshes.iter() {
        let Some(by_instance) = worn.get(&id).filter(|_| !choosy.contains(&id)) else { continue };
        context.check_cancelled()?;
        let targets = targets(mesh, by_instance, blends);
        if targets.iter().enumerate().any(|(part, target)| part != *target) {
            jobs.push((id, targets));
        }
    }
    let mut gone = 0;
    for (id, targets) in jobs {
        context.check_cancelled()?;
        gone += join_mesh(&mut scene.meshes[id], &targets, context)?;
    }
    Ok(gone)
}

/// For each mesh that is shown: for each node that shows it, the material of each slot.
fn worn_materials(scene: &Scene) -> BTreeMap<MeshId, Vec<Vec<Option<MaterialId>>>> {
    let mut worn: BTreeMap<MeshId, Vec<Vec<Option<MaterialId>>>> = BTreeMap::new();
    for instance in scene.nodes.values().filter_map(|n| n.mesh.as_ref()) {
        let choices = worn.entry(instance.mesh).or_default();
        if !choices.contains(&instance.materials) {
            choices.push(instance.materials.clone());
        }
    }
    worn
}

/// For each part the earlier one that takes it up, or itself.
fn targets(
    mesh: &Mesh,
    by_instance: &[Vec<Option<MaterialId>>],
    blends: impl Fn(&Option<MaterialId>) -> bool,
) -> Vec<usize> {
    let materials = |part: &Part| -> Vec<Option<MaterialId>> {
        by_instance.iter().map(|slots| slots.get(part.slot as usize).copied().flatten()).collect()
    };
    let worn: Vec<_> = mesh.parts.iter().map(materials).collect();
    let mut targets: Vec<usize> = (0..mesh.parts.len()).collect();
    let mut points: Vec<u64> = mesh.parts.iter().map(|p| u64::from(p.point_count)).collect();
    let mut last_of_material: BTreeMap<&[Option<MaterialId>], usize> = BTreeMap::new();
    for (index, part) in mesh.parts.iter().enumerate() {
        let earlier = last_of_material.get(worn[index].as_slice()).copied();
        let in_order =
            |target: usize| !worn[index].iter().any(&blends) || target + 1 == index || targets[index - 1] == target;
        let fits = |t: &usize| stay_narrow(points[*t], points[index]) && fit_together(&mesh.parts[*t], part);
        match earlier.filter(|t| fits(t) && in_order(*t)) {
            Some(target) => {
                targets[index] = target;
                points[target] += points[index];
            }
            None => drop(last_of_material.insert(&worn[index], index)),
        }
    }
    targets
}

/// False when indexes of two bytes would become indexes of four, or more points than can be numbered.
fn stay_narrow(a: u64, b: u64) -> bool {
    const NARROW: u64 = 0xFFFF;
    let whole = a + b;
    whole < NARROW || (a >= NARROW && b >= NARROW && whole < u64::from(u32::MAX))
}

fn fit_together(a: &Part, b: &Part) -> bool {
    let kinds = |part: &Part| {
        let streams = part.streams.iter().map(|s| (s.semantic.clone(), s.width, s.storage as u8));
        let mut kinds: Vec<_> = streams.collect();
        kinds.sort();
        kinds
    };
    let moved = |part: &Part| -> Vec<Vec<_>> {
        part.morphs.iter().map(|m| m.deltas.iter().map(|d| (d.semantic.clone(), d.width)).collect()).collect()
    };
    let plain = |part: &Part| part.extras.is_empty() && part.streams.iter().all(|s| s.domain == Domain::Point);
    plain(a)
        && plain(b)
        && a.topology == b.topology
        && !matches!(a.topology, Topology::Polygons { .. })
        && a.influences.is_some() == b.influences.is_some()
        && kinds(a) == kinds(b)
        && moved(a) == moved(b)
}

fn join_mesh(mesh: &mut Mesh, targets: &[usize], context: &Context) -> Result<u64> {
    mesh.parts.iter().try_for_each(check_part)?;
    let old = std::mem::take(&mut mesh.parts);
    let mut gone = 0;
    let mut members: Vec<Vec<&Part>> = vec![Vec::new(); old.len()];
    old.iter().zip(targets).for_each(|(part, target)| members[*target].push(part));
    for members in &members {
        match members.as_slice() {
            [] => gone += 1,
            [one] => mesh.parts.push((*one).clone()),
            several => {
                context.check_cancelled()?;
                context.take_memory(several.iter().copied().map(bytes_of).sum(), Place::whole)?;
                mesh.parts.push(joined(several));
            }
        }
    }
    Ok(gone)
}

/// What the part takes in one that it is joined into: four bytes for each number.
fn bytes_of(part: &Part) -> u64 {
    let streams: usize = part.streams.iter().map(|s| s.values.len()).sum();
    let influences = part.influences.as_ref().map_or(0, |i| i.joints.len() + i.weights.len());
    let deltas = part.morphs.iter().flat_map(|m| &m.deltas);
    let deltas: usize = deltas.map(|d| d.values.len() + d.values.len() / d.width.max(1) as usize).sum();
    4 * (streams + influences + deltas + part.corner_count()) as u64
}

/// Parts that fit together as one, one behind the other. Those that share their points' memory go on sharing it.
fn joined(parts: &[&Part]) -> Part {
    let first = parts[0];
    let mut corners = Vec::new();
    let mut sets: Vec<&Part> = Vec::new();
    // Where the points of each set begin, by the memory of its first attribute.
    let mut starts: BTreeMap<usize, (&Part, u32)> = BTreeMap::new();
    let mut points = 0u32;
    for part in parts {
        let memory = part.streams.first().map_or(0, |s| s.values.as_ptr().addr());
        let known = starts.get(&memory).filter(|(other, _)| has_same_points(other, part)).map(|(_, start)| *start);
        let start = known.unwrap_or(points);
        if known.is_none() {
            sets.push(part);
            starts.entry(memory).or_insert((part, points));
            points += part.point_count;
        }
        corners.extend((0..part.corner_count()).map(|c| start + part.point_of(c) as u32));
    }
    let mut whole = first.clone();
    whole.streams = first.streams.iter().map(|stream| joined_stream(stream, &sets)).collect();
    whole.influences = first.influences.as_ref().map(|_| joined_influences(&sets));
    whole.morphs = (0..first.morphs.len()).map(|morph| joined_morph(morph, &sets)).collect();
    whole.point_count = points;
    whole.corners = Some(corners.into());
    whole
}

fn has_same_points(a: &Part, b: &Part) -> bool {
    let streams = || a.streams.iter().zip(&b.streams);
    let same_influences = match (&a.influences, &b.influences) {
        (Some(a), Some(b)) => {
            a.layout == b.layout && a.joints.same_memory(&b.joints) && a.weights.same_memory(&b.weights)
        }
        (None, None) => true,
        _ => false,
    };
    let deltas = |part: &Part| -> Vec<DeltaStream> { part.morphs.iter().flat_map(|m| m.deltas.clone()).collect() };
    let same_deltas =
        || deltas(a).iter().zip(&deltas(b)).all(|(a, b)| a.values.same_memory(&b.values) && a.points == b.points);
    a.point_count == b.point_count
        && streams().all(|(a, b)| a.semantic == b.semantic && a.values.same_memory(&b.values))
        && same_influences
        && same_deltas()
}

fn joined_stream(stream: &Stream, sets: &[&Part]) -> Stream {
    let values = sets.iter().filter_map(|p| p.stream(&stream.semantic)).flat_map(|s| s.values.iter().copied());
    stream.clone().with_values(values.collect::<Vec<_>>())
}

fn joined_influences(sets: &[&Part]) -> Influences {
    let all = || sets.iter().filter_map(|p| p.influences.as_ref().map(|i| (p.point_count as usize, i)));
    let fixed = |i: &Influences| if let Layout::Fixed(n) = i.layout { Some(n) } else { None };
    let mut widths = all().map(|(_, i)| fixed(i));
    let first = widths.next().flatten();
    if let Some(width) = first.filter(|first| widths.all(|w| w == Some(*first))) {
        let joints: Vec<u32> = all().flat_map(|(_, i)| i.joints.iter().copied()).collect();
        let weights: Vec<f32> = all().flat_map(|(_, i)| i.weights.iter().copied()).collect();
        return Influences::fixed(width, joints, weights);
    }
    let (mut offsets, mut joints, mut weights) = (vec![0u32], Vec::new(), Vec::new());
    for (points, influences) in all() {
        for point in 0..points {
            let (row_joints, row_weights) = influences.of(point);
            joints.extend_from_slice(row_joints);
            weights.extend_from_slice(row_weights);
            offsets.push(joints.len() as u32);
        }
    }
    Influences::ragged(offsets, joints, weights)
}

fn joined_morph(morph: usize, sets: &[&Part]) -> PartMorph {
    let Some(first) = sets.first().and_then(|p| p.morphs.get(morph)) else { return PartMorph::default() };
    let of =
        |index: usize| sets.iter().filter_map(move |p| Some((p.point_count, p.morphs.get(morph)?.deltas.get(index)?)));
    let deltas = first.deltas.iter().enumerate().map(|(index, delta)| {
        let values: Vec<f32> = of(index).flat_map(|(_, d)| d.values.iter().copied()).collect();
        let sparse = of(index).any(|(_, d)| d.points.is_some());
        let points: Option<Buffer<u32>> = sparse.then(|| {
            let mut start = 0u32;
            let mut points = Vec::new();
            for (count, delta) in of(index) {
                points.extend((0..delta.len()).map(|element| start + delta.point_of(element) as u32));
                start += count;
            }
            points.into()
        });
        let joined = DeltaStream::new(delta.semantic.clone(), delta.width, values);
        match points {
            Some(points) => joined.at_points(points),
            None => joined,
        }
    });
    PartMorph::new(deltas.collect())
}
