//! Reads a file as a scene and prints its tree, and what had to be repaired.
//!
//! `cargo run --example load -- FILE`; without a file it takes this project's sample.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]

use anyrig::scene::{NodeId, Scene};
use anyrig::{Context, MemorySource, load};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/mannequin.glb");
    let path = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(sample), PathBuf::from);
    let name = path.file_name().unwrap_or_default().to_string_lossy();

    // The library never opens files: it gets bytes, here from a file, and a name for its messages.
    let source = MemorySource::new(name, std::fs::read(&path)?);
    let context = Context::new();
    let scene = load(&source, None, &context)?;

    print_tree(&scene);
    for clip in &scene.clips {
        println!("clip {:?}: {} channels, {} s", clip.name, clip.channels.len(), clip.end_secs());
    }
    for diagnostic in context.report().diagnostics() {
        println!("{diagnostic}");
    }
    Ok(())
}

fn print_tree(scene: &Scene) {
    // A list instead of recursion, so that a deep file costs no stack.
    let mut waiting: Vec<(NodeId, usize)> = scene.roots().map(|id| (id, 0)).collect();
    waiting.reverse();
    while let Some((id, depth)) = waiting.pop() {
        let node = &scene.nodes[id];
        let shows = node.mesh.as_ref().map(|instance| {
            let mesh = &scene.meshes[instance.mesh];
            let triangles: usize = mesh.parts.iter().map(|part| part.triangle_count()).sum();
            format!("  [{}: {} parts, {triangles} triangles]", mesh.name, mesh.parts.len())
        });
        let name = if node.name.is_empty() { "(unnamed)" } else { &node.name };
        println!("{:indent$}{name}{}", "", shows.unwrap_or_default(), indent = 2 * depth);
        waiting.extend(node.children.iter().rev().map(|child| (*child, depth + 1)));
    }
}
