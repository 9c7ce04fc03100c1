//! What reading FBX into a scene costs, beside ufbx: `bench-fbx both|ours|ufbx THREADS RUNS FILE.fbx...`.
//!
//! Both sides read the same bytes in the same process, run after run in turn, and free what they made outside the
//! measure. ufbx uses one thread whatever THREADS says. Prints a line of `name=value` for each file: medians in seconds
//! of processor time and on the wall. With more than one thread only the wall says something. RUNS of 0 reads once
//! without a clock, for programs that count instructions: under some of them there is no clock of a thread.
#![allow(clippy::print_stdout, reason = "a program for people and scripts")]

use anyrig_benches::{Took, measure, median};
use anyrig_bytes::{Context, MemorySource};
use anyrig_scene::{Importer, Scene};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;

const USAGE: &str = "usage: bench-fbx both|ours|ufbx THREADS RUNS FILE.fbx...";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [who, threads, runs, files @ ..] = arguments.as_slice() else { return Err(USAGE.into()) };
    let (ours, theirs) = match who.as_str() {
        "both" => (true, true),
        "ours" => (true, false),
        "ufbx" => (false, true),
        _ => return Err(USAGE.into()),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let runs = runs.parse::<usize>()?;
    for file in files {
        let bytes = std::fs::read(file)?;
        if runs == 0 {
            if ours {
                let source = MemorySource::new(file, bytes);
                pool.install(|| scene_of(&source).map(drop).map_err(|e| e.to_string()))?;
            } else {
                drop(theirs_of(&bytes)?);
            }
            continue;
        }
        let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            if ours {
                // Errors cross the pool's threads as text.
                let took = pool.install(|| read_ours(file, &bytes).map_err(|e| e.to_string()));
                of_ours.push(took?);
            }
            if theirs {
                of_theirs.push(read_theirs(&bytes)?);
            }
        }
        println!("{} {} file={}", line("ours", &of_ours), line("ufbx", &of_theirs), name(file));
    }
    Ok(())
}

fn read_ours(file: &str, bytes: &[u8]) -> Result<Took, Box<dyn Error>> {
    let source = MemorySource::new(file, bytes.to_vec());
    let mut scene = None;
    measure(|| {
        scene = Some(scene_of(&source)?);
        Ok(())
    })
}

fn scene_of(source: &MemorySource) -> Result<Scene, Box<dyn Error>> {
    Ok(black_box(anyrig_fbx::FbxImporter.import(source, &Context::new())?))
}

fn read_theirs(bytes: &[u8]) -> Result<Took, Box<dyn Error>> {
    let mut scene = None;
    measure(|| {
        scene = Some(theirs_of(bytes)?);
        Ok(())
    })
}

fn theirs_of(bytes: &[u8]) -> Result<ufbx::SceneRoot, Box<dyn Error>> {
    let options = ufbx::LoadOpts { ignore_missing_external_files: true, ..Default::default() };
    Ok(black_box(ufbx::load_memory(bytes, options).map_err(|e| e.description.to_string())?))
}

fn line(who: &str, of: &[Took]) -> String {
    let cpu_secs = median(of.iter().map(|took| took.cpu_secs));
    let wall_secs = median(of.iter().map(|took| took.wall_secs));
    format!("{who}_cpu={cpu_secs:.6} {who}_wall={wall_secs:.6}")
}

fn name(file: &str) -> std::borrow::Cow<'_, str> {
    Path::new(file).file_name().unwrap_or_default().to_string_lossy()
}
