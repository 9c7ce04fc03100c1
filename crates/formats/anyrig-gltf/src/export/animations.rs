//! Clips become animations.

use super::indices::Shorts;
use super::packer::{Bounds, Coded, Component, Elements, Kind, shape};
use super::{Saver, extras, materials, named, raw_extension, unless};
use crate::codes;
use crate::document::{
    AnimationObject, AnimationPointer, AnimationSampler, ChannelObject, ChannelTarget, Index, Named,
};
use crate::meshopt::{self, Filter};
use crate::names::CHANNEL_TARGET;
use crate::options::Quantize;
use crate::pointers;
use anyrig_bytes::{Buffer, Diagnostic, Place, Result, SharedBytes};
use anyrig_passes::{CurveKind, cut_before};
use anyrig_scene::{Channel, Clip, Curve, Interpolation, MaterialProperty, Projection, Property, Target};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Marks key times and key values among the keys of buffers.
const AS_TIMES: u64 = 4 << 32;
const AS_VALUES: u64 = 5 << 32;

/// How far from 1 the length of a rotation key may be; the Khronos validator allows 5e-4.
const UNIT_TOLERANCE: f64 = 4e-4;

/// Whose a buffer is. Only those of the scene live as long as the packer and can be known again by their memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Scene,
    Nobody,
}

/// What key values are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Rotations,
    /// Translations and scales.
    Vectors,
    Others,
}

impl Values {
    fn of(target: &Target) -> Self {
        match target {
            Target::Node { property: Property::Rotation, .. } => Self::Rotations,
            Target::Node { property: Property::Translation | Property::Scale, .. } => Self::Vectors,
            _ => Self::Others,
        }
    }
}

/// How key values are written.
#[derive(Clone, Copy)]
struct ValueForm {
    of: Values,
    shape: &'static str,
    owner: Owner,
}

impl Saver<'_> {
    pub(super) fn animations(&mut self) -> Result<()> {
        let mut objects = Vec::new();
        for (number, clip) in self.scene.clips.iter().enumerate() {
            self.context.check_cancelled()?;
            match self.animation(clip, number)? {
                Some(object) => objects.push(object),
                None if clip.channels.is_empty() => {
                    self.context.tell(&codes::CLIP_EMPTY, format!("clip {number}"), &clip.name);
                }
                // What glTF cannot hold at all was reported by the capability table.
                None => self.context.tell(&codes::CLIP_DROPPED, format!("clip {number}"), &clip.name),
            }
        }
        self.root.animations = super::some(objects);
        Ok(())
    }

    fn animation(&mut self, clip: &Clip, number: usize) -> Result<Option<AnimationObject>> {
        let mut object = AnimationObject { name: named(&clip.name), ..AnimationObject::default() };
        extras::restore!(object, &clip.extras);
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        let mut known: BTreeMap<(Index, Index, u8), Index> = BTreeMap::new();
        for (index, channel) in clip.channels.iter().enumerate() {
            let subject = format!("clip {number} channel {index}");
            let Some(target) = self.channel_target(channel) else { continue };
            if self.moves_a_dropped_mesh(channel) {
                self.context.tell(&codes::ANIMATION_PATH, subject, "the mesh whose weights it moves is not written");
                continue;
            }
            let (input, output, interpolation) = self.curve(channel, &subject)?;
            let sampler = *known.entry((input, output, interpolation as u8)).or_insert_with(|| {
                samplers.push(AnimationSampler {
                    input: Some(input),
                    output: Some(output),
                    interpolation: interpolation_name(interpolation),
                    ..AnimationSampler::default()
                });
                samplers.len() as Index - 1
            });
            let mut object = ChannelObject { sampler: Some(sampler), target: Some(target), ..ChannelObject::default() };
            extras::restore!(object, &channel.extras);
            channels.push(object);
        }
        if channels.is_empty() {
            return Ok(None);
        }
        object.channels = Some(channels);
        object.samplers = Some(samplers);
        Ok(Some(object))
    }

    /// Weights need a mesh to move.
    fn moves_a_dropped_mesh(&self, channel: &Channel) -> bool {
        let Target::Node { node, property: Property::MorphWeights } = channel.target else { return false };
        let instance = self.scene.nodes.get(node).and_then(|n| n.mesh.as_ref());
        instance.is_none_or(|i| self.mesh_index(i).is_none())
    }

    /// Accessors of times and values.
    fn curve(&mut self, channel: &Channel, subject: &str) -> Result<(Index, Index, Interpolation)> {
        let of = Values::of(&channel.target);
        let curve = &channel.curve;
        let kind = if of == Values::Rotations { CurveKind::Rotation } else { CurveKind::Numbers };
        let Held { curve: held, lost } = holdable(curve, kind);
        if curve.len() == 1 && held.interpolation != curve.interpolation {
            self.context.tell(&codes::SINGLE_KEY, subject, "");
        }
        if lost > 0 {
            self.context.push(Diagnostic::new(&codes::KEYS_MERGED, subject, "").times(lost as u64));
        }
        let owner = if matches!(held, Cow::Borrowed(_)) { Owner::Scene } else { Owner::Nobody };
        if owner == Owner::Nobody {
            let bytes = size_of_val(held.times_secs.as_slice()) + size_of_val(held.values.as_slice());
            self.context.take_memory(bytes as u64, || Place::element(subject))?;
        }
        let times = self.times(&held.times_secs, owner);
        let values = match self.own_values(channel, &held) {
            Some(index) => index,
            None => self.values(&held, ValueForm { of, shape: shape_of(channel, held.width), owner }, subject),
        };
        Ok((times, values, held.interpolation))
    }

    /// Values that are not written as they are: truth values, and emissive colours whose material was spelt anew.
    fn own_values(&mut self, channel: &Channel, curve: &Curve) -> Option<Index> {
        match channel.target {
            Target::Visibility { .. } => {
                let bytes: Vec<u8> = curve.values.iter().map(|v| u8::from(v.abs() >= 1.0)).collect();
                let count = bytes.len();
                let bytes = SharedBytes::from(bytes);
                let (component, shape) = (Component::U8, "SCALAR");
                let elements = Elements { component, normalized: false, shape, count, bounds: None, bytes };
                Some(self.packer.add(Kind::Animation, elements))
            }
            Target::Material { material, property } => {
                let division = materials::emissive_division(self.scene.materials.get(material)?);
                let factor = match property {
                    MaterialProperty::Emissive if division != 1.0 => 1.0 / division,
                    MaterialProperty::EmissiveStrength if division != 1.0 => division,
                    _ => return None,
                };
                let values: Buffer<f32> = curve.values.iter().map(|v| v * factor).collect();
                Some(self.floats(values, curve.width, shape(curve.width)?, None))
            }
            _ => None,
        }
    }

    fn times(&mut self, times: &Buffer<f64>, owner: Owner) -> Index {
        let key = (times.as_ptr() as usize, times.len(), AS_TIMES);
        if let Some(known) = self.packer.known(key).filter(|_| owner == Owner::Scene) {
            return known;
        }
        let floats: Vec<f32> = times.iter().map(|t| *t as f32).collect();
        let bounds = Some(Bounds::of(&floats, 1));
        let index = self.floats(floats.into(), 1, "SCALAR", bounds);
        if owner == Owner::Scene {
            self.packer.remember(key, index);
        }
        index
    }

    fn values(&mut self, curve: &Curve, form: ValueForm, subject: &str) -> Index {
        let ValueForm { of, shape, owner } = form;
        let width = if shape == "SCALAR" { 1 } else { curve.width };
        let is_cubic = curve.interpolation == Interpolation::CubicHermite;
        let tag = AS_VALUES | (of as u64) << 16 | u64::from(is_cubic) << 18;
        let key = (curve.values.as_ptr() as usize, curve.values.len(), tag | width as u64);
        if let Some(known) = self.packer.known(key).filter(|_| owner == Owner::Scene) {
            return known;
        }
        let values = match unit_rotations(curve).filter(|_| of == Values::Rotations) {
            Some((values, count)) => {
                self.context.push(Diagnostic::new(&codes::QUATERNION_NORMALISED, subject, "").times(count));
                values
            }
            None => curve.values.clone(),
        };
        // Tangents of cubic curves may be of any size.
        let index = match of {
            Values::Rotations if !is_cubic && self.has_whole_rotations(&values) => {
                self.whole_rotations(&values, curve.interpolation).unwrap_or_else(|| {
                    self.context.push(Diagnostic::new(&codes::ROTATIONS_NOT_QUANTIZED, subject, ""));
                    self.floats(values, width, shape, None)
                })
            }
            Values::Vectors if !is_cubic && self.packer.filters() => self.filtered_vectors(values),
            _ => self.floats(values, width, shape, None),
        };
        if owner == Owner::Scene {
            self.packer.remember(key, index);
        }
        index
    }

    /// Whether rotations are rounded, or came as whole numbers that are to stay so.
    fn has_whole_rotations(&self, values: &[f32]) -> bool {
        let is_whole = |v: &f32| (v * MOST_SHORT).round() / MOST_SHORT == *v;
        match self.packer.quantize() {
            Quantize::Off => false,
            Quantize::Keep => values.iter().all(is_whole),
            Quantize::Core | Quantize::Small | Quantize::Fine => true,
        }
    }

    /// Unit quaternions as fractions of 16 bits, within 1 / 65534 of each number, or as the filter for them rounds;
    /// `None` when a turn between two keys would go the other way.
    fn whole_rotations(&mut self, values: &[f32], interpolation: Interpolation) -> Option<Index> {
        let (shape, count) = ("VEC4", values.len() / 4);
        let elements = |bytes| {
            let component = Component::I16;
            Elements { component, normalized: true, shape, count, bounds: None, bytes }
        };
        if self.packer.filters() {
            let codes = values.as_chunks::<4>().0.iter().flat_map(|q| meshopt::encode_quaternion(unit(*q), 16));
            let coded: Vec<u8> = codes.flat_map(i16::to_le_bytes).collect();
            let bytes = meshopt::filtered(Filter::Quaternion, 8, &coded);
            let shorts = bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b));
            if !turns_stay(values, &shorts.collect::<Vec<_>>(), interpolation) {
                return None;
            }
            let coded = Coded { filter: Filter::Quaternion, bytes: coded.into() };
            return Some(self.packer.add_coded(Kind::Animation, elements(bytes.into()), Some(coded)));
        }
        let whole = |v: &f32| (v.clamp(-1.0, 1.0) * MOST_SHORT).round() as i16 as u16;
        let shorts: Vec<u16> = values.iter().map(whole).collect();
        if !turns_stay(values, &shorts, interpolation) {
            return None;
        }
        Some(self.packer.add(Kind::Animation, elements(SharedBytes::from_owner(Shorts(shorts)))))
    }

    /// Vectors by the exponential filter, with one exponent for each of the three axes of a curve.
    fn filtered_vectors(&mut self, values: Buffer<f32>) -> Index {
        let bits = vector_bits(self.packer.quantize());
        if values.iter().any(|v| v.abs() >= MOST_FILTERED) {
            return self.floats(values, 3, "VEC3", None);
        }
        let axes: [Vec<f32>; 3] = std::array::from_fn(|axis| values.iter().skip(axis).step_by(3).copied().collect());
        let [x, y, z] = axes.map(|axis| meshopt::encode_exponential(&axis, bits));
        let codes = x.into_iter().zip(y).zip(z).flat_map(|((x, y), z)| [x, y, z]);
        let coded: Vec<u8> = codes.flat_map(i32::to_le_bytes).collect();
        let bytes = meshopt::filtered(Filter::Exponential, 12, &coded);
        let (component, shape, count) = (Component::F32, "VEC3", bytes.len() / 12);
        let elements = Elements { component, normalized: false, shape, count, bounds: None, bytes: bytes.into() };
        let coded = Coded { filter: Filter::Exponential, bytes: coded.into() };
        self.packer.add_coded(Kind::Animation, elements, Some(coded))
    }

    fn floats(&mut self, values: Buffer<f32>, width: usize, shape: &'static str, bounds: Option<Bounds>) -> Index {
        let count = values.len() / width;
        let bytes = values.to_bytes();
        let elements = Elements { component: Component::F32, normalized: false, shape, count, bounds, bytes };
        self.packer.add(Kind::Animation, elements)
    }
}

/// Greatest whole number of a signed fraction of 16 bits.
const MOST_SHORT: f32 = 32767.0;

/// Numbers from 2^100 on have no exponent in the filter (appendix B of the extension).
const MOST_FILTERED: f32 = 1e30;

/// Bits of translations and scales where a filter rounds them, the sign included.
pub(super) fn vector_bits(quantize: Quantize) -> u32 {
    if quantize == Quantize::Fine { 24 } else { 20 }
}

/// A rotation of exactly unit length; what has no length is none.
fn unit(rotation: [f32; 4]) -> [f32; 4] {
    let length = rotation.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt();
    if length > 0.0 { rotation.map(|c| (f64::from(c) / length) as f32) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// The accessor type of a channel's values: scalars for morph weights, else by width.
fn shape_of(channel: &Channel, width: usize) -> &'static str {
    match &channel.target {
        Target::Node { property: Property::MorphWeights, .. } => "SCALAR",
        Target::Other(pointer) if pointer.ends_with("/weights") => "SCALAR",
        _ => shape(width).unwrap_or("SCALAR"),
    }
}

/// True when glTF has a word for what a channel moves.
pub(super) fn is_holdable(target: &Target) -> bool {
    match target {
        Target::Node { .. }
        | Target::Visibility { .. }
        | Target::Material { .. }
        | Target::Camera { .. }
        | Target::Light { .. } => true,
        Target::Other(path) => path.starts_with('/'),
        // Baked before; what is left has no word in glTF.
        Target::Component { .. } | Target::Morph { .. } | Target::Named { .. } => false,
    }
}

impl Saver<'_> {
    fn channel_target(&self, channel: &Channel) -> Option<ChannelTarget> {
        let extras = channel.extras.get(CHANNEL_TARGET).cloned();
        let mut object = ChannelTarget { extras, ..ChannelTarget::default() };
        if let Target::Node { node, property } = channel.target {
            object.node = Some(node.index() as Index);
            object.path = Some(path(property).to_owned());
            return Some(object);
        }
        object.path = Some("pointer".to_owned());
        let pointer = Some(self.pointer(&channel.target)?);
        let value = AnimationPointer { pointer, ..AnimationPointer::default() };
        object.extensions = Some(Named(vec![("KHR_animation_pointer".to_owned(), raw_extension(&value))]));
        Some(object)
    }

    fn pointer(&self, target: &Target) -> Option<String> {
        Some(match target {
            Target::Visibility { node } => pointers::of_visibility(node.index()),
            Target::Material { material, property } => pointers::of_material(material.index(), *property),
            Target::Light { light, property } => pointers::of_light(light.index(), *property),
            Target::Camera { camera, property } => {
                let projection = self.scene.cameras.get(*camera)?.projection;
                let perspective = matches!(projection, Projection::Perspective { .. });
                pointers::of_camera(camera.index(), *property, perspective)
            }
            Target::Other(pointer) if is_holdable(target) => pointer.clone(),
            _ => return None,
        })
    }
}

fn path(property: Property) -> &'static str {
    match property {
        Property::Translation => "translation",
        Property::Rotation => "rotation",
        Property::Scale => "scale",
        Property::MorphWeights => "weights",
    }
}

fn interpolation_name(interpolation: Interpolation) -> Option<String> {
    let name = match interpolation {
        // Curves with segments of several kinds were baked before.
        Interpolation::Linear | Interpolation::PerKey => "LINEAR",
        Interpolation::Step => "STEP",
        Interpolation::CubicHermite => "CUBICSPLINE",
    };
    unless(name, &"LINEAR").map(str::to_owned)
}

/// A curve with what glTF demands of it, and how many keys that took.
struct Held<'a> {
    curve: Cow<'a, Curve>,
    lost: usize,
}

/// The curve with what glTF demands of it: times of f32 that ascend from 0, two keys at least for a cubic one.
fn holdable(curve: &Curve, kind: CurveKind) -> Held<'_> {
    let before_zero = curve.times_secs.partition_point(|t| *t < 0.0);
    let from_zero = cut_before(curve, kind, 0.0).map_or(Cow::Borrowed(curve), Cow::Owned);
    let length = from_zero.len();
    let mut held = ascending(from_zero);
    let lost = before_zero + (length - held.len());
    if held.interpolation == Interpolation::CubicHermite && held.len() == 1 {
        let value = held.value(0).to_vec();
        held = Cow::Owned(Curve::new(Interpolation::Step, held.width, held.times_secs.clone(), value));
    }
    Held { curve: held, lost }
}

/// Drops keys that are equal as f32.
fn ascending(curve: Cow<'_, Curve>) -> Cow<'_, Curve> {
    let times: Vec<f32> = curve.times_secs.iter().map(|t| *t as f32).collect();
    if times.is_sorted_by(|a, b| a < b) {
        return curve;
    }
    // Of keys with equal times the last one counts: it is what holds from there on.
    let kept: Vec<usize> = (0..times.len()).filter(|k| times.get(k + 1).is_none_or(|next| *next > times[*k])).collect();
    let stride = curve.stride();
    let values: Buffer<f32> =
        kept.iter().flat_map(|k| curve.values.get(k * stride..(k + 1) * stride).unwrap_or_default()).copied().collect();
    let times: Buffer<f64> = kept.iter().map(|k| f64::from(times[*k])).collect();
    Cow::Owned(Curve::new(curve.interpolation, curve.width, times, values))
}

/// Rotation keys of unit length, and how many were not; `None` when all were.
fn unit_rotations(curve: &Curve) -> Option<(Buffer<f32>, u64)> {
    let stride = curve.stride();
    let skip = if curve.interpolation == Interpolation::CubicHermite { curve.width } else { 0 };
    let length = |q: &[f32]| q.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt();
    let wrong = |q: &[f32]| (length(q) - 1.0).abs() > UNIT_TOLERANCE;
    let count = (0..curve.len()).filter(|k| wrong(curve.value(*k))).count();
    if count == 0 {
        return None;
    }
    let mut values = curve.values.to_vec();
    for key in values.chunks_exact_mut(stride) {
        let q = &mut key[skip..skip + curve.width];
        let length = length(q);
        if length > 0.0 {
            q.iter_mut().for_each(|c| *c = (f64::from(*c) / length) as f32);
        }
    }
    Some((values.into(), count as u64))
}

/// Whether each turn from key to key goes the way that it went before its keys were rounded to signed fractions of 16
/// bits. Of the two ways between rotations, the sign of the keys' dot product says which one linear interpolation takes;
/// it is near 0 for half turns, where rounding can change it. Rounding may also negate a key as a whole.
fn turns_stay(values: &[f32], rounded: &[u16], interpolation: Interpolation) -> bool {
    type Key = [f64; 4];
    let dot = |a: Key, b: Key| a.into_iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let goes_on = |dot: f64| dot >= 0.0;
    let keys = values.as_chunks::<4>().0.iter().map(|q| q.map(f64::from));
    let rounded = rounded.as_chunks::<4>().0.iter().map(|q| q.map(|v| f64::from(v as i16)));
    let pairs = keys.zip(rounded);
    let followers = pairs.clone().skip(1);
    interpolation != Interpolation::Linear
        || pairs.zip(followers).all(|((a, rounded_a), (b, rounded_b))| {
            let (before, after) = (dot(a, b), dot(rounded_a, rounded_b));
            let is_one_negated = goes_on(dot(a, rounded_a)) != goes_on(dot(b, rounded_b));
            // Players need not agree on what 0 means.
            let is_decided = after != 0.0 || before == 0.0;
            is_decided && (goes_on(after) != is_one_negated) == goes_on(before)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_turns_that_rounding_would_reverse_are_found() {
        let stay = |values: &[f32], rounded: &[i16], interpolation| {
            let rounded: Vec<u16> = rounded.iter().map(|v| *v as u16).collect();
            turns_stay(values, &rounded, interpolation)
        };
        let most = i16::MAX;
        let back = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -4.4e-8];
        let whole = [0, 0, 0, most, 0, most, 0, 0];
        assert!(!stay(&back, &whole, Interpolation::Linear));
        assert!(stay(&back, &whole, Interpolation::Step), "nothing lies between steps");
        let exact = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
        assert!(stay(&exact, &whole, Interpolation::Linear));
        assert!(!stay(&exact, &[0, 0, 0, most, 0, -most, 0, 0], Interpolation::Linear), "a key is negated");
        let quarter = [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];
        let rounded = [0, 0, 0, most, 0, -19660, 0, -26214];
        assert!(stay(&quarter, &rounded, Interpolation::Linear), "the dot product says that a key is negated");
    }

    #[test]
    fn times_ascend_from_zero() {
        let curve = Curve::new(Interpolation::Linear, 1, vec![-1.0, -0.5, 0.5, 0.5 + 1e-12], vec![1.0, 2.0, 3.0, 4.0]);
        let Held { curve: held, lost } = holdable(&curve, CurveKind::Numbers);
        assert_eq!((&*held.times_secs, &*held.values, lost), (&[0.0, 0.5][..], &[2.5, 4.0][..], 3));
        let right = Curve::new(Interpolation::Linear, 1, vec![0.0, 0.5], vec![1.0, 2.0]);
        let Held { curve: held, lost } = holdable(&right, CurveKind::Numbers);
        assert!(matches!(held, Cow::Borrowed(_)) && lost == 0);
    }

    #[test]
    fn one_cubic_key_is_a_constant() {
        let curve = Curve::new(Interpolation::CubicHermite, 1, vec![1.0], vec![9.0, 5.0, 9.0]);
        let held = holdable(&curve, CurveKind::Numbers).curve;
        assert_eq!((held.interpolation, &*held.values), (Interpolation::Step, &[5.0][..]));
    }

    #[test]
    fn only_the_values_of_cubic_rotations_become_unit() {
        let values = vec![9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 7.0, 0.0, 0.0, 0.0];
        let curve = Curve::new(Interpolation::CubicHermite, 4, vec![0.0], values);
        let (values, count) = unit_rotations(&curve).expect("one is not of unit length");
        assert_eq!((count, values[0], &values[4..8], values[8]), (1, 9.0, &[0.0, 0.0, 0.0, 1.0][..], 7.0));
    }
}
