//! Clips and curves.

use super::geometry::morphed;
use super::{TIP, moving, skinned, turning};
use anyrig::scene::{
    Channel, Clip, ClipLayer, Curve, ElementId, Extrapolation, ExtrapolationMode, Feature, Interpolation, LayerBlend,
    NodeId, Property, Scene, Segment, Semantic, Target, TransformPart,
};

pub fn scene(feature: Feature) -> Scene {
    use Feature as F;
    match feature {
        // Moves together with a linear curve, so that formats with one kind for each node must give one up.
        F::StepCurves => with(|clip| {
            *clip = turning(Interpolation::Step);
            clip.channels.push(sliding(Interpolation::Linear));
        }),
        F::CubicCurves => with(|clip| *clip = turning(Interpolation::CubicHermite)),
        F::MorphAnimation => morph_animation(),
        F::OtherAnimation => with(|clip| clip.channels.push(number(Target::Other("somewhere/else".to_owned())))),
        F::ComponentCurves => with(|clip| {
            let target = Target::Component { node: NodeId::new(TIP), part: TransformPart::Translation, axis: 1 };
            clip.channels = vec![number(target)];
        }),
        F::PerKeyCurves => with(|clip| {
            let target = Target::Component { node: NodeId::new(TIP), part: TransformPart::Translation, axis: 1 };
            let segments = vec![Segment::Hermite { out_slope: 2.0, in_slope: 0.0 }, Segment::Step, Segment::Linear];
            clip.channels =
                vec![Channel::on(target, Curve::per_key(vec![0.0, 0.5, 1.0], vec![1.0, 1.5, 1.0], segments))];
        }),
        F::Extrapolation => with(|clip| {
            // Ends in the middle of the clip, which lasts for another round.
            let mut repeating = sliding(Interpolation::Linear);
            repeating.curve.times_secs = vec![0.0, 0.25, 0.5].into();
            repeating.curve.after = Extrapolation { mode: ExtrapolationMode::Repeat, repeats: None };
            clip.channels.push(repeating);
        }),
        F::LayeredClips => with(|clip| {
            clip.layers =
                vec![ClipLayer::new("base", LayerBlend::Additive), ClipLayer::new("top", LayerBlend::Additive)];
            let mut on_top = sliding(Interpolation::Linear);
            on_top.layer = 1;
            clip.channels.push(on_top);
        }),
        F::ClipStarts => with(|clip| clip.start_secs = 0.25),
        F::ClipLengths => with(|clip| clip.length_secs = Some(1.5)),
        F::VisibilityAnimation => with(|clip| {
            let mut blinking = number(Target::Visibility { node: NodeId::new(0) });
            blinking.curve = Curve::new(Interpolation::Step, 1, vec![0.0, 0.5], vec![1.0, 0.0]);
            clip.channels.push(blinking);
        }),
        F::NamedAnimation => with(|clip| {
            let element = ElementId::Node(NodeId::new(TIP));
            clip.channels.push(number(Target::Named { element, property: "mood".to_owned() }));
        }),
        other => panic!("{other} is no motion"),
    }
}

fn with(change: impl FnOnce(&mut Clip)) -> Scene {
    let mut scene = moving();
    change(&mut scene.clips[0]);
    scene
}

/// A curve of one number that goes up and down.
fn number(target: Target) -> Channel {
    Channel::on(target, Curve::new(Interpolation::Linear, 1, vec![0.0, 0.5, 1.0], vec![1.0, 1.5, 1.0]))
}

/// The upper joint goes up and down.
fn sliding(interpolation: Interpolation) -> Channel {
    let values = [[0.0, 1.0, 0.0], [0.0, 1.5, 0.0], [0.0, 1.0, 0.0]].concat();
    let curve = Curve::new(interpolation, 3, vec![0.0, 0.5, 1.0], values);
    Channel::new(NodeId::new(TIP), Property::Translation, curve)
}

/// On joints, so that the clip is one without the weights too.
fn morph_animation() -> Scene {
    let morphed = morphed(Semantic::Position, 3);
    let mut scene = skinned();
    let mesh = scene.meshes.values_mut().next().expect("a mesh");
    let from = morphed.meshes.values().next().expect("a mesh");
    mesh.morphs.clone_from(&from.morphs);
    for (part, from) in mesh.parts.iter_mut().zip(&from.parts) {
        part.morphs.clone_from(&from.morphs);
    }
    let mut clip = turning(Interpolation::Linear);
    let curve = Curve::new(Interpolation::Linear, 1, vec![0.0, 0.5, 1.0], vec![0.0, 1.0, 0.0]);
    clip.channels.push(Channel::new(NodeId::new(0), Property::MorphWeights, curve));
    scene.clips.push(clip);
    scene
}
