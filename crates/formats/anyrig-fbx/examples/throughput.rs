//! How fast documents are read: `cargo run --release -p anyrig-fbx --example throughput -- FILE…`
#![allow(clippy::print_stdout)]

use anyrig_bytes::{Context, SharedBytes};
use anyrig_fbx::{Decoder, FbxDocument};
use std::time::{Duration, Instant};

fn best(mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..9).map(|_| once(&mut work)).min().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:>10} {:>9} {:>12} {:>12} {:>12} {:>12}  file",
        "bytes", "nodes", "read MB/s", "+arrays", "write MB/s", "ufbx DOM"
    );
    for name in std::env::args().skip(1) {
        let bytes = SharedBytes::from(std::fs::read(&name)?);
        let context = Context::new();
        let document = FbxDocument::read(&bytes, &context)?;
        let rate = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
        let read = best(|| drop(FbxDocument::read(&bytes, &Context::new())));
        let arrays = best(|| {
            let context = Context::new();
            let Ok(document) = FbxDocument::read(&bytes, &context) else { return };
            let mut decoder = Decoder::new(&context);
            for node in document.nodes() {
                let is_list = node.property_count() > 8 || node.property(0).is_some_and(|p| p.kind().is_array());
                if is_list {
                    drop(node.array::<f64>(&mut decoder));
                }
            }
        });
        let write = best(|| drop(document.write()));
        let judge = best(|| {
            let options = ufbx::LoadOpts {
                retain_dom: true,
                ignore_all_content: true,
                force_single_thread_ascii_parsing: true,
                ..ufbx::LoadOpts::default()
            };
            drop(ufbx::load_memory(&bytes, options));
        });
        let nodes = document.nodes().count();
        let rates = [read, arrays, write, judge].map(|t| format!("{:12.0}", rate(t))).join(" ");
        println!("{:>10} {nodes:>9} {rates}  {name}", bytes.len());
    }
    Ok(())
}
