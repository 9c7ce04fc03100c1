//! How long scenes take with one thread and with several: `cargo run --release -p anyrig-fbx --example threads -- FILE…`
#![allow(clippy::print_stdout)]

use anyrig_bytes::{Context, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::env::args().skip(1) {
        let bytes = SharedBytes::from(std::fs::read(&name)?);
        // Interleaved, so that what else the machine does hits all of them.
        let mut best = [Duration::MAX; 3];
        for _ in 0..9 {
            for (threads, best) in [1, 2, 4].into_iter().zip(&mut best) {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                let time = pool.install(|| {
                    let (start, context) = (Instant::now(), Context::new());
                    let document = FbxDocument::read(&bytes, &context);
                    let scene = document.and_then(|document| import::import(&document, &context));
                    scene.map(|_| start.elapsed())
                });
                *best = (*best).min(time?);
            }
        }
        let [one, two, four] = best.map(|time| time.as_secs_f64() * 1e3);
        println!("{one:8.1} ms with 1 thread, {two:8.1} with 2, {four:8.1} with 4: {name}");
    }
    Ok(())
}
