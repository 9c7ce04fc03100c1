//! Sweeps over the corpus: what reads is written back byte for byte, what is valid imports.

mod helpers;

use anyrig_bytes::Context;
use anyrig_scene::Document;
use helpers::{Disk, corpus, files, import};

#[test]
fn untouched_documents_are_byte_equal() {
    let Some(folder) = corpus() else { return };
    let (mut equal, mut refused) = (0, 0);
    for path in files(&folder) {
        let source = Disk::open(&path);
        match anyrig_gltf::read(&source, &Context::new()) {
            Ok(document) => {
                let written = document.write().expect("writable").to_vec();
                assert!(written == anyrig_bytes::Source::bytes(&source).as_slice(), "{}", path.display());
                equal += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{equal} documents byte-equal, {refused} refused");
    assert!(equal > 300, "{equal}");
}

#[test]
fn imports() {
    let Some(folder) = corpus() else { return };
    for path in files(&folder) {
        let source = Disk::open(&path);
        let context = Context::new();
        match import(&source, &context) {
            Ok(_) => {}
            Err(e) => println!("{}: {e}", path.strip_prefix(&folder).unwrap().display()),
        }
    }
}
