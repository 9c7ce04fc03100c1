//! What glTF cannot hold, found before anything is written: the capability table at work on one scene.

use super::animations::is_holdable;
use super::meshes::foreign;
use super::packer::shape;
use crate::CAPABILITIES;
use crate::codes;
use anyrig_bytes::{Diagnostic, Report};
use anyrig_scene::{Extras, Feature, Part, Scene, Semantic, SkinMethod, Support, Target, Topology, features};

/// Everything that is known to be lost or approximated without writing.
pub(super) fn predict(scene: &Scene) -> Report {
    let mut report = Report::default();
    for (id, mesh) in scene.meshes.iter() {
        for (number, part) in mesh.parts.iter().enumerate() {
            part_losses(part, &format!("mesh {} part {number}", id.index()), &mut report);
        }
    }
    for (id, skin) in scene.skins.iter() {
        if skin.method == SkinMethod::DualQuaternion {
            report.push(Diagnostic::new(&codes::DUAL_QUATERNION, format!("skin {}", id.index()), ""));
        }
    }
    for (number, clip) in scene.clips.iter().enumerate() {
        let last = clip.channels.iter().filter_map(|c| c.curve.times_secs.last()).fold(0.0f64, |a, b| a.max(*b));
        if clip.length_secs.is_some_and(|length| (length - last).abs() > 1e-6) {
            report.push(Diagnostic::new(&codes::CLIP_LENGTH, format!("clip {number}"), format!("ends at {last} s")));
        }
        for channel in clip.channels.iter().filter(|c| !is_holdable(&c.target)) {
            let Target::Other(path) = &channel.target else { continue };
            report.push(Diagnostic::new(&codes::ANIMATION_PATH, format!("clip {number}"), path.clone()));
        }
    }
    foreign_extras(scene, &mut report);
    whole_features(scene, &mut report);
    report
}

/// Features whose loss needs no more words than the capability table has.
const WHOLE: [Feature; 11] = [
    Feature::ComponentCurves,
    Feature::PerKeyCurves,
    Feature::GeometricTransforms,
    Feature::Extrapolation,
    Feature::LayeredClips,
    Feature::ClipStarts,
    Feature::NamedAnimation,
    Feature::Pivots,
    Feature::InheritModes,
    Feature::ToolConstraints,
    Feature::IkChains,
];

fn whole_features(scene: &Scene, report: &mut Report) {
    for (feature, count) in features(scene).into_iter().filter(|(f, _)| WHOLE.contains(f)) {
        let row = CAPABILITIES.iter().find(|c| c.feature == feature);
        let (code, message) = match row.map(|r| r.support) {
            Some(Support::Approximates(how)) => (&codes::APPROXIMATED, how),
            Some(Support::Drops(why)) => (&codes::NOT_HELD, why),
            Some(Support::Holds) | None => continue,
        };
        report.push(Diagnostic::new(code, feature.to_string(), message).times(count));
    }
}

fn part_losses(part: &Part, subject: &str, report: &mut Report) {
    if matches!(part.topology, Topology::Polygons { .. }) {
        report.push(Diagnostic::new(&codes::TRIANGULATED, subject, format!("{} faces", part.face_count())));
    }
    for stream in &part.streams {
        if shape(stream.width.into()).is_none() {
            let message = format!("{} has {} numbers per element", stream.semantic, stream.width);
            report.push(Diagnostic::new(&codes::ATTRIBUTE_DROPPED, subject, message));
        } else if matches!(&stream.semantic, Semantic::Custom(name) if !name.starts_with('_')) {
            report.push(Diagnostic::new(&codes::ATTRIBUTE_RENAMED, subject, stream.semantic.to_string()));
        }
    }
}

fn foreign_extras(scene: &Scene, report: &mut Report) {
    let mut look = |extras: &Extras, what: &str| {
        for namespace in foreign(extras) {
            report.push(Diagnostic::new(&codes::EXTRAS_DROPPED, namespace, what));
        }
    };
    look(&scene.extras, "of the file");
    scene.nodes.values().for_each(|n| look(&n.extras, "of nodes"));
    scene.nodes.values().filter_map(|n| n.instances.as_ref()).for_each(|i| look(&i.extras, "of instances"));
    scene.variants.iter().for_each(|v| look(&v.extras, "of variants"));
    scene.root_sets.iter().for_each(|s| look(&s.extras, "of root sets"));
    for mesh in scene.meshes.values() {
        look(&mesh.extras, "of meshes");
        mesh.parts.iter().for_each(|p| look(&p.extras, "of parts"));
    }
    scene.skins.values().for_each(|s| look(&s.extras, "of skins"));
    for material in scene.materials.values() {
        look(&material.extras, "of materials");
        material.part_extras().for_each(|e| look(e, "of materials"));
        material.texture_uses().for_each(|(_, t)| look(&t.extras, "of texture uses"));
    }
    for texture in scene.textures.values() {
        look(&texture.extras, "of textures");
        texture.sampler.iter().for_each(|s| look(&s.extras, "of samplers"));
    }
    scene.images.values().for_each(|i| look(&i.extras, "of images"));
    scene.cameras.values().for_each(|c| look(&c.extras, "of cameras"));
    scene.lights.values().for_each(|l| look(&l.extras, "of lights"));
    for clip in &scene.clips {
        look(&clip.extras, "of clips");
        clip.channels.iter().for_each(|c| look(&c.extras, "of channels"));
    }
    scene.rig.extras().for_each(|e| look(e, "of constraints and springs"));
}
