//! Node trees and values against an independent reader, the `ufbx` crate.
#![allow(clippy::print_stdout)]

mod common;

use anyrig_bytes::Context;
use anyrig_fbx::{Decoder, FbxDocument, Kind, Node};
use std::collections::BTreeMap;
use ufbx::{DomNode, DomValue, DomValueType};

#[derive(Default)]
struct Judge<'a> {
    file: &'a str,
    counts: BTreeMap<&'static str, usize>,
    differences: Vec<String>,
}

impl Judge<'_> {
    fn differ(&mut self, node: &Node<'_>, what: impl std::fmt::Display) {
        self.differences.push(format!("{}: {}: {what}", self.file, node.place()));
    }

    fn count(&mut self, what: &'static str, n: usize) {
        *self.counts.entry(what).or_default() += n;
    }

    fn node(&mut self, ours: Node<'_>, theirs: &DomNode, decoder: &mut Decoder<'_>) {
        self.count("nodes", 1);
        if ours.name() != theirs.name.as_bytes() {
            return self.differ(&ours, format!("{:?} is {:?}", ours.name_text(), &*theirs.name));
        }
        self.values(&ours, theirs, decoder);
        let children: Vec<_> = ours.children().collect();
        if children.len() != theirs.children.len() {
            let names: Vec<_> = theirs.children.iter().map(|c| c.name.to_string()).collect();
            return self.differ(&ours, format!("{} children, {names:?}", children.len()));
        }
        for (ours, theirs) in children.into_iter().zip(theirs.children.iter()) {
            self.node(ours, theirs, decoder);
        }
    }

    fn values(&mut self, ours: &Node<'_>, theirs: &DomNode, decoder: &mut Decoder<'_>) {
        let [first, ..] = &*theirs.values else { return };
        let bytes = &*first.value_blob;
        match first.type_ {
            DomValueType::ArrayI32 => self.array(ours, bytes, decoder, |b| i32::from_le_bytes(b).into()),
            DomValueType::ArrayF32 => self.array(ours, bytes, decoder, |b| f32::from_le_bytes(b).into()),
            DomValueType::ArrayF64 => self.array(ours, bytes, decoder, f64::from_le_bytes),
            DomValueType::ArrayI64 => self.array(ours, bytes, decoder, |b| i64::from_le_bytes(b) as f64),
            DomValueType::ArrayIgnored | DomValueType::ArrayBlob => self.count("arrays left out", 1),
            DomValueType::Number if ours.property(0).is_some_and(|p| p.kind().is_array()) => {
                self.unknown_array(ours, &theirs.values, decoder);
            }
            _ => {
                for (index, theirs) in theirs.values.iter().enumerate() {
                    self.value(ours, index, theirs, decoder);
                }
            }
        }
    }

    fn array<const N: usize>(
        &mut self,
        ours: &Node<'_>,
        theirs: &[u8],
        decoder: &mut Decoder<'_>,
        value: impl Fn([u8; N]) -> f64,
    ) {
        let theirs: Vec<f64> = theirs.as_chunks::<N>().0.iter().map(|b| value(*b)).collect();
        self.count("array values", theirs.len());
        let decoded = ours.array::<f64>(decoder);
        let Ok(values) = decoded else {
            return self.differ(ours, format!("{decoded:?}"));
        };
        // They narrow to the type that they want; so must we to compare.
        let same = |a: f64, b: f64| {
            a == b || a as f32 == b as f32 && N == 4 || a as i32 == b as i32 && N == 4 || a.is_nan() && b.is_nan()
        };
        if values.len() != theirs.len() {
            return self.differ(ours, format!("{} values, {} there", values.len(), theirs.len()));
        }
        if let Some(is_same) = self.rewritten_there(ours, &values, &theirs) {
            return if is_same { self.count("rewritten there", 1) } else { self.differ(ours, "rewritten otherwise") };
        }
        if let Some(at) = values.iter().zip(&theirs).position(|(a, b)| !same(*a, *b)) {
            self.differ(ours, format!("value {at} is {}, {} there", values[at], theirs[at]));
        }
    }

    /// Some arrays they change in place after reading, so that their tree shows the result: whether it is that of ours.
    fn rewritten_there(&self, ours: &Node<'_>, values: &[f64], theirs: &[f64]) -> Option<bool> {
        let pairs = || values.iter().zip(theirs);
        let is_shape = |node: Node<'_>| node.property(2).is_some_and(|p| p.bytes().as_deref() == Some(b"Shape"));
        if ours.is("PointsIndex") {
            // The mark of a line's last point is resolved.
            return Some(pairs().all(|(a, b)| a == b || -1.0 - a == *b));
        }
        if ours.is("PolygonGroup") {
            // Groups are numbered anew: equal ones stay equal, different ones different.
            let there: BTreeMap<_, _> = pairs().map(|(a, b)| (*a as i64, *b as i64)).collect();
            let back: BTreeMap<_, _> = there.iter().map(|(a, b)| (*b, *a)).collect();
            return Some(there.len() == back.len() && pairs().all(|(a, b)| there[&(*a as i64)] == *b as i64));
        }
        if self.file.contains("blend_shape_order") && ours.parent().is_some_and(is_shape) {
            // Sorted by index.
            let sorted = |values: &[f64]| {
                let mut sorted = values.to_vec();
                sorted.sort_by(f64::total_cmp);
                sorted
            };
            return Some(sorted(values) == sorted(theirs));
        }
        if self.file.contains("unsafe_cube") && ours.is("UVIndex") {
            // Clamped to the number of coordinates, 14.
            return Some(pairs().all(|(a, b)| a == b || !(0.0..14.0).contains(a) && *b == 13.0));
        }
        None
    }

    /// An array whose name they do not know: they keep its first values.
    fn unknown_array(&mut self, ours: &Node<'_>, theirs: &[DomValue], decoder: &mut Decoder<'_>) {
        self.count("first values of arrays", theirs.len());
        let values = ours.array::<f64>(decoder).unwrap_or_default();
        if theirs.iter().enumerate().any(|(i, v)| values.get(i) != Some(&v.value_float)) {
            self.differ(ours, "first values");
        }
    }

    fn value(&mut self, ours: &Node<'_>, index: usize, theirs: &DomValue, decoder: &mut Decoder<'_>) {
        let Some(property) = ours.property(index) else {
            return self.differ(ours, format!("no property {index}"));
        };
        match theirs.type_ {
            DomValueType::Number => {
                self.count("numbers", 1);
                let (int, float) = (property.as_i64(), property.as_f64().unwrap_or(0.125));
                let same = float == theirs.value_float || float.is_nan() && theirs.value_float.is_nan();
                if int != Some(theirs.value_int) && float.abs() < 9e18 || !same {
                    self.differ(ours, format!("{property:?}, {} {} there", theirs.value_int, theirs.value_float));
                }
            }
            DomValueType::String => {
                let bytes = property.bytes().unwrap_or_default();
                if std::str::from_utf8(&bytes).is_err() {
                    return self.count("strings that are not UTF-8", 1);
                }
                let raw = if theirs.value_blob.is_empty() { theirs.value_str.as_bytes() } else { &*theirs.value_blob };
                if raw.is_empty() && !bytes.is_empty() {
                    // Names and types of objects go elsewhere there.
                    return self.count("strings that they do not keep", 1);
                }
                self.count("strings", 1);
                if *bytes != *raw {
                    self.differ(ours, format!("{property:?}, {:?} there", &*theirs.value_str));
                }
            }
            DomValueType::Blob => {
                if property.kind().is_scalar() || property.kind().is_array() {
                    // Bytes, or truth values of one byte each.
                    self.count("bytes of byte arrays", theirs.value_blob.len());
                    let values = ours.array::<i64>(decoder).unwrap_or_default();
                    let is_same = |to_byte: fn(i64) -> u8| {
                        values.iter().map(|v| to_byte(*v)).eq(theirs.value_blob.iter().copied())
                    };
                    if !is_same(|v| v as u8) && !is_same(|v| u8::from(v != 0)) {
                        self.differ(ours, format!("{} bytes, {} there", values.len(), theirs.value_blob.len()));
                    }
                    return;
                }
                self.count("blobs", 1);
                let bytes = if property.kind() == Kind::Raw {
                    property.shared_bytes().unwrap_or_default()
                } else {
                    ours.content(decoder).unwrap_or_default()
                };
                if *bytes != *theirs.value_blob {
                    self.differ(ours, format!("{} bytes, {} there", bytes.len(), theirs.value_blob.len()));
                }
            }
            _ => self.differ(ours, "an array among values"),
        }
    }
}

#[test]
fn trees_and_values_are_those_of_ufbx() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for sample in &common::judged() {
        let context = Context::new();
        let Ok(document) = FbxDocument::read(&sample.bytes.as_slice().into(), &context) else { continue };
        let options = ufbx::LoadOpts { retain_dom: true, ..ufbx::LoadOpts::default() };
        let scene = match ufbx::load_memory(&sample.bytes, options) {
            Ok(scene) => scene,
            Err(error) => {
                println!("not read by ufbx: {}: {}", sample.name, &*error.description);
                *counts.entry("files not read by ufbx").or_default() += 1;
                continue;
            }
        };
        let Some(root) = scene.dom_root.as_ref() else { continue };
        let mut judge = Judge { file: &sample.name, ..Judge::default() };
        judge.node(document.root(), root, &mut Decoder::new(&context));
        judge.count("files", 1);
        judge.counts.iter().for_each(|(what, n)| *counts.entry(what).or_default() += n);
        differences.extend(judge.differences);
    }
    println!("{counts:?}");
    differences.iter().take(60).for_each(|d| println!("{d}"));
    assert_eq!(differences.len(), 0);
}
