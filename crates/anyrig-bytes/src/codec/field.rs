//! Fixed-size values, and how values are spelled in dumps.

use crate::{Cursor, Result, Value, Writer};

/// A fixed-size value: a number or an array of them.
///
/// [`Field::to_value`] and [`Field::from_value`] lose nothing: a finite `f32` becomes the shortest decimal number that
/// leads back to its bits, a float that JSON cannot spell becomes `{"$f32": "7fc00000"}` or `{"$f64": "…"}` with the
/// bits in hexadecimal digits.
pub trait Field: Copy {
    /// Size in the file, in bytes.
    const SIZE: usize;
    /// Reads the value.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Truncated`] at the end of the bytes.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self>;
    /// Writes the value.
    fn write(self, writer: &mut Writer);
    /// The value for people and dumps.
    fn to_value(self) -> Value;
    /// The value that a dump or a person spelled.
    ///
    /// # Errors
    /// What is wanted instead, as a sentence without a place.
    fn from_value(value: &Value) -> std::result::Result<Self, String>;
}

macro_rules! fields {
    ($($type:ident => $to:expr, $from:expr);* $(;)?) => {$(
        impl Field for $type {
            const SIZE: usize = size_of::<$type>();
            #[inline]
            fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
                cursor.$type()
            }
            fn write(self, writer: &mut Writer) {
                writer.$type(self);
            }
            fn to_value(self) -> Value {
                let convert: fn($type) -> Value = $to;
                convert(self)
            }
            fn from_value(value: &Value) -> std::result::Result<Self, String> {
                let convert: fn(&Value) -> Option<$type> = $from;
                convert(value).ok_or_else(|| wanted::<$type>(value))
            }
        }
    )*};
}
fields! {
    u8 => |v| Value::Int(v.into()), whole;
    i8 => |v| Value::Int(v.into()), whole;
    u16 => |v| Value::Int(v.into()), whole;
    i16 => |v| Value::Int(v.into()), whole;
    u32 => |v| Value::Int(v.into()), whole;
    i32 => |v| Value::Int(v.into()), whole;
    u64 => |v| i64::try_from(v).map_or(Value::UInt(v), Value::Int), whole;
    i64 => Value::Int, whole;
    f32 => f32_to_value, f32_from_value;
    f64 => f64_to_value, f64_from_value;
}

impl<T: Field + Default, const N: usize> Field for [T; N] {
    const SIZE: usize = T::SIZE * N;
    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(cursor)?;
        }
        Ok(values)
    }
    fn write(self, writer: &mut Writer) {
        self.into_iter().for_each(|value| value.write(writer));
    }
    fn to_value(self) -> Value {
        Value::Array(self.into_iter().map(T::to_value).collect())
    }
    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        let items = value.as_array().filter(|items| items.len() == N);
        let items = items.ok_or_else(|| format!("a list of {N} values is wanted, this is {}", kind(value)))?;
        let mut values = [T::default(); N];
        for (index, (value, item)) in values.iter_mut().zip(items).enumerate() {
            *value = T::from_value(item).map_err(|e| format!("value {index}: {e}"))?;
        }
        Ok(values)
    }
}

/// Tag of bytes in hexadecimal digits.
pub(super) const TAG_HEX: &str = "$hex";
/// Tag of bytes in base64 (RFC 4648, with padding).
pub(super) const TAG_BASE64: &str = "$base64";
const TAG_F32: &str = "$f32";
const TAG_F64: &str = "$f64";

fn whole<T: TryFrom<i64> + TryFrom<u64>>(value: &Value) -> Option<T> {
    match *value {
        Value::Int(n) => T::try_from(n).ok(),
        Value::UInt(n) => T::try_from(n).ok(),
        _ => None,
    }
}

fn wanted<T>(value: &Value) -> String {
    let range = match std::any::type_name::<T>() {
        "u8" => "a whole number from 0 to 255",
        "i8" => "a whole number from -128 to 127",
        "u16" => "a whole number from 0 to 65535",
        "i16" => "a whole number from -32768 to 32767",
        "u32" => "a whole number from 0 to 4294967295",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "u64" => "a whole number from 0 to 18446744073709551615",
        "i64" => "a whole number of 64 bits",
        "f32" => "a number of single precision, up to 3.4e38,",
        _ => "a number",
    };
    format!("{range} is wanted, this is {}", kind(value))
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::UInt(n) => n.to_string(),
        Value::Float(n) => format!("{n:?}"),
        Value::String(text) => format!("the text {:?}", text.chars().take(40).collect::<String>()),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(members) => match members.as_slice() {
            [(key, _)] => format!("an object with the member `{key}`"),
            members => format!("an object of {} members", members.len()),
        },
    }
}

fn f32_to_value(v: f32) -> Value {
    if !v.is_finite() {
        return tagged(TAG_F32, format!("{:08x}", v.to_bits()));
    }
    // The shortest decimal number of an f32, unless reading it as an f64 first would round to a neighbour.
    let short: f64 = v.to_string().parse().unwrap_or(f64::NAN);
    Value::Float(if (short as f32).to_bits() == v.to_bits() { short } else { v.into() })
}

fn f32_from_value(value: &Value) -> Option<f32> {
    if let Some(digits) = tag(value, TAG_F32) {
        return hex_number(digits, 8).and_then(|bits| u32::try_from(bits).ok()).map(f32::from_bits);
    }
    value.as_f64().map(|v| v as f32).filter(|v| v.is_finite())
}

fn f64_to_value(v: f64) -> Value {
    if v.is_finite() { Value::Float(v) } else { tagged(TAG_F64, format!("{:016x}", v.to_bits())) }
}

fn f64_from_value(value: &Value) -> Option<f64> {
    if let Some(digits) = tag(value, TAG_F64) {
        return hex_number(digits, 16).map(f64::from_bits);
    }
    value.as_f64().filter(|v| v.is_finite())
}

fn tagged(tag: &str, text: String) -> Value {
    Value::Object(vec![(tag.to_owned(), Value::String(text))])
}

/// The text under a tag, when the value is nothing but that.
pub(super) fn tag<'v>(value: &'v Value, wanted: &str) -> Option<&'v str> {
    match value {
        Value::Object(members) => match members.as_slice() {
            [(key, Value::String(text))] if key == wanted => Some(text),
            _ => None,
        },
        _ => None,
    }
}

fn hex_number(digits: &str, len: usize) -> Option<u64> {
    let plain = digits.len() == len && digits.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

/// A text as a value: as it is when the bytes are UTF-8, else `{"$hex": "835a"}`.
pub fn text_to_value(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::String(text.to_owned()),
        Err(_) => tagged(TAG_HEX, hex(bytes)),
    }
}

/// The bytes of a text that [`text_to_value`] made.
///
/// # Errors
/// What is wanted instead, as a sentence without a place.
pub fn text_from_value(value: &Value) -> std::result::Result<Vec<u8>, String> {
    match value {
        Value::String(text) => Ok(text.clone().into_bytes()),
        other => match tag(other, TAG_HEX) {
            Some(digits) => {
                unhex(digits).ok_or_else(|| "the text under `$hex` is no even number of hexadecimal digits".to_owned())
            }
            None => Err(format!("a text or {{\"$hex\": \"…\"}} is wanted, this is {}", kind(other))),
        },
    }
}

/// Bytes under one of the tags `$hex` and `$base64`; `None` when the value has neither tag.
pub(super) fn bytes_from_value(value: &Value) -> Option<std::result::Result<Vec<u8>, String>> {
    use base64::Engine;
    if let Some(digits) = tag(value, TAG_HEX) {
        return Some(unhex(digits).ok_or_else(|| "no even number of hexadecimal digits".to_owned()));
    }
    let engine = base64::engine::general_purpose::STANDARD;
    tag(value, TAG_BASE64).map(|text| engine.decode(text).map_err(|e| format!("not base64: {e}")))
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn through_json<T: Field>(value: T) -> T {
        let text = serde_json::to_string(&value.to_value()).expect("writable");
        T::from_value(&serde_json::from_str(&text).expect("JSON")).expect("readable")
    }

    proptest! {
        #[test]
        fn any_bits_of_a_float_survive_json(single: u32, double: u64) {
            prop_assert_eq!(through_json(f32::from_bits(single)).to_bits(), single);
            prop_assert_eq!(through_json(f64::from_bits(double)).to_bits(), double);
        }

        #[test]
        fn any_bytes_of_a_text_survive_json(bytes: Vec<u8>) {
            let text = serde_json::to_string(&text_to_value(&bytes)).expect("writable");
            let back = text_from_value(&serde_json::from_str(&text).expect("JSON"));
            prop_assert_eq!(back, Ok(bytes));
        }
    }

    #[test]
    fn special_floats_are_tagged_and_plain_ones_short() {
        assert_eq!(0.1f32.to_value(), Value::Float(0.1));
        assert_eq!(f32::INFINITY.to_value(), tagged("$f32", "7f800000".to_owned()));
        for bits in [0x7f80_0001, 0xffc0_0123, 0x8000_0000, 1, 0x7f7f_ffff] {
            assert_eq!(through_json(f32::from_bits(bits)).to_bits(), bits, "{bits:x}");
        }
        assert_eq!(through_json(u64::MAX), u64::MAX);
        assert_eq!(through_json([[1.0f32, f32::NAN]; 2])[0][0], 1.0);
    }

    #[test]
    fn wrong_types_and_ranges_say_what_is_wanted() {
        assert!(u8::from_value(&Value::Int(256)).is_err_and(|e| e.contains("0 to 255") && e.contains("256")));
        assert!(u32::from_value(&Value::Int(-1)).is_err());
        assert!(u32::from_value(&Value::Float(1.5)).is_err());
        assert!(f32::from_value(&Value::Float(1e39)).is_err());
        assert!(f32::from_value(&Value::from("x")).is_err());
        assert!(f32::from_value(&tagged("$f32", "7fc0000".to_owned())).is_err());
        assert!(f32::from_value(&tagged("$f32", "+fc00000".to_owned())).is_err());
        assert!(<[f32; 3]>::from_value(&Value::Array(vec![Value::Int(1)])).is_err_and(|e| e.contains("3 values")));
        assert!(text_from_value(&tagged("$hex", "0".to_owned())).is_err());
        assert!(text_from_value(&tagged("$hex", "é".to_owned())).is_err());
    }
}
