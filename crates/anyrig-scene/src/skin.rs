//! Skins and joint influences.

use crate::{Extras, NodeId};
use anyrig_bytes::Buffer;
use glam::DAffine3;
use std::ops::Range;

/// How joint transforms are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SkinMethod {
    /// Weighted sum of matrices.
    #[default]
    Linear,
    /// Weighted sum of dual quaternions.
    DualQuaternion,
}

/// The joints that move a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Skin {
    /// Name; may be empty.
    pub name: String,
    /// The joints; influences index this list.
    pub joints: Vec<NodeId>,
    /// `joint_from_mesh` at bind time for each joint: as many as joints.
    pub inverse_binds: Vec<DAffine3>,
    /// The common root, when the file names one. It has no effect on transforms.
    pub skeleton: Option<NodeId>,
    /// How the joints are blended.
    pub method: SkinMethod,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Skin {
    /// A linear skin.
    pub fn new(name: impl Into<String>, joints: Vec<NodeId>, inverse_binds: Vec<DAffine3>) -> Self {
        Self { name: name.into(), joints, inverse_binds, ..Self::default() }
    }
}

/// Where a point's influences lie in the lists.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Every point has this many; point `i` has `i * n..(i + 1) * n`. Unused ones have weight 0.
    Fixed(u32),
    /// Point `i` has `offsets[i]..offsets[i + 1]`. One more offset than points.
    Offsets(Buffer<u32>),
}

/// Joint influences of a part's points: any number per point.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Influences {
    /// Where each point's influences lie.
    pub layout: Layout,
    /// Index into [`Skin::joints`] of each influence.
    pub joints: Buffer<u32>,
    /// Weight of each influence; a point's weights sum to 1 after validation, or are all 0.
    pub weights: Buffer<f32>,
}

impl Influences {
    /// Influences laid out in any way.
    pub fn new(layout: Layout, joints: impl Into<Buffer<u32>>, weights: impl Into<Buffer<f32>>) -> Self {
        Self { layout, joints: joints.into(), weights: weights.into() }
    }

    /// As many influences at every point.
    pub fn fixed(per_point: u32, joints: impl Into<Buffer<u32>>, weights: impl Into<Buffer<f32>>) -> Self {
        Self::new(Layout::Fixed(per_point), joints, weights)
    }

    /// Any number of influences at each point; point `i` has those from `offsets[i]` up to `offsets[i + 1]`.
    pub fn ragged(
        offsets: impl Into<Buffer<u32>>,
        joints: impl Into<Buffer<u32>>,
        weights: impl Into<Buffer<f32>>,
    ) -> Self {
        Self::new(Layout::Offsets(offsets.into()), joints, weights)
    }

    /// Where a point's influences lie among [`Influences::joints`] and [`Influences::weights`].
    pub fn row_range(&self, point: usize) -> Range<usize> {
        match &self.layout {
            Layout::Fixed(n) => {
                let n = *n as usize;
                point * n..(point + 1) * n
            }
            Layout::Offsets(offsets) => offsets[point] as usize..offsets[point + 1] as usize,
        }
    }

    /// Joints and weights of a point, in file order; zero weights may be among them.
    pub fn of(&self, point: usize) -> (&[u32], &[f32]) {
        let range = self.row_range(point);
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// Number of points.
    pub fn point_count(&self) -> usize {
        match &self.layout {
            Layout::Fixed(0) => 0,
            Layout::Fixed(n) => self.weights.len() / *n as usize,
            Layout::Offsets(offsets) => offsets.len().saturating_sub(1),
        }
    }

    /// The largest number of nonzero weights at one point.
    pub fn max_per_point(&self) -> usize {
        let (weights, nonzero) = (self.weights.as_slice(), |w: &[f32]| w.iter().filter(|w| **w != 0.0).count());
        match &self.layout {
            Layout::Fixed(0) => 0,
            Layout::Fixed(n) => weights.chunks_exact(*n as usize).map(nonzero).max().unwrap_or(0),
            Layout::Offsets(o) => {
                let ranges = o.windows(2).filter_map(|w| weights.get(w[0] as usize..w[1] as usize));
                ranges.map(nonzero).max().unwrap_or(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_give_a_points_influences() {
        let fixed = Influences {
            layout: Layout::Fixed(2),
            joints: vec![0, 1, 2, 0].into(),
            weights: vec![0.5, 0.5, 1.0, 0.0].into(),
        };
        assert_eq!(fixed.of(1), (&[2, 0][..], &[1.0, 0.0][..]));
        assert_eq!((fixed.point_count(), fixed.max_per_point()), (2, 2));
        let rows = Influences {
            layout: Layout::Offsets(vec![0, 3, 3, 4].into()),
            joints: vec![0, 1, 2, 5].into(),
            weights: vec![0.2, 0.3, 0.5, 1.0].into(),
        };
        assert_eq!(rows.of(2), (&[5][..], &[1.0][..]));
        assert_eq!((rows.of(1).0.len(), rows.point_count(), rows.max_per_point()), (0, 3, 3));
    }
}
