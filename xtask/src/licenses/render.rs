//! The layout of THIRD_PARTY.txt.

use super::gather::Crate;
use std::fmt::Write as _;

const HEAD: &str = "\
Third-party software in anyrig

The anyrig program contains the crates below. Each is listed with its licence and the numbers of its licence texts,
which follow. Made by `cargo xtask licenses`; do not edit.
";

/// The whole file. Texts of equal words stand once.
pub fn render(crates: &[Crate]) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut out = format!("{HEAD}\n");
    for krate in crates {
        let numbers: Vec<String> = krate.texts.iter().map(|text| number_of(text, &mut texts).to_string()).collect();
        let numbers = if numbers.is_empty() { "no text in its package".to_owned() } else { numbers.join(", ") };
        _ = writeln!(out, "{} {}: {} [{numbers}]", krate.name, krate.version, krate.expression);
    }
    for (index, text) in texts.iter().enumerate() {
        _ = write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(80), index + 1);
    }
    out
}

fn number_of(text: &str, texts: &mut Vec<String>) -> usize {
    let is_same = |known: &String| known.split_whitespace().eq(text.trim_start_matches('\u{feff}').split_whitespace());
    let index = texts.iter().position(is_same).unwrap_or_else(|| {
        texts.push(tidied(text));
        texts.len() - 1
    });
    index + 1
}

/// One kind of line break, no white space at ends.
fn tidied(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn krate(name: &str, texts: &[&str]) -> Crate {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Crate { name: name.into(), version: "1.0.0".into(), expression: "MIT".into(), texts }
    }

    #[test]
    fn texts_of_equal_words_stand_once() {
        let text = render(&[krate("a", &["one\n", "two \r\nend"]), krate("b", &["\n  one"]), krate("c", &[])]);
        let list: Vec<&str> = text.lines().skip(5).take(3).collect();
        assert_eq!(list, ["a 1.0.0: MIT [1, 2]", "b 1.0.0: MIT [1]", "c 1.0.0: MIT [no text in its package]"]);
        assert_eq!(text.matches("\none\n").count(), 1);
        assert!(text.ends_with("\n2\n\ntwo\nend\n"));
    }
}
