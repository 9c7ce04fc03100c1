//! Curves on texture transforms, turned upside down.

use crate::codes;
use anyrig_animation::numbers_at;
use anyrig_bytes::{Context, maths};
use anyrig_scene::{
    Channel, Clip, Curve, Interpolation, MaterialId, MaterialProperty, Scene, Target, TextureSlot, UvTransform,
};
use std::collections::BTreeSet;

/// Into how many pieces the time between two keys is cut where the result bends.
const PIECES: u32 = 16;

/// Changes the curves to those of `F T F` with `F(u, v) = (u, 1 - v)`; comes before the transforms at rest are changed.
///
/// With rotation `r` and scale `s`, the offset becomes `(u + s_v sin r, 1 - (v + s_v cos r))`, the rotation `-r`, and the
/// scale stays. Where rotation and scale stand still, a curve on the offset stays of its kind and exact.
pub(super) fn flip(scene: &mut Scene, context: &Context) {
    let mut clips = std::mem::take(&mut scene.clips);
    for clip in &mut clips {
        for (material, slot) in moved(clip) {
            flip_one(scene, clip, (material, slot), context);
        }
    }
    scene.clips = clips;
}

fn moved(clip: &Clip) -> BTreeSet<(MaterialId, TextureSlot)> {
    use MaterialProperty::{UvOffset, UvRotation, UvScale};
    let of = |channel: &Channel| match channel.target {
        Target::Material { material, property: UvOffset(slot) | UvRotation(slot) | UvScale(slot) } => {
            Some((material, slot))
        }
        _ => None,
    };
    clip.channels.iter().filter_map(of).collect()
}

fn flip_one(scene: &Scene, clip: &mut Clip, (material, slot): (MaterialId, TextureSlot), context: &Context) {
    let used = scene.materials.get(material).and_then(|m| m.texture(slot));
    let rest = used.and_then(|t| t.transform).unwrap_or_default();
    let target = |property: MaterialProperty| Target::Material { material, property };
    let [offset, rotation, scale] =
        [MaterialProperty::UvOffset(slot), MaterialProperty::UvRotation(slot), MaterialProperty::UvScale(slot)]
            .map(target);
    let turns = clip.channels.iter().any(|c| c.target == rotation || c.target == scale);
    let new_offset = turns.then(|| sampled(clip, [&offset, &rotation, &scale], rest));
    if turns || clip.layers.len() > 1 {
        context.tell(&codes::UV_CURVES, clip.name.clone(), format!("material {} {slot}", material.index()));
    }
    let sin_cos = maths::f64::sin_cos(f64::from(rest.rotation_rad));
    let moved = [f64::from(rest.scale[1]) * sin_cos.0, f64::from(rest.scale[1]) * sin_cos.1];
    for channel in &mut clip.channels {
        if channel.target == rotation {
            channel.curve.values.make_mut().iter_mut().for_each(|v| *v = -*v);
        } else if channel.target == offset && !turns {
            // Upper layers hold differences, which no constant is added to.
            flip_offsets(&mut channel.curve, if channel.layer == 0 { Some(moved) } else { None });
        }
    }
    let Some(curve) = new_offset else { return };
    let place = clip.channels.iter().position(|c| c.target == offset);
    match place.and_then(|i| clip.channels.get_mut(i)) {
        Some(channel) => channel.curve = curve,
        None => clip.channels.insert(0, Channel::on(offset, curve)),
    }
}

/// Values and tangents of a curve on the offset alone.
fn flip_offsets(curve: &mut Curve, moved: Option<[f64; 2]>) {
    let cubic = curve.interpolation == Interpolation::CubicHermite;
    for (i, pair) in curve.values.make_mut().as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let is_tangent = cubic && i % 3 != 1;
        let [u, v] = pair.map(f64::from);
        *pair = match moved.filter(|_| !is_tangent) {
            Some([by_u, by_v]) => [(u + by_u) as f32, (1.0 - (v + by_v)) as f32],
            None => [u as f32, -v as f32],
        };
    }
}

/// The new offset where rotation or scale move too: at all keys, and in between unless all only jump.
fn sampled(clip: &Clip, [offset, rotation, scale]: [&Target; 3], rest: UvTransform) -> Curve {
    let own = || clip.channels.iter().filter(|c| [offset, rotation, scale].contains(&&c.target));
    let jumps = own().all(|c| c.curve.interpolation == Interpolation::Step);
    let mut keys: Vec<f64> = own().flat_map(|c| c.curve.times_secs.iter().copied()).collect();
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let mut times = Vec::new();
    for pair in keys.windows(2) {
        let pieces = if jumps { 1 } else { PIECES };
        times.extend((0..pieces).map(|i| pair[0] + (pair[1] - pair[0]) * f64::from(i) / f64::from(pieces)));
    }
    times.extend(keys.last());
    let at = |target: &Target, rest: &[f32], time: f64| {
        let rest: Vec<f64> = rest.iter().map(|v| f64::from(*v)).collect();
        numbers_at(clip, target, &rest, time)
    };
    let mut values = Vec::with_capacity(times.len() * 2);
    for time in &times {
        let moved = at(offset, &rest.offset, *time);
        let angle = at(rotation, &[rest.rotation_rad], *time);
        let scales = at(scale, &rest.scale, *time);
        let ([u, v], [angle], [_, scale_v]) = (&moved[..], &angle[..], &scales[..]) else { continue };
        let (sin, cos) = maths::f64::sin_cos(*angle);
        values.extend([(u + scale_v * sin) as f32, (1.0 - (v + scale_v * cos)) as f32]);
    }
    Curve::new(if jumps { Interpolation::Step } else { Interpolation::Linear }, 2, times, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flip_v;
    use anyrig_animation::Look;
    use anyrig_scene::{Material, Texture, TextureUse};

    const SLOT: TextureSlot = TextureSlot::BaseColor;

    fn scene(channels: &[(MaterialProperty, Interpolation, &[f32])]) -> Scene {
        let mut scene = Scene::default();
        let texture = scene.textures.push(Texture::default());
        let mut material = Material::new("m");
        let mut used = TextureUse::new(texture);
        used.transform = Some(UvTransform { offset: [0.1, 0.2], rotation_rad: 0.5, scale: [2.0, 3.0] });
        material.base_color_texture = Some(used);
        let material = scene.materials.push(material);
        let mut clip = Clip::new("c");
        for (property, interpolation, values) in channels {
            let curve = Curve::new(*interpolation, property.width(), vec![0.0, 2.0], values.to_vec());
            clip.channels.push(Channel::on(Target::Material { material, property: *property }, curve));
        }
        scene.clips.push(clip);
        scene
    }

    /// Where a texture coordinate comes to lie at a time.
    fn moved(scene: &Scene, [u, v]: [f64; 2], time: f64) -> [f64; 2] {
        let look = Look::of_clip(scene, &scene.clips[0], time);
        let used = look.material(MaterialId::new(0)).and_then(|m| m.texture(SLOT)).cloned();
        let t = used.and_then(|t| t.transform).expect("has one");
        let (s, c) = maths::f64::sin_cos(f64::from(t.rotation_rad));
        let (u, v) = (u * f64::from(t.scale[0]), v * f64::from(t.scale[1]));
        [f64::from(t.offset[0]) + c * u + s * v, f64::from(t.offset[1]) - s * u + c * v]
    }

    fn judge(scene: &Scene, bound: f64) -> u64 {
        let mut flipped = scene.clone();
        let context = Context::new();
        flip_v(&mut flipped, &context).expect("valid");
        for step in 0..=20 {
            let time = f64::from(step) * 0.1;
            for uv in [[0.0, 0.0], [1.0, 0.0], [0.3, 0.8]] {
                let (a, b) = (moved(scene, uv, time), moved(&flipped, [uv[0], 1.0 - uv[1]], time));
                assert!((a[0] - b[0]).abs() < bound && (1.0 - a[1] - b[1]).abs() < bound, "{time}: {a:?} {b:?}");
            }
        }
        context.report().count_of("passes.uv-curves")
    }

    #[test]
    fn offsets_alone_stay_exact() {
        let offset = MaterialProperty::UvOffset(SLOT);
        assert_eq!(judge(&scene(&[(offset, Interpolation::Linear, &[0.0, 1.0, 2.0, -1.0])]), 1e-5), 0);
        let cubic = [0.0, 0.0, 0.1, 0.2, 1.0, -1.0, 0.5, 1.0, 0.7, 0.3, 0.0, 0.0];
        assert_eq!(judge(&scene(&[(offset, Interpolation::CubicHermite, &cubic)]), 1e-5), 0);
    }

    #[test]
    fn turning_textures_are_near_and_told() {
        let rotation = (MaterialProperty::UvRotation(SLOT), Interpolation::Linear, &[0.0f32, 1.5][..]);
        let scale = (MaterialProperty::UvScale(SLOT), Interpolation::Linear, &[1.0f32, 1.0, 2.0, 4.0][..]);
        let offset = (MaterialProperty::UvOffset(SLOT), Interpolation::Step, &[0.0f32, 0.5, 1.0, 1.0][..]);
        // Sixteen pieces of a 1.5 rad turn: the sagitta of 0.1 rad is 0.0012, times a scale of 4.
        assert_eq!(judge(&scene(&[rotation, scale]), 0.006), 1);
        assert_eq!(judge(&scene(&[scale]), 1e-5), 1);
        assert!(judge(&scene(&[(rotation.0, Interpolation::Step, rotation.2), offset]), 1e-5) == 1);
    }
}
