//! Plays a clip: where the joints are at a time, and where the skinned vertices are.
//!
//! `cargo run --example evaluate -- FILE SECONDS`; without them it takes this project's sample at half a second.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]

use anyrig::animation::{Evaluator, Pose, posed_geometry};
use anyrig::{Context, MemorySource, load};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/mannequin.glb");
    let path = arguments.next().unwrap_or_else(|| sample.to_owned());
    let time_secs: f64 = arguments.next().map_or(Ok(0.5), |text| text.parse())?;

    let scene = load(&MemorySource::new(path.as_str(), std::fs::read(&path)?), None, &Context::new())?;
    // Nodes that the clip does not move stay at rest.
    let pose = match scene.clips.first() {
        Some(clip) => Pose::of_clip(&scene, clip, time_secs),
        None => Pose::rest(&scene),
    };

    let scene_from_node = Evaluator::new(&scene).worlds(&pose);
    for joint in scene.skins.values().flat_map(|skin| &skin.joints) {
        let at = scene_from_node[joint.index()].translation;
        println!("{:24} {:8.4} {:8.4} {:8.4}", scene.nodes[*joint].name, at.x, at.y, at.z);
    }

    for part in posed_geometry(&scene, &pose) {
        let lowest = part.positions.iter().map(|[_, y, _]| *y).fold(f32::INFINITY, f32::min);
        let highest = part.positions.iter().map(|[_, y, _]| *y).fold(f32::NEG_INFINITY, f32::max);
        let name = &scene.nodes[part.node].name;
        println!("{name}, part {}: {} vertices, y from {lowest:.4} to {highest:.4}", part.part, part.positions.len());
    }
    Ok(())
}
