//! Leaves out what nothing needs.

use crate::references::{NewIds, Pinned, numbered, pinned};
use crate::{Count, codes, counts, reading};
use anyrig_bytes::{Context, Diagnostic, Result};
use anyrig_scene::walk::parents_first;
use anyrig_scene::{Channel, Clip, ElementId, Interpolation, LocalTransform, Node, Property, Scene, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of a kind of thing that nothing needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unneeded {
    /// It stays.
    #[default]
    Keep,
    /// It goes.
    Remove,
}

/// Options of [`prune`]. What a program may look up by its name, or a user may want in another tool, stays by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PruneOptions {
    /// Meshes, skins, materials, textures, images, cameras and lights that no node reaches. Default: `remove`.
    pub resources: Unneeded,
    /// Nodes without children that show nothing, move nothing and are moved by no clip. They may be places to attach
    /// things to. Default: `keep`.
    pub empty_nodes: Unneeded,
    /// Clips in which nothing leaves its rest pose. Default: `keep`.
    pub still_clips: Unneeded,
    /// Channels that hold the value of the rest pose all the time. Without them a player that blends clips may keep what
    /// another clip has set. Default: `keep`.
    pub rest_channels: Unneeded,
    /// Texture coordinates and tangents that no material reads, and colours behind the first set. Default: `keep`.
    pub unread_streams: Unneeded,
}

impl Default for PruneOptions {
    fn default() -> Self {
        Self {
            resources: Unneeded::Remove,
            empty_nodes: Unneeded::Keep,
            still_clips: Unneeded::Keep,
            rest_channels: Unneeded::Keep,
            unread_streams: Unneeded::Keep,
        }
    }
}

/// How much [`prune`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PruneStats {
    /// Meshes.
    pub meshes: u64,
    /// Skins.
    pub skins: u64,
    /// Materials.
    pub materials: u64,
    /// Textures.
    pub textures: u64,
    /// Images.
    pub images: u64,
    /// Cameras.
    pub cameras: u64,
    /// Lights.
    pub lights: u64,
    /// Nodes.
    pub nodes: u64,
    /// Clips.
    pub clips: u64,
    /// Channels of clips that stay.
    pub channels: u64,
    /// Attributes of parts.
    pub streams: u64,
}

impl PruneStats {
    /// All kinds, in this order.
    pub fn counts(&self) -> [Count; 11] {
        [
            Count::new(self.meshes, "mesh", "meshes"),
            Count::new(self.skins, "skin", "skins"),
            Count::new(self.materials, "material", "materials"),
            Count::new(self.textures, "texture", "textures"),
            Count::new(self.images, "image", "images"),
            Count::new(self.cameras, "camera", "cameras"),
            Count::new(self.lights, "light", "lights"),
            Count::new(self.nodes, "node", "nodes"),
            Count::new(self.clips, "clip", "clips"),
            Count::new(self.channels, "channel", "channels"),
            Count::new(self.streams, "attribute", "attributes"),
        ]
    }
}

/// Leaves out what nothing needs, as far as the options want it; what a scene shows and how it moves stays.
///
/// Elements are numbered anew. Carried data (extensions that the scene has no word for) may refer to elements by number:
/// where they hold whole numbers, the lists that they may mean stay as they are, which is told
/// (`passes.numbers-kept`). What was removed is told by kind (`passes.pruned`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn prune(scene: &mut Scene, options: &PruneOptions, context: &Context) -> Result<PruneStats> {
    context.check_cancelled()?;
    let mut stats = PruneStats::default();
    let wants = |unneeded: Unneeded| unneeded == Unneeded::Remove;
    if wants(options.rest_channels) {
        stats.channels = remove_rest_channels(scene);
    }
    let used = used_meshes(scene);
    let pinned = pinned(scene, &used);
    if wants(options.still_clips) {
        stats.clips = remove_still_clips(scene, pinned, context);
    }
    if wants(options.unread_streams) {
        stats.streams = reading::remove_unread_streams(scene);
    }
    let mut ids = NewIds::same(scene);
    if wants(options.empty_nodes) {
        let needed = needed_nodes(scene);
        if kept_for_numbers("nodes", pinned.all, &needed, context) {
            stats.nodes = gone(&needed);
            ids.nodes = numbered(&needed, |i| i);
        }
    }
    if wants(options.resources) {
        unused_resources(scene, pinned, &mut ids, &mut stats, context);
    }
    ids.apply(scene);
    counts::tell(&stats.counts(), &codes::PRUNED, "nothing needs them", context);
    Ok(stats)
}

fn gone(needed: &[bool]) -> u64 {
    needed.iter().filter(|n| !**n).count() as u64
}

/// Whether elements may go; tells when there are some and they may not.
fn kept_for_numbers(what: &str, pinned: bool, needed: &[bool], context: &Context) -> bool {
    if pinned && needed.contains(&false) {
        let message = "carried data may refer to them by number";
        context.push(Diagnostic::new(&codes::NUMBERS_KEPT, what, message).times(gone(needed)));
    }
    !pinned
}

fn used_meshes(scene: &Scene) -> Vec<bool> {
    marked(scene.meshes.len(), scene.nodes.values().filter_map(|n| n.mesh.as_ref()).map(|m| m.mesh.index()))
}

fn marked(count: usize, used: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut marks = vec![false; count];
    for index in used {
        if let Some(mark) = marks.get_mut(index) {
            *mark = true;
        }
    }
    marks
}

fn unused_resources(scene: &Scene, pinned: Pinned, ids: &mut NewIds, stats: &mut PruneStats, context: &Context) {
    let instances = || scene.nodes.values().filter_map(|n| n.mesh.as_ref());
    let named = |wanted: fn(&ElementId) -> Option<usize>| {
        let channels = scene.clips.iter().flat_map(|c| &c.channels);
        channels.filter_map(move |c| match &c.target {
            Target::Named { element, .. } => wanted(element),
            Target::Material { material, .. } => wanted(&ElementId::Material(*material)),
            Target::Camera { camera, .. } => wanted(&ElementId::Camera(*camera)),
            Target::Light { light, .. } => wanted(&ElementId::Light(*light)),
            _ => None,
        })
    };
    let materials = instances().flat_map(|i| i.materials.iter().flatten()).map(|m| m.index());
    let materials = materials.chain(instances().flat_map(|i| &i.variants).map(|v| v.material.index()));
    let materials = materials.chain(named(|e| if let ElementId::Material(id) = e { Some(id.index()) } else { None }));
    let materials = marked(scene.materials.len(), materials);
    let keep_materials = pinned.all;
    let worn = scene.materials.values().zip(&materials).filter(|(_, used)| keep_materials || **used);
    let textures = worn.flat_map(|(m, _)| m.texture_uses()).map(|(_, used)| used.texture.index());
    let textures = marked(scene.textures.len(), textures);
    let sampled = scene.textures.values().zip(&textures).filter(|(_, used)| pinned.textures || **used);
    let images =
        marked(scene.images.len(), sampled.flat_map(|(t, _)| t.image.iter().chain(&t.alternates)).map(|i| i.index()));
    let cameras = scene.nodes.values().filter_map(|n| n.camera).map(|c| c.index());
    let cameras = cameras.chain(named(|e| if let ElementId::Camera(id) = e { Some(id.index()) } else { None }));
    let cameras = marked(scene.cameras.len(), cameras);
    let lights = scene.nodes.values().filter_map(|n| n.light).map(|l| l.index());
    let lights = lights.chain(named(|e| if let ElementId::Light(id) = e { Some(id.index()) } else { None }));
    let lights = marked(scene.lights.len(), lights);
    let meshes = used_meshes(scene);
    let skins = marked(scene.skins.len(), instances().filter_map(|i| i.skin).map(|s| s.index()));
    macro_rules! take {
        ($list:ident, $pinned:expr) => {
            if kept_for_numbers(stringify!($list), $pinned, &$list, context) {
                stats.$list = gone(&$list);
                ids.$list = numbered(&$list, |i| i);
            }
        };
    }
    take!(meshes, pinned.all);
    take!(skins, pinned.all);
    take!(materials, pinned.all);
    take!(textures, pinned.textures);
    take!(images, pinned.textures);
    take!(cameras, pinned.all);
    take!(lights, pinned.all);
}

/// Nodes that carry something, move something, are moved, are named by the rig, hold extras, or stand above such ones.
fn needed_nodes(scene: &Scene) -> Vec<bool> {
    let joints = scene.skins.values().flat_map(|s| s.joints.iter().chain(&s.skeleton)).map(|n| n.index());
    let moved = scene.clips.iter().flat_map(|c| &c.channels).filter_map(|c| c.target.node()).map(|n| n.index());
    let rig = scene.rig.nodes().into_iter().map(|n| n.index());
    let mut needed = marked(scene.nodes.len(), joints.chain(moved).chain(rig));
    for id in parents_first(scene).into_iter().rev() {
        let node = &scene.nodes[id];
        needed[id.index()] |= carries_something(node);
        if let Some(parent) = node.parent.filter(|_| needed[id.index()]) {
            needed[parent.index()] = true;
        }
    }
    needed
}

fn carries_something(node: &Node) -> bool {
    node.mesh.is_some() || node.camera.is_some() || node.light.is_some() || !node.extras.is_empty()
}

/// The number of clips that went.
fn remove_still_clips(scene: &mut Scene, pinned: Pinned, context: &Context) -> u64 {
    let moves = |clip: &Clip| clip.channels.iter().any(|c| !holds_rest(scene, c));
    let needed: Vec<bool> = scene.clips.iter().map(moves).collect();
    if !kept_for_numbers("clips", pinned.all, &needed, context) {
        return 0;
    }
    let mut stays = needed.iter().copied();
    scene.clips.retain(|_| stays.next().unwrap_or(true));
    gone(&needed)
}

/// The number of channels that went. A clip keeps one whose keys end where all did, with a stated length too: there are
/// formats whose clips are as long as their keys.
fn remove_rest_channels(scene: &mut Scene) -> u64 {
    let mut clips = std::mem::take(&mut scene.clips);
    let mut count = 0;
    for clip in &mut clips {
        let end = |c: &Channel| c.curve.times_secs.last().copied().unwrap_or(f64::MIN);
        let whole = clip.channels.iter().map(end).fold(f64::MIN, f64::max);
        let rests: Vec<bool> = clip.channels.iter().map(|c| clip.layers.len() < 2 && holds_rest(scene, c)).collect();
        let mut held = clip.channels.iter().zip(&rests).any(|(c, rests)| !rests && end(c) >= whole);
        let mut rest = rests.iter();
        clip.channels.retain(|channel| {
            let rests = rest.next().copied().unwrap_or(false);
            let is_anchor = rests && !held && end(channel) >= whole;
            held |= is_anchor;
            count += u64::from(rests && !is_anchor);
            !rests || is_anchor
        });
    }
    scene.clips = clips;
    count
}

/// True when a channel gives the value of the rest pose at every time, to the bit of its own precision.
fn holds_rest(scene: &Scene, channel: &Channel) -> bool {
    let curve = &channel.curve;
    let Some((node, property)) = channel.node_target() else { return false };
    let Some(node) = scene.nodes.get(node) else { return false };
    let sound = curve.width > 0 && curve.len().checked_mul(curve.stride()) == Some(curve.values.len());
    if !sound || !curve.holds_outside() || node.pivots.is_some() {
        return false;
    }
    let Some(rest) = rest_value(scene, node, property) else { return false };
    let at_rest = (0..curve.len()).all(|key| curve.value(key) == rest.as_slice());
    at_rest && !curve.is_empty() && !has_slopes(channel)
}

/// Whether a curve may leave its keys' values between them.
fn has_slopes(channel: &Channel) -> bool {
    let curve = &channel.curve;
    match curve.interpolation {
        Interpolation::Step | Interpolation::Linear => false,
        Interpolation::PerKey => true,
        Interpolation::CubicHermite => {
            let is_tangent = |i: &usize| (i / curve.width) % 3 != 1;
            (0..curve.values.len()).filter(is_tangent).any(|i| curve.values[i] != 0.0)
        }
    }
}

fn rest_value(scene: &Scene, node: &Node, property: Property) -> Option<Vec<f32>> {
    let single = |values: &[f64]| values.iter().map(|v| *v as f32).collect();
    if property == Property::MorphWeights {
        let instance = node.mesh.as_ref()?;
        let mesh = scene.meshes.get(instance.mesh)?;
        let own = || mesh.morphs.iter().map(|m| m.default_weight).collect();
        return Some(if instance.morph_weights.is_empty() { own() } else { instance.morph_weights.clone() });
    }
    let LocalTransform::Trs(trs) = node.local else { return None };
    Some(match property {
        Property::Translation => single(&trs.translation.to_array()),
        Property::Rotation => single(&trs.rotation.to_array()),
        Property::Scale | Property::MorphWeights => single(&trs.scale.to_array()),
    })
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
