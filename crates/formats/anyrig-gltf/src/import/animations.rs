//! Animations become clips.

use super::extras::{keep, raw};
use super::{Loader, in_list, list, need};
use crate::codes;
use crate::document::json::At;
use crate::document::{AnimationObject, AnimationSampler, ChannelObject, ChannelTarget};
use crate::names::{CHANNEL_TARGET, EXTRAS};
use anyrig_bytes::{Buffer, Diagnostic, Result};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property, Target};
use std::collections::BTreeMap;

impl Loader<'_> {
    pub(super) fn animations(&mut self) -> Result<()> {
        let at = At::Root;
        let at = at.key("animations");
        // Key times by accessor, so that channels with equal times share a buffer.
        let mut times = BTreeMap::new();
        for (i, animation) in list(self.root.animations.as_ref()) {
            self.context.check_cancelled()?;
            let clip = self.clip(animation, &mut times, &at.index(i))?;
            self.scene.clips.push(clip);
        }
        Ok(())
    }

    fn clip(
        &mut self,
        animation: &AnimationObject,
        times: &mut BTreeMap<u32, Buffer<f64>>,
        at: &At<'_>,
    ) -> Result<Clip> {
        let mut clip = Clip::new(animation.name.clone().unwrap_or_default());
        clip.extras = keep(&raw!(animation), &[], at, self.context);
        let samplers = need(animation.samplers.as_ref(), at, "samplers")?;
        let at_samplers = at.key("samplers");
        let at_channels = at.key("channels");
        for (i, channel) in need(animation.channels.as_ref(), at, "channels")?.iter().enumerate() {
            let at = at_channels.index(i);
            let index = need(channel.sampler, &at, "sampler")?;
            let index = in_list(index, samplers.len(), &at.key("sampler"), "sampler")?;
            let sampler = need(samplers.get(index), &at, "sampler")?;
            let curve = self.curve(sampler, times, &at_samplers.index(index))?;
            self.channel(channel, &curve, &at, &mut clip.channels)?;
        }
        Ok(clip)
    }

    /// Keys of a sampler, with the width still to be settled by the target.
    fn curve(
        &mut self,
        sampler: &AnimationSampler,
        times: &mut BTreeMap<u32, Buffer<f64>>,
        at: &At<'_>,
    ) -> Result<Curve> {
        let input = need(sampler.input, at, "input")?;
        let output = need(sampler.output, at, "output")?;
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicHermite,
            Some(other) => return Err(at.key("interpolation").malformed(format!("{other:?} is not an interpolation"))),
        };
        let times = self.times(input, times, &at.key("input"))?;
        let values = self.accessors.floats(output, &at.key("output"))?;
        let uses = (times.len() as u64).saturating_add(values.len() as u64);
        self.context.take_elements(uses, || at.place())?;
        let per_key = if interpolation == Interpolation::CubicHermite { 3 } else { 1 };
        let slots = times.len() * per_key;
        if slots == 0 || !values.len().is_multiple_of(slots) || values.is_empty() {
            let message = format!("{} values do not go with {} keys of {interpolation:?}", values.len(), times.len());
            return Err(at.key("output").malformed(message));
        }
        Ok(Curve::new(interpolation, values.len() / slots, times, values))
    }

    fn times(&mut self, accessor: u32, known: &mut BTreeMap<u32, Buffer<f64>>, at: &At<'_>) -> Result<Buffer<f64>> {
        if let Some(times) = known.get(&accessor) {
            return Ok(times.clone());
        }
        if self.accessors.layout(accessor, at)?.shape.width() != 1 {
            return Err(at.malformed("key times must be one number per element"));
        }
        let floats = self.accessors.floats(accessor, at)?;
        self.context.take_memory(floats.len() as u64 * 8, || at.place())?;
        let times: Buffer<f64> = floats.iter().map(|t| f64::from(*t)).collect();
        known.insert(accessor, times.clone());
        Ok(times)
    }

    /// Adds the channel, once for each of its targets.
    fn channel(&self, channel: &ChannelObject, curve: &Curve, at: &At<'_>, out: &mut Vec<Channel>) -> Result<()> {
        let target = need(channel.target.as_ref(), at, "target")?;
        let at_target = at.key("target");
        let targets = self.target(target, curve, &at_target)?;
        if targets.is_empty() {
            return Ok(());
        }
        let mut extras = keep(&raw!(channel), &[], at, self.context);
        for (namespace, value) in keep(&raw!(target), &["KHR_animation_pointer"], &at_target, self.context).iter() {
            if namespace == EXTRAS {
                extras.set(CHANNEL_TARGET, value.clone());
            }
        }
        for to in targets {
            let mut channel = Channel::on(to, curve.clone());
            channel.extras.clone_from(&extras);
            out.push(channel);
        }
        Ok(())
    }

    fn target(&self, target: &ChannelTarget, curve: &Curve, at: &At<'_>) -> Result<Vec<Target>> {
        let path = need(target.path.as_deref(), at, "path")?;
        let node = target.node.map(|n| in_list(n, self.scene.nodes.len(), &at.key("node"), "node")).transpose()?;
        let property = match path {
            "translation" => Property::Translation,
            "rotation" => Property::Rotation,
            "scale" => Property::Scale,
            "weights" => Property::MorphWeights,
            "pointer" => return self.pointer(target, curve, at),
            other => {
                self.ignore(&codes::CHANNEL_UNKNOWN, at, &format!("the path {other:?} is not known"));
                return Ok(Vec::new());
            }
        };
        let Some(node) = node.map(NodeId::new) else {
            self.ignore(&codes::CHANNEL_IGNORED, at, "it has no target node");
            return Ok(Vec::new());
        };
        let targets = self.scene.nodes[node].mesh.as_ref().map(|m| self.scene.meshes[m.mesh].morphs.len());
        // A node without morph targets: validation drops the channel and says so.
        let wanted = property.width().or(targets.filter(|t| *t > 0));
        if wanted.is_some_and(|w| w != curve.width) {
            let message =
                format!("its keys have {} numbers, {path} of node {} needs others", curve.width, node.index());
            return Err(at.malformed(message));
        }
        Ok(vec![Target::Node { node, property }])
    }

    pub(super) fn ignore(&self, code: &'static anyrig_bytes::Code, at: &At<'_>, why: &str) {
        self.context.push(Diagnostic::new(code, at.pointer(), why).at(at.place()));
    }
}
