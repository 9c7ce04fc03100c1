//! Converts a GLB to what the UrhoX engine loads, in memory: bytes in, named files and a report out.
//!
//! `cargo run --example convert -- FILE`; without a file it takes this project's sample.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]

use anyrig::{Context, ConvertRequest, MemorySource, Value, Verify, convert};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/mannequin.glb");
    let path = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(sample), PathBuf::from);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let source = MemorySource::new(name, std::fs::read(&path)?);

    // Options are plain values; `anyrig::options` lists those of each format and reads `key=value` texts.
    let mut options = Value::default();
    options.set("scale", 100.0);
    let context = Context::new().with_options("urhox", options);

    let mut request = ConvertRequest::new("urhox");
    // Reads the result back and compares it, besides checking that every file is whole.
    request.verify = Verify::Full;
    let conversion = convert(&source, &request, &context)?;

    for file in &conversion.files {
        // `file.content` is a rope: it writes itself piece by piece, without one large copy.
        println!("{:>9}  {}", file.content.len(), file.name);
    }
    for diagnostic in conversion.report.diagnostics() {
        println!("{diagnostic}");
    }
    Ok(())
}
