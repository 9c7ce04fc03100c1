//! Keys of a node's whole transform on common times, for formats that store them together.

use crate::ResampleOptions;
use anyrig_bytes::{Context, Result};
use anyrig_scene::{Clip, NodeId, Scene};
use std::collections::BTreeMap;

/// A node's local transform at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoneKey {
    /// Seconds from the clip's start.
    pub time_secs: f64,
    /// In the scene's unit.
    pub translation: [f32; 3],
    /// A unit quaternion (x, y, z, w).
    pub rotation: [f32; 4],
    /// Factor per axis.
    pub scale: [f32; 3],
}

/// How the keys of a node came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// The source's keys, with linear interpolation between them.
    Linear,
    /// The source's keys; each holds until the next.
    Step,
    /// Linear keys within the error bound of the source's curves.
    Resampled,
}

/// The keys of one node in one clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoneKeys {
    /// How the keys came about.
    pub sampling: Sampling,
    /// Which of translation, rotation and scale the clip moves; the others have the rest pose in every key.
    pub animated: [bool; 3],
    /// Keys by ascending time; at least one.
    pub keys: Vec<BoneKey>,
}

/// The keys of every node that a clip moves, by node.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`] when the keys pass the limit of elements.
pub fn clip_keys(
    _scene: &Scene,
    _clip: &Clip,
    _options: &ResampleOptions,
    _context: &Context,
) -> Result<BTreeMap<NodeId, BoneKeys>> {
    Ok(BTreeMap::new())
}

/// The keys of one node; `None` when the clip does not move it.
///
/// # Errors
/// Those of [`clip_keys`].
pub fn bone_keys(
    _scene: &Scene,
    _clip: &Clip,
    _node: NodeId,
    _options: &ResampleOptions,
    _context: &Context,
) -> Result<Option<BoneKeys>> {
    Ok(None)
}
