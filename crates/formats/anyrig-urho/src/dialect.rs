//! The engines, and what each of them has its own way in.

use crate::document::{AnimationLayout, ModelLayout, RBFX_VERSION, UMD3_VERSION};
use crate::options::HandednessOption;
use crate::{RBFX, URHO3D, URHOX};
use anyrig_scene::FormatInfo;

/// Whose files are read or written. The bytes of a `UMD2` model do not tell, and the engines differ in what the numbers
/// mean, so a user names the dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// UrhoX; numbers are taken as they are, unless the option `handedness` says how the file was made.
    #[default]
    UrhoX,
    /// Urho3D, U3D, dviglo: left-handed.
    Urho3d,
    /// rbfx: left-handed.
    Rbfx,
}

/// Which materials and textures an engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaterialStyle {
    /// The stock physically based techniques of Urho3D, blended where alpha is tested: what the published recipe for
    /// UrhoX writes.
    Stock,
    /// The same, with alpha tested by a define of the stock shaders.
    StockWithMask,
    /// `Lit…` and `Unlit…` of rbfx.
    Rbfx,
}

impl Dialect {
    /// The descriptor.
    pub(crate) fn info(self) -> &'static FormatInfo {
        match self {
            Self::UrhoX => &URHOX,
            Self::Urho3d => &URHO3D,
            Self::Rbfx => &RBFX,
        }
    }

    /// What follows the stem in the name of a bundle's folder.
    pub(crate) fn folder_suffix(self) -> &'static str {
        match self {
            Self::UrhoX => "_UrhoX",
            Self::Urho3d => "_Urho3D",
            Self::Rbfx => "_rbfx",
        }
    }

    /// What is done about the handedness when nobody says it.
    pub(crate) fn handedness(self) -> HandednessOption {
        match self {
            Self::UrhoX => HandednessOption::None,
            Self::Urho3d | Self::Rbfx => HandednessOption::ReflectX,
        }
    }

    /// The layout of written models, and its version.
    pub(crate) fn model_layout(self) -> (ModelLayout, u32) {
        match self {
            Self::UrhoX | Self::Urho3d => (ModelLayout::Umd2, 0),
            Self::Rbfx => (ModelLayout::Umd3, UMD3_VERSION),
        }
    }

    /// The layout of written animations, and its version.
    pub(crate) fn animation_layout(self) -> (AnimationLayout, u32) {
        match self {
            Self::UrhoX => (AnimationLayout::UrhoX, 2),
            Self::Urho3d => (AnimationLayout::Classic, 0),
            Self::Rbfx => (AnimationLayout::Rbfx, RBFX_VERSION),
        }
    }

    pub(crate) fn materials(self) -> MaterialStyle {
        match self {
            Self::UrhoX => MaterialStyle::Stock,
            Self::Urho3d => MaterialStyle::StockWithMask,
            Self::Rbfx => MaterialStyle::Rbfx,
        }
    }
}
