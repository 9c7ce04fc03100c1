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
    NUMBER_BYTES[usize::from(byte)]
}

/// Every byte of a text is asked, so the answers are kept.
static NUMBER_BYTES: [bool; 256] = {
    let mut known = [false; 256];
    let mut byte = 0;
    while byte < known.len() {
        known[byte] = matches!(
            byte as u8,
            b'0'..=b'9' | b'+' | b'-' | b'.' | b'#' | b'(' | b')' | b'_' | b'a'..=b'z' | b'A'..=b'Z'
        );
        byte += 1;
    }
    known
};

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

/// Digits that surely fit into a whole number of 64 bits.
const SAFE_DIGITS: usize = 18;

/// A plain whole number at the start of a text, and how many bytes it takes; `None` for anything else.
pub(crate) fn leading_int(text: &[u8]) -> Option<(i64, usize)> {
    let start = usize::from(text.first() == Some(&b'-'));
    let (value, end) = digits(text, (0, start));
    if end == start || end - start > SAFE_DIGITS || text.get(end).copied().is_some_and(is_number_byte) {
        return None;
    }
    Some((if start == 0 { value as i64 } else { -(value as i64) }, end))
}

/// Reads on digits at an offset into a number; gives it, and the offset after them. Beyond [`SAFE_DIGITS`] in all the
/// number means nothing.
fn digits(text: &[u8], (mut value, mut at): (u64, usize)) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        at += 1;
    }
    (value, at)
}

/// A decimal number without an exponent at the start of a text, and how many bytes it takes; `None` for anything else, and
/// where the quotient of two numbers might not be the nearest one to what is spelled.
///
/// Whole numbers below 2^53 and powers of ten up to 10^22 are exact in 64 bits, so that their quotient is rounded once:
/// Clinger, "How to read floating point numbers accurately" (1990).
pub(crate) fn leading_decimal(text: &[u8]) -> Option<(f64, usize)> {
    let start = usize::from(text.first() == Some(&b'-'));
    let (whole, point) = digits(text, (0, start));
    let (all, end) = if text.get(point) == Some(&b'.') { digits(text, (whole, point + 1)) } else { (whole, point) };
    let places = end.saturating_sub(point + 1);
    let count = point - start + places;
    if count == 0 || count > SAFE_DIGITS || all >= 1 << 53 || text.get(end).copied().is_some_and(is_number_byte) {
        return None;
    }
    let value = all as f64 / TENS.get(places)?;
    Some((if start == 0 { value } else { -value }, end))
}

/// Powers of ten that are exact.
const TENS: [f64; SAFE_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

/// As [`leading_decimal`], rounded once to single precision.
pub(crate) fn leading_decimal_f32(text: &[u8]) -> Option<(f32, usize)> {
    let (value, len) = leading_decimal(text)?;
    // Bits that single precision does not have.
    const CUT: u64 = (1 << 29) - 1;
    const HALF: u64 = 1 << 28;
    let is_tie = value.to_bits() & CUT == HALF;
    // Between two neighbours of single precision the first rounding may have hidden on which side the number is; small ones
    // have fewer bits, and there are none near the largest.
    let is_sure = value == 0.0 || (!is_tie && value.abs() >= f64::from(f32::MIN_POSITIVE));
    is_sure.then_some((value as f32, len))
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
    fn short_ways_give_what_the_long_ones_give() {
        let mut state = 1u64;
        let mut next = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let mut taken = 0;
        for _ in 0..200_000 {
            let (sign, places, size) = (["", "-"][next(2) as usize], next(12) as usize, 10u64.pow(next(10) as u32));
            let text = format!("{sign}{}.{:0places$},", next(size), next(10u64.pow(places as u32)));
            let token = &text.as_bytes()[..text.len() - 1];
            if let Some((value, len)) = leading_decimal(text.as_bytes()) {
                assert_eq!((Some(value.to_bits()), len), (parse_f64(token).map(f64::to_bits), token.len()), "{text}");
                taken += 1;
            }
            if let Some((value, len)) = leading_decimal_f32(text.as_bytes()) {
                assert_eq!((Some(value.to_bits()), len), (parse_f32(token).map(f32::to_bits), token.len()), "{text}");
            }
        }
        assert!(taken > 150_000, "{taken}");
        // Halfway between two numbers of single precision but for the last digit, which double precision rounds away.
        for text in ["1.000000059604644776", "1.000000178813934327", "16777217.0", "-16777219.0"] {
            let short = leading_decimal_f32(text.as_bytes()).map(|(value, _)| value);
            assert!(short.is_none() || short == parse_f32(text.as_bytes()), "{text}");
        }
        for odd in ["", "-", ".", "-.", "1e5", "1.5x", "1.#INF", "+1", "1234567890123456789", "9007199254740993"] {
            assert_eq!(leading_decimal(odd.as_bytes()), None, "{odd}");
        }
        assert_eq!(leading_decimal(b"-0 ").map(|(value, len)| (value.to_bits(), len)), Some(((-0.0f64).to_bits(), 2)));
        assert_eq!((leading_decimal(b"5."), leading_decimal(b".5}")), (Some((5.0, 2)), Some((0.5, 2))));
        assert_eq!((leading_int(b"-12,3"), leading_int(b"007")), (Some((-12, 3)), Some((7, 3))));
        for odd in ["", "-", "+1", "1.5", "1x", "9223372036854775807"] {
            assert_eq!(leading_int(odd.as_bytes()), None, "{odd}");
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
