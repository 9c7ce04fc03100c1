//! Diagnostics of this crate.

use anyrig_bytes::{Code, Severity};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal: $severity:ident;)*) => {
        $($(#[doc = $doc])* pub static $name: Code = Code::new($id, Severity::$severity, concat!($($doc),*));)*
        /// All diagnostics of this crate.
        pub static CODES: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    /// A reference to an element that does not exist was removed.
    DANGLING_REFERENCE = "scene.dangling-reference": Repaired;
    /// A node had two parents or was its own ancestor; one link was cut.
    HIERARCHY = "scene.hierarchy": Repaired;
    /// Numbers that are not finite were replaced.
    NOT_FINITE = "scene.not-finite": Repaired;
    /// A rotation was not a unit quaternion and was normalised.
    ROTATION_LENGTH = "scene.rotation-length": Repaired;
    /// An attribute stream had the wrong number or kind of elements and was removed.
    STREAM_SHAPE = "scene.stream-shape": Repaired;
    /// Faces that used points which do not exist, or were incomplete, were removed.
    FACES_REMOVED = "scene.faces-removed": Repaired;
    /// Joint weights were negative, did not sum to one, or named joints that do not exist; they were put right.
    WEIGHTS = "scene.weights": Repaired;
    /// Joint influences of the wrong shape were removed.
    INFLUENCE_SHAPE = "scene.influence-shape": Repaired;
    /// A skin had joints that do not exist and was removed.
    SKIN_REMOVED = "scene.skin-removed": Repaired;
    /// Inverse bind matrices were missing or too many; identity was put in, or the surplus removed.
    INVERSE_BINDS = "scene.inverse-binds": Repaired;
    /// Morph deltas of the wrong shape were removed.
    MORPH_SHAPE = "scene.morph-shape": Repaired;
    /// A channel whose target or keys make no sense was removed.
    CHANNEL_REMOVED = "scene.channel-removed": Repaired;
    /// Pivots had numbers that are not finite, or gave another transform than the node has; they were put right.
    PIVOTS = "scene.pivots": Repaired;
    /// A clip's layers, or the layer that a channel names, made no sense; they were put right.
    LAYERS = "scene.layers": Repaired;
    /// What lies between a curve's keys made no sense; straight lines were put in.
    SEGMENTS = "scene.segments": Repaired;
    /// Keys whose time was not after the key before were removed.
    KEY_ORDER = "scene.key-order": Repaired;
}
