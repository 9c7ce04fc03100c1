//! Tracks of rbfx animations that move any property.

use super::layouts;
use anyrig_bytes::codec::{Codec, Scalar, TextForm, elements, list};
use anyrig_bytes::text::RawText;
use anyrig_bytes::{Error, Result, SharedBytes};

/// Numbers of [`VariantTrack::interpolation`].
pub mod variant_interpolation {
    /// The earlier key holds.
    pub const STEP: u8 = 0;
    /// In a line.
    pub const LINEAR: u8 = 1;
    /// A spline whose tangents follow from the keys and the tension.
    pub const TENSION_SPLINE: u8 = 2;
    /// A spline with tangents in the file.
    pub const TANGENT_SPLINE: u8 = 3;
}

/// Numbers of [`VariantTrack::variant_type`] that have a name here; the engine's own, in its order.
pub mod variant_type {
    /// One 32-bit float.
    pub const FLOAT: u8 = 3;
    /// A text.
    pub const TEXT: u8 = 9;
    /// The hash of a type's name, and the name of a resource.
    pub const RESOURCE: u8 = 12;
}

/// A track whose name is the path of a property, for example `@AnimatedModel/Morphs/3`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantTrack {
    /// The path.
    pub name: RawText,
    /// Type of the values, a number of the engine's list; see [`variant_type`].
    pub variant_type: u8,
    /// See [`variant_interpolation`].
    pub interpolation: u8,
    /// Of [`variant_interpolation::TENSION_SPLINE`].
    pub tension: f32,
    /// From version 3: how much the track counts.
    pub weight: f32,
    /// Number of keys, where values have one size; else the length of [`VariantTrack::texts`].
    pub key_count: u32,
    /// Times and values, key after key, where values have one size.
    pub data: SharedBytes,
    /// Incoming and outgoing tangents, key after key, where values have one size.
    pub tangents: SharedBytes,
    /// The keys of texts and resources.
    pub texts: Vec<TextKey>,
    /// The tangents of texts and resources: meaningless, but the layout has room for them.
    pub text_tangents: Vec<[VariantText; 2]>,
}

/// A key of a text or a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextKey {
    /// Seconds.
    pub time_secs: f32,
    /// The value.
    pub value: VariantText,
}

/// A text, or a reference to a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantText {
    /// Of a resource: the hash of its type's name.
    pub type_hash: u32,
    /// The text, or the resource's name.
    pub text: RawText,
}

/// The numbers of a value of one size; `None` for other types.
pub(super) fn numbers(variant_type: u8) -> Option<(Scalar, usize)> {
    Some(match variant_type {
        // Nothing at all.
        0 => (Scalar::U8, 0),
        1 => (Scalar::I32, 1),
        2 => (Scalar::U8, 1),
        variant_type::FLOAT => (Scalar::F32, 1),
        4 => (Scalar::F32, 2),
        5 => (Scalar::F32, 3),
        // Vectors, quaternions (w, x, y, z), colours, rectangles.
        6 | 7 | 8 | 24 => (Scalar::F32, 4),
        // Pointers, which are written as 0.
        11 | 18 => (Scalar::U32, 1),
        16 => (Scalar::I32, 4),
        17 => (Scalar::I32, 2),
        19 => (Scalar::F32, 9),
        20 => (Scalar::F32, 12),
        21 => (Scalar::F32, 16),
        22 => (Scalar::F64, 1),
        25 => (Scalar::I32, 3),
        26 => (Scalar::I64, 1),
        _ => return None,
    })
}

impl VariantTrack {
    /// The keys of a track of floats; nothing for other types.
    pub fn float_keys(&self) -> impl Iterator<Item = (f32, f32)> + '_ {
        let data = if self.variant_type == variant_type::FLOAT { self.data.as_slice() } else { &[] };
        let float = |bytes: &[u8]| bytes.first_chunk().map_or(0.0, |b| f32::from_le_bytes(*b));
        data.chunks_exact(8).map(move |key| (float(key), float(&key[4..])))
    }
}

pub(super) fn variant_track<C: Codec>(codec: &mut C, track: &mut VariantTrack, weighted: bool) -> Result<()> {
    codec.text("name", TextForm::NulTerminated, &mut track.name)?;
    codec.field("variant_type", &mut track.variant_type)?;
    codec.field("interpolation", &mut track.interpolation)?;
    codec.field("tension", &mut track.tension)?;
    if weighted {
        codec.field("weight", &mut track.weight)?;
    }
    let has_tangents = track.interpolation == variant_interpolation::TANGENT_SPLINE;
    match (numbers(track.variant_type), track.variant_type) {
        (Some(numbers), _) => number_keys(codec, track, numbers, has_tangents),
        (None, variant_type::TEXT | variant_type::RESOURCE) => text_keys(codec, track, has_tangents),
        (None, other) => {
            let message = format!("a track of values of type {other}, whose layout is not known");
            Err(Error::unsupported(codec.place(), message))
        }
    }
}

fn number_keys<C: Codec>(
    codec: &mut C,
    track: &mut VariantTrack,
    (scalar, width): (Scalar, usize),
    has_tangents: bool,
) -> Result<()> {
    codec.field("key_count", &mut track.key_count)?;
    let (count, size) = (track.key_count as usize, scalar.size() * width);
    codec.items("keys", (count, 4 + size), &mut track.data, || layouts::variant_key(scalar, width))?;
    // Values of no size have no tangents either.
    if has_tangents && size > 0 {
        let layout = || layouts::variant_tangents(scalar, width);
        codec.items("tangents", (count, 2 * size), &mut track.tangents, layout)?;
    }
    Ok(())
}

fn text_keys<C: Codec>(codec: &mut C, track: &mut VariantTrack, has_tangents: bool) -> Result<()> {
    let is_resource = track.variant_type == variant_type::RESOURCE;
    list(codec, "keys", 5, &mut track.texts, |c, key| {
        c.field("time", &mut key.time_secs)?;
        text_value(c, "value", &mut key.value, is_resource)
    })?;
    if !has_tangents {
        return Ok(());
    }
    elements(codec, "tangents", track.texts.len(), &mut track.text_tangents, |c, [incoming, outgoing]| {
        text_value(c, "in", incoming, is_resource)?;
        text_value(c, "out", outgoing, is_resource)
    })
}

fn text_value<C: Codec>(codec: &mut C, name: &'static str, value: &mut VariantText, is_resource: bool) -> Result<()> {
    if !is_resource {
        return codec.text(name, TextForm::NulTerminated, &mut value.text);
    }
    codec.enter(name, None);
    codec.field("type", &mut value.type_hash)?;
    codec.text("name", TextForm::NulTerminated, &mut value.text)?;
    codec.leave();
    Ok(())
}
