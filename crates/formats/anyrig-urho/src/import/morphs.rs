//! Morphs.

use super::Names;
use super::geometry::PartSource;
use crate::codes;
use crate::document::{Model, Morph, MorphBuffer, MorphVertex, morph_mask};
use anyrig_bytes::{Buffer, Context, Diagnostic, Place, Result};
use anyrig_scene::{DeltaStream, Mesh, MorphTarget, PartMorph, Semantic};

/// Adds the model's morphs to the mesh and its parts.
pub(super) fn import(
    mesh: &mut Mesh,
    sources: &[PartSource],
    model: &Model,
    (names, level): (&Names, usize),
    context: &Context,
) -> Result<()> {
    if model.morphs.is_empty() {
        return Ok(());
    }
    // Every part looks at every delta once.
    let deltas: u64 = model.morphs.iter().flat_map(|m| &m.buffers).map(|b| u64::from(b.vertex_count)).sum();
    let looks = (deltas + model.morphs.len() as u64).saturating_mul(mesh.parts.len() as u64);
    context.take_elements(looks, || Place::element("morphs"))?;
    if level == 0 {
        report_strays(model, names, context);
    }
    // Each level of detail names them anew.
    let named = model.morphs.iter().map(|m| (m.name.0.len() + size_of::<MorphTarget>()) as u64).sum::<u64>();
    let slots = (model.morphs.len() * size_of::<PartMorph>()) as u64;
    let bytes = slots.saturating_mul(mesh.parts.len() as u64).saturating_add(named);
    context.take_memory(bytes, || Place::element("morphs"))?;
    let target = |morph: &Morph| {
        let mut target = MorphTarget::new(names.text(&morph.name));
        target.default_weight = morph.initial_weight;
        target
    };
    mesh.morphs = model.morphs.iter().map(target).collect();
    for (part, source) in mesh.parts.iter_mut().zip(sources) {
        let points = part.point_count;
        let morphs = model.morphs.iter().map(|morph| part_morph(&morph.buffers, *source, points, context));
        part.morphs = morphs.collect::<Result<_>>()?;
    }
    Ok(())
}

fn report_strays(model: &Model, names: &Names, context: &Context) {
    for morph in &model.morphs {
        for buffer in &morph.buffers {
            let target = model.vertex_buffers.get(buffer.vertex_buffer as usize);
            let limit = target.map_or(0, |b| b.vertex_count);
            let strays = buffer.vertices().filter(|v| v.vertex >= limit).count() as u64;
            if strays > 0 {
                let message = format!("vertex buffer {} has {limit} vertices", buffer.vertex_buffer);
                let subject = names.text(&morph.name);
                context.push(Diagnostic::new(&codes::MORPH_OUT_OF_RANGE, subject, message).times(strays));
            }
        }
    }
}

fn part_morph(buffers: &[MorphBuffer], source: PartSource, point_count: u32, context: &Context) -> Result<PartMorph> {
    context.check_cancelled()?;
    let point = |vertex: u32| vertex.checked_sub(source.first).filter(|point| *point < point_count);
    let own = || buffers.iter().filter(|b| b.vertex_buffer == source.vertex_buffer);
    let of_part = || own().flat_map(MorphBuffer::vertices).filter_map(|v| point(v.vertex).map(|point| (point, v)));
    let count = of_part().count();
    if count == 0 {
        return Ok(PartMorph::default());
    }
    context.take_memory((count as u64).saturating_mul(BYTES_OF_DELTA), || Place::element("morphs"))?;
    let mut moved: Vec<(u32, MorphVertex)> = Vec::with_capacity(count);
    moved.extend(of_part());
    moved.sort_by_key(|(point, _)| *point);
    // The engine adds deltas one after another, also several of one vertex.
    moved.dedup_by(|(later, delta), (point, sum)| {
        let same = later == point;
        if same {
            add(sum, delta);
        }
        same
    });
    let mask = own().fold(0, |mask, buffer| mask | buffer.element_mask);
    let points: Buffer<u32> = moved.iter().map(|(point, _)| *point).collect();
    let stream = |bit: u32, semantic: Semantic, pick: fn(&MorphVertex) -> Option<[f32; 3]>| {
        let values = moved.iter().flat_map(|(_, v)| pick(v).unwrap_or_default()).collect::<Vec<_>>();
        (mask & bit != 0).then(|| DeltaStream::new(semantic, 3, values).at_points(points.clone()))
    };
    let deltas = [
        stream(morph_mask::POSITION, Semantic::Position, |v| v.position),
        stream(morph_mask::NORMAL, Semantic::Normal, |v| v.normal),
        stream(morph_mask::TANGENT, Semantic::Tangent, |v| v.tangent),
    ];
    Ok(PartMorph::new(deltas.into_iter().flatten().collect()))
}

/// A delta while the deltas of a part are sorted, and what stays of it: a point and up to three vectors.
const BYTES_OF_DELTA: u64 = (size_of::<(u32, MorphVertex)>() + size_of::<(u32, [[f32; 3]; 3])>()) as u64;

fn add(sum: &mut MorphVertex, delta: &MorphVertex) {
    let both = |a: Option<[f32; 3]>, b: Option<[f32; 3]>| match (a, b) {
        (Some(a), Some(b)) => Some([a[0] + b[0], a[1] + b[1], a[2] + b[2]]),
        (a, b) => a.or(b),
    };
    sum.position = both(sum.position, delta.position);
    sum.normal = both(sum.normal, delta.normal);
    sum.tangent = both(sum.tangent, delta.tangent);
}
