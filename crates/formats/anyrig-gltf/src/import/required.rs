//! What a file demands of its reader.

use super::{draco, glossiness, need, nodes, packed, surfaces, variants};
use crate::codes;
use crate::document::Root;
use crate::document::json::At;
use crate::names::{EXTENDED_COLLIDER, SPRING_BONE, TEXTURE_SOURCES};
use anyrig_bytes::{Context, Diagnostic, Error, Result, Value};

/// Extensions that are read, or that change nothing for who carries them, by who reads them.
const KNOWN: &[&[&str]] = &[
    nodes::READ,
    &packed::EXTENSIONS,
    surfaces::READ,
    &[glossiness::NAME, variants::NAME, SPRING_BONE, EXTENDED_COLLIDER],
    &["KHR_animation_pointer", "KHR_mesh_quantization", "KHR_texture_transform"],
];

fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|list| list.contains(&name)) || TEXTURE_SOURCES.iter().any(|(known, _)| *known == name)
}

/// Extensions that only refine how surfaces look. They are carried as they are, and what is read shows the core.
const CARRIED: &[&str] =
    &["KHR_materials_coat", "KHR_materials_fuzz", "KHR_materials_subsurface", "KHR_materials_volume_scatter"];

/// Version and required extensions. Gives those that the file requires and that are only carried.
pub(super) fn check(root: &Root, context: &Context) -> Result<Vec<Value>> {
    let at = At::Root;
    let asset = need(root.asset.as_ref(), &at, "asset")?;
    let at = at.key("asset");
    let version = need(asset.version.as_deref(), &at, "version")?;
    check_version(version, &at.key("version"))?;
    if let Some(version) = &asset.min_version {
        check_version(version, &at.key("minVersion"))?;
        if version != "2.0" {
            let message = format!("the file needs a reader of glTF {version}; this one knows 2.0");
            return Err(Error::unsupported(at.key("minVersion").place(), message));
        }
    }
    let list = At::Root;
    let list = list.key("extensionsRequired");
    let mut carried = Vec::new();
    for (i, name) in root.extensions_required.iter().flatten().enumerate() {
        let at = list.index(i);
        if CARRIED.contains(&name.as_str()) {
            let diagnostic = Diagnostic::new(&codes::REQUIRED_CARRIED, name, "");
            context.push(diagnostic.at(at.place()));
            carried.push(Value::from(name.as_str()));
        } else {
            known(name, &at)?;
        }
    }
    Ok(carried)
}

fn check_version(version: &str, at: &At<'_>) -> Result<()> {
    let major = version.split_once('.').filter(|(_, minor)| minor.parse::<u32>().is_ok());
    match major.map(|(major, _)| major) {
        Some("2") => Ok(()),
        Some("1") => Err(Error::unsupported(at.place(), crate::GLTF_1_MESSAGE)),
        Some(_) => Err(Error::unsupported(at.place(), format!("glTF {version} is not known; 2.0 is"))),
        None => Err(at.malformed(format!("{version:?} is not a version"))),
    }
}

fn known(name: &str, at: &At<'_>) -> Result<()> {
    let remedy = match name {
        name if is_known(name) => return Ok(()),
        #[cfg(feature = "draco")]
        draco::EXTENSION => return Ok(()),
        #[cfg(not(feature = "draco"))]
        draco::EXTENSION => draco::REMEDY,
        _ => "export the file again without it",
    };
    let message = format!("the file cannot be read without the extension {name}, which is not supported; {remedy}");
    Err(Error::unsupported(at.place(), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the crate's documentation promises, spelt out.
    #[test]
    fn what_is_read_may_be_required() {
        let material = [
            "anisotropy",
            "clearcoat",
            "diffuse_transmission",
            "dispersion",
            "emissive_strength",
            "ior",
            "iridescence",
            "pbrSpecularGlossiness",
            "sheen",
            "specular",
            "transmission",
            "unlit",
            "variants",
            "volume",
        ];
        for name in material {
            assert!(is_known(&format!("KHR_materials_{name}")), "{name}");
        }
        let others = [
            "EXT_mesh_gpu_instancing",
            "EXT_meshopt_compression",
            "EXT_texture_avif",
            "EXT_texture_webp",
            "KHR_animation_pointer",
            "KHR_lights_punctual",
            "KHR_mesh_quantization",
            "KHR_meshopt_compression",
            "KHR_node_visibility",
            "KHR_texture_basisu",
            "KHR_texture_transform",
            "MSFT_texture_dds",
        ];
        assert!(others.into_iter().all(is_known));
        assert!(!is_known("KHR_materials_volume_scatter") && !is_known("KHR_audio") && !is_known(""));
    }
}
