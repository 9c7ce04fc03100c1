//! What the programs of this folder measure with.

use std::error::Error;
use std::time::Instant;

/// What one piece of work took.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    /// Processor seconds of the calling thread; seconds on the wall where the system does not tell.
    pub cpu_secs: f64,
    /// Seconds on the wall.
    pub wall_secs: f64,
}

/// Measures `work` on the calling thread.
///
/// # Errors
/// Those of `work`.
pub fn measure(work: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Took, Box<dyn Error>> {
    let (started, before) = (Instant::now(), thread_secs());
    work()?;
    let wall_secs = started.elapsed().as_secs_f64();
    let cpu_secs = before.zip(thread_secs()).map_or(wall_secs, |(before, after)| after - before);
    Ok(Took { cpu_secs, wall_secs })
}

/// The clock of the thread itself: what the scheduler tells elsewhere advances in ticks of milliseconds.
#[cfg(unix)]
fn thread_secs() -> Option<f64> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(now.tv_sec as f64 + now.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn thread_secs() -> Option<f64> {
    None
}

/// The middle value; NaN of none.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
