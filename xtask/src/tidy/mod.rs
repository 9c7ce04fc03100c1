//! What a compiler does not see: which crate may know which, and how files are kept.
//!
//! Every rule is a function from data to violations, so that its tests show it failing.

mod hygiene;
mod layers;
mod lexer;
mod manifests;
mod readme;
mod sources;

use crate::workspace::Workspace;
use std::fmt;
use std::path::Path;

/// A broken rule: where, what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub path: String,
    pub line: usize,
    pub message: String,
}

impl Violation {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Checks the whole workspace and prints every violation.
pub fn run() -> Result<(), String> {
    let workspace = Workspace::load()?;
    let files = workspace.files()?;
    let mut violations = check_packages(&workspace)?;
    for path in &files {
        violations.extend(check_file(&workspace.root, path)?);
    }
    violations.extend(readme::check(&read(&workspace.root, "README.md")?, &read(&workspace.root, "README.zh-CN.md")?));
    violations.sort();
    for violation in &violations {
        println!("{violation}");
    }
    let counted = format!("tidy: {} crates, {} files", workspace.packages.len(), files.len());
    if violations.is_empty() {
        println!("{counted}, nothing to mend");
        return Ok(());
    }
    Err(format!("{counted}, {} to mend", violations.len()))
}

fn check_packages(workspace: &Workspace) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for package in &workspace.packages {
        let path = format!("{}/Cargo.toml", package.folder);
        let manifest = read(&workspace.root, &path)?;
        violations.extend(layers::check(package, &workspace.packages, &manifest));
        violations.extend(manifests::check(&path, &manifest));
    }
    Ok(violations)
}

fn check_file(root: &Path, path: &str) -> Result<Vec<Violation>, String> {
    let bytes = std::fs::read(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
    // Pictures, models and other binaries.
    let Ok(text) = String::from_utf8(bytes) else { return Ok(Vec::new()) };
    let mut violations = hygiene::check(path, &text);
    if path.ends_with(".rs") {
        violations.extend(sources::check(path, &text));
    }
    Ok(violations)
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))
}
