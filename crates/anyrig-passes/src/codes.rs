//! Diagnostics of this crate.

use anyrig_bytes::{Code, Severity};

/// A camera or light that looks along -Z got a helper node of its own, because the change of axes turned -Z.
pub static VIEW_HELPER: Code = Code::new(
    "passes.view-helper-node",
    Severity::Note,
    "A camera or light moved to a helper node that turns it back to -Z after a change of axes.",
);

/// Curves on targets that the model has no word for were not converted to the new space.
pub static OTHER_CURVES_KEPT: Code = Code::new(
    "passes.other-curves-kept",
    Severity::Approximated,
    "Curves on unknown targets keep their numbers although the space changed.",
);

/// A polygon could not be cut into triangles properly and became a fan.
pub static POLYGON_FANNED: Code =
    Code::new("passes.polygon-fanned", Severity::Approximated, "A self-intersecting or flat polygon was cut as a fan.");

/// Normals were made.
pub static NORMALS_GENERATED: Code =
    Code::new("passes.normals-generated", Severity::Note, "Smooth normals were made from the triangles.");

/// Some points had no triangle with an area and got the up axis as their normal.
pub static NORMALS_FALLBACK: Code = Code::new(
    "passes.normals-fallback",
    Severity::Approximated,
    "Points without a triangle of any area got the up axis as their normal.",
);

/// Tangents were made.
pub static TANGENTS_GENERATED: Code =
    Code::new("passes.tangents-generated", Severity::Note, "MikkTSpace tangents were made.");

/// Corners that share a point have different tangents; the point got their mean.
pub static TANGENTS_AVERAGED: Code = Code::new(
    "passes.tangents-averaged",
    Severity::Approximated,
    "Corners of one point had different tangents; the point got their mean instead of being split.",
);

/// Tangents were made without texture coordinates.
pub static TANGENTS_WITHOUT_UV: Code = Code::new(
    "passes.tangents-without-uv",
    Severity::Note,
    "Without texture coordinates, tangents are any direction at right angles to the normal.",
);

/// A rigid mesh's transform went into its vertices.
pub static INSTANCE_DUPLICATED: Code = Code::new(
    "passes.instance-duplicated",
    Severity::Note,
    "A mesh that several nodes show was copied, because each copy got its node's transform.",
);

/// A sheared matrix became its nearest translation, rotation and scale.
pub static SHEAR_DROPPED: Code = Code::new(
    "passes.shear-dropped",
    Severity::Approximated,
    "A sheared matrix became the nearest translation, rotation and scale.",
);

/// A sheared matrix was spread over two nodes.
pub static SHEAR_HELPER: Code = Code::new(
    "passes.shear-helper-node",
    Severity::Note,
    "A sheared matrix was spread over a node and a helper node above it.",
);

/// A curve reached the limit of keys before the error bound.
pub static KEYS_LIMITED: Code = Code::new(
    "passes.keys-limited",
    Severity::Approximated,
    "A resampled curve reached the limit of keys before the error bound.",
);

/// All codes of this crate.
pub static CODES: &[&Code] = &[
    &VIEW_HELPER,
    &OTHER_CURVES_KEPT,
    &POLYGON_FANNED,
    &NORMALS_GENERATED,
    &NORMALS_FALLBACK,
    &TANGENTS_GENERATED,
    &TANGENTS_AVERAGED,
    &TANGENTS_WITHOUT_UV,
    &INSTANCE_DUPLICATED,
    &SHEAR_DROPPED,
    &SHEAR_HELPER,
    &KEYS_LIMITED,
];
