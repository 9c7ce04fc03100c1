//! Which lines of the report tell of which findings of the Khronos validator.

use anyrig_bytes::Report;

/// The lines that tell of what import repairs or leaves out.
const TOLD: &[(&str, &[&str])] = &[
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", &["scene.key-order"]),
    ("ACCESSOR_INDEX_OOB", &["scene.faces-removed"]),
    ("ACCESSOR_INVALID_FLOAT", &["scene.not-finite"]),
    ("ACCESSOR_INVALID_IBM", &["gltf.matrix-last-row"]),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", &["scene.weights"]),
    ("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", &["scene.channel-removed"]),
    ("ANIMATION_DUPLICATE_TARGETS", &["scene.channel-removed"]),
    ("CAMERA_XMAG_YMAG_ZERO", &["gltf.value-clamped"]),
    ("CAMERA_ZFAR_LEQUAL_ZNEAR", &["gltf.value-clamped"]),
    ("GLB_LENGTH_MISMATCH", &["gltf.glb-length"]),
    ("INVALID_URI", &["gltf.image-missing"]),
    ("IO_ERROR", &["gltf.image-missing"]),
    ("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", &["gltf.value-clamped"]),
    ("MESH_INVALID_WEIGHTS_COUNT", &["gltf.weight-count"]),
    ("MESH_PRIMITIVE_INCOMPATIBLE_MODE", &["scene.faces-removed"]),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", &["gltf.unpaired-influences"]),
    ("NODE_LOOP", &["scene.hierarchy"]),
    ("NODE_MATRIX_TRS", &["gltf.matrix-and-trs"]),
    ("NODE_PARENT_OVERRIDE", &["scene.hierarchy"]),
    ("NODE_WEIGHTS_INVALID", &["gltf.weight-count"]),
    // In a ring each node is below another, and cutting it is what is told.
    ("SCENE_NON_ROOT_NODE", &["gltf.root-with-parent", "scene.hierarchy"]),
    ("UNSATISFIED_DEPENDENCY", &["gltf.node-without-mesh", "gltf.image-type-sniffed"]),
    ("VALUE_NOT_IN_RANGE", &["gltf.value-clamped"]),
];

/// True when a line tells of a finding that import repairs or that costs it a part.
pub fn tells(report: &Report, code: &str) -> bool {
    let ids = TOLD.iter().find(|(told, _)| *told == code).map(|(_, ids)| *ids).unwrap_or_default();
    report.diagnostics().iter().any(|d| ids.contains(&d.code.id))
}
