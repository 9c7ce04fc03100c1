//! Animations to clips.

use super::triggers::{self, Trigger};
use super::variant_tracks;
use super::{Names, Rig};
use crate::codes;
use crate::document::{Animation, AnimationLayout, Key, Track, channel};
use anyrig_bytes::{Buffer, Context, Place, Result};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, LocalTransform, Node, NodeId, Property, Scene, Trs};
use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, BTreeSet};

/// An animation and what lies beside it.
pub(super) struct Motion<'a> {
    pub(super) animation: &'a Animation,
    pub(super) triggers: Vec<Trigger>,
    /// Of the file's name.
    pub(super) stem: &'a str,
}

/// Adds a clip that moves the bones by name. Without bones, each track makes a node at its first key.
pub(super) fn import(scene: &mut Scene, motion: Motion<'_>, rig: &Rig, context: &Context) -> Result<()> {
    let Motion { animation, triggers, stem } = motion;
    let bones = &rig.bones;
    let keys: u64 = animation.tracks.iter().map(|t| u64::from(t.key_count)).sum();
    context.take_elements(keys.saturating_add(animation.tracks.len() as u64), || Place::element("tracks"))?;
    // Times are kept as f64 and values as f32, all in all up to 48 bytes for 44 of the file.
    context.take_memory(keys.saturating_mul(48), || Place::element("tracks"))?;
    let variants = animation.variant_tracks.iter().map(|t| &t.name);
    let names = Names::of(animation.tracks.iter().map(|t| &t.name).chain(variants).chain([&animation.name]), context);
    if !animation.tail.is_empty() {
        let message = format!("{} bytes", animation.tail.len());
        context.tell(&codes::UNKNOWN_TRIGGERS, stem, message);
    }
    let mut by_name: BTreeMap<String, NodeId> = BTreeMap::new();
    for id in bones {
        by_name.entry(scene.nodes[*id].name.clone()).or_insert(*id);
    }
    let own_name = names.text(&animation.name);
    let mut clip = Clip::new(if own_name.is_empty() { stem.to_owned() } else { own_name });
    clip.length_secs = Some(f64::from(animation.length_secs));
    for track in &animation.tracks {
        let name = names.text(&track.name);
        let node = match by_name.get(&name) {
            Some(node) => *node,
            None if bones.is_empty() => {
                let node = scene.add_node(node_of(track, animation.layout, &name), None);
                by_name.insert(name, node);
                node
            }
            None => {
                context.tell(&codes::TRACK_WITHOUT_BONE, name, format!("clip {:?}", clip.name));
                continue;
            }
        };
        report_weights(track, animation, &names, context);
        add_channels(&mut clip, track, animation.layout, node);
    }
    variant_tracks::import(&mut clip, animation, rig, &names, context)?;
    triggers::set(&mut clip, &triggers);
    scene.clips.push(clip);
    Ok(())
}

/// Whether a track of the animation is called as one of the bones.
pub(super) fn moves_one_of(animation: &Animation, scene: &Scene, rig: &Rig, context: &Context) -> bool {
    // What the names are told to be is told when the animation is imported.
    let apart = context.bare();
    let names = Names::of(animation.tracks.iter().map(|t| &t.name).chain([&animation.name]), &apart);
    let tracks: BTreeSet<String> = animation.tracks.iter().map(|t| names.text(&t.name)).collect();
    rig.bones.iter().any(|bone| tracks.contains(&scene.nodes[*bone].name))
        || variant_tracks::moves_one_of(animation, rig, &names)
}

/// The engine blends whole tracks by their weights; a scene plays them fully.
fn report_weights(track: &Track, animation: &Animation, names: &Names, context: &Context) {
    let weighs = match (animation.layout, animation.version) {
        (AnimationLayout::Rbfx, 3) => track.weight != 1.0,
        (AnimationLayout::Rbfx, 4..) => track.channel_weights != [1.0; 3],
        _ => false,
    };
    if weighs {
        context.tell(&codes::TRACK_WEIGHT, names.text(&track.name), "the track is played fully");
    }
}

fn node_of(track: &Track, layout: AnimationLayout, name: &str) -> Node {
    let mut node = Node::new(name);
    if let Some(key) = track.keys(layout).next() {
        node.local = LocalTransform::Trs(rest_of(&key, track.channels(layout)));
    }
    node
}

fn rest_of(key: &Key, channels: u8) -> Trs {
    let mut rest = Trs::IDENTITY;
    let vector = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    if channels & channel::POSITION != 0 {
        rest.translation = vector(key.position);
    }
    if channels & channel::ROTATION != 0 {
        let [w, x, y, z] = key.rotation.map(f64::from);
        rest.rotation = DQuat::from_xyzw(x, y, z, w);
    }
    if channels & channel::SCALE != 0 {
        rest.scale = vector(key.scale);
    }
    rest
}

fn add_channels(clip: &mut Clip, track: &Track, layout: AnimationLayout, node: NodeId) {
    let steps = layout == AnimationLayout::UrhoX && track.interpolation == 0;
    let interpolation = if steps { Interpolation::Step } else { Interpolation::Linear };
    let times: Buffer<f64> = track.keys(layout).map(|k| f64::from(k.time_secs)).collect();
    if times.is_empty() {
        return;
    }
    let channels = track.channels(layout);
    let mut add = |property, width, values: Buffer<f32>| {
        clip.channels.push(Channel::new(node, property, Curve::new(interpolation, width, times.clone(), values)));
    };
    if channels & channel::POSITION != 0 {
        add(Property::Translation, 3, track.keys(layout).flat_map(|k| k.position).collect());
    }
    if channels & channel::ROTATION != 0 {
        let xyzw = |k: Key| [k.rotation[1], k.rotation[2], k.rotation[3], k.rotation[0]];
        add(Property::Rotation, 4, track.keys(layout).flat_map(xyzw).collect());
    }
    if channels & channel::SCALE != 0 {
        add(Property::Scale, 3, track.keys(layout).flat_map(|k| k.scale).collect());
    }
}
