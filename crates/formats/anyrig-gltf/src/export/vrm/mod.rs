//! The extensions of VRM 1.0 that the scene has words for.

mod constraints;
mod springs;

/// The version of the extensions that is written.
const VERSION: &str = "1.0";
