//! Which foreign crates are shipped, and the licence texts in their packages.

use crate::workspace::{list, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A foreign crate in the shipped program.
pub struct Crate {
    pub name: String,
    pub version: String,
    /// SPDX expression; empty where the manifest has none.
    pub expression: String,
    /// The licence files of its package, in the order of their names.
    pub texts: Vec<String>,
}

/// Beginnings of the names that packages give their licence files, in lower case.
const LICENCE_FILES: &[&str] = &["licen", "copying", "copyright", "notice", "unlicense"];

/// Every foreign crate that `package` is built from on any target, by name and version.
///
/// Build scripts and tests are left out: nothing of them is in the program.
pub fn shipped(metadata: &Value, package: &str) -> Result<Vec<Crate>, String> {
    let own: Vec<&str> = list(metadata, "workspace_members")?.iter().filter_map(Value::as_str).collect();
    let packages = by_id(metadata, "packages")?;
    let mut foreign: Vec<&Value> = reached(metadata, package)?
        .iter()
        .filter(|id| !own.contains(id))
        .map(|id| packages.get(id).copied().ok_or_else(|| format!("cargo metadata: no package `{id}`")))
        .collect::<Result<_, _>>()?;
    foreign.sort_by_key(|value| (value["name"].as_str(), value["version"].as_str()));
    foreign.into_iter().map(read_crate).collect()
}

fn by_id<'a>(value: &'a Value, key: &str) -> Result<BTreeMap<&'a str, &'a Value>, String> {
    list(value, key)?.iter().map(|entry| Ok((text(entry, "id")?, entry))).collect()
}

fn reached<'a>(metadata: &'a Value, package: &str) -> Result<BTreeSet<&'a str>, String> {
    let nodes = by_id(&metadata["resolve"], "nodes")?;
    let is_root = |value: &&Value| value["name"] == package && value["source"].is_null();
    let root = list(metadata, "packages")?.iter().find(is_root).ok_or_else(|| format!("no package `{package}`"))?;
    let mut seen = BTreeSet::new();
    let mut waiting = vec![text(root, "id")?];
    while let Some(id) = waiting.pop() {
        if seen.insert(id) {
            let node = nodes.get(id).ok_or_else(|| format!("cargo metadata: `{id}` is not resolved"))?;
            waiting.extend(list(node, "deps")?.iter().filter(|d| is_normal(d)).filter_map(|d| d["pkg"].as_str()));
        }
    }
    Ok(seen)
}

fn is_normal(dependency: &Value) -> bool {
    dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

fn read_crate(value: &Value) -> Result<Crate, String> {
    let folder = Path::new(text(value, "manifest_path")?).parent().ok_or("a manifest without a folder")?;
    let name = text(value, "name")?;
    Ok(Crate {
        name: name.to_owned(),
        version: text(value, "version")?.to_owned(),
        expression: value["license"].as_str().unwrap_or_default().to_owned(),
        texts: licence_texts(folder).map_err(|e| format!("the package of {name}: {e}"))?,
    })
}

fn licence_texts(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_source = name.ends_with(".rs") || name.ends_with(".toml");
        if LICENCE_FILES.iter().any(|start| name.starts_with(start)) && !is_source {
            files.push(entry.path());
        }
    }
    // Some packages keep one file a licence in a folder.
    while let Some(at) = files.iter().position(|path| path.is_dir()) {
        let inner = files.swap_remove(at);
        files.extend(std::fs::read_dir(inner)?.collect::<Result<Vec<_>, _>>()?.iter().map(std::fs::DirEntry::path));
    }
    files.sort();
    files.iter().map(|path| Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn node(id: &str, deps: &[(&str, Value)]) -> Value {
        let deps: Vec<Value> =
            deps.iter().map(|(to, kind)| json!({"pkg": to, "dep_kinds": [{"kind": kind, "target": null}]})).collect();
        json!({"id": id, "deps": deps})
    }

    #[test]
    fn only_normal_edges_are_followed() {
        let metadata = json!({
            "packages": [{"name": "app", "id": "app", "source": null}],
            "resolve": {"nodes": [
                node("app", &[("a", Value::Null), ("test-tool", json!("dev")), ("builder", json!("build"))]),
                node("a", &[("b", Value::Null)]),
                node("b", &[("a", Value::Null)]),
                node("test-tool", &[]),
                node("builder", &[]),
            ]},
        });
        assert_eq!(reached(&metadata, "app").unwrap().into_iter().collect::<Vec<_>>(), ["a", "app", "b"]);
        assert!(reached(&metadata, "other").is_err());
    }
}
