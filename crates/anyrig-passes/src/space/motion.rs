//! Curves.

use super::geometry::Change;
use super::once::Once;
use anyrig_scene::{Property, Scene, Target};

/// Converts translations, rotations and scales; tangents of cubic curves are of the same kind as the values.
pub(super) fn change_clips(scene: &mut Scene, change: &Change) {
    let mut converted = Once::default();
    for channel in scene.clips.iter_mut().flat_map(|c| &mut c.channels) {
        let Some((_, property)) = channel.node_target() else {
            let is_length = !matches!(channel.target, Target::Component { .. }) && channel.target.is_length();
            if is_length && change.unit != 1.0 {
                let values = &mut channel.curve.values;
                *values = converted.convert(LENGTHS, values, |v| scaled(change.unit, v));
            }
            continue;
        };
        if property == Property::MorphWeights {
            continue;
        }
        let values = &mut channel.curve.values;
        *values = converted.convert(property as u8, values, |v| changed(change, property, v));
    }
}

/// Marks single lengths among the kinds of converted values.
const LENGTHS: u8 = u8::MAX;

fn scaled(unit: f64, values: &[f32]) -> Vec<f32> {
    values.iter().map(|v| (f64::from(*v) * unit) as f32).collect()
}

fn changed(change: &Change, property: Property, values: &[f32]) -> Vec<f32> {
    let mut values = values.to_vec();
    match property {
        Property::Translation => change.positions(&mut values),
        Property::Rotation => {
            for rotation in values.as_chunks_mut::<4>().0 {
                let [x, y, z, w] = *rotation;
                let [x, y, z] = change.basis.axial_f32([x, y, z]);
                *rotation = [x, y, z, w];
            }
        }
        Property::Scale => {
            values.as_chunks_mut::<3>().0.iter_mut().for_each(|v| *v = change.basis.scale_f32(*v));
        }
        Property::MorphWeights => {}
    }
    values
}
