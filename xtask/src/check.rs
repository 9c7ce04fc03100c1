//! The inner loop: what a change must pass before it is worth committing.

use crate::{tidy, workspace};
use std::time::{Duration, Instant};

/// Runs the stages in order, cheapest first, and stops at the first that fails.
pub fn run() -> Result<(), String> {
    let mut times = Vec::new();
    let outcome = stages(&mut times);
    println!();
    for (name, time) in &times {
        println!("{name:<8}{:>7.1} s", time.as_secs_f64());
    }
    outcome
}

fn stages(times: &mut Vec<(&'static str, Duration)>) -> Result<(), String> {
    timed(times, "format", || cargo(&["fmt", "--all", "--check"]))?;
    timed(times, "tidy", tidy::run)?;
    timed(times, "clippy", || cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    timed(times, "test", || cargo(&["test", "--workspace"]))
}

fn timed(
    times: &mut Vec<(&'static str, Duration)>,
    name: &'static str,
    stage: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let start = Instant::now();
    let outcome = stage();
    times.push((name, start.elapsed()));
    outcome.map_err(|message| format!("{name}: {message}"))
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    let status = workspace::cargo().args(arguments).status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}
