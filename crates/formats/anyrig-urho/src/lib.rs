//! Urho3D, UrhoX and rbfx: models (`.mdl`), animations (`.ani`), materials (`.xml`) and the small files beside them.
//!
//! Urho3D and its descendants share their containers: `UMDL` declares a vertex by a mask of elements, `UMD2` by a list
//! of them; `UMD3` and `UAN2` are what rbfx made of them. UrhoX, a closed descendant, uses `UMD2` unchanged and an
//! animation layout of its own under the old magic `UANI`. The bytes of a `UMD2` model do not tell whose it is, and the
//! engines differ in what the numbers mean, so a user names the [`Dialect`]: Urho3D and rbfx are left-handed as they
//! document it; for UrhoX the numbers are taken as they are, as that engine's published conversion recipe does.
//!
//! - [`document`]: exactly what a file holds; reading, writing and tracing come from one description per record.
//! - [`UrhoImporter`]: any of the files to a scene.
//! - [`UrhoExporter`]: a scene to `NAME.mdl`, `Animations/*.ani`, `Textures/*.png` and `Materials/*.xml`. A list of
//!   materials, `NAME.txt` (one path per geometry), is added when there is more than one geometry.
//!
//! For UrhoX and Urho3D colours go through in the stock gamma workflow: the engine samples textures without decoding
//! sRGB (unless the texture's parameter file asks for it) and multiplies colour parameters as they are, so images keep
//! their bytes and colour factors their numbers. rbfx wants its colour parameters in gamma space and gets them so.
//!
//! Of these layouts, morph data, `UMD3`, `UAN2` of versions other than 2, and the UrhoX animation were never seen in a
//! real file; they follow descriptions only.

pub mod codes;
mod dialect;
pub mod document;
mod export;
mod formats;
mod import;
mod lods;
mod options;

pub use codes::CODES;
pub use dialect::Dialect;
pub use formats::{RBFX, URHO3D, URHOX, UrhoExporter, UrhoImporter};
pub use options::{HandednessOption, UrhoOptions};
