//! The objects of glTF 2.0 (specification, chapter 5), and of the extensions that anyrig reads.
//!
//! Every field is optional, so that an absent member stays apart from its default, and so that a document can be read
//! and edited even where a required member is missing; import demands those.

use super::json::{At, FromJson, Members, Named, ToJson, members, objects};
use crate::codes;
use anyrig_bytes::{Context, Diagnostic, Result, Value};

/// Index into one of the root's lists.
pub type Index = u32;

objects! {
    /// The whole file.
    Root {
        /// Names of all extensions that occur.
        extensions_used "extensionsUsed": Vec<String>,
        /// Names of the extensions without which the file makes no sense.
        extensions_required "extensionsRequired": Vec<String>,
        /// Version and origin.
        asset "asset": Asset,
        /// The default scene.
        scene "scene": Index,
        /// Sets of root nodes.
        scenes "scenes": Vec<SceneObject>,
        /// Nodes.
        nodes "nodes": Vec<NodeObject>,
        /// Meshes.
        meshes "meshes": Vec<MeshObject>,
        /// Skins.
        skins "skins": Vec<SkinObject>,
        /// Animations.
        animations "animations": Vec<AnimationObject>,
        /// Cameras.
        cameras "cameras": Vec<CameraObject>,
        /// Materials.
        materials "materials": Vec<MaterialObject>,
        /// Textures.
        textures "textures": Vec<TextureObject>,
        /// Samplers.
        samplers "samplers": Vec<SamplerObject>,
        /// Images.
        images "images": Vec<ImageObject>,
        /// Accessors.
        accessors "accessors": Vec<Accessor>,
        /// Buffer views.
        buffer_views "bufferViews": Vec<BufferView>,
        /// Buffers.
        buffers "buffers": Vec<BufferObject>,
    }

    /// Version and origin.
    Asset {
        /// glTF version, `2.0`.
        version "version": String,
        /// Lowest version that a reader must know.
        min_version "minVersion": String,
        /// The tool that wrote the file.
        generator "generator": String,
        /// Copyright notice.
        copyright "copyright": String,
    }

    /// A set of root nodes.
    SceneObject {
        /// Name.
        name "name": String,
        /// Root nodes.
        nodes "nodes": Vec<Index>,
    }

    /// A node.
    NodeObject {
        /// Name.
        name "name": String,
        /// Camera.
        camera "camera": Index,
        /// Mesh.
        mesh "mesh": Index,
        /// Skin of the mesh.
        skin "skin": Index,
        /// Morph target weights.
        weights "weights": Vec<f64>,
        /// Column-major local matrix; instead of the three below.
        matrix "matrix": [f64; 16],
        /// Local translation.
        translation "translation": [f64; 3],
        /// Local rotation (x, y, z, w).
        rotation "rotation": [f64; 4],
        /// Local scale.
        scale "scale": [f64; 3],
        /// Child nodes.
        children "children": Vec<Index>,
    }

    /// A mesh.
    MeshObject {
        /// Name.
        name "name": String,
        /// Parts.
        primitives "primitives": Vec<Primitive>,
        /// Default morph target weights.
        weights "weights": Vec<f64>,
    }

    /// A part of a mesh.
    Primitive {
        /// Accessor of each attribute.
        attributes "attributes": Named<Index>,
        /// Accessor of the indices.
        indices "indices": Index,
        /// Material.
        material "material": Index,
        /// 0 points, 1 lines, 2 line loop, 3 line strip, 4 triangles, 5 triangle strip, 6 triangle fan.
        mode "mode": u32,
        /// Accessor of each moved attribute, for each morph target.
        targets "targets": Vec<Named<Index>>,
    }

    /// A skin.
    SkinObject {
        /// Name.
        name "name": String,
        /// Accessor of the inverse bind matrices.
        inverse_bind_matrices "inverseBindMatrices": Index,
        /// Common root of the joints.
        skeleton "skeleton": Index,
        /// Joint nodes.
        joints "joints": Vec<Index>,
    }

    /// An animation.
    AnimationObject {
        /// Name.
        name "name": String,
        /// What moves.
        channels "channels": Vec<ChannelObject>,
        /// How it moves.
        samplers "samplers": Vec<AnimationSampler>,
    }

    /// What moves.
    ChannelObject {
        /// Index into the animation's samplers.
        sampler "sampler": Index,
        /// Target.
        target "target": ChannelTarget,
    }

    /// Target of a channel.
    ChannelTarget {
        /// Node.
        node "node": Index,
        /// `translation`, `rotation`, `scale`, `weights` or `pointer`.
        path "path": String,
    }

    /// How something moves.
    AnimationSampler {
        /// Accessor of the key times.
        input "input": Index,
        /// `LINEAR`, `STEP` or `CUBICSPLINE`.
        interpolation "interpolation": String,
        /// Accessor of the key values.
        output "output": Index,
    }

    /// A camera.
    CameraObject {
        /// Name.
        name "name": String,
        /// `perspective` or `orthographic`.
        kind "type": String,
        /// Perspective projection.
        perspective "perspective": Perspective,
        /// Orthographic projection.
        orthographic "orthographic": Orthographic,
    }

    /// Perspective projection.
    Perspective {
        /// Width through height.
        aspect_ratio "aspectRatio": f64,
        /// Vertical field of view in radians.
        yfov "yfov": f64,
        /// Far plane.
        zfar "zfar": f64,
        /// Near plane.
        znear "znear": f64,
    }

    /// Orthographic projection.
    Orthographic {
        /// Half width.
        xmag "xmag": f64,
        /// Half height.
        ymag "ymag": f64,
        /// Far plane.
        zfar "zfar": f64,
        /// Near plane.
        znear "znear": f64,
    }

    /// A material.
    MaterialObject {
        /// Name.
        name "name": String,
        /// Metallic-roughness terms.
        pbr "pbrMetallicRoughness": Pbr,
        /// Normal map.
        normal_texture "normalTexture": TextureInfo,
        /// Occlusion map.
        occlusion_texture "occlusionTexture": TextureInfo,
        /// Emissive map.
        emissive_texture "emissiveTexture": TextureInfo,
        /// Linear RGB.
        emissive_factor "emissiveFactor": [f64; 3],
        /// `OPAQUE`, `MASK` or `BLEND`.
        alpha_mode "alphaMode": String,
        /// For `MASK`.
        alpha_cutoff "alphaCutoff": f64,
        /// Whether back faces are drawn.
        double_sided "doubleSided": bool,
    }

    /// Metallic-roughness terms.
    Pbr {
        /// Linear RGBA.
        base_color_factor "baseColorFactor": [f64; 4],
        /// Base colour map.
        base_color_texture "baseColorTexture": TextureInfo,
        /// 0 to 1.
        metallic_factor "metallicFactor": f64,
        /// 0 to 1.
        roughness_factor "roughnessFactor": f64,
        /// Roughness in G, metallic in B.
        metallic_roughness_texture "metallicRoughnessTexture": TextureInfo,
    }

    /// A texture in a material.
    TextureInfo {
        /// Texture.
        index "index": Index,
        /// Set of texture coordinates.
        tex_coord "texCoord": u32,
        /// Of normal maps only.
        scale "scale": f64,
        /// Of occlusion maps only.
        strength "strength": f64,
    }

    /// An image with a sampler.
    TextureObject {
        /// Name.
        name "name": String,
        /// Sampler.
        sampler "sampler": Index,
        /// Image.
        source "source": Index,
    }

    /// How a texture is sampled; the numbers are those of OpenGL.
    SamplerObject {
        /// Name.
        name "name": String,
        /// 9728 nearest, 9729 linear.
        mag_filter "magFilter": u32,
        /// 9728, 9729, 9984 to 9987.
        min_filter "minFilter": u32,
        /// 33071 clamp, 33648 mirror, 10497 repeat.
        wrap_s "wrapS": u32,
        /// As `wrap_s`.
        wrap_t "wrapT": u32,
    }

    /// An image.
    ImageObject {
        /// Name.
        name "name": String,
        /// Data URI or relative reference.
        uri "uri": String,
        /// `image/png`, `image/jpeg` …
        mime_type "mimeType": String,
        /// Buffer view with the encoded image.
        buffer_view "bufferView": Index,
    }

    /// Typed elements in a buffer view.
    Accessor {
        /// Name.
        name "name": String,
        /// Buffer view; zeros without one.
        buffer_view "bufferView": Index,
        /// Start in the buffer view.
        byte_offset "byteOffset": u64,
        /// 5120 i8, 5121 u8, 5122 i16, 5123 u16, 5125 u32, 5126 f32.
        component_type "componentType": u32,
        /// Whether whole numbers stand for 0 to 1 or -1 to 1.
        normalized "normalized": bool,
        /// Number of elements.
        count "count": u64,
        /// `SCALAR`, `VEC2` … `MAT4`.
        kind "type": String,
        /// Greatest value of each component.
        max "max": Vec<f64>,
        /// Least value of each component.
        min "min": Vec<f64>,
        /// Elements that replace those of the view.
        sparse "sparse": Sparse,
    }

    /// Elements that replace others.
    Sparse {
        /// How many.
        count "count": u64,
        /// Which.
        indices "indices": SparseIndices,
        /// By what.
        values "values": SparseValues,
    }

    /// Which elements are replaced.
    SparseIndices {
        /// Buffer view.
        buffer_view "bufferView": Index,
        /// Start in the buffer view.
        byte_offset "byteOffset": u64,
        /// 5121 u8, 5123 u16, 5125 u32.
        component_type "componentType": u32,
    }

    /// By what elements are replaced.
    SparseValues {
        /// Buffer view.
        buffer_view "bufferView": Index,
        /// Start in the buffer view.
        byte_offset "byteOffset": u64,
    }

    /// A range of a buffer.
    BufferView {
        /// Name.
        name "name": String,
        /// Buffer.
        buffer "buffer": Index,
        /// Start in the buffer.
        byte_offset "byteOffset": u64,
        /// Length.
        byte_length "byteLength": u64,
        /// Distance of elements.
        byte_stride "byteStride": u64,
        /// 34962 vertex data, 34963 indices.
        target "target": u32,
    }

    /// Bytes: the GLB's, a data URI's, or a file's.
    BufferObject {
        /// Name.
        name "name": String,
        /// Data URI or relative reference; the GLB's bytes without one.
        uri "uri": String,
        /// Length.
        byte_length "byteLength": u64,
    }

    /// Root part of `KHR_lights_punctual`.
    LightsExtension {
        /// All lights.
        lights "lights": Vec<LightObject>,
    }

    /// A light of `KHR_lights_punctual`.
    LightObject {
        /// Name.
        name "name": String,
        /// Linear RGB.
        color "color": [f64; 3],
        /// Candela, or lux for directional lights.
        intensity "intensity": f64,
        /// `directional`, `point` or `spot`.
        kind "type": String,
        /// Where it ends.
        range "range": f64,
        /// Cone.
        spot "spot": SpotObject,
    }

    /// Cone of a spot light.
    SpotObject {
        /// Half angle of full light in radians.
        inner_cone_angle "innerConeAngle": f64,
        /// Half angle of no light in radians.
        outer_cone_angle "outerConeAngle": f64,
    }

    /// Node part of `KHR_lights_punctual`.
    LightReference {
        /// Index into the root part's lights.
        light "light": Index,
    }

    /// Buffer view part of `EXT_meshopt_compression` and `KHR_meshopt_compression`.
    MeshoptView {
        /// Buffer with the compressed bytes.
        buffer "buffer": Index,
        /// Start in that buffer.
        byte_offset "byteOffset": u64,
        /// Number of compressed bytes.
        byte_length "byteLength": u64,
        /// Bytes of a decoded element.
        byte_stride "byteStride": u64,
        /// Number of decoded elements.
        count "count": u64,
        /// `ATTRIBUTES`, `TRIANGLES` or `INDICES`.
        mode "mode": String,
        /// `NONE`, `OCTAHEDRAL`, `QUATERNION`, `EXPONENTIAL` or `COLOR`.
        filter "filter": String,
    }

    /// Primitive part of `KHR_draco_mesh_compression`.
    DracoPrimitive {
        /// Buffer view with the compressed bytes.
        buffer_view "bufferView": Index,
        /// Which attribute of the stream (by its unique id) is which attribute of the primitive.
        attributes "attributes": Named<Index>,
    }

    /// `KHR_texture_transform`.
    TextureTransform {
        /// Added last.
        offset "offset": [f64; 2],
        /// Counter-clockwise, in radians.
        rotation "rotation": f64,
        /// Multiplied first.
        scale "scale": [f64; 2],
        /// Set of texture coordinates, instead of the texture info's own.
        tex_coord "texCoord": u32,
    }

    /// `KHR_materials_emissive_strength`.
    EmissiveStrength {
        /// Factor on the emissive factor.
        emissive_strength "emissiveStrength": f64,
    }

    /// Texture part of `KHR_texture_basisu`, `EXT_texture_webp` and their kind.
    TextureSource {
        /// Image.
        source "source": Index,
    }

    /// `KHR_node_visibility`.
    NodeVisibility {
        /// Whether the node and what is below it is shown.
        visible "visible": bool,
    }

    /// `KHR_animation_pointer`.
    AnimationPointer {
        /// JSON pointer of what moves.
        pointer "pointer": String,
    }
}
