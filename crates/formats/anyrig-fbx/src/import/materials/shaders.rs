//! The kinds of materials that programs write, and under which names they keep what a surface has.
//!
//! Names are those that the programs' own files show: Maya with Arnold, OSL and Stingray (ShaderFX) shaders, 3ds Max with
//! its Physical, OpenPBR, glTF and PBR materials.

use crate::import::Import;
use crate::import::booking::Work;
use crate::import::objects::{End, ObjectId, Objects};
use anyrig_bytes::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What sort of material it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shader {
    Lambert,
    Phong,
    Arnold,
    Osl,
    Stingray,
    MaxPhysical,
    MaxOpenPbr,
    MaxGltf,
    MaxMetalRough,
    MaxSpecGloss,
}

/// The names of one sort of material, without the prefix. Several are tried in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// In front of all names.
    pub prefix: &'static str,
    pub base_color: &'static [&'static str],
    pub base_factor: &'static [&'static str],
    pub metallic: &'static [&'static str],
    pub roughness: &'static [&'static str],
    /// A flag that makes roughness glossiness.
    pub is_glossy: &'static [&'static str],
    pub emissive: &'static [&'static str],
    pub emissive_factor: &'static [&'static str],
    pub opacity: &'static [&'static str],
    pub normal: &'static [&'static str],
    /// How strongly the normal texture bends normals.
    pub normal_scale: &'static [&'static str],
    pub occlusion: &'static [&'static str],
    pub occlusion_strength: &'static [&'static str],
    pub double_sided: &'static [&'static str],
    pub unlit: &'static [&'static str],
    /// How the property that takes the texture is called.
    pub texture: Affixes,
    /// The flag that turns the texture on; both empty when there is none.
    pub texture_on: Affixes,
    /// Whether a texture is multiplied with the colour, instead of taking its place.
    pub multiplies: bool,
}

/// What is put before and after a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Affixes {
    pub before: &'static str,
    pub after: &'static str,
}

const PLAIN: Affixes = Affixes { before: "", after: "" };
const MAP: Affixes = Affixes { before: "", after: "_map" };

const CLASSIC: Names = Names {
    prefix: "",
    base_color: &["DiffuseColor", "Diffuse"],
    base_factor: &["DiffuseFactor"],
    metallic: &[],
    roughness: &[],
    is_glossy: &[],
    emissive: &["EmissiveColor", "Emissive"],
    emissive_factor: &["EmissiveFactor"],
    opacity: &[],
    normal: &["NormalMap"],
    normal_scale: &["BumpFactor"],
    occlusion: &[],
    occlusion_strength: &[],
    double_sided: &[],
    unlit: &[],
    texture: PLAIN,
    texture_on: PLAIN,
    multiplies: false,
};

const ARNOLD: Names = Names {
    base_color: &["baseColor"],
    base_factor: &["base"],
    metallic: &["metalness"],
    roughness: &["specularRoughness"],
    emissive: &["emissionColor"],
    emissive_factor: &["emission"],
    opacity: &["opacity"],
    normal: &["normalCamera", "NormalMap"],
    normal_scale: &[],
    ..CLASSIC
};

const OSL: Names = Names {
    base_color: &["base_color"],
    base_factor: &["base"],
    roughness: &["specular_roughness"],
    emissive: &["emission_color"],
    ..ARNOLD
};

const STINGRAY: Names = Names {
    prefix: "Maya|",
    base_color: &["color", "base_color"],
    base_factor: &[],
    metallic: &["metallic"],
    roughness: &["roughness"],
    emissive: &["emissive"],
    emissive_factor: &["emissive_intensity"],
    opacity: &[],
    normal: &["normal"],
    normal_scale: &[],
    occlusion: &["ao"],
    texture: Affixes { before: "TEX_", after: "_map" },
    texture_on: Affixes { before: "use_", after: "_map" },
    ..CLASSIC
};

const MAX_PHYSICAL: Names = Names {
    prefix: "3dsMax|Parameters|",
    base_color: &["base_color"],
    base_factor: &["base_weight"],
    metallic: &["metalness"],
    roughness: &["roughness"],
    is_glossy: &["roughness_inv"],
    emissive: &["emit_color"],
    emissive_factor: &["emission"],
    opacity: &["cutout"],
    normal: &["bump"],
    normal_scale: &["bump_map_amt"],
    texture: MAP,
    texture_on: Affixes { before: "", after: "_map_on" },
    ..CLASSIC
};

const MAX_OPEN_PBR: Names = Names {
    metallic: &["base_metalness"],
    roughness: &["specular_roughness"],
    is_glossy: &[],
    emissive: &["emission_color"],
    emissive_factor: &["emission_weight"],
    opacity: &["geometry_opacity"],
    ..MAX_PHYSICAL
};

const MAX_GLTF: Names = Names {
    prefix: "3dsMax|main|",
    base_color: &["baseColor"],
    base_factor: &[],
    metallic: &["metalness"],
    roughness: &["roughness"],
    emissive: &["emissionColor", "emission"],
    emissive_factor: &[],
    opacity: &["Alpha", "alpha"],
    normal: &["normal"],
    normal_scale: &["normal"],
    occlusion: &["ambientOcclusion"],
    occlusion_strength: &["ambientOcclusion"],
    double_sided: &["DoubleSided"],
    // Beyond the core, names have another prefix.
    unlit: &["3dsMax|extension|unlit"],
    texture: Affixes { before: "", after: "Map" },
    multiplies: true,
    ..CLASSIC
};

const MAX_METAL_ROUGH: Names = Names {
    base_color: &["base_color", "baseColor", "basecolor"],
    roughness: &["roughness", "Roughness_Map"],
    is_glossy: &["useGlossiness"],
    emissive: &["emit_color"],
    opacity: &["opacity"],
    normal: &["norm"],
    normal_scale: &["bump_map_amt"],
    occlusion: &["ao"],
    occlusion_strength: &[],
    double_sided: &[],
    unlit: &[],
    texture: MAP,
    multiplies: false,
    ..MAX_GLTF
};

const MAX_SPEC_GLOSS: Names = Names { metallic: &[], roughness: &["glossiness"], ..MAX_METAL_ROUGH };

impl Shader {
    pub fn names(self) -> &'static Names {
        match self {
            Self::Lambert | Self::Phong => &CLASSIC,
            Self::Arnold => &ARNOLD,
            Self::Osl => &OSL,
            Self::Stingray => &STINGRAY,
            Self::MaxPhysical => &MAX_PHYSICAL,
            Self::MaxOpenPbr => &MAX_OPEN_PBR,
            Self::MaxGltf => &MAX_GLTF,
            Self::MaxMetalRough => &MAX_METAL_ROUGH,
            Self::MaxSpecGloss => &MAX_SPEC_GLOSS,
        }
    }

    pub fn is_classic(self) -> bool {
        matches!(self, Self::Lambert | Self::Phong)
    }

    /// By the connected implementation, else by 3ds Max's class numbers, else by the shading model.
    pub fn of(objects: &Objects<'_>, material: ObjectId) -> Self {
        let implementation = implementation(objects, material);
        let api = implementation.and_then(|i| objects.text(i, "RenderAPI")).unwrap_or_default();
        match &*api {
            "ARNOLD_SHADER_ID" => return Self::Arnold,
            "OSL" => return Self::Osl,
            "SFX_PBS_SHADER" => return Self::Stingray,
            _ => {}
        }
        let number = |name: &str| objects.i64(material, name, 0) as u32;
        match (number("3dsMax|ClassIDa"), number("3dsMax|ClassIDb")) {
            (0x3d6b_1cec, 0xdead_c001) => return Self::MaxPhysical,
            (0xf155_1e33, 0x37fb_1337) => return Self::MaxOpenPbr,
            (0x3842_0192, 0x45fe_4e1b) => return Self::MaxGltf,
            (0xd00f_1e00, 0xbe77_e500) => return Self::MaxMetalRough,
            (0xd00f_1e00, 0x01db_ad33) => return Self::MaxSpecGloss,
            _ => {}
        }
        let model = shading_model(objects, material);
        if model.eq_ignore_ascii_case("lambert") { Self::Lambert } else { Self::Phong }
    }
}

pub(super) fn shading_model(objects: &Objects<'_>, material: ObjectId) -> String {
    let own = objects.get(material).node.child("ShadingModel").and_then(|n| n.text(0));
    own.or_else(|| objects.text(material, "ShadingModel")).unwrap_or_default().into_owned()
}

/// The implementation that belongs to a material: connected to it or from it.
fn implementation(objects: &Objects<'_>, material: ObjectId) -> Option<ObjectId> {
    let from = objects.parents(material).find(|o| o.class == "Implementation");
    from.or_else(|| objects.children(End::Object(material)).find(|o| o.class == "Implementation")).map(|o| o.id)
}

/// The material's name of each parameter of its shader.
pub(super) type Bindings = BTreeMap<String, String>;

/// The bindings of a material. Those of an implementation that many materials share are read once.
pub(super) fn bindings(import: &mut Import<'_>, material: ObjectId) -> Result<Arc<Bindings>> {
    let Some(implementation) = implementation(&import.objects, material) else { return Ok(Arc::default()) };
    if let Some(known) = import.materials.bindings.get(&implementation) {
        return Ok(Arc::clone(known));
    }
    let made = Arc::new(implementation_bindings(import, implementation)?);
    import.materials.bindings.insert(implementation, Arc::clone(&made));
    Ok(made)
}

fn implementation_bindings(import: &mut Import<'_>, implementation: ObjectId) -> Result<Bindings> {
    let mut bindings = BTreeMap::new();
    let children = import.objects.children(End::Object(implementation));
    let tables: Vec<_> = children.filter(|o| o.class == "BindingTable").map(|o| (o.id, o.node)).collect();
    for (table, node) in tables {
        let mut bytes = 0;
        for entry in node.children_named("Entry") {
            let text = |index: usize| entry.text(index).unwrap_or_default();
            let pair = match (&*text(1), &*text(3)) {
                ("FbxPropertyEntry", "FbxSemanticEntry") => (text(2), text(0)),
                ("FbxSemanticEntry", "FbxPropertyEntry") => (text(0), text(2)),
                _ => continue,
            };
            bytes += BINDING_BYTES + pair.0.len() + pair.1.len();
            bindings.entry(pair.0.into_owned()).or_insert_with(|| pair.1.into_owned());
        }
        // Several implementations may share a table.
        import.take_again(Work::Bindings, table, bytes)?;
    }
    Ok(bindings)
}

/// What an entry needs beside its texts, with its share of the map.
const BINDING_BYTES: usize = 4 * size_of::<(String, String)>();
