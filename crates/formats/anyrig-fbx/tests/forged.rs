//! Binary files of every version, width and byte order, made for the test.

mod common;

use anyrig_bytes::compress::deflate;
use anyrig_bytes::{Context, Endian, ErrorKind, Limits, SharedBytes};
use anyrig_fbx::{Decoder, FbxDocument, Kind};
use common::forge::{Forge, made};

fn read(bytes: &[u8]) -> anyrig_bytes::Result<FbxDocument> {
    FbxDocument::read(&bytes.into(), &Context::new())
}

fn every_type(f: Forge) -> Vec<u8> {
    let doubles: Vec<u8> = [1.5, -2.0, f64::MAX].iter().flat_map(|v| f.f64(*v)).collect();
    let floats: Vec<u8> = [0.1f32, -0.0].iter().flat_map(|v| f.f32(*v)).collect();
    let ints: Vec<u8> = [-1, i32::MAX].iter().flat_map(|v| f.i32(*v)).collect();
    let longs: Vec<u8> = [i64::MIN, 7].iter().flat_map(|v| f.i64(*v)).collect();
    let scalars = vec![
        f.scalar(b'B', vec![200]),
        f.scalar(b'C', vec![b'T']),
        f.scalar(b'Z', vec![0xff]),
        f.scalar(b'Y', f.i16(-300)),
        f.scalar(b'I', f.i32(-70_000)),
        f.scalar(b'L', f.i64(1 << 40)),
        f.scalar(b'F', f.f32(0.1)),
        f.scalar(b'D', f.f64(0.1)),
        f.text(b'S', b"Name\0\x01Model"),
        f.text(b'R', &[0, 255]),
    ];
    let arrays = vec![
        made("d", vec![f.array(b'd', 3, 0, &doubles)], vec![]),
        made("dz", vec![f.array(b'd', 3, 1, &deflate(&doubles))], vec![]),
        made("f", vec![f.array(b'f', 2, 0, &floats)], vec![]),
        made("iz", vec![f.array(b'i', 2, 1, &deflate(&ints))], vec![]),
        made("l", vec![f.array(b'l', 2, 0, &longs)], vec![]),
        made("b", vec![f.array(b'b', 2, 0, &[1, 0])], vec![]),
        made("cz", vec![f.array(b'c', 3, 1, &deflate(b"abc"))], vec![]),
    ];
    let mut listed = made("Listed", vec![f.scalar(b'I', f.i32(1))], vec![]);
    listed.null_record = true;
    let mut bare = made("Bare", vec![], vec![]);
    bare.null_record = false;
    f.file(&[made("Scalars", scalars, vec![]), made("Arrays", vec![], arrays), listed, bare])
}

#[test]
fn versions_widths_and_byte_orders_say_the_same() {
    for version in [2000, 3000, 5800, 6100, 7100, 7300, 7400, 7499, 7500, 7700, 8000] {
        for big in [false, true] {
            let bytes = every_type(Forge { version, big });
            let document = read(&bytes).expect("a whole file");
            assert_eq!(document.version_number(), version);
            assert_eq!(document.byte_order(), if big { Endian::Big } else { Endian::Little });
            assert_eq!(document.write().expect("writes").to_vec(), bytes);
            let scalars = document.child("Scalars").expect("is there");
            let ints: Vec<_> = scalars.properties().map(|p| p.as_i64()).collect();
            let expected = [200, 84, -1, -300, -70_000, 1 << 40, 0, 0].map(Some);
            assert_eq!(ints[..8], expected);
            assert_eq!(scalars.f64(6), Some(f64::from(0.1f32)));
            assert_eq!(scalars.f64(7), Some(0.1));
            assert_eq!((ints[8], ints[9]), (None, None));
            let (name, class) = scalars.property(8).and_then(|p| p.name_and_class()).expect("a name");
            assert_eq!((&*name, &*class), ("Name", "Model"));
            assert_eq!(scalars.property(9).map(|p| p.kind()), Some(Kind::Raw));
            check_arrays(&document);
        }
    }
}

fn check_arrays(document: &FbxDocument) {
    let context = Context::new();
    let mut decoder = Decoder::new(&context);
    let arrays = document.child("Arrays").expect("is there");
    let mut f64s = |name: &str| arrays.child(name).expect("is there").array::<f64>(&mut decoder).expect("decodes");
    assert_eq!(*f64s("d"), [1.5, -2.0, f64::MAX]);
    assert_eq!(f64s("d"), f64s("dz"));
    assert_eq!(*f64s("f"), [f64::from(0.1f32), -0.0]);
    assert_eq!(*f64s("iz"), [-1.0, 2_147_483_647.0]);
    let mut i32s = |name: &str| arrays.child(name).expect("is there").array::<i32>(&mut decoder).expect("decodes");
    assert_eq!(*i32s("d"), [1, -2, i32::MAX]);
    assert_eq!(*i32s("iz"), [-1, i32::MAX]);
    assert_eq!(*i32s("l"), [i32::MIN, 7]);
    let i64s = arrays.child("l").expect("is there").array::<i64>(&mut decoder).expect("decodes");
    assert_eq!(*i64s, [i64::MIN, 7]);
    let f32s = arrays.child("f").expect("is there").array::<f32>(&mut decoder).expect("decodes");
    assert_eq!(f32s.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), [0.1f32.to_bits(), 1 << 31]);
    assert_eq!(&*arrays.child("cz").expect("is there").content(&mut decoder).expect("decodes"), b"abc");
}

#[test]
fn arrays_that_promise_too_much_are_refused_before_memory_is_taken() {
    let f = Forge { version: 7400, big: false };
    let small = deflate(&[0; 64]);
    let decode = |property: Vec<u8>, limit: u64| {
        let bytes = f.file(&[made("Vertices", vec![property], vec![])]);
        let mut limits = Limits::default();
        limits.memory_bytes = limit;
        let context = Context::new().with_limits(limits);
        let document = FbxDocument::read(&bytes.as_slice().into(), &context).expect("reads");
        let node = document.child("Vertices").expect("is there");
        node.array::<f64>(&mut Decoder::new(&context)).map_err(|e| (e.kind(), e.place().to_string()))
    };
    let place = "byte 48 (0x30): Vertices".to_owned();
    // Within what deflate can hold, but beyond what the stream holds.
    let zeros = deflate(&vec![0; 8 << 20]);
    let cases = [
        (f.array(b'd', u32::MAX, 1, &small), ErrorKind::Malformed),
        (f.array(b'd', u32::MAX, 0, &small), ErrorKind::Malformed),
        (f.array(b'd', 9, 1, &small), ErrorKind::Truncated),
        (f.array(b'd', 7, 1, &small), ErrorKind::Malformed),
        (f.array(b'd', 8, 2, &small), ErrorKind::Malformed),
        (f.array(b'd', 8, 1, &small[..small.len() / 2]), ErrorKind::Truncated),
        (f.array(b'd', 1 << 20, 1, &zeros), ErrorKind::LimitExceeded),
        (f.array(b'f', 2 << 20, 1, &zeros), ErrorKind::LimitExceeded),
    ];
    for (property, kind) in cases {
        assert_eq!(decode(property, 1 << 20), Err((kind, place.clone())));
    }
    assert_eq!(decode(f.array(b'd', 8, 1, &small), 64).map(|v| v.len()), Ok(8));
}

#[test]
fn depth_is_bounded_in_both_encodings() {
    let f = Forge { version: 7400, big: false };
    let nest = |depth: usize| {
        let leaf = made("A", vec![f.scalar(b'I', f.i32(1))], vec![]);
        (1..depth).fold(leaf, |inner, _| made("A", vec![], vec![inner]))
    };
    assert!(read(&f.file(&[nest(32)])).is_ok());
    assert_eq!(read(&f.file(&[nest(64)])).expect_err("too deep").kind(), ErrorKind::LimitExceeded);
    let text = |depth: usize| format!("Objects: {}{}", "{ A: ".repeat(depth), "}".repeat(depth)).into_bytes();
    assert!(read(&text(32)).is_ok());
    for depth in [33, 200_000] {
        let error = read(&text(depth)).expect_err("too deep");
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        // No limit of a job raises this one, so none is named.
        assert!(!error.message().contains("deeper than the limit"), "{error}");
    }
    let mut limits = Limits::default();
    limits.depth = 3;
    let context = Context::new().with_limits(limits);
    assert!(FbxDocument::read(&text(4).into(), &context).is_err());
}

#[test]
fn a_deep_binary_file_needs_no_stack() {
    // Headers only; every node ends with the file, so that nothing but the depth is wrong.
    let mut bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    bytes.extend(7400u32.to_le_bytes());
    let end = (27 + 200_000 * 14u32).to_le_bytes();
    for _ in 0..200_000 {
        bytes.extend([&end[..], &[0; 8], &[1, b'A']].concat());
    }
    assert_eq!(read(&bytes).expect_err("too deep").kind(), ErrorKind::LimitExceeded);
}

#[test]
fn cut_and_odd_ends_are_kept_and_named() {
    let f = Forge { version: 7400, big: false };
    let whole = f.file(&[made("A", vec![f.scalar(b'I', f.i32(1))], vec![])]);
    let nodes_end = 27 + 13 + 1 + 5;
    let cases = [
        (nodes_end, vec![], "fbx.no-end"),
        (nodes_end + 13, vec![], "fbx.unknown-footer"),
        (nodes_end + 13 + 20, vec![], "fbx.unknown-footer"),
        (nodes_end + 13, b"something else".to_vec(), "fbx.unknown-footer"),
    ];
    for (len, tail, code) in cases {
        let bytes = SharedBytes::from([&whole[..len], &tail].concat());
        let context = Context::new();
        let document = FbxDocument::read(&bytes, &context).expect("reads");
        assert_eq!(document.write().expect("writes").to_shared(), bytes);
        assert_eq!(context.report().count_of(code), 1, "{code}");
    }
    let context = Context::new();
    FbxDocument::read(&whole.as_slice().into(), &context).expect("reads");
    assert!(context.report().is_empty());
}

#[test]
fn contradictions_name_their_place() {
    let f = Forge { version: 7400, big: false };
    let file = |p: Vec<u8>| f.file(&[made("Objects", vec![], vec![made("Model", vec![p], vec![])])]);
    let good = file(f.scalar(b'I', f.i32(1)));
    let wrong = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        read(&bytes).expect_err("contradicts itself").to_string()
    };
    // The first node begins at 27, its child at 47 with its property at 65.
    assert_eq!(wrong(65, b'?'), "byte 65 (0x41): Objects/Model.properties[0]: '?' is not a property type");
    assert!(wrong(47, 0xff).contains("Objects: the node is to end at 255"), "{}", wrong(47, 0xff));
    assert!(wrong(51, 9).contains("9 properties cannot lie in 5 bytes"));
    assert!(wrong(55, 4).contains("byte 70 (0x46): Objects/Model"), "{}", wrong(55, 4));
    assert!(wrong(24, 0).contains("version 232 is not known"));
    assert_eq!(read(&file(f.text(b'S', b"abc"))[..67]).expect_err("cut").kind(), ErrorKind::Truncated);
}

#[test]
fn texts_of_old_code_pages_are_decoded_and_reported() {
    let f = Forge { version: 6100, big: false };
    // センター, 上半身 and 下半身 in Shift-JIS.
    let names: [&[u8]; 3] = [
        &[0x83, 0x5a, 0x83, 0x93, 0x83, 0x5e, 0x81, 0x5b],
        &[0x8f, 0xe3, 0x94, 0xbc, 0x90, 0x67],
        &[0x89, 0xba, 0x94, 0xbc, 0x90, 0x67],
    ];
    let nodes: Vec<_> = names.iter().map(|n| made("Model", vec![f.text(b'S', n)], vec![])).collect();
    let binary = f.file(&nodes);
    let mut ascii = b"; FBX 6.1.0 project file\n".to_vec();
    for name in names {
        ascii.extend([b"Model: \"", name, b"\"\n"].concat());
    }
    for bytes in [binary, ascii] {
        let context = Context::new();
        let document = FbxDocument::read(&bytes.as_slice().into(), &context).expect("reads");
        let texts: Vec<_> = document.root_children().filter_map(|n| n.text(0).map(|t| t.into_owned())).collect();
        assert_eq!(texts, ["センター", "上半身", "下半身"]);
        assert_eq!(context.report().count_of("fbx.legacy-text"), 3);
        assert_eq!(document.write().expect("writes").to_vec(), bytes);
    }
}
