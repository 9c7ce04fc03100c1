//! Motion of morphs to tracks of rbfx.

use super::morphs::Wanted;
use super::skeleton::Plan;
use super::tell;
use crate::codes;
use crate::document::{VariantTrack, variant_interpolation, variant_type};
use anyrig_bytes::{Context, Place, Report, Result};
use anyrig_passes::{CurveKind, ResampleOptions, resample};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, NodeId, Property, Scene, Target};
use std::collections::BTreeMap;

/// What the path of a morph's weight begins with; its index follows.
pub(crate) const MORPHS_PATH: &str = "@AnimatedModel/Morphs/";

/// What the tracks of all clips are made from.
pub(super) struct MorphTracks<'a> {
    scene: &'a Scene,
    morphs: &'a [Wanted],
    resampling: &'a ResampleOptions,
    /// The first instance that a node shows.
    instances: BTreeMap<NodeId, usize>,
    /// Which morph a target of an instance became.
    written: BTreeMap<(usize, usize), usize>,
}

/// A component of a curve.
type Column<'a> = (&'a Curve, usize);

impl<'a> MorphTracks<'a> {
    pub(super) fn new(scene: &'a Scene, plan: &Plan, morphs: &'a [Wanted], resampling: &'a ResampleOptions) -> Self {
        let nodes = plan.instances.iter().enumerate().rev().map(|(instance, shown)| (shown.node, instance));
        let targets = |(index, morph): (usize, &'a Wanted)| {
            morph.targets.iter().map(move |(instance, target)| ((*instance, *target), index))
        };
        let written = morphs.iter().enumerate().flat_map(targets).collect();
        Self { scene, morphs, resampling, instances: nodes.collect(), written }
    }

    /// One track per written morph that the clip moves.
    pub(super) fn of(&self, clip: &Clip, (context, report): (&Context, &mut Report)) -> Result<Vec<VariantTrack>> {
        let mut tracks = Vec::new();
        for (index, columns) in self.columns(clip, report) {
            context.check_cancelled()?;
            let Some(morph) = self.morphs.get(index) else { continue };
            let keys = self.keys(clip, (morph, &columns), report);
            let bytes = (keys.keys.len() * KEY_BYTES) as u64;
            context.take_memory(bytes, || Place::element(morph.name()))?;
            tracks.push(track(index, &keys, clip.start_secs));
        }
        Ok(tracks)
    }

    /// What moves each written morph, by instance. Of several channels that move one target the first counts.
    fn columns<'c>(&self, clip: &'c Clip, report: &mut Report) -> BTreeMap<usize, BTreeMap<usize, Column<'c>>> {
        let mut columns: BTreeMap<usize, BTreeMap<usize, Column<'c>>> = BTreeMap::new();
        for Channel { target, curve, .. } in &clip.channels {
            // The first target and the first component, and of how many.
            let (node, first, count) = match target {
                Target::Node { node, property: Property::MorphWeights } => (*node, 0, curve.width),
                Target::Morph { node, target } => (*node, *target as usize, 1),
                _ => continue,
            };
            let Some(instance) = self.instances.get(&node) else {
                let name = self.scene.nodes.get(node).map_or("", |n| n.name.as_str());
                tell(report, &codes::TRACK_NOT_SHOWN, name, format!("clip {:?}", clip.name));
                continue;
            };
            for column in 0..count {
                if let Some(morph) = self.written.get(&(*instance, first + column)) {
                    columns.entry(*morph).or_default().entry(*instance).or_insert((curve, column));
                }
            }
        }
        columns
    }

    /// The keys of the first instance; says so where others move differently.
    fn keys(
        &self,
        clip: &Clip,
        (morph, columns): (&Wanted, &BTreeMap<usize, Column<'_>>),
        report: &mut Report,
    ) -> FloatKeys {
        let mut all = columns.values().map(|column| float_keys(*column, self.resampling));
        let keys = all.next().unwrap_or_default();
        if columns.len() < morph.targets.len() || !all.all(|other| other.keys == keys.keys) {
            let message = format!("clip {:?} moves it differently on several meshes; the first one counts", clip.name);
            tell(report, &codes::MORPH_MOTION_MERGED, morph.name(), message);
        }
        if keys.resampled {
            tell(report, &codes::CURVES_SAMPLED, morph.name(), "linear keys within the error bound");
        }
        keys
    }
}

/// A time and a weight as floats.
const KEY_BYTES: usize = 8;

/// Times and weights.
#[derive(Default)]
struct FloatKeys {
    interpolation: u8,
    resampled: bool,
    keys: Vec<(f64, f32)>,
}

/// The keys of one component; a curve of many morphs is not sampled as a whole for each of them.
fn float_keys((curve, column): Column<'_>, resampling: &ResampleOptions) -> FloatKeys {
    let plain = matches!(curve.interpolation, Interpolation::Linear | Interpolation::Step) || curve.len() < 2;
    let steps = curve.interpolation == Interpolation::Step;
    let value = |key: usize| curve.value(key).get(column).copied().unwrap_or(0.0);
    let keys = if plain {
        curve.times_secs.iter().enumerate().map(|(key, time)| (*time, value(key))).collect()
    } else {
        let sampled = resample(&component(curve, column), CurveKind::Numbers, resampling).curve;
        sampled.times_secs.iter().copied().zip(sampled.values.iter().copied()).collect()
    };
    let interpolation = if steps { variant_interpolation::STEP } else { variant_interpolation::LINEAR };
    FloatKeys { interpolation, resampled: !plain, keys }
}

fn component(curve: &Curve, column: usize) -> Curve {
    let mut component = curve.clone();
    component.values = curve.values.iter().skip(column).step_by(curve.width.max(1)).copied().collect();
    component.width = 1;
    component
}

fn track(index: usize, keys: &FloatKeys, start_secs: f64) -> VariantTrack {
    let mut data = Vec::with_capacity(keys.keys.len() * KEY_BYTES);
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
