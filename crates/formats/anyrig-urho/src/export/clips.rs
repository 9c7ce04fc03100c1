//! Clips to `Animations/*.ani`.

use super::morph_tracks::MorphTracks;
use super::morphs::Wanted;
use super::skeleton::{Bone, Fold, Plan, Skeleton};
use super::{Target, file, tell};
use crate::codes;
use crate::dialect::Dialect;
use crate::document::{Animation, AnimationLayout, Tag, Track, XmlFile, XmlKind, channel};
use crate::import::triggers_of;
use anyrig_bytes::names::{UniqueNames, safe_file_name};
use anyrig_bytes::{Context, Diagnostic, Place, Report, Result};
use anyrig_passes::{BoneKey, BoneKeys, ResampleOptions, Sampling, Steps, clip_keys};
use anyrig_scene::glam::{DQuat, DVec3};
use anyrig_scene::{Clip, ExportedFile, NodeId, Scene, Trs};
use std::collections::BTreeMap;

/// One file per clip that moves a bone, or a morph where the target has tracks for these.
pub(super) fn export(
    scene: &Scene,
    (plan, morphs): (&Plan, &[Wanted]),
    target: &Target,
    context: &Context,
) -> Result<Vec<ExportedFile>> {
    let mut names = UniqueNames::default();
    let mut files = Vec::new();
    let resampling = resampling(target);
    let morph_tracks = MorphTracks::new(scene, plan, morphs, &resampling);
    for (i, clip) in scene.clips.iter().enumerate() {
        context.check_cancelled()?;
        context.progress("clips", i as u64, scene.clips.len() as u64);
        let mut keys = clip_keys(scene, clip, &resampling, context)?;
        let mut report = Report::default();
        // Written clips start at 0.
        for key in keys.values_mut().flat_map(|k| &mut k.keys) {
            key.time_secs -= clip.start_secs;
        }
        let mut animation = animation(clip, target.dialect);
        if let Some(skeleton) = &plan.skeleton {
            animation.tracks = tracks(skeleton, &mut keys, animation.layout, (context, &mut report))?;
        }
        let subject = if clip.name.is_empty() { format!("clip {i}") } else { clip.name.clone() };
        report_rest(scene, &keys, &subject, &mut report);
        if animation.layout == AnimationLayout::Rbfx {
            animation.variant_tracks = morph_tracks.of(clip, (context, &mut report))?;
        }
        if animation.tracks.is_empty() && animation.variant_tracks.is_empty() {
            tell(&mut report, &codes::CLIP_WITHOUT_TRACKS, &subject, "");
        } else {
            let name = names.claim(&safe_file_name(&clip.name, &format!("Animation_{i}")));
            if !clip.name.is_empty() && name != clip.name {
                tell(&mut report, &codes::CLIP_RENAMED, &subject, format!("now {name:?}"));
            }
            files.push(file("Animations", &name, "ani", animation.write()?));
            files.extend(triggers(clip, &name, &subject, animation.layout, &mut report));
        }
        context.append(report);
    }
    Ok(files)
}

/// The file with the triggers of a clip, when it has any.
fn triggers(
    clip: &Clip,
    name: &str,
    subject: &str,
    layout: AnimationLayout,
    report: &mut Report,
) -> Option<ExportedFile> {
    let triggers = triggers_of(clip);
    if triggers.is_empty() {
        return None;
    }
    if layout == AnimationLayout::UrhoX {
        let message = "how UrhoX keeps triggers is not known";
        report.push(Diagnostic::new(&codes::NOT_HELD, subject, message).times(triggers.len() as u64));
        return None;
    }
    let tags = triggers.iter().map(|trigger| {
        let time = ((trigger.time_secs - clip.start_secs) as f32).to_string();
        Tag::empty("trigger").with("time", &time).with("type", &trigger.kind).with("value", &trigger.value)
    });
    Some(file("Animations", name, "xml", XmlFile::new(XmlKind::Animation, tags).write()))
}

fn resampling(target: &Target) -> ResampleOptions {
    let mut resampling = ResampleOptions::default();
    (resampling.max_error, resampling.max_error_rad) = (target.options.error, target.options.error);
    resampling.steps = match target.dialect.animation_layout().0 {
        AnimationLayout::UrhoX => Steps::Keep,
        AnimationLayout::Classic | AnimationLayout::Rbfx => Steps::Ramps,
    };
    resampling
}

/// Without tracks.
fn animation(clip: &Clip, dialect: Dialect) -> Animation {
    let (layout, version) = dialect.animation_layout();
    let name = if layout == AnimationLayout::UrhoX { Default::default() } else { clip.name.replace('\0', "_") };
    let length_secs = (clip.end_secs() - clip.start_secs) as f32;
    Animation { layout, version, name: name.as_str().into(), length_secs, ..Animation::default() }
}

/// Takes the keys of all bones, in the order of the bones.
fn tracks(
    skeleton: &Skeleton,
    keys: &mut BTreeMap<NodeId, BoneKeys>,
    layout: AnimationLayout,
    (context, report): (&Context, &mut Report),
) -> Result<Vec<Track>> {
    let mut by_bone: Vec<(usize, NodeId)> = skeleton.by_node.iter().map(|(node, bone)| (*bone, *node)).collect();
    by_bone.sort_unstable();
    let mut tracks = Vec::new();
    for (index, node) in by_bone {
        let (Some(keys), Some(bone)) = (keys.remove(&node), skeleton.bones.get(index)) else { continue };
        if keys.sampling == Sampling::Resampled {
            tell(report, &codes::CURVES_SAMPLED, &bone.name, "linear keys within the error bound");
        }
        tracks.push(track(bone, &keys, layout, context)?);
    }
    Ok(tracks)
}

fn report_rest(scene: &Scene, keys: &BTreeMap<NodeId, BoneKeys>, clip: &str, report: &mut Report) {
    for node in keys.keys() {
        let name = scene.nodes.get(*node).map_or("", |n| n.name.as_str());
        tell(report, &codes::TRACK_NOT_SHOWN, name, format!("clip {clip:?}"));
    }
}

fn track(bone: &Bone, keys: &BoneKeys, layout: AnimationLayout, context: &Context) -> Result<Track> {
    // An own mask leaves what the clip does not move to other clips.
    let channel_mask = match layout {
        AnimationLayout::UrhoX => 0,
        AnimationLayout::Classic | AnimationLayout::Rbfx => mask(keys.animated),
    };
    let interpolation = u8::from(keys.sampling != Sampling::Step);
    let mut track = Track { name: bone.name.as_str().into(), channel_mask, interpolation, ..Track::default() };
    (track.weight, track.channel_weights) = (1.0, [1.0; 3]);
    let size = track.key_size(layout);
    let channels = track.channels(layout);
    let bytes = keys.keys.len() * size;
    context.take_memory(bytes as u64, || Place::element(bone.name.as_str()))?;
    let mut data = Vec::with_capacity(bytes);
    let mut last_time = None;
    for key in &keys.keys {
        let time = key.time_secs as f32;
        // Two times that are one as 32-bit floats: the later key stands.
        if last_time == Some(time) {
            data.truncate(data.len() - size);
            track.key_count -= 1;
        }
        last_time = Some(time);
        track.key_count += 1;
        push_key(&mut data, time, folded(key, &bone.fold), channels);
    }
    track.data = data.into();
    Ok(track)
}

fn mask([translation, rotation, scale]: [bool; 3]) -> u8 {
    let bits = [(translation, channel::POSITION), (rotation, channel::ROTATION), (scale, channel::SCALE)].into_iter();
    bits.filter(|(moves, _)| *moves).fold(0, |mask, (_, bit)| mask | bit)
}

/// Translation, rotation (x, y, z, w), scale.
type Floats = ([f32; 3], [f32; 4], [f32; 3]);

fn push_key(data: &mut Vec<u8>, time: f32, (translation, [x, y, z, w], scale): Floats, channels: u8) {
    let mut put = |values: &[f32]| values.iter().for_each(|v| data.extend_from_slice(&v.to_le_bytes()));
    put(&[time]);
    if channels & channel::POSITION != 0 {
        put(&translation);
    }
    if channels & channel::ROTATION != 0 {
        put(&[w, x, y, z]);
    }
    if channels & channel::SCALE != 0 {
        put(&scale);
    }
}

fn folded(key: &BoneKey, fold: &Fold) -> Floats {
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
