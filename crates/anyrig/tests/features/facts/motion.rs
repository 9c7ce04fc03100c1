//! Clips: what they do, and the curves that do it.

use super::{Facts, wide};
use anyrig::animation::{Pose, posed_geometry};
use anyrig::scene::{Channel, Clip, Feature, Interpolation, NodeId, Property, Scene, Target};

pub fn add(scene: &Scene, facts: &mut Facts) {
    for clip in &scene.clips {
        what_is_seen(scene, clip, facts);
        clip.channels.iter().for_each(|channel| curve(scene, clip, channel, facts));
        if clip.layers.len() > 1 {
            facts.add(Feature::LayeredClips, clip.name.clone(), [clip.layers.len() as f64]);
        }
        if clip.start_secs != 0.0 {
            facts.add(Feature::ClipStarts, clip.name.clone(), [clip.start_secs]);
        }
        length(clip, facts);
    }
}

/// Where the points stand at seven times from the start. Not only at the quarters, where these clips have their keys.
fn what_is_seen(scene: &Scene, clip: &Clip, facts: &mut Facts) {
    for step in 0..7 {
        let time_secs = 0.125 * f64::from(step) + 0.01;
        let pose = Pose::of_clip(scene, clip, clip.start_secs + time_secs);
        let points: Vec<f64> =
            posed_geometry(scene, &pose).iter().flat_map(|p| &p.positions).flat_map(|p| wide(*p)).collect();
        facts.add(Feature::Clips, format!("{} after {time_secs} s", clip.name), points);
    }
}

/// The length, where it is one of its own.
fn length(clip: &Clip, facts: &mut Facts) {
    let last = clip.channels.iter().filter_map(|c| c.curve.times_secs.last()).fold(0.0f64, |a, b| a.max(*b));
    let length = clip.end_secs() - clip.start_secs;
    if (clip.start_secs + length - last).abs() > 1e-6 {
        facts.add(Feature::ClipLengths, clip.name.clone(), [length]);
    }
}

fn curve(scene: &Scene, clip: &Clip, channel: &Channel, facts: &mut Facts) {
    let name = |node: NodeId| scene.nodes[node].name.clone();
    let keys = |facts: &mut Facts, feature: Feature, what: String| {
        let times = channel.curve.times_secs.iter().copied();
        let values = channel.curve.values.iter().map(|v| f64::from(*v));
        facts.add(feature, format!("{}: {what}", clip.name), times.chain(values));
    };
    if !channel.curve.holds_outside() {
        facts.add(Feature::Extrapolation, format!("{}: {:?}", clip.name, channel.curve.after), []);
    }
    if channel.curve.interpolation == Interpolation::PerKey {
        facts.add(Feature::PerKeyCurves, format!("{}: {:?}", clip.name, channel.target), []);
    }
    match &channel.target {
        Target::Node { property: Property::MorphWeights, .. } => {
            keys(facts, Feature::MorphAnimation, "weights".to_owned());
        }
        Target::Node { node, property } if moves(channel) => {
            let feature = match channel.curve.interpolation {
                Interpolation::Step => Feature::StepCurves,
                Interpolation::Linear => Feature::LinearCurves,
                Interpolation::CubicHermite => Feature::CubicCurves,
                Interpolation::PerKey => return,
            };
            facts.add(feature, format!("{}: {property:?} of {}", clip.name, name(*node)), []);
        }
        Target::Node { .. } => {}
        Target::Component { node, part, axis } => {
            keys(facts, Feature::ComponentCurves, format!("{part:?} {axis} of {}", name(*node)));
        }
        Target::Morph { node, target } => {
            keys(facts, Feature::ComponentCurves, format!("weight {target} of {}", name(*node)));
        }
        Target::Visibility { node } => keys(facts, Feature::VisibilityAnimation, name(*node)),
        Target::Material { material, property } => {
            let what = format!("{property:?} of {}", scene.materials[*material].name);
            keys(facts, Feature::MaterialAnimation, what);
        }
        Target::Camera { camera, property } => {
            keys(facts, Feature::CameraAnimation, format!("{property:?} of {}", scene.cameras[*camera].name));
        }
        Target::Light { light, property } => {
            keys(facts, Feature::LightAnimation, format!("{property:?} of {}", scene.lights[*light].name));
        }
        Target::Named { element, property } => {
            keys(facts, Feature::NamedAnimation, format!("{property} of {element:?}"));
        }
        Target::Other(path) => keys(facts, Feature::OtherAnimation, path.clone()),
    }
}

/// Formats with one track for each node write curves that stand still beside the moving ones.
fn moves(channel: &Channel) -> bool {
    let curve = &channel.curve;
    (1..curve.len()).any(|key| curve.value(key) != curve.value(0))
}
