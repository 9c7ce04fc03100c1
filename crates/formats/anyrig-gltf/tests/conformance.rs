//! Every file of the Khronos validator's own suite against the conformance table.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, Report, Result, Severity, Source, Value};
use anyrig_gltf::conformance::{Outcome, Row, TABLE, row};
use anyrig_scene::Scene;
use helpers::{Disk, corpus, files, import, told};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Rows that no file of the suite has a finding for: only other tests exercise them, if any does.
const UNSEEN: &[(&str, &str)] = &[
    ("VALUE_NOT_IN_RANGE", "/byteStride"),
    ("VALUE_NOT_IN_RANGE", "/count"),
    ("NON_RELATIVE_URI", "/images/"),
    ("ACCESSOR_SPARSE_INDEX_OOB", ""),
    ("ACCESSOR_SPARSE_INDICES_NON_INCREASING", ""),
    ("GLB_INVALID_MAGIC", ""),
    ("GLB_INVALID_VERSION", ""),
    ("GLB_UNEXPECTED_END_OF_CHUNK_DATA", ""),
    ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", ""),
    ("ARRAY_LENGTH_NOT_IN_LIST", ""),
    ("ACCESSOR_INDEX_OOB", ""),
    ("ACCESSOR_INVALID_FLOAT", ""),
    ("ACCESSOR_JOINTS_INDEX_OOB", ""),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", ""),
    ("WEIGHTS_NON_NORMALIZED", ""),
    ("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", ""),
    ("ROTATION_NON_UNIT", ""),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", ""),
    ("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", ""),
    ("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", ""),
    ("BUFFER_VIEW_TARGET_OVERRIDE", ""),
    ("CAMERA_YFOV_GEQUAL_PI", ""),
    ("GLB_EMPTY_BIN_CHUNK", ""),
    ("GLB_EXTRA_DATA", ""),
    ("IMAGE_FEATURES_UNSUPPORTED", ""),
    ("IMAGE_NON_ENABLED_MIME_TYPE", ""),
    ("KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD", ""),
    ("KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD", ""),
    ("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", ""),
    ("MESH_PRIMITIVE_NO_POSITION", ""),
    ("MESH_PRIMITIVE_TANGENT_POINTS", ""),
    ("NODE_MATRIX_DEFAULT", ""),
    ("NODE_MATRIX_NON_TRS", ""),
    ("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", ""),
    ("NODE_SKINNED_MESH_NON_ROOT", ""),
    ("SKIN_NO_SCENE", ""),
    ("UNEXPECTED_EXTENSION_OBJECT", ""),
    ("UNEXPECTED_PROPERTY", ""),
    ("VALUE_NOT_IN_LIST", ""),
];

/// Files with lines about what the validator does not look at: the zeros of accessors without a buffer view.
const CHANGED_BESIDES: &[&str] = &[
    "animation/sampler_too_few_cubic_frames.gltf",
    "animation_data/quaternion_cubic_non_unit_values.gltf",
    "animation_data/quaternion_non_unit_values.gltf",
    "skin/ignored_animated_transform.gltf",
];

/// Findings of a stored report: code and JSON pointer.
fn findings(report: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(report).expect("readable");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let messages = report.get("issues").and_then(|i| i.get("messages")).and_then(Value::as_array).expect("messages");
    let text = |m: &Value, key: &str| m.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    messages.iter().map(|m| (text(m, "code"), text(m, "pointer"))).collect()
}

/// What this importer refuses whatever the validator says: extensions that it does not know, and buffers that the file
/// leaves to an application while something is stored in them.
fn refused_anyway(source: &Disk, message: &str) -> bool {
    let text = String::from_utf8_lossy(source.bytes()).into_owned();
    (text.contains("extensionsRequired") && message.contains("cannot be read without the extension"))
        || message.contains("has no uri and this is no GLB")
}

/// What import makes of a file against what the rows of its findings say.
fn fault(source: &Disk, found: &[(&Row, String)], result: &Result<Scene>, report: &Report) -> Option<String> {
    let has = |outcome| found.iter().any(|(row, _)| row.outcome == outcome);
    match result {
        Ok(_) if has(Outcome::Refuse) => return Some("was read, but must be refused".to_owned()),
        Err(_) if has(Outcome::Refuse) => return None,
        Err(e) => return (!refused_anyway(source, e.message())).then(|| format!("was refused: {e}")),
        Ok(_) => {}
    }
    let changed = || report.diagnostics().iter().filter(|d| matches!(d.severity, Severity::Repaired | Severity::Lost));
    for (row, code) in found.iter().filter(|(row, _)| matches!(row.outcome, Outcome::Repair | Outcome::Lose)) {
        let severity = if row.outcome == Outcome::Repair { Severity::Repaired } else { Severity::Lost };
        if !told::tells(report, code) || changed().all(|d| d.severity != severity) {
            return Some(format!("has no line about {code}"));
        }
    }
    let keeps = !has(Outcome::Repair) && !has(Outcome::Lose);
    let line = changed().next().filter(|_| keeps);
    line.map(|line| format!("nothing is to be changed, but: {line}"))
}

/// Code and place of a row.
fn named(row: &Row) -> (&'static str, &'static str) {
    (row.code, row.within)
}

#[test]
fn the_table_holds_for_the_validators_own_suite() {
    let Some(folder) = corpus() else { return };
    let (mut counts, mut wrong, mut seen) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    for path in files(&folder.join("gltf/gltf-validator")) {
        let report =
            path.with_file_name(format!("{}.report.json", path.file_name().expect("a name").to_string_lossy()));
        if !report.is_file() {
            continue;
        }
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        let mut found = Vec::new();
        for (code, pointer) in findings(&report) {
            match row(&code, &pointer) {
                Some(row) => found.push((row, code)),
                None => wrong.push(format!("{name}: the table does not know {code}")),
            }
        }
        seen.extend(found.iter().map(|(row, _)| named(row)));
        let source = Disk::open(&path);
        let context = Context::new();
        let result = import(&source, &context);
        let is_besides = CHANGED_BESIDES.iter().any(|besides| name.ends_with(besides));
        if let Some(fault) =
            fault(&source, &found, &result, &context.report()).filter(|_| !(is_besides && result.is_ok()))
        {
            let found: Vec<_> = found.iter().map(|(row, code)| (row.outcome, code)).collect();
            wrong.push(format!("{name} {found:?}: {fault}"));
        }
        *counts.entry(if result.is_ok() { "read" } else { "refused" }).or_insert(0) += 1;
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.get("read").is_some_and(|n| *n > 60) && counts.get("refused").is_some_and(|n| *n > 30));
    let unseen: Vec<_> = TABLE.iter().map(named).filter(|name| !seen.contains(name)).collect();
    assert_eq!(unseen, UNSEEN, "rows that no file of the suite has a finding for");
}
