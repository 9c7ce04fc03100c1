//! Curves: keys over time, and what happens between, before and after them.

use anyrig_bytes::Buffer;

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
    /// Each key says it; see [`Curve::segments`].
    PerKey,
}

/// What happens from a key to the next one, on curves of [`Interpolation::PerKey`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// The key holds.
    Step,
    /// The next key holds from this key's time on.
    StepNext,
    /// Straight line per component; on rotations the great arc.
    Linear,
    /// Cubic Hermite. Only on curves of width 1.
    Hermite {
        /// Slope at this key, per second.
        out_slope: f32,
        /// Slope at the next key, per second.
        in_slope: f32,
    },
    /// A Bézier curve in time and value. Only on curves of width 1. A weight of 1/3 on both sides is
    /// [`Segment::Hermite`].
    Bezier {
        /// The handle that leaves this key.
        out: Handle,
        /// The handle that arrives at the next key.
        into: Handle,
    },
    /// As [`Segment::Linear`], but how far the way has come follows a Bézier curve in the unit square from (0, 0) to
    /// (1, 1), as motions of MikuMikuDance and CSS have it.
    Eased {
        /// First control point (time, progress); the time lies in 0..=1.
        out: [f32; 2],
        /// Second control point.
        into: [f32; 2],
    },
}

/// A tangent handle of a [`Segment::Bezier`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// Value per second along the handle.
    pub slope: f32,
    /// Length of the handle in time, as a share of the segment, 0 to 1.
    pub weight: f32,
}

/// What a curve does before its first or after its last key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExtrapolationMode {
    /// The nearest key holds.
    #[default]
    Hold,
    /// A straight line with the slope that the curve has at its end. After the last key, where that key's segment is a
    /// [`Segment::Hermite`], its `in_slope` is that slope.
    Slope,
    /// The curve starts again.
    Repeat,
    /// As `Repeat`, each time shifted by the difference between the last and the first key.
    RepeatRelative,
    /// The curve runs back and forth.
    Mirror,
}

/// What happens outside the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extrapolation {
    /// The way.
    pub mode: ExtrapolationMode,
    /// For the repeating modes: how often, then the value that is reached holds. `None` is for ever.
    pub repeats: Option<u32>,
}

/// Whole-number times of the source, when it has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Ticks in a second.
    pub per_second: f64,
    /// One per key.
    pub times: Buffer<i64>,
}

/// Keys over time.
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
    /// One per key for [`Interpolation::PerKey`], else empty. The last key's has no effect, unless
    /// [`ExtrapolationMode::Slope`] follows.
    pub segments: Vec<Segment>,
    /// Before the first key.
    pub before: Extrapolation,
    /// After the last key.
    pub after: Extrapolation,
    /// The source's whole-number times.
    pub ticks: Option<Ticks>,
}

impl Curve {
    /// A curve without ticks that holds outside its keys.
    pub fn new(
        interpolation: Interpolation,
        width: usize,
        times_secs: impl Into<Buffer<f64>>,
        values: impl Into<Buffer<f32>>,
    ) -> Self {
        Self { times_secs: times_secs.into(), width, values: values.into(), interpolation, ..Self::default() }
    }

    /// A curve of single numbers whose keys say what follows them.
    pub fn per_key(times_secs: impl Into<Buffer<f64>>, values: impl Into<Buffer<f32>>, segments: Vec<Segment>) -> Self {
        Self { segments, ..Self::new(Interpolation::PerKey, 1, times_secs, values) }
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

    /// True when the nearest key holds outside the keys.
    pub fn holds_outside(&self) -> bool {
        self.before.mode == ExtrapolationMode::Hold && self.after.mode == ExtrapolationMode::Hold
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
        assert!(curve.holds_outside());
    }
}
