//! What the Khronos validator finds in the corpus, and what is refused all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files that are refused for another reason than their findings: what they have no bytes for, only an application could
/// fill in, and an unknown extension is required.
const REFUSED_BESIDES: &[&str] = &[
    "image/buffer_view_bytestride.gltf",
    "image/missing_mime_type_buffer_view.gltf",
    "mesh/accessor_unaligned.gltf",
    "mesh/indices_bytestride.gltf",
    "root/undefined_used_extensions.gltf",
    "skin/buffer_view_bytestride.gltf",
];

/// A table of `tests/judges`.
fn table(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/judges").join(name);
    std::fs::read_to_string(path).expect("the table")
}

/// Files that are refused although no finding asks for it.
pub fn listed_refusals() -> BTreeSet<String> {
    let table = table("refused.tsv");
    let names = table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next());
    let besides = REFUSED_BESIDES.iter().map(|name| format!("gltf/gltf-validator/base/data/{name}"));
    names.map(str::to_owned).chain(besides).collect()
}

/// Path, code and JSON pointer of each error.
pub fn errors() -> BTreeMap<String, Vec<(String, String)>> {
    let mut errors: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in table("errors.tsv").lines() {
        let [path, code, pointer] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}")
        };
        errors.entry(path.to_owned()).or_default().push((code.to_owned(), pointer.to_owned()));
    }
    errors
}
