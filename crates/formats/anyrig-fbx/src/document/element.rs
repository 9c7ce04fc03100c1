//! What arrays can be decoded into.

use super::number::{self, Number};
use bytemuck::Pod;

/// An element type of decoded arrays. Whatever a file stores is converted: whole numbers that are out of range go to
/// the nearest bound, fractions are cut towards zero, NaN becomes 0 in whole numbers.
pub trait Element: Pod + Send + Sync + private::Sealed {
    /// The type code of binary arrays that hold exactly this.
    #[doc(hidden)]
    const CODE: u8;
    #[doc(hidden)]
    fn from_int(value: i64) -> Self;
    #[doc(hidden)]
    fn from_float(value: f64) -> Self;
    /// Reads a number at the start of a text: the value, and how many bytes it takes.
    #[doc(hidden)]
    fn from_text(text: &[u8]) -> Option<(Self, usize)>;
}

mod private {
    pub trait Sealed {}
}

macro_rules! whole {
    ($($type:ty => $code:literal),*) => {$(
        impl private::Sealed for $type {}
        impl Element for $type {
            const CODE: u8 = $code;
            fn from_int(value: i64) -> Self {
                value.clamp(<$type>::MIN.into(), <$type>::MAX.into()) as $type
            }
            fn from_float(value: f64) -> Self {
                value as $type
            }
            fn from_text(text: &[u8]) -> Option<(Self, usize)> {
                if let Some((value, len)) = number::leading_int(text) {
                    return Some((Self::from_int(value), len));
                }
                let token = number::token(text);
                Some((Self::from_number(number::parse(token)?), token.len()))
            }
        }
    )*};
}
whole!(u8 => b'b', i32 => b'i', i64 => b'l');

macro_rules! floats {
    ($($type:ty => $code:literal, $short:path, $parse:path),*) => {$(
        impl private::Sealed for $type {}
        impl Element for $type {
            const CODE: u8 = $code;
            fn from_int(value: i64) -> Self {
                value as $type
            }
            fn from_float(value: f64) -> Self {
                value as $type
            }
            fn from_text(text: &[u8]) -> Option<(Self, usize)> {
                if let Some(found) = $short(text) {
                    return Some(found);
                }
                if let Ok((value, len)) = fast_float2::parse_partial::<$type, _>(text) {
                    if !text.get(len).copied().is_some_and(number::is_number_byte) {
                        return Some((value, len));
                    }
                }
                let token = number::token(text);
                Some(($parse(token)?, token.len()))
            }
        }
    )*};
}
floats!(
    f32 => b'f', number::leading_decimal_f32, number::parse_f32,
    f64 => b'd', number::leading_decimal, number::parse_f64
);

pub(crate) trait FromNumber: Element {
    fn from_number(value: Number) -> Self {
        match value {
            Number::Int(value) => Self::from_int(value),
            Number::Float(value) => Self::from_float(value),
        }
    }
}

impl<T: Element> FromNumber for T {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_saturate() {
        assert_eq!(i32::from_int(i64::MAX), i32::MAX);
        assert_eq!(i32::from_float(f64::NAN), 0);
        assert_eq!(i32::from_float(-1e300), i32::MIN);
        assert_eq!(u8::from_int(-4), 0);
        assert_eq!(f32::from_float(0.1), 0.1f32);
    }

    #[test]
    fn numbers_are_read_from_running_text() {
        assert_eq!(f64::from_text(b"-1.5,2"), Some((-1.5, 4)));
        assert_eq!(f32::from_text(b"1.#INF,2"), Some((f32::INFINITY, 6)));
        assert_eq!(i32::from_text(b"12\n"), Some((12, 2)));
        assert_eq!(i32::from_text(b"1.9}"), Some((1, 3)));
        assert_eq!(f64::from_text(b"1.5x,"), None);
        assert_eq!(i64::from_text(b"9223372036854775807"), Some((i64::MAX, 19)));
    }
}
