//! Rules for animations.

use super::{Rules, list};
use crate::document::json::At;
use crate::document::{AnimationObject, AnimationSampler, ChannelObject};

/// How far the length of a rotation may be from 1 (that of the Khronos validator for four components).
const UNIT_ROTATION_TOLERANCE: f64 = 0.00769;

impl Rules<'_> {
    pub(super) fn animations(&mut self) {
        let at = At::Root;
        let at = at.key("animations");
        for (i, animation) in list(self.root.animations.as_ref()) {
            let at = at.index(i);
            let (at_samplers, at_channels) = (at.key("samplers"), at.key("channels"));
            for (s, sampler) in list(animation.samplers.as_ref()) {
                self.sampler(sampler, &at_samplers.index(s));
            }
            for (c, channel) in list(animation.channels.as_ref()) {
                if self.has_wrong_rotations(animation, channel) == Some(true) {
                    let at = at_channels.index(c);
                    let code = "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION";
                    self.add(code, &at.key("sampler"));
                }
            }
        }
    }

    fn sampler(&mut self, sampler: &AnimationSampler, at: &At<'_>) {
        for (key, accessor) in [("input", sampler.input), ("output", sampler.output)] {
            if accessor.and_then(|a| self.stride_of(a)).is_some() {
                self.add("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", &at.key(key));
            }
        }
        let Some(input) = sampler.input else { return };
        let at = at.key("input");
        let count = self.accessor(input).and_then(|a| a.count).unwrap_or(0);
        if sampler.interpolation.as_deref() == Some("CUBICSPLINE") && count < 2 {
            self.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", &at);
        }
        let times = self.floats(input, &at);
        if times.is_some_and(|times| times.iter().any(|t| *t < 0.0)) {
            self.add("ACCESSOR_ANIMATION_INPUT_NEGATIVE", &at);
        }
    }

    fn has_wrong_rotations(&mut self, animation: &AnimationObject, channel: &ChannelObject) -> Option<bool> {
        channel.target.as_ref()?.path.as_deref().filter(|path| *path == "rotation")?;
        let sampler = animation.samplers.as_ref()?.get(channel.sampler? as usize)?;
        let values = self.floats(sampler.output?, &At::Root)?;
        let (rotations, _) = values.as_chunks::<4>();
        // A cubic key is an in-tangent, a value and an out-tangent.
        let (first, step) = if sampler.interpolation.as_deref() == Some("CUBICSPLINE") { (1, 3) } else { (0, 1) };
        let is_wrong = |q: &[f32; 4]| {
            let length = q.iter().map(|n| f64::from(*n) * f64::from(*n)).sum::<f64>().sqrt();
            (length - 1.0).abs() > UNIT_ROTATION_TOLERANCE
        };
        Some(rotations.iter().skip(first).step_by(step).any(is_wrong))
    }
}
