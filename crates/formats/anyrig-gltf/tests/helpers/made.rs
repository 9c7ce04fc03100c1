//! Files made by hand, and back again.

use anyrig_bytes::{Context, MemorySource, Severity};
use anyrig_gltf::Glb;
use anyrig_scene::{Exporter, Importer, Scene, Tolerance, diff};

/// A GLB by hand: header, JSON chunk with spaces behind it, binary chunk with zeros behind it (specification 4.4).
pub fn glb(json: &str, bin: &[u8]) -> Vec<u8> {
    let (mut json, mut bin) = (json.as_bytes().to_vec(), bin.to_vec());
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + if bin.is_empty() { 0 } else { 8 + bin.len() };
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((total as u32).to_le_bytes());
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(b"JSON");
    file.extend(json);
    if !bin.is_empty() {
        file.extend((bin.len() as u32).to_le_bytes());
        file.extend(b"BIN\0");
        file.extend(bin);
    }
    file
}

pub fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn parsed(file: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes([file[12], file[13], file[14], file[15]]) as usize;
    serde_json::from_slice(&file[20..20 + length]).expect("JSON")
}

pub fn read(file: Vec<u8>) -> (Scene, Context) {
    let context = Context::new();
    let scene = Glb.import(&MemorySource::new("made.glb", file), &context).unwrap_or_else(|e| panic!("{e}"));
    (scene, context)
}

/// Writes a scene and gives the file; the scene that it holds must be the one that was written.
pub fn written(name: &str, scene: &Scene) -> Vec<u8> {
    let context = Context::new();
    let file = Glb.export(scene.clone(), name, &context).expect("exportable")[0].content.to_vec();
    let losses: Vec<_> =
        context.report().diagnostics().iter().filter(|d| d.severity != Severity::Note).cloned().collect();
    assert!(losses.is_empty(), "{losses:?}");
    if let Some(folder) = std::env::var_os("ANYRIG_KEEP_EXPORTS") {
        let folder = std::path::Path::new(&folder).join("extensions");
        std::fs::create_dir_all(&folder).expect("writable");
        std::fs::write(folder.join(format!("{name}.glb")), &file).expect("writable");
    }
    let source = MemorySource::new("back.glb", file.clone());
    Glb.verify("back.glb", &source, &Context::new()).expect("whole");
    let mut back = Glb.import(&source, &Context::new()).expect("readable");
    let mut scene = scene.clone();
    for scene in [&mut back, &mut scene] {
        scene.extras.remove(anyrig_gltf::names::ASSET);
    }
    assert_eq!(diff(&scene, &back, Tolerance::EXACT), []);
    file
}

/// Two textures of one image: a red pixel of half alpha.
pub const TEXTURES: &str = r#""images":[{"uri":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="}],"textures":[{"source":0},{"source":0}]"#;
