//! File names for outputs: safe on every system, unique without regard to case.

use std::collections::{BTreeMap, BTreeSet};

/// Names that Windows keeps for devices, whatever extension follows (Microsoft, "Naming Files, Paths, and Namespaces").
/// It takes the superscripts of Latin-1 for digits too.
const RESERVED: [&str; 30] = [
    "con", "conin$", "conout$", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "com¹", "com²", "com³", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "lpt¹",
    "lpt²", "lpt³",
];

/// Longest safe name in bytes; file systems allow 255 for name and extension together.
const MAX_BYTES: usize = 120;

/// Turns any text into a file name (without extension) that every system takes. An empty result becomes `fallback`.
///
/// Path separators, control characters, those that turn the direction of writing, and what Windows forbids become `_`;
/// trailing dots and blanks go; reserved device names get a `_`; letters of any script stay.
pub fn safe_file_name(text: &str, fallback: &str) -> String {
    // What turns the order of letters round can make an ending look like another.
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_bad = |c: char| c.is_control() || turns(c) || "<>:\"/\\|?*".contains(c);
    let replaced: String = text.chars().map(|c| if is_bad(c) { '_' } else { c }).collect();
    let mut name = replaced.trim_end_matches(['.', ' ']).trim_start().to_owned();
    while name.len() > MAX_BYTES {
        name.pop();
    }
    let name = name.trim_end_matches(['.', ' ']).to_owned();
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    match name.as_str() {
        "" => fallback.to_owned(),
        _ if RESERVED.contains(&stem.as_str()) => format!("_{name}"),
        // A leading dot hides a file on Unix and `..` climbs.
        _ if name.starts_with('.') => format!("_{name}"),
        _ => name,
    }
}

/// Hands out names that differ even where case is ignored, as on Windows and macOS.
#[derive(Clone, Debug, Default)]
pub struct UniqueNames {
    taken: BTreeSet<String>,
    // The number to try next for a name, so that many claims of one name do not try all numbers again.
    next_numbers: BTreeMap<String, u64>,
}

impl UniqueNames {
    /// The wanted name, or the first of `name_2`, `name_3` … that is still free.
    pub fn claim(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        if self.taken.insert(name.to_lowercase()) {
            return name;
        }
        let number = self.next_numbers.entry(name.to_lowercase()).or_insert(2);
        loop {
            name = format!("{wanted}_{number}");
            *number += 1;
            if self.taken.insert(name.to_lowercase()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_everywhere() {
        let cases = [
            ("Fox", "Fox"),
            ("a/b\\c:d", "a_b_c_d"),
            ("CON", "_CON"),
            ("con.txt", "_con.txt"),
            ("Aux ", "_Aux"),
            ("CONIN$", "_CONIN$"),
            ("ConOut$.ani", "_ConOut$.ani"),
            ("COM\u{b9}", "_COM\u{b9}"),
            ("com\u{b2}.txt", "_com\u{b2}.txt"),
            ("Com\u{b3} ", "_Com\u{b3}"),
            ("LPT\u{b9}.a.b", "_LPT\u{b9}.a.b"),
            ("lpt\u{b2}", "_lpt\u{b2}"),
            ("LPT\u{b3}", "_LPT\u{b3}"),
            // Neither a digit that Windows takes, nor the whole name.
            ("COM\u{2074}", "COM\u{2074}"),
            ("COM\u{b9}0", "COM\u{b9}0"),
            ("CONIN", "CONIN"),
            ("..", "x"),
            ("...a", "_...a"),
            ("name. . ", "name"),
            ("", "x"),
            ("表情", "表情"),
            ("tab\there", "tab_here"),
            ("fox\u{202e}ldm.exe", "fox_ldm.exe"),
            ("\u{2066}שלום\u{2069}", "_שלום_"),
        ];
        for (text, name) in cases {
            assert_eq!(safe_file_name(text, "x"), name, "{text:?}");
        }
        let long = safe_file_name(&"表".repeat(300), "x");
        assert!(long.len() <= MAX_BYTES && long.chars().all(|c| c == '表'));
    }

    #[test]
    fn unique_without_case() {
        let mut names = UniqueNames::default();
        let got: Vec<_> = ["Walk", "walk", "WALK", "walk_2", "Run"].iter().map(|n| names.claim(n)).collect();
        assert_eq!(got, ["Walk", "walk_2", "WALK_3", "walk_2_2", "Run"]);
    }

    #[test]
    fn many_claims_of_one_name_are_quick() {
        let mut names = UniqueNames::default();
        let last = (0..200_000).map(|_| names.claim("bone")).last();
        assert_eq!(last.as_deref(), Some("bone_200000"));
    }
}
