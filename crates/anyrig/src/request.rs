//! What a caller wants.

use crate::OptimizeOptions;
use anyrig_passes::BakeRigOptions;
use serde::{Deserialize, Serialize};

/// Which way a conversion takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The document road when format, encoding and dialect are equal and no option changes the scene, else the scene.
    #[default]
    Auto,
    /// Writes the document back untouched; an error when the target is another format, encoding or dialect.
    Document,
    /// Through the scene, also within one format.
    Scene,
}

/// How closely written files are read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// Not at all.
    None,
    /// Every count, offset and reference of every file.
    #[default]
    Structure,
    /// The caller does what `Structure` does, with [`crate::verify_file`], on files that it has put somewhere. A document
    /// that is written back is looked at all the same: what is wrong with it is wrong with the input.
    ByCaller,
    /// In addition reads the files back as a scene and compares every corner of what it shows with what was exported, at
    /// rest and in every clip: [`crate::Registry::verify_read_back`].
    Full,
}

/// What to do about the axes and the unit of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axes {
    /// Geometry, skeletons and motion are turned and scaled to what the target demands.
    #[default]
    Convert,
    /// Numbers stay as they are: whatever the source says, they count as those of a right-handed space with Y up and Z to
    /// the front, in metres.
    Keep,
}

/// What to do about losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Losses {
    /// Name them in the report.
    #[default]
    Report,
    /// Fail with [`crate::ErrorKind::Losses`]: when reading loses something before anything is exported, when
    /// exporting does before anything is returned.
    Refuse,
}

/// A conversion that is wanted. Options of formats travel in the [`crate::Context`]; [`crate::options::route`] sorts
/// `key=value` pairs to their owners.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConvertRequest {
    /// The target's id, for example `urhox`.
    pub to: String,
    /// The source format's id; found by content when `None`.
    pub from: Option<String>,
    /// Name of the main output without extension, made safe; that of the source when `None`.
    pub stem: Option<String>,
    /// Which way.
    pub via: Via,
    /// How closely the output is read again.
    pub verify: Verify,
    /// What to do about losses.
    pub losses: Losses,
    /// What to do about axes and unit.
    pub axes: Axes,
    /// What constraints, IK chains and springs do becomes keys of the clips, without those that are not needed;
    /// [`anyrig_passes::bake_rig`], [`anyrig_passes::bake_motion()`] and [`anyrig_passes::reduce_keys()`]. The way is then
    /// through the scene.
    pub bake: Option<BakeRigOptions>,
    /// Passes that make the result smaller; see [`crate::optimize`]. The way is then through the scene, or that of the
    /// document where this makes nothing smaller.
    pub optimize: Option<OptimizeOptions>,
}

impl ConvertRequest {
    /// A conversion to a target with the defaults of all else.
    pub fn new(to: impl Into<String>) -> Self {
        Self { to: to.into(), ..Self::default() }
    }
}
