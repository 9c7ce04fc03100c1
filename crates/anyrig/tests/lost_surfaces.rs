//! What the report says about the extensions of a glTF material where the target has no word for them.
#![cfg(all(feature = "gltf", feature = "urho"))]

use anyrig::{Context, ConvertRequest, MemorySource, Severity, convert};
use std::collections::BTreeSet;

/// Name, content, and the feature that the report speaks of.
const EXTENSIONS: [(&str, &str, &str); 10] = [
    ("KHR_materials_clearcoat", r#"{"clearcoatFactor": 0.5}"#, "clearcoat"),
    ("KHR_materials_sheen", r#"{"sheenColorFactor": [0.5, 0.5, 0.5]}"#, "sheen"),
    ("KHR_materials_transmission", r#"{"transmissionFactor": 0.5}"#, "transmission"),
    ("KHR_materials_diffuse_transmission", r#"{"diffuseTransmissionFactor": 0.5}"#, "diffuse-transmission"),
    ("KHR_materials_volume", r#"{"thicknessFactor": 0.5}"#, "volume"),
    ("KHR_materials_ior", r#"{"ior": 1.25}"#, "index-of-refraction"),
    ("KHR_materials_specular", r#"{"specularFactor": 0.5}"#, "specular"),
    ("KHR_materials_iridescence", r#"{"iridescenceFactor": 1}"#, "iridescence"),
    ("KHR_materials_anisotropy", r#"{"anisotropyStrength": 0.5}"#, "anisotropy"),
    ("KHR_materials_dispersion", r#"{"dispersion": 0.5}"#, "dispersion"),
];

/// A triangle for each of the materials.
fn gltf(extensions: &[&str]) -> MemorySource {
    let list = |item: &dyn Fn(usize) -> String, count: usize| (0..count).map(item).collect::<Vec<_>>().join(",");
    let materials = list(&|i| format!(r#"{{"extensions": {{{}}}}}"#, extensions[i]), extensions.len());
    let parts = list(&|i| format!(r#"{{"attributes": {{"POSITION": 0}}, "material": {i}}}"#), extensions.len());
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0}}], "scenes": [{{"nodes": [0]}}], "scene": 0,
        "meshes": [{{"primitives": [{parts}]}}], "materials": [{materials}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
        "buffers": [{{"byteLength": 36, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}}]}}"#
    );
    MemorySource::new("a.gltf", text.into_bytes())
}

/// What is lost, with how often.
fn lost(source: &MemorySource, target: &str) -> BTreeSet<(String, u64)> {
    let done = convert(source, &ConvertRequest::new(target), &Context::new()).expect("converts");
    let lines = done.report.diagnostics().iter().filter(|line| line.severity == Severity::Lost);
    lines.map(|line| (line.subject.clone(), line.count)).collect()
}

#[test]
fn each_surface_that_a_target_cannot_show_is_named() {
    let spelled: Vec<String> = EXTENSIONS.iter().map(|(name, content, _)| format!("\"{name}\": {content}")).collect();
    for target in ["urhox", "urho3d", "rbfx"] {
        assert_eq!(lost(&gltf(&[""]), target), BTreeSet::new(), "{target}");
        for ((name, _, feature), extension) in EXTENSIONS.iter().zip(&spelled) {
            let wanted = BTreeSet::from([((*feature).to_owned(), 1)]);
            assert_eq!(lost(&gltf(&[extension]), target), wanted, "{name} as {target}");
        }
        // All of them on one material, and once more on another.
        let all = spelled.join(",");
        let wanted = EXTENSIONS.iter().map(|(_, _, feature)| ((*feature).to_owned(), 2)).collect();
        assert_eq!(lost(&gltf(&[&all, &all]), target), wanted, "{target}");
    }
}
