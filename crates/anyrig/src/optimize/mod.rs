//! Smaller files that look and move the same: a chain of passes, and the input itself where they do not help.

mod counted;
mod options;
mod run;

pub use options::{OPTIONS, OnLoss, OptimizeOptions, PassName, option_schema};

use anyrig_bytes::{Context, Result};
use anyrig_passes as passes;
use anyrig_scene::Scene;
use serde::Serialize;

/// What came of optimising.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The optimised scene was written.
    Optimized,
    /// The input was written as it was, because nothing smaller came out.
    NotSmaller,
    /// The input was written as it was, because something would have been lost on the way through the scene.
    WouldLose,
    /// The optimised scene was written although it is larger, because the target is not what the input is, or options of
    /// it were set, which the input does not follow.
    Larger,
}

/// What one pass did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// The pass.
    pub pass: PassName,
    /// What changed, in words; empty when nothing did.
    pub summary: String,
}

/// An optimised conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Optimization {
    /// What was written.
    pub outcome: Outcome,
    /// Size of the input: the main file and those beside it that were read.
    pub bytes_before: u64,
    /// Size of all written files.
    pub bytes_after: u64,
    /// The passes in the order in which they ran.
    pub steps: Vec<Step>,
    /// What would have been lost, when that kept the input as it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
}

impl Optimization {
    /// True when the input was written as it was, byte for byte, so that there is nothing to verify.
    pub fn kept_input(&self) -> bool {
        matches!(self.outcome, Outcome::NotSmaller | Outcome::WouldLose)
    }
}

/// Runs the chain of passes over a validated scene: prune, merge, limit influences, weld, simplify, reorder, reduce keys,
/// share. [`OptimizeOptions`] choose which, and how far each may go; by default nothing is lost, nothing moves farther than
/// the bounds of [`passes::ReduceKeysOptions`], and normals and tangents turn by no more than rounding turns them.
///
/// # Errors
/// Those of the passes, and of [`OptimizeOptions::check`].
pub fn optimize_scene(scene: &mut Scene, options: &OptimizeOptions, context: &Context) -> Result<Vec<Step>> {
    options.check()?;
    let mut steps = Vec::new();
    for pass in PassName::ALL.into_iter().filter(|pass| options.runs(*pass)) {
        context.check_cancelled()?;
        let summary = run_pass(pass, scene, options, context)?;
        steps.push(Step { pass, summary });
    }
    Ok(steps)
}

fn run_pass(pass: PassName, scene: &mut Scene, options: &OptimizeOptions, context: &Context) -> Result<String> {
    Ok(match pass {
        PassName::Prune => fewer(&passes::prune(scene, &options.prune(), context)?.counts()),
        PassName::Merge => fewer(&passes::merge(scene, &options.merge(), context)?.counts()),
        PassName::LimitInfluences => {
            let s = passes::limit_all_influences(scene, options.max_influences, context)?;
            changed(s.influences > 0, || format!("{} influences fewer at {} points", s.influences, s.points))
        }
        PassName::Weld => {
            let s = passes::weld(scene, &options.weld(), context)?;
            became(s.points_before, s.points_after, "points")
        }
        PassName::Simplify => {
            let s = passes::simplify(scene, &options.simplify(), context)?;
            let wanted = (s.triangles_before as f64 * options.simplify_ratio).ceil();
            // Each part rounds up.
            let parts = scene.meshes.values().map(|mesh| mesh.parts.len()).sum::<usize>();
            let is_missed = s.triangles_after as f64 > wanted + parts as f64;
            let missed = changed(is_missed, || missed_share(wanted, options));
            let words = [became(s.triangles_before, s.triangles_after, "triangles"), missed];
            words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join("; ")
        }
        PassName::Reorder => {
            let s = passes::reorder(scene, context)?;
            became(s.loads_before, s.loads_after, "vertex loads")
        }
        PassName::ReduceKeys => {
            let s = passes::reduce_keys(scene, &options.keys(), context)?;
            became(s.keys_before, s.keys_after, "keys")
        }
        PassName::Share => {
            let s = passes::share_equal_buffers(scene, context)?;
            changed(s.lists > 0, || format!("{} lists equal to others ({} bytes)", s.lists, s.bytes))
        }
    })
}

/// Why more triangles stayed than were wanted.
fn missed_share(wanted: f64, options: &OptimizeOptions) -> String {
    let bound = options.simplify_error;
    format!(
        "{wanted} were wanted, but the next step would err by more than {} % of the size or tear a seam, a border or \
         parts from each other (-O simplify-error raises the bound of {bound})",
        bound * 100.0
    )
}

fn changed(any: bool, text: impl FnOnce() -> String) -> String {
    if any { text() } else { String::new() }
}

fn became(before: u64, after: u64, what: &str) -> String {
    changed(before != after, || format!("{before} {what} became {after}"))
}

fn fewer(counts: &[passes::Count]) -> String {
    let word = |c: &passes::Count| format!("{} {}", c.count, if c.count == 1 { c.one } else { c.many });
    let words: Vec<String> = counts.iter().filter(|c| c.count > 0).map(word).collect();
    changed(!words.is_empty(), || format!("{} fewer", words.join(", ")))
}
