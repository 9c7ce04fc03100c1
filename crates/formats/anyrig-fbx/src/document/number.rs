//! Numbers in ASCII files.

/// A number as the file spells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Digits only, and in range.
    Int(i64),
    /// Anything else.
    Float(f64),
}

/// Bytes of number tokens: digits, signs, points, exponents, and the letters of `1.#QNAN(…)`.
pub(crate) fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'#' | b'(' | b')' | b'_' | b'a'..=b'z' | b'A'..=b'Z')
}

/// The bytes of the number token at the start of a text.
pub(crate) fn token(text: &[u8]) -> &[u8] {
    let len = text.iter().position(|b| !is_number_byte(*b)).unwrap_or(text.len());
    text.get(..len).unwrap_or_default()
}

/// Reads a whole token; `None` when it is no number.
pub(crate) fn parse(token: &[u8]) -> Option<Number> {
    if let Some(int) = parse_int(token) {
        return Some(Number::Int(int));
    }
    parse_f64(token).map(Number::Float)
}

/// Reads a whole token of digits with a sign; `None` when it is anything else or out of range.
pub(crate) fn parse_int(token: &[u8]) -> Option<i64> {
    let (is_negative, digits) = sign(token);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for digit in digits {
        let digit = i64::from(digit.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        // Counts down, so that the lowest number fits.
        value = value.checked_mul(10)?.checked_sub(digit)?;
    }
    if is_negative { Some(value) } else { value.checked_neg() }
}

/// Reads a whole token as f64.
pub(crate) fn parse_f64(token: &[u8]) -> Option<f64> {
    match fast_float2::parse_partial::<f64, _>(unsigned_plus(token)) {
        Ok((value, read)) if read == unsigned_plus(token).len() => Some(value),
        _ => special(token),
    }
}

/// Reads a whole token as f32, rounded once.
pub(crate) fn parse_f32(token: &[u8]) -> Option<f32> {
    match fast_float2::parse_partial::<f32, _>(unsigned_plus(token)) {
        Ok((value, read)) if read == unsigned_plus(token).len() => Some(value),
        _ => special(token).map(|v| v as f32),
    }
}

fn unsigned_plus(token: &[u8]) -> &[u8] {
    token.strip_prefix(b"+").unwrap_or(token)
}

fn sign(token: &[u8]) -> (bool, &[u8]) {
    match token.first() {
        Some(b'-') => (true, token.get(1..).unwrap_or_default()),
        Some(b'+') => (false, token.get(1..).unwrap_or_default()),
        _ => (false, token),
    }
}

/// True for a bare word that is a number: `nan`, `inf`, `nan(ind)`.
pub(crate) fn is_special_word(word: &[u8]) -> bool {
    word.len() >= 3 && word.first().is_some_and(u8::is_ascii_alphabetic) && special(word).is_some()
}

/// Not a number and infinity as C libraries write them: `nan`, `-nan(ind)`, `inf`, `infinity`, and the old Microsoft
/// forms `1.#QNAN`, `-1.#IND`, `1.#INF`, `1.#INF00`, with any digit before the point.
fn special(token: &[u8]) -> Option<f64> {
    let (is_negative, body) = sign(token);
    let word = match body.iter().position(|b| *b == b'#') {
        Some(at) if is_zero_or_digits_and_point(body.get(..at)?) => body.get(at + 1..)?,
        Some(_) => return None,
        None => body,
    };
    // `1.#IND000` and `1.#INF00`: the runtime pads to the wanted precision.
    let word = word.iter().rposition(|b| *b != b'0').and_then(|last| word.get(..=last))?;
    let word = match word.iter().position(|b| *b == b'(') {
        Some(at) if word.last() == Some(&b')') => word.get(..at)?,
        Some(_) => return None,
        None => word,
    };
    let word = word.to_ascii_lowercase();
    match word.as_slice() {
        b"inf" | b"infinity" => Some(if is_negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        b"nan" | b"qnan" | b"snan" | b"ind" => Some(if is_negative { -f64::NAN } else { f64::NAN }),
        _ => None,
    }
}

fn is_zero_or_digits_and_point(head: &[u8]) -> bool {
    head.strip_suffix(b".").is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// The shortest spelling that reads back as the same number, in the style of the format.
pub(crate) fn spell_f64(value: f64) -> String {
    if value.is_nan() {
        return "1.#QNAN".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-1.#INF" } else { "1.#INF" }.to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e17).contains(&size) { format!("{value:e}") } else { format!("{value}") }
}

/// As [`spell_f64`], for an f32.
pub(crate) fn spell_f32(value: f32) -> String {
    if !value.is_finite() {
        return spell_f64(value.into());
    }
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e9).contains(&size) { format!("{value:e}") } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_stay_whole() {
        assert_eq!(parse(b"-9223372036854775808"), Some(Number::Int(i64::MIN)));
        assert_eq!(parse(b"9223372036854775807"), Some(Number::Int(i64::MAX)));
        assert_eq!(parse(b"9223372036854775808"), Some(Number::Float(9_223_372_036_854_775_808.0)));
        assert_eq!(parse(b"+7"), Some(Number::Int(7)));
        assert_eq!(parse(b"1e3"), Some(Number::Float(1000.0)));
        assert_eq!(parse(b"-.5"), Some(Number::Float(-0.5)));
        for bad in ["", "-", "+", "1,5", "0x10", "1.5.2", "--1", "1e"] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn reads_what_c_libraries_write_for_special_values() {
        for text in ["1.#QNAN", "-1.#IND", "1.#SNAN", "1.#QNAN(1)", "0.#NAN", "nan", "-nan(ind)", "1.#IND000"] {
            assert!(parse_f64(text.as_bytes()).is_some_and(f64::is_nan), "{text}");
            assert!(parse_f32(text.as_bytes()).is_some_and(f32::is_nan), "{text}");
        }
        for (text, value) in [("1.#INF", f64::INFINITY), ("-1.#INF00", f64::NEG_INFINITY), ("-inf", f64::NEG_INFINITY)]
        {
            assert_eq!(parse_f64(text.as_bytes()), Some(value), "{text}");
        }
        for bad in ["1.#", "1.#FOO", "x.#INF", "#INF", "1#INF", "nan(", "infx"] {
            assert_eq!(parse_f64(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn spelling_reads_back() {
        for value in [0.0, -0.0, 1.0, 0.1, 1e-7, 123_456_789.123, 1e300, f64::MIN_POSITIVE, f64::MAX] {
            let text = spell_f64(value);
            assert_eq!(parse_f64(text.as_bytes()).map(f64::to_bits), Some(value.to_bits()), "{text}");
        }
        for value in [0.1f32, 1e-20, 16_777_216.0, f32::MAX] {
            assert_eq!(parse_f32(spell_f32(value).as_bytes()), Some(value));
        }
        assert_eq!(spell_f64(f64::NEG_INFINITY), "-1.#INF");
    }
}
