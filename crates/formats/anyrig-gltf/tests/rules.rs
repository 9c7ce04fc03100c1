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
use helpers::{Disk, corpus, files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The lines that tell of what import repairs or leaves out.
const TOLD: &[(&str, &[&str])] = &[
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", &["scene.key-order"]),
    ("ACCESSOR_INDEX_OOB", &["scene.faces-removed"]),
    ("ACCESSOR_INVALID_FLOAT", &["scene.not-finite"]),
    ("ACCESSOR_INVALID_IBM", &["gltf.matrix-last-row"]),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", &["scene.weights"]),
    ("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", &["scene.channel-removed"]),
    ("ANIMATION_DUPLICATE_TARGETS", &["scene.channel-removed"]),
    ("CAMERA_XMAG_YMAG_ZERO", &["gltf.value-clamped"]),
    ("CAMERA_ZFAR_LEQUAL_ZNEAR", &["gltf.value-clamped"]),
    ("GLB_LENGTH_MISMATCH", &["gltf.glb-length"]),
    ("INVALID_URI", &["gltf.image-missing"]),
    ("IO_ERROR", &["gltf.image-missing"]),
    ("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", &["gltf.value-clamped"]),
    ("MESH_INVALID_WEIGHTS_COUNT", &["gltf.weight-count"]),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", &["gltf.unpaired-influences"]),
    ("NODE_LOOP", &["scene.hierarchy"]),
    ("NODE_MATRIX_TRS", &["gltf.matrix-and-trs"]),
    ("NODE_PARENT_OVERRIDE", &["scene.hierarchy"]),
    ("NODE_WEIGHTS_INVALID", &["gltf.weight-count"]),
    // In a ring each node is below another, and cutting it is what is told.
    ("SCENE_NON_ROOT_NODE", &["gltf.root-with-parent", "scene.hierarchy"]),
    ("UNSATISFIED_DEPENDENCY", &["gltf.node-without-mesh", "gltf.image-type-sniffed"]),
    ("VALUE_NOT_IN_RANGE", &["gltf.value-clamped"]),
];

/// Validation looks at all of an image, the validator only at its head.
const DEEPER: [&str; 2] = ["IMAGE_DATA_INVALID", "IMAGE_UNEXPECTED_EOS"];

/// Path, code and JSON pointer of each error.
fn errors() -> BTreeMap<String, Vec<(String, String)>> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/judges/errors.tsv");
    let mut errors: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in std::fs::read_to_string(table).expect("the table").lines() {
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
        Some(Outcome::Repair | Outcome::Lose) => {
            let ids = TOLD.iter().find(|(told, _)| *told == code).map(|(_, ids)| *ids).unwrap_or_default();
            report.diagnostics().iter().any(|d| ids.contains(&d.code.id))
        }
        Some(Outcome::Refuse) | None => false,
    }
}

#[test]
fn every_error_of_the_validator_is_told() {
    let Some(folder) = corpus() else { return };
    let (mut errors, mut wrong) = (errors(), Vec::new());
    let (mut told, mut refused) = (0, 0);
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        let expected = errors.remove(&name).unwrap_or_default();
        let (result, report) = validated(&Disk::open(&path));
        if result.is_err() {
            refused += usize::from(!expected.is_empty());
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
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told > 150 && refused > 30, "{told} {refused}");
}
