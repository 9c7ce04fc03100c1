//! What every Cargo.toml must hold.

use super::Violation;

/// Keys that all crates take from the workspace, so that there is one place to change them.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license", "publish"];

/// Checks one manifest of a workspace member.
pub fn check(path: &str, manifest: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    if !in_section(manifest, "lints", "workspace = true") {
        violations.push(Violation::new(
            path,
            1,
            "lints are not the workspace's; add `[lints]` with `workspace = true`",
        ));
    }
    for key in INHERITED {
        if !in_section(manifest, "package", &format!("{key}.workspace = true")) {
            let message = format!("`{key}` is not the workspace's; write `{key}.workspace = true`");
            violations.push(Violation::new(path, 1, message));
        }
    }
    violations
}

fn in_section(manifest: &str, section: &str, wanted: &str) -> bool {
    let header = format!("[{section}]");
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == header;
        }
        if inside && line == wanted {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n";

    #[test]
    fn a_complete_manifest_passes() {
        assert_eq!(check("Cargo.toml", GOOD), []);
    }

    #[test]
    fn lints_of_its_own_fail() {
        let own = GOOD.replace("[lints]\nworkspace = true", "[lints.rust]\nmissing_docs = \"allow\"");
        assert!(check("Cargo.toml", &own)[0].message.starts_with("lints are not the workspace's"));
    }

    #[test]
    fn a_version_of_its_own_fails() {
        let own = GOOD.replace("version.workspace = true\ne", "version = \"2.0.0\"\ne");
        assert!(check("Cargo.toml", &own)[0].message.starts_with("`version` is not"));
    }
}
