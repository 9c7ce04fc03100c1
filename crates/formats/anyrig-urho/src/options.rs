//! Options of reading and writing.

use crate::Dialect;
use anyrig_bytes::{Context, Error, Result};
use anyrig_scene::{Axis, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done about the handedness of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandednessOption {
    /// Numbers are taken as they are. In a left-handed engine a model then shows its mirror image.
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

    /// As in options.
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReflectX => "reflect-x",
            Self::ReflectZ => "reflect-z",
        }
    }
}

/// Options of the targets `urhox`, `urho3d` and `rbfx`. On reading, `handedness` says how the file was made; the others
/// do nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct UrhoOptions {
    /// What is done about the handedness; `none` gives the numbers of the published recipe for UrhoX.
    pub handedness: Option<HandednessOption>,
    /// Turns texture coordinates upside down: v becomes 1 - v.
    pub flip_v: bool,
    /// Factor on all lengths, 1e-12 to 1e12; for example 0.01 for a source in centimetres that does not say so.
    pub scale: f64,
    /// Largest number of bones of one geometry; one that needs more is split. 12 to 256; the engines' usual limit is 64.
    pub max_bones: u32,
    /// How far a sampled curve may lie from the original: numbers as a share of the curve's largest one, rotations in
    /// radians; above 0.
    pub error: f64,
}

impl Default for UrhoOptions {
    fn default() -> Self {
        Self { handedness: None, flip_v: false, scale: 1.0, max_bones: 64, error: 1e-4 }
    }
}

impl UrhoOptions {
    /// The options of a dialect, checked.
    ///
    /// # Errors
    /// [`anyrig_bytes::ErrorKind::Usage`] for a key that is unknown or a value out of range.
    pub(crate) fn of(dialect: Dialect, context: &Context) -> Result<Self> {
        let options: Self = context.options(dialect.info().id)?;
        let positive = |value: f64| value.is_finite() && value > 0.0;
        // Beyond, what is usual in size becomes 0 or infinite in 32-bit floats.
        if !(1e-12..=1e12).contains(&options.scale) {
            return Err(Error::usage(format!("scale is {:?}, it must be 1e-12 to 1e12", options.scale)));
        }
        if !positive(options.error) {
            return Err(Error::usage(format!("error is {}, it must be a number above 0", options.error)));
        }
        // A triangle alone may need twelve bones, and a blend index is a byte.
        if !(12..=256).contains(&options.max_bones) {
            return Err(Error::usage(format!("max-bones is {}, it must be 12 to 256", options.max_bones)));
        }
        Ok(options)
    }

    /// What is done about the handedness: the dialect's own way when the options do not say.
    pub(crate) fn handedness(&self, dialect: Dialect) -> HandednessOption {
        self.handedness.unwrap_or(dialect.handedness())
    }

    /// JSON schema of a dialect's options.
    pub(crate) fn json_schema(dialect: Dialect) -> String {
        let mut schema = schemars::schema_for!(Self).to_value();
        if let Some(handedness) = schema.pointer_mut("/properties/handedness") {
            handedness["default"] = dialect.handedness().name().into();
        }
        serde_json::to_string_pretty(&schema).unwrap_or_default()
    }
}
