//! Dependencies point downwards only. The table is ARCHITECTURE.md's "The house"; change both together.

use super::Violation;
use crate::workspace::{Dependency, Kind, Package};
use std::collections::BTreeSet;

/// Each crate and the crates right below it. Whatever those rest on may be named too.
const BELOW: &[(&str, &[&str])] = &[
    ("anyrig-bytes", &[]),
    ("anyrig-scene", &["anyrig-bytes"]),
    ("anyrig-image", &["anyrig-bytes"]),
    ("anyrig-archive", &["anyrig-bytes"]),
    ("anyrig-animation", &["anyrig-scene"]),
    ("anyrig-passes", &["anyrig-scene", "anyrig-animation", "anyrig-image"]),
    ("anyrig-humanoid", &["anyrig-animation", "anyrig-passes"]),
    ("anyrig-render", &["anyrig-scene", "anyrig-animation", "anyrig-image", "anyrig-passes"]),
    ("anyrig", &["anyrig-archive", "anyrig-humanoid", "anyrig-render", FORMATS]),
    ("anyrig-server", &["anyrig"]),
    ("anyrig-cli", &["anyrig", "anyrig-server"]),
    ("xtask", &["anyrig", "anyrig-server"]),
    ("anyrig-benches", &["anyrig"]),
];

/// Stands for every crate under `crates/formats`: they all have the same place.
const FORMATS: &str = "crates/formats";
const BELOW_FORMATS: &[&str] = &["anyrig-bytes", "anyrig-scene", "anyrig-animation", "anyrig-image", "anyrig-passes"];

/// Foreign crates that only some of ours may build on: a name and whoever may use it.
///
/// A library must leave runtime, storage, command line, error style, logging and GPU to the program that uses it.
const RESERVED: &[(&str, &[&str])] = &[
    ("anyhow", &["anyrig-cli", "xtask"]),
    ("clap", &["anyrig-cli", "xtask"]),
    ("env_logger", &["anyrig-cli"]),
    ("log", &["anyrig-cli", "anyrig-server"]),
    ("sqlx", &["anyrig-server"]),
    ("tokio", &["anyrig-server", "anyrig-cli"]),
    ("tracing", &["anyrig-server", "anyrig-cli"]),
    ("tracing-subscriber", &["anyrig-server", "anyrig-cli"]),
    ("wgpu", &["anyrig-render", "anyrig-cli"]),
];

/// Checks the edges of one package. `manifest` is its Cargo.toml, to tell the line.
pub fn check(package: &Package, all: &[Package], manifest: &str) -> Vec<Violation> {
    let path = format!("{}/Cargo.toml", package.folder);
    let Some(allowed) = allowed_below(layer_of(package)) else {
        let remedy = "give it a place in the table of xtask/src/tidy/layers.rs and in ARCHITECTURE.md";
        return vec![Violation::new(&path, 1, format!("crate `{}` has no layer; {remedy}", package.name))];
    };
    let complain = |dependency: &Dependency| {
        let message = complaint(package, dependency, &allowed, all)?;
        Some(Violation::new(&path, line_of(manifest, &dependency.name), message))
    };
    package.dependencies.iter().filter_map(complain).collect()
}

fn complaint(package: &Package, dependency: &Dependency, allowed: &BTreeSet<&str>, all: &[Package]) -> Option<String> {
    let (from, to) = (&package.name, &dependency.name);
    match all.iter().find(|p| &p.name == to) {
        Some(target) if allowed.contains(layer_of(target)) || from == to => None,
        Some(_) => Some(format!(
            "`{from}` must not depend on `{to}`; it may name: {}. Move what both need into a lower crate",
            allowed.iter().copied().collect::<Vec<_>>().join(", "),
        )),
        None => reserved(package, dependency),
    }
}

fn reserved(package: &Package, dependency: &Dependency) -> Option<String> {
    let (name, users) = RESERVED.iter().find(|(name, _)| is_or_extends(&dependency.name, name))?;
    // What a test uses reaches no user of the library.
    if dependency.kind == Kind::Dev || users.contains(&package.name.as_str()) {
        return None;
    }
    Some(format!(
        "`{}` must not depend on `{}`: `{name}` is for {} only. Return data and let the program decide",
        package.name,
        dependency.name,
        users.join(", "),
    ))
}

/// `clap_mangen` and `tokio-util` come with `clap` and `tokio`.
fn is_or_extends(name: &str, reserved: &str) -> bool {
    name.strip_prefix(reserved).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

fn layer_of(package: &Package) -> &str {
    if package.folder.starts_with("crates/formats/") { FORMATS } else { &package.name }
}

/// Every layer that `layer` may name, or nothing where the table does not know it.
fn allowed_below(layer: &str) -> Option<BTreeSet<&'static str>> {
    let mut allowed = BTreeSet::new();
    let mut waiting = directly_below(layer)?.to_vec();
    while let Some(next) = waiting.pop() {
        if allowed.insert(next) {
            waiting.extend(directly_below(next).unwrap_or_default());
        }
    }
    Some(allowed)
}

fn directly_below(layer: &str) -> Option<&'static [&'static str]> {
    if layer == FORMATS {
        return Some(BELOW_FORMATS);
    }
    BELOW.iter().find(|(name, _)| *name == layer).map(|(_, below)| *below)
}

fn line_of(manifest: &str, dependency: &str) -> usize {
    let names_it = |line: &str| line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    manifest.lines().position(|line| names_it(line.trim_start())).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, folder: &str, dependencies: &[(&str, Kind)]) -> Package {
        let dependencies =
            dependencies.iter().map(|(name, kind)| Dependency { name: (*name).to_owned(), kind: *kind }).collect();
        Package { name: name.to_owned(), folder: folder.to_owned(), dependencies }
    }

    fn house() -> Vec<Package> {
        let rooms = BELOW.iter().map(|(name, _)| package(name, &format!("crates/{name}"), &[]));
        let formats = ["anyrig-gltf", "anyrig-urho"].map(|name| package(name, &format!("crates/formats/{name}"), &[]));
        rooms.chain(formats).collect()
    }

    fn messages(name: &str, folder: &str, dependency: &str, kind: Kind) -> Vec<String> {
        let manifest = format!("[package]\n\n[dependencies]\n{dependency}.workspace = true\n");
        check(&package(name, folder, &[(dependency, kind)]), &house(), &manifest)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn accepts(name: &str, folder: &str, dependency: &str, kind: Kind) -> bool {
        messages(name, folder, dependency, kind).is_empty()
    }

    #[test]
    fn an_upward_edge_fails_with_its_line() {
        let found = messages("anyrig-scene", "crates/anyrig-scene", "anyrig-passes", Kind::Normal);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("crates/anyrig-scene/Cargo.toml:4: `anyrig-scene` must not depend on `anyrig-pas")
        );
    }

    #[test]
    fn a_format_never_names_another_not_even_in_tests() {
        for kind in [Kind::Normal, Kind::Build, Kind::Dev] {
            assert!(!accepts("anyrig-gltf", "crates/formats/anyrig-gltf", "anyrig-urho", kind));
            assert!(!accepts("anyrig-gltf", "crates/formats/anyrig-gltf", "anyrig", kind));
        }
    }

    #[test]
    fn siblings_stay_apart() {
        assert!(!accepts("anyrig-image", "crates/anyrig-image", "anyrig-scene", Kind::Normal));
        assert!(!accepts("anyrig-render", "crates/anyrig-render", "anyrig-humanoid", Kind::Normal));
        assert!(!accepts("anyrig", "crates/anyrig", "anyrig-server", Kind::Dev));
        assert!(!accepts("anyrig-server", "crates/anyrig-server", "anyrig-cli", Kind::Normal));
    }

    #[test]
    fn lower_layers_may_be_named_through_others() {
        assert!(accepts("anyrig-animation", "crates/anyrig-animation", "anyrig-bytes", Kind::Normal));
        assert!(accepts("anyrig-humanoid", "crates/anyrig-humanoid", "anyrig-scene", Kind::Normal));
        assert!(accepts("anyrig", "crates/anyrig", "anyrig-urho", Kind::Normal));
        assert!(accepts("anyrig-cli", "crates/anyrig-cli", "anyrig-gltf", Kind::Normal));
        assert!(accepts("xtask", "xtask", "anyrig-bytes", Kind::Normal));
    }

    #[test]
    fn a_crate_may_name_itself_for_its_tests() {
        assert!(accepts("anyrig", "crates/anyrig", "anyrig", Kind::Dev));
    }

    #[test]
    fn reserved_crates_stay_out_of_libraries() {
        for name in ["tokio", "tokio-util", "sqlx", "clap", "clap_mangen", "anyhow", "log", "wgpu"] {
            assert!(!accepts("anyrig-scene", "crates/anyrig-scene", name, Kind::Normal), "{name}");
            assert!(accepts("anyrig-scene", "crates/anyrig-scene", name, Kind::Dev), "{name}");
        }
        assert!(accepts("anyrig-render", "crates/anyrig-render", "wgpu", Kind::Normal));
        assert!(accepts("anyrig-cli", "crates/anyrig-cli", "clap_complete", Kind::Normal));
        assert!(!accepts("anyrig-server", "crates/anyrig-server", "clap", Kind::Normal));
    }

    #[test]
    fn names_that_only_look_alike_are_free() {
        assert!(accepts("anyrig-scene", "crates/anyrig-scene", "logos", Kind::Normal));
    }

    #[test]
    fn an_unknown_crate_needs_a_layer() {
        let found = messages("anyrig-new", "crates/anyrig-new", "glam", Kind::Normal);
        assert!(found[0].contains("has no layer"));
        assert!(accepts("anyrig-new", "crates/formats/anyrig-new", "glam", Kind::Normal));
    }
}
