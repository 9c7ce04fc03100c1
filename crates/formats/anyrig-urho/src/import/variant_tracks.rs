//! Tracks of rbfx that move any property: weights of morphs become channels, the others are named in the report.

use super::{Names, Rig};
use crate::codes;
use crate::document::{Animation, VariantTrack, variant_interpolation, variant_type};
use crate::export::MORPHS_PATH;
use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property, Target};

/// Adds a channel for each track that moves a morph of the model.
pub(super) fn import(
    clip: &mut Clip,
    animation: &Animation,
    rig: &Rig,
    names: &Names,
    context: &Context,
) -> Result<()> {
    let keys: u64 = animation.variant_tracks.iter().map(|t| u64::from(t.key_count) + t.texts.len() as u64).sum();
    context.take_elements(keys.saturating_add(animation.variant_tracks.len() as u64), || {
        Place::element("variant_tracks")
    })?;
    context.take_memory(keys.saturating_mul(12), || Place::element("variant_tracks"))?;
    let mut morphs = Vec::new();
    for track in &animation.variant_tracks {
        let path = names.text(&track.name);
        let Some((node, target)) = morph(&path, track, rig) else {
            context.tell(&codes::PROPERTY_TRACK_LOST, path, format!("clip {:?}", clip.name));
            continue;
        };
        if animation.version >= 3 && track.weight != 1.0 {
            context.tell(&codes::TRACK_WEIGHT, path.as_str(), "the track is played fully");
        }
        let interpolation = match track.interpolation {
            variant_interpolation::STEP => Interpolation::Step,
            variant_interpolation::LINEAR => Interpolation::Linear,
            _ => {
                context.tell(&codes::SPLINE_AS_LINE, path.as_str(), "straight lines between the keys");
                Interpolation::Linear
            }
        };
        let times: Vec<f64> = track.float_keys().map(|(time, _)| f64::from(time)).collect();
        let values: Vec<f32> = track.float_keys().map(|(_, value)| value).collect();
        if times.is_empty() {
            continue;
        }
        morphs.push((node, target, Curve::new(interpolation, 1, times, values)));
    }
    add_channels(clip, morphs, rig);
    Ok(())
}

/// One channel for the weights of all morphs where all go at the same times, else one for each.
fn add_channels(clip: &mut Clip, mut morphs: Vec<(NodeId, u32, Curve)>, rig: &Rig) {
    morphs.sort_by_key(|(_, target, _)| *target);
    let all = rig.mesh.is_some_and(|(_, count)| {
        count == morphs.len() && morphs.iter().enumerate().all(|(i, (_, target, _))| *target as usize == i)
    });
    let alike = |(_, _, curve): &(NodeId, u32, Curve)| {
        let first = morphs.first().map(|(_, _, first)| (first.interpolation, &first.times_secs));
        first == Some((curve.interpolation, &curve.times_secs))
    };
    match morphs.first() {
        Some((node, _, first)) if all && morphs.iter().all(alike) => {
            let keys = 0..first.len();
            let values =
                keys.flat_map(|key| morphs.iter().map(move |(_, _, c)| c.value(key).first().copied().unwrap_or(0.0)));
            let values: Vec<f32> = values.collect();
            let curve = Curve::new(first.interpolation, morphs.len(), first.times_secs.clone(), values);
            clip.channels.push(Channel::new(*node, Property::MorphWeights, curve));
        }
        _ => clip
            .channels
            .extend(morphs.into_iter().map(|(node, target, curve)| Channel::on(Target::Morph { node, target }, curve))),
    }
}

/// Whether a track moves a morph of the model.
pub(super) fn moves_one_of(animation: &Animation, rig: &Rig, names: &Names) -> bool {
    animation.variant_tracks.iter().any(|track| morph(&names.text(&track.name), track, rig).is_some())
}

/// The morph that a track moves: the path may begin with nodes, of which a model file knows nothing.
fn morph(path: &str, track: &VariantTrack, rig: &Rig) -> Option<(NodeId, u32)> {
    let (node, count) = rig.mesh?;
    let (_, index) = path.split_once(MORPHS_PATH)?;
    let target: u32 = index.parse().ok()?;
    (track.variant_type == variant_type::FLOAT && (target as usize) < count).then_some((node, target))
}
