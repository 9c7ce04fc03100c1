//! Motion and transforms of authoring tools into what engines have: translation, rotation and scale, with linear, step
//! and cubic curves on them.

mod clips;
mod plan;
mod sample;
mod structure;

use anyrig_bytes::{Context, Place, Result};
use anyrig_scene::{Channel, Clip, Curve, InheritMode, Interpolation, Scene, Target};
use plan::Plan;
use sample::Room;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of [`bake_motion`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BakeOptions {
    /// Largest error of a node's place against its parent, as a share of the scene's size, and of its rotation, in
    /// radians. Default: 1e-4.
    pub max_error: f64,
    /// Length of the ramp that stands for a jump in a curve that also moves otherwise, in seconds. Curves that only jump
    /// become step curves and stay exact. Default: 1e-4.
    pub step_secs: f64,
    /// Largest number of keys of a curve. Default: 65536.
    pub max_keys: u32,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self { max_error: 1e-4, step_secs: 1e-4, max_keys: 65_536 }
    }
}

/// Brings a scene to plain transforms and curves, which is all that most targets hold. A scene that has nothing else
/// stays as it is, bit for bit.
///
/// - Pivots and Euler angles become translation, rotation and scale; nothing is lost.
/// - Inherit modes: a node whose children do not inherit its scale as a whole hands the scale to a helper node
///   `NAME.scale`, which also takes what inherits it: the mesh, the joint, the other children. Where the scale is the
///   same along all axes, it is divided out in the children instead.
/// - A geometric transform goes into the node, if nothing else hangs on it, or into a helper node `NAME.geometry` that
///   shows the mesh.
/// - Clips with layers, with curves on single numbers, with segments per key, or with extrapolation become one linear or
///   step curve per property: as many keys as [`BakeOptions::max_error`] needs, and no frame rate. Turns of more than
///   half a circle between two keys are kept. Every clip starts at 0.
/// - Visibility, numbers and colours of materials, cameras and lights, named properties and targets without a word keep a
///   curve of their own, in the same way.
///
/// A curve that reached the limit of keys is told as `passes.keys-limited`. All curves together get at most sixteen keys
/// for each of the source and 262 144 more, so that a small file cannot ask for a large one.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when keys or helper nodes pass the limit of elements;
/// [`anyrig_bytes::ErrorKind::Cancelled`].
pub fn bake_motion(scene: &mut Scene, options: &BakeOptions, context: &Context) -> Result<()> {
    if !needs_baking(scene) {
        return Ok(());
    }
    // A geometric transform lies between the instance and the mesh, where the baked scene has no place for one.
    crate::instances::expand_where(scene, context, |node| node.geometric.is_some())?;
    let keys = scene.clips.iter().flat_map(|c| &c.channels).map(|c| c.curve.len()).sum();
    let room = Room::new(keys, context);
    let plan = Plan::new(scene, &room);
    let helpers = structure::count(scene, &plan);
    context.take_elements(helpers as u64, Place::whole)?;
    let homes = structure::homes(scene, &plan);
    let clips = clips::bake(scene, &plan, &homes, options, &room)?;
    structure::apply(scene, &plan, &homes);
    scene.clips = clips;
    Ok(())
}

/// Whether a scene has anything that [`bake_motion`] changes.
pub fn needs_baking(scene: &Scene) -> bool {
    let node = |n: &anyrig_scene::Node| n.pivots.is_some() || n.inherit != InheritMode::Full || n.geometric.is_some();
    scene.nodes.values().any(node) || scene.clips.iter().any(clip_needs_baking)
}

fn clip_needs_baking(clip: &Clip) -> bool {
    clip.start_secs != 0.0
        || clip.layers.len() > 1
        || clip.layers.iter().any(|l| l.muted)
        || clip.channels.iter().any(|c| is_compound(&c.target) || !is_plain(&c.curve) || fades(c))
}

/// Visibility that does not jump from key to key.
fn fades(channel: &Channel) -> bool {
    matches!(channel.target, Target::Visibility { .. }) && channel.curve.interpolation != Interpolation::Step
}

fn is_compound(target: &Target) -> bool {
    matches!(target, Target::Component { .. } | Target::Morph { .. })
}

fn is_plain(curve: &Curve) -> bool {
    curve.interpolation != Interpolation::PerKey && curve.holds_outside()
}

#[cfg(test)]
mod tests;
