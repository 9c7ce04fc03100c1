//! Curves on texture transforms, turned upside down.

use crate::codes;
use anyrig_animation::numbers_at;
use anyrig_bytes::{Context, Place, Result, maths};
use anyrig_scene::{
    Channel, Clip, Curve, Interpolation, LayerBlend, MaterialId, MaterialProperty, Scene, Segment, Target, TextureSlot,
    UvTransform,
};
use std::collections::{BTreeMap, BTreeSet};

/// Into how many pieces the time between two keys is cut where the result bends.
const PIECES: u32 = 16;

/// The clips whose curves change to those of `F T F` with `F(u, v) = (u, 1 - v)`, by their numbers. The transforms at
/// rest must be those from before.
///
/// With rotation `r` and scale `s`, the offset becomes `(u + s_v sin r, 1 - (v + s_v cos r))`, the rotation `-r`, and the
/// scale stays. Where rotation and scale stand still, a curve on the offset stays of its kind and exact.
///
/// # Errors
/// [`anyrig_bytes::ErrorKind::LimitExceeded`]; [`anyrig_bytes::ErrorKind::Cancelled`].
pub(super) fn flipped(scene: &Scene, context: &Context) -> Result<Vec<(usize, Clip)>> {
    let mut changed = Vec::new();
    for (number, clip) in scene.clips.iter().enumerate() {
        context.check_cancelled()?;
        let moved = moved(clip);
        if !moved.is_empty() {
            changed.push((number, flipped_clip(scene, clip, &moved, context)?));
        }
    }
    Ok(changed)
}

/// Puts clips in the place of those of the same numbers.
pub(super) fn put(scene: &mut Scene, changed: Vec<(usize, Clip)>) {
    for (number, clip) in changed {
        scene.clips[number] = clip;
    }
}

/// Numbers of the channels on one texture's transform, lower layers first.
#[derive(Default)]
struct Own {
    offsets: Vec<usize>,
    rotations: Vec<usize>,
    scales: Vec<usize>,
}

impl Own {
    /// Whether more than the offset moves.
    fn turns(&self) -> bool {
        !(self.rotations.is_empty() && self.scales.is_empty())
    }

    /// These channels alone.
    fn channels_of(&self, clip: &Clip) -> Vec<Channel> {
        let all = self.offsets.iter().chain(&self.rotations).chain(&self.scales);
        all.map(|i| clip.channels[*i].clone()).collect()
    }
}

fn moved(clip: &Clip) -> BTreeMap<(MaterialId, TextureSlot), Own> {
    use MaterialProperty::{UvOffset, UvRotation, UvScale};
    let mut moved: BTreeMap<_, Own> = BTreeMap::new();
    for (i, channel) in clip.channels.iter().enumerate() {
        let Target::Material { material, property } = channel.target else { continue };
        match property {
            UvOffset(slot) => moved.entry((material, slot)).or_default().offsets.push(i),
            UvRotation(slot) => moved.entry((material, slot)).or_default().rotations.push(i),
            UvScale(slot) => moved.entry((material, slot)).or_default().scales.push(i),
            _ => {}
        }
    }
    moved
}

fn flipped_clip(
    scene: &Scene,
    clip: &Clip,
    moved: &BTreeMap<(MaterialId, TextureSlot), Own>,
    context: &Context,
) -> Result<Clip> {
    let mut part = Clip::new("");
    part.layers.clone_from(&clip.layers);
    let mut flip = Flip { clip, new: clip.clone(), part, added: Vec::new(), gone: BTreeSet::new() };
    for ((material, slot), own) in moved {
        context.check_cancelled()?;
        if own.turns() || clip.layers.len() > 1 {
            context.tell(&codes::UV_CURVES, clip.name.clone(), format!("material {} {slot}", material.index()));
        }
        let used = scene.materials.get(*material).and_then(|m| m.texture(*slot));
        let transform =
            Transform { material: *material, slot: *slot, rest: used.and_then(|t| t.transform).unwrap_or_default() };
        let changed = own.offsets.iter().chain(&own.rotations).map(|i| clip.channels[*i].curve.values.len() as u64);
        let bytes = changed.sum::<u64>().saturating_mul(size_of::<f32>() as u64);
        context.take_memory(bytes, || Place::element(clip.name.clone()))?;
        flip.texture(own, &transform, context)?;
    }
    Ok(flip.finish())
}

/// One texture's transform at rest.
struct Transform {
    material: MaterialId,
    slot: TextureSlot,
    rest: UvTransform,
}

impl Transform {
    fn target(&self, property: fn(TextureSlot) -> MaterialProperty) -> Target {
        Target::Material { material: self.material, property: property(self.slot) }
    }

    /// What is added to an offset before its V is turned round.
    fn moved_at_rest(&self) -> [f64; 2] {
        let (sin, cos) = maths::f64::sin_cos(f64::from(self.rest.rotation_rad));
        [f64::from(self.rest.scale[1]) * sin, f64::from(self.rest.scale[1]) * cos]
    }
}

/// A clip that is being changed.
struct Flip<'a> {
    clip: &'a Clip,
    new: Clip,
    /// The layers, with the channels of the texture that is being sampled.
    part: Clip,
    /// Curves on offsets that had none in the lowest layer.
    added: Vec<Channel>,
    /// Channels that a sampled one contains.
    gone: BTreeSet<usize>,
}

impl Flip<'_> {
    fn texture(&mut self, own: &Own, transform: &Transform, context: &Context) -> Result<()> {
        for i in &own.rotations {
            turn_back(&mut self.new.channels[*i].curve);
        }
        let turns = own.turns();
        for i in &own.offsets {
            let layer = self.clip.channels[*i].layer;
            if turns && self.clip.plays(layer) {
                self.gone.insert(*i);
                continue;
            }
            let blend = self.clip.layers.get(layer).map_or(LayerBlend::Override, |l| l.blend);
            // Layers that are added hold differences, to which no constant is added.
            let is_difference = layer > 0 && blend == LayerBlend::Additive;
            let moved = (!is_difference).then(|| transform.moved_at_rest());
            flip_offsets(&mut self.new.channels[*i].curve, moved);
        }
        if !turns {
            return Ok(());
        }
        self.part.channels = own.channels_of(self.clip);
        let curve = sampled(&self.part, transform, context)?;
        let lowest = own.offsets.first().filter(|i| self.clip.channels[**i].layer == 0);
        match lowest {
            Some(i) => {
                self.new.channels[*i].curve = curve;
                self.gone.remove(i);
            }
            None => self.added.push(Channel::on(transform.target(MaterialProperty::UvOffset), curve)),
        }
        Ok(())
    }

    fn finish(mut self) -> Clip {
        let mut number = 0;
        self.new.channels.retain(|_| {
            number += 1;
            !self.gone.contains(&(number - 1))
        });
        self.new.channels.splice(0..0, self.added);
        self.new
    }
}

/// Makes a rotation that of the other sense.
fn turn_back(curve: &mut Curve) {
    curve.values.make_mut().iter_mut().for_each(|v| *v = -*v);
    for segment in &mut curve.segments {
        match segment {
            Segment::Hermite { out_slope, in_slope } => {
                (*out_slope, *in_slope) = (-*out_slope, -*in_slope);
            }
            Segment::Bezier { out, into } => (out.slope, into.slope) = (-out.slope, -into.slope),
            Segment::Step | Segment::StepNext | Segment::Linear | Segment::Eased { .. } => {}
        }
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

/// The new offset where rotation or scale move too: at all keys, and in between unless all only jump. The clip holds the
/// channels of this texture alone.
fn sampled(part: &Clip, transform: &Transform, context: &Context) -> Result<Curve> {
    let jumps = curves(part).all(|c| c.interpolation == Interpolation::Step);
    let times = times(part, if jumps { 1 } else { PIECES }, context)?;
    context.take_memory((times.len() * size_of::<[f32; 2]>()) as u64, || place(transform))?;
    let [offset, rotation, scale] =
        [MaterialProperty::UvOffset, MaterialProperty::UvRotation, MaterialProperty::UvScale]
            .map(|property| transform.target(property));
    let rest = transform.rest;
    let at = |target: &Target, rest: &[f32], time: f64| {
        let rest: Vec<f64> = rest.iter().map(|v| f64::from(*v)).collect();
        numbers_at(part, target, &rest, time)
    };
    let mut values = Vec::with_capacity(times.len() * 2);
    for time in &times {
        context.check_cancelled()?;
        let moved = at(&offset, &rest.offset, *time);
        let angle = at(&rotation, &[rest.rotation_rad], *time);
        let scales = at(&scale, &rest.scale, *time);
        let ([u, v], [angle], [_, scale_v]) = (&moved[..], &angle[..], &scales[..]) else { continue };
        let (sin, cos) = maths::f64::sin_cos(*angle);
        values.extend([(u + scale_v * sin) as f32, (1.0 - (v + scale_v * cos)) as f32]);
    }
    Ok(Curve::new(if jumps { Interpolation::Step } else { Interpolation::Linear }, 2, times, values))
}

/// All that the values of a clip depend on.
fn curves(clip: &Clip) -> impl Iterator<Item = &Curve> {
    let layers: BTreeSet<usize> = clip.channels.iter().map(|c| c.layer).collect();
    let weights = layers.into_iter().filter_map(|l| clip.layers.get(l)?.weight_curve.as_ref());
    clip.channels.iter().map(|c| &c.curve).chain(weights)
}

/// The times of all keys, and those that cut the time between two into pieces.
fn times(part: &Clip, pieces: u32, context: &Context) -> Result<Vec<f64>> {
    let keys: usize = curves(part).map(Curve::len).sum();
    let place = || Place::element("curves of a texture's transform");
    context.take_memory((keys * size_of::<f64>()) as u64, place)?;
    let mut keys: Vec<f64> = curves(part).flat_map(|c| c.times_secs.iter().copied()).collect();
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let count = keys.len().saturating_sub(1) as u64 * u64::from(pieces) + 1;
    context.take_elements(count, place)?;
    context.take_memory(count * size_of::<f64>() as u64, place)?;
    let mut times = Vec::with_capacity(count as usize);
    for pair in keys.windows(2) {
        times.extend((0..pieces).map(|i| pair[0] + (pair[1] - pair[0]) * f64::from(i) / f64::from(pieces)));
    }
    times.extend(keys.last());
    Ok(times)
}

fn place(transform: &Transform) -> Place {
    Place::element(format!("material {} {}", transform.material.index(), transform.slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flip_v, to_space};
    use anyrig_animation::Look;
    use anyrig_bytes::{ErrorKind, Limits};
    use anyrig_scene::{ClipLayer, Material, Space, Texture, TextureUse, UvOrigin};

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

    /// The scene with a layer over the first, and a channel on it.
    fn layered(mut scene: Scene, blend: LayerBlend, channel: usize) -> Scene {
        let clip = &mut scene.clips[0];
        clip.layers = vec![ClipLayer::new("low", blend), ClipLayer::new("high", blend)];
        clip.channels[channel].layer = 1;
        clip.channels.sort_by_key(|c| c.layer);
        scene
    }

    #[test]
    fn what_is_sampled_is_booked_and_can_be_stopped() {
        let rotation = (MaterialProperty::UvRotation(SLOT), Interpolation::Linear, &[0.0f32, 1.5][..]);
        let before = scene(&[rotation]);
        let with = |change: &dyn Fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            Context::new().with_limits(limits)
        };
        let stopped = Context::new().with_cancel(std::sync::Arc::new(true.into()));
        let space = |scene: &mut Scene, context: &Context| {
            to_space(scene, Space::GLTF.with_uv_origin(UvOrigin::BottomLeft), context)
        };
        // Seventeen keys, of a time and two numbers each; two keys that are sorted, two numbers that are turned.
        let bytes = 17 * (8 + 8) + 2 * 8 + 2 * 4;
        for (context, kind) in [
            (with(&|l| l.elements = 16), ErrorKind::LimitExceeded),
            (with(&|l| l.memory_bytes = bytes - 1), ErrorKind::LimitExceeded),
            (stopped, ErrorKind::Cancelled),
        ] {
            for pass in [flip_v, space] {
                let mut scene = before.clone();
                let error = pass(&mut scene, &context).expect_err("too much");
                assert_eq!(error.kind(), kind, "{error}");
                assert!(scene == before, "it changed although there was no room");
            }
        }
        let enough = with(&|l| (l.elements, l.memory_bytes) = (17, bytes));
        flip_v(&mut before.clone(), &enough).expect("enough");
    }

    #[test]
    fn layers_are_flipped_as_they_blend() {
        let offset = (MaterialProperty::UvOffset(SLOT), Interpolation::Linear, &[0.0f32, 1.0, 2.0, -1.0][..]);
        let rotation = (MaterialProperty::UvRotation(SLOT), Interpolation::Linear, &[0.0f32, 1.5][..]);
        for blend in [LayerBlend::Additive, LayerBlend::Override, LayerBlend::OverridePassthrough] {
            assert_eq!(judge(&layered(scene(&[offset]), blend, 0), 1e-5), 1, "{blend:?}");
            assert_eq!(judge(&layered(scene(&[rotation, offset]), blend, 1), 0.006), 1, "{blend:?}");
        }
    }

    #[test]
    fn a_rotation_that_bends_between_its_keys_bends_the_other_way() {
        let mut scene = scene(&[(MaterialProperty::UvRotation(SLOT), Interpolation::Linear, &[0.0f32, 1.5][..])]);
        let bend = Segment::Hermite { out_slope: 2.0, in_slope: -1.0 };
        scene.clips[0].channels[0].curve = Curve::per_key(vec![0.0, 2.0], vec![0.0, 1.5], vec![bend; 2]);
        assert_eq!(judge(&scene, 0.1), 1);
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
