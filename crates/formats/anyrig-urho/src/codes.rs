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
    ASSUMED_DIALECT: "urho.assumed-dialect", Note, "A model does not say whether it is Urho3D's or UrhoX's; one was assumed.";
}
