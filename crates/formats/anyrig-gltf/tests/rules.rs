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
use helpers::{Disk, corpus, files, judges, told};
use std::collections::BTreeSet;

/// Validation looks at all of an image, the validator only at its head.
const DEEPER: [&str; 2] = ["IMAGE_DATA_INVALID", "IMAGE_UNEXPECTED_EOS"];

/// Whether something allows a file to be refused: a finding whose row says so, or what the validator cannot read either.
fn may_be_refused(findings: &[(String, String)]) -> bool {
    let refuses = |(code, pointer): &(String, String)| {
        code == "NOT_READABLE" || row(code, pointer).is_some_and(|row| row.outcome == Outcome::Refuse)
    };
    findings.iter().any(refuses)
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
    let (mut errors, mut wrong) = (judges::errors(), Vec::new());
    let (mut told, mut refused) = (0, 0);
    let mut listed = judges::listed_refusals();
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
