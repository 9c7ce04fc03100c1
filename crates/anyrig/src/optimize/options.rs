//! What to optimise, and how far.

use anyrig_bytes::{Context, Error, Result};
use anyrig_passes::{
    Borders, Equal, MergeOptions, Names, Parts, PruneOptions, ReduceKeysOptions, RootSets, SimplifyOptions, Unneeded,
    WeldOptions,
};
use anyrig_scene::OptionSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Under this name [`Context::options`] finds [`OptimizeOptions`].
pub const OPTIONS: &str = "optimize";

/// A pass of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassName {
    /// [`anyrig_passes::prune()`].
    Prune,
    /// [`anyrig_passes::merge()`].
    Merge,
    /// [`anyrig_passes::limit_all_influences`]; only when a limit is set.
    LimitInfluences,
    /// [`anyrig_passes::weld`].
    Weld,
    /// [`anyrig_passes::simplify()`]; only when a ratio below 1 is set.
    Simplify,
    /// [`anyrig_passes::reorder`].
    Reorder,
    /// [`anyrig_passes::reduce_keys`].
    ReduceKeys,
    /// [`anyrig_passes::share_equal_buffers`].
    Share,
}

impl PassName {
    /// All, in the order in which they run.
    pub const ALL: [Self; 8] = [
        Self::Prune,
        Self::Merge,
        Self::LimitInfluences,
        Self::Weld,
        Self::Simplify,
        Self::Reorder,
        Self::ReduceKeys,
        Self::Share,
    ];

    /// The pass of a name, as [`fmt::Display`] writes it.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] with the nearest name.
    pub fn named(name: &str) -> Result<Self> {
        let wanted = name.replace('_', "-").to_lowercase();
        Self::ALL.into_iter().find(|p| p.to_string() == wanted).ok_or_else(|| {
            let all: Vec<String> = Self::ALL.iter().map(ToString::to_string).collect();
            let hint = crate::suggest::hint(name, all.iter().map(String::as_str));
            Error::usage(format!("no pass is called `{name}`{hint}; there are: {}", all.join(", ")))
        })
    }
}

/// Kebab words, as in `reduce-keys`.
impl fmt::Display for PassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prune => "prune",
            Self::Merge => "merge",
            Self::LimitInfluences => "limit-influences",
            Self::Weld => "weld",
            Self::Simplify => "simplify",
            Self::Reorder => "reorder",
            Self::ReduceKeys => "reduce-keys",
            Self::Share => "share",
        })
    }
}

/// What to do when the way through the scene would lose something that the input has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnLoss {
    /// The input is written as it was.
    #[default]
    KeepInput,
    /// It is lost, and the report says so.
    Accept,
}

/// Options of optimising: those of all passes in one list, so that each is a `key=value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// The passes to run; empty for all.
    pub only: Vec<PassName>,
    /// Passes to leave out.
    pub skip: Vec<PassName>,
    /// What to do when something would be lost.
    pub on_loss: OnLoss,
    /// prune: meshes, skins, materials, textures, images, cameras and lights that no node reaches.
    pub unused_resources: Unneeded,
    /// prune: nodes without children that carry nothing; they may be places to attach things to.
    pub empty_nodes: Unneeded,
    /// prune: clips in which nothing leaves its rest pose.
    pub still_clips: Unneeded,
    /// prune: channels that hold the value of the rest pose all the time.
    pub rest_channels: Unneeded,
    /// prune: texture coordinates, tangents and second colours that no material reads.
    pub unread_attributes: Unneeded,
    /// merge: equal images, textures, materials, meshes and skins.
    pub equal: Equal,
    /// merge: whether equal ones must have the same name.
    pub equal_names: Names,
    /// merge: parts of a mesh that wear the same material.
    pub parts: Parts,
    /// merge: root sets (glTF: scenes).
    pub root_sets: RootSets,
    /// limit-influences: most joints per point; 0 for any number.
    pub max_influences: u32,
    /// weld: largest distance of equal positions, in the scene's unit.
    pub weld_position: f64,
    /// weld: largest angle of equal normals and tangents, in radians. By default what single precision makes of one
    /// direction that is computed twice.
    pub weld_direction_rad: f64,
    /// weld: largest difference of equal texture coordinates.
    pub weld_tex_coord: f64,
    /// weld: largest difference of equal colours.
    pub weld_color: f64,
    /// weld: largest sum of differences of equal joint weights.
    pub weld_weight: f64,
    /// simplify: share of the triangles that shall stay; 1 for all.
    pub simplify_ratio: f64,
    /// simplify: largest error as a share of the mesh's size.
    pub simplify_error: f64,
    /// simplify: what becomes of open borders.
    pub simplify_borders: Borders,
    /// reduce-keys: largest error of translations, in metres.
    pub keys_translation_m: f64,
    /// reduce-keys: largest error of rotations, in radians.
    pub keys_rotation_rad: f64,
    /// reduce-keys: largest error of scale factors.
    pub keys_scale: f64,
    /// reduce-keys: largest error of morph weights.
    pub keys_weight: f64,
    /// reduce-keys: largest error of all else, as a share of what the curve covers.
    pub keys_other_share: f64,
}

/// Some eighty units of single precision, and a hundredth of what can be seen.
const SAME_DIRECTION_RAD: f64 = 1e-5;

impl Default for OptimizeOptions {
    fn default() -> Self {
        let (prune, merge, keys) = (PruneOptions::default(), MergeOptions::default(), ReduceKeysOptions::default());
        let (weld, simplify) = (WeldOptions::default(), SimplifyOptions::default());
        Self {
            only: Vec::new(),
            skip: Vec::new(),
            on_loss: OnLoss::default(),
            unused_resources: prune.resources,
            empty_nodes: prune.empty_nodes,
            still_clips: prune.still_clips,
            rest_channels: prune.rest_channels,
            unread_attributes: prune.unread_streams,
            equal: merge.equal,
            equal_names: merge.names,
            parts: merge.parts,
            root_sets: merge.root_sets,
            max_influences: 0,
            weld_position: weld.position,
            weld_direction_rad: SAME_DIRECTION_RAD,
            weld_tex_coord: weld.tex_coord,
            weld_color: weld.color,
            weld_weight: weld.weight,
            simplify_ratio: 1.0,
            simplify_error: simplify.max_error,
            simplify_borders: simplify.borders,
            keys_translation_m: keys.translation_m,
            keys_rotation_rad: keys.rotation_rad,
            keys_scale: keys.scale,
            keys_weight: keys.weight,
            keys_other_share: keys.other_share,
        }
    }
}

impl OptimizeOptions {
    /// The options of a job.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] naming the unknown key or the wrong value.
    pub fn of(context: &Context) -> Result<Self> {
        context.options(OPTIONS)
    }

    /// Whether a pass belongs to the chain.
    pub fn runs(&self, pass: PassName) -> bool {
        let has_work = match pass {
            PassName::LimitInfluences => self.max_influences > 0,
            // What is no number must reach the pass, which refuses it.
            PassName::Simplify => self.simplify_ratio != 1.0,
            _ => true,
        };
        let chosen = self.only.is_empty() || self.only.contains(&pass);
        has_work && chosen && !self.skip.contains(&pass)
    }

    /// Refuses what contradicts itself: a pass that is chosen and left out, and one that is left out and has its option set.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`].
    pub fn check(&self) -> Result<()> {
        if let Some(pass) = self.only.iter().find(|pass| self.skip.contains(pass)) {
            return Err(Error::usage(format!("the pass `{pass}` is chosen and left out; leave one of both away")));
        }
        let wanted = [
            (PassName::Simplify, "simplify-ratio", self.simplify_ratio != 1.0),
            (PassName::LimitInfluences, "max-influences", self.max_influences > 0),
        ];
        match wanted.into_iter().find(|(pass, _, is_set)| *is_set && !self.runs(*pass)) {
            None => Ok(()),
            Some((pass, option, _)) => Err(Error::usage(format!(
                "{option} is for the pass `{pass}`, which is left out; leave one of both away"
            ))),
        }
    }

    pub(super) fn prune(&self) -> PruneOptions {
        let mut options = PruneOptions::default();
        options.resources = self.unused_resources;
        options.empty_nodes = self.empty_nodes;
        options.still_clips = self.still_clips;
        options.rest_channels = self.rest_channels;
        options.unread_streams = self.unread_attributes;
        options
    }

    pub(super) fn merge(&self) -> MergeOptions {
        let mut options = MergeOptions::default();
        options.equal = self.equal;
        options.names = self.equal_names;
        options.parts = self.parts;
        options.root_sets = self.root_sets;
        options
    }

    pub(super) fn weld(&self) -> WeldOptions {
        let mut options = WeldOptions::default();
        options.position = self.weld_position;
        options.direction_rad = self.weld_direction_rad;
        options.tex_coord = self.weld_tex_coord;
        options.color = self.weld_color;
        options.weight = self.weld_weight;
        options
    }

    pub(super) fn simplify(&self) -> SimplifyOptions {
        let mut options = SimplifyOptions::default();
        options.ratio = self.simplify_ratio;
        options.max_error = self.simplify_error;
        options.borders = self.simplify_borders;
        options
    }

    pub(super) fn keys(&self) -> ReduceKeysOptions {
        let mut options = ReduceKeysOptions::default();
        options.translation_m = self.keys_translation_m;
        options.rotation_rad = self.keys_rotation_rad;
        options.scale = self.keys_scale;
        options.weight = self.keys_weight;
        options.other_share = self.keys_other_share;
        options
    }
}

/// The schema of [`OptimizeOptions`], for programs that offer them.
pub fn option_schema() -> OptionSchema {
    OptionSchema::new(OPTIONS, || schemars::schema_for!(OptimizeOptions).to_value().to_string())
}
