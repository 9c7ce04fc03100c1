//! Conversions of every corpus file within its own format.
#![cfg(all(feature = "gltf", feature = "urho"))]
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod disk;
mod judge;

use anyrig::animation::{Pose, largest_distance, posed_geometry, scene_size};
use anyrig::{
    Context, ConvertRequest, Result, Road, Scene, Severity, Source, Verify, Via, WrittenFiles, convert, load,
};
use disk::{Disk, corpus, files};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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

/// Files without an error for the validator that import repairs all the same: a target that is animated twice by two
/// pointers, corners that make no whole triangle, key times that are the zeros of an accessor without a view. A document is
/// not written where it would have to be repaired when it is read.
const REPAIRED: [&str; 3] = [
    "gltf/gltf-blender-io/roundtrip/24_animation_pointer/24_animation_pointer.gltf",
    "gltf/gltf-validator/base/data/mesh/primitive_incompatible_mode.gltf",
    "gltf/gltf-validator/base/data/skin/ignored_animated_transform.gltf",
];

/// Corpus files in which the Khronos validator finds an error, and valid ones that are refused for a stated reason.
fn may_be_refused() -> BTreeSet<String> {
    let judges = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/judges");
    let table = |name: &str| fs::read_to_string(judges.join(name)).expect("the table");
    let lines = [table("errors.tsv"), table("refused.tsv")].concat();
    let names = lines.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next());
    names.chain(REPAIRED).map(str::to_owned).collect()
}

#[test]
fn every_gltf_file_takes_the_document_road_byte_for_byte() {
    let Some(corpus) = corpus() else { return };
    let may_be_refused = may_be_refused();
    let (mut kept, mut beside, mut refused, mut wrong) = (0, 0, 0, Vec::new());
    for path in files(&corpus.join("gltf"), &["glb", "gltf"]) {
        let to = if path.extension().is_some_and(|e| e == "glb") { "glb" } else { "gltf" };
        let name = path.strip_prefix(&corpus).expect("inside").display().to_string();
        match convert(&Disk::open(&path), &request(to, Via::Document), &Context::new()) {
            Ok(conversion) => {
                for (number, file) in conversion.files.iter().enumerate() {
                    let source = if number == 0 { path.clone() } else { path.with_file_name(&file.name) };
                    assert!(file.content.to_vec() == fs::read(source).expect("readable"), "{name}: {}", file.name);
                }
                kept += 1;
                beside += conversion.files.len() - 1;
            }
            Err(_) if may_be_refused.contains(&name) => refused += 1,
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    println!("{kept} glTF files and {beside} beside them byte for byte, {refused} refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kept > refused && beside > 100, "{beside}");
}

#[test]
fn every_gltf_file_moves_the_same_after_the_scene_road() {
    let Some(corpus) = corpus() else { return };
    let (mut sound, mut repaired, mut refused, mut poses, mut judged) = (0, 0, 0, 0, 0);
    let mut failures = Vec::new();
    for path in files(&corpus.join("gltf"), &["glb", "gltf"]) {
        let (source, context) = (Disk::open(&path), Context::new());
        let Ok(before) = load(&source, None, &context) else {
            refused += 1;
            continue;
        };
        // What was out of range has no right place to compare with; it must still be written.
        let is_sound = context.report().worst() < Some(Severity::Repaired);
        let result = rewritten(&source).map_err(|e| Difference::Failed(e.to_string())).and_then(|(after, written)| {
            let count = compare(&before, &after)?;
            judged += usize::from(is_sound && judge(&source, &written).map_err(Difference::Motion)?);
            Ok(count)
        });
        match result {
            Ok(count) => poses += count,
            Err(Difference::Failed(text)) => failures.push(format!("{}: {text}", path.display())),
            Err(Difference::Motion(text)) if is_sound => failures.push(format!("{}: {text}", path.display())),
            Err(Difference::Motion(_)) => {}
        }
        *(if is_sound { &mut sound } else { &mut repaired }) += 1;
    }
    println!("{sound} sound and {repaired} repaired glTF files in {poses} poses, {refused} refused; {judged} judged");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(sound > refused && 10 * judged > 9 * sound, "{judged} of {sound} sound files were judged");
}

enum Difference {
    Failed(String),
    Motion(String),
}

/// What the source becomes as GLB: the scene, and the file.
fn rewritten(source: &dyn Source) -> Result<(Scene, Vec<u8>)> {
    let conversion = convert(source, &request("glb", Via::Scene), &Context::new())?;
    let written = WrittenFiles::new(&conversion.files, 0).expect("one file");
    Ok((load(&written, Some("glb"), &Context::new())?, conversion.files[0].content.to_vec()))
}

/// Lets an evaluator that shares no code with the library compare the points of a file and of what it became; false
/// when it does not know all that the file uses.
fn judge(source: &Disk, written: &[u8]) -> std::result::Result<bool, String> {
    let beside = |name: &str| source.resolve(name).ok().flatten().map(|bytes| bytes.to_vec());
    let (before, after) = (judge::File::open(source.bytes(), beside), judge::File::open(written, |_| None));
    let (Some(before), Some(after)) = (before, after) else { return Ok(false) };
    if !before.is_plain() || !after.is_plain() {
        return Ok(false);
    }
    if before.clip_count() != after.clip_count() {
        return Err(format!("judge: {} clips became {}", before.clip_count(), after.clip_count()));
    }
    let bound = 1e-5 * judge::size(&before.shown(None));
    let fifths = |clip| (0..5).map(move |fifth| (clip, f64::from(fifth) / 4.0));
    let in_clips = (0..before.clip_count()).flat_map(fifths).map(|(clip, part)| (clip, part * before.end_secs(clip)));
    for moment in std::iter::once(None).chain(in_clips.map(Some)) {
        let (a, b) = (before.shown(moment), after.shown(moment));
        let distance = judge::largest_distance(&a, &b).map_err(|e| format!("judge, at {moment:?}: {e}"))?;
        if distance > bound {
            return Err(format!("judge, at {moment:?}: {distance} apart, {bound} allowed"));
        }
    }
    Ok(true)
}

/// Compares skinned vertices at rest and at five times in each clip; the number of compared poses.
fn compare(before: &Scene, after: &Scene) -> std::result::Result<usize, Difference> {
    let bound = 1e-5 * scene_size(before);
    let same = |a: &Pose, b: &Pose, when: &str| {
        let (a, b) = (posed_geometry(before, a), posed_geometry(after, b));
        let distance = largest_distance(&a, &b).ok_or_else(|| Difference::Motion(format!("{when}: other parts")))?;
        let message = || Difference::Motion(format!("{when}: {distance} apart, {bound} allowed"));
        if distance <= bound { Ok(()) } else { Err(message()) }
    };
    same(&Pose::rest(before), &Pose::rest(after), "at rest")?;
    if before.clips.len() != after.clips.len() {
        return Err(Difference::Motion(format!("{} clips became {}", before.clips.len(), after.clips.len())));
    }
    for (a, b) in before.clips.iter().zip(&after.clips) {
        for fifth in 0..5 {
            let time_secs = a.end_secs() * f64::from(fifth) / 4.0;
            let poses = (Pose::of_clip(before, a, time_secs), Pose::of_clip(after, b, time_secs));
            same(&poses.0, &poses.1, &format!("in {} at {time_secs} s", a.name))?;
        }
    }
    Ok(1 + 5 * before.clips.len())
}
