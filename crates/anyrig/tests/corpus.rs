//! Conversions of every corpus file within its own format.
#![cfg(all(feature = "gltf", feature = "urho"))]

mod disk;

use anyrig::animation::{Pose, largest_distance, posed_geometry, scene_size};
use anyrig::{Context, ConvertRequest, Result, Road, Scene, Source, Verify, Via, WrittenFiles, convert, load};
use disk::{Disk, corpus, files};
use std::fs;

fn request(to: &str, via: Via) -> ConvertRequest {
    let mut request = ConvertRequest::new(to);
    request.via = via;
    request
}

#[test]
fn every_umd2_model_takes_the_document_road_byte_for_byte() {
    let Some(corpus) = corpus() else { return };
    let (mut models, mut clips) = (0, 0);
    for path in files(&corpus.join("urho"), &["mdl", "ani"]) {
        let bytes = fs::read(&path).expect("readable");
        let is_urhox_clip = bytes.starts_with(b"UANI\x02\0\0\0");
        if !bytes.starts_with(b"UMD2") && !is_urhox_clip {
            continue;
        }
        let mut request = request("urhox", Via::Document);
        request.from = Some("urhox".to_owned());
        let conversion = convert(&Disk::open(&path), &request, &Context::new());
        let conversion = conversion.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(conversion.road, Road::Document);
        assert!(conversion.files[0].content.to_vec() == bytes, "{}", path.display());
        *(if is_urhox_clip { &mut clips } else { &mut models }) += 1;
    }
    println!("{models} UMD2 models and {clips} UrhoX clips, byte for byte");
    assert!(models > 0);
}

#[test]
fn every_umd2_model_keeps_its_shape_through_the_scene() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for path in files(&corpus.join("urho"), &["mdl"]) {
        if !fs::read(&path).expect("readable").starts_with(b"UMD2") {
            continue;
        }
        let mut request = request("urhox", Via::Scene);
        request.from = Some("urhox".to_owned());
        request.verify = Verify::Full;
        let result = convert(&Disk::open(&path), &request, &Context::new());
        result.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        count += 1;
    }
    println!("{count} UMD2 models through the scene");
    assert!(count > 0);
}

#[test]
fn every_gltf_file_takes_the_document_road_byte_for_byte() {
    let Some(corpus) = corpus() else { return };
    let (mut kept, mut refused) = (0, 0);
    for path in files(&corpus.join("gltf"), &["glb", "gltf"]) {
        let to = if path.extension().is_some_and(|e| e == "glb") { "glb" } else { "gltf" };
        match convert(&Disk::open(&path), &request(to, Via::Document), &Context::new()) {
            Ok(conversion) => {
                let same = conversion.files[0].content.to_vec() == fs::read(&path).expect("readable");
                assert!(same, "{}", path.display());
                kept += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{kept} glTF files byte for byte, {refused} refused");
    assert!(kept > refused);
}

#[test]
fn every_gltf_file_moves_the_same_after_the_scene_road() {
    let Some(corpus) = corpus() else { return };
    let (mut same, mut refused, mut poses) = (0, 0, 0);
    for path in files(&corpus.join("gltf"), &["glb", "gltf"]) {
        let source = Disk::open(&path);
        let Ok(before) = load(&source, None, &Context::new()) else {
            refused += 1;
            continue;
        };
        let after = rewritten(&source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        poses += assert_same_motion(&before, &after, &path.display().to_string());
        same += 1;
    }
    println!("{same} glTF files in {poses} poses, {refused} refused");
    assert!(same > refused);
}

/// The scene of what the source becomes as GLB.
fn rewritten(source: &dyn Source) -> Result<Scene> {
    let conversion = convert(source, &request("glb", Via::Scene), &Context::new())?;
    let written = WrittenFiles::new(&conversion.files, 0).expect("one file");
    load(&written, Some("glb"), &Context::new())
}

/// Skinned vertices at rest and at five times in each clip; the number of compared poses.
fn assert_same_motion(before: &Scene, after: &Scene, name: &str) -> usize {
    let bound = 1e-5 * scene_size(before);
    assert_eq!(before.clips.len(), after.clips.len(), "{name}");
    let compare = |a: &Pose, b: &Pose, when: &str| {
        let (a, b) = (posed_geometry(before, a), posed_geometry(after, b));
        let distance = largest_distance(&a, &b).unwrap_or_else(|| panic!("{name} {when}: other parts or points"));
        assert!(distance <= bound, "{name} {when}: {distance} apart, {bound} allowed");
    };
    compare(&Pose::rest(before), &Pose::rest(after), "at rest");
    for (a, b) in before.clips.iter().zip(&after.clips) {
        for fifth in 0..5 {
            let time_secs = a.end_secs() * f64::from(fifth) / 4.0;
            let when = format!("in {} at {time_secs} s", a.name);
            compare(&Pose::of_clip(before, a, time_secs), &Pose::of_clip(after, b, time_secs), &when);
        }
    }
    1 + 5 * before.clips.len()
}
