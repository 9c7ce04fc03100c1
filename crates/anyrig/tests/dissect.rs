//! Every binary file of the corpus that a format reads: nearly all bytes have a name, and dumps lose nothing.

#![cfg(all(feature = "gltf", feature = "urho"))]
#![allow(clippy::print_stdout, reason = "sweeps say what they counted")]

mod disk;

use anyrig::bytes::codec::Arrays;
use anyrig::dissect::html;
use anyrig::{Context, DissectRequest, MemorySource, Registry, Source};
use disk::{Disk, corpus, files};
use std::collections::BTreeMap;

/// Of one extension.
#[derive(Default)]
struct Row {
    files: usize,
    refused: usize,
    bytes: u64,
    named: u64,
    worst: Option<(f64, String)>,
}

#[test]
fn at_least_99_of_100_bytes_of_every_binary_file_have_a_name() {
    let Some(corpus) = corpus() else { return };
    let registry = Registry::standard();
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for path in files(&corpus, &["mdl", "ani", "glb", "vrm", "vrma", "fbx", "pmx", "pmd", "vmd", "msh", "skn", "model"])
    {
        let source = Disk::open(&path);
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let row = rows.entry(extension).or_default();
        match registry.dissect(&source, &DissectRequest::default(), &Context::new()) {
            Ok(dissection) => {
                row.files += 1;
                row.bytes += dissection.bytes;
                row.named += dissection.shares.named;
                let share = dissection.named_share();
                if row.worst.as_ref().is_none_or(|(worst, _)| share < *worst) {
                    row.worst = Some((share, path.display().to_string()));
                }
            }
            // Broken on purpose, a text, or of a format that this build does not read.
            Err(_) => row.refused += 1,
        }
    }
    println!("{:>6} {:>6} {:>8} {:>12} {:>12} {:>9}", "", "files", "refused", "bytes", "named", "worst");
    for (extension, row) in &rows {
        let worst = row.worst.as_ref().map_or(1.0, |(share, _)| *share) * 100.0;
        println!(
            "{extension:>6} {:>6} {:>8} {:>12} {:>12} {worst:>8.3}%",
            row.files, row.refused, row.bytes, row.named
        );
    }
    for (share, file) in rows.values().filter_map(|row| row.worst.as_ref()) {
        assert!(*share >= 0.99, "{file}: {share}");
    }
    assert!(rows["mdl"].refused == 0 && rows["mdl"].files > 30);
    assert!(rows["glb"].files > 20 && rows["ani"].files > 5);
}

#[test]
fn every_dump_loads_to_the_same_bytes() {
    let Some(corpus) = corpus() else { return };
    let registry = Registry::standard();
    let mut count = 0;
    for path in files(&corpus, &["mdl", "ani", "glb", "vrm", "vrma"]) {
        let source = Disk::open(&path);
        let Ok(json) = registry.dump(&source, None, Arrays::Elements, &Context::new()) else { continue };
        let loaded = registry.load_dump(&MemorySource::new("dump.json", json), &Context::new());
        let loaded = loaded.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(loaded.content.to_vec() == source.bytes().as_slice(), "{}", path.display());
        count += 1;
    }
    println!("{count} files are equal after dump and load");
    assert!(count > 80, "{count}");
}

/// Damaged files are refused or dissected; what can be dissected can be dumped, and a dump gives the same bytes.
#[test]
fn damaged_files_are_refused_or_shown() {
    let Some(corpus) = corpus() else { return };
    let registry = Registry::standard();
    let (mut shown, mut refused, mut seed) = (0, 0, 0x9e37_79b9_7f4a_7c15u64);
    let mut random = |below: usize| {
        // xorshift64
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    for path in files(&corpus, &["mdl", "ani", "glb"]) {
        let whole = std::fs::read(&path).expect("readable");
        if whole.is_empty() || whole.len() > 40_000 {
            continue;
        }
        for _ in 0..40 {
            let mut bytes = whole.clone();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            let keep = if random(4) == 0 { random(bytes.len()) } else { bytes.len() };
            bytes.truncate(keep);
            let source = MemorySource::new("damaged", bytes);
            match registry.dissect(&source, &DissectRequest::default(), &Context::new()) {
                Err(_) => refused += 1,
                Ok(dissection) => {
                    shown += 1;
                    assert!(!html(&dissection, source.bytes()).is_empty());
                    let json = registry.dump(&source, None, Arrays::Elements, &Context::new()).expect("dumps");
                    let loaded = registry.load_dump(&MemorySource::new("x.json", json), &Context::new());
                    let loaded = loaded.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                    assert!(loaded.content.to_vec() == source.bytes().as_slice(), "{}", path.display());
                }
            }
        }
    }
    println!("{shown} damaged files were shown, {refused} refused");
    assert!(shown > 0 && refused > 0);
}
