//! Streams made by hand after the specification's text, round trips, cuts and mutants. The streams of other encoders are
//! judged by `tests/judges/compression.mjs`.

use super::*;

/// A small generator of random numbers (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 8) % limit.max(1)
    }
}

fn attributes(count: usize, stride: usize) -> Layout {
    Layout { mode: Mode::Attributes, filter: Filter::None, count, stride }
}

fn indices(mode: Mode, count: usize) -> Layout {
    Layout { mode, filter: Filter::None, count, stride: 4 }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

/// The example of appendix A: ten bytes that hold sixteen differences.
const EXAMPLE: [u8; 10] = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
const EXAMPLE_DIFFERENCES: [i32; 16] = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0];

fn example_sums(first: u8) -> Vec<u8> {
    let step = |sum: &mut i32, d: &i32| {
        *sum += d;
        Some(*sum as u8)
    };
    EXAMPLE_DIFFERENCES.iter().scan(i32::from(first), step).collect()
}

#[test]
fn the_example_of_the_specification_decodes_in_both_versions() {
    // Lane 0 has the example at 4 bits, the other lanes are zero.
    let mut v0 = vec![0xA0, 0b10];
    v0.extend(EXAMPLE);
    v0.extend([0, 0, 0]);
    v0.extend([0; 28]);
    v0.extend([7, 1, 2, 3]);
    // Control 0 for lane 0 (where 4 bits are the header 3), 2 (zeros) for the others; one mode at the end.
    let mut v1 = vec![0xA1, 0b10_10_10_00, 0b11];
    v1.extend(EXAMPLE);
    v1.extend([0; 24 - 5]);
    v1.extend([7, 1, 2, 3, 0]);
    for stream in [v0, v1] {
        let decoded = attributes(16, 4).decode(&stream).expect("legal");
        let lane = |k: usize| decoded.iter().skip(k).step_by(4).copied().collect::<Vec<u8>>();
        assert_eq!(lane(0), example_sums(7));
        assert_eq!((lane(1), lane(2), lane(3)), (vec![1; 16], vec![2; 16], vec![3; 16]));
        // Fewer elements are asked for than the group holds: the rest is ignored.
        assert_eq!(attributes(3, 4).decode(&stream).expect("legal"), decoded[..12]);
    }
}

#[test]
fn literal_bytes_one_bit_codes_and_wide_differences() {
    // Lane 0: literal zigzag bytes of 2 elements. Lane 1: one-bit codes, where 1 means that a byte follows.
    let mut stream = vec![0xA1, 0b10_10_00_11, 4, 1];
    stream.extend([0b01, 0b10, 0, 9]);
    stream.extend([0; 19]);
    stream.extend([10, 20, 30, 40, 0]);
    let decoded = attributes(2, 4).decode(&stream).expect("legal");
    assert_eq!(decoded, [12, 20, 30, 40, 11, 15, 30, 40]);
    // 16-bit differences: 1 forward from 0x00FF carries; 32-bit exclusive or, turned left by 4.
    let shorts = |mode: u8, lanes: [u8; 4]| {
        let mut stream = vec![0xA1, 0xFF];
        stream.extend(lanes);
        stream.extend([0; 19]);
        stream.extend([0xFF, 0, 1, 0, mode]);
        stream
    };
    assert_eq!(attributes(1, 4).decode(&shorts(1, [2, 0, 3, 0])).expect("legal"), [0, 1, 0xFF, 0xFF]);
    assert_eq!(attributes(1, 4).decode(&shorts(0x42, [0x10, 0, 0, 0])).expect("legal"), [0xFE, 0, 1, 0]);
    for wrong in [3, 0x10, 0x11, 0x0F] {
        let fault = attributes(1, 4).decode(&shorts(wrong, [0; 4])).expect_err("no such mode");
        assert_eq!(fault.at, 2 + 4 + 19 + 4);
    }
}

#[test]
fn triangles_by_hand() {
    // A new triangle by the table; its edge (2, 1) and a new point; edge (2, 3) and the third newest point; all in full.
    let mut stream = vec![0xE1, 0xF0, 0x10, 0x12, 0xFF];
    stream.extend([0xFF, 20, 1, 0x84, 0x01]);
    stream.extend([0; 16]);
    let decoded = indices(Mode::Triangles, 12).decode(&stream).expect("legal");
    // Newest edges after the first triangle: (0, 2), (2, 1), (1, 0); after the second: (2, 3), (3, 1), …
    assert_eq!(words(&decoded), [0, 1, 2, 2, 1, 3, 3, 1, 1, 10, 9, 75]);
    let two = Layout { stride: 2, ..indices(Mode::Triangles, 12) }.decode(&stream).expect("legal");
    assert_eq!(two.len(), 24);
    for (at, byte) in [(1, 0x00), (1, 0xF1 - 0xF0), (21 + 4, 1), (12, 0xF0)] {
        let mut wrong = stream.clone();
        wrong[at] = byte;
        assert!(indices(Mode::Triangles, 12).decode(&wrong).is_err(), "{at}");
    }
}

#[test]
fn new_points_start_again_after_two_zeros() {
    let mut stream = vec![0xE1, 0xF0, 0xFE, 0x00];
    stream.extend([0; 16]);
    let decoded = indices(Mode::Triangles, 6).decode(&stream).expect("legal");
    assert_eq!(words(&decoded), [0, 1, 2, 0, 1, 2]);
}

#[test]
fn indices_by_hand() {
    // +5 from the first running value, +300 from the second, −1 from the first.
    let mut stream = vec![0xD1, 5 << 2, 0xB1, 0x09, 0b10];
    stream.extend([0; 4]);
    let decoded = indices(Mode::Indices, 3).decode(&stream).expect("legal");
    assert_eq!(words(&decoded), [5, 300, 4]);
    assert_eq!(indices(Mode::Indices, 2).decode(&stream).expect_err("left over").at, 4);
    assert!(indices(Mode::Indices, 4).decode(&stream).is_err());
    stream.splice(1..2, [0x80, 0x80, 0x80, 0x80, 0x80]);
    assert!(indices(Mode::Indices, 3).decode(&stream).is_err(), "more than five bytes");
}

#[test]
fn filters_by_hand() {
    let apply = |filter, stride, bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        filters::apply(filter, stride, &mut bytes);
        bytes
    };
    // Axes, with 1.0 at 8 and at 5 bits, and the lower half.
    let octahedral = |x: i8, y: i8, one: i8| apply(Filter::Octahedral, 4, &[x as u8, y as u8, one as u8, 9]);
    assert_eq!(octahedral(127, 0, 127), [127, 0, 0, 9]);
    assert_eq!(octahedral(0, -15, 15), [0, (-127i8) as u8, 0, 9]);
    assert_eq!(octahedral(15, 15, 15), [0, 0, (-127i8) as u8, 9]);
    assert_eq!(octahedral(0, 0, 0)[3], 9, "no direction, but no panic");
    let shorts = |v: [i16; 4]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    // The identity: w is the greatest (index 3). Half a turn about z: z is.
    let quaternion = |v: [i16; 4]| apply(Filter::Quaternion, 8, &shorts(v));
    assert_eq!(quaternion([0, 0, 0, 32767]), shorts([0, 0, 0, 32767]));
    assert_eq!(quaternion([0, 0, 0, 32766]), shorts([0, 0, 32767, 0]));
    // A quarter turn about x: x and w are √½; w is the greatest.
    assert_eq!(quaternion([2047, 0, 0, 2047]), shorts([23170, 0, 0, 23170]));
    let exponential = |e: i32, m: i32| apply(Filter::Exponential, 4, &(e << 24 | (m & 0xFF_FFFF)).to_le_bytes());
    assert_eq!(exponential(-1, 3), 1.5f32.to_le_bytes());
    assert_eq!(exponential(10, -7), (-7168f32).to_le_bytes());
    // White, opaque, at 8 bits; a pure green at 4 bits: y = g / 2, cg = g / 2.
    assert_eq!(apply(Filter::Color, 4, &[255, 0, 0, 255]), [255; 4]);
    assert_eq!(apply(Filter::Color, 4, &[8, 0, 7, 0b1111]), [17, 255, 17, 255]);
    let sixteen = |v: [u16; 4]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(apply(Filter::Color, 8, &sixteen([255, 0, 0, 255])), sixteen([65535; 4]));
}

#[test]
fn filters_give_back_what_they_were_given_within_their_bound() {
    let mut random = Random(5);
    let mut unit = || (random.below(2001) as f32 - 1000.0) / 1000.0;
    for _ in 0..2000 {
        let v = [unit(), unit(), unit()];
        let length = v.iter().map(|c| c * c).sum::<f32>().sqrt();
        if length < 0.1 {
            continue;
        }
        let v = v.map(|c| c / length);
        let mut bytes: Vec<u8> = encode_octahedral(v, 1, 8).iter().map(|c| *c as u8).collect();
        filters::apply(Filter::Octahedral, 4, &mut bytes);
        let off = v.iter().zip(&bytes).map(|(v, b)| (v - f32::from(*b as i8) / 127.0).abs()).fold(0.0, f32::max);
        assert!(off < 0.02, "{v:?} {off}");
        let q = [v[0], v[1], v[2], unit()];
        let length = q.iter().map(|c| c * c).sum::<f32>().sqrt();
        let q = q.map(|c| c / length);
        let mut bytes: Vec<u8> = encode_quaternion(q, 12).iter().flat_map(|c| c.to_le_bytes()).collect();
        filters::apply(Filter::Quaternion, 8, &mut bytes);
        let back = bytes.as_chunks::<2>().0.iter().map(|b| f32::from(i16::from_le_bytes(*b)) / 32767.0);
        let back: Vec<f32> = back.collect();
        let sign = if back.iter().zip(q).map(|(a, b)| a * b).sum::<f32>() < 0.0 { -1.0 } else { 1.0 };
        assert!(back.iter().zip(q).all(|(a, b)| (a - b * sign).abs() < 1e-3), "{q:?} {back:?}");
        let given = [q[0] * 1000.0, q[1], 0.0];
        for (value, code) in given.iter().zip(encode_exponential(&given, 15)) {
            let mut bytes = code.to_le_bytes();
            filters::apply(Filter::Exponential, 4, &mut bytes);
            let greatest = given[0].abs().max(given[1].abs());
            assert!((f32::from_le_bytes(bytes) - value).abs() <= greatest / 8192.0, "{given:?}");
        }
    }
}

/// Elements of several kinds: constant, counting, floats of a walk, noise.
fn samples() -> Vec<(usize, Vec<u8>)> {
    let mut random = Random(3);
    let mut all = vec![(4, Vec::new()), (8, vec![7; 8 * 300])];
    for (count, stride) in [(1, 4), (15, 12), (16, 4), (17, 8), (256, 16), (257, 4), (1000, 12), (100, 256), (700, 40)]
    {
        let mut walk = 0.0f32;
        let walked = (0..count * stride / 4).flat_map(|_| {
            walk += (random.below(100) as f32 - 50.0) / 1000.0;
            walk.to_le_bytes()
        });
        all.push((stride, walked.collect()));
        all.push((stride, (0..count * stride).map(|_| random.next() as u8).collect()));
        all.push((stride, (0..count * stride / 4).flat_map(|i| (i as u32 * 3).to_le_bytes()).collect()));
    }
    all
}

#[test]
fn attributes_come_back_as_they_were_and_version_1_is_smaller() {
    let mut sizes = [0; 2];
    for (stride, bytes) in samples() {
        for (number, version) in [Version::V0, Version::V1].into_iter().enumerate() {
            let stream = encode_attributes(version, &bytes, stride).expect("a legal stride");
            sizes[number] += stream.len();
            let decoded = attributes(bytes.len() / stride, stride).decode(&stream).expect("own streams are legal");
            assert_eq!(decoded, bytes, "{version:?} {stride}");
        }
    }
    assert!(sizes[1] < sizes[0], "{sizes:?}");
    assert!(encode_attributes(Version::V0, &[0; 6], 6).is_none());
}

/// A grid of squares, two triangles each, and some loose triangles.
fn grid(width: u32) -> Vec<u32> {
    let mut corners = Vec::new();
    for y in 0..width {
        for x in 0..width {
            let at = y * (width + 1) + x;
            corners.extend([at, at + 1, at + width + 1, at + width + 1, at + 1, at + width + 2]);
        }
    }
    corners.extend([5, 1_000_000, u32::MAX, 3, 3, 3, 0, 1, 2, 9, 7, 8]);
    corners
}

fn turned_to_least(corners: &[u32]) -> Vec<[u32; 3]> {
    let turn = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().expect("three");
    corners.as_chunks::<3>().0.iter().map(|t| turn(*t)).collect()
}

#[test]
fn triangles_come_back_turned_at_most() {
    let mut random = Random(11);
    let noise: Vec<u32> = (0..3000).map(|_| random.below(40) as u32).collect();
    // Triangles whose second and third corner are the next new ones, but not the first.
    let trap = vec![0, 1, 2, 0, 3, 4, 4, 5, 6, 100, 7, 8, 8, 9, 10];
    for corners in [Vec::new(), grid(20), noise, trap] {
        let stream = encode_triangles(&corners);
        let decoded = indices(Mode::Triangles, corners.len()).decode(&stream).expect("own streams are legal");
        assert_eq!(turned_to_least(&words(&decoded)), turned_to_least(&corners));
        // What came out stays as it is.
        assert_eq!(encode_triangles(&words(&decoded)).len(), stream.len());
    }
    assert!(encode_triangles(&grid(20)).len() < grid(20).len(), "less than a byte an index");
}

#[test]
fn indices_come_back_as_they_were() {
    let strip: Vec<u32> = (0..500).map(|i| if i % 2 == 0 { i } else { 100_000 + i }).collect();
    let stream = encode_indices(&strip).expect("near");
    assert_eq!(words(&indices(Mode::Indices, 500).decode(&stream).expect("legal")), strip);
    assert!(stream.len() < 510, "{}", stream.len());
    assert!(encode_indices(&[0, 1 << 30]).is_none(), "too far");
    assert!(encode_indices(&[(1 << 30) - 1]).is_some());
}

fn streams() -> Vec<(Layout, Vec<u8>)> {
    let mut all = Vec::new();
    for (stride, bytes) in samples().into_iter().filter(|(_, bytes)| bytes.len() < 5000) {
        for version in [Version::V0, Version::V1] {
            let stream = encode_attributes(version, &bytes, stride).expect("a legal stride");
            all.push((attributes(bytes.len() / stride, stride), stream));
        }
    }
    let corners = grid(9);
    all.push((indices(Mode::Triangles, corners.len()), encode_triangles(&corners)));
    let strip: Vec<u32> = (0..300).map(|i| i ^ 5).collect();
    all.push((indices(Mode::Indices, 300), encode_indices(&strip).expect("near")));
    all
}

#[test]
fn every_prefix_is_refused() {
    for (layout, stream) in streams() {
        for len in 0..stream.len() {
            // The end of a stream stands at its end: cut off, other bytes stand there, and something is left or missing.
            // Where all is zero one less may look like another stream; a byte fewer never is the same.
            let decoded = layout.decode(&stream[..len]);
            let whole = layout.decode(&stream).expect("legal");
            assert!(decoded.is_err() || layout.count == 0 || decoded != Ok(whole), "{layout:?} {len}");
        }
        let mut longer = stream.clone();
        longer.push(0);
        assert!(layout.decode(&longer) != layout.decode(&stream) || layout.count == 0, "{layout:?}");
    }
}

#[test]
fn mutants_never_panic_and_never_give_another_size() {
    let count = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000u64);
    let streams = streams();
    let mut decoded = 0u64;
    for seed in 0..count {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (mut layout, mut stream) = streams[seed as usize % streams.len()].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(stream.len() as u64) as usize;
            match random.below(6) {
                0 => stream.truncate(at + 1),
                1 => stream[at] ^= 1 << random.below(8),
                2 => stream.insert(at, random.next() as u8),
                3 => {
                    let magnitude = random.below(40);
                    layout.count = random.below(1 << magnitude) as usize;
                }
                4 => layout.stride = random.below(260) as usize,
                _ => stream[at] = [0, 0xFF, 0xFE, 0x80][random.below(4) as usize],
            }
        }
        layout.filter = [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color]
            [random.below(5) as usize];
        if let Ok(bytes) = layout.decode(&stream) {
            assert_eq!(Some(bytes.len()), layout.bytes());
            decoded += 1;
        }
    }
    assert!(decoded > count / 50 && decoded < count, "{decoded} of {count}");
}

#[test]
fn counts_are_checked_before_anything_is_allocated() {
    let huge = usize::MAX / 512;
    let stream = encode_attributes(Version::V1, &[0; 4096], 4).expect("legal");
    assert!(attributes(huge, 256).decode(&stream).is_err());
    assert!(attributes(1 << 40, 4).decode(&stream).is_err());
    assert!(indices(Mode::Triangles, 3 << 40).decode(&[0xE1; 100]).is_err());
    assert!(indices(Mode::Indices, 1 << 40).decode(&[0xD1; 100]).is_err());
}
