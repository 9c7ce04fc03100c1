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
    AXES: "fbx.axes", Repaired, "The axes that the file states are no axes of a space; Y up was taken.";
    DUPLICATE_ID: "fbx.duplicate-id", Repaired, "Two objects have the same id; connections go to the first one.";
    DANGLING_CONNECTION: "fbx.dangling-connection", Repaired, "A connection to something that does not exist was left out.";
    SECOND_PARENT: "fbx.second-parent", Lost, "A model hangs below several others; it stays with the first one.";
    CURVE_SHAPE: "fbx.curve-shape", Repaired, "The arrays of a curve do not fit together; what fits was kept.";
    MOTION_LOST: "fbx.motion-lost", Lost, "Motion of something that does not exist was left out.";
    INBETWEEN_CURVE: "fbx.inbetween-curve", Approximated, "Weights of in-between shapes became straight lines between dense keys.";
    FOOTER: "fbx.unknown-footer", Note, "What follows the nodes is not a footer of a known form; it is kept as it is.";
}
