//! Joint influences: fewer, and normalised.

use anyrig_scene::Part;

/// What [`limit_influences`] dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LimitStats {
    /// Points that had too many influences.
    pub points: u64,
    /// Influences dropped.
    pub influences: u64,
    /// Largest sum of weights that one point lost, as a share of its sum.
    pub max_dropped_share: f64,
}

/// Keeps the `max` largest influences of each point; equal weights by their order in the file, the kept ones in their
/// order. What is kept is scaled to the sum that the point had. Afterwards the layout is fixed with at most `max` per
/// point; a part that already is so keeps its buffers. `max` 0 counts as 1.
pub fn limit_influences(_part: &mut Part, _max: u32) -> LimitStats {
    LimitStats::default()
}

/// Scales each point's weights to sum 1; points without any weight stay. Negative and non-finite weights count as 0.
/// Sums within 1e-5 of 1 stay as they are. Gives the number of points that changed; 0 keeps the buffers.
pub fn normalise_weights(_part: &mut Part) -> u64 {
    0
}
