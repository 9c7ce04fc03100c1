//! Attribute streams become accessors, in the storage that they came from when that is exact and glTF allows it.

use super::indices::Shorts;
use super::packer::{Bounds, Coded, Component, Elements, Kind, Packer, shape};
use crate::codes;
use crate::document::Index;
use crate::meshopt::{self, Filter};
use anyrig_bytes::{Buffer, Context, Diagnostic, SharedBytes};
use anyrig_scene::{Semantic, Storage, Stream};
use std::borrow::Cow;

/// The accessor of a stream; equal memory is written once. `None` when glTF has no accessor of its width.
pub(super) fn add(stream: &Stream, subject: &str, packer: &mut Packer, context: &Context) -> Option<Index> {
    let width = usize::from(stream.width);
    let shape = shape(width)?;
    let key = (stream.values.as_ptr() as usize, stream.values.len(), tag(stream));
    if let Some(known) = packer.known(key) {
        return Some(known);
    }
    if let Some(form) = filtered_form(stream, packer) {
        let index = add_filtered(stream, form, packer);
        packer.remember(key, index);
        return Some(index);
    }
    let form = form(&stream.semantic, stream.storage, packer.quantize().extends());
    let form = form.filter(|f| width <= 4 && is_exact(&stream.values, *f));
    // Rounded vectors are as near to unit length as their bits allow.
    let values = match form {
        Some(form) if form.is_extended => Cow::Borrowed(&*stream.values),
        _ => unit_vectors(stream, subject, context),
    };
    if form.is_some_and(|f| f.is_extended) {
        packer.require(QUANTIZATION);
    }
    let bounds = (stream.semantic == Semantic::Position).then(|| stored_bounds(&values, width, form));
    let count = values.len() / width;
    let (form, stride, bytes) = encode(stream, values, form);
    let elements = Elements { component: form.component, normalized: form.normalized, shape, count, bounds, bytes };
    let index = packer.add(Kind::Vertices { stride }, elements);
    packer.remember(key, index);
    Some(index)
}

/// Whether a stream holds directions of three numbers, with or without a sign behind them.
pub(super) fn has_directions(stream: &Stream) -> bool {
    matches!((&stream.semantic, stream.width), (Semantic::Normal, 3) | (Semantic::Tangent, 4))
}

/// The form of directions that the filter rounds.
fn filtered_form(stream: &Stream, packer: &Packer) -> Option<Form> {
    let is_rounded = matches!(stream.storage, Storage::Snorm8 | Storage::Snorm16);
    any_form(stream.storage).filter(|_| packer.filters() && is_rounded && has_directions(stream))
}

/// Unit vectors by the octahedral filter, of as many bits as their form has.
fn add_filtered(stream: &Stream, form: Form, packer: &mut Packer) -> Index {
    let (width, size) = (usize::from(stream.width), form.component.size());
    let mut coded = Vec::with_capacity(stream.values.len() / width * 4 * size);
    for vector in stream.values.chunks_exact(width) {
        let rest = vector.get(3).map_or(0, |sign| whole_of(*sign, form) as i16);
        let code = meshopt::encode_octahedral([vector[0], vector[1], vector[2]], rest, 8 * size as u32);
        code.iter().for_each(|number| coded.extend_from_slice(&number.to_le_bytes()[..size]));
    }
    let stride = 4 * size;
    let bytes = meshopt::filtered(Filter::Octahedral, stride, &coded);
    packer.require(QUANTIZATION);
    let elements = Elements {
        component: form.component,
        normalized: true,
        shape: shape(width).unwrap_or("VEC3"),
        count: bytes.len() / stride,
        bounds: None,
        bytes: bytes.into(),
    };
    let kind = Kind::Vertices { stride: (width < 4).then_some(stride) };
    packer.add_coded(kind, elements, Some(Coded { filter: Filter::Octahedral, bytes: coded.into() }))
}

/// Bounds are of the numbers as they are stored (specification 3.6.2.5).
fn stored_bounds(values: &[f32], width: usize, form: Option<Form>) -> Bounds {
    match form {
        Some(form) if form.normalized => {
            let wholes: Vec<f32> = values.iter().map(|v| whole_of(*v, form)).collect();
            Bounds::of(&wholes, width)
        }
        _ => Bounds::of(values, width),
    }
}

/// Tells apart how the same memory is written: by width, storage, and what is demanded of its values.
fn tag(stream: &Stream) -> u64 {
    let kind = match stream.semantic {
        Semantic::Position => 1u64,
        Semantic::Normal => 2,
        Semantic::Tangent => 3,
        Semantic::TexCoord(_) => 4,
        Semantic::Color(_) => 5,
        Semantic::Custom(_) => 6,
    };
    kind << 16 | (stream.storage as u64) << 8 | u64::from(stream.width)
}

/// How far from 1 the length of a normal or tangent may be; the Khronos validator allows 5e-4.
const UNIT_TOLERANCE: f32 = 4e-4;

/// Normals and tangents must be of unit length, and a tangent's w must be ±1 (specification 3.7.2.1).
pub(super) fn unit_vectors<'a>(stream: &'a Stream, subject: &str, context: &Context) -> Cow<'a, [f32]> {
    let width = usize::from(stream.width);
    if !has_directions(stream) {
        return Cow::Borrowed(&stream.values);
    }
    let wrong = stream.values.chunks_exact(width).filter(|v| !is_unit(v)).count();
    if wrong == 0 {
        return Cow::Borrowed(&stream.values);
    }
    let mut values = stream.values.to_vec();
    values.chunks_exact_mut(width).filter(|v| !is_unit(v)).for_each(make_unit);
    let diagnostic = Diagnostic::new(&codes::VECTORS_NORMALISED, subject, stream.semantic.to_string());
    context.push(diagnostic.times(wrong as u64));
    Cow::Owned(values)
}

fn length(v: &[f32]) -> f64 {
    v.iter().take(3).map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>().sqrt()
}

fn is_unit(v: &[f32]) -> bool {
    let sign = v.get(3).is_none_or(|w| w.abs() == 1.0);
    let squares: f32 = v.iter().take(3).map(|c| c * c).sum();
    sign && (squares.sqrt() - 1.0).abs() <= UNIT_TOLERANCE
}

/// A vector without direction becomes +Z (a normal) or +X (a tangent).
fn make_unit(v: &mut [f32]) {
    let length = length(v);
    let fallback: [f32; 3] = if v.len() == 4 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
    for (component, fallback) in v.iter_mut().take(3).zip(fallback) {
        *component = if length > 0.0 { (f64::from(*component) / length) as f32 } else { fallback };
    }
    if let Some(w) = v.get_mut(3) {
        *w = if *w < 0.0 { -1.0 } else { 1.0 };
    }
}

/// The extension that allows attributes of whole numbers where glTF itself wants floats.
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";

/// How numbers of an attribute are stored.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) component: Component,
    pub(super) normalized: bool,
    /// Greatest whole number, for normalised forms.
    scale: f32,
    range: (f32, f32),
    /// Whether it needs `KHR_mesh_quantization`.
    is_extended: bool,
}

impl Form {
    const fn whole(component: Component, range: (f32, f32)) -> Self {
        Self { component, normalized: false, scale: 1.0, range, is_extended: true }
    }

    const fn fraction(component: Component, scale: f32, low: f32) -> Self {
        Self { component, normalized: true, scale, range: (low, scale), is_extended: true }
    }

    const fn core(self) -> Self {
        Self { is_extended: false, ..self }
    }
}

const FLOAT: Form =
    Form { component: Component::F32, normalized: false, scale: 1.0, range: (0.0, 0.0), is_extended: false };

/// A storage as a form; `None` for those that glTF does not have.
fn any_form(storage: Storage) -> Option<Form> {
    Some(match storage {
        Storage::Unorm8 => Form::fraction(Component::U8, 255.0, 0.0),
        Storage::Unorm16 => Form::fraction(Component::U16, 65535.0, 0.0),
        Storage::Snorm8 => Form::fraction(Component::I8, 127.0, -127.0),
        Storage::Snorm16 => Form::fraction(Component::I16, 32767.0, -32767.0),
        Storage::U8 => Form::whole(Component::U8, (0.0, 255.0)),
        Storage::I8 => Form::whole(Component::I8, (-128.0, 127.0)),
        Storage::U16 => Form::whole(Component::U16, (0.0, 65535.0)),
        Storage::I16 => Form::whole(Component::I16, (-32768.0, 32767.0)),
        Storage::F32 | Storage::Half | Storage::U32 => return None,
    })
}

/// The storage as a form of glTF; `None` where the attribute may only be of floats (specification 3.7.2.1), or of
/// others than these (`KHR_mesh_quantization`) where that is allowed.
fn form(semantic: &Semantic, storage: Storage, is_extended: bool) -> Option<Form> {
    let form = any_form(storage)?;
    let is_unsigned_fraction = matches!(storage, Storage::Unorm8 | Storage::Unorm16);
    match semantic {
        Semantic::TexCoord(_) | Semantic::Color(_) if is_unsigned_fraction => Some(form.core()),
        Semantic::Custom(_) => Some(form.core()),
        Semantic::Position | Semantic::TexCoord(_) if is_extended => Some(form),
        Semantic::Normal | Semantic::Tangent if is_extended => {
            Some(form).filter(|_| matches!(storage, Storage::Snorm8 | Storage::Snorm16))
        }
        _ => None,
    }
}

/// The first of the storages that a morph target's deltas fit exactly.
pub(super) fn delta_form(semantic: &Semantic, values: &[f32]) -> Option<Form> {
    let storages: &[Storage] = match semantic {
        Semantic::Position => &[Storage::I8, Storage::I16],
        Semantic::Normal | Semantic::Tangent => &[Storage::Snorm8, Storage::Snorm16],
        _ => return None,
    };
    storages.iter().filter_map(|storage| any_form(*storage)).find(|form| is_exact(values, *form))
}

/// Elements of a form, each at a multiple of four bytes, and the distance of them.
pub(super) fn packed(values: &[f32], width: usize, form: Form) -> (usize, SharedBytes) {
    let stride = (width * form.component.size()).next_multiple_of(4);
    (stride, pack(values, width, form, stride))
}

/// The values in their storage when that gives exactly the same values back, else as floats. Elements start at
/// multiples of four bytes (specification 3.6.2.4); the stride is given when they are padded for that.
fn encode(stream: &Stream, values: Cow<'_, [f32]>, form: Option<Form>) -> (Form, Option<usize>, SharedBytes) {
    let width = usize::from(stream.width);
    if let Some(form) = form {
        let (stride, bytes) = packed(&values, width, form);
        return (form, (stride != width * form.component.size()).then_some(stride), bytes);
    }
    let bytes = match values {
        Cow::Borrowed(_) => stream.values.to_bytes(),
        Cow::Owned(values) => Buffer::from(values).to_bytes(),
    };
    (FLOAT, None, bytes)
}

/// The whole number that stands for a value, as a float.
fn whole_of(value: f32, form: Form) -> f32 {
    (value * form.scale).round()
}

fn is_exact(values: &[f32], form: Form) -> bool {
    values.iter().all(|v| {
        let whole = whole_of(*v, form);
        whole >= form.range.0 && whole <= form.range.1 && whole / form.scale == *v
    })
}

fn pack(values: &[f32], width: usize, form: Form, stride: usize) -> SharedBytes {
    let per_element = stride / form.component.size();
    let padding = std::iter::repeat_n(0.0, per_element - width);
    let numbers = values.chunks_exact(width).flat_map(|e| {
        let wholes = e.iter().map(move |v| whole_of(*v, form));
        wholes.chain(padding.clone())
    });
    match form.component {
        Component::U8 => numbers.map(|n| n as u8).collect::<Vec<u8>>().into(),
        Component::I8 => numbers.map(|n| n as i8 as u8).collect::<Vec<u8>>().into(),
        Component::I16 => SharedBytes::from_owner(Shorts(numbers.map(|n| n as i16 as u16).collect())),
        _ => SharedBytes::from_owner(Shorts(numbers.map(|n| n as u16).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Root;

    fn packed(stream: &Stream) -> (Root, Vec<u8>) {
        let (mut packer, mut root) = (Packer::default(), Root::default());
        add(stream, "part", &mut packer, &Context::new()).expect("a known width");
        let bin = packer.finish(&mut root).expect("small").to_vec();
        (root, bin)
    }

    #[test]
    fn storage_is_kept_when_exact_and_padded() {
        let mut stream = Stream::new(Semantic::Color(0), 3, vec![0.0, 1.0, 51.0 / 255.0, 1.0, 1.0, 1.0]);
        stream.storage = Storage::Unorm8;
        let (root, bin) = packed(&stream);
        assert_eq!(bin, [0, 255, 51, 0, 255, 255, 255, 0]);
        assert_eq!(root.buffer_views.expect("one view")[0].byte_stride, Some(4));
        stream.values = vec![0.1, 1.0, 0.2, 1.0, 1.0, 1.0].into();
        let (root, bin) = packed(&stream);
        assert_eq!(bin.len(), 24);
        assert_eq!(root.accessors.expect("one")[0].component_type, Some(5126));
    }

    #[test]
    fn normals_become_unit_and_are_reported() {
        let stream = Stream::new(Semantic::Normal, 3, vec![0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        let context = Context::new();
        let values = unit_vectors(&stream, "part", &context);
        assert_eq!(&*values, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(context.report().count_of("gltf.vectors-normalised"), 2);
        let right = Stream::new(Semantic::Tangent, 4, vec![1.0, 0.0, 0.0, -1.0]);
        assert!(matches!(unit_vectors(&right, "part", &context), Cow::Borrowed(_)));
    }
}
