//! Filters (appendix B): what is done to decoded attributes, and how values are made ready for it.

use super::Filter;

/// Applies a filter in place to whole elements of a stride that it allows.
pub(super) fn apply(filter: Filter, stride: usize, bytes: &mut [u8]) {
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => each::<4>(bytes, octahedral_bytes),
        (Filter::Octahedral, _) => shorts(bytes, |e| octahedral(e.map(|v| i32::from(v as i16)), 32767)),
        (Filter::Quaternion, _) => shorts(bytes, |e| quaternion(e.map(|v| v as i16))),
        (Filter::Exponential, _) => each::<4>(bytes, |e| exponential(i32::from_le_bytes(e)).to_le_bytes()),
        (Filter::Color, 4) => each::<4>(bytes, color_bytes),
        (Filter::Color, _) => shorts(bytes, color_shorts),
    }
}

fn octahedral_bytes(element: [u8; 4]) -> [u8; 4] {
    octahedral(element.map(|b| i32::from(b as i8)), 127).map(|v| v as u8)
}

fn color_bytes([y, co, cg, a]: [u8; 4]) -> [u8; 4] {
    color([i32::from(y), i32::from(co as i8), i32::from(cg as i8), i32::from(a)], 255).map(|v| v as u8)
}

fn color_shorts([y, co, cg, a]: [u16; 4]) -> [i32; 4] {
    color([i32::from(y), i32::from(co as i16), i32::from(cg as i16), i32::from(a)], 65535)
}

fn each<const N: usize>(bytes: &mut [u8], change: impl Fn([u8; N]) -> [u8; N]) {
    bytes.as_chunks_mut::<N>().0.iter_mut().for_each(|e| *e = change(*e));
}

/// Elements of four 16-bit numbers; the lower 16 bits of the results are kept.
fn shorts(bytes: &mut [u8], change: impl Fn([u16; 4]) -> [i32; 4]) {
    each::<8>(bytes, |e| {
        let [a, b, c, d, f, g, h, i] = e;
        let values = [[a, b], [c, d], [f, g], [h, i]].map(u16::from_le_bytes);
        let [[a, b], [c, d], [f, g], [h, i]] = change(values).map(|v| (v as u16).to_le_bytes());
        [a, b, c, d, f, g, h, i]
    });
}

/// A unit vector from octahedral coordinates; the third number is what 1.0 is there, the last one stays.
fn octahedral([x, y, one, rest]: [i32; 4], most: i32) -> [i32; 4] {
    let (x, y, one) = (x as f32, y as f32, one as f32);
    let z = one - x.abs() - y.abs();
    // The lower half lies folded over the edges of the square.
    let fold = z.min(0.0).abs();
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt();
    // Without a direction (a fault of the stream) the division gives no number, which rounds to 0.
    let [x, y, z] = [x, y, z].map(|v| (v / length * most as f32).round() as i32);
    [x, y, z, rest]
}

/// A unit quaternion from its three smaller components, which are scaled by √2; the lowest bits of the last number say
/// which one is the greatest, the others what 1.0 is.
fn quaternion([x, y, z, last]: [i16; 4]) -> [i32; 4] {
    let one = f32::from(last | 3);
    let [x, y, z] = [x, y, z].map(|v| f32::from(v) / one * std::f32::consts::FRAC_1_SQRT_2);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let greatest = (last & 3) as usize;
    let mut out = [0; 4];
    for (step, value) in [w, x, y, z].into_iter().enumerate() {
        out[(greatest + step) % 4] = (value * 32767.0).round() as i32;
    }
    out
}

/// A float from a signed exponent of 8 bits and a signed number of 24.
fn exponential(value: i32) -> f32 {
    // Exponents outside of ±100 are not allowed; here they give the nearest power that a normal f32 holds.
    let exponent = (value >> 24).clamp(-126, 127);
    let power = f32::from_bits(((exponent + 127) as u32) << 23);
    power * ((value << 8) >> 8) as f32
}

/// RGBA from YCoCg; the highest bit of alpha says how many bits the numbers have.
fn color([y, co, cg, alpha]: [i32; 4], most: i32) -> [i32; 4] {
    let bits = alpha.checked_ilog2().map_or(1, |highest| highest + 1);
    let one = (1 << bits) - 1;
    let low = alpha & one >> 1;
    let alpha = low << 1 | low & 1;
    let scale = most as f32 / one as f32;
    [y + co - cg, y + cg, y - co - cg, alpha].map(|v| ((v as f32 * scale).round() as i32).clamp(0, most))
}

/// Octahedral coordinates of a unit vector with so many bits (2 to 16), and what 1.0 is; `rest` stands behind them.
/// A vector without a direction becomes +Z.
pub fn encode_octahedral(vector: [f32; 3], rest: i16, bits: u32) -> [i16; 4] {
    let one = ((1i32 << (bits.clamp(2, 16) - 1)) - 1) as f32;
    let sum: f32 = vector.iter().map(|c| c.abs()).sum();
    let [x, y, z] = if sum > 0.0 { vector.map(|c| c / sum) } else { [0.0, 0.0, 1.0] };
    // The lower half is folded over the edges of the square.
    let (u, v) = if z < 0.0 { ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y)) } else { (x, y) };
    let whole = |c: f32| (c * one).round().clamp(-one, one) as i16;
    [whole(u), whole(v), one as i16, rest]
}

/// The three smaller components of a unit quaternion (x, y, z, w) with so many bits (4 to 16), and which is the greatest.
pub fn encode_quaternion(rotation: [f32; 4], bits: u32) -> [i16; 4] {
    let one = (1i32 << (bits.clamp(4, 16) - 1)) - 1;
    // The first of equals.
    let greatest = (1..4).fold(0, |g, i| if rotation[i].abs() > rotation[g].abs() { i } else { g });
    let sign = if rotation[greatest] < 0.0 { -1.0 } else { 1.0 };
    let scale = one as f32 * std::f32::consts::SQRT_2 * sign;
    let whole = |step: usize| (rotation[(greatest + step) % 4] * scale).round().clamp(-(one as f32), one as f32) as i16;
    [whole(1), whole(2), whole(3), (one & !3) as i16 | greatest as i16]
}

/// Numbers with one exponent for all, so that the greatest has so many bits (2 to 24, its sign included). The values must
/// be finite. A value comes back within half a unit of the exponent: at most the greatest magnitude × 2^(2 − bits).
pub fn encode_exponential(values: &[f32], bits: u32) -> Vec<i32> {
    let bits = bits.clamp(2, 24);
    let greatest = values.iter().fold(0f32, |g, v| g.max(v.abs()));
    // The power of two above the greatest one.
    let above = if greatest > 0.0 { (greatest.to_bits() >> 23) as i32 - 126 } else { -100 };
    let exponent = (above - (bits as i32 - 1)).clamp(-100, 100);
    let unit = f64::from(f32::from_bits(((exponent + 127) as u32) << 23));
    let most = f64::from((1 << (bits - 1)) - 1);
    let whole = |v: &f32| (f64::from(*v) / unit).round().clamp(-most, most) as i32;
    values.iter().map(|v| exponent << 24 | (whole(v) & 0x00FF_FFFF)).collect()
}
