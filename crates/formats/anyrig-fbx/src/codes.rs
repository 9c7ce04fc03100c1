//! The table of this crate's diagnostics.

anyrig_bytes::codes! {
    LEGACY_TEXT: "fbx.legacy-text", Repaired, "Texts are not UTF-8; they were decoded with an encoding guessed from all of them.";
    MISSING_VERSION: "fbx.missing-version", Note, "An ASCII file states no version; 7400 was assumed.";
    NO_END: "fbx.no-end", Repaired, "The list of root nodes has no end mark; the file may be cut.";
    AXES: "fbx.axes", Repaired, "The axes that the file states are no axes of a space; Y up was taken.";
    DUPLICATE_ID: "fbx.duplicate-id", Repaired, "Two objects have the same id; connections go to the first one.";
    DANGLING_CONNECTION: "fbx.dangling-connection", Repaired, "A connection to something that does not exist was left out.";
    SECOND_PARENT: "fbx.second-parent", Lost, "A model hangs below several others; it stays with the first one.";
    CURVE_SHAPE: "fbx.curve-shape", Repaired, "The arrays of a curve do not fit together; what fits was kept.";
    MOTION_LOST: "fbx.motion-lost", Lost, "Motion that moves nothing, or that no stack plays, was left out.";
    INBETWEEN_CURVE: "fbx.inbetween-curve", Approximated, "Weights of in-between shapes became straight lines between dense keys.";
    PROPERTY_NUMBER: "fbx.property-number", Repaired, "Numbers of properties are not finite; the default stands in for them.";
    FACES: "fbx.faces", Repaired, "Faces with points that do not exist were left out.";
    SHORT_FACES: "fbx.short-faces", Note, "Faces of one or two corners became points and lines.";
    NO_FACES: "fbx.no-faces", Lost, "Geometry without faces is not shown.";
    GEOMETRY_LOST: "fbx.geometry-lost", Lost, "Curved surfaces (NURBS) and other geometry without polygons is not shown.";
    GEOMETRY_UNUSED: "fbx.geometry-unused", Lost, "Geometry that no model shows was left out.";
    SUBDIVISION: "fbx.subdivision", Approximated, "A subdivided surface is shown by its control cage.";
    HOLES: "fbx.holes", Approximated, "Faces that are holes of a subdivided surface are shown.";
    LAYER_LOST: "fbx.layer-lost", Lost, "A layer of data on a mesh was left out.";
    LAYER_RANGE: "fbx.layer-range", Repaired, "A layer of data on a mesh is too short, or its indexes are out of range.";
    NORMALS: "fbx.normals", Repaired, "Normals that were not of unit length were put right.";
    NORMALS_MADE: "fbx.normals-made", Note, "A mesh has no normals; they were made from its smooth edges.";
    TANGENT_SETS: "fbx.tangent-sets", Lost, "Tangents of further sets of texture coordinates were left out.";
    MATERIAL_INDEX: "fbx.material-index", Repaired, "Faces with a material that their model does not have wear the first one.";
    SKIN_LOST: "fbx.skin-lost", Lost, "A mesh has one skin; further ones were left out.";
    BROKEN_CLUSTER: "fbx.broken-cluster", Repaired, "A cluster without a bone was left out.";
    CLUSTER_WEIGHTS: "fbx.cluster-weights", Repaired, "Weights below 0 or of points that do not exist were left out.";
    ADDITIVE_CLUSTER: "fbx.additive-cluster", Approximated, "A cluster that adds its motion is blended with the others.";
    BIND_MATRIX: "fbx.bind-matrix", Repaired, "A matrix of bind time is incomplete and was made from other data.";
    BLENDED_SKIN: "fbx.blended-skin", Approximated, "A skin between linear and dual quaternion blending became one of them.";
    SHAPE_POINTS: "fbx.shape-points", Repaired, "Deltas of points that do not exist were left out.";
    DEFORMER_LOST: "fbx.deformer-lost", Lost, "A deformer that is neither skin nor blend shape, such as a vertex cache, was left out.";
    TEXTURE_LAYERS: "fbx.texture-layers", Approximated, "Of a layered texture the lowest layer is shown.";
    TEXTURE_FILE: "fbx.texture-file", Note, "A texture's file was not found; one of the same name and another kind was taken.";
    TEXTURE_MISSING: "fbx.texture-missing", Lost, "The file of a texture was not found.";
    TEXTURE_CONTENT: "fbx.texture-content", Lost, "The file of a texture holds no image that can be read.";
    TEXTURE_UNUSED: "fbx.texture-unused", Lost, "A texture is for something that the scene's materials do not have.";
    BUMP_AS_NORMAL: "fbx.bump-as-normal", Approximated, "A bump map whose file is called a normal map was taken as one.";
    UV_TRANSFORM: "fbx.uv-transform", Approximated, "A change of texture coordinates that skews, swaps or has no inverse was simplified.";
    CONSTRAINT: "fbx.constraint", Lost, "A constraint moves nothing; what it says stays with the scene as data.";
    LEVELS: "fbx.levels", Approximated, "All levels of detail of a group are shown at once; its distances stay with the node as data.";
    USER_DATA: "fbx.user-data", Lost, "What a user attached to an object is raw bytes; it was left out.";
    DISPLAY_LAYER: "fbx.display-layer", Lost, "A display layer that hides its models does not do so; it stays with the scene as data.";
    FOOTER: "fbx.unknown-footer", Note, "What follows the nodes is not a footer of a known form; it is kept as it is.";
}
