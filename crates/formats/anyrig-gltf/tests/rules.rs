//! Every error that the Khronos validator finds in the corpus is told: import refuses the file, or a line of the report
//! says what became of it.
//!
//! `tests/judges/errors.tsv` holds what the validator found (`tests/judges/validate.mjs --errors` wrote it, and
//! `.ci/sweep-gltf` compares it with a run of the validator).
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, Report};
use anyrig_gltf::conformance::{Outcome, row};
use anyrig_gltf::{Glb, Gltf};
use anyrig_scene::Importer;
use helpers::{Disk, corpus, files, told};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Validation looks at all of an image, the validator only at its head.
const DEEPER: [&str; 2] = ["IMAGE_DATA_INVALID", "IMAGE_UNEXPECTED_EOS"];

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
fn listed_refusals() -> BTreeSet<String> {
    let table = table("refused.tsv");
    let names = table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next());
    let besides = REFUSED_BESIDES.iter().map(|name| format!("gltf/gltf-validator/base/data/{name}"));
    names.map(str::to_owned).chain(besides).collect()
}

/// Whether something allows a file to be refused: a finding whose row says so, or what the validator cannot read either.
fn may_be_refused(findings: &[(String, String)]) -> bool {
    let refuses = |(code, pointer): &(String, String)| {
        code == "NOT_READABLE" || row(code, pointer).is_some_and(|row| row.outcome == Outcome::Refuse)
    };
    findings.iter().any(refuses)
}

/// Path, code and JSON pointer of each error.
fn errors() -> BTreeMap<String, Vec<(String, String)>> {
    let mut errors: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in table("errors.tsv").lines() {
        let [path, code, pointer] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}")
        };
        errors.entry(path.to_owned()).or_default().push((code.to_owned(), pointer.to_owned()));
    }
    errors
}

fn validated(source: &Disk) -> (anyrig_bytes::Result<()>, Report) {
    use anyrig_bytes::Source;
    let context = Context::new();
    let importer = if source.bytes().starts_with(b"glTF") { &Glb as &dyn Importer } else { &Gltf };
    let result = importer.import(source, &context).and_then(|_| importer.check_rules(source, &context));
    (result, context.take_report())
}

/// Codes of the validator that lines about rules name.
fn rules_told(report: &Report) -> BTreeSet<String> {
    let of_rules = report.diagnostics().iter().filter(|d| d.code.id.starts_with("gltf.rule-"));
    of_rules.map(|d| d.message.split(':').next().unwrap_or_default().to_owned()).collect()
}

fn is_told(code: &str, pointer: &str, report: &Report) -> bool {
    match row(code, pointer).map(|row| row.outcome) {
        Some(Outcome::Tolerate) => rules_told(report).contains(code),
        Some(Outcome::Repair | Outcome::Lose) => told::tells(report, code),
        Some(Outcome::Refuse) | None => false,
    }
}

#[test]
fn every_error_of_the_validator_is_told() {
    let Some(folder) = corpus() else { return };
    let (mut errors, mut wrong) = (errors(), Vec::new());
    let (mut told, mut refused) = (0, 0);
    let mut listed = listed_refusals();
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        let expected = errors.remove(&name).unwrap_or_default();
        let (result, report) = validated(&Disk::open(&path));
        if let Err(error) = result {
            refused += usize::from(!expected.is_empty());
            if !may_be_refused(&expected) && !listed.remove(&name) {
                wrong.push(format!("{name} {expected:?}: refused: {error}"));
            }
            continue;
        }
        for (code, pointer) in &expected {
            if !is_told(code, pointer, &report) {
                let ids: Vec<_> = report.diagnostics().iter().map(|d| (d.code.id, &d.message)).collect();
                wrong.push(format!("{name}: nothing tells of {code} at {pointer}: {ids:?}"));
            }
            told += 1;
        }
        // Nor is anything made up.
        for code in rules_told(&report).iter().filter(|code| !DEEPER.contains(&code.as_str())) {
            if expected.iter().all(|(found, _)| found != code) {
                wrong.push(format!("{name}: the validator does not find {code}"));
            }
        }
    }
    println!("{told} errors told, {refused} files with errors refused");
    assert!(errors.is_empty(), "not in the corpus: {errors:?}");
    assert!(listed.is_empty(), "listed as refused, but read: {listed:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told > 150 && refused > 30, "{told} {refused}");
}
