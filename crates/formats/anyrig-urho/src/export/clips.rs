//! Clips to `Animations/*.ani`.

use super::skeleton::{Fold, Skeleton};
use super::{file, tell};
use crate::codes;
use crate::document::{Animation, AnimationLayout, Track};
use crate::options::UrhoxOptions;
use anyrig_bytes::names::{UniqueNames, safe_file_name};
use anyrig_bytes::{Context, Report, Result};
use anyrig_passes::{BoneKey, BoneKeys, ResampleOptions, Sampling, clip_keys};
use anyrig_scene::glam::{DQuat, DVec3};
use anyrig_scene::{Clip, ExportedFile, NodeId, Scene, Trs};
use std::collections::BTreeMap;

/// Version of the UrhoX animation layout.
const VERSION: u32 = 2;

/// One file per clip that moves a bone.
pub(super) fn export(
    scene: &Scene,
    skeleton: &Option<Skeleton>,
    options: &UrhoxOptions,
    context: &Context,
) -> Result<Vec<ExportedFile>> {
    let mut names = UniqueNames::default();
    let mut files = Vec::new();
    let mut resampling = ResampleOptions::default();
    (resampling.max_error, resampling.max_error_rad) = (options.error, options.error);
    for (i, clip) in scene.clips.iter().enumerate() {
        context.check_cancelled()?;
        context.progress("clips", i as u64, scene.clips.len() as u64);
        let mut keys = clip_keys(scene, clip, &resampling, context)?;
        let mut report = Report::default();
        // Written clips start at 0.
        for key in keys.values_mut().flat_map(|k| &mut k.keys) {
            key.time_secs -= clip.start_secs;
        }
        let tracks = skeleton.as_ref().map(|s| tracks(s, &mut keys, &mut report)).unwrap_or_default();
        let subject = if clip.name.is_empty() { format!("clip {i}") } else { clip.name.clone() };
        report_rest(scene, &keys, &subject, &mut report);
        if tracks.is_empty() {
            tell(&mut report, &codes::CLIP_WITHOUT_TRACKS, &subject, "");
        } else {
            let name = names.claim(&safe_file_name(&clip.name, &format!("Animation_{i}")));
            if !clip.name.is_empty() && name != clip.name {
                tell(&mut report, &codes::CLIP_RENAMED, &subject, format!("now {name:?}"));
            }
            files.push(file("Animations", &name, "ani", animation(clip, tracks).write()?));
        }
        context.append(report);
    }
    Ok(files)
}

fn animation(clip: &Clip, tracks: Vec<Track>) -> Animation {
    Animation {
        layout: AnimationLayout::UrhoX,
        version: VERSION,
        length_secs: (clip.end_secs() - clip.start_secs) as f32,
        tracks,
        ..Animation::default()
    }
}

/// Takes the keys of all bones, in the order of the bones.
fn tracks(skeleton: &Skeleton, keys: &mut BTreeMap<NodeId, BoneKeys>, report: &mut Report) -> Vec<Track> {
    let mut by_bone: Vec<(usize, NodeId)> = skeleton.by_node.iter().map(|(node, bone)| (*bone, *node)).collect();
    by_bone.sort_unstable();
    let mut tracks = Vec::new();
    for (index, node) in by_bone {
        let (Some(keys), Some(bone)) = (keys.remove(&node), skeleton.bones.get(index)) else { continue };
        if keys.sampling == Sampling::Resampled {
            tell(report, &codes::CURVES_SAMPLED, &bone.name, "linear keys within the error bound");
        }
        tracks.push(track(&bone.name, &keys, &bone.fold));
    }
    tracks
}

fn report_rest(scene: &Scene, keys: &BTreeMap<NodeId, BoneKeys>, clip: &str, report: &mut Report) {
    for node in keys.keys() {
        let name = scene.nodes.get(*node).map_or("", |n| n.name.as_str());
        tell(report, &codes::TRACK_NOT_SHOWN, name, format!("clip {clip:?}"));
    }
}

fn track(name: &str, keys: &BoneKeys, fold: &Fold) -> Track {
    let mut data = Vec::with_capacity(keys.keys.len() * 44);
    let mut key_count = 0;
    let mut last_time = None;
    for key in &keys.keys {
        let time = key.time_secs as f32;
        // Two times that are one as 32-bit floats: the later key stands.
        if last_time == Some(time) {
            data.truncate(data.len() - 44);
            key_count -= 1;
        }
        last_time = Some(time);
        key_count += 1;
        let (translation, [x, y, z, w], scale) = folded(key, fold);
        let numbers = [time].into_iter().chain(translation).chain([w, x, y, z]).chain(scale);
        numbers.for_each(|v| data.extend_from_slice(&v.to_le_bytes()));
    }
    let interpolation = u8::from(keys.sampling != Sampling::Step);
    Track { name: name.into(), interpolation, key_count, data: data.into(), ..Track::default() }
}

fn folded(key: &BoneKey, fold: &Fold) -> ([f32; 3], [f32; 4], [f32; 3]) {
    if fold.is_none() {
        return (key.translation, key.rotation, key.scale);
    }
    let vector = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    let [x, y, z, w] = key.rotation.map(f64::from);
    let local =
        Trs { translation: vector(key.translation), rotation: DQuat::from_xyzw(x, y, z, w), scale: vector(key.scale) };
    let moved = fold.apply(local);
    let floats = |v: DVec3| v.to_array().map(|v| v as f32);
    (floats(moved.translation), moved.rotation.to_array().map(|v| v as f32), floats(moved.scale))
}
