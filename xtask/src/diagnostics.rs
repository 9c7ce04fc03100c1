//! docs/diagnostics.md: the table of everything that a report may say.

use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

const FILE: &str = "docs/diagnostics.md";

/// Writes the table.
pub fn write() -> Result<(), String> {
    let path = Workspace::load()?.root.join(FILE);
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(|e| e.to_string())?;
    std::fs::write(path, table()).map_err(|e| format!("{FILE}: {e}"))
}

/// Fails where the table is stale, or a diagnostic stands in no test.
pub fn check() -> Result<(), String> {
    let workspace = Workspace::load()?;
    if std::fs::read_to_string(workspace.root.join(FILE)).unwrap_or_default() != table() {
        return Err(format!("{FILE} is stale; run `cargo xtask diagnostics`"));
    }
    let tested = words_of_tests(&workspace)?;
    // A test over a crate's whole table says more than any quoted id.
    let is_tested = |id: &str| {
        let owner = id.split_once('.').map_or("", |(owner, _)| owner);
        tested.words.contains(id) || tested.tables.contains(owner)
    };
    let untested: Vec<&str> = anyrig::diagnostic_codes().iter().map(|c| c.id).filter(|id| !is_tested(id)).collect();
    if untested.is_empty() {
        println!("diagnostics: {} codes, each in a test", anyrig::diagnostic_codes().len());
        return Ok(());
    }
    Err(format!("no test names these diagnostics; each needs one that produces it:\n  {}", untested.join("\n  ")))
}

fn table() -> String {
    let mut text = String::from(
        "# Diagnostics\n\nWhat a report may say. Ids are stable: one that goes is not used again. \
         Made by `cargo xtask diagnostics`.\n\n\
         - **note**: worth knowing; nothing changed.\n- **repaired**: the input was wrong and was put right.\n\
         - **approximated**: the result says nearly the same.\n- **lost**: something of the input is not in the result; \
         `--strict` makes it an error.\n\n| id | severity | meaning |\n|---|---|---|\n",
    );
    for code in anyrig::diagnostic_codes() {
        let meaning = code.meaning.trim().replace('|', "\\|");
        let _ = writeln!(text, "| `{}` | {} | {meaning} |", code.id, code.severity);
    }
    text
}

/// What test code names: quoted words, and crates (without `anyrig-`) whose whole table a test goes through.
#[derive(Default)]
struct Tested {
    words: BTreeSet<String>,
    tables: BTreeSet<String>,
}

/// Test code is files in `tests` folders or called so (`tests.rs`, `weld_tests.rs`), and whatever follows `#[cfg(test)]`.
fn words_of_tests(workspace: &Workspace) -> Result<Tested, String> {
    let mut tested = Tested::default();
    for file in workspace.files()?.iter().filter(|f| f.ends_with(".rs")) {
        let text = std::fs::read_to_string(workspace.root.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let is_test = file.contains("/tests/") || file.ends_with("tests.rs");
        let tests =
            if is_test { text.as_str() } else { text.split_once("#[cfg(test)]").map_or("", |(_, tests)| tests) };
        tested.words.extend(tests.split('"').map(str::to_owned));
        if is_test && tests.contains("CODES.iter()") {
            let owner = file.split("anyrig-").nth(1).and_then(|rest| rest.split('/').next());
            tested.tables.extend(owner.map(str::to_owned));
        }
    }
    Ok(tested)
}
