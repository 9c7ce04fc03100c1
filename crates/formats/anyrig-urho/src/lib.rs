//! Urho3D and UrhoX: models (`.mdl`), animations (`.ani`) and materials (`.xml`).
//!
//! Urho3D and its descendants share their containers: `UMDL` declares a vertex by a mask of elements, `UMD2` by a list
//! of them. UrhoX, a closed descendant, uses `UMD2` unchanged and an animation layout of its own under the old magic
//! `UANI`. The bytes of a model do not tell whose it is, and the two differ in what the numbers mean, so a user names
//! the dialect: [`Dialect::Urho3d`] is left-handed as the engine documents it; [`Dialect::UrhoX`] takes the numbers as
//! they are, as that engine's published conversion recipe does.
//!
//! - [`document`]: exactly what a file holds; reading, writing and tracing come from one description per record.
//! - [`UrhoImporter`]: any of the files to a scene.
//! - [`UrhoxExporter`]: a scene to `NAME.mdl`, `Animations/*.ani`, `Textures/*.png` and `Materials/*.xml`. A list of
//!   materials, `NAME.txt` (one path per geometry), is added when there is more than one geometry.
//!
//! Colours go through in the stock gamma workflow: the engine samples textures without decoding sRGB (unless the
//! texture's parameter file asks for it) and multiplies colour parameters as they are, so images keep their bytes and
//! colour factors their numbers.
//!
//! Of these layouts, morph data and the UrhoX animation were never seen in a real file; both follow descriptions only.

pub mod codes;
pub mod document;
mod export;
mod formats;
mod import;
mod options;

pub use codes::CODES;
pub use formats::{Dialect, URHO3D, URHOX, UrhoImporter, UrhoxExporter};
pub use options::{HandednessOption, UrhoxOptions};
