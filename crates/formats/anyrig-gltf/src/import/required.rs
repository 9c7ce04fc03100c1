//! What a file demands of its reader.

use super::need;
use crate::document::Root;
use crate::document::json::At;
use anyrig_bytes::{Error, Result};

/// Extensions that are read, or that change nothing for who carries them.
const KNOWN: &[&str] = &[
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
];

/// Version and required extensions.
pub(super) fn check(root: &Root) -> Result<()> {
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
    root.extensions_required.iter().flatten().enumerate().try_for_each(|(i, name)| known(name, &list.index(i)))
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
        name if KNOWN.contains(&name) => return Ok(()),
        "KHR_draco_mesh_compression" => "decompress it first, for example with `gltf-transform copy` or gltf-pipeline",
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            "decompress it first, for example with `gltf-transform copy`"
        }
        "KHR_materials_pbrSpecularGlossiness" => "convert it with `gltf-transform metalrough`",
        _ => "export the file again without it",
    };
    let message = format!("the file cannot be read without the extension {name}, which is not supported; {remedy}");
    Err(Error::unsupported(at.place(), message))
}
