//! What import makes of each finding of the Khronos glTF validator (2.0.0-dev.3.10).
//!
//! The validator's codes are the common language for faults of glTF files. A row says for one code, or for one code at
//! certain places, whether a file with that finding is refused, repaired (with a line in the report), read without one of
//! its parts (with a line as well), or read as it is. Of what is read as it is and breaks a rule, validation tells
//! (`gltf.rule-…`). The tests hold every file of the validator's own suite against this
//! table.

/// What becomes of a file with a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is not read.
    Refuse,
    /// It is read; the report has a line of severity repaired.
    Repair,
    /// It is read without the faulty part; the report has a line of severity lost.
    Lose,
    /// It is read; the finding does no harm.
    Tolerate,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The validator's code.
    pub code: &'static str,
    /// The row only counts where the finding's JSON pointer contains this; empty for everywhere.
    pub within: &'static str,
    /// What becomes of the file.
    pub outcome: Outcome,
    /// Why.
    pub reason: &'static str,
}

/// The row for a finding: the first that fits. `None` for a code that the table does not know.
pub fn row(code: &str, pointer: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.code == code && pointer.contains(row.within))
}

macro_rules! table {
    ($($outcome:ident { $($code:ident $(in $within:literal)?: $reason:literal;)* })*) => {
        /// All rows; rows for certain places stand before those for everywhere.
        pub static TABLE: &[Row] = &[$($(Row {
            code: stringify!($code),
            within: concat!("" $(, $within)?),
            outcome: Outcome::$outcome,
            reason: $reason,
        },)*)*];
    };
}

table! {
    // Special places first.
    Refuse {
        TYPE_MISMATCH in "/extensions/KHR_materials_": "the file was not written by the rules";
    }
    Tolerate {
        TYPE_MISMATCH in "/extensions/": "an extension that is carried, not read, keeps its value";
        UNSATISFIED_DEPENDENCY in "/extensionsRequired": "what counts is whether the required extension is known";
        VALUE_NOT_IN_RANGE in "/byteStride": "elements are read at any distance";
        VALUE_NOT_IN_RANGE in "/count": "no elements are no elements";
        VALUE_NOT_IN_RANGE in "/byteLength": "an empty buffer or view holds nothing, which does no harm";
    }
    Refuse {
        VALUE_NOT_IN_RANGE in "/znear": "a number beyond 64-bit floats is no number of JSON";
    }
    Lose {
        INVALID_URI in "/images/": "the scene is usable without an image";
        IO_ERROR in "/images/": "the scene is usable without an image";
        NON_RELATIVE_URI in "/images/": "network addresses are not followed; the scene is usable without an image";
    }
    Refuse {
        ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE: "it would write beyond the elements";
        ACCESSOR_SPARSE_INDEX_OOB: "it would write beyond the elements";
        ACCESSOR_SPARSE_INDICES_NON_INCREASING: "which value counts is not defined";
        ACCESSOR_TOO_LONG: "elements beyond the buffer view do not exist";
        ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT: "which value belongs to which key is not defined";
        ASSET_MIN_VERSION_GREATER_THAN_VERSION: "the file needs a later version of glTF";
        BUFFER_MISSING_GLB_DATA: "the data is not there";
        BUFFER_VIEW_TOO_LONG: "bytes beyond the buffer do not exist";
        GLB_CHUNK_TOO_BIG: "the file was cut off";
        GLB_DUPLICATE_CHUNK: "which chunk counts is not defined";
        GLB_EMPTY_CHUNK: "there is no JSON";
        GLB_INVALID_MAGIC: "it is no GLB";
        GLB_INVALID_VERSION: "only version 2 is known";
        GLB_LENGTH_TOO_SMALL: "there is no room for a chunk";
        GLB_UNEXPECTED_END_OF_CHUNK_DATA: "the file was cut off";
        GLB_UNEXPECTED_END_OF_CHUNK_HEADER: "the file was cut off";
        GLB_UNEXPECTED_END_OF_HEADER: "the file was cut off";
        GLB_UNEXPECTED_FIRST_CHUNK: "there is no JSON where it must be";
        INVALID_IBM_ACCESSOR_COUNT: "joints without a matrix would deform the mesh wrongly";
        INVALID_JSON: "nothing can be read";
        INVALID_URI: "the buffer's data cannot be found";
        IO_ERROR: "the buffer's data cannot be found";
        MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT: "the numbers do not mean what they should";
        MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT: "the numbers cannot be indices";
        MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT: "which delta belongs to which point is not defined";
        MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT: "which value belongs to which point is not defined";
        NON_RELATIVE_URI: "only files beside the model are read";
        TYPE_MISMATCH: "the file was not written by the rules";
        ARRAY_LENGTH_NOT_IN_LIST: "the file was not written by the rules";
        UNDEFINED_PROPERTY: "what is missing cannot be guessed";
        UNKNOWN_ASSET_MAJOR_VERSION: "only glTF 2 is read";
        UNRESOLVED_REFERENCE: "what it refers to does not exist";
    }
    Repair {
        ACCESSOR_ANIMATION_INPUT_NON_INCREASING: "keys out of order are removed";
        ACCESSOR_INDEX_OOB: "faces with points that do not exist are removed";
        ACCESSOR_INVALID_FLOAT: "numbers that are not finite become 0";
        ACCESSOR_INVALID_IBM: "the last row is taken as 0 0 0 1";
        ACCESSOR_JOINTS_INDEX_OOB: "influences of joints that do not exist are removed";
        ACCESSOR_WEIGHTS_NON_NORMALIZED: "weights are scaled to sum 1";
        WEIGHTS_NON_NORMALIZED: "weights are scaled to sum 1";
        ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS: "the channel moves nothing and is removed";
        ANIMATION_DUPLICATE_TARGETS: "the first channel stays";
        BUFFER_BYTE_LENGTH_MISMATCH: "views beyond the bytes that are there are refused";
        CAMERA_XMAG_YMAG_ZERO: "brought into range";
        CAMERA_ZFAR_LEQUAL_ZNEAR: "the far plane is moved away";
        GLB_LENGTH_MISMATCH: "the chunks tell the length";
        KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES: "the inner angle is made smaller";
        MESH_INVALID_WEIGHTS_COUNT: "missing weights are 0, further ones are cut off";
        MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT: "missing targets do not move";
        MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH: "sets without their other half are ignored";
        NODE_LOOP: "the loop is cut";
        NODE_MATRIX_TRS: "the matrix counts";
        NODE_PARENT_OVERRIDE: "the first parent stays";
        NODE_WEIGHTS_INVALID: "missing weights are 0, further ones are cut off";
        ROTATION_NON_UNIT: "the rotation is normalised";
        SCENE_NON_ROOT_NODE: "its root stands in for the node";
        UNSATISFIED_DEPENDENCY: "what depends on a missing member is ignored, a media type is told by content";
        VALUE_NOT_IN_RANGE: "brought into range";
        MESH_PRIMITIVE_INCOMPATIBLE_MODE: "corners that make no whole face are removed";
    }
    Lose {
        VALUE_NOT_IN_LIST in "/target/path": "what the channel moves is not known";
    }
    Tolerate {
        ACCESSOR_ANIMATION_INPUT_NEGATIVE: "keys before 0 are kept; what holds at 0 is still defined";
        ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION: "rotations are normalised when they are evaluated";
        ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND: "stated bounds are not used";
        ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND: "stated bounds are not used";
        ACCESSOR_INDEX_PRIMITIVE_RESTART: "nothing restarts: it is the point of that number, and without such a point the face is removed";
        ACCESSOR_INVALID_SIGN: "kept as it is; export puts it right";
        ACCESSOR_JOINTS_INDEX_DUPLICATE: "weights of a joint that stands twice add up";
        ACCESSOR_JOINTS_USED_ZERO_WEIGHT: "a weight of 0 has no effect";
        ACCESSOR_MATRIX_ALIGNMENT: "elements are read at any offset";
        ACCESSOR_MAX_MISMATCH: "stated bounds are not used";
        ACCESSOR_MIN_MISMATCH: "stated bounds are not used";
        ACCESSOR_NORMALIZED_INVALID: "floats and 32-bit numbers are never normalised";
        ACCESSOR_OFFSET_ALIGNMENT: "elements are read at any offset";
        ACCESSOR_TOTAL_OFFSET_ALIGNMENT: "elements are read at any offset";
        ACCESSOR_VECTOR3_NON_UNIT: "kept as it is; export puts it right";
        ANIMATION_CHANNEL_TARGET_NODE_SKIN: "it moves what it moves";
        ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE: "elements are read at any distance";
        ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS: "one key is a constant";
        BUFFER_GLB_CHUNK_TOO_BIG: "only the stated part is used";
        BUFFER_VIEW_INVALID_BYTE_STRIDE: "the distance has no meaning there";
        BUFFER_VIEW_TARGET_MISSING: "targets are not used";
        BUFFER_VIEW_TARGET_OVERRIDE: "targets are not used";
        BUFFER_VIEW_TOO_BIG_BYTE_STRIDE: "one element has no neighbour";
        CAMERA_XMAG_YMAG_NEGATIVE: "it mirrors";
        CAMERA_YFOV_GEQUAL_PI: "brought into range where it is used";
        DUPLICATE_ELEMENTS: "saying it twice changes nothing";
        EMPTY_ENTITY: "an empty list is a list";
        GLB_CHUNK_LENGTH_UNALIGNED: "the chunk is where its length says";
        GLB_EMPTY_BIN_CHUNK: "an empty chunk holds nothing";
        GLB_EXTRA_DATA: "bytes behind the chunks are kept by documents";
        GLB_UNKNOWN_CHUNK_TYPE: "kept by documents";
        IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE: "an image has no elements";
        IMAGE_DATA_INVALID: "images are not decoded";
        IMAGE_FEATURES_UNSUPPORTED: "images are not decoded";
        IMAGE_MIME_TYPE_INVALID: "images are not decoded";
        IMAGE_NON_ENABLED_MIME_TYPE: "images are not decoded";
        IMAGE_NPOT_DIMENSIONS: "images are not decoded";
        IMAGE_UNEXPECTED_EOS: "images are not decoded";
        IMAGE_UNRECOGNIZED_FORMAT: "images are not decoded";
        INVALID_EXTENSION_NAME_FORMAT: "a name is a name";
        KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD: "carried, not read";
        KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD: "carried, not read";
        KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR: "black stays black";
        KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE: "carried, not read";
        KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED: "carried, not read";
        KHR_MATERIALS_VOLUME_NO_TRANSMISSION: "carried, not read";
        MATERIAL_ALPHA_CUTOFF_INVALID_MODE: "the cutoff has no effect";
        MESH_PRIMITIVE_ACCESSOR_UNALIGNED: "elements are read at any offset";
        MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE: "elements then lie side by side";
        MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT: "read as floats, rounding is reported";
        MESH_PRIMITIVE_GENERATED_TANGENT_SPACE: "tangents are made where they are needed";
        MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY: "sets may have gaps";
        MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE: "elements are read at any distance";
        MESH_PRIMITIVE_INVALID_ATTRIBUTE: "it is a custom attribute";
        MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR: "it is kept; export reports it";
        MESH_PRIMITIVE_NO_POSITION: "points without positions show nothing";
        MESH_PRIMITIVE_NO_TANGENT_SPACE: "tangents are made where they are needed";
        MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS: "stated bounds are not used";
        MESH_PRIMITIVE_TANGENT_POINTS: "tangents of points have no effect";
        MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL: "kept as it is";
        MESH_PRIMITIVE_TOO_FEW_TEXCOORDS: "missing coordinates are 0";
        MULTIPLE_EXTENSIONS: "each is read or carried for itself";
        NODE_EMPTY: "an empty node is a place";
        NODE_MATRIX_DEFAULT: "the identity changes nothing";
        NODE_MATRIX_NON_TRS: "sheared matrices are kept";
        NODE_SKINNED_MESH_LOCAL_TRANSFORMS: "a skinned mesh ignores its node's transform";
        NODE_SKINNED_MESH_NON_ROOT: "a skinned mesh ignores its node's transform";
        NODE_SKINNED_MESH_WITHOUT_SKIN: "it is shown as it lies";
        NODE_SKIN_NO_SCENE: "joints need not be shown";
        NODE_SKIN_WITH_NON_SKINNED_MESH: "the skin moves nothing";
        SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE: "elements are read at any distance";
        SKIN_NO_COMMON_ROOT: "each joint has its own place; export adds a root";
        SKIN_NO_SCENE: "joints need not be shown";
        SKIN_SKELETON_INVALID: "the skeleton's root has no effect";
        TEXTURE_INVALID_IMAGE_MIME_TYPE: "images are not decoded";
        UNDECLARED_EXTENSION: "it is read or carried; export declares it";
        UNEXPECTED_EXTENSION_OBJECT: "carried, not read";
        UNEXPECTED_PROPERTY: "members that glTF does not define are kept";
        UNSUPPORTED_EXTENSION: "carried, not read";
        UNUSED_EXTENSION_REQUIRED: "what counts is whether the required extension is known";
        UNUSED_MESH_TANGENT: "kept as it is";
        UNUSED_MESH_WEIGHTS: "kept as it is";
        UNUSED_OBJECT: "kept as it is";
        URI_GLB: "a GLB may have files beside it";
        VALUE_MULTIPLE_OF: "elements are read at any distance";
        VALUE_NOT_IN_LIST: "kept as it is where it has no effect, refused by its own row where it has";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rows_are_unique_and_can_be_reached() {
        let keys: BTreeSet<_> = TABLE.iter().map(|r| (r.code, r.within)).collect();
        assert_eq!(keys.len(), TABLE.len());
        for (i, row) in TABLE.iter().enumerate() {
            let hides = |earlier: &&Row| earlier.code == row.code && row.within.contains(earlier.within);
            assert!(TABLE[..i].iter().find(hides).is_none(), "{} in {:?} is never reached", row.code, row.within);
        }
    }

    #[test]
    fn special_places_come_first() {
        let outcome = |code, pointer| row(code, pointer).map(|r| r.outcome);
        assert_eq!(outcome("IO_ERROR", "/images/0/uri"), Some(Outcome::Lose));
        assert_eq!(outcome("IO_ERROR", "/buffers/0/uri"), Some(Outcome::Refuse));
        assert_eq!(outcome("NO_SUCH_CODE", ""), None);
    }
}
