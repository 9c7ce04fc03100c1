//! What `inspect`, `validate`, `formats` and the small commands print.

mod common;

use common::{corpus, folder, run, run_with_input, triangle, write};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn inspect_has_stable_keys() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let found = json(&run(at, &["inspect", "in.glb", "--json"]).exits(0).out());
    assert_eq!((&found["format"], &found["version"]), (&"glb".into(), &"2.0".into()));
    let counts = |key: &str| found["counts"][key].as_u64();
    let expected = [
        ("nodes", 1),
        ("meshes", 1),
        ("vertices", 3),
        ("triangles", 1),
        ("joints", 0),
        ("skins", 0),
        ("clips", 0),
        ("materials", 0),
        ("textures", 0),
        ("morph_targets", 0),
    ];
    for (key, count) in expected {
        assert_eq!(counts(key), Some(count), "{key}");
    }
    assert_eq!(found["tree"][0]["name"], "three");
    assert_eq!(found["bounds"]["max"], serde_json::json!([1.0, 2.0, 0.0]));
    for key in ["clips", "bones", "report", "materials"] {
        assert!(found[key].is_array(), "{key}");
    }
    let text = run(at, &["inspect", "in.glb"]).exits(0).out();
    assert!(text.contains("three") && text.contains("3 vertices"), "{text}");
    let piped = run_with_input(at, &["inspect", "-", "--json"], &triangle("", "")).exits(0).out();
    assert_eq!(json(&piped)["counts"], found["counts"]);
}

#[test]
fn inspect_shows_vertices_and_indices() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let inspect = |more: &[&str]| run(at, &[&["inspect", "in.glb"], more].concat());
    let found = json(&inspect(&["--vertices", "1..9", "--json"]).exits(0).out());
    assert_eq!(found["count"], 3);
    assert_eq!(found["vertices"].as_array().map(Vec::len), Some(2));
    assert_eq!(found["vertices"][1]["index"], 2);
    assert_eq!(found["vertices"][1]["attributes"][0]["values"], serde_json::json!([0.0, 2.0, 0.0]));
    assert_eq!(json(&inspect(&["--indices", "..", "--json"]).exits(0).out())["indices"], serde_json::json!([0, 1, 2]));
    assert!(inspect(&["--vertices", "0", "--mesh", "tri"]).exits(0).out().contains("0  POSITION (0, 0, 0)"));
    inspect(&["--vertices", "0", "--mesh", "tro"]).exits(2).says("did you mean `tri`?");
    inspect(&["--vertices", "0", "--part", "1"]).exits(2);
    inspect(&["--vertices", "2..1"]).exits(2).says("no range");
    inspect(&["--bone", "x"]).exits(2);
    inspect(&["--curves", "--bone", "thre"]).exits(2).says("did you mean `three`?");
    assert_eq!(inspect(&["--curves"]).exits(0).out(), "no curves\n");
}

#[test]
fn inspect_of_the_fox() {
    let Some(corpus) = corpus() else { return };
    let fox = corpus.join("gltf/bevy/animated/Fox.glb");
    let fox = fox.to_str().expect("text");
    let at = folder();
    let found = json(&run(at.path(), &["inspect", fox, "--json"]).exits(0).out());
    // facts/urho.md 13: an unindexed mesh of 1728 vertices.
    let counts = &found["counts"];
    assert_eq!((&counts["vertices"], &counts["triangles"], &counts["joints"]), (&1728.into(), &576.into(), &24.into()));
    assert_eq!(found["bones"].as_array().map(Vec::len), Some(24));
    let clips: Vec<_> = found["clips"].as_array().expect("a list").iter().map(|c| c["name"].clone()).collect();
    assert_eq!(clips, ["Survey", "Walk", "Run"]);
    let curves = run(at.path(), &["inspect", fox, "--curves", "--bone", "b_Neck_04", "--json"]).exits(0).out();
    let curves = json(&curves);
    assert_eq!(curves.as_array().map(Vec::len), Some(3), "one rotation a clip");
    assert!(curves[0]["keys"][0]["seconds"].is_number() && curves[0]["keys"][0]["tick"].is_null());
}

#[test]
fn inspect_shows_ticks_where_a_file_has_them() {
    let Some(corpus) = corpus() else { return };
    let file = corpus.join("fbx/ufbx/maya_anim_interpolation_7700_ascii.fbx");
    let at = folder();
    let shown = run(at.path(), &["inspect", file.to_str().expect("text"), "--curves", "--json"]).exits(0).out();
    let curves = json(&shown);
    let mut count = 0;
    for curve in curves.as_array().expect("a list") {
        let per_second = curve["ticks_per_second"].as_f64().expect("FBX counts in ticks");
        assert_eq!(per_second, 46_186_158_000.0);
        for key in curve["keys"].as_array().expect("a list") {
            let (tick, seconds) = (key["tick"].as_i64().expect("a tick"), key["seconds"].as_f64().expect("a time"));
            assert!((tick as f64 / per_second - seconds).abs() < 1e-9, "{key}");
            count += u32::from(tick > 0);
        }
    }
    assert!(count > 3, "{count} keys after the start");
}

#[test]
fn validate_tells_readable_from_unreadable() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("good.glb"), &triangle("", ""));
    write(&at.join("bad.glb"), &triangle("", "")[..60]);
    run(at, &["validate", "good.glb"]).exits(0);
    run(at, &["validate", "bad.glb"]).exits(1).says("bad.glb");
    let both = run(at, &["validate", "*.glb", "--json"]).exits(1);
    let found = json(&both.out());
    assert_eq!(found["files"][0]["readable"], false);
    assert!(found["files"][0]["error"].is_string());
    assert_eq!((&found["files"][1]["readable"], &found["files"][1]["file"]), (&true.into(), &"good.glb".into()));
    run(at, &["validate", "none.glb"]).exits(1);
}

#[test]
fn formats_and_their_options() {
    let folder = folder();
    let at = folder.path();
    let list = run(at, &["formats"]).exits(0).out();
    for id in ["glb", "gltf", "urhox"] {
        assert!(list.lines().any(|l| l.starts_with(id)), "{id}: {list}");
    }
    let formats = json(&run(at, &["formats", "--json"]).exits(0).out());
    let urhox = formats.as_array().expect("a list").iter().find(|f| f["id"] == "urhox").expect("there");
    assert_eq!((&urhox["read"], &urhox["write"]), (&true.into(), &true.into()));
    let options = run(at, &["formats", "urhox", "--options"]).exits(0).out();
    assert!(options.contains("handedness (none, reflect-x, reflect-z; default none)"), "{options}");
    assert!(options.contains("max-bones (integer; default 64)"), "{options}");
    run(at, &["formats", "glb"]).exits(0);
    run(at, &["formats", "gbl"]).exits(2).says("did you mean `glb`?");
    run(at, &["formats", "--options"]).exits(2);
}

#[test]
fn small_commands() {
    let folder = folder();
    let at = folder.path();
    assert!(run(at, &["completions", "bash"]).exits(0).out().contains("anyrig"));
    assert!(run(at, &["formats", "fbx"]).exits(0).out().contains("only read"));
    assert!(run(at, &["man"]).exits(0).out().starts_with(".ie"));
    assert!(run(at, &["man", "convert"]).exits(0).out().contains("dry"));
    for (arguments, title) in [(&["man"][..], "anyrig"), (&["man", "convert"][..], "anyrig-convert")] {
        let wanted = format!(".TH {title} 1  \"anyrig {}\" \"User Commands\"", env!("CARGO_PKG_VERSION"));
        let page = run(at, arguments).exits(0).out();
        assert_eq!(page.lines().find(|l| l.starts_with(".TH")).map(str::trim_end), Some(wanted.as_str()));
    }
    run(at, &["man", "convrt"]).exits(2).says("did you mean `convert`?");
    assert!(!run(at, &["licenses"]).exits(0).stdout.is_empty());
    assert!(run(at, &["convert", "--help"]).exits(0).out().contains("Examples:"));
    assert!(run(at, &["--version"]).exits(0).out().starts_with("anyrig "));
}

#[test]
fn options_have_one_spelling() {
    let folder = folder();
    let listed = run(folder.path(), &["formats", "--json"]).exits(0);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let mut count = 0;
    for option in listed.as_array().expect("a list").iter().flat_map(|f| f["options"].as_array().expect("a list")) {
        let key = option["key"].as_str().expect("a key");
        let kebab =
            key.split('-').all(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
        assert!(kebab, "{key}");
        count += 1;
    }
    assert!(count > 5);
}

/// A file with variants, instances, a hidden node and a coated material.
fn dressed() -> Vec<u8> {
    r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
    "bufferViews":[{"buffer":0,"byteLength":36}],
    "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]}],
    "materials":[{"name":"red","extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":1}}},{"name":"blue"}],
    "extensions":{"KHR_materials_variants":{"variants":[{"name":"day"},{"name":"night"}]}},
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0,
        "extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[1]}]}}}]}],
    "nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}},
        {"extensions":{"KHR_node_visibility":{"visible":false}}}],"scenes":[{"nodes":[0,1]}],"scene":0}"#
        .as_bytes()
        .to_vec()
}

#[test]
fn variants_are_shown_and_one_is_taken() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.gltf"), &dressed());
    let found = json(&run(at, &["inspect", "in.gltf", "--json"]).exits(0).out());
    assert_eq!(found["variants"], serde_json::json!(["day", "night"]));
    assert_eq!(found["materials"][0]["parts"], serde_json::json!(["clearcoat"]));
    assert_eq!(found["tree"][0]["instances"], 3);
    assert_eq!(found["tree"][1]["visibility"], "hidden");
    let text = run(at, &["inspect", "in.gltf"]).exits(0).out();
    for words in ["Material variants", "night", "clearcoat", "3 instances", "[hidden]"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    run(at, &["convert", "in.gltf", "-o", "out.glb", "--variant", "night"]).exits(0);
    let taken = json(&run(at, &["inspect", "out.glb", "--json"]).exits(0).out());
    assert_eq!(taken["variants"], serde_json::json!([]));
    run(at, &["convert", "in.gltf", "-o", "all.glb"]).exits(0);
    let all = json(&run(at, &["inspect", "all.glb", "--json"]).exits(0).out());
    assert_eq!(all["variants"], found["variants"]);
    run(at, &["convert", "in.gltf", "-o", "none.glb", "--variant", "noon"]).exits(2).says("there are: day, night");
    // An engine with neither variants nor coats is told what it loses, and shows each instance.
    let report = run(at, &["convert", "in.gltf", "--to", "urhox", "--report", "report.json"]).exits(0);
    assert!(report.stderr.contains("material-variants") && report.stderr.contains("clearcoat"), "{}", report.stderr);
    let model = json(&run(at, &["inspect", "in_UrhoX/in.mdl", "--from", "urhox", "--json"]).exits(0).out());
    assert_eq!(model["counts"]["vertices"], 9);
}

#[test]
fn explain_shows_every_step_and_names_what_is_missing() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    // The second corner of the triangle stands at (1, 0, 0) or further; the program's own table of vertices says where.
    let vertex = json(&run(at, &["inspect", "in.glb", "--vertices", "1", "--json"]).exits(0).out());
    let position = vertex["vertices"][0]["attributes"][0]["values"].clone();
    let found = json(&run(at, &["explain", "in.glb", "--vertex", "1", "--json"]).exits(0).out());
    let numbers = |value: &Value| value.as_array().map(|v| v.iter().map(Value::as_f64).collect::<Vec<_>>());
    assert_eq!(numbers(&found["in_mesh"]), numbers(&position));
    assert_eq!((&found["method"], &found["weight_sum"]), (&"rigid".into(), &1.0.into()));
    assert_eq!(found["influences"][0]["chain"], serde_json::json!(["three"]));
    let text = run(at, &["explain", "in.glb", "--vertex", "1"]).exits(0).out();
    for word in ["in the mesh", "joint_from_mesh", "scene_from_mesh", "moved by it alone", "shown at"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    run(at, &["explain", "in.glb", "--vertex", "3"]).exits(2).says("3 vertices, counted from 0");
    run(at, &["explain", "in.glb", "--vertex", "0", "--time", "1"]).exits(2);
    run(at, &["explain", "in.glb", "--vertex", "0", "--clip", "Walk"]).exits(2).says("no clip is called `Walk`");
}
