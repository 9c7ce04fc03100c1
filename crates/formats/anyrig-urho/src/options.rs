//! Options of reading and writing.

use anyrig_scene::{Axis, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done about the handedness of the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandednessOption {
    /// Numbers are taken as they are. In a left-handed engine a model then shows its mirror image.
    #[default]
    None,
    /// X is negated: a model keeps facing +Z.
    ReflectX,
    /// Z is negated: a model turns to face -Z.
    ReflectZ,
}

impl HandednessOption {
    /// The space of the written numbers. Front goes to front, so that with a front of -Z only Z is negated.
    pub(crate) fn space(self) -> Space {
        match self {
            Self::None => Space::GLTF,
            Self::ReflectX => Space::URHO,
            Self::ReflectZ => Space::URHO.with_axes(Space::URHO.up, Axis::NegZ),
        }
    }
}

/// Options of the target `urhox`. On reading, `handedness` says how the file was made; the others do nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct UrhoxOptions {
    /// What is done about the handedness; the default `none` gives the numbers of the engine's published recipe.
    pub handedness: HandednessOption,
    /// Turns texture coordinates upside down: v becomes 1 - v.
    pub flip_v: bool,
    /// Factor on all lengths, above 0; for example 0.01 for a source in centimetres that does not say so.
    pub scale: f64,
    /// Largest number of bones of one geometry; one that needs more is split. 12 to 256; the engine's usual limit is 64.
    pub max_bones: u32,
    /// How far a sampled curve may lie from the original: numbers as a share of the curve's largest one, rotations in
    /// radians; above 0.
    pub error: f64,
}

impl Default for UrhoxOptions {
    fn default() -> Self {
        Self { handedness: HandednessOption::None, flip_v: false, scale: 1.0, max_bones: 64, error: 1e-4 }
    }
}

impl UrhoxOptions {
    /// JSON schema of the options.
    pub fn json_schema() -> String {
        serde_json::to_string_pretty(&schemars::schema_for!(Self)).unwrap_or_default()
    }
}
