//! `anyrig render`.

mod common;

use common::{entries, folder, run, run_with_input, triangle, write};
use std::fs;
use std::path::Path;

fn mannequin() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/mannequin.glb");
    path.to_str().expect("text").to_owned()
}

#[test]
fn pictures_of_all_kinds_have_their_signatures() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    for (name, more, signature) in [
        ("a.png", &[][..], &b"\x89PNG\r\n\x1a\n"[..]),
        ("b.PNG", &["--view", "front", "--background", "transparent"], b"\x89PNG\r\n\x1a\n"),
        ("c.webp", &["--size", "40x30"], b"RIFF"),
        ("d.gif", &[], b"GIF89a"),
        ("e.gif", &["--turntable"], b"GIF89a"),
        ("f.webp", &["--turntable"], b"RIFF"),
        ("g.png", &["--debug", "wire"], b"\x89PNG\r\n\x1a\n"),
    ] {
        let size = if more.contains(&"--size") { &[][..] } else { &["--size", "16"] };
        let out = run(at, &[&["render", "in.glb", "-o", name], more, size].concat()).exits(0).out();
        assert!(out.starts_with(&format!("{name}: ")), "{out}");
        assert!(fs::read(at.join(name)).expect("written").starts_with(signature), "{name}");
    }
    // The moving WebP says so in its extended header.
    assert_eq!(&fs::read(at.join("f.webp")).expect("written")[12..16], b"VP8X");
    assert_eq!(entries(at).len(), 8, "nothing else is left");
}

#[test]
fn the_same_bytes_whatever_the_threads_and_the_way_in_and_out() {
    let folder = folder();
    let at = folder.path();
    let input = mannequin();
    run(at, &["render", &input, "-o", "one.png", "--size", "96", "--clip", "Walk", "--jobs", "1"]).exits(0);
    run(at, &["render", &input, "-o", "two.png", "--size", "96", "--clip", "0", "--time", "0", "-j", "2"]).exits(0);
    let piped = run_with_input(
        at,
        &["render", "-", "-o", "-", "--size", "96", "--pose", "clip"],
        &fs::read(&input).expect("a sample"),
    );
    let one = fs::read(at.join("one.png")).expect("written");
    assert_eq!(one, fs::read(at.join("two.png")).expect("written"));
    assert_eq!(one, piped.exits(0).stdout);
}

#[test]
fn outputs_are_kept_and_inputs_safe() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    write(&at.join("old.png"), b"old");
    run(at, &["render", "in.glb", "-o", "old.png", "--size", "8"]).exits(1).says("--force overwrites it");
    // Told before the input is read.
    write(&at.join("wrecked.glb"), &triangle("", "")[..40]);
    run(at, &["render", "wrecked.glb", "-o", "old.png", "--size", "8"]).exits(1).says("--force overwrites it");
    assert_eq!(fs::read(at.join("old.png")).expect("kept"), b"old");
    run(at, &["render", "in.glb", "-o", "old.png", "--size", "8", "--force"]).exits(0);
    write(&at.join("model.png"), &triangle("", ""));
    run(at, &["render", "model.png", "-o", "model.png", "--force"]).exits(1).says("is an input");
    run(at, &["render", "in.glb", "-o", "none/a.png", "--size", "8"]).exits(0);
}

#[test]
fn wrong_usage_names_the_remedy() {
    let folder = folder();
    let at = folder.path();
    write(&at.join("in.glb"), &triangle("", ""));
    let input = mannequin();
    let wrong = |words: &[&str]| run(at, &[&["render"], words].concat()).exits(2);
    wrong(&["in.glb", "-o", "a.jpg"]).says(".png, .webp or .gif");
    wrong(&["in.glb"]).says("--output");
    wrong(&["in.glb", "-o", "a.png", "--turntable"]).says("-o FILE.gif");
    wrong(&["in.glb", "-o", "-", "--turntable"]).says("-o FILE.gif");
    wrong(&["in.glb", "-o", "a.png", "--size", "0"]).says("640x480");
    wrong(&["in.glb", "-o", "a.png", "--background", "blurple"]).says("#f2f3f5");
    wrong(&["in.glb", "-o", "a.png", "--debug", "bone"]).says("bind-ghost");
    wrong(&["in.glb", "-o", "a.png", "--clip", "Walk"]).says("no clips");
    wrong(&["in.glb", "-o", "a.png", "--contact-sheet"]).says("no clips");
    wrong(&["in.glb", "-o", "a.png", "--view", "face"]).says("`head`");
    wrong(&[&input, "-o", "a.png", "--clip", "Wolk"]).says("did you mean `Walk`?");
    wrong(&[&input, "-o", "a.png", "--pose", "bind", "--time", "1"]).says("--pose clip");
    wrong(&[&input, "-o", "a.png", "--debug", "weights", "--bone", "Hed"]).says("did you mean `Head`?");
    wrong(&[&input, "-o", "a.png", "--debug", "wire", "--bone", "Head"]).says("--bone is for");
    wrong(&[&input, "-o", "a.png", "--mistake", "swapped"]).says("swapped-product");
    wrong(&[&input, "-o", "a.png", "--mistake", "wrong-ticks"]).says("--clip NAME and --time SECONDS");
    run(at, &["render", "in.glb", "-o", "a.png", "--limit-pixels", "100"]).exits(1).says("--limit-pixels raises it");
    run(at, &["render", "none.glb", "-o", "a.png"]).exits(1).says("check the name");
    assert_eq!(entries(at), ["in.glb"]);
}

#[test]
fn mistakes_are_drawn_and_told_where_they_do_not_show() {
    let folder = folder();
    let at = folder.path();
    let input = mannequin();
    let draw = |name: &str, mistake: &[&str]| {
        run(at, &[&["render", &input, "-o", name, "--size", "48", "-v"], mistake].concat()).exits(0)
    };
    draw("right.png", &[]);
    draw("wrong.png", &["--mistake", "missing-inverse-bind"]);
    // The mannequin's mesh hangs on no node that moves it.
    draw("same.png", &["--mistake", "double-transform"]).says("render.mistake-unseen");
    let [right, wrong, same] = ["right", "wrong", "same"].map(|name| fs::read(at.join(format!("{name}.png"))));
    let [right, wrong, same] = [right, wrong, same].map(|bytes| bytes.expect("written"));
    assert!(right != wrong && right == same);
}

#[test]
fn legends_can_be_left_out() {
    let folder = folder();
    let at = folder.path();
    let input = mannequin();
    let draw = |name: &str, more: &[&str]| {
        let words = ["render", &input, "-o", name, "--size", "200", "--debug", "facing"];
        run(at, &[&words, more].concat()).exits(0);
        fs::read(at.join(name)).expect("written")
    };
    assert_ne!(draw("with.png", &[]), draw("without.png", &["--no-legend"]));
}

#[test]
fn a_contact_sheet_of_the_sample() {
    let folder = folder();
    let at = folder.path();
    run(at, &["render", &mannequin(), "-o", "sheet.png", "--contact-sheet", "--size", "32"]).exits(0);
    let png = fs::read(at.join("sheet.png")).expect("written");
    let number = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    // Width and height in IHDR: four columns, two clips with their labels.
    assert_eq!((number(16), number(20)), (128, 2 * (32 + 22)));
}
