//! Motions in files of their own: `--motion`.

mod common;

use common::{entries, folder, run, triangle, write};
use std::fs;
use std::path::Path;

/// The sample of this project as a bundle: a model, and its motions beside it.
fn bundle() -> tempfile::TempDir {
    let folder = folder();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb");
    let arguments = ["convert", sample.to_str().expect("text"), "--to", "urhox", "-o", ".", "-n", "m", "-q"];
    run(folder.path(), &arguments).exits(0);
    let animations = entries(&folder.path().join("Animations"));
    assert_eq!(animations.iter().filter(|n| n.ends_with(".ani")).count(), 2, "{animations:?}");
    folder
}

fn json_of_glb(path: &Path) -> serde_json::Value {
    let bytes = fs::read(path).expect("readable");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

#[test]
fn a_model_and_its_motions_become_one_file() {
    let folder = bundle();
    let at = folder.path();
    // The clip is called as its file, not as the file calls itself.
    fs::rename(at.join("Animations/Wave.ani"), at.join("Animations/Hello.ani")).expect("there");
    let both = ["--motion", "Animations/Walk.ani", "--motion", "Animations/Hello.ani"];
    let run_with = |words: &[&str]| run(at, &[words, &both].concat());
    run_with(&["convert", "m.mdl", "--to", "glb", "--verify", "full"]).exits(0);
    let json = json_of_glb(&at.join("m.glb"));
    let animations = json["animations"].as_array().expect("a list");
    assert_eq!(animations.iter().map(|a| &a["name"]).collect::<Vec<_>>(), ["Walk", "Hello"]);
    assert!(animations.iter().all(|a| a["channels"].as_array().is_some_and(|c| c.len() > 1)), "{animations:?}");
    let inspected = run_with(&["inspect", "m.mdl", "--json"]).exits(0);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["clips"].as_array().map(Vec::len), Some(2));
    // The same format is no reason to leave them out.
    run_with(&["convert", "m.mdl", "--to", "urhox", "-o", "again"]).exits(0);
    assert_eq!(entries(&at.join("again/Animations")), ["Hello.ani", "Walk.ani"]);
    run_with(&["convert", "m.mdl", "--to", "urhox", "-o", "doc", "--via", "document"]).exits(2).says("attachments");
}

#[test]
fn a_motion_that_cannot_be_used_is_an_error() {
    let folder = bundle();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    write(&at.join("bad.ani"), b"UANI");
    write(&at.join("deep/Walk.ani"), &fs::read(at.join("Animations/Walk.ani")).expect("there"));
    let before = entries(at);
    let convert = |words: &[&str]| run(at, &[&["convert"], words, &["--to", "glb", "-n", "x"]].concat());
    convert(&["in.glb", "--motion", "Animations/Walk.ani", "--via", "scene"]).exits(2).says("`glb` takes no attached");
    convert(&["in.glb", "--motion", "Animations/Walk.ani"]).exits(2).says("`glb` takes no attached");
    run(at, &["inspect", "in.glb", "--motion", "Animations/Walk.ani"]).exits(2).says("`glb` takes no attached");
    convert(&["m.mdl", "--motion", "none.ani"]).exits(1).says("none.ani");
    convert(&["m.mdl", "--motion", "bad.ani"]).exits(1).says("bad.ani");
    convert(&["m.mdl", "--motion", "in.glb"]).exits(1).says("in.glb");
    convert(&["Animations/Walk.ani", "--motion", "Animations/Wave.ani"]).exits(2).says("this is an animation");
    convert(&["m.mdl", "--motion", "Animations/Walk.ani", "--motion", "deep/Walk.ani"]).exits(2).says("of one name");
    let batch = ["convert", "m.mdl", "in.glb", "--motion", "Animations/Walk.ani", "--to", "glb"];
    run(at, &batch).exits(2).says("one input");
    assert_eq!(entries(at), before);
}

#[test]
fn a_motion_is_an_input_and_never_overwritten() {
    let folder = bundle();
    let at = folder.path();
    let walk = fs::read(at.join("Animations/Walk.ani")).expect("there");
    let words = ["convert", "m.mdl", "--motion", "Animations/Walk.ani", "--to", "urhox", "-o", ".", "-n", "new"];
    run(at, &[&words[..], &["--scale", "2", "--force"]].concat()).exits(1).says("is an input");
    assert_eq!(fs::read(at.join("Animations/Walk.ani")).expect("there"), walk);
    assert!(!at.join("new.mdl").exists());
}

#[test]
fn motions_beside_a_model_are_found() {
    let folder = bundle();
    let at = folder.path();
    fs::copy(at.join("Animations/Walk.ani"), at.join("m_Run.ani")).expect("writable");
    fs::copy(at.join("Animations/Walk.ani"), at.join("other_Run.ani")).expect("writable");
    write(&at.join("Animations/broken.ani"), b"UANI");
    let clips = |words: &[&str]| -> Vec<String> {
        let words = [&["convert", "m.mdl", "--to", "glb", "--force", "--report", "r.json"], words].concat();
        run(at, &words).exits(0);
        let json = json_of_glb(&at.join("m.glb"));
        let animations = json["animations"].as_array().cloned().unwrap_or_default();
        animations.iter().map(|a| a["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(clips(&[]), ["m_Run", "Walk", "Wave"]);
    let report = fs::read_to_string(at.join("r.json")).expect("there");
    assert_eq!(report.matches("urho.motion-found").count(), 3, "{report}");
    assert_eq!(report.matches("urho.motion-left-out").count(), 1, "{report}");
    assert_eq!(clips(&["--motion", "Animations/Wave.ani"]), ["Wave"]);
    assert_eq!(clips(&["--no-motion"]), [""; 0]);
    let said = run(at, &["convert", "m.mdl", "--to", "glb", "-n", "x"]).exits(0);
    assert!(said.stderr.contains("3 motions found beside the model became clips (--no-motion"), "{}", said.stderr);
    run(at, &["convert", "m.mdl", "--to", "glb", "--no-motion", "--motion", "m_Run.ani"]).exits(2);
    // What is written back as it is takes none, and they are inputs: never written onto.
    run(at, &["convert", "m.mdl", "--to", "urhox", "-o", "copy"]).exits(0);
    assert_eq!(fs::read(at.join("copy/m.mdl")).expect("there"), fs::read(at.join("m.mdl")).expect("there"));
    let onto = ["convert", "m.mdl", "--to", "urhox", "--via", "scene", "-o", ".", "-n", "n", "--force", "--scale", "2"];
    run(at, &onto).exits(1).says("is an input");
    let inspected = run(at, &["inspect", "m.mdl", "--json"]).exits(0);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    assert_eq!(inspected["clips"].as_array().map(Vec::len), Some(3));
    // Those of another model move none of its bones.
    write(&at.join("alone/in.glb"), &triangle("", ""));
    run(at, &["convert", "alone/in.glb", "--to", "urhox", "-o", "alone"]).exits(0);
    write(&at.join("alone/Animations/Walk.ani"), &fs::read(at.join("Animations/Walk.ani")).expect("there"));
    let other = run(at, &["convert", "alone/in.mdl", "--to", "glb", "-v"]).exits(0);
    assert!(other.stderr.contains("moves no bone of this model"), "{}", other.stderr);
}

#[test]
fn what_lies_beside_a_motion_goes_with_it() {
    let folder = bundle();
    let at = folder.path();
    let xml = b"<animation><trigger time=\"0.25\" type=\"String\" value=\"step\"/></animation>";
    write(&at.join("Animations/Walk.xml"), xml);
    // Beside the model lies that of another motion.
    write(&at.join("Walk.xml"), b"<animation/>");
    for (words, out) in [(&["--motion", "Animations/Walk.ani"][..], "named"), (&[], "found")] {
        let convert = ["convert", "m.mdl", "--to", "urho3d", "--from", "urhox", "-o", out];
        run(at, &[&convert[..], words].concat()).exits(0);
        let written = fs::read_to_string(at.join(out).join("Animations/Walk.xml")).expect("written");
        assert!(written.contains("<trigger time=\"0.25\" type=\"String\" value=\"step\"/>"), "{written}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_a_failure() {
    use std::process::{Command, Stdio};
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_anyrig"));
    command.args(["inspect", "in.glb"]).current_dir(at).stdout(Stdio::from(full));
    let output = command.output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("cannot write"), "{words}");
}
