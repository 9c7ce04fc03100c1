//! Where each piece lies in the 128 × 128 atlas. The painter and the body share this table.

use super::grid::Chart;

pub const TORSO: Chart = Chart::new([0.0, 0.0], [0.5, 0.5]);
pub const HEAD: Chart = Chart::new([0.5, 0.0], [1.0, 0.5]);
/// Left and right.
pub const ARMS: [Chart; 2] = [Chart::new([0.0, 0.5], [0.25, 0.75]), Chart::new([0.25, 0.5], [0.5, 0.75])];
pub const LEGS: [Chart; 2] = [Chart::new([0.0, 0.75], [0.25, 1.0]), Chart::new([0.25, 0.75], [0.5, 1.0])];
pub const HANDS: [Chart; 2] = [Chart::new([0.5, 0.5], [0.625, 0.75]), Chart::new([0.625, 0.5], [0.75, 0.75])];
pub const FEET: [Chart; 2] = [Chart::new([0.75, 0.5], [0.875, 0.75]), Chart::new([0.875, 0.5], [1.0, 0.75])];
pub const MARK: Chart = Chart::new([0.5, 0.75], [0.75, 1.0]);
pub const EYE: Chart = Chart::new([0.75, 0.75], [0.875, 0.875]);
pub const MOUTH: Chart = Chart::new([0.875, 0.75], [1.0, 0.875]);
/// Plain skin: neck, nose, ears.
pub const NECK: Chart = Chart::new([0.75, 0.875], [0.875, 1.0]);
pub const BATON: Chart = Chart::new([0.875, 0.875], [1.0, 1.0]);
