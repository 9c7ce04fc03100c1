//! What Rust sources must not hold.

use super::Violation;
use super::lexer::{Line, has_word, lex};

/// About here a room has outgrown itself (ARCHITECTURE.md); the margin spares the last small addition.
const LONGEST_FILE: usize = 800;

/// Where `unsafe` may stand, each for a reason that ARCHITECTURE.md gives.
const UNSAFE_PLACES: &[&str] = &[
    "crates/anyrig-bytes/src/",
    "crates/anyrig-animation/src/skinning",
    "crates/anyrig-cli/src/open",
    "crates/anyrig-server/src/sandbox",
];

/// Crates that are programs: they may print and open files.
const PROGRAMS: &[&str] = &["crates/anyrig-cli/", "crates/anyrig-server/", "xtask/"];

/// What a library leaves to the program around it.
const NOT_IN_LIBRARIES: &[(&str, &str)] = &[
    ("println!", "a library does not print; add to the report or return it"),
    ("eprintln!", "a library does not print; add to the report or return it"),
    ("print!", "a library does not print; add to the report or return it"),
    ("eprint!", "a library does not print; add to the report or return it"),
    ("std::fs", "a library does not touch the file system; read through a `Source`"),
    ("File::open", "a library does not touch the file system; read through a `Source`"),
    ("File::create", "a library does not touch the file system; return the bytes"),
    ("Context::new().with_limits", "it forgets the flag that stops the job; use `Context::apart` or `Context::bare`"),
];

/// Unfinished work. Split, so that this file passes its own rule.
const UNFINISHED_CODE: &[&str] = &["todo!", "unimplemented!", "#[ignore", "dbg!"];
const UNFINISHED_WORDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Checks one `.rs` file.
pub fn check(path: &str, source: &str) -> Vec<Violation> {
    let lines = lex(source).lines;
    let mut violations: Vec<_> = lines
        .iter()
        .enumerate()
        .flat_map(|(index, line)| {
            complaints(path, line).into_iter().map(move |text| Violation::new(path, index + 1, text))
        })
        .collect();
    let length = source.lines().count();
    if length > LONGEST_FILE {
        let message = format!("{length} lines, {LONGEST_FILE} at most; make it a folder of the same name");
        violations.push(Violation::new(path, LONGEST_FILE + 1, message));
    }
    violations
}

fn complaints(path: &str, line: &Line) -> Vec<String> {
    let mut found = unfinished(line);
    if has_word(&line.code, "unsafe") && !UNSAFE_PLACES.iter().any(|place| path.starts_with(place)) {
        found.push(format!("`unsafe` may only stand in {}; write it without", UNSAFE_PLACES.join(", ")));
    }
    if is_library(path) && !line.in_test {
        let banned = NOT_IN_LIBRARIES.iter().filter(|(word, _)| has_word(&line.code, word));
        found.extend(banned.map(|(word, remedy)| format!("`{word}`: {remedy}")));
    }
    found
}

fn unfinished(line: &Line) -> Vec<String> {
    let code = UNFINISHED_CODE.iter().filter(|word| has_word(&line.code, word));
    let words = UNFINISHED_WORDS.iter().filter(|word| has_word(&line.comment, word));
    code.chain(words).map(|word| format!("`{word}`: finish it now, or open an issue and say nothing here")).collect()
}

/// Sources that end in a library: not its tests, benches and examples, which are programs of their own.
fn is_library(path: &str) -> bool {
    let in_src = path.starts_with("crates/") && path.contains("/src/");
    let is_test = path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
        || path.contains("/src/tests/")
        || path.contains("/src/bin/");
    in_src && !is_test && !PROGRAMS.iter().any(|program| path.starts_with(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "crates/anyrig-scene/src/lib.rs";

    fn lines(path: &str, source: &str) -> Vec<usize> {
        check(path, source).iter().map(|v| v.line).collect()
    }

    #[test]
    fn printing_fails_in_libraries_only() {
        let source = "fn a() {\n    println!();\n}\n";
        assert_eq!(lines(LIBRARY, source), [2]);
        for path in [
            "crates/anyrig-cli/src/main.rs",
            "xtask/src/main.rs",
            "crates/anyrig/tests/a.rs",
            "crates/anyrig/examples/a.rs",
        ] {
            assert_eq!(lines(path, source), [] as [usize; 0], "{path}");
        }
    }

    #[test]
    fn tests_inside_a_library_may_print_and_read_files() {
        let source = "#[cfg(test)]\nmod tests {\n    fn a() { println!(); std::fs::read(b); }\n}\nuse std::fs;\n";
        assert_eq!(lines(LIBRARY, source), [5]);
        assert_eq!(lines("crates/anyrig-scene/src/mesh/tests.rs", "use std::fs;\n"), [] as [usize; 0]);
    }

    #[test]
    fn a_context_of_the_limits_alone_fails_in_libraries_only() {
        let source = "fn a(context: &Context) {\n    Context::new().with_limits(context.limits().clone());\n}\n";
        assert_eq!(lines(LIBRARY, source), [2]);
        for path in ["crates/anyrig-cli/src/dump.rs", "crates/anyrig-passes/src/weld_tests.rs"] {
            assert_eq!(lines(path, source), [] as [usize; 0], "{path}");
        }
    }

    #[test]
    fn unfinished_work_fails_everywhere() {
        for word in UNFINISHED_WORDS {
            assert_eq!(lines("xtask/src/main.rs", &format!("// {word}: later\n")), [1], "{word}");
            assert_eq!(lines("xtask/src/main.rs", &format!("let a = \"{word}\";\n")), [] as [usize; 0], "{word}");
        }
        for code in ["todo!()", "unimplemented!()", "dbg!(x)", "#[ignore]", "#[ignore = \"slow\"]"] {
            assert_eq!(lines("crates/anyrig/tests/a.rs", code), [1], "{code}");
        }
    }

    #[test]
    fn unsafe_has_its_places() {
        let source = "#![allow(unsafe_code)]\nunsafe { a() }\n";
        assert_eq!(lines(LIBRARY, source), [2]);
        assert_eq!(lines("crates/anyrig-scene/tests/a.rs", source), [2]);
        assert_eq!(lines("crates/anyrig-bytes/src/cursor.rs", source), [] as [usize; 0]);
        assert_eq!(lines("crates/anyrig-animation/src/skinning/avx2.rs", source), [] as [usize; 0]);
    }

    #[test]
    fn a_long_file_fails_tests_included() {
        assert_eq!(lines("crates/anyrig/tests/a.rs", &"\n".repeat(LONGEST_FILE)), [] as [usize; 0]);
        assert_eq!(lines("crates/anyrig/tests/a.rs", &"\n".repeat(LONGEST_FILE + 1)), [LONGEST_FILE + 1]);
    }
}
