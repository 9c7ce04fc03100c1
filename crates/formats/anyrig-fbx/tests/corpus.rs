//! Every file of the corpus.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::{Context, Result, SharedBytes};
use anyrig_fbx::{Decoder, Encoding, FbxDocument};
use std::collections::BTreeMap;

/// Files outside `fuzz/` that are refused, each with a piece of the reason.
const REFUSED: [(&str, &str); 3] = [
    ("ufbx/synthetic_node_depth_fail_7400_binary.fbx", "is to end at 16777215"),
    ("ufbx/synthetic_node_depth_fail_7500_ascii.fbx", "deeper"),
    ("ufbx/synthetic_truncated_quot_fail_7500_ascii.fbx", "closing quote"),
];

#[test]
fn every_file_is_written_as_it_was_read() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused = Vec::new();
    for sample in common::corpus() {
        let bytes = SharedBytes::from(sample.bytes.as_slice());
        let context = Context::new();
        let document = match FbxDocument::read(&bytes, &context) {
            Ok(document) => document,
            Err(error) if sample.is_fuzz() => {
                *counts.entry("fuzz, refused").or_default() += 1;
                assert!(!error.message().is_empty());
                continue;
            }
            Err(error) => {
                println!("refused: {}: {error}", sample.name);
                refused.push((sample.name, error.message().to_owned()));
                continue;
            }
        };
        let written = document.write().expect("an untouched document can be written").to_shared();
        assert!(written == bytes, "{} is not byte-equal", sample.name);
        let kind = match document.encoding() {
            _ if sample.is_fuzz() => "fuzz, read",
            Encoding::Binary => "binary",
            Encoding::Ascii => "ASCII",
        };
        *counts.entry(kind).or_default() += 1;
        if !context.report().is_empty() && !sample.is_fuzz() {
            for line in context.report().diagnostics() {
                println!("{}: {line}", sample.name);
            }
        }
    }
    println!("{counts:?}, refused outside fuzz: {}", refused.len());
    if counts.is_empty() {
        return;
    }
    let expected: Vec<_> = REFUSED.iter().map(|(name, _)| *name).collect();
    assert_eq!(refused.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
    for ((_, message), (name, reason)) in refused.iter().zip(REFUSED) {
        assert!(message.contains(reason), "{name}: {message}");
    }
    assert_eq!((counts["binary"], counts["ASCII"]), (198, 227));
}

#[test]
fn every_array_decodes() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut broken = Vec::new();
    for sample in common::corpus() {
        let context = Context::new();
        let Ok(document) = FbxDocument::read(&sample.bytes.as_slice().into(), &context) else { continue };
        let mut decoder = Decoder::new(&context);
        for id in document.nodes() {
            for property in id.properties().filter(|p| p.kind().is_array()) {
                let decoded: Result<_> = property.array::<f64>(&mut decoder);
                match decoded {
                    Ok(values) => *counts.entry("values").or_default() += values.len(),
                    Err(error) if sample.is_fuzz() => drop(error),
                    Err(error) => broken.push(format!("{}: {error}", sample.name)),
                }
                *counts.entry("arrays").or_default() += 1;
            }
        }
    }
    println!("{counts:?}");
    assert_eq!(broken, [""; 0]);
}

#[test]
fn the_trace_names_every_byte_of_a_binary_file() {
    let mut files = 0;
    for sample in common::corpus().into_iter().filter(|s| s.is_binary() && !s.is_fuzz()) {
        let Ok(document) = FbxDocument::read(&sample.bytes.as_slice().into(), &Context::new()) else { continue };
        let mut at = 0;
        for span in document.trace().expect("traces") {
            assert_eq!(span.offset, at, "{}: {}", sample.name, span.path);
            assert!(!span.path.is_empty());
            at += span.len;
        }
        assert_eq!(at, sample.bytes.len() as u64, "{}", sample.name);
        files += 1;
    }
    println!("{files} traces");
}
