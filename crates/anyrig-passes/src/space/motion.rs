//! Curves.

use super::geometry::Change;
use super::once::Once;
use anyrig_scene::{Curve, Property, Scene, Segment, Target};

/// Converts translations, rotations and scales, as a whole or number by number, and lengths; tangents and slopes are of
/// the same kind as the values.
pub(super) fn change_clips(scene: &mut Scene, change: &Change) {
    let mut converted = Once::default();
    for channel in scene.clips.iter_mut().flat_map(|c| &mut c.channels) {
        let factor = match &mut channel.target {
            Target::Node { property: Property::MorphWeights, .. } => continue,
            Target::Node { property, .. } => {
                let (property, values) = (*property, &mut channel.curve.values);
                *values = converted.convert(Work::Property(property), values, |v| changed(change, property, v));
                continue;
            }
            Target::Component { part, axis, .. } => {
                let Some((place, factor)) = change.component(*part, *axis) else { continue };
                *axis = place;
                factor
            }
            target if target.is_length() => change.unit,
            _ => continue,
        };
        if factor != 1.0 {
            multiply(&mut channel.curve, factor, &mut converted);
        }
    }
}

/// What happens to the values of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Property(Property),
    /// The bits of the factor.
    Multiply(u64),
}

fn multiply(curve: &mut Curve, factor: f64, converted: &mut Once<f32, Work>) {
    let values = &mut curve.values;
    *values = converted.convert(Work::Multiply(factor.to_bits()), values, |all| times(all, factor).collect());
    multiply_slopes(&mut curve.segments, factor);
}

/// Values, slopes and handles of a curve of single numbers.
pub(crate) fn multiply_curve(curve: &mut Curve, factor: f64) {
    curve.values = times(&curve.values, factor).collect();
    multiply_slopes(&mut curve.segments, factor);
}

fn times(values: &[f32], factor: f64) -> impl Iterator<Item = f32> {
    values.iter().map(move |v| (f64::from(*v) * factor) as f32)
}

fn multiply_slopes(segments: &mut [Segment], factor: f64) {
    let scaled = |v: f32| (f64::from(v) * factor) as f32;
    for segment in segments {
        match segment {
            // What has no slope, and what follows the way and not the value.
            Segment::Step | Segment::StepNext | Segment::Linear | Segment::Eased { .. } => {}
            Segment::Hermite { out_slope, in_slope } => {
                (*out_slope, *in_slope) = (scaled(*out_slope), scaled(*in_slope));
            }
            Segment::Bezier { out, into } => (out.slope, into.slope) = (scaled(out.slope), scaled(into.slope)),
        }
    }
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
