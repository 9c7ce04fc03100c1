//! Every file of the Khronos validator's own suite against the conformance table.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, Severity, Source, Value};
use anyrig_gltf::conformance::{Outcome, row};
use helpers::{Disk, corpus, files, import};
use std::collections::BTreeMap;
use std::path::Path;

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

#[test]
fn the_table_holds_for_the_validators_own_suite() {
    let Some(folder) = corpus() else { return };
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for path in files(&folder.join("gltf/gltf-validator")) {
        let report =
            path.with_file_name(format!("{}.report.json", path.file_name().expect("a name").to_string_lossy()));
        if !report.is_file() {
            continue;
        }
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        let mut outcomes = Vec::new();
        for (code, pointer) in findings(&report) {
            match row(&code, &pointer) {
                Some(row) => outcomes.push((row.outcome, code)),
                None => wrong.push(format!("{name}: the table does not know {code}")),
            }
        }
        let has = |outcome| outcomes.iter().any(|(o, _)| *o == outcome);
        let source = Disk::open(&path);
        let context = Context::new();
        let result = import(&source, &context);
        let severities: Vec<_> = context.report().diagnostics().iter().map(|d| d.severity).collect();
        let fault = match (&result, has(Outcome::Refuse)) {
            (Ok(_), true) => Some("was read, but must be refused".to_owned()),
            (Err(e), false) if !refused_anyway(&source, e.message()) => Some(format!("was refused: {e}")),
            (Ok(_), false) if has(Outcome::Repair) && !severities.contains(&Severity::Repaired) => {
                Some("has no line of a repair".to_owned())
            }
            (Ok(_), false) if has(Outcome::Lose) && !severities.contains(&Severity::Lost) => {
                Some("has no line of a loss".to_owned())
            }
            _ => None,
        };
        if let Some(fault) = fault {
            wrong.push(format!("{name} {outcomes:?}: {fault}"));
        }
        *counts.entry(if result.is_ok() { "read" } else { "refused" }).or_insert(0) += 1;
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.get("read").is_some_and(|n| *n > 60) && counts.get("refused").is_some_and(|n| *n > 30));
}
