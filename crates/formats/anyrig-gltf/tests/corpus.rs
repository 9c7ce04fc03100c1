//! Sweeps over the corpus: what reads is written back byte for byte, what is valid imports.
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod helpers;

use anyrig_bytes::{Context, Severity};
use anyrig_scene::Document;
use helpers::{Disk, corpus, files, import, judges};

#[test]
fn untouched_documents_are_byte_equal() {
    let Some(folder) = corpus() else { return };
    let (errors, listed) = (judges::errors(), judges::listed_refusals());
    let (mut equal, mut refused, mut wrong) = (0, 0, Vec::new());
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).expect("inside").display().to_string();
        let source = Disk::open(&path);
        match anyrig_gltf::read(&source, &Context::new()) {
            Ok(document) => {
                let written = document.write().expect("writable").to_vec();
                assert!(written == anyrig_bytes::Source::bytes(&source).as_slice(), "{}", path.display());
                equal += 1;
            }
            Err(_) if errors.contains_key(&name) || listed.contains(&name) => refused += 1,
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    println!("{equal} documents byte-equal, {refused} refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(equal > 300, "{equal}");
}

/// Outside of the validator's suite, which has a test of its own, only what needs an unknown extension is refused.
#[test]
fn everything_that_is_valid_imports() {
    let Some(folder) = corpus() else { return };
    let (mut read, mut nodes, mut reported, mut refused, mut wrong) = (0, 0, 0, 0, Vec::new());
    for path in files(&folder).into_iter().filter(|p| !p.starts_with(folder.join("gltf/gltf-validator"))) {
        let context = Context::new();
        match import(&Disk::open(&path), &context) {
            Ok(scene) => {
                read += 1;
                reported += usize::from(context.report().worst() > Some(Severity::Note));
                nodes += scene.nodes.len();
            }
            Err(e) if e.message().contains("cannot be read without the extension") => refused += 1,
            Err(e) => wrong.push(format!("{}: {e}", path.display())),
        }
    }
    println!("{read} read with {nodes} nodes, {reported} of them with findings, {refused} need an unknown extension");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 150 && nodes > 1000 && refused < 10);
}
