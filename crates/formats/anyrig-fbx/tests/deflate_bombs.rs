//! Small binary files whose arrays become large when inflated: memory by an allocator that counts. One test, since others
//! would be counted too.

use anyrig_bytes::compress::deflate;
use anyrig_bytes::{Context, ErrorKind, SharedBytes};
use anyrig_fbx::{FbxDocument, import};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const FREE_BYTES: usize = 64 << 20;
const TIMES_FILE: usize = 16;

/// A binary file of version 7400 in the making.
struct Writer(Vec<u8>);

impl Writer {
    fn new() -> Self {
        let mut bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
        bytes.extend(7400u32.to_le_bytes());
        Self(bytes)
    }

    /// A node with its properties as they are spelled, and its children.
    fn node(&mut self, name: &str, properties: &[Vec<u8>], children: &dyn Fn(&mut Self)) {
        let start = self.0.len();
        let len: usize = properties.iter().map(Vec::len).sum();
        self.0.extend([0; 4]);
        self.0.extend((properties.len() as u32).to_le_bytes());
        self.0.extend((len as u32).to_le_bytes());
        self.0.push(name.len() as u8);
        self.0.extend(name.bytes());
        properties.iter().for_each(|property| self.0.extend(property));
        let before = self.0.len();
        children(self);
        if self.0.len() > before {
            self.0.extend([0; 13]);
        }
        let end = self.0.len() as u32;
        self.0[start..start + 4].copy_from_slice(&end.to_le_bytes());
    }

    fn leaf(&mut self, name: &str, properties: &[Vec<u8>]) {
        self.node(name, properties, &|_| {});
    }

    fn end(mut self) -> Vec<u8> {
        self.0.extend([0; 13]);
        self.0
    }
}

fn text(value: &str) -> Vec<u8> {
    [b"S", &(value.len() as u32).to_le_bytes()[..], value.as_bytes()].concat()
}

fn id(value: i64) -> Vec<u8> {
    [b"L", &value.to_le_bytes()[..]].concat()
}

/// A deflated array of elements of a kind.
fn array(kind: u8, count: usize, bytes: &[u8]) -> Vec<u8> {
    let packed = deflate(bytes);
    let words = [count as u32, 1, packed.len() as u32];
    [&[kind][..], &words.map(u32::to_le_bytes).concat(), &packed].concat()
}

fn zeros(kind: u8, count: usize) -> Vec<u8> {
    array(kind, count, &vec![0; count * if matches!(kind, b'd' | b'l') { 8 } else { 4 }])
}

fn mesh_file(vertices: &[u8], corners: &[u8]) -> Vec<u8> {
    let mut file = Writer::new();
    file.node("Objects", &[], &|file| {
        file.node("Geometry", &[id(1), text("g\0\x01Geometry"), text("Mesh")], &|file| {
            file.leaf("Vertices", &[vertices.to_vec()]);
            file.leaf("PolygonVertexIndex", &[corners.to_vec()]);
        });
        file.leaf("Model", &[id(2), text("m\0\x01Model"), text("Mesh")]);
    });
    file.node("Connections", &[], &|file| {
        file.leaf("C", &[text("OO"), id(1), id(2)]);
        file.leaf("C", &[text("OO"), id(2), id(0)]);
    });
    file.end()
}

fn keys_file(count: usize) -> Vec<u8> {
    let links =
        [("OO", 2, 0, ""), ("OO", 4, 3, ""), ("OO", 6, 4, ""), ("OP", 7, 6, "d|X"), ("OP", 6, 2, "Lcl Translation")];
    let mut file = Writer::new();
    file.node("Objects", &[], &|file| {
        file.leaf("Model", &[id(2), text("m\0\x01Model"), text("Null")]);
        file.leaf("AnimationStack", &[id(3), text("s\0\x01AnimStack"), text("")]);
        file.leaf("AnimationLayer", &[id(4), text("l\0\x01AnimLayer"), text("")]);
        file.leaf("AnimationCurveNode", &[id(6), text("T\0\x01AnimCurveNode"), text("")]);
        file.node("AnimationCurve", &[id(7), text("\0\x01AnimCurve"), text("")], &|file| {
            file.leaf("KeyTime", &[zeros(b'l', count)]);
            file.leaf("KeyValueFloat", &[zeros(b'f', count)]);
        });
    });
    file.node("Connections", &[], &|file| {
        for (kind, child, parent, property) in links {
            let mut properties = vec![text(kind), id(child), id(parent)];
            properties.extend((kind == "OP").then(|| text(property)));
            file.leaf("C", &properties);
        }
    });
    file.end()
}

/// A plane as modellers write it: the most regular mesh that there is.
fn plane(side: usize) -> Vec<u8> {
    let numbers =
        |values: Vec<f64>| array(b'd', values.len(), &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
    let row = side + 1;
    let vertices = (0..row * row).flat_map(|i| [(i % row) as f64, 0.0, (i / row) as f64]).collect();
    let corner = |quad: usize| {
        let at = (quad / side * row + quad % side) as i32;
        [at, at + row as i32, at + row as i32 + 1, !(at + 1)]
    };
    let corners: Vec<u8> = (0..side * side).flat_map(corner).flat_map(i32::to_le_bytes).collect();
    mesh_file(&numbers(vertices), &array(b'i', 4 * side * side, &corners))
}

/// The most memory beyond what was there before, and what came of it.
fn read(bytes: Vec<u8>) -> (usize, Result<usize, ErrorKind>) {
    let bytes = SharedBytes::from(bytes);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let context = Context::new();
    let document = FbxDocument::read(&bytes, &context).expect("a sound document");
    let scene = import::import(&document, &context);
    let points = |scene: anyrig_scene::Scene| {
        scene.meshes.values().flat_map(|m| &m.parts).map(|p| p.positions().len()).sum::<usize>()
    };
    (MEMORY.peak_usage().saturating_sub(before), scene.map(points).map_err(|error| error.kind()))
}

#[test]
fn arrays_take_no_more_than_a_file_of_their_size_has_room_for() {
    let triangle = array(b'd', 9, &[0; 72]);
    let (ends, corners) = (array(b'i', 20_000_000, &[0xff; 80_000_000]), zeros(b'i', 3));
    for (name, bytes) in [
        ("vertices", mesh_file(&zeros(b'd', 50_000_000), &corners)),
        ("corners", mesh_file(&triangle, &zeros(b'i', 50_000_000))),
        ("one corner a face", mesh_file(&triangle, &ends)),
        ("keys", keys_file(20_000_000)),
    ] {
        let len = bytes.len();
        let (peak, result) = read(bytes);
        assert_eq!(result, Err(ErrorKind::LimitExceeded), "{name}");
        assert!(peak <= FREE_BYTES + TIMES_FILE * len, "{name}: {peak} bytes for a file of {len}");
    }
    // The largest that are let through.
    for (name, bytes) in [
        ("vertices", mesh_file(&zeros(b'd', 1_000_000), &corners)),
        ("corners", mesh_file(&triangle, &zeros(b'i', 690_000))),
        ("one corner a face", mesh_file(&triangle, &array(b'i', 690_000, &[0xff; 4 * 690_000]))),
    ] {
        let len = bytes.len();
        let (peak, result) = read(bytes);
        assert!(result.is_ok(), "{name}: {result:?}");
        assert!(peak <= FREE_BYTES + TIMES_FILE * len, "{name}: {peak} bytes for a file of {len}");
    }
    let side = 400;
    let bytes = plane(side);
    assert!(bytes.len() < 2 << 20, "{} bytes", bytes.len());
    assert_eq!(read(bytes).1, Ok((side + 1) * (side + 1)), "a regular mesh is no bomb");
}
