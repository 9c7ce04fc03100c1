//! THIRD_PARTY.txt: the licences of every foreign crate in the shipped program, which prints them on `anyrig licenses`.

mod gather;
mod render;
mod spdx;

use crate::workspace;
use gather::Crate;
use std::path::Path;

/// What to do with the text that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Write,
    Check,
}

const FILE: &str = "THIRD_PARTY.txt";

/// The package whose dependencies are shipped.
const SHIPPED: &str = "anyrig-cli";

/// Licences that we may ship under `MIT OR Apache-2.0` by passing on their text. Anything else, weak copyleft
/// included, is a decision that a person takes here.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Writes THIRD_PARTY.txt or checks that it is up to date.
pub fn run(mode: Mode) -> Result<(), String> {
    let metadata = workspace::metadata(&[])?;
    let crates = gather::shipped(&metadata, SHIPPED)?;
    let unwanted: Vec<String> = crates.iter().filter_map(objection).collect();
    if !unwanted.is_empty() {
        return Err(format!("licenses: {}", unwanted.join("\nlicenses: ")));
    }
    let path = Path::new(workspace::text(&metadata, "workspace_root")?).join(FILE);
    store(mode, &path, &render::render(&crates))?;
    println!("licenses: {} crates, all on the list", crates.len());
    Ok(())
}

fn store(mode: Mode, path: &Path, text: &str) -> Result<(), String> {
    match mode {
        Mode::Write => std::fs::write(path, text).map_err(|e| format!("{FILE}: {e}")),
        Mode::Check if std::fs::read_to_string(path).is_ok_and(|now| now == text) => Ok(()),
        Mode::Check => Err(format!("licenses: {FILE} is stale; run `cargo xtask licenses` and commit it")),
    }
}

fn objection(krate: &Crate) -> Option<String> {
    let Crate { name, version, expression, .. } = krate;
    match spdx::is_allowed(expression, ALLOWED) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{name} {version} is under `{expression}`, which is not on the list; use another crate, \
             or add the licence to ALLOWED in xtask/src/licenses/mod.rs after reading its terms"
        )),
        Err(reason) => Some(format!("{name} {version}: cannot read its licence `{expression}`: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn krate(expression: &str) -> Crate {
        Crate { name: "a".into(), version: "1.0.0".into(), expression: expression.into(), texts: Vec::new() }
    }

    #[test]
    fn unwanted_unlisted_and_missing_licences_are_named() {
        assert_eq!(objection(&krate("MIT OR GPL-3.0-only")), None);
        assert!(objection(&krate("GPL-3.0-only")).unwrap().contains("not on the list"));
        assert!(objection(&krate("MPL-2.0")).unwrap().contains("ALLOWED"));
        assert!(objection(&krate("")).unwrap().contains("cannot read"));
    }
}
