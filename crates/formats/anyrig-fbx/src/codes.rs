//! The table of this crate's diagnostics.

use anyrig_bytes::{Code, Severity};

macro_rules! codes {
    ($($name:ident: $id:literal, $severity:ident, $meaning:literal;)*) => {
        $(pub(crate) static $name: Code = Code::new($id, Severity::$severity, $meaning);)*
        /// All diagnostics of this crate.
        pub const CODES: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    LEGACY_TEXT: "fbx.legacy-text", Repaired, "Texts are not UTF-8; they were decoded with an encoding guessed from all of them.";
    MISSING_VERSION: "fbx.missing-version", Note, "An ASCII file states no version; 7400 was assumed.";
    NO_END: "fbx.no-end", Repaired, "The list of root nodes has no end mark; the file may be cut.";
    FOOTER: "fbx.unknown-footer", Note, "What follows the nodes is not a footer of a known form; it is kept as it is.";
}
