//! A scene of another size.

use crate::space::{multiply_curve, to_space};
use crate::{codes, extras};
use anyrig_bytes::{Context, Diagnostic, Error, Result};
use anyrig_scene::{LightKind, LightProperty, Scene, Target};

/// Makes everything in a scene `factor` times as large, in the same unit: nodes with their pivots and geometric
/// transforms, meshes, morph deltas, inverse binds, curves on lengths, near and far planes, ranges of lights. A candela
/// becomes `factor²` of them, so that what is lit looks the same; lux stay.
///
/// It is what [`to_space`] does for another unit, with the unit put back. Carried data (extensions that the scene has no word for) keep their numbers; where they hold any that are
/// no counts, that is told (`passes.extras-not-rescaled`).
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::Usage`] for a factor that is not above zero or has no end;
/// [`anyrig_bytes::ErrorKind::Malformed`] when a part was not validated.
pub fn rescale(scene: &mut Scene, factor: f64, context: &Context) -> Result<()> {
    let unit = scene.space.metres_per_unit;
    let mut target = scene.space;
    target.metres_per_unit = unit / factor;
    let is_factor = factor > 0.0 && factor.is_finite() && target.metres_per_unit > 0.0;
    if !(is_factor && target.metres_per_unit.is_finite()) {
        return Err(Error::usage(format!("nothing can be made {factor} times as large")));
    }
    if factor == 1.0 {
        return Ok(());
    }
    to_space(scene, target, context)?;
    scene.space.metres_per_unit = unit;
    for channel in scene.clips.iter_mut().flat_map(|c| &mut c.channels) {
        let Target::Light { light, property: LightProperty::Intensity } = channel.target else { continue };
        if scene.lights.get(light).is_some_and(|l| l.kind != LightKind::Directional) {
            multiply_curve(&mut channel.curve, factor * factor);
        }
    }
    for light in scene.lights.values_mut() {
        match light.kind {
            LightKind::Directional => {}
            LightKind::Point | LightKind::Spot { .. } => light.intensity *= factor * factor,
        }
    }
    let count =
        extras::of_scene(scene).filter(|e| e.carried().any(|(_, value)| extras::holds_fractions(value))).count();
    if count > 0 {
        let diagnostic = Diagnostic::new(&codes::EXTRAS_NOT_RESCALED, "carried data", "their numbers stay");
        context.push(diagnostic.times(count as u64));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyrig_animation::{Pose, posed_geometry};
    use anyrig_bytes::Value;
    use anyrig_scene::{
        Camera, Channel, Clip, Curve, DeltaStream, Handle, Influences, Interpolation, Light, Mesh, MeshInstance,
        MorphTarget, Node, Part, PartMorph, Pivots, Projection, Property, Segment, Semantic, Skin, Stream,
        TransformPart, Trs,
    };
    use glam::{DAffine3, DQuat, DVec3};

    /// A skinned, morphed part on a chain with pivots, all in motion.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let mut pivots = Pivots::IDENTITY;
        pivots.translation = DVec3::new(1.0, 2.0, 0.5);
        pivots.rotation_pivot = DVec3::new(0.0, 0.5, 0.0);
        pivots.rotation_deg = DVec3::new(10.0, 20.0, 30.0);
        let mut hip = Node::new("hip");
        hip.local = pivots.to_trs().into();
        hip.pivots = Some(Box::new(pivots));
        let hip = scene.add_node(hip, None);
        let mut knee = Node::new("knee");
        knee.local = Trs { translation: DVec3::Y, rotation: DQuat::from_rotation_z(0.3), ..Trs::IDENTITY }.into();
        let knee = scene.add_node(knee, Some(hip));
        let mut part = Part::default();
        part.point_count = 3;
        part.set_stream(Stream::new(Semantic::Position, 3, vec![0.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 3.0]));
        let joints = vec![0, 1, 0, 1, 0, 1];
        part.influences = Some(Influences::fixed(2, joints, vec![0.5; 6]));
        part.morphs = vec![PartMorph::new(vec![DeltaStream::new(Semantic::Position, 3, vec![0.25; 9])])];
        let mut mesh = Mesh::default();
        mesh.parts = vec![part];
        mesh.morphs = vec![MorphTarget::new("m")];
        mesh.morphs[0].default_weight = 0.5;
        let mesh = scene.meshes.push(mesh);
        let binds = vec![DAffine3::from_translation(DVec3::new(0.0, -1.0, 0.0)), DAffine3::from_translation(DVec3::X)];
        let skin = scene.skins.push(Skin::new("s", vec![hip, knee], binds));
        for skin in [Some(skin), None] {
            let mut node = Node::new("body");
            let mut instance = MeshInstance::new(mesh);
            instance.skin = skin;
            node.mesh = Some(instance);
            node.geometric = Some(Box::new(Trs { translation: DVec3::new(0.0, 0.0, 7.0), ..Trs::IDENTITY }));
            scene.add_node(node, Some(knee));
        }
        let mut clip = Clip::new("c");
        let handle = |slope| Handle { slope, weight: 0.4 };
        let segments = vec![
            Segment::Bezier { out: handle(2.0), into: handle(-1.0) },
            Segment::Hermite { out_slope: 1.0, in_slope: 3.0 },
            Segment::Step,
        ];
        let curve = Curve::per_key(vec![0.0, 0.5, 1.0], vec![1.0, 4.0, 2.0], segments);
        clip.channels
            .push(Channel::on(Target::Component { node: hip, part: TransformPart::Translation, axis: 1 }, curve));
        let moved = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![0.0, 1.0, 0.0, 3.0, 1.0, 2.0]);
        clip.channels.push(Channel::new(knee, Property::Translation, moved));
        let grown = Curve::new(Interpolation::Linear, 3, vec![0.0, 1.0], vec![1.0, 1.0, 1.0, 2.0, 1.0, 1.0]);
        clip.channels.push(Channel::new(knee, Property::Scale, grown));
        scene.clips.push(clip);
        scene
    }

    #[test]
    fn everything_that_is_shown_is_as_many_times_as_large() {
        let before = scene();
        let mut after = before.clone();
        rescale(&mut after, 0.125, &Context::new()).expect("valid");
        assert_eq!(after.space, before.space);
        for step in 0..=8 {
            let time_secs = f64::from(step) / 8.0;
            let of = |scene: &Scene| posed_geometry(scene, &Pose::of_clip(scene, &scene.clips[0], time_secs));
            let (a, b) = (of(&before), of(&after));
            assert_eq!(a.len(), 2);
            let pairs = a.iter().zip(&b).flat_map(|(a, b)| a.positions.iter().zip(&b.positions));
            for (a, b) in pairs {
                assert!(a.iter().zip(b).all(|(a, b)| (a * 0.125 - b).abs() < 1e-6), "{a:?} {b:?} at {time_secs}");
            }
        }
    }

    #[test]
    fn cameras_and_lights_follow() {
        let mut scene = Scene::default();
        let projection = Projection::Perspective { fov_y_rad: 1.0, aspect_ratio: None, near: 0.1, far: Some(10.0) };
        scene.cameras.push(Camera::new("c", projection));
        let mut lamp = Light::new("lamp", LightKind::Point);
        (lamp.intensity, lamp.range) = (8.0, Some(4.0));
        scene.lights.push(lamp);
        scene.lights.push(Light::new("sun", LightKind::Directional));
        rescale(&mut scene, 0.5, &Context::new()).expect("valid");
        let expected = Projection::Perspective { fov_y_rad: 1.0, aspect_ratio: None, near: 0.05, far: Some(5.0) };
        assert_eq!(scene.cameras.as_slice()[0].projection, expected);
        // Half as far away, a quarter of the light gives the same lux.
        let lights = scene.lights.as_slice();
        assert_eq!((lights[0].intensity, lights[0].range, lights[1].intensity), (2.0, Some(2.0), 1.0));
    }

    #[test]
    fn carried_numbers_are_told_and_wrong_factors_refused() {
        let mut scene = Scene::default();
        let node = scene.add_node(Node::new("n"), None);
        scene.nodes[node].extras.set("x.count", Value::Int(3));
        let context = Context::new();
        rescale(&mut scene, 2.0, &context).expect("valid");
        scene.nodes[node].extras.set_bookkeeping("x.window", Value::Float(0.5));
        rescale(&mut scene, 2.0, &context).expect("valid");
        assert!(context.report().is_empty(), "nobody misses bookkeeping");
        scene.nodes[node].extras.set("x.radius", Value::Float(0.5));
        rescale(&mut scene, 2.0, &context).expect("valid");
        assert_eq!(context.report().count_of("passes.extras-not-rescaled"), 1);
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            let error = rescale(&mut scene, factor, &context).expect_err("no factor");
            assert_eq!(error.kind(), anyrig_bytes::ErrorKind::Usage);
        }
    }
}
