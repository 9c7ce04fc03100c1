//! What `anyrig convert` does with files, folders, streams and exit codes.

mod common;

use common::{
    entries, files, folder, run, run_with_input, triangle, triangle_gltf, triangle_with_camera, triangle_with_material,
    write,
};
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn exit_codes_of_the_command_line() {
    let folder = folder();
    let at = folder.path();
    run(at, &[] as &[&str]).exits(2);
    run(at, &["convert"]).exits(2);
    run(at, &["convert", "a.glb", "--too", "glb"]).exits(2).says("'--to'");
    run(at, &["convert", "none.glb", "--to", "glb"]).exits(1).says("none.glb: there is no such file");
    run(at, &["convert", "none.glb", "--to", "urhx"]).exits(2).says("did you mean `urhox`?");
    run(at, &["convert", "none.glb"]).exits(2).says("--to TARGET");
    run(at, &["convert", "none.glb", "-o", "out.xyz"]).exits(2).says("no target writes .xyz files");
    run(at, &["convert", "none.glb", "--to", "glb", "--from", "gtlf"]).exits(2).says("did you mean `gltf`?");
    run(at, &["convert", "none.glb", "--to", "glb", "-o", "x.gltf"]).exits(2).says("does not write .gltf files");
    run(at, &["convert", ".", "--to", "glb"]).exits(2).says("is a folder");
    run(at, &["convert", "", "--to", "glb"]).exits(2).says("is empty");
    run(at, &["convert", "none.glb", "--to", "glb", "-n", " "]).exits(2).says("--name is empty");
    run(at, &["convert", "none.glb", "-o", "x/r.glb", "--report", "./x/r.glb"]).exits(2).says("an output of this");
    assert!(entries(at).is_empty());
}

#[cfg(unix)]
#[test]
fn an_input_by_another_name_is_an_input() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    fs::hard_link(at.join("in.glb"), at.join("hard.glb")).expect("a link");
    std::os::unix::fs::symlink("in.glb", at.join("soft.glb")).expect("a link");
    for output in ["hard.glb", "soft.glb"] {
        run(at, &["convert", "in.glb", "-o", output, "--force", "--via", "scene"]).exits(1).says("is an input");
    }
    run(at, &["convert", "soft.glb", "-o", "in.glb", "--force", "--via", "scene"]).exits(1).says("is an input");
    assert_eq!(fs::read(at.join("in.glb")).expect("there"), triangle("", ""));
}

#[test]
fn the_ending_of_the_output_decides() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    run(at, &["convert", "in.glb", "-o", "new/出力.gltf"]).exits(0);
    assert!(files(at).contains(&"new/出力.gltf".to_owned()), "{:?}", files(at));
    run(at, &["convert", "in.glb", "-o", "OUT.GLB"]).exits(0);
    assert!(at.join("OUT.GLB").is_file());
    run(at, &["convert", "in.glb", "--to", "glb", "-o", "folder.glb/", "-n", "named"]).exits(0);
    assert!(at.join("folder.glb/named.glb").is_file());
    run(at, &["convert", "in.glb", "-o", "a.glb", "-n", "b"]).exits(2);
}

#[test]
fn never_overwrites_without_force_and_never_an_input() {
    let folder = folder();
    let at = folder.path();
    let input = triangle("", "");
    write(&at.join("in.glb"), &input);
    write(&at.join("out.glb"), b"mine");
    run(at, &["convert", "in.glb", "-o", "out.glb"]).exits(1).says("out.glb exists; --force overwrites it");
    assert_eq!(fs::read(at.join("out.glb")).expect("there"), b"mine");
    run(at, &["convert", "in.glb", "-o", "out.glb", "--force"]).exits(0);
    assert_eq!(fs::read(at.join("out.glb")).expect("there"), input, "untouched documents are written as they were");
    for output in ["in.glb", "./in.glb"] {
        run(at, &["convert", "in.glb", "-o", output, "--force"]).exits(1).says("is an input");
    }
    run(at, &["convert", "in.glb", "--to", "glb", "--force"]).exits(1).says("is an input");
    run(at, &["convert", "in.glb", "-o", "new.glb", "--report", "in.glb", "--force"]).exits(1).says("is an input");
    assert_eq!(fs::read(at.join("in.glb")).expect("there"), input);
    assert_eq!(entries(at), ["in.glb", "out.glb"]);
}

#[test]
fn a_way_through_a_missing_folder_and_back_is_refused() {
    let folder = folder();
    let at = folder.path();
    let input = triangle("", "");
    write(&at.join("in.glb"), &input);
    for output in ["./nox/../in.glb", "nox/../in.glb", "nox/deep/../../in.glb", "nox/../new.glb"] {
        for via in ["scene", "document"] {
            let arguments = ["convert", "in.glb", "-o", output, "--force", "--via", via];
            run(at, &arguments).exits(2).says("without ..");
            assert_eq!(entries(at), ["in.glb"], "{output}");
        }
    }
    run(at, &["convert", "in.glb", "--to", "urhox", "-o", "nox/.."]).exits(2).says("without ..");
    run(at, &["convert", "in.glb", "--to", "glb", "-o", "nox/..", "-n", "in", "--force"]).exits(2);
    run(at, &["convert", "in.glb", "-o", "new.glb", "--report", "nox/../in.glb", "--force"]).exits(2);
    run(at, &["dump", "in.glb", "-o", "nox/../in.glb", "--force"]).exits(2);
    assert_eq!(entries(at), ["in.glb"]);
    assert_eq!(fs::read(at.join("in.glb")).expect("there"), input);
    // Through folders that are there it is a path like any other.
    fs::create_dir(at.join("sub")).expect("writable");
    run(at, &["convert", "in.glb", "-o", "sub/../in.glb", "--force"]).exits(1).says("is an input");
    run(at, &["convert", "in.glb", "-o", "sub/../new/x.glb"]).exits(0);
    assert!(at.join("new/x.glb").is_file());
}

#[test]
fn a_file_that_an_input_refers_to_is_an_input_too() {
    let folder = folder();
    let at = folder.path();
    let (gltf, mut bin) = triangle_gltf("other.bin");
    bin.extend([1; 8]);
    write(&at.join("in.gltf"), &gltf);
    write(&at.join("other.bin"), &bin);
    // Written through the scene this makes other.gltf and other.bin.
    let run = run(at, &["convert", "in.gltf", "--via", "scene", "-o", "other.gltf", "--force"]).exits(1);
    assert!(run.stderr.contains("other.bin is an input"), "{}", run.stderr);
    assert_eq!(entries(at), ["in.gltf", "other.bin"]);
    assert_eq!(fs::read(at.join("other.bin")).expect("there"), bin);
    // An untouched copy beside the input shares its buffer.
    common::run(at, &["convert", "in.gltf", "-o", "copy.gltf"]).exits(0);
    assert_eq!(fs::read(at.join("copy.gltf")).expect("there"), gltf);
    assert_eq!(entries(at), ["copy.gltf", "in.gltf", "other.bin"]);
}

#[test]
fn a_dry_run_says_what_will_be_and_writes_nothing() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle_with_camera());
    let run_dry = |more: &[&str]| run(at, &[&["convert", "in.glb", "--to", "urhox", "--dry-run"], more].concat());
    let plan = run_dry(&[]).exits(0).out();
    assert!(plan.contains("in_UrhoX") && plan.contains("in.mdl"), "{plan}");
    assert!(plan.contains("expected lost: "), "{plan}");
    run_dry(&["--strict"]).exits(3);
    let plan = run(at, &["convert", "in.glb", "--to", "glb", "-n", "x", "--dry-run"]).exits(0).out();
    assert!(plan.contains("written back as it is"), "{plan}");
    assert_eq!(entries(at), ["in.glb"]);
}

/// A document that is written back is what the input was.
#[test]
fn a_damaged_input_of_the_targets_format_is_repaired_or_refused_as_an_input() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle(r#","rotation":[0,0,0,0]"#, ""));
    let same = |more: &[&str]| run(at, &[&["convert", "in.glb", "-o", "out.glb", "--force"], more].concat());
    for verify in ["structure", "full"] {
        same(&["--verify", verify]).exits(0).says("scene.rotation-length");
        assert_ne!(fs::read(at.join("out.glb")).expect("there"), fs::read(at.join("in.glb")).expect("there"));
    }
    let plan = same(&["--dry-run"]).exits(0);
    assert!(plan.out().contains("through the scene") && plan.stderr.contains("rotation-length"), "{}", plan.stderr);
    let refused = same(&["--via", "document"]).exits(1).says("the input is damaged").says("--via scene");
    assert!(!refused.stderr.contains("fault of anyrig"), "{}", refused.stderr);
    same(&["--via", "document", "--verify", "none"]).exits(0);
    assert_eq!(fs::read(at.join("out.glb")).expect("there"), fs::read(at.join("in.glb")).expect("there"));
    write(&at.join("bad.glb"), &triangle("", r#","extensionsRequired":["FOO_bar"],"extensionsUsed":["FOO_bar"]"#));
    let refused = run(at, &["convert", "bad.glb", "-o", "no.glb"]).exits(1).says("FOO_bar");
    assert!(!refused.stderr.contains("fault of anyrig"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_written_is_told_before_any_work() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    write(&at.join("file"), b"x");
    for report in ["file/r.json", "out", "out/deeper/.."] {
        let convert = ["convert", "in.glb", "--to", "urhox", "-o", "out/deeper", "--report", report];
        assert_ne!(run(at, &convert).code, 0, "{report}");
        assert_eq!(entries(at), ["file", "in.glb"], "{report}");
    }
    // A dry run ends as the run would.
    run(at, &["convert", "in.glb", "--to", "urhox", "-o", "file", "--dry-run"]).exits(1).says("is a file");
    run(at, &["convert", "in.glb", "--to", "urhox", "-o", "file"]).exits(1).says("is a file");
    write(&at.join("out.glb"), b"x");
    run(at, &["convert", "in.glb", "-o", "out.glb", "--dry-run"]).exits(1).says("--force");
    run(at, &["convert", "in.glb", "-o", "out.glb", "--dry-run", "--force"]).exits(0);
    // Two kinds of data do not go to one stream.
    let both = ["convert", "in.glb", "--to", "glb", "-o", "-", "--report", "-"];
    assert!(run(at, &both).exits(2).says("not both").stdout.is_empty());
    run(at, &["convert", "in.glb", "--to", "urhox", "--scale", "1e-45"]).exits(2).says("1e-12 to 1e12");
}

#[test]
fn strict_makes_losses_exit_code_3_and_writes_nothing() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle_with_camera());
    run(at, &["convert", "in.glb", "--to", "urhox", "--strict"]).exits(3).says("would be lost");
    assert_eq!(entries(at), ["in.glb"]);
    run(at, &["convert", "in.glb", "--to", "urhox"]).exits(0).says("lost:");
    write(&at.join("plain.glb"), &triangle("", ""));
    run(at, &["convert", "plain.glb", "--to", "gltf", "--strict", "-o", "strict/"]).exits(0);
}

/// As `head -c 1` does.
#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let folder = folder();
    write(&folder.path().join("in.glb"), &triangle("", ""));
    let mut child = Command::new(env!("CARGO_BIN_EXE_anyrig"))
        .args(["convert", "in.glb", "--to", "glb", "-o", "-"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}

#[test]
fn streams_take_one_file() {
    let folder = folder();
    let at = folder.path();
    let input = triangle("", "");
    write(&at.join("in.glb"), &input);
    run(at, &["convert", "in.glb", "--via", "scene", "-o", "out.glb"]).exits(0);
    let piped = run_with_input(at, &["convert", "-", "--to", "glb", "--via", "scene", "-o", "-"], &input).exits(0);
    assert_eq!(piped.stdout, fs::read(at.join("out.glb")).expect("there"));
    assert!(piped.stderr.contains("- → -"), "{}", piped.stderr);
    run_with_input(at, &["convert", "-", "--to", "glb", "-n", "名前"], &input).exits(0);
    assert_eq!(fs::read(at.join("名前.glb")).expect("there"), input);
    run_with_input(at, &["convert", "-", "--to", "urhox", "-o", "-"], &input).exits(2).says("several files");
    run_with_input(at, &["convert", "-", "--to", "gltf", "-o", "-"], &input).exits(2).says("standard output takes one");
    run_with_input(at, &["convert", "-", "-", "--to", "glb"], &input).exits(2);
    run_with_input(at, &["convert", "-", "in.glb", "--to", "glb", "-o", "-"], &input).exits(2);
    run_with_input(at, &["convert", "-", "--to", "glb", "-o", "-"], b"").exits(1).says("empty");
}

#[test]
fn a_batch_goes_on_and_ends_with_a_table_and_the_worst_code() {
    let folder = folder();
    let at = folder.path();
    for name in ["models/a.glb", "models/子/b.glb", "models/b[1].glb"] {
        write(&at.join(name), &triangle("", ""));
    }
    write(&at.join("models/broken.glb"), &triangle("", "")[..50]);
    write(&at.join("models/notes.txt"), b"no model");
    let run_all =
        |more: &[&str]| run(at, &[&["convert", "models/**/*.glb", "none.glb", "--to", "urhox"], more].concat());
    let batch = run_all(&["-o", "out", "--jobs", "2"]).exits(1);
    let table: Vec<_> =
        batch.out().lines().filter(|l| l.contains("done") || l.contains("failed")).map(str::to_owned).collect();
    assert_eq!(table.len(), 5, "{}", batch.out());
    assert!(table[0].starts_with("models/a.glb") && table[0].ends_with("a.mdl"), "{table:?}");
    assert!(batch.out().ends_with("3 of 5 inputs converted\n"), "{}", batch.out());
    assert!(batch.stderr.contains("broken.glb") && batch.stderr.contains("none.glb"), "{}", batch.stderr);
    assert_eq!(entries(&at.join("out")), ["a_UrhoX", "b[1]_UrhoX", "b_UrhoX"]);
    let quiet = run_all(&["-o", "quiet", "-q"]).exits(1);
    assert_eq!(quiet.out(), "");
    assert_eq!(files(&at.join("quiet")), files(&at.join("out")));
    run(at, &["convert", "models/*.glb", "--to", "glb", "-n", "x", "-o", "out2"]).exits(2);
}

#[test]
fn inputs_that_would_write_the_same_output_are_refused_before_any_work() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("a/Fox.glb"), &triangle("", ""));
    write(&at.join("b/fox.glb"), &triangle("", ""));
    run(at, &["convert", "*/*.glb", "--to", "urhox"]).exits(2).says("would write the same output");
    assert_eq!(entries(at), ["a", "b"]);
    // The same file twice is one input.
    run(at, &["convert", "a/Fox.glb", "./a/Fox.glb", "--to", "glb"]).exits(0);
}

#[test]
fn options_are_checked_before_any_work() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let convert = |more: &[&str]| run(at, &[&["convert", "in.glb", "--to", "urhox"], more].concat());
    convert(&["-O", "max-bnes=3"]).exits(2).says("did you mean `max-bones`?");
    convert(&["-O", "max-bones=many"]).exits(2).says("max-bones");
    convert(&["-O", "max-bones"]).exits(2).says("KEY=VALUE");
    convert(&["--handedness", "reflect-w"]).exits(2).says("did you mean `reflect-");
    convert(&["--scale", "big"]).exits(2).says("scale");
    run(at, &["convert", "in.glb", "--to", "glb", "-n", "x", "--via", "document", "-O", "generator=me"]).exits(2);
    assert_eq!(entries(at), ["in.glb"]);
    // Flags of one target, given to another: no list of what glb has, but who has it.
    for flag in [&["--scale", "2"][..], &["--flip-v"], &["--handedness", "reflect-x"], &["-O", "max-bones=3"]] {
        let arguments = [&["convert", "in.glb", "--to", "glb", "-n", "x"], flag].concat();
        let failure =
            run(at, &arguments).exits(2).says("is for the target urhox, urho3d, rbfx; `glb` has no such option");
        assert!(failure.stderr.contains(flag[0]), "{}", failure.stderr);
    }
    let unknown = run(at, &["convert", "in.glb", "--to", "glb", "-n", "x", "-O", "genrator=me"]).exits(2);
    assert_eq!(unknown.stderr.matches("resources").count(), 1, "{}", unknown.stderr);
    assert_eq!(entries(at), ["in.glb"]);
    // One spelling, and each option once.
    convert(&["-O", "max_bones=32"]).exits(2).says("did you mean `max-bones`?");
    convert(&["-O", "error=1", "-O", "error=2"]).exits(2).says("-O error=1 and -O error=2 set one option twice");
    convert(&["--scale", "2", "-O", "scale=2"]).exits(2).says("--scale and -O scale=2 set one option twice");
    convert(&["--scale", "2", "--scale", "3"]).exits(2).says("--scale");
    assert_eq!(entries(at), ["in.glb"]);
    convert(&["-O", "max-bones=32", "--handedness", "reflect-x", "--flip-v", "--scale", "0.01"]).exits(0);
    assert!(at.join("in_UrhoX/in.mdl").is_file());
}

#[test]
fn a_failed_conversion_leaves_nothing() {
    let folder = folder();
    let at = folder.path();
    let whole = triangle("", "");
    for length in [0, 3, 12, 40, whole.len() - 1] {
        write(&at.join("cut.glb"), &whole[..length]);
        run(at, &["convert", "cut.glb", "--to", "urhox", "-o", "new/deep"]).exits(1).says("cut.glb");
        run(at, &["convert", "cut.glb", "--to", "glb", "-o", "new.glb", "-q"]).exits(1);
        assert_eq!(entries(at), ["cut.glb"], "cut at {length}");
    }
    // The second file of the bundle cannot be placed: the first one goes too.
    write(&at.join("cut.glb"), &triangle_with_material());
    write(&at.join("out/Materials"), b"a file where a folder is wanted");
    run(at, &["convert", "cut.glb", "--to", "urhox", "-o", "out"]).exits(1);
    assert_eq!(files(&at.join("out")), ["Materials"]);
}

#[test]
fn names_of_any_language_and_hostile_names() {
    let folder = folder();
    let at = folder.path();
    let (gltf, bin) = triangle_gltf("データ/頂点%20データ.bin");
    write(&at.join("モデル 入力/狐 — лиса.gltf"), &gltf);
    write(&at.join("モデル 入力/データ/頂点 データ.bin"), &bin);
    run(at, &["convert", "モデル 入力/狐 — лиса.gltf", "--to", "urhox"]).exits(0);
    assert!(at.join("狐 — лиса_UrhoX/狐 — лиса.mdl").is_file(), "{:?}", files(at));
    write(&at.join("secret.bin"), &bin);
    let outside = at.join("secret.bin").to_string_lossy().into_owned();
    for name in ["../secret.bin", "..%2Fsecret.bin", "..\\\\secret.bin", outside.as_str(), "file:///etc/hosts"] {
        write(&at.join("in/a.gltf"), &triangle_gltf(name).0);
        run(at, &["convert", "in/a.gltf", "--to", "glb", "-o", "out.glb"]).exits(1);
        assert!(!at.join("out.glb").exists(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let at = folder.path();
    let name = OsStr::from_bytes(b"b\xffd.glb");
    // Some file systems take no such name.
    if fs::write(at.join(name), triangle("", "")).is_err() {
        return;
    }
    let out = OsStr::from_bytes(b"o\xfet.glb");
    let arguments: Vec<OsString> = ["convert".into(), name.to_owned(), "-o".into(), out.to_owned()].to_vec();
    run(at, &arguments).exits(0);
    assert_eq!(fs::read(at.join(out)).expect("there"), triangle("", ""));
    // As the stem of an input, what -n says becomes text that every system takes.
    let named = ["convert", "--to", "glb", "-n"].map(OsString::from).to_vec();
    run(at, &[named, vec![OsStr::from_bytes(b"n\xffd").to_owned(), name.to_owned()]].concat()).exits(0);
    assert_eq!(fs::read(at.join("n\u{fffd}d.glb")).expect("there"), triangle("", ""));
}

#[test]
fn the_report_is_json_and_the_same_for_any_number_of_threads() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("a.glb"), &triangle_with_camera());
    write(&at.join("b.glb"), &triangle("", "")[..30]);
    let report = |jobs: &str| {
        let at = at.join(format!("run{jobs}"));
        fs::create_dir(&at).expect("writable");
        let arguments =
            ["convert", "../a.glb", "../b.glb", "--to", "urhox", "--report", "r.json", "--jobs", jobs, "-q"];
        run(&at, &arguments).exits(1);
        fs::read_to_string(at.join("r.json")).expect("there")
    };
    let text = report("1");
    assert_eq!(text, report("3"));
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let conversions = json["conversions"].as_array().expect("a list");
    assert_eq!(conversions.len(), 2);
    let first = &conversions[0];
    assert_eq!((&first["exit_code"], &first["road"], &first["error"]), (&0.into(), &"scene".into(), &().into()));
    let lost: Vec<_> = first["report"].as_array().expect("a list").iter().filter(|d| d["severity"] == "lost").collect();
    assert_eq!(lost.len(), 1, "{text}");
    let main = first["files"][0]["path"].as_str().expect("a path");
    assert_eq!(fs::metadata(at.join("run1").join(main)).expect("there").len(), first["files"][0]["bytes"]);
    assert_eq!(conversions[1]["exit_code"], 1);
    assert!(conversions[1]["error"].as_str().is_some_and(|e| e.contains("b.glb")), "{text}");
}

#[test]
fn colours_only_when_wanted() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle_with_camera());
    let plain = run(at, &["convert", "in.glb", "--to", "urhox"]).exits(0);
    assert!(!plain.stderr.contains('\x1b') && !plain.out().contains('\x1b'));
    let coloured = run(at, &["convert", "in.glb", "--to", "urhox", "--force", "--color", "always"]).exits(0);
    assert!(coloured.stderr.contains('\x1b') && coloured.out().contains('\x1b'));
}

#[test]
fn limits_are_flags() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    run(at, &["convert", "in.glb", "-o", "o.glb", "--limit-input", "100"]).exits(1).says("--limit-input raises it");
    run(at, &["inspect", "in.glb", "--limit-elements", "1"]).exits(1).says("--limit-elements raises it");
    run(at, &["inspect", "in.glb", "--limit-memory", "1"]).exits(1).says("--limit-memory raises it");
    run(at, &["inspect", "in.glb", "--limit-memory", "lots"]).exits(2);
    run(at, &["inspect", "in.glb", "--limit-input", "100"]).exits(1).says("--limit-input raises it");
    run(at, &["inspect", "in.glb", "--limit-elements", "-1"]).exits(2);
    run(at, &["inspect", "in.glb", "--limit-elements", "99999999999999999999"]).exits(2);
    run(at, &["inspect", "in.glb", "--limit-elements", "18446744073709551615", "--limit-depth", "4294967295"]).exits(0);
}

/// Only images that the target wants otherwise are decoded, such as a map of roughness and metal.
#[test]
fn the_limit_of_pixels_bounds_images_that_are_decoded() {
    let folder = folder();
    let at = folder.path();
    let (gltf, bin) = triangle_gltf("data.bin");
    let text = String::from_utf8(gltf).expect("JSON").replace(r#""attributes""#, r#""material":0,"attributes""#);
    let material = r#""materials":[{"pbrMetallicRoughness":{"metallicRoughnessTexture":{"index":0}}}],
        "textures":[{"source":0}],"images":[{"uri":"map.png"}],"buffers""#;
    write(&at.join("in.gltf"), text.replace(r#""buffers""#, material).as_bytes());
    write(&at.join("data.bin"), &bin);
    let map = anyrig::image::Rgba8Image::new(2, 2, vec![128; 16]).expect("four pixels");
    write(&at.join("map.png"), &anyrig::image::encode_png(&map).expect("small"));
    let convert = |limit: &str, to: &str| {
        run(at, &["convert", "in.gltf", "--to", to, "-o", "o/", "--limit-pixels", limit, "--force"])
    };
    convert("3", "urhox").exits(1).says("2 × 2 pixels are more than the limit of 3; --limit-pixels raises it");
    let enough = convert("4", "urhox").exits(0);
    assert!(!enough.stderr.contains("pixels"), "{}", enough.stderr);
    assert!(files(&at.join("o")).iter().any(|f| f.ends_with("roughmetal.png")), "{:?}", files(&at.join("o")));
    let untouched = convert("1", "glb").exits(0);
    assert!(!untouched.stderr.contains("pixels"), "{}", untouched.stderr);
    run(at, &["inspect", "in.gltf", "--limit-pixels", "many"]).exits(2);
}

#[test]
fn the_limit_of_depth_bounds_nodes_and_values() {
    let folder = folder();
    let at = folder.path();
    let nodes: Vec<_> = (1..20).map(|child| format!(r#"{{"children":[{child}]}}"#)).collect();
    let chain =
        format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{},{{}}]}}"#, nodes.join(","));
    write(&at.join("chain.gltf"), chain.as_bytes());
    run(at, &["inspect", "chain.gltf", "--limit-depth", "19"]).exits(1).says("--limit-depth raises it");
    run(at, &["convert", "chain.gltf", "--via", "scene", "-o", "o.glb", "--limit-depth", "19"])
        .exits(1)
        .says("19 levels");
    run(at, &["inspect", "chain.gltf", "--limit-depth", "20"]).exits(0);
    let text = r#"{"asset":{"version":"2.0","extras":[[[[[["]]]]\""]]]]]]}}"#;
    write(&at.join("values.gltf"), text.as_bytes());
    run(at, &["inspect", "values.gltf", "--limit-depth", "7"]).exits(1).says("levels of values");
    run(at, &["inspect", "values.gltf", "--limit-depth", "8"]).exits(0);
}

#[test]
fn the_limit_of_input_bounds_the_files_beside_too() {
    let folder = folder();
    let at = folder.path();
    let (gltf, bin) = triangle_gltf("data.bin");
    write(&at.join("in.gltf"), &gltf);
    let mut long = bin;
    long.resize(gltf.len() + 1000, 0);
    write(&at.join("data.bin"), &long);
    let limit = (gltf.len() + 10).to_string();
    run(at, &["inspect", "in.gltf", "--limit-input", &limit]).exits(1).says("data.bin");
    run(at, &["inspect", "in.gltf"]).exits(0);
}

#[test]
fn nothing_to_convert_is_an_error() {
    let folder = folder();
    let at = folder.path();
    let start = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"#;
    let empty = r#""accessors":[{"componentType":5126,"type":"VEC3","count":0}],"#;
    let meshes = [
        (r#""meshes":[{"primitives":[]}]}"#, ""),
        (r#""meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}"#, empty),
        (r#""meshes":[{"primitives":[{"attributes":{}}]}]}"#, ""),
    ];
    for (mesh, accessors) in meshes {
        write(&at.join("in.gltf"), format!("{start}{accessors}{mesh}").as_bytes());
        run(at, &["convert", "in.gltf", "--to", "urhox"]).exits(1).says("no geometry and no motion");
        assert_eq!(entries(at), ["in.gltf"], "{mesh}");
    }
}

#[test]
fn what_an_earlier_run_left_is_named_and_kept() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle_with_material());
    let convert = |more: &[&str]| run(at, &[&["convert", "in.glb", "--to", "urhox", "--force"], more].concat());
    let first = convert(&[]).exits(0);
    assert!(!first.stderr.contains("left alone"), "{}", first.stderr);
    write(&at.join("in_UrhoX/Animations/Old.ani"), b"mine");
    write(&at.join("in_UrhoX/Materials/old.xml"), b"mine");
    write(&at.join("in_UrhoX/notes.md"), b"mine");
    let second =
        convert(&["--report", "r.json"]).exits(0).says("2 files there are not of this conversion and left alone");
    assert!(second.stderr.contains("Animations/Old.ani, Materials/old.xml"), "{}", second.stderr);
    for file in ["Animations/Old.ani", "Materials/old.xml", "notes.md"] {
        assert_eq!(fs::read(at.join("in_UrhoX").join(file)).expect("there"), b"mine", "{file}");
    }
    let report = fs::read_to_string(at.join("r.json")).expect("there");
    assert_eq!(report.matches("convert.left-over").count(), 2, "{report}");
}
