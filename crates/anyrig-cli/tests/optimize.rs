//! What `anyrig optimize` does with files, folders, streams and exit codes.

mod common;

use common::{entries, files, folder, glb, run, run_with_input, triangle, write};
use std::fs;
use std::path::Path;

/// A strip of quads whose triangles have points of their own, each twice written, in a linear clip with superfluous
/// keys, and a material that nothing wears. Sizes by the glTF 2.0 specification.
fn wasteful() -> Vec<u8> {
    let quads = 40u32;
    let (mut binary, mut corners) = (Vec::new(), 0u32);
    for quad in 0..quads {
        let x = quad as f32;
        for [dx, y] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0f32]] {
            binary.extend([x + dx, y, 0.0].iter().flat_map(|v: &f32| v.to_le_bytes()));
            corners += 1;
        }
    }
    let positions = binary.len();
    let keys = 60u32;
    binary.extend((0..keys).flat_map(|k| (k as f32 / 30.0).to_le_bytes()));
    let times = binary.len();
    binary.extend((0..keys).flat_map(|k| [k as f32, 0.0, 0.0]).flat_map(f32::to_le_bytes));
    let values = binary.len();
    let end = (keys - 1) as f32 / 30.0;
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"mesh": 0, "name": "strip"}}], "materials": [{{"name": "unused"}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
        "animations": [{{"name": "slide", "channels": [{{"sampler": 0, "target": {{"node": 0, "path": "translation"}}}}],
            "samplers": [{{"input": 1, "output": 2}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": {corners}, "type": "VEC3", "min": [0, 0, 0], "max": [{quads}, 1, 0]}},
            {{"bufferView": 1, "componentType": 5126, "count": {keys}, "type": "SCALAR", "min": [0], "max": [{end}]}},
            {{"bufferView": 2, "componentType": 5126, "count": {keys}, "type": "VEC3"}}],
        "bufferViews": [
            {{"buffer": 0, "byteLength": {positions}}},
            {{"buffer": 0, "byteOffset": {positions}, "byteLength": {}}},
            {{"buffer": 0, "byteOffset": {times}, "byteLength": {}}}],
        "buffers": [{{"byteLength": {values}}}]}}"#,
        times - positions,
        values - times,
    );
    glb(&json, &binary)
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).expect("written").len()
}

#[test]
fn a_wasteful_file_becomes_smaller_and_says_how() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &wasteful());
    let done = run(at, &["optimize", "in.glb"]).exits(0);
    let text = done.out();
    assert!(
        text.starts_with("in.glb → ")
            && text.contains("in_optimized.glb (4.9 kB became ")
            && text.contains("% smaller)"),
        "{text}"
    );
    for line in [
        "prune            1 material fewer",
        "weld             240 points became 82",
        "reduce-keys      60 keys became 2",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert_eq!(entries(at), ["in.glb", "in_optimized.glb"]);
    // 240 points of 12 bytes became 82, and 240 corners of a byte; 60 keys of 16 bytes became 2.
    let (before, after) = (size(&at.join("in.glb")), size(&at.join("in_optimized.glb")));
    assert!(after + 1500 + 900 < before, "{before} became {after}");
    run(at, &["validate", "in_optimized.glb"]).exits(0);
    run(at, &["diff", "in_optimized.glb", "in_optimized.glb", "--exit-code"]).exits(0);
    let same = fs::read(at.join("in_optimized.glb")).expect("written");
    run(at, &["optimize", "in.glb", "--force", "--jobs", "1"]).exits(0);
    assert!(fs::read(at.join("in_optimized.glb")).expect("written") == same, "threads change no byte");
}

#[test]
fn what_does_not_become_smaller_is_written_as_it_was() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let done = run(at, &["optimize", "in.glb", "-o", "out/"]).exits(0);
    assert!(done.out().contains("as it was: nothing smaller came out"), "{}", done.out());
    assert_eq!(fs::read(at.join("out/in.glb")).expect("written"), triangle("", ""));
    // Options of the target are followed, and what comes of it is told.
    let larger = run(at, &["optimize", "in.glb", "-o", "packed/", "-O", "meshopt=khr"]).exits(0);
    assert!(larger.out().contains("which is larger"), "{}", larger.out());
    assert!(size(&at.join("packed/in.glb")) > size(&at.join("in.glb")));
    // The optimised file of an optimised file is that file.
    write(&at.join("big.glb"), &wasteful());
    run(at, &["optimize", "big.glb", "-o", "out/"]).exits(0);
    run(at, &["optimize", "out/big.glb", "-o", "again/"]).exits(0);
    assert!(fs::read(at.join("out/big.glb")).expect("written") == fs::read(at.join("again/big.glb")).expect("written"));
}

#[test]
fn passes_are_chosen_by_name() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &wasteful());
    let only = run(at, &["optimize", "in.glb", "-o", "a/", "--only", "weld"]).exits(0).out();
    assert!(only.contains("weld") && !only.contains("reduce-keys") && !only.contains("prune"), "{only}");
    let skip = run(at, &["optimize", "in.glb", "-o", "b/", "--skip", "weld,prune"]).exits(0).out();
    assert!(!skip.contains("weld") && skip.contains("60 keys became 2"), "{skip}");
    let simple = run(at, &["optimize", "in.glb", "-o", "c/", "--simplify", "0.1"]).exits(0).out();
    assert!(
        simple.contains("simplify         80 triangles became 8") || simple.contains("80 triangles became 2"),
        "{simple}"
    );
    run(at, &["optimize", "in.glb", "--only", "wled"]).exits(2).says("did you mean `weld`?");
    run(at, &["optimize", "in.glb", "--simplify", "0"]).exits(2).says("a share of 0 of the triangles is none");
    run(at, &["optimize", "in.glb", "-O", "weld-position=near"]).exits(2).says("takes a value of type number");
    run(at, &["optimize", "in.glb", "-O", "nonsense=1"]).exits(2).says("no option is called `nonsense`");
    for words in [["--skip", "simplify", "--simplify", "0.5"], ["--only", "weld", "--skip", "weld"]] {
        run(at, &[&["optimize", "in.glb"], &words[..]].concat()).exits(2).says("leave one of both away");
    }
    run(at, &["optimize", "in.glb", "--max-influences", "0"]).exits(2).says("1 or more");
    for words in
        [["--simplify", "0.5", "-O", "simplify-ratio=0.9"], ["--max-influences", "1", "-O", "max-influences=3"]]
    {
        run(at, &[&["optimize", "in.glb"], &words[..]].concat()).exits(2).says("leave one of both away");
    }
    run(at, &["optimize", "in.glb", "-o", "x.fbx"]).exits(2).says(".fbx files are read but not written");
    let bent = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb");
    fs::copy(bent, at.join("bent.glb")).expect("a sample");
    let missed = ["optimize", "bent.glb", "-o", "d/", "--simplify", "0.01", "-O", "on-loss=accept"];
    let missed = run(at, &missed).exits(0).out();
    assert!(missed.contains(" were wanted, but") && missed.contains("-O simplify-error"), "{missed}");
    fs::remove_dir_all(at.join("d")).expect("removable");
    fs::remove_file(at.join("bent.glb")).expect("removable");
    let options = run(at, &["optimize", "--list-options"]).exits(0).out();
    assert!(
        options.contains("keys-rotation-rad (number; default 5e-05)")
            || options.contains("keys-rotation-rad (number; default 0.00005)"),
        "{options}"
    );
    assert_eq!(entries(at), ["a", "b", "c", "in.glb"]);
}

#[test]
fn reports_and_dry_runs() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &wasteful());
    let dry = run(at, &["optimize", "in.glb", "--dry-run"]).exits(0).out();
    assert!(dry.contains("nothing, as --dry-run wants it") && dry.contains("240 points became 82"), "{dry}");
    assert_eq!(entries(at), ["in.glb"]);
    run(at, &["optimize", "in.glb", "-o", "-", "--json"]).exits(2).says("not both");
    let json = run(at, &["optimize", "in.glb", "-o", "out/", "--json"]).exits(0);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON alone");
    let done = &report["conversions"][0]["optimization"];
    assert_eq!(done["outcome"], "optimized");
    assert_eq!(done["bytes_before"], size(&at.join("in.glb")));
    assert_eq!(done["bytes_after"], size(&at.join("out/in.glb")));
    let passes: Vec<_> = done["steps"].as_array().expect("a list").iter().map(|s| s["pass"].as_str()).collect();
    let expected = ["prune", "merge", "weld", "reorder", "reduce-keys", "share"];
    assert_eq!(passes, expected.map(Some));
}

#[test]
fn inputs_of_several_formats_keep_theirs_and_no_input_is_overwritten() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("a.glb"), &wasteful());
    run(at, &["convert", "a.glb", "--to", "gltf", "-o", "b.gltf"]).exits(0);
    run(at, &["optimize", "a.glb", "b.gltf", "-o", "out/", "--report", "r.json"]).exits(0);
    let written = files(&at.join("out"));
    assert!(
        written.iter().any(|f| f.ends_with("a.glb")) && written.iter().any(|f| f.ends_with("b.gltf")),
        "{written:?}"
    );
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(at.join("r.json")).expect("written")).expect("JSON");
    assert_eq!(report["conversions"].as_array().map(Vec::len), Some(2));
    run(at, &["optimize", "a.glb", "-o", "a.glb", "--force"]).exits(1).says("is an input");
    run(at, &["optimize", "a.glb", "-o", "out/a.glb"]).exits(1).says("--force");
    assert!(fs::read(at.join("a.glb")).expect("there") == wasteful());
    let stream = run_with_input(at, &["optimize", "-", "--to", "glb", "-o", "-"], &wasteful()).exits(0);
    assert!(stream.stdout.starts_with(b"glTF") && stream.stdout.len() < wasteful().len());
    run_with_input(at, &["optimize", "-", "-o", "-"], &wasteful()).exits(2).says("say with --to");
}

/// Wherever it stands in the batch: what is no model, what is read but not written, what is not there.
#[test]
fn an_input_that_nothing_can_write_holds_up_no_other() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("a.glb"), &wasteful());
    write(&at.join("noise.glb"), b"no model at all");
    write(&at.join("read.fbx"), b"; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\n");
    let inputs = ["noise.glb", "read.fbx", "none.glb", "a.glb"];
    for turn in 0..inputs.len() {
        let mut words = inputs.to_vec();
        words.rotate_left(turn);
        let out = format!("out{turn}");
        let report = format!("r{turn}.json");
        let batch = [&["optimize"], words.as_slice(), &["-o", &out, "--report", &report]].concat();
        let done = run(at, &batch).exits(1);
        for name in &inputs[..3] {
            assert!(done.stderr.contains(&format!("error: {name}")), "{}", done.stderr);
        }
        assert!(done.out().ends_with("1 of 4 inputs optimised\n"), "{}", done.out());
        assert_eq!(done.out().matches("failed").count(), 3, "{}", done.out());
        assert_eq!(entries(&at.join(out)), ["a.glb"]);
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(at.join(report)).expect("written")).expect("JSON");
        let codes = report["conversions"].as_array().expect("a list").iter().map(|c| c["exit_code"].as_u64());
        assert_eq!(codes.map(Option::unwrap_or_default).sum::<u64>(), 3);
    }
    let all_wrong = run(at, &["optimize", "noise.glb", "none.glb"]).exits(1);
    assert!(all_wrong.out().ends_with("0 of 2 inputs optimised\n"), "{}", all_wrong.out());
    run(at, &["optimize", "noise.glb"]).exits(1);
    run(at, &["optimize", "noise.glb", "a.glb", "-n", "x"]).exits(2).says("--name is for one input");
    run(at, &["optimize", "noise.glb", "a.glb", "-o", "-"]).exits(2).says("standard output takes one");
}

#[test]
fn inputs_of_two_formats_share_one_table() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("a.glb"), &wasteful());
    run(at, &["convert", "a.glb", "--to", "gltf", "-o", "b.gltf"]).exits(0);
    let done = run(at, &["optimize", "a.glb", "b.gltf", "-o", "out/"]).exits(0);
    assert!(done.out().ends_with("2 of 2 inputs optimised\n"), "{}", done.out());
}

#[test]
fn what_one_target_writes_is_never_the_input_of_another() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("strip.glb"), &wasteful());
    run(at, &["convert", "strip.glb", "--to", "gltf", "-o", "sub", "-n", "m"]).exits(0);
    // Its buffer would get the name of the other input, whose content says GLB.
    write(&at.join("m.bin"), &wasteful());
    assert!(files(at).contains(&"sub/m.bin".to_owned()), "{:?}", files(at));
    run(at, &["optimize", "sub/m.gltf", "m.bin", "-o", ".", "--force"]).exits(1);
    assert_eq!(fs::read(at.join("m.bin")).expect("there"), wasteful());
}
