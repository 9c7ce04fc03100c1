//! Motion of morphs to tracks of rbfx.

use super::morphs::Wanted;
use super::skeleton::Plan;
use super::tell;
use crate::codes;
use crate::document::{VariantTrack, variant_interpolation, variant_type};
use anyrig_bytes::Report;
use anyrig_passes::{CurveKind, ResampleOptions, resample};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property, Scene, Target};

/// What the path of a morph's weight begins with; its index follows.
pub(crate) const MORPHS_PATH: &str = "@AnimatedModel/Morphs/";

/// Where the tracks of a clip come from.
pub(super) struct Source<'a> {
    pub(super) scene: &'a Scene,
    pub(super) plan: &'a Plan,
    pub(super) morphs: &'a [Wanted],
    pub(super) clip: &'a Clip,
    pub(super) resampling: &'a ResampleOptions,
}

impl Source<'_> {
    /// One track per written morph that the clip moves.
    pub(super) fn tracks(&self, report: &mut Report) -> Vec<VariantTrack> {
        self.report_others(report);
        let tracks = self.morphs.iter().enumerate();
        tracks.filter_map(|(index, morph)| self.track(index, morph, report)).collect()
    }

    fn track(&self, index: usize, morph: &Wanted, report: &mut Report) -> Option<VariantTrack> {
        let curves = morph.targets.iter().map(|(instance, target)| {
            let node = self.plan.instances.get(*instance)?.node;
            self.channel(node, *target).map(|(channel, column)| (&channel.curve, column))
        });
        let curves: Vec<Option<(&Curve, usize)>> = curves.collect();
        let (curve, column) = curves.iter().flatten().next().copied()?;
        let keys = float_keys(curve, column, self.resampling);
        let same = |other: &Option<(&Curve, usize)>| match other {
            Some((curve, column)) => float_keys(curve, *column, self.resampling).keys == keys.keys,
            None => false,
        };
        if !curves.iter().all(same) {
            let message =
                format!("clip {:?} moves it differently on several meshes; the first one counts", self.clip.name);
            tell(report, &codes::MORPH_MOTION_MERGED, morph.name(), message);
        }
        if keys.resampled {
            tell(report, &codes::CURVES_SAMPLED, morph.name(), "linear keys within the error bound");
        }
        Some(track(index, &keys, self.clip.start_secs))
    }

    /// The channel that moves a morph target of a node, and which of its components.
    fn channel(&self, node: NodeId, target: usize) -> Option<(&Channel, usize)> {
        self.clip.channels.iter().find_map(|channel| match channel.target {
            Target::Node { node: id, property: Property::MorphWeights } if id == node => {
                (target < channel.curve.width).then_some((channel, target))
            }
            Target::Morph { node: id, target: own } if id == node && own as usize == target => Some((channel, 0)),
            _ => None,
        })
    }

    /// Motion of morphs on nodes that are not written.
    fn report_others(&self, report: &mut Report) {
        let written = |node: NodeId| self.plan.instances.iter().any(|i| i.node == node);
        for channel in &self.clip.channels {
            let node = match channel.target {
                Target::Node { node, property: Property::MorphWeights } | Target::Morph { node, .. } => node,
                _ => continue,
            };
            if !written(node) {
                let name = self.scene.nodes.get(node).map_or("", |n| n.name.as_str());
                tell(report, &codes::TRACK_NOT_SHOWN, name, format!("clip {:?}", self.clip.name));
            }
        }
    }
}

/// Times and weights.
struct FloatKeys {
    interpolation: u8,
    resampled: bool,
    keys: Vec<(f64, f32)>,
}

fn float_keys(curve: &Curve, column: usize, resampling: &ResampleOptions) -> FloatKeys {
    let plain = matches!(curve.interpolation, Interpolation::Linear | Interpolation::Step) || curve.len() < 2;
    let sampled = (!plain).then(|| resample(curve, CurveKind::Numbers, resampling).curve);
    let curve = sampled.as_ref().unwrap_or(curve);
    let steps = curve.interpolation == Interpolation::Step;
    let interpolation = if steps { variant_interpolation::STEP } else { variant_interpolation::LINEAR };
    let value = |key: usize| curve.value(key).get(column).copied().unwrap_or(0.0);
    let keys = curve.times_secs.iter().enumerate().map(|(key, time)| (*time, value(key))).collect();
    FloatKeys { interpolation, resampled: !plain, keys }
}

fn track(index: usize, keys: &FloatKeys, start_secs: f64) -> VariantTrack {
    let mut data = Vec::with_capacity(keys.keys.len() * 8);
    for (time, value) in &keys.keys {
        data.extend_from_slice(&((time - start_secs) as f32).to_le_bytes());
        data.extend_from_slice(&value.to_le_bytes());
    }
    VariantTrack {
        name: format!("{MORPHS_PATH}{index}").as_str().into(),
        variant_type: variant_type::FLOAT,
        interpolation: keys.interpolation,
        weight: 1.0,
        key_count: keys.keys.len() as u32,
        data: data.into(),
        ..VariantTrack::default()
    }
}
