//! Reads written files back.

use crate::dialect::Dialect;
use crate::document::{Animation, AnimationLayout, Lod, MaterialList, Model, XmlFile, variant_interpolation};
use anyrig_bytes::{Context, Error, Place, Result, Source};

/// Reads one written file back: every count, offset and reference of models and animations.
pub(crate) fn verify(dialect: Dialect, file_name: &str, source: &dyn Source, context: &Context) -> Result<()> {
    context.check_cancelled()?;
    let extension = file_name.rsplit_once('.').map_or("", |(_, e)| e).to_lowercase();
    let checked = match extension.as_str() {
        "mdl" => Model::read(source.bytes(), context).and_then(|m| model(&m, dialect)),
        "ani" => Animation::read(source.bytes(), context).and_then(|a| animation(&a, dialect)),
        "xml" => XmlFile::read(source.bytes(), context).map(|_| ()),
        "txt" => MaterialList::read(source.bytes(), context).map(|_| ()),
        _ => Ok(()),
    };
    checked.map_err(|e| e.in_file(file_name))
}

fn wrong(element: impl Into<String>, message: impl Into<String>) -> Error {
    Error::malformed(Place::element(element), message)
}

fn model(model: &Model, dialect: Dialect) -> Result<()> {
    let (wanted, _) = dialect.model_layout();
    if model.layout != wanted {
        return Err(wrong("magic", format!("{} where {} is written", model.layout.name(), wanted.name())));
    }
    if !model.tail.is_empty() || model.centres.len() != model.geometries.len() {
        return Err(wrong("centres", "not one per geometry"));
    }
    for (i, geometry) in model.geometries.iter().enumerate() {
        if geometry.bone_mapping.iter().any(|b| *b as usize >= model.bones.len()) {
            return Err(wrong(format!("geometries[{i}].bone_mapping"), "a bone that does not exist"));
        }
        geometry.lods.iter().try_for_each(|lod| level(model, i, lod))?;
    }
    for (i, bone) in model.bones.iter().enumerate() {
        if bone.parent as usize >= model.bones.len() {
            return Err(wrong(format!("bones[{i}].parent"), "a bone that does not exist"));
        }
    }
    for (i, morph) in model.morphs.iter().enumerate() {
        for buffer in &morph.buffers {
            let target = model.vertex_buffers.get(buffer.vertex_buffer as usize);
            let count = target.map_or(0, |b| b.vertex_count);
            if buffer.vertices().any(|v| v.vertex >= count) {
                return Err(wrong(format!("morphs[{i}]"), "a vertex that does not exist"));
            }
        }
    }
    Ok(())
}

fn level(model: &Model, geometry: usize, lod: &Lod) -> Result<()> {
    let place = || format!("geometries[{geometry}]");
    let vertices = model.vertex_buffers.get(lod.vertex_buffer as usize);
    let indices = model.index_buffers.get(lod.index_buffer as usize);
    let (Some(vertices), Some(indices)) = (vertices, indices) else {
        return Err(wrong(place(), "a buffer that does not exist"));
    };
    let end = u64::from(lod.index_start) + u64::from(lod.index_count);
    if end > u64::from(indices.index_count) {
        return Err(wrong(place(), "more indices than there are"));
    }
    let size = indices.index_size as usize;
    let bytes = indices.data.get(lod.index_start as usize * size..end as usize * size).unwrap_or_default();
    let limit = vertices.vertex_count;
    let inside = if size == 2 {
        bytes.as_chunks::<2>().0.iter().all(|b| u32::from(u16::from_le_bytes(*b)) < limit)
    } else {
        bytes.as_chunks::<4>().0.iter().all(|b| u32::from_le_bytes(*b) < limit)
    };
    if inside { Ok(()) } else { Err(wrong(place(), "an index above the number of vertices")) }
}

fn animation(animation: &Animation, dialect: Dialect) -> Result<()> {
    let (wanted, _) = dialect.animation_layout();
    if animation.layout != wanted || !animation.tail.is_empty() {
        return Err(wrong("animation", format!("not plain {}", wanted.name())));
    }
    for (i, track) in animation.tracks.iter().enumerate() {
        let times: Vec<f32> = track.keys(animation.layout).map(|k| k.time_secs).collect();
        let moves = animation.layout == AnimationLayout::UrhoX || (1..8).contains(&track.channel_mask);
        // A NaN is in no order.
        if track.interpolation > 1 || !moves || times.is_empty() || !times.is_sorted() {
            return Err(wrong(format!("tracks[{i}]"), "keys out of order, or without channels"));
        }
    }
    for (i, track) in animation.variant_tracks.iter().enumerate() {
        let times: Vec<f32> = track.float_keys().map(|(time, _)| time).collect();
        if track.interpolation > variant_interpolation::LINEAR || times.is_empty() || !times.is_sorted() {
            return Err(wrong(format!("variant_tracks[{i}]"), "keys out of order"));
        }
    }
    Ok(())
}
