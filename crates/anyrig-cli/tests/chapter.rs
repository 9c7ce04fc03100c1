//! docs/from-bytes-to-motion.md: its commands are run in their order, and must print what the chapter quotes.
//!
//! In a block that begins with ```` ```console ```` a line after `$ ` is a command, and the lines up to the next one are
//! what it prints, the report included. A line of `…` alone stands for any number of lines.

mod common;

use common::{folder, run};
use std::fs;
use std::path::{Path, PathBuf};

/// Stands for lines that the chapter leaves out.
const LEFT_OUT: &str = "…";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn chapter() -> String {
    fs::read_to_string(root().join("docs/from-bytes-to-motion.md")).expect("the chapter")
}

/// A command with what it is to print.
#[derive(Debug, PartialEq)]
struct Quoted<'t> {
    command: &'t str,
    output: Vec<&'t str>,
}

fn quoted(text: &str) -> Vec<Quoted<'_>> {
    let (mut all, mut is_inside): (Vec<Quoted<'_>>, bool) = (Vec::new(), false);
    for line in text.lines() {
        match (line, line.strip_prefix("$ ")) {
            ("```console", _) => is_inside = true,
            ("```", _) => is_inside = false,
            (_, Some(command)) if is_inside => all.push(Quoted { command, output: Vec::new() }),
            _ if is_inside => all.last_mut().expect("a block begins with a command").output.push(line),
            _ => {}
        }
    }
    all
}

/// Words of a command; what stands between single quotes is one.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, piece) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Whether lines are those that are quoted, in their order.
fn fits(output: &[&str], quoted: &[&str]) -> bool {
    let pieces: Vec<&[&str]> = quoted.split(|line| *line == LEFT_OUT).collect();
    let [first, rest @ ..] = pieces.as_slice() else { return output.is_empty() };
    let Some(mut after) = output.strip_prefix(*first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return after.is_empty() };
    for piece in middle {
        let found = (0..=after.len()).find(|start| after[*start..].starts_with(piece));
        let Some(start) = found else { return false };
        after = &after[start + piece.len()..];
    }
    after.ends_with(last)
}

#[test]
fn commands_print_what_the_chapter_quotes() {
    let (folder, text) = (folder(), chapter());
    fs::create_dir(folder.path().join("samples")).expect("writable");
    fs::copy(root().join("samples/arm.fbx"), folder.path().join("samples/arm.fbx")).expect("a sample");
    let all = quoted(&text);
    assert!(all.len() >= 10, "{} commands", all.len());
    let mut wrong = Vec::new();
    for Quoted { command, output } in &all {
        let words = words(command);
        let [program, arguments @ ..] = words.as_slice() else { panic!("an empty command") };
        assert_eq!(program, "anyrig");
        let run = run(folder.path(), arguments).exits(0);
        let printed = run.out() + &run.stderr;
        if !fits(&printed.lines().collect::<Vec<_>>(), output) {
            wrong.push(format!("$ {command}\n--- the chapter says\n{}\n--- it prints\n{printed}", output.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn pictures_and_files_that_it_names_are_there() {
    let text = chapter();
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
    let (mut pictures, docs) = (0, root().join("docs"));
    for link in links.filter(|link| !link.starts_with('#')) {
        assert!(docs.join(link).is_file(), "no {link}");
        pictures += usize::from(link.ends_with(".png"));
    }
    assert!(pictures >= 7, "{pictures} pictures");
}

#[test]
fn quotes_are_compared_line_by_line() {
    let text = "```console\n$ a 'b c' d\none\n…\ntwo\n$ e\n```\n$ no command\n```sh\n$ nor this\n```\n";
    let all = quoted(text);
    let expected =
        [Quoted { command: "a 'b c' d", output: vec!["one", "…", "two"] }, Quoted { command: "e", output: vec![] }];
    assert_eq!(all, expected);
    assert_eq!(words(all[0].command), ["a", "b c", "d"]);
    let cases: [(&[&str], &[&str], bool); 9] = [
        (&["one", "two"], &["one", "two"], true),
        (&["one", "two"], &["one"], false),
        (&["one", "x", "two"], &["one", "…", "two"], true),
        (&["one", "two"], &["one", "…", "two"], true),
        (&["one"], &["one", "…", "one"], false),
        (&["x", "one", "y", "z", "two", "v"], &["…", "one", "…", "two", "…"], true),
        (&["x", "two", "one"], &["…", "one", "…", "two", "…"], false),
        (&["one", "three"], &["one", "…", "two"], false),
        (&["one"], &[], false),
    ];
    for (output, quoted, is_right) in cases {
        assert_eq!(fits(output, quoted), is_right, "{output:?} {quoted:?}");
    }
}
