//! Clips, channels and curves.

use crate::{Extras, NodeId};
use anyrig_bytes::Buffer;

/// A named motion.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Clip {
    /// Name; may be empty and need not be unique.
    pub name: String,
    /// The channels in file order.
    pub channels: Vec<Channel>,
    /// Length in seconds when the file states one; see [`Clip::end_secs`].
    pub length_secs: Option<f64>,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Clip {
    /// A clip without channels.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The stated length, else the time of the last key; clips start at 0.
    pub fn end_secs(&self) -> f64 {
        let last = self.channels.iter().filter_map(|c| c.curve.times_secs.last().copied());
        self.length_secs.unwrap_or_else(|| last.fold(0.0, f64::max))
    }
}

/// What a curve moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Local translation, width 3.
    Translation,
    /// Local rotation as a quaternion (x, y, z, w), width 4.
    Rotation,
    /// Local scale, width 3.
    Scale,
    /// The weights of all morph targets of the node's mesh, width = number of targets.
    MorphWeights,
}

impl Property {
    /// Floats per key; `None` when it depends on the mesh.
    pub fn width(self) -> Option<usize> {
        match self {
            Self::Translation | Self::Scale => Some(3),
            Self::Rotation => Some(4),
            Self::MorphWeights => None,
        }
    }
}

/// What a channel moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A property of a node.
    Node {
        /// The node.
        node: NodeId,
        /// The property.
        property: Property,
    },
    /// Something the model has no word for, by the source's own path (for example a JSON pointer).
    Other(String),
}

/// A curve on a target.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Channel {
    /// What it moves.
    pub target: Target,
    /// How it moves.
    pub curve: Curve,
    /// What the model has no word for.
    pub extras: Extras,
}

impl Channel {
    /// A channel on a node's property.
    pub fn new(node: NodeId, property: Property, curve: Curve) -> Self {
        Self { target: Target::Node { node, property }, curve, extras: Extras::default() }
    }

    /// The node and its property; `None` for other targets.
    pub fn node_target(&self) -> Option<(NodeId, Property)> {
        match self.target {
            Target::Node { node, property } => Some((node, property)),
            Target::Other(_) => None,
        }
    }
}

/// What happens between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The earlier key holds.
    Step,
    /// Straight line per component; on rotations the great arc (slerp), by the shorter way.
    #[default]
    Linear,
    /// Cubic Hermite with tangents per second (glTF specification, appendix C.5). Each key holds in-tangent, value,
    /// out-tangent; rotations are normalised after interpolation.
    CubicHermite,
}

/// Whole-number times of the source, when it has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Ticks in a second.
    pub per_second: f64,
    /// One per key.
    pub times: Buffer<i64>,
}

/// Keys over time. Before the first and after the last key the nearest key holds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// Key times in seconds, strictly ascending after validation. Channels with equal times share this buffer.
    pub times_secs: Buffer<f64>,
    /// Floats per value.
    pub width: usize,
    /// `width` floats per key, or `3 * width` for [`Interpolation::CubicHermite`].
    pub values: Buffer<f32>,
    /// What happens between keys.
    pub interpolation: Interpolation,
    /// The source's whole-number times.
    pub ticks: Option<Ticks>,
}

impl Curve {
    /// A curve without ticks.
    pub fn new(
        interpolation: Interpolation,
        width: usize,
        times_secs: impl Into<Buffer<f64>>,
        values: impl Into<Buffer<f32>>,
    ) -> Self {
        Self { times_secs: times_secs.into(), width, values: values.into(), interpolation, ticks: None }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.times_secs.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.times_secs.is_empty()
    }

    /// Floats per key: the width, three times it for cubic curves.
    pub fn stride(&self) -> usize {
        if self.interpolation == Interpolation::CubicHermite { 3 * self.width } else { self.width }
    }

    /// The value of a key, without tangents.
    pub fn value(&self, key: usize) -> &[f32] {
        let skip = if self.interpolation == Interpolation::CubicHermite { self.width } else { 0 };
        let start = key * self.stride() + skip;
        &self.values[start..start + self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubic_keys_have_their_value_in_the_middle() {
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![0.0, 1.0], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!((curve.len(), curve.stride()), (2, 3));
        assert_eq!((curve.value(0), curve.value(1)), (&[2.0][..], &[5.0][..]));
    }

    #[test]
    fn a_clip_ends_with_its_last_key_or_its_stated_length() {
        let mut clip = Clip::new("walk");
        assert_eq!(clip.end_secs(), 0.0);
        let curve = Curve::new(Interpolation::Step, 3, vec![0.0, 0.5], vec![0.0; 6]);
        clip.channels.push(Channel::new(NodeId::new(0), Property::Scale, curve));
        assert_eq!(clip.end_secs(), 0.5);
        clip.length_secs = Some(2.0);
        assert_eq!(clip.end_secs(), 2.0);
    }
}
