//! `dissect`, `diff`, `edit`, `dump` and `load`.

mod common;

use common::{corpus, entries, folder, run, run_with_input, triangle, write};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).expect("readable")
}

#[test]
fn dissect_shows_every_byte_as_text_json_and_page() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let text = run(at, &["dissect", "in.glb"]).exits(0).out();
    for words in
        ["100.00 % named", "header.magic", "\"glTF\"", "nodes[0].name", "POSITION of meshes[0]", "3 × 12 bytes"]
    {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let found = json(&run(at, &["dissect", "in.glb", "--json"]).exits(0).out());
    let size = bytes(&at.join("in.glb")).len() as u64;
    assert_eq!((found["bytes"].as_u64(), found["shares"]["named"].as_u64()), (Some(size), Some(size)));
    let positions = found["spans"].as_array().and_then(|s| s.iter().find(|s| s["kind"] == "array")).expect("an array");
    assert_eq!(positions["elements"][2], serde_json::json!([0.0, 2.0, 0.0]));

    let one = json(&run(at, &["dissect", "in.glb", "--json", "--path", "nodes[0]"]).exits(0).out());
    let paths: Vec<&str> = one["spans"].as_array().expect("a list").iter().filter_map(|s| s["path"].as_str()).collect();
    assert_eq!(paths, ["nodes[0].name", "nodes[0].mesh"]);
    let head = json(&run(at, &["dissect", "in.glb", "--json", "--range", "0..0xc"]).exits(0).out());
    assert_eq!(head["spans"].as_array().map(Vec::len), Some(3));
    run(at, &["dissect", "in.glb", "--path", "nodez[0]"]).exits(2).says("nodes[0]");
    run(at, &["dissect", "in.glb", "--range", "9..3"]).exits(2);

    run(at, &["dissect", "in.glb", "--html", "page.html"]).exits(0);
    let page = fs::read_to_string(at.join("page.html")).expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.contains("header.magic") && !page.contains("http"));
    run(at, &["dissect", "in.glb", "--html", "page.html"]).exits(1).says("--force");
    run(at, &["dissect", "in.glb", "--html", "in.glb", "--force"]).exits(1).says("input");
    assert_eq!(bytes(&at.join("in.glb")), triangle("", ""));
}

#[test]
fn bytes_without_meaning_stand_out() {
    let folder = folder();
    let at = folder.path();
    let mut file = triangle("", "");
    file.extend(b"something else");
    write(&at.join("in.glb"), &file);
    let found = json(&run(at, &["dissect", "in.glb", "--json"]).exits(0).out());
    assert_eq!(found["shares"]["unknown"], 14);
    assert!(run(at, &["dissect", "in.glb"]).exits(0).out().contains("? trailing"));
}

#[test]
fn dump_and_load_give_the_same_bytes_and_overwrite_nothing() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let dump = run(at, &["dump", "in.glb"]).exits(0).stdout;
    let loaded = run_with_input(at, &["load", "-", "-o", "-"], &dump).exits(0).stdout;
    assert_eq!(loaded, triangle("", ""));
    run(at, &["dump", "in.glb", "-o", "in.json", "--arrays", "base64"]).exits(0);
    run(at, &["load", "in.json", "-o", "out.glb"]).exits(0);
    assert_eq!(bytes(&at.join("out.glb")), triangle("", ""));
    run(at, &["load", "in.json", "-o", "out.glb"]).exits(1).says("--force");
    run(at, &["load", "in.json", "-o", "in.json", "--force"]).exits(1).says("input");
    run(at, &["load", "in.json", "-o", "other.mdl"]).exits(2).says("this is a .glb file");
    run(at, &["dump", "in.glb", "-o", "in.glb", "--force"]).exits(1).says("input");
    assert_eq!(entries(at), ["in.glb", "in.json", "out.glb"]);
}

#[test]
fn damaged_dumps_are_refused_with_their_place() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let dump = run(at, &["dump", "in.glb"]).exits(0).out();
    let cases = [
        ("\"version\": 2", "\"version\": \"two\"", "/document/header/version"),
        ("\"version\": 2", "\"verison\": 2", "/document/header/version"),
        ("\"anyrig_dump\": 1", "\"anyrig_dump\": 99", "/anyrig_dump"),
        ("\"format\": \"glb\"", "\"format\": \"glx\"", "/format"),
        ("{\"$hex\": \"", "{\"$hex\": \"x", "/document/chunks/1/bin"),
    ];
    for (old, new, place) in cases {
        let damaged = dump.replacen(old, new, 1);
        assert_ne!(damaged, dump, "{old}");
        run_with_input(at, &["load", "-", "-o", "out.glb"], damaged.as_bytes()).exits(1).says(place);
    }
    run_with_input(at, &["load", "-", "-o", "out.glb"], &dump.as_bytes()[..dump.len() / 2]).exits(1).says("line");
    run_with_input(at, &["load", "-", "-o", "out.glb"], b"{}").exits(1).says("anyrig dump");
    assert_eq!(entries(at), ["in.glb"]);
}

#[test]
fn edit_sets_one_field_and_replaces_only_when_told() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    run(at, &["edit", "in.glb", "--set", "nodes[three].name=four", "-o", "out.glb"]).exits(0);
    let json_of = |file: &[u8]| {
        let len = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
        String::from_utf8(file[20..20 + len].to_vec()).expect("UTF-8")
    };
    let (before, after) = (triangle("", ""), bytes(&at.join("out.glb")));
    assert_eq!(json_of(&after).trim_end(), json_of(&before).trim_end().replace("three", "four"));
    assert_eq!(after[after.len() - 44..], before[before.len() - 44..]);
    assert_eq!(after[8..12], u32::try_from(after.len()).expect("small").to_le_bytes());
    let found = json(&run(at, &["inspect", "out.glb", "--json"]).exits(0).out());
    assert_eq!(found["tree"][0]["name"], "four");

    run(at, &["edit", "in.glb", "--set", "nodes[three].nmae=x", "-o", "no.glb"]).exits(2).says("nodes[0].name");
    run(at, &["edit", "in.glb", "--set", "nodes[0].mesh=x", "-o", "no.glb"]).exits(2).says("a number");
    run(at, &["edit", "in.glb", "--set", "nonsense", "-o", "no.glb"]).exits(2).says("PATH=VALUE");
    run(at, &["edit", "in.glb", "--set", "nodes[0].name=x"]).exits(2).says("--in-place");
    run(at, &["edit", "in.glb", "--set", "nodes[0].name=x", "-o", "in.glb", "--force"]).exits(1).says("input");
    assert_eq!(bytes(&at.join("in.glb")), triangle("", ""));
    // All fields are set, or none.
    let two = ["edit", "in.glb", "--set", "nodes[0].name=x", "--set", "nodes[9].name=x", "--in-place"];
    run(at, &two).exits(2).says("nodes[0]");
    assert_eq!(bytes(&at.join("in.glb")), triangle("", ""));

    run(at, &["edit", "in.glb", "--add", "nodes[0].scale=[2, 2, 2]", "--in-place"]).exits(0);
    assert_eq!(entries(at), ["in.glb", "out.glb"]);
    let found = json(&run(at, &["dissect", "in.glb", "--json", "--path", "nodes[0].scale"]).exits(0).out());
    assert_eq!(found["spans"][0]["value"], serde_json::json!([2, 2, 2]));
}

#[test]
fn diff_tells_fields_and_the_exit_code_when_asked() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("a.glb"), &triangle("", ""));
    run(at, &["edit", "a.glb", "--set", "nodes[0].name=other", "-o", "b.glb"]).exits(0);
    let text = run(at, &["diff", "a.glb", "b.glb"]).exits(0).out();
    assert!(text.contains("nodes[0].name") && text.contains("\"three\" against \"other\""), "{text}");
    assert!(text.contains("1 difference\n"), "{text}");
    assert!(run(at, &["diff", "a.glb", "b.glb", "--exit-code", "-q"]).exits(1).out().is_empty());
    assert!(run(at, &["diff", "a.glb", "a.glb", "--exit-code"]).exits(0).out().contains("no differences"));
    let found = json(&run(at, &["diff", "a.glb", "b.glb", "--json"]).exits(0).out());
    assert_eq!(found["road"], "document");
    let difference = &found["differences"][0];
    assert_eq!((&difference["a"], &difference["b"]), (&"three".into(), &"other".into()));
    let text = run(at, &["diff", "a.glb", "b.glb", "--as", "index"]).exits(0).out();
    assert!(text.contains("as scenes") && text.contains("nodes[0].name"), "{text}");
    run(at, &["diff", "a.glb", "b.glb", "--tolerance", "-1"]).exits(2);
    run(at, &["diff", "-", "-"]).exits(2).says("once");
    run(at, &["diff", "a.glb", "none.glb"]).exits(1);
}

#[test]
fn a_conversion_differs_from_its_source_in_nothing_but_what_the_target_lacks() {
    let Some(corpus) = corpus() else { return };
    let folder = folder();
    let at = folder.path();
    let fox = walk(&corpus).into_iter().find(|p| p.ends_with("Fox.glb")).expect("the corpus has a fox");
    let fox = fox.to_str().expect("a name");
    run(at, &["convert", fox, "--to", "urhox", "-o", "out", "-n", "Fox"]).exits(0);
    let found = json(&run(at, &["diff", fox, "out/Fox.mdl", "--json", "--keep-space"]).exits(0).out());
    assert_eq!(found["road"], "scene");
    let paths = |found: &Value| -> Vec<String> {
        let all = found["differences"].as_array().expect("a list").iter();
        all.filter_map(|d| d["path"].as_str().map(str::to_owned)).collect()
    };
    let different = paths(&found);
    assert!(!different.iter().any(|p| p.starts_with("vertices")), "{different:?}");
    assert!(!different.iter().any(|p| p == "clips"), "the .ani files beside it are its clips: {different:?}");
    let alone = ["diff", fox, "out/Fox.mdl", "--json", "--keep-space", "--no-motion"];
    assert!(paths(&json(&run(at, &alone).exits(0).out())).iter().any(|p| p == "clips"), "an .mdl has no clips");
    let one = ["diff", fox, "out/Fox.mdl", "--json", "--keep-space", "--motion", "out/Animations/Run.ani"];
    let one = paths(&json(&run(at, &one).exits(0).out()));
    assert!(one.contains(&"clips[Walk]".to_owned()) && !one.contains(&"clips[Run]".to_owned()), "{one:?}");
    run(at, &["diff", fox, fox, "--motion", "out/Animations/Run.ani"]).exits(2).says("--motion is for models");

    // A vertex that is moved by hand is found, first and largest.
    let set = "vertex_buffers[0].data[7].position[1]=500";
    run(at, &["edit", "out/Fox.mdl", "--set", set, "-o", "out/Moved.mdl"]).exits(0);
    let found = json(&run(at, &["diff", fox, "out/Moved.mdl", "--json", "--keep-space"]).exits(0).out());
    let moved = found["differences"].as_array().expect("a list").iter().find(|d| d["path"] == "vertices.position");
    let largest = &moved.expect("a difference")["elements"]["largest"];
    assert_eq!(largest["path"], "vertices[7].position[1]");
    assert_eq!(largest["b"].as_f64().map(f64::round), Some(500.0));
}

/// Clips that begin later in one file, and points in another order, are no differences.
#[test]
fn what_only_lies_elsewhere_in_time_or_order_is_no_difference() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("now.glb"), &triangle("", ""));
    // The last corner first.
    let mut turned = triangle("", "");
    let start = turned.len() - 36;
    turned[start..].rotate_right(12);
    write(&at.join("turned.glb"), &turned);
    // Turns of motions are sampled within 1e-4.
    let compared = |a: &str, b: &str| {
        json(&run(at, &["diff", a, b, "--as", "scene", "--json", "--tolerance", "1e-4"]).exits(0).out())
    };
    let turned = compared("now.glb", "turned.glb");
    assert_eq!(turned["differences"], serde_json::json!([]), "{turned}");
    assert!(turned["notes"][0].as_str().is_some_and(|n| n.contains("by their places")), "{turned}");
    let Some(corpus) = corpus() else { return };
    let fbx = corpus.join("fbx/ufbx/maya_game_sausage_7500_ascii_spin.fbx");
    let fbx = fbx.to_str().expect("text");
    run(at, &["convert", fbx, "-o", "spin.glb"]).exits(0);
    let found = compared(fbx, "spin.glb");
    // Corners with normals of their own are vertices in glTF.
    let all = found["differences"].as_array().expect("a list");
    assert!(all.iter().all(|d| d["path"] == "vertices"), "{all:?}");
    assert!(found["notes"].to_string().contains("from there on"), "{found}");
}

#[test]
fn a_write_protected_file_is_replaced_only_by_force() {
    let folder = folder();
    let at = folder.path();
    let path = at.join("in.glb");
    write(&path, &triangle("", ""));
    let mut permissions = fs::metadata(&path).expect("there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("ours");
    let edit = ["edit", "in.glb", "--set", "nodes[0].name=x", "--in-place"];
    run(at, &edit).exits(1).says("is write-protected; --force");
    assert_eq!(bytes(&path), triangle("", ""));
    run(at, &[&edit[..], &["--force"]].concat()).exits(0);
    assert!(fs::metadata(&path).expect("there").permissions().readonly());
    run(at, &["edit", "in.glb", "--set", "nodes[0].name=y", "-o", "out.mdl"]).exits(2).says("this is a .glb file");
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
