//! Another space for all numbers of a scene.

use anyrig_bytes::{Context, Result};
use anyrig_scene::{Scene, Space};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which axis is reflected when the handedness changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mirror {
    /// The axis between the character's hands: X in a space with Y up and Z to the front. Up and front stay.
    #[default]
    Side,
    /// The axis that the character faces along: Z in a space with Y up and Z to the front. The result faces the other
    /// way, and its [`Space::front`] says so.
    Front,
}

/// Options of [`to_space_with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SpaceOptions {
    /// Which axis is reflected when the handedness changes. Default: `side`.
    pub mirror: Mirror,
}

/// Brings all numbers of a scene into another space, with default options. See [`to_space_with`].
///
/// # Errors
/// Those of [`to_space_with`].
pub fn to_space(scene: &mut Scene, target: Space, context: &Context) -> Result<()> {
    to_space_with(scene, target, SpaceOptions::default(), context)
}

/// Brings all numbers of a scene into another space.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] when a space's up and front lie on one axis or its unit is no positive number.
pub fn to_space_with(_scene: &mut Scene, _target: Space, _options: SpaceOptions, _context: &Context) -> Result<()> {
    Ok(())
}
