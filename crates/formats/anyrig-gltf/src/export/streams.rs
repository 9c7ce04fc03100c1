//! Attribute streams become accessors, in the storage that they came from when that is exact and glTF allows it.

use super::indices::Shorts;
use super::packer::{Bounds, Component, Elements, Kind, Packer, shape};
use crate::codes;
use crate::document::Index;
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
    let values = unit_vectors(stream, subject, context);
    let bounds = (stream.semantic == Semantic::Position).then(|| Bounds::of(&values, width, false));
    let count = values.len() / width;
    let (form, stride, bytes) = encode(stream, values);
    let elements = Elements { component: form.component, normalized: form.normalized, shape, count, bounds, bytes };
    let index = packer.add(Kind::Vertices { stride }, elements);
    packer.remember(key, index);
    Some(index)
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
fn unit_vectors<'a>(stream: &'a Stream, subject: &str, context: &Context) -> Cow<'a, [f32]> {
    let width = usize::from(stream.width);
    if !matches!((&stream.semantic, width), (Semantic::Normal, 3) | (Semantic::Tangent, 4)) {
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

#[derive(Clone, Copy)]
struct Form {
    component: Component,
    normalized: bool,
    /// Greatest whole number, for normalised forms.
    scale: f32,
    range: (f32, f32),
}

const FLOAT: Form = Form { component: Component::F32, normalized: false, scale: 1.0, range: (0.0, 0.0) };

/// The storage as a form of glTF; `None` where the attribute may only be of floats (specification 3.7.2.1).
fn form(semantic: &Semantic, storage: Storage) -> Option<Form> {
    let whole = |component, range| Form { component, normalized: false, scale: 1.0, range };
    let fraction = |component, scale, low| Form { component, normalized: true, scale, range: (low, scale) };
    let fractions = match storage {
        Storage::Unorm8 => Some(fraction(Component::U8, 255.0, 0.0)),
        Storage::Unorm16 => Some(fraction(Component::U16, 65535.0, 0.0)),
        _ => None,
    };
    match semantic {
        Semantic::TexCoord(_) | Semantic::Color(_) => fractions,
        Semantic::Custom(_) => fractions.or_else(|| {
            Some(match storage {
                Storage::U8 => whole(Component::U8, (0.0, 255.0)),
                Storage::I8 => whole(Component::I8, (-128.0, 127.0)),
                Storage::U16 => whole(Component::U16, (0.0, 65535.0)),
                Storage::I16 => whole(Component::I16, (-32768.0, 32767.0)),
                Storage::Snorm8 => fraction(Component::I8, 127.0, -127.0),
                Storage::Snorm16 => fraction(Component::I16, 32767.0, -32767.0),
                _ => return None,
            })
        }),
        _ => None,
    }
}

/// The values in their storage when that gives exactly the same values back, else as floats. Elements start at
/// multiples of four bytes (specification 3.6.2.4); the stride is given when they are padded for that.
fn encode(stream: &Stream, values: Cow<'_, [f32]>) -> (Form, Option<usize>, SharedBytes) {
    let width = usize::from(stream.width);
    if let Some(form) = form(&stream.semantic, stream.storage).filter(|f| width <= 4 && is_exact(&values, *f)) {
        let bytes = width * form.component.size();
        let stride = bytes.next_multiple_of(4);
        let packed = pack(&values, width, form, stride);
        return (form, (stride != bytes).then_some(stride), packed);
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
