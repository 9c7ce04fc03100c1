//! What `cargo metadata` and `git ls-files` say about the workspace.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's own packages and where they lie.
pub struct Workspace {
    pub root: PathBuf,
    pub packages: Vec<Package>,
}

/// One package of the workspace.
#[derive(Debug, Clone)]
pub struct Package {
    pub name: String,
    /// Folder relative to the root, with `/`.
    pub folder: String,
    pub dependencies: Vec<Dependency>,
}

/// One line of a `[dependencies]` table.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub name: String,
    pub kind: Kind,
}

/// The table that a dependency stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Normal,
    Build,
    Dev,
}

impl Workspace {
    /// The workspace that the working directory lies in.
    pub fn load() -> Result<Self, String> {
        Self::from_metadata(&metadata(&["--no-deps"])?)
    }

    fn from_metadata(metadata: &Value) -> Result<Self, String> {
        let root = PathBuf::from(text(metadata, "workspace_root")?);
        let packages = list(metadata, "packages")?.iter().map(|p| package(p, &root)).collect::<Result<_, _>>()?;
        Ok(Self { root, packages })
    }

    /// Every file that is tracked or would be: what git ignores is not ours to check.
    pub fn files(&self) -> Result<Vec<String>, String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut files: Vec<String> = stdout(&mut command)?
            .split('\0')
            .filter(|name| !name.is_empty() && self.root.join(name).is_file())
            .map(str::to_owned)
            .collect();
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }
}

fn package(value: &Value, root: &Path) -> Result<Package, String> {
    let manifest = Path::new(text(value, "manifest_path")?);
    let folder =
        manifest.parent().and_then(|f| f.strip_prefix(root).ok()).ok_or("a package lies outside the workspace")?;
    Ok(Package {
        name: text(value, "name")?.to_owned(),
        folder: folder.to_string_lossy().replace('\\', "/"),
        dependencies: list(value, "dependencies")?.iter().map(dependency).collect::<Result<_, _>>()?,
    })
}

fn dependency(value: &Value) -> Result<Dependency, String> {
    let kind = match value["kind"].as_str() {
        None => Kind::Normal,
        Some("build") => Kind::Build,
        Some("dev") => Kind::Dev,
        Some(other) => return Err(format!("cargo metadata: unknown dependency kind `{other}`")),
    };
    Ok(Dependency { name: text(value, "name")?.to_owned(), kind })
}

/// The output of `cargo metadata` with further arguments.
pub fn metadata(arguments: &[&str]) -> Result<Value, String> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1"]).args(arguments);
    serde_json::from_str(&stdout(&mut command)?).map_err(|e| format!("cargo metadata: {e}"))
}

/// The cargo that runs us, so that a pinned toolchain stays the same one.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn stdout(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{program}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{program} failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{program} printed bytes that are not UTF-8"))
}

/// The string under `key`.
pub fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    value[key].as_str().ok_or_else(|| format!("cargo metadata: no text under `{key}`"))
}

/// The array under `key`.
pub fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], String> {
    value[key].as_array().map(Vec::as_slice).ok_or_else(|| format!("cargo metadata: no list under `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_packages_and_dependency_kinds() {
        let metadata = serde_json::json!({
            "workspace_root": "/w",
            "packages": [{
                "name": "anyrig-bvh", "manifest_path": "/w/crates/formats/anyrig-bvh/Cargo.toml",
                "dependencies": [{"name": "anyrig-bytes", "kind": null}, {"name": "proptest", "kind": "dev"}],
            }],
        });
        let workspace = Workspace::from_metadata(&metadata).unwrap();
        let package = &workspace.packages[0];
        assert_eq!((package.name.as_str(), package.folder.as_str()), ("anyrig-bvh", "crates/formats/anyrig-bvh"));
        assert_eq!(package.dependencies.iter().map(|d| d.kind).collect::<Vec<_>>(), [Kind::Normal, Kind::Dev]);
    }
}
