//! Compressed buffer views and primitives: what they hold, what is refused, what stands in for them.
//!
//! Whether streams of other programs decode to what those programs say is judged by `tests/judges/compression.mjs`.

mod helpers;

use anyrig_bytes::{At, Context, ErrorKind, Limits, MemorySource, Result};
use anyrig_gltf::meshopt::{self, Version};
use anyrig_gltf::{Gltf, GltfDocument};
use anyrig_scene::{Document, Id, Importer, Scene, Semantic};

const POSITIONS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]];
const CORNERS: [u32; 6] = [0, 1, 2, 2, 1, 3];

fn plain_positions() -> Vec<u8> {
    POSITIONS.iter().flatten().flat_map(|v| v.to_le_bytes()).collect()
}

/// A file with two compressed views: corners and positions.
struct Packed {
    corners: Vec<u8>,
    positions: Vec<u8>,
    extension: &'static str,
    /// Count in the extension of the positions.
    count: usize,
    /// The uri of the buffer that stands in, as a JSON member.
    stand_in: String,
}

impl Packed {
    fn new(version: Version) -> Self {
        Self {
            corners: meshopt::encode_triangles(&CORNERS),
            positions: meshopt::encode_attributes(version, &plain_positions(), 12).expect("a legal stride"),
            extension: if version == Version::V0 { "EXT_meshopt_compression" } else { "KHR_meshopt_compression" },
            count: 4,
            stand_in: String::new(),
        }
    }

    fn json(&self) -> String {
        let Self { extension, count, stand_in, .. } = self;
        let bytes: String = self.corners.iter().chain(&self.positions).map(|b| format!("%{b:02x}")).collect();
        let (first, second) = (self.corners.len(), self.positions.len());
        format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["{extension}"],
            "buffers":[{{"uri":"data:,{bytes}","byteLength":{}}},
                {{{stand_in}"byteLength":72,"extensions":{{"{extension}":{{"fallback":true}}}}}}],
            "bufferViews":[
                {{"buffer":1,"byteLength":24,"extensions":{{"{extension}":{{"buffer":0,"byteLength":{first},
                    "byteStride":4,"count":6,"mode":"TRIANGLES"}}}}}},
                {{"buffer":1,"byteOffset":24,"byteLength":48,"byteStride":12,"extensions":{{"{extension}":{{
                    "buffer":0,"byteOffset":{first},"byteLength":{second},"byteStride":12,"count":{count},
                    "mode":"ATTRIBUTES","filter":"NONE"}}}}}}],
            "accessors":[{{"bufferView":0,"componentType":5125,"count":6,"type":"SCALAR"}},
                {{"bufferView":1,"componentType":5126,"count":4,"type":"VEC3"}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":1}},"indices":0}}]}}],"nodes":[{{"mesh":0}}]}}"#,
            first + second
        )
    }

    fn source(&self) -> MemorySource {
        MemorySource::new("x.gltf", self.json().into_bytes())
    }

    fn import(&self, context: &Context) -> Result<Scene> {
        Gltf.import(&self.source(), context)
    }
}

fn shape(scene: &Scene) -> (Vec<f32>, Vec<u32>) {
    let part = &scene.meshes[Id::new(0)].parts[0];
    let positions = part.stream(&Semantic::Position).expect("positions");
    (positions.values.to_vec(), part.corners.as_ref().expect("indices").to_vec())
}

#[test]
fn both_extensions_are_decoded_without_a_word() {
    for version in [Version::V0, Version::V1] {
        let context = Context::new();
        let scene = Packed::new(version).import(&context).expect("readable");
        let (positions, corners) = shape(&scene);
        assert_eq!((positions, corners), (POSITIONS.concat(), CORNERS.to_vec()));
        assert!(context.report().is_empty(), "{:?}", context.report());
    }
}

#[test]
fn documents_stay_byte_equal_and_compressed_ranges_have_names() {
    let packed = Packed::new(Version::V0);
    let document = anyrig_gltf::read(&packed.source(), &Context::new()).expect("readable");
    assert_eq!(document.write().expect("writable").to_vec(), packed.json().into_bytes());
    // The same with the compressed bytes in the chunk of a GLB.
    let mut root = document.root().clone();
    root.buffers.as_mut().expect("two")[0].uri = None;
    let bytes = [packed.corners.clone(), packed.positions.clone()].concat();
    let mut rope = anyrig_bytes::Rope::default();
    rope.push(bytes);
    let glb = GltfDocument::binary(root, rope).expect("small");
    let paths: Vec<String> = glb.trace(&Context::new()).expect("traceable").into_iter().map(|s| s.path).collect();
    let named = |words: &str| paths.iter().any(|p| p.contains(words));
    assert!(named("compressed by meshopt, TRIANGLES: indices of meshes[0].primitives[0]"), "{paths:?}");
    assert!(named("compressed by meshopt, ATTRIBUTES: POSITION of meshes[0].primitives[0]"), "{paths:?}");
}

#[test]
fn a_damaged_stream_is_refused_where_it_is_used() {
    let mut packed = Packed::new(Version::V0);
    packed.positions[0] = 0xB0;
    let error = packed.import(&Context::new()).expect_err("damaged");
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert_eq!(error.place().at, At::JsonPointer("/bufferViews/1/extensions/EXT_meshopt_compression".to_owned()));
    assert!(error.message().contains("byte 0"), "{error}");
    let mut packed = Packed::new(Version::V1);
    packed.positions.remove(3);
    assert!(packed.import(&Context::new()).is_err());
    packed.count = 5;
    let error = packed.import(&Context::new()).expect_err("60 bytes do not make 48");
    assert!(error.message().contains("5 elements of 12 bytes"), "{error}");
}

#[test]
fn what_is_not_used_is_not_decoded() {
    let mut packed = Packed::new(Version::V0);
    packed.positions[0] = 0xB0;
    let without =
        packed.json().replace(r#""meshes":[{"primitives":[{"attributes":{"POSITION":1},"indices":0}]}],"#, "");
    let without = without.replace(r#""nodes":[{"mesh":0}]"#, r#""nodes":[{}]"#);
    let source = MemorySource::new("x.gltf", without.into_bytes());
    assert!(Gltf.import(&source, &Context::new()).is_ok());
}

#[test]
fn plain_data_stands_in_for_a_damaged_stream_and_need_not_be_there() {
    let plain: Vec<u8> = CORNERS.iter().flat_map(|c| c.to_le_bytes()).chain(plain_positions()).collect();
    let mut packed = Packed::new(Version::V0);
    packed.stand_in = r#""uri":"none.bin","#.to_owned();
    assert!(packed.import(&Context::new()).is_ok(), "a stand-in may be missing");
    packed.stand_in = format!(r#""uri":"data:,{}","#, plain.iter().map(|b| format!("%{b:02x}")).collect::<String>());
    packed.positions[0] = 0xB0;
    let context = Context::new();
    let scene = packed.import(&context).expect("repaired");
    assert_eq!(shape(&scene).0, POSITIONS.concat());
    assert_eq!(context.report().count_of("gltf.compressed-fault"), 1);
}

#[test]
fn decoded_indices_are_checked_like_others() {
    let mut packed = Packed::new(Version::V0);
    packed.corners = meshopt::encode_triangles(&[0, 1, 2, 1, 2, 40]);
    let context = Context::new();
    let scene = packed.import(&context).expect("repaired");
    assert_eq!(shape(&scene).1, [0, 1, 2]);
    assert_eq!(context.report().count_of("scene.faces-removed"), 1);
}

#[test]
fn decoding_is_booked_before_it_happens() {
    // 100 bytes that state a million elements of zeros are legal; what they take is booked.
    let zeros = meshopt::encode_attributes(Version::V1, &vec![0; 12 << 20], 12).expect("legal");
    assert!(zeros.len() < 40_000, "{}", zeros.len());
    let mut packed = Packed::new(Version::V1);
    (packed.positions, packed.count) = (zeros, 1 << 20);
    let json = packed.json().replace(r#""byteLength":72"#, r#""byteLength":12582936"#);
    let json = json.replace(r#""byteLength":48"#, r#""byteLength":12582912"#);
    let json = json.replace(r#""componentType":5126,"count":4"#, r#""componentType":5126,"count":1048576"#);
    let import = |memory: u64| {
        let mut limits = Limits::default();
        limits.memory_bytes = memory;
        let source = MemorySource::new("x.gltf", json.clone().into_bytes());
        Gltf.import(&source, &Context::new().with_limits(limits))
    };
    assert_eq!(import(1 << 28).expect("within the limit").meshes[Id::new(0)].parts[0].point_count, 1 << 20);
    assert_eq!(import(8 << 20).expect_err("12 MiB").kind(), ErrorKind::LimitExceeded);
}

#[test]
fn rules_of_the_extension_are_kept() {
    let json = Packed::new(Version::V0).json();
    let cases = [
        (r#""mode":"TRIANGLES""#, r#""mode":"STRIPS""#, "/bufferViews/0/extensions/EXT_meshopt_compression/mode"),
        (r#""filter":"NONE""#, r#""filter":"WAVELET""#, "/bufferViews/1/extensions/EXT_meshopt_compression/filter"),
        (r#""filter":"NONE""#, r#""filter":"QUATERNION""#, "/bufferViews/1/extensions/EXT_meshopt_compression"),
        (r#""count":6,"mode""#, r#""mode""#, "/bufferViews/0/extensions/EXT_meshopt_compression/count"),
        (
            r#"{"buffer":0,"byteLength""#,
            r#"{"buffer":7,"byteLength""#,
            "/bufferViews/0/extensions/EXT_meshopt_compression/buffer",
        ),
        (
            r#"{"buffer":0,"byteLength""#,
            r#"{"buffer":1,"byteLength""#,
            "/bufferViews/0/extensions/EXT_meshopt_compression/buffer",
        ),
        (
            r#"{"buffer":0,"byteLength""#,
            r#"{"buffer":0,"byteOffset":9000,"byteLength""#,
            "/bufferViews/0/extensions/EXT_meshopt_compression",
        ),
    ];
    for (from, to, pointer) in cases {
        let wrong = json.replacen(from, to, 1);
        assert_ne!(wrong, json, "{from}");
        let error = Gltf.import(&MemorySource::new("x.gltf", wrong.into_bytes()), &Context::new()).expect_err(to);
        assert_eq!(error.place().at, At::JsonPointer(pointer.to_owned()), "{to}: {error}");
    }
}

#[cfg(feature = "draco")]
mod draco {
    use super::helpers::mutate::{Random, mutated};
    use super::helpers::{Disk, corpus, import};
    use super::*;
    use anyrig_bytes::Source;

    const BOX: &str = "gltf/draco/Box/glTF_Binary/Box_Draco.glb";

    #[test]
    fn the_compressed_box_is_the_box() {
        let Some(folder) = corpus() else { return };
        let context = Context::new();
        let packed = import(&Disk::open(&folder.join(BOX)), &context).expect("readable");
        assert!(context.report().is_empty(), "{:?}", context.report());
        let plain = folder.join("gltf/draco/Box/glTF_Binary/Box.glb");
        let plain = import(&Disk::open(&plain), &Context::new()).expect("readable");
        // Draco orders points and faces anew; each triangle has its corners within the quantisation of 11 bits.
        let triangles = |scene: &Scene| {
            let (positions, corners) = shape(scene);
            let at = |corner: &u32| positions.chunks_exact(3).nth(*corner as usize).expect("in range").to_vec();
            let rounded = |corner: &u32| at(corner).iter().map(|v| (v * 500.0).round() as i32).collect::<Vec<_>>();
            let turned = |t: &[u32]| {
                let t: Vec<_> = t.iter().map(rounded).collect();
                (0..3).map(|k| [t[k].clone(), t[(k + 1) % 3].clone(), t[(k + 2) % 3].clone()]).min().expect("three")
            };
            let mut all: Vec<_> = corners.chunks_exact(3).map(turned).collect();
            all.sort();
            all
        };
        assert_eq!(triangles(&packed), triangles(&plain));
    }

    /// The box with other words in its JSON.
    fn changed(from: &str, to: &str) -> Option<Result<Scene>> {
        let path = corpus()?.join(BOX);
        let document = anyrig_gltf::read(&Disk::open(&path), &Context::new()).expect("readable");
        let text = String::from_utf8(document.json_text().to_vec()).expect("UTF-8");
        let text: String = text.split_whitespace().collect();
        let json = text.replacen(from, to, 1);
        assert_ne!(json, text, "{from}");
        let mut glb = b"glTF\x02\0\0\0".to_vec();
        let json = format!("{json:width$}", width = json.len().next_multiple_of(4));
        let bin = document.bin().expect("a chunk");
        glb.extend((12 + 16 + json.len() as u32 + bin.len() as u32).to_le_bytes());
        glb.extend((json.len() as u32).to_le_bytes());
        glb.extend(b"JSON");
        glb.extend(json.as_bytes());
        glb.extend((bin.len() as u32).to_le_bytes());
        glb.extend(b"BIN\0");
        glb.extend(&*bin);
        Some(anyrig_gltf::Glb.import(&MemorySource::new("x.glb", glb), &Context::new()))
    }

    #[test]
    fn what_does_not_fit_the_accessors_is_refused() {
        let cases = [
            ("\"count\":24", "\"count\":23", "24 elements of 3 numbers"),
            ("\"count\":36", "\"count\":33", "12 triangles"),
            ("\"attributes\":{\"NORMAL\":0", "\"attributes\":{\"NORMAL\":7", "no attribute of id 7"),
            ("\"attributes\":{\"NORMAL\":0", "\"attributes\":{\"COLOR_0\":0", "no attribute of this name"),
            ("\"byteLength\":152}],", "\"byteLength\":90}],", "cannot be decoded"),
        ];
        for (from, to, words) in cases {
            let Some(result) = changed(from, to) else { return };
            let error = result.expect_err(to);
            assert!(error.message().contains(words), "{to}: {error}");
        }
    }

    /// A stream by hand: three points, and the one face as often as is asked for, uncompressed (Draco bitstream 2.2,
    /// sequential connectivity).
    fn repeated_face(times: u16) -> Vec<u8> {
        let mut stream = b"DRACO\x02\x02\x01\0\0\0".to_vec();
        stream.extend([times as u8 | 0x80, (times >> 7) as u8, 3, 1]);
        stream.extend([0u8, 1, 2].repeat(times.into()));
        // One group of one attribute: a position of three floats with the id 0, stored as it is.
        stream.extend([1, 1, 0, 9, 3, 0, 0, 0]);
        stream.extend(POSITIONS[..3].iter().flatten().flat_map(|v| v.to_le_bytes()));
        stream
    }

    fn import_repeated(times: u16, context: &Context) -> Result<Scene> {
        let stream = repeated_face(times);
        let bytes: String = stream.iter().map(|b| format!("%{b:02x}")).collect();
        let length = stream.len();
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_draco_mesh_compression"],
            "buffers":[{{"uri":"data:,{bytes}","byteLength":{length}}}],"bufferViews":[{{"buffer":0,"byteLength":{length}}}],
            "accessors":[{{"componentType":5126,"type":"VEC3","count":3}},{{"componentType":5125,"type":"SCALAR","count":3}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"extensions":{{
                "KHR_draco_mesh_compression":{{"bufferView":0,"attributes":{{"POSITION":0}}}}}}}}]}}],"nodes":[{{"mesh":0}}]}}"#
        );
        Gltf.import(&MemorySource::new("x.gltf", json.into_bytes()), context)
    }

    #[test]
    fn no_more_is_decoded_than_the_accessors_state() {
        let scene = import_repeated(1, &Context::new()).expect("one face");
        assert_eq!(shape(&scene).1, [0, 1, 2]);
        let error = import_repeated(2, &Context::new()).expect_err("two faces");
        assert!(error.message().contains("2 triangles"), "{error}");
        let error = import_repeated(8000, &Context::new()).expect_err("many faces");
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert!(error.message().contains("more than the accessors state"), "{error}");
        // What may be made is booked before anything is.
        let mut limits = Limits::default();
        limits.memory_bytes = 100_000;
        let error = import_repeated(1, &Context::new().with_limits(limits)).expect_err("too little memory");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn mutants_of_the_stream_never_panic() {
        let Some(folder) = corpus() else { return };
        let count = std::env::var("ANYRIG_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000u64);
        let source = Disk::open(&folder.join(BOX));
        let bytes = source.bytes().to_vec();
        let document = anyrig_gltf::read(&source, &Context::new()).expect("readable");
        let start = bytes.len() - document.bin().expect("a chunk").len();
        let mut limits = Limits::default();
        limits.memory_bytes = 64 << 20;
        limits.elements = 1 << 20;
        let mut read = 0;
        for seed in 0..count {
            let mut stream = mutated(&bytes[start..], &mut Random::new(seed));
            stream.resize(bytes.len() - start, 0);
            let file = [&bytes[..start], &stream].concat();
            let context = Context::new().with_limits(limits.clone());
            read += u64::from(import(&source.with_bytes(file), &context).is_ok());
        }
        assert!(read > 0 && read < count, "{read} of {count}");
    }
}

#[cfg(not(feature = "draco"))]
#[test]
fn without_the_feature_a_compressed_primitive_is_refused_with_a_remedy() {
    let json = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"data:,abcd","byteLength":4}],
        "bufferViews":[{"buffer":0,"byteLength":4}],"accessors":[{"componentType":5126,"type":"VEC3","count":3}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"extensions":{"KHR_draco_mesh_compression":
        {"bufferView":0,"attributes":{"POSITION":0}}}}]}]}"#;
    let source = MemorySource::new("x.gltf", json.as_bytes().to_vec());
    let error = Gltf.import(&source, &Context::new()).expect_err("not decoded");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("feature `draco`"), "{error}");
}
